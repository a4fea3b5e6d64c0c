//! `/forget`: searches, asks which matches to forget, and forgets those. Neither the topic nor the forgotten text is
//! recorded.

use std::collections::HashSet;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::forget::{Aim, hash_of_statement};
use throughline_domain::message::MessageId;
use throughline_store::effects::Effect;
use throughline_store::messages::Reference;
use uuid::Uuid;

use super::choices::{Action, Bundle, Part, Press, Pressed, Question};
use crate::forget::{Done, Found, Match, Planned, What};
use crate::{Engine, Result};

/// Maximum number of matches that get a question of their own.
const MAX_QUESTIONS: usize = 5;
/// Lifetime of a question's buttons.
const BUTTON_LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// The answer if nothing was forgotten.
pub const NOTHING_FORGOTTEN: &str = "Nothing was forgotten.";

/// The answer to a topic without a word to search for.
pub(super) const NO_TOPIC: &str =
    "That does not say what to forget: name a person, a thing, a number or a word.";

/// The matches of a `/forget`.
#[derive(Debug)]
pub struct Matches {
    /// The request.
    pub what: What,
    /// The certain matches, and those that are merely similar.
    pub found: Vec<Match>,
}

impl Matches {
    /// The number of certain matches.
    #[must_use]
    pub fn certain(&self) -> usize {
        self.found.iter().filter(|found| found.certain).count()
    }

    /// The text recorded for the questions about these matches.
    #[must_use]
    pub fn recorded(&self) -> &'static str {
        if self.found.is_empty() { NOTHING_FORGOTTEN } else { "(asked what to forget)" }
    }
}

/// The text recorded after a forgetting.
#[must_use]
pub fn recorded(done: &[Done]) -> Option<String> {
    forgotten_text(done.iter().map(|done| done.receipt.memories + done.receipt.messages).sum())
}

fn forgotten_text(count: u64) -> Option<String> {
    (count > 0).then(|| format!("Forgot {count}."))
}

impl Engine {
    pub(super) async fn find_to_forget(&self, chat: &ChatId, topic: &str) -> Result<Matches> {
        let what = if topic.is_empty() { What::All } else { What::Topic(topic.to_owned()) };
        Ok(Matches { found: self.forget_preview(chat, &what).await?, what })
    }

    /// Asks about the matches: one question for each, and one for all of them. `asked` is the message of the
    /// `/forget`.
    pub async fn ask_what_to_forget(
        &self,
        chat: &ChatId,
        person: &str,
        matches: Matches,
        asked: Option<MessageId>,
    ) -> Result<Vec<Question>> {
        let bundle = || Bundle { engine: self, chat, person, id: self.ids.next(), lifetime: BUTTON_LIFETIME };
        let ask = |bundle: &Bundle<'_>, text, label: &str, action| {
            bundle.question(text, &[(label, action), ("Keep", Action::Keep)])
        };
        if matches.found.is_empty() {
            let text = "Nothing found about that, so there is nothing to forget.".to_owned();
            return Ok(vec![Question { text, ..Question::default() }]);
        }
        if matches.what == What::All {
            let count = match matches.found.len() {
                1 => "1 memory or message".to_owned(),
                count => format!("{count} memories and messages"),
            };
            let text = format!("Forget everything of this chat: {count}? It can be undone for a day.");
            return Ok(vec![ask(&bundle(), text, "Forget everything", Action::ForgetAll)]);
        }
        let found = self.each_to_forget(chat, matches.found).await?;
        let key = self.store.suppression_key().await?;
        let mut questions = Vec::new();
        let mut bundles = Vec::new();
        for candidate in found.iter().take(MAX_QUESTIONS) {
            let bundle = bundle();
            bundles.push(bundle.id);
            let action = Chosen::of([candidate], &key).action(None, Vec::new());
            questions.push(ask(&bundle, candidate.shown(), "Forget this", action));
        }
        let certain = || found.iter().filter(|candidate| candidate.certain);
        let count = certain().count();
        if count > 1 {
            let text = match found.len().saturating_sub(MAX_QUESTIONS) {
                0 => format!("Or all {count} at once?"),
                more => {
                    format!("{more} more match. Forget all {count} at once, or ask again with more words.")
                }
            };
            let action = Chosen::of(certain(), &key).action(asked.map(|id| id.to_string()), bundles);
            questions.push(ask(&bundle(), text, &format!("Forget all {count}"), action));
        }
        Ok(questions)
    }

    /// The matches to ask about, certain ones first. Sentences that one of the listed memories would remove as well
    /// are left out.
    pub async fn each_to_forget(&self, chat: &ChatId, mut found: Vec<Match>) -> Result<Vec<Match>> {
        let mut covered = HashSet::new();
        for candidate in found.iter().filter(|candidate| candidate.certain) {
            if matches!(candidate.found, Found::Memory(_)) {
                for related in self.forget_preview(chat, &candidate.found.target()).await? {
                    if let Found::Message(id, sentences) = related.found {
                        covered.extend(sentences.into_iter().map(|sentence| (id, sentence)));
                    }
                }
            }
        }
        found.retain_mut(|candidate| match &mut candidate.found {
            Found::Memory(_) => true,
            Found::Message(id, sentences) => {
                sentences.retain(|sentence| !covered.contains(&(*id, sentence.clone())));
                !sentences.is_empty()
            }
        });
        found.sort_by_key(|candidate| !candidate.certain);
        Ok(found)
    }

    pub(super) async fn forget_everything(&self, press: &Press) -> Result<Pressed> {
        Ok(self.forgotten(press, self.to_forget(&press.chat, &[What::All]).await?))
    }

    pub(super) async fn forget_chosen(
        &self,
        press: &Press,
        Chosen { ids, parts }: Chosen,
        asked: Option<&str>,
        bundles: Vec<Uuid>,
    ) -> Result<Pressed> {
        let mut chosen: Vec<What> = ids.into_iter().map(What::Id).collect();
        for part in parts {
            chosen.push(self.sentences_of(&press.chat, part).await?);
        }
        let planned = self.to_forget(&press.chat, &chosen).await?;
        let mut other_messages = match asked.and_then(|id| id.parse().ok()) {
            Some(asked) => self.store.chat(&press.chat).sent_as(asked).await?,
            None => Vec::new(),
        };
        other_messages.retain(|message| *message != press.message);
        Ok(Pressed { used: bundles, also: other_messages, ..self.forgotten(press, planned) })
    }

    /// What is left of a part of a message.
    async fn sentences_of(&self, chat: &ChatId, part: Part) -> Result<What> {
        let Some(stored) = self.store.chat(chat).find(Reference::Id(part.message)).await? else {
            return Ok(What::Part(part.message, Vec::new()));
        };
        let key = self.store.suppression_key().await?;
        let (message, all) = (stored.message, Aim::at_everything());
        let said = all.in_text(&message.text).into_iter().filter_map(|range| message.text.get(range));
        let mut left: Vec<String> = said.map(str::to_owned).collect();
        left.extend(all.in_metadata(&message.metadata));
        left.retain(|sentence| part.sentences.contains(&hash_of_statement(&key, sentence)));
        Ok(What::Part(part.message, left))
    }

    pub(super) async fn undo_chosen(&self, chat: &ChatId, receipts: Vec<Uuid>) -> Result<Pressed> {
        let (mut restored, mut effects, at) = (0, Vec::new(), self.now());
        for receipt in receipts.into_iter().rev() {
            if let Some(found) = self.store.chat(chat).undoable_forgetting(receipt, at).await? {
                restored += found.memories + found.messages;
                effects.push(Effect::Undo { chat: chat.clone(), receipt, at });
            }
        }
        Ok(match effects.is_empty() {
            true => Pressed::text("It can no longer be brought back."),
            false => {
                Pressed { effects, ..Pressed::text(&format!("✓ Brought back: {restored}")).and_recorded() }
            }
        })
    }

    fn forgotten(&self, press: &Press, planned: Option<Planned>) -> Pressed {
        let Some(Planned { effect, receipt, count, sentences }) = planned else {
            return Pressed::text("✓ Forgotten");
        };
        let bundle = Bundle {
            engine: self,
            chat: &press.chat,
            person: &press.person,
            id: self.ids.next(),
            lifetime: self.settings.undo,
        };
        let undo = [("Undo", Action::Undo { receipts: vec![receipt] })];
        Pressed {
            question: bundle.question("✓ Forgotten".to_owned(), &undo),
            recorded: forgotten_text(count),
            forgotten: sentences,
            effects: vec![effect],
            ..Pressed::default()
        }
    }
}

impl Match {
    /// The match as a person sees it: exactly what would be removed.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.found {
            Found::Memory(memory) => memory.text.clone(),
            Found::Message(_, sentences) => format!("“{}”", sentences.join(" ")),
        }
    }
}

/// The matches that a button forgets.
#[derive(Default)]
pub(super) struct Chosen {
    pub ids: Vec<String>,
    pub parts: Vec<Part>,
}

impl Chosen {
    fn of<'m>(matches: impl IntoIterator<Item = &'m Match>, key: &[u8; 32]) -> Self {
        let mut chosen = Self::default();
        for candidate in matches {
            match &candidate.found {
                Found::Memory(memory) => chosen.ids.push(memory.id.to_string()),
                Found::Message(message, sentences) => {
                    let hashes = sentences.iter().map(|sentence| hash_of_statement(key, sentence));
                    chosen.parts.push(Part { message: *message, sentences: hashes.collect() });
                }
            }
        }
        chosen
    }

    fn action(self, asked: Option<String>, bundles: Vec<Uuid>) -> Action {
        Action::Forget { ids: self.ids, parts: self.parts, asked, bundles }
    }
}
