//! Opening: formats, gaps and damaged files.

use jiff::SignedDuration;
use throughline_domain::conversation::GAP;
use throughline_store::{Error, Options, Store};
use throughline_testkit::{TestStore, said};

use crate::{chat, minute, record};

fn options(test: &TestStore) -> Options {
    Options {
        path: test.folder.path().join("test.db"),
        gap: GAP,
        backups: test.folder.path().join("backups"),
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test plays a newer version of the program")]
async fn b8_opening_twice_changes_nothing_and_a_newer_format_is_refused() {
    let test = TestStore::fresh().await;
    test.store.append(vec![record(said(&chat("a"), 1, minute(0), "words"))]).await.unwrap();
    let format = test.store.figures().await.unwrap().format;
    assert_eq!(test.again().await.figures().await.unwrap().format, format);
    let raw = rusqlite::Connection::open(test.folder.path().join("test.db")).unwrap();
    raw.pragma_update(None, "user_version", 999).unwrap();
    let error = Store::open(options(&test)).await.err().unwrap();
    assert!(matches!(error, Error::Newer { found: 999, .. }), "{error}");
    assert!(error.to_string().contains("install a newer throughline"));
}

#[tokio::test]
async fn another_gap_computes_the_conversations_anew() {
    let test = TestStore::fresh().await;
    let all = [0, 20, 60]
        .iter()
        .enumerate()
        .map(|(n, at)| record(said(&chat("a"), n as u128 + 1, minute(*at), "words")));
    test.store.append(all.collect()).await.unwrap();
    let count =
        |store: Store| async move { store.chat(&chat("a")).conversations(None, 10).await.unwrap().len() };
    assert_eq!(count(test.store.clone()).await, 2);
    let narrow = Store::open(Options { gap: SignedDuration::from_mins(10), ..options(&test) }).await.unwrap();
    assert_eq!(count(narrow).await, 3);
    let wide = Store::open(Options { gap: SignedDuration::from_hours(2), ..options(&test) }).await.unwrap();
    assert_eq!(count(wide).await, 1);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    std::fs::write(&path, "this is a diary, not a database. ".repeat(100)).unwrap();
    let error =
        Store::open(Options { path, gap: GAP, backups: folder.path().join("b") }).await.err().unwrap();
    assert!(
        matches!(error, Error::Corrupt { .. }) && error.to_string().contains("put a backup in its place"),
        "{error}"
    );
}
