//! Pairing: people request access with a code, and get it once the owner approves.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;

use crate::arrivals::PairingRequest;
use crate::outbox::{Button, NewOutboxItem};
use crate::tx::Tx;
use crate::{Result, Store};

/// How long a rejected person cannot ask again.
const REJECTION_PERIOD: SignedDuration = SignedDuration::from_hours(24);
/// How long the owner is not notified of the same person again.
pub const NOTICE_HOLDS: SignedDuration = SignedDuration::from_hours(1);

/// The notice of a request to the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerNotice {
    /// The items to send.
    pub outbox: Vec<NewOutboxItem>,
    /// The buttons under them.
    pub buttons: Vec<Button>,
}

/// A person with access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedPerson {
    /// The person, such as `telegram:4711`.
    pub person: String,
    /// Their name.
    pub name: String,
    /// When they were paired.
    pub at: Timestamp,
}

impl Store {
    /// The pairing requests whose codes are still valid, oldest first.
    pub async fn pairing_requests(&self, now: Timestamp) -> Result<Vec<PairingRequest>> {
        self.read(move |tx| tx.pairing_requests(now)).await
    }

    /// Approves the request with this code; `None` if the code is unknown or expired.
    pub async fn approve_pairing(
        &self,
        code: &str,
        now: Timestamp,
    ) -> Result<Option<(PairedPerson, ChatId)>> {
        let code = code.to_owned();
        self.write(move |tx| approve(tx, &code, now)).await
    }

    /// Rejects the request with this code; `None` if the code is unknown or expired.
    pub async fn reject_pairing(&self, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
        let code = code.to_owned();
        self.write(move |tx| reject(tx, &code, now)).await
    }

    /// Returns true if a person was rejected and cannot ask again yet.
    pub async fn is_rejected(&self, person: &str, now: Timestamp) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |tx| tx.is_pairing_rejected(&person, now)).await
    }

    /// The people of whom the owner was notified recently.
    pub async fn pairing_notices(&self, now: Timestamp) -> Result<Vec<String>> {
        self.read(move |tx| tx.pairing_notices(now)).await
    }

    /// Deletes expired codes and buttons.
    pub async fn tidy(&self, now: Timestamp) -> Result<()> {
        if !self.read(move |tx| tx.has_expired(now)).await? {
            return Ok(());
        }
        self.write(move |tx| {
            tx.delete_expired_pairing_requests(now)?;
            tx.delete_expired_buttons(now)
        })
        .await
    }

    /// The paired people.
    pub async fn paired_people(&self) -> Result<Vec<PairedPerson>> {
        self.read(|tx| tx.paired_people()).await
    }

    /// Returns true if a person is paired.
    pub async fn is_paired(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |tx| tx.is_paired(&person)).await
    }

    /// Ends a pairing. Returns false if there was none.
    pub async fn revoke_pairing(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.write(move |tx| tx.delete_paired_person(&person)).await
    }
}

/// Stores a request. A person has one code at a time.
pub(crate) fn add_request(
    tx: &Tx<'_>,
    request: &PairingRequest,
    notice: Option<&OwnerNotice>,
    at: Timestamp,
) -> Result<()> {
    tx.delete_expired_pairing_requests(at)?;
    tx.delete_pairing_requests(&request.person)?;
    tx.insert_pairing_request(request, at)?;
    let Some(notice) = notice else { return Ok(()) };
    let until = at.saturating_add(NOTICE_HOLDS).unwrap_or(at);
    tx.put_pairing_notice(&request.person, until)?;
    notice.outbox.iter().try_for_each(|item| tx.insert_outbox_item(item, None, None).map(drop))?;
    notice.buttons.iter().try_for_each(|button| tx.insert_button(button))
}

/// Approves the person who has a code.
pub(crate) fn approve(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<(PairedPerson, ChatId)>> {
    let Some(request) = use_code(tx, code, now)? else { return Ok(None) };
    let paired = PairedPerson { person: request.person, name: request.name, at: now };
    let at = tx.put_paired_person(&paired)?;
    Ok(Some((PairedPerson { at, ..paired }, request.chat)))
}

/// Rejects the person who has a code.
pub(crate) fn reject(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
    let Some(request) = use_code(tx, code, now)? else { return Ok(None) };
    tx.put_pairing_rejection(&request.person, now.saturating_add(REJECTION_PERIOD).unwrap_or(now))?;
    Ok(Some(request))
}

/// Uses up a code.
fn use_code(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
    let Some(request) = tx.pairing_request(code, now)? else { return Ok(None) };
    tx.delete_pairing_requests(&request.person)?;
    Ok(Some(request))
}
