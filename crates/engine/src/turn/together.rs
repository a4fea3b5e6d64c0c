//! Combines the messages that one turn answers: those of one person as one text, those of several with their
//! speakers.

use throughline_domain::context::collapse::shown_text;
use throughline_domain::context::{Current, StoredMessage, Voice};

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
pub(super) fn voices(messages: &[StoredMessage]) -> Vec<Voice> {
    let mut voices: Vec<Voice> = Vec::new();
    if !have_several_speakers(messages) {
        return voices;
    }
    for message in messages.iter().map(|stored| &stored.message) {
        let (Some(speaker), Some(text)) = (&message.speaker, shown_text(message)) else { continue };
        match voices.iter_mut().find(|voice| voice.speaker == *speaker) {
            Some(voice) => voice.text = format!("{}\n{text}", voice.text),
            None => voices.push(Voice { speaker: speaker.clone(), text: text.into_owned() }),
        }
    }
    voices
}

/// Returns true if several people wrote the messages.
fn have_several_speakers(messages: &[StoredMessage]) -> bool {
    messages.windows(2).any(|pair| match pair {
        [one, other] => one.message.speaker != other.message.speaker,
        _ => false,
    })
}
