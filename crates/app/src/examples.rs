//! The examples of the help pages, one row per page. A test checks all pages.

use clap::Command;

/// The words of a command, and its examples: a shell command and its purpose.
type Page = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// Adds the examples to every page of the command line.
pub fn with_examples(command: Command) -> Command {
    with_examples_of(command, &mut Vec::new())
}

fn with_examples_of(command: Command, path: &mut Vec<String>) -> Command {
    let page = PAGES.iter().find(|(words, _)| words.iter().eq(path.iter()));
    let command = match page {
        Some((_, examples)) => command.after_help(text(examples)),
        None => command,
    };
    command.mut_subcommands(|sub| {
        path.push(sub.get_name().to_owned());
        let sub = with_examples_of(sub, path);
        path.pop();
        sub
    })
}

/// The examples of the first page.
pub fn of_first_page() -> String {
    PAGES.iter().find(|(words, _)| words.is_empty()).map(|(_, examples)| text(examples)).unwrap_or_default()
}

fn text(examples: &[(&str, &str)]) -> String {
    let width = examples.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
    let row = |(line, does): &(&str, &str)| format!("  {line:width$}  {does}").trim_end().to_owned();
    let head = if examples.len() == 1 { "Example:" } else { "Examples:" };
    std::iter::once(head.to_owned()).chain(examples.iter().map(row)).collect::<Vec<_>>().join("\n")
}

const PAGES: &[Page] = &[
    (
        &[],
        &[
            ("throughline chat", "talk in the terminal"),
            ("throughline chat \"What did I say about Berlin?\"", "one turn"),
            ("throughline record \"The spare key is with Ana\"", ""),
            ("throughline search \"spare key\"", ""),
            ("throughline context -m \"Where is the key?\" --explain", ""),
            ("throughline serve", "Telegram, routines and HTTP"),
            ("throughline import history.jsonl", "import messages from a file"),
        ],
    ),
    (
        &["install"],
        &[
            ("throughline install claude-code", "show the change and ask"),
            ("throughline install claude-code --dry-run", "only show it"),
            ("throughline install claude-code --uninstall", "take it out again"),
        ],
    ),
    (
        &["hook"],
        &[("throughline hook session-start < input.json", "what Claude Code runs when a session starts")],
    ),
    (
        &["chat"],
        &[
            ("throughline chat", "talk"),
            ("throughline chat \"Who has the spare key?\"", "one turn"),
            ("throughline chat -m @question.txt", "a message from a file"),
            ("git diff | throughline chat -m -", "a message from a pipe"),
            ("throughline chat --json --stream -m hello", "one event on a line, for programs"),
        ],
    ),
    (
        &["onboard"],
        &[
            ("throughline onboard", "ask, step by step"),
            ("throughline onboard --yes --model ollama/gemma3:4b --name Ana", "without questions"),
            ("TELEGRAM_BOT_TOKEN=… TELEGRAM_USER_ID=… throughline onboard --yes", ""),
        ],
    ),
    (
        &["serve"],
        &[
            ("TELEGRAM_BOT_TOKEN=… TELEGRAM_USER_ID=… throughline serve", ""),
            ("throughline serve --listen 127.0.0.1:0", "on any free port"),
        ],
    ),
    (
        &["mcp"],
        &[
            ("throughline mcp", "how a program starts it"),
            ("throughline mcp --chat work", "with the memory of another chat"),
            ("claude mcp add throughline -- throughline mcp", "use it in Claude Code"),
        ],
    ),
    (
        &["send"],
        &[
            ("throughline send --chat telegram:chat:4711 --routine backup \"The backup is done.\"", ""),
            ("df -h | throughline send --chat telegram:chat:4711 --routine disk -", ""),
        ],
    ),
    (&["routine"], &[("throughline routine list", ""), ("throughline routine run morning-summary", "")]),
    (&["routine", "list"], &[("throughline routine list", "")]),
    (&["routine", "run"], &[("throughline routine run morning-summary", "")]),
    (&["routine", "runs"], &[("throughline routine runs morning-summary --limit 5", "")]),
    (&["pairing"], &[("throughline pairing list", ""), ("throughline pairing approve 4KX7-2M", "")]),
    (&["pairing", "list"], &[("throughline pairing list", "")]),
    (&["pairing", "approve"], &[("throughline pairing approve 4KX7-2M", "")]),
    (&["pairing", "reject"], &[("throughline pairing reject 4KX7-2M", "")]),
    (&["pairing", "revoke"], &[("throughline pairing revoke telegram:4711", "")]),
    (
        &["token"],
        &[
            ("throughline token add --name phone", "opens everything"),
            ("throughline token add --name ana --person ana", "opens one person's chats"),
            ("throughline token revoke phone", ""),
        ],
    ),
    (
        &["token", "add"],
        &[
            ("throughline token add --name phone", "opens everything"),
            ("throughline token add --name ana --person ana", "opens one person's chats"),
            ("throughline token add --name shop --chat api:chat:shop", "opens one chat"),
        ],
    ),
    (&["token", "list"], &[("throughline token list", "")]),
    (&["token", "revoke"], &[("throughline token revoke phone", "")]),
    (&["open"], &[("throughline open", "")]),
    (
        &["record"],
        &[
            ("throughline record \"The spare key is with Ana\"", ""),
            ("echo \"$REPLY\" | throughline record --role assistant --json -", "tags honored and taken out"),
            ("throughline record --at 2026-03-02T18:00:00Z --speaker Ana \"On my way\"", ""),
        ],
    ),
    (
        &["context"],
        &[
            ("throughline context -m \"Where is the key?\" --explain", "and why each piece is there"),
            ("throughline context -m \"Where is the key?\" --format messages", "for an API"),
            ("throughline context --no-tags --budget 2000", "without the tags, and small"),
        ],
    ),
    (
        &["search"],
        &[
            ("throughline search \"spare key\"", ""),
            ("throughline search --all \"spare key\"", "in all of your chats"),
            ("throughline search boiler --since 2026-03-01 --kind message", ""),
        ],
    ),
    (&["memory"], &[("throughline memory list", ""), ("throughline memory show 01a1e54c", "")]),
    (&["memory", "list"], &[("throughline memory list --kind goal --all", "")]),
    (&["memory", "show"], &[("throughline memory show 01a1e54c", "with the words that prove it")]),
    (&["memory", "edit"], &[("throughline memory edit 01a1e54c --text \"I live in Berlin\"", "")]),
    (
        &["memory", "history"],
        &[("throughline memory history", ""), ("throughline memory history 01a1e54c", "")],
    ),
    (&["remember"], &[("throughline remember \"I am allergic to peanuts\"", "")]),
    (
        &["forget"],
        &[
            ("throughline forget peanuts", "show the matches and ask"),
            ("throughline forget --id 01a1e54c --yes", "one memory or message"),
            ("throughline forget --undo 01a1e54d", "within a day"),
        ],
    ),
    (&["profile"], &[("throughline profile --chat main", "")]),
    (&["summary"], &[("throughline summary --chat main", "")]),
    (&["backup"], &[("throughline backup ~/throughline-monday.db", "")]),
    (&["restore"], &[("throughline restore ~/throughline-monday.db", "")]),
    (&["encrypt"], &[("throughline encrypt", "with encryption.key_file in config.toml")]),
    (&["decrypt"], &[("throughline decrypt", "")]),
    (
        &["conversations"],
        &[("throughline conversations list", ""), ("throughline conversations show 01a1e54c", "")],
    ),
    (&["conversations", "list"], &[("throughline conversations list --limit 5", "")]),
    (&["conversations", "show"], &[("throughline conversations show 01a1e54c", "by any message of it")]),
    (
        &["import"],
        &[
            ("throughline import history.jsonl", ""),
            ("throughline import chatgpt-export.zip", "ChatGPT, Claude and mem0 are recognized"),
            ("throughline import *.json --format messages --chat work --learn", ""),
            ("throughline import result.json --learn --me \"Ana Lima\"", "from Telegram Desktop"),
            ("throughline import \"WhatsApp Chat with Bo.txt\"", ""),
        ],
    ),
    (
        &["export"],
        &[
            ("throughline export > everything.jsonl", "to be imported again"),
            ("throughline export --chat main --format markdown", "to be read"),
        ],
    ),
    (&["status"], &[("throughline status", "")]),
    (
        &["doctor"],
        &[("throughline doctor", "find problems"), ("throughline doctor --fix", "and repair them")],
    ),
    (&["reindex"], &[("throughline reindex", "")]),
    (&["embedder"], &[("throughline embedder list", ""), ("throughline embedder use minilm", "")]),
    (&["embedder", "list"], &[("throughline embedder list", "")]),
    (
        &["embedder", "use"],
        &[
            ("throughline embedder use minilm", "downloads it once"),
            ("throughline embedder use ollama/nomic-embed-text", ""),
        ],
    ),
    (&["config"], &[("throughline config show", ""), ("throughline config check", "")]),
    (&["config", "show"], &[("throughline config show", "")]),
    (&["config", "check"], &[("throughline config check", "")]),
    (&["config", "schema"], &[("throughline config schema > config.schema.json", "")]),
    (
        &["eval"],
        &[
            ("throughline eval --dataset recall questions.json", ""),
            ("throughline eval --dataset locomo locomo.json --budget 2000,4000", ""),
        ],
    ),
    (&["bench"], &[("throughline bench --only record,search --messages 100000", "")]),
    (&["work"], &[("throughline work", "")]),
    (
        &["completions"],
        &[
            ("echo 'source <(throughline completions bash)' >> ~/.bashrc", "install it in bash"),
            ("echo 'source <(throughline completions zsh)' >> ~/.zshrc", "in zsh"),
            ("throughline completions fish > ~/.config/fish/completions/throughline.fish", "in fish"),
        ],
    ),
];
