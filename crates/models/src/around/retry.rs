//! Asks a model again that is overloaded, or whose connection breaks before its first word.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, sleep};

use super::fallback::forward;
use crate::{Answer, ChatModel, Error, Request};

/// Back-off after the first failure; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Maximum number of times that one request is sent.
const ATTEMPTS: u32 = 4;

/// A model that is asked again while it is overloaded.
pub struct Retry<M> {
    model: M,
    within: Duration,
}

impl<M: ChatModel> Retry<M> {
    /// A model that is asked again for as long as its first word may take.
    #[must_use]
    pub fn new(model: M, within: Duration) -> Self {
        Self { model, within }
    }
}

impl<M: ChatModel + 'static> Retry<M> {
    /// The same behind a pointer, as chains and engines take it.
    #[must_use]
    pub fn shared(model: M, within: Duration) -> Arc<dyn ChatModel> {
        Arc::new(Self::new(model, within))
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Retry<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn get_ready(&self) {
        self.model.get_ready();
    }

    fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.model.expected_cost(read, written)
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let until = Instant::now() + self.within;
        let mut attempt = 0;
        loop {
            let (own, pieces) = channel(1);
            let (answer, sent) = tokio::join!(self.model.answer(request, own), forward(pieces, &words));
            let pause = match &answer {
                Err(Error::Overloaded { after, .. }) if sent.is_empty() => {
                    after.unwrap_or(FIRST_PAUSE.saturating_mul(1 << attempt))
                }
                _ => return answer,
            };
            attempt += 1;
            if attempt == ATTEMPTS || Instant::now() + pause >= until {
                return answer;
            }
            sleep(pause).await;
        }
    }
}
