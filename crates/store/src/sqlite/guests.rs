//! Who asked to be let in, and who was.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use throughline_domain::chat::ChatId;

use super::Sqlite;
use super::rows::{Moment, parse};
use crate::Result;
use crate::arrivals::Knock;
use crate::guests::Guest;

const KNOCK: &str = "SELECT code, person, name, chat, until FROM pairings";

impl Sqlite {
    pub async fn knocks(&self, now: Timestamp) -> Result<Vec<Knock>> {
        self.read(move |transaction| {
            let mut statement =
                transaction.prepare(&format!("{KNOCK} WHERE until > ?1 ORDER BY at, code"))?;
            let mut rows = statement.query([Moment(now)])?;
            let mut knocks = Vec::new();
            while let Some(row) = rows.next()? {
                knocks.push(knock(row)?);
            }
            Ok(knocks)
        })
        .await
    }

    pub async fn let_in(&self, code: &str, now: Timestamp) -> Result<Option<(Guest, ChatId)>> {
        let code = code.to_owned();
        self.write(move |transaction| {
            let Some(knock) = take(transaction, &code, now)? else { return Ok(None) };
            transaction.execute(
                "INSERT INTO guests (person, name, at) VALUES (?1, ?2, ?3) ON CONFLICT (person) DO UPDATE SET name = ?2",
                params![knock.person, knock.name, Moment(now)],
            )?;
            Ok(Some((Guest { person: knock.person, name: knock.name, at: now }, knock.chat)))
        })
        .await
    }

    pub async fn turn_away(&self, code: &str, now: Timestamp) -> Result<Option<Knock>> {
        let code = code.to_owned();
        self.write(move |transaction| take(transaction, &code, now)).await
    }

    pub async fn tidy(&self, now: Timestamp) -> Result<()> {
        let over = self
            .read(move |transaction| {
                let sql = "SELECT EXISTS (SELECT 1 FROM pairings WHERE until <= ?1) OR EXISTS (SELECT 1 FROM buttons WHERE until <= ?1)";
                Ok(transaction.prepare_cached(sql)?.query_row([Moment(now)], |row| row.get::<_, bool>(0))?)
            })
            .await?;
        if !over {
            return Ok(());
        }
        self.write(move |transaction| {
            for table in ["pairings", "buttons"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE until <= ?1"), [Moment(now)])?;
            }
            Ok(())
        })
        .await
    }

    pub async fn guests(&self) -> Result<Vec<Guest>> {
        self.read(|transaction| {
            let mut statement =
                transaction.prepare("SELECT person, name, at FROM guests ORDER BY at, person")?;
            let rows = statement.query_map([], |row| {
                Ok(Guest { person: row.get(0)?, name: row.get(1)?, at: row.get::<_, Moment>(2)?.0 })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn is_guest(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.read(move |transaction| {
            Ok(transaction.prepare_cached("SELECT 1 FROM guests WHERE person = ?1")?.exists([person])?)
        })
        .await
    }

    pub async fn show_out(&self, person: &str) -> Result<bool> {
        let person = person.to_owned();
        self.write(move |transaction| {
            Ok(transaction.execute("DELETE FROM guests WHERE person = ?1", [person])? > 0)
        })
        .await
    }
}

/// Notes who knocked. A person has one code at a time, and codes that ran out go.
pub(super) fn note(transaction: &Transaction<'_>, knock: &Knock, at: Timestamp) -> Result<()> {
    transaction.execute(
        "DELETE FROM pairings WHERE person = ?1 OR until <= ?2",
        params![knock.person, Moment(at)],
    )?;
    transaction.execute(
        "INSERT INTO pairings (code, person, name, chat, at, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![knock.code, knock.person, knock.name, knock.chat.as_str(), Moment(at), Moment(knock.until)],
    )?;
    Ok(())
}

/// A code can be used once.
fn take(transaction: &Transaction<'_>, code: &str, now: Timestamp) -> Result<Option<Knock>> {
    let mut statement = transaction.prepare(&format!("{KNOCK} WHERE code = ?1 AND until > ?2"))?;
    let mut rows = statement.query(params![code, Moment(now)])?;
    let Some(found) = rows.next()?.map(knock).transpose()? else { return Ok(None) };
    let mut delete = transaction.prepare("DELETE FROM pairings WHERE person = ?1 RETURNING 1")?;
    delete.query_row([&found.person], |_| Ok(())).optional()?;
    Ok(Some(found))
}

fn knock(row: &Row<'_>) -> Result<Knock> {
    Ok(Knock {
        code: row.get(0)?,
        person: row.get(1)?,
        name: row.get(2)?,
        chat: parse(&row.get::<_, String>(3)?)?,
        until: row.get::<_, Moment>(4)?.0,
    })
}
