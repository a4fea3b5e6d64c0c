//! Tests of all readers of foreign text with hostile input: repeats, for which the steps are counted, and mutated
//! samples.

mod formats;
mod fuzz;
mod language;
mod steps;

/// A reader of foreign text, and its name.
type Reader = (&'static str, fn(&str));

/// All readers of foreign text.
fn readers() -> impl Iterator<Item = Reader> {
    language::READERS.iter().chain(formats::READERS).copied()
}
