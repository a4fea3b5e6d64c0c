//! The day ahead that a Chinese clause names: 下周五, 3月5日, 后天.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// A time that a clause names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The day, if it is one.
    pub day: Option<Date>,
    /// Whether the words say day, month and year.
    pub is_full: bool,
}

/// The first time ahead that the text names.
pub fn find(text: &str, today: Date) -> Option<Named> {
    let ahead = |days: i64| today.checked_add(days.days()).ok();
    let relative = |day: Option<Date>| Some(Named { day, is_full: false });
    if let Some(named) = dated(text, today) {
        return Some(named);
    }
    if let Some(day) = weekday(text, today) {
        return relative(Some(day));
    }
    for (word, days) in
        [("大后天", 3), ("后天", 2), ("明天", 1), ("明早", 1), ("明晚", 1), ("今天", 0), ("今晚", 0)]
    {
        if text.contains(word) {
            return relative(ahead(days));
        }
    }
    for (unit, days) in [("天后", 1), ("天之后", 1), ("周后", 7), ("个星期后", 7), ("个礼拜后", 7)]
    {
        let count = text.find(unit).and_then(|at| number_before(text.get(..at)?));
        if let Some(count) = count {
            return relative(ahead(count * days));
        }
    }
    let periods = [
        "下个月",
        "下月",
        "明年",
        "下周",
        "下星期",
        "年底",
        "月底",
        "国庆",
        "春节",
        "暑假",
        "寒假",
        "腊月",
        "正月",
        "农历",
        "中秋",
        "端午",
        "元旦",
    ];
    periods.iter().any(|period| text.contains(period)).then_some(Named { day: None, is_full: false })
}

/// What follows a time that leads in: 下周四上午十点去… is 去….
pub fn after(text: &str) -> &str {
    let mut rest = text;
    loop {
        let bare = rest.trim_start_matches(is_numeral);
        let counted = ["年", "月", "日", "号", "点", "点半", "分", "周", "天后", "周后", "个月后"]
            .iter()
            .filter(|_| bare.len() < rest.len())
            .find_map(|unit| bare.strip_prefix(unit));
        let named = TIMES.split_whitespace().find_map(|word| rest.strip_prefix(word));
        let weekday = ["周", "星期", "礼拜"].iter().find_map(|unit| {
            rest.trim_start_matches(['下', '这', '本', '个']).strip_prefix(unit)?.strip_prefix(is_weekday)
        });
        match weekday.or(counted).or(named) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    let is_time = rest.len() < text.len();
    let closed = AFTER_TIMES.split_whitespace().find_map(|word| rest.strip_prefix(word));
    closed.filter(|_| is_time).unwrap_or(rest)
}

const TIMES: &str = "农历 正月 腊月 冬月 初 大后天 后天 明天 明早 明晚 明年 下个月 下月 年底 月底 上午 下午 早上 晚上 中午 凌晨 傍晚 \
    国庆 春节 暑假 寒假 中秋 端午 元旦 五一 清明";
/// What belongs to a time behind it.
const AFTER_TIMES: &str = "之前 以前 前 之后 后 那天 左右 半 的 就 在 于";

/// 2026年3月5日, 3月5号, 下个月5号, 5号
fn dated(text: &str, today: Date) -> Option<Named> {
    let at = ["日", "号"]
        .iter()
        .filter_map(|mark| {
            text.match_indices(mark).find(|(at, _)| day_before(text, *at).is_some()).map(|(at, _)| at)
        })
        .min()?;
    let (day, before) = day_before(text, at)?;
    if let Some(head) = before.strip_suffix('月') {
        let month = number_before(head).and_then(|month| i8::try_from(month).ok());
        if let Some(month) = month {
            let year = head
                .trim_end_matches(is_numeral)
                .strip_suffix('年')
                .and_then(number_before)
                .and_then(|year| i16::try_from(year).ok());
            let date = match year.filter(|year| *year > 1900) {
                Some(year) => Date::new(year, month, day).ok()?,
                None => (0..=8)
                    .filter_map(|ahead| Date::new(today.year() + ahead, month, day).ok())
                    .find(|date| *date >= today)?,
            };
            return Some(Named { day: Some(date), is_full: year.is_some() });
        }
    }
    let first = if before.ends_with("下个月") || before.ends_with("下月") { 1 } else { 0 };
    let date = (first..first + 3)
        .filter_map(|months| {
            let month = today.first_of_month().checked_add(i64::from(months).months()).ok()?;
            Date::new(month.year(), month.month(), day).ok()
        })
        .find(|date| *date >= today)?;
    Some(Named { day: Some(date), is_full: false })
}

fn day_before(text: &str, at: usize) -> Option<(i8, &str)> {
    let before = text.get(..at)?;
    let day = number_before(before).filter(|day| (1..32).contains(day))?;
    Some((i8::try_from(day).ok()?, before.trim_end_matches(is_numeral)))
}

/// 下周五, 这周六, 周日
fn weekday(text: &str, today: Date) -> Option<Date> {
    let (at, unit) = ["周", "星期", "礼拜"].iter().find_map(|unit| {
        let found = text
            .match_indices(unit)
            .find(|(at, _)| text.get(at + unit.len()..).is_some_and(|after| after.starts_with(is_weekday)));
        found.map(|(at, _)| (at, unit))
    })?;
    let before = text.get(..at)?.trim_end_matches('个');
    let name = text.get(at + unit.len()..)?.chars().next()?;
    let offset = i64::try_from("一二三四五六日".chars().position(|c| c == name).unwrap_or(6)).ok()?;
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    // A habit has no day, and what is past is not ahead.
    if before.ends_with(['每', '上']) {
        return None;
    }
    let weeks = before.chars().rev().take_while(|c| *c == '下').count();
    let day = monday.checked_add((i64::try_from(weeks).ok()? * 7 + offset).days()).ok()?;
    if weeks == 0 && day <= today { day.checked_add(7.days()).ok() } else { Some(day) }
}

fn is_weekday(c: char) -> bool {
    "一二三四五六日天".contains(c)
}

const NUMERALS: &str = "零一二三四五六七八九十";

/// Whether a character is part of a number.
pub fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || c == '两' || NUMERALS.contains(c)
}

/// The number that a text ends with, in digits or characters up to 99.
fn number_before(text: &str) -> Option<i64> {
    let written =
        text.get(text.trim_end_matches(is_numeral).len()..).filter(|written| !written.is_empty())?;
    if let Ok(number) = written.parse() {
        return Some(number);
    }
    let digit = |c: char| {
        if c == '两' {
            Some(2)
        } else {
            NUMERALS.chars().position(|n| n == c).and_then(|n| i64::try_from(n).ok())
        }
    };
    let mut total = 0;
    for c in written.chars() {
        total = match digit(c)? {
            10 if total == 0 => 10,
            10 => total * 10,
            n => total + n,
        };
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ahead_is_read_from_chinese_words() {
        // Monday, 16 November 2026.
        let today = Date::constant(2026, 11, 16);
        for (text, day) in [
            ("下周五面试", "2026-11-27"),
            ("周六去爬山", "2026-11-21"),
            ("下下周一", "2026-11-30"),
            ("3月5日", "2027-03-05"),
            ("十二月二十号", "2026-12-20"),
            ("2030年1月2日", "2030-01-02"),
            ("20号交房租", "2026-11-20"),
            ("下个月5号", "2026-12-05"),
            ("后天", "2026-11-18"),
            ("两周后", "2026-11-30"),
        ] {
            assert_eq!(find(text, today).and_then(|named| named.day), Some(day.parse().unwrap()), "{text}");
        }
        assert_eq!(find("每周三打球", today), None);
    }
}
