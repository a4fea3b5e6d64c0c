//! Asks people to confirm suggested memories with buttons, if the settings say so.

use throughline_domain::chat::ChatId;
use throughline_domain::memory::Memory;
use throughline_domain::message::Role;
use throughline_engine::commands::command_message;
use throughline_engine::{Capture, Error};
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;

use super::lanes::Worker;
use super::{Draft, compose};

impl Worker {
    /// Asks about each suggested memory once.
    pub async fn offer_suggestions(&self) -> Result<(), Error> {
        if self.engine.settings.capture != Capture::Suggest {
            return Ok(());
        }
        for chat in self.engine.store.chats_to_ask(self.kind.name()).await? {
            for memory in self.engine.store.chat(&chat).to_offer().await? {
                self.offer(&chat, memory).await?;
            }
            self.sender.request(&chat);
        }
        Ok(())
    }

    async fn offer(&self, chat: &ChatId, memory: Memory) -> Result<(), Error> {
        let owner = self.kind.person(chat.name());
        let (lane, question) = self.engine.suggestion(chat, owner, &memory).await?;
        let recorded = command_message(chat, &lane, Role::Assistant, &question.text);
        let outgoing = Outgoing {
            said: vec![self.engine.stored(recorded, Purpose::Record).await?],
            outbox: compose(chat, &lane, Draft::Text(&question.text, question.choices)),
            buttons: question.buttons,
            offered: vec![memory.id],
            ..Outgoing::default()
        };
        self.engine.store.send_out(outgoing).await?;
        Ok(())
    }
}
