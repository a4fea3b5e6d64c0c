//! Summarizes a span without a model.

use jiff::tz::TimeZone;
use throughline_text::summarize::{self, Sections, Spoken};

use crate::context::StoredMessage;
use crate::message::Role;
use crate::time;

/// Selects the sentences that are worth keeping and not in the previous sections. Ignores tools, routines and
/// commands.
#[must_use]
pub fn extractive(messages: &[StoredMessage], previous: &Sections, zone: &TimeZone) -> Sections {
    let talk: Vec<Spoken<'_>> = messages
        .iter()
        .map(|stored| &stored.message)
        .filter(|message| matches!(message.role, Role::User | Role::Assistant))
        .filter(|message| message.routine().is_none() && !message.is_command())
        .map(|message| Spoken {
            is_person: message.role == Role::User,
            speaker: message.speaker.as_deref(),
            text: &message.text,
            day: Some(time::day(message.occurred_at, zone)),
        })
        .collect();
    summarize::extractive(&talk, previous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::{lane_of, said_by};

    #[test]
    fn d4_only_what_people_and_the_assistant_say_is_kept() {
        let lane = lane_of(vec![
            said_by(Role::ToolResult, "my account number is 99812"),
            said_by(Role::System, "my account number is 99813"),
            said_by(Role::User, "my account number is 99814"),
        ]);
        let sections = extractive(&lane, &Sections::default(), &TimeZone::UTC);
        assert_eq!(sections.lines().collect::<Vec<_>>(), ["my account number is 99814"]);
    }
}
