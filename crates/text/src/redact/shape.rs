//! Keys that are known by their shape: the reader of `kinds.tsv`.

use std::sync::LazyLock;

use super::reading::{goes_on, holds_marker, is_varied, leading, starts_afresh, trailing};
use super::{Class, Secret, Sight, words};
use Alphabet::{
    Alphanumeric, Base64, Dashed, Digits, Dotted, Hex, HexDashed, Parted, Slashed, Upper, UpperDashed,
};

const KINDS: &str = include_str!("kinds.tsv");

/// Every kind of the table.
pub(super) static SHAPES: LazyLock<Vec<Shape>> =
    LazyLock::new(|| rows(KINDS).filter_map(Shape::read).collect());

/// The rows of a table, without remarks.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A provider's key: a literal, and what stands around it.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) literal: &'static str,
    class: Class,
    place: Place,
    run: Run,
    before: Option<Run>,
}

/// How the literal stands to the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Begins,
    Follows,
    Holds,
    Named,
}

/// Random characters of an alphabet.
#[derive(Debug, Clone, Copy)]
struct Run {
    alphabet: Alphabet,
    least: usize,
    most: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Digits,
    Upper,
    UpperDashed,
    Hex,
    HexDashed,
    Alphanumeric,
    Dashed,
    Dotted,
    Parted,
    Slashed,
    Base64,
}

/// How much of a run is looked at to tell random characters from words; longer than every bounded kind.
const LOOK: usize = 160;

/// How far behind a service's name its key may stand.
const REACH: usize = 64;

/// The words between a service's name and its key.
const KEY_WORDS: &[&str] = &["key", "token", "secret", "api", "credential", "pat ", "auth"];

impl Shape {
    fn read(row: &'static str) -> Option<Self> {
        let mut columns = row.split('\t').skip(1);
        let class = Class::named(columns.next()?)?;
        let place = match columns.next()? {
            "begins" => Place::Begins,
            "follows" => Place::Follows,
            "holds" => Place::Holds,
            "named" => Place::Named,
            _ => return None,
        };
        let literal = columns.next()?;
        Some(Self {
            literal,
            class,
            place,
            run: Run::read(columns.next()?)?,
            before: Run::read(columns.next()?),
        })
    }

    /// The key that begins here, if what follows is random enough to be one.
    pub(super) fn examine<'t>(&self, sight: &Sight<'t>) -> Option<Secret<'t>> {
        let any_case = matches!(self.place, Place::Follows | Place::Named);
        if !any_case && sight.literal != self.literal {
            return None;
        }
        let begins =
            starts_afresh(sight.before) || !self.literal.starts_with(|c: char| c.is_ascii_alphanumeric());
        let text = match self.place {
            Place::Holds => self.inside(sight)?,
            Place::Begins if begins && self.run.fits(sight.after) => {
                let run = self.run.whole(sight.after);
                let partner =
                    if self.run.alphabet == Upper { partner(sight.after.get(run.len()..)?) } else { 0 };
                sight.around(0, run.len() + partner)?
            }
            Place::Follows if begins && self.run.fits(sight.after) => self.run.whole(sight.after),
            Place::Named => self.named(sight.after)?,
            Place::Begins | Place::Follows => return None,
        };
        let look = text.get(..text.floor_char_boundary(LOOK)).unwrap_or(text);
        (!words::is_sample(&look.to_ascii_lowercase())).then_some(Secret { text, class: self.class })
    }

    /// The literal with the runs on both sides of it.
    fn inside<'t>(&self, sight: &Sight<'t>) -> Option<&'t str> {
        let before = self.before?;
        let head = trailing(sight.before, before.most + 1, |c| before.alphabet.has(c));
        let tail = self.run.cut(sight.after);
        let fits = (before.least..=before.most).contains(&head.len())
            && (self.run.least..=self.run.most).contains(&tail.len());
        if fits { sight.around(head.len(), tail.len()) } else { None }
    }

    /// The first run of the shape on the service's line, behind a word for a key.
    fn named<'t>(&self, after: &'t str) -> Option<&'t str> {
        let line = leading(after, REACH, |c| c != '\n');
        let mut words = line.split([' ', '=', ':', '"', '\'', '`', ',', '(', ')', '<', '>', ';', '\t']);
        let word = words.find(|word| word.len() >= self.run.least.min(24) && is_varied(word))?;
        let start = super::span_of(word, after).start;
        let (name, key) = after.split_at_checked(start)?;
        let lower = name.to_ascii_lowercase();
        let says_key = KEY_WORDS.iter().any(|word| lower.contains(word)) && !lower.contains(" id");
        (says_key && !holds_marker(name) && self.run.fits(key)).then(|| self.run.whole(key))
    }
}

impl Run {
    /// Reads `hex 32`, `dashed 20+`, `digits 6-12`.
    fn read(text: &str) -> Option<Self> {
        let (alphabet, length) = text.split_once(' ')?;
        let alphabet = match alphabet {
            "digits" => Digits,
            "upper" => Upper,
            "upper-dashed" => UpperDashed,
            "hex" => Hex,
            "hex-dashed" => HexDashed,
            "alphanumeric" => Alphanumeric,
            "dashed" => Dashed,
            "dotted" => Dotted,
            "parted" => Parted,
            "slashed" => Slashed,
            "base64" => Base64,
            _ => return None,
        };
        let (least, most) = match (length.strip_suffix('+'), length.split_once('-')) {
            (Some(least), _) => (least.parse().ok()?, usize::MAX),
            (None, Some((least, most))) => (least.parse().ok()?, most.parse().ok()?),
            (None, None) => (length.parse().ok()?, length.parse().ok()?),
        };
        Some(Self { alphabet, least, most })
    }

    /// Returns true if a run of this shape begins here.
    fn fits(&self, after: &str) -> bool {
        let run = self.cut(after);
        let bounded = self.most < usize::MAX;
        let random = is_varied(run) || bounded && matches!(self.alphabet, Upper) || is_long_word(run);
        let ends = !bounded || !goes_on(after.get(run.len()..).unwrap_or_default());
        (self.least..=self.most).contains(&run.len()) && random && ends && self.has_its_parts(run)
    }

    /// The run's beginning: enough to judge it by.
    fn cut<'t>(&self, after: &'t str) -> &'t str {
        leading(after, LOOK, |c| self.alphabet.has(c)).trim_end_matches('.')
    }

    fn whole<'t>(&self, after: &'t str) -> &'t str {
        leading(after, usize::MAX, |c| self.alphabet.has(c)).trim_end_matches('.')
    }

    /// A web token and a SendGrid key have parts; one part alone is ordinary base64.
    fn has_its_parts(&self, run: &str) -> bool {
        self.alphabet != Parted || run.contains('.')
    }
}

impl Alphabet {
    fn has(self, c: char) -> bool {
        match self {
            Digits => c.is_ascii_digit(),
            Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
            UpperDashed => Upper.has(c) || c == '-',
            Hex => c.is_ascii_hexdigit(),
            HexDashed => Hex.has(c) || c == '-',
            Alphanumeric => c.is_ascii_alphanumeric(),
            Dashed => c.is_ascii_alphanumeric() || matches!(c, '-' | '_'),
            Dotted | Parted => Dashed.has(c) || c == '.',
            Slashed => Dashed.has(c) || c == '/',
            Base64 => Dotted.has(c) || matches!(c, '+' | '/' | '=' | '~' | '%'),
        }
    }
}

/// Longer than any word of a language.
fn is_long_word(run: &str) -> bool {
    run.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.len() >= 30)
}

/// How far the secret key reaches that people paste behind an AWS access key, 0 if there is none.
fn partner(after: &str) -> usize {
    let gap = leading(after, 8, |c| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '|' | '/'));
    let Some(rest) = after.get(gap.len()..) else { return 0 };
    let run = leading(rest, 41, |c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/'));
    if !gap.is_empty() && run.len() == 40 && is_varied(run) { gap.len() + run.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    /// Characters of the run's alphabet, as many as it asks for.
    fn example(run: Run) -> String {
        let letters: String = (' '..='~').filter(|c| run.alphabet.has(*c)).collect();
        let pool = match run.alphabet {
            Digits | Upper | Hex | HexDashed => letters.replace('-', ""),
            _ => letters.chars().filter(char::is_ascii_alphanumeric).collect(),
        };
        let drawn = random(&pool, run.least);
        if run.alphabet == Parted {
            let half = drawn.len() / 2;
            return format!("{}.{}", drawn.get(..half).unwrap(), drawn.get(half + 1..).unwrap());
        }
        drawn
    }

    #[test]
    fn c6_every_row_of_the_table_is_read_and_takes_its_own_example_out() {
        assert_eq!(SHAPES.len(), rows(KINDS).count());
        for shape in SHAPES.iter() {
            let (run, before) = (example(shape.run), shape.before.map(example).unwrap_or_default());
            let literal = shape.literal;
            let text = match shape.place {
                Place::Begins | Place::Follows => format!("here: {literal}{run} thanks"),
                Place::Holds => format!("here: {before}{literal}{run} thanks"),
                Place::Named => format!("my {literal} api key is {run} thanks"),
            };
            let clean = super::super::redact(&text).into_owned();
            assert!(run.is_empty() || !clean.contains(&run), "{text:?} became {clean:?}");
            assert!(before.is_empty() || !clean.contains(&before), "{text:?} became {clean:?}");
            assert!(clean.ends_with(" thanks"), "{text:?} became {clean:?}");
        }
    }

    #[test]
    fn c6_a_beginning_without_its_run_is_kept() {
        for shape in SHAPES.iter().filter(|shape| shape.run.least > 8) {
            let text = format!("they begin with {} or so", shape.literal);
            assert_eq!(super::super::redact(&text), text);
        }
    }
}
