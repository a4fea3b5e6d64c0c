//! Generic words of talking and doing. Next to a phrase of time or the name of a place they name no subject: "what did
//! we talk about yesterday" asks for the day.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::cjk::{is_cjk, is_hiragana};
use crate::words;

/// Returns true if a term of the index names no subject.
#[must_use]
pub fn is_generic(term: &str) -> bool {
    if term.chars().all(is_cjk) {
        return term.chars().all(|c| is_hiragana(c) || HAN_AND_HANGUL.contains(c));
    }
    words::is_stop_word(term) || GENERIC.contains(term)
}

/// Words of talking, doing, happening and planning, and the small words around them, in English, German, Spanish and
/// French.
const WORDS: &str = "chat continue continuing conversation discuss discussion doing done go happen left mention next ok okay \
    pick plan resume stop \
    speak spoke spoken talk told topic \
    beim besprechen besprochen bitte darüber das dass dem den denn der die diskutiert du ein eine er erwähnt erzählt es gab \
    gemacht geplant geredet gesagt geschehen gesprochen getan habe haben hast hat hatte hatten ich ihr im in ist los machen \
    machten man mir mit passiert plan planen reden redeten sagen sagte sagtest sie sprachen sprechen tun über um und uns vom \
    von geblieben nächste nächstes stehen war waren was weiter wir woran worüber worum zu \
    acerca al conté contaste cuál cuando cuéntame de decir del dicho dije dijo dijimos dijiste discutimos discutir él el en \
    era es estábamos fue hablamos hablaba hablábamos hablado hablar hablaste hablé habló hacer hecho hemos hice hicimos \
    hiciste hizo la las lo los me mencionaste mencioné nos nosotros ocurrió para pasó planeado planeamos planear por que qué quedamos siguiente \
    seguimos sobre te tú un una y yo \
    ai as au aux avait avec avez avions avons ce cela conversation dans des dire discuté discuter dit du elle en est et \
    était fait faire il j ai je l la le les mentionné mentionner moi nous on ont parlé parler parlions passé planifié pour \
    prévu qu quel quelle qu'est qu'avons quoi raconté resté suite suivant étions raconter s'est sur te toi tu un une vous y j'ai";

static GENERIC: LazyLock<HashSet<String>> = LazyLock::new(|| words::terms(WORDS).into_iter().collect());

/// The characters of such words in Chinese, Japanese and Korean, in which nothing separates words, or words and their
/// endings.
const HAN_AND_HANGUL: &str = "我们們你您他她说說讲講聊谈談讨討论論提到过過了吗嗎呢什么麼啥哪些事情做干幹计計划劃发發生的是在有都和跟那这這\
    谁誰告诉訴天继繼续續接着著下来來何話言私達僕俺教起画予定相談続前回一步우리나는은가이을를에의무슨뭐뭘무엇얘기이야했지어니요나말대해화하고다던한까계획일있었";

#[cfg(test)]
mod tests {
    use super::*;

    fn names_subject(text: &str) -> bool {
        words::query_terms(text).iter().any(|term| !is_generic(&term.text))
    }

    #[test]
    fn h4_words_of_talking_name_no_subject_in_any_language() {
        for text in [
            "What did we talk about?",
            "what did we discuss",
            "What happened?",
            "what was the plan",
            "ok, what's next?",
            "What is left?",
            "What did I tell you, what did I mention?",
            "What were we talking about?",
            "Worüber haben wir gesprochen?",
            "Was habe ich gesagt?",
            "Was ist passiert?",
            "¿De qué hablamos?",
            "¿Qué te dije?",
            "¿Qué pasó?",
            "De quoi avons-nous parlé ?",
            "Qu'est-ce que j'ai dit ?",
            "我们聊了什么？",
            "我们讨论了什么",
            "何を話しましたか",
            "何の話をしたっけ",
            "우리 무슨 얘기 했지?",
        ] {
            assert!(!names_subject(text), "{text}: {:?}", words::query_terms(text));
        }
    }

    #[test]
    fn h4_a_subject_beside_them_is_one() {
        for text in [
            "What did we say about the roof?",
            "Was habe ich über das Dach gesagt?",
            "¿Qué dije del tejado?",
            "Qu'avons-nous dit du toit ?",
            "我们说了屋顶的什么",
            "屋根の話をしましたか",
            "지붕 얘기 했지?",
        ] {
            assert!(names_subject(text), "{text}");
        }
    }
}
