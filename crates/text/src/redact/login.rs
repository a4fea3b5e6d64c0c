//! A user and a password side by side: `curl -u ana:secret`, "log in as ana / secret".

use super::reading::{holds_marker, leading, skip_blanks, starts_afresh, strip_word, trailing};
use super::value::Value;
use super::{Class, Secret, Sight};
use crate::word_list::WordList;

/// How far back the command stands that takes the option.
const LOOK: usize = 256;

/// What may stand between the word and the user's name.
static JOINTS: WordList = WordList::new("with as is are using details info user");

/// The password of a pair.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let text = match sight.literal {
        "sshpass -p" => Value::read(sight.after).filter(|value| !value.is_reference())?.whole(),
        literal if literal.contains('-') => option(sight)?,
        _ => spoken(sight)?,
    };
    Some(Secret { text, class: Class::Password })
}

fn option<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    let command = trailing(sight.before, LOOK, |c| c != '\n');
    if !command.contains("curl") || holds_marker(command) {
        return None;
    }
    let pair = skip_blanks(sight.after).trim_start_matches(['"', '\'']);
    let user = user(pair);
    let value = Value::read(pair.get(user.len()..)?.strip_prefix(':')?)?;
    (!user.is_empty() && !value.is_reference()).then(|| value.whole())
}

/// In speech a slash parts many things; only what looks made up is taken for a password.
fn spoken<'t>(sight: &Sight<'t>) -> Option<&'t str> {
    if !starts_afresh(sight.before) {
        return None;
    }
    let mut rest = skip_blanks(sight.after);
    for _ in 0..3 {
        let word = JOINTS.iter().find_map(|word| strip_word(rest, word));
        let Some(next) = word.or_else(|| rest.strip_prefix([':', '='])) else { break };
        rest = skip_blanks(next);
    }
    let user = user(rest);
    let between = skip_blanks(rest.get(user.len()..)?);
    let value = Value::read(between.strip_prefix(['/', ':', '|'])?)?;
    (user.len() >= 2 && value.is_made_up(6) && !value.is_reference()).then(|| value.whole())
}

fn user(text: &str) -> &str {
    leading(text, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+'))
}
