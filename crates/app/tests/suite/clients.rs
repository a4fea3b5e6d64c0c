//! Our own clients: built as they are published, and used against the real program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::upstream::{Asked, Says, Upstream};
use crate::common::{Home, Ran};
use crate::http::Server;
use crate::proxies::{python, root};

/// A folder of its own under `target/clients`, where Node finds the libraries. It is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = root().join(format!("target/clients/{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn run(&self, home: &Home, program: &str, words: &[&str]) -> String {
        let tools = root().join("target/clients/node_modules/.bin");
        let mut command = home.bare(program);
        command
            .args(words)
            .current_dir(&self.0)
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", tools.display()));
        let ran = Ran::of(&mut command);
        assert_eq!(ran.code, Some(0), "{program} {words:?}: {ran:?}");
        ran.stdout
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").args([from, to]).status().unwrap();
    assert!(copied.success());
}

/// The Python package from its wheel, in a folder of its own.
fn wheel(home: &Home, folder: &Folder) -> PathBuf {
    copy(&root().join("clients/python"), &folder.0.join("source"));
    let (python, site) = (python(), folder.0.join("site"));
    let python = python.to_str().unwrap();
    let quiet = ["-m", "pip", "--disable-pip-version-check", "--quiet"];
    let build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", ".", "./source"];
    folder.run(home, python, &[&quiet[..], &build].concat());
    let install =
        ["install", "--no-deps", "--no-index", "--target", "site", "throughline-0.1.0-py3-none-any.whl"];
    folder.run(home, python, &[&quiet[..], &install].concat());
    site
}

/// The npm package from its tarball, where scripts of the folder find it.
fn tarball(home: &Home, folder: &Folder) {
    let source = folder.0.join("source");
    copy(&root().join("clients/typescript"), &source);
    folder.run(home, "npm", &["--loglevel=error", "pack", "./source"]);
    std::fs::create_dir_all(folder.0.join("node_modules/throughline")).unwrap();
    folder.run(
        home,
        "tar",
        &["xzf", "throughline-0.1.0.tgz", "--strip-components=1", "-C", "node_modules/throughline"],
    );
}

/// A model that has the tags of the instructions, and tells whether it was shown what was said before.
fn model(asked: &Asked) -> Says {
    if asked.last().contains("oboe?") {
        let knows = asked.body.to_string().contains("I play the oboe.");
        return Says::Text(if knows { "You play it." } else { "I do not know." }.to_owned());
    }
    Says::Text("Lovely. [REMEMBER: I play the oboe]".to_owned())
}

fn environment(server: &Server, upstream: &Upstream) -> [(&'static str, String); 5] {
    [
        ("THROUGHLINE_URL", format!("http://{}", server.address)),
        ("OPENAI_BASE_URL", format!("{}/v1", upstream.url())),
        ("OPENAI_API_KEY", "sk-test".to_owned()),
        ("ANTHROPIC_BASE_URL", upstream.url()),
        ("ANTHROPIC_API_KEY", "sk-ant-test".to_owned()),
    ]
}

/// An example remembers what its first run was told, and shows no tag.
fn remembers(server: &Server, run: impl Fn(&str) -> String) {
    assert_eq!(run("I play the oboe.").trim(), "Lovely.");
    assert_eq!(run("What about the oboe?").trim(), "You play it.");
    let known = server.home.json(&["memory", "list", "--chat", "api:chat:ana"]).to_string();
    assert!(known.contains("oboe"), "{known}");
}

#[test]
fn the_python_client_works_from_its_wheel_with_each_library() {
    let (home, folder) = (Home::new(), Folder::new("wheel"));
    let site = wheel(&home, &folder);
    for example in ["openai_chat.py", "anthropic_chat.py", "langchain_chat.py"] {
        let (server, upstream) = (Server::start(), Upstream::start(model));
        remembers(&server, |message| {
            let file = root().join("clients/python/examples").join(example);
            assert!(std::fs::read_to_string(&file).unwrap().lines().count() <= 21, "{example} is short");
            let mut command = server.home.bare(python().to_str().unwrap());
            command.arg(file).arg(message).env("PYTHONPATH", &site).envs(environment(&server, &upstream));
            Ran::of(&mut command).ok()
        });
    }
    let server = Server::start();
    let script = r#"
import os, throughline
memory = throughline.Memory(os.environ["THROUGHLINE_URL"] + "/", timeout=30)
chat = "api:chat:ana"
first = memory.record(chat, "The umbrella hangs behind the door.", idempotency_key="one")
assert memory.record(chat, "The umbrella hangs behind the door.", idempotency_key="one")["id"] == first["id"]
assert memory.search("umbrella", chat=chat)["hits"][0]["id"] == first["id"]
words = memory.stream(chat, "Where is the umbrella?")
text = "".join(words)
assert text == words.document["reply"] and "behind the door" in text, text
assert "behind the door" in memory.turn(chat, "Where does the umbrella hang?")["reply"]
assert memory.remember(chat, "I play the oboe")["memories"][0]["text"] == "I play the oboe"
assert any("oboe" in kept["text"] for kept in memory.memories(chat)["memories"])
assert memory.forget(chat, "oboe", dry_run=True)["forgotten"] == 0
assert memory.forget(chat, "oboe")["forgotten"] == 1
assert "umbrella" in memory.context(chat, "umbrella?", format="xml")["text"]
try:
    memory.record("no chat", "hello")
except throughline.ThroughlineError as error:
    assert (error.status, error.code) == (400, "invalid_request"), error.code
try:
    throughline.Memory("http://127.0.0.1:9").turn(chat, "hello")
except throughline.ThroughlineError as error:
    print(error.code)
"#;
    let file = server.home.file("client.py", script);
    let mut command = server.home.bare(python().to_str().unwrap());
    command.arg(file).env("PYTHONPATH", &site).env("THROUGHLINE_URL", format!("http://{}", server.address));
    assert_eq!(Ran::of(&mut command).ok(), "unreachable\n");
}

#[test]
fn the_typescript_client_works_from_its_tarball_with_each_library() {
    let (home, folder) = (Home::new(), Folder::new("tarball"));
    tarball(&home, &folder);
    let run = |server: &Server, name: &str, words: &[&str], more: &[(&str, String)]| {
        let script = folder.0.join(name).with_extension("mjs");
        let mut command = server.home.bare("node");
        command.arg(script).args(words).envs(more.iter().map(|(name, value)| (name, value)));
        Ran::of(&mut command).ok()
    };
    for example in ["openai.ts", "anthropic.ts", "langchain.ts"] {
        let file = root().join("clients/typescript/examples").join(example);
        assert!(std::fs::read_to_string(&file).unwrap().lines().count() <= 21, "{example} is short");
        let out = format!("--outfile={}", Path::new(example).with_extension("mjs").display());
        folder.run(&home, "esbuild", &[file.to_str().unwrap(), "--log-level=error", &out]);
        let (server, upstream) = (Server::start(), Upstream::start(model));
        remembers(&server, |message| run(&server, example, &[message], &environment(&server, &upstream)));
    }
    let script = r#"
import assert from "node:assert/strict";
import { Memory, ThroughlineError } from "throughline";
const memory = new Memory(process.argv[2] + "/");
const chat = "api:chat:ana";
const text = "The umbrella hangs behind the door.";
const first = await memory.record(chat, text, {}, { idempotencyKey: "one" });
assert.equal((await memory.record(chat, text, {}, { idempotencyKey: "one" })).id, first.id);
assert.equal((await memory.search("umbrella", { chat })).hits[0].id, first.id);
const stream = await memory.stream(chat, "Where is the umbrella?");
let words = "";
for await (const piece of stream) words += piece;
assert.equal(words, stream.document.reply);
assert.match((await memory.turn(chat, "Where does the umbrella hang?")).reply, /behind the door/);
await memory.remember(chat, "I play the oboe");
assert.match(JSON.stringify(await memory.memories(chat)), /oboe/);
assert.equal((await memory.forget(chat, { topic: "oboe" }, { dry_run: true })).forgotten, 0);
assert.equal((await memory.forget(chat, { topic: "oboe" })).forgotten, 1);
await assert.rejects(memory.record("no chat", "hello"), (error) => error instanceof ThroughlineError && error.status === 400);
await assert.rejects(new Memory("http://127.0.0.1:9").turn(chat, "hello"), { code: "unreachable" });
console.log("done");
"#;
    std::fs::write(folder.0.join("client.mjs"), script).unwrap();
    let server = Server::start();
    assert_eq!(run(&server, "client.mjs", &[&format!("http://{}", server.address)], &[]), "done\n");
}

#[test]
fn the_guide_to_embedding_shows_examples_that_are_run() {
    let page = std::fs::read_to_string(root().join("docs/embedding.md")).unwrap();
    for example in ["python/examples/openai_chat.py", "typescript/examples/anthropic.ts"] {
        let text = std::fs::read_to_string(root().join("clients").join(example)).unwrap();
        assert!(page.contains(&text), "docs/embedding.md does not show clients/{example} as it is");
    }
}

#[test]
fn the_types_of_the_clients_are_those_of_the_served_description() {
    let (server, folder) = (Server::start(), Folder::new("types"));
    let description = server.get("/openapi.json").body;
    for made in ["python/throughline", "typescript/src"] {
        std::fs::create_dir_all(folder.0.join(made)).unwrap();
    }
    std::fs::write(folder.0.join("openapi.json"), &description).unwrap();
    let generate = root().join("clients/generate.py");
    folder.run(&server.home, "sh", &["-c", &format!("python3 {} . < openapi.json", generate.display())]);
    for file in ["python/throughline/types.py", "typescript/src/types.ts"] {
        let (made, kept) = (folder.0.join(file), root().join("clients").join(file));
        if crate::docs::is_update() {
            std::fs::copy(&made, &kept).unwrap();
        }
        let [made, kept] = [made, kept].map(|path| std::fs::read_to_string(path).unwrap_or_default());
        assert!(made == kept, "clients/{file} is not made from this description; run with UPDATE_DOCS=1");
    }
    for (file, most) in [("python/throughline/client.py", 200), ("typescript/src/index.ts", 200)] {
        let lines = std::fs::read_to_string(root().join("clients").join(file)).unwrap().lines().count();
        assert!(lines <= most, "clients/{file} has {lines} lines");
    }
}
