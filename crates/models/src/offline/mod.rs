//! The built-in model, without network or server. It answers only from the context, as any model: with a list of
//! known statements, a plan, a routine's message, or the passages that best match a question.

mod items;
mod known;
mod lists;
mod matching;
mod plan;
mod quote;
mod remembered;
mod routine;

use async_trait::async_trait;
use throughline_domain::context::LayerName;
use throughline_text::answers::names_item;
use throughline_text::intent::asks::asks_without_mark;
use throughline_text::intent::wanted::{Wanted, ends_like_a_question, wanted};
use throughline_text::{question, tokens};
use tokio::sync::mpsc::Sender;

use self::known::Known;
use self::remembered::Remembered;
use crate::{Answer, ChatModel, Error, Request, Turn, Usage};

/// The answer to a statement.
const ACKNOWLEDGED: &str = "Noted.";
/// The beginning of an answer without a match.
const NOTHING_FOUND: &str = "I found nothing about that";

/// The built-in model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Offline {
    /// Its name.
    pub const NAME: &str = "offline";
}

#[async_trait]
impl ChatModel for Offline {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let Request::Turn(turn) = request else {
            return Err(Error::Refused("the built-in model quotes, and does no other work".to_owned()));
        };
        let text = reply(turn);
        for word in text.split_inclusive(' ') {
            // The answer is returned even if nobody receives the words.
            let _ = words.send(word.to_owned()).await;
        }
        let usage = Usage {
            input_tokens: turn.context.tokens,
            output_tokens: tokens::estimate(&text),
            cost_usd: Some(0.0),
        };
        Ok(Answer { text, usage, model: self.name().to_owned(), ..Answer::default() })
    }
}

/// The reply; with several speakers, one reply by name for each who asks something.
fn reply(turn: &Turn) -> String {
    let asked = turn.context.message.as_ref().map(|message| message.text.as_str()).unwrap_or_default();
    if turn.context.speaker_parts.is_empty() {
        return reply_to(asked, turn);
    }
    let replies = turn.context.speaker_parts.iter().map(|part| (&part.speaker, reply_to(&part.text, turn)));
    let answers = replies.filter(|(_, reply)| reply != ACKNOWLEDGED);
    let lines: Vec<String> = answers.map(|(speaker, reply)| format!("{speaker}: {reply}")).collect();
    if lines.is_empty() { ACKNOWLEDGED.to_owned() } else { lines.join("\n") }
}

fn reply_to(asked: &str, turn: &Turn) -> String {
    // What is read of a question by its mark is read without it as well.
    let is_unmarked = asks_without_mark(asked) && !ends_like_a_question(asked);
    let asked = &if is_unmarked { format!("{asked}?") } else { asked.to_owned() };
    let wanted = wanted(asked);
    if wanted == Wanted::Nothing && !names_item(asked) {
        return ACKNOWLEDGED.to_owned();
    }
    let remembered = Remembered::of(turn);
    let known = Known::of(turn);
    let special = match wanted {
        Wanted::Goals | Wanted::Dates | Wanted::Preferences | Wanted::Everything | Wanted::Facts(_) => {
            lists::answer(wanted, asked, &known, &remembered, turn)
        }
        Wanted::Plan => plan::answer(asked, &remembered, turn),
        Wanted::RoutineText | Wanted::RoutineTime | Wanted::RoutineDetail => {
            routine::answer(wanted, asked, &remembered, turn)
        }
        Wanted::Recap | Wanted::Answer if routine::is_named(asked, &remembered, turn) => {
            routine::answer(Wanted::RoutineDetail, asked, &remembered, turn)
        }
        Wanted::Recap if question::place(asked).is_none() => {
            matching::best(asked, wanted, &remembered, &known, turn)
                .or_else(|| matching::recap(asked, &remembered, turn))
        }
        Wanted::Recap | Wanted::Answer | Wanted::Nothing => None,
    };
    let item = items::answer(asked, &remembered, turn);
    item.or(special)
        .or_else(|| routine::replied_to(asked, &remembered, turn))
        .or_else(|| matching::at_place(asked, &remembered, turn))
        .or_else(|| matching::best(asked, wanted, &remembered, &known, turn))
        .or_else(|| lists::dates_asked(asked, &known))
        .or_else(|| matching::recap(asked, &remembered, turn))
        .unwrap_or_else(|| nothing_found(&remembered, turn))
}

/// Without a match, names the newest statement of the live conversation as such.
fn nothing_found(remembered: &Remembered, turn: &Turn) -> String {
    match remembered.statements().filter(|passage| passage.is_live).max_by_key(|passage| passage.at) {
        Some(last) => {
            let last = quote::with_time(turn, last, &quote::passage(&last.text, ""));
            format!("{NOTHING_FOUND}. The last thing you told me here: {last}")
        }
        None => format!("{NOTHING_FOUND} in what I remember."),
    }
}

/// The lines of a layer without its tags, headings and notes.
fn lines_of(turn: &Turn, name: LayerName) -> impl Iterator<Item = String> {
    let text = turn.context.layer(name).map(|layer| layer.text.as_str()).unwrap_or_default();
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['<', '═']))
        .map(unescaped)
}

/// Undoes the escaping of text inside tags.
fn unescaped(text: &str) -> String {
    text.strip_prefix('\\').unwrap_or(text).replace("&lt;", "<").replace("&amp;", "&")
}

#[cfg(test)]
mod tests;
