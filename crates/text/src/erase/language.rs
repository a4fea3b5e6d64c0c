//! The languages that a text may be written in, and how the words of each change.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::pieces::{Class, Piece};
use crate::word_list::WordList;

/// A language whose words change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Polish,
    Turkish,
    Russian,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Czech,
    Romanian,
    Finnish,
    Hungarian,
    Indonesian,
}

use Language::{
    Czech, Dutch, English, Finnish, French, German, Hungarian, Indonesian, Italian, Polish, Portuguese,
    Romanian, Russian, Spanish, Swedish, Turkish,
};

/// What a text without any evidence may be, if it has letters beyond ASCII.
pub(super) const LATIN: [Language; 6] = [English, German, French, Spanish, Polish, Turkish];

/// How words of a language end.
pub(super) struct Endings {
    /// Fewest letters of the stem.
    pub shortest: usize,
    /// The endings that may stand for each other, folded; `-` stands for none.
    pub list: WordList,
}

/// A language and its words.
pub(super) struct Rules {
    pub language: Language,
    /// Words that hold sentences together, folded.
    small: WordList,
    /// Letters that few other languages have.
    letters: &'static str,
    pub words: Vec<Endings>,
    /// The same for names, which change less in many languages.
    pub names: Vec<Endings>,
    /// Consonants at the end of a stem that change with the ending: Praha, Praze.
    pub turns: &'static [(&'static str, &'static str)],
    /// Vowels before the last consonant that some forms lose: Marek, Marka.
    pub lost: &'static str,
    /// Endings of which several may follow each other: ev, evlerimizde.
    pub chained: Option<Endings>,
    /// What joins the parts of a compound; empty if the language has none.
    pub links: &'static [&'static str],
}

fn endings(shortest: usize, list: &'static str) -> Endings {
    Endings { shortest, list: WordList::new(list) }
}

fn rules(language: Language, letters: &'static str, small: &'static str) -> Rules {
    Rules {
        language,
        small: WordList::new(small),
        letters,
        words: Vec::new(),
        names: Vec::new(),
        turns: &[],
        lost: "",
        chained: None,
        links: &[],
    }
}

/// A soft sign and no ending at all never stand in one word: "мать" is no form of "мат".
const RUSSIAN_HARD: &str = "- а я у ю е ы и о й ом ем ой ей ою ею ам ям ами ями ах ях ий ый ая яя ое ее ые ие ого его ому ему \
    ым им ую юю ых их ыми ими ия ию ии ией иям ием ья ью ье ьи ьей ов ев иях иями і ї є ові еві ів";
const RUSSIAN_SOFT: &str = "а я у ю е ы и о й ь ом ем ой ей ою ею ам ям ами ями ах ях ий ый ая яя ое ее ые ие ого его ому ему \
    ым им ую юю ых их ыми ими ия ию ии ией иям ием ья ью ье ьи ьей ов ев иях иями і ї є ові еві ів";
const POLISH_CASES: &str = "- a e i o u y em ie iem owi om ami ach ow ego emu im ym ymi imi ej iej ia iu ii iego iemu ich ych ze \
    zie owie mi ma io ium";
const CZECH_CASES: &str =
    "- a e i o u y em ou ovi ove um am ami ech ich ach eho emu ym ymi ych ej im mi ata at ete etem";
const FINNISH_CASES: &str = "- n a ta ssa sta an en in iin on un lla lta lle na ksi tta t ja ia iden ien jen issa ista illa ilta \
    ille iksi i ni nsa mme";

const COUNT: usize = 16;

/// All languages. The first seven also refuse a topic that has only their small words. In the Romance languages only number
/// counts: "puerto" and "puerta", "port" and "porte" are different words.
static LANGUAGES: LazyLock<[Rules; COUNT]> = LazyLock::new(|| {
    [
        rules(
            English,
            "",
            "a about all also am an and any are as at be been but by can could did do does don for from get got had has have \
         he her here him his how i if in into is it its just like me more my no not now of off on one or our out over \
         please she so some that the their them then there these they this those to too up us very was we were what when \
         where which who why will with would yes you your thing things something anything everything stuff this's t s ve \
         re ll m d",
        ),
        Rules {
            words: vec![
                endings(3, "- e en er es em n s ns ern ens nen"),
                endings(4, "e st t en te test ten tet"),
            ],
            // Nouns. Words with both of "-e" and "-er", as Kranke and Kranker, are longer than Wette and Wetter.
            names: vec![
                endings(3, "- e en es em n s ns ens nen"),
                endings(5, "e en er es em"),
                endings(4, "e st t en te test ten tet"),
            ],
            links: &["", "s", "n", "en", "es", "e"],
            ..rules(
                German,
                "ßäöü",
                "gestern heute nie wieder immer mehr dort muss seit wurde wollte konnte aber alle als am an auch auf aus bei bin bis bist da das dass dein deine dem den der des die diese dieser \
             dieses doch du ein eine einem einen einer eines er es euch fur gegen haben hat hatte ich ihm ihn ihr ihre im \
             in ist ja jetzt kann kein keine man mein meine meinem meinen meiner meines mich mir mit nach nicht noch nur \
             oder ohne sehr sein seine sich sie sind so uber um und uns unser unsere vom von vor war was wenn wer wie wir \
             wird wo zu zum zur etwas alles",
            )
        },
        Rules {
            words: vec![
                endings(3, "- s x"),
                endings(2, "al aux ale ales"),
                endings(3, "ail aux"),
                endings(2, "eux euse euses"),
                endings(2, "oux ouse ouses"),
                endings(2, "if ifs ive ives"),
            ],
            names: vec![endings(3, "- s")],
            ..rules(
                French,
                "éèêëàâîïôûœùç",
                "hier aujourd demain suis ont avons avez etes jamais toujours a ai au aux avec ce cela ces cet cette c chez d dans de des du elle en est et etait etre il ils j je l la le \
             les leur lui m ma mais me mes moi mon n ne nos notre nous on ou par pas plus pour qu que qui s sa sans se ses \
             son sont sur t ta tes toi ton tu un une vos votre vous y ca tout",
            )
        },
        Rules {
            words: vec![
                endings(3, "- s es"),
                endings(2, "z ces"),
                endings(2, "oso osa osos osas"),
                endings(2, "ivo iva ivos ivas"),
                endings(4, "ado ada ados adas"),
                endings(4, "ido ida idos idas"),
                endings(3, "gico gica gicos gicas"),
                endings(3, "lico lica licos licas"),
            ],
            names: vec![endings(3, "- s es")],
            ..rules(
                Spanish,
                "ñáéíóúü¿¡",
                "ayer hoy manana siempre nunca estoy estan esta a al ante aqui bajo con cuando de del desde donde e el ella ellos en era es esa ese eso este esto fue ha \
             hay la las le les lo los mas me mi mis mucho muy no nos nuestra nuestro o para pero por porque que se ser si \
             sin sobre son soy su sus tambien te tengo tiene toda todas todo todos tu tus un una uno y ya yo",
            )
        },
        Rules {
            words: vec![endings(2, POLISH_CASES)],
            names: vec![endings(2, POLISH_CASES)],
            turns: &[("k", "c"), ("g", "dz"), ("t", "ci"), ("d", "dzi"), ("st", "sci"), ("ch", "sz")],
            lost: "e",
            ..rules(
                Polish,
                "łąężźśćńó",
                "wczoraj dzis dzisiaj jutro a aby albo ale bardzo bez bo by byc byl byla bylo czy dla do gdy gdzie go i ich im ja jak jako je jego jej \
             jest jestem juz kiedy ktora ktory ktore mam ma mi mnie moj moja moje mojego mojej moim moi na nad nie nich nim \
             o od on ona one oni oraz po pod przed przez przy sa sie sobie ta tak tam te tego tej ten to tu tutaj ty tylko \
             tym w we wszystko z za ze",
            )
        },
        Rules {
            chained: Some(endings(
                2,
                "lar ler im um in un i u si su imiz umuz iniz unuz leri lari m n miz muz a e ya ye yi yu na ne ni nu da de ta \
             te nda nde dan den tan ten ndan nden nin nun la le yla yle ki",
            )),
            lost: "iu",
            ..rules(
                Turkish,
                "ğşıİçöü",
                "ama ancak bana bazi ben beni benim bir biri biz bizim bu bunu cok da daha de degil diye en gibi hem hep her \
             icin ile ise kadar ki mi mu ne neden nerede o olan olarak oldu olur ona onu onun sen senin siz su sonra var ve \
             veya ya yok zaman sey bugun yarin dun",
            )
        },
        Rules {
            words: vec![endings(2, RUSSIAN_HARD), endings(2, RUSSIAN_SOFT)],
            names: vec![endings(
                2,
                "- а я у ю е ы и о й ь ом ем ой ей ою ею ам ям ами ями ах ях ий ый ая яя ое ее ые ие ого его ому ему ым им ую юю \
             ых их ыми ими ия ию ии ией иям ием ья ью ье ьи ьей ин і ї є ові еві",
            )],
            // The dative of Ukrainian: донька, доньці; нога, нозі.
            turns: &[("к", "ці"), ("г", "зі"), ("х", "сі")],
            lost: "ео",
            ..rules(
                Russian,
                "",
                "а без бы был была было были в вам вас весь во вот все всё вы где да для до его ее если есть еще ж же за здесь \
             и из или им их к как ко когда кто ли меня мне мной мой моя мое мои моего моей моему моих мы на над нам нас не \
             него нее нет ни них но ну о об он она они оно от по под при про с со так там тебя то тоже только том ты у уже \
             чего чем что чтобы эта эти это этот я",
            )
        },
        Rules {
            words: vec![
                endings(3, "o i"),
                endings(3, "a e"),
                endings(3, "e i"),
                endings(3, "a i"),
                endings(2, "co chi ci"),
                endings(2, "ca che"),
                endings(2, "go ghi gi"),
                endings(2, "ga ghe"),
                endings(2, "oso osa osi ose"),
                endings(2, "ivo iva ivi ive"),
            ],
            ..rules(
                Italian,
                "éèàòùì",
                "ieri oggi domani sempre mai a ai al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era gli ha hai ho \
             i il in io l la le lei lo loro lui ma mi mia mie miei mio molto ne nei nel nella no noi non per piu quando \
             quella quello questa questo se sei si sono su sua sul suo ti tra tu tutto un una uno vi voi",
            )
        },
        Rules {
            words: vec![
                endings(3, "- s es"),
                endings(2, "ao oes aes aos"),
                endings(2, "m ns"),
                endings(2, "l is"),
                endings(2, "oso osa osos osas"),
                endings(2, "ivo iva ivos ivas"),
            ],
            names: vec![endings(3, "- s")],
            ..rules(
                Portuguese,
                "ãõçâêôáéíóúà",
                "ontem hoje amanha sempre nunca a ao aos as ate com como da das de dela dele do dos e ela ele em era essa esse esta este estou eu foi ha isso ja \
             la mais mas me meu meus minha minhas muito na nao nas no nos nossa nosso o onde os ou para pela pelo por quando \
             que quem se sem ser seu sua so sou tambem te tem tenho toda todo tudo um uma voce",
            )
        },
        Rules {
            words: vec![endings(3, "- s en n e je jes tje tjes")],
            names: vec![endings(3, "- s")],
            links: &["", "s", "en", "n", "e"],
            ..rules(
                Dutch,
                "ĳ",
                "gisteren vandaag aan al als bij ben dan dat de deze die dit dus een en er geen had hadden heb hebben heeft hem het hij hoe hun ik \
             in is je jij kan maar me met mij mijn naar niet niks nog nu of om ons onze ook op over te toch tot uit van veel \
             voor waar was wat we wel werd wie wij worden zeer zich zij zijn zo",
            )
        },
        Rules {
            words: vec![endings(
                3,
                "- en et n t ar er or r arna erna orna na a an s ens ets arnas ernas ene e erne",
            )],
            names: vec![endings(3, "- s")],
            links: &["", "s"],
            ..rules(
                Swedish,
                "åäöøæ",
                "igar idag imorgon alla att av bara blev da de dem den denna det detta dig din dit du efter eller en ett for fran ga han har hennes \
             hon hos hur i icke inte ikke jag jeg kan med meg men mig min mina mitt mycket mye nar nu och og om pa sa sig sin \
             sina skal ska som till til under upp ut vad var vara vi vid ar er av ble et hun paa",
            )
        },
        Rules {
            words: vec![endings(2, CZECH_CASES)],
            names: vec![endings(2, CZECH_CASES)],
            turns: &[("h", "z"), ("k", "c"), ("ch", "s"), ("g", "z")],
            lost: "e",
            ..rules(
                Czech,
                "ěščřžýůťďňáéíóú",
                "vcera dnes zitra a aby ale ani az bez bude by byl byla bylo byt ci co do ho i ja jak jako je jeho jeji jen jeste jsem jsme jsou \
             jste k kde kdy kdyz ktera ktere ktery ma mam me mi mne moje muj my na nad ne nebo neni nic o od on ona pak po \
             pod pro proc proto pri s se si sve ta tak take tam te ten to toho tu tuto ty u uz v vam vas ve vsak z za ze",
            )
        },
        Rules {
            words: vec![endings(3, "- e ele i ii a ul ului ilor lor le uri urile ei")],
            names: vec![endings(3, "- ului ei i lui")],
            ..rules(
                Romanian,
                "ăâîșțşţ",
                "ieri azi maine acest aceasta ai al ale am are as asa au avea ca cand care ce cel cu cum da dar de din dupa ea ei el ele este eu \
             fara fi fost in intr la lui mai mea mei meu mi multe ne nu o pe pentru prin sa sau se si sunt tot un una unei \
             unui va",
            )
        },
        Rules {
            words: vec![endings(4, FINNISH_CASES)],
            names: vec![endings(4, FINNISH_CASES)],
            turns: &[("k", "g"), ("k", ""), ("t", "d"), ("p", "v"), ("pp", "p"), ("kk", "k"), ("tt", "t")],
            ..rules(
                Finnish,
                "äö",
                "eilen tanaan huomenna olisi ole ei eika en etta han hanen ja joka jos kanssa koska kuin kun me mina minun minulla minut mika mita mutta myos ne \
             niin nyt olen oli olin on ovat se sen sina sita taalla tai tama vain viela",
            )
        },
        Rules {
            lost: "eo",
            chained: Some(endings(
                3,
                "nk ink aink eink tok tek ik ott ett tt ait eit it k ok ek ak ot et at t m om em am d od ed ad ja je i a e ban ben bol ba be rol ra re tol nal nel nak nek val \
             vel hoz hez ig on en n ert unk uk juk ai ei im jaim aim eim kent ul",
            )),
            ..rules(
                Hungarian,
                "őűáéíóúöü",
                "tegnap holnap a az azt be csak de egy el en es ez ezt fel ha hogy igen is itt itthon kell ki le ma meg mert mi mint mar most \
             nagyon nala nekem nem o ott pedig sem te vagy van vannak volt voltam",
            )
        },
        Rules {
            chained: Some(endings(4, "ku mu nya lah kah pun")),
            ..rules(
                Indonesian,
                "",
                "ada adalah aku akan anda apa atau bisa dalam dan dari dengan di dia ini itu jika juga kami kamu karena ke kita \
             lagi mereka pada saya sangat sebuah sedang sudah tidak untuk yang",
            )
        },
    ]
});

/// The small words of all languages, each with a bit for every language that has it, in the order of the languages.
static SMALL: LazyLock<FxHashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut small = FxHashMap::default();
    for (at, rules) in LANGUAGES.iter().enumerate() {
        rules.small.iter().for_each(|word| *small.entry(word).or_default() |= 1 << at);
    }
    small
});

/// How the words of a language change.
pub(super) fn rules_of(language: Language) -> Option<&'static Rules> {
    LANGUAGES.iter().find(|rules| rules.language == language)
}

/// Words of other scripts that hold sentences together.
static OTHER_SMALL_WORDS: WordList = WordList::new(
    "的 了 是 在 我 你 他 她 它 这 那 和 也 都 就 不 有 の は が を に で と も へ や か な だ です ます これ それ あれ \
     그 저 이 것 나 너 는 은 가 을 를",
);

/// Small words of other languages that are nouns or verbs of English, and so may be a topic.
static TELLING: WordList =
    WordList::new("ai ben bin con den die era fur hay hem man par plus pour sin son ten ton war");

/// Returns true if a piece only holds a sentence together.
pub(super) fn is_function_word(piece: &Piece) -> bool {
    let word = piece.text.as_str();
    // With a capital it may be a name: Bo, Will; and IT and US are none.
    if piece.is_upper {
        return false;
    }
    let may_be = |language: Language| match language {
        English => !(piece.is_capital && word == "will"),
        Russian => true,
        _ => !piece.is_capital,
    };
    !TELLING.contains(word)
        && LANGUAGES.iter().take(7).any(|rules| may_be(rules.language) && rules.small.contains(word))
        || OTHER_SMALL_WORDS.contains(word)
}

/// Returns true if a word holds sentences together in some language.
pub(super) fn is_small(word: &str) -> bool {
    SMALL.contains_key(word)
}

/// Returns true if a word holds sentences together in one of these languages.
pub(super) fn is_small_in(word: &str, languages: &[Language]) -> bool {
    LANGUAGES.iter().any(|rules| languages.contains(&rules.language) && rules.small.contains(word))
}

/// How much speaks for each language.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence([usize; COUNT]);

impl Evidence {
    /// Counts the small words and the letters of a text.
    pub fn of(text: &str, pieces: &[Piece]) -> Self {
        let mut counts = Self::default();
        for piece in pieces.iter().filter(|piece| piece.class == Class::Word) {
            // The English "I" and "'s" are small words of other languages too, which write them otherwise.
            let is_english = piece.text == "i" && piece.is_capital || piece.is_ending;
            let Some(has) = SMALL.get(piece.text.as_str()) else { continue };
            for (at, (rules, count)) in LANGUAGES.iter().zip(&mut counts.0).enumerate() {
                let is_its = has & (1 << at) != 0 && (rules.language == English || !is_english);
                *count += 2 * usize::from(is_its);
            }
        }
        for c in text.chars().filter(|c| !c.is_ascii()) {
            let c = c.to_lowercase().next().unwrap_or(c);
            counts.add(1, |rules| rules.letters.contains(c));
        }
        counts
    }

    fn add(&mut self, weight: usize, speaks_for: impl Fn(&Rules) -> bool) {
        for (rules, count) in LANGUAGES.iter().zip(&mut self.0) {
            *count += weight * usize::from(speaks_for(rules));
        }
    }

    /// Adds what another text tells.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }

    /// The languages for which most speaks.
    fn likely(&self) -> Vec<Language> {
        let most = self.0.iter().copied().max().unwrap_or(0);
        let is_likely = |(_, count): &(&Rules, &usize)| most > 0 && **count == most;
        LANGUAGES.iter().zip(&self.0).filter(is_likely).map(|(rules, _)| rules.language).collect()
    }

    /// The usual languages of a chat; none if too many are alike.
    fn usual(&self) -> Vec<Language> {
        const MOST_ALIKE: usize = 2;
        let likely = self.likely();
        match likely.len() {
            _ if likely.contains(&English) => vec![English],
            0..=MOST_ALIKE => likely,
            _ => Vec::new(),
        }
    }

    /// The languages that a text may be written in; what is known of the chat decides what the text leaves open.
    pub fn languages(&self, text: &str, chat: &Self) -> Vec<Language> {
        let likely = self.likely();
        if likely.is_empty() {
            let usual = chat.usual();
            return match usual.is_empty() {
                true if text.is_ascii() => vec![English],
                true => LATIN.to_vec(),
                false => usual,
            };
        }
        let weight = |language: &Language| {
            let known = LANGUAGES.iter().zip(&chat.0).find(|(rules, _)| rules.language == *language);
            known.map_or(0, |(_, count)| *count)
        };
        let most = likely.iter().map(weight).max().unwrap_or(0);
        if most == 0 && likely.contains(&English) {
            return vec![English];
        }
        // One small word and an accent may be a name, or of two languages; then the chat's language counts as well.
        let is_weak = self.0.iter().all(|count| *count <= 3);
        let usual = chat.usual().into_iter().filter(|language| is_weak && !likely.contains(language));
        let told = likely.iter().copied().filter(|language| weight(language) == most);
        told.chain(usual).collect()
    }
}
