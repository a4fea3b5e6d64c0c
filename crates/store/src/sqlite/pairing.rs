//! Pairing requests and paired people.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::Tx;
use super::rows::{Moment, parse};
use crate::Result;
use crate::arrivals::PairingRequest;
use crate::pairing::PairedPerson;

impl Tx<'_> {
    pub fn pairing_requests(&self, now: Timestamp) -> Result<Vec<PairingRequest>> {
        self.all(
            "SELECT code, person, name, chat, expires_at FROM pairing_requests WHERE expires_at > ?1 ORDER BY at, code",
            [Moment(now)],
            request,
        )
    }

    pub fn pairing_request(&self, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
        self.first(
            "SELECT code, person, name, chat, expires_at FROM pairing_requests WHERE code = ?1 AND expires_at > ?2",
            params![code, Moment(now)],
            request,
        )
    }

    pub fn insert_pairing_request(&self, request: &PairingRequest, at: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO pairing_requests (code, person, name, chat, at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                request.code,
                request.person,
                request.name,
                request.chat.as_str(),
                Moment(at),
                Moment(request.until)
            ],
        )
    }

    pub fn delete_pairing_requests(&self, person: &str) -> Result<()> {
        self.execute("DELETE FROM pairing_requests WHERE person = ?1", [person])
    }

    pub fn has_expired(&self, now: Timestamp) -> Result<bool> {
        self.only(
            "SELECT EXISTS (SELECT 1 FROM pairing_requests WHERE expires_at <= ?1) OR EXISTS (SELECT 1 FROM buttons WHERE expires_at <= ?1) \
             OR EXISTS (SELECT 1 FROM pairing_marks WHERE expires_at <= ?1)",
            [Moment(now)],
        )
    }

    pub fn delete_expired_pairing_requests(&self, now: Timestamp) -> Result<()> {
        self.execute("DELETE FROM pairing_requests WHERE expires_at <= ?1", [Moment(now)])?;
        self.execute("DELETE FROM pairing_marks WHERE expires_at <= ?1", [Moment(now)])
    }

    pub fn put_pairing_rejection(&self, person: &str, until: Timestamp) -> Result<()> {
        self.put_pairing_mark(person, "rejected", until)
    }

    pub fn is_pairing_rejected(&self, person: &str, now: Timestamp) -> Result<bool> {
        self.has(
            "SELECT 1 FROM pairing_marks WHERE person = ?1 AND kind = 'rejected' AND expires_at > ?2",
            params![person, Moment(now)],
        )
    }

    pub fn put_pairing_notice(&self, person: &str, until: Timestamp) -> Result<()> {
        self.put_pairing_mark(person, "told", until)
    }

    pub fn pairing_notices(&self, now: Timestamp) -> Result<Vec<String>> {
        self.all(
            "SELECT person FROM pairing_marks WHERE kind = 'told' AND expires_at > ?1 ORDER BY person",
            [Moment(now)],
            |row| Ok(row.get(0)?),
        )
    }

    fn put_pairing_mark(&self, person: &str, kind: &str, until: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO pairing_marks (person, kind, expires_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (person, kind) DO UPDATE SET expires_at = excluded.expires_at",
            params![person, kind, Moment(until)],
        )
    }

    pub fn delete_expired_buttons(&self, now: Timestamp) -> Result<()> {
        self.execute("DELETE FROM buttons WHERE expires_at <= ?1", [Moment(now)])
    }

    pub fn put_paired_person(&self, paired: &PairedPerson) -> Result<Timestamp> {
        let at: Moment = self.only(
            "INSERT INTO paired_people (person, name, at) VALUES (?1, ?2, ?3) ON CONFLICT (person) DO UPDATE SET name = excluded.name RETURNING at",
            params![paired.person, paired.name, Moment(paired.at)],
        )?;
        Ok(at.0)
    }

    pub fn paired_people(&self) -> Result<Vec<PairedPerson>> {
        self.all("SELECT person, name, at FROM paired_people ORDER BY at, person", [], |row| {
            Ok(PairedPerson { person: row.get(0)?, name: row.get(1)?, at: row.get::<_, Moment>(2)?.0 })
        })
    }

    pub fn is_paired(&self, person: &str) -> Result<bool> {
        self.has("SELECT 1 FROM paired_people WHERE person = ?1", [person])
    }

    pub fn delete_paired_person(&self, person: &str) -> Result<bool> {
        Ok(self.run("DELETE FROM paired_people WHERE person = ?1", [person])? > 0)
    }
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
