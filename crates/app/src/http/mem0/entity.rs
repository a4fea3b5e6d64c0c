//! Maps mem0's entities, which own memories, to chats. A user is the chat `api:chat:NAME`; an agent, app or run
//! without a user is `api:chat:agent:NAME` and so on. All agents, apps and runs of a user share the user's memories.

use serde_json::Value;
use strum::{EnumString, IntoStaticStr};
use throughline_domain::chat::ChatId;

use crate::http::Caller;
use crate::http::error::ApiError;
use crate::percent;

/// The channel of the entities' chats.
const CHANNEL: &str = "api";

/// The kinds of entities. If a request names several, the first in this order owns the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum EntityKind {
    User,
    Agent,
    App,
    Run,
}

impl EntityKind {
    const ALL: [Self; 4] = [Self::User, Self::Agent, Self::App, Self::Run];

    /// The JSON field with the entity's name.
    pub fn field(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Agent => "agent_id",
            Self::App => "app_id",
            Self::Run => "run_id",
        }
    }

    fn from_field(field: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.field() == field)
    }
}

/// A user, agent, app or run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    pub kind: EntityKind,
    pub name: String,
}

impl Entity {
    /// The entity of a chat; `None` if the chat is not one of mem0's.
    pub fn from_chat(chat: &ChatId) -> Option<Self> {
        let name = (chat.channel() == CHANNEL).then(|| chat.name())?;
        let (kind, name) = match name.split_once(':') {
            Some((kind, name)) => (kind.parse().ok()?, name),
            None => (EntityKind::User, name),
        };
        Some(Self { kind, name: decoded(name)? })
    }

    /// The id of the entity's chat.
    pub fn chat(&self) -> String {
        let name = encoded(&self.name);
        match self.kind {
            EntityKind::User => format!("{CHANNEL}:chat:{name}"),
            other => format!("{CHANNEL}:chat:{}:{name}", <&str>::from(other)),
        }
    }

    /// The entities that filters name: the users, or else the agents, apps or runs. Other filters are refused:
    /// ignoring them would return memories that the client asked to leave out.
    pub fn in_filters(filters: &Value) -> Result<Vec<Self>, ApiError> {
        let mut found = Vec::new();
        collect(filters, &mut found)?;
        let first = EntityKind::ALL.into_iter().find(|kind| found.iter().any(|entity| entity.kind == *kind));
        found.retain(|entity| Some(entity.kind) == first);
        Ok(found)
    }
}

/// The chats of entities; if there are none, the caller's only chat.
pub async fn chats(entities: &[Entity], caller: &Caller) -> Result<Vec<ChatId>, ApiError> {
    let mut chats = Vec::new();
    for entity in entities {
        chats.push(caller.chat(Some(&entity.chat())).await?);
    }
    if chats.is_empty() {
        let nobody =
            || ApiError::invalid("name whose memories are meant, by user_id, agent_id, app_id or run_id");
        chats.push(caller.chat(None).await.map_err(|_| nobody())?);
    }
    Ok(chats)
}

fn collect(filters: &Value, found: &mut Vec<Entity>) -> Result<(), ApiError> {
    match filters {
        Value::Null => Ok(()),
        Value::Array(parts) => parts.iter().try_for_each(|part| collect(part, found)),
        Value::Object(fields) => fields.iter().try_for_each(|(field, value)| match field.as_str() {
            "AND" | "OR" => collect(value, found),
            field => {
                let unknown = || {
                    ApiError::invalid(format!(
                        "filters: {field} cannot be filtered by; user_id, agent_id, app_id and run_id can"
                    ))
                };
                let kind = EntityKind::from_field(field).ok_or_else(unknown)?;
                let names: Vec<&str> = match value {
                    Value::Null => Vec::new(),
                    Value::String(name) => vec![name],
                    other => {
                        let names = other.get("in").and_then(Value::as_array).ok_or_else(unknown)?;
                        names.iter().filter_map(Value::as_str).collect()
                    }
                };
                found.extend(names.into_iter().map(|name| Entity { kind, name: name.to_owned() }));
                Ok(())
            }
        }),
        _ => Err(ApiError::invalid("filters: write an object such as {\"user_id\": \"ana\"}")),
    }
}

fn encoded(name: &str) -> String {
    percent::encode(name, |c| c.is_alphanumeric() || "-_.@+/=".contains(c))
}

fn decoded(name: &str) -> Option<String> {
    let mut parts = name.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_user_is_a_chat_and_a_chat_the_same_user() {
        for (kind, name, id) in [
            (EntityKind::User, "ana", "api:chat:ana"),
            (EntityKind::User, "Ana María", "api:chat:Ana%20María"),
            (EntityKind::User, "agent:bob", "api:chat:agent%3Abob"),
            (EntityKind::Agent, "bob", "api:chat:agent:bob"),
            (EntityKind::Run, "7%", "api:chat:run:7%25"),
        ] {
            let entity = Entity { kind, name: name.to_owned() };
            assert_eq!(entity.chat(), id);
            assert_eq!(Entity::from_chat(&id.parse().unwrap()), Some(entity));
        }
        assert_eq!(Entity::from_chat(&"cli:chat:main".parse().unwrap()), None);
    }

    #[test]
    fn filters_name_users_before_their_agents_and_nothing_else() {
        let named = |filters: Value| {
            let found = Entity::in_filters(&filters).map_err(|error| error.message);
            found.map(|found| found.iter().map(Entity::chat).collect::<Vec<_>>())
        };
        assert_eq!(named(json!({ "user_id": "ana", "agent_id": "bob" })).unwrap(), ["api:chat:ana"]);
        let either =
            json!({ "OR": [{ "user_id": "ana" }, { "AND": [{ "user_id": { "in": ["ben", "eva"] } }] }] });
        assert_eq!(named(either).unwrap(), ["api:chat:ana", "api:chat:ben", "api:chat:eva"]);
        assert_eq!(named(json!({ "run_id": "7" })).unwrap(), ["api:chat:run:7"]);
        for refused in [json!({ "categories": ["food"] }), json!({ "user_id": 7 }), json!("ana")] {
            assert!(named(refused.clone()).unwrap_err().contains("filters:"), "{refused}");
        }
    }
}
