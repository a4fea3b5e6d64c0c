//! The commonest statements in Japanese, told by how a clause ends.

use super::chinese::clauses;
use crate::cjk::is_kana;
use crate::extract::Candidate;
use crate::extract::{Kind, LONGEST_STATEMENT};
use crate::word_list::WordList;

const SAID: f32 = 0.75;

/// What parts clauses; in Chinese the first of them parts a list.
pub const MARKS: &[char] = &['、', ',', '，', '；', ' '];

/// Whether a text has kana.
pub fn is_written(text: &str) -> bool {
    text.contains(is_kana)
}

/// What a sentence that begins at byte `start` of the message states.
pub fn statements(text: &str, start: usize, is_question: bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    let clauses = clauses(text, MARKS);
    let last = clauses.len().saturating_sub(1);
    for (at, clause) in clauses.into_iter().enumerate() {
        let said = text.get(clause.clone()).unwrap_or_default();
        let is_doubtful = DOUBTS.iter().any(|doubt| said.contains(doubt))
            || said.ends_with('か')
            || (is_question && at == last);
        let row = TABLE.iter().find(|(.., endings)| endings.split(' ').any(|ending| said.contains(ending)));
        if let Some((kind, category, _)) =
            row.filter(|_| !is_doubtful && said.chars().count() <= LONGEST_STATEMENT)
        {
            let span = start + clause.start..start + clause.end;
            let (kind, category, text) = (*kind, (*category).to_owned(), said.to_owned());
            found.push(Candidate { kind, text, category, confidence: SAID, span, day: None });
        }
    }
    found
}

static DOUBTS: WordList =
    WordList::new("もし たら なら かもしれ と言って そうです らしい 知りたい 聞きたい 教えて 彼は 彼女は");

const TABLE: &[(Kind, &str, &str)] = &[
    (Kind::Goal, "other", "たいです たいんです たいと思 つもりです 目指して 目標は 予定です"),
    (Kind::Preference, "other", "が好き が大好き が嫌い が苦手 のほうが好き"),
    (Kind::Fact, "health", "アレルギー 糖尿病です"),
    (Kind::Fact, "home", "に住んで 出身です に引っ越し 生まれです 育ちです"),
    (Kind::Fact, "family", "子供がい 子どもがい 娘がい 息子がい 結婚して"),
    (Kind::Fact, "work", "で働いて に勤めて として働 をしています をやっています を教えています 歴"),
    (Kind::Fact, "name", "と申します といいます と言います 私の名前は"),
    (Kind::Fact, "pets", "飼って"),
];
