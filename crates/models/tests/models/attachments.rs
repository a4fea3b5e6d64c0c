//! Files that come with a message, in the shape that each provider takes, or in words.

use serde_json::{Value, json};
use throughline_models::{
    Anthropic, Attachment, ChatModel, Content, Ollama, OpenAi, Request, ServerSettings,
};

use crate::server::{Asked, Behavior, Server, refuses, streams};
use crate::{ask, limits, outcome, turn};

const ANTHROPIC: &str = include_str!("../recorded/anthropic.txt");
const OPENAI: &str = include_str!("../recorded/openai.txt");
const OLLAMA: &str = include_str!("../recorded/ollama.txt");
const PNG: &[u8] = b"\x89PNG";
const PNG_BASE64: &str = "iVBORw==";

fn image(bytes: &[u8]) -> Attachment {
    Attachment {
        name: None,
        content: Content::Image { media_type: "image/png".to_owned(), bytes: bytes.into() },
    }
}

fn pdf() -> Attachment {
    Attachment { name: Some("plan.pdf".to_owned()), content: Content::Pdf(b"%PDF-".as_slice().into()) }
}

fn with_files(attachments: Vec<Attachment>) -> Request {
    let Request::Turn(mut turn) = turn(&["Hello", "Hi."], "What is this?") else { unreachable!() };
    turn.attachments = attachments;
    Request::Turn(turn)
}

fn settings(address: String) -> ServerSettings {
    ServerSettings { address, model: "m".to_owned(), key: None, limits: limits() }
}

async fn asked<M: ChatModel>(
    model: impl FnOnce(ServerSettings) -> M,
    request: &Request,
    behaviors: impl IntoIterator<Item = Behavior>,
) -> (String, Vec<Asked>) {
    let server = Server::start().await;
    let model = model(settings(server.address()));
    let ((answer, _), asked) = server.serve(ask(&model, request), behaviors).await;
    (outcome(&answer), asked)
}

fn last(asked: &Asked) -> Value {
    asked.body["messages"].as_array().unwrap().last().unwrap().clone()
}

/// All words of a message, whatever its shape.
fn words(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

#[tokio::test]
async fn g1_anthropic_takes_pictures_and_pdfs_as_blocks_before_the_words() {
    let request = with_files(vec![image(PNG), pdf()]);
    let (_, asked) =
        asked(|settings| Anthropic::new(settings).unwrap(), &request, [streams(ANTHROPIC)]).await;
    let content = last(&asked[0])["content"].as_array().unwrap().clone();
    assert_eq!(
        content[0],
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": PNG_BASE64 } })
    );
    assert_eq!((&content[1]["type"], &content[1]["title"]), (&json!("document"), &json!("plan.pdf")));
    assert!(content[2]["text"].as_str().unwrap().contains("What is this?"));
    assert!(!asked[0].body["messages"][0].to_string().contains(PNG_BASE64), "the last turn alone carries it");
}

#[tokio::test]
async fn g1_openai_takes_pictures_as_links_and_another_server_is_told_of_a_pdf() {
    let request = with_files(vec![image(PNG), pdf()]);
    let (_, asked) = asked(|settings| OpenAi::new(settings).unwrap(), &request, [streams(OPENAI)]).await;
    let content = last(&asked[0])["content"].as_array().unwrap().clone();
    assert_eq!(
        content[1],
        json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PNG_BASE64}") } })
    );
    assert!(
        words(&last(&asked[0]))
            .contains("the PDF plan.pdf, which you cannot see: this model does not take such files")
    );
}

#[tokio::test]
async fn g1_ollama_is_asked_whether_a_model_sees() {
    let request = with_files(vec![image(PNG)]);
    let shown = |abilities: &str| refuses("200 OK", "", &format!("{{\"capabilities\":[{abilities}]}}"));
    let model = |settings| Ollama::new(settings).unwrap();
    let (_, sees) = asked(model, &request, [shown("\"completion\",\"vision\""), streams(OLLAMA)]).await;
    assert_eq!(
        (sees[0].head.contains("post /api/show "), &last(&sees[1])["images"]),
        (true, &json!([PNG_BASE64]))
    );
    let (_, blind) = asked(model, &request, [shown("\"completion\""), streams(OLLAMA)]).await;
    let message = last(&blind[1]);
    assert!(message.get("images").is_none() && words(&message).contains("which you cannot see"), "{message}");
    let (_, silent) = asked(model, &request, [refuses("404 Not Found", "", "{}"), streams(OLLAMA)]).await;
    assert_eq!(last(&silent[1])["images"], json!([PNG_BASE64]));
}

#[tokio::test]
async fn g1_a_refused_picture_is_told_in_words_once() {
    let request = with_files(vec![image(PNG)]);
    let no = || refuses("400 Bad Request", "", r#"{"error":{"message":"image input is not supported"}}"#);
    let (said, asks) =
        asked(|settings| Anthropic::new(settings).unwrap(), &request, [no(), streams(ANTHROPIC)]).await;
    assert!(
        said.starts_with("answered ") && words(&last(&asks[1])).contains("which you cannot see"),
        "{said}"
    );
    let (said, asks) = asked(|settings| Anthropic::new(settings).unwrap(), &request, [no(), no()]).await;
    assert!(said.starts_with("refused") && asks.len() == 2, "{said}");
    // A server without the part for pictures breaks rather than refuses.
    let broken = refuses("500 Internal Server Error", "", r#"{"error":{"message":"needs an mmproj"}}"#);
    let (said, _) =
        asked(|settings| OpenAi::new(settings).unwrap(), &request, [broken, streams(OPENAI)]).await;
    assert!(said.starts_with("answered "), "{said}");
    let key = refuses("401 Unauthorized", "", "{}");
    let (said, asks) = asked(|settings| Anthropic::new(settings).unwrap(), &request, [key]).await;
    assert!(said.starts_with("refused") && asks.len() == 1, "{said}");
}

#[tokio::test]
async fn g1_a_picture_over_the_providers_limit_and_a_missing_file_are_told_in_words() {
    let absent = Attachment {
        name: Some("a.png".to_owned()),
        content: Content::Absent("it is still being downloaded".to_owned()),
    };
    let request = with_files(vec![image(&vec![0; 4_000_000]), absent]);
    let (_, asked) =
        asked(|settings| Anthropic::new(settings).unwrap(), &request, [streams(ANTHROPIC)]).await;
    let words = words(&last(&asked[0]));
    assert!(
        words.contains("too large for this model (4.0 MB)")
            && words.contains("the file a.png, which is not here: it is still being downloaded"),
        "{words}"
    );
}
