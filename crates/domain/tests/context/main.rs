//! What a model is shown, from gathered material to the last byte: properties, rules by requirement, and golden texts.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]

mod fixture;
mod golden;
mod properties;
mod rules;
mod stable;
