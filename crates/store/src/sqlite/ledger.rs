//! The ledger of calls.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};
use throughline_domain::chat::ChatId;

use super::Sqlite;
use super::messages::chat_row;
use super::rows::{Id, Moment};
use crate::Result;
use crate::ledger::{Call, Spent, SpentOn};

/// The sums of calls, for [`spent`].
const SUMS: &str = "count(*), coalesce(sum(problem IS NOT NULL), 0), coalesce(sum(input_tokens), 0), \
     coalesce(sum(output_tokens), 0), coalesce(sum(cost_usd), 0.0)";

impl Sqlite {
    pub async fn note_call(&self, call: Call) -> Result<()> {
        self.write(move |transaction| note(transaction, &call)).await
    }

    pub async fn background_spent(&self, since: Timestamp) -> Result<Spent> {
        self.read(move |transaction| {
            let sql = format!("SELECT {SUMS} FROM calls WHERE at >= ?1 AND background");
            Ok(transaction.prepare_cached(&sql)?.query_row([Moment(since)], |row| spent(row, 0))?)
        })
        .await
    }

    pub async fn spent(&self, chat: &ChatId, since: Timestamp) -> Result<Vec<SpentOn>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let sql = format!(
                "SELECT purpose, model, {SUMS} FROM calls WHERE chat = ?1 AND at >= ?2 GROUP BY purpose, model ORDER BY purpose, model"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let rows = statement.query_map(params![chat, Moment(since)], |row| {
                Ok(SpentOn { purpose: row.get(0)?, model: row.get(1)?, spent: spent(row, 2)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

/// Writes a call down.
pub(super) fn note(transaction: &Transaction<'_>, call: &Call) -> Result<()> {
    let chat = match &call.chat {
        Some(chat) => chat_row(transaction, chat)?,
        None => None,
    };
    let mut insert = transaction.prepare_cached(
        "INSERT INTO calls (at, chat, turn, purpose, background, model, input_tokens, output_tokens, cost_usd, ms, problem) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    insert.execute(params![
        Moment(call.at),
        chat,
        call.turn.map(|turn| Id(turn.0)),
        call.purpose,
        call.background,
        call.model,
        call.input_tokens,
        call.output_tokens,
        call.cost_usd,
        call.ms,
        call.problem,
    ])?;
    Ok(())
}

fn spent(row: &Row<'_>, first: usize) -> rusqlite::Result<Spent> {
    Ok(Spent {
        calls: row.get(first)?,
        failed: row.get(first + 1)?,
        input_tokens: row.get(first + 2)?,
        output_tokens: row.get(first + 3)?,
        cost_usd: row.get(first + 4)?,
    })
}
