//! "Did you mean": the known names that are most similar to a misspelled one.

/// Minimum similarity of a suggested name; 1 is equal.
const SIMILAR: f64 = 0.6;

/// The names most similar to `written`, best first, at most `limit`.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let mut ranked: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (similarity(written, name), name))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// The end of a sentence that suggests `names`; empty if there are none.
pub fn did_you_mean(names: &[&str]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean `{only}`?"),
        Some((last, others)) => format!("; did you mean `{}` or `{last}`?", others.join("`, `")),
    }
}

/// The similarity of two names, from 0 to 1. A name that is part of the other, such as `token` of `bot_token`, counts
/// as similar, because people shorten names.
fn similarity(written: &str, name: &str) -> f64 {
    let (written, name) = (plain(written), plain(name));
    let by_letters = strsim::normalized_damerau_levenshtein(&written, &name);
    let words_of =
        |long: &str, short: &str| short.len() >= 3 && format!("_{long}_").contains(&format!("_{short}_"));
    let by_words = if words_of(&name, &written) || words_of(&written, &name) { 0.7 } else { 0.0 };
    by_letters.max(by_words)
}

/// The name without case and separators, which people get wrong most often.
fn plain(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        let names = ["model", "small_model", "zone", "bot_token", "user_id", "allowed_users", "level"];
        let cases = [
            ("modle", "model"),
            ("Model", "model"),
            ("smallmodel", "small_model"),
            ("small-model", "small_model"),
            ("token", "bot_token"),
            ("allowed", "allowed_users"),
            ("zones", "zone"),
            ("time_zone", "zone"),
            ("allowed_user", "allowed_users"),
            ("userid", "user_id"),
        ];
        for (written, meant) in cases {
            assert_eq!(nearest(written, names, 1), [meant], "{written}");
        }
    }

    #[test]
    fn nothing_alike_offers_nothing() {
        for written in ["", "x", "database", "模型", "colour"] {
            assert_eq!(nearest(written, ["model", "zone", "bot_token"], 3), [""; 0], "{written}");
        }
        assert_eq!(did_you_mean(&[]), "");
    }

    #[test]
    fn several_offers_read_as_a_sentence() {
        assert_eq!(did_you_mean(&["a", "b", "c"]), "; did you mean `a`, `b` or `c`?");
    }
}
