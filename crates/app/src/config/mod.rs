//! The settings: defaults, then `config.toml`, then the environment, then flags. No other module reads the
//! environment.
//!
//! [`keys`] is the list of all settings. The content of the file ([`written::Written`]) and the settings of a run
//! ([`Settings`]) are two types; [`load`] applies one to the other and remembers the source of each value.

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
