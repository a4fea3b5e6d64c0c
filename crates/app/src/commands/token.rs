//! `token`: manages the tokens of the HTTP API.

use serde_json::{Value, json};
use throughline_domain::time;
use throughline_engine::access::Access;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::credentials::{Credential, CredentialKind};

use crate::cli::Token;
use crate::http::session::{hash_secret, new_secret};
use crate::output::{Failure, Output};
use crate::wire::App;

/// The prefix of a token, which distinguishes it from other secrets.
const PREFIX: &str = "tl_";
/// Maximum length of a name, in characters.
const LONGEST_NAME: usize = 60;

pub async fn run(args: &Token, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    match args {
        Token::Add { name, person, chat } => {
            let access = match (person, chat) {
                (Some(person), _) if person.trim().is_empty() => {
                    return Err(Failure::Usage("--person: name the person".to_owned()));
                }
                (Some(person), _) => Access::Person(person.trim().to_owned()),
                (None, Some(chat)) => Access::Chat(chat.clone()),
                (None, None) => Access::Everything,
            };
            let name = read_name(name)?;
            let token = format!("{PREFIX}{}", new_secret()?.0);
            let made = Credential { name, access, created_at: SystemClock.now(), expires_at: None };
            engine.store.add_credential(CredentialKind::Token, hash_secret(&token), made.clone()).await?;
            let opened = opens(&made.access);
            output.print(
                || {
                    let mut document = document(&made);
                    if let Some(fields) = document.as_object_mut() {
                        fields.insert("token".to_owned(), json!(token));
                    }
                    document
                },
                |style| {
                    let note = format!("It opens {opened}. It is not shown again.");
                    format!("{token}\n{}", style.dim(&note))
                },
            )
        }
        Token::List => {
            let tokens = engine.store.tokens().await?;
            output.print(
                || json!({ "tokens": tokens.iter().map(document).collect::<Vec<_>>() }),
                |style| match tokens.is_empty() {
                    true => "There are no tokens. Make one: throughline token add --name phone".to_owned(),
                    false => {
                        let row = |token: &Credential| {
                            let since = time::day(token.created_at, &app.settings.zone);
                            let rest = format!("opens {}, since {since}", opens(&token.access));
                            format!("{}  {}", style.bold(&token.name), style.dim(&rest))
                        };
                        tokens.iter().map(row).collect::<Vec<_>>().join("\n")
                    }
                },
            )
        }
        Token::Revoke { name } => {
            if !engine.store.revoke_token(name).await? {
                let sentence = format!("there is no token named {name:?}. See `throughline token list`");
                return Err(Failure::failed("not_found", sentence));
            }
            output.print(
                || json!({ "revoked": name }),
                |style| format!("{} {name} opens nothing any more", style.good("✓")),
            )
        }
    }
}

fn read_name(given: &str) -> Result<String, Failure> {
    let name = given.trim();
    let is_plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_plain) {
        let sentence = format!("--name: takes up to {LONGEST_NAME} letters, digits, blanks and -_.");
        return Err(Failure::Usage(sentence));
    }
    Ok(name.to_owned())
}

fn document(token: &Credential) -> Value {
    let (person, chat) = match &token.access {
        Access::Everything => (None, None),
        Access::Person(person) => (Some(person), None),
        Access::Chat(chat) => (None, Some(chat)),
    };
    json!({ "name": token.name, "person": person, "chat": chat, "created_at": token.created_at.to_string() })
}

fn opens(access: &Access) -> String {
    match access {
        Access::Everything => "everything".to_owned(),
        Access::Person(person) => format!("the private chats of {person}"),
        Access::Chat(chat) => format!("the chat {chat}"),
    }
}
