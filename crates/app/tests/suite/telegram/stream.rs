//! A reply while it is written and when it is there: typing, drafts, edits, formatting, pieces.

use std::time::Duration;

use serde_json::Value;
use throughline_testkit::bot_api::{BotApi, Fault};

use super::scripted::{in_groups, over, over_url, recorded};
use super::talker::Talker;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};

const GROUP: i64 = -1_002_000;
const FORUM: i64 = -1_001_000;

/// The times between calls of a method.
fn gaps(api: &BotApi, method: &str) -> Vec<Duration> {
    let calls = api.calls_of(method);
    calls.windows(2).map(|pair| pair[1].at.duration_since(pair[0].at)).collect()
}

#[test]
fn a_private_reply_is_drafted_while_it_is_written_and_comes_as_one_message() {
    Talker::serve(|talker| {
        let served = Served::with(|| over_url(&talker.url()));
        served.api.says(ANA, ANA, "Tell me.");
        let drafts = served.api.wait(LONG, |api| Some(api.drafts(ANA)).filter(|drafts| drafts.len() == 3));
        assert!(served.api.shown(ANA).is_empty() && served.api.draft(ANA).is_some());
        assert!(
            served.api.typing(ANA).iter().all(|action| action.action == "typing" && action.topic.is_none())
        );
        assert!(!served.api.typing(ANA).is_empty());
        talker.end();
        let reply = served.seen(ANA, 0);
        assert!(reply.text.starts_with("So on and") && reply.text.ends_with("on, at last."), "{reply:?}");
        assert_eq!(served.api.draft(ANA), None, "the message took its place");
        assert!(
            drafts
                .windows(2)
                .all(|pair| pair[1].text.starts_with(pair[0].text.trim_end_matches('…').trim_end())),
            "{drafts:?}"
        );
        assert!(
            gaps(&served.api, "sendMessageDraft").iter().all(|gap| *gap >= Duration::from_millis(900)),
            "throttled"
        );
        assert_eq!(served.api.versions(ANA, reply.message_id).len(), 1, "and was never changed");
    });
}

#[test]
fn where_drafts_are_refused_a_reply_is_shown_whole_and_the_next_one_by_few_edits() {
    Talker::serve(|talker| {
        let served = Served::with(|| over_url(&talker.url()));
        let refused =
            Fault::Refuse { code: 400, description: "Bad Request: method is not available".to_owned() };
        served.api.fault("sendMessageDraft", refused);
        served.api.says(ANA, ANA, "Tell me.");
        served.api.wait(LONG, |api| api.calls_of("sendMessageDraft").last()?.answered.clone());
        talker.end();
        let first = served.seen(ANA, 0);
        assert_eq!(
            served.api.versions(ANA, first.message_id).len(),
            1,
            "one failed draft is no cause for edits"
        );

        served.api.says(ANA, ANA, "Tell me more.");
        let begun = served.seen(ANA, 1);
        assert!(begun.text.starts_with("So on and") && !begun.text.contains("at last"), "{begun:?}");
        served.api.wait(LONG, |api| (api.versions(ANA, begun.message_id).len() > 1).then_some(()));
        talker.end();
        let whole = served
            .api
            .wait(LONG, |api| api.shown(ANA).into_iter().nth(1).filter(|it| it.text.ends_with("at last.")));
        assert_eq!((whole.message_id, served.api.shown(ANA).len()), (begun.message_id, 2), "in its place");
        assert_eq!(served.api.calls_of("sendMessageDraft").len(), 1, "drafts are not tried again");
        let edits = served.api.versions(ANA, begun.message_id).len();
        assert!(edits <= 4, "{edits} edits in a few seconds");
    });
}

#[test]
fn a_groups_reply_is_shown_by_edits_and_no_draft_is_tried() {
    Talker::serve(|talker| {
        let served = in_groups(over_url(&talker.url()));
        served.api.supergroup(GROUP, "Family");
        served.api.says(ANA, GROUP, "Tell us.");
        let begun = served.seen(GROUP, 0);
        let [asked, shown] =
            ["sendChatAction", "sendMessage"].map(|method| served.api.calls_of(method)[0].at);
        assert!(shown.duration_since(asked) <= Duration::from_secs(2), "{:?}", shown.duration_since(asked));
        talker.end();
        let whole = served
            .api
            .wait(LONG, |api| api.shown(GROUP).into_iter().find(|it| it.text.ends_with("at last.")));
        assert_eq!((whole.message_id, served.api.shown(GROUP).len()), (begun.message_id, 1));
        assert!(served.api.calls_of("sendMessageDraft").is_empty());
        assert_eq!(
            served.home.texts().iter().filter(|text| text.starts_with("So on")).count(),
            1,
            "recorded once"
        );
    });
}

#[test]
fn a_group_sees_the_first_words_within_two_seconds_even_if_the_model_pauses_after_them() {
    let server = MessagesServer::start(|_| {
        Answer::Pauses("So it begins. ".to_owned(), Duration::from_secs(6), "It ends.".to_owned())
    });
    server.serve(|| {
        let served = in_groups(over(&server));
        served.api.supergroup(GROUP, "Family");
        served.api.says(ANA, GROUP, "Tell us.");
        let begun = served.seen(GROUP, 0);
        assert_eq!(begun.text, "So it begins.");
        let [asked, shown] =
            ["sendChatAction", "sendMessage"].map(|method| served.api.calls_of(method)[0].at);
        assert!(shown.duration_since(asked) <= Duration::from_secs(2), "{:?}", shown.duration_since(asked));
        let whole = served
            .api
            .wait(LONG, |api| api.shown(GROUP).into_iter().find(|it| it.text.ends_with("It ends.")));
        assert_eq!((whole.message_id, served.api.shown(GROUP).len()), (begun.message_id, 1));
    });
}

#[test]
fn a4_general_and_topics_are_typed_in_while_the_reply_is_written() {
    Talker::serve(|talker| {
        let served = in_groups(over_url(&talker.url()));
        served.api.forum(FORUM, "Trips");
        let trip = served.api.topic(FORUM, "Lisbon");
        for (topic, typed) in [(None, 1), (Some(trip), trip)] {
            let before = (served.api.typing(FORUM).len(), served.api.shown(FORUM).len());
            let message = served.api.message(ANA, FORUM).text("Tell us.");
            topic.into_iter().fold(message, |message, topic| message.topic(topic)).send();
            let action = served.api.wait(LONG, |api| api.typing(FORUM).into_iter().nth(before.0));
            assert_eq!(action.topic, Some(typed));
            talker.end();
            assert_eq!(served.seen(FORUM, before.1).topic, topic);
        }
    });
}

/// One reply of a model, as it is seen.
fn replied(reply: &str, faults: &[Fault], check: impl FnOnce(&Served)) {
    let reply = reply.to_owned();
    let server = MessagesServer::start(move |_| Answer::Says(reply.clone()));
    server.serve(|| {
        let mut served = Served::with(|| over(&server));
        for fault in faults {
            served.api.fault("sendMessage", fault.clone());
        }
        served.ask("Tell me.");
        assert_eq!(served.stop(), Some(0));
        check(&served);
    });
}

/// The parts of a text that are of a kind, each with its words.
fn marked(text: &str, entities: &[Value], kind: &str) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let number = |entity: &Value, name: &str| usize::try_from(entity[name].as_u64().unwrap()).unwrap();
    let words = |entity: &Value| {
        let from = number(entity, "offset");
        String::from_utf16(&units[from..from + number(entity, "length")]).unwrap()
    };
    entities.iter().filter(|entity| entity["type"] == kind).map(words).collect()
}

#[test]
fn markdown_is_shown_as_formatting() {
    let reply = "🌱 **Bold**, *slanted*, `a < b && c`, [here](https://example.org/?a=1&b=2).\n\n```rust\nlet x = \"<b>\";\n```";
    replied(reply, &[], |served| {
        let shown = &served.api.shown(ANA)[0];
        let of = |kind: &str| marked(&shown.text, &shown.entities, kind);
        assert_eq!((of("bold"), of("italic")), (vec!["Bold".to_owned()], vec!["slanted".to_owned()]));
        assert_eq!((of("code"), of("text_link")), (vec!["a < b && c".to_owned()], vec!["here".to_owned()]));
        assert_eq!(of("pre").iter().map(|it| it.trim()).collect::<Vec<_>>(), ["let x = \"<b>\";"]);
        assert!(!shown.text.contains("**") && !shown.text.contains("```"), "{shown:?}");
    });
}

#[test]
fn a_long_reply_comes_in_pieces_that_fit_with_its_code_kept_code() {
    let prose: String = (0..300).map(|number| format!("Word{number} 🌱 and so on. ")).collect();
    let code: String = (0..300).map(|number| format!("let line{number} = {number};\n")).collect();
    replied(&format!("{prose}\n\n```rust\n{code}```\n\nThe end."), &[], |served| {
        let shown = served.api.shown(ANA);
        assert!(shown.len() >= 3, "{}", shown.len());
        assert!(shown.iter().all(|piece| piece.text.encode_utf16().count() <= 4096));
        let all: String = shown.iter().map(|piece| format!("{}\n", piece.text)).collect();
        let mut from = 0;
        let words = (0..300).map(|number| format!("Word{number} "));
        for words in words.chain((0..300).map(|number| format!("let line{number} = {number};"))) {
            let at = all.get(from..).unwrap().find(&words).unwrap_or_else(|| panic!("{words} is lost"));
            from += at;
        }
        let code: String = shown
            .iter()
            .flat_map(|piece| marked(&piece.text, &piece.entities, "pre"))
            .map(|it| it + "\n")
            .collect();
        assert!((0..300).all(|number| code.contains(&format!("let line{number} = "))), "{code}");
        assert!(!code.contains("The end.") && !all.contains("```"));
        assert!(shown.last().unwrap().text.ends_with("The end."));
    });
}

#[test]
fn all_pieces_arrive_once_and_in_order_where_telegram_limits_how_fast() {
    let reply: String = (0..1_400).map(|number| format!("Word{number} and so on. ")).collect();
    let server = MessagesServer::start(move |_| Answer::Says(reply.clone()));
    server.serve(|| {
        let served = Served::with(|| over(&server));
        served.api.limits(true);
        served.api.says(ANA, ANA, "Tell me.");
        let shown = served.api.wait(LONG, |api| {
            let shown = api.shown(ANA);
            shown.last()?.text.contains("Word1399 ").then_some(shown)
        });
        assert!(shown.len() >= 5, "{}", shown.len());
        let words: Vec<&str> = shown.iter().flat_map(|piece| piece.text.split_whitespace()).collect();
        let numbers = words.iter().filter_map(|word| word.strip_prefix("Word")?.parse::<usize>().ok());
        assert!(numbers.eq(0..1_400));
    });
}

#[test]
fn what_telegram_cannot_parse_is_sent_as_plain_text_once() {
    let description =
        "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3".to_owned();
    replied("It is **very** plain.", &[Fault::Refuse { code: 400, description }], |served| {
        let shown = served.api.shown(ANA);
        assert_eq!(shown.len(), 1);
        assert!(shown[0].text == "It is very plain." && shown[0].entities.is_empty(), "{shown:?}");
        let calls = served.api.calls_of("sendMessage");
        assert!(calls.len() == 2 && calls[1].params.get("parse_mode").is_none(), "{calls:?}");
    });
}

#[test]
fn a_reply_that_is_stopped_keeps_what_was_shown() {
    Talker::serve(|talker| {
        let served = Served::with(|| over_url(&talker.url()));
        served.api.says(ANA, ANA, "Tell me.");
        let draft = served.api.wait(LONG, |api| api.draft(ANA)).text;
        served.api.says(ANA, ANA, "/stop");
        let reply = served.seen(ANA, 0).text;
        let kept = reply.strip_suffix(" [stopped]").unwrap_or_else(|| panic!("{reply}"));
        assert!(draft.starts_with("So") && kept.starts_with("So on and"), "{draft} / {reply}");
        assert_eq!(recorded(&served, kept)["metadata"]["shortfall"], "stopped");
        assert_eq!(recorded(&served, "/stop")["metadata"]["source"], "command");
    });
}
