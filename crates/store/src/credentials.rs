//! Credentials of HTTP clients: API tokens, one-time sign-in codes and sessions. Only their hashes are stored.

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};
use throughline_domain::access::Access;

use crate::{Error, Result, Store};

/// The hash of a credential or of a request.
pub type Hash = [u8; 32];

/// The kinds of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum CredentialKind {
    /// An API token.
    Token,
    /// A one-time sign-in link.
    Code,
    /// A signed-in browser.
    Session,
}

/// A credential without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The name of a token; empty for the others.
    pub name: String,
    /// The access it grants.
    pub access: Access,
    /// When it was created, by the real clock.
    pub created_at: Timestamp,
    /// When it expires, by the real clock.
    pub expires_at: Option<Timestamp>,
}

impl Store {
    /// Adds a credential, and deletes expired ones.
    ///
    /// # Errors
    /// If a token with this name exists, or the store cannot be written.
    pub async fn add_credential(
        &self,
        kind: CredentialKind,
        hash: Hash,
        credential: Credential,
    ) -> Result<()> {
        self.write(move |tx| {
            tx.delete_expired_credentials(credential.created_at)?;
            let is_taken = tx.tokens()?.iter().any(|token| token.name == credential.name);
            if kind == CredentialKind::Token && is_taken {
                let name = &credential.name;
                return Err(Error::Conflict(format!(
                    "there is a token named {name:?}; choose another name, or revoke it first"
                )));
            }
            tx.insert_credential(kind, &hash, &credential)
        })
        .await
    }

    /// The credential with this hash, unless it has expired.
    pub async fn credential(
        &self,
        kind: CredentialKind,
        hash: Hash,
        now: Timestamp,
    ) -> Result<Option<Credential>> {
        self.read(move |tx| tx.credential(kind, &hash, now)).await
    }

    /// The tokens, oldest first.
    pub async fn tokens(&self) -> Result<Vec<Credential>> {
        self.read(|tx| tx.tokens()).await
    }

    /// Deletes the token with this name. Returns false if there was none.
    pub async fn revoke_token(&self, name: &str) -> Result<bool> {
        let name = name.to_owned();
        self.write(move |tx| tx.delete_token(&name)).await
    }

    /// Uses up a sign-in code and creates a session with the same access; `None` if the code is unknown, used or
    /// expired.
    pub async fn sign_in(
        &self,
        code: Hash,
        session: Hash,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Credential>> {
        self.write(move |tx| {
            let Some(found) = tx.credential(CredentialKind::Code, &code, now)? else { return Ok(None) };
            tx.delete_credential(&code)?;
            let begun = Credential { created_at: now, expires_at: Some(until), ..found };
            tx.insert_credential(CredentialKind::Session, &session, &begun)?;
            Ok(Some(begun))
        })
        .await
    }

    /// Ends a session.
    pub async fn sign_out(&self, session: Hash) -> Result<()> {
        self.write(move |tx| tx.delete_credential(&session)).await
    }
}
