//! Commands and pressed buttons on channels with an outbox: carried out by the engine, rendered, and recorded with what
//! is sent.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::Error;
use throughline_engine::arrivals::InboundAction;
use throughline_engine::commands::choices::{Press, Pressed};
use throughline_engine::commands::forget::Matches;
use throughline_engine::commands::{Answer, Request, said};
use throughline_engine::forget::What;
use throughline_store::messages::{Append, Purpose};
use throughline_store::outbox::Outgoing;

use super::lanes::Worker;
use super::{Draft, answer, compose};
use crate::commands::{backups_holding, clean_typed_lines};
use crate::output::{Failure, Style};

/// Failures that everybody is told the cause of. Others may name hosts and files of the owner's.
const ABOUT_THE_INPUT: [&str; 5] = ["invalid_message", "too_long", "not_kept", "not_found", "not_undone"];

/// A command as it was written.
struct Line {
    chat: ChatId,
    lane: Lane,
    text: String,
    person: String,
    speaker: Option<String>,
    message: String,
    at: Timestamp,
}

impl Worker {
    /// Does what arrived, and gives what is recorded and sent.
    pub(super) async fn act(
        &self,
        chat: &ChatId,
        lane: &Lane,
        action: InboundAction,
    ) -> Result<Outgoing, Error> {
        match action {
            InboundAction::Command { line, from, speaker, message, at } => {
                let (chat, lane, person) = (chat.clone(), lane.clone(), self.kind.person(&from));
                self.command(Line { chat, lane, text: line, person, speaker, message, at }).await
            }
            InboundAction::Press { query, button, from, message } => {
                let press = Press { chat: chat.clone(), person: self.kind.person(&from), message, button };
                let (shown, outgoing) = match self.engine.press(&press).await? {
                    Ok(pressed) => self.pressed(&press, lane, pressed).await?,
                    Err(why) => (why.to_owned(), Outgoing::default()),
                };
                self.live.confirm_press(&query, &shown).await;
                Ok(outgoing)
            }
        }
    }

    async fn command(&self, line: Line) -> Result<Outgoing, Error> {
        let request = Request::parse(&line.text).or_else(|| Request::parse("/help"));
        let Some(request) = request.map(Request::without_prompt) else { return Ok(Outgoing::default()) };
        let (chat, lane) = (&line.chat, &line.lane);
        let answer = match self.engine.run_command(chat, lane, &request).await {
            Ok(Answer::Forget(matches)) => return self.ask_what_to_forget(&line, &request, matches).await,
            Ok(Answer::Export) => Ok(None),
            // The question waits in the lane, where the next turn finds it.
            Ok(Answer::Retry(Some(question))) => {
                let again = question.turn.map(|turn| (chat.clone(), turn));
                return Ok(Outgoing { again, ..Outgoing::default() });
            }
            Ok(answer) => answer::text(answer, chat, &self.app, &self.engine, Style::PLAIN).await.map(Some),
            Err(error) => Err(Failure::from(error)),
        };
        let is_owners = self.engine.settings.people.is_owners(chat);
        let shown = answer.unwrap_or_else(|failure| {
            Some(match failure {
                Failure::Failed { code, .. } if !is_owners && !ABOUT_THE_INPUT.contains(&code) => {
                    "That did not work.".to_owned()
                }
                Failure::Usage(why) | Failure::Failed { sentence: why, .. } => {
                    format!("That did not work: {why}")
                }
                Failure::Reported => "That did not work.".to_owned(),
            })
        });
        let outbox = match &shown {
            Some(text) => compose(chat, lane, Draft::Text(text, Vec::new())),
            None => compose(chat, lane, Draft::Export),
        };
        let said = self.recorded(&line, &request, &shown.unwrap_or_default()).await?;
        Ok(Outgoing { said, outbox, ..Outgoing::default() })
    }

    async fn ask_what_to_forget(
        &self,
        line: &Line,
        request: &Request,
        matches: Matches,
    ) -> Result<Outgoing, Error> {
        let said = self.recorded(line, request, matches.recorded()).await?;
        let asked = said.last().map(|append| append.message.id);
        let questions = self.engine.ask_what_to_forget(&line.chat, &line.person, matches, asked).await?;
        let mut outgoing = Outgoing { said, ..Outgoing::default() };
        for question in questions {
            let draft = Draft::Text(&question.text, question.choices);
            outgoing.outbox.extend(compose(&line.chat, &line.lane, draft));
            outgoing.buttons.extend(question.buttons);
        }
        Ok(outgoing)
    }

    /// The line as it was written, and what was shown.
    async fn recorded(&self, line: &Line, request: &Request, shown: &str) -> Result<Vec<Append>, Error> {
        let recorded = request.recorded(&line.chat, &line.lane, shown);
        let [mut written, result] = recorded.unwrap_or_else(|| {
            let by = |role, text: &str| said(&line.chat, &line.lane, role, text);
            [by(Role::User, &line.text), by(Role::Assistant, "(there is no such command)")]
        });
        written.external_ids = vec![line.message.clone()];
        written.at = Some(line.at);
        written.speaker.clone_from(&line.speaker);
        let written = self.engine.stored(written, Purpose::Record).await?;
        Ok(vec![written, self.engine.stored(result, Purpose::Record).await?])
    }

    /// Puts what a button did in place of its question.
    async fn pressed(
        &self,
        press: &Press,
        lane: &Lane,
        pressed: Pressed,
    ) -> Result<(String, Outgoing), Error> {
        let chat = &press.chat;
        let first_line = pressed.question.text.lines().next().unwrap_or_default().to_owned();
        let text = pressed.question.text + &self.held_elsewhere(chat, &pressed.forgotten).await;
        let mut outbox = compose(chat, lane, Draft::Change(&press.message, &text, pressed.question.choices));
        for message in &pressed.also {
            outbox.extend(compose(chat, lane, Draft::Change(message, &first_line, Vec::new())));
        }
        let said = match pressed.recorded {
            Some(text) => {
                let recorded = said(chat, lane, Role::Assistant, &text);
                vec![self.engine.stored(recorded, Purpose::Record).await?]
            }
            None => Vec::new(),
        };
        let buttons = pressed.question.buttons;
        let send_again = pressed.send_again.map(|message| (chat.clone(), message));
        let used = pressed.used;
        Ok((first_line, Outgoing { said, outbox, buttons, used, send_again, ..Outgoing::default() }))
    }

    /// Takes what was forgotten out of the lines typed at the terminal's prompt, and names the backups that hold it.
    async fn held_elsewhere(&self, chat: &ChatId, forgotten: &[String]) -> String {
        if forgotten.is_empty() {
            return String::new();
        }
        if clean_typed_lines(chat, &What::Topic(String::new()), &self.app, &self.engine).await.is_err() {
            tracing::warn!(%chat, "cleaning the terminal's history failed; it may hold forgotten text");
        }
        let names: Vec<String> =
            backups_holding(&self.app, forgotten).iter().map(|file| file.display().to_string()).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("\nIt is still in backups: {}", names.join(", "))
        }
    }
}
