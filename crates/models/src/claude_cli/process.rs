//! One run of the program: it starts, waits for its texts, answers and ends. No process is left behind, however the
//! run ends.

use std::io::{self, Write as _};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

use super::ability::Ability;
use super::environment::environment;
use super::text::Texts;
use super::tools::{self, ToolServer};
use super::{Settings, failure, folder};
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::wire::{ConnectionLost, Dialect, Outlet, Source, StreamedAnswer, Times, listen};
use crate::{Answer, Error, Toolbox};

/// The variable with the maximum tokens of an answer.
const MAX_TOKENS_VARIABLE: &str = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";
/// Time for the program to exit after it has answered.
const EXIT_TIME: Duration = Duration::from_secs(2);
/// Maximum number of bytes read from its standard error.
const MAX_STDERR: u64 = 64 << 10;

/// Minimum capacity of a pipe on every system, in bytes.
const PIPE_CAPACITY: usize = 16 << 10;

/// A running program.
pub(super) struct Process {
    child: Group,
    system: Option<pipe::Sender>,
    /// The configuration of its tools, if any.
    pub(super) tools: Option<String>,
    started: Instant,
}

/// The result of a run.
pub(super) struct Run {
    streamed: StreamedAnswer,
    exit: Option<ExitStatus>,
    stderr_text: String,
}

impl Process {
    /// Starts the program with these tools. It then waits for its texts.
    pub(super) fn start(
        settings: &Settings,
        ability: Ability,
        most_tokens: u32,
        tools: Option<(&ToolServer, &Toolbox)>,
    ) -> Result<Self, Error> {
        let folder = folder::private(&settings.folders)?;
        let started = || -> io::Result<Self> {
            let mut command = Command::new(&settings.path);
            command
                .args(ability.flags())
                .env_clear()
                .envs(environment(&settings.environment))
                .env(MAX_TOKENS_VARIABLE, most_tokens.to_string())
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .kill_on_drop(true);
            if let Some(model) = &settings.model {
                command.args(["--model", model]);
            }
            let system = if ability.system_prompt_file { Some(FilePipe::new()?) } else { None };
            if let Some(pipe) = &system {
                command.args(["--system-prompt-file", &path(&pipe.theirs)]);
            }
            let config = tools.map(|(server, toolbox)| server.config(toolbox));
            let config_file = config.as_deref().map(holding).transpose()?;
            if let (Some((_, toolbox)), Some(file)) = (tools, &config_file) {
                command.args(["--mcp-config", &path(file)]).args(tools::flags(toolbox, ability));
            }
            let child = Group(command.spawn()?);
            let system = system.map(|pipe| pipe.ours);
            Ok(Self { child, system, tools: config, started: Instant::now() })
        };
        started().map_err(|error| failure::from_start(&settings.path, &error))
    }

    /// Returns true if it started no longer ago than `age` and still runs.
    pub(super) fn is_fresh(&mut self, age: Duration) -> bool {
        self.started.elapsed() <= age && matches!(self.child.0.try_wait(), Ok(None))
    }

    /// Sends the texts and reads the answer.
    pub(super) async fn run(
        mut self,
        texts: &Texts<'_>,
        dialect: &mut impl Dialect,
        limits: &Limits,
        prompt: &Prompt<'_>,
        asked: Instant,
        outlet: Outlet<'_>,
    ) -> Run {
        let child = &mut self.child.0;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut stderr_text = Vec::new();
        let streamed = {
            let hand_over = hand_over(texts, self.system.take(), stdin);
            let beside = async { tokio::join!(hand_over, read_all(stderr, &mut stderr_text)) };
            let mut output = Output(stdout);
            let times = Times { asked, until: asked + limits.whole };
            let listening = listen(&mut output, dialect, limits, prompt.most_tokens, times, outlet);
            tokio::pin!(beside, listening);
            tokio::select! {
                streamed = &mut listening => {
                    if streamed.ended_wordless() {
                        // Its error output may still be arriving.
                        let _ = timeout(EXIT_TIME, beside).await;
                    }
                    streamed
                }
                _ = &mut beside => listening.await,
            }
        };
        let exit = if streamed.is_over() {
            timeout(EXIT_TIME, self.child.0.wait()).await.ok().and_then(Result::ok)
        } else {
            None
        };
        let streamed = streamed.counted(prompt.tokens());
        Run { streamed, exit, stderr_text: String::from_utf8_lossy(&stderr_text).into_owned() }
    }
}

impl Run {
    /// Combines this run with the one that followed it.
    pub(super) fn then(self, later: Self) -> Self {
        Self { streamed: self.streamed.then(later.streamed), ..later }
    }

    /// Returns true if words arrived.
    pub(super) fn spoke(&self) -> bool {
        !self.streamed.text().is_empty()
    }

    /// The answer, or why there is none.
    pub(super) fn into_answer(self, name: &str) -> Result<Answer, Error> {
        if self.streamed.ended_wordless() {
            return Err(failure::from_exit(self.exit.and_then(|status| status.code()), &self.stderr_text));
        }
        // The program reports the cost itself.
        self.streamed.into_answer(name, "", "the `claude` program")
    }
}

/// A pipe that the program reads as a file. It can start before the text is known, and nothing is left on disk.
struct FilePipe {
    theirs: OwnedFd,
    ours: pipe::Sender,
}

impl FilePipe {
    fn new() -> io::Result<Self> {
        let (ours, theirs) = pipe::pipe()?;
        let theirs = theirs.into_blocking_fd()?;
        // Only the program's end is inherited. A program that starts at the same time may inherit it too, which is
        // harmless.
        fcntl_setfd(&theirs, FdFlags::empty())?;
        Ok(Self { theirs, ours })
    }
}

/// A pipe that buffers a short text until the program reads it.
fn holding(text: &str) -> io::Result<io::PipeReader> {
    if text.len() > PIPE_CAPACITY {
        return Err(io::Error::other("the configuration of its tools is too long"));
    }
    let (theirs, mut ours) = io::pipe()?;
    ours.write_all(text.as_bytes())?;
    fcntl_setfd(&theirs, FdFlags::empty())?;
    Ok(theirs)
}

fn path(file: &impl AsRawFd) -> String {
    format!("/dev/fd/{}", file.as_raw_fd())
}

/// A child process and all its descendants.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // Until the child has been waited for, its process number is not reused.
        let pid = self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

struct Output(Option<ChildStdout>);

impl Source for Output {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, ConnectionLost> {
        let Some(stdout) = &mut self.0 else { return Ok(None) };
        let mut bytes = Vec::with_capacity(16 << 10);
        let read = stdout.read_buf(&mut bytes).await.map_err(|_| ConnectionLost)?;
        Ok((read > 0).then_some(bytes))
    }
}

/// Sends the program its texts. A program that exits before it has read them reports why, or has answered anyway.
async fn hand_over(texts: &Texts<'_>, system: Option<pipe::Sender>, stdin: Option<ChildStdin>) {
    if let (Some(mut file), Some(system)) = (system, &texts.system) {
        let _ = file.write_all(system.as_bytes()).await;
    }
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(texts.input.as_bytes()).await;
    }
}

/// Reads to the end, and keeps the beginning.
async fn read_all(stderr: Option<impl AsyncRead + Unpin>, stderr_text: &mut Vec<u8>) {
    let Some(mut stderr) = stderr else { return };
    let _ = (&mut stderr).take(MAX_STDERR).read_to_end(stderr_text).await;
    // The rest must be drained, or the program would block.
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
}
