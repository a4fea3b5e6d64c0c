//! Loads an embedder on first use: most commands never need it, and reading weights takes a moment.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::OnceCell;

use super::{Embedder, Error};

type Load = dyn Fn() -> Result<Arc<dyn Embedder>, Error> + Send + Sync;

/// An embedder's id and loader. If loading fails, the call returns the reason, and the next call tries again.
pub struct Lazy {
    id: String,
    load: Arc<Load>,
    ready: OnceCell<Arc<dyn Embedder>>,
}

impl Lazy {
    /// An embedder that `load` creates; `id` must match the id it will have.
    pub fn new<E: Embedder + 'static>(
        id: impl Into<String>,
        load: impl Fn() -> Result<E, Error> + Send + Sync + 'static,
    ) -> Self {
        let load = move || Ok(Arc::new(load()?) as Arc<dyn Embedder>);
        Self { id: id.into(), load: Arc::new(load), ready: OnceCell::new() }
    }

    async fn ready(&self) -> Result<&dyn Embedder, Error> {
        let ready = self.ready.get_or_try_init(|| async {
            let load = Arc::clone(&self.load);
            let stopped = |_| Err(Error::Unreadable(format!("{} could not be made ready", self.id)));
            tokio::task::spawn_blocking(move || load()).await.unwrap_or_else(stopped)
        });
        Ok(ready.await?.as_ref())
    }
}

#[async_trait]
impl Embedder for Lazy {
    fn id(&self) -> &str {
        &self.id
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        self.ready().await?.embed(texts).await
    }

    async fn embed_question(&self, question: &str) -> Result<Vec<f32>, Error> {
        self.ready().await?.embed_question(question).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::BuiltIn;
    use super::*;

    /// An embedder that loads on the third attempt, and its counter.
    fn third_time() -> (Lazy, Arc<AtomicU32>) {
        let tries = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&tries);
        let lazy = Lazy::new("builtin-1", move || match counted.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(Error::Missing("no weights".to_owned())),
            _ => BuiltIn::new(),
        });
        (lazy, tries)
    }

    #[tokio::test]
    async fn nothing_is_loaded_before_it_is_asked_for_and_then_once() {
        let (lazy, tries) = third_time();
        assert_eq!((lazy.id(), tries.load(Ordering::Relaxed)), ("builtin-1", 0));
        for _ in 0..2 {
            let missing = Err(Error::Missing("no weights".to_owned()));
            assert_eq!(lazy.embed(&["a boat".to_owned()]).await, missing);
        }
        let builtin = BuiltIn::new().unwrap();
        assert_eq!(lazy.embed(&["a boat".to_owned()]).await.unwrap(), [builtin.vector("a boat")]);
        let question = "which boat?";
        assert_eq!(lazy.embed_question(question).await.unwrap(), builtin.vector_of_question(question));
        assert_eq!(tries.load(Ordering::Relaxed), 3);
    }
}
