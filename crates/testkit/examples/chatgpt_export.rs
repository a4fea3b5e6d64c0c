//! Writes a made-up export of ChatGPT to stdout, to measure imports: `chatgpt_export MEGABYTES > conversations.json`.
//! Sizes follow real exports: short questions, long answers with lists and code, metadata around each, other branches.

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let megabytes: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut out = Counted { out: BufWriter::with_capacity(1 << 20, io::stdout().lock()), bytes: 0 };
    let mut made = MadeUp::new();
    write!(out, "[")?;
    let mut conversation = 0;
    while out.bytes < megabytes * 1_000_000 {
        if conversation > 0 {
            write!(out, ", ")?;
        }
        made.conversation(conversation, &mut out)?;
        conversation += 1;
    }
    writeln!(out, "]")?;
    out.flush()
}

struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Text and numbers that are the same in each run.
struct MadeUp {
    state: u64,
    words: Vec<String>,
}

impl MadeUp {
    fn new() -> Self {
        let mut made = Self { state: 42, words: Vec::new() };
        for _ in 0..30_000 {
            let word = (0..1 + made.below(3)).map(|_| made.syllable()).collect();
            made.words.push(word);
        }
        made
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn syllable(&mut self) -> String {
        let pick = |made: &mut Self, letters: &str| {
            letters.chars().nth(made.below(letters.len() as u64) as usize).unwrap_or('a')
        };
        [pick(self, "bcdfghklmnprstvw"), pick(self, "aeiou"), pick(self, "nrstlm")].iter().collect()
    }

    /// A word; a few are frequent and most are rare, as in any language.
    fn word(&mut self) -> &str {
        let spread = 1 << self.below(15);
        let index = self.below(spread) as usize;
        self.words.get(index).map_or("a", String::as_str)
    }

    /// Sentences of at least so many characters, as JSON writes them.
    fn text(&mut self, length: u64, text: &mut String) {
        text.clear();
        let length = length as usize;
        while text.len() < length {
            for n in 0..6 + self.below(14) {
                let word = self.word().to_owned();
                if n > 0 {
                    text.push(' ');
                }
                text.push_str(&word);
                match self.below(40) {
                    0 => text.push_str(", "),
                    1 => text.push_str(" \\u2019tis "),
                    2 => text.push_str(&format!(" {}", self.below(3_000))),
                    3 => text.push_str(" **so** "),
                    _ => {}
                }
            }
            text.push_str(match self.below(8) {
                0 => ".\\n\\n- ",
                1 => "?\\n",
                2 if length > 1_500 => ".\\n\\n```python\\nfor row in table:\\n    print(row[\\\"name\\\"], row.value)\\n```\\n\\n",
                _ => ". ",
            });
        }
    }

    fn id(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            high >> 32,
            high & 0xffff,
            low >> 52,
            low & 0xfff,
            high >> 16
        )
    }

    fn conversation(&mut self, number: u64, out: &mut impl Write) -> io::Result<()> {
        let turns = 1 + self.below(5) + self.below(4) * self.below(6);
        let mut at = 1_650_000_000.0 + number as f64 * 9_000.0;
        let (id, root, mut parent) = (self.id(), self.id(), self.id());
        let mut text = String::new();
        self.text(30, &mut text);
        write!(
            out,
            r#"{{"title": "{}", "create_time": {at:.6}, "update_time": {:.6}, "mapping": {{"{root}": {{"id": "{root}", "message": null, "parent": null, "children": ["{parent}"]}}, "#,
            text.trim(),
            at + 900.0
        )?;
        let system = r#""author": {"role": "system", "name": null, "metadata": {}}, "create_time": null, "update_time": null, "content": {"content_type": "text", "parts": [""]}, "status": "finished_successfully", "end_turn": true, "weight": 0.0, "metadata": {"is_visually_hidden_from_conversation": true}, "recipient": "all", "channel": null"#;
        write!(
            out,
            r#""{parent}": {{"id": "{parent}", "message": {{"id": "{parent}", {system}}}, "parent": "{root}", "children": []}}"#
        )?;
        for _ in 0..turns {
            for role in ["user", "assistant"] {
                let (length, branches) = match role {
                    "user" => (20 + self.below(60) * self.below(8), 1),
                    _ => (150 + self.below(700) * self.below(6), 1 + u64::from(self.below(12) == 0)),
                };
                let before = parent.clone();
                for _ in 0..branches {
                    parent = self.id();
                    at += 20.0;
                    self.text(length, &mut text);
                    self.node(&parent, &before, role, at, &text, out)?;
                }
            }
        }
        write!(
            out,
            r#"}}, "moderation_results": [], "current_node": "{parent}", "plugin_ids": null, "conversation_id": "{id}", "conversation_template_id": null, "gizmo_id": null, "gizmo_type": null, "is_archived": false, "is_starred": null, "safe_urls": [], "blocked_urls": [], "default_model_slug": "gpt-4o", "voice": null, "async_status": null, "id": "{id}"}}"#
        )
    }

    fn node(
        &mut self,
        id: &str,
        parent: &str,
        role: &str,
        at: f64,
        text: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let request = self.id();
        let metadata = match role {
            "user" => format!(
                r#"{{"selected_sources": [], "selected_github_repos": [], "serialization_metadata": {{"custom_symbol_offsets": []}}, "request_id": "{request}", "message_source": null, "timestamp_": "absolute", "message_type": null}}"#
            ),
            _ => format!(
                r#"{{"finish_details": {{"type": "stop", "stop_tokens": [200002]}}, "is_complete": true, "citations": [], "content_references": [], "message_type": null, "model_slug": "gpt-4o", "default_model_slug": "gpt-4o", "parent_id": "{parent}", "request_id": "{request}", "timestamp_": "absolute", "message_source": null}}"#
            ),
        };
        write!(
            out,
            r#", "{id}": {{"id": "{id}", "message": {{"id": "{id}", "author": {{"role": "{role}", "name": null, "metadata": {{}}}}, "create_time": {at:.6}, "update_time": null, "content": {{"content_type": "text", "parts": ["{text}"]}}, "status": "finished_successfully", "end_turn": true, "weight": 1.0, "metadata": {metadata}, "recipient": "all", "channel": null}}, "parent": "{parent}", "children": []}}"#
        )
    }
}
