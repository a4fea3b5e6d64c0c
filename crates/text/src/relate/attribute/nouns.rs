//! The nouns that decide what slot a statement fills.

use crate::word_list::WordList;

/// Nouns that end like a job and are none.
pub(super) static NO_JOBS: WordList = WordList::new(
    "egoista egoiste extranjera extranjero heredera heredero lista optimista optimiste pesimista pessimiste primera primero \
     realiste schwester sincera sincero soltera soltero triste \
     adventurer beginner believer brother daughter drinker eater father flexitarian foreigner gamer giant \
     grandfather grandmother hater hiker introvert learner listener loner lover member minor morning \
     mother newcomer optimist owner perfectionist pescatarian pessimist reader runner senior sister \
     sleeper smoker survivor swimmer vegetarian",
);

/// Languages one can answer in, folded.
pub(super) static LANGUAGES: WordList = WordList::new(
    "aleman allemand anglais arabic chinese czech danish deutsch dutch englisch english espanol finnish frances \
     francais franzosisch french german greek hebrew hindi hungarian indonesian ingles italian japanese korean \
     mandarin norwegian persian polish portuguese romanian russian spanisch spanish swedish thai turkish \
     ukrainian urdu vietnamese",
);

/// Those who have a name, and of whom one has one.
pub(super) static LIVING: WordList = WordList::new(
    "boss boyfriend cat dentist doctor dog father fiance fiancee girlfriend hamster horse hund husband \
     katze kitten landlord manager mother parrot partner perro pet puppy rabbit therapist wife",
);

/// Those of whom one has several.
pub(super) static MANY: WordList = WordList::new(
    "amiga amigo ami amie aunt brother child colleague cousin coworker daughter friend grandson kid nephew neighbor neighbour \
     niece sister cousine fille fils freund freundin hija hijo kind neffe nichte oncle onkel primo prima sohn son tante tia tio tochter uncle",
);

/// What one has one of, whatever its value looks like.
pub(super) const ATTRIBUTES: &[&str] = &[
    "address",
    "bank",
    "blood type",
    "boss",
    "budget",
    "employer",
    "email",
    "height",
    "hometown",
    "job",
    "language",
    "major",
    "name",
    "nationality",
    "native language",
    "nickname",
    "occupation",
    "phone",
    "profession",
    "pronouns",
    "religion",
    "rent",
    "salary",
    "shoe size",
    "star sign",
    "timezone",
    "username",
    "weight",
];
