//! Connects a model: the person chooses one of the available models, and a cheap request tests it.

use throughline_models::Error;

use super::ask::Person;
use super::draft::{Draft, SecretKey};
use super::offers::{Offer, OfferedProvider, source};
use crate::config::problem::Source;
use crate::config::settings::{OPENAI, Settings};
use crate::config::values::address::Url;
use crate::config::values::model::ModelChoice;
use crate::config::values::secret::Secret;
use crate::config::values::{Given, Raw, Value};
use crate::output::Failure;
use crate::wire::App;

/// A provider, and its model if that is known before the provider's server is asked.
type Choice = (OfferedProvider, Option<ModelChoice>);

/// The result of trying one provider.
enum Outcome {
    /// The model responds with these settings.
    Connected(Box<Settings>),
    /// The model does not respond, and the person was told why.
    Failed,
}

/// Lets the person choose a model until one responds, or they keep the current one.
pub async fn choose(app: &App, draft: &mut Draft, person: Person, offers: &[Offer]) -> Result<App, Failure> {
    list(person, offers)?;
    let now = default(app, offers);
    let mut has_failed = false;
    loop {
        let shown = match (&now, has_failed) {
            (Some((_, Some(choice))), false) => choice.to_string(),
            (Some((provider, None)), false) => number_of(provider, offers),
            _ => "leave it as it is".to_owned(),
        };
        let answer = person.ask(&format!("Which one answers? [{shown}]: "))?.unwrap_or_default();
        let (provider, choice) = match (answer.as_str(), &now) {
            ("", None) => return Ok(app.clone()),
            ("", Some(_)) if has_failed => return Ok(app.clone()),
            ("", Some(chosen)) => chosen.clone(),
            (answer, _) => match parse_answer(answer, app, offers) {
                Ok(chosen) => chosen,
                Err(why) => {
                    person.say(&why)?;
                    continue;
                }
            },
        };
        match connect(app, draft, person, &provider, choice).await? {
            Outcome::Connected(settings) => {
                write(app, draft, &settings)?;
                return Ok(App { settings: *settings, ..app.clone() });
            }
            Outcome::Failed => has_failed = true,
        }
    }
}

/// Sends a test request to the model, and prints the result.
pub async fn test(app: &App, person: Option<Person>) -> Result<(), Error> {
    let say = |line: &str| person.map_or(Ok(()), |person| person.say(line));
    let unusable = |failure: Failure| Error::Refused(failure.into_sentence());
    // The fallbacks are removed, because they would hide a failure.
    let mut alone = app.clone();
    alone.settings.small_model = None;
    alone.settings.fallback = Vec::new();
    let models = alone.models().await.map_err(unusable)?;
    if app.settings.model == ModelChoice::Offline {
        return Ok(());
    }
    let _ = say(&format!("Asking {} for one word…", app.settings.model));
    let cost = models.probe().await?;
    let cost = cost.filter(|usd| *usd > 0.0).map(|usd| format!(", for ${usd:.5}")).unwrap_or_default();
    let mark = person.map(|person| person.output.style().good("✓")).unwrap_or_default();
    let _ = say(&format!("{mark} {} answers{cost}", app.settings.model));
    Ok(())
}

/// The reason of a failure, without advice about a variable that the person did not set.
pub fn reason(error: &Error) -> String {
    let (Error::Unavailable(why) | Error::TooLong(why) | Error::Refused(why) | Error::Unreadable(why)) =
        error
    else {
        return error.to_string();
    };
    ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]
        .iter()
        .find_map(|name| why.strip_suffix(&format!(": check {name}")))
        .unwrap_or(why)
        .to_owned()
}

fn list(person: Person, offers: &[Offer]) -> Result<(), Failure> {
    let style = person.output.style();
    person.say(&style.bold("Model"))?;
    let width = offers.iter().map(|offer| offer.name.chars().count()).max().unwrap_or_default();
    for (offer, number) in offers.iter().zip(1..) {
        let state = if offer.is_ready { offer.state.clone() } else { style.dim(&offer.state) };
        person.say(&format!("{number:3}  {:width$}  {state}", offer.name))?;
    }
    person.say(&style.dim("A number, a name such as claude-cli/haiku, or a server's address."))
}

/// The choice for Enter: the model in the settings, or else the first ready provider. `None` for the built-in model,
/// which is used anyway until there is another.
fn default(app: &App, offers: &[Offer]) -> Option<Choice> {
    match &app.settings.model {
        ModelChoice::Auto => {
            let ready =
                offers.iter().find(|offer| offer.is_ready && offer.provider != OfferedProvider::Offline)?;
            Some((ready.provider.clone(), ready.provider.usual()))
        }
        choice => Some((way_of(choice, offers), Some(choice.clone()))),
    }
}

fn way_of(choice: &ModelChoice, offers: &[Offer]) -> OfferedProvider {
    let known = offers.iter().find(|offer| offer.provider.is_of(choice));
    known.map_or(OfferedProvider::Offline, |offer| offer.provider.clone())
}

fn number_of(provider: &OfferedProvider, offers: &[Offer]) -> String {
    let index = offers.iter().position(|offer| offer.provider == *provider);
    index.map(|index| (index + 1).to_string()).unwrap_or_default()
}

/// Parses an answer into a provider and, if known, a model. An answer is a number or word of the list, or a model's
/// name.
fn parse_answer(answer: &str, app: &App, offers: &[Offer]) -> Result<Choice, String> {
    let by_number = || answer.parse::<usize>().ok()?.checked_sub(1).and_then(|index| offers.get(index));
    let by_word = || offers.iter().find(|offer| offer.provider.word() == answer);
    if let Some(offer) = by_number().or_else(by_word) {
        // The same provider keeps its chosen model.
        let kept = Some(&app.settings.model).filter(|model| offer.provider.is_of(model)).cloned();
        return Ok((offer.provider.clone(), kept.or_else(|| offer.provider.usual())));
    }
    if answer.starts_with("http://") || answer.starts_with("https://") {
        return read_address(answer).map(|_| (OfferedProvider::Server(Some(answer.to_owned())), None));
    }
    if answer.parse::<u32>().is_ok() {
        return Err(format!("There are the numbers 1 to {}.", offers.len()));
    }
    match read::<ModelChoice>(answer) {
        Ok(ModelChoice::Auto) => Err("Choose the one that auto should find.".to_owned()),
        Ok(choice) => Ok((way_of(&choice, offers), Some(choice))),
        Err(why) => Err(sentence("That name", &why)),
    }
}

async fn connect(
    app: &App,
    draft: &mut Draft,
    person: Person,
    provider: &OfferedProvider,
    choice: Option<ModelChoice>,
) -> Result<Outcome, Failure> {
    let mut app = app.clone();
    app.settings.model = choice.unwrap_or(ModelChoice::OpenAiServer);
    match provider {
        OfferedProvider::ClaudeCli | OfferedProvider::Offline => tested(&app, person).await,
        OfferedProvider::Ollama(models) => {
            if let Some(name) = pick(person, models, &app.settings.model)? {
                app.settings.model = ModelChoice::Ollama(name);
            }
            match app.settings.model {
                ModelChoice::Ollama(_) => tested(&app, person).await,
                _ => failed(person, "Ollama has no model to answer with: run `ollama pull gemma3:4b` first"),
            }
        }
        OfferedProvider::Anthropic => with_key(app, draft, person, SecretKey::Anthropic).await,
        OfferedProvider::OpenAi => {
            app.settings.openai.base_url = read(OPENAI).map_err(Failure::Usage)?;
            with_key(app, draft, person, SecretKey::OpenAi).await
        }
        OfferedProvider::Server(None) => with_key(app, draft, person, SecretKey::OpenAi).await,
        OfferedProvider::Server(Some(address)) => {
            at_address(app, draft, person, read(address).map_err(Failure::Usage)?).await
        }
        OfferedProvider::AnotherServer => match address(person)? {
            Some(address) => at_address(app, draft, person, address).await,
            None => Ok(Outcome::Failed),
        },
    }
}

/// Connects an OpenAI-compatible server that is not in the settings yet.
async fn at_address(
    mut app: App,
    draft: &mut Draft,
    person: Person,
    address: Url,
) -> Result<Outcome, Failure> {
    app.settings.openai.base_url = address;
    if app.settings.openai.api_key.is_some() {
        let key = SecretKey::OpenAi.path();
        person.say(&format!("The key of {} is sent to this server too.", source(&app, key)))?;
    }
    with_key(app, draft, person, SecretKey::OpenAi).await
}

async fn tested(app: &App, person: Person) -> Result<Outcome, Failure> {
    match test(app, Some(person)).await {
        Ok(()) => Ok(Outcome::Connected(Box::new(app.settings.clone()))),
        Err(error) => failed(person, &reason(&error)),
    }
}

fn failed(person: Person, why: &str) -> Result<Outcome, Failure> {
    person.say(&format!("{} {why}", person.output.style().bad("✗")))?;
    Ok(Outcome::Failed)
}

/// Tests the model with the existing key, and asks for another as long as the key is refused.
async fn with_key(
    mut app: App,
    draft: &mut Draft,
    person: Person,
    key: SecretKey,
) -> Result<Outcome, Failure> {
    let needs_key = key == SecretKey::Anthropic || app.is_openais_own();
    let mut is_typed = false;
    loop {
        if key.of(&app.settings).is_some() || !needs_key {
            match answers(&mut app, person).await? {
                Ok(()) => break,
                Err(error) => {
                    failed(person, &reason(&error))?;
                    let is_unknown = matches!(error, Error::Unavailable(_) | Error::Overloaded { .. });
                    if is_typed && is_unknown && person.agrees("Keep the key without a test?")? {
                        break;
                    }
                    if is_unknown && !is_typed {
                        return Ok(Outcome::Failed);
                    }
                }
            }
        }
        let Some(typed) = ask_key(person, key)? else { return Ok(Outcome::Failed) };
        is_typed = true;
        set_key(&mut app.settings, key, typed);
    }
    if let Some(secret) = key.of(&app.settings) {
        keep_key(&app, draft, person, key, secret, is_typed)?;
    }
    Ok(Outcome::Connected(Box::new(app.settings)))
}

/// Tests the model. If none was named, asks the server for its models first.
async fn answers(app: &mut App, person: Person) -> Result<Result<(), Error>, Failure> {
    if app.settings.model == ModelChoice::OpenAiServer {
        let models = match app.server_models().await {
            Ok(models) => models,
            Err(error) => return Ok(Err(error)),
        };
        match pick(person, &models, &app.settings.model)? {
            Some(name) => app.settings.model = ModelChoice::OpenAi(name),
            None => {
                return Ok(Err(Error::Unavailable(
                    "the server has no model that can chat: load one there".to_owned(),
                )));
            }
        }
    }
    Ok(test(app, Some(person)).await)
}

/// Asks for a key; `None` if the person prefers another model.
fn ask_key(person: Person, key: SecretKey) -> Result<Option<Secret>, Failure> {
    let of = match key {
        SecretKey::Anthropic => "Anthropic key, from https://console.anthropic.com/settings/keys",
        SecretKey::OpenAi => "Key of the server (OpenAI's: https://platform.openai.com/api-keys)",
        SecretKey::Telegram => "Token",
    };
    loop {
        let line = person.ask_hidden(&format!("{of}; it is not shown (empty: choose again): "))?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(None) };
        match read(&line) {
            Ok(secret) => return Ok(Some(secret)),
            Err(why) => person.say(&sentence("The key", &why))?,
        }
    }
}

/// Stores a typed key, and a key from the environment if the person agrees.
fn keep_key(
    app: &App,
    draft: &mut Draft,
    person: Person,
    key: SecretKey,
    secret: &Secret,
    is_typed: bool,
) -> Result<(), Failure> {
    let is_stored = key.of(draft.file_settings()) == Some(secret);
    match source(app, key.path()) {
        Source::Variable(name) if !is_typed && !is_stored => {
            let question = format!(
                "The key is in {name} of this shell only. Store it in a file that only you can read, for a service?"
            );
            if person.agrees(&question)? { draft.store(key, secret) } else { Ok(()) }
        }
        _ => draft.store(key, secret),
    }
}

fn set_key(settings: &mut Settings, key: SecretKey, secret: Secret) {
    match key {
        SecretKey::Anthropic => settings.anthropic.api_key = Some(secret),
        SecretKey::OpenAi => settings.openai.api_key = Some(secret),
        SecretKey::Telegram => settings.telegram.bot_token = Some(secret),
    }
}

/// Asks for the address of a server.
fn address(person: Person) -> Result<Option<Url>, Failure> {
    loop {
        let answer = person.ask("Its address, such as http://127.0.0.1:8080/v1 (empty: choose again): ")?;
        let Some(answer) = answer.filter(|answer| !answer.is_empty()) else { return Ok(None) };
        match read_address(&answer) {
            Ok(address) => return Ok(Some(address)),
            Err(why) => person.say(&why)?,
        }
    }
}

/// Parses an address for config.toml, which must not contain a secret.
fn read_address(text: &str) -> Result<Url, String> {
    match text.contains('@') {
        true => Err("Leave the name and password out, or set the address with OPENAI_BASE_URL.".to_owned()),
        false => read(text).map_err(|why| sentence("The setting", &why)),
    }
}

/// Picks one of a server's models: the only one, or the person's choice, by default the one in use.
fn pick(person: Person, models: &[String], now: &ModelChoice) -> Result<Option<String>, Failure> {
    let (first, others) = match models.split_first() {
        Some(split) => split,
        None => return Ok(None),
    };
    let used = match now {
        ModelChoice::Ollama(name) | ModelChoice::OpenAi(name) => name,
        _ => first,
    };
    if others.is_empty() && used == first {
        return Ok(Some(first.clone()));
    }
    person.say(&format!("It has {}.", models.join(", ")))?;
    loop {
        let answer = person.ask(&format!("Which of them? [{used}]: "))?.unwrap_or_default();
        match models.iter().find(|model| **model == answer) {
            Some(model) => return Ok(Some(model.clone())),
            None if answer.is_empty() => return Ok(Some(used.clone())),
            None => person.say("It has no model of that name.")?,
        }
    }
}

/// Writes the settings that have changed to the draft.
fn write(app: &App, draft: &mut Draft, settings: &Settings) -> Result<(), Failure> {
    if settings.openai.base_url != app.settings.openai.base_url {
        draft.set("openai.base_url", settings.openai.base_url.expose())?;
    }
    if settings.model != app.settings.model {
        draft.set("model", settings.model.to_string())?;
    }
    Ok(())
}

/// Turns the error of a setting into a sentence about the answer.
pub fn sentence(about: &str, why: &str) -> String {
    let end = if why.ends_with('?') { "" } else { "." };
    format!("{about} {why}{end}")
}

fn read<T: Value>(text: &str) -> Result<T, String> {
    T::read(Given { raw: &Raw::Words(text.to_owned()), folder: std::path::Path::new("") })
}
