//! Attributes of statements in Chinese and Japanese, clause by clause.

use super::Attribute;
use crate::word_list::WordList;

/// The attributes of a statement.
pub(super) fn attributes(text: &str) -> Vec<Attribute> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '.' | '-' | ' ' | 'ー' | '・'))
        .take(super::MOST_CLAUSES)
        .filter_map(|clause| read(clause.trim()))
        .collect()
}

fn read(clause: &str) -> Option<Attribute> {
    japanese(clause).or_else(|| chinese(without_lead(clause)))
}

fn chinese(clause: &str) -> Option<Attribute> {
    taste(clause)
        .or_else(|| PREFIXES.iter().find_map(|(start, key)| named(key, clause.strip_prefix(start)?)))
        .or_else(|| state(clause))
        .or_else(|| age(clause))
        .or_else(|| work(clause))
        .or_else(|| own(clause))
        .or_else(|| language(clause))
        .or_else(|| of_another(clause))
}

/// 姐姐搬到了巴黎
fn of_another(clause: &str) -> Option<Attribute> {
    let clause = clause.strip_prefix('的').unwrap_or(clause);
    let (holder, rest) = RELATIVES.iter().find_map(|holder| Some((holder, clause.strip_prefix(holder)?)))?;
    let told = PREFIXES.iter().filter(|(_, key)| *key == "home");
    let told = told.filter_map(|(start, key)| named(key, without_lead(rest).strip_prefix(start)?)).next();
    Some(told.or_else(|| work(without_lead(rest)))?.of_holder(holder))
}

/// 大阪に引っ越しました: what is told stands before the verb, and of whom before は.
fn japanese(clause: &str) -> Option<Attribute> {
    let (topic, told) = match clause.split_once('は') {
        Some((topic, told)) => (topic, told),
        None => ("", clause),
    };
    let topic = topic.trim_start_matches("私の").trim_start_matches("僕の").trim_start_matches("俺の");
    let value = |verbs: &WordList| {
        verbs.iter().find_map(|verb| told.find(verb)).and_then(|at| told.get(..at)).map(|told| {
            let told = JAPANESE_LEADS.iter().fold(told, |told, lead| told.strip_prefix(lead).unwrap_or(told));
            told.rsplit('、').next().unwrap_or(told)
        })
    };
    let found = JAPANESE.iter().find_map(|(key, verbs)| {
        let value = value(verbs)?;
        named(key, value)
    });
    if topic.is_empty() || JAPANESE_SELF.contains(topic) {
        return found;
    }
    if let Some(holder) = RELATIVES.iter().find(|holder| *holder == topic) {
        return found.filter(|found| found.key != "name").map(|found| found.of_holder(holder));
    }
    let (_, key) = ATTRIBUTES.iter().find(|(attribute, _)| *attribute == topic)?;
    named(key, ["です", "だ", "に変わりました"].iter().find_map(|end| told.strip_suffix(end)).unwrap_or(told))
}

/// For each attribute the verbs that follow its value.
static JAPANESE: [(&str, WordList); 5] = [
    (
        "home",
        WordList::new(
            "に住んでい に住んでる に住んでます に住むことになりました に引っ越しました に引っ越した へ引っ越しました へ引っ越した \
             に移りました に移住しました 在住",
        ),
    ),
    (
        "employer",
        WordList::new(
            "で働いてい で働いてる に勤めてい に勤務してい に転職しました に転職した に入社しました",
        ),
    ),
    ("job", WordList::new("として働いてい の仕事をしてい に就職しました")),
    ("name", WordList::new("と申します といいます と言います と呼んで")),
    ("age", WordList::new("歳です 歳になりました 才です")),
];

static JAPANESE_SELF: WordList =
    WordList::new("私 僕 俺 わたし ぼく 今 現在 私達 私たち うち 家族 名前 年齢");
static JAPANESE_LEADS: WordList =
    WordList::new("私は 今は 現在は 現在 今 先月 先週 去年 昨年 今年 来月 もう 最近 実は");

/// Those of whom a statement may tell.
static RELATIVES: WordList = WordList::new(
    "男朋友 女朋友 姐姐 妹妹 哥哥 弟弟 爸爸 妈妈 父亲 母亲 老婆 老公 妻子 丈夫 儿子 女儿 奶奶 爷爷 朋友 老板 \
     お父さん お母さん 両親 祖父 祖母 兄 姉 弟 妹 父 母 妻 夫 主人 息子 娘 友達 彼女 彼氏 上司",
);

fn without_lead(clause: &str) -> &str {
    let mut rest = clause;
    while let Some(shorter) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = shorter;
    }
    rest
}

static LEADS: WordList = WordList::new("用户 我们 我 现在 其实 已经 目前 刚刚 刚 今年 请 以后 家");

const PREFIXES: &[(&str, &str)] = &[
    ("住在", "home"),
    ("住", "home"),
    ("搬到了", "home"),
    ("搬到", "home"),
    ("搬去了", "home"),
    ("搬去", "home"),
    ("定居在", "home"),
    ("搬家到了", "home"),
    ("搬家到", "home"),
    ("跳槽到", "employer"),
    ("的名字是", "name"),
    ("的名字叫", "name"),
    ("名字叫", "name"),
    ("名叫", "name"),
    ("叫", "name"),
    ("来自", "hometown"),
];

const STATES: &[(&str, &str, &str)] = &[
    ("已婚", "marital state", "married"),
    ("结婚了", "marital state", "married"),
    ("单身", "marital state", "single"),
    ("未婚", "marital state", "single"),
    ("离婚了", "marital state", "divorced"),
    ("订婚了", "marital state", "engaged"),
    ("吃素", "diet", "vegetarian"),
    ("素食者", "diet", "vegetarian"),
    ("纯素", "diet", "vegan"),
];

/// A state that is told of the person, neither denied nor another's.
fn state(clause: &str) -> Option<Attribute> {
    let (_, key, value) = STATES.iter().find(|(state, _, _)| {
        clause
            .split_once(state)
            .is_some_and(|(before, _)| ["", "是", "是个", "是一个", "吃", "恢复"].contains(&before))
    })?;
    Some(Attribute::new(*key, *value))
}

fn named(key: &str, value: &str) -> Option<Attribute> {
    let value = value.trim_start_matches('了').trim_end_matches(['了', '啊', '吧', '呢', '呀']).trim();
    (!value.is_empty() && value.chars().count() <= 20).then(|| Attribute::new(key, value.to_lowercase()))
}

fn age(clause: &str) -> Option<Attribute> {
    let (years, _) = clause.split_once('岁')?;
    let years = years.trim();
    let is_number = !years.is_empty()
        && years.chars().all(|c| c.is_ascii_digit() || "零一二三四五六七八九十".contains(c));
    is_number.then(|| Attribute::new("age", years))
}

fn work(clause: &str) -> Option<Attribute> {
    if let Some(place) = clause.strip_prefix('在').and_then(|rest| {
        rest.strip_suffix('了').unwrap_or(rest).strip_suffix("工作").or(rest.strip_suffix("上班"))
    }) {
        return named("employer", place);
    }
    let what = ["是一名", "是一个", "是名", "是个", "是", "的职业是", "的工作是"]
        .iter()
        .find_map(|start| clause.strip_prefix(start))?;
    JOB_ENDINGS.iter().any(|ending| what.ends_with(ending)).then(|| named("job", what))?
}

static JOB_ENDINGS: WordList = WordList::new("师 员 医生 护士 学生 警察 作家 司机 经理 记者 教授 演员");

/// 我最喜欢的颜色是蓝色, 我的狗叫旺财, 我的生日是五月五日.
fn own(clause: &str) -> Option<Attribute> {
    if let Some((what, value)) = clause.strip_prefix("最喜欢的").and_then(|rest| rest.split_once('是')) {
        return named(&format!("favorite {what}"), value);
    }
    let rest = clause.strip_prefix('的').unwrap_or(clause);
    if let Some((owner, name)) =
        rest.split_once("的名字是").or_else(|| rest.split_once("的名字叫")).or_else(|| rest.split_once('叫'))
    {
        return if owner.chars().count() <= 3 { named(&format!("{owner} name"), name) } else { None };
    }
    let (what, value) = rest.split_once('是').or_else(|| rest.split_once('在'))?;
    let (_, key) = ATTRIBUTES.iter().find(|(attribute, _)| *attribute == what)?;
    named(key, value)
}

const ATTRIBUTES: &[(&str, &str)] = &[
    ("生日", "birthday"),
    ("名字", "name"),
    ("电话", "phone"),
    ("电话号码", "phone"),
    ("手机号", "phone"),
    ("手机号码", "phone"),
    ("邮箱", "email"),
    ("地址", "address"),
    ("住所", "address"),
    ("電話番号", "phone"),
    ("名前", "name"),
    ("誕生日", "birthday"),
    ("職業", "job"),
    ("时区", "timezone"),
    ("职业", "job"),
    ("母语", "native language"),
    ("结婚纪念日", "anniversary"),
    ("身高", "height"),
    ("体重", "weight"),
];

fn language(clause: &str) -> Option<Attribute> {
    let (_, rest) = clause.split_once('用')?;
    let language = ["回答", "回复"].iter().find_map(|end| rest.split_once(end))?.0;
    named("answer language", language)
}

fn taste(clause: &str) -> Option<Attribute> {
    let (likes, thing) =
        TASTES.iter().find_map(|(start, likes)| Some((*likes, clause.strip_prefix(start)?)))?;
    let thing = named("", thing)?.value;
    let is_one = !thing.starts_with('的') && !['和', '、', '与'].iter().any(|joint| thing.contains(*joint));
    is_one.then(|| Attribute::new(format!("liking {thing}"), if likes { "like" } else { "dislike" }))
}

const TASTES: &[(&str, bool)] = &[
    ("不再喜欢", false),
    ("不喜欢", false),
    ("不爱", false),
    ("很讨厌", false),
    ("讨厌", false),
    ("受不了", false),
    ("很喜欢", true),
    ("非常喜欢", true),
    ("喜欢", true),
    ("爱", true),
];
