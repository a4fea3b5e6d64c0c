//! The day ahead that a clause names: "next Friday", "in two weeks", "on the 3rd", "26 September".

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan as _};
use std::ops::Range;

use super::day_words::{COUNTS, FEASTS, LANGUAGES, PERIODS, listed, ordinal};
use super::token::Token;
use crate::calendar::{self, Language};
use crate::word_list::WordList;

/// A time that a clause names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The words that name it.
    pub tokens: Range<usize>,
    /// The day, if it is one; "in June" is none.
    pub day: Option<Date>,
    /// How the words name it.
    pub form: Form,
}

/// How words name a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By day, month and year.
    Full,
    /// By day and month; the year is the next that has it.
    WithoutYear,
    /// As seen from today, or only roughly.
    Relative,
}

/// The first time ahead that the tokens name.
pub fn find(tokens: &[Token], today: Date) -> Option<Named> {
    let word = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let is_moved = tokens.iter().any(|token| MOVED.contains(&token.text));
    // "Not the 5th but the 6th", "moved from the 5th to the 6th": the day that is denied or left is none.
    let is_denied = |at: usize| {
        (1..3).any(|back| at >= back && word(at - back) == "not")
            || at > 1 && word(at - 2) == "instead"
            || is_moved && word(at) == "from"
    };
    let mut at = 0;
    while at < tokens.len() {
        match read(tokens, at, today) {
            Some(denied) if is_denied(at) => at = denied.tokens.end.max(at + 1),
            Some(named) => return Some(named),
            None => at += 1,
        }
    }
    None
}

/// What is done to a day that another takes the place of.
static MOVED: WordList =
    WordList::new("moved pushed rescheduled postponed shifted changed brought switched delayed");

/// The time that is named just here.
pub fn read(tokens: &[Token], at: usize, today: Date) -> Option<Named> {
    let reader = Reader { tokens, today };
    // "On", "by" and the like belong to the phrase.
    let led =
        at + usize::from(reader.is(at, &["on", "by", "until", "till", "before", "from", "this", "coming"]));
    let further = led + usize::from(led > at && reader.is(led, &["this", "coming", "the"]));
    let found = [led, further, at].into_iter().find_map(|first| {
        let dated = reader.dated(first).or_else(|| reader.weekday(first));
        dated.or_else(|| reader.counted(first)).or_else(|| reader.period(first))
    })?;
    let (end, day, form) = found;
    Some(Named { tokens: at..end, day, form })
}

type Found = (usize, Option<Date>, Form);

struct Reader<'t> {
    tokens: &'t [Token],
    today: Date,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.word(at))
    }

    /// A date by its numbers and its month.
    fn dated(&self, at: usize) -> Option<Found> {
        if let Ok(day) = self.word(at).parse::<Date>()
            && self.word(at).len() == 10
        {
            return Some((at + 1, Some(day), Form::Full));
        }
        if let Some((end, day)) = self.dotted(at) {
            return Some((end, Some(day), Form::Full));
        }
        let the = at + usize::from(self.is(at, &["the", "am", "el"]));
        if let Some(day) = ordinal(self.word(the)) {
            let mut month = the + 1;
            // "3. Mai" has a mark after its number.
            month += usize::from(self.is(month, &["of", "de", "."]));
            if let Some(number) = self.month(month) {
                return self.in_year(day, number, month + 1);
            }
            // "The second" is no day, "the 2nd" and "the twenty-second" are.
            let is_ordinal = (self.tokens.get(the)?.is_number() || day > 12)
                && self.word(the).ends_with(|c: char| c.is_ascii_alphabetic());
            let follows = self.tokens.get(the + 1);
            // "On the 3rd" is a day, "the 3rd floor" is none.
            let ends = follows.is_none_or(|next| {
                next.is_mark()
                    || matches!(
                        next.text.as_str(),
                        "and"
                            | "at"
                            | "in"
                            | "for"
                            | "so"
                            | "but"
                            | "with"
                            | "instead"
                            | "not"
                            | "now"
                            | "to"
                    )
            });
            if the > at && is_ordinal && ends {
                return Some((the + 1, self.next_day_of_month(day), Form::Relative));
            }
            return None;
        }
        if let Some((words, month, day)) = self.feast(at) {
            return self.in_year(day, month, at + words);
        }
        let month = self.month(at)?;
        let day = at + 1 + usize::from(self.is(at + 1, &["the"]));
        match ordinal(self.word(day)) {
            Some(number) => self.in_year(number, month, day + 1),
            None => None,
        }
    }

    /// A feast that has the same day in every year.
    fn feast(&self, at: usize) -> Option<(usize, i8, i8)> {
        let is = |name: &str| name.split(' ').enumerate().all(|(after, word)| self.word(at + after) == word);
        FEASTS
            .iter()
            .find(|(name, ..)| is(name))
            .map(|(name, month, day)| (name.split(' ').count(), *month, *day))
    }

    /// "12.06.2026"
    fn dotted(&self, at: usize) -> Option<(usize, Date)> {
        let mut parts = self.word(at).split('.').map(str::parse::<i16>);
        let (day, month, year) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        Some((at + 1, date))
    }

    fn in_year(&self, day: i8, month: i8, at: usize) -> Option<Found> {
        let at = if self.is(at, &[",", "de", "of"]) && self.year(at + 1).is_some() { at + 1 } else { at };
        if let Some(year) = self.year(at) {
            return Some((at + 1, Some(Date::new(year, month, day).ok()?), Form::Full));
        }
        // The 29th of February may be eight years ahead.
        let next = (0..=8)
            .filter_map(|years| Date::new(self.today.year() + years, month, day).ok())
            .find(|date| *date >= self.today)?;
        Some((at, Some(next), Form::WithoutYear))
    }

    fn year(&self, at: usize) -> Option<i16> {
        self.word(at).parse().ok().filter(|year| (1900..2200).contains(year))
    }

    fn month(&self, at: usize) -> Option<i8> {
        let number = calendar::month(self.word(at), LANGUAGES)?;
        // "May" and "March" are also verbs, which have no capital.
        let is_verb = matches!(self.word(at), "may" | "march" | "mar") && !self.tokens.get(at)?.capital;
        let is_dated = at > 0 && ordinal(self.word(at - 1)).is_some() || ordinal(self.word(at + 1)).is_some();
        (!is_verb || is_dated).then_some(number)
    }

    fn next_day_of_month(&self, day: i8) -> Option<Date> {
        // A month may lack the day, but never two in a row.
        (0..3)
            .filter_map(|months| {
                let month = self.today.first_of_month().checked_add(Span::new().months(months)).ok()?;
                Date::new(month.year(), month.month(), day).ok()
            })
            .find(|date| *date >= self.today)
    }

    /// A weekday: of the next week after "next", else the nearest.
    fn weekday(&self, at: usize) -> Option<Found> {
        let next = self.is(at, &["next", "nächsten", "próximo"]);
        let at = at + usize::from(next || self.is(at, &["am", "el", "coming"]));
        let weekday = calendar::weekday(self.word(at), LANGUAGES)?;
        // "Thursday the 20th", "Thursday, 20 November": the number decides.
        let number = at + 1 + usize::from(self.is(at + 1, &[","]));
        if let Some(found) = self.dated(number) {
            return Some(found);
        }
        let ahead = self.today.nth_weekday(1, weekday).ok()?;
        // "Monday week" is the one after.
        if self.is(at + 1, &["week"]) {
            return Some((at + 2, ahead.checked_add(Span::new().weeks(1)).ok(), Form::Relative));
        }
        let trailing = self.is(at + 1, &["next"]) && self.is(at + 2, &["week"]);
        let day = if next || trailing { of_next_week(self.today, weekday)? } else { ahead };
        Some((if trailing { at + 3 } else { at + 1 }, Some(day), Form::Relative))
    }

    /// "A week on Tuesday", "two weeks from Monday".
    fn weeks_after(&self, at: usize) -> Option<Found> {
        let weeks = listed(COUNTS, self.word(at)).filter(|_| self.is(at + 1, &["week", "weeks"]))?;
        let (end, day, form) = self.weekday(at + 3).filter(|_| self.is(at + 2, &["on", "from", "after"]))?;
        Some((end, day?.checked_add(Span::new().weeks(weeks)).ok(), form))
    }

    /// "Tomorrow", "in two weeks", "a week from now".
    fn counted(&self, at: usize) -> Option<Found> {
        if let Some(found) = self.weeks_after(at) {
            return Some(found);
        }
        let days = |days: i64| self.today.checked_add(Span::new().days(days)).ok();
        match self.word(at) {
            "today" | "tonight" | "heute" | "hoy" => return Some((at + 1, Some(self.today), Form::Relative)),
            "tomorrow" | "tmrw" | "tmr" | "tomoz" | "mañana" => {
                return Some((at + 1, days(1), Form::Relative));
            }
            "übermorgen" => return Some((at + 1, days(2), Form::Relative)),
            "the"
                if self.is(at + 1, &["day"])
                    && self.is(at + 2, &["after"])
                    && self.is(at + 3, &["tomorrow"]) =>
            {
                return Some((at + 4, days(2), Form::Relative));
            }
            "in" | "en" => {}
            _ => return None,
        }
        let at = at + 1;
        let count = self.word(at).parse::<i64>().ok().filter(|count| *count < 1000);
        let count = count.or_else(|| listed(COUNTS, self.word(at)))?;
        let (end, day) = match self.word(at + 1).trim_end_matches('s') {
            "day" | "tagen" | "día" => (at + 2, days(count)),
            "week" | "woche" | "wochen" | "semana" => (at + 2, days(count * 7)),
            "fortnight" => (at + 2, days(count * 14)),
            "month" | "monat" | "monaten" | "year" | "jahr" | "jahren" => (at + 2, None),
            _ => return None,
        };
        Some((end, day, Form::Relative))
    }

    /// A time that is no day: "next month", "in June", "this summer", "in 2027".
    fn period(&self, at: usize) -> Option<Found> {
        if self.is(at, &["next", "this"]) && is_period(self.word(at + 1)) {
            return Some((at + 2, None, Form::Relative));
        }
        let month = at + usize::from(self.is(at, &["in", "next", "early", "late", "mid", "end"]));
        let month = month + usize::from(self.is(month, &["early", "late", "mid", "of"]));
        if month > at && self.month(month).is_some() {
            let year = usize::from(self.year(month + 1).is_some());
            return Some((month + 1 + year, None, Form::Relative));
        }
        (self.is(at, &["in"]) && self.year(at + 1).is_some()).then_some((at + 2, None, Form::Relative))
    }
}

fn is_period(word: &str) -> bool {
    PERIODS.contains(word) || calendar::month(word, &[Language::English]).is_some()
}

fn of_next_week(today: Date, weekday: Weekday) -> Option<Date> {
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    monday.checked_add((7 + i64::from(weekday.to_monday_zero_offset())).days()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
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
            ("due on 30 November", "on 30 November", "2026-11-30"),
            ("starts July 28.", "July 28", "2027-07-28"),
            ("it is the 15th of November", "the 15th of November", "2027-11-15"),
            ("on 3 May 2030", "on 3 May 2030", "2030-05-03"),
            ("by 2027-01-09", "by 2027-01-09", "2027-01-09"),
            ("am 3. Mai", "am 3. Mai", "2027-05-03"),
            ("leaving tomorrow", "tomorrow", "2026-11-17"),
            ("el 3 de mayo", "el 3 de mayo", "2027-05-03"),
            ("the day after tomorrow", "the day after tomorrow", "2026-11-18"),
            ("on the 29th of February", "on the 29th of February", "2028-02-29"),
        ] {
            let tokens = tokens(text, 0..text.len());
            let found = find(&tokens, TODAY).unwrap_or_else(|| panic!("{text}"));
            let words = &tokens[found.tokens];
            assert_eq!(text.get(words[0].range.start..words[words.len() - 1].range.end), Some(phrase));
            assert_eq!(found.day, Some(day.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn a_month_or_a_season_is_a_time_without_a_day() {
        for text in ["in June", "next month", "this summer", "in 2027", "by the end of May"] {
            let found = find(&tokens(text, 0..text.len()), TODAY);
            assert!(found.is_some_and(|found| found.day.is_none()), "{text}");
        }
    }

    #[test]
    fn words_that_look_like_days_are_none() {
        for text in ["on the 3rd floor", "I may go", "we march on", "99 red balloons", "type 1 diabetes", ""]
        {
            assert_eq!(find(&tokens(text, 0..text.len()), TODAY), None, "{text}");
        }
    }
}
