//! Secrets that are known by the name in front of them: "my wifi password is …", `FOO_API_KEY=…`.

use super::link::{Link, Spelling, links};
use super::names::{Kind, NAMES, Name};
use super::opens::{LONG, code_is_open, code_opens, key};
use super::reading::{ends_with_marker, holds_marker, leading, leads_to_marker, strip_word, trailing};
use super::value::{Value, ends_clause, has_hump};
use super::{Class, Secret, Sight, words};
use crate::cjk::is_cjk_or_mark;
use Class::{Password, Token};
use Kind::{Abbreviation, Code, Groups, Key, Machine, Opener, Phrase, Pin, QualifiedCode, Seed, Thing, Word};

/// What is done with a password that is named last: "use tangerine as the password".
const CHOOSES: &[&str] = &[
    "use", "try", "enter", "type", "put", "take", "set", "with", "chose", "choose", "used", "using", "pick",
];

/// The verbs that hand a value over.
const HANDS: &[&str] = &[
    "type",
    "enter",
    "use",
    "try",
    "put",
    "input",
    "from",
    "type:",
    "enter:",
    "use:",
    "gib",
    "tippe",
    "nimm",
    "tape",
    "tapez",
    "escribe",
    "usa",
    "inserisci",
    "digita",
    "digite",
    "typ",
    "wpisz",
    "введи",
    "gir",
];

/// What stands before "PIN" and "password" when they are somebody's.
const OWNERS: &[&str] = &[
    "my",
    "the",
    "our",
    "your",
    "his",
    "her",
    "their",
    "this",
    "that",
    "sim",
    "card",
    "bank",
    "debit",
    "credit",
    "phone",
    "voicemail",
    "banking",
    "atm",
    "account",
    "meine",
    "mein",
    "die",
    "mon",
    "ma",
    "mi",
    "il",
    "minha",
    "mijn",
    "mój",
    "мой",
];

/// How "my wifi password" begins.
const DETERMINERS: &[&str] = &["my", "the", "our", "your", "his", "her", "their", "a"];

/// A name where it stands in a text.
struct Written {
    class: Class,
    kind: Kind,
    name: &'static str,
    /// The clause before it talks about secrets in general: "I forgot the …".
    talks: bool,
    /// Somebody's, or of something that has one: "my PIN", "SIM PIN".
    owned: bool,
    /// A user's name stands shortly before it.
    beside_user: bool,
    /// A code was named shortly before it.
    beside_code: bool,
    /// A sentence begins with it.
    begins: bool,
    /// A blank follows.
    spaced: bool,
    /// A code of which nothing says what it opens.
    code: bool,
    spelling: Spelling,
    /// Parts or words say together what it is, `client_secret`, or capitals do, `SECRET`.
    explicit: bool,
    /// Grown together with the word before it: `PGPASSWORD`.
    attached: bool,
    /// Several secrets may follow.
    plural: bool,
    /// In capitals, as variables of the environment are: what they hold is no name of another.
    capital: bool,
    /// The least length of a value that a program made up.
    least: usize,
}

/// The value that this name announces.
pub(super) fn examine<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    let written = Written::read(sight, name)?;
    let after = written.end(sight.after)?;
    for (link, rest) in links(sight.before, after, written.spelling) {
        // This is how the value was read that is redacted already; what other readings would find is none.
        if leads_to_marker(rest) {
            return None;
        }
        if let Some(text) = written.value(link, rest) {
            return Some(Secret { text, class: written.class });
        }
    }
    let text = written.near(sight.before, after)?;
    Some(Secret { text, class: written.class })
}

/// The value that stands before its name: "hunter2 is my wifi password", "use hunter2 as the password".
pub(super) fn examine_before<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    let written = Written::read(sight, name)?;
    if written.spelling.unspaced || !sight.before.ends_with(' ') {
        return None;
    }
    let mut words = sight.before.split_whitespace().rev().take_while(|word| !holds_marker(word));
    let (mut modifier, mut between, mut talks) = ("", 0, written.plural);
    let verb = words.by_ref().take(5).find(|word| {
        let found = matches!(*word, "is" | "was" | "as");
        modifier = if found { modifier } else { word };
        between += usize::from(!found);
        talks |= !found && (*word == "most" || words::is_talk(word));
        found
    })?;
    let value = Value::read(words.next()?)?;
    let owned = verb == "as" || DETERMINERS.contains(&modifier);
    let before = words.next().unwrap_or(".");
    let plain = value.is_word() && !value.is_remark() && !words::is_topic(value.text);
    let secret = match written.kind {
        Code | QualifiedCode => owned && is_sent_code(value.text),
        _ if value.is_made_up(6) => owned,
        _ if verb == "as" => plain && between <= 2 && CHOOSES.contains(&before.to_ascii_lowercase().as_str()),
        // "swordfish is my wifi password", the whole sentence
        _ => {
            plain
                && owned
                && between <= 3
                && before.ends_with(['.', '!', '?', ':', ','])
                && ends_clause(sight.after)
        }
    };
    (secret && !talks && !value.is_reference()).then(|| Secret { text: value.whole(), class: written.class })
}

/// "528019", "G-528019"
fn is_sent_code(text: &str) -> bool {
    let digits = text.strip_prefix("G-").unwrap_or(text);
    (4..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value behind "it's", if a password or a PIN was named shortly before.
pub(super) fn examine_pronoun<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let clause = trailing(sight.before, 80, |c| c != '\n');
    if holds_marker(clause) || sight.before.ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let lower = clause.to_lowercase();
    let said = |name: &&Name| matches!(name.kind, Word | Pin | Code) && name.literal.len() > 2;
    let name = NAMES.iter().filter(said).find(|name| ends_word(&lower, name.literal));
    let behind = leading(sight.after, 64, |c| c != '\n');
    let named_later = || behind.contains(" my password") || behind.contains(" the password");
    let value = Value::read(sight.after)?;
    let known = name.is_some() || named_later();
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    let secret = known && digit && (value.is_made_up(5) || value.is_number() && value.text.len() <= 8);
    (secret && !value.is_reference()).then(|| Secret { text: value.whole(), class: Password })
}

/// Whether the word stands in the text and ends there.
fn ends_word(text: &str, word: &str) -> bool {
    text.split_once(word)
        .is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_alphanumeric() && !is_cjk_or_mark(c)))
}

/// The class of secret that a JSON member of this name holds.
pub(super) fn class_of_key(key: &str) -> Option<Class> {
    let plural = || key.strip_suffix('s').and_then(class_of_singular).filter(|class| *class == Password);
    class_of_singular(key).or_else(plural)
}

fn class_of_singular(key: &str) -> Option<Class> {
    if key.to_ascii_lowercase().ends_with("authorization") {
        return Some(Token);
    }
    NAMES.iter().find_map(|name| {
        let start = key.len().checked_sub(name.literal.len())?;
        let sight = Sight::new(key, start..key.len())
            .filter(|sight| sight.literal.eq_ignore_ascii_case(name.literal))?;
        let written = Written::read(&sight, name)?;
        let sure = matches!(written.kind, Word | Phrase | Machine | Key) || name.literal == "pass";
        (sure && written.least < LONG).then_some(written.class)
    })
}

impl Written {
    fn read(sight: &Sight<'_>, name: &'static Name) -> Option<Self> {
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
            Key => key(sight.before, prefix, capital)?,
            QualifiedCode if code_is_open(sight.before) && !code_opens(sight.before, sight.after) => {
                return None;
            }
            QualifiedCode => (name.class, 4),
            Code | Groups | Opener | Thing if letters => return None,
            Pin | Abbreviation if letters => return None,
            // 1Password is a product.
            Word if prefix == "1" => return None,
            Word if attached && name.literal == "pw" => return None,
            Abbreviation | Pin if attached => return None,
            Word | Abbreviation | Pin | Phrase | Seed | Machine | Code | Groups | Opener | Thing => {
                (name.class, if prefix.is_empty() { 10 } else { 6 })
            }
        };
        let network = (name.kind == QualifiedCode || name.kind == Abbreviation && name.language != "en")
            && is_network(sight.before, sight.after);
        Some(Self {
            class,
            // A network's key or code is a password.
            kind: if name.kind == Key && class == Password || network { Word } else { name.kind },
            name: name.literal,
            talks: is_talk(sight.before) || outside.ends_with('$'),
            owned: is_owned(sight.before),
            beside_user: is_beside_user(sight.before),
            beside_code: {
                let clause = trailing(sight.before, 64, |c| !matches!(c, '\n' | '.'));
                clause.contains("code") && !holds_marker(clause)
            },
            begins: sight.before.trim_end_matches([' ', '"']).is_empty()
                || sight.before.trim_end().ends_with(['.', ',', '\n', '!']),
            spaced: sight.after.starts_with([' ', '\u{3000}']),
            code: name.kind == QualifiedCode && !code_opens(sight.before, sight.after),
            spelling: Spelling {
                identifier: prefix.contains('_') || hump,
                option,
                unspaced,
                language: name.language,
            },
            explicit: !prefix.is_empty() || capital || name.kind == Key,
            attached: attached && !matches!(name.kind, Key | QualifiedCode),
            plural: name.class == Password && strip_word(sight.after, "s").is_some(),
            capital,
            least,
        })
    }

    /// What follows the name, if the name ends here: `password`, `passwords`, `password2`, not `password_hash`.
    fn end<'t>(&self, after: &'t str) -> Option<&'t str> {
        if self.spelling.unspaced {
            return Some(after);
        }
        let suffix = match self.kind {
            Word | Phrase | Code | QualifiedCode if self.plural => after.strip_prefix('s'),
            Pin | Code => {
                [" code", " number", " kodu", "-code"].iter().find_map(|word| strip_word(after, word))
            }
            Word | Phrase | Seed | Abbreviation | Machine | Key | Code | QualifiedCode | Groups | Opener
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

    /// What stands behind the link, if it is a secret.
    fn value<'t>(&self, link: Link, rest: &'t str) -> Option<&'t str> {
        let mut value = Value::read(rest)?;
        // "login / password: ana / hunter2"
        if self.beside_user
            && let Some(second) = value.rest.strip_prefix(" / ")
        {
            value = Value::read(second)?;
        }
        if value.is_reference() || self.is_named_by(&value) || value.names_another() {
            return None;
        }
        if let Some(phrase) = self.phrase(link, &value) {
            return Some(phrase);
        }
        if self.kind == Groups {
            return value.groups();
        }
        let secret =
            (is_meant(link, &value, self.spelling) || !value.is_remark()) && self.accepts(link, &value);
        secret.then(|| if self.plural { value.list() } else { value.whole() })
    }

    /// Several plain words without quotes around them.
    fn phrase<'t>(&self, link: Link, value: &Value<'t>) -> Option<&'t str> {
        let fewest = match self.kind {
            Phrase => 3,
            Word => 4,
            Seed => 6,
            Abbreviation | Pin | Machine | Key | Code | QualifiedCode | Groups | Opener | Thing => {
                return None;
            }
        };
        let spoken = link != Link::Implied && !value.quoted && !self.spelling.identifier;
        let names =
            || value.title().filter(|_| self.kind == Word && !self.plural && self.spelling.language == "en");
        let line = || {
            value.line_of_words().filter(|_| self.kind == Word && link == Link::Punctuated && !self.plural)
        };
        if spoken { value.phrase(fewest, self.kind == Phrase).or_else(names).or_else(line) } else { None }
    }

    /// What looks made up and stands in the same sentence, where a verb hands it over: "type Tulip77 when it asks for the
    /// password", "changed the password from Tulip77 to Rose88".
    fn near<'t>(&self, before: &'t str, after: &'t str) -> Option<&'t str> {
        if !matches!(self.kind, Word | Phrase)
            || self.plural
            || self.spelling.identifier
            || self.spelling.unspaced
        {
            return None;
        }
        let clause = leading(after, 64, |c| !matches!(c, '\n' | '!' | '?' | ';'));
        let front = trailing(before, 64, |c| !matches!(c, '\n' | '!' | '?' | ';'));
        let next = clause.split_whitespace().next().unwrap_or_default();
        if holds_marker(clause) || holds_marker(front) || words::is_topic(next) {
            return None;
        }
        handed(clause, after).or_else(|| handed(front, before)).filter(|_| !front.contains("://"))
    }

    fn accepts(&self, link: Link, value: &Value<'_>) -> bool {
        let written = self.spelling.identifier || self.spelling.option;
        match (self.kind, link) {
            (Word | Phrase, _) => self.is_password(link, value),
            (Abbreviation, Link::Assigned) if written => self.is_password(link, value),
            (Abbreviation, _) => self.is_abbreviated(link, value),
            (Pin, _) => self.is_pin(link, value),
            (QualifiedCode, _) if self.code => is_bare_code(link, value),
            (Code | QualifiedCode, _) => self.is_code(value),
            (Seed, _) => value.quoted && value.text.split_whitespace().count() >= 6,
            (Groups, _) => false,
            (Opener, _) => is_opener(value) || is_combination(value.text),
            (Thing, Link::Implied) => false,
            (Thing, _) => {
                let known = self.beside_code || matches!(self.name, "keypad" | "lockbox" | "padlock");
                is_combination(value.text)
                    || known && value.is_number() && value.text.len() <= 8 && value.ends_clause()
            }
            (Machine | Key, _) => self.is_key(link, value),
        }
    }

    fn is_password(&self, link: Link, value: &Value<'_>) -> bool {
        let made_up = value.is_made_up(4) || value.is_number() || value.is_long_number() || value.quoted;
        match link {
            Link::Assigned if value.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                value.quoted || value.is_number()
            }
            Link::Assigned => value.quoted || value.text.len() >= 3,
            Link::Punctuated | Link::Said if self.attached => {
                value.is_made_up(6) || self.spelling.language != "en" && self.is_foreign_word(value)
            }
            Link::Punctuated | Link::Said => {
                made_up || value.is_told_word() && !self.is_foreign_remark(value)
            }
            Link::Told => made_up,
            Link::Foreign => made_up || self.is_foreign_word(value),
            Link::Below => {
                value.fills_its_line() && (made_up || value.is_last_word() && !words::is_topic(value.text))
            }
            Link::Implied if value.quoted => {
                value.is_made_up(4)
                    || self.kind == Phrase
                    || !self.talks && !value.is_remark() && value.ends_clause()
            }
            // Without a link, `root@host` is an address.
            Link::Implied => {
                value.is_made_up(6)
                    && value.text.contains(|c: char| c.is_ascii_digit() || "!#$%^&*+=~".contains(c))
                    || (value.is_number() || value.is_long_number()) && value.ends_clause() && !self.plural
                    || self.is_plain(value)
            }
        }
    }

    /// A plain word in value position: "password swordfish", but not "password manager" nor "I forgot the password again".
    fn is_plain(&self, value: &Value<'_>) -> bool {
        let verb = self.owned && value.text.ends_with('s');
        let about = words::is_topic(value.text) || self.is_foreign_remark(value) || verb;
        let parted = !self.spelling.unspaced || self.spaced && value.text.is_ascii();
        let spoken = !self.attached && !self.plural && !self.spelling.identifier && parted;
        matches!(self.kind, Word | Phrase)
            && spoken
            && !self.talks
            && value.is_last_word()
            && !value.is_asked()
            && !about
    }

    /// A plain word behind the verb of another language.
    fn is_foreign_word(&self, value: &Value<'_>) -> bool {
        value.is_told_word() && !self.is_foreign_remark(value)
    }

    fn is_foreign_remark(&self, value: &Value<'_>) -> bool {
        words::is_foreign_remark(value.text, self.spelling.language)
    }

    /// "pass" and the like mean much else: a plain word counts behind a colon or a user's name.
    fn is_abbreviated(&self, link: Link, value: &Value<'_>) -> bool {
        let plain = || value.is_last_word() && !words::is_topic(value.text) && !self.is_foreign_remark(value);
        match link {
            Link::Assigned | Link::Punctuated | Link::Told | Link::Foreign | Link::Below => {
                value.is_made_up(5)
                    || link == Link::Assigned && self.begins && self.spaced && plain()
                    || link == Link::Punctuated && (!self.owned || self.beside_user) && plain()
            }
            Link::Said => {
                value.is_made_up(5) && value.text.contains(|c: char| c.is_ascii_digit())
                    || self.begins && plain()
            }
            Link::Implied => self.beside_user && (value.is_made_up(5) || plain()) || value.is_strong(),
        }
    }

    /// Six digits behind a colon are rather a postal code, unless the PIN is somebody's.
    fn is_pin(&self, link: Link, value: &Value<'_>) -> bool {
        let length = value.text.len();
        let wanted = match link {
            Link::Said | Link::Told | Link::Foreign | Link::Below => length <= 8,
            Link::Assigned | Link::Punctuated | Link::Implied => {
                let year =
                    link == Link::Implied && ["19", "20"].iter().any(|age| value.text.starts_with(age));
                length == 4 && (!year || self.capital) || length == 8 || self.owned && length <= 8
            }
        };
        value.is_number() && wanted
    }

    /// Digits, with letters, dashes and signs among them; three digits only where cards have them.
    fn is_code(&self, value: &Value<'_>) -> bool {
        let digits = value.text.bytes().filter(u8::is_ascii_digit).count();
        let plain = value.text.bytes().all(|byte| byte.is_ascii_digit());
        let marked = value.text.bytes().all(|byte| byte.is_ascii_digit() || b"-#*".contains(&byte));
        let short = self.name.starts_with("cv") || self.name.starts_with("cryp") || self.name == "code";
        let counted = words::begins_with_unit(value.rest.trim_start());
        let length = if short { 3 } else { 4 };
        !counted && (plain && (length..=10).contains(&digits) || !plain && marked && digits >= 4)
            || digits > 0 && value.is_made_up(4)
    }

    fn is_key(&self, link: Link, value: &Value<'_>) -> bool {
        let variable = self.capital && self.spelling.identifier;
        let long =
            || value.quoted || value.text.len() >= 16 || value.text.contains(|c: char| c.is_ascii_digit());
        match link {
            Link::Assigned if self.explicit && self.least < LONG && !variable => {
                value.text.len() >= 6
                    && !value.text.contains(char::is_whitespace)
                    && long()
                    && !value.is_type_name()
            }
            // A variable of the environment holds what it says.
            Link::Assigned if variable && self.least < LONG => value.text.len() >= 6 && !value.is_type_name(),
            Link::Assigned => value.is_machine_made(if variable { 16 } else { self.least.max(8) }),
            Link::Punctuated | Link::Said | Link::Told | Link::Foreign => value.is_machine_made(self.least),
            Link::Below => value.fills_its_line() && value.is_machine_made(self.least),
            Link::Implied => value.is_machine_made(if variable { 12 } else { LONG }),
        }
    }

    /// Whether the value is a variable that is named after a secret: `token=token`, `password: userPassword`.
    fn is_named_by(&self, value: &Value<'_>) -> bool {
        let lower = value.text.to_ascii_lowercase();
        let parts = lower.contains('_') || has_hump(value.text);
        let is_name = |name: &Name| {
            matches!(name.kind, Word | Machine | Key)
                && lower.ends_with(name.literal)
                && (parts || lower == name.literal)
        };
        let letters = value.text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        letters && !value.quoted && !self.capital && NAMES.iter().any(is_name)
    }
}

/// A sentence under a plain name is a message about it, `"password": "is too short"`; any other is meant word by word.
fn is_meant(link: Link, value: &Value<'_>, spelling: Spelling) -> bool {
    let spoken = matches!(link, Link::Punctuated | Link::Said | Link::Told | Link::Foreign | Link::Below);
    value.quoted && value.text.contains(' ') && (spelling.identifier || spoken)
}

/// The first value of the clause that a verb hands over; `text` is what the clause is part of.
fn handed<'t>(clause: &'t str, text: &'t str) -> Option<&'t str> {
    let mut last = "";
    for word in clause.split(' ') {
        let verb = HANDS.contains(&last.trim_matches(',').to_ascii_lowercase().as_str());
        last = word;
        // An empty word lies nowhere in the text.
        if word.is_empty() {
            continue;
        }
        let start = super::span_of(word, text).start;
        let Some(value) = Value::read(text.get(start..)?).filter(|_| verb) else { continue };
        let digit =
            value.text.contains(|c: char| c.is_ascii_digit()) && value.text.contains(char::is_alphabetic);
        if digit && value.is_made_up(6) && !value.is_reference() {
            return Some(value.list());
        }
    }
    None
}

/// Whether the clause before a name talks about secrets in general.
fn is_talk(before: &str) -> bool {
    words::is_talk(trailing(before, 64, |c| !matches!(c, '\n' | '.' | '!' | '?' | ';' | ':' | ',')))
}

/// Whether the word before a name says whose it is, or names a user or a thing that has one.
fn is_owned(before: &str) -> bool {
    let clause = trailing(before, 40, |c| !matches!(c, '\n' | '!' | '?'));
    let last = clause.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    OWNERS.contains(&last.as_str())
}

/// Whether a user's name was given right before.
fn is_beside_user(before: &str) -> bool {
    let clause = trailing(before, 40, |c| !matches!(c, '\n' | '!' | '?'));
    let mut words = clause.split([' ', ':', ',', '=']).map(str::to_lowercase);
    words.any(|word| matches!(word.as_str(), "user" | "username" | "usr" | "login"))
}

/// Whether a code is a network's: "wifi code".
fn is_network(before: &str, after: &str) -> bool {
    let near = [trailing(before, 8, |c| c != '\n'), leading(after, 24, |c| !matches!(c, '\n' | ':' | '='))];
    near.iter().any(|text| {
        let lower = text.to_ascii_lowercase();
        lower.contains("wifi") || lower.contains("wi-fi") || lower.contains("wlan")
    })
}

/// "the code is 4711": digits behind a verb or a colon, or with a word about what they are for.
fn is_bare_code(link: Link, value: &Value<'_>) -> bool {
    let digits = value.text.bytes().filter(u8::is_ascii_digit).count();
    let number =
        value.is_number() && digits <= 8 || digits == 6 && value.text.len() == 7 && value.text.contains('-');
    let clause = leading(value.rest, 48, |c| !matches!(c, '\n' | '.')).to_ascii_lowercase();
    let verifies = ["verify", "log in", "sign in", "confirm", "unlock", "get in"]
        .iter()
        .any(|word| clause.contains(word));
    number && (value.ends_clause() && link != Link::Implied || verifies)
}

/// "4711#", "12-34-56": what only locks have.
fn is_combination(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let keys = text.bytes().all(|byte| byte.is_ascii_digit() || b"#*".contains(&byte));
    let turns = text
        .split('-')
        .all(|turn| (1..=2).contains(&turn.len()) && turn.bytes().all(|byte| byte.is_ascii_digit()));
    digits >= 4 && (keys && digits < text.len() || turns && text.split('-').count() == 3)
}

/// What opens a thing that was encrypted or locked with it.
fn is_opener(value: &Value<'_>) -> bool {
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    digit && value.is_made_up(6) || value.is_number() && value.text.len() <= 8
}
