//! What is forgotten goes from everything that was derived from it, comes back if that is still possible, and is
//! then nowhere.

use jiff::Timestamp;
use throughline_domain::forget::{Aim, Suppression};
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Status};
use throughline_domain::message::Role;
use throughline_domain::recall::vector::Vector;
use throughline_domain::summary::Summary;
use throughline_domain::turn::Delivery;
use throughline_store::effects::Effect;
use throughline_store::forget::{Blanked, Cleaned, Forgetting, Forgotten, Seen, Suppressed};
use throughline_store::memories::{Change, Learned};
use throughline_store::messages::{Append, Reference};
use throughline_store::outbox::{NewOutboxItem, OutboxFigures, Outgoing};
use throughline_store::relayed::RelayedReply;
use throughline_store::{Error, Store};
use throughline_testkit::TestStore;
use throughline_text::erase::{FORGOTTEN, Topic};
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::embedder::embed;
use crate::search::found_texts;
use crate::summaries::{end_of, summary};
use crate::{chat, holder, known, learn, memory, memory_of, message_id, minute, problems, said};

const SECRET: &str = "My code is 4711.";
const WHOLE: &str = "My code is 4711. I like tea.";
const LEFT: &str = "[forgotten] I like tea.";
const ID: Uuid = Uuid::from_u128(700);

/// A forgetting at minute 50 that takes nothing yet and can be undone until minute 90.
pub(crate) fn forgetting() -> Forgetting {
    Forgetting {
        id: ID,
        at: minute(50),
        undo_until: Some(minute(90)),
        person: None,
        memories: Vec::new(),
        messages: Vec::new(),
        summaries: Vec::new(),
        suppressions: Vec::new(),
        seen: Vec::new(),
    }
}

/// Takes the secret out of message 1.
fn blanked() -> Blanked {
    Blanked {
        id: message_id(1),
        before: WHOLE.to_owned(),
        gone: vec![SECRET.to_owned()],
        text: LEFT.to_owned(),
        metadata: serde_json::Map::new(),
    }
}

fn receipt(undo_until: Option<Timestamp>, counts: [u64; 3]) -> Forgotten {
    let [memories, messages, summaries] = counts;
    Forgotten { id: ID, at: minute(50), undo_until, memories, messages, summaries }
}

/// Message 1 with the secret in it, and message 2, both in chat `a`.
async fn tell(store: &Store) {
    let told = vec![said("a", 1, 0).text(WHOLE).to_record(), said("a", 2, 1).text("Good night.").to_record()];
    store.append(told).await.unwrap();
}

async fn text_of(store: &Store, id: u128) -> String {
    store.chat(&chat("a")).find(Reference::Id(message_id(id))).await.unwrap().unwrap().message.text
}

async fn what_is_forgotten_goes_from_all_that_is_derived_and_comes_back_when_undone(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    tell(&test.store).await;
    let secret = memory("a", 1, "The code is 4711.");
    learn(&test.store, "a", vec![secret.clone(), memory("a", 2, "Likes tea.")]).await;
    let (first, last) = (end_of(&test.store, 1).await, end_of(&test.store, 2).await);
    in_chat.add_summary(&Lane::Root, summary(9, first, last, 2)).await.unwrap();
    in_chat.keep_narrative(None, "Their code is 4711.", minute(5)).await.unwrap();
    embed(&test.store, "a", "x").await;
    in_chat.add_piece_vectors("x", vec![(secret.id.0, Vector::new(&[1.0]))]).await.unwrap();
    assert_eq!(found_texts(&test.store, "a", "code").await, [WHOLE]);

    let cleaned =
        Cleaned { id: Uuid::from_u128(9), text: "They like tea.".to_owned(), sections: Sections::default() };
    let forgetting = Forgetting {
        memories: vec![secret.id],
        messages: vec![blanked()],
        summaries: vec![cleaned],
        ..forgetting()
    };
    let expected = receipt(Some(minute(90)), [1, 1, 1]);
    assert_eq!(in_chat.forget(forgetting).await.unwrap(), expected);

    assert_eq!(text_of(&test.store, 1).await, LEFT);
    assert_eq!(found_texts(&test.store, "a", "code 4711").await, Vec::<String>::new());
    assert_eq!(found_texts(&test.store, "a", "tea").await, [LEFT]);
    let kept = in_chat.memories(None).await.unwrap().remove(0);
    let gone = Memory {
        text: FORGOTTEN.to_owned(),
        status: Status::Forgotten,
        category: String::new(),
        speaker: None,
        proofs: Vec::new(),
        ..secret.clone()
    };
    assert_eq!((kept.memory, kept.changed_at), (gone, minute(50)));
    assert_eq!(in_chat.summaries(&Lane::Root).await.unwrap().remove(0).text, "They like tea.");
    assert_eq!(in_chat.narrative(None, minute(99)).await.unwrap(), None);
    assert_eq!(
        test.store.figures().await.unwrap().embedded("x"),
        1,
        "the vector of the changed message is gone"
    );
    assert!(in_chat.piece_vectors(vec![secret.id.0], "x").await.unwrap().is_empty());
    assert_eq!(problems(&test.store).await, Vec::<String>::new());

    let test = test.restarted().await;
    let elsewhere = test.store.chat(&chat("b"));
    test.store.open_chat(&chat("b")).await.unwrap();
    assert_eq!(test.store.chat(&chat("a")).forgettings().await.unwrap(), 1);
    assert_eq!(elsewhere.undoable_forgettings().await.unwrap(), Vec::<Uuid>::new());
    assert_eq!(test.store.chat(&chat("a")).undoable_forgettings().await.unwrap(), [ID]);
    assert_eq!(elsewhere.undo_forgetting(ID, minute(60)).await.unwrap(), None, "another chat cannot undo it");
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.undo_forgetting(Uuid::from_u128(1), minute(60)).await.unwrap(), None);
    assert_eq!(in_chat.undo_forgetting(ID, minute(90)).await.unwrap(), None, "its time is over");
    assert_eq!(in_chat.undo_forgetting(ID, minute(60)).await.unwrap(), Some(expected));
    assert_eq!(in_chat.undo_forgetting(ID, minute(60)).await.unwrap(), None, "once");
    assert_eq!(text_of(&test.store, 1).await, WHOLE);
    assert_eq!(found_texts(&test.store, "a", "code").await, [WHOLE]);
    assert_eq!(in_chat.memories(None).await.unwrap().remove(0).memory, secret);
    assert!(in_chat.summaries(&Lane::Root).await.unwrap().remove(0).stale, "it is to be made again");
    assert_eq!(problems(&test.store).await, Vec::<String>::new());
}

async fn a_forgetting_that_cannot_take_everything_takes_nothing(test: TestStore) {
    let nowhere = test.store.chat(&chat("a")).forget(forgetting()).await.unwrap_err();
    assert!(matches!(nowhere, Error::NotFound { what: "chat", .. }), "{nowhere}");
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    let other = memory("a", 99, "");
    let no_memory = Forgetting { memories: vec![other.id], messages: vec![blanked()], ..forgetting() };
    let error = in_chat.forget(no_memory).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { what: "memory", .. }), "{error}");
    let no_message =
        Forgetting { messages: vec![blanked(), Blanked { id: message_id(99), ..blanked() }], ..forgetting() };
    let error = in_chat.forget(no_message).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { what: "message", .. }), "{error}");
    let cleaned = Cleaned { id: Uuid::from_u128(99), text: String::new(), sections: Sections::default() };
    let no_summary = Forgetting { messages: vec![blanked()], summaries: vec![cleaned], ..forgetting() };
    let error = in_chat.forget(no_summary).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { what: "summary", .. }), "{error}");
    let read_before = Blanked { before: "It read otherwise.".to_owned(), ..blanked() };
    let changed = Forgetting { messages: vec![read_before], ..forgetting() };
    let error = in_chat.forget(changed).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error}");
    assert_eq!(text_of(&test.store, 1).await, WHOLE);
    assert_eq!(in_chat.undo_forgetting(ID, minute(60)).await.unwrap(), None);
}

/// Takes the other sentence out of message 1 as well, in a second forgetting.
fn second(undo_until: Option<Timestamp>) -> Forgetting {
    let tea = Blanked {
        before: LEFT.to_owned(),
        gone: vec!["I like tea.".to_owned()],
        text: FORGOTTEN.to_owned(),
        ..blanked()
    };
    Forgetting { id: Uuid::from_u128(701), undo_until, messages: vec![tea], ..forgetting() }
}

async fn undoing_one_forgetting_brings_nothing_back_that_another_took(test: TestStore) {
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    in_chat.forget(second(Some(minute(90)))).await.unwrap();
    assert_eq!(text_of(&test.store, 1).await, FORGOTTEN);
    in_chat.undo_forgetting(ID, minute(60)).await.unwrap().unwrap();
    assert_eq!(text_of(&test.store, 1).await, "My code is 4711. [forgotten]");
    in_chat.undo_forgetting(Uuid::from_u128(701), minute(60)).await.unwrap().unwrap();
    assert_eq!(text_of(&test.store, 1).await, WHOLE);
}

async fn what_was_forgotten_for_good_does_not_come_back_with_another_forgetting(test: TestStore) {
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    in_chat.forget(second(None)).await.unwrap();
    in_chat.undo_forgetting(ID, minute(60)).await.unwrap().unwrap();
    assert_eq!(text_of(&test.store, 1).await, "My code is 4711. [forgotten]");
}

async fn what_was_purged_does_not_come_back_with_another_forgetting(test: TestStore) {
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    in_chat.forget(second(Some(minute(99)))).await.unwrap();
    assert_eq!(test.store.purge_forgotten(minute(90)).await.unwrap(), 1);
    in_chat.undo_forgetting(Uuid::from_u128(701), minute(91)).await.unwrap().unwrap();
    assert_eq!(text_of(&test.store, 1).await, LEFT);
    test.store.scrub().await.unwrap();
    assert!(!is_on_disk(&test));
}

/// Returns true if a file of the store holds the secret.
fn is_on_disk(test: &TestStore) -> bool {
    let files = std::fs::read_dir(test.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let holds = |bytes: Vec<u8>| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    files.filter(|path| path.is_file()).any(|path| holds(std::fs::read(path).unwrap()))
}

async fn what_can_no_longer_be_undone_is_purged_and_scrubbed_from_the_files(test: TestStore) {
    tell(&test.store).await;
    assert!(!test.store.wants_scrub().await.unwrap());
    assert_eq!(test.store.purge_forgotten(minute(99)).await.unwrap(), 0);
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    assert_eq!(test.store.purge_forgotten(minute(89)).await.unwrap(), 0, "it can still be undone");
    assert!(!test.store.wants_scrub().await.unwrap());
    assert_eq!(test.store.purge_forgotten(minute(90)).await.unwrap(), 1);
    assert_eq!(test.store.purge_forgotten(minute(90)).await.unwrap(), 0, "once");
    assert_eq!(in_chat.undo_forgetting(ID, minute(60)).await.unwrap(), None);
    let test = test.restarted().await;
    assert!(test.store.wants_scrub().await.unwrap());
    test.store.scrub().await.unwrap();
    assert!(!test.store.wants_scrub().await.unwrap());
    assert!(!is_on_disk(&test));
    assert_eq!(text_of(&test.store, 1).await, LEFT);
}

async fn a_forgetting_without_a_way_back_asks_for_a_scrub_at_once(test: TestStore) {
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    let for_good = Forgetting { undo_until: None, messages: vec![blanked()], ..forgetting() };
    assert_eq!(in_chat.forget(for_good).await.unwrap(), receipt(None, [0, 1, 0]));
    assert!(test.store.wants_scrub().await.unwrap());
    assert_eq!(in_chat.undo_forgetting(ID, minute(51)).await.unwrap(), None);
}

async fn finishing_makes_only_those_forgettings_of_the_chat_permanent_that_hold_the_aim(test: TestStore) {
    tell(&test.store).await;
    test.store.open_chat(&chat("b")).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    let aim = || Aim::at([SECRET]);
    assert_eq!(test.store.chat(&chat("b")).finish_forgettings(aim()).await.unwrap(), 0, "of another chat");
    assert_eq!(test.store.chat(&chat("new")).finish_forgettings(aim()).await.unwrap(), 0);
    assert_eq!(in_chat.finish_forgettings(Aim::at(["The cat is called Mitzi."])).await.unwrap(), 0);
    assert_eq!(in_chat.finish_forgettings(aim()).await.unwrap(), 1);
    assert_eq!(in_chat.finish_forgettings(aim()).await.unwrap(), 0, "once");
    assert_eq!(in_chat.undo_forgetting(ID, minute(60)).await.unwrap(), None);
    assert!(test.store.wants_scrub().await.unwrap());
}

async fn a_suppression_keeps_a_forgotten_value_out_of_the_chat_and_of_the_persons_other_chats(
    test: TestStore,
) {
    let key = test.store.suppression_key().await.unwrap();
    assert_eq!(test.again().await.suppression_key().await.unwrap(), key, "made once");
    tell(&test.store).await;
    let suppression = Suppression::of(&key, SECRET);
    let forgetting = Forgetting {
        person: Some("ana".to_owned()),
        messages: vec![blanked()],
        suppressions: vec![suppression.clone()],
        ..forgetting()
    };
    test.store.chat(&chat("a")).forget(forgetting).await.unwrap();
    test.store.open_chat(&chat("b")).await.unwrap();
    let test = test.restarted().await;
    assert_eq!(test.store.suppression_key().await.unwrap(), key);
    let of = async |name: &str, person: Option<&str>| {
        test.store.chat(&chat(name)).suppressions(person).await.unwrap()
    };
    let ana = Some("ana".to_owned());
    let everywhere =
        [Suppressed { chat: chat("a"), person: ana, at: minute(50), suppression: suppression.clone() }];
    assert_eq!(test.store.all_suppressions().await.unwrap(), everywhere);
    let expected = [(suppression, minute(50))];
    assert_eq!(of("a", None).await, expected);
    assert_eq!(of("b", Some("ana")).await, expected);
    assert_eq!((of("b", None).await, of("b", Some("ben")).await), (Vec::new(), Vec::new()));

    let again = |name: &str, id: u128, at: i64, person: Option<&str>| Append {
        person: person.map(str::to_owned),
        ..said(name, id, at).text(WHOLE).to_record()
    };
    let told = vec![
        again("a", 11, 40, None),
        again("b", 12, 40, Some("ana")),
        again("c", 13, 40, Some("ben")),
        again("a", 14, 51, None),
    ];
    test.store.append(told).await.unwrap();
    let text = async |name: &str, id: u128| {
        let found = test.store.chat(&chat(name)).find(Reference::Id(message_id(id))).await.unwrap();
        found.unwrap().message.text
    };
    assert_eq!(
        [text("a", 11).await, text("b", 12).await],
        [LEFT, LEFT],
        "it was said before it was forgotten"
    );
    assert_eq!(text("c", 13).await, WHOLE, "it is another person's");
    assert_eq!(text("a", 14).await, WHOLE, "it was said again afterwards");
    test.store.chat(&chat("a")).undo_forgetting(ID, minute(60)).await.unwrap().unwrap();
    assert_eq!((of("a", None).await, of("b", Some("ana")).await), (Vec::new(), Vec::new()));
}

async fn the_key_of_the_suppressions_lies_outside_of_the_database(test: TestStore) {
    use std::os::unix::fs::PermissionsExt;
    let key = test.store.suppression_key().await.unwrap();
    let file = test.folder.path().join("suppression.key");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let written = std::fs::read(&file).unwrap();
    let others = std::fs::read_dir(test.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    for other in others.filter(|path| path.is_file() && *path != file) {
        let bytes = std::fs::read(&other).unwrap();
        assert!(!bytes.windows(written.len()).any(|window| window == written), "{other:?}");
    }
    std::fs::write(&file, "nonsense").unwrap();
    let error = test.store.suppression_key().await.unwrap_err().to_string();
    assert!(error.contains("suppression.key") && error.contains("delete it"), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert_ne!(test.store.suppression_key().await.unwrap(), key, "a new one is made");
}

async fn what_was_forgotten_before_it_was_sent_is_not_sent(test: TestStore) {
    let item = |body: &str| NewOutboxItem { chat: chat("a"), body: body.to_owned(), is_repeatable: false };
    let reply = said("a", 1, 0).role(Role::Assistant).text(WHOLE).to_record();
    let outgoing = Outgoing { said: vec![reply], outbox: vec![item("a piece")], ..Outgoing::default() };
    test.store.send_out(outgoing).await.unwrap();
    let shown = vec![item(r#"{"text":"Found: My code is 4711."}"#), item("harmless")];
    test.store.send_out(Outgoing { outbox: shown, ..Outgoing::default() }).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();
    let sent = test.store.begin_send(&chat("a"), &holder("me"), minute(60)).await.unwrap().unwrap();
    assert_eq!(sent.body, "harmless");
    assert_eq!(in_chat.delivery_of(message_id(1)).await.unwrap(), Some(Delivery::Failed));
    let expected = OutboxFigures { pending: 1, uncertain: 0, failed: 2 };
    assert_eq!(test.store.outbox_figures().await.unwrap(), expected);
}

async fn a_reply_that_broke_off_in_a_proxy_is_not_recorded_with_forgotten_words(test: TestStore) {
    tell(&test.store).await;
    test.store.append(vec![said("b", 3, 2).to_record()]).await.unwrap();
    let reply = |number, name: &str, words: &str| RelayedReply {
        id: Uuid::from_u128(number),
        chat: chat(name),
        words: words.to_owned(),
    };
    let quoting = format!("You said: {SECRET}");
    for (number, name, words) in [(1, "a", quoting.as_str()), (2, "a", "Good night."), (3, "b", &quoting)] {
        test.store.show_relayed(reply(number, name, words)).await.unwrap();
    }
    let forgetting = Forgetting { messages: vec![blanked()], ..forgetting() };
    test.store.chat(&chat("a")).forget(forgetting).await.unwrap();
    let left = [reply(2, "a", "Good night."), reply(3, "b", &quoting)];
    assert_eq!(test.store.relayed().await.unwrap(), left, "the other chat forgot nothing");
}

async fn an_effect_is_carried_out_with_what_tells_of_it_or_not_at_all(test: TestStore) {
    tell(&test.store).await;
    learn(&test.store, "a", vec![memory("a", 1, "My code is 4711.")]).await;
    let in_chat = test.store.chat(&chat("a")).watching().await.unwrap();
    let forgets = || Forgetting { messages: vec![blanked()], ..forgetting() };
    let told = |effects: Vec<Effect>, id: u128| Outgoing {
        effects,
        said: vec![said("a", id, 20).role(Role::Assistant).text("Forgot 1.").to_record()],
        ..Outgoing::default()
    };
    let close = Change::Close { id: memory("a", 1, "").id, status: Status::Done, at: minute(50), by: None };
    let learned = || Learned { changes: vec![close.clone()], at: minute(50), ..Learned::default() };
    let undo = || Effect::Undo { chat: chat("a"), receipt: ID, at: minute(60) };
    let count = async || test.store.figures().await.unwrap().messages;
    let before = count().await;
    // Nothing can be undone yet, so the learning is not done either.
    let refused = test.store.send_out(told(vec![in_chat.effect_of_learning(learned()), undo()], 9)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert_eq!((count().await, known(&test.store, "a", None).await.len()), (before, 1));
    assert_eq!(in_chat.undoable_forgetting(ID, minute(60)).await.unwrap(), None);

    test.store.send_out(told(vec![in_chat.effect_of_forgetting(forgets())], 9)).await.unwrap();
    assert_eq!(count().await, before + 1);
    let found = in_chat.undoable_forgetting(ID, minute(60)).await.unwrap();
    assert_eq!(found, Some(receipt(Some(minute(90)), [0, 1, 0])));
    assert_eq!(in_chat.undoable_forgetting(ID, minute(90)).await.unwrap(), None, "it is too late then");
    let again = in_chat.effect_of_forgetting(Forgetting { id: Uuid::from_u128(701), ..forgets() });
    let refused = test.store.send_out(told(vec![again], 10)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "something was forgotten since: {refused:?}");

    test.store.send_out(told(vec![undo(), in_chat.effect_of_learning(learned())], 10)).await.unwrap();
    let stored = test.store.chat(&chat("a")).memories(None).await.unwrap();
    assert_eq!(stored[0].memory.status, Status::Done);
    assert_eq!(in_chat.undoable_forgetting(ID, minute(60)).await.unwrap(), None, "it was undone");
}

async fn a_handle_that_watches_writes_nothing_derived_after_something_was_forgotten(test: TestStore) {
    tell(&test.store).await;
    test.store.append(vec![said("b", 3, 0).to_record()]).await.unwrap();
    learn(&test.store, "a", vec![memory("a", 1, "known")]).await;
    let (first, last) = (end_of(&test.store, 1).await, end_of(&test.store, 2).await);
    let in_chat = test.store.chat(&chat("a"));
    let watching = in_chat.watching().await.unwrap();
    let elsewhere = test.store.chat(&chat("b")).watching().await.unwrap();
    let units = watching.without_vectors("x").await.unwrap();
    in_chat.forget(Forgetting { messages: vec![blanked()], ..forgetting() }).await.unwrap();

    let vector = || Vector::new(&[1.0]);
    let made = units.into_iter().map(|unit| (unit.clone(), unit.texts.iter().map(|_| vector()).collect()));
    let again = Forgetting { id: Uuid::from_u128(701), ..forgetting() };
    let refused = [
        watching.learn(Learned::default()).await.map(drop),
        watching.add_summary(&Lane::Root, summary(9, first, last, 2)).await,
        watching.rewrite_summary(summary(9, first, last, 2)).await,
        watching.add_vectors("x", made.collect()).await,
        watching.add_piece_vectors("x", vec![(Uuid::from_u128(1), vector())]).await,
        watching.keep_narrative(None, "profile", minute(51)).await,
        watching.keep_routine_summary(message_id(2), "short").await,
        watching.forget(again).await.map(drop),
    ];
    for (n, result) in refused.into_iter().enumerate() {
        assert!(matches!(result, Err(Error::Conflict(_))), "write {n}: {result:?}");
    }
    assert_eq!(in_chat.narrative(None, minute(99)).await.unwrap(), None);
    assert_eq!(in_chat.summaries(&Lane::Root).await.unwrap(), []);
    assert_eq!(test.store.figures().await.unwrap().embedded("x"), 0);

    elsewhere.learn(Learned { memories: vec![memory("b", 2, "kept")], ..Learned::default() }).await.unwrap();
    assert_eq!(known(&test.store, "b", None).await, ["kept"], "another chat is not concerned");
    let watching = in_chat.watching().await.unwrap();
    watching.keep_narrative(None, "profile", minute(51)).await.unwrap();
    watching.undo_forgetting(ID, minute(60)).await.unwrap().unwrap();
    let undone = watching.keep_narrative(None, "profile", minute(61)).await;
    assert!(matches!(undone, Err(Error::Conflict(_))), "what came back is to be read as well");
}

async fn a_forgetting_meets_what_was_written_after_it_read(test: TestStore) {
    tell(&test.store).await;
    let in_chat = test.store.chat(&chat("a"));
    let known = memory("a", 1, "The code is 4711.");
    learn(&test.store, "a", vec![known.clone()]).await;
    let last = in_chat.recorded_after(0, 9).await.unwrap().last().unwrap().seq;
    let aim = || Aim::at_topic(Topic::read("4711"), []);
    let seen = |memories: &[&Memory], last| Seen {
        aim: aim(),
        memories: memories.iter().map(|memory| memory.id).collect(),
        chats: vec![(chat("a"), last)],
    };
    let forget = async |seen: Seen| in_chat.forget(Forgetting { seen: vec![seen], ..forgetting() }).await;
    let conflicts = |result: Result<Forgotten, Error>| matches!(result, Err(Error::Conflict(_)));

    let late = memory("a", 2, "The old code was 4711.");
    learn(&test.store, "a", vec![late.clone(), memory("a", 3, "Likes coffee.")]).await;
    assert!(conflicts(forget(seen(&[&known], last)).await), "a memory was learned");
    let both = [&known, &late];
    let more = vec![said("a", 4, 2).text("Tea at 4?").to_record(), said("a", 5, 3).text("4711!").to_record()];
    test.store.append(more).await.unwrap();
    assert!(conflicts(forget(seen(&both, last)).await), "a message was recorded");
    let (first, end) = (end_of(&test.store, 1).await, end_of(&test.store, 2).await);
    let text = "They told the code 4711.".to_owned();
    in_chat.add_summary(&Lane::Root, Summary { text, ..summary(9, first, end, 2) }).await.unwrap();
    assert!(conflicts(forget(seen(&both, last + 2)).await), "a summary was written");
    let cleaned =
        Cleaned { id: Uuid::from_u128(9), text: "They talked.".to_owned(), sections: Sections::default() };
    let all = Forgetting { summaries: vec![cleaned], seen: vec![seen(&both, last + 2)], ..forgetting() };
    in_chat.forget(all).await.unwrap();
    test.store.append(vec![said("a", 6, 4).text("Good morning.").to_record()]).await.unwrap();
    let other = Forgetting { id: Uuid::from_u128(701), seen: vec![seen(&both, last + 2)], ..forgetting() };
    in_chat.forget(other).await.unwrap();
}

async fn a_persons_narrative_in_the_making_elsewhere_does_not_outlive_what_they_forgot_here(test: TestStore) {
    for name in ["a", "b"] {
        test.store.open_chat(&chat(name)).await.unwrap();
    }
    let secret = memory_of("ana", "a", 1, "The code is 4711.");
    learn(&test.store, "a", vec![secret.clone()]).await;
    let elsewhere = test.store.chat(&chat("b")).watching().await.unwrap();
    assert_eq!(known(&test.store, "b", Some("ana")).await, ["The code is 4711."]);
    let forgetting = Forgetting { person: Some("ana".to_owned()), memories: vec![secret.id], ..forgetting() };
    test.store.chat(&chat("a")).forget(forgetting).await.unwrap();
    let late = elsewhere.keep_narrative(Some("ana"), "Their code is 4711.", minute(51)).await;
    assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
    assert_eq!(elsewhere.narrative(Some("ana"), minute(99)).await.unwrap(), None);
}

stories!(
    what_is_forgotten_goes_from_all_that_is_derived_and_comes_back_when_undone,
    a_forgetting_that_cannot_take_everything_takes_nothing,
    undoing_one_forgetting_brings_nothing_back_that_another_took,
    what_was_forgotten_for_good_does_not_come_back_with_another_forgetting,
    what_was_purged_does_not_come_back_with_another_forgetting,
    what_can_no_longer_be_undone_is_purged_and_scrubbed_from_the_files,
    a_forgetting_without_a_way_back_asks_for_a_scrub_at_once,
    finishing_makes_only_those_forgettings_of_the_chat_permanent_that_hold_the_aim,
    a_suppression_keeps_a_forgotten_value_out_of_the_chat_and_of_the_persons_other_chats,
    the_key_of_the_suppressions_lies_outside_of_the_database,
    what_was_forgotten_before_it_was_sent_is_not_sent,
    a_reply_that_broke_off_in_a_proxy_is_not_recorded_with_forgotten_words,
    an_effect_is_carried_out_with_what_tells_of_it_or_not_at_all,
    a_handle_that_watches_writes_nothing_derived_after_something_was_forgotten,
    a_persons_narrative_in_the_making_elsewhere_does_not_outlive_what_they_forgot_here,
    a_forgetting_meets_what_was_written_after_it_read,
);
