//! Plain questions to the built-in model, answered from what a person told: every statement that answers, no other
//! person's, nothing that is pasted or supposed.

use crate::common::Home;
use serde_json::Value;

/// A chat of one turn a minute, and the reply to its last message.
fn reply(home: &Home, turns: &[&str]) -> String {
    let mut last = String::new();
    for (minute, text) in turns.iter().enumerate() {
        let now = format!("2026-05-06T09:{minute:02}:00Z");
        last =
            home.json(&["--now", &now, "chat", "-m", text])["reply"].as_str().unwrap_or_default().to_owned();
    }
    last
}

fn fresh() -> Home {
    Home::new().with("USER_TIMEZONE", "Europe/Lisbon").with("THROUGHLINE_MODEL", "offline")
}

/// Turns, what the last reply holds, and what it does not.
type Case = (&'static [&'static str], &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (turns, held, others) in cases {
        let reply = reply(&fresh(), turns);
        let is_right = held.iter().all(|words| reply.contains(words))
            && !others.iter().any(|words| reply.contains(words));
        if !is_right {
            wrong.push(format!("{turns:?}\n  wanted {held:?}, not {others:?}:\n  {reply}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn every_statement_that_answers_is_named_health_above_all() {
    check(&[
        (
            &[
                "I am allergic to penicillin",
                "Oh, and I'm allergic to wasp stings as well",
                "What am I allergic to?",
            ],
            &["penicillin", "wasp"],
            &[],
        ),
        (
            &[
                "I'm allergic to latex",
                "My kayak is green",
                "I am allergic to kiwi too",
                "Do I have any allergies?",
            ],
            &["latex", "kiwi"],
            &["kayak"],
        ),
        (
            &[
                "Ich bin gegen Haselnüsse allergisch",
                "Ich bin auch gegen Latex allergisch",
                "Wogegen bin ich allergisch?",
            ],
            &["Haselnüsse", "Latex"],
            &[],
        ),
        (
            &["Soy alérgica a la penicilina", "También soy alérgica al kiwi", "¿A qué soy alérgica?"],
            &["penicilina", "kiwi"],
            &[],
        ),
        (
            &[
                "Je suis allergique au latex",
                "Je suis aussi allergique aux noix",
                "À quoi suis-je allergique ?",
            ],
            &["latex", "noix"],
            &[],
        ),
        (&["我对青霉素过敏", "我对芒果也过敏", "我对什么过敏？"], &["青霉素", "芒果"], &[]),
        (
            &[
                "私はそばアレルギーがあります",
                "私は卵アレルギーもあります",
                "私は何のアレルギーがありますか？",
            ],
            &["そば", "卵"],
            &[],
        ),
        (
            &[
                "We have a rabbit called Pip",
                "I drive a tram",
                "I got a kitten named Olive",
                "Which pets do I have?",
            ],
            &["Pip", "Olive"],
            &["tram"],
        ),
    ]);
}

#[test]
fn the_statement_that_fits_the_question_is_the_answer() {
    check(&[
        (
            &[
                "Our wedding party is on 20 June in Porto",
                "I must buy shoes before the party",
                "When is the party?",
            ],
            &["20 June"],
            &["shoes"],
        ),
        (
            &["I live in Gdansk", "I moved to Perth when I was nine", "Where do I live?"],
            &["Gdansk"],
            &["Perth"],
        ),
        (
            &[
                "I work at Ikea",
                "My husband works at Airbus",
                "I worked at Nokia until 2015",
                "Where do I work?",
            ],
            &["Ikea"],
            &["Airbus", "Nokia"],
        ),
        (
            &["I work at Ikea", "My wife works at Airbus", "Where do I work?", "Where does my wife work?"],
            &["Airbus"],
            &["Ikea"],
        ),
        (&["I work at Ikea", "My wife works at Airbus", "Where do I work?"], &["Ikea"], &["Airbus"]),
        (
            &["I was born on 9 June 1979", "When is Olga's birthday?"],
            &["nothing"],
            &["nothing about that in"],
        ),
        (
            &["I work at Ikea", "I worked at Nokia until 2015", "Where have I worked?"],
            &["Ikea", "Nokia"],
            &[],
        ),
        (
            &["My cousin lives in Tartu", "My cousin moved to Riga", "Where does my cousin live?"],
            &["Riga"],
            &["Tartu"],
        ),
        (&["I was born on 9 June 1979", "When is my birthday?"], &["9 June 1979"], &["nothing"]),
        (&["Ich bin am 9. Juni 1979 geboren", "Wann habe ich Geburtstag?"], &["9. Juni"], &["nothing"]),
        (&["Nací el 9 de junio de 1979", "¿Cuándo es mi cumpleaños?"], &["9 de junio"], &["nothing"]),
        (
            &["I own a small pottery shop in Faro called Terra", "What do you know about my work?"],
            &["Terra"],
            &["nothing"],
        ),
        (&["Our sailing dinghy is called Willow", "When is Will's birthday?"], &["nothing"], &[": “When"]),
    ]);
}

#[test]
fn the_first_and_the_last_of_what_was_said_can_be_asked_for() {
    check(&[
        (&["The ferry was late", "The soup was cold", "What did I just say?"], &["soup"], &["ferry"]),
        (
            &["The ferry was late", "The soup was cold", "What was the first thing I said?"],
            &["ferry"],
            &["soup"],
        ),
        (
            &["Die Fähre kam spät", "Die Suppe war kalt", "Was habe ich gerade gesagt?"],
            &["Suppe"],
            &["Fähre"],
        ),
        (
            &["La sopa estaba fría", "El barco llegó tarde", "¿Qué fue lo primero que dije?"],
            &["sopa"],
            &["barco"],
        ),
        (
            &["La soupe était froide", "Le bateau est parti", "Qu'est-ce que je viens de dire ?"],
            &["bateau"],
            &["soupe"],
        ),
        (&["汤是凉的", "船晚点了", "我刚才说了什么？"], &["船"], &["汤"]),
    ]);
}

#[test]
fn what_is_pasted_quoted_or_supposed_is_not_the_persons_own() {
    check(&[
        (
            &[
                "I'm Tove, 41, from Bergen",
                "let owner = \"Ines\"; // my name is Ines and I live in Turin",
                "What is my name?",
            ],
            &["Tove"],
            &["Ines"],
        ),
        (
            &[
                "Translate into Dutch: \"I am allergic to walnuts and I live in Turin\"",
                "What am I allergic to?",
            ],
            &[],
            &["walnuts"],
        ),
        (
            &["If I were allergic to cats I'd have to sell the flat.", "What am I allergic to?"],
            &["nothing"],
            &["cats"],
        ),
    ]);
}

#[test]
fn a_statement_is_not_taken_for_a_question() {
    for text in [
        "My favorite river is the Minho",
        "The tallest tower in Riga is the TV tower, not the church",
        "Rehearsal with Agnes, 9.6., 19:15",
        "What a strange dream",
        "Mein Lieblingsfluss ist die Elbe",
        "Mi río favorito es el Miño",
        "Mon fleuve préféré est la Loire",
        "我最喜欢的河是长江",
        "私の好きな川は隅田川です",
    ] {
        assert_eq!(reply(&fresh(), &[text]), "Noted.", "{text}");
    }
}

#[test]
fn what_was_forgotten_is_not_quoted() {
    let home = fresh();
    reply(&home, &["My flatmate is called Okko"]);
    home.ok(&["--now", "2026-05-06T09:01:00Z", "forget", "Okko", "--yes"]);
    let asked = home.json(&["--now", "2026-05-06T09:02:00Z", "chat", "-m", "Who is Okko?"]);
    assert_eq!(asked["reply"], Value::from("I found nothing about that in what I remember."));
}

#[test]
fn j5_a_command_says_what_it_did_and_what_comes_next() {
    let home = fresh();
    assert!(reply(&home, &["/dance"]).starts_with("There is no /dance."));
    assert!(reply(&home, &["/quit"]).starts_with("There is no /quit."));
    assert_eq!(reply(&home, &["/etc/hosts is empty"]), "Noted.");
    assert_eq!(
        reply(&home, &["/remember our neighbor's cat is on a diet"]),
        "✓ Remembered: our neighbor's cat is on a diet"
    );
    assert!(
        reply(&home, &["/forget neighbor's cat"]).contains("throughline forget 'neighbor'\\''s cat' --yes")
    );
    assert_eq!(
        home.json(&["memory", "list"])["memories"].as_array().unwrap().len(),
        1,
        "nothing is forgotten yet"
    );
}
