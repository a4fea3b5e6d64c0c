//! A text that is searched for a topic: what its pieces mean where they stand.

use std::ops::Range;

use super::families::is_abbreviation;
use super::han::{self, Around};
use super::language::{Evidence, Language, is_small, is_small_in};
use super::names::{Usage, begins_as_name, is_double_name, is_longer_name};
use super::pieces::{Class, Piece};
use crate::cjk;
use crate::sentences::sentences;
use crate::word_list::WordList;

/// Fewest letters by which a part of a CamelCase word is a topic of its own.
const CAMEL_PART: usize = 6;

/// Nouns whose plural has an umlaut and no ending, and strong verbs with one in the singular, folded.
static UMLAUT_PLURALS: WordList = WordList::new(
    "garten ofen laden graben hafen kasten wagen boden faden schaden magen kragen bogen vater bruder mutter tochter acker hammer \
     kloster schwager apfel vogel mantel nagel sattel schnabel mangel hammel handel nabel",
);
static UMLAUT_VERBS: WordList = WordList::new(
    "lauf fahr fall schlaf trag wasch wachs halt lass rat brat blas fang lad grab schlag stoss sauf",
);

/// A text that is searched.
pub(super) struct Hay<'a> {
    pub text: &'a str,
    pub pieces: Vec<Piece>,
    pub languages: Vec<Language>,
    pub evidence: Evidence,
    sentences: Vec<Range<usize>>,
    pub has_capitals: bool,
    has_kana: bool,
    /// Whether its author writes accents.
    is_accented: bool,
    /// Whether it is written in capitals alone.
    is_shouted: bool,
}

impl<'a> Hay<'a> {
    pub fn new(text: &'a str, pieces: Vec<Piece>, chat: &Evidence) -> Self {
        let evidence = Evidence::of(text, &pieces);
        let words = || pieces.iter().filter(|piece| piece.class == Class::Word);
        Self {
            text,
            languages: evidence.languages(text, chat),
            evidence,
            sentences: sentences(text),
            has_capitals: words().any(|piece| piece.is_capital),
            has_kana: text.chars().any(cjk::is_kana),
            is_accented: words().any(|piece| piece.is_accented),
            is_shouted: words().count() > 2
                && words().all(|piece| piece.is_upper || piece.len() == 1 && piece.is_capital),
            pieces,
        }
    }

    pub fn range(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let last = end.checked_sub(1).and_then(|last| self.pieces.get(last))?;
        let range = self.pieces.get(start)?.range.start..last.range.end;
        self.text.get(range.clone()).map(|_| range)
    }

    /// Adds the piece at a place to the word before it, unless something separates them; then it returns false.
    pub fn glue(&self, word: &mut Piece, at: usize) -> bool {
        let Some(piece) = self.pieces.get(at) else { return false };
        let is_near = piece.is_joined() && !piece.is_ending
            || matches!(piece.class, Class::Hangul | Class::Han) && piece.gap.trim().is_empty();
        if !is_near || piece.class != word.class && piece.class != Class::Digits {
            return false;
        }
        let are_letters = word.is_capital && piece.is_capital && (word.len() == 1 || word.is_upper);
        word.is_upper = are_letters && (piece.len() == 1 || piece.is_upper);
        word.text.push_str(&piece.text);
        word.spelled = None;
        true
    }

    /// Returns true if what follows a piece's start belongs to another sentence or list item.
    pub fn is_break(&self, at: usize, is_number: bool, crosses_commas: bool) -> bool {
        let Some(piece) = self.pieces.get(at) else { return true };
        let gap = piece.gap.as_str();
        if gap.is_empty() || piece.is_joined() {
            return false;
        }
        let ends = gap.contains(['!', '?', ';', '。', '！', '？', '；', '…', '|', '(', ')', '[', ']'])
                // "Case number: 118"
                || gap.contains([':', '：']) && !is_number;
        let lists = gap.contains([',', '，', '、', '،']) && !crosses_commas;
        let lines = gap.matches('\n').count();
        let items = lines > 1 || lines == 1 && gap.contains(['-', '*', '•', '>', '#']);
        let before = at.checked_sub(1);
        // An initial or an abbreviation.
        let is_short = before.and_then(|at| self.pieces.get(at)).is_some_and(|before| {
            is_abbreviation(&before.text)
                || before.class == Class::Word && before.len() == 1 && before.is_capital && piece.is_capital
        });
        let is_other = self.sentence(at) != before.and_then(|at| self.sentence(at));
        ends || lists || items || gap.contains('.') && !is_short && is_other
    }

    fn sentence(&self, at: usize) -> Option<usize> {
        let start = self.pieces.get(at)?.range.start;
        let at = self.sentences.partition_point(|range| range.end <= start);
        self.sentences.get(at).filter(|range| range.start <= start).map(|_| at)
    }

    /// Returns true if pieces are more than a part of a word: "donald" is no topic of "McDonald", nor "java" of
    /// "JavaScript".
    pub fn is_whole(&self, start: usize, end: usize) -> bool {
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

    /// Returns true if pieces are a word of their own in a script without spaces, as far as that can be told. In
    /// Japanese no other Chinese character stands before them.
    pub fn is_apart_in_east_asian(&self, start: usize, end: usize) -> bool {
        let char_at = |at: usize| self.pieces.get(at).and_then(|piece| piece.text.chars().next());
        let is_near = |at: usize| self.pieces.get(at).is_some_and(|piece| piece.gap.is_empty());
        // No Japanese word begins with one of these, so the word before continues: さくら, さくらんぼ.
        if char_at(end).is_some_and(|next| is_near(end) && "んぁぃぅぇぉゃゅょゎっ".contains(next))
        {
            return false;
        }
        let Some(first) = char_at(start).filter(|first| cjk::is_han(*first)) else { return true };
        let before = start.checked_sub(1).and_then(char_at).filter(|_| is_near(start));
        if self.has_kana {
            return before.is_none_or(|before| !cjk::is_han(before) || "日朝夜週月年時後前".contains(before));
        }
        let matched: Vec<char> = std::iter::once(first).chain((start + 1..end).filter_map(char_at)).collect();
        let ends_before = || {
            let earlier = char_at(start.checked_sub(2)?).filter(|_| is_near(start - 1))?;
            Some(han::is_common(earlier, before?))
        };
        let after = char_at(end).filter(|_| is_near(end));
        han::is_word(&matched, &Around { before, after, ends_before: ends_before() == Some(true) })
    }

    /// Returns true if the pieces are a name that begins its sentence, so that its capital tells nothing.
    pub fn begins_sentence(&self, start: usize) -> bool {
        start == 0 || self.sentence(start) != self.sentence(start - 1)
    }

    /// Returns true if pieces that may be a name are used as that name, and not as a word or as a part of a longer
    /// name.
    pub fn is_used_as_name(&self, start: usize, end: usize, usage: Usage) -> bool {
        let (Some(name), Some(last)) =
            (self.pieces.get(start), end.checked_sub(1).and_then(|at| self.pieces.get(at)))
        else {
            return true;
        };
        let next = self.pieces.get(end);
        if let Some(before) = start.checked_sub(1).and_then(|at| self.pieces.get(at))
            && name.is_capital
            && is_longer_name(before, name, self.begins_sentence(start - 1), usage, &self.languages)
        {
            return false;
        }
        if next.is_some_and(|next| is_double_name(last, next)) {
            return false;
        }
        let is_open = usage.is_name && usage.is_word && self.begins_sentence(start) && self.has_plain_words();
        if !is_open {
            return true;
        }
        match self.languages.contains(&Language::English) {
            true => begins_as_name(next),
            false => !is_small_in(&name.text, &self.languages),
        }
    }

    pub fn has_plain_words(&self) -> bool {
        self.pieces.iter().any(|piece| piece.class == Class::Word && !piece.is_capital && piece.len() > 1)
    }

    /// Returns true if a word of the text may be the accented one that is looked for: an author who writes accents
    /// would not leave out this one.
    pub fn may_lack_accent(&self, of: &Piece, word: &Piece) -> bool {
        of.text != word.text
            || of.is_capital
            || !of.is_accented
            || word.is_accented
            || !self.is_accented
            || word.is_upper
            || of.spelled.as_ref() == Some(&word.text)
    }

    /// Returns true if two words of German differ in an umlaut that no form of one word explains. A plural may have
    /// one that the singular lacks (Haus, Häuser; Mutter, Mütter), so Küche and Kuchen, or Bär and Bar, are different
    /// words.
    pub fn is_other_umlaut(&self, of: &Piece, word: &Piece) -> bool {
        let has = |piece: &Piece| piece.spelled.is_some();
        if self.languages != [Language::German] || has(of) == has(word) || of.class != Class::Word {
            return false;
        }
        let (with, without) = if has(of) { (of, word) } else { (word, of) };
        let is_spelled = with.spelled.as_deref().is_some_and(|spelled| {
            let shared = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            // The e of Baer is written, and not only what Bär and Bar share.
            let marked = shared(spelled, &with.text);
            let spells = shared(spelled, &without.text);
            let is_left_out = !of.is_capital && !self.is_accented;
            (spells > marked || is_left_out) && spells + 2 >= spelled.chars().count()
        });
        let is_longer = with.len() > without.len();
        // Who leaves out the umlaut of a name writes Muller. Few words have it in the plural alone.
        let may_lack =
            has(of) && ["er", "el", "en", "ern", "eln"].iter().any(|ending| with.text.ends_with(ending));
        let is_plural = UMLAUT_PLURALS.iter().any(|noun| without.text.ends_with(noun));
        let is_same_length =
            with.len() == without.len() && with.is_capital && (is_plural || may_lack && !self.is_accented);
        // Laufen, er läuft; but not zahlen, er zählt.
        let is_verb = !with.is_capital
            && with.text.ends_with('t')
            && UMLAUT_VERBS.iter().any(|verb| {
                let stem = without.text.strip_suffix("en").unwrap_or(&without.text);
                stem.ends_with(verb)
            });
        !is_spelled && !is_longer && !is_same_length && !is_verb
    }

    /// Returns true if two words of German differ in ß where that makes another word: Buße, Busse.
    pub fn is_other_sharp(of: &Piece, word: &Piece) -> bool {
        static PAIRS: WordList = WordList::new("masse massen busse bussen flosse flossen");
        of.is_sharp != word.is_sharp && of.text == word.text && PAIRS.contains(&of.text)
    }

    /// Returns true if a German noun with an ending is another word, because it stands where only a singular does:
    /// "eine Reise", "Die Reise war lang", "Christiane kommt". What is looked for is Reis, or Christian.
    pub fn is_other_singular(&self, of: &Piece, at: usize) -> bool {
        static BEFORE_SINGULAR: WordList = WordList::new("ein eine einer kein");
        static BEFORE_BOTH: WordList = WordList::new("der die meine deine seine ihre unsere eure diese");
        static SINGULAR: WordList = WordList::new(
            "ist war hat hatte wird wurde muss musste kann konnte soll sollte will wollte mag darf durfte kommt kam geht ging macht \
             machte sagt sagte ruft rief sieht sah steht stand liegt lag nimmt nahm gibt gab findet fand schreibt schrieb spricht sprach \
             trinkt trank isst fuhr bleibt blieb lief schlief hilft half stirbt starb fiel heisst hiess dauert dauerte kostet \
             kostete beginnt begann endet endete wohnt wohnte lebt lebte arbeitet arbeitete kennt kannte weiss wusste liebt liebte",
        );
        static PRONOUNS: WordList = WordList::new("ich du er sie es wir ihr man");
        let piece = |at: Option<usize>| at.and_then(|at| self.pieces.get(at));
        let Some(word) = piece(Some(at)) else { return false };
        if self.languages != [Language::German] || !word.is_capital {
            return false;
        }
        let (before, next) =
            (piece(at.checked_sub(1)).filter(|_| !self.begins_sentence(at)), piece(Some(at + 1)));
        let is_before = |list: &WordList| before.is_some_and(|before| list.contains(&before.text));
        match word.text.strip_prefix(of.text.as_str()) {
            Some("e" | "en") => {
                let begins = before.is_none() || is_before(&BEFORE_BOTH) && self.begins_sentence(at - 1);
                let is_verb = |next: &Piece| next.gap == " " && SINGULAR.contains(&next.text);
                let is_object = piece(Some(at + 2)).is_some_and(|next| PRONOUNS.contains(&next.text));
                is_before(&BEFORE_SINGULAR) || begins && next.is_some_and(is_verb) && !is_object
            }
            // The genitive of a short noun: "des Hofs", "Toms Auto". A Kurs is no Kur.
            Some("s") if of.len() < 4 && !of.text.ends_with(['a', 'o', 'y']) => {
                !before.is_some_and(|before| before.text.ends_with('s'))
                    && !next.is_some_and(|next| next.is_capital)
            }
            _ => false,
        }
    }

    /// Returns true if a word such as "a" or "no" stands before a piece, which then is no name.
    pub fn is_one_of_many(&self, start: usize) -> bool {
        static BEFORE_WORDS: WordList = WordList::new("a an no any some this that every each another");
        let before = start.checked_sub(1).and_then(|at| self.pieces.get(at));
        before.is_some_and(|before| BEFORE_WORDS.contains(&before.text))
    }

    /// Returns true if a short word in capitals may be any word, since all are in capitals.
    pub fn is_shouted_word(&self, of: &Piece) -> bool {
        self.is_shouted && of.is_upper && is_small(&of.text)
    }

    /// Returns true if pieces are a part of an identifier or an address, which have no capitals for names.
    pub fn is_in_identifier(&self, start: usize, end: usize) -> bool {
        let joins = |at: usize| {
            self.pieces
                .get(at)
                .is_some_and(|piece| matches!(piece.gap.as_str(), "" | "_" | "." | "@" | "/" | "://" | "#"))
        };
        start > 0 && joins(start)
            || joins(end)
            || self.pieces.get(start).is_some_and(|piece| piece.gap.ends_with(['#', '@', '`']))
    }

    /// Returns true if no web or mail address begins or continues beside these pieces.
    pub fn is_whole_address(&self, start: usize, end: usize, address: &str) -> bool {
        let joins = |gap: &str| matches!(gap, "" | "-" | "_" | "." | "+" | "@");
        let before = start.checked_sub(1).and_then(|at| self.pieces.get(at));
        let begins = before.is_none_or(|before| {
            NET.contains(&before.text) || !self.pieces.get(start).is_some_and(|piece| joins(&piece.gap))
        });
        let is_same = written(self.pieces.get(start..end).unwrap_or_default()) == address;
        is_same && begins && !self.pieces.get(end).is_some_and(|next| joins(&next.gap))
    }

    /// Returns true if the number of these pieces is a part of a longer one, or of a word before it unless that was
    /// asked for.
    pub fn is_part_of_number(&self, start: usize, end: usize, is_first: bool, is_last: bool) -> bool {
        let at = |at: Option<usize>| at.and_then(|at| self.pieces.get(at));
        let meets = |one: Option<&Piece>, next: Option<&Piece>| {
            let (Some(one), Some(next)) = (one, next) else { return false };
            match (one.class, next.class) {
                (Class::Digits, Class::Digits) => next.is_joined(),
                (Class::Word, Class::Digits) | (Class::Digits, Class::Word) => next.gap.is_empty(),
                _ => false,
            }
        };
        is_first && meets(at(start.checked_sub(1)), at(Some(start)))
            || is_last && meets(at(end.checked_sub(1)), at(Some(end)))
    }
}

/// What stands before an address of the net.
pub(super) static NET: WordList = WordList::new("http https www mailto");

/// Pieces with the marks between them.
pub(super) fn written(pieces: &[Piece]) -> String {
    let gap = |at: usize, piece: &Piece| if at == 0 { String::new() } else { piece.gap.clone() };
    pieces.iter().enumerate().map(|(at, piece)| gap(at, piece) + &piece.text).collect()
}
