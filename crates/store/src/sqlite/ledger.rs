//! The ledger of calls.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::Tx;
use super::rows::{Id, Moment, parse};
use crate::Result;
use crate::ledger::{Call, CallProblem, Spent, SpentOn, SpentOnDay};

/// The sums of calls, for [`spent`].
macro_rules! sums {
    () => {
        "count(*), coalesce(sum(problem IS NOT NULL), 0), coalesce(sum(input_tokens), 0), \
         coalesce(sum(output_tokens), 0), coalesce(sum(cost_usd), 0.0)"
    };
}

impl Tx<'_> {
    pub fn insert_call(&self, chat: Option<i64>, call: &Call) -> Result<i64> {
        self.execute(
            "INSERT INTO calls (at, chat, turn, purpose, background, model, input_tokens, output_tokens, cost_usd, ms, problem) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
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
            ],
        )?;
        Ok(self.last_insert_rowid())
    }

    pub fn update_call(&self, id: i64, call: &Call) -> Result<()> {
        self.execute(
            "UPDATE calls SET model = ?2, input_tokens = ?3, output_tokens = ?4, cost_usd = ?5, ms = ?6, problem = ?7 \
             WHERE id = ?1",
            params![
                id,
                call.model,
                call.input_tokens,
                call.output_tokens,
                call.cost_usd,
                call.ms,
                call.problem
            ],
        )
    }

    pub fn spent_since(&self, is_background: bool, since: Timestamp) -> Result<Spent> {
        let sql = concat!("SELECT ", sums!(), " FROM calls WHERE at >= ?1 AND background = ?2");
        let spent = self.first(sql, params![Moment(since), is_background], |row| spent(row, 0))?;
        Ok(spent.unwrap_or_default())
    }

    pub fn newest_problem(&self, since: Timestamp) -> Result<Option<CallProblem>> {
        // A call without a duration has not ended.
        self.first(
            "SELECT at, model, problem, (SELECT key FROM chats WHERE chats.id = calls.chat), \
             EXISTS (SELECT 1 FROM calls later WHERE later.id > calls.id AND NOT later.background AND later.problem IS NULL \
             AND later.ms > 0 AND later.purpose = calls.purpose) \
             FROM calls WHERE at >= ?1 AND NOT background AND problem IS NOT NULL AND ms > 0 \
             ORDER BY at DESC, id DESC LIMIT 1",
            [Moment(since)],
            |row| {
                Ok(CallProblem {
                    at: row.get::<_, Moment>(0)?.0,
                    model: row.get(1)?,
                    problem: row.get(2)?,
                    chat: row.get::<_, Option<String>>(3)?.map(|chat| parse(&chat)).transpose()?,
                    is_over: row.get(4)?,
                })
            },
        )
    }

    pub fn spent(&self, chat: i64, since: Timestamp) -> Result<Vec<SpentOn>> {
        let sql = concat!(
            "SELECT purpose, model, ",
            sums!(),
            " FROM calls WHERE chat = ?1 AND at >= ?2 GROUP BY purpose, model ORDER BY purpose, model"
        );
        self.all(sql, params![chat, Moment(since)], |row| {
            Ok(SpentOn { purpose: row.get(0)?, model: row.get(1)?, spent: spent(row, 2)? })
        })
    }

    pub(super) fn spent_on_turn(&self, turn: &Id) -> Result<Spent> {
        let sql = concat!("SELECT ", sums!(), " FROM calls WHERE turn = ?1");
        Ok(self.first(sql, [turn], |row| spent(row, 0))?.unwrap_or_default())
    }

    pub fn spent_by_day(&self, since: Timestamp, offset: i32) -> Result<Vec<SpentOnDay>> {
        let sql = concat!(
            "SELECT (SELECT key FROM chats WHERE chats.id = calls.chat), date(at / 1000000 + ?2, 'unixepoch') AS day, background, purpose, model, ",
            sums!(),
            " FROM calls WHERE at >= ?1 GROUP BY day, chat, background, purpose, model ORDER BY day, chat, purpose, model"
        );
        self.all(sql, params![Moment(since), offset], |row| {
            Ok(SpentOnDay {
                chat: row.get::<_, Option<String>>(0)?.map(|chat| parse(&chat)).transpose()?,
                day: row.get(1)?,
                background: row.get(2)?,
                on: SpentOn { purpose: row.get(3)?, model: row.get(4)?, spent: spent(row, 5)? },
            })
        })
    }
}

fn spent(row: &Row<'_>, first: usize) -> Result<Spent> {
    Ok(Spent {
        calls: row.get(first)?,
        failed: row.get(first + 1)?,
        input_tokens: row.get(first + 2)?,
        output_tokens: row.get(first + 3)?,
        cost_usd: row.get(first + 4)?,
    })
}
