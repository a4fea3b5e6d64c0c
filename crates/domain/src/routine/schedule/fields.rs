//! The five fields of a schedule, and the days and times they select.

use jiff::civil::{Date, Time};
use throughline_text::calendar::{MONTHS, WEEKDAYS};

use super::MalformedSchedule;

/// The valid values of a field.
struct Field {
    name: &'static str,
    least: u8,
    most: u8,
    /// The highest valid number; Sunday is both 0 and 7.
    highest: u8,
    /// The names of its values, from `least` on.
    words: &'static str,
}

const MINUTE: Field = Field { name: "minute", least: 0, most: 59, highest: 59, words: "" };
const HOUR: Field = Field { name: "hour", least: 0, most: 23, highest: 23, words: "" };
const DAY: Field = Field { name: "day of the month", least: 1, most: 31, highest: 31, words: "" };
const MONTH: Field = Field { name: "month", least: 1, most: 12, highest: 12, words: MONTHS };
const WEEKDAY: Field = Field { name: "day of the week", least: 0, most: 6, highest: 7, words: WEEKDAYS };

/// Short forms of schedules.
const SHORT: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * SUN"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// The selected values of a field, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Set(u64);

impl Set {
    fn has(self, value: i8) -> bool {
        self.0 >> value & 1 == 1
    }

    fn values(self) -> impl Iterator<Item = i8> + Clone {
        (0..60).filter(move |value| self.has(*value))
    }
}

/// The fields of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    minutes: Set,
    hours: Set,
    days: Set,
    months: Set,
    weekdays: Set,
    /// True if a day may match either day of the month or weekday.
    either_day: bool,
}

impl Fields {
    pub(super) fn parse(text: &str) -> Result<Self, MalformedSchedule> {
        let long = match SHORT.iter().find(|(short, _)| text.eq_ignore_ascii_case(short)) {
            Some((_, long)) => long,
            None if text.starts_with('@') => {
                let known: Vec<&str> = SHORT.iter().map(|(short, _)| *short).collect();
                return Err(MalformedSchedule(format!(
                    "of the short forms there are only {}",
                    known.join(", ")
                )));
            }
            None => text,
        };
        let fields: Vec<&str> = long.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(MalformedSchedule(format!("it has {} fields in place of five", fields.len())));
        };
        Ok(Self {
            minutes: MINUTE.set(minute)?,
            hours: HOUR.set(hour)?,
            days: DAY.set(day)?,
            months: MONTH.set(month)?,
            weekdays: WEEKDAY.set(weekday)?,
            // As in every cron, "13 * FRI" is each 13th and each Friday, but "* * FRI" is Fridays only.
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
        })
    }

    /// Returns true if the schedule includes the day.
    pub(super) fn has_day(&self, date: Date) -> bool {
        let day = self.days.has(date.day());
        let weekday = self.weekdays.has(date.weekday().to_sunday_zero_offset());
        self.months.has(date.month()) && if self.either_day { day || weekday } else { day && weekday }
    }

    /// The times of day in the schedule, in order.
    pub(super) fn times(&self) -> impl Iterator<Item = Time> {
        let minutes = self.minutes.values();
        let of_hour =
            move |hour| minutes.clone().filter_map(move |minute| Time::new(hour, minute, 0, 0).ok());
        self.hours.values().flat_map(of_hour)
    }

    /// Returns true if the schedule includes every hour.
    pub(super) fn every_hour(&self) -> bool {
        self.hours.values().count() == 24
    }
}

impl Field {
    /// Parses a list of values, ranges and steps. A range may wrap around: `FRI-MON`, `22-2`.
    fn set(&self, text: &str) -> Result<Set, MalformedSchedule> {
        let mut set = Set::default();
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => (range, Some(self.step(step)?)),
                None => (part, None),
            };
            let (from, to) = match range.split_once('-') {
                _ if range == "*" => (self.least, self.most),
                Some((from, to)) => (self.value(from)?, self.value(to)?),
                None if step.is_some() => (self.value(range)?, self.most),
                None => (self.value(range)?, self.value(range)?),
            };
            let length = if from <= to { to - from } else { to + self.size() - from };
            for offset in (0..=length).step_by(usize::from(step.unwrap_or(1))) {
                // The remainder wraps around, and maps both numbers of Sunday to one.
                set.0 |= 1 << (self.least + (from - self.least + offset) % self.size());
            }
        }
        Ok(set)
    }

    fn size(&self) -> u8 {
        self.most - self.least + 1
    }

    fn step(&self, text: &str) -> Result<u8, MalformedSchedule> {
        match text.parse() {
            Ok(step) if (1..=self.size()).contains(&step) => Ok(step),
            _ => Err(self.wrong(&format!("/{text}"), &format!("a step from /1 to /{}", self.size()))),
        }
    }

    fn value(&self, text: &str) -> Result<u8, MalformedSchedule> {
        let word = text.to_lowercase();
        let is_meant = |known: &str| word.len() >= 3 && known.starts_with(&word);
        let named = self.words.split_whitespace().zip(self.least..).find(|(known, _)| is_meant(known));
        match (named, text.parse()) {
            (Some((_, value)), _) => Ok(value),
            (None, Ok(value)) if (self.least..=self.highest).contains(&value) => Ok(value),
            _ => {
                let example =
                    self.words.split_whitespace().nth(1).map(|word| word.chars().take(3).collect::<String>());
                let or_name = example.map(|word| format!(" or a name such as {}", word.to_uppercase()));
                let taken = format!("{} to {}{}", self.least, self.highest, or_name.unwrap_or_default());
                Err(self.wrong(text, &taken))
            }
        }
    }

    fn wrong(&self, text: &str, taken: &str) -> MalformedSchedule {
        let text: String = text.chars().take(20).collect();
        MalformedSchedule(format!("its {} cannot be {text:?}, only {taken}", self.name))
    }
}
