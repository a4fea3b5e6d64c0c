//! Combines the messages that one turn answers: those of one person as one text, those of several with their
//! speakers.

use throughline_domain::context::collapse::shown_text;
use throughline_domain::context::{Current, SpeakerPart, StoredMessage};

/// Combines messages; those of several people are labeled with their speakers.
pub(super) fn together(messages: &[StoredMessage]) -> Current {
    let several = have_several_speakers(messages);
    let texts = messages.iter().filter_map(|stored| {
        let text = shown_text(&stored.message)?;
        Some(match &stored.message.speaker {
            Some(name) if several => format!("{name}: {text}"),
            _ => text.into_owned(),
        })
    });
    Current {
        ids: messages.iter().map(|stored| stored.message.id).collect(),
        text: texts.collect::<Vec<_>>().join("\n"),
        speaker: messages.last().and_then(|stored| stored.message.speaker.clone()).filter(|_| !several),
    }
}

/// The texts by speaker if several people wrote, in the order of their first messages.
pub(super) fn speaker_parts(messages: &[StoredMessage]) -> Vec<SpeakerPart> {
    let mut parts: Vec<SpeakerPart> = Vec::new();
    if !have_several_speakers(messages) {
        return parts;
    }
    for message in messages.iter().map(|stored| &stored.message) {
        let (Some(speaker), Some(text)) = (&message.speaker, shown_text(message)) else { continue };
        match parts.iter_mut().find(|part| part.speaker == *speaker) {
            Some(part) => part.text = format!("{}\n{text}", part.text),
            None => parts.push(SpeakerPart { speaker: speaker.clone(), text: text.into_owned() }),
        }
    }
    parts
}

/// Returns true if several people wrote the messages.
fn have_several_speakers(messages: &[StoredMessage]) -> bool {
    messages.windows(2).any(|pair| match pair {
        [one, other] => one.message.speaker != other.message.speaker,
        _ => false,
    })
}
