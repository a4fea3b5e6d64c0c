//! Tests with files that are truncated, reordered, duplicated or mutated: each is read without a panic, and yields no
//! message that the intact file does not have.

use std::collections::BTreeSet;
use std::io::Cursor;

use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_engine::Inbound;
use throughline_text::redact::redact;

use super::{Defaults, Entry, Importer, named, recognized};

/// A file of each format, and the JSON pointers to its entries.
pub const SAMPLES: [(&str, &str, &[&str]); 7] = [
    ("chatgpt", include_str!("samples/chatgpt.json"), &[""]),
    ("claude", include_str!("samples/claude.json"), &[""]),
    ("mem0", include_str!("samples/mem0.json"), &["/results"]),
    (
        "telegram",
        include_str!("samples/telegram.json"),
        &["/chats/list/0/messages", "/chats/list/1/messages", "/chats/list"],
    ),
    ("messages", include_str!("samples/messages.json"), &[""]),
    ("whatsapp", include_str!("samples/whatsapp.txt"), &[]),
    ("jsonl", include_str!("samples/jsonl.jsonl"), &[]),
];

/// The result of reading a file.
#[derive(Debug, Default, PartialEq)]
struct Found {
    /// The identity of each message: its chat, its id or else its time, and its text.
    messages: BTreeSet<String>,
    all: usize,
    errors: usize,
}

fn read(importer: &dyn Importer, file: &[u8]) -> Found {
    let defaults =
        Defaults { me: Some("Ana".to_owned()), ..Defaults::new(ChatId::terminal(), TimeZone::UTC) };
    let mut found = Found::default();
    let mut sink = |line: u64, entry: Result<Entry, String>| {
        assert!(line > 0);
        match entry {
            Ok(Entry::Message(inbound)) => {
                redact(&inbound.text);
                found.all += 1;
                found.messages.insert(mark(&inbound));
            }
            Ok(Entry::Carried(_)) => {}
            Err(why) => {
                assert!(!why.is_empty());
                found.errors += 1;
            }
        }
        Ok(())
    };
    importer.read_home(&mut Cursor::new(file), &defaults, &mut sink).unwrap();
    found
}

fn mark(inbound: &Inbound) -> String {
    let id = inbound.exported.as_ref().map(|exported| exported.id.to_string());
    format!("{} {id:?} {:?} {:?} {}", inbound.chat, inbound.external_ids, inbound.at, inbound.text)
}

/// A sample with reordered or duplicated entries.
fn rearranged(sample: &str, places: &[&str], mut change: impl FnMut(&mut Vec<Value>)) -> String {
    if places.is_empty() {
        let mut lines: Vec<Value> = sample.lines().map(Value::from).collect();
        change(&mut lines);
        return lines.iter().map(|line| format!("{}\n", line.as_str().unwrap())).collect();
    }
    let mut document: Value = serde_json::from_str(sample).unwrap();
    for place in places {
        change(document.pointer_mut(place).unwrap().as_array_mut().unwrap());
    }
    serde_json::to_string_pretty(&document).unwrap()
}

#[test]
fn a_sample_is_recognized_and_whole() {
    for (name, sample, _) in SAMPLES {
        let importer = recognized(sample.as_bytes());
        assert_eq!(importer.name(), name);
        let found = read(importer, sample.as_bytes());
        assert!(found.errors == 0 && found.all > 2 && found.messages.len() == found.all, "{name}: {found:?}");
    }
}

#[test]
fn a_file_that_breaks_off_anywhere_gives_only_messages_of_the_whole_file() {
    for (name, sample, _) in SAMPLES {
        let importer = named(name).unwrap();
        let whole = read(importer, sample.as_bytes());
        for cut in 0..sample.len() {
            let part = read(importer, sample.as_bytes().get(..cut).unwrap());
            let more: Vec<_> = part.messages.difference(&whole.messages).collect();
            // A message of WhatsApp has no end mark, so a truncated last message is a message.
            let most = usize::from(name == "whatsapp");
            assert!(more.len() <= most && part.errors <= 1, "{name} at {cut}: {more:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn entries_in_another_order_or_twice_are_the_same_messages(seed in any::<u64>()) {
        for (name, sample, places) in SAMPLES {
            let importer = named(name).unwrap();
            // A line of WhatsApp without a date continues the previous one, so the order of lines matters.
            if name == "whatsapp" {
                continue;
            }
            let whole = read(importer, sample.as_bytes());
            let mut dice = Dice(seed);
            let shuffled = rearranged(sample, places, |entries| {
                for last in (1..entries.len()).rev() {
                    entries.swap(last, dice.below(last + 1));
                }
            });
            prop_assert_eq!(&read(importer, shuffled.as_bytes()), &whole, "{}: {}", name, shuffled);
            let doubled = rearranged(sample, places, |entries| {
                let again = entries.get(dice.below(entries.len())).cloned();
                entries.insert(dice.below(entries.len()), again.unwrap());
            });
            let doubled = read(importer, doubled.as_bytes());
            prop_assert_eq!((&doubled.messages, doubled.errors), (&whole.messages, 0), "{}", name);
        }
    }
}

/// A deterministic source of random numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        all.get(self.below(all.len())).unwrap()
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    /// Changes, inserts, removes or repeats a few bytes, words or pieces of other samples.
    pub fn mutated(&mut self, sample: &[u8]) -> Vec<u8> {
        const WORDS: [&str; 16] = [
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "null",
            "-1e999",
            "\\ud800",
            "\u{feff}",
            "\u{0}",
            "\n",
            "true",
            "18446744073709551616",
        ];
        let mut file = sample.to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(file.len() + 1);
            let end = (at + self.below(40)).min(file.len());
            match self.below(6) {
                0 => drop(file.drain(at..end)),
                1 => drop(file.splice(at..at, WORDS.get(self.below(WORDS.len())).unwrap().bytes())),
                2 => drop(file.splice(at..end, [self.below(256) as u8])),
                3 => {
                    let piece = file.get(at..end).unwrap().to_vec();
                    drop(file.splice(end..end, piece));
                }
                4 => file.truncate(at),
                _ => {
                    let (_, other, _) = SAMPLES.get(self.below(SAMPLES.len())).unwrap();
                    let from = self.below(other.len());
                    let to = (from + self.below(200)).min(other.len());
                    drop(file.splice(at..at, other.as_bytes().get(from..to).unwrap().iter().copied()));
                }
            }
        }
        file
    }
}

/// By their own importer, and by the one that recognizes them. `hostile/fuzz.rs` reads more of them, for longer.
#[test]
fn mutated_files_are_read_without_a_panic() {
    let mut dice = Dice(7);
    for _ in 0..3_000 {
        let (name, sample, _) = dice.pick(&SAMPLES);
        let file = dice.mutated(sample.as_bytes());
        let own = named(name).unwrap();
        let found = read(own, &file);
        assert_eq!(read(own, &file), found, "a file is read the same way each time");
        read(recognized(&file), &file);
    }
}
