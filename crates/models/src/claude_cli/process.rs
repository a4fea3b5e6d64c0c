//! One run of the program: it starts, waits for its texts, answers and ends. Whatever becomes of the run, no process of
//! it is left behind.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout};

use super::ability::Ability;
use super::environment::environment;
use super::text::Texts;
use super::{Settings, folder, trouble};
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::wire::{Dialect, Heard, Lost, Source, listen};
use crate::{Answer, Error};

/// The variable with the maximum tokens of an answer.
const MOST_TOKENS: &str = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";
/// How long the program may take to end once it has answered.
const LEAVING: Duration = Duration::from_secs(2);
/// More of its complaints need not be read to understand them.
const LONGEST_COMPLAINT: u64 = 64 << 10;

/// A running program.
pub(super) struct Process {
    child: Group,
    system: Option<pipe::Sender>,
    started: Instant,
}

/// How a run ended.
pub(super) struct Run {
    heard: Heard,
    exit: Option<ExitStatus>,
    complaint: String,
}

impl Process {
    /// Starts the program. It then waits for its texts.
    pub(super) fn start(settings: &Settings, ability: Ability, most_tokens: u32) -> Result<Self, Error> {
        let folder = folder::private(&settings.folders)?;
        let started = || -> io::Result<Self> {
            let mut command = Command::new(&settings.path);
            command
                .args(ability.flags())
                .env_clear()
                .envs(environment(&settings.environment))
                .env(MOST_TOKENS, most_tokens.to_string())
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .kill_on_drop(true);
            if let Some(model) = &settings.model {
                command.args(["--model", model]);
            }
            let system = if ability.system_prompt_file { Some(SystemPipe::new()?) } else { None };
            if let Some(pipe) = &system {
                command.args(["--system-prompt-file", &pipe.path()]);
            }
            let child = Group(command.spawn()?);
            Ok(Self { child, system: system.map(|pipe| pipe.ours), started: Instant::now() })
        };
        started().map_err(|error| trouble::of_start(&settings.path, &error))
    }

    /// Whether it has started no longer ago and still runs.
    pub(super) fn is_fresh(&mut self, age: Duration) -> bool {
        self.started.elapsed() <= age && matches!(self.child.0.try_wait(), Ok(None))
    }

    /// Hands over the texts and listens to the answer.
    pub(super) async fn run(
        mut self,
        texts: &Texts<'_>,
        dialect: &mut impl Dialect,
        limits: &Limits,
        most_tokens: u32,
        asked: Instant,
        words: &Sender<String>,
    ) -> Run {
        let child = &mut self.child.0;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut complaint = Vec::new();
        let heard = {
            let hand_over = hand_over(texts, self.system.take(), stdin);
            let beside = async { tokio::join!(hand_over, read_all(stderr, &mut complaint)) };
            let mut output = Output(stdout);
            let listening = listen(&mut output, dialect, limits, most_tokens, asked, words);
            tokio::pin!(beside, listening);
            tokio::select! {
                heard = &mut listening => {
                    if heard.ended_wordless() {
                        // What it complained about may still be on its way.
                        let _ = timeout(LEAVING, beside).await;
                    }
                    heard
                }
                _ = &mut beside => listening.await,
            }
        };
        let exit = if heard.is_over() {
            timeout(LEAVING, self.child.0.wait()).await.ok().and_then(Result::ok)
        } else {
            None
        };
        Run { heard, exit, complaint: String::from_utf8_lossy(&complaint).into_owned() }
    }
}

impl Run {
    /// The answer, or why there is none.
    pub(super) fn into_answer(self, name: &str, prompt: &Prompt<'_>) -> Result<Answer, Error> {
        if self.heard.ended_wordless() {
            return Err(trouble::of_exit(self.exit.and_then(|status| status.code()), &self.complaint));
        }
        // The program says itself what an answer cost.
        self.heard.into_answer(name, "", "the `claude` program", prompt)
    }
}

/// The file that the program reads its system text from: a pipe, so that it may start before the text is known, and so
/// that nothing is left on the disk.
struct SystemPipe {
    theirs: OwnedFd,
    ours: pipe::Sender,
}

impl SystemPipe {
    fn new() -> io::Result<Self> {
        let (ours, theirs) = pipe::pipe()?;
        let theirs = theirs.into_blocking_fd()?;
        // Only their end is handed on. A program that is started at the same moment may get it too, which does no harm:
        // it does not know of it.
        fcntl_setfd(&theirs, FdFlags::empty())?;
        Ok(Self { theirs, ours })
    }

    fn path(&self) -> String {
        format!("/dev/fd/{}", self.theirs.as_raw_fd())
    }
}

/// A child and all its children.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // While the child has not been waited for, its number is no other's.
        let pid = self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

struct Output(Option<ChildStdout>);

impl Source for Output {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        let Some(stdout) = &mut self.0 else { return Ok(None) };
        let mut bytes = Vec::with_capacity(16 << 10);
        let read = stdout.read_buf(&mut bytes).await.map_err(|_| Lost)?;
        Ok((read > 0).then_some(bytes))
    }
}

/// Gives the program its texts. One that ends before it has read them says why, or has answered all the same.
async fn hand_over(texts: &Texts<'_>, system: Option<pipe::Sender>, stdin: Option<ChildStdin>) {
    if let (Some(mut file), Some(system)) = (system, &texts.system) {
        let _ = file.write_all(system.as_bytes()).await;
    }
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(texts.input.as_bytes()).await;
    }
}

/// Reads to the end, and keeps the beginning.
async fn read_all(stderr: Option<impl AsyncRead + Unpin>, complaint: &mut Vec<u8>) {
    let Some(mut stderr) = stderr else { return };
    let _ = (&mut stderr).take(LONGEST_COMPLAINT).read_to_end(complaint).await;
    // Nobody reads the rest, but the program must be able to write it.
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
}
