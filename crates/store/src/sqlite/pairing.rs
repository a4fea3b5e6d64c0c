//! Who asked to be let in, and who was.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use throughline_domain::chat::ChatId;

use super::Sqlite;
use super::rows::{Moment, parse};
use crate::Result;
use crate::arrivals::PairingRequest;
use crate::pairing::PairedPerson;

const KNOCK: &str = "SELECT code, person, name, chat, expires_at FROM pairing_requests";

impl Sqlite {
    pub async fn pairing_requests(&self, now: Timestamp) -> Result<Vec<PairingRequest>> {
        self.read(move |transaction| {
            let mut statement =
                transaction.prepare(&format!("{KNOCK} WHERE expires_at > ?1 ORDER BY at, code"))?;
            let mut rows = statement.query([Moment(now)])?;
            let mut pairing_requests = Vec::new();
            while let Some(row) = rows.next()? {
                pairing_requests.push(request(row)?);
            }
            Ok(pairing_requests)
        })
        .await
    }

    pub async fn approve_pairing(
        &self,
        code: &str,
        now: Timestamp,
    ) -> Result<Option<(PairedPerson, ChatId)>> {
        let code = code.to_owned();
        self.write(move |transaction| {
            let Some(request) = take(transaction, &code, now)? else { return Ok(None) };
            transaction.execute(
                "INSERT INTO paired_people (person, name, at) VALUES (?1, ?2, ?3) ON CONFLICT (person) DO UPDATE SET name = ?2",
                params![request.person, request.name, Moment(now)],
            )?;
            Ok(Some((PairedPerson { person: request.person, name: request.name, at: now }, request.chat)))
        })
        .await
    }

    pub async fn reject_pairing(&self, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
        let code = code.to_owned();
        self.write(move |transaction| take(transaction, &code, now)).await
    }

    pub async fn tidy(&self, now: Timestamp) -> Result<()> {
        let over = self
            .read(move |transaction| {
                let sql = "SELECT EXISTS (SELECT 1 FROM pairing_requests WHERE expires_at <= ?1) OR EXISTS (SELECT 1 FROM buttons WHERE expires_at <= ?1)";
                Ok(transaction.prepare_cached(sql)?.query_row([Moment(now)], |row| row.get::<_, bool>(0))?)
            })
            .await?;
        if !over {
            return Ok(());
        }
        self.write(move |transaction| {
            for table in ["pairing_requests", "buttons"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE expires_at <= ?1"), [Moment(now)])?;
            }
            Ok(())
        })
        .await
    }

    pub async fn paired_people(&self) -> Result<Vec<PairedPerson>> {
        self.read(|transaction| {
            let mut statement =
                transaction.prepare("SELECT person, name, at FROM paired_people ORDER BY at, person")?;
            let rows = statement.query_map([], |row| {
                Ok(PairedPerson { person: row.get(0)?, name: row.get(1)?, at: row.get::<_, Moment>(2)?.0 })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn is_paired(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |transaction| {
            Ok(transaction
                .prepare_cached("SELECT 1 FROM paired_people WHERE person = ?1")?
                .exists([person])?)
        })
        .await
    }

    pub async fn revoke_pairing(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.write(move |transaction| {
            Ok(transaction.execute("DELETE FROM paired_people WHERE person = ?1", [person])? > 0)
        })
        .await
    }
}

/// Notes who knocked. A person has one code at a time, and codes that ran out go.
pub(super) fn note(transaction: &Transaction<'_>, request: &PairingRequest, at: Timestamp) -> Result<()> {
    transaction.execute(
        "DELETE FROM pairing_requests WHERE person = ?1 OR expires_at <= ?2",
        params![request.person, Moment(at)],
    )?;
    transaction.execute(
        "INSERT INTO pairing_requests (code, person, name, chat, at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            request.code,
            request.person,
            request.name,
            request.chat.as_str(),
            Moment(at),
            Moment(request.until)
        ],
    )?;
    Ok(())
}

/// A code can be used once.
fn take(transaction: &Transaction<'_>, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
    let mut statement = transaction.prepare(&format!("{KNOCK} WHERE code = ?1 AND expires_at > ?2"))?;
    let mut rows = statement.query(params![code, Moment(now)])?;
    let Some(found) = rows.next()?.map(request).transpose()? else { return Ok(None) };
    let mut delete = transaction.prepare("DELETE FROM pairing_requests WHERE person = ?1 RETURNING 1")?;
    delete.query_row([&found.person], |_| Ok(())).optional()?;
    Ok(Some(found))
}

fn request(row: &Row<'_>) -> Result<PairingRequest> {
    Ok(PairingRequest {
        code: row.get(0)?,
        person: row.get(1)?,
        name: row.get(2)?,
        chat: parse(&row.get::<_, String>(3)?)?,
        until: row.get::<_, Moment>(4)?.0,
    })
}
