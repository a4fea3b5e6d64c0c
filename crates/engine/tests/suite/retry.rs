//! Questions that got no whole reply of the model: they stay open, are asked again, and count in the ledger.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use throughline_domain::chat::ChatId;
use throughline_domain::context::Context;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, Shortfall};
use throughline_engine::turn::{Channel, Outcome};
use throughline_engine::work::DailyCap;
use throughline_engine::{Engine, Error, Inbound};
use throughline_models::around::Fallback;
use throughline_models::{Answer, ChatModel, Error as ModelError, Offline, Request};
use throughline_store::ledger::{CallKind, Spent};
use throughline_testkit::{MovedClock, Scripted, Shown, TestStore};
use tokio::sync::mpsc::Sender;

const QUESTION: &str = "Which color is the ferry?";

fn chat() -> ChatId {
    "cli:chat:main".parse().unwrap()
}

fn down() -> ModelError {
    ModelError::Unavailable("it is down".to_owned())
}

async fn say(engine: &Engine, text: &str) -> Result<Outcome, Error> {
    let inbound = Inbound { text: text.to_owned(), ..Inbound::in_chat(chat()) };
    engine.take_turn(inbound, &Shown::default()).await
}

/// Asks the open question again; nothing if there is none.
async fn retry(engine: &Engine) -> Option<Result<Outcome, Error>> {
    let question = engine.open_question(&chat(), &Lane::Root).await.unwrap()?;
    let asked = engine.ask_again(&question, &chat(), &Lane::Root, None, &Shown::default()).await;
    Some(asked.map(Option::unwrap))
}

fn begin(test: &TestStore, model: Arc<dyn ChatModel>) -> Engine {
    test.engine(MovedClock::at("2026-02-18T07:00:00Z"), model)
}

async fn recorded(engine: &Engine) -> Vec<(Role, String, Option<Shortfall>)> {
    let kept = engine.store.chat(&chat()).recorded_after(0, 100).await.unwrap();
    kept.into_iter()
        .map(|stored| (stored.message.role, stored.message.text.clone(), stored.message.shortfall()))
        .collect()
}

/// The turns of a prompt, as role and text.
fn prompt(context: &Context) -> String {
    let turns = context.prompt.as_ref().unwrap().messages.iter();
    turns.map(|turn| format!("{}: {}\n", turn.role, turn.content)).collect()
}

/// What the model was shown with its newest question.
fn last_prompt(model: &Scripted) -> String {
    prompt(model.contexts().last().unwrap())
}

#[tokio::test]
async fn g8_a_failed_question_is_asked_again_and_the_new_reply_stands_for_it() {
    let test = TestStore::fresh().await;
    let model = Scripted::saying([Err(down()), Ok("Blue.".to_owned()), Ok("Twice a day.".to_owned())]);
    let engine = begin(&test, model.clone());
    say(&engine, QUESTION).await.unwrap_err();
    let outcome = retry(&engine).await.unwrap().unwrap();
    assert_eq!((outcome.reply.text.as_str(), outcome.reply.shortfall()), ("Blue.", None));
    let shown = last_prompt(&model);
    assert_eq!(shown.matches(QUESTION).count(), 1, "{shown}");
    assert!(shown.trim_end().ends_with(QUESTION) && !shown.contains("no answer"), "{shown}");
    let messages = recorded(&engine).await;
    let texts: Vec<&str> = messages.iter().map(|(_, text, _)| text.as_str()).collect();
    assert_eq!(texts.iter().filter(|text| **text == QUESTION).count(), 1, "{texts:?}");
    assert_eq!((messages[1].2, messages[2].2), (Some(Shortfall::Replaced), None), "{messages:?}");
    say(&engine, "How often does it leave?").await.unwrap();
    let shown = last_prompt(&model);
    assert!(shown.contains(&format!("{QUESTION}\nassistant: Blue.\n")), "{shown}");
    assert!(!shown.contains("no answer") && !shown.contains("it is down"), "{shown}");
    assert!(retry(&engine).await.is_none(), "every question has a whole reply");
}

#[tokio::test]
async fn g8_a_question_that_fails_again_stays_open_and_no_prompt_calls_it_done() {
    let test = TestStore::fresh().await;
    let model = Scripted::saying([Err(down()), Err(down()), Ok("Hello.".to_owned()), Ok("Blue.".to_owned())]);
    let engine = begin(&test, model.clone());
    say(&engine, QUESTION).await.unwrap_err();
    retry(&engine).await.unwrap().unwrap_err();
    say(&engine, "Good morning").await.unwrap();
    let shown = last_prompt(&model);
    assert_eq!(shown.matches("the question is still open").count(), 1, "{shown}");
    retry(&engine).await.unwrap().unwrap();
    let shown = last_prompt(&model);
    assert!(shown.trim_end().ends_with(QUESTION) && shown.matches(QUESTION).count() == 1, "{shown}");
    assert!(shown.contains("assistant: Hello.") && !shown.contains("still open"), "{shown}");
}

#[tokio::test]
async fn g8_an_answer_of_a_stand_in_is_asked_again() {
    let test = TestStore::fresh().await;
    let model = Scripted::saying([Err(down()), Ok("Blue.".to_owned())]);
    let chain = Fallback::new(vec![model.clone(), Arc::new(Offline)]);
    let engine = begin(&test, Arc::new(chain));
    let stand_in = say(&engine, QUESTION).await.unwrap();
    assert_eq!(stand_in.reply.shortfall(), Some(Shortfall::StandIn));
    assert!(stand_in.problems[0].starts_with("scripted: ") && stand_in.problems[0].contains("it is down"));
    assert!(stand_in.problems[0].ends_with("offline answered instead."), "{:?}", stand_in.problems);
    assert_eq!(retry(&engine).await.unwrap().unwrap().reply.text, "Blue.");
    assert!(!last_prompt(&model).contains("I found nothing"), "{}", last_prompt(&model));
    let problem = engine.status_report().await.unwrap().problem.unwrap();
    assert_eq!(problem.problem, stand_in.problems[0]);
}

/// A model that breaks off the first time.
#[derive(Default)]
struct BreaksOff(Mutex<Vec<Request>>);

#[async_trait]
impl ChatModel for BreaksOff {
    fn name(&self) -> &str {
        "breaks-off"
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, ModelError> {
        let is_first = {
            let mut asked = self.0.lock().unwrap();
            asked.push(request.clone());
            asked.len() == 1
        };
        let text = if is_first { "It is bl" } else { "Blue." }.to_owned();
        let _ = words.send(text.clone()).await;
        let cut = is_first.then(|| "the line went dead".to_owned());
        Ok(Answer { text, cut, model: self.name().to_owned(), ..Answer::default() })
    }
}

#[tokio::test]
async fn g8_a_reply_that_broke_off_is_asked_again_and_its_beginning_is_not_shown() {
    let test = TestStore::fresh().await;
    let model = Arc::new(BreaksOff::default());
    let engine = begin(&test, model.clone());
    let cut = say(&engine, QUESTION).await.unwrap();
    assert_eq!(cut.reply.shortfall(), Some(Shortfall::Cut));
    assert_eq!(retry(&engine).await.unwrap().unwrap().reply.text, "Blue.");
    let asked = model.0.lock().unwrap().pop().unwrap();
    let Request::Turn(turn) = asked else { panic!("{asked:?}") };
    let shown = prompt(&turn.context);
    assert!(shown.trim_end().ends_with(QUESTION) && !shown.contains("It is bl"), "{shown}");
}

#[tokio::test]
async fn g8_a_reply_that_the_person_stopped_is_asked_again() {
    struct StopsAtOnce;
    #[async_trait]
    impl Channel for StopsAtOnce {
        async fn show(&self, _: &str) {}
        async fn stopped(&self) {}
        async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
            Ok(Vec::new())
        }
    }
    struct Silent;
    #[async_trait]
    impl ChatModel for Silent {
        fn name(&self) -> &str {
            "silent"
        }
        async fn answer(&self, _: &Request, _: Sender<String>) -> Result<Answer, ModelError> {
            std::future::pending().await
        }
    }
    let test = TestStore::fresh().await;
    let engine = begin(&test, Arc::new(Silent));
    let inbound = Inbound { text: QUESTION.to_owned(), ..Inbound::in_chat(chat()) };
    let stopped = engine.take_turn(inbound, &StopsAtOnce).await.unwrap();
    assert_eq!(stopped.reply.shortfall(), Some(Shortfall::Stopped));
    let engine = begin(&test, Scripted::saying([Ok("Blue.".to_owned())]));
    assert_eq!(retry(&engine).await.unwrap().unwrap().reply.text, "Blue.");
}

#[tokio::test]
async fn g7_a_reply_is_in_the_ledger_from_its_beginning() {
    /// A model that looks into the ledger while it is asked.
    struct Looks(Mutex<Option<Engine>>, Mutex<Option<Spent>>);
    #[async_trait]
    impl ChatModel for Looks {
        fn name(&self) -> &str {
            "looks"
        }
        async fn answer(&self, _: &Request, words: Sender<String>) -> Result<Answer, ModelError> {
            let engine = self.0.lock().unwrap().clone().unwrap();
            let spent = engine.store.spent_on(CallKind::Reply, jiff::Timestamp::MIN).await.unwrap();
            *self.1.lock().unwrap() = Some(spent);
            let _ = words.send("Blue.".to_owned()).await;
            Ok(Answer { text: "Blue.".to_owned(), ..Answer::default() })
        }
    }
    let test = TestStore::fresh().await;
    let model = Arc::new(Looks(Mutex::default(), Mutex::default()));
    let engine = begin(&test, model.clone());
    *model.0.lock().unwrap() = Some(engine.clone());
    say(&engine, QUESTION).await.unwrap();
    let begun = model.1.lock().unwrap().take().unwrap();
    assert!(begun.calls == 1 && begun.failed == 1 && begun.input_tokens > 0, "{begun:?}");
    let ended = engine.store.spent_on(CallKind::Reply, jiff::Timestamp::MIN).await.unwrap();
    assert_eq!((ended.calls, ended.failed), (1, 0), "one call, not two");
}

#[tokio::test]
async fn g7_the_days_cap_on_replies_is_kept_before_the_model_is_asked() {
    let test = TestStore::fresh().await;
    let model = Scripted::saying([]);
    let mut engine = begin(&test, model.clone());
    let mut settings = (*engine.settings).clone();
    settings.reply_cap = DailyCap { tokens: 0, ..DailyCap::REPLIES };
    engine.settings = Arc::new(settings.clone());
    let error = say(&engine, QUESTION).await.unwrap_err().to_string();
    assert!(error.contains("raise replies.daily_tokens") && error.contains("/retry"), "{error}");
    assert_eq!(model.contexts().len(), 0);
    settings.reply_cap = DailyCap { usd: 0.0, ..DailyCap::REPLIES };
    engine.settings = Arc::new(settings.clone());
    let error = retry(&engine).await.unwrap().unwrap_err().to_string();
    assert!(error.contains("raise replies.daily_cents"), "{error}");
    settings.reply_cap = DailyCap::REPLIES;
    engine.settings = Arc::new(settings);
    assert_eq!(retry(&engine).await.unwrap().unwrap().reply.text, "ok");
    assert_eq!(model.contexts().len(), 1);
}

#[tokio::test]
async fn g8_a_stand_ins_answer_that_is_recalled_in_another_lane_is_marked_and_a_failure_is_not_recalled() {
    let test = TestStore::fresh().await;
    let asked = "What does the zeppelin mooring at Friedrichshafen cost?";
    let why = "no zeppelin mooring at Friedrichshafen can be reached";
    let model = Scripted::saying([
        Err(ModelError::Unavailable(why.to_owned())),
        Err(ModelError::Unavailable(why.to_owned())),
    ]);
    let topic = || Inbound {
        lane: Some(Lane::Topic("9".into())),
        text: asked.to_owned(),
        ..Inbound::in_chat(chat())
    };
    let alone = begin(&test, model.clone());
    alone.take_turn(topic(), &Shown::default()).await.unwrap_err();
    let stand_in =
        Scripted::saying([Ok("The zeppelin mooring at Friedrichshafen costs 40 euros.".to_owned())]);
    let engine = begin(&test, Arc::new(Fallback::new(vec![model.clone(), stand_in])));
    engine.take_turn(topic(), &Shown::default()).await.unwrap();
    say(&alone, asked).await.unwrap();
    let shown = last_prompt(&model);
    let marked =
        "(a stand-in answered, because the model failed) The zeppelin mooring at Friedrichshafen costs";
    assert!(shown.contains(marked), "{shown}");
    assert!(!shown.contains("can be reached"), "{shown}");
}
