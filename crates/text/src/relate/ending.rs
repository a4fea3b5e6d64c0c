//! Statements that something is over or done, and what they say it of.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::Date;

use crate::calendar::{self, is_english_term};
use crate::cjk::is_hiragana;
use crate::extract::day;
use crate::relate::same::{Folded, folded_list, is_name, is_negation, is_number, telling};
use crate::relate::wording::{Word, is_small, stem, words};
use crate::word_list::WordList;

/// What a statement says is over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its telling words.
    pub(super) what: Vec<String>,
    /// All telling words of the clause, in order.
    told: Vec<Word>,
    /// Whether the statement also tells what holds instead, or is worth keeping itself, as a death is.
    pub(super) states_more: bool,
    /// Whether it says that somebody or something owned is no longer there.
    pub(super) is_lost: bool,
    /// Whether it is aimed at or feared, but has not come.
    pub(super) is_ahead: bool,
}

impl Ended {
    /// Returns true if it is of what a known statement tells, by the same person: "I quit Google" of "I work at
    /// Google", but neither "I quit the Google choir" nor "Ana left Google".
    pub(super) fn is_of(&self, known: &Folded<'_>) -> bool {
        let is_known = |word: &Word| known.telling().any(|other| other.text == word.text);
        let is_other = |word: &Word| {
            let is_beside = says_end(&word.text) || is_work(&word.text) || is_number(&word.text);
            !(is_known(word) || is_beside || word.is_han())
        };
        let Some(last) = self.told.iter().rposition(is_known) else { return false };
        let end = self.told.iter().rposition(|word| is_end(&word.text)).unwrap_or_default();
        // The word after it may be what it is a part of; what follows is the reason, or more.
        !self.told.iter().take(end.max(last + 1) + 1).any(is_other)
    }
}

/// What a statement says holds no longer: "we cancelled the Lisbon trip", "I don't smoke any more".
pub(super) fn ended(text: &str) -> Option<Ended> {
    let (over, more) = first_clause(text);
    let all: Vec<String> = telling(over).into_iter().map(|word| word.text).collect();
    let has = |word: &str| all.iter().any(|other| other == word);
    let denied = all.iter().any(|word| is_negation(word));
    let is_lost = !denied && (all.iter().any(|word| LOST.contains(word)) || has("pass") && has("away"))
        || HAN_LOST.iter().any(|end| over.contains(end));
    let says_so = is_lost
        || has("不") && has("再")
        || HAN_ENDS.iter().any(|end| over.contains(end))
        || denied && ["longer", "mor", "mehr", "ya"].into_iter().any(has)
        // "Je ne fume plus", "je n'habite plus"
        || has("plu") && (has("ne") || words(over).iter().any(|word| is_denied_in_french(&word.text)))
        || !denied
            && (names_an_end(&words(over))
                || (has("giv") || has("gav") || has("given")) && has("up")
                || has("call") && has("off")
                || has("mov") && (has("away") || has("out"))
                || has("used") && has("to")
                || over.ends_with(" is off"));
    if !says_so {
        return None;
    }
    let spoken =
        HAN_ENDS.iter().chain(HAN_LOST.iter()).fold(over.to_owned(), |rest, end| rest.replace(end, ""));
    let told = telling(&spoken);
    let what: Vec<String> =
        told.iter().map(|word| word.text.clone()).filter(|word| !says_end(word)).collect();
    let states_more = is_lost || more.is_some_and(states);
    let is_ahead = !denied && words(over).iter().any(|word| AHEAD.contains(&word.text));
    (!what.is_empty()).then_some(Ended { what, told, states_more, is_lost, is_ahead })
}

/// Returns true if words tell of an end, which "by the end of May" does not.
fn names_an_end(all: &[Word]) -> bool {
    let is_last_part = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| all.get(before));
        before.is_some_and(|word| BEFORE_LAST_PART.contains(&word.text))
            || all.get(at + 1).is_some_and(|word| word.text == "of")
    };
    let mut ends = all.iter().enumerate().filter(|(_, word)| ENDS.contains(&word.stem()));
    ends.any(|(at, word)| word.stem() != "end" || !is_last_part(at))
}

/// Returns true if a term only says that something ended, or when.
fn says_end(term: &String) -> bool {
    is_end(term)
        || is_negation(term)
        || AROUND.contains(term)
        || is_small(term)
        || is_english_term(term)
        || is_kana(term)
}

fn is_end(term: &String) -> bool {
    ENDS.contains(term) || LOST.contains(term)
}

/// "nhabite", "nai": a verb after "n'", folded.
fn is_denied_in_french(word: &str) -> bool {
    word.strip_prefix('n').is_some_and(|verb| verb.starts_with(['a', 'e', 'h', 'i', 'o', 'u']))
}

/// Returns true if a term names work as such.
pub(super) fn is_work(term: &str) -> bool {
    WORK.contains(term)
}

/// What a statement says the person has: the words of the thing or of the animal. People are not had.
pub(super) fn owned(statement: &Folded<'_>) -> Option<Vec<String>> {
    let told = statement.words();
    let is_of_people = told.iter().any(|word| PEOPLE.contains(&word.text));
    let starts =
        |word: &Word| OWNING.contains(&word.text) || ["有", "養", "养", "飼"].contains(&word.text.as_str());
    let at = told.iter().position(starts)?;
    let thing = told.iter().skip(at + 1).take(8).map(|word| word.text.clone());
    (!is_of_people).then(|| thing.collect())
}

/// What a statement says was done.
pub(super) struct Done {
    /// Its telling words.
    pub(super) what: Vec<String>,
    /// The verbs that say so, unless it says that something came to its end whatever it was.
    verbs: Option<Vec<String>>,
    /// All its telling words, if an auxiliary or an ending tells that one of them is what was done.
    perfect: Vec<String>,
}

impl Done {
    /// Returns true if what was done is what a goal aims at: "launched" of "launch", "rendu" of "rendre".
    pub(super) fn is_of(&self, goal: &Folded<'_>) -> bool {
        let is_in_goal = |verb: &String| goal.telling().any(|word| word.text == *verb);
        let Some(verbs) = &self.verbs else { return true };
        let is_root = |verb: &&String| {
            !is_in_goal(verb)
                && goal
                    .telling()
                    .any(|word| !self.perfect.contains(&word.text) && has_root_of(&word.text, verb))
        };
        verbs.iter().any(is_in_goal) || self.perfect.iter().any(|verb| is_root(&verb))
    }
}

/// Returns true if two forms can be of one verb of German, Spanish or French: "zahlen" and "bezahlt".
fn has_root_of(a: &str, b: &str) -> bool {
    let root = |word: &str| {
        word.chars().take(word.chars().count().saturating_sub(2).clamp(3, 4)).collect::<String>()
    };
    !is_small(a) && !is_small(b) && (a.contains(&root(b)) || b.contains(&root(a)))
}

/// What a statement says was done: "I passed the driving test", "ran the marathon", "the app is launched".
pub(super) fn done(text: &str) -> Option<Done> {
    let all = words(text);
    let is_ahead = all.iter().any(|word| is_negation(&word.text) || AHEAD.contains(&word.text))
        || HAN_AHEAD.iter().any(|ahead| text.contains(ahead));
    if is_ahead {
        return None;
    }
    let is_over = all.iter().any(|word| {
        DONE.contains(&word.text) || past(&word.text).is_some_and(|plain| !TAKEN.contains(plain))
    }) || HAN_DONE.iter().any(|done| text.contains(done))
        || text.contains("ました") && !text.contains("になりました")
        // To stop something can be the goal.
        || ended(text).is_some_and(|end| !end.is_lost);
    let verbs: Vec<String> = all.iter().filter_map(|word| done_verb(&word.text)).collect();
    let perfect: Vec<String> = if is_perfect(text, &all) { aimed_at(text) } else { Vec::new() };
    if !is_over && verbs.is_empty() && perfect.is_empty() {
        return None;
    }
    let spoken = HAN_DONE.iter().fold(text.to_owned(), |rest, done| rest.replace(done, ""));
    let what = aimed_at(&spoken);
    (!what.is_empty()).then(|| Done { what, verbs: (!is_over).then_some(verbs), perfect })
}

/// Returns true if a statement in German, Spanish or French tells what the person has done.
fn is_perfect(text: &str, all: &[Word]) -> bool {
    let ends_as_past = |word: &str| word.chars().count() > 3 && word.ends_with(['é', 'í']);
    all.iter().any(|word| PERFECT.contains(&word.text))
        || text.split(|c: char| !c.is_alphanumeric()).any(ends_as_past)
}

/// Auxiliaries of the perfect, folded.
static PERFECT: WordList = WordList::new("hab habe haben ai jai avons he hemos");

/// The term of the verb that a past form is of: "launched", "sold", "gelernt".
fn done_verb(word: &str) -> Option<String> {
    let regular = word.strip_suffix("ed").filter(|verb| verb.chars().count() > 2).map(|_| stem(word));
    let german = || {
        let root = word.strip_prefix("ge")?.strip_suffix('t').filter(|root| root.chars().count() > 2)?;
        Some(stem(&format!("{root}en")))
    };
    past(word).map(stem).or(regular).or_else(german)
}

/// What a goal or a date is about, without the words of aiming, doing and dating.
pub(super) fn aimed_at(text: &str) -> Vec<String> {
    let spoken = HAN_AIMS.iter().fold(without_time(text).to_owned(), |rest, aim| rest.replace(aim, ""));
    let mut aimed: Vec<String> = telling(&spoken)
        .into_iter()
        .map(|word| past(&word.text).map_or(word.text, stem))
        .filter(|word| {
            !(is_aim(word)
                || is_time(word)
                || is_number(word)
                || is_negation(word)
                || is_small(word)
                || is_kana(word))
        })
        .collect();
    aimed.sort();
    aimed.dedup();
    // To buy a car is about the car; only "I want to run" is about running.
    let things: Vec<String> = aimed.iter().filter(|word| !is_doing(word)).cloned().collect();
    if things.is_empty() { aimed } else { things }
}

/// A statement in Chinese or Japanese without the time that it begins with: "五月底之前", "金曜日までに".
fn without_time(text: &str) -> &str {
    let after = |mark: &&str| text.find(*mark).filter(|at| *at <= LONGEST_TIME).map(|at| at + mark.len());
    HAN_BEFORE.iter().filter_map(after).max().and_then(|at| text.get(at..)).unwrap_or(text)
}

/// In bytes.
const LONGEST_TIME: usize = 36;
const HAN_BEFORE: [&str; 4] = ["之前", "以前", "までに", "前に"];

/// Returns true if both statements name or count something, and nothing the same: another marathon, fewer books.
pub(super) fn names_another(a: &str, b: &str) -> bool {
    // The day by which something is done tells it from nothing else.
    let days: Vec<String> = [a, b].iter().flat_map(|text| day_of(text)).collect();
    let are_apart = |telling_apart: fn(&Word) -> bool| {
        let of = |text| -> Vec<String> {
            let words = telling(text).into_iter().filter(telling_apart).map(|word| word.text);
            words.filter(|word| !is_aim(word) && !is_time(word) && !days.contains(word)).collect()
        };
        let (a, b): (Vec<String>, Vec<String>) = (of(a), of(b));
        !a.is_empty() && !b.is_empty() && !a.iter().any(|word| b.contains(word))
    };
    are_apart(is_name) || are_apart(|word| is_number(&word.text))
}

/// The words of the day that a text names.
fn day_of(text: &str) -> Vec<String> {
    // Which day it is depends on today, but not where it stands.
    let named = day::find(text, Date::constant(2026, 1, 1));
    let words = named.and_then(|named| text.get(named.range)).map(telling).unwrap_or_default();
    words.into_iter().map(|word| word.text).collect()
}

/// The first clause of a statement and what follows it.
fn first_clause(text: &str) -> (&str, Option<&str>) {
    let breaks = [
        ", ",
        ". ",
        "; ",
        "，",
        "。",
        "；",
        " but ",
        " and ",
        " because ",
        " und ",
        " aber ",
        " weil ",
        " y ",
        " pero ",
        " porque ",
        " et ",
        " mais ",
        " parce que ",
    ];
    match breaks.iter().filter_map(|pause| text.split_once(pause)).min_by_key(|(first, _)| first.len()) {
        Some((first, more)) if ended_alone(first) => (first, Some(more)),
        _ => (text, None),
    }
}

/// Returns true if a clause holds more than an introduction: "Sadly, we cancelled it", but "I sold the boat, it was
/// old".
fn ended_alone(clause: &str) -> bool {
    let told: Vec<String> = telling(clause).into_iter().map(|word| word.text).collect();
    told.len() > 2 || told.iter().any(is_end) && !told.iter().all(says_end)
}

fn states(more: &str) -> bool {
    telling(more).len() > 1
}

/// The plain form of a verb whose past is not made by an ending.
fn past(word: &str) -> Option<&'static str> {
    PAST.iter().find(|(past, _)| *past == word).map(|(_, plain)| *plain)
}

fn is_doing(word: &str) -> bool {
    PAST.iter().any(|(_, plain)| stem(plain) == word)
}

const PAST: &[(&str, &str)] = &[
    ("became", "become"),
    ("bought", "buy"),
    ("built", "build"),
    ("did", "do"),
    ("found", "find"),
    ("got", "get"),
    ("had", "have"),
    ("learned", "learn"),
    ("learnt", "learn"),
    ("lost", "lose"),
    ("made", "make"),
    ("paid", "pay"),
    ("ran", "run"),
    ("saved", "save"),
    ("sold", "sell"),
    ("swam", "swim"),
    ("visited", "visit"),
    ("went", "go"),
    ("won", "win"),
    ("wrote", "write"),
];

/// Pasts (in their plain form) that tell of a goal only if it aims at just that.
static TAKEN: WordList = WordList::new("buy lose pay save sell");

static DONE: WordList = WordList::new(
    "accomplished achieved completed done finished handed managed passed reached submitted succeeded \
     abgeschlossen beendet bestanden erledigt erreicht fertig geschafft vollendet \
     acabado acabe aprobado aprobe completado conseguido consegui logrado logre superado terminado termine \
     acheve atteint fait fini reussi hecho gemacht",
);
static HAN_DONE: WordList = WordList::new(
    "完成了 完成 考过了 通过了 做完了 达成了 跑完了 读完了 写完了 学会了 完了 \
     完成しました 達成しました 達成した 合格しました 合格した 終わりました 終わった 終えました 卒業しました 受かりました 受かった 完走しました",
);

/// Words of what is yet to come.
static AHEAD: WordList = WordList::new(
    "almost going hope hopes if might must need needs plan plans should soon still try trying want wants \
     will would \
     fast hoffe mochte muss soll will wenn werde casi debo espero quiero si voy bientot dois espere presque vais veux",
);
static HAN_AHEAD: WordList = WordList::new("想 打算 要 希望 没 たい まで ない つもり");
static HAN_AIMS: WordList =
    WordList::new("我想要 我想 打算 希望 计划 我要 目标是 我 したいです したい たいです たい");

/// Terms that say that something is over.
static ENDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list(
        "abandon abandoned cancel cancelled canceled drop end left quit scrap scrapped stop \
         abgesagt abgebrochen aufgegeben aufgehort beendet gekundigt gestrichen verlassen \
         cancelado canceló cancelamos dejado dejé dejó renuncié anulado \
         annulé annulée abandonné arrêté démissionné quitté",
    )
});
static HAN_ENDS: WordList = WordList::new(
    "不再 取消了 取消 放弃了 放弃 戒了 不干了 辞职了 キャンセルしました キャンセルになりました キャンセル 中止になりました 中止 \
     やめました やめた 辞めました 辞めた 諦めました",
);

/// Words before an end that is a part of a time: "by the end of May".
static BEFORE_LAST_PART: WordList =
    WordList::new("at before bis by dieses gegen in jahres no the this till to towards until year zum");

/// Terms that say that somebody or something is no longer there.
static LOST: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list(
        "died dead sold euthanized \
         gestorben starb tot verkauft verkauften verschenkt eingeschlafert \
         murió muerto vendí vendimos vendido falleció vendu vendue vendus mort morte décédé décédée",
    )
});
static HAN_LOST: WordList = WordList::new(
    "去世了 去世 死了 卖掉了 卖了 卖掉 亡くなりました 亡くなった 死にました 死んだ 死んでしまいました 売りました 売った 手放しました",
);

/// Terms around an end that are not what ended.
static AROUND: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list(
        "after ago any away been call pass passed can do ever final finally for from gave get give given go going got had have her his last longer mehr month \
         more move off our out plus sadly this to today unfortunately up us used was we week were with ya year \
         yesterday gestern letzte letzten woche leider ayer semana pasada hier dernière semaine",
    )
});

/// Terms that name work as such.
static WORK: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list("job work employer position stelle arbeit trabajo empleo puesto travail emploi poste")
});

/// Terms of having something.
static OWNING: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list(
        "my our have own drive ride keep got bought \
         mein meine unser unsere habe haben besitze fahre mi nuestro nuestra tengo tenemos conduzco \
         mon ma notre ai jai avons possède conduis",
    )
});

/// Terms of people whom one has.
static PEOPLE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    folded_list(
        "aunt boss boyfriend brother child colleague cousin dad daughter doctor father friend girlfriend grandfather \
         grandma grandmother grandpa husband mother mum mom neighbor neighbour nephew niece partner sister son uncle wife \
         bruder frau freund freundin mann mutter oma opa schwester sohn tochter vater \
         abuela abuelo amiga amigo hermana hermano hija hijo madre marido mujer padre \
         ami amie femme fille fils frère mari mère père sœur",
    )
});

fn is_kana(term: &str) -> bool {
    term.chars().all(is_hiragana)
}

/// Returns true if a term only tells until when something is to be done.
fn is_time(term: &str) -> bool {
    static TIMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let names = calendar::months(calendar::EUROPEAN).map(|(name, _)| name);
        let names = names.chain(calendar::weekdays(calendar::EUROPEAN).map(|(name, _)| name));
        let around = "bis ende vor jahr woche antes final finales ano semana avant fin annee semaine";
        names.chain(around.split(' ')).map(stem).collect()
    });
    TIMES.contains(term)
}

fn is_aim(term: &str) -> bool {
    AIMS.contains(term) || is_english_term(term)
}

/// Terms (stemmed) of aiming, doing and dating.
static AIMS: WordList = WordList::new(
    "accomplish achiev aim becom befor by complet do don end finally finish first for get go goal going \
     hand have hop i last lik mak manag month must need next pass plan reach submit submitt succeed this to \
     today try want we week will with would year yesterday \
     cest muss machen mochte will tengo quiero hacer faut dois veux faire",
);
