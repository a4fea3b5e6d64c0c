//! The words that people and programs put where a secret could stand.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::phrases::Phrases;
use super::reading::{lower, strip_prefix, strip_word};
use super::shape::rows;
use crate::word_list::WordList;

/// The table of single words.
const TABLE: &str = include_str!("words.tsv");

/// The words of this kind.
fn list(kind: &'static str) -> impl Iterator<Item = &'static str> {
    rows(TABLE)
        .filter_map(move |row| row.strip_prefix(kind)?.strip_prefix('\t'))
        .flat_map(str::split_whitespace)
}

/// Said of a password, not as one. Words on `-ed`, `-ing`, `-able` and the like need not be listed.
static REMARKS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| list("remark").collect());

const REMARK_ENDINGS: &[&str] = &["ed", "ing", "able", "ible", "less", "ous", "ive"];

/// How nouns end that look like remarks: "tumbleweed", "featherbed", "beehive", "gosling".
static NOUN_ENDINGS: WordList = WordList::new(
    "eed bed seed hive ling wing ring king string table pudding wedding lightning evening morning awning building painting olive drive hundred motive",
);

/// Nouns that end as participles do in other languages: "mariposa", "couchpotato".
static NOUNS: WordList = WordList::new(
    "potato tomato sonata mimosa piñata gelato limonata frittata insalata mariposa limonada empanada ensalada granada almohada \
     cascada espada helado soldado pescado dorado goiabada feijoada cocada marmelada",
);

/// How single words about a password end in other languages, by language.
static FOREIGN_ENDINGS: Phrases = Phrases::new("ending");

/// What follows "password" and the like as the second half of a noun, or says what happens to it.
static TOPICS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| list("topic").collect());

/// Talk about a secret rather than the telling of it: "I forgot …", "which …", "do you need …".
static TALK: LazyLock<FxHashSet<&str>> = LazyLock::new(|| list("talk").collect());

/// Answers that are no secrets.
static ANSWERS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| list("answer").collect());

/// What may follow the last word of a clause.
static CONNECTIVES: Phrases = Phrases::new("connective");

/// What may follow a password that was told with a verb: "is hedgehog with a capital H".
static SPELLING: Phrases = Phrases::new("spelling");

/// What a Chinese, Japanese or Korean clause continues with after a word of Latin letters.
static CJK_ENDINGS: WordList =
    WordList::new("です だ でし に変 にし 입니다 이에요 예요 이야 야 이고 으로 로 임 哦 啊 吧 呢 了 喔");

static UNITS: WordList = WordList::new(
    "char character digit letter symbol number word bit byte kb mb gb token day hour hr h minute min \
     second sec ms week month year yr time attempt user account people am pm st nd rd th x k m km mile \
     percent factor step item or to line row page loc usd eur dollar euro cm mm kg hz khz mhz ghz v w watt volt",
);

static CJK_UNITS: WordList = WordList::new("位 个 個 字 文字 桁 年 月 日 次 回 天 자 글자 년 월 일 번");

/// Algorithms and encodings, whose names hold digits.
static TERMS: WordList = WordList::new(
    "sha sha1 sha224 sha256 sha384 sha512 md5 base32 base64 utf utf8 utf16 utf32 oauth oauth2 argon2 \
     argon2id pbkdf2 bcrypt scrypt aes aes128 aes256 rsa rsa2048 rsa4096 ed25519 hmac fido2 wpa wpa2 wpa3 \
     ipv4 ipv6 http2 hashed encoded encrypted",
);

/// How a placeholder begins: `your-password-here`, `<token>`, `REPLACE_ME`.
const PLACEHOLDERS: &[&str] = &["your", "insert", "enter_", "replace", "placeholder", "redacted"];

/// What a placeholder is, as a whole.
static STAND_INS: WordList = WordList::new(
    "changeme changeit password passwd pass pwd secret mypassword mysecret mytoken dummy sample example foobar apikey mykey",
);

/// What a placeholder holds.
const STAND_IN_PARTS: &[&str] =
    &["example", "placeholder", "changeme", "change-me", "change_me", "dummy", "xxxxxx"];

/// What nobody draws at random.
const SEQUENCES: &[&str] = &["0123456789", "1234567890", "abcdefgh"];

/// How a reference to a secret kept elsewhere begins.
const REFERENCES: &[&str] =
    &["process.env", "os.environ", "os.getenv", "env.", "secrets.", "vault:", "arn:", "ssm:", "file:"];

/// Returns true if people say this word about a password, and hardly as one.
pub(super) fn is_remark(word: &str) -> bool {
    let word = lower(word.trim_matches(|c: char| !c.is_alphanumeric()));
    let plain = word.len() > 4 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    plain && ends(REMARK_ENDINGS) && !NOUN_ENDINGS.iter().any(|ending| word.ends_with(ending))
        || REMARKS.contains(&*word)
}

/// Returns true if this word says something about a password in that language.
pub(super) fn is_foreign_remark(original: &str, language: &str) -> bool {
    let word = original.to_lowercase();
    // "geändert", "gestolen"
    let participle =
        matches!(language, "de" | "nl") && word.starts_with("ge") && word.ends_with(['t', 'd', 'n']);
    // German nouns have capitals, and describe nothing.
    if language == "de" && original.starts_with(char::is_uppercase) {
        return false;
    }
    // Many languages say "password".
    let language = if language == "en" { "it" } else { language };
    let mut endings = FOREIGN_ENDINGS
        .iter()
        .filter_map(|row| row.strip_prefix(language)?.strip_prefix(' '))
        .flat_map(str::split_whitespace);
    let noun = NOUNS.iter().any(|noun| word.ends_with(noun));
    !noun && word.chars().count() > 4 && (participle || endings.any(|ending| word.ends_with(ending)))
}

/// Returns true if a word ends as adjectives and adverbs do, in any of the languages, in lower case.
pub(super) fn is_descriptive(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ent", "ant", "ic", "al", "ful", "ary", "ory", "ish", "some", "ward", "wards", "wide", "proof",
        "stairs", "ly", "ier", "iest", "issimo", "issima", "ísimo", "ísima",
    ];
    let foreign = FOREIGN_ENDINGS.iter().flat_map(|row| row.split_whitespace().skip(1));
    foreign.chain(ENDINGS.iter().copied()).any(|ending| word.ends_with(ending))
}

/// Returns true if this word makes a noun together with the name before it, or says what happens to it: "password
/// manager".
pub(super) fn is_topic(word: &str) -> bool {
    let lower = lower(word);
    TOPICS.contains(&*lower) || is_abstract(&lower)
}

/// Returns true if this word ends as adverbs and abstract nouns do, in lower case.
pub(super) fn is_abstract(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "tion", "sion", "ment", "ness", "ity", "ance", "ence", "ally", "edly", "itely", "utely", "ately",
        "fully", "kly", "ously", "ably", "ibly", "actly", "antly", "ently", "erly",
    ];
    word.len() > 6 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Returns true if this word, in lower case, answers a question without giving anything away.
pub(super) fn is_answer(word: &str) -> bool {
    ANSWERS.contains(word)
}

/// What a sentence continues with behind a password: when, where and why it is one.
static CONTINUES: WordList = WordList::new(
    "since for on at in until till because so but and when if as now again still too then here there just from by with always \
     last yesterday forever whenever",
);

/// What happens to a password that was just told: "my password hedgehog doesn't work".
static HAPPENS: WordList = WordList::new(
    "got gets gave is was not leaked appeared isn't doesn't didn't won't wasn't isnt doesnt didnt wont twice thrice three again anymore when works worked working",
);

/// Returns true if this word says what happens to a password that stands before it, in lower case.
pub(super) fn happens(word: &str) -> bool {
    HAPPENS.contains(word)
}

/// Returns true if a sentence continues with this word behind a password, in lower case.
pub(super) fn continues(word: &str) -> bool {
    CONTINUES.contains(word)
}

/// Returns true if this is one of the words that sentences are made of, in lower case.
pub(super) fn is_little(word: &str) -> bool {
    REMARKS.contains(word)
}

/// Returns true if these words talk about a secret rather than telling it.
pub(super) fn is_talk(clause: &str) -> bool {
    let is_talk = |word: &str| TALK.contains(&*lower(word.trim_matches(|c: char| !c.is_alphanumeric())));
    clause.split_whitespace().any(is_talk)
}

/// Returns true if a text stands for a secret that is kept elsewhere or still to be filled in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let begins_with = |starts: &[&str]| starts.iter().any(|start| strip_prefix(text, start).is_some());
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    begins_with(REFERENCES) || !has_digit && begins_with(PLACEHOLDERS)
}

/// Returns true if programs and manuals write this in place of a secret: `changeme`, `my-api-key`,
/// `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_stand_in(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let bare = lower.strip_prefix("my").unwrap_or(&lower).replace(['-', '_'], "");
    let named =
        bare.len() < lower.len() && (STAND_INS.contains(&bare) || bare == "token" || bare == "apitoken");
    named || STAND_INS.contains(&lower) || is_sample(&lower)
}

/// Returns true if a key was written to show what keys look like, in lower case.
pub(super) fn is_sample(lower: &str) -> bool {
    STAND_IN_PARTS.iter().chain(SEQUENCES).any(|part| lower.contains(part))
}

/// Returns true if this is the name of an algorithm or the like: `SHA-256`, `base64-encoded`, `UTF8`.
pub(super) fn is_term(text: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |part: &str| TERMS.iter().any(|term| part.eq_ignore_ascii_case(term));
    !is_number(text) && text.split('-').all(|part| is_number(part) || is_name(part))
}

/// Returns true if this is a number's type: `u32`, `__u8`, `int64`.
pub(super) fn is_type(text: &str) -> bool {
    let name = text.trim_start_matches('_').trim_end_matches("_t");
    ["u", "i", "f", "int", "uint", "float"].iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "128" | "size"))
    })
}

/// Returns true if this word is a unit, in the singular or the plural.
pub(super) fn is_unit(word: &str) -> bool {
    let is = |word: &str| UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit));
    is(word) || word.strip_suffix(['s', 'S']).is_some_and(is)
}

/// Returns true if a number before `rest` counts something.
pub(super) fn begins_with_unit(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    // "8 to 16"
    let range = matches!(word, "to" | "or");
    let ranges =
        || rest.get(end..).is_some_and(|next| next.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    is_unit(word) && (!range || ranges()) || CJK_UNITS.iter().any(|unit| rest.starts_with(unit))
}

/// Returns true if a new clause begins here.
pub(super) fn begins_with_connective(rest: &str) -> bool {
    CONNECTIVES.opening(rest).any(|word| strip_word(rest, word).is_some())
}

/// Returns true if the way in which a password is written is told here.
pub(super) fn begins_with_spelling(rest: &str) -> bool {
    SPELLING.opening(rest).any(|word| strip_word(rest, word).is_some())
}

/// Returns true if a clause of Chinese, Japanese or Korean closes here.
pub(super) fn begins_with_cjk_ending(rest: &str) -> bool {
    CJK_ENDINGS.iter().any(|ending| rest.starts_with(ending))
}
