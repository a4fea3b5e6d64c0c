//! The dashboard in Chromium: one script does what people do there, at the width of a phone and of a desk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use throughline_testkit::bot_api::BotApi;

use crate::common::served::{ANA, LONG};
use crate::common::{Home, MAIN, Ran};
use crate::telegram::talker::Talker;

const ROUTINES: &str = r#"
[routines.hello]
schedule = "0 7 * * *"
kind = "message"
text = "Good morning. What do you plan today?"
"#;

/// A reply in Markdown, as models write.
const MARKDOWN: &str = r#"# A plan for the garden
Water **early**, *not* at noon; see `garden_plan.md` and [the guide](https://example.org/guide_(2026)).
Lines stay where they were written.

- Tomatoes
  - and basil, ~~not mint~~
- Beans

3. Dig
4. Sow

> Ines said:
> *wait for rain*

| Bed | Plants |
|---|---|
| north | `beans \| peas` |
| south | tomatoes, which like the warm wall that has the sun until the evening |

---
```sh
echo "<b>dig</b> **here**"
```"#;

/// A reply that tries to be more than text.
const HOSTILE_MARKDOWN: &str = r#"<img src=x onerror="window.owned=1"> **<b onclick="window.owned=1">bold</b>**

[script](javascript:window.owned=1) [data](data:text/html,<script>window.owned=1</script>) <javascript:window.owned=1>
![picture](https://example.org/track.png) [https://bank.example](https://example.org/other)
[**nested [inner](javascript:1)** `</code>`](https://example.org/"onmouseover="window.owned=1)
> > > > > > > > > > > > deep
- - - - - - - - - - - - deeper

**never closed, `nor this

```html
</code></pre></script><script>window.owned=1</script>"#;

/// The program while it serves a home.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    fn start(home: &Home) -> Self {
        let mut child = home.command(&["--json", "serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        Self { child, url: said["listening"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A home in which people have talked for some weeks.
fn lived_in(talker: &Talker, api: &BotApi) -> Home {
    let home = Home::new()
        .configured(ROUTINES)
        .with("THROUGHLINE_API_TOKEN", "t0ken")
        .with("ANTHROPIC_BASE_URL", &talker.url())
        .with("ANTHROPIC_API_KEY", "test")
        .with("TELEGRAM_API_URL", &api.url())
        .with("TELEGRAM_BOT_TOKEN", &api.token())
        .with("TELEGRAM_ALLOWED_USERS", &ANA.to_string());
    let said = [
        ("user", "I live in Lisbon and I work as a nurse at Santa Maria."),
        ("assistant", "Nice to know. Night shifts or days?"),
        ("user", "Mostly nights. I prefer tea to coffee, by the way."),
        ("assistant", "Tea it is."),
        ("user", "My sister Ines is a marine biologist. Her birthday is on 14 March."),
        ("assistant", "Lovely. I will remember."),
        ("user", "I want to run the Lisbon half marathon by 8 March."),
        ("assistant", "A good goal. Tuesdays short and quick, Saturdays long and slow?"),
        ("user", "We planted tomatoes and basil in the garden last weekend."),
        ("assistant", "They like each other. Water them in the evening."),
    ];
    let mut lines: Vec<Value> = (0..40usize)
        .map(|n| {
            let (role, text) = said[n % said.len()];
            let at = format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + n / 4, 8 + n / 4 % 12, n % 4 * 3);
            json!({ "chat": MAIN, "role": role, "text": text, "at": at, "external_id": n.to_string() })
        })
        .collect();
    let hostile = [
        r#"<img src=x onerror="window.owned=1"> is only text"#,
        r#"</script><script>window.owned=1</script> too"#,
        r#"I live in <b onclick="window.owned=1">Rome</b>"#,
    ];
    let replies = [MARKDOWN, HOSTILE_MARKDOWN];
    lines.extend(
        replies.map(|text| json!({ "chat": "cli:chat:markdown", "role": "assistant", "text": text })),
    );
    lines.extend(hostile.map(|text| json!({ "chat": "cli:chat:hostile", "role": "user", "text": text })));
    let topics = ["user", "assistant"].map(
        |role| json!({ "chat": "telegram:chat:4711", "lane": "topic:7", "role": role, "text": "About the garden." }),
    );
    lines.extend(topics);
    home.import(&lines);
    for text in [
        "My sister Ines is a marine biologist.",
        "When is the birthday of Ines?",
        "I moved to Porto last week.",
    ] {
        home.ok(&["chat", "-m", text]);
    }
    suggest(&home);
    home.ok(&["chat", "--chat", "cli:chat:talker", "-m", "/model anthropic/claude-sonnet-4-5"]);
    home
}

/// A memory that waits for a yes.
fn suggest(home: &Home) {
    let settings = home.file("suggest.toml", "capture = \"suggest\"");
    let said = "I love sailing on the Tagus.";
    home.ok(&["--config", &settings, "chat", "--chat", "cli:chat:suggested", "-m", said]);
}

/// Long enough that nothing but a window of it can be on a page.
fn long_chat(home: &Home) {
    let text: String = (0..100_000)
        .map(|n| {
            let (minutes, seconds) = (n / 60 % 60, n % 60);
            let at = format!("2026-{:02}-{:02}T{:02}:{minutes:02}:{seconds:02}Z", 1 + n / 10_000, 1 + n / 3_600 % 28, n / 60 / 60 % 24);
            format!("{{\"chat\":\"cli:chat:long\",\"role\":\"user\",\"text\":\"Message {n} of a long chat.\",\"at\":\"{at}\"}}\n")
        })
        .collect();
    let file = home.file("long.jsonl", text);
    home.json(&["import", &file]);
}

/// The folder with playwright-core and axe-core, which `./test` installs.
fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/dashboard-clients")
}

#[test]
fn people_read_and_steer_their_memory_in_a_browser() {
    Talker::serve(browse);
}

#[expect(clippy::disallowed_methods, reason = "how the person who runs the tests asks for pictures")]
fn browse(talker: &Talker) {
    assert!(
        clients().join("node_modules/axe-core").exists(),
        "run ./test once: it installs the browser's driver"
    );
    let api = BotApi::start();
    api.person(ANA, "Ana");
    let home = lived_in(talker, &api);
    long_chat(&home);
    let files = home.beside("files");
    std::fs::create_dir(&files).unwrap();
    let lines: String = ["one", "two", "three"]
        .map(|text| json!({ "chat": "cli:chat:brought", "role": "user", "text": text }).to_string() + "\n")
        .concat();
    std::fs::write(files.join("some.jsonl"), format!("{lines}not a message\n")).unwrap();
    let serving = Serving::start(&home);
    let link = home.json(&["open"])["link"].as_str().unwrap().to_owned();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dashboard/browser.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(clients()).args([&serving.url, &link]).arg(&files);
    // DASHBOARD_PICTURES=docs/dashboard makes the pictures of the docs again.
    node.args(std::env::var_os("DASHBOARD_PICTURES"));
    let ran = Ran::of(node.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let sent = api.wait(LONG, |api| api.shown(ANA).into_iter().find(|shown| shown.text.contains("*dry*")));
    assert!(sent.text.starts_with("Is the garden *dry*?\n\n"), "{sent:?}");
}

/// Sends a request and reads the whole answer.
fn ask(serving: &Serving, path: &str, headers: &str) -> (String, Vec<u8>) {
    let address = serving.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let at = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (String::from_utf8(answer[..at].to_vec()).unwrap().to_lowercase(), answer[at + 4..].to_vec())
}

#[test]
fn the_dashboard_is_small_strict_and_sent_once() {
    let home = Home::new().with("THROUGHLINE_API_TOKEN", "t0ken");
    let serving = Serving::start(&home);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboard");
    let mut files = vec![(String::from("/"), folder.join("index.html"))];
    for part in ["", "pages/"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                let name = entry.file_name().into_string().unwrap();
                files.push((format!("/dashboard/{part}{name}"), entry.path()));
            }
        }
    }
    let mut packed = 0;
    for (path, file) in files {
        let (head, body) = ask(&serving, &path, "Accept-Encoding: gzip\r\n");
        assert!(head.starts_with("http/1.1 200"), "{path} is served to those who are not signed in: {head}");
        assert!(head.contains("default-src 'none'; script-src 'self'; style-src 'self'"), "{head}");
        assert!(head.contains("frame-ancestors 'none'") && head.contains("nosniff"), "{head}");
        packed += body.len();
        let mut text = Vec::new();
        GzDecoder::new(body.as_slice()).read_to_end(&mut text).unwrap();
        assert_eq!(text, std::fs::read(&file).unwrap(), "{path}");
        let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
        let (head, body) = ask(&serving, &path, &format!("If-None-Match: {etag}\r\n"));
        assert!(head.starts_with("http/1.1 304") && body.is_empty(), "{head}");
    }
    assert!(packed < 200_000, "{packed} bytes, compressed");
    let (head, _) = ask(&serving, "/dashboard/../Cargo.toml", "");
    assert!(head.starts_with("http/1.1 404"), "{head}");
    let (head, _) = ask(&serving, "/v1/chats", "");
    assert!(head.starts_with("http/1.1 401"), "the data is not: {head}");
}
