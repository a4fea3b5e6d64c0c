//! `pairing`: who asks to be let in on Telegram, and who was.

use serde_json::{Value, json};
use throughline_domain::lane::Lane;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_store::arrivals::Knock;
use throughline_store::guests::Guest;
use throughline_store::outgoing::Outgoing;

use super::send;
use crate::channels::telegram::post::Address;
use crate::cli::Pairing as What;
use crate::config::values::choice::Pairing;
use crate::output::{Failure, Output};
use crate::wire::Place;

pub async fn run(what: &What, place: Place, output: Output) -> Result<(), Failure> {
    let engine = place.engine().await?;
    match what {
        What::List => list(&place, &engine, output).await,
        What::Approve { code } => approve(code, place, &engine, output).await,
        What::Reject { code } => {
            let turned_away = engine.store.turn_away(&normal(code), engine.now()).await?;
            let knock = turned_away.ok_or_else(|| unknown(code))?;
            output.print(
                || json!({ "rejected": knock.person, "name": knock.name }),
                |style| format!("{} {} ({}) was turned away", style.good("✓"), knock.name, knock.person),
            )
        }
        What::Revoke { person } => {
            let who = if person.contains(':') { person.clone() } else { format!("telegram:{person}") };
            if !engine.store.show_out(&who).await? {
                return Err(Failure::failed(
                    "not_found",
                    format!(
                        "{who} was not let in by pairing. People of the settings are taken out there; see `throughline pairing list`"
                    ),
                ));
            }
            output.print(
                || json!({ "revoked": who }),
                |style| format!("{} {who} is served no longer", style.good("✓")),
            )
        }
    }
}

async fn list(place: &Place, engine: &Engine, output: Output) -> Result<(), Failure> {
    let (knocks, guests) = (engine.store.knocks(engine.now()).await?, engine.store.guests().await?);
    let zone = &place.settings.zone;
    output.print(
        || json!({ "waiting": knocks.iter().map(knock_document).collect::<Vec<_>>(), "paired": guests.iter().map(guest_document).collect::<Vec<_>>() }),
        |style| {
            let mut lines = Vec::new();
            for knock in &knocks {
                let until = time::clock(knock.until, zone);
                lines.push(format!("{}  {} ({}), until {until}", style.bold(&knock.code), knock.name, knock.person));
            }
            for guest in &guests {
                lines.push(format!("{} {} ({}), since {}", style.good("✓"), guest.name, guest.person, time::day(guest.at, zone)));
            }
            if lines.is_empty() {
                let hint = match place.settings.telegram.pairing {
                    Pairing::On => "A running `throughline serve` takes up the setting when it is started anew.",
                    Pairing::Off => "Set telegram.pairing to \"on\" to let people ask.",
                };
                lines.push(format!("Nobody asks to be let in. {hint}"));
            }
            lines.join("\n")
        },
    )
}

async fn approve(code: &str, place: Place, engine: &Engine, output: Output) -> Result<(), Failure> {
    let let_in = engine.store.let_in(&normal(code), engine.now()).await?;
    let (guest, chat) = let_in.ok_or_else(|| unknown(code))?;
    output.print(
        || json!({ "approved": guest.person, "name": guest.name }),
        |style| format!("{} {} ({}) may talk to the bot now", style.good("✓"), guest.name, guest.person),
    )?;
    let posts = Address::of(&chat, &Lane::Root).text("You are in. Write to me, and I will remember.");
    engine.store.send_out(Outgoing { posts, ..Outgoing::default() }).await?;
    send::deliver(place, engine, &chat).await
}

/// People copy codes with blanks, and in small letters.
fn normal(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn unknown(code: &str) -> Failure {
    Failure::failed(
        "not_found",
        format!(
            "nobody holds the code {code:?}, or its ten minutes are over. See `throughline pairing list`, and let them write to the bot again"
        ),
    )
}

fn knock_document(knock: &Knock) -> Value {
    json!({ "code": knock.code, "person": knock.person, "name": knock.name, "until": knock.until.to_string() })
}

fn guest_document(guest: &Guest) -> Value {
    json!({ "person": guest.person, "name": guest.name, "since": guest.at.to_string() })
}
