//! A setting that is documented elsewhere but not supported by this version.

use serde_json::{Value as Json, json};

use super::{Given, Value};

/// Refuses every value, so that nobody relies on a setting that does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsupported {}

impl Value for Unsupported {
    fn read(_: Given<'_>) -> Result<Self, String> {
        Err("is not supported by this version; remove it".to_owned())
    }

    fn shown(&self) -> Json {
        match *self {}
    }

    fn schema() -> Json {
        json!({"not": {}})
    }
}
