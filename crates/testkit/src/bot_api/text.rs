//! Text as Telegram stores it: trimmed, with entities counted in UTF-16 units.

use serde_json::{Value, json};

use super::fields::{number, set};

/// Text with entities.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Formatted {
    pub text: String,
    pub entities: Vec<Value>,
}

impl Formatted {
    /// Plain text, with the commands and mentions that Telegram detects.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), entities: found(text) }
    }

    /// With outer entities before inner ones, as the server sends them.
    pub fn in_order(mut self) -> Self {
        self.entities
            .sort_by_key(|entity| (count(entity, "offset"), std::cmp::Reverse(count(entity, "length"))));
        self
    }

    /// Without surrounding space, which the server drops.
    pub fn trimmed(self) -> Self {
        let start = self.text.trim_start();
        let skipped = units(&self.text) - units(start);
        let text = start.trim_end().to_owned();
        let end = units(&text);
        let kept = |mut entity: Value| {
            let begin = count(&entity, "offset");
            let until = (begin + count(&entity, "length")).saturating_sub(skipped).min(end);
            let begin = begin.saturating_sub(skipped);
            set(&mut entity, "offset", begin);
            set(&mut entity, "length", until.saturating_sub(begin));
            (until > begin).then_some(entity)
        };
        Self { entities: self.entities.into_iter().filter_map(kept).collect(), text }
    }
}

/// The length of a text as Telegram counts it.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The commands and mentions of a plain text.
fn found(text: &str) -> Vec<Value> {
    let mut entities = Vec::new();
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let name_end =
            |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = match word.chars().next() {
            Some(sign @ ('/' | '@')) => {
                let rest = word.strip_prefix(sign).unwrap_or_default();
                let name = name_end(rest);
                // A command may include the bot's name.
                let bot = rest.get(name..).and_then(|rest| rest.strip_prefix('@')).map_or(0, name_end);
                let addressed = if sign == '/' && name > 0 && bot > 0 { bot + 1 } else { 0 };
                (name > 0).then_some((sign, 1 + name + addressed))
            }
            _ => None,
        };
        if let Some((sign, length)) = length {
            let kind = if sign == '/' { "bot_command" } else { "mention" };
            entities.push(json!({ "type": kind, "offset": offset, "length": length }));
        }
        offset += units(word);
    }
    entities
}

fn count(entity: &Value, name: &str) -> usize {
    number(entity, name).and_then(|number| number.try_into().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_mentions_are_found() {
        let at = |kind: &str, offset, length| json!({ "type": kind, "offset": offset, "length": length });
        let cases = [
            ("/start", vec![at("bot_command", 0, 6)]),
            ("🌱 /why@this_bot please", vec![at("bot_command", 3, 13)]),
            ("hi @ana, and a@b.c", vec![at("mention", 3, 4)]),
            ("1/2 / @ 5", vec![]),
        ];
        for (text, entities) in cases {
            assert_eq!(found(text), entities, "{text}");
        }
    }

    #[test]
    fn trimming_moves_entities_along_and_drops_empty_ones() {
        let bold = |offset, length| json!({ "type": "bold", "offset": offset, "length": length });
        let written = Formatted { text: "\n ab  ".to_owned(), entities: vec![bold(0, 2), bold(1, 5)] };
        assert_eq!(written.trimmed(), Formatted { text: "ab".to_owned(), entities: vec![bold(0, 2)] });
    }
}
