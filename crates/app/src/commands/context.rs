//! `context`: the exact context of the next turn, and why each piece is there.

use std::fmt::Write as _;

use serde_json::json;
use throughline_domain::context::LayerName;
use throughline_domain::turn::LayerReceipt;

use crate::api::{ContextQuery, context_document, prepare_context, shape};
use crate::cli::Context;
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(what: &Context, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let query = ContextQuery {
        chat: None,
        lane: what.lane.clone(),
        message: what.message.clone(),
        preset: what.preset.map(|preset| preset.as_str().to_owned()),
        budget: what.budget,
        format: what.format.map(|format| format.as_str().to_owned()),
        provider: what.provider,
        reply_to: what.reply_to.clone(),
        no_tags: what.no_tags,
    };
    let (lane, context) = prepare_context(&query, &what.chat, app, &engine).await?;
    output.print(
        || json!(context_document(&what.chat, &lane, context.clone(), what.provider)),
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
