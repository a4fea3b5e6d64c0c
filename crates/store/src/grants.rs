//! Access that was granted and can be revoked: credentials of HTTP, and paired people. A restored backup must not bring back
//! what was revoked.

use crate::credentials::Hash;
use crate::tx::Tx;
use crate::{Result, Store};

/// Who has access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// The hashes of credentials.
    pub credentials: Vec<Hash>,
    /// The paired people.
    pub people: Vec<String>,
}

/// Whose access was ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// The names of tokens.
    pub tokens: Vec<String>,
    /// The people who were paired.
    pub people: Vec<String>,
}

impl Store {
    /// Ends all access but this.
    pub async fn end_all_but(&self, granted: Grants) -> Result<Ended> {
        self.write(move |tx| {
            let mut ended = Ended::default();
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

/// Who has access now.
pub(crate) fn grants(tx: &Tx<'_>) -> Result<Grants> {
    let credentials = tx.credential_hashes()?.into_iter().map(|(hash, _)| hash).collect();
    let people = tx.paired_people()?.into_iter().map(|paired| paired.person).collect();
    Ok(Grants { credentials, people })
}
