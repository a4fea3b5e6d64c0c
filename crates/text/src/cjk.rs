//! The scripts of Chinese, Japanese and Korean, by character.

/// Chinese characters, as Japanese and Korean write them too.
#[must_use]
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Hiragana.
#[must_use]
pub fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

/// Hiragana and katakana, the narrow forms included.
#[must_use]
pub fn is_kana(c: char) -> bool {
    is_hiragana(c) || matches!(c, '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Characters of scripts without spaces between words. Korean has spaces.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    is_han(c) || is_kana(c)
}

/// Characters of Chinese, Japanese and Korean words.
#[must_use]
pub fn is_cjk(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{ac00}'..='\u{d7af}')
}

/// Characters of the three languages with their punctuation, full-width forms and radicals.
#[must_use]
pub fn is_cjk_or_mark(c: char) -> bool {
    is_cjk(c)
        || matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}' | '\u{323b0}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_is_told_by_its_characters() {
        for (c, expected) in [
            // han, kana, unspaced, cjk, with marks
            ('住', [true, false, true, true, true]),
            ('の', [false, true, true, true, true]),
            ('ｶ', [false, true, true, true, true]),
            ('어', [false, false, false, true, true]),
            ('。', [false, false, false, false, true]),
            ('１', [false, false, false, false, true]),
            ('é', [false; 5]),
        ] {
            let told = [is_han(c), is_kana(c), is_unspaced(c), is_cjk(c), is_cjk_or_mark(c)];
            assert_eq!(told, expected, "{c}");
        }
    }
}
