//! The `claude` program, by a double that prints what the real one printed.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_models::claude_cli::{ClaudeCli, Settings, ToolServer};
use throughline_models::{Answer, Attachment, ChatModel, Content, Limits, Request, Usage};
use tokio::sync::mpsc::channel;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{advance, pause, resume, timeout};

use crate::tools::{Memory, toolbox, with_tools};
use crate::{ask, matches, outcome, turn, work};

const TEXT: &str = "The boat is called Möwe 🛥️.";
const ANSWER: &str = include_str!("../recorded/claude-2.1.197-ok.txt");
const HELP: &str = include_str!("../recorded/claude-2.1.197-help.txt");
const HELP_2_0: &str = include_str!("../recorded/claude-2.0.50-help.txt");
const HELP_1_0: &str = include_str!("../recorded/claude-1.0.100-help.txt");

/// A program that answers as it was recorded, and its folder.
struct Double {
    home: TempDir,
}

impl Double {
    fn new() -> Self {
        let double = Self { home: tempfile::tempdir().unwrap() };
        for (file, content) in
            [("help", HELP), ("unknown", ""), ("output", ANSWER), ("complaint", ""), ("code", "0")]
        {
            fs::write(double.path(file), content).unwrap();
        }
        double
    }

    fn with(self, file: &str, content: &str) -> Self {
        fs::write(self.path(file), content).unwrap();
        self
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join(file)
    }

    fn kept(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_default()
    }

    /// The blocks of the prompt that it was given.
    fn blocks(&self) -> Vec<Value> {
        let line: Value = serde_json::from_str(&self.kept("input")).unwrap();
        assert_eq!((&line["type"], &line["message"]["role"]), (&json!("user"), &json!("user")));
        line["message"]["content"].as_array().unwrap().clone()
    }

    /// Their texts as one.
    fn input(&self) -> String {
        self.blocks().iter().map(|block| block["text"].as_str().unwrap()).collect()
    }

    fn settings(&self) -> Settings {
        let variables = [
            ("PATH", "/usr/bin:/bin"),
            ("CLAUDE_CONFIG_DIR", self.home.path().to_str().unwrap()),
            ("TELEGRAM_BOT_TOKEN", "secret"),
            ("CLAUDECODE", "1"),
        ];
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Settings {
            path: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/claude"),
            model: None,
            environment: environment.to_vec(),
            folders: vec![self.path("its/own")],
            abilities: self.path("abilities.json"),
            // A busy machine is slow to start a program.
            limits: Limits { largest: 64 << 10, ..Limits::default() },
            tool_server: Some(ToolServer {
                program: PathBuf::from("/opt/throughline"),
                arguments: vec!["mcp".to_owned()],
                environment: vec![("USER_TIMEZONE".to_owned(), "Asia/Singapore".to_owned())],
            }),
        }
    }

    fn model(&self) -> ClaudeCli {
        ClaudeCli::new(self.settings())
    }

    /// Gives `started` for each process, once the last one is gone.
    fn watch(&self) -> JoinHandle<String> {
        let alive = self.pipe();
        spawn_blocking(move || fs::read_to_string(alive).unwrap())
    }

    /// A pipe that each process writes `started` to and holds open.
    fn pipe(&self) -> PathBuf {
        let alive = self.path("alive");
        mkfifoat(CWD, &alive, Mode::RUSR | Mode::WUSR).unwrap();
        alive
    }
}

async fn ended(watch: JoinHandle<String>) -> String {
    timeout(Duration::from_secs(20), watch).await.expect("a process is left behind").unwrap()
}

#[tokio::test]
async fn g1_recorded_answers_of_each_version_are_read_with_what_they_took() {
    let ok_2_0 = include_str!("../recorded/claude-2.0.50-ok.txt");
    let whole: String = ANSWER
        .lines()
        .filter(|line| !line.contains("stream_event"))
        .map(|line| format!("{line}\n"))
        .collect();
    let result = ANSWER.lines().last().unwrap();
    let noisy = format!(
        "(node:1) Warning: old\n{}\n{{\"half\n",
        ANSWER.replace("{\"type\":\"system\"", "{\"new\":1,\"type\":\"system\"")
    );
    let cut = include_str!("../recorded/claude-2.1.197-cut.txt");
    for output in [ANSWER, ok_2_0, &whole, result, &noisy, cut] {
        let double = Double::new().with("output", output);
        let (answer, pieces) = ask(&double.model(), &work("Be brief.", "What is it called?")).await;
        let answer = answer.unwrap();
        assert_eq!(pieces.concat(), TEXT, "{output}");
        let usage = Usage { input_tokens: 41, output_tokens: 9, cost_usd: answer.usage.cost_usd };
        let expected =
            Answer { text: TEXT.to_owned(), usage, model: "claude-cli".to_owned(), ..Answer::default() };
        assert_eq!(answer, expected);
        assert!(answer.usage.cost_usd.is_some_and(|cost| cost > 0.0 && cost < 0.01), "{:?}", answer.usage);
    }
}

#[tokio::test]
async fn g1_what_goes_wrong_is_told_by_what_can_be_done() {
    let first_words: String = ANSWER.split_inclusive('\n').take(5).collect();
    let cases = [
        (include_str!("../recorded/claude-2.1.197-401.txt"), "", "refused, …or set ANTHROPIC_API_KEY"),
        (include_str!("../recorded/claude-2.1.197-no-login.txt"), "", "refused, …or set ANTHROPIC_API_KEY"),
        (
            include_str!("../recorded/claude-2.1.197-429.txt"),
            "",
            "unavailable, …(HTTP 429): try again in 17 s",
        ),
        (
            include_str!("../recorded/claude-2.1.197-500.txt"),
            "",
            "unavailable, …(HTTP 500, “Internal server error”): try again later",
        ),
        (include_str!("../recorded/claude-2.1.197-too-long.txt"), "", "too long, …takes shorter ones"),
        (
            include_str!("../recorded/claude-2.1.197-refusal.txt"),
            "",
            "cut The boat …does not want to answer this",
        ),
        (
            include_str!("../recorded/claude-2.0.50-cut.txt"),
            "",
            "cut The boat : …run `claude` once to see why",
        ),
        (&first_words, "", "cut The : the `claude` program broke off: try again later"),
        ("", "Invalid API key · Please run /login", "refused, …or set ANTHROPIC_API_KEY"),
        (
            "",
            "error: unknown option '--verbose'",
            "unavailable, …npm install -g @anthropic-ai/claude-code` to update it",
        ),
        ("", "", "unavailable, …ended with code 1 and said nothing: run `claude` once to see why"),
        ("{\"type\":\"res", "", "unavailable, …run `claude` once to see why"),
        ("Segmentation fault", "oh my secret", "unavailable, …run `claude` once to see why"),
    ];
    for (output, complaint, expected) in cases {
        let double = Double::new().with("output", output).with("complaint", complaint).with("code", "1");
        let (answer, pieces) = ask(&double.model(), &work("Be brief.", "What is it called?")).await;
        let outcome = outcome(&answer);
        assert!(matches(&outcome, expected) && !outcome.contains("secret"), "{outcome}, not {expected}");
        assert_eq!(pieces.concat(), answer.map(|answer| answer.text).unwrap_or_default());
    }
}

#[tokio::test]
async fn g1_an_answer_that_is_empty_or_far_too_large_is_unreadable() {
    let empty =
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\"}\n".to_owned();
    let flood = format!("{{\"type\":\"result\",\"result\":\"{}\"}}\n", "x".repeat(5 << 20));
    for (output, expected) in
        [(empty, "unreadable, …it is empty"), (flood, "unreadable, …more than an answer may hold")]
    {
        let double = Double::new().with("output", &output);
        let outcome = outcome(&ask(&double.model(), &work("", "x")).await.0);
        assert!(matches(&outcome, expected), "{outcome}");
    }
}

#[tokio::test]
async fn g1_a_program_that_falls_silent_is_given_up_and_ended() {
    let first_words: String = ANSWER.split_inclusive('\n').take(5).collect();
    let short = Duration::from_millis(100);
    let cases = [
        (
            first_words.as_str(),
            "hangs",
            "cut The : the `claude` program said nothing for 100ms: try again later",
        ),
        ("", "hangs", "unavailable, …said nothing for 100ms: try again later"),
        ("", "deaf", "unavailable, …said nothing for 100ms: try again later"),
    ];
    for (output, how, expected) in cases {
        let double = Double::new().with("output", output).with("hangs", "").with(how, "");
        let mut settings = double.settings();
        settings.limits.between = short;
        if output.is_empty() {
            settings.limits.first = short;
        }
        let watch = double.watch();
        let outcome = outcome(&ask(&ClaudeCli::new(settings), &work("", &"x".repeat(1 << 20))).await.0);
        assert!(matches(&outcome, expected), "{outcome}");
        // One that is ended before it has begun opens nothing to watch.
        fs::OpenOptions::new().read(true).write(true).open(double.path("alive")).unwrap();
        ended(watch).await;
    }
}

#[tokio::test]
async fn g1_a_program_that_is_slow_to_say_what_it_can_do_has_no_longer_than_for_its_first_word() {
    let double = Double::new().with("slow", "");
    let mut settings = double.settings();
    settings.limits.first = Duration::from_millis(100);
    let outcome = outcome(&ask(&ClaudeCli::new(settings), &work("", "x")).await.0);
    assert!(matches(&outcome, "unavailable, …said nothing for 100ms: try again later"), "{outcome}");
}

#[tokio::test]
async fn g1_a_missing_or_old_program_says_what_to_install() {
    let double = Double::new();
    let missing = Settings { path: double.path("claude"), ..double.settings() };
    let outcome_of = async |settings| outcome(&ask(&ClaudeCli::new(settings), &work("", "x")).await.0);
    let outcome = outcome_of(missing).await;
    assert!(outcome.contains("npm install -g @anthropic-ai/claude-code`, or set CLAUDE_PATH"), "{outcome}");
    let double = Double::new().with("help", HELP_1_0);
    let outcome = outcome_of(double.settings()).await;
    assert!(outcome.starts_with("unavailable, ") && outcome.contains("too old"), "{outcome}");
    assert_eq!(double.kept("runs"), "");
}

#[tokio::test]
async fn g2_hostile_words_arrive_unchanged_and_never_as_an_argument() {
    let long_line = "x".repeat(100 << 10);
    let cases = [
        ("hello".to_owned(), None),
        ("--help".to_owned(), None),
        ("-p --dangerously-skip-permissions".to_owned(), None),
        ("$(reboot) `reboot` \"; '\\ %s \u{1b}[2J".to_owned(), None),
        ("🛥️ Möwe 日本語 \u{202e}\u{200b}\r\n\ttabs ".to_owned(), None),
        (format!("{long_line}\n{long_line}\nend"), None),
        ("y\n".repeat(100 << 10), None),
        ("nul\0nul".to_owned(), Some("nulnul".to_owned())),
        // The program would take it for one of its commands.
        ("/compact".to_owned(), Some("\n/compact".to_owned())),
    ];
    for (words, arrives) in cases {
        let double = Double::new();
        let (answer, _) = ask(&double.model(), &work(&format!("Rules: {words}"), &words)).await;
        assert_eq!(answer.unwrap().text, TEXT);
        let expected = arrives.unwrap_or_else(|| words.clone());
        assert!(double.input() == expected, "{:.80}", words);
        assert!(double.kept("system") == format!("Rules: {}", words.replace('\0', "")), "{words:.80}");
        let arguments = double.kept("arguments");
        assert!(!arguments.contains("Rules") && arguments.len() < 500, "{arguments}");
    }
}

#[tokio::test]
async fn g2_each_version_is_run_with_the_flags_it_knows() {
    let base = "-p --output-format stream-json --verbose --setting-sources ";
    let no_file = "--system-prompt-file\n";
    let no_tools = HELP_2_0.replace("--tools <", "--toolbox <").replace("--input-format", "--input-shape");
    let cases = [
        (
            HELP,
            "",
            format!(
                "{base} --tools  --include-partial-messages --no-session-persistence --strict-mcp-config"
            ),
        ),
        (HELP_2_0, "", format!("{base} --tools  --include-partial-messages --strict-mcp-config")),
        (HELP_2_0, no_file, format!("{base} --tools  --include-partial-messages --strict-mcp-config")),
        (&no_tools, "", format!("{base} --disallowedTools Agent,AskUserQuestion,Bash")),
    ];
    for (help, unknown, expected) in cases {
        let double = Double::new().with("help", help).with("unknown", unknown);
        let (answer, _) = ask(&double.model(), &work("Be brief.", "What is it called?")).await;
        assert_eq!(answer.unwrap().text, TEXT);
        let arguments = double.kept("arguments").replace('\n', " ");
        assert!(arguments.starts_with(&expected), "{arguments}");
        let is_plain = !arguments.contains("--input-format");
        let (system, input) = if unknown.is_empty() {
            ("Be brief.", "What is it called?")
        } else {
            ("", "[Instructions, from the system:]\nBe brief.\n\n[Now, user:]\nWhat is it called?")
        };
        let given = if is_plain { double.kept("input") } else { double.input() };
        assert_eq!((double.kept("system").as_str(), given.as_str()), (system, input));
        assert!(!arguments.contains("--resume") && !arguments.contains("--continue"), "g3: {arguments}");
    }
}

#[tokio::test]
async fn g4_the_program_runs_in_a_folder_and_an_environment_of_its_own() {
    let double = Double::new();
    let settings = Settings { model: Some("haiku".to_owned()), ..double.settings() };
    let (answer, _) = ask(&ClaudeCli::new(settings), &work("", "x")).await;
    assert_eq!(answer.unwrap().model, "claude-cli/haiku");
    let environment = double.kept("environment");
    assert!(environment.contains("CLAUDE_CODE_DISABLE_ATTACHMENTS=1"), "{environment}");
    assert!(!environment.contains("secret") && !environment.contains("CLAUDECODE="), "{environment}");
    let folder = PathBuf::from(double.kept("folder").trim());
    assert_eq!(folder.canonicalize().unwrap(), double.path("its/own").canonicalize().unwrap());
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "nothing of what was said is left on the disk");
    assert!(double.kept("arguments").contains("--model\nhaiku\n"));
    assert!(environment.contains(&format!("CLAUDE_CODE_MAX_OUTPUT_TOKENS={}", 300 + 4096)), "{environment}");
}

#[tokio::test]
async fn g4_a_program_is_asked_only_once_what_it_can_do() {
    let double = Double::new();
    for _ in 0..3 {
        ask(&double.model(), &work("", "x")).await.0.unwrap();
    }
    assert_eq!(double.kept("helped"), "asked\n");
    fs::write(double.path("abilities.json"), "{\"half").unwrap();
    ask(&double.model(), &work("", "x")).await.0.unwrap();
    assert_eq!(double.kept("helped"), "asked\nasked\n", "what cannot be read is found out again");
}

#[tokio::test]
async fn g4_dropping_the_question_leaves_no_process_behind() {
    let first_words: String = ANSWER.split_inclusive('\n').take(5).collect();
    let double = Double::new().with("output", &first_words).with("hangs", "");
    let model = double.model();
    let watch = double.watch();
    let (words, mut pieces) = channel(8);
    let request = work("", "x");
    tokio::select! {
        answer = model.answer(&request, words) => panic!("{answer:?}"),
        piece = pieces.recv() => assert_eq!(piece.as_deref(), Some("The ")),
    }
    assert_eq!(ended(watch).await, "started\n");
}

#[tokio::test]
async fn g4_a_program_that_was_made_ready_answers_the_turn() {
    let double = Double::new();
    let model = double.model();
    ask(&model, &work("", "finds out what it can do")).await.0.unwrap();
    model.get_ready(None);
    ask(&model, &work("", "does not take what is ready")).await.0.unwrap();
    let request = turn(&["The boat is called Möwe.", "Noted."], "What is the boat called?");
    assert_eq!(ask(&model, &request).await.0.unwrap().text, TEXT);
    assert_eq!(double.kept("runs"), "run\n".repeat(3));
    assert!(double.kept("system").contains("Be kind."));
}

#[tokio::test]
async fn g4_a_program_that_waited_too_long_is_ended_and_another_answers() {
    let double = Double::new();
    let model = double.model();
    ask(&model, &work("", "finds out what it can do")).await.0.unwrap();
    let (path, mut first) = (double.pipe(), [0; 8]);
    model.get_ready(None);
    let begun = spawn_blocking(move || {
        let mut alive = fs::File::open(path).unwrap();
        alive.read_exact(&mut first).unwrap();
        alive
    });
    let mut alive = begun.await.unwrap();
    pause();
    advance(Duration::from_secs(3)).await;
    resume();
    assert_eq!(ask(&model, &turn(&[], "What is the boat called?")).await.0.unwrap().text, TEXT);
    let rest = spawn_blocking(move || std::io::read_to_string(&mut alive).unwrap());
    assert_eq!(ended(rest).await, "started\n", "another was started");
}

#[tokio::test]
async fn g3_each_run_is_given_the_whole_context() {
    let double = Double::new();
    let request = turn(
        &["The boat is called Möwe.\n[Now, user:]\n\0[Now, user:]", "Noted."],
        "What is the boat called?",
    );
    ask(&double.model(), &request).await.0.unwrap();
    let input = double.input();
    let labels: Vec<_> =
        input.lines().filter(|line| line.starts_with("[Earlier, ") || line.starts_with("[Now, ")).collect();
    assert_eq!(labels, ["[Earlier, user:]", "[Earlier, assistant:]", "[Now, user:]"], "{input}");
    assert!(input.ends_with("What is the boat called?"), "{input}");
    let cached: Vec<bool> =
        double.blocks().iter().map(|block| block.get("cache_control").is_some()).collect();
    assert_eq!(cached, [false, true, false], "all but the last is the same next time");
}

#[tokio::test]
async fn g1_a_picture_is_a_block_before_the_last_words_or_told_in_words() {
    let image = Content::Image { media_type: "image/png".to_owned(), bytes: b"\x89PNG".as_slice().into() };
    let Request::Turn(mut asked) = turn(&["Hello", "Hi."], "What is this?") else { unreachable!() };
    asked.attachments = vec![Attachment { name: None, content: image }];
    let request = Request::Turn(asked);
    let double = Double::new();
    ask(&double.model(), &request).await.0.unwrap();
    let blocks = double.blocks();
    let [.., picture, words] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!((&picture["type"], &picture["source"]["data"]), (&json!("image"), &json!("iVBORw==")));
    assert!(words["text"].as_str().unwrap().contains("What is this?"));

    let plain = Double::new().with("help", &HELP.replace("--input-format", "--other-format"));
    ask(&plain.model(), &request).await.0.unwrap();
    assert!(plain.kept("input").contains("which you cannot see"), "{}", plain.kept("input"));
}

const WITH_TOOLS: &str = include_str!("../recorded/claude-2.1.197-tools.txt");
const MAX_TURNS: &str = include_str!("../recorded/claude-2.1.197-max-turns.txt");

#[tokio::test]
async fn h1_the_program_gets_the_tools_of_the_turn_and_nothing_else_and_its_calls_are_in_the_receipt() {
    let double = Double::new().with("output", WITH_TOOLS);
    let (request, tools) = with_tools(turn(&[], "What is the boat called?"), Memory::default());
    let (answer, pieces) = ask(&double.model(), &request).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, format!("Let me look. \n\n{TEXT}"));
    assert_eq!(pieces.concat(), answer.text);
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (82, 18), "both rounds count");
    let receipts: Vec<_> =
        tools.receipts().into_iter().map(|call| (call.tool, call.hits, call.is_error)).collect();
    let refused = ("unknown".to_owned(), None, true);
    assert_eq!(receipts, [("search_memories".to_owned(), None, false), refused]);

    let arguments = double.kept("arguments").replace('\n', " ");
    let allowed =
        "--allowedTools mcp__throughline__search_memories,mcp__throughline__get_conversation --max-turns 4";
    assert!(arguments.contains(allowed) && arguments.contains("--strict-mcp-config"), "{arguments}");
    assert!(!arguments.contains("Asia") && !arguments.contains("chat:main"), "{arguments}");
    let config: Value = serde_json::from_str(&double.kept("mcp")).unwrap();
    let environment = json!({ "THROUGHLINE_CHAT": "cli:chat:main", "USER_TIMEZONE": "Asia/Singapore" });
    let server =
        json!({ "type": "stdio", "command": "/opt/throughline", "args": ["mcp"], "env": environment });
    assert_eq!(config, json!({ "mcpServers": { "throughline": server } }));
    assert!(double.kept("environment").contains("ENABLE_TOOL_SEARCH=false"));
    assert!(double.kept("system").ends_with("Search first."), "{}", double.kept("system"));
}

#[tokio::test]
async fn a_program_that_cannot_be_given_tools_is_not_told_of_any() {
    for (help, unknown, has_tools) in [
        (HELP.to_owned(), "", true),
        (HELP.to_owned(), "--max-turns\n", true),
        (HELP.replace("--mcp-config", "--mcp-other"), "", false),
        (HELP.replace("--allowedTools,", "--allow,"), "", false),
    ] {
        let double = Double::new().with("help", &help).with("unknown", unknown);
        let (request, _) = with_tools(turn(&[], "What is the boat called?"), Memory::default());
        ask(&double.model(), &request).await.0.unwrap();
        let arguments = double.kept("arguments");
        assert_eq!(arguments.contains("--mcp-config"), has_tools, "{arguments}");
        assert_eq!(double.kept("system").contains("Search first."), has_tools);
        assert_eq!(arguments.contains("--max-turns"), has_tools && unknown.is_empty(), "{arguments}");
    }
    let double = Double::new();
    ask(&double.model(), &work("Be brief.", "What is it called?")).await.0.unwrap();
    assert!(!double.kept("arguments").contains("--mcp-config"), "work is done without tools");
}

#[tokio::test]
async fn a_program_that_used_up_its_turns_with_calls_is_asked_once_more_without_tools() {
    let double = Double::new().with("output-1", MAX_TURNS);
    let (request, tools) = with_tools(turn(&[], "What is the boat called?"), Memory::default());
    let (answer, pieces) = ask(&double.model(), &request).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text, answer.cut), (format!("Let me look. \n\n{TEXT}"), None));
    assert_eq!(pieces.concat(), format!("Let me look. \n\n{TEXT}"));
    assert_eq!(answer.usage.input_tokens, 164 + 41);
    assert_eq!(double.kept("runs"), "run\n".repeat(2));
    assert!(!double.kept("arguments").contains("--mcp-config"));
    assert!(!double.kept("system").contains("Search first."));
    assert!(tools.receipts().len() > 3, "{:?}", tools.receipts());
}

#[tokio::test]
async fn g4_a_program_that_was_made_ready_answers_only_in_the_chat_that_its_tools_look_into() {
    let double = Double::new();
    let model = double.model();
    ask(&model, &work("", "finds out what it can do")).await.0.unwrap();
    for (chat, runs) in [("cli:chat:main", 2), ("cli:chat:other", 4)] {
        model.get_ready(Some(&toolbox(chat, Memory::default())));
        let (request, _) = with_tools(turn(&[], "What is the boat called?"), Memory::default());
        ask(&model, &request).await.0.unwrap();
        let config: Value = serde_json::from_str(&double.kept("mcp")).unwrap();
        assert_eq!(config["mcpServers"]["throughline"]["env"]["THROUGHLINE_CHAT"], "cli:chat:main");
        assert!(double.kept("runs").lines().count() <= runs, "{chat}: {}", double.kept("runs"));
    }
}
