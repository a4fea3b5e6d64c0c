//! Recall over a real database with the built-in embedder: what a turn and a search find, and what they leave alone.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Current, LayerName};
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::recall::score::Verdict;
use throughline_engine::recall::{Found, Question};
use throughline_engine::turn::gather::ContextRequest;
use throughline_engine::{Engine, Inbound};
use throughline_models::embed::{self, BuiltIn, Embedder};
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Scripted, Shown, TestStore};

/// Wednesday, three in the afternoon in Singapore.
const NOW: &str = "2026-02-18T07:00:00Z";

fn chat(name: &str) -> ChatId {
    format!("cli:chat:{name}").parse().unwrap()
}

fn engine(test: &TestStore) -> Engine {
    test.engine(MovedClock::at(NOW), Scripted::saying([]))
}

/// Something said `hours` ago.
fn said(text: &str, hours: i64) -> Inbound {
    let now: Timestamp = NOW.parse().unwrap();
    Inbound {
        text: text.to_owned(),
        at: Some(now - SignedDuration::from_hours(hours)),
        ..Inbound::in_chat(chat("main"))
    }
}

async fn tell(engine: &Engine, all: impl IntoIterator<Item = Inbound>) {
    for one in all {
        engine.record_message(one, Purpose::Record).await.unwrap();
    }
    engine.run_jobs(Instant::now() + Duration::from_secs(60)).await.unwrap();
}

async fn ask(engine: &Engine, text: &str) -> Found {
    let question = Question { text: text.to_owned(), limit: 5, ..Question::default() };
    engine.recall(&chat("main"), question).await.unwrap()
}

fn first(found: &Found) -> &str {
    found.hits.first().map_or("", |hit| hit.stored.message.text.as_str())
}

/// A month of an ordinary life, an entry every nine hours.
fn month() -> Vec<Inbound> {
    let days = [
        "I repainted the kitchen in a pale yellow",
        "The bus was late again, forty minutes in the cold",
        "My sister Carla called, she is expecting a baby in June",
        "I started to learn the cello, my fingers hurt",
        "The landlord wants to raise the rent by ten percent",
        "We had lentil soup and watched an old film",
        "The vet says our puppy needs another shot in spring",
        "I signed up for a half marathon",
    ];
    days.iter()
        .cycle()
        .take(40)
        .zip(1i64..)
        .map(|(text, n)| said(&format!("{text} ({n})"), 900 - n * 9))
        .collect()
}

#[tokio::test]
async fn d8_a_short_answer_brings_the_question_it_answers() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let assistant = |text: &str, hours: i64| Inbound { role: Role::Assistant, ..said(text, hours) };
    tell(&engine, month()).await;
    let talk = [
        said("I am filling in the form for the trip.", 2_000),
        assistant("Which airline do you usually take to Bergen?", 2_000),
        said("Norwegian, never Ryanair.", 2_000),
        assistant("Noted.", 2_000),
    ];
    tell(&engine, talk).await;
    let asked = "What did I say about Norwegian and Ryanair?";
    let message = Current { ids: Vec::new(), text: asked.to_owned(), speaker: None };
    let request = ContextRequest {
        message: Some(message),
        // Too small for all of it word for word.
        plan: Some(engine.settings.plan.with_budget(900)),
        ..ContextRequest::new(chat("main"), Lane::Root)
    };
    let context = engine.prepare(request).await.unwrap().context;
    let layer = context.layers.iter().find(|layer| layer.name == LayerName::Memories).unwrap();
    let place = |words: &str| layer.text.find(words).unwrap_or_else(|| panic!("{words}: {}", layer.text));
    assert!(place("Which airline do you usually take") < place("never Ryanair"), "{}", layer.text);
}

#[tokio::test]
async fn h1_a_message_that_shares_no_word_is_found_by_its_vector() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    for (question, expected) in [
        ("Which musical instrument am I practicing?", "cello"),
        ("Is anybody in my family pregnant?", "expecting a baby"),
        ("what happened to the dog at the animal doctor", "puppy"),
        ("problems with public transport", "bus was late"),
    ] {
        let found = ask(&engine, question).await;
        assert!(first(&found).contains(expected), "{question}: {}", first(&found));
    }
}

#[tokio::test]
async fn h1_each_hit_says_why() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    let found = ask(&engine, "cello lessons").await;
    let why = found.hits[0].why;
    assert!(why.words > 0.0 && why.coverage > 0.0 && why.dense > 0.2 && why.soft_overlap > 0.4, "{why:?}");
    assert!(why.time == 0.0 && why.speaker == 0.0);
}

#[tokio::test]
async fn h1_the_same_words_are_one_hit_that_names_all_its_messages() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, (0..4).map(|n| said("Take the blue pill at eight.", 50 - n))).await;
    let found = ask(&engine, "blue pill").await;
    assert_eq!((found.hits.len(), found.hits[0].messages.len()), (1, 4));
    assert_eq!(found.hits[0].stored.message.occurred_at, said("", 47).at.unwrap(), "the newest");
}

#[tokio::test]
async fn h3_a_verdict_tells_a_match_from_none() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    assert_eq!(ask(&engine, "anything at all").await.verdict, Verdict::None);
    tell(&engine, month()).await;
    for (question, verdict) in [
        ("What color did I paint the kitchen?", Verdict::Strong),
        ("How much does the landlord want to raise the rent?", Verdict::Strong),
        ("the sister who is expecting a baby", Verdict::Strong),
        ("", Verdict::None),
        ("🙂", Verdict::None),
        ("?!", Verdict::None),
    ] {
        assert_eq!(ask(&engine, question).await.verdict, verdict, "{question}");
    }
    for unknown in
        ["the capital of Mongolia", "quantum chromodynamics lecture notes", "my password for the router"]
    {
        assert_ne!(ask(&engine, unknown).await.verdict, Verdict::Strong, "{unknown}");
    }
}

#[tokio::test]
async fn h4_a_phrase_of_time_narrows_in_the_persons_zone() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    // Every day at two in the afternoon in Singapore, the dentist is spoken of.
    tell(&engine, (0..30).map(|day| said(&format!("Talked to the dentist, note {day}"), 1 + 24 * day))).await;
    for (question, note) in [
        ("what did the dentist say yesterday?", 1),
        ("the dentist last Monday", 2),
        ("dentist three days ago", 3),
        ("What did I say about the dentist on 5 February?", 13),
    ] {
        let found = ask(&engine, question).await;
        assert_eq!(first(&found), format!("Talked to the dentist, note {note}"), "{question}");
        assert!(found.hits[0].why.time > 0.0 && found.verdict == Verdict::Strong);
    }
    let all = ask(&engine, "What did I say this afternoon?").await;
    assert_eq!((first(&all), all.hits.len()), ("Talked to the dentist, note 0", 1));
}

#[tokio::test]
async fn h4_chinese_japanese_and_korean_are_found_without_configuration() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let texts = [
        "我的狗叫小白，今年三岁",
        "下周我要去上海出差",
        "猫の名前はタマです",
        "우리 집 강아지 이름은 초코예요",
        "会議は水曜日に変わりました",
    ];
    tell(&engine, texts.iter().zip(1..).map(|(text, n)| said(text, 100 - n))).await;
    for (question, expected) in [
        ("我的狗叫什么名字", texts[0]),
        ("上海", texts[1]),
        ("猫の名前", texts[2]),
        ("강아지 이름", texts[3]),
        ("会議はいつ", texts[4]),
    ] {
        assert_eq!(first(&ask(&engine, question).await), expected, "{question}");
    }
}

#[tokio::test]
async fn a_name_in_the_question_asks_for_that_persons_words() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let by = |name: &str, text: &str, hours| Inbound { speaker: Some(name.to_owned()), ..said(text, hours) };
    tell(
        &engine,
        [
            by("Mira", "I am moving to Lisbon in autumn", 40),
            by("Jonas", "I am moving to Oslo in autumn", 39),
            by("Jonas", "Mira, when are you moving?", 38),
        ],
    )
    .await;
    for (question, expected) in [("Where is Mira moving?", "Lisbon"), ("where is jonas moving to", "Oslo")] {
        assert!(first(&ask(&engine, question).await).contains(expected), "{question}");
    }
    // The person's own name, if messages do not name a speaker.
    tell(&engine, [said("I am moving to Rome next year", 5)]).await;
    assert!(first(&ask(&engine, "Where is Ana moving?").await).contains("Rome"));
}

/// What the layer of memories would hold in a lane.
async fn told(engine: &Engine, lane: Lane, text: &str) -> String {
    let message = Some(Current { ids: Vec::new(), text: text.to_owned(), speaker: None });
    let context =
        engine.preview(ContextRequest { message, ..ContextRequest::new(chat("main"), lane) }).await.unwrap();
    context.layer(LayerName::Memories).unwrap().text.clone()
}

#[tokio::test]
async fn h2_what_the_window_shows_is_not_told_again() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, [said("The long ladder is behind the blue shed.", 0)]).await;
    let question = "Where is the long ladder?";
    assert_eq!(told(&engine, Lane::Root, question).await, "");
    let elsewhere = told(&engine, Lane::Topic("7".into()), question).await;
    assert!(elsewhere.contains("blue shed"), "another lane's window does not show it: {elsewhere}");
}

#[tokio::test]
async fn h3_other_lanes_come_in_when_named_or_strong_and_a_weak_match_never() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let in_topic = |text: &str, hours| Inbound { lane: Some(Lane::Topic("7".into())), ..said(text, hours) };
    tell(&engine, month()).await;
    tell(&engine, [in_topic("The long ladder is behind the blue shed.", 30)]).await;
    for (question, comes_in) in [
        ("Where is the long ladder?", true),
        ("What about the ladder?", false),
        ("What about the ladder? We had it in topic 7.", true),
        ("What about the ladder? We had it in topic 8.", false),
        ("Explain quantum chromodynamics to a child", false),
    ] {
        let told = told(&engine, Lane::Root, question).await;
        assert_eq!(told.contains("blue shed"), comes_in, "{question}: {told}");
        assert!(comes_in || told.is_empty(), "{question}: {told}");
    }
}

#[tokio::test]
async fn h3_a_topic_that_is_asked_for_comes_in_under_its_name() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let in_topic = |text: &str, hours| Inbound { lane: Some(Lane::Topic("7".into())), ..said(text, hours) };
    tell(&engine, month()).await;
    tell(&engine, [in_topic("The gutter leaks.", 30), in_topic("Somebody must call the plumber.", 29)]).await;
    let seven = told(&engine, Lane::Root, "What did we say in topic 7?").await;
    assert!(seven.contains("gutter") && seven.contains("plumber"), "{seven}");
    assert!(seven.contains(&format!(" lane=\"{}\"", Lane::Topic("7".into()).label())), "{seven}");
    assert!(!seven.contains("kitchen"), "nothing of another lane: {seven}");
    assert_eq!(told(&engine, Lane::Root, "What did we say in topic 8?").await, "");
}

#[tokio::test]
async fn h4_what_was_talked_about_at_a_time_is_what_was_said_then() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    tell(&engine, [said("We should talk and discuss what happened with the plan", 24 * 20)]).await;
    tell(&engine, [said("The gutter leaks again", 24 * 5), said("Lentils for supper", 22)]).await;
    for question in [
        "What did we talk about yesterday?",
        "what did we discuss last week",
        "What happened yesterday?",
        "Worüber haben wir gestern gesprochen?",
        "¿De qué hablamos ayer?",
        "De quoi avons-nous parlé hier ?",
        "我们昨天聊了什么？",
        "昨日は何を話しましたか",
    ] {
        let found = ask(&engine, question).await;
        assert!(!found.hits.is_empty() && found.verdict == Verdict::Strong, "{question}");
        assert!(found.hits.iter().all(|hit| hit.why.time > 0.0), "{question}: {:?}", first(&found));
    }
}

#[tokio::test]
async fn h4_a_day_without_talk_is_told_of_around_it_and_a_day_that_is_named_answers_in_other_words() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let by_ben = |text: &str, hours| Inbound { speaker: Some("Ben".to_owned()), ..said(text, hours) };
    tell(&engine, [by_ben("The gutter leaks again", 24 * 40), by_ben("Lentils for supper", 24 * 7)]).await;
    tell(&engine, [by_ben("On Saturday I was at the lake with Ida", 24 * 2)]).await;
    // The fourteenth was a Saturday, on which nobody spoke.
    let found = ask(&engine, "What was Ben doing on 14 February 2026?").await;
    assert_eq!((found.verdict, first(&found)), (Verdict::Weak, "On Saturday I was at the lake with Ida"));
    let found = ask(&engine, "Which subject did Ben raise on 11 February 2026?").await;
    assert_eq!((found.verdict, first(&found)), (Verdict::Weak, "Lentils for supper"));
    let found = ask(&engine, "What was Ben doing on 14 February 2025?").await;
    assert_eq!((found.verdict, first(&found)), (Verdict::None, ""), "there is nothing near that day");
}

#[tokio::test]
async fn h3_a_question_that_names_a_speaker_is_about_what_they_said() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let by_ben = |text: &str, hours| Inbound { speaker: Some("Ben".to_owned()), ..said(text, hours) };
    tell(&engine, month()).await;
    tell(&engine, [by_ben("Museums bore me, I would rather climb a mountain", 24 * 20)]).await;
    let topic = || Lane::Topic("9".into());
    let suggestion =
        told(&engine, topic(), "Would Ben be more interested in museums or a mountain hike?").await;
    assert!(suggestion.contains("Museums bore me"), "{suggestion}");
    let general = told(&engine, topic(), "Would people be more interested in theatre or opera?").await;
    assert_eq!(general, "");
}

#[tokio::test]
async fn h3_small_talk_and_general_questions_recall_nothing() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    for message in
        ["hello", "ok", "yes", "thanks!", "how are you?", "why?", "What is 2+2?", "ok, what's next?"]
    {
        assert_eq!(told(&engine, Lane::Topic("9".into()), message).await, "", "{message}");
    }
}

#[tokio::test]
async fn l20_a_new_day_begins_with_the_last_conversation_also_at_a_small_budget() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    let plan = ["1. Draft the API", "2. Review it with Carla", "3. Load test", "4. Launch in June"];
    let reply = |text: &str| Inbound { role: Role::Assistant, ..said(text, 20) };
    tell(&engine, [said("Let's plan the API design", 20), reply(&plan.join("\n")), said("Agreed.", 20)])
        .await;
    for message in ["Continuing from yesterday — what was the plan?", "ok, what's next?"] {
        for budget in [2_000, 4_000, 30_000] {
            let plan_of = engine.settings.plan.with_budget(budget);
            let current = Some(Current { ids: Vec::new(), text: message.to_owned(), speaker: None });
            let request = ContextRequest {
                message: current,
                plan: Some(plan_of),
                ..ContextRequest::new(chat("main"), Lane::Root)
            };
            let context = engine.preview(request).await.unwrap();
            let recent = &context.layer(LayerName::Recent).unwrap().text;
            assert!(plan.iter().all(|step| recent.contains(step)), "{message} at {budget}: {recent}");
            assert!(recent.contains("Agreed."), "{message} at {budget}: {recent}");
        }
    }
}

#[tokio::test]
async fn h3_that_something_was_asked_before_is_no_answer() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, month()).await;
    // Asked from another lane, whose window does not show it.
    let (question, elsewhere) = ("Where is the long ladder?", || Lane::Topic("7".into()));
    tell(&engine, [said(question, 60)]).await;
    assert_eq!(told(&engine, elsewhere(), question).await, "");
    tell(&engine, [said("The long ladder is behind the blue shed.", 59)]).await;
    let answered = told(&engine, elsewhere(), question).await;
    assert!(answered.contains("blue shed"), "a statement is an answer: {answered}");
}

#[tokio::test]
async fn h5_memory_reaches_across_conversations() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    tell(&engine, [said("The boat of the cabin is called Gray Heron.", 24 * 200)]).await;
    tell(
        &engine,
        (1..150).map(|n| said(&format!("Wrote page {n} of the novel, it went slowly"), 24 * 190 - n * 20)),
    )
    .await;
    let found = ask(&engine, "What is the boat at the cabin called?").await;
    assert!(first(&found).contains("Gray Heron") && found.verdict == Verdict::Strong);
}

/// An embedder whose server is down.
struct Down;

#[async_trait]
impl Embedder for Down {
    fn id(&self) -> &str {
        "openai/down"
    }

    async fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>, embed::Error> {
        Err(embed::Error::Unavailable { message: "the server does not answer".to_owned(), retry_after: None })
    }
}

#[tokio::test]
async fn g6_a_failing_embedder_degrades_to_words_and_its_job_waits() {
    let test = TestStore::fresh().await;
    let engine = Engine { embedder: Some(Arc::new(Down)), ..engine(&test) };
    tell(&engine, month()).await;
    let found = ask(&engine, "raise the rent").await;
    assert!(first(&found).contains("landlord") && found.degraded.is_some());
    let figures = engine.store.figures().await.unwrap();
    let waiting = figures.jobs_by_kind.get("embed").copied();
    assert_eq!((waiting, figures.failing_jobs), (Some(1), 1));
}

/// The built-in embedder, which notes the questions.
struct Noting {
    builtin: BuiltIn,
    questions: Mutex<Vec<String>>,
}

#[async_trait]
impl Embedder for Noting {
    fn id(&self) -> &str {
        self.builtin.id()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, embed::Error> {
        self.builtin.embed(texts).await
    }

    async fn embed_question(&self, question: &str) -> Result<Vec<f32>, embed::Error> {
        self.questions.lock().unwrap().push(question.to_owned());
        self.builtin.embed_question(question).await
    }
}

#[tokio::test]
async fn the_question_of_a_turn_is_embedded_once() {
    let test = TestStore::fresh().await;
    let noting = Arc::new(Noting { builtin: BuiltIn::new().unwrap(), questions: Mutex::default() });
    let engine = Engine { embedder: Some(Arc::clone(&noting) as Arc<dyn Embedder>), ..engine(&test) };
    engine.take_turn(said("I am allergic to peanuts", 30), &Shown::default()).await.unwrap();
    tell(&engine, []).await;
    let known = engine.memories(&chat("main")).await.unwrap();
    assert_eq!(known.len(), 1, "messages and memories are searched");
    noting.questions.lock().unwrap().clear();
    let message = Current { ids: Vec::new(), text: "What am I allergic to?".to_owned(), speaker: None };
    let request = ContextRequest { message: Some(message), ..ContextRequest::new(chat("main"), Lane::Root) };
    engine.preview(request).await.unwrap();
    assert_eq!(*noting.questions.lock().unwrap(), ["What am I allergic to?"]);
}

#[tokio::test]
async fn b6_another_process_sees_new_vectors_and_reindexing_rebuilds_them() {
    let test = TestStore::fresh().await;
    let (here, there) = (engine(&test), Engine { store: test.again().await, ..engine(&test) });
    tell(&here, month()).await;
    let question = "Which musical instrument am I practicing?";
    let before = ask(&there, question).await.hits;
    assert!(before[0].why.dense > 0.2);
    tell(&here, [said("The trombone is a musical instrument I am practicing now", 1)]).await;
    let after = ask(&there, question).await;
    assert!(first(&after).contains("trombone") && after.hits[0].why.dense > 0.5);
    here.store.reindex().await.unwrap();
    assert!(ask(&there, question).await.hits[0].why.dense == 0.0, "the vectors are gone, the words are not");
    tell(&here, []).await;
    let again = ask(&there, question).await.hits;
    assert_eq!(
        again.iter().map(|hit| (hit.stored.message.id, hit.score)).collect::<Vec<_>>(),
        after.hits.iter().map(|hit| (hit.stored.message.id, hit.score)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn b6_a_large_chat_is_found_by_meaning_in_blocks_and_beside_them() {
    let test = TestStore::fresh().await;
    let engine = engine(&test);
    let filler =
        |n: i64| said(&format!("Entry {n}: the weather was {} and I stayed at home", n % 17), 9_000 - n);
    let mut all: Vec<Inbound> = (0..5_000).map(filler).collect();
    all[700].text = "I am allergic to peanuts".to_owned();
    all[4_999].text = "My passport expires in May".to_owned();
    tell(&engine, all).await;
    for (question, expected) in [("Which food makes me ill?", "peanuts"), ("visa", "passport")] {
        let found = ask(&engine, question).await;
        assert!(found.hits.iter().any(|hit| hit.stored.message.text.contains(expected)), "{question}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn h4_any_string_can_be_asked_and_nothing_leaves_its_chat(
        mine in proptest::collection::vec("\\PC{1,50}", 1..5),
        others in proptest::collection::vec("\\PC{1,50}", 1..5),
        question in "\\PC{0,60}",
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let test = TestStore::fresh().await;
            let engine = engine(&test);
            let other = |text: &String| Inbound { role: Role::User, text: text.clone(), ..Inbound::in_chat(chat("other")) };
            for text in others.iter().filter(|text| !text.trim().is_empty()) {
                let _ = engine.record_message(other(text), Purpose::Record).await;
            }
            for text in mine.iter().filter(|text| !text.trim().is_empty()) {
                let Ok(heard) = engine.record_message(said(text, 1), Purpose::Record).await else { continue };
                let found = ask(&engine, text).await;
                let has_words = !throughline_text::words::terms(text).is_empty();
                let is_there = found.hits.iter().any(|hit| hit.messages.contains(&heard.id));
                prop_assert!(is_there || !has_words, "{text:?} is not found by its own words");
            }
            engine.run_jobs(Instant::now() + Duration::from_secs(60)).await.unwrap();
            let found = ask(&engine, &question).await;
            prop_assert!(found.hits.iter().all(|hit| hit.stored.message.chat == chat("main")));
            Ok(())
        })?;
    }
}
