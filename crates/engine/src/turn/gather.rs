//! Collects what the context could hold, best first. Fitting it into the budget is the domain's business.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{
    Context, ContextInputs, Current, Focus, Format, History, LayerName, OLDER_FOR_THE_PRESENT, Older, Plan,
    SpeakerPart, TooLong, Window, assemble,
};
use throughline_domain::conversation::Thread;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, MemoryId, Status};
use throughline_domain::message::{Message, MessageId, Quote, Role};
use throughline_domain::pending::PendingSlot;
use throughline_domain::profile::{self, Beginning, DatedMemory};
use throughline_store::memories::StoredMemory;
use throughline_store::messages::{LaneView, Reach, Reference};
use throughline_text::generic::is_generic;
use throughline_text::intent::has_subject;
use throughline_text::question::{self, NamedSpeaker};
use throughline_text::relate::{Relation, relate};
use throughline_text::tokens::estimate;

use crate::identity::{BOOTSTRAP, POLICY};
use crate::recall::{
    PieceHit, Question, QuestionVector, Told, asks_memory, one_ranking, pieces_worth_telling,
    topic_asked_for, without_topics, worth_telling,
};
use crate::{Capture, Engine, Inbound, Result};

/// The policy, and the tags by which the assistant asks to keep something.
const POLICY_AND_TAGS: &str =
    concat!(include_str!("../../prompts/policy.md"), include_str!("../../prompts/tags.md"));
/// Maximum length of a question that a notice repeats, in characters.
const LONGEST_QUESTION: usize = 200;
/// The cost of a short message as a hit: a turn asks for as many hits as could fit, and for no fewer than some.
const TOKENS_PER_HIT: u32 = 30;
const FEWEST_HITS: u32 = 24;
/// A conversation is about the past if the words that open it ask for something remembered at least this likely.
const ABOUT_THE_PAST: f32 = 0.3;

/// Tells the model that it answers several people at once.
const SEVERAL_WROTE: &str =
    "Several people wrote at the same time. Answer each of them in one reply, and name whom you answer.";

/// A request for a context.
#[derive(Debug, Clone)]
pub struct ContextRequest {
    /// The chat.
    pub chat: ChatId,
    /// The lane.
    pub lane: Lane,
    /// The person's message.
    pub message: Option<Current>,
    /// The message it replies to.
    pub reply_to: Option<MessageId>,
    /// The words it quotes, if the channel passed them on.
    pub quote: Option<Quote>,
    /// The parts of the message by speaker, if several people wrote it.
    pub speaker_parts: Vec<SpeakerPart>,
    /// The agent asked for.
    pub agent: Option<String>,
    /// A plan in place of the settings'.
    pub plan: Option<Plan>,
    /// A format in place of the settings'.
    pub format: Option<Format>,
    /// Whether the policy teaches the tags by which the assistant asks to keep something.
    pub tags: Tags,
    /// Messages that the reader has already: neither the window nor what is recalled shows them.
    pub except: Vec<MessageId>,
    /// What becomes of a match that may be about something else.
    pub weak_matches: WeakMatches,
}

/// What becomes of a match that may be about something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeakMatches {
    /// A question gets the best few, marked as uncertain.
    Told,
    /// It is left out.
    LeftOut,
}

/// Whether a context teaches the tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// If the settings let memories be captured.
    Taught,
    /// Never.
    LeftOut,
}

impl ContextRequest {
    /// The context of a lane without a message.
    #[must_use]
    pub fn new(chat: ChatId, lane: Lane) -> Self {
        Self {
            chat,
            lane,
            message: None,
            reply_to: None,
            quote: None,
            speaker_parts: Vec::new(),
            agent: None,
            plan: None,
            format: None,
            tags: Tags::Taught,
            except: Vec::new(),
            weak_matches: WeakMatches::Told,
        }
    }
}

/// A context, and what is missing in it because something failed.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The context.
    pub context: Arc<Context>,
    /// The parts that failed.
    pub degraded: Vec<String>,
    /// The assistant's question that waits for an answer.
    pub pending: Option<PendingSlot>,
    /// Whether the context says that a message may not have been seen.
    pub tells_uncertain: bool,
}

impl Engine {
    /// Gathers and assembles. A memory that cannot be read makes the context smaller, not the turn fail.
    ///
    /// # Errors
    /// When what must be kept does not fit.
    pub async fn prepare(&self, request: ContextRequest) -> Result<Prepared> {
        let plan = request.plan.unwrap_or(self.settings.plan);
        self.check_limit(request.message.as_ref(), plan.budget)?;
        let mut degraded = Vec::new();
        let asked = request.message.as_ref().map(|message| without_topics(&message.text)).unwrap_or_default();
        let recall = async {
            let vector = match &request.message {
                Some(_) => self.question_vector(&asked).await,
                None => Ok(None),
            };
            tokio::join!(self.hits(&request, &asked, &vector, &plan), self.known(&request, &asked, &vector))
        };
        let (view, (recalled, (known, pieces)), quoted) =
            tokio::join!(self.view(&request, &plan), recall, self.quoted(&request));
        let view = or_less(view, "history", &mut degraded);
        let mut messages = or_less(recalled, "recall", &mut degraded);
        if request.weak_matches == WeakMatches::LeftOut && !messages.is_certain {
            messages = Told { speakers: messages.speakers, ..Told::default() };
        }
        let pieces = or_less(pieces, "recall of memories", &mut degraded);
        let quoted = or_less(quoted, "quote", &mut degraded);
        let known = or_less(known, "memories", &mut degraded);
        let identity = or_less(self.identity(&request), "identity", &mut degraded);
        let now = self.now();
        let thread = Thread::at(now, last_said(&view.history), self.settings.gap);
        let began = conversation_start(&view.history, thread);
        let profile = or_less(self.profile_at(&request.chat, &known, began).await, "profile", &mut degraded);
        let said = request.message.as_ref().map_or("", |message| message.text.as_str());
        let mut pieces = pieces_worth_telling(pieces, &request.lane, &profile, said);
        let is_had = |id: &MessageId| request.except.contains(id);
        pieces.retain(|piece| piece.messages.is_empty() || !piece.messages.iter().all(is_had));
        let match_is_certain = messages.is_certain || request.weak_matches == WeakMatches::LeftOut;
        let focus = self.focus(&view.history, thread, said, &messages.speakers);
        let recalled = one_ranking(pieces, messages);
        let answered = match (&view.pending, &request.message) {
            (Some(slot), Some(message)) if slot.answers(&message.text, now) => Some(slot.question),
            _ => None,
        };
        let mut notices = unseen_notices(view.uncertain, view.refused);
        notices.extend(self.question_notice(&request.chat, answered, view.last_reply.as_ref()).await);
        notices.extend((!request.speaker_parts.is_empty()).then(|| SEVERAL_WROTE.to_owned()));
        notices.extend(unclear_notice(&known, self.settings.same_similarity));
        let inputs = ContextInputs {
            now,
            zone: self.settings.zone.clone(),
            person: self.settings.person.clone().filter(|_| self.settings.people.is_owners(&request.chat)),
            policy: self.policy(&identity, request.tags),
            identity,
            profile: Some(profile).filter(|text| !text.is_empty()),
            notices,
            history: view.history,
            summaries: view.summaries,
            recalled,
            match_is_certain,
            focus,
            quoted,
            last_reply: view.last_reply,
            message: request.message,
        };
        let format = request.format.unwrap_or(self.settings.format);
        let context = assemble(&inputs, &plan, format, thread)?;
        // The layers that must be kept may have raised the budget.
        self.check_limit(context.message.as_ref(), context.budget)?;
        let context = Arc::new(Context { speaker_parts: request.speaker_parts, ..context });
        Ok(Prepared {
            context,
            degraded,
            pending: view.pending,
            tells_uncertain: view.uncertain + view.refused > 0,
        })
    }

    /// The message is never cut, so it must leave room for the budget.
    fn check_limit(&self, message: Option<&Current>, budget: u32) -> Result<()> {
        let needed = message.map_or(0, |message| estimate(&message.text)).saturating_add(budget);
        let most = self.settings.model_limit;
        if needed > most { Err(TooLong { needed, most }.into()) } else { Ok(()) }
    }

    async fn view(&self, request: &ContextRequest, plan: &Plan) -> Result<LaneView> {
        let current = request.message.iter().flat_map(|message| &message.ids);
        let except: HashSet<MessageId> = current.chain(&request.except).copied().collect();
        Ok(self.store.chat(&request.chat).lane(&request.lane, reach(plan), except).await?)
    }

    async fn hits(
        &self,
        request: &ContextRequest,
        asked: &str,
        vector: &QuestionVector,
        plan: &Plan,
    ) -> Result<Told> {
        let Some(message) = &request.message else { return Ok(Told::default()) };
        let room = plan.caps.of(LayerName::Memories).min(plan.budget);
        let lane = topic_asked_for(&message.text);
        let question = Question {
            text: asked.to_owned(),
            everything: lane.is_some(),
            lane,
            except: [message.ids.as_slice(), &request.except].concat(),
            limit: (room / TOKENS_PER_HIT).max(FEWEST_HITS) as usize,
            ..Question::default()
        };
        let found = self.recall_by(&request.chat, question, vector).await?;
        let told = worth_telling(found, &request.lane, &message.text);
        self.with_questions(&request.chat, &request.lane, told).await
    }

    /// The memories, and those of them and of the summaries that match the message.
    async fn known(
        &self,
        request: &ContextRequest,
        asked: &str,
        vector: &QuestionVector,
    ) -> (Result<Vec<StoredMemory>>, Result<Vec<PieceHit>>) {
        let known = self.memories(&request.chat).await;
        let pieces = match (&known, &request.message) {
            (Ok(known), Some(_)) => {
                self.recall_for_turn(&request.chat, &request.lane, known, asked, vector).await
            }
            _ => Ok(Vec::new()),
        };
        (known, pieces)
    }

    /// The identity. What it says about the owner is shown to the owner alone.
    fn identity(&self, request: &ContextRequest) -> Result<Vec<(String, String)>> {
        let mut files = self.settings.identities.read(&request.chat, request.agent.as_deref())?;
        if !self.settings.people.is_owners(&request.chat) {
            files.retain(|(name, _)| !crate::identity::OF_THE_OWNER.contains(&name.as_str()));
        }
        Ok(files)
    }

    /// The policy, with the tags for keeping something if the settings allow them; none while there is a bootstrap.
    fn policy(&self, identity: &[(String, String)], tags: Tags) -> Cow<'static, str> {
        if identity.iter().any(|(name, _)| name == BOOTSTRAP) {
            return Cow::Borrowed("");
        }
        match self.settings.capture {
            Capture::Auto | Capture::Suggest if tags == Tags::Taught => Cow::Borrowed(POLICY_AND_TAGS),
            _ => Cow::Borrowed(POLICY),
        }
    }

    /// The profile at the beginning of the ongoing conversation, or now if there is none. During a conversation it changes
    /// only if a person asks to remember or forget something.
    pub(crate) async fn profile_at(
        &self,
        chat: &ChatId,
        known: &[StoredMemory],
        began: Option<Beginning>,
    ) -> Result<String> {
        let person = self.settings.people.of(chat);
        let moment = began.map_or(Timestamp::MAX, |began| began.at);
        let narrative = self.store.chat(chat).narrative(person.as_deref(), moment).await?;
        let by_hand: HashSet<MemoryId> =
            known.iter().filter(|kept| !kept.memory.extracted).map(|kept| kept.memory.id).collect();
        let held: Vec<&Memory> = known
            .iter()
            .filter(|kept| {
                let memory = &kept.memory;
                let standing = DatedMemory {
                    memory,
                    learned_at: kept.learned_at,
                    changed_at: kept.changed_at,
                    learned_after: kept.learned_after,
                    closed_by_hand: memory.superseded_by.is_some_and(|by| by_hand.contains(&by)),
                };
                standing.held_at(began)
            })
            .map(|kept| &kept.memory)
            .collect();
        let today = began.map_or_else(|| self.now(), |began| began.at);
        let today = today.to_zoned(self.settings.zone.clone()).date();
        Ok(profile::write(&held, narrative.as_deref(), today, profile::MOST_TOKENS))
    }

    /// Where the conversation spends its budget, by the words that open it. Words that ask about the past and name nothing
    /// in it ("what was the plan?") ask for what was said last.
    fn focus(&self, history: &History, thread: Thread, message: &str, speakers: &[NamedSpeaker]) -> Focus {
        let opening = history.messages.iter().rposition(|stored| stored.opens);
        let live = opening.and_then(|opening| history.messages.get(opening..)).unwrap_or(&history.messages);
        let first = live.iter().filter(|_| thread == Thread::Continuation);
        let first = first
            .map(|stored| &stored.message)
            .find(|message| message.role == Role::User && !message.is_command());
        let opener = first.map_or(message, |first| first.text.as_str());
        let asked = question::read(opener, speakers, self.now(), &self.settings.zone);
        let names_subject = asked.terms.iter().any(|term| !is_generic(&term.text) && has_subject(&term.text));
        let asks = asks_memory(opener, !asked.about.is_empty());
        if names_subject && asks >= ABOUT_THE_PAST { Focus::Past } else { Focus::Present }
    }

    /// The question that the person's words seem to answer, unless it is the last message.
    async fn question_notice(
        &self,
        chat: &ChatId,
        question: Option<MessageId>,
        last_reply: Option<&Message>,
    ) -> Option<String> {
        let id = question.filter(|id| last_reply.is_none_or(|last| last.id != *id))?;
        let asked = self.store.chat(chat).find(Reference::Id(id)).await.ok().flatten()?;
        let text: String = asked.message.text.chars().take(LONGEST_QUESTION).collect();
        Some(format!("You asked earlier, and this message seems to answer it: {text}"))
    }

    /// The message replied to as it is stored; if it is not, or the person picked words of it, the words that the channel
    /// passed on.
    async fn quoted(&self, request: &ContextRequest) -> Result<Option<Message>> {
        let known = match request.reply_to {
            Some(id) => self.store.chat(&request.chat).find(Reference::Id(id)).await?,
            None => None,
        };
        let Some(quote) = request.quote.clone() else { return Ok(known.map(|stored| stored.message)) };
        Ok(Some(match known {
            Some(stored) => Message { text: quote.text, ..stored.message },
            None => self.elsewhere(request, quote)?,
        }))
    }

    fn elsewhere(&self, request: &ContextRequest, quote: Quote) -> Result<Message> {
        let inbound = Inbound {
            role: if quote.assistant { Role::Assistant } else { Role::User },
            text: quote.text,
            speaker: quote.speaker,
            at: quote.at,
            ..Inbound::in_chat(request.chat.clone())
        };
        self.message(inbound, request.lane.clone(), None)
    }
}

/// How far back the window of a plan can reach.
fn reach(plan: &Plan) -> Reach {
    let tokens = match plan.window {
        // Messages that must be kept have their own ceiling, and exceeding it must be an error.
        Window::Everything { ceiling, .. } => plan.budget.max(ceiling),
        _ => plan.history.unwrap_or(plan.budget),
    };
    let older = match plan.window {
        Window::Tiers { older: Older::ByRelevance, .. } => tokens / 100 * OLDER_FOR_THE_PRESENT,
        _ => tokens,
    };
    let (messages, head, longest) = match plan.window {
        Window::Tiers { .. } => (usize::MAX, tokens / 5, tokens / 4),
        Window::Last { messages } => (messages * 2 + 20, 0, tokens),
        Window::Tail => (usize::MAX, 0, tokens / 4),
        Window::Everything { .. } => (usize::MAX, 0, u32::MAX),
        Window::Exchanges { exchanges, .. } => (exchanges * 8, 0, u32::MAX),
    };
    Reach { tokens, older, messages, longest, head }
}

/// When the last message of the conversation was said. Commands are no part of it, and one of them ends it.
fn last_said(history: &History) -> Option<Timestamp> {
    let mut newest = history.messages.iter().rev().map(|stored| &stored.message);
    let decisive = newest.find(|message| !message.is_command() || message.starts_new_conversation())?;
    (!decisive.is_command()).then_some(decisive.occurred_at)
}

/// The beginning of the ongoing conversation.
fn conversation_start(history: &History, thread: Thread) -> Option<Beginning> {
    if thread != Thread::Continuation {
        return None;
    }
    let opening = history.messages.iter().rev().find(|stored| stored.opens);
    let first = opening.or(history.head.first()).or(history.messages.first())?;
    Some(Beginning { at: first.message.occurred_at, seq: first.seq })
}

/// Two statements that cannot both hold; the person decides which one does.
fn unclear_notice(known: &[StoredMemory], same: f32) -> Option<String> {
    let of = |status: Status| -> Vec<&Memory> {
        known.iter().map(|kept| &kept.memory).filter(|memory| memory.status == status).collect()
    };
    let active = of(Status::Active);
    let statements: Vec<_> = active.iter().map(|memory| memory.as_known()).collect();
    let new = of(Status::Suggested).into_iter().next_back()?;
    let Relation::Unclear(index) = relate(&new.as_known(), &statements, &|_| None, same) else { return None };
    let old = active.get(index)?;
    Some(format!(
        "Two things the person said do not fit together: {:?} and, later, {:?}. Ask which one holds.",
        old.text, new.text
    ))
}

/// What the model is told of replies that were not seen, or perhaps not.
fn unseen_notices(uncertain: u64, refused: u64) -> Vec<String> {
    let mut notices = Vec::new();
    if uncertain > 0 {
        notices.push(
            "It is not certain that your last reply here was seen: it broke off while it was being sent.",
        );
    }
    if refused > 0 {
        notices.push("Your last reply here was not seen, or not all of it: it could not be delivered.");
    }
    notices.into_iter().map(str::to_owned).collect()
}

/// Leaves out a part that failed, and says so in the receipt and the log.
fn or_less<T: Default>(part: Result<T>, name: &str, degraded: &mut Vec<String>) -> T {
    part.unwrap_or_else(|error| {
        tracing::warn!(part = name, %error, "reading a part of the context failed; continuing without it");
        degraded.push(format!("{name}: {error}"));
        T::default()
    })
}
