//! How a text gets from a secret's name to its value: by a sign, by a verb, or by nothing at all.

use super::reading::{holds_marker, leading, skip_blanks, strip_prefix, strip_word, trailing};
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

const SAID: &[&str] = &[
    "is",
    "was",
    "will be",
    "should be",
    "would be",
    "might be",
    "could be",
    "equals",
    "becomes",
    "changed to",
    "set to",
    "used to be",
    "is going to be",
    "has been",
    "now is",
    "ends up being",
    "shall be",
    "has changed to",
    "was changed to",
    "got changed to",
    "has been changed to",
    "is set to",
    "was set to",
    "has been set to",
    "remains",
    "stays",
    "reads",
];

static TOLD: WordList = WordList::new(
    "ist lautet lautete heißt heisst war wäre est c'est c’est sera était es era será é è foi são jest brzmi było \
     luidt это такой такая такое был будет olarak",
);

static TOLD_WITHOUT_BLANK: WordList =
    WordList::new("就是 是 为 為 改成了 改成 改为 改為 设为 設為 は が を 는 은 가 이 를 을");

/// What may stand between the verb and the value.
const FILLERS: &[&str] = &[
    "now",
    "still",
    "currently",
    "just",
    "simply",
    "actually",
    "literally",
    "probably",
    "basically",
    "always",
    "also",
    "set to",
    "changed to",
    "as follows",
    "this",
    "the following",
    "maintenant",
    "ahora",
    "agora",
    "jetzt",
    "nu",
    "adesso",
    "teraz",
    "теперь",
    "сейчас",
    "şimdi",
    "le",
    "la",
    "einfach",
    "nämlich",
    "toujours",
    "all lowercase",
    "all caps",
    "lowercase",
    "uppercase",
    "in lowercase",
    "in all caps",
    "currently set to",
];

/// What may begin a few words between the name and its verb: "for the NAS", "I use", "wifi".
const QUALIFIERS: &[&str] = &[
    "for",
    "to",
    "of",
    "on",
    "at",
    "in",
    "from",
    "für",
    "fürs",
    "vom",
    "zum",
    "von",
    "pour",
    "du",
    "de",
    "des",
    "del",
    "para",
    "do",
    "da",
    "della",
    "dello",
    "voor",
    "van",
    "от",
    "для",
    "that i",
    "that we",
    "i",
    "we",
    "wifi",
    "wi-fi",
    "wlan",
    "nueva",
    "nova",
    "der",
    "die",
    "meiner",
    "meines",
    "unserer",
    "au",
    "à",
    "de la",
    "de l'",
    "del",
    "dell'",
    "alla",
    "al",
    "dos",
    "das",
    "na",
    "no",
    "naar",
    "op",
    "do",
    "od",
    "na",
    "к",
    "на",
    "в",
    "с",
    "карты",
    "домофона",
    "подъезда",
    "сейфа",
    "двери",
    "is for",
    "you need",
    "hasn't",
    "has not",
    "didn't",
    "again",
    "once more",
];

/// The same, grown together with the next word.
const ELISIONS: &[&str] = &["d'", "d’", "de l'", "de l’", "dell'", "dell’", "all'", "all’"];

/// What follows a name like a second noun: "mot de passe wifi".
const NOUNS: &[&str] = &[
    "wifi",
    "wi-fi",
    "wlan",
    "du wifi",
    "del wifi",
    "do wifi",
    "карты",
    "домофона",
    "подъезда",
    "сейфа",
    "двери",
    "вайфая",
];

/// Longer than any word between a name and its verb.
const WORD: usize = 80;

/// Words that begin a clause of its own, so that a verb behind them is not the name's.
static BREAKS: WordList = WordList::new("which that who and but because so if when while or it this");

/// What is done to a password in a sentence that continues "… to hunter2".
const CHANGES: &[&str] = &["chang", "set ", "reset", "updat", "switch"];

/// Every way to read what follows a name, the surest first: how it is joined, and where the value begins.
pub(super) fn links<'t>(
    before: &'t str,
    after: &'t str,
    spelling: Spelling,
) -> impl Iterator<Item = (Link, &'t str)> {
    [
        possessive(after),
        closed(after, spelling),
        alone(before, after),
        element(after),
        option(after, spelling),
        changed(before, after),
        qualified(after, spelling),
        bracketed(after),
        implied(after, spelling),
        trailing_value(after),
    ]
    .into_iter()
    .flatten()
}

/// "the password's hunter2"
fn possessive(after: &str) -> Option<(Link, &str)> {
    let rest = ["'s ", "’s "].iter().find_map(|mark| after.strip_prefix(mark))?;
    Some((Link::Said, rest))
}

/// A sign or a verb, directly or behind the quote or bracket that closes the name.
fn closed(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let open = after.trim_start_matches(['"', '\'', '`', '\\', ']', '*']);
    let identifier = spelling.identifier || spelling.option || after.starts_with(['"', '\'', '\\']);
    if identifier && let Some(found) = member(open) {
        return Some(found);
    }
    let (link, rest) = joint(open).or_else(|| polish(open, spelling))?;
    Some((if identifier && link == Link::Punctuated { Link::Assigned } else { link }, rest))
}

/// "hasło to pierogi"
fn polish(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    Some((Link::Foreign, strip_word(skip_blanks(after), "to").filter(|_| spelling.language == "pl")?))
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
    let said = SAID.iter().find_map(|word| Some((Link::Said, strip_word(rest, word)?)));
    let plural = || ["are", "were"].iter().find_map(|word| Some((Link::Told, strip_word(rest, word)?)));
    let told = || TOLD.iter().find_map(|word| Some((Link::Foreign, strip_word(rest, word)?)));
    let joined =
        || TOLD_WITHOUT_BLANK.iter().find_map(|word| Some((Link::Foreign, rest.strip_prefix(word)?)));
    let (link, rest) = said.or_else(plural).or_else(told).or_else(joined)?;
    let rest = skip_fillers(rest);
    match own_line(rest) {
        Some(line) => Some((Link::Below, line)),
        None => Some((link, rest)),
    }
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
        return Some((link, line));
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
    let line = trailing(before, 48, |c| c != '\n');
    let starts = before.len() == line.len() || before.get(..before.len() - line.len())?.ends_with('\n');
    let short =
        line.split_whitespace().count() <= 2 && !line.contains(['.', '?', '!', ',']) && !holds_marker(line);
    let next = own_line(after)?;
    (starts && short).then_some((Link::Below, next))
}

fn skip_fillers(after: &str) -> &str {
    let mut rest = skip_blanks(after);
    for _ in 0..3 {
        let mark = || rest.strip_prefix([':', '：', '=', ',']);
        let Some(next) = FILLERS.iter().find_map(|word| strip_word(rest, word)).or_else(mark) else { break };
        rest = skip_blanks(next);
    }
    rest
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

/// "I changed my password to hunter2"
fn changed<'t>(before: &str, after: &'t str) -> Option<(Link, &'t str)> {
    let rest = strip_word(skip_blanks(after), "to")?;
    let clause = trailing(before, 48, |c| !matches!(c, '\n' | '.' | '!' | '?'));
    let changes = !holds_marker(clause) && CHANGES.iter().any(|verb| clause.contains(verb));
    Some((if changes { Link::Said } else { Link::Told }, rest))
}

/// "the password for the NAS is hunter2"
fn qualified(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let mut rest = qualifier(start)?;
    for _ in 0..7 {
        if let Some(found) = joint(rest).or_else(|| polish(rest, spelling)) {
            return Some(found);
        }
        let next = skip_blanks(rest);
        let run = leading(next, WORD, |c| !c.is_whitespace() && !is_cjk_or_mark(c) && c != '=');
        let word = run.trim_end_matches([':', ',', '.', ';', '!', '?']);
        if word.is_empty()
            || run.len() + 3 >= WORD
            || holds_marker(word)
            || BREAKS.iter().any(|stop| word.eq_ignore_ascii_case(stop))
        {
            return None;
        }
        rest = next.get(word.len()..)?;
        if rest.starts_with([',', '.', ';', '!', '?']) {
            return None;
        }
    }
    joint(rest)
}

/// What follows the word that begins a qualifier.
fn qualifier(start: &str) -> Option<&str> {
    let elided = || ELISIONS.iter().find_map(|word| strip_prefix(start, word));
    QUALIFIERS.iter().find_map(|word| strip_word(start, word)).or_else(elided)
}

/// "the password (router) is hunter2", "the password, by the way, is hunter2"
fn bracketed(after: &str) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let close: &[char] = if start.starts_with(',') { &[','] } else { &[')', '）'] };
    let inside = start.strip_prefix([',', '(', '（'])?;
    let words = leading(inside, 48, |c| !close.contains(&c) && c != '\n');
    let rest = inside.get(words.len()..)?.strip_prefix(close)?;
    if holds_marker(words) { None } else { joint(rest) }
}

/// "wifi password hunter2", "password - hunter2", a cell beside a cell.
fn implied(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let open = after.trim_start_matches(['"', '`', '*']);
    let rest = skip_blanks(open);
    let apart = spelling.unspaced || rest.len() < open.len();
    let rest = NOUNS.iter().find_map(|word| strip_word(rest, word)).map_or(rest, skip_blanks);
    let value = ["- ", "– ", "— ", "| "].iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    apart.then_some((Link::Implied, value))
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
