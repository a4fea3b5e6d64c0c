//! Our entries in Claude Code's settings: the hooks and the MCP server. The rest of a file stays unchanged, including
//! comments.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use strum::VariantArray;

use super::SERVER;
use super::hook::Event;

/// Time limit of a hook for Claude Code, in seconds. Our hooks end far earlier, but without a limit Claude Code aborts
/// the hook at the end of a session.
const TIMEOUT: &str = "5";

/// The command that starts this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program.
    pub program: String,
    /// The arguments before the subcommand.
    pub words: Vec<String>,
}

impl Invocation {
    /// The shell command of a hook.
    fn hook(&self, event: Event) -> String {
        let words = std::iter::once(&self.program).chain(&self.words).map(|word| quoted(word));
        format!("{} hook {}", words.collect::<Vec<_>>().join(" "), event.name())
    }

    /// The entry of the MCP server, which serves the chat of its working directory.
    fn server(&self) -> CstInputValue {
        let args = self.words.iter().map(String::as_str).chain(["mcp", "--here"]);
        object([
            ("type", "stdio".into()),
            ("command", self.program.as_str().into()),
            ("args", CstInputValue::Array(args.map(Into::into).collect())),
            ("env", CstInputValue::Object(Vec::new())),
        ])
    }
}

/// One of Claude Code's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsFile {
    /// `settings.json`, which has the hooks.
    Hooks,
    /// `.claude.json`, which has the servers.
    Server,
}

/// The file with our entries, which replace those of an earlier installation. If they are up to date, the text is
/// unchanged.
///
/// # Errors
/// If the file is not JSON, or has something else in their place.
pub fn with_ours(text: &str, part: SettingsFile, ours: &Invocation) -> Result<String, String> {
    let root = parsed(text)?;
    let top = root.object_value_or_create().ok_or("it does not hold an object")?;
    match part {
        SettingsFile::Hooks if commands(&top) == wanted(ours) => return Ok(text.to_owned()),
        SettingsFile::Hooks => {
            remove_hooks(&top);
            let hooks = top.object_value_or_create("hooks").ok_or("its `hooks` is no object")?;
            for event in Event::VARIANTS {
                let of_event = hooks
                    .array_value_or_create(event.native())
                    .ok_or_else(|| format!("its `hooks.{}` is no array", event.native()))?;
                let hook = object([
                    ("type", "command".into()),
                    ("command", ours.hook(*event).as_str().into()),
                    ("timeout", CstInputValue::Number(TIMEOUT.to_owned())),
                ]);
                of_event.append(object([("hooks", CstInputValue::Array(vec![hook]))]));
            }
        }
        SettingsFile::Server => {
            let servers = top.object_value_or_create("mcpServers").ok_or("its `mcpServers` is no object")?;
            match servers.get(SERVER) {
                Some(there) if same(&there.value().map(|node| node.to_string()), &ours.server()) => {
                    return Ok(text.to_owned());
                }
                Some(there) => there.set_value(ours.server()),
                None => drop(servers.append(SERVER, ours.server())),
            }
        }
    }
    Ok(root.to_string())
}

/// The file without our entries, and without containers that are empty then.
pub fn without_ours(text: &str, part: SettingsFile) -> Result<String, String> {
    let root = parsed(text)?;
    let Some(top) = root.object_value() else { return Ok(text.to_owned()) };
    match part {
        SettingsFile::Hooks => remove_hooks(&top),
        SettingsFile::Server => {
            if let Some(servers) = top.object_value("mcpServers")
                && let Some(server) = servers.get(SERVER)
            {
                server.remove();
                remove_if_empty(&top, "mcpServers");
            }
        }
    }
    Ok(root.to_string())
}

fn parsed(text: &str) -> Result<CstRootNode, String> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    // The parser's error would quote the line, which may contain a secret.
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is not valid JSON (line {})", error.line_display()))
}

fn object<const N: usize>(entries: [(&str, CstInputValue); N]) -> CstInputValue {
    CstInputValue::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Returns true if the file already has the value to write.
fn same(written: &Option<String>, value: &CstInputValue) -> bool {
    let Ok(root) = CstRootNode::parse("{}", &ParseOptions::default()) else { return false };
    root.object_value_or_set().append("x", value.clone());
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let wanted = read(&root.to_string()).and_then(|object| object.get("x").cloned());
    written.as_deref().and_then(read).is_some_and(|written| Some(written) == wanted)
}

/// Our commands by event.
fn commands(top: &CstObject) -> Vec<(String, String)> {
    each_of_ours(top).into_iter().map(|ours| (ours.event, ours.command)).collect()
}

fn wanted(ours: &Invocation) -> Vec<(String, String)> {
    let mut wanted: Vec<_> =
        Event::VARIANTS.iter().map(|event| (event.native().to_owned(), ours.hook(*event))).collect();
    wanted.sort();
    wanted
}

/// One of our hooks in the file.
struct OwnHook {
    event: String,
    command: String,
    hook: CstNode,
    /// The array with the hook, the entry with that array, and the array of the event.
    hooks: CstArray,
    matcher: CstNode,
    of_event: CstArray,
}

fn each_of_ours(top: &CstObject) -> Vec<OwnHook> {
    let mut found = Vec::new();
    let Some(all) = top.object_value("hooks") else { return found };
    for event in Event::VARIANTS {
        let Some(of_event) = all.array_value(event.native()) else { continue };
        for matcher in of_event.elements() {
            let Some(hooks) = matcher.as_object().and_then(|matcher| matcher.array_value("hooks")) else {
                continue;
            };
            for hook in hooks.elements() {
                let command = hook.as_object().and_then(|hook| hook.get("command")?.value()?.as_string_lit());
                let Some(command) = command.and_then(|command| command.decoded_value().ok()) else {
                    continue;
                };
                if is_ours(&command, *event) {
                    let (hooks, matcher, of_event) = (hooks.clone(), matcher.clone(), of_event.clone());
                    let event = event.native().to_owned();
                    found.push(OwnHook { event, command, hook, hooks, matcher, of_event });
                }
            }
        }
    }
    found.sort_by(|a, b| (&a.event, &a.command).cmp(&(&b.event, &b.command)));
    found
}

/// Returns true if this program, or another copy of it, wrote a command.
fn is_ours(command: &str, event: Event) -> bool {
    command.contains(SERVER) && command.ends_with(&format!(" hook {}", event.name()))
}

fn remove_hooks(top: &CstObject) {
    let ours = each_of_ours(top);
    if ours.is_empty() {
        return;
    }
    for OwnHook { event, hook, hooks, matcher, of_event, .. } in ours {
        hook.remove();
        if hooks.elements().is_empty() {
            matcher.remove();
        }
        if of_event.elements().is_empty()
            && let Some(entry) = top.object_value("hooks").and_then(|all| all.get(&event))
        {
            entry.remove();
        }
    }
    remove_if_empty(top, "hooks");
}

fn remove_if_empty(top: &CstObject, name: &str) {
    if let Some(entry) = top.get(name)
        && entry.object_value().is_some_and(|object| object.properties().is_empty())
    {
        entry.remove();
    }
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The command that starts the program at this path, with its home and config file unless they are the defaults.
pub fn invocation(program: &Path, home: Option<&Path>, config: Option<&Path>) -> Invocation {
    let flags = [("--home", home), ("--config", config)];
    let words =
        flags.into_iter().filter_map(|(flag, path)| Some([flag.to_owned(), path?.display().to_string()]));
    Invocation { program: program.display().to_string(), words: words.flatten().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMENTED: &str = r#"{
  // My own hooks.
  "hooks": {
    "Stop": [
      { "matcher": "*", "hooks": [{ "type": "command", "command": "say done" }] }, // loud
    ],
  },
  "model": "opus", /* for now */
}
"#;

    fn ours() -> Invocation {
        invocation(Path::new("/opt/my tools/throughline"), Some(Path::new("/srv/t")), None)
    }

    #[test]
    fn our_entries_go_in_beside_what_is_there_once_and_come_out_again() {
        let cases = [
            (SettingsFile::Hooks, ""),
            (SettingsFile::Hooks, "{}"),
            (SettingsFile::Hooks, COMMENTED),
            (SettingsFile::Hooks, "{\"hooks\":{\"SessionEnd\":[]},\"a\":1}"),
            (SettingsFile::Server, "{\n  \"userID\": \"x\"\n}"),
            (
                SettingsFile::Server,
                "{\n\t\"mcpServers\": {\n\t\t\"files\": { \"command\": \"npx\" }\n\t}\n}\n",
            ),
        ];
        for (part, before) in cases {
            let after = with_ours(before, part, &ours()).unwrap();
            assert_eq!(with_ours(&after, part, &ours()).unwrap(), after, "a second time changes nothing");
            let moved = Invocation { program: "/usr/bin/throughline".to_owned(), ..ours() };
            let again = with_ours(&with_ours(&after, part, &moved).unwrap(), part, &ours()).unwrap();
            assert_eq!(commands_of(&again), commands_of(&after), "{again}");
            for kept in
                ["// My own hooks.", "// loud", "/* for now */", "say done", "userID", "npx", "\"a\":1"]
            {
                assert_eq!(before.contains(kept), after.contains(kept), "{after}");
            }
            let left = without_ours(&after, part).unwrap();
            assert!(!left.contains("throughline"), "{left}");
            assert_eq!(
                without_ours(before, part).unwrap().trim(),
                if before.is_empty() { "{\n}" } else { before.trim() }
            );
        }
    }

    fn commands_of(text: &str) -> Vec<(String, String)> {
        commands(&parsed(text).unwrap().object_value().unwrap())
    }

    #[test]
    fn a_hook_is_one_line_of_the_shell_and_has_a_time_limit() {
        let after = with_ours("{}", SettingsFile::Hooks, &ours()).unwrap();
        let read: serde_json::Value = serde_json::from_str(&after).unwrap();
        let hook = &read["hooks"]["SessionEnd"][0]["hooks"][0];
        assert_eq!(hook["command"], "'/opt/my tools/throughline' --home /srv/t hook session-end");
        assert_eq!(hook["timeout"], 5);
        let after = with_ours("{}", SettingsFile::Server, &ours()).unwrap();
        let read: serde_json::Value = serde_json::from_str(&after).unwrap();
        let server = serde_json::json!({
            "type": "stdio", "command": "/opt/my tools/throughline", "args": ["--home", "/srv/t", "mcp", "--here"], "env": {},
        });
        assert_eq!(read["mcpServers"]["throughline"], server);
    }

    #[test]
    fn a_file_that_holds_something_else_is_refused() {
        for text in ["[1]", "{ \"hooks\": 7 }", "{ \"hooks\": { \"Stop\": {} } }", "{ \"hooks\": "] {
            assert!(with_ours(text, SettingsFile::Hooks, &ours()).is_err(), "{text}");
        }
        assert!(with_ours("{\"mcpServers\":[]}", SettingsFile::Server, &ours()).is_err());
    }
}
