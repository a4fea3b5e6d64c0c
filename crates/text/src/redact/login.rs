//! A user and a password side by side: "log in as ana / secret", "Netflix: ana@example.com / secret".

use super::reading::{holds_marker, leading, skip_blanks, starts_afresh, strip_word, trailing};
use super::value::{Value, has_hump};
use super::{Class, Secret, Sight, words};
use crate::word_list::WordList;

/// What may stand between the word and the user's name.
static JOINTS: WordList = WordList::new("with as is are using details info user");

/// What else people sign in with, on either side of a slash.
static MEANS: WordList = WordList::new(
    "email mail e-mail phone google apple facebook github gitlab microsoft twitter username name id number sso oauth register \
     registration signup sign-up logout password passwort code fingerprint passkey face okta",
);

/// Words that stand between "login" and a slash and are no user's name.
static NO_USERS: WordList = WordList::new(
    "the your my our and or to at in on as via page here this that his her their a an it from by for if when not form screen \
     button failed error info details required needed first again works",
);

/// What a network and its password are introduced by.
const NETWORKS: &[&str] = &["wifi", "wi-fi", "wlan", "ssid"];

/// What an account is introduced by.
static ACCESS: WordList = WordList::new(
    "vpn zugang acceso accès accesso acesso toegang dostęp доступ account konto rdp ftp admin router compte cuenta \
     conta",
);

/// The password of a pair.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let text = match sight.literal {
        " / " => beside(sight)?,
        _ => called(sight).or_else(|| spoken(sight)).or_else(|| lines(sight))?,
    };
    Some(Secret { text, class: Class::Password })
}

/// `smtp.login("ana", "hunter2")`, `auth=("ana", "hunter2")`
fn called<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    let inside = if sight.literal.ends_with('(') { sight.after } else { sight.after.strip_prefix('(')? };
    let user = Value::read(inside).filter(|user| user.quoted)?;
    let value = Value::read(user.rest.trim_start().strip_prefix(',')?)?;
    (value.quoted && value.text.len() >= 4 && !value.is_reference()).then_some(value.text)
}

/// In speech a slash parts many things; a plain word is a password only behind a user's name.
fn spoken<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    if !starts_afresh(sight.before) {
        return None;
    }
    let mut rest = skip_blanks(qualified(sight.after).unwrap_or(sight.after));
    let joined_by_with = strip_word(rest, "with").is_some();
    for _ in 0..3 {
        let word = JOINTS.iter().find_map(|word| strip_word(rest, word));
        let Some(next) = word.or_else(|| rest.strip_prefix([':', '='])) else { break };
        rest = skip_blanks(next);
    }
    let alone = Value::read(rest)?;
    let mixed = alone.text.contains(|c: char| c.is_ascii_digit()) && alone.text.contains(char::is_alphabetic);
    if mixed
        && alone.is_made_up(8)
        && alone.ends_clause()
        && joined_by_with
        && !alone.is_reference()
        && is_network(sight.before)
    {
        return Some(alone.whole());
    }
    let user = user(rest);
    let between = skip_blanks(rest.get(user.len()..)?);
    let (value, made_up) = match between.strip_prefix(['/', ':', '|', ',']) {
        Some(behind) => (Value::read(behind)?, false),
        None if user.contains('@') => (Value::read(strip_word(between, "and").unwrap_or(between))?, true),
        None => match strip_word(between, "with") {
            Some(behind) => (Value::read(behind)?, false),
            None => (Value::read(strip_word(between, "and")?)?, true),
        },
    };
    let plain =
        || !made_up && is_user(user) && value.is_last_word() && !is_means(value.text) && !value.is_remark();
    let secret = value.is_made_up(6) && (!between.starts_with(',') || user.contains('@')) || plain();
    (user.len() >= 2 && secret && !value.is_reference()).then(|| value.whole())
}

/// "Wifi", the network's name on the next line and its password on the one below, or all of it as QR codes hold it.
pub(super) fn network<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let line = leading(sight.after, 64, |c| c != '\n');
    let text = match line.strip_prefix(':').and_then(|rest| rest.split_once(";P:")) {
        Some((_, secret)) => secret.split(';').next()?,
        None => lines(sight).filter(|text| text.len() >= 8 && !text.chars().all(char::is_alphabetic))?,
    };
    (!holds_marker(text)).then_some(Secret { text, class: Class::Password })
}

/// Returns true if a network was named before, so that no user is.
fn is_network(before: &str) -> bool {
    let clause = trailing(before, 80, |c| c != '\n').to_ascii_lowercase();
    NETWORKS.iter().any(|name| clause.contains(name))
}

/// "Router login", the user on the next line and the password on the one below.
fn lines<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    let title = leading(sight.after, 24, |c| !matches!(c, '\n' | '.' | ','));
    let rest = sight.after.get(title.len()..)?.strip_prefix('\n')?;
    let line = leading(rest, 64, |c| !matches!(c, '\n' | '\r'));
    let below = rest.get(line.len()..)?.trim_start_matches('\r').strip_prefix('\n')?;
    let value = Value::read(below)?;
    let plain =
        (value.is_last_word() || value.is_told_word()) && !value.is_remark() && !words::is_topic(value.text);
    let secret = value.fills_its_line() && (value.is_made_up(5) || plain) && !value.is_reference();
    let named = is_user(line) || NETWORKS.iter().any(|name| sight.literal.eq_ignore_ascii_case(name));
    (user(line).len() == line.len() && line.len() >= 2 && named && secret).then(|| value.whole())
}

/// What follows "for the school portal", up to the verb or the colon.
fn qualified(after: &str) -> Option<&str> {
    let clause = leading(after, 48, |c| !matches!(c, '\n' | '.' | '/' | ','));
    let start = skip_blanks(clause);
    ["for", "to", "of", "at", "on", "für", "pour", "para", "per", "voor", "do", "для"]
        .iter()
        .find_map(|word| strip_word(start, word))?;
    let end = [" is ", " are ", ": ", " = ", " ist ", " est ", " es ", " è ", " é "]
        .iter()
        .filter_map(|verb| Some(clause.find(verb)? + verb.len()))
        .min()?;
    after.get(end..)
}

/// Behind an address, or the name of a network, and a slash.
fn beside<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    let line = trailing(sight.before, 64, |c| c != '\n');
    let user = line.rsplit(' ').next()?;
    let lower = line.to_ascii_lowercase();
    let network = NETWORKS.iter().any(|name| lower.contains(name));
    let address = user.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let value = Value::read(sight.after)?;
    let account = ACCESS.iter().any(|word| lower.contains(word)) && is_user(user);
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    let secret = (network || address || account) && value.is_made_up(6) && digit
        || address && has_hump(value.text) && value.is_last_word()
        || is_user(user) && value.is_strong();
    (secret && !holds_marker(line) && !value.is_reference() && !words::is_term(value.text))
        .then(|| value.whole())
}

/// A name as people choose it for an account: no brand, no means of signing in.
fn is_user(user: &str) -> bool {
    let made = user.contains(|c: char| c.is_ascii_digit() || matches!(c, '@' | '.' | '_'));
    let lower = user.starts_with(|c: char| c.is_ascii_lowercase()) && !NO_USERS.contains(user);
    (made || lower) && user.contains(|c: char| c.is_ascii_alphabetic()) && !is_means(user)
}

fn is_means(word: &str) -> bool {
    MEANS.contains(word.to_ascii_lowercase().as_str())
}

fn user(text: &str) -> &str {
    leading(text, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+'))
}
