//! Requests, results and lists of turns.

use serde::{Deserialize, Serialize};
use throughline_domain::context::Item;
use throughline_domain::turn::{LayerReceipt, Receipt, ToolReceipt};
use throughline_engine::turn::Outcome;
use throughline_store::ledger::Spent;
use throughline_store::turns::TurnEntry;
use utoipa::ToSchema;

use super::context::ItemDocument;

/// A message to answer.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTurn {
    /// The text.
    pub message: String,
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID; where `reply_to` points, else root, unless given.
    #[schema(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
    /// The agent that answers.
    pub agent: Option<String>,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// The message that it answers, by our id or the channel's.
    pub reply_to: Option<String>,
}

/// A turn and its reply.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnDocument {
    /// The reply.
    pub reply: String,
    /// The turn.
    pub turn: String,
    /// What went into it and why.
    pub receipt: TurnReceipt,
    /// Tokens and cost.
    pub usage: UsageDocument,
}

/// Tokens and cost.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct UsageDocument {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The cost in dollars, if it is known.
    pub cost_usd: Option<f64>,
}

/// Turns, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnsDocument {
    /// The turns.
    pub turns: Vec<TurnEntryDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A turn as it is listed.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnEntryDocument {
    /// The turn.
    pub turn: String,
    /// The chat.
    pub chat: String,
    /// The lane.
    pub lane: String,
    /// running, answered, failed or abandoned.
    pub status: &'static str,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// The message of the reply.
    pub reply: Option<String>,
    /// pending, sent, uncertain or failed.
    pub delivery: Option<&'static str>,
    /// The model that answered.
    pub model: Option<String>,
    /// The preset of its context.
    pub preset: Option<String>,
    /// The tokens of its context.
    pub tokens: Option<u32>,
    /// The budget.
    pub budget: Option<u32>,
    /// Milliseconds before the model was asked.
    pub own_ms: Option<f64>,
    /// Milliseconds until the model had answered.
    pub model_ms: Option<f64>,
    /// What went wrong without stopping the turn.
    pub degraded: Vec<String>,
    /// Tokens and cost.
    pub usage: UsageDocument,
}

/// A turn with its receipt.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptDocument {
    /// The turn.
    #[serde(flatten)]
    pub turn: TurnEntryDocument,
    /// What went into it and why. Nothing if it has not been answered.
    pub receipt: Option<TurnReceipt>,
}

/// What went into a turn and why: ids and figures, never text.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnReceipt {
    /// The preset of the context.
    pub preset: String,
    /// The model that answered.
    pub model: String,
    /// continuation or new.
    pub thread: String,
    /// The budget of the context, in tokens.
    pub budget: u32,
    /// The tokens of the context.
    pub tokens: u32,
    /// Layer by layer.
    pub layers: Vec<ReceiptLayer>,
    /// The calls of tools while the model answered, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ReceiptTool>,
    /// What went wrong without stopping the turn.
    pub degraded: Vec<String>,
    /// Milliseconds before the model was asked.
    pub own_ms: f64,
    /// Milliseconds until the model had answered.
    pub model_ms: f64,
}

/// One layer of a receipt.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptLayer {
    /// policy, identity, profile, summaries, memories, recent, quote or message.
    pub name: String,
    /// The tokens used.
    pub tokens: u32,
    /// Maximum tokens of the layer.
    pub budget: u32,
    /// The pieces in the layer.
    pub items: Vec<ItemDocument>,
    /// The pieces that were left out.
    pub dropped: Vec<ItemDocument>,
}

/// One call of a tool by the model. What it looked for and found is not in it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptTool {
    /// The tool's name; `unknown` if there is none by the name that the model used.
    pub tool: String,
    /// Hits or messages in the answer; nothing if another program carried out the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<u32>,
    /// Milliseconds until the answer.
    pub ms: f64,
    /// Whether the call could not be carried out.
    pub is_error: bool,
}

impl From<&Outcome> for TurnDocument {
    fn from(outcome: &Outcome) -> Self {
        let usage = &outcome.usage;
        Self {
            reply: outcome.reply.text.clone(),
            turn: outcome.turn.to_string(),
            receipt: outcome.receipt.clone().into(),
            usage: UsageDocument {
                input_tokens: usage.input_tokens.into(),
                output_tokens: usage.output_tokens.into(),
                cost_usd: usage.cost_usd,
            },
        }
    }
}

impl From<&Spent> for UsageDocument {
    fn from(spent: &Spent) -> Self {
        let Spent { input_tokens, output_tokens, cost_usd, .. } = *spent;
        Self { input_tokens, output_tokens, cost_usd: Some(cost_usd) }
    }
}

impl From<&TurnEntry> for TurnEntryDocument {
    fn from(turn: &TurnEntry) -> Self {
        let receipt = turn.receipt.as_ref();
        Self {
            turn: turn.id.to_string(),
            chat: turn.chat.to_string(),
            lane: turn.lane.clone(),
            status: turn.status.as_str(),
            started_at: turn.started_at.to_string(),
            ended_at: turn.ended_at.map(|at| at.to_string()),
            reply: turn.reply.map(|id| id.to_string()),
            delivery: turn.delivery.map(|delivery| delivery.as_str()),
            model: receipt.map(|receipt| receipt.model.clone()),
            preset: receipt.map(|receipt| receipt.preset.clone()),
            tokens: receipt.map(|receipt| receipt.tokens),
            budget: receipt.map(|receipt| receipt.budget),
            own_ms: receipt.map(|receipt| receipt.own_ms),
            model_ms: receipt.map(|receipt| receipt.model_ms),
            degraded: receipt.map(|receipt| receipt.degraded.clone()).unwrap_or_default(),
            usage: UsageDocument::from(&turn.spent),
        }
    }
}

impl From<Receipt> for TurnReceipt {
    fn from(receipt: Receipt) -> Self {
        // Destructured, so that a new field cannot be forgotten here.
        let Receipt { preset, model, thread, budget, tokens, layers, tools, degraded, own_ms, model_ms } =
            receipt;
        let layers = layers.into_iter().map(ReceiptLayer::from).collect();
        let tools = tools.into_iter().map(ReceiptTool::from).collect();
        Self { preset, model, thread, budget, tokens, layers, tools, degraded, own_ms, model_ms }
    }
}

impl From<LayerReceipt> for ReceiptLayer {
    fn from(LayerReceipt { name, tokens, budget, items, dropped }: LayerReceipt) -> Self {
        let documents = |items: Vec<Item>| items.into_iter().map(ItemDocument::from).collect();
        Self { name, tokens, budget, items: documents(items), dropped: documents(dropped) }
    }
}

impl From<ToolReceipt> for ReceiptTool {
    fn from(ToolReceipt { tool, hits, ms, is_error }: ToolReceipt) -> Self {
        Self { tool, hits, ms, is_error }
    }
}
