//! Several processes share one home, without a server for locks: nobody is turned away, nothing is lost, order is kept.

use std::collections::BTreeSet;

use crate::common::{Home, MAIN, Ran};

/// Runs the same work in several threads, each with its number.
fn together<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..count).map(|n| scope.spawn(move || work(n))).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

#[test]
fn b7_without_redis_eight_processes_record_at_once_and_every_reader_sees_what_was_recorded() {
    const WRITERS: usize = 8;
    const MESSAGES: usize = 25;
    let home = Home::new();
    together(WRITERS, |writer| {
        let own = format!("topic:{writer}");
        for n in 0..MESSAGES {
            let word = format!("word{writer}x{n}");
            // Four of five go to the lane that all share.
            let lane = if n % 5 == 4 { own.as_str() } else { "root" };
            home.ok(&["record", "--chat", MAIN, "--lane", lane, &word]);
            if n % 6 == 0 {
                let found = home.json(&["search", &word, "--chat", MAIN]);
                assert_eq!(
                    found["hits"][0]["text"],
                    word.as_str(),
                    "not found as soon as it was recorded: {found}"
                );
            }
        }
    });

    let exported = home.exported();
    let there: BTreeSet<&str> = exported.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!((there.len(), exported.len()), (WRITERS * MESSAGES, WRITERS * MESSAGES));
    for writer in 0..WRITERS {
        let ours = format!("word{writer}x");
        for lane in ["root:main".to_owned(), format!("topic:main:{writer}")] {
            let numbers: Vec<usize> = exported
                .iter()
                .filter(|line| line["lane"] == lane.as_str())
                .filter_map(|line| line["text"].as_str().unwrap().strip_prefix(&ours)?.parse().ok())
                .collect();
            assert!(numbers.is_sorted() && !numbers.is_empty(), "writer {writer} in {lane}: {numbers:?}");
        }
    }
    home.ok(&["doctor"]);
}

#[test]
fn processes_that_make_the_same_home_at_once_all_succeed() {
    for round in 0..3 {
        let home = Home::new();
        let ran = together(4, |n| home.run(&["record", "--chat", MAIN, &format!("hello from {n}")]));
        assert!(ran.iter().all(|one| one.code == Some(0)), "round {round}: {ran:?}");
        assert_eq!(home.messages(), 4);
    }
}

#[test]
fn b7_without_redis_two_turns_at_once_in_one_lane_both_get_a_reply_and_lose_nothing() {
    const ROUNDS: usize = 6;
    let home = Home::new();
    for round in 0..ROUNDS {
        let ran: Vec<Ran> = together(3, |n| {
            let text = format!("round {round} from {n}");
            // One of them reads documents, the others words.
            if n == 0 { home.run(&["chat", "--json", "-m", &text]) } else { home.run(&["chat", "-m", &text]) }
        });
        for one in &ran {
            assert_eq!((one.code, one.stderr.as_str()), (Some(0), ""), "{one:?}");
            assert!(!one.stdout.trim().is_empty(), "a turn ended without a word: {ran:?}");
        }
    }
    let asked: Vec<String> = home
        .exported()
        .iter()
        .filter(|line| line["role"] == "user")
        .map(|line| line["text"].to_string())
        .collect();
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len());
    assert_eq!(asked.len(), ROUNDS * 3);

    let count = |sql: &str| -> i64 { home.sql().query_row(sql, [], |row| row.get(0)).unwrap() };
    let asked = i64::try_from(asked.len()).unwrap();
    assert_eq!(
        count("SELECT count(*) FROM turn_messages"),
        asked,
        "each message belongs to exactly one turn"
    );
    assert_eq!(count("SELECT count(*) FROM turns WHERE status <> 'answered'"), 0);
    assert_eq!(count("SELECT count(*) FROM replies WHERE delivery <> 'sent'"), 0);
    assert_eq!(count("SELECT count(*) FROM waiting"), 0);
}
