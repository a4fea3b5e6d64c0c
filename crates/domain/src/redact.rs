//! tmp
use std::borrow::Cow;
/// tmp
pub fn redact(text: &str) -> Cow<'_, str> { Cow::Borrowed(text) }
/// tmp
pub fn redact_json(_: &mut serde_json::Value) {}
