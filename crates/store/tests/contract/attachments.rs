//! Files that came with messages: noted with them, fetched once, linked by hash, and gone when no message names them.

use std::sync::{Arc, Mutex};

use throughline_domain::chat::ChatId;
use throughline_domain::message::Reaction as Shown;
use throughline_domain::recall::overlap::Overlap;
use throughline_store::Store;
use throughline_store::arrivals::{Arrival, Mark, Reaction};
use throughline_store::attachments::{
    AttachmentKind, AttachmentState, KeptFile, Missed, NewAttachment, StoredAttachment,
};
use throughline_store::forget::{Blanked, Forgetting};
use throughline_store::messages::{Append, Reference};
use throughline_store::search::Query;
use throughline_testkit::{TestStore, message};
use throughline_text::words::query_terms;
use uuid::Uuid;

use crate::{finish_all_jobs, message_id, minute, problems};

fn group() -> ChatId {
    "telegram:chat:5".parse().unwrap()
}

fn file(kind: AttachmentKind) -> NewAttachment {
    NewAttachment {
        kind,
        source: "AgAC-1".to_owned(),
        name: Some("boat.jpg".to_owned()),
        media_type: Some("image/jpeg".to_owned()),
        bytes: Some(900),
    }
}

fn with_file(id: u128, text: &str, kind: AttachmentKind) -> Append {
    let append =
        message(&group()).id(id).at(minute(id as i64)).text(text).external(id.to_string()).to_record();
    Append { attachments: vec![file(kind)], ..append }
}

async fn of(store: &Store, id: u128) -> Vec<StoredAttachment> {
    store.chat(&group()).attachments(vec![message_id(id)]).await.unwrap()
}

async fn text_of(store: &Store, id: u128) -> String {
    store.chat(&group()).find(Reference::Id(message_id(id))).await.unwrap().unwrap().message.text
}

async fn keep(store: &Store, id: u128, hash: &str) -> bool {
    let attachment = of(store, id).await.remove(0);
    let kept = KeptFile { hash: hash.to_owned(), media_type: "image/png".to_owned(), bytes: 1_000 };
    store.keep_attachment(attachment.id, kept, || Ok(())).await.unwrap()
}

/// The messages that are found by a word.
async fn found(store: &Store, word: &str) -> usize {
    let query = Query { terms: query_terms(word), limit: 10, ..Query::default() };
    let hits = store.chat(&group()).search(query, Box::new(|_| Overlap::default())).await.unwrap();
    hits.iter().filter(|hit| hit.why.terms > 0).count()
}

fn forgetting(id: u128, text: &str, undo: bool) -> Forgetting {
    let blanked = Blanked {
        id: message_id(id),
        before: text.to_owned(),
        gone: vec![text.to_owned()],
        text: "[forgotten]".to_owned(),
        metadata: serde_json::Map::new(),
    };
    Forgetting {
        id: Uuid::from_u128(700 + id),
        at: minute(50),
        undo_until: undo.then(|| minute(90)),
        person: None,
        memories: Vec::new(),
        messages: vec![blanked],
        summaries: Vec::new(),
        suppressions: Vec::new(),
        seen: Vec::new(),
    }
}

/// Sweeps, and gives the files that were deleted.
async fn swept(store: &Store) -> Vec<String> {
    let gone = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&gone);
    let remove = move |_: i64, hash: Option<&str>| {
        noted.lock().unwrap().extend(hash.map(str::to_owned));
        Ok(())
    };
    store.sweep_files(remove).await.unwrap();
    gone.lock().unwrap().clone()
}

async fn a_file_waits_with_its_message_is_tried_again_and_kept_or_given_up(test: TestStore) {
    let store = &test.store;
    store.append(vec![with_file(1, "[photo]", AttachmentKind::File)]).await.unwrap();
    store.append(vec![with_file(1, "[photo]", AttachmentKind::File)]).await.unwrap();
    let found = of(store, 1).await;
    assert_eq!(found.len(), 1, "a repeated message brings nothing new");
    assert_eq!((&found[0].file, found[0].state), (&file(AttachmentKind::File), AttachmentState::Waiting));
    assert_eq!(store.attachments_due("telegram", minute(0)).await.unwrap(), found);
    assert_eq!(store.attachments_due("cli", minute(0)).await.unwrap(), []);

    let again = Missed::Again(minute(5), "no network".to_owned());
    store.miss_attachment(found[0].id, again).await.unwrap();
    assert_eq!(store.attachments_due("telegram", minute(4)).await.unwrap(), []);
    let test = test.restarted().await;
    let store = &test.store;
    let due = store.attachments_due("telegram", minute(5)).await.unwrap();
    assert_eq!((due[0].attempts, due[0].problem.as_deref()), (1, Some("no network")));

    store.miss_attachment(due[0].id, Missed::GivenUp("gone".to_owned())).await.unwrap();
    assert_eq!(of(store, 1).await[0].state, AttachmentState::GivenUp);
    assert_eq!(store.attachments_due("telegram", minute(99)).await.unwrap(), []);
    store.chat(&group()).fetch_again(vec![due[0].id]).await.unwrap();
    assert_eq!(of(store, 1).await[0].attempts, 0);
    assert!(keep(store, 1, "abcd").await);
    let kept = &of(store, 1).await[0];
    assert_eq!(
        (kept.state, kept.hash.as_deref(), kept.file.bytes),
        (AttachmentState::Kept, Some("abcd"), Some(1_000))
    );
    let figures = store.figures().await.unwrap();
    assert_eq!(
        (figures.files, figures.file_bytes, store.kept_files().await.unwrap()),
        (1, 1_000, vec!["abcd".to_owned()])
    );
}

async fn a_file_that_cannot_be_placed_is_not_linked(test: TestStore) {
    let store = &test.store;
    store.append(vec![with_file(1, "[photo]", AttachmentKind::File)]).await.unwrap();
    let id = of(store, 1).await[0].id;
    let kept = KeptFile { hash: "ab".to_owned(), media_type: "image/png".to_owned(), bytes: 1 };
    store.keep_attachment(id, kept, || Err(std::io::ErrorKind::StorageFull.into())).await.unwrap_err();
    assert_eq!(of(store, 1).await[0].state, AttachmentState::Waiting);
}

async fn j2_a_file_goes_when_no_message_names_it_and_undo_brings_it_back(test: TestStore) {
    let store = &test.store;
    let in_chat = store.chat(&group());
    for id in [1, 2] {
        store.append(vec![with_file(id, "[photo]", AttachmentKind::File)]).await.unwrap();
        assert!(keep(store, id, "abcd").await);
    }
    let receipt = in_chat.forget(forgetting(1, "[photo]", true)).await.unwrap();
    assert_eq!((of(store, 1).await, swept(store).await), (vec![], vec![]), "hidden, and still there");
    in_chat.undo_forgetting(receipt.id, minute(60)).await.unwrap().unwrap();
    assert_eq!(of(store, 1).await.len(), 1);

    in_chat.forget(forgetting(1, "[photo]", false)).await.unwrap();
    assert_eq!((of(store, 1).await, swept(store).await), (vec![], vec![]), "the other message names it");
    in_chat.forget(forgetting(2, "[photo]", true)).await.unwrap();
    assert_eq!(swept(store).await, [""; 0]);
    store.purge_forgotten(minute(91)).await.unwrap();
    assert_eq!(swept(store).await, ["abcd"]);
    assert_eq!((store.kept_files().await.unwrap(), store.figures().await.unwrap().files), (vec![], 0));
    assert_eq!(problems(store).await, [""; 0]);
}

async fn a_file_whose_message_was_forgotten_meanwhile_is_not_linked(test: TestStore) {
    let store = &test.store;
    store.append(vec![with_file(1, "[photo]", AttachmentKind::File)]).await.unwrap();
    let id = of(store, 1).await[0].id;
    store.chat(&group()).forget(forgetting(1, "[photo]", false)).await.unwrap();
    let kept = KeptFile { hash: "ab".to_owned(), media_type: "image/png".to_owned(), bytes: 1 };
    assert!(!store.keep_attachment(id, kept, || panic!("nothing is placed")).await.unwrap());
    assert_eq!(store.attachments_due("telegram", minute(99)).await.unwrap(), []);
}

async fn a_transcript_is_the_text_of_its_message_found_and_waits_to_be_learned(test: TestStore) {
    let store = &test.store;
    for (id, reindexed) in [(1, false), (2, true)] {
        let text = format!("[voice message, {id} s]");
        store.append(vec![with_file(id, &text, AttachmentKind::Voice)]).await.unwrap();
        finish_all_jobs(store).await;
        if reindexed {
            store.reindex().await.unwrap();
        }
        let attachment = of(store, id).await[0].id;
        let said = format!("I keep {id} bees on the roof");
        store.transcribe_attachment(attachment, &said, None).await.unwrap();
        assert_eq!(text_of(store, id).await, said);
        assert_eq!(of(store, id).await[0].state, AttachmentState::Transcribed);
    }
    assert_eq!((found(store, "bees").await, found(store, "voice").await), (2, 0));
    let marked = store.chat(&group()).find(Reference::Id(message_id(1))).await.unwrap().unwrap();
    assert_eq!(marked.message.transcribed(), Some("voice"));
    assert!(store.figures().await.unwrap().jobs_by_kind.contains_key("extract"));
    assert_eq!(problems(store).await, [""; 0]);
}

async fn sound_that_nothing_listens_to_is_told_of_once_and_may_be_asked_for_later(test: TestStore) {
    let store = &test.store;
    store.append(vec![with_file(1, "[voice message]", AttachmentKind::Voice)]).await.unwrap();
    let id = of(store, 1).await[0].id;
    store.miss_attachment(id, Missed::Unheard).await.unwrap();
    assert_eq!(of(store, 1).await[0].state, AttachmentState::Unheard);
    let in_chat = store.chat(&group());
    assert!(in_chat.tell_once("transcription").await.unwrap());
    assert!(!in_chat.tell_once("transcription").await.unwrap());
    in_chat.fetch_again(vec![id]).await.unwrap();
    assert_eq!(of(store, 1).await[0].state, AttachmentState::Waiting);
}

async fn reactions_stand_with_their_message_and_removed_ones_are_marked(test: TestStore) {
    let store = &test.store;
    store.append(vec![message(&group()).external("9").text("Lunch?").to_record()]).await.unwrap();
    let reacts = |update: i64, message: &str, emoji: &[&str]| {
        let reaction = Reaction {
            chat: group(),
            message: message.to_owned(),
            person: "telegram:4711".to_owned(),
            name: "Ana".to_owned(),
            emoji: emoji.iter().map(|emoji| (*emoji).to_owned()).collect(),
            at: minute(update),
        };
        let mark = Mark { account: "telegram:7".to_owned(), update, at: minute(update) };
        store.ingest(mark, Arrival::Reaction(Box::new(reaction)))
    };
    reacts(1, "9", &["👍"]).await.unwrap();
    reacts(2, "9", &["❤", "👍"]).await.unwrap();
    reacts(3, "9", &["❤"]).await.unwrap();
    reacts(4, "404", &["❤"]).await.unwrap();
    let message =
        store.chat(&group()).find(Reference::External("9".to_owned())).await.unwrap().unwrap().message;
    let shown = |emoji: &str, at: i64, is_removed: bool| Shown {
        person: "telegram:4711".to_owned(),
        name: "Ana".to_owned(),
        emoji: emoji.to_owned(),
        at: minute(at),
        is_removed,
    };
    assert_eq!(message.reactions(), [shown("👍", 3, true), shown("❤", 2, false)]);
    assert_eq!((message.text.as_str(), store.figures().await.unwrap().messages), ("Lunch?", 1));
}

stories!(
    a_file_waits_with_its_message_is_tried_again_and_kept_or_given_up,
    a_file_that_cannot_be_placed_is_not_linked,
    j2_a_file_goes_when_no_message_names_it_and_undo_brings_it_back,
    a_file_whose_message_was_forgotten_meanwhile_is_not_linked,
    a_transcript_is_the_text_of_its_message_found_and_waits_to_be_learned,
    sound_that_nothing_listens_to_is_told_of_once_and_may_be_asked_for_later,
    reactions_stand_with_their_message_and_removed_ones_are_marked,
);
