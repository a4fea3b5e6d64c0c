//! `search`: finds what was said in one chat, or in all of the owner's.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::recall::score::Verdict;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_engine::recall::{Found, PieceHit, Question};
use throughline_store::pieces::Piece;
use throughline_store::search::{Hit, Why};

use super::{lane, moment};
use crate::cli::{Kind, Search};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(what: &Search, app: &App, output: Output) -> Result<(), Failure> {
    let question = Question {
        text: what.query.clone(),
        lane: lane(what.lane.as_deref(), &what.chat)?,
        since: moment(what.since.as_deref(), "--since", app)?,
        until: moment(what.until.as_deref(), "--until", app)?,
        limit: usize::from(what.limit),
        ..Question::default()
    };
    let engine = app.engine().await?;
    let began = Instant::now();
    let chats = if what.all { engine.chats_of_owner().await? } else { vec![what.chat.clone()] };
    let mut results = Vec::with_capacity(chats.len());
    for chat in chats {
        results.push(in_chat(what.kind, &engine, chat, &question).await?);
    }
    let (found, pieces) = together(results, question.limit);
    let took = began.elapsed();
    let labels = if what.all { Labels::Shown } else { Labels::Left };
    output.print(
        || document(&what.query, &found, &pieces, took),
        |style| {
            let zone = &app.settings.zone;
            let rows = piece_rows(&pieces, labels, zone, style);
            if found.hits.is_empty() && !pieces.is_empty() {
                return rows;
            }
            rows + &labeled_table(&found, labels, zone, engine.now(), style)
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Whether each hit says which chat it is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Labels {
    Shown,
    Left,
}

/// The memories and summaries that match, each with the chat it was found in.
type Pieces = Vec<(ChatId, PieceHit)>;

/// What one chat has to say.
async fn in_chat(
    kind: Option<Kind>,
    engine: &Engine,
    chat: ChatId,
    question: &Question,
) -> Result<(Found, Pieces), Failure> {
    let found = match kind {
        None | Some(Kind::Message) => engine.recall(&chat, question.clone()).await?,
        Some(Kind::Memory | Kind::Summary) => nothing(),
    };
    let mut pieces = pieces(kind, engine, &chat, question).await?;
    // A memory does not stand beside the message that proves it.
    pieces.retain(|hit| !is_proven(hit, &found));
    Ok((found, pieces.into_iter().map(|hit| (chat.clone(), hit)).collect()))
}

fn nothing() -> Found {
    Found {
        verdict: Verdict::None,
        hits: Vec::new(),
        names_speaker: false,
        names_time: false,
        degraded: None,
    }
}

/// The results of several chats as one. Scores of different chats do not compare, so the share of the question that a hit
/// covers decides first.
fn together(results: Vec<(Found, Pieces)>, limit: usize) -> (Found, Pieces) {
    let is_one = results.len() == 1;
    let (mut all, mut pieces) = (nothing(), Pieces::new());
    for (found, more) in results {
        all.verdict = better(all.verdict, found.verdict);
        all.degraded = all.degraded.or(found.degraded);
        all.hits.extend(found.hits);
        for (chat, hit) in more {
            // A person's memory is seen in all of their chats.
            if !pieces.iter().any(|(_, known)| known.piece.id() == hit.piece.id()) {
                pieces.push((chat, hit));
            }
        }
    }
    if !is_one {
        let order =
            |a: &Hit, b: &Hit| b.why.share().total_cmp(&a.why.share()).then(b.score.total_cmp(&a.score));
        all.hits.sort_by(order);
        pieces.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    }
    pieces.truncate(limit);
    all.hits.truncate(limit.saturating_sub(pieces.len()));
    (all, pieces)
}

fn is_proven(hit: &PieceHit, found: &Found) -> bool {
    let Piece::Memory(memory) = &hit.piece else { return false };
    let shows = |id| found.hits.iter().any(|hit| hit.messages.contains(id));
    memory.proofs.iter().any(|proof| shows(&proof.message))
}

/// The memories and summaries that match. Beside messages only those that are about the question itself.
async fn pieces(
    kind: Option<Kind>,
    engine: &Engine,
    chat: &ChatId,
    question: &Question,
) -> Result<Vec<PieceHit>, Failure> {
    if kind == Some(Kind::Message) {
        return Ok(Vec::new());
    }
    let mut hits = engine.recall_pieces(chat, &question.text).await?;
    hits.retain(|hit| {
        let at = hit.piece.at();
        let in_time =
            question.since.is_none_or(|since| at >= since) && question.until.is_none_or(|until| at < until);
        let is_wanted = match (&hit.piece, kind) {
            (Piece::Memory(_), Some(Kind::Memory)) => question.lane.is_none(),
            (Piece::Summary(lane, _), Some(Kind::Summary)) => {
                question.lane.as_ref().is_none_or(|of| of == lane)
            }
            (Piece::Memory(_), None) => question.lane.is_none() && hit.is_strong(),
            _ => false,
        };
        in_time && is_wanted
    });
    hits.truncate(question.limit);
    Ok(hits)
}

fn document(query: &str, found: &Found, pieces: &[(ChatId, PieceHit)], took: Duration) -> Value {
    let best = found.hits.first().map_or(0.0, |hit| hit.score);
    let mut all: Vec<Value> = pieces.iter().map(|(chat, hit)| piece(chat, hit, best)).collect();
    let hits: Vec<Value> = found
        .hits
        .iter()
        .map(|hit| {
            let message = &hit.stored.message;
            json!({
                "score": hit.score,
                "kind": "message",
                "id": message.id,
                "messages": hit.messages,
                "chat": message.chat,
                "lane": message.lane.key(&message.chat),
                "conversation": hit.conversation,
                "role": message.role,
                "speaker": message.speaker,
                "at": message.occurred_at.to_string(),
                "text": message.text,
                "why": why(&hit.why),
            })
        })
        .collect();
    all.extend(hits);
    let verdict = verdict(found, pieces);
    let mut document =
        json!({ "query": query, "verdict": verdict, "took_ms": took.as_secs_f64() * 1e3, "hits": all });
    if let (Some(why), Some(fields)) = (&found.degraded, document.as_object_mut()) {
        fields.insert("degraded".to_owned(), json!(why));
    }
    document
}

/// A memory or summary as JSON. It goes before the messages, and so does its score.
fn piece(chat: &ChatId, hit: &PieceHit, best: f32) -> Value {
    let (kind, lane, role) = match &hit.piece {
        Piece::Memory(_) => ("memory", None, Some("user")),
        Piece::Summary(lane, _) => ("summary", Some(lane.key(chat)), None),
    };
    let messages: Vec<_> = match &hit.piece {
        Piece::Memory(memory) => memory.proofs.iter().map(|proof| proof.message).collect(),
        Piece::Summary(_, summary) => vec![summary.first.id, summary.last.id],
    };
    json!({
        "score": best.max(0.0) + hit.score,
        "kind": kind,
        "id": hit.piece.id(),
        "messages": messages,
        "chat": chat,
        "lane": lane,
        "conversation": null,
        "role": role,
        "at": hit.piece.at().to_string(),
        "text": hit.piece.text(),
        "why": why(&hit.why),
    })
}

/// The better of what messages and what memories and summaries say.
fn verdict(found: &Found, pieces: &[(ChatId, PieceHit)]) -> Verdict {
    better(found.verdict, Verdict::of(pieces.first().map(|(_, hit)| hit.why.share())))
}

fn better(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Strong, _) | (_, Verdict::Strong) => Verdict::Strong,
        (Verdict::Weak, _) | (_, Verdict::Weak) => Verdict::Weak,
        (Verdict::None, Verdict::None) => Verdict::None,
    }
}

fn piece_rows(pieces: &[(ChatId, PieceHit)], labels: Labels, zone: &TimeZone, style: Style) -> String {
    let row = |(chat, hit): &(ChatId, PieceHit)| {
        let (kind, chat) = match &hit.piece {
            Piece::Memory(memory) => ("memory", &memory.chat),
            Piece::Summary(..) => ("summary", chat),
        };
        format!(
            "{}  {}  {}{}\n       {}\n",
            style.bold(&format!("{:5.2}", hit.score)),
            style.dim(&format!("since {}", time::date(hit.piece.at(), zone))),
            style.dim(kind),
            label(chat, labels, style),
            one_line(hit.piece.text(), 300)
        )
    };
    pieces.iter().map(row).collect()
}

fn label(chat: &ChatId, labels: Labels, style: Style) -> String {
    match labels {
        Labels::Shown => format!("  {}", style.person(chat.as_str())),
        Labels::Left => String::new(),
    }
}

fn why(why: &Why) -> Value {
    json!({
        "words": why.words,
        "coverage": why.coverage,
        "terms": why.terms,
        "meaning": why.dense,
        "soft_overlap": why.soft_overlap,
        "time": why.time,
        "speaker": why.speaker,
    })
}

/// The messages of one chat that were found.
pub fn table(found: &Found, zone: &TimeZone, now: Timestamp, style: Style) -> String {
    labeled_table(found, Labels::Left, zone, now, style)
}

fn labeled_table(found: &Found, labels: Labels, zone: &TimeZone, now: Timestamp, style: Style) -> String {
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
        let message = &hit.stored.message;
        let who = message.speaker.as_deref().unwrap_or(message.role.as_str());
        let when = format!(
            "{} ({})",
            time::stamp(message.occurred_at, zone),
            time::relative(message.occurred_at, now, zone)
        );
        let _ = writeln!(
            out,
            "{}  {}  {}{}",
            style.bold(&format!("{:5.2}", hit.score)),
            style.dim(&when),
            style.dim(who),
            label(&message.chat, labels, style)
        );
        let _ = writeln!(out, "       {}", one_line(&message.text, 300));
    }
    out
}

fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().nth(most).is_none() { line } else { line.chars().take(most - 1).chain(['…']).collect() }
}
