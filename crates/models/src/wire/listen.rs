//! Reads a streamed answer, forwards its words and enforces the limits.

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

/// Extra bytes of a line for JSON syntax.
const JSON_OVERHEAD: usize = 64 << 10;

/// Minimum growth of the answer, in bytes, between two token counts.
const COUNT_EVERY: usize = 64;

/// A source of bytes.
pub(crate) trait Source: Send {
    /// Reads the next bytes; `None` at the end.
    fn chunk(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, ConnectionLost>> + Send;
}

/// The connection was lost.
pub(crate) struct ConnectionLost;

/// The receiver of an answer's words.
#[derive(Clone, Copy)]
pub(crate) struct Outlet<'a> {
    /// The channel.
    pub(crate) words: &'a Sender<String>,
    /// A separator before the first words, if others came before.
    pub(crate) before: &'static str,
}

/// When the request was sent, and when the whole answer is due.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// When the request was sent.
    pub(crate) asked: Instant,
    /// When the whole answer is due.
    pub(crate) until: Instant,
}

/// A streamed answer.
#[derive(Default)]
pub(crate) struct StreamedAnswer {
    text: String,
    /// The tool calls at its end.
    calls: Vec<ToolCall>,
    took: Option<Tokens>,
    cost: Option<f64>,
    /// How it ended, once known.
    end: Option<End>,
}

enum End {
    Complete,
    Cut(String),
    Failed(Error),
    Broken(Break),
}

/// Why an answer ended without an end mark.
#[derive(Debug, Clone, Copy)]
enum Break {
    /// It contained nothing that could be parsed.
    Nothing,
    /// It broke off.
    Off,
    /// Nothing arrived for this long.
    Late(Duration),
    /// It was not complete after this long.
    Endless(Duration),
    /// It exceeded the maximum size.
    TooLarge,
}

/// Reads until the answer ends, fails or exceeds a limit of time, size or tokens.
pub(crate) async fn listen(
    source: &mut impl Source,
    dialect: &mut impl Dialect,
    limits: &Limits,
    most_tokens: u32,
    times: Times,
    outlet: Outlet<'_>,
) -> StreamedAnswer {
    let mut reader = StreamReader {
        answer: StreamedAnswer::default(),
        outlet,
        largest: limits.largest,
        // Servers count tokens better than the estimate, so it leaves them some margin.
        most_tokens: most_tokens.saturating_add(most_tokens / 4),
        count_at: 0,
        understood: false,
    };
    let mut lines = Lines::new(limits.largest.saturating_mul(2).saturating_add(JSON_OVERHEAD));
    let mut last = times.asked;
    loop {
        let wait = if reader.answer.text.is_empty() { limits.first } else { limits.between };
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
        // Only words end the wait for the first ones; other signs of life do not.
        if !reader.answer.text.is_empty() {
            last = Instant::now();
        }
    }
}

struct StreamReader<'a> {
    answer: StreamedAnswer,
    outlet: Outlet<'a>,
    largest: usize,
    /// Maximum tokens of the answer, by estimate, and the size at which they are counted next.
    most_tokens: u32,
    count_at: usize,
    understood: bool,
}

impl StreamReader<'_> {
    /// Processes the events of a line. Breaks if reading should stop.
    async fn take(&mut self, events: Vec<Event>) -> ControlFlow<()> {
        for event in events {
            self.understood = true;
            match event {
                Event::Words(piece) if self.answer.text.len() + piece.len() > self.largest => {
                    self.answer.end = Some(End::Broken(Break::TooLarge));
                    return ControlFlow::Break(());
                }
                Event::Words(piece) if piece.is_empty() || self.is_blank_opening(&piece) => {}
                Event::Words(piece) => {
                    let piece = self.opened(piece);
                    self.answer.text.push_str(&piece);
                    // The answer is returned whole even if nobody receives the words.
                    let _ = self.outlet.words.send(piece).await;
                    if self.is_out_of_tokens() {
                        self.answer.end = Some(End::Cut(OUT_OF_TOKENS.to_owned()));
                        return ControlFlow::Break(());
                    }
                }
                Event::Call(call) => self.answer.calls.push(call),
                Event::Took(took) => self.answer.took = Some(took),
                Event::Cost(cost) => self.answer.cost = Some(cost),
                Event::Complete => _ = self.answer.end.get_or_insert(End::Complete),
                Event::Cut(why) => _ = self.answer.end.get_or_insert(End::Cut(why)),
                Event::Failed(error) => {
                    self.answer.end = Some(End::Failed(error));
                    return ControlFlow::Break(());
                }
                Event::Over => return ControlFlow::Break(()),
                Event::Alive => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns true if a piece is only blank space at the start, which the separator already provides.
    fn is_blank_opening(&self, piece: &str) -> bool {
        self.answer.text.is_empty() && !self.outlet.before.is_empty() && piece.trim().is_empty()
    }

    /// A piece, with the separator before it if it is the first.
    fn opened(&self, piece: String) -> String {
        if self.answer.text.is_empty() && !self.outlet.before.is_empty() {
            return format!("{}{}", self.outlet.before, piece.trim_start());
        }
        piece
    }

    /// Returns true if the answer exceeds its tokens. A token has at least one byte, so they are counted again only
    /// once the remaining ones could be used up.
    fn is_out_of_tokens(&mut self) -> bool {
        let bytes = self.answer.text.len();
        if bytes < self.count_at {
            return false;
        }
        let tokens = tokens::estimate(&self.answer.text);
        let left = self.most_tokens.saturating_sub(tokens) as usize;
        self.count_at = bytes.saturating_add(left.max(COUNT_EVERY));
        tokens > self.most_tokens
    }

    /// The answer until the connection broke; complete if the dialect marked its end.
    fn broken(mut self, how: Break) -> StreamedAnswer {
        self.answer.end.get_or_insert(End::Broken(how));
        self.answer
    }
}

impl StreamedAnswer {
    /// Returns true if the other side ended the answer.
    pub(crate) fn is_over(&self) -> bool {
        match self.end {
            Some(End::Complete | End::Cut(_) | End::Broken(Break::Off | Break::Nothing)) | None => true,
            Some(End::Failed(_) | End::Broken(Break::Late(_) | Break::Endless(_) | Break::TooLarge)) => false,
        }
    }

    /// Returns true if it ended before its first words, and without a reason.
    pub(crate) fn ended_wordless(&self) -> bool {
        self.text.is_empty() && matches!(self.end, Some(End::Broken(Break::Off | Break::Nothing)))
    }

    /// The answer, or an error if it is empty. `whose` begins the error's sentence.
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

    /// The calls at its end, unless it broke off.
    pub(crate) fn take_calls(&mut self) -> Vec<ToolCall> {
        match self.end {
            Some(End::Complete) => std::mem::take(&mut self.calls),
            _ => Vec::new(),
        }
    }

    /// Adds estimated tokens, if the server did not count them.
    pub(crate) fn counted(mut self, prompt_tokens: u32) -> Self {
        let estimate =
            || Tokens { input: prompt_tokens, output: tokens::estimate(&self.text), ..Tokens::default() };
        self.took = Some(self.took.unwrap_or_else(estimate));
        self
    }

    /// Combines this answer with the one that followed, and takes that one's end.
    pub(crate) fn then(self, later: Self) -> Self {
        Self {
            text: self.text + &later.text,
            took: Some(self.took.unwrap_or_default() + later.took.unwrap_or_default()),
            cost: self.cost.zip(later.cost).map(|(cost, more)| cost + more).or(self.cost).or(later.cost),
            calls: later.calls,
            end: later.end,
        }
    }

    /// The answer, ended by an error.
    pub(crate) fn ended_by(self, error: Error) -> Self {
        Self { end: Some(End::Failed(error)), ..self }
    }

    /// Converts it into an answer; `name` is the display name, `listed` the name in price lists.
    pub(crate) fn into_answer(self, name: &str, listed: &str, whose: &str) -> Result<Answer, Error> {
        let answer = self.something(whose)?;
        let cut = match answer.end {
            Some(End::Complete) | None => None,
            Some(End::Cut(why)) => Some(why),
            Some(End::Failed(error)) => Some(error.to_string()),
            Some(End::Broken(cause)) => Some(cause.message(whose)),
        };
        let took = answer.took.unwrap_or_default();
        let usage = Usage {
            input_tokens: took.read(),
            output_tokens: took.output,
            cost_usd: answer.cost.or_else(|| price::cost(listed, took)),
        };
        Ok(Answer { text: answer.text, usage, model: name.to_owned(), cut, failures: Vec::new() })
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
