//! What stands around a statement and is no part of it: openers, reasons, times that lead in, subjects left out, politeness.

use jiff::civil::Date;

use super::classes;
use super::token::Token;
use super::{day, pattern, verb};
use crate::word_list::WordList;

/// What leads into a clause.
pub struct Lead {
    /// How many tokens it has.
    pub length: usize,
    /// Whether it gives a reason, which is stated even within a question.
    pub is_reason: bool,
}

/// What leads into the words.
pub fn lead(words: &[Token]) -> Lead {
    let mut lead = Lead { length: 0, is_reason: false };
    while let Some(rest) = words.get(lead.length..).filter(|rest| !rest.is_empty()) {
        let starts = |list: &str| {
            let lengths = list.split('|').map(|opener| {
                let opener: Vec<&str> = opener.split_whitespace().collect();
                // "No jokes" leads into nothing.
                let is_denial = opener == ["no"] && rest.get(1).is_some_and(is_denied);
                let same = opener.iter().zip(rest).filter(|(word, token)| **word == token.text).count();
                (same == opener.len() && !is_denial).then_some(same)
            });
            lengths.flatten().next()
        };
        let reason = starts(REASONS);
        lead.is_reason |= reason.is_some();
        let is_mark = rest.first().is_some_and(Token::is_mark);
        match reason.or_else(|| starts(OPENERS)).or(is_mark.then_some(1)) {
            Some(length) => lead.length += length,
            None => break,
        }
    }
    lead
}

/// Whether "no" before a word denies it, rather than answering.
fn is_denied(next: &Token) -> bool {
    !next.is_mark() && !classes::EMPTY.contains(&next.text) && !classes::VERB.contains(&next.text)
}

/// Longer ones first, so that none hides behind its own beginning. An aim may stand in an open condition.
const REASONS: &str = "given that | now that | seeing as | considering that | considering | because | cause | cuz | \
     since | as | if";

const OPENERS: &str = "just fyi | just a heads up | heads up | by the way | just so you know | for what it 's worth | for the record | for context | as i said | as for me | for my part | me , | \
     as you know | as i mentioned | like i said | keep in mind that | keep in mind | \
     please remember that | please remember | remember that | remember | note that | \
     please note that | you know that | i told you that | i told you | i should mention that | \
     i should mention | i forgot to mention that | i forgot to mention | i should add that | \
     did i mention that | turns out that | turns out | it turns out that | it turns out | \
     the thing is | the truth is | fun fact | good news | bad news | big news | quick update | \
     update | to be honest | in case it matters | in other news | one more thing | wait no | no wait | \
     good morning | good evening | and | but | so | oh | well | ok | okay | hey | hi | hello | btw | \
     also | anyway | actually | honestly | look | yeah | yes | yep | no | nope | hmm | ugh | wait | \
     fyi | sorry | thanks | lol | haha | then | plus | though | although | while | ps | hence | \
     morning | apparently | unfortunately | luckily | sadly | again | basically | obviously | \
     personally | please | correction | nah | right | sure | um | uh | que | pues | hola | hallo | \
     übrigens | che | bueno";

/// The words after a time that leads in: "On 12 June we …".
pub fn after_time(body: &[Token], today: Date) -> &[Token] {
    let Some(when) = day::read(body, 0, today) else { return body };
    let comma = body.get(when.tokens.end).is_some_and(|token| token.text == ",");
    let rest = body.get(when.tokens.end + usize::from(comma)..).unwrap_or_default();
    let is_subject = rest
        .first()
        .is_some_and(|token| classes::ME.contains(&token.text) || classes::MY.contains(&token.text))
        || rest.first().is_some_and(|token| SUBJECTS_ABROAD.contains(&token.text));
    if is_subject { rest } else { body }
}

/// The words after what leads in with no comma: "In winter I …", "By day my wife …".
pub fn after_adverbial(spoken: &[Token]) -> &[Token] {
    let is_led = spoken.first().is_some_and(|first| ADVERBIAL.contains(&first.text));
    let subject = (1..spoken.len().min(LONGEST_ADVERBIAL)).find(|at| {
        let is_own = |token: &Token| classes::ME.contains(&token.text);
        spoken.get(*at).is_some_and(is_own) || *at > 1 && pattern::close(spoken, *at).is_some()
    });
    let between = |at: usize| spoken.get(1..at).unwrap_or_default();
    let is_plain = |at: usize| !between(at).iter().any(|token| classes::VERB.contains(&token.text));
    subject.filter(|at| is_led && is_plain(*at)).and_then(|at| spoken.get(at..)).unwrap_or(spoken)
}

/// The most words that lead into a clause with no comma.
const LONGEST_ADVERBIAL: usize = 8;
static ADVERBIAL: WordList = WordList::new(
    "in at on after before most these by for during here back right every once nowadays outside inside with without despite",
);

/// How a German or Spanish clause continues after its time.
static SUBJECTS_ABROAD: WordList =
    WordList::new("ich wir habe haben fliege fliegen fahre fahren mein meine tengo tenemos mi viajo");

/// The subject that people leave out before such a word.
pub fn understood(words: &[Token]) -> Option<&'static [&'static str]> {
    let first = words.iter().find(|token| !classes::ADVERB.contains(&token.text) || token.text == "not")?;
    let word = first.text.as_str();
    match word {
        "been" => Some(&["i", "have"]),
        _ if LEFT_OUT.contains(word) || verb::is_past(word) => Some(&["i"]),
        _ if LEFT_OUT_BE.contains(word) || verb::is_progress(first) => Some(&["i", "am"]),
        _ => None,
    }
}

/// Verbs that nobody gives as an order, so that a person who begins with them tells of themselves.
static LEFT_OUT: WordList = WordList::new(
    "am have can got love hate prefer live work want hope plan intend aim enjoy dislike detest used dream mean \
     own study suffer come",
);
/// What begins a clause without "I am"; verbs in -ing do too.
static LEFT_OUT_BE: WordList = WordList::new(
    "trying hoping planning saving training looking aiming allergic determined fluent not big huge into fond keen obsessed \
     partial off set more",
);

/// How many tokens at the end add nothing.
pub fn trailing(words: &[Token]) -> usize {
    let texts: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
    let mut kept = texts.as_slice();
    loop {
        let cut = TRAILING.split('|').find_map(|ending| {
            let ending: Vec<&str> = ending.split_whitespace().collect();
            // "Metric is how I think" ends with its verb.
            kept.strip_suffix(ending.as_slice()).filter(|rest| !matches!(rest.last(), Some(&"how" | &"what")))
        });
        let mark = kept.split_last().filter(|(last, _)| !last.chars().any(char::is_alphanumeric));
        match cut.or(mark.map(|(_, rest)| rest)) {
            Some(rest) => kept = rest,
            None => return words.len() - kept.len(),
        }
    }
}

const TRAILING: &str = "by the way | i guess | i think | i suppose | to be honest | thank you | lol | haha | hahaha | \
     btw | tbh | please | pls | thanks | thx | though | anyway | and | so | but | right | ok | okay | \
     fyi | xd | or | bitte | danke | gracias";
