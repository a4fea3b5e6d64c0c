//! The program is killed again and again, at every step of a turn, while people write in several lanes: no message is
//! lost, none is answered twice, and order is kept.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

#[path = "suite/common/mod.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::messages_server::{Answer, MessagesServer};
use common::served::{ANA, LONG, Served};
use common::{Dice, Home};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use throughline_testkit::bot_api::{BotApi, Moment};

const MESSAGES: usize = 500;
const KILLS: usize = 200;
const BO: i64 = 815;
const CY: i64 = 42;
const FORUM: i64 = -1001;

/// A step of a turn as the far side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// It asks for updates, or is given some.
    Listens(When),
    /// It shows that it is typing.
    Types(When),
    /// It asks the model.
    Thinks,
    /// It sends.
    Sends(When),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    Before,
    After,
}

const STEPS: [Step; 7] = [
    Step::Listens(When::Before),
    Step::Listens(When::After),
    Step::Types(When::Before),
    Step::Types(When::After),
    Step::Thinks,
    Step::Sends(When::Before),
    Step::Sends(When::After),
];

type Seen = fn(When) -> Step;

/// The methods by which the far side sees a step.
const METHODS: [(&str, Seen); 3] =
    [("getUpdates", Step::Listens), ("sendChatAction", Step::Types), ("sendMessage", Step::Sends)];

/// Kills the program at a chosen step, or a chosen moment after it.
struct Killer {
    pid: AtomicI32,
    /// The step, how often it is let pass, and how long after it.
    plan: Mutex<Option<(Step, u64, Duration)>>,
    /// Never rings: what waits for it waits for a time.
    bell: Mutex<Receiver<()>>,
    _keep: Mutex<Sender<()>>,
    at: Mutex<BTreeMap<Step, usize>>,
    kills: AtomicUsize,
}

impl Killer {
    fn new() -> Arc<Self> {
        let (keep, bell) = channel();
        Arc::new(Self {
            pid: AtomicI32::new(0),
            plan: Mutex::default(),
            bell: Mutex::new(bell),
            _keep: Mutex::new(keep),
            at: Mutex::default(),
            kills: AtomicUsize::new(0),
        })
    }

    fn plan(&self, step: Step, pass: u64, delay: Duration) {
        *self.plan.lock().unwrap() = Some((step, pass, delay));
    }

    /// The program has come to a step.
    fn comes_to(self: &Arc<Self>, step: Step) {
        let mut plan = self.plan.lock().unwrap();
        match plan.as_mut() {
            Some((planned, pass, _)) if *planned == step && *pass > 0 => *pass -= 1,
            Some((planned, _, delay)) if *planned == step => {
                let delay = *delay;
                *plan = None;
                if delay.is_zero() {
                    self.kill(step);
                } else {
                    let killer = Arc::clone(self);
                    std::thread::Builder::new()
                        .spawn(move || {
                            let _ = killer.bell.lock().unwrap().recv_timeout(delay);
                            killer.kill(step);
                        })
                        .unwrap();
                }
            }
            _ => {}
        }
    }

    fn kill(&self, step: Step) {
        let pid = Pid::from_raw(self.pid.swap(0, Ordering::SeqCst));
        if let Some(pid) = pid
            && kill_process(pid, Signal::KILL).is_ok()
        {
            *self.at.lock().unwrap().entry(step).or_default() += 1;
            self.kills.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn watch(self: &Arc<Self>, api: &BotApi) {
        for (method, step) in METHODS {
            for (moment, when) in [(Moment::Before, When::Before), (Moment::After, When::After)] {
                let killer = Arc::clone(self);
                api.on(method, moment, move |_| killer.comes_to(step(when)));
            }
        }
    }
}

/// Where people write, and who.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    person: i64,
    chat: i64,
    topic: Option<i64>,
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<usize> {
    text.split_whitespace().filter_map(|word| word.strip_prefix('#')?.parse().ok()).collect()
}

/// Answers with the numbers of what was said last.
fn echo(asked: &Value) -> Answer {
    let last = asked["messages"].as_array().and_then(|messages| messages.last()).unwrap();
    let text = match &last["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect(),
    };
    // In a group her name stands before what she says.
    let words = text.lines().map(|line| line.trim_start_matches("Ana: "));
    let said: Vec<&str> = words.filter_map(|line| line.strip_prefix("Say ")).collect();
    Answer::Says(format!("Heard {}", said.join(" ")))
}

#[test]
fn c1_killed_at_every_step_it_loses_no_message_and_answers_none_twice() {
    let killer = Killer::new();
    let thinking = Arc::clone(&killer);
    let model = MessagesServer::start(move |asked| {
        thinking.comes_to(Step::Thinks);
        echo(asked)
    });
    model.serve(|| {
        let mut served = Served::with(|| {
            Home::new()
                .with("THROUGHLINE_MODEL", "anthropic/claude-test")
                .with("THROUGHLINE_SMALL_MODEL", "offline")
                .with("ANTHROPIC_API_KEY", "test")
                .with("ANTHROPIC_BASE_URL", &model.url())
                .with("TELEGRAM_ALLOWED_USERS", &format!("{BO},{CY}"))
        });
        served.kill();
        let lanes = furnish(&served.api);
        killer.watch(&served.api);
        let said = talk_and_kill(&mut served, &killer, &lanes);
        finish(&mut served, &said);
        check(&served, &said, &lanes, killer.kills.load(Ordering::SeqCst));
        let at = killer.at.lock().unwrap();
        assert!(STEPS.iter().all(|step| at.get(step).is_some_and(|kills| *kills >= 15)), "{at:?}");
    });
}

fn furnish(api: &BotApi) -> Vec<Lane> {
    api.person(BO, "Bo");
    api.person(CY, "Cy");
    api.set_me(|me| me["can_read_all_group_messages"] = false.into());
    api.forum(FORUM, "Home");
    let topics = [None, Some(api.topic(FORUM, "Trips")), Some(api.topic(FORUM, "Money"))];
    let private = [ANA, BO, CY].map(|person| Lane { person, chat: person, topic: None });
    private.into_iter().chain(topics.map(|topic| Lane { person: ANA, chat: FORUM, topic })).collect()
}

/// People write, the program is started, and killed at the next planned moment.
fn talk_and_kill(served: &mut Served, killer: &Arc<Killer>, lanes: &[Lane]) -> Vec<Lane> {
    let mut dice = Dice::new(7);
    let mut said: Vec<Lane> = Vec::new();
    let mut round = 0;
    while said.len() < MESSAGES || killer.kills.load(Ordering::SeqCst) < KILLS {
        let step = STEPS[round % STEPS.len()];
        // At once, or in the middle of whatever follows.
        let delay = if dice.below(2) == 0 { 0 } else { dice.below(12_000) };
        // Nothing more is heard once everything was.
        let pass = if step == Step::Listens(When::After) { 0 } else { dice.below(2) };
        killer.plan(step, pass, Duration::from_micros(delay));
        for _ in 0..(2 + dice.below(2)) {
            let lane = lanes[dice.below(lanes.len() as u64) as usize];
            let message = served.api.message(lane.person, lane.chat).text(&format!("Say #{}", said.len()));
            match lane.topic {
                Some(topic) => message.topic(topic).send(),
                None => message.send(),
            };
            said.push(lane);
        }
        killer.pid.store(served.start_quietly(), Ordering::SeqCst);
        served.wait_for_its_end(Duration::from_millis(1_500));
        round += 1;
    }
    *killer.plan.lock().unwrap() = None;
    said
}

/// Without further kills, everything comes to an end.
fn finish(served: &mut Served, said: &[Lane]) {
    served.start();
    let sql = served.home.sql();
    let open = "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')) \
                + (SELECT count(*) FROM lanes WHERE turn IS NOT NULL)";
    // The group is sent twenty messages a minute at most.
    served.api.wait(LONG * 6, |api| {
        let open: i64 = sql.query_row(open, [], |row| row.get(0)).unwrap();
        (open == 0 && api.pending() == 0).then_some(())
    });
    assert_eq!(served.stop(), Some(0));
    let texts: Vec<String> = served.home.texts();
    for number in 0..said.len() {
        let kept = texts.iter().filter(|text| **text == format!("Say #{number}")).count();
        assert_eq!(kept, 1, "message {number} is kept once");
    }
}

fn check(served: &Served, said: &[Lane], lanes: &[Lane], kills: usize) {
    let sql = served.home.sql();
    // What the program believes: the state of each reply, by its text.
    let mut statement = sql
        .prepare("SELECT m.text, p.state FROM outbox p JOIN messages m ON m.seq = p.message ORDER BY p.id")
        .unwrap();
    let replies: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let uncertain: BTreeSet<&str> =
        replies.iter().filter(|(_, state)| state == "uncertain").map(|(text, _)| text.as_str()).collect();
    assert_eq!(replies.iter().collect::<BTreeSet<_>>().len(), replies.len(), "every reply is another");
    assert!(replies.iter().all(|(_, state)| state == "sent" || state == "uncertain"), "{replies:?}");
    assert!(uncertain.len() <= kills, "{} of {kills}", uncertain.len());
    let status = served.home.json(&["status"]);
    assert_eq!(status["replies"]["uncertain"], uncertain.len(), "{status}");

    let mut answered: BTreeMap<usize, usize> = BTreeMap::new();
    for lane in lanes {
        let shown: Vec<String> = served
            .api
            .shown(lane.chat)
            .into_iter()
            .filter(|message| message.topic == lane.topic)
            .map(|message| message.text)
            .collect();
        let order: Vec<usize> = shown.iter().flat_map(|text| numbers(text)).collect();
        assert!(order.is_sorted(), "order is kept in {lane:?}: {order:?}");
        assert!(order.iter().all(|number| said[*number] == *lane), "{lane:?}: {order:?}");
        for number in order {
            *answered.entry(number).or_default() += 1;
        }
        // What was certainly sent is what people saw.
        for text in &shown {
            assert!(replies.iter().any(|(reply, _)| reply == text), "{text:?} is in no memory");
        }
    }
    assert!(answered.values().all(|times| *times == 1), "{answered:?}");
    for number in 0..said.len() {
        let reply = replies.iter().find(|(text, _)| numbers(text).contains(&number));
        let (text, state) = reply.unwrap_or_else(|| panic!("message {number} was never answered"));
        let seen = answered.contains_key(&number);
        assert!(seen || state == "uncertain", "the reply {text:?} is {state} and nobody saw it");
    }
}
