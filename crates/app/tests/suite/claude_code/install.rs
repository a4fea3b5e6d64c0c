//! Our entries in Claude Code's settings: put in beside what is there, and taken out without a trace.

use std::fs;
use std::path::Path;

use crate::common::{BINARY, Home, mode, set_mode};

const SETTINGS: &str = "{\n  // My own hooks.\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }], // loud\n  },\n  \"model\": \"opus\"\n}\n";
const STATE: &str =
    "{\n  \"userID\": \"x\",\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}";

/// A home beside which Claude Code has settings, one of them a link to a file among other dotfiles.
fn with_settings() -> Home {
    let home = Home::new();
    fs::create_dir_all(home.beside(".claude")).unwrap();
    fs::create_dir_all(home.beside("dotfiles")).unwrap();
    let file = home.file("dotfiles/claude.json", SETTINGS);
    set_mode(Path::new(&file), 0o640);
    std::os::unix::fs::symlink("../dotfiles/claude.json", home.beside(".claude/settings.json")).unwrap();
    home.file(".claude.json", STATE);
    home
}

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.beside(name)).unwrap()
}

#[test]
fn installing_keeps_what_is_there_and_taking_out_restores_every_byte() {
    let home = with_settings();
    let shown = home.ok(&["install", "claude-code", "--dry-run"]);
    assert!(shown.contains("+        \"command\": \"") || shown.contains("hook session-start"), "{shown}");
    assert_eq!(
        (read(&home, ".claude/settings.json"), read(&home, ".claude.json")),
        (SETTINGS.into(), STATE.into())
    );
    assert!(!home.path().exists(), "a dry run makes nothing");

    let done = home.ok(&["install", "claude-code", "--yes"]);
    assert!(done.contains("Claude Code is connected."), "{done}");
    let settings = read(&home, ".claude/settings.json");
    for kept in ["// My own hooks.", "say done", "// loud"] {
        assert!(settings.contains(kept), "{settings}");
    }
    let command = format!("{BINARY} --home {} hook user-prompt-submit", home.path().display());
    assert!(settings.contains(&command), "{command}: {settings}");
    let servers: serde_json::Value = serde_json::from_str(&read(&home, ".claude.json")).unwrap();
    assert_eq!(servers["mcpServers"]["throughline"]["command"], BINARY);
    assert_eq!(servers["mcpServers"]["files"]["command"], "npx");
    assert!(fs::symlink_metadata(home.beside(".claude/settings.json")).unwrap().is_symlink());
    assert_eq!(mode(&home.beside("dotfiles/claude.json")), 0o640);

    let again = home.ok(&["install", "claude-code", "--yes"]);
    assert!(again.contains("already"), "{again}");
    assert_eq!(read(&home, ".claude/settings.json"), settings);

    home.ok(&["install", "claude-code", "--uninstall", "--yes"]);
    assert_eq!(
        (read(&home, ".claude/settings.json"), read(&home, ".claude.json")),
        (SETTINGS.into(), STATE.into())
    );
    assert!(fs::symlink_metadata(home.beside(".claude/settings.json")).unwrap().is_symlink());
    assert!(home.ok(&["install", "claude-code", "--uninstall"]).contains("Nothing of Throughline"));
}

#[test]
fn what_was_edited_after_the_installation_stays() {
    let home = with_settings();
    home.ok(&["install", "claude-code", "--yes"]);
    let edited = read(&home, ".claude/settings.json").replace("\"opus\"", "\"haiku\"");
    home.file("dotfiles/claude.json", &edited);
    home.ok(&["install", "claude-code", "--uninstall", "--yes"]);
    let left = read(&home, ".claude/settings.json");
    assert!(left.contains("haiku") && left.contains("say done") && !left.contains("throughline"), "{left}");
    assert_eq!(read(&home, ".claude.json"), STATE, "nothing else changed there");
}

#[test]
fn without_settings_the_files_are_made_and_go_again() {
    let home = Home::new().with("CLAUDE_CONFIG_DIR", "/nowhere");
    let folder = home.beside("claude");
    let home = home.with("CLAUDE_CONFIG_DIR", folder.to_str().unwrap());
    home.json(&["install", "claude-code"]);
    let names = |folder: &Path| -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&folder), [".claude.json", "settings.json"]);
    home.json(&["install", "claude-code", "--uninstall"]);
    assert!(names(&folder).is_empty());
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    for broken in ["{ \"hooks\": ", "[]", "{ \"hooks\": { \"Stop\": 7 } }"] {
        let home = with_settings();
        home.file("dotfiles/claude.json", broken);
        let ran = home.run(&["install", "claude-code", "--yes"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.stderr.contains("settings.json") && ran.stderr.contains("nothing was changed"),
            "{ran:?}"
        );
        assert_eq!(
            (read(&home, ".claude/settings.json"), read(&home, ".claude.json")),
            (broken.into(), STATE.into())
        );
    }
}
