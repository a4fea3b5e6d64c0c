//! The values of a routine's settings.

use serde_json::{Value as Json, json};
use throughline_domain::chat::ChatId;
use throughline_domain::routine::{QuietHours, Schedule};

use super::{Given, Raw, Value, excerpt};

impl Value for Schedule {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        text.parse().map_err(|why| format!("cannot be \"{}\": {why}", excerpt(text)))
    }

    fn shown(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^\s*(@[A-Za-z]+|\S+(\s+\S+){4})\s*$", "examples": ["0 7 * * *"]})
    }
}

impl Value for QuietHours {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        text.parse().map_err(|why| format!("cannot be \"{}\": {why}", excerpt(text)))
    }

    fn shown(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^\s*\d{1,2}:\d\d\s*[-–]\s*\d{1,2}:\d\d\s*$"})
    }
}

impl Value for ChatId {
    fn read(given: Given<'_>) -> Result<Self, String> {
        given.text()?.parse().map_err(|why| format!("names no chat: {why}"))
    }

    fn shown(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^[a-z][a-z0-9-]*:chat:\S+$"})
    }
}

/// A program and its arguments, which are not passed to a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine(pub Vec<String>);

impl Value for CommandLine {
    fn read(given: Given<'_>) -> Result<Self, String> {
        const FORM: &str = "takes a list of words in quotes, such as [\"df\", \"-h\"]";
        let Raw::List(items) = given.raw else {
            return Err(format!("{FORM}: there is no shell that would take a line apart"));
        };
        // Arguments are not trimmed, because surrounding whitespace may be intended.
        let word = |item: &Raw| match item {
            Raw::Text(text) if !text.contains('\0') => Some(text.clone()),
            _ => None,
        };
        let words: Option<Vec<String>> = items.iter().map(word).collect();
        match words {
            Some(words) if words.first().is_some_and(|program| !program.trim().is_empty()) => Ok(Self(words)),
            _ => Err(FORM.to_owned()),
        }
    }

    fn shown(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({"type": "array", "items": {"type": "string"}, "minItems": 1})
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read, read_text};
    use super::*;

    #[test]
    fn k1_a_wrong_schedule_is_answered_with_what_is_wrong_and_an_example() {
        assert_eq!(read_text::<Schedule>(" 0 7 * * MON ").unwrap().shown(), json!("0 7 * * MON"));
        let why = read_text::<Schedule>("0 25 * * *").unwrap_err();
        assert!(
            why.starts_with("cannot be \"0 25 * * *\": its hour cannot be \"25\", only 0 to 23; write "),
            "{why}"
        );
        let why = read_text::<QuietHours>("at night").unwrap_err();
        assert_eq!(why, "cannot be \"at night\": write two times of day, such as 22:00-07:00");
        assert_eq!(read_text::<QuietHours>("22:00 - 7:00").unwrap().shown(), json!("22:00-07:00"));
    }

    #[test]
    fn k1_a_command_is_a_list_of_words_that_stay_as_they_are() {
        let list =
            |words: &[&str]| Raw::List(words.iter().map(|word| Raw::Text((*word).to_owned())).collect());
        let words = ["printf", " %s ", "", "$(rm -rf /); é"];
        assert_eq!(read(&list(&words)), Ok(CommandLine(words.map(str::to_owned).to_vec())));
        for wrong in [list(&[]), list(&[" "]), list(&["a\0b"]), Raw::List(vec![Raw::Number(1)])] {
            let why = read::<CommandLine>(&wrong).unwrap_err();
            assert_eq!(why, "takes a list of words in quotes, such as [\"df\", \"-h\"]", "{wrong:?}");
        }
        assert!(
            read_text::<CommandLine>("df -h").unwrap_err().ends_with("no shell that would take a line apart")
        );
    }
}
