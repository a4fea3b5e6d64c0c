//! Chats and lanes.

use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::pending::PendingSlot;
use throughline_domain::summary::Position;

use super::Tx;
use super::rows::{Id, Moment, json, parse, parse_lane, to_json};
use crate::Result;
use crate::chats::{ChatCount, LaneCount};
use crate::tx::LaneRow;

impl Tx<'_> {
    pub fn chat_row(&self, chat: &ChatId) -> Result<Option<i64>> {
        self.value("SELECT id FROM chats WHERE key = ?1", [chat.as_str()])
    }

    pub fn insert_chat(&self, chat: &ChatId) -> Result<i64> {
        self.execute("INSERT INTO chats (key) VALUES (?1)", [chat.as_str()])?;
        Ok(self.last_insert_rowid())
    }

    pub fn chat_key(&self, chat: i64) -> Result<ChatId> {
        parse(&self.only::<String>("SELECT key FROM chats WHERE id = ?1", [chat])?)
    }

    pub fn rename_chat(&self, chat: i64, to: &ChatId) -> Result<()> {
        self.execute("UPDATE chats SET key = ?2 WHERE id = ?1", params![chat, to.as_str()])
    }

    pub fn chat_model(&self, chat: i64) -> Result<Option<String>> {
        self.only("SELECT model FROM chats WHERE id = ?1", [chat])
    }

    pub fn put_chat_model(&self, chat: i64, model: Option<&str>) -> Result<()> {
        self.execute("UPDATE chats SET model = ?2 WHERE id = ?1", params![chat, model])
    }

    pub fn chat_of_message(&self, message: MessageId) -> Result<Option<ChatId>> {
        self.first(
            "SELECT c.key FROM messages m JOIN chats c ON c.id = m.chat WHERE m.id = ?1",
            [Id(message.0)],
            |row| parse(&row.get::<_, String>(0)?),
        )
    }

    pub fn chat_counts(&self) -> Result<Vec<ChatCount>> {
        self.all(
            "SELECT c.key, coalesce(sum(l.messages), 0), count(l.id), max(l.last_at) AS last FROM chats c LEFT JOIN lanes l ON l.chat = c.id \
             GROUP BY c.id ORDER BY last DESC",
            [],
            |row| {
                Ok(ChatCount {
                    chat: parse(&row.get::<_, String>(0)?)?,
                    messages: row.get(1)?,
                    lanes: row.get(2)?,
                    last_at: row.get::<_, Option<Moment>>(3)?.map(|at| at.0),
                })
            },
        )
    }

    pub fn chats_of_channel(&self, channel: &str) -> Result<Vec<i64>> {
        self.values("SELECT id FROM chats WHERE key GLOB ?1 || ':chat:*'", [channel])
    }

    pub fn is_bare_chat(&self, chat: i64) -> Result<bool> {
        self.only(
            "SELECT NOT EXISTS (SELECT 1 FROM messages m JOIN lanes l ON l.id = m.lane WHERE l.chat = ?1) \
             AND NOT EXISTS (SELECT 1 FROM turns t JOIN lanes l ON l.id = t.lane WHERE l.chat = ?1) \
             AND NOT EXISTS (SELECT 1 FROM calls WHERE chat = ?1) AND NOT EXISTS (SELECT 1 FROM memories WHERE chat = ?1) \
             AND NOT EXISTS (SELECT 1 FROM forgettings WHERE chat = ?1)",
            [chat],
        )
    }

    pub fn delete_bare_chat(&self, chat: i64) -> Result<()> {
        self.execute(
            "DELETE FROM inbound_actions WHERE lane IN (SELECT id FROM lanes WHERE chat = ?1)",
            [chat],
        )?;
        self.execute("DELETE FROM lanes WHERE chat = ?1", [chat])?;
        self.execute("DELETE FROM chats WHERE id = ?1", [chat])
    }

    pub fn forgettings(&self, chat: i64) -> Result<u64> {
        self.only("SELECT forgettings FROM chats WHERE id = ?1", [chat])
    }

    pub fn count_forgetting(&self, chat: i64) -> Result<()> {
        self.execute("UPDATE chats SET forgettings = forgettings + 1 WHERE id = ?1", [chat])
    }

    pub fn count_forgetting_everywhere(&self) -> Result<()> {
        self.execute("UPDATE chats SET forgettings = forgettings + 1", [])
    }

    pub fn lane_row(&self, chat: &ChatId, key: &str) -> Result<Option<LaneRow>> {
        self.first(
            "SELECT l.id, l.messages, l.last_at, l.conversation FROM lanes l JOIN chats c ON c.id = l.chat WHERE c.key = ?1 AND l.key = ?2",
            [chat.as_str(), key],
            |row| {
                Ok(LaneRow {
                    id: row.get(0)?,
                    messages: row.get(1)?,
                    last_at: row.get::<_, Option<Moment>>(2)?.map(|at| at.0),
                    conversation: row.get::<_, Option<Id>>(3)?.map(|id| MessageId(id.0)),
                })
            },
        )
    }

    pub fn insert_lane(&self, chat: i64, key: &str) -> Result<i64> {
        self.execute("INSERT INTO lanes (chat, key) VALUES (?1, ?2)", params![chat, key])?;
        Ok(self.last_insert_rowid())
    }

    pub fn update_lane(&self, lane: &LaneRow) -> Result<()> {
        self.execute(
            "UPDATE lanes SET messages = ?2, last_at = ?3, conversation = ?4 WHERE id = ?1",
            params![lane.id, lane.messages, lane.last_at.map(Moment), lane.conversation.map(|id| Id(id.0))],
        )
    }

    pub fn lanes_of(&self, chat: i64) -> Result<Vec<(i64, String)>> {
        self.all("SELECT id, key FROM lanes WHERE chat = ?1 ORDER BY id", [chat], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    pub fn lane_counts(&self, name: &ChatId, chat: i64) -> Result<Vec<LaneCount>> {
        self.all(
            "SELECT key, messages, last_at FROM lanes WHERE chat = ?1 ORDER BY last_at DESC, id",
            [chat],
            |row| {
                Ok(LaneCount {
                    lane: parse_lane(&row.get::<_, String>(0)?, name)?,
                    messages: row.get(1)?,
                    last_at: row.get::<_, Option<Moment>>(2)?.map(|at| at.0),
                })
            },
        )
    }

    pub fn rename_lane(&self, lane: i64, key: &str) -> Result<()> {
        self.execute("UPDATE lanes SET key = ?2 WHERE id = ?1", params![lane, key])
    }

    pub fn lane_by_row(&self, lane: i64) -> Result<Option<(ChatId, Lane)>> {
        let sql = "SELECT c.key, l.key FROM lanes l JOIN chats c ON c.id = l.chat WHERE l.id = ?1";
        self.first(sql, [lane], chat_and_lane)
    }

    pub fn lanes_with_work(&self, channel: &str) -> Result<Vec<(ChatId, Lane)>> {
        self.all(
            "SELECT c.key, l.key FROM lanes l JOIN chats c ON c.id = l.chat WHERE c.key GLOB ?1 || ':chat:*' \
             AND l.id IN (SELECT lane FROM waiting UNION SELECT lane FROM inbound_actions) ORDER BY l.id",
            [channel],
            chat_and_lane,
        )
    }

    pub fn close_lane(&self, lane: i64) -> Result<()> {
        self.execute("UPDATE lanes SET closed = 1 WHERE id = ?1", [lane])
    }

    pub fn is_lane_closed(&self, lane: i64) -> Result<bool> {
        self.only("SELECT closed FROM lanes WHERE id = ?1", [lane])
    }

    pub fn pending_slot(&self, lane: i64) -> Result<Option<PendingSlot>> {
        Ok(self.first("SELECT pending FROM lanes WHERE id = ?1", [lane], |row| json(row, 0))?.flatten())
    }

    pub fn put_pending_slot(&self, lane: i64, pending: Option<&PendingSlot>) -> Result<()> {
        let pending = pending.map(to_json).transpose()?;
        self.execute("UPDATE lanes SET pending = ?2 WHERE id = ?1", params![lane, pending])
    }

    pub fn delete_pending_slots(&self, chat: i64) -> Result<()> {
        self.execute("UPDATE lanes SET pending = NULL WHERE chat = ?1", [chat])
    }

    pub fn raise_floor(&self, lane: i64, floor: Position) -> Result<()> {
        self.execute(
            "UPDATE lanes SET floor_at = ?2, floor_seq = ?3 WHERE id = ?1 AND (floor_at IS NULL OR (floor_at, floor_seq) < (?2, ?3))",
            params![lane, Moment(floor.at), floor.seq],
        )
    }
}

fn chat_and_lane(row: &Row<'_>) -> Result<(ChatId, Lane)> {
    let chat: ChatId = parse(&row.get::<_, String>(0)?)?;
    let lane = parse_lane(&row.get::<_, String>(1)?, &chat)?;
    Ok((chat, lane))
}
