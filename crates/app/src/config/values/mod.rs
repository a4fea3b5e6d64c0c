//! Parsing, display and JSON Schema of values. `settings` assigns a type to each setting.

pub mod address;
pub mod choice;
pub mod embedder;
pub mod model;
pub mod named;
pub mod plain;
pub mod routine;
pub mod secret;
pub mod unsupported;
pub mod zone;

use std::fmt::Display;
use std::path::Path;

use serde_json::Value as Json;
use throughline_text::shorten::beginning;
use toml::de::DeValue;

/// An unparsed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw {
    /// Text in quotes.
    Text(String),
    /// A whole number.
    Number(i64),
    /// True or false.
    Switch(bool),
    /// A list.
    List(Vec<Raw>),
    /// A value that no setting accepts, by its name for the error.
    Other(&'static str),
    /// The text of a variable or a flag, which may be parsed as a number or a list.
    Words(String),
}

impl Raw {
    fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Words(_) => "text",
            Self::Number(_) => "a whole number",
            Self::Switch(_) => "true or false",
            Self::List(_) => "a list",
            Self::Other(kind) => kind,
        }
    }
}

impl From<&DeValue<'_>> for Raw {
    fn from(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.clone().into_owned()),
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
                .map_or(Self::Other("a number of more than 64 bits"), Self::Number),
            DeValue::Float(_) => Self::Other("a number with a fraction"),
            DeValue::Boolean(on) => Self::Switch(*on),
            DeValue::Datetime(_) => Self::Other("a date"),
            DeValue::Array(items) => {
                Self::List(items.iter().map(|item| Self::from(item.get_ref())).collect())
            }
            DeValue::Table(_) => Self::Other("a table"),
        }
    }
}

/// An unparsed value and its context.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The value as written.
    pub raw: &'a Raw,
    /// The base of relative paths: the config file's folder; empty for variables and flags.
    pub folder: &'a Path,
}

impl<'a> Given<'a> {
    /// The text, without surrounding whitespace.
    ///
    /// # Errors
    /// If it is not text, or is empty, which is usually a mistake.
    pub fn text(self) -> Result<&'a str, String> {
        match self.raw {
            Raw::Text(text) | Raw::Words(text) if text.trim().is_empty() => {
                Err("is empty; write a value or remove it".to_owned())
            }
            Raw::Text(text) | Raw::Words(text) => Ok(text.trim()),
            other => Err(format!("takes text in quotes, not {}", other.kind())),
        }
    }

    /// The whole number, `least` or above.
    pub fn number<N: TryFrom<i64> + PartialOrd + Display>(self, least: N) -> Result<N, String> {
        let number = match self.raw {
            Raw::Number(number) => *number,
            // The error does not quote the text, so that a token in the wrong variable does not reach a log.
            Raw::Words(text) => {
                text.trim().parse().map_err(|_| "takes a whole number, not text".to_owned())?
            }
            Raw::Text(text) if text.trim().parse::<i64>().is_ok() => {
                return Err("takes a whole number; write it without the quotes".to_owned());
            }
            other => return Err(format!("takes a whole number, not {}", other.kind())),
        };
        match N::try_from(number) {
            Ok(fitting) if fitting >= least => Ok(fitting),
            _ if number <= 0 => Err(format!("takes a whole number of {least} or more, not {number}")),
            _ => Err(format!("takes a smaller whole number than {number}")),
        }
    }

    /// The items of a list; text is split at commas and spaces.
    pub fn items(self) -> Result<Vec<Raw>, String> {
        match self.raw {
            Raw::List(items) => Ok(items.clone()),
            Raw::Words(text) => {
                let words =
                    text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
                Ok(words.map(|word| Raw::Words(word.to_owned())).collect())
            }
            other => Err(format!("takes a list in brackets, such as [1, 2], not {}", other.kind())),
        }
    }
}

/// The type of a setting. Errors continue a sentence that begins with the setting's name: "takes a whole number, not
/// text".
pub trait Value: Sized {
    /// Parses a value.
    ///
    /// # Errors
    /// If the value is invalid. The error says what to write instead.
    fn read(given: Given<'_>) -> Result<Self, String>;

    /// The value for `config show`, without secrets.
    fn shown(&self) -> Json;

    /// The JSON Schema of accepted values.
    fn schema() -> Json;
}

/// A field of the settings, of any type.
pub trait Field {
    /// Parses and sets a value.
    ///
    /// # Errors
    /// If the value is invalid; the field stays unchanged.
    fn set(&mut self, given: Given<'_>) -> Result<(), String>;

    /// The value for `config show`; null if nothing is set.
    fn shown(&self) -> Json;

    /// The JSON Schema of accepted values.
    fn schema(&self) -> Json;
}

impl<T: Value> Field for T {
    fn set(&mut self, given: Given<'_>) -> Result<(), String> {
        *self = T::read(given)?;
        Ok(())
    }

    fn shown(&self) -> Json {
        Value::shown(self)
    }

    fn schema(&self) -> Json {
        T::schema()
    }
}

impl<T: Value> Field for Option<T> {
    fn set(&mut self, given: Given<'_>) -> Result<(), String> {
        *self = Some(T::read(given)?);
        Ok(())
    }

    fn shown(&self) -> Json {
        self.as_ref().map_or(Json::Null, Value::shown)
    }

    fn schema(&self) -> Json {
        T::schema()
    }
}

/// An excerpt of a text for an error message, short enough for a terminal line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    beginning(text, LONGEST).replace(char::is_control, "")
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Reads `raw` as the config file in `/home/ana/.throughline` would give it.
    pub fn read<T: Value>(raw: &Raw) -> Result<T, String> {
        T::read(Given { raw, folder: Path::new("/home/ana/.throughline") })
    }

    /// Reads a text in quotes.
    pub fn read_text<T: Value>(text: &str) -> Result<T, String> {
        read(&Raw::Text(text.to_owned()))
    }

    /// Reads the text of a variable or a flag.
    pub fn read_words<T: Value>(text: &str) -> Result<T, String> {
        T::read(Given { raw: &Raw::Words(text.to_owned()), folder: Path::new("") })
    }
}
