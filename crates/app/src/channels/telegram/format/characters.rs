//! Properties of characters that matter for splitting and measuring text: joined to a neighbor, wide, or invisible.

/// Returns true if a text has no visible character. Telegram refuses such a message.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_unseen(c))
}

/// Returns true if a character belongs to the one before it, as an accent, a skin tone or a joiner does.
pub(super) fn joins_previous(c: char) -> bool {
    matches!(c,
        // Accents and marks that any script may use.
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}'
        // Cyrillic, Hebrew, Arabic.
        | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}'
        | '\u{5C4}' | '\u{5C5}' | '\u{5C7}' | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{6D6}'..='\u{6DC}' | '\u{6DF}'..='\u{6E4}' | '\u{6E7}' | '\u{6E8}' | '\u{6EA}'..='\u{6ED}'
        // Vowel signs of the scripts of India, Thailand and Laos; Hangul in parts; kana voicing.
        | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}'
        | '\u{EB1}' | '\u{EB4}'..='\u{EBC}' | '\u{EC8}'..='\u{ECE}'
        | '\u{1160}'..='\u{11FF}' | '\u{3099}' | '\u{309A}'
        // Joiners, variants of emoji, skin tones, flags of regions.
        | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}'
        | '\u{E0020}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
        || is_indic_sign(c)
}

/// Returns true if a character belongs to the one after it.
pub(super) fn joins_next(c: char) -> bool {
    c == '\u{200D}'
}

/// Returns true if a character is a regional indicator, two of which make a flag.
pub(super) fn is_flag_half(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// The width of a text in a fixed-width font, in columns.
pub(super) fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            _ if joins_previous(c) || is_unseen(c) => 0,
            '\u{1100}'..='\u{115F}'
            | '\u{2E80}'..='\u{A4CF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF00}'..='\u{FF60}'
            | '\u{1F300}'..='\u{1FAFF}'
            | '\u{20000}'..='\u{3FFFD}' => 2,
            '✅' | '❌' | '⭐' => 2,
            _ => 1,
        })
        .sum()
}

/// Devanagari to Malayalam repeat one layout every 128 characters.
fn is_indic_sign(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{D7F}')
        && matches!(u32::from(c) % 0x80, 0..=3 | 0x3C | 0x3E..=0x4D | 0x62 | 0x63)
}

fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}')
}
