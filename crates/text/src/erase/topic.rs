//! The topic of a request to forget, and where a text holds it.

use std::ops::Range;

use super::days::Day;
use super::inflection::{Language, is_abbreviation, is_form, is_function_word, languages};
use super::numbers::{Amount, Code};
use super::pieces::{Class, Piece, pieces};
use super::value::{content, held};
use crate::cjk;
use crate::sentences::sentences;
use crate::word_list::WordList;

/// What is to be forgotten.
#[derive(Debug, Clone)]
pub struct Topic {
    /// What must follow each other in a text that holds the topic.
    items: Vec<Item>,
    codes: Vec<Code>,
    has_emoji: bool,
    crosses_commas: bool,
    /// An address of the net with its marks; a longer one does not hold it.
    address: Option<String>,
    /// Whether it is a name that is also a word, so that its capital counts.
    is_name: bool,
    /// Its telling words, for what is only near to it.
    words: Vec<String>,
}

#[derive(Debug, Clone)]
enum Item {
    Word(Piece),
    Amount(Amount),
    Days(Vec<Day>),
}

/// Words before a topic that do not belong to it.
static LEADING: WordList = WordList::new(
    "a an the my our your his her their its about mein meine meinen meinem meiner meines unser unsere mon ma mes notre nos mi mis \
     nuestro nuestra moj moja moje mojej mojego moim benim bizim мой моя мое мои моего моей мою моему наш наша наше",
);

/// What stands before an address of the net.
static NET: WordList = WordList::new("http https www mailto");

/// Most pieces that are read as one word if no space is between them.
const GLUED: usize = 4;
/// Fewest letters by which a part of a CamelCase word is a topic of its own.
const CAMEL_PART: usize = 6;

impl Topic {
    /// The topic that a person wrote.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut all = pieces(text);
        let has_emoji = all.iter().any(|piece| piece.class == Class::Emoji);
        if !has_emoji {
            all = without_emoji(all);
        }
        all.retain(|piece| !piece.is_ending);
        let is_address = !text.trim().contains(char::is_whitespace)
            && all.iter().any(|piece| matches!(piece.gap.as_str(), "@" | "." | "://"));
        let leads = |piece: &&Piece| LEADING.contains(&piece.text) || is_address && NET.contains(&piece.text);
        let leading = all.iter().take_while(leads).count();
        if leading < all.len() {
            all.drain(..leading);
        }
        let crosses_commas = all.len() > 2 || all.iter().any(|piece| piece.gap.contains([',', '，', '、']));
        Self {
            items: items(&all),
            codes: Code::all(&all),
            has_emoji,
            crosses_commas,
            address: is_address.then(|| written(&all)),
            is_name: false,
            words: content(text).into_iter().collect(),
        }
    }

    /// Whether it has no word that tells a subject, so that it would match everywhere or nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(|item| match item {
            Item::Word(piece) => {
                is_function_word(piece)
                    || piece.class == Class::Word && piece.len() < 2
                    || piece.class == Class::Sign
            }
            Item::Amount(_) | Item::Days(_) => false,
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
        let mut all = pieces(text);
        if !self.has_emoji {
            all = without_emoji(all);
        }
        let hay = Hay {
            text,
            languages: languages(text, &all),
            sentences: sentences(text),
            has_capitals: all.iter().any(|piece| piece.is_capital),
            has_kana: text.chars().any(cjk::is_kana),
            pieces: all,
        };
        let mut found = Vec::new();
        for start in 0..hay.pieces.len() {
            if let Some(end) = self.at(&hay, start) {
                found.extend(hay.range(start, end));
            }
        }
        found
    }

    /// Whether it may be a name that is also a word, such as Mark or Reading: one word with a capital.
    #[must_use]
    pub fn may_be_name(&self) -> bool {
        matches!(self.items.as_slice(), [Item::Word(word)] if word.is_capital && !word.is_upper)
    }

    /// Whether a text uses it as a name: with capitals that are not the sentence's.
    #[must_use]
    pub fn is_name_in(&self, text: &str) -> bool {
        let starts: Vec<usize> = sentences(text).into_iter().map(|range| range.start).collect();
        let all = pieces(text);
        let has_plain =
            all.iter().any(|piece| piece.class == Class::Word && !piece.is_capital && piece.len() > 1);
        let begins = |found: &Range<usize>| {
            let before = all.iter().take_while(|piece| piece.range.start < found.start).last();
            let from = before.map_or(0, |before| before.range.end);
            starts.iter().any(|start| (from..=found.start).contains(start))
        };
        let is_named = |found: Range<usize>| {
            let mut words =
                all.iter().filter(|piece| found.contains(&piece.range.start) && !piece.is_ending).peekable();
            words.peek().is_some() && words.all(|word| word.is_capital && !word.is_upper) && !begins(&found)
        };
        has_plain && self.find(text).into_iter().any(is_named)
    }

    /// The same topic as a name: a text that has capitals must write it with one.
    #[must_use]
    pub fn as_name(self) -> Self {
        Self { is_name: true, ..self }
    }

    /// Whether a text holds the whole topic.
    #[must_use]
    pub fn covers(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Whether a text has all telling words of the topic, in any order.
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
    fn at(&self, hay: &Hay<'_>, start: usize) -> Option<usize> {
        let code = self.codes.iter().find_map(|code| code.read(&hay.pieces, start));
        code.or_else(|| {
            let end = self.follow(hay, 0, start)?;
            let is_whole = (self.items.len() > 1 || hay.is_whole(start, end))
                && hay.is_apart_in_east_asian(start, end)
                && self.address.as_ref().is_none_or(|address| hay.is_whole_address(start, end, address));
            is_whole.then_some(end)
        })
    }

    /// The piece after the topic's items from one on, if they follow from a piece on.
    fn follow(&self, hay: &Hay<'_>, item: usize, at: usize) -> Option<usize> {
        let Some(wanted) = self.items.get(item) else { return Some(at) };
        let piece = hay.pieces.get(at)?;
        if item > 0 {
            if hay.is_break(at, self.crosses_commas) {
                return None;
            }
            let is_initial =
                piece.len() == 1 && piece.is_capital && piece.class == Class::Word && wanted.is_capital();
            let skips = is_initial
                && hay.pieces.get(at + 1).is_some_and(|next| next.gap.trim() == "." || next.gap == " ");
            if skips
                && !wanted.is_word(&piece.text)
                && let Some(end) = self.follow_past_initial(hay, item, at + 1)
            {
                return Some(end);
            }
            if piece.is_ending
                || matches!(piece.text.as_str(), "the" | "a" | "an") && !wanted.is_word(&piece.text)
            {
                return self.follow(hay, item, at + 1);
            }
        }
        let after = match wanted {
            Item::Days(days) => {
                let (found, after) = Day::read(&hay.pieces, at)?;
                days.iter().any(|day| found.iter().any(|other| day.is(*other))).then_some(after)?
            }
            Item::Amount(amount) => {
                let (found, after) = Amount::read(&hay.pieces, at)?;
                (amount.is(&found)
                    && !hay.is_part_of_number(at, after, item == 0, item + 1 == self.items.len()))
                .then_some(after)?
            }
            Item::Word(word) => return self.follow_word(hay, item, word, at),
        };
        self.follow(hay, item + 1, after)
    }

    /// After an initial between two names, only the name itself may follow.
    fn follow_past_initial(&self, hay: &Hay<'_>, item: usize, at: usize) -> Option<usize> {
        match self.items.get(item)? {
            Item::Word(word) => self.follow_word(hay, item, word, at),
            Item::Amount(_) | Item::Days(_) => None,
        }
    }

    fn follow_word(&self, hay: &Hay<'_>, item: usize, word: &Piece, at: usize) -> Option<usize> {
        for count in 1..=GLUED {
            let Some(glued) = hay.glued(at, count) else { break };
            let is_other_word = self.is_name
                && hay.has_capitals
                && !glued.is_capital
                && !hay.is_in_identifier(at, at + count);
            if !is_other_word
                && is_form(word, &glued, &hay.languages)
                && let Some(end) = self.follow(hay, item + 1, at + count)
            {
                return Some(end);
            }
        }
        // Two words of the topic may be written as one.
        let piece = hay.pieces.get(at)?;
        let mut together = word.clone();
        for (count, next) in self.items.iter().enumerate().skip(item + 1).take(GLUED) {
            let Item::Word(next) = next else { break };
            together.text.push_str(&next.text);
            if together.len() > 4 && is_form(&together, piece, &hay.languages) {
                return self.follow(hay, count + 1, at + 1);
            }
        }
        None
    }
}

impl Item {
    fn is_word(&self, text: &str) -> bool {
        matches!(self, Self::Word(piece) if piece.text == text)
    }

    fn is_capital(&self) -> bool {
        matches!(self, Self::Word(piece) if piece.is_capital)
    }
}

fn items(all: &[Piece]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(piece) = all.get(at) {
        let (item, next) = if let Some((days, next)) = Day::read(all, at) {
            (Item::Days(days), next)
        } else if let Some((amount, next)) = Amount::read(all, at) {
            (Item::Amount(amount), next)
        } else {
            (Item::Word(piece.clone()), at + 1)
        };
        items.push(item);
        at = next;
    }
    items
}

/// Pieces with the marks between them.
fn written(pieces: &[Piece]) -> String {
    let gap = |at: usize, piece: &Piece| if at == 0 { String::new() } else { piece.gap.clone() };
    pieces.iter().enumerate().map(|(at, piece)| gap(at, piece) + &piece.text).collect()
}

/// The pieces without pictographs, as if a space stood in their place.
fn without_emoji(all: Vec<Piece>) -> Vec<Piece> {
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

/// The most common family names of Chinese.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇魏呂";
/// Characters that follow a name rather than belong to it.
const AFTER_NAMES: &str = "的了是在和与跟同说来去到也都就很会要想有没不被把给让叫问对从向为住吃喝看买做打开走跑回写用找见等请带送教学考今昨后前先老哥姐弟妹爸妈总经医律工女小刚已还又再才只能可喜爱讨病生结离搬換换說來給讓問對從為買開寫見請帶送學後還";

/// A text that is searched.
struct Hay<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    languages: Vec<Language>,
    sentences: Vec<Range<usize>>,
    has_capitals: bool,
    has_kana: bool,
}

impl Hay<'_> {
    fn range(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let last = end.checked_sub(1).and_then(|last| self.pieces.get(last))?;
        let range = self.pieces.get(start)?.range.start..last.range.end;
        self.text.get(range.clone()).map(|_| range)
    }

    /// Some pieces as one word, if nothing separates them.
    fn glued(&self, at: usize, count: usize) -> Option<Piece> {
        let mut glued = self.pieces.get(at)?.clone();
        for piece in self.pieces.get(at + 1..at + count)? {
            let is_near = piece.is_joined() && !piece.is_ending
                || matches!(piece.class, Class::Hangul | Class::Han) && piece.gap.trim().is_empty();
            if !is_near || piece.class != glued.class && piece.class != Class::Digits {
                return None;
            }
            glued.text.push_str(&piece.text);
            glued.spelled = None;
        }
        Some(glued)
    }

    /// Whether what follows a piece's start belongs to another sentence or list item.
    fn is_break(&self, at: usize, crosses_commas: bool) -> bool {
        let Some(piece) = self.pieces.get(at) else { return true };
        let gap = piece.gap.as_str();
        if gap.is_empty() || piece.is_joined() {
            return false;
        }
        let ends =
            gap.contains(['!', '?', ';', ':', '。', '！', '？', '；', '：', '…', '|', '(', ')', '[', ']']);
        let lists = gap.contains([',', '，', '、', '،']) && !crosses_commas;
        let lines = gap.matches('\n').count();
        let items = lines > 1 || lines == 1 && gap.contains(['-', '*', '•', '>', '#']);
        let before = at.checked_sub(1);
        let is_short =
            before.and_then(|at| self.pieces.get(at)).is_some_and(|before| is_abbreviation(&before.text));
        let is_other = self.sentence(at) != before.and_then(|at| self.sentence(at));
        ends || lists || items || gap.contains('.') && !is_short && is_other
    }

    fn sentence(&self, at: usize) -> Option<usize> {
        let start = self.pieces.get(at)?.range.start;
        self.sentences.iter().position(|range| range.contains(&start))
    }

    /// Whether pieces are more than a part of a word: "donald" is no topic of "McDonald", nor "java" of "JavaScript".
    fn is_whole(&self, start: usize, end: usize) -> bool {
        let (Some(first), Some(last)) =
            (self.pieces.get(start), end.checked_sub(1).and_then(|at| self.pieces.get(at)))
        else {
            return false;
        };
        let before = start.checked_sub(1).and_then(|at| self.pieces.get(at));
        let long: usize = self.pieces.get(start..end).unwrap_or_default().iter().map(Piece::len).sum();
        let is_apart = |own: &Piece, other: &Piece, gap: &str| match (own.class, other.class) {
            _ if gap == "'" => !(other.text == "o" && other.range.start < own.range.start),
            _ if !gap.is_empty() => true,
            (Class::Word, Class::Word) => long >= CAMEL_PART && other.len() > 2,
            (Class::Word, Class::Digits) => long > 3,
            (Class::Katakana, Class::Katakana) => false,
            _ => true,
        };
        before.is_none_or(|before| is_apart(first, before, &first.gap))
            && self.pieces.get(end).is_none_or(|next| is_apart(last, next, &next.gap))
    }

    /// Whether pieces are a word of their own in a script without spaces, as far as that can be told: in Japanese no other
    /// Chinese character stands before them, and a Chinese name of two characters is not the beginning of a longer one.
    fn is_apart_in_east_asian(&self, start: usize, end: usize) -> bool {
        let char_at = |at: usize| self.pieces.get(at).and_then(|piece| piece.text.chars().next());
        let Some(first) = char_at(start).filter(|first| cjk::is_han(*first)) else { return true };
        let is_near = |at: usize| self.pieces.get(at).is_some_and(|piece| piece.gap.is_empty());
        let before = start.checked_sub(1).and_then(char_at).filter(|_| is_near(start));
        if self.has_kana {
            return before.is_none_or(|before| !cjk::is_han(before) || "日朝夜週月年時後前".contains(before));
        }
        let is_name = end - start == 2 && SURNAMES.contains(first);
        let goes_on = char_at(end).filter(|next| is_near(end) && cjk::is_han(*next));
        !is_name || goes_on.is_none_or(|next| AFTER_NAMES.contains(next))
    }

    /// Whether pieces are a part of an identifier or an address, which have no capitals for names.
    fn is_in_identifier(&self, start: usize, end: usize) -> bool {
        let joins = |at: usize| {
            self.pieces
                .get(at)
                .is_some_and(|piece| matches!(piece.gap.as_str(), "" | "_" | "." | "@" | "/" | "://" | "#"))
        };
        start > 0 && joins(start)
            || joins(end)
            || self.pieces.get(start).is_some_and(|piece| piece.gap.ends_with(['#', '@', '`']))
    }

    /// Whether no web or mail address begins or continues beside these pieces.
    fn is_whole_address(&self, start: usize, end: usize, address: &str) -> bool {
        let joins = |gap: &str| matches!(gap, "" | "-" | "_" | "." | "+" | "@");
        let before = start.checked_sub(1).and_then(|at| self.pieces.get(at));
        let begins = before.is_none_or(|before| {
            NET.contains(&before.text) || !self.pieces.get(start).is_some_and(|piece| joins(&piece.gap))
        });
        let is_same = written(self.pieces.get(start..end).unwrap_or_default()) == address;
        is_same && begins && !self.pieces.get(end).is_some_and(|next| joins(&next.gap))
    }

    /// Whether the number of these pieces is a part of a longer one, or of a word before it unless that was asked for.
    fn is_part_of_number(&self, start: usize, end: usize, is_first: bool, is_last: bool) -> bool {
        let at = |at: Option<usize>| at.and_then(|at| self.pieces.get(at));
        let meets = |one: Option<&Piece>, next: Option<&Piece>, counts: bool| {
            let (Some(one), Some(next)) = (one, next) else { return false };
            match (one.class, next.class) {
                (Class::Digits, Class::Digits) => next.is_joined(),
                (Class::Word, Class::Digits) | (Class::Digits, Class::Word) => counts && next.gap.is_empty(),
                _ => false,
            }
        };
        meets(at(start.checked_sub(1)), at(Some(start)), is_first)
            || meets(at(end.checked_sub(1)), at(Some(end)), is_last)
    }
}

/// "allergy" and "allergic", "Berlin" and "Berliner": the same five letters or more, and short endings.
fn are_akin(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    shared >= 5 && a.chars().count().max(b.chars().count()) - shared <= 3
}

#[cfg(test)]
mod tests;
