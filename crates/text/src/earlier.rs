//! Whether a statement or a question is about what was so once and is no longer.

use jiff::civil::Date;

use crate::cues::{Plain, cues};
use crate::words::written;

cues! {
    /// Words with which people tell of earlier times.
    ONCE =
        "used to | formerly | back then | when i was | when we were | as a child | as a kid | as a student | in my youth"
        "| i worked | i lived | i studied | we lived | i had worked | i had lived | i was a | i was an"
        "| früher | damals | ehemals | als kind | als ich | ich arbeitete | ich wohnte | ich lebte"
        "| antes | cuando era | de niño | de niña | en aquel entonces | trabajé | trabajaba | viví | vivía"
        "| autrefois | à l'époque | quand j'étais | enfant j' | je travaillais | j'habitais | j'ai travaillé | j'ai habité"
        "| 以前 | 曾经 | 曾經 | 小时候 | 小時候 | 当时 | 昔は | 昔、 | 子供の頃 | 子どもの頃 | 当時 | ていました | ていた";
    /// Questions that ask for earlier times as well.
    ASKS_EVER =
        "have i | have we | did i | did we | i've ever | used to | ever | so far | in my life"
        "| habe ich | haben wir | hatte ich | war ich | jemals | früher | bisher"
        "| he | hemos | alguna vez | trabajé | viví | trabajaba | vivía | antes"
        "| ai je | j'ai | avons nous | déjà | autrefois | travaillais | habitais"
        "| 过 | 過 | 以前 | 曾经 | 曾經 | たことが | ましたか | 昔";
    /// Words before the end of a time.
    UNTIL = "until | till | to | through | bis | hasta | jusqu'en | jusqu'à";
}

/// Returns true if a statement tells of an earlier time, by its words or by a year in which the time ended.
#[must_use]
pub fn is_of_earlier(statement: &str, today: Date) -> bool {
    if ONCE.found_in(&Plain::new(statement)) {
        return true;
    }
    let is_before = |word: &str| word.parse::<i16>().is_ok_and(|year| (1900..today.year()).contains(&year));
    let words: Vec<&str> = written(statement).collect();
    words
        .windows(2)
        .any(|pair| matches!(pair, [until, year] if UNTIL.is(&Plain::new(until)) && is_before(year)))
}

/// Returns true if a question also asks for what was so before.
#[must_use]
pub fn asks_of_earlier(question: &str) -> bool {
    ASKS_EVER.found_in(&Plain::new(question))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = Date::constant(2026, 3, 2);

    #[test]
    fn what_was_so_once_is_told_from_what_is_so() {
        for text in [
            "I worked at Bosch until 2014",
            "We moved to Lima when I was three",
            "I used to live in Perth",
            "Ich habe bis 2011 in Ulm gewohnt",
            "Früher wohnte ich in Ulm",
            "Trabajé en Lugo de camarera",
            "J'habitais à Metz",
            "我小时候住在西安",
            "以前は京都に住んでいました",
        ] {
            assert!(is_of_earlier(text, TODAY), "{text}");
        }
        for text in [
            "I work at Bosch",
            "We moved to Lima in May",
            "I live in Perth until 2028",
            "Ich wohne in Ulm",
            "Trabajo en Lugo",
            "J'habite à Metz",
            "我住在西安",
            "京都に住んでいます",
            "I have been a nurse since 2009",
        ] {
            assert!(!is_of_earlier(text, TODAY), "{text}");
        }
    }

    #[test]
    fn a_question_for_what_is_so_is_told_from_one_for_earlier_times() {
        for text in [
            "Where have I worked?",
            "Wo habe ich gewohnt?",
            "¿Dónde he vivido?",
            "Où ai-je habité ?",
            "我住过哪里？",
        ] {
            assert!(asks_of_earlier(text), "{text}");
        }
        for text in
            ["Where do I work?", "Wo wohne ich?", "¿Dónde vivo?", "Où est-ce que j'habite ?", "我住在哪里？"]
        {
            assert!(!asks_of_earlier(text), "{text}");
        }
    }
}
