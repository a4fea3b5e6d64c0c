//! Where nothing is kept unasked: what was learned is offered with [Save] and [Skip].

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Status};
use throughline_engine::remember::Edit;
use throughline_engine::{Capture, Error};
use throughline_store::messages::{Purpose, Reference};
use throughline_store::outbox::Outgoing;

use super::Gateway;
use super::commands::{Action, Press, Pressed, noted};
use super::target::SendTarget;
use super::update::{number, person};

/// So long an answer is waited for.
const OFFER_HOLDS: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Gateway {
    /// Asks about what was learned and waits for a yes.
    pub async fn offer(self: &Arc<Self>) -> Result<(), Error> {
        if self.engine.settings.capture != Capture::Suggest {
            return Ok(());
        }
        for chat in self.engine.store.chats_to_ask("telegram").await? {
            for memory in self.engine.store.chat(&chat).to_offer().await? {
                self.offer_one(&chat, memory).await?;
            }
            self.sender.ask(&chat);
        }
        Ok(())
    }

    async fn offer_one(&self, chat: &ChatId, memory: Memory) -> Result<(), Error> {
        let (lane, who) = self.said_by(chat, &memory).await?;
        let target = SendTarget::of(chat, &lane);
        let text = format!("Shall I remember this?\n{}", memory.text);
        let bundle = self.engine.ids.next();
        let id = memory.id.to_string();
        let button = |text: &str, action: Action| self.button(chat, &who, bundle, text, &action, OFFER_HOLDS);
        let save = button("Save", Action::Save { memory: id.clone() });
        let skip = button("Skip", Action::Skip { memory: id });
        let said = vec![self.engine.stored(noted(&target, text.clone()), Purpose::Record).await?];
        let outgoing = Outgoing {
            said,
            outbox: target.question(&text, vec![vec![save.0, skip.0]]),
            buttons: vec![save.1, skip.1],
            offered: vec![memory.id],
            ..Outgoing::default()
        };
        self.engine.store.send_out(outgoing).await?;
        Ok(())
    }

    /// Where something was said, and by whom.
    async fn said_by(&self, chat: &ChatId, memory: &Memory) -> Result<(Lane, String), Error> {
        let owner = person(number(chat).unwrap_or_default());
        let Some(proof) = memory.proofs.last() else { return Ok((Lane::Root, owner)) };
        let found = self.engine.store.chat(chat).find(Reference::Id(proof.message)).await?;
        let Some(said) = found.map(|stored| stored.message) else { return Ok((Lane::Root, owner)) };
        let who = said.metadata.get("person").and_then(Value::as_str).map(str::to_owned);
        Ok((said.lane, who.unwrap_or(owner)))
    }

    pub(super) async fn save(&self, press: &Press, memory: &str) -> Result<Pressed, Error> {
        let edit = Edit { status: Some(Status::Active), ..Edit::default() };
        Ok(match self.engine.edit_memory(&press.chat, memory, edit).await {
            Ok(memory) => finished(format!("✓ Remembered: {}", memory.text)),
            Err(Error::NoMemory(why)) => finished(format!("Not remembered: {why}")),
            Err(error) => return Err(error),
        })
    }

    pub(super) async fn skip(&self, press: &Press, memory: &str) -> Result<Pressed, Error> {
        let edit = Edit { status: Some(Status::Done), ..Edit::default() };
        match self.engine.edit_memory(&press.chat, memory, edit).await {
            Ok(_) | Err(Error::NoMemory(_)) => Ok(finished("Skipped.".to_owned())),
            Err(error) => Err(error),
        }
    }
}

fn finished(text: String) -> Pressed {
    Pressed {
        noted: Some(text.clone()),
        text,
        keys: Vec::new(),
        buttons: Vec::new(),
        bundles: Vec::new(),
        also: Vec::new(),
    }
}
