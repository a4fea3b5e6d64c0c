//! Whether a statement found in a message is the person's own, or stands in what they paste, report, dictate, play or hand over to
//! be worked on: a logistic regression over its surroundings, trained by `training/voice/train.py`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::tagger::{Model as Words, ends_sentence, normal, runs, tokens};
use crate::linear::fnv;

static MODEL: &[u8] = include_bytes!("voice.bin");
const BUCKETS: usize = 1 << 16;
/// A statement with a higher score is another's. A lower limit finds more of those, and loses more of the person's own.
const LEAST_FOREIGN: f32 = 0.25;
/// The same where nothing before a statement says that it is another's.
const LEAST_FOREIGN_PLAIN: f32 = 2.0;
/// The words that one sentence knows another by.
const FRAME: usize = 10;

/// A message as the model reads it.
pub(super) struct Voice {
    known: Option<Words>,
    places: Vec<Range<usize>>,
    words: Vec<String>,
    /// Those that are not blank, in tokens.
    sentences: Vec<Range<usize>>,
    lines: Vec<Range<usize>>,
    /// The bytes of the first sentence of a message of one line, if it has no colon: nothing before a statement in it says
    /// that it is another's.
    plain: Range<usize>,
}

impl Voice {
    pub(super) fn of(text: &str) -> Self {
        let places = tokens(text);
        let words: Vec<String> =
            places.iter().filter_map(|place| text.get(place.clone())).map(normal).collect();
        let is_said = |run: &Range<usize>| {
            words.get(run.clone()).is_some_and(|run| run.iter().any(|word| word != "\n"))
        };
        let sentences: Vec<Range<usize>> = runs(&words, ends_sentence).into_iter().filter(is_said).collect();
        let lines = runs(&words, |word| word == "\n");
        let first = sentences.first().map_or(0, |first| first.end);
        let is_plain = lines.len() < 2 && !words.iter().take(first).any(|word| is_colon(word));
        let end = places.get(first.saturating_sub(1)).map_or(0, |last| last.end);
        let plain = 0..if is_plain { end } else { 0 };
        Self { known: Words::read(), places, words, sentences, lines, plain }
    }

    /// Whether the statement in these bytes of the message is another's.
    pub(super) fn is_foreign(&self, span: &Range<usize>) -> bool {
        let Some((scale, weights)) = MODEL.split_first_chunk::<4>() else { return false };
        let weight =
            |bucket: &usize| weights.get(*bucket).map_or(0.0, |weight| f32::from(weight.cast_signed()));
        let least = if self.plain.contains(&span.start) { LEAST_FOREIGN_PLAIN } else { LEAST_FOREIGN };
        self.features(span).iter().map(weight).sum::<f32>() * f32::from_le_bytes(*scale) > least
    }

    fn features(&self, span: &Range<usize>) -> BTreeSet<usize> {
        let mut found = Features { known: self.known.as_ref(), buckets: BTreeSet::new() };
        found.push("b".to_owned());
        let all = self.words.len();
        let start = self.places.iter().position(|place| place.end > span.start).unwrap_or(all);
        let end = self.places.iter().position(|place| place.start >= span.end).unwrap_or(all).max(start + 1);
        let number = self.sentences.iter().position(|run| run.end > start);
        let number = number.unwrap_or(self.sentences.len().saturating_sub(1));
        let Some(sentence) = self.sentences.get(number).filter(|_| start < all) else { return found.buckets };
        let count = self.sentences.len();
        found.push(format!("n {}", count.min(5)));
        found.push(format!("at {} {}", number.min(3), u8::from(number + 1 == count)));
        let before = self.slice(sentence.start..start);
        found.bag("p", last(before, FRAME));
        before.last().into_iter().for_each(|word| found.push(format!("p1 {word}")));
        found.push(format!("pn {}", before.len().min(4)));
        let said = self.slice(sentence.clone());
        found.bag("s", first(said, 3));
        found.bag("x", first(self.slice(end..sentence.end), 4));
        let mark = said.last().filter(|word| !is_word(word)).map_or("", String::as_str);
        found.push(format!("e {mark}"));
        let inside = self.slice(start..end);
        found.bag("i", first(inside, 5));
        inside.iter().skip(5).for_each(|word| found.push(format!("w {word}")));
        self.of_announcement(start, &mut found);
        self.of_layout(start, &mut found);
        self.of_neighbors(number, &mut found);
        found.buckets
    }

    /// What stands before the last colon.
    fn of_announcement(&self, start: usize, found: &mut Features<'_>) {
        let Some(colon) = self.slice(0..start).iter().rposition(|word| is_colon(word)) else { return };
        let between = self.slice(colon..start);
        let mark = if between.iter().any(|word| word == "\n") { "c" } else { "a" };
        let ends = |word: &String| ends_sentence(word) || is_colon(word);
        let head = self.slice(colon.saturating_sub(FRAME)..colon);
        let head = head.iter().rposition(ends).and_then(|end| head.get(end + 1..)).unwrap_or(head);
        found.push(mark.to_owned());
        found.push(format!("{mark}n {}", between.iter().filter(|word| ends_sentence(word)).count().min(3)));
        found.bag(mark, head);
    }

    /// The line, and the block that blank lines part from others.
    fn of_layout(&self, start: usize, found: &mut Features<'_>) {
        let Some(at) = self.lines.iter().position(|line| line.end > start) else { return };
        let lines: Vec<&[String]> = self.lines.iter().map(|line| self.said(line)).collect();
        let line = lines.get(at).copied().unwrap_or_default();
        let labelled = lines.iter().filter(|line| !label_of(line).is_empty()).count();
        found.push(format!("l {} {}", u8::from(!label_of(line).is_empty()), labelled.min(3)));
        found.bag("L", label_of(line));
        line.iter().filter(|word| !is_word(word)).for_each(|word| found.push(format!("m {word}")));
        let (ahead, rest) = lines.split_at_checked(at).unwrap_or_default();
        let first_line = ahead.iter().rposition(|line| line.is_empty()).map_or(0, |blank| blank + 1);
        let after =
            rest.iter().skip(1).position(|line| line.is_empty()).map_or(lines.len(), |blank| at + 1 + blank);
        let blank = |part: Option<&[&[String]]>| {
            part.unwrap_or_default().iter().filter(|line| line.is_empty()).count().min(2)
        };
        let (above, below) = (blank(lines.get(..first_line)), blank(lines.get(after..)));
        found.push(format!("B {above} {below} {}", (after - 1 - first_line).min(3)));
        for (mark, line) in [("Bf", lines.get(first_line)), ("Bl", lines.get(after - 1))] {
            let words = line.copied().filter(|_| lines.len() > 1).unwrap_or_default();
            first(words, 2).iter().for_each(|word| found.push(format!("{mark} {word}")));
        }
    }

    /// The first, the previous, the next and the last sentence.
    fn of_neighbors(&self, number: usize, found: &mut Features<'_>) {
        let said = |number: usize| self.sentences.get(number).map(|run| self.said(run)).unwrap_or_default();
        let edge = |number: usize| self.sentences.get(number).map_or(0..0, Range::clone);
        let gap = |from: usize| {
            let between = self.slice(edge(from).end.saturating_sub(1)..edge(number).start);
            between.iter().filter(|word| *word == "\n").count().min(2)
        };
        if let Some(before) = number.checked_sub(1) {
            let (opening, previous) = (first(said(0), FRAME), said(before));
            found.bag("F", opening);
            found.bag(&format!("F{}{}", gap(0), number.min(2)), opening);
            found.bag("P", first(previous, FRAME));
            found.bag(&format!("P{}", gap(before)), last(previous, FRAME));
            previous.last().into_iter().for_each(|word| found.push(format!("Pe {word}")));
        }
        if number + 1 < self.sentences.len() {
            found.bag("T", first(said(self.sentences.len() - 1), FRAME));
            found.bag("N", first(said(number + 1), 4));
        }
    }

    fn slice(&self, range: Range<usize>) -> &[String] {
        self.words.get(range).unwrap_or_default()
    }

    /// A run without its line end.
    fn said(&self, run: &Range<usize>) -> &[String] {
        let words = self.slice(run.clone());
        words.strip_suffix(&["\n".to_owned()]).unwrap_or(words)
    }
}

/// The buckets of the features of one statement.
struct Features<'m> {
    known: Option<&'m Words>,
    buckets: BTreeSet<usize>,
}

impl Features<'_> {
    fn push(&mut self, feature: String) {
        self.buckets.insert(fnv(&feature) as usize % BUCKETS);
    }

    /// Words, their clusters, and pairs of neighbors.
    fn bag(&mut self, mark: &str, words: &[String]) {
        for word in words {
            self.push(format!("{mark} {word}"));
            let cluster =
                self.known.filter(|_| word.chars().nth(2).is_some()).and_then(|known| known.cluster(word));
            cluster.into_iter().for_each(|(_, many)| self.push(format!("{mark}k {many}")));
        }
        for (word, next) in words.iter().zip(words.iter().skip(1)) {
            self.push(format!("{mark} {word} {next}"));
        }
    }
}

/// The few words before a colon that a line begins with, perhaps after a stamp.
fn label_of(line: &[String]) -> &[String] {
    let is_letter = |word: &String| word.starts_with(char::is_alphabetic);
    let start = line.iter().take(16).position(is_letter).unwrap_or(0);
    let colon = line.iter().skip(start).take(7).position(|word| is_colon(word)).unwrap_or(0);
    line.get(start..start + colon).unwrap_or_default()
}

fn is_colon(word: &str) -> bool {
    matches!(word, ":" | "：")
}

fn is_word(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric)
}

fn first(words: &[String], count: usize) -> &[String] {
    words.get(..count).unwrap_or(words)
}

fn last(words: &[String], count: usize) -> &[String] {
    words.get(words.len().saturating_sub(count)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_those_of_the_training_script() {
        for (text, part, count, buckets) in EXPECTED {
            let start = text.find(part).unwrap();
            let found = Voice::of(text).features(&(start..start + part.len()));
            let lowest: Vec<usize> = found.iter().copied().take(8).collect();
            assert_eq!((found.len(), lowest), (*count, buckets.to_vec()), "{text}");
        }
    }

    /// As the script prints them.
    const EXPECTED: &[(&str, &str, usize, [usize; 8])] = &[
        (
            "Got this, reply?\n\nTom, [04.05.26 9:12]: I live in Rome: yes\nMore?",
            "I live in Rome",
            90,
            [381, 854, 2137, 2252, 2483, 3114, 3842, 4099],
        ),
        ("翻译：我住在上海。谢谢", "我住在上海", 42, [17, 748, 2667, 6260, 10540, 11749, 12045, 12234]),
    ];
}
