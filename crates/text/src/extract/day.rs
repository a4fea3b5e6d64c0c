//! The day that a statement names: "next Friday", "in two weeks", "26 September", 下周五, "by Q2 2026". What is told of the
//! past names a day of the past, anything else one from today on.

mod tense;

use std::cell::Cell;
use std::ops::Range;

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

use super::word;
use crate::calendar::{self, EUROPEAN, Language};
use crate::word_list::WordList;

/// A day that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The day.
    pub day: Date,
    /// The words that name it, in bytes.
    pub range: Range<usize>,
    /// Whether it is named as seen from today, so that its words mean another day tomorrow.
    pub is_relative: bool,
}

/// The first day that a text names, of a range the one it begins with.
#[must_use]
pub fn find(text: &str, today: Date) -> Option<Named> {
    let reader = Reader::new(text, today);
    let named = |at: usize, (end, day, is_relative): (usize, Date, bool)| {
        Some(Named { day, range: reader.range(at..end)?, is_relative })
    };
    let days = (0..reader.words.len()).filter(|at| !reader.is_denied(*at));
    days.clone()
        .find_map(|at| {
            reader.at.set(Some(at));
            let found = reader
                .dated(at)
                .or_else(|| reader.by_numbers(at))
                .or_else(|| reader.east_asian(at))
                .map(|(end, day)| (end, day, false))
                .or_else(|| reader.weekday_of_month(at))
                .or_else(|| reader.relative(at).map(|(end, day)| (end, day, true)))?;
            named(at, found)
        })
        .or_else(|| {
            days.into_iter().find_map(|at| {
                reader.at.set(Some(at));
                let (end, day) = reader.month_ahead(at)?;
                named(at, (end, day, false))
            })
        })
}

/// The last day of the time that a goal has: a day, or the end of a quarter, a month or a year.
#[must_use]
pub fn deadline(text: &str, today: Date) -> Option<Date> {
    let reader = Reader::new(text, today);
    let period = || (0..reader.words.len()).find_map(|at| reader.end_of_period(at));
    match find(text, today) {
        Some(named) if !reader.is_month(&named.range) => Some(named.day),
        Some(named) => period().or(Some(named.day.last_of_month())),
        None => period(),
    }
}

/// A statement whose day is named as seen from today, with the day itself, so that it is understood on another.
#[must_use]
pub fn settled(text: &str, today: Date) -> String {
    match find(text, today).filter(|named| named.is_relative) {
        Some(named) => format!("{text} ({})", named.day),
        None => text.to_owned(),
    }
}

type Found = (usize, Date);

struct Reader {
    places: Vec<Range<usize>>,
    words: Vec<String>,
    today: Date,
    /// The place of the day that is being read; none of a deadline, which is always ahead.
    at: Cell<Option<usize>>,
}

/// Maximum length that is read for a day, in bytes: what follows is a story of many days.
const MOST_READ: usize = 4 * 1024;

impl Reader {
    fn new(text: &str, today: Date) -> Self {
        let text = text.get(..text.floor_char_boundary(MOST_READ)).unwrap_or(text);
        let places = word::places(text);
        let words =
            places.iter().filter_map(|place| text.get(place.clone())).map(str::to_lowercase).collect();
        Self { places, words, today, at: Cell::new(None) }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    fn is(&self, at: usize, words: &str) -> bool {
        let own = self.word(at).as_bytes();
        words.as_bytes().split(|byte| *byte == b' ').any(|word| word == own)
    }

    fn range(&self, words: Range<usize>) -> Option<Range<usize>> {
        Some(self.places.get(words.start)?.start..self.places.get(words.end.checked_sub(1)?)?.end)
    }

    fn ahead(&self, days: i64) -> Option<Date> {
        self.today.checked_add(days.days()).ok()
    }

    /// Returns true if the day that is being read is told of as past.
    fn is_past(&self) -> bool {
        self.at.get().is_some_and(|at| tense::is_past(&self.words, at))
    }

    /// "Not the 5th but the 6th", "moved from the 5th to the 6th", "every Tuesday and Friday": the first is no day ahead.
    fn is_denied(&self, at: usize) -> bool {
        let before = |by: usize| at.checked_sub(by).map_or("", |at| self.word(at));
        let is_left = before(1) == "from" || before(1) == "the" && before(2) == "from";
        let is_not = [before(1), before(2)].contains(&"not");
        let moves = || self.words.iter().any(|word| MOVED.contains(word));
        is_not || self.is_habit(at) || is_left && moves()
    }

    /// Returns true if a weekday is one of those on which something recurs.
    fn is_habit(&self, at: usize) -> bool {
        let is_listed = |word: &str| {
            LISTED.contains(word)
                || calendar::is_name(word, EUROPEAN)
                || calendar::weekday(word, &[Language::Short]).is_some()
        };
        let before = (1..=MOST_LISTED.min(at)).find(|by| !is_listed(self.word(at - by)));
        before.is_some_and(|by| HABITS.contains(self.word(at - by)))
    }

    /// A month with its day: "March 15th", "3. Mai 2027", "el 3 de mayo".
    fn dated(&self, at: usize) -> Option<Found> {
        if let Some(day) = ordinal(self.word(at)) {
            let month = at + 1 + usize::from(self.is(at + 1, "of de ."));
            return match self.month(month) {
                Some(number) => self.in_year(day, number, month + 1),
                None => self.first_of_range(at, day),
            };
        }
        let number = at + 1 + usize::from(self.is(at + 1, "the"));
        let day = ordinal(self.word(number))?;
        self.in_year(day, self.month(at)?, number + 1)
    }

    /// "3 to 17 August": the third.
    fn first_of_range(&self, at: usize, day: i8) -> Option<Found> {
        let joint = at + 1 + usize::from(self.is(at + 1, "."));
        let last = joint + 1 + usize::from(self.is(joint + 1, "the el le"));
        let (end, until) =
            self.is(joint, "to until till - – bis al au a and und y et").then(|| self.dated(last))??;
        let of_month = |months: i64| {
            let month = until.first_of_month().checked_sub(months.months()).ok()?;
            Date::new(month.year(), month.month(), day).ok()
        };
        Some((end, (0..2).filter_map(of_month).find(|from| *from <= until)?))
    }

    fn month(&self, at: usize) -> Option<i8> {
        self.month_named(self.word(at))
    }

    fn month_named(&self, word: &str) -> Option<i8> {
        calendar::month(word, EUROPEAN).or_else(|| calendar::month(word, &[Language::Short]))
    }

    fn in_year(&self, day: i8, month: i8, at: usize) -> Option<Found> {
        let year = at + usize::from(self.is(at, ", de of") && self.year(at + 1).is_some());
        match self.year(year) {
            Some(number) => Some((year + 1, Date::new(number, month, day).ok()?)),
            None => Some((at, self.next(|year| Date::new(year, month, day).ok())?)),
        }
    }

    /// Of the days, one a year, the first that is not over, or the last that is. The 29th of February may be eight years away.
    fn next(&self, of: impl Fn(i16) -> Option<Date>) -> Option<Date> {
        let years = |step: i16| (0..=8).map(move |years| self.today.year() + step * years);
        if self.is_past() {
            years(-1).filter_map(of).find(|day| *day <= self.today)
        } else {
            years(1).filter_map(of).find(|day| *day >= self.today)
        }
    }

    /// The same of the days, one a month. A month may lack the day, but never two in a row.
    fn in_month(&self, of: impl Fn(Date) -> Option<Date>) -> Option<Date> {
        let first = self.today.first_of_month();
        let months = |step: i64| (0..3).filter_map(move |by| first.checked_add((step * by).months()).ok());
        if self.is_past() {
            months(-1).filter_map(of).find(|day| *day <= self.today)
        } else {
            months(1).filter_map(of).find(|day| *day >= self.today)
        }
    }

    fn year(&self, at: usize) -> Option<i16> {
        self.word(at).parse().ok().filter(|year| (1900..2200).contains(year))
    }

    /// "2026-03-15", "15.03.2026", "15.3."
    fn by_numbers(&self, at: usize) -> Option<Found> {
        let number = |at: usize| self.word(at).parse::<i8>().ok();
        let mark = self.word(at + 1);
        let is_led = at
            .checked_sub(1)
            .is_some_and(|before| self.is(before, "on by until am bis vom ab el le del du :"));
        let ends =
            self.word(at + 3).chars().all(|c| !c.is_alphanumeric()) || self.is(at + 3, "at um a à for with");
        if is_led && ends && self.word(at + 4).parse::<u32>().is_err() && self.word(at + 1) != "-" {
            // "On 1.3", "on 3/15"
            let (day, month) = match (number(at)?, number(at + 2)?) {
                (month, day) if mark == "/" && day > 12 => (day, month),
                (day, month) if mark == "." => (day, month),
                _ => return None,
            };
            let end = at + 3 + usize::from(mark == "." && self.is(at + 3, "."));
            return Some((end, self.next(|year| Date::new(year, month, day).ok())?));
        }
        if mark != self.word(at + 3) || !matches!(mark, "." | "-" | "/") {
            return None;
        }
        if let Some(year) = self.year(at) {
            return Some((at + 5, Date::new(year, number(at + 2)?, number(at + 4)?).ok()?));
        }
        // With slashes Americans write the month first, so that only a number over twelve tells which is which.
        let (day, month) = match (number(at)?, number(at + 2)?) {
            (first, second) if mark == "/" && second > 12 => (second, first),
            (first, _) if mark == "/" && first <= 12 => return None,
            pair => pair,
        };
        match self.year(at + 4) {
            Some(year) => Some((at + 5, Date::new(year, month, day).ok()?)),
            None if mark == "." => Some((at + 4, self.next(|year| Date::new(year, month, day).ok())?)),
            None => None,
        }
    }

    /// "3月5日", "2027年三月五号", "来年の3月5日"
    fn east_asian(&self, at: usize) -> Option<Found> {
        let (month_at, year) = self.east_asian_year(at);
        let (end, month) = self.number(month_at)?;
        let (last, day) = self.number(end + 1).filter(|_| self.is(end, "月"))?;
        let last = last + usize::from(self.is(last, "日 号 號"));
        let of = |year: i16| Date::new(year, month, day).ok();
        Some((last, year.map_or_else(|| self.next(of), of)?))
    }

    /// Where a month begins, and the year before it, if there is one.
    fn east_asian_year(&self, at: usize) -> (usize, Option<i16>) {
        let year = match self.year(at) {
            Some(year) => Some(year),
            None if self.is(at, "今 本") => Some(self.today.year()),
            None if self.is(at, "来 來 明") => Some(self.today.year() + 1),
            None if self.is(at, "去 昨") => Some(self.today.year() - 1),
            None => None,
        };
        match year.filter(|_| self.is(at + 1, "年")) {
            Some(year) => (at + 2 + usize::from(self.is(at + 2, "の")), Some(year)),
            None => (at, None),
        }
    }

    /// The last day of "六月底之前", "来年の3月まで", "今年年底", "下个月底", "第二季度".
    fn east_asian_period(&self, at: usize) -> Option<Date> {
        let last_of = |year: i16, month: i8| Date::new(year, month, 1).ok().map(Date::last_of_month);
        let ends =
            |at: usize| self.is(at, "底 末 前 之 以 内 中 份") || self.is(at, "ま") && self.is(at + 1, "で");
        let (start, year) = self.east_asian_year(at);
        let of = |month: i8| match year {
            Some(year) => last_of(year, month),
            None => self.next(|year| last_of(year, month)),
        };
        if let Some((end, month)) =
            self.number(start).filter(|(end, _)| self.is(*end, "月") && ends(*end + 1))
        {
            return of(month).filter(|_| self.number(end + 1).is_none());
        }
        let quarter = self.is(start, "第").then(|| self.number(start + 1)).flatten();
        if let Some((_, quarter)) =
            quarter.filter(|(end, quarter)| self.is(*end, "季 四") && (1..=4).contains(quarter))
        {
            return of(quarter * 3);
        }
        // 年底, 今年年底, 来年末
        let has_year = self.is(start, "年") && self.is(start + 1, "底 末 内")
            || year.is_some() && self.is(start, "底 末 内 中");
        if has_year || year.is_some() && self.is(start, "年") {
            return of(12);
        }
        let months = i64::from(self.is(at, "下 来"));
        let month = at + 1 + usize::from(self.is(at + 1, "个 個"));
        let is_month = self.is(at, "下 来 本 这 這 今") && self.is(month, "月") && ends(month + 1);
        let first = self.today.first_of_month().checked_add(months.months()).ok()?;
        is_month.then(|| first.last_of_month())
    }

    /// A number in digits or in Chinese characters, and where it ends.
    fn number(&self, at: usize) -> Option<(usize, i8)> {
        if let Ok(number) = self.word(at).parse() {
            return Some((at + 1, number));
        }
        let digit = |at: usize| {
            let word = self.word(at);
            (!word.is_empty()).then(|| DIGITS.position(word))?.map(|place| place as i8 + 1)
        };
        match (digit(at)?, digit(at + 1), digit(at + 2)) {
            (10, Some(ones), _) if ones < 10 => Some((at + 2, 10 + ones)),
            (tens, Some(10), Some(ones)) if ones < 10 => Some((at + 3, tens * 10 + ones)),
            (tens, Some(10), _) if tens < 10 => Some((at + 2, tens * 10)),
            (number, ..) => Some((at + 1, number)),
        }
    }

    /// A day as seen from today.
    fn relative(&self, at: usize) -> Option<Found> {
        let phrase = |days: i64, words: &str| {
            let length = |phrase: &[u8]| {
                let parts = || phrase.split(|byte| *byte == b' ');
                let starts = parts().enumerate().all(|(by, part)| self.word(at + by).as_bytes() == part);
                starts.then(|| parts().count())
            };
            let length = words.as_bytes().split(|byte| *byte == b'|').filter_map(length).max()?;
            Some((at + length, self.ahead(days)?))
        };
        NEAR.iter()
            .filter_map(|(days, words)| phrase(*days, words))
            .max_by_key(|(end, _)| *end)
            .or_else(|| self.counted(at))
            .or_else(|| self.weekday(at))
            .or_else(|| self.day_of_month(at))
    }

    /// "In two weeks", "in 3 Tagen", 两周后.
    fn counted(&self, at: usize) -> Option<Found> {
        let led = self.is(at, "in en dans");
        let number = at + usize::from(led);
        let (unit, count) =
            self.number(number).map(|(end, count)| (end, i64::from(count))).or_else(|| {
                let count = COUNTS
                    .iter()
                    .position(|counts| counts.split('/').any(|word| word == self.word(number)))?;
                Some((number + 1, count as i64 + 1))
            })?;
        let unit = unit + usize::from(self.is(unit, "个 個"));
        let days = UNITS.iter().find(|(words, _)| self.is(unit, words)).map(|(_, days)| days * count)?;
        if led {
            return Some((unit + 1, self.ahead(days)?));
        }
        let after = (unit + 1..unit + 4).find(|at| self.is(*at, "后 後"))?;
        Some((after + 1, self.ahead(days)?))
    }

    /// A weekday: of the next week after "next", else the nearest.
    fn weekday(&self, at: usize) -> Option<Found> {
        let is_next = self.is(at, "next nächsten kommenden próximo prochain 下 来");
        let is_last = self.is(at, "last letzten letzte vergangenen vorigen 上 先");
        let first = (at..at + 6).find(|at| {
            !self.is(
                *at,
                "next last nächsten kommenden letzten letzte vergangenen vorigen próximo on am el le this 这 這 本 下 来 上 先 周 週 星 期 礼 拜 个 個 の",
            )
        })?;
        let (end, weekday) = match calendar::weekday(self.word(first), EUROPEAN)
            .or_else(|| calendar::weekday(self.word(first), &[Language::Short]))
        {
            Some(weekday) => (first + 1, weekday),
            None => self.east_asian_weekday(at, first)?,
        };
        // "Thursday the 20th": the number decides.
        let number = end + usize::from(self.is(end, ","));
        if let Some(found) = self.dated(number).or_else(|| self.day_of_month(number)) {
            return Some(found);
        }
        let trails = self.is(end, "prochain") || self.is(end, "next") && self.is(end + 1, "week");
        let trails_last = self.is(end, "pasado dernier passé");
        let weeks = |weeks: i64| {
            let monday = i64::from(self.today.weekday().to_monday_zero_offset());
            self.ahead(7 * weeks - monday + i64::from(weekday.to_monday_zero_offset()))
        };
        let day = if is_next || trails {
            weeks(1)?
        } else if self.is(at, "上 先") {
            weeks(-1)?
        } else {
            let direction = if is_last || trails_last || self.is_past() { -1 } else { 1 };
            self.today.nth_weekday(direction, weekday).ok()?
        };
        Some((end + usize::from(trails_last), day))
    }

    /// "The last Sunday in May", "first Monday of next month", "el primer lunes de junio", and whether it is seen from today.
    fn weekday_of_month(&self, at: usize) -> Option<(usize, Date, bool)> {
        let place = (at..at + 3).find(|at| !self.is(*at, "on am the el le"))?;
        let nth = calendar::nth(self.word(place))?;
        let weekday = calendar::weekday(self.word(place + 1), EUROPEAN)?;
        let joint = place + 2;
        let name = (joint..joint + 3).find(|at| !self.is(*at, "in of im des de del du en the dem el le"))?;
        let of = |month: Date| month.nth_weekday_of_month(nth, weekday).ok();
        if let Some(month) = self.month(name) {
            let in_year = |year: i16| of(Date::new(year, month, 1).ok()?);
            let year = name + 1 + usize::from(self.is(name + 1, ", de of"));
            return match self.year(year) {
                Some(number) => Some((year + 1, in_year(number)?, false)),
                None => Some((name + 1, self.next(in_year)?, false)),
            };
        }
        let noun = (name..name + 2).find(|at| self.is(*at, "month monat monats mes mois"));
        let noun = noun.filter(|_| name > joint)?;
        let is_named = |words: &str| self.is(noun - 1, words) || self.is(noun + 1, words);
        let months = i64::from(is_named("next nächsten kommenden próximo prochain entrante que"))
            - i64::from(is_named("last letzten vergangenen pasado dernier passé"));
        let day = match months {
            0 => self.in_month(of)?,
            months => of(self.today.first_of_month().checked_add(months.months()).ok()?)?,
        };
        let is_trailed = self.is(noun + 1, "próximo prochain entrante pasado dernier passé");
        Some((noun + 1 + usize::from(is_trailed) + 2 * usize::from(self.is(noun + 1, "que")), day, true))
    }

    fn east_asian_weekday(&self, at: usize, first: usize) -> Option<(usize, Weekday)> {
        let place = |list: &str| list.chars().position(|c| self.word(first) == c.to_string());
        let (end, place) = if self.is(first + 1, "曜") {
            (first + 2 + usize::from(self.is(first + 2, "日")), place("月火水木金土日")?)
        } else {
            let is_led = first > at && self.is(first - 1, "周 週 期 拜");
            (first + 1, is_led.then(|| place("一二三四五六日").or_else(|| place("天").map(|_| 6)))??)
        };
        Some((end, Weekday::from_monday_zero_offset(i8::try_from(place).ok()?).ok()?))
    }

    /// "On the 3rd", but not "the 3rd floor".
    fn day_of_month(&self, at: usize) -> Option<Found> {
        let number = at + usize::from(self.is(at, "on")) + 1;
        let word = self.word(number);
        let is_ordinal =
            word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(char::is_alphabetic);
        let ends = self
            .words
            .get(number + 1)
            .is_none_or(|next| !next.starts_with(char::is_alphabetic) || ENDINGS.contains(next));
        let day = ordinal(word).filter(|_| self.is(number - 1, "the") && is_ordinal && ends)?;
        let found = self.in_month(|month| Date::new(month.year(), month.month(), day).ok());
        Some((number + 1, found?))
    }

    /// "In June", "end of March": the day on which a month begins or ends, if it is not over.
    fn month_ahead(&self, at: usize) -> Option<Found> {
        let ends = self.is(at, "end ende fin finales") && self.is(at + 1, "of de du") || self.is(at, "ende");
        if !ends && !self.is(at, "in im en") || self.is_past() {
            return None;
        }
        let name = at + 1 + usize::from(self.is(at + 1, "of de du"));
        let month = self.month(name)?;
        let year = self.year(name + 1);
        // A word that is also a month: "in may be", "im March".
        let of = |year: i16| {
            Date::new(year, month, 1).ok().map(|first| if ends { first.last_of_month() } else { first })
        };
        let day = year.map_or_else(|| self.next(of), of).filter(|day| *day >= self.today)?;
        Some((name + 1 + usize::from(year.is_some()), day))
    }

    /// Returns true if some words name a month and no day of it.
    fn is_month(&self, range: &Range<usize>) -> bool {
        let mut named = self
            .places
            .iter()
            .zip(&self.words)
            .filter(|(place, _)| range.start <= place.start && place.end <= range.end);
        named.next().is_some_and(|(_, word)| ["in", "im", "en"].contains(&word.as_str()))
            && named.next().is_some_and(|(_, word)| self.month_named(word).is_some())
    }

    /// The last day of a quarter, a month or a year.
    fn end_of_period(&self, at: usize) -> Option<Date> {
        if let Some(found) = self.east_asian_period(at) {
            return Some(found);
        }
        let last_of = |year: i16, month: i8| Date::new(year, month, 1).ok().map(Date::last_of_month);
        let quarter = self.word(at).strip_prefix(['q', 't']).and_then(|number| number.parse::<i8>().ok());
        if let Some(quarter) = quarter.filter(|quarter| (1..=4).contains(quarter)) {
            let of = |year: i16| last_of(year, quarter * 3);
            return self.year(at + 1).map_or_else(|| self.next(of), of);
        }
        if !self.is(at, "by before until till end bis ende vor antes fin finales avant") {
            return None;
        }
        let name = (at + 1..at + 4).find(|at| !self.is(*at, "the of next end de la del le du"))?;
        if let Some(month) = self.month(name) {
            let of = |year: i16| last_of(year, month);
            return self.year(name + 1).map_or_else(|| self.next(of), of);
        }
        if let Some(year) = self.year(name) {
            return last_of(year, 12);
        }
        let years = i16::from(self.is(name - 1, "next"));
        self.is(name, "year jahr jahres año l'année").then(|| last_of(self.today.year() + years, 12))?
    }
}

/// "3", "3rd", "22nd", "twenty-second" in one word.
fn ordinal(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th", "er"].iter().find_map(|ending| word.strip_suffix(ending));
    digits.unwrap_or(word).parse().ok().filter(|day| (1..32).contains(day))
}

static MOVED: WordList = WordList::new(
    "moved pushed rescheduled postponed shifted changed brought switched delayed \
     verschoben verlegt vorverlegt cambiado cambió movió aplazó pospuesto reporté reportée déplacé déplacée décalé",
);
static HABITS: WordList = WordList::new("every each jeden jede cada los todos chaque tous 每 毎");
/// What stands between the days of a habit.
static LISTED: WordList = WordList::new(", and or und oder y o et ou los les on 周 週 星 期 礼 拜 曜 、 和");
/// Maximum number of words that are looked at for a habit.
const MOST_LISTED: usize = 12;
/// What follows a day that is named by its number alone.
static ENDINGS: WordList = WordList::new("and at in for so but with instead not now to");
static DIGITS: WordList = WordList::new("一 二 三 四 五 六 七 八 九 十");

/// Days near today, in words.
const NEAR: &[(i64, &str)] = &[
    (-2, "the day before yesterday|vorgestern|anteayer|avant hier|前 天|一 昨 日|お と と い"),
    (-1, "yesterday|last night|gestern|ayer|hier|昨 天|昨 日|昨 晚|き の う"),
    (0, "today|tonight|heute|hoy|aujourd'hui|今 天|今 日|今 晚"),
    (1, "tomorrow|tmrw|tmr|tomoz|mañana|demain|明 天|明 日|明 早|明 晚|あ し た"),
    (
        2,
        "the day after tomorrow|day after tomorrow|übermorgen|pasado mañana|après demain|后 天|後 天|明 後 日|あ さ っ て",
    ),
    (3, "大 后 天|大 後 天"),
];
const COUNTS: &[&str] = &[
    "a/one/ein/einer/einem/una/un/une",
    "two/zwei/dos/deux/两/兩",
    "three/drei/tres/trois",
    "four/vier/cuatro/quatre",
    "five/fünf/cinco/cinq",
    "six/sechs/seis",
    "seven/sieben/siete/sept",
    "eight/acht/ocho/huit",
    "nine/neun/nueve/neuf",
    "ten/zehn/diez/dix",
];
const UNITS: &[(&str, i64)] = &[
    ("day days tag tage tagen día días jour jours 天 日", 1),
    ("week weeks woche wochen semana semanas semaine semaines 周 週 星", 7),
    ("fortnight", 14),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Monday, 16 November 2026.
    const TODAY: Date = Date::constant(2026, 11, 16);

    #[test]
    fn a_day_ahead_is_read_from_its_words() {
        for (text, phrase, day) in [
            ("my test is next Friday", "next Friday", "2026-11-27"),
            ("on Friday at 9", "on Friday", "2026-11-20"),
            ("it is Monday", "Monday", "2026-11-23"),
            ("we leave in two weeks", "in two weeks", "2026-11-30"),
            ("they come on the 3rd", "on the 3rd", "2026-12-03"),
            ("due on 30 November", "30 November", "2026-11-30"),
            ("starts July 28.", "July 28", "2027-07-28"),
            ("it is the 15th of November", "15th of November", "2027-11-15"),
            ("on 3 May 2030", "3 May 2030", "2030-05-03"),
            ("by 2027-01-09", "2027-01-09", "2027-01-09"),
            ("am 12.06.2027 um 9", "12.06.2027", "2027-06-12"),
            ("am 3. Mai", "3. Mai", "2027-05-03"),
            ("leaving tomorrow", "tomorrow", "2026-11-17"),
            ("el 3 de mayo", "3 de mayo", "2027-05-03"),
            ("le 12 juin à 9h", "12 juin", "2027-06-12"),
            ("the day after tomorrow", "the day after tomorrow", "2026-11-18"),
            ("on the 29th of February", "29th of February", "2028-02-29"),
            ("moved from the 20th to the 22nd", "the 22nd", "2026-11-22"),
            ("3月5日考试", "3月5日", "2027-03-05"),
            ("十二月二十五号", "十二月二十五号", "2026-12-25"),
            ("下周五面试", "下周五", "2026-11-27"),
            ("来週の金曜日に出発", "来週の金曜日", "2026-11-27"),
            ("后天搬家", "后天", "2026-11-18"),
            ("两周后回国", "两周后", "2026-11-30"),
        ] {
            let found = find(text, TODAY).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (text.get(found.range), found.day.to_string().as_str()),
                (Some(phrase), day),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_told_of_the_past_names_a_day_of_the_past() {
        for (text, day) in [
            ("We sold the boat last Thursday", "2026-11-12"),
            ("I met the surveyor on Thursday", "2026-11-12"),
            ("On Thursday I met the surveyor", "2026-11-12"),
            ("The lease ended on 1 December", "2025-12-01"),
            ("My licence expired on the 20th", "2026-10-20"),
            ("She's been away since Friday", "2026-11-13"),
            ("I ran a half marathon yesterday", "2026-11-15"),
            ("Wir waren am 3. Dezember in Prag", "2025-12-03"),
            ("Ich habe am Freitag den Chef getroffen", "2026-11-13"),
            ("Letzten Freitag war ich krank", "2026-11-13"),
            ("J'ai vu le notaire vendredi", "2026-11-13"),
            ("El viernes pasado me caí", "2026-11-13"),
            ("Visité el museo el 3 de diciembre", "2025-12-03"),
            ("上周五我去了医院", "2026-11-13"),
            ("12月3日に京都に行きました", "2025-12-03"),
            ("昨日引っ越しました", "2026-11-15"),
        ] {
            assert_eq!(find(text, TODAY).map(|it| it.day.to_string()).as_deref(), Some(day), "{text}");
        }
    }

    #[test]
    fn what_was_set_for_a_day_is_still_to_come() {
        for (text, day) in [
            ("The hearing was moved to 1 December", "2026-12-01"),
            ("We booked the ferry for Friday", "2026-11-20"),
            ("I'm invited to a christening on 1 December", "2026-12-01"),
            ("I bought the dress and the ball is on Friday", "2026-11-20"),
            ("Ich habe am Freitag eine Prüfung", "2026-11-20"),
            ("Der Umzug wurde auf den 1. Dezember verschoben", "2026-12-01"),
            ("Le concert a été reporté au 1 décembre", "2026-12-01"),
            ("La cita se cambió al 1 de diciembre", "2026-12-01"),
            ("考试改到12月1日了", "2026-12-01"),
            ("面談は12月1日に変更になりました", "2026-12-01"),
        ] {
            assert_eq!(find(text, TODAY).map(|it| it.day.to_string()).as_deref(), Some(day), "{text}");
        }
    }

    #[test]
    fn i6_a_weekday_is_counted_within_its_month() {
        for (text, phrase, day) in [
            ("the fair is the last Sunday in May", "the last Sunday in May", "2027-05-30"),
            ("We meet the first Monday of next month", "the first Monday of next month", "2026-12-07"),
            ("Abgabe ist letzter Freitag im März", "letzter Freitag im März", "2027-03-26"),
            ("am letzten Freitag im März 2028 ", "am letzten Freitag im März 2028", "2028-03-31"),
            ("la boda es el primer lunes de junio", "el primer lunes de junio", "2027-06-07"),
            ("on the 3rd Thursday of the month", "on the 3rd Thursday of the month", "2026-11-19"),
            ("am ersten Montag des nächsten Monats", "am ersten Montag des nächsten Monats", "2026-12-07"),
            ("le dernier vendredi du mois prochain", "le dernier vendredi du mois prochain", "2026-12-25"),
            ("el primer lunes del mes que viene", "el primer lunes del mes que viene", "2026-12-07"),
            ("we met on the second Tuesday of October", "on the second Tuesday of October", "2026-10-13"),
            ("I saw her last Sunday", "last Sunday", "2026-11-15"),
        ] {
            let found = find(text, TODAY).unwrap_or_else(|| panic!("{text}"));
            let read = text.get(found.range).unwrap_or_default();
            assert_eq!((read, found.day.to_string().as_str()), (phrase, day), "{text}");
        }
    }

    #[test]
    fn a_range_is_named_by_its_first_day() {
        for (text, day) in [
            ("I'm in Crete from 4 to 18 December", "2026-12-04"),
            ("the fair is 28 to 3 December", "2026-11-28"),
            ("conference 4-6 December", "2026-12-04"),
            ("Urlaub vom 4. bis 18. Dezember", "2026-12-04"),
            ("del 4 al 18 de diciembre estoy fuera", "2026-12-04"),
            ("du 4 au 18 décembre", "2026-12-04"),
            ("12月4日から18日まで旅行", "2026-12-04"),
            ("In December we close", "2026-12-01"),
            ("The review is at the end of January", "2027-01-31"),
            ("Rehearsal on 4.12.", "2026-12-04"),
            ("Brunch with Lou on 12/18", "2026-12-18"),
        ] {
            assert_eq!(find(text, TODAY).map(|it| it.day.to_string()).as_deref(), Some(day), "{text}");
        }
    }

    #[test]
    fn words_that_look_like_days_are_none() {
        for text in [
            "on the 3rd floor",
            "I may go",
            "we march on",
            "99 red balloons",
            "type 1 diabetes",
            "every Friday",
            "I swim every Monday, Wednesday and Friday",
            "jeden Montag und Freitag Training",
            "cada lunes y viernes",
            "毎週火曜日に泳ぎます",
            "The recital is on the 31st of April",
            "am 30. Februar",
            "2月30日",
            "we are open 24/7",
            "version 1.3 is out",
            "I was born in May",
            "",
            "4/5",
        ] {
            assert_eq!(find(text, TODAY), None, "{text}");
        }
    }

    #[test]
    fn the_deadline_of_a_goal_is_the_last_day_it_has() {
        for (text, day) in [
            ("launch the API by Q2 2027", "2027-06-30"),
            ("done by the end of May", "2027-05-31"),
            ("finish it before March 3", "2027-03-03"),
            ("bis Ende Juni fertig", "2027-06-30"),
            ("by the end of next year", "2027-12-31"),
            ("avant fin 2028", "2028-12-31"),
            ("I planned to launch by Q2", "2027-06-30"),
            ("move to Porto in March", "2027-03-31"),
            ("五月底之前写完论文", "2027-05-31"),
            ("来年の4月までに転職したい", "2027-04-30"),
            ("明年年底前买车", "2027-12-31"),
            ("下个月底交报告", "2026-12-31"),
            ("来月末までに提出", "2026-12-31"),
            ("6月末までに合格したい", "2027-06-30"),
            ("第二季度上线", "2027-06-30"),
        ] {
            assert_eq!(deadline(text, TODAY).map(|day| day.to_string()).as_deref(), Some(day), "{text}");
        }
        assert_eq!(deadline("learn to swim", TODAY), None);
    }
}
