//! Statements in Chinese: a subject, what stands between, and a predicate from a table; words are not parted by spaces.
//!
//! In a predicate `*` stands for any characters and `+` asks that something follows.

use std::ops::Range;

use jiff::civil::Date;

use super::clause::Sentence;
use super::doubt::Doubt;
use super::{chinese_day, japanese};
use crate::learn::Candidate;
use crate::memory::{Kind, LONGEST_STATEMENT};

const SAID: f32 = 0.85;

/// Whether a sentence is written in Chinese or Japanese rather than with letters.
pub fn is_written(sentence: &Sentence) -> bool {
    let texts = || sentence.tokens.iter().filter(|token| !token.is_mark());
    let characters = texts().flat_map(|token| token.text.chars()).filter(|c| is_cjk(*c)).count();
    let words = texts().filter(|token| !token.text.contains(is_cjk)).count();
    characters > words
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What a sentence states about the person.
pub fn statements(message: &str, sentence: &Sentence, today: Date) -> Vec<Candidate> {
    let Some((first, last)) = sentence.tokens.first().zip(sentence.tokens.last()) else { return Vec::new() };
    let span = first.range.start..last.range.end;
    let text = message.get(span.clone()).unwrap_or_default();
    if japanese::is_written(text) {
        return japanese::statements(text, span.start, sentence.is_question);
    }
    if let Some(style) = style(text, span.start, &clauses(text, MARKS)) {
        return vec![style];
    }
    let mut found = Vec::new();
    for (clause, doubt) in doubted(text, sentence.is_question) {
        let said = text.get(clause.clone()).unwrap_or_default();
        found.extend(statement(said, span.start + clause.start, today).filter(|_| doubt.is_none()));
    }
    found
}

/// The clauses of a sentence, and what makes each no statement.
pub fn doubts(message: &str, sentence: &Sentence) -> Vec<(Range<usize>, Option<Doubt>)> {
    let Some((first, last)) = sentence.tokens.first().zip(sentence.tokens.last()) else { return Vec::new() };
    let start = first.range.start;
    let text = message.get(start..last.range.end).unwrap_or_default();
    let all = doubted(text, sentence.is_question).into_iter();
    all.map(|(clause, doubt)| (start + clause.start..start + clause.end, doubt)).collect()
}

fn doubted(text: &str, is_question: bool) -> Vec<(Range<usize>, Option<Doubt>)> {
    let clauses = clauses(text, if japanese::is_written(text) { japanese::MARKS } else { MARKS });
    let last = clauses.last().cloned();
    let judge = |clause: Range<usize>| {
        let said = text.get(clause.clone()).unwrap_or_default();
        let before = text.get(..clause.start).unwrap_or_default();
        let is_asked = is_question && last.as_ref() == Some(&clause) || said.ends_with('吗');
        let doubt = if SUPPOSED.split(' ').any(|word| said.contains(word) || before.contains(word)) {
            Some(Doubt::Hypothetical)
        } else {
            (is_asked || ASKED.split(' ').any(|word| said.contains(word))).then_some(Doubt::Question)
        };
        (clause, doubt)
    };
    clauses.into_iter().map(judge).collect()
}

const MARKS: &[char] = &['，', ',', '；', ';', '：', ':', '—', '（', '）', '(', ')', ' '];

/// The parts of a text between the marks, without what only leads in or trails.
pub fn clauses(text: &str, marks: &[char]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        if !marks.contains(&c) && at < text.len() {
            continue;
        }
        let part = text.get(start..at).unwrap_or_default();
        let led = lead(part);
        let kept = part.get(led..).unwrap_or_default().trim_end().trim_end_matches(TRAILING);
        if !kept.is_empty() {
            all.push(start + led..start + led + kept.len());
        }
        start = at + c.len_utf8();
    }
    all
}

const TRAILING: &[char] = &['哈', '呀', '啊', '哦', '呗', '啦', '嘛', '~', '～', '"', '”', '“', '.'];

/// How many bytes only lead in.
fn lead(text: &str) -> usize {
    let mut rest = text.trim_start();
    while let Some(next) = LEADS.split(' ').find_map(|lead| rest.strip_prefix(lead)) {
        rest = next.trim_start();
    }
    text.len() - rest.len()
}

const LEADS: &str = "对了 另外 其实 话说 顺便说一下 顺便说一句 顺便 更新一下 那个 嗯 哦 你好 因为 所以 而且 但是 不过 \
    然后 还有 记得 说实话 老实说 首先 其次 谢谢 请记住 记住 补充一下 告诉你 既然 由于 可是 只是 毕竟";

const SUPPOSED: &str = "如果 要是 假如 假设 万一 倘若 的话 可能 也许 或许 说不定 会不会 听说 据说 他说 她说 要不要 想象 \
    开玩笑 本来想 差点 大概会 不一定";
const ASKED: &str =
    "什么 怎么 哪里 哪个 哪些 多少 是不是 能不能 有没有 为什么 谁 如何 可不可以 好不好 帮我 给我讲";

fn statement(said: &str, start: usize, today: Date) -> Option<Candidate> {
    let when = chinese_day::find(said, today);
    let predicate = subject(said, when.is_some())?;
    let (kind, category) = classify(predicate, said, when.is_some())?;
    let when = when.filter(|_| matches!(kind, Kind::Date | Kind::Goal));
    let day = when.as_ref().and_then(|when| when.day);
    let mut text = said.to_owned();
    if let Some(day) = day
        .filter(|_| when.is_some_and(|when| !when.is_full) && !(said.contains("生日") && said.contains('月')))
    {
        text.push_str(&format!(" ({day})"));
    }
    let fits = text.chars().count() <= LONGEST_STATEMENT;
    let span = start..start + said.len();
    fits.then(|| Candidate { kind, text, category: category.to_owned(), confidence: SAID, span, day })
}

/// What follows the subject: the person, theirs, or nobody named where a time leads in.
fn subject(said: &str, is_dated: bool) -> Option<&str> {
    let at = said.find('我').or_else(|| said.find('咱'))?;
    // Only a time may stand before the subject.
    let leads = at == 0 || is_dated || PERIODS.split(' ').any(|period| said.starts_with(period));
    let mut rest = said.get(at..).filter(|_| leads)?;
    rest = rest.strip_prefix(['我', '咱'])?;
    rest = rest.strip_prefix("们").unwrap_or(rest);
    let owned = rest.strip_prefix("的").or_else(|| rest.strip_prefix('家')).unwrap_or(rest);
    rest = KIN.split(' ').find_map(|kin| owned.strip_prefix(kin)).unwrap_or(owned);
    while let Some(next) = BETWEEN.split(' ').find_map(|word| rest.strip_prefix(word)) {
        rest = next;
    }
    Some(rest)
}

const PERIODS: &str = "今年 明年 年底 以后 最近 现在 目前 平时 从小 周末 每 下个月 下半年";
const KIN: &str = "老婆 妻子 太太 老公 丈夫 先生 女朋友 男朋友 女友 男友 对象 爸妈 父母 爸爸 妈妈 爸 妈 父亲 母亲 哥哥 \
    姐姐 弟弟 妹妹 哥 姐 弟 妹 儿子 女儿 孩子 宝宝 爷爷 奶奶 外公 外婆 姥姥 姥爷 双胞胎";
const BETWEEN: &str = "现在 目前 已经 一直 从小 特别 非常 其实 真的 平时 比较 最近 今年 明年 刚刚 以前 本人 一般 从来 很 最 \
    也 都 还 就 超 挺 刚 又 只 真 可 有点 终于 自己 的 是真 严重 有严重";

fn classify(predicate: &str, said: &str, is_dated: bool) -> Option<(Kind, &'static str)> {
    let listed = |table: &[(&'static str, &str)]| {
        let is_match = |(_, globs): &&(&'static str, &str)| {
            globs.split_whitespace().any(|glob| matches(glob, predicate))
        };
        table.iter().find(is_match).map(|(category, _)| *category)
    };
    let now = "今天 今晚 现在就 一会 马上 等下 待会".split(' ').any(|word| said.contains(word));
    if let Some(category) = listed(PREFERENCES) {
        return Some((Kind::Preference, category));
    }
    let is_ahead = is_dated && !now && !PAST.split(' ').any(|word| said.contains(word));
    if is_ahead && listed(GOALS).is_none() {
        // The time may stand between the subject and its verb.
        let mut ends = predicate.char_indices().take(FURTHEST_VERB).filter_map(|(at, _)| predicate.get(at..));
        let is_planned = |rest: &str| PLANS.split_whitespace().any(|glob| matches(glob, rest));
        if EVENTS.split_whitespace().any(|event| said.contains(event)) || ends.any(is_planned) {
            return Some((Kind::Date, "schedule"));
        }
    }
    if !now && let Some(category) = listed(GOALS) {
        return Some((Kind::Goal, category));
    }
    listed(FACTS).map(|category| (Kind::Fact, category))
}

const FACTS: &[(&str, &str)] = &[
    ("name", "叫+ 姓+ 名字是+ 名字叫+ 英文名+ 网名+ 那*叫+ 这*叫+ *名叫+"),
    ("home", "住在+ 住+ 搬到+ 搬去+ 搬来+ 搬家到+ 搬回+ 来自+ 出生在+ 老家在+ 老家是+ 家在+ 家乡+"),
    ("home", "在*长大 在*出生 定居+ 现居+ 租+"),
    ("work", "在*工作 在*工作了+ 在*上班 在*上班了+ 在*当+ 在*做+ 在*实习 当+ 从事+ 跳槽+ 入职+"),
    ("work", "加入了+ 从*跳槽+ 从*离职+ 辞职+ 退休+ 升职+ 创业+ 做*的 是做+ 换工作"),
    ("work", "是*师 是*员 是*医生 是*护士 是*经理 是*警察 是*记者 是*作家 是*律师 是*会计 是*司机"),
    ("work", "是*老板 是*画家 是*教授 是*军人 工作是+ 职业是+ 换了*工作 开了*店 开了*公司"),
    ("study", "在*读+ 在*上学 在*上大学 在*念+ 读*专业 学的是+ 毕业于+ 从*毕业 从*毕业了 正在学+ 在学+"),
    ("study", "是*学生 是*研究生 是*博士 考上+ 学*年了 专业是+"),
    ("family", "有*孩子 有*儿子 有*女儿 有*哥哥 有*姐姐 有*弟弟 有*妹妹 有*兄弟 有*姐妹 结婚+ 离婚+ 已婚"),
    ("family", "单身 怀孕+ 生了+ 订婚+ 跟*分手 和*分手 跟*结婚 和*结婚 跟*离婚 和*离婚 是独生+ 有*男朋友"),
    ("family", "有*女朋友"),
    ("pets", "养了+ 养着+ 养*猫+ 养*狗+ 有*只猫+ 有*只狗+ 有*条狗+ 有*只+ 领养了+"),
    ("health", "对*过敏 过敏+ 有*糖尿病 有*高血压 有*哮喘 有*病 有*症 有*炎 有*过敏 得了+ 患有+ 患+"),
    ("health", "确诊+ 被诊断+ 近视+ 色盲 不能吃+ 不能喝+ 吃素 戒烟+ 戒酒+ 血型是+ 是左撇子 乳糖不耐+"),
    ("health", "身高+ 体重+"),
    ("money", "开*车 开的是+ 开一辆+ 买了*车 买了*房 有*车 有*房 车是+ 银行+ 账号是+"),
    ("language", "会说+ 会讲+ 母语是+ 会弹+ 会拉+ 会写代码 说*话 会*语"),
    ("contact", "电话是+ 手机号是+ 邮箱是+ 地址是+ 微信是+"),
    ("home", "是*人 是*籍"),
    ("name", "*岁 *岁了 属+ 是*座"),
];

const PREFERENCES: &[(&str, &str)] = &[
    ("food", "爱吃+ 爱喝+ 喜欢吃+ 喜欢喝+ 不吃+ 不喝+ 讨厌吃+ 不爱吃+ 不爱喝+ 不喜欢吃+ 只吃+ 只喝+"),
    ("food", "吃不了+ 从不吃+ 不再吃+"),
    ("other", "喜欢的*是+ 爱的*是+ 讨厌的*是+ 喜欢+ 爱看+ 爱听+ 爱玩+ 热爱+ 钟爱+ 偏爱+ 偏好+ 更喜欢+"),
    ("other", "不喜欢+ 不爱+ 讨厌+ 受不了+ 迷上+ 痴迷+ 爱好是+ 习惯+ 宁愿+ 宁可+ 烦+"),
];

const GOALS: &[(&str, &str)] = &[
    ("other", "打算+ 计划+ 目标是+ 梦想是+ 梦想+ 的目标是+ 立志+ 决定+ 争取+ 努力+ 希望能+ 希望可以+"),
    ("other", "希望在+ 要在*前+ 一定要+ *目标是+"),
    ("study", "在减肥 在健身 想学+ 想考+ 备考+ 正在备考+ 在备考+ 准备考+ 准备学+ 要考+ 正在准备+"),
    ("study", "在准备+ 想申请+ 想读+"),
    ("other", "想成为+ 想当+ 想做一+ 想去*旅+ 想减+ 想瘦+ 想开+ 想写一+ 想跑+ 想换+ 想参加+ 想戒+ 想存+"),
    ("other", "想攒+ 想在+ 想要在+ 想买*房 想买*车 想买一+ 想搬+ 想把+ 想今年+ 想明年+ 想养+ 想出+"),
    ("other", "想移民+ 想创业+ 在攒钱+ 在存钱+ 准备创业+ 准备开+ 准备搬+"),
];

/// How many characters may stand between a subject and its verb where a time is named.
const FURTHEST_VERB: usize = 14;
const PAST: &str = "去年 上周 昨天 前天 上个月 刚才 以前";
const EVENTS: &str = "生日 纪念日 婚礼 截止 到期 考试 面试 答辩 手术 开学 体检 航班";
const PLANS: &str =
    "要+ 得去+ 有个+ 有一+ 有场+ 约了+ 预约+ 去+ 飞+ 出发+ 结婚+ 搬家+ 出差+ 入职+ 毕业+ 回+ 将+ 参加+";

/// How one wants to be answered from now on.
fn style(text: &str, start: usize, clauses: &[Range<usize>]) -> Option<Candidate> {
    let said = |clause: &Range<usize>| text.get(clause.clone()).unwrap_or_default();
    let has = |clause: &Range<usize>, words: &str| words.split(' ').any(|word| said(clause).contains(word));
    let lasts = |clause: &Range<usize>| LASTING.split(' ').any(|word| said(clause).starts_with(word));
    let first = clauses.iter().position(lasts)?;
    let asked = clauses.get(first..)?;
    // "From now on I …" is about the person, "from now on call me …" is not.
    let is_own = |clause: &Range<usize>| said(clause).contains('我') && !has(clause, TOWARDS_ME);
    let is_doubtful = |clause: &Range<usize>| has(clause, SUPPOSED) || has(clause, "吗 什么 怎么");
    if !asked.iter().any(|clause| has(clause, ASKS))
        || asked.iter().any(|clause| is_own(clause) || is_doubtful(clause))
    {
        return None;
    }
    let last = asked.iter().rfind(|clause| !said(clause).starts_with(['谢', '麻']))?;
    let range = asked.first()?.start..last.end;
    let (kind, category, confidence) = (Kind::Preference, "style".to_owned(), SAID);
    let text = text.get(range.clone())?.to_owned();
    Some(Candidate {
        kind,
        text,
        category,
        confidence,
        span: start + range.start..start + range.end,
        day: None,
    })
}

const TOWARDS_ME: &str = "给我 跟我 叫我 对我 回答我 回复我";
const LASTING: &str =
    "以后 今后 从现在 从今 往后 请一直 请总是 请始终 永远 每次 一律 别再 不要再 请不要再 请别再 接下来都";
const ASKS: &str = "用 别 不要 请 都 写 叫 回 说 简 给";

/// Whether a glob covers the beginning of a text.
fn matches(glob: &str, text: &str) -> bool {
    let mut rest = text;
    let mut is_open = false;
    for (at, piece) in glob.trim_end_matches('+').split('*').enumerate() {
        is_open = at > 0;
        rest = match rest.find(piece).filter(|found| *found == 0 || is_open) {
            Some(found) => rest.get(found + piece.len()..).unwrap_or_default(),
            None => return false,
        };
    }
    let rest = rest.trim_end_matches(['了', '的', '过']);
    if glob.ends_with('+') {
        let is_vague = "它 这 那个 你 时 然 他 她".split(' ').any(|vague| rest.starts_with(vague));
        return !rest.is_empty() && !is_vague;
    }
    // Without a plus the glob's last word ends the clause, give or take a particle.
    rest.is_empty() || !is_open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_covers_the_beginning_of_a_text() {
        for (glob, text, covered) in [
            ("住在+", "住在上海", true),
            ("住在+", "住在", false),
            ("对*过敏", "对花生过敏", true),
            ("对*过敏", "对花生很好", false),
            ("当+", "当时没想到", false),
            ("是*师", "是一名老师", true),
        ] {
            assert_eq!(matches(glob, text), covered, "{glob} {text}");
        }
    }
}
