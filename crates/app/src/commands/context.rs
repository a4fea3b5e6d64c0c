//! `context`: the exact context of the next turn, and why each piece is there.

use std::fmt::Write as _;

use serde_json::json;
use throughline_domain::context::LayerName;
use throughline_domain::turn::LayerReceipt;

use crate::api::{ContextQuery, context_document, prepare_context, shape};
use crate::cli::Context;
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(args: &Context, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let query = ContextQuery {
        chat: None,
        lane: args.lane.clone(),
        message: args.message.clone(),
        preset: args.preset.map(|preset| preset.as_str().to_owned()),
        budget: args.budget,
        format: args.format.map(|format| format.as_str().to_owned()),
        provider: args.provider,
        reply_to: args.reply_to.clone(),
        no_tags: args.no_tags,
    };
    let (lane, context) = prepare_context(&query, &args.chat, app, &engine).await?;
    output.print(
        || json!(context_document(&args.chat, &lane, context.clone(), args.provider)),
        |style| {
            let prompt = match shape(&context, args.provider) {
                Some(messages) => format!("{messages:#}"),
                None => context.text(),
            };
            if args.explain {
                format!("{prompt}\n\n{}", explanation(&context.receipt(), style))
            } else {
                prompt
            }
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Explains, layer by layer, what the context contains, what was left out, and why.
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
        for (why, count, tokens) in grouped(layer.items.iter().map(|item| (&*item.why, item.tokens))) {
            let _ = writeln!(
                out,
                "  {} {count:>4} × {why} {}",
                style.good("+"),
                style.dim(&format!("({tokens} tokens)"))
            );
        }
        for (why, count, _) in grouped(layer.dropped.iter().map(|item| (&*item.why, 0))) {
            let _ = writeln!(out, "  {} {count:>4} × {why}", style.bad("-"));
        }
    }
    out
}

/// Groups equal reasons, in order of first occurrence.
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
