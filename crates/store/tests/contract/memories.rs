//! Memories: what was learned is read where it may be seen, in whatever state it is.

use jiff::civil::date;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Kind, Memory, MemoryId, Proof, Status};
use throughline_domain::message::Role;
use throughline_domain::turn::TurnId;
use throughline_store::jobs::JobKind;
use throughline_store::memories::{Change, Learned, StoredMemory, Unextracted};
use throughline_store::outbox::Outgoing;
use throughline_store::turns::Take;
use throughline_store::{Error, Store};
use throughline_testkit::{TestStore, message};
use uuid::Uuid;

use crate::turns::answer;
use crate::{chat, finish_all_jobs, holder, known, learn, memory, memory_of, message_id, minute, said};

fn stored(memory: Memory, learned_after: i64) -> StoredMemory {
    StoredMemory { memory, learned_at: minute(10), changed_at: minute(10), learned_after }
}

async fn memories(store: &Store, name: &str) -> Vec<Memory> {
    let stored = store.chat(&chat(name)).memories(None).await.unwrap();
    stored.into_iter().map(|stored| stored.memory).collect()
}

async fn change(store: &Store, changes: Vec<Change>, at: i64) {
    let learned = Learned { changes, at: minute(at), ..Learned::default() };
    store.chat(&chat("a")).learn(learned).await.unwrap();
}

async fn b4_a_statement_that_two_learn_from_one_message_at_once_is_stored_once(test: TestStore) {
    let by = |number: u128, text: &str, span: std::ops::Range<usize>| {
        let proofs = vec![Proof { message: message_id(1), span }];
        Memory { proofs, ..memory("a", number, text) }
    };
    let learned = |memory| Learned { memories: vec![memory], at: minute(0), ..Learned::default() };
    let tagged = |text: &str| learned(by(7, text, 0..18));
    let extracted = |text: &str| learned(by(8, text, 0..19));
    // Each has compared its statement with what was there before the other wrote.
    for (n, text) in ["I collect old maps", "I collect old maps."].into_iter().enumerate() {
        for first in [7, 8] {
            let test = TestStore::fresh().await;
            test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
            let in_chat = test.store.chat(&chat("a"));
            let reply = said("a", 2, 1).role(Role::Assistant).to_record();
            let (made, again) = if first == 7 {
                let (_, made) = test.store.append_reply(reply, tagged(text)).await.unwrap();
                (made, in_chat.learn(extracted("I collect old maps.")).await.unwrap())
            } else {
                let made = in_chat.learn(extracted("I collect old maps.")).await.unwrap();
                (made, test.store.append_reply(reply, tagged(text)).await.unwrap().1)
            };
            assert_eq!((&made, &again), (&vec![MemoryId(Uuid::from_u128(first))], &made), "{n}");
            let kept = memories(&test.store, "a").await;
            let spans: Vec<_> =
                kept.iter().flat_map(|memory| &memory.proofs).map(|proof| proof.span.end).collect();
            assert_eq!((kept.len(), spans.len()), (1, 2), "{kept:?}");
        }
    }
    test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    in_chat.learn(tagged("I live in Porto")).await.unwrap();
    let old = MemoryId(Uuid::from_u128(7));
    let close = Change::Close {
        id: old,
        status: Status::Superseded,
        at: minute(1),
        by: Some(MemoryId(Uuid::from_u128(8))),
    };
    let edited = Learned { changes: vec![close], ..extracted("I live in Porto") };
    in_chat.learn(edited).await.unwrap();
    let status: Vec<_> = memories(&test.store, "a").await.into_iter().map(|memory| memory.status).collect();
    assert_eq!(status, [Status::Superseded, Status::Active], "what it takes the place of is another");
}

async fn b4_a_memory_comes_back_as_it_went_in_and_asks_for_what_follows_from_it(test: TestStore) {
    assert_eq!(test.store.chat(&chat("a")).memories(None).await.unwrap(), []);
    let refused = test.store.chat(&chat("a")).learn(Learned::default()).await.unwrap_err();
    assert!(matches!(refused, Error::NotFound { what: "chat", .. }), "{refused}");
    test.store.append(vec![said("a", 1, 0).role(Role::Assistant).to_record()]).await.unwrap();
    finish_all_jobs(&test.store).await;
    let whole = Memory {
        kind: Kind::Date,
        text: "The move to Östersund is on 3 April.".to_owned(),
        day: Some(date(2026, 4, 3)),
        valid_to: Some(minute(80)),
        superseded_by: Some(MemoryId(Uuid::from_u128(2))),
        used_at: Some(minute(9)),
        status: Status::Superseded,
        extracted: false,
        ..memory_of("ana", "a", 1, "")
    };
    let plain = Memory { speaker: None, proofs: Vec::new(), ..memory("a", 2, "The key is under the pot.") };
    learn(&test.store, "a", vec![whole.clone(), plain.clone()]).await;
    let test = test.restarted().await;
    let kept = test.store.chat(&chat("a")).memories(None).await.unwrap();
    assert_eq!(kept, [stored(whole, 1), stored(plain, 1)]);
    let figures = test.store.figures().await.unwrap();
    assert_eq!(figures.memories, 1, "those that hold");
    let jobs: Vec<_> = figures.jobs_by_kind.into_iter().collect();
    assert_eq!(jobs, [(JobKind::EMBED.as_str().to_owned(), 1), (JobKind::PROFILE.as_str().to_owned(), 1)]);
}

async fn a6_a_memory_of_a_person_is_seen_in_their_chats_and_one_of_a_chat_in_it_alone(test: TestStore) {
    for name in ["a", "b", "c"] {
        test.store.open_chat(&chat(name)).await.unwrap();
    }
    learn(&test.store, "a", vec![memory_of("ana", "a", 1, "Ana's, from a"), memory("a", 2, "a's own")]).await;
    learn(&test.store, "b", vec![memory_of("ana", "b", 3, "Ana's, from b"), memory("b", 4, "b's own")]).await;
    learn(&test.store, "c", vec![memory_of("ben", "c", 5, "Ben's, from c")]).await;
    let all = ["Ana's, from a", "a's own", "Ana's, from b"];
    assert_eq!(known(&test.store, "a", Some("ana")).await, all, "oldest first");
    assert_eq!(known(&test.store, "b", Some("ana")).await, ["Ana's, from a", "Ana's, from b", "b's own"]);
    assert_eq!(known(&test.store, "b", None).await, ["Ana's, from b", "b's own"]);
    assert_eq!(known(&test.store, "c", Some("ben")).await, ["Ben's, from c"]);
    assert_eq!(known(&test.store, "new", Some("ana")).await, ["Ana's, from a", "Ana's, from b"]);
    assert_eq!(known(&test.store, "new", None).await, Vec::<String>::new());
}

async fn b4_a_memory_is_closed_proved_and_accepted_in_place(test: TestStore) {
    test.store.open_chat(&chat("a")).await.unwrap();
    let suggested = Memory { status: Status::Suggested, ..memory("a", 2, "likes tea") };
    learn(&test.store, "a", vec![memory("a", 1, "lives in Lund"), suggested.clone()]).await;
    let proof = Proof { message: message_id(7), span: 3..9 };
    let prove = |id: u128| Change::Prove { id: MemoryId(Uuid::from_u128(id)), proof: proof.clone() };
    let newer = MemoryId(Uuid::from_u128(2));
    let close = Change::Close {
        id: MemoryId(Uuid::from_u128(1)),
        status: Status::Superseded,
        at: minute(15),
        by: Some(newer),
    };
    let accept = |id: u128| Change::Accept { id: MemoryId(Uuid::from_u128(id)) };
    change(&test.store, vec![close, prove(1), prove(1), accept(1), accept(2), prove(99)], 20).await;
    let kept = test.restarted().await.store.chat(&chat("a")).memories(None).await.unwrap();
    let closed = Memory {
        status: Status::Superseded,
        valid_to: Some(minute(15)),
        superseded_by: Some(newer),
        proofs: vec![Proof { message: message_id(1), span: 0..5 }, proof],
        ..memory("a", 1, "lives in Lund")
    };
    let accepted = Memory { status: Status::Active, ..suggested };
    let expected =
        [closed, accepted].map(|memory| StoredMemory { changed_at: minute(20), ..stored(memory, 0) });
    assert_eq!(kept, expected, "one that was superseded is not accepted, and one proof counts once");
}

async fn b4_messages_are_learned_from_once_and_not_while_they_wait_for_an_answer(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.unextracted(9).await.unwrap(), []);
    let heard = vec![
        said("a", 1, 0).text("I moved to Lund.").to_record(),
        said("a", 2, 1).text("Noted.").role(Role::Assistant).to_record(),
        said("a", 3, 2).text("In May.").to_record(),
        said("a", 4, 3).text("What now?").to_answer(),
        said("a", 5, 4).text("An old line.").to_import([5; 16]),
        said("b", 6, 4).text("Elsewhere.").to_record(),
    ];
    test.store.append(heard).await.unwrap();
    let texts = async |limit: usize| -> Vec<(String, Option<String>)> {
        let found = in_chat.unextracted(limit).await.unwrap();
        found.into_iter().map(|Unextracted { said, answered }| (said.message.text, answered)).collect()
    };
    let (first, second) =
        (("I moved to Lund.".to_owned(), Some("Noted.".to_owned())), ("In May.".to_owned(), None));
    assert_eq!(texts(9).await, [first.clone(), second.clone()]);
    assert_eq!(texts(1).await, [first], "the oldest");

    let turn = TurnId(Uuid::from_u128(1_001));
    test.store
        .enter_lane(&chat("a"), &Lane::Root, turn, &holder("me"), Take::Waiting, minute(5))
        .await
        .unwrap();
    assert_eq!(texts(9).await.len(), 2, "one that is being answered comes later");
    test.store.record_answer(answer(1)).await.unwrap();
    let third = ("What now?".to_owned(), Some("the answer".to_owned()));
    assert_eq!(texts(9).await, [texts(1).await.remove(0), second.clone(), third.clone()]);

    let read: Vec<i64> = in_chat.unextracted(1).await.unwrap().iter().map(|one| one.said.seq).collect();
    in_chat.learn(Learned { read, at: minute(9), ..Learned::default() }).await.unwrap();
    assert_eq!(texts(9).await, [second, third]);
    let elsewhere = test.store.chat(&chat("b")).unextracted(9).await.unwrap();
    assert_eq!(elsewhere.len(), 1);
    assert_eq!(
        test.store.figures().await.unwrap().jobs_by_kind.get(JobKind::EXTRACT.as_str()),
        Some(&2),
        "one for each chat"
    );
}

async fn b4_a_memory_that_went_into_an_answer_says_when(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).to_answer()]).await.unwrap();
    learn(&test.store, "a", vec![memory("a", 1, "used"), memory("a", 2, "not used")]).await;
    let turn = TurnId(Uuid::from_u128(1_001));
    test.store
        .enter_lane(&chat("a"), &Lane::Root, turn, &holder("me"), Take::Waiting, minute(5))
        .await
        .unwrap();
    let mut answer = answer(1);
    answer.used = vec![MemoryId(Uuid::from_u128(1))];
    answer.learned = Learned { memories: vec![memory("a", 3, "asked to be kept")], ..Learned::default() };
    test.store.record_answer(answer).await.unwrap();
    let used: Vec<_> =
        memories(&test.store, "a").await.into_iter().map(|memory| (memory.text, memory.used_at)).collect();
    let expected = [("used", Some(minute(60))), ("not used", None), ("asked to be kept", None)];
    assert_eq!(used, expected.map(|(text, at)| (text.to_owned(), at)));
}

async fn a_suggested_memory_is_offered_once_in_its_chat(test: TestStore) {
    let telegram = "telegram:chat:5".parse().unwrap();
    test.store.append(vec![message(&telegram).to_record()]).await.unwrap();
    test.store.open_chat(&chat("a")).await.unwrap();
    let suggested = |id: u128| Memory {
        status: Status::Suggested,
        chat: telegram.clone(),
        ..memory("a", id, &format!("suggestion {id}"))
    };
    let held = Memory { chat: telegram.clone(), ..memory("a", 3, "it holds") };
    let in_chat = test.store.chat(&telegram);
    assert_eq!(in_chat.to_offer().await.unwrap(), []);
    assert_eq!(test.store.chats_to_ask("telegram").await.unwrap(), []);
    let memories = vec![suggested(1), suggested(2), held];
    in_chat.learn(Learned { memories, at: minute(10), ..Learned::default() }).await.unwrap();
    assert_eq!(in_chat.to_offer().await.unwrap(), [suggested(1), suggested(2)]);
    assert_eq!(test.store.chat(&chat("a")).to_offer().await.unwrap(), []);
    assert_eq!(test.store.chats_to_ask("telegram").await.unwrap(), std::slice::from_ref(&telegram));
    assert_eq!(test.store.chats_to_ask("cli").await.unwrap(), []);

    let offered = vec![suggested(1).id];
    test.store.send_out(Outgoing { offered, ..Outgoing::default() }).await.unwrap();
    assert_eq!(in_chat.to_offer().await.unwrap(), [suggested(2)]);
    let accepted = vec![Change::Accept { id: suggested(2).id }];
    in_chat.learn(Learned { changes: accepted, at: minute(11), ..Learned::default() }).await.unwrap();
    let test = test.restarted().await;
    assert_eq!(test.store.chat(&telegram).to_offer().await.unwrap(), []);
    assert_eq!(test.store.chats_to_ask("telegram").await.unwrap(), []);
}

stories!(
    b4_a_statement_that_two_learn_from_one_message_at_once_is_stored_once,
    b4_a_memory_comes_back_as_it_went_in_and_asks_for_what_follows_from_it,
    a6_a_memory_of_a_person_is_seen_in_their_chats_and_one_of_a_chat_in_it_alone,
    b4_a_memory_is_closed_proved_and_accepted_in_place,
    b4_messages_are_learned_from_once_and_not_while_they_wait_for_an_answer,
    b4_a_memory_that_went_into_an_answer_says_when,
    a_suggested_memory_is_offered_once_in_its_chat,
);
