//! Decides about a due run: it runs, waits for the end of quiet hours, or is missed.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::quiet::{QuietHours, QuietPolicy};

/// The times of a routine and its person.
#[derive(Debug, Clone, Copy)]
pub struct Timing<'a> {
    /// Maximum delay of a run. Time in quiet hours does not count.
    pub late: SignedDuration,
    /// The person's quiet hours, if any.
    pub quiet: Option<&'a QuietHours>,
    /// How a run in quiet hours is handled.
    pub policy: QuietPolicy,
    /// The person's time zone.
    pub zone: &'a TimeZone,
}

/// The decision about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Run now.
    Run,
    /// Decide again at this time.
    Wait(Timestamp),
    /// Skip it.
    Missed,
}

impl Timing<'_> {
    /// Decides at `now` about the run that was due at `due`.
    #[must_use]
    pub fn decide(&self, due: Timestamp, now: Timestamp) -> Decision {
        if now < due {
            return Decision::Wait(due);
        }
        let quiet = match (self.quiet, self.policy) {
            (None, _) | (_, QuietPolicy::Ignore) => None,
            (Some(quiet), QuietPolicy::Skip) => {
                if quiet.holds(due, self.zone) || quiet.holds(now, self.zone) {
                    return Decision::Missed;
                }
                None
            }
            (Some(quiet), QuietPolicy::Wait) => Some(quiet),
        };
        let Some(quiet) = quiet else {
            return if now.duration_since(due) <= self.late { Decision::Run } else { Decision::Missed };
        };
        if self.too_late(due, now, quiet) {
            Decision::Missed
        } else if quiet.holds(now, self.zone) {
            Decision::Wait(quiet.end_after(now, self.zone))
        } else {
            Decision::Run
        }
    }

    /// Returns true if more time than allowed has passed outside of quiet hours.
    fn too_late(&self, due: Timestamp, now: Timestamp, quiet: &QuietHours) -> bool {
        let (mut at, mut waited) = (due, SignedDuration::ZERO);
        while at < now && waited <= self.late {
            if quiet.holds(at, self.zone) {
                at = quiet.end_after(at, self.zone);
            } else {
                let until = quiet.start_after(at, self.zone).min(now);
                waited += until.duration_since(at);
                at = until;
            }
        }
        waited > self.late
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-02-{text}+01").parse().unwrap()
    }

    #[test]
    fn k1_a_run_is_made_up_for_held_back_or_missed() {
        use QuietPolicy::{Ignore, Skip, Wait};
        let run = Decision::Run;
        let missed = Decision::Missed;
        let wait = |text| Decision::Wait(at(text));
        let cases = [
            // Outside of quiet hours, the policy has no effect.
            (Wait, "18T12:00", "18T12:00", run),
            (Skip, "18T12:00", "18T15:00", run),
            (Ignore, "18T12:00", "18T15:00", run),
            (Wait, "18T12:00", "18T15:00", run),
            (Wait, "18T12:00", "18T15:01", missed),
            (Skip, "18T12:00", "18T15:01", missed),
            (Ignore, "18T12:00", "18T15:01", missed),
            (Wait, "18T12:00", "18T11:00", wait("18T12:00")),
            // Due in quiet hours.
            (Wait, "18T23:00", "18T23:00", wait("19T07:00")),
            (Wait, "18T23:00", "19T06:59", wait("19T07:00")),
            (Wait, "18T23:00", "19T07:00", run),
            (Wait, "18T23:00", "19T10:00", run),
            (Wait, "18T23:00", "19T10:01", missed),
            (Skip, "18T23:00", "18T23:00", missed),
            (Skip, "18T23:00", "19T07:00", missed),
            (Ignore, "18T23:00", "18T23:30", run),
            (Ignore, "18T23:00", "19T07:00", missed),
            // Late, and quiet hours begin: an hour is left for the morning.
            (Wait, "18T20:00", "18T22:30", wait("19T07:00")),
            (Wait, "18T20:00", "19T08:00", run),
            (Wait, "18T20:00", "19T08:01", missed),
            (Skip, "18T20:00", "18T22:30", missed),
            // Too late already when quiet hours begin.
            (Wait, "18T18:00", "18T23:00", missed),
            (Wait, "08T12:00", "18T12:00", missed),
        ];
        let quiet = "22:00-07:00".parse().unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        for (policy, due, now, expected) in cases {
            let late = SignedDuration::from_hours(3);
            let timing = Timing { late, quiet: Some(&quiet), policy, zone: &zone };
            assert_eq!(timing.decide(at(due), at(now)), expected, "{policy:?}: due {due}, now {now}");
        }
    }

    #[test]
    fn k1_without_quiet_hours_only_lateness_counts() {
        let zone = TimeZone::UTC;
        for &policy in QuietPolicy::VARIANTS {
            let timing = Timing { late: SignedDuration::from_mins(1), quiet: None, policy, zone: &zone };
            assert_eq!(timing.decide(at("18T23:00"), at("18T23:01")), Decision::Run);
            assert_eq!(timing.decide(at("18T23:00"), at("18T23:02")), Decision::Missed);
        }
    }
}
