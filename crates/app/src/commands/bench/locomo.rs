//! LoCoMo's talk as long as it is needed: each chat repeats one of its samples, every round later than the one before.

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use throughline_domain::time::read_moment;

use super::corpus::Chance;
use super::talk::Said;
use crate::commands::eval::{locomo, recall};

const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The samples, at least one.
#[derive(Debug)]
pub struct Locomo(Vec<Sample>);

/// Messages of two people over months, and questions about them; neither is empty.
#[derive(Debug)]
struct Sample {
    said: Vec<Said>,
    questions: Vec<String>,
}

impl Locomo {
    /// Reads the file as its authors publish it; the error says what is wrong with it.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let set = locomo::read(json)?;
        if set.chats.is_empty() {
            return Err("there is no sample".to_owned());
        }
        set.chats.iter().map(|chat| Sample::new(chat, &set.questions)).collect::<Result<_, _>>().map(Self)
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
    fn new(chat: &recall::Chat, questions: &[recall::Question]) -> Result<Self, String> {
        let said = |message: &recall::Message| {
            let at = read_moment(&message.at, &TimeZone::UTC).map_err(|error| error.to_string())?;
            let (speaker, text) = (message.speaker.clone(), message.text.clone());
            Ok(Said { at, role: message.role, speaker, text })
        };
        let said = chat.messages.iter().map(said).collect::<Result<Vec<_>, String>>()?;
        let own = questions.iter().filter(|question| question.chat == chat.id);
        let questions: Vec<String> = own.map(|question| question.question.clone()).collect();
        if said.is_empty() || questions.is_empty() {
            return Err("a sample has no talk or no questions".to_owned());
        }
        Ok(Self { said, questions })
    }

    #[expect(clippy::indexing_slicing, reason = "something is said in every sample")]
    fn said(&self, turn: u64) -> Said {
        let length = self.said.len() as u64;
        let (round, place) = (turn / length, turn % length);
        let said = self.said[place as usize].clone();
        let later = self.period().saturating_mul(i32::try_from(round).unwrap_or(i32::MAX));
        Said { at: said.at.saturating_add(later).unwrap_or(said.at), ..said }
    }

    /// The distance between two rounds: whole weeks, so that days of the week and times of day stay.
    fn period(&self) -> SignedDuration {
        let moments = || self.said.iter().map(|said| said.at);
        let span = moments().max().zip(moments().min()).map(|(last, first)| last.duration_since(first));
        let weeks = span.unwrap_or_default().as_hours() / WEEK.as_hours() + 1;
        WEEK.saturating_mul(i32::try_from(weeks).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throughline_domain::message::Role;

    use super::*;

    fn two_samples() -> Locomo {
        let turn = |speaker: &str, text: &str| json!({ "speaker": speaker, "dia_id": "D1:1", "text": text });
        let file = json!([
            {
                "sample_id": "first",
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
                "sample_id": "second",
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
        let silent = json!([{ "sample_id": "a", "conversation": { "speaker_a": "Ana" }, "qa": [{ "question": "What?", "category": 1 }] }]);
        let undated =
            json!([{ "sample_id": "a", "conversation": { "speaker_a": "Ana", "session_1": [] }, "qa": [] }]);
        for (file, why) in [
            ("[]".to_owned(), "there is no sample"),
            (silent.to_string(), "a sample has no talk or no questions"),
            (undated.to_string(), "sample \"a\": session_1_date_time is missing"),
        ] {
            assert_eq!(Locomo::read(file.as_bytes()).unwrap_err(), why);
        }
    }
}
