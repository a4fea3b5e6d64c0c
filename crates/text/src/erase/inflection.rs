//! Whether two words are forms of one: plurals, cases, compounds and spellings.

use std::sync::LazyLock;

use super::english;
use super::families::{abbreviations, irregular};
use super::language::{
    Endings,
    Language::{self, Dutch, English, Finnish, French, German, Hungarian, Russian, Swedish, Turkish},
    Rules, rules_of,
};
use super::pieces::{Class, Piece};
use super::script;
use super::verbs;
use crate::word_list::WordList;

/// A word that is looked for, with what else it may be.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    pub written: Piece,
    /// How it sounds, for what is written in another script.
    sound: String,
    /// Irregular forms, each in its language.
    irregular: Vec<(Language, Piece)>,
    /// Other words for the same, in every language: abbreviations, short names.
    pub also: Vec<Piece>,
    /// A German verb with its prefix: an, rufen.
    parted: Option<(&'static str, Box<Sought>)>,
}

impl Sought {
    pub fn new(written: Piece) -> Self {
        let named = |text: &str| Piece { text: text.to_owned(), spelled: None, ..written.clone() };
        let irregular =
            irregular(&written.text).into_iter().map(|(language, text)| (language, named(text))).collect();
        let also = abbreviations(&written.text).into_iter().map(named).collect();
        let is_verb = !written.is_capital && written.text.ends_with('n');
        let base = |prefix: &'static str| {
            let base = written.text.strip_prefix(prefix).filter(|base| is_verb && base.len() > 4)?;
            Some((prefix, Box::new(Self::new(named(base)))))
        };
        let parted = PREFIXES.iter().find_map(base);
        Self { sound: script::sound(&written.text), written, irregular, also, parted }
    }

    /// Lets other words stand for it.
    pub fn add(&mut self, words: &[&str]) {
        let named = |text: &&str| Piece { text: (*text).to_owned(), spelled: None, ..self.written.clone() };
        self.also.extend(words.iter().map(named).collect::<Vec<_>>());
    }

    /// Returns true if a word of a text, in one of its languages, is a form of it.
    pub fn is(&self, word: &Piece, languages: &[Language]) -> bool {
        let is_written = match script::are_other(&self.written, word) {
            true => script::sounds_same(&self.written, &self.sound, word),
            false => is_form(&self.written, word, languages),
        };
        is_written
            || self.also.iter().any(|other| is_form(other, word, languages))
            || self.irregular.iter().any(|(language, other)| {
                let is_its = languages.contains(language) || *language == Russian;
                is_its && is_form(other, word, &[*language])
            })
            || languages.contains(&German) && self.is_parted(word)
    }

    /// Anrufen, angerufen, anzurufen.
    fn is_parted(&self, word: &Piece) -> bool {
        self.parted.as_ref().is_some_and(|(prefix, base)| {
            let rest = word.text.strip_prefix(prefix);
            rest.is_some_and(|rest| {
                let with = |text: &str| Piece { text: text.to_owned(), spelled: None, ..word.clone() };
                let is_infinitive = rest.strip_prefix("zu") == Some(base.written.text.as_str());
                is_infinitive || base.is(&with(rest), &[German])
            })
        })
    }
}

/// Prefixes that part from their verb in German.
static PREFIXES: WordList = WordList::new(
    "an auf aus ab ein mit nach vor weg zu zuruck zusammen um her hin fest los durch uber unter statt teil",
);

/// Returns true if a word of a text, in one of its languages, is a form of the word that is looked for.
pub(super) fn is_form(of: &Piece, word: &Piece, languages: &[Language]) -> bool {
    if script::are_other(of, word) {
        return script::is_same(of, word);
    }
    if of.class != word.class || !is_case_alike(of, word) {
        return false;
    }
    let spelled = |a: &Piece, b: &Piece| a.spelled.as_deref() == Some(b.text.as_str());
    if of.text == word.text || spelled(of, word) || spelled(word, of) || is_street(&of.text, &word.text) {
        return true;
    }
    match of.class {
        Class::Word if of.text.chars().any(script::is_cyrillic) => {
            is_form_in(Russian, of, word) || is_russian_compound(of, word)
        }
        Class::Word if of.text.starts_with(script::is_greek) => {
            share_a_stem(&of.text, &word.text, &GREEK, &[])
        }
        Class::Word if of.text.starts_with(script::is_devanagari) => {
            HINDI.iter().any(|endings| share_a_stem(&of.text, &word.text, endings, &[]))
        }
        Class::Word if of.text.starts_with(script::is_arabic) => {
            is_affixed(of, word, &ARABIC_PREFIXES, &ARABIC_SUFFIXES)
        }
        Class::Word if of.text.starts_with(script::is_hebrew) => {
            is_affixed(of, word, &HEBREW_PREFIXES, &HEBREW_SUFFIXES)
        }
        Class::Word => languages.iter().any(|language| is_form_in(*language, of, word)),
        Class::Hangul => word
            .text
            .strip_prefix(of.text.as_str())
            .is_some_and(|rest| is_korean_ending(rest) || of.len() > 1 && is_korean_verb(rest)),
        Class::Katakana => {
            of.len() >= 3 && (word.text.starts_with(&of.text) || word.text.ends_with(&of.text))
        }
        Class::Digits | Class::Han | Class::Sign | Class::Emoji => false,
    }
}

/// Returns true if two streets differ only in the abbreviation of the word: Gartenstraße, Gartenstr.
fn is_street(a: &str, b: &str) -> bool {
    let stem = |word: &str| {
        ["strasse", "straat", "str"].iter().find_map(|kind| word.strip_suffix(kind)).map(str::to_owned)
    };
    matches!((stem(a), stem(b)), (Some(a), Some(b)) if a == b)
}

/// Returns true if a short word in capitals, such as IT or US, is written so in both places.
fn is_case_alike(of: &Piece, word: &Piece) -> bool {
    const LONGEST: usize = 4;
    // Without a vowel, as TV, it is no other word.
    let may_be_word = of.text.contains(['a', 'e', 'i', 'o', 'u', 'y']) || !of.text.is_ascii();
    !(of.class == Class::Word && of.is_upper && of.len() <= LONGEST && may_be_word) || word.is_upper
}

fn is_form_in(language: Language, of: &Piece, word: &Piece) -> bool {
    let (a, b) = (of.text.as_str(), word.text.as_str());
    if language == English {
        return if of.is_capital { is_english_name(a, word) } else { english::is_form(a, b) };
    }
    let Some(rules) = rules_of(language) else { return false };
    let endings: &[Endings] = match language {
        // German writes every noun with a capital.
        German if of.is_of_full_name => GERMAN_NAMES.as_slice(),
        German if word.is_capital => &rules.names,
        _ if of.is_capital && word.is_capital => &rules.names,
        _ => &rules.words,
    };
    let same = |a: &str, b: &str| endings.iter().any(|endings| share_a_stem(a, b, endings, rules.turns));
    with_and_without_vowel(a, b, rules.lost, same)
        || !of.is_capital && verbs::is_form(language, a, b)
        // Divorcé, divorcée.
        || language == French && of.is_accented && word.is_accented && share_a_stem(a, b, &FRENCH_PARTICIPLES, &[])
        || language == German && !of.is_of_full_name && (is_german_plural(a, b) || is_german_plural(b, a))
        || language == Russian && with_ukrainian_vowel(a, b, same)
        || language == Finnish && is_graded(rules, a, b)
        || language == Dutch && (is_dutch_plural(a, b) || is_dutch_plural(b, a))
        || with_and_without_vowel(a, b, rules.lost, |a, b| is_chained(rules, a, b) || is_chained(rules, b, a))
        || matches!(language, German | Dutch | Swedish) && is_compound(rules, of, word)
}

fn is_english_name(a: &str, word: &Piece) -> bool {
    word.is_capital && word.text.strip_prefix(a).is_some_and(|rest| matches!(rest, "s" | "es"))
}

static GREEK: Endings = Endings {
    shortest: 3,
    list: WordList::new("- οσ ου ο ε οι ων ουσ α ασ η ησ εσ ι ια ιου ιων υ ματοσ ματα"),
};
/// Masculine words, feminine ones, and those without an ending. लड़का and लड़की are a boy and a girl.
static HINDI: [Endings; 3] = [
    Endings { shortest: 3, list: WordList::new("ा े ों ो") },
    Endings { shortest: 3, list: WordList::new("ी ि ियां ियों ियाँ यों") },
    Endings { shortest: 3, list: WordList::new("- ों ें ो") },
];

/// Returns true if two words have the same beginning and then only endings of the list, perhaps after consonants that
/// turn into each other.
fn share_a_stem(a: &str, b: &str, endings: &Endings, turns: &[(&str, &str)]) -> bool {
    let is_ending = |rest: &str| endings.list.contains(if rest.is_empty() { "-" } else { rest });
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    // An ending has at most five letters, so a stem ends shortly before the words part.
    (endings.shortest.max(shared.saturating_sub(5))..=shared).any(|stem| {
        let (a, b) = (without_letters(a, stem), without_letters(b, stem));
        // A stem of two letters is enough only if both words have an ending: Оля, Оли.
        let is_short =
            stem == 2 && endings.list.contains("-") && (a.chars().count() != 1 || b.chars().count() != 1);
        let turned = |from: &str, to: &str| match (a.strip_prefix(from), b.strip_prefix(to)) {
            (Some(a), Some(b)) => is_ending(a) && is_ending(b),
            _ => false,
        };
        !is_short && turned("", "")
            || stem >= 2
                && a.len() + b.len() > 2
                && turns.iter().any(|(one, other)| turned(one, other) || turned(other, one))
    })
}

/// A word without its first letters.
fn without_letters(word: &str, count: usize) -> &str {
    word.char_indices().nth(count).and_then(|(at, _)| word.get(at..)).unwrap_or_default()
}

/// Compares also without the vowel that some forms lose: Marek, Marka; Павел, Павла.
fn with_and_without_vowel(a: &str, b: &str, vowels: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let without = |word: &str| -> Option<String> {
        let mut ends = word.char_indices().rev().skip(1);
        let (at, vowel) = ends.next().filter(|(_, vowel)| vowels.contains(*vowel))?;
        let (start, end) = (word.get(..at)?, word.get(at + vowel.len_utf8()..)?);
        ends.nth(1).map(|_| format!("{start}{end}"))
    };
    same(a, b)
        || without(a).is_some_and(|a| same(&a, b) && a.len() < b.len())
        || without(b).is_some_and(|b| same(a, &b) && b.len() < a.len())
}

/// Compares also with the vowel that an open syllable has in Ukrainian: Київ, Києва; Львів, Львова.
fn with_ukrainian_vowel(a: &str, b: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let opened = |word: &str| -> Vec<String> {
        let mut chars: Vec<char> = word.chars().collect();
        let Some(vowel) = chars.len().checked_sub(2).and_then(|at| chars.get_mut(at)) else {
            return Vec::new();
        };
        let vowels: &[char] = match vowel {
            'і' => &['о', 'е'],
            'ї' => &['є'],
            _ => return Vec::new(),
        };
        let at = chars.len() - 2;
        let with =
            |new: &char| chars.iter().enumerate().map(|(n, c)| if n == at { *new } else { *c }).collect();
        vowels.iter().map(with).collect()
    };
    opened(a).iter().any(|a| same(a, b)) || opened(b).iter().any(|b| same(a, b))
}

static FRENCH_PARTICIPLES: Endings = Endings { shortest: 3, list: WordList::new("e ee es ees") };

/// Names change less than words: "Christiane Weber" is not Christian Weber. "Rote Karte" may be a "Roten Karte".
static GERMAN_NAMES: LazyLock<[Endings; 2]> = LazyLock::new(|| {
    [
        Endings { shortest: 3, list: WordList::new("- s es ns ens n") },
        Endings { shortest: 4, list: WordList::new("e en er es em") },
    ]
});

/// Returns true if a German word is the plural of another with "-er". Only a few nouns have it, so Arbeiter is no
/// plural of Arbeit.
fn is_german_plural(base: &str, word: &str) -> bool {
    static NOUNS: WordList = WordList::new(
        "amt bad band bild blatt brett buch dach denkmal dorf ei fach fass feld gehalt geist geld gesicht gespenst gewand glas glied \
         gott grab gras gut haupt haus holz horn huhn irrtum kalb kind kleid korn kraut lamm land leib licht lied loch mann \
         maul mitglied mal nest pfand rad rand rind schild schloss schwert schwimmbad spital strauch tal tuch tum volk wald weib wort wurm",
    );
    // Bus, Busse; Zeugnis, Zeugnisse.
    let is_doubled = base.ends_with('s') && matches!(word.strip_prefix(base), Some("se" | "sen"));
    if is_doubled {
        return true;
    }
    let plural = word.strip_suffix("ern").or_else(|| word.strip_suffix("er"));
    plural.is_some_and(|plural| {
        let is_base =
            base == plural || ["s", "es", "e"].iter().any(|ending| base.strip_suffix(ending) == Some(plural));
        // Of the shortest only the whole word, so that Bleier is no Blei.
        let is_noun = |noun: &str| plural == noun || noun.len() > 2 && plural.ends_with(noun);
        is_base && NOUNS.iter().any(is_noun)
    })
}

/// Returns true if two Finnish words differ in the grade of a consonant and in endings: äiti, äidin; kauppa,
/// kaupassa; Virtanen, Virtasen.
fn is_graded(rules: &Rules, a: &str, b: &str) -> bool {
    const SHORTEST: usize = 2;
    let Some(endings) = rules.words.first() else { return false };
    let is_ending = |rest: &str| endings.list.contains(if rest.is_empty() { "-" } else { rest });
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str, from: usize| word.chars().skip(from).collect::<String>();
    (SHORTEST.max(shared.saturating_sub(2))..=shared).any(|stem| {
        let (a, b) = (rest(a, stem), rest(b, stem));
        let turned = |from: &str, to: &str| match (a.strip_prefix(from), b.strip_prefix(to)) {
            (Some(a), Some(b)) => {
                // The vowel after the consonant is a part of the stem: äi-t-i, äi-d-i-n.
                let (one, other) = (a.chars().next(), b.chars().next());
                let follows = |rest: &str| rest.chars().skip(1).collect::<String>();
                one.is_some() && one == other && is_ending(&follows(a)) && is_ending(&follows(b))
            }
            _ => false,
        };
        let is_name = |from: &str, to: &str| {
            from.strip_prefix("nen").is_some_and(str::is_empty)
                && ["se", "s"]
                    .iter()
                    .any(|s| to.strip_prefix(s).is_some_and(|rest| !rest.is_empty() && is_ending(rest)))
        };
        let is_turned = |(one, other): &(&str, &str)| {
            (stem > SHORTEST || !other.is_empty()) && (turned(one, other) || turned(other, one))
        };
        rules.turns.iter().any(is_turned) || is_name(&a, &b) || is_name(&b, &a)
    })
}

/// Returns true if a Dutch word is a plural, or an adjective with its ending, as it is spelled: bril, brillen; boom,
/// bomen; brief, brieven; huis, huizen.
pub(super) fn is_dutch_plural(base: &str, word: &str) -> bool {
    let Some(stem) = word.strip_suffix("en").or_else(|| word.strip_suffix('e')) else { return false };
    let letters: Vec<char> = stem.chars().collect();
    let is_vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let [head @ .., third, vowel, last] = letters.as_slice() else { return false };
    if is_vowel(last) {
        return false;
    }
    let head: String = head.iter().collect();
    if vowel == last {
        return format!("{head}{third}{vowel}") == base;
    }
    let hard = match last {
        'v' => 'f',
        'z' => 's',
        last => *last,
    };
    let is_open = is_vowel(vowel) && *vowel != 'i' && !is_vowel(third);
    let long = if is_open {
        format!("{head}{third}{vowel}{vowel}{hard}")
    } else {
        format!("{head}{third}{vowel}{hard}")
    };
    long == base
}

/// Returns true if a word is another with several endings, one after the other.
fn is_chained(rules: &Rules, base: &str, word: &str) -> bool {
    let Some(endings) = &rules.chained else { return false };
    if base.chars().count() < endings.shortest {
        return false;
    }
    let soft = match base.chars().last().filter(|_| rules.language == Turkish) {
        Some('k') => Some('g'),
        Some('p') => Some('b'),
        Some('t') => Some('d'),
        _ => None,
    };
    let mut chars = base.chars();
    let last = chars.next_back();
    let softened = soft.map(|soft| format!("{}{soft}", chars.as_str()));
    let rest = word.strip_prefix(base).or_else(|| word.strip_prefix(softened.as_deref()?));
    // "With" takes the last consonant of the word in Hungarian: Péter, Péterrel.
    let is_with = |rest: &str| {
        rules.language == Hungarian
            && last.and_then(|last| rest.strip_prefix(last)).is_some_and(|rest| matches!(rest, "al" | "el"))
    };
    rest.is_some_and(|rest| is_with(rest) || is_chain(rest, &endings.list, 3))
}

/// Returns true if a text consists of endings, up to a number of them.
pub(super) fn is_chain(rest: &str, endings: &WordList, most: usize) -> bool {
    let follows =
        |ending: &str| rest.strip_prefix(ending).is_some_and(|rest| is_chain(rest, endings, most - 1));
    rest.is_empty() || most > 0 && endings.iter().any(follows)
}

/// Fewest letters of a word that is looked for inside of compounds, and of the other part.
const COMPOUND: (usize, usize) = (5, 4);

/// Returns true if a word is made of the one that is looked for and another: Scheidung, Scheidungsanwalt; Krebs,
/// Brustkrebs.
fn is_compound(rules: &Rules, of: &Piece, word: &Piece) -> bool {
    let (shortest, other) = COMPOUND;
    // German writes its nouns with a capital, and a verb with such a beginning is no compound.
    let is_noun = rules.language != German || word.is_capital;
    if !is_noun || of.len() < shortest || word.len() < of.len() + other - 1 {
        return false;
    }
    let is_long = |rest: &str| rest.chars().count() >= other;
    let begins = |stem: &str, links: &[&str]| {
        let rest = word.text.strip_prefix(stem);
        rest.is_some_and(|rest| links.iter().any(|link| rest.strip_prefix(link).is_some_and(is_long)))
    };
    // Skilsmässa, skilsmässoadvokat; gata, gatukök.
    let turns =
        rules.language == Swedish && of.text.strip_suffix('a').is_some_and(|stem| begins(stem, &["o", "u"]));
    let first = turns || begins(&of.text, rules.links);
    let ends = |endings: &Endings| {
        endings.list.iter().any(|ending| {
            let rest = word.text.strip_suffix(ending.trim_matches('-'));
            rest.is_some_and(|rest| rest.ends_with(&of.text) && rest.len() >= of.text.len() + 3)
        })
    };
    first || rules.words.first().is_some_and(ends)
}

/// Нефть, нефтепровод. Without a linking vowel it would be another word of the same root.
fn is_russian_compound(of: &Piece, word: &Piece) -> bool {
    let (shortest, other) = COMPOUND;
    let stem = of.text.strip_suffix(['а', 'я', 'ь']).unwrap_or(&of.text);
    let rest = word.text.strip_prefix(stem).and_then(|rest| rest.strip_prefix(['о', 'е']));
    of.len() >= shortest && rest.is_some_and(|rest| rest.chars().count() >= other)
}

/// Articles, prepositions and conjunctions that are written together with the word after them.
static ARABIC_PREFIXES: WordList = WordList::new("ال و ف ب ل ك وال فال بال كال لل ولل وب ول");
static HEBREW_PREFIXES: WordList = WordList::new("ה ו ב ל מ ש כ וה וב ול ומ וש וכ שה מה בה כש שב של");

/// Possessives, and regular plurals. "My" is also the ending of a people's name (مصر, مصري), so it is read only after ت.
static ARABIC_SUFFIXES: WordList = WordList::new("ها هم هن نا كم ات ين ون");
static HEBREW_SUFFIXES: WordList = WordList::new("ימ ות");

/// Returns true if a word is the one that is looked for with such prefixes, or with a suffix if it has no article
/// itself.
fn is_affixed(of: &Piece, word: &Piece, prefixes: &WordList, suffixes: &WordList) -> bool {
    let is_article = |prefix: &&str| prefix.chars().count() > 1;
    let bare = prefixes
        .iter()
        .filter(is_article)
        .find_map(|prefix| of.text.strip_prefix(prefix).filter(|bare| bare.chars().count() > 2));
    let is_stem = |text: &str, stem: &str| {
        let before = text.strip_suffix(stem);
        before.is_some_and(|before| before.is_empty() || prefixes.contains(before))
    };
    // The last letter of a feminine word turns before a suffix: سيارة, سيارتي.
    let turned = of.text.strip_suffix('ه').map(|stem| format!("{stem}ت"));
    let with_suffix = |suffix: &str| {
        word.text
            .strip_suffix(suffix)
            .is_some_and(|text| is_stem(text, turned.as_deref().unwrap_or(&of.text)))
    };
    let is_mine = turned
        .as_deref()
        .is_some_and(|stem| word.text.strip_suffix('ي').is_some_and(|text| is_stem(text, stem)));
    let takes_suffix = bare.is_none() && of.len() > 2;
    [Some(of.text.as_str()), bare].into_iter().flatten().any(|stem| is_stem(&word.text, stem))
        || takes_suffix && (is_mine || suffixes.iter().any(with_suffix))
}

/// The endings of the verbs that 하다 and 되다 make of a noun: 이혼, 이혼했어요.
fn is_korean_verb(rest: &str) -> bool {
    const LONGEST: usize = 6;
    static VERBS: WordList = WordList::new("하 했 해 한 할 합 되 됐 된 될 됩");
    let starts = VERBS.iter().any(|verb| rest.strip_prefix(verb).is_some_and(|ending| !ending.is_empty()));
    rest.chars().count() <= LONGEST && (starts || matches!(rest, "한" | "해" | "할" | "된" | "될"))
}

/// Korean particles and forms of address, up to two of them.
pub(super) fn is_korean_ending(rest: &str) -> bool {
    static ENDINGS: WordList = WordList::new(
        "은 는 이 가 을 를 의 에 에서 에게 에게서 께 께서 와 과 도 만 로 으로 한테 한테서 씨 님 랑 이랑 하고 야 아 부터 까지 보다 처럼 라고 \
         이라고 라는 이라는 네 들 마다 조차 밖에 이나 나 인 이다 입니다 이에요 예요 였 이었 군 양",
    );
    !rest.is_empty() && is_chain(rest, &ENDINGS, 2)
}

#[cfg(test)]
mod tests {
    use super::super::language::Language::{French, Polish, Spanish};
    use super::super::language::{Evidence, LATIN};
    use super::super::pieces::pieces;
    use super::*;

    #[test]
    fn j2_forms_of_one_word_meet_and_other_words_do_not() {
        for (language, of, word, expected) in [
            (English, "dog", "dogs", true),
            (English, "wolf", "wolves", true),
            (English, "loan", "loaned", true),
            (English, "Mark", "Market", false),
            (English, "Bill", "bills", false),
            (English, "Hawking", "hawk", false),
            (English, "IT", "it", false),
            (English, "mouse", "mice", true),
            (English, "القاهرة", "بالقاهرة", true),
            (English, "ירושלים", "בירושלים", true),
            (German, "Haus", "Häuser", true),
            (German, "Scheidung", "Scheidungsanwalt", true),
            (German, "Krebs", "Brustkrebs", true),
            (German, "Rat", "Vorrat", false),
            (German, "Hund", "Hunden", true),
            (German, "Kind", "Kinder", true),
            (English, "Γιώργος", "Γιώργου", true),
            (French, "cheval", "chevaux", true),
            (French, "Martin", "Martine", false),
            (Spanish, "gato", "gatos", true),
            (Spanish, "Julio", "Julia", false),
            (Spanish, "lápiz", "lápices", true),
            (Polish, "Warszawa", "Warszawie", true),
            (Polish, "Kowalski", "Kowalskiego", true),
            (Polish, "Marek", "Markiem", true),
            (Polish, "matka", "matce", true),
            (Polish, "Ola", "Oli", true),
            (Turkish, "köpek", "köpeği", true),
            (Turkish, "doktor", "doktorum", true),
            (Turkish, "kar", "kardeş", false),
            (Russian, "Анна", "Анну", true),
            (Russian, "Павел", "Павла", true),
            (Russian, "Иван", "Иванов", false),
            (Russian, "собака", "собаками", true),
            (Russian, "нефть", "нефтепровод", true),
            (Russian, "кот", "который", false),
            (English, "민수", "민수는", true),
            (English, "민수", "민수정", false),
            (English, "ケン", "ケンタッキー", false),
            (English, "Müller", "Mueller", true),
        ] {
            let found = Sought::new(pieces(of)[0].clone()).is(&pieces(word)[0], &[language]);
            assert_eq!(found, expected, "{of} and {word}");
        }
    }

    #[test]
    fn j2_the_language_is_told_by_the_small_words() {
        let of = |text: &str| Evidence::of(text, &pieces(text)).languages(text, &Evidence::default());
        assert_eq!(of("ich war mit dem Hund im Park"), [German]);
        assert_eq!(of("the dog and the cat were there"), [English]);
        assert_eq!((of("Rex"), of("“Rex”")), (vec![English], LATIN.to_vec()));
    }
}
