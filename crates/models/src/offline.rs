//! The built-in model: no network, no weights. It quotes the remembered words that match a question best, with their
//! time, or says that it found nothing. It sees what any model sees: a context, never the store.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use jiff::Timestamp;
use throughline_domain::context::{LayerName, Side, Utterance};
use throughline_domain::message::Role;
use throughline_domain::time;
use throughline_text::tokens;
use throughline_text::words;
use tokio::sync::mpsc::Sender;

use crate::embed::BuiltIn;
use crate::{Answer, ChatModel, Error, Request, Turn, Usage};

/// A quotation is at most this many characters.
const LONGEST_QUOTE: usize = 400;
/// A statement of the person is preferred unless something else matches this much better.
const PREFERENCE: f32 = 0.6;
/// Share of a question from which words that repeat none of it count as an answer.
const SIMILAR: f32 = 0.4;

/// The built-in model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

#[async_trait]
impl ChatModel for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let Request::Turn(turn) = request else {
            return Err(Error::Refused("the built-in model quotes, and does no other work".to_owned()));
        };
        let text = reply(turn);
        for word in text.split_inclusive(' ') {
            // Without a listener the answer is still returned.
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

fn reply(request: &Turn) -> String {
    let asked = request.context.message.as_ref().map(|message| message.text.as_str()).unwrap_or_default();
    if !is_question(asked) {
        return "Noted.".to_owned();
    }
    let remembered = remembered(request);
    if let Some(best) = best_match(&remembered, asked) {
        return quote(request, best, asked);
    }
    match remembered
        .iter()
        .filter(|words| words.live && words.kind == Kind::Statement)
        .max_by_key(|words| words.at)
    {
        Some(last) => format!(
            "I found nothing about that. The last thing you told me here: {}",
            quote(request, last, "")
        ),
        None => "I found nothing about that in what I remember.".to_owned(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Something the person said that is not a question.
    Statement,
    /// A question, a reply, a routine's message, a summary.
    Other,
}

/// A quotable passage of the context.
struct Remembered {
    kind: Kind,
    who: String,
    at: Timestamp,
    text: String,
    live: bool,
}

fn remembered(request: &Turn) -> Vec<Remembered> {
    let context = &request.context;
    let said = context.said.iter().map(|said| {
        let live = said.at >= live_start(&context.said);
        from_words(said.side == Side::Person, said.speaker.as_deref(), said.at, &said.text, live)
    });
    let recalled = context
        .recalled
        .iter()
        .map(|hit| from_words(hit.role == Role::User, hit.speaker.as_deref(), hit.at, &hit.text, false));
    let mut all: Vec<Remembered> = said.chain(recalled).filter(|words| !is_small_talk(&words.text)).collect();
    for name in [LayerName::Profile, LayerName::Summaries] {
        let text = context.layer(name).map(|layer| layer.text.as_str()).unwrap_or_default();
        let lines =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['<', '═']));
        all.extend(lines.map(|line| Remembered {
            kind: Kind::Other,
            who: "I noted".to_owned(),
            at: request.now,
            text: line.to_owned(),
            live: false,
        }));
    }
    all
}

fn live_start(said: &[Utterance]) -> Timestamp {
    said.iter().rev().find(|said| said.opens).or(said.first()).map(|said| said.at).unwrap_or_default()
}

fn from_words(person: bool, speaker: Option<&str>, at: Timestamp, text: &str, live: bool) -> Remembered {
    let kind = if person && !is_question(text) { Kind::Statement } else { Kind::Other };
    let who = match (person, speaker) {
        (true, Some(name)) => format!("{name} said"),
        (true, None) => "You said".to_owned(),
        (false, _) => "I said".to_owned(),
    };
    Remembered { kind, who, at, text: text.to_owned(), live }
}

/// This model's own empty replies are not worth quoting.
fn is_small_talk(text: &str) -> bool {
    if text.trim_start().starts_with('/') {
        return true;
    }
    text == "Noted." || text.starts_with("I found nothing about that")
}

/// The words that match a question best: rare words count more, the person's statements come first, then the newer.
fn best_match<'a>(remembered: &'a [Remembered], asked: &str) -> Option<&'a Remembered> {
    let wanted = words::query_terms(asked);
    let held: Vec<HashSet<String>> =
        remembered.iter().map(|words| words::terms(&words.text).into_iter().collect()).collect();
    let weights: HashMap<&str, f32> = wanted
        .iter()
        .map(|term| {
            let with = held.iter().filter(|terms| terms.contains(&term.text)).count() as f32;
            (term.text.as_str(), term.weight * (1.0 + (held.len() as f32 - with + 0.5) / (with + 0.5)).ln())
        })
        .collect();
    let all: f32 = weights.values().sum();
    let score = |terms: &HashSet<String>| -> f32 {
        let found: f32 = wanted
            .iter()
            .filter(|term| terms.contains(&term.text))
            .filter_map(|term| weights.get(term.text.as_str()))
            .sum();
        if all > 0.0 { found / all } else { 0.0 }
    };
    // "Which pet" finds "my dog", though they share no word.
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(asked, &[]));
    let mut similarity = |text: &str| near.as_mut().map_or(0.0, |near| near.soft_overlap(text));
    let mut scored: Vec<(f32, &Remembered)> = held
        .iter()
        .map(score)
        .zip(remembered)
        .map(|(score, words)| (score, similarity(&words.text), words))
        .filter(|(score, similarity, _)| *score > 0.0 || *similarity >= SIMILAR)
        .map(|(score, similarity, words)| (score + similarity, words))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.at.cmp(&a.1.at)));
    let best = scored.first()?;
    let statement = scored.iter().find(|(_, words)| words.kind == Kind::Statement);
    match statement {
        Some(statement) if statement.0 >= best.0 * PREFERENCE => Some(statement.1),
        _ => Some(best.1),
    }
}

fn quote(request: &Turn, words: &Remembered, asked: &str) -> String {
    let (zone, now) = (&request.zone, request.now);
    let ago = time::relative(words.at, now, zone);
    let text = passage(&words.text, asked);
    if words.at == now {
        return format!("{}: “{text}”", words.who);
    }
    format!(
        "{} on {} at {} ({ago}): “{text}”",
        words.who,
        time::long_date(words.at, zone),
        time::clock(words.at, zone)
    )
}

/// The whole text if it is short, or the sentences around the one that matches best.
fn passage(text: &str, asked: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= LONGEST_QUOTE {
        return flat;
    }
    let wanted = words::query_terms(asked);
    let sentences: Vec<&str> = flat.split_inclusive(['.', '!', '?', '。', '！', '？']).collect();
    let matches = |sentence: &str| {
        words::terms(sentence).iter().filter(|term| wanted.iter().any(|wanted| wanted.text == **term)).count()
    };
    let best = (0..sentences.len())
        .rev()
        .max_by_key(|at| sentences.get(*at).map_or(0, |sentence| matches(sentence)))
        .unwrap_or(0);
    let chosen: String =
        sentences.iter().skip(best).copied().collect::<String>().trim().chars().take(LONGEST_QUOTE).collect();
    let (before, after) =
        (if best > 0 { "… " } else { "" }, if best + 1 < sentences.len() { " …" } else { "" });
    format!("{before}{chosen}{after}")
}

/// Whether the words ask for something, rather than tell something.
fn is_question(text: &str) -> bool {
    let text = text.trim();
    if text.ends_with(ENDINGS) || text.contains("? ") || ASKED_WITHIN.iter().any(|word| text.contains(word)) {
        return true;
    }
    let lower = text.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .skip_while(|word| LEADING.contains(word));
    let [first, second, third] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let inverted = AUXILIARIES.contains(&first) && SUBJECTS.contains(&second);
    let request = REQUESTS.contains(&first) && !second.is_empty();
    // "Remind me what …" asks; "remind me to …" tells.
    let reminder = first == "remind" && second == "me" && ASKED_FIRST.contains(&third);
    ASKED_FIRST.contains(&first) || inverted || request || reminder
}

/// The endings of questions in English, Chinese, Japanese and Korean.
const ENDINGS: [char; 6] = ['?', '？', '吗', '呢', 'か', '까'];
/// Words that make a question wherever they stand, in languages that do not move them to the front.
const ASKED_WITHIN: [&str; 16] = [
    "什么",
    "哪",
    "谁",
    "多少",
    "几点",
    "怎么",
    "为什么",
    "なに",
    "どこ",
    "いつ",
    "だれ",
    "誰",
    "무엇",
    "어디",
    "언제",
    "누구",
];
/// Words before a question that do not change what it is.
const LEADING: [&str; 10] = ["please", "and", "so", "but", "hey", "ok", "okay", "well", "then", "also"];
const ASKED_FIRST: [&str; 15] = [
    "what", "what's", "whats", "when", "when's", "where", "where's", "who", "who's", "whom", "whose",
    "which", "why", "how", "how's",
];
const AUXILIARIES: [&str; 18] = [
    "is", "are", "am", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should",
    "shall", "have", "has", "had", "may",
];
const SUBJECTS: [&str; 19] = [
    "i", "you", "we", "he", "she", "it", "they", "my", "your", "our", "his", "her", "their", "the", "there",
    "this", "that", "any", "anyone",
];
const REQUESTS: [&str; 11] = [
    "tell",
    "show",
    "list",
    "find",
    "search",
    "recall",
    "describe",
    "summarize",
    "summarise",
    "explain",
    "give",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(kind: Kind, minutes: i64, text: &str) -> Remembered {
        let at = Timestamp::from_second(1_771_000_000 + minutes * 60).unwrap();
        Remembered { kind, who: "You said".to_owned(), at, text: text.to_owned(), live: false }
    }

    #[test]
    fn questions_are_told_from_statements() {
        for text in [
            "Where is the key?",
            "what did I say about Berlin",
            "Please tell me about the trip",
            "Do you know her name",
            "remind me what the code was",
            "我的狗叫什么名字",
            "鍵はどこですか",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in [
            "The key is with Ana.",
            "Remind me to call Ana",
            "I know what I want",
            "Have a nice day",
            "我住在北京",
            "ok",
        ] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn a_statement_is_quoted_before_a_question_or_a_reply_that_matches_as_well() {
        let remembered = [
            words(Kind::Other, 1, "Where is the spare key?"),
            words(Kind::Statement, 0, "The spare key is under the pot"),
            words(Kind::Other, 2, "You asked for the spare key"),
        ];
        assert_eq!(
            best_match(&remembered, "Where is the spare key?").unwrap().text,
            "The spare key is under the pot"
        );
    }

    #[test]
    fn of_two_equal_statements_the_newer_is_quoted() {
        let remembered =
            [words(Kind::Statement, 0, "I live in Singapore"), words(Kind::Statement, 9, "I live in Berlin")];
        assert_eq!(best_match(&remembered, "Where do I live?").unwrap().text, "I live in Berlin");
    }

    #[test]
    fn what_shares_no_telling_word_is_no_match() {
        let remembered = [words(Kind::Statement, 0, "The cat is on the roof")];
        assert!(best_match(&remembered, "Who won the election?").is_none());
    }

    #[test]
    fn a_long_text_is_quoted_around_its_best_sentence() {
        let text = format!(
            "{} The safe opens with 4711. {}",
            "Filler words stand here. ".repeat(30),
            "More of them. ".repeat(30)
        );
        let quoted = passage(&text, "How does the safe open?");
        assert!(
            quoted.starts_with("… The safe opens with 4711.") && quoted.chars().count() < LONGEST_QUOTE + 10,
            "{quoted}"
        );
    }
}
