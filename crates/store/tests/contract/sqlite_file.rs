//! What holds for SQLite alone: its formats and its damaged files.

use throughline_domain::conversation::GAP;
use throughline_store::{Error, Options, Store};
use throughline_testkit::TestStore;

use crate::said;

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test plays a newer version of the program")]
async fn b8_opening_twice_changes_nothing_and_a_newer_format_is_refused() {
    let test = TestStore::fresh().await;
    test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
    let format = test.store.figures().await.unwrap().format;
    assert_eq!(test.again().await.figures().await.unwrap().format, format);
    let path = test.folder.path().join("test.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 999).unwrap();
    let options = Options { path, gap: GAP, backups: test.folder.path().join("backups"), key: None };
    let error = Store::open(options).await.err().unwrap();
    assert!(matches!(error, Error::Newer { found: 999, .. }), "{error}");
    assert!(error.to_string().contains("install a newer throughline"));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    std::fs::write(&path, "this is a diary, not a database. ".repeat(100)).unwrap();
    let error = Store::open(Options { path, gap: GAP, backups: folder.path().join("b"), key: None })
        .await
        .err()
        .unwrap();
    assert!(
        matches!(error, Error::Corrupt { .. }) && error.to_string().contains("put a backup in its place"),
        "{error}"
    );
}
