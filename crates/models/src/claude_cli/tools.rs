//! The tools of a turn: the program starts a server for them, and may call these tools and nothing else.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::ability::Ability;
use crate::Toolbox;
use crate::wire::MAX_ROUNDS;

/// The server's name in the program.
const NAME: &str = "throughline";
/// The variable that names the server's chat.
const CHAT: &str = "THROUGHLINE_CHAT";

/// The command of a tool server that speaks MCP over its standard input and output.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolServer {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Additional environment variables.
    pub environment: Vec<(String, String)>,
}

impl ToolServer {
    /// The configuration for a turn. It is passed through a pipe, because variables on the command line would be
    /// visible in the process list.
    pub(super) fn config(&self, toolbox: &Toolbox) -> String {
        let variables = self.environment.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let variables = variables.chain([(CHAT, toolbox.chat.to_string())]);
        let environment: Map<String, Value> =
            variables.map(|(name, value)| (name.to_owned(), value.into())).collect();
        let server = json!({
            "type": "stdio",
            "command": self.program.to_string_lossy(),
            "args": self.arguments,
            "env": environment,
        });
        json!({ "mcpServers": { NAME: server } }).to_string()
    }
}

/// The flags that allow the tools and nothing else.
pub(super) fn flags(toolbox: &Toolbox, ability: Ability) -> Vec<String> {
    let names: Vec<String> =
        toolbox.definitions.iter().map(|tool| format!("mcp__{NAME}__{}", tool.name)).collect();
    let mut flags = vec!["--allowedTools".to_owned(), names.join(",")];
    if ability.max_turns {
        // The last turn is for the answer.
        flags.extend(["--max-turns".to_owned(), (MAX_ROUNDS + 1).to_string()]);
    }
    flags
}

/// The toolbox's name of a tool that the program calls by a longer name.
pub(super) fn own_name(name: &str) -> &str {
    let own = name.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(NAME));
    own.and_then(|rest| rest.strip_prefix("__")).unwrap_or(name)
}
