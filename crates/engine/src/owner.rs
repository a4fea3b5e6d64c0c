//! Which process holds a lane, and whether it still lives. A dead owner's lane is free at once.

use std::fmt;
use std::str::FromStr;

/// A process, told apart from a later one that was given the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    started: u64,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid).unwrap_or(0) }
    }

    /// Whether the process still runs.
    #[must_use]
    pub fn is_alive(self) -> bool {
        match started(self.pid) {
            Some(started) => started == self.started,
            // No /proc to ask: see whether there is a process of that number at all.
            None => !cfg!(target_os = "linux") && exists(self.pid),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pid, self.started)
    }
}

/// A text that names no owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoOwner;

impl FromStr for Owner {
    type Err = NoOwner;
    fn from_str(text: &str) -> Result<Self, NoOwner> {
        let (pid, started) = text.split_once('.').ok_or(NoOwner)?;
        Ok(Self { pid: pid.parse().map_err(|_| NoOwner)?, started: started.parse().map_err(|_| NoOwner)? })
    }
}

/// When a process started, in the kernel's ticks: the 22nd field of its stat line, counted behind the name, which may
/// hold anything.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let state = fields.split_whitespace().next()?;
    if state == "Z" {
        return None;
    }
    fields.split_whitespace().nth(19)?.parse().ok()
}

fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_alive_until_its_process_ends() {
        let me = Owner::this_process();
        assert!(me.is_alive());
        assert_eq!(me.to_string().parse(), Ok(me));
        assert!(!Owner { started: me.started + 1, ..me }.is_alive());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(!Owner { pid, started: 1 }.is_alive());
        assert_eq!("nobody".parse::<Owner>(), Err(NoOwner));
    }
}
