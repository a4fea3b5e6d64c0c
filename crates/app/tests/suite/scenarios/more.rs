//! Scenarios with a shape of their own: the summary and the profile as they look, the terminal's questions, small talk
//! in a long chat, and the owner as one person on every channel.

use serde_json::Value;

use super::built_in::BuiltIn;
use super::{Driver, Scenario, play};
use crate::common::pty::Terminal;
use crate::common::served::{ANA, Served};
use crate::common::{Home, MAIN};
use crate::telegram::scripted::{BO, in_groups, learned, memories, private};

const NINE: &str = "2026-02-18T09:00:00+08:00";

fn layer(context: &Value, name: &str) -> String {
    let layers = context["layers"].as_array().unwrap();
    let layer = layers.iter().find(|layer| layer["name"] == name).unwrap();
    layer["text"].as_str().unwrap().to_owned()
}

#[test]
fn j1_l16_scenario_11_the_profile_has_five_sections_and_says_nothing_twice() {
    let scenario = Scenario::new("11")
        .say(NINE, "My name is Wei and I live in Singapore")
        .say("2026-02-18T09:01:00+08:00", "I prefer concise answers with bullet points")
        .say("2026-02-18T09:02:00+08:00", "I need to launch the SingPass API integration by Q2 2026")
        .say("2026-02-18T09:03:00+08:00", "Don't forget my team offsite is on March 15")
        .say("2026-02-18T09:04:00+08:00", "I prefer concise answers with bullet points")
        .say("2026-02-18T09:05:00+08:00", "What is the capital of Mongolia?")
        .say("2026-02-18T09:06:00+08:00", "/memory");
    let mut driver = BuiltIn::new(&scenario);
    play(&scenario, &mut driver);
    let shown = driver.say("2026-02-18T09:07:00+08:00", "/memory");
    let in_order = [
        "📋 YOUR PROFILE",
        "👤 Personal Facts",
        "Wei",
        "⚙️ Preferences",
        "bullet points",
        "🎯 Active Goals",
        "SingPass",
        "📅 Important Dates",
        "Team offsite: March 15",
        "💬 Conversation: ",
    ];
    let places: Vec<Option<usize>> = in_order.iter().map(|words| shown.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{shown}");
    let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with('•')).collect();
    let distinct: std::collections::HashSet<&&str> = lines.iter().collect();
    assert_eq!(distinct.len(), lines.len(), "{shown}");
    assert!(!shown.contains("Mongolia") && !shown.contains("Don't forget"), "{shown}");
}

#[test]
fn l14_scenario_09_the_summary_has_ranges_counts_routines_and_the_session() {
    let scenario = Scenario::new("09").configured("[context]\npreset = \"rolling\"\n");
    let scenario = (0..50).fold(scenario, |scenario, n| {
        let at = format!("2026-02-16T09:{n:02}:00+08:00");
        scenario.say(&at, &format!("Stand {n} of the harbor festival sells fish from Jurong"))
    });
    let scenario = scenario
        .routine("2026-02-18T07:02:00+08:00", "morning-summary", "Good morning. Two meetings today.")
        .say("2026-02-18T15:00:00+08:00", "I finished the slides for the harbor festival");
    let mut driver = BuiltIn::new(&scenario);
    play(&scenario, &mut driver);
    let shown = driver.say("2026-02-18T15:01:00+08:00", "/summary");
    for words in ["📜 CONVERSATION SUMMARY", "morning-summary", "💬 Current session ("] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let document = driver.home.json(&["--now", "2026-02-18T15:02:00+08:00", "summary", "--chat", MAIN]);
    let chunks = document["summaries"].as_array().unwrap().iter().filter(|one| one["scope"] == "chunk");
    let ranges: Vec<(&str, &str)> =
        chunks.map(|one| (one["from"].as_str().unwrap(), one["to"].as_str().unwrap())).collect();
    assert!(shown.contains("2026-02-16 ("), "{shown}");
    assert!(!ranges.is_empty() && ranges.windows(2).all(|two| two[0].1 <= two[1].0), "{ranges:?}");
}

#[test]
fn j2_scenario_08b_the_terminal_asks_about_each_match() {
    let home = Home::new();
    for text in ["I need to launch the SingPass API by June.", "My SingPass test account is called Merlion."]
    {
        home.json(&["chat", "-m", text]);
    }
    let mut terminal = Terminal::start(&home, "chat");
    terminal.until("› ");
    terminal.press("/forget SingPass\r");
    let first = terminal.until("Forget this? [y/N] ");
    terminal.press("y\r");
    let second = terminal.until("Forget this? [y/N] ");
    assert!(first.contains("SingPass") && second.contains("SingPass"), "{first}\n{second}");
    terminal.say("n", "Forgotten");
    terminal.press("\x04");
    terminal.child.wait().unwrap();
    let left = home.json(&["memory", "list"])["memories"].to_string();
    let kept = ["launch", "Merlion"].iter().filter(|words| left.contains(**words)).count();
    assert_eq!(kept, 1, "one was forgotten and one was kept: {left}");
}

#[test]
fn scenario_18_what_the_owner_told_in_the_terminal_is_known_on_telegram_but_in_no_group() {
    let served = Served::new();
    served.home.json(&["chat", "-m", "I am allergic to peanuts."]);
    learned(&served, &private(), "peanuts");
    let reply = served.ask("What am I allergic to?").text;
    assert!(reply.contains("peanuts"), "{reply}");
    served.api.supergroup(-1_002_000, "Family");
    let group = served.ask_in(ANA, -1_002_000, "@throughline_test_bot what am I allergic to?").text;
    assert!(!group.contains("peanuts"), "{group}");
}

#[test]
fn scenario_18_others_and_parted_chats_know_nothing_of_the_owner() {
    let served = in_groups(Home::new());
    served.home.json(&["chat", "-m", "I am allergic to peanuts."]);
    learned(&served, &private(), "peanuts");
    assert_eq!(memories(&served, &format!("telegram:chat:{BO}")), Vec::<String>::new());
    let parted = Served::with(|| {
        Home::new().configured(&format!("[chats.\"telegram:chat:{ANA}\"]\nperson = \"ana\"\n"))
    });
    parted.home.json(&["chat", "-m", "I am allergic to peanuts."]);
    learned(&parted, MAIN, "peanuts");
    assert_eq!(memories(&parted, &private()), Vec::<String>::new());
}

#[test]
fn f7_f2_identity_files_stand_in_their_tags_and_a_bootstrap_replaces_the_prompt() {
    let home = Home::new().with("USER_NAME", "Wei");
    home.record("The spare key is under the pot.");
    let folder = home.path().join("agents/default");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SOUL.md"), "Calm and exact.").unwrap();
    std::fs::write(folder.join("REMINDERS.md"), "Skills: calendar.").unwrap();
    for format in ["xml", "text", "roles", "messages"] {
        for chat in [MAIN, "cli:chat:empty"] {
            let shown = home.ok(&["context", "--chat", chat, "--format", format, "-m", "Where is it?"]);
            let shown = shown.replace("\\n", "\n");
            for words in
                ["<soul>\nCalm and exact.\n</soul>", "<reminders>\nSkills: calendar.\n</reminders>", "Wei"]
            {
                assert!(shown.contains(words), "{format}, {chat}: {words}: {shown}");
            }
            assert!(shown.contains("say how old its data is"), "{format}: {shown}");
        }
    }
    std::fs::write(folder.join("BOOTSTRAP.md"), "Ask who you are.").unwrap();
    let context = home.json(&["context", "--chat", MAIN, "-m", "Where is it?"]);
    assert_eq!(layer(&context, "policy"), "");
    let identity = layer(&context, "identity");
    assert!(identity.contains("Ask who you are.") && !identity.contains("Calm"), "{identity}");
}

#[test]
fn g8_scenario_17_one_line_says_how_a_model_failed_and_what_to_do() {
    use crate::common::messages_server::{Answer, MessagesServer};
    for (status, words) in [
        ("401 Unauthorized", "check ANTHROPIC_API_KEY"),
        ("429 Too Many Requests", "try again later"),
        ("500 Internal Server Error", "try again later"),
    ] {
        let server = MessagesServer::start(move |_| Answer::Fails(status));
        let home = crate::telegram::scripted::over(&server);
        server.serve(|| {
            let ran = home.run(&["chat", "-m", "Where is the spare key?"]);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
            assert_eq!(ran.stderr.trim().lines().count(), 1, "{ran:?}");
            assert!(ran.stderr.contains(words) && ran.stderr.contains("recorded"), "{ran:?}");
        });
        let later = home.with("THROUGHLINE_MODEL", "offline");
        let reply = later.json(&["chat", "-m", "Where is the spare key?"])["reply"].to_string();
        assert!(reply.contains("I found nothing"), "the failed question is no answer: {reply}");
    }
}
