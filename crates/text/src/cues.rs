//! Cues: common words, in several languages, that show the purpose of a sentence: a decision, an aim, a promise, an
//! outcome.

use rustc_hash::FxHashMap;

use crate::cjk::is_unspaced;
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
pub(crate) struct Cues {
    all: Vec<String>,
    /// Those of whole words, by their first word: one look for each word of a sentence.
    by_word: FxHashMap<String, Vec<String>>,
    unspaced: Vec<String>,
}

impl Cues {
    pub fn new(list: &str) -> Self {
        let ready =
            |cue: &str| if cue.chars().any(is_unspaced) { cue.to_owned() } else { format!(" {cue} ") };
        let all: Vec<String> = list.split('|').map(str::trim).map(ready).collect();
        let (unspaced, spaced): (Vec<_>, Vec<_>) =
            all.iter().cloned().partition(|cue| cue.chars().any(is_unspaced));
        let mut by_word: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for cue in spaced {
            let first = cue.split_whitespace().next().unwrap_or_default().to_owned();
            by_word.entry(first).or_default().push(cue);
        }
        Self { all, by_word, unspaced }
    }

    /// Returns true if a sentence contains one of them.
    pub fn found_in(&self, sentence: &Plain) -> bool {
        let mut rest = sentence.0.as_str();
        while let Some(next) = rest.strip_prefix(' ') {
            let word = next.split(' ').next().unwrap_or_default();
            if self.by_word.get(word).is_some_and(|cues| cues.iter().any(|cue| rest.starts_with(cue))) {
                return true;
            }
            rest = next.get(word.len()..).unwrap_or_default();
        }
        !sentence.0.is_ascii() && self.unspaced.iter().any(|cue| sentence.0.contains(cue.as_str()))
    }

    /// Returns true if a sentence begins with one of them.
    pub fn open(&self, sentence: &Plain) -> bool {
        self.opened(sentence).is_some()
    }

    /// The rest of a sentence after the longest cue at its beginning.
    pub fn opened<'s>(&self, sentence: &'s Plain) -> Option<&'s str> {
        let rest = |cue: &String| sentence.0.trim_start().strip_prefix(cue.trim_start());
        self.all.iter().filter_map(rest).min_by_key(|rest| rest.len())
    }

    /// A sentence without them.
    pub fn removed_from(&self, sentence: &Plain) -> Plain {
        Plain(self.all.iter().fold(sentence.0.clone(), |rest, cue| rest.replace(cue, " ")))
    }

    /// Returns true if a sentence is nothing but a cue.
    pub fn is(&self, sentence: &Plain) -> bool {
        self.all.iter().any(|cue| sentence.0.trim() == cue.trim())
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
        "| 决定 | 決定 | 就用 | 选定 | 選定 | 定下来 | 说好了 | 敲定 | 決め | 決まり | ことにし | ことになっ | でいきましょう";
    /// Something is explicitly not settled.
    UNDECIDED =
        "not decided | haven't decided | hasn't decided | undecided | can't decide | cannot decide"
        "| noch nicht entschieden | no he decidido | no hemos decidido | pas décidé | pas encore décidé"
        "| 没决定 | 没有决定 | 还没定 | 還沒決定";
    /// Somebody has an aim.
    AIMS =
        "i want to | we want to | i'd like to | i would like to | i'd love to | i hope to | hoping to | i plan to"
        "| we plan to | i'm planning | we're planning | i intend to | i aim to | my goal | our goal | my aim | my plan"
        "| our plan | i'm trying to | we're trying to | i need to | we need to | i'm saving | i dream of | i'm training for"
        "| ich will | wir wollen | ich möchte | wir möchten | ich plane | mein ziel | ich hoffe"
        "| quiero | queremos | quisiera | me gustaría | planeo | pienso | mi meta | mi objetivo | necesito"
        "| je veux | nous voulons | je voudrais | j'aimerais | je compte | mon but | mon objectif | j'ai besoin"
        "| たい | つもり | 目標は | 我想 | 我要 | 我们想 | 我們想 | 打算 | 计划 | 計劃 | 目标 | 目標 | 希望能";
    /// A request to bring something up again, or to put it on a list.
    ASKS_TO_BE_REMINDED =
        "remind me | remind us | todo | to do list | don't forget | do not forget | don't let me forget | action item"
        "| erinnere mich | erinner mich | vergiss nicht | nicht vergessen"
        "| recuérdame | recuerdame | no olvides | pendiente"
        "| rappelle moi | rappelez moi | n'oublie pas | n'oubliez pas"
        "| 提醒我 | 别忘了 | 別忘了 | 待办 | 待辦 | リマインド | 忘れないで";
    /// A person says what they are going to do.
    PROMISES =
        "i will | i'll | we will | we'll | i'm going to | we're going to | i have to | we have to | i must | i need to"
        "| we need to | i still need to | i should | i've got to | i gotta"
        "| ich werde | wir werden | ich muss | wir müssen"
        "| voy a | vamos a | tengo que | tenemos que | debo"
        "| je vais | nous allons | je dois | nous devons | il faut"
        "| なければ | ないといけない | 我会 | 我會 | 我得 | 我要 | 我们会 | 我需要";
    /// Something was tried, with its outcome.
    COMES_OUT =
        "i tried | we tried | tried to | have tried | tried it | tried the | failed | fails | it worked | that worked | works now"
        "| worked fine | worked out | didn't work | did not work | doesn't work | does not work | not working"
        "| stopped working | is working now | fixed | solved | resolved | an error | error | crashed | crashes | broke"
        "| succeeded | turned out | no luck | managed to | gave up | the fix | passed the | rejected | was refused"
        "| versucht | hat geklappt | klappt nicht | funktioniert nicht | funktioniert jetzt | fehlgeschlagen | gescheitert"
        "| behoben | fehler"
        "| intenté | intentamos | falló | no funciona | no funcionó | funcionó | ya funciona | arreglé | resuelto"
        "| j'ai essayé | a échoué | ne marche pas | n'a pas marché | ça marche | a marché | réparé | résolu | erreur"
        "| 失敗した | 合格し | 直りました | だめだった | 试了 | 試了 | 试过 | 失败 | 失敗 | 成功了 | 修好 | 解决了 | 解決了 | 报错 | 報錯 | 没用 | 不行";
    /// Beginnings of a request.
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
    /// The assistant has no answer.
    HAS_NO_ANSWER =
        "i don't know | i do not know | i'm not sure | i am not sure | i can't tell | i cannot tell | not enough information"
        "| weiß ich nicht | ich weiß nicht | no lo sé | no sé | je ne sais pas | 我不知道 | 不确定 | 不清楚";
    /// Beginnings of a refusal.
    REJECTS = "no | nope | nah | not | don't | rather not | nein | nicht | lieber nicht | non | pas | mejor no | 不 | 别 | 別 | いいえ | いや";
}
