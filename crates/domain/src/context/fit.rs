//! Fits texts into a token limit: one text by its beginning and end, a layer piece by piece.

use std::borrow::Cow;

use super::{Item, Layer, LayerName};
use throughline_text::tokens::{estimate, head, tail};

/// Minimum tokens of a shortened text; less would say nothing.
pub(super) const LEAST: u32 = 24;
/// Tokens of the blank line between two pieces.
const BETWEEN: u32 = 1;
/// Why a piece without room is left out.
const OVER_CAP: &str = "over the layer's cap";

/// The text, or its beginning and end around a marker if it costs more than `most`.
pub(super) fn head_and_tail(text: &str, most: u32) -> Cow<'_, str> {
    let whole = estimate(text);
    if whole <= most {
        return Cow::Borrowed(text);
    }
    let marker = format!("\n… about {} tokens left out …\n", whole.saturating_sub(most));
    let room = most.saturating_sub(estimate(&marker));
    Cow::Owned(format!("{}{marker}{}", head(text, room * 2 / 3), tail(text, room / 3)))
}

/// Shortens a text until its rendering costs at most `cap`; `None` if hardly anything would be left.
pub(super) fn shorten_to(text: &str, cap: u32, render: impl Fn(&str) -> String) -> Option<String> {
    let mut room = cap;
    loop {
        let rendered = render(&head_and_tail(text, room));
        let tokens = estimate(&rendered);
        if tokens <= cap {
            return Some(rendered);
        }
        // By the overshoot and a little more, because a cut text is rarely cut to the token.
        room = room.saturating_sub(tokens - cap + room / 16);
        if room < LEAST {
            return None;
        }
    }
}

/// A layer that is filled piece by piece while its cap lasts.
pub(super) struct Filling<T> {
    layer: Layer,
    left: u32,
    pieces: Vec<(T, String)>,
}

impl<T> Filling<T> {
    /// An empty layer; `frame` is the text around the pieces.
    pub fn new(name: LayerName, cap: u32, frame: &str) -> Self {
        Self { layer: Layer::empty(name, cap), left: cap.saturating_sub(estimate(frame)), pieces: Vec::new() }
    }

    /// The token limit of the next piece.
    pub fn left(&self) -> u32 {
        self.left.saturating_sub(BETWEEN)
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds the piece if it fits, and returns whether it did.
    pub fn offer(
        &mut self,
        piece: T,
        text: String,
        kind: &'static str,
        id: String,
        why: impl Into<Cow<'static, str>>,
    ) -> bool {
        let before = self.pieces.len();
        let tokens = estimate(&text) + BETWEEN;
        match self.left.checked_sub(tokens) {
            Some(left) => {
                self.left = left;
                self.layer.items.push(Item { kind: kind.into(), id, tokens, why: why.into() });
                self.pieces.push((piece, text));
            }
            None => self.refuse(kind, id, tokens, OVER_CAP),
        }
        self.pieces.len() > before
    }

    pub fn refuse(&mut self, kind: &'static str, id: String, tokens: u32, why: &'static str) {
        self.layer.dropped.push(Item { kind: kind.into(), id, tokens, why: why.into() });
    }

    /// The layer and its pieces. The estimate of the whole text decides; if it exceeds the cap, the last pieces are
    /// dropped.
    pub fn finish(mut self, render: impl Fn(&[(T, String)]) -> String) -> (Layer, Vec<T>) {
        loop {
            self.layer.text = if self.pieces.is_empty() { String::new() } else { render(&self.pieces) };
            self.layer.tokens = estimate(&self.layer.text);
            if self.layer.tokens <= self.layer.budget {
                return (self.layer, self.pieces.into_iter().map(|(piece, _)| piece).collect());
            }
            self.pieces.pop();
            let last = self.layer.items.pop();
            self.layer.dropped.extend(last.map(|item| Item { why: OVER_CAP.into(), ..item }));
        }
    }
}
