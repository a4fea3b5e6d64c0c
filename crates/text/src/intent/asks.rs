//! Recognizes a sentence that asks, with or without a question mark, by its particle or the order of its first words.

use std::collections::HashSet;
use std::sync::LazyLock;

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
    // An exclamation, the heading of a list, and a whole sentence in Han ask nothing.
    if sentence.starts_with(['¿', '¡']) || sentence.ends_with(['!', '！', ':', '：', '。']) {
        return sentence.starts_with('¿');
    }
    let has = |words: &WordList| words.iter().any(|word| sentence.contains(word));
    if sentence.chars().any(is_kana) {
        let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
        return JAPANESE_ENDINGS.iter().any(|ending| end.ends_with(ending))
            || has(&ASKED_IN_JAPANESE) && !has(&NOT_ASKED_IN_JAPANESE);
    }
    if sentence.chars().any(is_han) {
        return has(&ASKED_IN_CHINESE) && !has(&NOT_ASKED_IN_CHINESE);
    }
    let head: String = sentence.chars().take(LONGEST_HEAD).collect::<String>().replace('’', "'");
    let plain = Plain::new(&head);
    let words: Vec<&str> = plain.words().skip_while(|word| LEADS.contains(word)).collect();
    let [first, next, after @ ..] = words.as_slice() else { return false };
    // "What time is it", but not "what I need is sleep" or "what matters is the price".
    let helped = [*next].iter().chain(after).take(4).position(|word| HELPING.contains(word));
    let is_is = |word: &&str| ["is", "was"].contains(word);
    let is_subject = *first == "what"
        && after.iter().skip(1).any(is_is)
        && (is_is(next) || next.ends_with('s') && helped != Some(0));
    let is_helped =
        ["what", "how"].contains(first) && helped.is_some() && !is_subject && !CLAUSE.contains(next);
    // "Que sais-tu", "où travaille-t-elle": the subject behind the verb.
    let is_inverted = head.split_whitespace().take(4).any(|word| {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        INVERTED.iter().any(|end| word.ends_with(end))
    });
    // "Wo ich wohne, ist es laut": of two clauses, the first asks nothing.
    let is_one_clause = head.split_once(',').is_none_or(|(_, rest)| !rest.trim().contains(' '));
    let is_english = is_helped || ENGLISH.has(first, next, true) || ENGLISH_UNLESS.has(first, next, false);
    let is_other = || OTHERS.has(first, next, true) || OTHERS_UNLESS.has(first, next, false);
    is_english || is_inverted || is_one_clause && is_other()
}

/// Rows of first words and of those that may follow them: "first words > words behind them | …".
struct Rows(LazyLock<Vec<[HashSet<&'static str>; 2]>>);

impl Rows {
    /// Returns true if a row has the first word, and the next one or not, as `follows` says.
    fn has(&self, first: &str, next: &str, follows: bool) -> bool {
        self.0.iter().any(|[firsts, nexts]| firsts.contains(first) && nexts.contains(next) == follows)
    }
}

fn rows(table: &'static str) -> Vec<[HashSet<&'static str>; 2]> {
    let row = |row: &'static str| {
        let (firsts, nexts) = row.split_once('>')?;
        Some([firsts, nexts].map(|words| words.split_whitespace().collect()))
    };
    table.split('|').filter_map(row).collect()
}

/// Maximum number of characters that are read of a sentence: its beginning shows its order.
const LONGEST_HEAD: usize = 120;

/// Words before a question that belong to none.
static LEADS: WordList = WordList::new(
    "hey hi hello ok okay so and but btw um uh well also please now then oh ah yo hmm anyway sorry wait again just yes no \
     und aber sag mal na hallo bitte ach übrigens nochmal y pero oye bueno hola entonces et mais dis alors bonjour salut euh donc",
);
static HELPING: WordList = WordList::new(
    "is are am was were do does did can could should shall will would have has had might isn't aren't don't doesn't \
    didn't can't won't",
);
/// Words that begin a clause rather than a question.
static CLAUSE: WordList = WordList::new(
    "i we you he she they u it there i'm i've i'd you're we're he's she's it's my your our his her their the this that a an",
);
/// Words with which a sentence asks, each before one of the words on the right.
static ENGLISH: Rows = Rows(LazyLock::new(|| {
    rows(
        "what > happened about else if | how > many much old long come about \
    | where when > is are am was were do does did can could should shall will would have has had might \
    | do did have had don't didn't haven't > i you we he she they u \
    | is are was were am isn't aren't wasn't > i you we he she they it there my your our \
    | is are does will can could would should has doesn't > i we he she they it there my your our his her their the this that those \
    | should shall > you",
    )
}));
static OTHERS: Rows = Rows(LazyLock::new(|| {
    rows(
        "was > habe hab hat haben hatte ist weißt weisst mag mache macht sagt sagte kostet isst steht gibt soll kann für mein \
    | habe hab hast hat haben bin bist ist sind war kann kannst können muss soll darf weißt weisst kennst erinnerst wird möchtest gibt \
    > ich du er sie es wir ihr man mein meine dein deine unser unsere | ist sind hat wird > der die das \
    | a de con en por para desde hasta sobre > qué cuál quién quiénes cuándo cuánto cuánta dónde \
    | donde cuando cual quien cuanto como que > es son fue está estan están tengo sabes dije dijo vivo trabajo he has tenía tienes \
    | donde como quien que > se | te > acuerdas | est > ce | tu > te sais connais \
    | c'est à de avec en > qui quoi quand où quel quelle quels quelles combien comment lequel laquelle \
    | quand comment > est sont était étaient ai as a avons avez ont suis sommes dois vais va s'appelle m'appelle je tu mon ma",
    )
}));
/// Words that ask unless one of the words on the right follows: the verb stands second in a question, and last in a clause.
static ENGLISH_UNLESS: Rows = Rows(LazyLock::new(|| {
    rows(
        "who whom why > i we you he she they u it there i'm i've you're it's my your our his her their the this that a \
    | which > is was are were means meant made i we you he she they it \
    | whose what's where's when's who's how's whats wheres whens whos hows >",
    )
}));
static OTHERS_UNLESS: Rows = Rows(LazyLock::new(|| {
    rows(
        "wo wann wer wen wem wessen wie warum wieso weshalb welche welcher welches welchen welchem wohin woher womit wofür \
    worüber wovon woran wozu wieviel > ich du er sie es wir ihr man mich mir dich dir uns euch ihn ihm sich mein meine meinem meinen \
    meiner unser unsere der die das den dem ein eine einen auch immer gesagt schon bereits besprochen erwähnt üblich gewohnt nur \
    | qué cuál cuáles quién quiénes cuándo cuánto cuánta cuántos cuántas cómo dónde adónde sabes recuerdas > \
    | où combien pourquoi qu'est lequel laquelle quel quelle quels quelles qui >",
    )
}));
const INVERTED: [&str; 7] = ["-tu", "-je", "-il", "-elle", "-ils", "-elles", "-t-on"];
static ASKED_IN_CHINESE: WordList = WordList::new(
    "什么 什麼 谁 誰 哪 多少 怎么 怎麼 何时 多大 多久 多高 几岁 幾歲 几点 幾點 几号 星期几 周几 是不是 有没有 啥 干嘛",
);
/// Words beside which such a word names all, none or something known.
static NOT_ASKED_IN_CHINESE: WordList =
    WordList::new("没什么 沒什麼 都 也 无论 不管 知道 忘了 忘记 没有什么 告诉过 哪怕 谁知 给我");
static ASKED_IN_JAPANESE: WordList = WordList::new(
    "何 どこ いつ 誰 だれ どの どれ どんな いくつ いくら なぜ どうして どうやって なに どちら どっち なんで なんて",
);
static NOT_ASKED_IN_JAPANESE: WordList = WordList::new(
    "何も 何か どこも どこで いつも いつで 誰も 誰か 誰で だれも だれか どれも どれか なにも なにか",
);
static JAPANESE_ENDINGS: WordList = WordList::new("っけ のか たか るか うか いか は");

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
