//! Runs of routines.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use super::messages::{chat_row, read_one, shown_tokens};
use super::rows::{Id, Moment, holder, parse};
use super::{Sqlite, forget};
use crate::holder::Holder;
use crate::routines::{Run, RunState};
use crate::{Error, Result};

impl Sqlite {
    pub async fn routine_to_summarize(&self, subject: &str) -> Result<Option<(ChatId, MessageId)>> {
        let subject = subject.to_owned();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT c.key, m.id FROM messages m JOIN chats c ON c.id = m.chat WHERE m.seq = CAST(?1 AS INTEGER)",
            )?;
            let found = statement.query_row([subject], |row| Ok((row.get(0)?, row.get::<_, Id>(1)?.0)));
            let Some((chat, id)): Option<(String, _)> = found.optional()? else { return Ok(None) };
            Ok(Some((parse(&chat)?, MessageId(id))))
        })
        .await
    }

    pub async fn keep_routine_summary(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        message: MessageId,
        summary: &str,
    ) -> Result<()> {
        let (chat, summary) = (chat.clone(), summary.to_owned());
        self.write(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(()) };
            forget::check(transaction, row, watched)?;
            let seq: Option<i64> = transaction
                .prepare_cached("SELECT seq FROM messages WHERE id = ?1 AND chat = ?2")?
                .query_row(params![Id(message.0), row], |row| row.get(0))
                .optional()?;
            let Some(seq) = seq else { return Ok(()) };
            let mut kept = read_one(transaction, &chat, seq)?.message;
            if kept.lacks_routine_summary() {
                kept.metadata.insert("summary".to_owned(), Value::String(summary));
                transaction
                    .prepare_cached("UPDATE messages SET metadata = ?2, tokens = ?3 WHERE seq = ?1")?
                    .execute(params![seq, json!(kept.metadata).to_string(), shown_tokens(&kept)])?;
            }
            Ok(())
        })
        .await
    }

    pub async fn begin_run(
        &self,
        routine: &str,
        due: Timestamp,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<bool> {
        let (routine, holder) = (routine.to_owned(), holder.clone());
        self.write(move |transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO runs (routine, due_at, state, owner, started_at, leased_to) VALUES (?1, ?2, 'running', ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            )?;
            let Holder { owner, leased_to } = holder;
            Ok(insert.execute(params![routine, Moment(due), owner, Moment(now), Moment(leased_to)])? > 0)
        })
        .await
    }

    pub async fn renew_run(&self, routine: &str, due: Timestamp, holder: &Holder) -> Result<()> {
        let (routine, holder) = (routine.to_owned(), holder.clone());
        self.write(move |transaction| {
            let mut renew = transaction.prepare_cached(
                "UPDATE runs SET leased_to = ?4 WHERE routine = ?1 AND due_at = ?2 AND owner = ?3 AND state = 'running'",
            )?;
            renew.execute(params![routine, Moment(due), holder.owner, Moment(holder.leased_to)])?;
            Ok(())
        })
        .await
    }

    pub async fn end_run(&self, run: Run) -> Result<()> {
        self.write(move |transaction| end(transaction, &run)).await
    }

    pub async fn scheduled_since(&self, routine: &str, schedule: &str, now: Timestamp) -> Result<Timestamp> {
        let (routine, schedule) = (routine.to_owned(), schedule.to_owned());
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO schedules (routine, schedule, since) VALUES (?1, ?2, ?3) ON CONFLICT (routine) \
                 DO UPDATE SET schedule = ?2, since = ?3 WHERE schedule <> ?2",
                params![routine, schedule, Moment(now)],
            )?;
            let since = transaction.query_row(
                "SELECT since FROM schedules WHERE routine = ?1",
                [routine],
                |row| row.get::<_, Moment>(0),
            )?;
            Ok(since.0)
        })
        .await
    }

    pub async fn release_run(&self, routine: &str, due: Timestamp, owner: &str) -> Result<()> {
        let (routine, owner) = (routine.to_owned(), owner.to_owned());
        self.write(move |transaction| {
            let mut free = transaction.prepare_cached(
                "DELETE FROM runs WHERE routine = ?1 AND due_at = ?2 AND owner = ?3 AND state = 'running'",
            )?;
            free.execute(params![routine, Moment(due), owner])?;
            Ok(())
        })
        .await
    }

    pub async fn runs(&self, routine: Option<&str>, limit: usize) -> Result<Vec<Run>> {
        let routine = routine.map(str::to_owned);
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT routine, due_at, state, started_at, ended_at, message, problem FROM runs WHERE ?1 IS NULL OR routine = ?1 \
                 ORDER BY due_at DESC, routine LIMIT ?2",
            )?;
            let mut rows = statement.query(params![routine, limit])?;
            let mut runs = Vec::new();
            while let Some(row) = rows.next()? {
                let state: String = row.get(2)?;
                runs.push(Run {
                    routine: row.get(0)?,
                    due_at: row.get::<_, Moment>(1)?.0,
                    state: RunState::named(&state).ok_or_else(|| Error::Unreadable(state))?,
                    started_at: row.get::<_, Moment>(3)?.0,
                    ended_at: row.get::<_, Option<Moment>>(4)?.map(|at| at.0),
                    message: row.get::<_, Option<Id>>(5)?.map(|id| MessageId(id.0)),
                    problem: row.get(6)?,
                });
            }
            Ok(runs)
        })
        .await
    }

    pub async fn run_owners(&self) -> Result<Vec<Holder>> {
        self.read(|transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT DISTINCT owner, leased_to FROM runs WHERE state = 'running' AND owner IS NOT NULL",
            )?;
            let rows = statement.query_map([], holder)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn release_runs(&self, owners: Vec<Holder>) -> Result<()> {
        self.write(move |transaction| {
            let mut free = transaction.prepare_cached(
                "DELETE FROM runs WHERE state = 'running' AND owner = ?1 AND leased_to = ?2",
            )?;
            for Holder { owner, leased_to } in owners {
                free.execute(params![owner, Moment(leased_to)])?;
            }
            Ok(())
        })
        .await
    }
}

/// Notes how a run ended; one that nobody began, such as a missed one, as well.
pub(super) fn end(transaction: &Transaction<'_>, run: &Run) -> Result<()> {
    let mut update = transaction.prepare_cached(
        "INSERT INTO runs (routine, due_at, state, started_at, ended_at, message, problem) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT (routine, due_at) DO UPDATE SET state = ?3, owner = NULL, ended_at = ?5, message = ?6, problem = ?7",
    )?;
    update.execute(params![
        run.routine,
        Moment(run.due_at),
        run.state.as_str(),
        Moment(run.started_at),
        run.ended_at.map(Moment),
        run.message.map(|id| Id(id.0)),
        run.problem
    ])?;
    Ok(())
}
