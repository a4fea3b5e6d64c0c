//! Formats and parses times for people, in their zone. All arithmetic is on calendar days there.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The range of valid message times, which every part of the store can represent.
const EARLIEST: &str = "1970-01-01T00:00:00Z";
const LATEST: &str = "9999-12-30T22:00:00Z";

/// Why a text is not a valid time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMoment {
    /// It is not a date.
    #[error(
        "{0:?} is not a moment: write it like 2026-02-18T07:02:00Z, 2026-02-18T15:02:00+08:00 or 2026-02-18"
    )]
    Unreadable(String),
    /// It is a date that no message can have.
    #[error("{0:?} is out of range: a moment lies between {EARLIEST} and {LATEST}")]
    OutOfRange(String),
}

/// Parses a time: RFC 3339, or a date, with or without a time of day, in the person's zone.
///
/// # Errors
/// If the text is not a date, or is before 1970 or after 9999.
pub fn read_moment(text: &str, zone: &TimeZone) -> Result<Timestamp, BadMoment> {
    let shown = || text.chars().take(60).collect::<String>();
    let local = || {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        zone.to_timestamp(civil).ok()
    };
    let at = match text.parse::<Timestamp>() {
        Ok(at) => at,
        Err(_) => local().ok_or_else(|| BadMoment::Unreadable(shown()))?,
    };
    let bound = |text: &str| text.parse::<Timestamp>().map_err(|_| BadMoment::Unreadable(shown()));
    if at < bound(EARLIEST)? || at > bound(LATEST)? {
        return Err(BadMoment::OutOfRange(shown()));
    }
    Ok(to_microseconds(at))
}

/// The time at the store's precision.
#[must_use]
pub fn to_microseconds(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// The calendar day of a time in the zone.
#[must_use]
pub fn day(at: Timestamp, zone: &TimeZone) -> Date {
    zone.to_datetime(at).date()
}

/// The number of calendar days between two times in the zone; negative if `at` is later.
#[must_use]
pub fn days_before(at: Timestamp, now: Timestamp, zone: &TimeZone) -> i32 {
    (day(now, zone) - day(at, zone)).get_days()
}

/// A relative time: `just now`, `5 min ago`, `3h ago` to the nearest hour, `yesterday`, `4 days ago`, then the date.
#[must_use]
pub fn relative(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let past = now.duration_since(at);
    let minutes = past.as_mins();
    if past > SignedDuration::from_mins(-1) && minutes < 1 {
        return "just now".to_owned();
    }
    if past.is_negative() {
        return date(at, zone);
    }
    if minutes < 60 {
        return format!("{minutes} min ago");
    }
    match days_before(at, now, zone) {
        0 => format!("{}h ago", (minutes + 30) / 60),
        1 => "yesterday".to_owned(),
        days @ 2..7 => format!("{days} days ago"),
        _ => date(at, zone),
    }
}

/// `18 Feb 2026`
#[must_use]
pub fn date(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%-d %b %Y").to_string()
}

/// `Wednesday, 18 February 2026`
#[must_use]
pub fn long_date(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%A, %-d %B %Y").to_string()
}

/// `2026-02-18 09:15`
#[must_use]
pub fn stamp(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
}

/// `09:15`
#[must_use]
pub fn clock(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%H:%M").to_string()
}

/// `09:15 AM`
#[must_use]
pub fn clock12(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).strftime("%I:%M %p").to_string()
}

/// `Feb 15`, `Feb 15–16`, `Feb 27–Mar 2`, and with the years if they differ from this one.
#[must_use]
pub fn day_range(from: Timestamp, to: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (from, to, this_year) = (day(from, zone), day(to, zone), day(now, zone).year());
    let year =
        |date: Date| if date.year() == this_year { String::new() } else { format!(" {}", date.year()) };
    let month_day = |date: Date| date.strftime("%b %-d").to_string();
    if from == to {
        return format!("{}{}", month_day(to), year(to));
    }
    if from.year() != to.year() {
        return format!("{} {}–{} {}", month_day(from), from.year(), month_day(to), to.year());
    }
    if from.month() != to.month() {
        return format!("{}–{}{}", month_day(from), month_day(to), year(to));
    }
    format!("{}–{}{}", month_day(from), to.day(), year(to))
}

/// The zone's name, or its offset if it has none.
#[must_use]
pub fn zone_name(zone: &TimeZone, at: Timestamp) -> String {
    zone.iana_name().map_or_else(|| zone.to_offset(at).to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn e2_relative_labels_follow_the_persons_calendar() {
        let singapore = zone("Asia/Singapore");
        let cases = [
            // said at, now, label: noon in Singapore is 04:00 UTC
            ("2026-02-18T04:00:00Z", "2026-02-18T04:00:59Z", "just now"),
            ("2026-02-18T04:00:00Z", "2026-02-18T04:01:00Z", "1 min ago"),
            ("2026-02-18T04:00:00Z", "2026-02-18T04:05:30Z", "5 min ago"),
            ("2026-02-18T15:50:00Z", "2026-02-18T16:20:00Z", "30 min ago"), // across midnight
            ("2026-02-18T15:00:00Z", "2026-02-18T16:00:00Z", "yesterday"),  // an hour, across midnight
            ("2026-02-18T04:00:00Z", "2026-02-18T05:00:00Z", "1h ago"),
            ("2026-02-17T23:02:00Z", "2026-02-18T07:00:00Z", "8h ago"),
            ("2026-02-17T16:00:00Z", "2026-02-18T15:20:00Z", "23h ago"), // midnight to midnight there
            ("2026-02-17T15:59:00Z", "2026-02-18T15:59:00Z", "yesterday"),
            ("2026-02-14T04:00:00Z", "2026-02-18T04:00:00Z", "4 days ago"),
            ("2026-02-12T04:00:00Z", "2026-02-18T04:00:00Z", "6 days ago"),
            ("2026-02-11T04:00:00Z", "2026-02-18T04:00:00Z", "11 Feb 2026"),
            ("2026-02-18T04:00:30Z", "2026-02-18T04:00:00Z", "just now"), // a clock a little ahead
            ("2026-03-01T04:00:00Z", "2026-02-18T04:00:00Z", "1 Mar 2026"),
        ];
        for (said, now, label) in cases {
            assert_eq!(relative(at(said), at(now), &singapore), label, "{said} seen at {now}");
        }
    }

    #[test]
    fn e2_a_day_with_a_changed_clock_is_still_one_calendar_day() {
        let berlin = zone("Europe/Berlin");
        // 29 March 2026 has 23 hours there, 25 October 2026 has 25.
        assert_eq!(relative(at("2026-03-28T23:30:00Z"), at("2026-03-29T21:30:00Z"), &berlin), "22h ago");
        assert_eq!(relative(at("2026-10-24T22:30:00Z"), at("2026-10-25T22:30:00Z"), &berlin), "24h ago");
        assert_eq!(clock(at("2026-03-29T00:59:00Z"), &berlin), "01:59");
        assert_eq!(clock(at("2026-03-29T01:00:00Z"), &berlin), "03:00");
    }

    #[test]
    fn l7_days_and_hours_are_the_persons_and_not_utc() {
        let singapore = zone("Asia/Singapore");
        let morning = at("2026-02-17T23:02:00Z");
        assert_eq!(long_date(morning, &singapore), "Wednesday, 18 February 2026");
        assert_eq!(clock12(morning, &singapore), "07:02 AM");
        assert_eq!(stamp(morning, &singapore), "2026-02-18 07:02");
        assert_eq!(relative(morning, at("2026-02-18T07:02:00Z"), &singapore), "8h ago");
    }

    #[test]
    fn f3_a_range_of_days_is_as_short_as_it_can_be() {
        let utc = TimeZone::UTC;
        let range = |from, to| day_range(at(from), at(to), at("2026-06-01T00:00:00Z"), &utc);
        assert_eq!(range("2026-02-15T10:00:00Z", "2026-02-16T10:00:00Z"), "Feb 15–16");
        assert_eq!(range("2026-02-15T10:00:00Z", "2026-02-15T11:00:00Z"), "Feb 15");
        assert_eq!(range("2026-02-27T10:00:00Z", "2026-03-02T11:00:00Z"), "Feb 27–Mar 2");
        assert_eq!(range("2025-12-30T10:00:00Z", "2026-01-02T11:00:00Z"), "Dec 30 2025–Jan 2 2026");
        assert_eq!(range("2025-02-15T10:00:00Z", "2025-02-16T10:00:00Z"), "Feb 15–16 2025");
    }

    #[test]
    fn a_moment_is_read_in_the_persons_zone_or_refused_with_a_reason() {
        let singapore = zone("Asia/Singapore");
        assert_eq!(read_moment("2026-02-18T07:02:00Z", &singapore), Ok(at("2026-02-18T07:02:00Z")));
        assert_eq!(read_moment("2026-02-18T07:02:00+08:00", &singapore), Ok(at("2026-02-17T23:02:00Z")));
        assert_eq!(read_moment("2026-02-18T07:02", &singapore), Ok(at("2026-02-17T23:02:00Z")));
        assert_eq!(read_moment("2026-02-18", &singapore), Ok(at("2026-02-17T16:00:00Z")));
        for text in ["", "yesterday-ish", "2026-13-40", "18/02/2026"] {
            assert!(matches!(read_moment(text, &singapore), Err(BadMoment::Unreadable(_))), "{text}");
        }
        for text in ["1492-10-12T00:00:00Z", "9999-12-30T23:00:00Z"] {
            assert!(read_moment(text, &singapore).is_err(), "{text}");
        }
    }
}
