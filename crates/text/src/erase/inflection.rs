//! Whether two words are forms of one: plurals, cases and compounds of the languages that people write most.

use super::pieces::{Class, Piece};
use crate::word_list::WordList;
use crate::words::terms;

/// A language whose words change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
    French,
    Spanish,
    Polish,
    Turkish,
    Russian,
}

use Language::{English, French, German, Polish, Russian, Spanish, Turkish};

const LATIN: [Language; 6] = [English, German, French, Spanish, Polish, Turkish];

/// Words that hold sentences together, folded; they tell the language, and are no topic.
static FUNCTION_WORDS: [(Language, WordList); 7] = [
    (
        English,
        WordList::new(
            "a about all also am an and any are as at be been but by can could did do does don for from get got had has \
             have he her here him his how i if in into is it its just like me more my no not now of off on one or our out \
             over please she so some that the their them then there these they this those to too up us very was we were \
             what when where which who why will with would yes you your thing things something anything everything stuff \
             this's t s ve re ll m d",
        ),
    ),
    (
        German,
        WordList::new(
            "aber alle als am an auch auf aus bei bin bis bist da das dass dein deine dem den der des die diese dieser \
             dieses doch du ein eine einem einen einer eines er es euch fur gegen haben hat hatte ich ihm ihn ihr ihre im in \
             ist ja jetzt kann kein keine man mein meine meinem meinen meiner meines mich mir mit nach nicht noch nur oder \
             ohne sehr sein seine sich sie sind so uber um und uns unser unsere vom von vor war was wenn wer wie wir wird wo \
             zu zum zur etwas alles",
        ),
    ),
    (
        French,
        WordList::new(
            "a ai au aux avec ce cela ces cet cette c chez d dans de des du elle en est et etait etre il ils j je l la le les \
             leur lui m ma mais me mes moi mon n ne nos notre nous on ou par pas plus pour qu que qui s sa sans se ses son \
             sont sur t ta tes toi ton tu un une vos votre vous y ca tout",
        ),
    ),
    (
        Spanish,
        WordList::new(
            "a al ante aqui bajo con cuando de del desde donde e el ella ellos en era es esa ese eso esta este esto fue ha \
             hay la las le les lo los mas me mi mis mucho muy no nos nuestra nuestro o para pero por porque que se ser si sin \
             sobre son soy su sus tambien te tengo tiene todo tu tus un una uno y ya yo",
        ),
    ),
    (
        Polish,
        WordList::new(
            "a aby albo ale bardzo bez bo by byc byl byla bylo czy dla do gdy gdzie go i ich im ja jak jako je jego jej jest \
             jestem juz kiedy ktora ktory ktore mam ma mi mnie moj moja moje mojego mojej moim moi na nad nie nich nim o od \
             on ona one oni oraz po pod przed przez przy sa sie sobie ta tak tam te tego tej ten to tu tutaj ty tylko tym w we \
             wszystko z za ze",
        ),
    ),
    (
        Turkish,
        WordList::new(
            "ama ancak bana bazi ben beni benim bir biri biz bizim bu bunu cok da daha de degil diye en gibi hem hep her icin \
             ile ise kadar ki mi mu ne neden nerede o olan olarak oldu olur ona onu onun sen senin siz su sonra var ve veya ya \
             yok zaman sey bugun yarin dun",
        ),
    ),
    (
        Russian,
        WordList::new(
            "а без бы был была было были в вам вас весь во вот все всё вы где да для до его ее если есть еще ж же за здесь и \
             из или им их к как ко когда кто ли меня мне мной мой моя мое мои моего моей моему моих мы на над нам нас не него \
             нее нет ни них но ну о об он она они оно от по под при про с со так там тебя то тоже только том ты у уже чего \
             чем что чтобы эта эти это этот я",
        ),
    ),
];

/// Words of other scripts that hold sentences together.
static OTHER_FUNCTION_WORDS: WordList = WordList::new(
    "的 了 是 在 我 你 他 她 它 这 那 和 也 都 就 不 有 の は が を に で と も へ や か な だ です ます これ それ あれ \
     그 저 이 것 나 너 는 은 가 을 를",
);

/// Whether a piece only holds a sentence together.
pub(super) fn is_function_word(piece: &Piece) -> bool {
    let word = piece.text.as_str();
    // With a capital it may be a name: Bo, Will; and IT and US are none.
    if piece.is_upper {
        return false;
    }
    let may_be = |language: Language| match language {
        English => !(piece.is_capital && word == "will"),
        Russian => true,
        _ => !piece.is_capital,
    };
    FUNCTION_WORDS.iter().any(|(language, list)| may_be(*language) && list.contains(word))
        || OTHER_FUNCTION_WORDS.contains(word)
}

/// The languages that a text may be written in, by the words that hold it together and its letters.
pub(super) fn languages(text: &str, pieces: &[Piece]) -> Vec<Language> {
    let words = || pieces.iter().filter(|piece| piece.class == Class::Word);
    let mut counts: Vec<(Language, usize)> = Vec::new();
    for (language, list) in &FUNCTION_WORDS {
        counts.push((*language, words().filter(|piece| list.contains(&piece.text)).count() * 2));
    }
    for c in text.chars().filter(|c| !c.is_ascii()) {
        let hint = match c {
            'ß' | 'ä' | 'Ä' | 'ö' | 'Ö' | 'ü' | 'Ü' => German,
            'ñ' | 'á' | 'í' | 'ú' | '¿' | '¡' => Spanish,
            'ł' | 'ą' | 'ę' | 'ż' | 'ź' | 'ś' | 'ć' | 'ń' => Polish,
            'ğ' | 'ş' | 'ı' | 'İ' => Turkish,
            'è' | 'ê' | 'à' | 'œ' | 'ù' => French,
            _ => continue,
        };
        counts.iter_mut().filter(|(language, _)| *language == hint).for_each(|(_, count)| *count += 1);
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    match most {
        0 if text.is_ascii() => vec![English],
        0 => LATIN.to_vec(),
        _ => {
            let mut likely: Vec<Language> = counts
                .into_iter()
                .filter(|(_, count)| *count == most)
                .map(|(language, _)| language)
                .collect();
            if likely.contains(&English) {
                likely.retain(|language| *language == English);
            }
            likely
        }
    }
}

/// Whether a word of a text, in one of its languages, is a form of the word that is looked for.
pub(super) fn is_form(of: &Piece, word: &Piece, languages: &[Language]) -> bool {
    if of.class != word.class || !is_case_alike(of, word) {
        return false;
    }
    let spelled = |a: &Piece, b: &Piece| a.spelled.as_deref() == Some(b.text.as_str());
    if of.text == word.text || spelled(of, word) || spelled(word, of) || is_shortened(&of.text, &word.text) {
        return true;
    }
    match of.class {
        Class::Word if of.text.chars().any(|c| matches!(c, '\u{400}'..='\u{52f}')) => {
            is_form_in(Russian, of, word) || is_compound(of, word, &["", "о", "е"])
        }
        Class::Word if of.text.starts_with(|c| matches!(c, '\u{370}'..='\u{3ff}')) => {
            share_a_stem(&of.text, &word.text, 3, &GREEK)
        }
        Class::Word if of.text.starts_with(is_arabic) => is_prefixed(of, word, &ARABIC_PREFIXES),
        Class::Word if of.text.starts_with(is_hebrew) => is_prefixed(of, word, &HEBREW_PREFIXES),
        Class::Word => {
            languages.iter().any(|language| is_form_in(*language, of, word))
                || languages.contains(&German)
                    && word.is_capital
                    && is_compound(of, word, &["", "s", "n", "en", "es", "e"])
        }
        Class::Hangul => word.text.strip_prefix(of.text.as_str()).is_some_and(is_korean_ending),
        Class::Katakana => {
            of.len() >= 3 && (word.text.starts_with(&of.text) || word.text.ends_with(&of.text))
        }
        Class::Digits | Class::Han | Class::Sign | Class::Emoji => false,
    }
}

/// Words of addresses and titles with their usual abbreviations.
const SHORTENED: [(&str, &str); 14] = [
    ("street", "st"),
    ("avenue", "ave"),
    ("road", "rd"),
    ("boulevard", "blvd"),
    ("square", "sq"),
    ("lane", "ln"),
    ("drive", "dr"),
    ("apartment", "apt"),
    ("saint", "st"),
    ("doctor", "dr"),
    ("professor", "prof"),
    ("mount", "mt"),
    ("улица", "ул"),
    ("ulica", "ul"),
];

/// Whether a word is such an abbreviation, so that a dot after it ends no sentence.
pub(super) fn is_abbreviation(word: &str) -> bool {
    word.ends_with("str") || SHORTENED.iter().any(|(_, short)| *short == word)
}

/// Whether one word is the usual abbreviation of the other.
fn is_shortened(a: &str, b: &str) -> bool {
    let pairs = SHORTENED.iter().any(|(long, short)| (*long, *short) == (a, b) || (*long, *short) == (b, a));
    let stem =
        |word: &str| word.strip_suffix("strasse").or_else(|| word.strip_suffix("str")).map(str::to_owned);
    pairs || matches!((stem(a), stem(b)), (Some(a), Some(b)) if a == b)
}

/// Whether a short word in capitals, such as IT or US, is written so in both places.
fn is_case_alike(of: &Piece, word: &Piece) -> bool {
    const LONGEST: usize = 4;
    !(of.class == Class::Word && of.is_upper && of.len() <= LONGEST) || word.is_upper
}

fn is_form_in(language: Language, of: &Piece, word: &Piece) -> bool {
    let is_name = of.is_capital && word.is_capital;
    let (a, b) = (of.text.as_str(), word.text.as_str());
    match language {
        English if of.is_capital => {
            word.is_capital && (b.strip_prefix(a).is_some_and(|rest| matches!(rest, "s" | "es")))
        }
        English => is_english_form(a, b),
        German => share_a_stem(a, b, 3, &GERMAN),
        French if is_name => share_a_stem(a, b, 3, &PLURAL),
        Spanish if is_name => share_a_stem(a, b, 3, &PLURAL),
        French => share_a_stem(a, b, 3, &FRENCH) || is_swapped(a, b, &[("al", "aux"), ("eau", "eaux")]),
        Spanish => share_a_stem(a, b, 3, &SPANISH) || is_swapped(a, b, &[("z", "ces")]),
        Polish => {
            with_and_without_vowel(a, b, "e", |a, b| share_a_stem(a, b, 2, &POLISH))
                || is_swapped(a, b, &POLISH_SWAPS)
        }
        Turkish => is_turkish_form(a, b) || is_turkish_form(b, a),
        Russian => with_and_without_vowel(a, b, "ео", |a, b| {
            let endings = if is_name { &RUSSIAN_NAMES } else { &RUSSIAN };
            share_a_stem(a, b, 2, endings)
        }),
    }
}

static GREEK: WordList = WordList::new("- οσ ου ο ε οι ων ουσ α ασ η ησ εσ ι ια ιου ιων υ ματοσ ματα");
static GERMAN: WordList = WordList::new("- e en er es em n s ns ern ens nen");
static PLURAL: WordList = WordList::new("- s es");
static FRENCH: WordList = WordList::new("- s x e es");
static SPANISH: WordList = WordList::new("- s es o a os as");
static POLISH: WordList = WordList::new(
    "- a e i o u y em ie iem owi om ami ach ow ego emu im ym ymi imi ej iej ia iu ii iego iemu ich ych ze zie owie mi ma io ium",
);
const POLISH_SWAPS: [(&str, &str); 9] = [
    ("ka", "ce"),
    ("ga", "dze"),
    ("ta", "cie"),
    ("da", "dzie"),
    ("t", "cie"),
    ("d", "dzie"),
    ("st", "scie"),
    ("sta", "scie"),
    ("cha", "sze"),
];
static RUSSIAN_NAMES: WordList = WordList::new(
    "- а я у ю е ы и о й ь ом ем ой ей ою ею ам ям ами ями ах ях ий ый ая яя ое ее ые ие ого его ому ему ым им ую юю ых их ыми ими ия \
     ию ии ией иям ием ья ью ье ьи ьей ин і ї є ові еві",
);
static RUSSIAN: WordList = WordList::new(
    "- а я у ю е ы и о й ь ом ем ой ей ою ею ам ям ами ями ах ях ий ый ая яя ое ее ые ие ого его ому ему ым им ую юю ых их ыми ими ия \
     ию ии ией иям ием ья ью ье ьи ьей ов ев иях иями і ї є ові еві ів",
);

/// Whether two words have the same beginning and then only endings of the list; `-` stands for none.
fn share_a_stem(a: &str, b: &str, shortest: usize, endings: &WordList) -> bool {
    let is_ending = |rest: &str| endings.contains(if rest.is_empty() { "-" } else { rest });
    let mut shared = 0;
    for (n, ((at, one), other)) in a.char_indices().zip(b.chars()).enumerate() {
        // A stem of two letters is enough only if both words have an ending: Оля, Оли.
        if n >= shortest.max(2) && (n > 2 || shortest == 2) {
            let rests = (a.get(at..).unwrap_or_default(), b.get(at..).unwrap_or_default());
            let is_short = n == 2 && (rests.0.chars().count() != 1 || rests.1.chars().count() != 1);
            if !is_short && is_ending(rests.0) && is_ending(rests.1) {
                return true;
            }
        }
        if one != other {
            return false;
        }
        shared = n + 1;
    }
    let rest = |word: &str| word.chars().skip(shared).collect::<String>();
    shared >= 3 && is_ending(&rest(a)) && is_ending(&rest(b))
}

fn is_swapped(a: &str, b: &str, swaps: &[(&str, &str)]) -> bool {
    let one_way = |a: &str, b: &str| {
        swaps.iter().any(|(from, to)| match (a.strip_suffix(from), b.strip_suffix(to)) {
            (Some(one), Some(other)) => one == other && one.len() + from.len() > 3,
            _ => false,
        })
    };
    one_way(a, b) || one_way(b, a)
}

/// Compares also without the vowel that some forms lose: Marek, Marka; Павел, Павла.
fn with_and_without_vowel(a: &str, b: &str, vowels: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let without = |word: &str| -> Option<String> {
        let mut chars: Vec<char> = word.chars().collect();
        let at = chars.len().checked_sub(2).filter(|at| *at >= 2)?;
        vowels.contains(*chars.get(at)?).then(|| {
            chars.remove(at);
            chars.into_iter().collect()
        })
    };
    same(a, b)
        || without(a).is_some_and(|a| same(&a, b) && a.len() < b.len())
        || without(b).is_some_and(|b| same(a, &b) && b.len() < a.len())
}

fn is_english_form(a: &str, b: &str) -> bool {
    let is_long = a.len() > 2 && b.len() > 2;
    is_long
        && (terms(a) == terms(b)
            || is_swapped(
                a,
                b,
                &[
                    ("fe", "ves"),
                    ("f", "ves"),
                    ("man", "men"),
                    ("y", "ies"),
                    ("o", "oes"),
                    ("child", "children"),
                    ("ouse", "ice"),
                    ("oot", "eet"),
                    ("ooth", "eeth"),
                    ("oose", "eese"),
                    ("erson", "eople"),
                ],
            ))
}

/// Whether a word is another with Turkish endings.
fn is_turkish_form(base: &str, word: &str) -> bool {
    if base.chars().count() < 3 {
        return false;
    }
    let soft = match base.chars().last() {
        Some('k') => Some('g'),
        Some('p') => Some('b'),
        Some('t') => Some('d'),
        _ => None,
    };
    let mut chars = base.chars();
    chars.next_back();
    let softened = soft.map(|soft| format!("{}{soft}", chars.as_str()));
    let rest = word.strip_prefix(base).or_else(|| word.strip_prefix(softened.as_deref()?));
    rest.is_some_and(|rest| is_turkish_ending(rest, 3))
}

/// Whether a text consists of endings, up to a number of them: plural, possessive, case.
fn is_turkish_ending(rest: &str, most: usize) -> bool {
    const ENDINGS: &str = "lar ler im um in un i u si su imiz umuz iniz unuz leri lari m n miz muz a e ya ye yi yu na ne ni nu da de ta te \
         nda nde dan den tan ten ndan nden nin nun la le yla yle ki";
    rest.is_empty()
        || most > 0
            && ENDINGS
                .split_whitespace()
                .any(|ending| rest.strip_prefix(ending).is_some_and(|rest| is_turkish_ending(rest, most - 1)))
}

/// Whether a word is made of the one that is looked for and another: Scheidung, Scheidungsanwalt; Krebs, Brustkrebs.
fn is_compound(of: &Piece, word: &Piece, links: &[&str]) -> bool {
    const SHORTEST: usize = 5;
    const OTHER: usize = 4;
    let stem = of.text.strip_suffix(['а', 'я', 'ь']).unwrap_or(&of.text);
    if of.len() < SHORTEST || word.len() < of.len() + OTHER - 1 {
        return false;
    }
    let after = |rest: &str| {
        links.iter().any(|link| rest.strip_prefix(link).is_some_and(|rest| rest.chars().count() >= OTHER))
    };
    let is_russian = links.contains(&"о");
    let first = if is_russian {
        // Without a linking vowel it would be another word of the same root.
        ["о", "е"].iter().any(|link| {
            word.text
                .strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix(link))
                .is_some_and(|rest| rest.chars().count() >= OTHER)
        })
    } else {
        word.text.strip_prefix(of.text.as_str()).is_some_and(after)
    };
    let last = !is_russian
        && word.text.len() > of.text.len() + 2
        && GERMAN.iter().any(|ending| {
            let ending = if ending == "-" { "" } else { ending };
            word.text
                .strip_suffix(ending)
                .is_some_and(|rest| rest.ends_with(&of.text) && rest.len() >= of.text.len() + 3)
        });
    first || last
}

fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}')
}

fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{5ff}')
}

/// Articles, prepositions and conjunctions that are written together with the word after them.
static ARABIC_PREFIXES: WordList = WordList::new("ال و ف ب ل ك وال فال بال كال لل ولل وب ول");
static HEBREW_PREFIXES: WordList = WordList::new("ה ו ב ל מ ש כ וה וב ול ומ וש וכ שה מה בה כש שב של");

/// Whether a word is the one that is looked for with such prefixes.
fn is_prefixed(of: &Piece, word: &Piece, prefixes: &WordList) -> bool {
    let is_article = |prefix: &&str| prefix.chars().count() > 1;
    let bare = prefixes
        .iter()
        .filter(is_article)
        .find_map(|prefix| of.text.strip_prefix(prefix).filter(|bare| bare.chars().count() > 2));
    [Some(of.text.as_str()), bare].into_iter().flatten().any(|stem| {
        let before = word.text.strip_suffix(stem);
        before.is_some_and(|before| before.is_empty() || prefixes.contains(before))
    })
}

/// Korean particles and forms of address, up to two of them.
fn is_korean_ending(rest: &str) -> bool {
    const ENDINGS: &str = "은 는 이 가 을 를 의 에 에서 에게 에게서 께 께서 와 과 도 만 로 으로 한테 한테서 씨 님 랑 이랑 하고 야 아 부터 까지 보다 \
         처럼 라고 이라고 라는 이라는 네 들 마다 조차 밖에 이나 나 인 이다 입니다 이에요 예요 였 이었 군 양";
    let endings = || ENDINGS.split_whitespace();
    endings().any(|first| {
        rest.strip_prefix(first).is_some_and(|rest| rest.is_empty() || endings().any(|second| second == rest))
    })
}

#[cfg(test)]
mod tests {
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
            let found = is_form(&pieces(of)[0], &pieces(word)[0], &[language]);
            assert_eq!(found, expected, "{of} and {word}");
        }
    }

    #[test]
    fn j2_the_language_is_told_by_the_small_words() {
        let of = |text: &str| languages(text, &pieces(text));
        assert_eq!(of("ich war mit dem Hund im Park"), [German]);
        assert_eq!(of("the dog and the cat were there"), [English]);
        assert_eq!((of("Rex"), of("“Rex”")), (vec![English], LATIN.to_vec()));
    }
}
