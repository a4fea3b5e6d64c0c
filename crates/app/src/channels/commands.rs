//! Commands and pressed buttons on channels with an outbox: runs each in the engine, renders its answer, and records
//! it with the outgoing messages.

use std::path::Path;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::Error;
use throughline_engine::arrivals::InboundAction;
use throughline_engine::commands::choices::{Press, Pressed};
use throughline_engine::commands::forget::Matches;
use throughline_engine::commands::{Answer, Command, Request, command_message};
use throughline_engine::forget::What;
use throughline_store::messages::{Append, Purpose};
use throughline_store::outbox::Outgoing;

use super::lanes::Worker;
use super::{Draft, compose, phone};
use crate::commands::{backups_holding, clean_daily_backups, clean_lines, is_daily_backup};
use crate::output::Failure;

/// Error codes whose cause everybody may see. Other errors may name the owner's hosts and files.
const PUBLIC_ERRORS: [&str; 5] = ["invalid_message", "too_long", "not_kept", "not_found", "not_undone"];

/// A command line as the person wrote it.
struct Line {
    chat: ChatId,
    lane: Lane,
    text: String,
    person: String,
    /// Whether the owner wrote it.
    is_owners: bool,
    speaker: Option<String>,
    message: String,
    at: Timestamp,
}

/// The effects of a command or a pressed button.
#[derive(Default)]
pub(super) struct ActionEffects {
    /// The changes, records and messages, written in one transaction.
    pub outgoing: Outgoing,
    /// The pressed button to confirm afterwards, and the text of the confirmation.
    pub confirmed: Option<(String, String)>,
    /// Whether something was forgotten of which copies may exist outside the store.
    pub forgotten: bool,
}

impl Worker {
    /// Carries out an action, and returns its effects.
    pub(super) async fn act(
        &self,
        chat: &ChatId,
        lane: &Lane,
        action: InboundAction,
    ) -> Result<ActionEffects, Error> {
        match action {
            InboundAction::Command { line, from, speaker, message, at } => {
                let (chat, lane, person) = (chat.clone(), lane.clone(), self.kind.person(&from));
                let people = &self.engine.settings.people;
                let is_owners = self.kind.chat(&from).is_some_and(|own| people.is_owners(&own));
                let line = Line { chat, lane, text: line, person, is_owners, speaker, message, at };
                Ok(ActionEffects { outgoing: self.command(line).await?, ..ActionEffects::default() })
            }
            InboundAction::Press { query, button, from, message } => {
                let press = Press { chat: chat.clone(), person: self.kind.person(&from), message, button };
                let (shown, outgoing, forgotten) = match self.engine.press(&press).await? {
                    Ok(pressed) => self.pressed(&press, lane, pressed).await?,
                    Err(why) => (why.to_owned(), Outgoing::default(), false),
                };
                Ok(ActionEffects { outgoing, confirmed: Some((query, shown)), forgotten })
            }
        }
    }

    async fn command(&self, line: Line) -> Result<Outgoing, Error> {
        let request = Request::parse(&line.text).or_else(|| Request::parse("/help"));
        let Some(request) = request.map(Request::without_prompt) else { return Ok(Outgoing::default()) };
        let (chat, lane) = (&line.chat, &line.lane);
        let answered = match request.command {
            // The owner may choose a model in groups too.
            Command::Model if line.is_owners => self.engine.choose_model(chat, &request.argument).await,
            _ => self.engine.run_command(chat, lane, &request).await,
        };
        let answer = match answered {
            Ok(Answer::Forget(matches)) => return self.ask_what_to_forget(&line, &request, matches).await,
            Ok(Answer::Export) => Ok(None),
            // The question waits in the lane for the next turn.
            Ok(Answer::Retry(Some(question))) => {
                let again = question.turn.map(|turn| (chat.clone(), turn));
                return Ok(Outgoing { again, ..Outgoing::default() });
            }
            Ok(answer) => phone::text(answer, chat, &self.app, &self.engine).await.map(Some),
            Err(error) => Err(Failure::from(error)),
        };
        let is_owners = self.engine.settings.people.is_owners(chat);
        let shown = answer.unwrap_or_else(|failure| {
            let is_private = |code: &str| !is_owners && !PUBLIC_ERRORS.contains(&code);
            Some(match failure {
                Failure::Failed { code, .. } if is_private(code) => "That did not work.".to_owned(),
                Failure::Reported => "That did not work.".to_owned(),
                failure => format!("That did not work: {}", failure.into_sentence()),
            })
        });
        let outbox = match &shown {
            Some(text) => compose(chat, lane, Draft::Listing(text)),
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

    /// The records of a command: its line and its answer.
    async fn recorded(&self, line: &Line, request: &Request, shown: &str) -> Result<Vec<Append>, Error> {
        let recorded = request.recorded(&line.chat, &line.lane, shown);
        let [mut written, result] = recorded.unwrap_or_else(|| {
            let by = |role, text: &str| command_message(&line.chat, &line.lane, role, text);
            [by(Role::User, &line.text), by(Role::Assistant, "(there is no such command)")]
        });
        written.external_ids = vec![line.message.clone()];
        written.at = Some(line.at);
        written.speaker.clone_from(&line.speaker);
        let written = self.engine.stored(written, Purpose::Record).await?;
        Ok(vec![written, self.engine.stored(result, Purpose::Record).await?])
    }

    /// Replaces a question with the result of its pressed button. Returns the first line of the result, and whether
    /// something was forgotten.
    async fn pressed(
        &self,
        press: &Press,
        lane: &Lane,
        pressed: Pressed,
    ) -> Result<(String, Outgoing, bool), Error> {
        let chat = &press.chat;
        let first_line = pressed.question.text.lines().next().unwrap_or_default().to_owned();
        let text = pressed.question.text + &self.named_backups(&pressed.forgotten);
        let mut outbox = compose(chat, lane, Draft::Change(&press.message, &text, pressed.question.choices));
        for message in &pressed.also {
            outbox.extend(compose(chat, lane, Draft::Change(message, &first_line, Vec::new())));
        }
        for (other, text) in &pressed.messages_to_others {
            outbox.extend(compose(other, &Lane::Root, Draft::Text(text, Vec::new())));
        }
        let said = match pressed.recorded {
            Some(text) => {
                let recorded = command_message(chat, lane, Role::Assistant, &text);
                vec![self.engine.stored(recorded, Purpose::Record).await?]
            }
            None => Vec::new(),
        };
        let send_again = pressed.send_again.map(|message| (chat.clone(), message));
        let outgoing = Outgoing {
            effects: pressed.effects,
            pressed: pressed.button,
            said,
            outbox,
            buttons: pressed.question.buttons,
            used: pressed.used,
            send_again,
            ..Outgoing::default()
        };
        Ok((first_line, outgoing, !pressed.forgotten.is_empty()))
    }

    /// Names the backups that contain a forgotten text. Daily backups are left out, because they are cleaned
    /// afterwards.
    fn named_backups(&self, forgotten: &[String]) -> String {
        if forgotten.is_empty() {
            return String::new();
        }
        let held = backups_holding(&self.app, forgotten);
        let names: Vec<String> =
            held.iter().filter(|file| !is_daily_backup(file)).map(|file| file_name(file)).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("\nIt is still in backups: {}", names.join(", "))
        }
    }

    /// Removes forgotten texts from the terminal's input history, the log and the daily backups.
    pub(super) async fn clean_copies(&self, chat: &ChatId) {
        if clean_lines(chat, &What::Topic(String::new()), &self.app, &self.engine).await.is_err() {
            tracing::warn!(%chat, "cleaning the terminal's history and the log failed; they may hold forgotten text");
        }
        if clean_daily_backups(&self.app, &self.engine).await.is_err() {
            tracing::warn!(%chat, "cleaning the daily backups failed; they may hold forgotten text");
        }
    }
}

/// The last part of a path; its folder means nothing on a phone.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
