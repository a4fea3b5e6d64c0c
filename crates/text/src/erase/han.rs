//! Whether Chinese characters that stand together are one word, or the end of one and the beginning of the next.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cjk;
use crate::word_list::WordList;

/// The most common family names of Chinese.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇魏呂";
/// Characters that follow a name rather than belong to it.
const AFTER_NAMES: &str = "的了是在和与跟同说来去到也都就很会要想有没不被把给让叫问对从向为住吃喝看买做打开走跑回写用找见等请带送教学考今昨后前先老哥姐弟妹爸妈总经医律工女小刚已还又再才只能可喜爱讨病生结离搬換换說來給讓問對從為買開寫見請帶送學後還每常总曾仅却但而且因所如若或及并则即越更最真挺太非别吗呢吧啊呀嘛么什怎哪谁几多少拿放收借欠付卖骂哭笑恨怕忘记知认觉得说讲谈聊告诉骗\
    偷抢丢掉拉推站坐躺睡醒穿脱洗玩唱跳听读摔撞死活过出进上下起住搬租赔辞退升降加减传转发抽酗戒";

/// Characters that are words of their own.
const ALONE: &str = "的了是在和与跟同也都就很会要想有没不被把给让又再才只能可我你您他她它们这那上下里中大小个最更太去来到说看";

/// Traditional characters, each before its simplified form.
const TRADITIONAL: &str = "張张陳陈劉刘楊杨黃黄趙赵吳吴孫孙馬马羅罗鄭郑謝谢許许韓韩馮冯鄧邓蕭萧葉叶蘇苏呂吕鍾钟鐘钟盧卢譚谭陸陆範范賈贾韋韦鄒邹閻闫龍龙賀贺顧顾龔龚萬万錢钱嚴严湯汤國国學学華华東东車车門门開开關关電电話话\
    說说語语請请讓让認认識识記记論论講讲課课誰谁談谈護护變变讀读買买賣卖貴贵費费資资賺赚賬账貓猫鳥鸟魚鱼雞鸡鴨鸭飯饭飲饮館馆餅饼麵面藥药醫医療疗癥症臟脏腦脑憂忧鬱郁愛爱戀恋離离兒儿媽妈爺爷親亲師师\
    優优個个們们傷伤傳传僅仅債债價价會会來来時时間间過过還还進进運运達达遠远遲迟選选邊边這这後后從从復复徵征應应戰战戲戏執执掃扫換换擇择擔担據据數数斷断無无書书條条業业樂乐樓楼樹树機机橋桥歡欢歲岁\
    歷历殺杀氣气決决沒没淚泪減减測测溫温滿满漢汉潔洁灣湾燈灯營营獎奖現现環环產产畫画當当發发盡尽盤盘碼码禮礼種种稱称穩稳窮穷競竞筆笔節节簡简約约紅红紙纸級级細细終终結结給给絕绝統统經经綠绿網网線线\
    緊紧練练總总縣县織织續续罵骂聖圣聞闻聯联職职聲声聽听腳脚臺台舊旧莊庄處处號号術术衛卫補补裡里裏里製制複复見见規规視视覺觉觀观計计訂订訊讯訓训試试該该詳详誤误調调質质趕赶跡迹軍军軟软輕轻輛辆輸输\
    轉转農农郵邮鄉乡醜丑針针鋼钢錄录錯错鍵键鎖锁鏡镜長长閉闭閒闲闆板陰阴陽阳隊队階阶際际隨随險险難难雙双雜杂雲云霧雾靈灵靜静響响頁页頂顶項项順顺預预頭头題题願愿顏颜類类風风飛飞養养騎骑驗验驚惊體体\
    髮发鬧闹鹹咸麗丽齊齐齒齿龜龟島岛嶼屿廣广廠厂庫库廳厅幣币幫帮實实寫写寶宝專专將将對对導导尋寻屬属歸归團团園园圖图圓圆場场壓压壞坏壽寿夢梦夠够奪夺婦妇嬰婴寧宁審审偉伟傑杰鳳凤蘭兰瑩莹穎颖鵬鹏濤涛\
    軒轩銘铭鈞钧曉晓嬌娇艷艳豔艳檢检報报撿捡塊块聰聪曆历剛刚創创別别劃划劇剧勢势勻匀匯汇歐欧毆殴殼壳滅灭滬沪滯滞滲渗漁渔漲涨潛潜潤润澀涩濃浓濕湿瀏浏煉炼煙烟煩烦熱热爐炉爭争爾尔牆墙狀状獨独獲获獻献\
    瑣琐瓊琼畢毕異异疊叠痺痹瘋疯癡痴癢痒癮瘾監监盜盗矯矫碩硕確确礎础禍祸積积穀谷窩窝竊窃籃篮籌筹籠笼糧粮糾纠紀纪純纯納纳紛纷組组絡络絲丝綁绑維维綜综編编緩缓縮缩績绩繞绕繩绳繪绘繼继纏缠罰罚罷罢羨羡\
    義义習习聾聋肅肃脅胁腫肿膽胆臉脸臨临舉举艙舱艱艰芻刍薑姜薦荐藍蓝藝艺蘋苹虛虚蟲虫蝦虾螞蚂蠅蝇蠟蜡衝冲裝装褲裤襪袜覽览觸触訴诉診诊註注評评詞词詢询誇夸誌志誠诚誘诱誼谊諒谅諾诺謀谋謊谎謎谜謙谦證证\
    譜谱譯译議议譽誉豐丰貝贝負负貢贡貧贫貨货販贩貪贪責责貸贷賊贼賓宾賞赏賠赔賤贱賭赌購购贈赠贊赞贏赢躍跃蹤踪軌轨載载輔辅輝辉輩辈輪轮辦办辭辞辯辩逕径連连適适遷迁遺遗邏逻鄰邻釀酿釋释釘钉釣钓鈔钞鈴铃\
    鉛铅銀银銅铜銷销鋒锋鋪铺錦锦鍋锅鎮镇鏈链鑰钥鑽钻閃闪閱阅闊阔陣阵隱隐雖虽韻韵頓顿頗颇領领頸颈頻频顆颗額额顛颠顫颤飄飘餃饺餓饿餘余饒饶駐驻駕驾駛驶騙骗驅驱髒脏鬆松鬍胡鬥斗鮮鲜鯊鲨鳴鸣鴿鸽鵝鹅鷹鹰\
    鹽盐麥麦麼么黨党齡龄燒烧燦灿牽牵獄狱獅狮寬宽屆届層层嶺岭幹干廟庙彈弹強强彙汇徹彻恆恒悅悦惡恶惱恼慘惨慚惭慣惯慮虑慶庆憐怜憤愤憲宪懷怀懶懒懸悬戶户拋抛挾挟捨舍掛挂採采揚扬損损搖摇搶抢撥拨擊击擋挡\
    擠挤擴扩擺摆攝摄攜携攤摊敗败敵敌斃毙晝昼暈晕暫暂曬晒曠旷柵栅棄弃棗枣榮荣構构槍枪樁桩樣样標标樸朴檔档櫃柜權权欄栏歎叹殘残殲歼氈毡涼凉淨净淺浅湧涌準准溝沟滾滚灑洒災灾烏乌儲储償偿傾倾僑侨僞伪偽伪\
    側侧偵侦儘尽內内兩两冊册凍冻凱凯刪删則则劑剂勸劝勳勋匱匮厭厌叢丛吶呐咼呙喚唤喬乔嘆叹噴喷噸吨嚇吓囑嘱圍围堅坚塗涂塵尘墊垫墜坠墮堕墳坟壘垒壯壮壺壶夾夹奮奋奧奥妝妆嫵妩嬸婶孿孪憶忆儀仪勝胜劍剑勵励\
    務务動动勞劳區区協协單单卻却參参員员問问啟启喪丧嗎吗嘗尝";

static SIMPLIFIED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let mut chars = TRADITIONAL.chars();
    std::iter::from_fn(move || Some((chars.next()?, chars.next()?))).collect()
});

/// A character in its simplified form.
pub(super) fn simplified(c: char) -> char {
    SIMPLIFIED.get(&c).copied().unwrap_or(c)
}

/// Characters that end the name of a place, or the word for it.
const SUFFIXES: &str = "市省县区镇村路街国人会";

/// Common words of two characters. One that reaches over the edge of a topic shows that its characters meet by chance.
static COMMON: WordList = WordList::new(
    "东京 北京 南京 平时 平常 平安 平均 学生 学校 学习 学期 学院 学者 大学 中学 小学 同学 北大 清华 明天 明年 明白 明显 明明 今天 今年 昨天 后天 前天 每天 时候 时间 时代 现在 以后 以前 之后 之前 最近 早上 晚上 上午 下午 中午 上班 下班 \
     上海 海上 海员 海鲜 海边 海风 大海 上课 下课 上面 下面 里面 外面 前面 后面 旁边 中间 中国 美国 英国 法国 德国 日本 国家 国王 国际 外国 全国 公司 公园 公里 公共 工作 工人 工资 工程 老师 老板 老人 医生 医院 先生 小姐 朋友 孩子 儿子 \
     女儿 父母 父亲 母亲 妈妈 爸爸 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶 家人 家里 家庭 回家 大家 人们 人民 男人 女人 别人 客人 电话 电脑 电视 电影 电子 手机 汽车 火车 飞机 地铁 地方 地址 地图 马路 马上 路上 公路 道路 房子 房间 房东 门口 开门 \
     关门 城市 市场 市长 长江 江大 大桥 超市 商店 饭店 酒店 餐厅 吃饭 早饭 午饭 晚饭 米饭 水果 苹果 牛奶 咖啡 天气 下雨 下雪 生日 生活 生病 生气 身体 健康 问题 办法 方法 方便 方面 事情 东西 意思 意见 名字 知道 觉得 认为 认识 喜欢 希望 \
     需要 应该 可以 可能 可是 但是 因为 所以 如果 虽然 而且 或者 还是 已经 正在 开始 结束 继续 准备 打算 决定 帮助 帮忙 告诉 介绍 参加 发现 发生 变化 发展 经济 经常 经过 社会 文化 历史 教育 科学 技术 数学 语文 英语 汉语 中文 音乐 运动 \
     足球 篮球 游泳 跑步 旅游 旅行 照片 衣服 裤子 鞋子 颜色 红色 黑色 白色 银行 邮局 图书 书店 报纸 新闻 新年 春天 夏天 秋天 冬天 春节 星期 周末 小时 分钟 一起 一样 一定 一直 一些 一点 有点 有些 没有 非常 特别 比较 真的 其实 当然 然后 \
     高兴 快乐 漂亮 美丽 便宜 重要 简单 容易 困难 不同 不错 不过 不要 不是 都是 和平 平平 张开 开放 放心 心里 心情 中心 小心 关心 安全 安静 完全 全部 部分 部门 长大 大方 大小 小明 小张 小李 小王 自己 自然 世界 机会 机场 会议 研究 研究生 \
     生产 产品 品牌 服务 务必 员工 职员 职业 业务 专业 毕业 业余 主要 主意 注意 成功 成绩 成为 完成 成本 本来 来自 将来 未来 原来 出来 回来 起来 进来 下来 过来 出去 回去 进去 过去 下去 王国 长老 王子 公主 帽子 红帽 故事 史学 文学 化学 \
     力学 医学 法学 学费 学位 人生 出生 新生 学问 问路 道理 理由 由于 于是 是否 否则 规则 原则 原因 因此 此外 外婆 外公 公安 安排 排队 队员 员外 会员 会计 计划 计算 算了 了解 解决 解释 释放 放假 假期 期间 间接 接受 受伤 伤心 心理 理解 \
     理想 想法 法律 律师 师傅 师父 父子 子女 女士 士兵 兵马 马车 车站 站台 台湾 台北 北方 方向 向来 往来 往往 交往 交通 交流 流行 行动 行为 行李 李子 桌子 椅子 杯子 瓶子 盘子 筷子 刀子 儿童 童年 年轻 年级 年纪 纪念 念书 书包 包子 饺子 \
     面包 面条 条件 件事 事业 事故 花园 花生 开花 花钱 钱包 金钱 现金 金属 黄金 黄色 黄河 河南 河北 湖南 湖北 广东 广西 山东 山西 江西 江苏 江山 山水 水平 平台 平面 平方 白天 天空 空气 气候 候鸟 石头 头发 头痛 痛苦 苦难 难过 难道 高度 \
     高中 高考 高级 高楼 楼上 楼下 林业 森林 树林 田地 土地 农田 马虎 老虎 龙虾 恐龙 白菜 白酒 酒吧 何必 如何 任何 任务 责任 主任 信任 方案 方式 对方 双方 周围 周到 周年 一周 金融 基金 资金 石油 叶子 茶叶 树叶 江湖 江南 夏季 雷雨 打雷 \
     毛病 毛巾 毛衣 羊毛 钱财 严重 严格 武器 武术 向上 倾向 孔子 汤圆 史书 万一 千万 万分 万岁 顾客 照顾 贺卡 祝贺 黎明 陶瓷 侯爵 段落 阶段 手段 尚未 未必 未婚 服装 服从 装修 装饰 拍卖 拍摄 拍照 生命 生意 生物 生态 命令 命运 民主 民族 \
     民间 主义 主席 能够 能力 能源 天鹅 鹅毛 长期 长城 长度 长途 江水 江河 江北 桥梁 国会 国内 国外 国民 国有 会谈 会场 会见 手术 手指 手工 手里 手续 把握 机器 机关 机票 器官 器材 官方 方言 言语 语言 语法 话题 话剧 题目 目标 目前 目的 \
     标准 标志 准时 准确 确定 确实 实际 实现 实在 实验 实力 验证 证明 证据 据说 据点 说明 说话 说法 明确 明星 星球 星光 球场 球员 球队 球赛 场合 场所 场面 场地 所有 所谓 有关 有效 有趣 有限 关系 关于 关键 系统 系列 统一 统计 统治 一切 \
     一般 一旦 切断 断定 定期 定位 期望 期待 望远 远方 力量 力气 量化 气氛 气味 气温 温度 温暖 温柔 度过 度假 暖气 柔软 软件 件数 数字 数量 数据 字母 字典 母语 母校 校园 校长 园林 园区 林地 区别 区域 别墅 确保 保护 保证 保险 保持 保存 \
     护士 护照 险些 持续 续集 存在 存款 在于 在场 款式 式样 样子 子弹 弹性 性格 性别 性质 格外 质量 质疑 疑问 人物 人类 人口 人才 人事 人心 物理 物质 物品 物价 类型 类似 型号 号码 口味 口语 口号 味道 道德 德语 才华 华人 华丽 美好 美术 \
     美食 好像 好处 好吃 好看 像样 处理 处于 处分 食物 食品 食堂 术语 堂弟 弟子 看见 看病 看法 见面 见解 面积 面试 面前 面临 积极 极其 极端 端午 午夜 夜晚 夜里 晚会 晚年 年代 年龄 年底 代表 代替 代价 表示 表现 表演 表面 示范 范围 围绕 \
     绕路 演员 演出 演讲 演唱 出现 出版 出口 出租 出差 出发 租房 版权 权利 权力 利用 利益 益处 用户 用途 用品 用力 户外 户口 途中 品质 品种 种类 种子 外语 外交 外卖 卖家 家具 家乡 家长 家务 具体 具有 乡村 乡下 村民 村庄 行人 行业 行程 \
     程度 程序 序列 银器 红茶 红包 红枣 红绿 绿色 绿茶 茶杯 茶馆 馆长 黑板 板凳 黑夜 小说 小组 小吃 小孩 孩童 大概 大约 大量 大全 大使 大衣 大会 大雨 大胆 使用 使馆 用心 概念 念头 约定 约会 议论 议员 论文 文章 文件 文明 文字 章节 节日 \
     节目 节约 日子 日期 日常 日记 常常 常见 常识 识别 记者 记录 记住 记忆 忆起 录音 录取 音响 音量 响应 应用 应当 当地 当时 当中 当年 当代 地区 地球 地下 地点 地位 地震 地面 点心 点头 位置 位于 置换 换成 成长 成年 成就 成分 长者 长处 \
     就业 就算 业绩 绩效 效果 效率 果然 果汁 果树 然而 而是 而言 率先 先后 先进 进行 进步 进入 进口 步行 入口 入学 入住 住宅 住院 住房 院长 院子 宅子 房价 房屋 价格 价值 值得 值班 得到 得意 到底 到处 到达 底下 达到 达成 收入 收到 收拾 \
     收费 费用 费力 拾起 起床 起飞 起源 源头 床单 床上 单位 单独 单身 身边 身份 身高 边缘 边界 缘故 缘分 界限 限制 制度 制造 制作 造成 造型 作为 作用 作品 作者 作业 作家 为了 为止 止痛 痛快 快速 快要 速度 速成 要求 要紧 求助 求职 助理 \
     助手 职位 职责 责怪 怪物 物流 流动 流利 流感 感觉 感情 感谢 感冒 感动 感染 觉悟 情况 情绪 情侣 情感 况且 绪论 谢谢 冒险 动物 动作 动力 动机 动手 染色 色彩 彩色 彩票 票价 票据 爱好 爱情 恋爱 泰山 山羊 药剂 开水 酒精 头脑 脑袋 口袋 \
     雨伞 风雨 风格 风险 风景 台风 心脏 心得 信心 耐心 火锅 火焰 发火 糖尿 牙膏 眼镜 眼前 耳机 木耳 脚本 脚步 血压 血型 骨干 骨头",
);

/// Common words of two characters that do not mean what one of them does: a panda is no cat, and Rome no horse.
static OPAQUE: WordList = WordList::new(
    "熊猫 热狗 罗马 斑马 河马 马克 马桶 马甲 木马 巴马 马上 马路 马虎 马达 蜗牛 吹牛 牛仔 牛津 犀牛 花费 花生 棉花 烟花 雪花 花样 花心 鳄鱼 鱿鱼 章鱼 鲸鱼 鱼雷 海狗 狗血 鼠标 鼠疫 袋鼠 松鼠 壁虎 尼龙 龙头 龙虾 恐龙 薪水 香水 墨水 胶水 \
     水泥 水晶 水果 水平 可爱 海报 海关 上海 山寨 田鸡 羚羊 火药 茶几 酒窝 车间 手表 手机 树立 草率 草案 鸟瞰 猫腻 行李 李子 国王 王国 王子 女王 张开 紧张 主张 黄色 黄金 明天 明年 明白 说明 声明 证明 文明 发明 高兴 提高 白天 现金 资金 \
     地方 方便 方法 点心 小心 开心 放心 耐心 眼镜 眼前 耳机 木耳 脚本 江湖 天气 生气 火车 电影 电视 空气 客气 大家 国家 专家 作家",
);

pub(super) fn is_common(one: char, other: char) -> bool {
    let pair: String = [one, other].into_iter().collect();
    COMMON.contains(&pair) || OPAQUE.contains(&pair)
}

/// The characters around a match, without a gap.
#[derive(Default)]
pub(super) struct Around {
    pub before: Option<char>,
    pub after: Option<char>,
    /// Whether the two characters before it are a common word.
    pub ends_before: bool,
}

/// Returns true if a Chinese match is a word of its own, as far as that can be told: a name of two characters is not
/// the beginning of a longer one, and the words beside it do not claim a part of it of which the rest is words as
/// well.
pub(super) fn is_word(matched: &[char], around: &Around) -> bool {
    let ([first, ..], [.., last]) = (matched, matched) else { return true };
    let next = around.after.filter(|next| cjk::is_han(*next));
    let may_be_name = matched.len() == 2 && SURNAMES.contains(*first);
    if may_be_name && next.is_some_and(|next| !AFTER_NAMES.contains(next)) {
        return false;
    }
    if matched.len() == 1 {
        let is_opaque = |one: Option<char>, other: Option<char>| {
            let pair: String = one.into_iter().chain(other).collect();
            OPAQUE.contains(&pair)
        };
        return !is_opaque(around.before, Some(*first)) && !is_opaque(Some(*first), next);
    }
    let left = around.before.is_some_and(|before| is_common(before, *first));
    let right = next.is_some_and(|next| is_common(*last, next));
    let rest =
        |from: usize, to: usize| matched.get(from..matched.len().saturating_sub(to)).unwrap_or_default();
    let is_claimed = left && are_words(rest(1, 0))
        || right && (are_words(rest(0, 1)) || around.ends_before && is_one(SUFFIXES, rest(0, 1)))
        || left && right && are_words(rest(1, 1));
    !is_claimed
}

/// Returns true if characters are words one after the other; none are.
fn are_words(chars: &[char]) -> bool {
    match chars {
        [] => true,
        [one, rest @ ..] if ALONE.contains(*one) && are_words(rest) => true,
        [one, other, rest @ ..] => is_common(*one, *other) && are_words(rest),
        _ => false,
    }
}

fn is_one(list: &str, chars: &[char]) -> bool {
    matches!(chars, [one] if list.contains(*one))
}

/// Returns true if a Chinese character is a common family name.
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
            (None, "研究生", Some('命'), false),
            (Some('熊'), "猫", None, false),
            (Some('小'), "猫", None, true),
            (Some('生'), "病", None, true),
        ] {
            let matched: Vec<char> = matched.chars().collect();
            assert_eq!(
                is_word(&matched, &Around { before, after, ..Around::default() }),
                expected,
                "{matched:?} before {after:?}"
            );
        }
    }
}
