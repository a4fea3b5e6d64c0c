//! Accounts, ingested updates, and actions that wait to be handled.

use jiff::Timestamp;
use rusqlite::params;

use super::Tx;
use super::rows::Moment;
use crate::Result;
use crate::arrivals::{Account, InboundAction, Mark};

impl Tx<'_> {
    pub fn add_update(&self, mark: &Mark) -> Result<bool> {
        let added = self.run(
            "INSERT INTO updates (account, id, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![mark.account, mark.update, Moment(mark.at)],
        )?;
        Ok(added > 0)
    }

    pub fn advance_account(&self, mark: &Mark) -> Result<()> {
        self.execute(
            "UPDATE accounts SET next_update = ?2 + 1, heard_at = ?3 WHERE id = ?1",
            params![mark.account, mark.update, Moment(mark.at)],
        )
    }

    pub fn delete_updates_before(&self, at: Timestamp) -> Result<()> {
        self.execute("DELETE FROM updates WHERE at < ?1", [Moment(at)])
    }

    pub fn add_account(&self, id: &str) -> Result<()> {
        self.execute("INSERT INTO accounts (id) VALUES (?1) ON CONFLICT DO NOTHING", [id])
    }

    pub fn put_account(&self, account: &Account) -> Result<()> {
        let Account { id, name, state, problem, changed_at, owner, .. } = account;
        self.execute(
            "INSERT INTO accounts (id, name, state, problem, changed_at, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (id) DO UPDATE SET name = coalesce(?2, name), state = ?3, problem = ?4, changed_at = ?5, owner = ?6",
            params![id, name, state, problem, Moment(*changed_at), owner],
        )
    }

    pub fn accounts(&self, id: Option<&str>) -> Result<Vec<Account>> {
        self.all(
            "SELECT id, name, next_update, heard_at, state, problem, changed_at, owner FROM accounts WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
            [id],
            |row| {
                Ok(Account {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    next: row.get(2)?,
                    heard_at: row.get::<_, Option<Moment>>(3)?.map(|at| at.0),
                    state: row.get(4)?,
                    problem: row.get(5)?,
                    changed_at: row.get::<_, Moment>(6)?.0,
                    owner: row.get(7)?,
                })
            },
        )
    }

    pub fn insert_inbound_action(&self, lane: i64, action: &str) -> Result<()> {
        self.execute(
            "INSERT INTO inbound_actions (lane, after, action) VALUES (?1, (SELECT coalesce(max(seq), 0) FROM messages), ?2)",
            params![lane, action],
        )
    }

    pub fn first_inbound_action(&self, lane: i64) -> Result<Option<(InboundAction, i64)>> {
        self.first(
            "SELECT id, after, action FROM inbound_actions WHERE lane = ?1 ORDER BY id LIMIT 1",
            [lane],
            |row| Ok((InboundAction { id: row.get(0)?, what: row.get(2)? }, row.get(1)?)),
        )
    }

    pub fn delete_inbound_action(&self, id: i64) -> Result<()> {
        self.execute("DELETE FROM inbound_actions WHERE id = ?1", [id])
    }
}
