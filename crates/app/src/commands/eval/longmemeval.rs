//! Reads LongMemEval as its authors publish it: each question has a haystack of dated sessions, and names the sessions
//! that answer it.

use std::collections::HashSet;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::Deserialize;
use throughline_domain::message::Role;

use super::recall::{Chat, Message, Question, RecallSet};
use super::set::parse;

/// Time between two messages of a session, which has only one date.
const PACE: SignedDuration = SignedDuration::from_secs(5);

#[derive(Deserialize)]
struct Instance {
    question_id: String,
    question_type: String,
    question: String,
    #[serde(default)]
    question_date: Option<String>,
    haystack_session_ids: Vec<String>,
    haystack_dates: Vec<String>,
    haystack_sessions: Vec<Vec<Turn>>,
    answer_session_ids: Vec<String>,
}

#[derive(Deserialize)]
struct Turn {
    role: Role,
    content: String,
}

struct Session {
    id: String,
    at: DateTime,
    turns: Vec<Turn>,
}

/// Reads the instances as one recall set with a chat for each question; the error says what is wrong with them.
pub fn read(json: &[u8]) -> Result<RecallSet, String> {
    let instances: Vec<Instance> = parse(json)?;
    let mut set = RecallSet { chats: Vec::with_capacity(instances.len()), questions: Vec::new() };
    for mut instance in instances {
        let problem = |why: String| format!("question {:?}: {why}", instance.question_id);
        let sessions = sessions(
            std::mem::take(&mut instance.haystack_session_ids),
            &instance.haystack_dates,
            std::mem::take(&mut instance.haystack_sessions),
        );
        let messages = messages(sessions.map_err(problem)?);
        let gold = gold(&messages, &instance.answer_session_ids).map_err(problem)?;
        let asked_at = instance.question_date.as_deref().map(|written| date(written).map_err(problem));
        set.questions.push(Question {
            question_date: asked_at.transpose()?.map(|at| at.to_string()),
            chat: instance.question_id.clone(),
            id: instance.question_id.clone(),
            question: instance.question,
            category: instance.question_type,
            gold,
        });
        set.chats.push(Chat { id: instance.question_id, messages });
    }
    Ok(set)
}

/// The haystack in chronological order.
fn sessions(ids: Vec<String>, dates: &[String], turns: Vec<Vec<Turn>>) -> Result<Vec<Session>, String> {
    if ids.len() != dates.len() || ids.len() != turns.len() {
        return Err(format!(
            "haystack_session_ids has {} entries, haystack_dates {} and haystack_sessions {}",
            ids.len(),
            dates.len(),
            turns.len()
        ));
    }
    let mut sessions = Vec::with_capacity(ids.len());
    for ((id, written), turns) in ids.into_iter().zip(dates).zip(turns) {
        sessions.push(Session { id, at: date(written)?, turns });
    }
    sessions.sort_by_key(|session| session.at);
    Ok(sessions)
}

/// The messages of all sessions. Sessions of the same minute are kept apart.
fn messages(sessions: Vec<Session>) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut free = DateTime::MIN;
    for (number, session) in sessions.into_iter().enumerate() {
        let mut at = session.at.max(free);
        // A turn without text is not a message.
        let turns = session.turns.into_iter().enumerate().filter(|(_, turn)| !turn.content.trim().is_empty());
        for (turn, Turn { role, content }) in turns {
            messages.push(Message {
                // A session may occur twice under the same id.
                id: format!("{number}:{turn}"),
                at: at.to_string(),
                role,
                speaker: None,
                text: content,
                conversation: session.id.clone(),
            });
            at = at.saturating_add(PACE);
        }
        free = at;
    }
    messages
}

/// All messages of the answering sessions, because the score counts sessions.
fn gold(messages: &[Message], answering: &[String]) -> Result<Vec<String>, String> {
    let there: HashSet<&str> = messages.iter().map(|message| message.conversation.as_str()).collect();
    if let Some(missing) = answering.iter().find(|id| !there.contains(id.as_str())) {
        return Err(format!("its answer session {missing:?} is not in the haystack"));
    }
    let answers = |message: &&Message| answering.contains(&message.conversation);
    Ok(messages.iter().filter(answers).map(|message| message.id.clone()).collect())
}

/// Parses a date such as `2023/05/20 (Sat) 02:21`, ignoring the day of the week.
fn date(written: &str) -> Result<DateTime, String> {
    let mut words = written.split_whitespace();
    let read = words
        .next()
        .zip(words.next_back())
        .and_then(|(day, time)| DateTime::strptime("%Y/%m/%d %H:%M", format!("{day} {time}")).ok());
    read.ok_or_else(|| format!("the date {written:?} is not like \"2023/05/20 (Sat) 02:21\""))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn instance(session_ids: &[&str], dates: &[&str], sessions: &Value, answers: &[&str]) -> Value {
        json!([{
            "question_id": "q1",
            "question_type": "multi-session",
            "question": "Where?",
            "answer": "There",
            "question_date": "2023/06/01 (Thu) 10:00",
            "haystack_session_ids": session_ids,
            "haystack_dates": dates,
            "haystack_sessions": sessions,
            "answer_session_ids": answers,
        }])
    }

    fn say(text: &str) -> Value {
        json!({ "role": "user", "content": text, "has_answer": true })
    }

    #[test]
    fn sessions_keep_their_order_and_do_not_mix() {
        let dates = ["2023/05/21 (Sun) 08:00", "2023/05/20 (Sat) 02:21", "2023/05/20 (Sat) 02:21"];
        let sessions = json!([[say("late")], [say("one"), say(" "), say("two")], [say("three")]]);
        let set =
            read(instance(&["c", "a", "b"], &dates, &sessions, &["a", "c"]).to_string().as_bytes()).unwrap();
        let told: Vec<_> = set.chats[0]
            .messages
            .iter()
            .map(|message| {
                [&message.id, &message.at, &message.text, &message.conversation].map(String::as_str)
            })
            .collect();
        assert_eq!(
            told,
            [
                ["0:0", "2023-05-20T02:21:00", "one", "a"],
                ["0:2", "2023-05-20T02:21:05", "two", "a"],
                ["1:0", "2023-05-20T02:21:10", "three", "b"],
                ["2:0", "2023-05-21T08:00:00", "late", "c"],
            ]
        );
        let expected = Question {
            id: "q1".to_owned(),
            chat: "q1".to_owned(),
            question: "Where?".to_owned(),
            category: "multi-session".to_owned(),
            gold: ["0:0", "0:2", "2:0"].map(str::to_owned).to_vec(),
            question_date: Some("2023-06-01T10:00:00".to_owned()),
        };
        assert_eq!(set.questions, [expected]);
    }

    #[test]
    fn a_haystack_that_does_not_fit_together_is_refused() {
        let day = ["2023/05/20 (Sat) 02:21"];
        let sessions = json!([[say("one")]]);
        for (instance, why) in [
            (instance(&["a"], &[], &sessions, &[]), "haystack_dates 0"),
            (instance(&["a"], &["yesterday"], &sessions, &[]), "\"yesterday\""),
            (instance(&["a"], &day, &sessions, &["b"]), "\"b\" is not in the haystack"),
        ] {
            let error = read(instance.to_string().as_bytes()).unwrap_err();
            assert!(error.starts_with("question \"q1\": ") && error.contains(why), "{error}");
        }
    }
}
