//! Files of messages, from the note of a channel to the model and the receipt.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::attachments::{FileSource, NotFetched};
use throughline_engine::ports::{Clock, SystemClock};
use throughline_engine::{Engine, Inbound};
use throughline_models::{Attachment, Content, Request};
use throughline_store::attachments::{
    AttachmentKind, AttachmentState, Missed, NewAttachment, StoredAttachment,
};
use throughline_store::messages::Purpose;
use throughline_store::turns::Take;
use throughline_testkit::{MovedClock, Scripted, Shown, TestStore};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much";

fn chat() -> ChatId {
    "telegram:chat:5".parse().unwrap()
}

/// A channel that gives these bytes, or says why not.
struct Channel(Mutex<Result<Vec<u8>, NotFetched>>);

#[async_trait]
impl FileSource for Channel {
    async fn fetch(&self, source: &str) -> Result<Vec<u8>, NotFetched> {
        assert_eq!(source, "AgAC-1");
        self.0.lock().unwrap().clone()
    }
}

fn channel(gives: Result<Vec<u8>, NotFetched>) -> Channel {
    Channel(Mutex::new(gives))
}

async fn hear(engine: &Engine, text: &str, kind: AttachmentKind) {
    let file = NewAttachment {
        kind,
        source: "AgAC-1".to_owned(),
        name: Some("boat\u{7}.png".to_owned()),
        media_type: None,
        bytes: None,
    };
    let inbound = Inbound { text: text.to_owned(), attachments: vec![file], ..Inbound::in_chat(chat()) };
    engine.record_message(inbound, Purpose::Answer).await.unwrap();
}

async fn due(engine: &Engine) -> Vec<StoredAttachment> {
    let far = SystemClock.now() + jiff::SignedDuration::from_hours(24);
    engine.store.attachments_due("telegram", far).await.unwrap()
}

async fn fetch(engine: &Engine, from: &Channel) {
    for attachment in due(engine).await {
        engine.fetch_attachment(&attachment, from).await.unwrap();
    }
}

fn given(model: &Scripted) -> Vec<Attachment> {
    match model.asked.lock().unwrap().last().unwrap() {
        Request::Turn(turn) => turn.attachments.clone(),
        Request::Work(_) => Vec::new(),
    }
}

fn engine(test: &TestStore) -> (Engine, Arc<Scripted>) {
    let model = Scripted::saying([]);
    (test.engine(MovedClock::at("2026-02-18T09:00:00Z"), Arc::clone(&model) as _), model)
}

#[tokio::test]
async fn f4_a_picture_is_given_with_its_turn_and_its_cost_is_in_the_receipt() {
    let test = TestStore::fresh().await;
    let (engine, model) = engine(&test);
    hear(&engine, "[photo] my boat", AttachmentKind::File).await;
    fetch(&engine, &channel(Ok(PNG.to_vec()))).await;
    let outcome =
        engine.answer_waiting(&chat(), &Lane::Root, Take::Waiting, &Shown::default()).await.unwrap();
    let [picture] = given(&model).try_into().unwrap();
    let content = Content::Image { media_type: "image/png".to_owned(), bytes: PNG.into() };
    assert_eq!(picture, Attachment { name: Some("boat.png".to_owned()), content });
    let layers = outcome.unwrap().receipt.layers;
    let message = layers.iter().find(|layer| layer.name == "message").unwrap();
    let file = message.items.iter().find(|item| item.kind == "file").unwrap();
    assert_eq!((file.tokens, &*file.why, file.id.len()), (1_600, "came with the message", 64));
    assert!(message.tokens > 1_600, "{}", message.tokens);
}

#[tokio::test]
async fn a_file_that_cannot_be_had_is_tried_with_growing_pauses_and_given_up() {
    let test = TestStore::fresh().await;
    let (engine, model) = engine(&test);
    hear(&engine, "[file: a.zip]", AttachmentKind::File).await;
    let gone =
        channel(Err(NotFetched::Later("Telegram does not give it".to_owned(), Duration::from_secs(10))));
    let mut pauses = Vec::new();
    while let Some(waiting) = due(&engine).await.pop() {
        let before = SystemClock.now();
        fetch(&engine, &gone).await;
        pauses.extend(due(&engine).await.pop().map(|next| (next.due - before).get_seconds()));
        assert_eq!(waiting.state, AttachmentState::Waiting);
    }
    assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 1800]);
    engine.answer_waiting(&chat(), &Lane::Root, Take::Waiting, &Shown::default()).await.unwrap();
    assert_eq!(given(&model)[0].content, Content::Absent("Telegram does not give it".to_owned()));
}

#[tokio::test]
async fn speech_without_a_transcript_is_told_beside_its_description() {
    let test = TestStore::fresh().await;
    let (engine, model) = engine(&test);
    hear(&engine, "[voice message, 7 s]", AttachmentKind::Voice).await;
    let far = SystemClock.now() + jiff::SignedDuration::from_hours(1);
    let later = Missed::Again(far, "Telegram cannot be reached".to_owned());
    engine.store.miss_attachment(due(&engine).await[0].id, later).await.unwrap();
    engine.answer_waiting(&chat(), &Lane::Root, Take::Waiting, &Shown::default()).await.unwrap();
    let absent = Content::Absent("its transcript is not there yet".to_owned());
    assert_eq!(given(&model), [Attachment { name: Some("voice message".to_owned()), content: absent }]);
}
