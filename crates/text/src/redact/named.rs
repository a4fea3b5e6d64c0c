//! Secrets that are known by the name in front of them: "my wifi password is …", `FOO_API_KEY=…`.

use super::link::{Link, Spelling, links};
use super::reading::{ends_with_marker, holds_marker, leading, leads_to_marker, strip_word, trailing};
use super::value::{Value, has_hump};
use super::{Class, Secret, Sight};
use crate::cjk::is_cjk_or_mark;
use Class::{ApiKey, ConnectionString, Password, PrivateKey, Token};
use Kind::{Abbreviation, Key, Machine, Phrase, Pin, Seed, Word};

/// A word that names a secret.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) literal: &'static str,
    class: Class,
    kind: Kind,
}

/// What its values look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anything that a person makes up, even a plain word.
    Word,
    /// The same, but the name means other things too: "bus pass".
    Abbreviation,
    /// Digits.
    Pin,
    /// A few plain words.
    Phrase,
    /// Many plain words, drawn from a list.
    Seed,
    /// Letters and digits that a program made up.
    Machine,
    /// The same, once the word before says that it opens something: "API key", not "primary key".
    Key,
}

pub(super) const NAMES: &[Name] = &[
    name("password", Password, Word),
    name("passwd", Password, Word),
    name("passcode", Password, Word),
    name("pass code", Password, Word),
    name("pwd", Password, Word),
    name("pass", Password, Abbreviation),
    name("pw", Password, Word),
    name("pin", Password, Pin),
    name("passphrase", Password, Phrase),
    name("pass phrase", Password, Phrase),
    name("seed phrase", PrivateKey, Seed),
    name("recovery phrase", PrivateKey, Seed),
    name("mnemonic", PrivateKey, Seed),
    name("passwort", Password, Word),
    name("kennwort", Password, Word),
    name("wachtwoord", Password, Word),
    name("mot de passe", Password, Word),
    name("mdp", Password, Word),
    name("contraseña", Password, Word),
    name("CONTRASEÑA", Password, Word),
    name("contrasena", Password, Word),
    name("clave", Password, Abbreviation),
    name("clé", Password, Abbreviation),
    name("senha", Password, Word),
    name("пароль", Password, Word),
    name("Пароль", Password, Word),
    name("密码", Password, Word),
    name("密碼", Password, Word),
    name("口令", Password, Word),
    name("パスワード", Password, Word),
    name("비밀번호", Password, Word),
    name("패스워드", Password, Word),
    name("비번", Password, Word),
    name("암호", Password, Word),
    name("token", Token, Machine),
    name("secret", ApiKey, Machine),
    name("secret_key_base", ApiKey, Machine),
    name("key", ApiKey, Key),
];

impl Name {
    /// Whether people also say it after the secret.
    pub(super) fn may_follow(&self) -> bool {
        self.kind == Word
    }
}

/// What makes a key a secret: the word before it.
const SECRET_KEYS: &[(&str, Class)] = &[
    ("api", ApiKey),
    ("sharedaccess", ConnectionString),
    ("access", ApiKey),
    ("secret", ApiKey),
    ("auth", ApiKey),
    ("signing", ApiKey),
    ("encryption", ApiKey),
    ("master", ApiKey),
    ("account", ConnectionString),
    ("private", PrivateKey),
    ("preshared", Password),
    // wifi, Wi-Fi
    ("fi", Password),
    ("wpa", Password),
    ("wpa2", Password),
    ("network", Password),
];

/// Keys that environment variables hold and that open nothing.
const OPEN_KEYS: &[&str] =
    &["public", "primary", "foreign", "cache", "sort", "partition", "idempotency", "object"];

/// How "my wifi password" begins.
const DETERMINERS: &[&str] = &["my", "the", "our", "your", "his", "her", "their", "a"];

const fn name(literal: &'static str, class: Class, kind: Kind) -> Name {
    Name { literal, class, kind }
}

/// The least length of what a variable holds whose name says little: `OPENAI_KEY`.
const LONG: usize = 20;

/// A name where it stands in a text.
struct Written {
    class: Class,
    kind: Kind,
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
pub(super) fn examine<'t>(sight: &Sight<'t>, name: &Name) -> Option<Secret<'t>> {
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
    None
}

/// The value that stands before its name: "hunter2 is my wifi password", "use hunter2 as the password".
pub(super) fn examine_before<'t>(sight: &Sight<'t>, name: &Name) -> Option<Secret<'t>> {
    let written = Written::read(sight, name)?;
    if written.spelling.unspaced || !sight.before.ends_with(' ') {
        return None;
    }
    let mut words = sight.before.split_whitespace().rev().take_while(|word| !holds_marker(word));
    let mut modifier = "";
    let verb = words.by_ref().take(5).find(|word| {
        let found = matches!(*word, "is" | "was" | "as");
        modifier = if found { modifier } else { word };
        found
    })?;
    let value = Value::read(words.next()?)?;
    let owned = verb == "as" || DETERMINERS.contains(&modifier);
    let secret = owned && value.is_made_up(6) && !value.is_reference();
    secret.then(|| Secret { text: value.whole(), class: written.class })
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
    fn read(sight: &Sight<'_>, name: &Name) -> Option<Self> {
        let run = trailing(sight.before, 80, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let unspaced = sight.literal.starts_with(is_cjk_or_mark);
        let prefix = if unspaced { "" } else { run.trim_start_matches('-') };
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
            // 1Password is a product.
            Word if prefix == "1" => return None,
            Word if attached && name.literal == "pw" => return None,
            Abbreviation | Pin if attached => return None,
            Word | Abbreviation | Pin | Phrase | Seed | Machine => {
                (name.class, if prefix.is_empty() { 10 } else { 6 })
            }
        };
        Some(Self {
            class,
            kind: name.kind,
            spelling: Spelling { identifier: prefix.contains('_') || hump, option, unspaced },
            explicit: !prefix.is_empty() || capital || name.kind == Key,
            attached: attached && name.kind != Key,
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
            Word | Phrase if self.plural => after.strip_prefix('s'),
            Pin => [" code", " number"].iter().find_map(|word| strip_word(after, word)),
            Word | Phrase | Seed | Abbreviation | Machine | Key => None,
        };
        let number = leading(after, 3, |c| c.is_ascii_digit() || c == '_');
        let numbered = after.get(number.len()..).filter(|rest| rest.starts_with(['=', ':', '"', '\'']));
        let rest = suffix.or(numbered).unwrap_or(after);
        let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() && !is_cjk_or_mark(c) || c == '_')
            || rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        (!goes_on).then_some(rest)
    }

    /// What stands behind the link, if it is a secret.
    fn value<'t>(&self, link: Link, rest: &'t str) -> Option<&'t str> {
        let value = Value::read(rest)?;
        if value.is_reference() || self.is_named_by(&value) || value.names_another() {
            return None;
        }
        if let Some(phrase) = self.phrase(link, &value) {
            return Some(phrase);
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
            Abbreviation | Pin | Machine | Key => return None,
        };
        let spoken = link != Link::Implied && !value.quoted && !self.spelling.identifier;
        if spoken { value.phrase(fewest) } else { None }
    }

    fn accepts(&self, link: Link, value: &Value<'_>) -> bool {
        let written = self.spelling.identifier || self.spelling.option;
        match (self.kind, link) {
            (Word | Phrase, _) => self.is_password(link, value),
            (Abbreviation, Link::Assigned) if written => self.is_password(link, value),
            (Abbreviation, Link::Assigned | Link::Punctuated | Link::Told) => value.is_made_up(5),
            (Abbreviation, Link::Said | Link::Implied) => false,
            // Six digits behind a colon are rather a postal code.
            (Pin, Link::Said) => value.is_number() && value.text.len() <= 8,
            (Pin, _) => value.is_number() && value.text.len() == 4 && link != Link::Implied,
            (Seed, _) => value.quoted && value.text.split_whitespace().count() >= 6,
            (Machine | Key, _) => self.is_key(link, value),
        }
    }

    fn is_password(&self, link: Link, value: &Value<'_>) -> bool {
        let made_up = value.is_made_up(4) || value.is_number() || value.quoted;
        match link {
            Link::Assigned if value.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                value.quoted || value.is_number()
            }
            Link::Assigned => value.quoted || value.text.len() >= 3,
            Link::Punctuated | Link::Said if self.attached => value.is_made_up(6),
            Link::Punctuated | Link::Said => made_up || value.is_last_word(),
            Link::Told => made_up || self.spelling.unspaced && value.is_last_word(),
            Link::Implied if value.quoted => value.is_made_up(4) || self.kind == Phrase,
            // Without a link, `root@host` is an address.
            Link::Implied => {
                value.is_made_up(6)
                    && value.text.contains(|c: char| c.is_ascii_digit() || "!#$%^&*+=~".contains(c))
            }
        }
    }

    fn is_key(&self, link: Link, value: &Value<'_>) -> bool {
        let long =
            || value.quoted || value.text.len() >= 16 || value.text.contains(|c: char| c.is_ascii_digit());
        match link {
            Link::Assigned if self.explicit && self.least < LONG => {
                value.text.len() >= 6
                    && !value.text.contains(char::is_whitespace)
                    && long()
                    && !value.is_type_name()
            }
            Link::Assigned => value.is_machine_made(self.least.max(8)),
            Link::Punctuated | Link::Said | Link::Told => value.is_machine_made(self.least),
            Link::Implied => {
                value.is_machine_made(if self.capital && self.spelling.identifier { 12 } else { LONG })
            }
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
    let spoken = matches!(link, Link::Punctuated | Link::Said | Link::Told);
    value.quoted && value.text.contains(' ') && (spelling.identifier || spoken)
}

/// The class of a key by the word before it, and the least length of what it holds.
fn key(before: &str, prefix: &str, capital: bool) -> Option<(Class, usize)> {
    let apart = before.strip_suffix([' ', '_', '-']).unwrap_or(before);
    let word = trailing(apart, 24, |c| c.is_ascii_alphanumeric()).to_ascii_lowercase();
    if let Some((_, class)) = SECRET_KEYS.iter().find(|(kind, _)| word.ends_with(kind)) {
        return Some((*class, 6));
    }
    let variable = capital && prefix.ends_with('_') && !OPEN_KEYS.contains(&word.as_str());
    variable.then_some((ApiKey, LONG))
}
