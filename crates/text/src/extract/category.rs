//! What a statement is about: by the attribute that it gives a value, else by its words.

use super::Kind;
use crate::cjk::is_unspaced;
use crate::relate::attribute::attribute;
use crate::words::for_each_term;

/// The category of a statement.
pub(super) fn of(kind: Kind, text: &str) -> &'static str {
    let by_attribute = attribute(kind, text).and_then(|it| {
        let named = BY_ATTRIBUTE.iter().find(|(keys, _)| keys.split(' ').any(|key| key == it.key));
        named.map(|(_, category)| *category)
    });
    by_attribute.or_else(|| by_words(text)).unwrap_or("other")
}

const BY_ATTRIBUTE: &[(&str, &str)] = &[
    ("name", "name"),
    ("home birthplace hometown", "home"),
    ("job employer", "work"),
    ("diet", "food"),
    ("address email phone", "contact"),
];

/// The category with most of the text's words; of two, the one that matters more.
fn by_words(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let mut terms: Vec<String> = Vec::new();
    for_each_term(&lower, |term| terms.push(term.to_owned()));
    let count = |words: &str| {
        let is_in = |word: &&str| {
            if word.starts_with(is_unspaced) {
                lower.contains(*word)
            } else {
                terms.iter().any(|term| term.starts_with(*word))
            }
        };
        words.split_whitespace().filter(is_in).count()
    };
    let counted = BY_WORDS.iter().rev().map(|(category, words)| (count(words), *category));
    counted.filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count).map(|(_, category)| category)
}

/// The beginnings of words, without accents, those that matter most first.
const BY_WORDS: &[(&str, &str)] = &[
    (
        "health",
        "allerg alergi intoleran diagnos diabet asthma asma asthme celiac coeliac celiaq migrain migran epilep medicat medikament \
         medicament insulin epipen pregnan schwanger embaraz enceint therap surger disab wheelchair rollstuhl anxiety depress adhd \
         blood doctor arzt medico 过敏 過敏 糖尿 哮喘 怀孕 懷孕 吃药 手术 アレルギー 喘息 妊娠 持病 薬を 病院",
    ),
    (
        "style",
        "answer repl bullet concis emoji format respons antwort kurz respuest respond repond repons tutoi tone jargon metric 回答 回复 简短 簡潔 敬語 箇条書き",
    ),
    (
        "family",
        "wife husband partner son daughter kid child mother father mum mom dad sister brother twin frau mann tochter sohn mutter vater \
         esposa marido hija hijo madre padre hermana hermano femme mari fille fils mere pere soeur frere 妻子 老婆 老公 丈夫 女儿 儿子 \
         妈妈 爸爸 娘 息子 妻 夫 母 父",
    ),
    (
        "work",
        "job work employ boss manag office compan startup colleague shift arbeit firma beruf trabaj empresa jefe travail boulot entreprise 工作 \
         公司 上班 仕事 会社 勤務",
    ),
    (
        "home",
        "live living moved apartment flat rent wohn umgezog lebe viv mud piso appart habite demenag 住在 搬家 搬到 住んで 引っ越",
    ),
    (
        "contact",
        "account phone number email address postcode iban customer konto kundennummer cuenta telefon 账号 帳號 电话 電話 番号",
    ),
    ("pets", "dog cat puppy kitten hund katz perr gat chien chat 猫 狗 犬"),
    (
        "study",
        "exam degree universit college study student course thesis prufung studi examen estudi 考试 大学 考研 試験 勉強",
    ),
    ("money", "save saving debt loan mortgage invest salary budget sparen ahorr epargn 存钱 贷款 貯金"),
    (
        "language",
        "speak fluent spanish german french japanese mandarin sprech hablo parle 英语 日语 英語 日本語",
    ),
    (
        "travel",
        "trip travel flight fly train hotel vacation holiday reise flug viaj vuelo voyage 旅行 航班 飛行機",
    ),
    (
        "food",
        "eat drink food coffee tea meat vegetarian vegan cook ess trink comer cocin mange cuisin 吃 喝 食べ 料理",
    ),
];
