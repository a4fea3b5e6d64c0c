//! How a text gets from a secret's name to its value: by a sign, by a verb, or by nothing at all.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::cues::{Cue, cues};
use super::phrases::Phrases;
use super::reading::{
    holds_marker, leading, lower, skip_blanks, skip_enumerator, strip_prefix, strip_word, trailing,
};
use super::value::Value;
use super::words;
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;

/// What joins a name to a value, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// As programs write it: `password=…`, `"password": …`, `--password …`.
    Assigned,
    /// A colon or an arrow in prose.
    Punctuated,
    /// An English verb, after which a remark may stand just as well as a value.
    Said,
    /// An English plural: "passwords are …".
    Told,
    /// A verb of another language.
    Foreign,
    /// The value has a line of its own below the name.
    Below,
    /// It stands in brackets behind the name.
    Bracketed,
    /// Only a blank or a dash.
    Implied,
}

/// How a name is written, as far as it decides what its links mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling {
    /// Part of an identifier: `DB_PASSWORD`.
    pub(super) identifier: bool,
    /// A command's option: `--password`.
    pub(super) option: bool,
    /// In a script that parts no words by blanks.
    pub(super) unspaced: bool,
    /// The name's language.
    pub(super) language: &'static str,
}

static SAID: Phrases = Phrases::new("said");

/// What may stand before "be".
static MODALS: Phrases = Phrases::new("modal");

static TOLD: Phrases = Phrases::new("told");

/// The same of several words.
static TOLD_PHRASES: Phrases = Phrases::new("told-phrase");

/// Verbs that mean something else in other languages, each behind its own.
static OWN_VERBS: Phrases = Phrases::new("own-verb");

static TOLD_WITHOUT_BLANK: Phrases = Phrases::new("told-unspaced");

/// What may stand between the verb and the value.
static FILLERS: Phrases = Phrases::new("filler");

/// What may begin a few words between the name and its verb: "for the NAS", "I use", "wifi".
static QUALIFIERS: Phrases = Phrases::new("qualifier");

/// The same, grown together with the next word.
static ELISIONS: Phrases = Phrases::new("elision");

/// What follows a name like a second noun: "mot de passe wifi".
static NOUNS: Phrases = Phrases::new("noun");

/// Longer than any word between a name and its verb.
const WORD: usize = 80;

/// Words that begin a clause of its own, so that a verb behind them is not the name's.
static BREAKS: WordList = WordList::new("and but because so if when while or it this password");

/// What is done to a password in a sentence that continues "… to hunter2".
static CHANGES: Phrases = Phrases::new("change");

/// The "to" of such a sentence.
static TO: Phrases = Phrases::new("to");

/// Every way to read what follows a name, the surest first: how it is joined, and where the value begins.
pub(super) fn links<'t>(
    before: &'t str,
    after: &'t str,
    spelling: Spelling,
) -> impl Iterator<Item = (Link, &'t str)> {
    READINGS.iter().filter_map(move |read| read(before, after, spelling))
}

/// One way to read what follows a name, by what stands before it, what follows, and how it is written.
type Reading = for<'t> fn(&str, &'t str, Spelling) -> Option<(Link, &'t str)>;

const READINGS: &[Reading] = &[
    |_, after, _| possessive(after),
    |before, after, _| called(before, after),
    |_, after, spelling| closed(after, spelling),
    |before, after, _| alone(before, after),
    |_, after, _| element(after),
    |_, after, spelling| option(after, spelling),
    changed,
    |_, after, spelling| qualified(after, spelling),
    |_, after, _| bracketed(after),
    |_, after, _| inside_brackets(after),
    |_, after, spelling| implied(after, spelling),
    |_, after, _| trailing_value(after),
    |_, after, _| announced(after),
    set,
];

/// "the password's hunter2"
fn possessive(after: &str) -> Option<(Link, &str)> {
    let rest = ["'s ", "’s "].iter().find_map(|mark| after.strip_prefix(mark))?;
    Some((Link::Said, skip_fillers(rest)))
}

/// `SET PASSWORD = PASSWORD('hunter2')`
fn called<'t>(before: &str, after: &'t str) -> Option<(Link, &'t str)> {
    let value = after.strip_prefix('(').filter(|rest| rest.starts_with('\''))?;
    before.trim_end().ends_with('=').then_some((Link::Assigned, value))
}

/// A sign or a verb, directly or behind the quote or bracket that closes the name.
fn closed(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let open = after.trim_start_matches(['"', '\'', '`', '\\', ']', '*']);
    let identifier = spelling.identifier || spelling.option || after.starts_with(['"', '\'', '\\']);
    if identifier && let Some(found) = member(open) {
        return Some(found);
    }
    let (link, rest) = joint(open).or_else(|| own_verb(open, spelling)).or_else(|| asked(open))?;
    Some((if identifier && link == Link::Punctuated { Link::Assigned } else { link }, rest))
}

/// "hasło to pierogi"
fn own_verb(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let mut verbs =
        OWN_VERBS.iter().filter_map(|verb| verb.strip_prefix(spelling.language)?.strip_prefix(' '));
    let rest = verbs.find_map(|verb| strip_word(skip_blanks(after), verb))?;
    Some((Link::Foreign, skip_fillers(rest)))
}

/// "the password? hunter2", "password for the NAS? hunter2"
fn asked(after: &str) -> Option<(Link, &str)> {
    let about = leading(after, 32, |c| !matches!(c, '?' | '？' | '.' | ',' | ':' | '!' | '\n'));
    let rest = after.get(about.len()..)?.strip_prefix(['?', '？'])?.strip_prefix(' ')?;
    let qualified = about.is_empty() || qualifier(skip_blanks(about)).is_some() && !words::is_talk(about);
    let rest = skip_fillers(rest);
    // Even behind "what's the password?".
    let alone = Value::read(rest).is_some_and(|value| {
        let small = value.text.len() >= 6 && value.text.chars().all(char::is_lowercase);
        small && value.fills_its_line() && !words::is_answer(value.text)
    });
    qualified.then_some((if alone { Link::Below } else { Link::Implied }, rest))
}

/// A member of its own that holds the value: `name: DB_PASSWORD` with `value: …` beside or below it.
fn member(after: &str) -> Option<(Link, &str)> {
    let next = after.trim_start_matches([',', ' ', '\n', '\r', '\t', '"', '\'']);
    let rest = skip_blanks(strip_prefix(next, "value")?.trim_start_matches(['"', '\'']));
    Some((Link::Assigned, rest.strip_prefix([':', '='])?))
}

/// The sign or the verb that begins here.
fn joint(after: &str) -> Option<(Link, &str)> {
    let rest = skip_blanks(after);
    let rest = rest.strip_prefix("?:").map_or(rest, |_| rest.trim_start_matches('?'));
    if let Some(found) = sign(rest) {
        return Some(found);
    }
    // "might still be"
    let modal = || MODALS.opening(rest).find_map(|word| strip_word(rest, word)).map(skip_blanks);
    let be = || {
        let behind = |rest| ["be", "have been", "been"].iter().find_map(|be| strip_word(rest, be));
        modal().and_then(|rest| behind(rest).or_else(|| behind(skip_fillers(rest))))
    };
    let said = || {
        SAID.opening(rest).filter_map(|word| strip_word(rest, word)).chain(be()).min_by_key(|rest| rest.len())
    };
    // The longest: "is going to be", not "is".
    let said = || said().map(|rest| (Link::Said, rest));
    let plural = || ["are", "were"].iter().find_map(|word| Some((Link::Told, strip_word(rest, word)?)));
    let verbs = || TOLD_PHRASES.opening(rest).chain(TOLD.opening(rest));
    let told = || verbs().find_map(|word| Some((Link::Foreign, strip_word(rest, word)?)));
    let parted = || if begins_with_verb(rest) { said().or_else(plural).or_else(told) } else { None };
    let joined =
        || TOLD_WITHOUT_BLANK.opening(rest).find_map(|word| Some((Link::Foreign, rest.strip_prefix(word)?)));
    let (link, rest) = parted().or_else(joined)?;
    let rest = skip_fillers(rest);
    match own_line(rest.trim_start_matches(['.', ':'])) {
        Some(line) => Some((Link::Below, line)),
        None => Some((link, rest)),
    }
}

/// The first word of every verb: most words are none, and one look tells.
static VERB_STARTS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let verbs =
        SAID.iter().chain(MODALS.iter()).chain(TOLD_PHRASES.iter()).chain(TOLD.iter()).chain(["are", "were"]);
    verbs.filter_map(|verb| verb.split(' ').next()).collect()
});

fn begins_with_verb(rest: &str) -> bool {
    let word = leading(rest, 24, |c| c.is_alphanumeric() && !is_cjk_or_mark(c) || matches!(c, '\'' | '’'));
    // Scripts whose letters carry marks write their verbs whole.
    VERB_STARTS.contains(&*lower(word)) || rest.starts_with(|c: char| c > '\u{590}' && !is_cjk_or_mark(c))
}

fn sign(rest: &str) -> Option<(Link, &str)> {
    let equals = rest.strip_prefix(':').filter(|rest| rest.starts_with('=')).unwrap_or(rest);
    if equals.starts_with('=') && !equals.starts_with("=~") {
        return below(Link::Assigned, equals.trim_start_matches('=').trim_start_matches('>'));
    }
    if let Some(encoded) = strip_prefix(rest, "%3D") {
        return Some((Link::Assigned, encoded));
    }
    let colon = rest.strip_prefix([':', '：']).filter(|rest| !rest.starts_with(':'));
    let arrow = || ["->", "→", "➜"].iter().find_map(|arrow| rest.strip_prefix(arrow));
    // Bold names close behind their colon: `**Password:** hunter2`.
    below(Link::Punctuated, colon.or_else(arrow)?.trim_start_matches("** "))
}

/// A value on a line below its name is less sure, and the next name is none.
fn below(link: Link, after: &str) -> Option<(Link, &str)> {
    let line = skip_blanks(after);
    if !line.starts_with(['\n', '\r']) {
        return Some((link, skip_fillers(skip_enumerator(line))));
    }
    own_line(line).map(|next| (Link::Below, next))
}

/// The next line that says something, unless it begins with a name of its own. A code fence is none.
fn own_line(after: &str) -> Option<&str> {
    let mut next = skip_blanks(after);
    if !next.starts_with(['\n', '\r']) {
        return None;
    }
    for _ in 0..3 {
        next = skip_blanks(next.trim_start_matches('\r').strip_prefix('\n').unwrap_or(next));
        next = skip_enumerator(
            ["- ", "* ", "• "].iter().find_map(|mark| next.strip_prefix(mark)).unwrap_or(next),
        );
        if next.starts_with("```") {
            next = next.get(leading(next, 24, |c| c != '\n').len()..)?;
        }
    }
    let word = leading(next, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_name = next.get(word.len()..)?.starts_with([':', '=']);
    (!is_name).then_some(next)
}

/// A name that has a line of its own, with the value on the next one.
fn alone<'t>(before: &str, after: &'t str) -> Option<(Link, &'t str)> {
    let title = leading(after, 48, |c| c != '\n');
    let next = own_line(after.get(title.len()..)?)?;
    let line = trailing(before, 48, |c| c != '\n');
    let starts = before.len() == line.len() || before.get(..before.len() - line.len())?.ends_with('\n');
    let short =
        line.split_whitespace().count() <= 3 && !line.contains(['.', '?', '!', ',']) && !holds_marker(line);
    let title = title.trim_end_matches(|c: char| !c.is_alphanumeric());
    let leads = || ["below", "next line"].iter().any(|end| title.ends_with(end));
    let qualified = || qualifier(skip_blanks(title)).is_some() && title.split_whitespace().count() <= 4;
    let leads = title.is_empty()
        || title.starts_with(" (")
        || leads()
        || qualified() && !title.contains(['.', ',', ':', '?', '!']);
    (starts && short && leads).then_some((Link::Below, next))
}

pub(super) fn skip_fillers(after: &str) -> &str {
    let mut rest = skip_blanks(after);
    for _ in 0..3 {
        let mark = || rest.strip_prefix([':', '：', '=', ',', '…']).or_else(|| rest.strip_prefix("..."));
        let Some(next) = FILLERS.opening(rest).find_map(|word| strip_word(rest, word)).or_else(mark) else {
            break;
        };
        rest = skip_capital(skip_blanks(next));
    }
    rest
}

/// The text behind "M" in "capital M Moonlight".
fn skip_capital(text: &str) -> &str {
    let letter = leading(text, 1, |c| c.is_ascii_uppercase());
    let behind = text.get(letter.len()..).and_then(|rest| rest.strip_prefix([' ', ',']));
    behind.map(skip_blanks).filter(|rest| !letter.is_empty() && rest.starts_with(letter)).unwrap_or(text)
}

/// `<password>hunter2</password>`
fn element(after: &str) -> Option<(Link, &str)> {
    let value = after.strip_prefix('>')?;
    let text = leading(value, 256, |c| c != '<');
    (!holds_marker(text) && value.get(text.len()..)?.starts_with("</")).then_some((Link::Assigned, value))
}

/// `--password hunter2`
fn option(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    (spelling.option && after.starts_with(' ')).then_some((Link::Assigned, after))
}

/// "I changed my password to hunter2", "… from 1111 to 2222"
fn changed<'t>(before: &str, after: &'t str, spelling: Spelling) -> Option<(Link, &'t str)> {
    let start = skip_blanks(after);
    let old = strip_word(start, "from").map(skip_blanks);
    // Both look made up: they are handed over together.
    let is_mixed =
        |word: &str| word.contains(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit());
    if old.is_some_and(|old| is_mixed(leading(old, WORD, |c| c != ' '))) {
        return None;
    }
    let start =
        old.and_then(|old| old.get(leading(old, WORD, |c| c != ' ').len()..)).map_or(start, skip_blanks);
    let to = TO.opening(start).find(|to| strip_word(start, to).is_some())?;
    let rest = strip_word(start, to).filter(|_| !spelling.identifier)?;
    let clause = trailing(before, 48, |c| !matches!(c, '\n' | '.' | '!' | '?'));
    let behind = leading(rest, 48, |c| !matches!(c, '\n' | '.' | '!' | '?')).to_lowercase();
    let lower = clause.to_lowercase();
    let changes = !holds_marker(clause)
        && CHANGES.iter().any(|verb| lower.contains(verb) || to != "to" && behind.contains(verb));
    match (changes, to) {
        (true, "to") => Some((Link::Said, rest)),
        (true, _) => Some((Link::Foreign, rest)),
        (false, "to") => Some((Link::Told, rest)),
        (false, _) => None,
    }
}

/// "the password for the NAS is hunter2"
fn qualified(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let mut rest = qualifier(start).or_else(|| little_word(start))?;
    let is_change = |word: &str| CHANGES.opening(word).any(|verb| strip_prefix(word, verb).is_some());
    let mut changes = is_change(start);
    let mut last = "of";
    for _ in 0..20 {
        if let Some(found) = joint(rest).or_else(|| own_verb(rest, spelling)) {
            return Some(found);
        }
        let next = skip_blanks(rest);
        // "changed this morning to hunter2"
        if changes && let Some(value) = TO.opening(next).find_map(|to| strip_word(next, to)) {
            return Some((Link::Foreign, value));
        }
        // "for the router, the one in the hall, is hunter2"
        if next.starts_with(',') {
            return bracketed(next);
        }
        // "for Monday's call - hunter2"
        if let Some(value) = ["- ", "– ", "— "].iter().find_map(|dash| next.strip_prefix(dash)) {
            return Some((Link::Implied, value));
        }
        let run = leading(next, WORD, |c| !c.is_whitespace() && !is_cjk_or_mark(c) && c != '=');
        let word = run.trim_end_matches([':', ',', '.', ';', '!', '?']);
        if word.is_empty()
            || run.len() + 3 >= WORD
            || holds_marker(word)
            || BREAKS.iter().any(|stop| word.eq_ignore_ascii_case(stop))
                && !QUALIFIERS.iter().any(|word| word == last)
        {
            return None;
        }
        last = word;
        changes |= is_change(word);
        rest = next.get(word.len()..)?;
        if rest.starts_with(['.', ';', '!', '?']) {
            return None;
        }
    }
    joint(rest)
}

/// What follows the word that begins a qualifier.
fn qualifier(start: &str) -> Option<&str> {
    let elided = || ELISIONS.opening(start).find_map(|word| strip_prefix(start, word));
    QUALIFIERS.opening(start).find_map(|word| strip_word(start, word)).or_else(elided)
}

/// What follows the first word if it is one that sentences are made of: "the password you gave me is hunter2".
fn little_word(start: &str) -> Option<&str> {
    let word = leading(start, WORD, char::is_alphabetic);
    let lower = lower(word);
    let little = words::is_little(&lower)
        && (!words::is_talk(&lower) || lower == "which")
        && (!BREAKS.contains(&lower) || matches!(&*lower, "which" | "this"))
        && (!words::is_topic(&lower) || matches!(&*lower, "there" | "still" | "again" | "both"));
    // "the password Marta uses", "password Netflix"
    let named = word.starts_with(char::is_uppercase) && !words::is_topic(&lower) || is_account(&lower);
    if little || named { start.get(word.len()..) } else { None }
}

fn is_account(word: &str) -> bool {
    cues("", word).any(&[Cue::Account, Cue::Access])
}

/// "the password (router) is hunter2", "the password, by the way, is hunter2"
fn bracketed(after: &str) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let dash = ["- ", "– ", "— "].iter().find_map(|dash| start.strip_prefix(dash));
    let inside = dash.or_else(|| start.strip_prefix([',', '(', '（']))?;
    let close: &[char] = match start.chars().next() {
        Some(',') => &[',', ':'],
        Some('(' | '（') => &[')', '）'],
        _ => &['-', '–', '—'],
    };
    // ", which is hunter2"
    if let Some(found) = strip_word(skip_blanks(inside), "which").and_then(joint) {
        return Some(found);
    }
    let words = leading(inside, 80, |c| !close.contains(&c) && c != '\n');
    let rest = inside.get(words.len()..)?;
    let rest = rest.strip_prefix([',', ')', '）', '-', '–', '—']).unwrap_or(rest);
    if holds_marker(words) { None } else { joint(rest).or_else(|| joint(little_word(skip_blanks(rest))?)) }
}

/// "a password (hunter2)", "the same password everywhere (hunter2)"
fn inside_brackets(after: &str) -> Option<(Link, &str)> {
    let clause = leading(after, 32, |c| !matches!(c, '(' | '\n' | '.' | ',' | ':'));
    let inside = after.get(clause.len()..)?.strip_prefix('(')?;
    let word = leading(inside, WORD, |c| !c.is_whitespace() && c != ')');
    let closed = inside.get(word.len()..)?.strip_prefix(')')?;
    let short = clause.starts_with(' ') && clause.split_whitespace().count() <= 2;
    let ends = closed.trim_start().is_empty() || closed.starts_with(['.', ',', '\n', '!', '?']);
    (short && (ends || clause == " ") && word.len() >= 6).then_some((Link::Bracketed, inside))
}

/// "wifi password hunter2", "password - hunter2", a cell beside a cell.
fn implied(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let open = after.trim_start_matches(['"', '`', '*']);
    let rest = skip_blanks(open);
    let apart = spelling.unspaced || rest.len() < open.len();
    let mut rest = NOUNS.opening(rest).find_map(|word| strip_word(rest, word)).map_or(rest, skip_blanks);
    // "password Netflix hunter2"
    for _ in 0..3 {
        let word = leading(rest, WORD, char::is_alphabetic);
        let behind = rest.get(word.len()..).filter(|rest| rest.starts_with(' '));
        rest = behind.filter(|_| apart && is_account(&lower(word))).map_or(rest, skip_blanks);
    }
    let rest = if apart { skip_fillers(rest) } else { rest };
    // "👉", "~", ">>", "--": whatever points to the value.
    let pointer = leading(rest, 16, |c| {
        matches!(c, '~' | '>' | '-' | ':' | '…' | '\u{fe0f}')
            || c > '\u{2100}' && !c.is_alphanumeric() && !is_cjk_or_mark(c)
    });
    let pointed =
        rest.get(pointer.len()..).and_then(|rest| rest.strip_prefix(' ')).filter(|_| !pointer.is_empty());
    if let Some(value) = pointed.filter(|_| apart && !matches!(pointer, "-" | "–" | "—" | ":")) {
        return Some((Link::Punctuated, value));
    }
    let value = ["- ", "– ", "— ", "| "].iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    let apart = apart || open.starts_with("... ");
    apart.then_some((Link::Implied, value.trim_start_matches("... ")))
}

/// "my password which I always forget: hunter2", behind the first mark of the sentence.
fn announced(after: &str) -> Option<(Link, &str)> {
    const MARKS: &[&str] = &[": ", " - ", " – ", " — ", " -> ", " → ", " = ", " (", "... ", "… "];
    let line = leading(after, 128, |c| !matches!(c, '\n' | '!' | '?' | ';'));
    // Most lines have none of them.
    if !line.contains([':', '-', '–', '—', '→', '=', '(', '.', '…']) {
        return None;
    }
    let (at, mark) = MARKS.iter().filter_map(|mark| Some((line.find(mark)?, mark))).min()?;
    let (clause, value) = (after.get(..at)?, after.get(at + mark.len()..)?);
    let mut words = clause.split_whitespace();
    let (word, last) = (words.next()?, words.next_back()?.to_lowercase());
    let alone = Value::read(value).is_some_and(|value| value.ends_clause());
    let other = cues("", &last).any(&[Cue::Other, Cue::User]);
    let about = words::is_topic(word) && !word.ends_with("ly") || other || holds_marker(clause);
    let link = if *mark == ": " { Link::Punctuated } else { Link::Implied };
    let whole = clause.starts_with([' ', 's', ',']) && !clause.contains(". ");
    (whole && alone && !about).then_some((link, value))
}

/// `setx DB_PASSWORD hunter2`
fn set<'t>(before: &str, after: &'t str, spelling: Spelling) -> Option<(Link, &'t str)> {
    if !spelling.identifier || !after.starts_with(' ') {
        return None;
    }
    let line = trailing(before, WORD, |c| c != '\n');
    let verb = line.rsplit(' ').nth(1)?;
    let sets = matches!(verb, "setx" | "setenv" | "-x" | "-gx" | "-Ux" | "ENV");
    sets.then_some((Link::Assigned, after))
}

/// "pin for the card 4711": the first word with a digit behind a noun.
fn trailing_value(after: &str) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let mut rest = qualifier(start).map(skip_blanks)?;
    for _ in 0..4 {
        let word = leading(rest, WORD, |c| !c.is_whitespace());
        let plain = word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''));
        let next = skip_blanks(rest.get(word.len()..)?);
        if !plain || word.is_empty() || BREAKS.iter().any(|stop| word.eq_ignore_ascii_case(stop)) {
            return None;
        }
        let value = leading(next, WORD, |c| !c.is_whitespace());
        if value.contains(|c: char| c.is_ascii_digit()) {
            return (!super::words::is_remark(word)).then_some((Link::Implied, next));
        }
        rest = next;
    }
    None
}
