//! Language without chats: words, sentences, phrases of time, secrets, statements about a person, tags, summaries.
//! Pure: no I/O, no clock, no async; the same text gives the same result.

pub mod answers;
pub mod calendar;
pub mod cjk;
pub mod correction;
pub(crate) mod cues;
pub mod earlier;
pub mod erase;
pub mod extract;
pub mod generic;
pub mod intent;
pub(crate) mod linear;
mod pattern;
pub mod printable;
pub mod question;
pub mod redact;
pub mod relate;
pub mod sentences;
pub mod shorten;
pub mod summarize;
pub mod tags;
pub mod tokens;
pub mod told;
pub mod when;
mod word_list;
pub mod words;
