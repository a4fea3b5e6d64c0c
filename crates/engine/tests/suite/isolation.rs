//! Two thousand random operations in two chats of one person and three of others: nothing that was said in one chat is in
//! what another shows, and no window leaves its lane.
#![expect(clippy::indexing_slicing, reason = "the places are fixed")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::context::LayerName;
use throughline_domain::lane::Lane;
use throughline_engine::commands::{Answer, Request};
use throughline_engine::forget::What;
use throughline_engine::people::People;
use throughline_engine::recall::Question;
use throughline_engine::turn::gather::ContextRequest;
use throughline_engine::{Capture, Engine, Inbound, Settings};
use throughline_models::Offline;
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Shown, TestStore};

const OPERATIONS: usize = 2_000;
/// Ana has the first two chats; the others are Bo's, Cy's, and a group.
const CHATS: [(&str, &str); 5] = [
    ("cli:chat:desk", "ana"),
    ("telegram:chat:4711", "ana"),
    ("telegram:chat:815", "bo"),
    ("telegram:chat:42", "cy"),
    ("telegram:chat:-1001", "group"),
];

/// A number that looks random and is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).unwrap()
    }
}

fn chat(at: usize) -> ChatId {
    CHATS[at].0.parse().unwrap()
}

fn lane(at: usize) -> Lane {
    [Lane::Root, Lane::Topic("7".to_owned()), Lane::Reply("9".to_owned())][at].clone()
}

/// A word that says where it was said: `q<chat>z<lane>z<number>q`, or `k<person>z<number>q` for a memory.
fn marks(text: &str, first: char) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_mark = |word: &&str| {
        word.len() > 4
            && word.starts_with(first)
            && word.ends_with('q')
            && word.contains('z')
            && word.contains(char::is_numeric)
    };
    words.filter(is_mark).collect()
}

/// Asserts that a text holds only what was said in a chat, in one lane of it if that is given, and what its person told.
fn is_own(text: &str, at: usize, in_lane: Option<usize>, what: &str) {
    let beginning = match in_lane {
        Some(lane) => format!("q{at}z{lane}z"),
        None => format!("q{at}z"),
    };
    for mark in marks(text, 'q') {
        assert!(mark.starts_with(&beginning), "{what} of {} shows {mark}: {text}", CHATS[at].0);
    }
    let person = CHATS[at].1;
    for mark in marks(text, 'k') {
        assert!(mark.starts_with(&format!("k{person}z")), "{what} of {} shows {mark}: {text}", CHATS[at].0);
    }
}

async fn look(engine: &Engine, at: usize, at_lane: usize, words: &str) {
    let (chat, lane) = (chat(at), lane(at_lane));
    let message =
        throughline_domain::context::Current { ids: Vec::new(), text: words.to_owned(), speaker: None };
    let request =
        ContextRequest { message: Some(message), ..ContextRequest::new(chat.clone(), lane.clone()) };
    let context = engine.preview(request).await.unwrap();
    for layer in &context.layers {
        match layer.name {
            LayerName::Message => {}
            LayerName::Recent => is_own(&layer.text, at, Some(at_lane), "the window"),
            _ => is_own(&layer.text, at, None, layer.name.as_str()),
        }
    }
    let question = Question { text: words.to_owned(), limit: 20, ..Question::default() };
    for hit in engine.recall(&chat, question).await.unwrap().hits {
        assert_eq!(hit.stored.message.chat, chat);
        is_own(&hit.stored.message.text, at, None, "a search");
    }
    for hit in engine.recall_pieces(&chat, words).await.unwrap() {
        is_own(hit.piece.text(), at, None, "a search for memories and summaries");
    }
    let summaries = engine.summaries(&chat, &lane).await.unwrap();
    for (_, summary) in &summaries.summaries {
        is_own(&summary.text, at, None, "a summary");
    }
    is_own(&engine.overview(&chat, &lane).await.unwrap().text(), at, None, "the profile");
    let help = engine.run_command(&chat, &lane, &Request::parse("/search the tram").unwrap()).await.unwrap();
    let Answer::Found(found) = help else { panic!("a search") };
    found.hits.iter().for_each(|hit| is_own(&hit.text, at, None, "/search"));
}

#[tokio::test]
async fn a6_two_thousand_operations_in_five_chats_and_three_lanes_cross_nothing() {
    let test = TestStore::fresh().await;
    let clock = MovedClock::at("2026-02-18T07:00:00Z");
    let plain = test.engine(Arc::clone(&clock), Arc::new(Offline));
    let people = People {
        here: Some("ana".to_owned()),
        chats: HashMap::new(),
        owners: [chat(1)].into_iter().collect(),
        ..People::default()
    };
    // What is said teaches nothing; what is remembered belongs to the person.
    let settings = Settings { people, capture: Capture::Explicit, ..Settings::clone(&plain.settings) };
    let engine = Engine { settings: Arc::new(settings), ..plain };
    let mut dice = Dice(11);
    let mut counts = [0_usize; 6];
    for n in 0..OPERATIONS {
        let (at, at_lane) = (dice.below(CHATS.len()), dice.below(3));
        let (chat, lane, person) = (chat(at), lane(at_lane), CHATS[at].1);
        let mark = format!("q{at}z{at_lane}z{n}q");
        let said = |text: String| Inbound {
            lane: Some(lane.clone()),
            text,
            speaker: (person == "group").then(|| "Zoe".to_owned()),
            ..Inbound::in_chat(chat.clone())
        };
        let kind = match dice.below(100) {
            0..60 => {
                engine
                    .record_message(
                        said(format!("The tram {mark} came late to the market.")),
                        Purpose::Record,
                    )
                    .await
                    .unwrap();
                0
            }
            60..72 => {
                let turn = said(format!("Which tram was late, {mark}?"));
                let outcome = engine.take_turn(turn, &Shown::default()).await.unwrap();
                is_own(&outcome.reply.text, at, None, "a reply");
                1
            }
            72..82 => {
                engine
                    .remember(&chat, &format!("I collect stamps of the series k{person}z{n}q"), None)
                    .await
                    .unwrap();
                2
            }
            82..86 => {
                clock.pass(SignedDuration::from_mins(45));
                engine.run_jobs(Instant::now() + Duration::from_secs(60)).await.unwrap();
                3
            }
            86..89 => {
                let older = format!("q{at}z{at_lane}z{}q", dice.below(n + 1));
                engine.forget(&chat, &What::Topic(older), false).await.unwrap();
                4
            }
            _ => {
                look(&engine, at, at_lane, "Which tram was late at the market, and what do I collect?").await;
                5
            }
        };
        counts[kind] += 1;
        clock.pass(SignedDuration::from_mins(2));
    }
    engine.run_jobs(Instant::now() + Duration::from_secs(120)).await.unwrap();
    let mut summaries = 0;
    for at in 0..CHATS.len() {
        for at_lane in 0..3 {
            look(&engine, at, at_lane, "Which tram was late at the market?").await;
        }
        summaries += engine.summaries(&chat(at), &Lane::Root).await.unwrap().summaries.len();
        let exported = engine.store.chat(&chat(at)).recorded_after(i64::MIN, 10_000).await.unwrap();
        assert!(exported.len() > 100);
        exported.iter().for_each(|stored| is_own(&stored.message.text, at, None, "the record"));
    }
    assert!(counts.iter().all(|count| *count > 30) && summaries > 20, "{counts:?}, {summaries} summaries");
}
