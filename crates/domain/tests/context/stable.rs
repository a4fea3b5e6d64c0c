//! What stands before the last user message stays the same from turn to turn, so that a provider's prompt cache hits.

use proptest::prelude::*;
use throughline_domain::context::{Context, ContextInputs, Current, Format, LayerName, Plan, Preset};
use throughline_domain::message::{Message, Role};
use throughline_domain::summary::Scope;

use crate::fixture::*;

/// Everything that is sent before the last user message, as bytes.
fn front(context: &Context) -> String {
    let prompt = context.prompt.as_ref().unwrap();
    let turns = prompt.messages.iter().take(prompt.messages.len() - 1);
    let turns: String = turns.map(|turn| format!("\u{0}{}\u{0}{}", turn.role, turn.content)).collect();
    format!("{}{turns}", prompt.system)
}

/// Earlier talks with their summaries; at midnight the first of them becomes old enough for the lane's own.
fn earlier() -> (Vec<Message>, ContextInputs) {
    let mut messages = talk(9, at("2026-02-11T12:00:00Z"));
    messages.extend(talk(7, at("2026-02-17T09:00:00Z")));
    messages.extend(talk(6, at("2026-02-18T10:40:00Z")));
    let lane = place(messages.clone());
    let mut inputs = inputs(lane.clone(), at("2026-02-18T13:00:00Z"));
    inputs.policy = "Search before you say that you do not know.".into();
    inputs.profile = Some("Ana, a nurse in Singapore".to_owned());
    inputs.summaries = vec![
        summary(Scope::Lane, &lane, 0, 8, "They planned a trip."),
        summary(Scope::Conversation, &lane, 0, 8, "They planned a trip to Hanoi."),
        summary(Scope::Conversation, &lane, 9, 15, "They booked the flight."),
        summary(Scope::Conversation, &lane, 16, 21, "They chose a hotel."),
    ];
    (messages, inputs)
}

/// Talks turn by turn and checks each prompt against the one before. Gives how often the window's start moved.
fn converse(plan: Plan, turns: &[(usize, usize, i64)], empty_before: bool) -> Result<usize, TestCaseError> {
    let (mut messages, mut inputs) = earlier();
    if empty_before {
        messages.clear();
        inputs.summaries.clear();
    }
    // 21:50 in Singapore: most talks cross midnight.
    let mut now = at("2026-02-18T13:50:00Z");
    let mut moves = 0;
    let mut before: Option<(String, Vec<usize>)> = None;
    for (n, &(asked, answered, pause)) in turns.iter().enumerate() {
        let question = said(Role::User, &format!("question {n} {}", "why so ".repeat(asked)), now);
        inputs.now = now + jiff::SignedDuration::from_secs(2);
        inputs.history.messages = place(messages.clone());
        inputs.last_reply = messages.iter().rev().find(|message| message.role == Role::Assistant).cloned();
        inputs.recalled = vec![hit(
            n as u128,
            &format!("recalled for turn {n} {}", "x ".repeat(n % 7)),
            "2026-01-02T03:04:05Z",
        )];
        inputs.quoted = n.is_multiple_of(3).then(|| question.clone());
        inputs.message = Some(Current { ids: Vec::new(), text: question.text.clone(), speaker: None });
        let context = context(&inputs, plan, Format::Messages);
        let names: Vec<LayerName> = context.layers.iter().map(|layer| layer.name).collect();
        prop_assert!(names.is_sorted() && names.len() == 8, "the layers keep their order");
        let (front, window) = (front(&context), window(&context));
        if let Some((old_front, old_window)) = before {
            if window.starts_with(&old_window) {
                prop_assert!(front.starts_with(&old_front), "turn {n}:\n{old_front}\n-----\n{front}");
            } else {
                moves += 1;
            }
        }
        before = Some((front, window));
        let answer =
            said(Role::Assistant, &format!("answer {n} {}", "because ".repeat(answered)), now + minutes(1));
        messages.extend([question, answer]);
        now += minutes(1 + pause);
    }
    Ok(moves)
}

fn turns(most: usize) -> impl Strategy<Value = Vec<(usize, usize, i64)>> {
    proptest::collection::vec((0..most, 0..most, 0i64..20), 40..80)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn d7_the_prompt_of_one_turn_begins_like_the_last_and_the_window_moves_once_in_ten_messages(
        turns in turns(25), standard in any::<bool>(), fresh in any::<bool>(),
    ) {
        let plan = if standard { Preset::Standard.plan().with_budget(9_000) } else { Preset::Lane.plan() };
        let moves = converse(plan, &turns, fresh)?;
        prop_assert!(moves <= 1 + turns.len() * 2 / 10, "{moves} moves in {} messages", turns.len() * 2);
    }
}

#[test]
fn d7_a_talk_that_fits_never_moves_the_window_not_even_at_midnight() {
    let turns = [(10, 40, 6); 60];
    assert_eq!(converse(Preset::Standard.plan(), &turns, false).unwrap(), 0);
}

#[test]
fn d7_a_long_talk_moves_the_window_in_blocks_of_ten() {
    let turns = [(10, 10, 3); 100];
    let moves = converse(Preset::Lane.plan(), &turns, true).unwrap();
    assert!((10..=20).contains(&moves), "{moves}");
}

#[test]
fn d7_what_changes_stands_in_the_last_user_message() {
    let (messages, mut inputs) = earlier();
    inputs.history.messages = place(messages);
    inputs.recalled = vec![hit(1, "Ana is allergic to nuts", "2026-01-02T03:04:05Z")];
    let context = shown(&inputs, Preset::Standard, Format::Messages);
    let prompt = context.prompt.as_ref().unwrap();
    let last = &prompt.messages.last().unwrap().content;
    let order = ["<memories>", "The messages above", "<thread-status", "And now?"]
        .map(|part| last.find(part).unwrap());
    assert!(order.is_sorted(), "{last}");
    assert!(!front(&context).contains(" ago"), "{}", front(&context));
}
