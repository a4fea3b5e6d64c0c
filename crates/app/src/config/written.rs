//! The content of `config.toml`: known keys with their lines, and problems. The settings check the values.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key, check_name};
use super::nearest::{did_you_mean, nearest};
use super::problem::{Problem, Source};
use super::tree::{Node, Table};
use super::values::Raw;

/// The keys in the file, and its problems.
#[derive(Default)]
pub struct Written {
    /// The known keys, by line.
    pub entries: Vec<Entry>,
    /// Everything that is not TOML or not a setting, by line.
    pub problems: Vec<Problem>,
}

/// One key of the file.
pub struct Entry {
    /// The setting.
    pub key: &'static Key,
    /// The preset, chat or routine of the setting; empty for a setting that exists once.
    pub name: String,
    /// Its value.
    pub raw: Raw,
    /// Its line, counted from 1.
    pub line: usize,
}

impl Written {
    /// Parses the text of the file at `path`.
    pub fn parse(text: &str, path: &Path) -> Self {
        let (document, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            // A syntax error may change the meaning of the following lines, so their keys are not checked.
            return Self { entries: Vec::new(), problems: syntax_problems(text, path, &errors) };
        }
        let mut reader = Reader { lines: Lines::of(text), path, written: Self::default() };
        reader.table(document.get_ref(), &Table::root(), &Position::default());
        let mut written = reader.written;
        written.entries.sort_by_key(|entry| entry.line);
        written.problems.sort_by_key(|problem| problem.source.line());
        written
    }
}

/// The first syntax error of each line; further errors usually follow from it.
fn syntax_problems(text: &str, path: &Path, errors: &[toml::de::Error]) -> Vec<Problem> {
    let lines = Lines::of(text);
    let problem = |error: &toml::de::Error| {
        let line = error.span().map(|span| lines.at(span.start));
        // Only the short message is used; the long form quotes the line, which may contain a secret.
        let why = format!("is not valid TOML: {}", error.message());
        Problem::with_place(Source::File(path.to_owned(), line), why)
    };
    let mut problems: Vec<Problem> = errors.iter().map(problem).collect();
    problems.sort_by_key(|problem| problem.source.line());
    problems.dedup_by_key(|problem| problem.source.line());
    problems
}

/// The positions of line ends.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of the byte at `at`, counted from 1.
    fn at(&self, at: usize) -> usize {
        1 + self.0.partition_point(|end| *end < at)
    }
}

/// A position in the file.
#[derive(Clone, Default)]
struct Position {
    /// The dotted path as written.
    path: String,
    /// The enclosing preset, chat or routine.
    name: String,
}

impl Position {
    fn inside(&self, word: &str) -> Self {
        let bare =
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let word = if bare { word.to_owned() } else { format!("{word:?}") };
        let path = if self.path.is_empty() { word } else { format!("{}.{word}", self.path) };
        Self { path, name: self.name.clone() }
    }
}

struct Reader<'t> {
    lines: Lines,
    path: &'t Path,
    written: Written,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, known: &Table, around: &Position) {
        for (word, value) in table {
            let line = self.lines.at(word.span().start);
            let mut here = around.inside(word.get_ref());
            let node = match known.any_name() {
                Some((placeholder, node)) => {
                    if let Err(why) = check_name(placeholder, word.get_ref()) {
                        self.problem(line, &around.path, why);
                        continue;
                    }
                    here.name = word.get_ref().clone().into_owned();
                    Some(node)
                }
                None => known.get(word.get_ref()),
            };
            match node {
                Some(node) => self.node(value, node, here, line),
                None => self.problem(line, &here.path, unknown(word.get_ref(), known, around)),
            }
        }
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>, node: &Node, here: Position, line: usize) {
        match (node, value.get_ref()) {
            (Node::Value(key), value) => {
                self.written.entries.push(Entry { key, name: here.name, raw: Raw::from(value), line });
            }
            (Node::Table(known), DeValue::Table(table)) => self.table(table, known, &here),
            (Node::Table(known), _) => {
                let names: Vec<&str> = known.entries().map(|(name, _)| name).collect();
                self.problem(
                    line,
                    &here.path,
                    format!("is a table; write [{}] and under it {}", here.path, names.join(", ")),
                );
            }
        }
    }

    fn problem(&mut self, line: usize, key: &str, why: impl Into<String>) {
        let source = Source::File(self.path.to_owned(), Some(line));
        self.written.problems.push(Problem::with_key(source, key, why));
    }
}

/// The problem that `word` is not a key of the table `known`. It suggests a similar name of this table, or else a key
/// of another table by its last word, its path or its variable.
fn unknown(word: &str, known: &Table, around: &Position) -> String {
    let here = known.entries().map(|(name, _)| (name, around.inside(name).path));
    let elsewhere = KEYS.iter().flat_map(|key| {
        let names = [key.path.rsplit('.').next(), Some(key.path), key.variable];
        names.into_iter().flatten().map(|name| (name, key.path.to_owned()))
    });
    let candidates: Vec<(&str, String)> = here.chain(elsewhere).collect();
    let best = nearest(word, candidates.iter().map(|(name, _)| *name), 1);
    let meant = candidates.iter().find(|(name, _)| best.contains(name)).map(|(_, path)| path.as_str());
    format!("is not a setting{}", did_you_mean(meant.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        Written::parse(text, Path::new("config.toml")).problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn every_key_is_found_with_its_line_and_name() {
        let text = "zone = 'UTC'\n\n[telegram]\n# the bot\nuser_id = 4711\n[presets.lane.layers]\nquote = 9\n\
                    [chats.\"cli:chat:a.b\"]\nidentity = '''\nterse\n'''\nagent = 'x'\n";
        let written = Written::parse(text, Path::new("config.toml"));
        let found: Vec<_> =
            written.entries.iter().map(|entry| (entry.line, entry.key.path, entry.name.as_str())).collect();
        assert_eq!(
            found,
            [
                (1, "zone", ""),
                (5, "telegram.user_id", ""),
                (7, "presets.<preset>.layers.quote", "lane"),
                (9, "chats.<chat>.identity", "cli:chat:a.b"),
                (12, "chats.<chat>.agent", "cli:chat:a.b"),
            ]
        );
        assert_eq!(written.problems, []);
    }

    #[test]
    fn an_unknown_key_is_answered_with_its_line_and_the_one_that_was_meant() {
        let cases = [
            ("modle = 'auto'", "1: `modle` is not a setting; did you mean `model`?"),
            ("\n[telegrm]\nbot_token = 'x'", "2: `telegrm` is not a setting; did you mean `telegram`?"),
            (
                "[telegram]\n\ntoken = 'x'",
                "3: `telegram.token` is not a setting; did you mean `telegram.bot_token`?",
            ),
            ("bot_token = 'x'", "1: `bot_token` is not a setting; did you mean `telegram.bot_token`?"),
            ("USER_TIMEZONE = 'UTC'", "1: `USER_TIMEZONE` is not a setting; did you mean `zone`?"),
            ("timezone = 'UTC'", "1: `timezone` is not a setting; did you mean `zone`?"),
            ("'logs.level' = 'warn'", "1: `\"logs.level\"` is not a setting; did you mean `logs.level`?"),
            ("logs.levle = 'warn'", "1: `logs.levle` is not a setting; did you mean `logs.level`?"),
            (
                "presets.lane.layers.quotes = 1",
                "1: `presets.lane.layers.quotes` is not a setting; did you mean `presets.lane.layers.quote`?",
            ),
            (
                "[routines.mine]\nshedule = '@daily'",
                "2: `routines.mine.shedule` is not a setting; did you mean `routines.mine.schedule`?",
            ),
            ("frobnicate = 1", "1: `frobnicate` is not a setting"),
        ];
        for (text, expected) in cases {
            assert_eq!(problems(text), [format!("config.toml:{expected}")]);
        }
    }

    #[test]
    fn a_table_of_the_wrong_name_or_shape_is_reported_once() {
        let cases = [
            (
                "[presets.standart]\nbudget = 1\nblock = 2",
                "1: `presets` holds a table that is no preset's: its name cannot be \"standart\", only one of tiered, \
                 rolling, lane, full, pairs, standard; did you mean `standard`?",
            ),
            (
                "[chats.main]\nagent = 'a'\nidentity = 'b'",
                "1: `chats` holds a table that is no chat's: \"main\" is not a chat id: it has no \":chat:\". \
                 Write it as <channel>:chat:<name>, for example cli:chat:main",
            ),
            (
                "[routines.Morning]\nenabled = true",
                "1: `routines` holds a table that is no routine's: \"Morning\" is not a name of lower-case words joined \
                 by dashes, such as morning-summary",
            ),
            ("logs = 'off'", "1: `logs` is a table; write [logs] and under it level"),
            (
                "[[telegram]]\nuser_id = 1",
                "1: `telegram` is a table; write [telegram] and under it bot_token, user_id, allowed_users, api_url, \
                 pairing, groups, pause_ms",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(problems(text), [format!("config.toml:{expected}")]);
        }
    }

    #[test]
    fn c6_broken_toml_is_reported_with_its_line_and_without_its_text() {
        let broken = [
            "api_token = \"sk-hunter2\nmodel = 'auto'",
            "api_token = sk-hunter2",
            "api_token = 'a' sk-hunter2",
            "api_token 'sk-hunter2'",
            "zone = 'sk-hunter2'",
            "[telegram\nbot_token = 'sk-hunter2'",
        ];
        for text in broken {
            let problems = problems(&format!("zone = 'UTC'\n{text}"));
            let [problem] = problems.as_slice() else { panic!("{problems:?}") };
            assert!(problem.starts_with("config.toml:2: is not valid TOML: "), "{problem}");
            assert!(!problem.contains("hunter2"), "{problem}");
        }
    }

    #[test]
    fn every_problem_is_found_not_only_the_first() {
        let cases: [(&str, &[usize]); 2] = [
            ("modle = 'auto'\n[presets.x]\n[logs]\nlevle = 'info'\n[jobs]\nfrobnicate = 1\n", &[1, 2, 4, 6]),
            ("zone = \nmodel = 'auto'\n[logs\nlevel = 'info'\n", &[1, 3]),
        ];
        for (text, expected) in cases {
            let written = Written::parse(text, Path::new("config.toml"));
            let lines: Vec<_> = written.problems.iter().filter_map(|problem| problem.source.line()).collect();
            assert_eq!(lines, expected, "{text}");
        }
    }
}
