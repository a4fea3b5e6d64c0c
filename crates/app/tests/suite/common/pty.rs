//! A pseudo-terminal, which `script` makes, with the program on it.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{BINARY, Home};

pub struct Terminal {
    pub child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
}

impl Terminal {
    pub fn start(home: &Home, words: &str) -> Self {
        let mut command = home.bare("timeout");
        command.env("TERM", "xterm");
        Self::of(command, &format!("{BINARY} {words}"))
    }

    /// A line of the shell on a terminal. `timeout` ends a conversation that hangs rather than holding up everything.
    pub fn of(mut timeout: Command, line: &str) -> Self {
        let command = timeout.args(["30", "script", "-qec", line, "/dev/null"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, keys, screen }
    }

    /// Reads what is shown until these words are.
    pub fn until(&mut self, words: &str) -> String {
        self.until_any(&[words])
    }

    /// Reads what is shown until some of these words are.
    pub fn until_any(&mut self, words: &[&str]) -> String {
        let mut shown = Vec::new();
        let mut byte = [0];
        while !words.iter().any(|words| shown.ends_with(words.as_bytes())) {
            let read = self.screen.read(&mut byte).unwrap();
            assert_eq!(read, 1, "{words:?} never came: {}", String::from_utf8_lossy(&shown));
            shown.push(byte[0]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types a line at the prompt of `chat`, and gives what is shown up to a sign of the answer and the next prompt.
    pub fn say(&mut self, line: &str, sign: &str) -> String {
        self.press(line);
        self.press("\r");
        let answer = self.until(sign);
        answer + &self.until("› ")
    }

    /// Waits for an end without failure, and gives what was shown on the way.
    pub fn ends_well(mut self) -> String {
        let mut rest = String::new();
        self.screen.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success(), "{rest}");
        rest
    }
}
