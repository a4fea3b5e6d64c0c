//! Who may speak. An empty list serves nobody; somebody unknown gets silence, or a code that the owner can approve.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::arrivals::Heard;
use throughline_store::arrivals::PairingRequest;
use uuid::Uuid;

use super::target::SendTarget;
use super::update::{chat_id, person};
use super::wire::{Chat, User};
use crate::config::settings::Telegram;

/// So long a code holds.
const CODE_HOLDS: SignedDuration = SignedDuration::from_mins(10);
/// Nobody is given a second code sooner.
const BETWEEN_CODES: SignedDuration = SignedDuration::from_mins(1);
/// So many people may hold a code at a time.
const MOST_CODES: usize = 20;
/// Letters and digits that are not taken for each other.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The list of those who may speak.
pub struct Access {
    listed: BTreeSet<i64>,
    pairing: bool,
}

impl Access {
    /// The list, as the settings have it.
    pub fn new(settings: &Telegram, pairing: bool) -> Self {
        let listed = settings.user_id.iter().chain(&settings.allowed_users);
        Self { listed: listed.filter_map(|user| i64::try_from(user.0).ok()).collect(), pairing }
    }

    /// Whether nobody is on the list, and nobody can get there.
    pub fn is_closed(&self) -> bool {
        self.listed.is_empty() && !self.pairing
    }

    /// Whether somebody is served.
    pub async fn serves(&self, user: &User, engine: &Engine) -> throughline_store::Result<bool> {
        if user.is_bot {
            return Ok(false);
        }
        Ok(self.listed.contains(&user.id) || engine.store.is_paired(&person(user.id)).await?)
    }

    /// What somebody gets who is not served: silence, or a code to be approved.
    pub async fn request_pairing(
        &self,
        user: &User,
        chat: &Chat,
        engine: &Engine,
    ) -> throughline_store::Result<Heard> {
        let Some(place) = chat_id(chat.id) else { return Ok(Heard::Nothing) };
        if !self.pairing || user.is_bot || !chat.is_private() {
            return Ok(Heard::Nothing);
        }
        let now = engine.now();
        let open = engine.store.pairing_requests(now).await?;
        let who = person(user.id);
        let recent = open
            .iter()
            .any(|request| request.person == who && asked_at(request) > before(now, BETWEEN_CODES));
        if recent || (open.len() >= MOST_CODES && !open.iter().any(|request| request.person == who)) {
            return Ok(Heard::Nothing);
        }
        let code = code(engine.ids.next());
        let text = format!(
            "I do not know you yet. Your pairing code is {code}. It holds for ten minutes.\n\
             The owner of this assistant lets you in with: throughline pairing approve {code}"
        );
        let request = PairingRequest {
            code,
            person: who,
            name: user.name(),
            chat: place.clone(),
            until: now.saturating_add(CODE_HOLDS).unwrap_or(now),
        };
        let post = SendTarget::of(&place, &Lane::Root).text(&text).into_iter().next();
        Ok(post.map_or(Heard::Nothing, |post| Heard::Knocked(request, post)))
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
