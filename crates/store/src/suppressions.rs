//! Suppression: keyed hashes of forgotten values keep those values from coming in again.

use jiff::Timestamp;
use throughline_domain::forget::{Suppression, SuppressionList};
use throughline_domain::message::Message;
use throughline_domain::metadata::change_each_text;

use crate::messages::{Append, Origin};
use crate::tx::Tx;
use crate::{Error, Result};

const KEY: &str = "suppression_key";

/// The key of this home's hashes; random, and made once.
pub(crate) fn key(tx: &Tx<'_>) -> Result<[u8; 32]> {
    tx.add_random_setting(KEY)?;
    let text = tx.setting(KEY)?.unwrap_or_default();
    let mut key = [0u8; 32];
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        *byte = u8::from_str_radix(digits, 16).map_err(|error| Error::Unreadable(error.to_string()))?;
    }
    Ok(key)
}

/// The values that were forgotten in a chat, each with when.
pub(crate) struct Suppressor {
    key: [u8; 32],
    suppressions: Vec<(Suppression, Timestamp)>,
    all: SuppressionList,
}

impl Suppressor {
    /// The suppressor of a chat and a person; nothing if nothing was forgotten.
    pub fn read(tx: &Tx<'_>, chat: i64, person: Option<&str>) -> Result<Option<Self>> {
        let suppressions = tx.suppressions(chat, person)?;
        if suppressions.is_empty() {
            return Ok(None);
        }
        let key = key(tx)?;
        let all: Vec<_> = suppressions.iter().map(|(suppression, _)| suppression.clone()).collect();
        Ok(Some(Self { key, suppressions, all: SuppressionList::new(key, &all) }))
    }

    /// The message without what was forgotten after it was said; nothing if it may stay as it is.
    pub fn apply(&self, append: &Append) -> Option<Message> {
        let is_undated = matches!(append.origin, Origin::File { dated: false, .. });
        let said = (!is_undated).then_some(append.message.occurred_at);
        let mut message = append.message.clone();
        let mut changed = self.suppress(&mut message.text, said);
        change_each_text(&mut message.metadata, |text| changed |= self.suppress(text, said));
        changed.then_some(message)
    }

    /// Takes what was forgotten after a moment out of a text, and returns whether there was any.
    fn suppress(&self, text: &mut String, said: Option<Timestamp>) -> bool {
        let held: Vec<Suppression> = self
            .suppressions
            .iter()
            .filter(|(_, at)| said.is_none_or(|said| said < *at))
            .map(|(suppression, _)| suppression.clone())
            .collect();
        let suppressed = match held.len() {
            0 => None,
            all if all == self.suppressions.len() => self.all.suppressed(text),
            _ => SuppressionList::new(self.key, &held).suppressed(text),
        };
        let changed = suppressed.is_some();
        if let Some(suppressed) = suppressed {
            *text = suppressed;
        }
        changed
    }
}
