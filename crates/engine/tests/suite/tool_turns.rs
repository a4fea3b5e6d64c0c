//! Turns in which the model looks into the memory itself: what it sees, what is recorded, and what is not.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::tools::RULE;
use throughline_engine::{Engine, Inbound, Settings};
use throughline_models::{Answer, ChatModel, Error, Request};
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Shown, TestStore};
use tokio::sync::mpsc::Sender;

/// Wednesday, three in the afternoon in Singapore.
const NOW: &str = "2026-02-18T07:00:00Z";
const QUESTION: &str = "Where is the spare key?";

fn chat() -> ChatId {
    "cli:chat:main".parse().unwrap()
}

/// A model that searches, reads the conversation of the best hit, and says what it is told to.
#[derive(Default)]
struct Searches {
    saw: Mutex<Vec<String>>,
    /// Fails once it has searched, if this is set.
    fails: bool,
}

#[async_trait]
impl ChatModel for Searches {
    fn name(&self) -> &str {
        "searches"
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let tools = request.tools().ok_or_else(|| Error::Refused("there are no tools".to_owned()))?;
        let found = tools.call("search_memories", &json!({ "query": "spare key", "limit": 2 })).await;
        let id = found.text.split("conversation ").nth(1).and_then(|rest| rest.split(']').next());
        let whole = tools.call("get_conversation", &json!({ "id": id.unwrap() })).await;
        let wrong = tools.call("forget_memory", &json!({ "topic": "spare key" })).await;
        self.saw.lock().unwrap().extend([found.text, whole.text, wrong.text]);
        if self.fails {
            return Err(Error::Unavailable("it is down".to_owned()));
        }
        let text = "It lies under the blue pot. [REMEMBER: The spare key lies under the blue pot]".to_owned();
        let _ = words.send(text.clone()).await;
        Ok(Answer { text, model: self.name().to_owned(), ..Answer::default() })
    }
}

/// An engine whose chat has told where the key lies, in another lane than the one that asks.
async fn filled(test: &TestStore, model: Arc<dyn ChatModel>) -> Engine {
    let engine = test.engine(MovedClock::at(NOW), model);
    let at = NOW.parse::<Timestamp>().unwrap() - SignedDuration::from_hours(50);
    for (role, text) in [
        (Role::User, "The spare key lies under the blue pot."),
        (Role::Assistant, "Under the blue pot, understood."),
    ] {
        let lane = Some(Lane::Topic("7".to_owned()));
        let inbound = Inbound { role, text: text.to_owned(), at: Some(at), lane, ..Inbound::in_chat(chat()) };
        engine.record_message(inbound, Purpose::Record).await.unwrap();
    }
    engine
}

async fn ask(engine: &Engine) -> throughline_engine::Result<throughline_engine::turn::Outcome> {
    let inbound = Inbound { text: QUESTION.to_owned(), ..Inbound::in_chat(chat()) };
    engine.take_turn(inbound, &Shown::default()).await
}

#[tokio::test]
async fn h1_a_model_answers_from_what_it_looked_up_and_the_receipt_counts_each_call_without_a_word_of_it() {
    let test = TestStore::fresh().await;
    let model = Arc::new(Searches::default());
    let engine = filled(&test, model.clone()).await;
    let outcome = ask(&engine).await.unwrap();
    assert_eq!(outcome.reply.text, "It lies under the blue pot.");
    let saw = model.saw.lock().unwrap().join("\n\n");
    assert!(!saw.contains(QUESTION), "the question itself is not found: {saw}");
    insta::assert_snapshot!(saw);
    let kept = engine.store.chat(&chat()).last_turn(&Lane::Root).await.unwrap().unwrap().receipt.unwrap();
    let calls: Vec<_> =
        kept.tools.iter().map(|call| (call.tool.as_str(), call.hits, call.is_error)).collect();
    let expected = [
        ("search_memories", Some(2), false),
        ("get_conversation", Some(2), false),
        ("unknown", Some(0), true),
    ];
    assert_eq!(calls, expected);
    let written = serde_json::to_string(&kept.tools).unwrap();
    assert!(!written.contains("key") && !written.contains("pot"), "{written}");
}

#[tokio::test]
async fn i2_what_a_tool_returns_is_neither_learned_nor_recorded() {
    let test = TestStore::fresh().await;
    let engine = filled(&test, Arc::new(Searches::default())).await;
    let before = engine.memories(&chat()).await.unwrap().len();
    ask(&engine).await.unwrap();
    assert_eq!(engine.memories(&chat()).await.unwrap().len(), before, "the tag had no proof but a tool's");
    let all = engine.store.chat(&chat()).recorded_after(0, 100).await.unwrap();
    let said: Vec<_> = all.iter().map(|stored| stored.message.role).collect();
    assert_eq!(said.len(), 4, "two that were told, the question and the reply: {said:?}");
}

#[tokio::test]
async fn tools_can_be_turned_off_and_no_context_names_them() {
    let test = TestStore::fresh().await;
    let mut engine = filled(&test, Arc::new(Searches::default())).await;
    engine.settings = Arc::new(Settings { tools: false, ..Settings::clone(&engine.settings) });
    let error = ask(&engine).await.unwrap_err().to_string();
    assert!(error.contains("there are no tools"), "{error}");
    assert!(RULE.contains("search_memories") && RULE.contains("before you say that you do not know"));
}

#[tokio::test]
async fn g6_a_model_that_fails_after_its_search_fails_the_turn_as_any_other_does() {
    let test = TestStore::fresh().await;
    let engine = filled(&test, Arc::new(Searches { fails: true, ..Searches::default() })).await;
    let error = ask(&engine).await.unwrap_err().to_string();
    assert!(error.contains("it is down"), "{error}");
}
