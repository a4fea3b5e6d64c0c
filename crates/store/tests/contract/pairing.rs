//! A person who asks to be served is let in by a code, which works once and for a while.

use throughline_domain::chat::ChatId;
use throughline_store::Store;
use throughline_store::arrivals::{Arrival, Ingested, Mark, PairingRequest};
use throughline_store::effects::Effect;
use throughline_store::outbox::{Button, NewOutboxItem, Outgoing};
use throughline_store::pairing::{OwnerNotice, PairedPerson};
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::minute;

fn request(code: &str, person: &str, until: i64) -> PairingRequest {
    PairingRequest {
        code: code.to_owned(),
        person: format!("telegram:{person}"),
        name: format!("Person {person}"),
        chat: format!("telegram:chat:{person}").parse().unwrap(),
        until: minute(until),
    }
}

fn paired(person: &str, at: i64) -> PairedPerson {
    PairedPerson { person: format!("telegram:{person}"), name: format!("Person {person}"), at: minute(at) }
}

/// A request that arrives at a minute, which is also the number of its update.
async fn ask(store: &Store, at: i64, request: &PairingRequest) {
    let mark = Mark { account: "telegram:7".to_owned(), update: at, at: minute(at) };
    let answer =
        NewOutboxItem { chat: request.chat.clone(), body: "your code".to_owned(), is_repeatable: false };
    let arrival = Arrival::PairingRequest(request.clone(), answer, None);
    assert_eq!(store.ingest(mark, arrival).await.unwrap(), Ingested::Done);
}

async fn a_request_stands_until_its_code_has_expired_and_its_person_is_told(test: TestStore) {
    assert_eq!(test.store.pairing_requests(minute(0)).await.unwrap(), []);
    let (first, second) = (request("AAAA", "1", 30), request("BBBB", "2", 60));
    ask(&test.store, 1, &first).await;
    ask(&test.store, 2, &second).await;
    let test = test.restarted().await;
    assert_eq!(test.store.pairing_requests(minute(3)).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(test.store.pairing_requests(minute(30)).await.unwrap(), std::slice::from_ref(&second));
    let told: Vec<_> =
        test.store.unsent("telegram").await.unwrap().into_iter().map(|(chat, _)| chat).collect();
    assert_eq!(told, [first.chat, second.chat]);
    let newer = request("CCCC", "2", 90);
    ask(&test.store, 4, &newer).await;
    assert_eq!(test.store.pairing_requests(minute(31)).await.unwrap(), [newer], "a person has one code");
    assert_eq!(test.store.approve_pairing("BBBB", minute(31)).await.unwrap(), None);
}

async fn a_code_lets_its_person_in_once(test: TestStore) {
    ask(&test.store, 1, &request("AAAA", "1", 30)).await;
    assert_eq!(test.store.approve_pairing("ZZZZ", minute(2)).await.unwrap(), None);
    assert_eq!(test.store.approve_pairing("AAAA", minute(30)).await.unwrap(), None, "it has expired");
    assert!(!test.store.is_paired("telegram:1").await.unwrap());
    let approved = test.store.approve_pairing("AAAA", minute(2)).await.unwrap();
    assert_eq!(approved, Some((paired("1", 2), "telegram:chat:1".parse().unwrap())));
    assert_eq!(test.store.approve_pairing("AAAA", minute(3)).await.unwrap(), None);
    assert_eq!(test.store.pairing_requests(minute(3)).await.unwrap(), []);
    let test = test.restarted().await;
    assert_eq!(test.store.paired_people().await.unwrap(), [paired("1", 2)]);
    assert!(test.store.is_paired("telegram:1").await.unwrap());
    assert!(!test.store.is_paired("telegram:2").await.unwrap());
}

async fn a_person_who_is_let_in_again_keeps_the_first_date_and_gets_the_new_name(test: TestStore) {
    ask(&test.store, 1, &request("AAAA", "1", 30)).await;
    test.store.approve_pairing("AAAA", minute(2)).await.unwrap();
    let renamed = PairingRequest { name: "Ana".to_owned(), ..request("BBBB", "1", 60) };
    ask(&test.store, 5, &renamed).await;
    let (approved, _) = test.store.approve_pairing("BBBB", minute(6)).await.unwrap().unwrap();
    let expected = PairedPerson { name: "Ana".to_owned(), ..paired("1", 2) };
    assert_eq!(test.store.paired_people().await.unwrap(), std::slice::from_ref(&expected));
    assert_eq!(approved, expected, "what is returned is what is stored");
}

async fn a_rejected_code_lets_nobody_in(test: TestStore) {
    let asked = request("AAAA", "1", 30);
    ask(&test.store, 1, &asked).await;
    assert_eq!(test.store.reject_pairing("ZZZZ", minute(2)).await.unwrap(), None);
    assert_eq!(test.store.reject_pairing("AAAA", minute(2)).await.unwrap(), Some(asked));
    assert_eq!(test.store.reject_pairing("AAAA", minute(2)).await.unwrap(), None);
    assert_eq!(test.store.approve_pairing("AAAA", minute(3)).await.unwrap(), None);
    assert_eq!(test.store.paired_people().await.unwrap(), []);
}

async fn a_rejected_person_cannot_ask_again_for_a_day(test: TestStore) {
    ask(&test.store, 1, &request("AAAA", "1", 30)).await;
    assert!(!test.store.is_rejected("telegram:1", minute(2)).await.unwrap());
    test.store.reject_pairing("AAAA", minute(2)).await.unwrap();
    let test = test.restarted().await;
    assert!(test.store.is_rejected("telegram:1", minute(2 + 24 * 60 - 1)).await.unwrap());
    assert!(!test.store.is_rejected("telegram:2", minute(3)).await.unwrap());
    assert!(!test.store.is_rejected("telegram:1", minute(2 + 24 * 60)).await.unwrap());
    test.store.tidy(minute(2 + 24 * 60)).await.unwrap();
    assert!(!test.store.is_rejected("telegram:1", minute(3)).await.unwrap(), "it is gone");
}

async fn the_owner_is_told_of_a_person_with_buttons_that_work_as_one(test: TestStore) {
    let asked = request("AAAA", "1", 30);
    let owner = request("", "9", 0).chat;
    let button = Button {
        id: "approve".to_owned(),
        bundle: Uuid::from_u128(1),
        chat: owner.clone(),
        person: "telegram:9".to_owned(),
        action: "{}".to_owned(),
        until: minute(60),
    };
    let item =
        |chat: &ChatId| NewOutboxItem { chat: chat.clone(), body: "words".to_owned(), is_repeatable: false };
    let notice = OwnerNotice { outbox: vec![item(&owner)], buttons: vec![button.clone()] };
    let mark = Mark { account: "telegram:7".to_owned(), update: 1, at: minute(1) };
    let arrival = Arrival::PairingRequest(asked.clone(), item(&asked.chat), Some(notice));
    test.store.ingest(mark, arrival).await.unwrap();
    assert_eq!(test.store.pairing_notices(minute(2)).await.unwrap(), ["telegram:1"]);
    assert_eq!(test.store.pairing_notices(minute(61)).await.unwrap(), [""; 0]);
    let told: Vec<_> =
        test.store.unsent("telegram").await.unwrap().into_iter().map(|(chat, _)| chat).collect();
    assert!(told.contains(&owner) && told.contains(&asked.chat), "{told:?}");

    let press = |code: &str| Outgoing {
        effects: vec![Effect::Approve { code: code.to_owned(), at: minute(2) }],
        pressed: Some(button.clone()),
        used: vec![button.bundle],
        outbox: vec![item(&asked.chat)],
        ..Outgoing::default()
    };
    let items = async || test.store.outbox_figures().await.unwrap().pending;
    let before = items().await;
    let refused = test.store.send_out(press("ZZZZ")).await;
    assert!(matches!(refused, Err(throughline_store::Error::Conflict(_))), "{refused:?}");
    assert_eq!(items().await, before, "nothing is sent of what was not done");
    test.store.send_out(press("AAAA")).await.unwrap();
    assert!(test.store.is_paired("telegram:1").await.unwrap());
    ask(&test.store, 5, &request("BBBB", "2", 30)).await;
    let reject = Outgoing {
        effects: vec![Effect::Reject { code: "BBBB".to_owned(), at: minute(6) }],
        pressed: Some(button.clone()),
        ..Outgoing::default()
    };
    let refused = test.store.send_out(reject).await;
    assert!(matches!(refused, Err(throughline_store::Error::Conflict(_))), "the button is used up");
    assert!(!test.store.is_rejected("telegram:2", minute(7)).await.unwrap());
}

async fn a_person_whose_pairing_is_revoked_is_served_no_longer(test: TestStore) {
    for person in ["1", "2"] {
        ask(&test.store, person.parse().unwrap(), &request(person, person, 30)).await;
        test.store.approve_pairing(person, minute(3)).await.unwrap();
    }
    assert!(test.store.revoke_pairing("telegram:1").await.unwrap());
    assert!(!test.store.revoke_pairing("telegram:1").await.unwrap(), "once");
    assert!(!test.store.is_paired("telegram:1").await.unwrap());
    assert_eq!(test.restarted().await.store.paired_people().await.unwrap(), [paired("2", 3)]);
}

async fn tidying_takes_out_codes_and_buttons_that_have_expired_and_nothing_else(test: TestStore) {
    let (short, long) = (request("AAAA", "1", 30), request("BBBB", "2", 60));
    ask(&test.store, 1, &short).await;
    ask(&test.store, 2, &long).await;
    let button = |id: &str, until: i64| Button {
        id: id.to_owned(),
        bundle: Uuid::from_u128(1),
        chat: long.chat.clone(),
        person: long.person.clone(),
        action: "{}".to_owned(),
        until: minute(until),
    };
    let buttons = vec![button("short", 30), button("long", 60)];
    test.store.send_out(Outgoing { buttons, ..Outgoing::default() }).await.unwrap();
    test.store.tidy(minute(30)).await.unwrap();
    // Asked as of an earlier moment, at which all of them would still hold.
    let in_chat = test.store.chat(&long.chat);
    assert_eq!(in_chat.button("short", minute(3)).await.unwrap(), None);
    assert_eq!(in_chat.button("long", minute(3)).await.unwrap(), Some(button("long", 60)));
    assert_eq!(test.store.pairing_requests(minute(3)).await.unwrap(), [long]);
}

stories!(
    a_request_stands_until_its_code_has_expired_and_its_person_is_told,
    a_code_lets_its_person_in_once,
    a_person_who_is_let_in_again_keeps_the_first_date_and_gets_the_new_name,
    a_rejected_code_lets_nobody_in,
    a_rejected_person_cannot_ask_again_for_a_day,
    the_owner_is_told_of_a_person_with_buttons_that_work_as_one,
    a_person_whose_pairing_is_revoked_is_served_no_longer,
    tidying_takes_out_codes_and_buttons_that_have_expired_and_nothing_else,
);
