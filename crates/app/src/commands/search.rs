//! `search`: finds what was said in one chat.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::recall::score::Verdict;
use throughline_domain::time;
use throughline_engine::recall::{Found, Question};

use super::{lane, moment};
use crate::cli::{Kind, Search};
use crate::output::{Failure, Output, Style};
use crate::wire::Place;

pub async fn run(what: &Search, place: &Place, output: Output) -> Result<(), Failure> {
    let question = Question {
        text: what.query.clone(),
        lane: lane(what.lane.as_deref(), &what.chat)?,
        since: moment(what.since.as_deref(), "--since", place)?,
        until: moment(what.until.as_deref(), "--until", place)?,
        limit: usize::from(what.limit),
        ..Question::default()
    };
    let engine = place.engine().await?;
    let began = Instant::now();
    let found = match what.kind {
        None | Some(Kind::Message) => engine.recall(&what.chat, question).await?,
        // Messages are all there is to find in this version.
        Some(Kind::Memory | Kind::Summary) => {
            Found { verdict: Verdict::None, hits: Vec::new(), degraded: None }
        }
    };
    let took = began.elapsed();
    output.print(
        || document(&what.chat, &what.query, &found, took),
        |style| table(&found, &place.settings.zone, engine.now(), style),
    )?;
    place.run_jobs(&engine).await;
    Ok(())
}

pub fn document(chat: &ChatId, query: &str, found: &Found, took: Duration) -> Value {
    let hits: Vec<Value> = found
        .hits
        .iter()
        .map(|hit| {
            let message = &hit.placed.message;
            json!({
                "score": hit.score,
                "kind": "message",
                "id": message.id,
                "messages": hit.messages,
                "chat": chat,
                "lane": message.lane.key(chat),
                "conversation": hit.conversation,
                "role": message.role,
                "speaker": message.speaker,
                "at": message.occurred_at.to_string(),
                "text": message.text,
                "why": {
                    "words": hit.why.words,
                    "coverage": hit.why.coverage,
                    "terms": hit.why.terms,
                    "meaning": hit.why.meaning,
                    "nearness": hit.why.nearness,
                    "time": hit.why.time,
                    "speaker": hit.why.speaker,
                },
            })
        })
        .collect();
    let mut document = json!({ "query": query, "verdict": found.verdict, "took_ms": took.as_secs_f64() * 1e3, "hits": hits });
    if let (Some(why), Some(fields)) = (&found.degraded, document.as_object_mut()) {
        fields.insert("degraded".to_owned(), json!(why));
    }
    document
}

pub fn table(found: &Found, zone: &TimeZone, now: Timestamp, style: Style) -> String {
    let mut out = String::new();
    if let Some(why) = &found.degraded {
        let _ = writeln!(out, "{}", style.dim(&format!("By words alone, since {why}")));
    }
    if found.hits.is_empty() {
        return out + "Nothing found.";
    }
    if found.verdict == Verdict::Weak {
        let _ = writeln!(out, "{}", style.dim("No strong match; these may have to do with it:"));
    }
    for hit in &found.hits {
        let message = &hit.placed.message;
        let who = message.speaker.as_deref().unwrap_or(message.role.as_str());
        let when = format!(
            "{} ({})",
            time::stamp(message.occurred_at, zone),
            time::relative(message.occurred_at, now, zone)
        );
        let _ = writeln!(
            out,
            "{}  {}  {}",
            style.bold(&format!("{:5.2}", hit.score)),
            style.dim(&when),
            style.dim(who)
        );
        let _ = writeln!(out, "       {}", one_line(&message.text, 300));
    }
    out
}

fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().nth(most).is_none() { line } else { line.chars().take(most - 1).chain(['…']).collect() }
}
