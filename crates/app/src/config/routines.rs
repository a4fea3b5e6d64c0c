//! Routines: their settings, the routines made from them, and the built-in ones.

use std::num::NonZeroU32;
use std::time::Duration;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::routine::{Kind, QuietPolicy, Schedule};

use super::values::plain::{AgentName, Prose};
use super::values::routine::CommandLine;

/// The built-in routines.
pub const READY: &str = include_str!("routines/ready.toml");

/// `[routines.<routine>]`: the settings of a routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutineSettings {
    pub enabled: bool,
    pub schedule: Option<Schedule>,
    pub kind: Kind,
    pub prompt: Option<Prose>,
    pub command: Option<CommandLine>,
    pub text: Option<Prose>,
    pub decide: Option<Prose>,
    pub chat: Option<ChatId>,
    pub lane: Option<String>,
    pub agent: Option<AgentName>,
    pub late_minutes: u32,
    pub quiet: QuietPolicy,
    pub seconds: NonZeroU32,
}

impl Default for RoutineSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            schedule: None,
            kind: Kind::Prompt,
            prompt: None,
            command: None,
            text: None,
            decide: None,
            chat: None,
            lane: None,
            agent: None,
            late_minutes: 180,
            quiet: QuietPolicy::Wait,
            seconds: const { NonZeroU32::new(60).unwrap() },
        }
    }
}

/// A routine that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Whether the schedule starts the routine. Any routine can be started by hand.
    pub enabled: bool,
    /// The schedule; an enabled routine always has one.
    pub schedule: Option<Schedule>,
    /// The chat that gets the message; the owner's by default.
    pub chat: Option<ChatId>,
    /// The lane of the chat.
    pub lane: Lane,
    /// The agent that writes; the chat's by default.
    pub agent: Option<AgentName>,
    /// A question before the run; if the agent answers NO, the run ends without a message.
    pub decide: Option<String>,
    /// The task.
    pub task: Task,
    /// Maximum delay of a run.
    pub late: SignedDuration,
    /// The policy for runs in quiet hours.
    pub quiet: QuietPolicy,
}

/// A routine's task, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Run an agent with an instruction.
    Prompt(String),
    /// Run a program, and an agent with its output.
    Command {
        /// The program and its arguments, with placeholders for dates.
        words: Vec<String>,
        /// Maximum time for the program.
        limit: Duration,
        /// The instruction for the agent.
        prompt: Option<String>,
    },
    /// Send a fixed text.
    Message(String),
}

/// A conflict in a routine's settings: the last word of a key, and what is wrong with it.
pub type Misfit = (&'static str, String);

impl RoutineSettings {
    /// Validates the settings.
    ///
    /// # Errors
    /// With every misfit.
    pub fn resolve(&self) -> Result<Routine, Vec<Misfit>> {
        let mut misfits = Vec::new();
        if self.enabled && self.schedule.is_none() {
            misfits.push((
                "schedule",
                "is missing; write when the routine runs, such as \"0 7 * * *\"".to_owned(),
            ));
        }
        let lane = self.lane().map_err(|why| misfits.push(("lane", why)));
        let task = self.task().map_err(|misfit| misfits.push(misfit));
        match (lane, task) {
            (Ok(lane), Ok(task)) if misfits.is_empty() => Ok(Routine {
                enabled: self.enabled,
                schedule: self.schedule.clone(),
                chat: self.chat.clone(),
                lane,
                agent: self.agent.clone(),
                decide: text(self.decide.as_ref()),
                task,
                late: SignedDuration::from_mins(i64::from(self.late_minutes)),
                quiet: self.quiet,
            }),
            _ => Err(misfits),
        }
    }

    fn lane(&self) -> Result<Lane, String> {
        let Some(written) = &self.lane else { return Ok(Lane::Root) };
        let chat = self.chat.clone().unwrap_or_else(ChatId::terminal);
        match Lane::parse(written, &chat) {
            Ok(Lane::Reply(_)) => Err("takes root or topic:N, since a routine answers nobody".to_owned()),
            Ok(lane) => Ok(lane),
            Err(why) => Err(format!("takes root or topic:N: {why}")),
        }
    }

    fn task(&self) -> Result<Task, Misfit> {
        let missing = |key, what: &str| {
            (key, format!("is missing; a routine of the kind {} needs {what}", self.kind.as_str()))
        };
        match self.kind {
            Kind::Prompt => {
                let prompt = text(self.prompt.as_ref()).map(Task::Prompt);
                prompt.ok_or_else(|| missing("prompt", "an instruction for the agent"))
            }
            Kind::Command => {
                let command = self.command.as_ref().map(|command| Task::Command {
                    words: command.0.clone(),
                    limit: Duration::from_secs(u64::from(self.seconds.get())),
                    prompt: text(self.prompt.as_ref()),
                });
                let what = "a program and its arguments, such as [\"df\", \"-h\"]";
                command.ok_or_else(|| missing("command", what))
            }
            Kind::Message => {
                let message = text(self.text.as_ref()).map(Task::Message);
                message.ok_or_else(|| missing("text", "the text to send"))
            }
        }
    }
}

fn text(prose: Option<&Prose>) -> Option<String> {
    prose.map(|prose| prose.0.clone())
}

/// Checks the name of a routine, which people read and type.
///
/// # Errors
/// If the name is invalid.
pub fn check_name(name: &str) -> Result<(), String> {
    const LONGEST: usize = 60;
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if name.len() <= LONGEST && name.split('-').all(is_word) {
        return Ok(());
    }
    let shown: String = name.chars().take(40).collect();
    Err(format!("{shown:?} is not a name of lower-case words joined by dashes, such as morning-summary"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::written::Written;
    use super::super::{Environment, Flags, Settings, check, show};
    use super::*;

    /// The settings of a home whose `config.toml` holds `text`, or what is wrong with it.
    fn load(text: &str) -> Result<Settings, Vec<String>> {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), text).unwrap();
        let nothing = Environment::default();
        Settings::load(home.path(), None, &nothing, &Flags::default()).map_err(|error| {
            assert_eq!(check(home.path(), None, &nothing), error.problems);
            let folder = format!("{}/", home.path().display());
            error.problems.iter().map(|problem| problem.to_string().replace(&folder, "")).collect()
        })
    }

    #[test]
    fn k1_the_six_routines_are_ready_and_off() {
        assert_eq!(Written::parse(READY, Path::new("ready.toml")).problems, []);
        let routines = load("").unwrap().routines;
        let ready: Vec<_> = (routines.iter())
            .map(|(name, routine)| {
                let kind = match routine.task {
                    Task::Prompt(_) => "prompt",
                    Task::Command { .. } => "command",
                    Task::Message(_) => "message",
                };
                let agent = routine.agent.as_ref().map_or("", |agent| agent.0.as_str());
                (name.as_str(), routine.schedule.as_ref().unwrap().to_string(), kind, agent)
            })
            .collect();
        let expected = [
            ("aws-daily-cost", "0 8 * * *", "command", "aws-architect"),
            ("morning-summary", "0 7 * * *", "prompt", ""),
            ("night-summary", "0 22 * * *", "prompt", ""),
            ("security-daily-scan", "30 6 * * *", "command", "security-analyst"),
            ("smart-checkin", "*/30 9-19 * * *", "prompt", ""),
            ("weekly-etf", "0 18 * * FRI", "prompt", ""),
        ];
        assert_eq!(ready, expected.map(|(name, at, kind, agent)| (name, at.to_owned(), kind, agent)));
        assert!(routines.values().all(|routine| !routine.enabled && routine.chat.is_none()));
        let asks_first = |(_, routine): &(&String, &Routine)| routine.decide.is_some();
        assert_eq!(
            routines.iter().filter(asks_first).map(|(name, _)| name).collect::<Vec<_>>(),
            ["smart-checkin"]
        );
    }

    #[test]
    fn k1_what_is_written_takes_the_place_of_what_is_ready() {
        let text = "[routines.morning-summary]\nenabled = true\nchat = 'telegram:chat:4711'\nschedule = '30 6 * * *'\n\
                    lane = 'topic:7'\nlate_minutes = 20\nquiet = 'ignore'\nagent = 'coach'\n";
        let (ready, settings) = (load("").unwrap(), load(text).unwrap());
        let mut expected = ready.routines["morning-summary"].clone();
        expected = Routine {
            enabled: true,
            schedule: Some("30 6 * * *".parse().unwrap()),
            chat: Some("telegram:chat:4711".parse().unwrap()),
            lane: Lane::Topic("7".to_owned()),
            agent: Some(AgentName("coach".to_owned())),
            late: SignedDuration::from_mins(20),
            quiet: QuietPolicy::Ignore,
            ..expected
        };
        assert_eq!(settings.routines["morning-summary"], expected);
        assert_eq!(settings.routines["night-summary"], ready.routines["night-summary"]);
        let written: Vec<String> = show(&settings)
            .into_iter()
            .map(|row| row.key)
            .filter(|key| key.starts_with("routines."))
            .collect();
        let keys = ["enabled", "schedule", "chat", "lane", "agent", "late_minutes", "quiet"];
        assert_eq!(written, keys.map(|key| format!("routines.morning-summary.{key}")));
    }

    #[test]
    fn k1_a_routine_of_one_s_own_is_on_as_soon_as_it_is_written() {
        let text = "[routines.tea]\nschedule = '0 16 * * *'\nkind = 'message'\ntext = 'Tea?'\nchat = 'cli:chat:main'";
        let tea = Routine {
            enabled: true,
            schedule: Some("0 16 * * *".parse().unwrap()),
            chat: Some("cli:chat:main".parse().unwrap()),
            lane: Lane::Root,
            agent: None,
            decide: None,
            task: Task::Message("Tea?".to_owned()),
            late: SignedDuration::from_hours(3),
            quiet: QuietPolicy::Wait,
        };
        assert_eq!(load(text).unwrap().routines["tea"], tea);
    }

    #[test]
    fn k1_a_routine_that_lacks_something_is_reported_with_its_line_and_key() {
        let whole = "schedule = '@daily'\nchat = 'cli:chat:main'";
        let cases = [
            (
                format!("{whole}\nenabled = true"),
                "2: `routines.mine.prompt` is missing; a routine of the kind prompt needs an instruction for the agent",
            ),
            (
                format!("{whole}\nkind = 'message'\nprompt = 'x'"),
                "2: `routines.mine.text` is missing; a routine of the kind message needs the text to send",
            ),
            (
                format!("enabled = false\nkind = 'command'\n{whole}"),
                "2: `routines.mine.command` is missing; a routine of the kind command needs a program and its \
                 arguments, such as [\"df\", \"-h\"]",
            ),
            (
                "chat = 'cli:chat:main'\nprompt = 'x'".to_owned(),
                "2: `routines.mine.schedule` is missing; write when the routine runs, such as \"0 7 * * *\"",
            ),
            (
                format!("{whole}\nprompt = 'x'\nlane = 'reply:4'"),
                "5: `routines.mine.lane` takes root or topic:N, since a routine answers nobody",
            ),
            (
                format!("{whole}\nprompt = 'x'\nlane = 'general'"),
                "5: `routines.mine.lane` takes root or topic:N: \"general\" is not a lane: write root, topic:N or \
                 reply:ID",
            ),
            // One mistake, one report: what it leaves missing is not a mistake of its own.
            (
                format!("{whole}\npromt = 'x'"),
                "4: `routines.mine.promt` is not a setting; did you mean `routines.mine.prompt`?",
            ),
            (
                format!("{whole}\nkind = 'mesage'\ntext = 'x'"),
                "4: `routines.mine.kind` cannot be \"mesage\", only one of prompt, command, message; did you mean \
                 `message`?",
            ),
        ];
        for (table, expected) in cases {
            let problems = load(&format!("[routines.mine]\n{table}")).unwrap_err();
            assert_eq!(problems, [format!("config.toml:{expected}")], "{table}");
        }
        let problems = load("[routines.morning-summary]\nenabled = true\n[routines.mine]\nkind = 'message'");
        let places: Vec<String> =
            (problems.unwrap_err().iter()).map(|problem| problem.split(' ').take(2).collect()).collect();
        assert_eq!(places, ["config.toml:4:`routines.mine.schedule`", "config.toml:4:`routines.mine.text`",]);
    }

    #[test]
    fn k1_a_routine_s_name_is_words_joined_by_dashes() {
        for name in ["tea", "morning-summary", "backup-2"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "Tea", "a b", "a_b", "-a", "a-", "a--b", "é", "../x", &"a".repeat(61)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
