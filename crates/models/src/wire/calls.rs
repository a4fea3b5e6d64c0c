//! Tool calls as models write them, often in pieces.

use serde_json::{Map, Value};

use super::text;
use crate::tools::Called;

/// Maximum length of a call's arguments, in bytes.
const MAX_ARGUMENT_BYTES: usize = 64 << 10;

/// A call requested by a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// The id that the answer refers to.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: String,
    /// The arguments as an object; null if they cannot be parsed.
    pub(crate) arguments: Value,
}

impl ToolCall {
    /// The arguments for the next request, which requires an object.
    pub(crate) fn echoed(&self) -> Value {
        if self.arguments.is_object() { self.arguments.clone() } else { Value::Object(Map::new()) }
    }
}

/// An incomplete call.
#[derive(Debug, Default)]
pub(crate) struct PartialCall {
    /// Its id, if the server gives one.
    pub(crate) id: String,
    name: String,
    arguments: String,
}

impl PartialCall {
    /// Begins a call with its id and name.
    pub(crate) fn new(id: Option<&str>, name: Option<&str>) -> Self {
        Self {
            id: id.unwrap_or_default().to_owned(),
            name: name.unwrap_or_default().to_owned(),
            ..Self::default()
        }
    }

    /// Adds a piece of the arguments.
    pub(crate) fn push(&mut self, piece: &str) {
        if self.arguments.len() + piece.len() <= MAX_ARGUMENT_BYTES {
            self.arguments.push_str(piece);
        } else {
            // Truncated arguments must not parse as if they were complete.
            self.arguments = "too long".to_owned();
        }
    }

    /// Completes the call. Some servers give calls no id, and some omit empty arguments.
    pub(crate) fn whole(self, number: usize) -> ToolCall {
        let id = if self.id.is_empty() { format!("call_{number}") } else { self.id };
        let arguments = match self.arguments.trim() {
            "" => Value::Object(Map::new()),
            json => serde_json::from_str(json).ok().filter(Value::is_object).unwrap_or_default(),
        };
        ToolCall { id, name: self.name, arguments }
    }
}

/// A call in OpenAI's format, with its arguments as a text or as an object.
pub(crate) fn function_call(call: &Value) -> PartialCall {
    let mut partial = PartialCall::new(text(call, "/id"), text(call, "/function/name"));
    match call.pointer("/function/arguments") {
        Some(Value::String(piece)) => partial.push(piece),
        Some(arguments @ Value::Object(_)) => partial.push(&arguments.to_string()),
        _ => {}
    }
    partial
}

/// One round: the model's words and calls, and their results.
#[derive(Debug)]
pub(crate) struct Round {
    /// Its words before the calls.
    pub(crate) text: String,
    /// Each call with its result.
    pub(crate) calls: Vec<(ToolCall, Called)>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_are_no_object_are_null_and_none_are_an_empty_one() {
        for (pieces, expected) in [
            (&["{\"que", "ry\":\"boat\"}"][..], json!({ "query": "boat" })),
            (&[], json!({})),
            (&["  "], json!({})),
            (&["{\"query\":"], Value::Null),
            (&["[1]"], Value::Null),
            (&["{}", &"x".repeat(MAX_ARGUMENT_BYTES)], Value::Null),
        ] {
            let mut partial = PartialCall::new(None, Some("search"));
            pieces.iter().for_each(|piece| partial.push(piece));
            let whole = partial.whole(2);
            assert_eq!((whole.id.as_str(), whole.arguments), ("call_2", expected), "{pieces:?}");
        }
    }
}
