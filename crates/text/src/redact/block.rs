//! Private keys in lines of base64: PEM, OpenSSH, PGP, PuTTY, whole or cut off. Public keys and certificates stay.

use super::reading::{goes_on, holds_marker, is_varied, leading};
use super::{Class, Secret, Sight};

/// Longer than any `BEGIN` or `END` line.
const LINE: usize = 80;

/// The key from its first line to its last, or to where its base64 stops.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let body = if sight.literal.eq_ignore_ascii_case("Private-Lines:") {
        sight.after.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
    } else {
        let title = leading(sight.after, LINE, |c| c != '-');
        let dashes = sight.after.get(title.len()..)?;
        if !title.contains("PRIVATE KEY") || holds_marker(title) || !dashes.starts_with("----") {
            return None;
        }
        dashes.trim_start_matches('-')
    };
    let end = end_line(body).or_else(|| base64_end(body))?;
    let length = sight.after.len() - body.len() + end;
    Some(Secret { text: sight.around(0, length)?, class: Class::PrivateKey })
}

/// Where the `END` line ends that closes this body. Prose between two such lines is not a key.
fn end_line(body: &str) -> Option<usize> {
    let dashes = body.find("----")?;
    let (inside, closing) = body.split_at_checked(dashes)?;
    let title = closing.trim_start_matches('-').trim_start();
    let is_key = breaks_line(inside) || inside.split_whitespace().any(is_base64_line);
    if !title.starts_with("END ") || !is_key || holds_marker(inside) {
        return None;
    }
    let title_len = leading(title, LINE, |c| !matches!(c, '-' | '\n' | '"' | '\\')).len();
    let rest = title.get(title_len..)?.trim_start_matches('-');
    Some(body.len() - rest.len())
}

/// How far a body without an `END` line is still base64; none if it does not begin so.
fn base64_end(body: &str) -> Option<usize> {
    let mut rest = skip_headers(body);
    let mut end = None;
    loop {
        let next = skip_breaks(rest);
        let word = leading(next, usize::MAX, is_base64);
        let behind = next.get(word.len()..)?;
        let stray = goes_on(behind) || behind.starts_with('-');
        let short = end.is_some() && (word.ends_with('=') || word.len() >= 4 && is_varied(word));
        if stray || !(is_base64_line(word) || short) {
            return end;
        }
        rest = behind;
        end = Some(body.len() - rest.len());
    }
}

/// The body behind lines such as `Proc-Type: 4,ENCRYPTED`.
fn skip_headers(body: &str) -> &str {
    let mut rest = body;
    for _ in 0..8 {
        let line = skip_breaks(rest);
        let name = leading(line, LINE, |c| c.is_ascii_alphabetic() || c == '-');
        let Some(value) = line.get(name.len()..).and_then(|line| line.strip_prefix(": ")) else { break };
        let value_len = leading(value, 2 * LINE, |c| !matches!(c, '\n' | '\\')).len();
        rest = value.get(value_len..).unwrap_or_default();
    }
    rest
}

/// Skips blanks and line ends, also those that are written `\n`.
fn skip_breaks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(next) = rest.strip_prefix("\\n").or_else(|| rest.strip_prefix("\\r")) {
        rest = next.trim_start();
    }
    rest
}

fn breaks_line(text: &str) -> bool {
    let first = text.trim_start_matches([' ', '\t', '\r']);
    first.starts_with('\n') || first.starts_with("\\n") || first.starts_with("\\r")
}

fn is_base64_line(word: &str) -> bool {
    word.len() >= 16 && word.chars().all(is_base64) && is_varied(word)
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}
