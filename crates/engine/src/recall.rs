//! Recall: one chat asked by words, meaning, speaker and time, the hits ranked, and how far the best can be trusted.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::Recalled;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::recall::query::{self, Asked, Voice};
use throughline_domain::recall::score::Verdict;
use throughline_domain::recall::vector::Vector;
use throughline_models::embed::{self, Embedder};
use throughline_store::search::{Hit, Meaning, Query, Speaker};

use crate::{Engine, Result};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The words.
    pub text: String,
    /// Only in this lane.
    pub lane: Option<Lane>,
    /// Only what was said at this moment or later.
    pub since: Option<Timestamp>,
    /// Only what was said before this moment.
    pub until: Option<Timestamp>,
    /// At most so many hits.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// How far the best hit can be trusted.
    pub verdict: Verdict,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Why meaning could not be asked, where it could not: then only words were.
    pub degraded: Option<String>,
}

impl Engine {
    /// Asks one chat. Any text is a valid question.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recall(&self, chat: &ChatId, question: Question) -> Result<Found> {
        let in_chat = self.store.chat(chat);
        let speakers = in_chat.speakers().await?;
        let asked = query::read(&question.text, &self.voices(&speakers), self.now(), &self.settings.zone);
        let (meaning, degraded) = match self.meaning(&asked, &speakers).await {
            Ok(meaning) => (meaning, None),
            Err(error) => {
                tracing::warn!(%error, "a search goes by words alone");
                (None, Some(error.to_string()))
            }
        };
        let names: Vec<String> = asked
            .about
            .iter()
            .flat_map(|(voice, _)| voice.name.split_whitespace().map(str::to_owned))
            .collect();
        let mut near = self.builtin.ask(&asked.subject, &names);
        let query = Query {
            about: asked.about.iter().filter_map(|(voice, _)| speaker(&speakers, voice)).collect(),
            terms: asked.terms,
            meaning,
            when: asked.when.map(|when| when.from..when.until),
            lane: question.lane,
            since: question.since,
            until: question.until,
            limit: question.limit,
        };
        let hits = in_chat.search(query, Box::new(move |text| near.nearness(text))).await?;
        let evidence = hits.iter().map(|hit| hit.why.coverage.max(hit.why.nearness));
        Ok(Found { verdict: Verdict::of(evidence.take(3).reduce(f32::max)), hits, degraded })
    }

    /// Those who speak in a chat and have a name; the person's own holds where a message names nobody.
    fn voices(&self, speakers: &[Speaker]) -> Vec<Voice> {
        let name = |speaker: &Speaker| match (&speaker.name, speaker.role) {
            (Some(name), _) => Some(name.clone()),
            (None, Role::User) => self.settings.person.clone(),
            (None, _) => None,
        };
        (0..)
            .zip(speakers)
            .filter_map(|(number, speaker)| Some(Voice { number, name: name(speaker)? }))
            .collect()
    }

    /// The question as vectors; nothing where no embedder is wanted.
    async fn meaning(
        &self,
        asked: &Asked,
        speakers: &[Speaker],
    ) -> std::result::Result<Option<Meaning>, embed::Error> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let question = embedded(embedder.as_ref(), &asked.subject).await?;
        let mut own = Vec::with_capacity(asked.about.len());
        for (voice, question) in &asked.about {
            if let Some(speaker) = speaker(speakers, voice) {
                own.push((speaker, embedded(embedder.as_ref(), question).await?));
            }
        }
        Ok(Some(Meaning { embedder: embedder.id().to_owned(), question, own }))
    }
}

async fn embedded(embedder: &dyn Embedder, text: &str) -> std::result::Result<Vector, embed::Error> {
    Ok(Vector::new(&embedder.embed_question(text).await?))
}

fn speaker(speakers: &[Speaker], voice: &Voice) -> Option<Speaker> {
    speakers.get(usize::from(voice.number)).cloned()
}

/// What a turn may show of what was found: nothing on a weak match.
pub(crate) fn worth_telling(found: Found) -> Vec<Recalled> {
    if found.verdict != Verdict::Strong {
        return Vec::new();
    }
    let recalled = |hit: Hit| {
        let message = hit.placed.message;
        Recalled {
            kind: "message",
            id: message.id.to_string(),
            messages: hit.messages,
            role: message.role,
            speaker: message.speaker,
            at: message.occurred_at,
            text: message.text,
            score: hit.score,
        }
    };
    found.hits.into_iter().map(recalled).collect()
}
