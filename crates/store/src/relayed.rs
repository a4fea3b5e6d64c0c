//! Replies of other programs' models that pass through a proxy. Their words are on disk before the client sees them,
//! so if the process dies, the seen part is recorded.

use throughline_domain::chat::ChatId;
use uuid::Uuid;

use crate::tx::Tx;
use crate::{Error, Result, Store};

/// A relayed reply in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedReply {
    /// Its id, which becomes an external id of the recorded message.
    pub id: Uuid,
    /// Its chat.
    pub chat: ChatId,
    /// The words shown so far.
    pub words: String,
}

impl Store {
    /// Stores the words of a relayed reply before its client sees them.
    ///
    /// # Errors
    /// If there is no such chat, or the store cannot be written.
    pub async fn show_relayed(&self, reply: RelayedReply) -> Result<()> {
        self.check_scope(&reply.chat)?;
        self.write(move |tx| {
            let unknown = || Error::NotFound { what: "chat", id: reply.chat.to_string() };
            let chat = tx.chat_row(&reply.chat)?.ok_or_else(unknown)?;
            tx.put_relayed_reply(reply.id, chat, &reply.words)
        })
        .await
    }

    /// Deletes the words of a relayed reply after it was recorded.
    pub async fn end_relayed(&self, id: Uuid) -> Result<()> {
        self.write(move |tx| tx.delete_relayed_reply(id)).await
    }

    /// The unfinished relayed replies, oldest first. At the start of a server, these broke off.
    pub async fn relayed(&self) -> Result<Vec<RelayedReply>> {
        self.read(|tx| tx.relayed_replies()).await
    }
}

/// Deletes unfinished relayed replies that contain forgotten words.
pub(crate) fn drop_words(tx: &Tx<'_>, chat: &ChatId, gone: &[&str]) -> Result<()> {
    let holds = |reply: &RelayedReply| gone.iter().any(|words| reply.words.contains(words));
    for reply in tx.relayed_replies()?.iter().filter(|reply| reply.chat == *chat && holds(reply)) {
        tx.delete_relayed_reply(reply.id)?;
    }
    Ok(())
}
