//! Pairing by buttons: the owner sees who requests access, and approves or rejects the request in the chat.

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_store::arrivals::PairingRequest;
use throughline_store::effects::Effect;

use super::choices::{Action, Bundle, Pressed, Question};
use crate::{Engine, Result};

/// Lifetime of the buttons. They work while the person has a valid code, which a new request renews.
const BUTTON_LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// The message to a person who was approved.
pub const WELCOME: &str = "You are in. Write to me, and I will remember.";

impl Engine {
    /// Asks the owner whether a person may talk to the assistant. `who` describes the person.
    #[must_use]
    pub fn ask_about_pairing(&self, chat: &ChatId, owner: &str, person: &str, who: &str) -> Question {
        let bundle =
            Bundle { engine: self, chat, person: owner, id: self.ids.next(), lifetime: BUTTON_LIFETIME };
        let person = || person.to_owned();
        bundle.question(
            format!("{who} wants to talk to me. Approve it within ten minutes?"),
            &[
                ("Approve", Action::Approve { person: person() }),
                ("Reject", Action::Reject { person: person() }),
            ],
        )
    }

    pub(super) async fn approve_by_button(
        &self,
        person: &str,
    ) -> Result<std::result::Result<Pressed, &'static str>> {
        if self.store.is_paired(person).await? {
            return Ok(Ok(Pressed::text("They may talk to me already.")));
        }
        let Some(request) = self.pairing_request_of(person).await? else { return Ok(Err(TOO_LATE)) };
        let text = format!("✓ {} may talk to me now.", named(&request));
        Ok(Ok(Pressed {
            effects: vec![Effect::Approve { code: request.code, at: self.now() }],
            messages_to_others: vec![(request.chat, WELCOME.to_owned())],
            ..Pressed::text(&text).and_recorded()
        }))
    }

    pub(super) async fn reject_by_button(
        &self,
        person: &str,
    ) -> Result<std::result::Result<Pressed, &'static str>> {
        if self.store.is_paired(person).await? {
            return Ok(Err("They were approved; `throughline pairing revoke` ends that."));
        }
        let Some(request) = self.pairing_request_of(person).await? else { return Ok(Err(TOO_LATE)) };
        let text = format!("{} was turned away, and cannot ask again for a day.", named(&request));
        let effects = vec![Effect::Reject { code: request.code, at: self.now() }];
        Ok(Ok(Pressed { effects, ..Pressed::text(&text).and_recorded() }))
    }

    async fn pairing_request_of(&self, person: &str) -> Result<Option<PairingRequest>> {
        let open = self.store.pairing_requests(self.now()).await?;
        Ok(open.into_iter().find(|request| request.person == person))
    }
}

/// The answer to a press after the person's code has expired.
const TOO_LATE: &str = "The ten minutes are over. Let them write to me again, then press once more.";

fn named(request: &PairingRequest) -> String {
    let number = request.person.rsplit(':').next().unwrap_or_default();
    format!("{} ({number})", request.name)
}
