//! Asks a question again that has no complete reply. The question is not recorded a second time, and the new reply
//! replaces the incomplete one.

use std::time::Instant;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_store::turns::{OpenQuestion, Take};

use super::{ActiveTurn, Channel, Outcome};
use crate::{Engine, Result};

impl Engine {
    /// The newest question of a lane without a complete reply.
    pub async fn open_question(&self, chat: &ChatId, lane: &Lane) -> Result<Option<OpenQuestion>> {
        Ok(self.store.chat(chat).open_question(lane).await?)
    }

    /// Runs a turn for an open question; `None` if another turn has taken it meanwhile.
    ///
    /// # Errors
    /// If the lane stays busy, or the model fails again; then the question stays open.
    pub async fn ask_again(
        &self,
        question: &OpenQuestion,
        chat: &ChatId,
        lane: &Lane,
        agent: Option<&str>,
        channel: &dyn Channel,
    ) -> Result<Option<Outcome>> {
        let began = Instant::now();
        if let Some(turn) = question.turn {
            self.store.chat(chat).ask_again(turn).await?;
        }
        let Some((turn, messages)) = self.hold(chat, lane, Take::Waiting).await? else { return Ok(None) };
        let (chat, lane, agent) = (chat.clone(), lane.clone(), agent.map(str::to_owned));
        self.run_turn(ActiveTurn { turn, chat, lane, agent, messages, began }, channel).await.map(Some)
    }
}
