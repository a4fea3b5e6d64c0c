//! Tells verbs by their form: habits, and what has happened once.
//!
//! Verbs are an open class, so that the lists here are of the few that do not tell a habit.

use super::classes;
use super::token::Token;
use crate::word_list::WordList;

/// Whether a word after "I" or "we" can be a verb of what they do by habit.
pub fn is_habit(token: &Token) -> bool {
    let word = token.text.as_str();
    is_open(token) && (!word.ends_with('s') || word.ends_with("ss")) && !PASSING.contains(word)
}

/// Whether a word after "my sister" can be such a verb.
pub fn is_habit_of_another(token: &Token) -> bool {
    let word = token.text.as_str();
    let bare = word.strip_suffix('s').unwrap_or(word);
    let stem = bare.strip_suffix("ie").map_or_else(|| bare.to_owned(), |stem| format!("{stem}y"));
    let passes = [bare, bare.trim_end_matches('e'), stem.as_str()].iter().any(|form| PASSING.contains(form));
    is_open(token) && word.ends_with('s') && !word.ends_with("ss") && (!passes || TASTES.contains(bare))
}

/// Whether a word can be the verb of a clause whose subject stands before.
pub fn is_finite(token: &Token) -> bool {
    let word = token.text.as_str();
    let is_known = classes::VERB.contains(word) || PASSING.contains(word) || is_past(word);
    !token.capital && (is_known || is_habit(token) || is_habit_of_another(token))
}

/// Whether a word tells of what has happened.
pub fn is_past(word: &str) -> bool {
    PAST.contains(word) || word.len() > 4 && word.ends_with("ed")
}

/// Whether a word after "have" makes a tense with it.
pub fn is_participle(word: &str) -> bool {
    is_past(word) || matches!(word, "come" | "become" | "run" | "set" | "been")
}

/// Whether a word is a verb of what is going on or about to be.
pub fn is_progress(token: &Token) -> bool {
    let word = token.text.as_str();
    word.len() > 4 && word.ends_with("ing") && !NO_PROGRESS.contains(word)
}

/// Nouns in -ing, and verbs of what one aims at.
static NO_PROGRESS: WordList = WordList::new(
    "bring thing sting swing being something anything nothing everything thing morning evening king ring string spring wedding meeting trying hoping \
     planning aiming saving training looking thinking wondering asking",
);

fn is_open(token: &Token) -> bool {
    let word = token.text.as_str();
    let is_plain = word.chars().all(|c| c.is_alphabetic() || c == '-') && word.len() > 2;
    let is_other_form = is_past(word) || word.len() > 5 && word.ends_with("ing") || word.ends_with("ly");
    let is_function = classes::EMPTY.contains(word)
        || classes::PREPOSITION.contains(word)
        || classes::ADVERB.contains(word);
    !token.is_mark() && !token.capital && is_plain && !is_other_form && !is_function
}

/// What others are told to like is a fact of them.
static TASTES: WordList = WordList::new("love like hate prefer enjoy want");

/// Verbs of the moment, of the talk, of the mind, and those that other rules read.
static PASSING: WordList = WordList::new(
    "am is are be have has had do will would can could should may might must shall \
     think guess mean know see need want like love hate prefer hope wonder wish feel believe suppose understand agree \
     remember forget doubt imagine expect assume realize realise notice care mind bet swear admit promise regret worry \
     appreciate suspect reckon figure consider find hear read seem sound appear look watch stand enjoy dislike detest \
     say ask tell talk mention thank apologize apologise beg suggest recommend refer post send share call text type \
     get go come give let put keep try start stop begin finish lose miss break fail end leave turn happen decide \
     choose pick plan intend aim dream tend struggle wait stay sit show check fix add copy paste click open close \
     owe deserve pay forgive hurt bother confuse smell taste ache dunno gotta got please \
     both used once ever gonna wanna idk",
);

/// Past forms that do not end in -ed.
static PAST: WordList = WordList::new(
    "was were had did went came saw got made took gave found bought brought thought told said knew left lost met paid \
     put ran read sat sent sold spent stood woke won wrote ate drank drove fell felt forgot grew heard held hit hurt kept \
     led let slept spoke swam taught threw understood wore built broke began became chose caught cut done gone seen \
     been given known taken written eaten driven spoken woken worn broken begun chosen fallen forgotten grown",
);

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn a_habit_is_told_from_what_passes_by_its_verb() {
        let first = |text: &str| tokens(text, 0..text.len()).remove(0);
        for verb in ["haul", "carve", "repair", "speak", "use", "mentor"] {
            assert!(is_habit(&first(verb)), "{verb}");
        }
        for verb in ["hauled", "think", "went", "hauling", "the", "hauls", "quickly"] {
            assert!(!is_habit(&first(verb)), "{verb}");
        }
        for (verb, is) in
            [("hauls", true), ("studies", true), ("thinks", false), ("tries", false), ("haul", false)]
        {
            assert_eq!(is_habit_of_another(&first(verb)), is, "{verb}");
        }
    }
}
