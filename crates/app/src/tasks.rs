//! The only place that spawns tasks. Tasks end with their owner.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

/// A group of tasks. Running tasks are aborted when the last owner is dropped.
#[derive(Clone, Default)]
pub struct Tasks {
    set: Arc<Mutex<JoinSet<()>>>,
}

impl Tasks {
    /// Starts a task.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(ended) = set.try_join_next() {
            note(ended);
        }
        set.spawn(task);
    }

    /// Waits for the tasks and their children up to a time limit, then aborts them.
    pub async fn finish(&self, time_limit: Duration) {
        let all = async {
            loop {
                let mut set = std::mem::take(&mut *self.set.lock().unwrap_or_else(PoisonError::into_inner));
                if set.is_empty() {
                    return;
                }
                while let Some(ended) = set.join_next().await {
                    note(ended);
                }
            }
        };
        // Unfinished work is on disk, and the next process resumes it.
        let _ = tokio::time::timeout(time_limit, all).await;
    }
}

/// Exits the process successfully after a time limit and `last`. This is for hooks, whose caller waits for the end of
/// the process.
#[expect(clippy::disallowed_methods, reason = "the thread lives as long as the process")]
pub fn exit_after(limit: Duration, last: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        last();
        std::process::exit(0);
    });
}

fn note(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a task panicked");
    }
}

/// Runs at most one task per key; a request that arrives while the task runs makes it run once more.
pub struct KeyedTasks<K> {
    tasks: Tasks,
    /// The busy keys, each with whether another run was requested.
    busy: Arc<Mutex<HashMap<K, bool>>>,
}

impl<K: Clone + Eq + Hash + Send + 'static> KeyedTasks<K> {
    /// Creates a group without tasks.
    pub fn new(tasks: &Tasks) -> Self {
        Self { tasks: tasks.clone(), busy: Arc::default() }
    }

    /// Requests the work of a key.
    pub fn request<W, F>(&self, key: K, work: W)
    where
        W: Fn(K) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        {
            let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(again) = busy.get_mut(&key) {
                *again = true;
                return;
            }
            busy.insert(key.clone(), false);
        }
        let mut held = BusyKey { key, busy: Arc::clone(&self.busy), is_held: true };
        self.tasks.spawn(async move {
            loop {
                work(held.key.clone()).await;
                if !held.runs_again() {
                    return;
                }
            }
        });
    }
}

/// A busy key, which is released even if its task panics or is aborted.
struct BusyKey<K: Eq + Hash> {
    key: K,
    busy: Arc<Mutex<HashMap<K, bool>>>,
    is_held: bool,
}

impl<K: Eq + Hash> BusyKey<K> {
    /// Returns true if another run was requested; if not, releases the key.
    fn runs_again(&mut self) -> bool {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_held = busy.get_mut(&self.key).is_some_and(std::mem::take);
        if !self.is_held {
            busy.remove(&self.key);
        }
        self.is_held
    }
}

impl<K: Eq + Hash> Drop for BusyKey<K> {
    fn drop(&mut self) {
        if self.is_held {
            self.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn work_that_is_asked_for_meanwhile_is_done_once_more() {
        let tasks = Tasks::default();
        let workers = KeyedTasks::new(&tasks);
        let (runs, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(tokio::sync::Semaphore::new(0)));
        for _ in 0..5 {
            let (runs, gate) = (Arc::clone(&runs), Arc::clone(&gate));
            workers.request("lane", move |_| {
                let (runs, gate) = (Arc::clone(&runs), Arc::clone(&gate));
                async move {
                    runs.fetch_add(1, Ordering::Relaxed);
                    if let Ok(permit) = gate.acquire().await {
                        permit.forget();
                    }
                }
            });
        }
        gate.add_permits(2);
        tasks.finish(Duration::from_secs(5)).await;
        assert_eq!(runs.load(Ordering::Relaxed), 2, "the first, and one for all that came meanwhile");
    }
}
