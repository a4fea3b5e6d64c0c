//! Asks a server in rounds: the tools that it calls answer, and it is asked again. After three rounds, or when the
//! tools' time is used up, it must answer.

use serde_json::{Value, json};
use throughline_text::tokens::estimate;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

use super::Dialect;
use super::calls::{Round, ToolCall};
use super::listen::{Outlet, StreamedAnswer, Times, listen};
use super::server::{Reply, Server};
use crate::around::backoff::Backoff;
use crate::attachments::Carries;
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::{Answer, Definition, Error, Request, Toolbox};

/// Maximum number of tool rounds in one answer.
pub(crate) const MAX_ROUNDS: usize = 3;
/// Separates words from those before a call.
pub(crate) const PARAGRAPH: &str = "\n\n";

/// The API of a kind of server.
pub(crate) trait Api: Sync {
    /// The format of its answers.
    type Dialect: Dialect + Default;

    /// The body of a request.
    fn question(&self, exchange: &ServerRequest<'_>) -> Value;
}

/// A request to a server.
pub(crate) struct ServerRequest<'a> {
    /// The request.
    pub(crate) request: &'a Request,
    limits: Limits,
    carries: Carries,
    /// The prompt.
    pub(crate) prompt: Prompt<'a>,
    /// The tools.
    pub(crate) offer: ToolOffer<'a>,
    /// The tool rounds so far.
    pub(crate) rounds: Vec<Round>,
    /// True to request a token count, which some servers do not support.
    pub(crate) asks_for_count: bool,
}

/// The tools offered to a server.
#[derive(Clone, Copy)]
pub(crate) enum ToolOffer<'a> {
    /// None.
    Nothing,
    /// Tools that may be called.
    Tools(&'a Toolbox),
    /// Tools that were called and may no longer be.
    UsedUp(&'a Toolbox),
}

impl<'a> ToolOffer<'a> {
    /// The tools, callable or not.
    pub(crate) fn toolbox(self) -> Option<&'a Toolbox> {
        match self {
            Self::Nothing => None,
            Self::Tools(toolbox) | Self::UsedUp(toolbox) => Some(toolbox),
        }
    }
}

impl<'a> ServerRequest<'a> {
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
            offer: tools.map_or(ToolOffer::Nothing, ToolOffer::Tools),
            rounds: Vec::new(),
            asks_for_count: true,
        })
    }

    /// The estimated number of tokens.
    pub(crate) fn tokens(&self) -> u32 {
        let toolbox = self.offer.toolbox().map_or(0, Toolbox::tokens);
        let texts = self.rounds.iter().flat_map(|round| {
            let called = round.calls.iter();
            let called =
                called.map(|(call, answer)| estimate(&call.arguments.to_string()) + estimate(&answer.text));
            called.chain([estimate(&round.text)])
        });
        texts.fold(self.prompt.tokens().saturating_add(toolbox), u32::saturating_add)
    }

    /// Starts again without tools.
    fn leave_out_tools(&mut self) -> Result<(), Error> {
        self.offer = ToolOffer::Nothing;
        self.rounds.clear();
        self.prompt = Prompt::new(self.request, &self.limits, &self.carries, None)?;
        Ok(())
    }

    /// Drops a part of the request that the server objects to. Returns false if there is none to drop.
    fn drop_refused_part(&mut self, reply: &Reply, server: &Server) -> Result<bool, Error> {
        if self.asks_for_count && reply.objects_to("stream_options") {
            // Only the token count depends on it, so it is optional.
            self.asks_for_count = false;
        } else if self.rounds.is_empty() && self.offer.toolbox().is_some() && reply.objects_to_tools() {
            server.remember_without_tools();
            self.leave_out_tools()?;
        } else if !self.prompt.attachments.is_empty() && reply.objects_to_files() {
            self.carries = Carries::NOTHING;
            self.prompt = Prompt::new(self.request, &self.limits, &self.carries, self.offer.toolbox())?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Answers the calls of a round. All are answered, even if the tools' time is used up.
    async fn answer(&mut self, toolbox: &'a Toolbox, text: String, calls: Vec<ToolCall>) {
        let mut answered = Vec::new();
        for call in calls {
            let called = toolbox.call(&call.name, &call.arguments).await;
            answered.push((call, called));
        }
        self.rounds.push(Round { text, calls: answered });
        if self.rounds.len() >= MAX_ROUNDS || !toolbox.has_time() {
            self.offer = ToolOffer::UsedUp(toolbox);
        }
    }
}

impl Server {
    /// Asks a model until it has answered; `name` is its display name.
    pub(crate) async fn converse<A: Api>(
        &self,
        api: &A,
        request: &Request,
        carries: Carries,
        name: &str,
        words: &Sender<String>,
    ) -> Result<Answer, Error> {
        let tools = request.tools().filter(|_| self.takes_tools());
        let mut exchange = ServerRequest::new(request, self.limits, carries, tools)?;
        let mut backoff = Backoff::within(self.limits.first);
        let until = Instant::now() + self.limits.whole;
        let mut so_far = StreamedAnswer::default();
        loop {
            let before = if so_far.text().is_empty() { "" } else { PARAGRAPH };
            let error = match self.round(api, &mut exchange, until, Outlet { words, before }).await {
                Ok(mut heard) => {
                    let (text, calls) = (heard.text().trim().to_owned(), heard.take_calls());
                    so_far = so_far.then(heard);
                    match exchange.offer {
                        ToolOffer::Tools(toolbox) if !calls.is_empty() => {
                            exchange.answer(toolbox, text, calls).await;
                            continue;
                        }
                        _ if text.is_empty() && !exchange.rounds.is_empty() => {
                            Error::Unreadable("it calls tools that it may no longer call".to_owned())
                        }
                        _ => return self.finish(so_far, name),
                    }
                }
                Err(error) => error,
            };
            let is_later = !exchange.rounds.is_empty();
            match error {
                // Tools and their results take room, and not every server accepts another request after calls.
                Error::TooLong(_) if exchange.offer.toolbox().is_some() => exchange.leave_out_tools()?,
                Error::Refused(_) | Error::Unreadable(_) if is_later => exchange.leave_out_tools()?,
                error if is_later && backoff.pause(&error).await => {}
                // Starting again would repeat the tool calls.
                Error::Overloaded { why, .. } if is_later => {
                    return self.finish(so_far.ended_by(Error::Unavailable(why)), name);
                }
                error => return self.finish(so_far.ended_by(error), name),
            }
        }
    }

    /// One round. Fails if it has neither words nor calls.
    async fn round<A: Api>(
        &self,
        api: &A,
        exchange: &mut ServerRequest<'_>,
        until: Instant,
        outlet: Outlet<'_>,
    ) -> Result<StreamedAnswer, Error> {
        let mut reply = self.ask(&api.question(exchange)).await?;
        while exchange.drop_refused_part(&reply, self)? {
            reply = self.ask(&api.question(exchange)).await?;
        }
        let times = Times { asked: reply.asked, until };
        let mut response = self.accepted(reply)?;
        let mut dialect = A::Dialect::default();
        let most = exchange.prompt.most_tokens;
        let heard = listen(&mut response, &mut dialect, &self.limits, most, times, outlet).await;
        Ok(heard.something(&self.host())?.counted(exchange.tokens()))
    }
}

/// Tools in OpenAI's format.
pub(crate) fn as_functions(tools: &[Definition]) -> Vec<Value> {
    let function = |tool: &Definition| {
        let function =
            json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
        json!({ "type": "function", "function": function })
    };
    tools.iter().map(function).collect()
}
