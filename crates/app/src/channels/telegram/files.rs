//! Downloads the files of recorded messages. The list of downloads is on disk, so the next process continues after a
//! crash. The engine processes the downloaded files.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::attachments::{FileSource, MAX_FILE_BYTES, NotFetched};
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::attachments::StoredAttachment;
use tokio::sync::Notify;

use super::api::{Api, ApiError, TOO_BIG};
use crate::channels::lanes::POLL_EVERY;
use crate::tasks::{KeyedTasks, Tasks};

/// First back-off when Telegram cannot be reached.
const UNREACHABLE_BACKOFF: Duration = Duration::from_secs(1);
/// First back-off when Telegram refuses a file; longer than a turn waits for it.
const REFUSED_BACKOFF: Duration = Duration::from_secs(10);

/// Downloads files, chat by chat. Speech has a separate queue per chat, because transcription is slow.
pub struct Fetcher {
    api: Arc<Api>,
    engine: Engine,
    chats: KeyedTasks<(ChatId, bool)>,
    wake: Notify,
}

impl Fetcher {
    /// Creates the fetcher of a bot.
    pub fn new(api: &Arc<Api>, engine: &Engine, tasks: &Tasks) -> Arc<Self> {
        let (api, engine) = (Arc::clone(api), engine.clone());
        Arc::new(Self { api, engine, chats: KeyedTasks::new(tasks), wake: Notify::new() })
    }

    /// Requests a check for downloads.
    pub fn request_check(&self) {
        self.wake.notify_one();
    }

    /// Downloads due files until the program ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            if let Err(error) = self.ask_chats().await {
                tracing::warn!(%error, "reading the files to fetch failed; retrying in 1 s");
            }
            let _ = tokio::time::timeout(POLL_EVERY, self.wake.notified()).await;
        }
    }

    async fn ask_chats(self: &Arc<Self>) -> throughline_store::Result<()> {
        let due = self.engine.store.attachments_due(ChannelKind::Telegram.name(), SystemClock.now()).await?;
        for attachment in due {
            let fetcher = Arc::clone(self);
            let key = (attachment.chat, attachment.file.kind.is_sound());
            self.chats.request(key, move |(chat, sound)| {
                let fetcher = Arc::clone(&fetcher);
                async move {
                    if let Err(error) = fetcher.fetch_all(&chat, sound).await {
                        tracing::warn!(%chat, %error, "keeping a file of a message failed; retrying in 1 s");
                        tokio::time::sleep(UNREACHABLE_BACKOFF).await;
                    }
                }
            });
        }
        Ok(())
    }

    async fn fetch_all(&self, chat: &ChatId, sound: bool) -> throughline_engine::Result<()> {
        let due = self.engine.store.attachments_due(ChannelKind::Telegram.name(), SystemClock.now()).await?;
        let is_ours = |attachment: &&StoredAttachment| {
            attachment.chat == *chat && attachment.file.kind.is_sound() == sound
        };
        for attachment in due.iter().filter(is_ours) {
            self.engine.fetch_attachment(attachment, self).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl FileSource for Fetcher {
    async fn fetch(&self, source: &str) -> Result<Vec<u8>, NotFetched> {
        self.api.download(source, MAX_FILE_BYTES).await.map_err(|error| match error {
            ApiError::Refused(why) if why.contains(TOO_BIG) => {
                NotFetched::Never("it is larger than 20 MB, the most that Telegram gives to a bot".to_owned())
            }
            ApiError::Refused(_) => {
                NotFetched::Later("Telegram does not give it".to_owned(), REFUSED_BACKOFF)
            }
            ApiError::TooMany(wait) => NotFetched::Later(error.to_string(), wait),
            _ => NotFetched::Later("Telegram cannot be reached".to_owned(), UNREACHABLE_BACKOFF),
        })
    }
}
