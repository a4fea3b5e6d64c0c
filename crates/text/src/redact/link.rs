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
    /// A plural, or another language, whose remarks are not listed.
    Told,
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
];

static TOLD: WordList = WordList::new("are were ist lautet heißt war est sera es era será é è foi jest это");

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
];

/// What may begin a few words between the name and its verb: "for the NAS", "I use", "wifi".
const QUALIFIERS: &[&str] = &[
    "for", "to", "of", "on", "at", "in", "from", "für", "fürs", "vom", "zum", "von", "pour", "du", "de",
    "des", "del", "para", "do", "da", "della", "dello", "voor", "van", "от", "для", "that i", "that we", "i",
    "we", "wifi", "wi-fi", "wlan", "nueva", "nova",
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
        element(after),
        option(after, spelling),
        changed(before, after),
        qualified(after),
        bracketed(after),
        implied(after, spelling),
    ]
    .into_iter()
    .flatten()
}

/// "the password's hunter2"
fn possessive(after: &str) -> Option<(Link, &str)> {
    let rest = ["'s ", "’s "].iter().find_map(|mark| after.strip_prefix(mark))?;
    Some((Link::Told, rest))
}

/// A sign or a verb, directly or behind the quote or bracket that closes the name.
fn closed(after: &str, spelling: Spelling) -> Option<(Link, &str)> {
    let open = after.trim_start_matches(['"', '\'', '`', '\\', ']', '*']);
    let identifier = spelling.identifier || spelling.option || after.starts_with(['"', '\'', '\\']);
    if identifier && let Some(found) = member(open) {
        return Some(found);
    }
    let (link, rest) = joint(open)?;
    Some((if identifier && link == Link::Punctuated { Link::Assigned } else { link }, rest))
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
    let told = || TOLD.iter().find_map(|word| Some((Link::Told, strip_word(rest, word)?)));
    let joined = || TOLD_WITHOUT_BLANK.iter().find_map(|word| Some((Link::Told, rest.strip_prefix(word)?)));
    let (link, rest) = said.or_else(told).or_else(joined)?;
    Some((link, skip_fillers(rest)))
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

/// A value on the line below its name is less sure, and the next name is none.
fn below(link: Link, after: &str) -> Option<(Link, &str)> {
    let line = skip_blanks(after);
    let Some(next) = line.strip_prefix("\r\n").or_else(|| line.strip_prefix('\n')).map(skip_blanks) else {
        return Some((link, line));
    };
    let word = leading(next, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_name = next.get(word.len()..)?.starts_with([':', '=']);
    (!is_name).then_some((Link::Told, next))
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
    Some((if changes { Link::Said } else { Link::Implied }, rest))
}

/// "the password for the NAS is hunter2"
fn qualified(after: &str) -> Option<(Link, &str)> {
    let start = skip_blanks(after);
    let mut rest = QUALIFIERS.iter().find_map(|word| strip_word(start, word))?;
    for _ in 0..7 {
        if let Some(found) = joint(rest) {
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
    let value = ["- ", "– ", "— ", "| "].iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    apart.then_some((Link::Implied, value))
}
