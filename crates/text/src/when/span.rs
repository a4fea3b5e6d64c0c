//! The meaning of a phrase on the calendar of the person's zone.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

use super::grammar::Named;

/// The meaning of a phrase, given the values of its slots. A number counts days, weeks, months or years back.
#[derive(Debug, Clone, Copy)]
pub enum TimePhrase {
    /// One day.
    Day(i16),
    /// The hours of one day, from and until, counted from its midnight.
    Hours(i16, i8, i8),
    /// The calendar week, weekend, month or year.
    Calendar(Unit, i16),
    /// Some units ago, as exactly as people mean it.
    Ago,
    /// The same, where the phrase itself says how many.
    FixedAgo(i16, Unit),
    /// The last units until now; one if no count is named.
    Rolling,
    /// The latest such weekday before today.
    LatestWeekday,
    /// The weekday of a week, which begins on Monday.
    WeekdayOfWeek(i16),
    /// The month, of the year named or the latest that has begun.
    Month,
    /// The latest such month before this one.
    MonthBefore,
    /// The month of a year.
    MonthOfYear(i16),
    /// The date, of the year named or the latest.
    Date,
    /// The latest such day of a month.
    DayOfMonth,
    /// The day of a month.
    DayOfCalendarMonth(i16),
    /// The year.
    Year,
    /// The season, of the year named or the latest that has begun.
    Season,
    /// The latest such season that is over.
    SeasonBefore,
    /// The season of a year.
    SeasonOfYear(i16),
}

/// A measure of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

/// How many, where "a few" is a range.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    pub least: i16,
    pub most: i16,
}

impl Count {
    /// Exactly this number.
    pub const fn exactly(n: i16) -> Self {
        Self { least: n, most: n }
    }

    /// "Two or three".
    pub fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// A quarter of the year.
#[derive(Debug, Clone, Copy)]
pub enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

/// The first moment of a phrase's span, and the first moment after it. `None` if the calendar has no such time.
pub fn of(
    phrase: TimePhrase,
    named: &Named,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<(Timestamp, Timestamp)> {
    let calendar = Calendar { now, today: zone.to_datetime(now).date(), zone };
    match phrase {
        TimePhrase::Hours(days, from, until) => {
            calendar.hours(back(calendar.today, Unit::Day, days)?, from, until)
        }
        TimePhrase::Ago => calendar.ago(named.count?, named.unit?),
        TimePhrase::FixedAgo(count, unit) => calendar.ago(Count::exactly(count), unit),
        TimePhrase::Rolling => calendar.rolling(named.count.map_or(1, |count| count.most), named.unit?),
        _ => {
            let (first, after) = calendar.days(phrase, named)?;
            match named.hours {
                Some((from, until)) if first.tomorrow().ok()? == after => calendar.hours(first, from, until),
                _ => Some((calendar.start(first)?, calendar.start(after)?)),
            }
        }
    }
}

struct Calendar<'a> {
    now: Timestamp,
    today: Date,
    zone: &'a TimeZone,
}

impl Calendar<'_> {
    /// The first day of a phrase's span, and the first day after it.
    fn days(&self, phrase: TimePhrase, named: &Named) -> Option<(Date, Date)> {
        let Self { today, .. } = *self;
        let one = |day: Date| Some((day, day.tomorrow().ok()?));
        let month = |first: Date| Some((first, ahead(first, Unit::Month, 1)?));
        let quarter = |first: Date| Some((first, ahead(first, Unit::Month, 3)?));
        let first_of = |year: i16| Date::new(year, named.month?, 1).ok();
        let date_in = |year: i16| Date::new(year, named.month?, named.day?).ok();
        let season_in = |year: i16| Date::new(year, self.first_month(named.season?), 1).ok();
        match phrase {
            TimePhrase::Day(days) => one(back(today, Unit::Day, days)?),
            TimePhrase::Calendar(unit, count) => self.calendar(unit, count),
            TimePhrase::LatestWeekday => one(today.nth_weekday(-1, named.weekday?).ok()?),
            TimePhrase::WeekdayOfWeek(weeks) => {
                let monday = back(monday_of(today)?, Unit::Week, weeks)?;
                let days = named.weekday?.to_monday_zero_offset();
                one(ahead(monday, Unit::Day, i16::from(days))?)
            }
            TimePhrase::Month => month(match named.year {
                Some(year) => first_of(year)?,
                None => latest(today, first_of)?,
            }),
            TimePhrase::MonthBefore => month(latest(today.first_of_month().yesterday().ok()?, first_of)?),
            TimePhrase::MonthOfYear(years) => month(first_of(today.year().checked_sub(years)?)?),
            TimePhrase::Date => one(match named.year {
                Some(year) => date_in(year)?,
                None => latest(today, date_in)?,
            }),
            TimePhrase::DayOfMonth => {
                // A month may lack the day, but never two in a row.
                let mut days = (0..3).filter_map(|months| self.day_of_month(named.day?, months));
                one(days.find(|day| *day <= today)?)
            }
            TimePhrase::DayOfCalendarMonth(months) => one(self.day_of_month(named.day?, months)?),
            TimePhrase::Year => {
                let first = Date::new(named.year?, 1, 1).ok()?;
                Some((first, ahead(first, Unit::Year, 1)?))
            }
            TimePhrase::Season => quarter(match named.year {
                Some(year) => season_in(year)?,
                None => latest(today, season_in)?,
            }),
            TimePhrase::SeasonBefore => quarter(latest(back(today, Unit::Month, 3)?, season_in)?),
            TimePhrase::SeasonOfYear(years) => quarter(season_in(today.year().checked_sub(years)?)?),
            TimePhrase::Hours(..) | TimePhrase::Ago | TimePhrase::FixedAgo(..) | TimePhrase::Rolling => None,
        }
    }

    fn calendar(&self, unit: Unit, count: i16) -> Option<(Date, Date)> {
        let first = match unit {
            Unit::Minute | Unit::Hour => return None,
            Unit::Day => self.today,
            Unit::Week => monday_of(self.today)?,
            Unit::Weekend => {
                let saturday = ahead(back(monday_of(self.today)?, Unit::Week, count)?, Unit::Day, 5)?;
                return Some((saturday, ahead(saturday, Unit::Day, 2)?));
            }
            Unit::Month => self.today.first_of_month(),
            Unit::Year => self.today.first_of_year(),
        };
        let first = back(first, unit, count)?;
        Some((first, ahead(first, unit, 1)?))
    }

    /// Minutes and hours are taken as approximate, days as they are, weeks as the days around, months whole, and
    /// years as the half-years around.
    fn ago(&self, count: Count, unit: Unit) -> Option<(Timestamp, Timestamp)> {
        let Count { least, most } = count;
        let around = |minutes_each: i64, least_tolerance: i64| {
            let slack = |n: i16| (i64::from(n) * minutes_each / 4).max(least_tolerance);
            let moment = |minutes: i64| self.now.checked_sub(SignedDuration::from_mins(minutes)).ok();
            let (far, near) = (i64::from(most) * minutes_each, i64::from(least) * minutes_each);
            Some((moment(far + slack(most))?, moment(near - slack(least))?))
        };
        let (first, last) = match unit {
            Unit::Minute => return around(1, 5),
            Unit::Hour => return around(60, 30),
            Unit::Day => {
                // Nobody counts thirty days one by one.
                let first = back(self.today, Unit::Day, most.checked_add(most / 10)?)?;
                (first, back(self.today, Unit::Day, least - least / 10)?)
            }
            Unit::Week | Unit::Weekend => {
                let first = back(back(self.today, Unit::Week, most)?, Unit::Day, 3)?;
                (first, ahead(back(self.today, Unit::Week, least)?, Unit::Day, 3)?)
            }
            Unit::Month => {
                let first = back(self.today.first_of_month(), Unit::Month, most)?;
                (first, back(self.today.first_of_month(), Unit::Month, least)?.last_of_month())
            }
            Unit::Year => {
                let first = back(back(self.today, Unit::Year, most)?, Unit::Month, 6)?;
                (first, ahead(back(self.today, Unit::Year, least)?, Unit::Month, 6)?)
            }
        };
        Some((self.start(first)?, self.start(last.tomorrow().ok()?)?))
    }

    fn rolling(&self, count: i16, unit: Unit) -> Option<(Timestamp, Timestamp)> {
        let moment = |minutes: i64| self.now.checked_sub(SignedDuration::from_mins(minutes)).ok();
        let from = match unit {
            Unit::Minute => moment(i64::from(count))?,
            Unit::Hour => moment(i64::from(count) * 60)?,
            Unit::Day | Unit::Week | Unit::Weekend | Unit::Month | Unit::Year => {
                self.start(back(self.today, unit, count)?)?
            }
        };
        Some((from, self.now))
    }

    fn day_of_month(&self, day: i8, months: i16) -> Option<Date> {
        let month = back(self.today.first_of_month(), Unit::Month, months)?;
        Date::new(month.year(), month.month(), day).ok()
    }

    /// If daylight-saving time is in January, so is summer. Without daylight-saving time, the northern hemisphere is
    /// assumed.
    fn first_month(&self, season: Season) -> i8 {
        let offset = |month| {
            let day = Date::new(self.today.year(), month, 1).ok()?;
            Some(self.zone.to_offset(self.start(day)?))
        };
        let (north, south) = match season {
            Season::Spring => (3, 9),
            Season::Summer => (6, 12),
            Season::Autumn => (9, 3),
            Season::Winter => (12, 6),
        };
        if offset(1) > offset(7) { south } else { north }
    }

    fn hours(&self, day: Date, from: i8, until: i8) -> Option<(Timestamp, Timestamp)> {
        let at = |hour: i8| {
            let day = ahead(day, Unit::Day, i16::from(hour / 24))?;
            self.zone.to_timestamp(day.at(hour % 24, 0, 0, 0)).ok()
        };
        Some((at(from)?, at(until)?))
    }

    /// The first moment of a day, which is not midnight if the clocks skip it.
    fn start(&self, day: Date) -> Option<Timestamp> {
        Some(day.to_zoned(self.zone.clone()).ok()?.timestamp())
    }
}

/// The latest of a yearly date that is not after a day. The 29th of February may be eight years back.
fn latest(day: Date, in_year: impl Fn(i16) -> Option<Date>) -> Option<Date> {
    (0..=8).filter_map(|years| in_year(day.year().checked_sub(years)?)).find(|date| *date <= day)
}

fn monday_of(day: Date) -> Option<Date> {
    back(day, Unit::Day, i16::from(day.weekday().since(Weekday::Monday)))
}

fn ahead(day: Date, unit: Unit, count: i16) -> Option<Date> {
    back(day, unit, count.checked_neg()?)
}

fn back(day: Date, unit: Unit, count: i16) -> Option<Date> {
    let span = match unit {
        Unit::Minute | Unit::Hour => return None,
        Unit::Day => Span::new().try_days(count),
        Unit::Week | Unit::Weekend => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Year => Span::new().try_years(count),
    };
    day.checked_sub(span.ok()?).ok()
}
