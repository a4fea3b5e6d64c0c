//! No read leaves its chat, and no window its lane.

use std::collections::HashSet;

use proptest::prelude::*;
use throughline_domain::lane::Lane;
use throughline_store::messages::Reference;
use throughline_store::search::Query;
use throughline_testkit::{TestStore, said};
use throughline_text::words;

use crate::{FAR, chat, minute, record};

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn a6_chats_and_lanes_that_share_the_store_are_isolated(traffic in proptest::collection::vec((0usize..4, 0usize..3, 0i64..500), 1..120)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let test = TestStore::fresh().await;
            let names = ["a", "a:b", "b", "a-b"];
            let lanes = [Lane::Root, Lane::Topic("1".into()), Lane::Reply("1".into())];
            for (n, (at_chat, at_lane, at)) in traffic.iter().enumerate() {
                let mut message = said(&chat(names[*at_chat]), n as u128 + 1, minute(*at), &format!("word from {at_chat} in {at_lane}"));
                message.lane = lanes[*at_lane].clone();
                message.external_ids = vec![format!("{n}")];
                test.store.append(vec![record(message)]).await.unwrap();
            }
            for (at_chat, name) in names.iter().enumerate() {
                let in_chat = test.store.chat(&chat(name));
                let mine = |text: &str| text.contains(&format!("from {at_chat} "));
                let query = Query { terms: words::query_terms("word from"), limit: 1_000, ..Query::default() };
                let hits = in_chat.search(query, Box::new(|_| 0.0)).await.unwrap();
                let found: usize = hits.iter().map(|hit| hit.messages.len()).sum();
                prop_assert_eq!(found, traffic.iter().filter(|one| one.0 == at_chat).count());
                prop_assert!(hits.iter().all(|hit| mine(&hit.stored.message.text)));
                for (at_lane, lane) in lanes.iter().enumerate() {
                    let view = in_chat.lane(lane, FAR, HashSet::new()).await.unwrap();
                    let own = format!("word from {at_chat} in {at_lane}");
                    prop_assert!(view.history.messages.iter().all(|stored| stored.message.text == own));
                    prop_assert_eq!(view.history.messages.len(), traffic.iter().filter(|one| one.0 == at_chat && one.1 == at_lane).count());
                }
                for (n, one) in traffic.iter().enumerate() {
                    let found = in_chat.find(Reference::External(n.to_string())).await.unwrap();
                    prop_assert_eq!(found.is_some(), one.0 == at_chat);
                }
                prop_assert!(in_chat.recorded_after(0, 1_000).await.unwrap().iter().all(|stored| mine(&stored.message.text)));
            }
            Ok(())
        })?;
    }
}
