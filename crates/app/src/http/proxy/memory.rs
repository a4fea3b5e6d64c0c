//! Records the newest message of a request, and recalls memories for it. When a client sends a message again, it gets
//! the same additions as before: the prompt's beginning stays the same for the provider's cache, and no memory appears
//! twice.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::context::{Context, Current, Format, LayerName, Preset, Window};
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role, admit};
use throughline_engine::turn::gather::{ContextRequest, Tags};
use throughline_engine::{Engine, Error, Inbound};
use throughline_store::messages::{Purpose, Reach, Reference};
use throughline_text::redact::redact;

use super::request::{Additions, ClientRequest};
use super::{Caller, Proxy};
use crate::http::error::ApiError;

/// The introduction of the layers that follow the system text.
const INTRODUCTION: &str = "What is remembered of this person from earlier conversations follows. It is background: use it where it helps.";
/// Maximum number of messages whose notes are kept.
const MAX_NOTES: usize = 2_048;
/// How far back stored messages are compared with those that the client sends.
const LOOK_BACK: Reach = Reach { tokens: 40_000, older: 40_000, messages: 400, longest: 1_000, head: 0 };

/// The options of one request.
pub struct RequestOptions<'a> {
    pub chat: &'a ChatId,
    /// Whether the messages may be recorded.
    pub may_store: bool,
    /// Whether the client's library repeats an earlier request.
    pub is_retry: bool,
    /// Maximum number of tokens that memory adds.
    pub budget: u32,
}

/// The newest message of a request on its way to the provider.
pub struct ProxiedMessage {
    pub key: Key,
    pub may_store: bool,
    /// The id of the message, if it is recorded.
    pub message: Option<MessageId>,
}

/// The hash of a chat and of the person's messages in a conversation up to one message.
pub type Key = [u8; 32];

/// The additions to a message that a client sent.
#[derive(Clone)]
struct Note {
    message: Option<MessageId>,
    is_answered: bool,
    /// The text added before the message.
    head: String,
    /// The text added after the system text, from this message on.
    system: Option<String>,
    /// The messages that the additions contain.
    shown: Vec<MessageId>,
    /// The number of forgettings in the chat when the note was made; a later one makes the additions stale.
    forgettings: u64,
    used: Instant,
}

/// The notes of the most recently used messages.
#[derive(Default)]
pub struct Notes {
    by_key: Mutex<HashMap<Key, Note>>,
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Note>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The notes of messages, without their additions if something was forgotten since.
    fn find(&self, keys: &[Key], forgettings: u64) -> Vec<Option<Note>> {
        let notes = self.lock();
        let current = |note: &Note| match note.forgettings == forgettings {
            true => note.clone(),
            false => Note { head: String::new(), system: None, ..note.clone() },
        };
        keys.iter().map(|key| notes.get(key).map(current)).collect()
    }

    fn keep(&self, key: Key, note: Note) {
        let mut notes = self.lock();
        notes.insert(key, note);
        if notes.len() > MAX_NOTES {
            let oldest = notes.iter().min_by_key(|(_, note)| note.used).map(|(key, _)| *key);
            oldest.and_then(|key| notes.remove(&key));
        }
    }

    fn use_again(&self, keys: &[Key]) {
        let (mut notes, now) = (self.lock(), Instant::now());
        for key in keys {
            if let Some(note) = notes.get_mut(key) {
                note.used = now;
            }
        }
    }

    /// Marks a message as answered: if it comes again, the person has said it again.
    pub fn answered(&self, key: &Key) {
        if let Some(note) = self.lock().get_mut(key) {
            note.is_answered = true;
        }
    }
}

impl Proxy {
    /// Records the newest message, and returns what memory adds to the request.
    pub async fn recall(
        &self,
        caller: &Caller,
        client: &ClientRequest,
        options: RequestOptions<'_>,
    ) -> Result<(ProxiedMessage, Additions), ApiError> {
        let (engine, chat) = (&caller.engine, options.chat);
        let keys = keys(chat, client);
        let key = keys.last().copied().unwrap_or_default();
        let forgettings = engine.store.chat(chat).forgettings().await?;
        let mut notes = self.notes.find(&keys, forgettings);
        let known = notes.pop().flatten();
        let is_same =
            client.is_continued || options.is_retry || known.as_ref().is_some_and(|note| !note.is_answered);
        let known = known.filter(|_| is_same);
        let mut message = known.as_ref().and_then(|note| note.message);
        if options.may_store && message.is_none() {
            message = record(engine, chat, client.newest(), &key, is_same).await?;
            self.web.host.jobs.notify_one();
        }
        let gap = Duration::try_from(engine.settings.gap).unwrap_or_default();
        let is_live = |note: &&Note| note.used.elapsed() < gap;
        let before: Vec<&Note> = notes.iter().flatten().collect();
        let system = before.iter().copied().filter(is_live).rev().find_map(|note| note.system.clone());
        let note = match known.filter(|note| note.system.is_some() || system.is_some()) {
            Some(note) => Note { message, ..note },
            None => {
                let shown =
                    before.iter().flat_map(|note| note.shown.iter().copied()).chain(message).collect();
                let context = self.context(engine, client, &options, shown).await;
                self.new_note(context, message, forgettings, client.is_first, system.is_none())
            }
        };
        let heads = client.person.iter().zip(&notes);
        let mut heads: Vec<(usize, String)> =
            heads.filter_map(|((at, _), note)| note.as_ref().map(|note| (*at, note.head.clone()))).collect();
        heads.extend(client.person.last().map(|(at, _)| (*at, note.head.clone())));
        let system = note.system.clone().or(system).unwrap_or_default();
        self.notes.keep(key, note);
        self.notes.use_again(&keys);
        let proxied = ProxiedMessage { key, may_store: options.may_store, message };
        Ok((proxied, Additions { system, heads }))
    }

    /// The context of the newest message, without the messages that the client sends itself. If the context cannot be
    /// assembled, the request is passed on without it.
    async fn context(
        &self,
        engine: &Engine,
        client: &ClientRequest,
        options: &RequestOptions<'_>,
        mut known_ids: HashSet<MessageId>,
    ) -> Option<Context> {
        let chat = options.chat;
        let mut plan = self.web.host.app.plan(Preset::Standard);
        plan = plan.with_budget(options.budget.min(plan.budget));
        for layer in [LayerName::Policy, LayerName::Identity] {
            plan.caps = plan.caps.with(layer, 0);
        }
        if !client.is_first {
            plan.window = Window::Last { messages: 0 };
        }
        let context = async {
            known_ids.extend(sent_by_client(engine, chat, client).await?);
            let text = admit(client.newest().to_owned(), Role::User)?;
            let ids = known_ids.into_iter().collect();
            let message = Some(Current { ids, text: redact(&text).into_owned(), speaker: None });
            let request = ContextRequest {
                message,
                plan: Some(plan),
                format: Some(Format::Xml),
                tags: Tags::LeftOut,
                ..ContextRequest::new(chat.clone(), Lane::Root)
            };
            engine.preview(request).await
        };
        let context = context.await;
        context
            .inspect_err(|error| tracing::warn!(%error, %chat, "context failed; passing the request on without memory"))
            .ok()
    }

    fn new_note(
        &self,
        context: Option<Context>,
        message: Option<MessageId>,
        forgettings: u64,
        is_first: bool,
        wants_system: bool,
    ) -> Note {
        let (mut head, mut system, mut shown) = (String::new(), None, Vec::new());
        if let Some(context) = context {
            let layers = |names: &[LayerName]| -> String {
                let texts =
                    names.iter().filter_map(|name| context.layer(*name)).map(|layer| layer.text.as_str());
                texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
            };
            head = match is_first {
                true => layers(&[LayerName::Memories, LayerName::Recent]),
                false => layers(&[LayerName::Memories]),
            };
            if wants_system {
                let layers = layers(&[LayerName::Profile, LayerName::Summaries]);
                system = Some(if layers.is_empty() { layers } else { format!("{INTRODUCTION}\n\n{layers}") });
            }
            let window = context.said.iter().filter(|_| is_first).flat_map(|said| said.ids.iter().copied());
            let recalled = context.recalled.iter().flat_map(|hit| hit.messages.iter().copied());
            shown = window.chain(recalled).collect();
        }
        Note { message, is_answered: false, head, system, shown, forgettings, used: Instant::now() }
    }
}

/// The key of each message of a person.
fn keys(chat: &ChatId, client: &ClientRequest) -> Vec<Key> {
    let mut so_far = blake3::Hasher::new();
    so_far.update(chat.as_str().as_bytes());
    let key = |(_, text): &(usize, String)| {
        so_far.update(&(text.len() as u64).to_le_bytes());
        so_far.update(text.as_bytes());
        *so_far.finalize().as_bytes()
    };
    client.person.iter().map(key).collect()
}

/// Records a message, unless an earlier process has recorded the same one.
async fn record(
    engine: &Engine,
    chat: &ChatId,
    text: &str,
    key: &Key,
    is_same: bool,
) -> Result<Option<MessageId>, ApiError> {
    let id = format!("proxy:{}", blake3::Hash::from_bytes(*key).to_hex());
    let found = engine.store.chat(chat).find(Reference::from(id.as_str())).await?;
    let external_ids = match found {
        Some(stored) if is_same => return Ok(Some(stored.message.id)),
        Some(_) => Vec::new(),
        None => vec![id],
    };
    let inbound = Inbound {
        text: text.to_owned(),
        lane: Some(Lane::Root),
        external_ids,
        ..Inbound::in_chat(chat.clone())
    };
    match engine.record_message(inbound, Purpose::Record).await {
        Ok(appended) => Ok(Some(appended.id)),
        // The provider may accept what cannot be recorded here, such as a text of a megabyte.
        Err(Error::Unrecordable(error)) => {
            tracing::warn!(%error, %chat, "proxied message cannot be recorded; passing it on");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The stored messages that the client sends itself.
async fn sent_by_client(
    engine: &Engine,
    chat: &ChatId,
    client: &ClientRequest,
) -> throughline_engine::Result<Vec<MessageId>> {
    let sent: HashSet<&str> =
        client.person.iter().map(|(_, text)| text).chain(&client.assistant).map(|text| text.trim()).collect();
    let view = engine.store.chat(chat).lane(&Lane::Root, LOOK_BACK, HashSet::new()).await?;
    let messages = view.history.messages.into_iter().map(|stored| stored.message);
    Ok(messages.filter(|message| sent.contains(message.text.trim())).map(|message| message.id).collect())
}
