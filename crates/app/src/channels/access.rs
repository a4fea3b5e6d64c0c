//! Who is served on a channel. An empty list serves nobody; an unknown person gets no answer, or a pairing code that the
//! owner can approve.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::arrivals::Heard;
use throughline_store::arrivals::PairingRequest;
use uuid::Uuid;

use super::{Draft, compose};

/// How long a code is valid.
const CODE_HOLDS: SignedDuration = SignedDuration::from_mins(10);
/// Minimum time between two codes for one person.
const BETWEEN_CODES: SignedDuration = SignedDuration::from_mins(1);
/// Maximum number of people with a valid code.
const MOST_CODES: usize = 20;
/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The people that a channel serves.
pub struct Access {
    kind: ChannelKind,
    listed: BTreeSet<String>,
    pairing: bool,
}

impl Access {
    /// Serves the people of the settings, by the channel's ids, and those that were paired.
    pub fn new(kind: ChannelKind, listed: impl Iterator<Item = String>, pairing: bool) -> Self {
        Self { kind, listed: listed.collect(), pairing }
    }

    /// Whether nobody is served, and nobody can be paired.
    pub async fn serves_nobody(&self, engine: &Engine) -> throughline_store::Result<bool> {
        Ok(self.listed.is_empty() && !self.pairing && engine.store.paired_people().await?.is_empty())
    }

    /// Whether a person is served.
    pub async fn serves(&self, user: &str, engine: &Engine) -> throughline_store::Result<bool> {
        Ok(self.listed.contains(user) || engine.store.is_paired(&self.kind.person(user)).await?)
    }

    /// Gives a pairing code to an unknown person in a private chat, if pairing is on.
    pub async fn request_pairing(
        &self,
        user: &str,
        name: String,
        chat: ChatId,
        engine: &Engine,
    ) -> throughline_store::Result<Heard> {
        if !self.pairing {
            return Ok(Heard::Nothing);
        }
        let now = engine.now();
        let open = engine.store.pairing_requests(now).await?;
        let person = self.kind.person(user);
        let recent = open
            .iter()
            .any(|request| request.person == person && asked_at(request) > before(now, BETWEEN_CODES));
        if recent || (open.len() >= MOST_CODES && !open.iter().any(|request| request.person == person)) {
            return Ok(Heard::Nothing);
        }
        let code = code(engine.ids.next());
        let text = format!(
            "I do not know you yet. Your pairing code is {code}. It is valid for ten minutes.\n\
             The owner of this assistant lets you in with: throughline pairing approve {code}"
        );
        let items = compose(&chat, &Lane::Root, Draft::Text(&text, Vec::new()));
        let until = now.saturating_add(CODE_HOLDS).unwrap_or(now);
        Ok(Heard::Pairing(PairingRequest { code, person, name, chat, until }, items))
    }
}

fn asked_at(request: &PairingRequest) -> Timestamp {
    before(request.until, CODE_HOLDS)
}

fn before(moment: Timestamp, time: SignedDuration) -> Timestamp {
    moment.saturating_sub(time).unwrap_or(moment)
}

/// Eight letters of an id's random end.
fn code(id: Uuid) -> String {
    let bits = id.as_u128();
    let letter = |place: u32| ALPHABET.get((bits >> (place * 5)) as usize % ALPHABET.len()).copied();
    (0..8).filter_map(letter).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_eight_letters_that_differ() {
        let codes: BTreeSet<String> =
            (0..1_000u128).map(|n| code(Uuid::from_u128(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))).collect();
        assert_eq!(codes.len(), 1_000);
        assert!(
            codes.iter().all(|code| code.len() == 8 && code.bytes().all(|byte| ALPHABET.contains(&byte)))
        );
    }
}
