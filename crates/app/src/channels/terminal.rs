//! The terminal as a channel: words appear as they come, commands ask back at the prompt.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::commands::forget::{self, Matches};
use throughline_engine::commands::{Answer, Request, help};
use throughline_engine::forget::What;
use throughline_engine::turn::{Channel, Outcome};
use throughline_store::messages::Purpose;

use super::answer;
use crate::commands::{backups_holding, clean_typed_lines, forget_done_text, forget_preview_text};
use crate::output::{Failure, Style};
use crate::wire::App;

/// Shows replies on stdout.
#[derive(Debug, Default)]
pub struct Terminal {
    begun: AtomicBool,
}

#[async_trait]
impl Channel for Terminal {
    async fn show(&self, words: &str) {
        self.begun.store(true, Ordering::Relaxed);
        let mut stdout = std::io::stdout().lock();
        // A closed pipe is reported when the whole reply is delivered.
        let _ = write!(stdout, "{words}").and_then(|()| stdout.flush());
    }

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let mut stdout = std::io::stdout().lock();
        let rest = if self.begun.load(Ordering::Relaxed) { "" } else { outcome.reply.text.as_str() };
        writeln!(stdout, "{rest}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
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
