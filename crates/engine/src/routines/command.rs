//! Runs the program of a routine and captures its output. The turn decides how to use it.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use throughline_models::environment::is_inherited;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Maximum length of a program's standard output, in characters.
const MAX_STDOUT: usize = 44_000;
/// Maximum length of a program's standard error, in characters; the end is kept, since it names the cause.
const MAX_STDERR: usize = 5_000;
/// Maximum length of the reason shown for a failed program, in characters.
const MAX_REASON: usize = 300;
/// Time to read the remaining output after the program has ended.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// Environment variables that a program inherits besides the common ones.
const INHERITED: [&str; 2] = ["SHELL", "XDG_RUNTIME_DIR"];

/// Why a program has no output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandFailed {
    /// It could not be started: it is missing or not executable.
    #[error("the program {program:?} cannot be started: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The system's error.
        why: String,
    },
    /// It exceeded the time limit and was killed, with every process it had started.
    #[error("the program {program:?} was ended after {} seconds", .limit.as_secs_f32())]
    TooLong {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
    },
    /// It exited with a failure status.
    #[error("the program {program:?} failed ({status}){why}")]
    Failed {
        /// The program.
        program: String,
        /// Its status.
        status: ExitStatus,
        /// The last line of its standard error.
        why: String,
    },
}

/// Runs a program without a shell and returns its standard output followed by its standard error; at most 50,000
/// characters, empty if it printed nothing. It inherits only the needed variables of `environment`, and no process is
/// left behind.
///
/// # Errors
/// If the program cannot be started, fails, or exceeds `limit`.
pub async fn output_of(
    words: &[String],
    environment: &[(String, String)],
    limit: Duration,
) -> Result<String, CommandFailed> {
    let Printed { output, stderr } = run(words, environment, limit).await?;
    Ok(report(&output, &stderr))
}

/// The output of a program.
pub(crate) struct Printed {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub stderr: String,
}

/// Like [`output_of`], with standard output and error kept apart.
///
/// # Errors
/// If the program cannot be started, fails, or takes longer than `limit`.
pub(crate) async fn run(
    words: &[String],
    environment: &[(String, String)],
    limit: Duration,
) -> Result<Printed, CommandFailed> {
    let (program, arguments) = match words.split_first() {
        Some((program, arguments)) => (program.clone(), arguments),
        None => (String::new(), words),
    };
    let mut command = Command::new(&program);
    command
        .args(arguments)
        .env_clear()
        .envs(environment.iter().filter(|(name, _)| is_inherited(name, &INHERITED)).cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let not_started = |error: std::io::Error| CommandFailed::NotStarted {
        program: program.clone(),
        why: error.to_string(),
    };
    let mut group = Group::of(command.spawn().map_err(not_started)?);
    match timeout(limit, group.run()).await {
        Ok(Ok((printed, status))) if !status.success() => {
            Err(CommandFailed::Failed { program, status, why: failure_reason(&printed) })
        }
        Ok(Ok((printed, _))) => Ok(printed),
        Ok(Err(error)) => Err(not_started(error)),
        Err(_) => Err(CommandFailed::TooLong { program, limit }),
    }
}

/// A program and every process it has started.
struct Group {
    leader: Child,
    id: Option<Pid>,
}

impl Group {
    fn of(leader: Child) -> Self {
        let id = leader.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { leader, id }
    }

    /// Waits for the program to end.
    async fn run(&mut self) -> std::io::Result<(Printed, ExitStatus)> {
        let (stdout, stderr) = (self.leader.stdout.take(), self.leader.stderr.take());
        let (mut output, mut errors) = (CapturedOutput::first(MAX_STDOUT), CapturedOutput::last(MAX_STDERR));
        let status = {
            let reading = async { tokio::join!(output.read(stdout), errors.read(stderr)) };
            tokio::pin!(reading);
            tokio::select! {
                status = self.leader.wait() => {
                    // A remaining process would keep the output open.
                    self.kill();
                    let _ = timeout(DRAIN_TIME, reading).await;
                    status?
                }
                _ = &mut reading => self.leader.wait().await?,
            }
        };
        Ok((Printed { output: output.text(), stderr: errors.text() }, status))
    }

    /// Kills every process of the group.
    fn kill(&mut self) {
        // Only once, since the process number may be reused.
        if let Some(id) = self.id.take() {
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Standard output and error as one text.
fn report(output: &str, stderr: &str) -> String {
    match (output.is_empty(), stderr.is_empty()) {
        (_, true) => output.to_owned(),
        (true, false) => format!("[errors]\n{stderr}"),
        (false, false) => format!("{output}\n[errors]\n{stderr}"),
    }
}

/// The last line that a failed program printed.
fn failure_reason(printed: &Printed) -> String {
    let Printed { output, stderr } = printed;
    let said = if stderr.trim().is_empty() { output } else { stderr };
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let last: String = last.chars().take(MAX_REASON).collect();
    if last.is_empty() { last } else { format!(": {last}") }
}

/// The beginning or the end of an output of any length.
struct CapturedOutput {
    bytes: VecDeque<u8>,
    most_chars: usize,
    end: End,
    left_out: bool,
}

/// The part of a text that is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl CapturedOutput {
    fn first(most_chars: usize) -> Self {
        Self { bytes: VecDeque::new(), most_chars, end: End::First, left_out: false }
    }

    fn last(most_chars: usize) -> Self {
        Self { end: End::Last, ..Self::first(most_chars) }
    }

    /// Reads to the end, even what is not kept; otherwise the program would block.
    async fn read(&mut self, source: Option<impl AsyncRead + Unpin>) {
        let Some(mut source) = source else { return };
        let mut piece = Vec::with_capacity(16 << 10);
        while let Ok(1..) = source.read_buf(&mut piece).await {
            self.bytes.extend(piece.drain(..));
            // A character has at most four bytes.
            let surplus = self.bytes.len().saturating_sub(self.most_chars * 4);
            self.left_out |= surplus > 0;
            match self.end {
                End::First => self.bytes.truncate(self.most_chars * 4),
                End::Last => drop(self.bytes.drain(..surplus)),
            }
        }
    }

    fn text(self) -> String {
        let bytes: Vec<u8> = self.bytes.into();
        let text = String::from_utf8_lossy(&bytes);
        let surplus = text.chars().count().saturating_sub(self.most_chars);
        let kept: String = match self.end {
            End::First => text.chars().take(self.most_chars).collect(),
            End::Last => text.chars().skip(surplus).collect(),
        };
        let kept = kept.trim_end();
        match self.end {
            _ if !self.left_out && surplus == 0 => kept.to_owned(),
            End::First => format!("{kept}\n[the rest is left out]"),
            End::Last => format!("[the beginning is left out]\n{kept}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    async fn run(words: &[&str], limit: Duration) -> Result<String, CommandFailed> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let ours = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", "/home/ana"),
            ("LC_ALL", "C"),
            ("AWS_PROFILE", "work"),
            ("TELEGRAM_BOT_TOKEN", "4711:hunter2"),
            ("THROUGHLINE_API_TOKEN", "hunter2"),
            ("ANTHROPIC_API_KEY", "hunter2"),
            ("DATABASE_PASSWORD", "hunter2"),
        ];
        let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned()));
        output_of(&words, &ours, limit).await
    }

    async fn shell(script: &str) -> String {
        run(&["sh", "-c", script], LONG).await.unwrap()
    }

    #[tokio::test]
    async fn k1_words_reach_the_program_as_they_are() {
        let words = ["printf", "<%s>", "$(id); `id`", "a  b", "", "*", "é"];
        assert_eq!(run(&words, LONG).await.unwrap(), "<$(id); `id`><a  b><><*><é>");
    }

    #[tokio::test]
    async fn k1_output_comes_first_then_complaints_and_silence_is_nothing() {
        let cases = [
            ("echo out", "out"),
            ("echo bad >&2; echo out", "out\n[errors]\nbad"),
            ("echo bad >&2", "[errors]\nbad"),
            ("true", ""),
            ("echo; echo ' '", ""),
            ("printf 'a\\377b'", "a\u{fffd}b"),
            // Standard input is empty.
            ("cat; echo end", "end"),
        ];
        for (script, expected) in cases {
            assert_eq!(shell(script).await, expected, "{script}");
        }
    }

    #[tokio::test]
    async fn k1_long_output_keeps_its_beginning_and_long_complaints_their_end() {
        let script = "yes é | head -c 900000; echo first >&2; yes ü | head -c 900000 >&2; echo last >&2";
        let text = shell(script).await;
        assert!(text.starts_with("é\né\n") && text.contains("é\n[the rest is left out]\n[errors]\n"));
        assert!(text.contains("[errors]\n[the beginning is left out]\n") && !text.contains("first"));
        assert!(text.ends_with("ü\nlast"));
        assert!((40_000..=50_000).contains(&text.chars().count()), "{} characters", text.chars().count());
    }

    #[tokio::test]
    async fn k1_a_program_that_fails_says_its_status_and_its_last_words() {
        for (script, expected) in [
            (
                "echo out; echo first >&2; echo last >&2; exit 3",
                "the program \"sh\" failed (exit status: 3): last",
            ),
            ("echo out; exit 1", "the program \"sh\" failed (exit status: 1): out"),
            ("kill -TERM $$", "the program \"sh\" failed (signal: 15 (SIGTERM))"),
        ] {
            let failed = run(&["sh", "-c", script], LONG).await.unwrap_err();
            assert_eq!(failed.to_string(), expected, "{script}");
        }
    }

    #[tokio::test]
    async fn c6_our_secrets_are_not_handed_on() {
        let text = run(&["env"], LONG).await.unwrap();
        let names: std::collections::BTreeSet<&str> =
            text.lines().filter_map(|line| line.split('=').next()).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["AWS_PROFILE", "HOME", "LC_ALL", "PATH"]);
    }

    #[tokio::test]
    async fn k1_a_program_that_cannot_start_says_why() {
        for (words, expected) in [
            (&["/nowhere/program"][..], "the program \"/nowhere/program\" cannot be started: No such file"),
            (&["/"], "the program \"/\" cannot be started: Permission denied"),
            (&[], "the program \"\" cannot be started: "),
        ] {
            let why = run(words, LONG).await.unwrap_err().to_string();
            assert!(why.starts_with(expected), "{why}");
        }
    }

    /// Returns true if the process still runs.
    async fn runs(id: &str) -> bool {
        let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().await.unwrap().stdout;
        !state.is_empty() && !state.starts_with(b"Z")
    }

    /// Returns true if the process ends soon; killing takes a moment.
    async fn ends(id: &str) -> bool {
        for _ in 0..500 {
            if !runs(id).await {
                return true;
            }
        }
        false
    }

    #[tokio::test]
    async fn k1_at_the_limit_a_program_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("id");
        let script = "sleep 600 & echo $! > \"$1\"; wait";
        let limit = Duration::from_secs(1);
        let failed = run(&["sh", "-c", script, "sh", file.to_str().unwrap()], limit).await.unwrap_err();
        assert_eq!(failed, CommandFailed::TooLong { program: "sh".to_owned(), limit });
        assert_eq!(failed.to_string(), "the program \"sh\" was ended after 1 seconds");
        let id = std::fs::read_to_string(file).unwrap();
        assert!(ends(id.trim()).await, "{id} is left behind");
    }

    #[tokio::test]
    async fn k1_what_a_program_leaves_running_ends_with_it() {
        let text = shell("sleep 600 & echo $!").await;
        assert!(ends(&text).await, "{text} is left behind");
    }
}
