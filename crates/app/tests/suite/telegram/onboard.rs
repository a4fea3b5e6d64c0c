//! The first run: `onboard` writes settings that work and keeps what a person wrote, and `doctor` says what does not work.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_testkit::bot_api::{BotApi, Fault};

use crate::common::pty::Terminal;
use crate::common::served::{ANA, LONG, Served};
use crate::common::{Home, mode};

const STRANGER: i64 = 99_887_766;

/// A home that does not run, whose settings name the bot in the environment or nowhere.
fn beside(api: &BotApi) -> Home {
    api.person(ANA, "Ana");
    Home::new().with("TELEGRAM_API_URL", &api.url())
}

fn named(home: Home, api: &BotApi) -> Home {
    home.with("TELEGRAM_BOT_TOKEN", &api.token()).with("TELEGRAM_USER_ID", &ANA.to_string())
}

fn settings(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config.toml")).unwrap()
}

/// Keeps the model, the name and the zone as they are.
fn keep_the_rest(terminal: &mut Terminal) {
    for question in ["Which one answers?", "Your name", "Your time zone"] {
        terminal.until(question);
        terminal.until(": ");
        terminal.press("\r");
    }
}

#[test]
fn onboarding_writes_settings_that_serve_and_a_second_time_changes_nothing() {
    let mut served = Served::new();
    served.stop();
    let first = served.home.json(&["onboard", "--yes"]);
    assert_eq!(first["telegram"], json!({ "bot": "throughline_test_bot", "user_id": ANA }));
    assert_eq!(first["wrote"], json!(["telegram.bot_token", "routines", "telegram.user_id"]));
    assert_eq!(mode(&served.home.path().join("config.toml")), 0o600);
    let written = settings(&served.home);
    let token = served.home.path().join("secrets/telegram_bot_token");
    assert_eq!(std::fs::read_to_string(&token).unwrap().trim(), served.api.token());
    assert_eq!(mode(&token), 0o600, "it holds the token");
    assert!(!written.contains(&served.api.token()), "c6: {written}");

    let second = served.home.json(&["onboard", "--yes"]);
    assert_eq!((&second["wrote"], settings(&served.home)), (&json!([]), written.clone()));
    served.home.ok(&["config", "check"]);
    assert!(!served.home.ok(&["config", "show"]).contains(&served.api.token()), "c6: the token is not shown");

    // From here on the file is enough.
    for name in ["TELEGRAM_BOT_TOKEN", "TELEGRAM_USER_ID"] {
        let home = std::mem::replace(&mut served.home, Home::new());
        served.home = home.with(name, "");
    }
    assert_eq!(served.home.json(&["onboard", "--yes"])["wrote"], json!([]));
    served.start();
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    assert_eq!(settings(&served.home), written);
}

#[test]
fn onboarding_keeps_what_a_person_wrote() {
    let api = BotApi::start();
    let mine = "# Mine.\nuser_name = 'Ana' # as in the passport\n\n[telegram] # the bot\nallowed_users = [815] # Ben\n\n\
                [routines.tea]\nkind = 'message'\ntext = 'Tea?'\nschedule = '0 16 * * *'\n";
    let home = named(beside(&api), &api).configured(mine);
    let wrote = home.json(&["onboard", "--yes"])["wrote"].clone();
    assert_eq!(wrote, json!(["telegram.bot_token", "telegram.user_id"]), "there are routines already");
    let written = settings(&home);
    let rest: String = written
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("bot_token = ") && !line.starts_with("user_id = "))
        .collect();
    assert_eq!(rest, mine);
    home.ok(&["config", "check"]);
}

#[test]
fn onboarding_without_a_bot_is_done_without_questions() {
    let home = Home::new();
    let said = home.ok(&["onboard", "--yes"]);
    assert!(said.contains("throughline chat"), "{said}");
    assert_eq!(mode(&home.path().join("config.toml")), 0o600);
    home.ok(&["config", "check"]);
    let written = settings(&home);
    assert!(home.ok(&["onboard", "--yes"]).contains("Everything is set already"));
    assert_eq!(settings(&home), written);
    // Nobody is there to be asked.
    assert_eq!(home.feed(&["onboard"], b"").code, Some(0));
}

#[test]
fn a_token_that_does_not_work_is_not_written() {
    let api = BotApi::start();
    let home = named(beside(&api), &api);
    api.rotate_token("7000001:ANOTHER-abcdefghijklmnopqrstuvw");
    let ran = home.run(&["onboard", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("@BotFather"), "it says where to get one: {ran:?}");
    assert!(!ran.stderr.contains("TEST-abc") && !ran.stdout.contains("TEST-abc"), "c6: {ran:?}");
    assert!(!home.path().join("config.toml").exists());
}

#[test]
fn k1_the_examples_are_six_routines_once_the_signs_are_taken_away() {
    let home = Home::new();
    home.ok(&["onboard", "--yes"]);
    let commented = settings(&home);
    assert!(commented.lines().all(|line| line.is_empty() || line.starts_with('#')), "{commented}");
    let lines = commented.lines().skip_while(|line| !line.starts_with("# ["));
    let uncommented: Vec<&str> =
        lines.map(|line| line.strip_prefix("# ").or(line.strip_prefix('#')).unwrap_or(line)).collect();
    let uncommented = uncommented.join("\n");
    for text in [uncommented.clone(), uncommented.replace("enabled = false", "enabled = true")] {
        std::fs::write(home.path().join("config.toml"), &text).unwrap();
        home.ok(&["config", "check"]);
        let list = home.json(&["routine", "list"]);
        let routines = list["routines"].as_array().unwrap();
        let mut names: Vec<&str> = routines.iter().map(|routine| routine["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        let six = [
            "aws-daily-cost",
            "morning-summary",
            "night-summary",
            "security-daily-scan",
            "smart-checkin",
            "weekly-etf",
        ];
        assert_eq!(names, six);
        let enabled = text.contains("enabled = true");
        assert!(routines.iter().all(|routine| routine["enabled"] == enabled), "{list}");
    }
}

#[test]
fn onboarding_walks_through_token_person_and_first_reply() {
    let mut served = Served::new();
    served.stop();
    for name in ["TELEGRAM_BOT_TOKEN", "TELEGRAM_USER_ID"] {
        let home = std::mem::replace(&mut served.home, Home::new());
        served.home = home.with(name, "");
    }
    let mut terminal = Terminal::start(&served.home, "onboard");
    keep_the_rest(&mut terminal);
    terminal.until("(empty: no Telegram): ");
    terminal.press("7000001:WRONG-abcdefghijklmnopqrstuvwxyz0\r");
    let refused = terminal.until("does not know that token");
    assert!(!refused.contains("WRONG"), "c6: {refused}");
    terminal.until("(empty: no Telegram): ");
    terminal.press(&format!("{}\r", served.api.token()));
    let connected = terminal.until("@throughline_test_bot is connected");
    assert!(!connected.contains(&served.api.token()), "c6: {connected}");
    terminal.until("https://t.me/throughline_test_bot");
    served.api.person(STRANGER, "Mal\u{1b}[2Jlory");
    served.api.says(STRANGER, STRANGER, "It is me!");
    let asked = terminal.until("Is this you? [y/N] ");
    assert!(asked.contains("lory") && !asked.contains("\u{1b}[2J"), "{asked:?}");
    terminal.press("n\r");
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    let asked = terminal.until("Is this you? [y/N] ");
    assert!(asked.contains("Ana") && asked.contains("4711"), "{asked}");
    terminal.press("y\r");
    let rest = terminal.ends_well();
    assert!(rest.contains("throughline serve"), "{rest}");
    assert!(served.api.shown(ANA)[0].text.starts_with("I am connected"));
    assert_eq!(mode(&served.home.path().join("config.toml")), 0o600);
    served.home.ok(&["config", "check"]);

    served.start();
    assert_eq!(served.seen(ANA, 1).text, "Noted.", "what was said meanwhile is answered");
    assert!(served.ask("What is my sister called?").text.contains("Annabel"));
    assert!(served.api.shown(STRANGER).is_empty());
}

#[test]
fn who_hangs_up_while_being_asked_has_not_said_yes() {
    let api = BotApi::start();
    let home = beside(&api).with("TELEGRAM_BOT_TOKEN", &api.token());
    api.says(STRANGER, STRANGER, "It is me!");
    let mut terminal = Terminal::start(&home, "onboard");
    keep_the_rest(&mut terminal);
    terminal.until("Is this you? [y/N] ");
    terminal.press("\u{4}");
    let rest = terminal.ends_well();
    assert!(rest.contains("serves nobody yet"), "{rest}");
    assert!(!settings(&home).lines().any(|line| line.starts_with("user_id")));
}

/// What `doctor` says about the bot, and how it ends.
fn doctor(home: &Home, words: &[&str]) -> (Option<i32>, String, String) {
    let ran = home.run(&[&["--json", "doctor"], words].concat());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let check =
        document["checks"].as_array().unwrap().iter().find(|check| check["check"] == "telegram").unwrap();
    let field = |name: &str| check[name].as_str().unwrap().to_owned();
    (ran.code, field("state"), field("message"))
}

#[test]
fn doctor_tells_a_bot_that_works_from_one_that_does_not() {
    let api = BotApi::start();
    let says = |home: &Home, code: i32, state: &str, words: &str| {
        let (ended, is, message) = doctor(home, &[]);
        assert_eq!((ended, is.as_str()), (Some(code), state), "{message}");
        assert!(message.contains(words), "{message}");
        assert!(!message.contains(&api.token()), "c6: {message}");
    };
    says(&beside(&api), 0, "note", "throughline onboard");
    let home = beside(&api).with("TELEGRAM_BOT_TOKEN", &api.token());
    says(&home, 0, "note", "serves nobody");
    let home = home.with("TELEGRAM_ALLOWED_USERS", "815");
    says(&home, 0, "ok", "@throughline_test_bot answers");
    api.fault("getMe", Fault::GatewayBefore);
    says(&home, 1, "broken", "502");
    api.offline(true);
    says(&home, 1, "broken", "Telegram");
    api.offline(false);
    let home = home.with("TELEGRAM_BOT_TOKEN", "7000001:WRONG-abcdefghijklmnopqrstuvwxyz0");
    says(&home, 1, "broken", "@BotFather");
}

#[test]
fn doctor_removes_a_webhook_that_stands_in_the_way() {
    let api = BotApi::start();
    let home = named(beside(&api), &api);
    let mut stream = std::net::TcpStream::connect(api.url().trim_start_matches("http://")).unwrap();
    let body = json!({ "url": "https://example.org/bot" }).to_string();
    let (token, length) = (api.token(), body.len());
    write!(
        stream,
        "POST /bot{token}/setWebhook HTTP/1.1\r\nhost: telegram\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    api.wait(LONG, |api| api.calls_of("setWebhook").first()?.answered.clone());
    for (words, code, state) in [(&[][..], 1, "broken"), (&["--fix"], 0, "mended"), (&[], 0, "ok")] {
        let (ended, is, message) = doctor(&home, words);
        assert_eq!((ended, is.as_str()), (Some(code), state), "{message}");
    }
}

#[test]
fn doctor_does_not_wait_long_for_telegram() {
    let api = BotApi::start();
    let home = named(beside(&api), &api);
    api.fault("getMe", Fault::HangBefore);
    let asked = Instant::now();
    let (ended, is, message) = doctor(&home, &[]);
    assert_eq!((ended, is.as_str()), (Some(1), "broken"), "{message}");
    assert!(asked.elapsed() < Duration::from_secs(9), "{:?}", asked.elapsed());
}
