//! `open`: prints a one-time link that signs a browser in to the dashboard.

use serde_json::json;

use crate::http::session::{LINK_LIFETIME, SIGN_IN, create_code};
use crate::output::{Failure, Output};
use crate::wire::App;

pub async fn run(app: &App, output: Output) -> Result<(), Failure> {
    let Some(server) = server(app) else {
        let sentence = "nothing serves this home. Start `throughline serve` first, then run this again";
        return Err(Failure::failed("not_serving", sentence));
    };
    let code = create_code(&app.engine().await?).await?;
    let link = format!("{server}{SIGN_IN}?code={code}");
    output.print(
        || json!({ "link": link }),
        |style| {
            let note = format!("It can be opened once, within {} minutes.", LINK_LIFETIME.as_mins());
            format!("{link}\n{}", style.dim(&note))
        },
    )
}

/// The address of the process that serves the home, if one does.
fn server(app: &App) -> Option<String> {
    let path = app.home.join("serve.lock");
    let file = std::fs::File::open(&path).ok()?;
    // The process that serves the home holds the lock.
    if file.try_lock_shared().is_ok() {
        return None;
    }
    let address = std::fs::read_to_string(&path).ok()?;
    // A wildcard address is reached through the loopback address.
    let address = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
    Some(address).filter(|address| !address.is_empty())
}
