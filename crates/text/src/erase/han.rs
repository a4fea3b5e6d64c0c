//! Whether Chinese characters that stand together are one word, or the end of one and the beginning of the next.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cjk;
use crate::word_list::WordList;

/// The most common family names of Chinese.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇魏呂";
/// Characters that follow a name rather than belong to it.
const AFTER_NAMES: &str = "的了是在和与跟同说来去到也都就很会要想有没不被把给让叫问对从向为住吃喝看买做打开走跑回写用找见等请带送教学考今昨后前先老哥姐弟妹爸妈总经医律工女小刚已还又再才只能可喜爱讨病生结离搬換换說來給讓問對從為買開寫見請帶送學後還";

/// Characters that are words of their own.
const ALONE: &str = "的了是在和与跟同也都就很会要想有没不被把给让又再才只能可我你您他她它们这那上下里中大小个最更太去来到说看";

/// Traditional characters, each before its simplified form.
const TRADITIONAL: &str = "張张陳陈劉刘楊杨黃黄趙赵吳吴孫孙馬马羅罗鄭郑謝谢許许韓韩馮冯鄧邓蕭萧葉叶蘇苏呂吕鍾钟鐘钟盧卢譚谭陸陆範范賈贾韋韦鄒邹閻闫龍龙賀贺顧顾龔龚萬万錢钱嚴严湯汤\
    國国學学華华東东車车門门開开關关電电話话說说語语請请讓让認认識识記记論论講讲課课誰谁談谈護护變变讀读買买賣卖貴贵費费資资賺赚賬账貓猫鳥鸟魚鱼雞鸡鴨鸭飯饭\
    飲饮館馆餅饼麵面藥药醫医療疗癥症臟脏腦脑憂忧鬱郁愛爱戀恋離离兒儿媽妈爺爷親亲師师優优個个們们傷伤傳传僅仅債债價价會会來来時时間间過过還还進进運运達达遠远\
    遲迟選选邊边這这後后從从復复徵征應应戰战戲戏執执掃扫換换擇择擔担據据數数斷断無无書书條条業业樂乐樓楼樹树機机橋桥歡欢歲岁歷历殺杀氣气決决沒没淚泪減减測测\
    溫温滿满漢汉潔洁灣湾燈灯營营獎奖現现環环產产畫画當当發发盡尽盤盘碼码禮礼種种稱称穩稳窮穷競竞筆笔節节簡简約约紅红紙纸級级細细終终結结給给絕绝統统經经綠绿\
    網网線线緊紧練练總总縣县織织續续罵骂聖圣聞闻聯联職职聲声聽听腳脚臺台舊旧莊庄處处號号術术衛卫補补裡里裏里製制複复見见規规視视覺觉觀观計计訂订訊讯訓训試试\
    該该詳详誤误調调質质趕赶跡迹軍军軟软輕轻輛辆輸输轉转農农郵邮鄉乡醜丑針针鋼钢錄录錯错鍵键鎖锁鏡镜長长閉闭閒闲闆板陰阴陽阳隊队階阶際际隨随險险難难雙双雜杂\
    雲云霧雾靈灵靜静響响頁页頂顶項项順顺預预頭头題题願愿顏颜類类風风飛飞養养騎骑驗验驚惊體体髮发鬧闹鹹咸麗丽齊齐齒齿龜龟島岛嶼屿廣广廠厂庫库廳厅幣币幫帮實实\
    寫写寶宝專专將将對对導导尋寻屬属歸归團团園园圖图圓圆場场壓压壞坏壽寿夢梦夠够奪夺婦妇嬰婴寧宁審审偉伟傑杰鳳凤蘭兰瑩莹穎颖鵬鹏濤涛軒轩銘铭鈞钧曉晓嬌娇艷艳\
    豔艳儀仪凱凯勝胜劍剑勵励務务動动勞劳區区協协單单卻却參参雖虽員员問问啟启喪丧嗎吗嘗尝";

static SIMPLIFIED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let mut chars = TRADITIONAL.chars();
    std::iter::from_fn(move || Some((chars.next()?, chars.next()?))).collect()
});

/// A character in its simplified form.
pub(super) fn simplified(c: char) -> char {
    SIMPLIFIED.get(&c).copied().unwrap_or(c)
}

/// Common words of two characters. One that reaches over the edge of a topic shows that its characters meet by chance.
static COMMON: WordList = WordList::new(
    "东京 北京 南京 平时 平常 平安 平均 学生 学校 学习 学期 学院 学者 大学 中学 小学 同学 北大 清华 明天 明年 明白 明显 明明 今天 今年 昨天 后天 前天 每天 \
     时候 时间 时代 现在 以后 以前 之后 之前 最近 早上 晚上 上午 下午 中午 上班 下班 上海 海上 海员 海鲜 海边 海风 大海 上课 下课 上面 下面 里面 外面 前面 \
     后面 旁边 中间 中国 美国 英国 法国 德国 日本 国家 国王 国际 外国 全国 公司 公园 公里 公共 工作 工人 工资 工程 老师 老板 老人 医生 医院 先生 小姐 \
     朋友 孩子 儿子 女儿 父母 父亲 母亲 妈妈 爸爸 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶 家人 家里 家庭 回家 大家 人们 人民 男人 女人 别人 客人 电话 电脑 电视 \
     电影 电子 手机 手表 汽车 火车 飞机 地铁 地方 地址 地图 马路 马上 路上 公路 道路 房子 房间 房东 门口 开门 关门 城市 市场 市长 长江 江大 大桥 超市 \
     商店 饭店 酒店 餐厅 吃饭 早饭 午饭 晚饭 米饭 水果 苹果 牛奶 咖啡 天气 下雨 下雪 生日 生活 生病 生气 身体 健康 问题 办法 方法 方便 方面 事情 东西 \
     意思 意见 名字 知道 觉得 认为 认识 喜欢 希望 需要 应该 可以 可能 可是 但是 因为 所以 如果 虽然 而且 或者 还是 已经 正在 开始 结束 继续 准备 打算 \
     决定 帮助 帮忙 告诉 介绍 参加 发现 发生 变化 发展 经济 经常 经过 社会 文化 历史 教育 科学 技术 数学 语文 英语 汉语 中文 音乐 运动 足球 篮球 游泳 \
     跑步 旅游 旅行 照片 衣服 裤子 鞋子 颜色 红色 黑色 白色 银行 邮局 图书 书店 报纸 新闻 新年 春天 夏天 秋天 冬天 春节 星期 周末 小时 分钟 一起 一样 \
     一定 一直 一些 一点 有点 有些 没有 非常 特别 比较 真的 其实 当然 然后 高兴 快乐 漂亮 美丽 便宜 重要 简单 容易 困难 不同 不错 不过 不要 不是 都是 \
     和平 平平 张开 开放 放心 心里 心情 中心 小心 关心 安全 安静 完全 全部 部分 部门 长大 大方 大小 小明 小张 小李 小王 自己 自然 世界 机会 机场 会议 \
     研究 研究生 生产 产品 品牌 服务 务必 员工 职员 职业 业务 专业 毕业 业余 主要 主意 注意 成功 成绩 成为 完成 成本 本来 来自 将来 未来 原来 出来 回来 \
     起来 进来 下来 过来 出去 回去 进去 过去 下去",
);

fn is_common(one: char, other: char) -> bool {
    let pair: String = [one, other].into_iter().collect();
    COMMON.contains(&pair)
}

/// The characters around a match: two before it and two after it, without a gap.
pub(super) struct Around {
    pub before: Option<char>,
    pub after: Option<char>,
}

/// Whether a Chinese match is a word of its own, as far as that can be told: a name of two characters is not the beginning of
/// a longer one, and no two characters are claimed by the words beside them.
pub(super) fn is_word(matched: &[char], around: &Around) -> bool {
    let [first, second] = matched else { return true };
    let next = around.after.filter(|next| cjk::is_han(*next));
    let may_be_name = SURNAMES.contains(*first);
    if may_be_name && next.is_some_and(|next| !AFTER_NAMES.contains(next)) {
        return false;
    }
    let left = around.before.is_some_and(|before| is_common(before, *first));
    let right = next.is_some_and(|next| is_common(*second, next));
    let is_claimed = left && (right || ALONE.contains(*second)) || right && ALONE.contains(*first);
    !is_claimed
}

/// Whether a Chinese character is a common family name.
pub(super) fn is_surname(text: &str) -> bool {
    SURNAMES.contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j2_characters_that_meet_by_chance_are_no_word() {
        for (before, matched, after, expected) in [
            (None, "和平", Some('很'), true),
            (Some('李'), "和平", Some('时'), false),
            (Some('东'), "京都", Some('港'), false),
            (Some('去'), "京都", Some('玩'), true),
            (Some('北'), "大学", Some('生'), false),
            (None, "王明", Some('明'), false),
            (None, "王明", Some('的'), true),
        ] {
            let matched: Vec<char> = matched.chars().collect();
            assert_eq!(
                is_word(&matched, &Around { before, after }),
                expected,
                "{matched:?} before {after:?}"
            );
        }
    }
}
