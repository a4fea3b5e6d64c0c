//! Secrets that are known by the name in front of them: "my wifi password is …", `FOO_API_KEY=…`.

use super::accept::closing_number;
use super::cues::{Cue, cues};
use super::link::{links, skip_fillers};
use super::names::{Kind, Name, ending};
use super::opens::{self, LONG};
use super::reading::{holds_marker, leading, leads_to_marker, skip_blanks, strip_word, trailing};
use super::value::{Value, ends_clause};
use super::written::{Written, is_chosen};
use super::{Class, Secret, Sight, words};
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;
use Class::{Password, Token};
use Kind::{Code, Key, Machine, Phrase, Pin, QualifiedCode, Word};

/// How "my wifi password" begins.
static DETERMINERS: WordList = WordList::new(
    "my the our your his her their a das mein unser le mon notre la mi nuestra mia minha nossa het mijn ons moje \
     nasze мой наш",
);

/// What may follow a name that stands last: "… is the password for the NAS".
pub(super) static QUALIFIED: WordList = WordList::new(
    "ein an auf for on to of at für von pour du de del do da voor van en em sur nel no na beim im w на в для от",
);

/// The value that this name announces.
pub(super) fn examine<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    if goes_on(sight) {
        return None;
    }
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
    let text = confirmed(sight.before, after).or_else(|| written.near(sight.before, after))?;
    Some(Secret { text, class: written.class })
}

/// "wasn't the wifi password hedgehog?"
fn confirmed<'t>(before: &str, after: &'t str) -> Option<&'t str> {
    let clause = trailing(before, 32, |c| !matches!(c, '\n' | '.' | ',' | '!' | '?')).to_lowercase();
    let mut words = clause.split_whitespace();
    let asks =
        words.next().is_some_and(|word| matches!(word, "was" | "is" | "isn't" | "wasn't" | "isnt" | "wasnt"))
            && words.next().is_some_and(|word| DETERMINERS.contains(word));
    let value = Value::read(after.strip_prefix(' ').filter(|_| asks)?)?;
    let word = value.text.trim_end_matches('?');
    let plain =
        word.chars().count() >= 5 && word.chars().all(char::is_lowercase) && !words::is_descriptive(word);
    let said = value.is_remark() || words::is_remark(word) || words::is_topic(word) || words::is_answer(word);
    (plain && !said && value.is_asked() && value.fills_its_line()).then_some(word)
}

/// Returns true if the name is only the beginning of a word, by one look: "pass" in "password".
fn goes_on(sight: &Sight<'_>) -> bool {
    sight.literal.is_ascii()
        && sight.after.starts_with(|c: char| c.is_ascii_alphabetic() && c != 's' && c != 'S')
}

/// The verbs between a value and its name: "hunter2 is my password", "hunter2 als Passwort".
static NAMES_LAST: WordList = WordList::new(
    "is was be as for de that's that’s ist als war est comme c'est c’est es como era è come é foi het to jako это как",
);

/// The value that stands before its name: "hunter2 is my wifi password", "use hunter2 as the password".
pub(super) fn examine_before<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    // "WLAN-Passwort"
    let compound = trailing(sight.before, 24, |c| c.is_alphanumeric() || c == '-');
    let front = sight.before.strip_suffix(compound).filter(|_| compound.ends_with('-'));
    let front = front.unwrap_or(sight.before);
    if goes_on(sight) || !front.ends_with(' ') {
        return None;
    }
    let written = Written::read(sight, name).filter(|written| !written.spelling.unspaced)?;
    if let Some(text) = judged(sight.before) {
        return Some(Secret { text, class: written.class });
    }
    let words = front.split_whitespace().rev().take_while(|word| !holds_marker(word));
    let mut words = words.filter(|word| word.contains(char::is_alphanumeric));
    let (mut determined, mut between, mut talks) = (false, 0, written.plural);
    let verb = words.by_ref().take(5).map(|word| word.trim_start_matches('(')).find(|word| {
        let found = NAMES_LAST.contains(&word.to_lowercase());
        determined |= !found && DETERMINERS.contains(word);
        between += usize::from(!found);
        talks |= !found && (*word == "most" || words::is_talk(word));
        found
    })?;
    // "remember hunter for me, that's my password"
    let mut words = words.skip_while(|word| matches!(*word, "for" | "me," | "me" | "please," | "pls,"));
    let mut before_verb = words.next()?;
    // "hunter should be the password"
    if verb == "be" && matches!(before_verb, "should" | "will" | "would" | "might" | "must" | "could") {
        before_verb = words.next()?;
    }
    let value = Value::read(before_verb)?;
    // "puse girasol de contraseña"
    let as_name = matches!(verb, "as" | "als" | "comme" | "como" | "come" | "jako" | "как" | "de");
    let polish = verb == "to" && written.spelling.language == "pl";
    let owned = as_name || polish || determined;
    let before = words.next().unwrap_or(".").to_lowercase();
    // "we settled on hunter", "I use everywhere hunter"
    let chosen = is_chosen(&before)
        || as_name
            && (matches!(before.as_str(), "on" | "of" | "about" | "and") || words.take(2).any(is_chosen));
    let start = super::span_of(value.text, sight.text).start;
    let front = sight.text.get(..start)?.trim_end();
    let begins = front.is_empty()
        || front.ends_with(['.', '!', '?', ':', ',', '-', '–', '—'])
        || matches!(
            before.as_str(),
            "think"
                | "that"
                | "it's"
                | "remember"
                | "save"
                | "note"
                | "if"
                | "believe"
                | "and"
                | "und"
                | "et"
                | "y"
                | "e"
                | "i"
                | "en"
                | "и"
        );
    let plain = value.is_word() && !value.is_remark() && !words::is_topic(value.text);
    let ends = ends_clause(sight.after)
        || QUALIFIED.iter().any(|word| strip_word(skip_blanks(sight.after), word).is_some());
    let secret = match written.kind {
        Machine | Key => owned && (value.is_machine_made(16) || value.is_random(8)),
        Code | QualifiedCode | Pin => owned && verb != "for" && is_sent_code(value.text),
        _ if value.is_made_up(6) => owned && (verb != "for" || chosen && ends),
        // "hunter, that's the password"
        _ if verb.to_lowercase().starts_with("that") => plain && between <= 3 && (chosen || begins) && ends,
        _ if as_name => plain && between <= 2 && chosen && ends,
        // "just use hunter for the password"
        _ if verb == "for" => {
            plain
                && between <= 2
                && chosen
                && value.text.chars().all(char::is_lowercase)
                && ends_clause(sight.after)
        }
        // "swordfish is my wifi password", the whole sentence
        _ => plain && owned && between <= 3 && begins && ends,
    };
    let asked = words::is_talk(value.text);
    (secret && !talks && !asked && !value.is_reference())
        .then(|| Secret { text: value.whole(), class: written.class })
}

/// "is hunter a good password?"
fn judged(before: &str) -> Option<&str> {
    let mut words = before.split_whitespace().rev().take_while(|word| !holds_marker(word));
    words.by_ref().take(3).find(|word| matches!(*word, "a" | "an"))?;
    let value = Value::read(words.next()?).filter(|value| !value.is_reference())?;
    let verb = words.next()?.to_lowercase();
    let plain = value.is_word()
        && value.text.chars().all(char::is_lowercase)
        && !value.is_remark()
        && !words::is_topic(value.text);
    (matches!(verb.as_str(), "is" | "would" | "does") && (plain || value.is_made_up(6)))
        .then(|| value.whole())
}

/// "528019", "G-528019"
fn is_sent_code(text: &str) -> bool {
    let digits = text.strip_prefix("G-").unwrap_or(text);
    (4..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The code in "use 771 204 to verify your account".
pub(super) fn examine_sent<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let front = sight.before.strip_suffix(' ')?;
    let text = trailing(front, 12, |c| c.is_ascii_digit() || matches!(c, ' ' | '-')).trim_start();
    let verb = trailing(front.strip_suffix(text)?.trim_end(), 8, char::is_alphabetic).to_ascii_lowercase();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let used = matches!(verb.as_str(), "use" | "enter" | "code" | "with" | "type");
    ((4..=8).contains(&digits) && used).then_some(Secret { text, class: Password })
}

/// The value behind "it's", if a password or a PIN was named shortly before.
pub(super) fn examine_pronoun<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let clause = trailing(sight.before, 80, |c| c != '\n');
    if holds_marker(clause) || sight.before.ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let name = last_name(&clause.to_lowercase());
    let behind = leading(sight.after, 64, |c| c != '\n');
    let named_later = || behind.contains(" my password") || behind.contains(" the password");
    let value = Value::read(skip_fillers(sight.after))?;
    let known = name.is_some() || named_later();
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    let told = value.is_told_word() || value.quoted && value.text.contains(' ') && value.ends_clause();
    let plain = name.is_some_and(|name| name.kind == Word)
        && !words::is_talk(trailing(clause, 40, |_| true))
        && !clause.trim_end().trim_end_matches(['?', '.', '!']).contains(['.', '?', '!'])
        && (clause.trim_end().ends_with('?') || !words::is_descriptive(&value.text.to_lowercase()))
        && told
        && (!value.is_remark() || value.text.contains(' '))
        && !words::is_topic(value.text);
    let vague = name.is_some_and(|name| name.kind == QualifiedCode);
    let number = value.is_number()
        && value.text.len() <= 8
        && (!vague || value.ends_clause() && opens::code_opens(clause, clause));
    let secret = known && digit && (value.is_made_up(5) && !vague || number);
    ((secret || plain) && !value.is_reference()).then(|| Secret { text: value.whole(), class: Password })
}

/// The last name of a password or a PIN in a text in lower case.
fn last_name(lower: &str) -> Option<&'static Name> {
    let said =
        |name: &&Name| matches!(name.kind, Word | Pin | Code | QualifiedCode) && name.literal.len() > 2;
    let is_end = |at: &usize| {
        let rest = lower.get(*at..).unwrap_or_default();
        !rest.starts_with(|c: char| c.is_alphanumeric() && !is_cjk_or_mark(c))
    };
    let ends = lower.char_indices().rev().map(|(at, c)| at + c.len_utf8()).filter(is_end);
    ends.filter_map(|at| lower.get(..at)).find_map(|head| {
        let named = ending(head).iter().copied().filter(said).filter(|name| head.ends_with(name.literal));
        named.max_by_key(|name| name.literal.len())
    })
}

/// The class of secret that a JSON member of this name holds.
pub(super) fn class_of_key(key: &str) -> Option<Class> {
    let plural = || key.strip_suffix('s').and_then(class_of_singular).filter(|class| *class == Password);
    class_of_singular(key).or_else(plural)
}

fn class_of_singular(key: &str) -> Option<Class> {
    let ends_with = |word: &str| {
        let start = key.len().checked_sub(word.len())?;
        key.get(start..).filter(|end| end.eq_ignore_ascii_case(word)).map(|_| start)
    };
    if ends_with("authorization").is_some() {
        return Some(Token);
    }
    ending(key).iter().find_map(|name| {
        let sight = Sight::new(key, ends_with(name.literal)?..key.len())?;
        let written = Written::read(&sight, name)?;
        let sure = matches!(written.kind, Word | Phrase | Machine | Key) || name.literal == "pass";
        (sure && written.least < LONG).then_some(written.class)
    })
}

impl Written<'_> {
    /// What looks made up and stands behind the name in the same sentence, and the number that ends a code's clause.
    fn near<'t>(&self, before: &'t str, after: &'t str) -> Option<&'t str> {
        if matches!(self.kind, Machine | Key) && !self.plural && !self.spelling.identifier {
            let service = self.least >= LONG;
            return apposed(after, |value| {
                (value.is_machine_made(LONG) || value.is_random(if service { 14 } else { 8 }))
                    && !value.text.contains(['.', ':', '(', '/'])
                    && !value.is_uuid()
            });
        }
        // "the code for the safe ended up 7719"
        if matches!(self.kind, Code | QualifiedCode) && !self.code && !self.talks() {
            let clause = leading(after, 64, |c| !matches!(c, '\n' | '.' | ',' | '!' | '?' | ';' | ':'));
            let asked = after.get(clause.len()..).is_some_and(|rest| rest.starts_with('?'));
            return closing_number(clause).filter(|_| !asked && !holds_marker(clause));
        }
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
        let next = next.trim_end_matches(|c: char| !c.is_alphanumeric());
        if holds_marker(clause)
            || holds_marker(front)
            || words::is_topic(next) && !cues("", next).has(Cue::Hand)
        {
            return None;
        }
        described(after)
            .or_else(|| apposed(after, is_mixed))
            .filter(|_| !self.talks() && !front.contains("://"))
    }
}

/// What a made-up word is rather than a password, by the word before it: "the password for ana99".
static OTHERS: WordList = WordList::new(
    "for of on in at to from the a an this that my your our his her user username account id login name email room order \
     ticket version bug issue pr no number model router server host machine repo branch file port since until by via with \
     and or than uses using in: see called commit hash sha sha1 sha256 md5 uuid fingerprint checksum address digest image \
     container pod build run job",
);

/// Letters and digits in one word that is neither a path nor an identifier of a program.
fn is_mixed(value: &Value<'_>) -> bool {
    let has = |wanted: fn(char) -> bool| value.text.contains(wanted);
    has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
        && !value.text.contains(['.', '/', ':', '_', '(', '='])
        && value.is_made_up(6)
}

/// The number or the made-up word that ends "… is my dog's name Rex77", "… is the number 774100".
fn described(after: &str) -> Option<&str> {
    let rest = [" is ", " was ", "'s "].iter().find_map(|verb| after.strip_prefix(verb))?;
    let clause = leading(rest, 48, |c| !matches!(c, '\n' | '.' | ',' | '!' | '?' | ';' | ':' | '('));
    let mut words = clause.split_whitespace();
    let (first, last) = (words.next()?, words.next_back()?);
    let placed =
        words.any(|word| word != "of" && cues("", word).has(Cue::Place) && !DETERMINERS.contains(word));
    let value = Value::read(rest.get(super::span_of(last, rest).start..)?)?;
    let told = value.is_number() || is_mixed(&value);
    (DETERMINERS.contains(first) && !placed && told && value.ends_clause()).then(|| value.whole())
}

/// A made-up word somewhere behind the name, in the same sentence or right behind a question: "this password for me? Tulip77".
fn apposed(after: &str, is_secret: impl Fn(&Value<'_>) -> bool) -> Option<&str> {
    let look = leading(after, 64, |c| !matches!(c, '\n' | ';'));
    let mut last = "the";
    for word in look.split(' ') {
        let before = last.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        last = word;
        if word.is_empty() || OTHERS.contains(&before) {
            continue;
        }
        let value = Value::read(after.get(super::span_of(word, after).start..)?)?;
        if is_secret(&value) && value.ends_clause() && !value.is_reference() {
            return Some(value.whole());
        }
        if word.ends_with(['.', '!']) {
            break;
        }
    }
    None
}
