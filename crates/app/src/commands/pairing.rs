//! `pairing`: requests for access on Telegram, and paired people.

use serde_json::{Value, json};
use throughline_domain::channel::ChannelKind;
use throughline_domain::lane::Lane;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_engine::commands::pairing::WELCOME;
use throughline_store::arrivals::PairingRequest;
use throughline_store::outbox::Outgoing;
use throughline_store::pairing::PairedPerson;

use super::send;
use crate::channels::{Draft, compose};
use crate::cli::Pairing as PairingArgs;
use crate::config::values::choice::Pairing;
use crate::output::{Failure, Output};
use crate::wire::App;

pub async fn run(args: &PairingArgs, app: App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    match args {
        PairingArgs::List => list(&app, &engine, output).await,
        PairingArgs::Approve { code } => approve(code, app, &engine, output).await,
        PairingArgs::Reject { code } => {
            let turned_away = engine.store.reject_pairing(&normal(code), engine.now()).await?;
            let request = turned_away.ok_or_else(|| unknown(code))?;
            output.print(
                || json!({ "rejected": request.person, "name": request.name }),
                |style| format!("{} {} ({}) was turned away", style.good("✓"), request.name, request.person),
            )
        }
        PairingArgs::Revoke { person } => {
            let who =
                if person.contains(':') { person.clone() } else { ChannelKind::Telegram.person(person) };
            if !engine.store.revoke_pairing(&who).await? {
                return Err(Failure::failed(
                    "not_found",
                    format!(
                        "{who} is not paired. Remove people of the settings there; see `throughline pairing list`"
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

async fn list(app: &App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let (pairing_requests, paired_people) =
        (engine.store.pairing_requests(engine.now()).await?, engine.store.paired_people().await?);
    let zone = &app.settings.zone;
    output.print(
        || json!({ "waiting": pairing_requests.iter().map(request_document).collect::<Vec<_>>(), "paired": paired_people.iter().map(paired_document).collect::<Vec<_>>() }),
        |style| {
            let mut lines = Vec::new();
            for request in &pairing_requests {
                let until = time::clock(request.until, zone);
                lines.push(format!("{}  {} ({}), until {until}", style.bold(&request.code), request.name, request.person));
            }
            for paired in &paired_people {
                lines.push(format!("{} {} ({}), since {}", style.good("✓"), paired.name, paired.person, time::day(paired.at, zone)));
            }
            if lines.is_empty() {
                let hint = match app.settings.telegram.pairing {
                    Pairing::On => "Restart `throughline serve` to apply the setting.",
                    Pairing::Off => "Set telegram.pairing to \"on\" to let people ask.",
                };
                lines.push(format!("There are no pairing requests. {hint}"));
            }
            lines.join("\n")
        },
    )
}

async fn approve(code: &str, app: App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let approve_pairing = engine.store.approve_pairing(&normal(code), engine.now()).await?;
    let (paired, chat) = approve_pairing.ok_or_else(|| unknown(code))?;
    output.print(
        || json!({ "approved": paired.person, "name": paired.name }),
        |style| format!("{} {} ({}) may talk to the bot now", style.good("✓"), paired.name, paired.person),
    )?;
    let outbox = compose(&chat, &Lane::Root, Draft::Text(WELCOME, Vec::new()));
    engine.store.send_out(Outgoing { outbox, ..Outgoing::default() }).await?;
    send::deliver(app, engine, &chat).await
}

/// Normalizes a code, which people may type with blanks or in lowercase.
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

fn request_document(request: &PairingRequest) -> Value {
    json!({ "code": request.code, "person": request.person, "name": request.name, "until": request.until.to_string() })
}

fn paired_document(paired: &PairedPerson) -> Value {
    json!({ "person": paired.person, "name": paired.name, "since": paired.at.to_string() })
}
