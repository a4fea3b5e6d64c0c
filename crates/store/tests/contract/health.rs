//! Figures, checks, backups: how the store is, and a copy of it out and back in.

use std::collections::BTreeMap;
use std::path::Path;

use throughline_domain::lane::Lane;
use throughline_domain::turn::TurnId;
use throughline_store::health::{Check, Figures};
use throughline_store::restore::{self, Restore, Restored};
use throughline_store::turns::Take;
use throughline_store::{Error, Result};
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::search::found_texts;
use crate::summaries::{end_of, summary};
use crate::turns::answer;
use crate::{chat, holder, learn, memory, minute, problems, said};

async fn figures_count_what_is_there(test: TestStore) {
    let empty = test.store.figures().await.unwrap();
    assert_eq!(empty, Figures { format: empty.format, bytes: empty.bytes, ..Figures::default() });
    assert!(empty.format > 0 && empty.bytes > 0);
    let told = vec![said("a", 1, 0).to_answer(), said("b", 2, 0).to_answer(), said("b", 3, 1).to_answer()];
    test.store.append(told).await.unwrap();
    let turn = TurnId(Uuid::from_u128(1_001));
    for (name, turn) in [("a", turn), ("b", TurnId(Uuid::from_u128(1_002)))] {
        let take = if name == "a" { Take::Waiting } else { Take::UpTo(2) };
        test.store.enter_lane(&chat(name), &Lane::Root, turn, &holder("me"), take, minute(2)).await.unwrap();
    }
    test.store.record_answer(answer(1)).await.unwrap();
    learn(&test.store, "a", vec![memory("a", 1, "holds")]).await;
    let end = end_of(&test.store, 1).await;
    test.store.chat(&chat("a")).add_summary(&Lane::Root, summary(1, end, end, 1)).await.unwrap();
    let found = test.restarted().await.store.figures().await.unwrap();
    let jobs = [("compact", 2), ("embed", 2), ("extract", 1), ("profile", 1)];
    let expected = Figures {
        chats: 2,
        messages: 4,
        summaries: 1,
        memories: 1,
        jobs_by_kind: BTreeMap::from(jobs.map(|(kind, count)| (kind.to_owned(), count))),
        waiting: 1,
        running: 1,
        pending_replies: 1,
        jobs: 6,
        unindexed: 4,
        format: empty.format,
        bytes: found.bytes,
        ..Figures::default()
    };
    assert_eq!(found, expected);
}

async fn a_sound_store_passes_every_check(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
    let before = test.store.figures().await.unwrap();
    for _ in 0..3 {
        test.store.bare_commit().await.unwrap();
    }
    assert_eq!(test.store.figures().await.unwrap(), before, "a bare commit adds nothing");
    let checks = test.store.check().await.unwrap();
    let names = ["database file", "references", "durability", "lanes", "word index"];
    assert_eq!(checks, names.map(|name| Check { name, problem: None }));
}

async fn a_backup_takes_the_place_of_what_is_there_which_is_backed_up_first(test: TestStore) {
    let backup = test.folder.path().join("copy.db");
    test.store.append(vec![said("a", 1, 0).text("before the backup").to_record()]).await.unwrap();
    test.store.back_up(&backup).await.unwrap();
    assert!(test.store.back_up(&backup).await.is_err(), "a file that is there is not overwritten");
    let later = vec![said("a", 2, 1).text("after the backup").to_record(), said("b", 3, 1).to_record()];
    test.store.append(later).await.unwrap();
    let texts = async |test: &TestStore| -> Vec<String> {
        let all = test.store.chat(&chat("a")).recorded_after(0, 9).await.unwrap();
        all.into_iter().map(|stored| stored.message.text).collect()
    };
    assert_eq!(found_texts(&test.store, "a", "after").await.len(), 1);
    let (test, restored) = restored(test, &backup).await;
    let Restored { messages: 1, kept: Some(kept) } = restored.unwrap() else { panic!("one message") };
    assert_eq!(texts(&test).await, ["before the backup"]);
    assert_eq!(found_texts(&test.store, "a", "after").await.len(), 0);
    let (test, restored) = self::restored(test, &kept).await;
    assert_eq!(restored.unwrap().messages, 3);
    assert_eq!(texts(&test).await, ["before the backup", "after the backup"]);
    assert_eq!(problems(&test.store).await, Vec::<String>::new());
}

async fn what_is_no_backup_is_refused_and_changes_nothing(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).to_record()]).await.unwrap();
    let diary = test.folder.path().join("diary.txt");
    std::fs::write(&diary, "this is a diary, not a backup. ".repeat(100)).unwrap();
    let mut test = test;
    for (file, why) in [(diary, "is not a backup"), (test.folder.path().join("none.db"), "no such file")] {
        let (again, restored) = restored(test, &file).await;
        test = again;
        let error = restored.unwrap_err();
        assert!(matches!(&error, Error::Conflict(said) if said.contains(why)), "{error}");
    }
    assert_eq!(test.store.figures().await.unwrap().messages, 1);
    assert!(!test.folder.path().join("backups").exists());
}

async fn what_is_restored_can_be_changed_before_it_takes_its_place(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).text("before the backup").to_record()]).await.unwrap();
    let backup = test.folder.path().join("copy.db");
    test.store.back_up(&backup).await.unwrap();
    let (options, folder) = (test.options(), test.close());
    let restore = Restore::prepare(options.clone(), &backup).await.unwrap();
    assert!(!test_is_read_only(&restore).await);
    assert!(restore::check(&backup, options.key.as_ref()).await.is_ok());
    assert_eq!(restore.suppressions_before().await, Some(Vec::new()));
    let store = restore.store().await.unwrap();
    store.append(vec![said("a", 2, 1).text("written in time").to_record()]).await.unwrap();
    drop(store);
    assert_eq!(restore.carry_out().await.unwrap().messages, 2);
    let left: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("restor"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

async fn test_is_read_only(restore: &Restore) -> bool {
    restore.store().await.unwrap().is_read_only()
}

/// Closes the store, restores a file, and opens the store again.
async fn restored(test: TestStore, file: &Path) -> (TestStore, Result<Restored>) {
    let (options, folder) = (test.options(), test.close());
    let restored = match Restore::prepare(options.clone(), file).await {
        Ok(restore) => restore.carry_out().await,
        Err(error) => Err(error),
    };
    (TestStore::in_folder(folder, options.key).await, restored)
}

stories!(
    figures_count_what_is_there,
    a_sound_store_passes_every_check,
    a_backup_takes_the_place_of_what_is_there_which_is_backed_up_first,
    what_is_no_backup_is_refused_and_changes_nothing,
    what_is_restored_can_be_changed_before_it_takes_its_place,
);
