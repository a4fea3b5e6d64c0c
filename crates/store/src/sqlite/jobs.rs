//! The job queue.

use jiff::Timestamp;
use rusqlite::params;
use serde_json::Value;

use super::Tx;
use super::rows::{Moment, holder};
use crate::Result;
use crate::holder::Holder;
use crate::jobs::{Job, JobKind};
use crate::tx::JobRow;

/// A kind's place in the list is its priority. A postponed job has a time and no attempt.
const CLAIM: &str = "UPDATE jobs SET owner = ?1, leased_to = ?3, attempts = attempts + 1 WHERE id = ( \
       SELECT jobs.id FROM jobs JOIN json_each(?4) AS kinds ON kinds.value = jobs.kind \
       WHERE due_at <= ?2 AND (leased_to IS NULL OR leased_to <= ?2) \
       ORDER BY due_at > 0 AND attempts = 0, kinds.key, due_at, jobs.id LIMIT 1 \
     ) RETURNING id, kind, subject, attempts - 1";

impl Tx<'_> {
    pub fn request_job(&self, kind: JobKind, subject: &str) -> Result<()> {
        self.execute(
            "INSERT INTO jobs (kind, subject, due_at) VALUES (?1, ?2, 0) ON CONFLICT (kind, subject) DO UPDATE SET \
             rerun = owner IS NOT NULL, due_at = iif(attempts = 0, 0, due_at) WHERE owner IS NOT NULL OR due_at > 0 AND attempts = 0",
            [kind.as_str(), subject],
        )
    }

    pub fn add_job_for_every_chat(&self, kind: JobKind) -> Result<()> {
        self.execute(
            "INSERT OR IGNORE INTO jobs (kind, subject, due_at) SELECT ?1, key, 0 FROM chats",
            [kind.as_str()],
        )
    }

    pub fn make_jobs_due(&self, kind: JobKind) -> Result<()> {
        self.execute(
            "UPDATE jobs SET due_at = 0, attempts = 0, problem = NULL WHERE kind = ?1 AND owner IS NULL",
            [kind.as_str()],
        )
    }

    pub fn make_jobs_due_that_are_due_at(&self, due: Timestamp) -> Result<u64> {
        let count = self.only("SELECT count(*) FROM jobs WHERE due_at = ?1", [Moment(due)])?;
        self.execute(
            "UPDATE jobs SET due_at = 0, attempts = 0, problem = NULL WHERE due_at = ?1",
            [Moment(due)],
        )?;
        Ok(count)
    }

    pub fn make_silent_lanes_due(&self, kind: JobKind, silent_since: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE jobs SET due_at = 0 WHERE kind = ?1 AND attempts = 0 AND due_at > 0 \
             AND (SELECT last_at FROM lanes WHERE id = CAST(subject AS INTEGER)) <= ?2",
            params![kind.as_str(), Moment(silent_since)],
        )
    }

    pub fn claim_job(&self, kinds: &[JobKind], holder: &Holder, now: Timestamp) -> Result<Option<Job>> {
        let names = Value::from(kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>()).to_string();
        self.first(CLAIM, params![holder.owner, Moment(now), Moment(holder.leased_to), names], |row| {
            let name: String = row.get(1)?;
            let kind = kinds.iter().find(|kind| kind.as_str() == name);
            let kind = *kind.ok_or(rusqlite::Error::InvalidQuery)?;
            Ok(Job { id: row.get(0)?, kind, subject: row.get(2)?, attempts: row.get(3)? })
        })
    }

    pub fn held_job(&self, id: i64, owner: &str) -> Result<Option<JobRow>> {
        self.first(
            "SELECT due_at, attempts, rerun FROM jobs WHERE id = ?1 AND owner = ?2",
            params![id, owner],
            |row| {
                Ok(JobRow {
                    due_at: row.get::<_, Moment>(0)?.0,
                    attempts: row.get(1)?,
                    rerun: row.get(2)?,
                    problem: None,
                })
            },
        )
    }

    pub fn free_job(&self, id: i64, job: &JobRow) -> Result<()> {
        self.execute(
            "UPDATE jobs SET owner = NULL, leased_to = NULL, due_at = ?2, attempts = ?3, rerun = ?4, problem = ?5 WHERE id = ?1",
            params![id, Moment(job.due_at), job.attempts, job.rerun, job.problem],
        )
    }

    pub fn delete_job(&self, id: i64) -> Result<()> {
        self.execute("DELETE FROM jobs WHERE id = ?1", [id])
    }

    pub fn job_owners(&self) -> Result<Vec<Holder>> {
        self.all("SELECT DISTINCT owner, leased_to FROM jobs WHERE owner IS NOT NULL", [], holder)
    }

    pub fn free_jobs_of(&self, holder: &Holder) -> Result<()> {
        self.execute(
            "UPDATE jobs SET owner = NULL, leased_to = NULL WHERE owner = ?1 AND leased_to = ?2",
            params![holder.owner, Moment(holder.leased_to)],
        )
    }

    pub fn move_jobs(&self, from: &str, to: &str) -> Result<()> {
        self.execute("UPDATE OR REPLACE jobs SET subject = ?2 WHERE subject = ?1", [from, to])
    }
}
