//! Describes messages that are not text: a short description in brackets, followed by the caption.

use throughline_engine::attachments::MAX_FILE_BYTES;
use throughline_store::attachments::{AttachmentKind, NewAttachment};

use super::wire::{Contact, File, MapVenue, Media, Message, Poll};

/// The text of a message, or the description of its media; `None` if there is nothing to record.
pub fn words(message: &Message) -> Option<String> {
    if let Some(text) = message.text.as_deref().filter(|text| !text.trim().is_empty()) {
        return Some(text.to_owned());
    }
    let caption = message.caption.as_deref().map(str::trim).filter(|caption| !caption.is_empty());
    match (described(&message.media), caption) {
        (Some(shown), Some(caption)) => Some(format!("[{shown}] {caption}")),
        (Some(shown), None) => Some(format!("[{shown}]")),
        // An unknown kind of message: only its caption can be read.
        (None, Some(caption)) => Some(caption.to_owned()),
        (None, None) => None,
    }
}

/// The attached file whose content can be used: a picture, document, still sticker or speech. Animations and videos
/// are only described.
pub fn attachment(media: &Media) -> Option<NewAttachment> {
    let new_attachment = |kind: AttachmentKind, file: &File| NewAttachment {
        kind,
        source: file.file_id.clone(),
        name: file.file_name.clone(),
        media_type: file.mime_type.clone(),
        bytes: file.file_size,
    };
    let found = if media.animation.is_some() || media.video.is_some() {
        None
    } else if let Some(photo) = &media.photo {
        // The sizes are in ascending order.
        let fits = |size: &&File| size.file_size.is_none_or(|bytes| bytes <= MAX_FILE_BYTES);
        photo.iter().rfind(fits).map(|size| new_attachment(AttachmentKind::File, size))
    } else if let Some(voice) = &media.voice {
        Some(new_attachment(AttachmentKind::Voice, voice))
    } else if let Some(note) = &media.video_note {
        Some(new_attachment(AttachmentKind::Video, note))
    } else if let Some(audio) = &media.audio {
        Some(new_attachment(AttachmentKind::Audio, audio))
    } else if let Some(document) = &media.document {
        Some(new_attachment(AttachmentKind::File, document))
    } else {
        let still = media.sticker.as_ref().filter(|sticker| !sticker.is_animated && !sticker.is_video);
        still.map(|sticker| {
            let file =
                File { file_id: sticker.file_id.clone(), file_size: sticker.file_size, ..File::default() };
            new_attachment(AttachmentKind::File, &file)
        })
    };
    found.filter(|file| !file.source.is_empty())
}

fn described(media: &Media) -> Option<String> {
    // A venue comes with a location, and an animation with a document, so the most specific kind is checked first.
    None.or_else(|| {
        media.venue.as_ref().map(|MapVenue { title, address }| format!("place: {title}, {address}"))
    })
    .or_else(|| media.animation.as_ref().map(|_| "animation".to_owned()))
    .or_else(|| media.photo.as_ref().map(|_| "photo".to_owned()))
    .or_else(|| media.video.as_ref().map(|file| timed("video", file)))
    .or_else(|| media.video_note.as_ref().map(|file| timed("video message", file)))
    .or_else(|| media.voice.as_ref().map(|file| timed("voice message", file)))
    .or_else(|| media.audio.as_ref().map(audio))
    .or_else(|| media.document.as_ref().map(|file| named("file", file.file_name.as_deref())))
    .or_else(|| media.sticker.as_ref().map(|sticker| named("sticker", sticker.emoji.as_deref())))
    .or_else(|| {
        media.location.as_ref().map(|at| format!("location: {:.5}, {:.5}", at.latitude, at.longitude))
    })
    .or_else(|| media.contact.as_ref().map(contact))
    .or_else(|| media.poll.as_ref().map(poll))
    .or_else(|| media.dice.as_ref().map(|dice| format!("{} {}", dice.emoji, dice.value)))
    .or_else(|| media.story.as_ref().map(|_| "story".to_owned()))
}

fn named(kind_name: &str, name: Option<&str>) -> String {
    name.map_or_else(|| kind_name.to_owned(), |name| format!("{kind_name}: {name}"))
}

fn timed(kind_name: &str, file: &File) -> String {
    file.duration.map_or_else(|| kind_name.to_owned(), |seconds| format!("{kind_name}, {seconds} s"))
}

fn audio(file: &File) -> String {
    let title = match (&file.performer, &file.title) {
        (Some(performer), Some(title)) => Some(format!("{performer}, {title}")),
        (None, Some(title)) => Some(title.clone()),
        _ => file.file_name.clone(),
    };
    named("audio", title.as_deref())
}

fn contact(Contact { first_name, last_name, phone_number }: &Contact) -> String {
    let last = last_name.as_deref().map(|last| format!(" {last}")).unwrap_or_default();
    format!("contact: {first_name}{last}, {phone_number}")
}

fn poll(Poll { question, options }: &Poll) -> String {
    let options: Vec<&str> = options.iter().map(|option| option.text.as_str()).collect();
    format!("poll: {question} ({})", options.join(" / "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_no_text_is_described_with_its_caption() {
        let cases: [(Value, Option<&str>); 15] = [
            (json!({ "text": "hello" }), Some("hello")),
            (json!({ "photo": [{ "file_id": "x" }], "caption": "my cat" }), Some("[photo] my cat")),
            (json!({ "photo": [{}] }), Some("[photo]")),
            (json!({ "voice": { "duration": 12 } }), Some("[voice message, 12 s]")),
            (
                json!({ "document": { "file_name": "report.pdf" }, "caption": "read it" }),
                Some("[file: report.pdf] read it"),
            ),
            (json!({ "animation": {}, "document": { "file_name": "a.gif" } }), Some("[animation]")),
            (json!({ "audio": { "performer": "Bach", "title": "Air" } }), Some("[audio: Bach, Air]")),
            (json!({ "sticker": { "emoji": "😀" } }), Some("[sticker: 😀]")),
            (
                json!({ "location": { "latitude": 1.28, "longitude": 103.85 } }),
                Some("[location: 1.28000, 103.85000]"),
            ),
            (
                json!({ "venue": { "title": "Maxwell", "address": "Kadayanallur St" }, "location": {} }),
                Some("[place: Maxwell, Kadayanallur St]"),
            ),
            (
                json!({ "contact": { "first_name": "Ana", "phone_number": "+65 1" } }),
                Some("[contact: Ana, +65 1]"),
            ),
            (
                json!({ "poll": { "question": "Where?", "options": [{ "text": "Here" }, { "text": "There" }] } }),
                Some("[poll: Where? (Here / There)]"),
            ),
            (json!({ "dice": { "emoji": "🎲", "value": 4 } }), Some("[🎲 4]")),
            (json!({ "paid_media": {}, "caption": "look" }), Some("look")),
            (json!({ "new_chat_members": [] }), None),
        ];
        for (message, expected) in cases {
            let read: Message = serde_json::from_value(message.clone()).unwrap();
            assert_eq!(words(&read).as_deref(), expected, "{message}");
        }
    }

    #[test]
    fn the_file_of_a_message_is_the_largest_size_and_nothing_that_moves() {
        let cases = [
            (
                json!({ "photo": [{ "file_id": "s", "file_size": 9 }, { "file_id": "l", "file_size": 99 }] }),
                Some("l"),
            ),
            (
                json!({ "photo": [{ "file_id": "s" }, { "file_id": "l", "file_size": 30_000_000 }] }),
                Some("s"),
            ),
            (json!({ "photo": [{}] }), None),
            (json!({ "animation": { "file_id": "a" }, "document": { "file_id": "a" } }), None),
            (json!({ "video": { "file_id": "v" } }), None),
            (json!({ "document": { "file_id": "d" }, "caption": "x" }), Some("d")),
            (json!({ "voice": { "file_id": "v" } }), Some("v")),
            (json!({ "sticker": { "file_id": "st" } }), Some("st")),
            (json!({ "sticker": { "file_id": "st", "is_animated": true } }), None),
            (json!({ "text": "hello" }), None),
        ];
        for (message, expected) in cases {
            let read: Message = serde_json::from_value(message.clone()).unwrap();
            assert_eq!(attachment(&read.media).map(|file| file.source).as_deref(), expected, "{message}");
        }
    }
}
