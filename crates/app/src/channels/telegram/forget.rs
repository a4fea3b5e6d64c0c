//! `/forget`: each match is shown with [Forget this] and [Keep], what was forgotten can be brought back for a day, and
//! nothing of it stays in the chat or in what is recorded of it.

use std::collections::HashSet;

use jiff::SignedDuration;
use throughline_domain::message::MessageId;
use throughline_engine::Error;
use throughline_engine::forget::{Done, Found, Match, What};
use throughline_store::outbox::{Button, Outgoing};
use uuid::Uuid;

use super::Gateway;
use super::commands::{Action, Line, Press, Pressed};
use super::target::{Key, SendTarget};
use super::update::person;
use crate::commands::slash::Noted;
use crate::commands::{backups_holding, clean_typed_lines};
use crate::output::counted;

/// So many matches are asked about one by one.
const ASKED: usize = 5;
/// So long an answer is waited for.
const QUESTION_HOLDS: SignedDuration = SignedDuration::from_hours(24);

/// A question that goes out with its buttons.
struct Question {
    text: String,
    keys: Vec<Vec<Key>>,
    buttons: Vec<Button>,
}

impl Gateway {
    /// Shows what matches and asks.
    pub(super) async fn ask_what_to_forget(
        &self,
        target: &SendTarget,
        topic: &str,
        line: &Line,
    ) -> Result<Outgoing, Error> {
        let aim = if topic.is_empty() { What::All } else { What::Topic(topic.to_owned()) };
        let found = self.engine.forget_preview(&target.chat, &aim).await?;
        let noted = Noted { line: "/forget".to_owned(), seen: None };
        let seen = match found.len() {
            0 => "Nothing was forgotten.".to_owned(),
            _ => "(asked what to forget)".to_owned(),
        };
        let said = self.recorded(target, &noted, &seen, false, line).await?;
        let asked = said.last().map(|append| append.message.id);
        let questions = match (&aim, found.len()) {
            (_, 0) => {
                let text = "Nothing here speaks of that, so there is nothing to forget.".to_owned();
                vec![Question { text, keys: Vec::new(), buttons: Vec::new() }]
            }
            (What::All, count) => vec![self.about_everything(target, line, count)],
            _ => self.about_each(target, line, asked, self.distinct(target, found).await?),
        };
        let mut outgoing = Outgoing { said, ..Outgoing::default() };
        for question in questions {
            outgoing.outbox.extend(target.question(&question.text, question.keys));
            outgoing.buttons.extend(question.buttons);
        }
        Ok(outgoing)
    }

    /// Messages that go with a memory which is asked about are not asked about once more. What is only near comes last.
    async fn distinct(&self, target: &SendTarget, found: Vec<Match>) -> Result<Vec<Match>, Error> {
        let mut covered = HashSet::new();
        for one in found.iter().filter(|one| one.certain) {
            if let Found::Memory(memory) = &one.found {
                let with_it =
                    self.engine.forget_preview(&target.chat, &What::Id(memory.id.to_string())).await?;
                covered.extend(with_it.into_iter().filter_map(|one| match one.found {
                    Found::Message(id, _) => Some(id),
                    Found::Memory(_) => None,
                }));
            }
        }
        let is_covered = |one: &Match| matches!(&one.found, Found::Message(id, _) if covered.contains(id));
        let mut kept: Vec<Match> = found.into_iter().filter(|one| !is_covered(one)).collect();
        kept.sort_by_key(|one| !one.certain);
        Ok(kept)
    }

    fn about_everything(&self, target: &SendTarget, line: &Line, count: usize) -> Question {
        let text = format!(
            "Forget everything of this chat: {}? It can be undone for a day.",
            counted(count as u64, "memory or message").replace("memory or messages", "memories and messages")
        );
        self.question(target, line, text, self.engine.ids.next(), "Forget everything", &Action::ForgetAll)
    }

    fn about_each(
        &self,
        target: &SendTarget,
        line: &Line,
        asked: Option<MessageId>,
        found: Vec<Match>,
    ) -> Vec<Question> {
        let mut questions = Vec::new();
        let mut bundles = Vec::new();
        for one in found.iter().take(ASKED) {
            let (id, text) = shown(one);
            let bundle = self.engine.ids.next();
            bundles.push(bundle);
            let action = Action::Forget { ids: vec![id], asked: None, bundles: Vec::new() };
            questions.push(self.question(target, line, text, bundle, "Forget this", &action));
        }
        let certain: Vec<String> = found.iter().filter(|one| one.certain).map(|one| shown(one).0).collect();
        if certain.len() > 1 {
            let count = certain.len();
            let more = found.len().saturating_sub(ASKED);
            let text = match more {
                0 => format!("Or all {count} at once?"),
                _ => format!("{more} more match. Forget all {count} at once, or ask again with more words."),
            };
            let action = Action::Forget { ids: certain, asked: asked.map(|id| id.to_string()), bundles };
            let label = format!("Forget all {count}");
            questions.push(self.question(target, line, text, self.engine.ids.next(), &label, &action));
        }
        questions
    }

    fn question(
        &self,
        target: &SendTarget,
        line: &Line,
        text: String,
        bundle: Uuid,
        label: &str,
        action: &Action,
    ) -> Question {
        let who = person(line.from);
        let button = |text: &str, action: &Action| {
            self.button(&target.chat, &who, bundle, text, action, QUESTION_HOLDS)
        };
        let (yes, no) = (button(label, action), button("Keep", &Action::Keep));
        Question { text, keys: vec![vec![yes.0, no.0]], buttons: vec![yes.1, no.1] }
    }

    /// Does what a button of these questions asks for.
    pub(super) async fn forget(&self, press: &Press, action: Action) -> Result<Pressed, Error> {
        let nothing = |text: &str| Pressed {
            text: text.to_owned(),
            keys: Vec::new(),
            buttons: Vec::new(),
            noted: None,
            bundles: Vec::new(),
            also: Vec::new(),
        };
        match action {
            Action::ForgetAll => {
                let done = self.engine.forget(&press.chat, &What::All, false).await?;
                Ok(self.forgotten(press, done.into_iter().collect()))
            }
            Action::Forget { ids, asked, bundles } => {
                let mut done = Vec::new();
                for id in ids {
                    match self.engine.forget(&press.chat, &What::Id(id), false).await {
                        Ok(forgotten) => done.extend(forgotten),
                        // It went with one before.
                        Err(Error::NoMemory(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
                self.clean_typed_lines(press).await;
                let also = self.asked_with(press, asked.as_deref()).await?;
                Ok(Pressed { bundles, also, ..self.forgotten(press, done) })
            }
            Action::Undo { receipts } => {
                let mut back = 0;
                for receipt in receipts.into_iter().rev() {
                    match self.engine.undo_forgetting(&press.chat, receipt).await {
                        Ok(undone) => back += undone.memories + undone.messages,
                        Err(Error::NotUndone(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
                let text = match back {
                    0 => "It could not be brought back any more.".to_owned(),
                    _ => format!("✓ Brought back: {back}"),
                };
                Ok(Pressed { noted: (back > 0).then(|| text.clone()), ..nothing(&text) })
            }
            Action::Keep => Ok(nothing("Kept.")),
            Action::Save { .. } | Action::Skip { .. } => Ok(nothing("This has expired.")),
        }
    }

    fn forgotten(&self, press: &Press, done: Vec<Done>) -> Pressed {
        let count: u64 = done.iter().map(|done| done.receipt.memories + done.receipt.messages).sum();
        let sentences: Vec<String> = done.iter().flat_map(|done| done.sentences.iter().cloned()).collect();
        let held = backups_holding(&self.app, &sentences);
        let receipts: Vec<Uuid> = done.iter().map(|done| done.receipt.id).collect();
        let mut text = "✓ Forgotten".to_owned();
        if !held.is_empty() {
            let names: Vec<String> = held.iter().map(|file| file.display().to_string()).collect();
            text += &format!("\nIt is still in backups: {}", names.join(", "));
        }
        let undo = (!receipts.is_empty()).then(|| {
            let action = Action::Undo { receipts };
            let holds = self.engine.settings.undo;
            self.button(&press.chat, &press.person, self.engine.ids.next(), "Undo", &action, holds)
        });
        let (keys, buttons) = undo.unzip();
        Pressed {
            text,
            keys: keys.map(|key| vec![key]).into_iter().collect(),
            buttons: buttons.into_iter().collect(),
            noted: (count > 0).then(|| format!("Forgot {count}.")),
            bundles: Vec::new(),
            also: Vec::new(),
        }
    }

    /// The same person may have typed it at the terminal's prompt.
    async fn clean_typed_lines(&self, press: &Press) {
        let nothing_more = What::Topic(String::new());
        if clean_typed_lines(&press.chat, &nothing_more, &self.app, &self.engine).await.is_err() {
            tracing::warn!("the lines typed in the terminal could not be cleaned");
        }
    }

    /// The other messages that a question was asked with.
    async fn asked_with(&self, press: &Press, asked: Option<&str>) -> Result<Vec<i64>, Error> {
        let Some(asked) = asked.and_then(|id| id.parse().ok()) else { return Ok(Vec::new()) };
        let sent = self.engine.store.chat(&press.chat).sent_as(asked).await?;
        let numbers = sent.iter().filter_map(|id| id.parse().ok());
        Ok(numbers.filter(|number| *number != press.message).collect())
    }
}

/// A match by its id, and what a person sees of it.
fn shown(found: &Match) -> (String, String) {
    match &found.found {
        Found::Memory(memory) => (memory.id.to_string(), memory.text.clone()),
        Found::Message(id, sentences) => (id.to_string(), format!("“{}”", sentences.join(" "))),
    }
}
