//! Anthropic, OpenAI and Ollama over the wire.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use throughline_models::{
    Answer, Anthropic, ChatModel, Error, Limits, Ollama, OpenAi, Request, ServerSettings, Usage,
};

use crate::server::{
    Asked, Behavior, Server, breaks_off, falls_silent, hangs_up, never_answers, refuses, streams,
};
use crate::{ask, limits, matches, outcome, turn, work};

const KEY: &str = "sk-very-secret";
const PRIVATE: &str = "my diary";
const TEXT: &str = "The boat is called Möwe 🛥️.";

const ANTHROPIC: &str = include_str!("../recorded/anthropic.txt");
const OPENAI: &str = include_str!("../recorded/openai.txt");
const OLLAMA: &str = include_str!("../recorded/ollama.txt");

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Anthropic,
    OpenAi,
    Ollama,
}
use Kind::{Anthropic as A, Ollama as L, OpenAi as O};

impl Kind {
    fn recorded(self) -> &'static str {
        match self {
            A => ANTHROPIC,
            O => OPENAI,
            L => OLLAMA,
        }
    }

    /// The recorded answer up to the first words.
    fn first_words(self) -> String {
        let mut taken = String::new();
        for line in self.recorded().lines() {
            taken.push_str(line);
            taken.push('\n');
            if line.contains("The ") {
                break;
            }
        }
        taken
    }

    fn at(self, address: String) -> Box<dyn ChatModel> {
        let settings = |model: &str| ServerSettings {
            address,
            model: model.to_owned(),
            key: Some(KEY.to_owned()),
            limits: limits(),
        };
        match self {
            A => Box::new(Anthropic::new(settings("claude-sonnet-4-5")).unwrap()),
            O => Box::new(OpenAi::new(settings("gpt-4o-mini")).unwrap()),
            L => Box::new(Ollama::new(settings("llama3.2")).unwrap()),
        }
    }
}

async fn asked(
    kind: Kind,
    request: &Request,
    behaviors: impl IntoIterator<Item = Behavior>,
) -> (Result<Answer, Error>, Vec<String>, Vec<Asked>) {
    let server = Server::start().await;
    let model = kind.at(server.address());
    let ((answer, pieces), asked) = server.serve(ask(model.as_ref(), request), behaviors).await;
    (answer, pieces, asked)
}

#[tokio::test]
async fn g1_each_recorded_answer_is_read_with_what_it_took() {
    let cases = [
        (A, "anthropic/claude-sonnet-4-5", Some((41.0 * 3.0 + 9.0 * 15.0) / 1e6)),
        // Another server than OpenAI's has prices of its own, or none.
        (O, "openai/gpt-4o-mini", None),
        (L, "ollama/llama3.2", Some(0.0)),
    ];
    for (kind, model, cost_usd) in cases {
        let (answer, pieces, _) = asked(kind, &work("Be brief.", PRIVATE), [streams(kind.recorded())]).await;
        let answer = answer.unwrap();
        assert_eq!(pieces.concat(), TEXT);
        assert!(pieces.len() > 1, "{kind:?} came in one piece");
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let is_right = match (answer.usage.cost_usd, cost_usd) {
            (Some(cost), Some(expected)) => close(cost, expected),
            (cost, expected) => cost == expected,
        };
        assert!(is_right, "{kind:?}: {:?}", answer.usage);
        let usage = Usage { input_tokens: 41, output_tokens: 9, cost_usd: answer.usage.cost_usd };
        let expected = Answer { text: TEXT.to_owned(), usage, model: model.to_owned(), ..Answer::default() };
        assert_eq!(answer, expected);
    }
}

#[tokio::test]
async fn g1_each_question_has_the_shape_its_server_takes() {
    let request = work("Be brief.", PRIVATE);
    let cases = [
        (
            A,
            ("post /v1/messages http", "x-api-key: sk-very-secret"),
            json!({
                "model": "claude-sonnet-4-5",
                "max_tokens": 300,
                "messages": [{ "role": "user", "content": PRIVATE }],
                "stream": true,
                "system": [{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }],
            }),
        ),
        (
            O,
            ("post /chat/completions http", "authorization: bearer sk-very-secret"),
            json!({
                "model": "gpt-4o-mini",
                "messages": [
                    { "role": "system", "content": "Be brief." },
                    { "role": "user", "content": PRIVATE },
                ],
                "stream": true,
                "stream_options": { "include_usage": true },
                "max_tokens": 300,
            }),
        ),
        (
            L,
            ("post /api/chat http", "authorization: bearer sk-very-secret"),
            json!({
                "model": "llama3.2",
                "messages": [
                    { "role": "system", "content": "Be brief." },
                    { "role": "user", "content": PRIVATE },
                ],
                "stream": true,
                "options": { "num_ctx": 8192, "num_predict": 300 },
            }),
        ),
    ];
    for (kind, (path, key), body) in cases {
        let (_, _, asked) = asked(kind, &request, [streams(kind.recorded())]).await;
        let [question] = asked.as_slice() else { panic!("{kind:?} asked {} times", asked.len()) };
        assert!(question.head.starts_with(path) && question.head.contains(key), "{}", question.head);
        assert_eq!(question.body, body);
    }
}

#[tokio::test]
async fn g1_a_cache_may_end_with_the_system_text_and_with_the_last_turn_that_stays() {
    let request = turn(&["The boat is called Möwe.", "Noted."], "What is the boat called?");
    let (_, _, asked) = asked(A, &request, [streams(ANTHROPIC)]).await;
    let body = &asked[0].body;
    assert_eq!(body["system"][0]["cache_control"], json!({ "type": "ephemeral" }));
    assert!(body["system"][0]["text"].as_str().unwrap().contains("Be kind."), "{body:#}");
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|turn| turn["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let stable = json!([{ "type": "text", "text": "Noted.", "cache_control": { "type": "ephemeral" } }]);
    assert_eq!(body["messages"][1]["content"], stable);
    assert!(body["messages"][2]["content"].as_str().unwrap().ends_with("What is the boat called?"));
}

#[tokio::test]
async fn g7_a_reply_has_a_limit_of_tokens_that_the_server_is_told_or_that_is_counted_here() {
    let request = turn(&[], "What is the boat called?");
    let body = async |kind| asked(kind, &request, [streams(Kind::recorded(kind))]).await.2.remove(0).body;
    assert_eq!(body(A).await["max_tokens"], 200);
    assert_eq!(body(L).await["options"]["num_predict"], 200);
    assert_eq!(body(O).await.get("max_tokens"), None, "a local server may have less room than that");
    let word = "data: {\"choices\":[{\"delta\":{\"content\":\"water \"}}]}\n\n";
    let (answer, pieces, _) = asked(O, &request, [falls_silent(word.repeat(1000))]).await;
    let answer = answer.unwrap();
    assert!(answer.cut.is_some_and(|why| why.contains("raise replies.most_tokens")));
    assert!((200..=400).contains(&pieces.len()), "{} pieces", pieces.len());
}

#[tokio::test]
async fn a_server_without_a_named_model_is_asked_once_for_the_one_it_has() {
    let unnamed = |server: &Server| {
        let settings =
            ServerSettings { address: server.address(), model: String::new(), key: None, limits: limits() };
        OpenAi::new(settings).unwrap()
    };
    let list = |names: &[&str]| {
        let models: Vec<_> = names.iter().map(|name| json!({ "id": name, "object": "model" })).collect();
        streams(json!({ "object": "list", "data": models }).to_string())
    };
    let server = Server::start().await;
    let model = unnamed(&server);
    let request = work("Be brief.", PRIVATE);
    let twice = async { (ask(&model, &request).await.0, ask(&model, &request).await.0) };
    let behaviors = [list(&["qwen3-8b", "nomic-embed-text"]), streams(OPENAI), streams(OPENAI)];
    let ((first, second), asked) = server.serve(twice, behaviors).await;
    assert_eq!(first.unwrap().model, "openai/qwen3-8b");
    assert_eq!(second.unwrap().usage.cost_usd, None);
    let heads: Vec<&str> = asked.iter().map(|asked| asked.head.lines().next().unwrap()).collect();
    let chat = "post /chat/completions http/1.1";
    assert_eq!(heads, ["get /models http/1.1", chat, chat]);
    assert_eq!(asked[1].body["model"], "qwen3-8b");
    let cases = [
        (list(&["phi4", "llama3"]), "refused, …THROUGHLINE_MODEL or --model", "llama3, phi4"),
        (list(&[]), "refused, …load one there", "no model that can chat"),
        (refuses("404 Not Found", "", ""), "refused, …THROUGHLINE_MODEL or --model", "does not say which"),
        (refuses("503 Busy", "", ""), "overloaded, …try again later", "HTTP 503"),
    ];
    for (behavior, expected, words) in cases {
        let server = Server::start().await;
        let model = unnamed(&server);
        let ((answer, _), _) = server.serve(ask(&model, &request), [behavior]).await;
        let outcome = outcome(&answer);
        assert!(matches(&outcome, expected) && outcome.contains(words), "{outcome}");
    }
}

#[tokio::test]
async fn a_context_that_was_not_assembled_as_messages_is_refused_before_anything_is_sent() {
    let Request::Turn(mut turn) = turn(&[], "hello") else { unreachable!() };
    Arc::make_mut(&mut turn.context).prompt = None;
    for request in [Request::Turn(turn), work("Be brief.", " \n")] {
        for kind in [A, O, L] {
            let (answer, _, asked) = asked(kind, &request, [streams(kind.recorded())]).await;
            assert!(matches!(answer, Err(Error::Refused(_))) && asked.is_empty(), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn g1_what_goes_wrong_is_told_by_what_can_be_done() {
    let json = |text: &str| refuses("400 Bad Request", "", text);
    let long = "{\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}";
    let exceeded = "{\"error\":{\"code\":\"context_length_exceeded\"}}";
    let unpaid = "{\"error\":{\"message\":\"Your credit balance is too low\"}}";
    let wait = "retry-after: 17\r\n";
    let busy = "{\"error\":{\"message\":\"The model\\u0007is busy.\"}}";
    let unauthorized = || refuses("401 Unauthorized", "", "{\"error\":\"invalid sk-very-secret\"}");
    let missing = || refuses("404 Not Found", "", "{\"error\":\"model not found\"}");
    let cases = [
        (A, never_answers(), "unavailable, …did not answer in time: try again later"),
        (A, hangs_up(), "overloaded, …broke off: try again later"),
        (A, falls_silent("event: ping\ndata: {\"type\":\"ping\"}\n\n"), "unavailable, …try again later"),
        (A, refuses("429 Too Many Requests", wait, "{}"), "overloaded, …(HTTP 429): try again in 17 s"),
        (O, refuses("429 Too Many Requests", "", "{}"), "overloaded, …(HTTP 429): try again later"),
        (O, refuses("429 Too Many Requests", "", "insufficient_quota"), "refused, …check its billing"),
        (A, refuses("500 Internal Server Error", "", "{\"half"), "overloaded, …(HTTP 500): try again later"),
        (A, refuses("529 Overloaded", "", ""), "overloaded, …(HTTP 529): try again later"),
        (
            A,
            refuses("503 Unavailable", "", busy),
            "overloaded, …(HTTP 503, “The model is busy”): try again later",
        ),
        (A, json(long), "too long, …takes shorter ones"),
        (O, json(exceeded), "too long, …takes shorter ones"),
        (A, refuses("413 Payload Too Large", "", ""), "too long, …takes shorter ones"),
        (A, json(unpaid), "refused, …check its billing"),
        (A, json("{}"), "refused, …check the address and the model claude-sonnet-4-5"),
        (A, unauthorized(), "refused, …check ANTHROPIC_API_KEY"),
        (O, refuses("403 Forbidden", "", ""), "refused, …check OPENAI_API_KEY"),
        (
            A,
            missing(),
            "refused, …there is no model claude-sonnet-4-5 there: correct its name or ANTHROPIC_BASE_URL",
        ),
        (L, missing(), "refused, …run `ollama pull llama3.2`"),
        (O, json("{\"error\":{\"code\":\"content_filter\"}}"), "refused, …does not want to answer this"),
        (A, streams(""), "unreadable, …check the address"),
        (A, streams("<html>It works!</html>"), "unreadable, …check the address"),
        (O, streams("<html>It works!</html>"), "unreadable, …check the address"),
        (L, streams("<html>It works!</html>"), "unreadable, …not JSON"),
        (A, streams("data: {\"type\":\"message_st\n\n"), "unreadable, …not JSON"),
        (A, streams(format!("data: {}", "x".repeat(5 << 20))), "unreadable, …more than an answer may hold"),
        (
            A,
            streams(
                "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
            ),
            "overloaded, …try again later",
        ),
        (
            A,
            streams("data: {\"delta\":{\"stop_reason\":\"refusal\"},\"type\":\"message_delta\"}\n\n"),
            "refused, …does not want to answer this",
        ),
        (
            A,
            streams("data: {\"delta\":{\"stop_reason\":\"end_turn\"},\"type\":\"message_delta\"}\n\n"),
            "unreadable, …it is empty",
        ),
        (
            O,
            streams("data: {\"choices\":[{\"delta\":{\"refusal\":\"I cannot.\"}}]}\n\n"),
            "refused, …does not want to answer this",
        ),
        (
            O,
            streams("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n"),
            "refused, …does not want to answer this",
        ),
        (O, streams("data: {\"error\":{\"message\":\"x\"}}\n\n"), "overloaded, …try again later"),
        (O, streams("data: [DONE]\n\n"), "unreadable, …it is empty"),
        (L, streams("{\"error\":\"x\"}\n"), "overloaded, …see what `ollama serve` says"),
        (L, streams("{\"message\":{\"content\":\"\"},\"done\":true}\n"), "unreadable, …it is empty"),
    ];
    for (number, (kind, behavior, expected)) in cases.into_iter().enumerate() {
        let (answer, pieces, _) = asked(kind, &work("Be brief.", PRIVATE), [behavior]).await;
        let outcome = outcome(&answer);
        assert!(matches(&outcome, expected), "case {number}: {outcome}");
        assert!(!outcome.contains(KEY) && !outcome.contains(PRIVATE), "case {number}: {outcome}");
        assert_eq!(pieces, Vec::<String>::new(), "case {number}");
    }
}

#[tokio::test]
async fn g1_what_breaks_after_the_first_words_cuts_the_answer() {
    let garbage = |kind: Kind| kind.first_words() + "\ndata: {\"half\n\n";
    let length = "data: {\"choices\":[{\"delta\":{\"content\":\"The \"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let refusal =
        A.first_words() + "\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n";
    let flood = A.first_words() + &A.first_words().replace("The ", &"x".repeat(70 << 10));
    let cases = [
        (A, falls_silent(A.first_words()), "cut The …said nothing for 100ms: try again later"),
        (O, falls_silent(O.first_words()), "cut The …said nothing for 100ms: try again later"),
        (L, falls_silent(L.first_words()), "cut The …said nothing for 100ms: try again later"),
        (A, streams(A.first_words()), "cut The …broke off: try again later"),
        (O, breaks_off(O.first_words()), "cut The …broke off: try again later"),
        (L, breaks_off(L.first_words()), "cut The …broke off: try again later"),
        (A, streams(garbage(A)), "cut The …not JSON"),
        (O, streams(length), "cut The …for longer replies"),
        (A, streams(refusal), "cut The …does not want to answer this"),
        (A, streams(flood), "cut The …more than an answer may hold"),
    ];
    for (number, (kind, behavior, expected)) in cases.into_iter().enumerate() {
        let (answer, pieces, _) = asked(kind, &work("Be brief.", PRIVATE), [behavior]).await;
        let outcome = outcome(&answer);
        assert!(matches(&outcome, expected), "case {number}: {outcome}");
        assert_eq!(pieces.concat(), answer.unwrap().text, "case {number}");
    }
}

#[tokio::test]
async fn a_server_that_counts_no_tokens_is_asked_without_and_they_are_estimated() {
    let plain: String = OPENAI
        .lines()
        .filter(|line| !line.contains("prompt_tokens"))
        .map(|line| format!("{line}\n"))
        .collect();
    let objection = refuses("400 Bad Request", "", "{\"error\":\"unknown field stream_options\"}");
    let (answer, _, asked) = asked(O, &work("Be brief.", PRIVATE), [objection, streams(plain)]).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, TEXT);
    assert!(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0, "{:?}", answer.usage);
    let told = |asked: &Asked| asked.body.get("stream_options").is_some();
    assert_eq!(asked.iter().map(told).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({
        "choices": [{ "message": { "role": "assistant", "content": TEXT }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 41, "completion_tokens": 9 },
    });
    let (answer, ..) = asked(O, &work("Be brief.", PRIVATE), [streams(whole.to_string())]).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.cut, answer.usage.output_tokens), (TEXT, None, 9));
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_cut_after_its_whole_time() {
    let server = Server::start().await;
    let model = Ollama::new(ServerSettings {
        address: server.address(),
        model: "llama3.2".to_owned(),
        key: None,
        limits: Limits { between: Duration::from_secs(20), whole: Duration::from_millis(150), ..limits() },
    });
    let model = model.unwrap();
    let request = work("", "x");
    let ((answer, _), _) = server.serve(ask(&model, &request), [falls_silent(L.first_words())]).await;
    let outcome = outcome(&answer);
    assert!(matches(&outcome, "cut The …was not done after 150ms: ask for less"), "{outcome}");
}

#[tokio::test]
async fn nothing_listening_there_says_what_to_start() {
    let server = Server::start().await;
    let address = server.address();
    drop(server);
    for (kind, remedy) in [(A, "ANTHROPIC_BASE_URL"), (O, "OPENAI_BASE_URL"), (L, "`ollama serve`")] {
        let (answer, _) = ask(kind.at(address.clone()).as_ref(), &work("", "x")).await;
        let outcome = outcome(&answer);
        assert!(outcome.starts_with("unavailable, ") && outcome.contains(remedy), "{outcome}");
    }
}

#[tokio::test]
async fn an_address_or_key_that_cannot_be_one_is_refused_without_repeating_it() {
    let settings = |address: &str, key: &str| ServerSettings {
        address: address.to_owned(),
        model: "m".to_owned(),
        key: Some(key.to_owned()),
        limits: limits(),
    };
    let error = Anthropic::new(settings("ftp://secret@host", KEY)).err().unwrap().to_string();
    assert!(error.contains("http://localhost:11434") && !error.contains("secret"), "{error}");
    let model = Anthropic::new(settings("http://127.0.0.1:1", "sk-\nsecret")).unwrap();
    let outcome = outcome(&ask(&model, &work("", "x")).await.0);
    assert!(outcome.contains("check ANTHROPIC_API_KEY") && !outcome.contains("secret"), "{outcome}");
    assert!(!format!("{:?}", settings("http://host", KEY)).contains(KEY));
}
