//! The prompt in the program's format: blocks, with a system text beside or before them. The program sends them as
//! one message, of which the provider can cache all blocks but the last. Separate turns would each be answered and
//! paid.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::ability::Ability;
use crate::anthropic;
use crate::prompt::Prompt;

/// The texts for the program.
pub(super) struct Texts<'a> {
    /// The system text, in a file if the program can read one.
    pub(super) system: Option<Cow<'a, str>>,
    /// The text for its standard input.
    pub(super) input: String,
}

/// Formats a prompt. A label begins with a bracket and contains a comma; similar stored text was escaped when the
/// turns were rendered.
pub(super) fn format_prompt<'a>(prompt: &'a Prompt<'_>, ability: Ability) -> Texts<'a> {
    let system = without_nul(&prompt.system);
    let mut blocks = Vec::new();
    if !ability.system_prompt_file && !system.is_empty() {
        blocks.push(format!("[Instructions, from the system:]\n{system}\n\n"));
    }
    if let Some((now, earlier)) = prompt.turns.split_last() {
        let said = earlier
            .iter()
            .map(|said| format!("[Earlier, {}:]\n{}\n\n", said.role, without_nul(&said.content)));
        blocks.extend(said);
        let label = if blocks.is_empty() { "" } else { "[Now, user:]\n" };
        blocks.push(format!("{label}{}", without_nul(&now.content)));
    }
    // A slash at the beginning would be a command of the program.
    if let Some(first) = blocks.first_mut().filter(|first| first.starts_with('/')) {
        first.insert(0, '\n');
    }
    let input = if ability.blocks { message(&blocks, prompt) } else { blocks.concat() };
    Texts { system: ability.system_prompt_file.then_some(system), input }
}

/// The input line. All blocks but the last repeat in the next request, so the cache ends there; the program marks its
/// system texts and the end itself, and the API allows one more mark. Files come before the last block.
fn message(blocks: &[String], prompt: &Prompt<'_>) -> String {
    let stable = blocks.len().checked_sub(2);
    let block = |(index, text): (usize, &String)| match stable {
        Some(last) if last == index => {
            json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
        }
        _ => json!({ "type": "text", "text": text }),
    };
    let mut content: Vec<Value> = blocks.iter().enumerate().map(block).collect();
    let files = anthropic::blocks(&prompt.attachments);
    let last = content.len().saturating_sub(1);
    content.splice(last..last, files);
    format!("{}\n", json!({ "type": "user", "message": { "role": "user", "content": content } }))
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}
