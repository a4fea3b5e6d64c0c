//! `send`: sends a text in the name of a routine, recorded like every message of the assistant.

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

pub async fn run(args: &Send, app: App, output: Output) -> Result<(), Failure> {
    check_name(&args.routine).map_err(|why| Failure::Usage(format!("--routine: {why}")))?;
    let name = args.routine.clone();
    let lane = lane(args.lane.as_deref(), &args.chat)?.unwrap_or(Lane::Root);
    let words = text(args.text.as_deref())?;
    let engine = app.engine().await?;
    let agent = app.settings.routines.get(&name).and_then(|routine| routine.agent.as_ref());
    let agent = agent.map(|agent| agent.0.clone());
    let outbox = |lane: &Lane, text: RoutineText<'_>| compose(&args.chat, lane, text.into());
    let recorded =
        engine.say_as_routine(&name, (&args.chat, &lane), agent.as_deref(), &words, &outbox, None).await?;
    let app = Arc::new(app);
    send_outbox(&app, &engine, &args.chat).await?;
    let key = recorded.lane.key(&args.chat);
    let delivery = engine.store.chat(&args.chat).delivery_of(recorded.id).await?;
    let short = engine.short_ids(&args.chat, [recorded.id.0]).await?.of(recorded.id.0);
    output.print(
        || json!({ "id": recorded.id, "chat": args.chat, "lane": key, "conversation": recorded.conversation, "routine": name, "delivery": delivery }),
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

/// Sends the outbox of a chat; fails if the channel refuses it.
pub async fn send_outbox(app: &Arc<App>, engine: &Engine, chat: &ChatId) -> Result<(), Failure> {
    match try_to_send(app, engine, chat).await? {
        None => Ok(()),
        Some(why) => Err(Failure::failed("refused", format!("{chat} was not reached: {why}"))),
    }
}

/// Sends as much of a chat's outbox as possible, and runs due jobs.
pub async fn deliver(app: App, engine: &Engine, chat: &ChatId) -> Result<(), Failure> {
    let app = Arc::new(app);
    try_to_send(&app, engine, chat).await?;
    app.run_jobs(engine).await;
    Ok(())
}

/// Sends pending items, whether or not `serve` runs, and returns the reason if the channel refused one.
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
