//! Evaluation: figures that can be worked out by hand, sets that are refused, and a home that is left as it was.

use crate::common::Home;
use serde_json::{Value, json};

/// Two conversations about things that share no words.
fn messages() -> Vec<Value> {
    let message = |id: &str, at: &str, speaker: &str, role: &str, text: &str, conversation: &str| json!({ "id": id, "at": at, "speaker": speaker, "role": role, "text": text, "conversation": conversation });
    vec![
        message(
            "D1:1",
            "2024-05-08T13:56:00Z",
            "Ana",
            "user",
            "My violin teacher is Marguerite.",
            "session_1",
        ),
        message("D1:2", "2024-05-08T13:56:30Z", "Ben", "assistant", "The boiler was repaired.", "session_1"),
        message("D2:1", "2024-06-01T09:00:00Z", "Ana", "user", "We adopted a tortoise.", "session_2"),
        message(
            "D2:2",
            "2024-06-01T09:00:30Z",
            "Ben",
            "assistant",
            "Lemons grow on the balcony.",
            "session_2",
        ),
    ]
}

fn question(number: u8, text: &str, category: &str, gold: &[&str]) -> Value {
    json!({ "id": format!("conv-1-{number}"), "chat": "conv-1", "question": text, "category": category, "gold": gold })
}

/// One question that is found, one half of whose answer shares no words with it, one that has no answer.
fn recall_set() -> Value {
    json!({
        "chats": [{ "id": "conv-1", "messages": messages() }],
        "questions": [
            question(0, "Who is the violin teacher?", "single-hop", &["D1:1"]),
            question(1, "Was the boiler repaired?", "multi-hop", &["D1:2", "D2:2"]),
            question(2, "Zeppelin?", "adversarial", &[]),
        ],
    })
}

fn figures(five: [f64; 3], ten: [f64; 3], ndcg: f64, mrr: f64) -> Value {
    json!({
        "recall_any@5": five[0], "recall_all@5": five[1], "recall@5": five[2],
        "recall_any@10": ten[0], "recall_all@10": ten[1], "recall@10": ten[2],
        "ndcg@10": ndcg, "mrr": mrr,
    })
}

fn evaluate(dataset: &str, set: &Value) -> Value {
    // LoCoMo's dates are those of a clock on the wall.
    let home = Home::new().with("USER_TIMEZONE", "UTC");
    let file = home.file("set.json", set.to_string());
    home.json(&["eval", "--dataset", dataset, &file])
}

/// What does not depend on the machine.
fn lasting(mut report: Value) -> Value {
    let report = report.as_object_mut().unwrap();
    for name in ["took_s", "search_ms", "dataset"] {
        report.remove(name).unwrap();
    }
    json!(report)
}

#[test]
fn a_recall_set_is_scored_by_message_and_by_conversation() {
    let report = evaluate("recall", &recall_set());
    assert_eq!(report["dataset"], "recall");
    assert!(report["took_s"].as_f64().unwrap() > 0.0);
    assert!(report["search_ms"]["p50"].as_f64().unwrap() <= report["search_ms"]["p99"].as_f64().unwrap());

    let second = 1.0 / 3_f64.log2();
    let half_ndcg = 1.0 / (1.0 + second);
    let found = || figures([1.0; 3], [1.0; 3], 1.0, 1.0);
    let half = || figures([1.0, 0.0, 0.5], [1.0, 0.0, 0.5], half_ndcg, 1.0);
    let mean = || figures([1.0, 0.5, 0.75], [1.0, 0.5, 0.75], f64::midpoint(1.0, half_ndcg), 1.0);
    let unknown: Value =
        found().as_object().unwrap().keys().map(|name| (name.clone(), Value::Null)).collect();
    let group = |questions: u8, without_gold: u8, figures: Value, verdicts: [u8; 3]| {
        let mut group = json!({ "questions": questions, "without_gold": without_gold });
        group.as_object_mut().unwrap().extend(figures.as_object().unwrap().clone());
        group["conversations"] = figures;
        group["verdicts"] = json!({ "strong": verdicts[0], "weak": verdicts[1], "none": verdicts[2] });
        group
    };
    let expected = json!({
        "questions": 3,
        "without_gold": 1,
        "metrics": mean(),
        "conversations": mean(),
        "by_category": {
            "adversarial": group(1, 1, unknown, [0, 0, 1]),
            "multi-hop": group(1, 0, half(), [1, 0, 0]),
            "single-hop": group(1, 0, found(), [1, 0, 0]),
            "non-adversarial": group(2, 0, mean(), [2, 0, 0]),
        },
        "verdicts": { "strong": 2, "weak": 0, "none": 1 },
    });
    assert_eq!(lasting(report), expected);
}

#[test]
fn a_conversation_stands_where_its_first_message_does() {
    let text = |id: &str, day: u32, text: &str, conversation: &str| json!({ "id": id, "at": format!("2024-05-{day:02}T13:56:00Z"), "role": "user", "text": text, "conversation": conversation });
    let set = json!({
        "chats": [{ "id": "c", "messages": [
            text("1", 1, "tortoise tortoise", "pets"),
            text("2", 2, "A tortoise came with the garden of the neighbors, they said.", "garden"),
            text("3", 3, "🌧", "garden"),
        ] }],
        "questions": [{ "id": "q", "chat": "c", "question": "tortoise", "category": "x", "gold": ["3"] }],
    });
    let report = evaluate("recall", &set);
    assert_eq!(report["metrics"]["recall@10"], 0.0, "the gold says nothing");
    assert_eq!(report["conversations"]["recall@10"], 1.0, "its conversation does");
    assert_eq!(report["conversations"]["mrr"], 0.5, "after the one that matches better");
}

#[test]
fn what_serves_to_score_is_never_taken_in() {
    let mut set = recall_set();
    for message in set["chats"][0]["messages"].as_array_mut().unwrap() {
        message["conversation"] = json!("zeppelin");
    }
    set["questions"][2]["gold"] = json!(["D1:1"]);
    set["questions"][0]["category"] = json!("zeppelin");
    let report = evaluate("recall", &set);
    assert_eq!(
        report["by_category"]["adversarial"]["verdicts"],
        json!({ "strong": 0, "weak": 0, "none": 1 })
    );
}

#[test]
fn locomo_gives_what_its_recall_set_gives() {
    let turn = |message: &Value| json!({ "speaker": message["speaker"], "dia_id": message["id"], "text": message["text"] });
    let turns: Vec<Value> = messages().iter().map(turn).collect();
    let sample = json!([{
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2024",
            "session_1": &turns[..2],
            "session_2_date_time": "9:00 am on 1 June, 2024",
            "session_2": &turns[2..],
        },
        "qa": [
            { "question": "Who is the violin teacher?", "answer": "Marguerite", "evidence": ["D1:1"], "category": 4 },
            { "question": "Was the boiler repaired?", "evidence": ["D1:2; D2:2"], "category": 1 },
            { "question": "Zeppelin?", "adversarial_answer": "no", "evidence": ["D9:9"], "category": 5 },
        ],
    }]);
    assert_eq!(lasting(evaluate("locomo", &sample)), lasting(evaluate("recall", &recall_set())));
}

#[test]
fn longmemeval_is_scored_by_session() {
    let say = |text: &str| json!({ "role": "user", "content": text });
    let instance = |id: &str, answers: &[&str]| {
        json!({
            "question_id": id,
            "question_type": "single-session-user",
            "question": "Where is the tortoise?",
            "answer": "in the garden",
            "haystack_session_ids": ["a", "b"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
            "haystack_sessions": [[say("The tortoise is in the garden."), say("It sleeps.")], [say("It rains.")]],
            "answer_session_ids": answers,
        })
    };
    let report = evaluate("longmemeval", &json!([instance("one", &["a"]), instance("two", &["a", "b"])]));
    assert_eq!((&report["questions"], &report["metrics"]["recall@10"]), (&json!(2), &json!(0.75)));
    assert_eq!(report["by_category"]["single-session-user"]["recall_all@5"], 0.5);
    assert_eq!(report["conversations"], Value::Null, "sessions are all there is");
    assert_eq!(report["by_category"].as_object().unwrap().len(), 1);
}

#[test]
fn a_chat_of_a_set_may_have_any_id() {
    let long = "x".repeat(400);
    let names = ["", " ", "a b", "a\u{a0}b", "cli:chat:main", "猫\n", &long];
    let chat = |(number, name): (usize, &&str)| {
        let text = format!("The word of the day is walrus{number}.");
        json!({ "id": name, "messages": [
            { "id": "1", "at": "2024-05-08T13:56:00Z", "role": "user", "text": text, "conversation": "c" },
        ] })
    };
    let asked = |(number, name): (usize, &&str)| {
        let text = format!("walrus{number}");
        json!({ "id": format!("{number}"), "chat": name, "question": text, "category": "x", "gold": ["1"] })
    };
    let set = json!({
        "chats": names.iter().enumerate().map(chat).collect::<Vec<_>>(),
        "questions": names.iter().enumerate().map(asked).collect::<Vec<_>>(),
    });
    assert_eq!(evaluate("recall", &set)["metrics"]["mrr"], 1.0);
}

#[test]
fn the_home_is_left_as_it_was() {
    let home = Home::new();
    home.record("The violin teacher is someone else.");
    let file = home.file("set.json", recall_set().to_string());
    home.json(&["eval", "--dataset", "recall", &file]);
    home.run(&["eval", "--dataset", "locomo", &file]);
    assert_eq!(home.texts(), ["The violin teacher is someone else."]);
    let left: Vec<_> = home.files().into_iter().map(|(path, _)| path).collect();
    assert!(!left.iter().any(|path| path.to_str().unwrap().contains("eval-")), "{left:?}");
}

#[test]
fn d9_the_evidence_in_contexts_is_told_for_each_budget() {
    let home = Home::new().with("USER_TIMEZONE", "UTC");
    let file = home.file("set.json", recall_set().to_string());
    // One token holds nothing; four thousand hold the four messages, so all the gold and no hits.
    let asked = ["eval", "--dataset", "recall", &file, "--budget", "1,4000"];
    for learn in [false, true] {
        let asked = [&asked[..], if learn { &["--learn"] } else { &[] }].concat();
        let context = home.json(&asked)["context"].clone();
        for (budget, share) in [("1", 0.0), ("4000", 1.0)] {
            let held = &context[budget];
            let tokens = held["tokens"].as_f64().unwrap();
            assert!(tokens <= budget.parse().unwrap() && (tokens > 0.0) == (share > 0.0), "{held}");
            let figures = |questions: u8, held: &Value| {
                assert_eq!(
                    [&held["questions"], &held["gold"], &held["any"]],
                    [&json!(questions), &json!(share), &json!(share)],
                    "{budget}: {held}"
                );
            };
            figures(2, held);
            for (category, questions) in [("single-hop", 1), ("multi-hop", 1), ("non-adversarial", 2)] {
                figures(questions, &held["by_category"][category]);
            }
            assert_eq!(held["by_category"]["adversarial"], Value::Null, "it has no gold");
        }
        assert_eq!(context["small_talk"], json!({ "recalled_tokens": 0.0 }));
    }
    let shown = home.ok(&asked);
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |cells: [&str; 4]| rows.iter().any(|row| row.get(..4) == Some(&cells[..]));
    assert!(row(["context", "of", "gold", "any"]) && row(["1", "tokens", "0.0", "0.0"]), "{shown}");
    assert!(
        row(["4000", "tokens", "100.0", "100.0"]) && row(["recalled", "for", "small", "talk"]),
        "{shown}"
    );
}

#[test]
fn a_person_reads_percentages() {
    let home = Home::new();
    let file = home.file("set.json", recall_set().to_string());
    let shown = home.ok(&["eval", "--dataset", "recall", &file]);
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let all = ["all", "2", "100.0", "50.0", "75.0", "100.0", "50.0", "75.0", "80.7", "100.0"];
    assert!(rows.contains(&all.to_vec()), "{shown}");
    assert!(rows.contains(&vec!["adversarial", "1", "0", "0", "1"]), "verdicts: {shown}");
}

/// The set with one thing changed.
fn changed(pointer: &str, value: Value) -> String {
    let mut set = recall_set();
    *set.pointer_mut(pointer).unwrap() = value;
    set.to_string()
}

#[test]
fn a_bad_set_is_refused_in_one_sentence_that_names_the_place() {
    let home = Home::new();
    let twice = recall_set()["chats"][0].clone();
    let cases = [
        ("recall", "not json".to_owned(), "not JSON"),
        ("recall", "{\"chats\": [".to_owned(), "not JSON"),
        ("recall", "[]".to_owned(), "line 1 column"),
        ("locomo", recall_set().to_string(), "line 1 column"),
        ("longmemeval", "[{}]".to_owned(), "question_id"),
        ("recall", changed("/chats/0/messages/1/role", json!("robot")), "robot"),
        ("recall", changed("/chats/0/messages/1/at", json!("soon")), "message \"D1:2\""),
        ("recall", changed("/chats/0/messages/1/text", json!(" ")), "message \"D1:2\""),
        ("recall", changed("/chats/0/messages/1/id", json!("D1:1")), "two messages have the id \"D1:1\""),
        ("recall", changed("/chats", json!([twice, twice])), "two chats have the id \"conv-1\""),
        ("recall", changed("/questions/1/id", json!("conv-1-0")), "two questions have the id \"conv-1-0\""),
        (
            "recall",
            changed("/questions/1/chat", json!("conv-9")),
            "question \"conv-1-1\": the set has no chat \"conv-9\"",
        ),
        ("recall", changed("/questions/1/gold/0", json!("D7:7")), "question \"conv-1-1\": its gold \"D7:7\""),
    ];
    for (number, (dataset, set, why)) in cases.into_iter().enumerate() {
        let file = home.file(&format!("set-{number}.json"), set);
        let ran = home.run(&["eval", "--dataset", dataset, &file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        assert!(ran.stderr.contains(&file) && ran.stderr.contains(why), "{why}: {ran:?}");
    }
    let absent = home.beside("absent.json");
    let ran = home.run(&["--json", "eval", "--dataset", "recall", absent.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("unreadable_file") && ran.stderr.contains("absent.json"), "{ran:?}");
    let unknown = home.run(&["eval", "--dataset", "trivia", "x.json"]);
    assert_eq!(unknown.code, Some(2));
}
