//! Runs of routines and their schedules.

use jiff::Timestamp;
use rusqlite::params;
use throughline_domain::message::MessageId;

use super::Tx;
use super::rows::{Id, Moment, holder};
use crate::holder::Holder;
use crate::routines::{Run, RunState};
use crate::{Error, Result};

impl Tx<'_> {
    pub fn begin_run(&self, routine: &str, due: Timestamp, holder: &Holder, now: Timestamp) -> Result<bool> {
        let begun = self.run(
            "INSERT INTO runs (routine, due_at, state, owner, started_at, leased_to) VALUES (?1, ?2, 'running', ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            params![routine, Moment(due), holder.owner, Moment(now), Moment(holder.leased_to)],
        )?;
        Ok(begun > 0)
    }

    pub fn renew_run(&self, routine: &str, due: Timestamp, holder: &Holder) -> Result<()> {
        self.execute(
            "UPDATE runs SET leased_to = ?4 WHERE routine = ?1 AND due_at = ?2 AND owner = ?3 AND state = 'running'",
            params![routine, Moment(due), holder.owner, Moment(holder.leased_to)],
        )
    }

    pub fn put_run(&self, run: &Run) -> Result<()> {
        self.execute(
            "INSERT INTO runs (routine, due_at, state, started_at, ended_at, message, problem) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT (routine, due_at) DO UPDATE SET state = ?3, owner = NULL, ended_at = ?5, message = ?6, problem = ?7",
            params![
                run.routine,
                Moment(run.due_at),
                run.state.as_str(),
                Moment(run.started_at),
                run.ended_at.map(Moment),
                run.message.map(|id| Id(id.0)),
                run.problem
            ],
        )
    }

    pub fn delete_run(&self, routine: &str, due: Timestamp, owner: &str) -> Result<()> {
        self.execute(
            "DELETE FROM runs WHERE routine = ?1 AND due_at = ?2 AND owner = ?3 AND state = 'running'",
            params![routine, Moment(due), owner],
        )
    }

    pub fn delete_runs_of(&self, holder: &Holder) -> Result<()> {
        self.execute(
            "DELETE FROM runs WHERE state = 'running' AND owner = ?1 AND leased_to = ?2",
            params![holder.owner, Moment(holder.leased_to)],
        )
    }

    pub fn run_owners(&self) -> Result<Vec<Holder>> {
        let sql = "SELECT DISTINCT owner, leased_to FROM runs WHERE state = 'running' AND owner IS NOT NULL";
        self.all(sql, [], holder)
    }

    pub fn runs(&self, routine: Option<&str>, limit: usize) -> Result<Vec<Run>> {
        self.all(
            "SELECT routine, due_at, state, started_at, ended_at, message, problem FROM runs WHERE ?1 IS NULL OR routine = ?1 \
             ORDER BY due_at DESC, routine LIMIT ?2",
            params![routine, limit],
            |row| {
                let state: String = row.get(2)?;
                Ok(Run {
                    routine: row.get(0)?,
                    due_at: row.get::<_, Moment>(1)?.0,
                    state: RunState::named(&state).ok_or_else(|| Error::Unreadable(state))?,
                    started_at: row.get::<_, Moment>(3)?.0,
                    ended_at: row.get::<_, Option<Moment>>(4)?.map(|at| at.0),
                    message: row.get::<_, Option<Id>>(5)?.map(|id| MessageId(id.0)),
                    problem: row.get(6)?,
                })
            },
        )
    }

    pub fn schedule(&self, routine: &str) -> Result<Option<(String, Timestamp)>> {
        self.first("SELECT schedule, since FROM schedules WHERE routine = ?1", [routine], |row| {
            Ok((row.get(0)?, row.get::<_, Moment>(1)?.0))
        })
    }

    pub fn put_schedule(&self, routine: &str, schedule: &str, since: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO schedules (routine, schedule, since) VALUES (?1, ?2, ?3) \
             ON CONFLICT (routine) DO UPDATE SET schedule = excluded.schedule, since = excluded.since",
            params![routine, schedule, Moment(since)],
        )
    }
}
