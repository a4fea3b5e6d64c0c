//! Parses the memories in a model's answer. Anything but the expected JSON is an error; statements without a quote of
//! the person's words are dropped.

use std::ops::Range;

use jiff::civil::Date;
use serde::Deserialize;
use throughline_domain::memory::{Kind, LONGEST_STATEMENT};
use throughline_text::extract::{Candidate, day, stated};
use throughline_text::shorten::one_line;

/// Maximum length of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 32 * 1024;
/// Maximum number of statements per message.
const MAX_STATEMENTS: usize = 12;
/// Confidence of a model's statement that passed the gate.
const CONFIDENCE: f32 = 0.8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(default)]
    memories: Vec<Statement>,
}

#[derive(Deserialize)]
struct Statement {
    kind: Kind,
    text: String,
    #[serde(default)]
    quote: String,
    /// The day of an event, or the deadline of a goal.
    #[serde(default)]
    day: Option<Date>,
}

/// Parses the candidates in an answer about a message.
pub(super) fn read(answer: &str, said: &str, today: Date) -> Result<Vec<Candidate>, String> {
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(format!("it has {} bytes", answer.len()));
    }
    let object = |start: usize| {
        let rest = answer.get(start..)?;
        serde_json::Deserializer::from_str(rest).into_iter::<Listed>().next()?.ok()
    };
    let listed = answer.match_indices('{').find_map(|(start, _)| object(start));
    let listed = listed.ok_or("it holds no whole JSON object with a list of memories")?;
    if listed.memories.len() > MAX_STATEMENTS {
        return Err(format!("it lists {} memories", listed.memories.len()));
    }
    Ok(listed.memories.into_iter().filter_map(|statement| candidate(statement, said, today)).collect())
}

fn candidate(statement: Statement, said: &str, today: Date) -> Option<Candidate> {
    let text = one_line(&statement.text);
    let span = find(said, &statement.quote)?;
    let fits = !text.is_empty() && text.chars().count() <= LONGEST_STATEMENT;
    let read = stated(&text, Some(statement.kind), today);
    let quote = said.get(span.clone())?;
    // A day in the person's own words takes precedence over the model's.
    let quoted = stated(quote, Some(statement.kind), today);
    let named = read.day.or_else(|| day_in(&text));
    let day = quoted.day.or(statement.day).or(named);
    let text = match day {
        Some(day) if statement.kind == Kind::Date && named.is_none() => {
            format!("{}: {}", read.text, words_for(day, quote, today))
        }
        _ => read.text,
    };
    fits.then_some(Candidate { confidence: CONFIDENCE, text, span, day, ..read })
}

/// The person's words for a day, unless they are relative to today.
fn words_for(day: Date, quote: &str, today: Date) -> String {
    let named = day::find(quote, today).filter(|named| named.day == day && !named.is_relative);
    let words = named.and_then(|named| quote.get(named.range));
    words.map_or_else(|| day.strftime("%-d %B %Y").to_string(), str::to_owned)
}

/// Finds a quote in a message, ignoring case and white space.
fn find(said: &str, quote: &str) -> Option<Range<usize>> {
    let wanted: Vec<char> =
        quote.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    if wanted.is_empty() {
        return None;
    }
    let letters: Vec<(usize, usize, char)> = said
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .flat_map(|(at, c)| c.to_lowercase().map(move |lower| (at, at + c.len_utf8(), lower)))
        .collect();
    let place = letters.windows(wanted.len()).find(|window| window.iter().map(|(_, _, c)| c).eq(&wanted))?;
    Some(place.first()?.0..place.last()?.1)
}

fn day_in(text: &str) -> Option<Date> {
    text.split(|c: char| !c.is_ascii_digit() && c != '-').find_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = Date::constant(2026, 11, 16);
    const SAID: &str = "Well, I  moved to\nBerlin last week. My exam is on 2026-12-03!";

    #[test]
    fn i1_the_json_is_found_in_whatever_stands_around_it() {
        let list = r#"{"memories":[{"kind":"fact","text":"Lives in Berlin","quote":"i moved to Berlin"}]}"#;
        for answer in
            [list.to_owned(), format!("Sure!\n```json\n{list}\n```\nDone {{}}"), format!("{{oops {list}")]
        {
            let found = read(&answer, SAID, TODAY).unwrap();
            assert_eq!(
                (found.len(), found[0].text.as_str(), SAID.get(found[0].span.clone()).unwrap()),
                (1, "Lives in Berlin", "I  moved to\nBerlin")
            );
        }
        assert_eq!(read("{}", SAID, TODAY), Ok(Vec::new()));
    }

    #[test]
    fn i1_what_is_not_that_json_is_refused() {
        let many = format!(
            r#"{{"memories":[{}]}}"#,
            vec![r#"{"kind":"fact","text":"a","quote":"Berlin"}"#; 13].join(",")
        );
        let long = format!("{{\"memories\":[]}}{}", " ".repeat(5 << 20));
        for answer in [
            "",
            "I cannot do that.",
            r#"{"memories":[{"kind":"fact","te"#,
            r#"{"memories":"none"}"#,
            r#"{"memories":[{"kind":"rumor","text":"a","quote":"b"}]}"#,
            &many,
            &long,
        ] {
            assert!(read(answer, SAID, TODAY).is_err(), "{}", answer.chars().take(80).collect::<String>());
        }
    }

    #[test]
    fn i6_a_date_names_its_day_in_the_persons_words_or_in_full() {
        let said = "My exam is on December 3, and in four days we move.";
        let answer = r#"{"memories":[
            {"kind":"date","text":"Exam","quote":"My exam is on December 3","day":"2026-12-03"},
            {"kind":"date","text":"Move on 20 November","quote":"in four days we move","day":"2026-11-20"},
            {"kind":"date","text":"Moving day","quote":"in four days we move","day":"2026-11-20"}]}"#;
        let texts: Vec<String> = read(answer, said, TODAY).unwrap().into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["Exam: December 3", "Move on 20 November", "Moving day: 20 November 2026"]);
    }

    #[test]
    fn i2_a_statement_without_a_quotation_of_the_person_is_left_out() {
        let answer = r#"{"memories":[
            {"kind":"fact","text":"Lives in Paris","quote":"I live in Paris"},
            {"kind":"fact","text":"Is tall"},
            {"kind":"date","text":"Exam on 2026-12-03","quote":"My exam is on 2026-12-03"}]}"#;
        let found = read(answer, SAID, TODAY).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].day, Some(jiff::civil::date(2026, 12, 3)));
    }
}
