//! Accepts connections, and closes those on which no complete request arrives in time.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower_service::Service;

use super::{Web, routes};
use crate::tasks::Tasks;

/// Back-off when a connection cannot be accepted, for example because too many files are open.
const ACCEPT_RETRY_AFTER: Duration = Duration::from_millis(500);

/// Serves requests until `stop` completes, then waits for the running ones. A connection whose request head does not
/// arrive in time is closed.
pub async fn serve(listener: TcpListener, web: Web, stop: impl Future<Output = ()>) {
    let head_within = Duration::from_secs(web.host.app.settings.http.request_seconds.get().into());
    let routes = routes(web);
    let (connections, (end, ending)) = (Tasks::default(), watch::channel(()));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_within);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "accepting a connection failed; retrying");
                tokio::time::sleep(ACCEPT_RETRY_AFTER).await;
                continue;
            }
        };
        let routes = routes.clone();
        let answer = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(client));
            routes.clone().call(request)
        });
        let connection = http.serve_connection(TokioIo::new(stream), answer);
        let mut ending = ending.clone();
        connections.spawn(async move {
            let mut connection = pin!(connection);
            tokio::select! {
                // An error here only means that the client disconnected.
                _ = connection.as_mut() => return,
                _ = ending.changed() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        });
    }
    drop((listener, end));
    // The caller of `serve` limits this wait.
    connections.finish(Duration::MAX).await;
}

/// The next connection; connections that the client closed before they were accepted are skipped.
async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                // Without this, Nagle's algorithm would delay the words of a streamed reply.
                let _ = stream.set_nodelay(true);
                return Ok((stream, client));
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => return Err(error),
        }
    }
}
