//! Notifies a person of a message that may not have arrived, with a button that sends it again.

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;
use throughline_store::uncertain::UncertainMessage;

use super::choices::{ANYONE, Action, Bundle, Pressed, Question};
use crate::{Engine, Result};

/// Lifetime of the button.
const BUTTON_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Maximum number of quoted characters of the message.
const MAX_QUOTE_CHARS: usize = 40;

impl Engine {
    /// The notice of a message that may not have arrived.
    #[must_use]
    pub fn uncertain_notice(&self, uncertain: &UncertainMessage) -> Question {
        let bundle = Bundle {
            engine: self,
            chat: &uncertain.chat,
            person: ANYONE,
            id: self.ids.next(),
            lifetime: BUTTON_LIFETIME,
        };
        let said = match first_words(&uncertain.text) {
            words if words.is_empty() => ".".to_owned(),
            words => format!(": “{words}”"),
        };
        let action = Action::SendAgain { message: uncertain.message.to_string() };
        let text = format!("I am not sure that my last reply reached you{said}");
        bundle.question(text, &[("Send again", action)])
    }

    pub(super) async fn chosen_to_send_again(&self, chat: &ChatId, message: &str) -> Result<Pressed> {
        let Ok(message) = message.parse::<MessageId>() else { return Ok(Pressed::text(NOTHING_LEFT)) };
        Ok(match self.store.chat(chat).uncertain_pieces(message).await? {
            0 => Pressed::text(NOTHING_LEFT),
            _ => Pressed { send_again: Some(message), ..Pressed::text("Sent again.") },
        })
    }
}

const NOTHING_LEFT: &str = "There is nothing left to send again.";

/// The first words of a text in one line.
fn first_words(text: &str) -> String {
    let mut words = String::new();
    // Markdown marks would be shown literally.
    for word in text.replace(['*', '`'], "").split_whitespace() {
        if words.chars().count() + word.chars().count() >= MAX_QUOTE_CHARS {
            let room = if words.is_empty() { MAX_QUOTE_CHARS } else { 0 };
            words.extend(word.chars().take(room));
            return words.trim_end().to_owned() + "…";
        }
        words.push_str(word);
        words.push(' ');
    }
    words.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_quotes_the_first_words_in_one_line() {
        let cases = [
            ("", String::new()),
            ("Heard  the\nfirst.", "Heard the first.".to_owned()),
            (
                "The library closes at eight in the evening, and opens at nine.",
                "The library closes at eight in the…".to_owned(),
            ),
            (&"я".repeat(60), "я".repeat(40) + "…"),
        ];
        for (text, expected) in cases {
            assert_eq!(first_words(text), expected);
        }
    }
}
