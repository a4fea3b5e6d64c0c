//! Handlers for mem0's clients: add, search, list, change and forget memories.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, MemoryId, Status};
use throughline_domain::message::{MessageId, Role};
use throughline_engine::forget::What;
use throughline_engine::recall::Question;
use throughline_engine::remember::Edit;
use throughline_engine::search::HitKind;
use throughline_engine::{Engine, Inbound};
use throughline_store::messages::Purpose;
use tokio::time::{Instant, sleep};

use super::entity::{Entity, chats};
use crate::api;
use crate::http::error::ApiError;
use crate::http::extract::{Body, Named, Params};
use crate::http::{Caller, Web};

/// Maximum time that `add` waits until memories are extracted from the recorded messages.
const EXTRACTION_TIMEOUT: Duration = Duration::from_secs(20);
/// Time between two checks for extracted memories.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

type Answer = Result<Json<Value>, ApiError>;

/// The fields that name an entity. Other fields of mem0 are ignored.
#[derive(Debug, Default, Deserialize)]
pub struct EntityFields {
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
}

impl EntityFields {
    fn entities(&self) -> Result<Vec<Entity>, ApiError> {
        let Self { user_id, agent_id, app_id, run_id } = self;
        Entity::in_filters(
            &json!({ "user_id": user_id, "agent_id": agent_id, "app_id": app_id, "run_id": run_id }),
        )
    }
}

#[derive(Debug, Deserialize)]
pub struct AddRequest {
    messages: Vec<NewMessage>,
    #[serde(flatten)]
    entity: EntityFields,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// Whether memories are extracted from the messages; if not, each message is remembered as it is.
    infer: Option<bool>,
    /// The time of the messages, in seconds since 1970.
    timestamp: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub struct NewMessage {
    role: String,
    content: Value,
}

impl NewMessage {
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
            _ => String::new(),
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct MemoryQuery {
    #[serde(default)]
    filters: Value,
    query: Option<String>,
    top_k: Option<usize>,
    limit: Option<usize>,
    threshold: Option<f32>,
}

#[derive(Debug, Deserialize)]
pub struct Page {
    page: Option<usize>,
    page_size: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub struct UpdateRequest {
    text: Option<String>,
}

/// Clients call this first. The Python client requires an organization and a project.
pub async fn ping(_: Caller) -> Json<Value> {
    let name = "throughline";
    Json(json!({ "status": "ok", "message": "", "org_id": name, "project_id": name, "user_email": null }))
}

/// Records messages and returns the memories extracted from them, or remembers the messages as they are.
pub async fn add(
    State(web): State<Web>,
    caller: Caller,
    Body { value: new, .. }: Body<AddRequest>,
) -> Answer {
    let entities = new.entity.entities()?;
    let chats = chats(&entities, &caller).await?;
    let chat = chats.first().ok_or_else(|| ApiError::invalid("user_id: is missing"))?;
    let engine = &caller.engine;
    let messages: Vec<(Role, String)> =
        new.messages.iter().filter_map(|message| Some((role(&message.role)?, message.text()))).collect();
    let memories = match new.infer {
        Some(false) => {
            let mut ids = Vec::new();
            for (_, text) in &messages {
                let remembered = engine.remember(chat, text, None).await?;
                ids.extend(
                    api::RememberedDocument::from(&remembered).memories.into_iter().map(|memory| memory.id),
                );
            }
            web.host.jobs.notify_one();
            let known = engine.memories(chat).await?.into_iter().map(|stored| stored.memory);
            known.filter(|memory| ids.contains(&memory.id.to_string())).collect()
        }
        _ => {
            let at = new.timestamp.map(Timestamp::from_second).transpose();
            let at = at.map_err(|_| ApiError::invalid("timestamp: is not a number of seconds since 1970"))?;
            let ids = record(&messages, chat, at, &new, engine).await?;
            web.host.jobs.notify_one();
            extracted(chat, &ids, engine).await?
        }
    };
    let results = memories
        .iter()
        .map(|memory: &Memory| json!({ "id": memory.id, "memory": memory.text, "event": "ADD" }));
    Ok(Json(json!({ "results": results.collect::<Vec<_>>() })))
}

/// The role of a message; `None` for instructions, which no person or assistant said.
fn role(name: &str) -> Option<Role> {
    match name {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

async fn record(
    messages: &[(Role, String)],
    chat: &ChatId,
    at: Option<Timestamp>,
    new: &AddRequest,
    engine: &Engine,
) -> Result<Vec<MessageId>, ApiError> {
    let mut metadata = new.metadata.clone().unwrap_or_default();
    for (field, name) in
        [("agent_id", &new.entity.agent_id), ("app_id", &new.entity.app_id), ("run_id", &new.entity.run_id)]
    {
        if let Some(name) = name {
            metadata.insert(field.to_owned(), name.as_str().into());
        }
    }
    let mut ids = Vec::new();
    for (role, text) in messages {
        let inbound = Inbound {
            role: *role,
            text: text.clone(),
            at,
            metadata: metadata.clone(),
            ..Inbound::in_chat(chat.clone())
        };
        ids.push(engine.record_message(inbound, Purpose::Record).await?.id);
    }
    Ok(ids)
}

/// Waits until the messages were processed, and returns the memories that they prove.
async fn extracted(chat: &ChatId, ids: &[MessageId], engine: &Engine) -> Result<Vec<Memory>, ApiError> {
    let (in_chat, deadline) = (engine.store.chat(chat), Instant::now() + EXTRACTION_TIMEOUT);
    while !in_chat.unextracted(1).await?.is_empty() && Instant::now() < deadline {
        sleep(POLL_INTERVAL).await;
    }
    let is_proven = |memory: &Memory| memory.proofs.iter().any(|proof| ids.contains(&proof.message));
    let known = engine.memories(chat).await?.into_iter().map(|stored| stored.memory);
    Ok(known.filter(|memory| memory.status == Status::Active && is_proven(memory)).collect())
}

/// The memories that match a query, best first.
pub async fn search(caller: Caller, Body { value: query, .. }: Body<MemoryQuery>) -> Answer {
    let chats = chats(&Entity::in_filters(&query.filters)?, &caller).await?;
    let text = query.query.filter(|query| !query.trim().is_empty());
    let text = text.ok_or_else(|| ApiError::invalid("query: is empty"))?;
    let limit = query.top_k.or(query.limit).unwrap_or(10).clamp(1, 1000);
    let question = Question { text, limit, ..Question::default() };
    let found = caller.engine.search(&chats, Some(HitKind::Memory), &question).await?;
    let mut results = Vec::new();
    for hit in found.hits {
        let score = hit.why.share().clamp(0.0, 1.0);
        if score < query.threshold.unwrap_or(0.0) {
            continue;
        }
        let memory = caller.engine.memory(&hit.chat, &hit.id.to_string()).await?.memory;
        results.push(document(&memory, Some(score)));
    }
    Ok(Json(json!({ "results": results })))
}

/// The memories of an entity, oldest first.
pub async fn get_all(
    caller: Caller,
    Params(Page { page, page_size }): Params<Page>,
    Body { value: query, .. }: Body<MemoryQuery>,
) -> Answer {
    let mut all = Vec::new();
    for chat in chats(&Entity::in_filters(&query.filters)?, &caller).await? {
        let known = caller.engine.memories(&chat).await?.into_iter().map(|stored| stored.memory);
        all.extend(known.filter(|memory| memory.status == Status::Active));
    }
    let (page, size) = (page.unwrap_or(1).max(1), page_size.unwrap_or(100).clamp(1, 1000));
    let results: Vec<Value> = all
        .iter()
        .skip((page - 1).saturating_mul(size))
        .take(size)
        .map(|memory| document(memory, None))
        .collect();
    let link = |page: usize| format!("/mem0/v3/memories/?page={page}&page_size={size}");
    let next = (page.saturating_mul(size) < all.len()).then(|| link(page + 1));
    let previous = (page > 1).then(|| link(page - 1));
    Ok(Json(json!({ "count": all.len(), "next": next, "previous": previous, "results": results })))
}

/// One memory. For a replaced memory, this is its successor.
pub async fn get(caller: Caller, Named(id): Named) -> Answer {
    let (_, memory) = current(&id, &caller).await?;
    Ok(Json(document(&memory, None)))
}

/// Changes a memory. Its history keeps the old text under the old id.
pub async fn update(
    State(web): State<Web>,
    caller: Caller,
    Named(id): Named,
    Body { value: changed, .. }: Body<UpdateRequest>,
) -> Answer {
    let text = changed.text.ok_or_else(|| ApiError::invalid("text: a memory is changed by another text"))?;
    let (chat, memory) = current(&id, &caller).await?;
    let edit = Edit { text: Some(text), ..Edit::default() };
    let memory = caller.engine.edit_memory(&chat, &memory.id.to_string(), edit).await?;
    web.host.jobs.notify_one();
    Ok(Json(document(&memory, None)))
}

/// Forgets a memory, and the sentences that prove it.
pub async fn delete(State(web): State<Web>, caller: Caller, Named(id): Named) -> Answer {
    let (chat, memory) = current(&id, &caller).await?;
    api::forget(&chat, &What::Id(memory.id.to_string()), false, &web.host.app, &caller.engine).await?;
    web.host.jobs.notify_one();
    Ok(Json(json!({ "message": "Memory deleted successfully!" })))
}

/// Forgets everything that belongs to an entity.
pub async fn delete_all(
    State(web): State<Web>,
    caller: Caller,
    Params(entity): Params<EntityFields>,
) -> Answer {
    forget_all(&entity.entities()?, &web, &caller).await?;
    Ok(Json(json!({ "message": "Memories deleted successfully!" })))
}

/// Forgets everything that belongs to the entity in the path.
pub async fn delete_entity(
    State(web): State<Web>,
    caller: Caller,
    Path((kind, name)): Path<(String, String)>,
) -> Answer {
    let kind = kind.parse().map_err(|_| ApiError::not_found("kind of entity", &kind))?;
    forget_all(&[Entity { kind, name }], &web, &caller).await?;
    Ok(Json(json!({ "message": "Entity deleted successfully!" })))
}

async fn forget_all(entities: &[Entity], web: &Web, caller: &Caller) -> Result<(), ApiError> {
    for chat in chats(entities, caller).await? {
        api::forget(&chat, &What::All, false, &web.host.app, &caller.engine).await?;
    }
    web.host.jobs.notify_one();
    Ok(())
}

/// The versions of a memory, oldest first.
pub async fn history(caller: Caller, Named(id): Named) -> Answer {
    let (chat, _) = current(&id, &caller).await?;
    let versions = caller.engine.history(&chat, &id).await?;
    let mut before = Value::Null;
    let mut changes = Vec::new();
    for stored in &versions {
        let memory = &stored.memory;
        let event = if before.is_null() { "ADD" } else { "UPDATE" };
        changes.push(json!({
            "id": memory.id, "memory_id": id, "event": event, "old_memory": before, "new_memory": memory.text,
            "input": [], "created_at": stored.learned_at.to_string(), "updated_at": stored.learned_at.to_string(),
        }));
        before = memory.text.as_str().into();
    }
    Ok(Json(Value::Array(changes)))
}

/// The entities that have a chat.
pub async fn entities(caller: Caller) -> Answer {
    let mut results = Vec::new();
    for count in caller.engine.store.chats().await? {
        if let Some(entity) = Entity::from_chat(&count.chat) {
            results
                .push(json!({ "id": entity.name, "name": entity.name, "type": <&str>::from(entity.kind) }));
        }
    }
    Ok(Json(json!({ "count": results.len(), "next": null, "previous": null, "results": results })))
}

/// Finds a memory and its chat by id. For a replaced memory, this is its newest successor.
async fn current(id: &str, caller: &Caller) -> Result<(ChatId, Memory), ApiError> {
    let unknown = || ApiError::not_found("memory", id);
    let memory: MemoryId = id.parse().map_err(|_| unknown())?;
    let chat = caller.engine.store.chat_of_memory(memory).await?.ok_or_else(unknown)?;
    let versions = caller.engine.history(&chat, id).await.map_err(|_| unknown())?;
    let newest =
        versions.into_iter().map(|stored| stored.memory).find(|memory| memory.superseded_by.is_none());
    let newest = newest.filter(|memory| memory.status != Status::Forgotten).ok_or_else(unknown)?;
    Ok((chat, newest))
}

fn document(memory: &Memory, score: Option<f32>) -> Value {
    let mut document = json!({
        "id": memory.id,
        "memory": memory.text,
        "metadata": { "kind": memory.kind.as_str(), "confidence": memory.confidence, "extracted": memory.extracted },
        "categories": [memory.category],
        "created_at": memory.valid_from.to_string(),
        "updated_at": memory.valid_from.to_string(),
    });
    if let Some(fields) = document.as_object_mut() {
        let owner = Entity::from_chat(&memory.chat);
        fields.extend(owner.map(|entity| (entity.kind.field().to_owned(), entity.name.into())));
        fields.extend(score.map(|score| ("score".to_owned(), score.into())));
    }
    document
}
