//! Slots of statements in Chinese, clause by clause.

use super::Attribute;
use crate::word_list::WordList;

/// The slot of a Chinese statement.
pub(super) fn attribute(text: &str) -> Option<Attribute> {
    text.split(|c: char| !c.is_alphanumeric() && c != '@' && c != '.' && c != '-' && c != ' ')
        .find_map(|clause| read(clause.trim()))
}

fn read(clause: &str) -> Option<Attribute> {
    let clause = without_lead(clause);
    taste(clause)
        .or_else(|| PREFIXES.iter().find_map(|(start, key)| named(key, clause.strip_prefix(start)?)))
        .or_else(|| state(clause))
        .or_else(|| age(clause))
        .or_else(|| work(clause))
        .or_else(|| own(clause))
        .or_else(|| language(clause))
}

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
