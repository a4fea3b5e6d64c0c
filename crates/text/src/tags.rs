//! Tags in an assistant's reply (`[REMEMBER: …]`, `[GOAL: … | DEADLINE: …]`, `[DONE: …]`): parsed, and removed before
//! anyone sees them, even while the reply streams.

use std::collections::VecDeque;

/// Maximum length of a tag, in characters.
const MAX_TAG_CHARS: usize = 1_000;

/// A request of the assistant to remember something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tag {
    /// A statement.
    Remember(String),
    /// A goal.
    Goal {
        /// The goal.
        text: String,
        /// Its deadline, in the assistant's words.
        deadline: Option<String>,
    },
    /// A goal that was reached.
    Done(String),
}

/// The reply without its tags, and the tags in order.
///
/// A tag is on one line and outside of code. An incomplete tag stays. Where a tag is removed, the white space around
/// it is collapsed: no double space, no empty line, nothing at the ends. Other white space stays.
#[must_use]
pub fn strip(reply: &str) -> (String, Vec<Tag>) {
    let mut stripper = Stripper::default();
    let mut text = stripper.push(reply);
    text.push_str(&stripper.finish());
    (text, stripper.tags)
}

/// Removes tags from a reply that arrives in pieces. However it is split, the returned pieces join to the text that
/// [`strip`] returns; only a possible tag, and the white space before it, is held back.
#[derive(Debug, Default)]
pub struct Stripper {
    tags: Vec<Tag>,
    code: Code,
    /// The beginning of a possible tag.
    held: String,
    /// What is known of its body, once that has begun: each character is read once.
    body: Option<Body>,
    /// White space that a tag may still absorb.
    space: String,
    /// The remaining white space around the tags that were just removed.
    gap: Option<Gap>,
    /// True if any text was returned.
    begun: bool,
}

impl Stripper {
    /// Adds a piece and returns the text that can be shown.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        self.read(piece.chars().collect(), &mut shown);
        shown
    }

    /// Returns the text that was held back, at the end of the reply.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let mut shown = String::new();
        while !self.held.is_empty() {
            let rest = self.reject_tag(&mut shown);
            self.read(rest, &mut shown);
        }
        if self.gap.take().is_none() {
            shown.push_str(&self.space);
        }
        self.space.clear();
        shown
    }

    /// The tags so far, in order.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    fn read(&mut self, mut coming: VecDeque<char>, shown: &mut String) {
        while let Some(c) = coming.pop_front() {
            if self.held.is_empty() {
                self.code.see(c);
                if c == '[' && self.code.is_outside() {
                    self.held.push(c);
                } else {
                    self.pass(c, shown);
                }
                continue;
            }
            self.held.push(c);
            let reading = match &mut self.body {
                Some(body) => body.reading(c, &self.held),
                None => reading(&self.held),
            };
            match reading {
                Reading::Open => {}
                Reading::Body(body) => self.body = Some(body),
                Reading::Whole(tag) => {
                    self.tags.push(tag);
                    self.held.clear();
                    self.body = None;
                    let gap = self.gap.get_or_insert_default();
                    gap.take(&std::mem::take(&mut self.space));
                }
                Reading::Text => {
                    let again = self.reject_tag(shown);
                    again.into_iter().rev().for_each(|c| coming.push_front(c));
                }
            }
        }
    }

    /// Emits a bracket that opened no tag, and returns the text after it, in which another may open.
    fn reject_tag(&mut self, shown: &mut String) -> VecDeque<char> {
        self.body = None;
        let mut rest: VecDeque<char> = std::mem::take(&mut self.held).chars().collect();
        if let Some(bracket) = rest.pop_front() {
            self.pass(bracket, shown);
        }
        rest
    }

    fn pass(&mut self, c: char, shown: &mut String) {
        if c.is_whitespace() {
            self.space.push(c);
            return;
        }
        let space = std::mem::take(&mut self.space);
        match self.gap.take() {
            None => shown.push_str(&space),
            Some(mut gap) => {
                gap.take(&space);
                if self.begun {
                    shown.push_str(&gap.closed_before(c));
                }
            }
        }
        shown.push(c);
        self.begun = true;
    }
}

/// The white space around one or several adjacent tags.
#[derive(Debug, Default)]
struct Gap {
    /// The maximum number of line breaks on one side.
    breaks: usize,
    /// The indentation after the last line break.
    indent: String,
    has_space: bool,
}

impl Gap {
    fn take(&mut self, space: &str) {
        self.has_space |= !space.is_empty();
        if let Some((_, indent)) = space.rsplit_once('\n') {
            self.breaks = self.breaks.max(space.matches('\n').count());
            indent.clone_into(&mut self.indent);
        }
    }

    fn closed_before(&self, next: char) -> String {
        if self.breaks > 0 {
            return "\n".repeat(self.breaks) + &self.indent;
        }
        let clings = ".,;:!?)]}…。，！？；：）".contains(next);
        if self.has_space && !clings { " ".to_owned() } else { String::new() }
    }
}

/// Tracks whether the text is inside code.
#[derive(Debug, Default)]
struct Code {
    inside: Inside,
    /// The backticks or tildes just seen, and whether they began the line.
    run: Option<(char, usize, bool)>,
    /// True if the line has visible text.
    line_begun: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    /// Between this many backticks, on one line.
    Inline(usize),
    /// Between lines that begin with at least this many marks.
    Fence(char, usize),
}

impl Code {
    fn see(&mut self, c: char) {
        if let Some((mark, count, _)) = &mut self.run
            && *mark == c
        {
            *count += 1;
            return;
        }
        if let Some(run) = self.run.take() {
            self.inside = self.after(run);
        }
        if c == '\n' {
            self.line_begun = false;
            if matches!(self.inside, Inside::Inline(_)) {
                self.inside = Inside::Nothing;
            }
        } else if !c.is_whitespace() {
            if matches!(c, '`' | '~') {
                self.run = Some((c, 1, !self.line_begun));
            }
            self.line_begun = true;
        }
    }

    fn after(&self, (mark, count, begins_line): (char, usize, bool)) -> Inside {
        match self.inside {
            Inside::Nothing if count >= 3 && begins_line => Inside::Fence(mark, count),
            Inside::Nothing if mark == '`' => Inside::Inline(count),
            Inside::Inline(open) if mark == '`' && count == open => Inside::Nothing,
            Inside::Fence(open, least) if mark == open && count >= least && begins_line => Inside::Nothing,
            same => same,
        }
    }

    fn is_outside(&self) -> bool {
        self.inside == Inside::Nothing
    }
}

/// How a text that begins with a bracket parses.
enum Reading {
    /// Possibly the beginning of a tag.
    Open,
    /// The same, with its name, behind which its body begins.
    Body(Body),
    Whole(Tag),
    /// Not a tag.
    Text,
}

fn reading(held: &str) -> Reading {
    let Some(inside) = held.strip_prefix('[') else { return Reading::Text };
    let chars = held.chars().count();
    if chars > MAX_TAG_CHARS {
        return Reading::Text;
    }
    let Some((name, _)) = inside.split_once(':') else {
        let name = inside.trim_end();
        let may_be = |kind: &&str| {
            kind.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                // After a space, the name is complete.
                && (name.len() == inside.len() || name.len() == kind.len())
        };
        let is_on_one_line = !inside.contains('\n');
        return if is_on_one_line && KINDS.iter().any(may_be) { Reading::Open } else { Reading::Text };
    };
    match KINDS.iter().copied().find(|kind| kind.eq_ignore_ascii_case(name.trim_end())) {
        Some(kind) => Reading::Body(Body { kind, start: held.len(), chars, depth: 1 }),
        None => Reading::Text,
    }
}

/// The body of a possible tag.
#[derive(Debug)]
struct Body {
    kind: &'static str,
    /// Where it begins in the tag, in bytes.
    start: usize,
    /// The length of the tag, in characters.
    chars: usize,
    /// The number of brackets that are open, the tag's own included.
    depth: usize,
}

impl Body {
    /// How the tag parses with one more character, its last.
    fn reading(&mut self, last: char, held: &str) -> Reading {
        self.chars += 1;
        match last {
            '[' => self.depth += 1,
            ']' => self.depth -= 1,
            _ => {}
        }
        if last == '\n' || self.chars > MAX_TAG_CHARS {
            return Reading::Text;
        }
        if self.depth > 0 {
            return Reading::Open;
        }
        let body = held.get(self.start..held.len() - 1).unwrap_or_default();
        tag(self.kind, body.trim()).map_or(Reading::Text, Reading::Whole)
    }
}

const REMEMBER: &str = "REMEMBER";
const GOAL: &str = "GOAL";
const DONE: &str = "DONE";
const KINDS: [&str; 3] = [REMEMBER, GOAL, DONE];

fn tag(kind: &str, body: &str) -> Option<Tag> {
    let (text, deadline) = match body.rsplit_once('|').and_then(|(text, rest)| Some((text, deadline(rest)?)))
    {
        Some((text, deadline)) if kind == GOAL => (text.trim(), Some(deadline)),
        _ => (body, None),
    };
    let said = (!text.is_empty()).then(|| text.to_owned())?;
    Some(match kind {
        REMEMBER => Tag::Remember(said),
        GOAL => Tag::Goal { text: said, deadline: deadline.filter(|deadline| !deadline.is_empty()) },
        _ => Tag::Done(said),
    })
}

fn deadline(part: &str) -> Option<String> {
    let (name, value) = part.split_once(':')?;
    name.trim().eq_ignore_ascii_case("deadline").then(|| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn remember(text: &str) -> Tag {
        Tag::Remember(text.into())
    }

    fn goal(text: &str, deadline: Option<&str>) -> Tag {
        Tag::Goal { text: text.into(), deadline: deadline.map(Into::into) }
    }

    #[test]
    fn i5_tags_are_read_and_the_text_around_closes_up() {
        let done = || Tag::Done("run 5 km".into());
        for (reply, text, tags) in [
            ("Noted! [REMEMBER: likes tea]", "Noted!", vec![remember("likes tea")]),
            ("[remember:likes tea] Noted!", "Noted!", vec![remember("likes tea")]),
            ("Nice [DONE: run 5 km], well done.", "Nice, well done.", vec![done()]),
            ("One [Done : run 5 km] two", "One two", vec![done()]),
            ("One\n[DONE: run 5 km]\nTwo", "One\nTwo", vec![done()]),
            ("One\n\n[DONE: run 5 km]\n\nTwo", "One\n\nTwo", vec![done()]),
            ("- a\n[DONE: run 5 km]\n  - b", "- a\n  - b", vec![done()]),
            (
                "Ok.\n[GOAL: sail | west | DEADLINE: 1 May]\n[REMEMBER: uses [old] maps]\n",
                "Ok.",
                vec![goal("sail | west", Some("1 May")), remember("uses [old] maps")],
            ),
            ("[GOAL: sail | deadline: ]x", "x", vec![goal("sail", None)]),
            ("[GOAL: sail]", "", vec![goal("sail", None)]),
            ("记住了。[REMEMBER: 喜欢茶]好的", "记住了。好的", vec![remember("喜欢茶")]),
            ("[[DONE: run 5 km]]", "[]", vec![done()]),
        ] {
            assert_eq!(strip(reply), (text.to_owned(), tags), "{reply}");
        }
    }

    #[test]
    fn i5_what_is_no_whole_tag_or_stands_in_code_stays() {
        for reply in [
            "  two  spaces \n\n\n and [links](x) [1] [REMEMBERED: x] [ DONE: x] ",
            "an open [REMEMBER: likes tea",
            "a line [REMEMBER: likes\ntea]",
            "[DONE: ] [GOAL:|DEADLINE: May] [REMEMBER]",
            "`[DONE: x]` and ``a ` [DONE: x]``",
            "```\n[DONE: x]\n```",
            "~~~~ text\n```\n[DONE: x]\n~~~~",
            "[",
        ] {
            assert_eq!(strip(reply), (reply.to_owned(), vec![]), "{reply}");
        }
        let after = "`code` [DONE: x]\n```\ncode\n```\n[DONE: y]";
        assert_eq!(strip(after).0, "`code`\n```\ncode\n```");
        let within = strip("[REMEMBER: never closed [DONE: x]\nmore");
        assert_eq!(within, ("[REMEMBER: never closed\nmore".into(), vec![Tag::Done("x".into())]));
    }

    #[test]
    fn i5_words_are_passed_on_as_they_come_and_no_part_of_a_tag_is() {
        let mut stripper = Stripper::default();
        let pieces = ["Hel", "lo ", "[", "RE", "MEMBER: a", "]", " you", " [", "not", "]\n"];
        let shown: Vec<String> = pieces.iter().map(|piece| stripper.push(piece)).collect();
        assert_eq!(shown, ["Hel", "lo", "", "", "", "", " you", "", " [not", "]"]);
        assert_eq!(stripper.finish(), "\n");
        assert_eq!(stripper.tags(), [remember("a")]);
    }

    proptest! {
        #[test]
        fn i5_however_a_reply_is_cut_the_same_is_shown(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("[REMEMBER: a]"), Just("[goal: b | DEADLINE: c]"), Just("[DONE: "), Just("["), Just("]"), Just("`"),
                    Just("```"), Just("\n"), Just(" "), Just("word"), Just("é。"), Just("RE"), Just(":"), Just("~~~"),
                ],
                0..30,
            ),
            cuts in proptest::collection::vec(1usize..6, 1..20),
        ) {
            let reply = parts.concat();
            let mut stripper = Stripper::default();
            let mut shown = String::new();
            let mut chars = reply.chars().peekable();
            let mut sizes = cuts.iter().cycle();
            while chars.peek().is_some() {
                let piece: String = chars.by_ref().take(*sizes.next().unwrap()).collect();
                shown.push_str(&stripper.push(&piece));
            }
            shown.push_str(&stripper.finish());
            prop_assert_eq!((shown, stripper.tags), strip(&reply));
        }

        #[test]
        fn i5_a_reply_without_a_tag_is_not_changed(reply in "[^\\[]{0,80}") {
            prop_assert_eq!(strip(&reply), (reply, vec![]));
        }
    }
}
