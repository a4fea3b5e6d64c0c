//! Repeats, in a restored database, the forgettings that happened after its backup was made.

use std::collections::BTreeMap;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::forget::{Suppression, SuppressionList};
use throughline_domain::memory::Status;
use throughline_domain::metadata::change_each_text;
use throughline_store::forget::{Blanked, Cleaned, Forgetting, Suppressed};
use throughline_text::summarize::Sections;

use crate::{Engine, Result};

impl Engine {
    /// Applies suppressions that are new to the store to all earlier messages, and returns the number of changed
    /// memories and messages.
    pub async fn forget_again(&self, made: &[Suppressed]) -> Result<u64> {
        let mut changed = 0;
        for chat in self.store.chats().await?.into_iter().map(|count| count.chat) {
            let person = self.settings.people.of(&chat);
            let known = self.store.chat(&chat).suppressions(person.as_deref()).await?;
            let mut missing: BTreeMap<Timestamp, Vec<Suppression>> = BTreeMap::new();
            for one in made {
                let holds = one.chat == chat || one.person.is_some() && one.person == person;
                if holds && !known.iter().any(|(suppression, _)| *suppression == one.suppression) {
                    missing.entry(one.at).or_default().push(one.suppression.clone());
                }
            }
            for (at, suppressions) in missing {
                changed += self.forget_again_in(&chat, at, suppressions).await?;
            }
        }
        Ok(changed)
    }

    async fn forget_again_in(
        &self,
        chat: &ChatId,
        at: Timestamp,
        suppressions: Vec<Suppression>,
    ) -> Result<u64> {
        let in_chat = self.store.chat(chat);
        let list = SuppressionList::new(self.store.suppression_key().await?, &suppressions);
        let said = in_chat.recorded_after(i64::MIN, i32::MAX as usize).await?;
        let messages: Vec<Blanked> = said.iter().filter_map(|stored| suppressed(stored, at, &list)).collect();
        let known = self.memories(chat).await?.into_iter().filter(|stored| {
            let memory = &stored.memory;
            memory.status != Status::Forgotten
                && stored.learned_at <= at
                && list.suppressed(&memory.text).is_some()
        });
        let memories: Vec<_> = known.map(|stored| stored.memory.id).collect();
        let mut summaries = Vec::new();
        for (_, summary) in in_chat.every_version().await? {
            if list.suppressed(&summary.text).is_some() {
                summaries.push(Cleaned {
                    id: summary.id,
                    text: String::new(),
                    sections: Sections::default(),
                });
            }
        }
        let changed = (messages.len() + memories.len()) as u64;
        let forgetting = Forgetting {
            id: self.ids.next(),
            at,
            undo_until: None,
            person: self.settings.people.of(chat),
            memories,
            messages,
            summaries,
            suppressions,
            seen: Vec::new(),
        };
        in_chat.forget(forgetting).await?;
        Ok(changed)
    }
}

/// A message without its suppressed values, if it is older than the suppressions and changes.
fn suppressed(stored: &StoredMessage, at: Timestamp, list: &SuppressionList) -> Option<Blanked> {
    let message = &stored.message;
    if message.occurred_at > at {
        return None;
    }
    let text = list.suppressed(&message.text);
    let mut metadata = message.metadata.clone();
    change_each_text(&mut metadata, |text| {
        if let Some(left) = list.suppressed(text) {
            *text = left;
        }
    });
    let changes = text.is_some() || metadata != message.metadata;
    changes.then(|| Blanked {
        id: message.id,
        before: message.text.clone(),
        gone: Vec::new(),
        text: text.unwrap_or_else(|| message.text.clone()),
        metadata,
    })
}
