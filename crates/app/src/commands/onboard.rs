//! `onboard`: the first run. Finds models, connects Telegram, writes the settings. What is set already stays.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::Inbound;
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;

use super::send;
use crate::channels::telegram::api::{Api, ApiError, Me};
use crate::channels::telegram::connect;
use crate::channels::telegram::update::chat_id;
use crate::channels::telegram::wire::Update;
use crate::channels::{Draft, compose};
use crate::cli::{Cli, Onboard};
use crate::config::values::secret::Secret;
use crate::config::values::{Given, Raw, Value as _};
use crate::config::{self, edit};
use crate::output::{Failure, Output};
use crate::wire::App;

/// Maximum wait for the first message.
const FIRST_MESSAGE: Duration = Duration::from_secs(180);
/// Telegram is asked for it at this pace.
const ASK_EVERY: Duration = Duration::from_secs(20);
/// Pause after a failure.
const AFTER_TROUBLE: Duration = Duration::from_secs(2);

/// The beginning of a new file: settings above every table.
const HEAD: &str = "\
# Settings that stand outside of every table belong up here, for example:
# user_name = \"Ana\"
# zone = \"Europe/Lisbon\"
# quiet_hours = \"22:00-07:00\"
# capture = \"suggest\"
# `throughline config schema` lists them all.
";

pub async fn run(what: &Onboard, cli: &Cli, app: App, output: Output) -> Result<(), Failure> {
    let talks = !what.yes && !output.is_json() && std::io::stdin().is_terminal();
    let mut onboarding = Onboarding {
        file: cli.config.clone().unwrap_or_else(|| app.home.join("config.toml")),
        output,
        talks,
        wrote: Vec::new(),
    };
    let model = app.models().await?;
    onboarding.say(&format!(
        "{} {}",
        onboarding.bold("Model"),
        model.found.clone().unwrap_or_else(|| model.model.name().to_owned())
    ))?;
    let is_fresh = !onboarding.file.exists();
    let telegram = onboarding.telegram(&app).await?;
    if is_fresh {
        edit::prepend(&onboarding.file, HEAD)?;
    }
    onboarding.ready_routines()?;
    let user = match &telegram {
        Some(connected) => onboarding.owner(&app, connected).await?,
        None => None,
    };
    let document = json!({
        "config": onboarding.file,
        "model": model.model.name(),
        "telegram": telegram.as_ref().map(|connected| json!({ "bot": connected.me.username, "user_id": user })),
        "wrote": onboarding.wrote,
    });
    output.print(|| document, |style| onboarding.closing(&style, telegram.is_some(), user))?;
    match (&telegram, user) {
        // A person who has just connected the bot sees at once that it works.
        (Some(connected), Some(user)) if onboarding.wrote.contains(&"telegram.user_id") && talks => {
            greet(app, &connected.token, user).await
        }
        _ => Ok(()),
    }
}

struct Onboarding {
    file: PathBuf,
    output: Output,
    talks: bool,
    wrote: Vec<&'static str>,
}

struct Connected {
    api: Api,
    me: Me,
    token: Secret,
}

impl Onboarding {
    /// Connects the bot of the settings, or asks for one.
    async fn telegram(&mut self, app: &App) -> Result<Option<Connected>, Failure> {
        if let Some(token) = app.settings.telegram.bot_token.clone() {
            match introduce(app, token).await {
                Ok(connected) => {
                    self.say(&format!("{} @{} is connected", self.bold("Telegram"), connected.me.username))?;
                    self.set("telegram.bot_token", connected.token.expose())?;
                    return Ok(Some(connected));
                }
                // It was replaced, and a person is there to say by which.
                Err(ApiError::Unauthorized) if self.talks => {
                    self.say("Telegram does not know the token of the settings any more.")?;
                }
                Err(trouble) => return Err(Failure::failed("telegram", trouble.to_string())),
            }
        }
        while self.talks {
            let line = self.ask("Telegram bot token, from @BotFather (empty: no Telegram): ")?;
            let Some(line) = line.filter(|line| !line.is_empty()) else { break };
            let token = match Secret::read(Given { raw: &Raw::Words(line), folder: &app.home }) {
                Ok(token) => token,
                Err(why) => {
                    self.say(&format!("The token {why}."))?;
                    continue;
                }
            };
            match introduce(app, token).await {
                Ok(connected) => {
                    self.say(&format!("{} @{} is connected", self.bold("Telegram"), connected.me.username))?;
                    self.set("telegram.bot_token", connected.token.expose())?;
                    return Ok(Some(connected));
                }
                Err(ApiError::Unauthorized) => {
                    self.say(
                        "Telegram does not know that token. It looks like 7000001:AAH…; copy all of it.",
                    )?;
                }
                Err(trouble) => self.say(&format!("That did not work: {trouble}."))?,
            }
        }
        Ok(None)
    }

    /// The person that the bot serves: from the settings, or the one who writes to it now.
    async fn owner(&mut self, app: &App, connected: &Connected) -> Result<Option<i64>, Failure> {
        let telegram = &app.settings.telegram;
        let numbers = telegram.allowed_users.iter().filter_map(|user| i64::try_from(user.0).ok());
        let listed: Vec<i64> = numbers.collect();
        if !listed.is_empty() {
            self.set("telegram.allowed_users", listed.iter().copied().collect::<toml_edit::Value>())?;
        }
        if let Some(user) = &telegram.user_id {
            self.set("telegram.user_id", i64::try_from(user.0).unwrap_or(i64::MAX))?;
            return Ok(i64::try_from(user.0).ok());
        }
        if !self.talks || !listed.is_empty() {
            return Ok(listed.first().copied());
        }
        self.say(&format!("Open https://t.me/{} now and send it any message.", connected.me.username))?;
        let until = Instant::now() + FIRST_MESSAGE;
        let mut refused = Vec::new();
        while Instant::now() < until {
            let updates = match connected.api.updates(None, ASK_EVERY).await {
                Ok(updates) => updates,
                Err(ApiError::Conflict(_)) => {
                    self.say("Another program listens with this token; stop it and try again.")?;
                    return Ok(None);
                }
                Err(ApiError::Unauthorized) => {
                    self.say("Telegram does not know the token any more. Run this again with the new one.")?;
                    return Ok(None);
                }
                Err(_) => {
                    tokio::time::sleep(AFTER_TROUBLE).await;
                    continue;
                }
            };
            for (user, name) in updates.iter().filter_map(writer) {
                if refused.contains(&user) {
                    continue;
                }
                let answer = self.ask(&format!("{name} (number {user}) has written. Is this you? [y/N] "))?;
                let Some(answer) = answer else { return Ok(None) };
                if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
                    self.set("telegram.user_id", user)?;
                    return Ok(Some(user));
                }
                refused.push(user);
                self.say("Waiting for your message…")?;
            }
        }
        self.say("Nobody has written. Set telegram.user_id in the config file, or run this again.")?;
        Ok(None)
    }

    /// The routines that come with the program, as examples to be turned on.
    fn ready_routines(&mut self) -> Result<(), Failure> {
        let text = match std::fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error.into()),
        };
        if text.contains("[routines.") {
            return Ok(());
        }
        edit::append(&self.file, &examples())?;
        self.wrote.push("routines");
        Ok(())
    }

    /// Writes a value, unless it stands there.
    fn set(&mut self, key: &'static str, value: impl Into<toml_edit::Value>) -> Result<(), Failure> {
        if edit::set(&self.file, key, value)? {
            self.wrote.push(key);
        }
        Ok(())
    }

    fn closing(&self, style: &crate::output::Style, telegram: bool, user: Option<i64>) -> String {
        let mut lines = vec![format!(
            "{} {}",
            style.good("✓"),
            match self.wrote.is_empty() {
                true => format!("Everything is set already, in {}", self.file.display()),
                false => format!("Written to {}", self.file.display()),
            }
        )];
        lines.push(match (telegram, user) {
            (true, Some(_)) => "Start it with: throughline serve".to_owned(),
            (true, None) => {
                "The bot serves nobody yet: set telegram.user_id to your number, then: throughline serve"
                    .to_owned()
            }
            (false, _) => "Talk to it with: throughline chat".to_owned(),
        });
        lines.join("\n")
    }

    fn bold(&self, text: &str) -> String {
        self.output.style().bold(text)
    }

    fn say(&self, line: &str) -> Result<(), Failure> {
        if self.output.is_json() { Ok(()) } else { self.output.write(line) }
    }

    /// The person's answer; nothing after the end of input.
    fn ask(&self, question: &str) -> Result<Option<String>, Failure> {
        let mut stdout = std::io::stdout().lock();
        write!(stdout, "{question}")?;
        stdout.flush()?;
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }
}

async fn introduce(app: &App, token: Secret) -> Result<Connected, ApiError> {
    let api = connect(app, &token)
        .map_err(|_| ApiError::NotDone("Telegram cannot be reached safely".to_owned()))?;
    let me = api.me().await?;
    Ok(Connected { api, me, token })
}

/// The sender of a private message to the bot.
fn writer(update: &Value) -> Option<(i64, String)> {
    let message = serde_json::from_value::<Update>(update.clone()).ok()?.message?;
    let user = message.from.filter(|user| message.chat.is_private() && !user.is_bot)?;
    Some((user.id, user.name()))
}

/// The first words of the bot, recorded as everything it says.
async fn greet(app: App, token: &Secret, user: i64) -> Result<(), Failure> {
    let Some(chat) = chat_id(user) else { return Ok(()) };
    let app = app.with_telegram(token.clone());
    let engine = app.engine().await?;
    let text = "I am connected, and from now on I remember. Once `throughline serve` runs, I answer.";
    let inbound = Inbound { role: Role::Assistant, text: text.to_owned(), ..Inbound::in_chat(chat.clone()) };
    let said = vec![engine.stored(inbound, Purpose::Record).await?];
    let outbox = compose(&chat, &Lane::Root, Draft::Reply(text));
    engine.store.send_out(Outgoing { said, outbox, ..Outgoing::default() }).await?;
    send::deliver(app, &engine, &chat).await
}

/// The ready routines as comments, each turned on once the marks are gone.
fn examples() -> String {
    let mut text = "\n# Routines that are ready to be turned on: take the # away.\n".to_owned();
    for line in config::routines::READY.lines().skip_while(|line| !line.starts_with('[')) {
        let line = if line == "enabled = false" { "enabled = true" } else { line };
        text += format!("# {line}").trim_end();
        text.push('\n');
    }
    text
}
