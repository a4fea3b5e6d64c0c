//! `context`: the exact context of the next turn, and why each piece is there.

use std::fmt::Write as _;

use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::context::{self, Current, Format, LayerName};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, admit};
use throughline_domain::turn::LayerReceipt;
use throughline_engine::turn::gather::{ContextRequest, Tags};
use throughline_store::messages::Reference;
use throughline_text::redact::redact;

use super::lane;
use super::record::named;
use crate::cli::{Context, Provider};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(what: &Context, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let reply_to = named(what.reply_to.as_deref(), &what.chat, &engine).await?;
    let replied = match &reply_to {
        Some(target) => {
            let found = engine.store.chat(&what.chat).find(Reference::from(target.as_str())).await?;
            Some((target.clone(), found.map(|stored| stored.message)))
        }
        None => None,
    };
    let lane = lane(what.lane.as_deref(), &what.chat)?.unwrap_or_else(|| {
        let evidence = replied
            .as_ref()
            .map(|(target, found)| (target.clone(), found.as_ref().map(|message| message.lane.clone())));
        Lane::from_evidence(None, evidence)
    });
    let mut plan = app.plan(what.preset.unwrap_or(app.settings.context.preset));
    if let Some(budget) = what.budget {
        plan = plan.with_budget(budget);
    }
    let request = ContextRequest {
        message: what.message.clone().map(current).transpose()?,
        reply_to: replied.and_then(|(_, found)| found).map(|message| message.id),
        plan: Some(plan),
        format: what.format,
        tags: if what.no_tags { Tags::LeftOut } else { Tags::Taught },
        ..ContextRequest::new(what.chat.clone(), lane.clone())
    };
    let context = engine.preview(request).await?;
    output.print(
        || document(&what.chat, &lane, &context, what.provider),
        |style| {
            let prompt = match shape(&context, what.provider) {
                Some(messages) => format!("{messages:#}"),
                None => context.text(),
            };
            if what.explain {
                format!("{prompt}\n\n{}", explanation(&context.receipt(), style))
            } else {
                prompt
            }
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// The current message, cleaned as a turn does it.
fn current(text: String) -> Result<Current, Failure> {
    let text = admit(text, Role::User).map_err(throughline_engine::Error::from)?;
    Ok(Current { ids: Vec::new(), text: redact(&text).into_owned(), speaker: None })
}

fn shape(context: &context::Context, provider: Provider) -> Option<Value> {
    let provider = match provider {
        Provider::Anthropic => context::Provider::Anthropic,
        Provider::Openai => context::Provider::OpenAi,
    };
    context.prompt.as_ref().map(|prompt| prompt.shaped(provider))
}

fn document(chat: &ChatId, lane: &Lane, context: &context::Context, provider: Provider) -> Value {
    let mut document = json!({
        "chat": chat,
        "lane": lane.key(chat),
        "preset": context.preset.as_str(),
        "format": context.format.as_str(),
        "thread": context.thread.as_str(),
        "anchor": context.anchor.map(|anchor| anchor.message()),
        "budget": context.budget,
        "tokens": context.tokens,
        "layers": context.layers,
    });
    let (key, value) = match (context.format, shape(context, provider)) {
        (Format::Messages, Some(messages)) => ("messages", messages),
        _ => ("text", json!(context.text())),
    };
    if let Some(map) = document.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
    document
}

/// Layer by layer: what is there, what is not, and why.
pub fn explanation(layers: &[LayerReceipt], style: Style) -> String {
    let mut out = String::new();
    for layer in layers {
        let within = if layer.name == LayerName::Message.as_str() {
            String::new()
        } else {
            format!(" of {}", layer.budget)
        };
        let _ = writeln!(
            out,
            "{}  {}",
            style.bold(&format!("{:<10}", layer.name)),
            style.dim(&format!("{} tokens{within}", layer.tokens))
        );
        for (why, count, tokens) in grouped(layer.items.iter().map(|item| (item.why.as_str(), item.tokens))) {
            let _ = writeln!(
                out,
                "  {} {count:>4} × {why} {}",
                style.good("+"),
                style.dim(&format!("({tokens} tokens)"))
            );
        }
        for (why, count, _) in grouped(layer.dropped.iter().map(|item| (item.why.as_str(), 0))) {
            let _ = writeln!(out, "  {} {count:>4} × {why}", style.bad("-"));
        }
    }
    out
}

/// Equal reasons as one, in order of their first.
fn grouped<'a>(reasons: impl Iterator<Item = (&'a str, u32)>) -> Vec<(&'a str, usize, u32)> {
    let mut groups: Vec<(&str, usize, u32)> = Vec::new();
    for (why, tokens) in reasons {
        match groups.iter_mut().find(|group| group.0 == why) {
            Some(group) => {
                group.1 += 1;
                group.2 += tokens;
            }
            None => groups.push((why, 1, tokens)),
        }
    }
    groups
}
