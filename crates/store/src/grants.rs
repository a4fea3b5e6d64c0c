//! Granted access that can be revoked: HTTP credentials and paired people. Restoring a backup must not bring back
//! revoked access.

use crate::credentials::Hash;
use crate::tx::Tx;
use crate::{Result, Store};

/// Everyone who has access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// The hashes of credentials.
    pub credentials: Vec<Hash>,
    /// The paired people.
    pub people: Vec<String>,
}

/// The access that was revoked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevokedAccess {
    /// The names of tokens.
    pub tokens: Vec<String>,
    /// The people who were paired.
    pub people: Vec<String>,
}

impl Store {
    /// Revokes all access except this.
    pub async fn revoke_all_except(&self, granted: Grants) -> Result<RevokedAccess> {
        self.write(move |tx| {
            let mut ended = RevokedAccess::default();
            for (hash, token) in tx.credential_hashes()? {
                if !granted.credentials.contains(&hash) {
                    tx.delete_credential(&hash)?;
                    ended.tokens.extend(token);
                }
            }
            for paired in tx.paired_people()? {
                if !granted.people.contains(&paired.person) {
                    tx.delete_paired_person(&paired.person)?;
                    ended.people.push(paired.person);
                }
            }
            Ok(ended)
        })
        .await
    }
}

/// The current access.
pub(crate) fn grants(tx: &Tx<'_>) -> Result<Grants> {
    let credentials = tx.credential_hashes()?.into_iter().map(|(hash, _)| hash).collect();
    let people = tx.paired_people()?.into_iter().map(|paired| paired.person).collect();
    Ok(Grants { credentials, people })
}
