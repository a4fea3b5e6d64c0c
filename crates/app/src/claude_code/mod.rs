//! Claude Code as a channel: the folder of a project is a chat, and all sessions in that folder belong to it.
//!
//! - A hook records a message at once and answers with memories: [`hook`].
//! - A transcript also contains tool calls; it is imported in the background when a session ends: [`transcript`].
//! - Both use the same ids for a message, so that it is recorded once: [`prompt_id`], [`answer_id`] and a line's own `uuid`.

pub mod hook;
pub mod install;
pub mod settings;
pub mod transcript;

use std::path::{Path, PathBuf};

use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_text::redact::redact;

use crate::percent;

/// The name of our MCP server, which prefixes the names of its tools.
pub const SERVER: &str = "throughline";
/// The XML element around everything that a hook adds to a session.
pub const FENCE: &str = "throughline-memory";
/// The metadata key of a message's session.
pub const SESSION: &str = "session";
/// The metadata key of the tool of a call or a result.
pub const TOOL: &str = "tool";

/// Maximum length of a path in the name of a chat, in bytes; a longer one is replaced by its end and a hash.
const LONGEST: usize = 240;

/// The chat of a project's folder.
pub fn chat_of(folder: &Path) -> Option<ChatId> {
    // Characters that a chat id does not allow are encoded, and so is the percent sign, so that two folders never share
    // a chat.
    let is_plain =
        |c: char| !c.is_whitespace() && c != '%' && !throughline_text::printable::is_unprintable(c);
    let mut name = percent::encode(folder.to_string_lossy().trim_end_matches('/'), is_plain);
    if name.len() > LONGEST {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        let end = name.get(name.ceil_char_boundary(name.len() - LONGEST)..).unwrap_or_default();
        name = format!("{}…{end}", hash.get(..16).unwrap_or_default());
    }
    ChannelKind::ClaudeCode.chat(if name.is_empty() { "/" } else { &name })
}

/// The folder of a session's project: `cwd` or the ancestor for which the transcript is filed. The person or a tool
/// may have changed to a subfolder.
pub fn project_of(cwd: &Path, transcript: Option<&Path>) -> PathBuf {
    cwd.ancestors().find(|folder| is_filed_under(folder, transcript)).unwrap_or(cwd).to_owned()
}

/// Returns true if a transcript is filed for a folder: it is in a directory that is named after the folder.
pub fn is_filed_under(folder: &Path, transcript: Option<&Path>) -> bool {
    let written = folder.to_string_lossy();
    let name: String = written.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    transcript
        .and_then(Path::parent)
        .and_then(Path::file_name)
        .is_some_and(|directory| directory == name.as_str())
}

/// The id of a prompt that has no line in a transcript yet: from the program's id of the prompt, or else from its
/// index among the equal prompts of its session.
pub fn prompt_id(session: &str, given: Option<&str>, text: &str, place: usize) -> String {
    match given {
        Some(id) => format!("prompt:{id}"),
        None => format!("prompt:{session}:{}:{place}", fingerprint(text)),
    }
}

/// The id of an answer that has no line in a transcript yet: from its index among the equal answers to its prompt, or
/// in its session if the program assigns no ids to prompts.
pub fn answer_id(session: &str, prompt: Option<&str>, text: &str, place: usize) -> String {
    format!("answer:{}:{}:{place}", prompt.unwrap_or(session), fingerprint(text))
}

/// The hash of a text. Secrets are redacted first, so that none can be guessed from it.
fn fingerprint(text: &str) -> String {
    blake3::hash(redact(text.trim()).as_bytes()).to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_each_folder_has_a_chat_of_its_own_whatever_it_is_called() {
        let long = format!("/home/ana/{}/é", "deep/".repeat(80));
        let longer = format!("/home/bob/{}/é", "deep/".repeat(80));
        let folders =
            ["/", "/home/ana/shop", "/home/ana/shop 2", "/home/ana/shop%202", "/a\u{202e}b", &long, &longer];
        let chats: Vec<String> =
            folders.iter().map(|folder| chat_of(Path::new(folder)).unwrap().to_string()).collect();
        assert_eq!(chats[1], "claude-code:chat:/home/ana/shop");
        assert_eq!(chats[2], "claude-code:chat:/home/ana/shop%202");
        assert!(chats[5].ends_with("/é"), "{}", chats[5]);
        let distinct: std::collections::HashSet<&String> = chats.iter().collect();
        assert_eq!(distinct.len(), folders.len(), "{chats:?}");
        assert_eq!(chat_of(Path::new("/home/ana/shop/")), chat_of(Path::new("/home/ana/shop")));
    }

    #[test]
    fn a_session_belongs_to_the_folder_that_its_transcript_is_filed_under() {
        let directory = Path::new("/home/ana/.claude/projects/-home-ana-my-shop/s.jsonl");
        for (cwd, project) in [
            ("/home/ana/my shop", "/home/ana/my shop"),
            ("/home/ana/my shop/src/cart", "/home/ana/my shop"),
            ("/tmp", "/tmp"),
        ] {
            assert_eq!(project_of(Path::new(cwd), Some(directory)), Path::new(project), "{cwd}");
        }
        assert_eq!(project_of(Path::new("/a/b"), None), Path::new("/a/b"));
    }

    #[test]
    fn a_prompt_is_known_by_its_own_id_or_by_its_place_in_the_session() {
        assert_eq!(prompt_id("s", Some("p1"), "hello", 3), "prompt:p1");
        let first = prompt_id("s", None, "hello\n", 0);
        assert_eq!(first, prompt_id("s", None, "hello", 0));
        for other in
            [prompt_id("s", None, "hello", 1), prompt_id("t", None, "hello", 0), prompt_id("s", None, "x", 0)]
        {
            assert_ne!(first, other);
        }
    }
}
