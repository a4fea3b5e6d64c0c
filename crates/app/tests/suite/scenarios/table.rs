//! The scenarios, word for word, and the three ways to play each.

use super::built_in::BuiltIn;
use super::scripted::{Scripted, good_model};
use super::telegram::Telegram;
use super::{Scenario, play};

/// Wednesday, in Singapore.
const MORNING: &str = "2026-02-18T07:02:00+08:00";
const NINE: &str = "2026-02-18T09:00:00+08:00";
const SOON: &str = "2026-02-18T09:05:00+08:00";
const LATER: &str = "2026-02-18T09:10:00+08:00";
const AFTERNOON: &str = "2026-02-18T15:00:00+08:00";
const NEXT_DAY: &str = "2026-02-19T09:00:00+08:00";
const DAY_AFTER: &str = "2026-02-20T09:00:00+08:00";

const PLAN: &str = "Here is the plan for the API design:\n1. List the endpoints\n2. Draft the OpenAPI document\n3. Review it with the security team\n4. Build a mock server";
const BRIEFING: &str = "Good morning, Wei. Calendar: stand-up at 09:30 and the architecture review at 14:00. Weather: thunderstorms until noon, then 31°C and humid. Inbox: eleven new messages, two of them from the SingPass team about the sandbox keys. Have a good day.";
const CHECK_IN: &str = "Good morning! Are you available today? The one thing to focus on is the SingPass consent screen, because the review is on Friday.";

/// A check-in of six hundred words.
fn long_check_in() -> String {
    let item = |n: usize| {
        format!(
            "Item {n}: the ticket about part {n} of the consent flow waits for a word from the reviewer, who asked for it twice last week."
        )
    };
    let items: Vec<String> = (1..=25).map(item).collect();
    format!("Check-in for today. {} The very last point: bring the red folder.", items.join(" "))
}

/// Four hundred messages about all kinds of things.
pub fn long_talk() -> Vec<(bool, String)> {
    let things =
        ["boat", "garden", "invoice", "piano", "visa", "roof", "tax form", "bike", "recipe", "parcel"];
    (0..200)
        .flat_map(|n| {
            let thing = things[n % things.len()];
            let told =
                format!("The {thing} number {n} came back from the workshop and cost {} dollars.", 20 + n);
            [(false, told), (true, format!("Good to know about {thing} {n}; I keep the bill."))]
        })
        .collect()
}

fn numbered(from: usize, to: usize, at: impl Fn(usize) -> String, scenario: Scenario) -> Scenario {
    (from..=to).fold(scenario, |scenario, n| scenario.say(&at(n), &format!("Message {n}")))
}

fn scenario(id: &str) -> Scenario {
    let of = Scenario::new(id);
    match id {
        "01" => of
            .say(NINE, "My name is Wei and I'm working on a SingPass integration project")
            .say(SOON, "What project did I mention just now?")
            .context(&["SingPass integration project"])
            .replies(&["SingPass integration project"])
            .learns("fact", "Wei", "My name is Wei", None),
        "02" => {
            let of = of.configured("[context]\npreset = \"rolling\"\n");
            numbered(1, 22, |n| format!("2026-02-18T09:{:02}:00+08:00", n), of)
                .say("2026-02-18T09:30:00+08:00", "What was message number 3?")
                .replies(&["Message 3"])
                .say("2026-02-18T09:31:00+08:00", "What was message number 1?")
                .replies(&["Message 1"])
        }
        "03" => of
            .say(NINE, "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure")
            .say(SOON, "What do you know about my job?")
            .context(&["Solution Architect", "GovTech", "AWS"])
            .replies(&["Solution Architect", "GovTech", "AWS"])
            .say(LATER, "/memory")
            .replies(&["👤 Personal Facts", "Solution Architect"])
            .learns(
                "fact",
                "Solution Architect … GovTech",
                "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure",
                None,
            ),
        "04" => of
            .say(NINE, "Please always give me concise responses with bullet points, I hate long paragraphs")
            .say(SOON, "Explain microservices to me")
            .context(&["concise responses with bullet points"])
            .say(LATER, "/memory")
            .replies(&["⚙️ Preferences", "bullet points"])
            .learns(
                "preference",
                "concise responses with bullet points",
                "always give me concise responses with bullet points",
                None,
            ),
        "05" => of
            .say(NINE, "I need to launch the SingPass API integration by Q2 2026")
            .say(NEXT_DAY, "What are my current goals?")
            .context(&["SingPass API integration", "Q2 2026"])
            .replies(&["SingPass API integration", "Q2 2026"])
            .replies_without(&["═══", "<profile>", "Goals, "])
            .learns(
                "goal",
                "SingPass API integration",
                "I need to launch the SingPass API integration by Q2 2026",
                Some("2026-06-30"),
            ),
        "06" => of
            .say(NINE, "Don't forget my team offsite is on March 15")
            .say(SOON, "When is my team offsite?")
            .context(&["March 15"])
            .replies(&["March 15"])
            .say(LATER, "/memory")
            .replies(&["📅 Important Dates", "offsite", "March 15"])
            .learns("date", "offsite … March 15", "my team offsite is on March 15", Some("2026-03-15")),
        "06-remind" => of
            .say(NINE, "Remind me that my team offsite is on March 15")
            .say(SOON, "Don't forget: my flight to Tokyo is on 3 April at 7am")
            .say(NEXT_DAY, "When is my team offsite?")
            .replies(&["March 15"])
            .say("2026-02-19T09:05:00+08:00", "When does my flight to Tokyo leave?")
            .replies(&["3 April", "7am"]),
        "06b" => of
            .say(NINE, "Let's plan the API design")
            .assistant(SOON, PLAN)
            .say(LATER, "Great, let's go with that plan.")
            .say(NEXT_DAY, "Continuing from yesterday — what was the plan?")
            .context(&["1. List the endpoints", "2. Draft the OpenAPI document", "4. Build a mock server"])
            .replies(&["List the endpoints", "OpenAPI document", "security team", "mock server"])
            .say("2026-02-19T09:02:00+08:00", "ok, what's next?")
            .context(&["1. List the endpoints", "4. Build a mock server"])
            .replies(&["List the endpoints"]),
        "06c" => of
            .routine(MORNING, "morning-summary", BRIEFING)
            .say(AFTERNOON, "Is the weather forecast still accurate?")
            .context(&["morning-summary", "8h ago", "say how old its data is"])
            .replies(&["thunderstorms"])
            .say("2026-02-18T15:01:00+08:00", "What time did you send the morning briefing?")
            .replies(&["07:02"]),
        "07" => of.routine(MORNING, "morning-summary", &long_check_in()).say(NINE, "hello").context(&[
            "morning-summary",
            "07:02",
            "Check-in for today",
        ]),
        "07b" => of
            .routine(NINE, "smart-checkin", CHECK_IN)
            .answer_routine(SOON, "Yes, I'm available. What should I focus on today?")
            .replies(&["SingPass consent screen"]),
        "07c" => of
            .routine(NINE, "smart-checkin", &long_check_in())
            .say(
                "2026-02-18T09:40:00+08:00",
                "What exactly did you say in this morning's check-in? Give me the full message.",
            )
            .context(&["Item 12: the ticket", "bring the red folder"])
            .replies(&["Item 12: the ticket", "bring the red folder"]),
        "07d" => of
            .routine(MORNING, "morning-summary", BRIEFING)
            .say(NINE, "What was today's weather forecast in the briefing?")
            .context(&["thunderstorms until noon"])
            .replies(&["thunderstorms until noon, then 31°C"])
            .replies_without(&["architecture review"]),
        "07e" => {
            let of = of
                .configured("[context]\npreset = \"rolling\"\n")
                .routine(MORNING, "morning-summary", BRIEFING)
                .routine("2026-02-18T08:00:00+08:00", "smart-checkin", CHECK_IN);
            let at = |n: usize| format!("2026-02-18T08:{:02}:00+08:00", n + 2);
            let of = (1..=7).fold(of, |of, n| of.say(&at(n), &format!("Note {n} about the rollout")));
            let all: Vec<String> = (1..=7).map(|n| format!("Note {n} about the rollout")).collect();
            let all: Vec<&str> =
                all.iter().map(String::as_str).chain(["morning-summary", "smart-checkin"]).collect();
            of.say("2026-02-18T08:20:00+08:00", "And what now?").context(&all)
        }
        "08" => of
            .say(NINE, "/remember I prefer Singapore Standard Time (UTC+8) for all scheduling")
            .replies(&["✓ Remembered: ", "Singapore Standard Time (UTC+8)"])
            .say(SOON, "/memory")
            .replies(&["⚙️ Preferences", "Singapore Standard Time (UTC+8)"])
            .learns("preference", "Singapore Standard Time", "no model is asked", None),
        "08b" => of
            .say(NINE, "I need to launch the SingPass API integration by Q2 2026")
            .say(SOON, "My other goal is to learn Malay by December 2026")
            .say("2026-02-18T09:08:00+08:00", "/forget SingPass")
            .replies(&["SingPass"])
            .forget_this("2026-02-18T09:08:00+08:00")
            .replies(&["✓ Forgotten"])
            .say(LATER, "What are my current goals?")
            .replies(&["Malay"])
            .replies_without(&["SingPass"])
            .learns("goal", "Malay", "My other goal is to learn Malay by December 2026", Some("2026-12-31")),
        "08b-job" => of
            .say(NINE, "I work as a Solution Architect at GovTech")
            .say(SOON, "/forget my job")
            .replies(&["GovTech"])
            .forget_this(SOON)
            .replies(&["✓ Forgotten"])
            .say(NEXT_DAY, "What do you know about my job?")
            .replies_without(&["GovTech", "Architect"])
            .lists(
                "fact",
                "Works as a Solution Architect at GovTech",
                "I work as a Solution Architect at GovTech",
            ),
        "09" => {
            let of = of.configured("[context]\npreset = \"rolling\"\n");
            let of = (0..24).fold(of, |of, n| {
                let told = format!("Stand {n} of the harbor festival sells fish from Jurong");
                of.say(&format!("2026-02-16T09:{n:02}:00+08:00"), &told)
            });
            of.routine("2026-02-18T07:02:00+08:00", "morning-summary", "Good morning. Two meetings today.")
                .say(AFTERNOON, "I finished the slides for the harbor festival")
                .say("2026-02-18T15:10:00+08:00", "/summary")
                .replies(&["📜 CONVERSATION SUMMARY", "2026-02-16 (", "Routines today", "morning-summary"])
                .replies(&["💬 Current session (", "ongoing", "Recent messages", "I finished the slides"])
        }
        "11" => of
            .say(NINE, "My name is Wei and I live in Singapore")
            .say(SOON, "I prefer concise answers with bullet points")
            .say("2026-02-18T09:02:00+08:00", "I need to launch the SingPass API integration by Q2 2026")
            .say("2026-02-18T09:03:00+08:00", "Don't forget my team offsite is on March 15")
            .say("2026-02-18T09:04:00+08:00", "I prefer concise answers with bullet points")
            .say("2026-02-18T09:05:00+08:00", "What is the capital of Mongolia?")
            .say(LATER, "/memory")
            .replies(&["📋 YOUR PROFILE", "👤 Personal Facts", "Wei", "⚙️ Preferences", "bullet points"])
            .replies(&["🎯 Active Goals", "SingPass", "📅 Important Dates", "Team offsite: March 15"])
            .replies(&["💬 Conversation: "])
            .replies_without(&["Mongolia", "Don't forget"])
            .learns("fact", "Wei", "My name is Wei", None)
            .learns(
                "preference",
                "concise answers with bullet points",
                "concise answers with bullet points",
                None,
            )
            .learns(
                "goal",
                "SingPass API",
                "launch the SingPass API integration by Q2 2026",
                Some("2026-06-30"),
            )
            .learns("date", "Team offsite", "my team offsite is on March 15", Some("2026-03-15")),
        "15" => {
            let of = of.many("2026-02-10T01:00:00Z", long_talk());
            let small = ["hello", "ok", "yes", "thanks!", "how are you?", "why?", "What is 2+2?"];
            // A day apart, so that none of them continues the one before.
            (18..).zip(small).fold(of, |of, (day, text)| {
                of.say(&format!("2026-02-{day}T09:00:00+08:00"), text).context_without(&["<memories>"])
            })
        }
        "10" => of
            .say(NINE, "My name is Wei")
            .say(SOON, "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure")
            .say(LATER, "Please always give me concise responses with bullet points, I hate long paragraphs")
            .say(NEXT_DAY, "I need to launch the SingPass API integration by Q2 2026")
            .say("2026-02-19T09:05:00+08:00", "Don't forget my team offsite is on March 15")
            .say(DAY_AFTER, "What do you know about me?")
            .context(&["Wei", "GovTech", "bullet points", "SingPass", "March 15"])
            .replies(&["Wei", "GovTech", "bullet points", "SingPass", "March 15"])
            .learns("fact", "Wei", "My name is Wei", None)
            .learns("fact", "Solution Architect … GovTech", "I work as a Solution Architect at GovTech", None)
            .learns("preference", "bullet points", "concise responses with bullet points", None)
            .learns(
                "goal",
                "SingPass API … Q2 2026",
                "launch the SingPass API integration by Q2 2026",
                Some("2026-06-30"),
            )
            .learns("date", "Team offsite … March 15", "my team offsite is on March 15", Some("2026-03-15")),
        "12" => {
            let of = of.say(NINE, "My account number is 4471-2093").many(
                "2026-02-18T09:20:00+08:00",
                (0..40).map(|n| (n % 2 == 1, format!("Something else about lunch, part {n}"))).collect(),
            );
            of.say("2026-02-18T18:00:00+08:00", "What was my account number again?")
                .context(&["4471-2093"])
                .replies(&["4471-2093"])
        }
        "13" => of
            .say(NINE, "I live in Singapore.")
            .say(SOON, "I moved to Berlin.")
            .say(NEXT_DAY, "Where do I live?")
            .context(&["Berlin"])
            .replies(&["Berlin"])
            .replies_without(&["Singapore"])
            .lists("fact", "Lives in Singapore", "I live in Singapore")
            .lists("fact", "Lives in Berlin", "I moved to Berlin"),
        "14" => {
            let of = of.say(NINE, "/remember I am allergic to peanuts");
            let likes = ["soup", "jazz", "hiking", "chess", "tea", "rain", "trains"];
            let of = (0..56).fold(of, |of, n| {
                let like = format!("I really like {} number {n} of the list.", likes[n % likes.len()]);
                of.say(&format!("2026-02-18T10:{n:02}:00+08:00"), &like)
            });
            of.say("2026-02-18T19:00:00+08:00", "Suggest a snack for tonight")
                .context(&["allergic to peanuts"])
        }
        "16" => of
            .say("2026-02-10T10:00:00+08:00", "The aquarium filter keeps rattling")
            .say("2026-02-17T20:00:00+08:00", "I'm comparing Naxos and Paros for the summer")
            .say(NINE, "The coffee machine needs descaling")
            .say(AFTERNOON, "What did we talk about yesterday?")
            .context(&["Naxos and Paros"])
            .replies(&["Naxos"])
            .replies_without(&["aquarium", "coffee"])
            .say("2026-02-18T15:40:00+08:00", "what did we discuss last week")
            .context(&["aquarium filter"])
            .replies(&["aquarium"])
            .replies_without(&["coffee"]),
        _ => panic!("no scenario {id}"),
    }
}

fn built_in(id: &str) {
    let scenario = scenario(id);
    let missing = play(&scenario, &mut BuiltIn::new(&scenario));
    assert!(missing.is_empty(), "{id}: {missing:#?}");
}

fn scripted(id: &str) {
    let scenario = scenario(id);
    let server = good_model(&scenario);
    server.serve(|| {
        let missing = play(&scenario, &mut Scripted::new(&scenario, &server));
        assert!(missing.is_empty(), "{id}: {missing:#?}");
    });
}

fn on_telegram(id: &str) {
    let scenario = scenario(id);
    let missing = play(&scenario, &mut Telegram::new(&scenario));
    assert!(missing.is_empty(), "{id}: {missing:#?}");
}

/// Each scenario in each way, as a test of its own.
macro_rules! scenarios {
    ($($name:ident $id:literal $($way:ident)*;)+) => {
        $(mod $name {
            $(#[test]
            fn $way() {
                super::$way($id);
            })*
        })+
    };
}

scenarios! {
    l1_scenario_01_what_was_said_just_now "01" built_in scripted on_telegram;
    l2_scenario_02_twenty_two_messages "02" built_in scripted on_telegram;
    l3_scenario_03_a_fact_is_learned "03" built_in scripted on_telegram;
    l4_scenario_04_a_preference_is_in_every_context "04" built_in scripted on_telegram;
    l5_scenario_05_a_goal_the_next_day "05" built_in scripted on_telegram;
    l6_scenario_06_a_date "06" built_in scripted on_telegram;
    l6_scenario_06_a_date_to_be_reminded_of "06-remind" built_in scripted on_telegram;
    l20_scenario_06b_a_plan_the_next_day "06b" built_in scripted on_telegram;
    l7_scenario_06c_an_old_forecast "06c" built_in scripted on_telegram;
    l9_scenario_07_a_long_routine_by_its_summary "07" built_in scripted on_telegram;
    scenario_07b_a_reply_to_the_check_in "07b" built_in scripted on_telegram;
    l10_scenario_07c_the_full_text_of_a_routine "07c" built_in scripted on_telegram;
    scenario_07d_a_detail_of_a_routine "07d" built_in scripted on_telegram;
    l11_scenario_07e_two_routines_and_fifteen_messages "07e" built_in scripted on_telegram;
    l12_scenario_08_remember "08" built_in scripted on_telegram;
    l13_scenario_08b_forget "08b" built_in scripted on_telegram;
    l13_scenario_08b_forget_by_meaning "08b-job" built_in scripted on_telegram;
    l14_scenario_09_the_summary "09" built_in scripted on_telegram;
    l15_scenario_10_everything_after_a_restart "10" built_in scripted on_telegram;
    l16_scenario_11_the_profile "11" built_in scripted on_telegram;
    l17_scenario_12_an_exact_detail "12" built_in scripted on_telegram;
    scenario_13_what_has_changed "13" built_in scripted on_telegram;
    scenario_14_an_allergy_outranks_likes "14" built_in scripted on_telegram;
    scenario_15_small_talk_recalls_nothing "15" built_in scripted on_telegram;
    scenario_16_what_was_said_at_some_time "16" built_in scripted on_telegram;
}
