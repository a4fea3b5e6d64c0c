//! How a person wants to be answered: how long, with what marks, in what tone.

use super::Attribute;
use crate::relate::same::is_negation;
use crate::relate::wording::Word;
use crate::word_list::WordList;

/// The ways of answering that a statement asks for.
pub(super) fn read(text: &str, words: &[Word]) -> Vec<Attribute> {
    let has = |list: &WordList| words.iter().any(|word| list.contains(&word.text));
    let says = |list: &WordList| has(list) || list.iter().any(|part| !part.is_ascii() && text.contains(part));
    let of_answers = says(&ANSWERS);
    // "Brief, without emojis" denies the emojis.
    let denied = |list: &WordList| {
        let denies = |word: &Word| is_negation(&word.text) || WITHOUT.contains(&word.text);
        let named = words.iter().position(|word| list.contains(&word.text));
        named.is_some_and(|at| words.iter().take(at).rev().take(MOST_BETWEEN).any(denies))
            || named.is_none() && WITHOUT.iter().any(|part| !part.is_ascii() && text.contains(part))
    };
    STYLES
        .iter()
        .filter(|style| of_answers || style.stands_alone)
        .filter_map(|style| {
            let value = match (says(&style.one), says(&style.other)) {
                (true, false) => !denied(&style.one),
                (false, true) => denied(&style.other),
                // "Not too long but detailed" tells neither.
                _ => return None,
            };
            Some(Attribute::new(style.key, if value { style.values.0 } else { style.values.1 }))
        })
        .collect()
}

/// Maximum number of words from one that denies to what it denies.
const MOST_BETWEEN: usize = 3;

/// A choice between two ways, with the words of each.
struct Style {
    key: &'static str,
    values: (&'static str, &'static str),
    one: WordList,
    other: WordList,
    /// Whether it is of answers though it does not name them.
    stands_alone: bool,
}

static STYLES: [Style; 5] = [
    Style {
        key: "answer length",
        values: ("short", "long"),
        one: WordList::new(
            "brief briefly concise short shorter succinct terse kurz kurze kurzer kurzen knapp knappe \
             breve breves conciso concisas corta cortas corto cortos bref breve concis court courte courtes 简短 短 簡潔 手短",
        ),
        other: WordList::new(
            "detailed elaborate lengthy long longer thorough verbose ausfuhrlich ausfuhrliche ausfuhrlicher detailliert \
             detaillierte lang lange langer detallada detalladas detallado extensa extensas larga largas largo \
             detaille detaillee detaillees long longue longues 详细 長く 長め 詳しく 詳しい 详尽",
        ),
        stands_alone: false,
    },
    Style {
        key: "answer emoji",
        values: ("with", "without"),
        one: WordList::new("demojis emoji emojis emoticons smileys emoticones emoticonos 表情 絵文字 顔文字"),
        other: WordList::new(""),
        stands_alone: true,
    },
    Style {
        key: "answer form",
        values: ("list", "prose"),
        one: WordList::new(
            "bullet bullets bulleted stichpunkte stichpunkten vinetas puces 列表 箇条書き 条列",
        ),
        other: WordList::new("paragraphs prose fliesstext parrafos paragraphes 段落 文章で"),
        stands_alone: true,
    },
    Style {
        key: "answer address",
        values: ("close", "polite"),
        one: WordList::new("duze duzen duzt tutea tuteame tutoie tutoyer tutoyez タメ口"),
        other: WordList::new("sieze siezen siezt usted ustedes vouvoie vouvoyer vouvoyez 敬語"),
        stands_alone: true,
    },
    Style {
        key: "answer tone",
        values: ("formal", "casual"),
        one: WordList::new("formal formell formel formelle 正式"),
        other: WordList::new("casual informal informell locker lockerer informel relajado くだけた 随意"),
        stands_alone: false,
    },
];

/// Words of answering.
static ANSWERS: WordList = WordList::new(
    "answer answers answering explain explanation explanations explanations keep reply replies respond response responses tone write \
     antworte antworten antwort fasse halte schreib schreibe ton responde respuesta respuestas tono \
     reponds repondez reponse reponses ton 回答 回复 答复 返事 答え 返答",
);

/// Words that ask to leave something out.
static WITHOUT: WordList = WordList::new(
    "avoid drop less quit skip stop ohne weniger sin menos evita sans moins evite arrete pas 不要 别 少用 使わない なし やめて",
);
