//! Works off the lanes of a channel: one thing at a time in a lane, in the order in which it arrived. What waits is on
//! disk, so that the next process continues after a crash.

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
use super::commands::Acted;
use super::outbox::{Outbound, Sender};
use super::pause::{Key, Pauses};
use super::stops::Stops;
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Time between checks for work that another process left: a command, a routine, a crashed server.
pub const POLL_EVERY: Duration = Duration::from_secs(1);
/// Back-off when a lane is busy or cannot be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Attempts of an action that meets conflicting writes.
const MOST_CONFLICTS: u32 = 12;

/// How a channel shows that something is happening.
#[async_trait]
pub trait Live: Send + Sync {
    /// Shows a reply while it is written. `stop` tells that the person wants no more of it.
    fn reply(&self, chat: &ChatId, lane: &Lane, stop: Arc<Notify>) -> Box<dyn Channel>;

    /// Shows that a reply is being written, and gives when to show it again; `None` if that is of no use.
    async fn show_typing(&self, chat: &ChatId, lane: &Lane) -> Option<Duration>;

    /// Confirms a pressed button with a short text.
    async fn confirm_press(&self, query: &str, text: &str);
}

/// Works off the lanes of one channel.
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
    /// A worker for the lanes of a channel.
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

    /// Looks for work on disk until the program ends.
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
        self.take_up_unfinished().await;
        for (chat, lane) in self.engine.store.lanes_with_work(self.kind.name()).await? {
            self.ask(chat, lane);
        }
        Ok(self.sender.ask_all().await?)
    }

    /// Notes that a message is about to be recorded which is to be answered: its turn waits a moment for more.
    pub fn expect(&self, chat: &ChatId, lane: &Lane) {
        self.pauses.note(&(chat.clone(), lane.clone()), Instant::now());
    }

    /// Asks for a lane to be worked off in which something came. A command or a pressed button does not wait.
    pub fn arrived(self: &Arc<Self>, chat: ChatId, lane: Lane) {
        let key = (chat, lane);
        self.pauses.wake(&key);
        self.ask(key.0, key.1);
    }

    /// Stops the reply that is being written in a lane, or that is about to be; `false` if there is none.
    pub fn stop(&self, chat: &ChatId, lane: &Lane) -> bool {
        let key = (chat.clone(), lane.clone());
        if self.pauses.hurry(&key) {
            self.stops.stop_next(&key);
            return true;
        }
        self.stops.stop(&key)
    }

    /// Asks for a lane to be worked off.
    pub fn ask(self: &Arc<Self>, chat: ChatId, lane: Lane) {
        let worker = Arc::clone(self);
        self.lanes.ask((chat, lane), move |(chat, lane)| {
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
                self.tell_uncertain_in(chat, lane).await?;
            }
            match next {
                Next::Nothing => return Ok(()),
                Next::Turn(None) => match self.pauses.left(&(chat.clone(), lane.clone()), Instant::now()) {
                    Some((left, changed)) => {
                        let _ = tokio::time::timeout(left, changed.notified()).await;
                        continue;
                    }
                    None => self.turn(chat, lane, Take::Waiting).await?,
                },
                // What was written before a command is answered before it.
                Next::Turn(Some(upto)) => self.turn(chat, lane, Take::UpTo(upto)).await?,
                Next::InboundAction(action) => self.handle(chat, lane, action).await?,
            }
            self.jobs.notify_one();
            self.sender.ask(chat);
        }
    }

    /// Handles a command or a pressed button: what it changes, records and sends is one transaction. If what it read was
    /// changed meanwhile, it is read again.
    async fn handle(&self, chat: &ChatId, lane: &Lane, action: Waiting) -> Result<(), Error> {
        for is_last in (1..=MOST_CONFLICTS).map(|attempt| attempt == MOST_CONFLICTS) {
            let acted = match InboundAction::read(&action.what) {
                Some(what) => self.act(chat, lane, what).await?,
                None => {
                    tracing::warn!(%chat, action = action.id, "action cannot be read; dropping it");
                    Acted::default()
                }
            };
            let Acted { outgoing, confirmed, forgotten } = acted;
            let others: Vec<ChatId> = outgoing.outbox.iter().map(|item| item.chat.clone()).collect();
            match self.engine.store.send_out(Outgoing { action: Some(action.id), ..outgoing }).await {
                Ok(_) => {}
                Err(throughline_store::Error::Conflict(why)) if !is_last => {
                    tracing::info!(%chat, why, "an action met a conflicting write; retrying");
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            others.iter().for_each(|chat| self.sender.ask(chat));
            if let Some((query, text)) = confirmed {
                let live = Arc::clone(&self.live);
                self.tasks.spawn(async move { live.confirm_press(&query, &text).await });
            }
            if forgotten {
                self.clean_elsewhere(chat).await;
            }
            return Ok(());
        }
        Ok(())
    }

    async fn turn(self: &Arc<Self>, chat: &ChatId, lane: &Lane, take: Take) -> Result<(), Error> {
        let key = (chat.clone(), lane.clone());
        // In this order it can be stopped at any time.
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
            // The person was told, and the lane is free.
            Err(error) => {
                tracing::warn!(%chat, %lane, %error, "turn failed; the person was told");
                Ok(())
            }
        }
    }

    /// Shows that a reply is being written until the result is notified.
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
