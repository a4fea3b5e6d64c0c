//! Slash commands as values, and the buttons of their questions, against a real database.

use std::sync::Arc;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::commands::choices::{Press, Question};
use throughline_engine::commands::{Answer, Request};
use throughline_engine::{Engine, Inbound};
use throughline_models::Offline;
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;
use throughline_testkit::{MovedClock, TestStore};

const ANA: &str = "telegram:4711";

fn chat() -> ChatId {
    "telegram:chat:4711".parse().unwrap()
}

async fn run(engine: &Engine, line: &str) -> Answer {
    engine.run_command(&chat(), &Lane::Root, &Request::parse(line).unwrap()).await.unwrap()
}

async fn text(engine: &Engine, line: &str) -> String {
    match run(engine, line).await {
        Answer::Text(text) => text,
        other => panic!("{line} gave {other:?}"),
    }
}

/// Asks what to forget, and keeps the buttons as a channel does.
async fn ask(engine: &Engine, line: &str) -> Vec<Question> {
    let Answer::Forget(matches) = run(engine, line).await else { panic!("{line} asks nothing") };
    let questions = engine.ask_what_to_forget(&chat(), ANA, matches, None).await.unwrap();
    for question in &questions {
        keep(engine, question).await;
    }
    questions
}

async fn keep(engine: &Engine, question: &Question) {
    let outgoing = Outgoing { buttons: question.buttons.clone(), ..Outgoing::default() };
    engine.store.send_out(outgoing).await.unwrap();
}

async fn press(engine: &Engine, person: &str, question: &Question, label: &str) -> Result<Question, String> {
    let choice = question.choices.iter().find(|choice| choice.text == label).unwrap();
    let (button, message) = (choice.id.clone(), "5".to_owned());
    let press = Press { chat: chat(), person: person.to_owned(), message, button };
    let pressed = engine.press(&press).await.unwrap().map_err(str::to_owned)?;
    let (effects, used, pressed_button) = (pressed.effects, pressed.used, pressed.button);
    let outgoing = Outgoing { effects, used, pressed: pressed_button, ..Outgoing::default() };
    engine.store.send_out(outgoing).await.unwrap();
    keep(engine, &pressed.question).await;
    Ok(pressed.question)
}

#[tokio::test]
async fn j1_j3_a_remembered_fact_is_in_the_overview_and_a_command_without_its_argument_says_how() {
    let test = TestStore::fresh().await;
    let engine = test.engine(MovedClock::at("2026-03-02T09:00:00Z"), Arc::new(Offline));
    assert_eq!(text(&engine, "/remember I keep bees").await, "✓ Remembered: I keep bees");
    assert_eq!(text(&engine, "/remember I keep bees").await, "✓ Known already: I keep bees");
    assert!(text(&engine, "/memory").await.contains("• I keep bees"));
    assert!(text(&engine, "/remember").await.contains("/remember I am"));
    assert!(text(&engine, "/nonsense").await.starts_with("There is no /nonsense.\n/memory "));
}

#[tokio::test]
async fn j3_a_changed_value_takes_the_place_of_the_old_one() {
    let test = TestStore::fresh().await;
    let engine = test.engine(MovedClock::at("2026-03-02T09:00:00Z"), Arc::new(Offline));
    for (old, new) in [
        ("my locker is number 4417", "my locker is number 4418"),
        ("flat 12b", "flat 12c"),
        ("the wifi is home5g", "the wifi is home2g"),
        ("the meeting room is b204north", "the meeting room is b205north"),
        ("The bus stop is number 4417", "The bus stop is number 4418"),
    ] {
        text(&engine, &format!("/remember {old}")).await;
        let answer = text(&engine, &format!("/remember {new}")).await;
        assert_eq!(answer, format!("✓ Remembered: {new} (in place of {old:?})"));
        assert!(text(&engine, &format!("/remember {new}")).await.starts_with("✓ Known already"), "{new}");
    }
    // What differs in more than a value is kept beside it.
    text(&engine, "/remember Ana's room is 204").await;
    assert_eq!(text(&engine, "/remember Bo's room is 205").await, "✓ Remembered: Bo's room is 205");
}

#[tokio::test]
async fn j2_a_button_works_once_for_its_person_and_not_after_a_day() {
    let test = TestStore::fresh().await;
    let clock = MovedClock::at("2026-03-02T09:00:00Z");
    let engine = test.engine(Arc::clone(&clock), Arc::new(Offline));
    run(&engine, "/remember I keep bees").await;
    let questions = ask(&engine, "/forget bees").await;
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(texts, ["I keep bees"]);
    let question = questions.first().unwrap();

    let expired = Err("This has expired.".to_owned());
    let of = |asked: Result<Question, String>| asked.map(|question| question.text);
    assert_eq!(
        of(press(&engine, "telegram:815", question, "Keep").await),
        Err("This is not for you.".to_owned())
    );
    let done = press(&engine, ANA, question, "Forget this").await.unwrap();
    assert_eq!(done.text, "✓ Forgotten");
    assert!(!text(&engine, "/memory").await.contains("bees"));
    assert_eq!(of(press(&engine, ANA, question, "Keep").await), expired, "its bundle is used up");

    assert_eq!(of(press(&engine, ANA, &done, "Undo").await), Ok("✓ Brought back: 1".to_owned()));
    assert!(text(&engine, "/memory").await.contains("bees"));
    let later = ask(&engine, "/forget bees").await;
    clock.pass(SignedDuration::from_hours(25));
    assert_eq!(of(press(&engine, ANA, later.first().unwrap(), "Forget this").await), expired);
    assert!(text(&engine, "/memory").await.contains("bees"));
}

#[tokio::test]
async fn j2_a_button_takes_a_quotation_beside_a_message_and_leaves_its_text() {
    let test = TestStore::fresh().await;
    let engine = test.engine(MovedClock::at("2026-03-02T09:00:00Z"), Arc::new(Offline));
    let beside =
        serde_json::json!({ "quote": "Rodrigo was my husband. It was long ago.", "source": "phone" });
    let inbound = Inbound {
        metadata: beside.as_object().unwrap().clone(),
        text: "Right. See you at six.".to_owned(),
        ..Inbound::in_chat(chat())
    };
    engine.record_message(inbound, Purpose::Record).await.unwrap();
    let questions = ask(&engine, "/forget Rodrigo").await;
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(texts, ["“Rodrigo was my husband.”"]);
    let done = press(&engine, ANA, questions.first().unwrap(), "Forget this").await.unwrap();
    assert_eq!(done.text, "✓ Forgotten");
    let kept = engine.store.chat(&chat()).recorded_after(i64::MIN, 9).await.unwrap();
    let message = &kept.first().unwrap().message;
    assert_eq!(message.text, "Right. See you at six.");
    let left = serde_json::json!({ "quote": "[forgotten] It was long ago.", "source": "phone" });
    assert_eq!(Some(&message.metadata), left.as_object());
    let again = ask(&engine, "/forget Rodrigo").await;
    assert!(again.iter().all(|question| question.buttons.is_empty()), "{again:?}");
}
