//! Tokens, sign-in codes and sessions are known by their hashes; chats are claimed; a request is carried out once.

use std::sync::Arc;

use throughline_domain::access::Access;
use throughline_domain::chat::ChatId;
use throughline_domain::memory::MemoryId;
use throughline_store::Error;
use throughline_store::credentials::{Credential, CredentialKind, Hash};
use throughline_store::grants::{Grants, RevokedAccess};
use throughline_store::memories::Learned;
use throughline_store::requests::RequestKey;
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::{chat, known, memory, message_id, minute, said};

fn credential(name: &str, access: Access, expires: Option<i64>) -> Credential {
    Credential { name: name.to_owned(), access, created_at: minute(0), expires_at: expires.map(minute) }
}

fn hash(number: u8) -> Hash {
    [number; 32]
}

async fn a_token_is_found_by_its_hash_until_it_is_revoked(test: TestStore) {
    let tokens = [
        credential("all", Access::Everything, None),
        credential("anas", Access::Person("ana".to_owned()), None),
        credential("desk", Access::Chat(chat("desk")), None),
    ];
    for (number, token) in (1..).zip(&tokens) {
        test.store.add_credential(CredentialKind::Token, hash(number), token.clone()).await.unwrap();
    }
    let test = test.restarted().await;
    assert_eq!(test.store.tokens().await.unwrap(), tokens);
    let find = async |kind, number| test.store.credential(kind, hash(number), minute(9)).await.unwrap();
    assert_eq!(find(CredentialKind::Token, 2).await.as_ref(), Some(&tokens[1]));
    assert_eq!(find(CredentialKind::Token, 9).await, None);
    assert_eq!(find(CredentialKind::Session, 2).await, None, "a token is no session");
    let twice = test.store.add_credential(
        CredentialKind::Token,
        hash(7),
        credential("desk", Access::Everything, None),
    );
    assert!(matches!(twice.await, Err(Error::Conflict(_))));
    assert!(test.store.revoke_token("desk").await.unwrap());
    assert!(!test.store.revoke_token("desk").await.unwrap());
    assert_eq!(find(CredentialKind::Token, 3).await, None);
    assert_eq!(test.store.tokens().await.unwrap(), tokens[..2]);
}

async fn a_code_signs_in_once_while_it_holds_and_its_session_ends(test: TestStore) {
    let code = credential("", Access::Everything, Some(10));
    test.store.add_credential(CredentialKind::Code, hash(1), code.clone()).await.unwrap();
    test.store.add_credential(CredentialKind::Code, hash(2), code).await.unwrap();
    assert_eq!(test.store.sign_in(hash(1), hash(5), minute(10), minute(99)).await.unwrap(), None, "too late");
    assert_eq!(test.store.sign_in(hash(9), hash(5), minute(1), minute(99)).await.unwrap(), None, "unknown");
    let session = test.store.sign_in(hash(1), hash(5), minute(1), minute(99)).await.unwrap().unwrap();
    assert_eq!((session.created_at, session.expires_at), (minute(1), Some(minute(99))));
    assert_eq!(test.store.sign_in(hash(1), hash(6), minute(1), minute(99)).await.unwrap(), None, "once");
    let test = test.restarted().await;
    let holds = async |at| {
        let found = test.store.credential(CredentialKind::Session, hash(5), minute(at)).await;
        found.unwrap().is_some()
    };
    assert!(holds(98).await && !holds(99).await);
    test.store.sign_out(hash(5)).await.unwrap();
    assert!(!holds(2).await);
    test.store
        .add_credential(CredentialKind::Token, hash(3), credential("new", Access::Everything, None))
        .await
        .unwrap();
    assert!(
        test.store.sign_in(hash(2), hash(7), minute(1), minute(99)).await.unwrap().is_some(),
        "it still holds"
    );
}

async fn all_access_but_what_is_named_is_ended(test: TestStore) {
    for (name, number) in [("phone", 1), ("desk", 2)] {
        let token = credential(name, Access::Everything, None);
        test.store.add_credential(CredentialKind::Token, hash(number), token).await.unwrap();
    }
    let session = credential("", Access::Everything, Some(60));
    test.store.add_credential(CredentialKind::Session, hash(3), session).await.unwrap();
    let granted = Grants { credentials: vec![hash(2)], people: Vec::new() };
    let ended = test.store.revoke_all_except(granted.clone()).await.unwrap();
    assert_eq!(ended, RevokedAccess { tokens: vec!["phone".to_owned()], people: Vec::new() });
    assert_eq!(test.store.revoke_all_except(granted).await.unwrap(), RevokedAccess::default());
    let left = |kind, number| test.store.credential(kind, hash(number), minute(0));
    assert!(left(CredentialKind::Token, 2).await.unwrap().is_some());
    assert_eq!(left(CredentialKind::Session, 3).await.unwrap(), None);
}

async fn an_empty_chat_is_claimed_by_the_first_and_one_with_words_or_a_token_by_nobody(test: TestStore) {
    let claim = async |chat: &ChatId, person: &str| test.store.claim_chat(chat, person).await.unwrap();
    assert_eq!(claim(&chat("a"), "ana").await.as_deref(), Some("ana"));
    assert_eq!(claim(&chat("a"), "ben").await.as_deref(), Some("ana"), "it stays with the first");
    test.store.append(vec![said("used", 1, 0).to_record()]).await.unwrap();
    assert_eq!(claim(&chat("used"), "ana").await, None);
    let token = credential("desk", Access::Chat(chat("desk")), None);
    test.store.add_credential(CredentialKind::Token, hash(1), token).await.unwrap();
    assert_eq!(claim(&chat("desk"), "ana").await, None);
    test.store.open_chat(&chat("bare")).await.unwrap();
    assert_eq!(claim(&chat("bare"), "ben").await.as_deref(), Some("ben"), "nothing was said in it");
    test.store.append(vec![said("a", 2, 0).to_record()]).await.unwrap();
    assert_eq!(claim(&chat("a"), "ana").await.as_deref(), Some("ana"), "what was claimed before stays so");
    let test = test.restarted().await;
    let expected = [(chat("a"), "ana".to_owned()), (chat("bare"), "ben".to_owned())];
    assert_eq!(test.store.claims().await.unwrap(), expected);
}

async fn c1_a_request_with_a_key_appends_and_teaches_once(test: TestStore) {
    let request = |key, body, at| RequestKey { key: hash(key), body: hash(body), at: minute(at) };
    let once = async |id, request| {
        let learned = Learned {
            memories: vec![memory("a", 70 + id, "I like tea")],
            at: minute(0),
            ..Learned::default()
        };
        test.store.append_once(said("a", id, 0).to_record(), learned, request).await
    };
    let (first, memories) = once(1, request(1, 1, 0)).await.unwrap();
    assert_eq!((first.id, first.known), (message_id(1), false));
    assert_eq!(memories, [MemoryId(Uuid::from_u128(71))]);
    let (again, kept) = once(2, request(1, 1, 5)).await.unwrap();
    assert_eq!(
        (again.id, again.known, again.conversation, kept),
        (first.id, true, first.conversation, memories)
    );
    assert!(matches!(once(3, request(1, 2, 5)).await, Err(Error::Conflict(_))), "another body");
    assert_eq!(known(&test.store, "a", None).await, ["I like tea"]);
    let (other, _) = once(4, request(2, 1, 6)).await.unwrap();
    assert_eq!(other.id, message_id(4), "another key");
    let week = 7 * 24 * 60;
    let (later, _) = once(5, request(3, 1, week + 1)).await.unwrap();
    assert_eq!(later.id, message_id(5));
    let (forgotten, _) = once(6, request(1, 1, week + 2)).await.unwrap();
    assert_eq!(forgotten.id, message_id(6), "a key is kept for a week");
    let narrow = test.store.narrowed(Arc::new(|chat| chat.name() == "b"));
    let refused = narrow.append_once(said("a", 7, 0).to_record(), Learned::default(), request(9, 9, 0)).await;
    assert!(matches!(refused, Err(Error::OutOfScope(_))), "{refused:?}");
}

stories!(
    a_token_is_found_by_its_hash_until_it_is_revoked,
    a_code_signs_in_once_while_it_holds_and_its_session_ends,
    all_access_but_what_is_named_is_ended,
    an_empty_chat_is_claimed_by_the_first_and_one_with_words_or_a_token_by_nobody,
    c1_a_request_with_a_key_appends_and_teaches_once,
);
