//! Tools over the wire: each server is asked as its real one wants it, and answers as the real ones do.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_models::around::Retry;
use throughline_models::{
    Anthropic, Called, ChatModel, Definition, Limits, Ollama, OpenAi, Request, ServerSettings, Toolbox, Tools,
};
use tokio::time::{pause, resume, sleep};

use crate::server::{Asked, Behavior, Server, breaks_off, refuses, streams};
use crate::{ask, limits, outcome, turn, work};

const FOUND: &str = "<search-results>The boat is called Möwe.</search-results>";
const TEXT: &str = "It is called Möwe.";

/// A memory that finds the same each time, and keeps what it was asked.
#[derive(Default)]
pub struct Memory {
    asked: Mutex<Vec<(String, Value)>>,
    is_slow: bool,
}

#[async_trait]
impl Tools for Memory {
    async fn call(&self, name: &str, arguments: &Value) -> Called {
        self.asked.lock().unwrap().push((name.to_owned(), arguments.clone()));
        if self.is_slow {
            let _clock = PausedClock::new();
            sleep(Duration::from_secs(60)).await;
        }
        if name != "search_memories" || !arguments.is_object() {
            return Called { text: "that cannot be called".to_owned(), hits: 0, is_error: true };
        }
        Called { text: FOUND.to_owned(), hits: 1, is_error: false }
    }
}

/// Time that passes at once while nothing happens.
struct PausedClock;

impl PausedClock {
    fn new() -> Self {
        pause();
        Self
    }
}

impl Drop for PausedClock {
    fn drop(&mut self) {
        resume();
    }
}

static DEFINITIONS: LazyLock<[Definition; 2]> = LazyLock::new(|| {
    ["search_memories", "get_conversation"].map(|name| Definition {
        name,
        description: "Looks.",
        schema: json!({ "type": "object", "properties": { "query": { "type": "string" } } }),
    })
});

pub fn toolbox(chat: &str, memory: Memory) -> Toolbox {
    Toolbox::new(chat.parse().unwrap(), DEFINITIONS.as_slice(), "Search first.", Arc::new(memory))
}

/// A turn with tools, and the tools.
pub fn with_tools(request: Request, memory: Memory) -> (Request, Arc<Toolbox>) {
    let Request::Turn(mut turn) = request else { panic!("work has no tools") };
    let tools = Arc::new(toolbox("cli:chat:main", memory));
    turn.tools = Some(Arc::clone(&tools));
    (Request::Turn(turn), tools)
}

fn question() -> (Request, Arc<Toolbox>) {
    with_tools(turn(&[], "What is the boat called?"), Memory::default())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Anthropic,
    OpenAi,
    Ollama,
}
use Kind::{Anthropic as A, Ollama as L, OpenAi as O};

const ALL: [Kind; 3] = [A, O, L];

impl Kind {
    fn at(self, address: String, limits: Limits) -> Box<dyn ChatModel> {
        let settings = |model: &str| ServerSettings { address, model: model.to_owned(), key: None, limits };
        match self {
            A => Box::new(Anthropic::new(settings("claude-sonnet-4-5")).unwrap()),
            O => Box::new(OpenAi::new(settings("gpt-4o-mini")).unwrap()),
            L => Box::new(Ollama::new(settings("llama3.2")).unwrap()),
        }
    }

    /// A streamed answer: words, then calls, in the pieces in which the real server sends them.
    fn streams(self, text: &str, calls: &[(&str, &str)]) -> String {
        match self {
            A => anthropic(text, calls),
            O => openai(text, calls),
            L => ollama(text, calls),
        }
    }

    /// What the server was told of tools: their names, and whether they may be called.
    fn offered(self, asked: &Asked) -> (usize, bool) {
        let tools = asked.body["tools"].as_array().map_or(0, Vec::len);
        let forbidden = match self {
            A => asked.body["tool_choice"]["type"] == "none",
            O => asked.body["tool_choice"] == "none",
            L => false,
        };
        (tools, tools > 0 && !forbidden)
    }

    fn system(self, asked: &Asked) -> String {
        match self {
            A => asked.body["system"][0]["text"].as_str().unwrap().to_owned(),
            O | L => asked.body["messages"][0]["content"].as_str().unwrap().to_owned(),
        }
    }

    /// The messages behind the question.
    fn rounds(self, asked: &Asked) -> Vec<Value> {
        let messages = asked.body["messages"].as_array().unwrap();
        let question = messages.iter().position(|message| message["role"] == "user").unwrap();
        messages[question + 1..].to_vec()
    }
}

fn events(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

fn anthropic(text: &str, calls: &[(&str, &str)]) -> String {
    let usage = json!({ "input_tokens": 41, "output_tokens": 1 });
    let mut all = vec![json!({ "type": "message_start", "message": { "id": "msg_1", "usage": usage } })];
    if !text.is_empty() {
        all.push(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }));
        for word in text.split_inclusive(' ') {
            all.push(json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } }));
        }
        all.push(json!({ "type": "content_block_stop", "index": 0 }));
    }
    for (n, (name, arguments)) in calls.iter().enumerate() {
        let block = json!({ "type": "tool_use", "id": format!("toolu_{n}"), "name": name, "input": {} });
        all.push(json!({ "type": "content_block_start", "index": n + 1, "content_block": block }));
        for piece in halves(arguments) {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            all.push(json!({ "type": "content_block_delta", "index": n + 1, "delta": delta }));
        }
        all.push(json!({ "type": "content_block_stop", "index": n + 1 }));
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 9 } }));
    all.push(json!({ "type": "message_stop" }));
    events(&all)
}

fn openai(text: &str, calls: &[(&str, &str)]) -> String {
    let chunk = |delta: Value, reason: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let mut all: Vec<Value> =
        text.split_inclusive(' ').map(|word| chunk(json!({ "content": word }), Value::Null)).collect();
    for (n, (name, _)) in calls.iter().enumerate() {
        let call = json!({ "index": n, "id": format!("call_x{n}"), "type": "function", "function": { "name": name, "arguments": "" } });
        all.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
    }
    // The pieces of several calls may alternate.
    for half in 0..2 {
        for (n, (_, arguments)) in calls.iter().enumerate() {
            let call = json!({ "index": n, "function": { "arguments": halves(arguments)[half] } });
            all.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
        }
    }
    all.push(chunk(json!({}), json!(if calls.is_empty() { "stop" } else { "tool_calls" })));
    all.push(json!({ "choices": [], "usage": { "prompt_tokens": 41, "completion_tokens": 9 } }));
    let lines: String = all.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    format!("{lines}data: [DONE]\n\n")
}

fn ollama(text: &str, calls: &[(&str, &str)]) -> String {
    let mut all: Vec<Value> = text
        .split_inclusive(' ')
        .map(|word| json!({ "message": { "role": "assistant", "content": word }, "done": false }))
        .collect();
    for (name, arguments) in calls {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
        let call = json!({ "function": { "name": name, "arguments": arguments } });
        all.push(
            json!({ "message": { "role": "assistant", "content": "", "tool_calls": [call] }, "done": false }),
        );
    }
    all.push(json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                     "prompt_eval_count": 41, "eval_count": 9 }));
    all.iter().map(|line| format!("{line}\n")).collect()
}

fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second]
}

const BOAT: (&str, &str) = ("search_memories", "{\"query\":\"boat\"}");

#[tokio::test]
async fn h1_a_model_searches_and_answers_from_what_it_finds() {
    let limits = limits();
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits);
        let (request, tools) = question();
        let behaviors = [streams(kind.streams("", &[BOAT])), streams(kind.streams(TEXT, &[]))];
        let ((answer, pieces), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        let answer = answer.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.cut.as_ref(), pieces.concat()),
            (TEXT, None, TEXT.to_owned())
        );
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (82, 18), "g7: {kind:?}");
        let receipts: Vec<_> =
            tools.receipts().into_iter().map(|call| (call.tool, call.hits, call.is_error)).collect();
        assert_eq!(receipts, [("search_memories".to_owned(), Some(1), false)]);
        for asked in &asked {
            assert_eq!(kind.offered(asked), (2, true), "{kind:?}");
            assert!(kind.system(asked).ends_with("\n\nSearch first."), "{}", kind.system(asked));
        }
        let shown = json!({ "tool": asked[0].body["tools"][0], "rounds": kind.rounds(&asked[1]) });
        insta::assert_snapshot!(format!("tools_as_{kind:?}_takes_them"), format!("{shown:#}"));
    }
}

#[tokio::test]
async fn every_call_of_a_round_is_answered_whatever_it_asks() {
    let calls = [BOAT, ("rm", "{}"), ("search_memories", "{\"query\":")];
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, tools) = question();
        let behaviors = [streams(kind.streams("", &calls)), streams(kind.streams(TEXT, &[]))];
        let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"));
        let rounds = Value::Array(kind.rounds(&asked[1])).to_string();
        assert_eq!(rounds.matches("that cannot be called").count(), 2, "{kind:?}: {rounds}");
        assert_eq!(rounds.matches("The boat is called Möwe").count(), 1, "{kind:?}: {rounds}");
        let receipts: Vec<_> = tools.receipts().into_iter().map(|call| (call.tool, call.is_error)).collect();
        let expected = [("search_memories", false), ("unknown", true), ("search_memories", true)];
        assert_eq!(receipts, expected.map(|(tool, is_error)| (tool.to_owned(), is_error)));
    }
}

#[tokio::test]
async fn words_before_a_call_are_shown_kept_and_parted_from_the_answer() {
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, _) = question();
        let behaviors = [
            streams(kind.streams("One moment. ", &[BOAT])),
            streams(kind.streams(&format!("\n{TEXT}"), &[])),
        ];
        let ((answer, pieces), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        let text = format!("One moment. \n\n{TEXT}");
        assert_eq!((answer.unwrap().text, pieces.concat()), (text.clone(), text), "{kind:?}");
        assert!(Value::Array(kind.rounds(&asked[1])).to_string().contains("One moment."), "{kind:?}");
    }
}

#[tokio::test]
async fn after_three_rounds_a_model_has_to_answer_from_what_it_has() {
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, tools) = question();
        let again = || streams(kind.streams("", &[BOAT]));
        let behaviors = [again(), again(), again(), streams(kind.streams(TEXT, &[]))];
        let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"));
        let may_call: Vec<bool> = asked.iter().map(|asked| kind.offered(asked).1).collect();
        assert_eq!(may_call, [true, true, true, false], "{kind:?}");
        assert_eq!(answer.unwrap().usage.input_tokens, 4 * 41);
        assert_eq!(tools.receipts().len(), 3);
        assert!(Value::Array(kind.rounds(&asked[3])).to_string().contains("The boat is called Möwe"));
    }
}

#[tokio::test]
async fn a_model_that_calls_though_it_may_not_is_asked_once_more_without_tools() {
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, tools) = question();
        let again = || streams(kind.streams("", &[BOAT]));
        let behaviors = [again(), again(), again(), again(), streams(kind.streams(TEXT, &[]))];
        let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"));
        assert_eq!((kind.offered(&asked[4]), kind.rounds(&asked[4]).len()), ((0, false), 0), "{kind:?}");
        assert!(!kind.system(&asked[4]).contains("Search first."));
        assert_eq!(tools.receipts().len(), 3);
    }
}

#[tokio::test]
async fn tools_that_take_more_than_ten_seconds_are_not_waited_for() {
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, tools) =
            with_tools(turn(&[], "What is the boat called?"), Memory { is_slow: true, ..Memory::default() });
        let behaviors = [streams(kind.streams("", &[BOAT, BOAT])), streams(kind.streams(TEXT, &[]))];
        let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"), "{kind:?}");
        let receipts = tools.receipts();
        assert_eq!(
            receipts.iter().map(|call| (call.is_error, call.hits)).collect::<Vec<_>>(),
            [(true, Some(0)); 2]
        );
        assert!((10_000.0..10_200.0).contains(&receipts[0].ms) && receipts[1].ms < 1.0, "{receipts:?}");
        let rounds = Value::Array(kind.rounds(&asked[1])).to_string();
        assert_eq!(rounds.matches("no time left").count(), 2, "{rounds}");
        assert!(!kind.offered(&asked[1]).1, "there is no time for another call");
    }
}

#[tokio::test]
async fn a_server_that_refuses_tools_is_asked_without_and_is_not_told_of_any_again() {
    let cases: [(Kind, &str, &str); 6] = [
        (A, "400 Bad Request", "{\"error\":{\"message\":\"tools: Extra inputs are not permitted\"}}"),
        (
            O,
            "400 Bad Request",
            "{\"error\":{\"message\":\"\\\"auto\\\" tool choice requires --enable-auto-tool-choice\"}}",
        ),
        (O, "404 Not Found", "{\"error\":{\"message\":\"No endpoints found that support tool use\"}}"),
        (
            O,
            "422 Unprocessable Entity",
            "{\"detail\":[{\"loc\":[\"body\",\"tools\"],\"msg\":\"extra fields not permitted\"}]}",
        ),
        (O, "500 Internal Server Error", "{\"error\":{\"message\":\"tools param requires --jinja flag\"}}"),
        (L, "400 Bad Request", "{\"error\":\"registry.ollama.ai/library/gemma:2b does not support tools\"}"),
    ];
    for (kind, status, body) in cases {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let (request, _) = question();
        let twice = async { (ask(model.as_ref(), &request).await.0, ask(model.as_ref(), &request).await.0) };
        let answer = || streams(kind.streams(TEXT, &[]));
        let ((first, second), asked) =
            server.serve(twice, [refuses(status, "", body), answer(), answer()]).await;
        assert_eq!((first.unwrap().text.as_str(), second.unwrap().text.as_str()), (TEXT, TEXT));
        let told: Vec<(usize, bool)> = asked
            .iter()
            .map(|asked| (kind.offered(asked).0, kind.system(asked).contains("Search first.")))
            .collect();
        assert_eq!(told, [(2, true), (0, false), (0, false)], "{body}");
    }
}

#[tokio::test]
async fn g8_a_busy_server_is_asked_again_in_the_middle_without_another_call() {
    for kind in ALL {
        let server = Server::start().await;
        let patient = Limits { first: Duration::from_secs(5), ..limits() };
        let model = kind.at(server.address(), patient);
        let (request, tools) = question();
        let behaviors = [
            streams(kind.streams("One moment. ", &[BOAT])),
            refuses("429 Too Many Requests", "retry-after: 0\r\n", "{}"),
            streams(kind.streams(TEXT, &[])),
        ];
        let ((answer, pieces), _) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        let text = format!("One moment. \n\n{TEXT}");
        assert_eq!((answer.unwrap().text, pieces.concat()), (text.clone(), text));
        assert_eq!(tools.receipts().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn g8_a_second_round_that_fails_is_told_once_and_not_begun_again() {
    let busy = || refuses("429 Too Many Requests", "retry-after: 99\r\n", "{}");
    type Then = fn(Kind) -> Behavior;
    let cases: [(&str, Then, &str); 3] = [
        (
            "One moment. ",
            |_| refuses("429 Too Many Requests", "retry-after: 99\r\n", "{}"),
            "cut One moment. :",
        ),
        ("", |_| refuses("429 Too Many Requests", "retry-after: 99\r\n", "{}"), "unavailable, "),
        ("", |kind| breaks_off(begun(kind)), "cut It : "),
    ];
    for kind in ALL {
        for (words, then, expected) in cases {
            let server = Server::start().await;
            let model = Retry::new(Boxed(kind.at(server.address(), limits())), Duration::from_secs(5));
            let (request, tools) = question();
            let behaviors = [streams(kind.streams(words, &[BOAT])), then(kind), busy()];
            let ((answer, pieces), asked) = server.serve(ask(&model, &request), behaviors).await;
            let outcome = outcome(&answer);
            assert!(outcome.starts_with(expected), "{kind:?}: {outcome}");
            assert_eq!((asked.len(), tools.receipts().len()), (2, 1), "{kind:?}: {outcome}");
            let input = answer.as_ref().map(|answer| answer.usage.input_tokens).unwrap_or(41);
            assert!(input >= 41, "the first round counts");
            assert_eq!(pieces.concat(), answer.map(|answer| answer.text).unwrap_or_default());
        }
    }
}

/// The answer up to its first word.
fn begun(kind: Kind) -> String {
    let whole = kind.streams(TEXT, &[]);
    let lines = whole.split_inclusive('\n');
    let first = lines.clone().position(|line| line.contains("It ")).unwrap();
    lines.take(first + 1).collect()
}

/// A model behind a pointer.
struct Boxed(Box<dyn ChatModel>);

#[async_trait]
impl ChatModel for Boxed {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn answer(
        &self,
        request: &Request,
        words: tokio::sync::mpsc::Sender<String>,
    ) -> Result<throughline_models::Answer, throughline_models::Error> {
        self.0.answer(request, words).await
    }
}

#[tokio::test]
async fn what_the_tools_found_may_be_too_much_or_not_be_taken_back_and_there_is_an_answer() {
    for kind in ALL {
        for body in [
            "{\"error\":{\"message\":\"prompt is too long\"}}",
            "{\"error\":{\"message\":\"reasoning_content is missing\"}}",
        ] {
            let server = Server::start().await;
            let model = kind.at(server.address(), limits());
            let (request, _) = question();
            let behaviors = [
                streams(kind.streams("", &[BOAT])),
                refuses("400 Bad Request", "", body),
                streams(kind.streams(TEXT, &[])),
            ];
            let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
            assert_eq!(outcome(&answer), format!("answered {TEXT}"), "{kind:?}");
            assert_eq!((kind.offered(&asked[2]), kind.rounds(&asked[2]).len()), ((0, false), 0));
        }
    }
}

#[tokio::test]
async fn servers_that_number_calls_badly_or_not_at_all_are_understood() {
    let whole = |index: Value, id: &str, query: &str| {
        let arguments = json!({ "query": query }).to_string();
        json!({ "index": index, "id": id, "type": "function", "function": { "name": "search_memories", "arguments": arguments } })
    };
    let cases = [
        // Each call whole, none numbered.
        vec![whole(Value::Null, "a", "boat"), whole(Value::Null, "b", "ship")],
        // Each call whole, all with the same number.
        vec![whole(json!(0), "a", "boat"), whole(json!(0), "b", "ship")],
        // No ids.
        vec![whole(json!(0), "", "boat"), whole(json!(1), "", "ship")],
    ];
    for calls in cases {
        let server = Server::start().await;
        let model = O.at(server.address(), limits());
        let (request, tools) = question();
        let chunks: String = calls
            .iter()
            .map(|call| {
                format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }))
            })
            .collect();
        let behaviors = [streams(format!("{chunks}data: [DONE]\n\n")), streams(O.streams(TEXT, &[]))];
        let ((answer, _), asked) = server.serve(ask(model.as_ref(), &request), behaviors).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"), "{calls:?}");
        let calls = asked[1].body["messages"].to_string();
        assert!(calls.contains("boat") && calls.contains("ship"), "{calls}");
        assert!(tools.receipts().iter().all(|call| !call.is_error), "{:?}", tools.receipts());
        assert_eq!(tools.receipts().len(), 2);
    }
}

#[tokio::test]
async fn work_is_done_without_tools() {
    for kind in ALL {
        let server = Server::start().await;
        let model = kind.at(server.address(), limits());
        let request = work("Be brief.", "x");
        let ((answer, _), asked) =
            server.serve(ask(model.as_ref(), &request), [streams(kind.streams(TEXT, &[]))]).await;
        assert_eq!(outcome(&answer), format!("answered {TEXT}"));
        assert_eq!(kind.offered(&asked[0]), (0, false));
    }
}
