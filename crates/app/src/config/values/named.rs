//! How a name is read that is a word of its own or a provider's model, such as `offline` or `ollama/gemma3:4b`.

use super::excerpt;
use crate::config::nearest::{did_you_mean, nearest};

/// What becomes of the name behind a provider's.
type Make<T> = fn(String) -> T;

/// Reads one of the words, or a provider and a name behind a slash. An error says the forms and the nearest of them.
pub fn read_name<T: Clone>(
    text: &str,
    words: &[(&str, T)],
    providers: &[(&str, Make<T>)],
    forms: &str,
) -> Result<T, String> {
    let wrong = |offer: &[&str]| {
        Err(format!("cannot be \"{}\"; write {forms}{}", excerpt(text), did_you_mean(offer)))
    };
    let Some((provider, name)) = text.split_once('/') else {
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(value.clone());
        }
        return match providers.iter().any(|(provider, _)| *provider == text) {
            true => wrong(&[&format!("{text}/NAME")]),
            false => wrong(&nearest(text, words.iter().map(|(word, _)| *word), 1)),
        };
    };
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return wrong(&[]);
    }
    if let Some((_, make)) = providers.iter().find(|(known, _)| *known == provider) {
        return Ok(make(name.to_owned()));
    }
    match nearest(provider, providers.iter().map(|(provider, _)| *provider), 1).as_slice() {
        [meant] => wrong(&[&format!("{meant}/{}", excerpt(name))]),
        _ => wrong(&[]),
    }
}
