//! Questions to a person at the terminal. Ctrl-C at any of them ends the command before anything is written.

use std::io::{Read, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use throughline_text::printable::printable;

use crate::output::{Failure, Output, print_line};
use crate::wrap::wrapped;

/// What Ctrl-C sends.
const INTERRUPT: u8 = 3;
/// Maximum length of an answer, in bytes; a terminal passes on no longer line.
const LONGEST: usize = 4096;

/// The terminal and the person at it.
#[derive(Clone, Copy)]
pub struct Person {
    pub output: Output,
}

/// Whether an answer is seen while it is typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Echo {
    Shown,
    Hidden,
}

impl Person {
    pub fn say(self, line: &str) -> Result<(), Failure> {
        self.output.write(line)
    }

    /// Shows a file line by line as it will be, without wrapping.
    pub fn show(self, text: &str) -> Result<(), Failure> {
        print_line(&format!("\n{}", printable(text)))
    }

    /// The answer; empty if the person only pressed Enter, nothing after the end of input.
    pub fn ask(self, question: &str) -> Result<Option<String>, Failure> {
        self.read(question, Echo::Shown)
    }

    /// The answer to a question for a secret, which is not shown while it is typed.
    pub fn ask_hidden(self, question: &str) -> Result<Option<String>, Failure> {
        self.read(question, Echo::Hidden)
    }

    /// Whether the person agrees; Enter and the end of input do not.
    pub fn agrees(self, question: &str) -> Result<bool, Failure> {
        let answer = self.ask(&format!("{question} [y/N] "))?.unwrap_or_default();
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }

    fn wrapped(self, question: &str) -> String {
        let question = printable(question.trim_end());
        self.output.width().map_or_else(|| question.to_string(), |width| wrapped(&question, width))
    }

    fn read(self, question: &str, echo: Echo) -> Result<Option<String>, Failure> {
        // Before the question is seen, so that no key of the answer is.
        let _mode = Mode::enter(echo)?;
        let mut stdout = std::io::stdout().lock();
        write!(stdout, "{} ", self.wrapped(question))?;
        stdout.flush()?;
        let mut line = Vec::new();
        for byte in std::io::stdin().lock().bytes().take(LONGEST) {
            match byte? {
                b'\n' => return Ok(Some(String::from_utf8_lossy(&line).trim().to_owned())),
                INTERRUPT => {
                    writeln!(stdout)?;
                    return Err(Failure::failed("interrupted", "stopped by Ctrl-C. Nothing was changed"));
                }
                byte => line.push(byte),
            }
        }
        writeln!(stdout)?;
        Ok(None)
    }
}

/// How the terminal treats keys while a question waits. It is as before when this is dropped.
struct Mode(Option<Termios>);

impl Mode {
    fn enter(echo: Echo) -> Result<Self, Failure> {
        let stdin = std::io::stdin();
        let Ok(before) = tcgetattr(&stdin) else { return Ok(Self(None)) };
        let mut mode = before.clone();
        // Ctrl-C ends the line instead of the process, which would leave the terminal without echo.
        mode.local_modes.remove(LocalModes::ISIG);
        mode.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        if echo == Echo::Hidden {
            mode.local_modes.remove(LocalModes::ECHO);
            mode.local_modes.insert(LocalModes::ECHONL);
        }
        tcsetattr(&stdin, OptionalActions::Now, &mode)
            .map_err(|error| Failure::failed("terminal", format!("the terminal cannot be set: {error}")))?;
        Ok(Self(Some(before)))
    }
}

impl Drop for Mode {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
