//! The line editor of a chat on a terminal: history, Tab for commands, Alt-Enter for a new line. Input typed while a
//! reply is shown waits in the terminal and is read next.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Cmd, CompletionType, Config, Context, Editor, Helper, KeyCode, KeyEvent, Modifiers};
use throughline_engine::commands::{COMMANDS, Offered};
use throughline_text::redact::redact_after;

use crate::output::Failure;

/// The prompt.
const PROMPT: &str = "› ";

/// A line editor with history.
pub struct LineEditor {
    editor: Editor<Help, FileHistory>,
    history: PathBuf,
}

/// The result of reading a line.
pub enum Typed {
    /// A line, or several that Alt-Enter joined.
    Line(String),
    /// Ctrl-C: the line was discarded.
    Discarded,
    /// Ctrl-D: the person leaves.
    End,
}

impl LineEditor {
    /// Opens an editor on this terminal.
    pub fn new(history: &Path, has_color: bool) -> Result<Self, Failure> {
        let config = Config::builder().auto_add_history(false).completion_type(CompletionType::List);
        let config = config.max_history_size(1_000).map_err(failure)?.build();
        let mut editor: Editor<Help, FileHistory> = Editor::with_config(config).map_err(failure)?;
        editor.set_helper(Some(Help { has_color }));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
        let mut line_editor = Self { editor, history: history.to_owned() };
        line_editor.reload();
        Ok(line_editor)
    }

    /// Waits for a line.
    pub fn read(&mut self) -> Result<Typed, Failure> {
        match self.editor.readline(PROMPT) {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Discarded),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(failure(error)),
        }
    }

    /// Asks a yes-or-no question.
    pub fn confirm(&mut self, question: &str) -> bool {
        let answer = self.editor.readline(question).unwrap_or_default();
        matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// Adds a line to the history, redacted like everything on disk. The file is read again first, because another
    /// process may have removed forgotten lines.
    pub fn add_to_history(&mut self, line: &str, said_before: &[String]) {
        self.reload();
        let _ = self.editor.add_history_entry(redact_after(said_before, line).as_ref());
        let _ = self.editor.save_history(&self.history);
    }

    /// Reads the history file again.
    pub fn reload(&mut self) {
        let _ = self.editor.clear_history();
        let _ = self.editor.load_history(&self.history);
    }
}

fn failure(error: ReadlineError) -> Failure {
    Failure::failed(
        "terminal",
        format!("the terminal cannot be read: {error}. Use `throughline chat -m TEXT` instead"),
    )
}

/// Turns echo off while a reply is shown. The next prompt shows what was typed.
pub struct EchoOff(Option<Termios>);

impl EchoOff {
    /// Turns echo off until this is dropped. Without a terminal, nothing changes.
    pub fn begin() -> Self {
        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &modes);
        }
        Self(before)
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

struct Help {
    has_color: bool,
}

impl Helper for Help {}

impl Validator for Help {}

impl Hinter for Help {
    type Hint = String;
}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok((0, completions(line.get(..at).unwrap_or_default())))
    }
}

impl Highlighter for Help {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.has_color && prompt == PROMPT {
            Cow::Owned(format!("\u{1b}[1;36m{prompt}\u{1b}[0m"))
        } else {
            Cow::Borrowed(prompt)
        }
    }
}

/// The commands that complete a line.
fn completions(typed: &str) -> Vec<Pair> {
    let Some(name) = typed.strip_prefix('/') else { return Vec::new() };
    let offered = COMMANDS.iter().filter(|spec| spec.offered != Offered::InMenu);
    let fitting = offered.filter(|spec| spec.name.starts_with(name));
    let pair = |spec: &throughline_engine::commands::Spec| {
        let space = if spec.arguments.is_empty() { "" } else { " " };
        Pair { display: format!("/{}", spec.name), replacement: format!("/{}{space}", spec.name) }
    };
    fitting.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_completes_commands_and_nothing_else() {
        let offered = |typed: &str| -> Vec<String> {
            completions(typed).into_iter().map(|pair| pair.replacement).collect()
        };
        assert_eq!(offered("/se"), ["/search "]);
        assert_eq!(offered("/con"), ["/context ", "/conversations"]);
        assert!(offered("/").contains(&"/quit".to_owned()));
        assert!(offered("search").is_empty() && offered("/search sp").is_empty());
    }
}
