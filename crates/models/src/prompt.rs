//! A request in the form that models accept: a system text and turns.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};
use throughline_text::tokens;

use crate::attachments::{Attachment, Carries};
use crate::limits::Limits;
use crate::{Error, Request, Toolbox};

/// A system text and turns.
#[derive(Debug)]
pub(crate) struct Prompt<'a> {
    /// The system text.
    pub(crate) system: Cow<'a, str>,
    /// Alternating turns, which begin and end with the user's.
    pub(crate) turns: Vec<PromptTurn<'a>>,
    /// The files sent with the last turn.
    pub(crate) attachments: Vec<&'a Attachment>,
    /// Maximum length of the answer, in tokens.
    pub(crate) most_tokens: u32,
}

/// One turn.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PromptTurn<'a> {
    /// `user`, `assistant` or, for the first, `system`.
    pub(crate) role: &'a str,
    /// The words.
    pub(crate) content: Cow<'a, str>,
}

impl<'a> Prompt<'a> {
    /// The prompt of a request, with the files that the provider accepts and, with tools, the rule for them. Other
    /// files are described in words.
    pub(crate) fn new(
        request: &'a Request,
        limits: &Limits,
        carries: &Carries,
        tools: Option<&Toolbox>,
    ) -> Result<Self, Error> {
        let mut prompt = match request {
            Request::Turn(turn) => {
                let prompt =
                    turn.context.prompt.as_ref().ok_or_else(|| {
                        Error::Refused("the context was not assembled as messages".to_owned())
                    })?;
                let turns = prompt
                    .messages
                    .iter()
                    .map(|turn| PromptTurn { role: turn.role, content: (&turn.content).into() });
                Self {
                    system: (&prompt.system).into(),
                    turns: turns.collect(),
                    attachments: Vec::new(),
                    most_tokens: limits.reply_tokens,
                }
            }
            Request::Work(work) => Self {
                system: (&work.instructions).into(),
                turns: vec![PromptTurn { role: "user", content: (&work.input).into() }],
                attachments: Vec::new(),
                most_tokens: work.most_tokens,
            },
        };
        if let Some(toolbox) = tools {
            prompt.system = format!("{}\n\n{}", prompt.system, toolbox.rule).into();
        }
        let (carried, told) = carries.split(request.attachments());
        prompt.attachments = carried;
        match prompt.turns.last_mut() {
            Some(last) if last.role == "user" && !last.content.trim().is_empty() => {
                for words in told {
                    last.content = format!("{}\n\n{words}", last.content).into();
                }
                Ok(prompt)
            }
            _ => Err(Error::Refused("there is nothing to answer".to_owned())),
        }
    }

    /// The turns with the system text as the first. `last` writes the last one if it has files.
    pub(crate) fn system_first(&self, last: impl Fn(&PromptTurn<'a>, &[&Attachment]) -> Value) -> Vec<Value> {
        let system = (!self.system.is_empty()).then(|| json!({ "role": "system", "content": self.system }));
        let mut turns: Vec<Value> =
            system.into_iter().chain(self.turns.iter().map(|said| json!(said))).collect();
        if !self.attachments.is_empty()
            && let (Some(written), Some(said)) = (turns.last_mut(), self.turns.last())
        {
            *written = last(said, &self.attachments);
        }
        turns
    }

    /// The estimated number of tokens, for servers that do not count them.
    pub(crate) fn tokens(&self) -> u32 {
        let turns = self.turns.iter().map(|said| tokens::estimate(&said.content));
        let files = self.attachments.iter().map(|attachment| attachment.tokens());
        turns.chain(files).fold(tokens::estimate(&self.system), u32::saturating_add)
    }
}
