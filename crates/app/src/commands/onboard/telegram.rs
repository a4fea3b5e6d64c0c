//! Connects a bot: asks for its token and the person that it serves.

use std::time::{Duration, Instant};

use serde_json::Value;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::Inbound;
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;

use super::ask::Person;
use super::draft::{Draft, SecretKey};
use super::model::sentence;
use crate::channels::telegram::api::{Api, ApiError, Me};
use crate::channels::telegram::connect;
use crate::channels::telegram::update::chat_id;
use crate::channels::telegram::wire::Update;
use crate::channels::{Draft as Words, compose};
use crate::commands::send;
use crate::config::values::secret::Secret;
use crate::config::values::{Given, Raw, Value as _};
use crate::output::Failure;
use crate::wire::App;

/// Maximum wait for the first message to the bot.
const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(180);
/// Time limit of each request for the first message.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);
/// Back-off after a failed request.
const RETRY_AFTER: Duration = Duration::from_secs(2);

const QUESTION: &str = "Telegram bot token, from @BotFather; it is not shown (empty: no Telegram): ";

/// A bot that Telegram knows.
pub struct Bot {
    api: Api,
    pub me: Me,
    pub token: Secret,
}

/// Connects the bot in the settings, or asks for one.
pub async fn bot(app: &App, draft: &mut Draft, person: Option<Person>) -> Result<Option<Bot>, Failure> {
    let mut bot = None;
    if let Some(token) = app.settings.telegram.bot_token.clone() {
        match (introduce(app, token).await, person) {
            (Ok(found), _) => bot = Some(found),
            // The token was replaced, and the person can enter the new one.
            (Err(ApiError::Unauthorized), Some(person)) => {
                person.say("Telegram does not know the token of the settings any more.")?;
            }
            (Err(failure), Some(person)) => {
                person.say(&format!(
                    "The bot of the settings was not reached: {failure}. It stays as it is."
                ))?;
                return Ok(None);
            }
            (Err(failure), None) => return Err(Failure::failed("telegram", failure.to_string())),
        }
    }
    if let (None, Some(person)) = (&bot, person) {
        bot = ask(app, person).await?;
    }
    if let Some(bot) = &bot {
        if let Some(person) = person {
            person.say(&format!("{} @{} is connected", person.output.style().good("✓"), bot.me.username))?;
        }
        draft.store(SecretKey::Telegram, &bot.token)?;
    }
    Ok(bot)
}

async fn ask(app: &App, person: Person) -> Result<Option<Bot>, Failure> {
    loop {
        let line = person.ask_hidden(QUESTION)?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(None) };
        let token = match Secret::read(Given { raw: &Raw::Words(line), folder: &app.home }) {
            Ok(token) => token,
            Err(why) => {
                person.say(&sentence("The token", &why))?;
                continue;
            }
        };
        match introduce(app, token).await {
            Ok(bot) => return Ok(Some(bot)),
            Err(ApiError::Unauthorized) => person
                .say("Telegram does not know that token. It looks like 7000001:AAH…; copy all of it.")?,
            Err(failure) => person.say(&format!("That did not work: {failure}."))?,
        }
    }
}

async fn introduce(app: &App, token: Secret) -> Result<Bot, ApiError> {
    let api = connect(app, &token)
        .map_err(|_| ApiError::NotDone("Telegram cannot be reached safely".to_owned()))?;
    let me = api.me().await?;
    Ok(Bot { api, me, token })
}

/// The person that the bot serves: the one in the settings, or the one who writes to it now.
pub async fn owner(
    app: &App,
    draft: &mut Draft,
    person: Option<Person>,
    bot: &Bot,
) -> Result<Option<i64>, Failure> {
    let telegram = &app.settings.telegram;
    let numbers = telegram.allowed_users.iter().filter_map(|user| i64::try_from(user.0).ok());
    let listed: Vec<i64> = numbers.collect();
    if !listed.is_empty() {
        draft.set("telegram.allowed_users", listed.iter().copied().collect::<toml_edit::Value>())?;
    }
    if let Some(user) = &telegram.user_id {
        draft.set("telegram.user_id", i64::try_from(user.0).unwrap_or(i64::MAX))?;
        return Ok(i64::try_from(user.0).ok());
    }
    let Some(person) = person.filter(|_| listed.is_empty()) else { return Ok(listed.first().copied()) };
    person.say(&format!("Open https://t.me/{} now and send it any message.", bot.me.username))?;
    let user = first_writer(person, bot).await?;
    if let Some(user) = user {
        draft.set("telegram.user_id", user)?;
    }
    Ok(user)
}

/// Waits for a message to the bot whose sender is the person at the terminal.
async fn first_writer(person: Person, bot: &Bot) -> Result<Option<i64>, Failure> {
    let until = Instant::now() + FIRST_MESSAGE_TIMEOUT;
    let mut refused = Vec::new();
    while Instant::now() < until {
        let updates = match bot.api.updates(None, POLL_TIMEOUT).await {
            Ok(updates) => updates,
            Err(ApiError::Conflict(_)) => {
                person.say("Another program listens with this token; stop it and try again.")?;
                return Ok(None);
            }
            Err(ApiError::Unauthorized) => {
                person.say("Telegram does not know the token any more. Run this again with the new one.")?;
                return Ok(None);
            }
            Err(_) => {
                tokio::time::sleep(RETRY_AFTER).await;
                continue;
            }
        };
        for (user, name) in updates.iter().filter_map(writer) {
            if refused.contains(&user) {
                continue;
            }
            let answer = person.ask(&format!("{name} (number {user}) has written. Is this you? [y/N] "))?;
            let Some(answer) = answer else { return Ok(None) };
            if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
                return Ok(Some(user));
            }
            refused.push(user);
            person.say("Waiting for your message…")?;
        }
    }
    person.say("Nobody has written. Set telegram.user_id in the config file, or run this again.")?;
    Ok(None)
}

/// The sender of a private message to the bot.
fn writer(update: &Value) -> Option<(i64, String)> {
    let message = serde_json::from_value::<Update>(update.clone()).ok()?.message?;
    let user = message.from.filter(|user| message.chat.is_private() && !user.is_bot)?;
    Some((user.id, user.name()))
}

/// Sends and records the bot's greeting.
pub async fn greet(app: App, token: &Secret, user: i64) -> Result<(), Failure> {
    let Some(chat) = chat_id(user) else { return Ok(()) };
    let app = app.with_telegram(token.clone());
    let engine = app.engine().await?;
    let text = "I am connected, and from now on I remember. Once `throughline serve` runs, I answer.";
    let inbound = Inbound { role: Role::Assistant, text: text.to_owned(), ..Inbound::in_chat(chat.clone()) };
    let said = vec![engine.stored(inbound, Purpose::Record).await?];
    let outbox = compose(&chat, &Lane::Root, Words::Reply(text));
    engine.store.send_out(Outgoing { said, outbox, ..Outgoing::default() }).await?;
    send::deliver(app, &engine, &chat).await
}
