//! README.md, docs/guide.md and docs/privacy.md show what the program prints: each `console` block is run, in order, in a home of its own.
//!
//! `UPDATE_DOCS=1 cargo test -p throughline --test suite docs` writes the real output into the pages. Ids, durations and
//! sizes may differ; a line `…` stands for any number of lines; lines that begin with `›` are typed.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use throughline_domain::context::LAYERS;

use crate::common::pty::Terminal;
use crate::common::{BINARY, Home, Ran};

/// The home folder that the pages show.
const SHOWN_HOME: &str = "/home/ana";
/// What stands before a line that is typed.
const PROMPT: &str = "› ";

/// A command of a page and the output below it.
struct Step {
    command: String,
    typed: Vec<String>,
    shown: Vec<String>,
    /// The page's lines below the command, typed ones included.
    lines: Range<usize>,
}

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join(name)
}

#[expect(clippy::disallowed_methods, reason = "how the person who runs the tests asks for an update")]
pub fn is_update() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

fn steps(page: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for (at, line) in page.iter().enumerate() {
        if line.starts_with("```") {
            is_console = line == "```console";
            continue;
        }
        if !is_console {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            let lines = at + 1..at + 1;
            steps.push(Step { command: command.to_owned(), typed: Vec::new(), shown: Vec::new(), lines });
            continue;
        }
        let step =
            steps.last_mut().unwrap_or_else(|| panic!("line {}: a block begins with a command", at + 1));
        let is_here_document = step.command.contains("<<") && step.lines.is_empty();
        match (line.strip_prefix('>'), line.strip_prefix("› ")) {
            (Some(more), _) if is_here_document => {
                step.command = format!("{}\n{}", step.command, more.strip_prefix(' ').unwrap_or(more));
                step.lines = at + 1..at + 1;
                continue;
            }
            (_, Some(typed)) => step.typed.push(typed.to_owned()),
            _ => step.shown.push(line.clone()),
        }
        step.lines.end = at + 1;
    }
    steps
}

/// Runs each command in a shell of its own, all in one home and with the variables that were set before, and gives
/// the lines that each printed.
fn run(steps: &[Step]) -> Vec<Vec<String>> {
    let home = Home::new();
    let folder = home.beside("ana");
    fs::create_dir(&folder).unwrap();
    let mut before_it = String::new();
    let printed = |step: &Step| {
        if sets_variables(&step.command) {
            before_it = format!("{before_it}{}\n", step.command);
        }
        let printed = if step.typed.is_empty() {
            let mut bash = at_home(&home, &folder, "bash");
            Ran::of(bash.args(["-c", &format!("exec 2>&1 </dev/null\n{before_it}{}", step.command)])).stdout
        } else {
            converse(at_home(&home, &folder, "timeout"), step)
        };
        printed.replace(folder.to_str().unwrap(), SHOWN_HOME).lines().map(str::to_owned).collect()
    };
    steps.iter().map(printed).collect()
}

/// Returns true if a line sets variables for the lines that follow: `export A=b` or `id=…`.
fn sets_variables(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or_default();
    line.starts_with("export ") || name.len() < line.len() && name.chars().all(|c| c.is_ascii_lowercase())
}

/// A program in the folder of the person whom the pages show.
fn at_home(home: &Home, folder: &Path, program: &str) -> Command {
    let programs = Path::new(BINARY).parent().unwrap().display();
    let mut command = home.bare(program);
    command.current_dir(folder).env("PATH", format!("{programs}:/usr/bin:/bin"));
    command.env("HOME", folder).env("NO_COLOR", "1").env_remove("THROUGHLINE_HOME");
    command.env("THROUGHLINE_NOW", "2026-11-16T09:00:00Z").env("USER_TIMEZONE", "Europe/Lisbon");
    command
}

/// Types the lines of a step on a terminal that only prints, and gives what the program answered.
fn converse(mut command: Command, step: &Step) -> String {
    command.env("TERM", "dumb");
    let mut terminal = Terminal::of(command, &step.command);
    let mut printed = terminal.until(PROMPT);
    let (last, others) = step.typed.split_last().unwrap();
    for line in others {
        terminal.press(&format!("{line}\r"));
        printed += &terminal.until(PROMPT);
    }
    terminal.press(&format!("{last}\r"));
    printed += &terminal.ends_well();
    let is_typed = |line: &str| step.typed.iter().any(|typed| line == typed);
    let lines = printed.lines().map(|line| line.trim_start_matches(PROMPT));
    lines.filter(|line| !line.is_empty() && !is_typed(line)).map(|line| format!("{line}\n")).collect()
}

/// Returns true if the lines are shown as they were printed, but for what differs from run to run.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| steady(first) == steady(line) && fits(rest, others)),
    }
}

/// The length of the id that a text begins with, whole or short.
fn id_length(text: &str) -> Option<usize> {
    let length = text.find(|c: char| !c.is_ascii_hexdigit() && c != '-').unwrap_or(text.len());
    let id = &text[..length];
    (id.find('-') == Some(8) && (13..=36).contains(&length)).then_some(length)
}

/// The line without what differs from run to run: ids, durations, sizes of files and disks, and the width of columns.
fn steady(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        if let Some(length) = id_length(rest) {
            out += "ID";
            rest = &rest[length..];
            continue;
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        if digits > 0
            && (out.ends_with("\"took_ms\":") || after.starts_with(" MB") || after.starts_with(" GB free"))
        {
            out += "N";
            rest = after;
        } else if digits > 0 {
            out += number;
            rest = after;
        } else if next == ' ' && out.ends_with("  ") {
            rest = rest.trim_start_matches(' ');
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

/// The lines to show in place of those that do not fit: all that was printed, or the end of it if the page leaves out the
/// beginning.
fn renewed(step: &Step, printed: &[String]) -> Vec<String> {
    match step.shown.split_first() {
        Some((first, rest)) if first == "…" => {
            let anchor = rest.iter().find(|line| !line.is_empty());
            let known =
                printed.iter().position(|line| anchor.is_some_and(|anchor| steady(anchor) == steady(line)));
            let start = known.unwrap_or(printed.len().saturating_sub(rest.len()));
            [std::slice::from_ref(first), &printed[start..]].concat()
        }
        _ if step.typed.is_empty() => printed.to_vec(),
        _ => panic!("write the new output of `{}` into the page by hand: {printed:#?}", step.command),
    }
}

/// The page with the table of layers between its two marks, if it has them.
fn with_layers(page: &str) -> String {
    const MARKS: [&str; 2] = ["<!-- layers -->\n", "<!-- end of layers -->\n"];
    let parts =
        page.split_once(MARKS[0]).and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?.1)));
    let Some((before, after)) = parts else { return page.to_owned() };
    let rows = LAYERS.iter().map(|layer| {
        let [large, small, share] = match layer.cap {
            Some(cap) => [cap.roomy.to_string(), cap.tight.to_string(), format!("{}%", cap.percent)],
            None => ["–", "–", "–"].map(str::to_owned),
        };
        format!("| `{}` | {} | {large} | {small} | {share} |\n", layer.name.as_str(), layer.holds)
    });
    let rows: String = rows.collect();
    let head = "| layer | holds | cap in large presets | in small presets | share of the budget |\n|---|---|---|---|---|\n";
    format!("{before}{}{head}{rows}{}{after}", MARKS[0], MARKS[1])
}

fn check(name: &str) {
    let path = page(name);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let steps = steps(&lines);
    let outputs = run(&steps);
    assert!(steps.len() > 5, "{name} shows only {} commands", steps.len());
    let wrong: Vec<_> =
        steps.iter().zip(&outputs).filter(|(step, printed)| !fits(&step.shown, printed)).collect();
    if is_update() {
        for (step, printed) in wrong.iter().rev() {
            lines.splice(step.lines.clone(), renewed(step, printed));
        }
        fs::write(&path, with_layers(&(lines.join("\n") + "\n"))).unwrap();
        return;
    }
    if let Some((step, printed)) = wrong.first() {
        panic!(
            "{name}:{}: `{}` prints something else; UPDATE_DOCS=1 writes it into the page:\n{}",
            step.lines.start,
            step.command,
            printed.join("\n")
        );
    }
    assert!(text == with_layers(&text), "{name} has another table of layers; UPDATE_DOCS=1 writes it");
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    check("README.md");
}

#[test]
fn the_guide_shows_what_the_program_prints() {
    check("docs/guide.md");
}

#[test]
fn the_page_on_privacy_shows_what_the_program_prints() {
    check("docs/privacy.md");
}

#[test]
fn the_recording_shows_what_the_program_says() {
    let read = |name: &str| fs::read_to_string(page("docs/recording").join(name)).unwrap();
    let svg = read("restart-and-recall.svg");
    let last = svg.rsplit("<g ").next().unwrap();
    let texts = last.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text);
    let shown = texts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let shown = shown.replace("&#x27;", "'").replace("&quot;", "\"").replace("&amp;", "&");
    let home = Home::new();
    let mut day = 15;
    for step in read("steps.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some(typed) = step.strip_prefix(PROMPT) else {
            day += 1;
            continue;
        };
        assert!(shown.contains(step), "the recording lacks {step:?}: {shown}");
        if typed != "/quit" {
            let said = home.ok(&["--now", &format!("2026-11-{day}T09:00:00Z"), "chat", "-m", typed]);
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                shown.contains(&said),
                "docs/recording/record.py records it again; now {said:?}: {shown}"
            );
        }
    }
}

#[test]
fn a_page_is_wrong_when_a_line_is_missing_changed_or_added() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = lines("a 01a1e399-2815-7732-a3f7-7edf42662926\n\"took_ms\":1.5,\n44.2 GB free\nend");
    for shown in [
        "a 01a1e399-283a-71f7-a685-b5d88ffff399\n\"took_ms\":20,\n1 GB free\nend",
        "…\nend",
        "a 01a1e399-283a-71f7-a685-b5d88ffff399\n…\nend",
        "…",
    ] {
        assert!(fits(&lines(shown), &printed), "{shown}");
    }
    for shown in ["", "end", "…\n44.2 GB free", "…\nend\nmore", "a\n…\nend", "…\nEnd", "…\n44.2 GB used\nend"]
    {
        assert!(!fits(&lines(shown), &printed), "{shown}");
    }
}
