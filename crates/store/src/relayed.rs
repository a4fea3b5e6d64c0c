//! Replies of other programs' models that pass through a proxy. Their words are on disk before the client is shown them,
//! so that a reply whose process dies is recorded as far as it was seen.

use throughline_domain::chat::ChatId;
use uuid::Uuid;

use crate::tx::Tx;
use crate::{Error, Result, Store};

/// A reply that passes, as far as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedReply {
    /// Its id, which the recorded message has as an external one.
    pub id: Uuid,
    /// Its chat.
    pub chat: ChatId,
    /// The words.
    pub words: String,
}

impl Store {
    /// Writes the words of a passing reply to disk that its client is about to be shown.
    ///
    /// # Errors
    /// When there is no such chat, or the store cannot be written.
    pub async fn show_relayed(&self, reply: RelayedReply) -> Result<()> {
        self.check_scope(&reply.chat)?;
        self.write(move |tx| {
            let unknown = || Error::NotFound { what: "chat", id: reply.chat.to_string() };
            let chat = tx.chat_row(&reply.chat)?.ok_or_else(unknown)?;
            tx.put_relayed_reply(reply.id, chat, &reply.words)
        })
        .await
    }

    /// Deletes the words of a passing reply that was recorded.
    pub async fn end_relayed(&self, id: Uuid) -> Result<()> {
        self.write(move |tx| tx.delete_relayed_reply(id)).await
    }

    /// The replies that have not ended, oldest first. For the process that begins to serve: they broke off.
    pub async fn relayed(&self) -> Result<Vec<RelayedReply>> {
        self.read(|tx| tx.relayed_replies()).await
    }
}

/// Deletes replies whose process has died, or that still pass, if they hold forgotten words.
pub(crate) fn drop_words(tx: &Tx<'_>, chat: &ChatId, gone: &[&str]) -> Result<()> {
    let holds = |reply: &RelayedReply| gone.iter().any(|words| reply.words.contains(words));
    for reply in tx.relayed_replies()?.iter().filter(|reply| reply.chat == *chat && holds(reply)) {
        tx.delete_relayed_reply(reply.id)?;
    }
    Ok(())
}
