//! Reads the kind of answer that the last question of a reply asks for.

use super::Expected;
use crate::calendar;
use crate::cjk::is_unspaced;
use crate::cues::{Plain, cues};
use crate::sentences::sentences;
use crate::word_list::WordList;

/// Maximum characters after a question. A reply that continues longer has answered the question itself.
const LONGEST_AFTER: usize = 100;
/// Maximum words of an option; a longer one is half a sentence.
const LONGEST_OPTION: usize = 6;

cues! {
    /// Questions out of politeness, which expect no answer.
    CLOSERS =
        "anything else | something else i can | how can i help | how may i help | can i help | help you with | be of help"
        "| how can i assist | does that make sense | does this make sense | make sense | does that help | does this help"
        "| is that clear | know what i mean | how are you | how's it going | what's up | what's new | how was your day"
        "| isn't it | who knows | who would have thought | why not | guess what | ready when you are"
        "| noch etwas | sonst noch | wie kann ich helfen | kann ich helfen | wie geht's | ergibt das sinn"
        "| algo más | en qué puedo | puedo ayudar | cómo estás | tiene sentido"
        "| autre chose | puis je vous aider | puis je t'aider | comment ça va"
        "| 还有什么 | 还有别的 | 需要帮忙 | 能帮你 | 可以帮 | 明白了吗 | 你好吗 | 还有其他";
    /// Requests without a question mark.
    ASKS_FOR =
        "please tell | please send | please give | please share | please enter | please type | please choose | please pick"
        "| please provide | tell me | send me | give me | enter | type | choose | pick | reply with | let me know what"
        "| let me know which | let me know when | let me know how | let me know your"
        "| sag mir | nenne mir | gib mir | bitte nenne | dime | envíame | por favor dime | dis moi | 请告诉我 | 请发 | 请输入";
    /// Questions for content that are phrased as a request for a favor.
    ASKS_POLITELY =
        "can you tell | could you tell | can you give | could you give | can you share | could you share | can you send"
        "| could you send | can you paste | could you paste | can you provide | could you provide | may i ask | can i have | could i have | may i have"
        "| would you mind telling | would you tell | do you know | do you remember"
        "| kannst du mir sagen | können sie mir sagen | puedes decirme | puede decirme | peux tu me dire | pouvez vous me dire";
    EMAIL = "email | e mail | email address | mail address | correo | courriel | 邮箱 | 电子邮件 | 邮件地址";
    URL = "url | link | web address | website | enlace | lien | webseite | 网址 | 链接";
    DATE =
        "when | what date | which date | what day | which day | what time | which time | what month | what year | how soon"
        "| your birthday | the deadline | the date | wann | welches datum | welcher tag | welchen tag | um wie viel uhr"
        "| cuándo | qué fecha | qué día | a qué hora | quand | quelle date | quel jour | à quelle heure"
        "| 什么时候 | 什麼時候 | 哪天 | 哪一天 | 几号 | 几点 | 何时 | 哪年 | 日期";
    NUMBER =
        "how many | how much | how old | how long | how far | how tall | how big | how heavy | what number | which number"
        "| what's the number | what is the number | phone number | account number | what percentage | what size"
        "| wie viele | wie viel | wieviel | wie alt | wie lange | welche nummer"
        "| cuántos | cuántas | cuánto | cuánta | qué número | combien | quel âge | quel numéro | 多少 | 几个 | 多大 | 多久 | 几岁 | 号码";
    /// Beginnings of a question for yes or no.
    YES_OR_NO =
        "is | are | was | were | do | does | did | can | could | should | shall | would | will | have | has | had | may | am"
        "| want me | want | ready | ok if | okay if | sound good | so you | isn't | aren't | don't | doesn't | didn't | won't"
        "| soll | sollen | möchtest | möchten | willst | wollen | hast | haben | ist | sind | kann | kannst | darf | bist | wirst"
        "| quieres | quiere | puedo | debo | te gustaría | le gustaría | es | está | tienes | hay | has | deseas"
        "| veux tu | voulez vous | dois je | puis je | est ce | as tu | avez vous | c'est";
    /// Endings of a question for yes or no.
    CONFIRMS = "right | correct | yes or no | or not | okay | ok | richtig | oder nicht | verdad | no | n'est ce pas";
    /// Beginnings of a question for one of several things.
    WHICH = "which | pick | choose | please choose | please pick | what about | welche | welcher | welches | cuál | quelle | quel | 哪";
    /// Beginnings of an open question.
    OPEN = "what | when | where | who | how | why | was | wann | wo | wer | wie | warum | qué | cuándo | dónde | quién | cómo | que | quand | où | qui";
}

cues! {
    ONE = "is | was | what's | who's | ist | war | es | era | est | était";
    WHERE = "where | wo | wohin | dónde | a dónde | où | 哪里 | 哪裡 | 哪儿 | どこ";
}

/// Returns true if a question has one answer at a time: a place, a day, a number, or what "is" something.
#[must_use]
pub fn asks_for_one(question: &str) -> bool {
    let plain = Plain::new(question);
    let asks_where = WHERE.open(&plain) || question.chars().any(is_unspaced) && WHERE.found_in(&plain);
    asks_where
        || ONE.found_in(&plain)
        || matches!(expected(question), Some(Expected::Date | Expected::Number))
}

/// The kind of answer that the last question of a reply asks for; `None` if it asks nothing, or only out of politeness.
#[must_use]
pub fn expected(reply: &str) -> Option<Expected> {
    let question = last_question(reply)?;
    let plain = Plain::new(question);
    if CLOSERS.found_in(&plain) {
        return None;
    }
    let is_polite = ASKS_POLITELY.found_in(&plain) || !is_mark_at_end(question);
    let is_open = OPEN.open(&plain) || WHICH.open(&plain);
    let is_yes_or_no = !is_polite && !is_open && asks_yes_or_no(question, &plain);
    if let Some(options) = choice(reply, question, &plain) {
        return Some(Expected::Choice(options));
    }
    let kinds = [
        (is_yes_or_no, Expected::YesNo),
        (EMAIL.found_in(&plain), Expected::Email),
        (URL.found_in(&plain), Expected::Url),
        (DATE.found_in(&plain), Expected::Date),
        (NUMBER.found_in(&plain), Expected::Number),
        (true, Expected::Text),
    ];
    kinds.into_iter().find_map(|(is_asked, kind)| is_asked.then_some(kind))
}

/// The last question of a reply, if little follows it.
fn last_question(reply: &str) -> Option<&str> {
    let reply = reply.trim_end();
    let end = reply.rfind(['?', '？']);
    let (asked, after) = match end {
        Some(at) => {
            let mark = reply.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            reply.split_at_checked(at + mark)?
        }
        None => (reply, ""),
    };
    let sentence = sentences(asked).pop().and_then(|last| asked.get(last)).unwrap_or_default();
    if after.chars().count() > LONGEST_AFTER {
        return None;
    }
    let asks = end.is_some() || ASKS_FOR.open(&Plain::new(sentence));
    asks.then_some(sentence)
}

fn is_mark_at_end(question: &str) -> bool {
    question.ends_with(['?', '？'])
}

fn asks_yes_or_no(question: &str, plain: &Plain) -> bool {
    let clause = question.rsplit([',', '，', '—']).next().map(Plain::new);
    let bare = question.trim_end_matches(['?', '？', ' ']);
    let confirms = clause.as_ref().is_some_and(|clause| CONFIRMS.is(clause));
    let begins = YES_OR_NO.open(plain) || clause.as_ref().is_some_and(|clause| YES_OR_NO.open(clause));
    begins
        || confirms
        || bare.ends_with(['吗', '嗎', '吧', '么'])
        || bare.contains("是否")
        || bare.contains("要不要")
}

/// The options in a question, or in a list before it.
fn choice(reply: &str, question: &str, plain: &Plain) -> Option<Vec<String>> {
    let listed = listed(reply);
    if WHICH.open(plain) && listed.len() >= 2 {
        return Some(listed);
    }
    let bare = question.trim_matches(|c: char| !c.is_alphanumeric());
    // Text before a colon, or a question word before the first comma, is not an option.
    let named = bare.rsplit([':', '：']).next().unwrap_or(bare);
    let asks_first = OPEN.open(plain) || WHICH.open(plain);
    let named = match named.split_once([',', '，']) {
        Some((_, rest)) if asks_first && named.len() == bare.len() => rest,
        None if OPEN.open(plain) && named.len() == bare.len() => return None,
        _ => named,
    };
    let (before, last) = parted(named)?;
    let mut options: Vec<Vec<&str>> = before.split([',', '，', '、']).map(words).collect();
    options.push(words(last));
    options.retain(|option| !option.is_empty());
    // The question precedes the first option and may continue after the last one. So both are as long as those between
    // them; without any between, the first is as long as the last.
    let between =
        options.len().checked_sub(2).and_then(|count| options.iter().skip(1).take(count).map(Vec::len).max());
    let length =
        between.or_else(|| options.last().map(Vec::len)).filter(|length| *length <= LONGEST_OPTION)?;
    if let Some(first) = options.first_mut() {
        first.drain(..first.len().saturating_sub(length));
    }
    if let Some(last) = options.last_mut() {
        last.truncate(length);
    }
    let options: Vec<String> = options.into_iter().map(|option| option.join(" ")).collect();
    if options.last().is_some_and(|last| NO_OPTION.contains(&last.to_lowercase().as_str())) {
        return None;
    }
    let is_yes_or_no = options
        .iter()
        .all(|option| ["yes", "no", "ja", "nein", "sí"].contains(&option.to_lowercase().as_str()));
    (options.len() >= 2 && !is_yes_or_no).then_some(options)
}

/// Words after "or" that are not an option.
const NO_OPTION: [&str; 10] = [
    "not",
    "so",
    "more",
    "less",
    "later",
    "something",
    "something else",
    "anything",
    "nicht",
    "another time",
];

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The text before and after the last "or".
fn parted(named: &str) -> Option<(&str, &str)> {
    let spaced = [" or ", " oder ", " o ", " ou "].into_iter().find_map(|or| named.rsplit_once(or));
    spaced.or_else(|| named.rsplit_once("还是")).or_else(|| named.rsplit_once("還是"))
}

cues! {
    /// Names of a list and of what stands in it.
    LISTED =
        "item | point | step | option | idea | suggestion | entry | task | list | bullet | punkt | schritt | vorschlag | idee | eintrag"
        "| liste | aufgabe | punto | paso | opción | sugerencia | lista | tarea | elemento | étape | idée | tâche | élément | 项 | 条 | 步"
        "| 清单 | 番目 | つ目";
    NUMBERED = "number | no | nr | nummer | número | numéro | item | point | step | option | punkt | schritt | punto | paso | étape | 第";
}

/// The place in a list that a question asks for, from 1 on; of the last one, -1: "the 3rd item", "number 2 on the list".
#[must_use]
pub fn place_in_list(question: &str) -> Option<i8> {
    let plain = Plain::new(question);
    let words: Vec<&str> = plain.words().collect();
    let number = |pair: &[&str]| match pair {
        [noun, figure] if NUMBERED.is(&Plain::new(noun)) => {
            figure.parse().ok().filter(|nth| (1..100).contains(nth))
        }
        _ => None,
    };
    let named =
        || words.iter().find_map(|word| calendar::nth(word)).or_else(|| words.windows(2).find_map(number));
    LISTED.found_in(&plain).then(named).flatten()
}

/// Returns true if a text only names an item of a list, which asks for it: "the 3rd item", "number 2 on the list".
#[must_use]
pub fn names_item(text: &str) -> bool {
    let plain = Plain::new(text);
    let is_around = |word: &str| {
        AROUND_ITEM.contains(word) || calendar::nth(word).is_some() || word.parse::<u8>().is_ok()
    };
    let mut words = plain.words();
    let is_named = |word: &str| [&LISTED, &NUMBERED].iter().any(|cues| cues.is(&Plain::new(word)));
    text.len() < LONGEST_AFTER
        && place_in_list(text).is_some()
        && words.all(|word| is_around(word) || is_named(word))
}

static AROUND_ITEM: WordList = WordList::new(
    "the on of in one my your our read show me please and der die das den auf von meiner bitte el la de mi mis le la du ma sur",
);

/// The items of the list in a reply.
#[must_use]
pub fn listed(reply: &str) -> Vec<String> {
    let item = |line: &str| {
        let line = line.trim();
        let bullet = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
        let numbered = line
            .split_once(['.', ')'])
            .filter(|(mark, _)| (1..=2).contains(&mark.len()) && mark.chars().all(char::is_alphanumeric));
        let text = bullet.or_else(|| numbered.map(|(_, rest)| rest))?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    reply.lines().filter_map(item).collect()
}
