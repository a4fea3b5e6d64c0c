//! Lays out a table as lines of fixed-width text.

use std::iter;

use pulldown_cmark::Alignment;

use super::characters::columns;

/// Maximum width of a column. A longer cell shifts only its own row, so that one long cell does not widen all rows.
const WIDEST: usize = 32;

/// The cells of a table.
#[derive(Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with no rows yet.
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// Begins a row.
    pub fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Adds a cell to the last row, which may have more cells than the table has columns.
    pub fn add_cell(&mut self, cell: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell.trim().to_owned());
        }
    }

    /// Lays out the table, with a ruler below the first row.
    pub fn lay_out(&self) -> String {
        let widths = self.widths();
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        let ruler: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        lines.insert(lines.len().min(1), ruler.join("-+-"));
        lines.join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = columns(cell).min(WIDEST).max(*width);
            }
        }
        widths
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        // The parser pads short rows with empty cells; writing those could take far more space than the source.
        let filled = row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        let columns = widths.iter().copied().zip(self.alignments.iter().copied());
        let cells: Vec<String> = row
            .iter()
            .take(filled)
            .zip(columns.chain(iter::repeat((0, Alignment::None))))
            .map(|(cell, (width, alignment))| pad(cell, width, alignment))
            .collect();
        cells.join(" | ").trim_end().to_owned()
    }
}

fn pad(cell: &str, width: usize, alignment: Alignment) -> String {
    let spare = width.saturating_sub(columns(cell));
    let before = match alignment {
        Alignment::None | Alignment::Left => 0,
        Alignment::Center => spare / 2,
        Alignment::Right => spare,
    };
    format!("{}{cell}{}", " ".repeat(before), " ".repeat(spare - before))
}
