//! Faults between the program and Telegram: it recovers, reports them, and sends nothing twice.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_testkit::bot_api::{BotApi, Call, Fault, Form};

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};
use crate::common::{BINARY, Home, Ran};

/// Somebody else whom the bot serves.
const BEN: i64 = 815;
/// Nobody the bot serves.
const STRANGER: i64 = 99_887_766;
/// Maximum time for a process to stop after it was told to.
const SOON: Duration = Duration::from_secs(2);

/// Sets a variable of a home whose program does not run.
fn set(served: &mut Served, name: &'static str, value: &str) {
    let home = std::mem::replace(&mut served.home, Home::new());
    served.home = home.with(name, value);
}

/// Looks at `status` until there is something to see.
pub(super) fn status<T>(home: &Home, look: impl Fn(&Value) -> Option<T>) -> T {
    let until = Instant::now() + LONG;
    loop {
        let status = home.json(&["status"]);
        if let Some(found) = look(&status) {
            return found;
        }
        assert!(Instant::now() < until, "status never showed it: {status:#}");
    }
}

/// Waits until `status` shows an account in a state, and gives what it says is the failure.
fn account_is(home: &Home, state: &str) -> String {
    status(home, |status| {
        let account = &status["accounts"][0];
        (account["state"] == state).then(|| account["problem"].as_str().unwrap_or_default().to_owned())
    })
}

/// Waits until the program waits for updates.
fn listens(api: &BotApi) {
    api.wait(LONG, |api| {
        let polls = api.calls_of("getUpdates");
        let last = polls.last()?;
        (last.params["timeout"] == 50 && last.answered.is_none() && api.is_polled()).then_some(())
    });
}

/// Waits until everything that arrived was taken in.
fn took_in(api: &BotApi) {
    api.wait(LONG, |api| (api.pending() == 0).then_some(()));
    listens(api);
}

/// Calls a method of the bot as another program would.
fn call_from_elsewhere(api: &BotApi, method: &str, parameters: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(api.url().trim_start_matches("http://")).unwrap();
    let (token, body) = (api.token(), parameters.to_string());
    let length = body.len();
    write!(
        stream,
        "POST /bot{token}/{method} HTTP/1.1\r\nhost: telegram\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    stream
}

/// The code of the error that a call was answered with.
fn refused(call: &Call) -> Option<u64> {
    call.answered.as_ref()?["error_code"].as_u64()
}

/// How often a text is among the bot's messages in Ana's chat.
fn times_shown(api: &BotApi, text: &str) -> usize {
    api.shown(ANA).iter().filter(|message| message.text == text).count()
}

/// An update with a message of Ana's.
fn update(id: i64, message_id: i64, text: &str) -> Value {
    json!({
        "update_id": id,
        "message": {
            "message_id": message_id, "date": 1_772_442_000, "text": text,
            "from": { "id": ANA, "is_bot": false, "first_name": "Ana" },
            "chat": { "id": ANA, "type": "private", "first_name": "Ana" },
        },
    })
}

#[test]
fn a_second_poller_is_outlasted_and_status_says_so() {
    let served = Served::new();
    listens(&served.api);
    let other = call_from_elsewhere(&served.api, "getUpdates", &json!({ "timeout": 0 }));
    let problem = account_is(&served.home, "failing");
    assert!(problem.contains("terminated by other getUpdates request"), "{problem}");
    drop(other);
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    assert_eq!(account_is(&served.home, "listening"), "");
}

#[test]
fn a_webhook_is_removed_and_what_waits_is_answered() {
    let mut served = Served::new();
    listens(&served.api);
    served.stop();
    let elsewhere =
        call_from_elsewhere(&served.api, "setWebhook", &json!({ "url": "https://example.org/bot" }));
    served.api.wait(LONG, |api| api.calls_of("setWebhook").first()?.answered.clone());
    drop(elsewhere);
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    served.start();
    let problem = account_is(&served.home, "failing");
    assert!(problem.contains("webhook"), "{problem}");
    assert_eq!(served.seen(ANA, 0).text, "Noted.");
    assert_eq!(account_is(&served.home, "listening"), "");
}

#[test]
fn telegram_is_left_alone_for_as_long_as_it_asks() {
    for method in ["sendMessage", "getUpdates", "getMe"] {
        let mut served = Served::new();
        listens(&served.api);
        served.stop();
        served.api.fault(method, Fault::TooMany { retry_after: 2 });
        served.api.says(ANA, ANA, "My sister is called Annabel.");
        let before = served.api.calls().len();
        served.start();
        assert_eq!(served.seen(ANA, 0).text, "Noted.", "{method}");
        let calls: Vec<Call> =
            served.api.calls().split_off(before).into_iter().filter(|call| call.method == method).collect();
        assert_eq!(refused(&calls[0]), Some(429), "{method}");
        let pause = calls[1].at - calls[0].at;
        assert!(pause >= Duration::from_secs(2) && pause < Duration::from_secs(5), "{method}: {pause:?}");
        listens(&served.api);
        assert_eq!(times_shown(&served.api, "Noted."), 1, "{method}");
        let done = json!({ "pending": 0, "uncertain": 0, "failed": 0 });
        status(&served.home, |status| (status["outbox"] == done).then_some(()));
    }
}

#[test]
fn what_certainly_did_not_leave_is_sent_again_and_seen_once() {
    let served = Served::new();
    served.api.fault("sendMessage", Fault::TooMany { retry_after: 1 });
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    let replies =
        status(&served.home, |status| (status["replies"]["pending"] == 0).then(|| status["replies"].clone()));
    assert_eq!(replies["uncertain"], 0);
    assert_eq!(served.api.calls_of("sendMessage").len(), 2);
    assert_eq!(served.api.shown(ANA).len(), 1);
}

#[test]
fn an_answer_that_comes_late_is_an_answer() {
    let served = Served::new();
    served.api.fault("sendMessage", Fault::Slow(Duration::from_millis(1_500)));
    served.ask("My sister is called Annabel.");
    let reply = served.ask("What is my sister called?").text;
    assert!(reply.contains("Annabel"), "{reply}");
    let replies =
        status(&served.home, |status| (status["replies"]["pending"] == 0).then(|| status["replies"].clone()));
    assert_eq!(replies["uncertain"], 0);
    assert_eq!(served.api.calls_of("sendMessage").len(), 2);
}

/// What becomes of a reply that left without an answer: it is not sent again, `status` shows it, the person is told before
/// the next message, and the model hears of it in the next turn and in no other.
fn is_told_once(fault: &Fault, seen: usize, lose: impl FnOnce(&mut Served)) {
    let server = MessagesServer::start(|asked| {
        let last = asked["messages"].as_array().unwrap().last().unwrap().to_string();
        let reply =
            ["first", "second", "third"].into_iter().find(|word| last.contains(&format!("the {word} thing")));
        Answer::Says(format!("Heard the {}.", reply.unwrap_or("rest")))
    });
    server.serve(|| {
        let mut served = Served::with(|| {
            Home::new()
                .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
                .with("THROUGHLINE_SMALL_MODEL", "offline")
                .with("ANTHROPIC_BASE_URL", &server.url())
                .with("ANTHROPIC_API_KEY", "test")
        });
        served.api.fault("sendMessage", fault.clone());
        served.api.says(ANA, ANA, "Here is the first thing.");
        lose(&mut served);
        status(&served.home, |status| (status["replies"]["uncertain"] == 1).then_some(()));
        served.api.says(ANA, ANA, "Here is the second thing.");
        let told = "I am not sure that my last reply reached you: “Heard the first.”";
        assert_eq!(served.seen(ANA, seen).text, told, "{fault:?}");
        assert_eq!(served.seen(ANA, seen + 1).text, "Heard the second.", "{fault:?}");
        served.api.says(ANA, ANA, "Here is the third thing.");
        assert_eq!(served.seen(ANA, seen + 2).text, "Heard the third.", "{fault:?}");
        assert_eq!(times_shown(&served.api, "Heard the first."), seen, "{fault:?}");
        let about_first = |call: &&Call| call.params["text"] == "Heard the first.";
        assert_eq!(served.api.calls_of("sendMessage").iter().filter(about_first).count(), 1, "{fault:?}");
        assert_eq!(served.home.json(&["status"])["replies"]["uncertain"], 1, "{fault:?}");
    });
    let told: Vec<bool> =
        server.asked().iter().map(|asked| asked.to_string().contains("not certain")).collect();
    assert_eq!(told, [false, true, false], "{fault:?}");
}

#[test]
fn c1_a_reply_without_an_answer_is_never_repeated_and_told_to_the_next_turn_once() {
    let error = |code: u16| Fault::Refuse { code, description: "Internal Server Error".to_owned() };
    let after = |code: u16, form: Form| Fault::ErrorAfter { code, form };
    let cases = [
        (Fault::CutBefore, 0),
        (Fault::CutAfter, 1),
        (Fault::GatewayBefore, 0),
        (error(500), 0),
        (after(500, Form::Json), 1),
        (after(502, Form::Html), 1),
        (after(504, Form::Json), 1),
        (after(504, Form::Html), 1),
    ];
    for (fault, seen) in cases {
        is_told_once(&fault, seen, |_| {});
    }
}

#[test]
fn c1_a_reply_that_was_on_its_way_when_the_program_died_is_never_repeated() {
    for (fault, seen) in [(Fault::HangBefore, 0), (Fault::HangAfter, 1)] {
        is_told_once(&fault, seen, |served| {
            served.api.wait(LONG, |api| api.calls_of("sendMessage").first().cloned());
            served.restart_now();
        });
    }
}

#[test]
fn what_was_said_while_the_network_was_gone_is_answered_once_it_is_back() {
    let served = Served::new();
    listens(&served.api);
    served.api.offline(true);
    assert!(!account_is(&served.home, "failing").is_empty());
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    served.api.offline(false);
    assert_eq!(served.seen(ANA, 0).text, "Noted.");
    assert_eq!(account_is(&served.home, "listening"), "");
    took_in(&served.api);
    assert_eq!(served.api.shown(ANA).len(), 1);
}

#[test]
fn what_cannot_leave_the_machine_waits_and_leaves_later() {
    let mut served = Served::new();
    listens(&served.api);
    served.stop();
    let port: u16 = served.api.url().rsplit(':').next().unwrap().parse().unwrap();
    // Nobody is at the port any more.
    drop(std::mem::replace(&mut served.api, BotApi::start()));
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {}
    let chat = format!("telegram:chat:{ANA}");
    served.home.ok(&["send", "--chat", &chat, "--routine", "backup", "The backup is done."]);
    assert_eq!(served.home.json(&["status"])["outbox"], json!({ "pending": 1, "uncertain": 0, "failed": 0 }));

    served.api = BotApi::start_at(port);
    served.api.person(ANA, "Ana");
    served.start();
    assert!(served.seen(ANA, 0).text.contains("The backup is done."));
    status(&served.home, |status| {
        (status["outbox"] == json!({ "pending": 0, "uncertain": 0, "failed": 0 })).then_some(())
    });
    assert_eq!(served.api.calls_of("sendMessage").len(), 1);
}

#[test]
fn every_interruption_is_got_over_as_fast_as_the_first() {
    let served = Served::new();
    for _ in 0..4 {
        listens(&served.api);
        let before = served.api.calls().len();
        served.api.fault("getUpdates", Fault::CutBefore);
        // Taken in without an answer, so that the next poll is cut.
        served.api.says(STRANGER, STRANGER, "Hello?");
        let (cut, next) = served.api.wait(LONG, |api| {
            let calls = api.calls().split_off(before);
            let cut = calls.iter().find(|call| call.method == "getUpdates")?;
            Some((cut.at, calls.iter().find(|call| call.method == "getMe")?.at))
        });
        assert!(next - cut < Duration::from_secs(2), "{:?}", next - cut);
    }
}

#[test]
fn a_refused_message_holds_up_nothing_else() {
    let refusals = [
        (403, "Forbidden: bot was blocked by the user"),
        (403, "Forbidden: user is deactivated"),
        (400, "Bad Request: chat not found"),
    ];
    for (code, description) in refusals {
        let served = Served::with(|| Home::new().with("TELEGRAM_ALLOWED_USERS", &BEN.to_string()));
        served.api.person(BEN, "Ben");
        served.api.fault("sendMessage", Fault::Refuse { code, description: description.to_owned() });
        served.api.says(ANA, ANA, "My sister is called Annabel.");
        status(&served.home, |status| (status["outbox"]["failed"] == 1).then_some(()));
        assert!(served.ask("What is my sister called?").text.contains("Annabel"), "{description}");
        assert_eq!(served.ask_in(BEN, BEN, "My dog is called Rex.").text, "Noted.", "{description}");
        status(&served.home, |status| {
            (status["outbox"] == json!({ "pending": 0, "uncertain": 0, "failed": 1 })).then_some(())
        });
        assert_eq!(served.api.shown(ANA).len(), 1, "{description}: it is not sent again");
    }
}

#[test]
fn a_person_who_blocked_the_bot_is_written_to_again_once_they_are_back() {
    let served = Served::new();
    let send = |chat: i64| {
        let chat = format!("telegram:chat:{chat}");
        served.home.run(&["send", "--chat", &chat, "--routine", "backup", "The backup is done."])
    };
    served.api.block(ANA);
    send(ANA);
    send(1_234);
    status(&served.home, |status| (status["outbox"]["failed"] == 2).then_some(()));
    served.api.unblock(ANA);
    assert_eq!(send(ANA).code, Some(0));
    assert!(served.seen(ANA, 0).text.contains("The backup is done."));
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    status(&served.home, |status| (status["outbox"]["pending"] == 0).then_some(()));
}

/// A home whose settings are in its file alone.
fn in_file(served: &mut Served, token: &str) {
    let settings = format!("[telegram]\nbot_token = \"{token}\"\nuser_id = {ANA}\n");
    std::fs::write(served.home.path().join("config.toml"), settings).unwrap();
}

#[test]
fn a_token_that_was_replaced_is_found_in_the_settings_while_it_runs() {
    let mut served = Served::new();
    served.stop();
    set(&mut served, "TELEGRAM_BOT_TOKEN", "");
    set(&mut served, "TELEGRAM_USER_ID", "");
    let old = served.api.token();
    in_file(&mut served, &old);
    served.start();
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    listens(&served.api);

    let new = format!("{}:ROTATED-abcdefghijklmnopqrstuvw", served.api.bot_id());
    served.api.rotate_token(&new);
    let problem = account_is(&served.home, "failing");
    assert!(problem.contains("token") && !problem.contains(&old), "{problem}");
    served.api.says(ANA, ANA, "What is my sister called?");
    in_file(&mut served, &new);
    let reply = served.seen(ANA, 1).text;
    assert!(reply.contains("Annabel"), "{reply}");
    assert_eq!(account_is(&served.home, "listening"), "");
    assert_eq!(served.home.json(&["status"])["accounts"].as_array().unwrap().len(), 1);
    assert_eq!(served.stop(), Some(0));
    for (file, bytes) in served.home.files() {
        if file.ends_with("config.toml") {
            continue;
        }
        for token in [&old, &new] {
            let holds = bytes.windows(token.len()).any(|window| window == token.as_bytes());
            assert!(!holds, "c6: a token is in {}", file.display());
        }
    }
}

#[test]
fn the_same_update_is_answered_once() {
    let mut served = Served::new();
    listens(&served.api);
    // A command is done at once, and leaves no message behind that it could be known by.
    let again = [
        update(830_000_500, 700, "My sister is called Annabel."),
        update(830_000_501, 701, "/remember My dog is called Rex."),
    ];
    again.iter().for_each(|update| served.api.push(update.clone()));
    served.seen(ANA, 1);
    took_in(&served.api);
    again.iter().for_each(|update| served.api.push(update.clone()));
    took_in(&served.api);
    served.restart();
    listens(&served.api);
    again.iter().for_each(|update| served.api.push(update.clone()));
    took_in(&served.api);
    assert!(served.ask("What is my sister called?").text.contains("Annabel"));
    assert_eq!(served.api.shown(ANA).len(), 3);
}

#[test]
fn an_update_that_cannot_be_read_is_told_and_stops_nothing() {
    let served = Served::new();
    listens(&served.api);
    let mut broken = update(830_000_500, 700, "This one cannot be read.");
    broken["message"]["message_id"] = json!("seven hundred");
    served.api.push(broken);
    served.api.push(json!({ "update_id": 830_000_501, "message": 5 }));
    served.api.push(json!({ "update_id": 830_000_502, "message": { "message_id": 701 } }));
    served.api.push(update(830_000_503, 702, "My sister is called Annabel."));
    assert!(served.seen(ANA, 0).text.starts_with("I could not read your last message."));
    assert_eq!(served.seen(ANA, 1).text, "Noted.");
    took_in(&served.api);
    assert_eq!(account_is(&served.home, "listening"), "");
}

#[test]
fn messages_of_another_bot_with_the_same_numbers_are_other_messages() {
    let mut served = Served::new();
    served.ask("My sister is called Annabel.");
    let numbers = |api: &BotApi| api.shown(ANA).iter().map(|message| message.message_id).collect::<Vec<_>>();
    let of_first = numbers(&served.api);
    assert_eq!(served.stop(), Some(0));

    let other = BotApi::start();
    other.hold(Duration::ZERO);
    other.person(ANA, "Ana");
    other.rotate_token("7000009:OTHER-abcdefghijklmnopqrstuvwx");
    set(&mut served, "TELEGRAM_API_URL", &other.url());
    set(&mut served, "TELEGRAM_BOT_TOKEN", &other.token());
    served.api = other;
    served.start();
    assert_eq!(served.ask("My dog is called Rex.").text, "Noted.");
    assert_eq!(numbers(&served.api), of_first, "the numbers are the same");
    assert!(served.ask("What is my sister called?").text.contains("Annabel"), "the person is the same");
    assert_eq!(served.home.messages(), 6);
    status(&served.home, |status| {
        let states: Vec<_> =
            status["accounts"].as_array()?.iter().map(|account| account["state"].as_str()).collect();
        (states == [Some("stopped"), Some("listening")]).then_some(())
    });
}

#[test]
fn after_a_week_of_silence_lower_numbers_are_heard() {
    let mut served = Served::with(|| Home::new().with("THROUGHLINE_NOW", "2026-03-02T09:00:00Z"));
    served.ask("My sister is called Annabel.");
    listens(&served.api);
    assert_eq!(served.stop(), Some(0));
    set(&mut served, "THROUGHLINE_NOW", "2026-03-10T09:00:00Z");
    served.api.push(update(5, 700, "What is my sister called?"));
    served.start();
    let reply = served.seen(ANA, 1).text;
    assert!(reply.contains("Annabel"), "{reply}");
    // From here on the new numbers count.
    served.api.push(update(6, 701, "My dog is called Rex."));
    assert_eq!(served.seen(ANA, 2).text, "Noted.");
}

#[test]
fn one_program_serves_a_home() {
    let mut served = Served::new();
    let mut second = served.home.bare("timeout");
    let second = Ran::of(second.args(["20", BINARY, "serve", "--listen", "127.0.0.1:0"]));
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("another `throughline serve`"), "{second:?}");
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.", "the first still works");
    // However the first ends, the next may begin.
    served.restart();
    assert!(served.ask("What is my sister called?").text.contains("Annabel"));
}

#[test]
fn told_to_stop_it_stops_soon_whatever_it_waits_for() {
    type Wait = fn(&Served);
    let waits: [(&str, Wait); 4] = [
        ("for updates", |served| listens(&served.api)),
        ("for the network", |served| {
            listens(&served.api);
            served.api.offline(true);
            account_is(&served.home, "failing");
        }),
        ("until it may send", |served| {
            served.api.fault("sendMessage", Fault::TooMany { retry_after: 60 });
            served.api.says(ANA, ANA, "My sister is called Annabel.");
            served.api.wait(LONG, |api| refused(api.calls_of("sendMessage").first()?));
        }),
        ("until it may listen", |served| {
            listens(&served.api);
            served.api.fault("getUpdates", Fault::TooMany { retry_after: 60 });
            served.api.says(STRANGER, STRANGER, "Hello?");
            account_is(&served.home, "failing");
        }),
    ];
    for (what, wait) in waits {
        let mut served = Served::new();
        wait(&served);
        let asked = Instant::now();
        assert_eq!(served.stop(), Some(0), "{what}");
        assert!(asked.elapsed() < SOON, "{what}: {:?}", asked.elapsed());
        let status = served.home.json(&["status"]);
        assert_eq!(status["accounts"][0]["state"], "stopped", "{what}");
    }
}

/// A program that serves without a bot, and ends with the test.
struct Serving {
    child: Child,
    document: Value,
}

impl Serving {
    fn start(home: &Home) -> Self {
        let mut child = home.command(&["--json", "serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut line = Vec::new();
        let stdout = child.stdout.as_mut().unwrap();
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        Self { child, document: serde_json::from_slice(&line).unwrap() }
    }

    fn connect(&self) -> TcpStream {
        let address = self.document["listening"].as_str().unwrap();
        TcpStream::connect(address.trim_start_matches("http://")).unwrap()
    }

    fn get(&self, path: &str) -> (String, String) {
        self.get_with(path, "")
    }

    /// Asks with further header lines, each ended.
    fn get_with(&self, path: &str, headers: &str) -> (String, String) {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}connection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    fn stop(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_raw(self.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn l26_health_is_ok_without_a_bot_and_open_connections_do_not_keep_it_from_ending() {
    let home = Home::new();
    let mut serving = Serving::start(&home);
    assert_eq!(serving.document["telegram"], false);
    let (head, body) = serving.get("/health");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((head.as_str(), &body["status"]), ("HTTP/1.1 200 OK", &json!("ok")));
    assert!(serving.get("/nothing").0.contains("404"));
    let mut silent = serving.connect();
    let mut half = serving.connect();
    half.write_all(b"GET /health HTTP/1.1\r\nhost").unwrap();
    silent.flush().unwrap();
    let asked = Instant::now();
    assert_eq!(serving.stop(), Some(0));
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
}

#[test]
fn a_token_guards_every_path_but_the_health_of_this_machine() {
    let home = Home::new().with("THROUGHLINE_API_TOKEN", "t0ken");
    let serving = Serving::start(&home);
    for (headers, status) in [
        ("", "401 Unauthorized"),
        ("authorization: Bearer wrong\r\n", "401 Unauthorized"),
        ("authorization: Bearer t0ken\r\n", "404 Not Found"),
    ] {
        let (head, body) = serving.get_with("/nothing", headers);
        assert_eq!(head, format!("HTTP/1.1 {status}"), "{headers}");
        if status.starts_with("401") {
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(body["error"]["code"], "unauthorized");
        }
    }
    assert_eq!(serving.get("/health").0, "HTTP/1.1 200 OK");
}

#[test]
fn a_server_that_can_be_reached_from_elsewhere_needs_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let Ran { code, stdout, stderr } = Home::new().run(&["serve", "--listen", address]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{address}: {stderr}");
        assert!(stderr.contains("THROUGHLINE_API_TOKEN"), "{address}: {stderr}");
    }
}
