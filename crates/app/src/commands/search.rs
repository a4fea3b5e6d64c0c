//! `search`: searches one chat, or all of the owner's chats.

use std::fmt::Write as _;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::recall::score::Verdict;
use throughline_domain::time;
use throughline_engine::recall::Question;
use throughline_engine::search::{HitKind, Results, SearchHit};
use throughline_text::shorten::{cut, one_line};

use super::{lane_named as lane, moment_named as moment};
use crate::api::SearchDocument;
use crate::cli::{Kind, Search};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

/// Maximum length of a hit, in characters.
const LONGEST: usize = 300;

pub async fn run(args: &Search, app: &App, output: Output) -> Result<(), Failure> {
    let question = Question {
        text: args.query.clone(),
        lane: lane(args.lane.as_deref(), &args.chat)?,
        since: moment(args.since.as_deref(), "--since", app)?,
        until: moment(args.until.as_deref(), "--until", app)?,
        limit: usize::from(args.limit),
        ..Question::default()
    };
    let kind = args.kind.map(|kind| match kind {
        Kind::Message => HitKind::Message,
        Kind::Memory => HitKind::Memory,
        Kind::Summary => HitKind::Summary,
    });
    let engine = app.engine().await?;
    let started = Instant::now();
    let chats = if args.all { engine.chats_of_owner().await? } else { vec![args.chat.clone()] };
    let found = engine.search(&chats, kind, &question).await?;
    let elapsed = started.elapsed();
    let labels = if args.all { Labels::StyledText } else { Labels::Left };
    output.print(
        || json!(SearchDocument::new(&args.query, &found, elapsed)),
        |style| labeled_table(&found, labels, &app.settings.zone, engine.now(), style),
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Whether each hit shows its chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Labels {
    StyledText,
    Left,
}

/// The hits in one chat as a table.
pub fn table(found: &Results, zone: &TimeZone, now: Timestamp, style: Style) -> String {
    labeled_table(found, Labels::Left, zone, now, style)
}

fn labeled_table(found: &Results, labels: Labels, zone: &TimeZone, now: Timestamp, style: Style) -> String {
    let is_piece = |hit: &&SearchHit| hit.kind != HitKind::Message;
    let mut out: String =
        found.hits.iter().filter(is_piece).map(|hit| piece(hit, labels, zone, style)).collect();
    if let Some(why) = &found.degraded {
        let _ = writeln!(out, "{}", style.dim(&format!("By words alone, since {why}")));
    }
    if found.hits.is_empty() {
        return out + "Nothing found.";
    }
    let messages: Vec<&SearchHit> = found.hits.iter().filter(|hit| !is_piece(hit)).collect();
    if found.verdict == Verdict::Weak && !messages.is_empty() {
        let _ = writeln!(out, "{}", style.dim("No strong match; these may have to do with it:"));
    }
    for hit in messages {
        let who = hit.speaker.as_deref().or(hit.role.map(|role| role.as_str())).unwrap_or_default();
        let when = format!("{} ({})", time::stamp(hit.at, zone), time::relative(hit.at, now, zone));
        out.push_str(&row(hit, &when, who, labels, style));
    }
    out
}

fn piece(hit: &SearchHit, labels: Labels, zone: &TimeZone, style: Style) -> String {
    row(hit, &format!("since {}", time::date(hit.at, zone)), hit.kind.as_str(), labels, style)
}

fn row(hit: &SearchHit, when: &str, who: &str, labels: Labels, style: Style) -> String {
    format!(
        "{}  {}  {}{}\n       {}\n",
        style.bold(&format!("{:5.2}", hit.score)),
        style.dim(when),
        style.dim(who),
        label(&hit.chat, labels, style),
        cut(&one_line(&hit.text), LONGEST)
    )
}

fn label(chat: &ChatId, labels: Labels, style: Style) -> String {
    match labels {
        Labels::StyledText => format!("  {}", style.person(chat.as_str())),
        Labels::Left => String::new(),
    }
}
