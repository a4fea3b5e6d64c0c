//! `/status` and `/cost`.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_store::arrivals::Account;
use throughline_store::chats::ChatCount;
use throughline_store::health::Figures;
use throughline_store::ledger::{CallProblem, Spent, WaitedFor};
use throughline_store::outbox::OutboxFigures;

use super::Answer;
use crate::owner::Owner;
use crate::{Engine, Result};

/// The period that `/cost` covers.
const COST_PERIOD: SignedDuration = SignedDuration::from_hours(24 * 30);

/// A status report, as far as the chat it is shown in may see it.
#[derive(Debug)]
pub enum Status {
    /// Everything, for the owner.
    Home(Box<StatusReport>),
    /// One chat, for others.
    Chat {
        /// Messages of the lane.
        messages: u64,
        /// Memories that hold.
        memories: u64,
    },
}

/// The figures of a home.
#[derive(Debug)]
pub struct StatusReport {
    /// What the store holds.
    pub figures: Figures,
    /// What waits to be sent.
    pub outbox: OutboxFigures,
    /// Our accounts on channels, and whether one is listening.
    pub accounts: Vec<Account>,
    /// The chats, the most recent first.
    pub chats: Vec<ChatCount>,
    /// What background work took in the last day.
    pub spent: Spent,
    /// What replies took in the last day.
    pub replies: Spent,
    /// What went wrong with the newest reply of the last day that had a problem.
    pub problem: Option<CallProblem>,
}

impl Engine {
    /// The figures of the home.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn status_report(&self) -> Result<StatusReport> {
        let (day_ago, store) = (self.day_ago(), &self.store);
        Ok(StatusReport {
            figures: store.figures().await?,
            outbox: store.outbox_figures().await?,
            accounts: store.accounts().await?.into_iter().map(unless_ended).collect(),
            chats: store.chats().await?,
            spent: store.spent_on(WaitedFor::ByNobody, day_ago).await?,
            replies: store.spent_on(WaitedFor::ByAPerson, day_ago).await?,
            problem: store.newest_problem(day_ago).await?,
        })
    }

    pub(super) async fn status(&self, chat: &ChatId, lane: &Lane) -> Result<Status> {
        if self.settings.people.is_owners(chat) {
            return Ok(Status::Home(Box::new(self.status_report().await?)));
        }
        let (messages, memories) =
            (self.store.chat(chat).count(lane).await?, self.memories(chat).await?.len() as u64);
        Ok(Status::Chat { messages, memories })
    }

    pub(super) async fn show_cost(&self, chat: &ChatId) -> Result<Answer> {
        let since = self.now().saturating_sub(COST_PERIOD).unwrap_or(Timestamp::MIN);
        Ok(Answer::Cost(self.store.chat(chat).spent(since).await?))
    }
}

/// An account is stopped if the process that listened is known to have ended.
fn unless_ended(account: Account) -> Account {
    let listens = |owner: Owner| !Owner::this_process().sees_ended(&owner);
    if account.owner.as_ref().is_some_and(|owner| owner.parse().is_ok_and(listens)) {
        account
    } else {
        Account { state: "stopped".to_owned(), problem: None, ..account }
    }
}
