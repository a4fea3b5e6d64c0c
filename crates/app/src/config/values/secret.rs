//! A value that is used but never shown.

use std::fmt;

use serde_json::{Value as Json, json};

use super::{Given, Value};

/// Printed instead of a secret.
pub const HIDDEN: &str = "(set)";

/// A token, key or password. It can be neither printed nor serialized.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value itself, for the service that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Value for Secret {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        // A token travels in a header or a path, where these would cut it short or forge a line.
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("holds white space or control characters; copy it again".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn shown(&self) -> Json {
        json!(HIDDEN)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1, "writeOnly": true})
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::read_text;
    use super::*;

    #[test]
    fn c6_a_secret_is_kept_but_never_printed() {
        let secret: Secret = read_text("4711:AAF-x").unwrap();
        assert_eq!(secret.0, "4711:AAF-x");
        assert_eq!((format!("{secret:?}"), secret.shown()), ("(set)".to_owned(), json!("(set)")));
    }

    #[test]
    fn c6_a_malformed_secret_is_not_repeated_in_the_error() {
        let why = read_text::<Secret>("sk-live with space").unwrap_err();
        assert!(!why.contains("sk-live"), "{why}");
    }
}
