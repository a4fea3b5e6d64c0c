//! All entry points that take the text of a message: language, context, models and rendering.

use std::hint::black_box;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::compact;
use throughline_domain::context::{
    Context, ContextInputs, Current, Focus, Format, History, Preset, Recalled, StoredMessage, as_data,
    as_fenced, as_name, assemble, best_passages,
};
use throughline_domain::conversation::Thread;
use throughline_domain::forget::{Aim, Suppression, SuppressionList};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, admit, routine_stand_in};
use throughline_domain::pending::PendingSlot;
use throughline_domain::profile;
use throughline_domain::recall::{dedupe, fuse};
use throughline_domain::routine::{QuietHours, Schedule, with_dates};
use throughline_domain::short_id::IdPrefix;
use throughline_domain::time::read_moment;
use throughline_models::embed::BuiltIn;
use throughline_models::{Offline, Request, Turn, whole_answer};
use throughline_testkit::message;
use throughline_text::answers::{expected, listed, says_yes};
use throughline_text::erase::{Topic, blank, held, value};
use throughline_text::extract::{Kind, LONGEST_STATEMENT, Reading, day, gate, own, stated};
use throughline_text::intent::{self, wanted};
use throughline_text::printable::{Cleaner, printable, without_controls};
use throughline_text::question::{self, NamedSpeaker};
use throughline_text::redact::{asks, may_answer, redact, redact_after, redact_json};
use throughline_text::relate::{Known, attribute, changes_value, follow, relate, same, with_changes};
use throughline_text::sentences::sentences;
use throughline_text::shorten::shorten;
use throughline_text::summarize::{Sections, Spoken, extractive, merged, topics};
use throughline_text::tags::{Stripper, strip};
use throughline_text::{calendar, earlier, generic, tokens, told, when, words};

use super::Reader;
use crate::channels::prose::Prose;
use crate::channels::telegram::format;
use crate::output::{escaped_json, without_styles};
use crate::wrap::wrapped;

/// Length of a piece of a stream, in characters.
const PIECE: usize = 7;

pub const READERS: &[Reader] = &[
    ("sentences", |text| drop(black_box(sentences(text)))),
    ("words", |text| {
        black_box((words::terms(text), words::query_terms(text), words::telling(text)));
        black_box((words::is_stop_word(text), generic::is_generic(text)));
    }),
    ("calendar", |text| {
        use calendar::Language::{EastAsian, English, German};
        let all = &[English, German, EastAsian];
        black_box((calendar::month(text, all), calendar::weekday(text, all), calendar::is_name(text, all)));
        black_box(calendar::is_english_term(text));
    }),
    ("tokens", |text| {
        black_box((tokens::estimate(text), tokens::head(text, 9_000), tokens::tail(text, 9_000)));
    }),
    ("printable", |text| {
        black_box((
            printable(text),
            without_controls(text),
            without_styles(text),
            escaped_json(text.to_owned()),
        ));
        let mut cleaner = Cleaner::default();
        pieces(text, |piece| drop(black_box(cleaner.push(piece))));
    }),
    ("redact", |text| drop(black_box(redact(text)))),
    ("redact after a question", |text| {
        black_box((redact_after(&["what is the password?"], text), redact_after(&[text], "hunter2")));
        black_box((asks(text), may_answer(text)));
    }),
    ("redact JSON", |text| {
        let mut document = json!({ "list": [{ "said": text }] });
        redact_json(&mut document);
    }),
    ("extract", |text| {
        let reading = Reading::of(text);
        for candidate in &reading.candidates(now(), &TimeZone::UTC) {
            let _ = black_box(gate::admit(candidate, &reading, today()));
        }
    }),
    ("own words", |text| drop(black_box(own::unquoted(text)))),
    ("what is told", |text| {
        black_box((told::told(text), told::cited(text), told::modality(text)));
        black_box((
            earlier::is_of_earlier(text, today()),
            earlier::asks_of_earlier(text),
            question::place(text),
        ));
    }),
    ("statement", |text| {
        let said: String = text.chars().take(LONGEST_STATEMENT).collect();
        let candidate = stated(&said, None, today());
        let _ = black_box(gate::admit(&candidate, &Reading::of(text), today()));
        black_box((gate::evidence("I live in Lisbon with my sister", text), gate::evidence(&said, text)));
        black_box(attribute::attribute(Kind::Fact, text));
        black_box(attribute::attribute(Kind::Preference, text));
    }),
    ("same statement", |text| {
        black_box((same::normalized(text), same::exact(text, text)));
    }),
    ("changed statement", |text| {
        let known = |text| Known { kind: Kind::Fact, text, day: None };
        let (new, old) = (known(text), known("I live in Lisbon"));
        black_box(relate(&new, &[old, known(text)], &|_| Some(0.99), 0.9));
        black_box(relate(&old, &[new], &|_| None, 0.9));
        black_box(changes_value(&new, &old));
        let candidate = stated(text, Some(Kind::Date), today());
        black_box((
            follow(candidate, Some(text), today()),
            with_changes(&Reading::of(text), Vec::new(), today()),
        ));
    }),
    ("days", |text| {
        black_box((day::find(text, today()), day::deadline(text, today())));
    }),
    ("phrases of time", |text| {
        black_box(when::read(text, now(), &TimeZone::UTC));
    }),
    ("question", |text| {
        let speakers = [NamedSpeaker { number: 1, name: "Bob".to_owned() }];
        black_box(question::read(text, &speakers, now(), &TimeZone::UTC));
    }),
    ("answers", |text| {
        black_box((expected(text), listed(text), says_yes(text)));
        let slot = PendingSlot::of(stored(text).message.id, "Tea or coffee?", now());
        black_box(slot.map(|slot| slot.answers(text, now())));
        let asked = PendingSlot::of(stored(text).message.id, text, now());
        black_box(asked.map(|slot| slot.answers(text, now())));
    }),
    ("intent", |text| {
        black_box((intent::asks_memory(text), intent::has_subject(text), intent::is_personal(text)));
        black_box((wanted::wanted(text), wanted::is_question(text), wanted::ends_like_a_question(text)));
        black_box(fuse::is_lone_question(text));
    }),
    ("values to forget", |text| drop(black_box((held(text), value(text), blank(text, &sentences(text)))))),
    ("topic to forget", |text| {
        let topic = Topic::read("my sister Marta's address at 12 Rua Augusta, 4 May");
        black_box((topic.find(text), topic.covers(text), topic.is_told(text), topic.clone().learn(text)));
        black_box(topic.touches(text));
        black_box(Topic::read(text).find("my sister Marta lives at 12 Rua Augusta"));
    }),
    ("topic in a text", |text| drop(black_box(lisbon().in_text(text)))),
    ("topic anywhere", |text| {
        black_box(lisbon().is_in(text));
    }),
    ("values in a text", |text| drop(black_box(Aim::at([text]).in_text("I live in Lisbon")))),
    ("topic in metadata", |text| {
        let metadata = json!({ "quote": { "text": text } });
        let metadata = metadata.as_object().cloned().unwrap_or_default();
        black_box(lisbon().in_metadata(&metadata));
    }),
    ("metadata without a topic", |text| {
        let metadata = json!({ "quote": { "text": text } });
        let metadata = metadata.as_object().cloned().unwrap_or_default();
        black_box(lisbon().without(&metadata));
    }),
    ("suppressions", |text| {
        let key = [7; 32];
        let made = [Suppression::of(&key, "I live in Lisbon"), Suppression::of(&key, text)];
        black_box(SuppressionList::new(key, &made).suppressed(text));
        black_box(Suppression::of_topic(&key, &Topic::read("Lisbon"), text).hides(&key, text));
    }),
    ("summary", |text| {
        let sections = extractive(&talk_of(text), &Sections::default());
        black_box((sections.render(), topics(&sections, 5)));
    }),
    ("summaries of more and more", |text| {
        let ferry = extractive(&talk_of("We take the ferry to Ischia on Friday."), &Sections::default());
        black_box(merged(&ferry, extractive(&talk_of(text), &ferry), 400));
    }),
    ("shortened text", |text| drop(black_box(shorten(text, 200)))),
    ("summary of a model", |text| {
        for answer in [text.to_owned(), json!({ "facts": [text, text], "decisions": [text] }).to_string()] {
            if let Ok(sections) = Sections::parse(&answer) {
                black_box((sections.render(), topics(&sections, 5)));
                black_box(merged(&sections, sections.clone(), 400));
            }
        }
    }),
    ("memory tags", |text| drop(black_box(strip(text)))),
    ("memory tags in pieces", |text| {
        let mut stripper = Stripper::default();
        pieces(text, |piece| drop(black_box(stripper.push(piece))));
        black_box(stripper.finish());
    }),
    ("profile", |text| drop(black_box(profile::read(text)))),
    ("message", |text| {
        for role in [Role::User, Role::Assistant, Role::ToolResult] {
            let _ = black_box(admit(text.to_owned(), role));
        }
        black_box((routine_stand_in(text), as_data(text), as_fenced(text), as_name(text)));
        black_box(best_passages(text, "Where does Marta live?", 200));
        black_box(best_passages("Marta lives in Lisbon. She sails.", text, 5));
        black_box(dedupe::groups([text, "I live in Lisbon", text].into_iter()));
    }),
    ("ids and times", |text| {
        let chat = ChatId::terminal();
        let _ = black_box((Lane::parse(text, &chat), text.parse::<ChatId>(), IdPrefix::read(text)));
        let _ = black_box((read_moment(text, &TimeZone::UTC), text.parse::<QuietHours>()));
        let _ = black_box((text.parse::<Schedule>(), with_dates(text, now(), &TimeZone::UTC)));
    }),
    ("transcript to compact", |text| {
        let lane = [stored(text), stored(text)];
        black_box(compact::transcript(&lane, &Sections::default(), &TimeZone::UTC));
        black_box(compact::extractive(&lane, &Sections::default(), &TimeZone::UTC));
    }),
    ("context", |text| {
        for format in [Format::Xml, Format::Text, Format::Roles, Format::Messages] {
            black_box(context(text, format));
        }
    }),
    ("offline model", |text| {
        let context = Arc::new(context(text, Format::Messages));
        let turn = Turn { context, now: now(), zone: TimeZone::UTC, attachments: Vec::new(), tools: None };
        let _ = black_box(wait(whole_answer(&Offline, &Request::Turn(Box::new(turn)))));
    }),
    ("built-in vectors", |text| {
        let builtin = BuiltIn::new().unwrap();
        black_box((builtin.vector(text), builtin.vector_of_question(text)));
        black_box(builtin.ask("Where does Marta live?", &[]).soft_overlap(text));
        black_box(builtin.ask(text, &[]).soft_overlap("Marta lives in Lisbon"));
    }),
    ("Telegram's format", |text| drop(black_box((format::pieces(text), format::plain_pieces(text))))),
    ("Telegram's preview", |text| drop(black_box(format::preview(text)))),
    ("terminal", |text| {
        black_box(wrapped(text, 80));
        for has_color in [false, true] {
            let mut prose = Prose::new(80, has_color);
            pieces(text, |piece| drop(black_box(prose.push(piece))));
            black_box(prose.finish());
        }
    }),
];

/// Runs a future on this thread, so that its CPU time is the thread's.
pub fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Passes on a text in pieces, like a stream.
pub fn pieces(text: &str, mut each: impl FnMut(&str)) {
    let mut letters = text.chars();
    loop {
        let piece: String = letters.by_ref().take(PIECE).collect();
        if piece.is_empty() {
            return;
        }
        each(&piece);
    }
}

fn lisbon() -> Aim {
    Aim::at_topic(Topic::read("Lisbon"), ["I live in Lisbon with Marta"])
}

/// A text that a person and somebody else wrote, around a question of the assistant.
fn talk_of(text: &str) -> [Spoken<'_>; 3] {
    let said = |is_person, speaker, text| Spoken { is_person, speaker, text, day: None };
    [
        said(true, None, text),
        said(false, None, "Shall I book the ferry to Ischia?"),
        said(true, Some("Bob"), text),
    ]
}

fn now() -> Timestamp {
    "2026-02-18T09:00:00Z".parse().unwrap()
}

fn today() -> Date {
    jiff::civil::date(2026, 2, 18)
}

fn stored(text: &str) -> StoredMessage {
    let message = message(&ChatId::terminal()).text(text).build();
    StoredMessage { message, seq: 1, ordinal: 0, opens: true, tokens: tokens::estimate(text) }
}

/// A context with the text in every field that people can fill.
fn context(text: &str, format: Format) -> Context {
    let stored = stored(text);
    let recalled = |kind| Recalled {
        kind,
        id: kind.to_owned(),
        messages: Vec::new(),
        conversation: None,
        lane: None,
        role: Role::User,
        speaker: Some(text.chars().take(40).collect()),
        at: now(),
        seq: 1,
        text: text.to_owned(),
        score: 1.0,
        question: None,
    };
    let inputs = ContextInputs {
        now: now(),
        zone: TimeZone::UTC,
        person: None,
        policy: "Answer.".into(),
        identity: vec![("identity.md".to_owned(), text.to_owned())],
        profile: Some(text.to_owned()),
        quoted: Some(stored.message.clone()),
        last_reply: Some(stored.message.clone()),
        history: History { messages: vec![stored], head: Vec::new() },
        summaries: Vec::new(),
        recalled: vec![recalled("message"), recalled("memory"), recalled("summary")],
        match_is_certain: true,
        focus: Focus::Past,
        message: Some(Current { ids: Vec::new(), text: text.to_owned(), speaker: None }),
        notices: vec![text.to_owned()],
    };
    assemble(&inputs, &Preset::Standard.plan(), format, Thread::New).unwrap()
}
