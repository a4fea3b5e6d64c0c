//! tmp
/// tmp
pub fn estimate(text: &str) -> u32 {
    (text.len() as u32).div_ceil(3)
}
/// tmp
pub fn head(text: &str, tokens: u32) -> &str {
    let mut n = (tokens as usize * 3).min(text.len());
    while !text.is_char_boundary(n) {
        n -= 1
    }
    text.get(..n).unwrap_or("")
}
/// tmp
pub fn tail(text: &str, tokens: u32) -> &str {
    let mut n = text.len().saturating_sub(tokens as usize * 3);
    while !text.is_char_boundary(n) {
        n += 1
    }
    text.get(n..).unwrap_or("")
}
