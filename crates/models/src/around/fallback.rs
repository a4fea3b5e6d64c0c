//! A chain of models: if one fails before its first word, the next is asked.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::breaker::Breaker;
use crate::{Answer, ChatModel, Error, Request, Toolbox};

/// Models in the order in which they are asked.
pub struct Fallback {
    links: Vec<Link>,
    name: String,
}

struct Link {
    model: Arc<dyn ChatModel>,
    breaker: Breaker,
}

impl Fallback {
    /// A chain named after its first model.
    #[must_use]
    pub fn new(models: Vec<Arc<dyn ChatModel>>) -> Self {
        let name = models.first().map(|model| model.name().to_owned()).unwrap_or_default();
        let links = models.into_iter().map(|model| Link { model, breaker: Breaker::default() });
        Self { links: links.collect(), name }
    }
}

#[async_trait]
impl ChatModel for Fallback {
    fn name(&self) -> &str {
        &self.name
    }

    /// Prepares only the first model, which usually answers.
    fn get_ready(&self, tools: Option<&Toolbox>) {
        if let Some(link) = self.links.first() {
            link.model.get_ready(tools);
        }
    }

    fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.links.first()?.model.expected_cost(read, written)
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let mut passed_over = Vec::new();
        for link in &self.links {
            match link.ask(request, &words).await {
                Ok(mut answer) => {
                    answer.failures.splice(0..0, passed_over.iter().map(failure));
                    return Ok(answer);
                }
                Err(error) => passed_over.push((link.model.name(), error)),
            }
        }
        Err(combined_error(&passed_over))
    }
}

impl Link {
    /// Asks the model, unless its breaker is open.
    async fn ask(&self, request: &Request, words: &Sender<String>) -> Result<Answer, Error> {
        self.breaker.admit().map_err(|rest| {
            let seconds = rest.as_secs().max(1);
            Error::Unavailable(format!("it failed too often and is asked again in {seconds} s"))
        })?;
        let (own, pieces) = channel(1);
        let (answer, sent) = tokio::join!(self.model.answer(request, own), forward(pieces, words));
        match answer {
            Err(error) if !sent.is_empty() => {
                // The person may have seen these words, so they become the answer, cut off.
                self.breaker.failed();
                let (model, cut) = (self.model.name().to_owned(), Some(error.to_string()));
                Ok(Answer { text: sent, model, cut, ..Answer::default() })
            }
            // Not the model's fault: a shorter prompt may fit.
            Err(error @ Error::TooLong(_)) => Err(error),
            Err(error) => {
                self.breaker.failed();
                Err(error)
            }
            Ok(answer) => {
                self.breaker.succeeded();
                Ok(answer)
            }
        }
    }
}

/// Forwards pieces, and returns them joined.
pub(super) async fn forward(mut pieces: Receiver<String>, words: &Sender<String>) -> String {
    let mut sent = String::new();
    while let Some(piece) = pieces.recv().await {
        sent.push_str(&piece);
        // The answer is returned even if nobody receives the pieces.
        let _ = words.send(piece).await;
    }
    sent
}

fn failure((name, error): &(&str, Error)) -> String {
    format!("{name}: {error}")
}

/// The error if every model failed: advice for each of them, or to try again.
fn combined_error(passed_over: &[(&str, Error)]) -> Error {
    let failures = passed_over.iter().map(failure).collect::<Vec<_>>().join("; ");
    let all = |kind: fn(&Error) -> bool| passed_over.iter().all(|(_, error)| kind(error));
    if passed_over.is_empty() {
        Error::Refused("no model is set up".to_owned())
    } else if all(|error| matches!(error, Error::TooLong(_))) {
        Error::TooLong(failures)
    } else if all(|error| matches!(error, Error::Refused(_))) {
        Error::Refused(failures)
    } else {
        Error::Unavailable(failures)
    }
}
