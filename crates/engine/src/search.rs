//! Search for people and programs: messages, memories and summaries of one or several chats as one result.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::score::Verdict;
use throughline_store::pieces::Piece;
use throughline_store::search::{Hit, Why};
use uuid::Uuid;

use crate::recall::{Found, PieceHit, Question};
use crate::{Engine, Result};

/// The kind of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A message.
    Message,
    /// A memory.
    Memory,
    /// A summary.
    Summary,
}

impl HitKind {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Memory => "memory",
            Self::Summary => "summary",
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Results {
    /// How reliable the best hit is.
    pub verdict: Verdict,
    /// The hits: memories and summaries about the question, then messages, best first.
    pub hits: Vec<SearchHit>,
    /// The reason why vectors could not be searched, if so; the hits are then found by words alone.
    pub degraded: Option<String>,
}

/// One hit.
#[derive(Debug, Clone)]
pub struct SearchHit {
    /// Its kind.
    pub kind: HitKind,
    /// Its id.
    pub id: Uuid,
    /// The score; comparable only with hits of the same chat.
    pub score: f32,
    /// The messages behind the hit: the message and others with the same text, the proofs of a memory, or the first
    /// and last message of a summary.
    pub messages: Vec<MessageId>,
    /// The chat of the hit; for a memory, the chat it was learned in.
    pub chat: ChatId,
    /// The key of its lane; `None` for a memory.
    pub lane: Option<String>,
    /// The first message of its conversation, if it is a message.
    pub conversation: Option<MessageId>,
    /// The role of the speaker.
    pub role: Option<Role>,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// When the message was sent, or since when the memory or summary is valid.
    pub at: Timestamp,
    /// The text.
    pub text: String,
    /// Why it matched.
    pub why: Why,
}

impl Engine {
    /// Searches chats for one kind of hit, or for messages and the memories about the question.
    pub async fn search(
        &self,
        chats: &[ChatId],
        kind: Option<HitKind>,
        question: &Question,
    ) -> Result<Results> {
        let mut all = Results { verdict: Verdict::None, hits: Vec::new(), degraded: None };
        let (mut pieces, mut messages) = (Vec::new(), Vec::new());
        for chat in chats {
            let found = match kind {
                None | Some(HitKind::Message) => Some(self.recall(chat, question.clone()).await?),
                Some(HitKind::Memory | HitKind::Summary) => None,
            };
            for hit in self.search_pieces(chat, kind, question).await? {
                // Leave out memories that another chat of the same person listed already, or that a message hit
                // proves.
                let is_known =
                    pieces.iter().any(|(_, known): &(ChatId, PieceHit)| known.piece.id() == hit.piece.id());
                if !is_known && !found.as_ref().is_some_and(|found| is_proven(&hit, found)) {
                    pieces.push((chat.clone(), hit));
                }
            }
            if let Some(found) = found {
                all.verdict = all.verdict.or(found.verdict);
                all.degraded = all.degraded.or(found.degraded);
                messages.extend(found.hits);
            }
        }
        if chats.len() > 1 {
            // Scores of different chats are not comparable, so the share of the question that a hit covers comes
            // first.
            messages
                .sort_by(|a, b| b.why.share().total_cmp(&a.why.share()).then(b.score.total_cmp(&a.score)));
            pieces.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
        }
        pieces.truncate(question.limit);
        messages.truncate(question.limit.saturating_sub(pieces.len()));
        all.verdict = all.verdict.or(Verdict::of(pieces.first().map(|(_, hit)| hit.why.share())));
        let best = messages.first().map_or(0.0, |hit| hit.score).max(0.0);
        all.hits = pieces.into_iter().map(|(chat, hit)| of_piece(chat, hit, best)).collect();
        all.hits.extend(messages.into_iter().map(of_message));
        Ok(all)
    }

    /// The matching memories and summaries. When messages are searched as well, only memories about the question
    /// itself.
    async fn search_pieces(
        &self,
        chat: &ChatId,
        kind: Option<HitKind>,
        question: &Question,
    ) -> Result<Vec<PieceHit>> {
        if kind == Some(HitKind::Message) {
            return Ok(Vec::new());
        }
        let mut hits = self.recall_pieces(chat, &question.text).await?;
        hits.retain(|hit| {
            let at = hit.piece.at();
            let in_time = question.since.is_none_or(|since| at >= since)
                && question.until.is_none_or(|until| at < until);
            let is_wanted = match (&hit.piece, kind) {
                (Piece::Memory(_), Some(HitKind::Memory)) => question.lane.is_none(),
                (Piece::Summary(lane, _), Some(HitKind::Summary)) => {
                    question.lane.as_ref().is_none_or(|of| of == lane)
                }
                (Piece::Memory(_), None) => question.lane.is_none() && hit.is_strong(),
                _ => false,
            };
            in_time && is_wanted
        });
        hits.truncate(question.limit);
        Ok(hits)
    }
}

fn is_proven(hit: &PieceHit, found: &Found) -> bool {
    let Piece::Memory(memory) = &hit.piece else { return false };
    let shows = |id| found.hits.iter().any(|hit| hit.messages.contains(id));
    memory.proofs.iter().any(|proof| shows(&proof.message))
}

fn of_message(hit: Hit) -> SearchHit {
    let message = hit.stored.message;
    SearchHit {
        kind: HitKind::Message,
        id: message.id.0,
        score: hit.score,
        messages: hit.messages,
        lane: Some(message.lane.key(&message.chat)),
        chat: message.chat,
        conversation: Some(hit.conversation),
        role: Some(message.role),
        speaker: message.speaker,
        at: message.occurred_at,
        text: message.text,
        why: hit.why,
    }
}

/// A memory or summary as a hit. It is listed before the messages, with a score above theirs.
fn of_piece(chat: ChatId, hit: PieceHit, best: f32) -> SearchHit {
    let (id, at) = (hit.piece.id(), hit.piece.at());
    let (chat, kind, lane, role, speaker, messages, text) = match hit.piece {
        Piece::Memory(memory) => {
            let proofs = memory.proofs.iter().map(|proof| proof.message).collect();
            (memory.chat, HitKind::Memory, None, Some(Role::User), memory.speaker, proofs, memory.text)
        }
        Piece::Summary(lane, summary) => {
            let ends = vec![summary.first.id, summary.last.id];
            let lane = lane.key(&chat);
            (chat, HitKind::Summary, Some(lane), None, None, ends, summary.text)
        }
    };
    let score = best + hit.score;
    SearchHit {
        kind,
        id,
        score,
        messages,
        chat,
        lane,
        conversation: None,
        role,
        speaker,
        at,
        text,
        why: hit.why,
    }
}
