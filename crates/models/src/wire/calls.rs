//! Calls of tools as models write them, often in pieces.

use serde_json::{Map, Value};

use super::text;
use crate::tools::Called;

/// Maximum length of a call's arguments, in bytes; more cannot be read.
const LONGEST_ARGUMENTS: usize = 64 << 10;

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// The name by which the answer refers to it.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: String,
    /// An object; null if the arguments cannot be read.
    pub(crate) arguments: Value,
}

impl ToolCall {
    /// The arguments as they are repeated to the model, which wants an object.
    pub(crate) fn echoed(&self) -> Value {
        if self.arguments.is_object() { self.arguments.clone() } else { Value::Object(Map::new()) }
    }
}

/// A call of which more may follow.
#[derive(Debug, Default)]
pub(crate) struct PartialCall {
    /// Its id, if the server gives one.
    pub(crate) id: String,
    name: String,
    arguments: String,
}

impl PartialCall {
    /// A call that begins, by the JSON of its id and its name.
    pub(crate) fn new(id: Option<&str>, name: Option<&str>) -> Self {
        Self {
            id: id.unwrap_or_default().to_owned(),
            name: name.unwrap_or_default().to_owned(),
            ..Self::default()
        }
    }

    /// Takes a piece of the arguments.
    pub(crate) fn push(&mut self, piece: &str) {
        if self.arguments.len() + piece.len() <= LONGEST_ARGUMENTS {
            self.arguments.push_str(piece);
        } else {
            // Half of it must not be read as if it were whole.
            self.arguments = "too long".to_owned();
        }
    }

    /// The whole call. Some servers give calls no id, and some leave out arguments that are empty.
    pub(crate) fn whole(self, number: usize) -> ToolCall {
        let id = if self.id.is_empty() { format!("call_{number}") } else { self.id };
        let arguments = match self.arguments.trim() {
            "" => Value::Object(Map::new()),
            json => serde_json::from_str(json).ok().filter(Value::is_object).unwrap_or_default(),
        };
        ToolCall { id, name: self.name, arguments }
    }
}

/// A call as servers write it that follow OpenAI: with its arguments as a text, or as an object.
pub(crate) fn function_call(call: &Value) -> PartialCall {
    let mut partial = PartialCall::new(text(call, "/id"), text(call, "/function/name"));
    match call.pointer("/function/arguments") {
        Some(Value::String(piece)) => partial.push(piece),
        Some(arguments @ Value::Object(_)) => partial.push(&arguments.to_string()),
        _ => {}
    }
    partial
}

/// One round: what a model said and called, and the answers.
#[derive(Debug)]
pub(crate) struct Round {
    /// Its words before the calls.
    pub(crate) text: String,
    /// Each call with its answer.
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
            (&["{}", &"x".repeat(LONGEST_ARGUMENTS)], Value::Null),
        ] {
            let mut partial = PartialCall::new(None, Some("search"));
            pieces.iter().for_each(|piece| partial.push(piece));
            let whole = partial.whole(2);
            assert_eq!((whole.id.as_str(), whole.arguments), ("call_2", expected), "{pieces:?}");
        }
    }
}
