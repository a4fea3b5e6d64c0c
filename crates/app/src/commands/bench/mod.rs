//! `bench`: what this machine does with it. Every part runs the code that users run, on a real disk, at full durability.

mod cold;
mod context;
mod corpus;
mod embed;
mod figures;
mod filled;
mod http;
mod import;
mod locomo;
mod memory;
mod record;
mod search;
mod talk;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use throughline_engine::Engine;
use throughline_store::{Options, Store};
use tokio::sync::OnceCell;

use self::filled::Filled;
use self::talk::Talk;
use crate::cli::Bench;
use crate::output::{Failure, Output, Style};
use crate::wire::App;

/// The parts, in the order they run.
const PARTS: [&str; 11] = [
    "record",
    "import",
    "cold",
    "embedder",
    "search",
    "memory",
    "turn",
    "embed",
    "search_large",
    "context",
    "http",
];

pub async fn run(what: &Bench, app: &App, output: Output) -> Result<(), Failure> {
    if what.answer {
        return memory::answer(app, output).await;
    }
    if let Some(unknown) = what.only.iter().find(|name| !PARTS.contains(&name.as_str())) {
        return Err(Failure::Usage(format!(
            "--only: there is no part {unknown:?}; choose from {}",
            PARTS.join(", ")
        )));
    }
    let folder = Folder::make(what.dir.as_deref().unwrap_or(&app.home))?;
    let talk = Talk::find(what.locomo.as_deref())?;
    let stores = Stores::new(app, &folder.path, &talk, what);
    let wanted = |name: &str| what.only.is_empty() || what.only.iter().any(|only| only == name);
    let mut report = Map::new();
    report.insert("messages".into(), json!(what.messages));
    report.insert("debug_build".into(), json!(cfg!(debug_assertions)));
    for part in PARTS.into_iter().filter(|part| wanted(part)) {
        output.note(&format!("bench: {part} …"));
        let figures = match part {
            "record" => record::run(&BenchHome::make(app, &folder.path.join("record")).await?).await?,
            "import" => import::run(&folder.path.join("import"))?,
            "cold" => cold::run(app, &folder.path.join("cold")).await?,
            "embedder" => embed::embedder(&talk).await?,
            "search" => search::run(&stores.ten_chats().await?.chats, &talk).await?,
            "memory" => memory::run(stores.ten_chats().await?, &talk)?,
            "turn" => turn::run(&stores.ten_chats().await?.chats, &talk).await?,
            "embed" => embed::run(stores.large().await?, &talk),
            "search_large" => search::large(stores.large().await?, &talk).await?,
            "http" => http::run(app, &folder.path.join("http"), &talk, what.search_messages).await?,
            _ => context::run(app, &folder.path.join("alone"), &talk, stores.large().await?).await?,
        };
        report.insert(part.to_owned(), figures);
    }
    output.print(|| Value::Object(report.clone()), |style| table(&report, style))
}

/// A folder that goes away with the run.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn make(parent: &Path) -> Result<Self, Failure> {
        let path = parent.join(format!("bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The stores that several parts share, each made when it is first asked for.
struct Stores<'a> {
    app: &'a App,
    folder: &'a Path,
    talk: &'a Talk,
    what: &'a Bench,
    ten_chats: OnceCell<Filled>,
    large: OnceCell<Filled>,
}

impl<'a> Stores<'a> {
    fn new(app: &'a App, folder: &'a Path, talk: &'a Talk, what: &'a Bench) -> Self {
        Self { app, folder, talk, what, ten_chats: OnceCell::new(), large: OnceCell::new() }
    }

    /// Ten chats of one size.
    async fn ten_chats(&self) -> Result<&Filled, Failure> {
        let messages = self.what.search_messages / 10;
        let chats: Vec<(String, u64)> = (0..10).map(|n| (format!("api:chat:{n}"), messages)).collect();
        let folder = self.folder.join("ten-chats");
        let make = || Filled::make(self.app, &folder, self.talk, &chats, 8);
        self.ten_chats.get_or_try_init(make).await
    }

    /// A chat of 1 % of the messages, one of 5 %, one of 10 %, and fifty others.
    async fn large(&self) -> Result<&Filled, Failure> {
        let all = self.what.messages;
        let mut chats: Vec<(String, u64)> = [("same", all / 100), ("asked", all / 20), ("large", all / 10)]
            .map(|(name, messages)| (format!("api:chat:{name}"), messages))
            .into();
        let rest = (all - all / 100 - all / 20 - all / 10) / 50;
        chats.extend((0..50).map(|n| (format!("api:chat:other-{n}"), rest)));
        let folder = self.folder.join("large");
        let make = || Filled::make(self.app, &folder, self.talk, &chats, 5);
        self.large.get_or_try_init(make).await
    }
}

/// A store of its own with an engine over it, which has the built-in embedder.
struct BenchHome {
    engine: Engine,
}

impl BenchHome {
    async fn make(app: &App, folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)?;
        let options = Options {
            path: folder.join("throughline.db"),
            gap: throughline_domain::conversation::GAP,
            backups: folder.join("backups"),
            key: app.store_options().await?.key,
        };
        let engine = app.engine_on(Store::open(options).await?, App::offline_models())?;
        // Whatever the settings choose: figures are compared between machines.
        Ok(Self { engine: Engine { embedder: Some(Arc::new(engine.builtin)), ..engine } })
    }
}

fn table(report: &Map<String, Value>, style: Style) -> String {
    let mut out = String::new();
    for (part, figures) in report {
        let Some(figures) = figures.as_object() else { continue };
        out.push_str(&format!("{}\n", style.bold(part)));
        for (name, value) in figures {
            let shown = match value {
                Value::String(words) => words.clone(),
                _ => value.as_f64().map_or_else(|| value.to_string(), figures::short),
            };
            let goal = figures::goal(part, name).map(|goal| format!("   goal: {goal}")).unwrap_or_default();
            out.push_str(&format!("  {name:<34} {shown:>12}{goal}\n"));
        }
    }
    out
}
