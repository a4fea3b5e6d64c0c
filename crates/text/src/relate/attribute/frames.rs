//! The few verbs with which each language gives a person's attribute a value. Words are folded.

use crate::word_list::WordList;

/// A phrase around the value of an attribute, and how sure it is.
pub(super) struct Frame {
    pub(super) key: &'static str,
    pub(super) phrase: &'static str,
    pub(super) guard: Guard,
}

/// What must hold beside the phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    Nothing,
    /// The value is a name: one joins a company, but also a choir.
    Name,
    /// It tells a change, which may be long past.
    Change,
}

const fn says(key: &'static str, phrase: &'static str) -> Frame {
    Frame { key, phrase, guard: Guard::Nothing }
}

const fn names(key: &'static str, phrase: &'static str) -> Frame {
    Frame { key, phrase, guard: Guard::Name }
}

const fn changes(key: &'static str, phrase: &'static str) -> Frame {
    Frame { key, phrase, guard: Guard::Change }
}

/// The phrases of English, German, Spanish and French. After ` * ` stands how the verb ends that the value splits.
pub(super) const FRAMES: &[Frame] = &[
    says("home", "am|is|are? live|lives|living in|at *"),
    changes("home", "moved|relocated back? to *"),
    says("home", "am|is|are? based in *"),
    says("home", "reside|resides in *"),
    says("home", "my|our home is in *"),
    says("home", "wohne|wohnt|wohnen|lebe|lebt|leben ~ in *"),
    changes("home", "bin|ist|sind ~ nach|in * gezogen|umgezogen|verzogen"),
    says("home", "vivo|vive|vivimos ~ en *"),
    changes("home", "me|se|nos mude|mudo|mudamos|traslade|traslado|trasladamos a *"),
    changes("home", "me|se|nos he|ha|hemos mudado|trasladado a *"),
    says("home", "jhabite|habite|habitons|vis|vit ~ a|au|en|dans *"),
    changes("home", "jai|ai|a|avons demenage|emmenage ~ a|au|en|dans *"),
    says("birthday", "was|were born on *"),
    says("birthday", "bin|ist|wurde am * geboren"),
    says("birthday", "naci|nacio el *"),
    says("birthday", "suis|est ne|nee le *"),
    says("birthplace", "was|were born in *"),
    says("birthplace", "bin|ist|wurde in * geboren"),
    says("birthplace", "naci|nacio en *"),
    says("birthplace", "suis|est ne|nee a|en *"),
    says("name", "call me *"),
    says("name", "go|goes by *"),
    says("name", "prefer|prefers|want|like to be called *"),
    names("name", "am|is called *"),
    says("name", "heisse *"),
    says("name", "me llamo *"),
    says("name", "mappelle *"),
    says("job", "am|is? work|works|working as a|an *"),
    says("job", "started|start|got|have ~ job as a|an *"),
    says("job", "arbeite|arbeitet ~ als *"),
    says("job", "trabajo|trabaja ~ como|de *"),
    says("job", "travaille ~ comme *"),
    says("employer", "am|is? work|works|working at|for *"),
    says("employer", "am|is? employed at|by *"),
    says("employer", "started|start working|work? at *"),
    says("employer", "got|started a new? job at|with *"),
    names("employer", "am|is|are at * now"),
    names("employer", "joined *"),
    says("employer", "arbeite|arbeitet ~ bei|beim|fur *"),
    says("employer", "habe|hat ~ bei * angefangen"),
    says("employer", "trabajo|trabaja ~ en|para *"),
    says("employer", "travaille|travaillons|bosse ~ chez|pour *"),
];

/// For each language how one says what one is, how the names of jobs end, and jobs whose names end otherwise.
pub(super) static JOBS_OF: [(&str, WordList, WordList); 4] = [
    (
        "am|is|became|been a|an",
        WordList::new("er or ist ician arian eer ant wright smith worker"),
        WordList::new(
            "analyst architect athlete barista chef clerk cook diplomat freelance guide judge mechanic model \
             musician nurse paramedic pharmacist physician pilot retiree scientist soldier student surgeon \
             therapist vet",
        ),
    ),
    (
        "bin|ist|wurde *",
        WordList::new(
            "anwalt anwaltin arzt arztin assistent assistentin backer backerin bauer berater beraterin entwickler \
             entwicklerin erzieher erzieherin fahrer fahrerin ingenieur ingenieurin kellner kellnerin \
             lehrer lehrerin mechaniker pfleger pflegerin pilot pilotin polizist polizistin schwester techniker \
             technikerin tischler verkaufer verkauferin",
        ),
        WordList::new(
            "friseur friseurin hausfrau hausmann journalist journalistin kauffrau kaufmann koch kochin rentner rentnerin student studentin",
        ),
    ),
    (
        "soy|es *",
        WordList::new("ero era ista ologo ologa grafo grafa"),
        WordList::new(
            "abogada abogado arquitecta arquitecto contable estudiante ingeniera ingeniero maestra maestro medica medico \
             piloto profesor profesora programador programadora",
        ),
    ),
    (
        "suis|est *",
        WordList::new("icier iciere mier miere inier iniere anger angere iste ologue"),
        WordList::new(
            "architecte avocat avocate comptable developpeur developpeuse enseignant enseignante etudiant etudiante \
             infirmier infirmiere ingenieur ingenieure medecin pilote professeur professeure serveur serveuse",
        ),
    ),
];
