//! Names that are a word, such as `offline`, or a provider's model, such as `ollama/gemma3:4b`.

use serde_json::{Value as Json, json};

use super::embedder::EmbedderChoice;
use super::model::ModelChoice;
use super::{Given, Value, excerpt};
use crate::config::nearest::{did_you_mean, nearest};

/// One form of a name.
pub enum Form<T> {
    /// A word with its value.
    Word(&'static str, T),
    /// A provider's name, and the function from the model's name after the slash to the value.
    Provider(&'static str, fn(String) -> T),
}

/// A setting whose value is a word or a provider's model.
pub trait Named: Clone + 'static {
    /// Every form, in the order in which errors list them.
    const FORMS: &'static [Form<Self>];
}

macro_rules! value_by_name {
    ($($name:ty),*) => {$(
        impl Value for $name {
            fn read(given: Given<'_>) -> Result<Self, String> {
                read_name(given.text()?)
            }

            fn shown(&self) -> Json {
                json!(self.to_string())
            }

            fn schema() -> Json {
                name_schema::<Self>()
            }
        }
    )*};
}

value_by_name!(EmbedderChoice, ModelChoice);

fn words<T: Named>() -> impl Iterator<Item = (&'static str, &'static T)> {
    T::FORMS.iter().filter_map(|form| match form {
        Form::Word(word, value) => Some((*word, value)),
        Form::Provider(..) => None,
    })
}

fn providers<T: Named>() -> impl Iterator<Item = (&'static str, fn(String) -> T)> {
    T::FORMS.iter().filter_map(|form| match form {
        Form::Provider(provider, make) => Some((*provider, *make)),
        Form::Word(..) => None,
    })
}

/// The forms as a list in a sentence: `auto, ollama/NAME or offline`.
fn listed<T: Named>() -> String {
    let forms: Vec<String> = (T::FORMS.iter())
        .map(|form| match form {
            Form::Word(word, _) => (*word).to_owned(),
            Form::Provider(provider, _) => format!("{provider}/NAME"),
        })
        .collect();
    match forms.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => forms.concat(),
    }
}

/// Parses a name. The error lists the forms and suggests the nearest.
pub fn read_name<T: Named>(text: &str) -> Result<T, String> {
    let wrong = |offer: &[&str]| {
        Err(format!("cannot be \"{}\"; write {}{}", excerpt(text), listed::<T>(), did_you_mean(offer)))
    };
    let Some((provider, name)) = text.split_once('/') else {
        if let Some((_, value)) = words::<T>().find(|(word, _)| *word == text) {
            return Ok(value.clone());
        }
        return match providers::<T>().any(|(provider, _)| provider == text) {
            true => wrong(&[&format!("{text}/NAME")]),
            false => wrong(&nearest(text, words::<T>().map(|(word, _)| word), 1)),
        };
    };
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return wrong(&[]);
    }
    if let Some((_, make)) = providers::<T>().find(|(known, _)| *known == provider) {
        return Ok(make(name.to_owned()));
    }
    match nearest(provider, providers::<T>().map(|(provider, _)| provider), 1).as_slice() {
        [meant] => wrong(&[&format!("{meant}/{}", excerpt(name))]),
        _ => wrong(&[]),
    }
}

/// The JSON Schema of a name.
fn name_schema<T: Named>() -> Json {
    let words = words::<T>().map(|(word, _)| word).collect::<Vec<_>>().join("|");
    let providers = providers::<T>().map(|(provider, _)| provider).collect::<Vec<_>>().join("|");
    json!({"type": "string", "pattern": format!(r"^({words}|({providers})/\S+)$")})
}
