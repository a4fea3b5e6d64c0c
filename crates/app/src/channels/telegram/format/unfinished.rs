//! Closes the open Markdown marks of a text that is still being written, so that they do not appear literally.

/// Marks that may end a line whose rest has not arrived yet.
const MARKS: [char; 4] = ['*', '_', '~', '`'];

/// The text with the marks of its last line closed. An open fence needs nothing, because the end of the text closes
/// it.
pub(super) fn close(markdown: &str) -> String {
    let text = markdown.trim_end();
    let start_of_line = text.rfind('\n').map_or(0, |newline| newline + 1);
    let (above, line) = text.split_at_checked(start_of_line).unwrap_or((text, ""));
    // A lone `-` or `=` would turn the line above into a heading, and an incomplete fence would appear as code.
    if line.trim_start().chars().all(|c| MARKS.contains(&c) || "-+=#>|".contains(c)) {
        return above.to_owned();
    }
    if is_in_fence(above) {
        return text.to_owned();
    }
    let line = without_half_link(line.trim_end_matches(MARKS));
    format!("{above}{line}{}", missing_marks(&line))
}

fn is_in_fence(lines: &str) -> bool {
    let mut fence: Option<&str> = None;
    for line in lines.lines().map(str::trim) {
        let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { continue };
        let after = line.trim_start_matches(mark);
        let marks = line.strip_suffix(after).unwrap_or_default();
        match fence {
            None if marks.len() >= 3 && !after.contains('`') => fence = Some(marks),
            Some(opened) if after.is_empty() && marks.starts_with(opened) => fence = None,
            None | Some(_) => {}
        }
    }
    fence.is_some()
}

/// The line with an incomplete link at its end reduced to the link's text.
fn without_half_link(line: &str) -> String {
    let whole = || line.to_owned();
    let Some((before, target)) = line.rsplit_once("](") else { return whole() };
    if target.contains(')') {
        return whole();
    }
    let Some((before, text)) = before.rsplit_once('[') else { return whole() };
    format!("{}{text}", before.strip_suffix('!').unwrap_or(before))
}

/// The marks that close the open marks of a line, innermost first.
fn missing_marks(line: &str) -> String {
    let mut open: Vec<String> = Vec::new();
    let mut code: Option<String> = None;
    let mut before = ' ';
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '\\' && code.is_none() {
            characters.next();
        } else if MARKS.contains(&c) {
            let mut marks = String::from(c);
            while let Some(same) = characters.next_if_eq(&c) {
                marks.push(same);
            }
            if c == '`' {
                code = match code {
                    None => Some(marks),
                    Some(opened) if opened == marks => None,
                    Some(opened) => Some(opened),
                };
            } else if code.is_none() {
                let marks = if before.is_whitespace() { &marks } else { close_matching(&mut open, &marks) };
                let opens =
                    !before.is_alphanumeric() && characters.peek().is_some_and(|c| !c.is_whitespace());
                if opens && !marks.is_empty() {
                    open.push(marks.to_owned());
                }
            }
        }
        before = c;
    }
    code.into_iter().chain(open.into_iter().rev()).collect()
}

/// Closes open marks that match, innermost first, and returns the remaining marks.
fn close_matching<'a>(open: &mut Vec<String>, marks: &'a str) -> &'a str {
    let mut left = marks;
    while let Some(rest) = open.last().and_then(|opened| left.strip_prefix(opened.as_str())) {
        open.pop();
        left = rest;
    }
    left
}
