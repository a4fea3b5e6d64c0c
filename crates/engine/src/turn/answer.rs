//! Asks the model and passes its words on. Before the first of them is shown, the reply is on disk as pending.

use std::time::Instant;

use throughline_domain::context::Context;
use throughline_domain::turn::TurnId;
use throughline_models::{Answer, Request, Turn};
use tokio::sync::mpsc;

use super::Channel;
use crate::{Engine, Error, Result};

/// What the model answered, and how long it took.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// Milliseconds until it was complete.
    pub model_ms: f64,
}

impl Engine {
    /// Asks the model.
    ///
    /// # Errors
    /// When the model fails or says nothing.
    pub async fn answer(&self, turn: TurnId, context: &Context, channel: &dyn Channel) -> Result<Answered> {
        let began = Instant::now();
        let turn_of = Turn { context: context.clone(), now: self.now(), zone: self.settings.zone.clone() };
        let request = Request::Turn(Box::new(turn_of));
        let (words, mut heard) = mpsc::channel::<String>(64);
        let show = async {
            let mut begun = false;
            while let Some(piece) = heard.recv().await {
                if !begun {
                    self.store.begin_reply(turn).await?;
                    begun = true;
                }
                channel.show(&piece).await;
            }
            Ok::<(), Error>(())
        };
        let (answer, shown) = tokio::join!(self.model.answer(&request, words), show);
        shown?;
        let answer = answer.map_err(Error::Model)?;
        if answer.text.trim().is_empty() {
            return Err(Error::Model(throughline_models::Error::Unreadable("it is empty".to_owned())));
        }
        Ok(Answered { answer, model_ms: began.elapsed().as_secs_f64() * 1e3 })
    }
}
