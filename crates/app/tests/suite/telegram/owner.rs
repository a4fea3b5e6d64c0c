//! What the owner has to know is told once, and the program ends when it is told to.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use throughline_testkit::bot_api::BotApi;

use super::days::{home, move_to, over, shown, until};
use super::scripted::BO;
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};

const FAILING: &str = "[routines.backup]\nschedule = \"0 7 * * *\"\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"echo started; echo no space >&2; exit 3\"]\n";

#[test]
fn k1_a_routine_that_fails_day_by_day_is_told_once_and_again_after_it_has_worked() {
    let mut served = Served::with(|| home(FAILING, "2026-03-02T05:00:00Z"));
    until("it is scheduled", || scheduled(&served.home) == 1);
    for day in ["2026-03-02", "2026-03-03", "2026-03-04"] {
        move_to(&mut served, &format!("{day}T06:00:00Z"));
        served.seen(ANA, 0);
        until("it has run", || last_run(&served.home) == (format!("{day}T06:00:00Z"), "failed".to_owned()));
    }
    let told = shown(&served);
    assert!(told.len() == 1 && told[0].starts_with("⚠️ The routine backup failed: "), "{told:?}");
    assert!(told[0].contains("no space") && told[0].contains("exit status: 3"), "{told:?}");

    let works = FAILING.replace("; exit 3", "");
    std::fs::write(served.home.path().join("config.toml"), works).unwrap();
    move_to(&mut served, "2026-03-05T06:00:00Z");
    assert!(served.seen(ANA, 1).text.starts_with("started"));
    until("it is settled", || settings(&served.home, "told routine backup") == 0);
    std::fs::write(served.home.path().join("config.toml"), FAILING).unwrap();
    move_to(&mut served, "2026-03-06T06:00:00Z");
    assert!(served.seen(ANA, 2).text.starts_with("⚠️ The routine backup failed: "));
}

#[test]
fn a_model_that_fails_for_a_guest_is_told_to_the_owner_once() {
    let server = MessagesServer::start(|_| Answer::Fails("400 Bad Request"));
    server.serve(|| {
        let served = Served::with(|| {
            over(&server, home("", "2026-03-02T09:00:00Z")).with("TELEGRAM_ALLOWED_USERS", &BO.to_string())
        });
        served.api.person(BO, "Bo");
        for question in ["Are you there?", "And now?"] {
            let reply = served.ask_in(BO, BO, question).text;
            assert!(!reply.contains("400"), "a guest gets a plain sentence: {reply}");
        }
        let told = served.seen(ANA, 0).text;
        assert!(told.starts_with("⚠️ The model does not work as it should: "), "{told}");
        served.ask_in(BO, BO, "Still nothing?");
        served.ask("/status");
        assert_eq!(shown(&served).len(), 2, "once, and the status: {:?}", shown(&served));
    });
}

#[test]
fn a_full_disk_is_told_to_the_owner_and_what_was_written_meanwhile_is_answered_later() {
    let mut served = Served::new();
    served.ask("The spare key is under the blue pot.");
    let id = served.id();
    let mut strace = served.home.bare("strace");
    strace.args(["-f", "-o", "/dev/null", "-e", "trace=pwrite64,fallocate", "-p", &id.to_string()]);
    strace.args(["-e", "inject=pwrite64,fallocate:error=ENOSPC"]);
    let mut full = strace.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(full.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains("attached"), "{said}");
    served.api.says(ANA, ANA, "Where is the spare key?");
    assert!(served.seen(ANA, 1).text.starts_with("⚠️ I cannot write to my disk"));
    let pid = Pid::from_raw(full.id().cast_signed()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    full.wait().unwrap();
    assert!(served.seen(ANA, 2).text.contains("under the blue pot"), "once there is room");
    assert_eq!(served.stop(), Some(0));
    assert_eq!(shown(&served).len(), 3);
}

#[test]
fn a_token_that_telegram_does_not_know_is_told_at_the_terminal() {
    let api = BotApi::start();
    let home = Home::new()
        .with("TELEGRAM_API_URL", &api.url())
        .with("TELEGRAM_BOT_TOKEN", "7000009:nonsense")
        .with("TELEGRAM_USER_ID", &ANA.to_string());
    let mut child = home.command(&["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("Telegram does not know the bot token"), "{line}");
    assert!(!line.contains("nonsense"), "{line}");
}

#[test]
fn c1_a_closed_terminal_ends_it_gracefully_unless_it_runs_under_nohup() {
    let log = |home: &Home| std::fs::read_to_string(home.path().join("logs/throughline.log")).unwrap();
    let mut served = Served::new();
    assert_eq!(served.stop(), Some(0));
    // The program that runs the tests may ignore the signal.
    served.start_by(&["env", "--default-signal=HUP"]);
    served.ask("Good morning.");
    served.signal(Signal::HUP);
    assert_eq!(served.ended(), Some(0));
    let text = log(&served.home);
    for words in ["serve started", "serve was told to stop signal=\"SIGHUP\"", "serve stopped"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    served.start_by(&["nohup"]);
    served.signal(Signal::HUP);
    served.ask("Are you there?");
    assert_eq!(served.stop(), Some(0), "it went on, and ends as it is told to");
    assert!(log(&served.home).ends_with("serve stopped\n"));
    assert!(served.api.wait(LONG, |api| (api.shown(ANA).len() == 2).then_some(true)));
}

fn scheduled(home: &Home) -> i64 {
    home.sql().query_row("SELECT count(*) FROM schedules", [], |row| row.get(0)).unwrap()
}

fn settings(home: &Home, name: &str) -> i64 {
    let count = "SELECT count(*) FROM settings WHERE name = ?1";
    home.sql().query_row(count, [name], |row| row.get(0)).unwrap()
}

/// When the newest run was due, and how it ended.
fn last_run(home: &Home) -> (String, String) {
    let runs = home.json(&["routine", "runs", "backup"]);
    let text = |field: &str| runs["runs"][0][field].as_str().unwrap_or_default().to_owned();
    (text("due"), text("state"))
}
