//! The same for JSON, where a member's name says more than its value.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::named::class_of_key;
use super::{Class, redact};

/// Redacts every string in the value, names included, and whatever stands under a name that is a secret's.
pub fn redact_json(value: &mut Value) {
    clean(value, None);
}

/// `class` is that of the secret that the value is said to be.
fn clean(value: &mut Value, class: Option<Class>) {
    match value {
        Value::String(text) => clean_text(text, class),
        Value::Number(_) if class == Some(Class::Password) => *value = Class::Password.marker().into(),
        Value::Array(items) => items.iter_mut().for_each(|item| clean(item, class)),
        Value::Object(members) => clean_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean_text(text: &mut String, class: Option<Class>) {
    match class {
        Some(class) if !text.is_empty() => class.marker().clone_into(text),
        _ => {
            if let Cow::Owned(clean) = redact(text) {
                *text = clean;
            }
        }
    }
}

fn clean_members(members: &mut Map<String, Value>) {
    for (name, mut value) in std::mem::take(members) {
        // A shell's PWD is a directory.
        let path =
            value.as_str().is_some_and(|text| text.starts_with('/')) && name.eq_ignore_ascii_case("pwd");
        clean(&mut value, class_of_key(&name).filter(|_| !path));
        let mut clean_name = redact(&name).into_owned();
        // Two secret names have one marker; neither member may be lost.
        while members.contains_key(&clean_name) {
            clean_name.push_str(&format!("+{}", members.len()));
        }
        members.insert(clean_name, value);
    }
}
