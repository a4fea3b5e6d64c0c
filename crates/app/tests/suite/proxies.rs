//! The drop-in proxies, with the official libraries and the `claude` command in front and a double of the providers behind.

use std::io::Read;
use std::net::Shutdown;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::upstream::{Asked, Says, Upstream, stream_of};
use crate::common::{Home, Ran, messages_of};
use crate::http::Server;

const CHATS: &str = "/openai/v1/chat/completions";
const MESSAGES: &str = "/anthropic/v1/messages";

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The Python that has the libraries, which `./test` installs.
pub fn python() -> PathBuf {
    let python = root().join("target/python/bin/python");
    assert!(python.exists(), "{} is missing: run ./test, which installs it", python.display());
    python
}

/// Runs a script of `tests/clients`, and gives the document that it prints.
pub fn script(home: &Home, name: &str, words: &[&str]) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name);
    let mut command = match name.ends_with(".py") {
        true => {
            let mut command = home.bare(python().to_str().unwrap());
            command.arg(file);
            command
        }
        false => {
            // Node looks for packages beside the script.
            let copy = root().join(format!("target/clients/{}-{name}", std::process::id()));
            std::fs::copy(file, &copy).unwrap();
            let mut command = home.bare("node");
            command.arg(copy);
            command
        }
    };
    Ran::of(
        command
            .args(words)
            .env("MEM0_TELEMETRY", "false")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("MEM0_DIR", home.beside("mem0")),
    )
    .document()
}

/// A home that is served in front of a provider, with keys of its own.
fn serve(upstream: &Upstream) -> Server {
    Server::of(home(upstream))
}

fn home(upstream: &Upstream) -> Home {
    Home::new()
        .with("OPENAI_BASE_URL", &format!("{}/v1", upstream.url()))
        .with("ANTHROPIC_BASE_URL", &upstream.url())
        .with("OPENAI_API_KEY", "sk-ours")
        .with("ANTHROPIC_API_KEY", "sk-ant-ours")
}

/// Says whether the request holds what was said about the key before the question about it.
fn knows_the_key(asked: &Asked) -> Says {
    let last = asked.last();
    if last.contains("FAIL") {
        let error = json!({ "type": "error", "error": { "type": "rate_limit_error", "code": "slow_down", "message": "Slow down." } });
        return Says::Raw(429, "application/json", error.to_string());
    }
    if last.contains("Use the tool") {
        return Says::Tool(json!({ "where": "shed" }));
    }
    let knows = asked.body.to_string().contains("The spare key is with Ana.");
    Says::Text(if knows { "Ana has it." } else { "Nobody knows." }.to_owned())
}

fn said(text: &str) -> Value {
    json!({ "model": "gpt-5-mini", "messages": [{ "role": "user", "content": text }] })
}

fn texts_in(home: &Home, chat: &str) -> Vec<String> {
    let messages = messages_of(&home.ok(&["export", "--chat", chat]));
    messages.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_libraries_in_python_get_a_memory_by_their_base_url() {
    let upstream = Upstream::start(knows_the_key);
    let server = serve(&upstream);
    let heard = script(&server.home, "proxies.py", &[&format!("http://{}", server.address)]);
    assert_eq!(heard["plain"], "Ana has it.", "its own words are in the request");
    for how in [
        "stream",
        "responses",
        "responses_stream",
        "messages",
        "messages_stream",
        "langchain",
        "langchain_stream",
    ] {
        assert_eq!(heard[how], "Ana has it.", "{how}: {heard:#}");
    }
    assert_eq!(
        (&heard["tool"], &heard["function"]),
        (&json!({ "where": "shed" }), &json!({ "where": "shed" }))
    );
    assert_eq!(heard["error"], json!([429, "Slow down.", "req_7"]), "the provider's error as it is");
    let recorded = texts_in(&server.home, "api:chat:python");
    let persons: Vec<&str> =
        recorded.iter().map(String::as_str).filter(|text| *text != "Ana has it.").collect();
    assert_eq!(
        persons,
        [
            "The spare key is with Ana.",
            "Who has the spare key?",
            "Tell me about the spare key.",
            "Once more: the spare key?",
            "And where is the spare key?",
            "Is the spare key gone?",
            "Use the tool for the shed.",
            "Use the tool for the cellar.",
            "Does LangChain know about the spare key?",
            "And streamed, the spare key?",
            "FAIL",
        ],
        "each message once, a tool's steps included"
    );
    assert_eq!(recorded.len() - persons.len(), 9, "each reply with words: {recorded:?}");
    for asked in upstream.asked() {
        let keys: Vec<&str> =
            ["authorization", "x-api-key"].iter().filter_map(|name| asked.header(name)).collect();
        assert!(keys.len() == 1 && keys[0].ends_with("-theirs"), "{keys:?}");
        assert!(!asked.headers.iter().any(|(name, _)| name.starts_with("x-throughline")), "{asked:?}");
    }
}

#[test]
fn the_libraries_in_javascript_get_a_memory_by_their_base_url() {
    let upstream = Upstream::start(knows_the_key);
    let server = serve(&upstream);
    let heard = script(&server.home, "proxies.mjs", &[&format!("http://{}", server.address)]);
    for how in ["plain", "stream", "responses", "messages_stream"] {
        assert_eq!(heard[how], "Ana has it.", "{how}: {heard:#}");
    }
    assert_eq!(
        (&heard["tool"], &heard["error"]),
        (&json!({ "where": "shed" }), &json!([429, "Slow down.", "req_7"]))
    );
    assert_eq!(texts_in(&server.home, "api:chat:javascript").len(), 10);
}

#[test]
fn the_claude_command_gets_a_memory_and_its_helpers_are_not_taken_for_the_person() {
    let delegate = |asked: &Asked| {
        let body = asked.body.to_string();
        match body.contains("PLEASE DELEGATE")
            && !body.contains("tool_result")
            && !body.contains("LOOK FOR IT")
        {
            true if asked.header("x-claude-code-agent-id").is_none() && !body.contains("json_schema") => {
                Says::Raw(200, "text/event-stream", agent_call(asked))
            }
            _ => knows_the_key(asked),
        }
    };
    let upstream = Upstream::start(delegate);
    let server = serve(&upstream);
    let claude = |prompt: &str| {
        let program = root().join("target/clients/node_modules/.bin/claude");
        let mut command = server.home.bare(program.to_str().unwrap());
        command
            .args(["-p", prompt])
            .env("ANTHROPIC_BASE_URL", format!("http://{}/anthropic", server.address))
            .env("ANTHROPIC_API_KEY", "sk-ant-theirs")
            .env("ANTHROPIC_CUSTOM_HEADERS", "X-Throughline-Chat: api:chat:claude")
            .env("CLAUDE_CONFIG_DIR", server.home.beside("claude"))
            .env("CLAUDE_CODE_MAX_RETRIES", "0")
            .envs(
                ["DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"]
                    .map(|name| (name, "1")),
            )
            .current_dir(server.home.beside(""));
        Ran::of(&mut command).ok()
    };
    assert_eq!(claude("The spare key is with Ana.").trim(), "Ana has it.");
    assert_eq!(claude("Who has the spare key?").trim(), "Ana has it.", "another session");
    claude("PLEASE DELEGATE the search.");
    let recorded = texts_in(&server.home, "api:chat:claude");
    let persons: Vec<&str> =
        recorded.iter().map(String::as_str).filter(|text| *text != "Ana has it.").collect();
    assert_eq!(
        persons,
        [
            "The spare key is with Ana.",
            "Who has the spare key?",
            "PLEASE DELEGATE the search.",
            "I will have it looked for."
        ]
    );
    let asked = upstream.asked();
    let question = asked.iter().find(|asked| {
        asked.last().contains("Who has")
            && asked.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    });
    let system = question.unwrap().body["system"].as_array().unwrap();
    assert!(system.iter().any(|block| block["cache_control"].is_object()), "its own blocks stay: {system:?}");
}

/// A stream in which the model starts a helper.
fn agent_call(asked: &Asked) -> String {
    let call = json!({ "description": "look", "prompt": "LOOK FOR IT", "subagent_type": "Explore" });
    let text = stream_of(asked, &Says::Text("I will have it looked for.".to_owned()));
    let tool = stream_of(asked, &Says::Tool(call))
        .replace("\"look\"", "\"Agent\"")
        .replace("\"index\":0", "\"index\":1");
    let (before, _) = text.split_once("event: message_delta").unwrap();
    let (_, after) = tool.split_once("event: content_block_start").unwrap();
    format!("{before}event: content_block_start{after}")
}

#[test]
fn an_answer_passes_byte_for_byte() {
    let upstream = Upstream::start(|asked| Says::Text(asked.last().chars().rev().collect()));
    let server = serve(&upstream);
    for (path, body) in [
        (
            CHATS,
            json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "Grüße <b>&amp;</b> 👋" }] }),
        ),
        (
            MESSAGES,
            json!({ "model": "m", "stream": true, "max_tokens": 9, "messages": [{ "role": "user", "content": "x\u{2028}y" }] }),
        ),
        ("/openai/v1/responses", json!({ "model": "m", "stream": true, "input": "hello" })),
    ] {
        let answer = server.send("POST", path, &[], &body.to_string());
        let asked = upstream.last();
        assert_eq!((answer.status, answer.header("x-request-id")), (200, Some("req_7")));
        let whole = stream_of(&asked, &Says::Text(asked.last().chars().rev().collect()));
        assert_eq!(answer.body, whole, "{path}");
    }
    let odd = "{\"id\": 7,\n  \"choices\":[ ] }\n".to_owned();
    let upstream = Upstream::start(move |_| Says::Raw(201, "application/json; x=y", odd.clone()));
    let server = serve(&upstream);
    let answer = server.send("POST", CHATS, &[], &said("hello").to_string());
    assert_eq!((answer.status, answer.body.as_str()), (201, "{\"id\": 7,\n  \"choices\":[ ] }\n"));
    assert_eq!(answer.header("content-type"), Some("application/json; x=y"));
    let listed = server.get("/openai/v1/models?limit=3");
    assert_eq!((listed.status, upstream.last().path.as_str()), (201, "/v1/models?limit=3"));
    let counted = server.send("POST", "/anthropic/v1/messages/count_tokens?beta=true", &[], "{}");
    assert_eq!((counted.status, upstream.last().path.as_str()), (201, "/v1/messages/count_tokens?beta=true"));
    assert_eq!(server.send("HEAD", "/anthropic", &[], "").status, 200);
}

#[test]
fn d7_a_conversation_only_grows_at_its_end_and_no_memory_comes_twice() {
    let upstream = Upstream::start(|_| Says::Text("Yes.".to_owned()));
    let server = serve(&upstream);
    let home = &server.home;
    home.ok(&["remember", "--chat", "api:chat:main", "My sister Ines is a marine biologist"]);
    home.ok(&[
        "record",
        "--chat",
        "api:chat:main",
        "--at",
        "2026-03-01T10:00Z",
        "The boiler was serviced by Mertens.",
    ]);
    home.ok(&["record", "--chat", "api:chat:main", "--at", "2026-03-02T10:00Z", "The boiler makes a noise."]);
    let mut turns = vec![json!({ "role": "user", "content": "Who serviced the boiler?" })];
    let ask = |turns: &[Value]| {
        let body = json!({ "model": "m", "max_tokens": 9, "system": "Be brief.", "messages": turns });
        assert_eq!(server.send("POST", MESSAGES, &[], &body.to_string()).status, 200);
        upstream.last().body
    };
    let first = ask(&turns);
    assert!(
        first["system"].as_str().unwrap().starts_with("Be brief.\n\n")
            && first["system"].to_string().contains("Ines"),
        "{first:#}"
    );
    assert!(
        first["messages"][0]["content"].as_str().unwrap().ends_with("\n\nWho serviced the boiler?"),
        "{first:#}"
    );
    assert_eq!(first["messages"].to_string().matches("serviced by Mertens").count(), 1, "{first:#}");
    turns.push(json!({ "role": "assistant", "content": "Yes." }));
    turns.push(json!({ "role": "user", "content": "And what about the boiler since then?" }));
    let second = ask(&turns);
    assert_eq!(second["system"], first["system"]);
    assert_eq!(second["messages"][0], first["messages"][0], "what was added stays");
    assert_eq!(second["messages"][1], turns[1]);
    assert_eq!(second["messages"].to_string().matches("serviced by Mertens").count(), 1, "{second:#}");
    // A step of a tool changes nothing before it.
    turns.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "look", "input": {} }] }));
    turns.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "nothing" }] }));
    let third = ask(&turns);
    assert_eq!(third["messages"].as_array().unwrap()[..3], second["messages"].as_array().unwrap()[..3]);
    assert_eq!(third["system"], second["system"]);
    assert_eq!(texts_in(home, "api:chat:main").len(), 2 + 2 + 2 + 1, "the tool's step is no message");

    home.ok(&["forget", "--chat", "api:chat:main", "Mertens", "--yes"]);
    let fourth = ask(&turns);
    assert!(!fourth.to_string().contains("Mertens"), "{fourth:#}");
}

#[test]
fn a_conversation_continues_in_another_client() {
    let upstream = Upstream::start(|_| Says::Text("Noted.".to_owned()));
    let server = serve(&upstream);
    server.send("POST", CHATS, &[], &said("Let us plan the trip to Porto.").to_string());
    let body = json!({ "model": "m", "input": "Where were we?" });
    server.send("POST", "/openai/v1/responses", &[], &body.to_string());
    let input = upstream.last().body["input"].as_str().unwrap().to_owned();
    assert!(
        input.contains("Let us plan the trip to Porto.") && input.ends_with("\n\nWhere were we?"),
        "{input}"
    );
    let elsewhere =
        server.send("POST", CHATS, &[("x-throughline-chat", "api:chat:other")], &said("Porto?").to_string());
    assert_eq!(elsewhere.status, 200);
    assert!(!upstream.last().body.to_string().contains("trip"), "a chat is read in that chat alone");
}

#[test]
fn what_a_client_forbids_is_not_stored_and_may_still_be_answered_from_memory() {
    let upstream = Upstream::start(knows_the_key);
    let server = serve(&upstream);
    server.send("POST", CHATS, &[], &said("The spare key is with Ana.").to_string());
    let before = server.home.texts();
    let mut quiet = said("Who has the spare key? My code is private-4711.");
    quiet["store"] = false.into();
    let answers = [
        server.send("POST", CHATS, &[], &quiet.to_string()),
        server.send(
            "POST",
            CHATS,
            &[("x-throughline-store", "no")],
            &said("Who has the spare key? private-4712").to_string(),
        ),
    ];
    for answer in answers {
        assert_eq!(answer.ok()["choices"][0]["message"]["content"], "Ana has it.");
        assert_eq!(answer.header("x-throughline-message"), None);
    }
    assert_eq!(server.home.texts(), before);
    for (path, bytes) in server.home.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("private-471"), "{}", path.display());
    }
    let stored = server.send("POST", CHATS, &[("x-throughline-store", "yes")], &quiet.to_string());
    assert!(stored.header("x-throughline-message").is_some());
    assert_eq!(server.home.texts().len(), before.len() + 2);
    let unclear = server.send("POST", CHATS, &[("x-throughline-store", "maybe")], &quiet.to_string());
    assert_eq!(unclear.failure().0, 400);
}

#[test]
fn a_retry_is_the_same_message_and_a_repetition_is_another() {
    let upstream = Upstream::start(|asked| match asked.header("x-test") {
        Some("fail") => Says::Raw(500, "application/json", "{}".to_owned()),
        _ => Says::Text("Hello.".to_owned()),
    });
    let server = serve(&upstream);
    let ask = |headers: &[(&str, &str)]| {
        server.send("POST", CHATS, headers, &said("Good morning.").to_string()).status
    };
    assert_eq!(ask(&[("x-test", "fail")]), 500);
    assert_eq!(server.home.texts(), ["Good morning."], "recorded before it is sent");
    assert_eq!(ask(&[]), 200);
    assert_eq!(server.home.texts(), ["Good morning.", "Hello."], "asked again after a failure");
    assert_eq!(ask(&[("x-stainless-retry-count", "1")]), 200);
    assert_eq!(server.home.texts(), ["Good morning.", "Hello.", "Hello."], "sent again by the library");
    assert_eq!(ask(&[]), 200);
    assert_eq!(server.home.texts().len(), 5, "said again by the person");
}

#[test]
fn what_was_shown_of_an_answer_that_breaks_off_is_recorded_and_marked() {
    let upstream = Upstream::start(|asked| match asked.last().contains("hang") {
        true => Says::Hangs("The first words ".to_owned()),
        false => Says::Cut("The beginning ".to_owned()),
    });
    let server = serve(&upstream);
    let stream = |text: &str| json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": text }] });
    let mut cut = server.begin("POST", MESSAGES, &[], &stream("Please break off.").to_string());
    let mut heard = Vec::new();
    let _ = cut.read_to_end(&mut heard);
    assert!(String::from_utf8_lossy(&heard).contains("beginning"));
    let mark = |home: &Home, text: &str| {
        let until = std::time::Instant::now() + crate::common::served::LONG;
        loop {
            let found = home.exported().into_iter().find(|line| line["text"] == text);
            if let Some(found) = found {
                return found["metadata"]["shortfall"].as_str().unwrap_or("whole").to_owned();
            }
            assert!(std::time::Instant::now() < until, "{text:?} is not recorded");
        }
    };
    assert_eq!(mark(&server.home, "The beginning "), "cut");

    let mut left = server.begin("POST", MESSAGES, &[], &stream("Please hang.").to_string());
    let mut piece = [0; 4096];
    let mut heard = String::new();
    while !heard.contains("words") {
        let count = left.read(&mut piece).unwrap();
        assert!(count > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    left.shutdown(Shutdown::Both).unwrap();
    drop(left);
    assert_eq!(mark(&server.home, "The first words "), "stopped");
}

#[test]
fn c1_what_was_shown_of_an_answer_is_recorded_when_the_program_is_killed() {
    let upstream = Upstream::start(|_| Says::Hangs("The first words ".to_owned()));
    let mut server = serve(&upstream);
    let ask =
        json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "Please hang." }] });
    let mut shown = server.begin("POST", CHATS, &[], &ask.to_string());
    let (mut piece, mut heard) = ([0; 4096], String::new());
    while !heard.contains("words") {
        let count = shown.read(&mut piece).unwrap();
        assert!(count > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    let process = rustix::process::Pid::from_raw(server.process().cast_signed()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    server.start_again();
    let recorded = server.home.exported();
    let said: Vec<_> = recorded.iter().map(|line| (&line["role"], &line["text"])).collect();
    assert_eq!(
        said,
        [(&json!("user"), &json!("Please hang.")), (&json!("assistant"), &json!("The first words "))]
    );
    assert_eq!(recorded[1]["metadata"]["shortfall"], "cut");
    server.start_again();
    assert_eq!(server.home.exported(), recorded, "once");
}

#[test]
fn keys_go_where_they_belong() {
    let upstream = Upstream::start(|_| Says::Text("Hello.".to_owned()));
    let open = serve(&upstream);
    let ask = |server: &Server, path: &str, headers: &[(&str, &str)]| {
        let status = server.send("POST", path, headers, &said("hi").to_string()).status;
        let asked = upstream.last();
        let key = |name: &str| asked.header(name).map(str::to_owned);
        (status, key("authorization"), key("x-api-key"))
    };
    let some = |key: &str| Some(key.to_owned());
    assert_eq!(
        ask(&open, CHATS, &[]),
        (200, some("Bearer sk-ours"), None),
        "without a key, the one of the settings"
    );
    assert_eq!(ask(&open, MESSAGES, &[]), (200, None, some("sk-ant-ours")));
    assert_eq!(
        ask(&open, CHATS, &[("authorization", "Bearer throughline")]),
        (200, some("Bearer sk-ours"), None)
    );
    assert_eq!(
        ask(&open, CHATS, &[("authorization", "Bearer sk-mine")]),
        (200, some("Bearer sk-mine"), None)
    );
    let before = upstream.asked().len();
    assert_eq!(
        open.send("POST", "/openai/v1/files", &[], "{}").status,
        401,
        "the key of the settings is not for everything"
    );
    assert_eq!(upstream.asked().len(), before);
    assert_eq!(
        open.send("POST", "/openai/v1/files", &[("authorization", "Bearer sk-mine")], "{}").status,
        200
    );

    let closed = Server::of(home(&upstream).with("THROUGHLINE_API_TOKEN", "t0ken-of-ours"));
    let before = upstream.asked().len();
    for headers in [vec![], vec![("authorization", "Bearer sk-mine")], vec![("x-throughline-token", "wrong")]]
    {
        assert_eq!(closed.send("POST", CHATS, &headers, &said("hi").to_string()).status, 401, "{headers:?}");
    }
    assert_eq!(upstream.asked().len(), before, "nothing was sent");
    let both = [("x-throughline-token", "t0ken-of-ours"), ("authorization", "Bearer sk-mine")];
    assert_eq!(ask(&closed, CHATS, &both), (200, some("Bearer sk-mine"), None));
    assert_eq!(
        ask(&closed, CHATS, &[("authorization", "Bearer t0ken-of-ours")]),
        (200, some("Bearer sk-ours"), None)
    );
    assert_eq!(ask(&closed, MESSAGES, &[("x-api-key", "t0ken-of-ours")]), (200, None, some("sk-ant-ours")));
    for asked in upstream.asked() {
        assert!(!format!("{asked:?}").contains("t0ken-of-ours"), "{asked:?}");
    }
    for (path, bytes) in closed.home.files() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("sk-mine") && !text.contains("sk-ours") && !text.contains("t0ken"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn what_is_asked_with_our_key_is_in_the_ledger_and_within_the_cap() {
    let upstream = Upstream::start(knows_the_key);
    let server = Server::of(home(&upstream).configured("[replies]\ndaily_tokens = 60\n"));
    let ask =
        |headers: &[(&str, &str)]| server.send("POST", MESSAGES, headers, &said("Hello there.").to_string());
    assert_eq!(ask(&[("x-api-key", "sk-ant-theirs")]).status, 200);
    let entries = |home: &Home| {
        let sql = home.sql();
        let mut rows = sql.prepare("SELECT purpose, model, input_tokens, output_tokens FROM calls").unwrap();
        let entry = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        rows.query_map([], entry).unwrap().map(Result::unwrap).collect::<Vec<(String, String, u32, u32)>>()
    };
    assert_eq!(entries(&server.home), [], "a client's own key is the client's business");
    assert_eq!(ask(&[]).status, 200);
    let entry = ("proxy".to_owned(), "anthropic/gpt-5-mini".to_owned(), 25, 9);
    assert_eq!(entries(&server.home), std::slice::from_ref(&entry), "as the provider counts");
    assert_eq!(ask(&[]).status, 200);
    let before = upstream.asked().len();
    let capped = ask(&[]);
    assert_eq!((capped.status, capped.json()["error"]["type"].as_str()), (429, Some("capped")), "{capped:?}");
    assert_eq!((upstream.asked().len(), entries(&server.home).len()), (before, 2), "nothing was sent");
}

#[test]
fn a_token_of_a_chat_talks_in_that_chat() {
    let upstream = Upstream::start(|_| Says::Text("Hello.".to_owned()));
    let server = serve(&upstream);
    let token = server.adds_token("phone", &["--chat", "api:chat:phone"]);
    let bearer = format!("Bearer {token}");
    let ask = |chat: Option<&'static str>| {
        let mut headers = vec![("authorization", bearer.as_str())];
        headers.extend(chat.map(|chat| ("x-throughline-chat", chat)));
        server.send("POST", CHATS, &headers, &said("I am on the phone.").to_string()).status
    };
    assert_eq!(ask(None), 200);
    assert_eq!(texts_in(&server.home, "api:chat:phone"), ["I am on the phone.", "Hello."]);
    assert_eq!(ask(Some("api:chat:other")), 403);
    assert_eq!(ask(Some("no chat")), 400);
    assert_eq!(server.home.texts().len(), 2, "nothing was recorded elsewhere");
}

#[test]
fn a_provider_that_cannot_be_asked_is_told_in_the_shape_of_its_errors() {
    let nowhere = Home::new().with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let server = Server::of(nowhere);
    let answer = server.send("POST", CHATS, &[], &said("Are you there?").to_string());
    let error = &answer.json()["error"];
    assert_eq!((answer.status, error["type"].as_str()), (502, Some("throughline_error")), "{answer:?}");
    assert!(error["message"].as_str().unwrap().contains("OPENAI_BASE_URL"), "{answer:?}");
    assert_eq!(server.home.texts(), ["Are you there?"]);
    let looping = server.send("POST", CHATS, &[("via", "1.1 throughline")], &said("Again").to_string());
    assert_eq!(looping.status, 508, "{looping:?}");
    let broken = server.send("POST", CHATS, &[], "{\"messages\": [");
    assert_eq!(broken.status, 502, "what cannot be read is the provider's to refuse");
}
