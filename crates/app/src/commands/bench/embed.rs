//! The speed of vectors: by the built-in embedder alone, and with the import that needs them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_models::embed::{BuiltIn, Embedder};

use super::filled::Filled;
use super::talk::Talk;
use crate::output::Failure;

const TEXTS: u64 = 100_000;
/// About as many texts as the store hands over at a time.
const AT_ONCE: usize = 128;

/// The built-in embedder alone.
pub async fn embedder(talk: &Talk) -> Result<Value, Failure> {
    let embedder = BuiltIn::new()?;
    let texts = talk.texts(TEXTS, 10);
    let began = Instant::now();
    for texts in texts.chunks(AT_ONCE) {
        black_box(embedder.embed(texts).await?);
    }
    let took = began.elapsed();
    Ok(json!({
        "corpus": talk.name(),
        "messages": TEXTS,
        "microseconds_per_message": took.as_secs_f64() * 1e6 / TEXTS as f64,
    }))
}

/// From the start of an import to the last vector, as the large store was made.
pub fn run(store: &Filled, talk: &Talk) -> Value {
    let messages = store.messages();
    let per_second = |took: Duration| messages as f64 / took.as_secs_f64();
    json!({
        "corpus": talk.name(),
        "messages": messages,
        "import_s": store.importing.as_secs_f64(),
        "imported_per_s": per_second(store.importing),
        "vectors_s": store.embedding.as_secs_f64(),
        "embedded_per_s": per_second(store.embedding),
        "total_s": (store.importing + store.embedding).as_secs_f64(),
    })
}
