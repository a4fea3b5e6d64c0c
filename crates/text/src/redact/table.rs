//! Tables: Markdown, tabs and commas. What stands in a column under a secret's name, or in the cell beside it, is a secret;
//! so is what a list of passwords has behind each account.

use super::cues::{Cue, cues};
use super::named::{QUALIFIED, class_of_key};
use super::names::{Kind, ending};
use super::phrases::Phrases;
use super::reading::{holds_marker, leading};
use super::value::Value;
use super::{Class, Found, words};

/// How many columns of a table are read.
const COLUMNS: usize = 32;

/// Longer lines are no rows of a table.
const LONGEST: usize = 2048;

/// Adds the secrets of all tables.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let mut header: Option<Header> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(sign) = separator(line) else {
            header = None;
            continue;
        };
        let cells = cells(line, sign);
        if is_rule(line) {
            continue;
        }
        let ruled = lines.peek().is_some_and(|next| is_rule(next));
        if !ruled && let Some(header) = header.as_ref().filter(|header| header.fits(sign, &cells)) {
            header.take(&cells, text, found);
            continue;
        }
        if sign == '|' && !ruled {
            beside(&cells, text, found);
        }
        header = Header::read(sign, &cells);
    }
}

/// The first row of a table, if a column of it is a secret's.
#[derive(Debug)]
struct Header {
    sign: char,
    columns: Vec<Option<Column>>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy)]
enum Column {
    /// Anything that a person makes up.
    Password,
    /// Digits.
    Pin,
    /// What a program made up.
    Key(Class),
}

impl Header {
    fn read(sign: char, cells: &[&str]) -> Option<Self> {
        let columns: Vec<Option<Column>> = cells.iter().map(|cell| Column::named(cell)).collect();
        // A sentence has commas too.
        let tight = sign != ',' || cells.iter().all(|cell| !cell.starts_with(' ') && cell.len() < 32);
        (columns.iter().any(Option::is_some) && cells.len() > 1 && tight).then_some(Self { sign, columns })
    }

    fn fits(&self, sign: char, cells: &[&str]) -> bool {
        self.sign == sign && self.columns.len() == cells.len()
    }

    fn take(&self, cells: &[&str], text: &str, found: &mut Vec<Found>) {
        for (column, cell) in self.columns.iter().zip(cells) {
            if let Some(column) = column {
                column.take(cell, text, found);
            }
        }
    }
}

impl Column {
    fn named(cell: &str) -> Option<Self> {
        let name = bare(cell);
        let is_pin = |kind| matches!(kind, Kind::Pin | Kind::Code);
        let lower = name.to_lowercase();
        // "Word for password"
        if lower.split(' ').rev().nth(1).is_some_and(|word| QUALIFIED.contains(word)) {
            return None;
        }
        if ending(&lower).iter().any(|known| {
            let front = || lower.strip_suffix(known.literal);
            is_pin(known.kind) && front().is_some_and(|front| front.is_empty() || front.ends_with(' '))
        }) {
            return Some(Self::Pin);
        }
        match class_of_key(name).or_else(|| class_of_key(&lower))? {
            Class::Password => Some(Self::Password),
            class => Some(Self::Key(class)),
        }
    }

    /// Adds what a cell of this column holds, unless it only says something about it.
    fn take(self, cell: &str, text: &str, found: &mut Vec<Found>) {
        let cell = bare(cell);
        let Some(value) = Value::read(cell).filter(|value| !value.is_reference() && !holds_marker(cell))
        else {
            return;
        };
        let whole = value.rest.trim().is_empty();
        if matches!(self, Self::Password)
            && let Some(phrase) = value.several("")
        {
            found.push(Found { span: super::span_of(phrase, text), class: Class::Password });
            return;
        }
        let (secret, class) = match self {
            Self::Password => {
                let said = value.is_remark() || words::is_topic(value.text) || words::is_stand_in(value.text);
                let made = value.is_made_up(4) || value.is_number() || value.text.chars().count() >= 4;
                (whole && made && !said && !value.is_measure(), Class::Password)
            }
            Self::Pin => (whole && value.is_number() && value.text.len() <= 8, Class::Password),
            Self::Key(class) => (whole && value.is_machine_made(8), class),
        };
        if secret {
            found.push(Found { span: super::span_of(value.text, text), class });
        }
    }
}

/// The plurals that a list of passwords is headed with.
static PLURALS: Phrases = Phrases::new("plural");

/// Adds the passwords of "passwords: gmail plum, bank Otter7", in one line or one a line.
pub(super) fn lists(text: &str, found: &mut Vec<Found>) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let lower = leading(head, 64, |_| true).to_lowercase();
        if head.len() > 64 || !PLURALS.iter().any(|plural| lower.trim_end().ends_with(plural)) {
            continue;
        }
        let mut items = Vec::new();
        if rest.trim().is_empty() {
            while let Some(next) = lines.next_if(|next| item(next).is_some()) {
                items.extend(item(next));
            }
        } else {
            let read: Option<Vec<&str>> = rest.split([',', ';']).take(COLUMNS).map(item).collect();
            items = read.unwrap_or_default();
        }
        if items.len() > 1 {
            let taken = items.into_iter().filter(|item| !holds_marker(item));
            taken.for_each(|item| {
                found.push(Found { span: super::span_of(item, text), class: Class::Password })
            });
        }
    }
}

/// The password of a list's item: one word behind an account's name, or a marker.
fn item(text: &str) -> Option<&str> {
    let text = leading(text, LONGEST_ITEM, |_| true).trim().trim_start_matches(['-', '*', '•', ' ']);
    let (name, word) = text.rsplit_once([' ', ':', '='])?;
    let first = leading(name, 32, char::is_alphanumeric);
    let account = cues("", &first.to_lowercase()).any(&[Cue::Account, Cue::Access, Cue::Product]);
    let short = name.split_whitespace().count() <= 3;
    if !short || !account && !first.starts_with(char::is_uppercase) {
        return None;
    }
    if holds_marker(word) {
        return Some(word);
    }
    let value = Value::read(word).filter(|value| !value.is_reference() && value.rest.trim().is_empty())?;
    let said =
        value.is_remark() || words::is_topic(value.text) || words::is_answer(&value.text.to_lowercase());
    (!said && (value.is_word() || value.is_made_up(4))).then_some(value.text)
}

/// Longer items say more than a password.
const LONGEST_ITEM: usize = 64;

/// A row of two cells: the name, and the value beside it.
fn beside(cells: &[&str], text: &str, found: &mut Vec<Found>) {
    let [name, value] = cells else { return };
    if Column::named(value).is_none()
        && let Some(column) = Column::named(name)
    {
        column.take(value, text, found);
    }
}

/// The cell's text without blanks and what makes it bold.
fn bare(cell: &str) -> &str {
    cell.trim_matches([' ', '\t', '\r', '*', '`', '"'])
}

/// What parts the cells of this line, if it has cells.
fn separator(line: &str) -> Option<char> {
    ['|', '\t', ','].into_iter().find(|sign| line.contains(*sign)).filter(|_| line.len() <= LONGEST)
}

/// `|---|:--|`
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.contains('|') && line.bytes().all(|byte| b"|-: \t\r+".contains(&byte))
}

fn cells(line: &str, sign: char) -> Vec<&str> {
    let line = line.trim_end_matches('\r');
    let inside = if sign == '|' { line.trim().trim_start_matches('|').trim_end_matches('|') } else { line };
    let mut quoted = false;
    let parts = inside.split(|c| {
        quoted ^= c == '"' && sign == ',';
        c == sign && !quoted
    });
    parts.take(COLUMNS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn c6_a_column_of_passwords_is_taken_out_and_the_others_are_kept() {
        for (text, expected) in [
            (
                "| Site | User | Password |\n|---|---|---|\n| shop | ana | meadow |\n| bank | ana | lark7 |\nmeadow",
                "| Site | User | Password |\n|---|---|---|\n| shop | ana | [redacted:password] |\n\
                 | bank | ana | [redacted:password] |\nmeadow",
            ),
            (
                "url,username,password\nhttps://a.example,ana,meadow",
                "url,username,password\nhttps://a.example,ana,[redacted:password]",
            ),
            ("| Password | meadow |", "| Password | [redacted:password] |"),
            (
                "| Card | PIN |\n|---|---|\n| Visa | 7410 |",
                "| Card | PIN |\n|---|---|\n| Visa | [redacted:password] |",
            ),
            (
                "| Rule | Password length |\n|---|---|\n| old | 12 |",
                "| Rule | Password length |\n|---|---|\n| old | 12 |",
            ),
            (
                "I need a name, password, and mail\nfirst, second, third",
                "I need a name, password, and mail\nfirst, second, third",
            ),
        ] {
            assert_eq!(redact(text), expected);
            assert_eq!(redact(expected), expected, "twice");
        }
    }
}
