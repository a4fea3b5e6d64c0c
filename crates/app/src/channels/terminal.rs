//! The terminal as a channel: replies stream to stdout, and commands ask for confirmation at the prompt.

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
use throughline_engine::commands::forget::{self, Matches};
use throughline_engine::commands::{Answer, Request, help};
use throughline_engine::forget::What;
use throughline_engine::turn::{Channel, Outcome, STOPPED_MARK};
use throughline_engine::{Engine, Error};
use throughline_store::messages::Purpose;
use throughline_text::printable::printable;

use super::answer;
use super::prose::Prose;
use crate::api::TurnDocument;
use crate::commands::{backups_holding, clean_lines, forget_done_text, forget_preview_text, match_ids};
use crate::output::{Failure, Output, Style, json_line, print_line, without_styles};
use crate::wire::App;

/// Time between two frames of the spinner.
const SPINNER_STEP: Duration = Duration::from_millis(100);

/// Shows replies on stdout: unchanged in a pipe; wrapped and styled on a terminal, with a spinner until the first
/// word. Ctrl-C stops a reply.
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

    /// Formats a piece of a reply.
    fn written(&self, words: &str, is_last: bool) -> String {
        let Some(screen) = &self.screen else { return printable(words).into_owned() };
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
        let mark = if outcome.reply.shortfall() == Some(Shortfall::Stopped) { STOPPED_MARK } else { "" };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{written}{mark}")
            .and_then(|()| stdout.flush())
            .map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// Removes the spinner if a turn fails.
impl Drop for Terminal {
    fn drop(&mut self) {
        self.written("", false);
    }
}

/// Shows the finished turn as one JSON document. In streaming mode, the words are printed too as they arrive, one
/// event per line.
#[derive(Debug, Clone, Copy)]
pub struct Document(pub Output);

#[async_trait]
impl Channel for Document {
    async fn show(&self, words: &str) {
        if self.0.is_stream() {
            // A closed pipe is reported when the whole reply is delivered.
            let _ = print_line(&json_line(&self.0.event("delta", json!({ "text": words }))));
        }
    }

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let line = json_line(&self.0.event("done", json!(TurnDocument::from(outcome))));
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{line}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// Asks a person a yes-or-no question.
type Confirm<'a> = &'a mut (dyn FnMut(&str) -> bool + Send);

/// Runs commands at the prompt of a chat.
pub struct Prompt<'a> {
    pub chat: &'a ChatId,
    pub lane: &'a Lane,
    pub app: &'a App,
    pub engine: &'a Engine,
    pub style: Style,
}

impl Prompt<'_> {
    /// Runs a command, records it, and returns the text to show. `confirm` asks the person, if somebody can be asked.
    pub async fn run(&self, request: &Request, confirm: Option<Confirm<'_>>) -> Result<String, Failure> {
        let lane = self.lane;
        let (shown, recorded) = match self.engine.run_command(self.chat, lane, request).await? {
            Answer::Forget(matches) => self.forget(matches, confirm).await?,
            Answer::Help => (help(true), None),
            answer => (answer::text(answer, self.chat, self.app, self.engine, self.style).await?, None),
        };
        let recorded = recorded.unwrap_or_else(|| without_styles(&shown));
        for inbound in request.recorded(self.chat, lane, &recorded).into_iter().flatten() {
            self.engine.record_message(inbound, Purpose::Record).await?;
        }
        Ok(shown)
    }

    /// Asks about each match, or once about everything. Returns the text to show, and the text to record instead. If
    /// nobody can be asked, the matches are shown and nothing is forgotten.
    async fn forget(
        &self,
        matches: Matches,
        confirm: Option<Confirm<'_>>,
    ) -> Result<(String, Option<String>), Failure> {
        let nothing = || Some(forget::NOTHING_FORGOTTEN.to_owned());
        let Some(confirm) = confirm.filter(|_| !matches.found.is_empty()) else {
            let short = self.engine.short_ids(self.chat, match_ids(&matches.found)).await?;
            return Ok((forget_preview_text(&matches.found, &matches.what, &short, self.style), nothing()));
        };
        let mut chosen = Vec::new();
        if matches.what == What::All {
            let count = matches.certain();
            if confirm(&format!("Forget everything of this chat, {count} memories and messages?")) {
                chosen.push(What::All);
            }
        } else {
            for found in self.engine.each_to_forget(self.chat, matches.found).await? {
                if confirm(&format!("{}\nForget this?", found.shown())) {
                    chosen.push(found.found.target());
                }
            }
        }
        let mut done = Vec::new();
        for what in chosen {
            match self.engine.forget(self.chat, &what, false).await {
                Ok(forgotten) => done.extend(forgotten),
                // It was forgotten together with an earlier match.
                Err(Error::NoMemory(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if done.is_empty() {
            return Ok((forget::NOTHING_FORGOTTEN.to_owned(), None));
        }
        clean_lines(self.chat, &matches.what, self.app, self.engine).await?;
        let short = self.engine.short_ids(self.chat, done.iter().map(|done| done.receipt.id)).await?;
        let shown = done.iter().map(|done| {
            let held = backups_holding(self.app, &done.sentences);
            forget_done_text(done, &held, &short, self.style)
        });
        Ok((shown.collect::<Vec<_>>().join("\n"), forget::recorded(&done)))
    }
}
