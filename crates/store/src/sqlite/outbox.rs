//! The outbox, and buttons under what was sent.

use jiff::Timestamp;
use rusqlite::params;
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, Moment, holder, parse};
use crate::Result;
use crate::holder::Holder;
use crate::outbox::{Button, NewOutboxItem, OutboxFigures, OutboxItem};
use crate::tx::{OutboxOrigin, OutboxState};

impl Tx<'_> {
    pub fn insert_outbox_item(
        &self,
        item: &NewOutboxItem,
        message: Option<i64>,
        turn: Option<TurnId>,
    ) -> Result<i64> {
        self.only(
            "INSERT INTO outbox (chat, message, turn, body, repeatable) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
            params![item.chat.as_str(), message, turn.map(|turn| Id(turn.0)), item.body, item.is_repeatable],
        )
    }

    pub fn first_unsent(&self, chat: &ChatId) -> Result<Option<(OutboxState, Timestamp, OutboxItem)>> {
        self.first(
            "SELECT id, state, body, due_at, attempts FROM outbox WHERE chat = ?1 AND state IN ('pending', 'sending') ORDER BY id LIMIT 1",
            [chat.as_str()],
            |row| {
                let item =
                    OutboxItem { id: row.get(0)?, chat: chat.clone(), body: row.get(2)?, attempts: row.get(4)? };
                Ok((parse(&row.get::<_, String>(1)?)?, row.get::<_, Moment>(3)?.0, item))
            },
        )
    }

    pub fn mark_sending(&self, item: i64, holder: &Holder) -> Result<()> {
        self.execute(
            "UPDATE outbox SET state = 'sending', owner = ?2, leased_to = ?3, attempts = attempts + 1 WHERE id = ?1",
            params![item, holder.owner, Moment(holder.leased_to)],
        )
    }

    pub fn end_outbox_item(
        &self,
        item: i64,
        state: OutboxState,
        problem: Option<&str>,
        uncertain_at: Option<Timestamp>,
    ) -> Result<()> {
        self.execute(
            "UPDATE outbox SET state = ?2, problem = ?3, uncertain_at = ?4, owner = NULL, \
             body = CASE WHEN ?4 IS NULL OR message IS NULL OR told THEN '' ELSE body END WHERE id = ?1",
            params![item, state.as_str(), problem, uncertain_at.map(Moment)],
        )
    }

    pub fn clear_outbox_body(&self, item: i64) -> Result<()> {
        self.execute("UPDATE outbox SET body = '' WHERE id = ?1", [item])
    }

    pub fn requeue_outbox_item(
        &self,
        item: i64,
        body: Option<&str>,
        due: Timestamp,
        problem: &str,
    ) -> Result<()> {
        self.execute(
            "UPDATE outbox SET state = 'pending', owner = NULL, body = coalesce(?2, body), due_at = ?3, problem = ?4 WHERE id = ?1",
            params![item, body, Moment(due), problem],
        )
    }

    pub fn requeue_repeatable_items_of(&self, holder: &Holder) -> Result<()> {
        self.execute(
            "UPDATE outbox SET state = 'pending', owner = NULL WHERE state = 'sending' AND owner = ?1 AND leased_to = ?2 AND repeatable",
            params![holder.owner, Moment(holder.leased_to)],
        )
    }

    pub fn items_sent_by(&self, holder: &Holder) -> Result<Vec<(i64, ChatId)>> {
        self.all(
            "SELECT id, chat FROM outbox WHERE state = 'sending' AND owner = ?1 AND leased_to = ?2",
            params![holder.owner, Moment(holder.leased_to)],
            |row| Ok((row.get(0)?, parse(&row.get::<_, String>(1)?)?)),
        )
    }

    pub fn pieces_after(&self, item: i64) -> Result<Vec<i64>> {
        self.values(
            "SELECT n.id FROM outbox o JOIN outbox n ON n.message = o.message \
             WHERE o.id = ?1 AND n.id > o.id AND n.state = 'pending' AND NOT n.repeatable",
            [item],
        )
    }

    pub fn outbox_origin(&self, item: i64) -> Result<OutboxOrigin> {
        let origin = self.first(
            "SELECT o.message, m.chat, o.turn FROM outbox o LEFT JOIN messages m ON m.seq = o.message WHERE o.id = ?1",
            [item],
            |row| {
                let message: Option<i64> = row.get(0)?;
                let chat: Option<i64> = row.get(1)?;
                let turn = row.get::<_, Option<Id>>(2)?.map(|turn| TurnId(turn.0));
                Ok(OutboxOrigin { message: message.zip(chat), turn })
            },
        )?;
        Ok(origin.unwrap_or_default())
    }

    pub fn put_item_external_id(&self, item: i64, external: &str) -> Result<()> {
        self.execute("UPDATE outbox SET external_id = ?2 WHERE id = ?1", params![item, external])
    }

    pub fn states_of_turn(&self, turn: TurnId) -> Result<Vec<OutboxState>> {
        self.all("SELECT DISTINCT state FROM outbox WHERE turn = ?1", [Id(turn.0)], |row| {
            parse(&row.get::<_, String>(0)?)
        })
    }

    pub fn states_of_message(&self, message: i64) -> Result<Vec<OutboxState>> {
        self.all("SELECT DISTINCT state FROM outbox WHERE message = ?1", [message], |row| {
            parse(&row.get::<_, String>(0)?)
        })
    }

    pub fn external_ids_of_items(&self, message: i64) -> Result<Vec<String>> {
        self.values(
            "SELECT external_id FROM outbox WHERE message = ?1 AND external_id IS NOT NULL ORDER BY id",
            [message],
        )
    }

    pub fn kept_items_of_message(&self, message: i64) -> Result<Vec<(i64, OutboxState)>> {
        let sql = "SELECT id, state FROM outbox WHERE message = ?1 AND state IN ('pending', 'uncertain')";
        self.all(sql, [message], |row| Ok((row.get(0)?, parse(&row.get::<_, String>(1)?)?)))
    }

    pub fn kept_bodies(&self, chat: &ChatId) -> Result<Vec<(i64, OutboxState, String)>> {
        let sql = "SELECT id, state, body FROM outbox WHERE chat = ?1 AND state IN ('pending', 'uncertain') AND body <> ''";
        self.all(sql, [chat.as_str()], |row| {
            Ok((row.get(0)?, parse(&row.get::<_, String>(1)?)?, row.get(2)?))
        })
    }

    pub fn unsent(&self, channel: &str) -> Result<Vec<(ChatId, Timestamp)>> {
        self.all(
            "SELECT chat, due_at, min(id) FROM outbox WHERE state IN ('pending', 'sending') AND chat GLOB ?1 || ':chat:*' GROUP BY chat",
            [channel],
            |row| Ok((parse(&row.get::<_, String>(0)?)?, row.get::<_, Moment>(1)?.0)),
        )
    }

    pub fn send_owners(&self) -> Result<Vec<Holder>> {
        self.all("SELECT DISTINCT owner, leased_to FROM outbox WHERE state = 'sending'", [], holder)
    }

    pub fn outbox_figures(&self) -> Result<OutboxFigures> {
        Ok(OutboxFigures {
            pending: self.only("SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')", [])?,
            uncertain: self.only("SELECT count(*) FROM outbox WHERE state = 'uncertain'", [])?,
            failed: self.only("SELECT count(*) FROM outbox WHERE state = 'failed'", [])?,
        })
    }

    pub fn move_outbox(&self, from: &ChatId, to: &ChatId) -> Result<()> {
        self.execute("UPDATE outbox SET chat = ?2 WHERE chat = ?1", [from.as_str(), to.as_str()])?;
        self.execute("UPDATE buttons SET chat = ?2 WHERE chat = ?1", [from.as_str(), to.as_str()])
    }

    pub fn insert_button(&self, button: &Button) -> Result<()> {
        let Button { id, bundle, chat, person, action, until } = button;
        self.execute(
            "INSERT INTO buttons (id, bundle, chat, person, action, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![id, Id(*bundle), chat.as_str(), person, action, Moment(*until)],
        )
    }

    pub fn button(&self, chat: &ChatId, id: &str, now: Timestamp) -> Result<Option<Button>> {
        self.first(
            "SELECT bundle, person, action, expires_at FROM buttons WHERE id = ?1 AND chat = ?2 AND expires_at > ?3",
            params![id, chat.as_str(), Moment(now)],
            |row| {
                Ok(Button {
                    id: id.to_owned(),
                    bundle: row.get::<_, Id>(0)?.0,
                    chat: chat.clone(),
                    person: row.get(1)?,
                    action: row.get(2)?,
                    until: row.get::<_, Moment>(3)?.0,
                })
            },
        )
    }

    pub fn delete_buttons(&self, bundle: Uuid) -> Result<()> {
        self.execute("DELETE FROM buttons WHERE bundle = ?1", [Id(bundle)])
    }
}
