//! The channels people write on. Here is what every channel shares; a folder or file holds what is a channel's own.
//!
//! | file | does |
//! |---|---|
//! | [`lanes`] | one thing at a time in a lane: turns, commands, pressed buttons |
//! | [`pause`] | waits a moment for more before a turn |
//! | [`stops`] | stops a reply that is being written |
//! | [`commands`], [`answer`], [`phone`] | records and renders what slash commands and buttons give |
//! | [`suggestions`] | offers memories that wait for a yes |
//! | [`notices`] | tells the owner what they have to know |
//! | [`outbox`] | sends what waits, chat by chat and in order |
//! | [`unfinished`] | tells of what may not have arrived, and marks replies that broke off |
//! | [`access`] | who is served, and pairing |
//! | [`terminal`], [`telegram`] | the channels |
//!
//! A new channel is a [`ChannelKind`], a folder here with its [`Gateway`], an arm in [`compose`] and in
//! [`Channels::connect`], and its settings.

pub mod access;
pub mod answer;
mod commands;
pub mod editor;
pub mod lanes;
pub mod notices;
pub mod outbox;
mod pause;
mod phone;
pub mod prose;
pub mod stops;
mod suggestions;
pub mod telegram;
pub mod terminal;
mod unfinished;

use std::sync::Arc;

use async_trait::async_trait;
use throughline_domain::channel::{ChannelKind, Sends};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::commands::choices::Choice;
use throughline_engine::routines::RoutineText;
use throughline_store::outbox::NewOutboxItem;
use tokio::sync::Notify;

use crate::output::Failure;
use crate::tasks::Tasks;
use crate::wire::App;
use lanes::Worker;
use notices::Problem;
use outbox::Sender;
use stops::Stops;

/// Something to send into a lane.
pub enum Draft<'a> {
    /// A reply, which is Markdown.
    Reply(&'a str),
    /// A text as it is, with buttons under its end.
    Text(&'a str, Vec<Choice>),
    /// Another text and other buttons in place of a message, by the channel's id.
    Change(&'a str, &'a str, Vec<Choice>),
    /// A text as it is. If it does not fit into one message, the whole of it follows as a file.
    Listing(&'a str),
    /// What a program printed, which may be Markdown; otherwise like a listing.
    Printed(&'a str),
    /// A reply in place of the message that shows its beginning, by the channel's id.
    Whole(&'a str, &'a str),
    /// Everything that was said in the chat, as a file.
    Export,
}

impl<'a> From<RoutineText<'a>> for Draft<'a> {
    fn from(text: RoutineText<'a>) -> Self {
        match text {
            RoutineText::Written(text) => Self::Reply(text),
            RoutineText::Printed(text) => Self::Printed(text),
        }
    }
}

/// The outbox items of a draft; none on a channel that does not send by the outbox.
pub fn compose(chat: &ChatId, lane: &Lane, draft: Draft<'_>) -> Vec<NewOutboxItem> {
    match ChannelKind::of(chat) {
        Some(ChannelKind::Telegram) => telegram::compose(chat, lane, draft),
        // The others are shown directly, or only imported.
        _ => Vec::new(),
    }
}

/// A connected channel that listens for updates and sends by the outbox.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// The part that all gateways share.
    fn worker(&self) -> &Arc<Worker>;

    /// Starts listening, for as long as the loops run.
    fn listen(self: Arc<Self>, loops: &Tasks);

    /// Whether anyone is served, as a person reads it.
    async fn state(&self) -> throughline_store::Result<&'static str>;

    /// What the owner has to know about the connection.
    fn problems(&self) -> Vec<Problem>;

    /// The matters of such problems.
    fn matters(&self) -> Vec<String>;

    /// Notes that this process no longer listens.
    async fn stop(&self);
}

/// The parts of this process that every channel uses.
#[derive(Clone)]
pub struct Host {
    pub app: Arc<App>,
    pub engine: Engine,
    /// Runs what may finish when the process is told to stop.
    pub tasks: Tasks,
    /// Wakes the worker of background jobs.
    pub jobs: Arc<Notify>,
    /// The replies that are being written.
    pub stops: Arc<Stops>,
}

/// The channels of the settings that are connected.
#[derive(Clone)]
pub struct Channels {
    gateways: Vec<Arc<dyn Gateway>>,
}

impl Channels {
    /// Connects the channels that the settings have an account for. Nothing is sent or received yet.
    pub fn connect(host: &Host) -> Result<Self, Failure> {
        let mut gateways: Vec<Arc<dyn Gateway>> = Vec::new();
        for kind in by_outbox() {
            if kind == ChannelKind::Telegram
                && let Some(gateway) = telegram::Gateway::connect(host)?
            {
                gateways.push(gateway);
            }
        }
        Ok(Self { gateways })
    }

    /// Listens, and works off what is on disk, for as long as the loops run.
    pub fn start(&self, loops: &Tasks) {
        for gateway in &self.gateways {
            Arc::clone(gateway).listen(loops);
            loops.spawn(Arc::clone(gateway.worker()).watch());
        }
    }

    /// Ends what could not finish, and notes that this process no longer listens.
    pub async fn stop(&self) {
        for gateway in &self.gateways {
            gateway.worker().wind_up().await;
            gateway.stop().await;
        }
    }

    /// Offers memories that wait for a yes.
    pub async fn offer_suggestions(&self) {
        for gateway in &self.gateways {
            if let Err(error) = gateway.worker().offer_suggestions().await {
                let channel = gateway.worker().kind.name();
                tracing::warn!(channel, %error, "offering suggested memories failed; retrying with the next jobs");
            }
        }
    }

    /// What the owner has to know about the connections.
    pub fn problems(&self) -> Vec<Problem> {
        self.gateways.iter().flat_map(|gateway| gateway.problems()).collect()
    }

    /// The matters of such problems.
    pub fn matters(&self) -> Vec<String> {
        self.gateways.iter().flat_map(|gateway| gateway.matters()).collect()
    }

    /// The worker of a chat's channel, if that is connected.
    pub fn worker(&self, chat: &ChatId) -> Option<&Arc<Worker>> {
        let kind = ChannelKind::of(chat)?;
        self.gateways.iter().map(|gateway| gateway.worker()).find(|worker| worker.kind == kind)
    }

    /// The sender of a chat's channel, if that is connected.
    pub fn sender(&self, chat: &ChatId) -> Option<&Arc<Sender>> {
        self.worker(chat).map(|worker| &worker.sender)
    }

    /// Each channel with an outbox: its name, whether it is connected, and its state as a person reads it.
    pub async fn states(&self) -> throughline_store::Result<Vec<(&'static str, bool, &'static str)>> {
        let mut states = Vec::new();
        for kind in by_outbox() {
            let connected = self.gateways.iter().find(|gateway| gateway.worker().kind == kind);
            states.push(match (connected, kind) {
                (Some(gateway), _) => (kind.name(), true, gateway.state().await?),
                (None, ChannelKind::Telegram) => (kind.name(), false, telegram::OFF),
                (None, _) => (kind.name(), false, "off"),
            });
        }
        Ok(states)
    }
}

fn by_outbox() -> impl Iterator<Item = ChannelKind> {
    ChannelKind::ALL.into_iter().filter(|kind| kind.sends() == Sends::ByOutbox)
}
