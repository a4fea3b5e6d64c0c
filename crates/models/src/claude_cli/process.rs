//! One run of the program: it starts, waits for its texts, answers and ends. Whatever becomes of the run, no process of
//! it is left behind.

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
use super::{Settings, folder, trouble};
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::wire::{Dialect, Heard, Lost, Outlet, Source, Times, listen};
use crate::{Answer, Error, Toolbox};

/// The variable with the maximum tokens of an answer.
const MOST_TOKENS: &str = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";
/// How long the program may take to end once it has answered.
const LEAVING: Duration = Duration::from_secs(2);
/// More of its complaints need not be read to understand them.
const LONGEST_COMPLAINT: u64 = 64 << 10;

/// A pipe holds this much on every system, in bytes.
const LONGEST_HELD: usize = 16 << 10;

/// A running program.
pub(super) struct Process {
    child: Group,
    system: Option<pipe::Sender>,
    /// The configuration of its tools, if it has any.
    pub(super) tools: Option<String>,
    started: Instant,
}

/// How a run ended.
pub(super) struct Run {
    heard: Heard,
    exit: Option<ExitStatus>,
    complaint: String,
}

impl Process {
    /// Starts the program, with these tools. It then waits for its texts.
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
        prompt: &Prompt<'_>,
        asked: Instant,
        outlet: Outlet<'_>,
    ) -> Run {
        let child = &mut self.child.0;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut complaint = Vec::new();
        let heard = {
            let hand_over = hand_over(texts, self.system.take(), stdin);
            let beside = async { tokio::join!(hand_over, read_all(stderr, &mut complaint)) };
            let mut output = Output(stdout);
            let times = Times { asked, until: asked + limits.whole };
            let listening = listen(&mut output, dialect, limits, prompt.most_tokens, times, outlet);
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
        let heard = heard.counted(prompt.tokens());
        Run { heard, exit, complaint: String::from_utf8_lossy(&complaint).into_owned() }
    }
}

impl Run {
    /// This run and the one that followed it as one.
    pub(super) fn then(self, later: Self) -> Self {
        Self { heard: self.heard.then(later.heard), ..later }
    }

    /// Whether words came.
    pub(super) fn spoke(&self) -> bool {
        !self.heard.text().is_empty()
    }

    /// The answer, or why there is none.
    pub(super) fn into_answer(self, name: &str) -> Result<Answer, Error> {
        if self.heard.ended_wordless() {
            return Err(trouble::of_exit(self.exit.and_then(|status| status.code()), &self.complaint));
        }
        // The program says itself what an answer cost.
        self.heard.into_answer(name, "", "the `claude` program")
    }
}

/// A file that the program reads: a pipe, so that it may start before the text is known, and so that nothing is left on
/// the disk.
struct FilePipe {
    theirs: OwnedFd,
    ours: pipe::Sender,
}

impl FilePipe {
    fn new() -> io::Result<Self> {
        let (ours, theirs) = pipe::pipe()?;
        let theirs = theirs.into_blocking_fd()?;
        // Only their end is handed on. A program that is started at the same moment may get it too, which does no harm:
        // it does not know of it.
        fcntl_setfd(&theirs, FdFlags::empty())?;
        Ok(Self { theirs, ours })
    }
}

/// A pipe that holds a short text until the program reads it.
fn holding(text: &str) -> io::Result<io::PipeReader> {
    if text.len() > LONGEST_HELD {
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
