//! Metrics for Prometheus: request counters are kept in memory, the rest is read from the store when metrics are
//! scraped.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use throughline_engine::ports::{Clock, SystemClock};

use super::error::ApiError;
use super::{Caller, Web};

/// The content type of the metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counters since the process started.
pub struct Metrics {
    started_at: Timestamp,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    turns: Family<OutcomeLabels, Counter>,
    recall: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    purpose: String,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: String,
}

/// A histogram with buckets from a millisecond to about 8 seconds.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 14))
}

impl Metrics {
    pub fn new() -> Self {
        Self {
            started_at: SystemClock.now(),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            turns: Family::default(),
            recall: histogram(),
        }
    }

    /// Counts a request.
    pub fn request(&self, method: &str, route: &str, status: StatusCode, duration: Duration) {
        let (method, route) = (method.to_owned(), route.to_owned());
        self.seconds.get_or_create(&RouteLabels { route: route.clone() }).observe(duration.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status: status.as_u16() }).inc();
    }

    /// Counts a turn.
    pub fn turn(&self, is_answered: bool) {
        let outcome = if is_answered { "answered" } else { "failed" };
        self.turns.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Records the duration of a search or a context.
    pub fn recall(&self, duration: Duration) {
        self.recall.observe(duration.as_secs_f64());
    }
}

/// All metrics, for the owner.
pub async fn metrics(State(web): State<Web>, caller: Caller) -> Result<Response, ApiError> {
    caller.require_owner("metrics concern all chats; this token opens only some")?;
    let mut registry = Registry::with_prefix("throughline");
    register_counters(&mut registry, &web.metrics);
    register_gauges(&mut registry, &web, &caller).await?;
    let mut text = String::new();
    encode_registry(&mut text, &registry).and_then(|()| encode_eof(&mut text)).map_err(|error| {
        ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "metrics",
            format!("metrics cannot be written: {error}"),
        )
    })?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}

fn register_counters(registry: &mut Registry, metrics: &Metrics) {
    registry.register("http_requests", "Requests, by method, route and status", metrics.requests.clone());
    registry.register("http_request_seconds", "Time to the beginning of an answer", metrics.seconds.clone());
    registry.register("turns", "Turns over HTTP, by outcome", metrics.turns.clone());
    registry.register("recall_seconds", "Time of a search or a context", metrics.recall.clone());
}

async fn register_gauges(registry: &mut Registry, web: &Web, caller: &Caller) -> Result<(), ApiError> {
    let store = &caller.engine.store;
    let figures = store.figures().await?;
    let outbox = store.outbox_figures().await?;
    let mut gauge = |name: &str, help: &str, value: u64| {
        let gauge = Gauge::<i64>::default();
        gauge.set(value.cast_signed());
        registry.register(name, help, gauge);
    };
    gauge("chats", "Chats", figures.chats);
    gauge("messages", "Messages", figures.messages);
    gauge("memories", "Active memories", figures.memories);
    gauge("waiting_messages", "Messages that wait for a turn", figures.waiting);
    gauge("running_turns", "Turns that run", figures.running);
    gauge("outbox_pending", "Outbox items that are to be sent", outbox.pending);
    gauge("failing_jobs", "Jobs that failed at least once", figures.failing_jobs);
    let queue = Family::<KindLabels, Gauge>::default();
    for (kind, waiting) in &figures.jobs_by_kind {
        queue.get_or_create(&KindLabels { kind: kind.clone() }).set(waiting.cast_signed());
    }
    registry.register("queue_depth", "Jobs that wait, by kind", queue);
    let (calls, read, written) = (Calls::default(), Calls::default(), Calls::default());
    let cost = Family::<CallLabels, Counter<f64, AtomicU64>>::default();
    for row in store.spent_by_day(web.metrics.started_at, 0).await? {
        let on = CallLabels { purpose: row.on.purpose, model: row.on.model };
        calls.get_or_create(&on).inc_by(row.on.spent.calls);
        read.get_or_create(&on).inc_by(row.on.spent.input_tokens);
        written.get_or_create(&on).inc_by(row.on.spent.output_tokens);
        cost.get_or_create(&on).inc_by(row.on.spent.cost_usd.max(0.0));
    }
    registry.register("model_calls", "Calls of models, by purpose and model", calls);
    registry.register("model_input_tokens", "Tokens that models read", read);
    registry.register("model_output_tokens", "Tokens that models wrote", written);
    registry.register("model_cost_usd", "The known cost of models, in dollars", cost);
    Ok(())
}

/// Counters by purpose and model.
type Calls = Family<CallLabels, Counter>;
