//! Accepts connections and answers calls, unless a test planned a fault.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};

use super::Shared;
use super::calls::Call;
use super::faults::{Fault, Form, Moment};
use super::files;
use super::http::{self, Request, Response};
use super::methods;
use super::params::Params;
use super::refusal::Refusal;

/// Maximum wait of a poll at the real server.
const MAX_POLL: Duration = Duration::from_secs(50);

/// Serves every connection until the runtime ends, except while connections are refused.
pub(super) async fn run(shared: Arc<Shared>, listener: std::net::TcpListener) {
    let address = listener.local_addr().expect("the address of the listener");
    let mut listener = TcpListener::from_std(listener).expect("a listener");
    let mut refusing = shared.refusing.subscribe();
    loop {
        tokio::select! {
            () = take_connections(&shared, &listener) => {}
            _ = refusing.wait_for(|is_refusing| *is_refusing) => {}
        }
        // Stops listening on the port and closes the connections.
        drop(listener);
        shared.is_away.send_replace(true);
        let _ = refusing.wait_for(|is_refusing| !*is_refusing).await;
        listener = TcpListener::bind(address).await.expect("the same port");
        shared.is_away.send_replace(false);
    }
}

async fn take_connections(shared: &Arc<Shared>, listener: &TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(serve(Arc::clone(shared), stream));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let mut offline = shared.offline.subscribe();
    tokio::select! {
        biased;
        _ = async { offline.wait_for(|is_offline| *is_offline).await.is_ok() } => {}
        () = converse(&shared, stream) => {}
    }
}

/// Answers the requests of a connection in order. Returning closes the connection.
async fn converse(shared: &Arc<Shared>, stream: TcpStream) {
    let mut connection = BufReader::new(stream);
    while let Ok(Some(request)) = http::read(&mut connection).await {
        let response = tokio::select! {
            biased;
            () = http::gone(&connection) => return,
            response = answer(shared, request) => response,
        };
        let Some(response) = response else { return };
        if http::write(&mut connection, &response).await.is_err() {
            return;
        }
    }
}

/// The answer to a request; `None` to close the connection.
async fn answer(shared: &Arc<Shared>, request: Request) -> Option<Response> {
    let is_file = request.path.starts_with("/file/");
    let path = request.path.strip_prefix("/file").filter(|_| is_file).unwrap_or(&request.path);
    let (token, written) =
        path.strip_prefix("/bot").and_then(|path| path.split_once('/')).unwrap_or_default();
    let method = if is_file { files::ENDPOINT } else { methods::name(written).unwrap_or(written) };
    let call = Call {
        method: method.to_owned(),
        params: request.params.values.clone().into(),
        at: Instant::now(),
        answered: None,
    };
    let (number, fault) = shared.change(|world| {
        world.calls.push(call.clone());
        (world.calls.len() - 1, world.plans.take(method))
    });

    run_hooks(shared, &call, Moment::Before).await;
    match &fault {
        Some(Fault::HangBefore) => std::future::pending().await,
        Some(Fault::CutBefore) => return None,
        Some(Fault::GatewayBefore) => return Some(error_answer(shared, number, 502, Form::Html)),
        _ => {}
    }
    let result = match fault.as_ref().and_then(Fault::refusal) {
        Some(refusal) => Err(refusal),
        None if is_file => match files::content(shared, token, written) {
            Ok(body) => {
                record(shared, number, json!({ "bytes": body.len() }));
                let is_cut = fault == Some(Fault::CutInside);
                return Some(Response {
                    status: 200,
                    content_type: "application/octet-stream",
                    body,
                    is_cut,
                });
            }
            Err(refusal) => Err(refusal),
        },
        None => process(shared, token, method, &request.params).await,
    };
    run_hooks(shared, &call, Moment::After).await;
    match fault {
        Some(Fault::HangAfter) => std::future::pending().await,
        Some(Fault::CutAfter) => return None,
        Some(Fault::GatewayAfter) => return Some(error_answer(shared, number, 502, Form::Html)),
        Some(Fault::ErrorAfter { code, form }) => return Some(error_answer(shared, number, code, form)),
        Some(Fault::Slow(delay)) => sleep(delay).await,
        _ => {}
    }
    let (status, body) = match result {
        Ok(result) => (200, json!({ "ok": true, "result": result })),
        Err(refusal) => (refusal.code, refusal.body()),
    };
    record(shared, number, body.clone());
    Some(Response { status, content_type: "application/json", body: body.to_string().into(), is_cut: false })
}

/// Calls a test's hooks for this moment.
async fn run_hooks(shared: &Arc<Shared>, call: &Call, moment: Moment) {
    let hooks = shared.world().plans.hooks(&call.method, moment);
    if hooks.is_empty() {
        return;
    }
    let call = call.clone();
    let told = tokio::task::spawn_blocking(move || hooks.iter().for_each(|hook| hook(&call)));
    // A hook that panicked has reported it already.
    let _ = told.await;
    // Lets the connection notice that the hook stopped the client.
    tokio::task::yield_now().await;
}

async fn process(shared: &Arc<Shared>, token: &str, method: &str, params: &Params) -> Result<Value, Refusal> {
    if method == "getUpdates" {
        return poll(shared, token, params).await;
    }
    shared.change(|world| {
        is_known(&world.token, token)?;
        methods::answer(world, method, params, Instant::now())
    })
}

async fn poll(shared: &Arc<Shared>, token: &str, params: &Params) -> Result<Value, Refusal> {
    let mut wake = shared.wake.subscribe();
    let number = shared.change(|world| {
        is_known(&world.token, token)?;
        world.updates.begin(params, Instant::now())
    })?;
    let mut poll = Poll { shared, number, is_over: false };
    let wait = Duration::from_secs(params.number("timeout").unwrap_or_default().unsigned_abs());
    let deadline = tokio::time::Instant::now() + wait.min(MAX_POLL);
    let result = loop {
        let ready = {
            let world = shared.world();
            is_known(&world.token, token).and_then(|()| world.updates.poll(number, params))
        };
        match ready.transpose() {
            Some(result) => break result,
            None if timeout_at(deadline, wake.changed()).await.is_err() => break Ok(json!([])),
            None => {}
        }
    };
    poll.is_over = true;
    result
}

/// An open poll. Dropping it before its end notifies the server.
struct Poll<'a> {
    shared: &'a Shared,
    number: u64,
    is_over: bool,
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        self.shared.change(|world| {
            if self.is_over {
                world.updates.end(self.number);
            } else {
                world.updates.drop_poll(self.number, Instant::now());
            }
        });
    }
}

pub(super) fn is_known(known: &str, token: &str) -> Result<(), Refusal> {
    if known == token { Ok(()) } else { Err(Refusal::new(401, "Unauthorized")) }
}

fn error_answer(shared: &Arc<Shared>, number: usize, code: u16, form: Form) -> Response {
    let words = match code {
        502 => "Bad Gateway",
        504 => "Gateway Timeout",
        _ => "Internal Server Error",
    };
    match form {
        Form::Json => {
            let body = Refusal::new(code, words).body();
            record(shared, number, body.clone());
            Response {
                status: code,
                content_type: "application/json",
                body: body.to_string().into(),
                is_cut: false,
            }
        }
        Form::Html => {
            let body = format!("<html><head><title>{code} {words}</title></head><body>nginx</body></html>");
            record(shared, number, body.clone().into());
            Response { status: code, content_type: "text/html", body: body.into(), is_cut: false }
        }
    }
}

fn record(shared: &Arc<Shared>, number: usize, body: Value) {
    shared.change(|world| {
        if let Some(call) = world.calls.get_mut(number) {
            call.answered = Some(body);
        }
    });
}
