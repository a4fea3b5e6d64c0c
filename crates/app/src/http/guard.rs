//! Authenticates every request. The guard refuses unknown hosts and pages of other sites, and identifies the caller.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use throughline_engine::access::Access;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::credentials::CredentialKind;

use super::error::ApiError;
use super::{Caller, Web, dashboard, session};

/// Query parameters that are refused because they carry secrets: URLs end up in logs and browser histories.
const SECRET_PARAMETERS: [&str; 6] = ["token", "access_token", "api_token", "api_key", "apikey", "key"];
/// The headers that may carry a token. Clients of the proxies may need the usual ones for their provider's key.
const TOKEN_HEADERS: [HeaderName; 3] =
    [HeaderName::from_static("x-throughline-token"), AUTHORIZATION, HeaderName::from_static("x-api-key")];

/// Passes a request on if its caller is known, and adds the caller to its extensions.
pub async fn guard(
    State(web): State<Web>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match identify(&web, client.ip(), &mut parts).await {
        Ok(caller) => {
            if let Some(caller) = &caller {
                parts.extensions.insert(caller.clone());
            }
            let mut response = next.run(Request::from_parts(parts, body)).await;
            if let Some(caller) = caller {
                // The access log contains the caller's name.
                response.extensions_mut().insert(caller.name);
            }
            response
        }
        Err(error) => error.into_response(),
    }
}

/// Identifies the caller; `None` for an anonymous request to a public path.
async fn identify(web: &Web, client: IpAddr, parts: &mut Parts) -> Result<Option<Caller>, ApiError> {
    refuse_secrets(&parts.uri)?;
    let hosts = &web.host.app.settings.http.hosts;
    let host = host(&parts.uri, &parts.headers)?;
    if !names_this_server(&host, hosts) {
        let message =
            format!("{host:?} is not a name of this server. If it is, add it to http.hosts in config.toml");
        return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, "unknown_host", message));
    }
    let has_token_header = TOKEN_HEADERS.iter().any(|name| parts.headers.contains_key(name));
    let caller = match by_token(web, &mut parts.headers).await? {
        Some(caller) => caller,
        None => {
            // Another site's page cannot make a browser send a token, but it can make it send everything else.
            refuse_foreign_pages(&parts.method, &parts.headers, &host)?;
            match without_token(web, &parts.headers, has_token_header).await? {
                Some(caller) => caller,
                None if is_public(parts.uri.path(), client) => return Ok(None),
                None => return Err(ApiError::unauthorized()),
            }
        }
    };
    web.limiter.admit(&caller.name)?;
    Ok(Some(caller))
}

/// The caller whose token a header carries. That header is removed, because the proxies pass headers on.
async fn by_token(web: &Web, headers: &mut HeaderMap) -> Result<Option<Caller>, ApiError> {
    for name in TOKEN_HEADERS {
        let Some(hash) =
            headers.get(&name).and_then(|shown| token_in(&name, shown.as_bytes())).map(blake3::hash)
        else {
            continue;
        };
        if let Some(caller) = by_hash(web, hash).await? {
            headers.remove(name);
            return Ok(Some(caller));
        }
    }
    Ok(None)
}

async fn by_hash(web: &Web, hash: blake3::Hash) -> Result<Option<Caller>, ApiError> {
    let host = &web.host;
    let owners = host.app.settings.api_token.as_ref();
    // blake3 compares hashes in constant time, and hashing hides the tokens' lengths.
    if owners.is_some_and(|token| blake3::hash(token.expose().as_bytes()) == hash) {
        return Ok(Some(Caller::new(&host.engine, Access::Everything, "api_token")));
    }
    let found =
        host.engine.store.credential(CredentialKind::Token, *hash.as_bytes(), SystemClock.now()).await?;
    Ok(found.map(|token| Caller::new(&host.engine, token.access, &format!("token:{}", token.name))))
}

/// The caller of a request without a valid token: a browser that is signed in, or anyone on this machine while no token is
/// set.
async fn without_token(
    web: &Web,
    headers: &HeaderMap,
    has_token_header: bool,
) -> Result<Option<Caller>, ApiError> {
    let host = &web.host;
    if !has_token_header && let Some(session) = session::current(web, headers).await? {
        return Ok(Some(Caller::new(&host.engine, session.access, "browser")));
    }
    // `serve` insists on a token if other machines can reach the address.
    let is_open = host.app.settings.api_token.is_none() && host.engine.store.tokens().await?.is_empty();
    Ok(is_open.then(|| Caller::new(&host.engine, Access::Everything, "local")))
}

/// Returns true if a path is public: signing in, the dashboard's files, which contain nothing private, and `/health`
/// for programs on this machine.
fn is_public(path: &str, client: IpAddr) -> bool {
    path == session::SIGN_IN
        || dashboard::is_file(path)
        || path == "/health" && client.to_canonical().is_loopback()
}

fn refuse_secrets(uri: &Uri) -> Result<(), ApiError> {
    let names =
        uri.query().unwrap_or_default().split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    for name in names {
        if SECRET_PARAMETERS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
            return Err(ApiError::invalid(
                "a token does not belong into an address, which ends up in logs; send it in the header `Authorization: Bearer TOKEN` and make a new one in its place",
            ));
        }
    }
    Ok(())
}

/// The host and port that the client addressed.
fn host(uri: &Uri, headers: &HeaderMap) -> Result<String, ApiError> {
    let named = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = uri.authority().map(|authority| authority.as_str()).or(named);
    host.map(str::to_owned).ok_or_else(|| ApiError::invalid("the header `Host` is missing"))
}

/// Returns true if a host names this server. An IP address does; a DNS name might be an attacker's that resolves to
/// this machine.
fn names_this_server(host: &str, own: &[String]) -> bool {
    let name = without_port(host);
    let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    literal.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || own.iter().any(|own| own.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(host))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Refuses cross-site requests. A signed-in browser must state the origin of a request that changes something.
fn refuse_foreign_pages(method: &Method, headers: &HeaderMap, host: &str) -> Result<(), ApiError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let foreign = || ApiError::forbidden("this request comes from a page of another site");
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if !from.is_some_and(|from| from.eq_ignore_ascii_case(host)) {
            return Err(foreign());
        }
    }
    if method.is_safe() {
        return Ok(());
    }
    match header("sec-fetch-site") {
        Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(foreign()),
        None if headers.contains_key(ORIGIN) || !session::has_cookie(headers) => Ok(()),
        None => Err(foreign()),
    }
}

/// The token in a header. mem0's clients call the scheme `Token`.
fn token_in<'a>(name: &HeaderName, header: &'a [u8]) -> Option<&'a [u8]> {
    if *name != AUTHORIZATION {
        return Some(header);
    }
    let after = |scheme: &str| {
        let (begin, token) = header.split_at_checked(scheme.len())?;
        begin.eq_ignore_ascii_case(scheme.as_bytes()).then(|| token.trim_ascii())
    };
    after("Bearer ").or_else(|| after("Token "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_from_the_header_whatever_the_case_of_its_scheme() {
        for (header, token) in [
            ("Bearer t0ken", Some("t0ken")),
            ("bearer t0ken ", Some("t0ken")),
            ("Token t0ken", Some("t0ken")),
            ("Bearer ", Some("")),
            ("Bearer", None),
            ("Basic t0ken", None),
            ("t0ken", None),
        ] {
            assert_eq!(token_in(&AUTHORIZATION, header.as_bytes()), token.map(str::as_bytes), "{header:?}");
        }
    }

    #[test]
    fn only_addresses_localhost_and_the_names_of_the_settings_are_hosts_of_this_server() {
        let own = ["memory.example".to_owned(), "box:8443".to_owned()];
        for host in [
            "127.0.0.1:7717",
            "127.0.0.1",
            "[::1]:7717",
            "[::1]",
            "192.0.2.7:80",
            "localhost",
            "LOCALHOST:1",
            "memory.example",
            "Memory.Example:443",
            "box:8443",
        ] {
            assert!(names_this_server(host, &own), "{host}");
        }
        for host in [
            "evil",
            "evil.example:7717",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            "box",
            "box:1",
            "evil@127.0.0.1",
            "memory.example.",
            "[::1",
            "127.0.0.1:80:80",
        ] {
            assert!(!names_this_server(host, &own), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_site_cannot_change_anything_and_a_program_can() {
        let check = |method: Method, headers: &[(&'static str, &'static str)]| {
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            refuse_foreign_pages(&method, &headers.collect(), "127.0.0.1:7717").is_ok()
        };
        let cookie = ("cookie", "throughline_session=abc");
        let (own, foreign) = (("origin", "http://127.0.0.1:7717"), ("origin", "http://evil.example"));
        assert!(check(Method::POST, &[]), "a program");
        assert!(check(Method::POST, &[own]) && check(Method::GET, &[own]));
        assert!(check(Method::POST, &[cookie, own]) && check(Method::GET, &[cookie]));
        assert!(check(Method::POST, &[cookie, ("sec-fetch-site", "same-origin")]));
        assert!(!check(Method::POST, &[cookie]), "a browser says where it comes from");
        for site in ["cross-site", "same-site"] {
            assert!(!check(Method::DELETE, &[("sec-fetch-site", site)]), "{site}");
        }
        for method in [Method::GET, Method::POST] {
            assert!(!check(method.clone(), &[foreign]) && !check(method.clone(), &[("origin", "null")]));
            assert!(!check(method, &[("origin", "http://127.0.0.1:7718")]), "another port is another site");
        }
    }

    #[test]
    fn a_secret_in_an_address_is_refused() {
        for query in ["token=t0ken", "a=1&ACCESS_TOKEN=x", "key", "api_key="] {
            assert!(refuse_secrets(&format!("/v1/chats?{query}").parse().unwrap()).is_err(), "{query}");
        }
        for path in ["/v1/chats", "/v1/memories?chat=api:chat:token", "/sign-in?code=x"] {
            assert!(refuse_secrets(&path.parse().unwrap()).is_ok(), "{path}");
        }
    }
}
