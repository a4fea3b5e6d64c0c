//! A person's days with the bot: what was said is there when it is needed, and only there.

use serde_json::{Value, json};

use super::days::{CHAT, home, move_to, over, request_with, shown, until};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};

const MONDAY: &str = "2026-03-02T09:00:00Z";

fn memories(home: &Home) -> Vec<Value> {
    home.json(&["memory", "list", "--chat", CHAT])["memories"].as_array().unwrap().clone()
}

/// Waits until something of this kind with these words was learned.
fn learned(served: &Served, kind: &str, words: &str) {
    until(&format!("{words:?} is learned as a {kind}"), || {
        memories(&served.home).iter().any(|memory| {
            memory["kind"] == kind && memory["text"].as_str().is_some_and(|text| text.contains(words))
        })
    });
}

/// A server whose replies say nothing.
fn polite() -> MessagesServer {
    MessagesServer::start(|_| Answer::Says("All right.".to_owned()))
}

#[test]
fn l1_what_was_said_just_now_is_recalled() {
    let served = Served::with(|| home("", MONDAY));
    for (statement, question, expected) in [
        ("The plumber comes on Thursday at nine.", "When does the plumber come?", "Thursday at nine"),
        ("Our cat is hiding behind the piano.", "Where is the cat?", "behind the piano"),
        ("Tomás lent me his drill.", "Who lent me a drill?", "Tomás"),
        ("我的自行车停在车站旁边。", "我的自行车在哪里？", "车站旁边"),
    ] {
        assert!(!served.ask(statement).text.contains(expected), "{statement}");
        let reply = served.ask(question).text;
        assert!(reply.contains(expected), "{question} {reply}");
    }
}

#[test]
fn l1_a_model_sees_what_both_sides_said_just_before() {
    let server = MessagesServer::start(|asked| {
        let text = asked.to_string();
        Answer::Says(if text.contains("Which one?") { "The red one." } else { "Take bus 14." }.to_owned())
    });
    server.serve(|| {
        let served = Served::with(|| over(&server, home("", MONDAY)));
        served.ask("I am at the old harbor and want to go to the museum.");
        assert_eq!(served.ask("Which one?").text, "The red one.");
        let request = request_with(&server, "Which one?");
        for said in ["I am at the old harbor", "Take bus 14."] {
            assert_eq!(request.matches(said).count(), 1, "d3: {said}: {request}");
        }
        assert_eq!(request.matches("Which one?").count(), 1, "d3: {request}");
    });
}

#[test]
fn l2_after_twenty_two_exchanges_the_newest_are_in_the_window_and_the_older_in_a_summary() {
    let server = polite();
    server.serve(|| {
        let settings = "[context]\npreset = \"rolling\"\n";
        let served = Served::with(|| over(&server, home(settings, MONDAY)));
        for n in 0..22 {
            served.ask(&format!("Visitor {n} is called Person{n} and stays in room {}.", 100 + n));
        }
        until("the older ones have a summary", || {
            let summaries = served.home.json(&["summary", "--chat", CHAT]);
            summaries["summaries"].as_array().is_some_and(|found| !found.is_empty())
        });
        served.ask("Who came?");
        let request = request_with(&server, "Who came?");
        let said = |n: usize| request.contains(&format!("Visitor {n} is called Person{n} and"));
        assert!((13..22).all(said), "the newest, word for word: {request}");
        let history = request.split("Visitor 13 ").next().unwrap();
        assert!(
            history.contains("Person0") || history.contains("Person1 "),
            "the older, as a summary: {request}"
        );
    });
}

#[test]
fn l3_l6_l16_what_a_person_says_of_themselves_becomes_their_profile() {
    let served = Served::with(|| home("", MONDAY));
    for said in [
        "I live in Lisbon.",
        "I prefer tea over coffee.",
        "My goal is to run a half marathon this autumn.",
        "My daughter's birthday is on 12 May.",
    ] {
        served.ask(said);
    }
    for (kind, words) in
        [("fact", "Lisbon"), ("preference", "tea"), ("goal", "half marathon"), ("date", "12 May")]
    {
        learned(&served, kind, words);
    }
    let profile = served.ask("/memory").text;
    let sections = [
        "📋 YOUR PROFILE",
        "👤 Personal Facts",
        "Lisbon",
        "⚙️ Preferences",
        "tea",
        "🎯 Active Goals",
        "half marathon",
        "📅 Important Dates",
        "12 May",
        "💬 Conversation",
    ];
    let places: Vec<Option<usize>> = sections.iter().map(|words| profile.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "in order: {places:?} {profile}");
}

#[test]
fn l4_l5_l6_what_was_learned_is_in_the_contexts_of_later_days() {
    let server = polite();
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", MONDAY)));
        served.ask("I prefer short answers without emoji.");
        served.ask("My goal is to finish the novel by June.");
        served.ask("My wedding anniversary is on 3 September.");
        learned(&served, "preference", "short answers");
        learned(&served, "goal", "novel");
        learned(&served, "date", "3 September");
        for (day, question) in [
            ("2026-03-03T09:00:00Z", "What shall I do this morning?"),
            ("2026-03-04T17:00:00Z", "Is it too late for a walk?"),
            ("2026-03-20T17:00:00Z", "Which wine goes with fish?"),
        ] {
            move_to(&mut served, day);
            served.ask(question);
            let request = request_with(&server, question);
            for words in ["short answers", "finish the novel", "3 September"] {
                assert!(request.contains(words), "{day}: {words}: {request}");
            }
        }
    });
}

#[test]
fn l7_days_are_set_apart_a_forecast_has_its_age_and_times_are_the_persons() {
    let server = polite();
    server.serve(|| {
        let settings = "[context]\npreset = \"rolling\"\n";
        // In Singapore it is late on Sunday, then seven and three on Monday.
        let mut served = Served::with(|| {
            over(&server, home(settings, "2026-03-01T14:10:00Z")).with("USER_TIMEZONE", "Asia/Singapore")
        });
        served.ask("The washing is still outside.");
        move_to(&mut served, "2026-03-01T23:00:00Z");
        served.home.ok(&["send", "--chat", CHAT, "--routine", "weather", "Dry until noon, then rain."]);
        served.seen(ANA, 1);
        move_to(&mut served, "2026-03-02T07:00:00Z");
        served.ask("Is the washing dry?");
        let request = request_with(&server, "Is the washing dry?");
        for words in [
            "Sunday, 1 March 2026",
            "22:10",
            "[weather | 07:00 AM, 8h ago]",
            "Dry until noon",
            "Monday, 2 March 2026, 15:00",
        ] {
            assert!(request.contains(words), "{words}: {request}");
        }
        for leak in ["14:10", "23:00", "UTC", "T07:00"] {
            assert!(!request.contains(leak), "{leak}: {request}");
        }
    });
}

#[test]
fn l12_what_is_to_be_remembered_is_in_the_profile_at_once() {
    let server = polite();
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", MONDAY)));
        let reply = served.ask("/remember I am allergic to penicillin").text;
        assert!(reply.starts_with("✓ Remembered: ") && reply.contains("penicillin"), "{reply}");
        assert!(served.ask("/memory").text.contains("penicillin"));
        move_to(&mut served, "2026-03-09T09:00:00Z");
        served.ask("What may the doctor give me?");
        assert!(request_with(&server, "What may the doctor give me?").contains("penicillin"));
    });
}

#[test]
fn l13_what_was_forgotten_does_not_come_back() {
    let server = polite();
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", MONDAY)));
        served.ask("I live in Lisbon. My former husband is called Rodrigo.");
        served.ask("The cello lesson is on Friday.");
        learned(&served, "fact", "Lisbon");
        let question = served.ask("/forget Rodrigo");
        served.api.presses(ANA, ANA, question.message_id, "Forget this");
        served.api.wait(LONG, |api| {
            api.shown(ANA).iter().any(|message| message.text.contains("✓ Forgotten")).then_some(())
        });
        move_to(&mut served, "2026-03-03T09:00:00Z");
        served.ask("Who was I married to?");
        let request = request_with(&server, "Who was I married to?");
        assert!(!request.contains("Rodrigo"), "{request}");
        assert!(request.contains("Lisbon") && request.contains("cello"), "the rest is there: {request}");
        let memories = memories(&served.home);
        assert!(memories.iter().any(|memory| memory.to_string().contains("Lisbon")), "{memories:?}");
        assert!(memories.iter().all(|memory| !memory.to_string().contains("Rodrigo")), "{memories:?}");
    });
}

#[test]
fn l14_the_summary_has_ranges_routines_and_the_running_conversation() {
    let mut served = Served::with(|| home("", "2026-03-01T09:00:00Z"));
    served.ask("The boiler was serviced by Olsen for 2400 kroner.");
    served.ask("The next service is due in March 2027.");
    move_to(&mut served, MONDAY);
    until("the first conversation has a summary", || {
        let summaries = served.home.json(&["summary", "--chat", CHAT]);
        summaries["summaries"].as_array().is_some_and(|found| !found.is_empty())
    });
    served.home.ok(&["send", "--chat", CHAT, "--routine", "morning-summary", "Nothing is due today."]);
    served.seen(ANA, 2);
    for n in 1..=3 {
        served.ask(&format!("Shelf {n} is up."));
    }
    let summary = served.ask("/summary").text;
    for words in [
        "2026-03-01 (4 messages",
        "2400 kroner",
        "morning-summary",
        "Nothing is due today.",
        "(7 messages, ongoing)",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
}

#[test]
fn l15_all_of_it_is_there_after_the_program_was_killed() {
    let server = polite();
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", MONDAY)));
        served.ask("I live in Lisbon.");
        learned(&served, "fact", "Lisbon");
        served.ask("/remember My locker is number 4417");
        let briefing = "Two letters came today.";
        served.home.ok(&["send", "--chat", CHAT, "--routine", "mail", briefing]);
        served.seen(ANA, 2);
        served.ask("The other flat has a balcony.");
        served.restart();
        served.ask("Where were we?");
        let request = request_with(&server, "Where were we?");
        for words in ["Lisbon", "4417", briefing, "The other flat has a balcony."] {
            assert!(request.contains(words), "{words}: {request}");
        }
        assert_eq!(shown(&served).len(), 5, "and nothing was said twice");
    });
}

#[test]
fn l17_an_exact_number_is_recalled_by_window_and_after_two_hundred_messages_by_search() {
    let number = "4711-0815-2342";
    let mut served = Served::with(|| home("", "2026-02-10T09:00:00Z"));
    served.ask(&format!("The AWS account for billing is {number}."));
    let question = "What is the AWS account for billing?";
    assert!(served.ask(question).text.contains(number), "by window");
    served.stop();
    let lines: Vec<Value> = (0..200)
        .map(|n| {
            let (hour, minute) = (10 + n / 60, n % 60);
            let text = format!("We talked about chapter {n}, its {} people and their account books.", n * 7);
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            json!({ "chat": CHAT, "role": role, "text": text, "at": format!("2026-02-12T{hour:02}:{minute:02}:00Z") })
        })
        .collect();
    served.home.import(&lines);
    served.start();
    move_to(&mut served, "2026-02-18T12:00:00Z");
    let reply = served.ask(question).text;
    assert!(reply.contains(number), "by search: {reply}");
}

#[test]
fn l18_what_is_said_in_one_topic_is_not_in_the_window_of_another() {
    let server = polite();
    server.serve(|| {
        let forum = -1_001_234;
        // What is learned belongs to the person and would be in the profile of every topic.
        let settings = "capture = \"off\"\n[telegram]\ngroups = \"all\"\n";
        let served = Served::with(|| over(&server, home(settings, MONDAY)));
        served.api.forum(forum, "Family");
        let (garden, car) = (served.api.topic(forum, "Garden"), served.api.topic(forum, "Car"));
        let mut seen = 0;
        let mut say = |topic: Option<i64>, text: &str| {
            let message = served.api.message(ANA, forum).text(text);
            match topic {
                Some(topic) => message.topic(topic),
                None => message,
            }
            .send();
            let reply = served.seen(forum, seen);
            seen += 1;
            assert_eq!(reply.topic, topic, "it is answered where it was said");
        };
        say(Some(garden), "The hedge is two meters high.");
        say(Some(car), "The left tire is flat.");
        say(None, "Aunt Vera comes on Sunday.");
        for (topic, question, own) in [
            (Some(garden), "Shall I cut it?", "hedge"),
            (Some(car), "Can I drive to work?", "tire"),
            (None, "Who will cook?", "Vera"),
        ] {
            say(topic, question);
            let request = request_with(&server, question);
            for word in ["hedge", "tire", "Vera"] {
                assert_eq!(request.contains(word), word == own, "{question}: {word}: {request}");
            }
        }
    });
}

#[test]
fn l20_it_picks_up_where_it_left_off() {
    let server = polite();
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", "2026-03-02T20:00:00Z")));
        served.ask("We compare two flats: the one in Mill Lane has a balcony.");
        served.ask("The other one in Bridge Street is cheaper.");
        move_to(&mut served, "2026-03-02T20:10:00Z");
        served.ask("Which did I mention first?");
        let request = request_with(&server, "Which did I mention first?");
        assert!(
            request.contains("Do not greet again"),
            "e1: minutes later it is the same conversation: {request}"
        );
        move_to(&mut served, "2026-03-03T07:30:00Z");
        served.ask("Let us go on with the flats.");
        let request = request_with(&server, "Let us go on with the flats.");
        assert!(!request.contains("Do not greet again"), "the next morning is a new conversation: {request}");
        let (first, second) = (request.find("Mill Lane").unwrap(), request.find("Bridge Street").unwrap());
        assert!(first < second, "in the order in which it was said: {request}");
    });
}

#[test]
fn l21_a_question_that_waits_hijacks_nothing_and_finds_its_answer_later() {
    let server = MessagesServer::start(|asked| {
        let text = asked.to_string();
        let ask = text.contains("Book me a table.") && !text.contains("The cat is back");
        Answer::Says(if ask { "For which date shall I book it?" } else { "Good to hear." }.to_owned())
    });
    server.serve(|| {
        let mut served = Served::with(|| over(&server, home("", MONDAY)));
        assert_eq!(served.ask("Book me a table.").text, "For which date shall I book it?");
        let notice = "this message seems to answer it";
        for unrelated in ["The cat is back, and she brought a mouse.", "How tall is the Eiffel tower?"] {
            served.ask(unrelated);
            let request = request_with(&server, unrelated);
            assert!(!request.contains(notice), "{unrelated}: {request}");
        }
        served.restart();
        served.ask("14 March");
        let request = request_with(&server, "14 March");
        let told = request.find(notice).unwrap_or_else(|| panic!("e3: it waits across a restart: {request}"));
        assert!(request.get(told..).unwrap().contains("For which date shall I book it?"), "{request}");
        move_to(&mut served, "2026-03-04T09:00:00Z");
        served.ask("15 March");
        assert!(!request_with(&server, "15 March").contains(notice), "answered once, it waits no more");
    });
}
