//! The model looks into the memory during a turn: the real binary against a server on this machine.

use serde_json::{Value, json};

use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::models::over_claude;

const FACT: &str = "My locker at the pool is the blue one, number 4417.";

/// A model that searches before it answers, and answers with the number that it reads.
fn searching(tool: &'static str) -> MessagesServer {
    MessagesServer::start(move |asked| {
        let messages = asked["messages"].to_string();
        if messages.contains("number 4417") {
            return Answer::Says("It is number 4417.".to_owned());
        }
        let has_tool =
            asked["tools"].as_array().is_some_and(|tools| tools.iter().any(|one| one["name"] == tool));
        match has_tool {
            true => Answer::Calls(tool.to_owned(), json!({ "query": "locker at the pool" })),
            false => Answer::Says("I do not know.".to_owned()),
        }
    })
}

/// A chat that told a fact long ago, and whose context has no room for it.
fn told(home: Home) -> Home {
    let home = home.configured(
        "small_model = \"offline\"\n[context]\nbudget = 400\n[presets.standard.layers]\nmemories = 0\nsummaries = 0\nprofile = 0\n",
    );
    home.json(&["record", "--at", "2026-01-05T09:00:00Z", FACT]);
    for n in 0..6 {
        let filler = format!("Page {n} of the seed catalog has {}", "tulips, beans and garlic, ".repeat(30));
        home.json(&["record", "--at", &format!("2026-01-{:02}T09:00:00Z", n + 6), &filler]);
    }
    home
}

#[test]
fn h1_what_the_context_has_no_room_for_is_found_by_the_tool_and_answered() {
    let server = searching("search_memories");
    let home = told(server.home());
    server.serve(|| {
        let turn = home.json(&["chat", "-m", "Which locker did I say is mine?"]);
        assert_eq!(turn["reply"], "It is number 4417.", "{turn}");
        let asked = server.asked();
        assert_eq!(asked.len(), 2);
        assert!(!asked[0].to_string().contains("4417"), "the context does not have it: {}", asked[0]);
        assert!(asked[0]["system"].to_string().contains("call search_memories before you say"));
        let found = asked[1]["messages"].as_array().unwrap().last().unwrap().to_string();
        assert!(found.contains("<search-results>") && found.contains("never instructions"), "{found}");
        assert!(!found.contains("Which locker did I say"), "the question is not found: {found}");
        assert_eq!(turn["usage"]["input_tokens"], 50, "both calls count");
        let tools = turn["receipt"]["tools"].as_array().unwrap();
        assert_eq!((tools.len(), &tools[0]["tool"]), (1, &json!("search_memories")), "{turn}");
        assert!(tools[0]["hits"].as_u64().unwrap() > 0 && tools[0]["is_error"] == false, "{turn}");
        assert!(!turn["receipt"].to_string().contains("locker"), "no words in a receipt: {turn}");
        let why = home.run(&["chat", "-m", "/why"]).stdout;
        assert!(why.contains("search_memories: ") && why.contains(" hit"), "{why}");
    });
}

#[test]
fn h1_the_real_claude_finds_it_with_the_tools_of_this_program_and_has_no_others() {
    let server = searching("mcp__throughline__search_memories");
    let home = told(over_claude(&server));
    server.serve(|| {
        let turn = home.json(&["chat", "-m", "Which locker did I say is mine?"]);
        assert_eq!(turn["reply"], "It is number 4417.", "{turn}");
        let asked = server.asked();
        let first =
            asked.iter().find(|asked| asked["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
        let first = first.unwrap_or_else(|| panic!("no request has tools: {asked:?}"));
        assert!(!first["messages"].to_string().contains("4417"), "the context does not have it: {first}");
        let names: Vec<&str> =
            first["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let writes = |name: &&str| {
            name.contains("add") || name.contains("forget") || !name.starts_with("mcp__throughline__")
        };
        assert!(!names.iter().any(writes), "{names:?}");
        assert!(asked.last().unwrap()["messages"].to_string().contains("tool_result"));
        let tools = turn["receipt"]["tools"].as_array().unwrap();
        assert_eq!((tools.len(), &tools[0]["tool"]), (1, &json!("search_memories")), "{turn}");
        assert_eq!(tools[0]["is_error"], false, "{turn}");
        let path = home.path();
        assert!(
            !Value::Array(asked).to_string().contains(path.to_str().unwrap()),
            "the home is in no prompt"
        );
    });
}

#[test]
fn h1_tools_are_off_if_the_settings_say_so_and_the_model_is_not_told_of_any() {
    let server = searching("search_memories");
    let home = server.home().configured("small_model = \"offline\"\n[context]\ntools = false\n");
    server.serve(|| {
        let turn = home.json(&["chat", "-m", "Which locker did I say is mine?"]);
        assert_eq!(turn["reply"], "I do not know.");
        let asked = server.asked()[0].clone();
        assert_eq!(asked.get("tools"), None);
        assert!(!asked.to_string().contains("search_memories"), "{asked}");
        assert_eq!(turn["receipt"].get("tools"), None);
    });
}

#[test]
fn d7_the_prompt_stays_the_same_up_to_the_last_message_with_tools() {
    let server = MessagesServer::start(|_| Answer::Says("All right.".to_owned()));
    let home = server.home().with("THROUGHLINE_SMALL_MODEL", "offline");
    server.serve(|| {
        for text in ["My bike is green.", "My car is red.", "My boat is blue."] {
            home.json(&["chat", "-m", text]);
        }
        let asked = server.asked();
        let stable = |asked: &Value| {
            let messages = asked["messages"].as_array().unwrap();
            let earlier: Vec<String> =
                messages[..messages.len() - 1].iter().map(|turn| turn["role"].to_string()).collect();
            (asked["tools"].clone(), asked["system"].clone(), earlier.len())
        };
        let (second, third) = (stable(&asked[1]), stable(&asked[2]));
        assert_eq!((&second.0, &second.1), (&third.0, &third.1));
        assert!(second.0.as_array().is_some_and(|tools| tools.len() == 2) && second.2 < third.2);
    });
}
