//! `config`: the settings and their sources.

use serde_json::json;

use crate::cli::{Cli, Config};
use crate::config::{self, Environment, Flags, Settings};
use crate::output::{Failure, Output};

pub fn run(args: &Config, cli: &Cli, environment: &Environment, output: Output) -> Result<(), Failure> {
    let home = config::home(cli.home.as_deref(), environment)?;
    match args {
        Config::Show => {
            let settings = Settings::load(&home, cli.config.as_deref(), environment, &Flags::default())?;
            let shown = config::show(&settings);
            output.print(|| config::document(&shown), |_| config::table(&shown))
        }
        Config::Check => {
            let problems = config::check(&home, cli.config.as_deref(), environment);
            let file = config::config_file(&home, cli.config.as_deref());
            output.print(|| json!({ "problems": problems }), |_| config::verdict(&file, &problems))?;
            if problems.is_empty() { Ok(()) } else { Err(Failure::Reported) }
        }
        Config::Schema => output.write(&format!("{:#}", config::schema())),
    }
}
