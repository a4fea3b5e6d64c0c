//! The parameters of a call, however they were sent: JSON, query, form or multipart.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The parameters of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Params {
    pub values: Map<String, Value>,
    pub files: BTreeMap<String, Upload>,
}

/// A file that came with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Upload {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Params {
    /// Reads the query and the body of a request.
    pub fn read(query: &str, content_type: &str, body: &[u8]) -> Self {
        let mut params = Self::default();
        params.add_pairs(query);
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        match kind {
            "application/json" => {
                if let Ok(Value::Object(values)) = serde_json::from_slice(body) {
                    params.values.extend(values);
                }
            }
            "application/x-www-form-urlencoded" => params.add_pairs(&String::from_utf8_lossy(body)),
            "multipart/form-data" => {
                let boundary =
                    content_type.split_once("boundary=").map_or("", |(_, rest)| rest.trim_matches('"'));
                params.add_parts(boundary, body);
            }
            _ => {}
        }
        params
    }

    /// A number, possibly written as text.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.values.get(name)? {
            Value::String(written) => written.trim().parse().ok(),
            other => other.as_i64(),
        }
    }

    /// A text; `None` if it is missing.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// An object or array, possibly written as JSON in a text.
    pub fn nested(&self, name: &str) -> Option<Value> {
        match self.values.get(name)? {
            Value::String(written) => serde_json::from_str(written).ok(),
            other => Some(other.clone()),
        }
    }

    fn add_pairs(&mut self, pairs: &str) {
        for pair in pairs.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(&value.replace('+', " "));
            self.values.insert(decoded(&name.replace('+', " ")), value.into());
        }
    }

    fn add_parts(&mut self, boundary: &str, body: &[u8]) {
        for part in split(body, format!("--{boundary}").as_bytes()) {
            let Some(blank) = find(part, b"\r\n\r\n") else { continue };
            let (head, content) = part.split_at(blank);
            let content = content.get(4..).unwrap_or_default();
            let content = content.strip_suffix(b"\r\n").unwrap_or(content);
            let head = String::from_utf8_lossy(head);
            let Some(name) = quoted(&head, " name=") else { continue };
            match quoted(&head, "filename=") {
                Some(file) => {
                    self.values
                        .entry(name.clone())
                        .or_insert_with(|| json!({ "file_name": file, "file_size": content.len() }));
                    self.files.insert(name, Upload { name: file, bytes: content.to_vec() });
                }
                None => {
                    self.values.insert(name, String::from_utf8_lossy(content).into_owned().into());
                }
            }
        }
    }
}

/// Decodes percent-encoded text.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = after.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn quoted(head: &str, name: &str) -> Option<String> {
    head.split_once(name)?.1.strip_prefix('"')?.split('"').next().map(str::to_owned)
}

fn split<'a>(mut body: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some(at) = find(body, mark) {
        parts.push(body.get(..at).unwrap_or_default());
        body = body.get(at + mark.len()..).unwrap_or_default();
    }
    parts
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_sending_gives_the_same_parameters() {
        let multipart = "--XX\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n-5\r\n--XX\r\n\
            Content-Disposition: form-data; name=\"text\"\r\n\r\na & ü\r\n--XX--\r\n";
        let cases = [
            ("", "application/json; charset=utf-8", r#"{"chat_id":-5,"text":"a & ü"}"#),
            ("chat_id=-5&text=a+%26%20%C3%BC", "", ""),
            ("chat_id=-5", "application/x-www-form-urlencoded", "text=a+%26+%c3%bc"),
            ("", "multipart/form-data; boundary=XX", multipart),
        ];
        for (query, kind, body) in cases {
            let params = Params::read(query, kind, body.as_bytes());
            assert_eq!((params.number("chat_id"), params.text("text")), (Some(-5), Some("a & ü")), "{kind}");
        }
    }

    #[test]
    fn a_file_keeps_its_name_and_every_byte() {
        let mut body =
            b"--X\r\nContent-Disposition: form-data; name=\"document\"; filename=\"a.bin\"\r\n\r\n".to_vec();
        body.extend([0, 13, 10, 255]);
        body.extend(b"\r\n--X--\r\n");
        let params = Params::read("", "multipart/form-data; boundary=\"X\"", &body);
        let expected = Upload { name: "a.bin".to_owned(), bytes: vec![0, 13, 10, 255] };
        assert_eq!(params.files.get("document"), Some(&expected));
    }
}
