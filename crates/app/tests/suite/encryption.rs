//! An encrypted home, from the outside. A build without encryption refuses one, and changes nothing.

use crate::common::Home;

const KEY: &str = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d";

#[cfg(not(feature = "encryption"))]
#[test]
fn a_build_without_encryption_says_so_and_writes_nothing() {
    let home = Home::new().with("THROUGHLINE_ENCRYPTION_KEY", KEY);
    for words in [&["record", "--chat", "main", "hello"] as &[&str], &["status"]] {
        let ran = home.run(words);
        assert!(ran.code == Some(1) && ran.stderr.contains("--features encryption"), "{ran:?}");
        assert!(!home.database().exists() && !ran.stderr.contains(KEY), "{ran:?}");
    }
    let home = Home::new();
    home.record("hello");
    let ran = home.run(&["encrypt"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("no key is set"), "{ran:?}");
    assert_eq!(home.texts(), ["hello"]);
}

#[cfg(feature = "encryption")]
mod with_encryption {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::common::{BINARY, MAIN, Ran, set_mode};

    const WORDS: &str = "I am allergic to peanuts.";

    /// A home whose settings name a file with the key, which is there.
    fn keyed() -> Home {
        let home = Home::new().configured("[encryption]\nkey_file = \"database.key\"\n");
        fs::write(home.path().join("database.key"), format!("{KEY}\n")).unwrap();
        set_mode(&home.path().join("database.key"), 0o600);
        home
    }

    fn without_key(home: &Home) {
        fs::write(home.path().join("config.toml"), "").unwrap();
    }

    fn with_key(home: &Home) {
        fs::write(home.path().join("config.toml"), "[encryption]\nkey_file = \"database.key\"\n").unwrap();
    }

    /// The files of the home that hold a word of the message.
    fn holders(home: &Home) -> Vec<PathBuf> {
        let holds = |bytes: &[u8]| bytes.windows(7).any(|window| window == b"peanuts");
        let mut found: Vec<PathBuf> =
            home.files().into_iter().filter(|(_, bytes)| holds(bytes)).map(|(file, _)| file).collect();
        found.sort();
        found
    }

    #[test]
    fn an_encrypted_home_is_used_like_any_other_and_holds_no_word_in_plain() {
        let home = keyed();
        home.ok(&["chat", "-m", WORDS]);
        assert!(home.ok(&["search", "peanuts", "--chat", MAIN]).contains(WORDS));
        assert!(home.ok(&["memory", "list"]).contains("peanuts"));
        assert_eq!(home.texts()[0], WORDS);
        home.ok(&["backup", "--daily", "7"]);
        let file = home.beside("copy.db").to_str().unwrap().to_owned();
        home.ok(&["backup", &file]);
        assert!(!fs::read(&file).unwrap().windows(7).any(|window| window == b"peanuts"));
        let doctor = home.ok(&["doctor"]);
        assert!(doctor.contains("fine, and encrypted"), "{doctor}");
        assert_eq!(holders(&home), [PathBuf::new(); 0]);
        home.record("after the backup");
        assert_eq!(home.json(&["restore", &file])["messages"], 2);
        assert_eq!(home.texts().len(), 2);
        let done = home.json(&["forget", "peanuts", "--yes", "--permanently"]);
        assert!(done["backups"].to_string().contains("copy.db"), "encrypted backups are searched: {done}");
        assert!(!home.ok(&["export"]).contains("peanuts"));
        let bench = home.ok(&["bench", "--only", "record", "--messages", "100", "--search-messages", "100"]);
        assert!(bench.contains("record"), "{bench}");
    }

    #[test]
    fn a_wrong_or_missing_key_is_one_sentence_and_changes_nothing() {
        let home = keyed();
        home.record(WORDS);
        let before = fs::read(home.database()).unwrap();
        let refused = |sentence: &str| {
            for words in [
                &["status"] as &[&str],
                &["record", "--chat", MAIN, "hello"],
                &["doctor", "--fix"],
                &["decrypt"],
            ] {
                let ran = home.run(words);
                let said = format!("{}{}", ran.stdout, ran.stderr);
                assert!(
                    ran.code == Some(1) && said.contains(sentence) && !said.contains(KEY),
                    "{words:?}: {ran:?}"
                );
                assert!(words[0] == "doctor" || ran.stderr.lines().count() == 1, "{ran:?}");
            }
            assert_eq!(fs::read(home.database()).unwrap(), before);
        };
        set_mode(&home.path().join("database.key"), 0o644);
        refused("which is open to others (644); close it with `chmod 600");
        set_mode(&home.path().join("database.key"), 0o600);
        fs::write(home.path().join("database.key"), KEY.replace('8', "9")).unwrap();
        refused("the key that is set does not open it");
        fs::write(home.path().join("database.key"), "").unwrap();
        refused("gives no key: it is empty");
        fs::write(home.path().join("database.key"), KEY).unwrap();
        assert_eq!(home.texts(), [WORDS]);
        without_key(&home);
        let ran = home.run(&["status"]);
        assert!(ran.code == Some(1) && ran.stderr.contains("is encrypted, and no key is set"), "{ran:?}");
        assert_eq!(fs::read(home.database()).unwrap(), before);
    }

    #[test]
    fn the_key_may_come_from_a_variable_or_a_program() {
        let home = Home::new().with("THROUGHLINE_ENCRYPTION_KEY", KEY);
        home.record(WORDS);
        let shown = home.ok(&["config", "show"]);
        assert!(shown.contains("encryption.key ") && !shown.contains(KEY), "{shown}");
        let settings = format!("[encryption]\nkey_command = [\"printf\", \"{KEY}\"]\n");
        fs::write(home.path().join("config.toml"), settings).unwrap();
        let mut command = home.command(&["export"]);
        let ran = Ran::of(command.env_remove("THROUGHLINE_ENCRYPTION_KEY"));
        assert!(ran.code == Some(0) && ran.stdout.contains(WORDS), "{ran:?}");
    }

    #[test]
    fn c1_a_conversion_that_is_killed_at_any_step_has_taken_place_or_not() {
        for (words, from_plain) in [("encrypt", true), ("decrypt", false)] {
            let (mut before, mut after) = (0, 0);
            for step in 1..200 {
                let home = keyed();
                if from_plain {
                    without_key(&home);
                }
                home.record(WORDS);
                with_key(&home);
                let mut command = home.bare("strace");
                command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,rename,unlink"]);
                command.args([
                    "-e",
                    &format!("inject=fsync,fdatasync,rename,unlink:signal=SIGKILL:when={step}"),
                ]);
                let ran = Ran::of(command.arg(BINARY).arg(words));
                // The next command finishes what was decided, or clears away what was not.
                let opened = home.run(&["export"]);
                let is_encrypted = opened.code == Some(0);
                if !is_encrypted {
                    assert!(
                        opened.stderr.contains("is not encrypted, but a key is set"),
                        "{step}: {opened:?}"
                    );
                    without_key(&home);
                }
                assert_eq!(home.texts(), [WORDS], "{words}, step {step}");
                home.ok(&["doctor"]);
                let expected = if is_encrypted { Vec::new() } else { vec![home.database()] };
                let mut found = holders(&home);
                found.retain(|file| !file.to_string_lossy().ends_with("-wal"));
                assert!(found.iter().all(|file| expected.contains(file)), "{words}, step {step}: {found:?}");
                if is_encrypted == from_plain {
                    after += 1
                } else {
                    before += 1
                }
                if ran.code == Some(0) {
                    break;
                }
            }
            assert!(
                before > 3 && after > 1,
                "{words}: killed {before} times before and {after} after it was decided"
            );
        }
    }

    #[test]
    fn a_home_is_converted_and_plain_backups_are_named() {
        let home = keyed();
        without_key(&home);
        home.record(WORDS);
        home.ok(&["backup", "--daily", "7"]);
        with_key(&home);
        let said = home.ok(&["encrypt"]);
        assert!(
            said.contains("is encrypted (1 message)")
                && said.contains("backups from before are not encrypted"),
            "{said}"
        );
        let holders = holders(&home);
        assert!(holders.len() == 1 && holders[0].to_string_lossy().contains("daily-"), "{holders:?}");
        assert!(home.run(&["encrypt"]).stderr.contains("is already encrypted"));
        let plain = holders[0].to_str().unwrap();
        assert_eq!(home.json(&["restore", plain])["messages"], 1);
        home.ok(&["decrypt"]);
        assert!(home.run(&["status"]).stderr.contains("is not encrypted, but a key is set"));
        without_key(&home);
        assert_eq!(home.texts(), [WORDS]);
    }
}
