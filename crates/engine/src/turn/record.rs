//! Records a finished turn: reply, receipt, memories from the reply's tags and jobs in one transaction, which
//! releases the lane.

use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Context, Item, LayerName, Side};
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, MemoryId};
use throughline_domain::message::{Message, Role, Shortfall};
use throughline_domain::pending::PendingSlot;
use throughline_domain::turn::{LayerReceipt, Receipt, TurnId};
use throughline_models as models;
use throughline_store::memories::Learned;
use throughline_store::messages::{Appended, Purpose, Reference};
use throughline_store::outbox::NewOutboxItem;
use throughline_store::requests::RequestKey;
use throughline_store::routines::Run;
use throughline_store::turns::Answer;

use super::answer::{Answered, STOPPED, without_tags};
use super::gather::{ContextRequest, Prepared};
use super::{Outcome, problems};
use crate::ports::{Clock, SystemClock};
use crate::remember::PersonWords;
use crate::{Engine, Inbound, Result};

/// A recorded message of a program that brings its own model.
#[derive(Debug, Clone)]
pub struct RecordedReply {
    /// Its position in the store.
    pub appended: Appended,
    /// Its text; for a reply, without tags.
    pub text: String,
    /// The memories that its tags asked for and the person's words prove.
    pub memories: Vec<Memory>,
}

/// A finished turn before it is recorded.
pub struct FinishedTurn {
    /// The model's context.
    pub prepared: Prepared,
    /// The model's answer.
    pub answered: Answered,
    /// Milliseconds spent before the model was asked.
    pub own_ms: f64,
    /// The outbox items of the reply.
    pub outbox: Vec<NewOutboxItem>,
    /// The files passed to the model.
    pub files: Vec<Item>,
    /// The routine's run that the turn completes, and the metadata of its message.
    pub routine: Option<(Run, Map<String, Value>)>,
}

impl Engine {
    /// Records the reply as pending, with its receipt.
    ///
    /// # Errors
    /// If the reply cannot be a message or the store fails.
    pub async fn record_reply(
        &self,
        turn: TurnId,
        chat: &ChatId,
        lane: &Lane,
        agent: Option<&str>,
        finished: FinishedTurn,
    ) -> Result<Outcome> {
        let FinishedTurn { prepared, answered, own_ms, outbox, files, routine } = finished;
        let (run, metadata) = routine.unzip();
        let is_in_outbox = !outbox.is_empty();
        let context = &prepared.context;
        let mut degraded = prepared.degraded;
        degraded.extend(answered.answer.failures.iter().cloned());
        degraded.extend(answered.answer.cut.iter().map(|why| format!("the reply broke off: {why}")));
        let receipt = Receipt {
            preset: context.preset.as_str().to_owned(),
            model: answered.answer.model.clone(),
            thread: context.thread.as_str().to_owned(),
            budget: context.budget,
            tokens: context.tokens,
            layers: with_files(context.receipt(), files),
            tools: answered.tools,
            degraded,
            own_ms,
            model_ms: answered.model_ms,
        };
        let problems = problems(&answered.answer);
        let mut metadata = metadata.unwrap_or_default();
        if let Some(shortfall) = shortfall(&answered.answer) {
            metadata.insert(Shortfall::KEY.to_owned(), <&str>::from(shortfall).into());
        }
        let agent = self.settings.identities.agent(chat, agent).to_owned();
        let inbound = Inbound {
            role: Role::Assistant,
            text: answered.answer.text,
            agent: Some(agent),
            metadata,
            ..Inbound::in_chat(chat.clone())
        };
        let reply = self.message(inbound, lane.clone(), None)?;
        let learned = self.learned_from_tags(chat, &answered.tags, &person_words(context)).await;
        let learned = learned.unwrap_or_else(|error| {
            // The reply may have been seen, so it is recorded even if its tags fail.
            tracing::warn!(%error, "processing the reply's tags failed; recording the reply without them");
            Learned { at: self.now(), ..Learned::default() }
        });
        let answer = Answer {
            turn,
            pending: self.pending(prepared.pending, context, &reply),
            reply: reply.clone(),
            receipt: receipt.clone(),
            tells_uncertain: prepared.tells_uncertain,
            outbox,
            run,
            call: Some(answered.call),
            used: used_memories(context),
            learned,
            at: self.now(),
            now: SystemClock.now(),
        };
        self.store.record_answer(answer).await?;
        Ok(Outcome { turn, reply, receipt, usage: answered.answer.usage, problems, is_in_outbox })
    }

    /// Records a reply from the caller's own model. Its tags are removed and processed as in a turn.
    ///
    /// # Errors
    /// If the reply cannot be a message or the store fails.
    pub async fn record_external_reply(&self, inbound: Inbound) -> Result<RecordedReply> {
        self.record(inbound, Purpose::Record, None).await
    }

    /// Records a message of a program that brings its own model. The tags of a reply are removed and processed as in
    /// a turn. A repeated request with the same key changes nothing and returns the stored message.
    ///
    /// # Errors
    /// If it cannot be a message, its key was used for another request, or the store fails.
    pub async fn record(
        &self,
        inbound: Inbound,
        purpose: Purpose,
        request: Option<RequestKey>,
    ) -> Result<RecordedReply> {
        let chat = inbound.chat.clone();
        let (text, tags) = match inbound.role {
            Role::Assistant => without_tags(&inbound.text),
            _ => (inbound.text.clone(), Vec::new()),
        };
        let append = self.stored(Inbound { text, ..inbound }, purpose).await?;
        let text = append.message.text.clone();
        let mut learned = Learned { at: self.now(), ..Learned::default() };
        if !tags.is_empty() {
            let request = ContextRequest::new(chat.clone(), append.message.lane.clone());
            let said = person_words(&self.preview(request).await?);
            learned = self.learned_from_tags(&chat, &tags, &said).await?;
        }
        let new_id = append.message.id;
        let (appended, kept) = match request {
            Some(request) => self.store.append_once(append, learned, request).await?,
            None => self.store.append_reply(append, learned).await?,
        };
        // A repeated request returns the message as stored now, since parts of it may have been forgotten.
        let stored = match appended.id == new_id {
            true => None,
            false => self.store.chat(&chat).find(Reference::Id(appended.id)).await?,
        };
        let text = stored.map_or(text, |stored| stored.message.text);
        let mut memories = Vec::new();
        if !kept.is_empty() {
            let known = self.memories(&chat).await?.into_iter().map(|stored| stored.memory);
            memories.extend(known.filter(|memory| kept.contains(&memory.id)));
        }
        Ok(RecordedReply { appended, text, memories })
    }

    /// The question that waits for an answer: the reply's own, or the previous one unless it was answered or has
    /// expired.
    fn pending(
        &self,
        before: Option<PendingSlot>,
        context: &Context,
        reply: &Message,
    ) -> Option<PendingSlot> {
        let now = self.now();
        if let Some(asked) = PendingSlot::of(reply.id, &reply.text, now) {
            return Some(asked);
        }
        let message = context.message.as_ref().map(|current| current.text.as_str()).unwrap_or_default();
        before.filter(|slot| now < slot.expires_at && !slot.answers(message, now))
    }
}

/// Adds the attached files to the layers.
fn with_files(mut layers: Vec<LayerReceipt>, files: Vec<Item>) -> Vec<LayerReceipt> {
    let message = LayerName::Message.as_str();
    if let Some(layer) = layers.iter_mut().find(|layer| layer.name == message) {
        let tokens: u32 = files.iter().map(|file| file.tokens).fold(0, u32::saturating_add);
        layer.tokens = layer.tokens.saturating_add(tokens);
        layer.budget = layer.budget.saturating_add(tokens);
        layer.items.extend(files);
    }
    layers
}

fn shortfall(answer: &models::Answer) -> Option<Shortfall> {
    let stand_in = (!answer.failures.is_empty()).then_some(Shortfall::StandIn);
    let cut = |why: &String| if why == STOPPED { Shortfall::Stopped } else { Shortfall::Cut };
    answer.cut.as_ref().map(cut).or(stand_in)
}

/// The recalled memories in a context.
fn used_memories(context: &Context) -> Vec<MemoryId> {
    let recalled = context.recalled.iter().filter(|hit| hit.kind == "memory");
    recalled.filter_map(|hit| hit.id.parse().ok()).collect()
}

/// All words of the person in a context; only these prove a tag.
fn person_words(context: &Context) -> PersonWords {
    let said = context.said.iter().filter(|said| said.side == Side::Person);
    let said = said.map(|said| (&said.ids, said.text.as_str()));
    let now = context.message.iter().map(|current| (&current.ids, current.text.as_str()));
    let (ids, texts): (Vec<_>, Vec<_>) = said.chain(now).unzip();
    PersonWords { text: texts.join("\n"), ids: ids.into_iter().flatten().copied().collect() }
}
