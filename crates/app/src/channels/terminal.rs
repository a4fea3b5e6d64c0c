//! The terminal as a channel: words appear as they come.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::json;
use throughline_engine::turn::{Channel, Outcome};

/// Shows replies on stdout.
#[derive(Debug, Default)]
pub struct Terminal {
    begun: AtomicBool,
}

#[async_trait]
impl Channel for Terminal {
    async fn show(&self, words: &str) {
        self.begun.store(true, Ordering::Relaxed);
        let mut stdout = std::io::stdout().lock();
        // A reader that went away is found out when the whole reply is delivered.
        let _ = write!(stdout, "{words}").and_then(|()| stdout.flush());
    }

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let mut stdout = std::io::stdout().lock();
        let rest = if self.begun.load(Ordering::Relaxed) { "" } else { outcome.reply.text.as_str() };
        writeln!(stdout, "{rest}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// Shows the whole turn as one JSON document, when it is done.
#[derive(Debug, Clone, Copy)]
pub struct Document;

#[async_trait]
impl Channel for Document {
    async fn show(&self, _: &str) {}

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        let usage = json!({
            "input_tokens": outcome.usage.input_tokens,
            "output_tokens": outcome.usage.output_tokens,
            "cost_usd": outcome.usage.cost_usd,
        });
        let document = json!({ "reply": outcome.reply.text, "turn": outcome.turn, "receipt": outcome.receipt, "usage": usage });
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{document}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}
