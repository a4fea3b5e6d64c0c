//! Numbers in words: "twelve hundred" is 1200, "zweihundertfünfzig" is 250, "quatre-vingts" is 80, 三千 is 3000.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::language::Language::{
    self, Dutch, English, French, German, Italian, Polish, Portuguese, Russian, Spanish, Swedish, Turkish,
};
use super::pieces::{Class, Piece};

/// The words of each language with their values, folded. A value of 0 joins two others.
const WORDS: [(Language, &str); 11] = [
    (
        English,
        "and 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13 fourteen \
         14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy \
         70 eighty 80 ninety 90 hundred 100 thousand 1000 million 1000000 millions 1000000 billion \
         1000000000 billions 1000000000 grand 1000",
    ),
    (
        German,
        "und 0 ein 1 eins 1 zwei 2 drei 3 vier 4 funf 5 sechs 6 sieben 7 acht 8 neun 9 zehn 10 elf 11 zwolf 12 dreizehn 13 \
         vierzehn 14 funfzehn 15 sechzehn 16 siebzehn 17 achtzehn 18 neunzehn 19 zwanzig 20 dreissig 30 vierzig 40 funfzig 50 \
         sechzig 60 siebzig 70 achtzig 80 neunzig 90 hundert 100 tausend 1000 million 1000000 millionen \
         1000000 milliarde 1000000000 milliarden 1000000000",
    ),
    (
        French,
        "et 0 milliard 1000000000 milliards 1000000000 deux 2 trois 3 quatre 4 cinq 5 six 6 sept 7 huit 8 neuf 9 dix 10 onze 11 douze 12 treize 13 quatorze 14 quinze \
         15 seize 16 vingt 20 vingts 20 trente 30 quarante 40 cinquante 50 soixante 60 septante 70 huitante 80 nonante 90 cent \
         100 cents 100 mille 1000 million 1000000 millions 1000000",
    ),
    (
        Spanish,
        "y 0 dos 2 tres 3 cuatro 4 cinco 5 seis 6 siete 7 ocho 8 nueve 9 diez 10 once 11 doce 12 trece 13 catorce 14 quince \
         15 dieciseis 16 diecisiete 17 dieciocho 18 diecinueve 19 veinte 20 veintiuno 21 veintidos 22 veintitres 23 \
         veinticuatro 24 veinticinco 25 veintiseis 26 veintisiete 27 veintiocho 28 veintinueve 29 treinta 30 cuarenta 40 \
         cincuenta 50 sesenta 60 setenta 70 ochenta 80 noventa 90 cien 100 ciento 100 doscientos 200 trescientos 300 \
         cuatrocientos 400 quinientos 500 seiscientos 600 setecientos 700 ochocientos 800 novecientos 900 mil 1000 millon \
         1000000 millones 1000000",
    ),
    (
        Italian,
        "e 0 miliardo 1000000000 miliardi 1000000000 due 2 tre 3 quattro 4 cinque 5 sei 6 sette 7 otto 8 nove 9 dieci 10 undici 11 dodici 12 tredici 13 quattordici \
         14 quindici 15 sedici 16 diciassette 17 diciotto 18 diciannove 19 venti 20 trenta 30 quaranta 40 cinquanta 50 \
         sessanta 60 settanta 70 ottanta 80 novanta 90 cento 100 mille 1000 mila 1000 milione 1000000 milioni 1000000",
    ),
    (
        Portuguese,
        "e 0 bilhao 1000000000 bilhoes 1000000000 dois 2 duas 2 tres 3 quatro 4 cinco 5 seis 6 sete 7 oito 8 nove 9 dez 10 onze 11 doze 12 treze 13 quatorze 14 \
         catorze 14 quinze 15 dezesseis 16 dezessete 17 dezoito 18 dezenove 19 vinte 20 trinta 30 quarenta 40 cinquenta 50 \
         sessenta 60 setenta 70 oitenta 80 noventa 90 cem 100 cento 100 duzentos 200 trezentos 300 quatrocentos 400 quinhentos \
         500 seiscentos 600 setecentos 700 oitocentos 800 novecentos 900 mil 1000 milhao 1000000 milhoes 1000000",
    ),
    (
        Dutch,
        "en 0 twee 2 drie 3 vier 4 vijf 5 zes 6 zeven 7 acht 8 negen 9 tien 10 elf 11 twaalf 12 dertien 13 veertien 14 \
         vijftien 15 zestien 16 zeventien 17 achttien 18 negentien 19 twintig 20 dertig 30 veertig 40 vijftig 50 zestig 60 \
         zeventig 70 tachtig 80 negentig 90 honderd 100 duizend 1000 miljoen 1000000 miljard \
         1000000000",
    ),
    (
        Swedish,
        "och 0 tva 2 tre 3 fyra 4 fem 5 sex 6 sju 7 atta 8 nio 9 tio 10 elva 11 tolv 12 tretton 13 fjorton 14 femton 15 sexton \
         16 sjutton 17 arton 18 nitton 19 tjugo 20 trettio 30 fyrtio 40 femtio 50 sextio 60 sjuttio 70 attio 80 nittio 90 \
         hundra 100 tusen 1000 miljon 1000000 miljoner 1000000 miljard 1000000000 \
         miljarder 1000000000",
    ),
    (
        Polish,
        "dwa 2 dwie 2 trzy 3 cztery 4 piec 5 szesc 6 siedem 7 osiem 8 dziewiec 9 dziesiec 10 jedenascie 11 dwanascie 12 \
         trzynascie 13 czternascie 14 pietnascie 15 szesnascie 16 siedemnascie 17 osiemnascie 18 dziewietnascie 19 dwadziescia \
         20 trzydziesci 30 czterdziesci 40 piecdziesiat 50 szescdziesiat 60 siedemdziesiat 70 osiemdziesiat 80 dziewiecdziesiat \
         90 sto 100 dwiescie 200 trzysta 300 czterysta 400 piecset 500 szescset 600 siedemset 700 osiemset 800 dziewiecset 900 \
         tysiac 1000 tysiace 1000 tysiecy 1000 milion 1000000 miliony 1000000 milionow 1000000 miliard \
         1000000000 miliardy 1000000000 miliardow 1000000000",
    ),
    (
        Turkish,
        "iki 2 uc 3 dort 4 bes 5 alti 6 yedi 7 sekiz 8 dokuz 9 on 10 yirmi 20 otuz 30 kirk 40 elli 50 altmis 60 yetmis 70 \
         seksen 80 doksan 90 yuz 100 bin 1000 milyon 1000000 milyar 1000000000",
    ),
    (
        Russian,
        "два 2 две 2 три 3 четыре 4 пять 5 шесть 6 семь 7 восемь 8 девять 9 десять 10 одиннадцать 11 двенадцать 12 тринадцать \
         13 четырнадцать 14 пятнадцать 15 шестнадцать 16 семнадцать 17 восемнадцать 18 девятнадцать 19 двадцать 20 тридцать 30 \
         сорок 40 пятьдесят 50 шестьдесят 60 семьдесят 70 восемьдесят 80 девяносто 90 сто 100 двести 200 триста 300 четыреста \
         400 пятьсот 500 шестьсот 600 семьсот 700 восемьсот 800 девятьсот 900 тысяча 1000 тысячи 1000 тысяч 1000 тысячу 1000 \
         миллион 1000000 миллиона 1000000 миллионов 1000000 миллиард 1000000000 миллиарда 1000000000 миллиардов \
         1000000000",
    ),
];

/// What follows digits and multiplies them: "85k", "2.5 million", 3万.
const SCALES: &str = "k 3 тыс 3 tys 3 tsd 3 m 6 mio 6 mln 6 mn 6 млн 6 b 9 bn 9 mrd 9 mld 9 млрд 9 千 3 万 4 萬 4 亿 8 億 8 만 4 억 8";

type Table = Vec<(Language, HashMap<&'static str, u64>)>;

fn read_table(list: &'static str) -> HashMap<&'static str, u64> {
    let mut words = list.split_whitespace();
    std::iter::from_fn(move || Some((words.next()?, words.next()?.parse().ok()?))).collect()
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| WORDS.into_iter().map(|(language, list)| (language, read_table(list))).collect());
static ZEROS: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| read_table(SCALES));

/// How many zeros a word after digits adds.
pub(super) fn zeros(piece: &Piece) -> Option<usize> {
    let scale = |(_, words): &(Language, HashMap<&str, u64>)| {
        let value = words.get(piece.text.as_str()).copied().filter(|value| *value >= 1000)?;
        usize::try_from(value.ilog10()).ok()
    };
    let short = ZEROS.get(piece.text.as_str()).and_then(|zeros| usize::try_from(*zeros).ok());
    short.or_else(|| TABLE.iter().find_map(scale))
}

/// Ordinals of the days of a month, by language: the forms that stand beside a month.
const ORDINALS: [(Language, &str); 11] = [
    (
        English,
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth \
         sixteenth seventeenth eighteenth nineteenth twentieth",
    ),
    (
        German,
        "ersten zweiten dritten vierten funften sechsten siebten achten neunten zehnten elften zwolften dreizehnten vierzehnten \
         funfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten einundzwanzigsten zweiundzwanzigsten \
         dreiundzwanzigsten vierundzwanzigsten funfundzwanzigsten sechsundzwanzigsten siebenundzwanzigsten \
         achtundzwanzigsten neunundzwanzigsten dreissigsten einunddreissigsten",
    ),
    (
        German,
        "erster zweiter dritter vierter funfter sechster siebter achter neunter zehnter elfter zwolfter dreizehnter vierzehnter \
         funfzehnter sechzehnter siebzehnter achtzehnter neunzehnter zwanzigster",
    ),
    (
        Russian,
        "первого второго третьего четвертого пятого шестого седьмого восьмого девятого десятого одиннадцатого двенадцатого \
         тринадцатого четырнадцатого пятнадцатого шестнадцатого семнадцатого восемнадцатого девятнадцатого двадцатого",
    ),
    (Russian, "першого другого третього четвертого"),
    (
        Polish,
        "pierwszego drugiego trzeciego czwartego piatego szostego siodmego osmego dziewiatego dziesiatego jedenastego dwunastego \
         trzynastego czternastego pietnastego szesnastego siedemnastego osiemnastego dziewietnastego dwudziestego",
    ),
    (French, "premier"),
    (Spanish, "primero"),
    (Italian, "primo"),
    (Portuguese, "primeiro"),
    (
        Dutch,
        "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde dertiende veertiende vijftiende \
         zestiende zeventiende achttiende negentiende twintigste eenentwintigste tweeentwintigste drieentwintigste \
         vierentwintigste vijfentwintigste zesentwintigste zevenentwintigste achtentwintigste negenentwintigste dertigste \
         eenendertigste",
    ),
];

/// Words for tens before an ordinal of one digit, and the ordinals of tens above twenty.
const TENS: &str = "twenty 20 thirty 30 двадцать 20 тридцать 30 dwudziestego 20 trzydziestego 30";
const WHOLE_TENS: &str = "thirtieth 30 тридцатого 30 trzydziestego 30";

/// The English ordinal up to thirty-nine that begins at a piece, and the piece after it.
pub(super) fn ordinal(pieces: &[Piece], at: usize) -> Option<(u64, usize)> {
    ordinal_in(pieces, at, &[English])
}

/// The same in every language whose ordinals are known.
pub(super) fn any_ordinal(pieces: &[Piece], at: usize) -> Option<(u64, usize)> {
    ordinal_in(pieces, at, &all_languages())
}

fn ordinal_in(pieces: &[Piece], at: usize, languages: &[Language]) -> Option<(u64, usize)> {
    static TENS_BY_WORD: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| read_table(TENS));
    static WHOLE: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| read_table(WHOLE_TENS));
    static PLACES: LazyLock<HashMap<&'static str, (Language, u64)>> = LazyLock::new(|| {
        let of = |(language, list): (Language, &'static str)| {
            list.split_whitespace().zip(1..).map(move |(word, value)| (word, (language, value)))
        };
        ORDINALS.into_iter().flat_map(of).collect()
    });
    let place = |at: usize| {
        let piece = pieces.get(at).filter(|piece| piece.class == Class::Word)?;
        PLACES.get(piece.text.as_str()).filter(|(language, _)| languages.contains(language))
    };
    let text = pieces.get(at)?.text.as_str();
    let near = pieces.get(at + 1).is_some_and(|next| matches!(next.gap.as_str(), " " | "-" | "‑"));
    if let (Some(tens), Some((_, ones)), true) = (TENS_BY_WORD.get(text), place(at + 1), near)
        && *ones < 10
    {
        return Some((tens + ones, at + 2));
    }
    let whole = || WHOLE.get(text).filter(|_| languages.len() > 1 || text.is_ascii());
    place(at).map(|(_, value)| *value).or_else(|| whole().copied()).map(|value| (value, at + 1))
}

/// The languages that numbers are read in.
pub(super) fn all_languages() -> Vec<Language> {
    WORDS.iter().map(|(language, _)| *language).collect()
}

/// Returns true if a piece is a word for a number in one of the languages.
pub(super) fn is_number(piece: &Piece, languages: &[Language]) -> bool {
    languages
        .iter()
        .any(|language| split(piece, *language).is_some_and(|all| all.iter().any(|value| *value > 0)))
}

/// The number that begins at a piece, its language, and the piece after it.
pub(super) fn read(
    pieces: &[Piece],
    at: usize,
    languages: &[Language],
) -> Option<(u64, Option<Language>, usize)> {
    match pieces.get(at)?.class {
        Class::Han => in_han(pieces, at).map(|(value, next)| (value, None, next)),
        Class::Word => languages.iter().find_map(|language| {
            read_in(pieces, at, *language).map(|(value, next)| (value, Some(*language), next))
        }),
        _ => None,
    }
}

/// Digits that are said one by one, at least three of them: "four seven one one". Returns also the piece after them.
pub(super) fn digit_by_digit(pieces: &[Piece], at: usize, languages: &[Language]) -> Option<(String, usize)> {
    const FEWEST: usize = 3;
    /// As many as an account number has.
    const MOST: usize = 34;
    const ZERO: [&str; 9] = ["zero", "oh", "null", "cero", "nul", "noll", "sifir", "ноль", "нуль"];
    let in_language = |language: &Language| {
        let mut told = String::new();
        for (n, piece) in pieces.iter().enumerate().skip(at).take(MOST) {
            let is_near = n == at || matches!(piece.gap.as_str(), " " | "-" | ", ");
            let digit = match split(piece, *language).as_deref() {
                Some([value @ 1..10]) => {
                    u32::try_from(*value).ok().and_then(|value| char::from_digit(value, 10))
                }
                _ if ZERO.contains(&piece.text.as_str()) => Some('0'),
                _ => None,
            };
            let Some(digit) = digit.filter(|_| is_near) else { break };
            told.push(digit);
        }
        let count = told.len();
        (count >= FEWEST).then_some((told, at + count))
    };
    languages.iter().find_map(in_language)
}

/// A Roman number from two to thirty-nine in capitals.
pub(super) fn roman(piece: &Piece) -> Option<u64> {
    if !piece.is_upper || piece.class != Class::Word {
        return None;
    }
    let tens = piece.text.chars().take_while(|c| *c == 'x').count();
    let ones: String = piece.text.chars().skip(tens).collect();
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let ones = ONES.iter().position(|one| *one == ones)?;
    u64::try_from(10 * tens + ones).ok().filter(|value| tens < 4 && *value > 1)
}

fn read_in(pieces: &[Piece], at: usize, language: Language) -> Option<(u64, usize)> {
    let mut sum = Sum { language, ..Sum::default() };
    let mut end = None;
    for (n, piece) in pieces.iter().enumerate().skip(at) {
        let is_near = n == at || matches!(piece.gap.as_str(), " " | "-" | "‐" | "‑" | "\u{a0}" | "");
        let Some(values) = split(piece, language).filter(|_| is_near) else { break };
        if !values.iter().all(|value| sum.take(*value)) {
            break;
        }
        // A number does not end with what joins.
        if !sum.joins {
            end = Some((sum.total + sum.part, n + 1));
        }
    }
    end.filter(|(value, _)| *value > 0)
}

/// The values of the words that a piece consists of; German, Dutch, Italian and Swedish write them together.
fn split(piece: &Piece, language: Language) -> Option<Vec<u64>> {
    let (_, words) = TABLE.iter().find(|(known, _)| *known == language)?;
    let whole = words.get(piece.text.as_str()).copied();
    // "ein" is an article unless more follows in the same word.
    if let Some(value) = whole.filter(|_| piece.text != "ein") {
        return Some(vec![value]);
    }
    let is_glued = matches!(language, German | Dutch | Italian | Swedish) && piece.len() > 5;
    let (mut rest, mut values) = (piece.text.as_str(), Vec::new());
    while is_glued && !rest.is_empty() {
        let longest =
            words.iter().filter(|(word, _)| rest.starts_with(**word)).max_by_key(|(word, _)| word.len());
        let (word, value) = longest?;
        values.push(*value);
        rest = rest.strip_prefix(word)?;
    }
    (!values.is_empty()).then_some(values)
}

/// A number of which some words were read.
#[derive(Default)]
struct Sum {
    language: Language,
    total: u64,
    /// What the next thousand or million multiplies.
    part: u64,
    joins: bool,
}

impl Sum {
    /// Adds the value of the next word, if it can follow.
    fn take(&mut self, value: u64) -> bool {
        let joined = std::mem::replace(&mut self.joins, value == 0);
        let ones = self.part % 100;
        match value {
            0 => return self.part + self.total > 0,
            1..100 => {
                let is_french = self.language == French;
                let fits = ones == 0
                    || ones >= 20 && ones.is_multiple_of(10) && value < 10
                    || is_french && matches!(ones, 60 | 80) && value < 20
                    || joined
                        && matches!(self.language, German | Dutch)
                        && ones < 10
                        && value.is_multiple_of(10);
                match fits {
                    true => self.part += value,
                    false if is_french && ones == 4 && value == 20 => self.part += 76,
                    false => return false,
                }
            }
            100 if self.part == 0 => self.part = 100,
            100 if self.part < 100 => self.part *= 100,
            101..1000 if self.part == 0 => self.part = value,
            1000.. if self.part < 1000 => {
                self.total = self.total.saturating_add(self.part.max(1) * value);
                self.part = 0;
            }
            _ => return false,
        }
        true
    }
}

/// 三千 and 五万: one Chinese character after the other.
pub(super) fn in_han(pieces: &[Piece], at: usize) -> Option<(u64, usize)> {
    const ONES: &str = "〇一二三四五六七八九";
    let (mut total, mut part, mut digit) = (0u64, 0u64, 0u64);
    let mut next = at;
    while let Some(piece) = pieces.get(next)
        && (next == at || piece.gap.is_empty())
        && let Some(c) = piece.text.chars().next().filter(|_| piece.class == Class::Han)
    {
        let scale = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' | '萬' => 10_000,
            '亿' | '億' => 100_000_000,
            '零' => 0,
            '两' | '兩' => {
                digit = 2;
                1
            }
            _ => match ONES.chars().position(|one| one == c).and_then(|value| u64::try_from(value).ok()) {
                Some(value) => {
                    digit = value;
                    1
                }
                None => break,
            },
        };
        match scale {
            0 | 1 => {}
            10..10_000 => {
                part += digit.max(1) * scale;
                digit = 0;
            }
            _ => {
                total += (part + digit).max(1) * scale;
                (part, digit) = (0, 0);
            }
        }
        next += 1;
    }
    let value = total + part + digit;
    (value > 0).then_some((value, next))
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;

    #[test]
    fn j2_numbers_in_words_are_read_as_they_are_said() {
        for (language, words, expected) in [
            (English, "twelve hundred", Some(1200)),
            (English, "one thousand two hundred and five", Some(1205)),
            (English, "eighty-five thousand", Some(85_000)),
            (English, "two three", Some(2)),
            (English, "and so on", None),
            (German, "zweihundertfünfzig", Some(250)),
            (German, "einundzwanzig", Some(21)),
            (German, "ein Haus", None),
            (French, "quatre-vingts", Some(80)),
            (French, "soixante-quinze", Some(75)),
            (French, "quatre-vingt-dix-sept", Some(97)),
            (Spanish, "treinta y dos mil", Some(32_000)),
            (Italian, "trecento", Some(300)),
            (Dutch, "vijfenveertig", Some(45)),
            (Russian, "пять тысяч двести", Some(5200)),
            (English, "三千五百", Some(3500)),
            (English, "五万", Some(50_000)),
        ] {
            let found = read(&pieces(words), 0, &[language]).map(|(value, ..)| value);
            assert_eq!(found, expected, "{words}");
        }
    }
}
