//! Finds the phrases of the table in a text: pattern by pattern; the longest match wins.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Weekday;

use super::neighborhood::{no_noun_follows, stands_alone};
use super::phrases;
use super::span::{Count, Season, TimePhrase, Unit};
use super::tokens::{Kind, Token, tokens};
use crate::calendar::{self, Language};
use crate::pattern::{self, Step};

/// All phrases, ready to be matched.
pub static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);

/// The values of a pattern's slots.
#[derive(Debug, Clone, Copy, Default)]
pub struct Named {
    pub count: Option<Count>,
    pub unit: Option<Unit>,
    pub weekday: Option<Weekday>,
    pub day: Option<i8>,
    pub month: Option<i8>,
    pub year: Option<i16>,
    pub season: Option<Season>,
    /// A part of the day, in hours since its midnight.
    pub hours: Option<(i8, i8)>,
}

/// The span, relative to the named time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is that time.
    Within,
    /// From that time until now.
    Since,
    /// Some other time ("before March"), a habit ("every Tuesday") or the future ("next Tuesday").
    Elsewhere,
}

/// A phrase found in a text.
#[derive(Debug)]
pub struct Match {
    pub tokens: Range<usize>,
    /// `None` for a phrase that only looks like a time.
    pub phrase: Option<TimePhrase>,
    pub named: Named,
    pub reach: Reach,
}

/// The phrases around months are English and East Asian ones.
const MONTH_LANGUAGES: [Language; 3] = [Language::English, Language::Short, Language::EastAsian];
const DAY_LANGUAGES: [Language; 6] = [
    Language::English,
    Language::Short,
    Language::German,
    Language::Spanish,
    Language::French,
    Language::EastAsian,
];

/// Words of a list, each with its value.
type Lexicon<T> = Vec<(Vec<String>, T)>;

/// The tables of `phrases`, cut into tokens.
pub struct Grammar {
    /// The words that a phrase can begin with; most words of a text are none of them.
    beginnings: HashSet<String>,
    rows: Vec<(Vec<Step<Piece>>, Option<TimePhrase>)>,
    prefixes: Lexicon<Reach>,
    suffixes: Lexicon<Reach>,
    counts: Lexicon<Count>,
    units: Lexicon<Unit>,
    weekdays: Lexicon<Weekday>,
    months: Lexicon<i8>,
    seasons: Lexicon<Season>,
    hours: Lexicon<(i8, i8)>,
    early: Lexicon<()>,
    french: Lexicon<()>,
}

enum Piece {
    Word(String),
    Slot(String),
}

impl Grammar {
    fn new() -> Self {
        let times = phrases::TIMES.iter().map(|(patterns, phrase)| (*patterns, Some(*phrase)));
        let lookalikes = phrases::LOOKALIKES.iter().map(|patterns| (*patterns, None));
        let mut grammar = Self {
            beginnings: HashSet::new(),
            // Of two phrases equally long the first wins, and doubt is on the side of no time.
            rows: lookalikes
                .chain(times)
                .flat_map(|(patterns, phrase)| patterns.split('|').map(move |one| (pieces(one), phrase)))
                .collect(),
            prefixes: lexicon(phrases::PREFIXES),
            suffixes: lexicon(phrases::SUFFIXES),
            counts: lexicon(phrases::COUNTS),
            units: lexicon(phrases::UNITS),
            weekdays: longest_first(calendar::weekdays(&DAY_LANGUAGES)),
            months: longest_first(calendar::months(&MONTH_LANGUAGES)),
            seasons: lexicon(phrases::SEASONS),
            hours: lexicon(phrases::HOURS),
            early: lexicon(phrases::EARLY),
            french: lexicon(phrases::FRENCH),
        };
        grammar.beginnings =
            grammar.rows.iter().flat_map(|(pieces, _)| grammar.beginnings_of(pieces)).collect();
        grammar.beginnings.extend(firsts(&grammar.prefixes));
        grammar
    }

    /// The words that a pattern can begin with; numbers apart.
    fn beginnings_of(&self, pattern: &[Step<Piece>]) -> Vec<String> {
        let Some((step, rest)) = pattern.split_first() else { return Vec::new() };
        let begins = match &step.atom {
            // Behind "since" it may be left out.
            Piece::Word(word) if ["in", "on"].contains(&word.as_str()) => {
                [vec![word.clone()], self.beginnings_of(rest)].concat()
            }
            Piece::Word(word) => vec![word.clone()],
            Piece::Slot(slot) => match slot.as_str() {
                "count" => firsts(&self.counts),
                "unit" => firsts(&self.units),
                "weekday" => firsts(&self.weekdays),
                "month" | "noun_month" => firsts(&self.months),
                "season" => firsts(&self.seasons),
                "hours" => firsts(&self.hours),
                "early" => firsts(&self.early),
                "cjk" | "french" | "end" => self.beginnings_of(rest),
                _ => Vec::new(),
            },
        };
        if step.is_optional() { [begins, self.beginnings_of(rest)].concat() } else { begins }
    }

    /// The longest phrase that begins at a token.
    pub fn longest_at(&self, tokens: &[Token], start: usize) -> Option<Match> {
        let first = tokens.get(start)?;
        if first.kind != Kind::Number && !self.beginnings.contains(&first.text) {
            return None;
        }
        let prefix = listed(&self.prefixes, tokens, start);
        let with_prefix = prefix.and_then(|(at, reach)| self.longest(tokens, start, at, Some(reach)));
        with_prefix.or_else(|| self.longest(tokens, start, start, None))
    }

    fn longest(&self, tokens: &[Token], start: usize, at: usize, prefix: Option<Reach>) -> Option<Match> {
        let mut best: Option<Match> = None;
        for (pieces, phrase) in &self.rows {
            // "since March" stands for "since in March".
            let bare = match pieces.split_first() {
                Some((Step { atom: Piece::Word(word), .. }, rest))
                    if prefix.is_some() && ["in", "on"].contains(&word.as_str()) =>
                {
                    rest
                }
                _ => pieces,
            };
            let Some((end, named)) = self.follow(bare, tokens, at) else { continue };
            if best.as_ref().is_none_or(|best| end > best.tokens.end) && stands_alone(tokens, start..end) {
                let reach = prefix.unwrap_or(Reach::Within);
                best = Some(Match { tokens: start..end, phrase: *phrase, named, reach });
            }
        }
        best.map(|best| self.extend(tokens, best))
    }

    /// Takes in what may follow any time: a part of the day, and a word that changes the reach.
    fn extend(&self, tokens: &[Token], mut found: Match) -> Match {
        if let Some((end, hours)) = listed(&self.hours, tokens, found.tokens.end) {
            found.named.hours = found.named.hours.or(Some(hours));
            found.tokens.end = end;
        }
        if let Some((end, reach)) = listed(&self.suffixes, tokens, found.tokens.end) {
            found.reach = reach;
            found.tokens.end = end;
        }
        found
    }

    /// Where a pattern ends that begins at a token, and what it names.
    fn follow(&self, pattern: &[Step<Piece>], tokens: &[Token], at: usize) -> Option<(usize, Named)> {
        pattern::follow(pattern, at, Named::default(), &|piece, at, named| match piece {
            Piece::Word(word) => (tokens.get(at)?.text == *word).then_some((at + 1, named)),
            Piece::Slot(slot) => self.fill(slot, tokens, at, named),
        })
    }

    /// Fills a slot at a token: where its words end, and what is named with it.
    pub fn fill(&self, slot: &str, tokens: &[Token], at: usize, named: Named) -> Option<(usize, Named)> {
        let number = |range: Range<i16>| number(tokens, at, range);
        Some(match slot {
            "count" => {
                let (next, count) = listed(&self.counts, tokens, at)
                    .or_else(|| number(1..10_000).map(|(next, n)| (next, Count::exactly(n))))?;
                let count = named.count.map_or(count, |first| first.or(count));
                (next, Named { count: Some(count), ..named })
            }
            "unit" => {
                let (next, unit) = listed(&self.units, tokens, at)?;
                (next, Named { unit: Some(unit), ..named })
            }
            "weekday" => {
                let (next, weekday) = listed(&self.weekdays, tokens, at)?;
                (next, Named { weekday: Some(weekday), ..named })
            }
            "month" => {
                let (next, month) = listed(&self.months, tokens, at)?;
                (next, Named { month: Some(month), ..named })
            }
            // Not a verb: "May 7", but not "may 7".
            "noun_month" => {
                let token = tokens.get(at)?;
                if !token.capital && ["may", "march"].contains(&token.text.as_str()) {
                    return None;
                }
                self.fill("month", tokens, at, named)?
            }
            "month_number" => {
                let (next, month) = number(1..13)?;
                (next, Named { month: i8::try_from(month).ok(), ..named })
            }
            "day" => {
                let (next, day) = number(1..32)?;
                let next = if is_ordinal_ending(tokens, next) { next + 1 } else { next };
                (next, Named { day: i8::try_from(day).ok(), ..named })
            }
            "nth" => {
                let (next, day) = number(1..32)?;
                if !is_ordinal_ending(tokens, next) {
                    return None;
                }
                (next + 1, Named { day: i8::try_from(day).ok(), ..named })
            }
            "year" => {
                let (next, year) = number(1900..2100)?;
                (next, Named { year: Some(year), ..named })
            }
            "season" => {
                let (next, season) = listed(&self.seasons, tokens, at)?;
                (next, Named { season: Some(season), ..named })
            }
            "hours" => {
                let (next, hours) = listed(&self.hours, tokens, at)?;
                (next, Named { hours: Some(hours), ..named })
            }
            "early" => (listed(&self.early, tokens, at)?.0, named),
            // The rest take up no words: they look around.
            "cjk" => {
                let before = tokens.get(at.checked_sub(1)?)?;
                (before.kind == Kind::Character).then_some((at, named))?
            }
            "french" => {
                (0..tokens.len()).find(|other| listed(&self.french, tokens, *other).is_some())?;
                (at, named)
            }
            "end" => no_noun_follows(tokens, at).then_some((at, named))?,
            _ => return None,
        })
    }
}

fn pieces(pattern: &str) -> Vec<Step<Piece>> {
    let mut pieces = Vec::new();
    let mut cut = tokens(pattern).into_iter().map(|token| token.text);
    while let Some(text) = cut.next() {
        match text.as_str() {
            "{" => pieces.extend(cut.next().map(|slot| Step::once(Piece::Slot(slot)))),
            "}" => {}
            "?" => {
                let optional = pieces.pop().map(|step: Step<Piece>| Step::optional(step.atom));
                pieces.extend(optional);
            }
            _ => pieces.push(Step::once(Piece::Word(text))),
        }
    }
    pieces
}

fn lexicon<T: Copy>(table: &[(&'static str, T)]) -> Lexicon<T> {
    longest_first(table.iter().flat_map(|(words, value)| words.split('|').map(move |word| (word, *value))))
}

/// The longest entries first, so that none hides behind its own beginning.
fn longest_first<T>(entries: impl Iterator<Item = (&'static str, T)>) -> Lexicon<T> {
    let mut all: Lexicon<T> = entries.map(|(word, value)| (texts(word), value)).collect();
    all.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    all
}

fn firsts<T>(lexicon: &Lexicon<T>) -> Vec<String> {
    lexicon.iter().filter_map(|(words, _)| words.first().cloned()).collect()
}

fn texts(words: &str) -> Vec<String> {
    tokens(words).into_iter().map(|token| token.text).collect()
}

/// The entry that stands at a token, and where it ends.
fn listed<T: Copy>(lexicon: &Lexicon<T>, tokens: &[Token], at: usize) -> Option<(usize, T)> {
    let here = tokens.get(at..)?;
    let starts = |word: &[String]| {
        word.len() <= here.len() && word.iter().zip(here).all(|(word, token)| *word == token.text)
    };
    lexicon.iter().find(|(word, _)| starts(word)).map(|(word, value)| (at + word.len(), *value))
}

fn number(tokens: &[Token], at: usize, range: Range<i16>) -> Option<(usize, i16)> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    let number = token.text.parse().ok().filter(|number| range.contains(number))?;
    Some((at + 1, number))
}

fn is_ordinal_ending(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.glued && ["st", "nd", "rd", "th"].contains(&token.text.as_str()))
}
