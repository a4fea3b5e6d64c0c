//! Days of the calendar in a text, compared by what they mean: "12 March 1990" is "1990-03-12" and "12.3.90".

use std::collections::HashMap;
use std::sync::LazyLock;

use super::number_words;
use super::pieces::{Class, Piece, pieces};
use crate::calendar::{Language, months};

/// A day, perhaps without its year, or a month of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    year: Option<u16>,
    month: u8,
    day: u8,
}

/// Months in languages that the calendar does not read, in the forms that stand beside a day.
const MORE_MONTHS: [&str; 21] = [
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "janv fevr mars avr mai juin juil aout sept oct nov dec",
    "ene feb mar abr may jun jul ago sept oct nov dic",
    "янв фев мар апр мая июн июл авг сен окт ноя дек",
    "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
    "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien",
    "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november desember",
    "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta marraskuuta \
     joulukuuta",
    "januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december",
    "ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου",
];

static MONTHS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let read = [Language::English, Language::Short, Language::German, Language::Spanish, Language::French];
    let known = months(&read).map(|(name, number)| (name.to_owned(), number.unsigned_abs()));
    let more = MORE_MONTHS.iter().flat_map(|names| names.split_whitespace().zip(1..));
    let more = more.map(|(name, number)| (name.to_owned(), number));
    let folded = |(name, number): (String, u8)| Some((pieces(&name).first()?.text.clone(), number));
    known.chain(more).filter_map(folded).collect()
});

impl Day {
    /// The days that the pieces from one on may mean, and the piece after them.
    pub fn read(all: &[Piece], at: usize) -> Option<(Vec<Self>, usize)> {
        let first = all.get(at)?;
        match first.class {
            Class::Digits => in_digits(all, at)
                .or_else(|| in_east_asian(all, at))
                .or_else(|| before_month(all, at))
                .or_else(|| month_in_digits(all, at)),
            Class::Word => {
                after_month(all, at).or_else(|| in_words(all, at)).or_else(|| month_of_year(all, at))
            }
            Class::Han => in_east_asian(all, at),
            _ => None,
        }
    }

    /// 14/07 and 14.07., which only tell a day if one is looked for.
    pub fn without_year(all: &[Piece], at: usize) -> Option<(Vec<Self>, usize)> {
        let (first, second) = (all.get(at)?, all.get(at + 1)?);
        let gap = |at: usize| all.get(at).map_or("", |piece| piece.gap.as_str());
        let is_joined =
            |at: usize| all.get(at).is_some_and(|piece| piece.class == Class::Digits && piece.is_joined());
        let is_written = second.gap == "/" || second.gap == "." && gap(at + 2).starts_with('.');
        if [first, second].iter().any(|piece| piece.text.len() != 2)
            || !is_written
            || at > 0 && is_joined(at)
            || is_joined(at + 2)
        {
            return None;
        }
        let (a, b) = (number(all, at, 2)?, number(all, at + 1, 2)?);
        let days = [Self::new(None, b, a), Self::new(None, a, b).filter(|_| second.gap == "/")];
        let days: Vec<Self> = days.into_iter().flatten().collect();
        (!days.is_empty()).then_some((days, at + 2))
    }

    /// Returns true if another day is this one, or one of all years.
    pub fn is(self, other: Self) -> bool {
        let same_year = match (self.year, other.year) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a == b || (a < 100 || b < 100) && a % 100 == b % 100,
        };
        same_year && (self.month, self.day) == (other.month, other.day)
    }

    /// All days of a month; no single day is the same.
    fn whole_month(year: u16, month: u16) -> Option<Self> {
        let month = u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
        Some(Self { year: Some(year), month, day: 0 })
    }

    fn new(year: Option<u16>, month: u16, day: u16) -> Option<Self> {
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Self { year, month, day })
    }
}

fn number(all: &[Piece], at: usize, longest: usize) -> Option<u16> {
    let piece = all.get(at).filter(|piece| piece.class == Class::Digits && piece.text.len() <= longest)?;
    piece.text.parse().ok()
}

/// A year of four digits that follows, perhaps after a comma or a small word.
fn year(all: &[Piece], at: usize) -> (Option<u16>, usize) {
    let skipped = all.get(at).is_some_and(|piece| matches!(piece.text.as_str(), "de" | "del" | "of" | "do"));
    let at = at + usize::from(skipped);
    let near =
        all.get(at).filter(|piece| piece.text.len() == 4 && matches!(piece.gap.trim(), "" | "," | "."));
    match near.and_then(|_| number(all, at, 4)) {
        Some(year) => (Some(year), at + 1),
        None => (None, at - usize::from(skipped)),
    }
}

/// 1990-03-12, 12.03.1990, 3/12/90 and 19900312.
fn in_digits(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let first = all.get(at)?;
    if first.text.len() == 8 {
        let part = |range: std::ops::Range<usize>| first.text.get(range)?.parse::<u16>().ok();
        let day =
            Day::new(part(0..4), part(4..6)?, part(6..8)?).filter(|day| day.year.is_some_and(is_likely))?;
        return Some((vec![day], at + 1));
    }
    let mark = all.get(at + 1)?.gap.trim().to_owned();
    let third = all.get(at + 2)?;
    if !matches!(mark.as_str(), "." | "-" | "/") || third.gap.trim() != mark {
        return None;
    }
    let (a, b, c) = (number(all, at, 4)?, number(all, at + 1, 2)?, number(all, at + 2, 4)?);
    let days = if first.text.len() == 4 {
        [Day::new(Some(a), b, c), None]
    } else if !matches!(third.text.len(), 2 | 4) {
        return None;
    } else {
        [Day::new(Some(c), b, a), Day::new(Some(c), a, b).filter(|_| mark != ".")]
    };
    let days: Vec<Day> = days.into_iter().flatten().collect();
    (!days.is_empty()).then_some((days, at + 3))
}

fn is_likely(year: u16) -> bool {
    (1850..2150).contains(&year)
}

/// 1990年3月12日, 3월 12일.
fn in_east_asian(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let is = |at: usize, marks: &[&str]| {
        all.get(at).is_some_and(|piece| {
            piece.gap.trim().is_empty() && marks.iter().any(|mark| piece.text.starts_with(mark))
        })
    };
    // The number at a piece in digits or in Chinese characters, and the piece after it.
    let value = |at: usize, longest: usize| {
        let in_han =
            || number_words::in_han(all, at).and_then(|(value, next)| Some((value.try_into().ok()?, next)));
        number(all, at, longest).map(|value| (value, at + 1)).or_else(in_han)
    };
    let (first, next) = value(at, 4)?;
    let (year, (month, at)) =
        if is(next, &["年", "년"]) { (Some(first), value(next + 1, 2)?) } else { (None, (first, next)) };
    if !is(at, &["月", "월"]) {
        return None;
    }
    let day = value(at + 1, 2).filter(|(_, next)| is(*next, &["日", "일", "号", "號"]));
    match (day, year) {
        (Some((day, next)), _) => Some((vec![Day::new(year, month, day)?], next + 1)),
        (None, Some(year)) => Some((vec![Day::whole_month(year, month)?], at + 1)),
        (None, None) => None,
    }
}

fn month(all: &[Piece], at: usize) -> Option<u16> {
    MONTHS.get(&all.get(at)?.text).map(|number| u16::from(*number))
}

/// The piece after a day's ordinal ending and small words.
fn past_ordinal(all: &[Piece], at: usize) -> usize {
    let is_small = |piece: &Piece| {
        matches!(piece.text.as_str(), "st" | "nd" | "rd" | "th" | "er" | "of" | "de" | "го" | "е")
            && piece.gap.len() <= 1
    };
    (at..).find(|at| !all.get(*at).is_some_and(is_small)).unwrap_or(at)
}

/// 12 March 1990, 12. März, 12 de marzo de 1990.
fn before_month(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let day = number(all, at, 2)?;
    let named = past_ordinal(all, at + 1);
    let month = month(all, named)?;
    all.get(named).filter(|piece| piece.gap.len() <= 2)?;
    let (year, next) = year(all, named + 1);
    Some((vec![Day::new(year, month, day)?], next))
}

/// The third of March 1990, treize mars.
fn in_words(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let cardinal = || {
        let (value, _, next) = number_words::read(all, at, &number_words::all_languages())?;
        Some((value, next))
    };
    let (day, next) = number_words::any_ordinal(all, at).or_else(cardinal)?;
    let day = u16::try_from(day).ok()?;
    let named = past_ordinal(all, next);
    let month = month(all, named)?;
    all.get(named).filter(|piece| piece.gap.len() <= 1)?;
    let (year, next) = year(all, named + 1);
    Some((vec![Day::new(year, month, day)?], next))
}

/// March 1990, März 1990.
fn month_of_year(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let month = month(all, at)?;
    let (year, next) = year(all, at + 1);
    Some((vec![Day::whole_month(year?, month)?], next))
}

/// 03/1990, 3.1990 and 1990-03, unless it is a part of a longer number.
fn month_in_digits(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let next = all.get(at + 1)?;
    let is_joined =
        |at: usize| all.get(at).is_some_and(|piece| piece.class == Class::Digits && piece.is_joined());
    if at > 0 && is_joined(at) && all.get(at - 1).is_some_and(|piece| piece.class == Class::Digits)
        || is_joined(at + 2)
    {
        return None;
    }
    let (first, second) = (number(all, at, 4)?, number(all, at + 1, 4)?);
    let (month, year) = match (all.get(at)?.text.len(), next.text.len(), next.gap.as_str()) {
        (1 | 2, 4, "/" | ".") => (first, second),
        (4, 2, "-" | "/") => (second, first),
        _ => return None,
    };
    is_likely(year).then_some(())?;
    Some((vec![Day::whole_month(year, month)?], at + 2))
}

/// March 12, 1990.
fn after_month(all: &[Piece], at: usize) -> Option<(Vec<Day>, usize)> {
    let month = month(all, at)?;
    let day = number(all, at + 1, 2)?;
    all.get(at + 1).filter(|piece| piece.gap.len() <= 2)?;
    let (year, next) = year(all, past_ordinal(all, at + 2));
    Some((vec![Day::new(year, month, day)?], next))
}
