//! Renders messages, memories and summaries as Markdown.

use std::io::{self, Write};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use throughline_domain::memory::{Memory, Status};
use throughline_domain::message::Message;
use throughline_domain::time;
use throughline_store::carried::CarriedSummary;
use throughline_text::printable::printable;

use crate::imports::jsonl::ExportedFile;
use crate::output::counted;

/// Writes the title of a page.
pub fn title(text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# {}\n", printable(text))
}

/// Writes messages under headings of their days.
#[derive(Default)]
pub struct Days {
    day: Option<Date>,
}

impl Days {
    /// Writes a message.
    pub fn write(
        &mut self,
        message: &Message,
        files: &[ExportedFile],
        zone: &TimeZone,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let today = time::day(message.occurred_at, zone);
        if self.day != Some(today) {
            writeln!(out, "## {}\n", time::long_date(message.occurred_at, zone))?;
            self.day = Some(today);
        }
        let who = printable(message.speaker.as_deref().unwrap_or(message.role.as_str()));
        writeln!(out, "**{who}** {}\n\n{}", time::clock(message.occurred_at, zone), quoted(&message.text))?;
        for file in files {
            let name = printable(file.name.as_deref().unwrap_or("file"));
            writeln!(out, "> [{name}]({})\n", file.path)?;
        }
        Ok(())
    }
}

/// Writes a memory; a forgotten one has no text.
pub fn memory(memory: &Memory, zone: &TimeZone, out: &mut impl Write) -> io::Result<()> {
    if memory.status == Status::Forgotten {
        return Ok(());
    }
    let text = printable(&memory.text).replace('\n', " ");
    let from = time::day(memory.valid_from, zone);
    let valid = match memory.valid_to {
        Some(to) => format!("{from} to {}", time::day(to, zone)),
        None => format!("since {from}"),
    };
    writeln!(out, "- {text} ({}, {}, {valid})", memory.kind.as_str(), memory.status.as_str())
}

/// Writes a summary.
pub fn summary(summary: &CarriedSummary, zone: &TimeZone, out: &mut impl Write) -> io::Result<()> {
    let (from, to) = (time::day(summary.said.0, zone), time::day(summary.said.1, zone));
    let days = if from == to { from.to_string() } else { format!("{from} to {to}") };
    let (scope, messages) = (summary.scope.as_str(), counted(summary.messages, "message"));
    writeln!(out, "## {days} ({scope}, {messages})\n\n{}", quoted(&summary.text))
}

fn quoted(text: &str) -> String {
    format!("> {}\n", printable(text).replace('\n', "\n> "))
}
