//! Chains of models, and models that are asked again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use throughline_models::around::{Fallback, Retry};
use throughline_models::{Answer, ChatModel, Error, Request};
use tokio::sync::mpsc::Sender;
use tokio::time::advance;

use crate::{ask, outcome, work};

/// A model that does as it is told.
struct Scripted {
    name: &'static str,
    does: Mutex<Does>,
    asked: AtomicUsize,
}

#[derive(Clone, Copy)]
enum Does {
    Answers,
    Fails(fn(String) -> Error),
    /// Fails until it was asked this many times.
    AnswersAt(usize),
    SpeaksThenFails,
}

impl Scripted {
    fn new(name: &'static str, does: Does) -> Arc<Self> {
        Arc::new(Self { name, does: Mutex::new(does), asked: AtomicUsize::new(0) })
    }

    fn now(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }

    fn times_asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    async fn answer(&self, _: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let asked = 1 + self.asked.fetch_add(1, Ordering::Relaxed);
        let does = *self.does.lock().unwrap();
        match does {
            Does::AnswersAt(time) if asked < time => Err(overloaded("busy".to_owned())),
            Does::Answers | Does::AnswersAt(_) => {
                words.send("hello".to_owned()).await.unwrap();
                Ok(Answer { text: "hello".to_owned(), model: self.name.to_owned(), ..Answer::default() })
            }
            Does::Fails(error) => Err(error("sick".to_owned())),
            Does::SpeaksThenFails => {
                words.send("hel".to_owned()).await.unwrap();
                Err(Error::Unavailable("sick".to_owned()))
            }
        }
    }
}

fn chain(models: &[&Arc<Scripted>]) -> Fallback {
    Fallback::new(models.iter().map(|model| Arc::clone(model) as Arc<dyn ChatModel>).collect())
}

fn overloaded(why: String) -> Error {
    Error::Overloaded { why, after: None }
}

#[tokio::test(start_paused = true)]
async fn g8_an_overloaded_model_is_asked_again_with_longer_pauses_within_its_limit() {
    let second = Duration::from_secs(1);
    for (does, limit, asked, answered, took) in [
        (Does::AnswersAt(1), 60, 1, true, Duration::ZERO),
        (Does::AnswersAt(3), 60, 3, true, second * 3 / 2),
        (Does::AnswersAt(9), 60, 4, false, second * 7 / 2),
        (Does::AnswersAt(9), 1, 2, false, second / 2),
        (DOWN, 60, 1, false, Duration::ZERO),
    ] {
        let model = Scripted::new("model", does);
        let retrying = Retry::new(Shared(Arc::clone(&model)), second * limit);
        let began = tokio::time::Instant::now();
        let (answer, _) = ask(&retrying, &work("", "x")).await;
        assert_eq!((model.times_asked(), answer.is_ok(), began.elapsed()), (asked, answered, took));
    }
    let model = Scripted::new("model", Does::SpeaksThenFails);
    let (_, pieces) = ask(&Retry::new(Shared(Arc::clone(&model)), second), &work("", "x")).await;
    assert_eq!((pieces.len(), model.times_asked()), (1, 1), "what was begun is not asked for again");
}

/// A model that the test holds, too.
struct Shared(Arc<Scripted>);

#[async_trait]
impl ChatModel for Shared {
    fn name(&self) -> &str {
        self.0.name
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        self.0.answer(request, words).await
    }
}

const DOWN: Does = Does::Fails(Error::Unavailable);

#[tokio::test]
async fn g1_the_next_model_answers_and_the_trouble_is_told() {
    let (first, second) = (Scripted::new("first", DOWN), Scripted::new("second", Does::Answers));
    let (answer, pieces) = ask(&chain(&[&first, &second]), &work("", "x")).await;
    let failures = vec!["first: the model cannot be reached: sick".to_owned()];
    let expected =
        Answer { text: "hello".to_owned(), model: "second".to_owned(), failures, ..Answer::default() };
    assert_eq!((answer.unwrap(), pieces), (expected, vec!["hello".to_owned()]));
}

#[tokio::test]
async fn g1_no_other_model_speaks_once_a_word_was_sent() {
    let (first, second) =
        (Scripted::new("first", Does::SpeaksThenFails), Scripted::new("second", Does::Answers));
    let (answer, pieces) = ask(&chain(&[&first, &second]), &work("", "x")).await;
    assert_eq!(outcome(&answer), "cut hel: the model cannot be reached: sick");
    assert_eq!((pieces, second.times_asked()), (vec!["hel".to_owned()], 0));
}

#[tokio::test(start_paused = true)]
async fn g1_a_model_rests_after_three_failures_and_is_then_tried_once() {
    let (first, second) = (Scripted::new("first", DOWN), Scripted::new("second", Does::Answers));
    let chain = chain(&[&first, &second]);
    let asks = async || ask(&chain, &work("", "x")).await.0.unwrap();
    for _ in 0..5 {
        asks().await;
    }
    assert_eq!(first.times_asked(), 3);
    advance(Duration::from_secs(20)).await;
    let resting = "first: the model cannot be reached: it failed too often and is asked again in 40 s";
    assert_eq!(asks().await.failures, [resting]);

    advance(Duration::from_secs(41)).await;
    asks().await;
    asks().await;
    assert_eq!(first.times_asked(), 4, "one trial after the rest, and another rest");

    first.now(Does::Answers);
    advance(Duration::from_secs(61)).await;
    assert_eq!(asks().await.model, "first");
    first.now(DOWN);
    asks().await;
    asks().await;
    assert_eq!(first.times_asked(), 7, "after an answer, failures are counted from zero");
}

#[tokio::test]
async fn g1_a_prompt_that_is_too_long_is_not_the_models_fault() {
    let first = Scripted::new("first", Does::Fails(Error::TooLong));
    let second = Scripted::new("second", Does::Answers);
    let chain = chain(&[&first, &second]);
    for _ in 0..5 {
        assert_eq!(ask(&chain, &work("", "x")).await.0.unwrap().model, "second");
    }
    assert_eq!(first.times_asked(), 5);
}

#[tokio::test]
async fn g1_if_all_models_fail_the_error_says_what_would_help_each() {
    let cases: [(Does, Does, &str); 3] = [
        (Does::Fails(Error::TooLong), Does::Fails(Error::TooLong), "too long, "),
        (Does::Fails(Error::Refused), Does::Fails(Error::Refused), "refused, "),
        (Does::Fails(Error::Refused), Does::Fails(Error::Unreadable), "unavailable, "),
    ];
    for (one, other, kind) in cases {
        let (first, second) = (Scripted::new("first", one), Scripted::new("second", other));
        let outcome = outcome(&ask(&chain(&[&first, &second]), &work("", "x")).await.0);
        assert!(outcome.starts_with(kind), "{outcome}");
        assert!(
            outcome.contains("first: ") && outcome.contains("; second: ") && !outcome.contains('\n'),
            "{outcome}"
        );
    }
    assert!(matches!(ask(&chain(&[]), &work("", "x")).await.0, Err(Error::Refused(_))));
}
