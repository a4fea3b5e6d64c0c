//! The texts inside a message's metadata, which is whatever JSON a door knew.

use serde_json::{Map, Value};

/// Calls `each` with every text among the values.
pub fn for_each_text(metadata: &Map<String, Value>, mut each: impl FnMut(&str)) {
    metadata.values().for_each(|value| read(value, &mut each));
}

/// Lets `each` change every text among the values.
pub fn change_each_text(metadata: &mut Map<String, Value>, mut each: impl FnMut(&mut String)) {
    metadata.values_mut().for_each(|value| change(value, &mut each));
}

fn read(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(values) => values.iter().for_each(|value| read(value, each)),
        Value::Object(values) => values.values().for_each(|value| read(value, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    fn every_text_is_reached_however_deep_and_nothing_else_is_touched() {
        let written =
            serde_json::json!({ "a": "one", "b": [1, "two", { "c": "three", "d": null }], "e": true });
        let Value::Object(mut metadata) = written else { unreachable!() };
        let mut texts = Vec::new();
        for_each_text(&metadata, |text| texts.push(text.to_owned()));
        assert_eq!(texts, ["one", "two", "three"]);
        change_each_text(&mut metadata, |text| text.make_ascii_uppercase());
        let expected =
            serde_json::json!({ "a": "ONE", "b": [1, "TWO", { "c": "THREE", "d": null }], "e": true });
        assert_eq!(Value::Object(metadata), expected);
    }
}
