//! The list of jobs.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::Sqlite;
use super::rows::{Moment, holder};
use crate::Result;
use crate::holder::Holder;
use crate::jobs::Job;

impl Sqlite {
    pub async fn claim_job(&self, owner: &str, now: Timestamp, lease: Timestamp) -> Result<Option<Job>> {
        let owner = owner.to_owned();
        self.write(move |transaction| {
            let mut claim = transaction.prepare_cached(
                "UPDATE jobs SET owner = ?1, leased_to = ?3, attempts = attempts + 1 WHERE id = ( \
                   SELECT id FROM jobs WHERE due_at <= ?2 AND (leased_to IS NULL OR leased_to <= ?2) ORDER BY kind <> 'embed', due_at, id LIMIT 1 \
                 ) RETURNING id, kind, subject, attempts - 1",
            )?;
            let job = claim.query_row(params![owner, Moment(now), Moment(lease)], |row| {
                Ok(Job { id: row.get(0)?, kind: row.get(1)?, subject: row.get(2)?, attempts: row.get(3)? })
            });
            Ok(job.optional()?)
        })
        .await
    }

    pub async fn job_owners(&self) -> Result<Vec<Holder>> {
        self.read(|transaction| {
            let mut statement = transaction
                .prepare_cached("SELECT DISTINCT owner, leased_to FROM jobs WHERE owner IS NOT NULL")?;
            let rows = statement.query_map([], holder)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn free_jobs(&self, owners: Vec<Holder>) -> Result<()> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE jobs SET owner = NULL, leased_to = NULL WHERE owner = ?1 AND leased_to = ?2",
            )?;
            for Holder { owner, leased_to } in owners {
                update.execute(params![owner, Moment(leased_to)])?;
            }
            Ok(())
        })
        .await
    }

    pub async fn finish_job(&self, id: i64, owner: &str) -> Result<()> {
        let owner = owner.to_owned();
        self.write(move |transaction| {
            transaction
                .prepare_cached("DELETE FROM jobs WHERE id = ?1 AND owner = ?2 AND NOT rerun")?
                .execute(params![id, owner])?;
            let mut again = transaction.prepare_cached(
                "UPDATE jobs SET owner = NULL, leased_to = NULL, attempts = 0, problem = NULL, rerun = 0, due_at = 0 WHERE id = ?1 AND owner = ?2",
            )?;
            again.execute(params![id, owner])?;
            Ok(())
        })
        .await
    }

    pub async fn release_job(&self, id: i64, owner: &str) -> Result<()> {
        let owner = owner.to_owned();
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE jobs SET owner = NULL, leased_to = NULL, attempts = 0, problem = NULL WHERE id = ?1 AND owner = ?2")?;
            update.execute(params![id, owner])?;
            Ok(())
        })
        .await
    }

    pub async fn postpone_job(&self, id: i64, owner: &str, again: Timestamp) -> Result<()> {
        let owner = owner.to_owned();
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE jobs SET owner = NULL, leased_to = NULL, attempts = 0, problem = NULL, due_at = iif(rerun, 0, ?3), rerun = 0 WHERE id = ?1 AND owner = ?2")?;
            update.execute(params![id, owner, Moment(again)])?;
            Ok(())
        })
        .await
    }

    pub async fn retry_job(&self, id: i64, owner: &str, problem: &str, again: Timestamp) -> Result<()> {
        let (owner, problem) = (owner.to_owned(), problem.to_owned());
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE jobs SET owner = NULL, leased_to = NULL, problem = ?3, due_at = ?4 WHERE id = ?1 AND owner = ?2")?;
            update.execute(params![id, owner, problem, Moment(again)])?;
            Ok(())
        })
        .await
    }
}

/// Asks for a job now. One that waits is that job; one that runs is done once more; one that failed waits for its time.
pub(super) fn want(transaction: &Transaction<'_>, kind: &str, subject: &str) -> Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO jobs (kind, subject, due_at) VALUES (?1, ?2, 0) ON CONFLICT (kind, subject) DO UPDATE SET \
         rerun = owner IS NOT NULL, due_at = iif(attempts = 0, 0, due_at) WHERE owner IS NOT NULL OR due_at > 0 AND attempts = 0",
    )?;
    insert.execute(params![kind, subject])?;
    Ok(())
}
