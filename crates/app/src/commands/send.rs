//! `send`: says something in a routine's name, recorded like everything that the assistant says.

use std::sync::Arc;

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::turn::Delivery;
use throughline_engine::Engine;
use throughline_engine::routines::RoutineText;
use tokio::sync::Notify;

use super::lane_named as lane;
use super::record::text;
use crate::channels::{Channels, Host, compose};
use crate::cli::Send;
use crate::config::routines::check_name;
use crate::output::{Failure, Output};
use crate::tasks::Tasks;
use crate::wire::App;

pub async fn run(what: &Send, app: App, output: Output) -> Result<(), Failure> {
    check_name(&what.routine).map_err(|why| Failure::Usage(format!("--routine: {why}")))?;
    let name = what.routine.clone();
    let lane = lane(what.lane.as_deref(), &what.chat)?.unwrap_or(Lane::Root);
    let words = text(what.text.as_deref())?;
    let engine = app.engine().await?;
    let agent = app.settings.routines.get(&name).and_then(|routine| routine.agent.as_ref());
    let agent = agent.map(|agent| agent.0.clone());
    let outbox = |lane: &Lane, text: RoutineText<'_>| compose(&what.chat, lane, text.into());
    let said =
        engine.say_as_routine(&name, (&what.chat, &lane), agent.as_deref(), &words, &outbox, None).await?;
    let app = Arc::new(app);
    reach(&app, &engine, &what.chat).await?;
    let key = said.lane.key(&what.chat);
    let delivery = engine.store.chat(&what.chat).delivery_of(said.id).await?;
    let short = engine.short_ids(&what.chat, [said.id.0]).await?.of(said.id.0);
    output.print(
        || json!({ "id": said.id, "chat": what.chat, "lane": key, "conversation": said.conversation, "routine": name, "delivery": delivery }),
        |style| {
            let came = match delivery {
                None => "recorded",
                Some(Delivery::Sent) => "sent",
                Some(Delivery::Uncertain) => "recorded; Telegram did not answer, so nobody knows whether it arrived",
                Some(Delivery::Pending | Delivery::Failed) => {
                    "recorded; it is sent when Telegram can be reached and `throughline serve` runs"
                }
            };
            format!("{} {came} {}", style.good("✓"), style.dim(&format!("{short} in {key}")))
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Sends what a chat has to be sent; that it is refused is a failure.
pub async fn reach(app: &Arc<App>, engine: &Engine, chat: &ChatId) -> Result<(), Failure> {
    match try_to_send(app, engine, chat).await? {
        None => Ok(()),
        Some(why) => Err(Failure::failed("refused", format!("{chat} was not reached: {why}"))),
    }
}

/// Sends what a chat has to be sent, as far as that can be done, and does what jobs are due.
pub async fn deliver(app: App, engine: &Engine, chat: &ChatId) -> Result<(), Failure> {
    let app = Arc::new(app);
    try_to_send(&app, engine, chat).await?;
    app.run_jobs(engine).await;
    Ok(())
}

/// Sends what is pending, whether or not `serve` runs, and gives the reason if the channel refused it.
async fn try_to_send(app: &Arc<App>, engine: &Engine, chat: &ChatId) -> Result<Option<String>, Failure> {
    let host = Host {
        app: Arc::clone(app),
        engine: engine.clone(),
        tasks: Tasks::default(),
        jobs: Arc::new(Notify::new()),
        stops: Arc::default(),
    };
    match Channels::connect(&host)?.sender(chat) {
        Some(sender) => Ok(sender.try_once(chat).await?),
        None => Ok(None),
    }
}
