use proptest::prelude::*;

use super::*;

fn choice(options: &[&str]) -> Expected {
    Expected::Choice(options.iter().map(ToString::to_string).collect())
}

#[test]
fn e3_the_last_question_says_what_it_waits_for() {
    use Expected::{Date, Email, Number, Text, Url, YesNo};
    let wrong: Vec<String> = [
        ("Sure. When does your lease end?", Some(Date)),
        ("What day works for the plumber?", Some(Date)),
        ("Wann fährst du los?", Some(Date)),
        ("¿Qué día llegas?", Some(Date)),
        ("好的。你什么时候出发？", Some(Date)),
        ("Great! How many guests are coming?", Some(Number)),
        ("Wie alt ist dein Hund?", Some(Number)),
        ("一共多少人？", Some(Number)),
        ("Shall I cancel the order?", Some(YesNo)),
        ("I found a slot at noon. Do you want me to book it? It is free of charge.", Some(YesNo)),
        ("So you live upstairs, right?", Some(YesNo)),
        ("Soll ich den Termin absagen?", Some(YesNo)),
        ("¿Quieres que lo guarde?", Some(YesNo)),
        ("要不要我帮你订票？", Some(YesNo)),
        ("What's your email address?", Some(Email)),
        ("Could you share the link to the listing?", Some(Url)),
        ("Do you want tea or coffee?", Some(choice(&["tea", "coffee"]))),
        ("Do you prefer plums, figs, or pears for this?", Some(choice(&["plums", "figs", "pears"]))),
        ("Are you coming or not?", Some(YesNo)),
        ("Can you paste the link?", Some(Url)),
        ("Which size: small, medium, or large?", Some(choice(&["small", "medium", "large"]))),
        ("Should I take the morning train or the evening train?", Some(choice(&["the morning train", "the evening train"]))),
        ("你要红茶还是绿茶？", Some(choice(&["你要红茶", "绿茶"]))),
        ("I see two:\n1. oak\n2. walnut\nWhich one do you like?", Some(choice(&["oak", "walnut"]))),
        ("Who should I invite?", Some(Text)),
        ("Please tell me your date of birth.", Some(Text)),
        ("Done, it is booked.", None),
        ("", None),
        ("All set! Anything else?", None),
        ("How can I help you today?", None),
        ("It rounds half to even. Does that make sense?", None),
        ("Noch etwas?", None),
        ("还有什么需要帮忙的吗？", None),
        (
            "Why does bread rise? Because yeast eats sugar and gives off gas, which is caught in the dough and stretches it until it is baked.",
            None,
        ),
    ]
    .into_iter()
    .filter(|(reply, kind)| expected(reply) != *kind)
    .map(|(reply, _)| format!("{reply}: {:?}", expected(reply)))
    .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each kind, what answers it, and what looks a little like an answer.
fn cases() -> Vec<(Expected, Vec<&'static str>, Vec<&'static str>)> {
    vec![
        (
            Expected::Date,
            vec![
                "Friday",
                "on 5 May",
                "the 14th of March",
                "2026-03-14",
                "next Tuesday at 5pm",
                "tomorrow morning",
                "17:30",
                "at 7",
                "morgen früh",
                "am Montag",
                "el próximo lunes",
                "明天下午三点",
                "3月14日",
                "I think on Sunday",
                "in two weeks",
            ],
            vec![
                "I have a meeting on Friday with Ana",
                "5",
                "yes",
                "may I ask something",
                "我明天要去上海开会",
                "next one please",
                "this",
            ],
        ),
        (
            Expected::Number,
            vec![
                "12",
                "about 40",
                "$1,200.50",
                "three",
                "2 weeks",
                "it's 7",
                "大概三十个",
                "zwölf",
                "cinco personas",
            ],
            vec![
                "I moved house 3 years ago with my family",
                "meet at 5",
                "no idea",
                "remind me at 6 to call Bob",
                "我昨天买了很多东西",
            ],
        ),
        (
            Expected::YesNo,
            vec![
                "yes",
                "Yes please!",
                "no, thanks",
                "sure, go ahead",
                "nope",
                "ja, gerne",
                "Nein",
                "sí, por favor",
                "好的",
                "不用了",
                "👍",
            ],
            vec![
                "No one came to the party",
                "right now I am at work",
                "yesterday was fun",
                "what is the capital of Peru",
                "好久不见，最近怎么样",
            ],
        ),
        (
            Expected::Email,
            vec!["ana@example.org", "it's ana@example.org."],
            vec![
                "I lost access to my email",
                "ana at example",
                "please write to ana@example.org and tell her that I am late today",
            ],
        ),
        (
            Expected::Url,
            vec!["https://example.org/a?b=1", "example.org", "here: http://example.org"],
            vec!["I read it on some site", "ana@example.org", "3.5"],
        ),
        (
            choice(&["the morning train", "the evening train"]),
            vec!["morning", "the evening train please", "2", "the second one", "b"],
            vec![
                "I saw a train crash in the evening news yesterday",
                "both morning and evening",
                "the train",
                "12",
            ],
        ),
        (
            Expected::Text,
            vec!["Ana and her brother", "somewhere near the station", "a blue one", "在火车站旁边"],
            vec![
                "tell me a joke",
                "/help",
                "what time is it?",
                "thanks!",
                "remind me to buy milk",
                "hello there",
                "你好",
            ],
        ),
    ]
}

#[test]
fn l21_an_answer_fits_and_an_unrelated_message_does_not() {
    let mut wrong: Vec<String> = Vec::new();
    for (kind, answers, others) in cases() {
        wrong.extend(
            answers
                .iter()
                .filter(|answer| !kind.fits(answer))
                .map(|answer| format!("{kind:?} needs {answer}")),
        );
        wrong.extend(
            others.iter().filter(|other| kind.fits(other)).map(|other| format!("{kind:?} takes {other}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn l21_no_slot_takes_a_new_subject() {
    let unrelated = [
        "Can you look up the weather in Lisbon?",
        "I just came back from the dentist and she said that everything is fine now",
        "Write a short poem about rust",
        "/summary",
        "By the way, my sister had her baby last night and they are both doing well",
        "帮我写一封邮件给房东，说暖气坏了",
    ];
    for (kind, ..) in cases() {
        for message in unrelated {
            assert!(!kind.fits(message), "{kind:?} takes {message}");
        }
    }
}

proptest! {
    #[test]
    fn l21_no_question_answers_a_question(message in "\\PC{0,60}", end in "[?？]") {
        let asked = format!("{message}{end}");
        for (kind, ..) in cases() {
            prop_assert!(!kind.fits(&asked));
        }
        let _ = expected(&message);
    }
}
