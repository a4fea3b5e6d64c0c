//! Files that come with messages. A file is fetched once its message is recorded, checked by its bytes, and kept under its
//! hash; the turn that answers the message hands it to the model. Speech becomes the words of its message.

mod files;
mod kinds;
mod transcribe;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::message::MessageId;
use throughline_domain::turn::ItemReceipt;
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
pub const LARGEST: u64 = 20 * 1024 * 1024;
/// How long a turn waits for the files of its messages.
const WAIT: Duration = Duration::from_secs(6);
/// Time between looks at a file that a turn waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(40);
/// Attempts after which a file is given up; with the back-off between, that takes a quarter of an hour or more.
const MOST_ATTEMPTS: u32 = 10;
/// Maximum back-off.
const LONGEST_RETRY: Duration = Duration::from_secs(1800);
/// Maximum length of a text file in a prompt, in tokens.
const MOST_TEXT: u32 = 8_000;
/// Bytes of a text file that are looked at for that.
const MOST_TEXT_BYTES: usize = 128 * 1024;
/// Maximum number of files that one turn hands to the model, and their size together, in bytes.
const MOST_FILES: usize = 10;
const MOST_BYTES: u64 = 40 * 1024 * 1024;
/// First back-off when a file cannot be written to disk.
const WRITE_AGAIN: Duration = Duration::from_secs(10);

/// Where a channel's files come from.
#[async_trait]
pub trait FileSource: Send + Sync {
    /// Fetches a file by the channel's own name of it.
    async fn fetch(&self, source: &str) -> std::result::Result<Vec<u8>, NotFetched>;
}

/// Why a file was not fetched. The text is shown to people and models: it names no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFetched {
    /// Try again after this time, or later.
    Later(String, Duration),
    /// It can never be had.
    Never(String),
}

/// The files of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnFiles {
    /// What the model is given.
    pub attachments: Vec<Attachment>,
    /// The same for the receipt.
    pub receipt: Vec<ItemReceipt>,
    /// Whether a voice message stays unheard because nothing is set up to listen.
    pub is_unheard: bool,
}

impl Engine {
    /// Fetches one file that is due, and writes down what became of it.
    ///
    /// # Errors
    /// When the store or the home cannot be written; then the file is fetched again later.
    pub async fn fetch_attachment(
        &self,
        attachment: &StoredAttachment,
        source: &dyn FileSource,
    ) -> Result<()> {
        let sound = attachment.file.kind.is_sound();
        let missed = match &self.settings.transcription {
            None if sound => Err(Missed::Unheard),
            _ if attachment.file.bytes.is_some_and(|bytes| bytes > LARGEST) => {
                Err(Missed::GivenUp(too_large()))
            }
            transcription => match source.fetch(&attachment.file.source).await {
                Err(error) => Err(missed(attachment, error)),
                Ok(bytes) if bytes.len() as u64 > LARGEST => Err(Missed::GivenUp(too_large())),
                Ok(bytes) => match transcription.as_ref().filter(|_| sound) {
                    Some(transcription) => self.listen(attachment, bytes, transcription).await?,
                    None => self.keep(attachment, bytes).await?,
                },
            },
        };
        if let Err(missed) = missed {
            tracing::info!(chat = %attachment.chat, attachment = attachment.id, ?missed, "file of a message not kept");
            self.store.miss_attachment(attachment.id, missed).await?;
        }
        Ok(())
    }

    async fn keep(
        &self,
        attachment: &StoredAttachment,
        bytes: Vec<u8>,
    ) -> Result<std::result::Result<(), Missed>> {
        let Some(kind) = FileType::of(&bytes) else {
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

    /// Makes the words of a voice message its text. The sound itself is not kept.
    async fn listen(
        &self,
        attachment: &StoredAttachment,
        bytes: Vec<u8>,
        transcription: &Transcription,
    ) -> Result<std::result::Result<(), Missed>> {
        let Some(ending) = kinds::sound(&bytes) else {
            return Ok(Err(Missed::GivenUp("it is no sound that can be read".to_owned())));
        };
        let part = match self.write_part(attachment, ending, bytes).await {
            Ok(part) => part,
            Err(missed) => return Ok(Err(missed)),
        };
        let heard = transcription.of(&part).await;
        remove(part).await;
        let text = match heard {
            Ok(text) => redact(&without_controls(&text)).into_owned(),
            Err(why) => return Ok(Err(Missed::GivenUp(redact(&why).into_owned()))),
        };
        let person = self.settings.people.of(&attachment.chat);
        self.store.transcribe_attachment(attachment.id, &text, person.as_deref()).await?;
        Ok(Ok(()))
    }

    /// Writes the bytes to a file of their own. A full disk is a reason to try again later.
    async fn write_part(
        &self,
        attachment: &StoredAttachment,
        ending: &'static str,
        bytes: Vec<u8>,
    ) -> std::result::Result<PathBuf, Missed> {
        let (files, id) = (self.settings.files.clone(), attachment.id);
        blocking(move || files.write_part(id, ending, &bytes)).await.map_err(|error| {
            tracing::warn!(%error, "writing a file of a message failed; retrying later");
            missed(attachment, NotFetched::Later("it could not be written to disk".to_owned(), WRITE_AGAIN))
        })
    }

    /// Deletes the files that no message names any more.
    ///
    /// # Errors
    /// When the store or the folder cannot be written.
    pub async fn sweep_files(&self) -> Result<u64> {
        let files = self.settings.files.clone();
        Ok(self.store.sweep_files(move |attachment, hash| files.remove(attachment, hash)).await?)
    }

    /// Waits a moment for the files of the messages that a turn answers and of the message that is replied to. A voice
    /// message that was not heard before is listened to again.
    pub(crate) async fn files_of_turn(
        &self,
        chat: &ChatId,
        messages: &mut [StoredMessage],
        replied: Option<MessageId>,
    ) -> Result<TurnFiles> {
        let mut ids: Vec<MessageId> = messages.iter().map(|stored| stored.message.id).collect();
        ids.extend(replied);
        let found = self.await_files(chat, &ids).await?;
        for attachment in found.iter().filter(|one| one.state == AttachmentState::Transcribed) {
            self.read_again(chat, attachment.message, messages).await?;
        }
        self.check_heard(&found, messages).await?;
        let (mut files, mut bytes) = (TurnFiles::default(), 0);
        for attachment in &found {
            files.is_unheard |= attachment.state == AttachmentState::Unheard;
            bytes += attachment.file.bytes.filter(|_| attachment.hash.is_some()).unwrap_or_default();
            let is_too_much = files.attachments.len() >= MOST_FILES || bytes > MOST_BYTES;
            if let Some(given) = self.for_model(attachment, is_too_much).await {
                files.receipt.push(ItemReceipt {
                    kind: "file".to_owned(),
                    id: attachment.hash.clone().unwrap_or_else(|| attachment.id.to_string()),
                    tokens: given.tokens(),
                    why: "came with the message".to_owned(),
                });
                files.attachments.push(given);
            }
        }
        Ok(files)
    }

    async fn await_files(&self, chat: &ChatId, ids: &[MessageId]) -> Result<Vec<StoredAttachment>> {
        let in_chat = self.store.chat(chat);
        let mut found = in_chat.attachments(ids.to_vec()).await?;
        let unheard = found.iter().filter(|one| one.state == AttachmentState::Unheard).map(|one| one.id);
        let unheard: Vec<i64> = unheard.filter(|_| self.settings.transcription.is_some()).collect();
        if !unheard.is_empty() {
            in_chat.fetch_again(unheard).await?;
            found = in_chat.attachments(ids.to_vec()).await?;
        }
        let began = Instant::now();
        while found.iter().any(|one| self.comes_soon(one, began)) {
            tokio::time::sleep(LOOK_AGAIN).await;
            found = in_chat.attachments(ids.to_vec()).await?;
        }
        Ok(found)
    }

    /// Whether a file is worth waiting for. Speech is the message itself, so a transcription may take its time.
    fn comes_soon(&self, attachment: &StoredAttachment, began: Instant) -> bool {
        let listening = self.settings.transcription.as_ref().filter(|_| attachment.file.kind.is_sound());
        let wait = WAIT + listening.map_or(Duration::ZERO, |transcription| transcription.limit);
        let left = wait.saturating_sub(began.elapsed());
        attachment.state == AttachmentState::Waiting && !left.is_zero() && attachment.due <= later(left)
    }

    /// Replaces a message whose words came later.
    async fn read_again(&self, chat: &ChatId, id: MessageId, messages: &mut [StoredMessage]) -> Result<()> {
        let Some(held) = messages.iter_mut().find(|stored| stored.message.id == id) else { return Ok(()) };
        if let Some(stored) = self.store.chat(chat).find(Reference::Id(id)).await? {
            held.message = stored.message;
        }
        Ok(())
    }

    /// Fails a turn that would answer nothing but speech that could not be transcribed. It can be asked again.
    async fn check_heard(&self, found: &[StoredAttachment], messages: &[StoredMessage]) -> Result<()> {
        let failed = |stored: &StoredMessage| {
            let is_bare = stored.message.text.starts_with('[') && stored.message.text.ends_with(']');
            found.iter().find(|one| {
                let is_failed = one.file.kind.is_sound() && one.state == AttachmentState::GivenUp;
                is_bare && is_failed && one.message == stored.message.id
            })
        };
        let all: Option<Vec<&StoredAttachment>> = messages.iter().map(failed).collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else { return Ok(()) };
        for attachment in &all {
            self.store.miss_attachment(attachment.id, Missed::Unheard).await?;
        }
        let why = all.iter().rev().find_map(|attachment| attachment.problem.clone()).unwrap_or_default();
        Err(Error::NotHeard(why))
    }

    /// A file as a model is given it; for speech, whose words are the message, why they are missing.
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
        let kind = attachment.file.media_type.as_deref().and_then(FileType::of_media_type);
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
    // What is left is overwritten by the next attempt, or swept with its message.
    let _ = blocking(move || std::fs::remove_file(path)).await;
}

/// Runs work on files where it may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(std::io::ErrorKind::Interrupted.into()))
}

/// As much of a text as a prompt may hold, without secrets.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..MOST_TEXT_BYTES).unwrap_or(bytes));
    let text = redact(&without_controls(&text)).into_owned();
    let tokens = estimate(&text);
    if tokens <= MOST_TEXT && bytes.len() <= MOST_TEXT_BYTES {
        return text;
    }
    let share = f64::from(MOST_TEXT) / f64::from(tokens.max(MOST_TEXT));
    let kept = (text.chars().count() as f64 * share) as usize;
    let cut: String = text.chars().take(kept).collect();
    format!("{cut}\n[the rest is left out]")
}

fn too_large() -> String {
    format!("it is larger than {} MB", LARGEST / 1024 / 1024)
}

/// The outcome of a failed attempt. The back-off doubles.
fn missed(attachment: &StoredAttachment, error: NotFetched) -> Missed {
    match error {
        NotFetched::Never(why) => Missed::GivenUp(why),
        NotFetched::Later(why, _) if attachment.attempts + 1 >= MOST_ATTEMPTS => Missed::GivenUp(why),
        NotFetched::Later(why, after) => {
            let pause = after.saturating_mul(2u32.saturating_pow(attachment.attempts)).min(LONGEST_RETRY);
            Missed::Again(later(pause), why)
        }
    }
}

/// A moment from now, by the real clock.
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
        assert!((MOST_TEXT / 2..=MOST_TEXT + 50).contains(&estimate(&shown)), "{}", estimate(&shown));
        assert_eq!(readable(b"short\n"), "short\n");
    }
}
