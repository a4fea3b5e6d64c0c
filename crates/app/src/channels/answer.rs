//! Renders the answers of slash commands as text, for channels without a rendering of their own.

use throughline_domain::chat::ChatId;
use throughline_domain::turn::{Receipt, ToolReceipt};
use throughline_engine::Engine;
use throughline_engine::commands::upkeep::Status;
use throughline_engine::commands::{Answer, help};
use throughline_store::turns::OpenQuestion;
use throughline_text::shorten::{beginning, one_line};

use crate::commands::{
    conversation_rows, cost_text, explanation, export_text, forget_preview_text, match_ids, routine_list,
    search_table, status_text, summary_text,
};
use crate::output::{Failure, Style, counted};
use crate::wire::App;

/// Maximum length of the question in the line "asking again", in characters.
const LONGEST_QUESTION: usize = 60;

/// Renders an answer as text.
pub async fn text(
    answer: Answer,
    chat: &ChatId,
    app: &App,
    engine: &Engine,
    style: Style,
) -> Result<String, Failure> {
    let zone = &app.settings.zone;
    Ok(match answer {
        Answer::Text(text) => text,
        Answer::Retry(None) => {
            "There is nothing to ask again: every question here has a whole reply.".to_owned()
        }
        Answer::Retry(Some(question)) => asking_again(&question),
        Answer::Help => help(false),
        Answer::Forget(matches) => {
            let short = engine.short_ids(chat, match_ids(&matches.found)).await?;
            forget_preview_text(&matches.found, &matches.what, &short, style)
        }
        Answer::Summaries(summaries) => summary_text(&summaries, zone, style),
        Answer::Routines { all, today } => {
            let listed = routine_list(app, engine.now(), (!all).then_some(chat));
            let today = match today.routines.is_empty() {
                true => "No routine has written here today.".to_owned(),
                false => summary_text(&today, zone, style),
            };
            [listed, today].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        Answer::Found(found) => search_table(&found, zone, engine.now(), style),
        Answer::Receipt(receipt) => receipt_text(&receipt, style),
        Answer::Conversations(found) => {
            let short = engine.short_ids(chat, found.iter().map(|conversation| conversation.id.0)).await?;
            conversation_rows(&found, &short, zone, engine.now(), style)
        }
        Answer::Export => export_text(chat, app, engine).await?,
        Answer::Status(status) => match status {
            Status::Home(report) => status_text(app, engine, &report, style),
            Status::Chat { messages, memories } => {
                let (messages, memories) = (counted(messages, "message"), counted(memories, "memory"));
                format!("{messages}, {memories}, model {}", engine.model_of(chat).await.name())
            }
        },
        Answer::Cost(rows) => cost_text(&rows, style),
    })
}

/// The line that announces which question is asked again.
pub fn asking_again(question: &OpenQuestion) -> String {
    format!("Asking again: {}", beginning(&one_line(&question.text), LONGEST_QUESTION))
}

/// A tool call, such as `search_memories: 3 hits, 4.2 ms`.
pub fn tool_text(call: &ToolReceipt) -> String {
    let what = match (call.is_error, call.hits) {
        (true, _) => "failed, ".to_owned(),
        (false, Some(hits)) => format!("{}, ", counted(u64::from(hits), "hit")),
        (false, None) => String::new(),
    };
    format!("{}: {what}{:.1} ms", call.tool, call.ms)
}

fn receipt_text(receipt: &Receipt, style: Style) -> String {
    let mut text = format!(
        "{} · {} · {} of {} tokens · {:.1} ms before the model\n{}",
        receipt.model,
        receipt.thread,
        receipt.tokens,
        receipt.budget,
        receipt.own_ms,
        explanation(&receipt.layers, style)
    );
    for call in &receipt.tools {
        text.push_str(&format!("\n{} {}", style.good("+"), tool_text(call)));
    }
    for failure in &receipt.degraded {
        text.push_str(&format!("\n{} {failure}", style.bad("!")));
    }
    text
}
