//! Finds the spans of a message that tell something about its writer: a linear-chain CRF over words, trained by
//! `training/extraction/train.py` on exchanges that were written for it.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Kind;
use crate::cjk::is_unspaced;
use crate::linear::fnv;
use crate::word_list::WordList;

static MODEL: &[u8] = include_bytes!("tagger.bin");
const BUCKETS: usize = 1 << 17;
const KINDS: [Kind; 4] = [Kind::Fact, Kind::Preference, Kind::Goal, Kind::Date];
/// Outside, then for each kind its beginning and its continuation.
const LABELS: usize = 1 + 2 * KINDS.len();

/// One score for each label.
type Scores = [f32; LABELS];

/// A part of a message that tells something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub kind: Kind,
    /// In bytes.
    pub range: Range<usize>,
    /// The mean probability of its words to be part of such a span.
    pub sure: f32,
}

/// The spans of a text, in order.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let places = tokens(text);
    let Some(model) = Model::read() else { return Vec::new() };
    let scores = model.scores(text, &places);
    let likely = model.marginals(&scores);
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for (at, label) in model.best(&scores).into_iter().enumerate() {
        match (label, found.last_mut()) {
            (0, _) => {}
            (_, Some((kind, tokens))) if label == 2 * *kind + 2 && tokens.end == at => tokens.end = at + 1,
            _ => found.push(((label - 1) / 2, at..at + 1)),
        }
    }
    let span = |(kind, tokens): (usize, Range<usize>)| {
        let of_kind = |at: &Scores| at.iter().skip(2 * kind + 1).take(2).sum::<f32>();
        let likely = likely.get(tokens.clone())?;
        let (first, last) = (places.get(tokens.start)?, places.get(tokens.end - 1)?);
        Some(Span {
            kind: *KINDS.get(kind)?,
            range: first.start..last.end,
            sure: likely.iter().map(of_kind).sum::<f32>() / likely.len() as f32,
        })
    };
    found.into_iter().filter_map(span).collect()
}

/// The kind that a statement most likely has, taken for granted that it is one.
pub(super) fn likeliest_kind(text: &str) -> Option<Kind> {
    whole(text).map(|span| span.kind)
}

/// All words of a text as one span, of the kind that they most likely have.
pub(super) fn whole(text: &str) -> Option<Span> {
    let model = Model::read()?;
    let places = tokens(text);
    let likely = model.marginals(&model.scores(text, &places));
    let is_word =
        |place: &Range<usize>| text.get(place.clone()).is_some_and(|it| it.contains(char::is_alphanumeric));
    let words: Vec<(&Range<usize>, &Scores)> =
        places.iter().zip(&likely).filter(|(place, _)| is_word(place)).collect();
    let mean = |kind: usize| {
        let sum: f32 = words.iter().flat_map(|(_, at)| at.iter().skip(2 * kind + 1).take(2)).sum();
        sum / words.len() as f32
    };
    let best = (0..KINDS.len()).max_by(|a, b| mean(*a).total_cmp(&mean(*b)))?;
    let (first, last) = (words.first()?.0, words.last()?.0);
    Some(Span { kind: *KINDS.get(best)?, range: first.start..last.end, sure: mean(best) })
}

/// Words, single ideographs and kana, single marks and line ends. A short form such as "I'm" is two words; other
/// apostrophes stay within theirs.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start: Option<usize> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '\'' | '’')
            && start.is_some()
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if joins || c.is_alphanumeric() && !is_unspaced(c) {
            start.get_or_insert(at);
            continue;
        }
        found.extend(start.take().map(|start| start..at));
        if c == '\n' || !c.is_whitespace() {
            found.push(at..at + c.len_utf8());
        }
    }
    found.extend(start.map(|start| start..text.len()));
    found.into_iter().flat_map(|place| parted(text, place)).collect()
}

/// The words that short forms end with, as they are written out.
const SHORT_FORMS: [(&str, &str); 5] =
    [("'m", "am"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would")];

fn parted(text: &str, place: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let word = text.get(place.clone()).unwrap_or_default();
    let lower = word.to_lowercase().replace('’', "'");
    let ends = |(form, _): &&(&str, &str)| lower.ends_with(form) && lower.len() > form.len();
    let letters = SHORT_FORMS.iter().find(ends).map_or(0, |(form, _)| form.len());
    let bytes: usize = word.chars().rev().take(letters).map(char::len_utf8).sum();
    let end = place.end - bytes;
    [place.start..end, end..place.end].into_iter().filter(|part| !part.is_empty())
}

/// The trained weights, read in place.
pub(super) struct Model {
    scale: f32,
    /// The score of each label after each.
    steps: [Scores; LABELS],
    /// The hash of each known word, and its place among few clusters and among many, sorted.
    clusters: &'static [[u8; 8]],
    weights: &'static [[u8; LABELS]],
}

impl Model {
    pub(super) fn read() -> Option<Self> {
        let (scale, rest) = MODEL.split_first_chunk::<4>()?;
        let (words, rest) = rest.split_first_chunk::<4>()?;
        let (steps, rest) = rest.split_at_checked(4 * LABELS * LABELS)?;
        let (clusters, weights) = rest.split_at_checked(8 * u32::from_le_bytes(*words) as usize)?;
        let mut read = steps.as_chunks::<4>().0.iter().map(|step| f32::from_le_bytes(*step));
        let mut steps = [[0.0; LABELS]; LABELS];
        steps.iter_mut().flatten().zip(&mut read).for_each(|(step, read)| *step = read);
        let weights = weights.as_chunks::<LABELS>().0;
        (weights.len() == BUCKETS).then_some(Self {
            scale: f32::from_le_bytes(*scale),
            steps,
            clusters: clusters.as_chunks::<8>().0,
            weights,
        })
    }

    /// A word's cluster among few, and among many.
    pub(super) fn cluster(&self, word: &str) -> Option<(u16, u16)> {
        let hash = fnv(&stem(word));
        let of = |[a, b, c, d, ..]: &[u8; 8]| u32::from_le_bytes([*a, *b, *c, *d]);
        let at = self.clusters.binary_search_by_key(&hash, of).ok()?;
        let [.., a, b, c, d] = self.clusters.get(at)?;
        Some((u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d])))
    }

    fn add(&self, to: &mut Scores, feature: &str) {
        let Some(weights) = self.weights.get(bucket(feature)) else { return };
        for (score, weight) in to.iter_mut().zip(weights) {
            *score += f32::from(weight.cast_signed()) * self.scale;
        }
    }

    /// The scores of each token: its own features, and those that its clause and its sentence share.
    fn scores(&self, text: &str, places: &[Range<usize>]) -> Vec<Scores> {
        let parts: Vec<&str> = places.iter().filter_map(|place| text.get(place.clone())).collect();
        let words: Vec<String> = parts.iter().map(|part| normal(part)).collect();
        let mut scores = vec![[0.0; LABELS]; words.len()];
        for (at, (score, part)) in scores.iter_mut().zip(&parts).enumerate() {
            self.for_each_own(&words, part, at, |feature| self.add(score, feature));
        }
        let of_message = message_features(&words);
        for (score, features) in scores.iter_mut().zip(&of_message) {
            features.iter().for_each(|feature| self.add(score, feature));
        }
        for (shared, run) in self.shared(&words) {
            let mut sum = [0.0; LABELS];
            shared.iter().for_each(|feature| self.add(&mut sum, feature));
            for score in scores.get_mut(run).unwrap_or_default() {
                score.iter_mut().zip(sum).for_each(|(score, sum)| *score += sum);
            }
        }
        scores
    }

    /// Calls `each` with the features of one token.
    fn for_each_own(&self, words: &[String], part: &str, at: usize, mut each: impl FnMut(&str)) {
        let near =
            |by: isize| at.checked_add_signed(by).and_then(|at| words.get(at)).map_or("#", String::as_str);
        let word = near(0);
        each("b");
        each(&format!("w {word}"));
        each(&format!("h {}", shape(part)));
        if !word.starts_with(is_unspaced) {
            each(&format!("p3 {}", first(word, 3)));
            each(&format!("p4 {}", first(word, 4)));
            each(&format!("x2 {}", last(word, 2)));
            each(&format!("x3 {}", last(word, 3)));
        }
        for by in [-3, -2, -1, 1, 2, 3] {
            each(&format!("w{by} {}", near(by)));
        }
        each(&format!("2- {} {word}", near(-1)));
        each(&format!("2+ {word} {}", near(1)));
        each(&format!("3 {} {word} {}", near(-1), near(1)));
        each(&format!("3- {} {} {word}", near(-2), near(-1)));
        for by in -2..=2 {
            if let Some((few, many)) = self.cluster(near(by)) {
                each(&format!("k{by} {many}"));
                each(&format!("g{by} {few}"));
            }
        }
    }

    /// The features that the words of a clause or of a sentence share.
    fn shared(&self, words: &[String]) -> Vec<(Vec<String>, Range<usize>)> {
        let of = |run: &Range<usize>| words.get(run.clone()).unwrap_or_default();
        let clauses = runs(words, |word| ends_sentence(word) || breaks(word));
        let mut found = Vec::new();
        for (number, run) in clauses.iter().enumerate() {
            let mut shared: Vec<String> = self.of_clause(of(run)).into_iter().collect();
            let neighbors =
                [("<", number.checked_sub(1).and_then(|at| clauses.get(at))), (">", clauses.get(number + 1))];
            for (mark, neighbor) in neighbors {
                let opening = neighbor.map(|run| opening(of(run), "")).unwrap_or_default();
                shared.extend(opening.iter().take(3).map(|feature| format!("{mark}{feature}")));
            }
            found.push((shared, run.clone()));
        }
        let sentences = runs(words, ends_sentence);
        for (number, run) in sentences.iter().enumerate() {
            let mut shared = opening(of(run), "s");
            shared.truncate(3);
            let asks = of(run).last().is_some_and(|word| matches!(word.as_str(), "?" | "？"));
            shared.push(format!("s? {}", u8::from(asks)));
            shared.push(format!("s# {} {}", number.min(3), u8::from(number + 1 == sentences.len())));
            found.push((shared, run.clone()));
        }
        found
    }

    fn of_clause(&self, words: &[String]) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = opening(words, "c").into_iter().collect();
        found.insert(format!("cn {}", words.len().min(12)));
        if words.iter().any(|word| word.contains(char::is_numeric)) {
            found.insert("c0".to_owned());
        }
        if 2 * words.iter().filter(|word| word.starts_with(is_unspaced)).count() > words.len() {
            let letters: Vec<char> = words.iter().flat_map(|word| word.chars()).collect();
            for length in 1..=3 {
                let grams = letters.windows(length);
                found.extend(grams.map(|gram| format!("cg {}", gram.iter().collect::<String>())));
            }
            for length in [2, 3] {
                let ending = letters.iter().skip(letters.len().saturating_sub(length));
                found.insert(format!("ce {}", ending.collect::<String>()));
            }
        } else {
            found.extend(words.iter().map(|word| format!("cw {word}")));
            let pairs = words.iter().zip(words.iter().skip(1));
            found.extend(pairs.map(|(word, next)| format!("cb {word} {next}")));
            let long = words.iter().filter(|word| word.chars().count() > 2);
            found.extend(long.filter_map(|word| Some(format!("ck {}", self.cluster(word)?.1))));
        }
        found
    }

    /// The best sequence of labels.
    fn best(&self, scores: &[Scores]) -> Vec<usize> {
        let mut before: Vec<[usize; LABELS]> = Vec::with_capacity(scores.len());
        let mut so_far = [0.0; LABELS];
        for (at, score) in scores.iter().enumerate() {
            let mut from = [0; LABELS];
            let mut next = *score;
            for (label, (next, from)) in next.iter_mut().zip(&mut from).enumerate().filter(|_| at > 0) {
                let arrive = |step: (usize, &f32)| (step.0, step.1 + self.step(step.0, label));
                let best = so_far.iter().enumerate().map(arrive).max_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((label, value)) = best {
                    *from = label;
                    *next += value;
                }
            }
            before.push(from);
            so_far = next;
        }
        let last = so_far.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(label, _)| label);
        let mut labels = Vec::with_capacity(scores.len());
        let mut label = last;
        for from in before.iter().rev() {
            labels.push(label);
            label = from.get(label).copied().unwrap_or(0);
        }
        labels.reverse();
        labels
    }

    fn step(&self, from: usize, to: usize) -> f32 {
        self.steps.get(from).and_then(|steps| steps.get(to)).copied().unwrap_or(0.0)
    }

    /// The probability of each label at each token, by the forward and backward sums.
    fn marginals(&self, scores: &[Scores]) -> Vec<Scores> {
        let mut forward: Vec<Scores> = Vec::with_capacity(scores.len());
        for score in scores {
            let before = forward.last();
            let reach = |label: usize| {
                before.map_or(0.0, |before| {
                    log_sum(before.iter().enumerate().map(|(from, sum)| sum + self.step(from, label)))
                })
            };
            forward
                .push(std::array::from_fn(|label| reach(label) + score.get(label).copied().unwrap_or(0.0)));
        }
        let mut backward: Scores = [0.0; LABELS];
        let mut likely: Vec<Scores> = Vec::with_capacity(scores.len());
        for (score, forward) in scores.iter().zip(&forward).rev() {
            let both: Scores = std::array::from_fn(|label| {
                forward.get(label).copied().unwrap_or(0.0) + backward.get(label).copied().unwrap_or(0.0)
            });
            let whole = log_sum(both.iter().copied());
            likely.push(both.map(|part| (part - whole).exp()));
            backward = std::array::from_fn(|from| {
                let through = score.iter().zip(&backward).enumerate();
                log_sum(through.map(|(to, (score, after))| score + after + self.step(from, to)))
            });
        }
        likely.reverse();
        likely
    }
}

/// The logarithm of the sum of exponentials.
fn log_sum(values: impl Iterator<Item = f32> + Clone) -> f32 {
    let most = values.clone().fold(f32::NEG_INFINITY, f32::max);
    most + values.map(|value| (value - most).exp()).sum::<f32>().ln()
}

/// What each word knows of the whole message: whether it stands in quotation marks or after a colon, and whether its line
/// is one of several that begin with a name.
fn message_features(words: &[String]) -> Vec<Vec<String>> {
    let lines = runs(words, |word| word == "\n");
    let labelled: Vec<bool> =
        lines.iter().map(|line| words.get(line.clone()).is_some_and(is_labelled)).collect();
    let labels = labelled.iter().filter(|is_labelled| **is_labelled).count().min(3);
    let first = words.first().map_or("", String::as_str);
    let (mut is_quoted, mut is_after) = (false, false);
    let mut found = Vec::with_capacity(words.len());
    for (line, is_labelled) in lines.into_iter().zip(labelled) {
        for word in words.get(line).unwrap_or_default() {
            is_quoted = match word.as_str() {
                "\"" => !is_quoted,
                "“" | "„" | "«" | "「" | "『" => true,
                "”" | "»" | "」" | "』" => false,
                _ => is_quoted,
            };
            let mut own = vec![format!("l{} {labels}", u8::from(is_labelled))];
            own.extend(is_quoted.then(|| "q".to_owned()));
            if is_after {
                own.push("a".to_owned());
                own.push(format!("a {first}"));
            }
            found.push(own);
            is_after |= matches!(word.as_str(), ":" | "：");
        }
    }
    found
}

/// Whether a line begins with somebody's name or a heading: one to four words and a colon.
fn is_labelled(words: &[String]) -> bool {
    let colon = words.iter().take(5).position(|word| matches!(word.as_str(), ":" | "：")).unwrap_or(0);
    colon > 0 && words.iter().take(colon).all(|word| word.starts_with(char::is_alphanumeric))
}

/// How a clause begins, and whether it is about the person.
fn opening(words: &[String], mark: &str) -> Vec<String> {
    let Some(first) = words.first() else { return Vec::new() };
    let is_own = words.iter().any(|word| OWN.contains(word));
    let mut found = vec![format!("{mark}1 {first}"), format!("{mark}o {}", u8::from(is_own))];
    if let Some(second) = words.get(1) {
        found.push(format!("{mark}2 {first} {second}"));
        found.extend(words.get(2).map(|third| format!("{mark}3 {first} {second} {third}")));
    }
    found
}

/// Words by which people speak of themselves.
static OWN: WordList = WordList::new(
    "i im ive my me mine we our us ich mein meine meinen meiner meinem wir unser unsere mir mich \
     yo mi mis me nos nuestro nuestra je j'ai j'en j' mon ma mes nous notre nos moi 我 私 僕 俺",
);

pub(super) fn ends_sentence(word: &str) -> bool {
    matches!(word, "." | "!" | "?" | "。" | "！" | "？" | "\n")
}

fn breaks(word: &str) -> bool {
    matches!(word, "," | ";" | ":" | "，" | "；" | "：" | "、" | "—" | "–" | "(" | ")" | "（" | "）")
}

/// The runs of words that end with certain ones.
pub(super) fn runs(words: &[String], ends: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        if ends(word) {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < words.len() {
        found.push(start..words.len());
    }
    found
}

/// A word in lower case, in its usual form; of a number only its length is kept.
pub(super) fn normal(word: &str) -> String {
    let lower: String =
        word.nfkc().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect();
    if let Some((_, word)) = SHORT_FORMS.iter().find(|(form, _)| *form == lower) {
        return (*word).to_owned();
    }
    if lower.chars().all(char::is_numeric) { "0".repeat(lower.chars().count().min(5)) } else { lower }
}

fn shape(word: &str) -> &'static str {
    let Some(first) = word.chars().next() else { return "." };
    if word.chars().all(char::is_numeric) {
        "0"
    } else if word.contains(char::is_numeric) {
        "a0"
    } else if first.is_uppercase() {
        let mut rest = word.chars().skip(1).filter(|c| c.is_alphabetic()).peekable();
        if rest.peek().is_some() && rest.all(char::is_uppercase) { "AA" } else { "Aa" }
    } else if first.is_alphabetic() {
        "a"
    } else {
        "."
    }
}

/// A word as the embedder's table has it: without accents, up to its apostrophe.
fn stem(word: &str) -> String {
    word.nfd().filter(|c| !is_combining_mark(*c)).take_while(|c| *c != '\'').collect()
}

fn first(word: &str, length: usize) -> &str {
    word.char_indices().nth(length).and_then(|(end, _)| word.get(..end)).unwrap_or(word)
}

fn last(word: &str, length: usize) -> &str {
    word.char_indices().rev().nth(length - 1).and_then(|(start, _)| word.get(start..)).unwrap_or(word)
}

fn bucket(feature: &str) -> usize {
    fnv(feature) as usize % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_those_of_the_training_script() {
        let model = Model::read().unwrap();
        for (text, length, buckets) in EXPECTED {
            let places = tokens(text);
            assert_eq!(places.len(), *length, "{text}");
            let words: Vec<String> =
                places.iter().map(|place| normal(text.get(place.clone()).unwrap())).collect();
            let mut found = Vec::new();
            model.for_each_own(&words, text.get(places[0].clone()).unwrap(), 0, |feature| {
                found.push(bucket(feature))
            });
            let shared = model.shared(&words).into_iter().filter(|(_, run)| run.contains(&0));
            found.extend(shared.flat_map(|(features, _)| features).map(|feature| bucket(&feature)));
            found.extend(message_features(&words)[0].iter().map(|feature| bucket(feature)));
            found.sort_unstable();
            assert_eq!(found.get(..6), Some(&buckets[..]), "{text}");
        }
    }

    /// As the script prints them.
    const EXPECTED: &[(&str, usize, [usize; 6])] = &[
        ("I'm Ana, 34.\nWhere's my 2nd key?", 12, [3126, 3693, 5578, 11562, 11749, 17523]),
        ("我住在上海，三月五日考试。", 13, [8889, 11562, 11749, 15298, 17609, 21816]),
    ];

    #[test]
    fn probabilities_add_up_and_the_best_labels_are_the_likeliest() {
        let model = Model::read().unwrap();
        let text = "I live in Porto and I work as a nurse. What is 2+2?";
        let scores = model.scores(text, &tokens(text));
        for likely in model.marginals(&scores) {
            assert!((likely.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{likely:?}");
        }
        let spans = spans(text);
        assert!(
            spans.iter().any(|span| text.get(span.range.clone()).unwrap().contains("Porto")),
            "{spans:?}"
        );
        assert!(!spans.iter().any(|span| text.get(span.range.clone()).unwrap().contains("2+2")), "{spans:?}");
    }
}
