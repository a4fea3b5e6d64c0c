use proptest::prelude::*;

use super::*;
use crate::summarize::merged;
use crate::tokens::estimate;

fn said(text: &str) -> Spoken<'_> {
    Spoken { is_person: true, speaker: None, text, day: None }
}

fn answered(text: &str) -> Spoken<'_> {
    Spoken { is_person: false, speaker: None, text, day: None }
}

fn of(talk: &[Spoken<'_>]) -> Sections {
    extractive(talk, &Sections::default())
}

fn person(text: &str) -> Sections {
    of(&[said(text)])
}

#[test]
fn d4_each_sentence_goes_to_its_section() {
    let only = |text: &str, section: Section| {
        let mut expected = Sections::default();
        section.of(&mut expected).push(text.to_owned());
        (text.to_owned(), expected)
    };
    let wrong: Vec<String> = [
        only("We decided to rent the smaller hall.", Section::Decisions),
        only("Let's go with the oak floor.", Section::Decisions),
        only("Wir haben beschlossen, den Zug zu nehmen.", Section::Decisions),
        only("我们决定用第二个方案。", Section::Decisions),
        only("I want to learn the cello before winter.", Section::Goals),
        only("Quiero correr una media maratón.", Section::Goals),
        only("I haven't decided which school is better.", Section::Goals),
        only("The second upload failed with a timeout.", Section::Outcomes),
        only("Rebooting the router didn't work.", Section::Outcomes),
        only("J'ai essayé le nouveau filtre hier.", Section::Outcomes),
        only("Remind me to water the ferns.", Section::Pending),
        only("I have to return the library books by Thursday.", Section::Pending),
        only("提醒我明天给妈妈打电话。", Section::Pending),
        only("Never schedule anything before nine.", Section::Facts),
        only("The boiler was made in 1987.", Section::Facts),
        only("My physiotherapist is Dr. Okafor.", Section::Facts),
        only("I don't eat shellfish.", Section::Facts),
        only("Ich bin gegen Katzen allergisch.", Section::Facts),
        only("我住在成都。", Section::Facts),
    ]
    .into_iter()
    .filter(|(text, expected)| person(text) != *expected)
    .map(|(text, _)| format!("{text}: {:?}", person(&text)))
    .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn d4_a_span_with_nothing_worth_keeping_gives_nothing() {
    let chatter = [
        "Good morning!",
        "thanks a lot",
        "haha nice",
        "Sounds good.",
        "ok",
        "I see.",
        "Hello there, how are you?",
        "Tell me a joke about 3 penguins",
        "What is the capital of Australia?",
        "Translate 'good night' into Italian",
        "you're welcome",
        "好的",
        "lol 😂",
    ];
    let both = chatter.iter().flat_map(|text| [said(text), answered("Sure, here you go!")]);
    assert_eq!(of(&both.collect::<Vec<_>>()), Sections::default());
}

#[test]
fn l2_numbered_notes_become_one_line_with_their_count() {
    let texts: Vec<String> = (1..=22).map(|n| format!("Message {n}")).collect();
    let talk = texts.iter().flat_map(|text| [said(text), answered("Noted.")]).collect::<Vec<_>>();
    let sections = of(&talk);
    assert_eq!(sections.lines().collect::<Vec<_>>(), ["Message 1 … Message 22 (22 alike)"]);
}

#[test]
fn d4_an_accepted_plan_is_a_decision_and_a_refused_one_is_not() {
    let plan = "Here is a plan:\n1. Agree on the resources\n2. Write the schema\n3. Build the endpoints\n4. Test with Ana\nShall we?";
    let kept = "1. Agree on the resources 2. Write the schema 3. Build the endpoints 4. Test with Ana";
    for yes in ["ok, let's do that", "Yes", "sounds good", "Let's go with that.", "Ja, gerne", "好"] {
        assert_eq!(
            of(&[said("Let's plan the API design"), answered(plan), said(yes)]).decisions,
            [kept],
            "{yes}"
        );
    }
    for no in ["No, that takes too long", "Why the schema first?", "thanks, I will think about it"] {
        let sections = of(&[answered(plan), said(no)]);
        assert!(sections.decisions.is_empty(), "{no}: {sections:?}");
    }
}

#[test]
fn d4_two_people_are_kept_in_their_own_words_and_without_manners() {
    let by = |name, text| Spoken { is_person: name == "Ana", speaker: Some(name), text, day: None };
    let sections = of(&[
        by("Ana", "Hey Ben! Great to see you! How have you been?"),
        by("Ben", "Thanks, Ana, I started a pottery class in Leeds yesterday. It was awesome!"),
        by("Ana", "Wow, that's so cool, Ben! I'm so happy for you!"),
        by("Ana", "My sister moved to Bergen with her two kids."),
    ]);
    assert_eq!(
        sections.lines().collect::<Vec<_>>(),
        [
            "Ben: I started a pottery class in Leeds yesterday.",
            "Ana: My sister moved to Bergen with her two kids."
        ]
    );
}

#[test]
fn d4_only_open_questions_are_kept() {
    let sections = of(&[
        said("Which paint dries faster on brick?"),
        answered("Silicate paint."),
        said("Who repairs old clocks around here?"),
        answered("I don't know of anybody."),
        said("Does the museum lend its ladders?"),
        said("never mind"),
        said("Is the ferry running in winter?"),
    ]);
    assert_eq!(sections.goals, ["Who repairs old clocks around here?", "Does the museum lend its ladders?"]);
}

#[test]
fn d4_no_secret_and_no_quotation_is_kept() {
    let sections = of(&[
        said("My password is hunter2hunter2xyz."),
        said("My password is [redacted:password], remember."),
        said("> my account is 4471-2290\nfunny, right"),
        said("```\nmy port is 8443\n```"),
        answered("The Eiffel Tower is 330 meters tall and opened in 1889."),
    ]);
    assert_eq!(sections, Sections::default());
}

#[test]
fn d4_in_a_group_the_speaker_stands_before_the_sentence() {
    let by = |name, text| Spoken { speaker: Some(name), ..said(text) };
    let alone = of(&[by("Ana", "I live in Porto.")]);
    assert_eq!(alone.facts, ["I live in Porto."]);
    let group = of(&[by("Ana", "I live in Porto."), by("Bo", "I live in Turku.")]);
    assert_eq!(group.facts, ["Ana: I live in Porto.", "Bo: I live in Turku."]);
}

#[test]
fn d4_what_the_assistant_echoes_or_a_summary_holds_is_not_kept_twice() {
    let said = [
        said("My locker number is 55120."),
        answered("Noted, your locker number is 55120."),
        answered("Your booking reference is QX7712."),
    ];
    let first = of(&said);
    assert_eq!(first.facts, ["My locker number is 55120.", "Your booking reference is QX7712."]);
    assert_eq!(extractive(&said, &first), Sections::default());
}

/// Eight sentences of different sorts, and what must be found of each.
const BURIED: [(&str, &str); 8] = [
    ("By the way, the reverse proxy on the old machine listens on port 7719.", "7719"),
    ("I'm allergic to walnuts, so careful with the recipes.", "walnuts"),
    ("The colleague who signs off on travel is Thandiwe Mokoena.", "Thandiwe Mokoena"),
    ("We talked it over at home and decided to keep the piano.", "keep the piano"),
    ("The grant application has to be in by 9 October.", "9 October"),
    ("My customer number at the waterworks is 30-558-2291.", "30-558-2291"),
    ("I'd rather get short answers without bullet points.", "short answers"),
    ("Our summer cabin is near Hamina, right by the sea.", "Hamina"),
];

/// What people say when they say nothing in particular, with the assistant's answer.
const CHATTER: [(&str, &str); 24] = [
    ("morning! did you sleep well, haha", "Good morning! I don't sleep, but I'm glad you're here."),
    ("it's raining again", "Sounds like a good day to stay in with some tea."),
    ("what's a synonym for happy?", "Cheerful, content, joyful or delighted would all work."),
    ("ok thanks", "You're welcome! Anything else?"),
    (
        "I watched a documentary about octopuses last night",
        "Octopuses are fascinating! They have three hearts.",
    ),
    ("can you explain what inflation is", "Inflation is a general rise in prices over time."),
    ("hmm I see", "Let me know if you want more detail."),
    ("lunch was pretty good today", "Nice! What did you have?"),
    ("just soup and bread", "Simple meals are often the best."),
    ("tell me a fun fact about space", "A day on Venus is longer than a year on Venus."),
    ("wow, didn't know that", "Space is full of surprises."),
    ("I'm a bit tired", "Maybe take a short break."),
    ("how do I get coffee stains out of a shirt?", "Try cold water first, then a little vinegar."),
    ("that worked, thank you!", "Great, glad to hear it."),
    ("what should I cook for dinner?", "How about a vegetable curry with rice?"),
    ("maybe, sounds tasty", "Would you like a recipe?"),
    ("no, I'll figure it out", "Enjoy your dinner!"),
    ("the neighbors are loud today", "That can be annoying. Headphones might help."),
    ("good idea", "Happy to help."),
    ("who painted the Mona Lisa?", "Leonardo da Vinci painted it in the early 1500s."),
    ("right, of course", "It hangs in the Louvre in Paris."),
    ("I went for a long walk along the river", "That sounds refreshing."),
    ("yes, the air was nice", "Fresh air does wonders."),
    ("talk to you later", "Talk soon!"),
];

/// The eight facts, then `turns` turns of chatter, compacted every 20 messages.
fn buried_under(turns: usize) -> Sections {
    let facts = BURIED.iter().map(|(fact, _)| (*fact, "Okay, noted."));
    let chatter = CHATTER.iter().cycle().take(turns).copied();
    let messages: Vec<Spoken<'_>> =
        facts.chain(chatter).flat_map(|(asked, answer)| [said(asked), answered(answer)]).collect();
    messages.chunks(20).fold(Sections::default(), |previous, span| {
        let new = extractive(span, &previous);
        merged(&previous, new, 900)
    })
}

#[test]
fn d4_eight_facts_are_found_under_48_and_under_200_turns() {
    for turns in [48, 200] {
        let text = buried_under(turns).render();
        let lost: Vec<&str> =
            BURIED.iter().map(|(_, word)| *word).filter(|word| !text.contains(word)).collect();
        assert!(lost.is_empty(), "lost {lost:?} under {turns} turns:\n{text}");
        assert!(estimate(&text) <= 900);
    }
}

#[test]
fn d4_little_of_the_chatter_is_kept() {
    let kept = buried_under(200).lines().count() - BURIED.len();
    assert!(kept <= 6, "{kept} lines besides the facts:\n{}", buried_under(200).render());
}

proptest! {
    #[test]
    fn d4_every_line_was_said_in_these_words(
        texts in proptest::collection::vec("(\\PC{0,40}|[A-Z][a-z]{1,7}|my|is|I|want|to|we|decided|[0-9]{1,6}|\\.|\\?| |\n){0,60}", 1..8),
    ) {
        let talk: Vec<Spoken<'_>> = texts.iter().map(|text| said(text)).collect();
        let said: Vec<String> = texts.iter().map(|text| letters(&text.to_uppercase())).collect();
        for line in of(&talk).lines() {
            prop_assert!(line.chars().count() <= LONGEST_SENTENCE);
            // A series is told by its first and its last.
            let series = line.strip_suffix(" alike)").and_then(|line| line.rsplit_once(" ("));
            for told in series.map_or(line, |(ends, _)| ends).split(" … ") {
                prop_assert!(said.iter().any(|said| said.contains(&letters(&told.to_uppercase()))), "{line}");
            }
        }
    }
}

#[test]
fn d4_what_is_supposed_cited_or_programmed_is_no_fact() {
    for text in [
        "If I were an astronaut I'd leave the bakery next week.",
        "Si fuera millonaria dejaría la panadería mañana.",
        "如果我是宇航员，我就住在月球上。",
        "Translate into Dutch: \"I am allergic to walnuts and I live in Turin\"",
        "let owner = \"Ines\"; // my name is Ines and I live in Turin",
        "Dear Ms Okoye,\nI have moved to Lagos and I teach chemistry now.\nKind regards,\nTunde",
    ] {
        assert_eq!(person(text).lines().collect::<Vec<_>>(), [""; 0], "{text}");
    }
    let kept = person("My surgeon said the left knee heals in June. If it rains, the pump starts by itself.");
    assert_eq!(kept.facts, ["My surgeon said the left knee heals in June."]);
}

#[test]
fn d4_what_is_pending_names_the_day_it_meant() {
    let day = Some(jiff::civil::date(2026, 5, 6));
    let on = |text| of(&[Spoken { day, ..said(text) }]);
    assert_eq!(
        on("I have to fetch the violin tomorrow.").pending,
        ["I have to fetch the violin tomorrow. (2026-05-07)"]
    );
    assert_eq!(
        on("I have to fetch the violin on 12 June.").pending,
        ["I have to fetch the violin on 12 June."]
    );
}

#[test]
fn l2_a_series_is_the_topic_of_its_summary() {
    let notes: Vec<String> = (3..9).map(|number| format!("Lap {number}")).collect();
    let talk: Vec<Spoken<'_>> = notes.iter().map(|note| said(note)).collect();
    assert_eq!(crate::summarize::topics(&of(&talk), 3), ["Lap 3 … Lap 8"]);
}
