//! Converts one message of Telegram Desktop's export.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::time::read_moment;
use throughline_engine::Inbound;
use throughline_engine::import::OWN;
use throughline_text::printable::printable;

use super::super::{Defaults, explain};
use super::Topics;
use crate::channels::telegram::media;
use crate::channels::telegram::wire::{
    Contact, File, Location, MapVenue, Media, Message, Poll, PollOption, Sticker,
};

/// The description of unknown content.
const UNKNOWN: &str = "[media]";

#[derive(Deserialize)]
struct Written {
    id: i64,
    #[serde(rename = "type", default)]
    kind: Option<String>,
    action: Option<String>,
    date: Option<String>,
    date_unixtime: Option<Seconds>,
    from: Option<String>,
    from_id: Option<Value>,
    forwarded_from: Option<Value>,
    saved_from: Option<Value>,
    reply_to_message_id: Option<i64>,
    message_thread_id: Option<i64>,
    #[serde(default)]
    text: Text,
    #[serde(flatten)]
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(i64),
    Digits(String),
}

/// The text of a message: plain, or in pieces, some of which are formatted.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Pieces(Vec<Piece>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Plain(String),
    Marked { text: String, href: Option<String> },
}

#[derive(Deserialize)]
struct Content {
    media_type: Option<String>,
    photo: Option<Value>,
    file: Option<String>,
    file_name: Option<String>,
    duration_seconds: Option<i64>,
    performer: Option<String>,
    title: Option<String>,
    sticker_emoji: Option<String>,
    location_information: Option<Location>,
    place_name: Option<String>,
    address: Option<String>,
    contact_information: Option<Contact>,
    poll: Option<WrittenPoll>,
}

#[derive(Deserialize)]
struct WrittenPoll {
    #[serde(default)]
    question: Text,
    #[serde(default)]
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    text: Text,
}

impl Default for Text {
    fn default() -> Self {
        Self::Plain(String::new())
    }
}

impl Text {
    /// The plain text. A link keeps its URL if its text differs.
    fn plain(self) -> String {
        match self {
            Self::Plain(text) => text,
            Self::Pieces(pieces) => pieces.into_iter().map(Piece::plain).collect(),
        }
    }
}

impl Piece {
    fn plain(self) -> String {
        match self {
            Self::Marked { text, href: Some(href) } if href != text => format!("{text} ({href})"),
            Self::Plain(text) | Self::Marked { text, .. } => text,
        }
    }
}

impl Content {
    /// The media in the bot's format, so that both are described in the same words.
    fn media(self) -> Media {
        // A file that was not exported has a note in parentheses instead of a path.
        let path = self.file.as_deref().filter(|path| !path.starts_with('('));
        let base = path.and_then(|path| path.rsplit('/').next()).map(str::to_owned);
        let file = File {
            duration: self.duration_seconds,
            file_name: self.file_name.or(base),
            performer: self.performer,
            title: self.title,
            ..File::default()
        };
        let mut media = Media {
            photo: self.photo.map(|_| Vec::new()),
            contact: self.contact_information.map(|contact| Contact {
                last_name: contact.last_name.filter(|name| !name.is_empty()),
                ..contact
            }),
            poll: self.poll.map(|poll| Poll {
                question: poll.question.plain(),
                options: poll
                    .answers
                    .into_iter()
                    .map(|answer| PollOption { text: answer.text.plain() })
                    .collect(),
            }),
            venue: self.place_name.map(|title| MapVenue { title, address: self.address.unwrap_or_default() }),
            location: self.location_information,
            ..Media::default()
        };
        match self.media_type.as_deref() {
            Some("animation") => media.animation = Some(file),
            Some("video_file") => media.video = Some(file),
            Some("video_message") => media.video_note = Some(file),
            Some("voice_message") => media.voice = Some(file),
            Some("audio_file") => media.audio = Some(file),
            Some("sticker") => {
                media.sticker = Some(Sticker { emoji: self.sticker_emoji, ..Sticker::default() });
            }
            Some(_) | None if self.file.is_some() => media.document = Some(file),
            Some(_) | None => {}
        }
        media
    }
}

/// Reads one message; `None` for a service message.
pub(super) fn read(
    json: &str,
    chat: &ChatId,
    topics: &mut Topics,
    defaults: &Defaults,
) -> Result<Option<Inbound>, String> {
    let written: Written =
        serde_json::from_str(json).map_err(|error| explain(&error, "a message needs id, date and text"))?;
    if written.kind.as_deref().is_some_and(|kind| kind != "message") {
        if written.action.as_deref() == Some("topic_created") {
            topics.open(written.id);
        }
        return Ok(None);
    }
    let topic = topics.of(written.id, written.message_thread_id, written.reply_to_message_id);
    let at = moment(&written, defaults)?;
    let speaker = speaker(&written);
    let reply_to = written.reply_to_message_id.filter(|target| !topics.is_opening(*target));
    let mut metadata = Map::new();
    metadata.insert(OWN.to_owned(), json!(defaults.is_me(&speaker)));
    if let Some(origin) = written.forwarded_from.or(written.saved_from) {
        let name = origin.as_str().map(str::to_owned);
        metadata.insert("forwarded".to_owned(), name.map_or(json!(true), Value::String));
    }
    let caption = Some(written.text.plain());
    let shown = Message { caption, media: written.content.media(), ..Message::default() };
    Ok(Some(Inbound {
        lane: Some(topic.map_or(Lane::Root, |topic| Lane::Topic(topic.to_string()))),
        text: media::words(&shown).unwrap_or_else(|| UNKNOWN.to_owned()),
        speaker: Some(speaker),
        at: Some(at),
        reply_to: reply_to.map(|target| target.to_string()),
        external_ids: vec![written.id.to_string()],
        metadata,
        ..Inbound::in_chat(chat.clone())
    }))
}

/// The time of a message. Seconds since 1970 are preferred, because they need no time zone.
fn moment(written: &Written, defaults: &Defaults) -> Result<jiff::Timestamp, String> {
    let seconds = match &written.date_unixtime {
        Some(Seconds::Number(seconds)) => Some(*seconds),
        Some(Seconds::Digits(digits)) => digits.parse().ok(),
        None => None,
    };
    let exact = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let said = exact.map(|at| at.to_string()).or_else(|| written.date.clone());
    let said = said.ok_or_else(|| "the message has no date".to_owned())?;
    read_moment(&said, &defaults.zone).map_err(|error| error.to_string())
}

/// The speaker of a message. Deleted accounts have only an id.
fn speaker(written: &Written) -> String {
    let shown = |name: &str| Some(printable(name).trim().to_owned()).filter(|name| !name.is_empty());
    let id = || match &written.from_id {
        Some(Value::String(id)) => shown(id),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    written.from.as_deref().and_then(shown).or_else(id).unwrap_or_else(|| "unknown".to_owned())
}
