//! Runs the Bot API's double for trying the bot by hand: type as a person, see what the bot sends.
//!
//! `4711: hello` is said by person 4711, plain text by the last one who spoke, `!press TEXT` presses a button
//! of the bot's newest message. The first argument is the port, 8081 unless given.

#![expect(clippy::print_stdout, reason = "the terminal is this program's only door")]

use std::collections::BTreeMap;
use std::io::stdin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use throughline_testkit::bot_api::{BotApi, BotMessage, Button};

const FIRST_PERSON: i64 = 4711;
const FOREVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(8081);
    let api = BotApi::start_at(port);
    // People who try things out restart the bot often.
    api.hold(Duration::ZERO);
    println!("TELEGRAM_API_URL={}\nTELEGRAM_BOT_TOKEN={}", api.url(), api.token());
    println!("TELEGRAM_USER_ID={FIRST_PERSON}\n");

    let speaker = AtomicI64::new(FIRST_PERSON);
    api.person(FIRST_PERSON, "Person 4711");
    thread::scope(|scope| {
        scope.spawn(|| print_messages(&api, &speaker));
        for line in stdin().lines().map_while(Result::ok) {
            obey(&api, &speaker, line.trim());
        }
        std::process::exit(0);
    });
}

/// Does what a typed line says.
fn obey(api: &BotApi, speaker: &AtomicI64, line: &str) {
    if let Some(button) = line.strip_prefix("!press ") {
        press(api, speaker.load(Ordering::Relaxed), button);
        return;
    }
    let named =
        line.split_once(':').and_then(|(person, text)| Some((person.trim().parse().ok()?, text.trim())));
    let (person, text) = named.unwrap_or_else(|| (speaker.load(Ordering::Relaxed), line));
    speaker.store(person, Ordering::Relaxed);
    if !text.is_empty() {
        api.says(person, person, text);
    }
}

fn press(api: &BotApi, person: i64, button: &str) {
    let newest = api.shown(person).pop();
    let has_button =
        |message: &BotMessage| message.keyboard.iter().flatten().any(|found| found.text == button);
    match newest.filter(has_button) {
        Some(message) => drop(api.presses(person, person, message.message_id, button)),
        None => println!("The newest message has no button {button:?}."),
    }
}

/// Prints what is new or changed in the speaker's chat, for as long as the program runs.
fn print_messages(api: &BotApi, speaker: &AtomicI64) {
    let mut printed: BTreeMap<(i64, i64), BotMessage> = BTreeMap::new();
    loop {
        let (chat, message) = api.wait(FOREVER, |api| {
            let chat = speaker.load(Ordering::Relaxed);
            let is_news = |message: &BotMessage| printed.get(&(chat, message.message_id)) != Some(message);
            Some((chat, api.shown(chat).into_iter().find(is_news)?))
        });
        let key = (chat, message.message_id);
        let sign = if printed.contains_key(&key) { "edited" } else { "bot" };
        println!("[{sign} {} in {chat}] {}", message.message_id, message.text);
        for row in &message.keyboard {
            println!("    {}", row.iter().map(|Button { text, .. }| format!("[{text}]")).collect::<String>());
        }
        printed.insert(key, message);
    }
}
