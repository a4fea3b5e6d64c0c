//! Amounts and codes in a text, compared by their digits: "1.200,00 €" is "EUR 1,200", "0170 12 34 567" is
//! "+49 170 1234567".

use super::language::Language;
use super::number_words;
use super::pieces::{Class, Piece};

/// A number as it is meant, with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    whole: String,
    fraction: String,
    unit: Option<&'static str>,
    /// The language of a number in words.
    pub language: Option<Language>,
    /// Whether it is in words or Chinese characters.
    pub is_in_words: bool,
    /// Whether it tells a place in an order: 21st, third.
    is_ordinal: bool,
}

/// Currencies, each with its signs and names, folded.
const CURRENCIES: [(&str, &str); 17] = [
    ("eur", "€ eur euro euros евро"),
    ("usd", "$ usd dollar dollars bucks dolares dolar dolarow доллар доллара долларов"),
    ("gbp", "£ gbp pound pounds pfund"),
    ("jpy", "¥ jpy yen 円"),
    ("cny", "cny rmb yuan 元 块"),
    ("rub", "₽ rub руб рубль рубля рублей"),
    ("pln", "zl pln zloty zlote zlotych"),
    ("try", "₺ tl lira"),
    ("chf", "chf franken"),
    ("krw", "₩ krw won 원"),
    ("brl", "brl real reais"),
    ("mxn", "mxn peso pesos"),
    ("sek", "sek kr krona kronor kroner"),
    ("czk", "czk kc koruna koruny korun"),
    ("huf", "huf ft forint"),
    ("uah", "₴ uah грн гривня гривні гривень"),
    ("inr", "₹ inr rupee rupees"),
];

/// Percent and measures, which follow their number.
const MEASURES: [(&str, &str); 14] = [
    ("percent", "% percent prozent procent процент процента процентов"),
    ("kg", "kg kilo kilos kilogram kilograms kilogramm кг"),
    ("km", "km kilometer kilometers kilometre kilometres км"),
    ("cm", "cm centimeter centimeters centimetre centimetres zentimeter см"),
    ("mg", "mg milligram milligrams milligramm milligramme milligrammes miligramo miligramos мг"),
    ("g", "g gram grams gramm gramme grammes gramo gramos грамм грамма граммов"),
    ("lb", "lb lbs"),
    ("m", "m meter meters metre metres metro metros метр метра метров"),
    ("mile", "mi mile miles"),
    ("mm", "mm millimeter millimeters millimetre millimetres мм"),
    ("l", "l liter liters litre litres litro litros литр литра литров"),
    ("ml", "ml milliliter milliliters millilitre millilitres мл"),
    ("hour", "h hr hrs hour hours std stunde stunden heure heures hora horas час часа часов"),
    ("minute", "min mins minute minutes minuten minuto minutos минута минуты минут"),
];

fn currency(piece: &Piece) -> Option<&'static str> {
    named(piece, &CURRENCIES)
}

fn unit(piece: &Piece) -> Option<&'static str> {
    currency(piece).or_else(|| named(piece, &MEASURES))
}

fn named(piece: &Piece, units: &[(&'static str, &str)]) -> Option<&'static str> {
    let is_named = |names: &str| names.split_whitespace().any(|name| name == piece.text);
    units.iter().find(|(_, names)| is_named(names)).map(|(unit, _)| *unit)
}

impl Amount {
    /// The amount that begins at a piece, in digits or in words of some languages, and the piece after it.
    pub fn read(pieces: &[Piece], at: usize, languages: &[Language]) -> Option<(Self, usize)> {
        Self::in_digits(pieces, at)
            .or_else(|| Self::as_ordinal(pieces, at))
            .or_else(|| Self::in_words(pieces, at, languages))
    }

    /// An English ordinal in words.
    fn as_ordinal(pieces: &[Piece], at: usize) -> Option<(Self, usize)> {
        let (value, next) = number_words::ordinal(pieces, at)?;
        let ordinal = Self {
            whole: value.to_string(),
            fraction: String::new(),
            unit: None,
            language: None,
            is_in_words: true,
            is_ordinal: true,
        };
        Some((ordinal, next))
    }

    fn in_words(pieces: &[Piece], at: usize, languages: &[Language]) -> Option<(Self, usize)> {
        let told = |whole: String| Self {
            whole,
            fraction: String::new(),
            unit: None,
            language: None,
            is_in_words: true,
            is_ordinal: false,
        };
        if let Some((digits, next)) = number_words::digit_by_digit(pieces, at, languages) {
            return Some((told(digits), next));
        }
        // World War II; a Roman number alone may be any word.
        if let Some(value) = pieces.get(at).filter(|_| at > 0).and_then(number_words::roman) {
            return Some((told(value.to_string()), at + 1));
        }
        let (value, language, mut next) = number_words::read(pieces, at, languages)?;
        let unit = pieces.get(next).filter(|piece| is_near(piece)).and_then(unit);
        // Chinese characters for numbers stand in many words; a unit after them tells.
        if language.is_none() && unit.is_none() {
            return None;
        }
        next += usize::from(unit.is_some());
        let amount = Self {
            whole: value.to_string(),
            fraction: String::new(),
            unit,
            language,
            is_in_words: true,
            is_ordinal: false,
        };
        Some((amount, next))
    }

    /// Returns true if it is more than a small number that a word may mean by chance.
    pub fn is_telling(&self) -> bool {
        self.unit.is_some() || self.whole.len() > 2
    }

    /// Returns true if it may be the number of a house.
    pub fn is_plain(&self) -> bool {
        self.unit.is_none() && self.fraction.is_empty()
    }

    fn in_digits(pieces: &[Piece], at: usize) -> Option<(Self, usize)> {
        let before = pieces.get(at).and_then(currency);
        let at = if before.is_some() { at + 1 } else { at };
        let first = pieces.get(at).filter(|piece| piece.class == Class::Digits)?;
        if before.is_some() && !is_near(first) {
            return None;
        }
        let (mut whole, mut next) = grouped(pieces, at, first);
        let mut fraction = String::new();
        let mut is_scaled = false;
        if let Some(decimals) = pieces.get(next)
            && decimals.class == Class::Digits
            && matches!(decimals.gap.as_str(), "." | ",")
            && decimals.len() <= 2
        {
            decimals.text.trim_end_matches('0').clone_into(&mut fraction);
            next += 1;
        }
        if let Some(scale) = pieces.get(next)
            && is_near(scale)
            && let Some(zeros) = number_words::zeros(scale)
            && is_scale(scale, before.is_some())
        {
            is_scaled = true;
            whole.push_str(&format!("{fraction:0<zeros$}"));
            whole = whole.trim_start_matches('0').to_owned();
            fraction.clear();
            next += 1;
        }
        // "1 Mio. Euro"
        let follows = |piece: &&Piece| is_near(piece) || is_scaled && piece.gap == ". ";
        let after = pieces.get(next).filter(|_| before.is_none()).filter(follows).and_then(unit);
        next += usize::from(after.is_some());
        let unit = before.or(after);
        let is_ending =
            |piece: &&Piece| piece.gap.is_empty() && matches!(piece.text.as_str(), "st" | "nd" | "rd" | "th");
        let is_ordinal = unit.is_none() && !is_scaled && pieces.get(next).filter(is_ending).is_some();
        next += usize::from(is_ordinal);
        Some((Self { whole, fraction, unit, language: None, is_in_words: false, is_ordinal }, next))
    }

    /// Returns true if another amount is this one. One without a unit is not known to be.
    pub fn is(&self, other: &Self) -> bool {
        self.whole == other.whole
            && self.fraction == other.fraction
            && self.is_ordinal == other.is_ordinal
            && (self.unit.is_none() || self.unit == other.unit)
    }
}

/// Returns true if a letter after a number multiplies it: 5 m are meters, $5m and 5M are millions, and 5b is a part
/// of a house.
fn is_scale(piece: &Piece, is_money: bool) -> bool {
    match piece.text.as_str() {
        "k" => piece.gap.is_empty(),
        "m" => piece.gap.is_empty() && (is_money || piece.is_capital),
        "b" => piece.gap.is_empty() && is_money,
        _ => true,
    }
}

fn is_near(piece: &Piece) -> bool {
    piece.gap.trim().is_empty() && piece.gap.chars().count() <= 1
}

/// The digits of a number written in groups of three, and the piece after it.
fn grouped(pieces: &[Piece], at: usize, first: &Piece) -> (String, usize) {
    let mut whole = first.text.clone();
    let mut next = at + 1;
    let mut mark: Option<&str> = None;
    while let Some(group) = pieces.get(next)
        && first.len() <= 3
        && group.class == Class::Digits
        && group.len() == 3
        && matches!(group.gap.as_str(), "," | "." | "'" | " " | "\u{a0}" | "\u{202f}" | "\u{2009}" | "_")
        && mark.is_none_or(|mark| mark == group.gap)
    {
        mark = Some(&group.gap);
        whole.push_str(&group.text);
        next += 1;
    }
    (whole, next)
}

/// Fewest digits of a number that is taken wherever it stands; one digit more, and also without its country.
const SHORTEST_NUMBER: usize = 7;
/// Most digits that a country's and an area's number add.
const LONGEST_PREFIX: usize = 4;

/// A telephone, account or other number, without spaces and marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code(String);

impl Code {
    /// The codes of a topic: the whole of it, and a long number in it.
    pub fn all(pieces: &[Piece]) -> Vec<Self> {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
        let is_plain = |piece: &Piece| matches!(piece.class, Class::Word | Class::Digits);
        let whole = joined(pieces);
        let mut found = Vec::new();
        if pieces.iter().all(is_plain) && digits(&whole) >= 4 && whole.len() >= 6 {
            found.push(Self(whole));
        }
        let is_part = |at: usize| {
            let own = pieces.get(at).is_some_and(|piece| piece.class == Class::Digits);
            let with = |other: Option<&Piece>, gap: Option<&Piece>| {
                other.is_some_and(|other| other.class == Class::Digits)
                    && gap.is_some_and(|gap| gap.gap.is_empty())
            };
            own || with(pieces.get(at + 1), pieces.get(at + 1))
                || at > 0 && with(pieces.get(at - 1), pieces.get(at))
        };
        let mut start = 0;
        while start < pieces.len() {
            let end = (start..pieces.len()).find(|at| !is_part(*at)).unwrap_or(pieces.len());
            let part = joined(pieces.get(start..end).unwrap_or_default());
            // Letters and digits together are as telling as more digits.
            let is_mixed = digits(&part) > 3 && part.len() > SHORTEST_NUMBER && digits(&part) < part.len();
            if (digits(&part) >= SHORTEST_NUMBER || is_mixed) && !found.contains(&Self(part.clone())) {
                found.push(Self(part));
            }
            start = end + 1;
        }
        found
    }

    /// A number in groups that begins at a piece of a topic, such as 48-2210 or A12/3345, and the piece after it.
    pub fn grouped(pieces: &[Piece], at: usize) -> Option<(Self, usize)> {
        let is_part = |piece: &Piece| matches!(piece.class, Class::Word | Class::Digits);
        let joins = |piece: &Piece| is_part(piece) && matches!(piece.gap.as_str(), "" | "-" | "/" | "‑");
        let end =
            (at + 1..pieces.len()).find(|at| !pieces.get(*at).is_some_and(joins)).unwrap_or(pieces.len());
        let group = pieces.get(at..end)?;
        let digits = group.iter().filter(|piece| piece.class == Class::Digits).map(Piece::len).sum::<usize>();
        let starts = group.first().is_some_and(|piece| piece.class == Class::Digits);
        (starts && group.len() > 1 && digits > 4 && digits == joined(group).len())
            .then(|| (Self(joined(group)), end))
    }

    /// The piece after this code, if it begins at a piece.
    pub fn read(&self, pieces: &[Piece], at: usize) -> Option<usize> {
        let is_cut =
            |piece: &Piece| piece.gap.is_empty() && matches!(piece.class, Class::Word | Class::Digits);
        if at > 0 && pieces.get(at).is_some_and(is_cut) {
            return None;
        }
        let mut told = String::new();
        for (n, piece) in pieces.iter().enumerate().skip(at) {
            if !matches!(piece.class, Class::Word | Class::Digits) || n > at && !is_inside(&piece.gap) {
                return None;
            }
            // "+49 (0) 170": the zero is dialed only at home.
            if !(n > at && piece.text == "0" && piece.gap.contains('(')) {
                told.push_str(&piece.text);
            }
            let is_whole = !pieces.get(n + 1).is_some_and(is_cut);
            if is_whole && self.is(&told) {
                return Some(n + 1);
            }
            if told.len() > self.0.len() + LONGEST_PREFIX + 2 {
                return None;
            }
        }
        None
    }

    fn is(&self, other: &str) -> bool {
        if self.0 == other {
            return true;
        }
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(&self.0) || !is_number(other) {
            return false;
        }
        let (own, other) = (self.0.trim_start_matches('0'), other.trim_start_matches('0'));
        let (short, long) = if own.len() <= other.len() { (own, other) } else { (other, own) };
        short.len() > SHORTEST_NUMBER && long.ends_with(short) && long.len() - short.len() <= LONGEST_PREFIX
    }
}

/// Returns true if a gap can stand inside a code.
fn is_inside(gap: &str) -> bool {
    gap.chars().count() <= 3
        && gap.chars().all(|c| c.is_whitespace() && c != '\n' || "-.,/()+_–‐‑·'".contains(c))
}

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}
