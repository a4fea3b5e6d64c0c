//! The names of months and of the days of the week.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use jiff::civil::Weekday;
use rustc_hash::FxHashMap;

use crate::words::terms;

/// The months, from January on.
pub const MONTHS: &str =
    "january february march april may june july august september october november december";
/// The days of the week, from Sunday on.
pub const WEEKDAYS: &str = "sunday monday tuesday wednesday thursday friday saturday";

/// The language of the names. Each caller chooses its languages, because a name may be a common word in another one:
/// French "mars" is a planet in English, and the English "mar" is the sea in Spanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, in full.
    English,
    /// English, shortened. "mon", "sat" and "sun" are left out: they are words.
    Short,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// Chinese, Japanese and Korean.
    EastAsian,
}

use Language::{EastAsian, English, French, German, Short, Spanish};

/// The languages that are written with the Latin alphabet, without short forms.
pub const EUROPEAN: &[Language] = &[English, German, Spanish, French];

/// For each language twelve entries, each with one or more names separated by slashes, or `-` if it has none.
const MONTH_NAMES: &[(Language, &str)] = &[
    (English, MONTHS),
    (Short, "jan feb mar apr - jun jul aug sep/sept oct nov dec"),
    (German, "januar februar märz april mai juni juli august september oktober november dezember"),
    (Spanish, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    (French, "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    (
        EastAsian,
        "1月/一月/1월 2月/二月/2월 3月/三月/3월 4月/四月/4월 5月/五月/5월 6月/六月/6월 7月/七月/7월 8月/八月/8월 9月/九月/9월 \
         10月/十月/10월 11月/十一月/11월 12月/十二月/12월",
    ),
];

/// For each language seven entries, from Sunday on, in the same form.
const WEEKDAY_NAMES: &[(Language, &str)] = &[
    (English, WEEKDAYS),
    (Short, "- - tue/tues wed thu/thur/thurs fri -"),
    (German, "sonntag montag dienstag mittwoch donnerstag freitag samstag/sonnabend"),
    (Spanish, "domingo lunes martes miércoles jueves viernes sábado"),
    (French, "dimanche lundi mardi mercredi jeudi vendredi samedi"),
    (
        EastAsian,
        "周日/周天/週日/星期日/星期天/礼拜天/日曜/日曜日/일요일 周一/週一/星期一/礼拜一/月曜/月曜日/월요일 \
         周二/週二/星期二/礼拜二/火曜/火曜日/화요일 周三/週三/星期三/礼拜三/水曜/水曜日/수요일 \
         周四/週四/星期四/礼拜四/木曜/木曜日/목요일 周五/週五/星期五/礼拜五/金曜/金曜日/금요일 \
         周六/週六/星期六/礼拜六/土曜/土曜日/토요일",
    ),
];

/// The names of the months in these languages, each with its number.
pub fn months(languages: &[Language]) -> impl Iterator<Item = (&'static str, i8)> {
    names(MONTH_NAMES, languages).map(|(name, place)| (name, place + 1))
}

/// The names of the days of the week in these languages.
pub fn weekdays(languages: &[Language]) -> impl Iterator<Item = (&'static str, Weekday)> {
    names(WEEKDAY_NAMES, languages)
        .filter_map(|(name, place)| Some((name, Weekday::from_sunday_zero_offset(place).ok()?)))
}

/// The number of the month that a word in lower case names.
#[must_use]
pub fn month(word: &str, languages: &[Language]) -> Option<i8> {
    static PLACES: LazyLock<Names> = LazyLock::new(|| by_name(MONTH_NAMES));
    place(&PLACES, word, languages).map(|place| place + 1)
}

/// The day of the week that a word in lower case names.
#[must_use]
pub fn weekday(word: &str, languages: &[Language]) -> Option<Weekday> {
    static PLACES: LazyLock<Names> = LazyLock::new(|| by_name(WEEKDAY_NAMES));
    Weekday::from_sunday_zero_offset(place(&PLACES, word, languages)?).ok()
}

/// Words for places in a row: the last one, and those from the first on.
static PLACES: LazyLock<HashMap<&str, i8>> = LazyLock::new(|| {
    let rows = "last letzte letzten letzter letztes último ultimo última dernier dernière \
    | first erste ersten erster erstes primer primero primera premier première \
    | second zweite zweiten zweiter zweites segundo segunda deuxième | third dritte dritten dritter drittes tercer tercero tercera \
    troisième | fourth vierte vierten vierter viertes cuarto cuarta quatrième | fifth fünfte fünften fünfter fünftes quinto cinquième";
    let places = std::iter::once(-1).chain(1..).zip(rows.split('|'));
    places.flat_map(|(place, words)| words.split_whitespace().map(move |word| (word, place))).collect()
});

/// The place in a row that a word in lower case names, from 1 on; of the last one, -1.
#[must_use]
pub fn nth(word: &str) -> Option<i8> {
    let figures = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)?.parse().ok());
    figures.or_else(|| PLACES.get(word).copied())
}

/// Returns true if a word in lower case names a month or a day of the week.
#[must_use]
pub fn is_name(word: &str, languages: &[Language]) -> bool {
    month(word, languages).is_some() || weekday(word, languages).is_some()
}

/// Returns true if a term of the index is the English name of a month or of a day of the week.
#[must_use]
pub fn is_english_term(term: &str) -> bool {
    static TERMS: LazyLock<HashSet<String>> =
        LazyLock::new(|| [MONTHS, "jul", WEEKDAYS].into_iter().flat_map(terms).collect());
    TERMS.contains(term)
}

/// Names, each with the languages that have it and its place there, in the order of the table.
type Names = FxHashMap<&'static str, Vec<(Language, i8)>>;

fn by_name(table: &'static [(Language, &'static str)]) -> Names {
    let mut all = Names::default();
    for (language, _) in table {
        for (name, place) in names(table, &[*language]) {
            all.entry(name).or_default().push((*language, place));
        }
    }
    all
}

fn place(all: &Names, word: &str, languages: &[Language]) -> Option<i8> {
    let places = all.get(word)?;
    places.iter().find(|(language, _)| languages.contains(language)).map(|(_, place)| *place)
}

fn names(
    table: &'static [(Language, &'static str)],
    languages: &[Language],
) -> impl Iterator<Item = (&'static str, i8)> {
    table.iter().filter(|(language, _)| languages.contains(language)).flat_map(|(_, places)| {
        let numbered = places.split_whitespace().zip(0..);
        numbered.flat_map(|(names, place)| {
            names.split('/').filter(|name| *name != "-").map(move |name| (name, place))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_names_each_month_and_day_at_its_place() {
        for (_, places) in MONTH_NAMES {
            assert_eq!(places.split_whitespace().count(), 12, "{places}");
        }
        for (_, places) in WEEKDAY_NAMES {
            assert_eq!(places.split_whitespace().count(), 7, "{places}");
        }
        for (word, language, number) in
            [("sept", Short, 9), ("märz", German, 3), ("août", French, 8), ("12월", EastAsian, 12)]
        {
            assert_eq!(month(word, &[language]), Some(number), "{word}");
        }
        assert_eq!(weekday("sonnabend", EUROPEAN), Some(Weekday::Saturday));
        assert_eq!(weekday("火曜日", &[EastAsian]), Some(Weekday::Tuesday));
        assert!(!is_name("sat", &[English, Short]) && !is_name("-", &[Short]));
        assert!(is_english_term("jun") && is_english_term("wednesday") && !is_english_term("montag"));
    }
}
