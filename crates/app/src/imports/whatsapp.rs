//! WhatsApp's `_chat.txt`: one line per message, and further lines that continue it. Dates are in the format of the
//! phone; the beginning of the file shows whether the day or the month comes first.

mod header;
mod marks;

use std::collections::HashSet;
use std::io::{BufRead, Cursor, Read};
use std::path::Path;

use serde_json::{Map, json};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::time::read_moment;
use throughline_engine::Inbound;
use throughline_engine::import::OWN;
use throughline_text::printable::{is_unprintable, printable};

use self::header::{Header, Order};
use super::{Defaults, Importer, LONGEST_ENTRY, Sink};
use crate::output::Failure;

/// Maximum number of bytes that are read to determine the order of dates, and whether the chat is a group.
const AHEAD: u64 = 4 * 1024 * 1024;
/// The name of a chat whose file does not name it.
const UNNAMED: &str = "import";
/// Maximum length of a chat's name, in bytes.
const LONGEST_NAME: usize = 200;
/// Words between "WhatsApp" and the chat's name in file names, in the languages of the app.
const JOINTS: [&str; 14] = [
    " with ", " mit ", " con ", " com ", " avec ", " met ", " med ", " cu ", " z ", " s ", " с ", " із ",
    " ile ", " - ",
];

/// A chat that WhatsApp exported.
pub struct WhatsApp;

impl Importer for WhatsApp {
    fn name(&self) -> &'static str {
        "whatsapp"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Header::read(&String::from_utf8_lossy(first)).is_some()
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let mut ahead = Vec::new();
        (&mut *input).take(AHEAD).read_to_end(&mut ahead)?;
        let seen = FileTraits::of(&ahead);
        let mut reader = Reader {
            chat: chat(defaults, seen.speakers.len() > 2),
            order: seen.order.decided(),
            defaults,
            sink,
            open: None,
            has_begun: false,
        };
        let mut lines = Cursor::new(ahead).chain(input);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = (&mut lines).take(LONGEST_ENTRY).read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                break;
            }
            if read == LONGEST_ENTRY && !line.ends_with(b"\n") {
                lines.skip_until(b'\n')?;
                reader.broken(number, format!("the line is longer than {LONGEST_ENTRY} bytes"))?;
            } else {
                reader.read_line(number, &line)?;
            }
        }
        reader.close()
    }
}

/// Properties of a file that its beginning shows.
#[derive(Default)]
struct FileTraits {
    order: header::Evidence,
    speakers: HashSet<String>,
}

impl FileTraits {
    fn of(ahead: &[u8]) -> Self {
        let mut seen = Self::default();
        for line in ahead.split(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            let Some(header) = Header::read(&line) else { continue };
            seen.order.add(&header);
            if let Some((speaker, text)) = marks::spoken(header.rest)
                && marks::said(text).is_some()
                && seen.speakers.len() < 3
            {
                seen.speakers.insert(speaker.to_owned());
            }
        }
        seen
    }
}

/// The chat of a file: the default chat if it is one of WhatsApp's, or else named after the file. The name of a group
/// has a leading minus. A chat that was imported before keeps its id, even if a third person has joined it since.
fn chat(defaults: &Defaults, has_many_speakers: bool) -> ChatId {
    if ChannelKind::of(&defaults.chat) == Some(ChannelKind::WhatsApp) {
        return defaults.chat.clone();
    }
    let name = defaults.file.as_deref().and_then(named_by).unwrap_or_else(|| UNNAMED.to_owned());
    let named = |sign: &str| {
        let chat = ChannelKind::WhatsApp.chat(&format!("{sign}{name}"));
        chat.or_else(|| ChannelKind::WhatsApp.chat(&format!("{sign}{UNNAMED}")))
            .unwrap_or_else(|| defaults.chat.clone())
    };
    let (private, group) = (named(""), named("-"));
    match (defaults.known.contains(&private), defaults.known.contains(&group)) {
        (true, false) => private,
        (false, true) => group,
        _ if has_many_speakers => group,
        _ => private,
    }
}

/// The chat's name in the name of a file, such as "WhatsApp Chat with Ana.txt", or of its folder.
fn named_by(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_string_lossy().into_owned();
    let whole = match stem.trim_start_matches('_') == "chat" {
        true => file.parent()?.file_name()?.to_string_lossy().into_owned(),
        false => stem.clone(),
    };
    let lower = whole.to_lowercase();
    if whole != stem && !lower.contains("whatsapp") {
        return None;
    }
    let name = match lower.contains("whatsapp") {
        true => {
            JOINTS.iter().find_map(|joint| whole.split_once(joint)).map_or(whole.as_str(), |(_, name)| name)
        }
        false => &whole,
    };
    Some(valid(without_copy_number(name))).filter(|name| !name.is_empty())
}

/// The name without the number of a repeated download, such as `Ana (1)`.
fn without_copy_number(name: &str) -> &str {
    let number = name.trim_end().strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
    match number {
        Some((name, number)) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => name,
        _ => name,
    }
}

/// A valid name of a chat: words joined by hyphens, without a leading one.
fn valid(name: &str) -> String {
    let plain: String = name.chars().filter(|c| !is_unprintable(*c) || c.is_whitespace()).collect();
    let mut joined = plain.split_whitespace().collect::<Vec<_>>().join("-");
    while joined.len() > LONGEST_NAME {
        joined.pop();
    }
    joined.trim_matches('-').to_owned()
}

/// A message whose end has not been read yet.
struct Open {
    line: u64,
    message: Result<Said, String>,
}

struct Said {
    at: jiff::Timestamp,
    speaker: String,
    text: String,
}

struct Reader<'d, 's, 'a> {
    chat: ChatId,
    order: Order,
    defaults: &'d Defaults,
    sink: &'s mut Sink<'a>,
    open: Option<Open>,
    /// Whether a line with a date has been read.
    has_begun: bool,
}

impl Reader<'_, '_, '_> {
    fn read_line(&mut self, number: u64, line: &[u8]) -> Result<(), Failure> {
        let Ok(text) = std::str::from_utf8(line) else {
            return self.broken(number, "the line is not UTF-8 text".to_owned());
        };
        let text = text.trim_end_matches(['\n', '\r']);
        match Header::read(text) {
            Some(header) => self.begin(number, &header),
            None if line.ends_with(b"\n") || !header::is_cut(text) => self.continue_message(number, text),
            None => self.broken(number, "the file ends within the date of a message".to_owned()),
        }
    }

    fn begin(&mut self, number: u64, header: &Header<'_>) -> Result<(), Failure> {
        self.close()?;
        self.has_begun = true;
        let Some((speaker, text)) = marks::spoken(header.rest) else { return Ok(()) };
        let written = header.moment(self.order);
        let at = written.and_then(|at| {
            read_moment(&at.to_string(), &self.defaults.zone).map_err(|error| error.to_string())
        });
        let message = at.map(|at| Said { at, speaker: speaker.to_owned(), text: text.to_owned() });
        self.open = Some(Open { line: number, message });
        Ok(())
    }

    /// Handles a line without a date, which continues the previous message. There is none at the beginning of a file,
    /// or after a notice of the app.
    fn continue_message(&mut self, number: u64, line: &str) -> Result<(), Failure> {
        match &mut self.open {
            Some(open) => {
                if let Ok(said) = &mut open.message {
                    said.text.push('\n');
                    said.text.push_str(line);
                    if said.text.len() as u64 > LONGEST_ENTRY {
                        open.message = Err(format!("the message is longer than {LONGEST_ENTRY} bytes"));
                    }
                }
                Ok(())
            }
            None if self.has_begun || printable(line).trim().is_empty() => Ok(()),
            None => {
                self.has_begun = true;
                let why = "the line has no date and speaker, such as 12/03/2024, 18:05 - Ana: Hello";
                (self.sink)(number, Err(why.to_owned()))
            }
        }
    }

    /// Handles an unreadable line. The previous message counts as complete.
    fn broken(&mut self, number: u64, why: String) -> Result<(), Failure> {
        self.close()?;
        self.has_begun = true;
        (self.sink)(number, Err(why))
    }

    fn close(&mut self) -> Result<(), Failure> {
        let Some(Open { line, message }) = self.open.take() else { return Ok(()) };
        let said = match message {
            Ok(said) => said,
            Err(why) => return (self.sink)(line, Err(why)),
        };
        let Some(text) = marks::said(&said.text) else { return Ok(()) };
        let own = self.defaults.is_me(&said.speaker);
        (self.sink)(
            line,
            Ok(Inbound {
                text,
                at: Some(said.at),
                metadata: Map::from_iter([(OWN.to_owned(), json!(own))]),
                speaker: Some(said.speaker),
                ..Inbound::in_chat(self.chat.clone())
            }),
        )
    }
}

#[cfg(test)]
mod tests;
