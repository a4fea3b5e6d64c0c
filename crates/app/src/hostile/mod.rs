//! Input that is made to hurt: everything that reads foreign text, on repeats that count its steps and on mutated samples.

mod formats;
mod fuzz;
mod language;
mod steps;

/// Something that reads foreign text, and its name.
type Reader = (&'static str, fn(&str));

/// Everything that reads foreign text.
fn readers() -> impl Iterator<Item = Reader> {
    language::READERS.iter().chain(formats::READERS).copied()
}
