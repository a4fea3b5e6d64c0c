//! One thing at a time in a lane, in the order in which it arrived.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Error;
use throughline_store::arrivals::Next;
use throughline_store::turns::Take;
use tokio::sync::Notify;

use super::Gateway;
use super::lane::thread_to_type;
use super::stream::Stream;
use super::target::SendTarget;
use super::update::{InboundAction, number};

/// Typing is shown for five seconds; it is renewed before.
const TYPING_EVERY: Duration = Duration::from_millis(4_500);
/// So long a lane rests that somebody else holds, or that cannot be read.
const REST: Duration = Duration::from_secs(1);

impl Gateway {
    /// Works off a lane from now on.
    pub(super) fn ask(self: &Arc<Self>, chat: ChatId, lane: Lane) {
        let gateway = Arc::clone(self);
        self.lanes.ask((chat, lane), move |(chat, lane)| {
            let gateway = Arc::clone(&gateway);
            async move {
                if let Err(error) = gateway.work_off(&chat, &lane).await {
                    tracing::warn!(%chat, %lane, %error, "a lane waits");
                    tokio::time::sleep(REST).await;
                }
            }
        });
    }

    async fn work_off(self: &Arc<Self>, chat: &ChatId, lane: &Lane) -> Result<(), Error> {
        loop {
            match self.engine.store.chat(chat).next_in_lane(lane).await? {
                Next::Nothing => return Ok(()),
                Next::Turn(upto) => {
                    self.turn(chat, lane, upto.map_or(Take::Waiting, Take::UpTo)).await?;
                    self.jobs.notify_one();
                }
                Next::InboundAction(action) => match serde_json::from_str::<InboundAction>(&action.what) {
                    Ok(what) => self.run(chat, lane, action.id, what).await?,
                    Err(error) => {
                        tracing::warn!(%error, "an errand cannot be read and is dropped");
                        self.done(action.id).await?;
                    }
                },
            }
            self.sender.ask(chat);
        }
    }

    async fn turn(self: &Arc<Self>, chat: &ChatId, lane: &Lane, take: Take) -> Result<(), Error> {
        let stream = Stream::new(Arc::clone(&self.api), SendTarget::of(chat, lane), Arc::clone(&self.drafts));
        let typing = self.type_in(chat, lane);
        let outcome = self.engine.answer_waiting(chat, lane, take, &stream).await;
        typing.notify_one();
        match outcome {
            Ok(_) => Ok(()),
            Err(error @ (Error::Store(_) | Error::LaneBusy { .. })) => Err(error),
            // The person was told, and the lane is free.
            Err(error) => {
                tracing::warn!(%chat, %error, "a turn failed");
                Ok(())
            }
        }
    }

    /// Shows that somebody is typing, until the bell rings.
    fn type_in(self: &Arc<Self>, chat: &ChatId, lane: &Lane) -> Arc<Notify> {
        let bell = Arc::new(Notify::new());
        let (gateway, rung) = (Arc::clone(self), Arc::clone(&bell));
        let thread = thread_to_type(lane, self.is_forum(chat));
        let mut fields = json!({ "chat_id": number(chat), "action": "typing" });
        if let (Some(thread), Some(map)) = (thread, fields.as_object_mut()) {
            map.insert("message_thread_id".to_owned(), json!(thread));
        }
        self.tasks.spawn(async move {
            loop {
                if gateway.api.call("sendChatAction", &fields).await.is_err() {
                    return;
                }
                if tokio::time::timeout(TYPING_EVERY, rung.notified()).await.is_ok() {
                    return;
                }
            }
        });
        bell
    }
}
