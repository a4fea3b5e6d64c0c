//! SQLite representations of values.

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId};
use uuid::Uuid;

use crate::holder::Holder;
use crate::{Error, Result};

/// A time in microseconds.
pub(super) struct Moment(pub Timestamp);

impl ToSql for Moment {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_microsecond().into())
    }
}

impl FromSql for Moment {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let at = Timestamp::from_microsecond(value.as_i64()?);
        at.map(Self).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// An id as 16 bytes.
pub(super) struct Id(pub Uuid);

impl ToSql for Id {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_bytes().as_slice().into())
    }
}

impl FromSql for Id {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let id = Uuid::from_slice(value.as_blob()?);
        id.map(Self).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// Parses a value that is stored as a word.
pub(super) fn parse<T: std::str::FromStr>(text: &str) -> Result<T>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| Error::Unreadable(error.to_string()))
}

/// Parses a lane's key.
pub(super) fn parse_lane(key: &str, chat: &ChatId) -> Result<Lane> {
    Lane::parse(key, chat).map_err(|error| Error::Unreadable(error.to_string()))
}

/// Serializes a value as JSON.
pub(super) fn to_json(value: &(impl serde::Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unreadable(error.to_string()))
}

/// Parses a column that contains JSON, or NULL.
pub(super) fn json<T: serde::de::DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> Result<T> {
    let unreadable = |error: &dyn std::fmt::Display| Error::Unreadable(error.to_string());
    match row.get_ref(column)?.as_str_or_null().map_err(|error| unreadable(&error))? {
        // Most messages have nothing here.
        None | Some("{}" | "[]") => Ok(T::default()),
        Some(text) => serde_json::from_str(text).map_err(|error| unreadable(&error)),
    }
}

/// The columns of a message, for [`MessageReader`].
macro_rules! message {
    () => {
        "m.seq, m.id, m.role, m.text, m.channel, m.speaker, m.agent, m.occurred_at, m.recorded_at, \
         m.reply_to, m.metadata, m.opens, m.tokens, l.key, m.external_ids"
    };
}
pub(super) use message;

/// Reads messages of one chat. It caches the lane of the previous row, which is usually the same.
pub(super) struct MessageReader<'a> {
    chat: &'a ChatId,
    lane: (String, Lane),
}

impl<'a> MessageReader<'a> {
    pub fn new(chat: &'a ChatId) -> Self {
        Self { chat, lane: (Lane::Root.key(chat), Lane::Root) }
    }

    /// A message without its ordinal in the lane, which the caller counts.
    pub fn stored(&mut self, row: &Row<'_>) -> Result<StoredMessage> {
        let seq: i64 = row.get(0)?;
        let key = row.get_ref(13)?.as_str().map_err(|error| Error::Unreadable(error.to_string()))?;
        if self.lane.0 != key {
            self.lane = (key.to_owned(), parse_lane(key, self.chat)?);
        }
        let role = row.get_ref(2)?.as_str().map_err(|error| Error::Unreadable(error.to_string()))?;
        let message = Message {
            id: MessageId(row.get::<_, Id>(1)?.0),
            chat: self.chat.clone(),
            lane: self.lane.1.clone(),
            role: parse(role)?,
            text: row.get(3)?,
            channel: row.get(4)?,
            speaker: row.get(5)?,
            agent: row.get(6)?,
            occurred_at: row.get::<_, Moment>(7)?.0,
            recorded_at: row.get::<_, Moment>(8)?.0,
            external_ids: json(row, 14)?,
            reply_to: row.get::<_, Option<Id>>(9)?.map(|id| MessageId(id.0)),
            metadata: json(row, 10)?,
        };
        Ok(StoredMessage { message, seq, ordinal: 0, opens: row.get(11)?, tokens: row.get(12)? })
    }
}

/// The holder of a row, from its columns `owner` and `leased_to`.
pub(super) fn holder(row: &Row<'_>) -> Result<Holder> {
    Ok(Holder { owner: row.get(0)?, leased_to: row.get::<_, Moment>(1)?.0 })
}
