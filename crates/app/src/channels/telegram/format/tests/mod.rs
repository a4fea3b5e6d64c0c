//! What must hold for every text, and how each kind of Markdown comes out.

mod cases;
mod checker;
mod properties;
