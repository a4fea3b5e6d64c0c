//! tmp
use crate::cli::Bench;
use crate::output::{Failure, Output};
use crate::wire::Place;
pub async fn run(_: &Bench, _: &Place, _: Output) -> Result<(), Failure> { Ok(()) }
