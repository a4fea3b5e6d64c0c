//! Idempotent requests: a repetition under the same key is recognized.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::memory::MemoryId;
use throughline_domain::message::MessageId;

use crate::credentials::Hash;
use crate::intake::{append_one, appended_before};
use crate::memories::{self, Learned};
use crate::messages::{Append, Appended};
use crate::{Error, Result, Store};

/// How long a request is recognized.
const RETENTION: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The key of an idempotent request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    /// The hash of the key and the client that chose it.
    pub key: Hash,
    /// The hash of the request's content.
    pub body: Hash,
    /// The time, by the real clock.
    pub at: Timestamp,
}

/// A request that was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRequest {
    /// The hash of the request's content.
    pub body: Hash,
    /// The appended message.
    pub message: MessageId,
    /// The stored memories.
    pub memories: Vec<MemoryId>,
}

impl Store {
    /// Appends a message and stores its memories, unless a request with this key has done so. Returns the message and
    /// the memories of the first time.
    ///
    /// # Errors
    /// If the key was used for another request, or the store cannot be written; then nothing was.
    pub async fn append_once(
        &self,
        append: Append,
        learned: Learned,
        request: RequestKey,
    ) -> Result<(Appended, Vec<MemoryId>)> {
        self.check_scope(&append.message.chat)?;
        let gap = self.gap;
        self.write(move |tx| {
            let chat = &append.message.chat;
            if let Some(done) = tx.request(&request.key)? {
                if done.body != request.body {
                    let why = "this key was used for another request; choose a new one for each request";
                    return Err(Error::Conflict(why.to_owned()));
                }
                let missing = || Error::NotFound { what: "message", id: done.message.to_string() };
                let row = tx.chat_row(chat)?.ok_or_else(missing)?;
                let seq = tx.message_seq(row, done.message)?.ok_or_else(missing)?;
                return Ok((appended_before(tx, chat, seq)?, done.memories));
            }
            tx.delete_requests_before(request.at.saturating_sub(RETENTION).unwrap_or(request.at))?;
            let appended = append_one(tx, gap, &append)?;
            let mut made = Vec::new();
            if !appended.known
                && let Some(row) = tx.chat_row(chat)?
            {
                made = memories::learn(tx, row, &learned)?;
            }
            let done = DoneRequest { body: request.body, message: appended.id, memories: made };
            tx.insert_request(&request.key, &done, request.at)?;
            Ok((appended, done.memories))
        })
        .await
    }
}
