//! Reads the text and the usage of a provider's response, whole or streamed.

use serde_json::Value;
use throughline_models::price::Tokens;

use super::request::Api;

/// The part of a response that was read so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The text of the reply.
    pub text: String,
    /// Whether the reply is complete.
    pub is_complete: bool,
    /// The provider's count of tokens.
    pub tokens: Tokens,
}

impl Reply {
    /// Reads a response that arrived in one piece.
    pub fn read(api: Api, body: &[u8]) -> Self {
        let mut reply = Self { is_complete: true, ..Self::default() };
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return reply };
        let blocks = |list: Option<&Value>| -> String {
            let blocks = list.and_then(Value::as_array).into_iter().flatten();
            let is_text = |block: &&Value| matches!(text(block, "/type"), "text" | "output_text");
            blocks.filter(is_text).map(|block| text(block, "/text")).collect()
        };
        reply.text = match api {
            Api::ChatCompletions => text(&body, "/choices/0/message/content").to_owned(),
            Api::Messages => blocks(body.get("content")),
            Api::Responses => {
                let items = body.get("output").and_then(Value::as_array).into_iter().flatten();
                items.map(|item| blocks(item.get("content"))).collect()
            }
        };
        reply.count(&body);
        reply
    }

    fn read_event(&mut self, api: Api, event: &Value) -> bool {
        self.count(event);
        match (api, text(event, "/type")) {
            (Api::ChatCompletions, _) => {
                let choices = event.get("choices").and_then(Value::as_array).into_iter().flatten();
                for choice in choices.filter(|choice| choice.get("index").is_none_or(|index| *index == 0)) {
                    self.text.push_str(text(choice, "/delta/content"));
                    self.is_complete |= choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
                }
                false
            }
            (Api::Messages, "content_block_delta") => {
                self.text.push_str(text(event, "/delta/text"));
                false
            }
            (Api::Responses, "response.output_text.delta") => {
                self.text.push_str(text(event, "/delta"));
                false
            }
            (Api::Messages, "message_stop")
            | (Api::Responses, "response.completed" | "response.incomplete") => {
                self.is_complete = true;
                true
            }
            (Api::Messages | Api::Responses, _) => false,
        }
    }

    /// Updates the count of tokens. Counts are cumulative, so the larger one is the later one.
    fn count(&mut self, json: &Value) {
        let Some(usage) =
            ["/usage", "/message/usage", "/response/usage"].iter().find_map(|path| json.pointer(path))
        else {
            return;
        };
        let figure = |paths: &[&str]| -> u32 {
            let count = paths.iter().find_map(|path| usage.pointer(path)?.as_u64());
            count.map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX))
        };
        // OpenAI includes cached tokens in the input tokens.
        let cached = figure(&["/prompt_tokens_details/cached_tokens", "/input_tokens_details/cached_tokens"]);
        let before = self.tokens;
        self.tokens = Tokens {
            input: before.input.max(figure(&["/input_tokens", "/prompt_tokens"]).saturating_sub(cached)),
            cache_write: before.cache_write.max(figure(&["/cache_creation_input_tokens"])),
            cache_read: before.cache_read.max(figure(&["/cache_read_input_tokens"]).max(cached)),
            output: before.output.max(figure(&["/output_tokens", "/completion_tokens"])),
        };
    }
}

/// Reads server-sent events in pieces that may end anywhere.
pub struct Events {
    api: Api,
    /// The beginning of an incomplete line.
    line: Vec<u8>,
    pub reply: Reply,
}

impl Events {
    pub fn new(api: Api) -> Self {
        Self { api, line: Vec::new(), reply: Reply::default() }
    }

    /// Reads the next piece; `true` if the response ends with it.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        let mut is_over = false;
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                is_over |= self.read_line(&line);
            }
        }
        is_over
    }

    fn read_line(&mut self, line: &[u8]) -> bool {
        let Some(data) = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii) else { return false };
        if data == b"[DONE]" {
            return true;
        }
        serde_json::from_slice::<Value>(data).is_ok_and(|event| self.reply.read_event(self.api, &event))
    }
}

fn text<'a>(json: &'a Value, path: &str) -> &'a str {
    json.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_read_however_its_stream_is_cut_into_pieces() {
        let streams = [
            (
                Api::ChatCompletions,
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße\"}},{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n\
                 data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
            ),
            (
                Api::Messages,
                "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\r\n\r\n\
                 data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße\"}}\n\n\
                 data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n\
                 data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
            (
                Api::Responses,
                "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Grüße\"}\n\n\
                 data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}}\n\n",
            ),
        ];
        let whole = |api| {
            // Anthropic counts cached tokens apart.
            let (input, cache_read) = if api == Api::Messages { (5, 2) } else { (7, 0) };
            let tokens = Tokens { input, cache_read, cache_write: 0, output: 2 };
            Reply { text: "Grüße".to_owned(), is_complete: true, tokens }
        };
        for (api, stream) in streams {
            for size in [1, 7, stream.len()] {
                let mut events = Events::new(api);
                let ends: Vec<bool> =
                    stream.as_bytes().chunks(size).map(|piece| events.push(piece)).collect();
                assert_eq!(events.reply, whole(api), "{api:?} in pieces of {size}");
                assert_eq!(ends.iter().filter(|end| **end).count(), 1, "{api:?} in pieces of {size}");
            }
            let mut cut = Events::new(api);
            let _ = cut.push(stream.as_bytes().get(..stream.len() / 2).unwrap());
            assert!(!cut.reply.is_complete, "{api:?}");
        }
    }

    #[test]
    fn a_plain_answer_is_read_in_each_format() {
        for (api, body) in [
            (Api::ChatCompletions, json!({ "choices": [{ "message": { "content": "Hello" } }] })),
            (
                Api::Messages,
                json!({ "content": [{ "type": "thinking", "thinking": "…" }, { "type": "text", "text": "Hello" }] }),
            ),
            (
                Api::Responses,
                json!({ "output": [{ "type": "reasoning" }, { "content": [{ "type": "output_text", "text": "Hello" }] }] }),
            ),
        ] {
            assert_eq!(Reply::read(api, body.to_string().as_bytes()).text, "Hello", "{api:?}");
        }
    }
}
