//! Parses the beginning of a message's line: date, time and separators, in the formats of all languages.

use jiff::civil::{Date, DateTime, Time};

/// Words for the first half of the day.
const BEFORE_NOON: [&str; 9] = ["am", "오전", "上午", "午前", "凌晨", "早上", "ص", "πμ", "पूर्वाह्न"];
/// Words for the second half of the day.
const AFTER_NOON: [&str; 9] = ["pm", "오후", "下午", "午後", "晚上", "中午", "م", "μμ", "अपराह्न"];
/// Maximum number of letters in a word between date and time.
const LONGEST_WORD: usize = 12;

/// The header of a line, and the rest of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    /// The numbers of the date, as written.
    date: [i16; 3],
    has_dots: bool,
    half: Option<Half>,
    /// Whether the time has AM or PM, which suggests that months come first.
    has_english_half: bool,
    hour: i8,
    minute: i8,
    second: i8,
    /// Speaker and text.
    pub rest: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    BeforeNoon,
    AfterNoon,
}

/// The order of a date's numbers. It does not matter if a year of four digits comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// 12/3/24 is in March.
    DayFirst,
    /// 12/3/24 is in December.
    MonthFirst,
}

impl<'a> Header<'a> {
    /// Parses the beginning of a line; `None` if it is not a date and time.
    pub fn read(line: &'a str) -> Option<Self> {
        let mut cursor = Cursor(line);
        cursor.blanks();
        let has_bracket = cursor.take('[');
        let (first, sign) = (cursor.number(4)?, cursor.date_sign()?);
        let (second, _) = (cursor.number(2)?, cursor.date_sign()?);
        let third = cursor.number(4)?;
        cursor.any(&['.', '日', '일']);
        cursor.any(&[',', '،', '、']);
        let before = cursor.word_before_time()?;
        let (hour, minute, seconds) = cursor.time()?;
        let has_english_half = cursor.is_before_english_half();
        let half = before.or_else(|| cursor.half());
        cursor.end(has_bracket)?;
        Some(Self {
            date: [first, second, third],
            has_dots: sign == '.',
            half,
            has_english_half,
            hour: small(hour)?,
            minute: small(minute)?,
            second: small(seconds)?,
            rest: cursor.0,
        })
    }

    /// The local time of the phone.
    pub fn moment(&self, order: Order) -> Result<DateTime, String> {
        let wrong = || {
            let [first, second, third] = self.date;
            let (hour, minute) = (self.hour, self.minute);
            format!("{first}, {second}, {third} with {hour}:{minute:02} is no date and time")
        };
        let (year, month, day) = self.date_in(order);
        let hour = match self.half {
            None => self.hour,
            Some(_) if !(1..=12).contains(&self.hour) && self.hour != 0 => self.hour,
            Some(Half::BeforeNoon) => self.hour % 12,
            Some(Half::AfterNoon) => self.hour % 12 + 12,
        };
        let date = small(month).zip(small(day)).and_then(|(month, day)| Date::new(year, month, day).ok());
        let time = Time::new(hour, self.minute, self.second, 0).ok();
        Ok(date.ok_or_else(wrong)?.to_datetime(time.ok_or_else(wrong)?))
    }

    fn date_in(&self, order: Order) -> (i16, i16, i16) {
        let [first, second, third] = self.date;
        let (year, month, day) = match order {
            _ if self.is_year_first() => (first, second, third),
            Order::DayFirst => (third, second, first),
            Order::MonthFirst => (third, first, second),
        };
        (if year < 100 { year + 2000 } else { year }, month, day)
    }

    fn is_year_first(&self) -> bool {
        self.date[0] > 31
    }
}

fn small(number: i16) -> Option<i8> {
    i8::try_from(number).ok()
}

/// Returns true if a line may be a header that the end of the file truncates.
pub fn is_cut(line: &str) -> bool {
    let mut cursor = Cursor(line);
    cursor.blanks();
    let has_bracket = cursor.take('[');
    let dated = cursor.number(4).is_some() && (cursor.date_sign().is_some() || has_bracket);
    let short = |c: char| c.is_numeric() || c.is_whitespace() || is_mark(c) || "./-,:[]".contains(c);
    (dated || has_bracket && cursor.0.is_empty()) && line.chars().filter(|c| !short(*c)).count() <= 4
}

/// Statistics of a file's dates, which show their order.
#[derive(Debug, Default)]
pub struct Evidence {
    first_over_12: u64,
    second_over_12: u64,
    has_dots: bool,
    has_english_half: bool,
    day_first: Falls,
    month_first: Falls,
}

/// The number of dates that are before their predecessor.
#[derive(Debug, Default)]
struct Falls {
    last: Option<(i16, i16, i16)>,
    count: u64,
}

impl Falls {
    fn add(&mut self, date: (i16, i16, i16)) {
        self.count += u64::from(self.last.is_some_and(|last| date < last));
        self.last = Some(date);
    }
}

impl Evidence {
    pub fn add(&mut self, header: &Header<'_>) {
        if header.is_year_first() {
            return;
        }
        self.first_over_12 += u64::from(header.date[0] > 12);
        self.second_over_12 += u64::from(header.date[1] > 12);
        self.has_dots |= header.has_dots;
        self.has_english_half |= header.has_english_half;
        self.day_first.add(header.date_in(Order::DayFirst));
        self.month_first.add(header.date_in(Order::MonthFirst));
    }

    /// The order: by numbers over 12, or else the one in which dates ascend, or else the usual one for the separators.
    pub fn decided(&self) -> Order {
        let (day, month) = (&self.day_first, &self.month_first);
        if self.first_over_12 != self.second_over_12 {
            return if self.first_over_12 > self.second_over_12 {
                Order::DayFirst
            } else {
                Order::MonthFirst
            };
        }
        if day.count != month.count {
            return if day.count < month.count { Order::DayFirst } else { Order::MonthFirst };
        }
        if self.has_english_half && !self.has_dots { Order::MonthFirst } else { Order::DayFirst }
    }
}

/// Returns true if a character is an invisible mark, which the app puts before its notices and around names.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The unread rest of a line.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn blanks(&mut self) {
        self.0 = self.0.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.0.strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Reads one of the signs, with surrounding blanks.
    fn any(&mut self, signs: &[char]) -> Option<char> {
        let mut ahead = Cursor(self.0);
        ahead.blanks();
        let sign = ahead.0.chars().next().filter(|c| signs.contains(c))?;
        ahead.take(sign);
        ahead.blanks();
        self.0 = ahead.0;
        Some(sign)
    }

    fn date_sign(&mut self) -> Option<char> {
        self.any(&['.', '/', '-', '年', '月', '년', '월'])
    }

    /// Reads a number of at most `most` digits, of any script.
    fn number(&mut self, most: usize) -> Option<i16> {
        let end = self.0.find(|c| digit(c).is_none()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at_checked(end)?;
        if digits.is_empty() || digits.chars().count() > most {
            return None;
        }
        self.0 = rest;
        digits.chars().filter_map(digit).try_fold(0_i16, |sum, digit| sum.checked_mul(10)?.checked_add(digit))
    }

    /// Reads the separator of date and time: a blank, a word such as "at", or the half of the day.
    fn word_before_time(&mut self) -> Option<Option<Half>> {
        self.blanks();
        if let Some(half) = self.half() {
            self.blanks();
            return Some(Some(half));
        }
        let letter = |c: char| digit(c).is_none();
        let end = self.0.find(|c| !letter(c))?;
        let (word, rest) = self.0.split_at_checked(end)?;
        let is_word = |c: char| c.is_alphabetic() || c.is_whitespace() || c == '.' || is_mark(c);
        if word.chars().count() > LONGEST_WORD || !word.chars().all(is_word) {
            return None;
        }
        self.0 = rest;
        Some(None)
    }

    fn time(&mut self) -> Option<(i16, i16, i16)> {
        let hour = self.number(2)?;
        let sign = self.0.chars().next().filter(|c| matches!(c, ':' | '.'))?;
        self.take(sign);
        let minute = self.number(2)?;
        let second = if self.take(sign) { self.number(2)? } else { 0 };
        Some((hour, minute, second))
    }

    /// Reads the half of the day, such as "p. m.".
    fn half(&mut self) -> Option<Half> {
        let mut ahead = Cursor(self.0);
        ahead.blanks();
        let is_part =
            |c: char| c.is_alphabetic() || c.is_whitespace() || c == '.' || is_mark(c) || is_vowel_sign(c);
        let end = ahead.0.find(|c| !is_part(c)).unwrap_or(ahead.0.len());
        let (word, rest) = ahead.0.split_at_checked(end)?;
        let letters: String = word
            .chars()
            .filter(|c| c.is_alphabetic() || is_vowel_sign(*c))
            .flat_map(char::to_lowercase)
            .collect();
        let half = if BEFORE_NOON.contains(&letters.as_str()) {
            Half::BeforeNoon
        } else if AFTER_NOON.contains(&letters.as_str()) {
            Half::AfterNoon
        } else {
            return None;
        };
        self.0 = rest;
        Some(half)
    }

    fn is_before_english_half(&self) -> bool {
        let word = self.0.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        word.eq_ignore_ascii_case("am") || word.eq_ignore_ascii_case("pm")
    }

    /// Reads the separator of the time and the rest of the line.
    fn end(&mut self, has_bracket: bool) -> Option<()> {
        let signs: &[char] = if has_bracket { &[']'] } else { &['-', '–', ','] };
        self.blanks();
        let sign = self.0.chars().next().filter(|c| signs.contains(c))?;
        self.take(sign);
        self.0 = self.0.trim_start();
        Some(())
    }
}

/// Returns true if a character is a dependent vowel sign of Devanagari.
fn is_vowel_sign(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}')
}

/// The value of a digit of the scripts that phones use.
fn digit(c: char) -> Option<i16> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{9e6}'..='\u{9ef}' => '\u{9e6}',
        _ => return None,
    };
    i16::try_from(u32::from(c) - u32::from(zero)).ok()
}
