//! What was acknowledged is there after `kill -9`, at whatever moment it came.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Dice, Home, MAIN, Ran};
use serde_json::Value;

/// Ends a process without a word, at a moment of the time that it would take.
fn kill_within(whole: Duration, child: &mut Child, dice: &mut Dice) {
    let moment = dice.below(u64::try_from(whole.as_micros()).unwrap());
    std::thread::sleep(Duration::from_micros(moment));
    child.kill().unwrap();
}

/// How long a command takes here when nothing disturbs it.
fn undisturbed(home: &Home, words: &[&str]) -> Duration {
    home.ok(words);
    let began = Instant::now();
    home.ok(words);
    began.elapsed()
}

/// The texts of the main chat with how often each is there.
fn counted(home: &Home) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in home.exported().iter().filter(|line| line["chat"] == MAIN) {
        *counts.entry(line["text"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn c1_no_acknowledged_message_is_lost_and_none_is_there_twice() {
    const WRITERS: u64 = 4;
    const MESSAGES: u64 = 125;
    // What comes after the promise is not what is tested here.
    let home = Home::new().configured("jobs.seconds_after_command = 0\n");
    // Four at a time on few processors take longer than one.
    let whole = 2 * undisturbed(&home, &["record", "--chat", "cli:chat:first", "hello"]);
    let write = |writer: u64| {
        let mut dice = Dice::new(20_260_218 + writer);
        let (mut acknowledged, mut cut_off) = (Vec::new(), 0);
        for n in 0..MESSAGES {
            let text = format!("writer {writer} message {n}");
            let mut child = home.command(&["record", "--chat", MAIN, "--json", &text]).spawn().unwrap();
            if dice.below(5) == 0 {
                kill_within(whole, &mut child, &mut dice);
            }
            let ran = Ran::from(child);
            // Its id on stdout is the promise, even if the process did not live to end in order.
            if let Ok(document) = serde_json::from_str::<Value>(&ran.stdout) {
                acknowledged.push((document["id"].as_str().unwrap().to_owned(), text));
            } else {
                assert_eq!(ran.code, None, "not killed, but not acknowledged: {ran:?}");
                cut_off += 1;
            }
        }
        (acknowledged, cut_off)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });

    let cut_off: u64 = results.iter().map(|(_, cut_off)| cut_off).sum();
    assert!(cut_off > 20, "only {cut_off} were killed in time");
    let there: BTreeSet<(String, String)> = home
        .exported()
        .iter()
        .map(|line| (line["id"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned()))
        .collect();
    for acknowledged in results.iter().flat_map(|(acknowledged, _)| acknowledged) {
        assert!(there.contains(acknowledged), "{acknowledged:?} is lost");
    }
    let twice: Vec<_> = counted(&home).into_iter().filter(|(_, count)| *count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    home.ok(&["doctor"]);
    home.record("and on it goes");
}

#[test]
fn c1_killed_turns_lose_no_message_and_answer_none_twice() {
    const TURNS: u64 = 60;
    let home = Home::new();
    let mut whole = undisturbed(&home, &["chat", "--chat", "cli:chat:first", "-m", "hello"]);
    let mut dice = Dice::new(7);
    let (mut answered, mut cut_off) = (Vec::new(), 0);
    for n in 0..TURNS {
        let text = format!("note {n} of many");
        let mut child = home.command(&["chat", "--json", "-m", &text]).spawn().unwrap();
        let doomed = dice.below(3) > 0;
        if doomed {
            kill_within(whole, &mut child, &mut dice);
        }
        let ran = Ran::from(child);
        // A busy machine is slower at one time than at another: the kills follow how long a turn takes now.
        if serde_json::from_str::<Value>(&ran.stdout).is_ok_and(|document| document["reply"].is_string()) {
            answered.push(text);
            if doomed {
                whole = whole * 3 / 4;
            }
        } else {
            assert!(doomed, "an undisturbed turn failed: {ran:?}");
            cut_off += 1;
            whole = whole * 11 / 10;
        }
    }
    assert!(cut_off > 10, "only {cut_off} were killed in time");
    home.json(&["chat", "-m", "the last note"]);

    let counts = counted(&home);
    for n in 0..TURNS {
        let text = format!("note {n} of many");
        let there = counts.get(&text).copied().unwrap_or(0);
        assert!(there <= 1, "{text} is there {there} times");
        assert!(there == 1 || !answered.contains(&text), "{text} was answered and is lost");
    }
    // The receipts name the messages that each reply answers.
    let mut replied_to = Vec::new();
    for receipt in receipts(&home) {
        let layers = receipt["layers"].as_array().unwrap();
        let message = layers.iter().find(|layer| layer["name"] == "message").unwrap();
        replied_to.extend(
            message["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()),
        );
    }
    let distinct: BTreeSet<&String> = replied_to.iter().collect();
    assert_eq!(distinct.len(), replied_to.len(), "a message was answered twice");

    let status = home.json(&["status"]);
    assert_eq!((&status["waiting"], &status["turns_running"]), (&0.into(), &0.into()), "{status}");
    assert_eq!(status["replies"]["pending"], 0, "{status}");
    home.ok(&["doctor"]);
}

fn receipts(home: &Home) -> Vec<Value> {
    let database = home.sql();
    let mut statement = database.prepare("SELECT receipt FROM turns WHERE receipt IS NOT NULL").unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|row| serde_json::from_str(&row.unwrap()).unwrap()).collect()
}

/// A turn whose reply nobody reads: it stands still while it shows the reply, until it is killed there.
fn killed_while_it_shows_its_reply(home: &Home, words: &[&str]) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    // As much as a pipe holds, so that the next byte has to wait.
    writer.write_all(&[b'.'; 65_536]).unwrap();
    let mut child = home.command(words).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while home.json(&["status"])["replies"]["pending"] != 1 {
        assert!(Instant::now() < deadline, "the reply was never begun");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(reader);
}

#[test]
fn c1_a_reply_cut_off_while_it_is_shown_is_uncertain_told_once_and_not_repeated() {
    // With --json the whole reply is on disk when it is shown; without, its first words are shown before it is.
    for (words, recorded) in
        [(&["chat", "--json", "-m", "cut off here"][..], 2), (&["chat", "-m", "cut off here"], 1)]
    {
        let home = Home::new();
        killed_while_it_shows_its_reply(&home, words);

        let status = home.json(&["status"]);
        assert_eq!(
            status["replies"],
            serde_json::json!({ "pending": 0, "uncertain": 1 }),
            "{words:?}: {status}"
        );
        assert_eq!(
            (&status["turns_running"], &status["waiting"]),
            (&0.into(), &0.into()),
            "{words:?}: {status}"
        );
        assert!(home.ok(&["status"]).contains("1 uncertain"));
        let told = "not certain that your last reply";
        assert!(home.ok(&["context", "--chat", MAIN]).contains(told), "{words:?}");

        let began = Instant::now();
        let turn = home.json(&["chat", "-m", "are you still there"]);
        assert!(began.elapsed() < Duration::from_secs(10), "the lane of a dead process was waited for");
        let message =
            turn["receipt"]["layers"].as_array().unwrap().last().unwrap()["items"].as_array().unwrap().len();
        assert_eq!(message, 1, "{words:?}: what may have been answered was answered again: {turn}");
        assert!(!home.ok(&["context", "--chat", MAIN]).contains(told), "{words:?}: it was told already");
        assert_eq!(home.messages(), recorded + 2, "{words:?}");
        home.ok(&["doctor"]);
    }
}

#[test]
fn c1_the_user_s_message_is_on_disk_before_it_is_answered() {
    let home = Home::new();
    killed_while_it_shows_its_reply(&home, &["chat", "-m", "my train leaves at 9:40"]);
    assert_eq!(home.texts(), ["my train leaves at 9:40"]);
}

#[test]
fn g5_a_kill_between_the_reply_and_its_jobs_loses_nothing_that_was_to_be_learned() {
    const TURNS: u64 = 40;
    let home = Home::new();
    let whole = 2 * undisturbed(&home, &["chat", "--chat", "cli:chat:first", "-m", "I live in Ghent"]);
    let mut dice = Dice::new(11);
    let mut cut_off = 0;
    for n in 0..TURNS {
        let text = format!("I live in Quarter {n:03}.");
        let mut child = home.command(&["chat", "--json", "-m", &text]).spawn().unwrap();
        if dice.below(4) > 0 {
            kill_within(whole, &mut child, &mut dice);
            cut_off += 1;
        }
        Ran::from(child);
    }
    assert!(cut_off > 20);
    // What waits unanswered is answered with this, and what a dead process had begun is done by the next.
    home.json(&["chat", "-m", "That was all."]);
    let learned = |home: &Home| {
        let memories = home.json(&["memory", "list", "--all"])["memories"].as_array().unwrap().clone();
        let numbers: Vec<String> =
            memories.iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect();
        numbers
    };
    let said: BTreeSet<String> =
        counted(&home).into_keys().filter(|text| text.starts_with("I live in")).collect();
    let known = learned(&home);
    for text in &said {
        let home = text.trim_end_matches('.').rsplit(' ').next().unwrap();
        let times = known.iter().filter(|memory| memory.contains(home)).count();
        assert_eq!(times, 1, "{text}");
    }
}
