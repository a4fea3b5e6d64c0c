//! Files that come with messages. A file is fetched after its message is recorded, checked by its bytes and stored
//! under its hash. The turn that answers the message passes it to the model. A voice message becomes text instead.

mod files;
mod kinds;
mod transcribe;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Item, StoredMessage};
use throughline_domain::message::MessageId;
use throughline_models::{Attachment, Content};
use throughline_store::attachments::{AttachmentState, KeptFile, Missed, StoredAttachment};
use throughline_store::messages::Reference;
use throughline_text::printable::without_controls;
use throughline_text::redact::redact;
use throughline_text::tokens::estimate;

pub use files::Files;
use kinds::FileType;
pub use transcribe::{Transcriber, Transcription};

use crate::ports::{Clock, SystemClock};
use crate::{Engine, Error, Result};

/// Maximum size of a file, in bytes.
pub const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;
/// Maximum time that a turn waits for the files of its messages.
const MAX_WAIT: Duration = Duration::from_secs(6);
/// Time between checks for a file that a turn waits for.
const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// Maximum number of fetch attempts. With the back-off between them, they take at least a quarter of an hour.
const MAX_ATTEMPTS: u32 = 10;
/// Maximum back-off.
const MAX_BACKOFF: Duration = Duration::from_secs(1800);
/// Maximum length of a text file in a prompt, in tokens.
const MAX_TEXT_TOKENS: u32 = 8_000;
/// Maximum number of bytes read from a text file for a prompt.
const MAX_TEXT_BYTES: usize = 128 * 1024;
/// Maximum number of files passed to the model in one turn, and their maximum total size in bytes.
const MAX_FILES: usize = 10;
const MAX_TURN_BYTES: u64 = 40 * 1024 * 1024;
/// First back-off when a file cannot be written to disk.
const WRITE_BACKOFF: Duration = Duration::from_secs(10);

/// Fetches files from a channel.
#[async_trait]
pub trait FileSource: Send + Sync {
    /// Fetches a file by the channel's id of it.
    async fn fetch(&self, source: &str) -> std::result::Result<Vec<u8>, NotFetched>;
}

/// Why a fetch failed. People and models see the text, so it contains no addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFetched {
    /// A temporary failure: retry after this time or later.
    Later(String, Duration),
    /// A permanent failure.
    Never(String),
}

/// The files of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnFiles {
    /// The attachments for the model.
    pub attachments: Vec<Attachment>,
    /// The same files for the receipt.
    pub receipt: Vec<Item>,
    /// True if a voice message has no transcript because no transcription is configured.
    pub is_untranscribed: bool,
}

impl Engine {
    /// Fetches one file that is due, and records the result.
    ///
    /// # Errors
    /// If the store or the home cannot be written; then the file is fetched again later.
    pub async fn fetch_attachment(
        &self,
        attachment: &StoredAttachment,
        source: &dyn FileSource,
    ) -> Result<()> {
        let sound = attachment.file.kind.is_sound();
        let missed = match &self.settings.transcription {
            None if sound => Err(Missed::Unheard),
            _ if attachment.file.bytes.is_some_and(|bytes| bytes > MAX_FILE_BYTES) => {
                Err(Missed::GivenUp(too_large()))
            }
            transcription => match source.fetch(&attachment.file.source).await {
                Err(error) => Err(missed(attachment, error)),
                Ok(bytes) if bytes.len() as u64 > MAX_FILE_BYTES => Err(Missed::GivenUp(too_large())),
                Ok(bytes) => match transcription.as_ref().filter(|_| sound) {
                    Some(transcription) => self.transcribe_voice(attachment, bytes, transcription).await?,
                    None => self.keep(attachment, bytes).await?,
                },
            },
        };
        if let Err(missed) = missed {
            tracing::info!(chat = %attachment.chat, attachment = attachment.id, ?missed, "file of a message not fetched");
            self.store.miss_attachment(attachment.id, missed).await?;
        }
        Ok(())
    }

    async fn keep(
        &self,
        attachment: &StoredAttachment,
        bytes: Vec<u8>,
    ) -> Result<std::result::Result<(), Missed>> {
        let Some(kind) = FileType::detect(&bytes) else {
            let why = "it is of a type that is not read: only JPEG, PNG, GIF, WebP, PDF and UTF-8 text are";
            return Ok(Err(Missed::GivenUp(why.to_owned())));
        };
        let files = self.settings.files.clone();
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let kept = KeptFile {
            hash: hash.clone(),
            media_type: kind.media_type().to_owned(),
            bytes: bytes.len() as u64,
        };
        let part = match self.write_part(attachment, "bin", bytes).await {
            Ok(part) => part,
            Err(missed) => return Ok(Err(missed)),
        };
        let place = {
            let part = part.clone();
            move || files.place(&part, &hash)
        };
        if !self.store.keep_attachment(attachment.id, kept, place).await? {
            remove(part).await;
        }
        Ok(Ok(()))
    }

    /// Transcribes a voice message and stores the transcript as its text. The recording itself is not stored.
    async fn transcribe_voice(
        &self,
        attachment: &StoredAttachment,
        bytes: Vec<u8>,
        transcription: &Transcription,
    ) -> Result<std::result::Result<(), Missed>> {
        let Some(extension) = kinds::sound(&bytes) else {
            return Ok(Err(Missed::GivenUp("it is no sound that can be read".to_owned())));
        };
        let part = match self.write_part(attachment, extension, bytes).await {
            Ok(part) => part,
            Err(missed) => return Ok(Err(missed)),
        };
        let transcript = transcription.transcribe(&part).await;
        remove(part).await;
        let text = match transcript {
            Ok(text) => redact(&without_controls(&text)).into_owned(),
            Err(why) => return Ok(Err(Missed::GivenUp(redact(&why).into_owned()))),
        };
        let person = self.settings.people.of(&attachment.chat);
        self.store.transcribe_attachment(attachment.id, &text, person.as_deref()).await?;
        Ok(Ok(()))
    }

    /// Writes the bytes to a temporary file. If the disk is full, the fetch is retried later.
    async fn write_part(
        &self,
        attachment: &StoredAttachment,
        extension: &'static str,
        bytes: Vec<u8>,
    ) -> std::result::Result<PathBuf, Missed> {
        let (files, id) = (self.settings.files.clone(), attachment.id);
        blocking(move || files.write_part(id, extension, &bytes)).await.map_err(|error| {
            tracing::warn!(%error, "writing a file of a message failed; retrying later");
            missed(attachment, NotFetched::Later("it could not be written to disk".to_owned(), WRITE_BACKOFF))
        })
    }

    /// Deletes the files that no message references any more.
    ///
    /// # Errors
    /// If the store or the folder cannot be written.
    pub async fn sweep_files(&self) -> Result<u64> {
        let files = self.settings.files.clone();
        Ok(self.store.sweep_files(move |attachment, hash| files.remove(attachment, hash)).await?)
    }

    /// Waits for the files of the messages that a turn answers and of the message it replies to. Transcribes voice
    /// messages again that failed before.
    pub(crate) async fn files_of_turn(
        &self,
        chat: &ChatId,
        messages: &mut [StoredMessage],
        replied: Option<MessageId>,
    ) -> Result<TurnFiles> {
        let mut ids: Vec<MessageId> = messages.iter().map(|stored| stored.message.id).collect();
        ids.extend(replied);
        let found = self.await_files(chat, &ids).await?;
        for attachment in found.iter().filter(|attachment| attachment.state == AttachmentState::Transcribed) {
            self.reload_message(chat, attachment.message, messages).await?;
        }
        self.check_transcribed(&found, messages).await?;
        let (mut files, mut bytes) = (TurnFiles::default(), 0);
        for attachment in &found {
            files.is_untranscribed |= attachment.state == AttachmentState::Unheard;
            bytes += attachment.file.bytes.filter(|_| attachment.hash.is_some()).unwrap_or_default();
            let is_too_much = files.attachments.len() >= MAX_FILES || bytes > MAX_TURN_BYTES;
            if let Some(given) = self.for_model(attachment, is_too_much).await {
                files.receipt.push(Item {
                    kind: "file".into(),
                    id: attachment.hash.clone().unwrap_or_else(|| attachment.id.to_string()),
                    tokens: given.tokens(),
                    why: "came with the message".into(),
                });
                files.attachments.push(given);
            }
        }
        Ok(files)
    }

    async fn await_files(&self, chat: &ChatId, ids: &[MessageId]) -> Result<Vec<StoredAttachment>> {
        let in_chat = self.store.chat(chat);
        let mut found = in_chat.attachments(ids.to_vec()).await?;
        let unheard = found
            .iter()
            .filter(|attachment| attachment.state == AttachmentState::Unheard)
            .map(|attachment| attachment.id);
        let unheard: Vec<i64> = unheard.filter(|_| self.settings.transcription.is_some()).collect();
        if !unheard.is_empty() {
            in_chat.fetch_again(unheard).await?;
            found = in_chat.attachments(ids.to_vec()).await?;
        }
        let began = Instant::now();
        while found.iter().any(|attachment| self.should_wait_for(attachment, began)) {
            tokio::time::sleep(POLL_INTERVAL).await;
            found = in_chat.attachments(ids.to_vec()).await?;
        }
        Ok(found)
    }

    /// Returns true if a turn should wait for a file. A transcript is the message itself, so it may take longer.
    fn should_wait_for(&self, attachment: &StoredAttachment, began: Instant) -> bool {
        let transcription = self.settings.transcription.as_ref().filter(|_| attachment.file.kind.is_sound());
        let wait = MAX_WAIT + transcription.map_or(Duration::ZERO, |transcription| transcription.limit);
        let left = wait.saturating_sub(began.elapsed());
        attachment.state == AttachmentState::Waiting && !left.is_zero() && attachment.due <= later(left)
    }

    /// Reloads a message whose transcript arrived after it was read.
    async fn reload_message(
        &self,
        chat: &ChatId,
        id: MessageId,
        messages: &mut [StoredMessage],
    ) -> Result<()> {
        let Some(stale) = messages.iter_mut().find(|stored| stored.message.id == id) else { return Ok(()) };
        if let Some(stored) = self.store.chat(chat).find(Reference::Id(id)).await? {
            stale.message = stored.message;
        }
        Ok(())
    }

    /// Returns an error if a turn would answer only voice messages that could not be transcribed. `/retry` asks them
    /// again.
    async fn check_transcribed(&self, found: &[StoredAttachment], messages: &[StoredMessage]) -> Result<()> {
        let failed = |stored: &StoredMessage| {
            let is_bare = stored.message.text.starts_with('[') && stored.message.text.ends_with(']');
            found.iter().find(|attachment| {
                let is_failed =
                    attachment.file.kind.is_sound() && attachment.state == AttachmentState::GivenUp;
                is_bare && is_failed && attachment.message == stored.message.id
            })
        };
        let all: Option<Vec<&StoredAttachment>> = messages.iter().map(failed).collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else { return Ok(()) };
        for attachment in &all {
            self.store.miss_attachment(attachment.id, Missed::Unheard).await?;
        }
        let why = all.iter().rev().find_map(|attachment| attachment.problem.clone()).unwrap_or_default();
        Err(Error::NotTranscribed(why))
    }

    /// A file as the model receives it; for a voice message without a transcript, the reason why it is missing.
    async fn for_model(&self, attachment: &StoredAttachment, is_too_much: bool) -> Option<Attachment> {
        if attachment.file.kind.is_sound() {
            let why = match attachment.state {
                AttachmentState::Waiting => "its transcript is not there yet",
                AttachmentState::GivenUp => "it could not be transcribed",
                AttachmentState::Kept | AttachmentState::Transcribed | AttachmentState::Unheard => {
                    return None;
                }
            };
            let name = Some(format!("{} message", attachment.file.kind.as_str()));
            return Some(Attachment { name, content: Content::Absent(why.to_owned()) });
        }
        let content = match attachment.state {
            AttachmentState::Kept if is_too_much => {
                Content::Absent("there are too many files at once; reply to its message to see it".to_owned())
            }
            AttachmentState::Kept => self.content(attachment).await,
            AttachmentState::Waiting => Content::Absent("it is still being downloaded".to_owned()),
            AttachmentState::GivenUp | AttachmentState::Unheard | AttachmentState::Transcribed => {
                Content::Absent(
                    attachment.problem.clone().unwrap_or_else(|| "it could not be had".to_owned()),
                )
            }
        };
        Some(Attachment { name: attachment.file.name.clone(), content })
    }

    async fn content(&self, attachment: &StoredAttachment) -> Content {
        let hash = attachment.hash.as_deref().unwrap_or_default();
        let kind = attachment.file.media_type.as_deref().and_then(FileType::from_media_type);
        match (kind, read(self.settings.files.path(hash)).await) {
            (Some(FileType::Image(media_type)), Some(bytes)) => {
                Content::Image { media_type: media_type.to_owned(), bytes }
            }
            (Some(FileType::Pdf), Some(bytes)) => Content::Pdf(bytes),
            (Some(FileType::Text), Some(bytes)) => Content::Text(readable(&bytes)),
            _ => Content::Absent("its file is missing".to_owned()),
        }
    }
}

async fn read(path: PathBuf) -> Option<Arc<[u8]>> {
    blocking(move || std::fs::read(path)).await.ok().map(Arc::from)
}

async fn remove(path: PathBuf) {
    // The next attempt overwrites the file, or the sweep deletes it with its message.
    let _ = blocking(move || std::fs::remove_file(path)).await;
}

/// Runs blocking file operations on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(std::io::ErrorKind::Interrupted.into()))
}

/// The beginning of a text file as a prompt may contain it, redacted.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..MAX_TEXT_BYTES).unwrap_or(bytes));
    let text = redact(&without_controls(&text)).into_owned();
    let tokens = estimate(&text);
    if tokens <= MAX_TEXT_TOKENS && bytes.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let share = f64::from(MAX_TEXT_TOKENS) / f64::from(tokens.max(MAX_TEXT_TOKENS));
    let kept = (text.chars().count() as f64 * share) as usize;
    let cut: String = text.chars().take(kept).collect();
    format!("{cut}\n[the rest is left out]")
}

fn too_large() -> String {
    format!("it is larger than {} MB", MAX_FILE_BYTES / 1024 / 1024)
}

/// The result of a failed attempt. The back-off doubles each time.
fn missed(attachment: &StoredAttachment, error: NotFetched) -> Missed {
    match error {
        NotFetched::Never(why) => Missed::GivenUp(why),
        NotFetched::Later(why, _) if attachment.attempts + 1 >= MAX_ATTEMPTS => Missed::GivenUp(why),
        NotFetched::Later(why, after) => {
            let pause = after.saturating_mul(2u32.saturating_pow(attachment.attempts)).min(MAX_BACKOFF);
            Missed::Again(later(pause), why)
        }
    }
}

/// A time in the future, by the real clock.
fn later(pause: Duration) -> Timestamp {
    let pause = SignedDuration::try_from(pause).unwrap_or(SignedDuration::MAX);
    SystemClock.now().saturating_add(pause).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_long_text_file_is_cut_and_redacted() {
        let key = concat!("sk-ant-api03-", "Zx81kQpLr93mVtYw72NbCd45FgHj60Ks");
        let text = format!("token: {key}\n{}", "a line of words\n".repeat(20_000));
        let shown = readable(text.as_bytes());
        assert!(!shown.contains(key) && shown.ends_with("\n[the rest is left out]"));
        assert!(
            (MAX_TEXT_TOKENS / 2..=MAX_TEXT_TOKENS + 50).contains(&estimate(&shown)),
            "{}",
            estimate(&shown)
        );
        assert_eq!(readable(b"short\n"), "short\n");
    }
}
