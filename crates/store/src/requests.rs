//! Requests that are carried out once: one that comes again under the same key is recognized.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::memory::MemoryId;
use throughline_domain::message::MessageId;

use crate::credentials::Hash;
use crate::intake::{append_one, appended_before};
use crate::memories::{self, Learned};
use crate::messages::{Append, Appended};
use crate::{Error, Result, Store};

/// Time for which a request is recognized.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The key of a request that is carried out once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    /// The hash of the key and of who chose it.
    pub key: Hash,
    /// The hash of what is asked for.
    pub body: Hash,
    /// The time, by the real clock.
    pub at: Timestamp,
}

/// A request that was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRequest {
    /// The hash of what was asked for.
    pub body: Hash,
    /// The message that it appended.
    pub message: MessageId,
    /// The memories that it made.
    pub memories: Vec<MemoryId>,
}

impl Store {
    /// Appends a message and learns what it asks to keep, unless a request with this key has done so. Gives the message
    /// and the memories of the first time.
    ///
    /// # Errors
    /// When the key was used for another request, or nothing could be written; then nothing was.
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
            tx.delete_requests_before(request.at.saturating_sub(KEPT).unwrap_or(request.at))?;
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
