//! `onboard`: the first run. Connects a model, asks for name and zone, connects Telegram, and installs the service. Existing
//! settings are the defaults, and nothing is written before the last answer.

pub mod ask;
mod draft;
mod model;
mod offers;
mod service;
mod telegram;

use std::io::IsTerminal;

use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use self::ask::Person;
use self::draft::{Draft, SecretKey};
use self::offers::{Offer, OfferedProvider};
use self::service::Offered;
use self::telegram::Bot;
use crate::cli::{Cli, Onboard};
use crate::config::problem::Source;
use crate::config::values::model::ModelChoice;
use crate::config::values::{Given, Raw, Value};
use crate::config::{self, Environment, Settings};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(
    args: &Onboard,
    cli: &Cli,
    environment: &Environment,
    output: Output,
) -> Result<(), Failure> {
    let app = App::load(cli, environment)?;
    let talks = !args.yes && !output.is_json() && std::io::stdin().is_terminal();
    let person = talks.then_some(Person { output });
    let mut draft = Draft::new(&app, &config::config_file(&app.home, cli.config.as_deref()))?;
    let offers = offers::find(&app).await;
    take_flags(args, &app, &mut draft).await?;
    let app = match person {
        Some(person) => {
            let app = match &args.model {
                Some(_) => app,
                None => model::choose(&app, &mut draft, person, &offers).await?,
            };
            about(args, &app, &mut draft, person)?;
            app
        }
        None => app,
    };
    let bot = telegram::bot(&app, &mut draft, person).await?;
    draft.add_ready_routines();
    let user = match &bot {
        Some(bot) => telegram::owner(&app, &mut draft, person, bot).await?,
        None => None,
    };
    let has_changed = !draft.wrote().is_empty();
    let service = match person {
        Some(person) => service::offer(&app, person, has_changed)?,
        None => Offered::Nothing,
    };

    let wrote = draft.save()?;
    let app = App::open(cli, environment)?.with_model(args.model.as_ref());
    let has_service = !matches!(service, Offered::Nothing);
    let report = Report { app: &app, offers: &offers, bot: bot.as_ref(), user, wrote: &wrote, has_service };
    report.print(output, talks).await?;
    if let (Some(bot), Some(user)) = (&bot, user)
        && wrote.contains(&"telegram.user_id")
        && talks
    {
        // The greeting shows the person at once that the bot works.
        telegram::greet(app, &bot.token, user).await?;
    }
    match (service, person) {
        (Offered::Wanted(service), Some(person)) => service.install(person),
        _ => Ok(()),
    }
}

/// Applies the flags. A model that does not respond is not written.
async fn take_flags(args: &Onboard, app: &App, draft: &mut Draft) -> Result<(), Failure> {
    if let Some(choice) = &args.model {
        let tried = app.clone().with_model(Some(choice));
        model::test(&tried, None)
            .await
            .map_err(|error| Failure::failed("model", format!("{choice}: {}", model::reason(&error))))?;
        draft.set("model", choice.to_string())?;
    }
    if let Some(name) = &args.name {
        draft.set("user_name", name.as_str())?;
    }
    if let Some(zone) = &args.zone {
        draft.set("zone", zone_name(zone))?;
    }
    Ok(())
}

/// Asks for the name and the time zone.
fn about(args: &Onboard, app: &App, draft: &mut Draft, person: Person) -> Result<(), Failure> {
    person.say(&person.output.style().bold("You"))?;
    let name = app.settings.user_name.as_deref();
    let question = match name {
        Some(name) => format!("Your name [{name}]: "),
        None => "Your name, as the assistant uses it (empty: none): ".to_owned(),
    };
    if args.name.is_none()
        && let Some(name) = answer::<String>(person, &question)?
    {
        draft.set("user_name", name)?;
    }
    let is_default = offers::source(app, "zone") == Source::Default;
    let of = if is_default { ", the system's" } else { "" };
    let question = format!("Your time zone [{}{of}]: ", zone_name(&app.settings.zone));
    if args.zone.is_none()
        && let Some(zone) = answer::<TimeZone>(person, &question)?
    {
        draft.set("zone", zone_name(&zone))?;
    }
    Ok(())
}

/// Asks until the answer is valid; `None` if the setting stays unchanged.
fn answer<T: Value>(person: Person, question: &str) -> Result<Option<T>, Failure> {
    loop {
        let line = person.ask(question)?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(None) };
        let folder = std::path::Path::new("");
        match T::read(Given { raw: &Raw::Words(line), folder }) {
            Ok(value) => return Ok(Some(value)),
            Err(why) => person.say(&model::sentence("It", &why))?,
        }
    }
}

fn zone_name(zone: &TimeZone) -> String {
    zone.iana_name().unwrap_or("UTC").to_owned()
}

/// The report: what was found and written, and what is still missing.
struct Report<'a> {
    app: &'a App,
    offers: &'a [Offer],
    bot: Option<&'a Bot>,
    user: Option<i64>,
    wrote: &'a [&'static str],
    has_service: bool,
}

impl Report<'_> {
    async fn print(&self, output: Output, talks: bool) -> Result<(), Failure> {
        let models = self.app.models().await?;
        let overridden = self.overridden()?;
        let missing = self.missing(models.model.name() == "offline");
        let document = json!({
            "config": config::config_file(&self.app.home, self.app.config.as_deref()),
            "model": models.model.name(),
            "telegram": self.bot.map(|bot| json!({ "bot": bot.me.username, "user_id": self.user })),
            "wrote": self.wrote,
            "found": self.offers.iter().map(offers::document).collect::<Vec<Json>>(),
            "missing": missing.iter().map(|(key, how)| json!({ "setting": key, "how": how })).collect::<Vec<Json>>(),
        });
        output.print(
            || document,
            |style| {
                let mut lines = Vec::new();
                if !talks {
                    let model = models.found.clone().unwrap_or_else(|| models.model.name().to_owned());
                    lines.push(format!("{} {model}", style.bold("Model")));
                    lines.extend(self.found(&style));
                    lines.extend(
                        self.bot.map(|bot| {
                            format!("{} @{} is connected", style.bold("Telegram"), bot.me.username)
                        }),
                    );
                    lines.extend(missing.iter().map(|(key, how)| format!("{key} is not set: {how}")));
                }
                lines.extend(overridden);
                lines.extend(self.closing(&style));
                lines.join("\n")
            },
        )
    }

    /// The available models, one per line.
    fn found(&self, style: &Style) -> Vec<String> {
        let ready =
            self.offers.iter().filter(|offer| offer.is_ready && offer.provider != OfferedProvider::Offline);
        ready.map(|offer| style.dim(&format!("  found {}: {}", offer.name, offer.state))).collect()
    }

    /// The missing settings, and how to set each.
    fn missing(&self, has_no_model: bool) -> Vec<(&'static str, &'static str)> {
        let settings = &self.app.settings;
        let is_chosen = settings.model != ModelChoice::Auto || !has_no_model;
        [
            (
                "model",
                "set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, or install claude or Ollama",
                is_chosen,
            ),
            ("user_name", "onboard --name NAME, or USER_NAME", settings.user_name.is_some()),
            (
                "telegram.bot_token",
                "TELEGRAM_BOT_TOKEN, from @BotFather",
                settings.telegram.bot_token.is_some(),
            ),
        ]
        .into_iter()
        .filter(|(_, _, is_set)| !is_set)
        .map(|(key, how, _)| (key, how))
        .collect()
    }

    /// The written settings that the environment of this shell overrides.
    fn overridden(&self) -> Result<Vec<String>, Failure> {
        let file_settings = self.app.file_settings()?;
        let value = |settings: &Settings, key: &str| match SecretKey::at(key) {
            Some(secret) => secret.of(settings).map(|secret| json!(secret.expose())),
            None => config::show(settings).into_iter().find(|row| row.key == key).map(|row| row.value),
        };
        let of = |key: &&'static str| match offers::source(self.app, key) {
            Source::Variable(name) if value(&self.app.settings, key) != value(&file_settings, key) => {
                Some(format!(
                    "In this shell {name} is set and counts more than {key} in config.toml; unset it to use what was written."
                ))
            }
            _ => None,
        };
        Ok(self.wrote.iter().filter_map(of).collect())
    }

    fn closing(&self, style: &Style) -> Vec<String> {
        let file = config::config_file(&self.app.home, self.app.config.as_deref());
        let written = match self.wrote.is_empty() {
            true => format!("Everything is set already, in {}", file.display()),
            false => format!("Written to {}", file.display()),
        };
        let next = match (self.bot, self.user) {
            (Some(_), Some(_)) if self.has_service => {
                "Write to your bot, or talk in the terminal: throughline chat"
            }
            (Some(_), Some(_)) => "Start it with: throughline serve",
            (Some(_), None) => {
                "The bot serves nobody yet: set telegram.user_id to your number, then: throughline serve"
            }
            (None, _) => "Talk to it with: throughline chat",
        };
        vec![format!("{} {written}", style.good("✓")), next.to_owned()]
    }
}
