use super::*;
use proptest::prelude::*;

/// Wednesday, 18 February 2026, noon in Berlin.
const BERLIN_NOON: &str = "2026-02-18T11:00:00Z";

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// The phrase and its span as local `from/until`.
fn seen(question: &str, now: &str, zone: &TimeZone) -> Option<(String, String)> {
    let when = read(question, now.parse().unwrap(), zone)?;
    let stamp = |at| zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string().replace(" 00:00", "");
    Some((question.get(when.phrase)?.to_owned(), format!("{}/{}", stamp(when.from), stamp(when.until))))
}

fn assert_all(now: &str, zone: &TimeZone, cases: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(question, phrase, span)| {
            let seen = seen(question, now, zone);
            let wanted = Some(((*phrase).to_owned(), (*span).to_owned()));
            (seen != wanted).then(|| format!("{question}: {seen:?}, wanted {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn h4_english_phrases_name_their_span() {
    assert_all(
        BERLIN_NOON,
        &zone("Europe/Berlin"),
        &[
            ("what did I say today?", "today", "2026-02-18/2026-02-19"),
            ("What was YESTERDAY's plan", "YESTERDAY", "2026-02-17/2026-02-18"),
            ("yesterday morning I said", "yesterday morning", "2026-02-17 04:00/2026-02-17 12:00"),
            ("and last night?", "last night", "2026-02-17 18:00/2026-02-18 06:00"),
            ("what did we do this morning", "this morning", "2026-02-18 04:00/2026-02-18 12:00"),
            ("the day before yesterday we met", "the day before yesterday", "2026-02-16/2026-02-17"),
            ("what did I say last Tuesday", "last Tuesday", "2026-02-17/2026-02-18"),
            ("last wednesday's call", "last wednesday", "2026-02-11/2026-02-12"),
            ("the call on Friday evening", "on Friday evening", "2026-02-13 17:00/2026-02-14"),
            ("what I said this Monday", "this Monday", "2026-02-16/2026-02-17"),
            ("last week", "last week", "2026-02-09/2026-02-16"),
            ("the week before last", "the week before last", "2026-02-02/2026-02-09"),
            ("this week", "this week", "2026-02-16/2026-02-23"),
            ("where was I last weekend", "last weekend", "2026-02-14/2026-02-16"),
            ("last month", "last month", "2026-01-01/2026-02-01"),
            ("this year", "this year", "2026-01-01/2027-01-01"),
            ("two weeks ago", "two weeks ago", "2026-02-01/2026-02-08"),
            ("what did I say 3 days ago?", "3 days ago", "2026-02-15/2026-02-16"),
            ("a few days ago", "a few days ago", "2026-02-13/2026-02-17"),
            ("two or three days ago", "two or three days ago", "2026-02-15/2026-02-17"),
            ("a couple of months ago", "a couple of months ago", "2025-11-01/2026-01-01"),
            ("two months ago", "two months ago", "2025-12-01/2026-01-01"),
            ("a year ago", "a year ago", "2024-08-18/2025-08-19"),
            ("an hour ago", "an hour ago", "2026-02-18 10:30/2026-02-18 11:30"),
            ("half an hour ago", "half an hour ago", "2026-02-18 11:23/2026-02-18 11:37"),
            ("10 minutes ago", "10 minutes ago", "2026-02-18 11:45/2026-02-18 11:55"),
            ("in the last 3 days", "in the last 3 days", "2026-02-15/2026-02-18 12:00"),
            ("over the past two weeks", "the past two weeks", "2026-02-04/2026-02-18 12:00"),
            ("in the last hour", "in the last hour", "2026-02-18 11:00/2026-02-18 12:00"),
            ("what changed since Monday", "since Monday", "2026-02-16/2026-02-18 12:00"),
            ("since last week", "since last week", "2026-02-09/2026-02-18 12:00"),
            ("since 2024", "since 2024", "2024-01-01/2026-02-18 12:00"),
            ("where did I go in March?", "in March", "2025-03-01/2025-04-01"),
            ("in february", "in february", "2026-02-01/2026-03-01"),
            ("in early March 2023", "in early March 2023", "2023-03-01/2023-04-01"),
            ("last February", "last February", "2025-02-01/2025-03-01"),
            ("my trip, May 2023", "May 2023", "2023-05-01/2023-06-01"),
            ("in March last year", "in March last year", "2025-03-01/2025-04-01"),
            ("on 7 May 2023", "on 7 May 2023", "2023-05-07/2023-05-08"),
            ("May 7, 2023.", "May 7, 2023", "2023-05-07/2023-05-08"),
            ("what happened May 7th", "May 7th", "2025-05-07/2025-05-08"),
            ("on may 7", "on may 7", "2025-05-07/2025-05-08"),
            ("on January 3 in the evening", "on January 3 in the evening", "2026-01-03 17:00/2026-01-04"),
            ("on Feb 29", "on Feb 29", "2024-02-29/2024-03-01"),
            ("on the 5th I said", "on the 5th", "2026-02-05/2026-02-06"),
            ("on the 31st", "on the 31st", "2026-01-31/2026-02-01"),
            ("(2023-05-07)", "2023-05-07", "2023-05-07/2023-05-08"),
            ("the note of 07.05.2023", "07.05.2023", "2023-05-07/2023-05-08"),
            ("where did I live in 2022?", "in 2022", "2022-01-01/2023-01-01"),
            ("last summer", "last summer", "2025-06-01/2025-09-01"),
            ("last winter", "last winter", "2024-12-01/2025-03-01"),
            ("the last few days", "the last few days", "2026-02-13/2026-02-18 12:00"),
            ("since yesterday morning", "since yesterday morning", "2026-02-17 04:00/2026-02-18 12:00"),
            ("the 3rd of last month", "the 3rd of last month", "2026-01-03/2026-01-04"),
            ("over the weekend", "over the weekend", "2026-02-14/2026-02-16"),
            ("what did I cook on the weekend?", "on the weekend", "2026-02-14/2026-02-16"),
            ("in the spring of 2024", "in the spring of 2024", "2024-03-01/2024-06-01"),
            ("the first week of January", "the first week of January", "2026-01-01/2026-02-01"),
            ("May the 4th", "May the 4th", "2025-05-04/2025-05-05"),
            ("this time last year", "this time last year", "2024-08-18/2025-08-19"),
            // The first that has begun wins.
            ("what did I plan this evening and said yesterday", "yesterday", "2026-02-17/2026-02-18"),
            ("in May 2031 or last month", "last month", "2026-01-01/2026-02-01"),
        ],
    );
}

#[test]
fn h4_other_languages_name_their_span() {
    assert_all(
        BERLIN_NOON,
        &zone("Europe/Berlin"),
        &[
            ("我今天说了什么", "今天", "2026-02-18/2026-02-19"),
            ("昨天早上我说了什么", "昨天早上", "2026-02-17 04:00/2026-02-17 12:00"),
            ("昨晚吃了什么", "昨晚", "2026-02-17 18:00/2026-02-18 06:00"),
            ("前天的会议", "前天", "2026-02-16/2026-02-17"),
            ("我上周说的", "上周", "2026-02-09/2026-02-16"),
            ("上周二的会议", "上周二", "2026-02-10/2026-02-11"),
            ("上个星期二", "上个星期二", "2026-02-10/2026-02-11"),
            ("周二说了什么", "周二", "2026-02-17/2026-02-18"),
            ("上个月去哪了", "上个月", "2026-01-01/2026-02-01"),
            ("去年", "去年", "2025-01-01/2026-01-01"),
            ("去年3月", "去年3月", "2025-03-01/2025-04-01"),
            ("三天前", "三天前", "2026-02-15/2026-02-16"),
            ("两周前", "两周前", "2026-02-01/2026-02-08"),
            ("两三天前", "两三天前", "2026-02-15/2026-02-17"),
            ("２个月前", "２个月前", "2025-12-01/2026-01-01"),
            ("我3月去了哪里", "3月", "2025-03-01/2025-04-01"),
            ("十一月", "十一月", "2025-11-01/2025-12-01"),
            ("2023年5月7日", "2023年5月7日", "2023-05-07/2023-05-08"),
            ("5月7号", "5月7号", "2025-05-07/2025-05-08"),
            ("最近三天", "最近三天", "2026-02-15/2026-02-18 12:00"),
            ("我前几天说过", "前几天", "2026-02-13/2026-02-18 12:00"),
            ("上个月5号", "上个月5号", "2026-01-05/2026-01-06"),
            ("去年夏天", "去年夏天", "2025-06-01/2025-09-01"),
            ("从上周开始", "从上周开始", "2026-02-09/2026-02-18 12:00"),
            ("昨日は何を話した", "昨日", "2026-02-17/2026-02-18"),
            ("先週の火曜日", "先週の火曜日", "2026-02-10/2026-02-11"),
            ("先月の旅行", "先月", "2026-01-01/2026-02-01"),
            ("3日前に", "3日前", "2026-02-15/2026-02-16"),
            ("2週間前", "2週間前", "2026-02-01/2026-02-08"),
            ("3か月前", "3か月前", "2025-11-01/2025-12-01"),
            ("어제는 뭐라고 했지", "어제", "2026-02-17/2026-02-18"),
            ("지난주에 간 곳", "지난주", "2026-02-09/2026-02-16"),
            ("지난달", "지난달", "2026-01-01/2026-02-01"),
            ("3일 전에", "3일 전", "2026-02-15/2026-02-16"),
            ("was habe ich gestern Abend gesagt", "gestern Abend", "2026-02-17 17:00/2026-02-18"),
            ("was war am Wochenende los", "am Wochenende", "2026-02-14/2026-02-16"),
            ("¿qué hice el fin de semana?", "el fin de semana", "2026-02-14/2026-02-16"),
            ("letzte Woche", "letzte Woche", "2026-02-09/2026-02-16"),
            ("vor zwei Wochen", "vor zwei Wochen", "2026-02-01/2026-02-08"),
            ("letzten Dienstag", "letzten Dienstag", "2026-02-17/2026-02-18"),
            ("¿qué dije ayer?", "ayer", "2026-02-17/2026-02-18"),
            ("la semana pasada", "la semana pasada", "2026-02-09/2026-02-16"),
            ("hace dos semanas", "hace dos semanas", "2026-02-01/2026-02-08"),
            ("qu’est-ce que j’ai dit hier ?", "hier", "2026-02-17/2026-02-18"),
            ("aujourd’hui", "aujourd’hui", "2026-02-18/2026-02-19"),
            ("la semaine dernière", "la semaine dernière", "2026-02-09/2026-02-16"),
            ("il y a deux semaines", "il y a deux semaines", "2026-02-01/2026-02-08"),
        ],
    );
}

#[test]
fn h4_what_only_looks_like_a_time_names_none() {
    let berlin = zone("Europe/Berlin");
    for question in [
        "",
        "may I ask something",
        "how may 7 people fit?",
        "does page 3 may matter",
        "may the 4th attempt work",
        "the 3rd may be better",
        "they march on",
        "the last march of the penguins",
        "give me a second",
        "the sun was out and the cat sat on the mat",
        "how many weeks ago did I move?",
        "how long ago was it",
        "meet me at 5 pm",
        "what do I do every Tuesday",
        "what do I do on Tuesdays",
        "the last Friday of the month",
        "at the last minute",
        "on the last day of school",
        "remind me next week",
        "the dentist next Tuesday morning",
        "who comes in 2031?",
        "this evening",
        "version 2023.1 of the tool",
        "in 2023.1 it broke",
        "summarize it in 2000 words",
        "on the 5th floor",
        "call +49 170 2023 05 07",
        "build-2023-05-07-rc1",
        "2023-13-45",
        "who sang “Yesterday”?",
        "what did I like before March 2023",
        "was steht hier?",
        "mon dernier message",
        "下周二有什么安排",
        "每周二做什么",
        "两周一次的会议",
        "我是几天前说的",
        "以前天天跑步",
        "出发的前一天",
        "3个月",
        "明年3月",
        "来週の火曜日",
        "매주 화요일",
        "晚上月亮很美",
        "3일 전화했어",
        "on 192.10.12.2023",
        "it costs 2022 in all",
    ] {
        assert_eq!(seen(question, BERLIN_NOON, &berlin), None, "{question}");
    }
}

#[test]
fn h4_days_are_those_of_the_persons_zone() {
    // Thursday morning in Auckland, and summer there.
    assert_all(
        "2026-02-18T20:00:00Z",
        &zone("Pacific/Auckland"),
        &[
            ("today", "today", "2026-02-19/2026-02-20"),
            ("on Thursday", "on Thursday", "2026-02-12/2026-02-13"),
            ("last Wednesday", "last Wednesday", "2026-02-18/2026-02-19"),
            ("last winter", "last winter", "2025-06-01/2025-09-01"),
            ("this summer", "this summer", "2025-12-01/2026-03-01"),
        ],
    );
    let when = read("today", "2026-02-18T20:00:00Z".parse().unwrap(), &zone("Pacific/Auckland")).unwrap();
    assert_eq!(when.from, "2026-02-18T11:00:00Z".parse().unwrap());
}

#[test]
fn h4_a_day_with_a_changed_clock_is_one_calendar_day() {
    let hours = |now: &str, zone: &TimeZone| {
        let when = read("yesterday", now.parse().unwrap(), zone).unwrap();
        when.until.duration_since(when.from).as_hours()
    };
    assert_eq!(hours("2026-03-30T10:00:00Z", &zone("Europe/Berlin")), 23);
    assert_eq!(hours("2026-10-26T10:00:00Z", &zone("Europe/Berlin")), 25);
    // In Beirut the clocks skip midnight: the day begins at one.
    assert_eq!(hours("2026-03-30T10:00:00Z", &zone("Asia/Beirut")), 23);
}

#[test]
fn h4_every_slot_of_the_tables_can_be_filled() {
    // A slot, a text, and the token to look at.
    let samples = [
        ("count", "3", 0),
        ("unit", "days", 0),
        ("weekday", "Tuesday", 0),
        ("month", "may", 0),
        ("noun_month", "May", 0),
        ("month_number", "05", 0),
        ("day", "7", 0),
        ("nth", "7th", 0),
        ("year", "2023", 0),
        ("season", "summer", 0),
        ("hours", "morning", 0),
        ("early", "early", 0),
        ("cjk", "月", 1),
        ("french", "je", 0),
        ("end", "", 0),
    ];
    for (slot, text, at) in samples {
        assert!(GRAMMAR.fill(slot, &tokens(text), at, grammar::Named::default()).is_some(), "{slot}");
    }
    let times = phrases::TIMES.iter().map(|(patterns, _)| patterns);
    for pattern in times.chain(phrases::LOOKALIKES).flat_map(|patterns| patterns.split('|')) {
        for slot in pattern.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            assert!(samples.iter().any(|(known, ..)| *known == slot), "{slot} in {pattern}");
        }
    }
}

proptest! {
    #[test]
    fn h4_any_text_at_any_moment_is_read_without_fault(
        text in prop_oneof![
            "\\PC{0,60}",
            proptest::collection::vec(proptest::sample::select(PARTS), 0..8).prop_map(|parts| parts.join(" ")),
            proptest::collection::vec(proptest::sample::select(PARTS), 0..8).prop_map(|parts| parts.concat()),
        ],
        second in prop_oneof![
            Just(Timestamp::MIN.as_second()),
            Just(Timestamp::MAX.as_second()),
            Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
        ],
        zone_name in proptest::sample::select(&["UTC", "Europe/Berlin", "Pacific/Auckland", "Asia/Beirut"][..]),
    ) {
        let now = Timestamp::from_second(second).unwrap();
        if let Some(when) = read(&text, now, &zone(zone_name)) {
            prop_assert!(when.from < when.until && when.from <= now);
            prop_assert!(text.get(when.phrase).is_some_and(|phrase| !phrase.is_empty()));
        }
    }
}

const PARTS: &[&str] = &[
    "last", "week", "9999", "3", "years", "ago", "minutes", "since", "in", "on", "the", "29", "february",
    "May", "7th", "2023", "-", ".", "Tuesday", "summer", "tonight", "上", "周", "二", "天", "前", "月", "年",
    "지난", "주", "É", "İ",
];
