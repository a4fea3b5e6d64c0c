//! Reads LoCoMo as its authors publish it: sessions of two people over months, and questions with their evidence.

use std::collections::{BTreeMap, HashSet};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::message::Role;

use super::recall::{Chat, Message, Question, RecallSet};
use super::set::parse;

/// Time between two messages of a session, which has only one date.
const PACE: SignedDuration = SignedDuration::from_secs(30);

#[derive(Deserialize)]
struct Sample {
    sample_id: String,
    /// The speakers, and the keys `session_1`, `session_1_date_time` and so on.
    conversation: Map<String, Value>,
    qa: Vec<Asked>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    dia_id: String,
    text: String,
    /// A description of the attached picture.
    #[serde(default)]
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

/// Reads the samples as one recall set; the error says what is wrong with them.
pub fn read(json: &[u8]) -> Result<RecallSet, String> {
    let samples: Vec<Sample> = parse(json)?;
    let mut set = RecallSet { chats: Vec::new(), questions: Vec::new() };
    for sample in samples {
        let problem = |why: String| format!("sample {:?}: {why}", sample.sample_id);
        let messages = messages(&sample.conversation).map_err(problem)?;
        let known: HashSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        for (number, asked) in sample.qa.into_iter().enumerate() {
            set.questions.push(Question {
                id: format!("{}-{number}", sample.sample_id),
                chat: sample.sample_id.clone(),
                category: category(asked.category)
                    .ok_or_else(|| problem(format!("question {number} has category {}", asked.category)))?
                    .to_owned(),
                // Some of the published evidence names turns that do not exist.
                gold: evidence(&asked.evidence).filter(|id| known.contains(id.as_str())).collect(),
                question: asked.question,
                question_date: None,
            });
        }
        set.chats.push(Chat { id: sample.sample_id, messages });
    }
    Ok(set)
}

/// The name of a category's number.
fn category(number: u8) -> Option<&'static str> {
    match number {
        1 => Some("multi-hop"),
        2 => Some("temporal"),
        3 => Some("open-domain"),
        4 => Some("single-hop"),
        5 => Some("adversarial"),
        _ => None,
    }
}

/// The messages of all sessions, in the sessions' order.
fn messages(conversation: &Map<String, Value>) -> Result<Vec<Message>, String> {
    let person = conversation.get("speaker_a").and_then(Value::as_str).ok_or("speaker_a is missing")?;
    let numbered = |key: &String| key.strip_prefix("session_").and_then(|number| number.parse::<u32>().ok());
    let sessions: BTreeMap<u32, (&String, &Value)> = conversation
        .iter()
        .filter_map(|(key, turns)| numbered(key).map(|number| (number, (key, turns))))
        .collect();
    let mut messages = Vec::new();
    for (key, turns) in sessions.into_values() {
        let turns: Vec<Turn> = Vec::deserialize(turns).map_err(|error| format!("{key}: {error}"))?;
        let began = conversation.get(&format!("{key}_date_time")).and_then(Value::as_str);
        let began = began.ok_or_else(|| format!("{key}_date_time is missing"))?;
        let mut at = DateTime::strptime("%I:%M %p on %d %B, %Y", began)
            .map_err(|_| format!("{key}_date_time is {began:?}, not like \"1:56 pm on 8 May, 2023\""))?;
        for turn in turns {
            let role = if turn.speaker == person { Role::User } else { Role::Assistant };
            messages.push(Message {
                id: turn.dia_id,
                at: at.to_string(),
                role,
                speaker: Some(turn.speaker),
                text: match turn.blip_caption {
                    Some(caption) => format!("{} [shares {caption}]", turn.text),
                    None => turn.text,
                },
                conversation: key.clone(),
            });
            at = at.saturating_add(PACE);
        }
    }
    Ok(messages)
}

/// The turns that evidence names, in any of the published notations: `D8:6; D9:17`, `D9:1 D4:4` and `D:11:26`.
fn evidence(written: &[String]) -> impl Iterator<Item = String> {
    let between = |c: char| !c.is_ascii_alphanumeric() && c != ':';
    written.iter().flat_map(move |entry| entry.split(between)).filter_map(|name| {
        let (session, turn) = name.strip_prefix('D')?.trim_start_matches(':').split_once(':')?;
        Some(format!("D{}:{}", session.parse::<u32>().ok()?, turn.parse::<u32>().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn evidence_is_found_however_it_is_written() {
        for (written, expected) in [
            (vec!["D1:3"], vec!["D1:3"]),
            (vec!["D8:6; D9:17"], vec!["D8:6", "D9:17"]),
            (vec!["D9:1 D4:4 D4:6", "D2:2"], vec!["D9:1", "D4:4", "D4:6", "D2:2"]),
            (vec!["D:11:26"], vec!["D11:26"]),
            (vec!["D30:05"], vec!["D30:5"]),
            (vec!["D", "", "D1", "11:3", "Dx:1"], vec![]),
        ] {
            let written: Vec<String> = written.into_iter().map(str::to_owned).collect();
            assert_eq!(evidence(&written).collect::<Vec<_>>(), expected, "{written:?}");
        }
    }

    #[test]
    fn a_sample_becomes_a_chat_with_its_questions() {
        let turn =
            |speaker: &str, id: &str, text: &str| json!({ "speaker": speaker, "dia_id": id, "text": text });
        let mut picture = turn("Ben", "D2:1", "Look!");
        picture["blip_caption"] = json!("a photo of a boat");
        let sample = json!([{
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ana",
                "speaker_b": "Ben",
                "session_10_date_time": "12:05 am on 1 January, 2024",
                "session_10": [turn("Ana", "D10:1", "A new year.")],
                "session_2_date_time": "1:56 pm on 8 May, 2023",
                "session_2": [picture, turn("Ana", "D2:2", "Nice.")],
                "session_11_date_time": "1:00 pm on 2 January, 2024",
            },
            "qa": [
                { "question": "What did Ben show?", "answer": 7, "evidence": ["D2:1", "D9:9"], "category": 4 },
                { "question": "Who sails?", "evidence": [], "category": 5 },
            ],
        }]);
        let message = |id: &str, at: &str, role, speaker: &str, text: &str, conversation: &str| Message {
            id: id.to_owned(),
            at: at.to_owned(),
            role,
            speaker: Some(speaker.to_owned()),
            text: text.to_owned(),
            conversation: conversation.to_owned(),
        };
        let question = |number: u8, question: &str, category: &str, gold: &[&str]| Question {
            id: format!("conv-1-{number}"),
            chat: "conv-1".to_owned(),
            question: question.to_owned(),
            category: category.to_owned(),
            gold: gold.iter().map(ToString::to_string).collect(),
            question_date: None,
        };
        let shown = "Look! [shares a photo of a boat]";
        let expected = RecallSet {
            chats: vec![Chat {
                id: "conv-1".to_owned(),
                messages: vec![
                    message("D2:1", "2023-05-08T13:56:00", Role::Assistant, "Ben", shown, "session_2"),
                    message("D2:2", "2023-05-08T13:56:30", Role::User, "Ana", "Nice.", "session_2"),
                    message("D10:1", "2024-01-01T00:05:00", Role::User, "Ana", "A new year.", "session_10"),
                ],
            }],
            questions: vec![
                question(0, "What did Ben show?", "single-hop", &["D2:1"]),
                question(1, "Who sails?", "adversarial", &[]),
            ],
        };
        assert_eq!(read(sample.to_string().as_bytes()), Ok(expected));
    }
}
