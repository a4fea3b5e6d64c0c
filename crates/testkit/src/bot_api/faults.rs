//! Planned faults of calls, in order.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::Call;
use super::refusal::Refusal;

/// A fault of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// 429: too many requests.
    TooMany {
        /// The seconds to wait.
        retry_after: u64,
    },
    /// 409: another program polls.
    Conflict,
    /// Any other error answer.
    Refuse {
        /// The HTTP status.
        code: u16,
        /// The description in the answer.
        description: String,
    },
    /// Never processed and never answered; the connection stays open.
    HangBefore,
    /// Processed but never answered; the connection stays open.
    HangAfter,
    /// The connection is closed before the call is processed.
    CutBefore,
    /// The call is processed, then the connection is closed without an answer.
    CutAfter,
    /// 502 with an HTML page; the call is not processed.
    GatewayBefore,
    /// The call is processed, but answered with 502 and an HTML page.
    GatewayAfter,
    /// The connection is closed in the middle of a file; no effect on other calls.
    CutInside,
    /// The call is processed, but answered with an error of a server in between.
    ErrorAfter {
        /// The HTTP status.
        code: u16,
        /// The form of the answer.
        form: Form,
    },
    /// Processed at once, answered late.
    Slow(Duration),
}

/// The form of an error answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Telegram's own JSON.
    Json,
    /// A proxy's HTML page.
    Html,
}

impl Fault {
    /// The error answer of this fault, if it is one.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::TooMany { retry_after } => Some(Refusal::too_many(*retry_after)),
            Self::Conflict => Some(Refusal::second_poll()),
            Self::Refuse { code, description } => Some(Refusal::new(*code, description.as_str())),
            Self::HangBefore
            | Self::HangAfter
            | Self::CutBefore
            | Self::CutAfter
            | Self::GatewayBefore
            | Self::GatewayAfter
            | Self::CutInside
            | Self::ErrorAfter { .. }
            | Self::Slow(_) => None,
        }
    }
}

/// When to call a test's hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The request has arrived and is not processed. If the client disconnects now, it never is.
    Before,
    /// The request was processed and is not answered.
    After,
}

pub(super) type Hook = Arc<dyn Fn(&Call) + Send + Sync>;

/// Faults planned for the next calls.
#[derive(Default)]
pub(super) struct Plans {
    faults: HashMap<String, VecDeque<Fault>>,
    hooks: Vec<(String, Moment, Hook)>,
}

/// Every method but `getUpdates`.
const ANY: &str = "*";

impl Plans {
    pub fn add_fault(&mut self, method: &str, fault: Fault) {
        self.faults.entry(method.to_owned()).or_default().push_back(fault);
    }

    pub fn add_hook(&mut self, method: &str, moment: Moment, hook: Hook) {
        self.hooks.push((method.to_owned(), moment, hook));
    }

    /// The fault of a call; those planned for its method come before those for any method.
    pub fn take(&mut self, method: &str) -> Option<Fault> {
        let mut next = |name: &str| self.faults.get_mut(name)?.pop_front();
        next(method).or_else(|| if covers(ANY, method) { next(ANY) } else { None })
    }

    /// The hooks for this moment of a call.
    pub fn hooks(&self, method: &str, moment: Moment) -> Vec<Hook> {
        let wanted = self.hooks.iter().filter(|(name, when, _)| covers(name, method) && *when == moment);
        wanted.map(|(_, _, hook)| Arc::clone(hook)).collect()
    }
}

fn covers(name: &str, method: &str) -> bool {
    name == method || (name == ANY && method != "getUpdates")
}
