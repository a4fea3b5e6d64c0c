//! All readers of other programs' output: exports, updates, bodies, lines, settings and streams. A text that is not in
//! a format is read as it is, and again inside a document of the format.

use std::hint::black_box;
use std::io::{Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_engine::commands::Request as SlashCommand;
use throughline_engine::tools::arguments;
use throughline_models::{
    Anthropic, ChatModel, Limits, Ollama, OpenAi, Request, ServerSettings, Work, whole_answer,
};

use super::Reader;
use super::language::wait;
use crate::api::{ContextQuery, ForgetQuery, MemoryEdit, NewMessage, NewTurn, RememberQuery, SearchQuery};
use crate::channels::telegram::api::Me;
use crate::channels::telegram::update::{Listener, moved};
use crate::channels::telegram::wire::Update;
use crate::channels::telegram::{media, unread};
use crate::claude_code::hook::HookInput;
use crate::claude_code::settings::{SettingsFile, invocation, with_ours, without_ours};
use crate::claude_code::transcript;
use crate::config::values::choice::Groups;
use crate::config::{self, Environment};
use crate::http::mem0::memories as mem0;
use crate::http::proxy::reply::{Events, Reply};
use crate::http::proxy::request::{Additions, Api, ClientRequest, add};
use crate::imports::{Defaults, IMPORTERS, named};
use crate::mcp::tools::{AddMemory, ForgetMemory, GetContext};

pub const READERS: &[Reader] = &[
    ("imports", |text| IMPORTERS.iter().for_each(|importer| import(importer.name(), text))),
    ("import of WhatsApp", |text| import("whatsapp", &format!("[12.03.24, 18:05:11] Ana: {text}\n"))),
    ("import of lines", |text| import("jsonl", &inside("{\"role\":\"user\",\"text\":", text, "}\n"))),
    ("import of messages", |text| {
        import("messages", &inside("[{\"role\":\"user\",\"content\":", text, "}]"))
    }),
    ("import of mem0", |text| {
        import("mem0", &inside("{\"results\":[{\"id\":\"1\",\"user_id\":\"ana\",\"memory\":", text, "}]}"));
    }),
    ("import of ChatGPT", |text| {
        import(
            "chatgpt",
            &inside(
                "[{\"title\":\"t\",\"current_node\":\"a\",\"mapping\":{\"a\":{\"id\":\"a\",\"message\":{\"id\":\"a\",\"author\":{\"role\":\"user\"},\"create_time\":1700000001,\"content\":{\"content_type\":\"text\",\"parts\":[",
                text,
                "]}}}}}]",
            ),
        );
    }),
    ("import of Claude", |text| {
        import(
            "claude",
            &inside(
                "[{\"uuid\":\"u\",\"name\":\"n\",\"chat_messages\":[{\"uuid\":\"q\",\"sender\":\"human\",\"created_at\":\"2024-03-05T10:00:01Z\",\"text\":",
                text,
                "}]}]",
            ),
        );
    }),
    ("import of Telegram", |text| {
        import(
            "telegram",
            &inside(
                "{\"name\":\"Bo\",\"type\":\"personal_chat\",\"id\":7,\"messages\":[{\"id\":1,\"type\":\"message\",\"date\":\"2024-03-01T12:34:56\",\"from\":\"Bo\",\"from_id\":\"user7\",\"text\":",
                text,
                "}]}",
            ),
        );
    }),
    ("transcript", |text| {
        text.lines().for_each(|line| drop(black_box(transcript::read(line))));
        let entry = "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"timestamp\":\"2026-02-18T09:00:00Z\",\"message\":{\"role\":\"user\",\"content\":";
        let _ = black_box(transcript::read(&inside(entry, text, "}}")));
        black_box(transcript::own_words(text));
    }),
    ("hook", |text| {
        read::<HookInput>(text);
        read::<HookInput>(&inside("{\"session_id\":\"s\",\"cwd\":\"/\",\"prompt\":", text, "}"));
    }),
    ("settings of Claude Code", |text| {
        for part in [SettingsFile::Hooks, SettingsFile::Server] {
            let ours = invocation(Path::new("/bin/throughline"), None, None);
            let _ = black_box((with_ours(text, part, &ours), without_ours(text, part)));
        }
    }),
    ("settings", |text| {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        black_box(config::check(home.path(), None, &Environment::of(&[])).len());
    }),
    ("slash command", |text| {
        text.lines().for_each(|line| drop(black_box(SlashCommand::parse(line))));
        black_box(SlashCommand::parse(&format!("/remember {text}")));
        black_box(SlashCommand::parse(&format!("/{text}")));
    }),
    ("bodies of HTTP", |text| {
        for body in [text, &inside("{\"text\":", text, ",\"chat\":\"api:chat:a\"}")] {
            read::<NewTurn>(body);
            read::<NewMessage>(body);
            read::<ContextQuery>(body);
            read::<SearchQuery>(body);
            read::<RememberQuery>(body);
            read::<MemoryEdit>(body);
            if let Ok(query) = serde_json::from_str::<ForgetQuery>(body) {
                let _ = black_box(query.target());
            }
        }
        read::<mem0::AddRequest>(&inside("{\"user_id\":\"ana\",\"messages\":", text, "}"));
        read::<mem0::MemoryQuery>(text);
    }),
    ("bodies of proxies", |text| {
        let content = inside("{\"messages\":[{\"role\":\"user\",\"content\":", text, "}]}");
        let input = inside("{\"input\":", text, "}");
        for body in [text, &content, &input] {
            let Ok(mut body) = serde_json::from_str::<Value>(body) else { continue };
            for api in APIS {
                let asked = ClientRequest::read(api, &body);
                let heads = vec![(0, "head".to_owned())];
                add(api, &mut body, &Additions { system: "system".to_owned(), heads });
                black_box(asked);
            }
        }
        APIS.iter().for_each(|api| drop(black_box(Reply::read(*api, text.as_bytes()))));
    }),
    ("streams of proxies", |text| {
        for (stream, api) in streams(text).iter().flat_map(|stream| APIS.map(|api| (stream, api))) {
            let mut events = Events::new(api);
            for piece in stream.as_bytes().chunks(5) {
                black_box(events.push(piece));
            }
        }
    }),
    ("streams of models", |text| {
        for stream in streams(text) {
            let address = *SERVER;
            let settings = || ServerSettings {
                address: format!("http://{address}"),
                model: "m".to_owned(),
                key: None,
                limits: Limits::default(),
            };
            let models: [Box<dyn ChatModel>; 3] = [
                Box::new(OpenAi::new(settings()).unwrap()),
                Box::new(Anthropic::new(settings()).unwrap()),
                Box::new(Ollama::new(settings()).unwrap()),
            ];
            for model in models {
                let work = Work { instructions: String::new(), input: stream.clone(), most_tokens: 100 };
                let _ = black_box(wait(whole_answer(&*model, &Request::Work(work))));
            }
        }
    }),
    ("updates of Telegram", |text| {
        let said = json!({ "update_id": 1, "message": {
            "message_id": 7, "date": 1_771_405_200, "text": text,
            "chat": { "id": 5, "type": "private", "first_name": text }, "from": { "id": 5, "first_name": text },
            "entities": [{ "type": "mention", "offset": 1, "length": 400 }, { "type": "bold", "offset": 900, "length": 9 }],
        } });
        let raw = serde_json::from_str::<Value>(text).ok();
        raw.iter().chain([&said]).for_each(update);
    }),
    ("lines of MCP", |text| {
        for line in text.lines().chain([&*inside(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add_memory\",\"arguments\":{\"text\":",
            text, "}}}")]) {
            read::<RxJsonRpcMessage<RoleServer>>(line);
            let Ok(given) = serde_json::from_str::<Value>(line) else { continue };
            let given = given.pointer("/params/arguments").unwrap_or(&given);
            let _ = black_box(arguments::<AddMemory>(given).map(drop));
            let _ = black_box(arguments::<ForgetMemory>(given).map(drop));
            let _ = black_box(arguments::<GetContext>(given).map(drop));
        }
    }),
];

const APIS: [Api; 3] = [Api::ChatCompletions, Api::Responses, Api::Messages];

/// A text, as a JSON string unless it is JSON, between the beginning and the end of a document.
fn inside(head: &str, text: &str, tail: &str) -> String {
    let is_json = serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    let value = if is_json { text.to_owned() } else { json!(text).to_string() };
    format!("{head}{value}{tail}")
}

fn read<T: DeserializeOwned>(text: &str) {
    let _ = black_box(serde_json::from_str::<T>(text).is_ok());
}

fn import(format: &str, text: &str) {
    let defaults =
        Defaults { me: Some("Ana".to_owned()), ..Defaults::new(ChatId::terminal(), TimeZone::UTC) };
    let read = named(format).unwrap().read_home(&mut Cursor::new(text), &defaults, &mut |line, entry| {
        black_box((line, entry.is_ok()));
        Ok(())
    });
    read.unwrap();
}

fn update(raw: &Value) {
    black_box((unread::kind(raw), unread::is_event(raw), unread::remnant(raw).map(|m| unread::notice(&m))));
    let Ok(update) = Update::deserialize(raw) else { return };
    let me = Me { id: 9, username: "bot".to_owned(), can_read_all_group_messages: false };
    let listener = Listener { me: &me, groups: Groups::Auto, now: Timestamp::UNIX_EPOCH };
    for message in update.message.iter().chain(&update.edited_message) {
        black_box((
            moved(message),
            listener.message(message),
            listener.edited(message),
            media::words(message),
        ));
    }
    update.callback_query.iter().for_each(|query| drop(black_box(listener.pressed(query))));
    if let Some(reaction) = &update.message_reaction
        && let Some(user) = &reaction.user
    {
        black_box(listener.reacted(reaction, user));
    }
}

/// Possible responses of a server: the text itself, and the text as an answer in each dialect.
fn streams(text: &str) -> [String; 2] {
    let mut dialects = String::new();
    let mut say = |event: Value| dialects.push_str(&format!("data: {event}\n\n"));
    say(json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }));
    say(
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
    );
    say(json!({ "type": "response.output_text.delta", "delta": text }));
    dialects
        .push_str(&json!({ "message": { "role": "assistant", "content": text }, "done": false }).to_string());
    [text.to_owned(), dialects]
}

/// A server that echoes the text of each request, until the tests end.
static SERVER: LazyLock<std::net::SocketAddr> = LazyLock::new(serve);

#[expect(clippy::disallowed_methods, reason = "it answers until the process of the tests ends")]
fn serve() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || echo(connection));
        }
    });
    address
}

fn echo(mut connection: TcpStream) -> Option<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 65_536];
    let (body, length) = loop {
        let read = connection.read(&mut buffer).ok().filter(|read| *read > 0)?;
        request.extend_from_slice(buffer.get(..read)?);
        let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(request.get(..end)?).to_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())?;
        break (end + 4, length);
    };
    while request.len() < body + length {
        let read = connection.read(&mut buffer).ok().filter(|read| *read > 0)?;
        request.extend_from_slice(buffer.get(..read)?);
    }
    let asked: Value = serde_json::from_slice(request.get(body..)?).ok()?;
    let messages = asked.get("messages")?.as_array()?;
    let text = messages.last()?.get("content")?.as_str()?;
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", text.len());
    connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(text.as_bytes())).ok()
}
