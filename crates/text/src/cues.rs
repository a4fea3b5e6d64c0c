//! Words that tell what a sentence is for: a decision, an aim, a promise, a trait. General ones, in five languages.

use std::sync::LazyLock;

use crate::calendar;
use crate::cjk::is_han;
use crate::words;

/// A sentence prepared for the search for cues: lower case, one space around every word.
pub(crate) struct Plain(String);

impl Plain {
    pub fn new(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len() + 2);
        plain.push(' ');
        for c in text.chars() {
            match words::plain(c) {
                '\'' => plain.push('\''),
                c if c.is_alphanumeric() => plain.extend(c.to_lowercase()),
                _ if plain.ends_with(' ') => {}
                _ => plain.push(' '),
            }
        }
        if !plain.ends_with(' ') {
            plain.push(' ');
        }
        Self(plain)
    }

    /// Its words, in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}

/// A list of cues, each found as whole words; Chinese ones anywhere, since no spaces separate words there.
pub(crate) struct Cues(Vec<String>);

impl Cues {
    pub fn new(list: &str) -> Self {
        let ready = |cue: &str| if cue.chars().any(is_han) { cue.to_owned() } else { format!(" {cue} ") };
        Self(list.split('|').map(str::trim).map(ready).collect())
    }

    /// Whether a sentence holds one of them.
    pub fn found_in(&self, sentence: &Plain) -> bool {
        self.0.iter().any(|cue| sentence.0.contains(cue.as_str()))
    }

    /// Whether a sentence begins with one of them.
    pub fn open(&self, sentence: &Plain) -> bool {
        self.opened(sentence).is_some()
    }

    /// The rest of a sentence behind the longest cue that it begins with.
    pub fn opened<'s>(&self, sentence: &'s Plain) -> Option<&'s str> {
        let rest = |cue: &String| sentence.0.trim_start().strip_prefix(cue.trim_start());
        self.0.iter().filter_map(rest).min_by_key(|rest| rest.len())
    }

    /// Whether a sentence is nothing but a cue.
    pub fn is(&self, sentence: &Plain) -> bool {
        self.0.iter().any(|cue| sentence.0.trim() == cue.trim())
    }

    /// The rest of a sentence behind the first cue that it holds.
    pub fn rest<'s>(&self, sentence: &'s Plain) -> Option<&'s str> {
        self.0.iter().find_map(|cue| sentence.0.split_once(cue.as_str()).map(|(_, rest)| rest))
    }
}

/// Declares lists of cues, alternatives separated by `|`.
macro_rules! cues {
    ($($(#[$doc:meta])* $name:ident = $($list:literal)+;)+) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: std::sync::LazyLock<$crate::cues::Cues> =
                std::sync::LazyLock::new(|| $crate::cues::Cues::new(concat!($($list),+)));
        )+
    };
}
pub(crate) use cues;

cues! {
    /// Something was settled.
    DECIDES =
        "decided | have decided | decided to | let's go with | let's use | let's take | go with | going with"
        "| settled on | we agreed | agreed on | agreed to | we chose | i chose | we picked | i picked | opted for"
        "| stick with | sticking with | the decision is | final decision | made up my mind | we're using | we are using | we'll use"
        "| beschlossen | entschieden | wir nehmen | ich nehme | geeinigt"
        "| decidimos | he decidido | hemos decidido | decidí | quedamos en | optamos por | elegimos"
        "| avons décidé | j'ai décidé | a décidé | on prend | optons pour | avons choisi | j'ai choisi"
        "| 决定 | 決定 | 就用 | 选定 | 選定 | 定下来 | 说好了 | 敲定";
    /// It is said that nothing is settled.
    UNDECIDED =
        "not decided | haven't decided | hasn't decided | undecided | can't decide | cannot decide"
        "| noch nicht entschieden | no he decidido | no hemos decidido | pas décidé | pas encore décidé"
        "| 没决定 | 没有决定 | 还没定 | 還沒決定";
    /// Something is aimed at.
    AIMS =
        "i want to | we want to | i'd like to | i would like to | i'd love to | i hope to | hoping to | i plan to"
        "| we plan to | i'm planning | we're planning | i intend to | i aim to | my goal | our goal | my aim | my plan"
        "| our plan | i'm trying to | we're trying to | i need to | we need to | i'm saving | i dream of | i'm training for"
        "| ich will | wir wollen | ich möchte | wir möchten | ich plane | mein ziel | ich hoffe"
        "| quiero | queremos | quisiera | me gustaría | planeo | pienso | mi meta | mi objetivo | necesito"
        "| je veux | nous voulons | je voudrais | j'aimerais | je compte | mon but | mon objectif | j'ai besoin"
        "| 我想 | 我要 | 我们想 | 我們想 | 打算 | 计划 | 計劃 | 目标 | 目標 | 希望能";
    /// Something is asked to be brought up again, or put on a list.
    ASKS_TO_BE_REMINDED =
        "remind me | remind us | todo | to do list | don't forget | do not forget | don't let me forget | action item"
        "| erinnere mich | erinner mich | vergiss nicht | nicht vergessen"
        "| recuérdame | recuerdame | no olvides | pendiente"
        "| rappelle moi | rappelez moi | n'oublie pas | n'oubliez pas"
        "| 提醒我 | 别忘了 | 別忘了 | 待办 | 待辦";
    /// A person says what they are going to do.
    PROMISES =
        "i will | i'll | we will | we'll | i'm going to | we're going to | i have to | we have to | i must | i need to"
        "| we need to | i still need to | i should | i've got to | i gotta"
        "| ich werde | wir werden | ich muss | wir müssen"
        "| voy a | vamos a | tengo que | tenemos que | debo"
        "| je vais | nous allons | je dois | nous devons | il faut"
        "| 我会 | 我會 | 我得 | 我要 | 我们会 | 我需要";
    /// Something was tried, and came out.
    COMES_OUT =
        "i tried | we tried | tried to | have tried | tried it | tried the | failed | fails | it worked | that worked | works now"
        "| worked fine | worked out | didn't work | did not work | doesn't work | does not work | not working"
        "| stopped working | is working now | fixed | solved | resolved | an error | error | crashed | crashes | broke"
        "| succeeded | turned out | no luck | managed to | gave up | the fix | passed the | rejected | was refused"
        "| versucht | hat geklappt | klappt nicht | funktioniert nicht | funktioniert jetzt | fehlgeschlagen | gescheitert"
        "| behoben | fehler"
        "| intenté | intentamos | falló | no funciona | no funcionó | funcionó | ya funciona | arreglé | resuelto"
        "| j'ai essayé | a échoué | ne marche pas | n'a pas marché | ça marche | a marché | réparé | résolu | erreur"
        "| 试了 | 試了 | 试过 | 失败 | 失敗 | 成功了 | 修好 | 解决了 | 解決了 | 报错 | 報錯 | 没用 | 不行";
    /// The speaker says how they are, live or do things.
    STATES =
        "i am | i'm | i have | i've got | i live | i work | i prefer | i like | i love | i hate | i dislike | i enjoy | i use"
        "| i own | i drive | i speak | i study | i play | i teach | i run | i drink | i eat | i don't eat | i don't drink"
        "| i don't like | i do not like | i do not eat | i can't eat | i cannot eat | i can't have | i can't stand | i avoid"
        "| i grew up | i was born | i come from | i'm from | i moved | i'd rather | i usually | i'd prefer | call me"
        "| i go by | we live | we have | we use | we are | we're | i keep | i wear | i take | i need my | i want my | i don't"
        "| ich bin | ich habe | ich heiße | ich wohne | ich lebe | ich arbeite | ich mag | ich esse | ich trinke | ich komme aus"
        "| ich bevorzuge | nenn mich | ich spreche | ich nutze"
        "| soy | tengo | me llamo | vivo | trabajo | me gusta | me gustan | no me gusta | prefiero | no como | uso | hablo"
        "| je suis | j'ai | je m'appelle | j'habite | je vis | je travaille | j'aime | je n'aime | je préfère | je mange"
        "| je ne mange | j'utilise | je parle"
        "| 我是 | 我叫 | 我有 | 我住 | 我在 | 我喜欢 | 我喜歡 | 我不喜欢 | 我不吃 | 我爱 | 我用 | 我们公司 | 我们家 | 我对 | 我只 | 我来自";
    /// Something belongs to the speaker.
    OWNS =
        "my | our | mine | mein | meine | meinem | meinen | meiner | unser | unsere | mi | mis | nuestro | nuestra"
        "| mon | ma | mes | notre | nos | 我的 | 我们的 | 我們的 | 我家 | 我妈 | 我爸 | 我老婆 | 我女儿 | 我儿子";
    /// Something is said to be so.
    IS =
        "is | are | was | has | have | called | named | lives | works | runs | listens | expires | starts | ends | costs"
        "| ist | sind | war | hat | heißt | läuft | es | está | están | era | tiene | se llama | est | sont | était"
        "| s'appelle | 是 | 叫 | 在 | 有 | 为";
    /// What begins a sentence about a certain thing.
    NAMES_A_THING = "the | der | die | das | el | la | los | las | le | les";
    /// Something that hardly changes, or that must not be missed.
    LASTS =
        "allergic | allergy | allergies | intolerant | vegetarian | vegan | diabetic | asthma | celiac | favorite | favourite"
        "| birthday | born | anniversary | deadline | due | expires | married | pregnant | prefer | prefers | rather"
        "| must | must not | always | never | at most | at least | no more than | no later than | not allowed | limit | budget"
        "| can't stand | call me | name is | is called | make me sick | makes me sick"
        "| allergisch | vertrage kein | vertrage keine | vertrage keinen | vegetarisch | geburtstag | frist | muss | immer | niemals | höchstens | mindestens | bevorzuge"
        "| alérgico | alérgica | cumpleaños | fecha límite | siempre | nunca | como máximo | prefiero"
        "| allergique | anniversaire | échéance | toujours | jamais | au plus | préfère"
        "| 过敏 | 過敏 | 生日 | 截止 | 必须 | 必須 | 只能 | 最多 | 至少 | 喜欢 | 喜歡 | 不吃 | 素食 | 总是 | 从不";
    /// A rule for how things are to be done.
    REQUIRES =
        "always | never | please always | please never | from now on | don't ever | only ever | use only"
        "| immer | niemals | ab jetzt | siempre | nunca | a partir de ahora | toujours | ne jamais | désormais"
        "| 以后 | 以後 | 永远 | 不要再";
    /// Something points at what was said before, so that it says little alone.
    POINTS_BACK = "this | that | these | those | it | that's | it's | das | eso | esto | ça | cela | 这个 | 那个 | 這個 | 那個";
    /// How one happens to be.
    PASSES =
        "tired | hungry | bored | sorry | fine | ok | okay | good | great | glad | happy | sad | sure | ready | busy | late"
        "| excited | curious | thinking | wondering | kidding | joking | afraid | confused | back | here | done | feeling"
        "| today | right now | at the moment | almost | a little | a bit | heute | hoy | 今天"
        "| i have been | i've been | have a question | have no idea | have an idea | have to | müde | hungrig | cansado | cansada"
        "| fatigué | fatiguée | 累 | 饿 | 好的";
    /// Words of parting and of manners.
    SMALL_TALK =
        "never mind | nevermind | see you | talk to you | talk soon | right back | no worries | good night | good morning"
        "| you're welcome | take care | sounds good | thank you | bis später | bis bald | bis morgen | hasta luego"
        "| hasta mañana | à bientôt | à demain | 再见 | 回头见 | 明天见";
    /// The speaker is in the middle of something, or on the way.
    STATES_OF_BEING = "i'm | i am | we're | we are";
    /// What begins a request.
    REQUESTS =
        "what's | how's | who's | where's | when's | tell | write | show | give | explain | translate | list | find | make | create | summarize | summarise | help | please"
        "| can | could | would | will you | what | how | why | who | when | where | which | do you | does | did | is it | are you"
        "| should | suggest | recommend | describe | compare | draft | check | look | search | generate | convert | calculate"
        "| rewrite | fix | add | remove | change | update | open | read | send | book | set | let me | let's | talk | imagine"
        "| say | repeat | continue | go on | count | guess | think | pick | choose | name a | name some | sing | play | tell me"
        "| erzähl | erkläre | schreib | zeig | gib | übersetze | bitte | kannst | was | wie | warum | wer | wo"
        "| dime | explica | escribe | muestra | dame | traduce | por favor | puedes | qué | cómo | por qué"
        "| dis | explique | écris | montre | donne | traduis | peux tu | pouvez | comment | pourquoi"
        "| 请 | 帮我 | 告诉我 | 给我 | 写 | 解释 | 翻译";
    /// The person is spoken to.
    ADDRESSES =
        "you | your | you're | you've | dein | deine | ihr | ihre | du | tu | tus | su | usted | votre | vos | ton | ta | 你 | 您";
    /// The assistant has no answer.
    HAS_NO_ANSWER =
        "i don't know | i do not know | i'm not sure | i am not sure | i can't tell | i cannot tell | not enough information"
        "| weiß ich nicht | ich weiß nicht | no lo sé | no sé | je ne sais pas | 我不知道 | 不确定 | 不清楚";
    /// Something is to happen by some time.
    HAS_A_TERM =
        "by | before | until | tomorrow | tonight | next | on | bis | vor | morgen | nächste | antes | mañana | hasta | próximo"
        "| avant | demain | prochain | 明天 | 之前 | 以前 | 下周 | 下个";
    /// Words that mark a language that writes every noun with a capital.
    CAPITALIZES_NOUNS = "der | die | das | und | ist | ich | nicht | ein | eine | mein | meine | wir | den | dem";
}

/// Days and months. "May" is left out: it is a verb more often.
pub(crate) static DATES: LazyLock<Cues> = LazyLock::new(|| {
    let months = calendar::months(calendar::EUROPEAN).map(|(name, _)| name);
    let days = calendar::weekdays(calendar::EUROPEAN).map(|(name, _)| name);
    let names: Vec<&str> = months.chain(days).filter(|name| *name != "may").collect();
    Cues::new(&format!("{} | {OTHER_DATES}", names.join("|")))
});
const OTHER_DATES: &str = "tomorrow | tonight | next week | next month | next year | morgen | mañana | demain \
    | 周一 | 周二 | 周三 | 周四 | 周五 | 周六 | 周日 | 星期 | 明天 | 后天 | 下周 | 下个月 | 月";
