//! Secrets that nothing names, told by their sentence: "the wifi at the cabin is …", "log in as bob, it's …".
//!
//! Three things are weighed: how much the word looks made up, how clearly its sentence is about getting in, and how the sentence
//! hands the word over. None of them is enough. What each word of a sentence says is in `cues.tsv`.

use std::borrow::Cow;

use super::cues::{Cue, Cues, cues, cues_inside};
use super::form::{Form, is_plain};
use super::reading::holds_marker;
use super::value::{Value, has_hump};
use super::{Class, Found, words};
use crate::cjk::is_cjk_or_mark;

/// How much has to speak for a secret.
const ENOUGH: usize = 5;

/// The weight of a context that names a password.
const NAMED: usize = 3;

/// Words of this length are mostly made of two.
const LONG_WORD: usize = 9;

/// How many words a sentence has at most; what is longer is read as several.
const LONGEST: usize = 64;

/// The longest abbreviation that is told from a word by its length.
const LONGEST_SHORT: usize = 4;

/// How many digits a dictated number has.
const FEWEST_DIGITS: usize = 4;
const MOST_DIGITS: usize = 8;

fn is_digit_word(word: &str) -> bool {
    const LONGEST: usize = 14;
    let word = word.trim_end_matches([',', '.']);
    // Most words are small already: a copy of each would cost more than the look.
    let lower =
        if word.contains(char::is_uppercase) { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) };
    word.len() <= LONGEST && cues("", &lower).has(Cue::Digit)
}

/// How many words away from a value its context may stand.
const REACH: usize = 24;

/// Adds the secrets of all sentences, each told by itself and by what was said before the text. Plain words count only if a
/// password is named.
pub(super) fn find(text: &str, asked: Context, names: bool, found: &mut Vec<Found>) {
    let dictated =
        || text.split_whitespace().filter(|word| is_digit_word(word)).nth(FEWEST_DIGITS - 1).is_some();
    if !names && !asked.is_named() && !text.split_whitespace().any(Form::is_unusual) && !dictated() {
        return;
    }
    read(text, asked, |sentence, before| sentence.judge(before, text, found));
}

/// What a text says about getting in, for the message that follows it.
pub(super) fn context(text: &str) -> Context {
    let mut whole = Context::default();
    read(text, whole, |sentence, _| whole.cues.add(sentence.context().cues));
    if text.contains(Class::Password.marker()) {
        whole.cues.add(Cues::of(Cue::Name));
    }
    whole
}

/// Calls `each` with every sentence and the context of the one before it.
fn read<'t>(text: &'t str, asked: Context, mut each: impl FnMut(&Sentence<'t>, Context)) {
    let mut sentence = Sentence { asked, ..Sentence::default() };
    let mut before = Context::default();
    for line in text.split_inclusive('\n') {
        let mut rest = line.split_whitespace().peekable();
        while let Some(token) = rest.next() {
            sentence.read(token, text);
            // "e.g. the", "my PIN? still 1029"
            let may_go_on = token.len() <= LONGEST_SHORT || !token.ends_with('.');
            let goes_on = may_go_on && rest.peek().is_some_and(|next| next.starts_with(char::is_lowercase));
            let ends = token.ends_with(['.', '!', '?', '。', '！', '？']) && !goes_on;
            if ends || rest.peek().is_none() || sentence.pieces.len() >= LONGEST {
                each(&sentence, before);
                before = sentence.context();
                sentence.pieces.clear();
                sentence.redacted = false;
            }
        }
    }
}

/// A word, or a run of a script without blanks.
#[derive(Debug)]
struct Piece<'t> {
    /// The text from the word on.
    start: &'t str,
    word: &'t str,
    lower: String,
    cues: Cues,
    /// A colon, an equals sign or an arrow follows, or the word ends with "'s".
    points: bool,
    owns: bool,
    /// A mark that ends a clause follows.
    closes: bool,
}

#[derive(Debug, Default)]
struct Sentence<'t> {
    pieces: Vec<Piece<'t>>,
    /// A part of it is redacted already.
    redacted: bool,
    /// What the message before asked.
    asked: Context,
}

/// What a text says about getting in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Context {
    cues: Cues,
}

impl Context {
    /// How clearly it is about getting in, by its clearest word.
    pub(super) fn weight(self) -> usize {
        match self.cues {
            cues if cues.has(Cue::Name) => NAMED,
            cues if cues.has(Cue::Access) => 2,
            cues if cues.has(Cue::Account) => 1,
            _ => 0,
        }
    }

    fn is_named(self) -> bool {
        self.cues.has(Cue::Name)
    }

    /// Returns true if it names something that opens by a number.
    pub(super) fn locks(self) -> bool {
        self.cues.any(&[Cue::Lock, Cue::WeakLock])
    }

    /// Returns true if it is about getting in at all.
    pub(super) fn opens(self) -> bool {
        self.weight() > 0 || self.locks()
    }

    /// The weight for the message that follows: what was chosen may be told there.
    fn asked_weight(self) -> usize {
        let chosen = self.cues.any(&[Cue::Act, Cue::ForeignAct, Cue::Hand]);
        self.weight().max(usize::from(chosen))
    }
}

/// How a sentence hands a word over, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handed {
    /// The word is something else: a user's name, a place, a version.
    Explained,
    /// Not at all.
    Loose,
    /// Behind "and".
    Joined,
    /// The same behind a user's name: "ana and …".
    Paired,
    /// Right behind what it is for: "wifi …".
    Adjacent,
    /// "is", a colon.
    Said,
    /// "it's", "still".
    Meant,
    /// "with", "try", "changed it to".
    Typed,
    /// It stands first, and what it does follows: "… works".
    Works,
}

impl<'t> Sentence<'t> {
    fn read(&mut self, token: &'t str, text: &'t str) {
        if holds_marker(token) {
            self.redacted = true;
        }
        let mut rest = token;
        while let Some(first) = rest.chars().next() {
            let unspaced = is_cjk_or_mark(first);
            let end = rest.find(|c| is_cjk_or_mark(c) != unspaced).unwrap_or(rest.len());
            let Some((part, behind)) = rest.split_at_checked(end) else { break };
            self.push(part, unspaced, text);
            rest = behind;
        }
    }

    fn push(&mut self, part: &'t str, unspaced: bool, text: &'t str) {
        let word = part
            .trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '!' | '#' | '$' | '@' | '-'));
        let core = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '*' | '+'));
        if core.is_empty() {
            let points =
                part.contains([':', '=', '→', '–', '—', '：', '➜', '🔑']) || part == "-" || part == "->";
            if let Some(last) = self.pieces.last_mut() {
                last.points |= points;
                last.closes |= part.starts_with(['–', '—', '(', '，', '、']);
            }
            return;
        }
        let tail = word.get(core.len()..).unwrap_or_default();
        let (stem, possessive) = match core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")) {
            Some(stem) if !stem.eq_ignore_ascii_case("it") && !stem.eq_ignore_ascii_case("that") => {
                (stem, true)
            }
            _ => (core, false),
        };
        let lower = if stem.len() > LONGEST { String::new() } else { stem.to_lowercase() };
        let before = self.pieces.last().map(|piece| piece.lower.as_str()).unwrap_or_default();
        let found = if unspaced { cues_inside(part) } else { cues(before, &lower) };
        let start = super::span_of(core, text).start;
        self.pieces.push(Piece {
            start: text.get(start..).unwrap_or_default(),
            word: core,
            lower,
            cues: found,
            points: possessive || tail.contains([':', '=']) || unspaced && part.ends_with(COPULAS),
            owns: possessive,
            closes: tail.contains([',', ';', '.', '!', '?', ')', ':']) || part.starts_with('('),
        });
    }

    /// Adds the secrets of this sentence.
    fn judge(&self, before: Context, text: &'t str, found: &mut Vec<Found>) {
        if self.redacted {
            return;
        }
        self.judge_dictated(text, found);
        for index in 0..self.pieces.len() {
            if let Some(secret) = self.secret(index, before) {
                found.push(Found { span: super::span_of(secret, text), class: Class::Password });
            }
        }
    }

    /// Adds the numbers that were dictated where a lock or a device is named: "the safe is nine one four four".
    fn judge_dictated(&self, text: &str, found: &mut Vec<Found>) {
        let is_digit = |piece: &Piece<'_>| piece.cues.has(Cue::Digit);
        let mut start = 0;
        for run in self.pieces.chunk_by(|one, next| is_digit(one) == is_digit(next)) {
            let (first, end) = (start, start + run.len());
            start = end;
            let (Some(head), Some(tail)) = (run.first(), run.last()) else { continue };
            let told = first.checked_sub(1).and_then(|at| self.pieces.get(at)).is_some_and(|last| {
                last.points
                    || last.closes
                    || last.cues.any(&[
                        Cue::Verb,
                        Cue::Hand,
                        Cue::Pronoun,
                        Cue::Filler,
                        Cue::Lock,
                        Cue::Name,
                        Cue::Back,
                    ])
            });
            let locks = self.is_near(first, &[Cue::Lock, Cue::WeakLock, Cue::Name, Cue::Account]);
            let other = self.is_near(first, &[Cue::Other, Cue::User]);
            if is_digit(head) && (FEWEST_DIGITS..=MOST_DIGITS).contains(&run.len()) && told && locks && !other
            {
                let span = super::span_of(head.word, text).start..super::span_of(tail.word, text).end;
                found.push(Found { span, class: Class::Password });
            }
        }
    }

    /// What the sentence says to the next one: nothing if part of it is redacted, since another pass would see less of it.
    fn context(&self) -> Context {
        let mut context = Context::default();
        self.pieces.iter().filter(|_| !self.redacted).for_each(|piece| context.cues.add(piece.cues));
        context
    }

    fn secret(&self, index: usize, before: Context) -> Option<&'t str> {
        let piece = self.pieces.get(index)?;
        if piece.start.is_empty() || piece.word.starts_with(is_cjk_or_mark) {
            return None;
        }
        // Most words are plain, and only a password's name makes them one.
        let plain = is_plain(piece.word);
        let before_it = || self.pieces.iter().take(index).any(|piece| piece.cues.has(Cue::It));
        let carried = before.is_named() && (index <= 4 || before_it());
        let near = || self.is_near(index, &[Cue::Name, Cue::Access]);
        if plain && (piece.cues != Cues::default() || !near() && !carried) {
            return None;
        }
        let is_digits = |piece: &Piece<'_>| piece.word.bytes().all(|byte| byte.is_ascii_digit());
        let parted = index.checked_sub(1).and_then(|at| self.pieces.get(at)).is_some_and(is_digits);
        let value = Value::read(piece.start)?;
        let value = if parted { value } else { value.grouped() };
        let form = Form::of(&value)?;
        let handed = self.handed(index);
        let explained =
            || handed == Handed::Explained || handed != Handed::Paired && self.is_explained(index, handed);
        let secret = match form {
            Form::Combination => !explained() && self.is_combination(index, handed, &value),
            Form::Number => {
                !explained() && self.is_number(index, handed, &value)
                    || matches!(handed, Handed::Loose | Handed::Explained) && self.is_apposed(index, &value)
            }
            Form::Plain => self.is_plain(index, handed, carried, &value),
            Form::Odd | Form::Mixed | Form::Strong => {
                (self.is_exchanged(index, form) || !explained())
                    && self.is_made_up(index, form, handed, before, &value)
            }
        };
        secret.then(|| value.whole())
    }

    fn is_made_up(
        &self,
        index: usize,
        form: Form,
        handed: Handed,
        before: Context,
        value: &Value<'_>,
    ) -> bool {
        // What a name announces directly is judged by the rule of names.
        if matches!(handed, Handed::Said | Handed::Adjacent) && self.is_announced(index) {
            return false;
        }
        let carried = matches!(handed, Handed::Meant | Handed::Typed) || self.pieces.len() == 1;
        let here = self.around(index).weight().max(self.asked.asked_weight());
        let context = if carried { here.max(before.weight()) } else { here };
        let last = index + 1 >= self.pieces.len() || value.ends_clause();
        let pair = self.is_exchanged(index, form);
        let context = if pair { context.max(2) } else { context };
        let link = match handed {
            _ if pair || self.is_answer(form, value) => 2,
            Handed::Explained => 0,
            Handed::Meant | Handed::Typed | Handed::Paired | Handed::Works => 2,
            Handed::Adjacent | Handed::Said if context >= 2 || self.says_one(index) => 2,
            Handed::Joined => 1,
            Handed::Adjacent | Handed::Said | Handed::Loose => usize::from(last && context >= 2),
        };
        link > 0 && context > 0 && context + form.weight() + link >= ENOUGH
    }

    /// Digits open a lock that the same sentence names.
    fn is_number(&self, index: usize, handed: Handed, value: &Value<'_>) -> bool {
        let marked = value.text.ends_with(['#', '*']);
        let strong = self.is_near(index, &[Cue::Lock]) || self.asked.is_named();
        let weak = self.is_near(index, &[Cue::WeakLock]);
        let sent = self.is_sent(index, value);
        let year =
            ["19", "20"].iter().any(|age| value.text.starts_with(age)) && value.text.len() == 4 && !marked;
        let key = self.is_beside_key(index);
        // "PIN: 560001" is a postal code; the names' own rule knows better.
        if index.checked_sub(1).and_then(|at| self.pieces.get(at)).is_some_and(|last| last.lower == "pin") {
            return false;
        }
        let last = index + 1 >= self.pieces.len();
        let apposed = strong
            && last
            && index.checked_sub(1).and_then(|at| self.pieces.get(at)).is_some_and(|last| last.closes);
        // "the garage is 4711", but "the alarm is 0645"
        let clock = value.text.len() == 4 && value.text < "2400" && value.text.get(2..) < Some("60");
        let ends = value.ends_clause() && !clock;
        let told = apposed
            || key && strong
            || self.answers(index, value)
            || handed == Handed::Adjacent && ends
            || matches!(handed, Handed::Said | Handed::Meant | Handed::Typed | Handed::Works);
        let said = match handed {
            Handed::Said | Handed::Meant => ends && !self.is_near(index, &[Cue::Other]),
            Handed::Adjacent => ends,
            _ => handed == Handed::Works,
        };
        let typed =
            matches!(handed, Handed::Typed) || matches!(handed, Handed::Joined | Handed::Paired) && strong;
        (!year || typed && strong)
            && (told || typed || sent)
            && (strong
                || sent
                || weak
                    && (said
                        || self.answers(index, value)
                        || marked
                        || key
                        || typed && handed == Handed::Typed))
    }

    /// Returns true if the sentence gives up one made-up word for another: "it was apple12, now it's Plum!34".
    fn is_exchanged(&self, index: usize, form: Form) -> bool {
        let is_mixed = |piece: &Piece<'_>| {
            let value = Value::read(piece.start).filter(|_| Form::is_unusual(piece.word));
            matches!(value.and_then(|value| Form::of(&value)), Some(Form::Odd | Form::Mixed | Form::Strong))
        };
        let others = || self.pieces.iter().enumerate().filter(|(at, _)| *at != index);
        matches!(form, Form::Mixed | Form::Strong)
            && self.pieces.iter().any(|piece| piece.cues.any(&[Cue::Act, Cue::ForeignAct]))
            && !self.pieces.iter().any(|piece| piece.cues.any(&[Cue::Other, Cue::User]))
            && others().filter(|(_, piece)| is_mixed(piece)).count() == 1
    }

    /// Returns true if the sentence is one made-up word, and the message before asked for what opens something.
    fn is_answer(&self, form: Form, value: &Value<'_>) -> bool {
        // "ThinkBook14s" names a product; only where getting in was meant is it a password.
        let digits = value.text.trim_matches(|c: char| !c.is_ascii_digit());
        let model = value.text.starts_with(char::is_uppercase)
            && value.text.chars().all(char::is_alphanumeric)
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        self.pieces.len() == 1
            && form.weight() >= 2
            && !self.asked.cues.any(&[Cue::Other, Cue::User])
            && (!model || self.asked.weight() > 1)
    }

    /// Returns true if the message before named a lock, and nothing but this value is said of it: "ah, it was 4711".
    fn answers(&self, index: usize, value: &Value<'_>) -> bool {
        const LEADS: &[Cue] = &[Cue::Filler, Cue::Pronoun, Cue::Verb, Cue::And, Cue::It, Cue::Remind];
        let leads = self
            .pieces
            .iter()
            .take(index)
            .all(|piece| piece.cues == Cues::default() || piece.cues.any(LEADS));
        self.asked.locks() && !self.asked.cues.has(Cue::Other) && index <= 4 && leads && value.ends_clause()
    }

    /// Six digits that were sent to prove who somebody is.
    fn is_sent(&self, index: usize, value: &Value<'_>) -> bool {
        let digits = value.text.trim_start_matches("G-");
        let six = digits.bytes().filter(u8::is_ascii_digit).count() == 6 && digits.len() <= 7;
        // Without blanks, it may be money.
        let grouped = digits.len() == 7 && !digits.ends_with("000");
        let by_whom = || digits.len() < value.text.len() || grouped && self.is_near(index, &[Cue::Account]);
        six && (self.is_near(index, &[Cue::Sent]) || self.is_near(index, &[Cue::Arrived]) && by_whom())
    }

    /// Returns true if a key of a lock is named beside the digits: "4711, then hash".
    fn is_beside_key(&self, index: usize) -> bool {
        let around = self.pieces.iter().enumerate();
        around.filter(|(at, _)| at.abs_diff(index) <= 2).any(|(_, piece)| piece.cues.has(Cue::Key))
    }

    /// Digits and letters as only locks have them, where a lock is named.
    fn is_combination(&self, index: usize, handed: Handed, value: &Value<'_>) -> bool {
        let told = !matches!(handed, Handed::Explained | Handed::Loose);
        if value.text.len() == 3 {
            let locks = self.is_near(index, &[Cue::Lock]) && value.ends_clause();
            return locks && matches!(handed, Handed::Typed | Handed::Adjacent);
        }
        let turns = value.text.split('-').count() >= 4;
        let locks = self.is_near(index, &[Cue::Lock])
            || turns && self.is_near(index, &[Cue::WeakLock, Cue::Name])
            || handed == Handed::Typed && self.is_near(index, &[Cue::WeakLock]);
        locks && (told || self.answers(index, value) || self.is_beside_key(index) || turns)
            || self.is_sent(index, value)
    }

    /// A word is a password only where one is named and the sentence says at this place what it is.
    fn is_plain(&self, index: usize, handed: Handed, before_named: bool, value: &Value<'_>) -> bool {
        let is_said = |word: &str| {
            words::is_remark(word)
                || words::is_topic(word)
                || words::is_answer(&word.to_lowercase())
                || word.ends_with("ly") && !word.ends_with("fly")
        };
        let word = value.text.trim_end_matches(['!', '?']);
        let small = word.chars().all(|c| c.is_lowercase() || c == '-');
        let last = index.checked_sub(1).and_then(|at| self.pieces.get(at));
        let next = self.pieces.get(index + 1);
        let closed = last.is_some_and(|last| last.closes);
        let ends = value.ends_clause() || next.is_none();
        let named = self.is_near(index, &[Cue::Name]);
        let carried = matches!(handed, Handed::Meant | Handed::Typed) || self.says_one(index);
        let kept = self.pieces.iter().any(|piece| piece.cues.has(Cue::Remind));
        let works = |next: &Piece<'_>| next.cues.any(&[Cue::Works, Cue::Filler, Cue::Verb]);
        let closing =
            |next: Option<&Piece<'_>>| small && value.rest.starts_with(',') && next.is_some_and(works);
        let told = match handed {
            // "I changed my password. It's dragonfruit now."
            Handed::Meant if !named => {
                next.is_some_and(|next| matches!(next.lower.as_str(), "now" | "again" | "jetzt"))
                    || ends && self.says_one(index)
            }
            Handed::Meant => ends,
            Handed::Typed if self.is_near(index, &[Cue::ForeignAct]) => true,
            Handed::Typed => {
                (small && !value.text.contains('-') || value.quoted) && (ends || value.is_told_in_passing())
            }
            Handed::Adjacent if closed => {
                let long = value.text.len() >= 6 && !words::is_descriptive(value.text);
                let apposed = value.rest.starts_with(',') && next.is_some_and(|next| long || works(next));
                let told = kept || !self.pieces.iter().any(|piece| words::is_talk(piece.word));
                small
                    && (apposed
                        || self.pieces.len() == 2
                        || long && told && next.is_none() && !value.is_asked())
            }
            // "my old password dragonfruit got leaked"
            Handed::Adjacent => {
                small && next.is_some_and(|next| next.cues.has(Cue::Works) || next.lower == "still")
            }
            // "you asked for the password: dragonfruit", "… and mine ended up being dragonfruit"
            Handed::Said => {
                let points = last.is_some_and(|last| last.points && !last.owns);
                let meant = points && next.is_none() || self.says_one(index);
                (small || has_hump(value.text)) && ends && meant
            }
            // "is the name of my boat, SeaBiscuit"
            Handed::Loose | Handed::Explained if !small && self.names_somebody(index) => ends,
            Handed::Loose | Handed::Explained if closed => {
                value.text.chars().count() >= 6
                    && (self.is_apposed(index, value) || kept && small && next.is_none() || closing(next))
            }
            // "change my password from dragonfruit to …"
            Handed::Explained => {
                let from = last.is_some_and(|last| last.lower == "from");
                from && small
                    && next.is_some_and(|next| next.lower == "to")
                    && self.is_near(index, &[Cue::Act])
            }
            Handed::Works => value.rest.starts_with(['"', '”', '\'', '’']),
            Handed::Loose | Handed::Joined | Handed::Paired => false,
        };
        (told && (named || carried && before_named) || self.lets_in(index, handed, value))
            && !value.text.trim_end_matches(['!', '?']).split('-').any(is_said)
            && !words::is_term(value.text)
            && !words::is_stand_in(value.text)
            && (self.says_one(index) || !self.is_topic())
    }

    /// Returns true if a long word that describes nothing stands where the sentence says what lets people in: "the
    /// wifi is dragonfruit", "it unlocks with dragonfruit".
    fn lets_in(&self, index: usize, handed: Handed, value: &Value<'_>) -> bool {
        let mut before = self.pieces.iter().take(index).rev().skip_while(|piece| piece.cues.has(Cue::Filler));
        let Some(last) = before.next() else { return false };
        let mut subject = || before.next().is_some_and(|piece| piece.cues.has(Cue::Access));
        let placed = match handed {
            // "wifi: dragonfruit", the whole sentence
            Handed::Said if last.points && self.pieces.len() == 2 => last.cues.has(Cue::Access),
            Handed::Said | Handed::Meant => last.cues.has(Cue::Verb) && subject(),
            Handed::Typed => last.cues.has(Cue::Hand) && self.is_near(index, &[Cue::Access]),
            _ => false,
        };
        // German describes with small letters only.
        let noun = if last.lower == "ist" { char::is_uppercase } else { char::is_lowercase };
        placed
            && value.text.starts_with(noun)
            && value.text.chars().skip(1).all(char::is_lowercase)
            && value.text.chars().count() >= LONG_WORD
            && value.ends_clause()
            && !words::is_descriptive(&value.text.to_lowercase())
    }

    /// Returns true if the sentence is about something that is called after passwords: "password manager".
    fn is_topic(&self) -> bool {
        let pairs = self.pieces.iter().zip(self.pieces.iter().skip(1));
        let mut named = pairs.filter(|(name, _)| name.cues.has(Cue::Name) && !name.closes);
        named.any(|(_, next)| {
            let happens = words::happens(&next.lower) || next.cues.any(&[Cue::Filler, Cue::Works, Cue::Verb]);
            let place = matches!(next.lower.as_str(), "prompt" | "prompts" | "field" | "box" | "screen");
            !place && (words::is_topic(&next.lower) || next.lower.ends_with("ing")) && !happens
        })
    }

    /// Returns true if the clause before says something of the password, and this follows alone: "my password is
    /// silly, pumpernickel".
    fn is_apposed(&self, index: usize, value: &Value<'_>) -> bool {
        if index + 1 < self.pieces.len() && !value.rest.starts_with(',') {
            return false;
        }
        let clause = self.pieces.iter().take(index).skip_while(|piece| !piece.cues.has(Cue::Name));
        clause.clone().next().is_some_and(|name| !name.closes)
            && clause.clone().any(|piece| piece.cues.has(Cue::Verb) || piece.owns)
            && clause.filter(|piece| piece.closes).count() == 1
    }

    /// Returns true if somebody's name was announced before: "my dog's name, …".
    fn names_somebody(&self, index: usize) -> bool {
        const NAMES: &[&str] = &["name", "nickname", "nom", "nombre", "nome", "naam", "imię", "имя", "adı"];
        self.pieces.iter().take(index).any(|piece| NAMES.contains(&piece.lower.as_str()))
    }

    /// Returns true if a word with one of these cues stands near enough.
    fn is_near(&self, index: usize, wanted: &[Cue]) -> bool {
        self.asked.cues.any(wanted) || self.near(index).any(|piece| piece.cues.any(wanted))
    }

    fn near(&self, index: usize) -> impl Iterator<Item = &Piece<'t>> {
        let around = self.pieces.iter().enumerate();
        around.filter(move |(at, _)| *at != index && at.abs_diff(index) <= REACH).map(|(_, piece)| piece)
    }

    fn around(&self, index: usize) -> Context {
        let mut context = Context::default();
        self.near(index).for_each(|piece| context.cues.add(piece.cues));
        context
    }

    /// Returns true if a password's name stands right before the value, or only a verb between them.
    fn is_announced(&self, index: usize) -> bool {
        let mut before = self.pieces.iter().take(index).rev();
        before.find(|piece| !piece.cues.has(Cue::Verb)).is_some_and(|piece| piece.cues.has(Cue::Name))
    }

    /// "the Netflix one is …"
    fn says_one(&self, index: usize) -> bool {
        self.pieces
            .iter()
            .take(index)
            .any(|piece| matches!(piece.lower.as_str(), "one" | "ones" | "mine" | "ours"))
            || index.checked_sub(2).and_then(|at| self.pieces.get(at)).is_some_and(|piece| piece.owns)
    }

    fn handed(&self, index: usize) -> Handed {
        let back = |count: usize| index.checked_sub(count).and_then(|at| self.pieces.get(at));
        let mut skipped = 0;
        while skipped < 3
            && back(skipped + 1).is_some_and(|piece| piece.cues.has(Cue::Filler) && !piece.points)
        {
            skipped += 1;
        }
        let Some(last) = back(skipped + 1) else {
            return if skipped > 0 { Handed::Meant } else { self.first(index) };
        };
        let next = back(skipped + 2);
        let has = |cue| last.cues.has(cue);
        let did = |act| self.pieces.iter().take(index).any(|piece| piece.cues.has(act));
        if skipped > 0 && (last.points || has(Cue::Verb)) {
            return Handed::Meant;
        }
        if last.points {
            return Handed::Said;
        }
        if has(Cue::Pronoun) || has(Cue::Verb) && next.is_some_and(|next| next.cues.has(Cue::It)) {
            return Handed::Meant;
        }
        let changed = has(Cue::To) && did(Cue::Act)
            || last.cues.any(&[Cue::To, Cue::ForeignTo]) && did(Cue::ForeignAct);
        let asked = || has(Cue::Subject) && next.is_some_and(|next| next.cues.has(Cue::Hand));
        let back = || self.pieces.get(index + 1).is_some_and(|next| next.cues.has(Cue::Back));
        if last.cues.any(&[Cue::Hand, Cue::Act]) || changed || asked() || back() {
            return Handed::Typed;
        }
        let object =
            || next.is_some_and(|next| next.cues.any(&[Cue::Act, Cue::Place]) || next.lower == "new");
        if has(Cue::It) && did(Cue::Act) && object() {
            return Handed::Typed;
        }
        if has(Cue::Verb) {
            return Handed::Said;
        }
        if skipped > 0 && !last.cues.any(&[Cue::Place, Cue::To]) {
            return Handed::Meant;
        }
        if has(Cue::And) {
            return if self.joins_user(index) { Handed::Paired } else { Handed::Joined };
        }
        if self.first(index) == Handed::Works {
            return Handed::Works;
        }
        if last.cues.any(&[Cue::Access, Cue::Name, Cue::Lock, Cue::WeakLock]) {
            return Handed::Adjacent;
        }
        let product = has(Cue::Product) && !has(Cue::Account);
        if last.cues.any(&[Cue::Place, Cue::User, Cue::Other, Cue::To, Cue::ForeignTo]) || product {
            return Handed::Explained;
        }
        Handed::Loose
    }

    /// Returns true if a user's name stands before "and": "as ana and …", "with admin and then …".
    fn joins_user(&self, index: usize) -> bool {
        let mut before = self.pieces.iter().take(index).rev().skip_while(|piece| piece.cues.has(Cue::And));
        let Some(user) = before.next() else { return false };
        let known = matches!(user.lower.as_str(), "admin" | "administrator" | "root" | "guest" | "pi" | "sa");
        known
            || user.word.contains('@')
            || before.next().is_some_and(|piece| piece.cues.any(&[Cue::User, Cue::Hand]))
    }

    /// What a value that stands first does.
    fn first(&self, index: usize) -> Handed {
        let begins = index == 0 || self.pieces.get(index - 1).is_some_and(|piece| piece.closes);
        let next = |count: usize| self.pieces.get(index + count);
        // "Zebra77 is what I use for the bank"
        let is_what = || next(2).is_some_and(|piece| piece.lower == "what");
        let works =
            next(1).is_some_and(|next| next.cues.has(Cue::Works) || next.cues.has(Cue::Verb) && is_what());
        if begins && works { Handed::Works } else { Handed::Loose }
    }

    /// Returns true if the noun before the value says that it is something else.
    fn is_explained(&self, index: usize, handed: Handed) -> bool {
        const NOUNS: &[Cue] = &[
            Cue::Name,
            Cue::Access,
            Cue::Account,
            Cue::Lock,
            Cue::WeakLock,
            Cue::Sent,
            Cue::Other,
            Cue::User,
        ];
        let mut before = self.pieces.iter().take(index).rev().take(REACH / 2);
        let mut parted = false;
        let noun = before.find(|piece| {
            parted |= piece.closes;
            piece.cues.any(NOUNS)
        });
        let Some(noun) = noun else { return false };
        let about =
            noun.cues.any(&[Cue::Name, Cue::Access, Cue::Account, Cue::Lock, Cue::WeakLock, Cue::Sent]);
        let user = noun.cues.has(Cue::User)
            && !parted
            && matches!(handed, Handed::Said | Handed::Adjacent | Handed::Loose);
        let other = noun.cues.has(Cue::Other) && !(parted && self.is_near(index, &[Cue::Name]));
        !about && (other || user)
    }
}

/// The verbs and particles that a run without blanks may end with before a value.
const COPULAS: &[char] = &['是', '为', '為', 'は', 'が', '用', '：', '는', '은', '成', '后'];
