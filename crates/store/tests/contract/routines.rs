//! A run is done by one process, once; what a dead process had begun is free for others.

use throughline_domain::message::{Role, routine_stand_in};
use throughline_store::Store;
use throughline_store::holder::Holder;
use throughline_store::jobs::JobKind;
use throughline_store::messages::Reference;
use throughline_store::outbox::Outgoing;
use throughline_store::routines::{Run, RunState};
use throughline_testkit::{MessageBuilder, TestStore};

use crate::{KINDS, chat, holder, message_id, minute, said};

fn run(routine: &str, due: i64, state: RunState) -> Run {
    let is_over = state != RunState::Running;
    Run {
        routine: routine.to_owned(),
        due_at: minute(due),
        state,
        started_at: minute(due + 1),
        ended_at: is_over.then(|| minute(due + 2)),
        message: None,
        problem: None,
    }
}

async fn begin(store: &Store, routine: &str, due: i64, owner: &str) -> bool {
    store.begin_run(routine, minute(due), &holder(owner), minute(due + 1)).await.unwrap()
}

async fn k1_no_two_processes_do_the_same_run(test: TestStore) {
    let other = test.again().await;
    assert!(begin(&test.store, "news", 0, "one").await);
    assert!(!begin(&other, "news", 0, "two").await);
    assert!(begin(&other, "news", 60, "two").await, "the next one is another");
    assert_eq!(test.store.run_owners().await.unwrap(), [holder("one"), holder("two")]);
    let renewed = Holder { leased_to: minute(90), ..holder("one") };
    test.store.renew_run("news", minute(0), &renewed).await.unwrap();
    other.release_runs(vec![holder("one")]).await.unwrap();
    assert!(!begin(&other, "news", 0, "two").await, "it was renewed");
    other.release_runs(vec![renewed]).await.unwrap();
    assert!(begin(&other, "news", 0, "two").await, "the run of a dead process is free");
    let ended = Run { problem: Some("NO".to_owned()), ..run("news", 0, RunState::Declined) };
    other.end_run(ended.clone()).await.unwrap();
    other.release_runs(vec![holder("two")]).await.unwrap();
    assert_eq!(test.store.runs(None, 10).await.unwrap(), [ended], "a run that has ended stays");
    assert!(!begin(&other, "news", 0, "three").await);
}

async fn k1_a_run_that_is_released_is_free_for_every_process(test: TestStore) {
    begin(&test.store, "news", 0, "one").await;
    test.store.release_run("news", minute(0), "two").await.unwrap();
    test.store.release_run("other", minute(0), "one").await.unwrap();
    assert!(!begin(&test.store, "news", 0, "two").await, "only its process can release it");
    test.store.release_run("news", minute(0), "one").await.unwrap();
    assert_eq!(test.store.runs(None, 10).await.unwrap(), []);
    assert!(begin(&test.store, "news", 0, "two").await);
    test.store.end_run(run("news", 0, RunState::Failed)).await.unwrap();
    test.store.release_run("news", minute(0), "two").await.unwrap();
    assert!(!begin(&test.store, "news", 0, "three").await, "a run that has ended stays so");
}

async fn k1_runs_are_listed_newest_first_with_what_they_said(test: TestStore) {
    assert_eq!(test.store.runs(None, 10).await.unwrap(), []);
    begin(&test.store, "news", 0, "me").await;
    let briefing = said("a", 1, 0).role(Role::Assistant).to_record();
    let sent = run("news", 0, RunState::Sent);
    test.store
        .send_out(Outgoing { said: vec![briefing], run: Some(sent.clone()), ..Outgoing::default() })
        .await
        .unwrap();
    test.store.end_run(run("news", 60, RunState::Missed)).await.unwrap();
    begin(&test.store, "plants", 30, "me").await;
    let test = test.restarted().await;
    let (sent, missed) = (Run { message: Some(message_id(1)), ..sent }, run("news", 60, RunState::Missed));
    let running = run("plants", 30, RunState::Running);
    let all = test.store.runs(None, 10).await.unwrap();
    assert_eq!(all, [missed.clone(), running, sent.clone()]);
    assert_eq!(test.store.runs(Some("news"), 10).await.unwrap(), [missed.clone(), sent]);
    assert_eq!(test.store.runs(Some("news"), 1).await.unwrap(), [missed]);
    assert_eq!(test.store.runs(Some("nothing"), 10).await.unwrap(), []);
}

async fn k1_a_schedule_counts_from_when_it_was_written(test: TestStore) {
    let since = async |schedule: &str, at: i64| {
        test.store.scheduled_since("news", schedule, minute(at)).await.unwrap()
    };
    assert_eq!(since("0 7 * * *", 0).await, minute(0));
    assert_eq!(since("0 7 * * *", 50).await, minute(0));
    assert_eq!(since("0 8 * * *", 60).await, minute(60));
    let again = test.again().await;
    assert_eq!(again.scheduled_since("news", "0 8 * * *", minute(70)).await.unwrap(), minute(60));
}

/// A routine's message, too long to stand for itself.
fn briefing(id: u128) -> MessageBuilder {
    let text = format!("briefing {id} ").repeat(60);
    let beginning = routine_stand_in(&text).into_owned();
    let noted =
        said("a", id, 0).role(Role::Assistant).metadata("source", "routine").metadata("routine", "news");
    noted.metadata("summary", beginning).text(text)
}

async fn k1_a_summary_takes_the_place_of_the_beginning_of_a_routines_message(test: TestStore) {
    let short = said("a", 2, 1).role(Role::Assistant).text("Nothing new.");
    test.store.append(vec![briefing(1).to_record(), short.clone().to_record()]).await.unwrap();
    assert_eq!(
        test.store.figures().await.unwrap().jobs_by_kind.get(JobKind::ROUTINE_SUMMARY.as_str()),
        Some(&1)
    );
    let mut subject = None;
    while let Some(job) = test.store.claim_job(&KINDS, "w", minute(0), minute(9)).await.unwrap() {
        subject = subject.or((job.kind == JobKind::ROUTINE_SUMMARY).then_some(job.subject));
    }
    let found = test.store.routine_to_summarize(&subject.unwrap()).await.unwrap();
    assert_eq!(found, Some((chat("a"), message_id(1))));
    for nothing in ["999", "no message"] {
        assert_eq!(test.store.routine_to_summarize(nothing).await.unwrap(), None);
    }

    test.store.open_chat(&chat("b")).await.unwrap();
    let in_chat = test.store.chat(&chat("a"));
    let stored = async |id: u128| in_chat.find(Reference::Id(message_id(id))).await.unwrap().unwrap();
    let before = stored(1).await;
    test.store.chat(&chat("b")).keep_routine_summary(message_id(1), "from elsewhere").await.unwrap();
    assert_eq!(stored(1).await, before, "another chat cannot summarize it");
    in_chat.keep_routine_summary(message_id(1), "In short.").await.unwrap();
    in_chat.keep_routine_summary(message_id(1), "Too late.").await.unwrap();
    in_chat.keep_routine_summary(message_id(2), "It needs none.").await.unwrap();
    in_chat.keep_routine_summary(message_id(99), "It is not there.").await.unwrap();
    let after = stored(1).await;
    assert_eq!(after.message, briefing(1).metadata("summary", "In short.").build());
    assert!(after.tokens < before.tokens, "it costs what is shown of it");
    assert_eq!(stored(2).await.message, short.build());
}

stories!(
    k1_no_two_processes_do_the_same_run,
    k1_a_run_that_is_released_is_free_for_every_process,
    k1_runs_are_listed_newest_first_with_what_they_said,
    k1_a_schedule_counts_from_when_it_was_written,
    k1_a_summary_takes_the_place_of_the_beginning_of_a_routines_message,
);
