//! The topics of a summary, in a few of its own words.

use std::cmp::Ordering;

use super::extractive::series;
use super::sections::{Sections, letters};
use super::worth::{information, value};
use crate::cjk::is_unspaced;
use crate::intent::is_chatter;
use crate::shorten::shorten;
use crate::words::{Telling, next_word, telling};

/// Maximum words of a topic.
const LONGEST: usize = 3;
/// Minimum characters of a word in lower case; shorter ones rarely name a subject.
const SHORTEST: usize = 5;
/// Maximum characters of a line that is used as its topic, in scripts without spaces.
const HEAD: usize = 24;

/// At most this many topics, the most telling first.
#[must_use]
pub fn topics(sections: &Sections, most: usize) -> Vec<String> {
    let lines: Vec<&str> = sections.lines().collect();
    if lines.iter().any(|line| line.chars().any(is_unspaced)) {
        let best = lines.into_iter().max_by(|a, b| by(value(a), value(b)));
        return best.map(|line| vec![shorten(line, HEAD)]).unwrap_or_default();
    }
    let weighed = |phrase: String| (information(&phrase), phrase);
    let mut phrases: Vec<(f32, String)> = lines.into_iter().flat_map(phrases).map(weighed).collect();
    phrases.sort_by(|(a, _), (b, _)| by(*b, *a));
    let mut chosen: Vec<String> = Vec::new();
    for (_, phrase) in phrases {
        if chosen.len() >= most {
            break;
        }
        if chosen.iter().all(|other| !letters(other).contains(&letters(&phrase))) {
            chosen.push(phrase);
        }
    }
    chosen
}

fn by(a: f32, b: f32) -> Ordering {
    a.total_cmp(&b)
}

/// Runs of words that name something, without the speaker before a colon; of a series, its first and last.
fn phrases(line: &str) -> Vec<String> {
    if let Some(series) = series(line) {
        return vec![series.to_owned()];
    }
    let mut rest = line.split_once(": ").map_or(line, |(_, said)| said);
    let (mut all, mut run): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    while let Some((gap, word, after)) = next_word(rest) {
        rest = after;
        let is_named = word.starts_with(char::is_uppercase) && telling(word) == Telling::Much;
        let is_long = word.chars().count() >= SHORTEST && telling(word) == Telling::Much;
        let names = (is_named || is_long) && !is_chatter(&word.to_lowercase());
        if !names || gap.contains(|c: char| !c.is_whitespace()) || run.len() == LONGEST {
            all.extend((!run.is_empty()).then(|| run.join(" ")));
            run.clear();
        }
        if names {
            run.push(word);
        }
    }
    all.extend((!run.is_empty()).then(|| run.join(" ")));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j4_topics_are_the_names_and_things_of_a_summary() {
        let sections = Sections {
            facts: vec!["Ana: I work on the SingPass integration project".into()],
            decisions: vec!["我们决定租一辆面包车。".into()],
            ..Sections::default()
        };
        let spaced = Sections { decisions: Vec::new(), ..sections.clone() };
        assert_eq!(topics(&spaced, 3), ["SingPass integration project"]);
        assert_eq!(topics(&sections, 3).len(), 1);
        assert_eq!(topics(&Sections::default(), 3), [""; 0]);
    }
}
