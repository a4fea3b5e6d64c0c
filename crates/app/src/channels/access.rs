//! Decides whom a channel serves. If the list is empty, nobody is served. An unknown person gets no answer, or a
//! pairing code that the owner can approve at the command line or with a button in the owner's own chat.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::arrivals::InboundUpdate;
use throughline_store::arrivals::PairingRequest;
use throughline_store::pairing::OwnerNotice;
use uuid::Uuid;

use super::{Draft, compose};

/// Lifetime of a pairing code.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// Minimum time between two codes for one person.
const BETWEEN_CODES: SignedDuration = SignedDuration::from_mins(1);
/// Maximum number of valid codes.
const MAX_CODES: usize = 20;
/// The characters of a code: letters and digits that cannot be confused with each other.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Maximum number of people per hour about whom the owner is notified.
const MAX_NOTICES: usize = 5;
/// Maximum length of a name that the owner is shown, in characters.
const LONGEST_NAME: usize = 64;

/// The people that a channel serves.
pub struct Access {
    kind: ChannelKind,
    /// The owner, who approves others.
    owner: Option<String>,
    listed: BTreeSet<String>,
    pairing: bool,
}

/// A person who is not served yet.
pub struct UnknownPerson {
    /// The channel's id of the person.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The public user name.
    pub handle: Option<String>,
}

impl Access {
    /// Serves the people in the settings, by the channel's ids, and paired people.
    pub fn new(
        kind: ChannelKind,
        owner: Option<String>,
        listed: impl Iterator<Item = String>,
        pairing: bool,
    ) -> Self {
        Self { kind, owner, listed: listed.collect(), pairing }
    }

    /// Whether nobody is served, and nobody can be paired.
    pub async fn serves_nobody(&self, engine: &Engine) -> throughline_store::Result<bool> {
        Ok(self.listed.is_empty() && !self.pairing && engine.store.paired_people().await?.is_empty())
    }

    /// Whether a person is served.
    pub async fn serves(&self, user: &str, engine: &Engine) -> throughline_store::Result<bool> {
        Ok(self.listed.contains(user) || engine.store.is_paired(&self.kind.person(user)).await?)
    }

    /// Sends a pairing code to an unknown person in a private chat, if pairing is on, and notifies the owner.
    pub async fn request_pairing(
        &self,
        asker: UnknownPerson,
        chat: ChatId,
        engine: &Engine,
    ) -> throughline_store::Result<InboundUpdate> {
        let now = engine.now();
        let person = self.kind.person(&asker.id);
        if !self.pairing || engine.store.is_rejected(&person, now).await? {
            return Ok(InboundUpdate::Nothing);
        }
        let open = engine.store.pairing_requests(now).await?;
        let recent = open
            .iter()
            .any(|request| request.person == person && asked_at(request) > before(now, BETWEEN_CODES));
        if recent || (open.len() >= MAX_CODES && !open.iter().any(|request| request.person == person)) {
            return Ok(InboundUpdate::Nothing);
        }
        let code = code(engine.ids.next());
        let text = format!(
            "I do not know you yet. Your pairing code is {code}. It is valid for ten minutes.\n\
             The owner of this assistant lets you in with: throughline pairing approve {code}"
        );
        let items = compose(&chat, &Lane::Root, Draft::Text(&text, Vec::new()));
        let until = now.saturating_add(CODE_LIFETIME).unwrap_or(now);
        let notice = self.notice(&asker, &person, engine).await?;
        Ok(InboundUpdate::Pairing(
            PairingRequest { code, person, name: asker.name, chat, until },
            items,
            notice,
        ))
    }

    /// The question to the owner about a person; `None` if the owner was asked before, or too often in the last hour.
    async fn notice(
        &self,
        asker: &UnknownPerson,
        person: &str,
        engine: &Engine,
    ) -> throughline_store::Result<Option<OwnerNotice>> {
        let Some(owner) = &self.owner else { return Ok(None) };
        let Some(chat) = self.kind.chat(owner) else { return Ok(None) };
        let notices = engine.store.pairing_notices(engine.now()).await?;
        if notices.len() >= MAX_NOTICES || notices.iter().any(|known| known == person) {
            return Ok(None);
        }
        let name: String = asker.name.chars().take(LONGEST_NAME).collect();
        let handle = asker.handle.iter().map(|handle| format!("@{handle}"));
        let known_as: Vec<String> = handle.chain([format!("number {}", asker.id)]).collect();
        let who = format!("{name} ({})", known_as.join(", "));
        let question = engine.ask_about_pairing(&chat, &self.kind.person(owner), person, &who);
        let outbox = compose(&chat, &Lane::Root, Draft::Text(&question.text, question.choices));
        Ok(Some(OwnerNotice { outbox, buttons: question.buttons }))
    }
}

fn asked_at(request: &PairingRequest) -> Timestamp {
    before(request.until, CODE_LIFETIME)
}

fn before(moment: Timestamp, time: SignedDuration) -> Timestamp {
    moment.saturating_sub(time).unwrap_or(moment)
}

/// A code of eight characters, from the random end of an id.
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
