//! Polls for updates. Each update is ingested together with the number of the next, and polling resumes after any
//! error.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::arrivals::{Attention, InboundUpdate};
use throughline_engine::{Error, Inbound};
use throughline_store::Error as StoreError;
use throughline_store::arrivals::{Account, Mark};

use super::Gateway;
use super::api::{ApiError, LONG_POLL, Me};
use super::pace::pause;
use super::update::{Listener, chat_id, moved, number};
use super::wire::{Chat, Message, Update, User};
use super::{media, unread};
use crate::channels::access::UnknownPerson;
use crate::channels::lanes::Live;
use crate::config::values::choice::Groups;

/// Back-off when another program polls with the same token; Telegram notices its end within a minute.
const CONFLICT_PAUSE: Duration = Duration::from_secs(3);
/// Number of failures after which an update is skipped; with the back-offs, this takes several minutes.
const MAX_FAILURES: u32 = 12;
/// Time without updates after which Telegram may restart their numbers at any value.
const NUMBERS_VALID_FOR: SignedDuration = SignedDuration::from_hours(6 * 24);

impl Gateway {
    /// Polls until the program ends.
    pub async fn poll(self: Arc<Self>) {
        let mut failures = 0;
        loop {
            let Err(error) = self.listen_on(&mut failures).await;
            self.note_error(&error).await;
            let pause = match &error {
                ApiError::TooMany(wait) => *wait,
                ApiError::Conflict(why) => {
                    if why.to_lowercase().contains("webhook") {
                        self.remove_webhook().await;
                    }
                    CONFLICT_PAUSE
                }
                _ => pause(failures),
            };
            failures = failures.saturating_add(1);
            tokio::time::sleep(pause).await;
            if error == ApiError::Unauthorized {
                self.reload_token().await;
            }
        }
    }

    /// Ingests updates until an error occurs. The first answer with updates resets the count of failures.
    async fn listen_on(self: &Arc<Self>, failures: &mut u32) -> Result<Infallible, ApiError> {
        let me = self.api.me().await?;
        let mut account = self.open_account(&me).await?;
        self.set_commands().await;
        // Waiting updates arrive at once; a long first poll would only delay the note that polling works.
        let mut wait = Duration::ZERO;
        loop {
            let updates = self.api.updates(from(&account, self.engine.now()), wait).await?;
            *failures = 0;
            self.note_listening(&me).await;
            wait = LONG_POLL;
            for update in updates {
                let Some(id) = update.get("update_id").and_then(Value::as_i64) else {
                    tracing::warn!(kind = unread::kind(&update), "an update has no number; skipping it");
                    continue;
                };
                self.ingest(id, update, &me).await?;
                account.next = id + 1;
                account.heard_at = Some(self.engine.now());
            }
        }
    }

    async fn ingest(self: &Arc<Self>, id: i64, update: Value, me: &Me) -> Result<(), ApiError> {
        let not_kept = |error: &dyn std::fmt::Display| {
            ApiError::NotDone(format!("an update could not be written to disk: {error}"))
        };
        let heard = self.read(id, &update, me).await.map_err(|error| not_kept(&error))?;
        let heard = self.stopping(heard).await.map_err(|error| not_kept(&error))?;
        let mark = Mark { account: self.account(), update: id, at: self.engine.now() };
        let has_file =
            matches!(&heard, InboundUpdate::Message(inbound, _) if !inbound.attachments.is_empty());
        let sends = matches!(heard, InboundUpdate::Pairing(..) | InboundUpdate::Notice(_));
        if let InboundUpdate::Message(inbound, Attention::Answer) = &heard {
            // This happens before the message is on disk, where a worker may find it at once.
            let (lane, _) = self.engine.place(inbound).await.map_err(|error| not_kept(&error))?;
            self.worker.expect(&inbound.chat, &lane);
        }
        let place = match self.engine.ingest(mark.clone(), heard).await {
            Ok(place) => place,
            // An update that can never be ingested must not block those after it.
            Err(error) if matches!(error, Error::Unrecordable(_)) || self.has_failed_often(id) => {
                let kind = unread::kind(&update);
                tracing::warn!(update = id, kind, %error, "update cannot be recorded; skipping it");
                let answer = self.answer_unreadable(&update).await.map_err(|error| not_kept(&error))?;
                self.engine.ingest(mark, answer).await.map_err(|error| not_kept(&error))?;
                self.worker.sender.request_all().await.map_err(|error| not_kept(&error))?;
                None
            }
            Err(error) => {
                self.notify_of_full_disk(&error).await;
                return Err(not_kept(&error));
            }
        };
        self.disk_notified.store(false, Ordering::Relaxed);
        if has_file {
            self.files.request_check();
        }
        if sends {
            self.worker.sender.request_all().await.map_err(|error| not_kept(&error))?;
        }
        if let Some((chat, lane)) = place {
            self.worker.arrived(chat, lane);
        }
        Ok(())
    }

    /// Notifies the owner that nothing can be written to disk. The notice bypasses the outbox, which is on disk.
    async fn notify_of_full_disk(&self, error: &Error) {
        let Error::Store(StoreError::DiskFull | StoreError::ReadOnly(_)) = error else {
            return;
        };
        let Some(chat) = number(&self.app.own_chat()) else { return };
        if self.disk_notified.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = "⚠️ I cannot write to my disk, so I cannot answer. Nothing that you write is lost: Telegram keeps it for a day. Make room on the machine that I run on.";
        if let Err(error) = self.api.call("sendMessage", &json!({ "chat_id": chat, "text": text })).await {
            tracing::warn!(%error, "notifying the owner of the full disk failed");
        }
    }

    /// `/stop` acts at once, and only its line is recorded. If there is nothing to stop, it is handled like other
    /// commands.
    async fn stopping(&self, heard: InboundUpdate) -> throughline_engine::Result<InboundUpdate> {
        let InboundUpdate::Action { at, action } = heard else { return Ok(heard) };
        if action.is_stop() {
            let lane = self.engine.lane_of_action(&at, &action).await?;
            if self.worker.stop(&at.chat, &lane) {
                return Ok(InboundUpdate::Message(Box::new(as_command(*at)), Attention::Remember));
            }
        }
        Ok(InboundUpdate::Action { at, action })
    }

    /// Counts the failures of an update; `true` if there are too many.
    fn has_failed_often(&self, id: i64) -> bool {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        *failing = if failing.0 == id { (id, failing.1 + 1) } else { (id, 1) };
        failing.1 > MAX_FAILURES
    }

    async fn read(
        self: &Arc<Self>,
        id: i64,
        raw: &Value,
        me: &Me,
    ) -> throughline_store::Result<InboundUpdate> {
        let Ok(update) = Update::deserialize(raw) else {
            // The log omits the reason, because it may quote a sender who is not served.
            tracing::warn!(update = id, kind = unread::kind(raw), "update cannot be read; skipping it");
            return self.answer_unreadable(raw).await;
        };
        let listener = Listener { me, groups: self.groups, now: self.engine.now() };
        if let Some(message) = &update.message {
            if let Some(moved) = moved(message) {
                return Ok(moved);
            }
            return match self.served(message).await? {
                Served::Yes => {
                    self.live.note_forum(&message.chat);
                    match listener.message(message) {
                        InboundUpdate::Nothing
                            if media::words(message).is_none() && !unread::is_event(raw) =>
                        {
                            tracing::warn!(
                                update = id,
                                kind = unread::kind(raw),
                                "message of an unknown kind"
                            );
                            self.answer_unreadable(raw).await
                        }
                        heard => Ok(heard),
                    }
                }
                Served::No(user) => self.request_pairing(user, &message.chat).await,
            };
        }
        if let Some(message) = &update.edited_message {
            return Ok(match self.served(message).await? {
                Served::Yes => listener.edited(message),
                Served::No(_) => InboundUpdate::Nothing,
            });
        }
        if let Some(reaction) = &update.message_reaction {
            return Ok(match &reaction.user {
                Some(user) if self.serves(user).await? => listener.reacted(reaction, user),
                _ => InboundUpdate::Nothing,
            });
        }
        if let Some(query) = &update.callback_query {
            if self.serves(&query.from).await? {
                return Ok(listener.pressed(query));
            }
            // An unknown person gets no answer, but the button stops spinning.
            let (live, id) = (Arc::clone(&self.live), query.id.clone());
            self.tasks.spawn(async move { live.confirm_press(&id, "").await });
            return Ok(InboundUpdate::Nothing);
        }
        tracing::warn!(update = id, kind = unread::kind(raw), "update of an unknown kind; skipping it");
        Ok(InboundUpdate::Nothing)
    }

    /// Answers the sender of a message that cannot be read. There is no answer to people who are not served, or in a
    /// group in which messages may be for others.
    async fn answer_unreadable(&self, update: &Value) -> throughline_store::Result<InboundUpdate> {
        let Some(message) = unread::remnant(update) else { return Ok(InboundUpdate::Nothing) };
        let is_answered = message.chat.is_private() || self.groups == Groups::All;
        Ok(match self.served(&message).await? {
            Served::Yes if is_answered => InboundUpdate::Notice(unread::notice(&message)),
            Served::Yes | Served::No(_) => InboundUpdate::Nothing,
        })
    }

    async fn served(&self, message: &Message) -> throughline_store::Result<Served> {
        // A message in the name of a chat, such as an anonymous admin's, has no sender who could be on the list.
        let Some(user) = message.from.as_ref().filter(|_| message.sender_chat.is_none()) else {
            return Ok(Served::No(None));
        };
        Ok(match self.serves(user).await? {
            true => Served::Yes,
            false => Served::No(Some(user.clone())),
        })
    }

    async fn serves(&self, user: &User) -> throughline_store::Result<bool> {
        Ok(!user.is_bot && self.access.serves(&user.id.to_string(), &self.engine).await?)
    }

    async fn request_pairing(
        &self,
        user: Option<User>,
        chat: &Chat,
    ) -> throughline_store::Result<InboundUpdate> {
        match (user, chat_id(chat.id)) {
            (Some(user), Some(place)) if !user.is_bot && chat.is_private() => {
                let asker = UnknownPerson {
                    id: user.id.to_string(),
                    name: user.name(),
                    handle: user.username.clone(),
                };
                self.access.request_pairing(asker, place, &self.engine).await
            }
            _ => Ok(InboundUpdate::Nothing),
        }
    }

    async fn open_account(&self, me: &Me) -> Result<Account, ApiError> {
        let opened = self.engine.store.open_account(&self.account()).await;
        let mut account = opened.map_err(|error| ApiError::NotDone(error.to_string()))?;
        account.name = Some(me.username.clone());
        Ok(account)
    }

    async fn remove_webhook(&self) {
        if let Err(error) = self.api.call("deleteWebhook", &json!({ "drop_pending_updates": false })).await {
            tracing::warn!(%error, "removing the webhook failed; retrying with the next poll");
        }
    }
}

/// Marks a line as a command, which is not part of the conversation.
fn as_command(mut line: Inbound) -> Inbound {
    line.metadata.insert("source".to_owned(), "command".into());
    line
}

enum Served {
    Yes,
    No(Option<User>),
}

/// The number of the next update; `None` if Telegram may have restarted its numbers.
fn from(account: &Account, now: Timestamp) -> Option<i64> {
    let heard = account.heard_at?;
    (now.duration_since(heard) < NUMBERS_VALID_FOR).then_some(account.next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_week_of_silence_listening_does_not_count_on_numbers() {
        let now: Timestamp = "2026-03-10T09:00:00Z".parse().unwrap();
        let account = |hours: i64| Account {
            id: "telegram:7".to_owned(),
            name: None,
            next: 501,
            heard_at: Some(now - SignedDuration::from_hours(hours)),
            state: "listening".to_owned(),
            problem: None,
            changed_at: now,
            owner: None,
        };
        assert_eq!((from(&account(1), now), from(&account(24 * 7), now)), (Some(501), None));
        assert_eq!(from(&Account { heard_at: None, ..account(1) }, now), None);
    }
}
