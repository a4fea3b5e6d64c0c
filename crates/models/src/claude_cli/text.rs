//! A prompt as the program takes it: one text, and a system text beside it or before it.

use std::borrow::Cow;

use super::ability::Ability;
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
pub(super) fn of<'a>(prompt: &Prompt<'a>, ability: Ability) -> Texts<'a> {
    let system = without_nul(prompt.system);
    let mut input = String::new();
    if !ability.system_prompt_file && !system.is_empty() {
        input.push_str(&format!("[Instructions, from the system:]\n{system}\n\n"));
    }
    if let Some((now, earlier)) = prompt.turns.split_last() {
        for said in earlier {
            input.push_str(&format!("[Earlier, {}:]\n{}\n\n", said.role, without_nul(said.content)));
        }
        if !input.is_empty() {
            input.push_str("[Now, user:]\n");
        }
        input.push_str(&without_nul(now.content));
    }
    // A slash at the very beginning would make it a command of the program.
    if input.starts_with('/') {
        input.insert(0, '\n');
    }
    Texts { system: ability.system_prompt_file.then_some(system), input }
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}
