//! Reads a model's decision: YES or NO.

use crate::words::written as words;

/// The decision of an answer: its first word, or the first word after a label such as `Decision:`. `None` if that word
/// is neither yes nor no, or if the answer repeats both.
#[must_use]
pub fn says_yes(answer: &str) -> Option<bool> {
    yes_or_no(answer).or_else(|| {
        let (label, rest) = answer.split_once(':')?;
        let is_label = words(label).count() <= LONGEST_LABEL;
        if is_label { yes_or_no(rest) } else { None }
    })
}

/// Maximum words of a label, enough for `Decision (YES or NO):`. Longer text is a sentence.
const LONGEST_LABEL: usize = 4;

fn yes_or_no(text: &str) -> Option<bool> {
    let mut words = words(text).map(str::to_lowercase);
    let decided = decision(&words.next()?)?;
    // "Yes or no?" and "YES/NO" repeat the question.
    let next = words.next().filter(|next| ["and", "or"].contains(&next.as_str()));
    let other = if next.is_some() { words.next() } else { None };
    let both = other.or(after_slash(text)).and_then(|other| decision(&other)).is_some();
    (!both).then_some(decided)
}

fn decision(word: &str) -> Option<bool> {
    match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn after_slash(text: &str) -> Option<String> {
    let (before, after) = text.split_once('/')?;
    if words(before).count() == 1 { words(after).next().map(str::to_lowercase) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k1_a_decision_is_read_from_the_first_word() {
        let yes = [
            "YES",
            "yes",
            "**YES** – because nobody has written all day",
            "Yes, there is an open question.",
            "\n\n  `yes`\n",
            "- YES",
            "\"Yes.\"",
            "Decision: YES",
            "**Decision:** yes, no doubt",
            "Decision (YES/NO): YES",
            "Final answer:\n\nYES",
            "YES: the appointment is in an hour",
            "YES. Either way/no rush",
        ];
        let no = [
            "NO",
            "No.",
            "no – it is late",
            "Decision: NO",
            "Answer: **No**, yes would disturb",
            "No, or rather: not now. Yes, tomorrow",
        ];
        for (answers, decided) in [(&yes[..], true), (&no[..], false)] {
            for answer in answers {
                assert_eq!(says_yes(answer), Some(decided), "{answer}");
            }
        }
    }

    #[test]
    fn k1_an_answer_that_does_not_decide_is_no_decision() {
        let neither = [
            "",
            "…",
            "Maybe",
            "Not now",
            "Yesterday was quiet",
            "Nothing to say",
            "Nope",
            "YES/NO",
            "Yes or no?",
            "yes and no",
            "Decision: unclear",
            "Decision: YES/NO",
            "I thought about it for quite some time: YES",
            "是",
        ];
        for answer in neither {
            assert_eq!(says_yes(answer), None, "{answer}");
        }
    }
}
