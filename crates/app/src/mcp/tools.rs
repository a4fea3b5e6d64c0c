//! The definitions of the tools for clients: arguments, results, and what they may change.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RestrictFormats;
use serde::Deserialize;
use serde_json::{Value, json};
use strum::{EnumIter, EnumString, IntoEnumIterator, IntoStaticStr};
use throughline_engine::tools::{
    CONVERSATION_DESCRIPTION, GetConversation, SEARCH_DESCRIPTION, SearchMemories, schema,
};

use super::connection::Naming;
use crate::api::{ContextDocument, ConversationPage, ForgetDocument, RememberedDocument, SearchDocument};

/// The argument that names a chat, if the connection allows it.
pub const CHAT: &str = "chat";

const ADD_DESCRIPTION: &str = "Keeps one lasting statement about the person, such as \"I moved to Berlin\". Use it if they ask you to remember something, or say something about themselves that will matter later. Write it as they would, in one sentence. It takes the place of what it contradicts.";
const FORGET_DESCRIPTION: &str = "Forgets a topic, or one memory or message by its id. Without `confirm` it changes nothing and shows what would be forgotten: show that to the person, and confirm only if they agree. It can be undone for a while by its receipt.";
const CONTEXT_DESCRIPTION: &str = "Gives everything that helps to answer a message, chosen to fit a budget: the profile of the person, summaries, recent messages, and what earlier conversations say about it. Use it when a conversation begins, or before a long answer.";

/// The tools, in the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MemoryTool {
    SearchMemories,
    GetConversation,
    AddMemory,
    ForgetMemory,
    GetContext,
}

/// Remembers a statement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddMemory {
    /// The statement, in one sentence.
    pub text: String,
    /// Its kind. Left out: the words decide.
    #[serde(default)]
    #[schemars(extend("enum" = ["fact", "preference", "goal", "date", "outcome"]))]
    pub kind: Option<String>,
}

/// Forgets something, or undoes a forgetting.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetMemory {
    /// What to forget, in a few words.
    #[serde(default)]
    pub topic: Option<String>,
    /// Instead of a topic: one memory or message, by its id.
    #[serde(default)]
    pub id: Option<String>,
    /// true forgets; otherwise it is only shown what would be forgotten.
    #[serde(default)]
    pub confirm: bool,
    /// Instead of both: the receipt of a forgetting that is to be undone.
    #[serde(default)]
    pub undo: Option<String>,
}

/// Gives the context of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetContext {
    /// The message to be answered. Left out: what is known whatever comes next.
    #[serde(default)]
    pub message: Option<String>,
    /// Maximum tokens of everything but the message.
    #[serde(default)]
    pub budget: Option<u32>,
}

impl MemoryTool {
    /// All tools.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns true if the tool only reads.
    pub fn only_reads(self) -> bool {
        match self {
            Self::SearchMemories | Self::GetConversation | Self::GetContext => true,
            Self::AddMemory | Self::ForgetMemory => false,
        }
    }

    /// The definition of the tool for clients.
    pub fn definition(self, naming: Naming) -> Tool {
        let (title, description, input, output) = match self {
            Self::SearchMemories => (
                "Search memories",
                SEARCH_DESCRIPTION,
                schema::<SearchMemories>(),
                output::<SearchDocument>(),
            ),
            Self::GetConversation => (
                "Read a conversation",
                CONVERSATION_DESCRIPTION,
                schema::<GetConversation>(),
                output::<ConversationPage>(),
            ),
            Self::AddMemory => {
                ("Add a memory", ADD_DESCRIPTION, schema::<AddMemory>(), output::<RememberedDocument>())
            }
            Self::ForgetMemory => {
                ("Forget", FORGET_DESCRIPTION, schema::<ForgetMemory>(), output::<ForgetDocument>())
            }
            Self::GetContext => {
                ("Get the context", CONTEXT_DESCRIPTION, schema::<GetContext>(), output::<ContextDocument>())
            }
        };
        let hints = ToolAnnotations::new()
            .read_only(self.only_reads())
            .destructive(self == Self::ForgetMemory)
            // A known statement and a forgotten topic change nothing.
            .idempotent(true)
            .open_world(false);
        let name: &'static str = self.into();
        Tool::new(name, description, object(with_chat(input, naming)))
            .with_title(title)
            .with_raw_output_schema(object(output).into())
            .with_annotations(hints)
    }
}

/// The schema of a document.
fn output<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.meta_schema = None);
    // Clients warn about unknown formats, such as uint64.
    let settings = settings.with_transform(RestrictFormats::default());
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The arguments with the one that names a chat, if the model may name one.
fn with_chat(mut input: Value, naming: Naming) -> Value {
    if naming == Naming::Free
        && let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut)
    {
        let argument = json!({
            "type": "string",
            "description": "Another chat of the person, such as cli:chat:work. Left out: the chat of this connection.",
        });
        properties.insert(CHAT.to_owned(), argument);
    }
    input
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(fields) => fields,
        // The schema of a struct is an object.
        _ => JsonObject::new(),
    }
}
