//! Credentials inside a URL: `postgres://ana:secret@host/db`. Host, user and path stay.

use super::reading::{holds_marker, is_varied, leading};
use super::{Class, Secret, Sight, words};

/// Longer than any host and password, so that a hostile run of `://` costs little.
const LOOK: usize = 1024;

/// The password, or the token that stands in the user's place.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    // A bracket opens an address of IPv6, or a marker.
    if !sight.before.ends_with(|c: char| c.is_ascii_alphanumeric()) || sight.after.starts_with('[') {
        return None;
    }
    let look = sight.after.get(..sight.after.floor_char_boundary(LOOK))?;
    memchr::memchr(b'@', look.as_bytes())?;
    let run =
        leading(look, LOOK, |c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\'));
    let user = leading(run, LOOK, |c| !matches!(c, ':' | '/' | '?' | '#' | '@'));
    let rest = run.get(user.len()..).filter(|_| !user.contains('['))?;
    if rest.starts_with('@') {
        return (user.len() >= 20 && is_varied(user)).then_some(Secret { text: user, class: Class::Token });
    }
    let password = password(rest.strip_prefix(':')?)?;
    (!is_placeholder(password)).then_some(Secret { text: password, class: Class::Password })
}

/// What stands between the colon and the host's `@`. A password may hold `@`, and, against the rules, `/`.
fn password(rest: &str) -> Option<&str> {
    let authority = leading(rest, LOOK, |c| !matches!(c, '/' | '?' | '#'));
    if let Some((password, _host)) = authority.rsplit_once('@') {
        return Some(password);
    }
    let is_port = authority.bytes().all(|byte| byte.is_ascii_digit());
    let (password, host) = rest.split_once('@')?;
    let names_host = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    (!is_port && names_host && !password.contains("://")).then_some(password)
}

/// Empty, redacted already, or a variable's name that stands for the password.
fn is_placeholder(password: &str) -> bool {
    password.is_empty()
        || holds_marker(password)
        || password.starts_with(['{', '$', '%'])
        || words::is_stand_in(password)
        || password.bytes().all(|byte| byte == b'*' || byte == b'x')
}
