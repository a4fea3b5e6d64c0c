//! Summaries of one scope follow each other without gap or overlap, and messages stay.

use throughline_domain::lane::Lane;
use throughline_domain::summary::{End, Position, Scope, Summary};
use throughline_store::jobs::{Job, JobKind};
use throughline_store::messages::{Appended, Reference};
use throughline_store::{Error, InChat, Store};
use throughline_testkit::TestStore;
use throughline_text::summarize::sections::Sections;
use uuid::Uuid;

use crate::{KINDS, chat, message_id, minute, said};

/// Appends messages to a lane of chat `a` and gives the ends that spans over them can have.
async fn with_messages(test: &TestStore, lane: &Lane, minutes: &[i64]) -> Vec<End> {
    let first = 1 + u128::from(test.store.figures().await.unwrap().messages);
    let all = minutes.iter().zip(first..).map(|(at, id)| said("a", id, *at).lane(lane.clone()).to_record());
    let appended = test.store.append(all.collect()).await.unwrap();
    let end = |(at, one): (&i64, Appended)| End {
        id: one.id,
        position: Position { at: minute(*at), seq: one.seq },
    };
    minutes.iter().zip(appended).map(end).collect()
}

/// The end of a span at a message of chat `a`.
pub(crate) async fn end_of(store: &Store, id: u128) -> End {
    let stored = store.chat(&chat("a")).find(Reference::Id(message_id(id))).await.unwrap().unwrap();
    End { id: stored.message.id, position: stored.position() }
}

pub(crate) fn summary(id: u128, first: End, last: End, messages: u64) -> Summary {
    Summary {
        id: Uuid::from_u128(id),
        scope: Scope::Conversation,
        text: format!("summary {id}"),
        sections: Sections::default(),
        // The newest of five messages.
        made_after: 5,
        messages,
        first,
        last,
        version: 1,
        updated_at: minute(100),
        stale: false,
    }
}

async fn b3_a_summary_follows_the_watermark_or_is_refused(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.watermark(&Lane::Root, Scope::Conversation).await.unwrap(), None);
    assert_eq!(in_chat.summaries(&Lane::Root).await.unwrap(), []);
    let ends = with_messages(&test, &Lane::Root, &[0, 1, 2, 3, 4]).await;
    let originals = in_chat.recorded_after(0, 10).await.unwrap();
    in_chat.add_summary(&Lane::Root, summary(1, ends[0], ends[1], 2)).await.unwrap();
    for (first, last, why) in [(1, 2, "overlaps"), (3, 4, "gap of 1"), (3, 2, "before it begins")] {
        let error =
            in_chat.add_summary(&Lane::Root, summary(9, ends[first], ends[last], 2)).await.unwrap_err();
        assert!(matches!(&error, Error::Conflict(said) if said.contains(why)), "{error}");
    }
    assert_eq!(in_chat.watermark(&Lane::Root, Scope::Conversation).await.unwrap(), Some(ends[1].position));
    assert_eq!(in_chat.watermark(&Lane::Root, Scope::Lane).await.unwrap(), None, "each scope has its own");
    let sections = Sections { goals: vec!["A goal".to_owned()], ..Sections::default() };
    let second = Summary { sections, ..summary(2, ends[2], ends[4], 3) };
    in_chat.add_summary(&Lane::Root, second.clone()).await.unwrap();
    let stored = test.again().await.chat(&chat("a")).summaries(&Lane::Root).await.unwrap();
    assert_eq!(stored, [summary(1, ends[0], ends[1], 2), second]);
    assert_eq!(in_chat.recorded_after(0, 10).await.unwrap(), originals, "b1: no message has changed");
}

async fn b3_a_summary_ends_at_messages_of_its_own_lane_and_chat(test: TestStore) {
    let topic = Lane::Topic("7".to_owned());
    let ends = with_messages(&test, &Lane::Root, &[0]).await;
    let others = with_messages(&test, &topic, &[1]).await;
    test.store.append(vec![said("b", 9, 0).to_record()]).await.unwrap();
    let add = async |in_chat: InChat, lane: &Lane, end: End| {
        in_chat.add_summary(lane, summary(1, end, end, 1)).await.unwrap_err()
    };
    let wrong_lane = add(test.store.chat(&chat("a")), &Lane::Root, others[0]).await;
    assert!(matches!(wrong_lane, Error::NotFound { what: "message", .. }), "{wrong_lane}");
    let wrong_chat = add(test.store.chat(&chat("b")), &Lane::Root, ends[0]).await;
    assert!(matches!(wrong_chat, Error::NotFound { what: "message", .. }), "{wrong_chat}");
    let no_lane = add(test.store.chat(&chat("b")), &topic, ends[0]).await;
    assert!(matches!(no_lane, Error::NotFound { what: "lane", .. }), "{no_lane}");
    assert_eq!(test.store.figures().await.unwrap().summaries, 0);
}

async fn b3_a_message_behind_the_watermark_makes_its_summary_stale_until_it_is_rewritten(test: TestStore) {
    let ends = with_messages(&test, &Lane::Root, &[0, 10, 20, 30]).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.add_summary(&Lane::Root, summary(1, ends[0], ends[1], 2)).await.unwrap();
    in_chat.add_summary(&Lane::Root, summary(2, ends[2], ends[3], 2)).await.unwrap();
    test.store.append(vec![said("a", 99, 25).to_record()]).await.unwrap();
    let stale = || async {
        let summaries = in_chat.summaries(&Lane::Root).await.unwrap();
        summaries.iter().map(|summary| summary.stale).collect::<Vec<_>>()
    };
    assert_eq!(stale().await, [false, true]);
    let rewritten = Summary {
        text: "with the late one".to_owned(),
        sections: Sections { facts: vec!["It came late".to_owned()], ..Sections::default() },
        messages: 3,
        updated_at: minute(120),
        ..summary(2, ends[2], ends[3], 2)
    };
    test.store.open_chat(&chat("b")).await.unwrap();
    test.store.chat(&chat("b")).rewrite_summary(rewritten.clone()).await.unwrap();
    assert_eq!(stale().await, [false, true], "another chat cannot rewrite it");
    in_chat.rewrite_summary(rewritten.clone()).await.unwrap();
    let expected = Summary { version: 2, ..rewritten };
    assert_eq!(in_chat.summaries(&Lane::Root).await.unwrap().pop(), Some(expected));
}

async fn b3_a_lanes_summary_replaces_the_one_before_and_earlier_versions_are_kept_for_a_while(
    test: TestStore,
) {
    let topic = Lane::Topic("7".to_owned());
    let ends = with_messages(&test, &Lane::Root, &[0, 1, 2]).await;
    let others = with_messages(&test, &topic, &[3, 4]).await;
    let in_chat = test.store.chat(&chat("a"));
    let of_lane = |id: u128, last: End, version: u32| Summary {
        scope: Scope::Lane,
        version,
        ..summary(id, ends[0], last, 3)
    };
    for (id, last, version) in [(1, ends[0], 1), (2, ends[1], 2)] {
        in_chat.add_summary(&Lane::Root, of_lane(id, last, version)).await.unwrap();
    }
    in_chat.add_summary(&topic, summary(3, others[0], others[0], 1)).await.unwrap();
    in_chat.add_summary(&topic, summary(4, others[1], others[1], 1)).await.unwrap();
    let ids = |all: Vec<(Lane, Summary)>| -> Vec<(Lane, u128)> {
        all.into_iter().map(|(lane, summary)| (lane, summary.id.as_u128())).collect()
    };
    let in_topic = [(topic.clone(), 3), (topic.clone(), 4)];
    let newest = [[(Lane::Root, 2)].as_slice(), &in_topic].concat();
    assert_eq!(ids(in_chat.all_summaries().await.unwrap()), newest);
    let every = [[(Lane::Root, 1), (Lane::Root, 2)].as_slice(), &in_topic].concat();
    assert_eq!(ids(in_chat.every_version().await.unwrap()), every);
    assert_eq!(in_chat.watermark(&Lane::Root, Scope::Lane).await.unwrap(), Some(ends[1].position));

    let elsewhere = in_chat.summaries_elsewhere(&Lane::Root, 1).await.unwrap();
    assert_eq!(elsewhere, [(topic.clone(), summary(4, others[1], others[1], 1))], "the newest");
    assert_eq!(ids(in_chat.summaries_elsewhere(&topic, 1).await.unwrap()), [(Lane::Root, 2)]);
    test.store.append(vec![said("b", 50, 0).to_record()]).await.unwrap();
    for name in ["b", "nobody"] {
        let other = test.store.chat(&chat(name));
        assert_eq!(other.all_summaries().await.unwrap(), []);
        assert_eq!(other.every_version().await.unwrap(), []);
        assert_eq!(other.summaries_elsewhere(&Lane::Topic("8".to_owned()), 9).await.unwrap(), []);
    }
}

async fn b3_a_chats_summary_spans_its_lanes_and_stands_in_no_lanes_row(test: TestStore) {
    let topic = Lane::Topic("7".to_owned());
    let ends = with_messages(&test, &Lane::Root, &[0, 4]).await;
    let others = with_messages(&test, &topic, &[2, 6]).await;
    test.store.append(vec![said("b", 50, 0).to_record()]).await.unwrap();
    let foreign = End { id: message_id(50), position: others[1].position };
    let in_chat = test.store.chat(&chat("a"));
    let of_chat = |id: u128, first: End, last: End, version: u32| Summary {
        scope: Scope::Chat,
        version,
        ..summary(id, first, last, 4)
    };
    let refused = in_chat.add_summary(&topic, of_chat(1, ends[0], foreign, 1)).await.unwrap_err();
    assert!(matches!(refused, Error::NotFound { what: "message", .. }), "{refused}");
    in_chat.add_summary(&Lane::Root, of_chat(2, ends[0], ends[1], 1)).await.unwrap();
    in_chat.add_summary(&topic, of_chat(3, ends[0], others[1], 2)).await.unwrap();

    let all = in_chat.all_summaries().await.unwrap();
    assert_eq!(all, [(topic.clone(), of_chat(3, ends[0], others[1], 2))], "one, the newest");
    assert_eq!(in_chat.every_version().await.unwrap(), all, "forgetting reads it too");
    assert_eq!(in_chat.summaries(&topic).await.unwrap(), []);
    assert_eq!(in_chat.summaries_elsewhere(&Lane::Root, 9).await.unwrap(), []);
    assert_eq!(in_chat.watermark(&topic, Scope::Conversation).await.unwrap(), None);
    assert_eq!(test.store.chat(&chat("b")).all_summaries().await.unwrap(), []);

    test.store.append(vec![said("a", 51, 1).to_record()]).await.unwrap();
    assert!(in_chat.all_summaries().await.unwrap()[0].1.stale, "a late message of any lane is not in it");
}

/// Claims the job that compacts a lane, and takes the others out.
async fn compaction_of(store: &Store, now: i64) -> Option<Job> {
    let mut found = None;
    while let Some(job) = store.claim_job(&KINDS, "w", minute(now), minute(now + 1)).await.unwrap() {
        if job.kind == JobKind::COMPACT {
            found = Some(job);
        } else {
            store.finish_job(&job, "w").await.unwrap();
        }
    }
    found
}

async fn a_lane_is_compacted_when_it_has_been_silent(test: TestStore) {
    let topic = Lane::Topic("7".to_owned());
    with_messages(&test, &topic, &[0, 10]).await;
    let job = compaction_of(&test.store, 11).await.unwrap();
    assert_eq!(test.store.lane_to_compact(&job.subject).await.unwrap(), Some((chat("a"), topic)));
    for nowhere in ["999", "no lane"] {
        assert_eq!(test.store.lane_to_compact(nowhere).await.unwrap(), None);
    }
    test.store.postpone_job(&job, "w", minute(500)).await.unwrap();
    test.store.wake_compaction(minute(9)).await.unwrap();
    assert_eq!(compaction_of(&test.store, 20).await, None, "something was said since");
    test.store.wake_compaction(minute(10)).await.unwrap();
    assert_eq!(compaction_of(&test.restarted().await.store, 20).await, Some(job));
}

stories!(
    b3_a_summary_follows_the_watermark_or_is_refused,
    b3_a_summary_ends_at_messages_of_its_own_lane_and_chat,
    b3_a_chats_summary_spans_its_lanes_and_stands_in_no_lanes_row,
    b3_a_message_behind_the_watermark_makes_its_summary_stale_until_it_is_rewritten,
    b3_a_lanes_summary_replaces_the_one_before_and_earlier_versions_are_kept_for_a_while,
    a_lane_is_compacted_when_it_has_been_silent,
);
