//! Makes the vectors of a chat.

use std::time::Instant;

use throughline_domain::chat::ChatId;
use throughline_domain::recall::vector::Vector;
use throughline_models::embed;

use super::{Failed, Outcome, PAUSE};
use crate::{Engine, Result};

/// So many memories and summaries get their vectors at once.
const PIECES: usize = 64;

impl From<embed::Error> for Failed {
    fn from(error: embed::Error) -> Self {
        let pause = match &error {
            embed::Error::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        };
        Self { why: error.to_string(), pause }
    }
}

impl Engine {
    /// Embeds what has no vector yet, the newest first. Done twice, it changes nothing.
    pub(super) async fn embed_chat(
        &self,
        chat: &str,
        until: Instant,
    ) -> std::result::Result<Outcome, Failed> {
        if let Ok(chat) = chat.parse::<ChatId>() {
            self.store.chat(&chat).index_unindexed().await?;
        }
        loop {
            if self.is_outdated().await? {
                let why = "another embedder was chosen since this process started; the next process goes on";
                return Err(Failed { why: why.to_owned(), pause: Some(PAUSE) });
            }
            let (Some(embedder), Ok(chat)) = (&self.embedder, chat.parse::<ChatId>()) else {
                return Ok(Outcome::Done);
            };
            let in_chat = self.store.chat(&chat).watching().await?;
            let units = in_chat.without_vectors(embedder.id()).await?;
            let pieces = in_chat.pieces_without_vectors(embedder.id(), PIECES).await?;
            if !pieces.is_empty() {
                let (ids, texts): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
                let vectors = embedder.embed(&texts).await?;
                let made = ids.into_iter().zip(vectors.iter().map(|vector| Vector::new(vector))).collect();
                in_chat.add_piece_vectors(embedder.id(), made).await?;
                continue;
            }
            if units.is_empty() {
                in_chat.keep_only_vectors_of(embedder.id()).await?;
                return Ok(Outcome::Done);
            }
            let mut made = Vec::with_capacity(units.len());
            for unit in units {
                if Instant::now() >= until {
                    break;
                }
                let vectors = embedder.embed(&unit.texts).await?;
                made.push((unit, vectors.iter().map(|vector| Vector::new(vector)).collect()));
            }
            if !made.is_empty() {
                in_chat.add_vectors(embedder.id(), made).await?;
            }
            if Instant::now() >= until {
                return Ok(Outcome::Unfinished);
            }
        }
    }

    /// Asks for the vectors of a chat once more where some message has none.
    pub(super) async fn want_what_is_unembedded(&self, chat: &str) -> Result<()> {
        let Ok(chat) = chat.parse::<ChatId>() else { return Ok(()) };
        let in_chat = self.store.chat(&chat);
        let lacks = match &self.embedder {
            _ if self.is_outdated().await? => true,
            Some(embedder) => in_chat.lacks_vectors(embedder.id()).await?,
            None => false,
        };
        if lacks {
            in_chat.want_vectors().await?;
        }
        Ok(())
    }

    /// Whether another embedder was chosen after this process read its settings. Its vectors would replace the new ones.
    async fn is_outdated(&self) -> throughline_store::Result<bool> {
        Ok(self.store.chosen_embedder().await?.is_some_and(|chosen| chosen != self.embedder_id()))
    }
}
