//! Transcripts of Claude Code: one session per file, one event per line. The words of the person and the assistant are
//! imported, and each tool call as a single line; sub-agents, commands and additions of hooks are not.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_engine::Inbound;
use throughline_text::shorten::beginning;

use super::stream::{HeadKeys, each_line};
use super::{Defaults, Importer, Sink, explain};
use crate::claude_code::transcript::{self, Line, Part};
use crate::claude_code::{SERVER, SESSION, TOOL, answer_id, chat_of, project_of, prompt_id};
use crate::output::Failure;

/// Number of lines by which a transcript is recognized.
const HEAD_LINES: usize = 5;
/// Maximum length of a tool call's input in characters, because it may contain a whole file.
const LONGEST_INPUT: usize = 500;

/// Transcripts of Claude Code.
pub struct ClaudeCode;

impl Importer for ClaudeCode {
    fn name(&self) -> &'static str {
        ChannelKind::ClaudeCode.name()
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        head.split(|byte| *byte == b'\n').take(HEAD_LINES).any(|line| {
            let keys = HeadKeys::of(line).document;
            let has = |name: &str| keys.iter().any(|key| key == name);
            has("type") && (has("sessionId") || has("leafUuid"))
        })
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let mut session = Session { file: defaults.file.clone(), ..Session::default() };
        each_line(input, sink, &mut |number, line, sink| match read_line(line) {
            Ok(Some(line)) => session.add_line(number, &line, sink),
            Ok(None) => Ok(()),
            Err(why) => sink(number, Err(why)),
        })?;
        session.release(Authorship::Own, sink)
    }
}

/// Parses one line. The last line of a running session may be incomplete, and is read by a later import.
fn read_line(line: &[u8]) -> Result<Option<Line>, String> {
    let is_whole = line.ends_with(b"\n");
    let read = match std::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => return Ok(None),
        Ok(text) => transcript::read(text.trim_start_matches('\u{feff}').trim())
            .map_err(|error| explain(&error, "a line of a transcript is an object")),
        Err(error) => Err(format!("not UTF-8 (byte {})", error.valid_up_to())),
    };
    if is_whole { read } else { Ok(read.unwrap_or_default()) }
}

/// The state of reading a file.
#[derive(Default)]
struct Session {
    file: Option<PathBuf>,
    chat: Option<ChatId>,
    /// The names of tools by call id.
    tools: HashMap<String, String>,
    /// The id of the current prompt, if the program assigns ids to prompts.
    prompt: Option<String>,
    /// The ids of known prompts.
    prompts: HashSet<String>,
    /// The number of messages of a session, or answers to a prompt, with the same text.
    places: HashMap<String, usize>,
    /// The id of the file's first prompt, while its turn is held back.
    ///
    /// A forked session assigns the id of its own first prompt to the lines that it copies, so only the last prompt
    /// with that id is its own.
    first: Option<String>,
    held: Vec<(u64, Inbound)>,
}

/// The origin of lines that were held back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Authorship {
    /// Copies from another session, which are identified by their own ids only.
    Copies,
    /// Lines of this session.
    Own,
}

impl Session {
    fn add_line(&mut self, number: u64, line: &Line, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let Some(chat) = self.chat(line) else {
            return sink(number, Err("the line names no folder (cwd)".to_owned()));
        };
        for part in &line.parts {
            if part.role == Role::User {
                self.begin_prompt(line, sink)?;
            }
            if let Some(inbound) = self.message(&chat, line, part) {
                self.pass(number, inbound, sink)?;
            }
        }
        Ok(())
    }

    /// The chat of the file, which its first line determines.
    fn chat(&mut self, line: &Line) -> Option<ChatId> {
        if self.chat.is_none() {
            self.chat = chat_of(&project_of(line.cwd.as_deref()?, self.file.as_deref()));
        }
        self.chat.clone()
    }

    fn begin_prompt(&mut self, line: &Line, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let is_first = line.prompt.is_some() && (self.first.is_none() || self.first == line.prompt);
        let held = if is_first { Authorship::Copies } else { Authorship::Own };
        self.release(held, sink)?;
        if is_first {
            self.first.clone_from(&line.prompt);
        }
        if line.prompt.is_some() {
            self.places.clear();
        }
        self.prompt.clone_from(&line.prompt);
        Ok(())
    }

    /// Passes a message on, or holds it back while its turn may be a copy.
    fn pass(&mut self, number: u64, inbound: Inbound, sink: &mut Sink<'_>) -> Result<(), Failure> {
        if self.prompt.is_some() && self.prompt == self.first {
            self.held.push((number, inbound));
            return Ok(());
        }
        sink(number, Ok(inbound))
    }

    fn release(&mut self, held: Authorship, sink: &mut Sink<'_>) -> Result<(), Failure> {
        if held == Authorship::Own {
            self.prompts.extend(self.first.iter().filter(|_| !self.held.is_empty()).cloned());
        }
        for (number, mut inbound) in std::mem::take(&mut self.held) {
            if held == Authorship::Copies {
                inbound.external_ids.truncate(1);
            }
            sink(number, Ok(inbound))?;
        }
        Ok(())
    }

    /// The message of a part; `None` for this program's own tools, whose results are in memory already.
    fn message(&mut self, chat: &ChatId, line: &Line, part: &Part) -> Option<Inbound> {
        let tool = self.tool(part);
        if tool.as_deref().is_some_and(is_ours) {
            return None;
        }
        let session = (SESSION.to_owned(), Value::from(line.session.clone()));
        let source = ("source".to_owned(), Value::from(ChannelKind::ClaudeCode.name()));
        let metadata: Map<String, Value> =
            [source, session].into_iter().chain(tool.map(|tool| (TOOL.to_owned(), tool.into()))).collect();
        let text = match part.role {
            Role::ToolUse => beginning(&part.text, LONGEST_INPUT),
            _ => part.text.clone(),
        };
        let external_ids = std::iter::once(line.id(part)).chain(self.further_id(line, part)).collect();
        Some(Inbound {
            role: part.role,
            text,
            at: line.at,
            external_ids,
            metadata,
            ..Inbound::in_chat(chat.clone())
        })
    }

    fn tool(&mut self, part: &Part) -> Option<String> {
        match (&part.tool, &part.call) {
            (Some(tool), call) => {
                self.tools.extend(call.clone().map(|call| (call, tool.clone())));
                Some(tool.clone())
            }
            (None, call) => self.tools.get(call.as_ref()?).cloned(),
        }
    }

    /// The id under which a hook may have recorded the message.
    fn further_id(&mut self, line: &Line, part: &Part) -> Option<String> {
        let session = line.session.as_str();
        match (part.role, line.prompt.as_deref()) {
            (Role::User, Some(prompt)) => {
                let is_new = match self.first.as_deref() == Some(prompt) {
                    // The prompt counts once its turn is known not to be a copy.
                    true => !self.prompts.contains(prompt),
                    false => self.prompts.insert(prompt.to_owned()),
                };
                is_new.then(|| prompt_id(session, Some(prompt), &part.text, 0))
            }
            (Role::User, None) => {
                let place = self.place(prompt_id(session, None, &part.text, 0));
                Some(prompt_id(session, None, &part.text, place))
            }
            (Role::Assistant, _) => {
                let prompt = self.prompt.clone();
                let place = self.place(answer_id(session, prompt.as_deref(), &part.text, 0));
                Some(answer_id(session, prompt.as_deref(), &part.text, place))
            }
            _ => None,
        }
    }

    /// The number of earlier messages with the same id.
    fn place(&mut self, id: String) -> usize {
        let count = self.places.entry(id).or_default();
        *count += 1;
        *count - 1
    }
}

/// Returns true if a tool belongs to this program's MCP server.
fn is_ours(tool: &str) -> bool {
    tool.strip_prefix("mcp__")
        .and_then(|rest| rest.strip_prefix(SERVER))
        .is_some_and(|rest| rest.starts_with("__"))
}

/// The transcripts below a folder, oldest first, without those of sub-agents.
pub fn transcripts(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                folders.extend((name != "subagents").then_some(path));
            } else if name.ends_with(".jsonl") && !name.starts_with("agent-") {
                found.push((entry.metadata()?.modified()?, path));
            }
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests;
