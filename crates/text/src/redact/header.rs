//! Headers that carry credentials: `Authorization: Bearer …`, `Cookie: session=…`. The scheme's name stays.

use super::reading::{holds_marker, is_varied, leading, skip_blanks};
use super::value::Value;
use super::{Class, MARKER, Secret, Sight};

/// Schemes of one credential, and those whose credential is a list up to the line's end.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "bot", "negotiate", "ntlm", "jwt", "key"];
const LIST_SCHEMES: &[&str] = &["digest", "oauth", "hawk", "mac", "aws4-hmac-sha256"];

/// How much of a header is looked at to tell a credential from words.
const LOOK: usize = 512;

/// The credential of a header.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let line = header_value(sight.after)?;
    let text =
        if sight.literal.eq_ignore_ascii_case("cookie") { cookies(line)? } else { authorization(line)? };
    Some(Secret { text, class: Class::Token })
}

/// What follows the header's name, be it a header line, a JSON member or an argument.
fn header_value(after: &str) -> Option<&str> {
    let closed = after.trim_start_matches(['"', '\'', '`', '\\', ']']);
    let value = skip_blanks(skip_blanks(closed).strip_prefix([':', '=', ','])?);
    Some(value.trim_start_matches(['"', '\'', '`', '\\']))
}

fn authorization(line: &str) -> Option<&str> {
    let scheme = leading(line, 32, |c| c.is_ascii_alphanumeric() || c == '-');
    let credential = skip_blanks(line.get(scheme.len()..)?);
    let is = |names: &[&str]| names.iter().any(|name| scheme.eq_ignore_ascii_case(name));
    if is(LIST_SCHEMES)
        && !credential.starts_with(MARKER)
        && leading(credential, 64, |c| c != '\n').contains('=')
    {
        return Some(leading(credential, usize::MAX, |c| !matches!(c, '\n' | '\r' | '\'' | '`')).trim_end());
    }
    let has_scheme = is(SCHEMES);
    let value = Value::read(if has_scheme { credential } else { line })?;
    let secret =
        if has_scheme { value.text.len() >= 6 && !value.is_remark() } else { value.is_machine_made(16) };
    (secret && !value.is_reference()).then(|| value.whole())
}

/// Every cookie of the line, if one of them looks drawn at random.
fn cookies(line: &str) -> Option<&str> {
    let name = leading(line, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let look = line.get(..line.floor_char_boundary(LOOK)).map(to_line_end)?;
    let pairs = look.get(name.len()..)?.starts_with('=') && !name.is_empty();
    let random = |pair: &str| {
        let value = pair.split_once('=').map(|(_, value)| value.trim()).unwrap_or_default();
        value.len() >= 12 && is_varied(value)
    };
    (pairs && !holds_marker(look) && look.split(';').any(random)).then(|| to_line_end(line))
}

fn to_line_end(text: &str) -> &str {
    leading(text, usize::MAX, |c| !matches!(c, '\n' | '\r' | '"' | '\'' | '`' | '\\')).trim_end()
}
