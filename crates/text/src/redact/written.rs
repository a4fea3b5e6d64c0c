//! A name where it stands in a text: how it is spelled, and what the words beside it say about it.

use super::cues::{Cue, cues};
use super::link::Spelling;
use super::names::{Kind, Name};
use super::opens::{code_is_open, code_opens, key};
use super::reading::{ends_with_marker, holds_marker, leading, lower, strip_word, trailing};
use super::{Class, Sight, words};
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;
use Class::Password;
use Kind::{
    Abbreviation, Answer, Code, Groups, Key, Machine, Opener, Phrase, Pin, QualifiedCode, Seed, Subject,
    Thing, Word,
};

/// What stands before "PIN" and "password" when they are somebody's.
static OWNERS: WordList = WordList::new(
    "my the our your his her their this that both all sim card bank debit credit phone two three two-step bitlocker windows laptop tablet parental voicemail banking atm \
     account meine mein die mon ma mi il minha mijn mój мой",
);

/// What stands before "pass" when it is a password.
static USERS: WordList = WordList::new(
    "user username usr login account email e-mail id meeting logged signed log wifi wi-fi wlan ssid network zip pdf benutzer usuario utilisateur utente",
);

/// What is done with a password: "use tangerine as the password".
static CHOOSES: WordList = WordList::new(
    "gib gebe haben hatten benutzten tenemos abbiamo avons mamy używamy hebben temos had store save rejected assigned mam wpisz wpisałem użyj używam ustawiłem ustawiłam daj prostu введи набери поставил поставила используй digita inserisci tape tapez entre \
     escribe pon ponle digite coloque vul typ gir yaz wybrałem settled going nehmen nutzen benutzen verwenden nutze benutze verwende \
     einfach gewoon simplement j'utilise use try enter type put take set with chose choose used using pick picked in accepted accepts entered typed \
     mis mets puse pongo messo metto coloquei heb habe hab have got mit nimm nehme avec utilise con uso usa \
     com met gebruik uses has gave",
);

/// What else is a pass: "bus pass", "mountain pass".
static PASSES: WordList = WordList::new(
    "bus ski boarding mountain season day hall backstage free transit rail train tram museum park festival lift metro monthly \
     weekly annual yearly year battle game forward backward first second third last one next single final tests test",
);

/// A name where it stands in a text.
pub(super) struct Written<'t> {
    pub(super) class: Class,
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    /// What stands before and behind it: what the words beside it say is read when a value asks for it.
    before: &'t str,
    after: &'t str,
    /// A dollar stands before it, as before a variable.
    variable: bool,
    /// The name is one that means other things too, whatever it means here.
    abbreviated: bool,
    /// A sentence begins with it.
    pub(super) begins: bool,
    /// A parameter of a form or an address: `user=ana&pass=…`.
    pub(super) query: bool,
    /// A blank follows.
    pub(super) spaced: bool,
    /// A code of which nothing says what it opens.
    pub(super) code: bool,
    pub(super) spelling: Spelling,
    /// Parts or words say together what it is, `client_secret`, or capitals do, `SECRET`.
    pub(super) explicit: bool,
    /// Grown together with the word before it: `PGPASSWORD`.
    pub(super) attached: bool,
    /// A quoted name of a member: `"pass": …`.
    pub(super) member: bool,
    /// Several secrets may follow.
    pub(super) plural: bool,
    /// In capitals, as variables of the environment are: what they hold is no name of another.
    pub(super) capital: bool,
    /// The least length of a value that a program made up.
    pub(super) least: usize,
}

impl<'t> Written<'t> {
    pub(super) fn read(sight: &Sight<'t>, name: &'static Name) -> Option<Self> {
        let run = trailing(sight.before, 80, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let unspaced = sight.literal.starts_with(is_cjk_or_mark);
        let prefix = if unspaced { "" } else { run.trim_start_matches('-') };
        let letters = sight.before.ends_with(|c: char| c.is_alphabetic() && !is_cjk_or_mark(c));
        let hump = sight.literal.starts_with(|c: char| c.is_ascii_uppercase())
            && prefix.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        let capital = sight.literal.bytes().all(|byte| byte.is_ascii_uppercase());
        let attached = !hump && prefix.ends_with(|c: char| c.is_ascii_alphanumeric());
        let outside = sight.before.strip_suffix(run)?;
        if !unspaced && ends_with_marker(outside) {
            return None;
        }
        let option = run.starts_with('-')
            && (outside.is_empty() || outside.ends_with([' ', '\n', '\t', '"', '\'', '`', '=']));
        let (class, least) = match name.kind {
            Key if is_network("", sight.after) => (Password, 6),
            Key => key(sight.before, prefix, capital)?,
            QualifiedCode if code_is_open(sight.before) && !code_opens(sight.before, sight.after) => {
                return None;
            }
            QualifiedCode => (name.class, 4),
            Code | Groups | Opener | Thing if letters || attached => return None,
            Pin | Abbreviation if letters && !option => return None,
            // 1Password is a product.
            Word if prefix == "1" => return None,
            Word if attached && name.literal.len() == 2 => return None,
            Abbreviation | Pin if attached && !option => return None,
            Word | Abbreviation | Pin | Phrase | Seed | Answer | Subject | Machine | Code | Groups
            | Opener | Thing => (name.class, if prefix.is_empty() { 10 } else { 6 }),
        };
        let network =
            matches!(name.kind, QualifiedCode | Abbreviation) && is_network(sight.before, sight.after);
        Some(Self {
            class,
            // A network's key or code is a password.
            kind: if name.kind == Key && class == Password || network { Word } else { name.kind },
            name: name.literal,
            before: sight.before,
            after: sight.after,
            variable: outside.ends_with('$'),
            abbreviated: name.kind == Abbreviation,
            begins: sight.before.trim_end_matches([' ', '"']).is_empty()
                || sight.before.trim_end().ends_with(['.', ',', '\n', '!']),
            query: sight.before.ends_with('&'),
            spaced: sight.after.starts_with([' ', '\u{3000}']),
            code: name.kind == QualifiedCode && !code_opens(sight.before, sight.after),
            spelling: Spelling {
                identifier: prefix.contains('_')
                    || hump
                    || prefix.ends_with('-') && sight.after.starts_with('='),
                option,
                unspaced,
                language: name.language,
            },
            explicit: !prefix.is_empty() || capital || name.kind == Key,
            attached: attached && !matches!(name.kind, Key | QualifiedCode),
            member: sight.before.ends_with(['"', '\'']) && sight.after.starts_with(['"', '\'']),
            plural: class == Password && strip_word(sight.after, "s").is_some(),
            capital,
            least,
        })
    }

    /// What follows the name, if the name ends here: `password`, `passwords`, `password2`, not `password_hash`.
    pub(super) fn end<'a>(&self, after: &'a str) -> Option<&'a str> {
        if self.spelling.unspaced {
            return Some(after);
        }
        let suffix = match self.kind {
            Word | Phrase | Code | QualifiedCode if self.plural => after.strip_prefix('s'),
            Machine | Key => after
                .strip_prefix('s')
                .filter(|rest| rest.starts_with([':', '=']) || rest.starts_with(" are ")),
            Pin | Code => {
                [" code", " number", " kodu", "-code"].iter().find_map(|word| strip_word(after, word))
            }
            Word | Phrase | Seed | Answer | Subject | Abbreviation | QualifiedCode | Groups | Opener
            | Thing => None,
        };
        let listed =
            after.strip_prefix(' ').filter(|rest| rest.get(1..).is_some_and(|rest| rest.starts_with(':')));
        let counted = listed.unwrap_or(after);
        let number = leading(counted, 3, |c| c.is_ascii_digit() || c == '_');
        let numbered = counted.get(number.len()..).filter(|rest| rest.starts_with(['=', ':', '"', '\'']));
        let rest = suffix.or(numbered).unwrap_or(after);
        let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() && !is_cjk_or_mark(c) || c == '_')
            || rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        (!goes_on).then_some(rest)
    }

    /// Returns true if the clause before it talks about secrets in general: "I forgot the …".
    pub(super) fn talks(&self) -> bool {
        self.variable || is_talk(self.before) && !is_told_to(self.before)
    }

    /// Returns true if it is somebody's, or of something that has one: "my PIN", "SIM PIN".
    pub(super) fn owned(&self) -> bool {
        is_owned(self.before)
    }

    /// Returns true if a verb before it takes a password: "use the password", "with password".
    pub(super) fn chosen(&self) -> bool {
        is_chosen_in(self.before)
    }

    /// Returns true if a user's name stands shortly before it.
    pub(super) fn beside_user(&self) -> bool {
        let short = || self.abbreviated && (is_accounts(self.before) || is_for_account(self.after));
        self.name.contains('/') && self.name != "p/w" || is_beside_user(self.before) || short()
    }

    /// Returns true if it is named together with its user, whose name the first of two values is: "login and password: ana, …".
    pub(super) fn paired(&self) -> bool {
        is_paired(self.before)
    }

    /// Returns true if a code was named shortly before it.
    pub(super) fn beside_code(&self) -> bool {
        let clause = trailing(self.before, 64, |c| !matches!(c, '\n' | '.'));
        clause.contains("code") && !holds_marker(clause)
    }
}

/// Returns true if the clause before a name talks about secrets in general.
fn is_talk(before: &str) -> bool {
    words::is_talk(trailing(before, 64, |c| !matches!(c, '\n' | '.' | '!' | '?' | ';' | ':' | ',')))
}

/// "you need to enter the password"
fn is_told_to(before: &str) -> bool {
    is_chosen_in(before) && trailing(before, 24, |c| c != '\n').contains(" to ")
}

fn is_chosen_in(before: &str) -> bool {
    trailing(before, 24, |c| c != '\n').split(' ').rev().take(3).any(is_chosen)
}

/// What is done with a password that follows: "use the password hunter2".
pub(super) fn is_chosen(word: &str) -> bool {
    CHOOSES.contains(&lower(word))
}

/// Returns true if the word before a name says whose it is, or names a user or a thing that has one.
fn is_owned(before: &str) -> bool {
    let clause = trailing(before, 40, |c| !matches!(c, '\n' | '!' | '?'));
    OWNERS.contains(&lower(clause.split_whitespace().next_back().unwrap_or_default()))
}

/// Returns true if a user's name was given right before.
fn is_beside_user(before: &str) -> bool {
    let clause = trailing(before, 40, |c| !matches!(c, '!' | '?'));
    let mut words = clause.split([' ', '\n', ':', ',', '=', '/', '\'', '"', '&', '?']).map(lower);
    words.any(|word| USERS.contains(&word) || word.contains('@'))
}

/// Returns true if "user and" stands right before.
fn is_paired(before: &str) -> bool {
    const AND: &[&str] = &["and", "&", "+", "und", "et", "y", "e", "en", "i", "и", "ve", "/"];
    let clause = trailing(before, 24, |c| !matches!(c, '\n' | '.' | ',')).replace('/', " / ");
    let mut words = clause.split_whitespace().rev();
    words.next().is_some_and(|word| AND.contains(&word))
        && words.next().is_some_and(|word| {
            cues("", &word.to_lowercase()).has(Cue::User) || USERS.contains(&word.to_lowercase())
        })
}

/// Returns true if the word before "pass" says that it is an account's: "my pass", "netflix pass".
fn is_accounts(before: &str) -> bool {
    let apart = before.strip_suffix(' ').unwrap_or_default();
    let word = trailing(apart, 24, char::is_alphanumeric).to_lowercase();
    matches!(word.as_str(), "my" | "our")
        || word.len() > 2 && !words::is_little(&word) && !PASSES.contains(&word)
}

/// Returns true if the words behind "pass" say that it is an account's: "for my laptop".
fn is_for_account(after: &str) -> bool {
    let clause = leading(after, 32, |c| !matches!(c, '\n' | '.' | ',' | ':')).to_lowercase();
    let mut words = clause.split_whitespace();
    words.next().is_some_and(|word| matches!(word, "for" | "to" | "on"))
        && words.take(3).any(|word| cues("", word).any(&[Cue::Account, Cue::Access]))
}

/// Returns true if a code is a network's: "wifi code".
fn is_network(before: &str, after: &str) -> bool {
    let near = [trailing(before, 8, |c| c != '\n'), leading(after, 24, |c| !matches!(c, '\n' | ':' | '='))];
    near.iter().any(|text| {
        let lower = text.to_ascii_lowercase();
        lower.contains("wifi") || lower.contains("wi-fi") || lower.contains("wlan")
    })
}
