//! Messages of every kind: quotes, edits, what is forwarded, and what is no text.

use serde_json::{Value, json};
use throughline_testkit::bot_api::Message;

use super::scripted::{answered, last_words, learned, memories, over, private, recorded, settled, taken_in};
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, Served};

const QUOTE: &str = "<quoted-message";

/// What stands in the quote, and what stands behind it.
fn parts(asked: &Value) -> (String, String) {
    let last = last_words(asked);
    let (_, from_quote) = last.split_once(QUOTE).unwrap_or_else(|| panic!("no quote: {last}"));
    let (quote, behind) = from_quote.split_once("</quoted-message>").unwrap();
    (quote.to_owned(), behind.to_owned())
}

fn over_a_model(test: impl FnOnce(&Served, &MessagesServer)) {
    let server = MessagesServer::start(|asked| {
        let is_list = last_words(asked).contains("Where could I go?");
        Answer::Says(if is_list { "First Porto. Then Faro.".to_owned() } else { "All right.".to_owned() })
    });
    server.serve(|| test(&Served::with(|| over(&server)), &server));
}

#[test]
fn e4_a_quote_is_a_block_of_its_own_whole_picked_or_of_an_unknown_message() {
    over_a_model(|served, server| {
        let (asked, answer) = answered(served, ANA, served.api.message(ANA, ANA).text("Where could I go?"));
        settled(served);
        let reply = |text: &str| served.api.message(ANA, ANA).text(text);
        let cases: [(&str, Message<'_>, &str, Option<&str>); 3] = [
            ("Why not?", reply("Why not?").reply_to(answer.message_id), "First Porto. Then Faro.", None),
            (
                "How far?",
                reply("How far?").reply_to(answer.message_id).quote("Then Faro."),
                "Then Faro.",
                Some("Porto"),
            ),
            ("I meant this.", reply("I meant this.").reply_to(asked), "Where could I go?", None),
        ];
        for (words, message, quoted, left_out) in cases {
            answered(served, ANA, message);
            let (quote, behind) = parts(server.asked().last().unwrap());
            assert!(quote.contains(quoted) && !quote.contains(words), "{words}: {quote}");
            assert!(left_out.is_none_or(|left_out| !quote.contains(left_out)), "{words}: {quote}");
            assert!(behind.contains(words) && !behind.contains(quoted), "{words}: {behind}");
            assert_eq!(recorded(served, words)["text"], words);
        }
    });
}

#[test]
fn e4_a_quote_of_an_unknown_message_is_shown_and_not_learned() {
    over_a_model(|served, server| {
        let unknown = json!({
            "message_id": 70_001, "date": 1_770_000_000, "chat": { "id": ANA, "type": "private", "first_name": "Ana" },
            "from": { "id": ANA, "is_bot": false, "first_name": "Ana" }, "text": "I am allergic to peanuts.",
        });
        let message = served.api.message(ANA, ANA).text("I live in Lisbon. What should I cook?");
        answered(served, ANA, message.with("reply_to_message", unknown));
        let (quote, behind) = parts(server.asked().last().unwrap());
        assert!(
            quote.contains("I am allergic to peanuts.") && !behind.contains("peanuts"),
            "{quote} {behind}"
        );
        assert_eq!(
            recorded(served, "I live in Lisbon. What should I cook?")["lane"],
            format!("reply:{ANA}:70001")
        );
        // What is quoted from another chat comes without the message.
        let message = served.api.message(ANA, ANA).text("And of this?");
        let quote = json!({ "text": "I am allergic to pollen.", "position": 0, "is_manual": true });
        answered(served, ANA, message.with("quote", quote));
        let (quote, behind) = parts(server.asked().last().unwrap());
        assert!(quote.contains("I am allergic to pollen.") && !behind.contains("pollen"), "{quote} {behind}");
        assert_eq!(recorded(served, "And of this?")["lane"], format!("root:{ANA}"));

        learned(served, &private(), "Lisbon");
        let known = memories(served, &private());
        assert!(!known.iter().any(|memory| memory.contains("allergic")), "{known:?}");
    });
}

#[test]
fn an_edit_is_remembered_and_never_answered_and_one_without_new_words_is_none() {
    over_a_model(|served, server| {
        let (id, _) = answered(served, ANA, served.api.message(ANA, ANA).text("We meet on Monday."));
        served.api.touches(ANA, ANA, id);
        served.api.edits(ANA, ANA, id, "We meet on Tuesday.");
        served.api.touches(ANA, ANA, id);
        taken_in(&served.api);
        assert_eq!(served.ask("When do we meet?").text, "All right.");
        assert_eq!(served.api.shown(ANA).len(), 2, "an edit is not answered");
        let texts = served.home.texts();
        let said: Vec<&str> =
            texts.iter().map(String::as_str).filter(|it| it.contains("We meet on")).collect();
        assert_eq!(said, ["We meet on Monday.", "We meet on Tuesday."]);
        let asked = server.asked().pop().unwrap().to_string();
        let (said, edited) = (asked.find("We meet on Monday."), asked.find("(edited) We meet on Tuesday."));
        assert!(said.is_some() && said < edited, "{asked}");
    });
}

#[test]
fn a_message_may_be_edited_often_and_back_to_what_it_was() {
    over_a_model(|served, _| {
        let (id, _) = answered(served, ANA, served.api.message(ANA, ANA).text("We meet on Monday."));
        for day in ["Tuesday", "Wednesday", "Monday"] {
            served.api.edits(ANA, ANA, id, &format!("We meet on {day}."));
        }
        taken_in(&served.api);
        let texts = served.home.texts();
        let days: Vec<&str> = texts.iter().filter_map(|it| it.strip_prefix("We meet on ")).collect();
        assert_eq!(days, ["Monday.", "Tuesday.", "Wednesday.", "Monday."]);
    });
}

#[test]
fn an_edited_command_is_not_run_again_and_a_message_does_not_become_one() {
    let served = Served::new();
    let id = served.api.says(ANA, ANA, "/remember I have a boat");
    assert_eq!(served.seen(ANA, 0).text, "✓ Remembered: I have a boat");
    served.api.edits(ANA, ANA, id, "/remember I have a yacht");
    let id = served.api.says(ANA, ANA, "I live in Lisbon.");
    served.seen(ANA, 1);
    served.api.edits(ANA, ANA, id, "/remember I have a plane");
    served.ask("Thank you.");
    assert_eq!(served.api.shown(ANA).len(), 3);
    let known = memories(&served, &private()).join(" ");
    assert!(known.contains("boat") && !known.contains("yacht") && !known.contains("plane"), "{known}");
}

#[test]
fn i2_what_is_forwarded_is_shown_as_such_and_is_no_evidence() {
    over_a_model(|served, server| {
        let forwarded = served.api.message(ANA, ANA).text("I am allergic to peanuts.").forwarded_from("Zoe");
        answered(served, ANA, forwarded);
        let asked = server.asked().pop().unwrap();
        assert!(last_words(&asked).contains("forwarded from Zoe"), "{}", last_words(&asked));
        answered(served, ANA, served.api.message(ANA, ANA).text("/forget").forwarded_from("Zoe"));
        assert_eq!(served.api.shown(ANA).pop().unwrap().keyboard.len(), 0, "no command either");
        served.ask("I live in Lisbon.");
        learned(served, &private(), "Lisbon");
        let known = memories(served, &private());
        assert!(!known.iter().any(|memory| memory.contains("peanuts")), "{known:?}");
    });
}

#[test]
fn what_is_no_text_is_described_with_its_caption() {
    over_a_model(|served, server| {
        let new = || served.api.message(ANA, ANA);
        let cases = [
            (new().photo().caption("My new boat."), "[photo] My new boat."),
            (new().voice(7), "[voice message, 7 s]"),
            (new().document("plan.pdf").caption("Read it."), "[file: plan.pdf] Read it."),
            (new().sticker("🌱"), "[sticker: 🌱]"),
            (new().location(38.7, -9.1), "[location: 38.70000, -9.10000]"),
            (new().contact("Zoe", "+351 1"), "[contact: Zoe, +351 1]"),
        ];
        for (message, words) in cases {
            answered(served, ANA, message);
            let last = last_words(server.asked().last().unwrap());
            assert!(last.contains(words), "{words}: {last}");
            recorded(served, words);
        }
        let captioned = new().photo().caption("My old boat.").send();
        served.seen(ANA, 6);
        served.api.edits(ANA, ANA, captioned, "My oldest boat.");
        taken_in(&served.api);
        recorded(served, "[photo] My oldest boat.");
    });
}
