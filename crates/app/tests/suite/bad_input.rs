//! What cannot be done is refused with a sentence that says what is wrong and what to do, and changes nothing.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::chown;

use crate::common::{BINARY, Home, MAIN, Ran, set_mode};
use serde_json::{Value, json};

/// What a refusal must look like.
struct Refusal<'a> {
    exit: i32,
    code: &'a str,
    /// What the sentence must name: what is wrong, and what to do.
    says: &'a [&'a str],
}

impl Refusal<'_> {
    fn check(&self, what: &str, plain: &Ran, as_json: &Ran) {
        assert_eq!((plain.code, plain.stdout.as_str()), (Some(self.exit), ""), "{what}: {plain:?}");
        assert_eq!(as_json.code, Some(self.exit), "{what}: {as_json:?}");
        let document: Value = serde_json::from_str(&as_json.stdout)
            .unwrap_or_else(|error| panic!("{what}: {error}: {as_json:?}"));
        assert_eq!(document["error"]["code"], self.code, "{what}: {document}");
        let message = document["error"]["message"].as_str().unwrap();
        for words in self.says {
            for shown in [&plain.stderr, &as_json.stderr, message] {
                assert!(shown.contains(words), "{what}: {shown:?} does not say {words:?}");
            }
        }
    }
}

/// Runs a command with and without --json on a home that holds a message, and checks that nothing was changed.
fn refused<S: AsRef<OsStr>>(home: &Home, words: &[S], stdin: &[u8], refusal: &Refusal<'_>) {
    let before = home.exported();
    let what = words.iter().map(|word| word.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
    let plain = home.feed(words, stdin);
    let mut with_json: Vec<OsString> = vec!["--json".into()];
    with_json.extend(words.iter().map(|word| word.as_ref().to_owned()));
    let as_json = home.feed(&with_json, stdin);
    refusal.check(&what, &plain, &as_json);
    assert_eq!(home.exported(), before, "{what} changed something");
}

fn home_with_a_message() -> Home {
    let home = Home::new();
    home.record("The spare key is with Ana");
    home
}

#[test]
fn wrong_usage_is_exit_2_and_says_what_to_write() {
    let home = home_with_a_message();
    let long = format!("cli:chat:{}", "x".repeat(400));
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["record", "--chat", "cli:main", "x"],
            &["\"cli:main\" is not a chat id", "for example cli:chat:main"],
        ),
        (&["record", "--chat", "cli:chat:", "x"], &["the name is empty", "cli:chat:main"]),
        (&["record", "--chat", "Cli:chat:a", "x"], &["the channel is a lower-case word"]),
        (&["record", "--chat", "cli:chat:a b", "x"], &["white space"]),
        (&["record", "--chat", "", "x"], &["not a chat id"]),
        (&["record", "--chat", &long, "x"], &["longer than 300 bytes"]),
        (&["search", "x", "--chat", "telegram:1"], &["not a chat id"]),
        (&["context", "--chat", "telegram:1"], &["not a chat id"]),
        (&["chat", "--chat", "telegram:1", "-m", "x"], &["not a chat id"]),
        (&["export", "--chat", "telegram:1"], &["not a chat id"]),
        (&["record", "--chat", MAIN, "--lane", "topic:other:7", "x"], &["--lane", "topic:other:7", MAIN]),
        (&["record", "--chat", MAIN, "--lane", "root:other", "x"], &["--lane", "root:other", MAIN]),
        (&["record", "--chat", MAIN, "--lane", "main", "x"], &["--lane", "root, topic:N or reply:ID"]),
        (&["record", "--chat", MAIN, "--lane", "topic:", "x"], &["--lane", "root, topic:N or reply:ID"]),
        (&["record", "--chat", MAIN, "--lane", "thread:1", "x"], &["--lane", "root, topic:N or reply:ID"]),
        (&["context", "--chat", MAIN, "--lane", "topic:other:7"], &["--lane", "topic:other:7", MAIN]),
        (&["search", "x", "--chat", MAIN, "--lane", "topic:other:7"], &["--lane", "topic:other:7", MAIN]),
        (
            &["record", "--chat", MAIN, "--at", "1492-10-12T00:00:00Z", "x"],
            &["--at", "out of range", "1970-01-01"],
        ),
        (&["record", "--chat", MAIN, "--at", "+012000-01-01T00:00:00Z", "x"], &["--at", "12000"]),
        (&["record", "--chat", MAIN, "--at", "12000-01-01T00:00:00Z", "x"], &["--at", "12000"]),
        (
            &["record", "--chat", MAIN, "--at", "tomorrow-ish", "x"],
            &["--at", "not a moment", "2026-02-18T07:02:00Z"],
        ),
        (&["search", "x", "--chat", MAIN, "--since", "18/02/2026"], &["--since", "not a moment"]),
        (&["search", "x", "--chat", MAIN, "--limit", "0"], &["--limit"]),
        (&["record", "--chat", MAIN, "--metadata", "[1]", "x"], &["--metadata", "JSON object"]),
        (&["record", "--chat", MAIN, "--metadata", "\"x\"", "x"], &["--metadata", "JSON object"]),
        (&["record", "--chat", MAIN, "--metadata", "{", "x"], &["--metadata", "not JSON"]),
        (&["record", "--chat", MAIN, "--role", "robot", "x"], &["robot", "tool_result"]),
        (&["context", "--chat", MAIN, "--preset", "big"], &["--preset", "rolling"]),
        (&["context", "--chat", MAIN, "--format", "html"], &["--format", "xml"]),
        (&["context", "--chat", MAIN, "--budget", "-5"], &["-5"]),
        (&["--now", "soon", "status"], &["--now", "2026-02-18T07:02:00Z"]),
        (&["--now", "0001-01-01T00:00:00Z", "record", "--chat", MAIN, "x"], &["--now", "out of range"]),
        (&["chat", "--agent", "../elsewhere", "-m", "x"], &["--agent", "an agent's name"]),
        (&["remembr", "x"], &["remembr"]),
        (&["import"], &["PATH"]),
    ];
    for (words, says) in cases {
        refused(&home, words, b"", &Refusal { exit: 2, code: "usage", says });
    }
    // The conversation in the terminal is not one document.
    let ran = home.run(&["chat", "--json"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stdout.contains("\"usage\"") && ran.stderr.contains("there is no message"), "{ran:?}");
}

#[test]
fn text_that_no_message_can_hold_is_refused() {
    let home = home_with_a_message();
    let from_stdin = ["record", "--chat", MAIN, "-"];
    let empty = Refusal { exit: 1, code: "invalid_message", says: &["empty", "give it some text"] };
    refused(&home, &["record", "--chat", MAIN, ""], b"", &empty);
    refused(&home, &["record", "--chat", MAIN, " \n\t"], b"", &empty);
    refused(&home, &["chat", "-m", ""], b"", &empty);
    refused(&home, &["context", "--chat", MAIN, "-m", ""], b"", &empty);
    refused(&home, &from_stdin, b"", &empty);
    refused(&home, &from_stdin, b"\0 \0\n", &empty);
    let long = Refusal { exit: 1, code: "invalid_message", says: &["10000000 bytes", "several messages"] };
    refused(&home, &from_stdin, &vec![b'x'; 10_000_000], &long);
    let utf8 = Refusal { exit: 1, code: "invalid_utf8", says: &["not UTF-8", "byte 5", "iconv"] };
    refused(&home, &from_stdin, b"caf\xc3\xa9\xe9 au lait", &utf8);
    // A surrogate as some programs write it is no UTF-8 either.
    refused(&home, &from_stdin, b"smile\xed\xa0\xbd", &utf8);
    let mut argument: Vec<OsString> = ["record", "--chat", MAIN].into_iter().map(OsString::from).collect();
    argument.push(OsString::from_vec(b"caf\xe9".to_vec()));
    refused(&home, &argument, b"", &Refusal { exit: 2, code: "usage", says: &["UTF-8"] });
}

#[test]
fn nul_characters_are_removed_on_intake() {
    let home = Home::new();
    home.feed(&["record", "--chat", MAIN, "-"], b"spare\0 key\0\n").ok();
    home.import(&[json!({ "chat": MAIN, "role": "user", "text": "blue\u{0} door", "speaker": "A\u{0}na" })]);
    assert_eq!(home.texts(), ["spare key", "blue door"]);
    assert_eq!(home.exported()[1]["speaker"], "Ana");
}

#[test]
fn bad_lines_of_an_import_are_named_and_the_others_go_in() {
    let home = home_with_a_message();
    let good = |text: &str| json!({ "chat": MAIN, "role": "user", "text": text }).to_string().into_bytes();
    let lines: Vec<(Vec<u8>, Option<&str>)> = vec![
        (good("one"), None),
        (b"{\"chat\": \"cli:chat:main\", \"role\": ".to_vec(), Some("EOF")),
        (b"not json".to_vec(), Some("chat, role and text")),
        (good("two"), None),
        ([&good("three")[..], b"\xff"].concat(), Some("UTF-8")),
        (br#"{"chat":"cli:chat:main","role":"user","text":"\ud800"}"#.to_vec(), Some("surrogate")),
        (br#"{"chat":"main","role":"user","text":"x"}"#.to_vec(), Some("not a chat id")),
        (br#"{"chat":"cli:chat:main","role":"robot","text":"x"}"#.to_vec(), Some("robot")),
        (br#"{"chat":"cli:chat:main","role":"user"}"#.to_vec(), Some("text")),
        (br#"{"chat":"cli:chat:main","role":"user","text":""}"#.to_vec(), Some("empty")),
        (b"".to_vec(), None),
        (
            br#"{"chat":"cli:chat:main","role":"user","text":"x","at":"1492-10-12T00:00:00Z"}"#.to_vec(),
            Some("out of range"),
        ),
        (
            br#"{"chat":"cli:chat:main","role":"user","text":"x","lane":"topic:other:7"}"#.to_vec(),
            Some("topic:other:7"),
        ),
        (br#"{"chat":"cli:chat:main","role":"user","text":"x","metadata":"mail"}"#.to_vec(), Some("map")),
        (br#"{"chat":"cli:chat:main","role":"user","text":["a"]}"#.to_vec(), Some("string")),
        (good(&"x".repeat(1_000_001)), Some("1000001 bytes")),
        (good("last, without a line break"), None),
    ];
    let expected: Vec<(u64, &str)> =
        lines.iter().zip(1..).filter_map(|((_, why), number)| why.map(|why| (number, why))).collect();
    let file = lines.iter().map(|(line, _)| line.as_slice()).collect::<Vec<_>>().join(&b'\n');
    let path = home.file("history.jsonl", &file);

    let ran = home.run(&["import", &path, "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["imported"], &report["skipped"]), (&json!(3), &json!(0)), "{report}");
    assert_eq!((&report["failed"], &report["chats"]), (&json!(expected.len()), &json!(1)), "{report}");
    let errors = report["errors"].as_array().unwrap();
    assert_eq!(errors.len(), expected.len(), "{report}");
    for (error, (line, why)) in errors.iter().zip(&expected) {
        assert_eq!(error["line"], *line, "{error}");
        assert!(error["why"].as_str().unwrap().contains(why), "{error} does not say {why}");
    }
    assert_eq!(home.texts(), ["The spare key is with Ana", "one", "two", "last, without a line break"]);

    let again = home.run(&["import", &path]);
    assert_eq!(again.code, Some(1));
    assert!(again.stdout.contains("0 imported, 3 already there"), "{again:?}");
    assert!(again.stdout.contains("history.jsonl:3: "), "{again:?}");
}

#[test]
fn a_file_that_cannot_be_imported_is_named() {
    let home = home_with_a_message();
    let missing = home.beside("missing.jsonl");
    let missing = missing.to_str().unwrap();
    refused(
        &home,
        &["import", missing],
        b"",
        &Refusal { exit: 1, code: "unreadable_file", says: &[missing, "Nothing was imported"] },
    );
    let folder = home.path();
    let folder = folder.to_str().unwrap();
    refused(
        &home,
        &["import", folder],
        b"",
        &Refusal { exit: 1, code: "unreadable_file", says: &[folder, "folder"] },
    );
    // The good file before it stays out, too: all are looked at first.
    let good = home.file("good.jsonl", json!({ "chat": MAIN, "role": "user", "text": "one" }).to_string());
    refused(
        &home,
        &["import", &good, missing],
        b"",
        &Refusal { exit: 1, code: "unreadable_file", says: &[missing] },
    );
    // What is no id at all names nothing either, as with memories.
    let says = &["\"abc\"", "conversations list"];
    refused(&home, &["conversations", "show", "abc"], b"", &Refusal { exit: 1, code: "not_found", says });
    let id = "01900000-0000-7000-8000-000000000000";
    refused(&home, &["conversations", "show", id], b"", &Refusal { exit: 1, code: "not_found", says: &[id] });
}

#[test]
fn settings_that_make_no_sense_are_named_with_what_was_meant() {
    let home = Home::new();
    home.record("before");
    let commands: [&[&str]; 4] = [
        &["record", "--chat", MAIN, "x"],
        &["search", "x", "--chat", MAIN],
        &["context", "--chat", MAIN],
        &["chat", "-m", "x"],
    ];
    let check = |home: &Home, says: &[&str]| {
        for words in commands {
            let as_json: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
            Refusal { exit: 1, code: "config", says }.check(
                &words.join(" "),
                &home.run(words),
                &home.run(&as_json),
            );
        }
        let doctor = home.run(&["doctor"]);
        assert_eq!(doctor.code, Some(1), "{doctor:?}");
        assert!(doctor.stdout.contains(says[0]), "{doctor:?}");
        let checked = home.run(&["config", "check"]);
        assert_eq!(checked.code, Some(1), "{checked:?}");
    };
    let home = home.with("USER_TIMEZONE", "Mars/Olympus");
    check(&home, &["USER_TIMEZONE", "Mars/Olympus"]);
    // An empty variable is no variable.
    let home = home.with("USER_TIMEZONE", "");
    std::fs::write(home.path().join("config.toml"), "modle = \"offline\"\n").unwrap();
    check(&home, &["modle", "did you mean", "model", "config.toml"]);
    std::fs::write(home.path().join("config.toml"), "[context]\nbudgte = 100\n").unwrap();
    check(&home, &["budgte", "did you mean", "budget"]);
    std::fs::write(home.path().join("config.toml"), "model = \n").unwrap();
    check(&home, &["config.toml"]);
    std::fs::remove_file(home.path().join("config.toml")).unwrap();
    assert_eq!(home.texts(), ["before"]);
}

#[test]
fn a_full_disk_is_told_and_changes_nothing() {
    let home = home_with_a_message();
    let before = home.exported();
    let line =
        home.file("one.jsonl", json!({ "chat": MAIN, "role": "user", "text": "imported" }).to_string());
    let full_disk = |home: &Home, words: &[&str]| {
        let mut command = home.bare("strace");
        // Every byte and every page that SQLite asks for is refused, as on a disk without room.
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64,fallocate,ftruncate"]);
        command.args(["-e", "inject=pwrite64,fallocate:error=ENOSPC"]);
        Ran::of(command.arg(BINARY).args(words))
    };
    let refusal = Refusal { exit: 1, code: "disk_full", says: &["the disk is full", "Free some space"] };
    let commands: [&[&str]; 3] =
        [&["record", "--chat", MAIN, "lost"], &["import", &line], &["chat", "-m", "lost"]];
    for words in commands {
        let as_json: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        refusal.check(&words.join(" "), &full_disk(&home, words), &full_disk(&home, &as_json));
        assert_eq!(home.exported(), before, "{words:?}");
    }
    home.ok(&["doctor"]);
    home.record("there is room again");
    assert_eq!(home.messages(), 2);

    // Where there is no room for the first file, there is none for a message.
    let fresh = Home::new();
    let words = ["record", "--chat", MAIN, "lost", "--json"];
    refusal.check("a fresh home", &full_disk(&fresh, &words[..4]), &full_disk(&fresh, &words));
    fresh.record("there is room again");
    assert_eq!(fresh.texts(), ["there is room again"]);
}

#[test]
fn a_home_that_may_not_be_written_is_named_and_left_as_it_is() {
    let home = home_with_a_message();
    // The tests run as root, whom no permission stops; so the binary runs as nobody.
    let binary = home.beside("throughline");
    std::fs::copy(BINARY, &binary).unwrap();
    set_mode(&binary, 0o755);
    set_mode(binary.parent().unwrap(), 0o755);
    let as_nobody = |words: &[&str]| {
        let mut command = home.bare("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary).args(words);
        Ran::of(&mut command)
    };
    let path = home.path();
    let path = path.to_str().unwrap();
    let record = ["record", "--chat", MAIN, "x", "--json"];
    let before = home.exported();
    let refuse = |what: &str, code: &str, says: &[&str]| {
        Refusal { exit: 1, code, says }.check(what, &as_nobody(&record[..4]), &as_nobody(&record));
        assert_eq!(home.exported(), before, "{what}");
    };

    refuse("another person's home", "config", &[path, "cannot be read"]);

    // One's own home, but read-only.
    home.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    set_mode(&home.path(), 0o755);
    for (file, _) in home.files() {
        chown(&file, Some(65534), Some(65534)).unwrap();
        set_mode(&file, 0o444);
    }
    chown(home.path(), Some(65534), Some(65534)).unwrap();
    set_mode(&home.path(), 0o555);
    refuse("a read-only home", "read_only", &[path, "Check who owns it"]);
    let doctor = as_nobody(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");

    // A home where nothing can be made.
    let nowhere = as_nobody(&["--home", "/home-of-nobody", "status"]);
    assert_eq!(nowhere.code, Some(1));
    assert!(
        nowhere.stderr.contains("/home-of-nobody cannot be made") && nowhere.stderr.contains("--home"),
        "{nowhere:?}"
    );
    set_mode(&home.path(), 0o700);
}

const EVERYDAY: [&[&str]; 6] = [
    &["record", "--chat", MAIN, "x"],
    &["search", "key", "--chat", MAIN],
    &["context", "--chat", MAIN],
    &["chat", "-m", "x"],
    &["status"],
    &["export"],
];

/// What becomes of a file's bytes.
type Damage<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

#[test]
fn a_damaged_database_is_told_and_not_touched() {
    let garbage = b"this is no database, but a note about the weather. ".repeat(400);
    let cut = |bytes: &[u8]| bytes[..bytes.len() / 3].to_vec();
    let blank = |bytes: &[u8]| [&bytes[..4096], &vec![0xa5; bytes.len() - 4096]].concat();
    let ways: [(&str, Damage<'_>); 3] =
        [("garbage", &|_| garbage.clone()), ("cut off", &cut), ("overwritten", &blank)];
    for (way, damage) in ways {
        let home = home_with_a_message();
        home.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let damaged = damage(&std::fs::read(home.database()).unwrap());
        std::fs::write(home.database(), &damaged).unwrap();
        let path = home.database();
        let says = [path.to_str().unwrap(), "damaged", "backup"];
        for words in EVERYDAY {
            let as_json: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
            let what = format!("{way}: {}", words.join(" "));
            Refusal { exit: 1, code: "corrupt", says: &says }.check(
                &what,
                &home.run(words),
                &home.run(&as_json),
            );
        }
        let doctor = home.run(&["doctor", "--fix"]);
        assert_eq!(doctor.code, Some(1), "{way}: {doctor:?}");
        assert!(doctor.stdout.contains("damaged"), "{way}: {doctor:?}");
        assert_eq!(std::fs::read(home.database()).unwrap(), damaged, "{way}");
    }
}

#[test]
fn a_newer_database_is_told_and_not_touched() {
    let home = home_with_a_message();
    let format = home.json(&["status"])["database"]["format"].as_u64().unwrap();
    home.sql().pragma_update(None, "user_version", 99).unwrap();
    home.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let before = std::fs::read(home.database()).unwrap();
    for words in EVERYDAY {
        let as_json: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        let refusal =
            Refusal { exit: 1, code: "newer_database", says: &["format 99", "install a newer throughline"] };
        refusal.check(&words.join(" "), &home.run(words), &home.run(&as_json));
    }
    assert_eq!(home.run(&["doctor"]).code, Some(1));
    assert_eq!(std::fs::read(home.database()).unwrap(), before);
    home.sql().pragma_update(None, "user_version", format).unwrap();
    assert_eq!(home.texts(), ["The spare key is with Ana"]);
}
