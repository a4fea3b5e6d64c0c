//! A secret that a message before asked for or announced: "what's the PIN?", then "4711", at once or after "one moment".

use std::borrow::Cow;

use super::anchor::{Rule, anchors};
use super::names::{Kind, NAMES, Name};
use super::reading::holds_marker;
use super::sentence::{self, Context};
use super::value::Value;
use super::{Class, Found, chosen, find, merge, replace, span_of, words};
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;

/// How much of the message before is looked at: what it asks stands at its end.
const LOOK: usize = 240;

/// Longer answers are sentences.
const LONGEST_ANSWER: usize = 160;

/// How many messages before an answer may stand its question, and how long those between may be.
pub const LOOK_BACK: usize = 4;
const LONGEST_INTERLUDE: usize = 80;

/// Who asks for a secret, or says that it comes.
static ASKS: WordList = WordList::new(
    "pyta fragt vraagt chiede pregunta sor what what's whats which send give tell share text gimme need remind here here's heres sending asks asking wants enter type provide paste \
     confirm forward post dm say repeat please pls plz have has got get know remember opens use below follows following \
     coming next incoming separately another message msg ask save store note keep u ur can could \
     wie welches welche was schick schicke schreib sag gib bitte brauche hier nenne lautet kommt gleich folgt kannst merk \
     quel quelle c'est donne envoie t'envoie envoyer dis voici besoin quoi peux connais suit retiens \
     cuál cual dame manda mando envía envío dime pásame pasas paso aquí necesito tienes sabes va ahora apunta guarda \
     qual quale dammi manda mandi mando dimmi ecco eccola mandami serve inviami sai segna ricorda arriva \
     envia diga aqui preciso passa passo segue sabe anota guarda vou \
     welk wat geef stuur zeg komt weet kun onthoud \
     jakie jaki podaj podaję wyślij wysyłam daj oto jest zapisz zapamiętaj \
     какой какая скажи пришли пришлю скинь скину дай вот напиши подскажи запомни сейчас лови \
     nedir ne söyle gönder gönderiyorum yaz yazıyorum ver işte hangi neydi atıyorum kaydet \
     vad skicka kommer hva hvad send co jaké jaka mi",
);

/// The same where words are not parted.
const ASKS_UNSPACED: &[&str] = &[
    "多少", "什么", "什麼", "发", "發", "告诉", "告訴", "给", "給", "记", "記", "下面", "何", "教え", "送",
    "覚え", "メモ", "これ", "读", "讀", "念", "打", "読", "읽어", "찍어", "뭐", "뭔", "알려", "보내", "보낼",
    "줘", "적어", "기억",
];

/// Who says that it comes, whatever else was done with it.
static COMES: WordList = WordList::new(
    "coming incoming next below follows following separately remember save store note gleich folgt merk",
);

/// Who wants to be told.
const TELLS: &[&str] =
    &["tell", "give", "send", "share", "remind", "know", "sag", "gib", "was", "dis", "dime", "dimmi"];

/// Who makes others wait for it.
static WAITS: WordList = WordList::new(
    "sec second secs seconds min minute minutes moment wait hold hang let's lemme checking check looking look find searching \
     ready ahead shoot warte warten sekunde sek such suche schau schaue gucke gleich sofort los attends attendez seconde instant \
     regarde cherche vérifie vas-y espera espere segundo minuto momento busco miro dale aspetta attimo secondo guardo cerco \
     controllo vai procuro vejo minutinho wacht momentje even kijk zoek chwila chwilka chwilkę chwilę sprawdzam szukam poczekaj \
     секунду сек минуту минутку щас сейчас подожди момент посмотрю ищу давай bir saniye dakika bekle bakayım bakıyorum",
);

/// The same where words are not parted.
const WAITS_UNSPACED: &[&str] =
    &["等", "稍", "找", "待って", "ちょっと", "探", "잠깐", "잠시", "기다려", "찾"];

/// Who says that it does not come, or that it went another way.
static ENDS: WordList = WordList::new(
    "no nope nah never nevermind not done sent did ask mail mailed texted thanks thank nein nicht frag geschickt danke non \
     demande envoyé merci enviado pregunta gracias chiedi inviato grazie não pergunta obrigado obrigada nee niet vraag \
     bedankt nie zapytaj wysłane wysłałem wysłałam dzięki нет не спроси отправил отправила спасибо hayır değil sor gönderdim \
     teşekkürler",
);

/// Who changed it, so that the next message may say to what.
static CHANGED: WordList = WordList::new(
    "set changed updated reset rotated swapped picked made new geändert gesetzt changé mis cambié puse cambiato messo mudei troquei \
     gewijzigd veranderd zmieniłem zmieniłam ustawiłem ustawiłam поменял поменяла сменил сменила değiştirdim",
);

/// What a secret is not known for.
static LOST: WordList = WordList::new(
    "forgot forgotten forget lost locked stuck reset can't cannot don't didn't vergessen oublié olvidé dimenticato esqueci vergeten забыл unuttum",
);

/// What is done with a secret other than telling it.
static DOES: WordList = WordList::new(
    "forgot forgotten forget reset change changed changing rotate manager policy strong stronger weak hint hash generator \
     create choose expired rules requirements why when how long who where wo wer où qui quién dónde chi dove quem onde где кто \
     vergessen ändern zurücksetzen oublié changer olvidé cambiar dimenticato cambiare esqueci mudar vergeten wijzigen забыл \
     сменить unuttum değiştir",
);

/// What an answer may begin with before the value: "sure, I think it's …".
static LEADS: WordList = WordList::new(
    "el le il der die used to be last time either capital obviously honestly literally def definitely all lowercase caps müsste sollte dürfte \
     sure ok okay yes yeah yep yup of course it's it’s it is its that's that that’s the password pw pin code should be i think guess believe \
     here here's heres you u go there try use enter type just lol haha hmm oh so well um uh maybe probably still now was my our \
     ours mine i'm went with set pretty picked chose btw hey hi ah gotcha right \
     ja klar es ist das war glaube ich glaub wohl mal nimm probier versuch hier also immer noch jetzt bitte mein moment \
     oui c'est c’est essaie je crois voici tiens bien sûr le la mon toujours alors ben \
     sí si claro es era creo que prueba con aquí tienes toma la mi ahora pues \
     sì certo è era credo prova ecco eccola la mia allora \
     sim é era acho que tenta aqui tá toma a minha agora \
     het probeer denk dacht natuurlijk tuurlijk hier nou \
     tak to jest chyba spróbuj proszę masz było \
     да это вот держи попробуй кажется вроде был \
     evet tabii şu sanırım galiba dene işte buyur",
);

/// The same where words are not parted.
const LEADS_UNSPACED: &[&str] = &["就是", "是", "好的", "好", "嗯", "应该是", "はい", "えっと", "네", "응"];

/// The text redacted, and with it the value that one of the messages before it in the lane, the oldest first, asked for or
/// announced.
pub fn redact_after<'t>(said: &[impl AsRef<str>], text: &'t str) -> Cow<'t, str> {
    let mut secrets = find(text, asked(said), chosen());
    if secrets.is_empty()
        && let Some(answer) = told(said.iter().map(AsRef::as_ref), text)
    {
        secrets.push(Found { span: span_of(answer, text), class: Class::Password });
    }
    replace(text, merge(secrets))
}

/// What the last message says about getting in, or the one before if only a short word stood between.
fn asked(said: &[impl AsRef<str>]) -> Context {
    let mut last = said.iter().rev().map(AsRef::as_ref);
    let Some(previous) = last.next() else { return Context::default() };
    let context = access(previous);
    if context.opens() || Interlude::read(previous).is_none() {
        return context;
    }
    let Some(before) = last.next() else { return context };
    // "I keep mixing up the locks" needs no question of its own.
    Some(sentence::context(end(before))).filter(|said| said.locks()).unwrap_or_else(|| access(before))
}

/// The end of a message, where it asks.
fn end(message: &str) -> &str {
    let end = message.trim_end();
    end.get(end.ceil_char_boundary(end.len().saturating_sub(LOOK))..).unwrap_or_default()
}

/// What the end of the message before says about getting in, if it asks something or told a password.
fn access(previous: &str) -> Context {
    let look = end(previous);
    let said = || look.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let asks = look.ends_with(['?', '？'])
        || holds_marker(look)
        || ASKS_UNSPACED.iter().any(|word| look.contains(word))
        || said()
            .map(str::to_lowercase)
            .any(|word| ASKS.contains(&word) || LOST.contains(&word) || CHANGED.contains(&word));
    if asks { sentence::context(look) } else { Context::default() }
}

/// The secret of the text that the last message makes one, or the one before if people only waited since.
fn told<'s, 't>(said: impl DoubleEndedIterator<Item = &'s str>, text: &'t str) -> Option<&'t str> {
    let (mut since, mut user_named) = (Interlude::None, false);
    for message in said.rev().take(LOOK_BACK) {
        if let Some((name, expects)) = expected(message) {
            return answer(text, name, expects).filter(|answer| since.leads_to(answer, text));
        }
        if asks_for_login(message) {
            let value = Value::read(text).filter(|value| user_named && is_second(value));
            return value.map(|value| value.whole()).or_else(|| pair(text));
        }
        user_named = since == Interlude::None && message.trim().len() >= 2 && !message.trim().contains(' ');
        since = since.max(Interlude::read(message)?);
    }
    None
}

/// What stands between a question and its answer, the longest way last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Interlude {
    /// Nothing.
    None,
    /// Somebody waits, or says yes: "one sec", "sure, go ahead".
    Wait,
    /// A few other words.
    Talk,
}

impl Interlude {
    /// What this message is between two others, unless it ends the matter.
    fn read(message: &str) -> Option<Self> {
        let message = message.trim();
        if message.len() > LONGEST_INTERLUDE {
            return None;
        }
        let lower = message.to_lowercase();
        let said = || lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
        let ends = || said().any(|word| LOST.contains(word) || ENDS.contains(word));
        if holds_marker(message) || ends() {
            return None;
        }
        let first = said().next().unwrap_or_default();
        let waits = LEADS.contains(first)
            || message.ends_with(['?', '？'])
            || said().any(|word| WAITS.contains(word))
            || WAITS_UNSPACED.iter().any(|word| lower.contains(word));
        Some(if waits { Self::Wait } else { Self::Talk })
    }

    /// Returns true if this answer may still be one: after other words it has to look so, and to be the whole
    /// message.
    fn leads_to(self, answer: &str, text: &str) -> bool {
        let digit = || answer.contains(|c: char| c.is_ascii_digit());
        let whole = || text.trim_end().trim_end_matches(['.', '!']).ends_with(answer);
        self == Self::None || whole() && (self == Self::Wait || digit())
    }
}

/// "here's the login", "send me the credentials"
fn asks_for_login(previous: &str) -> bool {
    let end = previous.trim_end();
    let look =
        end.get(end.ceil_char_boundary(end.len().saturating_sub(LOOK))..).unwrap_or_default().to_lowercase();
    let words = || look.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let short = end.ends_with('?') && words().count() <= 6;
    let login = words().any(|word| {
        matches!(word, "login" | "logins" | "credentials" | "creds" | "zugangsdaten" | "identifiants")
    });
    login && (short || words().any(|word| ASKS.contains(word))) && !words().any(|word| DOES.contains(word))
}

/// The second part of "ana / hunter2", if nothing else was said.
fn pair(text: &str) -> Option<&str> {
    let line = skip_leads(text.trim());
    let (user, rest) = line.split_once([' ', '/', ':', ','])?;
    let value = Value::read(rest.trim_start_matches(['/', ':', ',', '|', ' ']).trim_start_matches("and "))?;
    let plain = || user.contains('@') && value.is_last_word() && !value.is_remark();
    (user.len() >= 2 && (is_second(&value) || plain())).then(|| value.whole())
}

/// Returns true if this may be the password behind a user's name.
fn is_second(value: &Value<'_>) -> bool {
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    digit && value.is_made_up(6) && value.fills_its_line() && !value.is_reference()
}

/// Returns true if a message asks for a secret or announces one, so that the next one may hold it.
#[must_use]
pub fn asks(text: &str) -> bool {
    expected(text).is_some() || asks_for_login(text)
}

/// Returns true if a message is short enough to be such an answer.
#[must_use]
pub fn may_answer(text: &str) -> bool {
    text.trim().lines().next().is_some_and(|line| line.len() <= LONGEST_ANSWER)
}

/// What a message makes of the next one, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Expects {
    /// It named a secret: what comes may be one if it looks so.
    Anything,
    /// It asked, or said that the secret comes.
    Answer,
    /// It ended where the value should stand.
    Value,
}

/// The name of the secret that the message asks for or announces, in the last sentence that has one.
fn expected(previous: &str) -> Option<(&'static Name, Expects)> {
    let end = previous.trim_end_matches([' ', '\n', '.', '…']);
    let look = end.get(end.ceil_char_boundary(end.len().saturating_sub(LOOK))..)?;
    let mut sentences = look.split_inclusive(['\n', '.', '?', '!', '。', '？', '！']).rev();
    sentences.find_map(|sentence| {
        let is_last = span_of(sentence, end).end == end.len();
        expected_by(sentence, is_last)
    })
}

fn expected_by(sentence: &str, is_last: bool) -> Option<(&'static Name, Expects)> {
    let is_question = sentence.trim_end().ends_with(['?', '？']);
    let lower =
        sentence.trim_end_matches(['?', '.', '!', '？', '。', '！', ' ', '…', '"', ')', '\n']).to_lowercase();
    let whole = |name, at| behind(&lower, name, at).filter(|after| !is_compound(name, after));
    let named = told_names(&lower).into_iter().find_map(|(name, at)| Some((name, whole(name, at)?)));
    let Some((name, after)) = named else {
        return asks_for_network(&lower).then(|| Some((NAMES.first()?, Expects::Answer))).flatten();
    };
    let said = || lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | '¿' | '(' | ')' | '"' | ':'));
    // "it changed, the new password comes next"
    let comes = said().any(|word| COMES.contains(word)) && !said().any(|word| LOST.contains(word));
    // "I forgot the password, can you tell me?"
    let lost = is_question && said().any(|word| TELLS.contains(&word));
    let does = |word: &str| DOES.contains(word) && !(lost && LOST.contains(word));
    if holds_marker(sentence) || said().any(does) && !comes {
        return None;
    }
    if is_last && is_open(after) && !is_question {
        return Some((name, Expects::Value));
    }
    let asks = is_question
        || said().any(|word| ASKS.contains(word))
        || ASKS_UNSPACED.iter().any(|word| lower.contains(word));
    Some((name, if asks { Expects::Answer } else { Expects::Anything }))
}

/// "wifi?", "can I have the wifi": the password is meant.
fn asks_for_network(lower: &str) -> bool {
    let words = || {
        lower
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
            .filter(|word| !word.is_empty())
    };
    let network = words().any(|word| matches!(word, "wifi" | "wi-fi" | "wlan" | "вайфай"));
    let first = words().next().unwrap_or_default();
    let asks = ASKS.contains(first) || first == "can" || words().count() == 1;
    network
        && asks
        && words().count() <= 6
        && !words().any(|word| DOES.contains(word) && !TELLS.contains(&word))
}

fn is_told(name: &Name) -> bool {
    !matches!(name.kind, Kind::Opener | Kind::Thing | Kind::Subject)
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
    let is_letter = |c: char| c.is_alphanumeric() && !is_cjk_or_mark(c);
    let rest = rest.strip_prefix('s').filter(|rest| !rest.starts_with(is_letter)).unwrap_or(rest);
    let unspaced = name.literal.starts_with(is_cjk_or_mark);
    let attached = before.ends_with(is_letter) && !matches!(name.kind, Kind::Word | Kind::QualifiedCode);
    let opens = match name.kind {
        Kind::QualifiedCode => !super::opens::code_is_open(before) || super::opens::code_opens(before, rest),
        Kind::Key => super::opens::key(before, "", false).is_some(),
        _ => true,
    };
    (opens && (unspaced || !rest.starts_with(is_letter) && !attached)).then_some(rest)
}

/// "password manager", "token budget"
fn is_compound(name: &Name, after: &str) -> bool {
    let word = after.split_whitespace().next().unwrap_or_default();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let other = matches!(name.kind, Kind::Machine | Kind::Key | Kind::QualifiedCode | Kind::Abbreviation)
        && !word.is_empty()
        && !words::is_remark(word)
        && !ASKS.contains(word)
        && word.is_ascii();
    after.starts_with([' ', '-'])
        && (other || words::is_topic(word))
        && !COMES.contains(word)
        && !matches!(word, "wifi" | "please" | "again" | "thanks" | "should" | "must")
}

/// Returns true if the sentence ends where the value should stand: "here is the password:", "ok the password is".
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
    let said = skip_leads(if expects > Expects::Anything { tail(whole) } else { line });
    let value = Value::read(said).filter(|value| !value.is_reference() || is_digits(value.text))?;
    let coded = matches!(name.kind, Kind::Pin | Kind::Code | Kind::QualifiedCode);
    let ends = value.fills_its_line() || value.ends_clause() || begins_with_little_word(value.rest);
    let quoted = || Some(value.text).filter(|text| is_digits(&text.replace(' ', "")));
    let number = if value.quoted { quoted() } else { value.number() };
    let number = number
        .filter(|number| (3..=10).contains(&number.len()) && (coded || expects > Expects::Anything && ends));
    if number.is_some() {
        return number;
    }
    let least = if expects == Expects::Anything { 6 } else { 4 };
    if value.is_made_up(least)
        && (ends || expects == Expects::Value)
        && (!coded || value.text.contains(|c: char| c.is_ascii_digit()))
    {
        return Some(value.whole());
    }
    if coded || expects == Expects::Anything || matches!(name.kind, Kind::Machine | Kind::Key | Kind::Groups)
    {
        return None;
    }
    if value.quoted && value.fills_its_line() {
        return Some(value.text);
    }
    let text = value.text.trim_end_matches('!');
    let is_one =
        text.chars().count() >= 4 && text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_'));
    let is_remark = is_answer(text) || words::is_foreign_remark(text, name.language);
    if is_one && !is_remark && is_told_alone(&value) {
        return Some(value.whole());
    }
    several(said, &value, name, expects)
}

/// Returns true if nothing follows but how the value is written, or what to do with it: "hunter, all lowercase".
fn is_told_alone(value: &Value<'_>) -> bool {
    let rest = value.rest.trim_start_matches([' ', ',', '.', '!']);
    let face = rest.starts_with([':', ';', '(', '-', '–', '—'])
        || rest.starts_with(|c: char| c > '\u{2100}' && !c.is_alphanumeric());
    value.fills_its_line()
        || face
        || value.rest.starts_with(is_cjk_or_mark)
        || ASKS.contains(&rest.to_lowercase())
        || words::begins_with_connective(rest)
        || words::begins_with_spelling(rest)
}

/// The one word behind a few others: "found it! hunter", "dog's name: Biscuit", "ana / hunter".
fn tail(whole: &str) -> &str {
    let line = whole.lines().next().unwrap_or_default();
    let tails = [": ", "! ", "... ", "… ", " / ", "\n"].iter().filter_map(|mark| whole.rsplit_once(mark));
    let is_tail = |(head, tail): &(&str, &str)| {
        let word = tail.trim_end_matches(['.', '!']);
        let plain = word.chars().count() >= 4 && word.chars().all(char::is_alphanumeric);
        plain && head.split_whitespace().count() <= 4 && !is_answer(word)
    };
    tails.filter(is_tail).map(|(_, tail)| tail).next().unwrap_or(line)
}

/// A few words that are no sentence: "lemon tree", "Otter Creek".
fn several<'t>(said: &'t str, value: &Value<'t>, name: &Name, expects: Expects) -> Option<&'t str> {
    let meant = expects == Expects::Value || matches!(name.kind, Kind::Phrase | Kind::Answer);
    let words = || said.split_whitespace();
    let titled = expects > Expects::Anything
        && words().all(|word| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic));
    let meant = meant || titled;
    let first = words().next().is_some_and(is_answer);
    let phrase =
        (2..=6).contains(&words().count()) && !first && words().filter(|word| is_answer(word)).count() <= 1;
    if meant && phrase {
        return Some(said);
    }
    value.several(name.language).filter(|phrase| phrase.split(' ').count() <= 4 && !words::is_talk(phrase))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if a word is an answer, or said of a secret.
fn is_answer(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    words::is_answer(&word) || words::is_remark(&word) || words::is_abstract(&word)
}

/// Returns true if a word follows that only tells something about the value: "4711, but don't tell".
fn begins_with_little_word(rest: &str) -> bool {
    let word = rest
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    rest.starts_with(' ') && (words::is_little(&word) || ASKS.contains(&word) || LEADS.contains(&word))
}

/// The text behind "sure, I think it's".
fn skip_leads(line: &str) -> &str {
    let mut rest = line;
    for _ in 0..6 {
        let word = rest.split([' ', ',', ':', '!', '.', '：', '，', '…']).next().unwrap_or_default();
        let known = LEADS.contains(&word.to_lowercase()) && !word.is_empty();
        let unspaced = || LEADS_UNSPACED.iter().find_map(|lead| rest.strip_prefix(lead));
        let next = if known { rest.get(word.len()..) } else { unspaced() };
        let next = next.map(|next| next.trim_start_matches([' ', ',', ':', '!', '：', '.', '，', '、', '…']));
        let Some(next) = next.filter(|next| !next.is_empty()) else { break };
        rest = next;
    }
    rest
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
            assert_eq!(redact_after(&[previous], text), expected, "after {previous:?}");
            assert_eq!(redact_after(&[previous], expected), expected, "twice, after {previous:?}");
        }
    }
}
