//! The log holds ids and figures. If a failure has repeated what was said, forgetting erases it there, too.

use std::fs;

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::{Home, MAIN};

fn log(home: &Home) -> String {
    fs::read_to_string(home.path().join("logs/throughline.log")).unwrap()
}

#[test]
fn c6_what_is_said_never_reaches_the_log_however_verbose_it_is() {
    let server = MessagesServer::start(|_| Answer::Says("The quokka is noted.".to_owned()));
    let home = server.home().with("THROUGHLINE_SMALL_MODEL", "anthropic/claude-haiku-4-5");
    server.serve(|| {
        for words in [
            &["chat", "-m", "I am allergic to zucchini."] as &[&str],
            &["chat", "-m", "/remember my locker is periwinkle"],
            &["record", "--chat", MAIN, "The tarpaulin is in the shed."],
            &["search", "--chat", MAIN, "zucchini"],
            &["context", "--chat", MAIN, "-m", "Where is the tarpaulin?"],
            &["remember", "I collect marbles."],
            &["reindex"],
            &["export"],
        ] {
            let ran = home.run(&[&["-vv"], words].concat());
            assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
        }
    });
    assert!(!server.asked().is_empty());
    let log = log(&home);
    assert!(log.contains("DEBUG") || log.contains("TRACE"), "{log}");
    for word in ["zucchini", "periwinkle", "tarpaulin", "marbles", "quokka"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

#[test]
fn j2_what_a_failure_repeated_is_erased_from_the_log_when_it_is_forgotten() {
    let refusal = "your message about narcolepsy was refused";
    let server = MessagesServer::start(move |_| Answer::Refuses(refusal.to_owned()));
    let home = server.home().with("THROUGHLINE_SMALL_MODEL", "offline");
    server.serve(|| {
        assert_eq!(home.run(&["chat", "-m", "I have narcolepsy. My dog is called Biscuit."]).code, Some(1));
    });
    assert!(log(&home).contains(refusal), "{}", log(&home));
    let lines = log(&home).lines().count();
    home.json(&["forget", "narcolepsy", "--yes", "--permanently"]);
    let holders: Vec<_> = home
        .files()
        .into_iter()
        .filter(|(_, bytes)| bytes.windows(10).any(|window| window == b"narcolepsy"))
        .map(|(file, _)| file)
        .collect();
    assert!(holders.is_empty(), "{holders:?}");
    assert!(log(&home).lines().count() >= lines, "other lines stay where they are");
}
