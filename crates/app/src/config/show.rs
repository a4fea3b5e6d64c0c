//! `config show`: every setting, its value and its source. Secrets are not shown.

use serde::Serialize;
use serde_json::{Value as Json, json};
use throughline_text::shorten::cut;

use super::problem::Source;
use super::settings::Settings;

/// One line of `config show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingRow {
    /// The key, as it is written in `config.toml`.
    pub key: String,
    /// The value; null if there is none.
    pub value: Json,
    /// Its source.
    pub source: Source,
}

/// Maximum length of a value in the table, in characters. The JSON contains the whole value.
const WIDEST: usize = 60;

/// Every setting of the run.
#[must_use]
pub fn show(settings: &Settings) -> Vec<SettingRow> {
    settings.shown.clone()
}

/// The settings as one JSON document.
#[must_use]
pub fn document(settings: &[SettingRow]) -> Json {
    json!({ "settings": settings })
}

/// The settings as an aligned table, one line each.
#[must_use]
pub fn table(settings: &[SettingRow]) -> String {
    let heading = ["key".to_owned(), "value".to_owned(), "source".to_owned()];
    let rows =
        settings.iter().map(|shown| [shown.key.clone(), in_one_line(&shown.value), shown.source.to_string()]);
    let rows: Vec<[String; 3]> = std::iter::once(heading).chain(rows).collect();
    let width = |column: fn(&[String; 3]) -> &String| {
        rows.iter().map(|row| column(row).chars().count()).max().unwrap_or_default()
    };
    let (keys, values) = (width(|[key, _, _]| key), width(|[_, value, _]| value));
    rows.iter().map(|[key, value, source]| format!("{key:keys$}  {value:values$}  {source}\n")).collect()
}

/// A value as a table cell: cut to [`WIDEST`], without line breaks and control characters.
fn in_one_line(value: &Json) -> String {
    let text = match value {
        Json::Null => return "(not set)".to_owned(),
        Json::String(text) => text.split(char::is_control).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    cut(&text, WIDEST)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn some() -> Vec<SettingRow> {
        let shown = |key: &str, value: Json, source| SettingRow { key: key.to_owned(), value, source };
        vec![
            shown("zone", json!("Europe/Berlin"), Source::Variable("USER_TIMEZONE")),
            shown(
                "telegram.bot_token",
                json!("(set)"),
                Source::File(PathBuf::from("/h/config.toml"), Some(12)),
            ),
            shown("telegram.allowed_users", json!([4711, 815]), Source::Default),
            shown("user_name", Json::Null, Source::Default),
            shown("context.budget", json!(500), Source::Flag("--budget")),
            shown(
                "chats.\"cli:chat:main\".identity",
                json!(format!("terse\n{}", "é".repeat(70))),
                Source::Default,
            ),
        ]
    }

    #[test]
    fn the_table_is_aligned_one_line_a_setting() {
        let cut = format!("terse {}…", "é".repeat(53));
        let wide = |value: &str| format!("{value:60}");
        let expected = [
            format!("key                             {}  source\n", wide("value")),
            format!("zone                            {}  USER_TIMEZONE\n", wide("Europe/Berlin")),
            format!("telegram.bot_token              {}  config.toml:12\n", wide("(set)")),
            format!("telegram.allowed_users          {}  default\n", wide("[4711,815]")),
            format!("user_name                       {}  default\n", wide("(not set)")),
            format!("context.budget                  {}  --budget\n", wide("500")),
            format!("chats.\"cli:chat:main\".identity  {cut}  default\n"),
        ];
        assert_eq!(table(&some()), expected.concat());
    }

    #[test]
    fn the_document_holds_key_value_and_source() {
        let document = document(&some());
        assert_eq!(
            document["settings"][1],
            json!({"key": "telegram.bot_token", "value": "(set)", "source": "config.toml:12"})
        );
        assert_eq!(document["settings"][3], json!({"key": "user_name", "value": null, "source": "default"}));
    }
}
