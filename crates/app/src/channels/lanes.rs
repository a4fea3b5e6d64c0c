//! Works off the lanes of a channel: one thing at a time in a lane, in the order in which it arrived. What waits is on
//! disk, so that the next process continues after a crash.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::arrivals::InboundAction;
use throughline_engine::turn::Channel;
use throughline_engine::{Engine, Error};
use throughline_store::arrivals::Next;
use throughline_store::outbox::Outgoing;
use throughline_store::turns::Take;
use tokio::sync::Notify;

use super::Host;
use super::outbox::{Outbound, Sender};
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Time between checks for work that another process left: a command, a routine, a crashed server.
pub const POLL_EVERY: Duration = Duration::from_secs(1);
/// Back-off when a lane is busy or cannot be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How a channel shows that something is happening.
#[async_trait]
pub trait Live: Send + Sync {
    /// Shows a reply while it is written.
    fn reply(&self, chat: &ChatId, lane: &Lane) -> Box<dyn Channel>;

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
    lanes: KeyedTasks<(ChatId, Lane)>,
}

impl Worker {
    /// A worker for the lanes of a channel.
    pub fn new(
        kind: ChannelKind,
        host: &Host,
        live: Arc<dyn Live>,
        outbound: Box<dyn Outbound>,
    ) -> Arc<Self> {
        let Host { app, engine, tasks, jobs } = host.clone();
        Arc::new(Self {
            kind,
            sender: Arc::new(Sender::new(kind, &engine, outbound, &tasks)),
            lanes: KeyedTasks::new(&tasks),
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
                Next::Turn(upto) => self.turn(chat, lane, upto.map_or(Take::Waiting, Take::UpTo)).await?,
                Next::InboundAction(action) => {
                    let outgoing = match InboundAction::read(&action.what) {
                        Some(what) => self.act(chat, lane, what).await?,
                        None => {
                            tracing::warn!(%chat, action = action.id, "action cannot be read; dropping it");
                            Outgoing::default()
                        }
                    };
                    let outgoing = Outgoing { action: Some(action.id), ..outgoing };
                    self.engine.store.send_out(outgoing).await?;
                }
            }
            self.jobs.notify_one();
            self.sender.ask(chat);
        }
    }

    async fn turn(self: &Arc<Self>, chat: &ChatId, lane: &Lane, take: Take) -> Result<(), Error> {
        let reply = self.live.reply(chat, lane);
        let answered = self.show_typing(chat, lane);
        let outcome = self.engine.answer_waiting(chat, lane, take, reply.as_ref()).await;
        answered.notify_one();
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
