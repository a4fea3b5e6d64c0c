//! A statement before it becomes a memory: its relation to the existing memories, and the memory it would be.

use std::collections::HashMap;

use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, MemoryId, Status};
use throughline_domain::recall::vector::Vector;
use throughline_store::memories::StoredMemory;
use throughline_text::extract::Candidate;
use throughline_text::relate::{Known, Relation, relate_said, remainder};

use crate::Engine;

impl Engine {
    /// How a statement, said in these words, relates to the existing memories.
    pub(crate) async fn relation(
        &self,
        chat: &ChatId,
        candidate: &Candidate,
        said: &str,
        known: &[StoredMemory],
    ) -> Relation {
        let similar = self.similarities(chat, known, &candidate.text).await;
        let cosine = |index: usize| known.get(index).and_then(|kept| similar.get(&kept.memory.id)).copied();
        let statements: Vec<Known<'_>> = known.iter().map(|kept| kept.memory.as_known()).collect();
        let new = Known { kind: candidate.kind, text: &candidate.text, day: candidate.day };
        relate_said(&new, said, &statements, &cosine, self.settings.same_similarity)
    }

    /// The memory that a statement would become: valid from now on, without proofs.
    pub(crate) fn memory_of(&self, chat: &ChatId, candidate: Candidate) -> Memory {
        Memory {
            id: MemoryId(self.ids.next()),
            kind: candidate.kind,
            text: candidate.text,
            category: candidate.category,
            confidence: candidate.confidence,
            extracted: true,
            status: Status::Active,
            chat: chat.clone(),
            reach: self.settings.people.reach(chat),
            speaker: None,
            proofs: Vec::new(),
            day: candidate.day,
            valid_from: self.now(),
            valid_to: None,
            superseded_by: None,
            used_at: None,
        }
    }

    /// What memories state beside that which a new statement takes the place of, with the same proofs.
    pub(crate) fn remaining(&self, old: &[Memory], new: &str) -> Vec<Memory> {
        let parts =
            |old: &Memory| remainder(&old.as_known(), &Known { kind: old.kind, text: new, day: None });
        let of_part = |old: &Memory, text| Memory { id: MemoryId(self.ids.next()), text, ..old.clone() };
        old.iter().flat_map(|old| parts(old).into_iter().map(move |text| of_part(old, text))).collect()
    }

    /// A new memory in the form of a stored one.
    pub(crate) fn just_learned(&self, memory: Memory) -> StoredMemory {
        let now = self.now();
        StoredMemory { memory, learned_at: now, changed_at: now, learned_after: i64::MAX }
    }

    /// The cosine similarities of a text to the memories that have vectors. Without vectors, words alone identify
    /// duplicates.
    async fn similarities(
        &self,
        chat: &ChatId,
        known: &[StoredMemory],
        text: &str,
    ) -> HashMap<MemoryId, f32> {
        let Some(embedder) = &self.embedder else { return HashMap::new() };
        let texts = [text.to_owned()];
        let ids = known.iter().map(|kept| kept.memory.id.0).collect();
        let in_chat = self.store.chat(chat);
        let (question, vectors) =
            tokio::join!(embedder.embed(&texts), in_chat.piece_vectors(ids, embedder.id()));
        let (Ok(question), Ok(vectors)) = (question, vectors) else { return HashMap::new() };
        let Some(question) = question.first().map(|vector| Vector::new(vector)) else {
            return HashMap::new();
        };
        vectors.into_iter().map(|(piece, it)| (MemoryId(piece), question.similarity(&it))).collect()
    }
}
