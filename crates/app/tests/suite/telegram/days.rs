//! Days that pass at the test's word: a home whose clock stands where the test puts it.

use std::time::Instant;

use serde_json::Value;

use crate::common::Home;
use crate::common::messages_server::MessagesServer;
use crate::common::served::{ANA, LONG, Served};

/// Ana's private chat.
pub const CHAT: &str = "telegram:chat:4711";

/// A home of a person in Berlin, with the clock at a moment.
pub fn home(settings: &str, moment: &str) -> Home {
    Home::new()
        .configured(settings)
        .with("USER_TIMEZONE", "Europe/Berlin")
        .with("OLLAMA_API_URL", "http://127.0.0.1:9")
        .with("THROUGHLINE_NOW", moment)
}

/// The same home, answered by a server on this machine; the built-in rules learn.
pub fn over(server: &MessagesServer, home: Home) -> Home {
    home.with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
        .with("THROUGHLINE_SMALL_MODEL", "offline")
        .with("ANTHROPIC_BASE_URL", &server.url())
        .with("ANTHROPIC_API_KEY", "test")
}

/// Restarts the program with the clock fixed at another moment.
pub fn move_to(served: &mut Served, moment: &str) {
    assert_eq!(served.stop(), Some(0));
    let home = std::mem::replace(&mut served.home, Home::new());
    served.home = home.with("THROUGHLINE_NOW", moment);
    served.start();
}

/// Looks again until it is so: nothing tells of it.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "{what}: not in time");
        std::thread::yield_now();
    }
}

/// What the bot wrote to Ana.
pub fn shown(served: &Served) -> Vec<String> {
    served.api.shown(ANA).into_iter().map(|message| message.text).collect()
}

/// The newest request that holds these words.
pub fn request_with(server: &MessagesServer, words: &str) -> String {
    let asked = server.asked();
    let found = asked.iter().map(Value::to_string).rfind(|request| request.contains(words));
    found.unwrap_or_else(|| panic!("no request has {words:?}: {asked:#?}"))
}
