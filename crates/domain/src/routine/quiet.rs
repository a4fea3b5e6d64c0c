//! Quiet hours, in which routines send nothing.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use strum::{IntoStaticStr, VariantArray};

use super::local::{Occurrence, occurrences};

/// Daily hours in the person's time zone: from the first time to the second, across midnight if that is earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    from: Time,
    to: Time,
}

/// Why a text is not quiet hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MalformedQuietHours {
    /// It is not two times of day.
    #[error("write two times of day, such as 22:00-07:00")]
    Shape,
    /// It begins and ends at the same time.
    #[error("the two times are the same; write two that differ, such as 22:00-07:00")]
    Same,
}

/// How a run in quiet hours is handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum QuietPolicy {
    /// It waits until they end.
    #[default]
    Wait,
    /// It is skipped.
    Skip,
    /// It runs anyway.
    Ignore,
}

as_str!(QuietPolicy);

impl FromStr for QuietHours {
    type Err = MalformedQuietHours;

    fn from_str(text: &str) -> Result<Self, MalformedQuietHours> {
        let (from, to) = text.split_once(['-', '–']).ok_or(MalformedQuietHours::Shape)?;
        let (from, to) = (time_of_day(from)?, time_of_day(to)?);
        if from == to { Err(MalformedQuietHours::Same) } else { Ok(Self { from, to }) }
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from.strftime("%H:%M"), self.to.strftime("%H:%M"))
    }
}

impl QuietHours {
    /// Returns true if it is quiet at `now`.
    #[must_use]
    pub fn holds(&self, now: Timestamp, zone: &TimeZone) -> bool {
        let clock = zone.to_datetime(now).time();
        let (begun, over) = (clock >= self.from, clock >= self.to);
        if self.from < self.to { begun && !over } else { begun || !over }
    }

    /// The next end of quiet hours after `now`.
    #[must_use]
    pub fn end_after(&self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        self.change_after(now, zone, false)
    }

    /// The next start of quiet hours after `now`.
    #[must_use]
    pub(super) fn start_after(&self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        self.change_after(now, zone, true)
    }

    /// The next change after `now` to quiet, or from it; the maximum timestamp if there is none.
    fn change_after(&self, now: Timestamp, zone: &TimeZone, quiet: bool) -> Timestamp {
        let today = zone.to_datetime(now).date();
        let time = if quiet { self.from } else { self.to };
        // If a zone skips a day, or clocks skip the change, the first candidate is not the right one.
        let days = today.yesterday().unwrap_or(today).series(1.day()).take(5);
        let turns = days.filter_map(|day| occurrences(day.to_datetime(time), zone)).flat_map(|occurrence| {
            match occurrence {
                Occurrence::Once(at) | Occurrence::Skipped(at) => [Some(at), None],
                Occurrence::Twice(first, second) => [Some(first), Some(second)],
            }
        });
        let turns = turns.flatten().filter(|at| *at > now && self.holds(*at, zone) == quiet);
        turns.min().unwrap_or(Timestamp::MAX)
    }
}

/// Parses `7:00`, `07:00`, or `24:00` for midnight.
fn time_of_day(text: &str) -> Result<Time, MalformedQuietHours> {
    let (hour, minute) = text.trim().split_once(':').ok_or(MalformedQuietHours::Shape)?;
    let number = |digits: &str, longest: usize| match digits.len() {
        length if length <= longest && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse().ok()
        }
        _ => None,
    };
    let time = match (number(hour, 2), number(minute, 2).filter(|_| minute.len() == 2)) {
        (Some(24), Some(0)) => Some(Time::midnight()),
        (Some(hour), Some(minute)) => Time::new(hour, minute, 0, 0).ok(),
        _ => None,
    };
    time.ok_or(MalformedQuietHours::Shape)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn k1_quiet_hours_are_two_times_that_may_wrap_midnight() {
        let cases = [
            ("22:00-07:00", Ok("22:00-07:00")),
            (" 9:30 – 12:00 ", Ok("09:30-12:00")),
            ("18:00-24:00", Ok("18:00-00:00")),
            ("22:00-22:00", Err(MalformedQuietHours::Same)),
            ("22-7", Err(MalformedQuietHours::Shape)),
            ("22:00", Err(MalformedQuietHours::Shape)),
            ("25:00-07:00", Err(MalformedQuietHours::Shape)),
            ("22:00-07:0", Err(MalformedQuietHours::Shape)),
            ("22:00-+7:00", Err(MalformedQuietHours::Shape)),
            ("always", Err(MalformedQuietHours::Shape)),
        ];
        for (text, expected) in cases {
            let read = text.parse::<QuietHours>().map(|quiet| quiet.to_string());
            assert_eq!(read, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn k1_quiet_hours_hold_by_the_clock_of_the_person_and_end_with_it() {
        let berlin = zone("Europe/Berlin");
        // Quiet hours, now, and when they end if they hold. Clocks skip 2:00 to 3:00 on 29 March and repeat it on 25
        // October.
        let cases = [
            ("22:00-07:00", "2026-02-18T21:59:59+01", None),
            ("22:00-07:00", "2026-02-18T22:00:00+01", Some("2026-02-19T07:00:00+01")),
            ("22:00-07:00", "2026-02-19T06:59:59+01", Some("2026-02-19T07:00:00+01")),
            ("22:00-07:00", "2026-02-19T07:00:00+01", None),
            ("13:00-15:00", "2026-02-19T14:00:00+01", Some("2026-02-19T15:00:00+01")),
            ("13:00-15:00", "2026-02-19T12:00:00+01", None),
            ("22:00-07:00", "2026-03-28T23:00:00+01", Some("2026-03-29T07:00:00+02")),
            ("22:00-07:00", "2026-10-24T23:00:00+02", Some("2026-10-25T07:00:00+01")),
            ("22:00-02:30", "2026-03-29T01:00:00+01", Some("2026-03-29T03:00:00+02")),
            // That day, clocks skip the half hour that is not quiet.
            ("03:00-02:30", "2026-03-29T01:00:00+01", Some("2026-03-30T02:30:00+02")),
            ("22:00-02:30", "2026-10-25T01:00:00+02", Some("2026-10-25T02:30:00+02")),
            ("22:00-02:30", "2026-10-25T02:10:00+01", Some("2026-10-25T02:30:00+01")),
        ];
        for (quiet, now, end) in cases {
            let (quiet, now): (QuietHours, _) = (quiet.parse().unwrap(), at(now));
            let found = quiet.holds(now, &berlin).then(|| quiet.end_after(now, &berlin));
            assert_eq!(found, end.map(at), "{quiet} at {now}");
        }
    }

    proptest! {
        #[test]
        fn k1_quiet_hours_hold_until_they_end(
            from in 0_i32..24 * 4, length in 1_i32..24 * 4, second in 1_577_836_800_i64..1_893_456_000,
            zone in prop::sample::select(vec!["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"]),
        ) {
            let time = |quarter: i32| format!("{:02}:{:02}", quarter / 4 % 24, quarter % 4 * 15);
            let quiet: QuietHours = format!("{}-{}", time(from), time(from + length)).parse().unwrap();
            let (now, zone) = (Timestamp::from_second(second).unwrap(), self::zone(zone));
            let end = quiet.end_after(now, &zone);
            prop_assert!(end > now && !quiet.holds(end, &zone));
            if quiet.holds(now, &zone) {
                let mut between = now;
                while between < end {
                    prop_assert!(quiet.holds(between, &zone), "{quiet} does not hold at {between}");
                    between += 7.minutes();
                }
            }
        }
    }
}
