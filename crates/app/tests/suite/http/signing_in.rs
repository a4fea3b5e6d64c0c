//! Signing in with a link that `throughline open` prints.

use serde_json::json;

use super::Server;
use crate::common::Home;

fn link(server: &Server) -> String {
    let link = server.home.json(&["open"])["link"].as_str().unwrap().to_owned();
    link.strip_prefix(&format!("http://{}", server.address)).unwrap().to_owned()
}

#[test]
fn a_link_signs_a_browser_in_once_and_its_cookie_cannot_be_used_by_other_pages() {
    let mut server = Server::of(Home::new().with("THROUGHLINE_API_TOKEN", "t0ken"));
    let link = link(&server);
    let signed_in = server.get(&link);
    assert_eq!((signed_in.status, signed_in.header("location")), (303, Some("/")));
    let cookie = signed_in.header("set-cookie").unwrap().to_owned();
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "this is no https: {cookie}");
    assert_eq!(server.get(&link).failure(), (403, "forbidden".to_owned()), "a link works once");
    assert_eq!(server.get("/sign-in?code=guess").status, 403);

    let cookie = cookie.split(';').next().unwrap().to_owned();
    let ask = |server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        server.send(method, path, &[&[("cookie", cookie.as_str())], headers].concat(), body).status
    };
    assert_eq!(ask(&server, "GET", "/v1/chats", &[], ""), 200);
    assert_eq!(server.send("GET", "/v1/chats", &[("cookie", "throughline_session=guess")], "").status, 401);
    let body = json!({ "chat": "api:chat:x", "text": "hello" }).to_string();
    assert_eq!(
        ask(&server, "POST", "/v1/messages", &[], &body),
        403,
        "a browser says where a change comes from"
    );
    assert_eq!(ask(&server, "POST", "/v1/messages", &[("origin", "http://evil.example")], &body), 403);
    assert_eq!(ask(&server, "POST", "/v1/messages", &[("sec-fetch-site", "same-site")], &body), 403);
    assert_eq!(ask(&server, "POST", "/v1/messages", &[("origin", "http://localhost")], &body), 200);
    assert_eq!(ask(&server, "POST", "/v1/messages", &[("sec-fetch-site", "same-origin")], &body), 200);
    server.start_again();
    assert_eq!(ask(&server, "GET", "/v1/chats", &[], ""), 200, "a session outlives the program");
    let secret = cookie.split_once('=').unwrap().1;
    for (path, bytes) in server.home.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{}", path.display());
    }
    assert_eq!(ask(&server, "POST", "/sign-out", &[("sec-fetch-site", "same-origin")], ""), 204);
    assert_eq!(ask(&server, "GET", "/v1/chats", &[], ""), 401);
}

#[test]
fn behind_a_proxy_that_speaks_https_the_cookie_is_secure() {
    let server = Server::of(Home::new().configured("[http]\nhosts = [\"memory.example\"]\n"));
    let proxied = [("host", "memory.example"), ("x-forwarded-proto", "https")];
    let cookie = server.send("GET", &link(&server), &proxied, "").header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
}

#[test]
fn without_a_server_there_is_nothing_to_open() {
    let ran = Home::new().run(&["open"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("throughline serve"), "{ran:?}");
}
