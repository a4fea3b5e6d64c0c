//! Suggested memories: offered with [Save] and [Skip], and stored as active only if the person agrees.

use jiff::SignedDuration;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Status};
use throughline_store::messages::Reference;

use super::choices::{Action, Bundle, Pressed, Question};
use crate::{Engine, Error, Result};

/// Lifetime of a suggestion's buttons.
const BUTTON_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Engine {
    /// Asks whether to keep a suggested memory, and returns the question with its lane. The person who stated it may
    /// answer; in a private chat, that is `owner`.
    pub async fn suggestion(
        &self,
        chat: &ChatId,
        owner: String,
        memory: &Memory,
    ) -> Result<(Lane, Question)> {
        let (lane, person) = self.stated_by(chat, owner, memory).await?;
        let bundle =
            Bundle { engine: self, chat, person: &person, id: self.ids.next(), lifetime: BUTTON_LIFETIME };
        let id = memory.id.to_string();
        let question = bundle.question(
            format!("Shall I remember this?\n{}", memory.text),
            &[("Save", Action::Save { memory: id.clone() }), ("Skip", Action::Skip { memory: id })],
        );
        Ok((lane, question))
    }

    /// The lane in which a memory was stated, and the person who stated it.
    async fn stated_by(&self, chat: &ChatId, owner: String, memory: &Memory) -> Result<(Lane, String)> {
        let Some(proof) = memory.proofs.last() else { return Ok((Lane::Root, owner)) };
        let found = self.store.chat(chat).find(Reference::Id(proof.message)).await?;
        let Some(said) = found.map(|stored| stored.message) else { return Ok((Lane::Root, owner)) };
        let person = said.metadata.get("person").and_then(Value::as_str).map(str::to_owned);
        Ok((said.lane, person.unwrap_or(owner)))
    }

    pub(super) async fn save_suggestion(&self, chat: &ChatId, memory: &str) -> Result<Pressed> {
        Ok(match self.to_set_status(chat, memory, Status::Active).await {
            Ok((memory, effect)) => {
                let text = format!("✓ Remembered: {}", memory.text);
                Pressed { effects: vec![effect], ..Pressed::text(&text).and_recorded() }
            }
            Err(Error::NoMemory(why)) => Pressed::text(&format!("Not remembered: {why}")).and_recorded(),
            Err(error) => return Err(error),
        })
    }

    pub(super) async fn skip_suggestion(&self, chat: &ChatId, memory: &str) -> Result<Pressed> {
        let skipped = Pressed::text("Skipped.").and_recorded();
        match self.to_set_status(chat, memory, Status::Done).await {
            Ok((_, effect)) => Ok(Pressed { effects: vec![effect], ..skipped }),
            Err(Error::NoMemory(_)) => Ok(skipped),
            Err(error) => Err(error),
        }
    }
}
