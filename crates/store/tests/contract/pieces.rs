//! Memories and summaries get vectors as pieces of a search.

use std::collections::HashMap;

use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Status};
use throughline_domain::recall::vector::Vector;
use throughline_domain::summary::Summary;
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::summaries::{end_of, summary};
use crate::{chat, learn, memory, said};

fn piece(id: u128) -> Uuid {
    Uuid::from_u128(id)
}

fn vector(part: f32) -> Vector {
    Vector::new(&[1.0, part])
}

async fn b6_a_piece_waits_for_its_vector_of_each_embedder(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.pieces_without_vectors("x", 9).await.unwrap(), []);
    in_chat.add_piece_vectors("x", vec![(piece(1), vector(0.5))]).await.unwrap();
    test.store.append(vec![said("a", 1, 0).to_record(), said("b", 2, 0).to_record()]).await.unwrap();
    let end = end_of(&test.store, 1).await;
    let gone = Memory { status: Status::Superseded, ..memory("a", 2, "no longer so") };
    let suggested = Memory { status: Status::Suggested, ..memory("a", 3, "suggested") };
    learn(&test.store, "a", vec![memory("a", 1, "holds"), gone, suggested]).await;
    learn(&test.store, "b", vec![memory("b", 4, "of another chat")]).await;
    in_chat
        .add_summary(&Lane::Root, Summary { text: "a summary".to_owned(), ..summary(5, end, end, 1) })
        .await
        .unwrap();

    let waiting = async |embedder: &str, limit: usize| {
        let mut found = in_chat.pieces_without_vectors(embedder, limit).await.unwrap();
        found.sort();
        found
    };
    let all =
        [(1, "holds"), (3, "suggested"), (5, "a summary")].map(|(id, text)| (piece(id), text.to_owned()));
    assert_eq!(waiting("x", 9).await, all, "of what holds or is suggested, in this chat");
    assert_eq!(waiting("x", 2).await.len(), 2);
    let made = vec![
        (piece(1), vector(0.25)),
        (piece(5), vector(0.5)),
        (piece(2), vector(0.75)),
        (piece(77), vector(1.0)),
    ];
    in_chat.add_piece_vectors("x", made).await.unwrap();
    assert_eq!(waiting("x", 9).await, all.get(1..2).unwrap());
    assert_eq!(waiting("y", 9).await, all, "another embedder has made none");

    let in_chat = test.again().await.chat(&chat("a"));
    let asked = [1, 2, 3, 5, 77].map(piece).to_vec();
    let expected = HashMap::from(
        [(1, 0.25), (5, 0.5)].map(|(id, part)| (piece(id), vector(part).components().to_vec())),
    );
    assert_eq!(
        in_chat.piece_vectors(asked.clone(), "x").await.unwrap(),
        expected,
        "none for what does not hold"
    );
    assert_eq!(in_chat.piece_vectors(asked, "y").await.unwrap(), HashMap::new());
    in_chat.add_piece_vectors("x", vec![(piece(1), vector(1.0))]).await.unwrap();
    let again = in_chat.piece_vectors(vec![piece(1)], "x").await.unwrap();
    assert_eq!(again, HashMap::from([(piece(1), vector(1.0).components().to_vec())]), "the last one holds");
}

async fn b6_pieces_keep_only_the_vectors_of_the_chosen_embedder(test: TestStore) {
    test.store.open_chat(&chat("a")).await.unwrap();
    learn(&test.store, "a", vec![memory("a", 1, "holds")]).await;
    let in_chat = test.store.chat(&chat("a"));
    for embedder in ["x", "y"] {
        in_chat.add_piece_vectors(embedder, vec![(piece(1), vector(0.5))]).await.unwrap();
    }
    in_chat.keep_only_vectors_of("y").await.unwrap();
    assert!(in_chat.piece_vectors(vec![piece(1)], "x").await.unwrap().is_empty());
    assert_eq!(in_chat.piece_vectors(vec![piece(1)], "y").await.unwrap().len(), 1);
}

stories!(
    b6_a_piece_waits_for_its_vector_of_each_embedder,
    b6_pieces_keep_only_the_vectors_of_the_chosen_embedder,
);
