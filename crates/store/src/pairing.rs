//! Pairing: people ask with a code, and are served once it is approved.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;

use crate::arrivals::PairingRequest;
use crate::outbox::{Button, NewOutboxItem};
use crate::tx::Tx;
use crate::{Result, Store};

/// Time for which a person who was rejected cannot ask again.
const REJECTED_FOR: SignedDuration = SignedDuration::from_hours(24);
/// Time for which the owner is not told of the same person again.
pub const NOTICE_HOLDS: SignedDuration = SignedDuration::from_hours(1);

/// What the owner is shown of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerNotice {
    /// The items to send.
    pub outbox: Vec<NewOutboxItem>,
    /// The buttons under them.
    pub buttons: Vec<Button>,
}

/// A person who is served.
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

    /// Pairs the person who was given this code; nothing if the code is unknown or has expired.
    pub async fn approve_pairing(
        &self,
        code: &str,
        now: Timestamp,
    ) -> Result<Option<(PairedPerson, ChatId)>> {
        let code = code.to_owned();
        self.write(move |tx| approve(tx, &code, now)).await
    }

    /// Rejects the request with this code; nothing if the code is unknown or has expired.
    pub async fn reject_pairing(&self, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
        let code = code.to_owned();
        self.write(move |tx| reject(tx, &code, now)).await
    }

    /// Whether a person was rejected and cannot ask again yet.
    pub async fn is_rejected(&self, person: &str, now: Timestamp) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |tx| tx.is_pairing_rejected(&person, now)).await
    }

    /// The people of whom the owner was told not long ago.
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

    /// Whether a person is paired.
    pub async fn is_paired(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |tx| tx.is_paired(&person)).await
    }

    /// Ends a pairing, and returns whether there was one.
    pub async fn revoke_pairing(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.write(move |tx| tx.delete_paired_person(&person)).await
    }
}

/// Notes a request. A person has one code at a time.
pub(crate) fn note(
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

/// Pairs the person who holds a code.
pub(crate) fn approve(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<(PairedPerson, ChatId)>> {
    let Some(request) = take(tx, code, now)? else { return Ok(None) };
    let paired = PairedPerson { person: request.person, name: request.name, at: now };
    let at = tx.put_paired_person(&paired)?;
    Ok(Some((PairedPerson { at, ..paired }, request.chat)))
}

/// Rejects the person who holds a code.
pub(crate) fn reject(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
    let Some(request) = take(tx, code, now)? else { return Ok(None) };
    tx.put_pairing_rejection(&request.person, now.saturating_add(REJECTED_FOR).unwrap_or(now))?;
    Ok(Some(request))
}

/// Uses up a code.
fn take(tx: &Tx<'_>, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
    let Some(request) = tx.pairing_request(code, now)? else { return Ok(None) };
    tx.delete_pairing_requests(&request.person)?;
    Ok(Some(request))
}
