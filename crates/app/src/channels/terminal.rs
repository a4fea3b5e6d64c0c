//! The terminal as a channel: words appear as they come, commands ask back at the prompt.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use indicatif::ProgressBar;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Shortfall;
use throughline_engine::Engine;
use throughline_engine::commands::forget::{self, Matches};
use throughline_engine::commands::{Answer, Request, help};
use throughline_engine::forget::What;
use throughline_engine::turn::{Channel, Outcome};
use throughline_store::messages::Purpose;

use super::answer;
use super::prose::Prose;
use crate::commands::{backups_holding, clean_typed_lines, forget_done_text, forget_preview_text};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

/// Time between two pictures of the spinner.
const SPINNER_STEP: Duration = Duration::from_millis(100);

/// Shows replies on stdout: as they are in a pipe; on a terminal wrapped and styled, with a spinner until the first word.
/// Ctrl-C stops a reply.
#[derive(Debug)]
pub struct Terminal {
    begun: AtomicBool,
    screen: Option<Mutex<Screen>>,
}

#[derive(Debug)]
struct Screen {
    prose: Prose,
    spinner: ProgressBar,
}

impl Terminal {
    pub fn new(output: Output) -> Self {
        let screen = output.width().map(|width| {
            let spinner = ProgressBar::new_spinner();
            spinner.enable_steady_tick(SPINNER_STEP);
            Mutex::new(Screen { prose: Prose::new(width, output.has_color()), spinner })
        });
        Self { begun: AtomicBool::new(false), screen }
    }

    /// A piece of a reply as it is printed.
    fn written(&self, words: &str, is_last: bool) -> String {
        let Some(screen) = &self.screen else { return words.to_owned() };
        let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
        screen.spinner.finish_and_clear();
        let mut written = screen.prose.push(words);
        if is_last {
            written += &screen.prose.finish();
        }
        written
    }
}

#[async_trait]
impl Channel for Terminal {
    async fn show(&self, words: &str) {
        self.begun.store(true, Ordering::Relaxed);
        let written = self.written(words, false);
        let mut stdout = std::io::stdout().lock();
        // A closed pipe is reported when the whole reply is delivered.
        let _ = write!(stdout, "{written}").and_then(|()| stdout.flush());
    }

    async fn stopped(&self) {
        match self.screen {
            Some(_) => _ = tokio::signal::ctrl_c().await,
            None => std::future::pending().await,
        }
    }

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let rest = if self.begun.load(Ordering::Relaxed) { "" } else { outcome.reply.text.as_str() };
        let written = self.written(rest, true);
        let mark = if outcome.reply.shortfall() == Some(Shortfall::Stopped) { " [stopped]" } else { "" };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{written}{mark}")
            .and_then(|()| stdout.flush())
            .map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// A turn that fails leaves no spinner behind.
impl Drop for Terminal {
    fn drop(&mut self) {
        self.written("", false);
    }
}

/// Shows the whole turn as one JSON document, when it is done.
#[derive(Debug, Clone, Copy)]
pub struct Document;

#[async_trait]
impl Channel for Document {
    async fn show(&self, _: &str) {}

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let usage = json!({
            "input_tokens": outcome.usage.input_tokens,
            "output_tokens": outcome.usage.output_tokens,
            "cost_usd": outcome.usage.cost_usd,
        });
        let document = json!({ "reply": outcome.reply.text, "turn": outcome.turn, "receipt": outcome.receipt, "usage": usage });
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{document}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// The prompt of a chat, for commands.
pub struct Prompt<'a> {
    pub chat: &'a ChatId,
    pub app: &'a App,
    pub engine: &'a Engine,
    pub style: Style,
}

impl Prompt<'_> {
    /// Runs a command, records it, and gives the text to show. `confirm` asks the person.
    pub async fn run(
        &self,
        request: &Request,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<String, Failure> {
        let lane = &Lane::Root;
        let (shown, recorded) = match self.engine.run_command(self.chat, lane, request).await? {
            Answer::Forget(matches) => self.forget(matches, confirm).await?,
            Answer::Help => (help(true), None),
            answer => (answer::text(answer, self.chat, self.app, self.engine, self.style).await?, None),
        };
        let recorded = recorded.as_deref().unwrap_or(&shown);
        for inbound in request.recorded(self.chat, lane, recorded).into_iter().flatten() {
            self.engine.hear(inbound, Purpose::Record).await?;
        }
        Ok(shown)
    }

    /// Asks once about everything that matches. Gives the text to show, and what is recorded in its place.
    async fn forget(
        &self,
        matches: Matches,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(String, Option<String>), Failure> {
        let preview = forget_preview_text(&matches.found, self.style);
        let question = match (matches.certain(), &matches.what) {
            (0, _) => return Ok((preview, Some(forget::NOTHING.to_owned()))),
            (count, What::All) => format!("Forget everything of this chat, {count} memories and messages?"),
            (count, _) => format!("{preview}\nForget these {count}?"),
        };
        let done = match confirm(&question) {
            true => self.engine.forget(self.chat, &matches.what, false).await?,
            false => None,
        };
        let Some(done) = done else { return Ok((forget::NOTHING.to_owned(), None)) };
        clean_typed_lines(self.chat, &matches.what, self.app, self.engine).await?;
        let held = backups_holding(self.app, &done.sentences);
        let shown = forget_done_text(&done, &held, self.style);
        Ok((shown, forget::recorded(&[done])))
    }
}
