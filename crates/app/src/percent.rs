//! Percent-encoding of names that become part of a chat id.

/// The name, with every character that `is_plain` refuses written as `%` and its bytes.
pub fn encode(name: &str, is_plain: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(name.len());
    for c in name.chars() {
        match is_plain(c) {
            true => encoded.push(c),
            false => encoded.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02X}"))),
        }
    }
    encoded
}
