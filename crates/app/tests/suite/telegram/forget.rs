//! `/forget` in the chat: asked match by match, done, undone, expired, and for nobody else to press.

use std::path::PathBuf;

use jiff::SignedDuration;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_testkit::bot_api::{BotMessage, Fault};

use super::days::until;
use super::scripted::{BO, in_groups, learned, memories, private, settled, taken_in, told};
use crate::common::Home;
use crate::common::served::{ANA, LONG, Served};

const GROUP: i64 = -1_002_000;

/// Ana has told of an illness and a dog, and both were learned.
fn informed() -> Served {
    let served = Served::new();
    served.ask("I was diagnosed with narcolepsy. My dog is called Biscuit.");
    learned(&served, &private(), "narcolepsy");
    learned(&served, &private(), "Biscuit");
    served
}

/// The first message from a number on that has a button.
fn question(served: &Served, chat: i64, from: usize, button: &str) -> BotMessage {
    let has = |message: &BotMessage| message.keyboard.iter().flatten().any(|key| key.text == button);
    served.api.wait(LONG, |api| api.shown(chat).into_iter().skip(from).find(has))
}

/// Asks to forget a topic, and gives the question about the first match.
fn asked(served: &Served, line: &str, button: &str) -> BotMessage {
    let before = served.api.shown(ANA).len();
    served.api.says(ANA, ANA, line);
    question(served, ANA, before, button)
}

/// What stands in place of a message once its text has changed.
fn changed(served: &Served, chat: i64, before: &BotMessage) -> BotMessage {
    served.api.wait(LONG, |api| {
        let now = api.shown(chat).into_iter().find(|message| message.message_id == before.message_id)?;
        (now.text != before.text).then_some(now)
    })
}

fn knows(served: &Served, words: &str) -> bool {
    let found = served.home.json(&["search", words, "--chat", &private()])["hits"].to_string();
    memories(served, &private()).iter().any(|memory| memory.contains(words)) || found.contains(words)
}

/// The same home later.
fn later(served: &mut Served, time: SignedDuration) {
    served.stop();
    let now = SystemClock.now().checked_add(time).unwrap().to_string();
    let home = std::mem::replace(&mut served.home, Home::new());
    served.home = home.with("THROUGHLINE_NOW", &now);
    served.start();
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.to_ascii_lowercase().windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn j2_each_match_is_asked_about_and_what_is_forgotten_can_be_brought_back() {
    let served = informed();
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    let keys: Vec<&str> = question.keyboard.iter().flatten().map(|key| key.text.as_str()).collect();
    assert_eq!(keys, ["Forget this", "Keep"]);
    assert!(question.text.contains("narcolepsy") && !question.text.contains("Biscuit"), "{question:?}");
    assert!(question.keyboard.iter().flatten().all(|key| key.data.as_ref().unwrap().len() <= 64));

    let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    let done = changed(&served, ANA, &question);
    assert!(done.text.starts_with("✓ Forgotten") && !done.text.contains("narcolepsy"), "{done:?}");
    assert!(!knows(&served, "narcolepsy") && knows(&served, "Biscuit"));
    let texts = served.home.texts();
    assert!(texts.iter().any(|text| text.contains("[forgotten]")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("narcolepsy")), "c2: not even the command: {texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("Forgot ")), "c2: {texts:?}");

    let press = served.api.presses(ANA, ANA, done.message_id, "Undo");
    assert!(told(&served.api, &press).contains("Brought back"));
    assert!(changed(&served, ANA, &done).keyboard.is_empty());
    assert!(knows(&served, "narcolepsy"));
}

#[test]
fn j2_what_is_kept_stays_and_what_nobody_spoke_of_is_said_so() {
    let served = informed();
    let question = asked(&served, "/forget narcolepsy", "Keep");
    let press = served.api.presses(ANA, ANA, question.message_id, "Keep");
    assert_eq!(told(&served.api, &press), "Kept.");
    let kept = changed(&served, ANA, &question);
    assert!(kept.keyboard.is_empty() && knows(&served, "narcolepsy"), "{kept:?}");
    let before = served.api.shown(ANA).len();
    served.api.says(ANA, ANA, "/forget submarine");
    let answer = served.seen(ANA, before);
    assert!(answer.keyboard.is_empty() && answer.text.contains("nothing to forget"), "{answer:?}");
}

#[test]
fn j2_everything_of_the_chat_is_forgotten_after_a_yes() {
    let served = informed();
    let question = asked(&served, "/forget", "Forget everything");
    assert!(knows(&served, "narcolepsy"), "not before");
    let press = served.api.presses(ANA, ANA, question.message_id, "Forget everything");
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    changed(&served, ANA, &question);
    assert!(!knows(&served, "narcolepsy") && !knows(&served, "Biscuit"));
    assert_eq!(memories(&served, &private()), Vec::<String>::new());
}

#[test]
fn j2_all_matches_may_be_forgotten_at_once() {
    let served = Served::new();
    served.ask("My dog is called Biscuit.");
    served.ask("My dog was born in May.");
    learned(&served, &private(), "Biscuit");
    served.api.says(ANA, ANA, "/forget dog");
    let is_all = |text: &str| text.starts_with("Forget all ");
    let all = served.api.wait(LONG, |api| {
        api.shown(ANA).into_iter().find(|it| it.keyboard.iter().flatten().any(|key| is_all(&key.text)))
    });
    let label = all.keyboard[0][0].text.clone();
    let single = question(&served, ANA, 2, "Forget this");
    let press = served.api.presses(ANA, ANA, all.message_id, &label);
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    assert!(
        changed(&served, ANA, &single).text.starts_with("✓ Forgotten"),
        "each question is settled with it"
    );
    assert!(!knows(&served, "dog") && !knows(&served, "Biscuit"), "{:?}", served.home.texts());
    let seen = served.api.wait(LONG, |api| {
        let shown = api.shown(ANA).into_iter().skip(2).map(|it| it.text).collect::<Vec<_>>();
        (!shown.iter().any(|text| text.contains("dog"))).then_some(shown)
    });
    assert!(!seen.is_empty() && seen.iter().all(|text| text.starts_with("✓ Forgotten")), "{seen:?}");
}

#[test]
fn j2_a_button_takes_the_sentences_it_shows_and_the_rest_of_the_message_stays() {
    let served = Served::new();
    served.ask("I live in Lisbon. I used to date Rodrigo. The flat is on the third floor.");
    learned(&served, &private(), "Lisbon");
    let question = asked(&served, "/forget Rodrigo", "Forget this");
    assert!(
        question.text.contains("I used to date Rodrigo.") && !question.text.contains("Lisbon"),
        "{question:?}"
    );
    let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    let done = changed(&served, ANA, &question);
    let texts = || served.home.texts();
    let left = "I live in Lisbon. [forgotten] The flat is on the third floor.".to_owned();
    assert!(texts().contains(&left), "{:?}", texts());
    assert!(!knows(&served, "Rodrigo") && !texts().iter().any(|text| text.contains("Rodrigo")));
    assert!(memories(&served, &private()).iter().any(|memory| memory.contains("Lisbon")));

    let press = served.api.presses(ANA, ANA, done.message_id, "Undo");
    assert!(told(&served.api, &press).contains("Brought back"));
    changed(&served, ANA, &done);
    assert!(texts().iter().any(|text| text.contains("I used to date Rodrigo.")), "{:?}", texts());
}

#[test]
fn j2_a_sentence_beside_a_memory_of_the_same_message_is_asked_about_by_itself() {
    let served = Served::new();
    served.ask("My dog is called Biscuit. Yesterday the dog ate a sock. It rained.");
    learned(&served, &private(), "Biscuit");
    let memory = asked(&served, "/forget dog", "Forget this");
    assert!(memory.text.contains("called Biscuit") && !memory.text.contains("sock"), "{memory:?}");
    let beside =
        served.api.wait(LONG, |api| api.shown(ANA).into_iter().find(|it| it.text.contains("ate a sock")));
    // The question about the memory is settled first, so that the message has changed when the other one is.
    for question in [memory, beside] {
        let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
        assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
        changed(&served, ANA, &question);
    }
    let texts = served.home.texts();
    assert!(texts.contains(&"[forgotten] It rained.".to_owned()), "{texts:?}");
    assert!(!knows(&served, "dog"), "{texts:?}");
}

#[test]
fn j2_what_was_forgotten_does_not_come_back_with_an_edit_that_changes_nothing() {
    let served = Served::new();
    let id = served.api.says(ANA, ANA, "I was diagnosed with narcolepsy. My dog is called Biscuit.");
    served.seen(ANA, 0);
    learned(&served, &private(), "narcolepsy");
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
    told(&served.api, &press);
    changed(&served, ANA, &question);
    served.api.touches(ANA, ANA, id);
    taken_in(&served.api);
    assert!(!knows(&served, "narcolepsy"), "{:?}", served.home.texts());
}

#[test]
fn j2_a_button_pressed_twice_works_once() {
    let served = informed();
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    let presses = [0, 1].map(|_| served.api.presses(ANA, ANA, question.message_id, "Forget this"));
    assert!(told(&served.api, &presses[0]).starts_with("✓ Forgotten"));
    assert_eq!(told(&served.api, &presses[1]), "This has expired.");
    let done = changed(&served, ANA, &question);
    assert!(done.text.starts_with("✓ Forgotten"), "{done:?}");
    let forgot = served.home.texts().into_iter().filter(|text| text.starts_with("Forgot ")).count();
    assert_eq!(forgot, 1);
}

#[test]
fn a_press_and_its_effect_survive_a_kill_together() {
    let mut served = informed();
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    served.api.fault("answerCallbackQuery", Fault::HangBefore);
    served.api.presses(ANA, ANA, question.message_id, "Forget this");
    served.api.wait(LONG, |api| api.calls_of("answerCallbackQuery").pop());
    served.restart();
    let done = changed(&served, ANA, &question);
    assert!(done.text.starts_with("✓ Forgotten") && !knows(&served, "narcolepsy"), "{done:?}");
    let press = served.api.presses(ANA, ANA, done.message_id, "Undo");
    assert!(told(&served.api, &press).contains("Brought back: "));
    assert!(knows(&served, "narcolepsy"));
    let forgot = served.home.texts().into_iter().filter(|text| text.starts_with("Forgot ")).count();
    assert_eq!(forgot, 1, "it was done once");
}

#[test]
fn a_pressed_button_is_recorded_in_the_lane_of_its_question() {
    let served = in_groups(Home::new());
    served.api.supergroup(GROUP, "Family");
    served.api.person(99, "Zoe");
    let unknown = served.api.says(99, GROUP, "Who has the spare key?");
    served.ask_in(ANA, GROUP, "The spare key is under the blue pot.");
    served.api.message(ANA, GROUP).text("/forget spare key").reply_to(unknown).send();
    let question = question(&served, GROUP, 1, "Forget this");
    settled(&served);
    let press = served.api.presses(ANA, GROUP, question.message_id, "Forget this");
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    let lines = served.home.exported();
    let forgot = lines.iter().find(|line| line["text"].as_str().unwrap().starts_with("Forgot ")).unwrap();
    assert_eq!(forgot["lane"], format!("reply:{GROUP}:{unknown}"));
}

#[test]
fn j2_buttons_outlive_a_restart_and_expire() {
    let mut served = informed();
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    served.restart();
    let press = served.api.presses(ANA, ANA, question.message_id, "Keep");
    assert_eq!(told(&served.api, &press), "Kept.");
    changed(&served, ANA, &question);
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    later(&mut served, SignedDuration::from_hours(25));
    let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
    assert_eq!(told(&served.api, &press), "This has expired.");
    assert!(knows(&served, "narcolepsy"));
}

#[test]
fn j2_nobody_else_may_press_and_every_press_is_answered() {
    let served = in_groups(Home::new());
    served.api.supergroup(GROUP, "Family");
    served.api.person(99, "Zoe");
    served.ask_in(ANA, GROUP, "The spare key is under the blue pot.");
    served.api.says(ANA, GROUP, "/forget spare key");
    let question = question(&served, GROUP, 1, "Forget this");
    let press = served.api.presses(BO, GROUP, question.message_id, "Forget this");
    assert_eq!(told(&served.api, &press), "This is not for you.");
    let press = served.api.presses(99, GROUP, question.message_id, "Forget this");
    told(&served.api, &press);
    let texts = served.home.texts();
    assert!(texts.iter().any(|text| text.contains("blue pot")), "{texts:?}");
    let press = served.api.presses(ANA, GROUP, question.message_id, "Forget this");
    assert!(told(&served.api, &press).starts_with("✓ Forgotten"));
    changed(&served, GROUP, &question);
    let texts = served.home.texts();
    assert!(!texts.iter().any(|text| text.contains("blue pot")), "{texts:?}");
}

#[test]
fn j2_after_a_day_the_bytes_are_nowhere_in_the_home() {
    let mut served = informed();
    let question = asked(&served, "/forget narcolepsy", "Forget this");
    let press = served.api.presses(ANA, ANA, question.message_id, "Forget this");
    told(&served.api, &press);
    let done = changed(&served, ANA, &question);
    later(&mut served, SignedDuration::from_hours(25));
    let press = served.api.presses(ANA, ANA, done.message_id, "Undo");
    assert_eq!(told(&served.api, &press), "This has expired.");
    served.ask("What is my dog called?");
    let holding = |served: &Served| -> Vec<PathBuf> {
        let files = served.home.files().into_iter().filter(|(_, bytes)| holds(bytes, "narcolepsy"));
        files.map(|(path, _)| path).collect()
    };
    // The daily backups are cleaned after the jobs of the day.
    until("it is in no backup", || {
        !holding(&served).iter().any(|path| path.to_string_lossy().contains("daily"))
    });
    assert_eq!(served.stop(), Some(0));
    let names = holding(&served);
    assert!(names.is_empty(), "{names:?}");
    assert!(served.home.files().iter().any(|(_, bytes)| holds(bytes, "biscuit")), "the check can tell");
}
