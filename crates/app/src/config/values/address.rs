//! Addresses of services and of the store.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::plain::place;
use super::secret::HIDDEN;
use super::{Given, Value};

/// The URL of an HTTP service, without a trailing slash. Parts that may contain a password are not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(String);

impl Url {
    /// A URL that is known to be valid, for defaults.
    pub(in crate::config) fn known(url: &str) -> Self {
        Self(url.to_owned())
    }

    /// The whole URL, including a password.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(&self.0))
    }
}

impl Value for Url {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        let right = text.split_once("://").is_some_and(|(scheme, rest)| {
            let before_path = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = before_path.rsplit('@').next().unwrap_or_default();
            ["http", "https"].contains(&scheme) && !host.is_empty() && !host.starts_with(':')
        });
        if !right || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("takes an address such as http://127.0.0.1:11434".to_owned());
        }
        Ok(Self::known(text.trim_end_matches('/')))
    }

    fn shown(&self) -> Json {
        json!(masked(&self.0))
    }

    fn schema() -> Json {
        json!({"type": "string", "format": "uri", "pattern": "^(http|https)://."})
    }
}

/// The location of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
}

impl Value for DatabaseUrl {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        // The error does not quote the URL, because that of a server contains a password.
        match text.split_once(':') {
            Some(("postgres" | "postgresql", _)) => {
                Err("names a PostgreSQL server, but this build stores in SQLite; write sqlite:PATH"
                    .to_owned())
            }
            Some(("sqlite", path)) => match path.strip_prefix("//").unwrap_or(path) {
                "" => Err("names no file; write sqlite:PATH".to_owned()),
                ":memory:" => {
                    Err("must name a file, since what is in memory only is soon forgotten".to_owned())
                }
                path => place(path, given.folder).map(Self::Sqlite),
            },
            _ => Err("takes sqlite:PATH".to_owned()),
        }
    }

    fn shown(&self) -> Json {
        match self {
            Self::Sqlite(path) => json!(format!("sqlite:{}", path.display())),
        }
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^sqlite:."})
    }
}

/// The URL with its user name, password and query replaced by [`HIDDEN`].
fn masked(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, _)| (rest, "?(set)"));
    let rest = match rest.rsplit_once('@') {
        Some((_, host)) => format!("{HIDDEN}@{host}"),
        None => rest.to_owned(),
    };
    format!("{scheme}://{rest}{query}")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read_text, read_words};
    use super::*;

    #[test]
    fn an_address_names_a_scheme_and_a_host() {
        for url in
            ["http://127.0.0.1:11434", "https://api.example.com/v1", "http://[::1]:8080", "https://a:b@host"]
        {
            assert_eq!(read_text(url), Ok(Url::known(url)));
        }
        assert_eq!(read_text("http://localhost:1/"), Ok(Url::known("http://localhost:1")));
        for url in [
            "localhost:11434",
            "ftp://host",
            "http://",
            "http://:80",
            "http:///v1",
            "http://a b",
            "http://x@/",
        ] {
            let why = read_text::<Url>(url).unwrap_err();
            assert_eq!(why, "takes an address such as http://127.0.0.1:11434", "{url}");
        }
    }

    #[test]
    fn c6_an_address_is_shown_without_what_could_be_a_password() {
        let cases = [
            ("http://:hunter2@proxy:6379/0", "http://(set)@proxy:6379/0"),
            ("http://ana:p@ss@proxy", "http://(set)@proxy"),
            ("http://proxy:6379/0", "http://proxy:6379/0"),
            ("https://proxy/0?password=hunter2", "https://proxy/0?(set)"),
        ];
        for (url, shown) in cases {
            let url: Url = read_text(url).unwrap();
            assert_eq!((url.shown(), format!("{url:?}")), (json!(shown), shown.to_owned()));
        }
    }

    #[test]
    fn a_database_is_a_sqlite_file_seen_from_where_it_was_written() {
        let cases = [
            ("sqlite:/var/t.db", "/var/t.db", "/var/t.db"),
            ("sqlite:///var/t.db", "/var/t.db", "/var/t.db"),
            ("sqlite:t.db", "/home/ana/.throughline/t.db", "t.db"),
            ("sqlite://t.db", "/home/ana/.throughline/t.db", "t.db"),
        ];
        for (url, in_file, in_variable) in cases {
            assert_eq!(read_text(url), Ok(DatabaseUrl::Sqlite(in_file.into())));
            assert_eq!(read_words(url), Ok(DatabaseUrl::Sqlite(in_variable.into())));
        }
    }

    #[test]
    fn c6_another_database_is_refused_without_repeating_its_password() {
        for (url, reason) in [
            ("postgres://ana:hunter2@db/t", "this build stores in SQLite"),
            ("postgresql://ana:hunter2@db/t", "this build stores in SQLite"),
            ("mysql://ana:hunter2@db/t", "takes sqlite:PATH"),
            ("/var/hunter2.db", "takes sqlite:PATH"),
            ("sqlite:", "names no file"),
            ("sqlite::memory:", "must name a file"),
            ("sqlite:~/t.db", "write the path out"),
        ] {
            let why = read_text::<DatabaseUrl>(url).unwrap_err();
            assert!(why.contains(reason) && !why.contains("hunter2"), "{why}");
        }
    }
}
