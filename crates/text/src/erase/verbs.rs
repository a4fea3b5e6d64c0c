//! Whether a word is a form of a verb: fumar, fumo, fumaba; mentir, mienten; roken, gerookt; курить, курила.

use std::sync::LazyLock;

use super::inflection::{is_chain, is_dutch_plural};
use super::language::Language::{
    self, Czech, Dutch, French, German, Italian, Polish, Portuguese, Russian, Spanish, Swedish, Turkish,
};
use super::pieces::Piece;
use crate::word_list::WordList;

/// Fewest letters of the stem of a verb.
const SHORTEST: usize = 2;

/// How the verbs of a language change. All is folded.
struct Verbs {
    language: Language,
    /// Endings of the infinitive, the longest first, each with the endings that stand in its place; `-` stands for none.
    classes: Vec<(&'static str, WordList)>,
    /// Stems that change, each with what it changes to. They also stand at the end of a longer stem.
    stems: &'static str,
    /// Verbs with forms of their own. Not the other way round: "lit" is a bed as well.
    irregular: &'static str,
    /// Last letters of a stem that are written in another way before some endings.
    turns: &'static [(&'static str, &'static str)],
}

static VERBS: LazyLock<[Verbs; 8]> = LazyLock::new(|| {
    [
        Verbs {
            language: Spanish,
            classes: vec![
                (
                    "ar",
                    WordList::new(
                        "ar o as a amos ais an aba abas abamos abais aban e aste asteis aron are aras ara aremos areis aran aria arias \
                     ariamos ariais arian es emos eis en ando ado ada ados adas arme arte arse arnos arlo arla arle arlos arlas \
                     arles andome andote andose andolo andola",
                    ),
                ),
                (
                    "er",
                    WordList::new(
                        "er o os es e emos eis en ia ias iamos iais ian i iste io imos isteis ieron eron yo yeron ere eras era eremos ereis \
                     eran eria erias eriamos erian a as amos ais an iendo yendo ido ida idos idas erme erte erse ernos erlo erla \
                     erle erlos erlas erles iendose",
                    ),
                ),
                (
                    "ir",
                    WordList::new(
                        "ir o os es e imos is en ia ias iamos iais ian i iste io isteis ieron eron yo yeron ire iras ira iremos ireis iran \
                     iria irias iriamos irian a as amos ais an iendo yendo ido ida idos idas irme irte irse irnos irlo irla irle \
                     irlos irlas irles iendose",
                    ),
                ),
            ],
            stems: "jug jueg juegu|dorm duerm durm|mor muer mur muert|ment mient mint|sent sient sint|vert viert virt|ped pid|serv \
                sirv|segu sigu sig|vest vist|repet repit|eleg elig elij|her hier hir|perd pierd|pens piens|cerr cierr|empez \
                empiez empiec|comenz comienz comienc|quer quier quis querr|pod pued pud podr|cont cuent|encontr \
                encuentr|mostr muestr|record recuerd|acost acuest|prob prueb|vol vuel|volv vuelv vuelt|mov muev|dol duel|entend \
                entiend|defend defiend|encend enciend|hac hag hic hiz har hech|dec dig dij dir dich dic|ten teng tien tuv \
                tendr|ven veng vien vin vendr|pon pong pus pondr puest|sal salg saldr|tra traig traj|duc duj|sab sup sabr|ca \
                caig|escrib escrit|abr abiert|romp rot|cubr cubiert|llov lluev|nev niev|neg nieg niegu|reg rieg riegu|colg cuelg cuelgu|almorz almuerz almuerc|forz fuerz fuerc|torc \
                tuerc tuerz|apost apuest|cost cuest|son suen|sol suel|solt suelt|rod rued|renov renuev|despert despiert|confes \
                confies|gobern gobiern|apret apriet|tembl tiembl|sembr siembr|tropez tropiez tropiec|herv hierv hirv|arrepent arrepient \
                arrepint|prefer prefier prefir|suger sugier sugir|med mid|re ri|calent calient",
            irregular: "",
            turns: &[("c", "qu"), ("g", "gu"), ("z", "c"), ("g", "j"), ("c", "zc"), ("u", "uy")],
        },
        Verbs {
            language: French,
            classes: vec![
                (
                    "er",
                    WordList::new(
                        "er e es ons ez ent ais ait ions iez aient ai as a ames ates erent erai eras era erons erez eront erais \
                     erait erions eriez eraient ant ee ees",
                    ),
                ),
                (
                    "ir",
                    WordList::new(
                        "ir is it issons issez issent issais issait issions issaient i ie ies irent irai iras ira irons irez iront irais \
                     irait iraient issant ons ez ent ais ait ions iez aient ant",
                    ),
                ),
                (
                    "re",
                    WordList::new(
                        "re s - ons ez ent ais ait ions iez aient u ue us ues rai ras ra rons rez ront rais rait raient ant is it irent",
                    ),
                ),
            ],
            stems: "",
            irregular: "mentir mens ment|dormir dors dort|servir sers sert|sortir sors sort|partir pars part|sentir sens sent|boire \
             bois boit buvons buvez boivent buvais buvait buvaient bu bue boira boirai buvant|mourir meurs meurt meurent \
             mourait mort morte mourra|courir cours court courons courez courent courait couru|prendre pris prise prend \
             prends prenons prenez prennent prenait prenais|mettre mets met mis mise|lire lis lit lisons lisez lisent \
             lisait lisais lu lue|vivre vis vit vecu|suivre suis suit suivi suivie|croire crois croit croyons croyez \
             croient croyait cru|voir vois voit voyons voyez voient voyait voyais vu vue verra|ouvrir ouvre ouvres ouvrent \
             ouvert ouverte|offrir offre offres offrent offert offerte|souffrir souffre souffres souffrent souffert|venir \
             viens vient venons venez viennent venait venu venue viendra viendrai|tenir tiens tient tenons tenez tiennent \
             tenait tenu|naitre nais nait naissent nee naquit|connaitre connais connait connaissons connaissez connaissent \
             connaissait connu connue|dire dit dites disent disait dite|rire ris rit rions riez rient riait ri|battre bats \
             bat battu battue|vaincre vaincs vaincu|perdre perds perd perdu perdue|vendre vends vend vendu vendue|crire \
             cris crit crivons crivez crivent crivais crivait crite|duire duis duit duisons duisez duisent duisais duisait \
             duite|truire truis truit truisons truisez truisent truisait truite|cuire cuis cuit cuisons cuisent cuisait \
             cuite|indre ins int ignons ignez ignent ignais ignait inte|cevoir cois coit cevons cevez coivent cevais cevait \
             cu cue|couvrir couvre couvres couvrent couvert couverte|faire fais fait faisons faites font faisais faisait \
             faite fera ferai|aller vais vas va vont ira irai iras iront irait|devoir dois doit doivent devons devez devais \
             devait devra du due|pouvoir peux peut peuvent pouvons pouvez pouvais pouvait pu pourra|vouloir veux veut \
             veulent voulons voulez voulais voulait voulu voudrais|savoir sais sait savent savons savez savais savait su \
             saura|fuir fuis fuit fuyons fuient fuyait|soudre sous sout solvons solvez solvent solvait solu solue|plaire \
             plais plait plaisent plaisait plu",
            turns: &[("y", "i"), ("g", "ge"), ("l", "ll"), ("t", "tt")],
        },
        Verbs {
            language: Italian,
            classes: vec![
                (
                    "are",
                    WordList::new(
                        "are o i a iamo ate ano avo avi ava avamo avate avano ai asti ammo aste arono ero erai era eremo erete eranno \
                     erei erebbe ando ato ata ati armi arti arsi arlo arla arci",
                    ),
                ),
                (
                    "ere",
                    WordList::new(
                        "ere o i e iamo ete ono evo evi eva evamo evate evano ei esti emmo erono ero erai era eremo eranno erei \
                     erebbe a ano uto uta uti ute endo ermi erti ersi erlo erla",
                    ),
                ),
                (
                    "ire",
                    WordList::new(
                        "ire o i e iamo ite ono ivo ivi iva ivamo ivate ivano ii isti immo irono iro irai ira iremo iranno irei \
                     irebbe a ano ito ita iti endo isco isci isce iscono irmi irti irsi irlo irla",
                    ),
                ),
            ],
            stems: "scriv scritt scriss|legg lett less|perd pers|chied chiest chies|chiud chius|prend pres|mett mess mis|ved vist \
                vid|romp rott rupp|viv viss vissut|piang piant pians|decid decis|uccid uccis|rid ris|corr cors|vinc vint \
                vins|nasc nat nacqu|mor muoi muor mort|ven veng vien vein venn|apr apert|offr offert|soffr soffert|ten teng tien",
            irregular: "",
            turns: &[("c", "ch"), ("g", "gh"), ("i", ""), ("c", "ci")],
        },
        Verbs {
            language: Portuguese,
            classes: vec![
                (
                    "ar",
                    WordList::new(
                        "ar o as a amos ais am ava avas avamos avam ei aste ou aram arei aras ara aremos arao aria arias ariamos ariam \
                     e es emos em ando ado ada ados adas armos arem",
                    ),
                ),
                (
                    "er",
                    WordList::new(
                        "er o es e emos em ia ias iamos iam i este eu eram erei eras era eremos erao eria eriamos eriam a as amos am \
                     endo ido ida idos idas erem",
                    ),
                ),
                (
                    "ir",
                    WordList::new(
                        "ir o es e imos em ia ias iamos iam i iste iu iram irei iras ira iremos irao iria iriamos iriam a as amos am \
                     indo ido ida idos idas irem",
                    ),
                ),
            ],
            stems: "ped pec|dorm durm|ment mint|sent sint|serv sirv|segu sig|vest vist|perd perc|faz fac fiz far feit|diz dig diss \
                dir|escrev escrit|abr abert|morr mort|pod poss pud|sab soub|quer quis",
            irregular: "",
            turns: &[("c", "qu"), ("g", "gu"), ("g", "j")],
        },
        Verbs {
            language: Swedish,
            classes: vec![
                ("a", WordList::new("a er ar r te de ade t at d ad ta da na nde ande tt")),
                ("e", WordList::new("e er ede te et t de")),
            ],
            stems: "",
            irregular: "",
            turns: &[],
        },
        Verbs {
            language: Polish,
            classes: vec![
                (
                    "owac",
                    WordList::new(
                        "owac uje ujesz ujemy ujecie uja owal owala owali owalo owaly owalem owalam owany owana owane",
                    ),
                ),
                (
                    "ac",
                    WordList::new(
                        "ac am asz a amy acie aja al ala ali alo aly alem alam alismy any ana ane je jesz jemy ja",
                    ),
                ),
                (
                    "ic",
                    WordList::new(
                        "ic e isz i imy icie a il ila ili ilo ily ilem ilam ilismy ony ona one eni",
                    ),
                ),
                (
                    "yc",
                    WordList::new(
                        "yc e ysz y ymy ycie a yl yla yli ylo yly ylem ylam yje yjesz yja ony ona one",
                    ),
                ),
                ("ec", WordList::new("ec e eje ejesz eja al ala eli alem alam i isz a")),
            ],
            stems: "",
            irregular: "",
            turns: &[("s", "sz"), ("st", "szcz")],
        },
        Verbs {
            language: Czech,
            classes: vec![
                (
                    "ovat",
                    WordList::new("ovat uji uju ujes uje ujeme ujete uji oval ovala ovali ovalo ovany ovana"),
                ),
                ("at", WordList::new("at am as a ame ate aji al ala ali alo aly an ana ani")),
                ("it", WordList::new("it im is i ime ite il ila ili ilo ily en ena eni")),
                ("et", WordList::new("et im is i ime ite eji el ela eli elo en ena")),
            ],
            stems: "",
            irregular: "",
            turns: &[],
        },
        Verbs {
            language: Russian,
            classes: vec![
                (
                    "овать",
                    WordList::new("овать ую уешь ует уем уете уют овал овала овали овало ован ована ованы"),
                ),
                ("евать", WordList::new("евать ую юю уешь ует уем уют евал евала евали")),
                ("увати", WordList::new("увати ую уєш ує уємо уєте ують ував увала ували")),
                (
                    "ать",
                    WordList::new(
                        "ать аю аешь ает аем аете ают ал ала али ало ан ана аны ай айте у ешь ет ем ут ю ют ит ат ишь",
                    ),
                ),
                (
                    "ять",
                    WordList::new(
                        "ять яю яешь яет яем яете яют ял яла яли яло ян яна яны ю ешь ет ем ют ит ят ишь",
                    ),
                ),
                (
                    "ить",
                    WordList::new(
                        "ить ю у ишь ит им ите ят ат ил ила или ило ив ен ена ены и енный енная енные",
                    ),
                ),
                ("еть", WordList::new("еть ею еешь еет еем еете еют ел ела ели ело ю у ишь ит им ят")),
                ("нуть", WordList::new("нуть ну нешь нет нем нут нул нула нули нуло ну")),
                ("ати", WordList::new("ати аю аєш ає аємо аєте ають ав ала али ало у еш е емо уть")),
                ("ити", WordList::new("ити ю у иш ить имо ите ять ать ив ила или ило")),
                ("іти", WordList::new("іти ію ієш іє іють ів іла іли")),
            ],
            stems: "",
            irregular: "",
            turns: &[
                ("б", "бл"),
                ("в", "вл"),
                ("п", "пл"),
                ("м", "мл"),
                ("ст", "щ"),
                ("с", "ш"),
                ("з", "ж"),
                ("д", "ж"),
                ("т", "ч"),
                ("к", "ч"),
            ],
        },
    ]
});

/// Returns true if a word of a text is a form of the verb of which the infinitive is looked for.
pub(super) fn is_form(language: Language, of: &str, word: &str) -> bool {
    match language {
        German => is_german_participle(of, word),
        Dutch => is_dutch(of, word),
        Turkish => is_turkish(of, word),
        _ => VERBS.iter().filter(|verbs| verbs.language == language).any(|verbs| is_form_of(verbs, of, word)),
    }
}

fn is_form_of(verbs: &Verbs, of: &str, word: &str) -> bool {
    // No form begins with another letter, and most words do.
    if of.chars().next() != word.chars().next() {
        return false;
    }
    // Divorciarse, sposarsi, мыться.
    let italian = of.strip_suffix("rsi").map(|stem| format!("{stem}re"));
    let of =
        [of.strip_suffix("se").filter(|verb| verb.ends_with('r')), italian.as_deref(), of.strip_suffix("ся")]
            .into_iter()
            .flatten()
            .next()
            .unwrap_or(of);
    let word = match verbs.language {
        Russian => word.strip_suffix("ся").or_else(|| word.strip_suffix("сь")).unwrap_or(word),
        _ => word,
    };
    let is_irregular = |family: &str| {
        let mut forms = family.split_whitespace();
        let prefix = forms.next().and_then(|first| of.strip_suffix(first));
        let rest = prefix.and_then(|prefix| word.strip_prefix(prefix));
        rest.is_some_and(|rest| forms.any(|form| form == rest || rest.strip_suffix('s') == Some(form)))
    };
    if !verbs.irregular.is_empty() && verbs.irregular.split('|').any(is_irregular) {
        return true;
    }
    let class = verbs.classes.iter().find_map(|(ending, endings)| Some((of.strip_suffix(ending)?, endings)));
    let Some((stem, endings)) = class.filter(|(stem, _)| stem.chars().count() >= SHORTEST) else {
        return false;
    };
    let ends = |rest: &str| endings.contains(if rest.is_empty() { "-" } else { rest });
    let with = |start: &str, end: &str| {
        word.strip_prefix(start).and_then(|rest| rest.strip_prefix(end)).is_some_and(ends)
    };
    let changed = |family: &str| {
        let mut stems = family.split_whitespace();
        let start = stems.next().and_then(|first| stem.strip_suffix(first));
        start.is_some_and(|start| stems.any(|other| with(start, other)))
    };
    with(stem, "")
        || verbs.turns.iter().any(|(from, to)| stem.strip_suffix(from).is_some_and(|start| with(start, to)))
        || !verbs.stems.is_empty() && verbs.stems.split('|').any(changed)
}

/// Rauchen, geraucht; wandern, gewandert. The other forms have the endings of every word.
fn is_german_participle(of: &str, word: &str) -> bool {
    let stem = of.strip_suffix("en").or_else(|| of.strip_suffix('n'));
    let rest =
        word.strip_prefix("ge").and_then(|rest| rest.strip_prefix(stem.filter(|stem| stem.len() > 2)?));
    matches!(rest, Some("t" | "et"))
}

/// Roken, rookt, rookte, gerookt: the stem is spelled as a singular.
fn is_dutch(of: &str, word: &str) -> bool {
    if !of.ends_with("en") {
        return false;
    }
    let is_stem =
        |stem: &str| is_dutch_plural(stem, of) || of.strip_suffix("en") == Some(stem) && stem.len() > 3;
    let ends = |word: &str, endings: &[&str]| {
        endings.iter().any(|ending| word.strip_suffix(ending).is_some_and(is_stem))
    };
    ends(word, &["t", "te", "ten", "d", "de", "den", "end", "ende"])
        || word.strip_prefix("ge").is_some_and(|rest| ends(rest, &["t", "d", "te", "de"]))
}

/// İçmek, içiyorum, içtim, içmiş.
fn is_turkish(of: &str, word: &str) -> bool {
    static TENSES: WordList = WordList::new(
        "di ti du tu iyor uyor yor mis mus acak ecek acag eceg ar er ir ur mez maz me ma mi mu ip up se sa ken",
    );
    static PERSONS: WordList = WordList::new(
        "m n k im um in un sin sun iz uz iniz siniz sunuz lar ler di ti du tu yor mis mus yi ye ya",
    );
    let stem = of.strip_suffix("mak").or_else(|| of.strip_suffix("mek"));
    let rest = stem.filter(|stem| stem.len() >= SHORTEST).and_then(|stem| word.strip_prefix(stem));
    rest.is_some_and(|rest| {
        let persons = |tense: &str| rest.strip_prefix(tense).is_some_and(|rest| is_chain(rest, &PERSONS, 2));
        TENSES.iter().any(persons)
    })
}

/// Returns true if what looks like a form of a verb is a noun, because an article stands before it that is no
/// pronoun: "el jugo", "la fumée", but "je la fume".
pub(super) fn is_noun(of: &Piece, word: &Piece, before: [Option<&Piece>; 2]) -> bool {
    static ARTICLES: WordList = WordList::new(
        "el la los las lo un una le les une il gli o os as um uma de het een mi mis su sus ma mon mes ta ton son ses mio mia meu \
         minha mijn zijn haar",
    );
    static SUBJECTS: WordList = WordList::new(
        "je tu il elle on nous vous ils elles ne yo no me te se nos ya si non mi ti ci vi eu ele ela nao que qui ik je hij ze we",
    );
    let may_be_verb = ["ar", "er", "ir", "re", "se", "en"].iter().any(|ending| of.text.ends_with(ending));
    let [article, subject] = before;
    !of.is_capital
        && may_be_verb
        && of.text != word.text
        && word.len() <= of.len()
        // Verbs, and the plurals of attore and katten.
        && !["n", "t", "u", "io", "i"].iter().any(|ending| word.text.ends_with(ending))
        && !is_dutch_plural(&word.text, &of.text)
        && article.is_some_and(|article| ARTICLES.contains(&article.text))
        && !subject.is_some_and(|subject| SUBJECTS.contains(&subject.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j2_an_infinitive_meets_its_forms_and_other_words_do_not() {
        for (language, of, word, expected) in [
            (Spanish, "mentir", "mintio", true),
            (Spanish, "jugar", "juego", true),
            (Spanish, "divorciarse", "divorcie", true),
            (Spanish, "fumar", "humo", false),
            (Spanish, "casar", "cascara", false),
            (French, "fumer", "fumait", true),
            (French, "promettre", "promis", true),
            (French, "lit", "lisait", false),
            (Italian, "mentire", "mento", true),
            (Italian, "sposarsi", "sposati", true),
            (Portuguese, "despedir", "despediu", true),
            (Dutch, "roken", "gerookt", true),
            (Dutch, "roken", "rokt", false),
            (German, "rauchen", "geraucht", true),
            (German, "rauchen", "gebraucht", false),
            (Swedish, "roka", "rokte", true),
            (Polish, "palic", "palil", true),
            (Czech, "kourit", "kourim", true),
            (Russian, "курить", "курила", true),
            (Russian, "любить", "люблю", true),
            (Russian, "курить", "курица", false),
            (Turkish, "icmek", "iciyorum", true),
            (Turkish, "icmek", "icin", false),
        ] {
            assert_eq!(is_form(language, of, word), expected, "{of} and {word}");
        }
    }
}
