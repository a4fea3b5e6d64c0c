//! `onboard` in a real terminal: a model is chosen, tested and connected, keys stay hidden, and nothing is half done.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::pty::Terminal;
use crate::common::{BINARY, Home, mode};
use crate::models::over_claude;

const KEY: &str = "sk-ant-api03-GOOD0123456789abcdefghijklmnopqrstuv";
const WRONG: &str = "sk-ant-api03-WRONG123456789abcdefghijklmnopqrstu";
const MODEL: &str = "Which one answers?";
const NAME: &str = "Your name";
const ZONE: &str = "Your time zone";
const TELEGRAM: &str = "(empty: no Telegram)";
const ANTHROPIC_KEY: &str = "Anthropic key";

fn double() -> MessagesServer {
    MessagesServer::start(|_| Answer::Says("ok".to_owned()))
}

/// A home on a machine without models. Port 9 discards.
fn bare() -> Home {
    Home::new()
        .with("THROUGHLINE_MODEL", "")
        .with("OLLAMA_API_URL", "http://127.0.0.1:9")
        .with("PATH", "/usr/bin:/bin")
}

fn settings(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config.toml")).unwrap()
}

/// Answers questions in turn, and gives what was shown up to the last of them.
fn answer(terminal: &mut Terminal, answers: &[(&str, &str)]) -> String {
    let mut shown = String::new();
    for (question, keys) in answers {
        shown += &terminal.until(question);
        shown += &terminal.until_any(&[": ", "[y/N] "]);
        terminal.press(keys);
    }
    shown
}

/// Runs onboarding with these answers to its end, and gives everything that was shown.
fn onboard(home: &Home, answers: &[(&str, &str)]) -> String {
    let mut terminal = Terminal::start(home, "onboard");
    answer(&mut terminal, answers) + &terminal.ends_well()
}

const ONLY_ENTER: [(&str, &str); 4] = [(MODEL, "\r"), (NAME, "\r"), (ZONE, "\r"), (TELEGRAM, "\r")];

#[test]
fn c6_a_key_is_hidden_tested_and_kept_in_a_file_of_its_own() {
    let server = double().wants(KEY);
    let home = bare().with("ANTHROPIC_BASE_URL", &server.url());
    server.serve(|| {
        let (wrong, right) = (format!("{WRONG}\r"), format!("{KEY}\r"));
        let answers = [
            (MODEL, "anthropic\r"),
            (ANTHROPIC_KEY, wrong.as_str()),
            (ANTHROPIC_KEY, right.as_str()),
            (NAME, "Ana\r"),
            (ZONE, "Europe/Lisbon\r"),
            (TELEGRAM, "\r"),
        ];
        let shown = onboard(&home, &answers);
        assert!(shown.contains("does not accept the key (HTTP 401, “invalid x-api-key”)"), "{shown}");
        assert!(shown.contains("anthropic/claude-sonnet-4-5 answers"), "{shown}");
        assert!(!shown.contains(KEY) && !shown.contains(WRONG), "{shown}");
        let asked: Vec<_> = server.asked().iter().map(|asked| asked["model"].clone()).collect();
        assert_eq!(asked, ["claude-haiku-4-5"; 2], "one cheap request for each key");

        let written = settings(&home);
        for line in [
            "model = \"anthropic/claude-sonnet-4-5\"",
            "user_name = \"Ana\"",
            "zone = \"Europe/Lisbon\"",
            "api_key = \"file:secrets/anthropic_api_key\"",
        ] {
            assert!(written.lines().any(|found| found == line), "{line} is missing: {written}");
        }
        let secret = home.path().join("secrets/anthropic_api_key");
        assert_eq!(std::fs::read_to_string(&secret).unwrap().trim(), KEY);
        assert_eq!((mode(&secret), mode(secret.parent().unwrap())), (0o600, 0o700));
        home.ok(&["config", "check"]);

        // The stored key is enough from here on.
        let before = home.files();
        let again = onboard(&home, &ONLY_ENTER);
        assert!(again.contains("Everything is set already"), "{again}");
        assert_eq!(home.files(), before, "a second run with only Enter changes nothing");
        assert_eq!(home.json(&["chat", "-m", "Hello"])["reply"], "ok");
        home.run(&["chat", "-m", "Hello", "--model", "anthropic/other"]);
        for (path, bytes) in home.files().iter().filter(|(path, _)| *path != secret) {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(KEY) && !text.contains(WRONG), "a key is in {}", path.display());
        }
        assert!(!home.ok(&["config", "show"]).contains(KEY));
    });
}

#[test]
fn ctrl_c_at_any_question_changes_nothing_and_leaves_the_terminal_as_it_was() {
    let server = double().wants(KEY);
    let home = bare().with("ANTHROPIC_BASE_URL", &server.url());
    server.serve(|| {
        let typed = format!("{KEY}\r");
        let answers = [
            (MODEL, "anthropic\r"),
            (ANTHROPIC_KEY, &typed),
            (NAME, "Ana\r"),
            (ZONE, "\r"),
            (TELEGRAM, "\r"),
        ];
        for stop in 0..answers.len() {
            let mut command = home.bare("timeout");
            command.env("TERM", "xterm");
            let mut terminal = Terminal::of(command, &format!("{BINARY} onboard; echo \"exit $?\"; stty -a"));
            answer(&mut terminal, &answers[..stop]);
            answer(&mut terminal, &[(answers[stop].0, "half a word\u{3}")]);
            let rest = terminal.ends_well();
            assert!(rest.contains("Nothing was changed"), "{rest}");
            assert!(rest.contains("exit 1") && rest.contains("\nisig ") && rest.contains(" echo "), "{rest}");
            assert!(!home.path().exists(), "{}: {:?}", answers[stop].0, home.files());
        }
    });
}

#[test]
fn a_key_of_the_environment_is_stored_only_if_the_person_agrees() {
    let server = double().wants(KEY);
    let home = bare().with("ANTHROPIC_BASE_URL", &server.url()).with("ANTHROPIC_API_KEY", KEY);
    server.serve(|| {
        let answered = |stored| {
            let question = "in ANTHROPIC_API_KEY of this shell only";
            [(MODEL, "\r"), (question, stored), (NAME, "\r"), (ZONE, "\r"), (TELEGRAM, "\r")]
        };
        let shown = onboard(&home, &answered("\r"));
        assert!(shown.contains("with the key of ANTHROPIC_API_KEY"), "{shown}");
        assert!(settings(&home).contains("model = \"anthropic/claude-sonnet-4-5\""));
        let before = home.files();
        assert!(!before.iter().any(|(path, _)| path.ends_with("secrets/anthropic_api_key")));
        onboard(&home, &answered("\r"));
        assert_eq!(home.files(), before);
        onboard(&home, &answered("y\r"));
        let secret = home.path().join("secrets/anthropic_api_key");
        assert_eq!(std::fs::read_to_string(secret).unwrap().trim(), KEY);
        // It is not asked about again.
        let before = home.files();
        onboard(&home, &ONLY_ENTER);
        assert_eq!(home.files(), before);
    });
}

#[test]
fn a_local_model_is_found_and_enter_takes_it() {
    let server = double();
    let home = bare().with("OLLAMA_API_URL", &server.url());
    server.serve(|| {
        let mut answers = vec![(MODEL, "\r"), ("Which of them? [gemma-3]", "qwen3\r")];
        answers.extend(&ONLY_ENTER[1..]);
        let shown = onboard(&home, &answers);
        assert!(shown.contains("with gemma-3, qwen3"), "{shown}");
        assert!(shown.contains("ollama/qwen3 answers"), "{shown}");
        assert!(settings(&home).contains("model = \"ollama/qwen3\""));
        let before = home.files();
        answers[1] = ("Which of them? [qwen3]", "\r");
        onboard(&home, &answers);
        assert_eq!(home.files(), before);
        assert_eq!(home.json(&["chat", "-m", "Hello"])["reply"], "ok");
    });
}

#[test]
fn the_real_claude_command_is_found_and_enter_takes_it() {
    let server = double();
    let home = over_claude(&server).with("THROUGHLINE_MODEL", "").with("THROUGHLINE_SMALL_MODEL", "");
    server.serve(|| {
        let shown = onboard(&home, &ONLY_ENTER);
        assert!(shown.contains("claude-cli answers"), "{shown}");
        let asked: Vec<String> = server.asked().iter().map(|asked| asked["model"].to_string()).collect();
        assert!(asked.iter().all(|model| model.contains("haiku")), "the small one is asked: {asked:?}");
        assert!(settings(&home).contains("model = \"claude-cli\""));
    });
}

#[test]
fn a_server_is_connected_by_its_address() {
    let server = double();
    let home = bare();
    let address = format!("{}/v1", server.url());
    server.serve(|| {
        let typed = format!("{address}\r");
        let shown = onboard(
            &home,
            &[
                (MODEL, "http://ana:hunter2@127.0.0.1/v1\r"),
                (MODEL, &typed),
                ("Which of them? [gemma-3]", "nothing\r"),
                ("Which of them? [gemma-3]", "qwen3\r"),
                (NAME, "\r"),
                (ZONE, "Lisbon\r"),
                (ZONE, "\r"),
                (TELEGRAM, "\r"),
            ],
        );
        assert!(shown.contains("Leave the name and password out"), "{shown}");
        assert!(shown.contains("no model of that name") && shown.contains("openai/qwen3 answers"), "{shown}");
        assert!(shown.contains("`Europe/Lisbon`?\r\n"), "{shown}");
        let written = settings(&home);
        assert!(written.contains("model = \"openai/qwen3\""), "{written}");
        assert!(written.contains(&format!("base_url = \"{address}\"")), "{written}");
        assert!(!written.lines().any(|line| line.starts_with("zone")), "the system's zone stays: {written}");
        assert_eq!(home.json(&["chat", "-m", "Hello"])["reply"], "ok");
        let before = home.files();
        onboard(&home, &ONLY_ENTER);
        let settled = |files: Vec<(PathBuf, Vec<u8>)>| {
            files.into_iter().filter(|(path, _)| path.ends_with("config.toml")).collect::<Vec<_>>()
        };
        assert_eq!(settled(home.files()), settled(before));
    });
}

#[test]
fn a_model_that_does_not_answer_is_not_written_and_enter_then_leaves_it() {
    let server = double();
    let home = bare().with("ANTHROPIC_BASE_URL", &server.url()).with("ANTHROPIC_API_KEY", WRONG);
    let server = server.wants(KEY);
    server.serve(|| {
        let shown = onboard(
            &home,
            &[
                (MODEL, "99\r"),
                (MODEL, "gpt 4\r"),
                (MODEL, "\r"),
                (ANTHROPIC_KEY, "\r"),
                ("[leave it as it is]", "\r"),
                (NAME, "\r"),
                (ZONE, "\r"),
                (TELEGRAM, "\r"),
            ],
        );
        assert!(shown.contains("the numbers 1 to") && shown.contains("anthropic/NAME"), "{shown}");
        assert!(shown.contains("invalid x-api-key") && !shown.contains(WRONG), "{shown}");
        assert!(!settings(&home).lines().any(|line| line.starts_with("model")));

        // A key that works is stored, and the person is told what stands in its way.
        let typed = format!("{KEY}\r");
        let mut answers = vec![(MODEL, "\r"), (ANTHROPIC_KEY, typed.as_str())];
        answers.extend(&ONLY_ENTER[1..]);
        let shown = onboard(&home, &answers).replace("\r\n", " ");
        assert!(shown.contains("ANTHROPIC_API_KEY is set and counts more"), "{shown}");
        assert!(shown.contains("unset it"), "{shown}");
    });
}

#[test]
fn a_service_is_shown_first_and_installed_once() {
    let home = Home::new();
    let tools = home.beside("bin");
    std::fs::create_dir(&tools).unwrap();
    let systemctl = tools.join("systemctl");
    std::fs::write(&systemctl, "#!/bin/sh\necho \"$@\" >> \"$HOME/systemctl.log\"\n").unwrap();
    std::fs::set_permissions(&systemctl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let home = home.with("PATH", &path);
    let unit = home.beside(".config/systemd/user/throughline.service");
    let log = || {
        let log = std::fs::read_to_string(home.beside("systemctl.log")).unwrap();
        std::fs::remove_file(home.beside("systemctl.log")).unwrap();
        log
    };
    let asked = |wanted| {
        let mut answers = ONLY_ENTER.to_vec();
        answers.push(("Write this file and start the service?", wanted));
        answers
    };
    let shown = onboard(&home, &asked("\r"));
    let exec = format!("ExecStart=\"{BINARY}\" \"--home\" \"{}\" \"serve\"", home.path().display());
    assert!(shown.contains(&exec) && shown.contains("THROUGHLINE_MODEL"), "{shown}");
    assert!(!unit.exists() && log() == "--user show-environment\n", "Enter installs nothing");

    let shown = onboard(&home, &asked("y\r"));
    assert!(shown.contains("The service runs"), "{shown}");
    let written = std::fs::read_to_string(&unit).unwrap();
    assert!(written.lines().any(|line| line == exec), "{written}");
    assert!(written.lines().any(|line| line == format!("Environment=\"PATH={path}\"")), "{written}");
    let ran = "--user show-environment\n--user daemon-reload\n--user enable throughline.service\n\
               --user restart throughline.service\n";
    assert_eq!(log(), ran);

    let shown = onboard(&home, &ONLY_ENTER);
    assert!(shown.contains("The service is installed"), "{shown}");
    assert_eq!(
        (log(), std::fs::read_to_string(&unit).unwrap()),
        ("--user show-environment\n".to_owned(), written)
    );
}

#[test]
fn without_a_terminal_it_reports_and_takes_flags() {
    let server = double().wants(KEY);
    let home = bare().with("ANTHROPIC_BASE_URL", &server.url()).with("ANTHROPIC_API_KEY", WRONG);
    server.serve(|| {
        let refused = home.run(&["onboard", "--yes", "--model", "anthropic/claude-sonnet-4-5"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(
            refused.stderr.contains("invalid x-api-key") && !refused.stderr.contains(WRONG),
            "{refused:?}"
        );
        assert!(!home.path().join("config.toml").exists());

        let home = home.with("ANTHROPIC_API_KEY", KEY);
        let flags = [
            "onboard",
            "--yes",
            "--model",
            "anthropic/claude-opus-4-5",
            "--name",
            "Ana",
            "--zone",
            "Asia/Tokyo",
        ];
        let document = home.json(&flags);
        assert_eq!(document["wrote"], json!(["model", "user_name", "zone", "routines"]));
        assert_eq!(document["model"], "anthropic/claude-opus-4-5");
        let found = document["found"].as_array().unwrap();
        let anthropic = found.iter().find(|found| found["name"] == "anthropic").unwrap();
        assert_eq!(anthropic["ready"], true);
        assert_eq!(document["missing"][0]["setting"], "telegram.bot_token");
        assert_eq!(home.json(&flags)["wrote"], json!([]));
        assert!(!home.files().iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(KEY)));

        let said = home.feed(&["onboard"], b"").ok();
        assert!(said.contains("found Anthropic: with the key of ANTHROPIC_API_KEY"), "{said}");
        assert!(said.contains("telegram.bot_token is not set"), "{said}");
    });
    let wrong = Home::new().run(&["onboard", "--zone", "Atlantis"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
