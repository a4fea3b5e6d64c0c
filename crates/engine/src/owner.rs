//! Identifies the process that holds a lane, a job or an item, and decides whether another may take it over: at once
//! if the holder is known to have ended, otherwise when its lease expires.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use throughline_store::holder::Holder;

/// A process. It differs from a later process with the same number, and from processes of other machines, boots and
/// containers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    started: u64,
    /// The scope in which process numbers are unique; `None` if unknown.
    place: Option<String>,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid).unwrap_or(0), place: place() }
    }

    /// Returns true if this process may take over what another holds.
    #[must_use]
    pub fn may_take_over_from(&self, holder: &Holder, now: Timestamp) -> bool {
        let Ok(other) = holder.owner.parse::<Self>() else { return holder.leased_to <= now };
        may_take_over(&other, self.place.as_deref(), other.is_running(), holder.leased_to, now)
    }

    /// Returns true if the other process is known to have ended.
    #[must_use]
    pub fn sees_ended(&self, other: &Self) -> bool {
        may_take_over(other, self.place.as_deref(), other.is_running(), Timestamp::MAX, Timestamp::MIN)
    }

    /// Returns true if a process with this number and start time is running here.
    fn is_running(&self) -> bool {
        match started(self.pid) {
            Some(started) => started == self.started,
            // Without /proc, check only whether a process with that number exists.
            None => !cfg!(target_os = "linux") && exists(self.pid),
        }
    }
}

/// Returns true if another process may take over. Only a process in the same scope can know that the holder has
/// ended; all others wait for its lease, which a living process renews.
fn may_take_over(
    holder: &Owner,
    here: Option<&str>,
    is_running_here: bool,
    leased_to: Timestamp,
    now: Timestamp,
) -> bool {
    let shares_place = here.is_some() && holder.place.as_deref() == here;
    (shares_place && !is_running_here) || leased_to <= now
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pid, self.started)?;
        match &self.place {
            Some(place) => write!(f, "@{place}"),
            None => Ok(()),
        }
    }
}

/// The text is not an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoOwner;

impl FromStr for Owner {
    type Err = NoOwner;
    fn from_str(text: &str) -> Result<Self, NoOwner> {
        let (process, place) = match text.split_once('@') {
            Some((process, place)) => (process, Some(place.to_owned())),
            None => (text, None),
        };
        let (pid, started) = process.split_once('.').ok_or(NoOwner)?;
        let (pid, started) = (pid.parse().map_err(|_| NoOwner)?, started.parse().map_err(|_| NoOwner)?);
        Ok(Self { pid, started, place })
    }
}

/// The scope of this process: the machine, its boot, and the PID namespace, since two containers on one kernel reuse
/// process numbers.
#[cfg(target_os = "linux")]
fn place() -> Option<String> {
    let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let machine = read("/etc/machine-id").filter(|id| !id.is_empty());
    let machine = machine.or_else(|| read("/proc/sys/kernel/hostname")).unwrap_or_default();
    let boot = read("/proc/sys/kernel/random/boot_id")?;
    let numbers = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{machine}/{boot}/{}", numbers.display()))
}

/// The scope of this process: the machine. Its process numbers can be checked across boots.
#[cfg(not(target_os = "linux"))]
fn place() -> Option<String> {
    Some(rustix::system::uname().nodename().to_string_lossy().into_owned())
}

/// The start time of a process, in kernel ticks: field 22 of its stat line, counted after the name, which may contain
/// anything.
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
    fn only_who_shares_machine_boot_and_container_judges_a_process_and_all_others_wait_for_its_lease() {
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let second = jiff::SignedDuration::from_secs(1);
        let (within, over) = (now + second, now - second);
        let here = "machine/boot/pid:[1]";
        let cases = [
            ("the same place, alive", Some(here), true, within, false),
            ("the same place, alive, but its lease ran out", Some(here), true, over, true),
            ("the same place, dead", Some(here), false, within, true),
            ("the same machine, another boot", Some("machine/before/pid:[1]"), false, within, false),
            ("the same machine, another boot, later", Some("machine/before/pid:[1]"), false, over, true),
            ("another container", Some("machine/boot/pid:[2]"), false, within, false),
            ("another container, later", Some("machine/boot/pid:[2]"), false, over, true),
            ("another machine", Some("other/boot/pid:[1]"), false, within, false),
            ("another machine, where the number runs here", Some("other/boot/pid:[1]"), true, over, true),
            ("another machine, at the end of its lease", Some("other/boot/pid:[1]"), true, now, true),
            ("an unknown place", None, false, within, false),
            ("an unknown place, later", None, false, over, true),
        ];
        for (case, place, is_running_here, leased_to, expected) in cases {
            let holder = Owner { pid: 1, started: 2, place: place.map(str::to_owned) };
            assert_eq!(
                may_take_over(&holder, Some(here), is_running_here, leased_to, now),
                expected,
                "{case}"
            );
            let nowhere = may_take_over(&holder, None, is_running_here, leased_to, now);
            assert_eq!(nowhere, leased_to <= now, "who does not know its own place judges nobody: {case}");
        }
    }

    #[test]
    fn a_process_is_running_until_it_ends() {
        let me = Owner::this_process();
        assert!(me.is_running() && !me.sees_ended(&me));
        assert_eq!(me.to_string().parse(), Ok(me.clone()));
        let later = Owner { started: me.started + 1, ..me.clone() };
        assert!(me.sees_ended(&later), "another process of that number");
        assert!(!me.sees_ended(&Owner { place: Some("elsewhere".to_owned()), ..later }));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(me.sees_ended(&Owner { pid, started: 1, ..me.clone() }));
        assert_eq!("nobody".parse::<Owner>(), Err(NoOwner));
    }

    #[test]
    fn who_names_no_process_holds_what_it_holds_until_its_lease_has_run_out() {
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let holds = |owner: &str, leased_to| {
            let holder = Holder { owner: owner.to_owned(), leased_to };
            !Owner::this_process().may_take_over_from(&holder, now)
        };
        for owner in ["nobody", "4194999.1"] {
            assert!(holds(owner, Timestamp::MAX) && !holds(owner, now), "{owner}");
        }
    }
}
