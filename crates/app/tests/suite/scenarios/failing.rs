//! Scenario 17: a model fails, another one stands in for it, or its reply breaks off, in the terminal and on Telegram. One
//! line says so, and `/retry` asks the question again.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::Value;

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::pty::Terminal;
use crate::common::served::Served;
use crate::telegram::scripted::{BO, in_groups, last_words, over};

const QUESTION: &str = "Which color is the ferry?";
/// A status that is not worth another try.
const REFUSED: &str = "400 Bad Request";

/// A server that answers by turns, and then with "Fine."
fn answering(answers: impl IntoIterator<Item = Answer>) -> MessagesServer {
    let answers: Mutex<VecDeque<Answer>> = Mutex::new(answers.into_iter().collect());
    MessagesServer::start(move |_| {
        answers.lock().unwrap().pop_front().unwrap_or_else(|| Answer::Says("Fine.".to_owned()))
    })
}

fn blue() -> Answer {
    Answer::Says("It is blue.".to_owned())
}

/// What a guest must not read.
fn is_plain(text: &str) -> bool {
    !["127.0.0.1", "HTTP", "ANTHROPIC", "anthropic", "claude", "offline", "config", "://"]
        .iter()
        .any(|word| text.contains(word))
}

/// The messages of the newest request to the server.
fn last_asked(server: &MessagesServer) -> Value {
    server.asked().pop().unwrap()
}

#[test]
fn g8_scenario_17_the_terminal_tells_a_failure_and_retry_asks_the_question_again() {
    let server = answering([Answer::Fails(REFUSED), blue()]);
    let home = over(&server);
    server.serve(|| {
        let mut terminal = Terminal::start(&home, "chat");
        terminal.until("› ");
        // The line may wrap at any word.
        let told = terminal.say(QUESTION, "/retry").replace("\r\n", " ");
        assert!(told.contains("HTTP 400"), "{told}");
        let shown = terminal.say("/retry", "It is blue.");
        assert!(shown.contains(&format!("Asking again: {QUESTION}")), "{shown}");
        terminal.say("/retry", "There is nothing to ask again");
        terminal.say("How often does it leave?", "Fine.");
        terminal.press("\x04");
        terminal.child.wait().unwrap();
        let asked = server.asked();
        assert_eq!(asked.len(), 3, "{asked:?}");
        assert!(last_words(&asked[1]).ends_with(QUESTION), "{}", asked[1]);
        let texts = home.texts();
        assert_eq!(texts.iter().filter(|text| *text == QUESTION).count(), 1, "{texts:?}");
        let later = last_asked(&server).to_string();
        assert!(later.contains("It is blue.") && !later.contains("still open"), "{later}");
    });
}

#[test]
fn g8_scenario_17_the_terminal_tells_who_stood_in_and_that_a_reply_broke_off() {
    let server = answering([Answer::Fails(REFUSED), Answer::BreaksOff("It is bl".to_owned()), blue()]);
    let home = over(&server).configured("fallback = [\"offline\"]\n");
    server.serve(|| {
        let mut terminal = Terminal::start(&home, "chat");
        terminal.until("› ");
        let told = terminal.say(QUESTION, "offline answered instead.");
        assert!(told.contains("anthropic/claude-sonnet-4-5: ") && told.contains("HTTP 400"), "{told}");
        let told = terminal.say("/retry", "The reply broke off");
        assert!(told.contains("It is bl"), "{told}");
        let status = terminal.say("/status", "problem");
        assert!(status.contains("the reply broke off"), "{status}");
        terminal.say("/retry", "It is blue.");
        terminal.press("\x04");
        terminal.child.wait().unwrap();
        let asked = last_asked(&server).to_string();
        assert!(!asked.contains("It is bl") && asked.matches(QUESTION).count() == 1, "{asked}");
    });
}

#[test]
fn g8_scenario_17_one_turn_retries_in_a_pipe_and_status_names_the_failure() {
    let server = answering([Answer::Fails(REFUSED), blue()]);
    let home = over(&server);
    server.serve(|| {
        assert_eq!(home.run(&["chat", "-m", QUESTION]).code, Some(1));
        let problem = home.json(&["status"])["problem"].clone();
        assert_eq!(problem["model"], "anthropic/claude-sonnet-4-5", "{problem}");
        assert!(problem["problem"].as_str().unwrap().contains("HTTP 400, “Overloaded”"), "{problem}");
        assert!(home.ok(&["status"]).contains("problem    just now: anthropic/claude-sonnet-4-5: "));
        assert_eq!(home.ok(&["chat", "-m", "/retry"]), "It is blue.\n", "nothing but the reply");
        let again = home.json(&["chat", "-m", "/retry"])["reply"].to_string();
        assert!(again.contains("nothing to ask again"), "{again}");
        assert_eq!(server.asked().len(), 2);
    });
}

#[test]
fn g8_scenario_17_on_telegram_the_owner_is_told_the_cause_and_retry_answers() {
    let server = answering([Answer::Fails(REFUSED), blue()]);
    server.serve(|| {
        let served = in_groups(over(&server));
        let told = served.ask(QUESTION).text;
        assert!(told.contains("HTTP 400") && told.contains("/retry"), "{told}");
        assert_eq!(served.ask("/retry").text, "It is blue.");
        let none = served.ask("/retry").text;
        assert!(none.contains("nothing to ask again"), "{none}");
        assert!(served.ask("/status").text.contains("problem"));
        let asked = server.asked();
        assert_eq!(asked.len(), 2);
        assert!(last_words(&asked[1]).ends_with(QUESTION), "{}", asked[1]);
        let texts = served.home.texts();
        assert_eq!(texts.iter().filter(|text| *text == QUESTION).count(), 1, "{texts:?}");
    });
}

#[test]
fn g8_scenario_17_on_telegram_a_stand_in_and_a_cut_are_told_to_the_owner_and_plainly_to_others() {
    let server = answering([
        Answer::Fails(REFUSED),
        Answer::BreaksOff("It is bl".to_owned()),
        Answer::Fails(REFUSED),
        Answer::BreaksOff("It is bl".to_owned()),
        blue(),
    ]);
    server.serve(|| {
        let home = over(&server).with("TELEGRAM_ALLOWED_USERS", &BO.to_string());
        let served = Served::with(|| home.configured("fallback = [\"offline\"]\n"));
        served.api.person(BO, "Bo");
        let told = served.ask(QUESTION).text;
        assert!(told.contains("⚠️ anthropic/") && told.contains("offline answered instead."), "{told}");
        let told = served.ask("/retry").text;
        assert!(told.starts_with("It is bl") && told.contains("⚠️ The reply broke off: 127.0.0.1"), "{told}");
        let why = served.ask("/why").text;
        assert!(why.contains("127.0.0.1"), "the owner sees the cause: {why}");
        let told = served.ask_in(BO, BO, QUESTION).text;
        assert!(told.contains("⚠️ My usual model could not answer") && is_plain(&told), "{told}");
        let why = served.ask_in(BO, BO, "/why").text;
        assert!(!why.contains("127.0.0.1") && !why.contains("HTTP"), "{why}");
        let told = served.ask_in(BO, BO, "/retry").text;
        assert!(told.contains("⚠️ My reply broke off") && is_plain(&told), "{told}");
        assert_eq!(served.ask_in(BO, BO, "/retry").text, "It is blue.");
        assert!(is_plain(&served.ask_in(BO, BO, "/status").text.replace("anthropic/claude-sonnet-4-5", "")));
    });
}

#[test]
fn g8_scenario_17_a_guest_is_told_a_failure_plainly() {
    let server = answering([Answer::Fails(REFUSED)]);
    server.serve(|| {
        let served = in_groups(over(&server));
        let told = served.ask_in(BO, BO, QUESTION).text;
        assert_eq!(told, "I could not answer just now. Your message is kept; /retry asks it again.");
        assert_eq!(served.ask_in(BO, BO, "/retry").text, "Fine.");
    });
}
