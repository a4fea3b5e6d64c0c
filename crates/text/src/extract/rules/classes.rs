//! Lists of English words that rules name: whom a person calls their own, what lasts, what has its day.

use crate::word_list::WordList;

/// The list that a pattern names.
pub fn class(name: &str) -> Option<&'static WordList> {
    CLASSES.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
}

static CLASSES: &[(&str, &WordList)] = &[
    ("my", &MY),
    ("be", &BE),
    ("have", &HAVE),
    ("adv", &ADVERB),
    ("a", &ARTICLE),
    ("pet", &PET),
    ("trait", &TRAIT),
    ("people", &PEOPLE),
    ("attribute", &ATTRIBUTE),
    ("goal", &GOAL),
    ("occasion", &OCCASION),
    ("folks", &FOLKS),
    ("body", &BODY),
    ("lasting", &LASTING),
    ("going", &GOING),
    ("style", &STYLE),
    ("favorite", &FAVORITE),
    ("likes", &LIKES),
    ("judged", &JUDGED),
    ("choose", &CHOOSE),
    ("extreme", &EXTREME),
    ("label", &LABEL),
    ("training", &TRAINING),
    ("habitually", &HABITUALLY),
    ("work", &WORK),
    ("sought", &SOUGHT),
    ("happens", &HAPPENS),
    ("reply", &REPLY),
];

pub static ME: WordList = WordList::new("i we");
pub static MY: WordList = WordList::new("my our");
static BE: WordList = WordList::new("am is are 's be been");
static HAVE: WordList = WordList::new("have has 's");
static ARTICLE: WordList = WordList::new("a an the my our one some");
/// Words that stand between a subject and its verb and do not change the meaning.
pub static ADVERB: WordList = WordList::new(
    "also always still now just recently really actually currently already usually mostly generally normally \
     definitely absolutely totally especially particularly personally honestly truly finally both all simply kinda \
     mainly primarily typically often sometimes occasionally regularly never no longer originally officially \
     seriously severely mildly very pretty quite so super extremely highly deathly happily newly so-called even \
     only almost basically obviously clearly literally almost myself ourselves do does not long since \
     once apparently technically strongly deeply slightly",
);

pub static KIN: WordList = WordList::new(
    "wife husband missus hubby half eldest oldest youngest folks gran nana grandad granddad spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend gf bf ex mother father mom mum \
     dad mama papa mommy daddy parents parent sister brother sisters brothers sibling siblings twin twins son sons \
     daughter daughters child children kid kids baby toddler boy boys girl girls grandmother grandfather grandma \
     grandpa granny nan grandparents grandson granddaughter grandchild grandchildren grandkids grandkid aunt uncle \
     auntie cousin cousins niece nephew nieces nephews stepson stepdaughter stepmother stepfather stepmom stepdad \
     half-brother half-sister mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law \
     in-laws godson goddaughter goddaughters \
     godmother godfather newborn teenager teenagers",
);
/// Whom people name without "my".
pub static HOUSEHOLD: WordList = WordList::new(
    "wife missus husband hubby kids boys girls twins baby dog cat in-laws eldest youngest mother-in-law",
);
/// Illnesses, and what those have who suffer from them.
pub static ILLNESS: WordList = WordList::new(
    "asthma diabetes migraine migraines tinnitus lupus gout eczema adhd autism dementia cancer celiac coeliac hypertension \
     insomnia anxiety depression dyslexia parkinson's crohn's ms copd pacemaker insulin inhaler wheelchair crutches dialysis \
     prosthesis chemo hearing-aid allergy allergies disability intolerance",
);
/// Those of them who are several.
static FOLKS: WordList = WordList::new(
    "parents sisters brothers siblings twins sons daughters children kids boys girls grandparents grandchildren grandkids \
     cousins nieces nephews in-laws teenagers dogs cats",
);
/// What a body can do, and some cannot.
static BODY: WordList = WordList::new(
    "eat drink tolerate digest have touch drive swim walk run climb bend lift stand see hear smell read carry kneel",
);
pub static PET: WordList = WordList::new(
    "dog dogs cat cats puppy puppies kitten kittens pup pet pets rabbit rabbits bunny bunnies hamster hamsters \
     parrot parrots budgie budgies parakeet parakeets canary goldfish fish turtle turtles tortoise tortoises horse \
     horses pony ponies ferret ferrets gecko lizard iguana snake python chicken chickens hens ducks goat goats sheep \
     guinea-pig hedgehog rat rats mouse mice tarantula axolotl chinchilla cockatiel cockatoo labrador lab retriever \
     poodle beagle terrier corgi dachshund husky collie shepherd greyhound whippet spaniel bulldog pug chihuahua \
     siamese ragdoll tabby mutt alpaca alpacas llama donkey bees",
);
/// What someone is for long: said of a person with no noun.
pub static TRAIT: WordList = WordList::new(
    "married single divorced widowed engaged separated pregnant vegetarian vegan pescatarian diabetic asthmatic \
     epileptic colorblind colourblind color-blind colour-blind deaf blind hard-of-hearing left-handed right-handed \
     ambidextrous lefty retired unemployed self-employed freelance freelancing bilingual trilingual dyslexic autistic \
     neurodivergent lactose-intolerant lactose gluten-free gluten celiac coeliac anemic anaemic hypertensive \
     nearsighted shortsighted short-sighted farsighted muslim jewish catholic christian buddhist hindu sikh atheist \
     agnostic protestant orthodox mormon quaker gay lesbian bisexual queer trans transgender nonbinary non-binary \
     asexual straight introverted extroverted sober adopted kosher halal keto undocumented wheelchair-bound \
     quadriplegic paraplegic monolingual",
);
/// What someone is by trade or place in life; the ending of a word tells more of them.
pub static PEOPLE: WordList = WordList::new(
    "nurse chef cook pilot student teacher coach architect clerk judge barista vet surgeon priest monk nun pastor \
     rabbi imam dj model athlete native citizen immigrant expat refugee veteran widow widower mom mum dad father \
     mother parent grandmother grandfather grandparent vegetarian vegan pescatarian introvert extrovert lefty novelist \
     freelancer entrepreneur ceo cto cfo founder owner manager apprentice intern trainee au-pair nanny guide barber \
     tailor butcher smith blacksmith plumber mechanic diver sailor soldier officer paramedic midwife mathematician \
     attorney analyst consultant accountant assistant sergeant lieutenant captain postdoc phd undergraduate graduate \
     sophomore freshman junior senior homeowner landlord tenant only-child twin diabetic celiac coeliac asthmatic \
     programmer dev developer engineer designer pharmacist dentist gp doctor psychologist botanist linguist professor \
     lecturer translator interpreter statistician driver farmer caregiver carer stay-at-home housewife homemaker \
     bookkeeper librarian secretary receptionist cashier electrician carpenter welder bricklayer roofer firefighter \
     policeman policewoman cop detective journalist reporter editor copywriter photographer painter sculptor \
     illustrator musician drummer guitarist violinist pianist cellist singer composer dancer actor actress director \
     producer lawyer solicitor barrister notary paralegal banker trader broker economist scientist researcher chemist \
     physicist biologist geologist astronomer technician therapist physiotherapist counselor social-worker \
     beekeeper gardener florist baker waiter waitress bartender sommelier muslim jew catholic christian buddhist hindu \
     atheist quaker sikh",
);
/// Things that a person has one of, and names when asked.
pub static ATTRIBUTE: WordList = WordList::new(
    "name nickname surname tongue pronouns email e-mail address phone number mobile cell landline zip postcode zipcode \
     account iban policy membership customer passport license licence plate id username handle employer job \
     profession occupation role title salary income rent mortgage budget \
     blood type height weight age size shoe hometown city country nationality citizenship background major degree thesis \
     dissertation field specialty school university native mother first second language languages religion faith \
     zodiac sign star timezone zone diagnosis allergy allergies medication dose blood-type prescription diet \
     hobby hobbies instrument maiden middle last family full legal real stage pen \
     gamertag github stack editor",
);
/// What is worth wanting: verbs of aims that take longer than an answer.
pub static LASTING: WordList = WordList::new(
    "learn run become lose gain quit move travel visit climb hike save retire graduate pass earn \
     speak master improve study apply launch found publish win compete qualify swim cycle sew knit crochet \
     adopt marry emigrate relocate renovate grow exercise meditate volunteer teach sell join enroll enrol train \
     restore compose perform own sail surf ski dive beat reach practice practise transition freelance ace self-publish \
     memorize brew remodel conceive breed foster backpack explore circumnavigate tour propose donate",
);
/// What people call an aim.
pub static GOAL: WordList =
    WordList::new("goal aim dream plan resolution ambition target objective mission idea hope");
/// How one goes somewhere.
static GOING: WordList =
    WordList::new("going flying driving traveling travelling heading sailing moving off");
pub static FAVORITE: WordList = WordList::new(
    "favorite favourite fave favorites favourites preferred fav thing jam go-to weakness passion comfort poison peeve",
);
/// What one does to what one likes or not.
static LIKES: WordList = WordList::new(
    "like love adore enjoy prefer hate dislike detest despise loathe crave cherish fancy favor favour relish",
);
/// What one chooses again and again.
static CHOOSE: WordList = WordList::new(
    "choose pick order take book buy use get eat drink wear watch touch listen fly sleep cook ride",
);
/// How one judges what one likes or not.
static JUDGED: WordList = WordList::new(
    "boring dull tedious unbearable exhausting relaxing restful soothing calming delicious disgusting revolting awful ugly \
     beautiful easier easiest annoying irritating distracting unreadable confusing comforting",
);
/// What something is to those who love or hate it.
static EXTREME: WordList = WordList::new(
    "hell heaven sacred torture bliss agony poison paradise unbearable everything nightmare bible holy magic kryptonite",
);
/// Numbers and codes that identify a person.
static LABEL: WordList = WordList::new(
    "callsign call-sign membership member policy customer employee student account license licence plate badge patient tax",
);
static TRAINING: WordList = WordList::new(
    "apprenticeship degree training service phd doctorate masters master's residency studies course internship diploma",
);
static HABITUALLY: WordList = WordList::new("always usually only never mostly");
static WORK: WordList = WordList::new(
    "novel book memoir thesis dissertation phd album startup screenplay french spanish german degree fitness english \
     portfolio posture",
);
static SOUGHT: WordList =
    WordList::new("job flat apartment house position role internship place room roommate work");
/// What is told with its month or season only.
static OCCASION: WordList = WordList::new(
    "birthday anniversary wedding exam exams surgery operation trip holiday vacation honeymoon retreat conference deadline \
     defense defence graduation baptism christening reunion move lease contract visa due-date course camp cruise",
);
/// How an event takes place.
static HAPPENS: WordList = WordList::new(
    "am is are 's starts start begins begin ends end falls comes expires opens closes takes leaves leave departs lands \
     arrives boards happens finishes runs",
);
/// What the world looks forward to, and no single person.
pub static PUBLIC: WordList = WordList::new(
    "game match show festival release launch final cup season episode concert race tournament election",
);
/// What an assistant can do in a certain way.
static STYLE: WordList = WordList::new(
    "use using give giving answer answering reply replying respond responding write writing keep keeping speak \
     speaking talk talking explain explaining format formatting address addressing call calling avoid skip include \
     including show showing be being make making put putting add adding start starting end ending say saying send \
     sending stick wrap number cite quote translate mention apologize apologizing apologise apologising ask asking \
     spell default switch convert assume begin return output provide suggest",
);
/// What an assistant gives.
static REPLY: WordList = WordList::new(
    "answers answer replies reply responses response messages explanations explanation code summaries emails recipes \
     examples output text texts tone wording drafts",
);

/// Numbers as words.
pub static NUMBERS: WordList = WordList::new(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
     eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred several many both few a an another",
);

/// Words that end like a trade and are none.
pub static NO_TRADE: WordList = WordList::new(
    "better older younger bigger smaller later rather other another either never after under over however whether together \
     number paper letter water winter summer dinner number matter weather order power color flavor major minor prior error \
     corner computer printer master sister brother mother father daughter lower higher faster slower earlier easier former",
);
/// Words that say nothing by themselves.
pub static EMPTY: WordList = WordList::new(
    "a an the i me my we us our you your he him his she her it its they them their this that these those one ones so \
     too very much lot lots of bit it's and or but as to in on at for from with by about than then there here now \
     just really also well yes no not all some any more most less stuff thing things something anything everything \
     nothing someone is are am was be been do does did have has had will 's lol haha tbh though anyway anymore either \
     please thanks thank ok okay idea way kind sort same again still already do both what which how when where why \
     who if like guess know think right today ever",
);

/// Words with a capital that are no name.
pub static NO_NAME: WordList = WordList::new(
    "i i'm the a an and but so my our ok okay yes no not sorry just also what how when \
     where why who which can could is are do does please thanks in on at for with as if now really very from going \
     trying working looking using writing reading getting having doing making back here there still not sure happy \
     glad afraid tired hungry busy sick done ready bored lost stuck confused curious new it he she they we you this \
     that all good great fine well almost currently always never also only about over out up off interested",
);

/// Words that end a noun phrase.
pub static PREPOSITION: WordList = WordList::new(
    "with of for about to from in on at by that who which where when and or but because so if than my our your i we you \
     he she it they not no any",
);

/// Verbs that a noun phrase cannot hold.
pub static VERB: WordList = WordList::new(
    "is are am was were 's has have had do does did will would can could should may might must lives live works work \
     loves love likes like hates hate wants want needs need goes go says said told thinks knows plays speaks studies \
     teaches runs owns starts start begins begin ends comes come arrives arrive turns moved got gets takes prefers \
     prefer drives keeps makes makes eats drinks enjoys",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_its_list_by_name() {
        assert!(class("pet").is_some_and(|pet| pet.contains("cat")));
        assert!(class("no such list").is_none());
    }
}
