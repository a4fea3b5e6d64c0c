//! The report of an evaluation, as a JSON document or as tables with a row for each category.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};
use throughline_domain::recall::score::Verdict;

use super::context::Contexts;
use super::metrics::{Figures, NAMES, percentile};
use super::summaries::Summaries;
use crate::cli::Dataset;
use crate::output::{Style, counted};

/// The category of questions with a false premise.
pub const ADVERSARIAL: &str = "adversarial";

/// The row for all other categories together.
pub const NON_ADVERSARIAL: &str = "non-adversarial";

const VERDICTS: [(&str, Verdict); 3] =
    [("strong", Verdict::Strong), ("weak", Verdict::Weak), ("none", Verdict::None)];

/// The result of one question.
pub struct Answer {
    pub category: String,
    pub verdict: Verdict,
    pub elapsed: Duration,
    /// `None` if the question has no gold.
    pub scores: Option<Scores>,
}

/// The figures of a ranking, by message and by conversation.
#[derive(Clone, Copy)]
pub struct Scores {
    pub messages: Figures,
    pub conversations: Figures,
}

/// The results of all questions.
pub struct Report {
    pub dataset: Dataset,
    pub answers: Vec<Answer>,
    /// The measurements of contexts, if requested.
    pub contexts: Option<Contexts>,
    /// The measurements of summaries, if there are summaries.
    pub summaries: Option<Summaries>,
    pub elapsed: Duration,
}

impl Report {
    pub fn document(&self) -> Value {
        let whole = self.whole();
        let mut document = Map::new();
        document.insert("dataset".into(), json!(<&str>::from(self.dataset)));
        document.insert("questions".into(), json!(whole.answers.len()));
        document.insert("without_gold".into(), json!(whole.without_gold()));
        document.insert("metrics".into(), named(whole.mean(self.level())).into());
        if self.level() == Level::Messages {
            document.insert("conversations".into(), named(whole.mean(Level::Conversations)).into());
        }
        let categories = self.categories().into_iter();
        let categories: Map<_, _> =
            categories.map(|(name, group)| (name.to_owned(), self.category(&group))).collect();
        document.insert("by_category".into(), categories.into());
        document.insert("verdicts".into(), counted_verdicts(&whole));
        let times = json!({ "p50": self.search_ms(0.5), "p99": self.search_ms(0.99) });
        document.insert("search_ms".into(), times);
        if let Some(contexts) = &self.contexts {
            document.insert("context".into(), contexts.document());
        }
        if let Some(summaries) = &self.summaries {
            document.insert("summaries".into(), summaries.document());
        }
        document.insert("took_s".into(), json!(self.elapsed.as_secs_f64()));
        document.into()
    }

    fn category(&self, group: &Group<'_>) -> Value {
        let mut document = Map::new();
        document.insert("questions".into(), json!(group.answers.len()));
        document.insert("without_gold".into(), json!(group.without_gold()));
        document.extend(named(group.mean(self.level())));
        if self.level() == Level::Messages {
            document.insert("conversations".into(), named(group.mean(Level::Conversations)).into());
        }
        document.insert("verdicts".into(), counted_verdicts(group));
        document.into()
    }

    pub fn text(&self, style: Style) -> String {
        let mut rows = self.categories();
        rows.push(("all", self.whole()));
        let mut out = String::new();
        let levels: &[Level] = match self.level() {
            Level::Messages => &[Level::Messages, Level::Conversations],
            Level::Conversations => &[Level::Conversations],
        };
        for level in levels {
            let _ = writeln!(out, "{}", style.bold(&heading(level.into(), &NAMES.map(short))));
            for (name, group) in &rows {
                let cells = group.mean(*level).map(|figures| figures.values().map(percentage));
                let cells = cells.unwrap_or_else(|| NAMES.map(|_| "–".to_owned()));
                let _ = writeln!(out, "{}", row(name, group.answers.len() - group.without_gold(), &cells));
            }
            out.push('\n');
        }
        let verdicts = VERDICTS.map(|(name, _)| name.to_owned());
        let _ = writeln!(out, "{}", style.bold(&heading("verdicts", &verdicts)));
        for (name, group) in &rows {
            let cells = group.verdicts().map(|count| count.to_string());
            let _ = writeln!(out, "{}", row(name, group.answers.len(), &cells));
        }
        if let Some(contexts) = &self.contexts {
            let _ = write!(out, "\n{}", contexts.text(style));
        }
        if let Some(summaries) = &self.summaries {
            let _ = write!(out, "\n{}", summaries.text(style));
        }
        let _ = writeln!(out, "\n{}", style.dim(&self.last_line()));
        out
    }

    fn last_line(&self) -> String {
        format!(
            "{}, {} without gold; a search took {:.1} ms (p50), {:.1} ms (p99); all of it {:.1} s",
            counted(self.answers.len() as u64, "question"),
            self.whole().without_gold(),
            self.search_ms(0.5),
            self.search_ms(0.99),
            self.elapsed.as_secs_f64()
        )
    }

    /// A percentile of the search times, in milliseconds.
    fn search_ms(&self, share: f64) -> f64 {
        let times: Vec<f64> = self.answers.iter().map(|answer| answer.elapsed.as_secs_f64() * 1e3).collect();
        percentile(&times, share)
    }

    /// The unit of the dataset's figures.
    fn level(&self) -> Level {
        match self.dataset {
            Dataset::Locomo | Dataset::Recall | Dataset::Extraction => Level::Messages,
            Dataset::Longmemeval => Level::Conversations,
        }
    }

    fn whole(&self) -> Group<'_> {
        Group { answers: self.answers.iter().collect() }
    }

    fn group(&self, belongs: impl Fn(&str) -> bool) -> Group<'_> {
        Group { answers: self.answers.iter().filter(|answer| belongs(&answer.category)).collect() }
    }

    /// The categories by name, then all non-adversarial ones together.
    fn categories(&self) -> Vec<(&str, Group<'_>)> {
        let names: BTreeSet<&str> = self.answers.iter().map(|answer| answer.category.as_str()).collect();
        let mut groups: Vec<_> =
            names.into_iter().map(|name| (name, self.group(|category| category == name))).collect();
        match self.dataset {
            Dataset::Locomo | Dataset::Recall => {
                groups.push((NON_ADVERSARIAL, self.group(|category| category != ADVERSARIAL)));
            }
            Dataset::Longmemeval | Dataset::Extraction => {}
        }
        groups
    }
}

/// The unit of a figure.
#[derive(Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
enum Level {
    Messages,
    Conversations,
}

/// A group of answers.
struct Group<'a> {
    answers: Vec<&'a Answer>,
}

impl Group<'_> {
    fn without_gold(&self) -> usize {
        self.answers.iter().filter(|answer| answer.scores.is_none()).count()
    }

    fn mean(&self, level: Level) -> Option<Figures> {
        let scores = self.answers.iter().filter_map(|answer| answer.scores);
        Figures::mean(scores.map(|scores| match level {
            Level::Messages => scores.messages,
            Level::Conversations => scores.conversations,
        }))
    }

    /// The numbers of strong, weak and missing best hits.
    fn verdicts(&self) -> [usize; 3] {
        let count = |verdict| self.answers.iter().filter(|answer| answer.verdict == verdict).count();
        VERDICTS.map(|(_, verdict)| count(verdict))
    }
}

/// The figures by name; null if there are none.
fn named(figures: Option<Figures>) -> Map<String, Value> {
    let values = figures.map(|figures| figures.values());
    let value = |at: usize| json!(values.and_then(|values| values.get(at).copied()));
    NAMES.iter().enumerate().map(|(at, name)| ((*name).to_owned(), value(at))).collect()
}

fn counted_verdicts(group: &Group<'_>) -> Value {
    let counts = VERDICTS.into_iter().zip(group.verdicts());
    counts.map(|((name, _), count)| (name.to_owned(), json!(count))).collect::<Map<_, _>>().into()
}

fn heading(title: &str, columns: &[String]) -> String {
    format!("{title:<26}{:>10}{}", "questions", cells(columns))
}

fn row(name: &str, questions: usize, columns: &[String]) -> String {
    format!("{name:<26}{questions:>10}{}", cells(columns))
}

fn cells(columns: &[String]) -> String {
    columns.iter().map(|cell| format!("{cell:>10}")).collect()
}

/// A name that fits over its column: `any@5` for `recall_any@5`.
fn short(name: &str) -> String {
    name.trim_start_matches("recall_").to_owned()
}

fn percentage(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
