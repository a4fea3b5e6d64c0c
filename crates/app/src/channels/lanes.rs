//! Processes the lanes of a channel: one turn or action at a time in each lane, in order of arrival. The queue is on
//! disk, so the next process continues after a crash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::arrivals::InboundAction;
use throughline_engine::turn::Channel;
use throughline_engine::{Engine, Error};
use throughline_store::arrivals::{InboundAction as Waiting, Next};
use throughline_store::outbox::Outgoing;
use throughline_store::turns::Take;
use tokio::sync::Notify;

use super::Host;
use super::commands::ActionEffects;
use super::outbox::{Outbound, Sender};
use super::pause::{Key, Pauses};
use super::stops::Stops;
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Time between checks for work from other processes: a command, a routine, a crashed server.
pub const POLL_EVERY: Duration = Duration::from_secs(1);
/// Back-off when a lane is busy or cannot be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Maximum number of attempts of an action that meets conflicting writes.
const MAX_ATTEMPTS: u32 = 12;

/// A channel's live display of work in progress.
#[async_trait]
pub trait Live: Send + Sync {
    /// Shows a reply while it is written. `stop` is notified when the person stops the reply.
    fn reply(&self, chat: &ChatId, lane: &Lane, stop: Arc<Notify>) -> Box<dyn Channel>;

    /// Shows that a reply is being written, and returns when to show it again; `None` if the channel cannot show it.
    async fn show_typing(&self, chat: &ChatId, lane: &Lane) -> Option<Duration>;

    /// Confirms a pressed button with a short text.
    async fn confirm_press(&self, query: &str, text: &str);
}

/// Processes the lanes of one channel.
pub struct Worker {
    pub kind: ChannelKind,
    pub engine: Engine,
    pub app: Arc<App>,
    pub live: Arc<dyn Live>,
    pub sender: Arc<Sender>,
    tasks: Tasks,
    jobs: Arc<Notify>,
    lanes: KeyedTasks<Key>,
    pauses: Pauses,
    stops: Arc<Stops>,
}

impl Worker {
    /// Creates the worker of a channel.
    pub fn new(
        kind: ChannelKind,
        host: &Host,
        live: Arc<dyn Live>,
        outbound: Box<dyn Outbound>,
        pause: Duration,
    ) -> Arc<Self> {
        let Host { app, engine, tasks, jobs, stops } = host.clone();
        Arc::new(Self {
            kind,
            sender: Arc::new(Sender::new(kind, &engine, outbound, &tasks)),
            lanes: KeyedTasks::new(&tasks),
            pauses: Pauses::new(pause),
            stops,
            engine,
            app,
            live,
            tasks,
            jobs,
        })
    }

    /// Polls the disk for work until the program ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            if let Err(error) = self.poll_pending().await {
                tracing::warn!(%error, "reading pending work failed; retrying in 1 s");
            }
            tokio::time::sleep(POLL_EVERY).await;
        }
    }

    async fn poll_pending(self: &Arc<Self>) -> throughline_engine::Result<()> {
        self.engine.close_abandoned().await?;
        self.clean_up_unfinished().await;
        for (chat, lane) in self.engine.store.lanes_with_work(self.kind.name()).await? {
            self.request(chat, lane);
        }
        Ok(self.sender.request_all().await?)
    }

    /// Announces a message that is about to be recorded and answered, so its turn waits a moment for more messages.
    pub fn expect(&self, chat: &ChatId, lane: &Lane) {
        self.pauses.register(&(chat.clone(), lane.clone()), Instant::now());
    }

    /// Wakes a lane after something arrived in it. A command or a pressed button does not wait for more messages.
    pub fn arrived(self: &Arc<Self>, chat: ChatId, lane: Lane) {
        let key = (chat, lane);
        self.pauses.wake(&key);
        self.request(key.0, key.1);
    }

    /// Stops the current or next reply in a lane; `false` if there is none.
    pub fn stop(&self, chat: &ChatId, lane: &Lane) -> bool {
        let key = (chat.clone(), lane.clone());
        if self.pauses.end_early(&key) {
            self.stops.stop_next(&key);
            return true;
        }
        self.stops.stop(&key)
    }

    /// Requests processing of a lane.
    pub fn request(self: &Arc<Self>, chat: ChatId, lane: Lane) {
        let worker = Arc::clone(self);
        self.lanes.request((chat, lane), move |(chat, lane)| {
            let worker = Arc::clone(&worker);
            async move {
                if let Err(error) = worker.work_off(&chat, &lane).await {
                    tracing::warn!(%chat, %lane, %error, "lane drain failed; retrying in 1 s");
                    tokio::time::sleep(RETRY_AFTER).await;
                }
            }
        });
    }

    async fn work_off(self: &Arc<Self>, chat: &ChatId, lane: &Lane) -> Result<(), Error> {
        loop {
            let next = self.engine.store.chat(chat).next_in_lane(lane).await?;
            if next != Next::Nothing {
                self.notify_uncertain_in(chat, lane).await?;
            }
            match next {
                Next::Nothing => return Ok(()),
                Next::Turn(None) => {
                    match self.pauses.remaining(&(chat.clone(), lane.clone()), Instant::now()) {
                        Some((left, changed)) => {
                            let _ = tokio::time::timeout(left, changed.notified()).await;
                            continue;
                        }
                        None => self.turn(chat, lane, Take::Waiting).await?,
                    }
                }
                // Messages before a command are answered first.
                Next::Turn(Some(upto)) => self.turn(chat, lane, Take::UpTo(upto)).await?,
                Next::InboundAction(action) => self.handle(chat, lane, action).await?,
            }
            self.jobs.notify_one();
            self.sender.request(chat);
        }
    }

    /// Handles a command or a pressed button: its changes, records and messages are one transaction, which is retried
    /// after a conflicting write.
    async fn handle(&self, chat: &ChatId, lane: &Lane, action: Waiting) -> Result<(), Error> {
        for is_last in (1..=MAX_ATTEMPTS).map(|attempt| attempt == MAX_ATTEMPTS) {
            let acted = match InboundAction::read(&action.what) {
                Some(what) => self.act(chat, lane, what).await?,
                None => {
                    tracing::warn!(%chat, action = action.id, "action cannot be read; dropping it");
                    ActionEffects::default()
                }
            };
            let ActionEffects { outgoing, confirmed, forgotten } = acted;
            let others: Vec<ChatId> = outgoing.outbox.iter().map(|item| item.chat.clone()).collect();
            match self.engine.store.send_out(Outgoing { action: Some(action.id), ..outgoing }).await {
                Ok(_) => {}
                Err(throughline_store::Error::Conflict(why)) if !is_last => {
                    tracing::info!(%chat, why, "an action met a conflicting write; retrying");
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            others.iter().for_each(|chat| self.sender.request(chat));
            if let Some((query, text)) = confirmed {
                let live = Arc::clone(&self.live);
                self.tasks.spawn(async move { live.confirm_press(&query, &text).await });
            }
            if forgotten {
                self.clean_copies(chat).await;
            }
            return Ok(());
        }
        Ok(())
    }

    async fn turn(self: &Arc<Self>, chat: &ChatId, lane: &Lane, take: Take) -> Result<(), Error> {
        let key = (chat.clone(), lane.clone());
        // The stop signal is registered before the pause ends, so `/stop` works at any time.
        let stop = self.stops.begin(&key);
        self.pauses.end(&key);
        let reply = self.live.reply(chat, lane, stop);
        let answered = self.show_typing(chat, lane);
        let outcome = self.engine.answer_waiting(chat, lane, take, reply.as_ref()).await;
        answered.notify_one();
        self.stops.end(&key);
        match outcome {
            Ok(_) => Ok(()),
            Err(error @ (Error::Store(_) | Error::LaneBusy { .. })) => Err(error),
            // The person was notified, and the lane is free.
            Err(error) => {
                tracing::warn!(%chat, %lane, %error, "turn failed; the person was told");
                Ok(())
            }
        }
    }

    /// Shows that a reply is being written until the returned `Notify` is notified.
    fn show_typing(&self, chat: &ChatId, lane: &Lane) -> Arc<Notify> {
        let answered = Arc::new(Notify::new());
        let (live, done) = (Arc::clone(&self.live), Arc::clone(&answered));
        let (chat, lane) = (chat.clone(), lane.clone());
        self.tasks.spawn(async move {
            while let Some(again) = live.show_typing(&chat, &lane).await {
                if tokio::time::timeout(again, done.notified()).await.is_ok() {
                    return;
                }
            }
        });
        answered
    }
}
