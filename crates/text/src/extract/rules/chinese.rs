//! Statements in Chinese: a subject, which may be left out, what stands between, and a predicate from a table; no spaces
//! separate words.

use std::ops::Range;

use jiff::civil::Date;

use super::chinese_table::{FACTS, GOALS, NAMED_FACTS, OPEN_FACTS, PREFERENCES};
use super::clause::Sentence;
use super::doubt::Doubt;
use super::{chinese_day, japanese};
use crate::cjk::is_unspaced;
use crate::extract::Candidate;
use crate::extract::{Kind, LONGEST_STATEMENT};

const SAID: f32 = 0.85;

/// Whether a sentence is written in Chinese or Japanese rather than with letters.
pub fn is_written(sentence: &Sentence) -> bool {
    let texts = || sentence.tokens.iter().filter(|token| !token.is_mark());
    let characters = texts().flat_map(|token| token.text.chars()).filter(|c| is_unspaced(*c)).count();
    let words = texts().filter(|token| !token.text.contains(is_unspaced)).count();
    characters > words
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
    let mut is_of_another = false;
    let mut before: Option<Range<usize>> = None;
    for (clause, doubt) in doubted(text, sentence.is_question) {
        let said = text.get(clause.clone()).unwrap_or_default();
        // "不是20号,是24号": what has its day stands before.
        let moved = before.clone().filter(|_| MOVED.split(' ').any(|word| said.starts_with(word)));
        let whole = moved.map_or(clause.clone(), |before| before.start..clause.end);
        let reading = Reading { said, is_of_another, today };
        if doubt.is_none() {
            found.extend(reading.statement(text, whole, span.start));
        }
        is_of_another = !said.contains(['我', '咱']) && (is_of_another || has_any(said, OTHERS));
        before = Some(clause);
    }
    found
}

/// How a clause begins that gives something another day.
const MOVED: &str = "是 改到 改成 改为 挪到 推迟到 提前到 延到 换到";
/// Who else a clause can be about, and those that follow it with no subject.
const OTHERS: &str =
    "他 她 那个 人家 朋友 同事 老师 邻居 网友 新闻 有人 别人 他们 客户 同学 老板 楼上 室友 房东";

fn has_any(said: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| said.contains(word))
}

/// The clauses of a sentence, and what makes each no statement.
pub fn doubts(message: &str, sentence: &Sentence) -> Vec<(Range<usize>, Option<Doubt>)> {
    let Some((first, last)) = sentence.tokens.first().zip(sentence.tokens.last()) else { return Vec::new() };
    let start = first.range.start;
    let text = message.get(start..last.range.end).unwrap_or_default();
    let wish = style(text, start, &clauses(text, MARKS)).map(|wish| wish.span);
    let is_wished = |part: &Range<usize>| wish.as_ref().is_some_and(|wish| wish.contains(&part.start));
    let all = doubted(text, sentence.is_question).into_iter();
    all.map(|(clause, doubt)| (start + clause.start..start + clause.end, doubt))
        .map(|(part, doubt)| (part.clone(), doubt.filter(|_| !is_wished(&part))))
        .collect()
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

const SUPPOSED: &str = "如果 要是 假如 假设 万一 倘若 的话 可能 也许 或许 说不定 会不会 听说 据说 之前说 以为 他说 她说 要不要 想象 \
    开玩笑 本来想 差点 大概会 不一定";
const ASKED: &str = "什么 怎么 哪里 哪个 哪些 多少 是不是 能不能 有没有 为什么 谁 如何 可不可以 好不好 帮我 哪儿 哪一 啥 几月 几点";

/// A clause that is to be read.
struct Reading<'t> {
    said: &'t str,
    /// Whether another person was named before, to whom a verb with no subject may belong.
    is_of_another: bool,
    today: Date,
}

impl Reading<'_> {
    /// What the clause states; `kept` is what of the sentence is kept of it, `start` where the sentence begins.
    fn statement(&self, text: &str, kept: Range<usize>, start: usize) -> Option<Candidate> {
        let when = chinese_day::find(self.said, self.today);
        let (subject, predicate) = subject(self.said);
        if subject == Subject::LeftOut && (self.is_of_another || has_any(self.said, OTHERS)) {
            return None;
        }
        let words = text.get(kept.clone())?;
        let (kind, category) = self.classify(subject, predicate, words, when.is_some())?;
        let when = when.filter(|_| matches!(kind, Kind::Date | Kind::Goal));
        let day = when.as_ref().and_then(|when| when.day);
        let mut text = words.to_owned();
        let is_birthday = self.said.contains("生日") && self.said.contains('月');
        if let Some(day) = day.filter(|_| when.is_some_and(|when| !when.is_full) && !is_birthday) {
            text.push_str(&format!(" ({day})"));
        }
        let fits = text.chars().count() <= LONGEST_STATEMENT;
        let span = start + kept.start..start + kept.end;
        fits.then(|| Candidate { kind, text, category: category.to_owned(), confidence: SAID, span, day })
    }

    fn classify(
        &self,
        subject: Subject,
        predicate: &str,
        words: &str,
        is_dated: bool,
    ) -> Option<(Kind, &'static str)> {
        let is_now = has_any(self.said, NOW);
        // A name may stand between a close person and what they do.
        let reach = if subject == Subject::Close { LONGEST_NAME } else { 0 };
        let starts: Vec<&str> =
            predicate.char_indices().take(reach + 1).filter_map(|(at, _)| predicate.get(at..)).collect();
        let listed = |table: &[(&'static str, &str)]| {
            let is_match = |(_, globs): &&(&'static str, &str)| {
                globs.split_whitespace().any(|glob| starts.iter().any(|start| matches(glob, start)))
            };
            table.iter().find(is_match).map(|(category, _)| *category)
        };
        // "还是纸质书好": what comes out best of all.
        let is_best = self.said.trim_start_matches("我觉得").starts_with("还是")
            && BEST.split(' ').any(|word| self.said.ends_with(word));
        if let Some(category) = listed(PREFERENCES).or(is_best.then_some("other")) {
            return Some((Kind::Preference, category));
        }
        let has_end = || {
            has_any(self.said, "之前 以前 年内 年底 月前 前把 前要")
                && has_any(self.said, "想 要 得把 必须 务必 把")
        };
        let goal = listed(GOALS).or_else(|| has_end().then_some("other")).filter(|_| !is_now);
        if let Some(category) = goal.filter(|_| subject != Subject::Close) {
            return Some((Kind::Goal, category));
        }
        let is_ahead = is_dated && !is_now && !has_any(self.said, PAST) && !has_any(self.said, WEATHER);
        let is_planned = PLANS.split_whitespace().any(|plan| predicate.starts_with(plan));
        if is_ahead && (has_any(words, EVENTS) || is_planned) {
            return Some((Kind::Date, "schedule"));
        }
        if is_now {
            return None;
        }
        let by_form = || (subject == Subject::Own).then(|| listed(OPEN_FACTS)).flatten();
        let named = || (subject != Subject::LeftOut).then(|| listed(NAMED_FACTS)).flatten();
        listed(FACTS)
            .or_else(|| years(predicate))
            .or_else(named)
            .or_else(by_form)
            .map(|category| (Kind::Fact, category))
    }
}

/// Who a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Own,
    Close,
    LeftOut,
}

/// The subject, and what follows it without the times and adverbs around it.
fn subject(said: &str) -> (Subject, &str) {
    let mut rest = skip(said, &[LEADING_TIMES, BETWEEN]);
    rest = chinese_day::after(rest);
    rest = skip(rest, &[LEADING_TIMES, BETWEEN]);
    let own = OWN.split(' ').find_map(|word| rest.strip_prefix(word));
    // "跟人联系我更喜欢打字": a topic may stand before the person.
    let topic = || {
        rest.char_indices()
            .take(FURTHEST_SUBJECT)
            .find_map(|(at, c)| matches!(c, '我' | '咱').then(|| rest.get(at + c.len_utf8()..)).flatten())
    };
    let own = own.or_else(topic);
    let mut subject = if own.is_some() { Subject::Own } else { Subject::LeftOut };
    rest = own.unwrap_or(rest);
    let owned = rest.strip_prefix("的").unwrap_or(rest);
    if let Some(next) = KIN.split_whitespace().find_map(|kin| owned.strip_prefix(kin)) {
        subject = Subject::Close;
        rest = next;
    } else {
        rest = owned;
    }
    rest = skip(rest, &[LEADING_TIMES, BETWEEN]);
    (subject, skip(chinese_day::after(rest), &[LEADING_TIMES, BETWEEN]))
}

/// The text behind all leading words of the lists.
fn skip<'t>(text: &'t str, lists: &[&str]) -> &'t str {
    let mut rest = text;
    let next = |rest: &'t str| {
        lists.iter().flat_map(|list| list.split_whitespace()).find_map(|word| rest.strip_prefix(word))
    };
    while let Some(shorter) = next(rest) {
        rest = shorter;
    }
    rest
}

/// 十二年了, 八年: what a person has done for years.
fn years(predicate: &str) -> Option<&'static str> {
    let told = predicate.trim_end_matches(['了', '多', '来', '呢']);
    let before = told.strip_suffix('年')?;
    before.ends_with(chinese_day::is_numeral).then_some("work")
}

/// How far into a clause the person may be named behind a topic.
const FURTHEST_SUBJECT: usize = 8;
/// The most characters of a name.
const LONGEST_NAME: usize = 4;

/// The person as they call themselves; longer ones first.
const OWN: &str = "我这个人 我这人 我本人 我们家 我们 我家 咱们 咱家 咱 本人 鄙人 在下 俺们 俺家 俺 我";
const LEADING_TIMES: &str = "上个月起 上个月 上周 去年 今年 明年 年底 年初 以后 最近 现在 目前 平时 打小 从小 周末 每天 每周 每年 \
    下个月 下半年 如今 这些年 这几年 近来 眼下 小时候 前年 刚刚 自打 自从 早就 家里 一直以来 这辈子 起";
const KIN: &str = "老婆 妻子 太太 媳妇 爱人 老公 丈夫 先生 女朋友 男朋友 女友 男友 对象 爸妈 父母 爸爸 妈妈 老爸 老妈 爸 妈 \
    父亲 母亲 哥哥 姐姐 弟弟 妹妹 大哥 二哥 大姐 二姐 哥 姐 弟 妹 儿子 女儿 闺女 孩子 宝宝 娃 爷爷 奶奶 外公 外婆 姥姥 姥爷 \
    孙子 孙女 外孙 公公 婆婆 岳父 岳母 舅舅 姑姑 叔叔 阿姨 侄子 侄女 外甥 双胞胎 那只 那条 这只";
const BETWEEN: &str = "现在 目前 已经 一直 从小 特别 非常 其实 真的 平时 比较 最近 今年 明年 刚刚 以前 本人 一般 从来 很 最 \
    也 都 还 就 超 挺 刚 又 真 可 有点 终于 自己 的 是真 严重 有严重 正 更 这边 呢 则 总 仍 早 天生 确实";

const BEST: &str = "好 香 舒服 靠谱 好吃 好喝 带劲";
const NOW: &str = "今天 今晚 现在就 一会 马上 等下 待会 刚才 正在路上 这会儿";
const PAST: &str = "去年 上周 昨天 前天 上个月 刚才 以前 不是";
const WEATHER: &str = "天气 下雨 下雪 几度 降温 放假";
/// What has its day, and how people put something on a day.
const EVENTS: &str =
    "生日 纪念日 婚礼 截止 到期 考试 面试 答辩 手术 开学 体检 航班 大寿 复查 检查 预约 比赛 典礼 开庭 满月";
const PLANS: &str = "要 得去 得 去 有个 有一 有场 有课 约 飞 出发 结婚 搬 出差 入职 毕业 回 将 参加 考 交 开始 办 过 轮到 做 动 拔 打 见 陪 到期 截止";

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
const LASTING: &str = "以后 今后 从现在 从今 往后 请一直 请总是 请始终 永远 每次 一律 别再 不要再 请不要再 请别再 接下来都 请用 请叫我 叫我 别叫我 称呼我 回答请 回复请 请直接 先说结论 先给结论 先讲结论 先说重点 先给答案";
const ASKS: &str = "用 别 不要 请 都 写 叫 回 说 简 给 称";

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
        let is_vague =
            "它 这 那个 你 时 然 他 她 几 一下 个问题 个疑问 个想法 个朋友 个同事 个同学 个事 问题 点"
                .split(' ')
                .any(|vague| rest.starts_with(vague));
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
