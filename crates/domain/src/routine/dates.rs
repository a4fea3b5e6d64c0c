//! Date placeholders in the arguments of a command, since there is no shell to compute them.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::time::day;

/// Replaces `{today}` and `{yesterday}` by those days in the zone, such as 2026-02-18. Other braces stay.
#[must_use]
pub fn with_dates(word: &str, now: Timestamp, zone: &TimeZone) -> String {
    let today = day(now, zone);
    let yesterday = today.saturating_sub(1.day());
    word.replace("{today}", &today.to_string()).replace("{yesterday}", &yesterday.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k1_days_are_those_of_the_person_and_other_braces_stay() {
        let now = "2026-03-01T02:30:00Z".parse().unwrap();
        let cases = [
            ("UTC", "Start={yesterday},End={today}", "Start=2026-02-28,End=2026-03-01"),
            ("America/New_York", "Start={yesterday},End={today}", "Start=2026-02-27,End=2026-02-28"),
            ("UTC", "{a: b} {} {today", "{a: b} {} {today"),
        ];
        for (zone, word, expected) in cases {
            assert_eq!(with_dates(word, now, &TimeZone::get(zone).unwrap()), expected);
        }
    }
}
