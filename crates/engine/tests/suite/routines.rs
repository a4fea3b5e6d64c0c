//! Runs of routines against a real database: by whom, how often, and what is left of them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::LayerName;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, Role};
use throughline_domain::time;
use throughline_engine::routines::{Routine, RoutineText, Task};
use throughline_engine::work::DailyCap;
use throughline_engine::{Engine, Inbound, Settings};
use throughline_models::{ChatModel, Error};
use throughline_store::holder::Holder;
use throughline_store::outbox::NewOutboxItem;
use throughline_store::routines::{Run, RunState};
use throughline_testkit::{MovedClock, Scripted, Shown, TestStore};

/// A process of this machine that is no more, and one of another machine; of neither the lease has run out.
fn dead(engine: &Engine) -> Holder {
    let here = engine.holder(Duration::from_secs(60));
    let (_, place) = here.owner.split_once('@').unwrap();
    Holder { owner: format!("4194999.1@{place}"), ..here }
}

fn elsewhere(engine: &Engine) -> Holder {
    Holder { owner: "4194999.1@other/boot/pid:[1]".to_owned(), ..engine.holder(Duration::from_secs(60)) }
}

fn chat() -> ChatId {
    "telegram:chat:4711".parse().unwrap()
}

fn routine(task: Task) -> Routine {
    Routine { name: "daily".to_owned(), chat: chat(), lane: Lane::Root, agent: None, decide: None, task }
}

fn prompt() -> Routine {
    routine(Task::Prompt("Name what is due today.".to_owned()))
}

fn message(text: &str) -> Routine {
    routine(Task::Message(text.to_owned()))
}

fn due(hour: i8) -> Timestamp {
    format!("2026-02-18T{hour:02}:00:00Z").parse().unwrap()
}

/// One piece, as it is.
fn one_post(_: &Lane, text: RoutineText<'_>) -> Vec<NewOutboxItem> {
    vec![NewOutboxItem { chat: chat(), body: words(text).to_owned(), is_repeatable: false }]
}

fn words(text: RoutineText<'_>) -> &str {
    match text {
        RoutineText::Written(text) | RoutineText::Printed(text) => text,
    }
}

struct Days {
    test: TestStore,
    clock: Arc<MovedClock>,
}

impl Days {
    /// Three in the afternoon in Singapore.
    async fn begin() -> Self {
        Self { test: TestStore::fresh().await, clock: MovedClock::at("2026-02-18T07:00:00Z") }
    }

    fn engine(&self, model: Arc<dyn ChatModel>) -> Engine {
        self.test.engine(Arc::clone(&self.clock), model)
    }

    /// Another process over the same database.
    async fn another(&self, model: Arc<dyn ChatModel>) -> Engine {
        Engine { store: self.test.again().await, ..self.engine(model) }
    }
}

async fn run(engine: &Engine, routine: &Routine, due: Timestamp) -> Option<Run> {
    engine.run_routine(routine, due, &one_post).await.unwrap()
}

async fn kept(engine: &Engine) -> Vec<Message> {
    let stored = engine.store.chat(&chat()).recorded_after(0, 100).await.unwrap();
    stored.into_iter().map(|stored| stored.message).collect()
}

async fn states(engine: &Engine) -> Vec<RunState> {
    engine.store.runs(Some("daily"), 100).await.unwrap().iter().rev().map(|run| run.state).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn k1_two_workers_never_run_the_same_due_moment_twice() {
    let days = Days::begin().await;
    let model = Scripted::saying([]);
    let (one, other) = (days.engine(model.clone()), days.another(model.clone()).await);
    let routine = prompt();
    for hour in 0..6 {
        let due = due(hour);
        let (first, second) = tokio::join!(run(&one, &routine, due), run(&other, &routine, due));
        assert_eq!(usize::from(first.is_some()) + usize::from(second.is_some()), 1, "{due}");
        assert_eq!(run(&other, &routine, due).await, None, "it is done");
    }
    assert_eq!(model.contexts().len(), 6);
    assert_eq!(kept(&one).await.len(), 6);
    assert_eq!(states(&one).await, [RunState::Sent; 6]);
}

#[tokio::test]
async fn k1_a_run_of_a_process_that_died_is_repeated_exactly_once() {
    let days = Days::begin().await;
    let engine = days.engine(Scripted::saying([]));
    assert!(engine.store.begin_run("daily", due(6), &dead(&engine), engine.now()).await.unwrap());
    assert_eq!(
        run(&engine, &message("Good morning."), due(6)).await,
        None,
        "another process seems to run it"
    );
    for _ in 0..2 {
        engine.release_orphaned_runs().await.unwrap();
        run(&engine, &message("Good morning."), due(6)).await;
    }
    assert_eq!(kept(&engine).await.len(), 1);
    assert_eq!(states(&engine).await, [RunState::Sent]);
}

#[tokio::test]
async fn k1_a_run_of_a_living_process_is_left_to_it() {
    let days = Days::begin().await;
    let engine = days.engine(Scripted::saying([]));
    for (hour, holder) in [(5, engine.holder(Duration::from_secs(60))), (6, elsewhere(&engine))] {
        assert!(engine.store.begin_run("daily", due(hour), &holder, engine.now()).await.unwrap());
        engine.release_orphaned_runs().await.unwrap();
        assert_eq!(run(&engine, &message("Good morning."), due(hour)).await, None, "{holder:?}");
    }
    assert_eq!(states(&engine).await, [RunState::Running; 2]);
    let over = Holder { leased_to: Timestamp::UNIX_EPOCH, ..elsewhere(&engine) };
    engine.store.renew_run("daily", due(6), &over).await.unwrap();
    engine.release_orphaned_runs().await.unwrap();
    assert_eq!(run(&engine, &message("Good morning."), due(6)).await.unwrap().state, RunState::Sent);
}

#[tokio::test]
async fn k1_anything_but_a_yes_sends_nothing() {
    let cases = [
        ("NO", RunState::Declined),
        ("No, she wrote an hour ago.", RunState::Declined),
        ("Perhaps later.", RunState::Declined),
        ("", RunState::Declined),
        ("YES", RunState::Sent),
        ("**Yes** – the offer ends today.", RunState::Sent),
    ];
    for (answer, expected) in cases {
        let days = Days::begin().await;
        let (model, small) = (Scripted::saying([]), Scripted::saying([Ok(answer.to_owned())]));
        let engine = Engine { small: Some(small.clone()), ..days.engine(model.clone()) };
        let heard = Inbound { text: "The offer ends on Wednesday.".to_owned(), ..Inbound::in_chat(chat()) };
        engine.take_turn(heard, &Shown::default()).await.unwrap();
        let routine = Routine { decide: Some("Does anything call for it?".to_owned()), ..prompt() };
        let ended = run(&engine, &routine, due(6)).await.unwrap();
        assert_eq!(ended.state, expected, "{answer:?}");
        let sent = usize::from(expected == RunState::Sent);
        assert_eq!(kept(&engine).await.len(), 2 + sent, "{answer:?}");
        assert_eq!(model.contexts().len(), 1 + sent, "{answer:?}");
        let asked = &small.works()[0];
        assert!(asked.instructions.contains("Does anything call for it?"), "{asked:?}");
        assert!(asked.input.contains("The offer ends on Wednesday."), "{asked:?}");
    }
}

#[tokio::test]
async fn k1_a_decision_knows_the_day_and_the_time_though_nothing_was_said_yet() {
    let days = Days::begin().await;
    let small = Scripted::saying([Ok("NO".to_owned())]);
    let engine = Engine { small: Some(small.clone()), ..days.engine(Scripted::saying([])) };
    let routine = Routine { decide: Some("Does anything call for it?".to_owned()), ..prompt() };
    run(&engine, &routine, due(6)).await.unwrap();
    let (now, zone) = (engine.now(), &engine.settings.zone);
    let asked = &small.works()[0].instructions;
    for words in [time::long_date(now, zone), time::clock(now, zone), time::zone_name(zone, now)] {
        assert!(asked.contains(&words), "{words}: {asked}");
    }
}

#[tokio::test]
async fn k1_a_model_that_fails_to_decide_fails_the_run_and_the_next_one_is_free() {
    let days = Days::begin().await;
    let down = Err(Error::Unavailable("nobody answers".to_owned()));
    let small = Scripted::saying([down, Ok("YES".to_owned())]);
    let engine = Engine { small: Some(small), ..days.engine(Scripted::saying([])) };
    let routine = Routine { decide: Some("Does anything call for it?".to_owned()), ..prompt() };
    let failed = run(&engine, &routine, due(5)).await.unwrap();
    assert_eq!(failed.state, RunState::Failed);
    assert!(failed.problem.unwrap().contains("nobody answers"));
    assert_eq!(run(&engine, &routine, due(6)).await.unwrap().state, RunState::Sent);
}

#[tokio::test]
async fn k1_a_model_that_fails_leaves_the_lane_free_and_no_message() {
    let days = Days::begin().await;
    let down = Err(Error::Unavailable("nobody answers".to_owned()));
    let engine = days.engine(Scripted::saying([down]));
    assert_eq!(run(&engine, &prompt(), due(6)).await.unwrap().state, RunState::Failed);
    assert_eq!(kept(&engine).await, []);
    assert_eq!(engine.store.outbox_figures().await.unwrap().pending, 0);
    let heard = Inbound { text: "Hello".to_owned(), ..Inbound::in_chat(chat()) };
    assert_eq!(engine.take_turn(heard, &Shown::default()).await.unwrap().reply.text, "ok");
}

#[tokio::test]
async fn c3_what_a_routine_says_names_it_and_is_sent_as_it_was_recorded() {
    let days = Days::begin().await;
    let secret = ["gh", "p_", &"aB3dE6gH9k".repeat(4)].concat();
    let said = format!("The key {secret} is due.");
    for routine in [prompt(), message(&said)] {
        let days = Days { test: TestStore::fresh().await, clock: Arc::clone(&days.clock) };
        let engine = days.engine(Scripted::saying([Ok(said.clone())]));
        let routine = Routine { lane: Lane::Topic("9".into()), agent: Some("clerk".into()), ..routine };
        let posted = Mutex::new(Vec::new());
        let outbox = |lane: &Lane, text: RoutineText<'_>| {
            posted.lock().unwrap().push(words(text).to_owned());
            one_post(lane, text)
        };
        engine.run_routine(&routine, due(6), &outbox).await.unwrap();
        let [message] = &kept(&engine).await[..] else { panic!("one message") };
        assert_eq!(
            (message.role, &message.lane, message.agent.as_deref()),
            (Role::Assistant, &routine.lane, Some("clerk"))
        );
        assert_eq!(
            (&message.metadata["source"], &message.metadata["routine"]),
            (&"routine".into(), &"daily".into())
        );
        assert_eq!(message.metadata["summary"], message.text, "it is short enough to stand for itself");
        assert_eq!(*posted.lock().unwrap(), [message.text.as_str()]);
        assert!(!message.text.contains(&secret) && message.text.ends_with("is due."), "{}", message.text);
        let run = engine.store.runs(None, 1).await.unwrap().pop().unwrap();
        assert_eq!((run.state, run.message), (RunState::Sent, Some(message.id)));
    }
}

#[tokio::test]
async fn k2_a_long_message_is_on_disk_before_its_summary_and_the_job_makes_that_once_within_the_cap() {
    let long = "The river rises. ".repeat(40).trim_end().to_owned();
    let stand_in = format!("{}...", long.chars().take(300).collect::<String>());
    let summary = |message: &Message| message.metadata["summary"].as_str().unwrap().to_owned();
    let work = |engine: Engine| async move {
        engine.run_jobs(Instant::now() + Duration::from_secs(30)).await.unwrap();
        kept(&engine).await
    };
    for routine in [prompt(), message(&long)] {
        let days = Days::begin().await;
        let local = Scripted::saying([Ok("The river\nrises.".to_owned())]);
        let engine = days.engine(Scripted::saying([Ok(long.clone())]));
        let engine = Engine { routines: Some(Arc::clone(&local) as Arc<dyn ChatModel>), ..engine };
        run(&engine, &routine, due(6)).await.unwrap();
        assert_eq!(kept(&engine).await.iter().map(summary).collect::<Vec<_>>(), [stand_in.as_str()]);
        assert_eq!(local.works(), [], "nobody waits for the summary");
        let done = work(engine.clone()).await;
        assert_eq!(done.iter().map(summary).collect::<Vec<_>>(), ["The river rises."]);
        assert_eq!((done[0].text.as_str(), local.works().len()), (long.as_str(), 1));
        let daily_cap = DailyCap { usd: 1.0, tokens: 0 };
        let capped = Settings { daily_cap, ..Settings::clone(&engine.settings) };
        let engine = Engine { settings: Arc::new(capped), ..engine };
        run(&engine, &message(&long), due(7)).await.unwrap();
        let done = work(engine.clone()).await;
        assert_eq!(done.iter().map(summary).collect::<Vec<_>>(), ["The river rises.", &stand_in]);
        assert_eq!(local.works().len(), 1, "the day's cap is reached");
    }
}

#[tokio::test]
async fn k1_an_instruction_is_seen_by_the_model_and_is_no_history_afterwards() {
    let days = Days::begin().await;
    let model = Scripted::saying([Ok("Dentist at ten. [REMEMBER: hates the dentist]".to_owned())]);
    let engine = days.engine(model.clone());
    run(&engine, &prompt(), due(6)).await;
    days.clock.pass(SignedDuration::from_mins(5));
    let heard = Inbound { text: "Thanks".to_owned(), ..Inbound::in_chat(chat()) };
    engine.take_turn(heard, &Shown::default()).await.unwrap();
    let [instructed, later] = &model.contexts()[..] else { panic!("two turns") };
    assert!(instructed.layer(LayerName::Message).unwrap().text.contains("Name what is due today."));
    assert!(!later.text().contains("Name what is due today."), "{}", later.text());
    assert!(later.text().contains("Dentist at ten."), "{}", later.text());
    assert!(engine.memories(&chat()).await.unwrap().is_empty(), "i2: nobody said it");
    let texts: Vec<String> = kept(&engine).await.into_iter().map(|message| message.text).collect();
    assert_eq!(texts, ["Dentist at ten.", "Thanks", "ok"], "the tag is taken out");
}

#[tokio::test]
async fn k1_a_routine_waits_for_the_turn_that_is_under_way_in_its_lane() {
    /// Says what it is told to only when it may.
    struct Gated(tokio::sync::Semaphore, Arc<Scripted>);
    #[async_trait::async_trait]
    impl ChatModel for Gated {
        fn name(&self) -> &str {
            "held"
        }
        async fn answer(
            &self,
            request: &throughline_models::Request,
            words: tokio::sync::mpsc::Sender<String>,
        ) -> Result<throughline_models::Answer, Error> {
            let _may = self.0.acquire().await.unwrap();
            self.1.answer(request, words).await
        }
    }
    let days = Days::begin().await;
    let script = Scripted::saying([Ok("An answer.".to_owned()), Ok("A briefing.".to_owned())]);
    let model = Arc::new(Gated(tokio::sync::Semaphore::new(0), script));
    let engine = days.engine(model.clone());
    let heard = Inbound { text: "A question".to_owned(), ..Inbound::in_chat(chat()) };
    let shown = Shown::default();
    let (turn, (ended, ())) = tokio::join!(engine.take_turn(heard, &shown), async {
        // The turn has the lane once its message is there.
        while kept(&engine).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let routine = prompt();
        tokio::join!(run(&engine, &routine, due(6)), async {
            while states(&engine).await != [RunState::Running] {
                tokio::task::yield_now().await;
            }
            model.0.add_permits(1);
        })
    });
    turn.unwrap();
    assert_eq!(ended.unwrap().state, RunState::Sent);
    let texts: Vec<String> = kept(&engine).await.into_iter().map(|message| message.text).collect();
    assert_eq!(texts, ["A question", "An answer.", "A briefing."]);
}

#[tokio::test]
async fn k1_a_command_beyond_its_limit_fails_and_says_so() {
    let days = Days::begin().await;
    let engine = days.engine(Scripted::saying([]));
    let command = |words: [&str; 2], prompt: Option<&str>| {
        routine(Task::Command {
            words: words.map(str::to_owned).to_vec(),
            environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
            limit: Duration::from_millis(200),
            prompt: prompt.map(str::to_owned),
        })
    };
    let ended = run(&engine, &command(["sleep", "600"], Some("Sum it up.")), due(5)).await.unwrap();
    assert_eq!(ended.state, RunState::Failed);
    assert!(ended.problem.unwrap().contains("was ended after"));
    assert_eq!(run(&engine, &command(["echo", "fine"], None), due(6)).await.unwrap().state, RunState::Sent);
    assert_eq!(kept(&engine).await[0].text, "fine");
}
