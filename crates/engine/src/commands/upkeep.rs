//! `/status` and `/cost`.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_store::arrivals::Account;
use throughline_store::chats::ChatCount;
use throughline_store::health::Figures;
use throughline_store::ledger::{CallKind, CallProblem, Spent};
use throughline_store::outbox::OutboxFigures;

use super::Answer;
use crate::owner::Owner;
use crate::{Engine, Result};

/// The period that `/cost` covers.
const COST_PERIOD: SignedDuration = SignedDuration::from_hours(24 * 30);

/// A status report, limited to what its reader may see.
#[derive(Debug)]
pub enum Status {
    /// Everything, for the owner.
    Home(Box<StatusReport>),
    /// One chat, for others.
    Chat {
        /// The number of messages in the lane.
        messages: u64,
        /// The number of active memories.
        memories: u64,
    },
}

/// The figures of a home.
#[derive(Debug)]
pub struct StatusReport {
    /// The figures of the store.
    pub figures: Figures,
    /// The figures of the outbox.
    pub outbox: OutboxFigures,
    /// The accounts on channels, with the process that listens on each.
    pub accounts: Vec<Account>,
    /// The chats, most recent first.
    pub chats: Vec<ChatCount>,
    /// The cost of background work in the last day.
    pub spent: Spent,
    /// The cost of replies in the last day.
    pub replies: Spent,
    /// The newest problem with a reply of the last day.
    pub problem: Option<CallProblem>,
}

impl Engine {
    /// The figures of the home.
    pub async fn status_report(&self) -> Result<StatusReport> {
        let (day_ago, store) = (self.day_ago(), &self.store);
        Ok(StatusReport {
            figures: store.figures().await?,
            outbox: store.outbox_figures().await?,
            accounts: store.accounts().await?.into_iter().map(unless_ended).collect(),
            chats: store.chats().await?,
            spent: store.spent_on(CallKind::Background, day_ago).await?,
            replies: store.spent_on(CallKind::Reply, day_ago).await?,
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

/// Marks an account as stopped if its listening process is known to have ended.
fn unless_ended(account: Account) -> Account {
    let listens = |owner: Owner| !Owner::this_process().sees_ended(&owner);
    if account.owner.as_ref().is_some_and(|owner| owner.parse().is_ok_and(listens)) {
        account
    } else {
        Account { state: "stopped".to_owned(), problem: None, ..account }
    }
}
