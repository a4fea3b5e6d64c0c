//! docs/http.md shows what the server answers: each `console` block is run against a server, in order.

use std::process::Command;

use super::Server;

const PAGE: &str = include_str!("../../../../../docs/http.md");
/// The address that the page shows.
const SHOWN: &str = "127.0.0.1:7717";

/// The commands of the page, each with the output below it.
fn steps() -> Vec<(String, Vec<String>)> {
    let mut steps: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_console = false;
    for line in PAGE.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => is_console = line == "```console",
            _ if !is_console => {}
            Some(command) => steps.push((command.to_owned(), Vec::new())),
            None => steps.last_mut().unwrap().1.push(line.to_owned()),
        }
    }
    steps
}

/// Ids differ from run to run.
fn without_ids(line: &str) -> String {
    let is_id = |word: &&str| word.len() == 36 && word.split('-').count() == 5;
    line.split('"').map(|word| if is_id(&word) { "ID" } else { word }).collect::<Vec<_>>().join("\"")
}

#[test]
fn the_page_shows_what_the_server_answers() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("curl") || !has("jq") {
        // `./test` installs them.
        return;
    }
    let server = Server::start();
    let steps = steps();
    assert!(steps.len() > 7, "{steps:?}");
    for (command, shown) in steps {
        let ran = Command::new("sh")
            .args(["-c", &command.replace(SHOWN, &server.address)])
            .current_dir(server.home.beside(""))
            .env("no_proxy", "*")
            .output()
            .unwrap();
        let answered = String::from_utf8(ran.stdout).unwrap();
        let answered: Vec<String> = answered.lines().map(without_ids).collect();
        let shown: Vec<String> = shown.iter().map(|line| without_ids(line)).collect();
        assert_eq!(answered, shown, "{command}");
    }
}
