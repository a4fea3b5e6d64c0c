//! Recall among memories and summaries. There are few and they are short, so each is compared with the question.

use std::collections::HashSet;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::Status;
use throughline_domain::recall::score::{Statistics, Verdict};
use throughline_domain::summary::Summary;
use throughline_store::memories::StoredMemory;
use throughline_store::pieces::Piece;
use throughline_store::search::Why;
use throughline_text::question;
use throughline_text::words;

use super::QuestionVector;
use crate::{Engine, Result};

/// Maximum number of summaries of other lanes that a turn considers.
const ELSEWHERE: usize = 50;
/// Minimum similarity of a piece that shares no word with the question.
const SIMILAR: f32 = 0.35;

/// A memory or a summary that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceHit {
    /// The memory or summary.
    pub piece: Piece,
    /// Share of the question that it covers, from 0 to 1.
    pub score: f32,
    /// The parts of the score.
    pub why: Why,
}

impl PieceHit {
    /// Returns true if it is about what was asked.
    #[must_use]
    pub fn is_strong(&self) -> bool {
        Verdict::of(Some(self.why.share())) == Verdict::Strong
    }
}

impl Engine {
    /// The memories and summaries that match a question, best first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recall_pieces(&self, chat: &ChatId, question: &str) -> Result<Vec<PieceHit>> {
        let known = self.memories(chat).await?;
        let summaries = self.store.chat(chat).all_summaries().await?;
        let vector = self.question_vector(question).await;
        self.recall_among(chat, &known, summaries, question, &vector).await
    }

    /// The pieces that a turn in a lane may show: memories, and the newest summaries of other lanes. The lane's own
    /// summaries have a layer of their own.
    pub(crate) async fn recall_for_turn(
        &self,
        chat: &ChatId,
        lane: &Lane,
        known: &[StoredMemory],
        question: &str,
        vector: &QuestionVector,
    ) -> Result<Vec<PieceHit>> {
        let summaries = self.store.chat(chat).summaries_elsewhere(lane, ELSEWHERE).await?;
        self.recall_among(chat, known, summaries, question, vector).await
    }

    async fn recall_among(
        &self,
        chat: &ChatId,
        known: &[StoredMemory],
        summaries: Vec<(Lane, Summary)>,
        question: &str,
        vector: &QuestionVector,
    ) -> Result<Vec<PieceHit>> {
        let holds = |kept: &&StoredMemory| kept.memory.status == Status::Active;
        let memories = known.iter().filter(holds).map(|kept| Piece::Memory(kept.memory.clone()));
        let told = summaries.into_iter().filter(|(_, summary)| !summary.text.is_empty());
        let pieces: Vec<Piece> =
            memories.chain(told.map(|(lane, summary)| Piece::Summary(lane, summary))).collect();
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let ids = pieces.iter().map(Piece::id).collect();
        let mut vectors = self.store.chat(chat).piece_vectors(ids, self.embedder_id()).await?;
        let asked = question::read(question, &[], self.now(), &self.settings.zone);
        let dense = vector.as_ref().ok().and_then(Option::as_ref);
        let texts: Vec<Vec<String>> = pieces.iter().map(|piece| words::terms(piece.text())).collect();
        let weights = weights(&asked.terms, &texts);
        let all: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let mut near = self.builtin.ask(&asked.subject, &[]);
        let mut hits: Vec<PieceHit> = Vec::new();
        for (piece, terms) in pieces.into_iter().zip(&texts) {
            let terms: HashSet<&str> = terms.iter().map(String::as_str).collect();
            let matched = || weights.iter().filter(|(term, _)| terms.contains(term.as_str()));
            let covered: f32 = matched().map(|(_, weight)| weight).sum();
            let components = vectors.remove(&piece.id());
            let similarity = components.and_then(|it| Some(dense?.similarity(&it))).unwrap_or(0.0);
            let terms = u32::try_from(matched().count()).unwrap_or(u32::MAX);
            // Most have nothing to do with the question, and comparing word by word is slow.
            if terms == 0 && similarity < SIMILAR {
                continue;
            }
            let is_then =
                asked.when.as_ref().is_some_and(|when| (when.from..when.until).contains(&piece.at()));
            let why = Why {
                words: covered,
                coverage: if all > 0.0 { covered / all } else { 0.0 },
                terms,
                dense: similarity,
                soft_overlap: near.soft_overlap(piece.text()),
                time: f32::from(u8::from(is_then)),
                speaker: 0.0,
            };
            hits.push(PieceHit { score: why.share() + 0.1 * similarity, piece, why });
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.piece.at().cmp(&a.piece.at())));
        Ok(hits)
    }
}

/// The weight of each term of a question among these texts: the rarer, the higher.
fn weights(asked: &[words::Term], texts: &[Vec<String>]) -> Vec<(String, f32)> {
    let length: usize = texts.iter().map(Vec::len).sum();
    let statistics = Statistics { documents: texts.len() as u64, terms: length as u64 };
    let weight = |term: &words::Term| {
        let with = texts.iter().filter(|text| text.contains(&term.text)).count() as u64;
        (term.text.clone(), term.weight * statistics.weight(with))
    };
    asked.iter().map(weight).collect()
}
