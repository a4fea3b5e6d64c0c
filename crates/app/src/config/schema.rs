//! `config schema`: the JSON Schema of `config.toml`, for editors and other programs.

use std::path::Path;

use jiff::tz::TimeZone;
use serde_json::{Map, Value as Json, json};
use throughline_domain::chat::ChatId;
use throughline_domain::context::Preset;

use super::keys::{ANY_PRESET, ANY_ROUTINE, Key};
use super::settings::Settings;
use super::tree::{Node, Table};
use super::values::Value;

/// The JSON Schema (draft 2020-12) of `config.toml`.
#[must_use]
pub fn schema() -> Json {
    let mut defaults = Settings::defaults(Path::new(""), TimeZone::UTC);
    let mut document = Map::new();
    document.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    document.insert("title".to_owned(), json!("Throughline's config.toml"));
    document.extend(table(&Table::root(), &mut defaults));
    Json::Object(document)
}

fn table(known: &Table, defaults: &mut Settings) -> Map<String, Json> {
    let mut object = Map::from_iter([("type".to_owned(), json!("object"))]);
    if let Some((placeholder, node)) = known.any_name() {
        object.insert("propertyNames".to_owned(), name_schema(placeholder));
        object.insert("additionalProperties".to_owned(), node_schema(node, defaults));
        return object;
    }
    let properties =
        known.entries().map(|(name, node)| (name.to_owned(), node_schema(node, defaults))).collect();
    object.insert("properties".to_owned(), Json::Object(properties));
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

fn node_schema(node: &Node, defaults: &mut Settings) -> Json {
    match node {
        Node::Table(inner) => Json::Object(table(inner, defaults)),
        Node::Value(key) => value_schema(key, defaults),
    }
}

fn value_schema(key: &Key, defaults: &mut Settings) -> Json {
    let description = match key.variable {
        Some(variable) => format!("{} Variable: {variable}.", key.doc),
        None => key.doc.to_owned(),
    };
    let mut object = Map::from_iter([("description".to_owned(), json!(description))]);
    let (accepted, default) = key.describe(defaults);
    if let Json::Object(accepted) = accepted {
        object.extend(accepted);
    }
    if key.fixed_default && !default.is_null() {
        object.insert("default".to_owned(), default);
    }
    Json::Object(object)
}

fn name_schema(placeholder: &str) -> Json {
    match placeholder {
        ANY_PRESET => Preset::schema(),
        ANY_ROUTINE => json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 60}),
        _ => ChatId::schema(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::KEYS;
    use super::*;

    /// The paths of every value in the schema, as `keys` writes them.
    fn paths(schema: &Json, around: &str, found: &mut Vec<String>) {
        let inside =
            |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
        if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
            for (name, inner) in properties {
                paths(inner, &inside(name), found);
            }
        } else if let Some(inner) = schema.get("additionalProperties") {
            // "presets" contains "<preset>".
            let placeholder = format!("<{}>", around.trim_end_matches('s'));
            paths(inner, &inside(&placeholder), found);
        } else {
            found.push(around.to_owned());
        }
    }

    #[test]
    fn the_schema_lists_every_key_exactly_once() {
        let mut listed = Vec::new();
        paths(&schema(), "", &mut listed);
        let mut keys: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        listed.sort_unstable();
        keys.sort_unstable();
        assert_eq!(listed, keys);
    }

    #[test]
    fn every_table_is_closed() {
        let schema = schema();
        let mut tables = vec![&schema];
        let mut closed = 0;
        while let Some(table) = tables.pop() {
            let Some(properties) = table.get("properties").and_then(Json::as_object) else {
                tables.extend(table.get("additionalProperties"));
                continue;
            };
            assert_eq!(table["additionalProperties"], json!(false), "{table}");
            closed += 1;
            tables.extend(properties.values());
        }
        assert!(closed > 5, "found only {closed} tables");
    }

    #[test]
    fn a_key_is_described_with_its_type_default_and_variable() {
        let schema = schema();
        assert_eq!(
            schema["properties"]["ollama"]["properties"]["api_url"],
            json!({
                "description": "The address of Ollama. Variable: OLLAMA_API_URL.",
                "type": "string",
                "format": "uri",
                "pattern": "^(http|https)://.",
                "default": "http://127.0.0.1:11434",
            })
        );
        let routine = &schema["properties"]["routines"]["additionalProperties"]["properties"];
        assert_eq!(
            (&routine["enabled"]["default"], &routine["late_minutes"]["default"]),
            (&json!(true), &json!(180))
        );
        let preset = &schema["properties"]["presets"];
        assert_eq!(preset["propertyNames"]["enum"][5], "standard");
        assert_eq!(preset["additionalProperties"]["properties"]["block"]["minimum"], 1);
    }

    #[test]
    fn the_schema_is_the_same_on_every_machine() {
        let text = schema().to_string();
        for default in ["zone", "database_url"] {
            assert!(schema()["properties"][default].get("default").is_none(), "{text}");
        }
    }
}
