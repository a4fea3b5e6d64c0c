//! Parses a question: its search terms, the speakers it asks about, and the time it names.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cues::{Plain, cues};
use crate::generic::is_generic;
use crate::intent::is_chatter;
use crate::relate::is_small;
use crate::when::{self, When};
use crate::word_list::WordList;
use crate::words::{self, Telling, Term};

/// A speaker that a question may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSpeaker {
    /// Their number in the chat.
    pub number: u16,
    /// Their name.
    pub name: String,
}

/// A parsed question.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The question without the time it names.
    pub subject: String,
    /// Its search terms.
    pub terms: Vec<Term>,
    /// The speakers it names, each with the question as that person would put it: with "I" in place of the name.
    pub about: Vec<(NamedSpeaker, String)>,
    /// The time it names.
    pub when: Option<When>,
}

/// Parses a question; times are in the person's zone.
#[must_use]
pub fn read(question: &str, speakers: &[NamedSpeaker], now: Timestamp, zone: &TimeZone) -> Asked {
    let when = when::read(question, now, zone);
    let subject = when.as_ref().map_or_else(|| question.to_owned(), |when| without(question, when));
    let about: Vec<(NamedSpeaker, String)> = speakers
        .iter()
        .filter_map(|speaker_id| Some((speaker_id.clone(), in_the_first_person(&subject, &speaker_id.name)?)))
        .collect();
    let names: Vec<String> =
        about.iter().flat_map(|(speaker_id, _)| words::terms(&speaker_id.name)).collect();
    let all = words::query_terms(&subject);
    let others: Vec<Term> = all.iter().filter(|term| !names.contains(&term.text)).cloned().collect();
    let terms = match when {
        // "What did we talk about yesterday" asks for the day, not for "talk"; "Ana, yesterday" for her day.
        Some(_) => others.into_iter().filter(|term| !is_generic(&term.text)).collect(),
        None if others.is_empty() => all,
        None => others,
    };
    Asked { subject, terms, about, when }
}

/// The place in a conversation that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What was said first.
    First,
    /// What was said last.
    Last,
}

cues! {
    FIRST =
        "first | at the beginning | at the start | to begin with | als erstes | erste | erster | erstes | zuerst | am anfang"
        "| primero | primera | primer | al principio | premier | première | en premier | au début | d'abord"
        "| 第一 | 最开始 | 最開始 | 一开始 | 一開始 | 最初 | はじめに | 初めに";
    LAST =
        "just | just now | last | most recently | a moment ago | a second ago | gerade | eben | zuletzt | als letztes | letzte | letzter"
        "| acabo de | último | última | recién | hace un momento | viens de | dernier | dernière | à l'instant"
        "| 刚才 | 剛才 | 刚刚 | 剛剛 | 最后 | 最後 | さっき | たった今 | 先ほど";
    /// Words of talking, one of which such a question has.
    TALK =
        "say | said | tell | told | mention | mentioned | talk | talked | write | wrote | ask | asked | message | word | sentence"
        "| gesagt | sagte | erzählt | erwähnt | geschrieben | gefragt | nachricht | dije | dicho | decir | conté | mensaje | escribí"
        "| dit | dite | dites | dire | raconté | écrit | demandé | 说 | 說 | 讲 | 講 | 提到 | 告诉 | 话 | 消息 | 言 | 話";
    /// Words about messages that name no subject.
    MESSAGES =
        "what's | which | very | message | messages | sentence | word | words | line | wrote | write | ask | asked | als | nachricht | satz"
        "| wort | sache | geschrieben | gefragt | mensaje | cosa | frase | palabra | escribí | chose | mot | phrase | écrit | demandé"
        "| 消息 | 句 | 话 | 話";
}

/// The place in the conversation that a question asks for, if it names nothing else: "What did I just say?".
#[must_use]
pub fn place(question: &str) -> Option<Place> {
    let plain = Plain::new(question);
    let (cues, place) =
        [(&FIRST, Place::First), (&LAST, Place::Last)].into_iter().find(|(cues, _)| cues.found_in(&plain))?;
    let rest = TALK.removed_from(&MESSAGES.removed_from(&cues.removed_from(&plain)));
    let is_empty = |word: &str| is_chatter(word) || words::terms(word).iter().all(|term| is_generic(term));
    (TALK.found_in(&plain) && rest.words().all(is_empty)).then_some(place)
}

/// Words that ask for the same as they tell: who was born on a day has a birthday, who moved somewhere lives there.
const ALIKE: &[&str] = &[
    "birthday birth born geburtstag geboren cumpleaños nacimiento nací nacido nacida nació naissance né née anniversaire 生日 出生 生 誕生 生ま",
    "live lives moved relocated wohne wohnt wohnen lebt gezogen umgezogen vivo vive mudó mudé habite habites déménagé 住 搬 引",
    "pet pets haustier haustiere mascota mascotas animal 宠 ペッ > dog cat puppy kitten rabbit hamster parrot hund katze perro gato \
     chien chat 狗 猫 犬",
    "car drive drives auto fahre coche conduzco voiture conduis 车 車",
    "job work works beruf arbeite arbeitet trabajo trabaja métier travaille 工作 仕事 働",
];

/// Returns true if a text with these terms answers a question with this term, perhaps in another word for it.
#[must_use]
pub fn is_met(term: &str, terms: &HashSet<String>) -> bool {
    let has = |words: &HashSet<String>| words.iter().any(|word| terms.contains(word));
    let is_alike = |(general, kinds): &(HashSet<String>, HashSet<String>)| {
        general.contains(term) && (has(general) || has(kinds)) || kinds.contains(term) && has(general)
    };
    terms.contains(term) || ALIKE_TERMS.iter().any(is_alike)
}

/// Each with the kinds of it, of which one is not another.
static ALIKE_TERMS: LazyLock<Vec<(HashSet<String>, HashSet<String>)>> = LazyLock::new(|| {
    let terms = |list: &str| words::terms(list).into_iter().collect();
    let parts = |alike: &&'static str| alike.split_once('>').unwrap_or((alike, ""));
    ALIKE.iter().map(parts).map(|(general, kinds)| (terms(general), terms(kinds))).collect()
});

cues! {
    /// What people did in a time that is not over yet.
    DONE =
        "did | have i | have we | i have | happened | habe ich | haben wir | passiert | hice | hicimos | he hecho | pasó | ai je | j'ai"
        "| avons nous | s'est passé | 做了 | 聊 | した";
    /// Of what changed, the latest.
    NOW =
        "now | currently | current | these days | at the moment | at present | right now | nowadays | jetzt | derzeit | aktuell | momentan"
        "| zurzeit | ahora | actualmente | hoy en día | maintenant | actuellement | en ce moment | 现在 | 現在 | 目前 | 今";
    WHO = "who is | who's | whos | who was | wer ist | wer war | quién es | quien es | quién era | qui est | c'est qui | 谁是 | 誰";
    /// Those who ask what they said themselves.
    OWN = "i | we | ich | wir | je | j'ai | nous | dije | dijimos | 我 | 我们 | 私";
}

/// The past time that a question names; of one that is not over, the part until now, if the question is about what was said
/// or done in it.
#[must_use]
pub fn past_time(question: &str, now: Timestamp, zone: &TimeZone) -> Option<When> {
    let when = when::read(question, now, zone)?;
    let plain = Plain::new(question);
    let is_told = || DONE.found_in(&plain) || TALK.found_in(&plain);
    (when.until <= now || is_told()).then(|| When { until: when.until.min(now), ..when })
}

/// Returns true if a question asks for what is so now, rather than for what was so before.
#[must_use]
pub fn asks_for_now(question: &str) -> bool {
    NOW.found_in(&Plain::new(question))
}

/// Returns true if a question asks what somebody or something said: "what did Ana say", but not "what did I say".
#[must_use]
pub fn asks_what_another_said(question: &str) -> bool {
    let plain = Plain::new(question);
    TALK.found_in(&plain) && !OWN.found_in(&plain)
}

/// Returns true if a question asks who somebody is.
#[must_use]
pub fn asks_who(question: &str) -> bool {
    WHO.open(&Plain::new(question))
}

/// Returns true if a text tells who somebody is, by a term of their name: "Priya is my doctor", "my doctor Priya".
#[must_use]
pub fn tells_who(text: &str, name: &str) -> bool {
    let all: Vec<String> = words::written(text).map(str::to_lowercase).collect();
    let is_name = |word: &str| words::terms(word).iter().any(|term| term == name);
    let is = |at: Option<usize>, list: &WordList| {
        at.and_then(|at| all.get(at)).is_some_and(|word| list.contains(word))
    };
    let tells =
        |at: usize| is(Some(at + 1), &IS_OR_OWNER) || (1..=3).any(|by| is(at.checked_sub(by), &IS_OR_OWNER));
    all.iter().enumerate().any(|(at, word)| is_name(word) && tells(at))
}

static IS_OR_OWNER: WordList = WordList::new(
    "is was are were my our his her their called named ist war mein meine unser unsere heißt namens es era mi nuestro nuestra llama \
    est était mon ma notre appelle s'appelle",
);

/// Returns true if a term of a question only says what kind of value it asks for, so that a text with it need not be about
/// the same: the type of "blood type" is none of "I type fast".
#[must_use]
pub fn is_of_any_value(term: &str) -> bool {
    ANY_VALUE_TERMS.contains(term) || is_generic(term) || is_small(term)
}

const ANY_VALUE: &str = "type kind sort name number amount size favourite favorite best preferred now currently current art sorte nummer \
    jetzt tipo nombre número favorito favorita preferido preferida ahora genre nom numéro préféré préférée maintenant";
static ANY_VALUE_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| words::terms(ANY_VALUE).into_iter().collect());

/// The question without its phrase of time, unless nothing else is left.
fn without(question: &str, when: &When) -> String {
    let before = question.get(..when.phrase.start).unwrap_or_default();
    let after = question.get(when.phrase.end..).unwrap_or_default();
    format!("{before} {after}")
}

/// The question with "I" in place of a name, or `None` if no part of the name is in it. A name that is also a common
/// word counts only if it has a capital letter within the sentence.
fn in_the_first_person(question: &str, name: &str) -> Option<String> {
    let mut put = String::with_capacity(question.len());
    let mut named = false;
    let mut rest = question;
    let mut opens = true;
    while let Some((gap, word, after)) = words::next_word(rest) {
        put.push_str(gap);
        opens = opens || gap.contains(['.', '?', '!']);
        let bare = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        let meant = |word: &str| name.split_whitespace().any(|part| is_name(word, part, opens));
        match bare {
            Some(bare) if meant(bare) => put.push_str("my"),
            _ if meant(word) => put.push('I'),
            _ => put.push_str(word),
        }
        named = named || meant(bare.unwrap_or(word));
        opens = false;
        rest = after;
    }
    put.push_str(rest);
    named.then_some(put)
}

fn is_name(word: &str, part: &str, opens: bool) -> bool {
    let same = word.to_lowercase() == part.to_lowercase();
    let common = words::telling(part) != Telling::Much;
    same && (!common || (word.starts_with(char::is_uppercase) && !opens))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(question: &str, names: &[&str]) -> Asked {
        let speakers: Vec<NamedSpeaker> = (0..)
            .zip(names)
            .map(|(number, name)| NamedSpeaker { number, name: (*name).to_owned() })
            .collect();
        let now: Timestamp = "2026-03-11T12:00:00Z".parse().unwrap();
        read(question, &speakers, now, &TimeZone::UTC)
    }

    fn terms(asked: &Asked) -> Vec<&str> {
        asked.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn a_speakers_name_is_that_speakers_i() {
        for (question, name, put) in [
            ("When did Caroline move?", "Caroline", "When did I move?"),
            ("what is ana's dog called", "Ana García", "what is my dog called"),
            ("Where did María go, and why did María go?", "María", "Where did I go, and why did I go?"),
            ("What did Will say?", "Will", "What did I say?"),
        ] {
            let asked = ask(question, &[name]);
            assert_eq!(asked.about.iter().map(|(_, put)| put.as_str()).collect::<Vec<_>>(), [put]);
            assert!(!terms(&asked).contains(&"carolin"));
        }
    }

    #[test]
    fn a_word_that_looks_like_a_name_is_not_one() {
        for (question, name) in [
            ("Will it rain?", "Will"),
            ("what will we do", "Will"),
            ("Anatomy of a frog", "Ana"),
            ("", "Ana"),
        ] {
            assert!(ask(question, &[name]).about.is_empty(), "{question}");
        }
    }

    #[test]
    fn a_question_for_a_place_in_the_talk_names_nothing_else() {
        for (question, expected) in [
            ("What did I just say?", Some(Place::Last)),
            ("what was the last thing I told you", Some(Place::Last)),
            ("What was my very first message?", Some(Place::First)),
            ("Was habe ich als Erstes gesagt?", Some(Place::First)),
            ("Was habe ich gerade gesagt?", Some(Place::Last)),
            ("¿Qué acabo de decir?", Some(Place::Last)),
            ("¿Qué fue lo primero que dije?", Some(Place::First)),
            ("Qu'est-ce que je viens de dire ?", Some(Place::Last)),
            ("Quelle est la première chose que j'ai dite ?", Some(Place::First)),
            ("我刚才说了什么？", Some(Place::Last)),
            ("我说的第一句话是什么？", Some(Place::First)),
            ("さっき何て言った？", Some(Place::Last)),
            ("最初に何を言いましたか", Some(Place::First)),
            ("What did I just say about the ferry?", None),
            ("What was my first job?", None),
            ("Wann habe ich zuletzt die Heizung gewartet?", None),
            ("What did I say?", None),
        ] {
            assert_eq!(place(question), expected, "{question}");
        }
    }

    #[test]
    fn another_word_for_the_same_is_met() {
        let held = |text: &str| words::terms(text).into_iter().collect::<HashSet<_>>();
        let met = |question: &str, text: &str| {
            words::query_terms(question).iter().any(|term| is_met(&term.text, &held(text)))
        };
        assert!(met("When is my birthday?", "I was born on 9 June 1979"));
        assert!(met("Wann ist mein Geburtstag?", "Ich bin am 9. Juni geboren"));
        assert!(met("Which pets have we?", "Our puppy eats shoes"));
        assert!(!met("Has my cat a name?", "Our puppy eats shoes"));
        assert!(!met("When is my birthday?", "The boat race is on 9 June"));
    }

    #[test]
    fn h4_the_time_is_taken_out_of_the_subject() {
        let asked = ask("What did we say about the roof two weeks ago?", &[]);
        assert_eq!(terms(&asked), ["roof"]);
        assert!(asked.when.is_some());
        for all_of_a_day in [
            "yesterday",
            "What did I say yesterday?",
            "What did Ana say yesterday?",
            "What did we talk about yesterday?",
            "what did we discuss last week",
            "Worüber haben wir gestern gesprochen?",
            "¿De qué hablamos ayer?",
            "De quoi avons-nous parlé hier ?",
            "我们昨天聊了什么？",
            "昨日は何を話しましたか",
            "어제 우리 무슨 얘기 했지?",
        ] {
            let asked = ask(all_of_a_day, &["Ana"]);
            assert!(asked.terms.is_empty() && asked.when.is_some(), "{all_of_a_day}: {asked:?}");
        }
        assert_eq!(terms(&ask("Ana", &["Ana"])), ["ana"], "a name alone is still a question");
    }

    proptest! {
        #[test]
        fn h4_any_text_can_be_asked(question in "\\PC{0,80}", name in "\\PC{0,12}") {
            let asked = ask(&question, &[&name]);
            prop_assert!(asked.terms.len() <= 64);
        }
    }
}
