//! `embedder`: lists the available embedders, and switches to another.

mod weights;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use throughline_models::embed::BuiltIn;

use crate::cli::{Cli, Embedder};
use crate::config::problem::Source;
use crate::config::settings::{OPENAI, Settings};
use crate::config::values::embedder::EmbedderChoice;
use crate::config::{self, config_file};
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(args: &Embedder, cli: &Cli, app: App, output: Output) -> Result<(), Failure> {
    match args {
        Embedder::List => list(&app, output).await,
        Embedder::Use { name, from } => {
            let file = config_file(&app.home, cli.config.as_deref());
            change(name, from.as_deref(), &file, app, output).await
        }
    }
}

/// An embedder that can be chosen.
struct Offer {
    name: String,
    what: String,
    in_use: bool,
    /// The state; an error if something is missing.
    state: Result<&'static str, &'static str>,
}

async fn list(app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let figures = engine.store.figures().await?;
    let embedded = figures.embedded(engine.embedder_id());
    let offers = offers(app)?;
    output.print(
        || {
            let row = |offer: &Offer| json!({ "name": offer.name, "ready": offer.state.is_ok(), "in_use": offer.in_use, "what": offer.what });
            let rows: Vec<_> = offers.iter().map(row).collect();
            json!({ "embedders": rows, "messages": figures.messages, "embedded": embedded })
        },
        |style| {
            let all = counted(figures.messages, "message");
            format!("{}{embedded} of {all} embedded with the one in use", table(&offers, style))
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

fn offers(app: &App) -> Result<Vec<Offer>, Failure> {
    let settings = &app.settings;
    let used = settings.embedder.to_string();
    // If the embedder in use has a model's name, its row shows that name instead of the placeholder.
    let offer = |form: &str, state, what: String| {
        let in_use = form.strip_suffix("NAME").map_or(used == form, |provider| used.starts_with(provider));
        Offer { name: if in_use { used.clone() } else { form.to_owned() }, what, in_use, state }
    };
    let weights = if weights::are_in(&app.minilm()) { Ok("ready") } else { Err("no weights yet") };
    // A server other than OpenAI's may not need a key.
    let (openai, ollama) = (&settings.openai, &settings.ollama);
    let keyless = openai.api_key.is_none() && openai.base_url.expose() == OPENAI;
    let key = if keyless { Err("no openai.api_key") } else { Ok("configured") };
    let dimensions = BuiltIn::new()?.vector("").len();
    Ok(vec![
        offer("builtin", Ok("ready"), format!("in the program, {dimensions} dimensions")),
        offer("minilm", weights, "all-MiniLM-L6-v2 on this machine, 384 dimensions, 90 MB".to_owned()),
        offer("openai/NAME", key, format!("a model at {:?}", openai.base_url)),
        offer("ollama/NAME", Ok("configured"), format!("a model of Ollama at {:?}", ollama.api_url)),
        offer("none", Ok("ready"), "search by words alone".to_owned()),
    ])
}

fn table(offers: &[Offer], style: Style) -> String {
    let width = |cell: fn(&Offer) -> &str| {
        offers.iter().map(|offer| cell(offer).chars().count()).max().unwrap_or_default()
    };
    let state: fn(&Offer) -> &str = |offer| match offer.state {
        Ok(state) | Err(state) => state,
    };
    let (names, states) = (width(|offer| &offer.name), width(state));
    let mut out = String::new();
    for offer in offers {
        let mark = if offer.in_use { style.good("✓") } else { " ".to_owned() };
        let name = style.bold(&format!("{:names$}", offer.name));
        let _ = writeln!(out, "{mark} {name}  {:states$}  {}", state(offer), style.dim(&offer.what));
    }
    out
}

/// Switches to an embedder after it has made a test vector.
async fn change(
    choice: &EmbedderChoice,
    from: Option<&Path>,
    file: &Path,
    mut app: App,
    output: Output,
) -> Result<(), Failure> {
    if from.is_some() && *choice != EmbedderChoice::MiniLm {
        return Err(Failure::Usage(format!("--from names the weights of minilm, and {choice} has none")));
    }
    if *choice == EmbedderChoice::MiniLm {
        weights::install(&app.minilm(), from, output)?;
    }
    let overruled = variable(&app.settings).filter(|_| app.settings.embedder != *choice);
    app.settings.embedder = choice.clone();
    try_once(&app).await?;
    let store = app.store().await?;
    config::edit::set(file, "embedder", choice.to_string()).map_err(|error| {
        Failure::failed("config", format!("{} cannot be written: {error}", file.display()))
    })?;
    let engine = app.engine_on(store, app.models().await?)?;
    if overruled.is_none() {
        engine.store.choose_embedder(engine.embedder_id()).await?;
        engine.store.retry_vectors().await?;
    }
    let figures = engine.store.figures().await?;
    let embedded = figures.embedded(engine.embedder_id());
    output.print(
        || {
            json!({
                "embedder": choice.to_string(),
                "in_use": overruled.is_none(),
                "overruled_by": overruled,
                "config": file,
                "messages": figures.messages,
                "embedded": embedded,
            })
        },
        |style| {
            let next = match overruled {
                Some(variable) => format!("But {variable} is set and wins over the file: unset it"),
                None => what_follows(choice, figures.messages.saturating_sub(embedded)),
            };
            format!("{} embedder = \"{choice}\" is in {}\n{next}", style.good("✓"), file.display())
        },
    )?;
    if overruled.is_none() {
        app.run_jobs(&engine).await;
    }
    Ok(())
}

fn what_follows(choice: &EmbedderChoice, without: u64) -> String {
    match (choice, without) {
        (EmbedderChoice::None, _) => "Search goes by words from now on".to_owned(),
        (_, 0) => "Every message has its vector".to_owned(),
        (_, 1) => "1 message gets a new vector in the background; search keeps working".to_owned(),
        (_, more) => {
            format!("{more} messages get new vectors in the background; search keeps working")
        }
    }
}

/// The environment variable that sets the embedder in use, if any.
fn variable(settings: &Settings) -> Option<&'static str> {
    let shown = config::show(settings).into_iter().find(|shown| shown.key == "embedder");
    match shown?.source {
        Source::Variable(name) => Some(name),
        Source::Default | Source::File(..) | Source::Flag(_) => None,
    }
}

/// Makes a test vector, which reveals a wrong key or name at once.
async fn try_once(app: &App) -> Result<(), Failure> {
    let Some(embedder) = app.embedder(BuiltIn::new()?) else { return Ok(()) };
    let unchanged = |error| Failure::failed("embedder", format!("{error}. The embedder was not changed"));
    embedder.embed_question("hello").await.map(drop).map_err(unchanged)
}
