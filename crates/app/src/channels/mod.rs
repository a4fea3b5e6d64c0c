//! The channels people write on. All channels share these files; the last row has the channels themselves.
//!
//! | file | does |
//! |---|---|
//! | [`lanes`] | processes a lane: turns, commands and pressed buttons, one at a time |
//! | [`pause`] | waits a moment for more messages before a turn |
//! | [`stops`] | stops a reply that is being written |
//! | [`commands`], [`answer`], [`phone`] | records and renders the answers of slash commands and buttons |
//! | [`suggestions`] | asks the person to confirm suggested memories |
//! | [`notices`] | notifies the owner of problems |
//! | [`outbox`] | sends waiting messages, chat by chat and in order |
//! | [`unfinished`] | notifies people of messages that may not have arrived, and marks replies that broke off |
//! | [`access`] | decides who is served; pairing |
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
use strum::VariantArray;
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

/// A message to send into a lane.
pub enum Draft<'a> {
    /// A reply, which is Markdown.
    Reply(&'a str),
    /// Plain text with buttons below.
    Text(&'a str, Vec<Choice>),
    /// A new text and new buttons for an earlier message, named by the channel's id.
    Change(&'a str, &'a str, Vec<Choice>),
    /// Plain text. If it does not fit into one message, a file with the whole text follows.
    Listing(&'a str),
    /// Output of a program, which may be Markdown; otherwise like a listing.
    Printed(&'a str),
    /// The whole reply for the message that shows its beginning, named by the channel's id.
    Whole(&'a str, &'a str),
    /// All messages of the chat, as a file.
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

/// Renders a draft as outbox items; none on a channel without an outbox.
pub fn compose(chat: &ChatId, lane: &Lane, draft: Draft<'_>) -> Vec<NewOutboxItem> {
    match ChannelKind::of(chat) {
        Some(ChannelKind::Telegram) => telegram::compose(chat, lane, draft),
        // Other channels show replies directly, or are only imported.
        _ => Vec::new(),
    }
}

/// A connected channel that receives updates and sends through the outbox.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// The worker, which all gateways have in common.
    fn worker(&self) -> &Arc<Worker>;

    /// Starts receiving, for as long as the loops run.
    fn listen(self: Arc<Self>, loops: &Tasks);

    /// The state in words, including whether anyone is served.
    async fn state(&self) -> throughline_store::Result<&'static str>;

    /// Problems of the connection for the owner.
    fn problems(&self) -> Vec<Problem>;

    /// The subjects of all problems that a connection may have.
    fn subjects(&self) -> Vec<String>;

    /// Writes to disk that this process no longer receives.
    async fn stop(&self);
}

/// The parts of this process that every channel uses.
#[derive(Clone)]
pub struct Host {
    pub app: Arc<App>,
    pub engine: Engine,
    /// Tasks that may finish after the process was asked to stop.
    pub tasks: Tasks,
    /// Wakes the worker of background jobs.
    pub jobs: Arc<Notify>,
    /// The replies that are being written.
    pub stops: Arc<Stops>,
}

/// The connected channels.
#[derive(Clone)]
pub struct Channels {
    gateways: Vec<Arc<dyn Gateway>>,
}

impl Channels {
    /// Connects the channels that have an account in the settings. Nothing is sent or received yet.
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

    /// Receives updates and processes the queue on disk, for as long as the loops run.
    pub fn start(&self, loops: &Tasks) {
        for gateway in &self.gateways {
            Arc::clone(gateway).listen(loops);
            loops.spawn(Arc::clone(gateway.worker()).watch());
        }
    }

    /// Ends unfinished work, and writes to disk that this process no longer receives.
    pub async fn stop(&self) {
        for gateway in &self.gateways {
            gateway.worker().end_unfinished().await;
            gateway.stop().await;
        }
    }

    /// Asks people to confirm suggested memories.
    pub async fn offer_suggestions(&self) {
        for gateway in &self.gateways {
            if let Err(error) = gateway.worker().offer_suggestions().await {
                let channel = gateway.worker().kind.name();
                tracing::warn!(channel, %error, "offering suggested memories failed; retrying with the next jobs");
            }
        }
    }

    /// Problems of the connections for the owner.
    pub fn problems(&self) -> Vec<Problem> {
        self.gateways.iter().flat_map(|gateway| gateway.problems()).collect()
    }

    /// The subjects of all problems that a connection may have.
    pub fn subjects(&self) -> Vec<String> {
        self.gateways.iter().flat_map(|gateway| gateway.subjects()).collect()
    }

    /// The worker of a chat's channel, if the channel is connected.
    pub fn worker(&self, chat: &ChatId) -> Option<&Arc<Worker>> {
        let kind = ChannelKind::of(chat)?;
        self.gateways.iter().map(|gateway| gateway.worker()).find(|worker| worker.kind == kind)
    }

    /// The sender of a chat's channel, if the channel is connected.
    pub fn sender(&self, chat: &ChatId) -> Option<&Arc<Sender>> {
        self.worker(chat).map(|worker| &worker.sender)
    }

    /// Each channel with an outbox: its name, whether it is connected, and its state in words.
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
    ChannelKind::VARIANTS.iter().copied().filter(|kind| kind.sends() == Sends::ByOutbox)
}
