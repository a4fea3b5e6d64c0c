//! When a routine runs and what it does. Running it, and recording its runs, is left to others.

mod dates;
mod due;
mod local;
mod quiet;
mod schedule;

use strum::{IntoStaticStr, VariantArray};

pub use dates::with_dates;
pub use due::{Decision, Timing};
pub use quiet::{MalformedQuietHours, QuietHours, QuietPolicy};
pub use schedule::{MalformedSchedule, Schedule};

/// What a routine does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// Gives an agent an instruction and sends its answer.
    #[default]
    Prompt,
    /// Runs a program and gives an agent its output.
    Command,
    /// Sends a fixed text.
    Message,
}

as_str!(Kind);
