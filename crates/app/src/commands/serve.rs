//! `serve`: answers over HTTP and on Telegram, starts routines, does background jobs, until it is told to stop.

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use throughline_engine::Engine;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use crate::channels::telegram::Gateway;
use crate::cli::Serve;
use crate::http;
use crate::output::{Failure, Output};
use crate::schedule::Scheduler;
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Jobs that nobody asked for, such as a conversation that has ended, are looked for so often.
const LOOK_FOR_JOBS: Duration = Duration::from_secs(10);
/// Jobs are done for so long at a time.
const AT_A_TIME: Duration = Duration::from_secs(60);
/// Requests that are being answered when it is told to stop have so long.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// What runs when it is told to stop has so long to finish.
const PATIENCE: Duration = Duration::from_secs(5);

pub async fn run(what: &Serve, app: App, output: Output) -> Result<(), Failure> {
    let address = what.listen.unwrap_or(app.settings.listen);
    check(address, &app)?;
    let _lock = lock(&app)?;
    let app = Arc::new(app);
    let engine = app.engine().await?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::failed(
            "listen",
            format!("{address} cannot be listened on: {error}. Choose another with --listen"),
        )
    })?;
    // What goes on for ever ends at once; what was begun may finish.
    let (loops, tasks, jobs) = (Tasks::default(), Tasks::default(), Arc::new(Notify::new()));
    let gateway = Gateway::new(&app, &engine, &tasks, &jobs)?;
    // Whoever reads that it serves may tell it to stop at once.
    let stop = told_to_stop()?;
    let routines = app.settings.routines.values().filter(|routine| routine.enabled).count();
    introduce(output, &app, &engine, listener.local_addr()?, gateway.as_deref(), routines).await?;
    if let Some(gateway) = &gateway {
        gateway.start(&loops);
    }
    let scheduler = Scheduler {
        engine: engine.clone(),
        app: Arc::clone(&app),
        gateway: gateway.clone(),
        runs: KeyedTasks::new(&tasks),
        jobs: Arc::clone(&jobs),
    };
    if routines > 0 {
        loops.spawn(Arc::new(scheduler).watch());
    }
    loops.spawn(work(engine.clone(), gateway.clone(), jobs));
    let served = answer(listener, http::routes(engine, app.settings.api_token.clone()), stop).await;
    drop(loops);
    tasks.finish(PATIENCE).await;
    if let Some(gateway) = &gateway {
        gateway.stop().await;
    }
    Ok(served?)
}

/// Whoever can reach the address can read everything, so that others than this machine must show a token.
fn check(address: SocketAddr, app: &App) -> Result<(), Failure> {
    if address.ip().is_loopback() || app.settings.api_token.is_some() {
        return Ok(());
    }
    Err(Failure::failed(
        "listen",
        format!(
            "{address} can be reached from other machines, so a token is needed: set THROUGHLINE_API_TOKEN, or listen on 127.0.0.1"
        ),
    ))
}

/// One at a time serves a home. The lock goes with the process, however it ends.
fn lock(app: &App) -> Result<File, Failure> {
    let path = app.home.join("serve.lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path)?;
    file.try_lock().map_err(|_| {
        Failure::failed(
            "busy",
            format!("another `throughline serve` runs with the home {}; stop it first", app.home.display()),
        )
    })?;
    Ok(file)
}

async fn introduce(
    output: Output,
    app: &App,
    engine: &Engine,
    address: SocketAddr,
    gateway: Option<&Gateway>,
    routines: usize,
) -> Result<(), Failure> {
    let telegram = match gateway {
        None => "off; set TELEGRAM_BOT_TOKEN, or run `throughline onboard`".to_owned(),
        Some(gateway) if gateway.serves_nobody().await? => {
            "on, but serves nobody: set TELEGRAM_USER_ID to your number, or telegram.pairing to \"on\""
                .to_owned()
        }
        Some(_) => "on".to_owned(),
    };
    if output.is_json() {
        let document = serde_json::json!({
            "listening": format!("http://{address}"),
            "home": app.home,
            "model": engine.model.name(),
            "telegram": gateway.is_some(),
            "routines": routines,
        });
        return output.write(&document.to_string());
    }
    let style = output.style();
    output.write(&format!(
        "{} {}",
        style.bold("Throughline"),
        style.dim(&format!("serves {}", app.home.display()))
    ))?;
    for (name, value) in [
        ("http", format!("http://{address}")),
        ("model", engine.model.name().to_owned()),
        ("telegram", telegram),
        ("routines", routines.to_string()),
    ] {
        output.write(&format!("  {name:<9} {value}"))?;
    }
    output.write(&style.dim("Ctrl-C stops it."))
}

/// Does background jobs whenever something was said, and looks for others now and then.
async fn work(engine: Engine, gateway: Option<Arc<Gateway>>, asked: Arc<Notify>) {
    loop {
        if let Err(error) = engine.run_jobs(Instant::now() + AT_A_TIME).await {
            tracing::warn!(%error, "background jobs wait");
        }
        if let Some(gateway) = &gateway
            && let Err(error) = gateway.offer().await
        {
            tracing::warn!(%error, "what was learned could not be asked about");
        }
        let _ = tokio::time::timeout(LOOK_FOR_JOBS, asked.notified()).await;
    }
}

/// Answers over HTTP until it is told to stop. Whoever holds a connection open without a word does not hold up the end.
async fn answer(
    listener: TcpListener,
    routes: Router,
    told_to_stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let service = routes.into_make_service_with_connect_info::<SocketAddr>();
    let http = axum::serve(listener, service).with_graceful_shutdown(async {
        let _ = ending.await;
    });
    let stop = async {
        told_to_stop.await;
        drop(end);
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    tokio::select! {
        served = http.into_future() => served,
        () = stop => Ok(()),
    }
}

/// Listens for being told to stop, from now on.
fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
