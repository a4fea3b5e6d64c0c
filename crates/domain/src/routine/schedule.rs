//! The schedule of a routine: a cron expression in the person's time zone.
//!
//! Daylight-saving changes: a schedule with fixed hours, such as `30 2 * * *`, follows the clock. A skipped time is
//! due at the first moment after the gap, and a repeated time the first time only. A schedule of every hour, such as
//! `*/15 * * * *`, follows elapsed time: it is due in both occurrences of a repeated hour, and a skipped hour is not
//! made up for.
//!
//! The matching is our own, because the crate `cronexpr` omits skipped times, repeats repeated ones and only looks
//! ahead.

mod fields;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use throughline_text::shorten::one_line;

use self::fields::Fields;
use super::local::{Occurrence, occurrences};

/// Maximum number of days to search. A 29 February on a certain weekday can be 40 years away, across the turn of a
/// century.
const MAX_DAYS: usize = 41 * 366;

/// When a routine is due: five fields (minute, hour, day of the month, month, weekday) or a short form such as
/// `@daily`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    written: String,
    fields: Fields,
}

/// Why a text is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; write minute, hour, day, month and day of the week, such as \"0 7 * * *\" for every day at 7:00 or \
     \"*/30 9-17 * * MON-FRI\" for every half hour of a working day"
)]
pub struct MalformedSchedule(String);

impl FromStr for Schedule {
    type Err = MalformedSchedule;

    fn from_str(text: &str) -> Result<Self, MalformedSchedule> {
        let written = one_line(text);
        let fields = Fields::parse(&written)?;
        let mut days = date(2000, 1, 1).series(1.day()).take(MAX_DAYS);
        if !days.any(|day| fields.has_day(day)) {
            return Err(MalformedSchedule("no year has such a day".to_owned()));
        }
        Ok(Self { written, fields })
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl Schedule {
    /// The first time after `after` at which the routine is due; `None` if out of range.
    #[must_use]
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = zone.to_datetime(after).date();
        let mut days = today.yesterday().unwrap_or(today).series(1.day()).take(MAX_DAYS);
        let first_of = |day| self.moments(day, zone).filter(|at| *at > after).min();
        let found = days.find_map(first_of)?;
        // If clocks go back across midnight, part of the next day comes before the end of this one.
        let of_next_day = days.next().and_then(first_of);
        Some(of_next_day.map_or(found, |other| other.min(found)))
    }

    /// The last time in `(not_before, now]` at which the routine was due.
    #[must_use]
    pub fn last_before_or_at(
        &self,
        now: Timestamp,
        not_before: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        let (first, today) = (zone.to_datetime(not_before).date(), zone.to_datetime(now).date());
        let (first, last) = (first.yesterday().unwrap_or(first), today.tomorrow().unwrap_or(today));
        let mut days = last.series(-1.day()).take_while(|day| *day >= first).take(MAX_DAYS);
        let in_time = |at: &Timestamp| *at > not_before && *at <= now;
        let last_of = |day| self.moments(day, zone).filter(in_time).max();
        let found = days.find_map(last_of)?;
        let of_day_before = days.next().and_then(last_of);
        Some(of_day_before.map_or(found, |other| other.max(found)))
    }

    /// The due times of one day.
    fn moments(&self, day: Date, zone: &TimeZone) -> impl Iterator<Item = Timestamp> {
        let every_hour = self.fields.every_hour();
        let times = self.fields.has_day(day).then(|| self.fields.times()).into_iter().flatten();
        let due = move |time| match occurrences(day.to_datetime(time), zone)? {
            Occurrence::Once(at) => Some([Some(at), None]),
            Occurrence::Twice(first, second) => Some([Some(first), every_hour.then_some(second)]),
            Occurrence::Skipped(after) => Some([(!every_hour).then_some(after), None]),
        };
        times.filter_map(due).flatten().flatten()
    }
}
