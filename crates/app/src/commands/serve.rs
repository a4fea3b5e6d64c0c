//! `serve`: serves HTTP and channels, starts routines and runs background jobs until a signal to stop.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use throughline_engine::Engine;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot};

use crate::channels::notices::Notices;
use crate::channels::{Channels, Host};
use crate::cli::Serve;
use crate::commands::{clean_daily_backups, daily_backup};
use crate::http::{self, Web};
use crate::output::{Failure, Output};
use crate::schedule::Scheduler;
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Time between checks for jobs that no message enqueued, such as a conversation that has ended.
const JOBS_INTERVAL: Duration = Duration::from_secs(10);
/// Time between checks for a new day without a backup.
const BACKUP_INTERVAL: Duration = Duration::from_secs(3600);
/// Maximum duration of one round of jobs.
const MAX_JOBS_ROUND: Duration = Duration::from_secs(60);
/// Time limit for HTTP requests after the signal to stop.
const REQUESTS_GRACE: Duration = Duration::from_secs(1);
/// Time limit for turns of HTTP clients, which cannot be answered later, after the signal to stop.
const TURNS_GRACE: Duration = Duration::from_secs(30);
/// Time limit for turns and sends of channels after the signal to stop.
const CHANNELS_GRACE: Duration = Duration::from_secs(5);

pub async fn run(args: &Serve, app: App, output: Output) -> Result<(), Failure> {
    let address = args.listen.unwrap_or(app.settings.listen);
    allow_many_connections();
    let mut lock = lock(&app)?;
    let app = Arc::new(app);
    let engine = app.engine().await?;
    check(address, &app, &engine).await?;
    http::proxy::record_broken_off(&engine).await?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::failed(
            "listen",
            format!("{address} cannot be listened on: {error}. Choose another with --listen"),
        )
    })?;
    // `throughline open` reads the server's address from this file.
    lock.set_len(0)?;
    write!(lock, "http://{}", listener.local_addr()?)?;
    // At the end, loops are aborted and tasks may finish.
    let (loops, tasks, jobs) = (Tasks::default(), Tasks::default(), Arc::new(Notify::new()));
    let host = Host {
        app: Arc::clone(&app),
        engine: engine.clone(),
        tasks: tasks.clone(),
        jobs: Arc::clone(&jobs),
        stops: Arc::default(),
    };
    let channels = Channels::connect(&host)?;
    // A signal may arrive as soon as the first line is printed.
    let stop = stop_signal()?;
    let routines = app.settings.routines.values().filter(|routine| routine.enabled).count();
    introduce(output, &app, &engine, listener.local_addr()?, &channels, routines).await?;
    tracing::info!(home = %app.home.display(), model = engine.model.name(), "serve started");
    channels.start(&loops);
    let scheduler = Scheduler {
        engine: engine.clone(),
        app: Arc::clone(&app),
        channels: channels.clone(),
        runs: KeyedTasks::new(&tasks),
        jobs: Arc::clone(&jobs),
    };
    if routines > 0 {
        loops.spawn(Arc::new(scheduler).watch());
    }
    let notices = Notices::new(&host, &channels, output);
    let backups = DailyBackups { app: Arc::clone(&app), engine: engine.clone(), next: Instant::now() };
    loops.spawn(work(backups, engine.clone(), channels.clone(), notices, jobs));
    let web = Web::new(host, channels.clone());
    loops.spawn(web.watch_messages());
    let turns = web.turns.clone();
    let finish = async {
        drop(loops);
        tokio::join!(turns.finish(TURNS_GRACE), tasks.finish(CHANNELS_GRACE));
    };
    answer(listener, web, stop, finish).await;
    channels.stop().await;
    tracing::info!("serve stopped");
    Ok(())
}

/// Refuses an address that other machines can reach if no token is set.
async fn check(address: SocketAddr, app: &App, engine: &Engine) -> Result<(), Failure> {
    let has_token = app.settings.api_token.is_some() || !engine.store.tokens().await?.is_empty();
    if address.ip().is_loopback() || has_token {
        return Ok(());
    }
    Err(Failure::failed(
        "listen",
        format!(
            "{address} can be reached from other machines, so a token is needed: set THROUGHLINE_API_TOKEN, make one with `throughline token add`, or listen on 127.0.0.1"
        ),
    ))
}

/// Raises the limit of open files to the system's maximum, because each connection is one.
fn allow_many_connections() {
    let limit = getrlimit(Resource::Nofile);
    // The default limit is enough for most, so an error does not matter.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Locks the home, which only one process may serve. The lock ends with the process.
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
    channels: &Channels,
    routines: usize,
) -> Result<(), Failure> {
    let channels = channels.states().await?;
    if output.is_json() {
        let mut document = serde_json::json!({
            "listening": format!("http://{address}"),
            "home": app.home,
            "model": engine.model.name(),
            "routines": routines,
        });
        if let Some(fields) = document.as_object_mut() {
            fields.extend(channels.iter().map(|(name, is_on, _)| ((*name).to_owned(), (*is_on).into())));
        }
        return output.write(&document.to_string());
    }
    let style = output.style();
    output.write(&format!(
        "{} {}",
        style.bold("Throughline"),
        style.dim(&format!("serves {}", app.home.display()))
    ))?;
    let mut rows = vec![("http", format!("http://{address}")), ("model", engine.model.name().to_owned())];
    rows.extend(channels.into_iter().map(|(name, _, state)| (name, state.to_owned())));
    rows.push(("routines", routines.to_string()));
    for (name, value) in rows {
        output.write(&format!("  {name:<9} {value}"))?;
    }
    output.write(&style.dim("Ctrl-C stops it."))
}

/// Runs background jobs after each message, and at regular intervals.
async fn work(
    mut backups: DailyBackups,
    engine: Engine,
    channels: Channels,
    mut notices: Notices,
    wake: Arc<Notify>,
) {
    loop {
        if let Err(error) = engine.run_jobs(Instant::now() + MAX_JOBS_ROUND).await {
            tracing::warn!(%error, "running background jobs failed; retrying in 10 s");
        }
        channels.offer_suggestions().await;
        notices.check().await;
        // The backup follows the jobs, so that it does not contain what they delete today.
        backups.run_if_due().await;
        let _ = tokio::time::timeout(JOBS_INTERVAL, wake.notified()).await;
    }
}

/// Writes a backup each day.
struct DailyBackups {
    app: Arc<App>,
    engine: Engine,
    next: Instant,
}

impl DailyBackups {
    async fn run_if_due(&mut self) {
        let kept = self.app.settings.daily_backups;
        if kept == 0 || Instant::now() < self.next {
            return;
        }
        // There is nothing to back up yet; the next check tries again.
        if !self.engine.store.figures().await.is_ok_and(|figures| figures.messages > 0) {
            return;
        }
        self.next = Instant::now() + BACKUP_INTERVAL;
        if let Err(failure) = daily_backup(&self.app, &self.engine, kept).await {
            tracing::warn!(?failure, "the daily backup failed; retrying in an hour");
        }
        if let Err(failure) = clean_daily_backups(&self.app, &self.engine).await {
            tracing::warn!(?failure, "cleaning the daily backups failed; retrying in an hour");
        }
    }
}

/// Serves HTTP until the signal to stop and the end of running work. Idle connections do not delay the end.
async fn answer(
    listener: TcpListener,
    web: Web,
    stop_signal: impl Future<Output = ()>,
    finish: impl Future<Output = ()>,
) {
    let (end, ending) = oneshot::channel::<()>();
    let (cut, cutting) = oneshot::channel::<()>();
    let http = http::serve(listener, web, async {
        let _ = ending.await;
    });
    let patience = async {
        let _ = cutting.await;
        tokio::time::sleep(REQUESTS_GRACE).await;
    };
    let answering = async {
        tokio::select! {
            () = http => {}
            () = patience => {}
        }
    };
    let stopping = async {
        stop_signal.await;
        drop(end);
        finish.await;
        drop(cut);
    };
    tokio::join!(answering, stopping);
}

/// Registers for the signals to stop.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // With `nohup`, SIGHUP is ignored so that the program outlives its terminal.
    let mut hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(async move {
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        let which = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            _ = hung_up => "SIGHUP",
        };
        tracing::info!(signal = which, "serve was told to stop");
    })
}

/// Returns true if this process was started with SIGHUP ignored. Only Linux reports this without unsafe code.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // Bit 0 is signal 1, SIGHUP.
    mask & 1 == 1
}
