//! Summarizes a lane: each conversation that has ended, the whole lane if the preset's rule asks for it, and then the
//! chat from the summaries of its lanes. The messages stay unchanged.

use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::compact::{
    Measure, Rule, chunk_cap, due, extractive, lane_cap, span_cap, transcript,
};
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::summary::{End, Position, Scope, Summary};
use throughline_models::Work;
use throughline_store::InChat;
use throughline_store::jobs::Job;
use throughline_text::summarize::{Sections, merged};

use super::{Failed, Outcome, Ran};
use crate::work::{WorkError, is_temporary};
use crate::{Engine, Result};

/// Number of messages per request to the model.
const MESSAGES_PER_STEP: usize = 120;
/// Number of messages read from the store at once.
const PAGE: usize = 2_000;
/// Maximum number of messages in a span that a model summarizes; longer spans would cost too much.
const MAX_FOR_MODEL: u64 = 400;
/// Number of failed attempts after which sentences are picked without a model.
const MAX_ATTEMPTS: u32 = 3;
/// Maximum length of a model's answer, in tokens.
const MAX_ANSWER_TOKENS: u32 = 1_500;
pub(crate) const INSTRUCTIONS: &str = include_str!("../../prompts/compact.md");

/// The lane to summarize.
struct Compaction<'a> {
    engine: &'a Engine,
    in_chat: InChat,
    chat: ChatId,
    lane: Lane,
    attempts: u32,
    until: Instant,
}

/// Writes the due summaries of a lane.
pub(super) async fn run(engine: &Engine, job: &Job, until: Instant) -> Ran {
    let Some((chat, lane)) = engine.store.lane_to_compact(&job.subject).await? else {
        return Ok(Outcome::Done);
    };
    let in_chat = engine.store.chat(&chat).watching().await?;
    let lane = Compaction { engine, in_chat, chat, lane, attempts: job.attempts, until };
    lane.renew().await?;
    let is_ongoing = lane.summarize_conversations().await?;
    lane.compact().await?;
    lane.summarize_chat().await?;
    if Instant::now() >= until {
        return Ok(Outcome::Unfinished);
    }
    let gap = Duration::try_from(engine.settings.gap).unwrap_or(Duration::from_secs(1_800));
    Ok(if is_ongoing { Outcome::Postponed(gap) } else { Outcome::Done })
}

impl Compaction<'_> {
    /// Rewrites the summaries whose messages have changed; the lane's own comes last, because it is merged from the
    /// others.
    async fn renew(&self) -> std::result::Result<(), Failed> {
        let mut summaries = self.in_chat.summaries(&self.lane).await?;
        summaries.retain(|summary| summary.stale);
        summaries.sort_by_key(|summary| summary.scope);
        for summary in summaries {
            if Instant::now() >= self.until {
                break;
            }
            let messages = self.span(&summary).await?;
            let sections = match summary.scope {
                Scope::Conversation => self.sections_of_span(&messages, span_cap).await?,
                Scope::Chunk => self.sections_of_span(&messages, chunk_cap).await?,
                Scope::Lane | Scope::Chat => self.carried(&messages, None).await?,
            };
            let renewed = Summary {
                text: sections.render(),
                sections,
                messages: messages.len() as u64,
                updated_at: self.engine.now(),
                ..summary
            };
            self.in_chat.rewrite_summary(renewed).await?;
        }
        Ok(())
    }

    async fn span(&self, summary: &Summary) -> Result<Vec<StoredMessage>> {
        let mut messages: Vec<StoredMessage> = Vec::new();
        let first = summary.first.position;
        let mut after = Position { seq: first.seq.saturating_sub(1), ..first };
        loop {
            let page = self.in_chat.following(&self.lane, Some(after), PAGE).await?;
            let within = page.iter().take_while(|stored| stored.position() <= summary.last.position);
            let before = messages.len();
            messages.extend(within.cloned());
            match messages.last() {
                Some(last) if messages.len() - before == PAGE => after = last.position(),
                _ => return Ok(messages),
            }
        }
    }

    /// Summarizes each conversation that has ended. Returns true if one is still ongoing.
    async fn summarize_conversations(&self) -> std::result::Result<bool, Failed> {
        while Instant::now() < self.until {
            let watermark = self.in_chat.watermark(&self.lane, Scope::Conversation).await?;
            let page = self.in_chat.following(&self.lane, watermark, PAGE).await?;
            let conversations: Vec<&[StoredMessage]> = page.chunk_by(|_, next| !next.opens).collect();
            let Some((last, ended)) = conversations.split_last() else { return Ok(false) };
            for messages in ended {
                self.summarize(messages).await?;
            }
            if !ended.is_empty() {
                continue;
            }
            // The page contains one conversation, which is longer than a page.
            let Some(first) = last.first() else { return Ok(false) };
            let mut messages = self.in_chat.conversation(first.message.id).await?;
            // If an import ended inside the conversation, its beginning is already summarized.
            messages.retain(|stored| watermark.is_none_or(|watermark| stored.position() > watermark));
            let Some(newest) = messages.last() else { return Ok(false) };
            let silence = self.engine.now().duration_since(newest.message.occurred_at);
            let is_newest = page.len() < PAGE || messages.len() >= page.len();
            if is_newest && silence < self.engine.settings.gap {
                return Ok(true);
            }
            self.summarize(&messages).await?;
        }
        Ok(false)
    }

    async fn summarize(&self, messages: &[StoredMessage]) -> std::result::Result<(), Failed> {
        let sections = self.sections_of_span(messages, span_cap).await?;
        Ok(self.add(Scope::Conversation, messages, sections, None, 1).await?)
    }

    /// Writes the lane summaries that the preset's rule asks for.
    async fn compact(&self) -> std::result::Result<(), Failed> {
        let Some(rule) = self.engine.settings.compaction else { return Ok(()) };
        let scope = if rule.chunk.is_some() { Scope::Chunk } else { Scope::Lane };
        while Instant::now() < self.until {
            let before = self.newest(scope).await?;
            let watermark = self.in_chat.watermark(&self.lane, scope).await?;
            let page = self.in_chat.following(&self.lane, watermark, PAGE).await?;
            let Some(range) = self.due(&rule, &page, before.as_ref()) else { return Ok(()) };
            let messages = page.get(range).unwrap_or_default();
            let previous = before.as_ref().filter(|_| scope == Scope::Lane);
            // Messages imported for search only may lie in between; the new summary does not cover them.
            let adjoins =
                |summary: &&Summary| watermark.is_none_or(|watermark| watermark <= summary.last.position);
            let version = previous.map_or(1, |summary| summary.version + 1);
            let sections = match scope {
                Scope::Conversation => self.sections_of_span(messages, span_cap).await?,
                Scope::Chunk => self.sections_of_span(messages, chunk_cap).await?,
                Scope::Lane | Scope::Chat => self.carried(messages, previous).await?,
            };
            let previous = previous.filter(adjoins);
            self.add(scope, messages, sections, previous, version).await?;
        }
        Ok(())
    }

    /// Merges the lanes' summaries into the chat's, if there are several lanes.
    async fn summarize_chat(&self) -> Result<()> {
        let mut all = self.in_chat.all_summaries().await?;
        let before = all.pop_if(|(_, summary)| summary.scope == Scope::Chat).map(|(_, summary)| summary);
        all.retain(|(_, summary)| !summary.text.is_empty());
        let mut lanes: Vec<&[(Lane, Summary)]> = all.chunk_by(|one, next| one.0 == next.0).collect();
        let newest =
            |summaries: &[(Lane, Summary)]| summaries.iter().map(|(_, summary)| summary.last.position).max();
        lanes.sort_by_key(|summaries| newest(summaries));
        if lanes.len() < 2 {
            return Ok(());
        }
        let (mut sections, mut messages) = (Sections::default(), 0);
        for summaries in &lanes {
            for (_, summary) in outermost(summaries) {
                messages += summary.messages;
                sections = merged(&sections, summary.sections.clone(), lane_cap(messages));
            }
        }
        let ends = || all.iter().flat_map(|(lane, summary)| [(lane, summary.first), (lane, summary.last)]);
        let Some((_, first)) = ends().min_by_key(|(_, end)| end.position) else { return Ok(()) };
        let Some((lane, last)) = ends().max_by_key(|(_, end)| end.position) else { return Ok(()) };
        let is_same = |old: &Summary| {
            !old.stale
                && old.sections == sections
                && (old.first, old.last, old.messages) == (first, last, messages)
        };
        if before.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        let summary = Summary {
            id: self.engine.ids.next(),
            scope: Scope::Chat,
            text: sections.render(),
            sections,
            messages,
            first,
            last,
            version: before.map_or(1, |summary| summary.version + 1),
            updated_at: self.engine.now(),
            made_after: 0,
            stale: false,
        };
        Ok(self.in_chat.add_summary(lane, summary).await?)
    }

    fn due(
        &self,
        rule: &Rule,
        page: &[StoredMessage],
        before: Option<&Summary>,
    ) -> Option<std::ops::Range<usize>> {
        let measures: Vec<Measure> = page
            .iter()
            .map(|stored| Measure { at: stored.message.occurred_at, tokens: stored.tokens })
            .collect();
        due(rule, &measures, self.engine.now(), before.map(|summary| summary.updated_at))
    }

    async fn newest(&self, scope: Scope) -> Result<Option<Summary>> {
        let all = self.in_chat.summaries(&self.lane).await?;
        Ok(all
            .into_iter()
            .filter(|summary| summary.scope == scope)
            .max_by_key(|summary| summary.last.position))
    }

    /// Stores the summary of a span. A span without anything worth keeping gets an empty summary, which marks it as
    /// done.
    async fn add(
        &self,
        scope: Scope,
        messages: &[StoredMessage],
        sections: Sections,
        previous: Option<&Summary>,
        version: u32,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (messages.first(), messages.last()) else { return Ok(()) };
        let end = |stored: &StoredMessage| End { id: stored.message.id, position: stored.position() };
        let summary = Summary {
            id: self.engine.ids.next(),
            scope,
            text: sections.render(),
            sections,
            messages: messages.len() as u64 + previous.map_or(0, |summary| summary.messages),
            first: previous.map_or(end(first), |summary| summary.first),
            last: end(last),
            version,
            updated_at: self.engine.now(),
            made_after: 0,
            stale: false,
        };
        Ok(self.in_chat.add_summary(&self.lane, summary).await?)
    }

    /// The sections of a lane's summary: those of the previous one, then those of each conversation.
    async fn carried(
        &self,
        messages: &[StoredMessage],
        previous: Option<&Summary>,
    ) -> std::result::Result<Sections, Failed> {
        let summaries = self.in_chat.summaries(&self.lane).await?;
        let (mut sections, mut count) = match previous {
            Some(summary) => (summary.sections.clone(), summary.messages),
            None => (Sections::default(), 0),
        };
        for conversation in messages.chunk_by(|_, next| !next.opens) {
            let is_summary_of = |summary: &&Summary| {
                let ends = [conversation.first(), conversation.last()];
                let ids = ends.map(|end| end.map(|stored| stored.message.id));
                summary.scope == Scope::Conversation
                    && !summary.stale
                    && ids == [Some(summary.first.id), Some(summary.last.id)]
            };
            let new = match summaries.iter().find(is_summary_of) {
                Some(summary) => summary.sections.clone(),
                None => self.sections_of_span(conversation, span_cap).await?,
            };
            count += conversation.len() as u64;
            sections = merged(&sections, new, lane_cap(count));
        }
        Ok(sections)
    }

    /// Summarizes a span step by step; each step carries over the durable parts of the one before.
    async fn sections_of_span(
        &self,
        messages: &[StoredMessage],
        cap: fn(u32) -> u32,
    ) -> std::result::Result<Sections, Failed> {
        let most = cap(messages.iter().fold(0, |sum, stored| sum.saturating_add(stored.tokens)));
        let mut sections = Sections::default();
        for step in messages.chunks(MESSAGES_PER_STEP) {
            if step.iter().all(|stored| stored.message.is_command()) {
                continue;
            }
            let new = match self.write_sections_by_model(step, &sections, messages.len() as u64).await {
                Ok(new) => new,
                Err(error) if is_temporary(&error) && self.attempts < MAX_ATTEMPTS => {
                    return Err(error.into());
                }
                Err(error) => {
                    if !matches!(error, WorkError::NoModel) {
                        tracing::warn!(%error, "summary by model failed; picking sentences instead");
                    }
                    extractive(step, &sections, &self.engine.settings.zone)
                }
            };
            sections = merged(&sections, new, most);
        }
        Ok(sections)
    }

    async fn write_sections_by_model(
        &self,
        step: &[StoredMessage],
        previous: &Sections,
        all: u64,
    ) -> std::result::Result<Sections, WorkError> {
        if all > MAX_FOR_MODEL {
            return Err(WorkError::NoModel);
        }
        let work = Work {
            instructions: INSTRUCTIONS.to_owned(),
            input: transcript(step, previous, &self.engine.settings.zone),
            most_tokens: MAX_ANSWER_TOKENS,
        };
        let read = |answer: &str| Sections::parse(answer).map_err(|error| error.to_string());
        self.engine.readable_work("compact", &self.chat, work, read).await
    }
}

/// The lane's own summary and those of later conversations; without one, those of all conversations.
fn outermost(summaries: &[(Lane, Summary)]) -> impl Iterator<Item = &(Lane, Summary)> {
    let own = summaries.iter().filter(|(_, summary)| summary.scope == Scope::Lane);
    let watermark = own.map(|(_, summary)| summary.last.position).max();
    summaries.iter().filter(move |(_, summary)| match summary.scope {
        Scope::Conversation => watermark.is_none_or(|watermark| summary.first.position > watermark),
        Scope::Lane => true,
        Scope::Chunk | Scope::Chat => false,
    })
}
