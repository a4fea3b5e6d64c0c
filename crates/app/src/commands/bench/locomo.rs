//! LoCoMo's talk as long as it is needed: each chat repeats one of its samples, every round later than the one before.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::message::Role;

use super::corpus::Chance;
use super::talk::Said;

/// A session has one date; its messages follow each other at this pace.
const PACE: SignedDuration = SignedDuration::from_secs(30);
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The samples, at least one.
#[derive(Debug)]
pub struct Locomo(Vec<Sample>);

/// What two people said over months, and questions about it; neither is empty.
#[derive(Debug)]
struct Sample {
    said: Vec<Said>,
    questions: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    /// The speakers, and `session_1`, `session_1_date_time` and so on side by side.
    conversation: Map<String, Value>,
    qa: Vec<Asked>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    text: String,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
}

impl Locomo {
    /// Reads the file as its authors publish it; the error says what is wrong with it.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let written: Vec<Written> = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        if written.is_empty() {
            return Err("there is no sample".to_owned());
        }
        written.into_iter().map(Sample::read).collect::<Result<_, _>>().map(Self)
    }

    /// A message of a chat that never ends.
    pub fn said(&self, chat: usize, turn: u64) -> Said {
        self.sample(chat).said(turn)
    }

    /// One of the questions to a chat.
    pub fn question(&self, chat: usize, chance: &mut Chance) -> String {
        let questions = &self.sample(chat).questions;
        questions.get(chance.below(questions.len() as u64) as usize).cloned().unwrap_or_default()
    }

    #[expect(clippy::indexing_slicing, reason = "there is at least one sample")]
    fn sample(&self, chat: usize) -> &Sample {
        &self.0[chat % self.0.len()]
    }
}

impl Sample {
    fn read(written: Written) -> Result<Self, String> {
        let conversation = &written.conversation;
        let person = conversation.get("speaker_a").and_then(Value::as_str).ok_or("speaker_a is missing")?;
        let mut said = Vec::new();
        for session in (1..=conversation.len()).map(|number| format!("session_{number}")) {
            let Some(turns) = conversation.get(&session) else { continue };
            let turns: Vec<Turn> = Vec::deserialize(turns).map_err(|error| format!("{session}: {error}"))?;
            let began = conversation.get(&format!("{session}_date_time")).and_then(Value::as_str);
            let mut at = began.and_then(moment).ok_or_else(|| format!("{session} has no date"))?;
            for turn in turns {
                let role = if turn.speaker == person { Role::User } else { Role::Assistant };
                said.push(Said { at, role, speaker: Some(turn.speaker), text: turn.text });
                at += PACE;
            }
        }
        if said.is_empty() || written.qa.is_empty() {
            return Err("a sample has no talk or no questions".to_owned());
        }
        Ok(Self { said, questions: written.qa.into_iter().map(|asked| asked.question).collect() })
    }

    #[expect(clippy::indexing_slicing, reason = "something is said in every sample")]
    fn said(&self, turn: u64) -> Said {
        let length = self.said.len() as u64;
        let (round, place) = (turn / length, turn % length);
        let said = self.said[place as usize].clone();
        let later = self.period().saturating_mul(i32::try_from(round).unwrap_or(i32::MAX));
        Said { at: said.at.saturating_add(later).unwrap_or(said.at), ..said }
    }

    /// How much later a round is than the one before: whole weeks, so that days of the week and times of day stay.
    fn period(&self) -> SignedDuration {
        let moments = || self.said.iter().map(|said| said.at);
        let span = moments().max().zip(moments().min()).map(|(last, first)| last.duration_since(first));
        let weeks = span.unwrap_or_default().as_hours() / WEEK.as_hours() + 1;
        WEEK.saturating_mul(i32::try_from(weeks).unwrap_or(i32::MAX))
    }
}

/// A date like `1:56 pm on 8 May, 2023`.
fn moment(written: &str) -> Option<Timestamp> {
    let civil = DateTime::strptime("%I:%M %p on %d %B, %Y", written).ok()?;
    TimeZone::UTC.to_timestamp(civil).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn two_samples() -> Locomo {
        let turn = |speaker: &str, text: &str| json!({ "speaker": speaker, "dia_id": "D1:1", "text": text });
        let file = json!([
            {
                "conversation": {
                    "speaker_a": "Ana",
                    "session_1_date_time": "1:56 pm on 8 May, 2023",
                    "session_1": [turn("Ana", "one"), turn("Ben", "two")],
                    "session_2_date_time": "9:00 am on 20 May, 2023",
                    "session_2": [turn("Ben", "three")],
                    "session_3_date_time": "9:00 am on 21 May, 2023",
                },
                "qa": [{ "question": "Which?", "category": 1 }],
            },
            {
                "conversation": {
                    "speaker_a": "Cleo",
                    "session_1_date_time": "12:00 am on 1 June, 2023",
                    "session_1": [turn("Cleo", "alone")],
                },
                "qa": [{ "question": "Who?", "category": 1 }],
            },
        ]);
        Locomo::read(file.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_sample_is_repeated_whole_weeks_later() {
        let locomo = two_samples();
        let expected = [
            ("2023-05-08T13:56:00Z", Role::User, "Ana", "one"),
            ("2023-05-08T13:56:30Z", Role::Assistant, "Ben", "two"),
            ("2023-05-20T09:00:00Z", Role::Assistant, "Ben", "three"),
            ("2023-05-22T13:56:00Z", Role::User, "Ana", "one"),
            ("2023-05-22T13:56:30Z", Role::Assistant, "Ben", "two"),
            ("2023-06-03T09:00:00Z", Role::Assistant, "Ben", "three"),
            ("2023-06-05T13:56:00Z", Role::User, "Ana", "one"),
        ]
        .map(|(at, role, speaker, text)| Said {
            at: at.parse().unwrap(),
            role,
            speaker: Some(speaker.to_owned()),
            text: text.to_owned(),
        });
        assert_eq!((0..7).map(|turn| locomo.said(0, turn)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn chats_take_the_samples_in_turn_with_their_questions() {
        let locomo = two_samples();
        let mut chance = Chance::new(1);
        for (chat, text, question) in
            [(0, "one", "Which?"), (1, "alone", "Who?"), (2, "one", "Which?"), (3, "alone", "Who?")]
        {
            assert_eq!(locomo.said(chat, 0).text, text);
            assert_eq!(locomo.question(chat, &mut chance), question);
        }
    }

    #[test]
    fn a_file_that_holds_no_talk_is_refused() {
        let silent = json!([{ "conversation": { "speaker_a": "Ana" }, "qa": [{ "question": "What?" }] }]);
        let undated = json!([{ "conversation": { "speaker_a": "Ana", "session_1": [] }, "qa": [] }]);
        for (file, why) in [
            ("[]".to_owned(), "there is no sample"),
            (silent.to_string(), "a sample has no talk or no questions"),
            (undated.to_string(), "session_1 has no date"),
        ] {
            assert_eq!(Locomo::read(file.as_bytes()).unwrap_err(), why);
        }
    }
}
