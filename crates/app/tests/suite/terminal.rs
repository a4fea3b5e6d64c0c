//! `chat` as a person has it: on a terminal, line by line.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::pty::Terminal;

#[test]
fn a_conversation_on_a_terminal() {
    let home = Home::new();
    let secret = ["sk-ant-", "api03-", &"x9Yz".repeat(12)].concat();
    let mut terminal = Terminal::start(&home, "chat");
    let greeting = terminal.until("› ");
    assert!(greeting.contains("cli:chat:main") && greeting.contains("/help"), "{greeting}");

    terminal.say("/why", "Nothing was answered here yet.");
    terminal.say("The umbrella hangs behind the door", "Noted.");
    // The line wraps between words; where depends on the length of today's date.
    let reply = terminal.say("Where is the umbrella?", "door”");
    assert!(!reply.contains("The umbrella hangs behind the door”"), "{reply}");
    let words = reply.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("You said") && words.contains("“The umbrella hangs behind the door”"), "{reply}");
    let help = terminal.say("/help", "/quit");
    assert!(help.contains("/search WORDS") && help.contains("/status"), "{help}");
    let why = terminal.say("/why", "what the person says now");
    assert!(why.contains("the live conversation") && why.contains("tokens"), "{why}");
    terminal.say("/search umbrella", "The umbrella hangs behind the door");
    terminal.say("/context what now", "<message>");
    terminal.say("/conversations", "4 messages");
    terminal.say("/status", "messages");
    terminal.say("/nonsense", "There is no /nonsense.");
    terminal.say(&format!("my key is {secret}"), "Noted.");
    // Ctrl-C gives up the line, not the conversation; Ctrl-D ends it.
    terminal.press("never mind\x03");
    terminal.until("› ");
    terminal.press("\x04");
    let status = terminal.child.wait().unwrap();
    assert!(status.success(), "{status}");

    let texts = home.texts();
    assert!(!texts.iter().any(|text| text.contains("never mind") || text.contains("nonsense")), "{texts:?}");
    assert!(texts.contains(&"Where is the umbrella?".to_owned()));
    let searched = texts.iter().position(|text| text == "/search umbrella").unwrap();
    assert_eq!(texts[searched + 1], "(showed what was found)", "what is stored is not stored once more");
    let history = std::fs::read_to_string(home.path().join("chat-history")).unwrap();
    assert!(history.contains("Where is the umbrella?"), "{history}");
    assert_eq!(
        crate::common::mode(&home.path().join("chat-history")),
        0o600,
        "what was typed is nobody else's business"
    );
    for (file, bytes) in home.files() {
        assert!(
            !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
            "c6: a secret is in {}",
            file.display()
        );
    }
}

#[test]
fn colors_are_for_terminals_and_obey_no_color() {
    let home = Home::new();
    home.record("The umbrella hangs behind the door");
    let shown = |home: &Home| Terminal::start(home, "status").ends_well();
    assert!(shown(&home).contains("\u{1b}[1m"));
    let home = home.with("NO_COLOR", "1");
    assert!(!shown(&home).contains('\u{1b}'));
}

#[test]
fn record_on_a_terminal_without_text_says_so_and_does_not_wait() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, "record --chat cli:chat:main");
    terminal.until("there is no text to record");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(2));
}

#[test]
fn j5_c2_commands_are_answered_and_what_was_seen_of_them_is_in_memory() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, "chat");
    terminal.until("› ");
    terminal.say("I live in Trondheim.", "Noted.");
    terminal.say("/remember I have two cats", "✓ Remembered: I have two cats");
    terminal.say("/memory", "💬 Conversation:");
    terminal.say("/summary", "ongoing");
    terminal.say("/cost", "known cost");
    terminal.say("/routines", "No routine has written here today.");
    terminal.say("/export", "# cli:chat:main");
    terminal.say("/new", "A new conversation begins.");
    terminal.press("/forget Trondheim\r");
    // One question for each match: the statement, and what a command showed of it if that was not taken along.
    while terminal.until_any(&["[y/N] ", "Forgotten"]).ends_with("[y/N] ") {
        terminal.press("y\r");
    }
    terminal.until("› ");
    terminal.press("\x04");
    terminal.child.wait().unwrap();

    let export = home.ok(&["export"]);
    assert!(export.contains("✓ Remembered: I have two cats"), "{export}");
    assert!(export.contains("Forgot ") && !export.contains("Trondheim"), "without its topic: {export}");
    let typed = std::fs::read_to_string(home.path().join("chat-history")).unwrap();
    assert!(typed.contains("two cats") && !typed.contains("Trondheim"), "{typed}");
    let conversations = home.json(&["conversations", "list"]);
    assert_eq!(conversations["conversations"].as_array().unwrap().len(), 2, "{conversations}");
    let known = home.json(&["memory", "list"]);
    let known = known["memories"].as_array().unwrap();
    assert_eq!(known.len(), 1, "a command teaches nothing but what it says to remember: {known:?}");
}

#[test]
fn a_command_is_recorded_and_is_no_part_of_what_the_next_turn_is_told() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, "chat");
    terminal.until("› ");
    terminal.say("The plumber comes on Thursday.", "Noted.");
    terminal.say("/remember I have two cats", "✓ Remembered: I have two cats");
    terminal.say("/search plumber", "plumber");
    terminal.press("\x04");
    terminal.child.wait().unwrap();
    let texts = home.texts();
    assert!(texts.contains(&"/remember I have two cats".to_owned()), "{texts:?}");
    let next = home.ok(&["context", "-m", "what about the plumber and the cats?"]);
    assert!(!next.contains("/remember") && !next.contains("/search"), "{next}");
    assert!(next.contains("I have two cats") && next.contains("The plumber comes on Thursday"), "{next}");
    let found = home.ok(&["search", "remember cats"]);
    assert!(!found.contains("/remember"), "{found}");

    home.ok(&["chat", "-m", "/new"]);
    let fresh = home.json(&["context", "-m", "hello"]);
    assert_eq!(fresh["thread"], "new", "a new conversation was asked for");
    home.ok(&["chat", "-m", "Hello again."]);
    let next = home.json(&["context", "-m", "and?"]);
    assert_eq!(next["thread"], "continuation");
    let layer = next["layers"].as_array().unwrap().iter().find(|layer| layer["name"] == "recent").unwrap();
    let live =
        layer["items"].as_array().unwrap().iter().filter(|item| item["why"] == "the live conversation");
    assert_eq!(live.count(), 2, "it begins behind /new: {layer}");
}

#[test]
fn stored_escape_sequences_never_reach_the_terminal() {
    let home = Home::new();
    home.record("The \u{1b}]0;owned\u{7}door is \u{1b}[31mred\u{202e}");
    for words in ["search door", "context -m door", "conversations list", "status"] {
        let shown = Terminal::start(&home, words).ends_well();
        assert!(
            !shown.contains("owned") && !shown.contains("[31m") && !shown.contains('\u{202e}'),
            "{shown}"
        );
    }
    assert!(home.ok(&["search", "door"]).contains("door is red"), "nor a pipe");
}

#[test]
fn lines_that_are_typed_while_an_answer_comes_are_sent_in_order() {
    let ((asks, asked), (lets_go, goes)) = (mpsc::channel(), mpsc::channel::<()>());
    let goes = Mutex::new(goes);
    let count = AtomicUsize::new(0);
    let server = MessagesServer::start(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        if number == 1 {
            asks.send(()).unwrap();
            goes.lock().unwrap().recv().unwrap();
        }
        Answer::Says(format!("This is reply {number}."))
    });
    let home = Home::new()
        .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
        .with("THROUGHLINE_SMALL_MODEL", "offline")
        .with("ANTHROPIC_BASE_URL", &server.url())
        .with("ANTHROPIC_API_KEY", "test");
    server.serve(|| {
        let mut terminal = Terminal::start(&home, "chat");
        terminal.until("› ");
        terminal.press("the first line\r");
        asked.recv().unwrap();
        terminal.press("the second line\rthe third");
        terminal.press(" line\r");
        lets_go.send(()).unwrap();
        let shown = terminal.until("This is reply 1.");
        assert!(!shown.contains("second"), "what is typed does not get into the reply: {shown:?}");
        terminal.until("This is reply 2.");
        terminal.until("This is reply 3.");
        terminal.until("› ");
        terminal.press("\x04");
        assert!(terminal.child.wait().unwrap().success());
    });
    let [one, two, three] = ["first", "second", "third"].map(|nth| format!("the {nth} line"));
    let [a, b, c] = [1, 2, 3].map(|number| format!("This is reply {number}."));
    assert_eq!(home.texts(), [one, a, two, b, three, c]);
}

#[test]
fn tab_completes_commands_and_alt_enter_makes_a_new_line() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, "chat");
    terminal.until("› ");
    terminal.say("/sea\tumbrella", "Nothing found.");
    terminal.say("The list:\x1b\rbread and milk", "Noted.");
    terminal.press("\x04");
    assert!(terminal.child.wait().unwrap().success());
    let texts = home.texts();
    assert!(texts.contains(&"/search umbrella".to_owned()), "{texts:?}");
    assert!(texts.contains(&"The list:\nbread and milk".to_owned()), "{texts:?}");
}

#[test]
fn long_output_wraps_between_words_at_the_width_of_the_terminal() {
    let home = Home::new();
    home.record(
        "The umbrella hangs behind the door of the little room that nobody has opened since the winter.",
    );
    let home = home.with("NO_COLOR", "1");
    for words in ["search umbrella", "status", "doctor", "memory list", "conversations show", "chat -m /help"]
    {
        let id = home.exported()[0]["id"].as_str().unwrap().to_owned();
        let words = if words == "conversations show" { format!("{words} {id}") } else { words.to_owned() };
        let mut timeout = home.bare("timeout");
        timeout.env("TERM", "xterm");
        let line = format!("stty cols 40 rows 24; {} {words}", crate::common::BINARY);
        let shown = Terminal::of(timeout, &line).ends_well();
        for line in shown.lines().map(|line| line.trim_end_matches('\r')) {
            let has_words = line.trim().contains(' ');
            assert!(line.chars().count() <= 40 || !has_words, "{words}: {line:?}");
        }
    }
    let piped = home.ok(&["search", "umbrella"]);
    assert!(piped.contains("that nobody has opened since the winter."), "a pipe gets whole lines: {piped}");
}
