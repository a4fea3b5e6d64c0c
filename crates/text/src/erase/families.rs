//! Words that belong together though no rule of endings says so: irregular forms, short forms of names, abbreviations.

use super::english::lemmas;
use super::language::Language::{self, Czech, English, French, German, Polish, Russian};
use crate::word_list::WordList;

/// Irregular forms of English and a few other languages, one family for each mark. In German, the stems of strong verbs.
const IRREGULAR: [(Language, &str); 6] = [
    (
        English,
        "lay laid|prove proven|shave shaven|string strung|slay slew slain|arise arose|beat beaten|smell smelt|spell spelt|spill \
         spilt|spoil spoilt|spit spat|leap leapt|plead pled|fling flung|undergo underwent|undo undid undone|misunderstand \
         misunderstood|mislead misled|sew sewn|be was were been|become became|begin began begun|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke \
         broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung|come \
         came|creep crept|deal dealt|dig dug|do did done|draw drew drawn|dream dreamt|drink drank drunk|drive drove \
         driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid \
         forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave \
         given|go went gone|grow grew grown|hang hung|have had|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know \
         knew known|lead led|learn learnt|leave left|lend lent|lie lay lain|light lit|lose lost|make made|mean meant|meet \
         met|mistake mistook mistaken|overcome overcame|pay paid|quit quit|ride rode ridden|ring rang rung|rise rose \
         risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show \
         shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|speed \
         sped|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck \
         stricken|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell \
         told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|weep wept|win won|wind \
         wound|withdraw withdrew withdrawn|write wrote written|\
         man men|woman women|child children|person people|foot feet|tooth teeth|goose geese|mouse mice|louse lice|ox \
         oxen|penny pence|cactus cacti|crisis crises|diagnosis diagnoses|analysis analyses|thesis \
         theses|prognosis prognoses|metastasis metastases|vertebra vertebrae|bacterium bacteria|criterion criteria|\
         jewellery jewelry|grey gray|pyjamas pajamas|aluminium aluminum|plough plow|moustache mustache|sceptical skeptical",
    ),
    (
        German,
        "beiss biss gebissen|betrueg betrog betrogen|betrug betrog betrogen|bieg bog gebogen|bind band gebunden|bitt bat \
         gebeten|bleib blieb geblieben|brech brich brach gebrochen|brenn brannt gebrannt|bring bracht gebracht|denk dacht \
         gedacht|ess iss ass gegessen|fahr fahrt fuhr gefahren|fall fiel gefallen|fang fing gefangen|find fand gefunden|flieg \
         flog geflogen|flieh floh geflohen|geb gib gab gegeben|geh ging gegangen|gewinn gewann gewonnen|helf hilf half \
         geholfen|kenn kannt gekannt|komm kam gekommen|lass liess gelassen|lauf lief gelaufen|leid litt gelitten|les lies las \
         gelesen|lieg lag gelegen|lueg log gelogen|lug log gelogen|nehm nimm nimmt nahm genommen|nenn nannt genannt|reiss riss \
         gerissen|reit ritt geritten|renn rannt gerannt|ruf rief gerufen|schlaf schlief geschlafen|schlag schlug \
         geschlagen|schliess schloss geschlossen|schneid schnitt geschnitten|schreib schrieb geschrieben|schrei schrie \
         geschrien|schweig schwieg geschwiegen|schwimm schwamm geschwommen|seh sieh sah gesehen|sing sang gesungen|sink sank \
         gesunken|sitz sass gesessen|sprech sprich sprach gesprochen|spring sprang gesprungen|stehl stiehl stahl gestohlen|steh \
         stand gestanden|steig stieg gestiegen|sterb stirb starb gestorben|streit stritt gestritten|trag trug getragen|treff \
         triff traf getroffen|treib trieb getrieben|trink trank getrunken|tu tat getan|vergess vergiss vergass \
         vergessen|verlier verlor verloren|wachs wuchs gewachsen|wasch wusch gewaschen|weiss wuss gewusst|werf wirf warf \
         geworfen|zieh zog gezogen|zwing zwang gezwungen",
    ),
    (
        Polish,
        "dzien dnia dniu dniem dni dniom dniach|tydzien tygodnia tygodniu tygodniem tygodnie tygodni|ojciec ojca ojcu ojcem \
         ojcowie ojcow|przyjaciel przyjaciela przyjaciele przyjaciol przyjaciolom|oko oka oczy oczu oczami|ucho ucha uszy uszu|pies psa psu psem psie psy psow psom psami psach|dziecko dziecka dzieckiem dzieci dzieciom dziecmi|czlowiek czlowieka \
         czlowiekiem ludzie ludzi ludziom ludzmi|brat brata bratem bracia braci|reka reki rece rek rak rekami",
    ),
    (
        Czech,
        "den dne dni dnu dnem dny dnech|otec otce otci otcem otcove|dum domu domem domy domech|ruka ruky ruce rukou rukama|oko oka \
         oci ocima|ucho ucha usi usima|pritel pritele pratele pratel|pes psa psovi psem psi psy psu psum psech|dite ditete ditetem deti detem detmi|clovek cloveka lide lidi lidem lidmi",
    ),
    (
        French,
        "oeil yeux|oil yeux|ciel cieux|monsieur messieurs|madame mesdames|mademoiselle mesdemoiselles|vieux vieil vieille vieilles|beau bel belle belles|nouveau nouvel \
         nouvelle nouvelles|fou folle|doux douce|faux fausse|roux rousse|blanc blanche|sec seche|frais fraiche|public publique|veuf \
         veuve|gros grosse|gentil gentille|premier premiere|dernier derniere|cher chere",
    ),
    (
        Russian,
        "день дня дню днем дне дни дней дням днями днях|время времени временем времена|имя имени именем имена имен|любовь любви \
         любовью|ложь лжи ложью|церковь церкви церковью|рот рта рту ртом рте|лоб лба лбу лбом лбе|сон сна сну сном сне сны снов|пес пса псу \
         псом псе псы псов|лев льва льву львом львы львов|лед льда льду льдом|друг друга другу другом друге друзья друзей друзьям \
         друзьями|брат брата брату братом брате братья братьев братьям|сын сына сыну сыном сыновья сыновей сыновьям|муж мужа мужу мужем \
         мужья мужей|человек люди людей людям людьми людях|мать матери матерью матерей матерям матерями матерях|дочь дочери дочерью дочерей дочерям дочерями дочерях|ребенок ребенка ребенку ребенком ребенке дети детей детям детьми детях|деньги денег деньгам деньгами деньгах",
    ),
];

/// Given names with their short forms. They stand for each other only beside the same family name.
const SHORT_NAMES: &str = "robert rob robbie bob bobby bert|william will bill billy willy|elizabeth elisabeth liz lizzie beth betty \
    eliza libby|james jim jimmy jamie|john johnny jack|joseph joe joey|michael mike mick mickey|richard rick rich dick \
    ricky|thomas tom tommy|charles charlie chuck|edward ed eddie ted ned|anthony tony|daniel dan danny|david dave davy|steven \
    stephen steve|christopher chris kit|matthew matt|andrew andy drew|nicholas nick nicky|benjamin ben benny|samuel sam \
    sammy|alexander alex sandy|alexandra alex sandra|katherine catherine kathryn kate katie kathy cathy|margaret maggie peggy \
    meg marge|jennifer jen jenny|jessica jess jessie|rebecca becky becca|susan sue susie|deborah deb debbie|patricia pat patty \
    tricia|patrick pat paddy|victoria vicky tori|barbara barb babs|timothy tim|gregory greg|jeffrey jeff|kenneth ken \
    kenny|lawrence larry|leonard leo len lenny|ronald ron ronnie|donald don donny|raymond ray|philip phil|peter pete|theodore \
    theo ted|frederick fred freddy|gerald jerry gerry|jonathan jon|joshua josh|nathaniel nathan nate|zachary zach zack|abigail \
    abby|amanda mandy|angela angie|christina christine chris tina chrissy|cynthia cindy|dorothy dot dottie|florence flo|jacqueline \
    jackie|josephine jo josie|judith judy|kimberly kim|pamela pam|samantha sam|stephanie steph|theresa terry tess|valerie val|\
    johannes hannes hans|friedrich fritz|heinrich heinz|maximilian max|sebastian basti|katharina kathi|franziska \
    franzi|susanne susi|\
    francisco paco pancho|jose pepe|manuel manolo|ignacio nacho|dolores lola|guadalupe lupe|rosario charo|concepcion concha|\
    giuseppe beppe peppe|luigi gigi|francesca franca|stanislaw staszek|malgorzata gosia|katarzyna kasia|krzysztof krzysiek|\
    александр саша шура|александра саша шура|алексей леша алеша|анастасия настя|анна аня|владимир вова володя|дмитрий дима|евгений \
    женя|евгения женя|екатерина катя|елена лена|иван ваня|ирина ира|константин костя|людмила люда|мария маша|михаил миша|наталья \
    наташа|николай коля|ольга оля|павел паша|петр петя|светлана света|сергей сережа|татьяна таня|юлия юля";

/// Words of addresses and titles with their usual abbreviations.
const SHORTENED: &str = "street st|avenue ave av|road rd|boulevard blvd bd|square sq|lane ln|drive dr|apartment apt|saint st|doctor \
    doktor docteur dottor dottore doutor доктор dr|professor profesor professore professeur профессор prof|mount mt|fort ft|north n|south s|east e|west w|highway hwy|parkway pkwy|junior jr|senior sr|department dept|university univ|улица ул улице улицу улицы|ulica ul ulicy ulice|avenida av avda|platz pl|place pl|calle c";

fn families(list: &str) -> impl Iterator<Item = impl Iterator<Item = &str> + Clone> {
    list.split('|').map(str::split_whitespace)
}

/// The other words of every family that has this one.
fn others(list: &str, is_word: impl Fn(&str) -> bool) -> Vec<&str> {
    let has_it = families(list).filter(|family| family.clone().any(&is_word));
    has_it.flatten().filter(|word| !is_word(word)).collect()
}

/// Pasts of verbs that are nouns of their own: who wants a rose forgotten does not mean what rises.
static ALSO_NOUNS: WordList =
    WordList::new("rose wound saw bit shot thought spoke dove ground lent left felt");

/// The irregular forms of a word by language.
pub(super) fn irregular(word: &str) -> Vec<(Language, &'static str)> {
    if ALSO_NOUNS.contains(word) {
        return Vec::new();
    }
    let lemmas = lemmas(word);
    let of = |(language, list): (Language, &'static str)| {
        let is_word = |other: &str| match language {
            English => lemmas.iter().any(|lemma| lemma == other),
            German => other == word || verb_stem(word).is_some_and(|stem| stem == other),
            _ => other == word,
        };
        others(list, is_word).into_iter().map(move |other| (language, other)).collect::<Vec<_>>()
    };
    IRREGULAR.into_iter().flat_map(of).collect()
}

/// Returns true if an English word is the irregular past of a verb.
pub(super) fn is_past(word: &str) -> bool {
    let [(_, english), ..] = IRREGULAR;
    families(english).any(|family| family.skip(1).any(|past| past == word))
}

/// A German verb without its ending.
fn verb_stem(word: &str) -> Option<&str> {
    ["en", "st", "e", "t", "n"].iter().find_map(|ending| word.strip_suffix(ending))
}

/// The given names that this one is short for, and its short forms.
pub(super) fn short_names(word: &str) -> Vec<&'static str> {
    others(SHORT_NAMES, |other| other == word)
}

/// The usual abbreviations of a word, or what it abbreviates.
pub(super) fn abbreviations(word: &str) -> Vec<&'static str> {
    others(SHORTENED, |other| other == word)
}

/// Returns true if a word is an abbreviation, so that a dot after it ends no sentence.
pub(super) fn is_abbreviation(word: &str) -> bool {
    word.ends_with("str")
        || matches!(word, "no" | "nr" | "num" | "д" | "vs")
        || families(SHORTENED).any(|family| family.skip(1).any(|short| short == word && short.len() < 5))
}
