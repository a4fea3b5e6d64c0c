//! Settings that are needed before `config.toml` is read: the home and the clock.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::env::{CLAUDE_CONFIG_DIR, Environment, HOME, THROUGHLINE_HOME, THROUGHLINE_NOW};
use super::problem::{Problem, Source};

/// The folder of config and data: `--home`, else `THROUGHLINE_HOME`, else `~/.throughline`.
pub fn home(flag: Option<&Path>, environment: &Environment) -> Result<PathBuf, Problem> {
    if let Some(named) = flag.or(environment.raw(THROUGHLINE_HOME).map(Path::new)) {
        return Ok(named.to_owned());
    }
    let person = environment.raw(HOME).ok_or_else(|| {
        let why = "is not set, so there is no ~/.throughline; name a folder with --home or THROUGHLINE_HOME";
        Problem::with_place(Source::Variable(HOME), why)
    })?;
    Ok(Path::new(person).join(".throughline"))
}

/// The files and folders of Claude Code.
#[derive(Debug, PartialEq, Eq)]
pub struct ClaudeFolders {
    /// The file of its settings.
    pub settings: PathBuf,
    /// The file of the person's MCP servers.
    pub servers: PathBuf,
    /// The folder of the transcripts.
    pub projects: PathBuf,
}

/// Finds the files of Claude Code: in `CLAUDE_CONFIG_DIR`, or else in `~/.claude`, with the servers next to it.
pub fn claude_folders(environment: &Environment) -> Result<ClaudeFolders, Problem> {
    let (folder, beside) = match (environment.raw(CLAUDE_CONFIG_DIR), environment.raw(HOME)) {
        (Some(named), _) => (PathBuf::from(named), PathBuf::from(named)),
        (None, Some(person)) => (Path::new(person).join(".claude"), PathBuf::from(person)),
        (None, None) => {
            let why =
                "is not set, so there is no ~/.claude; name Claude Code's folder with CLAUDE_CONFIG_DIR";
            return Err(Problem::with_place(Source::Variable(HOME), why));
        }
    };
    Ok(ClaudeFolders {
        settings: folder.join("settings.json"),
        servers: beside.join(".claude.json"),
        projects: folder.join("projects"),
    })
}

/// The time at which the clock is fixed: `--now`, or else `THROUGHLINE_NOW`; `None` if the clock runs.
pub fn now(flag: Option<&str>, environment: &Environment) -> Result<Option<Timestamp>, Problem> {
    let (text, source) = match flag {
        Some(text) => (text, Source::Flag("--now")),
        None => match environment.text(THROUGHLINE_NOW)? {
            Some(text) => (text, Source::Variable(THROUGHLINE_NOW)),
            None => return Ok(None),
        },
    };
    let why = "takes a moment with its offset, such as 2026-02-18T07:02:00Z or 2026-02-18T08:02:00+01:00";
    text.trim().parse().map(Some).map_err(|_| Problem::with_place(source, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that are set.
    type Set<'a> = &'a [(&'a str, &'a str)];

    #[test]
    fn the_home_is_the_flag_s_then_the_variable_s_then_the_person_s() {
        let ours = ("THROUGHLINE_HOME", "/srv/t");
        let person = ("HOME", "/home/ana");
        let cases: [(Option<&str>, Set, &str); 5] = [
            (Some("/flag"), &[ours, person], "/flag"),
            (None, &[ours, person], "/srv/t"),
            (None, &[ours], "/srv/t"),
            (None, &[person], "/home/ana/.throughline"),
            (None, &[("THROUGHLINE_HOME", ""), person], "/home/ana/.throughline"),
        ];
        for (flag, set, expected) in cases {
            assert_eq!(home(flag.map(Path::new), &Environment::of(set)), Ok(PathBuf::from(expected)));
        }
    }

    #[test]
    fn no_home_at_all_says_what_to_do() {
        for set in [&[][..], &[("HOME", "")]] {
            let problem = home(None, &Environment::of(set)).unwrap_err().to_string();
            assert!(
                problem.starts_with("HOME: is not set") && problem.ends_with("--home or THROUGHLINE_HOME"),
                "{problem}"
            );
        }
    }

    #[test]
    fn the_clock_stands_where_the_flag_or_the_variable_says() {
        let moment = |text: &str| Ok(Some(text.parse::<Timestamp>().unwrap()));
        let variable = Environment::of(&[("THROUGHLINE_NOW", "2026-02-18T08:02:00+01:00")]);
        assert_eq!(now(None, &variable), moment("2026-02-18T07:02:00Z"));
        assert_eq!(now(Some("2027-01-01T00:00:00Z"), &variable), moment("2027-01-01T00:00:00Z"));
        assert_eq!(now(None, &Environment::of(&[])), Ok(None));
    }

    #[test]
    fn a_moment_without_an_offset_is_refused_with_an_example() {
        for text in ["2026-02-18", "2026-02-18T07:02:00", "yesterday", " "] {
            let problem = now(Some(text), &Environment::of(&[])).unwrap_err().to_string();
            assert!(problem.starts_with("--now: takes a moment") && problem.contains("+01:00"), "{problem}");
        }
    }
}
