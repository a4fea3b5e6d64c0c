//! A prompt as the program takes it: blocks, and a system text beside them or before them. The program sends them as one
//! message, in which a provider's cache can keep all blocks but the last. Turns would each be answered, and paid.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::ability::Ability;
use crate::anthropic;
use crate::prompt::Prompt;

/// What the program is given to read.
pub(super) struct Texts<'a> {
    /// In a file, if the program can read one.
    pub(super) system: Option<Cow<'a, str>>,
    /// On its standard input.
    pub(super) input: String,
}

/// The texts of a prompt. The labels begin with a bracket and hold a comma: what looks like that in stored words was
/// marked when the turns were written.
pub(super) fn of<'a>(prompt: &'a Prompt<'_>, ability: Ability) -> Texts<'a> {
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
    // A slash at the very beginning would make it a command of the program.
    if let Some(first) = blocks.first_mut().filter(|first| first.starts_with('/')) {
        first.insert(0, '\n');
    }
    let input = if ability.blocks { message(&blocks, prompt) } else { blocks.concat() };
    Texts { system: ability.system_prompt_file.then_some(system), input }
}

/// The line that the program reads. All blocks but the last are the same next time, so the cache ends with them; the
/// program itself has marks for its system texts and the end, and a server takes one more. Files stand before the last.
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
