//! `work`: imports transcripts and runs due background jobs. Commands at a terminal and the hooks of Claude Code start
//! it after they have printed their result.

use std::path::PathBuf;
use std::time::Instant;

use super::import;
use crate::background::LONGEST;
use crate::output::Failure;
use crate::wire::App;

pub async fn run(transcripts: &[PathBuf], app: &App) -> Result<(), Failure> {
    let engine = app.engine().await?;
    if !transcripts.is_empty() {
        import::transcripts(transcripts, &engine).await?;
    }
    engine.run_jobs(Instant::now() + LONGEST).await?;
    Ok(())
}
