use proptest::prelude::*;

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn schedule(text: &str) -> Schedule {
    text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// The first `count` moments after `after`, as people there read them.
fn following(text: &str, after: &str, zone: &TimeZone, count: usize) -> Vec<String> {
    let (schedule, after) = (schedule(text), after.parse().unwrap());
    let moments =
        std::iter::successors(schedule.next_after(after, zone), |at| schedule.next_after(*at, zone));
    let written = moments.map(|at| at.to_zoned(zone.clone()).strftime("%a %Y-%m-%d %H:%M%:z").to_string());
    written.take(count).collect()
}

#[test]
fn k1_a_schedule_names_minutes_hours_days_months_and_weekdays() {
    let cases = [
        ("0 7 * * *", ["Wed 2026-02-18 07:00", "Thu 2026-02-19 07:00", "Fri 2026-02-20 07:00"]),
        ("*/30 9-19 * * *", ["Wed 2026-02-18 09:00", "Wed 2026-02-18 09:30", "Wed 2026-02-18 10:00"]),
        ("0 18 * * FRI", ["Fri 2026-02-20 18:00", "Fri 2026-02-27 18:00", "Fri 2026-03-06 18:00"]),
        ("0 18 * * friday", ["Fri 2026-02-20 18:00", "Fri 2026-02-27 18:00", "Fri 2026-03-06 18:00"]),
        ("0 0 * * 0", ["Sun 2026-02-22 00:00", "Sun 2026-03-01 00:00", "Sun 2026-03-08 00:00"]),
        ("0 0 * * 7", ["Sun 2026-02-22 00:00", "Sun 2026-03-01 00:00", "Sun 2026-03-08 00:00"]),
        ("0 0 * * sat-sun", ["Sat 2026-02-21 00:00", "Sun 2026-02-22 00:00", "Sat 2026-02-28 00:00"]),
        ("0 0 * * 6-7", ["Sat 2026-02-21 00:00", "Sun 2026-02-22 00:00", "Sat 2026-02-28 00:00"]),
        ("0 0 * * 0-7", ["Wed 2026-02-18 00:00", "Thu 2026-02-19 00:00", "Fri 2026-02-20 00:00"]),
        ("0 22-2/2 * * *", ["Wed 2026-02-18 00:00", "Wed 2026-02-18 02:00", "Wed 2026-02-18 22:00"]),
        ("5,50 8 1,15 * *", ["Sun 2026-03-01 08:05", "Sun 2026-03-01 08:50", "Sun 2026-03-15 08:05"]),
        ("40/10 6 * mar-apr *", ["Sun 2026-03-01 06:40", "Sun 2026-03-01 06:50", "Mon 2026-03-02 06:40"]),
        ("0 0 29 2 *", ["Tue 2028-02-29 00:00", "Sun 2032-02-29 00:00", "Fri 2036-02-29 00:00"]),
        ("0 0 31 * *", ["Tue 2026-03-31 00:00", "Sun 2026-05-31 00:00", "Fri 2026-07-31 00:00"]),
        // Two restricted days are either, a star is no restriction.
        ("0 0 1 * MON", ["Mon 2026-02-23 00:00", "Sun 2026-03-01 00:00", "Mon 2026-03-02 00:00"]),
        ("0 0 */10 * MON", ["Mon 2026-05-11 00:00", "Mon 2026-06-01 00:00", "Mon 2026-08-31 00:00"]),
        ("@daily", ["Wed 2026-02-18 00:00", "Thu 2026-02-19 00:00", "Fri 2026-02-20 00:00"]),
        (" @Weekly ", ["Sun 2026-02-22 00:00", "Sun 2026-03-01 00:00", "Sun 2026-03-08 00:00"]),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|moment| format!("{moment}+00:00"));
        assert_eq!(following(text, "2026-02-17T23:59:59Z", &TimeZone::UTC, 3), expected, "{text}");
    }
    let century = following("0 0 29 2 *", "2096-03-01T00:00:00Z", &TimeZone::UTC, 1);
    assert_eq!(century, ["Fri 2104-02-29 00:00+00:00"]);
}

#[test]
fn k1_a_schedule_that_is_none_is_answered_with_what_is_wrong_and_an_example() {
    let cases = [
        ("", "it has 0 fields in place of five"),
        ("0 7 * *", "it has 4 fields in place of five"),
        ("0 0 7 * * *", "it has 6 fields in place of five"),
        ("60 7 * * *", "its minute cannot be \"60\", only 0 to 59"),
        ("7:00 * * * *", "its minute cannot be \"7:00\", only 0 to 59"),
        ("0 24 * * *", "its hour cannot be \"24\", only 0 to 23"),
        ("0 -1 * * *", "its hour cannot be \"\", only 0 to 23"),
        ("0 7, * * *", "its hour cannot be \"\", only 0 to 23"),
        ("0 7 0 * *", "its day of the month cannot be \"0\", only 1 to 31"),
        ("0 7 * Fbr *", "its month cannot be \"Fbr\", only 1 to 12 or a name such as FEB"),
        ("0 7 * * Fr", "its day of the week cannot be \"Fr\", only 0 to 7 or a name such as MON"),
        ("0 7 * * 8", "its day of the week cannot be \"8\", only 0 to 7 or a name such as MON"),
        ("*/0 * * * *", "its minute cannot be \"/0\", only a step from /1 to /60"),
        ("*/90 * * * *", "its minute cannot be \"/90\", only a step from /1 to /60"),
        ("0 7 30 FEB *", "no year has such a day"),
        (
            "@reboot",
            "of the short forms there are only @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
        ),
    ];
    for (text, expected) in cases {
        let why = text.parse::<Schedule>().unwrap_err().to_string();
        assert_eq!(why.split("; write ").next(), Some(expected), "{text}");
        assert!(why.contains("\"0 7 * * *\" for every day at 7:00"), "{why}");
    }
}

#[test]
fn k1_a_named_time_that_is_skipped_runs_right_after_and_one_that_comes_twice_runs_once() {
    let berlin = zone("Europe/Berlin");
    let cases = [
        ("30 2 * * *", "2026-03-28T12:00:00Z", ["Sun 2026-03-29 03:00+02:00", "Mon 2026-03-30 02:30+02:00"]),
        (
            "*/20 2 * * *",
            "2026-03-28T12:00:00Z",
            ["Sun 2026-03-29 03:00+02:00", "Mon 2026-03-30 02:00+02:00"],
        ),
        ("0 2,3 * * *", "2026-03-28T12:00:00Z", ["Sun 2026-03-29 03:00+02:00", "Mon 2026-03-30 02:00+02:00"]),
        ("30 2 * * *", "2026-10-24T12:00:00Z", ["Sun 2026-10-25 02:30+02:00", "Mon 2026-10-26 02:30+01:00"]),
        ("0 7 * * *", "2026-03-28T12:00:00Z", ["Sun 2026-03-29 07:00+02:00", "Mon 2026-03-30 07:00+02:00"]),
    ];
    for (text, after, expected) in cases {
        assert_eq!(following(text, after, &berlin, 2), expected, "{text}");
    }
}

#[test]
fn k1_a_schedule_of_every_hour_keeps_its_pace_when_clocks_change() {
    let cases = [
        (
            "30 * * * *",
            "Europe/Berlin",
            "2026-03-28T23:00:00Z",
            ["Sun 2026-03-29 00:30+01:00", "Sun 2026-03-29 01:30+01:00", "Sun 2026-03-29 03:30+02:00"],
        ),
        (
            "*/30 * * * *",
            "Europe/Berlin",
            "2026-10-25T00:00:00Z",
            ["Sun 2026-10-25 02:30+02:00", "Sun 2026-10-25 02:00+01:00", "Sun 2026-10-25 02:30+01:00"],
        ),
        // Clocks went back at 00:01: midnight came, then the end of the day before once more.
        (
            "*/30 * * * *",
            "America/St_Johns",
            "2010-11-07T02:01:00Z",
            ["Sun 2010-11-07 00:00-02:30", "Sat 2010-11-06 23:30-03:30", "Sun 2010-11-07 00:00-03:30"],
        ),
    ];
    for (text, name, after, expected) in cases {
        let zone = zone(name);
        assert_eq!(following(text, after, &zone, 3), expected, "{text} in {name}");
        // And looking back finds each of them again.
        let (schedule, mut before) = (schedule(text), after.parse().unwrap());
        for moment in expected {
            let at = Timestamp::strptime("%a %Y-%m-%d %H:%M%:z", moment).unwrap();
            assert_eq!(schedule.last_before_or_at(at, Timestamp::UNIX_EPOCH, &zone), Some(at), "{moment}");
            assert_eq!(schedule.last_before_or_at(at - 1.second(), before, &zone), None, "{moment}");
            before = at;
        }
    }
}

#[test]
fn k1_a_day_that_a_zone_left_out_is_made_up_for_at_its_end() {
    let moments = following("0 7 * * *", "2011-12-29T12:00:00-10:00", &zone("Pacific/Apia"), 2);
    assert_eq!(moments, ["Sat 2011-12-31 00:00+14:00", "Sat 2011-12-31 07:00+14:00"]);
}

#[test]
fn k1_the_last_due_moment_is_the_newest_that_nobody_has_seen() {
    let berlin = zone("Europe/Berlin");
    let daily = schedule("0 7 * * *");
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let (due, before) = (at("2026-02-18T07:00:00+01"), at("2026-02-17T07:00:00+01"));
    let cases = [
        (due, before, Some(due)),
        (at("2026-02-18T06:59:59+01"), at("2026-02-10T00:00:00Z"), Some(before)),
        (at("2026-02-18T06:59:59+01"), before, None),
        (at("2026-02-18T23:00:00+01"), due, None),
        (at("2026-02-18T23:00:00+01"), Timestamp::UNIX_EPOCH, Some(due)),
        (before, due, None),
    ];
    for (now, not_before, expected) in cases {
        assert_eq!(daily.last_before_or_at(now, not_before, &berlin), expected, "{not_before}..{now}");
    }
}

#[test]
fn a_schedule_is_shown_as_it_was_written() {
    assert_eq!(schedule("  0 7\t* *  MON-fri ").to_string(), "0 7 * * MON-fri");
    assert_eq!(schedule("@daily").to_string(), "@daily");
}

/// Zones whose clocks change by an hour, by half an hour, over midnight and never.
const ZONES: [&str; 5] =
    ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"];

/// One field: any value, some values, a range or a step.
fn field(least: u8, most: u8) -> impl Strategy<Value = String> {
    let value = least..=most;
    prop_oneof![
        2 => Just("*".to_owned()),
        3 => value.clone().prop_map(|value| value.to_string()),
        1 => (value.clone(), value.clone()).prop_map(|(from, to)| format!("{from}-{to}")),
        1 => (value, 1..=most).prop_map(|(other, step)| format!("*/{step},{other}")),
    ]
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let fields = (field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7));
    fields.prop_map(|(minute, hour, day, month, weekday)| {
        schedule(&format!("{minute} {hour} {day} {month} {weekday}"))
    })
}

/// Moments of this century, half of them within two days of a change of clocks.
fn moments() -> impl Strategy<Value = (Timestamp, TimeZone)> {
    let second = 946_684_800_i64..2_524_608_000;
    (second, prop::sample::select(&ZONES[..]), any::<bool>(), -172_800_i64..172_800).prop_map(
        |(second, name, near_change, distance)| {
            let (moment, zone) = (Timestamp::from_second(second).unwrap(), zone(name));
            let change =
                zone.following(moment).next().filter(|_| near_change).map(|change| change.timestamp());
            (change.map_or(moment, |change| change + distance.seconds()), zone)
        },
    )
}

proptest! {
    #[test]
    fn k1_the_next_moment_is_later_and_one_that_the_schedule_names(
        schedule in schedules(), (after, zone) in moments(),
    ) {
        let next = schedule.next_after(after, &zone).unwrap();
        prop_assert!(next > after);
        let clock = zone.to_datetime(next);
        let named = schedule.fields.has_day(clock.date()) && schedule.fields.times().any(|time| time == clock.time());
        let after_change = zone.preceding(next + 1.second()).next().is_some_and(|change| change.timestamp() == next);
        prop_assert!(named || after_change, "{schedule} is not due at {clock}");
    }

    #[test]
    fn k1_no_named_moment_between_is_left_out(schedule in schedules(), (after, zone) in moments()) {
        let next = schedule.next_after(after, &zone).unwrap();
        let mut minute = Timestamp::from_second(after.as_second() / 60 * 60 + 60).unwrap();
        let horizon = next.min(after + 50.hours());
        while minute < horizon {
            let clock = zone.to_datetime(minute);
            let named = schedule.fields.has_day(clock.date()) && schedule.fields.times().any(|time| time == clock.time());
            let second_time = matches!(occurrences(clock, &zone), Some(Occurrence::Twice(_, second)) if second == minute);
            prop_assert!(!named || second_time && !schedule.fields.every_hour(), "{schedule} is due at {clock}");
            minute += 1.minute();
        }
    }

    #[test]
    fn k1_looking_back_finds_what_looking_ahead_found(schedule in schedules(), (after, zone) in moments()) {
        let next = schedule.next_after(after, &zone).unwrap();
        let second = schedule.next_after(next, &zone).unwrap();
        let just_before = |at: Timestamp| at - 1.nanosecond();
        prop_assert_eq!(schedule.last_before_or_at(just_before(next), after, &zone), None);
        prop_assert_eq!(schedule.last_before_or_at(next, after, &zone), Some(next));
        prop_assert_eq!(schedule.last_before_or_at(just_before(second), after, &zone), Some(next));
        prop_assert_eq!(schedule.last_before_or_at(second, after, &zone), Some(second));
    }
}
