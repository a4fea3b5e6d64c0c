//! Files that came with messages.

use jiff::Timestamp;
use rusqlite::{Row, params};
use throughline_domain::message::MessageId;
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, Moment, parse};
use crate::Result;
use crate::attachments::{AttachmentState, KeptFile, NewAttachment, StoredAttachment};

/// The columns of an attachment whose message is there, for [`stored`].
macro_rules! attachments {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, c.key, m.id, a.kind, a.source, a.name, a.media_type, a.bytes, a.state, a.hash, a.problem, \
             a.attempts, a.due_at FROM attachments a JOIN messages m ON m.seq = a.message JOIN chats c ON c.id = m.chat \
             WHERE a.forgotten IS NULL AND ",
            $rest
        )
    };
}

fn stored(row: &Row<'_>) -> Result<StoredAttachment> {
    Ok(StoredAttachment {
        id: row.get(0)?,
        chat: parse(&row.get::<_, String>(1)?)?,
        message: MessageId(row.get::<_, Id>(2)?.0),
        file: NewAttachment {
            kind: parse(&row.get::<_, String>(3)?)?,
            source: row.get(4)?,
            name: row.get(5)?,
            media_type: row.get(6)?,
            bytes: row.get(7)?,
        },
        state: parse(&row.get::<_, String>(8)?)?,
        hash: row.get(9)?,
        problem: row.get(10)?,
        attempts: row.get(11)?,
        due: row.get::<_, Moment>(12)?.0,
    })
}

impl Tx<'_> {
    pub fn insert_attachment(&self, message: i64, file: &NewAttachment) -> Result<()> {
        let NewAttachment { kind, source, name, media_type, bytes } = file;
        self.execute(
            "INSERT INTO attachments (message, kind, source, name, media_type, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![message, kind.as_str(), source, name, media_type, bytes],
        )
    }

    pub fn attachment(&self, id: i64) -> Result<Option<StoredAttachment>> {
        self.first(attachments!("a.id = ?1"), [id], stored)
    }

    pub fn attachments_of(&self, message: i64) -> Result<Vec<StoredAttachment>> {
        self.all(attachments!("a.message = ?1 ORDER BY a.id"), [message], stored)
    }

    pub fn attachments_due(&self, channel: &str, now: Timestamp) -> Result<Vec<StoredAttachment>> {
        self.all(
            attachments!(
                "a.state = 'waiting' AND a.message IS NOT NULL AND a.due_at <= ?2 AND c.key GLOB ?1 || ':chat:*' ORDER BY a.id"
            ),
            params![channel, Moment(now)],
            stored,
        )
    }

    pub fn postpone_attachment(&self, id: i64, due: Timestamp, problem: &str) -> Result<()> {
        self.execute(
            "UPDATE attachments SET due_at = ?2, problem = ?3, attempts = attempts + 1 WHERE id = ?1",
            params![id, Moment(due), problem],
        )
    }

    pub fn end_attachment(&self, id: i64, state: AttachmentState, problem: Option<&str>) -> Result<()> {
        let state: &str = state.into();
        self.execute(
            "UPDATE attachments SET state = ?2, problem = ?3 WHERE id = ?1",
            params![id, state, problem],
        )
    }

    pub fn put_kept_attachment(&self, id: i64, file: &KeptFile) -> Result<()> {
        self.execute(
            "UPDATE attachments SET state = 'kept', hash = ?2, media_type = ?3, bytes = ?4, problem = NULL WHERE id = ?1",
            params![id, file.hash, file.media_type, file.bytes],
        )
    }

    pub fn reset_attachment(&self, id: i64) -> Result<()> {
        self.execute(
            "UPDATE attachments SET state = 'waiting', problem = NULL, attempts = 0, due_at = 0 \
             WHERE id = ?1 AND state IN ('given_up', 'unheard')",
            [id],
        )
    }

    pub fn set_attachments_aside(&self, message: i64, forgetting: Uuid) -> Result<()> {
        self.execute(
            "UPDATE attachments SET forgotten = ?2 WHERE message = ?1 AND forgotten IS NULL",
            params![message, Id(forgetting)],
        )
    }

    pub fn restore_attachments(&self, forgetting: Uuid) -> Result<()> {
        self.execute("UPDATE attachments SET forgotten = NULL WHERE forgotten = ?1", [Id(forgetting)])
    }

    pub fn move_attachments(&self, from: i64, to: i64) -> Result<()> {
        self.execute("UPDATE attachments SET message = ?2 WHERE message = ?1", [from, to])
    }

    pub fn unlink_attachments(&self, message: i64) -> Result<()> {
        self.execute(
            "UPDATE attachments SET message = NULL, source = '', name = NULL, problem = NULL, forgotten = NULL WHERE message = ?1",
            [message],
        )
    }

    pub fn unlink_attachments_set_aside(&self, forgetting: Uuid) -> Result<()> {
        self.execute(
            "UPDATE attachments SET message = NULL, source = '', name = NULL, problem = NULL, forgotten = NULL WHERE forgotten = ?1",
            [Id(forgetting)],
        )
    }

    pub fn unlinked_attachments(&self) -> Result<Vec<(i64, Option<String>)>> {
        self.all("SELECT id, hash FROM attachments WHERE message IS NULL", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    pub fn delete_attachment(&self, id: i64) -> Result<()> {
        self.execute("DELETE FROM attachments WHERE id = ?1", [id])
    }

    pub fn is_file_named(&self, hash: &str) -> Result<bool> {
        self.has("SELECT 1 FROM attachments WHERE hash = ?1", [hash])
    }

    pub fn kept_files(&self) -> Result<Vec<String>> {
        self.values("SELECT DISTINCT hash FROM attachments WHERE hash IS NOT NULL ORDER BY hash", [])
    }
}
