//! The context of the next turn.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{self, Context, Current, Format, Item, Layer};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, admit};
use throughline_engine::Engine;
use throughline_engine::turn::gather::{ContextRequest, Tags};
use throughline_store::messages::Reference;
use throughline_text::redact::redact;
use utoipa::ToSchema;

use crate::commands::{lane_named, message_named};
use crate::output::Failure;
use crate::wire::App;

/// A question for the context of the next turn.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContextQuery {
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID; where `reply_to` points, else root, unless given.
    #[schema(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
    /// The current message.
    pub message: Option<String>,
    /// standard, tiered, rolling, lane, full or pairs.
    #[schema(pattern = "^(standard|tiered|rolling|lane|full|pairs)$")]
    pub preset: Option<String>,
    /// Maximum tokens of everything but the message.
    pub budget: Option<u32>,
    /// xml, text, roles or messages.
    #[schema(pattern = "^(xml|text|roles|messages)$")]
    pub format: Option<String>,
    /// The provider whose array shape the format `messages` has.
    pub provider: Provider,
    /// The message that it answers, by our id or the channel's.
    pub reply_to: Option<String>,
    /// Whether to leave out the tags by which a model asks to keep something.
    pub no_tags: bool,
}

/// A provider, by the shape of its array of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The system text beside the messages.
    #[default]
    Anthropic,
    /// The system text as the first message.
    Openai,
}

/// The context of the next turn.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct ContextDocument {
    /// The chat.
    pub chat: String,
    /// The lane.
    pub lane: String,
    /// The preset it was made by.
    pub preset: String,
    /// The format.
    pub format: String,
    /// continuation or new.
    pub thread: String,
    /// The message that the current one is most likely about.
    pub anchor: Option<String>,
    /// Maximum tokens of all layers but the message.
    pub budget: u32,
    /// The tokens of all layers but the message.
    pub tokens: u32,
    /// The eight layers, in order.
    pub layers: Vec<LayerDocument>,
    /// The prompt, if the format is one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The prompt, if the format is an array of messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Value>,
}

/// One layer.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct LayerDocument {
    /// policy, identity, profile, summaries, memories, recent, quote or message.
    pub name: String,
    /// The tokens of its text.
    pub tokens: u32,
    /// Maximum tokens of the layer.
    pub budget: u32,
    /// The text.
    pub text: String,
    /// The pieces in the layer.
    pub items: Vec<ItemDocument>,
    /// The pieces that were left out.
    pub dropped: Vec<ItemDocument>,
}

/// One piece, and why it is included or left out.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct ItemDocument {
    /// message, summary, memory, file or note.
    pub kind: Cow<'static, str>,
    /// Its id.
    pub id: String,
    /// Its tokens.
    pub tokens: u32,
    /// Why it is included or left out.
    pub why: Cow<'static, str>,
}

/// Assembles the context for a query, and returns its lane too.
pub async fn prepare(
    query: &ContextQuery,
    chat: &ChatId,
    app: &App,
    engine: &Engine,
) -> Result<(Lane, Context), Failure> {
    let replied = match message_named(query.reply_to.as_deref(), chat, engine).await? {
        Some(target) => {
            let found = engine.store.chat(chat).find(Reference::from(target.as_str())).await?;
            Some((target, found.map(|stored| stored.message)))
        }
        None => None,
    };
    let lane = lane_named(query.lane.as_deref(), chat)?.unwrap_or_else(|| {
        let evidence = replied
            .as_ref()
            .map(|(target, found)| (target.clone(), found.as_ref().map(|message| message.lane.clone())));
        Lane::from_evidence(None, evidence)
    });
    let preset = query.preset.as_deref().map(str::parse).transpose();
    let preset = preset.map_err(|error| Failure::Usage(format!("preset: {error}")))?;
    let format: Option<Format> = query
        .format
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error| Failure::Usage(format!("format: {error}")))?;
    let mut plan = app.plan(preset.unwrap_or(app.settings.context.preset));
    if let Some(budget) = query.budget {
        plan = plan.with_budget(budget);
    }
    let request = ContextRequest {
        message: query.message.clone().map(current).transpose()?,
        reply_to: replied.and_then(|(_, found)| found).map(|message| message.id),
        plan: Some(plan),
        format,
        tags: if query.no_tags { Tags::LeftOut } else { Tags::Taught },
        ..ContextRequest::new(chat.clone(), lane.clone())
    };
    Ok((lane, engine.preview(request).await?))
}

/// The current message, cleaned as in a turn.
fn current(text: String) -> Result<Current, Failure> {
    let text = admit(text, Role::User).map_err(throughline_engine::Error::from)?;
    Ok(Current { ids: Vec::new(), text: redact(&text).into_owned(), speaker: None })
}

/// The array of messages in a provider's shape, if the format is one.
pub fn shape(context: &Context, provider: Provider) -> Option<Value> {
    let provider = match provider {
        Provider::Anthropic => context::Provider::Anthropic,
        Provider::Openai => context::Provider::OpenAi,
    };
    context.prompt.as_ref().map(|prompt| prompt.shaped(provider))
}

/// The document of a context.
pub fn document(chat: &ChatId, lane: &Lane, context: Context, provider: Provider) -> ContextDocument {
    let messages = shape(&context, provider).filter(|_| context.format == Format::Messages);
    ContextDocument {
        chat: chat.to_string(),
        lane: lane.key(chat),
        preset: context.preset.as_str().to_owned(),
        format: context.format.as_str().to_owned(),
        thread: context.thread.as_str().to_owned(),
        anchor: context.anchor.map(|anchor| anchor.message().to_string()),
        budget: context.budget,
        tokens: context.tokens,
        text: messages.is_none().then(|| context.text()),
        layers: context.layers.into_iter().map(LayerDocument::from).collect(),
        messages,
    }
}

impl From<Layer> for LayerDocument {
    fn from(Layer { name, tokens, budget, text, items, dropped }: Layer) -> Self {
        let documents = |items: Vec<Item>| items.into_iter().map(ItemDocument::from).collect();
        let (items, dropped) = (documents(items), documents(dropped));
        Self { name: name.as_str().to_owned(), tokens, budget, text, items, dropped }
    }
}

impl From<Item> for ItemDocument {
    fn from(Item { kind, id, tokens, why }: Item) -> Self {
        Self { kind, id, tokens, why }
    }
}
