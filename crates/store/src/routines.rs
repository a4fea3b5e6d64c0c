//! Runs of routines. The moment a run was due tells it from all others, so that no two processes do the same one.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use crate::holder::Holder;
use crate::{Arm, InChat, Result, Store};

/// A run of a routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The routine.
    pub routine: String,
    /// When it was due.
    pub due_at: Timestamp,
    /// How it stands.
    pub state: RunState,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it said.
    pub message: Option<MessageId>,
    /// Why it said nothing.
    pub problem: Option<String>,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Somebody is at it.
    Running,
    /// It said something.
    Sent,
    /// It decided to say nothing.
    Declined,
    /// Nobody was there when it was due, and it is too late now.
    Missed,
    /// It could not be done.
    Failed,
}

impl RunState {
    const ALL: [Self; 5] = [Self::Running, Self::Sent, Self::Declined, Self::Missed, Self::Failed];

    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Sent => "sent",
            Self::Declined => "declined",
            Self::Missed => "missed",
            Self::Failed => "failed",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

impl Store {
    /// The message that a job is to make the summary of.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn routine_to_summarize(&self, subject: &str) -> Result<Option<(ChatId, MessageId)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.routine_to_summarize(subject).await,
        }
    }

    /// Takes a run, unless it was done or somebody is at it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn begin_run(
        &self,
        routine: &str,
        due: Timestamp,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.begin_run(routine, due, holder, now).await,
        }
    }

    /// Notes how a run ended that said nothing.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn end_run(&self, run: Run) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.end_run(run).await,
        }
    }

    /// Since when a routine has had this schedule: from now on, where it is new.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn scheduled_since(&self, routine: &str, schedule: &str, now: Timestamp) -> Result<Timestamp> {
        match &self.arm {
            Arm::Sqlite(db) => db.scheduled_since(routine, schedule, now).await,
        }
    }

    /// Gives a run back that could not be begun in earnest: somebody tries it again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn release_run(&self, routine: &str, due: Timestamp, owner: &str) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.release_run(routine, due, owner).await,
        }
    }

    /// The newest runs, of one routine or of all.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn runs(&self, routine: Option<&str>, limit: usize) -> Result<Vec<Run>> {
        match &self.arm {
            Arm::Sqlite(db) => db.runs(routine, limit).await,
        }
    }

    /// Renews the lease of a run.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn renew_run(&self, routine: &str, due: Timestamp, holder: &Holder) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.renew_run(routine, due, holder).await,
        }
    }

    /// Who is at runs, for those who look after the dead.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn run_owners(&self) -> Result<Vec<Holder>> {
        match &self.arm {
            Arm::Sqlite(db) => db.run_owners().await,
        }
    }

    /// Frees abandoned runs: nothing came of them.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn release_runs(&self, owners: Vec<Holder>) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.release_runs(owners).await,
        }
    }
}

impl InChat {
    /// Lets a summary stand for a routine's message, in place of its beginning.
    ///
    /// # Errors
    /// When the store cannot be written, or something was forgotten meanwhile.
    pub async fn keep_routine_summary(&self, message: MessageId, summary: &str) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.keep_routine_summary(&self.chat, self.watched, message, summary).await,
        }
    }
}
