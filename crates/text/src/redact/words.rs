//! The words that people and programs put where a secret could stand.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::phrases::Phrases;
use super::reading::{strip_prefix, strip_word};
use crate::word_list::WordList;

/// Said of a password, not as one. Words on `-ed`, `-ing`, `-able` and the like need not be listed.
const REMARKS: &str = "
argument arguments async digest await field fields flag flags option options parameter parameters typeof
a about above absent accepted active added again against all allowed almost already also always an and another any anyone
anything are around as ask at auto available away back bad be because been before behind being below best better between
big blank bool boolean both broken but by bytes can cannot case char characters check choose chosen clear click common
complex complicated confirm copied correct could create current default different difficult digits do does done due each
easy either else empty enough enter entirely error even every everything exactly false fine first for forget forgot
forgotten found free from full function generate given go gone good great guess had handled hard has have he her here
hidden his how however i if immutable important in incorrect input insecure inside int integer into invalid is issue it
its just keep kept known last later least left legit length less let letters like limit list long longer lost made
mandatory many may maybe me mention might mine minimum missing more most much must my name nearly necessary need needs
never new next nil no none not nothing now null number object of off ok okay old on once one only onto optional or
other others our ours out outdated over part password passwords perfect please poor post pretty private probably public
put quite random rather read ready really remember right rules safe same saw say says secure see self sent separate
set shall she short shorter should show shown simple since so some someone something somewhere soon still stolen stop str
string strong stronger stuck such super sure tba tbd terrible text than that the their them then there these they this
those through time to todo together token too true try type unclear under undefined unique unknown unless unsafe unset
until up upon us use user useful username using valid value var varchar very via void wait was we weak weaker well were
what whatever when where which while who whole whose why will with within without word worse worst would write written
wrong yes yet you your yours
afterwards ago annoying anymore anyway asap attached bit boring changed changes cool crap dead dumb elsewhere everywhere
expired fixed forever funny garbage gibberish goes hacked happens helps identical instead kinda late lately leaks legal
long-winded looks matters meaningless monday friday obvious overdue plain pending personal reset restricted ridiculous
secret seems silly similar sorry sort stale standard stupid sucks today tomorrow tonight tough tricky twice ugly unchanged
updated useless visible weird works yesterday
across along alphabetical alphanumeric amazing ancient anywhere apart aside automatic awesome awful brand-new clever crazy
critical crucial cute down dynamic essential external fake final forward fresh generic global gross horrible huge internal
lame lengthy local manual messy modern neat nowhere numeric nuts obsolete odd official original outside permanent pointless
real rubbish sensitive shared shit sloppy smart solid special specific static sufficient temporary tiny together trash
trivial typical unusual vital wild alright almost below underneath attached ready work wait
pflicht mist blödsinn standard quatsch egal weiterhin quatsch
abgelaufen aber alt auch auf bei beim bekannt besser da dann das dasselbe dein den der des dieselbe die dir doch ein eine
einfach er erforderlich es etwas falsch für gleich gesperrt gut habe hat hier ich ihr im immer ist jetzt kaputt kein
keine klar kurz lang leer leider mein mehr mir mit nach neu nicht nichts noch notwendig nur ob oder ok richtig schlecht
schon schwach sehr sein sicher sie so stark steht stimmt tot über unbekannt und unklar unter unsicher ungültig unser
vergessen verloren viel von vor war was weg
muss musste müssen wurde wurden worden wird werden sollte sollten soll kann könnte konnte hatte haben habt sind darf hängt klebt liegt weil wenn wie wird wo wohl zu zum zur
a ai aussi au aux avec bon c'est ce cette changé comme correct court dans de des différent déjà du elle en encore est et
expiré facile faible faux fort il identique ici inconnu incorrect invalide je la le les leur long mais mauvais même moi mon
ne nos notre nouveau nul obligatoire on ou oublié par pas perdu plus pour pourri privé quel qui quoi requis sa sauf secret
simple son sous sur sûr ta ton toujours tout trop très un une vide votre vrai
ahora al algo antes aquí así bien caducada caducado como con correcta correcto corta corto cual cuál de del demasiado
diferente difícil distinta débil el ella en era es esa ese esta este está falsa fuerte fácil gracias igual incorrecta
incorrecto inválida la larga largo las le lo los mala malo mi mis misma mismo muy más necesaria no nueva nuestra obligatoria
obligatorio olvidé otra otro para perdida pero por porque que qué requerida requerido se secreta segura seguro ser si sin
siempre sobre su sí también tan todo tu un una vacía válida ya
adesso al alla anche ancora breve che chi ci come con corretta corretto corta cosa da debole dei del della di dimenticata
diversa dove e errata errato facile falsa forte già giusta gli ho il in la le lo lunga ma mia migliore mio molto nella non
nota nuova obbligatoria ora per perché più poi qua quale quella qui sbagliata sbagliato scaduta scaduto segreta semplice
sempre si sicura solo stessa sua su sul tua troppo tutto un una uguale uno vecchia vuota è
agora ainda algo aqui assim bem boa certa com como correta curta da das dela dele depois diferente difícil do dos e ela ele
em errada errado esqueci esquecida essa esse esta está eu expirada expirou fraca forte fácil grande igual incorreta
inválida inválido isso já longa mais mas me mesma meu minha muito na nas necessária nem no nos nossa nova não o obrigatória
obrigatório ok os ou para pela perdida por porque quando que quem ruim se secreta segura sem sempre senha ser seu simples
sua também tão tudo um uma vazia válida você à é
al alleen als anders bij dan dat de deze die dit een eigen en er fout geen geldig gewijzigd goed heeft heel het hier
hij ik in is je jij jouw juist kort kwijt lang leeg makkelijk meer mijn moet na niet nieuw nodig nog nu of om onbekend
onjuist onveilig ook op oud over sterk te tot uit van veel veilig verkeerd verlopen vergeten voor vreemd waar wat weg wel
weer zijn zo zwak
ale bardzo bez był błędne było ci co czy dla dobre długie do drugi gdzie go i ich inne ja jak jakie jest już każdy krótkie
która które lub ma mi mnie mocne moje moja musi na nie niego nieprawidłowe nieznane nowe od on ona o po pod potem prawidłowe
jakaś jakiś jakieś przez puste słabe sobie stare ta tajne tak takie takie-same tam te tego teraz to trudne tu tutaj twoje ty tylko tym w wam
wasze we wygasło z za zapomniane zbyt ze zmienione złe
а без был была было быть в вам вас весь во вот все всегда всё где да дай дать для до другой его ещё еще есть же за и из или им
их к как какой кто легкий лучше меня мне много мой можно моя мы на над надо нам нас не него неверный неверно неправильный нет
ни них новый но нужен нужно о об один он она они от очень по под подошел после потом правильный при простой с сам сейчас
слабый сложный слишком снова со старый так такой там твой тебе тебя тогда тоже только тот тут ты у уже утерян чем что чтобы
это этот я
ama ancak artık bana ben bir bize bu burada böyle da daha de değil değişti diye doğru en eski gibi gizli güçlü güvenli ha
hangi hatalı hep için ile ise kadar ki kim kısa lazım mi mı mu mü ne neden nedir nerede o olarak oldu olmalı onu sana sen
sonra su süresi tamam tekrar unuttum uzun var ve veya vermi ya yanlış yeni yine yok zayıf zor çok çünkü önce şey şimdi şu
";

/// The words for right and wrong, short and long, and for counts, in languages that have no list above.
const MORE_REMARKS: &str = "
though taken held bound built drawn thrown driven spoken worn torn meant caught bought brought dealt hung half
asking making taking looking working checking breaking locking speaking confidential
müsste müssten sollte sollten dürfte könnte stimmen fehlen passen reichen geheimsache geheimnis tajemnica tajemnicą sekret podstawa
normal newer older irrelevant relevant slow slower fast faster average expectations itself expire expires vom beim im am ins myself himself herself yourself whichever
doit peut va été fut faut debe puede fue ha tiene deve può fu pode tem foi musi może został zostało będzie должен может будет
worth factory defaults taped glued lowercase uppercase capitalized ascii safer stronger easier harder simpler overkill
mindestens höchstens zeichen ziffern buchstaben caractères chiffres caracteres dígitos cifras caratteri cifre tekens cijfers
znaków cyfr символов цифр karakter hane
fel rätt kort lång samma ny gammal inte fortfarande för lätt svårt
forkert rigtig rigtigt lang samme gammel ikke stadig for let svær udløbet utløpt feil riktig gyldig ugyldig
väärä oikea lyhyt pitkä sama uusi vanha ei vielä liian vanhentunut
špatné správné krátké dlouhé stejné nové staré není příliš prošlé neplatné
greșită gresita corectă corecta scurtă lungă aceeași nouă veche nu prea expirată
hibás helyes rövid hosszú ugyanaz új régi nem túl lejárt
λάθος σωστός σωστό ίδιος ίδιο μικρός μεγάλος νέος παλιός δεν πολύ
خاطئة صحيحة قصيرة طويلة نفسها جديدة قديمة ليست
שגויה נכונה קצרה ארוכה אותה חדשה ישנה לא
salah benar sama baru lama pendek panjang tidak terlalu sai đúng mới cũ ngắn dài không quá
";

/// What makes a remark stronger or weaker, by language as above.
const DEGREES: &str = "
absolutely barely completely fairly fully hardly highly kinda nearly pretty quite rather really somewhat sorta totally utterly
echt total ziemlich wirklich völlig bisschen leicht schwer gerade nirgends überall
vraiment plutôt assez totalement peu presque partout nulle
bastante realmente demasiado poco casi totalmente
davvero proprio assai abbastanza poco quasi veramente
realmente bem bastante pouco quase totalmente
best erg vrij behoorlijk helemaal bijna
naprawdę całkiem dość prawie
действительно довольно почти совсем просто
gerçekten oldukça biraz neredeyse
";

static REMARK_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [REMARKS, MORE_REMARKS, DEGREES].iter().flat_map(|list| list.split_whitespace()).collect()
});

const REMARK_ENDINGS: &[&str] = &["ed", "ing", "able", "ible", "less", "ous", "ive"];

/// How nouns end that look like remarks: "tumbleweed", "featherbed", "beehive", "gosling".
static NOUN_ENDINGS: WordList = WordList::new(
    "eed bed seed hive ling wing ring king string table pudding wedding lightning evening morning awning building painting olive drive hundred motive",
);

/// Nouns that end as participles do in other languages: "mariposa", "couchpotato".
static NOUNS: WordList = WordList::new(
    "potato tomato sonata mimosa piñata gelato limonata frittata insalata mariposa limonada empanada ensalada granada almohada \
     cascada espada helado soldado pescado dorado goiabada feijoada cocada marmelada",
);

/// How single words about a password end in other languages, by language.
static FOREIGN_ENDINGS: Phrases = Phrases::new("ending");

/// What follows "password" and the like as the second half of a noun, or says what happens to it.
static TOPICS: WordList = WordList::new(
    "choice choices situation journal cheat folder folders document documents drama debacle mess fiasco nightmare \
     account activity age app application attack attacks audit auth authentication backup bar book box breach \
     breaches button card change changer changes checker checkers combo complexity confirmation cracker crackers \
     crack credentials criteria database db dialog digest dump dumps email emails encryption enforcement entropy \
     entry expert expiration expiry export fatigue feature features field fields file files form format forms game \
     gate generation generator generators guess guesses guidance guideline guidelines habits hash hasher hashes \
     health help helper hint hints history holder holders hygiene icon idea ideas info input inputs issue issues \
     keeper lab label leak leaks length letter level library link links list lists lockout login logic logins loss \
     mail maker management manager managers mask memory menu message meter mode module monitor name names notebook \
     notes notice number nag option options page pages panel paper parameter part parts pattern patterns phase \
     phishing place plugin policies policy pop-up popup portal post practices problem problems process program \
     project prompt prompts property protection protocol provider purposes question questions quality reader \
     recovery reminder reminders remover request requests requirement requirements research reset resets \
     restriction retry reuse rotation rotations rule rules safe safety salt scheme schemes screen screens search \
     section security service script scripts setting settings setup share sharing sheet shop site sites size software spray \
     stealer sticker storage store stores strategy strength stuff support sync system systems tab table team text \
     theft thief thing things tip tips tool tools training trick tricks type types update updates usage user users \
     validation validator value values vault vaults verification verifier version view voucher vulnerability \
     warning website week window wizard words world arrives asks breaks came comes disappeared doesn't didn't \
     don't isn't wasn't won't can't fails failed keeps looked means must needs never-expires please prompts \
     protects remains says should stays still thanks there tells uses wants manager-app again either both feld \
     felder hash manager richtlinie richtlinien abfrage eingabe ändern vergessen zurücksetzen eingeben merken \
     speichern oublié perdu incorrect maître wifi olvidada incorrecta nueva maestra dimenticata errata esquecida \
     errada mestra vergeten kwijt wijzigen zapomniane główne забыт забыли неверный подходит не подошёл unuttum \
     değiştir sıfırla yanlış",
);

/// Talk about a secret rather than the telling of it: "I forgot …", "which …", "do you need …".
static TALK: WordList = WordList::new(
    "forgot forget forgotten forgetting lost lose need needs want wants know knows knew how what what's whats \
     which where why who when don't doesn't didn't can't cannot isn't reset resetting request requested ask asked \
     asking guess guessed no any every each another wrong correct invalid incorrect strong stronger weak bad good \
     better best common vergessen vergaß welches welche wie wo brauche neues oublié perdu quel quelle besoin \
     nouveau olvidé perdí cuál cual necesito dimenticato perso quale serve esqueci perdi qual preciso vergeten kwijt \
     welk wat zapomniałem jakie забыл забыла какой нужен unuttum hangi",
);

/// Answers that are no secrets.
static ANSWERS: WordList = WordList::new(
    "ok okay okey yes yeah yep yup no nope nah sure thanks thank thx ty please hello hey hi bye later soon tomorrow yesterday \
     today tonight never maybe sorry idk dunno hmm cool great nice perfect done sent wait sec moment what why who lol haha cheers usual nachsehen nachschauen suchen fragen schauen \
     honey darling sweetie sweetheart dear babe love mate dude buddy boss mom dad mum everyone everybody folks guys enjoy friend friends team \
     again nothing none exactly right correct true false unknown same this that here there please \
     ja nein danke bitte klar gleich später morgen gestern weiß moment \
     oui non merci attends demain plus-tard voilà \
     sí si gracias claro luego mañana ayer espera \
     sì grazie certo dopo domani ieri aspetta \
     sim não obrigado obrigada claro depois amanhã ontem espera \
     nee bedankt straks gisteren wacht \
     tak nie dzięki jasne później jutro wczoraj czekaj \
     да нет спасибо хорошо ладно потом завтра вчера подожди сейчас \
     idea idée ahnung idee pojęcia wiem знаю fikrim aucune keine ninguna nessuna boh lá sei \
     evet hayır teşekkürler tamam sonra yarın dün bekle",
);

/// What may follow the last word of a clause.
static CONNECTIVES: Phrases = Phrases::new("connective");

/// What may follow a password that was told with a verb: "is hedgehog with a capital H".
static SPELLING: Phrases = Phrases::new("spelling");

/// What a Chinese, Japanese or Korean clause continues with after a word of Latin letters.
static CJK_ENDINGS: WordList =
    WordList::new("です だ でし に変 にし 입니다 이에요 예요 이야 야 이고 으로 로 임 哦 啊 吧 呢 了 喔");

static UNITS: WordList = WordList::new(
    "char character digit letter symbol number word bit byte kb mb gb token day hour hr h minute min \
     second sec ms week month year yr time attempt user account people am pm st nd rd th x k m km mile \
     percent factor step item or to line row page loc usd eur dollar euro cm mm kg hz khz mhz ghz v w watt volt",
);

static CJK_UNITS: WordList = WordList::new("位 个 個 字 文字 桁 年 月 日 次 回 天 자 글자 년 월 일 번");

/// Algorithms and encodings, whose names hold digits.
static TERMS: WordList = WordList::new(
    "sha sha1 sha224 sha256 sha384 sha512 md5 base32 base64 utf utf8 utf16 utf32 oauth oauth2 argon2 \
     argon2id pbkdf2 bcrypt scrypt aes aes128 aes256 rsa rsa2048 rsa4096 ed25519 hmac fido2 wpa wpa2 wpa3 \
     ipv4 ipv6 http2 hashed encoded encrypted",
);

/// How a placeholder begins: `your-password-here`, `<token>`, `REPLACE_ME`.
const PLACEHOLDERS: &[&str] = &["your", "insert", "enter_", "replace", "placeholder", "redacted"];

/// What a placeholder is, as a whole.
static STAND_INS: WordList = WordList::new(
    "changeme changeit password passwd pass pwd secret mypassword mysecret mytoken dummy sample example foobar apikey mykey",
);

/// What a placeholder holds.
const STAND_IN_PARTS: &[&str] =
    &["example", "placeholder", "changeme", "change-me", "change_me", "dummy", "xxxxxx"];

/// What nobody draws at random.
const SEQUENCES: &[&str] = &["0123456789", "1234567890", "abcdefgh"];

/// How a reference to a secret kept elsewhere begins.
const REFERENCES: &[&str] =
    &["process.env", "os.environ", "os.getenv", "env.", "secrets.", "vault:", "arn:", "ssm:", "file:"];

/// Whether people say this word about a password, and hardly as one.
pub(super) fn is_remark(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let plain = word.len() > 4 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    plain && ends(REMARK_ENDINGS) && !NOUN_ENDINGS.iter().any(|ending| word.ends_with(ending))
        || REMARK_SET.contains(word.as_str())
}

/// Whether this word says something about a password in that language.
pub(super) fn is_foreign_remark(original: &str, language: &str) -> bool {
    let word = original.to_lowercase();
    // "geändert", "gestolen"
    let participle =
        matches!(language, "de" | "nl") && word.starts_with("ge") && word.ends_with(['t', 'd', 'n']);
    // German nouns have capitals, and describe nothing.
    if language == "de" && original.starts_with(char::is_uppercase) {
        return false;
    }
    // Many languages say "password".
    let language = if language == "en" { "it" } else { language };
    let mut endings = FOREIGN_ENDINGS
        .iter()
        .filter_map(|row| row.strip_prefix(language)?.strip_prefix(' '))
        .flat_map(str::split_whitespace);
    let noun = NOUNS.iter().any(|noun| word.ends_with(noun));
    !noun && word.chars().count() > 4 && (participle || endings.any(|ending| word.ends_with(ending)))
}

/// Whether a word ends as adjectives and adverbs do, in any of the languages, in lower case.
pub(super) fn is_descriptive(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ent", "ant", "ic", "al", "ful", "ary", "ory", "ish", "some", "ward", "wards", "wide", "proof",
        "stairs", "ly", "ier", "iest", "issimo", "issima", "ísimo", "ísima",
    ];
    let foreign = FOREIGN_ENDINGS.iter().flat_map(|row| row.split_whitespace().skip(1));
    foreign.chain(ENDINGS.iter().copied()).any(|ending| word.ends_with(ending))
}

/// Whether this word makes a noun together with the name before it, or says what happens to it: "password manager".
pub(super) fn is_topic(word: &str) -> bool {
    let lower = word.to_lowercase();
    TOPICS.contains(&lower) || is_abstract(&lower)
}

/// Whether this word ends as adverbs and abstract nouns do, in lower case.
pub(super) fn is_abstract(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "tion", "sion", "ment", "ness", "ity", "ance", "ence", "ally", "edly", "itely", "utely", "ately",
        "fully", "kly", "ously", "ably", "ibly", "actly", "antly", "ently", "erly",
    ];
    word.len() > 6 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Whether this word, in lower case, answers a question without giving anything away.
pub(super) fn is_answer(word: &str) -> bool {
    ANSWERS.contains(word)
}

/// What a sentence continues with behind a password: when, where and why it is one.
static CONTINUES: WordList = WordList::new(
    "since for on at in until till because so but and when if as now again still too then here there just from by with always \
     last yesterday forever whenever",
);

/// What happens to a password that was just told: "my password hedgehog doesn't work".
static HAPPENS: WordList = WordList::new(
    "got gets gave is was not leaked appeared isn't doesn't didn't won't wasn't isnt doesnt didnt wont twice thrice three again anymore when works worked working",
);

/// Whether this word says what happens to a password that stands before it, in lower case.
pub(super) fn happens(word: &str) -> bool {
    HAPPENS.contains(word)
}

/// Whether a sentence continues with this word behind a password, in lower case.
pub(super) fn continues(word: &str) -> bool {
    CONTINUES.contains(word)
}

/// Whether this is one of the words that sentences are made of, in lower case.
pub(super) fn is_little(word: &str) -> bool {
    REMARK_SET.contains(word)
}

/// Whether these words talk about a secret rather than telling it.
pub(super) fn is_talk(clause: &str) -> bool {
    let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    clause.split_whitespace().any(|said| TALK.contains(&word(said)))
}

/// Whether a text stands for a secret that is kept elsewhere or still to be filled in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let begins_with = |starts: &[&str]| starts.iter().any(|start| strip_prefix(text, start).is_some());
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    begins_with(REFERENCES) || !has_digit && begins_with(PLACEHOLDERS)
}

/// Whether programs and manuals write this in place of a secret: `changeme`, `my-api-key`, `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_stand_in(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let bare = lower.strip_prefix("my").unwrap_or(&lower).replace(['-', '_'], "");
    let named =
        bare.len() < lower.len() && (STAND_INS.contains(&bare) || bare == "token" || bare == "apitoken");
    named || STAND_INS.contains(&lower) || is_sample(&lower)
}

/// Whether a key was written to show what keys look like, in lower case.
pub(super) fn is_sample(lower: &str) -> bool {
    STAND_IN_PARTS.iter().chain(SEQUENCES).any(|part| lower.contains(part))
}

/// Whether this is the name of an algorithm or the like: `SHA-256`, `base64-encoded`, `UTF8`.
pub(super) fn is_term(text: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |part: &str| TERMS.iter().any(|term| part.eq_ignore_ascii_case(term));
    !is_number(text) && text.split('-').all(|part| is_number(part) || is_name(part))
}

/// Whether this is a number's type: `u32`, `__u8`, `int64`.
pub(super) fn is_type(text: &str) -> bool {
    let name = text.trim_start_matches('_').trim_end_matches("_t");
    ["u", "i", "f", "int", "uint", "float"].iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "128" | "size"))
    })
}

/// Whether this word is a unit, in the singular or the plural.
pub(super) fn is_unit(word: &str) -> bool {
    let is = |word: &str| UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit));
    is(word) || word.strip_suffix(['s', 'S']).is_some_and(is)
}

/// Whether a number before `rest` counts something.
pub(super) fn begins_with_unit(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    // "8 to 16"
    let range = matches!(word, "to" | "or");
    let ranges =
        || rest.get(end..).is_some_and(|next| next.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    is_unit(word) && (!range || ranges()) || CJK_UNITS.iter().any(|unit| rest.starts_with(unit))
}

/// Whether a new clause begins here.
pub(super) fn begins_with_connective(rest: &str) -> bool {
    CONNECTIVES.iter().any(|word| strip_word(rest, word).is_some())
}

/// Whether the way in which a password is written is told here.
pub(super) fn begins_with_spelling(rest: &str) -> bool {
    SPELLING.iter().any(|word| strip_word(rest, word).is_some())
}

/// Whether a clause of Chinese, Japanese or Korean closes here.
pub(super) fn begins_with_cjk_ending(rest: &str) -> bool {
    CJK_ENDINGS.iter().any(|ending| rest.starts_with(ending))
}
