//! Retries a model that is overloaded, or whose connection breaks before its first word.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::{Sender, channel};

use super::backoff::Backoff;
use super::fallback::forward;
use crate::{Answer, ChatModel, Error, Request, Toolbox};

/// A model with retries while it is overloaded.
pub struct Retry<M> {
    model: M,
    within: Duration,
}

impl<M: ChatModel> Retry<M> {
    /// Wraps a model. Retries end when its first word is overdue.
    #[must_use]
    pub fn new(model: M, within: Duration) -> Self {
        Self { model, within }
    }
}

impl<M: ChatModel + 'static> Retry<M> {
    /// Wraps a model behind a pointer.
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

    fn get_ready(&self, tools: Option<&Toolbox>) {
        self.model.get_ready(tools);
    }

    fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.model.expected_cost(read, written)
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let mut backoff = Backoff::within(self.within);
        loop {
            let (own, pieces) = channel(1);
            let (answer, sent) = tokio::join!(self.model.answer(request, own), forward(pieces, &words));
            match &answer {
                Err(error) if sent.is_empty() && backoff.pause(error).await => {}
                _ => return answer,
            }
        }
    }
}
