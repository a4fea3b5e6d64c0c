//! Tokens and costs of models, as `/cost` shows them.

use throughline_store::ledger::SpentOn;

use crate::output::{Style, counted};

/// A table with a row for each purpose and model, and the sum.
pub fn text(rows: &[SpentOn], style: Style) -> String {
    if rows.is_empty() {
        return "No model was called here in the last 30 days.".to_owned();
    }
    let mut lines = vec![style.bold("The last 30 days in this chat")];
    for row in rows {
        let spent = &row.spent;
        lines.push(format!(
            "  {:<10} {:<28} {:>10}  {:>9} in {:>8} out  ${:.4}",
            row.purpose,
            row.model,
            counted(spent.calls, "call"),
            spent.input_tokens,
            spent.output_tokens,
            spent.cost_usd
        ));
    }
    let all: f64 = rows.iter().map(|row| row.spent.cost_usd).sum();
    lines.push(format!("  {} ${all:.4}", style.dim("known cost")));
    lines.join("\n")
}
