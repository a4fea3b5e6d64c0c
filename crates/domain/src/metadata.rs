//! Walks the texts inside a message's metadata, which is arbitrary JSON of a channel or client.

use serde_json::{Map, Value};

/// Calls `each` with every text among the values, to change it.
pub fn change_each_text(metadata: &mut Map<String, Value>, mut each: impl FnMut(&mut String)) {
    metadata.values_mut().for_each(|value| change(value, &mut each));
}

/// Calls `each` with every key, text and number.
pub fn for_each_piece(metadata: &Map<String, Value>, mut each: impl FnMut(&str)) {
    visit_entries(metadata, &mut each);
}

fn visit_entries(entries: &Map<String, Value>, each: &mut impl FnMut(&str)) {
    for (key, value) in entries {
        each(key);
        visit(value, each);
    }
}

fn visit(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Number(number) => each(&number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| visit(value, each)),
        Value::Object(values) => visit_entries(values, each),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Replaces the texts and numbers for which `change` returns a text, and drops the entries with such a key.
pub fn change_each_piece(metadata: &mut Map<String, Value>, change: &impl Fn(&str) -> Option<String>) {
    metadata.retain(|key, _| change(key).is_none());
    metadata.values_mut().for_each(|value| change_piece(value, change));
}

fn change_piece(value: &mut Value, change: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
        Value::Number(number) => {
            if let Some(changed) = change(&number.to_string()) {
                *value = Value::String(changed);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| change_piece(value, change)),
        Value::Object(values) => change_each_piece(values, change),
        Value::Null | Value::Bool(_) => {}
    }
}

fn change(value: &mut Value, each: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(values) => values.iter_mut().for_each(|value| change(value, each)),
        Value::Object(values) => values.values_mut().for_each(|value| change(value, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_numbers_are_reached_too() {
        let written = serde_json::json!({ "one": "x", "b": [1, { "two": 2, "c": 47 }], "e": true });
        let Value::Object(mut metadata) = written else { unreachable!() };
        let mut found = Vec::new();
        for_each_piece(&metadata, |piece| found.push(piece.to_owned()));
        found.sort();
        assert_eq!(found, ["1", "2", "47", "b", "c", "e", "one", "two", "x"]);
        let gone = |piece: &str| ["one", "two", "47"].contains(&piece).then(|| "gone".to_owned());
        change_each_piece(&mut metadata, &gone);
        assert_eq!(Value::Object(metadata), serde_json::json!({ "b": [1, { "c": "gone" }], "e": true }));
    }

    #[test]
    fn every_text_is_reached_however_deep_and_nothing_else_is_touched() {
        let written =
            serde_json::json!({ "a": "one", "b": [1, "two", { "c": "three", "d": null }], "e": true });
        let Value::Object(mut metadata) = written else { unreachable!() };
        change_each_text(&mut metadata, |text| text.make_ascii_uppercase());
        let expected =
            serde_json::json!({ "a": "ONE", "b": [1, "TWO", { "c": "THREE", "d": null }], "e": true });
        assert_eq!(Value::Object(metadata), expected);
    }
}
