//! The program's environment.

use crate::environment::is_inherited;

/// Variables that it inherits besides the common ones, to log in and to reach its server.
const INHERITED: [&str; 10] = [
    "NODE_EXTRA_CA_CERTS",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLOUD_ML_REGION",
];
const INHERITED_PREFIXES: [&str; 3] = ["ANTHROPIC_", "GOOGLE_", "VERTEX_REGION_"];

/// Variables that control its behavior.
const SET: [(&str, &str); 11] = [
    // Without this, hooks that the person installed would record our prompts as the person's words.
    ("THROUGHLINE_HOOKS", "off"),
    // Without this, `@path` in a person's words would send that local file along.
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"),
    // Without this, it retries for minutes, while another model could have answered.
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    // Without this, newer versions hide the servers' tools until their model searches for them.
    ("ENABLE_TOOL_SEARCH", "false"),
    // Without this, it asks its model without the tools if their server starts slowly.
    ("MCP_CONNECTION_NONBLOCKING", "false"),
    // In milliseconds: for the start of the tool server, and for one call.
    ("MCP_TIMEOUT", "5000"),
    ("MCP_TOOL_TIMEOUT", "10000"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// The program's environment.
pub(super) fn environment(ours: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    let is_passed_on = |name: &str| {
        is_inherited(name, &INHERITED) || INHERITED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let passed = ours.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    passed.filter(move |(name, _)| is_passed_on(name)).chain(SET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g4_the_program_sees_nothing_of_this_process_but_what_it_needs() {
        let ours = [
            "HOME",
            "LC_ALL",
            "ANTHROPIC_API_KEY",
            "AWS_REGION",
            "TELEGRAM_BOT_TOKEN",
            "OPENAI_API_KEY",
            "THROUGHLINE_API_TOKEN",
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_MAX_RETRIES",
            "NODE_OPTIONS",
            "LD_PRELOAD",
        ];
        let ours: Vec<_> = ours.iter().map(|name| ((*name).to_owned(), "ours".to_owned())).collect();
        let passed: Vec<_> =
            environment(&ours).filter(|(_, value)| *value == "ours").map(|(name, _)| name).collect();
        assert_eq!(passed, ["HOME", "LC_ALL", "ANTHROPIC_API_KEY", "AWS_REGION"]);
    }
}
