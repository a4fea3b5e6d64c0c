//! Live and relayed replies, and uncertain items to report or send again.

use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;
use throughline_domain::turn::TurnId;
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, Moment, parse, parse_lane};
use crate::Result;
use crate::live::LiveReply;
use crate::relayed::RelayedReply;
use crate::uncertain::UncertainMessage;

impl Tx<'_> {
    pub fn put_live_reply(&self, turn: TurnId, words: &str) -> Result<()> {
        self.execute(
            "INSERT INTO live_replies (turn, words) VALUES (?1, ?2) ON CONFLICT (turn) DO UPDATE SET words = excluded.words",
            params![Id(turn.0), words],
        )
    }

    pub fn name_live_reply(&self, turn: TurnId, external: &str) -> Result<()> {
        let sql = "UPDATE live_replies SET external_id = ?2 WHERE turn = ?1";
        self.execute(sql, params![Id(turn.0), external])
    }

    pub fn delete_live_reply(&self, turn: TurnId) -> Result<()> {
        self.execute("DELETE FROM live_replies WHERE turn = ?1", [Id(turn.0)])
    }

    pub fn delete_begun_reply(&self, turn: TurnId) -> Result<()> {
        self.execute("DELETE FROM replies WHERE turn = ?1 AND message IS NULL", [Id(turn.0)])
    }

    pub fn live_reply(&self, turn: TurnId) -> Result<Option<LiveReply>> {
        self.first(
            "SELECT c.key, l.key, v.words, v.external_id FROM live_replies v JOIN turns t ON t.id = v.turn \
             JOIN lanes l ON l.id = t.lane JOIN chats c ON c.id = l.chat WHERE v.turn = ?1",
            [Id(turn.0)],
            |row| live_reply(row, 0),
        )
    }

    pub fn ended_live_replies(&self, channel: &str) -> Result<Vec<(TurnId, LiveReply)>> {
        self.all(
            "SELECT t.id, c.key, l.key, v.words, v.external_id FROM live_replies v JOIN turns t ON t.id = v.turn \
             JOIN lanes l ON l.id = t.lane JOIN chats c ON c.id = l.chat \
             WHERE t.status <> 'running' AND c.key GLOB ?1 || ':chat:*' ORDER BY t.started_at, t.id",
            [channel],
            |row| Ok((TurnId(row.get::<_, Id>(0)?.0), live_reply(row, 1)?)),
        )
    }

    pub fn put_relayed_reply(&self, id: Uuid, chat: i64, words: &str) -> Result<()> {
        self.execute(
            "INSERT INTO relayed_replies (id, chat, words) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET words = excluded.words",
            params![Id(id), chat, words],
        )
    }

    pub fn delete_relayed_reply(&self, id: Uuid) -> Result<()> {
        self.execute("DELETE FROM relayed_replies WHERE id = ?1", [Id(id)])
    }

    pub fn relayed_replies(&self) -> Result<Vec<RelayedReply>> {
        self.all(
            "SELECT r.id, c.key, r.words FROM relayed_replies r JOIN chats c ON c.id = r.chat ORDER BY r.id",
            [],
            |row| {
                let chat = parse(&row.get::<_, String>(1)?)?;
                Ok(RelayedReply { id: row.get::<_, Id>(0)?.0, chat, words: row.get(2)? })
            },
        )
    }

    pub fn unreported_messages(&self, channel: &str) -> Result<Vec<UncertainMessage>> {
        self.all(
            "SELECT o.id, c.key, l.key, m.id, m.text, o.uncertain_at, EXISTS (SELECT 1 FROM outbox n \
               JOIN messages k ON k.seq = n.message WHERE n.id > o.id AND n.message <> o.message AND n.state <> 'failed' AND k.lane = m.lane) \
             FROM outbox o JOIN messages m ON m.seq = o.message JOIN lanes l ON l.id = m.lane JOIN chats c ON c.id = l.chat \
             WHERE o.state = 'uncertain' AND NOT o.told AND c.key GLOB ?1 || ':chat:*' \
             AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.message = o.message AND p.state IN ('pending', 'sending')) ORDER BY o.id",
            [channel],
            |row| {
                let chat: ChatId = parse(&row.get::<_, String>(1)?)?;
                Ok(UncertainMessage {
                    lane: parse_lane(&row.get::<_, String>(2)?, &chat)?,
                    chat,
                    message: MessageId(row.get::<_, Id>(3)?.0),
                    text: row.get(4)?,
                    items: vec![row.get(0)?],
                    since: row.get::<_, Option<Moment>>(5)?.map(|since| since.0).unwrap_or_default(),
                    is_followed: row.get(6)?,
                })
            },
        )
    }

    pub fn mark_told(&self, item: i64) -> Result<bool> {
        Ok(self.run("UPDATE outbox SET told = 1 WHERE id = ?1 AND NOT told", [item])? > 0)
    }

    pub fn count_uncertain_pieces(&self, message: i64) -> Result<u64> {
        self.only(
            "SELECT count(*) FROM outbox WHERE message = ?1 AND state = 'uncertain' AND body <> ''",
            [message],
        )
    }

    pub fn requeue_uncertain_pieces(&self, message: i64) -> Result<()> {
        self.execute(
            "UPDATE outbox SET state = 'pending', due_at = 0, uncertain_at = NULL, told = 0, reported = 0 \
             WHERE message = ?1 AND state = 'uncertain' AND body <> ''",
            [message],
        )
    }

    pub fn turn_of_pieces(&self, message: i64) -> Result<Option<TurnId>> {
        let turn: Option<Id> =
            self.value("SELECT turn FROM outbox WHERE message = ?1 AND turn IS NOT NULL LIMIT 1", [message])?;
        Ok(turn.map(|turn| TurnId(turn.0)))
    }
}

fn live_reply(row: &Row<'_>, from: usize) -> Result<LiveReply> {
    let chat: ChatId = parse(&row.get::<_, String>(from)?)?;
    Ok(LiveReply {
        lane: parse_lane(&row.get::<_, String>(from + 1)?, &chat)?,
        chat,
        words: row.get(from + 2)?,
        external_id: row.get(from + 3)?,
    })
}
