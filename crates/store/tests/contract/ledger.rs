//! Every call of a model is in the ledger, and what the calls of a chat took is told in that chat only.

use std::sync::Arc;

use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;
use throughline_store::Store;
use throughline_store::ledger::{Call, CallKind, CallProblem, Spent, SpentOn, SpentOnDay};
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::{chat, minute};

pub(crate) fn call(place: Option<ChatId>, purpose: &'static str, at: i64) -> Call {
    Call {
        at: minute(at),
        chat: place,
        turn: Some(TurnId(Uuid::from_u128(3))),
        purpose,
        background: purpose != "reply",
        model: "small".to_owned(),
        input_tokens: 100,
        output_tokens: 10,
        cost_usd: Some(0.25),
        ms: 12.5,
        problem: None,
    }
}

fn spent_on(purpose: &str, model: &str, spent: Spent) -> SpentOn {
    SpentOn { purpose: purpose.to_owned(), model: model.to_owned(), spent }
}

async fn what_calls_took_is_added_up_by_purpose_and_model_in_their_chat_only(test: TestStore) {
    let (a, b) = (chat("a"), chat("b"));
    for place in [&a, &b] {
        test.store.open_chat(place).await.unwrap();
    }
    assert_eq!(test.store.chat(&a).spent(minute(0)).await.unwrap(), []);
    let failed = Call {
        problem: Some("overloaded".to_owned()),
        cost_usd: None,
        output_tokens: 0,
        ..call(Some(a.clone()), "reply", 2)
    };
    let other_model = Call { model: "large".to_owned(), ..call(Some(a.clone()), "reply", 3) };
    let all = [
        call(Some(a.clone()), "reply", 0),
        call(Some(a.clone()), "reply", 1),
        failed,
        other_model,
        call(Some(a.clone()), "extract", 4),
        call(Some(b.clone()), "reply", 5),
    ];
    for call in all {
        test.store.begin_call(call).await.unwrap();
    }
    let test = test.restarted().await;
    let one = Spent { calls: 1, failed: 0, input_tokens: 100, output_tokens: 10, cost_usd: 0.25 };
    let two = Spent { calls: 2, failed: 1, input_tokens: 200, output_tokens: 10, cost_usd: 0.25 };
    let expected = [
        spent_on("extract", "small", one.clone()),
        spent_on("reply", "large", one.clone()),
        spent_on("reply", "small", two),
    ];
    assert_eq!(test.store.chat(&a).spent(minute(1)).await.unwrap(), expected, "since the second call");
    assert_eq!(test.store.chat(&b).spent(minute(0)).await.unwrap(), [spent_on("reply", "small", one)]);
    assert_eq!(test.store.chat(&chat("nobody")).spent(minute(0)).await.unwrap(), []);
}

async fn a_call_counts_from_its_beginning_and_by_what_it_took_once_it_has_ended(test: TestStore) {
    let a = chat("a");
    test.store.open_chat(&a).await.unwrap();
    let ended = call(Some(a.clone()), "extract", 1);
    let begun = Call {
        output_tokens: 0,
        cost_usd: None,
        problem: Some("it has not ended".to_owned()),
        ..call(Some(a.clone()), "extract", 1)
    };
    let id = test.store.begin_call(begun).await.unwrap();
    let test = test.restarted().await;
    let open = Spent { calls: 1, failed: 1, input_tokens: 100, output_tokens: 0, cost_usd: 0.0 };
    assert_eq!(test.store.spent_on(CallKind::Background, minute(0)).await.unwrap(), open);
    test.store.end_call(id, ended).await.unwrap();
    let whole = Spent { calls: 1, failed: 0, input_tokens: 100, output_tokens: 10, cost_usd: 0.25 };
    assert_eq!(test.store.chat(&a).spent(minute(0)).await.unwrap(), [spent_on("extract", "small", whole)]);
}

async fn background_work_is_added_up_over_all_chats_without_what_people_waited_for(test: TestStore) {
    assert_eq!(test.store.spent_on(CallKind::Background, minute(0)).await.unwrap(), Spent::default());
    test.store.open_chat(&chat("a")).await.unwrap();
    for call in [
        call(Some(chat("a")), "extract", 1),
        call(None, "compact", 2),
        call(Some(chat("a")), "reply", 3),
        call(Some(chat("a")), "profile", -1),
    ] {
        test.store.begin_call(call).await.unwrap();
    }
    let expected = Spent { calls: 2, failed: 0, input_tokens: 200, output_tokens: 20, cost_usd: 0.5 };
    assert_eq!(test.store.spent_on(CallKind::Background, minute(0)).await.unwrap(), expected);
    let replies = Spent { calls: 1, failed: 0, input_tokens: 100, output_tokens: 10, cost_usd: 0.25 };
    assert_eq!(test.store.spent_on(CallKind::Reply, minute(0)).await.unwrap(), replies);
}

async fn the_newest_problem_of_a_reply_is_told_once_its_call_has_ended(test: TestStore) {
    let with_problem = |purpose, at, problem: &str, ms| Call {
        problem: Some(problem.to_owned()),
        ms,
        ..call(None, purpose, at)
    };
    for call in [
        with_problem("reply", 1, "overloaded", 12.5),
        call(None, "reply", 2),
        with_problem("extract", 3, "in the background", 12.5),
        with_problem("reply", 4, "it has not ended", 0.0),
    ] {
        test.store.begin_call(call).await.unwrap();
    }
    let problem = CallProblem {
        at: minute(1),
        model: "small".to_owned(),
        problem: "overloaded".to_owned(),
        chat: None,
        is_over: true,
    };
    assert_eq!(test.store.newest_problem(minute(0)).await.unwrap(), Some(problem));
    assert_eq!(test.store.newest_problem(minute(2)).await.unwrap(), None);
    test.store.begin_call(with_problem("reply", 5, "it is down", 12.5)).await.unwrap();
    let newest = test.store.newest_problem(minute(0)).await.unwrap().unwrap();
    assert_eq!((newest.problem.as_str(), newest.is_over), ("it is down", false));
}

async fn what_calls_took_is_told_by_day_and_only_of_chats_that_may_be_touched(test: TestStore) {
    let (a, b) = (chat("a"), chat("b"));
    for place in [&a, &b] {
        test.store.open_chat(place).await.unwrap();
    }
    // The first minute is nine in the morning.
    let day = 24 * 60;
    for (place, at) in
        [(Some(&a), 0), (Some(&a), 1), (Some(&b), 2), (Some(&a), day), (None, 3), (Some(&a), -day)]
    {
        test.store.begin_call(call(place.cloned(), "reply", at)).await.unwrap();
    }
    let rows = async |store: &Store, offset| {
        let spent = store.spent_by_day(minute(-60), offset).await.unwrap();
        let row =
            |row: SpentOnDay| (row.day, row.chat.map(|chat| chat.name().to_owned()), row.on.spent.calls);
        spent.into_iter().map(row).collect::<Vec<_>>()
    };
    let entry = |day: &str, place: Option<&str>, calls| (day.to_owned(), place.map(str::to_owned), calls);
    let expected = [
        entry("2026-02-18", None, 1),
        entry("2026-02-18", Some("a"), 2),
        entry("2026-02-18", Some("b"), 1),
        entry("2026-02-19", Some("a"), 1),
    ];
    assert_eq!(rows(&test.store, 0).await, expected);
    let narrow = test.store.narrowed(Arc::new(|chat| chat.name() == "a"));
    assert_eq!(rows(&narrow, 0).await, [expected[1].clone(), expected[3].clone()]);
    let east = rows(&narrow, 15 * 3600).await;
    assert_eq!(east, [entry("2026-02-19", Some("a"), 2), entry("2026-02-20", Some("a"), 1)]);
}

stories!(
    what_calls_took_is_told_by_day_and_only_of_chats_that_may_be_touched,
    what_calls_took_is_added_up_by_purpose_and_model_in_their_chat_only,
    a_call_counts_from_its_beginning_and_by_what_it_took_once_it_has_ended,
    background_work_is_added_up_over_all_chats_without_what_people_waited_for,
    the_newest_problem_of_a_reply_is_told_once_its_call_has_ended,
);
