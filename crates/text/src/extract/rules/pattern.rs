//! The small language in which rules are written, and how a pattern is found at the head of a clause.
//!
//! A pattern is words in order: `a/b` is either word, `{pet}` is a word of a list (see `classes`), `?` after a word makes it
//! optional, `*` lets it repeat, `..` skips the adjectives and nouns before a noun, `...` any words, and `_` at the end asks
//! that something with content follows, `$` that nothing does. Some words are found by their form: `{close}` is "my sister Mei",
//! `{me}` the person, `{who}` either, `{name}` a name, `{number}` a number, `{code}` a number or code that
//! stands for a person, `{kin}` who is whose, `{person}` a trade such as
//! "florist", `{ill}` an illness, `{does}` and `{acts}` any verb of a habit, after "I" and after "my sister",
//! `{progress}` one in -ing, `{past}` one of what has happened.

use super::token::Token;
use super::{classes, verb};
use crate::calendar::{self, Language};
use crate::pattern::{Step, follow};
use crate::word_list::WordList;

/// The most words that `..` skips, and `*` repeats.
const WIDEST_GAP: usize = 4;
/// The most words that `...` skips.
const WIDEST_DETOUR: usize = 7;

/// A pattern, cut into its words.
#[derive(Debug)]
pub struct Pattern {
    steps: Vec<Step<Atom>>,
}

#[derive(Debug)]
enum Atom {
    Either(Vec<Atom>),
    Word(String),
    Class(&'static WordList),
    Close,
    Me,
    Who,
    Name,
    Number,
    Code,
    Person,
    Does,
    Acts,
    Progress,
    Kin,
    Past,
    Illness,
    Modifier,
    AnyWord,
    Content,
    End,
}

/// A table row, ready to be matched: what it is about, and how it is said.
#[derive(Debug)]
pub struct Row {
    /// What it is about.
    pub category: &'static str,
    /// How it is said.
    pub pattern: Pattern,
}

/// The rows of a table; `|` parts the patterns of one row.
pub fn rows(table: &[(&'static str, &'static str)]) -> Vec<Row> {
    table
        .iter()
        .flat_map(|(category, patterns)| {
            patterns.split('|').map(|pattern| Row { category, pattern: Pattern::new(pattern) })
        })
        .collect()
}

/// The category of the first row that matches, and where its head ends.
pub fn first<'r>(rows: &'r [Row], tokens: &[Token]) -> Option<(&'r Row, usize)> {
    rows.iter().find_map(|row| Some((row, row.pattern.head(tokens)?)))
}

impl Pattern {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Self {
        Self { steps: pattern.split_whitespace().filter_map(step).collect() }
    }

    /// How many words it was cut into.
    #[cfg(test)]
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// How many tokens at the beginning the pattern covers.
    pub fn head(&self, tokens: &[Token]) -> Option<usize> {
        let take = |atom: &Atom, at: usize, (): ()| atom.end(tokens, at).map(|end| (end, ()));
        follow(&self.steps, 0, (), &take).map(|(end, ())| end)
    }
}

fn step(written: &str) -> Option<Step<Atom>> {
    match written {
        ".." => return Some(Step::gap(Atom::Modifier, WIDEST_GAP)),
        "..." => return Some(Step::gap(Atom::AnyWord, WIDEST_DETOUR)),
        _ => {}
    }
    Some(match (written.strip_suffix('?'), written.strip_suffix('*')) {
        (Some(word), _) => Step::optional(either(word)?),
        (_, Some(word)) => Step::repeated(either(word)?, WIDEST_GAP),
        _ => Step::once(either(written)?),
    })
}

fn either(words: &str) -> Option<Atom> {
    let mut atoms = words.split('/').map(atom).collect::<Option<Vec<Atom>>>()?;
    if atoms.len() == 1 { atoms.pop() } else { Some(Atom::Either(atoms)) }
}

fn atom(word: &str) -> Option<Atom> {
    let Some(class) = word.strip_prefix('{').and_then(|class| class.strip_suffix('}')) else {
        return Some(match word {
            "_" => Atom::Content,
            "$" => Atom::End,
            _ => Atom::Word(word.to_owned()),
        });
    };
    Some(match class {
        "close" => Atom::Close,
        "me" => Atom::Me,
        "who" => Atom::Who,
        "person" => Atom::Person,
        "does" => Atom::Does,
        "acts" => Atom::Acts,
        "progress" => Atom::Progress,
        "kin" => Atom::Kin,
        "past" => Atom::Past,
        "ill" => Atom::Illness,
        "name" => Atom::Name,
        "number" => Atom::Number,
        "code" => Atom::Code,
        _ => Atom::Class(classes::class(class)?),
    })
}

impl Atom {
    /// Where it ends if it stands at `at`.
    fn end(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let token = tokens.get(at);
        let one = |is: bool| is.then_some(at + 1);
        match self {
            Self::Either(atoms) => atoms.iter().find_map(|atom| atom.end(tokens, at)),
            Self::Word(word) => one(*word == token?.text),
            Self::Class(class) => one(class.contains(&token?.text)),
            Self::Number => one(token?.is_number() || classes::NUMBERS.contains(&token?.text)),
            Self::Code => one(is_code(&token?.text)),
            Self::AnyWord => one(!token?.is_mark() || token?.text == "'"),
            Self::Modifier => one(is_modifier(token?)),
            Self::Person => one(is_person(&token?.text)),
            Self::Does => one(verb::is_habit(token?)),
            Self::Past => one(verb::is_past(&token?.text)),
            Self::Kin => one(is_kin(&token?.text)),
            Self::Illness => one(is_illness(&token?.text)),
            Self::Progress => one(verb::is_progress(token?)),
            Self::Acts => one(verb::is_habit_of_another(token?)),
            Self::Me => me(tokens, at),
            Self::Who => who(tokens, at),
            Self::Name => name(tokens, at),
            Self::Close => close(tokens, at),
            Self::End => (at >= tokens.len()).then_some(at),
            Self::Content => has_content(tokens.get(at..)?).then_some(at),
        }
    }
}

/// Whether some word has a meaning of its own.
pub fn has_content(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| !token.is_mark() && !classes::EMPTY.contains(&token.text))
}

/// Whether a word can stand before a noun and belong to it.
fn is_modifier(token: &Token) -> bool {
    let is_word = !token.is_mark() || token.text == "'";
    is_word
        && !classes::PREPOSITION.contains(&token.text)
        && (token.text == "'s" || !classes::VERB.contains(&token.text))
}

/// Whether a word is a number or code that stands for a person: "OH2KVR", "88213".
fn is_code(word: &str) -> bool {
    word.len() > 3 && word.chars().any(|c| c.is_ascii_digit())
}

/// Whether a word says who is whose.
fn is_kin(word: &str) -> bool {
    let is_joined = ["step", "grand", "great-", "god", "foster-"].iter().any(|head| {
        word.strip_prefix(head).is_some_and(|rest| classes::KIN.contains(rest.trim_start_matches('-')))
    });
    classes::KIN.contains(word) || word.contains("-in-law") || is_joined
}

/// Whether a word names an illness, by its ending or because everybody knows it.
pub fn is_illness(word: &str) -> bool {
    let endings = ["itis", "osis", "emia", "aemia", "algia", "pathy", "phobia", "lepsy", "plegia", "paresis"];
    classes::ILLNESS.contains(word) || endings.iter().any(|ending| word.len() > 6 && word.ends_with(ending))
}

/// Whether a word names a trade.
pub fn is_person(word: &str) -> bool {
    let endings = ["ist", "ian", "eer", "er", "or", "maker", "worker", "keeper", "man", "woman", "tress"];
    let word = word.strip_suffix('s').filter(|one| !one.ends_with('s')).unwrap_or(word);
    let is_degree = classes::NO_TRADE.contains(word);
    !is_degree && classes::PEOPLE.contains(word)
        || !is_degree && word.len() > 4 && endings.iter().any(|ending| word.ends_with(ending))
}

/// A name of one to three words.
pub fn name(tokens: &[Token], at: usize) -> Option<usize> {
    let is_name = |token: &&Token| token.capital && !token.is_mark() && !is_no_name(&token.text);
    let length = tokens.get(at..)?.iter().take(3).take_while(is_name).count();
    (length > 0).then_some(at + length)
}

fn is_no_name(word: &str) -> bool {
    classes::NO_NAME.contains(word) || calendar::is_name(word, &[Language::English])
}

/// The person, alone or with others: "I", "we", "my wife and I".
fn me(tokens: &[Token], at: usize) -> Option<usize> {
    if classes::ME.contains(&tokens.get(at)?.text) {
        return Some(at + 1);
    }
    // "Ana and I"
    if let Some(named) = name(tokens, at)
        && tokens.get(named).is_some_and(|next| AND.contains(&next.text.as_str()))
        && tokens.get(named + 1).is_some_and(|next| next.text == "i")
    {
        return Some(named + 2);
    }
    // "Me and Ana are …"
    if tokens.get(at)?.text == "me"
        && tokens.get(at + 1).is_some_and(|next| AND.contains(&next.text.as_str()))
    {
        return name(tokens, at + 2).or_else(|| close(tokens, at + 2));
    }
    let end = close(tokens, at)?;
    let [and, i, ..] = tokens.get(end..)? else { return None };
    (and.text == "and" && i.text == "i").then_some(end + 2)
}

static PARENTS: WordList = WordList::new("mum mom dad nan gran grandma grandpa granny mama papa");
static POSSESSIVES: WordList = WordList::new("a an the your his her their single new of 's");
static PART_OF: WordList = WordList::new("both all one two three half some");
const AND: &[&str] = &["and", "n", "&"];

/// The person, or one who is close to them.
pub fn who(tokens: &[Token], at: usize) -> Option<usize> {
    me(tokens, at).or_else(|| close(tokens, at))
}

/// One who is close to the person: "my older sister", "our dog Rex", "my son, Tom,".
pub fn close(tokens: &[Token], at: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // "Both my sons", "one of our cats"
    let of = at + usize::from(PART_OF.contains(word(at)));
    let at = of + usize::from(of > at && word(of) == "of");
    let owner = tokens.get(at)?.text.as_str();
    // "Mum" is their own unless another's is named.
    let is_bare = at.checked_sub(1).is_none_or(|before| !POSSESSIVES.contains(word(before)));
    if is_bare && PARENTS.contains(owner) {
        return Some(at + 1);
    }
    // "The kids" are their own, "the boy" is any.
    let is_household =
        owner == "the" && tokens.get(at + 1).is_some_and(|next| classes::HOUSEHOLD.contains(&next.text));
    (classes::MY.contains(owner) || is_household).then_some(())?;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_close = |here: usize| {
        let is_friend =
            text(here) == "friend" && (text(here - 1) == "best" || name(tokens, here + 1).is_some());
        is_kin(text(here)) || classes::PET.contains(text(here)) || is_friend
    };
    // The last of them: "my twin brother".
    let kin = (at + 1..at + 4).find(|here| is_close(*here) && !is_close(here + 1))?;
    if tokens.get(at + 1..kin)?.iter().any(|token| token.is_mark() || classes::VERB.contains(&token.text)) {
        return None;
    }
    // "My dog sitter" is nobody's dog.
    if is_person(text(kin + 1)) {
        return None;
    }
    let is_in_law = text(kin + 1) == "in" && text(kin + 2).starts_with("law");
    let mut end = kin + if is_in_law { 3 } else { 1 };
    if let Some(named) = name(tokens, end) {
        return Some(named);
    }
    let comma = |at: usize| tokens.get(at).is_some_and(|token| token.text == ",");
    if comma(end)
        && let Some(named) = name(tokens, end + 1)
        && comma(named)
    {
        end = named + 1;
    }
    Some(end)
}
