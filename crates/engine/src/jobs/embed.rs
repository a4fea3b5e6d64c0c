//! Embeds the messages, memories and summaries of a chat.

use std::time::Instant;

use throughline_domain::chat::ChatId;
use throughline_domain::recall::vector::Vector;
use throughline_models::embed;
use throughline_store::jobs::Job;

use super::{FIRST_BACKOFF, Failed, Outcome, Ran};
use crate::{Engine, Result};

/// Number of memories and summaries per call.
const PIECES_PER_CALL: usize = 64;

impl From<embed::Error> for Failed {
    fn from(error: embed::Error) -> Self {
        let retry_after = match &error {
            embed::Error::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        };
        Self { retry_after, ..Self::new(error.to_string()) }
    }
}

/// Embeds everything in a chat that has no vector, newest first.
pub(super) async fn run(engine: &Engine, job: &Job, until: Instant) -> Ran {
    let Ok(chat) = job.subject.parse::<ChatId>() else { return Ok(Outcome::Done) };
    engine.store.chat(&chat).index_unindexed().await?;
    loop {
        if is_outdated(engine).await? {
            let why = "another embedder was chosen since this process started; the next process continues";
            return Err(Failed { retry_after: Some(FIRST_BACKOFF), ..Failed::new(why.to_owned()) });
        }
        let Some(embedder) = &engine.embedder else { return Ok(Outcome::Done) };
        let in_chat = engine.store.chat(&chat).watching().await?;
        let units = in_chat.without_vectors(embedder.id()).await?;
        let pieces = in_chat.pieces_without_vectors(embedder.id(), PIECES_PER_CALL).await?;
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

/// Enqueues a finished job again if vectors are missing. Choosing another embedder while a job runs does not enqueue
/// one.
pub(super) async fn enqueue_if_incomplete(engine: &Engine, job: &Job) -> Result<()> {
    let Ok(chat) = job.subject.parse::<ChatId>() else { return Ok(()) };
    let in_chat = engine.store.chat(&chat);
    let lacks = match &engine.embedder {
        _ if is_outdated(engine).await? => true,
        Some(embedder) => in_chat.lacks_vectors(embedder.id()).await?,
        None => false,
    };
    if lacks {
        in_chat.request_vectors().await?;
    }
    Ok(())
}

/// Returns true if another embedder was chosen after this process started; its own vectors would replace the new
/// ones.
async fn is_outdated(engine: &Engine) -> throughline_store::Result<bool> {
    Ok(engine.store.chosen_embedder().await?.is_some_and(|chosen| chosen != engine.embedder_id()))
}
