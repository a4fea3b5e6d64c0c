//! What is written in quick succession is one turn, an edit before the answer is the message, and a reply can be stopped.

use serde_json::Value;

use super::scripted::{
    BO, Gate, in_groups, last_words, learned, memories, over, private, recorded, taken_in, told,
};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, Served};

const GROUP: i64 = -1_002_000;
/// Long enough for two updates to arrive one after the other on a busy machine.
const PAUSE: &str = "1500";
/// So long that a test which waited for it would fail.
const FOR_EVER: &str = "60000";

/// What the model was asked in turns, oldest first.
fn turns(server: &MessagesServer) -> Vec<String> {
    server.asked().iter().map(last_words).collect()
}

fn agreeable() -> MessagesServer {
    MessagesServer::start(|_| Answer::Says("All right.".to_owned()))
}

fn with_pause(server: &MessagesServer, pause: &str) -> Home {
    over(server).with("TELEGRAM_PAUSE_MS", pause)
}

#[test]
fn a_text_that_the_app_splits_an_album_and_quick_follow_ups_are_one_turn_each() {
    let server = agreeable();
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, PAUSE));
        let text = "The garden has many plants. ".repeat(200);
        served.api.pastes(ANA, ANA, &text);
        served.seen(ANA, 0);
        served.api.album(ANA, ANA, 3, "my cats");
        served.seen(ANA, 1);
        served.api.says(ANA, ANA, "Oh, and one more thing:");
        served.api.says(ANA, ANA, "the ferry leaves at nine.");
        served.seen(ANA, 2);
        let asked = turns(&server);
        assert_eq!((asked.len(), served.api.shown(ANA).len()), (3, 3), "{asked:#?}");
        assert!(asked[0].matches("The garden has many plants.").count() >= 199, "{}", asked[0]);
        assert!(asked[1].contains("my cats") && asked[1].matches("[photo]").count() == 3, "{}", asked[1]);
        assert!(asked[2].contains("one more thing") && asked[2].contains("ferry"), "{}", asked[2]);
    });
}

#[test]
fn who_writes_without_end_is_answered_after_a_while() {
    let server = agreeable();
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, "700"));
        let mut written = 0;
        while served.api.shown(ANA).is_empty() {
            written += 1;
            assert!(written < 10_000, "nobody answers");
            served.api.says(ANA, ANA, &format!("and then {written}"));
            taken_in(&served.api);
        }
        assert!(written > 1 && turns(&server)[0].contains("and then 2"), "{written}");
    });
}

#[test]
fn commands_and_presses_do_not_wait_and_let_nothing_wait_before_them() {
    let server = agreeable();
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, FOR_EVER));
        served.api.says(ANA, ANA, "My dog is called Biscuit.");
        let before = served.api.says(ANA, ANA, "/remember I have a boat");
        assert_eq!(served.seen(ANA, 0).text, "All right.");
        assert_eq!(served.seen(ANA, 1).text, "✓ Remembered: I have a boat");
        assert!(before > 0);
        served.api.says(ANA, ANA, "/forget boat");
        let question = served.seen(ANA, 2);
        let press = served.api.presses(ANA, ANA, question.message_id, "Keep");
        assert_eq!(told(&served.api, &press), "Kept.");
    });
}

#[test]
fn what_waits_in_the_pause_is_answered_after_a_restart() {
    let server = agreeable();
    server.serve(|| {
        let mut served = Served::with(|| with_pause(&server, FOR_EVER));
        served.api.says(ANA, ANA, "My dog is called Biscuit.");
        taken_in(&served.api);
        served.restart();
        assert_eq!(served.seen(ANA, 0).text, "All right.");
        assert_eq!(turns(&server).len(), 1);
    });
}

#[test]
fn a_question_is_asked_again_under_the_pause() {
    let fails = std::sync::atomic::AtomicBool::new(true);
    let server =
        MessagesServer::start(move |_| match fails.swap(false, std::sync::atomic::Ordering::SeqCst) {
            true => Answer::Fails("400 Bad Request"),
            false => Answer::Says("At nine.".to_owned()),
        });
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, "300"));
        assert!(served.ask("When does the ferry leave?").text.contains("/retry"));
        assert_eq!(served.ask("/retry").text, "At nine.");
        assert!(turns(&server)[1].contains("When does the ferry leave?"));
    });
}

#[test]
fn people_who_write_together_in_a_group_are_answered_together_by_name() {
    let server = agreeable();
    server.serve(|| {
        let served = in_groups(with_pause(&server, PAUSE));
        served.api.supergroup(GROUP, "Family");
        served.api.says(ANA, GROUP, "When does the ferry leave?");
        served.api.says(BO, GROUP, "Who has the keys?");
        let reply = served.seen(GROUP, 0);
        let asked = turns(&server);
        assert_eq!((asked.len(), reply.text.as_str()), (1, "All right."), "{asked:#?}");
        for words in ["Ana: When does the ferry leave?", "Bo: Who has the keys?", "name whom you answer"] {
            assert!(asked[0].contains(words), "{words}: {}", asked[0]);
        }
    });
}

#[test]
fn an_edit_before_the_answer_is_the_message() {
    let server = agreeable();
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, FOR_EVER));
        let id = served.api.says(ANA, ANA, "I live in Lisbon.");
        served.api.says(ANA, ANA, "What do you say?");
        served.api.edits(ANA, ANA, id, "I live in Porto now.");
        served.api.edits(ANA, ANA, id, "I live in Faro.");
        taken_in(&served.api);
        // A command ends the pause.
        served.api.says(ANA, ANA, "/new");
        served.seen(ANA, 1);
        let asked = server.asked();
        assert_eq!(asked.len(), 1, "{asked:#?}");
        let (words, all) = (last_words(&asked[0]), asked[0].to_string());
        assert!(words.contains("I live in Faro.\nWhat do you say?"), "{words}");
        assert!(!all.contains("Lisbon") && !all.contains("Porto") && !all.contains("(edited)"), "{all}");
        let lines = served.home.exported();
        let old = |text: &str| -> &Value { lines.iter().find(|line| line["text"] == text).unwrap() };
        assert!(old("I live in Lisbon.")["metadata"]["edited"].is_string(), "{lines:#?}");
        assert!(old("I live in Porto now.")["metadata"]["edited"].is_string(), "{lines:#?}");

        learned(&served, &private(), "Faro");
        let known = memories(&served, &private());
        assert!(!known.iter().any(|it| it.contains("Lisbon") || it.contains("Porto")), "{known:?}");
        // What is edited after the answer is recorded as an edit, and a reply to the message quotes its last words.
        served.api.edits(ANA, ANA, id, "I live in Beja.");
        taken_in(&served.api);
        assert!(recorded(&served, "I live in Beja.")["metadata"]["edit_of"].is_string());
        served.api.message(ANA, ANA).text("Do you recall?").reply_to(id).send();
        taken_in(&served.api);
        served.api.says(ANA, ANA, "/new");
        served.seen(ANA, 3);
        let all = server.asked().pop().unwrap().to_string();
        assert!(all.contains("I live in Faro.") && !all.contains("Lisbon"), "{all}");
    });
}

#[test]
fn a_reply_is_stopped_while_it_is_written_and_what_was_shown_stays() {
    let (keeper, gate) = Gate::new();
    let server = MessagesServer::start(move |asked| {
        if last_words(asked).contains("long story") {
            gate.wait();
        }
        Answer::Says("All right.".to_owned())
    });
    server.serve(|| {
        let served = Served::with(|| over(&server));
        assert_eq!(served.ask("/stop").text, "No reply is being written here.");
        served.api.says(ANA, ANA, "Tell me a long story.");
        keeper.wait();
        served.api.says(ANA, ANA, "/stop");
        let stopped = served.seen(ANA, 1);
        assert_eq!(stopped.text, "… [stopped]");
        keeper.open();
        assert_eq!(recorded(&served, "…")["metadata"]["shortfall"], "stopped");
        assert_eq!(served.ask("Thank you.").text, "All right.");
        assert_eq!(served.api.shown(ANA).len(), 3, "{:?}", served.api.shown(ANA));
    });
}

#[test]
fn a_reply_of_only_tags_is_an_acknowledgement() {
    let server = MessagesServer::start(|_| Answer::Says("[REMEMBER: I have two cats]".to_owned()));
    server.serve(|| {
        let served = Served::with(|| over(&server));
        assert_eq!(served.ask("I have two cats.").text, "Noted.");
        assert!(memories(&served, &private()).iter().any(|it| it.contains("two cats")));
        let home = over(&server);
        assert_eq!(home.ok(&["chat", "-m", "I have two cats."]).trim(), "Noted.");
    });
}

#[test]
fn a_message_that_waits_is_stopped_too() {
    let server = agreeable();
    server.serve(|| {
        let served = Served::with(|| with_pause(&server, FOR_EVER));
        served.api.says(ANA, ANA, "Tell me a long story.");
        served.api.says(ANA, ANA, "/stop");
        let stopped = served.seen(ANA, 0).text;
        assert!(stopped.ends_with("[stopped]"), "{stopped}");
    });
}

#[test]
fn the_owner_chooses_the_model_of_a_chat_and_nobody_else_does() {
    let server = agreeable();
    server.serve(|| {
        let mut served = in_groups(over(&server));
        served.api.supergroup(GROUP, "Family");
        let shown = served.ask("/model").text;
        for words in ["anthropic/claude-sonnet-4-5 answers here", "/model offline"] {
            assert!(shown.contains(words), "{shown}");
        }
        let wrong = served.ask("/model antropic/claude").text;
        assert!(wrong.starts_with("Nothing was changed") && wrong.contains("did you mean"), "{wrong}");
        let keyless = served.ask("/model openai/gpt-5-mini").text;
        assert!(keyless.contains("OPENAI_API_KEY"), "{keyless}");
        assert_eq!(served.ask("My dog is called Biscuit.").text, "All right.");
        assert!(served.ask("/model offline").text.starts_with("✓ offline answers here"));
        served.restart();
        assert_eq!(served.ask("My cat is called Tom.").text, "Noted.");
        assert_eq!(turns(&server).len(), 1);

        let bo = served.ask_in(BO, GROUP, "/model offline").text;
        assert!(bo.starts_with("Only the owner"), "{bo}");
        assert_eq!(served.ask_in(BO, GROUP, "We eat at seven.").text, "All right.", "each chat has its own");
        assert!(served.ask_in(ANA, GROUP, "/model offline").text.starts_with("✓"));
        assert_eq!(served.ask_in(BO, GROUP, "We eat at eight.").text, "Noted.");
        assert!(served.ask("/model auto").text.contains("anthropic/claude-sonnet-4-5"));
        assert_eq!(served.ask("My fish is called Bob.").text, "All right.");

        let home = over(&server);
        assert!(home.ok(&["chat", "-m", "/model offline"]).starts_with("✓ offline answers here"));
        assert_eq!(home.ok(&["chat", "-m", "My dog is called Biscuit."]).trim(), "Noted.");
        let given =
            home.ok(&["chat", "--model", "anthropic/claude-haiku-4-5", "-m", "My cat is called Tom."]);
        assert_eq!(given.trim(), "All right.", "the command line names it for one run");
    });
}

#[test]
fn the_built_in_model_answers_each_of_several_people_by_name() {
    let served = in_groups(Home::new().with("TELEGRAM_PAUSE_MS", PAUSE));
    served.api.supergroup(GROUP, "Family");
    served.ask_in(ANA, GROUP, "The ferry to Faro leaves at nine.");
    served.ask_in(BO, GROUP, "The spare keys are under the blue pot.");
    served.api.says(ANA, GROUP, "Where are the spare keys?");
    served.api.says(BO, GROUP, "When does the ferry leave?");
    let reply = served.seen(GROUP, 2).text;
    let lines: Vec<&str> = reply.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("Ana: ") && lines[0].contains("blue pot"), "{reply}");
    assert!(lines[1].starts_with("Bo: ") && lines[1].contains("at nine"), "{reply}");
}
