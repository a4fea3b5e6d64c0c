//! Asks a server round by round: the tools that it calls answer, and it is asked again. After three rounds, or when the
//! tools have used up their time, it has to answer from what it has.

use serde_json::{Value, json};
use throughline_text::tokens::estimate;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

use super::Dialect;
use super::calls::{Round, ToolCall};
use super::listen::{Heard, Outlet, Times, listen};
use super::server::{Reply, Server};
use crate::around::backoff::Backoff;
use crate::attachments::Carries;
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::{Answer, Definition, Error, Request, Toolbox};

/// Maximum rounds of calls in one answer.
pub(crate) const MOST_ROUNDS: usize = 3;
/// What parts words from those before a call.
pub(crate) const PARAGRAPH: &str = "\n\n";

/// How a kind of server is asked, and how it answers.
pub(crate) trait Api: Sync {
    /// How it writes its answers.
    type Dialect: Dialect + Default;

    /// The body of a request.
    fn question(&self, asking: &Asking<'_>) -> Value;
}

/// What a server is asked with.
pub(crate) struct Asking<'a> {
    /// The request.
    pub(crate) request: &'a Request,
    limits: Limits,
    carries: Carries,
    /// The prompt.
    pub(crate) prompt: Prompt<'a>,
    /// The tools.
    pub(crate) offer: Offer<'a>,
    /// What was called so far, and the answers.
    pub(crate) rounds: Vec<Round>,
    /// Whether to ask for a count of tokens. Some servers do not know how.
    pub(crate) asks_for_count: bool,
}

/// The tools that a server is told of.
#[derive(Clone, Copy)]
pub(crate) enum Offer<'a> {
    /// None.
    Nothing,
    /// These.
    Tools(&'a Toolbox),
    /// These were called and can no longer be.
    UsedUp(&'a Toolbox),
}

impl<'a> Offer<'a> {
    /// The tools, whether or not they can still be called.
    pub(crate) fn told(self) -> Option<&'a Toolbox> {
        match self {
            Self::Nothing => None,
            Self::Tools(toolbox) | Self::UsedUp(toolbox) => Some(toolbox),
        }
    }
}

impl<'a> Asking<'a> {
    fn new(
        request: &'a Request,
        limits: Limits,
        carries: Carries,
        tools: Option<&'a Toolbox>,
    ) -> Result<Self, Error> {
        Ok(Self {
            request,
            limits,
            carries,
            prompt: Prompt::new(request, &limits, &carries, tools)?,
            offer: tools.map_or(Offer::Nothing, Offer::Tools),
            rounds: Vec::new(),
            asks_for_count: true,
        })
    }

    /// About how many tokens it has.
    pub(crate) fn tokens(&self) -> u32 {
        let told = self.offer.told().map_or(0, Toolbox::tokens);
        let texts = self.rounds.iter().flat_map(|round| {
            let called = round.calls.iter();
            let called =
                called.map(|(call, answer)| estimate(&call.arguments.to_string()) + estimate(&answer.text));
            called.chain([estimate(&round.text)])
        });
        texts.fold(self.prompt.tokens().saturating_add(told), u32::saturating_add)
    }

    /// Begins again without tools.
    fn leave_out_tools(&mut self) -> Result<(), Error> {
        self.offer = Offer::Nothing;
        self.rounds.clear();
        self.prompt = Prompt::new(self.request, &self.limits, &self.carries, None)?;
        Ok(())
    }

    /// Leaves out what the server finds fault with, and says whether that is worth another request.
    fn concede(&mut self, reply: &Reply, server: &Server) -> Result<bool, Error> {
        if self.asks_for_count && reply.objects_to("stream_options") {
            // Only the count of tokens depends on it, so a server may do without.
            self.asks_for_count = false;
        } else if self.rounds.is_empty() && self.offer.told().is_some() && reply.objects_to_tools() {
            server.remember_without_tools();
            self.leave_out_tools()?;
        } else if !self.prompt.attachments.is_empty() && reply.objects_to_files() {
            self.carries = Carries::NOTHING;
            self.prompt = Prompt::new(self.request, &self.limits, &self.carries, self.offer.told())?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Answers the calls of a round. All of them are answered, even when the time for tools is over.
    async fn answer(&mut self, toolbox: &'a Toolbox, text: String, calls: Vec<ToolCall>) {
        let mut answered = Vec::new();
        for call in calls {
            let called = toolbox.call(&call.name, &call.arguments).await;
            answered.push((call, called));
        }
        self.rounds.push(Round { text, calls: answered });
        if self.rounds.len() >= MOST_ROUNDS || !toolbox.has_time() {
            self.offer = Offer::UsedUp(toolbox);
        }
    }
}

impl Server {
    /// Asks a model that people know by `name`, until it has answered.
    pub(crate) async fn converse<A: Api>(
        &self,
        api: &A,
        request: &Request,
        carries: Carries,
        name: &str,
        words: &Sender<String>,
    ) -> Result<Answer, Error> {
        let tools = request.tools().filter(|_| self.takes_tools());
        let mut asking = Asking::new(request, self.limits, carries, tools)?;
        let mut backoff = Backoff::within(self.limits.first);
        let until = Instant::now() + self.limits.whole;
        let mut so_far = Heard::default();
        loop {
            let before = if so_far.text().is_empty() { "" } else { PARAGRAPH };
            let error = match self.round(api, &mut asking, until, Outlet { words, before }).await {
                Ok(mut heard) => {
                    let (text, calls) = (heard.text().trim().to_owned(), heard.take_calls());
                    so_far = so_far.then(heard);
                    match asking.offer {
                        Offer::Tools(toolbox) if !calls.is_empty() => {
                            asking.answer(toolbox, text, calls).await;
                            continue;
                        }
                        _ if text.is_empty() && !asking.rounds.is_empty() => {
                            Error::Unreadable("it calls tools that it may no longer call".to_owned())
                        }
                        _ => return self.finish(so_far, name),
                    }
                }
                Err(error) => error,
            };
            let is_later = !asking.rounds.is_empty();
            match error {
                // Tools and what they found take room, and not every server can be asked again after calls.
                Error::TooLong(_) if asking.offer.told().is_some() => asking.leave_out_tools()?,
                Error::Refused(_) | Error::Unreadable(_) if is_later => asking.leave_out_tools()?,
                error if is_later && backoff.pause(&error).await => {}
                // Asking again from the beginning would call the tools again.
                Error::Overloaded { why, .. } if is_later => {
                    return self.finish(so_far.ended_by(Error::Unavailable(why)), name);
                }
                error => return self.finish(so_far.ended_by(error), name),
            }
        }
    }

    /// One round. An error if it gave neither words nor calls.
    async fn round<A: Api>(
        &self,
        api: &A,
        asking: &mut Asking<'_>,
        until: Instant,
        outlet: Outlet<'_>,
    ) -> Result<Heard, Error> {
        let mut reply = self.ask(&api.question(asking)).await?;
        while asking.concede(&reply, self)? {
            reply = self.ask(&api.question(asking)).await?;
        }
        let times = Times { asked: reply.asked, until };
        let mut response = self.accepted(reply)?;
        let mut dialect = A::Dialect::default();
        let most = asking.prompt.most_tokens;
        let heard = listen(&mut response, &mut dialect, &self.limits, most, times, outlet).await;
        Ok(heard.something(&self.host())?.counted(asking.tokens()))
    }
}

/// Tools as servers take them that follow OpenAI.
pub(crate) fn as_functions(tools: &[Definition]) -> Vec<Value> {
    let function = |tool: &Definition| {
        let function =
            json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
        json!({ "type": "function", "function": function })
    };
    tools.iter().map(function).collect()
}
