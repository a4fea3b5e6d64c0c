//! Transcripts: whatever state they are in, each line goes in once.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CHAT, patient, transcript};
use crate::common::{Dice, Home};

/// Real transcripts, if they are on this machine, and one of our own.
fn samples(home: &Home) -> Vec<String> {
    let own = transcript(
        home,
        "own",
        &[
            ("user", "u1", Some("p1"), "Which tests fail?"),
            ("assistant", "a1", None, "Two of the parser – ñ and 日本 are cut."),
            ("user", "u2", Some("p1"), "continue"),
            ("assistant", "a2", None, "Done."),
            ("user", "u3", Some("p2"), "continue"),
            ("assistant", "a3", None, "Done."),
            ("user", "u4", None, "continue"),
        ],
    );
    let mut found = vec![fs::read_to_string(own).unwrap()];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/claude-code")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

/// A version of a transcript: cut off, in another order, or with lines that come again.
fn mutated(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let below = |dice: &mut Dice, bound: usize| dice.below(bound.max(1) as u64) as usize;
    match dice.below(3) {
        0 => return text.as_bytes()[..below(dice, text.len())].to_vec(),
        1 => (1..lines.len()).for_each(|at| lines.swap(at, below(dice, at + 1))),
        _ => {
            for _ in 0..3 {
                let again = lines[below(dice, lines.len())];
                lines.insert(below(dice, lines.len()), again);
            }
        }
    }
    lines.concat().into_bytes()
}

#[test]
fn every_cut_reordered_or_repeated_version_of_a_transcript_imports_without_a_duplicate() {
    let home = patient();
    let samples: Vec<String> = samples(&home).into_iter().filter(|text| text.trim().len() > 1).collect();
    let mut dice = Dice::new(7);
    let folder = home.beside("versions");
    fs::create_dir(&folder).unwrap();
    for (number, text) in samples.iter().enumerate() {
        for version in 0..30 {
            fs::write(folder.join(format!("{number}-{version}.jsonl")), mutated(text, &mut dice)).unwrap();
        }
    }
    let originals = home.beside("originals");
    fs::create_dir(&originals).unwrap();
    for (number, text) in samples.iter().enumerate() {
        fs::write(originals.join(format!("{number}.jsonl")), text).unwrap();
    }
    let import = |home: &Home, folder: &Path| {
        let report = home.json(&["import", "--format", "claude-code", folder.to_str().unwrap()]);
        assert_eq!(report["failed"], 0, "{report}");
        report["imported"].as_u64().unwrap()
    };
    let whole = import(&home, &originals);
    assert!(whole >= 7, "{whole}");
    assert_eq!(import(&home, &folder), 0, "the versions hold nothing new");
    let fresh = patient();
    let first = import(&fresh, &folder);
    assert!(first > 0, "{first}");
    assert_eq!(first + import(&fresh, &originals), whole, "from the versions to the whole");
}

#[test]
fn a_running_transcript_is_imported_again_and_again_and_a_folder_is_found() {
    let home = patient();
    let lines = [
        ("user", "u1", Some("p1"), "Which tests fail?"),
        ("assistant", "a1", None, "Two of the parser."),
        ("user", "u2", Some("p2"), "Fix them, please."),
    ];
    let path = transcript(&home, "s1", &lines);
    let whole = fs::read_to_string(&path).unwrap();
    let mut imported = Vec::new();
    for end in [0, 40, whole.len() / 2, whole.len() - 20, whole.len()] {
        fs::write(&path, &whole.as_bytes()[..end]).unwrap();
        imported.push(home.json(&["import", "--format", "claude-code", &path])["imported"].as_u64().unwrap());
    }
    assert_eq!(imported, [0, 0, 1, 1, 1]);
    fs::create_dir_all(home.beside("projects/-home-ana-shop/s1/subagents")).unwrap();
    fs::copy(&path, home.beside("projects/-home-ana-shop/s1/subagents/agent-x.jsonl")).unwrap();
    let folder = home.beside("projects").parent().unwrap().to_str().unwrap().to_owned();
    let home = home.with("CLAUDE_CONFIG_DIR", &folder);
    for words in [&["import", "claude-code"][..], &["import", "--format", "claude-code"]] {
        let report = home.json(words);
        assert_eq!(
            (report["imported"].as_u64(), report["skipped"].as_u64()),
            (Some(0), Some(3)),
            "{words:?}"
        );
    }
    let said = home.exported();
    assert!(said.iter().all(|line| line["chat"] == CHAT && line["metadata"]["session"] == "s1"), "{said:?}");
    let nothing = Home::new().with("CLAUDE_CONFIG_DIR", "/nowhere").run(&["import", "claude-code"]);
    assert!(nothing.code == Some(1) && nothing.stderr.contains("/nowhere/projects"), "{nothing:?}");
    assert_eq!(Home::new().run(&["import"]).code, Some(2));
}
