//! Messages: recorded once, in order, with their conversations.

use std::collections::HashSet;

use jiff::SignedDuration;
use proptest::prelude::*;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::{Conversation, GAP, opens};
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::overlap::Overlap;
use throughline_domain::short_id::IdPrefix;
use throughline_domain::summary::Position;
use throughline_store::memories::Learned;
use throughline_store::messages::{Append, Reach, Reference};
use throughline_store::search::Query;
use throughline_store::{Error, Store};
use throughline_testkit::TestStore;
use throughline_text::words::query_terms;
use uuid::Uuid;

use crate::{FAR, chat, holds, memory, message_id, minute, problems, said};

fn ids(messages: &[StoredMessage]) -> Vec<u128> {
    messages.iter().map(|stored| stored.message.id.0.as_u128()).collect()
}

async fn b2_a_message_comes_back_as_it_went_in(test: TestStore) {
    let built = said("a", 1, 0)
        .text("Grüße, 世界 🙂")
        .lane(Lane::Topic("7".into()))
        .role(Role::Assistant)
        .speaker("Ana")
        .agent("default")
        .recorded_at(minute(3))
        .external("x-1")
        .external("x-2")
        .metadata("source", "mail");
    let message = built.clone().build();
    let answer = said("a", 2, 1).reply_to(1);
    let appended = test.store.append(vec![built.to_record(), answer.clone().to_record()]).await.unwrap();
    assert_eq!(
        appended.iter().map(|one| (one.id, one.conversation, one.known)).collect::<Vec<_>>(),
        [(message.id, message.id, false), (message_id(2), message_id(2), false)]
    );
    let (again, elsewhere) = (test.again().await, chat("b"));
    test.store.open_chat(&elsewhere).await.unwrap();
    for reference in [Reference::Id(message.id), Reference::External("x-2".into())] {
        let found = again.chat(&chat("a")).find(reference.clone()).await.unwrap().unwrap();
        assert_eq!(found.message, message);
        assert_eq!(again.chat(&elsewhere).find(reference).await.unwrap(), None);
    }
    let found = again.chat(&chat("a")).find(message_id(2).to_string().as_str().into()).await.unwrap();
    assert_eq!(found.unwrap().message, answer.build());
    assert_eq!(again.chat(&chat("a")).find("x-3".into()).await.unwrap(), None);
}

async fn a_message_that_comes_again_is_known_by_its_id_its_channels_id_or_its_fingerprint(test: TestStore) {
    let first = || said("a", 1, 0).external("t-1").to_record();
    test.store.append(vec![first()]).await.unwrap();
    let same_external = said("a", 2, 5).text("hello again").external("t-1").to_record();
    let again = test.store.append(vec![first(), same_external]).await.unwrap();
    assert!(again.iter().all(|appended| appended.known && appended.id == message_id(1)));

    let imported = |id| said("a", id, 9).to_import([7; 16]);
    let lines = test.store.append(vec![imported(3), imported(4)]).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.known).collect::<Vec<_>>(), [false, true]);
    assert_eq!(test.store.figures().await.unwrap().messages, 2);
}

async fn a_message_that_comes_again_is_from_then_on_known_by_its_further_ids(test: TestStore) {
    let append = async |id, externals: &[&str]| {
        let message =
            externals.iter().fold(said("a", id, 0), |message, external| message.external(*external));
        test.store.append(vec![message.to_record()]).await.unwrap().remove(0).id
    };
    append(1, &["prompt"]).await;
    append(2, &["other"]).await;
    assert_eq!(
        append(3, &["prompt", "line", "other"]).await,
        message_id(1),
        "one that is taken stays where it is"
    );
    assert_eq!(append(4, &["line"]).await, message_id(1));
    assert_eq!(append(5, &["other"]).await, message_id(2));
    let found = test.store.chat(&chat("a")).find(Reference::Id(message_id(1))).await.unwrap().unwrap();
    assert_eq!(found.message.external_ids, ["prompt", "line"]);
}

async fn the_same_external_id_in_another_chat_is_another_message(test: TestStore) {
    for (id, name) in [(1, "a"), (2, "b")] {
        let message = said(name, id, 0).external("1").to_record();
        assert!(!test.store.append(vec![message]).await.unwrap().remove(0).known);
    }
}

async fn a_reply_finds_its_message_by_the_channels_id_in_the_same_chat_alone(test: TestStore) {
    let reply = |name: &str, id, to: &str| Append {
        replies_to: Some(to.to_owned()),
        ..said(name, id, 5).external("t-2").to_record()
    };
    let elsewhere = said("b", 1, 0).external("t-9").to_record();
    let batch = vec![
        elsewhere,
        said("a", 2, 0).external("t-1").to_record(),
        reply("a", 3, "t-1"),
        reply("b", 4, "t-1"),
    ];
    test.store.append(batch).await.unwrap();
    for (name, id, expected) in [("a", 3, Some(message_id(2))), ("b", 4, None)] {
        let found = test.store.chat(&chat(name)).find(Reference::Id(message_id(id))).await.unwrap();
        assert_eq!(found.unwrap().message.reply_to, expected, "{name}");
    }
}

async fn a_copy_of_another_chats_message_is_a_message_of_its_own_and_known_again(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
    let copy = || vec![said("b", 1, 0).to_record()];
    let first = test.store.append(copy()).await.unwrap().remove(0);
    let again = test.store.append(copy()).await.unwrap().remove(0);
    assert_ne!(first.id.0, Uuid::from_u128(1));
    assert_eq!((first.known, again.known, again.id), (false, true, first.id));
    assert_eq!(test.store.figures().await.unwrap().messages, 2);
}

async fn e1_a_late_message_can_join_two_conversations(test: TestStore) {
    let told = |id, minutes| said("a", id, minutes).to_record();
    let early = test.store.append(vec![told(1, 0), told(2, 40)]).await.unwrap();
    assert_ne!(early[0].conversation, early[1].conversation);
    let late = test.store.append(vec![told(3, 20)]).await.unwrap().remove(0);
    assert_eq!(late.conversation, early[0].id);
    let in_chat = test.store.chat(&chat("a"));
    let whole = Conversation {
        id: message_id(1),
        lane: Lane::Root.key(&chat("a")),
        from: minute(0),
        to: minute(40),
        messages: 3,
    };
    assert_eq!(in_chat.conversations(None, 10).await.unwrap(), [whole]);
    assert_eq!(ids(&in_chat.conversation(message_id(2)).await.unwrap()), [1, 3, 2]);
}

async fn e1_conversations_are_of_one_lane_or_of_all_newest_first(test: TestStore) {
    let topic = Lane::Topic("7".to_owned());
    let told = vec![
        said("a", 1, 0).to_record(),
        said("a", 2, 10).lane(topic.clone()).to_record(),
        said("a", 3, 100).to_record(),
        said("b", 4, 50).to_record(),
    ];
    test.store.append(told).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    let starts = async |lane: Option<&Lane>, limit: usize| -> Vec<u128> {
        let found = in_chat.conversations(lane, limit).await.unwrap();
        found.into_iter().map(|conversation| conversation.id.0.as_u128()).collect()
    };
    assert_eq!(starts(None, 10).await, [3, 2, 1]);
    assert_eq!(starts(None, 1).await, [3]);
    assert_eq!(starts(Some(&topic), 10).await, [2]);
    assert_eq!(starts(Some(&Lane::Topic("8".to_owned())), 10).await, Vec::<u128>::new());
    assert_eq!(test.store.chat(&chat("nobody")).conversations(None, 10).await.unwrap(), []);
    let elsewhere = in_chat.conversation(message_id(4)).await.unwrap_err();
    assert!(matches!(elsewhere, Error::NotFound { what: "conversation", .. }), "{elsewhere}");
}

async fn e1_a_message_that_asks_for_a_new_conversation_opens_one_whatever_comes_later(test: TestStore) {
    let new = said("a", 2, 10).metadata("new", true).to_record();
    let appended = test.store.append(vec![said("a", 1, 0).to_record(), new]).await.unwrap();
    assert_eq!(appended[1].conversation, message_id(2));
    test.store.append(vec![said("a", 3, 9).to_record(), said("a", 4, 11).to_record()]).await.unwrap();
    let whole = async |store: &Store, id: u128| {
        ids(&store.chat(&chat("a")).conversation(message_id(id)).await.unwrap())
    };
    assert_eq!((whole(&test.store, 1).await, whole(&test.store, 4).await), (vec![1, 3], vec![2, 4]));
    let other_gap = test.again_with_gap(SignedDuration::from_hours(2)).await;
    assert_eq!((whole(&other_gap, 1).await, whole(&other_gap, 4).await), (vec![1, 3], vec![2, 4]));
}

async fn another_gap_computes_the_conversations_again(test: TestStore) {
    let all = [0, 20, 60].iter().zip(1..).map(|(at, id)| said("a", id, *at).to_record());
    test.store.append(all.collect()).await.unwrap();
    let count = async |store: &Store| store.chat(&chat("a")).conversations(None, 10).await.unwrap().len();
    assert_eq!(count(&test.store).await, 2);
    assert_eq!(count(&test.again_with_gap(SignedDuration::from_mins(10)).await).await, 3);
    assert_eq!(count(&test.again_with_gap(SignedDuration::from_hours(2)).await).await, 1);
}

async fn a_lane_is_counted_and_read_in_the_order_in_which_it_was_said(test: TestStore) {
    let (in_chat, topic) = (test.store.chat(&chat("a")), Lane::Topic("7".to_owned()));
    assert_eq!(in_chat.count(&Lane::Root).await.unwrap(), 0);
    assert_eq!(in_chat.following(&Lane::Root, None, 9).await.unwrap(), []);
    let told = vec![
        said("a", 1, 30).to_record(),
        said("a", 2, 10).to_record(),
        said("a", 3, 10).to_record(),
        said("a", 4, 20).lane(topic.clone()).to_record(),
        said("b", 5, 20).to_record(),
    ];
    let appended = test.store.append(told).await.unwrap();
    assert_eq!((in_chat.count(&Lane::Root).await.unwrap(), in_chat.count(&topic).await.unwrap()), (3, 1));
    assert_eq!(ids(&in_chat.following(&Lane::Root, None, 9).await.unwrap()), [2, 3, 1]);
    assert_eq!(ids(&in_chat.following(&Lane::Root, None, 2).await.unwrap()), [2, 3]);
    let after = Position { at: minute(10), seq: appended[1].seq };
    let rest = in_chat.following(&Lane::Root, Some(after), 9).await.unwrap();
    assert_eq!(ids(&rest), [3, 1], "what was said in the same minute is told apart");
    assert_eq!(ids(&in_chat.following(&topic, None, 9).await.unwrap()), [4]);
    let last_two = async |lane: &Lane, at| in_chat.last_messages(lane, minute(at), 2).await.unwrap();
    assert_eq!(ids(&last_two(&Lane::Root, 99).await), [1, 3], "newest first");
    let last = async |lane: &Lane, at| last_two(lane, at).await.first().map(|said| said.message.id);
    assert_eq!(last(&Lane::Root, 10).await, Some(message_id(3)), "what was said in that minute counts");
    assert_eq!(last(&Lane::Root, 99).await, Some(message_id(1)));
    assert_eq!((last(&topic, 99).await, last(&Lane::Root, 9).await), (Some(message_id(4)), None));
    let recorded = in_chat.recorded_after(appended[0].seq, 2).await.unwrap();
    assert_eq!(ids(&recorded), [2, 3], "in the order in which they were recorded");
}

async fn the_message_before_another_is_the_one_said_last_in_its_lane_and_chat(test: TestStore) {
    let topic = Lane::Topic("7".into());
    let told = [said("a", 1, 0), said("a", 2, 9), said("a", 3, 5), said("a", 4, 7).lane(topic.clone())];
    let told = told.into_iter().chain([said("a", 5, 8).lane(topic), said("b", 6, 6)]);
    test.store.append(told.map(|one| one.to_record()).collect()).await.unwrap();
    let before = test.store.chat(&chat("a")).said_before((1..=7).map(message_id).collect()).await.unwrap();
    let mut pairs: Vec<(u128, u128)> =
        before.iter().map(|(id, said)| (id.0.as_u128(), said.message.id.0.as_u128())).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [(2, 3), (3, 1), (5, 4)], "nothing of another lane or chat");
}

async fn a_window_reaches_back_by_tokens_and_brings_the_head_of_a_long_conversation(test: TestStore) {
    let empty = test.store.chat(&chat("a")).lane(&Lane::Root, FAR, HashSet::new()).await.unwrap();
    assert_eq!((empty.history.messages, empty.last_reply), (Vec::new(), None));
    let all = (0..200).map(|n| said("a", n + 1, n as i64).text("some words in a row").to_record());
    test.store.append(all.collect()).await.unwrap();
    let reach = Reach { tokens: 100, older: 100, messages: usize::MAX, longest: u32::MAX, head: 30 };
    let in_chat = test.store.chat(&chat("a"));
    let view = in_chat.lane(&Lane::Root, reach, HashSet::from([message_id(200)])).await.unwrap();
    let ordinals =
        |messages: &[StoredMessage]| messages.iter().map(|stored| stored.ordinal).collect::<Vec<_>>();
    let tail = ordinals(&view.history.messages);
    assert_eq!(tail.last(), Some(&198), "the message being answered is not its own history");
    assert!(tail.windows(2).all(|pair| pair[1] == pair[0] + 1) && tail.len() < 40);
    let head = ordinals(&view.history.head);
    assert!(!head.is_empty() && head.len() < 10);
    assert_eq!(head, (0..head.len() as u64).collect::<Vec<_>>());
}

fn e1_conversations_are_the_same_in_whatever_order_messages_arrive(fresh: impl AsyncFn() -> TestStore) {
    holds(24, proptest::collection::vec(0i64..400, 1..40), async |minutes| {
        let test = fresh().await;
        for (n, at) in minutes.iter().enumerate() {
            test.store.append(vec![said("a", n as u128 + 1, *at).to_record()]).await.unwrap();
        }
        let in_chat = test.store.chat(&chat("a"));
        let lane = in_chat.lane(&Lane::Root, FAR, HashSet::new()).await.unwrap().history.messages;
        let mut sorted = minutes.clone();
        sorted.sort_unstable();
        let times: Vec<_> = lane.iter().map(|stored| stored.message.occurred_at).collect();
        prop_assert_eq!(&times, &sorted.iter().map(|at| minute(*at)).collect::<Vec<_>>());
        for (n, stored) in lane.iter().enumerate() {
            let expected = n == 0 || opens(times[n - 1], times[n], GAP);
            prop_assert_eq!(stored.opens, expected);
            prop_assert_eq!(stored.ordinal, n as u64);
        }
        let starts = lane.iter().filter(|stored| stored.opens).count();
        prop_assert_eq!(in_chat.conversations(None, 1_000).await.unwrap().len(), starts);
        prop_assert_eq!(problems(&test.store).await, Vec::<String>::new());
        Ok(())
    });
}

async fn commands_are_stored_and_are_neither_found_nor_replies(test: TestStore) {
    let command = |id, minutes| said("a", id, minutes).metadata("source", "command");
    let words = [
        said("a", 1, 0).text("The umbrella hangs behind the door").to_record(),
        command(2, 1).text("/search umbrella").to_record(),
        command(3, 1).role(Role::Assistant).text("(showed the umbrella)").to_record(),
    ];
    test.store.append(words.to_vec()).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    let seen = in_chat.lane(&Lane::Root, FAR, HashSet::new()).await.unwrap();
    assert_eq!(ids(&seen.history.messages), [1, 2, 3]);
    assert_eq!(seen.last_reply, None, "the answer to a command is no reply");
    let query = Query { terms: query_terms("umbrella"), limit: 9, ..Query::default() };
    let hits = in_chat.search(query, Box::new(|_| Overlap::default())).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.stored.message.id).collect::<Vec<_>>(), [message_id(1)]);
}

async fn a_reply_and_what_it_asks_to_keep_are_stored_as_one_and_once(test: TestStore) {
    let reply = || said("a", 1, 0).role(Role::Assistant).external("r-1").to_record();
    let learned = |number| Learned {
        memories: vec![memory("a", number, "I like tea")],
        at: minute(0),
        ..Learned::default()
    };
    let (first, made) = test.store.append_reply(reply(), learned(7)).await.unwrap();
    let (again, made_again) = test.store.append_reply(reply(), learned(8)).await.unwrap();
    assert_eq!((first.known, again.known, again.id), (false, true, message_id(1)));
    assert_eq!((made.len(), made_again), (1, Vec::new()));
    let known = test.store.chat(&chat("a")).memories(None).await.unwrap();
    assert_eq!(known.iter().map(|kept| kept.memory.id.0.as_u128()).collect::<Vec<_>>(), [7]);
}

async fn messages_are_found_by_the_beginning_of_their_ids_in_their_chat(test: TestStore) {
    let id = |number: u128| 0x01a1_e54c_7ced_7432_a0c3_508e_60ce_0000 + number;
    let in_a = |number: u128| said("a", 1, 0).id(id(number)).to_record();
    test.store
        .append(vec![in_a(0x1111), in_a(0x1122), said("b", 1, 0).id(id(0x1133)).to_record()])
        .await
        .unwrap();
    let matches = |text: &str| IdPrefix::read(text).unwrap();
    let (a, b) = (test.store.chat(&chat("a")), test.store.chat(&chat("b")));
    let whole = |number: u128| MessageId(Uuid::from_u128(id(number)));
    assert_eq!(a.ids_with_prefix(matches("01a1e54c"), 9).await.unwrap(), [whole(0x1111), whole(0x1122)]);
    assert_eq!(a.ids_with_prefix(matches("01a1e54c"), 1).await.unwrap(), [whole(0x1111)]);
    assert_eq!(a.ids_with_prefix(matches(&whole(0x1122).to_string()), 9).await.unwrap(), [whole(0x1122)]);
    assert_eq!(a.ids_with_prefix(matches("02a1"), 9).await.unwrap(), []);
    assert_eq!(b.ids_with_prefix(matches("01a1e54c"), 9).await.unwrap(), [whole(0x1133)]);
    let beside = a.neighboring_ids(vec![whole(0x1122).0, Uuid::from_u128(0)]).await.unwrap();
    assert_eq!(beside, [vec![whole(0x1111)], vec![whole(0x1111)]], "none of another chat");
}

async fn messages_and_conversations_are_read_page_by_page(test: TestStore) {
    let told = [(1, 0), (2, 1), (3, 2), (4, 60), (5, 61), (6, 200)];
    let told = told.map(|(id, at)| said("a", id, at).to_record());
    test.store.append(told.to_vec()).await.unwrap();
    test.store.append(vec![said("b", 7, 0).to_record()]).await.unwrap();
    assert_eq!(test.store.newest_seq().await.unwrap(), 7);
    let a = test.store.chat(&chat("a"));
    let before = async |id: Option<u128>, limit| {
        ids(&a.preceding(&Lane::Root, id.map(message_id), limit).await.unwrap())
    };
    assert_eq!(before(None, 2).await, [6, 5]);
    assert_eq!(before(Some(5), 9).await, [4, 3, 2, 1]);
    assert_eq!(before(Some(1), 9).await, [0; 0]);
    assert!(matches!(a.preceding(&Lane::Root, Some(message_id(7)), 9).await, Err(Error::NotFound { .. })));
    let conversations = async |id: Option<u128>, limit| {
        let found = a.conversations_before(None, id.map(message_id), limit).await.unwrap();
        found.into_iter().map(|one| one.id.0.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(conversations(None, 2).await, [6, 4]);
    assert_eq!(conversations(Some(4), 2).await, [1]);
    let page = async |id, after: Option<u128>, limit| {
        let (first, found) = a.conversation_page(message_id(id), after.map(message_id), limit).await.unwrap();
        (first.0.as_u128(), ids(&found))
    };
    assert_eq!(page(3, None, 2).await, (1, vec![1, 2]));
    assert_eq!(page(3, Some(2), 2).await, (1, vec![3]));
    assert_eq!(page(3, Some(5), 2).await, (1, vec![]), "a message of another conversation ends it");
    assert!(a.conversation_page(message_id(7), None, 2).await.is_err());
}

stories!(
    a_message_that_comes_again_is_from_then_on_known_by_its_further_ids,
    messages_and_conversations_are_read_page_by_page,
    commands_are_stored_and_are_neither_found_nor_replies,
    a_reply_and_what_it_asks_to_keep_are_stored_as_one_and_once,
    messages_are_found_by_the_beginning_of_their_ids_in_their_chat,
    b2_a_message_comes_back_as_it_went_in,
    a_message_that_comes_again_is_known_by_its_id_its_channels_id_or_its_fingerprint,
    the_same_external_id_in_another_chat_is_another_message,
    a_reply_finds_its_message_by_the_channels_id_in_the_same_chat_alone,
    a_copy_of_another_chats_message_is_a_message_of_its_own_and_known_again,
    e1_a_late_message_can_join_two_conversations,
    e1_conversations_are_of_one_lane_or_of_all_newest_first,
    e1_a_message_that_asks_for_a_new_conversation_opens_one_whatever_comes_later,
    another_gap_computes_the_conversations_again,
    a_lane_is_counted_and_read_in_the_order_in_which_it_was_said,
    the_message_before_another_is_the_one_said_last_in_its_lane_and_chat,
    a_window_reaches_back_by_tokens_and_brings_the_head_of_a_long_conversation;
    properties: e1_conversations_are_the_same_in_whatever_order_messages_arrive
);
