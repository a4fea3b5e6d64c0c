//! The request in a message: a statement, a question, or one of the lists, plans and messages that an assistant keeps.
//! A linear model over the features of [`crate::linear`], trained by `training/wanted/train.py`.

use crate::cues::{Plain, REQUESTS};
use crate::intent::asks::asks_without_mark;
use crate::linear::{BUCKETS, features};
use crate::sentences::sentences;
use crate::words::{Telling, telling};

static MODEL: &[u8] = include_bytes!("wanted.bin");
/// The labels of the model, in the order of its weights.
const LABELS: [Wanted; 16] = [
    Wanted::Answer,
    Wanted::RoutineDetail,
    Wanted::Dates,
    Wanted::Everything,
    Wanted::Facts("family"),
    Wanted::Goals,
    Wanted::Facts("health"),
    Wanted::Facts("home"),
    Wanted::Facts("name"),
    Wanted::Plan,
    Wanted::Preferences,
    Wanted::Recap,
    Wanted::RoutineTime,
    Wanted::Nothing,
    Wanted::RoutineText,
    Wanted::Facts("work"),
];
/// Minimum probability of a particular request; below it, the message is an ordinary question.
const LEAST_SURE: f32 = 0.35;
/// The same for the facts of a category, which are listed whatever else the question names.
const LEAST_SURE_OF_FACTS: f32 = 0.55;
/// Minimum probability of a statement, for a message without a question mark.
const LIKELY_TELLS: f32 = 0.3;

/// The request in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// None: it is a statement.
    Nothing,
    /// An answer to a question about anything else.
    Answer,
    /// The person's goals.
    Goals,
    /// The person's dates.
    Dates,
    /// The person's preferences.
    Preferences,
    /// Everything that is known of the person.
    Everything,
    /// The facts of a category, such as `work`.
    Facts(&'static str),
    /// The plan that was made.
    Plan,
    /// The whole text of a routine's message.
    RoutineText,
    /// The time of a routine's message.
    RoutineTime,
    /// Something that a routine's message says.
    RoutineDetail,
    /// The subjects of the conversations at some time.
    Recap,
}

/// The most likely request in a message.
#[must_use]
pub fn wanted(text: &str) -> Wanted {
    let Some(mut odds) = odds(text) else { return Wanted::Answer };
    let tells =
        odds.iter_mut().zip(LABELS).find(|(_, label)| *label == Wanted::Nothing).map(|(odds, _)| odds);
    match tells {
        Some(tells) if ends_by_asking(text) => *tells = 0.0,
        Some(tells) if *tells >= LIKELY_TELLS => return Wanted::Nothing,
        _ => {}
    }
    let total: f32 = odds.iter().sum();
    match odds.iter().zip(LABELS).max_by(|a, b| a.0.total_cmp(b.0)) {
        Some((_, Wanted::Nothing)) => Wanted::Nothing,
        Some((_, Wanted::Answer)) if is_appointment(text) => Wanted::Nothing,
        Some((odds, Wanted::Facts(_))) if odds / total < LEAST_SURE_OF_FACTS => Wanted::Answer,
        Some((odds, label)) if odds / total >= LEAST_SURE => label,
        _ => Wanted::Answer,
    }
}

/// Returns true if the last sentence asks.
fn ends_by_asking(text: &str) -> bool {
    let last = sentences(text).pop().and_then(|range| text.get(range));
    ends_like_a_question(text) || last.is_some_and(asks_without_mark)
}

/// Returns true if a note names a day or a time in figures, and neither asks nor requests: "Opera with Ida, 3.6., 19:30".
fn is_appointment(text: &str) -> bool {
    let in_figures = |word: &str| {
        let parts: Vec<&str> = word.trim_end_matches(['.', ',']).split([':', '.', '/']).collect();
        let is_number =
            |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        (2..=3).contains(&parts.len()) && parts.iter().take(2).all(is_number)
    };
    let mut words = text.split_whitespace();
    !ends_by_asking(text)
        && !REQUESTS.open(&Plain::new(text))
        && !words.clone().any(|word| telling(word) == Telling::Asks)
        && words.any(in_figures)
}

/// Returns true if a message asks for something, rather than states something.
#[must_use]
pub fn is_question(text: &str) -> bool {
    wanted(text) != Wanted::Nothing
}

/// Returns true if a text ends with a question mark, or with a particle of the same function.
#[must_use]
pub fn ends_like_a_question(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
    end.ends_with(['?', '？', '吗', '呢', '까']) || end.ends_with("ですか") || end.ends_with("ますか")
}

/// The probability of each label.
fn odds(text: &str) -> Option<[f32; LABELS.len()]> {
    let (scale, rest) = MODEL.split_first_chunk::<4>()?;
    let (biases, weights) = rest.split_at_checked(4 * LABELS.len())?;
    let scale = f32::from_le_bytes(*scale);
    let features = features(text);
    let mut sums = [0.0f32; LABELS.len()];
    for row in
        features.iter().filter_map(|bucket| weights.get(bucket * LABELS.len()..(bucket + 1) * LABELS.len()))
    {
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += f32::from(weight.cast_signed());
        }
    }
    debug_assert_eq!(weights.len(), BUCKETS * LABELS.len());
    let each = scale / (features.len() as f32).sqrt();
    for (sum, bias) in sums.iter_mut().zip(biases.as_chunks::<4>().0) {
        *sum = *sum * each + f32::from_le_bytes(*bias);
    }
    let most = sums.iter().copied().fold(f32::MIN, f32::max);
    let mut odds = sums.map(|sum| (sum - most).exp());
    let total: f32 = odds.iter().sum();
    odds.iter_mut().for_each(|odds| *odds /= total);
    Some(odds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_statements() {
        for text in [
            "Where is the key?",
            "what did I say about Berlin",
            "what happened at noon yesterday",
            "Please tell me about the trip",
            "Do you know her name",
            "remind me what the code was",
            "我的狗叫什么名字",
            "鍵はどこですか",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in [
            "The key is with Ana.",
            "Choir with Ulla, 7.11., 18:15",
            "Réunion avec Luc, 3/6, 9:45",
            "和老王打球，6/3，19:30",
            "Remind me to call Ana",
            "I know what I want",
            "Have a nice day",
            "我住在北京",
            "ok",
        ] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn a_question_is_read_by_what_it_wants_in_any_words() {
        for (text, label) in [
            ("Anything I said I'd get finished by autumn, what were those goals?", Wanted::Goals),
            ("Sag mal, welche Ziele hatte ich mir gesetzt?", Wanted::Goals),
            ("¿Qué es lo que sabes sobre mí?", Wanted::Everything),
            ("你都记住了我哪些信息？", Wanted::Everything),
            ("Et dans la vie, je fais quoi comme métier ?", Wanted::Facts("work")),
            ("where do i live these days", Wanted::Facts("home")),
            ("so what did we agree on in the end?", Wanted::Plan),
            ("At what time did the briefing go out?", Wanted::RoutineTime),
            ("Send me the full text of the check-in again please", Wanted::RoutineText),
            ("昨日は何の話をしたっけ？", Wanted::Recap),
            ("Who won the election?", Wanted::Answer),
        ] {
            assert_eq!(wanted(text), label, "{text}");
        }
    }

    #[test]
    fn any_text_wants_something_or_nothing() {
        for text in ["", " ", "?", "\u{0}", "🦊", &"word ".repeat(10_000)] {
            let odds = odds(text).unwrap();
            assert!((odds.iter().sum::<f32>() - 1.0).abs() < 0.001, "{text:.20}");
        }
    }
}
