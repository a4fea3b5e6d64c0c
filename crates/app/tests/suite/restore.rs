//! Backups are whole and private, and a restore either takes place wholly or changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{BINARY, Home, Ran, messages_of, mode, open_sql, set_mode};

/// A home with one message and a backup of it, and one message after the backup.
fn with_backup() -> (Home, String) {
    let home = Home::new();
    home.record("before the backup");
    let file = home.beside("copy.db").to_str().unwrap().to_owned();
    home.json(&["backup", &file]);
    home.record("after the backup");
    (home, file)
}

/// The files of the home but for logs and locks, by name.
fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<String> = home
        .files()
        .into_iter()
        .map(|(file, _)| file.strip_prefix(home.path()).unwrap().display().to_string())
        .filter(|name| name.ends_with(".db") || name.contains("restor"))
        .collect();
    names.sort();
    names
}

fn damage(home: &Home) {
    home.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let mut bytes = fs::read(home.database()).unwrap();
    let from = 4096.min(bytes.len());
    bytes[from..].fill(0xa5);
    fs::write(home.database(), bytes).unwrap();
}

#[test]
fn a_backup_is_private_from_its_first_byte_and_has_a_checksum_that_common_tools_read() {
    let home = Home::new();
    home.record("hello");
    let file = home.beside("copy.db");
    let mut command = home.bare("strace");
    command.args(["-f", "-qq", "-e", "trace=openat", "-o"]).arg(home.beside("calls"));
    let ran = Ran::of(command.arg(BINARY).args(["backup", file.to_str().unwrap()]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let calls = fs::read_to_string(home.beside("calls")).unwrap();
    let made: Vec<&str> =
        calls.lines().filter(|call| call.contains("copy.db") && call.contains("O_CREAT")).collect();
    assert!(!made.is_empty() && made[0].contains("O_EXCL") && made[0].contains("0600"), "{made:?}");
    assert_eq!((mode(&file), mode(&home.beside("copy.db.sha256"))), (0o600, 0o600));
    let folder = file.parent().unwrap();
    let checked =
        std::process::Command::new("sha256sum").args(["-c", "copy.db.sha256"]).current_dir(folder).output();
    assert!(checked.unwrap().status.success());
    assert!(!home.beside("copy.db.part").exists());
}

#[test]
fn a_backup_that_fails_leaves_no_file() {
    let home = Home::new();
    home.record("hello");
    let file = home.beside("copy.db");
    // The pages of the copy are refused, as on a full disk.
    let mut command = home.bare("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64,fallocate"]);
    command.args(["-e", "inject=pwrite64,fallocate:error=ENOSPC:when=3+"]);
    let ran = Ran::of(command.arg(BINARY).args(["backup", file.to_str().unwrap()]));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let left: Vec<PathBuf> = fs::read_dir(file.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("copy.db"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_damaged_database_is_not_opened_by_a_restore_and_is_kept() {
    for way in ["damaged", "garbage", "missing"] {
        let (home, file) = with_backup();
        match way {
            "damaged" => damage(&home),
            "garbage" => fs::write(home.database(), "a note about the weather ".repeat(900)).unwrap(),
            _ => fs::remove_file(home.database()).unwrap(),
        }
        let before = fs::read(home.database()).ok();
        let restored = home.json(&["restore", &file]);
        assert_eq!(restored["messages"], 1, "{way}: {restored}");
        assert_eq!(home.texts(), ["before the backup"], "{way}");
        let kept = restored["kept"].as_str().map(|kept| fs::read(kept).unwrap());
        assert_eq!(kept, before, "{way}: what was there is kept byte for byte");
        home.ok(&["doctor"]);
    }
}

/// What becomes of a backup.
type Spoil<'a> = &'a dyn Fn(&str);

#[test]
fn what_is_not_wholly_ours_is_refused_and_changes_nothing() {
    let change = |file: &str, sql: &str| {
        open_sql(Path::new(file)).execute_batch(sql).unwrap();
        fs::remove_file(format!("{file}.sha256")).unwrap();
    };
    let spy = "CREATE TRIGGER spy AFTER INSERT ON messages BEGIN DELETE FROM lanes; END";
    let cases: [(&str, &str, Spoil<'_>); 5] = [
        ("a foreign trigger", "the trigger spy, which is not Throughline's", &|file| change(file, spy)),
        ("a foreign view", "the view peek", &|file| change(file, "CREATE VIEW peek AS SELECT 1")),
        ("a missing table", "not a backup of Throughline", &|file| change(file, "DROP TABLE calls")),
        ("a changed byte", "its checksum is not the one", &|file| {
            let mut bytes = fs::read(file).unwrap();
            let last = bytes.len() - 100;
            bytes[last] ^= 0xff;
            fs::write(file, bytes).unwrap();
        }),
        ("damage without a checksum", "it is damaged", &|file| {
            let mut bytes = fs::read(file).unwrap();
            bytes[8192..12288].fill(0x5a);
            fs::write(file, bytes).unwrap();
            fs::remove_file(format!("{file}.sha256")).unwrap();
        }),
    ];
    for (what, says, spoil) in cases {
        let (home, file) = with_backup();
        spoil(&file);
        let before = (home.texts(), names(&home));
        let ran = home.run(&["restore", &file]);
        assert!(ran.code == Some(1) && ran.stderr.contains(says), "{what}: {ran:?}");
        assert_eq!((home.texts(), names(&home)), before, "{what}");
    }
}

#[test]
fn c1_a_restore_that_is_killed_at_any_step_has_taken_place_or_not() {
    let (mut before, mut after) = (0, 0);
    // Calls are counted by thread, and another thread may begin a restore than ends it: each kind has its own count.
    for calls in ["fsync,fdatasync", "unlink", "rename"] {
        for step in 1..50 {
            let (home, file) = with_backup();
            let mut command = home.bare("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
            command.args(["-e", &format!("inject={calls}:signal=SIGKILL:when={step}")]);
            let ran = Ran::of(command.arg(BINARY).args(["restore", &file]));
            match &home.texts().iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["before the backup", "after the backup"] => before += 1,
                ["before the backup"] => after += 1,
                other => panic!("{calls} {step}: {other:?}"),
            }
            home.ok(&["doctor"]);
            home.record("and on it goes");
            if ran.code == Some(0) {
                break;
            }
        }
    }
    assert!(before > 3 && after > 2, "killed {before} times before and {after} times after it was decided");
}

#[test]
fn a_restore_beside_a_running_process_is_refused() {
    let (home, file) = with_backup();
    let lock = fs::File::open(home.database().with_extension("users")).unwrap();
    lock.lock_shared().unwrap();
    let ran = home.run(&["restore", &file]);
    assert!(ran.code == Some(1) && ran.stderr.contains("another throughline process uses"), "{ran:?}");
    assert_eq!(home.texts().len(), 2);
}

#[test]
fn doctor_names_the_newest_good_backup_and_puts_it_in_place() {
    let (home, file) = with_backup();
    let older = home.beside("older.db").to_str().unwrap().to_owned();
    home.json(&["backup", &older]);
    // The newest is no good.
    fs::write(&older, "spoiled").unwrap();
    damage(&home);
    let found = home.run(&["doctor"]);
    assert!(found.code == Some(1) && found.stdout.contains("The newest good backup is"), "{found:?}");
    assert!(found.stdout.contains(&file) && found.stdout.contains("doctor --fix"), "{found:?}");
    let fixed = home.run(&["doctor", "--fix"]);
    assert!(fixed.code == Some(0) && fixed.stdout.contains("restored from"), "{fixed:?}");
    assert_eq!(home.texts(), ["before the backup"]);
}

#[test]
fn doctor_offers_a_backup_for_a_database_that_opens_but_is_not_whole() {
    let (home, file) = with_backup();
    // One index takes the pages of another.
    home.sql()
        .execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET rootpage = (SELECT max(rootpage) FROM sqlite_schema)
             WHERE rowid = (SELECT min(rowid) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = 'messages');",
        )
        .unwrap();
    let found = home.run(&["doctor"]);
    assert!(found.code == Some(1) && found.stdout.contains("The newest good backup is"), "{found:?}");
    let fixed = home.run(&["doctor", "--fix"]);
    assert!(fixed.code == Some(0) && fixed.stdout.contains(&file), "{fixed:?}");
    assert_eq!(home.texts(), ["before the backup"]);
}

#[test]
fn a2_a_token_that_was_revoked_after_the_backup_stays_revoked() {
    let home = Home::new();
    home.record("hello");
    for name in ["phone", "desk"] {
        home.json(&["token", "add", "--name", name]);
    }
    let file = home.beside("copy.db").to_str().unwrap().to_owned();
    home.json(&["backup", &file]);
    let tokens = || home.ok(&["token", "list"]);
    home.ok(&["token", "revoke", "phone"]);
    let said = home.ok(&["restore", &file]);
    assert!(said.contains("Still revoked: the token phone."), "{said}");
    assert!(tokens().contains("desk") && !tokens().contains("phone"), "{}", tokens());
    // Nothing is left that could tell.
    fs::write(home.database(), "a note about the weather ".repeat(900)).unwrap();
    let said = home.ok(&["restore", &file]);
    assert!(said.contains("these have no access any more: the token phone, the token desk"), "{said}");
    assert!(tokens().contains("There are no tokens"), "{}", tokens());
}

#[test]
fn daily_backups_are_made_once_a_day_and_the_newest_stay() {
    let home = Home::new();
    home.record("hello");
    for day in 1..=4 {
        for hour in [8, 20] {
            let now = format!("2026-03-0{day}T{hour:02}:00:00Z");
            home.ok(&["--now", &now, "backup", "--daily", "3"]);
        }
    }
    let daily: Vec<String> = names(&home).into_iter().filter(|name| name.contains("daily")).collect();
    assert_eq!(daily, ["02", "03", "04"].map(|day| format!("backups/daily-2026-03-{day}.db")));
    let sums =
        home.files().into_iter().filter(|(file, _)| file.to_string_lossy().ends_with(".sha256")).count();
    assert_eq!(sums, 3, "a checksum goes with its backup");
    assert_eq!(home.run(&["backup"]).code, Some(2));
}

#[test]
fn j2_what_is_forgotten_is_taken_out_of_the_daily_backups_and_other_backups_are_named() {
    let home = Home::new();
    let at = |now: &str, words: &[&str]| home.json(&[&["--now", now], words].concat());
    at("2026-03-01T08:00:00Z", &["chat", "-m", "I have narcolepsy. My dog is called Biscuit."]);
    at("2026-03-01T09:00:00Z", &["backup", "--daily", "7"]);
    let file = home.beside("copy.db").to_str().unwrap().to_owned();
    at("2026-03-01T10:00:00Z", &["backup", &file]);
    let done = at("2026-03-02T08:00:00Z", &["forget", "narcolepsy", "--yes", "--permanently"]);
    assert_eq!(done["backups"], serde_json::json!([file]), "{done}");
    let backup = home.path().join("backups/daily-2026-03-01.db");
    let bytes = fs::read(&backup).unwrap();
    let holds = |words: &str| bytes.windows(words.len()).any(|part| part == words.as_bytes());
    assert!(!holds("narcolepsy") && holds("Biscuit"));
    let restored = home.json(&["restore", backup.to_str().unwrap()]);
    assert_eq!(restored["messages"], 2, "it is whole, with a checksum that is right: {restored}");
}

#[test]
fn a_home_that_may_only_be_read_is_searched_exported_and_backed_up() {
    let home = Home::new();
    home.record("The spare key is under the blue pot.");
    let export: Vec<Value> = home.exported();
    home.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    // The tests run as root, whom no permission stops; so the binary runs as nobody.
    let binary = home.beside("throughline");
    fs::copy(BINARY, &binary).unwrap();
    set_mode(&binary, 0o755);
    set_mode(binary.parent().unwrap(), 0o777);
    for (file, _) in home.files() {
        if file.is_file() {
            set_mode(&file, 0o444);
        }
    }
    set_mode(&home.path().join("logs"), 0o555);
    set_mode(&home.path(), 0o555);
    let as_nobody = |words: &[&str]| {
        let mut command = home.bare("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary).args(words);
        Ran::of(&mut command)
    };
    let found = as_nobody(&["search", "spare key"]);
    assert!(found.code == Some(0) && found.stdout.contains("under the blue pot"), "{found:?}");
    let exported = as_nobody(&["export"]);
    assert_eq!((exported.code, messages_of(&exported.stdout)), (Some(0), export));
    let copy = home.beside("copy.db");
    let backed_up = as_nobody(&["backup", copy.to_str().unwrap()]);
    assert!(backed_up.code == Some(0) && copy.exists(), "{backed_up:?}");
    let refused = as_nobody(&["record", "x"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("cannot be written"), "{refused:?}");
    set_mode(&home.path(), 0o700);
    set_mode(&home.path().join("logs"), 0o700);
}
