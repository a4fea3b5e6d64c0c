//! Counts the machine instructions of every reader on repeats of up to a megabyte: four times the text may cost little
//! more than four times the steps. Callgrind counts them, because times would depend on the machine's load.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Reader;
use super::fuzz::variable;

const SIZES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];
/// Maximum ratio of the steps for a text of four times the length. Sorting needs 4.5.
const MOST: f64 = 5.0;
/// Time limit of a count, after which the reader fails.
const PATIENCE: Duration = Duration::from_secs(100);
/// A reader that must fail, which proves that the test measures something.
const QUADRATIC: Reader = ("a quadratic rule", |text| {
    let ends = (0..text.len()).step_by(16 << 10).filter_map(|at| text.get(text.ceil_char_boundary(at)..));
    std::hint::black_box(ends.filter(|rest| rest.contains("\u{10ffff}")).count());
});

/// Pieces of text whose repetition makes rules backtrack.
pub const REPEATS: &[&str] = &[
    "a",
    " ",
    "\n",
    "\t ",
    "7",
    ",",
    ".",
    "?",
    "!",
    ":",
    ";",
    "-",
    "/",
    "\\",
    "@",
    "#",
    "'",
    "\"",
    "<",
    ">",
    "[",
    "(",
    ")",
    "]",
    "{",
    "`",
    "*",
    "_",
    "|",
    "~",
    "$",
    "%",
    "=",
    "“",
    "\u{0}",
    "\r",
    "\u{1b}[",
    "\u{301}",
    "\u{200b}",
    "日",
    "日本語。",
    "🛥",
    "👩‍👩‍👧‍👦",
    "🇫🇷",
    "ß",
    "İ",
    "a://b:",
    "https://example.org/a?b=c ",
    "password ",
    "password=",
    "the password for ",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----\n",
    "sk-ant-",
    "eyJhbGciOiJI",
    "QUJDREVGRw",
    "[redacted:",
    "4111 1111 ",
    "DE89 3704 ",
    "Bob: ",
    "> ",
    "* ",
    "- [ ] ",
    "1. ",
    "# ",
    "```\n",
    "**a",
    "[a](",
    "![",
    "| a ",
    "|-",
    "<b>",
    "</",
    "&amp;",
    "{\"a\":",
    "[1,",
    "\"a\",",
    "\\u00",
    "data: ",
    "data: {}\n\n",
    "I live in X and ",
    "my name is ",
    "I like tea. ",
    "I do not ",
    "on 3 May ",
    "next monday ",
    "two weeks ago ",
    "12:30 ",
    "1,",
    "2026-02-18",
    "Dr. ",
    "e.g. ",
    "a.b",
    "it's ",
    "Is it? ",
    "No. ",
    "/forget ",
    "[remember: ",
    "[memory",
    "你住在",
    "私は",
    "ana / ",
    "a b c d e f ",
    "[a]\nb = \"c\"\n",
    "a.b.c=",
    "[[a]]\n",
    "{\"a\": 1}\nI sail.\n",
];

/// A text whose sentences are all different, so that none is known when it comes.
const DIFFERENT: &str = "different sentences";

fn different(size: usize) -> String {
    let mut text = String::with_capacity(size + 100);
    for number in 0_u64.. {
        let word = |salt: u64| -> String {
            let mut left = (number + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let letters = std::iter::from_fn(|| {
                left /= 26;
                (left > 1 << 32).then_some(char::from(b'a' + (left % 26) as u8))
            });
            letters.collect()
        };
        if text.len() >= size {
            break;
        }
        text.push_str(&format!("We moved the {} from {} to {}.\n", word(1), word(7), word(9)));
    }
    text
}

#[test]
#[ignore = "counts under valgrind for half an hour; docs/security.md tells how to run it"]
fn c6_four_times_the_text_costs_four_times_the_steps() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let status = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg("--toggle-collect=throughline::hostile::steps::counted*")
        .arg("--dump-after=throughline::hostile::steps::counted*")
        .arg(format!("--callgrind-out-file={}", folder.path().join("steps").display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "hostile::steps::every_reader_on_every_repeat", "--ignored", "--nocapture"])
        .env("HOSTILE_RUNS", &runs)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("valgrind, which counts the steps, is not installed");
    let runs = fs::read_to_string(&runs).unwrap();
    assert!(status.success(), "a reader failed: the last run was {:?}", runs.lines().last());
    let mut dump = 0;
    let mut steps = || {
        dump += 1;
        let dump = fs::read_to_string(folder.path().join(format!("steps.{dump}"))).unwrap();
        let totals = dump.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
        totals.trim().parse::<f64>().unwrap()
    };
    let (mut steep, mut caught) = (Vec::new(), false);
    let mut before: Option<(&str, f64)> = None;
    for run in runs.lines() {
        let (case, size) = run.rsplit_once('\t').unwrap();
        let taken = steps();
        let times = before.filter(|(other, _)| *other == case).map_or(1.0, |(_, fewer)| taken / fewer);
        before = Some((case, taken));
        if times > MOST || size == "too long" {
            match case.starts_with(QUADRATIC.0) {
                true => caught = true,
                false => steep.push(format!("{case} {size}: {times:.1} times the steps, {taken}")),
            }
        }
    }
    assert!(caught, "the count does not show a rule that is quadratic");
    assert!(steep.is_empty(), "not linear:\n{}", steep.join("\n"));
}

/// Reads every repeat in every size, and records each run in the order of callgrind's counts.
#[test]
#[ignore = "is run by the test above, under callgrind"]
fn every_reader_on_every_repeat() {
    use std::io::Write;
    let mut runs = fs::File::create(variable("HOSTILE_RUNS").expect("it is run by another test")).unwrap();
    let only = variable("HOSTILE_READER");
    for (name, read) in super::readers().chain([QUADRATIC]) {
        if name != QUADRATIC.0 && only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        // A first read builds lazy tables, which should not be counted.
        read("My sister Marta moved to Lisbon on 3 May; her password is hunter2.");
        let repeats = if name == QUADRATIC.0 { &["a"] } else { REPEATS };
        for repeat in repeats.iter().chain(&[DIFFERENT]) {
            for size in SIZES {
                let text = match *repeat {
                    DIFFERENT => different(size),
                    repeat => repeat.repeat(size.div_ceil(repeat.len())),
                };
                let began = Instant::now();
                counted(&mut || read(&text));
                let is_over = began.elapsed() > PATIENCE;
                let size = if is_over { "too long".to_owned() } else { size.to_string() };
                writeln!(runs, "{name} on {repeat:?}\t{size}").unwrap();
                if is_over {
                    break;
                }
            }
        }
    }
}

/// The function whose instructions callgrind counts and dumps.
#[inline(never)]
fn counted(run: &mut dyn FnMut()) {
    run();
    std::hint::black_box(&run);
}
