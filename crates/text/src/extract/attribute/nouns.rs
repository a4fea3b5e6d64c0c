//! The nouns that decide what slot a statement fills.

use crate::word_list::WordList;

/// How the names of jobs end.
pub(super) static JOB_ENDINGS: WordList = WordList::new("er or ist ician arian eer ant wright smith worker");

/// Jobs whose names end otherwise.
pub(super) static JOBS: WordList = WordList::new(
    "analyst architect athlete barista chef clerk cook diplomat freelance guide judge mechanic model \
     musician nurse paramedic pharmacist physician pilot retiree scientist soldier student surgeon \
     therapist vet",
);

/// Nouns that end like a job and are none.
pub(super) static NO_JOBS: WordList = WordList::new(
    "adventurer beginner believer brother daughter drinker eater father flexitarian foreigner gamer giant \
     grandfather grandmother hater hiker introvert learner listener loner lover member minor morning \
     mother newcomer optimist owner perfectionist pescatarian pessimist reader runner senior sister \
     sleeper smoker survivor swimmer vegetarian",
);

/// Languages one can answer in, folded.
pub(super) static LANGUAGES: WordList = WordList::new(
    "aleman arabic chinese czech danish deutsch dutch englisch english espanol finnish frances \
     franzosisch french german greek hebrew hindi hungarian indonesian ingles italian japanese korean \
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
    "aunt brother child colleague cousin coworker daughter friend grandson kid nephew neighbor neighbour \
     niece sister son uncle",
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
