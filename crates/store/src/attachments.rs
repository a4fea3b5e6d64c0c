//! Attached files: recorded with their message, fetched later, stored under their hash, and deleted with the message.

use std::io;

use jiff::Timestamp;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};
use throughline_domain::chat::ChatId;
use throughline_domain::message::{Message, MessageId, TRANSCRIBED};
use uuid::Uuid;

use crate::index::words::rebuild_chat;
use crate::intake::shown_tokens;
use crate::jobs::JobKind;
use crate::messages::{Append, read_one};
use crate::suppressions::Suppressor;
use crate::tx::{Place, Tx};
use crate::{Error, InChat, Result, Store, summaries};

/// The kind of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum AttachmentKind {
    /// A picture, a document or similar; the file is stored.
    File,
    /// A voice message.
    Voice,
    /// A piece of audio.
    Audio,
    /// A video message, of which only the sound is used.
    Video,
}

impl AttachmentKind {
    /// The name in SQL, and in the label of a transcript.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns true if the attachment is transcribed rather than stored.
    #[must_use]
    pub fn is_sound(self) -> bool {
        !matches!(self, Self::File)
    }
}

/// An attachment as the channel announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment {
    /// Its kind.
    pub kind: AttachmentKind,
    /// The channel's id of it, to fetch it by.
    pub source: String,
    /// The file name, if it has one.
    pub name: Option<String>,
    /// Its media type, if the channel says so.
    pub media_type: Option<String>,
    /// Its size in bytes, if the channel says so.
    pub bytes: Option<u64>,
}

/// The state of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AttachmentState {
    /// Waits to be fetched.
    Waiting,
    /// Stored in the home.
    Kept,
    /// Its transcript is the message's text. The recording is not stored.
    Transcribed,
    /// Fetching failed permanently; the problem says why.
    GivenUp,
    /// Not transcribed, because no transcription is configured.
    Unheard,
}

/// A stored attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// Its number.
    pub id: i64,
    /// The chat.
    pub chat: ChatId,
    /// The message.
    pub message: MessageId,
    /// The announced data; once fetched, with the actual type and size.
    pub file: NewAttachment,
    /// Its state.
    pub state: AttachmentState,
    /// The hash of its bytes, once fetched.
    pub hash: Option<String>,
    /// Why the last attempt failed.
    pub problem: Option<String>,
    /// The number of failed attempts.
    pub attempts: u32,
    /// The time of the next attempt, by the real clock.
    pub due: Timestamp,
}

/// Why an attachment was not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    /// A temporary failure: retry at this time, by the real clock.
    Again(Timestamp, String),
    /// A permanent failure.
    GivenUp(String),
    /// It is sound, and no transcription is configured.
    Unheard,
}

/// A fetched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// The hash of its bytes.
    pub hash: String,
    /// Its media type, detected from its bytes.
    pub media_type: String,
    /// Its size.
    pub bytes: u64,
}

impl Store {
    /// The attachments of a channel that are due to be fetched, oldest first.
    pub async fn attachments_due(&self, channel: &str, now: Timestamp) -> Result<Vec<StoredAttachment>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.attachments_due(&channel, now)).await
    }

    /// Records a failed fetch.
    pub async fn miss_attachment(&self, id: i64, missed: Missed) -> Result<()> {
        self.write(move |tx| match missed {
            Missed::Again(due, problem) => tx.postpone_attachment(id, due, &problem),
            Missed::GivenUp(problem) => tx.end_attachment(id, AttachmentState::GivenUp, Some(&problem)),
            Missed::Unheard => tx.end_attachment(id, AttachmentState::Unheard, None),
        })
        .await
    }

    /// Links a fetched file to its message. Returns false if the message no longer wants it. `place` moves the bytes
    /// to their hash; it runs inside the transaction, so that no sweep deletes them in between.
    ///
    /// # Errors
    /// If the bytes cannot be placed or the store cannot be written; then nothing was linked.
    pub async fn keep_attachment(
        &self,
        id: i64,
        file: KeptFile,
        place: impl FnOnce() -> io::Result<()> + Send + 'static,
    ) -> Result<bool> {
        self.write(move |tx| {
            if tx.attachment(id)?.is_none() {
                return Ok(false);
            }
            place().map_err(|error| not_written(&error))?;
            tx.put_kept_attachment(id, &file)?;
            Ok(true)
        })
        .await
    }

    /// Stores a transcript as the text of its message, with a label. Search, summaries and memories are updated.
    pub async fn transcribe_attachment(&self, id: i64, transcript: &str, person: Option<&str>) -> Result<()> {
        let (transcript, person) = (transcript.to_owned(), person.map(str::to_owned));
        self.write(move |tx| {
            let Some(attachment) = tx.attachment(id)? else { return Ok(()) };
            transcribe(tx, &attachment, &transcript, person.as_deref())?;
            tx.end_attachment(id, AttachmentState::Transcribed, None)
        })
        .await
    }

    /// Deletes the attachments that no message references any more, and returns their number. `remove` receives the
    /// number of an attachment, and the hash of its file if no other attachment uses it.
    pub async fn sweep_files(
        &self,
        remove: impl Fn(i64, Option<&str>) -> io::Result<()> + Send + 'static,
    ) -> Result<u64> {
        // Read first, because usually there is nothing to delete.
        if self.read(|tx| tx.unlinked_attachments()).await?.is_empty() {
            return Ok(0);
        }
        self.write(move |tx| {
            let unlinked = tx.unlinked_attachments()?;
            for (id, hash) in &unlinked {
                tx.delete_attachment(*id)?;
                let mut hash = hash.as_deref();
                if let Some(named) = hash
                    && tx.is_file_named(named)?
                {
                    hash = None;
                }
                remove(*id, hash).map_err(|error| not_written(&error))?;
            }
            Ok(unlinked.len() as u64)
        })
        .await
    }

    /// The hashes of all stored files.
    pub async fn kept_files(&self) -> Result<Vec<String>> {
        self.read(|tx| tx.kept_files()).await
    }
}

impl InChat {
    /// The attachments of messages, in order.
    pub async fn attachments(&self, messages: Vec<MessageId>) -> Result<Vec<StoredAttachment>> {
        self.read(move |tx, _, chat| {
            let mut found = Vec::new();
            for message in messages {
                if let Some(seq) = tx.message_seq(chat, message)? {
                    found.extend(tx.attachments_of(seq)?);
                }
            }
            Ok(found)
        })
        .await
    }

    /// Resets failed or untranscribed attachments, so that they are fetched again.
    pub async fn fetch_again(&self, ids: Vec<i64>) -> Result<()> {
        self.write(move |tx, _, _| ids.iter().try_for_each(|id| tx.reset_attachment(*id))).await
    }

    /// Records that a hint was shown in this chat. Returns true the first time.
    pub async fn tell_once(&self, what: &str) -> Result<bool> {
        let what = what.to_owned();
        self.write(move |tx, _, chat| {
            let name = format!("told {chat} {what}");
            let is_first = tx.setting(&name)?.is_none();
            if is_first {
                tx.put_setting(&name, "1")?;
            }
            Ok(is_first)
        })
        .await
    }
}

/// Removes the attachments of a forgotten message: keeps them aside while that can be undone, deletes them otherwise.
pub(crate) fn forget(tx: &Tx<'_>, message: i64, undo: Option<Uuid>) -> Result<()> {
    match undo {
        Some(forgetting) => tx.set_attachments_aside(message, forgetting),
        None => tx.unlink_attachments(message),
    }
}

fn not_written(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::Unreadable(format!("the folder `files` of the home cannot be written: {error}")),
    }
}

fn transcribe(
    tx: &Tx<'_>,
    attachment: &StoredAttachment,
    transcript: &str,
    person: Option<&str>,
) -> Result<()> {
    let Some(place) = tx.message_place(attachment.message)? else { return Ok(()) };
    let seq = place.position.seq;
    let message = with_transcript(read_one(tx, &attachment.chat, seq)?.message, attachment, transcript);
    let message = match Suppressor::read(tx, place.chat, person)? {
        Some(suppressor) => {
            let append = Append::record(message);
            suppressor.apply(&append).unwrap_or(append.message)
        }
        None => message,
    };
    tx.rewrite_message(seq, &message.text, &message.metadata, shown_tokens(&message))?;
    tx.mark_summaries_stale(place.lane, place.position)?;
    summaries::request_compaction(tx, place.lane)?;
    tx.add_unextracted(place.chat, seq)?;
    tx.request_job(JobKind::EXTRACT, attachment.chat.as_str())?;
    index_again(tx, &place, &attachment.chat)
}

/// The transcript replaces the placeholder; a caption stays.
fn with_transcript(mut message: Message, attachment: &StoredAttachment, transcript: &str) -> Message {
    let caption = message.text.split_once("] ").map(|(_, caption)| caption.to_owned());
    message.text = match caption {
        Some(caption) => format!("{transcript}\n{caption}"),
        None => transcript.to_owned(),
    };
    message.metadata.insert(TRANSCRIBED.to_owned(), Value::from(attachment.file.kind.as_str()));
    message
}

/// Indexes the new text of a message. A message that is not indexed yet needs nothing.
fn index_again(tx: &Tx<'_>, place: &Place, chat: &ChatId) -> Result<()> {
    let seq = place.position.seq;
    if !tx.is_unindexed(place.chat, seq)? {
        return rebuild_chat(tx, place.chat, &[seq].into());
    }
    for embedder in tx.unmerged_embedders(place.chat)? {
        tx.delete_unmerged_vector(place.chat, &embedder, seq)?;
    }
    tx.count_vector_write(place.chat)?;
    tx.request_job(JobKind::EMBED, chat.as_str())
}
