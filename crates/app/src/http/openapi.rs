//! The description of the API at `/openapi.json`, made from the handlers and their types.

use axum::Json;
use axum::extract::State;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Content, Header, Object, OpenApi, Ref, RefOr, Response, ResponseBuilder, Type};
use utoipa::{OpenApi as _, ToSchema as _};

use super::Web;
use super::error::ErrorDocument;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Throughline",
        description = "One continuous memory for chat assistants. Every failure is `{\"error\":{\"code\",\"message\"}}`."
    ),
    components(schemas(ErrorDocument))
)]
struct Description;

/// The failures that any request may have.
const FAILURES: [(&str, &str); 15] = [
    ("400", "The request makes no sense."),
    ("401", "No valid token was shown."),
    ("403", "The caller may not touch this chat, or the request comes from a foreign page."),
    ("404", "There is no such thing where the caller may look."),
    ("408", "The body took too long."),
    ("409", "It conflicts with what is stored."),
    ("413", "The body is too large."),
    ("415", "The body is not JSON by its type."),
    ("421", "The host is not a name of this server."),
    ("422", "The body has another shape, or cannot be stored."),
    ("429", "Too many requests, or the day's cap is reached."),
    ("500", "Something failed that should not."),
    ("502", "The model failed; the message is recorded."),
    ("503", "Busy; try again."),
    ("507", "The disk is full."),
];

/// The description without its paths.
pub fn without_paths() -> OpenApi {
    let mut description = Description::openapi();
    env!("CARGO_PKG_VERSION").clone_into(&mut description.info.version);
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = description.components.get_or_insert_default();
    components.security_schemes.insert("token".to_owned(), RefOr::T(SecurityScheme::Http(bearer)));
    description.security =
        Some(vec![SecurityRequirement::new("token", [""; 0]), SecurityRequirement::default()]);
    description
}

/// Adds the failures to each path of the description.
pub fn with_failures(mut description: OpenApi) -> OpenApi {
    for item in description.paths.paths.values_mut() {
        item.get.iter_mut().for_each(document_etag);
        let operations = [&mut item.get, &mut item.post, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for (status, meaning) in FAILURES {
                operation.responses.responses.entry(status.to_owned()).or_insert_with(|| failure(meaning));
            }
        }
    }
    description
}

/// Documents the `ETag` of a `GET` response and the answer 304.
fn document_etag(operation: &mut Operation) {
    let Some(RefOr::T(answer)) = operation.responses.responses.get_mut("200") else { return };
    if !answer.content.contains_key("application/json") {
        return;
    }
    let text = || Object::with_type(Type::String);
    answer.headers.insert("ETag".to_owned(), RefOr::T(Header::new(text())));
    let unchanged = ResponseBuilder::new().description("The document is the one that the client named.");
    operation.responses.responses.insert("304".to_owned(), RefOr::T(unchanged.build()));
    let name = ParameterBuilder::new()
        .name("If-None-Match")
        .parameter_in(ParameterIn::Header)
        .description(Some("The `ETag` of an earlier answer."))
        .schema(Some(text()));
    operation.parameters.get_or_insert_default().push(RefOr::T(name.build()));
}

fn failure(meaning: &str) -> RefOr<Response> {
    let schema = Ref::from_schema_name(ErrorDocument::name());
    let content = Content::new(Some(RefOr::Ref(schema)));
    RefOr::T(ResponseBuilder::new().description(meaning).content("application/json", content).build())
}

/// Serves the description.
pub async fn openapi(State(web): State<Web>) -> Json<OpenApi> {
    Json(OpenApi::clone(&web.openapi))
}
