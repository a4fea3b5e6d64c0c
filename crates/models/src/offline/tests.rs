//! Conversations, and what the built-in model answers in them.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::context::collapse::collapse;
use throughline_domain::context::{Context, Current, Format, Preset, StoredMessage};
use throughline_domain::conversation::Thread;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, Role};

use super::*;

/// Thursday, 19 February 2026.
const NOW: &str = "2026-02-19T15:00:00Z";

/// What the built-in model replies to a question after a conversation. Each line is `minutes before now|who|text`, where
/// the assistant is `bot`, the person is `me`, a routine is `*its-name`, and anybody else a speaker of the chat.
fn ask(lines: &[&str], asked: &str) -> String {
    let now: Timestamp = NOW.parse().unwrap();
    let stored: Vec<StoredMessage> = (1..).zip(lines).map(|(n, line)| stored(n, line, now)).collect();
    let context = Context {
        preset: Preset::Tiered,
        format: Format::Text,
        thread: Thread::Continuation,
        anchor: None,
        budget: 0,
        tokens: 0,
        layers: Vec::new(),
        said: collapse(&stored),
        recalled: Vec::new(),
        message: Some(Current { ids: Vec::new(), text: asked.to_owned(), speaker: None }),
        speaker_parts: Vec::new(),
        prompt: None,
    };
    let turn =
        Turn { context: Arc::new(context), now, zone: TimeZone::UTC, attachments: Vec::new(), tools: None };
    reply(&turn)
}

fn stored(n: u64, line: &str, now: Timestamp) -> StoredMessage {
    let mut parts = line.splitn(3, '|');
    let mut part = || parts.next().unwrap();
    let at = now - SignedDuration::from_mins(part().parse().unwrap());
    let who = part();
    let mut metadata = serde_json::Map::new();
    if let Some(name) = who.strip_prefix('*') {
        metadata.insert("source".to_owned(), json!("routine"));
        metadata.insert("routine".to_owned(), json!(name));
    }
    let is_assistant = who == "bot" || who.starts_with('*');
    let message = Message {
        id: format!("00000000-0000-0000-0000-{n:012}").parse().unwrap(),
        chat: ChatId::terminal(),
        lane: Lane::Root,
        role: if is_assistant { Role::Assistant } else { Role::User },
        text: part().replace('↵', "\n"),
        channel: "cli".to_owned(),
        speaker: (!is_assistant && who != "me").then(|| who.to_owned()),
        agent: None,
        occurred_at: at,
        recorded_at: at,
        external_ids: Vec::new(),
        reply_to: None,
        metadata,
    };
    StoredMessage { message, seq: 1, ordinal: n - 1, opens: n == 1, tokens: 1 }
}

/// Asks each question after the same conversation: the reply has the first of its parts, and not the second.
fn check(lines: &[&str], cases: &[(&str, &str, &str)]) {
    for (asked, has, lacks) in cases {
        let reply = ask(lines, asked);
        assert!(reply.contains(has) && (lacks.is_empty() || !reply.contains(lacks)), "{asked}: {reply}");
    }
}

#[test]
fn h3_no_question_is_quoted_with_or_without_its_mark() {
    let said = [
        "600|me|when is my sisters birthday",
        "590|me|what do you know about my dog",
        "580|me|wo wohne ich",
        "570|me|dónde trabajo",
        "560|me|my sister Lena was born on 3 May 1990",
        "550|me|Our dog Rex is a beagle",
        "540|me|Ich wohne in Ulm",
        "530|me|Am Freitag habe ich Zahnarzt",
    ];
    check(
        &said,
        &[
            ("when is my sister's birthday?", "3 May 1990", "sisters birthday"),
            ("what do you know about my dog", "Rex is a beagle", "what do"),
            ("Wo wohne ich?", "Ich wohne in Ulm", "wo wohne"),
            ("¿Dónde trabajo?", NOTHING_FOUND, "dónde"),
            ("wann habe ich Zahnarzt", "Freitag", "wann habe"),
        ],
    );
}

#[test]
fn h3_what_was_never_told_is_not_found() {
    let said = [
        "600|me|I type fast and drink a lot of tea",
        "590|me|My favourite film is Alien",
        "580|me|I work as a nurse",
        "570|me|My brother moved to Vienna",
        "567|me|I was born on 9 June 1979",
        "565|me|My aunt Lena lives in Graz",
        "560|me|I got a letter from the bank about the mortgage",
        "550|me|Priya is my physiotherapist",
        "540|me|Priya texted about the invoice",
        "530|me|Mein Auto ist ein roter Golf",
        "520|me|我喜欢吃辣的",
        "510|me|We adopted a cat, her name is Pixel",
        "500|me|We have two dogs",
        "490|me|The rent is 900 euros",
    ];
    check(
        &said,
        &[
            ("what's my blood type?", NOTHING_FOUND, "type fast"),
            ("what is my favourite book?", NOTHING_FOUND, "Alien"),
            ("what's my shoe size?", NOTHING_FOUND, "nurse"),
            ("which company does my sister work for?", NOTHING_FOUND, "nurse"),
            (
                "what's my bank account number?",
                NOTHING_FOUND,
                "“I got a letter from the bank about the mortgage”\n",
            ),
            ("when is my aunts birthday", NOTHING_FOUND, "xx"),
            ("what is my mother's name?", NOTHING_FOUND, "Vienna"),
            ("When is Olga's birthday?", NOTHING_FOUND, "1979"),
            ("what is my favourite film?", "Alien", ""),
            ("where does my brother live?", "Vienna", ""),
            ("Who is Priya?", "physiotherapist", "invoice"),
            ("Was ist meine Lieblingsfarbe?", NOTHING_FOUND, "Golf"),
            ("我的血型是什么", NOTHING_FOUND, "辣"),
            ("what is my cat called?", "Pixel", "dogs"),
            ("remind me what my rent is", "900 euros", "nurse"),
        ],
    );
}

#[test]
fn h4_a_time_selects_its_messages_also_if_it_is_not_over() {
    let said = [
        "1600|me|I went to see the new library",
        "1320|me|I baked bread for the neighbors",
        "700|me|I fixed the bike chain",
        "300|me|I called the plumber about the sink",
        "60|me|I ordered new curtains",
    ];
    check(
        &said,
        &[
            ("what did I say this morning?", "plumber", "curtains"),
            ("was habe ich heute früh gesagt?", "plumber", "curtains"),
            ("what did I do today?", "bike chain", "library"),
            ("what did I tell you this week?", "library", ""),
            ("qu'est-ce que j'ai dit hier soir ?", "bread", "library"),
            ("what did I do on Wednesday?", "library", "plumber"),
            ("what did I do on Tuesday?", NOTHING_FOUND, "library"),
            ("what did I say today about the sink?", "plumber", "bike chain"),
        ],
    );
}

#[test]
fn i3_the_newest_statement_holds_and_a_correction_in_the_next_breath() {
    let said = [
        "600|me|My favourite colour is blue.",
        "590|me|I drive a Fiat.",
        "580|me|The meeting with Dana is on Tuesday.",
        "579|bot|Noted.",
        "578|me|no wait, Wednesday",
        "570|me|My train leaves at 9 from platform 4",
        "569|me|sorry, 10 not 9",
        "560|me|My bus leaves at 7 from the harbor",
        "559|bot|Shall I look for 3 seats?",
        "558|me|no, 5",
        "500|me|These days I prefer green, it is my new favourite",
        "490|me|I drive a Volvo now",
    ];
    check(
        &said,
        &[
            ("What is my favourite colour now?", "green", "blue"),
            ("What car do I currently drive?", "Volvo", "Fiat"),
            ("When is the meeting with Dana?", "Wednesday", "Tuesday"),
            ("When does my train leave?", "at 10 from platform 4", "at 9"),
            ("When does my bus leave?", "at 7 from the harbor", ""),
        ],
    );
}

#[test]
fn h3_an_item_of_a_list_is_found_by_its_place() {
    let said = [
        "600|me|My shopping list:↵1. milk↵2. eggs↵3. rye bread",
        "590|me|give me ideas for a gift",
        "589|bot|Here are some ideas:↵1. A scarf↵2. A book about bees↵3. Theatre tickets",
    ];
    check(
        &said,
        &[
            ("what was the 3rd item on my shopping list?", "“rye bread”", "milk"),
            ("what was idea number 2?", "“A book about bees”", "scarf"),
            ("the 2nd item", "“A book about bees”", "scarf"),
            ("the second point is done", "Noted", "scarf"),
            ("Was war der letzte Punkt auf der Liste?", "“Theatre tickets”", "scarf"),
        ],
    );
}

#[test]
fn a5_what_a_speaker_said_is_quoted_of_that_speaker() {
    let said = [
        "600|Ana|The trip should go to Lisbon in May",
        "590|Ben|I would rather book the trip to Oslo",
        "580|Ana|And I am vegan",
    ];
    check(
        &said,
        &[
            ("what did Ana say about the trip?", "Ana said", "Oslo"),
            ("What did Ben say about the trip?", "Oslo", "Lisbon"),
            ("What did Ana say?", "vegan", "Oslo"),
        ],
    );
}

#[test]
fn l9_a_routine_is_found_by_a_loose_name() {
    let said = [
        "600|*smart-checkin|Good morning! Did you drink water? Your first call is at 10 with Dana.",
        "200|*morning-summary|Today is sunny. You have two meetings.",
        "100|me|I had a sandwich",
    ];
    check(
        &said,
        &[
            ("What did the check-in say?", "Did you drink water? Your first call", "sunny"),
            ("what did my morning routine say today?", "sunny. You have two meetings", "water"),
            ("What did the check-in say about Dana?", "“Your first call is at 10 with Dana.”", "water"),
            ("what did I say about the sandwich?", "“I had a sandwich”", "sunny"),
        ],
    );
}
