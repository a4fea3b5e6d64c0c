//! Facts: how people say who they are, where and with whom they live, what they do, have and suffer from.
//!
//! Some are told by words that say so ("I was born in"), the others by their form: what a person is, has, or does by habit is
//! a fact, unless it belongs to the moment or to the talk.

use std::sync::LazyLock;

use super::classes;
use super::fact_table::{
    BEEN_TABLE, CERTAIN_TABLE, DONE_TABLE, LASTING_TABLE, OWNED_TABLE, PAST_LIFE_TABLE, PLACED_TABLE,
};
use super::pattern::{self, Row};
use super::token::Token;
use super::verb;
use crate::calendar::{self, Language};
use crate::word_list::WordList;

/// What a clause says of the person's life, by its words.
pub fn find(clause: &[Token]) -> Option<&'static str> {
    if introduces(clause) {
        return Some("name");
    }
    if is_momentary(clause) || is_of_another(clause) || is_of_the_task(clause) {
        return None;
    }
    if let Some((row, head)) = pattern::first(&CERTAIN, clause) {
        let is_vague =
            clause.get(head).is_some_and(|token| VAGUE.contains(&token.text)) && row.category != "family";
        return (!is_vague).then_some(row.category);
    }
    if let Some((row, _)) = pattern::first(&LASTING, clause)
        && lasts_for_years(clause)
    {
        return Some(row.category);
    }
    let (row, _) = pattern::first(&PAST_LIFE, clause)?;
    is_biography(clause).then_some(row.category)
}

/// What a clause says that a person has, is or does for long, by its form alone.
pub fn find_by_form(clause: &[Token]) -> Option<&'static str> {
    if is_momentary(clause) || is_of_another(clause) || is_of_the_task(clause) {
        return None;
    }
    let owned = pattern::first(&OWNED, clause).filter(|(_, head)| is_owned(object(clause, *head)));
    let stored =
        || pattern::first(&PLACED, clause).filter(|(_, head)| is_lasting_place(object(clause, *head)));
    let been = || pattern::first(&BEEN, clause).filter(|(_, head)| is_lasting_role(object(clause, *head)));
    let done = || pattern::first(&DONE, clause).filter(|(_, head)| is_done_by_habit(object(clause, *head)));
    owned.or_else(stored).or_else(been).or_else(done).map(|(row, _)| row.category)
}

/// Whether a clause tells of a time that is over soon.
fn is_momentary(clause: &[Token]) -> bool {
    let is_part_of_day = |pair: &[Token]| matches!(pair, [this, part] if this.text == "this" && PASSING_TIME.contains(&part.text));
    clause.iter().any(|token| MOMENTARY.contains(&token.text)) || clause.windows(2).any(is_part_of_day)
}

/// "My boss is …", "a guy I know has …": people who are no part of the person's own life.
fn is_of_another(clause: &[Token]) -> bool {
    let is_led = clause.first().is_some_and(|first| DETERMINERS.contains(&first.text));
    let known = clause.iter().take(WIDEST_SUBJECT).position(|token| ACQUAINTANCE.contains(&token.text));
    let behind = known.and_then(|at| clause.get(at + 1..)).unwrap_or_default();
    // "My boss and I", "a colleague of mine and me"
    let is_with_me = behind
        .windows(2)
        .take(3)
        .any(|pair| matches!(pair, [and, me] if and.text == "and" && matches!(me.text.as_str(), "i" | "me")));
    let spoken = known.and_then(|at| clause.get(..at)).unwrap_or_default();
    let is_verb = |token: &Token| classes::VERB.contains(&token.text) && token.text != "'s";
    let is_friends =
        |pair: &[Token]| matches!(pair, [friend, of] if friend.text == "friend" && of.text == "'s");
    is_led && known.is_some() && !is_with_me && !spoken.iter().any(is_verb)
        || clause.windows(2).take(WIDEST_SUBJECT).any(is_friends)
}

/// "My code has two loops": the work at hand while they ask, unless it is their trade.
fn is_of_the_task(clause: &[Token]) -> bool {
    let is_at_hand = |token: &Token| AT_HAND.contains(&token.text);
    let is_trade =
        |token: &Token| token.text == "living" || pattern::is_person(&token.text) && !is_at_hand(token);
    clause.iter().any(is_at_hand) && !clause.iter().any(is_trade) && !lasts_for_years(clause)
}

/// "I'm Ada", and nothing more than a greeting or an origin behind it.
fn introduces(clause: &[Token]) -> bool {
    let [subject, be, rest @ ..] = clause else { return false };
    if subject.text != "i" || be.text != "am" {
        return false;
    }
    let Some(end) = pattern::name(rest, 0) else { return false };
    let is_named = rest.first().is_some_and(|name| !is_origin(name) && !classes::TRAIT.contains(&name.text));
    is_named
        && rest.get(end).is_none_or(|next| {
            next.is_mark() || ["and", "by", "btw", "from", "here"].contains(&next.text.as_str())
        })
}

/// "Norwegian", "Vietnamese": where a person belongs, by its ending.
fn is_origin(token: &Token) -> bool {
    let endings = ["ish", "ese", "ian", "ean", "can", "ine"];
    token.capital && token.text.len() > 4 && endings.iter().any(|ending| token.text.ends_with(ending))
}

fn object(clause: &[Token], head: usize) -> &[Token] {
    clause.get(head..).unwrap_or_default()
}

/// The words of a noun phrase up to what hangs on it.
fn noun_phrase(object: &[Token]) -> impl Iterator<Item = &Token> {
    let ends = |at: usize, token: &Token| {
        token.is_mark() || HANGS_ON.contains(&token.text) || at > 0 && OFTEN.contains(&token.text)
    };
    object.iter().enumerate().take_while(move |(at, token)| !ends(*at, token)).map(|(_, token)| token)
}

/// Whether a person can own it: no matter of the talk, and no auxiliary's verb.
fn is_owned(object: &[Token]) -> bool {
    let is_adverb = |token: &Token| token.text.ends_with("ly") || BEFORE_PARTICIPLE.contains(&token.text);
    let Some(first) = object.iter().find(|token| !is_adverb(token)) else { return false };
    let is_known = first.text == "the" && !object.iter().any(|token| HANGS_ON.contains(&token.text));
    let is_verb = verb::is_participle(&first.text) || first.text.ends_with("ing") && first.text.len() > 5;
    !is_verb
        && !is_known
        && !POINTED_AT.contains(&first.text)
        && pattern::has_content(object)
        && !noun_phrase(object).any(|token| OF_THE_TALK.contains(&token.text))
}

/// "In logistics", "on insulin", "in a wheelchair": not "in the kitchen".
fn is_lasting_place(object: &[Token]) -> bool {
    let Some(first) = object.first() else { return false };
    let is_passing = noun_phrase(object).any(|token| PASSING_PLACE.contains(&token.text));
    is_owned(object) && !is_passing && !DEFINITE.contains(&first.text)
}

/// Whether a person is so for long: "a welder", not "a bit lost".
fn is_lasting_role(object: &[Token]) -> bool {
    let mut words = noun_phrase(object).peekable();
    words.peek().is_some()
        && pattern::has_content(object)
        && !words.any(|token| OF_THE_TALK.contains(&token.text) || PASSING_ROLE.contains(&token.text))
}

/// Whether a person does it by habit and not only at times that the clause names.
fn is_done_by_habit(object: &[Token]) -> bool {
    let Some(first) = object.first() else { return false };
    // "All of it"
    let part = matches!(object, [_, of, whole, ..] if of.text == "of" && POINTED_AT.contains(&whole.text));
    let is_pointed_at = part || POINTED_AT.contains(&first.text) && first.text != "to";
    pattern::has_content(object)
        && !is_pointed_at
        && !object.iter().any(|token| AT_TIMES.contains(&token.text))
        && !noun_phrase(object).any(|token| OF_THE_MIND.contains(&token.text))
}

/// What a clause of the person's says by signs of what lasts, if neither its words nor its form are known: a name,
/// a close person, a trade, an illness, a span of years, an animal. What is past needs two of them.
pub fn find_by_signs(clause: &[Token]) -> Option<&'static str> {
    let has = |list: &WordList| clause.iter().any(|token| list.contains(&token.text));
    let speaks_of_self = has(&SELF) || (0..clause.len()).any(|at| pattern::close(clause, at).is_some());
    let passes = clause.iter().any(verb::is_progress)
        || is_momentary(clause)
        || is_of_another(clause)
        || is_of_the_task(clause)
        || has(&SPEAKS)
        || [&OF_THE_TALK, &AT_TIMES, &TO_THE_ASSISTANT].into_iter().any(has);
    let is_name = |at: usize| pattern::name(clause, at).is_some();
    let signs = [
        (1..clause.len()).any(is_name),
        (0..clause.len()).any(|at| pattern::close(clause, at).is_some()),
        (0..clause.len()).any(|at| names_a_trade(clause, at))
            || has(&classes::PEOPLE)
            || has(&classes::TRAIT),
        clause.iter().any(|token| pattern::is_illness(&token.text)),
        lasts_for_years(clause),
        has(&classes::PET),
    ];
    let count = signs.iter().filter(|sign| **sign).count();
    let is_past = clause.iter().any(|token| verb::is_past(&token.text));
    (speaks_of_self && !passes && count > usize::from(is_past)).then_some("other")
}

/// "A tram driver", "as organist".
fn names_a_trade(clause: &[Token], at: usize) -> bool {
    let is_led = clause.get(at).is_some_and(|token| matches!(token.text.as_str(), "a" | "an" | "as"));
    let rest = clause.get(at + 1..).unwrap_or_default();
    is_led && rest.iter().take(3).any(|token| pattern::is_person(&token.text))
}

static SELF: WordList = WordList::new("i me my mine we us our ours myself");
static TO_THE_ASSISTANT: WordList = WordList::new(
    "you your please would could should might think guess hope wonder give tell show help make review need want",
);

/// Whether what is past is told as part of a life: with its year, or as of a childhood.
fn is_biography(clause: &[Token]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token: &Token| token.text.as_str());
    (0..clause.len()).any(|at| {
        let is_year = word(at).parse::<u32>().is_ok_and(|year| (1930..2100).contains(&year));
        let is_of_age = word(at) == "was"
            && at > 0
            && word(at - 1) == "i"
            && at > 1
            && matches!(word(at - 2), "when" | "since");
        let is_childhood = matches!(word(at), "child" | "kid" | "boy" | "girl" | "teenager" | "teens")
            && at > 0
            && matches!(word(at - 1), "a" | "my");
        let is_long_ago = word(at) == "years" && word(at + 1) == "ago";
        is_year || is_of_age || is_childhood || is_long_ago
    })
}

/// "For ten years", "since 2019", "all my life": what has lasted will last.
fn lasts_for_years(clause: &[Token]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token: &Token| token.text.as_str());
    (0..clause.len()).any(|at| match word(at) {
        "years" | "decades" | "months" => {
            at > 0 && (classes::NUMBERS.contains(word(at - 1)) || word(at - 1).parse::<u32>().is_ok())
        }
        // "Every Tuesday", "twice a week": what is done at intervals is a habit.
        "every" | "each" => is_of_time(word(at + 1)),
        "a" | "per" => is_of_time(word(at + 1)) && at > 0 && !classes::PREPOSITION.contains(word(at - 1)),
        "mondays" | "tuesdays" | "wednesdays" | "thursdays" | "fridays" | "saturdays" | "sundays"
        | "weekends" => true,
        "since" => {
            word(at + 1).parse::<u32>().is_ok()
                || SINCE.contains(word(at + 1))
                || calendar::month(word(at + 1), &[Language::English]).is_some()
        }
        "life" => at > 1 && word(at - 2) == "all",
        "birth" => true,
        _ => false,
    })
}

fn is_of_time(word: &str) -> bool {
    OF_TIME.contains(word) || calendar::weekday(word, &[Language::English]).is_some()
}

static OF_TIME: WordList = WordList::new("day week month year morning evening night weekend winter summer");
static SINCE: WordList = WordList::new(
    "i childhood birth spring summer autumn winter last school university college easter christmas",
);

/// Words of a day that passes.
static MOMENTARY: WordList = WordList::new("rn tonight today yesterday atm again");
static PASSING_TIME: WordList = WordList::new("morning afternoon evening week weekend");
/// The most words before whom a clause is about.
const WIDEST_SUBJECT: usize = 4;
static DETERMINERS: WordList = WordList::new("my our a an the some this that one another");
/// People whom one knows and who are neither family nor at home.
static ACQUAINTANCE: WordList = WordList::new(
    "boss colleague colleagues coworker coworkers co-worker manager supervisor neighbor neighbors neighbour neighbours \
     landlord landlady flatmate flatmates roommate roommates housemate housemates teacher professor client clients customer \
     guy bloke dude man woman lady someone somebody acquaintance classmate teammate mate mates buddy stranger tenant",
);
/// What people work at while they ask.
static AT_HAND: WordList = WordList::new(
    "code script function file files csv error errors bug column columns row rows loop loops variable variables layers neurons \
     server query dataset spreadsheet essay chapter paragraph sentence draft config database api string array json regex model",
);
/// What a close person thinks or says is no fact of their life.
static SPEAKS: WordList =
    WordList::new("thinks says said asked asks told tells believes reckons wonders wants wanted needs knows");
/// What may stand between "have" and its verb.
static BEFORE_PARTICIPLE: WordList = WordList::new("never not still just already always also ever");
/// What follows a head and leaves it empty.
static VAGUE: WordList = WordList::new("it that this these those something anything");
/// What points at the talk instead of naming something.
static POINTED_AT: WordList = WordList::new(
    "it that this these those them him her you your something anything everything nothing what how why where if to not \
     been much more enough so too",
);
/// What parts a noun from what hangs on it.
static HANGS_ON: WordList =
    WordList::new("with of for about from in on at by that who which where when and or but because to");
/// How often something is done.
static OFTEN: WordList = WordList::new("a an once twice every each daily weekly three four five six");
/// When a habit is only a reaction.
static AT_TIMES: WordList = WordList::new("when whenever once until while if");
/// What only the mind or the talk does.
static OF_THE_MIND: WordList = WordList::new(
    "question questions idea ideas mistake mistakes sense point luck trouble error errors favor favour",
);
/// What people have at hand while they ask, and for no longer.
static OF_THE_TALK: WordList = WordList::new(
    "question questions problem problems issue issues idea ideas trouble doubt doubts feeling time look chance clue hour \
     hours minute minutes thing things way reason choice option options point plan plans headache cold fever flu cough \
     file files csv code script error bug table list function string array image photo picture letter email document draft \
     essay report page pages app task assignment exercise request favor favour lot bit few couple mess wreck idiot fool \
     hurry meeting fun luck guess hard tough rough sore recipe stain spot leftovers leftover dataset form sentence paragraph \
     text bunch ton tons opinion say practice",
);
static DEFINITE: WordList = WordList::new("the my our your his her their all one top it's");
/// Places where a person is only for a while.
static PASSING_PLACE: WordList = WordList::new(
    "bed hurry rush line queue trouble shock pain tears town traffic hold break holiday vacation page way phone call fire track \
     board edge work home school lunch dinner church hospital bus train plane car kitchen bath mood middle panic love fence \
     chapter step level budget pressure stress charge need search favor favour agreement",
);
/// What a person calls themselves only for now.
static PASSING_ROLE: WordList = WordList::new(
    "little while loss fan person lover big huge one tad touch step victim genius liar worst best only",
);

static CERTAIN: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(CERTAIN_TABLE));
static LASTING: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(LASTING_TABLE));
static PAST_LIFE: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(PAST_LIFE_TABLE));
static OWNED: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(OWNED_TABLE));
static PLACED: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(PLACED_TABLE));
static BEEN: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(BEEN_TABLE));
static DONE: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(DONE_TABLE));
