//! The topic of a request to forget, and where a text holds it.

use std::ops::Range;

use super::clock::Time;
use super::days::Day;
use super::families::short_names;
use super::han;
use super::hay::{Hay, NET, written};
use super::inflection::{Sought, is_form};
use super::language::{Evidence, is_function_word, is_small};
use super::names::{Usage, is_also_word, is_before_place};
use super::number_words;
use super::numbers::{Amount, Code};
use super::pieces::{Class, Piece, pieces};
use super::script;
use super::value::{content, held};
use super::verbs;
use crate::cjk;
use crate::word_list::WordList;

/// What is to be forgotten.
#[derive(Debug, Clone)]
pub struct Topic {
    /// What must follow each other in a text that holds the topic.
    items: Vec<Item>,
    /// A postal address in its other orders.
    others: Vec<Vec<Item>>,
    codes: Vec<Code>,
    has_emoji: bool,
    crosses_commas: bool,
    /// A hashtag, which is written as one word.
    is_tag: bool,
    /// An address of the net with its marks; a longer one does not hold it.
    address: Option<String>,
    /// What its chat tells about it, if it may be a name.
    usage: Usage,
    /// The languages of its chat.
    chat: Evidence,
    /// Its telling words, for what is only near to it.
    words: Vec<String>,
}

#[derive(Debug, Clone)]
enum Item {
    Word(Box<Sought>),
    Amount(Amount),
    /// A number in several groups, such as 48-2210.
    Code(Code),
    Days(Vec<Day>),
    Time(Time),
}

/// Words before a topic that do not belong to it.
static LEADING: WordList = WordList::new(
    "a an the my our your his her their its about mein meine meinen meinem meiner meines unser unsere mon ma mes notre nos mi mis \
     nuestro nuestra meu minha meus minhas mio mia miei mie moj moja moje mojej mojego moim benim bizim мой моя мое мои моего моей мою моему наш наша наше",
);

/// Articles and possessives of other languages before a topic, unless they begin a name such as Las Vegas.
static ARTICLES: WordList = WordList::new(
    "el la los las un una le les une des il lo gli uno de het een mijn min mitt mina ο η το οι τα τον την του της",
);
/// The articles of German, which writes the noun after them with a capital.
static GERMAN_ARTICLES: WordList = WordList::new("der die das den dem des ein eine einen einem einer eines");
/// Articles that are single letters, which stand before a possessive: o meu irmão, i miei amici.
static BEFORE_POSSESSIVES: WordList = WordList::new("o os as i");
/// Names of places that begin with an article.
static AFTER_ARTICLES: WordList = WordList::new(
    "angeles vegas palmas cruces cabos paso paz plata coruna rioja salvador alamein mans havre rochelle spezia valletta haag \
     niro gaulle boer vries jong la los",
);

/// Articles and possessives that do not count between the words of a topic.
static BETWEEN: WordList = WordList::new(
    "the a an my your our his her their el la los las le les il lo gli der die das den dem des ein eine einen einem einer mein \
     meine meinem meinen meiner dein deine deinem deinen deiner het een mi tu su mis tus sus mon ma mes ton ta tes",
);
/// The same in a topic; a single letter may tell something there, as in "hepatitis A".
static NOT_COUNTED: WordList = WordList::new("the my your our his her their mein meine meinem meinen meiner");

/// Maximum length of a topic, in bytes.
const LONGEST_TOPIC: usize = 4 * 1024;

/// Most pieces that are read as one word if no space is between them.
const GLUED: usize = 8;
/// Fewest letters of a word, and of each of its parts, that is also found as several words.
const SEVERED: (usize, usize) = (6, 3);

impl Topic {
    /// The topic that a person wrote. A text that is far too long for one is found nowhere.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut all = pieces(if text.len() > LONGEST_TOPIC { "" } else { text });
        let has_emoji = all.iter().any(|piece| piece.class == Class::Emoji);
        if !has_emoji {
            all = without_emoji(all);
        }
        all.retain(|piece| !piece.is_ending);
        let is_address = !text.trim().contains(char::is_whitespace)
            && all.iter().filter(|piece| piece.class == Class::Word).count() > 1
            && all.iter().any(|piece| matches!(piece.gap.as_str(), "@" | "." | "://"));
        let leads = |at: usize, piece: &Piece| {
            LEADING.contains(&piece.text)
                || is_address && NET.contains(&piece.text)
                || all.get(at + 1).is_some_and(|next| is_article(piece, next))
        };
        // The A of A1B2 is no article.
        let is_apart = |next: Option<&Piece>| next.is_none_or(|next| is_address || !next.gap.is_empty());
        let leading = (0..all.len())
            .take_while(|at| all.get(*at).is_some_and(|piece| leads(*at, piece)) && is_apart(all.get(at + 1)))
            .count();
        if leading < all.len() {
            all.drain(..leading);
        }
        let last = all.len().saturating_sub(1);
        let is_counted = |at: usize, piece: &Piece| {
            at == 0 || at == last || is_address || piece.is_capital || !NOT_COUNTED.contains(&piece.text)
        };
        let mut at = 0;
        all.retain(|piece| {
            at += 1;
            is_counted(at - 1, piece)
        });
        // A comma between plain words makes a list of them; in an address it does not.
        let crosses_commas = all.len() > 1 && all.iter().any(|piece| piece.class == Class::Digits)
            || all.iter().any(|piece| piece.gap.contains([',', '，', '、']));
        let items = items(&all);
        let first = match items.as_slice() {
            [Item::Word(word)] => Some(&word.written),
            _ => None,
        };
        // The capital of a name such as Al or Will is all that tells it from the small word.
        let is_capital_small = |name: &Piece| name.is_capital && !name.is_upper && is_small(&name.text);
        let usage = Usage {
            is_name: first.is_some_and(is_capital_small),
            is_word: first.is_some_and(|name| is_capital_small(name) || is_also_word(name)),
            is_place: false,
        };
        Self {
            others: [turned(&items), without_street(&items)]
                .into_iter()
                .filter(|items| !items.is_empty())
                .collect(),
            codes: if is_address { Vec::new() } else { Code::all(&all) },
            items,
            has_emoji,
            crosses_commas,
            is_tag: text.trim().starts_with('#'),
            address: is_address.then(|| written(&all)),
            usage,
            chat: Evidence::default(),
            words: content(text).into_iter().collect(),
        }
    }

    /// Returns true if it has no word that tells a subject, so that it would match everywhere or nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(|item| match item {
            Item::Word(word) => {
                let piece = &word.written;
                is_function_word(piece)
                    || piece.class == Class::Word && piece.len() < 2
                    || piece.class == Class::Sign
            }
            Item::Amount(_) | Item::Code(_) | Item::Days(_) | Item::Time(_) => false,
        })
    }

    /// The words of a topic that tell its subject.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The places at which a text holds the whole topic: its words one after the other, in any form, or the same number,
    /// amount or day in any notation.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let hay = self.hay(text);
        self.places(&hay, self.usage).into_iter().filter_map(|(start, end)| hay.range(start, end)).collect()
    }

    /// Returns true if it may be a name that is also a word, such as Mark or Silent Spring: words with capitals.
    #[must_use]
    pub fn may_be_name(&self) -> bool {
        let is_name = |item: &Item| matches!(item, Item::Word(word) if word.written.is_capital && !word.written.is_upper);
        !self.items.is_empty() && self.items.iter().all(is_name)
    }

    /// Returns true if further messages would tell nothing more about how it is written.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.usage.is_name || !self.may_be_name()
    }

    /// Learns from a message of the chat how it is written there: in which language, and whether as a name.
    pub fn learn(&mut self, text: &str) {
        let hay = self.hay(text);
        self.chat.join(&hay.evidence);
        if !self.may_be_name() || !hay.has_capitals {
            return;
        }
        for (start, end) in self.places(&hay, Usage::default()) {
            let mut words =
                hay.pieces.get(start..end).unwrap_or_default().iter().filter(|piece| !piece.is_ending);
            let is_named = words.all(|word| word.is_capital && !word.is_upper);
            let begins = hay.begins_sentence(start);
            let before = start.checked_sub(1).and_then(|at| hay.pieces.get(at));
            let is_one = self.items.len() == 1;
            if is_named && !begins && hay.has_plain_words() {
                self.usage.is_name = true;
                self.usage.is_place |= is_one && before.is_some_and(is_before_place);
            }
            self.usage.is_word |= is_one && !is_named && !hay.is_in_identifier(start, end);
        }
    }

    fn hay<'a>(&self, text: &'a str) -> Hay<'a> {
        let all = pieces(text);
        Hay::new(text, if self.has_emoji { all } else { without_emoji(all) }, &self.chat)
    }

    /// The first piece of each place that holds the topic, and the piece after it.
    fn places(&self, hay: &Hay<'_>, usage: Usage) -> Vec<(usize, usize)> {
        let at = |start: usize| Some((start, self.at(hay, start, usage)?));
        (0..hay.pieces.len()).filter_map(at).collect()
    }

    /// Returns true if a text holds the whole topic.
    #[must_use]
    pub fn covers(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Returns true if a text has all telling words of the topic, in any order.
    #[must_use]
    pub fn is_told(&self, text: &str) -> bool {
        let held = held(text);
        !self.words.is_empty() && self.words.iter().all(|word| held.contains(word))
    }

    /// The share of the topic's words that a text holds, 0 to 1. A word of the same family counts half: it is worth
    /// asking about, never enough to act on.
    #[must_use]
    pub fn touches(&self, text: &str) -> f32 {
        if self.words.is_empty() {
            return 0.0;
        }
        let held = held(text);
        let shares = self.words.iter().map(|word| {
            if held.contains(word) {
                1.0
            } else if held.iter().any(|other| are_akin(word, other)) {
                0.5
            } else {
                0.0
            }
        });
        shares.sum::<f32>() / self.words.len() as f32
    }

    /// The piece after the topic, if it begins at a piece.
    fn at(&self, hay: &Hay<'_>, start: usize, usage: Usage) -> Option<usize> {
        let code = self.codes.iter().find_map(|code| code.read(&hay.pieces, start));
        code.or_else(|| {
            let search = |items| Search {
                items,
                crosses_commas: self.crosses_commas,
                is_tag: self.is_tag,
                is_address: self.address.is_some(),
                usage,
                hay,
                start,
            };
            let end = search(&self.items)
                .follow(0, start)
                .or_else(|| self.others.iter().find_map(|items| search(items).follow(0, start)))?;
            let is_name = self.items.first().is_some_and(Item::is_capital);
            let is_whole = (self.items.len() > 1 || hay.is_whole(start, end))
                && hay.is_apart_in_east_asian(start, end)
                && (!is_name || hay.is_used_as_name(start, end, usage))
                && self.address.as_ref().is_none_or(|address| hay.is_whole_address(start, end, address));
            is_whole.then_some(end)
        })
    }
}

/// One search of a text for the items of a topic.
struct Search<'a> {
    items: &'a [Item],
    crosses_commas: bool,
    is_tag: bool,
    is_address: bool,
    usage: Usage,
    hay: &'a Hay<'a>,
    /// The piece at which it begins.
    start: usize,
}

impl Search<'_> {
    /// The piece after the topic's items from one on, if they follow from a piece on.
    fn follow(&self, item: usize, at: usize) -> Option<usize> {
        let Some(wanted) = self.items.get(item) else { return Some(at) };
        let piece = self.hay.pieces.get(at)?;
        if item > 0 {
            let is_number = matches!(wanted, Item::Amount(_) | Item::Code(_));
            let is_inside = self.is_address && !piece.gap.contains(char::is_whitespace);
            if !is_inside
                && self.hay.is_break(at, is_number, self.crosses_commas)
                && !self.is_within_place(wanted, at)
            {
                return None;
            }
            if self.may_be_unwritten(item)
                && !wanted.is_word(&piece.text)
                && let Some(end) = self.follow(item + 1, at)
            {
                return Some(end);
            }
            if let Some(end) = self.follow_past_initial(wanted, item, at) {
                return Some(end);
            }
            if self.is_passed_over(wanted, at) {
                return self.follow(item, at + 1);
            }
        }
        let after = match wanted {
            Item::Days(days) => {
                let pieces = &self.hay.pieces;
                let (found, after) = Day::read(pieces, at).or_else(|| Day::without_year(pieces, at))?;
                days.iter().any(|day| found.iter().any(|other| day.is(*other))).then_some(after)?
            }
            Item::Time(time) => {
                let (found, after) = Time::read(&self.hay.pieces, at)?;
                time.is(found).then_some(after)?
            }
            Item::Amount(amount) => self.past_amount(amount, item, at)?,
            Item::Code(code) => code.read(&self.hay.pieces, at)?,
            Item::Word(word) => return self.follow_word(item, word, at),
        };
        debug_assert!(after > at, "{}", piece.text);
        self.follow(item + 1, after)
    }

    fn past_amount(&self, amount: &Amount, item: usize, at: usize) -> Option<usize> {
        let mut languages = self.hay.languages.clone();
        languages.extend(amount.language);
        let (found, after) = Amount::read(&self.hay.pieces, at, &languages)?;
        let is_part = if found.is_in_words {
            let before = at.checked_sub(1).and_then(|at| self.hay.pieces.get(at));
            before.is_some_and(|before| {
                before.class == Class::Digits || number_words::is_number(before, &languages)
            })
        } else {
            self.hay.is_part_of_number(at, after, item == 0, item + 1 == self.items.len())
        };
        // One small number alone may be told by any word.
        let is_told = !found.is_in_words || self.items.len() > 1 || amount.is_telling() || after > at + 1;
        (is_told && !is_part && amount.is(&found)).then_some(after)
    }

    /// Returns true if a comma stands between a town and its state or country: Portland, Oregon.
    fn is_within_place(&self, wanted: &Item, at: usize) -> bool {
        let piece = |at: Option<usize>| at.and_then(|at| self.hay.pieces.get(at));
        let (Some(next), Some(before)) = (piece(Some(at)), piece(at.checked_sub(1))) else { return false };
        let are_names = next.gap == ", " && wanted.is_capital() && next.is_capital && before.is_capital;
        are_names
            && (next.is_upper
                || next.len() == 1
                || piece(self.start.checked_sub(1)).is_some_and(is_before_place))
    }

    /// Returns true if an item is one of the kana after a Chinese character that many leave out before the next:
    /// 打ち合わせ, 打合せ.
    fn may_be_unwritten(&self, item: usize) -> bool {
        let first = |item: &Item| match item {
            Item::Word(word) if word.written.class == Class::Han => word.written.text.chars().next(),
            _ => None,
        };
        let is_kana =
            |item: &Item| first(item).is_some_and(|c| "いきしちりみぎじびえけせめれげぜべっわ".contains(c));
        let is_han = |item: &Item| first(item).is_some_and(cjk::is_han);
        let is_dropped = self.items.get(item).is_some_and(is_kana)
            && self.items.get(item - 1).is_some_and(is_han)
            && self.items.get(item + 1).is_some_and(|next| is_han(next) || is_kana(next));
        is_dropped && self.items.iter().filter(|item| is_han(item)).count() > 1
    }

    /// The piece after the initials of a name of several words: NYC for New York City.
    fn past_initials(&self, at: usize) -> Option<usize> {
        const FEWEST: usize = 3;
        let piece = self.hay.pieces.get(at).filter(|piece| piece.is_upper)?;
        let initial = |item: &Item| match item {
            Item::Word(word) if word.written.is_capital => word.written.text.chars().next(),
            _ => None,
        };
        let initials: String = self.items.iter().filter_map(initial).collect();
        (piece.len() >= FEWEST && piece.len() == self.items.len() && initials == piece.text).then_some(at + 1)
    }

    /// The piece after the words of which the one that is looked for is the initials: New York City for NYC.
    fn past_spelled_out(&self, word: &Piece, at: usize) -> Option<usize> {
        const FEWEST: usize = 3;
        if !word.is_upper {
            return None;
        }
        let count = word.len();
        let words = self.hay.pieces.get(at..at + count)?;
        let is_next = |(n, (piece, initial)): (usize, (&Piece, char))| {
            piece.is_capital
                && piece.len() > 1
                && piece.text.starts_with(initial)
                && (n == 0 || piece.gap == " ")
        };
        (count >= FEWEST && words.iter().zip(word.text.chars()).enumerate().all(is_next))
            .then_some(at + count)
    }

    /// Returns true if a piece between two words of the topic does not count: an article, an ending, "No." before a
    /// number.
    fn is_passed_over(&self, wanted: &Item, at: usize) -> bool {
        let Some(piece) = self.hay.pieces.get(at) else { return false };
        let is_small = |piece: &Piece| {
            BETWEEN.contains(&piece.text) && !piece.is_capital
                || !matches!(wanted, Item::Word(word) if word.written.len() > 2)
                    && BEFORE_NUMBERS.contains(&piece.text)
        };
        // One is enough: a text of articles alone is not read to its end from each of them.
        let follows_another = at.checked_sub(1).and_then(|at| self.hay.pieces.get(at)).is_some_and(is_small);
        piece.is_ending || is_small(piece) && !follows_another && !wanted.is_word(&piece.text)
    }

    /// After an initial between two names, only the name itself may follow.
    fn follow_past_initial(&self, wanted: &Item, item: usize, at: usize) -> Option<usize> {
        let Item::Word(word) = wanted else { return None };
        let piece = self.hay.pieces.get(at)?;
        let next = self.hay.pieces.get(at + 1)?;
        let is_initial = piece.len() == 1 && piece.is_capital && piece.class == Class::Word;
        let skips = is_initial && wanted.is_capital() && (next.gap.trim() == "." || next.gap == " ");
        if !skips || wanted.is_word(&piece.text) {
            return None;
        }
        self.follow_word(item, word, at + 1)
    }

    fn follow_word(&self, item: usize, word: &Sought, at: usize) -> Option<usize> {
        let hay = self.hay;
        let piece = hay.pieces.get(at)?;
        let mut longer = None;
        for count in 1..=GLUED {
            let glued = match count {
                1 => piece,
                _ => {
                    let longer = longer.get_or_insert_with(|| piece.clone());
                    if !hay.glue(longer, at + count - 1) {
                        break;
                    }
                    &*longer
                }
            };
            let is_foreign_name = count > 1
                || item > 0
                || !script::is_chinese(&word.written, glued)
                || han::is_surname(&glued.text);
            if is_foreign_name
                && word.is(glued, &hay.languages)
                && !self.is_other_word(&word.written, glued, at, at + count)
                && let Some(end) = self.follow(item + 1, at + count)
            {
                return Some(end);
            }
        }
        if let Some(after) = self.past_severed(word, at)
            && let Some(end) = self.follow(item + 1, after)
        {
            return Some(end);
        }
        if let Some(after) = self.past_spelled_out(&word.written, at)
            && let Some(end) = self.follow(item + 1, after)
        {
            return Some(end);
        }
        if item == 0
            && let Some(end) = self.past_initials(at)
        {
            return Some(end);
        }
        // Two words of the topic may be written as one.
        let may_be = match script::are_other(&word.written, piece) {
            true => script::begin_alike(&word.written, piece),
            false => word.written.class == piece.class,
        };
        if self.items.len() == item + 1 || !may_be {
            return None;
        }
        let mut together = word.written.clone();
        let is_letter = |piece: &Piece| piece.class == Class::Word && piece.len() == 1 && piece.is_capital;
        let mut is_initials = is_letter(&together);
        for (count, next) in self.items.iter().enumerate().skip(item + 1).take(GLUED) {
            let Item::Word(next) = next else { break };
            together.text.push_str(&next.written.text);
            is_initials &= is_letter(&next.written);
            together.is_upper = is_initials;
            let is_long = match together.class {
                Class::Han => true,
                Class::Hangul => together.len() > 2,
                _ => together.len() > 4 || is_initials,
            };
            // What is written as one is not much shorter than its parts.
            let is_long = is_long && (piece.class != together.class || piece.len() + 1 >= together.len());
            if is_long
                && is_form(&together, piece, &hay.languages)
                && !self.is_other_word(&together, piece, at, at + 1)
            {
                return self.follow(count + 1, at + 1);
            }
        }
        None
    }

    /// The piece after several words that are together the one that is looked for: "pay pal". A small word does not count as
    /// a part of it, since "the rapist" is no therapist; in a hashtag it does.
    fn past_severed(&self, word: &Sought, at: usize) -> Option<usize> {
        let (whole, part) = SEVERED;
        let wanted = &word.written;
        if wanted.class != Class::Word || wanted.len() < whole {
            return None;
        }
        let mut rest = wanted.text.as_str();
        for (n, piece) in self.hay.pieces.iter().enumerate().skip(at) {
            let is_near = n == at || matches!(piece.gap.as_str(), " " | "-");
            if !is_near || piece.class != Class::Word {
                return None;
            }
            rest = rest.strip_prefix(piece.text.as_str())?;
            if !self.is_tag && (piece.len() < part || is_small(&piece.text)) {
                return None;
            }
            if rest.is_empty() {
                return (n > at).then_some(n + 1);
            }
        }
        None
    }

    /// Returns true if a word that looks like the one that is looked for is another: one without the capital of the
    /// name, or without the accent that its author would write.
    fn is_other_word(&self, of: &Piece, word: &Piece, start: usize, end: usize) -> bool {
        let hay = self.hay;
        // One that somebody writes small may still be the name of several words, unless "a" or "no" stands before it.
        let is_telling = self.items.len() == 1 || hay.is_one_of_many(self.start);
        let lacks_capital = self.usage.is_name
            && is_telling
            && of.is_capital
            && word.class == Class::Word
            && !word.is_capital;
        // "I flew to oslo"
        let is_place = self.usage.is_place
            && !is_also_word(of)
            && start.checked_sub(1).and_then(|at| hay.pieces.get(at)).is_some_and(is_before_place);
        lacks_capital && !is_place && hay.has_capitals && !hay.is_in_identifier(start, end)
            || !hay.may_lack_accent(of, word)
            || hay.is_shouted_word(of)
            || Hay::is_other_sharp(of, word)
            || (self.items.len() == 1 || !of.is_capital) && hay.is_other_umlaut(of, word)
            || self.items.len() == 1 && hay.is_other_singular(of, start)
            || end == start + 1
                && verbs::is_noun(of, word, [1, 2].map(|back| hay.pieces.get(start.checked_sub(back)?)))
    }
}

/// Returns true if a piece is an article before what a topic names, and no part of a name.
fn is_article(piece: &Piece, next: &Piece) -> bool {
    let word = piece.text.as_str();
    if next.gap == "'" {
        return matches!(word, "l" | "s");
    }
    // The pronoun of an infinitive: se marier, sich trennen.
    if matches!(word, "se" | "sich") && next.text.ends_with(['r', 'e', 'n']) {
        return true;
    }
    if next.gap != " " || AFTER_ARTICLES.contains(&next.text) {
        return false;
    }
    let is_plain = !piece.is_capital || !next.is_capital;
    is_plain && ARTICLES.contains(word)
        || !piece.is_capital && next.is_capital && GERMAN_ARTICLES.contains(word)
        || BEFORE_POSSESSIVES.contains(word) && POSSESSIVES.contains(&next.text)
}

static POSSESSIVES: WordList = WordList::new(
    "meu minha meus minhas seu sua seus suas nosso nossa nossos nossas mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro \
     nostra",
);

/// What may stand between a street and the number of the house.
static BEFORE_NUMBERS: WordList = WordList::new("no nr num numero number house haus dom дом д no n nº");

/// Words that name a street, beside those that end with such a word.
static STREETS: WordList = WordList::new(
    "street st road rd avenue ave lane ln drive boulevard blvd square place court rue allee chemin impasse quai calle avenida plaza      paseo via viale piazza corso rua travessa ulica ul aleja улица ул проспект переулок вулиця sokak caddesi",
);
const STREET_ENDINGS: [&str; 13] = [
    "strasse", "str", "weg", "gasse", "allee", "platz", "straat", "laan", "gatan", "vagen", "gata", "vej",
    "gade",
];

/// The items of a postal address with the number of the house at its other end; nothing for other topics.
fn turned(items: &[Item]) -> Vec<Item> {
    let is_street = |item: &Item| match item {
        Item::Word(word) => {
            let name = word.written.text.as_str();
            STREETS.contains(name)
                || name.len() > 6 && STREET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        }
        Item::Amount(_) | Item::Code(_) | Item::Days(_) | Item::Time(_) => false,
    };
    let is_number = |item: Option<&Item>| matches!(item, Some(Item::Amount(amount)) if amount.is_plain());
    let mut turned = items.to_vec();
    if items.len() < 2 || !items.iter().any(is_street) {
        return Vec::new();
    }
    match (is_number(items.first()), is_number(items.last())) {
        (true, false) => turned.rotate_left(1),
        (false, true) => turned.rotate_right(1),
        _ => return Vec::new(),
    }
    turned
}

/// The items of a Polish or Russian address without the word for "street", which is often left out there; nothing for other
/// topics.
fn without_street(items: &[Item]) -> Vec<Item> {
    const WORDS: [&str; 6] = ["ul", "ulica", "ул", "улица", "вул", "вулиця"];
    match items {
        [first, name @ Item::Word(_), rest @ ..]
            if WORDS.iter().any(|word| first.is_word(word))
                && matches!(rest.last(), Some(Item::Amount(amount)) if amount.is_plain()) =>
        {
            std::iter::once(name).chain(rest).cloned().collect()
        }
        _ => Vec::new(),
    }
}

impl Item {
    fn is_word(&self, text: &str) -> bool {
        matches!(self, Self::Word(word) if word.written.text == text)
    }

    fn is_capital(&self) -> bool {
        matches!(self, Self::Word(word) if word.written.is_capital)
    }
}

fn items(all: &[Piece]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(piece) = all.get(at) {
        let (item, next) = if let Some((days, next)) = Day::read(all, at) {
            (Item::Days(days), next)
        } else if let Some((time, next)) = Time::read(all, at) {
            (Item::Time(time), next)
        } else if let Some((code, next)) = Code::grouped(all, at) {
            (Item::Code(code), next)
        } else if let Some((amount, next)) = amount(all, at) {
            (Item::Amount(amount), next)
        } else {
            (Item::Word(Box::new(Sought::new(piece.clone()))), at + 1)
        };
        items.push(item);
        at = next;
    }
    // JIRA-482 is as telling in small letters, unlike IT.
    let has_number = items.iter().any(|item| matches!(item, Item::Amount(_) | Item::Code(_)));
    for item in &mut items {
        if let Item::Word(word) = item {
            word.written.is_upper &= !has_number;
        }
    }
    let is_full_name = items.len() > 1 && items.iter().all(Item::is_capital);
    if is_full_name {
        for item in &mut items {
            if let Item::Word(word) = item {
                word.written.is_of_full_name = true;
            }
        }
    }
    if let Some(Item::Word(first)) = items.first_mut()
        && is_full_name
    {
        first.add(&short_names(&first.written.text));
    }
    items
}

/// The amount of a topic that begins at a piece. In words it has to tell more than one small number, or stand before another
/// word, so that Otto stays a name.
fn amount(all: &[Piece], at: usize) -> Option<(Amount, usize)> {
    let (amount, next) = Amount::read(all, at, &number_words::all_languages())?;
    let is_plain = all.get(at).is_some_and(|piece| !piece.is_capital || number_words::roman(piece).is_some());
    let is_told = !amount.is_in_words || amount.is_telling() || is_plain && all.len() > next - at;
    is_told.then_some((amount, next))
}

/// The pieces without pictographs, as if a space stood in their place.
fn without_emoji(all: Vec<Piece>) -> Vec<Piece> {
    if !all.iter().any(|piece| piece.class == Class::Emoji) {
        return all;
    }
    let mut kept: Vec<Piece> = Vec::with_capacity(all.len());
    let mut gap = String::new();
    for mut piece in all {
        if piece.class == Class::Emoji {
            gap.push_str(&piece.gap);
            gap.push(' ');
        } else {
            if !gap.is_empty() {
                piece.gap.insert_str(0, &gap);
                gap.clear();
            }
            kept.push(piece);
        }
    }
    kept
}

/// "allergy" and "allergic", "Berlin" and "Berliner": the same five letters or more, and short endings.
fn are_akin(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    shared >= 5 && a.chars().count().max(b.chars().count()) - shared <= 3
}

#[cfg(test)]
mod tests;
