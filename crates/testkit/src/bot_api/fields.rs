//! Reads and writes the fields of JSON objects.

use serde_json::Value;

/// A numeric field.
pub(super) fn number(object: &Value, name: &str) -> Option<i64> {
    object.get(name)?.as_i64()
}

/// A text field.
pub(super) fn words<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

/// Returns true if a field is present and true.
pub(super) fn is_true(object: &Value, name: &str) -> bool {
    object.get(name) == Some(&Value::Bool(true))
}

/// Sets a field.
pub(super) fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
}

/// The author of a message.
pub(super) fn writer(message: &Value) -> Option<i64> {
    number(message.get("from")?, "id")
}

/// A message's id.
pub(super) fn id_of(message: &Value) -> i64 {
    number(message, "message_id").unwrap_or_default()
}

/// The text or caption of a message.
pub(super) fn text_of(message: &Value) -> String {
    words(message, "text").or_else(|| words(message, "caption")).unwrap_or_default().to_owned()
}
