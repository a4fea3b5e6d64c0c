//! Tables of statements, what was known before them, and how they relate.

use jiff::civil::date;
use proptest::prelude::*;

use super::follow::changes_in;
use super::*;

fn of(kind: Kind, text: &str) -> Known<'_> {
    Known { kind, text, day: None }
}

fn related(kind: Kind, known: &[&str], new: &str) -> Relation {
    let known: Vec<Known<'_>> = known.iter().map(|text| of(kind, text)).collect();
    relate(&of(kind, new), &known, &|_| None, 0.9)
}

#[test]
fn i3_what_is_known_is_the_same_however_it_is_said() {
    for (known, new) in [
        ("I live in Berlin", "i live in berlin."),
        ("I live in Berlin", "The user lives in Berlin"),
        ("I live in Berlin", "I moved to Berlin"),
        ("I'm allergic to peanuts", "I'm alergic to peanuts"),
        ("My dog's name is Rex", "I have a dog called Rex"),
        ("I'm 34", "I am thirty-four years old"),
        ("My birthday is on May 5th", "My birthday is 5 May"),
        ("我住在柏林", "用户住在柏林。"),
        ("我住在柏林", "我搬到了柏林"),
    ] {
        assert_eq!(related(Kind::Fact, &["I play chess", known], new), Relation::Same(1), "{known} / {new}");
    }
}

#[test]
fn i3_another_value_of_the_same_attribute_replaces_the_old_one() {
    for (kind, known, new) in [
        (Kind::Fact, "I live in Berlin", "I moved to Lisbon"),
        (Kind::Fact, "Lives in Berlin", "I don't live in Berlin any more, I live in Paris now"),
        (Kind::Fact, "I work at Google", "I just started at Siemens"),
        (Kind::Fact, "I'm a nurse", "I work as a teacher now"),
        (Kind::Fact, "I'm single", "I got married"),
        (Kind::Fact, "I'm a vegetarian", "I went vegan"),
        (Kind::Fact, "I'm 34", "I turned 35"),
        (Kind::Fact, "My name is John", "My name is Jon, not John"),
        (Kind::Fact, "My phone number is 123456", "My new phone number is 654321"),
        (Kind::Fact, "I have two cats", "I have three cats now"),
        (Kind::Fact, "I live in Berlin", "I live in Berlin with my wife Anna"),
        (Kind::Fact, "My daughter is 5", "My daughter is 6 now"),
        (Kind::Preference, "I love sushi", "I hate sushi now"),
        (Kind::Preference, "My favorite color is blue", "My favourite color is green"),
        (Kind::Preference, "I love coffee", "I can't stand coffee any more"),
        (Kind::Preference, "I like coffee", "I don't like coffee"),
        (Kind::Preference, "I prefer tea over coffee", "I prefer coffee over tea"),
        (Kind::Preference, "I prefer window seats", "I prefer aisle seats"),
        (Kind::Preference, "Please answer in German", "Answer in English please"),
        (Kind::Date, "Trip to Lisbon on May 12", "The Lisbon trip was moved to May 20"),
        (Kind::Date, "My dentist appointment is on June 3rd", "The dentist appointment is now on June 10"),
        (Kind::Fact, "我住在柏林", "我搬到了上海"),
        (Kind::Preference, "我喜欢咖啡", "我不再喜欢咖啡了"),
        (Kind::Fact, "Ich wohne in Berlin", "Ich wohne jetzt in Köln"),
        (Kind::Fact, "Vivo en Madrid", "Ahora vivo en Sevilla"),
    ] {
        assert_eq!(
            related(kind, &["I play chess", known], new),
            Relation::Replaces(vec![1]),
            "{known} / {new}"
        );
    }
}

#[test]
fn i3_what_no_longer_holds_ends() {
    for (kind, known, new) in [
        (Kind::Date, "Trip to Lisbon on May 12", "We cancelled the Lisbon trip"),
        (Kind::Date, "Dinner with Tom on Friday", "Dinner with Tom was called off"),
        (Kind::Date, "Flight to Tokyo on 3 October", "My Tokyo flight got cancelled"),
        (Kind::Date, "Wedding on August 8", "The wedding is off"),
        (Kind::Goal, "I want to learn to swim", "I've given up learning to swim"),
        (Kind::Preference, "I love sushi", "I used to love sushi"),
        (Kind::Goal, "I want to run a marathon by June", "I gave up on the marathon"),
        (Kind::Goal, "I want to learn Spanish", "I no longer want to learn Spanish"),
        (Kind::Goal, "I want to learn Spanish", "I don't want to learn Spanish"),
        (Kind::Fact, "I live in Berlin", "I no longer live in Berlin"),
        (Kind::Fact, "I work at Google", "I don't work at Google anymore"),
        (Kind::Fact, "I work at Google", "I left Google"),
        (Kind::Fact, "I work at Google", "I quit my job at Google"),
        (Kind::Fact, "I live in Berlin", "I moved away from Berlin"),
        (Kind::Fact, "I smoke", "I quit smoking"),
        (Kind::Fact, "I take guitar lessons", "I stopped taking guitar lessons"),
        (Kind::Fact, "我抽烟", "我不再抽烟了"),
        (Kind::Date, "五月去里斯本旅行", "里斯本旅行取消了"),
    ] {
        assert_eq!(related(kind, &["I play chess", known], new), Relation::Ends(vec![1]), "{known} / {new}");
    }
}

#[test]
fn i3_a_goal_that_is_reached_is_finished() {
    for (known, new) in [
        ("I want to run a marathon by June", "I finished the marathon!"),
        ("I want to run a marathon by June", "I ran a marathon yesterday"),
        ("I want to pass my driving test", "I passed the driving test"),
        ("My goal is to learn Spanish", "I learned Spanish"),
        ("I plan to write a novel", "Finally completed my novel"),
        ("I want to quit smoking", "I finally quit smoking"),
        ("I want to visit Japan", "I went to Japan last month"),
        ("我想学会游泳", "我学会了游泳"),
    ] {
        let known =
            [of(Kind::Fact, "I play chess"), of(Kind::Goal, "I want to buy a house"), of(Kind::Goal, known)];
        let relation = relate(&of(Kind::Outcome, new), &known, &|_| None, 0.9);
        assert_eq!(relation, Relation::Finishes(2), "{known:?} / {new}");
    }
    for (known, new) in [
        ("I want to run a marathon by June", "I want to finish the marathon"),
        ("I want to run a marathon by June", "I did not finish the marathon"),
        ("I want to run a marathon by June", "I finished the dishes"),
        ("I want to run the Berlin marathon", "I finished the Lisbon marathon"),
        ("I want to buy a car", "I bought a dog"),
        ("I want to learn Spanish", "I learned German"),
        ("I want to read 20 books", "I finished 5 books"),
    ] {
        let known = [of(Kind::Goal, known)];
        let relation = relate(&of(Kind::Fact, new), &known, &|_| None, 0.9);
        assert!(!matches!(relation, Relation::Finishes(_)), "{new}: {relation:?}");
    }
}

#[test]
fn i3_a_contradiction_without_a_sign_of_change_is_asked_about() {
    for (known, new) in [
        ("My birthday is on May 5", "My birthday is on June 9"),
        ("My name is John", "My name is Peter"),
        ("My dog is called Rex", "My dog's name is Max"),
        ("I'm 34", "I'm 29"),
        ("I was born in 1990", "I was born in 1991"),
        ("I'm allergic to peanuts", "I'm not allergic to peanuts"),
        ("我叫李明", "我叫王强"),
    ] {
        assert_eq!(
            related(Kind::Fact, &["I play chess", known], new),
            Relation::Unclear(1),
            "{known} / {new}"
        );
    }
}

#[test]
fn i3_what_adds_up_is_new() {
    for (known, new) in [
        ("I'm allergic to peanuts", "I'm allergic to shellfish"),
        ("I speak French", "I speak German"),
        ("My sister is called Anna", "My sister is called Eva"),
        ("I live in Berlin", "My brother lives in Paris"),
        ("I live in Berlin with Tom", "I moved to Berlin in 2019"),
        ("I like coffee", "I like tea"),
        ("I play chess", "I quit smoking"),
        ("I'm allergic to coffee", "I quit coffee"),
        ("My wife loves coffee", "I quit coffee"),
        ("我会说法语", "我会说德语"),
    ] {
        assert_eq!(related(Kind::Fact, &[known], new), Relation::New, "{known} / {new}");
    }
}

#[test]
fn i3_alike_vectors_are_the_same_unless_the_words_differ() {
    let similar = |known: &str, new: &str, cosine: f32| {
        relate(&of(Kind::Fact, new), &[of(Kind::Fact, known)], &|_| Some(cosine), 0.9)
    };
    assert_eq!(similar("I adore hiking", "Hiking is a passion of mine", 0.93), Relation::Same(0));
    assert_eq!(similar("I adore hiking", "Hiking is a passion of mine", 0.89), Relation::New);
    for (known, new) in [
        ("I own 2 boats", "I own 3 boats"),
        ("I eat meat", "I never eat meat"),
        ("We visited Rome with Anna", "We visited Rome with Eva"),
        ("I live in Berlin", "I live in Bern"),
        ("I smoke", "I quit smoking"),
    ] {
        assert!(!matches!(similar(known, new, 0.99), Relation::Same(_)), "{known} / {new}");
    }
}

#[test]
fn i3_the_same_words_on_another_day_are_another_date() {
    let on = |day| Known { kind: Kind::Date, text: "I see the dentist", day: Some(day) };
    let (may, june) = (on(date(2026, 5, 4)), on(date(2026, 6, 4)));
    assert_eq!(relate(&may, &[may], &|_| Some(1.0), 0.9), Relation::Same(0));
    assert_eq!(relate(&june, &[may], &|_| Some(1.0), 0.9), Relation::Replaces(vec![0]));
}

proptest! {
    #[test]
    fn i3_a_statement_is_the_same_as_itself(text in "\\PC{0,60}", kind in prop::sample::select(Kind::ALL.to_vec())) {
        prop_assert_eq!(relate(&of(kind, &text), &[of(kind, &text)], &|_| None, 0.9), Relation::Same(0));
    }
}

#[test]
fn i3_a_statement_with_another_number_code_or_seat_changes_the_value() {
    let fact = |text: &'static str| Known { kind: Kind::Fact, text, day: None };
    for (new, old, expected) in [
        ("my locker is number 4418", "My locker is number 4417.", true),
        ("flat 12c", "flat 12b", true),
        ("The door code is A4418", "The door code is A4417", true),
        ("My seat is in row b14", "My seat is in row b12", true),
        ("The gate opens with 4418", "The gate opens with 4417", true),
        ("The gate opens with 4417", "The gate opens with 4417", false),
        ("The gate opens with a key", "The gate opens with 4417", false),
        ("The door opens with 4418", "The gate opens with 4417", false),
        ("Bo's room is 205", "Ana's room is 204", false),
        ("I ran 7 km in 35 minutes", "I ran 5 km in 25 minutes", false),
        ("4418", "4417", false),
    ] {
        assert_eq!(changes_value(&fact(new), &fact(old)), expected, "{new} / {old}");
    }
    let outcome = |text: &'static str, day: i8| Known {
        kind: Kind::Outcome,
        text,
        day: Some(jiff::civil::date(2026, 3, day)),
    };
    assert!(!changes_value(&outcome("I ran 7 km", 3), &outcome("I ran 5 km", 2)), "both are true");
}

#[test]
fn i3_a_later_value_takes_the_place_of_an_earlier_one_in_every_language() {
    for (kind, known, new) in [
        (Kind::Fact, "Ich wohne in Bremen", "Ich bin nach Jena gezogen"),
        (Kind::Fact, "J'habite à Rouen", "J'ai déménagé à Metz"),
        (Kind::Fact, "J'habite à Rouen", "Je n'habite plus à Rouen, j'habite à Brest maintenant"),
        (Kind::Fact, "Vivo en Lugo", "Me he mudado a Jaén"),
        (Kind::Fact, "仙台に住んでいます", "神戸に引っ越しました"),
        (Kind::Fact, "我住在西安", "我搬到了昆明"),
        (Kind::Fact, "Ich arbeite bei Zeiss", "Ich habe gekündigt und arbeite jetzt bei Miele"),
        (Kind::Fact, "Je travaille chez Danone", "Maintenant je travaille chez Michelin"),
        (Kind::Fact, "I work for Nokia as a tester", "I work at Ericsson these days"),
        (Kind::Fact, "I work as a cook at the Ritz", "I quit my job there and now work as a driver"),
        (Kind::Fact, "I'm a plumber", "I started a new job as a welder at Airbus"),
        (Kind::Fact, "My cousin lives in Derby", "My cousin moved to Perth"),
        (Kind::Fact, "Mein Bruder wohnt in Kiel", "Mein Bruder ist nach Ulm gezogen"),
        (Kind::Date, "Das Konzert ist am 3. Mai", "Das Konzert wurde auf den 10. Mai verschoben"),
        (Kind::Date, "La mudanza es el 3 de mayo", "La mudanza se cambió al 10 de mayo"),
        (Kind::Date, "L'examen est le 3 mai", "L'examen a été reporté au 10 mai"),
        (Kind::Date, "発表会は5月3日です", "発表会は5月10日に変更になりました"),
        (Kind::Date, "考试是5月3日", "考试改到5月10日了"),
        (Kind::Date, "Choir rehearsal: May 3", "The rehearsal moved to May 10"),
        (Kind::Preference, "I prefer squash", "I now prefer padel to squash"),
        (Kind::Preference, "I prefer trains", "I prefer flying to trains these days"),
        (Kind::Preference, "Ich trinke lieber Tee", "Ich trinke jetzt lieber Kaffee"),
        (Kind::Preference, "Prefiero el vino", "Ahora prefiero la cerveza"),
        (Kind::Preference, "Je préfère le thé", "Je préfère le vin maintenant"),
        (Kind::Preference, "Keep your answers brief", "Please write longer replies from now on"),
        (Kind::Preference, "Antworte bitte kurz", "Ab jetzt bitte ausführliche Antworten"),
        (Kind::Preference, "No emojis please", "You can use emojis again"),
        (Kind::Preference, "请用简短的回答", "以后请给我详细的回答"),
    ] {
        assert_eq!(
            related(kind, &["I play chess", known], new),
            Relation::Replaces(vec![1]),
            "{known} / {new}"
        );
    }
}

#[test]
fn i3_a_statement_of_something_else_changes_nothing() {
    for (kind, known, new) in [
        (Kind::Fact, "I've been a plumber for years and I love it", "I hate it when the bus is late"),
        (Kind::Fact, "I live in Derby", "My wife moved to Perth"),
        (Kind::Fact, "My brother lives in Derby", "My brother lives in Perth"),
        (Kind::Fact, "I work at Nokia", "My husband now works at Ericsson"),
        (Kind::Fact, "I'm Ines and I live in Faro", "My sister Ines is in Porto now"),
        (Kind::Preference, "I prefer tea", "I now prefer trains"),
        (Kind::Preference, "Keep your answers brief", "I like long walks now"),
        (Kind::Date, "Dinner with Priya on Friday", "Dinner on Saturday"),
        (Kind::Date, "Choir rehearsal: May 3", "The wedding moved to May 10"),
        (Kind::Fact, "My mother is called Ruth", "Our cat Ruth died"),
        (Kind::Fact, "I have a dog called Pluto", "I sold the bike"),
    ] {
        assert_eq!(related(kind, &[known], new), Relation::New, "{known} / {new}");
    }
}

#[test]
fn i3_what_the_person_no_longer_has_ends() {
    for (known, new) in [
        ("I have a parrot called Kiki", "Kiki died in March"),
        ("Our cat is called Momo", "Momo died yesterday"),
        ("I drive a Fiat", "I sold the Fiat"),
        ("I have a red Vespa", "I sold the Vespa and bought a Honda"),
        ("Ich fahre einen Opel", "Ich habe den Opel verkauft"),
        ("Mi perro se llama Trufo", "Trufo murió ayer"),
        ("Mon chat s'appelle Filou", "Filou est mort hier"),
        ("我有一只猫叫咪咪", "咪咪去世了"),
    ] {
        assert_eq!(
            related(Kind::Fact, &["I play chess", known], new),
            Relation::Replaces(vec![1]),
            "{known} / {new}"
        );
    }
}

#[test]
fn i3_a_goal_is_reached_by_its_own_verb() {
    for (known, new, is_reached) in [
        ("I need to publish the booking site by Q3", "The booking site is published", true),
        ("Remember, the annual report must be submitted by June", "The annual report is finished", true),
        ("Ich will Schwedisch lernen", "Ich habe Schwedisch gelernt", true),
        ("Ich möchte die Prüfung in Statik bestehen", "Ich habe die Prüfung in Statik bestanden", true),
        ("I need to publish the booking site by Q3", "The booking site is delayed", false),
        ("I want to buy a boat", "I sold my boat", false),
        ("I want to sell my boat", "I sold my boat", true),
    ] {
        let relation = relate(&of(Kind::Fact, new), &[of(Kind::Goal, known)], &|_| None, 0.9);
        assert_eq!(matches!(relation, Relation::Finishes(0)), is_reached, "{known} / {new}: {relation:?}");
    }
}

#[test]
fn i3_words_of_correction_around_a_statement_settle_a_contradiction() {
    let corrected = |said| {
        let known = [of(Kind::Date, "Birthday: 2 March")];
        relate_said(&of(Kind::Date, "Birthday: 8 March"), said, &known, &|_| None, 0.9)
    };
    for said in [
        "Actually, my birthday is on 8 March",
        "Sorry, my birthday is on 8 March",
        "My birthday is on 8 March, I told you wrong",
        "Korrektur: mein Geburtstag ist am 8. März",
        "Perdón, mi cumpleaños es el 8 de marzo",
        "訂正します、誕生日は3月8日です",
    ] {
        assert_eq!(corrected(said), Relation::Replaces(vec![0]), "{said}");
    }
    assert_eq!(corrected("My birthday is on 8 March"), Relation::Unclear(0));
}

#[test]
fn i3_the_same_event_named_more_shortly_is_the_same_on_the_same_day() {
    let day = Some(date(2026, 5, 3));
    let on = |text| Known { kind: Kind::Date, text, day };
    let known = [on("Choir rehearsal: May 3")];
    assert_eq!(relate(&on("Rehearsal: 3rd of May"), &known, &|_| None, 0.9), Relation::Same(0));
}

#[test]
fn i3_a_date_that_names_no_event_is_of_the_one_told_last_or_of_none() {
    let today = date(2026, 2, 18);
    let followed = |text, newest| -> Vec<String> {
        let candidate = crate::extract::stated(text, Some(Kind::Date), today);
        follow(candidate, newest, today).into_iter().map(|it| it.text).collect()
    };
    for (text, newest, expected) in [
        ("It was moved to 9 June", Some("Eye test: 2 June"), ["Eye test: 9 June"].as_slice()),
        ("It was moved to 9 June", None, &[]),
        ("Er wurde auf den 9. Juni verschoben", Some("Sehtest: 2. Juni"), &["Sehtest: 9. Juni"]),
        ("Il a été reporté au 9 juin", Some("Le contrôle est le 2 juin"), &["Le contrôle est le 9 juin"]),
        ("改到6月9日了", Some("体检是6月2日"), &["体检是6月9日"]),
        ("Sorry, I meant 9 June", Some("Trip to Oslo on 2 June"), &["Trip to Oslo on 9 June"]),
        ("no wait, 9 June", Some("Trip to Oslo on 2 June"), &["Trip to Oslo on 9 June"]),
        ("nein, warte, am 9. Juni", Some("Sehtest: 2. Juni"), &["Sehtest: 9. Juni"]),
        ("We moved the rehearsal to 9 June", Some("Eye test: 2 June"), &["Rehearsal: 9 June"]),
        ("Eye test: 2 June and our flight is on 9 June", None, &["Eye test: 2 June", "Flight: 9 June"]),
        ("Trip with Ana and Tom on 9 June", None, &["Trip with Ana and Tom on 9 June"]),
    ] {
        assert_eq!(followed(text, newest), expected, "{text}");
    }
}

#[test]
fn i3_sentences_that_only_end_or_correct_something_are_found() {
    let found =
        |text| changes_in(text, &[], date(2026, 2, 18)).into_iter().map(|it| it.text).collect::<Vec<_>>();
    assert_eq!(found("Good morning. Kiki died last night."), ["Kiki died last night"]);
    assert_eq!(found("Sorry, I meant 9 June!"), ["Sorry, I meant 9 June"]);
    assert_eq!(found("no wait, Wednesday"), ["no wait, Wednesday"]);
    assert_eq!(found("Has Kiki died? I like tea."), Vec::<String>::new());
}

#[test]
fn i3_what_others_left_and_what_only_bears_a_name_ends_nothing() {
    for (known, new) in [
        ("I live in Leeds", "My sister left Leeds yesterday"),
        ("I live in Leeds", "I quit the Leeds choir"),
        ("I live in Hull", "The Hull fair ended on Sunday"),
        ("I live in Hull", "I want to walk the Hull marathon before the end of May"),
        ("I work at Aldi", "I stopped buying bread at Aldi"),
        ("I work at Aldi", "I need to finish the Aldi course by end of June"),
        ("I work at Monzo", "My brother quit Monzo last week"),
        ("I work at Monzo", "I want to leave Monzo some day"),
        ("I work at Grab", "My contract with Grab ends in June"),
        ("Ich arbeite bei Bosch", "Mein Bruder hat bei Bosch gekündigt"),
        ("Ich wohne in Bonn", "Bis Ende Mai muss ich in Bonn den Antrag stellen"),
        ("J'habite à Lyon", "Mon frère a quitté Lyon hier"),
    ] {
        assert_eq!(related(Kind::Fact, &[known], new), Relation::New, "{known} / {new}");
    }
    for (kind, known, new) in [
        (Kind::Preference, "My favourite food is pizza", "My son's favourite food is fish"),
        (Kind::Date, "My birthday is on 9 May", "My son's birthday is on 11 May"),
    ] {
        assert_eq!(related(kind, &[known], new), Relation::New, "{known} / {new}");
    }
    for (known, new) in [
        ("I live in Leeds", "I left Leeds"),
        ("I work at Google", "I quit Google last week because the commute was too long"),
        ("I work at Google", "After 3 years I finally left Google to start a bakery"),
        ("I work at Google", "I quit my Google job"),
        ("I work at Google", "I quit my job"),
        ("Ich arbeite bei Bosch", "Ich habe bei Bosch gekündigt"),
        ("J'habite à Lyon", "J'ai quitté Lyon"),
        ("Mi hermana vive en Bilbao", "Mi hermana dejó Bilbao"),
    ] {
        let relation = related(Kind::Fact, &[known], new);
        let over = [0].to_vec();
        let is_over = relation == Relation::Ends(over.clone()) || relation == Relation::Replaces(over);
        assert!(is_over, "{known} / {new}: {relation:?}");
    }
}

#[test]
fn i3_a_goal_is_over_when_the_person_says_so_however_they_say_it() {
    for (known, new) in [
        ("I plan to paint the fence by the end of March", "done with the fence!"),
        ("I plan to paint the fence by the end of March", "The fence is painted"),
        ("I have to file my taxes by April 15", "I filed my taxes today"),
        ("I have to file my taxes by April 15", "Taxes are filed, finally"),
        ("I want to run a half marathon by 30 May", "I ran the half marathon yesterday, 1:58!"),
        ("I want to run the Chicago marathon in October", "Done with the marathon! 4h12"),
        ("Bis Ende Juni muss ich den Jagdschein machen", "Den Jagdschein hab ich bestanden!"),
        ("Tengo que pagar el alquiler antes del viernes", "Ya pagué el alquiler"),
        ("Il faut que je rende le dossier avant le 20 mars", "J'ai rendu le dossier !"),
        ("Je dois rendre les clés avant vendredi", "Les clés, c'est fait !"),
        ("我要在五月底之前写完论文。", "论文写完了！"),
        ("金曜日までに家賃を払わないといけません。", "家賃を払いました。"),
    ] {
        let relation = relate(&of(Kind::Fact, new), &[of(Kind::Goal, known)], &|_| None, 0.9);
        assert_eq!(relation, Relation::Finishes(0), "{known} / {new}");
    }
    for (known, new) in [
        ("I want to climb Mont Blanc next summer", "My colleague finished Mont Blanc yesterday"),
        ("I want to paint the fence", "My neighbor painted his fence"),
        ("I want to paint the fence", "I bought paint for the fence"),
        ("I want to learn to swim this year", "I can't swim yet"),
        ("Ich muss die Miete zahlen", "Mein Bruder hat die Miete bezahlt"),
    ] {
        let relation = relate(&of(Kind::Fact, new), &[of(Kind::Goal, known)], &|_| None, 0.9);
        assert_eq!(relation, Relation::New, "{known} / {new}");
    }
}
