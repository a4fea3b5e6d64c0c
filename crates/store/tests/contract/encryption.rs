//! A file and the key that is set fit, or nothing is changed. The stories of every other file run on an encrypted store, too.

use std::path::Path;

use throughline_store::{Error, Key, KeyMismatch, Options, Store};
use throughline_testkit::{key, store_options};

fn options(folder: &Path, key: Option<Key>) -> Options {
    Options { key, ..store_options(folder) }
}

/// Why a file and a key do not fit. The file stays as it is.
async fn misfit(options: Options) -> KeyMismatch {
    let before = std::fs::read(&options.path).ok();
    let error = Store::open(options.clone()).await.err().unwrap();
    assert!(error.to_string().ends_with("Nothing was changed"), "{error}");
    assert_eq!(std::fs::read(&options.path).ok(), before);
    match error {
        Error::Locked { why, .. } => why,
        error => panic!("{error}"),
    }
}

#[cfg(not(feature = "encryption"))]
#[tokio::test]
async fn a_build_without_encryption_refuses_an_encrypted_file_and_a_key() {
    use throughline_store::restore::{check, convert};

    let folder = tempfile::tempdir().unwrap();
    let file = options(folder.path(), None).path;
    assert_eq!(misfit(options(folder.path(), Some(key("5a")))).await, KeyMismatch::CannotEncrypt);
    assert!(!file.exists(), "nothing plain is made where a key is set");
    // Every byte occurs, as in an encrypted page.
    std::fs::write(&file, (0..=255).collect::<Vec<u8>>().repeat(64)).unwrap();
    assert_eq!(misfit(options(folder.path(), None)).await, KeyMismatch::CannotRead);
    assert_eq!(misfit(options(folder.path(), Some(key("5a")))).await, KeyMismatch::CannotRead);
    let refused = check(&file, Some(&key("5a"))).await.unwrap_err();
    assert!(matches!(refused, Error::Locked { why: KeyMismatch::CannotRead, .. }), "{refused}");
    std::fs::remove_file(&file).unwrap();
    drop(Store::open(options(folder.path(), None)).await.unwrap());
    let refused = convert(options(folder.path(), None), Some(key("5a"))).await.unwrap_err();
    assert!(matches!(refused, Error::Locked { why: KeyMismatch::CannotEncrypt, .. }), "{refused}");
}

#[cfg(feature = "encryption")]
mod with_encryption {
    use throughline_store::restore::{self, Restore, content, convert, is_encrypted};
    use throughline_testkit::TestStore;

    use super::*;
    use crate::{problems, said};

    const WORDS: &[u8] = b"The spare key is with Ana";

    fn holds(file: &Path) -> bool {
        let bytes = std::fs::read(file).unwrap();
        bytes.windows(WORDS.len()).any(|window| window == WORDS)
    }

    async fn say(store: &Store, id: u128) {
        let text = str::from_utf8(WORDS).unwrap();
        store.append(vec![said("a", id, 0).text(text).to_record()]).await.unwrap();
    }

    /// The files of a folder and of its backups that hold the words.
    fn holders(folder: &Path) -> Vec<String> {
        let inside = |folder: &Path| {
            std::fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path())
                .collect::<Vec<_>>()
        };
        let files =
            inside(folder).into_iter().chain(inside(&folder.join("backups"))).filter(|path| path.is_file());
        let mut found: Vec<String> = files
            .filter(|file| holds(file))
            .map(|file| file.file_name().unwrap().display().to_string())
            .collect();
        found.sort();
        found
    }

    #[tokio::test]
    async fn the_file_its_journal_and_its_backups_hold_no_word_of_a_message() {
        let plain = TestStore::fresh().await;
        say(&plain.store, 1).await;
        assert_eq!(holders(plain.folder.path()), ["test.db-wal"], "the test can see words");
        let test = TestStore::encrypted().await;
        say(&test.store, 1).await;
        let folder = test.folder.path();
        let backup = folder.join("copy.db");
        test.store.back_up(&backup).await.unwrap();
        test.store.scrub().await.unwrap();
        say(&test.store, 2).await;
        assert!(folder.join("test.db-wal").metadata().unwrap().len() > 0);
        assert_eq!(holders(folder), [""; 0]);
        assert!(is_encrypted(&backup) && is_encrypted(&folder.join("test.db")));
        let inside = content(&backup, Some(&key("5a"))).unwrap();
        assert!(
            inside.windows(WORDS.len()).any(|window| window == WORDS),
            "they can be searched with the key"
        );
        assert_eq!(problems(&test.store).await, [""; 0]);
    }

    #[tokio::test]
    async fn without_the_right_key_nothing_is_opened_and_nothing_is_changed() {
        let test = TestStore::encrypted().await;
        say(&test.store, 1).await;
        let backup = test.folder.path().join("copy.db");
        test.store.back_up(&backup).await.unwrap();
        let folder = test.close();
        assert_eq!(misfit(options(folder.path(), None)).await, KeyMismatch::NoKey);
        assert_eq!(misfit(options(folder.path(), Some(key("11")))).await, KeyMismatch::WrongKey);
        for (key, expected) in [(None, KeyMismatch::NoKey), (Some(key("11")), KeyMismatch::WrongKey)] {
            let refused = restore::check(&backup, key.as_ref()).await.unwrap_err();
            assert!(matches!(refused, Error::Locked { why, .. } if why == expected), "{refused}");
            let refused = Restore::prepare(options(folder.path(), key), &backup).await.err().unwrap();
            assert!(matches!(refused, Error::Locked { why, .. } if why == expected), "{refused}");
        }
        let plain = TestStore::fresh().await.close();
        assert_eq!(misfit(options(plain.path(), Some(key("5a")))).await, KeyMismatch::NotEncrypted);
    }

    #[tokio::test]
    async fn a_database_is_encrypted_and_decrypted_in_place() {
        let test = TestStore::fresh().await;
        say(&test.store, 1).await;
        let folder = test.close();
        let (plain, locked) = (options(folder.path(), None), options(folder.path(), Some(key("5a"))));
        assert_eq!(convert(plain.clone(), Some(key("5a"))).await.unwrap(), 1);
        assert_eq!(holders(folder.path()), [""; 0], "no plain copy stays");
        let store = Store::open(locked.clone()).await.unwrap();
        assert_eq!((store.figures().await.unwrap().messages, problems(&store).await), (1, Vec::new()));
        say(&store, 2).await;
        drop(store);
        let wrong = Options { key: Some(key("11")), ..locked.clone() };
        assert!(convert(wrong, None).await.is_err());
        assert_eq!(convert(locked, None).await.unwrap(), 2);
        let store = Store::open(plain).await.unwrap();
        assert_eq!((store.figures().await.unwrap().messages, problems(&store).await), (2, Vec::new()));
        assert_eq!(holders(folder.path()), ["test.db"]);
    }

    #[tokio::test]
    async fn a_plain_backup_is_encrypted_when_it_is_restored() {
        let plain = TestStore::fresh().await;
        say(&plain.store, 1).await;
        let backup = plain.folder.path().join("copy.db");
        plain.store.back_up(&backup).await.unwrap();
        let folder = TestStore::encrypted().await.close();
        let options = options(folder.path(), Some(key("5a")));
        let restore = Restore::prepare(options.clone(), &backup).await.unwrap();
        assert_eq!(restore.suppressions_before().await, Some(Vec::new()));
        assert_eq!(restore.carry_out().await.unwrap().messages, 1);
        assert_eq!(Store::open(options).await.unwrap().figures().await.unwrap().messages, 1);
        assert_eq!(holders(folder.path()), [""; 0]);
    }

    #[tokio::test]
    async fn a_passphrase_opens_what_it_has_encrypted() {
        let folder = tempfile::tempdir().unwrap();
        let phrase = |text: &str| Some(Key::read(text.as_bytes()).unwrap());
        let store = Store::open(options(folder.path(), phrase("correct horse 'battery'"))).await.unwrap();
        say(&store, 1).await;
        drop(store);
        assert_eq!(misfit(options(folder.path(), phrase("correct horse"))).await, KeyMismatch::WrongKey);
        let store = Store::open(options(folder.path(), phrase("correct horse 'battery'"))).await.unwrap();
        assert_eq!(store.figures().await.unwrap().messages, 1);
    }

    #[tokio::test]
    async fn a_damaged_page_is_damage_and_no_wrong_key() {
        let test = TestStore::encrypted().await;
        for id in 1..200 {
            say(&test.store, id).await;
        }
        test.store.scrub().await.unwrap();
        let folder = test.close();
        let file = folder.path().join("test.db");
        let mut bytes = std::fs::read(&file).unwrap();
        let from = 4096 * 3;
        bytes[from..].fill(0xa5);
        std::fs::write(&file, bytes).unwrap();
        let opened = Store::open(options(folder.path(), Some(key("5a")))).await;
        let said = match opened {
            Ok(store) => match store.check().await {
                Ok(checks) => checks.into_iter().filter_map(|check| check.problem).collect::<String>(),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        assert!(said.contains("damaged") && !said.contains("key"), "{said}");
    }
}
