//! Files that came with messages: noted with the message, fetched later, kept by their hash, and gone with the message.

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
use crate::messages::{Append, Origin, Purpose, read_one};
use crate::suppressions::Suppressor;
use crate::tx::{Place, Tx};
use crate::{Error, InChat, Result, Store, summaries};

/// What a file is to the person who sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum AttachmentKind {
    /// A picture, a document or the like: it is kept.
    File,
    /// A voice message.
    Voice,
    /// A piece of audio.
    Audio,
    /// A video message, of which the sound counts.
    Video,
}

impl AttachmentKind {
    /// The name on disk, and in the label of a transcript.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether its words are wanted rather than its bytes.
    #[must_use]
    pub fn is_sound(self) -> bool {
        !matches!(self, Self::File)
    }
}

/// A file as its channel announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// The channel's own name of it, to fetch it by.
    pub source: String,
    /// The name that the person gave it.
    pub name: Option<String>,
    /// Its media type, as far as the channel says.
    pub media_type: Option<String>,
    /// Its size, as far as the channel says.
    pub bytes: Option<u64>,
}

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AttachmentState {
    /// To be fetched.
    Waiting,
    /// It lies under the home.
    Kept,
    /// Its words are the message's text. The sound is not kept.
    Transcribed,
    /// It could not be had; the problem says why.
    GivenUp,
    /// No transcription is set up.
    Unheard,
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// Its number.
    pub id: i64,
    /// The chat.
    pub chat: ChatId,
    /// The message.
    pub message: MessageId,
    /// As the channel announced it; once it is kept, with the type and size that it has.
    pub file: NewAttachment,
    /// How far it has come.
    pub state: AttachmentState,
    /// The hash of its bytes, once it is kept.
    pub hash: Option<String>,
    /// Why the last attempt failed.
    pub problem: Option<String>,
    /// How many attempts failed.
    pub attempts: u32,
    /// When it is fetched next, by the real clock.
    pub due: Timestamp,
}

/// The outcome of fetching a file that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    /// To be tried again at this moment, by the real clock.
    Again(Timestamp, String),
    /// Not to be tried again.
    GivenUp(String),
    /// It is sound, and no transcription is set up.
    Unheard,
}

/// A file as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// The hash of its bytes.
    pub hash: String,
    /// Its media type, by its bytes.
    pub media_type: String,
    /// Its size.
    pub bytes: u64,
}

impl Store {
    /// The files of a channel that are to be fetched now, oldest first.
    pub async fn attachments_due(&self, channel: &str, now: Timestamp) -> Result<Vec<StoredAttachment>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.attachments_due(&channel, now)).await
    }

    /// Notes that a file was not fetched.
    pub async fn miss_attachment(&self, id: i64, missed: Missed) -> Result<()> {
        self.write(move |tx| match missed {
            Missed::Again(due, problem) => tx.postpone_attachment(id, due, &problem),
            Missed::GivenUp(problem) => tx.end_attachment(id, AttachmentState::GivenUp, Some(&problem)),
            Missed::Unheard => tx.end_attachment(id, AttachmentState::Unheard, None),
        })
        .await
    }

    /// Links a file to its message, and returns whether the message still wants it. `place` puts the bytes under their
    /// hash; it runs inside the transaction, so that no sweep takes them away in between.
    ///
    /// # Errors
    /// When the bytes cannot be placed or the store cannot be written; then nothing was linked.
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

    /// Makes a transcript the text of its message, with a mark. Search, summaries and memories follow.
    pub async fn transcribe_attachment(&self, id: i64, transcript: &str, person: Option<&str>) -> Result<()> {
        let (transcript, person) = (transcript.to_owned(), person.map(str::to_owned));
        self.write(move |tx| {
            let Some(attachment) = tx.attachment(id)? else { return Ok(()) };
            transcribe(tx, &attachment, &transcript, person.as_deref())?;
            tx.end_attachment(id, AttachmentState::Transcribed, None)
        })
        .await
    }

    /// Deletes what no message names any more, and returns how many rows were swept. `remove` is given the number of an
    /// attachment, and the hash of its file if no other attachment has it.
    pub async fn sweep_files(
        &self,
        remove: impl Fn(i64, Option<&str>) -> io::Result<()> + Send + 'static,
    ) -> Result<u64> {
        // Read first: usually there is nothing to sweep.
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

    /// The hashes of all files that rows name.
    pub async fn kept_files(&self) -> Result<Vec<String>> {
        self.read(|tx| tx.kept_files()).await
    }
}

impl InChat {
    /// The files of messages, in their order.
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

    /// Lets files that were given up or not listened to be fetched again.
    pub async fn fetch_again(&self, ids: Vec<i64>) -> Result<()> {
        self.write(move |tx, _, _| ids.iter().try_for_each(|id| tx.reset_attachment(*id))).await
    }

    /// Notes that this chat was told something, and returns whether it is for the first time.
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

/// Takes the files of a message that is forgotten: aside while that can be undone, else for good.
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
            let append = Append {
                message,
                purpose: Purpose::Record,
                origin: Origin::Heard,
                person: None,
                attachments: Vec::new(),
                replies_to: None,
            };
            suppressor.apply(&append).unwrap_or(append.message)
        }
        None => message,
    };
    tx.rewrite_message(seq, &message.text, &message.metadata, shown_tokens(&message))?;
    tx.mark_summaries_stale(place.lane, place.position)?;
    summaries::request_compaction(tx, place.lane)?;
    tx.add_unextracted(place.chat, seq)?;
    tx.request_job(JobKind::Extract, attachment.chat.as_str())?;
    index_again(tx, &place, &attachment.chat)
}

/// The description goes, a caption stays.
fn with_transcript(mut message: Message, attachment: &StoredAttachment, transcript: &str) -> Message {
    let caption = message.text.split_once("] ").map(|(_, caption)| caption.to_owned());
    message.text = match caption {
        Some(caption) => format!("{transcript}\n{caption}"),
        None => transcript.to_owned(),
    };
    message.metadata.insert(TRANSCRIBED.to_owned(), Value::from(attachment.file.kind.as_str()));
    message
}

/// Makes the new words of a message findable. One that is not indexed yet is read as it is.
fn index_again(tx: &Tx<'_>, place: &Place, chat: &ChatId) -> Result<()> {
    let seq = place.position.seq;
    if !tx.is_unindexed(place.chat, seq)? {
        return rebuild_chat(tx, place.chat, &[seq].into());
    }
    for embedder in tx.unmerged_embedders(place.chat)? {
        tx.delete_unmerged_vector(place.chat, &embedder, seq)?;
    }
    tx.count_vector_write(place.chat)?;
    tx.request_job(JobKind::Embed, chat.as_str())
}
