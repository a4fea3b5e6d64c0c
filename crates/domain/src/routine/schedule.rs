//! When a routine is due: a cron expression, read in the zone of the person.
//!
//! Clocks are set forward and back. A schedule that names hours, such as `30 2 * * *`, is about what the clock shows: a
//! time that is skipped that day is due at the first moment after, a time that comes twice is due the first time. A
//! schedule that covers every hour, such as `*/15 * * * *`, is about the time that passes: it is due in both hours
//! that the clock shows twice, and nothing is made up for in an hour that there is not.
//!
//! The matching is our own: the crate `cronexpr` leaves out what is skipped, repeats what comes twice and looks only ahead.

mod fields;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use self::fields::Fields;
use super::local::{Shown, shown};

/// A 29 February that is a certain day of the week may be 40 years away, over the turn of a century.
const SEARCHED_DAYS: usize = 41 * 366;

/// When a routine is due: five fields (minute, hour, day of the month, month, day of the week) or a short form such as
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
        let written = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let fields = Fields::parse(&written)?;
        let mut days = date(2000, 1, 1).series(1.day()).take(SEARCHED_DAYS);
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
    /// The first moment after `after` at which the routine is due; nothing at the end of all time.
    #[must_use]
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = zone.to_datetime(after).date();
        let mut days = today.yesterday().unwrap_or(today).series(1.day()).take(SEARCHED_DAYS);
        let first_of = |day| self.moments(day, zone).filter(|at| *at > after).min();
        let found = days.find_map(first_of)?;
        // Clocks may go back over midnight: then some of the next day comes before the end of this one.
        let of_next_day = days.next().and_then(first_of);
        Some(of_next_day.map_or(found, |other| other.min(found)))
    }

    /// The last moment in `(not_before, now]` at which the routine was due.
    #[must_use]
    pub fn last_before_or_at(
        &self,
        now: Timestamp,
        not_before: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        let (first, today) = (zone.to_datetime(not_before).date(), zone.to_datetime(now).date());
        let (first, last) = (first.yesterday().unwrap_or(first), today.tomorrow().unwrap_or(today));
        let mut days = last.series(-1.day()).take_while(|day| *day >= first).take(SEARCHED_DAYS);
        let in_time = |at: &Timestamp| *at > not_before && *at <= now;
        let last_of = |day| self.moments(day, zone).filter(in_time).max();
        let found = days.find_map(last_of)?;
        let of_day_before = days.next().and_then(last_of);
        Some(of_day_before.map_or(found, |other| other.max(found)))
    }

    /// The moments at which the routine is due by the times of one day.
    fn moments(&self, day: Date, zone: &TimeZone) -> impl Iterator<Item = Timestamp> {
        let every_hour = self.fields.every_hour();
        let times = self.fields.has_day(day).then(|| self.fields.times()).into_iter().flatten();
        let due = move |time| match shown(day.to_datetime(time), zone)? {
            Shown::Once(at) => Some([Some(at), None]),
            Shown::Twice(first, second) => Some([Some(first), every_hour.then_some(second)]),
            Shown::Skipped(after) => Some([(!every_hour).then_some(after), None]),
        };
        times.filter_map(due).flatten().flatten()
    }
}
