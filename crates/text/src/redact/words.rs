//! The words that people and programs put where a secret could stand.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::reading::{strip_prefix, strip_word};
use crate::word_list::WordList;

/// Said of a password, not as one. Words on `-ed`, `-ing`, `-able` and the like need not be listed.
const REMARKS: &str = "
argument arguments async await field fields flag flags option options parameter parameters typeof
a about above absent accepted active added again against all allowed almost already also always an and another any anyone
anything are around as ask at auto available away back bad be because been before behind being below best better between
big blank bool boolean both broken but by bytes can cannot case char characters check choose chosen clear click common
complex complicated confirm copied correct could create current default different difficult digits do does done due each
easy either else empty enough enter entirely error even every everything exactly false fine first for forget forgot
forgotten found free from full function generate given go gone good great guess had handled hard has have he her here
hidden his how however i if immutable important in incorrect input insecure inside int integer into invalid is issue it
its just keep kept known last later least left legit length less let letters like limit list long longer lost made
mandatory many may maybe me mention might mine minimum missing more most much must my name nearly necessary need needs
never new next nil no none not nothing now null number object of off ok okay old on once one only onto optional or
other others our ours out outdated over part password passwords perfect please poor post pretty private probably public
put quite random rather read ready really remember right rules safe same saw say says secure see self sent separate
set shall she short shorter should show shown simple since so some someone something somewhere soon still stolen stop str
string strong stronger stuck such super sure tba tbd terrible text than that the their them then there these they this
those through time to todo together token too true try type unclear under undefined unique unknown unless unsafe unset
until up upon us use user useful username using valid value var varchar very via void wait was we weak weaker well were
what whatever when where which while who whole whose why will with within without word worse worst would write written
wrong yes yet you your yours
abgelaufen auf ein eine erforderlich falsch ist nicht richtig ungültig unter vergessen
dans est expiré faux invalide mauvais obligatoire oublié pas requis sur
correcta correcto el en es incorrecta incorrecto inválida la muy necesaria obligatoria obligatorio olvidé requerida
requerido incorreta inválido esqueci muito na não no obrigatória obrigatório
";

static REMARK_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| REMARKS.split_whitespace().collect());

const REMARK_ENDINGS: &[&str] = &["ed", "ing", "able", "ible", "less", "ous", "ive"];

/// What may follow the last word of a clause.
const CONNECTIVES: &[&str] = &[
    "and",
    "but",
    "or",
    "so",
    "for",
    "if",
    "because",
    "btw",
    "by the way",
    "thanks",
    "thx",
    "please",
    "ok",
    "okay",
    "lol",
];

/// What a Chinese, Japanese or Korean clause continues with after a word of Latin letters.
static CJK_ENDINGS: WordList =
    WordList::new("です だ でし に変 にし 입니다 이에요 예요 이야 야 이고 으로 로 임 哦 啊 吧 呢 了 喔");

static UNITS: WordList = WordList::new(
    "char character digit letter symbol number word bit byte kb mb gb token day hour hr h minute min \
     second sec ms week month year yr time attempt user account people am pm st nd rd th x k m km mile \
     percent factor step item or to",
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

/// How a reference to a secret kept elsewhere begins.
const REFERENCES: &[&str] =
    &["process.env", "os.environ", "os.getenv", "env.", "secrets.", "vault:", "arn:", "ssm:", "file:"];

/// Whether people say this word about a password, and hardly as one.
pub(super) fn is_remark(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let plain = word.len() > 5 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    plain && REMARK_ENDINGS.iter().any(|ending| word.ends_with(ending)) || REMARK_SET.contains(word.as_str())
}

/// Whether a text stands for a secret that is kept elsewhere or still to be filled in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let begins_with = |starts: &[&str]| starts.iter().any(|start| strip_prefix(text, start).is_some());
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    begins_with(REFERENCES) || !has_digit && begins_with(PLACEHOLDERS)
}

/// Whether this is the name of an algorithm or the like: `SHA-256`, `base64-encoded`, `UTF8`.
pub(super) fn is_term(text: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |part: &str| TERMS.iter().any(|term| part.eq_ignore_ascii_case(term));
    !is_number(text) && text.split('-').all(|part| is_number(part) || is_name(part))
}

/// Whether this is a number's type: `u32`, `__u8`, `int64`.
pub(super) fn is_type(text: &str) -> bool {
    let name = text.trim_start_matches('_').trim_end_matches("_t");
    ["u", "i", "f", "int", "uint", "float"].iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "128" | "size"))
    })
}

/// Whether this word is a unit, in the singular or the plural.
pub(super) fn is_unit(word: &str) -> bool {
    let is = |word: &str| UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit));
    is(word) || word.strip_suffix(['s', 'S']).is_some_and(is)
}

/// Whether a number before `rest` counts something.
pub(super) fn begins_with_unit(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    rest.get(..end).is_some_and(is_unit) || CJK_UNITS.iter().any(|unit| rest.starts_with(unit))
}

/// Whether a new clause begins here.
pub(super) fn begins_with_connective(rest: &str) -> bool {
    CONNECTIVES.iter().any(|word| strip_word(rest, word).is_some())
}

/// Whether a clause of Chinese, Japanese or Korean closes here.
pub(super) fn begins_with_cjk_ending(rest: &str) -> bool {
    CJK_ENDINGS.iter().any(|ending| rest.starts_with(ending))
}
