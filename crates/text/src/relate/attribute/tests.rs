//! Tables of statements and the slots they fill.

use super::*;

fn told(kind: Kind, text: &str) -> Option<(String, String)> {
    attribute(kind, text).map(|attribute| (attribute.key, attribute.value))
}

#[test]
fn i3_a_fact_of_which_there_is_one_fills_an_attribute() {
    for (text, key, value) in [
        ("I live in Berlin", "home", "berlin"),
        ("I'm living in New York now", "home", "new york"),
        ("Lives in Berlin", "home", "berlin"),
        ("The user is based in São Paulo, Brazil", "home", "sao paulo"),
        ("We just moved to Lisbon last week", "home", "lisbon"),
        ("I don't live in Berlin any more, I live in Paris now", "home", "paris"),
        ("Ich wohne in München", "home", "munchen"),
        ("Vivo en Madrid", "home", "madrid"),
        ("We relocated to Oslo in March", "home", "oslo"),
        ("I'm now living in a small flat in Vienna", "home", "vienna"),
        ("My name is Sam", "name", "sam"),
        ("Please call me Sam", "name", "sam"),
        ("Ich heiße Jürgen", "name", "jurgen"),
        ("Me llamo Ana", "name", "ana"),
        ("I'm 34", "age", "34"),
        ("I am thirty-four years old", "age", "34"),
        ("I just turned 35", "age", "35"),
        ("User is 34 years old", "age", "34"),
        ("I work at Google", "employer", "google"),
        ("I started at Siemens last month", "employer", "siemens"),
        ("I joined Spotify", "employer", "spotify"),
        ("I'm a nurse", "job", "nurse"),
        ("The user works as a software engineer", "job", "software engineer"),
        ("I'm married", "marital state", "married"),
        ("I got divorced", "marital state", "divorced"),
        ("I'm a vegetarian", "diet", "vegetarian"),
        ("I went vegan", "diet", "vegan"),
        ("My phone number is +49 170 123", "phone", "49 170 123"),
        ("My email is sam@example.org", "email", "sam example org"),
        ("My favourite color is blue", "favorite color", "blue"),
        ("My dog's name is Rex", "dog name", "rex"),
        ("My dog is called Rex", "dog name", "rex"),
        ("My dog's called Rex", "dog name", "rex"),
        ("User's dog is called Rex", "dog name", "rex"),
        ("I have a dog named Rex", "dog name", "rex"),
        ("My dog is Rex", "dog name", "rex"),
        ("My mum's name is Eva", "mother name", "eva"),
        ("My birthday is on May 5th", "birthday", "5 may"),
        ("My wife's birthday is 5 May", "wife birthday", "5 may"),
        ("My time zone is CET", "timezone", "cet"),
        ("Please answer in German", "answer language", "german"),
        ("I'm on Pacific time", "timezone", "pacific"),
        ("I'd like you to always reply in French", "answer language", "french"),
        ("Ich wohne jetzt in Köln", "home", "koln"),
        ("I have two cats", "number of cat", "2"),
    ] {
        assert_eq!(told(Kind::Fact, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_a_taste_is_of_one_thing() {
    for (text, key, value) in [
        ("I love coffee", "liking coffe", "like"),
        ("The user likes coffee", "liking coffe", "like"),
        ("I can't stand coffee any more", "liking coffe", "dislike"),
        ("I don't like coffee", "liking coffe", "dislike"),
        ("I no longer like coffee", "liking coffe", "dislike"),
        ("I'm not a fan of horror movies", "liking horror movy", "dislike"),
        ("I hate running", "liking run", "dislike"),
        ("I prefer tea over coffee", "preference coffe tea", "tea"),
        ("I like coffee more than tea", "preference coffe tea", "coffe"),
        ("I prefer window seats", "preferred seat", "window"),
        ("The user prefers tea", "liking tea", "like"),
    ] {
        assert_eq!(told(Kind::Preference, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_an_event_is_a_attribute_for_its_day() {
    for (text, key, value) in [
        ("My dentist appointment is on June 3rd", "appointment dentist", "3 june"),
        ("I have a dentist appointment on 3 June", "appointment dentist", "3 june"),
        ("Trip to Lisbon on May 12", "lisbon trip", "12 may"),
        ("The Lisbon trip was moved to May 20", "lisbon trip", "20 may"),
        ("My birthday is on May 5", "birthday", "5 may"),
    ] {
        assert_eq!(told(Kind::Date, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_the_common_attributes_are_known_in_chinese() {
    for (text, key, value) in [
        ("我住在柏林", "home", "柏林"),
        ("我搬到了上海。", "home", "上海"),
        ("用户住在柏林", "home", "柏林"),
        ("我叫李明", "name", "李明"),
        ("我今年30岁了", "age", "30"),
        ("我在谷歌工作", "employer", "谷歌"),
        ("我是一名护士", "job", "护士"),
        ("我已经结婚了", "marital state", "married"),
        ("我喜欢咖啡", "liking 咖啡", "like"),
        ("我不再喜欢咖啡了", "liking 咖啡", "dislike"),
        ("我最喜欢的颜色是蓝色", "favorite 颜色", "蓝色"),
        ("我的狗叫旺财", "狗 name", "旺财"),
        ("我的生日是五月五日", "birthday", "五月五日"),
        ("请用中文回答", "answer language", "中文"),
    ] {
        assert_eq!(told(Kind::Fact, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_what_is_told_of_another_is_an_attribute_of_theirs() {
    for (text, key, value) in [
        ("My sister lives in Paris", "sister home", "paris"),
        ("我姐姐住在巴黎", "姐姐 home", "巴黎"),
        ("My landlord moved to Truro last spring", "landlord home", "truro"),
        ("Our neighbour works for Nokia", "neighbour employer", "nokia"),
        ("Greta moved to Malmö", "greta home", "malmo"),
        ("Mein Bruder wohnt jetzt in Kassel", "brother home", "kassel"),
        ("Ma tante habite à Rennes", "tante home", "rennes"),
        ("Mi hermana se mudó a Vigo", "sister home", "vigo"),
        ("父は仙台に住んでいます", "父 home", "仙台"),
        ("My wife teaches and moved to Bath", "wife home", "bath"),
        ("Tom called me and moved to Rome", "tom home", "rome"),
    ] {
        assert_eq!(told(Kind::Fact, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_home_work_and_age_are_read_in_each_language() {
    for (text, key, value) in [
        ("Ich bin letztes Jahr nach Graz umgezogen", "home", "graz"),
        ("Wir leben seit drei Jahren in Basel", "home", "basel"),
        ("Nous habitons depuis mai à Tours", "home", "tours"),
        ("J'ai emménagé à Lille", "home", "lille"),
        ("Nos hemos mudado a Cádiz", "home", "cadiz"),
        ("先月札幌に引っ越しました", "home", "札幌"),
        ("今は福岡に住んでいます", "home", "福岡"),
        ("我搬家到了成都", "home", "成都"),
        ("Ich bin Lehrerin", "job", "lehrerin"),
        ("Je suis boulangère", "job", "boulangere"),
        ("Soy enfermera", "job", "enfermera"),
        ("Ich arbeite inzwischen bei Zeiss", "employer", "zeiss"),
        ("Je travaille maintenant chez Michelin", "employer", "michelin"),
        ("日産に転職しました", "employer", "日産"),
        ("I left the bank and now work as a gardener", "job", "gardener"),
        ("I've been a plumber for years and I love it", "job", "plumber"),
        ("I was born on 9 August", "birthday", "9 august"),
        ("Ich bin am 9. August geboren", "birthday", "9 august"),
        ("Je m'appelle Colette", "name", "colette"),
        ("J'ai 41 ans", "age", "41"),
        ("来月40歳になりました", "age", "40"),
    ] {
        assert_eq!(told(Kind::Fact, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_a_statement_can_fill_two_attributes() {
    let all = |kind, text| -> Vec<String> {
        attributes(kind, text).into_iter().map(|it| format!("{}={}", it.key, it.value)).collect()
    };
    for (kind, text, expected) in [
        (Kind::Fact, "I work as a chemist at Bayer", ["job=chemist", "employer=bayer"].as_slice()),
        (Kind::Fact, "Ich arbeite bei Miele als Schreiner", &["job=schreiner", "employer=miele"]),
        (Kind::Fact, "I'm Ines and I live in Faro", &["home=faro"]),
        (
            Kind::Preference,
            "Keep your replies brief, without emojis",
            &["answer length=short", "answer emoji=without"],
        ),
        (Kind::Preference, "Antworte bitte ausführlich", &["answer length=long"]),
        (Kind::Preference, "I like short stories", &["liking short story=like"]),
    ] {
        assert_eq!(all(kind, text), expected, "{text}");
    }
}

#[test]
fn i3_an_event_is_known_by_its_noun_in_each_language() {
    for (text, key, value) in [
        ("Der Umzug wurde auf den 4. Oktober verlegt", "umzug", "4 october"),
        ("Das Konzert ist am 20. Dezember", "konzert", "20 december"),
        ("El examen se aplazó al 2 de febrero", "examen", "2 february"),
        ("L'audition est reportée au 7 avril", "laudition", "7 april"),
        ("発表会は5月9日に変更になりました", "発表会", "5月9日"),
        ("考试改到5月9日了", "考试", "5月9日"),
    ] {
        assert_eq!(told(Kind::Date, text), Some((key.to_owned(), value.to_owned())), "{text}");
    }
}

#[test]
fn i3_what_adds_up_or_is_of_another_has_no_attribute() {
    for text in [
        "I speak French",
        "I'm allergic to peanuts",
        "My sister is called Anna",
        "I used to live in Paris",
        "I lived in Paris for a year",
        "I don't live in Berlin",
        "I joined a choir",
        "Please answer in short sentences",
        "I speak in public",
        "I work at night",
        "I'm a mother",
        "I'm 30 minutes late",
        "My car is broken",
        "My dog is sick",
        "I like tea and coffee",
        "I would like a coffee",
        "My name is not Bob",
        "I moved to Spain when I was a child",
        "I hate it when it rains",
        "Je suis triste",
        "Ich bin müde",
        "我会说法语",
        "",
    ] {
        assert_eq!(told(Kind::Fact, text), None, "{text}");
    }
    assert_eq!(told(Kind::Goal, "I live in Berlin"), None);
}
