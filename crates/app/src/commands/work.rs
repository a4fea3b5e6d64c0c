//! `work`: runs the background jobs that are due. Commands at a terminal start it when they have printed their result.

use std::time::Instant;

use crate::background::LONGEST;
use crate::output::Failure;
use crate::wire::App;

pub async fn run(app: &App) -> Result<(), Failure> {
    app.engine().await?.run_jobs(Instant::now() + LONGEST).await?;
    Ok(())
}
