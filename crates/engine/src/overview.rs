//! The memory of a chat for people: the profile with its lists, and the summaries.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::compact::extractive;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::{Conversation, Thread};
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Kind, Memory, Status};
use throughline_domain::message::Role;
use throughline_domain::summary::{Scope, Summary, ranges};
use throughline_domain::{profile, time};
use throughline_text::shorten::{one_line, shorten};
use throughline_text::summarize::{Sections, topics};

use crate::turn::gather::ContextRequest;
use crate::{Engine, Result};

/// Number of recent messages shown beside the summaries, and the maximum characters of each.
const RECENT: usize = 5;
const MAX_RECENT_CHARS: usize = 60;
/// Maximum number of topics shown.
pub const TOPICS: usize = 3;

/// The profile of a chat, and figures about the chat.
#[derive(Debug, Clone)]
pub struct Overview {
    /// The narrative that a model wrote.
    pub narrative: Option<String>,
    /// The profile as a context shows it.
    pub profile: String,
    /// The active memories, oldest first.
    pub memories: Vec<Memory>,
    /// The suggested memories.
    pub suggested: Vec<Memory>,
    /// Number of messages in the lane.
    pub messages: u64,
    /// Number of summaries of the lane.
    pub summaries: usize,
    /// Number of messages that the next context shows verbatim.
    pub verbatim: usize,
}

/// The summaries of a chat, and the messages after them.
#[derive(Debug, Clone)]
pub struct Summaries {
    /// The summaries of the lanes, oldest first.
    pub summaries: Vec<(Lane, Summary)>,
    /// The summary of all lanes, if there are several.
    pub chat_wide: Option<Summary>,
    /// Number of messages of the ongoing conversation that no summary covers; 0 if it has ended.
    pub ongoing: u64,
    /// The topics of the ongoing conversation.
    pub about: Vec<String>,
    /// The newest messages of the lane: speaker, time and text.
    pub recent: Vec<(String, Timestamp, String)>,
    /// Today's messages of routines: name, time, and summary or text.
    pub routines: Vec<(String, Timestamp, String)>,
}

impl Engine {
    /// The profile of a chat.
    pub async fn overview(&self, chat: &ChatId, lane: &Lane) -> Result<Overview> {
        let known = self.memories(chat).await?;
        let person = self.settings.people.of(chat);
        let in_chat = self.store.chat(chat);
        let narrative = in_chat.narrative(person.as_deref(), Timestamp::MAX).await?;
        let profile = self.profile_at(chat, &known, None).await?;
        let of = |status: Status| {
            let memories = known.iter().map(|kept| &kept.memory);
            memories.filter(|memory| memory.status == status).cloned().collect::<Vec<_>>()
        };
        let context = self.preview(ContextRequest::new(chat.clone(), lane.clone())).await?;
        let summaries = in_chat.summaries(lane).await?;
        Ok(Overview {
            narrative,
            profile,
            memories: of(Status::Active),
            suggested: of(Status::Suggested),
            messages: in_chat.count(lane).await?,
            summaries: summaries.iter().filter(|summary| !summary.text.is_empty()).count(),
            verbatim: context.said.iter().map(|said| said.ids.len()).sum(),
        })
    }

    /// The summaries of a chat.
    pub async fn summaries(&self, chat: &ChatId, lane: &Lane) -> Result<Summaries> {
        let in_chat = self.store.chat(chat);
        let mut summaries = in_chat.all_summaries().await?;
        summaries.retain(|(_, summary)| !summary.text.is_empty());
        let chat_wide =
            summaries.pop_if(|(_, summary)| summary.scope == Scope::Chat).map(|(_, summary)| summary);
        summaries.sort_by_key(|(_, summary)| summary.first.position);
        let now = self.now();
        let newest = in_chat.conversations(Some(lane), 1).await?.into_iter().next();
        let mut live = match &newest {
            Some(one) => in_chat.conversation(one.id).await?,
            None => Vec::new(),
        };
        live.retain(|stored| !stored.message.is_command());
        let is_ongoing =
            |one: &Conversation| Thread::at(now, Some(one.to), self.settings.gap) == Thread::Continuation;
        let of_lane: Vec<Summary> =
            summaries.iter().filter(|(of, _)| of == lane).map(|(_, summary)| summary.clone()).collect();
        let recent = live.iter().rev().take(RECENT).rev().map(recent).collect();
        let covered = ranges(&of_lane).last().map(|summary| summary.last.position);
        let is_ongoing = newest.as_ref().is_some_and(is_ongoing);
        live.retain(|stored| is_ongoing && covered.is_none_or(|mark| stored.position() > mark));
        let about = topics(&extractive(&live, &Sections::default(), &self.settings.zone), TOPICS);
        let routines = self.routines_of_today(chat, lane, now).await?;
        Ok(Summaries { summaries, chat_wide, ongoing: live.len() as u64, about, recent, routines })
    }

    async fn routines_of_today(
        &self,
        chat: &ChatId,
        lane: &Lane,
        now: Timestamp,
    ) -> Result<Vec<(String, Timestamp, String)>> {
        let zone = &self.settings.zone;
        let in_chat = self.store.chat(chat);
        let mut found = Vec::new();
        for conversation in in_chat.conversations(Some(lane), 50).await? {
            if time::days_before(conversation.to, now, zone) > 0 {
                break;
            }
            let messages = in_chat.conversation(conversation.id).await?;
            let today =
                |stored: &&StoredMessage| time::days_before(stored.message.occurred_at, now, zone) == 0;
            for stored in messages.iter().filter(today) {
                if let Some(routine) = stored.message.routine() {
                    let shown = routine.summary.unwrap_or(&stored.message.text);
                    found.push((routine.name.to_owned(), stored.message.occurred_at, shown.to_owned()));
                }
            }
        }
        found.sort_by_key(|(_, at, _)| *at);
        Ok(found)
    }
}

fn recent(stored: &StoredMessage) -> (String, Timestamp, String) {
    let message = &stored.message;
    let who = match (&message.speaker, message.role) {
        (Some(name), _) => name.clone(),
        (None, Role::User) => "You".to_owned(),
        (None, _) => "Assistant".to_owned(),
    };
    let text = one_line(&message.text);
    (who, message.occurred_at, shorten(&text, MAX_RECENT_CHARS))
}

impl Overview {
    /// The overview as text for a chat.
    #[must_use]
    pub fn text(&self) -> String {
        let mut parts = vec!["📋 YOUR PROFILE".to_owned()];
        parts.extend(self.narrative.clone());
        let sections = [
            (Kind::Fact, "👤 Personal Facts"),
            (Kind::Preference, "⚙️ Preferences"),
            (Kind::Goal, "🎯 Active Goals"),
            (Kind::Date, "📅 Important Dates"),
            (Kind::Outcome, "🧪 Outcomes"),
        ];
        for (kind, heading) in sections {
            let lines: Vec<String> =
                self.memories.iter().filter(|memory| memory.kind == kind).map(line).collect();
            if !lines.is_empty() {
                parts.push(format!("{heading}\n{}", lines.join("\n")));
            }
        }
        if !self.suggested.is_empty() {
            let lines: Vec<String> = self.suggested.iter().map(line).collect();
            parts.push(format!("❔ To be confirmed\n{}", lines.join("\n")));
        }
        if self.memories.is_empty() && self.suggested.is_empty() {
            parts.push("Nothing yet. Tell me about yourself, or use /remember.".to_owned());
        }
        let counted =
            |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "y" } else { "ies" });
        parts.push(format!(
            "💬 Conversation: {} message{} ({}, {} verbatim)",
            self.messages,
            if self.messages == 1 { "" } else { "s" },
            counted(self.summaries, "summar"),
            self.verbatim
        ));
        parts.join("\n\n")
    }
}

fn line(memory: &Memory) -> String {
    let yearly = if memory.kind == Kind::Date && profile::is_yearly(memory) { " (every year)" } else { "" };
    match &memory.speaker {
        Some(speaker) => format!("• {speaker}: {}{yearly}", memory.text),
        None => format!("• {}{yearly}", memory.text),
    }
}
