//! A secret that the message before asked for or announced: "what's the PIN?", then "4711".

use std::borrow::Cow;

use super::anchor::{Rule, anchors};
use super::names::{Kind, Name};
use super::reading::{holds_marker, strip_word};
use super::value::Value;
use super::{Class, Found, chosen, find, merge, replace, span_of, words};
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;

/// How much of the message before is looked at: what it asks stands at its end.
const LOOK: usize = 240;

/// Longer answers are sentences.
const LONGEST_ANSWER: usize = 160;

/// Who asks for a secret, or says that it comes.
static ASKS: WordList = WordList::new(
    "what what's whats which send give tell share text gimme need remind here here's heres sending enter type provide paste \
     confirm forward post dm say repeat please pls plz bitte have has got get know remember opens use below follows following coming next \
     wie welches welche was schick schicke sag gib brauche hier nenne lautet \
     quel quelle c'est donne envoie dis voici besoin \
     cuál cual dame manda envía dime pásame aquí necesito \
     qual quale dammi manda dimmi ecco mandami serve inviami \
     qual manda envia diga aqui preciso passa \
     welk geef stuur zeg hier \
     jakie jaki podaj wyślij daj oto \
     какой какая скажи пришли дай вот напиши подскажи \
     nedir ne söyle gönder yaz ver işte hangi",
);

/// The same where words are not parted.
const ASKS_UNSPACED: &[&str] = &[
    "多少",
    "什么",
    "什麼",
    "发给我",
    "發給我",
    "告诉我",
    "告訴我",
    "给我",
    "何",
    "教えて",
    "送って",
    "뭐",
    "알려",
    "보내",
];

/// What is done with a secret other than telling it.
static DOES: WordList = WordList::new(
    "forgot forgotten forget reset change changed changing rotate manager policy strong stronger weak hint hash generator \
     create choose expired rules requirements why when how long who where wo wer où qui quién dónde chi dove quem onde где кто \
     vergessen ändern zurücksetzen oublié changer olvidé cambiar dimenticato cambiare esqueci mudar vergeten wijzigen забыл \
     сменить unuttum değiştir",
);

/// Answers that are no secrets.
static ANSWERS: WordList = WordList::new(
    "ok okay okey yes yeah yep yup no nope nah sure thanks thank thx ty please hello hey hi bye later soon tomorrow yesterday \
     today tonight never maybe sorry idk dunno hmm cool great nice perfect done sent wait sec moment what why who lol haha \
     again nothing none exactly right correct true false unknown same this that here there please\
     ja nein danke bitte klar gleich später morgen gestern weiß moment \
     oui non merci attends demain plus-tard voilà \
     sí si gracias claro luego mañana ayer espera \
     sì grazie certo dopo domani ieri aspetta \
     sim não obrigado obrigada claro depois amanhã ontem espera \
     nee bedankt straks gisteren wacht \
     tak nie dzięki jasne później jutro wczoraj czekaj \
     да нет спасибо хорошо ладно потом завтра вчера подожди сейчас \
     evet hayır teşekkürler tamam sonra yarın dün bekle",
);

/// What an answer may begin with before the value.
const OPENINGS: &[&str] = &[
    "sure",
    "ok",
    "okay",
    "yes",
    "yeah",
    "of course",
    "it's",
    "it’s",
    "it is",
    "its",
    "that's",
    "that is",
    "is",
    "the password is",
    "should be",
    "i think",
    "here",
    "here you go",
    "es ist",
    "ist",
    "das ist",
    "c'est",
    "c’est",
    "es",
    "è",
    "é",
    "to",
    "это",
    "het is",
    "klar",
    "claro",
    "bien sûr",
    "certo",
    "是",
    "就是",
];

/// The text redacted, and with it the value that the message before it in the lane asked for or announced.
pub fn redact_after<'t>(previous: &str, text: &'t str) -> Cow<'t, str> {
    let mut secrets = find(text, chosen());
    if secrets.is_empty()
        && let Some(answer) = told(previous, text)
    {
        secrets.push(Found { span: span_of(answer, text), class: Class::Password });
    }
    replace(text, merge(secrets))
}

/// The secret of the text that the message before makes one.
fn told<'t>(previous: &str, text: &'t str) -> Option<&'t str> {
    match expected(previous) {
        Some((name, expects)) => answer(text, name, expects),
        None if asks_for_login(previous) => pair(text),
        None => None,
    }
}

/// "here's the login", "send me the credentials"
fn asks_for_login(previous: &str) -> bool {
    let end = previous.trim_end();
    let look =
        end.get(end.ceil_char_boundary(end.len().saturating_sub(LOOK))..).unwrap_or_default().to_lowercase();
    let words = || look.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let login = words().any(|word| {
        matches!(word, "login" | "logins" | "credentials" | "creds" | "zugangsdaten" | "identifiants")
    });
    login && words().any(|word| ASKS.contains(word)) && !words().any(|word| DOES.contains(word))
}

/// The second part of "ana / hunter2", if nothing else was said.
fn pair(text: &str) -> Option<&str> {
    let line = text.trim();
    let (user, rest) = line.split_once([' ', '/', ':', ','])?;
    let value = Value::read(rest.trim_start_matches([' ', '/', ':', ',', '|']))?;
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    (user.len() >= 2 && digit && value.is_made_up(6) && value.fills_its_line() && !value.is_reference())
        .then(|| value.whole())
}

/// Whether a message asks for a secret or announces one, so that the next one may hold it.
#[must_use]
pub fn asks(text: &str) -> bool {
    expected(text).is_some() || asks_for_login(text)
}

/// Whether a message is short enough to be such an answer.
#[must_use]
pub fn may_answer(text: &str) -> bool {
    text.trim().lines().next().is_some_and(|line| line.len() <= LONGEST_ANSWER)
}

/// What a message makes of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    /// It asked: what comes may be an answer, or not.
    Answer,
    /// It ended where the value should stand.
    Value,
}

/// The name of the secret that the message asks for or announces.
fn expected(previous: &str) -> Option<(&'static Name, Expects)> {
    let end = previous.trim_end();
    let look = end.get(end.ceil_char_boundary(end.len().saturating_sub(LOOK))..)?;
    let last = look.trim_end_matches(['?', '.', '!', '？', '。', '！', ' ', '…', '"', ')']);
    let sentence = last.rsplit(['\n', '.', '?', '!', '。', '？']).next()?;
    let lower = sentence.to_lowercase();
    let (name, after) =
        told_names(&lower).into_iter().find_map(|(name, at)| Some((name, behind(&lower, name, at)?)))?;
    let mut said = lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | '¿' | '(' | ')' | '"'));
    if holds_marker(sentence) || said.clone().any(|word| DOES.contains(word)) || is_compound(after) {
        return None;
    }
    if is_open(after) && !end.ends_with(['?', '？']) {
        return Some((name, Expects::Value));
    }
    // "password?", "and the PIN?"
    let short = end.ends_with(['?', '？']) && said.clone().filter(|word| !word.is_empty()).count() <= 4;
    let asks = short
        || said.any(|word| ASKS.contains(word))
        || ASKS_UNSPACED.iter().any(|word| lower.contains(word));
    asks.then_some((name, Expects::Answer))
}

fn is_told(name: &Name) -> bool {
    !matches!(name.kind, Kind::Opener | Kind::Abbreviation | Kind::Machine) || name.literal == "token"
}

/// The names in a sentence, each where it stands last, in the order of their table. Most sentences have none.
fn told_names(lower: &str) -> Vec<(&'static Name, usize)> {
    let mut found: Vec<(&'static Name, usize)> = Vec::new();
    for (place, rule) in anchors(lower) {
        let Rule::Name(name) = rule else { continue };
        match found.iter_mut().find(|(known, _)| std::ptr::eq(*known, name)) {
            Some((_, at)) => *at = place.start,
            None if is_told(name) => found.push((name, place.start)),
            None => {}
        }
    }
    found.sort_by_key(|(name, _)| std::ptr::from_ref(*name));
    found
}

/// What stands behind the name at this place of a sentence.
fn behind<'t>(lower: &'t str, name: &Name, at: usize) -> Option<&'t str> {
    let (before, rest) = (lower.get(..at)?, lower.get(at + name.literal.len()..)?);
    let unspaced = name.literal.starts_with(is_cjk_or_mark);
    let is_letter = |c: char| c.is_alphanumeric() && !is_cjk_or_mark(c);
    let attached = before.ends_with(is_letter) && !matches!(name.kind, Kind::Word | Kind::QualifiedCode);
    let opens = match name.kind {
        Kind::QualifiedCode => !super::opens::code_is_open(before) || super::opens::code_opens(before, rest),
        Kind::Key => super::opens::key(before, "", false).is_some(),
        _ => true,
    };
    (opens && (unspaced || !rest.starts_with(is_letter) && !attached)).then_some(rest)
}

/// "password manager"
fn is_compound(after: &str) -> bool {
    let word = after.split_whitespace().next().unwrap_or_default();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    after.starts_with([' ', '-'])
        && words::is_topic(word)
        && !matches!(word, "wifi" | "please" | "again" | "thanks" | "should" | "must")
}

/// Whether the sentence ends where the value should stand: "here is the password:", "ok the password is".
fn is_open(after: &str) -> bool {
    let rest = after.trim();
    let verbs = [
        "is", "is now", "ist", "lautet", "est", "es", "è", "é", "jest", "to", "是", "は", "это", "is:",
        "ist:",
    ];
    rest.is_empty()
        || rest.ends_with([':', '：', '='])
        || verbs.contains(&rest)
        || verbs.iter().any(|verb| rest.strip_suffix(verb).is_some_and(|rest| rest.ends_with(' ')))
}

/// The value that the message consists of, if it does.
fn answer<'t>(text: &'t str, name: &Name, expects: Expects) -> Option<&'t str> {
    let whole = text.trim();
    let line = whole.lines().next()?;
    if line.len() > LONGEST_ANSWER || holds_marker(line) || line.ends_with('?') && line.contains(' ') {
        return None;
    }
    let (said, opened) = skip_openings(line);
    let value = Value::read(said)?;
    let alone = value.fills_its_line();
    let digits = value.text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits || {
        let number = value.text.trim_end_matches('!');
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let made_up =
        value.is_made_up(4) || (digits || value.text.contains('#')) && (3..=10).contains(&value.text.len());
    let plain = name.kind != Kind::Pin && name.kind != Kind::Code && name.kind != Kind::QualifiedCode;
    if value.is_reference() && !digits {
        return None;
    }
    if made_up && (alone || value.ends_clause() || expects == Expects::Value) {
        return Some(value.whole());
    }
    let is_answer = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        ANSWERS.contains(&word) || words::is_remark(&word)
    };
    if alone && plain && value.text.chars().count() >= 4 && !is_answer(value.text) {
        return Some(value.whole());
    }
    let words: Vec<&str> = said.split_whitespace().collect();
    let numbered =
        words.len() <= 3 && words.iter().any(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let phrase =
        (expects == Expects::Value && words.len() <= 6 || numbered) && !opened && plain && words.len() >= 2;
    (phrase && whole.len() == line.len() && !words.iter().any(|word| is_answer(word))).then_some(whole)
}

/// The text behind "sure, it's", and whether there was such a thing.
fn skip_openings(line: &str) -> (&str, bool) {
    let mut rest = line;
    for _ in 0..3 {
        let next = OPENINGS
            .iter()
            .find_map(|opening| strip_word(rest, opening))
            .filter(|next| !next.trim().is_empty());
        let Some(next) = next else { break };
        rest = next.trim_start_matches([' ', ',', ':', '!', '：', '.']);
    }
    (rest, rest.len() < line.len())
}

#[cfg(test)]
mod tests {
    use super::redact_after;

    #[test]
    fn c6_what_was_asked_for_or_announced_is_taken_out_of_the_next_message() {
        for (previous, text, expected) in [
            ("What's the wifi password?", "bananabread", "[redacted:password]"),
            ("send me the PIN", "4711", "[redacted:password]"),
            ("here is the password:", "open sesame door", "[redacted:password]"),
            ("Hi! Can you give me the door code?", "sure, it's 4711#", "sure, it's [redacted:password]"),
            ("the password is", "\"lemon tree\"", "\"[redacted:password]\""),
            ("Welches Passwort hat der Router?", "Apfelkuchen", "[redacted:password]"),
            ("what's the wifi password?", "no idea", "no idea"),
            ("what's the wifi password?", "I'll ask Marta", "I'll ask Marta"),
            ("which password manager is good?", "Bitwarden", "Bitwarden"),
            ("how long should a password be?", "sixteen", "sixteen"),
            ("what's for dinner?", "lasagna", "lasagna"),
            ("", "4711", "4711"),
        ] {
            assert_eq!(redact_after(previous, text), expected, "after {previous:?}");
            assert_eq!(redact_after(previous, expected), expected, "twice, after {previous:?}");
        }
    }
}
