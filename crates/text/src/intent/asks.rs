//! Recognizes a sentence that asks, with or without a question mark, by its particle or the order of its first words.

use super::wanted::ends_like_a_question;
use crate::cjk::{is_han, is_kana};
use crate::cues::Plain;
use crate::word_list::WordList;

/// Returns true if a sentence asks.
#[must_use]
pub fn asks(sentence: &str) -> bool {
    ends_like_a_question(sentence) || asks_without_mark(sentence)
}

/// Returns true if a sentence without a question mark asks by its words: "where do I work", "wo wohne ich", 我住在哪里.
#[must_use]
pub fn asks_without_mark(sentence: &str) -> bool {
    let sentence = sentence.trim();
    if sentence.starts_with('¿') {
        return true;
    }
    // An exclamation, the heading of a list, and a whole sentence in Han.
    if sentence.starts_with('¡') || sentence.ends_with(['!', '！', ':', '：', '。']) {
        return false;
    }
    if sentence.chars().any(is_kana) {
        return asks_in_japanese(sentence);
    }
    if sentence.chars().any(is_han) {
        return asks_in_chinese(sentence);
    }
    let head: String = sentence.chars().take(LONGEST_HEAD).collect();
    let plain = Plain::new(&head.replace('’', "'"));
    let words: Vec<&str> = plain.words().skip_while(|word| LEADS.contains(word)).take(MOST_WORDS).collect();
    let [first, rest @ ..] = words.as_slice() else { return false };
    let has_two_clauses = head.trim_start_matches(|c| c != ',').trim_start_matches(',').contains(' ');
    asks_in_english(first, rest)
        || inverts_in_french(&head)
        || !has_two_clauses
            && (asks_in_german(first, rest) || asks_in_spanish(first, rest) || asks_in_french(first, rest))
}

/// Maximum number of characters and of words that are read of a sentence: its beginning shows its order.
const LONGEST_HEAD: usize = 120;
const MOST_WORDS: usize = 12;

fn asks_in_english(first: &str, rest: &[&str]) -> bool {
    let Some((next, after)) = rest.split_first() else { return false };
    let is_helping = |word: &str| HELPING.contains(word.strip_suffix("n't").unwrap_or(word));
    // "What I need is sleep", "which is why", "what a day": a clause, not a question.
    let opens_clause = SUBJECTS.contains(next) || DETERMINERS.contains(next);
    match first {
        "whose" => true,
        "who" | "whom" | "why" => !opens_clause,
        "where" | "when" => is_helping(next) || *next == "exactly",
        "which" if is_helping(next) => after.first().is_some_and(|word| DETERMINERS.contains(word)),
        "how" if ["many", "much", "old", "long", "come", "about"].contains(next) => true,
        "what" | "which" | "how" => {
            // "What matters is …", "what was odd was …"
            let is_subject = first == "what" && after.iter().skip(1).any(|word| ["is", "was"].contains(word));
            match rest.iter().take(4).position(|word| is_helping(word)) {
                _ if opens_clause => false,
                Some(0) => !(is_subject && ["is", "was"].contains(next)),
                Some(at) => {
                    !(is_subject
                        && rest.get(at).is_some_and(|word| ["is", "was"].contains(word))
                        && next.ends_with('s'))
                }
                None => first == "what" && ["happened", "about", "else", "if"].contains(next),
            }
        }
        "what's" | "where's" | "when's" | "who's" | "how's" | "whats" | "wheres" | "whens" | "whos"
        | "hows" => true,
        // "Did it", "have a nice day", "do the dishes": the person left out, or an order.
        "do" | "did" | "have" | "had" | "don't" | "didn't" | "haven't" => PERSONS.contains(next),
        "was" | "were" | "am" => SUBJECTS.contains(next) || *next == "my",
        // A request such as "can you always answer in French" may tell a preference.
        "can" | "could" | "would" | "will" if ["you", "u"].contains(next) => false,
        first => is_helping(first) && (SUBJECTS.contains(next) || DETERMINERS.contains(next) && *next != "a"),
    }
}

fn asks_in_german(first: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first() else { return false };
    if first == "was" && !rest.iter().any(|word| GERMAN.contains(word)) {
        return false;
    }
    // The verb stands at the end of a clause, and second in a question.
    let is_word = GERMAN_ASKING.contains(first) && !GERMAN_OPENS_CLAUSE.contains(next);
    let is_verb = GERMAN_VERBS.contains(first) && GERMAN_SUBJECTS.contains(next);
    // "Hab das Auto verkauft": the person left out.
    let is_left_out = ["hab", "habe"].contains(&first) && ["der", "die", "das", "es"].contains(next);
    is_word || is_verb && !is_left_out
}

fn asks_in_spanish(first: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first() else { return false };
    let is_led = SPANISH_PREPOSITIONS.contains(first) && SPANISH_ASKING.contains(next);
    let is_unaccented = match first {
        "donde" => rest.len() < 4 || SPANISH_IS.contains(next),
        "cuando" | "cual" | "quien" | "cuanto" => SPANISH_IS.contains(next),
        "como" | "que" => SPANISH_IS.contains(next) && rest.len() > 1,
        _ => false,
    };
    let is_addressed = ["sabes", "recuerdas"].contains(&first) || first == "te" && *next == "acuerdas";
    SPANISH_ASKING.contains(first) || is_addressed || is_led || is_unaccented
}

fn asks_in_french(first: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first() else { return false };
    match first {
        "où" | "combien" | "pourquoi" | "qu'est" | "lequel" | "laquelle" => true,
        "est" => *next == "ce",
        "tu" => ["te", "sais", "connais"].contains(next),
        "c'est" => FRENCH_ASKING.contains(next),
        "quel" | "quelle" | "quels" | "quelles" | "qui" => rest.len() > 1,
        "quand" => FRENCH_IS.contains(next),
        "comment" => {
            FRENCH_IS.contains(next) || next.contains('\'') || ["je", "tu", "mon", "ma"].contains(next)
        }
        "à" | "de" | "avec" | "en" => FRENCH_ASKING.contains(next),
        _ => false,
    }
}

/// "Que sais-tu", "où travaille-t-elle": the subject behind the verb.
fn inverts_in_french(head: &str) -> bool {
    let ends = ["-tu", "-je", "-il", "-elle", "-ils", "-elles", "-t-on"];
    let lower = head.to_lowercase();
    lower.split_whitespace().take(4).any(|word| {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        ends.iter().any(|end| word.len() > end.len() && word.ends_with(end))
    })
}

fn asks_in_chinese(sentence: &str) -> bool {
    let is_known = NOT_ASKED_IN_CHINESE.iter().any(|words| sentence.contains(words));
    !is_known && ASKED_IN_CHINESE.iter().any(|word| sentence.contains(word))
}

fn asks_in_japanese(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    // "Always", "nothing", "someday": with も or か behind, such a word asks nothing.
    let asks = |word: &str| {
        sentence.match_indices(word).any(|(at, _)| {
            let after = sentence.get(at + word.len()..).unwrap_or_default();
            !after.starts_with(['も', 'か', 'で']) || after.starts_with("から")
        })
    };
    ["っけ", "のか", "たか", "るか", "うか", "いか", "は"].iter().any(|ending| end.ends_with(ending))
        || ASKED_IN_JAPANESE.iter().any(|word| asks(word))
}

/// Words before a question that belong to none.
static LEADS: WordList = WordList::new(
    "hey hi hello ok okay so and but btw um uh well also please now then oh ah yo hmm anyway sorry wait again just yes no \
     und aber sag mal na hallo bitte ach übrigens nochmal y pero oye bueno hola entonces et mais dis alors bonjour salut euh donc",
);
static HELPING: WordList = WordList::new(
    "is are am was were do does did can could should shall will would have has had might ca wo",
);
static PERSONS: WordList = WordList::new("i you we he she they u");
static SUBJECTS: WordList =
    WordList::new("i you we he she they u it there i'm i've i'd you're we're he's she's it's they're");
static DETERMINERS: WordList = WordList::new("my your our his her their the this that these those a an");
static GERMAN_ASKING: WordList = WordList::new(
    "wo wann wer wen wem wessen wie was warum wieso weshalb welche welcher welches welchen welchem wohin woher womit wofür worüber \
     wovon woran wozu wieviel",
);
static GERMAN_OPENS_CLAUSE: WordList = WordList::new(
    "ich du er sie es wir ihr man mich mir dich dir uns euch ihn ihm sich mein meine meinem meinen meiner unser unsere der die das \
     den dem ein eine einen auch immer gesagt schon bereits besprochen erwähnt üblich gewohnt nur",
);
static GERMAN_VERBS: WordList = WordList::new(
    "habe hab hast hat haben bin bist ist sind war waren kann kannst können muss musst soll sollte darf weißt weisst kennst erinnerst wirst \
     wird werde möchtest willst gibt",
);
static GERMAN_SUBJECTS: WordList =
    WordList::new("ich du er sie es wir ihr man mein meine dein deine unser unsere der die das");
/// Words that tell German from English, where "was" is a verb.
static GERMAN: WordList = WordList::new(
    "ich du er wir mir mich dir dich mein meine meinen meinem meiner dein deine unser unsere der das dem den ist habe hast sind \
     über für gesagt weißt weisst heißt ist es und steht gibt",
);
static SPANISH_ASKING: WordList =
    WordList::new("qué cuál cuáles quién quiénes cuándo cuánto cuánta cuántos cuántas cómo dónde adónde");
static SPANISH_PREPOSITIONS: WordList = WordList::new("a de con en por para desde hasta sobre y");
static SPANISH_IS: WordList = WordList::new(
    "es son fue está estan están se tengo hay sabes dije dijo vivo trabajo he has tenía tienes",
);
static FRENCH_ASKING: WordList =
    WordList::new("qui quoi quand où quel quelle quels quelles combien comment lequel laquelle");
static FRENCH_IS: WordList =
    WordList::new("est sont était étaient ai as a avons avez ont suis sommes dois vais va se");
const ASKED_IN_CHINESE: [&str; 23] = [
    "什么",
    "什麼",
    "谁",
    "誰",
    "哪",
    "多少",
    "怎么",
    "怎麼",
    "何时",
    "多大",
    "多久",
    "多高",
    "几岁",
    "几点",
    "几号",
    "幾點",
    "星期几",
    "周几",
    "是不是",
    "有没有",
    "幾歲",
    "啥",
    "干嘛",
];
/// Words beside which such a word names all, none or something known.
const NOT_ASKED_IN_CHINESE: [&str; 15] = [
    "没什么",
    "沒什麼",
    "都",
    "也",
    "无论",
    "不管",
    "不知道",
    "知道",
    "忘了",
    "忘记",
    "没有什么",
    "告诉过",
    "哪怕",
    "谁知",
    "给我",
];
const ASKED_IN_JAPANESE: [&str; 18] = [
    "何",
    "どこ",
    "いつ",
    "誰",
    "だれ",
    "どの",
    "どれ",
    "どんな",
    "いくつ",
    "いくら",
    "なぜ",
    "どうして",
    "どうやって",
    "なに",
    "どちら",
    "どっち",
    "なんで",
    "なんて",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h3_a_question_is_recognized_without_its_mark() {
        for text in [
            "when is my sisters birthday",
            "what do you know about my dog",
            "what time is my flight",
            "hey so where do i work",
            "whats my brother's name, where's he living",
            "how expensive was the sofa",
            "who lives next door",
            "do i have a meeting tomorrow",
            "is my appointment on friday",
            "which day is the recital",
            "why did we leave",
            "wo wohne ich",
            "wie heißt mein hund",
            "was weißt du über meinen Hund",
            "habe ich morgen einen Termin",
            "und wann hat meine Schwester Geburtstag",
            "dónde trabajo",
            "donde trabajo",
            "como se llama mi perro",
            "a qué hora es la cena",
            "cuando es mi cumpleaños",
            "où est-ce que j'habite",
            "quand est mon anniversaire",
            "comment s'appelle mon chien",
            "que sais-tu de moi",
            "c'est quoi mon adresse",
            "我住在哪里",
            "我妹妹的生日是什么时候",
            "私の誕生日はいつ",
            "どこに住んでるんだっけ",
        ] {
            assert!(asks(text), "{text}");
        }
    }

    #[test]
    fn h3_a_statement_that_begins_like_a_question_asks_nothing() {
        for text in [
            "When I was young we lived in Rome",
            "when my sister calls I answer",
            "What I like most is tea",
            "What matters to me is family",
            "What a day",
            "Which is why I left",
            "How nice of you",
            "Was great today, we saw the lake",
            "did my homework",
            "could u always answer in French",
            "Hab das Auto verkauft",
            "Had my teeth checked on Friday",
            "Have a nice day",
            "do the dishes",
            "Will be late on Monday",
            "Where I live it rains",
            "Wo ich wohne, ist es laut",
            "Wie gesagt, ich wohne in Ulm",
            "Wer rastet, der rostet",
            "Was mich freut: Kuchen",
            "Habe ich Zeit, gehe ich laufen",
            "Cuando era niño vivía en Lugo",
            "Como es tarde, me voy",
            "¡Qué bonito día!",
            "Quand j'étais petit, j'habitais à Metz",
            "Rendez-vous chez le dentiste demain",
            "Comment on the draft is due Friday",
            "我没什么事",
            "我什么都吃",
            "いつもコーヒーを飲む",
            "何も食べていない",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
