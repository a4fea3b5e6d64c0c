//! Grades the rules on forms that are easily taken for one another.

use super::*;

#[test]
fn i2_what_is_stated_is_found_in_uncommon_forms() {
    use Kind::{Date, Fact, Goal, Preference};
    let cases = [
        ("I commute between Porto and Braga by train", Fact, "Porto"),
        ("I teach saxophone, clarinet and flute", Fact, "saxophone"),
        ("I share a flat with two nurses", Fact, "nurses"),
        ("speaking as a welder, this joint looks bad", Fact, "welder"),
        ("as a midwife, I work odd hours", Fact, "midwife"),
        ("callsign OH2KVR here, which antenna suits a balcony?", Fact, "OH2KVR"),
        ("my member number is 88213", Fact, "88213"),
        ("Ottoline here, quick question about yeast", Fact, "Ottoline"),
        ("name's Bram, hi", Fact, "Bram"),
        ("second oboe at the philharmonic, that's me", Fact, "oboe"),
        ("goalkeeper for the village team, that's me", Fact, "goalkeeper"),
        ("my library card number is KX-4471", Fact, "KX-4471"),
        ("my son moved to Utrecht and he studies law there", Fact, "Utrecht"),
        ("my husband drives a bus", Fact, "bus"),
        ("scratch the 2nd, the recital is on December 9", Date, "2026-12-09"),
        ("the Lisbon trip on 4 December is cancelled", Date, "cancel"),
        ("standing rule: bullets, never prose", Preference, "bullet"),
        ("no emoji in your answers, ever", Preference, "emoji"),
        ("whenever you book for me, go with the window seat", Preference, "window"),
        ("always metric units, please", Preference, "metric"),
        ("lead with the conclusion", Preference, "conclusion"),
        ("give me bullets, not prose", Preference, "bullets"),
        ("never tables", Preference, "tables"),
        ("skip the disclaimers from now on", Preference, "disclaimers"),
        ("keep replies short, always", Preference, "short"),
        ("vinyl over streaming any day", Preference, "vinyl"),
        ("opera bores me", Preference, "opera"),
        ("can't be doing with small talk", Preference, "small talk"),
        ("trains all the way", Preference, "trains"),
        ("cilantro: no. Never.", Preference, "cilantro"),
        ("nothing beats fresh rye bread", Preference, "rye bread"),
        ("jazz leaves me cold", Preference, "jazz"),
        ("horror films aren't my thing", Preference, "horror"),
        ("我对足球没兴趣", Preference, "足球"),
        ("还是纸质书好", Preference, "纸质书"),
        ("以后回答先说结论", Preference, "先说结论"),
        ("先说结论，再讲理由", Preference, "先说结论"),
        ("I'd love to get an allotment by spring", Goal, "allotment"),
        ("作为左撇子，我剪刀总用不顺", Fact, "左撇子"),
        ("比起咖啡我更爱喝茶", Preference, "茶"),
    ];
    let missed: Vec<_> = cases
        .iter()
        .map(|(message, kind, part)| (message, kind, part, seen(message)))
        .filter(|(_, kind, part, seen)| {
            !seen
                .iter()
                .any(|(known, text)| known == *kind && text.to_lowercase().contains(&part.to_lowercase()))
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn i2_what_only_looks_like_a_statement_is_left_alone() {
    let messages = [
        "pick a number between ten and forty and tell me why",
        "the train runs between Porto and Braga and stops twice",
        "I'm weighing tiles, paint and a new lamp for the hall",
        "It's my second one this week",
        "he's my hero",
        "I use those",
        "they're mine",
        "I eat that",
        "the rehearsal is tonight",
        "I've got a call this morning",
        "I'm seeing the plumber today at 5",
        "scratch the 14th, that doesn't work",
        "not the 22nd, sorry",
        "forget Tuesday, it's off",
        "my flatmate collects stamps",
        "my boss wants me to redo the slides",
        "my neighbor is a retired sailor",
        "my colleague Petra is allergic to nuts",
        "a guy I know breeds ferrets",
        "a friend of a friend owns a vineyard in Chile",
        "my landlord lives in Spain",
        "she works as a paramedic in Hull",
        "I said it as a joke",
        "I got this vase as a gift",
        "as a rule, cats sleep sixteen hours",
        "as a lawyer would put it, it depends",
        "he sees me as a pilot",
        "I've zero practice with chopsticks",
        "I have no clue how taxes work",
        "I've never tried it",
        "I can't tell the difference",
        "the offside rule still beats me",
        "my dream is to queue at the post office all afternoon",
        "my favorite thing is paying parking fines",
        "my life goal is to sit in traffic for two hours",
        "nothing I love more than waiting on hold with the bank",
        "我同事养了三只猫",
        "今晚有个会",
        "不是14号，你记错了",
        "我没试过这个",
        "my son's teacher is a nice man",
        "my friend's cousin plays bass in Oslo",
        "my code has two loops",
        "my model has 3 layers and 20 neurons",
        "I run the script and get nothing",
        "my sister thinks I'm wrong",
        "I did my best in the meeting",
        "I'm halfway through the first chapter",
    ];
    let wrong: Vec<_> = messages
        .iter()
        .map(|message| (message, seen(message)))
        .filter(|(_, seen)| !seen.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn i2_one_statement_stays_whole() {
    for (message, texts) in [
        ("I'm a roofer and welder in Split", vec!["I'm a roofer and welder in Split"]),
        (
            "I ferry cars between Tallinn and Riga for a living",
            vec!["I ferry cars between Tallinn and Riga for a living"],
        ),
        ("I speak Latvian. It's my mother tongue.", vec!["I speak Latvian. It's my mother tongue"]),
        (
            "My exam got moved from the 4th to the 11th",
            vec!["My exam got moved from the 4th to the 11th (2026-12-11)"],
        ),
    ] {
        let found: Vec<String> = seen(message).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, texts);
    }
}
