//! The program is killed again and again, at every step of a turn, while people write in twelve lanes and the network
//! fails: no message is lost, none is answered twice, order is kept, nothing stays on a screen that no record knows, and
//! what may not have arrived was told.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
#![allow(clippy::print_stdout, reason = "the figures of a run go into docs")]

#[path = "suite/common/mod.rs"]
mod common;
#[path = "telegram_kills/killer.rs"]
mod killer;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::messages_server::{Answer, MessagesServer};
use common::served::{ANA, LONG, Served};
use common::{Dice, Home};
use killer::{Killer, LIVE_STEPS, STEPS, Step, When};
use serde_json::Value;
use throughline_testkit::bot_api::{BotApi, BotMessage, Fault, Form};

const BO: i64 = 815;
const CY: i64 = 42;
const DI: i64 = 77;
const FORUMS: [i64; 2] = [-1001, -1002];
const GROUPS: [i64; 2] = [-1003, -1004];
/// Pause of the model in the middle of a slow reply. The first words are shown after a second.
const PAUSE: Duration = Duration::from_millis(1_500);
const BROKE_OFF: &str = "\n\n⚠️ My reply broke off. /retry asks again.";

/// Where people write, and who.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    person: i64,
    chat: i64,
    topic: Option<i64>,
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<usize> {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.split('#').skip(1).filter_map(|part| digits(part).parse().ok()).collect()
}

/// Answers with the numbers of what was said last, with a pause if that is asked for.
fn echo(asked: &Value) -> Answer {
    let last = asked["messages"].as_array().and_then(|messages| messages.last()).unwrap();
    let text = match &last["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect(),
    };
    // In a group her name stands before what she says.
    let words = text.lines().map(|line| line.trim_start_matches("Ana: "));
    let said: Vec<&str> = words.filter_map(|line| line.strip_prefix("Say ")).collect();
    let heard: Vec<String> =
        said.iter().flat_map(|line| numbers(line)).map(|number| format!("#{number}")).collect();
    let heard = format!("Heard {}", heard.join(" "));
    match said.iter().any(|line| line.ends_with("slowly")) {
        true => Answer::Pauses(format!("{heard} "), PAUSE, "to the end.".to_owned()),
        false => Answer::Says(heard),
    }
}

#[test]
fn c1_killed_at_every_step_it_loses_no_message_and_answers_none_twice() {
    reach(200, 500);
}

#[test]
#[ignore = "takes twenty minutes; docs/telegram.md tells how to run it"]
fn c1_killed_two_thousand_times_it_loses_no_message_and_answers_none_twice() {
    reach(2_000, 5_000);
}

/// What people did.
#[derive(Default)]
struct Story {
    /// The lane of each message, by its number.
    said: Vec<Lane>,
    /// For each reply that people had sent again, by its first number, how often.
    pressed: BTreeMap<usize, usize>,
    faults: usize,
}

fn reach(kills: usize, messages: usize) {
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
                .with("TELEGRAM_ALLOWED_USERS", &format!("{BO},{CY},{DI}"))
        });
        served.kill();
        let lanes = furnish(&served.api);
        assert_eq!(lanes.len(), 12);
        killer.watch(&served.api);
        let story = talk_and_kill(&mut served, &killer, &lanes, kills, messages);
        finish(&mut served, &story);
        let killed = killer.kills();
        check(&served, &story, &lanes, killed);
        let often =
            |steps: &[Step], least: usize| steps.iter().all(|step| killer.kills_at(&[*step]) >= least);
        let at = killer.by_step();
        assert!(often(&STEPS, kills / 20) && often(&LIVE_STEPS, kills / 50), "{at:?}");
        assert!(killer.kills_at(&LIVE_STEPS) * 4 >= killed, "{at:?}");
        let (messages, faults, pressed) = (story.said.len(), story.faults, story.pressed.len());
        println!("{killed} kills, {messages} messages, {faults} faults, {pressed} sent again: {at:?}");
    });
}

fn furnish(api: &BotApi) -> Vec<Lane> {
    for (person, name) in [(BO, "Bo"), (CY, "Cy"), (DI, "Di")] {
        api.person(person, name);
    }
    api.set_me(|me| me["can_read_all_group_messages"] = false.into());
    let mut lanes: Vec<Lane> =
        [ANA, BO, CY, DI].map(|person| Lane { person, chat: person, topic: None }).into();
    for chat in FORUMS {
        api.forum(chat, "Home");
        let topics = [None, Some(api.topic(chat, "Trips")), Some(api.topic(chat, "Money"))];
        lanes.extend(topics.map(|topic| Lane { person: ANA, chat, topic }));
    }
    for chat in GROUPS {
        api.supergroup(chat, "Club");
        lanes.push(Lane { person: ANA, chat, topic: None });
    }
    lanes
}

/// People write and press buttons, the program is started, and killed at the next planned moment.
fn talk_and_kill(
    served: &mut Served,
    killer: &Arc<Killer>,
    lanes: &[Lane],
    kills: usize,
    messages: usize,
) -> Story {
    let (mut dice, mut story, mut round) = (Dice::new(7), Story::default(), 0);
    let groups: Vec<Lane> = lanes.iter().filter(|lane| lane.chat < 0).copied().collect();
    while story.said.len() < messages || killer.kills() < kills {
        let is_live_due = killer.kills_at(&LIVE_STEPS) * 4 < killer.kills() + 8;
        let mut step = if is_live_due { killer.rarest(&LIVE_STEPS) } else { STEPS[round % STEPS.len()] };
        if matches!(step, Step::Presses(_)) && !press(&served.api, lanes, &mut story, &mut dice) {
            step = killer.rarest(&LIVE_STEPS[..4]);
        }
        // At once, or in the middle of whatever follows.
        let delay = match (step, dice.below(2)) {
            (_, 0) => 0,
            (Step::Streams(When::After), _) => dice.below(600_000),
            _ => dice.below(12_000),
        };
        // Nothing more is heard once everything was.
        let may_pass = STEPS.contains(&step) && step != Step::Listens(When::After);
        let pass = if may_pass { dice.below(2) } else { 0 };
        killer.plan(step, pass, Duration::from_micros(delay));
        let is_slow = matches!(step, Step::Streams(_) | Step::Edits(_));
        for index in 0..(2 + dice.below(2)) {
            let (among, how) = if is_slow && index == 0 { (&groups[..], " slowly") } else { (lanes, "") };
            let lane = among[dice.below(among.len() as u64) as usize];
            let text = format!("Say #{}{how}", story.said.len());
            let message = served.api.message(lane.person, lane.chat).text(&text);
            match lane.topic {
                Some(topic) => message.topic(topic).send(),
                None => message.send(),
            };
            story.said.push(lane);
        }
        story.faults += plan_faults(&served.api, &mut dice);
        let is_refused = dice.below(20) == 0;
        if is_refused {
            served.api.refuse(true);
        }
        killer.pid.store(served.start_quietly(), Ordering::SeqCst);
        if is_refused {
            killer.pause(Duration::from_millis(100));
            served.api.refuse(false);
        }
        served.wait_for_its_end(if is_slow { PAUSE * 3 } else { PAUSE });
        round += 1;
    }
    killer.rest();
    story
}

/// Lets the next calls fail as gateways and networks do, and gives how many may leave a reply uncertain.
fn plan_faults(api: &BotApi, dice: &mut Dice) -> usize {
    let forms = [Form::Json, Form::Html];
    let after = |code: u16, dice: &mut Dice| Fault::ErrorAfter { code, form: forms[dice.below(2) as usize] };
    let fault = match dice.below(40) {
        0 => Fault::CutBefore,
        1 => Fault::CutAfter,
        2 => after(500, dice),
        3 => after(502, dice),
        4 => after(504, dice),
        5 | 6 => {
            api.fault("editMessageText", Fault::CutAfter);
            return 0;
        }
        7 | 8 => {
            api.fault("answerCallbackQuery", Fault::Slow(Duration::from_millis(200)));
            return 0;
        }
        _ => return 0,
    };
    api.fault("sendMessage", fault);
    1
}

/// Returns true if a message tells that a reply may not have arrived.
fn is_notice(message: &BotMessage) -> bool {
    message.text.starts_with("I am not sure") || message.text == "Sent again."
}

/// Somebody presses a button, if there is one.
fn press(api: &BotApi, lanes: &[Lane], story: &mut Story, dice: &mut Dice) -> bool {
    let chats: BTreeSet<(i64, i64)> = lanes.iter().map(|lane| (lane.chat, lane.person)).collect();
    let notices: Vec<(i64, i64, BotMessage)> = chats
        .into_iter()
        .flat_map(|(chat, person)| api.shown(chat).into_iter().map(move |shown| (chat, person, shown)))
        .filter(|(_, _, shown)| !shown.keyboard.is_empty())
        .collect();
    if notices.is_empty() {
        return false;
    }
    let (chat, person, notice) = &notices[dice.below(notices.len() as u64) as usize];
    api.presses(*person, *chat, notice.message_id, "Send again");
    *story.pressed.entry(numbers(&notice.text)[0]).or_default() += 1;
    true
}

/// Without further kills, everything comes to an end.
fn finish(served: &mut Served, story: &Story) {
    served.start();
    let sql = served.home.sql();
    let open = "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')) \
                + (SELECT count(*) FROM lanes WHERE turn IS NOT NULL) + (SELECT count(*) FROM inbound_actions) \
                + (SELECT count(*) FROM live_replies) + (SELECT count(*) FROM outbox WHERE state = 'uncertain' AND NOT told)";
    // The groups are sent twenty messages a minute at most.
    served.api.wait(LONG * 9, |api| {
        // A minute passes for what is to be told.
        sql.execute("UPDATE outbox SET uncertain_at = 0 WHERE state = 'uncertain'", []).unwrap();
        let open: i64 = sql.query_row(open, [], |row| row.get(0)).unwrap();
        (open == 0 && api.pending() == 0).then_some(())
    });
    assert_eq!(served.stop(), Some(0));
    let texts: Vec<String> = served.home.texts();
    for number in 0..story.said.len() {
        let is_kept = |text: &&String| text.starts_with("Say ") && numbers(text) == [number];
        assert_eq!(texts.iter().filter(is_kept).count(), 1, "message {number} is kept once");
    }
}

fn check(served: &Served, story: &Story, lanes: &[Lane], kills: usize) {
    let sql = served.home.sql();
    // What the program believes: the state of each reply, by its text.
    let mut statement = sql
        .prepare("SELECT m.text, p.state FROM outbox p JOIN messages m ON m.seq = p.message WHERE m.text LIKE 'Heard %' ORDER BY p.id")
        .unwrap();
    let replies: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let uncertain: BTreeSet<&str> =
        replies.iter().filter(|(_, state)| state == "uncertain").map(|(text, _)| text.as_str()).collect();
    assert_eq!(replies.iter().collect::<BTreeSet<_>>().len(), replies.len(), "every reply is another");
    assert!(replies.iter().all(|(_, state)| state == "sent" || state == "uncertain"), "{replies:?}");
    assert!(uncertain.len() <= kills + story.faults, "{} of {kills}", uncertain.len());
    let notices: Vec<String> =
        served.home.texts().into_iter().filter(|text| text.starts_with("I am not sure")).collect();
    for reply in &uncertain {
        let about = |notice: &&String| numbers(notice).first() == numbers(reply).first();
        assert!(notices.iter().any(|notice| about(&notice)), "nobody was told of {reply:?}");
    }

    let mut answered: BTreeMap<usize, usize> = BTreeMap::new();
    for lane in lanes {
        let shown = served.api.shown(lane.chat).into_iter().filter(|message| message.topic == lane.topic);
        let shown: Vec<String> =
            shown.filter(|message| !is_notice(message)).map(|message| message.text).collect();
        let is_pressed =
            |text: &&String| numbers(text).iter().any(|number| story.pressed.contains_key(number));
        let in_order: Vec<usize> =
            shown.iter().filter(|text| !is_pressed(text)).flat_map(|text| numbers(text)).collect();
        assert!(in_order.is_sorted(), "order is kept in {lane:?}: {in_order:?}");
        for number in shown.iter().flat_map(|text| numbers(text)) {
            assert_eq!(story.said[number], *lane, "{number}");
            *answered.entry(number).or_default() += 1;
        }
        for text in &shown {
            let words = text.strip_suffix(BROKE_OFF).unwrap_or(text);
            let is_known = replies.iter().any(|(reply, state)| {
                // The beginning of a reply stays only if nobody knows which message shows it.
                let may_be_begun = state == "uncertain" || is_pressed(&text);
                reply == words || (may_be_begun && reply.starts_with(words))
            });
            assert!(is_known, "{text:?} is in no memory");
        }
    }
    for number in 0..story.said.len() {
        let reply = replies.iter().find(|(text, _)| numbers(text).contains(&number));
        let (text, state) = reply.unwrap_or_else(|| panic!("message {number} was never answered"));
        let seen = answered.get(&number).copied().unwrap_or_default();
        assert!(seen > 0 || state == "uncertain", "the reply {text:?} is {state} and nobody saw it");
        let again =
            numbers(text).first().and_then(|first| story.pressed.get(first)).copied().unwrap_or_default();
        assert!(seen <= 1 + again, "the reply {text:?} was seen {seen} times, and sent again {again} times");
    }
}
