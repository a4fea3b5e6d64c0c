//! Takes secrets out of text before anything is written or logged. Identifiers (account numbers, hashes, ids) stay.
//!
//! One pass over the text looks for literals that announce a secret: `ghp_`, `://`, `password`. Only if one stands there does a
//! rule look closer, so that plain chat costs one scan. Each rule looks a bounded way ahead and never across a marker that is
//! already there: a second pass therefore sees no more than the first, and changes nothing.
//!
//! What announces a secret is data: `kinds.tsv` holds the shapes of keys, `names.tsv` the words for secrets, `phrases.tsv`
//! the words between a name and its value, `cues.tsv` what the words of a sentence say, and `words.tsv` what people say about a
//! secret instead of telling it.

mod accept;
mod after;
mod anchor;
mod block;
mod command;
mod cues;
mod form;
#[cfg(test)]
mod graded;
mod header;
mod json;
mod link;
#[cfg(test)]
mod lists;
mod login;
mod named;
mod names;
mod numbers;
mod opens;
mod phrases;
mod question;
mod reading;
mod seed;
mod sentence;
mod shape;
mod strong;
mod table;
#[cfg(test)]
mod tests;
mod url;
mod value;
mod words;
mod written;

use std::borrow::Cow;
use std::mem::{Discriminant, discriminant};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

pub use after::{LOOK_BACK, asks, may_answer, redact_after};
pub use json::redact_json;

use anchor::Rule;
use names::Kind;
use sentence::Context;

/// Whether card numbers and IBANs are secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// They are taken out.
    Redacted,
    /// They stay.
    Kept,
}

/// The process's choice. It is one, like the log's: every path to the disk has to make the same.
static KEEPS_NUMBERS: AtomicBool = AtomicBool::new(false);

/// Says once, at the start, what this process does with card numbers and IBANs; without it they are taken out.
pub fn choose(numbers: Numbers) {
    KEEPS_NUMBERS.store(numbers == Numbers::Kept, Ordering::Relaxed);
}

fn chosen() -> Numbers {
    if KEEPS_NUMBERS.load(Ordering::Relaxed) { Numbers::Kept } else { Numbers::Redacted }
}

/// The text with every secret in it replaced by `[redacted:<class>]`; borrowed when there is none.
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_with(text, chosen())
}

fn redact_with(text: &str, numbers: Numbers) -> Cow<'_, str> {
    let mut clean = replace(text, find(text, Context::default(), numbers));
    // A marker may part what stood together, so that what is left is another secret.
    for _ in 1..MAX_PASSES {
        let secrets = if matches!(clean, Cow::Borrowed(_)) {
            Vec::new()
        } else {
            find(&clean, Context::default(), numbers)
        };
        if secrets.is_empty() {
            break;
        }
        clean = Cow::Owned(replace(&clean, secrets).into_owned());
    }
    clean
}

/// How often a text is looked through as long as there is more to take out.
const MAX_PASSES: usize = 4;

fn replace(text: &str, secrets: Vec<Found>) -> Cow<'_, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = 0;
    for Found { span, class } in secrets {
        clean.push_str(text.get(rest..span.start).unwrap_or_default());
        clean.push_str(class.marker());
        rest = span.end;
    }
    clean.push_str(text.get(rest..).unwrap_or_default());
    Cow::Owned(clean)
}

/// How every marker begins.
const MARKER: &str = "[redacted:";

/// What kind of secret it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    ApiKey,
    Token,
    Password,
    PrivateKey,
    ConnectionString,
    CardNumber,
    Iban,
}

impl Class {
    const ALL: [Self; 7] = [
        Self::ApiKey,
        Self::Token,
        Self::Password,
        Self::PrivateKey,
        Self::ConnectionString,
        Self::CardNumber,
        Self::Iban,
    ];

    /// The class of this name, as tables and markers write it.
    fn named(name: &str) -> Option<Self> {
        let marked =
            |class: &Self| class.marker().strip_prefix(MARKER).and_then(|rest| rest.strip_suffix(']'));
        Self::ALL.into_iter().find(|class| marked(class) == Some(name))
    }

    /// What stands in place of a secret of this class.
    const fn marker(self) -> &'static str {
        match self {
            Self::ApiKey => "[redacted:api-key]",
            Self::Token => "[redacted:token]",
            Self::Password => "[redacted:password]",
            Self::PrivateKey => "[redacted:private-key]",
            Self::ConnectionString => "[redacted:connection-string]",
            Self::CardNumber => "[redacted:card-number]",
            Self::Iban => "[redacted:iban]",
        }
    }
}

/// A part of the text that is a secret.
#[derive(Debug, Clone, Copy)]
struct Secret<'t> {
    text: &'t str,
    class: Class,
}

/// A literal that announces a secret, and what stands around it.
#[derive(Debug, Clone, Copy)]
struct Sight<'t> {
    before: &'t str,
    literal: &'t str,
    after: &'t str,
    text: &'t str,
}

impl<'t> Sight<'t> {
    fn new(text: &'t str, anchor: Range<usize>) -> Option<Self> {
        Some(Self {
            before: text.get(..anchor.start)?,
            literal: text.get(anchor.clone())?,
            after: text.get(anchor.end..)?,
            text,
        })
    }

    /// The text from `back` bytes before the literal to `ahead` bytes behind it.
    fn around(&self, back: usize, ahead: usize) -> Option<&'t str> {
        let start = self.before.len().checked_sub(back)?;
        self.text.get(start..self.before.len() + self.literal.len() + ahead)
    }
}

struct Found {
    span: Range<usize>,
    class: Class,
}

/// Every secret in the text, in order, none overlapping another; `asked` is what the message before says about getting in.
fn find(text: &str, asked: Context, numbers: Numbers) -> Vec<Found> {
    let mut found = Vec::new();
    if numbers == Numbers::Redacted {
        numbers::find(text, &mut found);
    }
    seed::find(text, &mut found);
    strong::find(text, &mut found);
    let mut widest: Vec<(Discriminant<Rule>, Range<usize>)> = Vec::new();
    let mut marker_end = 0;
    let (mut names, mut tables) = (false, false);
    for (anchor, rule) in anchor::anchors(text) {
        let kind = discriminant(&rule);
        names |= matches!(rule, Rule::Access | Rule::Login);
        if let Rule::Name(name) = rule {
            names |= matches!(name.kind, Kind::Word | Kind::Phrase);
            tables = true;
        }
        // What a rule has found it does not look at again: a hostile run of names would cost its square.
        let is_seen = |(seen, span): &(_, Range<usize>)| *seen == kind && span.contains(&anchor.start);
        if anchor.start < marker_end || widest.iter().any(is_seen) {
            continue;
        }
        if matches!(rule, Rule::Marker) {
            marker_end = marker_at(text, &anchor).unwrap_or(marker_end);
            continue;
        }
        let Some(sight) = Sight::new(text, anchor) else { continue };
        for secret in rule.examine(&sight) {
            let span = span_of(secret.text, text);
            match widest.iter_mut().find(|(seen, _)| *seen == kind) {
                Some((_, seen)) if span.end <= seen.end => {}
                Some((_, seen)) => *seen = span.clone(),
                None => widest.push((kind, span.clone())),
            }
            found.push(Found { span, class: secret.class });
        }
    }
    if tables {
        table::find(text, &mut found);
        table::lists(text, &mut found);
    }
    sentence::find(text, asked, names, &mut found);
    merge(found)
}

/// Where the marker ends that begins at `anchor`, if it is one of ours.
fn marker_at(text: &str, anchor: &Range<usize>) -> Option<usize> {
    let here = text.get(anchor.start..)?;
    let class = Class::ALL.into_iter().find(|class| here.starts_with(class.marker()))?;
    Some(anchor.start + class.marker().len())
}

/// Joins what overlaps; the joint secret is of the class that begins first.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|secret| (secret.span.start, usize::MAX - secret.span.end));
    found.dedup_by(|next, kept| {
        let overlap = next.span.start < kept.span.end;
        if overlap {
            kept.span.end = kept.span.end.max(next.span.end);
        }
        overlap
    });
    found
}

/// Where `part`, a slice of `text`, lies in it.
fn span_of(part: &str, text: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}
