//! No read leaves its chat, no window its lane, and a person's memories go where the person goes.

use std::collections::HashSet;

use proptest::prelude::*;
use throughline_domain::lane::Lane;
use throughline_domain::recall::overlap::Overlap;
use throughline_store::messages::Reference;
use throughline_store::search::Query;
use throughline_testkit::TestStore;
use throughline_text::words;

use crate::{FAR, chat, holds, known, learn, memory, memory_of, minute, said};

fn a6_chats_and_lanes_that_share_the_store_are_isolated(fresh: impl AsyncFn() -> TestStore) {
    let names = ["a", "a:b", "b", "a-b"];
    let lanes = [Lane::Root, Lane::Topic("1".into()), Lane::Reply("1".into())];
    let one = (0..names.len(), 0..lanes.len(), 0i64..500);
    holds(12, proptest::collection::vec(one, 1..120), async |traffic| {
        let test = fresh().await;
        for (n, (at_chat, at_lane, at)) in traffic.iter().enumerate() {
            let message = said(names[*at_chat], n as u128 + 1, *at).lane(lanes[*at_lane].clone());
            let text = format!("word from {at_chat} in {at_lane}");
            test.store.append(vec![message.text(text).external(n.to_string()).to_record()]).await.unwrap();
        }
        for (at_chat, name) in names.iter().enumerate() {
            let in_chat = test.store.chat(&chat(name));
            let mine = |text: &str| text.contains(&format!("from {at_chat} "));
            let own = traffic.iter().filter(|one| one.0 == at_chat).count();
            let query = Query { terms: words::query_terms("word from"), limit: 1_000, ..Query::default() };
            let hits = in_chat.search(query, Box::new(|_| Overlap::default())).await.unwrap();
            prop_assert_eq!(hits.iter().map(|hit| hit.messages.len()).sum::<usize>(), own);
            prop_assert!(hits.iter().all(|hit| mine(&hit.stored.message.text)));
            for (at_lane, lane) in lanes.iter().enumerate() {
                let view = in_chat.lane(lane, FAR, HashSet::new()).await.unwrap();
                let expected = format!("word from {at_chat} in {at_lane}");
                prop_assert!(view.history.messages.iter().all(|stored| stored.message.text == expected));
                let in_lane = traffic.iter().filter(|one| one.0 == at_chat && one.1 == at_lane).count();
                prop_assert_eq!(view.history.messages.len(), in_lane);
                prop_assert_eq!(in_chat.following(lane, None, 1_000).await.unwrap().len(), in_lane);
            }
            for (n, one) in traffic.iter().enumerate() {
                let found = in_chat.find(Reference::External(n.to_string())).await.unwrap();
                prop_assert_eq!(found.is_some(), one.0 == at_chat);
            }
            let recorded = in_chat.recorded_after(0, 1_000).await.unwrap();
            prop_assert_eq!(recorded.len(), own);
            prop_assert!(recorded.iter().all(|stored| mine(&stored.message.text)));
            let unextracted = in_chat.unextracted(1_000).await.unwrap();
            prop_assert_eq!(unextracted.len(), own);
            prop_assert!(unextracted.iter().all(|one| mine(&one.said.message.text)));
        }
        Ok(())
    });
}

fn a6_a_persons_chats_share_the_persons_memories_and_nothing_else(fresh: impl AsyncFn() -> TestStore) {
    // Ana has two private chats, Ben has one, and nobody owns the group.
    let places = [("ana-1", Some("ana")), ("ana-2", Some("ana")), ("ben", Some("ben")), ("group", None)];
    let one = (0..places.len(), any::<bool>());
    holds(12, proptest::collection::vec(one, 1..40), async |traffic| {
        let test = fresh().await;
        for (name, _) in places {
            test.store.open_chat(&chat(name)).await.unwrap();
        }
        // What each chat should show, by a rule that is written without the store.
        let mut expected = vec![Vec::new(); places.len()];
        for (n, (at, personal)) in traffic.iter().enumerate() {
            let ((name, person), id, text) = (places[*at], n as u128 + 1, format!("statement {n}"));
            let of_person = person.filter(|_| *personal);
            let learned = match of_person {
                Some(person) => memory_of(person, name, id, &text),
                None => memory(name, id, &text),
            };
            learn(&test.store, name, vec![learned]).await;
            test.store.append(vec![said(name, id, n as i64).text(text.clone()).to_record()]).await.unwrap();
            test.store.chat(&chat(name)).keep_narrative(of_person, &text, minute(n as i64)).await.unwrap();
            for (shown, (other, owner)) in expected.iter_mut().zip(places) {
                if other == name || (of_person.is_some() && owner == of_person) {
                    shown.push(text.clone());
                }
            }
        }
        for (shown, (name, person)) in expected.into_iter().zip(places) {
            prop_assert_eq!(&known(&test.store, name, person).await, &shown);
            let in_chat = test.store.chat(&chat(name));
            for person in [None, person] {
                let narrative = in_chat.narrative(person, minute(1_000)).await.unwrap();
                prop_assert!(narrative.is_none_or(|narrative| shown.contains(&narrative)));
            }
            let pieces = in_chat.pieces_without_vectors("x", 1_000).await.unwrap();
            let own = traffic.iter().filter(|(at, _)| places[*at].0 == name).count();
            prop_assert_eq!(pieces.len(), own, "a chat makes the vectors of its own memories");
            prop_assert!(pieces.iter().all(|(_, text)| shown.contains(text)));
            prop_assert_eq!(in_chat.recorded_after(0, 1_000).await.unwrap().len(), own);
        }
        Ok(())
    });
}

stories!(; properties:
    a6_chats_and_lanes_that_share_the_store_are_isolated,
    a6_a_persons_chats_share_the_persons_memories_and_nothing_else
);
