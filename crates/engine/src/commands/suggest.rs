//! Suggested memories: offered with [Save] and [Skip], and kept only if the person agrees.

use jiff::SignedDuration;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Status};
use throughline_store::messages::Reference;

use super::choices::{Action, Bundle, Pressed, Question};
use crate::{Engine, Error, Result};

/// How long the buttons of a suggestion can be pressed.
const HOLDS: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Engine {
    /// The question whether to keep a suggested memory, and the lane to ask it in. Who stated it may answer; in a private
    /// chat that is `owner`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn suggestion(
        &self,
        chat: &ChatId,
        owner: String,
        memory: &Memory,
    ) -> Result<(Lane, Question)> {
        let (lane, person) = self.stated_by(chat, owner, memory).await?;
        let bundle = Bundle { engine: self, chat, person: &person, id: self.ids.next(), holds: HOLDS };
        let id = memory.id.to_string();
        let question = bundle.question(
            format!("Shall I remember this?\n{}", memory.text),
            &[("Save", Action::Save { memory: id.clone() }), ("Skip", Action::Skip { memory: id })],
        );
        Ok((lane, question))
    }

    /// The lane a memory was stated in, and by whom.
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
