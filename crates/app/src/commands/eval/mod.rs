//! `eval`: measures recall on a set of questions with known answers.

mod context;
mod extraction;
pub mod locomo;
mod longmemeval;
mod metrics;
pub mod recall;
mod report;
mod set;
mod summaries;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use jiff::tz::TimeZone;
use throughline_domain::message::MessageId;
use throughline_engine::import::{BATCH, Ordinals};
use throughline_engine::ports::FixedClock;
use throughline_engine::recall::Question;
use throughline_engine::{Engine, Inbound};
use throughline_store::jobs::JobKind;
use throughline_store::search::Hit;

use self::metrics::Figures;
use self::report::{Answer, Report, Scores};
use self::set::{Chat, Message, Set};
use crate::cli::{Dataset, Eval};
use crate::config::values::address::DatabaseUrl;
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Number of hits per question: enough to rank ten conversations, some of which may be long.
const HITS: usize = 100;
/// Time limit for the vectors of a set, which may take long with a slow embedder.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

pub async fn run(args: &Eval, app: &App, output: Output) -> Result<(), Failure> {
    if args.dataset == Dataset::Extraction {
        return extraction::run(&args.file, app, output).await;
    }
    let started = Instant::now();
    let set = read(args.dataset, &args.file, &app.settings.zone)?;
    let (engine, _folder) = scratch_engine(app).await?;
    output.note(&format!("eval: taking in {} …", counted(set.chats.len() as u64, "chat")));
    let places = ingest(&engine, &set, args).await?;
    finish(&engine).await?;
    let answers = ask_all(&engine, &set, &places).await?;
    let contexts = match args.budget.as_slice() {
        [] => None,
        budgets => Some(context::measure(&engine, &set, budgets).await?),
    };
    let summaries = if args.learn { Some(summaries::measure(&engine, &set).await?) } else { None };
    let report = Report { dataset: args.dataset, answers, contexts, summaries, elapsed: started.elapsed() };
    output.print(|| report.document(), |style| report.text(style))
}

/// Reads a dataset and checks its consistency.
fn read(dataset: Dataset, file: &Path, zone: &TimeZone) -> Result<Set, Failure> {
    let json = std::fs::read(file).map_err(|error| {
        Failure::failed("unreadable_file", format!("{} cannot be read: {error}", file.display()))
    })?;
    let written = match dataset {
        Dataset::Locomo => locomo::read(&json),
        Dataset::Longmemeval => longmemeval::read(&json),
        Dataset::Recall => recall::read(&json),
        Dataset::Extraction => Err("a set of exchanges holds no questions".to_owned()),
    };
    written.and_then(|written| Set::check(written, zone)).map_err(|why| invalid(file, &why))
}

fn invalid(file: &Path, why: &str) -> Failure {
    Failure::failed("invalid_set", format!("{}: {why}", file.display()))
}

/// An engine with the home's settings and a store in a temporary folder, which is deleted when it is dropped.
async fn scratch_engine(app: &App) -> Result<(Engine, tempfile::TempDir), Failure> {
    let folder = tempfile::Builder::new().prefix("eval-").tempdir_in(&app.home)?;
    let mut scratch = app.clone();
    scratch.settings.database_url = DatabaseUrl::Sqlite(folder.path().join("throughline.db"));
    Ok((scratch.engine().await?, folder))
}

/// The position of each stored message in its chat of the set.
type Places = HashMap<MessageId, usize>;

/// Imports every chat, without the labels that serve for scoring.
async fn ingest(engine: &Engine, set: &Set, args: &Eval) -> Result<Places, Failure> {
    let (mut places, mut ordinals, mut batch) = (Places::new(), Ordinals::default(), Vec::new());
    for chat in &set.chats {
        for (place, message) in chat.messages.iter().enumerate() {
            let append =
                engine.import_line(inbound(chat, message), &mut ordinals, args.learn).map_err(|error| {
                    let line = format!("chat {:?}, message {:?}: {error}", chat.name, message.name);
                    invalid(&args.file, &line)
                })?;
            places.insert(append.message.id, place);
            batch.push(append);
            if batch.len() >= BATCH {
                engine.import_batch(std::mem::take(&mut batch)).await?;
            }
        }
    }
    engine.import_batch(batch).await?;
    Ok(places)
}

fn inbound(chat: &Chat, message: &Message) -> Inbound {
    Inbound {
        role: message.role,
        text: message.text.clone(),
        speaker: message.speaker.clone(),
        at: Some(message.at),
        ..Inbound::in_chat(chat.id.clone())
    }
}

/// Finishes the background jobs that improve search.
async fn finish(engine: &Engine) -> Result<(), Failure> {
    if has_jobs_left(engine, JobKind::EMBED).await? {
        return Err(Failure::failed(
            "jobs",
            "the vectors could not be made; the log says why. Choose another embedder with `throughline embedder use builtin`",
        ));
    }
    Ok(())
}

/// Runs due background jobs, and returns whether jobs of a kind are left.
async fn has_jobs_left(engine: &Engine, kind: JobKind) -> Result<bool, Failure> {
    engine.run_jobs(Instant::now() + LONGEST_WAIT).await?;
    Ok(engine.store.figures().await?.jobs_by_kind.contains_key(kind.as_str()))
}

async fn ask_all(engine: &Engine, set: &Set, places: &Places) -> Result<Vec<Answer>, Failure> {
    let bar = progress(set.questions.len() as u64);
    let mut answers = Vec::with_capacity(set.questions.len());
    for question in &set.questions {
        if let Some(chat) = set.chats.get(question.chat) {
            answers.push(ask(engine, chat, question, places).await?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(answers)
}

/// Asks one question at its time, and scores the hits.
async fn ask(
    engine: &Engine,
    chat: &Chat,
    set_question: &set::Question,
    places: &Places,
) -> Result<Answer, Failure> {
    let mut engine = engine.clone();
    if let Some(now) = set_question.now {
        engine.clock = Arc::new(FixedClock(now));
    }
    let question = Question { text: set_question.text.clone(), limit: HITS, ..Question::default() };
    let started = Instant::now();
    let found = engine.recall(&chat.id, question).await?;
    let elapsed = started.elapsed();
    let messages = ranked(found.hits.iter().flat_map(covered).filter_map(|id| places.get(&id).copied()));
    let conversation = |place: &usize| chat.messages.get(*place).map(|message| message.conversation);
    let conversations = ranked(messages.iter().filter_map(conversation));
    let gold_conversations = set_question.gold.iter().filter_map(conversation).collect();
    let scores = Figures::of(&messages, &set_question.gold)
        .zip(Figures::of(&conversations, &gold_conversations))
        .map(|(messages, conversations)| Scores { messages, conversations });
    Ok(Answer { category: set_question.category.clone(), verdict: found.verdict, elapsed, scores })
}

/// The messages of a hit, in order.
fn covered(hit: &Hit) -> impl Iterator<Item = MessageId> {
    hit.messages.iter().copied()
}

/// The items without repeats, in order of first occurrence.
fn ranked<T: Copy + Eq + Hash>(found: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    found.filter(|thing| seen.insert(*thing)).collect()
}

fn progress(questions: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(questions);
    if let Ok(style) = ProgressStyle::with_template("asking {bar:30} {pos} of {len} {eta} left") {
        bar.set_style(style);
    }
    bar
}
