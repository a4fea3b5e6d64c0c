//! Credentials, claims of chats, and requests that were carried out.

use jiff::Timestamp;
use rusqlite::{Row, params};
use throughline_domain::access::Access;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use super::Tx;
use super::rows::{Id, Moment, json, parse, to_json};
use crate::Result;
use crate::credentials::{Credential, CredentialKind, Hash};
use crate::requests::DoneRequest;

impl Tx<'_> {
    pub fn insert_credential(
        &self,
        kind: CredentialKind,
        hash: &Hash,
        credential: &Credential,
    ) -> Result<()> {
        let (person, chat) = match &credential.access {
            Access::Everything => (None, None),
            Access::Person(person) => (Some(person), None),
            Access::Chat(chat) => (None, Some(chat.as_str())),
        };
        self.execute(
            "INSERT INTO credentials (hash, kind, name, person, chat, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                hash.as_slice(),
                <&str>::from(kind),
                credential.name,
                person,
                chat,
                Moment(credential.created_at),
                credential.expires_at.map(Moment)
            ],
        )
    }

    pub fn credential(
        &self,
        kind: CredentialKind,
        hash: &Hash,
        now: Timestamp,
    ) -> Result<Option<Credential>> {
        self.first(
            "SELECT name, person, chat, created_at, expires_at FROM credentials WHERE hash = ?1 AND kind = ?2 \
             AND coalesce(expires_at > ?3, 1)",
            params![hash.as_slice(), <&str>::from(kind), Moment(now)],
            credential,
        )
    }

    pub fn tokens(&self) -> Result<Vec<Credential>> {
        self.all(
            "SELECT name, person, chat, created_at, expires_at FROM credentials WHERE kind = 'token' ORDER BY created_at, name",
            [],
            credential,
        )
    }

    pub fn credential_hashes(&self) -> Result<Vec<(Hash, Option<String>)>> {
        let all =
            "SELECT hash, CASE kind WHEN 'token' THEN name END FROM credentials ORDER BY created_at, name";
        self.all(all, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub fn delete_token(&self, name: &str) -> Result<bool> {
        Ok(self.run("DELETE FROM credentials WHERE kind = 'token' AND name = ?1", [name])? > 0)
    }

    pub fn delete_credential(&self, hash: &Hash) -> Result<()> {
        self.execute("DELETE FROM credentials WHERE hash = ?1", [hash.as_slice()])
    }

    pub fn delete_expired_credentials(&self, now: Timestamp) -> Result<()> {
        self.execute("DELETE FROM credentials WHERE expires_at <= ?1", [Moment(now)])
    }

    pub fn has_token_of(&self, chat: &ChatId) -> Result<bool> {
        self.has("SELECT 1 FROM credentials WHERE kind = 'token' AND chat = ?1", [chat.as_str()])
    }

    pub fn claims(&self) -> Result<Vec<(ChatId, String)>> {
        self.all("SELECT chat, person FROM claims", [], |row| {
            Ok((parse(&row.get::<_, String>(0)?)?, row.get(1)?))
        })
    }

    pub fn claim(&self, chat: &ChatId) -> Result<Option<String>> {
        self.value("SELECT person FROM claims WHERE chat = ?1", [chat.as_str()])
    }

    pub fn insert_claim(&self, chat: &ChatId, person: &str) -> Result<()> {
        self.execute("INSERT INTO claims (chat, person) VALUES (?1, ?2)", [chat.as_str(), person])
    }

    pub fn request(&self, key: &Hash) -> Result<Option<DoneRequest>> {
        self.first("SELECT body, message, memories FROM requests WHERE key = ?1", [key.as_slice()], |row| {
            Ok(DoneRequest {
                body: row.get(0)?,
                message: MessageId(row.get::<_, Id>(1)?.0),
                memories: json(row, 2)?,
            })
        })
    }

    pub fn insert_request(&self, key: &Hash, done: &DoneRequest, at: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO requests (key, body, message, memories, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                key.as_slice(),
                done.body.as_slice(),
                Id(done.message.0),
                to_json(&done.memories)?,
                Moment(at)
            ],
        )
    }

    pub fn delete_requests_before(&self, at: Timestamp) -> Result<()> {
        self.execute("DELETE FROM requests WHERE at < ?1", [Moment(at)])
    }
}

fn credential(row: &Row<'_>) -> Result<Credential> {
    let chat = row.get::<_, Option<String>>(2)?.map(|chat| parse(&chat)).transpose()?;
    let access = match (row.get::<_, Option<String>>(1)?, chat) {
        (Some(person), _) => Access::Person(person),
        (None, Some(chat)) => Access::Chat(chat),
        (None, None) => Access::Everything,
    };
    Ok(Credential {
        name: row.get(0)?,
        access,
        created_at: row.get::<_, Moment>(3)?.0,
        expires_at: row.get::<_, Option<Moment>>(4)?.map(|at| at.0),
    })
}
