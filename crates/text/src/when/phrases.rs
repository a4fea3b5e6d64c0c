//! The phrases that name a time, as tables. `|` separates alternatives, `{slot}` stands for an entry of a list, and `?`
//! makes what is before it optional.

use super::grammar::Reach;
use super::span::{Count, Season, TimePhrase, Unit};

/// What names a time.
pub const TIMES: &[(&str, TimePhrase)] = &[
    // Days and their parts.
    ("today | heute | hoy | aujourd'hui | 今天 | 今日 | きょう | 오늘", TimePhrase::Day(0)),
    ("this {hours} | esta {hours} | ce {hours} | cet {hours}", TimePhrase::Day(0)),
    ("今早 | 今朝 | けさ", TimePhrase::Hours(0, 4, 12)),
    ("tonight | esta noche | ce soir | 今晚 | 今夜 | 今晩", TimePhrase::Hours(0, 17, 30)),
    ("yesterday | gestern | ayer | hier {french} | 昨天 | 昨日 | きのう | 어제", TimePhrase::Day(1)),
    (
        "last night | last evening | anoche | la nuit dernière | 昨晚 | 昨夜 | 昨晩 | 어젯밤",
        TimePhrase::Hours(1, 18, 30),
    ),
    ("the? day before yesterday | vorgestern | anteayer | avant - hier", TimePhrase::Day(2)),
    ("前天 | 一昨日 | おととい | 그저께", TimePhrase::Day(2)),
    ("大前天", TimePhrase::Day(3)),
    // Weekdays.
    ("on {weekday} | last {weekday} | this? past {weekday} | {weekday}{cjk}", TimePhrase::LatestWeekday),
    (
        "am {weekday} | letzten {weekday} | el {weekday} pasado? | {weekday} dernier",
        TimePhrase::LatestWeekday,
    ),
    ("지난 {weekday} | 前の{weekday}", TimePhrase::LatestWeekday),
    (
        "this {weekday} | diesen {weekday} | 这{weekday} | 這{weekday} | 本{weekday}",
        TimePhrase::WeekdayOfWeek(0),
    ),
    ("今週の?{weekday} | 이번 주 {weekday}", TimePhrase::WeekdayOfWeek(0)),
    (
        "{weekday} last week | last week on? {weekday} | 上个?{weekday} | 上個{weekday}",
        TimePhrase::WeekdayOfWeek(1),
    ),
    ("先週の?{weekday} | 지난 주 {weekday}", TimePhrase::WeekdayOfWeek(1)),
    ("上上个?{weekday} | 先々週の?{weekday}", TimePhrase::WeekdayOfWeek(2)),
    // Weeks, months and years.
    ("this week | diese woche | esta semana | cette semaine", TimePhrase::Calendar(Unit::Week, 0)),
    (
        "这个?星期 | 这周 | 這週 | 这个?礼拜 | 本周 | 本週 | 今週 | 이번 주",
        TimePhrase::Calendar(Unit::Week, 0),
    ),
    (
        "last week | letzte woche | la semana pasada | la semaine dernière",
        TimePhrase::Calendar(Unit::Week, 1),
    ),
    (
        "上周 | 上週 | 上个?星期 | 上個星期 | 上个?礼拜 | 先週 | 지난 주 | 저번 주",
        TimePhrase::Calendar(Unit::Week, 1),
    ),
    (
        "the? week before last | vorletzte woche | 上上周 | 上上个?星期 | 先々週",
        TimePhrase::Calendar(Unit::Week, 2),
    ),
    ("this weekend | 这个?周末 | 今週末 | 이번 주말", TimePhrase::Calendar(Unit::Weekend, 0)),
    (
        "last weekend | over the weekend | on the weekend | at the weekend",
        TimePhrase::Calendar(Unit::Weekend, 1),
    ),
    ("letztes wochenende | am wochenende | le week - end", TimePhrase::Calendar(Unit::Weekend, 1)),
    (
        "el fin de semana pasado | el fin de semana | le week - end dernier",
        TimePhrase::Calendar(Unit::Weekend, 1),
    ),
    ("上个?周末 | 上週末 | 先週末 | 지난 주말", TimePhrase::Calendar(Unit::Weekend, 1)),
    ("this month | diesen monat | este mes | ce mois - ci", TimePhrase::Calendar(Unit::Month, 0)),
    ("这个月 | 這個月 | 本月 | 今月 | 이번 달", TimePhrase::Calendar(Unit::Month, 0)),
    ("last month | letzten monat | el mes pasado | le mois dernier", TimePhrase::Calendar(Unit::Month, 1)),
    ("上个?月 | 上個月 | 先月 | 지난 달 | 저번 달", TimePhrase::Calendar(Unit::Month, 1)),
    ("the? month before last | 上上个?月 | 先々月", TimePhrase::Calendar(Unit::Month, 2)),
    ("this year | dieses jahr | este año | cette année | 今年 | 올해", TimePhrase::Calendar(Unit::Year, 0)),
    ("last year | letztes jahr | el año pasado | l'année dernière", TimePhrase::Calendar(Unit::Year, 1)),
    ("去年 | 昨年 | 작년 | 지난 해", TimePhrase::Calendar(Unit::Year, 1)),
    ("the? year before last | 前年 | 一昨年 | おととし | 재작년", TimePhrase::Calendar(Unit::Year, 2)),
    // Counted back from now.
    ("{count} {unit} ago | {count} or {count} {unit} ago | {count} to {count} {unit} ago", TimePhrase::Ago),
    ("{count}-{count} {unit} ago | {count} {unit} or {count} ago", TimePhrase::Ago),
    ("vor {count} {unit} | hace {count} {unit} | il y a {count} {unit}", TimePhrase::Ago),
    ("{count}{count}?{unit}前 | {count}{unit}之前 | {count}{unit}以前 | {count}{unit} 전", TimePhrase::Ago),
    (
        "half an hour ago | vor einer halben stunde | hace media hora | il y a une demi - heure",
        TimePhrase::FixedAgo(30, Unit::Minute),
    ),
    ("半小时前 | 半个小时前 | 半時間前 | 반 시간 전", TimePhrase::FixedAgo(30, Unit::Minute)),
    ("a fortnight ago", TimePhrase::FixedAgo(2, Unit::Week)),
    (
        "half a year ago | vor einem halben jahr | hace medio año | 半年前 | 반년 전",
        TimePhrase::FixedAgo(6, Unit::Month),
    ),
    ("this time last year", TimePhrase::FixedAgo(1, Unit::Year)),
    ("a year and a half ago | one and a half years ago | 一年半前", TimePhrase::FixedAgo(18, Unit::Month)),
    (
        "in the last {unit} | over the last {unit} | within the last {unit} | during the last {unit}",
        TimePhrase::Rolling,
    ),
    ("the past {count}? {unit} | past {count} {unit}", TimePhrase::Rolling),
    ("in? the? last {count} {unit}", TimePhrase::Rolling),
    (
        "in? den letzten {count} {unit} | los últimos {count} {unit} | las últimas {count} {unit}",
        TimePhrase::Rolling,
    ),
    (
        "过去{count}{unit} | 過去{count}{unit} | 最近の?{count}{unit} | 近{count}{unit} | 这{count}天 | 前{count}{unit}",
        TimePhrase::Rolling,
    ),
    ("ここ{count}{unit} | 지난 {count}{unit} | 최근 {count}{unit}", TimePhrase::Rolling),
    // Months, dates and years by name.
    ("in {early}? {month} {year}? | during {month} {year}? | {early}? {month} of? {year}", TimePhrase::Month),
    ("{early} {month} | {month}{cjk} | {year}年{month} | {year}년 {month}", TimePhrase::Month),
    ("last {month}", TimePhrase::MonthBefore),
    ("in {month} this year | this {month} | 今年の?{month} | 올해 {month}", TimePhrase::MonthOfYear(0)),
    (
        "in? {month} of? last year | last year in {month} | 去年の?{month} | 昨年の?{month} | 작년 {month}",
        TimePhrase::MonthOfYear(1),
    ),
    ("on? {month} {day} ,? {year} | on? the? {day} of? {month} ,? {year}", TimePhrase::Date),
    ("on {month} {day} | {month} {nth} | on? the? {nth} of {month} | on {day} {month}", TimePhrase::Date),
    (
        "{noun_month} {day} {end} | {noun_month} the {nth} {end} | on? the? {day} {noun_month} {end}",
        TimePhrase::Date,
    ),
    (
        "{year}-{month_number}-{day} | {year}/{month_number}/{day} | {day}.{month_number}.{year}",
        TimePhrase::Date,
    ),
    ("{year}年{month}{day}日 | {year}年{month}{day}号 | {year}년 {month} {day}일", TimePhrase::Date),
    ("{month}{day}日 | {month}{day}号 | {month}{day}號 | {month} {day}일", TimePhrase::Date),
    ("on the {nth} {end}", TimePhrase::DayOfMonth),
    ("on? the {nth} of this month", TimePhrase::DayOfCalendarMonth(0)),
    (
        "on? the {nth} of last month | 上个?月{day}号 | 上个?月{day}日 | 先月の?{day}日",
        TimePhrase::DayOfCalendarMonth(1),
    ),
    (
        "in {year} {end} | in the year {year} | during {year} | im jahr {year} | en {year} {end}",
        TimePhrase::Year,
    ),
    ("{year}年 | {year}년", TimePhrase::Year),
    // Seasons.
    ("in the {season} | this {season} | over the {season}", TimePhrase::Season),
    (
        "in {season} {year} | in? the {season} of {year} | {season} {year} | {year}年の?{season}",
        TimePhrase::Season,
    ),
    ("last {season} | letzten {season}", TimePhrase::SeasonBefore),
    ("今年の?{season} | 올해 {season}", TimePhrase::SeasonOfYear(0)),
    ("去年の?{season} | 작년 {season}", TimePhrase::SeasonOfYear(1)),
];

/// Phrases with words of time that name no time.
pub const LOOKALIKES: &[&str] = &[
    "the last {month} | last {month} of | last {weekday} of | my last fall",
    "the last {count}? {unit} of | in the last {unit} of",
    "next year in {month} | in {month} next year | the {nth} of next month",
    "{hours}",
    // "How many days ago?"
    "是几{unit}前 | 是几{unit}之前 | 是幾{unit}前",
    // "Once every two weeks" holds "Monday", "before, every day" holds "the day before yesterday".
    "{count}周一 | {count}週一 | 以前 | 之前 | 从前 | 目前 | 网上 | 路上 | 马上 | 线上 | 以上 | 前一天 | 上月亮 | 上月球",
    "{count}{unit} 전체 | {count}{unit} 전화",
];

/// Words before a time that move it.
pub const PREFIXES: &[(&str, Reach)] = &[
    ("since | ever since | seit | desde | depuis | 从 | 從 | 自从 | 自從", Reach::Since),
    (
        "before | until | till | by | after | than | bis | antes de | hasta | avant | jusqu'à",
        Reach::Elsewhere,
    ),
    ("every | every other | each | most | jeden | cada | chaque", Reach::Elsewhere),
    ("每 | 每个 | 每年 | 毎週 | 毎年 | 매주 | 매년", Reach::Elsewhere),
    ("next | nächsten | nächstes | nächste | próximo | prochain", Reach::Elsewhere),
    (
        "下 | 下个 | 下個 | 下下 | 明年 | 来週の | 来週 | 来年 | 来年の | 다음 주 | 다음 | 내년",
        Reach::Elsewhere,
    ),
];

/// Words after a time that move it.
pub const SUFFIXES: &[(&str, Reach)] = &[
    ("以来 | 以來 | 开始 | から | 부터 | 이후", Reach::Since),
    ("前 | 之前 | 以前 | まで | までに | 까지 | 이전 | 之后 | 以后 | 마다 | ごと", Reach::Elsewhere),
    ("next week | next month", Reach::Elsewhere),
];

/// How many.
pub const COUNTS: &[(&str, Count)] = &[
    ("a | an | one | ein | eine | einer | einem | un | una | une | 一 | 한", Count::exactly(1)),
    ("two | zwei | dos | deux | 两 | 兩 | 二 | 두", Count::exactly(2)),
    ("three | drei | tres | trois | 三 | 세", Count::exactly(3)),
    ("four | vier | cuatro | quatre | 四 | 네", Count::exactly(4)),
    ("five | fünf | cinco | cinq | 五 | 다섯", Count::exactly(5)),
    ("six | sechs | seis | 六 | 여섯", Count::exactly(6)),
    ("seven | sieben | siete | sept | 七 | 일곱", Count::exactly(7)),
    ("eight | acht | ocho | huit | 八 | 여덟", Count::exactly(8)),
    ("nine | neun | nueve | neuf | 九 | 아홉", Count::exactly(9)),
    ("ten | zehn | diez | dix | 十 | 열", Count::exactly(10)),
    ("eleven | elf | once | onze | 十一", Count::exactly(11)),
    ("twelve | zwölf | doce | douze | 十二", Count::exactly(12)),
    ("fifteen | quince | quinze | 十五", Count::exactly(15)),
    ("twenty | zwanzig | veinte | vingt | 二十", Count::exactly(20)),
    ("thirty | dreißig | treinta | trente | 三十", Count::exactly(30)),
    ("a couple of | a couple | couple of", Count { least: 2, most: 3 }),
    (
        "a few | few | some | ein paar | unos | unas | quelques | 几 | 幾 | 数 | 몇",
        Count { least: 2, most: 5 },
    ),
    ("several | mehreren | varios | varias | plusieurs | 好几", Count { least: 3, most: 7 }),
];

/// Measures of time.
pub const UNITS: &[(&str, Unit)] = &[
    ("minute | minutes | min | mins | minuten | minuto | minutos | 分钟 | 分鐘 | 分 | 분", Unit::Minute),
    ("hour | hours | hr | hrs | stunde | stunden | hora | horas | heure | heures", Unit::Hour),
    ("小时 | 小時 | 个小时 | 個小時 | 时间 | 時間 | 시간", Unit::Hour),
    (
        "day | days | tag | tage | tagen | día | días | dia | dias | jour | jours | 天 | 日 | 日間 | 일",
        Unit::Day,
    ),
    ("week | weeks | woche | wochen | semana | semanas | semaine | semaines", Unit::Week),
    ("周 | 週 | 週間 | 星期 | 个星期 | 個星期 | 个礼拜 | 주 | 주일", Unit::Week),
    ("weekend | weekends", Unit::Weekend),
    ("month | months | monat | monate | monaten | mes | meses | mois", Unit::Month),
    ("个月 | 個月 | か月 | ヶ月 | カ月 | ケ月 | 箇月 | 개월 | 달", Unit::Month),
    ("year | years | jahr | jahre | jahren | año | años | an | ans | année | années | 年 | 년", Unit::Year),
];

/// Seasons.
pub const SEASONS: &[(&str, Season)] = &[
    ("spring | frühling | 春天 | 春 | 봄", Season::Spring),
    ("summer | sommer | 夏天 | 夏 | 여름", Season::Summer),
    ("autumn | fall | herbst | 秋天 | 秋 | 가을", Season::Autumn),
    ("winter | 冬天 | 冬 | 겨울", Season::Winter),
];

/// Parts of the day, from and until, in hours from its midnight.
pub const HOURS: &[(&str, (i8, i8))] = &[
    ("morning | in the morning | früh | morgen | vormittag | por la mañana | mañana | matin", (4, 12)),
    ("早上 | 早晨 | 上午 | の朝 | 午前 | 아침 | 오전", (4, 12)),
    ("at noon | noon | mittag | midi | 中午 | 昼", (11, 15)),
    ("afternoon | in the afternoon | nachmittag | por la tarde | tarde | après - midi", (12, 18)),
    ("下午 | 午後 | の午後 | 오후", (12, 18)),
    ("evening | in the evening | abend | soir", (17, 24)),
    ("night | at night | nacht | por la noche | nuit | 晚上 | の夜 | 저녁 | 밤", (17, 30)),
];

/// Words before a month that blur it; the whole month is searched.
pub const EARLY: &[(&str, ())] = &[
    ("early | mid | mid - | late", ()),
    (
        "the first week of | the last week of | the beginning of | the start of | the middle of | the end of",
        (),
    ),
];

/// Words that tell French from German, where "hier" is "here".
pub const FRENCH: &[(&str, ())] =
    &[("je | j | tu | nous | vous | il | elle | que | qu | ai | est | le | les", ())];
