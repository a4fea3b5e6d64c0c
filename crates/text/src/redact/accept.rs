//! What a name accepts as its value, by its kind and by how the two are joined.

use super::cues::{Cue, cues};
use super::form::is_named_thing;
use super::link::{Link, Spelling};
use super::names::{Kind, NAMES, Name};
use super::opens::LONG;
use super::reading::leading;
use super::value::{Value, has_hump};
use super::words;
use super::written::Written;
use Kind::{
    Abbreviation, Answer, Code, Groups, Key, Machine, Opener, Phrase, Pin, QualifiedCode, Seed, Subject,
    Thing, Word,
};

impl Written<'_> {
    /// What stands behind the link, if it is a secret.
    pub(super) fn value<'t>(&self, link: Link, rest: &'t str) -> Option<&'t str> {
        let mut value = Value::read(rest)?;
        // "login / password: ana / hunter2"
        if let Some(second) = value.rest.strip_prefix(" / ")
            && self.beside_user()
        {
            value = Value::read(second)?;
        }
        // "user/pass: ana/hunter2"
        let known = ["admin/", "root/", "guest/", "user/"].iter().any(|user| value.text.starts_with(user));
        if !value.quoted
            && let Some((_, second)) = value.text.split_once('/')
            && (known && self.kind == Word || self.beside_user())
        {
            value = Value::read(rest.get(super::span_of(second, rest).start..)?)?;
        }
        // "login and password: ana, hunter2"
        if !value.quoted
            && let Some(second) =
                [" and ", ", ", " & ", " und ", " et ", " y ", " e ", " en ", " i ", " и ", " ve "]
                    .iter()
                    .find_map(|joint| value.rest.strip_prefix(joint))
            && self.paired()
        {
            value = Value::read(second).filter(|value| value.ends_clause())?;
            let plain = value.is_last_word() && !words::is_topic(value.text) && !value.is_remark();
            return (plain || value.is_made_up(4) && !value.is_reference()).then(|| value.whole());
        }
        let stands_in = matches!(link, Link::Assigned | Link::Punctuated | Link::Implied)
            && words::is_stand_in(value.text);
        // In speech a dollar is a letter, and a dot joins words: "my password is $ummer".
        let dollar = value.text.strip_prefix('$').is_some_and(|rest| rest.chars().all(char::is_lowercase));
        let spoken = matches!(link, Link::Said | Link::Foreign) && (dollar || value.is_dotted_words());
        if value.is_reference() && !spoken || stands_in || self.is_named_by(&value) || value.names_another() {
            return None;
        }
        if let Some(phrase) = self.phrase(link, &value) {
            return Some(phrase);
        }
        if self.kind == Groups {
            return value.groups();
        }
        // "771 204"
        let sure = self.kind == Code || self.kind == QualifiedCode && !self.code;
        let grouped =
            value.number().filter(|number| number.contains(' ') && (6..=11).contains(&number.len()));
        // "my PIN is 77 41", "my voicemail password is 2 4 6 8"
        let spaced = value.number().filter(|number| {
            let groups = number.split(' ').count();
            let told = !matches!(link, Link::Assigned | Link::Implied | Link::Bracketed);
            told && (self.kind == Pin && groups == 2
                || matches!(self.kind, Pin | Word) && (4..=8).contains(&groups))
        });
        let grouped = grouped.filter(|_| sure).or(spaced.filter(|number| number.len() <= 15));
        if let Some(number) = grouped {
            return Some(if self.plural { value.list() } else { number });
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
            Abbreviation | Pin | Machine | Key | Code | QualifiedCode | Groups | Opener | Thing | Seed
            | Answer | Subject => {
                return None;
            }
        };
        if value.quoted || self.spelling.identifier || self.plural || self.attached {
            return None;
        }
        // Only a verb of English tells that the sentence is.
        let language = if link == Link::Said { "" } else { self.spelling.language };
        let several = || value.several(language);
        match link {
            // Nothing but a blank: it has to look like a name, or stand beside a user's.
            Link::Implied | Link::Bracketed => {
                let sure = |phrase: &&str| {
                    let mut words = phrase.split(' ');
                    let count = words.clone().count();
                    let named = count <= 3 && words.all(|word| word.starts_with(char::is_uppercase));
                    named || count >= if self.beside_user() { 2 } else { 4 }
                };
                several().filter(|_| !self.talks() && self.spaced).filter(sure)
            }
            Link::Assigned => {
                value.phrase(fewest, self.kind == Phrase).or_else(several).filter(|_| self.spaced)
            }
            Link::Punctuated | Link::Said | Link::Told | Link::Foreign | Link::Below => {
                let own = link == Link::Below || link == Link::Punctuated && self.kind == Phrase;
                let line = || value.line().filter(|_| own);
                let sentence = || value.sentence().filter(|_| self.kind == Phrase);
                value.phrase(fewest, self.kind == Phrase).or_else(several).or_else(line).or_else(sentence)
            }
        }
    }

    fn accepts(&self, link: Link, value: &Value<'_>) -> bool {
        let written = self.spelling.identifier || self.spelling.option;
        match (self.kind, link) {
            (Word | Phrase, _) => self.is_password(link, value),
            // "-deststorepass hunter2"
            (Abbreviation | Pin, _) if self.attached => link == Link::Assigned && value.is_made_up(6),
            (Abbreviation, Link::Assigned) if written || self.query => self.is_password(link, value),
            (Abbreviation, _) => self.is_abbreviated(link, value),
            (Pin, _) => self.is_pin(link, value),
            (QualifiedCode, _) if self.code => is_bare_code(link, value) || is_combination(value.text),
            (Code | QualifiedCode, _) => self.is_code(value) || is_code_word(link, value),
            // Other rules look for these.
            (Seed | Answer | Subject | Groups, _) => false,
            (Opener, _) => is_opener(value) || is_combination(value.text),
            (Thing, Link::Implied) => value.text.ends_with(['#', '*']) && is_combination(value.text),
            (Thing, _) => {
                let known = self.beside_code() || matches!(self.name, "keypad" | "lockbox" | "padlock");
                is_combination(value.text)
                    || known && value.is_number() && value.text.len() <= 8 && value.ends_clause()
            }
            (Machine | Key, _) => self.is_key(link, value),
        }
    }

    fn is_password(&self, link: Link, value: &Value<'_>) -> bool {
        let turns =
            value.number().is_some_and(|number| number.len() == value.text.len() && number.len() >= 6);
        let made_up = value.is_made_up(4)
            || value.is_dotted_words()
            || value.is_number()
            || value.is_long_number()
            || turns
            || value.quoted;
        match link {
            Link::Assigned if value.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                value.quoted || value.is_number()
            }
            Link::Assigned => value.quoted || value.text.len() >= 3,
            Link::Punctuated | Link::Said if self.attached => {
                value.is_made_up(6) || self.spelling.language != "en" && self.is_foreign_word(value)
            }
            Link::Punctuated | Link::Said => {
                let told = value.is_told_word()
                    || self.spelling.language == "en"
                        && (value.is_told_in_passing() || link == Link::Said && value.is_bare_noun());
                made_up || told && !self.is_foreign_remark(value) || value.is_date()
            }
            Link::Told => {
                made_up || self.plural && self.owned() && value.is_told_word() && !words::is_topic(value.text)
            }
            Link::Foreign => made_up || value.is_date() || self.is_foreign_word(value),
            Link::Below => {
                value.fills_its_line() && (made_up || value.is_last_word() && !words::is_topic(value.text))
            }
            Link::Implied if value.quoted => {
                value.is_made_up(4)
                    || self.kind == Phrase
                    || !self.talks()
                        && !value.is_remark()
                        && (value.ends_clause() || !words::is_topic(value.text))
            }
            // Without a link, `root@host` is an address.
            Link::Bracketed => {
                let sure = value.is_last_word()
                    && !self.plural
                    && value.text.len() >= 6
                    && !words::is_topic(value.text);
                value.is_made_up(6)
                    || value.text.chars().all(char::is_lowercase) && (sure || self.is_plain(value))
            }
            Link::Implied => {
                let short = !self.talks() && (value.ends_clause() || self.spelling.unspaced);
                value.is_made_up(if short { 4 } else { 6 })
                    && value.text.contains(|c: char| c.is_ascii_digit() || "!#$%^&*+=~".contains(c))
                    || (value.is_number() || value.is_long_number()) && value.ends_clause() && !self.plural
                    || self.is_plain(value)
            }
        }
    }

    /// A plain word in value position: "password swordfish", but not "password manager" nor "I forgot the password again".
    fn is_plain(&self, value: &Value<'_>) -> bool {
        let verb = self.owned() && value.text.ends_with('s');
        let about = words::is_topic(value.text) || self.is_foreign_remark(value) || verb;
        let parted = !self.spelling.unspaced || self.spaced && value.text.is_ascii();
        let spoken = !self.attached && !self.plural && !self.spelling.identifier && parted;
        matches!(self.kind, Word | Phrase)
            && spoken
            && !self.talks()
            && (value.is_last_word()
                || value.text.contains('-') && value.is_told_word()
                || !value.text.ends_with('s') && self.is_told_on(value))
            && !value.is_asked()
            && !about
    }

    /// Returns true if the sentence continues after the word as it does after a password.
    fn is_told_on(&self, value: &Value<'_>) -> bool {
        let passing = (!self.owned() || self.chosen()) && value.is_told_in_passing();
        passing || precedes_name(value.rest) || (self.owned() || self.chosen()) && value.is_told_in_action()
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
        let plain = || {
            let word = value.is_last_word() || value.text.contains('-') && value.is_told_word();
            word && !words::is_topic(value.text) && !self.is_foreign_remark(value)
        };
        match link {
            Link::Assigned if self.member && value.quoted => !words::is_topic(value.text),
            Link::Assigned | Link::Punctuated | Link::Told | Link::Foreign | Link::Below => {
                value.is_made_up(5)
                    || value.is_number() && value.text.len() <= 8 && link != Link::Assigned
                    || link == Link::Foreign && self.owned() && plain()
                    || link == Link::Assigned && self.beside_user() && plain()
                    || link == Link::Assigned && self.begins && self.spaced && plain()
                    || link == Link::Punctuated && (!self.owned() || self.beside_user()) && plain()
            }
            Link::Said => {
                self.beside_user() && value.is_number()
                    || value.is_made_up(5) && value.text.contains(|c: char| c.is_ascii_digit())
                    || (self.begins || self.beside_user()) && plain()
            }
            Link::Implied | Link::Bracketed => {
                self.beside_user() && (value.is_made_up(5) || plain()) || value.is_strong()
            }
        }
    }

    /// Six digits behind a colon are rather a postal code, unless the PIN is somebody's.
    fn is_pin(&self, link: Link, value: &Value<'_>) -> bool {
        let length = value.text.len();
        let wanted = match link {
            Link::Said | Link::Told | Link::Foreign | Link::Below => length <= 8,
            Link::Assigned | Link::Punctuated | Link::Implied | Link::Bracketed => {
                let year =
                    link == Link::Implied && ["19", "20"].iter().any(|age| value.text.starts_with(age));
                length == 4 && (!year || self.capital) || length == 8 || self.owned() && length <= 8
            }
        };
        value.is_number() && wanted
    }

    /// Digits, with letters, dashes and signs among them; three digits only where cards have them.
    fn is_code(&self, value: &Value<'_>) -> bool {
        let digits = value.text.bytes().filter(u8::is_ascii_digit).count();
        let plain = value.text.bytes().all(|byte| byte.is_ascii_digit());
        let marked = value.text.bytes().all(|byte| byte.is_ascii_digit() || b"-#*".contains(&byte));
        let short = self.name.starts_with("cv")
            || self.name.starts_with("cryp")
            || self.name.starts_with("digits")
            || self.name == "code";
        let counted = words::begins_with_unit(value.rest.trim_start());
        let length = if short { 3 } else { 4 };
        !counted && (plain && (length..=10).contains(&digits) || !plain && marked && digits >= 4)
            || digits > 0 && value.is_made_up(4)
            || is_grouped(value.text)
    }

    fn is_key(&self, link: Link, value: &Value<'_>) -> bool {
        let variable = self.capital && self.spelling.identifier;
        // What only a service's name announces may as well be the key's id.
        let long =
            || value.quoted || value.text.len() >= 16 || value.text.contains(|c: char| c.is_ascii_digit());
        if link != Link::Assigned && value.is_random(if self.least < LONG { 8 } else { 14 }) {
            return true;
        }
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
            Link::Below => {
                value.fills_its_line() && (value.is_machine_made(self.least) || value.is_random(10))
            }
            Link::Implied if self.least < LONG && value.fills_its_line() && value.is_random(6) => true,
            Link::Implied | Link::Bracketed => {
                value.is_machine_made(if variable { 12 } else { LONG.min(self.least.max(16)) })
            }
        }
    }

    /// Returns true if the value is a variable that is named after a secret: `token=token`, `password: userPassword`.
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

/// "netflix password hedgehog hulu password …"
fn precedes_name(rest: &str) -> bool {
    let mut words = rest.split_whitespace().map(str::to_lowercase);
    words.next().is_some_and(|word| cues("", &word).any(&[Cue::Account, Cue::Access, Cue::User]))
        && words.next().is_some_and(|word| cues("", &word).has(Cue::Name))
}

/// A sentence under a plain name is a message about it, `"password": "is too short"`; any other is meant word by word.
fn is_meant(link: Link, value: &Value<'_>, spelling: Spelling) -> bool {
    let spoken = matches!(link, Link::Punctuated | Link::Said | Link::Told | Link::Foreign | Link::Below);
    value.quoted && value.text.contains(' ') && (spelling.identifier || spoken)
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

/// A number at the end of the clause, with nothing before it that says what else it is.
pub(super) fn closing_number(clause: &str) -> Option<&str> {
    let mut words = clause.split_whitespace().rev();
    let number = words.next()?;
    let digits = (4..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let before = words.next()?.to_lowercase();
    let other =
        cues("", &before).any(&[Cue::Other, Cue::Place, Cue::User, Cue::Product, Cue::Account, Cue::To]);
    let said = other || words::is_little(&before) || before.contains(|c: char| c.is_ascii_digit());
    (digits && !said && clause.split_whitespace().count() >= 3).then_some(number)
}

/// "the access code is sunflower"
fn is_code_word(link: Link, value: &Value<'_>) -> bool {
    matches!(link, Link::Said | Link::Punctuated)
        && value.is_last_word()
        && value.text.len() >= 6
        && value.text.chars().all(char::is_lowercase)
        && !words::is_topic(value.text)
        && !words::is_descriptive(value.text)
}

/// "ABCD-EFGH-IJKL"
fn is_grouped(text: &str) -> bool {
    let is_group = |group: &str| {
        matches!(group.len(), 4..=6)
            && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    text.split('-').count() >= 3 && text.split('-').all(is_group)
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
    digit && value.is_made_up(6) && !is_named_thing(value.text) || value.is_number() && value.text.len() <= 8
}
