//! The program itself, in versions with different hooks and transcripts, against a double of the Messages API.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::{Home, Ran};

/// The folders of the versions that `./test` installs: without ids of prompts, with them, and the newest.
const VERSIONS: [&str; 3] = ["clients-2.0.50", "clients", "clients-2.1.326"];

const TOLD: &str = "The staging database is called heron and listens on port 6543.";
const ASKED: &str = "Which port does the staging database listen on?";

/// A version of Claude Code that our hooks are installed in.
struct Claude {
    home: Home,
    program: PathBuf,
}

impl Claude {
    fn installed(version: &str, server: &MessagesServer) -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target").join(version);
        let program = folder.join("node_modules/.bin/claude");
        assert!(program.exists(), "{} is missing: run ./test", program.display());
        let home = Home::new()
            .with("ANTHROPIC_BASE_URL", &server.url())
            .with("ANTHROPIC_API_KEY", "test")
            .with("DISABLE_TELEMETRY", "1")
            .with("DISABLE_ERROR_REPORTING", "1")
            .with("DISABLE_AUTOUPDATER", "1")
            .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            // The machine may be busy.
            .configured("[claude_code]\nhook_ms = 20000\n");
        std::fs::create_dir(home.beside("shop")).unwrap();
        let installed = home.ok(&["install", "claude-code", "--yes"]);
        assert!(installed.contains("connected"), "{installed}");
        Self { home, program: program.canonicalize().unwrap() }
    }

    /// A session with one prompt.
    fn session(&self, prompt: &str) -> Child {
        use std::os::unix::process::CommandExt;
        let mut command = self.home.bare(self.program.to_str().unwrap());
        command.args(["-p", prompt]).current_dir(self.home.beside("shop")).process_group(0);
        command.stdin(Stdio::null()).spawn().unwrap()
    }

    fn answered(&self, prompt: &str) -> String {
        let ran = Ran::from(self.session(prompt));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    }

    /// What is recorded of the folder, once the transcripts are in.
    fn recorded(&self) -> Vec<(String, String)> {
        self.home.json(&["import", "claude-code"]);
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        self.home.exported().iter().map(|line| (text(line, "role"), text(line, "text"))).collect()
    }
}

/// The requests that carry a text.
fn with_text(server: &MessagesServer, text: &str) -> Vec<String> {
    server.asked().iter().map(Value::to_string).filter(|request| request.contains(text)).collect()
}

/// Runs a test for each version side by side.
fn in_each_version(test: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for version in VERSIONS {
            let test = &test;
            scope.spawn(move || test(version));
        }
    });
}

#[test]
fn l1_a_second_session_of_the_real_program_knows_what_the_first_was_told() {
    in_each_version(|version| {
        let server = MessagesServer::start(|_| Answer::Says("All right.".to_owned()));
        server.serve(|| {
            let claude = Claude::installed(version, &server);
            assert_eq!(claude.answered(TOLD).trim(), "All right.", "{version}");
            claude.answered(ASKED);
            let request = with_text(&server, ASKED).pop().unwrap_or_else(|| panic!("{version}: not asked"));
            assert!(request.contains("throughline-memory"), "{version}: no memory in the request");
            assert!(request.contains("heron and listens on port 6543"), "{version}: {request}");
            let said = claude.recorded();
            let expected =
                [("user", TOLD), ("assistant", "All right."), ("user", ASKED), ("assistant", "All right.")];
            let expected = expected.map(|(role, text)| (role.to_owned(), text.to_owned()));
            assert_eq!(said, expected, "{version}: hooks and transcripts tell the same, once");
            claude.home.ok(&["install", "claude-code", "--uninstall", "--yes"]);
            let before = server.asked().len();
            claude.answered("Which port was it again?");
            let later = server.asked().split_off(before);
            assert!(
                later.iter().all(|request| !request.to_string().contains("throughline-memory")),
                "{version}"
            );
        });
    });
}

#[test]
fn c1_a_session_that_is_killed_in_the_middle_of_a_turn_loses_nothing_that_was_said() {
    in_each_version(|version| {
        let (sender, asked) = mpsc::channel();
        let sender = Mutex::new(sender);
        let server = MessagesServer::start(move |request| {
            let request = request.to_string();
            match request.contains("parrot is called Kiko")
                && !request.contains("throughline-memory>\\nRecalled")
            {
                true => {
                    let _ = sender.lock().unwrap().send(());
                    Answer::Pauses("One ".to_owned(), Duration::from_secs(60), "moment.".to_owned())
                }
                false => Answer::Says("Kiko.".to_owned()),
            }
        });
        server.serve(|| {
            let claude = Claude::installed(version, &server);
            let mut killed = claude.session("My parrot is called Kiko and talks at night.");
            asked
                .recv_timeout(Duration::from_secs(60))
                .unwrap_or_else(|_| panic!("{version}: nothing was asked"));
            let group = rustix::process::Pid::from_raw(i32::try_from(killed.id()).unwrap()).unwrap();
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
            killed.wait().unwrap();
            claude.answered("What is the name of my parrot that talks at night?");
            let request = with_text(&server, "What is the name of my parrot").pop().unwrap();
            assert!(request.contains("My parrot is called Kiko"), "{version}: {request}");
            let said: Vec<String> = claude.recorded().into_iter().map(|(_, text)| text).collect();
            let told = said.iter().filter(|text| text.contains("called Kiko")).count();
            assert_eq!(told, 1, "{version}: {said:?}");
        });
    });
}
