//! Recall: searches one chat by words, vectors, speaker and time, ranks the hits, and judges the best one.

pub mod pieces;

use std::borrow::Cow;
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::collapse::shown_text;
use throughline_domain::context::{Recalled, StoredMessage};
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::fuse;
use throughline_domain::recall::overlap::Overlap;
use throughline_domain::recall::score::Verdict;
use throughline_domain::recall::vector::Vector;
use throughline_models::embed::{self, Embedder};
use throughline_store::pieces::Piece;
use throughline_store::search::{DenseQuery, Hit, Query, Speaker};
use throughline_text::generic::is_generic;
use throughline_text::intent;
use throughline_text::intent::wanted::ends_like_a_question;
use throughline_text::question::{self, Asked, NamedSpeaker};
use throughline_text::tokens::estimate;
use throughline_text::words;

pub use self::pieces::PieceHit;
use crate::{Engine, Result};

/// Number of hits that decide the verdict.
const BEST: usize = 3;

/// Share of a question's words from which another question asks the same.
const SAME: f32 = 0.8;
/// Score of such a question: a weak match.
const ECHO: f32 = 0.2;
/// Maximum number of matching memories and summaries in a turn.
const MOST_PIECES: usize = 6;
/// A hit needs this many words of the question to be more than chance: one in another lane, or one for a message that asks
/// nothing.
const WORDS_TO_BE_SURE: u32 = 2;
/// A hit stands out if its score reaches this share of the best one's.
const FLOOR: f32 = 0.2;
/// The number of hits that bring the question before them, and the maximum length of both, in tokens.
const MOST_QUESTIONS: usize = 12;
const SHORT: u32 = 40;
/// How long before a day and after it people may speak of it.
const AROUND: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The hits for a message that asks nothing, and those of a weak match.
const FEW: usize = 6;
const FEWEST: usize = 3;
/// How likely a message must ask for something remembered, to be shown everything that matches strongly, or weakly if it is
/// about a person of the chat, or the best few if it is not.
const MAY_ASK: f32 = 0.15;
const LIKELY_ASKS: f32 = 0.3;
const SURELY_ASKS: f32 = 0.5;

/// A question to recall.
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
    /// Not these messages, such as the question itself.
    pub except: Vec<MessageId>,
    /// Whether everything that passes the filters answers a question that names no subject: "what did we say there?"
    pub everything: bool,
    /// Maximum number of hits.
    pub limit: usize,
}

/// The result of a recall.
#[derive(Debug, Clone)]
pub struct Found {
    /// How far the best hit can be trusted.
    pub verdict: Verdict,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The speakers of the chat whose names are known.
    pub speakers: Vec<NamedSpeaker>,
    /// Whether the question names one of them.
    pub names_speaker: bool,
    /// Whether the question names a time.
    pub names_time: bool,
    /// Why vectors could not be searched, if so; the hits are then by words alone.
    pub degraded: Option<String>,
}

/// The vector of a question, made once for all searches; `None` without an embedder.
pub(crate) type QuestionVector = std::result::Result<Option<Vector>, embed::Error>;

impl Engine {
    /// Searches one chat. Any text is a valid question.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recall(&self, chat: &ChatId, question: Question) -> Result<Found> {
        let vector = self.question_vector(&question.text).await;
        self.recall_by(chat, question, &vector).await
    }

    /// The chats that are known to be the owner's, the most recent first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chats_of_owner(&self) -> Result<Vec<ChatId>> {
        let chats = self.store.chats().await?.into_iter().map(|count| count.chat);
        Ok(chats.filter(|chat| self.settings.people.is_owners(chat)).collect())
    }

    /// The vector of a question.
    pub(crate) async fn question_vector(&self, question: &str) -> QuestionVector {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let asked = question::read(question, &[], self.now(), &self.settings.zone);
        embedded(embedder.as_ref(), &asked.subject).await.map(Some)
    }

    /// Searches one chat by a question with its vector.
    pub(crate) async fn recall_by(
        &self,
        chat: &ChatId,
        question: Question,
        vector: &QuestionVector,
    ) -> Result<Found> {
        let in_chat = self.store.chat(chat);
        let speakers = in_chat.speakers().await?;
        let named = self.speakers(&speakers);
        let asked = question::read(&question.text, &named, self.now(), &self.settings.zone);
        let dense = match vector {
            Ok(Some(vector)) => {
                self.dense(&asked, &speakers, vector).await.map_err(|error| error.to_string())
            }
            Ok(None) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        let (dense, degraded) = match dense {
            Ok(dense) => (dense, None),
            Err(error) => {
                tracing::warn!(error, "embedding the question failed; searching by words alone");
                (None, Some(error))
            }
        };
        let names: Vec<String> = asked
            .about
            .iter()
            .flat_map(|(named, _)| named.name.split_whitespace().map(str::to_owned))
            .collect();
        let (names_speaker, names_time) = (!asked.about.is_empty(), asked.when.is_some());
        let names_subject = asked.terms.iter().any(|term| !is_generic(&term.text));
        let when = asked.when.as_ref().map(|when| when.from..when.until);
        // "What did I say yesterday": everything of that day answers, and nothing else does.
        let all_of = match when.clone() {
            _ if names_subject => None,
            Some(when) => Some(when),
            None => question.everything.then_some(Timestamp::MIN..Timestamp::MAX),
        };
        let mut asked_words = self.builtin.ask(&asked.subject, &names);
        let soft_overlap = Box::new(move |text: &str| asked_words.overlap(text));
        let query = Query {
            about: asked.about.iter().filter_map(|(named, _)| speaker(&speakers, named)).collect(),
            terms: asked.terms,
            dense,
            when,
            lane: question.lane.filter(|_| !question.everything || !names_subject),
            since: question.since,
            until: question.until,
            except: question.except,
            limit: question.limit,
        };
        let everything =
            |all| in_chat.search(all_within(query.clone(), all), Box::new(|_| Overlap::default()));
        let weak = |hits: Vec<Hit>| (if hits.is_empty() { Verdict::None } else { Verdict::Weak }, hits);
        let all = match all_of {
            None => Vec::new(),
            Some(all) => everything(all).await?,
        };
        let (verdict, hits) = match query.when.clone() {
            _ if !all.is_empty() => (Verdict::Strong, all),
            Some(when) if !names_subject && when.end > self.now() => (Verdict::None, Vec::new()),
            // Nobody spoke on that day, but it may have been planned before or told after.
            Some(when) if !names_subject => {
                let around = when.start.saturating_sub(AROUND).unwrap_or(when.start)
                    ..when.end.saturating_add(AROUND).unwrap_or(when.end);
                let terms = words::query_terms(&asked.subject);
                weak(in_chat.search(within(Query { terms, ..query }, around), soft_overlap).await?)
            }
            Some(when) => match judged(in_chat.search(query.clone(), soft_overlap).await?) {
                // Its words were not used then, but the time was named.
                (Verdict::None, _) => weak(everything(when).await?),
                found => found,
            },
            None => judged(in_chat.search(query, soft_overlap).await?),
        };
        Ok(Found { verdict, hits, speakers: named, names_speaker, names_time, degraded })
    }

    /// The names of the speakers in a chat. A message without one is the person's own.
    fn speakers(&self, speakers: &[Speaker]) -> Vec<NamedSpeaker> {
        let name = |speaker: &Speaker| match (&speaker.name, speaker.role) {
            (Some(name), _) => Some(name.clone()),
            (None, Role::User) => self.settings.person.clone(),
            (None, _) => None,
        };
        (0..)
            .zip(speakers)
            .filter_map(|(number, speaker)| Some(NamedSpeaker { number, name: name(speaker)? }))
            .collect()
    }

    /// The vectors of a question: its own, and one in the words of each speaker that it is about.
    async fn dense(
        &self,
        asked: &Asked,
        speakers: &[Speaker],
        question: &Vector,
    ) -> std::result::Result<Option<DenseQuery>, embed::Error> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let mut own = Vec::with_capacity(asked.about.len());
        for (named, question) in &asked.about {
            if let Some(speaker) = speaker(speakers, named) {
                own.push((speaker, embedded(embedder.as_ref(), question).await?));
            }
        }
        Ok(Some(DenseQuery { embedder: embedder.id().to_owned(), question: question.clone(), own }))
    }
}

/// The query for everything of a time, newest first.
fn all_within(query: Query, when: Range<Timestamp>) -> Query {
    within(Query { terms: Vec::new(), dense: None, ..query }, when)
}

/// The query for what was said at a time and not at another.
fn within(query: Query, when: Range<Timestamp>) -> Query {
    Query {
        since: Some(query.since.map_or(when.start, |since| since.max(when.start))),
        until: Some(query.until.map_or(when.end, |until| until.min(when.end))),
        when: Some(when),
        ..query
    }
}

async fn embedded(embedder: &dyn Embedder, text: &str) -> std::result::Result<Vector, embed::Error> {
    Ok(Vector::new(&embedder.embed_question(text).await?))
}

fn speaker(speakers: &[Speaker], named: &NamedSpeaker) -> Option<Speaker> {
    speakers.get(usize::from(named.number)).cloned()
}

/// The verdict on the best hits, and the hits if anything matches.
fn judged(mut hits: Vec<Hit>) -> (Verdict, Vec<Hit>) {
    let share = |hit: &Hit| if asks_the_same(hit) { hit.why.share().min(ECHO) } else { hit.why.share() };
    let verdict = Verdict::of(hits.iter().map(share).take(BEST).reduce(f32::max));
    if verdict == Verdict::None {
        hits.clear();
    }
    (verdict, hits)
}

/// Returns true if a hit only asks the same question, which answers nothing.
fn asks_the_same(hit: &Hit) -> bool {
    hit.why.share() >= SAME && fuse::is_lone_question(&hit.stored.message.text)
}

impl Engine {
    /// The same, with the questions that short messages among the best answer.
    pub(crate) async fn with_questions(&self, chat: &ChatId, lane: &Lane, mut told: Told) -> Result<Told> {
        let is_short = |hit: &&mut Recalled| estimate(&hit.text) <= SHORT;
        let opens = |hit: &Recalled| hit.conversation.is_some_and(|first| hit.messages.contains(&first));
        let best = told.recalled.iter_mut().take(MOST_QUESTIONS).filter(is_short);
        let answers: Vec<&mut Recalled> = best.filter(|hit| !opens(hit)).collect();
        let first = |hit: &Recalled| hit.messages.first().copied();
        let ids = answers.iter().filter_map(|hit| first(hit)).collect();
        let mut before = self.store.chat(chat).said_before(ids).await?;
        for answer in answers {
            let asked = first(answer).and_then(|id| before.remove(&id));
            let asks = |stored: &StoredMessage| {
                let asked = &stored.message;
                ends_like_a_question(&asked.text)
                    && estimate(&asked.text) <= SHORT
                    && (asked.role, &asked.speaker) != (answer.role, &answer.speaker)
            };
            answer.question =
                asked.filter(asks).map(|asked| Box::new(said(asked, answer.conversation, lane)));
        }
        Ok(told)
    }
}

/// How likely a message asks for something remembered. A question that names a speaker of the chat is about what they said,
/// however it is put: "would Ana enjoy a museum?"
pub(crate) fn asks_memory(message: &str, names_speaker: bool) -> f32 {
    let asks = intent::asks_memory(message);
    if names_speaker && ends_like_a_question(message) { asks.max(SURELY_ASKS) } else { asks }
}

/// What of a search a turn shows.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The hits, best first.
    pub recalled: Vec<Recalled>,
    /// The shares of the question that they cover, the largest first.
    pub(crate) shares: Vec<f32>,
    /// Whether they are surely about the message.
    pub is_certain: bool,
    /// The speakers of the chat whose names are known.
    pub speakers: Vec<NamedSpeaker>,
}

/// What a turn may show of what was found. A message that asks for something remembered gets all that stands out; on a weak
/// match the best few, marked as uncertain, and only if it asks. Small talk gets nothing. Of other lanes come in only those
/// asked for by name, and strong matches.
pub(crate) fn worth_telling(found: Found, lane: &Lane, message: &str) -> Told {
    let asks = asks_memory(message, found.names_speaker);
    let is_about_someone = found.names_speaker || intent::is_personal(message);
    let is_strong = |hit: &Hit| Verdict::of(Some(hit.why.share())) == Verdict::Strong;
    let shares_words = found.hits.first().is_some_and(|best| best.why.terms >= WORDS_TO_BE_SURE);
    let names_place = found.names_time || topic_asked_for(message).is_some();
    let is_small_talk = !names_place && !intent::has_subject(message);
    let most = match found.verdict {
        _ if is_small_talk => 0,
        Verdict::Strong if asks >= MAY_ASK => usize::MAX,
        Verdict::Strong if shares_words => FEW,
        Verdict::Weak if asks >= LIKELY_ASKS && is_about_someone => usize::MAX,
        Verdict::Weak if asks >= SURELY_ASKS => FEWEST,
        _ => 0,
    };
    let may_come_in = |hit: &Hit| {
        let other = &hit.stored.message.lane;
        let may_cross = is_named(other, message) || is_strong(hit) && hit.why.terms >= WORDS_TO_BE_SURE;
        let counts = !hit.stored.message.answers_nothing() && !hit.stored.message.is_edited_away();
        counts && !asks_the_same(hit) && (other == lane || may_cross)
    };
    let was_strong = found.hits.iter().any(is_strong);
    let floor = found.hits.first().map_or(0.0, |best| best.score * FLOOR);
    let left: Vec<Hit> =
        found.hits.into_iter().filter(|hit| hit.score >= floor).filter(may_come_in).take(most).collect();
    // What made the match a strong one may have to stay in its lane.
    if found.verdict == Verdict::Strong && was_strong && !left.iter().any(is_strong) {
        return Told { speakers: found.speakers, ..Told::default() };
    }
    let mut shares: Vec<f32> = left.iter().map(|hit| hit.why.share()).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let recalled = left.into_iter().map(|hit| recalled(hit, lane)).collect();
    Told { recalled, shares, is_certain: found.verdict == Verdict::Strong, speakers: found.speakers }
}

/// Messages, memories and summaries in one order. A memory or summary takes the rank and the score of the message that
/// is as many-th by score as it would be by the share of the question that it covers.
pub(crate) fn one_ranking(pieces: Vec<Recalled>, told: Told) -> Vec<Recalled> {
    let Told { mut recalled, shares, .. } = told;
    let mut placed: Vec<(usize, Recalled)> = pieces
        .into_iter()
        .map(|piece| {
            let rank = shares.iter().take_while(|share| **share > piece.score).count();
            let score = recalled.get(rank).or(recalled.last()).map_or(piece.score, |message| message.score);
            (rank, Recalled { score, ..piece })
        })
        .collect();
    // From the last on, so that a place stays the same until it is taken.
    placed.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    for (rank, piece) in placed {
        recalled.insert(rank.min(recalled.len()), piece);
    }
    recalled
}

fn recalled(hit: Hit, lane: &Lane) -> Recalled {
    let said = said(hit.stored, Some(hit.conversation), lane);
    Recalled { messages: hit.messages, score: hit.score, ..said }
}

fn said(stored: StoredMessage, conversation: Option<MessageId>, lane: &Lane) -> Recalled {
    let message = stored.message;
    // A reply that falls short is marked, as it is in the history.
    let marked = message.shortfall().and_then(|_| shown_text(&message)).map(Cow::into_owned);
    Recalled {
        kind: "message",
        id: message.id.to_string(),
        messages: vec![message.id],
        conversation,
        lane: Some(message.lane).filter(|other| other != lane),
        role: message.role,
        speaker: message.speaker,
        at: message.occurred_at,
        seq: stored.seq,
        text: marked.unwrap_or(message.text),
        score: 0.0,
        question: None,
    }
}

/// What a turn may show of the memories and summaries that were found: what is about the question, is not in the
/// profile, and of the lane's own summaries nothing, for those have a layer of their own.
pub(crate) fn pieces_worth_telling(
    hits: Vec<PieceHit>,
    lane: &Lane,
    profile: &str,
    message: &str,
) -> Vec<Recalled> {
    let asks = intent::asks_memory(message) >= MAY_ASK;
    let is_new = |hit: &PieceHit| match &hit.piece {
        Piece::Memory(memory) => !profile.contains(&memory.text),
        Piece::Summary(of, _) => of != lane && hit.why.terms >= WORDS_TO_BE_SURE,
    };
    let recalled = |hit: PieceHit| {
        let (kind, role, speaker) = match &hit.piece {
            Piece::Memory(memory) => ("memory", Role::User, memory.speaker.clone()),
            Piece::Summary(..) => ("summary", Role::System, None),
        };
        let messages = match &hit.piece {
            Piece::Memory(memory) => memory.proofs.iter().map(|proof| proof.message).collect(),
            Piece::Summary(..) => Vec::new(),
        };
        let lane = match &hit.piece {
            Piece::Memory(_) => None,
            Piece::Summary(of, _) => Some(of.clone()),
        };
        Recalled {
            kind,
            id: hit.piece.id().to_string(),
            messages,
            conversation: None,
            lane,
            role,
            speaker,
            at: hit.piece.at(),
            seq: 0,
            text: hit.piece.text().to_owned(),
            score: hit.score,
            question: None,
        }
    };
    let has_subject = intent::has_subject(message);
    let is_told =
        |hit: &PieceHit| has_subject && hit.is_strong() && (asks || hit.why.terms >= WORDS_TO_BE_SURE);
    hits.into_iter().filter(|hit| is_told(hit) && is_new(hit)).take(MOST_PIECES).map(recalled).collect()
}

/// Returns true if a message names a lane, such as "topic 7".
fn is_named(lane: &Lane, message: &str) -> bool {
    topic_asked_for(message).is_some_and(|named| named == *lane)
}

/// The topic that a message names.
pub(crate) fn topic_asked_for(message: &str) -> Option<Lane> {
    words_of(message).windows(2).find_map(|pair| match pair {
        [topic, number] if names_topic(topic) && is_number(number) => Some(Lane::Topic((*number).to_owned())),
        _ => None,
    })
}

/// A message without the names of topics, which say where to search, not for what.
pub(crate) fn without_topics(message: &str) -> String {
    let mut left: Vec<&str> = Vec::new();
    let mut words = message.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let has_number = |next: &&str| words_of(next).into_iter().any(is_number);
        if words_of(word).into_iter().any(names_topic) && words.next_if(has_number).is_some() {
            continue;
        }
        left.push(word);
    }
    left.join(" ")
}

fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn names_topic(word: &str) -> bool {
    word.eq_ignore_ascii_case("topic")
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
