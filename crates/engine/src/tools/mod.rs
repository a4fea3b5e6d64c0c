//! The tools with which a model searches the memory of one chat. A turn and an MCP connection share them; results are
//! fenced as data.

mod fenced;
mod turn;

use std::sync::LazyLock;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::message::MessageId;
use throughline_domain::time::read_moment;
pub use throughline_models::{Called, Definition};

pub use self::turn::RULE;

use self::fenced::MAX_MESSAGE_TOKENS;
use crate::recall::Question;
use crate::search::{HitKind, Results};
use crate::{Engine, Error};

/// Default and maximum number of hits.
const DEFAULT_HITS: usize = 10;
const MAX_HITS: usize = 50;
/// Default and maximum number of messages on a page of a conversation.
const DEFAULT_PAGE: usize = 50;
const MAX_PAGE: usize = 200;
/// Maximum tokens on a page of a conversation, which leaves the model room to answer.
const MAX_PAGE_TOKENS: u32 = 6_000;
/// Maximum offset of a page of hits.
const MAX_OFFSET: usize = 1_000;

/// Searches the memory.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchMemories {
    /// What to look for, in your own words: names, things, or a question. A phrase of time such as "last Tuesday" selects
    /// its days.
    pub query: String,
    /// Only one kind. Left out: messages, and the memories that are about the question.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// Only what was said at this moment or later: a date or an RFC 3339 time.
    #[serde(default)]
    pub since: Option<String>,
    /// Only what was said before this moment: a date or an RFC 3339 time.
    #[serde(default)]
    pub until: Option<String>,
    /// Maximum number of hits: 10 unless given, at most 50.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u16>,
    /// The `next_cursor` of an earlier answer, for the hits that follow.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A kind of hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What was said.
    Message,
    /// What was learned about the person.
    Memory,
    /// Summaries of conversations.
    Summary,
}

impl From<Kind> for HitKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Message => Self::Message,
            Kind::Memory => Self::Memory,
            Kind::Summary => Self::Summary,
        }
    }
}

/// Reads a conversation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversation {
    /// The id of a conversation, or of a message in it, as a search gives it.
    pub id: String,
    /// Maximum number of messages: 50 unless given, at most 200.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u16>,
    /// The `next_cursor` of an earlier answer, for the messages that follow.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The name of the tool that searches.
pub const SEARCH_MEMORIES: &str = "search_memories";
/// The name of the tool that reads a conversation.
pub const GET_CONVERSATION: &str = "get_conversation";
/// The description of the search tool.
pub const SEARCH_DESCRIPTION: &str = "Searches everything that was said in this chat and everything known about the person, by words, meaning and time. Use it before you say that you do not know or do not remember something about the person, their plans or an earlier conversation.";
/// The description of the conversation tool.
pub const CONVERSATION_DESCRIPTION: &str = "Reads an earlier conversation word for word. Use it when a hit of search_memories needs what was said around it.";

/// The tools of a turn.
#[must_use]
pub fn definitions() -> &'static [Definition] {
    static DEFINITIONS: LazyLock<[Definition; 2]> = LazyLock::new(|| {
        [
            Definition {
                name: SEARCH_MEMORIES,
                description: SEARCH_DESCRIPTION,
                schema: schema::<SearchMemories>(),
            },
            Definition {
                name: GET_CONVERSATION,
                description: CONVERSATION_DESCRIPTION,
                schema: schema::<GetConversation>(),
            },
        ]
    });
    DEFINITIONS.as_slice()
}

/// The instructions for a model in another program, with the rule to search first.
#[must_use]
pub fn instructions() -> String {
    format!("{}{RULE}\n", include_str!("../../prompts/mcp.md"))
}

/// The JSON schema of arguments, without parts that cost tokens and tell a model nothing.
#[must_use]
pub fn schema<T: JsonSchema>() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        })
        .into_generator();
    let mut schema = generator.root_schema_for::<T>();
    for about_the_type in ["title", "description"] {
        schema.remove(about_the_type);
    }
    let mut schema = schema.to_value();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(plain);
    }
    schema
}

/// Simplifies a property: an optional argument need not allow null, and a choice need not wrap each value in an
/// object.
fn plain(property: &mut Value) {
    let Some(fields) = property.as_object_mut() else { return };
    fields.remove("format");
    if fields.get("default") == Some(&Value::Null) {
        fields.remove("default");
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    let choices = fields.get("anyOf").and_then(|any| any.pointer("/0/oneOf")).and_then(Value::as_array);
    if let Some(choices) = choices {
        let values: Vec<Value> = choices.iter().filter_map(|choice| choice.get("const").cloned()).collect();
        fields.remove("anyOf");
        fields.insert("type".to_owned(), "string".into());
        fields.insert("enum".to_owned(), values.into());
    }
    if let Some(Value::String(words)) = fields.get_mut("description") {
        *words = words.replace('\n', " ");
    }
}

/// One page of a result.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The content.
    pub items: T,
    /// The cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
}

/// Messages of a conversation.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Its first message.
    pub id: MessageId,
    /// The number of its messages.
    pub messages: usize,
    /// The messages on this page, oldest first.
    pub shown: Vec<StoredMessage>,
}

/// The tools of one chat.
#[derive(Clone)]
pub struct MemoryTools {
    /// The engine.
    pub engine: Engine,
    /// The chat.
    pub chat: ChatId,
    /// Messages to leave out, such as the question itself.
    pub except: Vec<MessageId>,
}

impl MemoryTools {
    /// Calls a tool by name. Invalid arguments are answered as well.
    pub async fn call(&self, name: &str, given: &Value) -> Called {
        let called = match name {
            SEARCH_MEMORIES => match arguments(given) {
                Ok(asked) => self.search_text(&asked).await,
                Err(why) => Err(why),
            },
            GET_CONVERSATION => match arguments(given) {
                Ok(asked) => self.conversation_text(&asked).await,
                Err(why) => Err(why),
            },
            _ => Err(format!("there is no tool {name:?}")),
        };
        called.map_or_else(
            |why| Called { text: why, hits: 0, is_error: true },
            |(text, hits)| Called { text, hits, is_error: false },
        )
    }

    async fn search_text(&self, asked: &SearchMemories) -> Result<(String, usize), String> {
        let page = self.search(asked).await?;
        Ok((self.fenced_hits(&asked.query, &page), page.items.hits.len()))
    }

    async fn conversation_text(&self, asked: &GetConversation) -> Result<(String, usize), String> {
        let page = self.conversation(asked).await?;
        Ok((self.fenced_conversation(&page), page.items.shown.len()))
    }

    /// Searches the chat.
    ///
    /// # Errors
    /// If an argument is invalid or the store fails, in a sentence.
    pub async fn search(&self, asked: &SearchMemories) -> Result<Page<Results>, String> {
        let skipped = offset(asked.cursor.as_deref())?;
        let wanted = asked.limit.map_or(DEFAULT_HITS, usize::from).clamp(1, MAX_HITS);
        let question = Question {
            text: asked.query.clone(),
            since: self.moment("since", asked.since.as_deref())?,
            until: self.moment("until", asked.until.as_deref())?,
            except: self.except.clone(),
            // One more hit than wanted shows whether there is another page.
            limit: skipped + wanted + 1,
            ..Question::default()
        };
        let kind = asked.kind.map(HitKind::from);
        let found = self.engine.search(std::slice::from_ref(&self.chat), kind, &question).await;
        let mut found = found.map_err(|error| error.to_string())?;
        let end = skipped + wanted;
        let next_cursor = (found.hits.len() > end && end < MAX_OFFSET).then(|| end.to_string());
        found.hits.truncate(end);
        found.hits.drain(..skipped.min(found.hits.len()));
        Ok(Page { items: found, next_cursor })
    }

    /// Reads a conversation.
    ///
    /// # Errors
    /// If no conversation has this id or the store fails, in a sentence.
    pub async fn conversation(&self, asked: &GetConversation) -> Result<Page<Conversation>, String> {
        let skipped = offset(asked.cursor.as_deref())?;
        let wanted = asked.limit.map_or(DEFAULT_PAGE, usize::from).clamp(1, MAX_PAGE);
        let told = |error: Error| error.to_string();
        let unknown = || {
            format!(
                "there is no conversation {:?} here: take an id from search_memories",
                shortened(&asked.id)
            )
        };
        let id = self.engine.message_named(&self.chat, asked.id.trim()).await.map_err(told)?;
        let id = id.ok_or_else(unknown)?;
        let messages = self.engine.store.chat(&self.chat).conversation(id).await;
        let messages = messages.map_err(|error| error.to_string())?;
        let first = messages.first().map(|stored| stored.message.id).ok_or_else(unknown)?;
        let all = messages.len();
        let mut tokens = 0u32;
        let fits = |stored: &StoredMessage| {
            let is_first = tokens == 0;
            tokens = tokens.saturating_add(stored.tokens.clamp(1, MAX_MESSAGE_TOKENS));
            is_first || tokens <= MAX_PAGE_TOKENS
        };
        let shown: Vec<StoredMessage> =
            messages.into_iter().skip(skipped).take(wanted).take_while(fits).collect();
        let end = skipped + shown.len();
        let next_cursor = (end < all).then(|| end.to_string());
        Ok(Page { items: Conversation { id: first, messages: all, shown }, next_cursor })
    }

    fn moment(&self, name: &str, text: Option<&str>) -> Result<Option<Timestamp>, String> {
        text.map(|text| read_moment(text, &self.engine.settings.zone))
            .transpose()
            .map_err(|error| format!("{name}: {error}"))
    }
}

/// Parses the arguments of a call.
///
/// # Errors
/// If they do not match the tool, in a sentence.
pub fn arguments<T: DeserializeOwned>(given: &Value) -> Result<T, String> {
    T::deserialize(given).map_err(|error| format!("the arguments cannot be used: {error}"))
}

fn offset(cursor: Option<&str>) -> Result<usize, String> {
    let Some(cursor) = cursor.map(str::trim).filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
    let unknown = || "cursor: take it as it is from `next_cursor` of an earlier answer".to_owned();
    cursor.parse().ok().filter(|offset| *offset <= MAX_OFFSET * MAX_OFFSET).ok_or_else(unknown)
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
