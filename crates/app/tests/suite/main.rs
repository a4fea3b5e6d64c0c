//! The program from the outside: the binary itself, with doubles of what it talks to on the far side.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]

mod answers;
mod architecture;
mod bad_input;
mod callers;
mod claude_code;
mod clients;
mod common;
mod continuity;
mod dashboard;
mod docs;
mod doors;
mod durability;
mod embedder;
mod embedding;
mod encryption;
mod eval;
mod forget;
mod forget_held_out;
mod help;
mod hostile;
mod http;
mod ids;
mod imports;
mod imports_chats;
mod logs;
mod mcp;
mod mem0;
mod memory;
mod models;
mod onboard;
mod portable;
mod proxies;
mod restore;
mod roundtrip;
mod scenarios;
mod sharing;
mod telegram;
mod terminal;
mod tools;
