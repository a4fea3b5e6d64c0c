//! The value that stands where a secret is expected, and how to tell a secret from words, numbers and code.

use super::MARKER;
use super::reading::{goes_on, holds_marker, leading, skip_blanks, skip_enumerator};
use super::words;
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;

/// What follows a secret's name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'t> {
    /// Its beginning, if it is long: enough to judge it by.
    pub(super) text: &'t str,
    pub(super) quoted: bool,
    /// What follows the value.
    pub(super) rest: &'t str,
    /// The text from the value's first character on.
    start: &'t str,
}

/// What an infinitive would go on with, as no password does: "to avoid the …".
static OBJECTS: WordList =
    WordList::new("the a an my your our his her their it them you us me all any this that");

/// How much of an unquoted value is looked at.
const LOOK: usize = 256;
/// How far away a closing quote may stand.
const LONGEST_QUOTE: usize = 4096;

const QUOTES: &[(&str, &str)] = &[
    ("\\\"", "\\\""),
    ("\\'", "\\'"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
];

impl<'t> Value<'t> {
    /// The value that begins here, in quotes or up to the next blank; none if there is none or it is redacted already.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let start = skip_blanks(text);
        let Some(mark) = ["**", "__", "||"].into_iter().find(|mark| start.starts_with(mark)) else {
            return Self::unmarked(start);
        };
        let value = Self::unmarked(start.strip_prefix(mark)?)?;
        let text = value.text.strip_suffix(mark).unwrap_or(value.text);
        Some(Self { text, ..value })
    }

    fn unmarked(start: &'t str) -> Option<Self> {
        let start = bracketed(start).unwrap_or(start);
        // Most values begin with a letter or a digit.
        let may_open = !start.starts_with(|c: char| c.is_ascii_alphanumeric());
        let mut quotes = QUOTES.iter().filter(|_| may_open);
        let Some((inside, close)) =
            quotes.find_map(|(open, close)| Some((start.strip_prefix(open)?, *close)))
        else {
            return Self::bare(start);
        };
        match closing(inside, close) {
            Some(end) => Self::quoted(inside, end, close),
            None => Self::bare(inside),
        }
    }

    fn quoted(inside: &'t str, end: usize, close: &str) -> Option<Self> {
        let (text, rest) = inside.split_at_checked(end)?;
        let rest = rest.strip_prefix(close)?;
        let said = !text.trim().is_empty() && !holds_marker(text);
        said.then_some(Self { text, quoted: true, rest, start: inside })
    }

    fn bare(start: &'t str) -> Option<Self> {
        let text = bare_run(start, LOOK)?;
        let rest = start.get(text.len()..)?;
        Some(Self { text, quoted: false, rest, start })
    }

    /// The whole value, however long it is.
    pub(super) fn whole(&self) -> &'t str {
        let cut = !self.quoted && self.text.len() + 8 >= LOOK;
        if cut { bare_run(self.start, usize::MAX).unwrap_or(self.text) } else { self.text }
    }

    /// This value and those that follow it, as far as they look made up: "alpha1, beta22 and gamma333".
    pub(super) fn list(&self) -> &'t str {
        let mut last = *self;
        while let Some(rest) = [", and ", " and ", ", ", " / ", " or ", " to ", "\n- ", "\n", " "]
            .iter()
            .find_map(|joint| last.rest.strip_prefix(joint))
            && let Some(next) = Self::read(skip_enumerator(rest))
            && !next.quoted
            && (next.is_made_up(5)
                || next.is_shaped_like(self)
                || self.is_word() && next.is_last_word() && !next.is_remark())
            && !next.is_reference()
        {
            last = next;
        }
        self.start.get(..self.start.len() - last.rest.len()).filter(|_| !self.quoted).unwrap_or(self.text)
    }

    /// The same number of digits, in the same groups: "4821-9932, 8831-0021".
    fn is_shaped_like(&self, other: &Self) -> bool {
        let shape = |text: &'t str| text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        self.text.len() >= 4
            && !self.text.contains(char::is_alphabetic)
            && shape(self.text).eq(shape(other.text))
    }

    /// Several plain words up to the clause's end, as in a passphrase, none but the first a word that people say *about* one.
    /// The words in the middle do not count if such a phrase may be a sentence.
    pub(super) fn phrase(&self, fewest: usize, sentence: bool) -> Option<&'t str> {
        let mut rest = self.start;
        let mut words = Vec::new();
        loop {
            let word = leading(rest, 16, char::is_lowercase);
            rest = rest.get(word.len()..)?;
            if word.chars().count() < if sentence { 1 } else { 3 } || words.len() > 24 {
                return None;
            }
            words.push(word);
            match rest.strip_prefix(' ') {
                Some(next) if next.starts_with(char::is_lowercase) => rest = next,
                _ => break,
            }
        }
        let first = words.first().is_some_and(|word| words::is_remark(word));
        let last = words.last().is_some_and(|word| words::is_remark(word));
        let others = words.iter().skip(1).any(|word| words::is_remark(word));
        let remarks = if sentence && words.len() >= 4 { first && others || last } else { others };
        let phrase = words.len() >= fewest && (!remarks || words.len() >= 12) && ends_clause(rest);
        phrase.then(|| self.start.get(..self.start.len() - rest.len())).flatten()
    }

    /// Two to six words up to the clause's end, none of which people say about a password: "lemon tree", "Otter Creek 42".
    pub(super) fn several(&self, language: &str) -> Option<&'t str> {
        let is_said = |word: &str| {
            let lower = word.to_lowercase();
            words::is_remark(word)
                || words::is_topic(word)
                || words::is_answer(&lower)
                || words::is_unit(&lower)
                || words::is_foreign_remark(word, language)
        };
        // In capitals, it is a name: "Rainy Day Fund".
        let (mut rest, mut count, mut titled, mut said) = (self.start, 0, true, 0);
        loop {
            let word = leading(rest, 24, |c| c.is_alphanumeric() && !is_cjk_or_mark(c));
            let letters = word.chars().count() >= 2 && word.chars().all(char::is_alphabetic);
            let number =
                count > 0 && (1..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
            titled &= word.starts_with(char::is_uppercase) && !words::is_little(&word.to_lowercase());
            said += usize::from(is_said(word));
            if !(letters || number) || said > 0 && !titled || count == 6 {
                return None;
            }
            count += 1;
            rest = rest.get(word.len()..)?;
            match rest.strip_prefix(' ') {
                Some(next) if !ends_clause(rest) => rest = next,
                _ => break,
            }
        }
        (count >= 2 && said < count && ends_clause(rest))
            .then(|| self.start.get(..self.start.len() - rest.len()))
            .flatten()
    }

    /// Four to ten words up to the line's end, none of which says that a passphrase is meant rather than told.
    pub(super) fn sentence(&self) -> Option<&'t str> {
        static MEANT: WordList = WordList::new(
            "same one ones password passphrase phrase word words name names that which what you your mine yours stored kept saved \
             written required needed used known long longer short least too very not in on at under ask see use send sent",
        );
        let line = leading(self.start, 80, |c| !matches!(c, '\n' | ',' | ';' | '(' | '?'))
            .trim_end_matches([' ', '.', '!']);
        let plain = line.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '’'));
        let meant = line.split(' ').any(|word| MEANT.contains(&word.to_lowercase()));
        (plain && !meant && (4..=10).contains(&line.split(' ').count()) && !words::is_talk(line))
            .then_some(line)
    }

    /// Two to six plain words that are the whole line, at most one of which people say about a password, and not the first.
    pub(super) fn line(&self) -> Option<&'t str> {
        let line = leading(self.start, 64, |c| c != '\n').trim_end();
        let plain = line.chars().all(|c| c.is_lowercase() || c == ' ');
        let words = || line.split(' ');
        let said = words().filter(|word| words::is_remark(word)).count();
        let first = words().next().is_some_and(|word| !words::is_remark(word) && !words::is_talk(word));
        (plain && first && said <= 1 && (2..=6).contains(&words().count())).then_some(line)
    }

    /// Digits, be it in groups of the same length: "4711", "771 204", "12-34-56".
    pub(super) fn number(&self) -> Option<&'t str> {
        let is_sign = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-');
        let grouped = leading(self.start, 20, is_sign).trim_end_matches([' ', '-']);
        let single = leading(grouped, 20, |c| c.is_ascii_digit());
        let mut groups = grouped.split([' ', '-']);
        let several = (2..=5).contains(&single.len()) || groups.clone().count() >= 4;
        let even = several && groups.all(|group| group.len() == single.len());
        let text = if even { grouped } else { single };
        let rest = self.start.get(text.len()..)?;
        let counts = words::begins_with_unit(skip_blanks(rest))
            || rest.starts_with(['.', ',', ':', '/'])
                && rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let ends = !rest.starts_with(|c: char| {
            c.is_alphanumeric() && !is_cjk_or_mark(c) || is_symbol(c) && c != '!' && c != '?'
        });
        (!text.is_empty() && ends && !counts && !self.quoted).then_some(text)
    }

    /// The same value, or the six to eight digits in groups that it begins: "915 602".
    pub(super) fn grouped(self) -> Self {
        let whole = self.number().filter(|number| {
            number.len() > self.text.len()
                && (6..=8).contains(&number.bytes().filter(u8::is_ascii_digit).count())
        });
        let grouped = whole.and_then(|text| Some(Self { text, rest: self.start.get(text.len()..)?, ..self }));
        grouped.unwrap_or(self)
    }

    /// Groups of letters and digits as authenticators show them: "JBSW Y3DP EHPK 3PXP".
    pub(super) fn groups(&self) -> Option<&'t str> {
        let is_base32 = |c: char| c.is_ascii_alphanumeric();
        let mut rest = self.start;
        let mut length = 0;
        for _ in 0..24 {
            let group = leading(rest, 128, is_base32);
            let behind = rest.get(group.len()..)?;
            let whole = !goes_on(behind) && group.len() >= 4;
            if !whole || length > 0 && group.len() != 4 {
                break;
            }
            length += group.len();
            rest = behind;
            match rest.strip_prefix([' ', '-']) {
                Some(next) if group.len() == 4 => rest = next,
                _ => break,
            }
        }
        let text = self.start.get(..self.start.len() - rest.len())?.trim_end_matches([' ', '-']);
        let random = text.contains(|c: char| c.is_ascii_digit())
            || text.bytes().all(|byte| !byte.is_ascii_lowercase());
        (length >= 12 && random && text.contains(char::is_alphabetic)).then_some(text)
    }

    /// Letters of both cases or none, digits and symbols together.
    pub(super) fn is_strong(&self) -> bool {
        let has = |wanted: fn(char) -> bool| self.text.contains(wanted);
        self.is_made_up(8) && has(char::is_alphabetic) && has(|c| c.is_ascii_digit()) && has(is_symbol)
    }

    /// Nothing else stands on its line.
    pub(super) fn fills_its_line(&self) -> bool {
        let line = leading(self.rest, 16, |c| !matches!(c, '\n' | '\r'));
        let ends =
            self.rest.get(line.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['\n', '\r']));
        ends && !line.trim_end_matches(['D', 'P']).contains(char::is_alphanumeric)
    }

    /// Returns true if the clause may end behind it.
    pub(super) fn ends_clause(&self) -> bool {
        ends_clause(self.rest)
    }

    /// Returns true if a question ends with it.
    pub(super) fn is_asked(&self) -> bool {
        self.text.ends_with('?') || skip_blanks(self.rest).starts_with('?')
    }

    /// Letters with digits or symbols, as nobody writes a word; neither a measure nor a term such as `SHA-256`.
    pub(super) fn is_made_up(&self, least: usize) -> bool {
        let text = self.text.trim_end_matches(['!', '?']);
        let has = |wanted: fn(char) -> bool| text.contains(wanted);
        let mixed = match (has(char::is_alphabetic), has(|c| c.is_ascii_digit()), has(is_symbol)) {
            (true, digits, symbols) => digits || symbols || self.is_hyphenated(),
            (false, digits, symbols) => digits && symbols,
        };
        let known = self.is_measure() || words::is_term(text) || is_email(text) || is_version(text);
        self.text.len() >= least && mixed && !known
    }

    /// Made by a program: long, letters and digits, no blanks.
    pub(super) fn is_machine_made(&self, least: usize) -> bool {
        let count = |wanted: fn(&u8) -> bool| self.text.bytes().filter(&wanted).count();
        self.text.len() >= least
            && self.text.bytes().all(|byte| byte.is_ascii_graphic())
            && count(u8::is_ascii_digit) >= 1
            && count(u8::is_ascii_alphabetic) >= 3
            && !self.is_measure()
    }

    /// The same where letters and digits, or small and capital letters, change places again and again, as in no name.
    pub(super) fn is_random(&self, least: usize) -> bool {
        let pairs = || self.text.as_bytes().windows(2);
        let turns = |pair: &&[u8]| {
            let letters = pair.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
            letters == 1 && pair.iter().any(u8::is_ascii_digit)
        };
        let humps = pairs().filter(|pair| has_hump(std::str::from_utf8(pair).unwrap_or_default())).count();
        let mixed = humps >= 4 && humps * 4 >= self.text.len();
        self.is_machine_made(least) && pairs().filter(turns).count() >= 3 || mixed && self.text.len() >= least
    }

    /// `6fa459ea-ee8a-3ca4-894e-db77e160355e`
    pub(super) fn is_uuid(&self) -> bool {
        let is_sign = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
        self.text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && self.text.bytes().all(is_sign)
    }

    /// A type's name, as `SecretString` is.
    pub(super) fn is_type_name(&self) -> bool {
        let letters = || self.text.bytes().all(|byte| byte.is_ascii_alphabetic());
        !self.quoted
            && self.text.starts_with(|c: char| c.is_ascii_uppercase())
            && has_hump(self.text)
            && letters()
    }

    /// A number of at least four digits that counts nothing.
    pub(super) fn is_number(&self) -> bool {
        self.text.len() >= 4 && self.text.bytes().all(|byte| byte.is_ascii_digit()) && !self.is_measure()
    }

    /// Groups of digits, as recovery keys are: "483192-113355-…".
    pub(super) fn is_long_number(&self) -> bool {
        self.text.len() >= 20
            && self.text.contains('-')
            && self.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    }

    /// One plain word that ends its clause: "my password is sunshine."
    pub(super) fn is_last_word(&self) -> bool {
        let text = self.text.trim_end_matches(['!', '?']);
        text.chars().count() >= 4
            && text.chars().all(|c| c.is_alphabetic() || c == '_')
            && ends_clause(self.rest)
    }

    /// One plain word of four letters or more.
    pub(super) fn is_word(&self) -> bool {
        self.text.chars().count() >= 4 && self.text.chars().all(char::is_alphabetic)
    }

    /// The same where a verb told it: what follows may be how it is written.
    pub(super) fn is_told_word(&self) -> bool {
        let text = self.text.trim_end_matches(['!', '?']);
        let plain = text.chars().count() >= 3 && text.chars().all(|c| c.is_alphabetic() || c == '_');
        let paired = || {
            let mut parts = text.split('-');
            let is_part = |part: &str| {
                part.chars().count() >= 3
                    && part.chars().all(char::is_alphabetic)
                    && !words::is_remark(part)
                    && !words::is_topic(part)
            };
            parts.clone().count() == 2 && parts.all(is_part)
        };
        (plain && !words::is_answer(&text.to_lowercase()) || paired())
            && (ends_clause(self.rest) || words::begins_with_spelling(skip_blanks(self.rest)))
    }

    /// The same in the middle of a sentence: "is hedgehog since Monday". A noun that another one follows is a topic.
    pub(super) fn is_told_in_passing(&self) -> bool {
        let next = leading(skip_blanks(self.rest), 16, char::is_alphabetic).to_lowercase();
        self.is_word() && words::continues(&next) && !words::is_topic(self.text)
    }

    /// The same before any other words, which English says of no noun without an article: "is hedgehog these days".
    pub(super) fn is_bare_noun(&self) -> bool {
        let next = leading(skip_blanks(self.rest), 16, |c| c.is_alphabetic() || c == '\'').to_lowercase();
        let goes_on = words::is_remark(&next) && !OBJECTS.contains(&next);
        self.text.len() >= 5
            && self.text.chars().all(char::is_lowercase)
            && goes_on
            && !words::begins_with_unit(skip_blanks(self.rest))
            && !words::is_topic(self.text)
            && !words::is_descriptive(self.text)
    }

    /// The same without a verb before it: "my password hedgehog doesn't work".
    pub(super) fn is_told_in_action(&self) -> bool {
        let next = leading(skip_blanks(self.rest), 16, |c| c.is_alphabetic() || c == '\'').to_lowercase();
        self.text.chars().count() >= 5 && self.text.chars().all(char::is_lowercase) && words::happens(&next)
    }

    /// "12/05/1987"
    pub(super) fn is_date(&self) -> bool {
        let parts = self.text.split(['/', '.', '-']);
        let is_part =
            |part: &str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.clone().count() == 3 && parts.into_iter().all(is_part)
    }

    /// What people say about a password instead of saying it: "required", "on the sticky note".
    pub(super) fn is_remark(&self) -> bool {
        let mut said = self.text.split_whitespace();
        let first = said.next().is_some_and(words::is_remark);
        let others = said.clone().count();
        said.any(words::is_remark) || first && others < 3
    }

    /// A name that has a value of its own: "Password: Username: ana", `PASSWORD: u32 = 7`.
    pub(super) fn names_another(&self) -> bool {
        let word = || self.text.bytes().all(|byte| byte.is_ascii_alphabetic());
        !self.quoted && (self.rest.starts_with(" = ") || self.rest.starts_with(':') && word())
    }

    /// Stands for a secret without being one: a variable, a call, a type, a path, a URL, a placeholder.
    pub(super) fn is_reference(&self) -> bool {
        let text = self.text;
        let tail = text.get(1..).unwrap_or_default();
        match text.chars().next() {
            None | Some('<' | '[' | '{' | '(' | ')' | '}' | ',' | ';' | ' ') => return true,
            Some('/') => return is_name(tail.split('/').next().unwrap_or_default()),
            Some('$') => {
                let name = leading(tail, LOOK, |c| c.is_ascii_alphabetic() || c == '_');
                let indexed = tail.get(name.len()..).is_some_and(|rest| rest.starts_with(['[', '-']));
                return tail.starts_with(['{', '('])
                    || is_name(tail)
                    || indexed
                    || tail.bytes().all(is_capital);
            }
            Some('@' | '&' | ':' | '%' | '*') if tail.starts_with('(') || is_name(tail) || is_path(tail) => {
                return true;
            }
            Some('%') if text.ends_with('%') => return true,
            Some('!') => return is_name(tail) && self.rest.starts_with(' '),
            _ => {}
        }
        let path =
            ["~/", "./", "../", "--"].iter().any(|start| text.starts_with(start)) || text.contains(":\\");
        let masked = text.len() >= 2 && text.chars().all(|c| "*•xX.…-_#?".contains(c));
        path || masked
            || text.contains("=\"")
            || text.contains("://")
            || words::is_placeholder(text)
            || !self.quoted && self.is_code()
    }

    /// A call, an index, a type or a path of names, as in `config.token` and `get_token(…)`.
    fn is_code(&self) -> bool {
        let head = leading(self.text, LOOK, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'));
        let next = self.text.get(head.len()..).filter(|tail| !tail.is_empty()).unwrap_or(self.rest);
        let next = next.strip_prefix('!').filter(|_| is_name(head)).unwrap_or(next);
        let opens = next.starts_with(['(', '[']) || next.starts_with('<') && self.text.contains('>');
        let calls = opens && !next.starts_with("</") && !next.starts_with(MARKER);
        // Text after the bracket makes it no call: `Zebra(99)x`.
        let goes_on = self.text.rsplit_once([')', ']', '>']).is_some_and(|(_, tail)| goes_on(tail));
        let whole = head.len() == self.text.len();
        let dotted = head.contains('.') && is_name(head) && !head.split('.').any(str::is_empty);
        let number = head.strip_prefix("0x").is_some_and(|digits| digits.len() <= 8);
        calls && !goes_on && (is_name(head) || is_path(head))
            || head.contains("::")
            || whole && (dotted || number || is_path(head) || words::is_type(head))
    }

    /// Three words or more joined by dots, other than a host or a file.
    pub(super) fn is_dotted_words(&self) -> bool {
        let mut parts = self.text.split('.');
        let last = parts.clone().next_back().unwrap_or_default();
        parts.clone().count() >= 3
            && last.len() > 4
            && parts.all(|part| part.len() > 2 && part.chars().all(char::is_lowercase))
    }

    /// Three words or more joined by hyphens, other than "easy-to-remember".
    fn is_hyphenated(&self) -> bool {
        let parts = || self.text.split('-');
        parts().count() >= 3
            && parts().all(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
            && !parts().skip(1).any(words::is_remark)
    }

    /// A number with its unit: "12 characters", "90-day", "8文字".
    pub(super) fn is_measure(&self) -> bool {
        let digits = leading(self.text, LOOK, |c| c.is_ascii_digit() || matches!(c, '.' | ','));
        let Some(tail) = self.text.get(digits.len()..).filter(|_| !digits.is_empty()) else { return false };
        let inside = leading(tail.trim_start_matches(['-', '+']), 16, char::is_alphabetic);
        if inside.is_empty() {
            let outside = skip_blanks(self.rest).trim_start_matches('-');
            return tail.trim_matches(['-', '+', '%']).is_empty()
                && (digits.len() < 4 || words::begins_with_unit(outside));
        }
        let compound = tail.contains('-') && !tail.contains(|c: char| c.is_ascii_digit());
        words::is_unit(inside) && (tail.ends_with(inside) || compound)
    }
}

/// Where the value's closing quote stands.
fn closing(inside: &str, close: &str) -> Option<usize> {
    let look = inside.get(..inside.floor_char_boundary(LONGEST_QUOTE))?;
    let closes = |end: &usize| {
        let (text, rest) = look.split_at_checked(*end).unwrap_or_default();
        let rest = rest.get(close.len()..).unwrap_or_default();
        // An apostrophe inside a word closes nothing, nor does an escaped quote.
        !(text.ends_with('\\') && close.len() == 1 || close == "'" && goes_on(rest))
    };
    let end = look.match_indices(close).map(|(end, _)| end).find(closes)?;
    look.get(..end).is_some_and(|text| !text.contains('\n')).then_some(end)
}

/// What stands in brackets, if it is one word with a digit: `<hunter2>`, but not `<your password>` or `[u8; 32]`.
fn bracketed(start: &str) -> Option<&str> {
    let inside = start.strip_prefix(['<', '[', '('])?;
    let word = leading(inside, 64, |c| c.is_ascii_graphic() && !matches!(c, '>' | ']' | ')'));
    let closed = inside.get(word.len()..)?.starts_with(['>', ']', ')']);
    (closed && !holds_marker(word) && word.contains(|c: char| c.is_ascii_digit())).then_some(inside)
}

/// The characters up to the next blank, or to what parts values from one another.
fn bare_run(start: &str, most: usize) -> Option<&str> {
    let mut end = start.len();
    for (index, c) in start.char_indices() {
        let next = start.get(index + c.len_utf8()..).unwrap_or_default();
        let stops = match c {
            '"' | '\'' | '`' | '”' | '’' => !goes_on(next),
            '<' => next.starts_with('/'),
            '\\' => next.starts_with(['n', 'r', 't', '"', '\'']),
            ',' | ';' | '&' => parts_values(next),
            '[' if start.get(index..)?.starts_with(MARKER) => return None,
            _ => c.is_whitespace() || c.is_control() || is_cjk_or_mark(c),
        };
        if stops || index >= most {
            end = index;
            break;
        }
    }
    let run = start.get(..end)?;
    let run = run.trim_end_matches(['.', ',', ';', ':', '>', '…', '"', '\'', '`']);
    let run = if run.contains(['(', '[', '{']) {
        run
    } else {
        run.trim_end_matches([')', ']', '}', ';', ',', '.', '"', '\''])
    };
    (!run.is_empty()).then_some(run)
}

/// Returns true if a separator before `next` ends a value: `password=a&user=b`, `Pwd=a;`, "hunter2, and".
fn parts_values(next: &str) -> bool {
    let name = leading(next, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let behind = next.get(name.len()..).unwrap_or_default();
    // `;User Id=`
    let second = leading(behind.strip_prefix(' ').unwrap_or_default(), 16, |c| c.is_ascii_alphabetic());
    let assigned =
        behind.get(1 + second.len()..).is_some_and(|rest| !second.is_empty() && rest.starts_with('='));
    next.is_empty()
        || next.starts_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'))
        || !name.is_empty() && (behind.starts_with(['=', ':']) || assigned)
}

/// Returns true if a clause may end before `rest`.
pub(super) fn ends_clause(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['"', '\'', '`', '*', '”', '’', '»', ' ']);
    match rest.chars().next() {
        None | Some('\n' | '\r' | '.' | '!' | '?' | ',' | ';' | ')' | '(' | '-' | '–' | '—' | '…' | '<') => {
            true
        }
        Some(':' | '=') => [":)", ":-)", ":D", ":P", ":("].iter().any(|face| rest.starts_with(face)),
        Some(c) if c > '\u{2100}' && !c.is_alphanumeric() && !is_cjk_or_mark(c) => true,
        Some('\\') => rest.starts_with("\\n") || rest.starts_with("\\r"),
        Some(c) if is_cjk_or_mark(c) => !c.is_alphanumeric() || words::begins_with_cjk_ending(rest),
        Some(_) => words::begins_with_connective(rest),
    }
}

/// Letters, with the dots and underscores that names are joined by.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'))
}

/// Names with digits in them, joined as only a program joins them: `node.colon2_token`.
fn is_path(text: &str) -> bool {
    let mut parts = text.split(['.', ':']);
    let owner = parts.next().is_some_and(is_name);
    let joined = text.contains('_') && text.contains('.') || text.contains("::");
    let is_part = |part: &str| {
        !part.starts_with(|c: char| c.is_ascii_digit())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    owner && joined && parts.all(is_part)
}

fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// A capital behind a small letter: `userName`.
pub(super) fn has_hump(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
}

fn is_symbol(c: char) -> bool {
    matches!(c, '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '=' | '~' | '?' | '|')
}

fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let Some((_, last)) = host.rsplit_once('.') else { return false };
    !name.is_empty() && last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_version(text: &str) -> bool {
    let numbers = text.trim_start_matches(['v', 'V']);
    numbers.contains('.') && numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
