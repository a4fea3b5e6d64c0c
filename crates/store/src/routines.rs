//! Runs of routines. The due time identifies a run, so that only one process does it.

use jiff::Timestamp;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use crate::holder::Holder;
use crate::intake::shown_tokens;
use crate::{InChat, Result, Store};

/// A run of a routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The routine.
    pub routine: String,
    /// When it was due.
    pub due_at: Timestamp,
    /// Its state.
    pub state: RunState,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The message that it sent.
    pub message: Option<MessageId>,
    /// The reason why it sent nothing.
    pub problem: Option<String>,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// In progress.
    Running,
    /// It sent a message.
    Sent,
    /// It decided to send nothing.
    Declined,
    /// No process was running when it was due, and it is too late now.
    Missed,
    /// It failed.
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

    /// Parses a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

impl Store {
    /// The message of a [`JobKind::ROUTINE_SUMMARY`] job, if it still exists.
    pub async fn routine_to_summarize(&self, subject: &str) -> Result<Option<(ChatId, MessageId)>> {
        let Ok(seq) = subject.parse() else { return Ok(None) };
        self.read(move |tx| tx.chat_and_message(seq)).await
    }

    /// Begins a run. Returns false if it was done or another process has it.
    pub async fn begin_run(
        &self,
        routine: &str,
        due: Timestamp,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<bool> {
        let (routine, holder) = (routine.to_owned(), holder.clone());
        self.write(move |tx| tx.begin_run(&routine, due, &holder, now)).await
    }

    /// Records the end of a run without a message, or of a missed run.
    pub async fn end_run(&self, run: Run) -> Result<()> {
        self.write(move |tx| tx.put_run(&run)).await
    }

    /// When a routine got its current schedule; a new schedule takes effect now.
    pub async fn scheduled_since(&self, routine: &str, schedule: &str, now: Timestamp) -> Result<Timestamp> {
        let (routine, schedule) = (routine.to_owned(), schedule.to_owned());
        self.write(move |tx| {
            let held = tx.schedule(&routine)?;
            if let Some((_, since)) = held.filter(|(held, _)| *held == schedule) {
                return Ok(since);
            }
            tx.put_schedule(&routine, &schedule, now)?;
            Ok(now)
        })
        .await
    }

    /// Releases a run that could not be started, so that it is tried again.
    pub async fn release_run(&self, routine: &str, due: Timestamp, owner: &str) -> Result<()> {
        let (routine, owner) = (routine.to_owned(), owner.to_owned());
        self.write(move |tx| tx.delete_run(&routine, due, &owner)).await
    }

    /// The newest runs, of one routine or of all.
    pub async fn runs(&self, routine: Option<&str>, limit: usize) -> Result<Vec<Run>> {
        let routine = routine.map(str::to_owned);
        self.read(move |tx| tx.runs(routine.as_deref(), limit)).await
    }

    /// Renews the lease of a run.
    pub async fn renew_run(&self, routine: &str, due: Timestamp, holder: &Holder) -> Result<()> {
        let (routine, holder) = (routine.to_owned(), holder.clone());
        self.write(move |tx| tx.renew_run(&routine, due, &holder)).await
    }

    /// The holders of runs, to find processes that died.
    pub async fn run_owners(&self) -> Result<Vec<Holder>> {
        self.read(|tx| tx.run_owners()).await
    }

    /// Releases abandoned runs, so that they are tried again.
    pub async fn release_runs(&self, owners: Vec<Holder>) -> Result<()> {
        self.write(move |tx| owners.iter().try_for_each(|holder| tx.delete_runs_of(holder))).await
    }
}

impl InChat {
    /// Stores a summary that windows show in place of a routine's message.
    ///
    /// # Errors
    /// If the store cannot be written, or something was forgotten meanwhile.
    pub async fn keep_routine_summary(&self, message: MessageId, summary: &str) -> Result<()> {
        let summary = summary.to_owned();
        self.write_derived(move |tx, name, chat| {
            let Some(seq) = tx.message_seq(chat, message)? else { return Ok(()) };
            let Some((stored, _)) = tx.message_by_seq(name, seq)? else { return Ok(()) };
            let mut message = stored.message;
            if !message.lacks_routine_summary() {
                return Ok(());
            }
            message.metadata.insert("summary".to_owned(), Value::String(summary));
            tx.rewrite_message(seq, &message.text, &message.metadata, shown_tokens(&message))
        })
        .await
    }
}
