//! Finding a model where none was chosen.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use throughline_models::auto::{Choice, Environment, LocalServer, find, servers};

use crate::server::{Server, never_answers, streams};

/// Environment in which nothing is found: port 9 discards.
fn nothing() -> Environment {
    Environment { ollama_address: Some("http://127.0.0.1:9".to_owned()), ..Environment::default() }
}

#[tokio::test]
async fn g1_the_most_capable_model_that_is_there_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("claude");
    fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let search_path = folder.path().as_os_str().to_owned();
    let everything = Environment { search_path, anthropic_key: true, openai_key: true, ..nothing() };
    assert_eq!(find(&everything).await.choice, Choice::Anthropic, "what cannot be run is no program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(find(&everything).await.choice, Choice::ClaudeCli(program.clone()));
    let named = Environment { claude_path: Some(program.clone()), ..nothing() };
    assert_eq!(find(&named).await.choice, Choice::ClaudeCli(program));

    let found = find(&Environment { openai_key: true, ..nothing() }).await;
    assert_eq!(found.choice, Choice::OpenAi);
    assert_eq!(
        found.sentence,
        "Answering with a key for OpenAI: there is no `claude` program, no key for Anthropic."
    );
    let address = |address: &str| Environment { openai_address: Some(address.to_owned()), ..nothing() };
    assert_eq!(find(&address("http://localhost:8080/v1")).await.choice, Choice::OpenAi);
    assert_eq!(find(&address("https://api.openai.com/v1/")).await.choice, Choice::Offline);
}

#[tokio::test]
async fn g1_an_ollama_that_answers_is_found_with_a_model_that_can_chat() {
    let tags = "{\"models\":[{\"name\":\"nomic-embed-text:latest\"},{\"name\":\"llama3.2:latest\"}]}";
    let named = Some("qwen3".to_owned());
    let cases = [
        (streams(tags), None, Choice::Ollama("llama3.2:latest".to_owned())),
        (streams(tags), named, Choice::Ollama("qwen3".to_owned())),
        (streams("{\"models\":[]}"), None, Choice::Offline),
        (streams("<html>"), None, Choice::Offline),
        (never_answers(), None, Choice::Offline),
    ];
    for (behavior, ollama_model, expected) in cases {
        let server = Server::start().await;
        let ollama_address = Some(server.address());
        let environment = Environment { ollama_address, ollama_model, ..Environment::default() };
        let (found, _) = server.serve(find(&environment), [behavior]).await;
        assert_eq!(found.choice, expected, "{}", found.sentence);
    }
}

#[tokio::test]
async fn a_local_server_is_found_by_its_list_of_models() {
    let list = "{\"data\":[{\"id\":\"qwen3\"},{\"id\":\"nomic-embed-text\"},{\"id\":\"gemma-3\"}]}";
    for (behavior, models) in [
        (streams(list), Some(["gemma-3", "qwen3"])),
        (streams("{\"data\":[]}"), None),
        (streams("<html>It works!</html>"), None),
        (never_answers(), None),
    ] {
        let server = Server::start().await;
        let address = server.address() + "/v1";
        // Nothing listens at the first.
        let addresses = ["http://127.0.0.1:9/v1", address.as_str()];
        let (found, asked) = server.serve(servers(&addresses), [behavior]).await;
        assert!(asked.iter().all(|asked| asked.head.starts_with("get /v1/models ")), "no model is asked");
        let models = models.map(|models| models.map(str::to_owned).to_vec());
        let expected: Vec<LocalServer> =
            models.into_iter().map(|models| LocalServer { address: address.clone(), models }).collect();
        assert_eq!(found, expected);
    }
}
