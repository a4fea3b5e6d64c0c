//! Feeds mutated samples of up to a megabyte to all readers of foreign text: none panics, and no input takes a second
//! of CPU time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::Reader;
use super::steps::REPEATS;
use crate::imports::broken::{Dice, SAMPLES};

const LARGEST: usize = 1 << 20;
/// Maximum CPU time for one input. A build without optimization is several times slower.
const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });

/// Samples other than imports: settings, streams, bodies, updates, lines, Markdown and prose.
const OTHERS: &[&str] = &[
    include_str!("../../../models/tests/recorded/openai.txt"),
    include_str!("../../../models/tests/recorded/anthropic.txt"),
    include_str!("../../../models/tests/recorded/ollama.txt"),
    include_str!("../../../models/tests/recorded/claude-2.1.197-tools.txt"),
    include_str!("samples/config.toml"),
    include_str!("samples/documents.jsonl"),
    include_str!("samples/talk.md"),
];

/// The CPU time of this thread.
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// An environment variable of the person who runs the test.
#[expect(clippy::disallowed_methods, reason = "how the person who runs the test says what to run")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// An input: a mutated sample, a line of one, a repeat, or a sample with a piece repeated many times.
fn input(dice: &mut Dice, largest: usize) -> String {
    let samples = SAMPLES.len() + OTHERS.len();
    let at = dice.below(samples + 1);
    let sample =
        SAMPLES.get(at).map(|(_, sample, _)| *sample).or_else(|| OTHERS.get(at - SAMPLES.len()).copied());
    let mut text = sample.map_or_else(|| dice.pick(REPEATS).repeat(1 + dice.below(60)), str::to_owned);
    if dice.below(2) == 0 {
        let lines: Vec<&str> = text.lines().collect();
        text = lines.get(dice.below(lines.len())).unwrap_or(&"").to_string();
    }
    let mut bytes = if dice.below(8) == 0 { text.into_bytes() } else { dice.mutated(text.as_bytes()) };
    if dice.below(4) == 0 {
        let from = dice.below(bytes.len() + 1);
        let to = (from + 1 + dice.below(60)).min(bytes.len());
        let piece = match dice.below(2) {
            0 => bytes.get(from..to).unwrap().to_vec(),
            _ => dice.pick(REPEATS).as_bytes().to_vec(),
        };
        let room = (largest >> dice.below(9)).saturating_sub(bytes.len());
        let blown = piece.repeat(room / piece.len().max(1));
        drop(bytes.splice(from..from, blown));
    }
    bytes.truncate(largest);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads inputs until `time` of CPU time has passed or `most` inputs were read. An input that panics or takes too long is
/// saved, and named with its reader; the others are read all the same.
fn fuzz(seed: u64, most: u64, largest: usize, time: Duration) -> (u64, Vec<String>) {
    let only = variable("HOSTILE_READER");
    let readers: Vec<Reader> =
        super::readers().filter(|(name, _)| only.as_ref().is_none_or(|only| only == name)).collect();
    let mut dice = Dice::new(seed);
    let (mut executions, mut findings) = (0, Vec::new());
    let began = cpu_time();
    while executions < most && cpu_time() - began <= time {
        let (name, read) = *dice.pick(&readers);
        let text = input(&mut dice, largest);
        let start = cpu_time();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&text)));
        let took = cpu_time() - start;
        if outcome.is_err() || took > LONGEST {
            let kept = std::env::temp_dir().join(format!("hostile-{seed}-{executions}.txt"));
            let _ = std::fs::write(&kept, &text);
            let what = if outcome.is_err() { "panics".to_owned() } else { format!("takes {took:?}") };
            let finding = format!("{name} {what} on {} bytes, kept as {}", text.len(), kept.display());
            eprintln!("{finding}");
            findings.push(finding);
        }
        executions += 1;
    }
    (executions, findings)
}

/// Reads files that a long run has kept, `HOSTILE_FILES` with spaces between them, and prints the CPU time of each.
/// `HOSTILE_READER` names the only one to read.
#[test]
#[ignore = "reads what a long run has kept; docs/security.md tells how to run it"]
fn kept_input_is_read_again() {
    let only = variable("HOSTILE_READER");
    let files = variable("HOSTILE_FILES").unwrap_or_default();
    let mut slow = Vec::new();
    for file in files.split_whitespace() {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        for (name, read) in super::readers() {
            if only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            // A first read builds lazy tables.
            read("My sister Marta moved to Lisbon on 3 May; her password is hunter2.");
            let start = cpu_time();
            read(&text);
            let took = cpu_time() - start;
            eprintln!("{took:?} {name} {file}");
            slow.extend((took > LONGEST).then_some((name, file)));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn c6_mutated_input_is_read_without_a_panic() {
    assert_eq!(fuzz(11, 4_000, 8 << 10, Duration::MAX), (4_000, Vec::new()));
}

/// The same with inputs of up to a megabyte, for `HOSTILE_SECONDS` of the thread's time, ten minutes if that is not set,
/// from `HOSTILE_SEED`, or a seed that the clock gives. `HOSTILE_READER` names the only one to read.
#[test]
#[ignore = "runs for ten minutes; docs/security.md tells how to run it"]
fn mutated_input_is_read_for_a_long_time() {
    let number = |name| variable(name).and_then(|text| text.parse::<u64>().ok());
    let clock = || std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_micros() as u64);
    let seed = number("HOSTILE_SEED").unwrap_or_else(clock);
    let seconds = number("HOSTILE_SECONDS").unwrap_or(600);
    let (executions, findings) = fuzz(seed, u64::MAX, LARGEST, Duration::from_secs(seconds));
    eprintln!("seed {seed}: {executions} inputs, {findings:#?}");
    assert!(executions > 0 && findings.is_empty(), "seed {seed}");
}
