//! Reads the settings: defaults, then the file, then the environment, then flags. Finds every problem, not only the first.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::env::Environment;
use super::keys::{KEYS, Key};
use super::problem::{ConfigError, Problem, Source};
use super::routines::READY;
use super::settings::Settings;
use super::show::SettingRow;
use super::values::{Given, Raw};
use super::written::Written;

/// Settings from the command line.
#[derive(Debug, Clone, Default)]
pub struct Flags(Vec<(&'static str, String)>);

impl Flags {
    /// Adds a flag, by its name in `keys`, if it was given.
    #[must_use]
    pub fn with(mut self, flag: &'static str, value: Option<String>) -> Self {
        self.0.extend(value.map(|value| (flag, value)));
        self
    }
}

/// The config file: the one that the person named, else `config.toml` in the home.
#[must_use]
pub fn config_file(home: &Path, config_flag: Option<&Path>) -> PathBuf {
    config_flag.map_or_else(|| home.join("config.toml"), Path::to_owned)
}

impl Settings {
    /// The settings of this run. Only a file that the person named must exist.
    ///
    /// # Errors
    /// With all problems, so that a person can fix them in one go.
    pub fn load(
        home: &Path,
        config_flag: Option<&Path>,
        environment: &Environment,
        flags: &Flags,
    ) -> Result<Self, ConfigError> {
        let mut draft = Draft::new(Self::defaults(home, TimeZone::system()));
        draft.apply_ready_routines();
        draft.apply_file(&config_file(home, config_flag), config_flag.is_some());
        draft.resolve_routines();
        draft.apply_environment(environment);
        draft.apply_flags(flags);
        draft.check_transcription();
        draft.finish()
    }
}

/// All problems that [`Settings::load`] would report.
#[must_use]
pub fn check(home: &Path, config_flag: Option<&Path>, environment: &Environment) -> Vec<Problem> {
    match Settings::load(home, config_flag, environment, &Flags::default()) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems,
    }
}

/// Settings that are being read: the values so far, their sources, and problems.
struct Draft {
    settings: Settings,
    sources: BTreeMap<(&'static str, String), Source>,
    problems: Vec<Problem>,
}

impl Draft {
    fn new(settings: Settings) -> Self {
        Self { settings, sources: BTreeMap::new(), problems: Vec::new() }
    }

    /// Adds the built-in routines, which the file may change.
    fn apply_ready_routines(&mut self) {
        let folder = Path::new("");
        for entry in Written::parse(READY, folder).entries {
            self.apply(entry.key, entry.name, Given { raw: &entry.raw, folder }, Source::Default);
        }
    }

    fn apply_file(&mut self, path: &Path, must_exist: bool) {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => return,
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::NotFound => {
                        "there is no such file; name another with --config, or leave it out".to_owned()
                    }
                    ErrorKind::InvalidData => "the file is not UTF-8 text; save it as UTF-8".to_owned(),
                    _ => format!("the file cannot be read: {error}"),
                };
                self.problems.push(Problem::with_place(Source::File(path.to_owned(), None), why));
                return;
            }
        };
        let written = Written::parse(&text, path);
        self.problems.extend(written.problems);
        let folder = path.parent().unwrap_or(Path::new(""));
        for entry in written.entries {
            let source = Source::File(path.to_owned(), Some(entry.line));
            self.apply(entry.key, entry.name, Given { raw: &entry.raw, folder }, source);
        }
        self.problems.sort_by_key(|problem| problem.source.line());
    }

    fn resolve_routines(&mut self) {
        for (name, written) in &self.settings.routine_settings {
            let misfits = match written.resolve() {
                Ok(routine) => {
                    self.settings.routines.insert(name.clone(), routine);
                    continue;
                }
                Err(misfits) => misfits,
            };
            let table = format!("routines.{name}.");
            let is_of_this =
                |problem: &Problem| problem.key.as_ref().is_some_and(|key| key.starts_with(&table));
            // A key that could not be read is missing here, but its problem was reported already.
            if self.problems.iter().any(is_of_this) {
                continue;
            }
            for (word, why) in misfits {
                let source = self.source_of(name, word);
                self.problems.push(Problem::with_key(source, format!("{table}{word}"), why));
            }
        }
        self.problems.sort_by_key(|problem| problem.source.line());
    }

    /// Checks that not both a program and a server transcribe, and that a program gets the name of its input file.
    fn check_transcription(&mut self) {
        let transcription = &self.settings.transcription;
        let Some(command) = &transcription.command else { return };
        let key = "transcription.command";
        let why = if transcription.url.is_some() {
            "and `transcription.url` exclude each other; remove one of them"
        } else if command.0.iter().skip(1).all(|word| !word.contains("{file}")) {
            "must name the file among the arguments, such as [\"whisper\", \"{file}\"]"
        } else {
            return;
        };
        let source = self.sources.get(&(key, String::new())).cloned().unwrap_or(Source::Default);
        self.problems.push(Problem::with_key(source, key, why));
        self.problems.sort_by_key(|problem| problem.source.line());
    }

    /// The source of a routine's key, or else of the routine's first line.
    fn source_of(&self, routine: &str, word: &str) -> Source {
        let written = |source: &&Source| **source != Source::Default;
        let key = format!("routines.<routine>.{word}");
        let own = self.sources.get(&(key.as_str(), routine.to_owned())).filter(written);
        let of_routine =
            self.sources.iter().filter(|((key, name), _)| key.starts_with("routines.") && name == routine);
        let first = of_routine.map(|(_, source)| source).filter(written).min_by_key(|source| source.line());
        own.or(first).cloned().unwrap_or(Source::Default)
    }

    fn apply_environment(&mut self, environment: &Environment) {
        for key in KEYS.iter() {
            let Some(name) = key.variable else { continue };
            match environment.text(name) {
                Ok(Some(text)) => self.apply_words(key, text, Source::Variable(name)),
                Ok(None) => {}
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    fn apply_flags(&mut self, flags: &Flags) {
        for (flag, text) in &flags.0 {
            match KEYS.iter().find(|key| key.flag == Some(*flag)) {
                Some(key) => self.apply_words(key, text, Source::Flag(flag)),
                None => {
                    self.problems.push(Problem::with_place(Source::Flag(flag), "sets no key of config.toml"))
                }
            }
        }
    }

    fn apply_words(&mut self, key: &'static Key, text: &str, source: Source) {
        let raw = Raw::Words(text.to_owned());
        self.apply(key, String::new(), Given { raw: &raw, folder: Path::new("") }, source);
    }

    fn apply(&mut self, key: &'static Key, name: String, given: Given<'_>, source: Source) {
        match key.field(&mut self.settings, &name).and_then(|field| field.set(given)) {
            Ok(()) => {
                self.sources.insert((key.path, name), source);
            }
            Err(why) => self.problems.push(Problem::with_key(source, key.path_of(&name), why)),
        }
    }

    fn finish(mut self) -> Result<Settings, ConfigError> {
        if !self.problems.is_empty() {
            return Err(ConfigError { problems: self.problems });
        }
        for key in KEYS.iter() {
            for name in key.names(&self.settings) {
                let source = self.sources.remove(&(key.path, name.clone())).unwrap_or(Source::Default);
                // For presets, chats and routines, only explicit settings are listed, because the defaults are many or
                // unknown here.
                if source == Source::Default && !name.is_empty() {
                    continue;
                }
                let Ok(field) = key.field(&mut self.settings, &name) else { continue };
                let value = field.shown();
                self.settings.shown.push(SettingRow { key: key.path_of(&name), value, source });
            }
        }
        Ok(self.settings)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use serde_json::{Value as Json, json};
    use tempfile::TempDir;

    use super::super::env::variables;
    use super::super::problem::verdict;
    use super::super::show::{document, show, table};
    use super::super::values::address::DatabaseUrl;
    use super::*;

    /// The variables that are set.
    type Set<'a> = &'a [(&'a str, &'a str)];

    /// A home whose `config.toml` holds `text`.
    fn home(text: &str) -> TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), text).unwrap();
        home
    }

    fn load(text: &str, set: Set<'_>, flags: &Flags) -> Settings {
        Settings::load(home(text).path(), None, &Environment::of(set), flags).unwrap()
    }

    /// What is wrong, with the file's path cut down to its name.
    fn problems(text: &str, set: Set<'_>) -> Vec<String> {
        let home = home(text);
        let folder = format!("{}/", home.path().display());
        let problems = check(home.path(), None, &Environment::of(set));
        problems.iter().map(|problem| problem.to_string().replace(&folder, "")).collect()
    }

    fn shown(settings: &Settings, key: &str) -> (Json, String) {
        let row = show(settings).into_iter().find(|row| row.key == key).unwrap();
        (row.value, row.source.to_string())
    }

    #[test]
    fn a_transcription_is_by_a_program_that_is_told_the_file_or_by_a_server() {
        let command = "command = ['whisper', '{file}']";
        let url = "url = 'http://127.0.0.1:8000/v1/audio/transcriptions'";
        let cases = [
            (command.to_owned(), None),
            (url.to_owned(), None),
            (
                format!("{command}\n{url}"),
                Some("`transcription.command` and `transcription.url` exclude each other"),
            ),
            ("command = ['whisper']".to_owned(), Some("`transcription.command` must name the file")),
            ("command = 'whisper'".to_owned(), Some("`transcription.command` takes a list of words")),
        ];
        for (text, expected) in cases {
            let found = problems(&format!("[transcription]\n{text}"), &[]);
            match expected {
                None => assert_eq!(found, [""; 0], "{text}"),
                Some(why) => assert!(found.len() == 1 && found[0].contains(why), "{text}: {found:?}"),
            }
        }
    }

    #[test]
    fn default_then_file_then_environment_then_flag() {
        let tokyo = "\nzone = 'Asia/Tokyo'";
        let berlin = [("USER_TIMEZONE", "Europe/Berlin")];
        let unset = [("USER_TIMEZONE", "")];
        let lane = "[context]\npreset = 'lane'";
        let full = Flags::default().with("--preset", Some("full".to_owned())).with("--format", None);
        let none = Flags::default();
        let cases: [(&str, Set, &Flags, &str, &str, &str); 8] = [
            (tokyo, &[], &none, "zone", "Asia/Tokyo", "config.toml:2"),
            (tokyo, &unset, &none, "zone", "Asia/Tokyo", "config.toml:2"),
            (tokyo, &berlin, &none, "zone", "Europe/Berlin", "USER_TIMEZONE"),
            ("", &berlin, &none, "zone", "Europe/Berlin", "USER_TIMEZONE"),
            ("", &[], &none, "context.preset", "standard", "default"),
            (lane, &[], &none, "context.preset", "lane", "config.toml:2"),
            (lane, &[], &full, "context.preset", "full", "--preset"),
            (lane, &[], &full, "context.format", "xml", "default"),
        ];
        for (file, set, flags, key, value, source) in cases {
            assert_eq!(shown(&load(file, set, flags), key), (json!(value), source.to_owned()));
        }
    }

    #[test]
    fn nothing_written_gives_the_documented_defaults() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[("USER_TIMEZONE", "UTC")]);
        let settings = Settings::load(home.path(), None, &environment, &Flags::default()).unwrap();
        let database = format!("sqlite:{}/throughline.db", home.path().display());
        let expected = [
            ("model", json!("auto")),
            ("embedder", json!("builtin")),
            ("database_url", json!(database)),
            ("listen", json!("127.0.0.1:7717")),
            ("http.hosts", json!([])),
            ("http.requests_per_minute", json!(60_000)),
            ("http.request_seconds", json!(30)),
            ("telegram.allowed_users", json!([])),
            ("telegram.pairing", json!("off")),
            ("telegram.groups", json!("auto")),
            ("telegram.pause_ms", json!(1000)),
            ("daily_backups", json!(7)),
            ("quiet_hours", Json::Null),
            ("ollama.api_url", json!("http://127.0.0.1:11434")),
            ("context.preset", json!("standard")),
            ("context.format", json!("xml")),
            ("context.budget", Json::Null),
            ("context.conversation_gap_minutes", json!(30)),
            ("context.carry_over_hours", json!(6)),
            ("context.tools", json!(true)),
            ("capture", json!("auto")),
            ("memory.same_percent", json!(90)),
            ("memory.undo_hours", json!(24)),
            ("background.daily_cents", json!(50)),
            ("background.daily_tokens", json!(500_000)),
            ("background.routine_seconds", json!(8)),
            ("replies.most_tokens", json!(8192)),
            ("replies.daily_cents", json!(1000)),
            ("replies.daily_tokens", json!(10_000_000)),
            ("limits.first_seconds", json!(60)),
            ("logs.level", json!("info")),
            ("jobs.seconds_after_command", json!(10)),
            ("jobs.longest_seconds", json!(600)),
        ];
        for (key, value) in expected {
            assert_eq!(shown(&settings, key), (value, "default".to_owned()), "{key}");
        }
        let once = KEYS.iter().filter(|key| !key.path.contains('<')).map(|key| key.path.to_owned());
        let listed: Vec<String> = show(&settings).into_iter().map(|row| row.key).collect();
        assert_eq!(listed, once.collect::<Vec<_>>());
    }

    #[test]
    fn every_key_can_be_written() {
        let text = r#"
            zone = "UTC"
            user_name = "Ana"
            person = "ana"
            model = "ollama/gemma3:4b"
            small_model = "offline"
            fallback = ["ollama/gemma3:4b", "offline"]
            embedder = "minilm"
            fallback_model = "gemma3:4b"
            context_relevance_model = "gemma3:4b"
            database_url = "sqlite:other.db"
            listen = "0.0.0.0:80"
            api_token = "t"
            http = { hosts = ["memory.example"], requests_per_minute = 60, request_seconds = 5 }
            claude_path = "claude"
            daily_backups = 3
            quiet_hours = "22:00-07:00"
            anthropic = { api_key = "k", base_url = "http://127.0.0.1:2" }
            openai = { api_key = "k", base_url = "http://127.0.0.1:3" }
            ollama.api_url = "http://127.0.0.1:4"
            capture = "off"
            memory = { same_percent = 80, undo_hours = 1 }
            background = { daily_cents = 1, daily_tokens = 2, routine_seconds = 3 }
            replies = { most_tokens = 1, daily_cents = 2, daily_tokens = 3 }
            limits = { first_seconds = 1, between_seconds = 2, whole_seconds = 3 }
            logs.level = "trace"
            jobs.seconds_after_command = 0
            jobs.longest_seconds = 30
            claude_code = { hook_ms = 1, start_tokens = 2, recall_tokens = 3 }
            [telegram]
            bot_token = "1:a"
            user_id = 1
            allowed_users = [1, 2]
            api_url = "http://127.0.0.1:1"
            pairing = "on"
            groups = "addressed"
            pause_ms = 0
            [transcription]
            url = "http://127.0.0.1:8000/v1/audio/transcriptions"
            api_key = "k"
            model = "large"
            seconds = 9
            [encryption]
            key = "k"
            key_file = "database.key"
            key_command = ["pass", "throughline"]
            [privacy]
            redact_numbers = false
            [context]
            preset = "pairs"
            format = "roles"
            budget = 9
            conversation_gap_minutes = 45
            carry_over_hours = 0
            tools = false
            [presets.pairs]
            budget = 1
            keep_messages = 2
            block = 3
            compact_messages = 4
            compact_tokens = 5
            compact_hours = 6
            layers = { policy = 0, identity = 1, profile = 2, summaries = 3, memories = 4, quote = 5 }
            [chats."cli:chat:main"]
            agent = "aws-architect"
            person = "ana"
            identity = "You are terse."
            [routines.disk]
            enabled = false
            schedule = "@daily"
            kind = "command"
            prompt = "What is full?"
            command = ["df", "-h"]
            seconds = 5
            text = "Look at the disk."
            decide = "Is it Monday?"
            chat = "cli:chat:main"
            lane = "topic:7"
            agent = "aws-architect"
            late_minutes = 0
            quiet = "ignore"
        "#;
        let settings = load(text, &[], &Flags::default());
        let from_file = |row: &SettingRow| matches!(row.source, Source::File(_, Some(_)));
        let rows = show(&settings);
        // A program and a server that transcribe exclude each other.
        let left_out = ["redis_url", "transcription.command"];
        let mut supported = rows.iter().filter(|row| !left_out.contains(&row.key.as_str()));
        assert!(supported.all(from_file), "{}", table(&rows));
        assert_eq!(show(&settings).len(), KEYS.len());
        assert_eq!(shown(&settings, "presets.pairs.layers.quote").0, json!(5));
        assert_eq!(shown(&settings, "chats.\"cli:chat:main\".agent").0, json!("aws-architect"));
    }

    #[test]
    fn every_variable_with_a_key_sets_that_key() {
        for variable in variables() {
            let Some(key) = variable.key.filter(|key| *key != "redis_url") else { continue };
            // Each of these is right for some settings; one of them must be for this one.
            let values = ["4711", "UTC", "offline", "http://127.0.0.1:1", "sqlite:x.db", "none"];
            let sets = |value: &&str| {
                let environment = Environment::of(&[(variable.name, value)]);
                let settings = Settings::load(Path::new("/nowhere"), None, &environment, &Flags::default());
                settings.is_ok_and(|settings| shown(&settings, key).1 == variable.name)
            };
            assert!(values.iter().any(sets), "{} does not set {key}", variable.name);
        }
    }

    #[test]
    fn b7_a_redis_server_is_refused_rather_than_ignored() {
        let environment = Environment::of(&[("THROUGHLINE_REDIS_URL", "redis://:hunter2@cache")]);
        let error = Settings::load(Path::new("/nowhere"), None, &environment, &Flags::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "THROUGHLINE_REDIS_URL: `redis_url` is not supported by this version; remove it"
        );
        let home = home("redis_url = 'redis://:hunter2@cache'");
        let environment = Environment::default();
        let error =
            Settings::load(home.path(), None, &environment, &Flags::default()).unwrap_err().to_string();
        assert!(
            error.ends_with("config.toml:1: `redis_url` is not supported by this version; remove it"),
            "{error}"
        );
    }

    #[test]
    fn a_wrong_value_is_reported_with_its_line_its_key_and_what_to_write() {
        let cases = [
            ("\nuser_name = 5", "config.toml:2: `user_name` takes text in quotes, not a whole number"),
            (
                "[telegram]\n\nuser_id = '4711'",
                "config.toml:3: `telegram.user_id` takes a whole number; write it without the quotes",
            ),
            (
                "[telegram]\npause_ms = 70000",
                "config.toml:2: `telegram.pause_ms` cannot be 70000; the longest pause is 60000 milliseconds",
            ),
            (
                "[telegram]\nallowed_users = [\n 1,\n 'ana']",
                "config.toml:2: `telegram.allowed_users` has a wrong item 2: it takes a whole number, not text",
            ),
            (
                "context.budget = 1.5",
                "config.toml:1: `context.budget` takes a whole number, not a number with a fraction",
            ),
            (
                "context.budget = 0",
                "config.toml:1: `context.budget` takes a whole number of 1 or more, not 0",
            ),
            ("[zone]\nname = 'UTC'", "config.toml:1: `zone` takes text in quotes, not a table"),
            ("model = true", "config.toml:1: `model` takes text in quotes, not true or false"),
            ("api_token = ''", "config.toml:1: `api_token` is empty; write a value or remove it"),
            (
                "[presets.lane.layers]\nquote = -1",
                "config.toml:2: `presets.lane.layers.quote` takes a whole number of 0 or more, not -1",
            ),
            (
                "[chats.'cli:chat:main']\nagent = '../x'",
                "config.toml:2: `chats.\"cli:chat:main\".agent` cannot be \"../x\": \
                 an agent's name has the letters a to z, digits, - and _ only",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(problems(text, &[]), [expected]);
        }
        let zone = problems("zone = 'Europe/Berln'", &[]);
        let [zone] = zone.as_slice() else { panic!("{zone:?}") };
        let expected = "config.toml:1: `zone` cannot be \"Europe/Berln\": no time zone has that name; \
                        did you mean `Europe/Berlin`";
        assert!(zone.starts_with(expected), "{zone}");
    }

    #[test]
    fn a_check_finds_every_problem_in_order_of_where_it_is() {
        let text = "modle = 'auto'\nuser_name = 5\n[logs]\nlevle = 'info'\nlevel = 'loud'\n";
        let found = problems(text, &[("TELEGRAM_USER_ID", "ana"), ("OLLAMA_API_URL", "localhost")]);
        let places: Vec<&str> = found.iter().filter_map(|problem| problem.split(": ").next()).collect();
        assert_eq!(
            places,
            [
                "config.toml:1",
                "config.toml:2",
                "config.toml:4",
                "config.toml:5",
                "TELEGRAM_USER_ID",
                "OLLAMA_API_URL"
            ]
        );
        assert_eq!(verdict(Path::new("/h/config.toml"), &[]), "config.toml is fine");
    }

    #[test]
    fn only_a_file_that_was_named_must_exist() {
        let home = tempfile::tempdir().unwrap();
        let named = home.path().join("other.toml");
        let nothing = Environment::default();
        assert_eq!(check(home.path(), None, &nothing), []);
        let problems = check(home.path(), Some(&named), &nothing);
        let expected = format!(
            "{}: there is no such file; name another with --config, or leave it out",
            named.display()
        );
        assert_eq!(verdict(&named, &problems), expected);

        fs::write(&named, "model = 'offline'").unwrap();
        let settings = Settings::load(home.path(), Some(&named), &nothing, &Flags::default()).unwrap();
        assert_eq!(shown(&settings, "model"), (json!("offline"), "other.toml:1".to_owned()));
    }

    #[test]
    fn a_file_or_variable_that_is_not_text_is_a_clear_error() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), [b'a', 0xff]).unwrap();
        let environment =
            Environment::read(|name| (name == "USER_NAME").then(|| OsString::from_vec(vec![b'A', 0xff])));
        let problems = verdict(Path::new(""), &check(home.path(), None, &environment));
        assert!(
            problems.contains("config.toml: the file is not UTF-8 text; save it as UTF-8\nUSER_NAME: "),
            "{problems}"
        );
    }

    #[test]
    fn c6_no_secret_is_ever_shown() {
        let secrets = [
            ("THROUGHLINE_API_TOKEN", "hunter2"),
            ("TELEGRAM_BOT_TOKEN", "4711:hunter2"),
            ("ANTHROPIC_API_KEY", "sk-hunter2"),
            ("OPENAI_API_KEY", "sk-hunter2"),
            ("OPENAI_BASE_URL", "https://ana:hunter2@proxy.example/v1?key=hunter2"),
        ];
        let settings = load("", &secrets, &Flags::default());
        let rows = show(&settings);
        for text in [table(&rows), document(&rows).to_string(), format!("{settings:?}")] {
            assert!(text.contains("(set)") && !text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn c6_no_secret_is_repeated_in_an_error() {
        // A secret in a place that does not take it, for each variable in turn.
        for variable in variables() {
            let environment = Environment::of(&[(variable.name, "postgres://ana:hunter2@ db")]);
            let found = check(Path::new("/nowhere"), None, &environment);
            // A name, or a word out of a list, is no secret, and repeating it helps.
            let named = ["zone", "user_name", "model", "small_model", "embedder"];
            if !variable.key.is_some_and(|key| named.contains(&key)) {
                assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
            }
        }
    }

    #[test]
    fn a_relative_database_is_seen_from_the_file_that_names_it() {
        let home = home("database_url = 'sqlite:data/t.db'");
        let settings =
            |set| Settings::load(home.path(), None, &Environment::of(set), &Flags::default()).unwrap();
        assert_eq!(settings(&[]).database_url, DatabaseUrl::Sqlite(home.path().join("data/t.db")));
        let variable = [("THROUGHLINE_DATABASE_URL", "sqlite:data/t.db")];
        assert_eq!(settings(&variable).database_url, DatabaseUrl::Sqlite("data/t.db".into()));
    }

    #[test]
    fn a_flag_that_no_key_knows_is_refused() {
        let flags = Flags::default().with("--colour", Some("red".to_owned()));
        let error = Settings::load(Path::new("/nowhere"), None, &Environment::default(), &flags).unwrap_err();
        assert_eq!(error.to_string(), "--colour: sets no key of config.toml");
    }
}
