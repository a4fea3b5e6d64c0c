//! Whether what is told of a day is past: by the verb nearest to it.

use crate::word_list::WordList;

/// Returns true if the day at a place in a text is told of as past.
pub(super) fn is_past(words: &[String], at: usize) -> bool {
    let word =
        |at: usize| words.get(at).map_or("", |word| word.rsplit(['\'', '’']).next().unwrap_or_default());
    let before = |by: usize| at.checked_sub(by).map_or("", word);
    if SINCE.contains(before(1)) || SINCE.contains(before(2)) {
        return true;
    }
    // What was set, bought or told for a day is still to come.
    if AIMED.contains(before(1)) || is_small(before(1)) && AIMED.contains(before(2)) {
        return false;
    }
    let first = at.saturating_sub(NEAR);
    let sentence = |at: &usize| !SENTENCE_ENDS.contains(word(*at));
    let end = (at..words.len().min(at + NEAR)).find(|at| !sentence(at)).unwrap_or(words.len().min(at + NEAR));
    for place in (first..at).rev().take_while(sentence) {
        if let Some(is_past) = verb(&word, place, end) {
            return is_past;
        }
    }
    if (at..end).any(|at| tells_past_in_han(&word, at)) {
        return !(first..end).any(|at| SET_IN_HAN.contains(word(at)));
    }
    // "On Friday I saw Tom", "last night we met": the day stands before the person.
    let person = (at..end).find(|at| PERSON.contains(word(*at)));
    person.and_then(|person| (person..end).find_map(|place| verb(&word, place, end))).unwrap_or_default()
}

/// Whether the verb at a place is past; none if there is no verb.
fn verb<'w>(word: &impl Fn(usize) -> &'w str, at: usize, end: usize) -> Option<bool> {
    let told = word(at);
    // "Ich habe am Montag den Arzt gesehen", "j'ai vu", "he visitado"
    if HELPING.contains(told) {
        let done = (at + 1..end).find(|at| is_participle(word(*at)));
        return Some(done.is_some() && !(at + 1..end).any(|at| SET.contains(word(at))));
    }
    if SET.contains(told) || AHEAD.contains(told) {
        return Some(false);
    }
    if told == "am" && at.checked_sub(1).is_some_and(|before| word(before) == "i") {
        return Some(false);
    }
    if PAST.contains(told) {
        return Some(!(at + 1..end).any(|at| SET.contains(word(at))));
    }
    let is_regular =
        told.len() > 4 && told.ends_with("ed") && !told.ends_with("eed") && !NO_PAST.contains(told);
    // "I am invited"
    let is_told = at.checked_sub(1).is_none_or(|before| !PRESENT.contains(word(before)));
    let is_spanish = told.chars().count() > 3 && told.ends_with(['é', 'ó']) && !NO_PAST.contains(told);
    (is_regular && is_told || is_spanish).then_some(true)
}

fn is_participle(word: &str) -> bool {
    let german = ["ge", "be", "ver", "er", "ent", "zer"].iter().any(|start| word.starts_with(start))
        || ["an", "ab", "auf", "aus", "ein", "um"]
            .iter()
            .any(|start| word.strip_prefix(start).is_some_and(|rest| rest.starts_with("ge")));
    let length = word.chars().count();
    german && length > 5 && word.ends_with(['t', 'n'])
        || length > 4 && ["ado", "ido", "iert"].iter().any(|ending| word.ends_with(ending))
        || length > 3 && ["é", "ée", "és"].iter().any(|ending| word.ends_with(ending))
        || PARTICIPLES.contains(word)
}

/// 見ました, だった, 去过
fn tells_past_in_han<'w>(word: &impl Fn(usize) -> &'w str, at: usize) -> bool {
    let is = |by: usize, wanted: &str| word(at + by) == wanted;
    is(0, "ま") && is(1, "し") && is(2, "た")
        || is(0, "で") && is(1, "し") && is(2, "た")
        || is(0, "っ") && is(1, "た")
        || is(0, "过")
        || is(0, "過")
        || is(0, "了")
}

fn is_small(word: &str) -> bool {
    ["the", "den", "dem", "der", "el", "le", "la"].contains(&word)
}

/// Maximum number of words between a day and its verb.
const NEAR: usize = 12;

static SENTENCE_ENDS: WordList = WordList::new(". ! ? ; : 。 ！ ？ ；");
static SINCE: WordList = WordList::new("since seit desde depuis");
static AIMED: WordList =
    WordList::new("for to by until till before bis auf für para hasta al pour au avant jusqu'au");
static PERSON: WordList =
    WordList::new("i we he she they it ich wir er sie es man je nous il elle on yo nosotros él ella");
static PRESENT: WordList = WordList::new("am is are be being get getting so very m re s");

/// Verbs of the present and of what is to come.
static AHEAD: WordList = WordList::new(
    "is are be m will ll would going gonna shall must should need needs want wants plan plans have has hope starts begins leaves \
     arrives see meet leave fly go take do now \
     wird werden werde muss soll will möchte fliege fahre gehe beginnt \
     es está será voy va tengo tiene empieza sera vais va dois pars commence",
);
/// What is done to a day that is still to come.
static SET: WordList = WordList::new(
    "booked scheduled planned set rescheduled arranged reserved invited signed registered due expected confirmed \
     gebucht geplant verschoben verlegt angesetzt vereinbart eingeladen vorgezogen gelegt \
     reservado reservada programado programada cambió cambiado movió aplazó pospuesto previsto \
     prévu prévue réservé réservée reporté reportée fixé fixée déplacé déplacée décalé décalée",
);
static SET_IN_HAN: WordList = WordList::new("改 推 延 约 約 订 訂 定 変 予 決 な 提");
static HELPING: WordList = WordList::new(
    "habe hat haben hast ai as a avons ont suis sommes he ha hemos han bin ist sind est son sont",
);
static PARTICIPLES: WordList =
    WordList::new("vu eu pris fait été fini venu parti mort né née dit mis reçu visto hecho dicho sido ido");
static PAST: WordList = WordList::new(
    "was were had did saw went got met took came left began ran flew drove ate bought sold lost won found told spoke gave made wrote \
     read quit broke fell hurt died became built felt heard held kept knew paid put said sent slept spent stood swam taught thought threw \
     understood woke wore \
     war waren hatte hatten ging gingen kam kamen sah sahen traf trafen machte begann fand starb flog fuhr lief endete wurde \
     fue fui era estaba estuve estuvo tuve tuvo hice hizo fuimos vi murió \
     était étais avait avais",
);
/// Words that end like a past and are none.
static NO_PAST: WordList = WordList::new("hundred united wicked naked sacred indeed café esté porqué comité");
