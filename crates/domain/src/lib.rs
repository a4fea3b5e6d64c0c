//! Values and rules of a chat memory. Pure: no I/O, no clock, no async; the same input gives the same bytes.

#[macro_use]
mod written;

pub mod access;
pub mod channel;
pub mod chat;
pub mod compact;
pub mod context;
pub mod conversation;
pub mod forget;
pub mod lane;
pub mod memory;
pub mod message;
pub mod metadata;
pub mod pending;
pub mod profile;
pub mod recall;
pub mod routine;
pub mod short_id;
pub mod summary;
pub mod time;
pub mod turn;
