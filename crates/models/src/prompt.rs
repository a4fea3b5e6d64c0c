//! A request as it is sent to a model: a system text and turns.

use serde::Serialize;
use throughline_text::tokens;

use crate::limits::Limits;
use crate::{Error, Request};

/// A request as models take it.
#[derive(Debug)]
pub(crate) struct Prompt<'a> {
    /// The system text.
    pub(crate) system: &'a str,
    /// Turns that alternate, and begin and end with the user's.
    pub(crate) turns: Vec<Said<'a>>,
    /// Maximum length of the answer, in tokens.
    pub(crate) most_tokens: u32,
}

/// One turn.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Said<'a> {
    /// `user`, `assistant` or, for the first, `system`.
    pub(crate) role: &'a str,
    /// The words.
    pub(crate) content: &'a str,
}

impl<'a> Prompt<'a> {
    /// The prompt of a request.
    pub(crate) fn new(request: &'a Request, limits: &Limits) -> Result<Self, Error> {
        let prompt = match request {
            Request::Turn(turn) => {
                let prompt =
                    turn.context.prompt.as_ref().ok_or_else(|| {
                        Error::Refused("the context was not assembled as messages".to_owned())
                    })?;
                let turns =
                    prompt.messages.iter().map(|turn| Said { role: turn.role, content: &turn.content });
                Self { system: &prompt.system, turns: turns.collect(), most_tokens: limits.reply_tokens }
            }
            Request::Work(work) => Self {
                system: &work.instructions,
                turns: vec![Said { role: "user", content: &work.input }],
                most_tokens: work.most_tokens,
            },
        };
        match prompt.turns.last() {
            Some(last) if last.role == "user" && !last.content.trim().is_empty() => Ok(prompt),
            _ => Err(Error::Refused("there is nothing to answer".to_owned())),
        }
    }

    /// The turns as most servers take them, with the system text as the first.
    pub(crate) fn system_first(&self) -> Vec<Said<'a>> {
        let system = (!self.system.is_empty()).then_some(Said { role: "system", content: self.system });
        system.into_iter().chain(self.turns.iter().copied()).collect()
    }

    /// About how many tokens it has, for servers that do not count them.
    pub(crate) fn tokens(&self) -> u32 {
        let turns = self.turns.iter().map(|said| tokens::estimate(said.content));
        turns.fold(tokens::estimate(self.system), u32::saturating_add)
    }
}
