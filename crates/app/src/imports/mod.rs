//! File formats that can be imported: one file each, and one row in [`IMPORTERS`].

#[cfg(test)]
pub mod broken;
pub mod carried;
mod chatgpt;
mod claude;
pub mod claude_code;
mod conversation;
pub mod jsonl;
mod mem0;
mod messages;
mod stream;
mod telegram;
mod whatsapp;
pub mod zipped;

use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;

use jiff::tz::TimeZone;
use throughline_domain::channel::is_group;
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_engine::Inbound;
use throughline_engine::import::OWN;
use throughline_store::carried::Carried;
use throughline_text::printable::printable;

use crate::output::Failure;

/// All formats, in the order in which `--format auto` tries them. The last two are the least specific: any array may
/// be a list of messages, and any object a line.
pub const IMPORTERS: &[&dyn Importer] = &[
    &chatgpt::ChatGpt,
    &claude::Claude,
    &mem0::Mem0,
    &telegram::Telegram,
    &whatsapp::WhatsApp,
    &claude_code::ClaudeCode,
    &messages::Messages,
    &jsonl::Jsonl,
];

/// Maximum size of one entry of a file in bytes, with escapes, which bounds the memory of an import.
const LONGEST_ENTRY: u64 = 16 * 1024 * 1024;
/// Maximum size of one conversation in bytes, because it is in memory as a whole.
const LONGEST_CONVERSATION: u64 = 64 * 1024 * 1024;

/// Reads one file format as a stream of messages.
pub trait Importer: Sync {
    /// The name for `--format`.
    fn name(&self) -> &'static str;

    /// Returns true if a file that begins with `head` looks like this format.
    fn recognizes(&self, head: &[u8]) -> bool;

    /// Passes each entry to `sink` as soon as it is read. An entry that is not a message is passed as an error, and
    /// reading continues.
    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure>;

    /// Like `read`, but also passes on memories, summaries and suppressions, which only this program's own format
    /// contains.
    fn read_home(
        &self,
        input: &mut dyn BufRead,
        defaults: &Defaults,
        sink: &mut HomeSink<'_>,
    ) -> Result<(), Failure> {
        self.read(input, defaults, &mut |line, entry| sink(line, entry.map(Entry::Message)))
    }
}

/// An entry of a file.
#[expect(clippy::large_enum_variant, reason = "nearly all are messages, and none is kept")]
pub enum Entry {
    /// A message.
    Message(Inbound),
    /// A memory, a summary or a suppression.
    Carried(Carried),
}

/// Receives entries of every kind, like [`Sink`] receives messages.
pub type HomeSink<'a> = SinkOf<'a, Entry>;

/// Receives the first line of an entry, counted from 1, and its message or the reason why it is not a message.
pub type Sink<'a> = SinkOf<'a, Inbound>;

/// Receives the first line of an entry, and its content or the reason why it has none.
pub type SinkOf<'a, T> = dyn FnMut(u64, Result<T, String>) -> Result<(), Failure> + 'a;

/// Defaults for values that an entry omits.
pub struct Defaults {
    /// The chat of entries that name none.
    pub chat: ChatId,
    /// The zone of times without an offset.
    pub zone: TimeZone,
    /// The owner's name in chats of several people.
    pub me: Option<String>,
    /// The file that is read, if it has a name.
    pub file: Option<PathBuf>,
    /// The existing chats.
    pub known: HashSet<ChatId>,
}

impl Defaults {
    /// Defaults without the names of the owner and the file.
    pub fn new(chat: ChatId, zone: TimeZone) -> Self {
        Self { chat, zone, me: None, file: None, known: HashSet::new() }
    }

    /// Marks whether a message of a private chat is the owner's, because only the owner's words are learned from.
    fn mark_own(&self, inbound: &mut Inbound) {
        if let Some(speaker) = inbound.speaker.as_deref()
            && inbound.role == Role::User
            && !is_group(&inbound.chat)
        {
            let own = self.is_me(speaker);
            inbound.metadata.entry(OWN).or_insert(own.into());
        }
    }

    /// Returns true if a speaker has the owner's name.
    fn is_me(&self, speaker: &str) -> bool {
        let plain = |name: &str| printable(name).trim().to_lowercase();
        self.me.as_deref().is_some_and(|me| !plain(me).is_empty() && plain(me) == plain(speaker))
    }
}

/// The importer with this name.
pub fn named(name: &str) -> Option<&'static dyn Importer> {
    IMPORTERS.iter().copied().find(|importer| importer.name() == name)
}

/// The importer that recognizes a file by its first bytes. Unrecognized files are read as JSON Lines, which reports each
/// line that is wrong.
pub fn recognized(head: &[u8]) -> &'static dyn Importer {
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    IMPORTERS.iter().copied().find(|importer| importer.recognizes(head)).unwrap_or(&jsonl::Jsonl)
}

/// The JSON parser's error without its position inside the entry, which people do not see. `needs` names what an entry
/// must have.
fn explain(error: &serde_json::Error, needs: &str) -> String {
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let column = error.column();
    // An unpaired surrogate escape.
    if what.contains("surrogate") || what == "unexpected end of hex escape" {
        return format!("a lone surrogate, half of a \\u pair, is no character (column {column})");
    }
    format!("{what} (column {column}); {needs}")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Everything that an importer passes to its sink.
    pub fn read_all(importer: &dyn Importer, text: &str) -> Vec<(u64, Result<Inbound, String>)> {
        let mut found = Vec::new();
        let defaults = Defaults::new(ChatId::terminal(), TimeZone::UTC);
        let mut sink = |line, entry| {
            found.push((line, entry));
            Ok(())
        };
        importer.read(&mut Cursor::new(text), &defaults, &mut sink).unwrap();
        found
    }

    /// The texts of a file without errors.
    pub fn said(importer: &dyn Importer, text: &str) -> Vec<String> {
        read_all(importer, text).into_iter().map(|(_, entry)| entry.unwrap().text).collect()
    }

    #[test]
    fn a_format_is_recognized_by_its_content() {
        let cases = [
            ("", "jsonl"),
            ("not JSON at all", "jsonl"),
            (r#"{"chat":"cli:chat:main","role":"user","text":"[hello]"}"#, "jsonl"),
            ("\u{feff}\n {\"role\":\"user\",\"metadata\":{\"messages\":[]},\"text\":\"x\"}\n", "jsonl"),
            ("[]", "messages"),
            ("\u{feff} \r\n[\n  {\"role\": \"user\"", "messages"),
            ("{\n  \"model\": \"gpt\",\n  \"messages\": [\n    {\"role\"", "messages"),
            (r#"{"messages":[]}"#, "messages"),
            (r#"[{"role":"user","content":"x","mapping":1}]"#, "messages"),
            (r#"[{"title":"t","create_time":1.5,"mapping":{"a":{"id""#, "chatgpt"),
            (r#"{"title":"t","mapping":{"#, "chatgpt"),
            ("[\n  {\"uuid\":\"u\",\"name\":\"\",\"account\":{},\"chat_messages\":[{\"uuid", "claude"),
            (r#"{"uuid":"u","chat_messages":[]}"#, "claude"),
            (r#"[{"id":"m","memory":"Likes tea","user_id":"ana"}]"#, "mem0"),
            (r#"{"results":[{"id":"m","memory":"Likes t"#, "mem0"),
            (r#"{"count":1,"memories":[{"text":"Likes tea","user_id":"ana"}]}"#, "mem0"),
            ("{\"id\":\"m\",\"memory\":\"one a line\"}\n{\"id\":\"n\",\"memory\":\"two\"}", "mem0"),
            (r#"{"text":"Likes tea","user_id":"ana"}"#, "mem0"),
            (r#"{"kind":"memory","id":"m","chat":"cli:chat:main","text":"Likes tea"}"#, "jsonl"),
            (r#"{"type":"transcript","messages":[]}"#, "messages"),
            (r#"{"name":"Bo","type":"personal_chat","id":7,"messages":[{"id":1,"#, "telegram"),
            (r#"{"about":"Here is","personal_information":{"user_id":1,"#, "telegram"),
            (r#"{"chats":{"about":"","list":[{"name":"#, "telegram"),
            ("[12.03.24, 18:05:11] Ana: Hallo", "whatsapp"),
            ("\u{200e}[12.03.24, 18:05:11] Ana: \u{200e}Hallo", "whatsapp"),
            ("3/12/24, 6:05\u{202f}PM - Ana: Hello\nand more", "whatsapp"),
            ("[12, 3, 24]", "messages"),
            (r#"{"type":"queue-operation","sessionId":"s","content":"hello"}"#, "claude-code"),
            (
                "{\"type\":\"summary\",\"leafUuid\":\"u\"}\n{\"parentUuid\":null,\"sessionId\":\"s",
                "claude-code",
            ),
            ("12/03/2024 was a Tuesday", "jsonl"),
        ];
        for (head, expected) in cases {
            assert_eq!(recognized(head.as_bytes()).name(), expected, "{head}");
        }
    }

    #[test]
    fn every_importer_is_found_by_its_name() {
        let names: Vec<&str> = IMPORTERS.iter().map(|importer| importer.name()).collect();
        assert_eq!(
            names,
            ["chatgpt", "claude", "mem0", "telegram", "whatsapp", "claude-code", "messages", "jsonl"]
        );
        for name in names {
            assert_eq!(named(name).map(Importer::name), Some(name));
        }
        assert!(named("csv").is_none());
    }

    #[test]
    fn every_importer_stops_when_the_sink_takes_no_more() {
        let cases = [
            ("jsonl", "{\"chat\":\"cli:chat:a\",\"role\":\"user\",\"text\":\"x\"}\n".repeat(3)),
            ("messages", r#"[{"role":"user","content":"x"},{"role":"user","content":"y"}]"#.to_owned()),
            ("mem0", r#"[{"id":"1","memory":"x"},{"id":"2","memory":"y"}]"#.to_owned()),
            (
                "claude",
                r#"[{"uuid":"u","chat_messages":[{"sender":"human","text":"x"},{"sender":"human","text":"y"}]}]"#
                    .to_owned(),
            ),
            ("chatgpt", "[{}, {}]".to_owned()),
            (
                "telegram",
                r#"{"type":"personal_chat","id":7,"messages":[{"id":1,"date":"2024-03-01","text":"x"},{}]}"#
                    .to_owned(),
            ),
            ("whatsapp", "12/03/2024, 18:05 - Ana: x\n".repeat(3)),
            (
                "claude-code",
                "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"cwd\":\"/a\",\"message\":{\"content\":\"x\"}}\n".repeat(3),
            ),
        ];
        for (name, text) in cases {
            let defaults = Defaults::new(ChatId::terminal(), TimeZone::UTC);
            let mut taken = 0;
            let mut sink = |_, _| {
                taken += 1;
                Err(Failure::Reported)
            };
            let ended = named(name).unwrap().read(&mut Cursor::new(text), &defaults, &mut sink);
            assert!(matches!(ended, Err(Failure::Reported)), "{name}");
            assert_eq!(taken, 1, "{name}");
        }
    }
}
