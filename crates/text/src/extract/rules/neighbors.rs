//! The commonest statements in German and Spanish, in the same patterns.

use std::sync::LazyLock;

use super::pattern::{self, Row};
use super::token::Token;
use crate::extract::Kind;
use crate::word_list::WordList;

/// What a German or Spanish clause states; `is_dated` tells whether it names a time ahead.
pub fn find(clause: &[Token], is_dated: bool) -> Option<(Kind, &'static str)> {
    if is_dated && let Some((row, _)) = pattern::first(&DATES, clause) {
        return Some((Kind::Date, row.category));
    }
    if clause.iter().any(|token| OF_THE_TALK.contains(&token.text)) {
        return None;
    }
    let tables = [(Kind::Preference, &PREFERENCES), (Kind::Goal, &GOALS), (Kind::Fact, &FACTS)];
    tables.into_iter().find_map(|(kind, rows)| Some((kind, pattern::first(rows, clause)?.0.category)))
}

/// What people have or are only while they ask.
static OF_THE_TALK: WordList = WordList::new(
    "frage fragen problem idee hunger durst zeit lust ahnung angst müde sicher fehler pregunta duda problema idea hambre sueño \
     frío calor prisa miedo ganas tiempo error que cansado cansada seguro segura",
);

static FACTS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(FACT_TABLE));
static PREFERENCES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(PREFERENCE_TABLE));
static GOALS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(GOAL_TABLE));
static DATES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(DATE_TABLE));

const FACT_TABLE: &[(&str, &str)] = &[
    ("name", "ich heiße/heisse _ | mein name ist _ | me llamo _ | mi nombre es _"),
    ("home", "ich/wir? wohne/wohnen/lebe/leben ... in/bei/im/auf/seit _ | ich? komme aus _"),
    ("home", "ich bin nach ... gezogen | yo? vivo/vivimos en/con/cerca _"),
    ("home", "yo? soy de _ | me mudé a _ | nos mudamos a _ | nací en _"),
    ("home", "ich bin in ... geboren/aufgewachsen"),
    ("work", "ich? arbeite ... als/bei/in/für/im _ | yo? trabajo en/como/para/de _"),
    ("work", "ich bin .. von beruf"),
    (
        "work",
        "ich? bin ... eine/ein/seit/gelernte/gelernter/ausgebildete/von _ | ich bin .. {name} | als {name} ... ich _",
    ),
    (
        "work",
        "como? yo? soy .. un/una/de/el/la _ | como? yo? soy .. {person} | llevo .. años _ | trabajamos en/para _",
    ),
    ("study", "ich studiere _ | yo? estudio _"),
    ("study", "ich lerne .. deutsch/englisch/spanisch/französisch/japanisch | estoy estudiando _"),
    ("health", "ich bin ... allergisch gegen/auf _"),
    ("health", "ich habe ... diabetes/asthma/migräne/zöliakie/bluthochdruck"),
    ("health", "yo? soy alérgico/alérgica a/al _ | tengo diabetes/asthma/asma/migraña"),
    (
        "food",
        "ich bin vegetarier/vegetarierin/veganer/veganerin/vegan/linkshänder/linkshänderin/verheiratet/geschieden",
    ),
    ("food", "yo? soy vegetariano/vegetariana/vegano/vegana/zurdo/zurda/celíaco/celíaca"),
    (
        "other",
        "ich/wir? habe/hab/haben seit? ein/eine/einen/zwei/drei/vier/keine/keinen/kein {name} | ich/wir? habe/hab/haben .. {name}",
    ),
    (
        "other",
        "yo? tengo/tenemos un/una/dos/tres/cuatro/cinco/muchos/muchas _ | padezco _ | sufro de _ | tomo _ para _",
    ),
    (
        "health",
        "celíaco/celíaca/vegano/vegana/alérgico/alérgica/diabético/diabética/zurdo/zurda a/al/de/desde/y _ | y? encima? intolerante a _",
    ),
    (
        "family",
        "mein/meine/unser/unsere .. frau/mann/sohn/tochter/bruder/schwester/mutter/vater/hund/katze/freundin/freund heißt/ist/hat/wohnt/arbeitet/lebt _",
    ),
    (
        "family",
        "mi/mis .. esposa/esposo/mujer/marido/hijo/hija/hermano/hermana/madre/padre/perro/gato/novia/novio/hijos se?/es/tiene/vive/trabaja _",
    ),
    (
        "language",
        "ich spreche ... deutsch/englisch/spanisch/französisch/italienisch/russisch/türkisch/chinesisch",
    ),
    ("language", "yo? hablo .. español/inglés/alemán/francés/italiano/portugués"),
];

const PREFERENCE_TABLE: &[(&str, &str)] = &[
    ("other", "ich mag/liebe/hasse/bevorzuge _"),
    ("other", "ich esse/trinke ... kein/keine/keinen/gern/gerne/nie/lieber/am"),
    ("other", "ich kann .. nicht ausstehen/leiden"),
    ("other", "am liebsten ... ich _ | ich ... am liebsten _ | mein/meine .. lieblings _"),
    ("other", "ich .. gern/gerne/lieber/ungern _"),
    ("other", "a? mí? no? me encanta/encantan/gusta/gustan/molesta/molestan/fascina _ | prefiero _"),
    ("other", "odio _ | detesto _ | no soporto _ | no como _ | no bebo _"),
    ("other", "mi/mis .. favorito/favorita/favoritos/favoritas es/son _"),
    ("style", "bitte? antworte/schreib/schreibe ... immer/künftig/ab _ | ab jetzt ... _"),
    ("style", "a partir de ahora _ | siempre responde/respóndeme/contesta _"),
    ("style", "responde/respóndeme siempre _"),
];

const GOAL_TABLE: &[(&str, &str)] = &[
    (
        "other",
        "ich möchte/will/werde ... bis/endlich/irgendwann/nächstes _ | bis ... will/möchte/werde ich _ | ich habe/hab mir vorgenommen _",
    ),
    (
        "other",
        "ich möchte/will ... lernen/werden/laufen/abnehmen/umziehen/schaffen/bestehen/reisen/aufhören/studieren | me he propuesto _",
    ),
    ("other", "ich/wir plane/planen/habe/haben ... zu/vor _ | mein .. ziel ist _"),
    ("other", "ich spare ... auf/für _ | ich trainiere ... für _"),
    (
        "other",
        "yo? quiero/queremos/pienso/planeo/espero aprender/correr/ser/comprar/viajar/mudarme/dejar/terminar/perder/aprobar/ahorrar/abrir/estudiar _",
    ),
    ("other", "mi .. meta/objetivo/sueño es _ | estoy ahorrando para _ | estoy entrenando para _"),
];

const DATE_TABLE: &[(&str, &str)] = &[
    (
        "schedule",
        "ich/wir habe/haben ... termin/prüfung/geburtstag/flug/hochzeit/klausur/vorstellungsgespräch/arzttermin/zahnarzttermin",
    ),
    ("schedule", "mein/meine/unser/unsere ... ist/beginnt/findet _"),
    ("travel", "habe/haben ich/wir ... termin/prüfung/klausur/hochzeit/arzttermin/zahnarzttermin"),
    ("travel", "fliege/fliegen/fahre/fahren ich/wir _"),
    ("travel", "ich/wir fliege/fliegen/fahre/fahren/reise/reisen/ziehe/ziehen _"),
    ("travel", "ich ... termin/prüfung/geburtstag"),
    (
        "schedule",
        "mi/mis/nuestro/nuestra .. cumpleaños/boda/examen/cita/vuelo/aniversario/entrevista/operación es/son/será _",
    ),
    ("schedule", "yo? tengo/tenemos .. cita/examen/boda/vuelo/entrevista/reunión ..."),
    ("travel", "tengo/tenemos .. cita/examen/boda/vuelo/entrevista/reunión | viajo/viajamos a _"),
    ("travel", "me voy a _ | nos vamos a _ | vuelo a _"),
];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 4] {
    [FACT_TABLE, PREFERENCE_TABLE, GOAL_TABLE, DATE_TABLE]
}
