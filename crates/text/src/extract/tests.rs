//! Grades extraction on exchanges that the network was not trained on, and on texts that nobody would write.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../training/extraction/");

/// Monday, 16 November 2026, at noon.
fn noon() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

/// What is kept of a message, as a turn keeps it.
fn kept(text: &str, at: Timestamp) -> Vec<Candidate> {
    let today = TimeZone::UTC.to_datetime(at).date();
    let reading = Reading::of(text);
    let found = reading.candidates(at, &TimeZone::UTC).into_iter();
    found.filter(|candidate| gate::admit(candidate, &reading, today).is_ok()).collect()
}

#[derive(Debug, Default)]
struct Grade {
    right: usize,
    kept: usize,
    found: usize,
    expected: usize,
    forbidden: usize,
    /// Exchanges that teach nothing, from which something was learned.
    fooled: usize,
}

impl Grade {
    fn of(file: &str) -> Self {
        let mut grade = Self::default();
        for line in std::fs::read_to_string(format!("{SETS}{file}")).unwrap().lines() {
            let exchange: Value = serde_json::from_str(line).unwrap();
            let at = exchange["at"].as_str().unwrap().parse().unwrap();
            let kept = kept(exchange["user"].as_str().unwrap(), at);
            let expected = exchange["expect"].as_array().unwrap();
            let has = |text: &str, part: &Value| {
                text.to_lowercase().contains(&part.as_str().unwrap().to_lowercase())
            };
            let meets = |one: &Value, candidate: &Candidate| {
                one["kind"] == candidate.kind.as_str()
                    && one["must"].as_array().unwrap().iter().all(|part| has(&candidate.text, part))
            };
            let forbidden = exchange["forbid"].as_array().unwrap();
            grade.kept += kept.len();
            grade.right += kept.iter().filter(|it| expected.iter().any(|one| meets(one, it))).count();
            grade.expected += expected.len();
            grade.found += expected.iter().filter(|one| kept.iter().any(|it| meets(one, it))).count();
            let is_kept = |part: &&Value| kept.iter().any(|it| has(&it.text, part));
            let learned = forbidden.iter().filter(is_kept).count();
            grade.forbidden += learned;
            grade.fooled += usize::from(learned > 0 && expected.is_empty());
        }
        grade
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.kept as f64
    }

    fn recall(&self) -> f64 {
        self.found as f64 / self.expected as f64
    }
}

#[test]
fn i2_most_of_what_unseen_authors_tell_is_found_and_most_of_what_is_found_is_right() {
    for (file, precision, recall) in [
        ("heldout.jsonl", 0.73, 0.57),
        ("heldout-2.jsonl", 0.91, 0.78),
        ("heldout-3.jsonl", 0.92, 0.66),
        ("heldout-4.jsonl", 0.88, 0.81),
    ] {
        let grade = Grade::of(file);
        assert!(grade.precision() >= precision && grade.recall() >= recall, "{file}: {grade:?}");
    }
}

#[test]
fn i2_little_is_learned_from_text_that_only_looks_like_a_statement() {
    let grade = Grade::of("poison.jsonl");
    assert!(grade.fooled <= 6, "{grade:?}");
}

#[test]
fn i2_an_introduction_is_learned_with_or_without_small_talk_around_it() {
    for message in [
        "Mein Name ist Jonas Ebert und ich wohne in Fulda",
        "Good evening! I work as a welder in Gdansk. What should I cook?",
        "Bonjour, je suis infirmière à Nantes. Une idée ?",
        "Thanks, that helped. I live in Tampere with my two dogs.",
    ] {
        assert!(!kept(message, noon()).is_empty(), "{message}");
    }
}

#[test]
fn i2_what_stands_beside_the_words_of_another_is_still_learned() {
    for (message, own, foreign) in [
        ("I'm a nurse in Leeds. Translate this: I live in Oslo", "Leeds", "Oslo"),
        (
            "Tom: I'm moving to Rome in May\nAna: I'm vegan\n\nI live in Porto with my two cats.",
            "Porto",
            "Rome",
        ),
        (
            "Ich bin Tierärztin in Husum. Ist der Satz richtig: Ich wohne seit drei Jahre in Wien",
            "Husum",
            "Wien",
        ),
    ] {
        let kept = kept(message, noon());
        assert!(kept.iter().any(|it| it.text.contains(own)), "{message}: {kept:?}");
        assert!(!kept.iter().any(|it| it.text.contains(foreign)), "{message}: {kept:?}");
    }
}

#[test]
fn i1_plain_statements_are_found_in_every_language() {
    use Kind::{Date as Day, Fact, Goal, Preference};
    for (message, kind, part) in [
        ("I live in Porto with my two cats.", Fact, "Porto"),
        ("Don't forget my dentist appointment is on March 3", Day, "March 3"),
        ("I prefer short answers without emojis", Preference, "short answers"),
        ("My goal is to run a marathon by October", Goal, "marathon"),
        ("Ich wohne seit zwei Jahren in Leipzig.", Fact, "Leipzig"),
        ("Soy alérgico a los mariscos", Fact, "mariscos"),
        ("Je travaille comme infirmière à Lyon.", Fact, "infirmière"),
        ("我对花生过敏", Fact, "花生"),
        ("来月の10日に歯医者の予約があります。", Day, "10日"),
    ] {
        let kept = kept(message, noon());
        assert!(kept.iter().any(|it| it.kind == kind && it.text.contains(part)), "{message}: {kept:?}");
    }
}

#[test]
fn i6_a_goal_has_its_deadline_and_a_date_its_day() {
    for (message, kind, text, day) in [
        (
            "I need to launch the API by Q2 2027",
            Kind::Goal,
            "I need to launch the API by Q2 2027",
            "2027-06-30",
        ),
        ("Don't forget my team offsite is on March 15", Kind::Date, "Team offsite: March 15", "2027-03-15"),
    ] {
        let found =
            kept(message, noon()).into_iter().map(|it| (it.kind, it.text, it.day)).collect::<Vec<_>>();
        assert_eq!(found, [(kind, text.to_owned(), Some(day.parse().unwrap()))], "{message}");
    }
}

#[test]
fn i5_a_statement_to_keep_has_its_likeliest_kind() {
    for (text, kind) in [
        ("I prefer Singapore Standard Time (UTC+8) for all scheduling", Kind::Preference),
        ("I am allergic to peanuts", Kind::Fact),
        ("finish my thesis by June", Kind::Goal),
    ] {
        assert_eq!(stated(text, None, noon().to_zoned(TimeZone::UTC).date()).kind, kind, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        for candidate in Reading::of(&text).candidates(noon(), &TimeZone::UTC) {
            prop_assert!(text.get(candidate.span).is_some());
        }
    }
}

#[test]
fn a_message_is_read_for_so_many_statements_and_a_document_for_none() {
    let told =
        ["I have a dog named", "My aunt lives in", "I used to work at", "I'm allergic to", "I don't like"];
    let many: String =
        told.iter().cycle().zip(0..200).map(|(told, n)| format!("{told} Quarter{n:03}. ")).collect();
    let found = Reading::of(&many).candidates(noon(), &TimeZone::UTC);
    assert_eq!(found.len(), MOST, "{found:?}");
    let endless = "I live in Ghent and ".repeat(400);
    let longest =
        Reading::of(&endless).candidates(noon(), &TimeZone::UTC).iter().map(|one| one.span.len()).max();
    assert!(longest.is_some_and(|longest| longest <= LONGEST_SENTENCE), "{longest:?}");
    assert_eq!(Reading::of(&many.repeat(10)).candidates(noon(), &TimeZone::UTC), []);
}

#[test]
fn i2_a_question_without_its_mark_is_not_learned() {
    for message in [
        "when is my sisters birthday",
        "ok where do i live now",
        "what do you know about my dog",
        "is my dentist appointment on march 3",
        "wo wohne ich",
        "wann hat meine Schwester Geburtstag",
        "dónde trabajo",
        "quand est mon anniversaire",
        "我住在哪里",
        "私の誕生日はいつ",
    ] {
        assert_eq!(kept(message, noon()), [], "{message}");
    }
}

#[test]
fn i2_little_small_talk_is_learned_and_most_short_statements_are() {
    let learned =
        |list: &str| list.split('|').filter(|message| !kept(message.trim(), noon()).is_empty()).count();
    let small_talk = "I'm on the phone|I'm almost there|I'm still thinking|my pleasure|I'm outside|I'm listening|\
        I'm in the queue|I'm making tea|I'm reading your answer|I'm not sure|I'm sick of this|I knew it|I missed it|\
        I hear you|I'm all ears|my turn now|I'd rather not|I wish|Ich bin gleich fertig|Ich komme gleich|j'ai sommeil|\
        j'ai fini|我先走了|我看看|yo ya terminé|ya lo tengo|もう着いた|今行く|I'm texting from the train|my battery is low";
    assert!(learned(small_talk) <= 4, "{} of 30 are learned", learned(small_talk));
    let statements = "My favourite fruit is mango|My email is bram@dyke.example|Mein Nachname ist Kurz|J'ai 58 ans|\
        我在深圳|My favourite band is Air|I have a parrot|I'm a widow|I own a bakery|I'm lactose intolerant|\
        My mother is 80|I grew up in Fife|My middle name is Jo|I speak Danish|I drive a tram|\
        Ich habe einen Papagei|Ich bin Witwer|Meine Mutter ist 80|Mein Lieblingsessen ist Grünkohl|\
        J'ai un perroquet|Ma mère a 80 ans|Mon plat préféré est la raclette|Tengo un loro|Mi madre tiene 80 años|\
        Mi comida favorita es la paella|我有一只鹦鹉|我妈八十岁|私はパン屋です|母は八十歳です|I can't swim";
    assert!(learned(statements) >= 24, "{} of 30 are learned", learned(statements));
}

#[test]
fn i2_a_statement_beside_a_question_about_something_else_is_learned() {
    let questions =
        ["What should I cook?", "Any ideas for the weekend?", "What's a good book?", "How do I fix a tap?"];
    let statements = "I live in Lisbon.|I'm vegan.|I'm allergic to nuts.|I work as a nurse.|My name is Bea.|I have two kids.|\
        Ich wohne in Ulm.|Ich bin Koch.|J'habite à Metz.|Vivo en Vigo.|My dog is called Rex.|I'm 34.";
    let missed: Vec<String> = statements
        .split('|')
        .flat_map(|statement| questions.map(|question| format!("{statement} {question}")))
        .filter(|message| kept(message, noon()).is_empty())
        .collect();
    assert!(missed.len() <= 5, "{missed:?}");
}

#[test]
fn i1_all_that_a_short_message_tells_of_the_person_is_learned() {
    for (message, parts) in [
        ("I live in Lisbon. I'm allergic to peanuts.", ["Lisbon", "peanuts"]),
        ("I live in Lisbon and I am allergic to peanuts.", ["Lisbon", "peanuts"]),
        ("I work at Bosch. I have two kids.", ["Bosch", "kids"]),
        ("I'm vegan and my wife is a vet", ["vegan", "vet"]),
    ] {
        let kept = kept(message, noon());
        assert!(parts.iter().all(|part| kept.iter().any(|it| it.text.contains(part))), "{message}: {kept:?}");
    }
}
