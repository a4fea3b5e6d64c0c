//! What the program runs with: default, then `config.toml`, then environment, then flag. No other room reads the
//! environment.
//!
//! [`keys`] is the one list of settings. What may be written ([`written::Written`]) and what runs ([`Settings`]) are
//! two types; [`load`] lays one over the other and remembers where each value came from.

pub mod edit;
mod env;
mod keys;
mod load;
mod nearest;
pub mod problem;
pub mod routines;
mod schema;
pub mod settings;
mod show;
mod start;
mod tree;
pub mod values;
mod written;

pub use env::{CLAUDE_PROJECT_DIR, Environment, THROUGHLINE_CHAT, THROUGHLINE_HOOKS, help};
pub use load::{Flags, check, config_file};
pub use problem::verdict;
pub use schema::schema;
pub use settings::Settings;
pub use show::{document, show, table};
pub use start::{claude_folders, home, now};
