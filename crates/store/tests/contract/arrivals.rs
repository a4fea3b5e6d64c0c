//! Updates are taken in once, inbound actions keep their place in the lane, and a chat that moves takes everything along.

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::recall::overlap::Overlap;
use throughline_store::Store;
use throughline_store::arrivals::{Account, Arrival, InboundAction, Ingested, Mark, Next};
use throughline_store::attachments::{AttachmentKind, NewAttachment};
use throughline_store::messages::Reference;
use throughline_store::outbox::{NewOutboxItem, Outgoing};
use throughline_store::search::Query;
use throughline_store::turns::{Entry, Take};
use throughline_testkit::{TestStore, message};
use throughline_text::words::query_terms;
use uuid::Uuid;

use crate::{FAR, minute, problems};

fn group(name: &str) -> ChatId {
    format!("telegram:chat:{name}").parse().unwrap()
}

fn mark(update: i64) -> Mark {
    Mark { account: "telegram:7".to_owned(), update, at: minute(update) }
}

fn heard(chat: &ChatId, id: u128, external: &str, lane: Lane) -> Arrival {
    let message = message(chat).id(id).at(minute(id as i64)).text(format!("word {id}"));
    Arrival::Message(Box::new(message.external(external).lane(lane).to_answer()))
}

fn action(chat: &ChatId, what: &str) -> Arrival {
    Arrival::InboundAction { chat: chat.clone(), lane: Lane::Root, what: what.to_owned() }
}

async fn next(store: &Store, chat: &ChatId) -> Next {
    store.chat(chat).next_in_lane(&Lane::Root).await.unwrap()
}

async fn c1_an_update_is_taken_in_once_with_the_place_to_listen_on_from(test: TestStore) {
    let chat = group("5");
    test.store.open_account("telegram:7").await.unwrap();
    assert!(matches!(
        test.store.ingest(mark(10), heard(&chat, 1, "1", Lane::Root)).await.unwrap(),
        Ingested::Message(_)
    ));
    let other = || heard(&chat, 2, "2", Lane::Root);
    assert_eq!(test.store.ingest(mark(10), other()).await.unwrap(), Ingested::Known, "whatever it says");
    let test = test.restarted().await;
    assert_eq!(test.store.ingest(mark(10), other()).await.unwrap(), Ingested::Known, "after a restart, too");
    let account = test.store.open_account("telegram:7").await.unwrap();
    assert_eq!((account.next, account.heard_at), (11, Some(minute(10))));
    assert_eq!(test.store.figures().await.unwrap().messages, 1);
    let another = Mark { account: "telegram:8".to_owned(), ..mark(10) };
    assert!(
        matches!(test.store.ingest(another, other()).await.unwrap(), Ingested::Message(_)),
        "of another account"
    );
}

async fn what_arrived_before_an_action_is_answered_before_it_and_what_came_later_after(test: TestStore) {
    let chat = group("5");
    let store = &test.store;
    store.ingest(mark(1), heard(&chat, 1, "1", Lane::Root)).await.unwrap();
    store.ingest(mark(2), action(&chat, "first")).await.unwrap();
    store.ingest(mark(3), heard(&chat, 2, "2", Lane::Root)).await.unwrap();
    store.ingest(mark(4), action(&chat, "second")).await.unwrap();
    assert_eq!(store.lanes_with_work("telegram").await.unwrap(), [(chat.clone(), Lane::Root)]);
    assert_eq!(store.lanes_with_work("cli").await.unwrap(), []);

    let Next::Turn(Some(upto)) = next(store, &chat).await else { panic!("the message first") };
    let turn = throughline_domain::turn::TurnId(Uuid::from_u128(77));
    let entry = store
        .enter_lane(&chat, &Lane::Root, turn, &crate::holder("me"), Take::UpTo(upto), minute(5))
        .await
        .unwrap();
    let Entry::Active(messages) = entry else { panic!("{entry:?}") };
    assert_eq!(messages.iter().map(|stored| stored.message.text.as_str()).collect::<Vec<_>>(), ["word 1"]);
    store.fail_turn(turn, "no matter", minute(5)).await.unwrap();

    let Next::InboundAction(InboundAction { id, what }) = next(store, &chat).await else {
        panic!("then the action")
    };
    assert_eq!(what, "first");
    store.send_out(Outgoing { action: Some(id), ..Outgoing::default() }).await.unwrap();
    let elsewhere = store.chat(&group("6")).next_in_lane(&Lane::Root).await.unwrap();
    assert_eq!(elsewhere, Next::Nothing, "another chat has its own");
    assert!(matches!(next(store, &chat).await, Next::Turn(Some(_))), "then the second message");
}

fn photo() -> NewAttachment {
    NewAttachment {
        kind: AttachmentKind::File,
        source: "AgAC-1".to_owned(),
        name: None,
        media_type: None,
        bytes: None,
    }
}

async fn an_edit_of_a_message_that_waits_stands_for_it_and_one_of_an_answered_message_is_recorded(
    test: TestStore,
) {
    let (chat, store) = (group("5"), &test.store);
    let edit = |id: u128, of: u128, number: u32| {
        let message = message(&chat).id(id).at(minute(9)).text(format!("edit {id}"));
        let edit = Box::new(message.external(format!("1/edit/{number}")).to_record());
        Arrival::Edit { edit, replaces: crate::message_id(of) }
    };
    let mut first = heard(&chat, 1, "1", Lane::Root);
    if let Arrival::Message(append) = &mut first {
        append.attachments.push(photo());
    }
    store.ingest(mark(1), first).await.unwrap();
    store.ingest(mark(2), heard(&chat, 2, "2", Lane::Root)).await.unwrap();
    store.ingest(mark(3), edit(3, 1, 1)).await.unwrap();
    store.ingest(mark(4), edit(4, 3, 2)).await.unwrap();
    let turn = throughline_domain::turn::TurnId(Uuid::from_u128(77));
    let holder = crate::holder("me");
    let entry = store.enter_lane(&chat, &Lane::Root, turn, &holder, Take::Waiting, minute(10)).await.unwrap();
    let Entry::Active(messages) = entry else { panic!("{entry:?}") };
    let texts: Vec<&str> = messages.iter().map(|stored| stored.message.text.as_str()).collect();
    assert_eq!(texts, ["edit 4", "word 2"], "at the time of the first");
    assert_eq!(messages[0].message.external_ids, ["1", "1/edit/1", "1/edit/2"]);
    let by_number = store.chat(&chat).find(Reference::External("1".to_owned())).await.unwrap().unwrap();
    assert_eq!(by_number.message.text, "edit 4");
    let files = async |id| store.chat(&chat).attachments(vec![crate::message_id(id)]).await.unwrap().len();
    assert_eq!((files(1).await, files(4).await), (0, 1), "its photo is the edit's");
    for (id, by) in [(1, 3), (3, 4)] {
        let old =
            store.chat(&chat).find(Reference::Id(crate::message_id(id))).await.unwrap().unwrap().message;
        assert!(old.is_edited_away() && old.external_ids.is_empty(), "{old:?}");
        assert_eq!(old.metadata["edited"], crate::message_id(by).to_string());
    }
    store.ingest(mark(5), edit(5, 4, 3)).await.unwrap();
    assert_eq!(next(store, &chat).await, Next::Nothing, "an edit after that asks for no turn");
    store.fail_turn(turn, "no matter", minute(11)).await.unwrap();
    let unread = store.chat(&chat).unextracted(9).await.unwrap();
    let texts: Vec<&str> = unread.iter().map(|unread| unread.said.message.text.as_str()).collect();
    assert_eq!(texts, ["word 2", "edit 4", "edit 5"], "what was edited away teaches nothing");
    assert_eq!(problems(store).await, Vec::<String>::new());
}

async fn a_notice_is_sent_once_and_nothing_is_kept_of_its_update(test: TestStore) {
    let chat = group("5");
    let item = NewOutboxItem { chat: chat.clone(), body: "unread".to_owned(), is_repeatable: false };
    for _ in 0..2 {
        test.store.ingest(mark(1), Arrival::Notice(vec![item.clone()])).await.unwrap();
    }
    assert_eq!(test.store.outbox_figures().await.unwrap().pending, 1);
    assert_eq!(test.store.figures().await.unwrap().messages, 0);
}

async fn a4_a_chat_that_moves_takes_its_memory_along_and_its_numbers_begin_again(test: TestStore) {
    let (old, new) = (group("-5"), group("-1005"));
    let store = &test.store;
    store.ingest(mark(1), heard(&old, 1, "1", Lane::Topic("4".to_owned()))).await.unwrap();
    let item = NewOutboxItem { chat: old.clone(), body: "hello".to_owned(), is_repeatable: false };
    store.send_out(Outgoing { outbox: vec![item], ..Outgoing::default() }).await.unwrap();
    store.open_chat(&new).await.unwrap();
    store.ingest(mark(2), Arrival::Move { from: old.clone(), to: new.clone() }).await.unwrap();

    let view = store.chat(&new).lane(&Lane::Topic("4".to_owned()), FAR, Default::default()).await.unwrap();
    assert!(view.history.messages.is_empty(), "it waits for a turn");
    assert_eq!(
        store.lanes_with_work("telegram").await.unwrap(),
        [(new.clone(), Lane::Topic("4".to_owned()))]
    );
    let unsent = store.unsent("telegram").await.unwrap();
    assert!(unsent.iter().all(|(chat, _)| *chat == new) && unsent.len() == 1, "{unsent:?}");
    assert_eq!(store.chat(&old).find(Reference::External("1".to_owned())).await.unwrap(), None);
    let kept = store.ingest(mark(3), heard(&new, 2, "1", Lane::Root)).await.unwrap();
    assert!(
        matches!(kept, Ingested::Message(appended) if !appended.known),
        "another message under the same number"
    );
    assert_eq!(problems(store).await, Vec::<String>::new());
}

async fn bots_that_take_turns_may_give_their_messages_the_same_numbers(test: TestStore) {
    let chat = group("5");
    let store = &test.store;
    // Each counts its own messages.
    for (count, account, external) in
        [(1, "telegram:7", "1"), (2, "telegram:8", "1"), (3, "telegram:7", "2"), (4, "telegram:8", "2")]
    {
        store.open_account(account).await.unwrap();
        let mark = Mark { account: account.to_owned(), ..mark(count) };
        let kept = store.ingest(mark, heard(&chat, count as u128, external, Lane::Root)).await.unwrap();
        assert!(matches!(kept, Ingested::Message(appended) if !appended.known), "{account} {external}");
    }
    let first = store.chat(&chat).find(Reference::External("1".to_owned())).await.unwrap().unwrap();
    assert_eq!(first.message.text, "word 2", "the numbers of the bot that listens now are valid");
}

async fn a4_a_topic_that_is_gone_is_known_to_be(test: TestStore) {
    let (chat, topic) = (group("-5"), Lane::Topic("4".to_owned()));
    test.store.ingest(mark(1), heard(&chat, 1, "1", topic.clone())).await.unwrap();
    assert!(!test.store.chat(&chat).is_closed(&topic).await.unwrap());
    test.store.chat(&chat).close_lane(&topic).await.unwrap();
    let test = test.restarted().await;
    assert!(test.store.chat(&chat).is_closed(&topic).await.unwrap());
    assert!(!test.store.chat(&chat).is_closed(&Lane::Root).await.unwrap());
    assert!(!test.store.chat(&group("-6")).is_closed(&topic).await.unwrap(), "another chat has its own");
}

async fn a4_what_was_said_is_found_in_the_chat_that_moved_and_no_longer_under_its_old_id(test: TestStore) {
    let (old, new) = (group("-5"), group("-1005"));
    test.store.ingest(mark(1), heard(&old, 1, "1", Lane::Root)).await.unwrap();
    test.store.open_chat(&new).await.unwrap();
    let hits = async |chat: &ChatId| {
        let query = Query { terms: query_terms("word"), limit: 9, ..Query::default() };
        test.store.chat(chat).search(query, Box::new(|_| Overlap::default())).await.unwrap().len()
    };
    assert_eq!((hits(&old).await, hits(&new).await), (1, 0));
    test.store.move_chat(&old, &new).await.unwrap();
    assert_eq!((hits(&old).await, hits(&new).await), (0, 1));
    assert_eq!(test.store.chat(&old).recorded_after(0, 9).await.unwrap(), []);
}

async fn a4_a_chat_that_moves_to_one_with_a_past_leaves_both_as_they_are(test: TestStore) {
    let (old, new) = (group("-5"), group("-1005"));
    test.store.move_chat(&old, &new).await.unwrap();
    assert_eq!(test.store.chats().await.unwrap(), [], "there was nothing to move");
    test.store.ingest(mark(1), heard(&old, 1, "1", Lane::Root)).await.unwrap();
    test.store.ingest(mark(2), heard(&new, 2, "1", Lane::Root)).await.unwrap();
    let item = NewOutboxItem { chat: old.clone(), body: "hello".to_owned(), is_repeatable: false };
    test.store.send_out(Outgoing { outbox: vec![item], ..Outgoing::default() }).await.unwrap();
    test.store.move_chat(&old, &new).await.unwrap();
    for (chat, text) in [(&old, "word 1"), (&new, "word 2")] {
        let found = test.store.chat(chat).find(Reference::External("1".to_owned())).await.unwrap().unwrap();
        assert_eq!(found.message.text, text);
    }
    let unsent: Vec<_> =
        test.store.unsent("telegram").await.unwrap().into_iter().map(|(chat, _)| chat).collect();
    assert_eq!(unsent, [new], "what is sent goes to where the chat is now");
}

async fn c1_an_account_says_how_listening_goes(test: TestStore) {
    assert_eq!(test.store.accounts().await.unwrap(), []);
    let opened = test.store.open_account("telegram:7").await.unwrap();
    assert_eq!((opened.id.as_str(), opened.next, opened.heard_at), ("telegram:7", 0, None));
    test.store.ingest(mark(10), Arrival::Nothing).await.unwrap();
    let account = Account {
        id: "telegram:7".to_owned(),
        name: Some("@ana_bot".to_owned()),
        next: 0,
        heard_at: None,
        state: "failing".to_owned(),
        problem: Some("no network".to_owned()),
        changed_at: minute(11),
        owner: Some("me".to_owned()),
    };
    test.store.note_account(account.clone()).await.unwrap();
    let noted = Account { next: 11, heard_at: Some(minute(10)), ..account.clone() };
    assert_eq!(
        test.store.accounts().await.unwrap(),
        std::slice::from_ref(&noted),
        "where to listen on from stays"
    );
    let stopped = Account { name: None, state: "stopped".to_owned(), problem: None, owner: None, ..account };
    test.store.note_account(stopped).await.unwrap();
    let other = test.store.open_account("telegram:8").await.unwrap();
    let test = test.restarted().await;
    let expected = Account { state: "stopped".to_owned(), problem: None, owner: None, ..noted };
    assert_eq!(test.store.accounts().await.unwrap(), [expected, other], "a name that was known stays");
}

stories!(
    c1_an_update_is_taken_in_once_with_the_place_to_listen_on_from,
    what_arrived_before_an_action_is_answered_before_it_and_what_came_later_after,
    an_edit_of_a_message_that_waits_stands_for_it_and_one_of_an_answered_message_is_recorded,
    a_notice_is_sent_once_and_nothing_is_kept_of_its_update,
    a4_a_chat_that_moves_takes_its_memory_along_and_its_numbers_begin_again,
    bots_that_take_turns_may_give_their_messages_the_same_numbers,
    a4_a_topic_that_is_gone_is_known_to_be,
    a4_what_was_said_is_found_in_the_chat_that_moved_and_no_longer_under_its_old_id,
    a4_a_chat_that_moves_to_one_with_a_past_leaves_both_as_they_are,
    c1_an_account_says_how_listening_goes,
);
