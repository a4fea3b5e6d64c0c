//! Asks a person questions at the terminal. Ctrl-C at any question ends the command before anything is written.

use std::io::{Read, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use throughline_text::printable::printable;

use crate::output::{Failure, Output, print_line};
use crate::wrap::wrapped;

/// The byte that Ctrl-C sends.
const INTERRUPT: u8 = 3;
/// Maximum length of an answer in bytes, which is also the limit of a terminal.
const LONGEST: usize = 4096;

/// The terminal and the person at it.
#[derive(Clone, Copy)]
pub struct Person {
    pub output: Output,
}

/// Whether the terminal shows an answer while it is typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Echo {
    StyledText,
    Hidden,
}

impl Person {
    pub fn say(self, line: &str) -> Result<(), Failure> {
        self.output.write(line)
    }

    /// Prints the content of a file, without wrapping.
    pub fn show(self, text: &str) -> Result<(), Failure> {
        print_line(&format!("\n{}", printable(text)))
    }

    /// Asks a question. The answer is empty if the person only pressed Enter, and `None` at the end of input.
    pub fn ask(self, question: &str) -> Result<Option<String>, Failure> {
        self.read(question, Echo::StyledText)
    }

    /// Asks for a secret, which is not shown while it is typed.
    pub fn ask_hidden(self, question: &str) -> Result<Option<String>, Failure> {
        self.read(question, Echo::Hidden)
    }

    /// Asks a yes-or-no question; Enter and the end of input mean no.
    pub fn agrees(self, question: &str) -> Result<bool, Failure> {
        let answer = self.ask(&format!("{question} [y/N] "))?.unwrap_or_default();
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }

    fn wrapped(self, question: &str) -> String {
        let question = printable(question.trim_end());
        self.output.width().map_or_else(|| question.to_string(), |width| wrapped(&question, width))
    }

    fn read(self, question: &str, echo: Echo) -> Result<Option<String>, Failure> {
        // Echo is turned off before the question appears, so that no typed key is shown.
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

/// The terminal's mode during a question; dropping this restores the previous mode.
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
