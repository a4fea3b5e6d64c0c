//! Turns on a moved clock, against a real database: what was heard, what the model saw, what was recorded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{LayerName, Preset};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, Shortfall};
use throughline_engine::commands::Request;
use throughline_engine::turn::Outcome;
use throughline_engine::turn::gather::ContextRequest;
use throughline_engine::{Engine, Error, Inbound};
use throughline_models::{ChatModel, Offline};
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Scripted, Shown, TestStore};

fn chat() -> ChatId {
    "cli:chat:main".parse().unwrap()
}

fn heard(text: &str) -> Inbound {
    Inbound { text: text.to_owned(), ..Inbound::in_chat(chat()) }
}

async fn say(engine: &Engine, text: &str) -> Outcome {
    engine.take_turn(heard(text), &Shown::default()).await.unwrap()
}

struct Talk {
    test: TestStore,
    clock: Arc<MovedClock>,
}

impl Talk {
    /// Three in the afternoon in Singapore.
    async fn begin() -> Self {
        Self { test: TestStore::fresh().await, clock: MovedClock::at("2026-02-18T07:00:00Z") }
    }

    fn engine(&self, model: Arc<dyn ChatModel>) -> Engine {
        self.test.engine(Arc::clone(&self.clock), model)
    }

    fn pass(&self, minutes: i64) {
        self.clock.pass(SignedDuration::from_mins(minutes));
    }
}

#[tokio::test]
async fn l1_what_was_said_just_now_is_recalled() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Arc::new(Offline));
    assert_eq!(say(&engine, "The plumber comes on Thursday at nine.").await.reply.text, "Noted.");
    talk.pass(5);
    let reply = say(&engine, "When does the plumber come?").await.reply.text;
    assert_eq!(
        reply,
        "You said on Wednesday, 18 February 2026 at 15:00 (5 min ago): “The plumber comes on Thursday at nine.”"
    );
}

#[tokio::test]
async fn l15_l17_an_exact_detail_is_found_after_a_restart_and_two_hundred_messages() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    say(&engine, "Our AWS account number is 4711-0815-2342.").await;
    for n in 0..100 {
        talk.pass(600);
        say(&engine, &format!("Today I repotted plant {n} and it took a while.")).await;
    }
    let restarted = Talk { test: talk.test.restarted().await, clock: talk.clock };
    let engine = restarted.engine(Arc::new(Offline));
    let reply = engine
        .take_turn(heard("What is our AWS account number?"), &Shown::default())
        .await
        .unwrap()
        .reply
        .text;
    assert!(reply.contains("4711-0815-2342"), "{reply}");
}

#[tokio::test]
async fn the_offline_model_says_so_when_it_found_nothing() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Arc::new(Offline));
    assert_eq!(
        say(&engine, "Where did I park?").await.reply.text,
        "I found nothing about that in what I remember."
    );
    say(&engine, "Bread and milk are on the list.").await;
    let reply = say(&engine, "Who won the match?").await.reply.text;
    assert!(
        reply.starts_with("I found nothing about that. The last thing you told me here")
            && reply.contains("Bread and milk"),
        "{reply}"
    );
}

#[tokio::test]
async fn f1_the_model_sees_the_layers_in_order_and_the_message_once() {
    let talk = Talk::begin().await;
    let model = Scripted::saying([Ok("Hello Ana.".to_owned())]);
    let engine = talk.engine(model.clone());
    say(&engine, "Good afternoon").await;
    talk.pass(3);
    say(&engine, "What did I just say?").await;
    let asked = model.contexts();
    insta::assert_snapshot!(asked[1].text());
}

#[tokio::test]
async fn f6_the_policy_tells_to_search_before_saying_that_one_does_not_know() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    let context = engine.preview(ContextRequest::new(chat(), Lane::Root)).await.unwrap();
    let policy = &context.layer(LayerName::Policy).unwrap().text;
    assert!(
        policy.contains("search your memory") && policy.contains("before you say that you do not know"),
        "{policy}"
    );
    assert!(policy.contains("Never claim to have no memory"), "{policy}");
}

#[tokio::test]
async fn c1_the_message_is_on_disk_though_the_model_fails_and_the_lane_is_free() {
    let talk = Talk::begin().await;
    let engine =
        talk.engine(Scripted::saying([Err(throughline_models::Error::Unavailable("it is down".to_owned()))]));
    let error = engine.take_turn(heard("Remember the milk"), &Shown::default()).await.unwrap_err();
    assert!(error.to_string().contains("Your message is recorded"), "{error}");
    let kept = engine.store.chat(&chat()).recorded_after(0, 10).await.unwrap();
    assert_eq!((kept.len(), kept[0].message.text.as_str()), (2, "Remember the milk"));
    assert_eq!(kept[1].message.shortfall(), Some(Shortfall::Unanswered));
    assert_eq!(say(&engine, "Still there?").await.reply.text, "ok");
}

#[tokio::test]
async fn c1_a_message_heard_twice_is_answered_once() {
    let talk = Talk::begin().await;
    let model = Scripted::saying([Ok("first".to_owned()), Ok("second".to_owned())]);
    let engine = talk.engine(model.clone());
    let update = || Inbound { external_ids: vec!["update-7".to_owned()], ..heard("hello") };
    let first = engine.take_turn(update(), &Shown::default()).await.unwrap();
    let again = engine.take_turn(update(), &Shown::default()).await.unwrap();
    assert_eq!((again.turn, again.reply.text.as_str()), (first.turn, "first"));
    assert_eq!(model.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn c1_a_reply_is_on_disk_before_any_of_it_is_shown() {
    struct Looks(Engine);
    #[async_trait::async_trait]
    impl throughline_engine::turn::Channel for Looks {
        async fn show(&self, _: &str) {
            assert_eq!(self.0.store.figures().await.unwrap().pending_replies, 1);
        }
        async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
            let kept = self.0.store.chat(&chat()).recorded_after(0, 10).await.unwrap();
            assert_eq!(kept.last().unwrap().message.id, outcome.reply.id);
            Ok(vec!["shown-1".to_owned()])
        }
    }
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([Ok("one two three".to_owned())]));
    let outcome = engine.take_turn(heard("count"), &Looks(engine.clone())).await.unwrap();
    let figures = engine.store.figures().await.unwrap();
    assert_eq!((figures.pending_replies, figures.uncertain_replies), (0, 0));
    let by_external = engine.store.chat(&chat()).find("shown-1".into()).await.unwrap().unwrap();
    assert_eq!(by_external.message.id, outcome.reply.id);
}

#[tokio::test]
async fn a4_e4_a_reply_reopens_the_lane_it_answers_and_is_quoted_in_its_own_block() {
    let talk = Talk::begin().await;
    let model = Scripted::saying([]);
    let engine = talk.engine(model.clone());
    let topic = Inbound {
        lane: Some(Lane::Topic("9".into())),
        external_ids: vec!["m1".into()],
        ..heard("The budget is 400 euros")
    };
    engine.record_message(topic, Purpose::Record).await.unwrap();
    engine.record_message(heard("unrelated, in the root"), Purpose::Record).await.unwrap();
    let reply = Inbound { reply_to: Some("m1".into()), ..heard("Is that per month?") };
    let outcome = engine.take_turn(reply, &Shown::default()).await.unwrap();
    assert_eq!(outcome.reply.lane, Lane::Topic("9".into()));
    let asked = model.contexts()[0].clone();
    let layer = |name| asked.layer(name).unwrap().text.clone();
    assert!(layer(LayerName::Quote).contains("The budget is 400 euros"));
    assert!(!layer(LayerName::Message).contains("budget"));
    assert!(!layer(LayerName::Recent).contains("unrelated"));
    let unknown = Inbound { reply_to: Some("m404".into()), ..heard("what about this?") };
    assert_eq!(
        engine.record_message(unknown, Purpose::Record).await.unwrap().lane,
        Lane::Reply("m404".into())
    );
}

#[tokio::test]
async fn e1_minute_thirty_one_loses_no_context_only_the_greeting_rule_changes() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    say(&engine, "The code of the gate is in the blue notebook").await;
    let look = || async {
        let context = engine.preview(ContextRequest::new(chat(), Lane::Root)).await.unwrap();
        let recent = context.layer(LayerName::Recent).unwrap().text.clone();
        (context.thread.as_str(), recent)
    };
    talk.pass(29);
    let (thread, recent) = look().await;
    assert!(
        thread == "continuation" && recent.contains("Do not greet again") && recent.contains("blue notebook")
    );
    talk.pass(2);
    let (thread, recent) = look().await;
    assert!(thread == "new" && !recent.contains("Do not greet again") && recent.contains("blue notebook"));
}

#[tokio::test]
async fn control_characters_of_a_model_are_neither_shown_nor_recorded() {
    let talk = Talk::begin().await;
    let hostile = "The \u{1b}[31mred\u{1b}[0m door\u{1b}]8;;http://a\u{7} is\u{8} open.\u{9b}";
    let engine = talk.engine(Scripted::saying([Ok(hostile.to_owned())]));
    let shown = Shown::default();
    let outcome = engine.take_turn(heard("which door?"), &shown).await.unwrap();
    assert_eq!(outcome.reply.text, "The red door is open.");
    assert_eq!(*shown.words.lock().unwrap(), "The red door is open.");
}

#[tokio::test]
async fn commands_are_no_part_of_summaries() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    say(&engine, "We decided to paint the boat green because the old blue peels off").await;
    let request = Request::parse("/remember I own a secret lighthouse").unwrap();
    for inbound in
        request.recorded(&chat(), &Lane::Root, "the lighthouse is remembered").into_iter().flatten()
    {
        engine.record_message(inbound, Purpose::Record).await.unwrap();
    }
    talk.pass(60);
    engine.run_jobs(Instant::now() + Duration::from_secs(10)).await.unwrap();
    let summaries = engine.store.chat(&chat()).all_summaries().await.unwrap();
    let texts: String = summaries.iter().map(|(_, summary)| summary.text.as_str()).collect();
    assert!(texts.contains("boat") && !texts.contains("lighthouse"), "{texts}");
}

#[tokio::test]
async fn g5_a_message_too_long_for_the_model_is_an_error_and_not_a_cut() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    let long = "all work and no play makes a dull day ".repeat(25_000);
    let error = engine.take_turn(heard(&long), &Shown::default()).await.unwrap_err();
    assert!(matches!(error, Error::TooLong(_)), "{error}");
}

#[tokio::test]
async fn g6_an_identity_that_cannot_be_read_makes_the_reply_poorer_and_says_so() {
    let talk = Talk::begin().await;
    let folder = talk.test.folder.path().join("agents/default");
    std::fs::create_dir_all(folder.join("SOUL.md")).unwrap();
    let engine = talk.engine(Scripted::saying([]));
    let outcome = say(&engine, "hello").await;
    assert_eq!(outcome.reply.text, "ok");
    assert!(outcome.receipt.degraded[0].starts_with("identity: "), "{:?}", outcome.receipt.degraded);
}

#[tokio::test]
async fn c6_secrets_are_redacted_on_every_way_in_and_out() {
    let talk = Talk::begin().await;
    let secret = ["gh", "p_", &"aB3dE6gH9k".repeat(4)].concat();
    let engine = talk.engine(Scripted::saying([Ok(format!("I will keep {secret} to myself"))]));
    let mut inbound = heard(&format!("my token is {secret}"));
    inbound.metadata.insert("note".into(), secret.clone().into());
    inbound.speaker = Some(secret.clone());
    engine.take_turn(inbound, &Shown::default()).await.unwrap();
    for stored in engine.store.chat(&chat()).recorded_after(0, 10).await.unwrap() {
        let all = format!("{:?}", stored.message);
        assert!(!all.contains(&secret) && all.contains("[redacted:"), "{all}");
    }
}

#[tokio::test]
async fn c6_a_secret_that_the_message_before_asked_for_is_redacted() {
    let talk = Talk::begin().await;
    let question = "Sure. What's the door code?".to_owned();
    let engine = talk.engine(Scripted::saying([Ok(question), Ok("Noted.".to_owned())]));
    say(&engine, "Can you note something for me?").await;
    talk.pass(1);
    say(&engine, "4831#").await;
    talk.pass(1);
    say(&engine, "4831#").await;
    let mut ordinals = throughline_engine::import::Ordinals::default();
    let imported = ["what is the wifi password?", "bananabread", "bananabread"]
        .map(|text| engine.import_line(heard(text), &mut ordinals, false).unwrap().message.text);
    assert_eq!(imported, ["what is the wifi password?", "[redacted:password]", "bananabread"]);
    let stored = engine.store.chat(&chat()).recorded_after(0, 10).await.unwrap();
    let said: Vec<&str> = stored.iter().map(|stored| stored.message.text.as_str()).collect();
    assert_eq!(said[2], "[redacted:password]", "{said:?}");
    assert_eq!(said[4], "4831#", "what nobody asked for stays: {said:?}");
}

#[tokio::test]
async fn c4_twenty_turns_with_large_tool_output_grow_linearly() {
    let talk = Talk::begin().await;
    let engine = talk.engine(Scripted::saying([]));
    let mut sizes = Vec::new();
    for turn in 0..20 {
        for (role, text) in [
            (Role::User, format!("Look up table {turn}")),
            (Role::ToolUse, format!("{{\"table\":{turn}}}")),
            (Role::ToolResult, "a row of figures 12345\n".repeat(3_000)),
            (Role::Assistant, format!("Table {turn} is fine.")),
        ] {
            engine.record_message(Inbound { role, text, ..heard("") }, Purpose::Record).await.unwrap();
        }
        talk.pass(1);
        let request =
            ContextRequest { plan: Some(Preset::Full.plan()), ..ContextRequest::new(chat(), Lane::Root) };
        sizes.push(i64::from(engine.preview(request).await.unwrap().tokens));
    }
    let steps: Vec<i64> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (least, most) = (steps.iter().min().unwrap(), steps.iter().max().unwrap());
    assert!(*most < 450 && most - least < 60, "each turn adds the same: {steps:?}");
}
