//! Kills the program when the far side sees it come to a planned step.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use throughline_testkit::bot_api::{BotApi, Call, Moment};

/// A step of a turn as the far side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It asks for updates, or is given some.
    Listens(When),
    /// It shows that it is typing.
    Types(When),
    /// It asks the model.
    Thinks,
    /// It sends.
    Sends(When),
    /// It shows the first words of a reply that is still written.
    Streams(When),
    /// It edits a message.
    Edits(When),
    /// It confirms a pressed button.
    Presses(When),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Before,
    After,
}

pub const STEPS: [Step; 7] = [
    Step::Listens(When::Before),
    Step::Listens(When::After),
    Step::Types(When::Before),
    Step::Types(When::After),
    Step::Thinks,
    Step::Sends(When::Before),
    Step::Sends(When::After),
];

/// The steps of replies that are shown by edits, and of pressed buttons: a quarter of the kills.
pub const LIVE_STEPS: [Step; 6] = [
    Step::Streams(When::Before),
    Step::Streams(When::After),
    Step::Edits(When::Before),
    Step::Edits(When::After),
    Step::Presses(When::Before),
    Step::Presses(When::After),
];

/// The step that a call shows.
fn step(call: &Call, when: When) -> Option<Step> {
    Some(match call.method.as_str() {
        "getUpdates" => Step::Listens(when),
        "sendChatAction" => Step::Types(when),
        // Only what comes from the outbox says how links are shown.
        "sendMessage" if call.params.get("link_preview_options").is_none() => Step::Streams(when),
        "sendMessage" => Step::Sends(when),
        "editMessageText" => Step::Edits(when),
        "answerCallbackQuery" => Step::Presses(when),
        _ => return None,
    })
}

/// Kills the program at a chosen step, or a chosen moment after it.
pub struct Killer {
    pub pid: AtomicI32,
    /// The step, how often it is let pass, and how long after it.
    plan: Mutex<Option<(Step, u64, Duration)>>,
    /// Never rings: what waits for it waits for a time.
    bell: Mutex<Receiver<()>>,
    _keep: Mutex<Sender<()>>,
    at: Mutex<BTreeMap<Step, usize>>,
    kills: AtomicUsize,
}

impl Killer {
    pub fn new() -> Arc<Self> {
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

    pub fn plan(&self, step: Step, pass: u64, delay: Duration) {
        *self.plan.lock().unwrap() = Some((step, pass, delay));
    }

    /// Nothing more is planned.
    pub fn rest(&self) {
        *self.plan.lock().unwrap() = None;
    }

    /// How often it was killed.
    pub fn kills(&self) -> usize {
        self.kills.load(Ordering::SeqCst)
    }

    /// The program has come to a step.
    pub fn comes_to(self: &Arc<Self>, step: Step) {
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
                            killer.pause(delay);
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

    /// How often it was killed at any of these steps.
    pub fn kills_at(&self, steps: &[Step]) -> usize {
        let at = self.at.lock().unwrap();
        steps.iter().filter_map(|step| at.get(step)).sum()
    }

    /// How often it was killed at each step.
    pub fn by_step(&self) -> BTreeMap<Step, usize> {
        self.at.lock().unwrap().clone()
    }

    /// The step at which it was killed least often.
    pub fn rarest(&self, steps: &[Step]) -> Step {
        let at = self.at.lock().unwrap();
        *steps.iter().min_by_key(|step| at.get(step).copied().unwrap_or_default()).unwrap()
    }

    /// Lets a time pass.
    pub fn pause(&self, time: Duration) {
        let _ = self.bell.lock().unwrap().recv_timeout(time);
    }

    pub fn watch(self: &Arc<Self>, api: &BotApi) {
        for method in
            ["getUpdates", "sendChatAction", "sendMessage", "editMessageText", "answerCallbackQuery"]
        {
            for (moment, when) in [(Moment::Before, When::Before), (Moment::After, When::After)] {
                let killer = Arc::clone(self);
                api.on(method, moment, move |call| {
                    if let Some(step) = step(call, when) {
                        killer.comes_to(step);
                    }
                });
            }
        }
    }
}
