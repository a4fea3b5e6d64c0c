//! Recognizes a message that is little more than an answer of the expected kind.

use super::Expected;
use crate::calendar::{self, Language};
use crate::cjk::is_han;
use crate::cues::{Plain, REQUESTS, cues};
use crate::word_list::WordList;
use crate::words::{Telling, telling, terms};

/// Maximum words of an answer, by kind.
const LONGEST_YES_OR_NO: usize = 6;
const LONGEST_ADDRESS: usize = 6;
const LONGEST_TEXT: usize = 12;
/// Maximum words of an answer besides the number and its unit, or besides the option.
const MOST_BESIDES: usize = 3;

impl Expected {
    /// Returns true if a message answers a question of this kind. A question, a command or a longer statement does not.
    #[must_use]
    pub fn fits(&self, message: &str) -> bool {
        let message = message.trim();
        let asks = message.split_whitespace().any(|word| word.ends_with(['?', '？']));
        if message.is_empty() || asks || message.starts_with('/') || message.contains("\n\n") {
            return false;
        }
        let plain = Plain::new(message);
        let words: Vec<&str> = plain.words().collect();
        match self {
            Self::Date => is_date(message, &words),
            Self::Number => is_number(message, &words),
            Self::YesNo => is_yes_or_no(message, &words),
            Self::Email => has_one(message, is_email),
            Self::Url => has_one(message, is_url),
            Self::Choice(options) => chosen(options, &words) == 1,
            Self::Text => is_short_statement(message, &plain, &words),
        }
    }
}

/// Words that may stand around any short answer.
static AROUND: WordList = WordList::new(
    "a about actually approximately around at by for i i'd in is it's its just let's like maybe of on \
    please probably roughly say take thanks that the then think to until well would be my am um uhr der \
    den dem ca etwa ich denke bitte el la las los de del creo por favor le vers je pense",
);

/// Words of a day or a time, besides the names of days and months.
static DATE_WORDS: WordList = WordList::new(
    "mon sat sun today tomorrow tonight yesterday noon midnight morning afternoon evening night weekend week month \
     year day days weeks months next this coming last after end beginning middle early late am pm o'clock \
     half past quarter st nd rd th now soon asap before first second third heute morgen übermorgen abend \
     früh nachmittag mittag woche monat jahr nächste nächsten nächstes nächster kommenden ende anfang tag \
     tage tagen halb hoy mañana tarde noche semana mes año próximo próxima que viene pasado fin mediodía \
     aujourd'hui demain soir matin midi semaine mois prochain prochaine",
);

/// Words that belong to a day but name none.
static VAGUE: WordList =
    WordList::new("after before last first second third que may this next past mar sat sun");

/// The characters of Chinese dates, and of Chinese numbers.
const HAN_DATES: &str = "年月日号號星期周週礼拜天今明后後昨早晚上下中午凌晨点點分半个個初底末左右吧的在一二三四五六七八九十两零〇";
const HAN_NUMBERS: &str = "一二三四五六七八九十百千万亿两零〇半几";

fn is_date(message: &str, words: &[&str]) -> bool {
    if has_han(message) {
        let named = "年月日号號周週期天明后後今点點".chars().any(|c| message.contains(c));
        return named
            && message.chars().all(|c| c.is_numeric() || !c.is_alphanumeric() || HAN_DATES.contains(c));
    }
    let is_of_date = |word: &str| {
        DATE_WORDS.contains(word)
            || calendar::is_name(word, calendar::EUROPEAN)
            || calendar::is_name(word, &[Language::Short])
    };
    let is_named = |word: &&str| is_of_date(word) && !VAGUE.contains(word);
    let is_figure = |word: &&str| {
        let figure = word.trim_end_matches(char::is_alphabetic);
        let ending = word.strip_prefix(figure).unwrap_or_default();
        let is_short = !figure.is_empty() && figure.len() <= 4 && figure.chars().all(|c| c.is_ascii_digit());
        is_short && ["", "st", "nd", "rd", "th", "am", "pm", "h"].contains(&ending)
    };
    let figures = words.iter().filter(|word| is_figure(word)).count();
    // "5" is a number; "5 May", "at 5", "5pm", "5/3" and "17:30" are dates.
    let is_written_so = message.split_whitespace().any(|part| {
        let part = part.trim_matches(|c: char| !c.is_alphanumeric());
        part.contains(['/', ':', '-', '.']) && part.chars().all(|c| c.is_ascii_digit() || "/:-.".contains(c))
            || part.len() > 2
                && part.starts_with(|c: char| c.is_ascii_digit())
                && part.ends_with(char::is_alphabetic)
    });
    let is_placed = figures > 0 && words.iter().any(|word| ["at", "um", "à", "may"].contains(word));
    let names_one = words.iter().any(is_named) || is_written_so || is_placed;
    let belongs = |word: &&str| {
        is_of_date(word) || AROUND.contains(word) || NUMBER_WORDS.contains(word) || is_figure(word)
    };
    names_one && words.iter().all(belongs) && words.len() <= 9
}

fn is_number(message: &str, words: &[&str]) -> bool {
    if has_han(message) {
        let numbers = message.chars().filter(|c| c.is_numeric() || HAN_NUMBERS.contains(*c)).count();
        return numbers > 0 && message.chars().count() <= numbers + 4;
    }
    let is_figure = |word: &str| word.starts_with(|c: char| c.is_numeric());
    let mut rest = words.iter().skip_while(|word| AROUND.contains(word) && !is_figure(word));
    let begins = rest.next().is_some_and(|word| is_figure(word) || NUMBER_WORDS.contains(word));
    let besides = rest
        .filter(|word| !is_figure(word) && !NUMBER_WORDS.contains(word) && !AROUND.contains(word))
        .count();
    begins && besides < MOST_BESIDES
}

/// Returns true if a text holds a number, in figures or in words.
#[must_use]
pub fn names_number(text: &str) -> bool {
    text.contains(char::is_numeric) || Plain::new(text).words().any(|word| NUMBER_WORDS.contains(word))
}

static NUMBER_WORDS: WordList = WordList::new(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred \
    thousand million half dozen none null eins ein eine zwei drei vier fünf sechs sieben acht neun zehn \
    elf zwölf zwanzig hundert tausend cero uno una dos tres cuatro cinco seis siete ocho nueve diez \
    veinte cien mil un une deux trois quatre cinq six sept huit neuf dix vingt cent",
);

cues! {
    /// Answers to a question for yes or no, alone or at the beginning.
    YES_OR_NO =
        "yes | yeah | yep | yup | yea | sure | ok | okay | certainly | absolutely | definitely | of course | correct | right"
        "| that's right | exactly | true | please do | do it | go ahead | go for it | sounds good | no | nope | nah | not really"
        "| not yet | not now | no thanks | don't | i do | i don't | i did | i didn't | it is | it isn't | i am | i'm not | false"
        "| ja | jawohl | klar | gern | gerne | genau | natürlich | nein | nee | nicht"
        "| sí | si | claro | vale | por supuesto | correcto | oui | bien sûr | d'accord | non";
}
static HAN_YES_OR_NO: WordList =
    WordList::new("是 对 對 好 可以 行 要 嗯 当然 當然 没问题 有 会 不 没 別 别 否 需要 想 はい いいえ");
/// Words that may follow such an answer without a comma.
static AFTER_YES_OR_NO: WordList = WordList::new(
    "please thanks thank you i it that do go ahead not don't need yes no sure of course let's absolutely \
    definitely way we bitte danke das ich mach gerne por favor gracias merci bien sûr problem thing for \
    is correct exactly am",
);

fn is_yes_or_no(message: &str, words: &[&str]) -> bool {
    if matches!(message, "👍" | "👎" | "✅" | "❌" | "y" | "n" | "Y" | "N") {
        return true;
    }
    if has_han(message) || message.starts_with(['は', 'い']) {
        return message.chars().count() <= 8 && HAN_YES_OR_NO.iter().any(|word| message.starts_with(word));
    }
    let opening = message.split([',', '.', '!', ';', ':', '\n', '—']).next().unwrap_or(message);
    let opening = Plain::new(opening);
    let Some(rest) = YES_OR_NO.opened(&opening) else { return false };
    // "No one came" and "right now" are not answers.
    let follows = rest.split_whitespace().next().is_none_or(|word| AFTER_YES_OR_NO.contains(word));
    follows && words.len() <= LONGEST_YES_OR_NO
}

fn has_one(message: &str, is_it: fn(&str) -> bool) -> bool {
    let trimmed = |word: &str| is_it(word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'));
    let words: Vec<&str> = message.split_whitespace().collect();
    words.len() <= LONGEST_ADDRESS && words.iter().filter(|word| trimmed(word)).count() == 1
}

fn is_email(word: &str) -> bool {
    let parts = word.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && is_host(host))
}

fn is_url(word: &str) -> bool {
    let bare = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    let host = bare.unwrap_or(word).split(['/', '?', '#', ':']).next().unwrap_or_default();
    !word.contains('@')
        && (bare.is_some() && !host.is_empty() || is_host(host) && host.ends_with(char::is_alphabetic))
}

fn is_host(host: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    host.contains('.') && host.split('.').all(is_label)
}

/// The number of options that a short message names, by their words or by their position.
fn chosen(options: &[String], words: &[&str]) -> usize {
    let said = words.join(" ");
    let said_terms = terms(&said);
    let is_named = |(index, option): (usize, &String)| {
        let telling_terms: Vec<String> =
            terms(option).into_iter().filter(|term| telling(term) != Telling::Nothing).collect();
        let own: Vec<&String> =
            telling_terms.iter().filter(|term| !in_another(options, index, term)).collect();
        let by_words = !own.is_empty() && own.iter().any(|term| said_terms.contains(term));
        let room = option.split_whitespace().count() + MOST_BESIDES;
        let by_characters = own.is_empty() && said.contains(option.to_lowercase().as_str());
        (by_words || by_characters) && words.len() <= room || is_placed(index, words)
    };
    options.iter().enumerate().filter(|option| is_named(*option)).count()
}

fn in_another(options: &[String], index: usize, term: &String) -> bool {
    options.iter().enumerate().any(|(other, option)| other != index && terms(option).contains(term))
}

/// "2", "b", "the second one", "option 2".
fn is_placed(index: usize, words: &[&str]) -> bool {
    const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    const LETTERS: [&str; 5] = ["a", "b", "c", "d", "e"];
    let number = (index + 1).to_string();
    let names = |word: &str| word == number || ORDINALS.get(index) == Some(&word);
    let around = ["the", "one", "option", "number", "please"];
    match words {
        [word] => names(word) || LETTERS.get(index) == Some(word),
        _ => {
            words.iter().any(|word| names(word))
                && words.iter().all(|word| names(word) || around.contains(word))
        }
    }
}

cues! {
    /// Beginnings of small talk or of another request rather than an answer.
    TALK =
        "hi | hello | hey | good morning | good evening | good night | thanks | thank you | bye | by the way | btw | remind me"
        "| remember | forget | never mind | nevermind | anyway | actually can | stop | wait | also | hallo | danke | guten morgen"
        "| hola | gracias | buenos días | bonjour | merci | 你好 | 谢谢 | 再见 | 提醒 | 顺便";
}

fn is_short_statement(message: &str, plain: &Plain, words: &[&str]) -> bool {
    let is_talk = REQUESTS.open(plain) || TALK.open(plain);
    let is_short = words.len() <= LONGEST_TEXT && message.chars().count() <= 120 && !message.contains('\n');
    is_short && !is_talk && !words.is_empty()
}

fn has_han(message: &str) -> bool {
    message.chars().any(is_han)
}
