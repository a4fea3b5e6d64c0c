//! `/start`, `/new`, `/stop` when no reply is in progress, and unknown commands.

use super::{Answer, help};

const WELCOME: &str = "\
I am your assistant, and I remember what we talk about: across days and topics, and after a restart.\n\
Just write to me. You can always see what I know with /memory, and take it back with /forget.";

pub(super) fn start() -> Answer {
    Answer::Text(format!("{WELCOME}\n\n{}", help(false)))
}

/// Recording the line itself begins the new conversation.
pub(super) fn new() -> Answer {
    Answer::Text("A new conversation begins. I still remember what was said before.".to_owned())
}

/// A channel stops a reply before it runs the commands of that lane.
pub(super) fn nothing_to_stop() -> Answer {
    Answer::Text("No reply is being written here.".to_owned())
}

pub(super) fn unknown(name: &str) -> Answer {
    Answer::Text(format!("There is no /{name}.\n{}", help(false)))
}
