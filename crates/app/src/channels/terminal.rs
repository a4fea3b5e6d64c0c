//! The terminal as a channel: words appear as they come.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use throughline_domain::message::Message;
use throughline_engine::turn::Channel;

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

    async fn deliver(&self, reply: &Message) -> Result<Vec<String>, String> {
        let mut stdout = std::io::stdout().lock();
        let rest = if self.begun.load(Ordering::Relaxed) { "" } else { reply.text.as_str() };
        writeln!(stdout, "{rest}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
        Ok(Vec::new())
    }
}

/// Shows nothing: the reply is part of a document that is printed when the turn is done.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

#[async_trait]
impl Channel for Quiet {
    async fn show(&self, _: &str) {}

    async fn deliver(&self, _: &Message) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}
