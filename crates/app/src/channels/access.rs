//! Who is served on a channel. An empty list serves nobody; an unknown person gets no answer, or a pairing code that the
//! owner can approve, at the command line or with a button in the owner's own chat.

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

/// How long a code is valid.
const CODE_HOLDS: SignedDuration = SignedDuration::from_mins(10);
/// Minimum time between two codes for one person.
const BETWEEN_CODES: SignedDuration = SignedDuration::from_mins(1);
/// Maximum number of people with a valid code.
const MOST_CODES: usize = 20;
/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Maximum number of people of whom the owner is told in an hour.
const MOST_NOTICES: usize = 5;
/// Maximum length of a name that the owner is shown, in characters.
const LONGEST_NAME: usize = 64;

/// The people that a channel serves.
pub struct Access {
    kind: ChannelKind,
    /// The owner, who is asked about others.
    owner: Option<String>,
    listed: BTreeSet<String>,
    pairing: bool,
}

/// A person who is not served.
pub struct Asker {
    /// The channel's id of the person.
    pub id: String,
    /// The name that they show.
    pub name: String,
    /// The name by which others find them.
    pub handle: Option<String>,
}

impl Access {
    /// Serves the people of the settings, by the channel's ids, and those that were paired.
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

    /// Gives a pairing code to an unknown person in a private chat, if pairing is on, and asks the owner about them.
    pub async fn request_pairing(
        &self,
        asker: Asker,
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
        if recent || (open.len() >= MOST_CODES && !open.iter().any(|request| request.person == person)) {
            return Ok(InboundUpdate::Nothing);
        }
        let code = code(engine.ids.next());
        let text = format!(
            "I do not know you yet. Your pairing code is {code}. It is valid for ten minutes.\n\
             The owner of this assistant lets you in with: throughline pairing approve {code}"
        );
        let items = compose(&chat, &Lane::Root, Draft::Text(&text, Vec::new()));
        let until = now.saturating_add(CODE_HOLDS).unwrap_or(now);
        let notice = self.notice(&asker, &person, engine).await?;
        Ok(InboundUpdate::Pairing(
            PairingRequest { code, person, name: asker.name, chat, until },
            items,
            notice,
        ))
    }

    /// The question to the owner about a person: not again about the same one, and not about many in an hour.
    async fn notice(
        &self,
        asker: &Asker,
        person: &str,
        engine: &Engine,
    ) -> throughline_store::Result<Option<OwnerNotice>> {
        let Some(owner) = &self.owner else { return Ok(None) };
        let Some(chat) = self.kind.chat(owner) else { return Ok(None) };
        let told = engine.store.pairing_notices(engine.now()).await?;
        if told.len() >= MOST_NOTICES || told.iter().any(|known| known == person) {
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
