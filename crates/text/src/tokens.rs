//! Estimates the tokens of a text in the o200k vocabulary, without the vocabulary and without a network call, and cuts
//! text to an estimate.
//!
//! The text is split into pieces that are ordinary enough to be one token. Every step from one character to the next
//! adds strain to the piece (`th` none, `qx` a lot), and a new piece begins before a step that would be too much. Any
//! part of a piece could itself be a piece, so the longest possible pieces are the fewest. Budgets rely on this: more
//! text never costs less, and a whole never costs more than its parts.
//!
//! The numbers are fitted to prose and chat in many languages, code, logs and encoded data, and tend to be too high
//! rather than too low.

/// Estimates the tokens of a text: none for an empty one, never fewer for more text, and for a whole never more than
/// for its parts together.
#[must_use]
pub fn estimate(text: &str) -> u32 {
    let mut scan = Scan::default();
    text.chars().for_each(|c| scan.take(c));
    scan.tokens()
}

/// The longest beginning of a text within this many tokens; it ends before a white space if one is near.
#[must_use]
pub fn head(text: &str, tokens: u32) -> &str {
    let mut scan = Scan::default();
    let over = text.char_indices().find(|&(_, c)| {
        scan.take(c);
        scan.tokens() > tokens
    });
    let Some((cut, next)) = over else { return text };
    let longest = text.get(..cut).unwrap_or_default();
    if next.is_whitespace() {
        return longest;
    }
    let space = longest.char_indices().rev().take(NEAR).find(|(_, c)| c.is_whitespace());
    match space {
        Some((at, _)) if at >= cut / 2 => longest.get(..at).unwrap_or_default(),
        _ => longest,
    }
}

/// The longest end of a text within this many tokens; it begins after a white space if one is near.
#[must_use]
pub fn tail(text: &str, tokens: u32) -> &str {
    let end_from = |at: usize| text.get(text.floor_char_boundary(at)..).unwrap_or_default();
    let fits = |at: usize| estimate(end_from(at)) <= tokens;
    // Doubling first, so that for a short end of a long text only a part of it is read.
    let (mut fitting, mut step) = (text.len(), 64);
    let mut over = loop {
        if fitting == 0 {
            return text;
        }
        let further = fitting.saturating_sub(step);
        if !fits(further) {
            break further;
        }
        fitting = further;
        step *= 2;
    };
    while fitting - over > 1 {
        let middle = over.midpoint(fitting);
        if fits(middle) {
            fitting = middle;
        } else {
            over = middle;
        }
    }
    let longest = end_from(fitting);
    let before = text.get(..text.len() - longest.len()).unwrap_or_default();
    if before.ends_with(char::is_whitespace) {
        return longest;
    }
    let space = longest.char_indices().take(NEAR).find(|(_, c)| c.is_whitespace());
    match space.map(|(at, c)| at + c.len_utf8()) {
        Some(at) if at <= longest.len() / 2 => longest.get(at..).unwrap_or_default(),
        _ => longest,
    }
}

/// How many characters a cut may move to fall on a white space.
const NEAR: usize = 24;

/// The cost of a piece, in sixteenths of a token: a little more than one token, to stay on the safe side.
const PIECE: u64 = 17;
/// Maximum strain of a piece.
const ROOM: u8 = 15;
/// The strain of a step that no piece can make.
const BREAK: u8 = ROOM + 1;

/// The text read so far, and its cost.
struct Scan {
    /// In sixteenths of a token.
    cost: u64,
    /// Of the current piece.
    strain: u8,
    last: char,
    kind: Kind,
    letter: u8,
}

impl Default for Scan {
    fn default() -> Self {
        Self { cost: 0, strain: 0, last: '\0', kind: Symbol, letter: 0 }
    }
}

impl Scan {
    fn take(&mut self, c: char) {
        let next = Glyph::of(c);
        let strain = self.strain + self.step(c, next);
        let joins = strain <= ROOM;
        self.strain = if joins { strain } else { 0 };
        self.cost += u64::from(next.surcharge) + if joins || next.kind == Ideograph { 0 } else { PIECE };
        self.kind = if joins { next.kind.within() } else { next.kind };
        self.letter = next.letter;
        self.last = c;
    }

    /// The strain on the current piece if it continues with this character.
    fn step(&self, c: char, next: Glyph) -> u8 {
        let kinds = STEPS.get(self.kind as usize * KINDS.len() + next.kind as usize);
        let letters = PAIRS.get(usize::from(self.letter) << 5 | usize::from(next.letter));
        let repeats = c == self.last && next.kind.is_punctuation();
        if repeats {
            return 4;
        }
        let script = if self.kind.is_letter() { next.strain } else { 0 };
        kinds.copied().unwrap_or(BREAK) + letters.copied().unwrap_or(0) + script
    }

    fn tokens(&self) -> u32 {
        u32::try_from(self.cost.div_ceil(16)).unwrap_or(u32::MAX)
    }
}

/// The kind of a character, as tokenizers treat it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `a` to `z`.
    Lower,
    /// `A` to `Z`.
    Upper,
    /// A letter of any other script, or with an accent.
    Letter,
    Digit,
    /// A single space: it belongs to the word after it.
    Space,
    /// A tab, or a space after white space: it belongs to nothing after it.
    Gap,
    Newline,
    /// Punctuation that often shares a token with the word after it, as in `.name`.
    Hook,
    /// Punctuation that sometimes does, as in `/usr`.
    Joint,
    /// Punctuation that rarely does.
    Mark,
    /// Punctuation after a space or other punctuation: it never does.
    Run,
    /// A character that shares a token with nothing but a space before it.
    Symbol,
    /// A Chinese character, with a price of its own: neighbors share tokens, but only a vocabulary shows which do.
    Ideograph,
}

use Kind::{Digit, Gap, Hook, Ideograph, Joint, Letter, Lower, Mark, Newline, Run, Space, Symbol, Upper};

const KINDS: [Kind; 13] =
    [Lower, Upper, Letter, Digit, Space, Gap, Newline, Hook, Joint, Mark, Run, Symbol, Ideograph];

impl Kind {
    /// The kind of the character if it does not begin its piece.
    fn within(self) -> Self {
        match self {
            Space => Gap,
            Hook | Joint | Mark => Run,
            other => other,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, Lower | Upper | Letter)
    }

    fn is_punctuation(self) -> bool {
        matches!(self, Hook | Joint | Mark)
    }

    /// The strain of a step from this kind of character to the next.
    const fn step(self, next: Self) -> u8 {
        match (self, next) {
            (Lower | Upper | Space, Lower) | (Space, Upper) => 0,
            (Upper, Upper) => 3,
            (Letter, Lower) => 11,
            (Lower | Upper | Letter, Letter) => 0,
            (Space, Letter) => 6,
            (Hook, Lower | Upper) => 3,
            (Joint, Lower | Upper) => 8,
            (Mark, Lower | Upper) | (Hook | Joint | Mark, Letter) => ROOM,
            (Digit, Digit) => 7,
            (Space | Gap, Space | Gap) | (Hook | Joint | Mark | Run | Newline, Newline) | (Space, Symbol) => {
                0
            }
            (Space, Hook | Joint | Mark) => 3,
            (Hook | Joint | Mark | Run, Hook | Joint | Mark) => 12,
            _ => BREAK,
        }
    }
}

/// The strain of one kind after another.
#[expect(clippy::indexing_slicing, reason = "made while compiling, where a wrong index is an error")]
const STEPS: [u8; 169] = {
    let mut steps = [0; 169];
    let mut i = 0;
    while i < 169 {
        steps[i] = KINDS[i / 13].step(KINDS[i % 13]);
        i += 1;
    }
    steps
};

/// A character and its cost.
#[derive(Clone, Copy)]
struct Glyph {
    kind: Kind,
    letter: u8,
    /// The strain on a word that continues with this letter, for [`Kind::Letter`].
    strain: u8,
    /// Its cost beyond its share of a piece, in sixteenths of a token.
    surcharge: u8,
}

impl Glyph {
    fn of(c: char) -> Self {
        ASCII.get(c as usize).copied().unwrap_or_else(|| Self::beyond_ascii(c))
    }

    const fn ascii(c: u8) -> Self {
        let kind = match c {
            b'a'..=b'z' => Lower,
            b' ' => Space,
            b'A'..=b'Z' => Upper,
            b'0'..=b'9' => Digit,
            b'\n' | b'\r' => Newline,
            b'\t' | b'\x0b' | b'\x0c' => Gap,
            b'.' | b'_' | b'(' | b'#' => Hook,
            b'/' | b'-' | b'<' | b'`' => Joint,
            b'!'..=b'~' => Mark,
            _ => Symbol,
        };
        // A word is judged by its letters, the space before it included.
        let letter = match kind {
            Lower | Upper => c & 31,
            Space => 27,
            _ => 0,
        };
        Self { kind, letter, strain: 0, surcharge: 0 }
    }

    /// Tokens are made of UTF-8 bytes, and the vocabulary covers a script better if its training text had more of it: a
    /// letter may cost a fifth of a token, or two tokens.
    #[inline(never)]
    fn beyond_ascii(c: char) -> Self {
        let letter = |strain, surcharge| Self { kind: Letter, letter: 0, strain, surcharge };
        let plain = |kind, surcharge| Self { kind, letter: 0, strain: 0, surcharge };
        match c {
            '\u{a0}' => plain(Gap, 0),
            '\u{80}'..='\u{bf}' => plain(Mark, 0),
            // Latin with accents, phonetic and combining characters; Vietnamese stacks them on known syllables.
            '\u{c0}'..='\u{ff}' => letter(BREAK, 0),
            '\u{100}'..='\u{36f}' => letter(BREAK, 4),
            '\u{1e00}'..='\u{1eff}' => letter(0, 0),
            // Greek, Russian, Armenian, Georgian; then the letters of other Cyrillic alphabets.
            '\u{370}'..='\u{3ff}' | '\u{401}' | '\u{410}'..='\u{44f}' | '\u{451}' => letter(5, 0),
            '\u{530}'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' => letter(5, 0),
            '\u{400}'..='\u{52f}' => letter(BREAK, 0),
            // Hebrew; Arabic and Persian, then the letters of their neighbors.
            '\u{590}'..='\u{5ff}' => letter(8, 0),
            '\u{600}'..='\u{66f}' | '\u{67e}' | '\u{686}' | '\u{6a9}' | '\u{6af}' | '\u{6cc}' => letter(7, 0),
            '\u{670}'..='\u{6ff}' => letter(ROOM, 0),
            // The scripts of India, from the best known to the least.
            '\u{900}'..='\u{97f}' | '\u{a80}'..='\u{aff}' | '\u{d00}'..='\u{d7f}' => letter(7, 0),
            '\u{980}'..='\u{9ff}' | '\u{b80}'..='\u{cff}' => letter(8, 0),
            '\u{a00}'..='\u{a7f}' => letter(10, 0),
            '\u{b00}'..='\u{b7f}' => letter(BREAK, 4),
            '\u{d80}'..='\u{dff}' | '\u{e00}'..='\u{e7f}' => letter(ROOM, 0),
            // Burmese; Khmer, Lao, Tibetan and all that is rarer.
            '\u{1000}'..='\u{109f}' => letter(10, 0),
            '\u{1780}'..='\u{17ff}' => letter(BREAK, 0),
            '\u{e80}'..='\u{fff}'
            | '\u{700}'..='\u{8ff}'
            | '\u{1100}'..='\u{1dff}'
            | '\u{1f00}'..='\u{1fff}' => letter(BREAK, 16),
            // Japanese syllables and Korean, which join into words, and Chinese characters, priced by how common they
            // are.
            '\u{3040}'..='\u{309f}' => letter(8, 1),
            '\u{30a0}'..='\u{30ff}' => letter(8, 4),
            '\u{ac00}'..='\u{d7af}' => letter(10, 0),
            '\u{3000}'..='\u{303f}' => plain(Ideograph, 14),
            '\u{ff00}'..='\u{ffef}' => plain(Ideograph, 16),
            '\u{4e00}'..='\u{9fff}' if COMMON.contains(c) => plain(Ideograph, 10),
            '\u{4e00}'..='\u{9fff}' => plain(Ideograph, 22),
            // Punctuation, arrows, boxes and pictures.
            '\u{200b}'..='\u{200f}' | '\u{fe0f}' => plain(Symbol, 0),
            '\u{2000}'..='\u{206f}' => plain(Mark, 0),
            '\u{2070}'..='\u{2bff}' if FAMILIAR.contains(c) => plain(Mark, 0),
            '\u{2070}'..='\u{2bff}' => plain(Mark, 16),
            '\u{1f000}'..='\u{1faff}' if FAMILIAR.contains(c) => plain(Symbol, 0),
            '\u{1f1e6}'..='\u{1f1ff}'
            | '\u{1f300}'..='\u{1f53f}'
            | '\u{1f600}'..='\u{1f6bf}'
            | '\u{1f900}'..='\u{1f97f}' => plain(Symbol, 16),
            '\u{1f000}'..='\u{1faff}' => plain(Symbol, 32),
            '\u{10000}'.. => plain(Symbol, 40),
            _ => plain(Symbol, 32),
        }
    }
}

/// The most common characters.
#[expect(clippy::indexing_slicing, reason = "made while compiling, where a wrong index is an error")]
const ASCII: [Glyph; 128] = {
    let mut glyphs = [Glyph::ascii(0); 128];
    let mut c = 0;
    while c < 128 {
        glyphs[c] = Glyph::ascii(c as u8);
        c += 1;
    }
    glyphs
};

/// The strain of one letter after another, by their numbers in the alphabet; 27 is a space.
#[expect(clippy::indexing_slicing, reason = "made while compiling, where a wrong index is an error")]
const PAIRS: [u8; 1024] = {
    let mut pairs = [0; 1024];
    let mut row = 0;
    while row < 27 {
        let mut column = 0;
        while column < 26 {
            let digit = UNUSUAL[row][column];
            let before = if row == 0 { 27 } else { row };
            // The rarest pairs do not share a token at all.
            pairs[before << 5 | (column + 1)] = match digit {
                b'0'..=b'9' => digit - b'0',
                b'e' | b'f' => BREAK,
                _ => digit - b'a' + 10,
            };
            column += 1;
        }
        row += 1;
    }
    pairs
};

/// How unusual each letter (across) is after another (down), from 0 to 15.
#[rustfmt::skip]
const UNUSUAL: [&[u8; 26]; 27] = [
    //abcdefghijklmnopqrstuvwxyz
    b"00011000002020106000140210", // space
    b"f561ff195f6182f1f190ad7f3f", // a
    b"6efd7fef84d21d2ed3c31edd6d", // b
    b"0f7c0fd28d32ef0cfb603efede", // c
    b"23f60faf0dfdce2ed62f8defcf", // d
    b"1500328f5df420921003f1405f", // e
    b"7fed13de1de4ee3fd2456dee4d", // f
    b"acff0ff39fdddfaff33d08fe3c", // g
    b"1fdf1fdf1fecec0ee9c19eeeae", // h
    b"8600101ffde230085630f2d8f8", // i
    b"7ffe0fdffdcfed8cef4fafed87", // j
    b"deee1eef5efdd5fddf48fdeede", // k
    b"1fe308fe0ef0ca15ff6f58fe1e", // l
    b"23ff0ecf8ffb6f22ef9e8ffbdf", // m
    b"4f12250e5e68b98eee1138df7f", // n
    b"a511c44d5d851010f1a1080d5e", // o
    b"2eef5ffc5fc4cf12e0426fef5f", // p
    b"ffeeffdded5ddfffefff0dfddd", // q
    b"1f8b0f3f2f41232fd6127eff1d", // r
    b"7fee0fe50fffac20cf214eee4f", // s
    b"3f830ff20ff18d22f03b7eaf0f", // t
    b"72137a6f8ff023d2f141edecdf", // u
    b"7efe0def1effef9ddd8fffddb9", // v
    b"3fef4ee53dfdea2edd5efddddd", // w
    b"ef6fdde68eddeef2dff4ddecde", // x
    b"bedebfdf4fcd9fd7ef4dfeffff", // y
    b"fdee1deefeddfdfeddffefdacf", // z
];
/// Chinese characters that mostly share a token with a neighbor.
const COMMON: &str = "\
    一万三上下不世业东严个中为主么义之了事二于些交产京亮人什今介他代以们件价任企优会传但位住体何作使例供\
    便保信修候值元先免入全公共关其具内决况准出分列创利别到制前力办功加务动包化北区十升华单卫历原去参及友\
    发取受变口另只可司合同名后否启告员品响商喜器回因国在地场基境增声备复外多大天央女好如始子字存学孩安完\
    定宝实客家容对导小少就展工己已市希常平年广序应店府度建开式强当录影很得心必怎思总息情意感成我户所执技\
    投报择持指据接控推提操支收改政故效教数整文新方施旅无日早时明易星是显晚更最有朋服望期本术机权来构果查\
    标样格模次欢正此比民求没治法注活济游满漂点然版特环现理生用由电界的目直相看真知码研确示社神种科程究立\
    符第管类精系级组绍经结统续网置美考者联育能脑自至舒般色荐虽行表装西要规视觉解言计认议记论设评识诉话该\
    说调谢责质费资起软较输达过运近还这进述选通速道那部都配酒里重量金钟错长问间际限院除需非面革须领题餐高\
";

/// Signs and pictures that are a token of their own.
const FAMILIAR: &str = "€™←↑→↓⇒−√∞≈≤≥①②③─━│┃├═║▀▄█░▒▓■□▪▫▲△▶►▼◆◇○●★☆☎☺♀♂♡♥♦♪♫✅✓✔✨❤➡⭐⭕🏻🏼👇👉👌👍👏💕🔥😀😁😂😉😊😍😘😭🙂🙏🤣";
