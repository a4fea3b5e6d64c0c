//! `bench`: what this machine does with it. Every part runs the code that users run, on a real disk, at full durability.

mod cold;
mod context;
mod corpus;
mod figures;
mod import;
mod record;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use throughline_engine::Engine;
use throughline_store::{Options, Store};

use crate::cli::Bench;
use crate::output::{Failure, Output, Style};
use crate::wire::Place;

/// The parts, in the order they run.
const PARTS: [&str; 4] = ["record", "import", "context", "cold"];

pub async fn run(what: &Bench, place: &Place, output: Output) -> Result<(), Failure> {
    if let Some(unknown) = what.only.iter().find(|name| !PARTS.contains(&name.as_str())) {
        return Err(Failure::Usage(format!(
            "--only: there is no part {unknown:?}; choose from {}",
            PARTS.join(", ")
        )));
    }
    let folder = Folder::make(what.dir.as_deref().unwrap_or(&place.home))?;
    let wanted = |name: &str| what.only.is_empty() || what.only.iter().any(|only| only == name);
    let mut report = Map::new();
    report.insert("messages".into(), json!(what.messages));
    report.insert("debug_build".into(), json!(cfg!(debug_assertions)));
    for part in PARTS.into_iter().filter(|part| wanted(part)) {
        output.note(&format!("bench: {part} …"));
        let figures = match part {
            "record" => record::run(&Bed::make(place, &folder.path.join("record")).await?).await?,
            "import" => import::run(&folder.path.join("import"))?,
            "context" => context::run(place, &folder.path, what.messages).await?,
            _ => cold::run(&folder.path.join("cold"))?,
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

/// A store of its own with an engine over it.
struct Bed {
    engine: Engine,
}

impl Bed {
    async fn make(place: &Place, folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)?;
        let options = Options {
            path: folder.join("throughline.db"),
            gap: throughline_domain::conversation::GAP,
            backups: folder.join("backups"),
        };
        Ok(Self { engine: place.engine_on(Store::open(options).await?)? })
    }
}

fn table(report: &Map<String, Value>, style: Style) -> String {
    let mut out = String::new();
    for (part, figures) in report {
        let Some(figures) = figures.as_object() else { continue };
        out.push_str(&format!("{}\n", style.bold(part)));
        for (name, value) in figures {
            let shown = value.as_f64().map_or_else(|| value.to_string(), figures::short);
            out.push_str(&format!("  {name:<34} {shown:>12}\n"));
        }
    }
    out
}
