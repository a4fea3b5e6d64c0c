//! Listens to an answer as it comes, sends its words on and keeps the limits.

use std::ops::ControlFlow;
use std::time::Duration;

use throughline_text::tokens;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};

use super::lines::Lines;
use super::{Dialect, Event, OUT_OF_TOKENS, ToolCall, overloaded};
use crate::limits::Limits;
use crate::price::{self, Tokens};
use crate::{Answer, Error, Usage};

/// What JSON and its frame add to the words of one line, at most about their own length again.
const FRAME: usize = 64 << 10;

/// Tokens are counted no more often than this, in bytes.
const COUNT_EVERY: usize = 64;

/// Where bytes come from.
pub(crate) trait Source: Send {
    /// The next bytes, or none at the end.
    fn chunk(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, Lost>> + Send;
}

/// The connection broke.
pub(crate) struct Lost;

/// Where words go as they come.
#[derive(Clone, Copy)]
pub(crate) struct Outlet<'a> {
    /// Who listens.
    pub(crate) words: &'a Sender<String>,
    /// What stands before the first words, to part them from what was said earlier.
    pub(crate) before: &'static str,
}

/// When the question was sent, and when the whole answer is due.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// Sent.
    pub(crate) asked: Instant,
    /// Due.
    pub(crate) until: Instant,
}

/// What was heard until the end.
#[derive(Default)]
pub(crate) struct Heard {
    text: String,
    /// The calls of tools that it ended with.
    calls: Vec<ToolCall>,
    took: Option<Tokens>,
    cost: Option<f64>,
    /// How it ended, once that is known.
    end: Option<End>,
}

enum End {
    Complete,
    Cut(String),
    Failed(Error),
    Broken(Break),
}

/// Why an answer ended without saying so.
#[derive(Debug, Clone, Copy)]
enum Break {
    /// It ended without a word that could be understood.
    Nothing,
    /// It broke off.
    Off,
    /// Nothing came for this long.
    Late(Duration),
    /// It was not over after this long.
    Endless(Duration),
    /// It grew larger than it may.
    TooLarge,
}

/// Listens until the answer ends, fails or breaks a limit: of time, of size, or of tokens.
pub(crate) async fn listen(
    source: &mut impl Source,
    dialect: &mut impl Dialect,
    limits: &Limits,
    most_tokens: u32,
    times: Times,
    outlet: Outlet<'_>,
) -> Heard {
    let mut reader = StreamReader {
        heard: Heard::default(),
        outlet,
        largest: limits.largest,
        // Servers that keep the limit themselves count better, so an estimate leaves them some room.
        most_tokens: most_tokens.saturating_add(most_tokens / 4),
        count_at: 0,
        understood: false,
    };
    let mut lines = Lines::new(limits.largest.saturating_mul(2).saturating_add(FRAME));
    let mut last = times.asked;
    loop {
        let wait = if reader.heard.text.is_empty() { limits.first } else { limits.between };
        let (patience, end) = (last + wait, times.until);
        let Ok(chunk) = timeout_at(patience.min(end), source.chunk()).await else {
            let late = if patience < end { Break::Late(wait) } else { Break::Endless(limits.whole) };
            return reader.broken(late);
        };
        let Ok(Some(bytes)) = chunk else {
            let rest = lines.rest().map(|line| dialect.read(&line)).unwrap_or_default();
            let _ = reader.take(rest).await;
            let how = if reader.understood { Break::Off } else { Break::Nothing };
            return reader.broken(how);
        };
        let Ok(whole_lines) = lines.push(&bytes) else { return reader.broken(Break::TooLarge) };
        for line in whole_lines {
            if reader.take(dialect.read(&line)).await.is_break() {
                return reader.broken(Break::Off);
            }
        }
        // A sign of life without words does not put off the first ones.
        if !reader.heard.text.is_empty() {
            last = Instant::now();
        }
    }
}

struct StreamReader<'a> {
    heard: Heard,
    outlet: Outlet<'a>,
    largest: usize,
    /// Tokens that the answer may have, by estimate, and the size at which they are counted next.
    most_tokens: u32,
    count_at: usize,
    understood: bool,
}

impl StreamReader<'_> {
    /// Takes what a line says, and whether to listen on.
    async fn take(&mut self, events: Vec<Event>) -> ControlFlow<()> {
        for event in events {
            self.understood = true;
            match event {
                Event::Words(piece) if self.heard.text.len() + piece.len() > self.largest => {
                    self.heard.end = Some(End::Broken(Break::TooLarge));
                    return ControlFlow::Break(());
                }
                Event::Words(piece) if piece.is_empty() || self.is_blank_opening(&piece) => {}
                Event::Words(piece) => {
                    let piece = self.opened(piece);
                    self.heard.text.push_str(&piece);
                    // Nobody listening is no reason to stop: the answer is returned whole.
                    let _ = self.outlet.words.send(piece).await;
                    if self.is_out_of_tokens() {
                        self.heard.end = Some(End::Cut(OUT_OF_TOKENS.to_owned()));
                        return ControlFlow::Break(());
                    }
                }
                Event::Call(call) => self.heard.calls.push(call),
                Event::Took(took) => self.heard.took = Some(took),
                Event::Cost(cost) => self.heard.cost = Some(cost),
                Event::Complete => _ = self.heard.end.get_or_insert(End::Complete),
                Event::Cut(why) => _ = self.heard.end.get_or_insert(End::Cut(why)),
                Event::Failed(error) => {
                    self.heard.end = Some(End::Failed(error));
                    return ControlFlow::Break(());
                }
                Event::Over => return ControlFlow::Break(()),
                Event::Alive => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a piece only parts the words from what was said earlier, which is done anyway.
    fn is_blank_opening(&self, piece: &str) -> bool {
        self.heard.text.is_empty() && !self.outlet.before.is_empty() && piece.trim().is_empty()
    }

    /// A piece, parted from what was said earlier if it is the first.
    fn opened(&self, piece: String) -> String {
        if self.heard.text.is_empty() && !self.outlet.before.is_empty() {
            return format!("{}{}", self.outlet.before, piece.trim_start());
        }
        piece
    }

    /// Whether the answer has more tokens than it may. A token has at least a byte, so they are counted again only once
    /// those that are left could be used up.
    fn is_out_of_tokens(&mut self) -> bool {
        let bytes = self.heard.text.len();
        if bytes < self.count_at {
            return false;
        }
        let tokens = tokens::estimate(&self.heard.text);
        let left = self.most_tokens.saturating_sub(tokens) as usize;
        self.count_at = bytes.saturating_add(left.max(COUNT_EVERY));
        tokens > self.most_tokens
    }

    /// The answer until the connection broke; if the dialect marked the end, it is complete.
    fn broken(mut self, how: Break) -> Heard {
        self.heard.end.get_or_insert(End::Broken(how));
        self.heard
    }
}

impl Heard {
    /// Whether the other side came to its end, rather than that it was no longer listened to.
    pub(crate) fn is_over(&self) -> bool {
        match self.end {
            Some(End::Complete | End::Cut(_) | End::Broken(Break::Off | Break::Nothing)) | None => true,
            Some(End::Failed(_) | End::Broken(Break::Late(_) | Break::Endless(_) | Break::TooLarge)) => false,
        }
    }

    /// Whether it ended before its first words, and without a reason.
    pub(crate) fn ended_wordless(&self) -> bool {
        self.text.is_empty() && matches!(self.end, Some(End::Broken(Break::Off | Break::Nothing)))
    }

    /// What was said; nothing at all is an error. `whose` begins the sentence that says what broke.
    pub(crate) fn something(self, whose: &str) -> Result<Self, Error> {
        match self.end.unwrap_or(End::Broken(Break::Off)) {
            End::Failed(error) if self.text.is_empty() => Err(error),
            End::Broken(cause) if self.text.is_empty() => Err(cause.error(whose)),
            _ if self.text.trim().is_empty() && self.calls.is_empty() => {
                Err(Error::Unreadable("it is empty".to_owned()))
            }
            end => Ok(Self { end: Some(end), ..self }),
        }
    }

    /// The words so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The calls that it ends with, unless it broke off.
    pub(crate) fn take_calls(&mut self) -> Vec<ToolCall> {
        match self.end {
            Some(End::Complete) => std::mem::take(&mut self.calls),
            _ => Vec::new(),
        }
    }

    /// The same with tokens by estimate, if the server did not count them.
    pub(crate) fn counted(mut self, prompt_tokens: u32) -> Self {
        let estimate =
            || Tokens { input: prompt_tokens, output: tokens::estimate(&self.text), ..Tokens::default() };
        self.took = Some(self.took.unwrap_or_else(estimate));
        self
    }

    /// This and what followed as one, which ends as that did.
    pub(crate) fn then(self, later: Self) -> Self {
        Self {
            text: self.text + &later.text,
            took: Some(self.took.unwrap_or_default() + later.took.unwrap_or_default()),
            cost: self.cost.zip(later.cost).map(|(cost, more)| cost + more).or(self.cost).or(later.cost),
            calls: later.calls,
            end: later.end,
        }
    }

    /// The same, ended by an error.
    pub(crate) fn ended_by(self, error: Error) -> Self {
        Self { end: Some(End::Failed(error)), ..self }
    }

    /// The answer of a model, by the name it has for people and the one it has in price lists.
    pub(crate) fn into_answer(self, name: &str, listed: &str, whose: &str) -> Result<Answer, Error> {
        let heard = self.something(whose)?;
        let cut = match heard.end {
            Some(End::Complete) | None => None,
            Some(End::Cut(why)) => Some(why),
            Some(End::Failed(error)) => Some(error.to_string()),
            Some(End::Broken(cause)) => Some(cause.message(whose)),
        };
        let took = heard.took.unwrap_or_default();
        let usage = Usage {
            input_tokens: took.read(),
            output_tokens: took.output,
            cost_usd: heard.cost.or_else(|| price::cost(listed, took)),
        };
        Ok(Answer { text: heard.text, usage, model: name.to_owned(), cut, troubles: Vec::new() })
    }
}

impl Break {
    fn message(self, whose: &str) -> String {
        match self {
            Self::Nothing => format!("{whose} did not answer as a model does: check the address"),
            Self::Off => format!("{whose} broke off: try again later"),
            Self::Late(wait) => format!("{whose} said nothing for {wait:?}: try again later"),
            Self::Endless(most) => format!("{whose} was not done after {most:?}: ask for less"),
            Self::TooLarge => format!("{whose} sent more than an answer may hold"),
        }
    }

    fn error(self, whose: &str) -> Error {
        match self {
            Self::Nothing | Self::TooLarge => Error::Unreadable(self.message(whose)),
            Self::Off => overloaded(&self.message(whose)),
            Self::Late(_) | Self::Endless(_) => Error::Unavailable(self.message(whose)),
        }
    }
}
