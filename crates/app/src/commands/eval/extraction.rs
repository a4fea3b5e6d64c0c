//! `eval --dataset extraction`: compares the memories extracted from exchanges with the expected ones. Each exchange
//! is recorded in a separate chat, and the usual job extracts its memories.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Kind, Memory, Status};
use throughline_domain::message::Role;
use throughline_engine::ports::FixedClock;
use throughline_engine::work::DailyCap;
use throughline_engine::{Engine, Inbound, Settings};
use throughline_store::jobs::JobKind;
use throughline_store::messages::Purpose;

use super::{has_jobs_left, invalid, progress, scratch_engine};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

/// An exchange and the expected memories.
#[derive(Debug, Deserialize)]
struct Exchange {
    id: String,
    at: Timestamp,
    user: String,
    #[serde(default)]
    assistant: String,
    expect: Vec<Expected>,
    #[serde(default)]
    forbid: Vec<String>,
}

/// An expected memory: its kind, and strings that it contains.
#[derive(Debug, Clone, Deserialize)]
struct Expected {
    kind: Kind,
    must: Vec<String>,
}

impl Expected {
    fn is_met_by(&self, memory: &Memory) -> bool {
        memory.kind == self.kind && self.must.iter().all(|part| holds(&memory.text, part))
    }
}

fn holds(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// The result of one exchange.
struct Graded {
    exchange: Exchange,
    kept: Vec<Memory>,
}

impl Graded {
    fn right(&self) -> usize {
        self.kept.iter().filter(|memory| self.exchange.expect.iter().any(|it| it.is_met_by(memory))).count()
    }

    fn missed(&self) -> Vec<&Expected> {
        self.exchange
            .expect
            .iter()
            .filter(|it| !self.kept.iter().any(|memory| it.is_met_by(memory)))
            .collect()
    }

    fn wrong(&self) -> Vec<&Memory> {
        self.kept
            .iter()
            .filter(|memory| !self.exchange.expect.iter().any(|it| it.is_met_by(memory)))
            .collect()
    }

    fn forbidden(&self) -> usize {
        let is_kept = |part: &&String| self.kept.iter().any(|memory| holds(&memory.text, part));
        self.exchange.forbid.iter().filter(is_kept).count()
    }
}

pub(super) async fn run(file: &Path, app: &App, output: Output) -> Result<(), Failure> {
    let began = Instant::now();
    let exchanges = read(file)?;
    let (engine, _folder) = scratch_engine(app).await?;
    // The person asked for this evaluation, so the daily cap does not apply.
    let cap = DailyCap { usd: f64::MAX, tokens: u64::MAX };
    let settings = Settings { daily_cap: cap, ..Settings::clone(&engine.settings) };
    let engine = Engine { settings: Arc::new(settings), ..engine };
    let bar = progress(exchanges.len() as u64);
    let mut graded = Vec::with_capacity(exchanges.len());
    for (number, exchange) in exchanges.into_iter().enumerate() {
        graded.push(grade(&engine, number, exchange).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    output.print(|| document(&graded, began.elapsed().as_secs_f64()), |style| text(&graded, style))
}

fn read(file: &Path) -> Result<Vec<Exchange>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::failed("unreadable_file", format!("{} cannot be read: {error}", file.display()))
    })?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let exchanges = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|error| invalid(file, &format!("line {number}: {error}")))
    });
    let exchanges: Vec<Exchange> = exchanges.collect::<Result<_, Failure>>()?;
    if exchanges.is_empty() { Err(invalid(file, "it holds no exchange")) } else { Ok(exchanges) }
}

async fn grade(engine: &Engine, number: usize, exchange: Exchange) -> Result<Graded, Failure> {
    let chat: ChatId = format!("api:chat:exchange-{number}")
        .parse()
        .map_err(|error| Failure::failed("invalid_set", format!("{error}")))?;
    let engine = Engine { clock: Arc::new(FixedClock(exchange.at)), ..engine.clone() };
    let said = |role: Role, text: &str| Inbound {
        role,
        text: text.to_owned(),
        at: Some(exchange.at),
        ..Inbound::in_chat(chat.clone())
    };
    engine.record_message(said(Role::User, &exchange.user), Purpose::Record).await?;
    if !exchange.assistant.trim().is_empty() {
        engine.record_message(said(Role::Assistant, &exchange.assistant), Purpose::Record).await?;
    }
    if has_jobs_left(&engine, JobKind::EXTRACT).await? {
        return Err(Failure::failed(
            "jobs",
            "the model did not answer; the log says why. Check it with `throughline doctor`",
        ));
    }
    let kept = engine.memories(&chat).await?.into_iter().map(|kept| kept.memory);
    let kept = kept.filter(|memory| matches!(memory.status, Status::Active | Status::Suggested)).collect();
    Ok(Graded { exchange, kept })
}

/// Precision and recall.
fn shares(graded: &[Graded], kind: Option<Kind>) -> (f64, f64) {
    let of_kind = |other: Kind| kind.is_none_or(|kind| kind == other);
    let (mut kept, mut wrong, mut expected, mut missed) = (0usize, 0usize, 0usize, 0usize);
    for one in graded {
        kept += one.kept.iter().filter(|memory| of_kind(memory.kind)).count();
        wrong += one.wrong().iter().filter(|memory| of_kind(memory.kind)).count();
        expected += one.exchange.expect.iter().filter(|it| of_kind(it.kind)).count();
        missed += one.missed().iter().filter(|it| of_kind(it.kind)).count();
    }
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    (share(kept - wrong, kept), share(expected - missed, expected))
}

fn document(graded: &[Graded], took_s: f64) -> Value {
    let figures = |kind: Option<Kind>| {
        let (precision, recall) = shares(graded, kind);
        json!({ "precision": precision, "recall": recall })
    };
    let (precision, recall) = shares(graded, None);
    let forbidden: usize = graded.iter().map(Graded::forbidden).sum();
    let kinds = [Kind::Fact, Kind::Preference, Kind::Goal, Kind::Date];
    let by_category: BTreeMap<&str, Value> =
        kinds.into_iter().map(|kind| (kind.as_str(), figures(Some(kind)))).collect();
    let kept = |memory: &&Memory| json!({ "kind": memory.kind, "text": memory.text });
    let failure = |one: &&Graded| !one.missed().is_empty() || !one.wrong().is_empty() || one.forbidden() > 0;
    let failures: Vec<Value> = graded
        .iter()
        .filter(failure)
        .map(|one| {
            let missed = one.missed().into_iter().map(|it| json!({ "kind": it.kind, "must": it.must }));
            json!({
                "id": one.exchange.id,
                "missed": missed.collect::<Vec<_>>(),
                "wrong": one.wrong().iter().map(kept).collect::<Vec<_>>(),
                "forbidden": one.forbidden(),
            })
        })
        .collect();
    json!({
        "dataset": "extraction",
        "questions": graded.len(),
        "metrics": { "precision": precision, "recall": recall, "forbidden": forbidden },
        "kept": graded.iter().map(|one| one.kept.len()).sum::<usize>(),
        "right": graded.iter().map(Graded::right).sum::<usize>(),
        "by_category": by_category,
        "failures": failures,
        "took_s": took_s,
    })
}

fn text(graded: &[Graded], style: Style) -> String {
    let mut out = String::new();
    let (precision, recall) = shares(graded, None);
    let forbidden: usize = graded.iter().map(Graded::forbidden).sum();
    let _ = writeln!(
        out,
        "{} {:.3}   {} {:.3}   {} {forbidden}   {}",
        style.bold("precision"),
        precision,
        style.bold("recall"),
        recall,
        style.bold("forbidden"),
        style.dim(&format!("{} exchanges", graded.len()))
    );
    for one in graded {
        for it in one.missed() {
            let _ = writeln!(out, "  {} missed {} {:?}", one.exchange.id, it.kind.as_str(), it.must);
        }
        for memory in one.wrong() {
            let _ = writeln!(out, "  {} kept   {} {:?}", one.exchange.id, memory.kind.as_str(), memory.text);
        }
    }
    out
}
