//! The attribute that a statement gives a value: something of which a person has one at a time, such as a home, a name,
//! a favorite color. Facts that add up, such as languages spoken or allergies, have no attribute.

mod event;
mod frame;
mod frames;
mod han;
mod nouns;
mod style;
mod taste;

pub(super) use self::event::{is_moved, moved_to, names_event, note};
use self::frame::{Rest, after, number, subject_of, value, value_before};
use self::frames::{FRAMES, Frame, Guard, JOBS_OF};
use self::nouns::{ATTRIBUTES, LANGUAGES, LIVING, MANY, NO_JOBS};
use super::wording::{Word, words};
use crate::extract::Kind;
use crate::word_list::WordList;

/// One value of something that has only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// What it is a value of, such as `home`, `dog name`, `brother home`, `liking coffee`.
    pub key: String,
    /// The value, folded.
    pub value: String,
    /// Whether it is an event, whose value is its day.
    pub is_event: bool,
}

impl Attribute {
    fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into(), is_event: false }
    }

    /// The same attribute of somebody else.
    fn of_holder(self, holder: &str) -> Self {
        if holder.is_empty() { self } else { Self { key: format!("{holder} {}", self.key), ..self } }
    }

    /// Returns true if the person may have several who hold this attribute, such as brothers.
    pub(super) fn has_many(&self) -> bool {
        self.key.split_once(' ').is_some_and(|(holder, key)| MANY.contains(holder) && key != "birthday")
    }

    /// Returns true if to leave what the value names ends it.
    pub(super) fn ends_with_its_value(&self) -> bool {
        ["employer", "home"].contains(&self.key.as_str())
    }

    /// Returns true if it is where or as what the person works.
    pub(super) fn is_work(&self) -> bool {
        ["employer", "job"].contains(&self.key.as_str())
    }

    /// Returns true if the value alone gives the statement away: a name, an address, a number to call.
    #[must_use]
    pub fn is_named(&self) -> bool {
        ["address", "email", "employer", "home", "name", "phone"].contains(&self.key.as_str())
            || self.key.ends_with(" name")
    }

    /// Returns true if the value stays for good, so that another one is a mistake on one side rather than a change.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        [
            "age",
            "anniversary",
            "birth year",
            "birthday",
            "birthplace",
            "blood type",
            "hometown",
            "name",
            "native language",
        ]
        .contains(&self.key.as_str())
            || [" name", " birthday", " anniversary"].iter().any(|ending| self.key.ends_with(ending))
    }
}

/// The attribute of a statement and its value; none if the statement adds to others.
#[must_use]
pub fn attribute(kind: Kind, text: &str) -> Option<Attribute> {
    attributes(kind, text).into_iter().next()
}

/// All attributes that a statement gives a value.
pub(super) fn attributes(kind: Kind, text: &str) -> Vec<Attribute> {
    let words = words(text);
    let is_han = words.iter().any(Word::is_han);
    let mut told = Vec::new();
    // To live somewhere is aimed at, not so.
    if kind != Kind::Goal {
        if is_han {
            told.extend(han::attributes(text));
        } else {
            told.extend(clauses(&words).into_iter().flat_map(|clause| clause.read()));
        }
    }
    match kind {
        // "We moved to Friday" is no home, and a birthday has its own attribute.
        Kind::Date => {
            told.retain(Attribute::is_lasting);
            if told.is_empty() {
                told.extend(if is_han { event::read_han(text) } else { event::read(&words) });
            }
        }
        Kind::Preference => told.extend(style::read(text, &words)),
        // "My appointment is moved to 8 May"
        Kind::Fact if told.is_empty() && is_moved(text) => {
            let event = if is_han { event::read_han(text) } else { event::read(&words) };
            told.extend(event.filter(|event| !event.value.is_empty()));
        }
        Kind::Goal | Kind::Fact | Kind::Outcome => {}
    }
    let mut keys: Vec<String> = Vec::new();
    told.retain(|one| {
        let is_first = !keys.contains(&one.key);
        keys.push(one.key.clone());
        is_first
    });
    told
}

/// A part of a statement that tells one thing of one holder; the person themselves has no name here.
struct Clause<'w> {
    holder: String,
    rest: Rest<'w>,
}

impl Clause<'_> {
    fn read(&self) -> Vec<Attribute> {
        let of_person = self.holder.is_empty() || self.rest.first().is_some_and(is_owner);
        if of_person && let Some(found) = read(self.rest) {
            let mut all = vec![found];
            all.extend(taste::compared(self.rest));
            all.extend(all.first().and_then(|found| work_too(found, self.rest)));
            return all;
        }
        self.of_another().into_iter().collect()
    }

    /// "My brother moved to Vienna", "lives in Oslo" after "my wife".
    fn of_another(&self) -> Option<Attribute> {
        let starts = if self.rest.first().is_some_and(is_owner) { 2..5 } else { 0..2 };
        let told = starts.filter_map(|at| self.rest.get(at..)).find_map(|rest| {
            let frames = FRAMES.iter().filter(|frame| ["employer", "home", "job"].contains(&frame.key));
            frames.filter_map(|frame| frame.read(rest)).next()
        })?;
        (!self.holder.is_empty()).then(|| told.of_holder(&self.holder))
    }
}

fn read(clause: Rest<'_>) -> Option<Attribute> {
    taste::read(clause)
        .or_else(|| language(clause))
        .or_else(|| timezone(clause))
        .or_else(|| FRAMES.iter().find_map(|frame| frame.read(clause)))
        .or_else(|| age(clause))
        .or_else(|| job(clause))
        .or_else(|| state(clause))
        .or_else(|| own(clause))
        .or_else(|| named(clause))
        .or_else(|| count(clause))
}

/// Where a person works, beside what they work as, and the other way round: "a nurse at St Mary's".
fn work_too(found: &Attribute, clause: Rest<'_>) -> Option<Attribute> {
    let (leads, key) = match found.key.as_str() {
        "job" => ("at for with bei beim fur en para chez", "employer"),
        "employer" => ("as als como comme", "job"),
        _ => return None,
    };
    let at = clause.iter().take(16).position(|word| leads.split(' ').any(|lead| lead == word.text))?;
    Some(Attribute::new(key, value(clause.get(at + 1..)?)?)).filter(|other| other.value != found.value)
}

/// Where a statement can start: at the beginning, after "I", at "my", and after "and" if the one who is told of is known.
fn clauses(words: &[Word]) -> Vec<Clause<'_>> {
    let leads_from = |at: usize| {
        let tail = words.get(at..).unwrap_or_default();
        at + tail.iter().take_while(|word| LEADS.contains(&word.text)).count()
    };
    let lead = leads_from(0);
    let rest = |at: usize| words.get(at..).unwrap_or_default();
    let named = rest(lead).first().filter(|word| word.capital && !is_owner(word));
    let is_told_of = words.iter().take(lead).any(|word| PERSON.contains(&word.text));
    // "Tom lives in Oslo", but not "Lives in Oslo".
    let name = named.filter(|_| !is_told_of && read(rest(lead)).is_none()).map(|word| word.text.clone());
    let mut holder = name.or_else(|| holder(rest(lead)));
    if holder.is_none() && (is_told_of || read(rest(lead)).is_some()) {
        holder = Some(String::new());
    }
    let mut all = vec![Clause { holder: holder.clone().unwrap_or_default(), rest: rest(lead) }];
    for (at, word) in words.iter().enumerate().skip(lead + usize::from(lead == 0)) {
        let joined = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(is_joint);
        let opens = word.opens || joined;
        if PERSON.contains(&word.text) {
            holder = Some(String::new());
            all.push(Clause { holder: String::new(), rest: rest(leads_from(at)) });
        } else if opens && is_owner(word) {
            holder = self::holder(rest(at));
            all.push(Clause { holder: holder.clone().unwrap_or_default(), rest: rest(at) });
        } else if opens && let Some(holder) = &holder {
            all.push(Clause { holder: holder.clone(), rest: rest(leads_from(at)) });
        }
        if all.len() == MOST_CLAUSES {
            break;
        }
    }
    all
}

/// Maximum number of clauses that are read.
const MOST_CLAUSES: usize = 12;

/// "brother" of "my brother".
fn holder(clause: Rest<'_>) -> Option<String> {
    let (owner, rest) = clause.split_first()?;
    let noun = rest.first().filter(|_| is_owner(owner))?;
    Some(frame::usual(&noun.text).to_owned())
}

fn is_owner(word: &Word) -> bool {
    OWNERS.contains(&word.text)
}

fn is_joint(word: &Word) -> bool {
    ["and", "und", "y", "et", "but", "aber", "pero", "mais", "e"].contains(&word.text.as_str())
}

static OWNERS: WordList = WordList::new("my our mein meine unser unsere mi nuestro nuestra mon ma notre");

/// The person, told of by themselves; in French also with the verb that the pronoun melts into.
static PERSON: WordList = WordList::new("i we ich wir yo nosotros je nous jhabite jai jaime jadore jetais");

/// Words before a statement that are no part of it.
static LEADS: WordList = WordList::new(
    "actually ahora also and but correction currently finally has have i ich inzwischen je jetzt just maintenant now nous \
     oh please recently remember so sorry still that today we well wir yes yo",
);

impl Frame {
    fn read(&self, clause: Rest<'_>) -> Option<Attribute> {
        let (phrase, end) =
            self.phrase.split_once(" * ").map_or((self.phrase, None), |(phrase, end)| (phrase, Some(end)));
        let rest = after(clause, phrase)?;
        if self.guard == Guard::Name && !rest.first()?.capital {
            return None;
        }
        let value = match end {
            Some(end) => value_before(rest, end)?,
            None => value(rest)?,
        };
        match self.key {
            "employer" if NO_EMPLOYERS.contains(&value) => None,
            "home"
                if self.guard == Guard::Change
                    && clause.iter().take(24).any(|word| CHILDHOOD.contains(&word.text)) =>
            {
                None
            }
            "home" => Some(Attribute::new(self.key, place(&value)?)),
            "birthplace" if value.starts_with(char::is_numeric) => Some(Attribute::new("birth year", value)),
            "birthday" => {
                Some(Attribute::new(self.key, event::day_words(rest))).filter(|it| !it.value.is_empty())
            }
            key => Some(Attribute::new(key, value)),
        }
    }
}

static NO_EMPLOYERS: WordList =
    WordList::new("home night nights least casa hause maison noche noches nachts");

/// "I moved to Rome when I was five" is not where somebody lives.
static CHILDHOOD: WordList = WordList::new("was were child kid als war cuando era quand etais jetais");

/// The place itself: Vienna of "a flat in Vienna", Oslo of "Oslo in March".
fn place(value: &str) -> Option<&str> {
    value.split(" in ").filter(|part| !part.split(' ').all(event::is_day_word)).last()
}

/// "Answer in German": only a language counts, since one can also answer in short sentences.
fn language(clause: Rest<'_>) -> Option<Attribute> {
    let rest = LANGUAGE_FRAMES.iter().find_map(|phrase| after(clause, phrase))?;
    let language = rest.first()?.text.as_str();
    LANGUAGES.contains(language).then(|| Attribute::new("answer language", language))
}

const LANGUAGE_FRAMES: &[&str] = &[
    "answer|reply|respond|write|speak|talk to? with? me? in *",
    "want|prefer|prefers|like|would|wants like? you? to? answers|replies|answer|reply|respond to? me? in *",
    "antworte mir? auf *",
    "responde|respondeme en *",
];

/// "I'm on Pacific time".
fn timezone(clause: Rest<'_>) -> Option<Attribute> {
    let told = value(after(clause, "am|is|are|live|lives in|on *")?)?;
    let zone = [" timezone", " time zone", " time"].iter().find_map(|ending| told.strip_suffix(ending))?;
    Some(Attribute::new("timezone", zone))
}

/// "I'm 34", "I turned thirty", "34 years old".
fn age(clause: Rest<'_>) -> Option<Attribute> {
    let rest = after(clause, "am|is|turned|bin|ist|tengo|tiene|jai|ai|a")
        .or_else(|| clause.first()?.opens.then_some(clause))?;
    let (years, rest) = number(rest)?;
    let tells_years = after(rest, "years|year|yrs old").is_some()
        || after(rest, "jahre alt").is_some()
        || after(rest, "anos|ans").is_some();
    let is_all = rest
        .first()
        .is_none_or(|next| next.opens || ["now", "today", "already"].contains(&next.text.as_str()));
    let counts = clause.first().is_some_and(|word| ["am", "turned", "is"].contains(&word.text.as_str()));
    (tells_years || (is_all && counts)).then(|| Attribute::new("age", years))
}

/// "I'm a nurse": what kind of person one is counts as a job if the noun is one.
fn job(clause: Rest<'_>) -> Option<Attribute> {
    JOBS_OF.iter().find_map(|(phrase, endings, jobs)| {
        let value = value(after(clause, phrase)?)?;
        let head = value.rsplit(' ').next()?;
        let looks_like_one = endings.iter().any(|ending| head.ends_with(ending)) && !NO_JOBS.contains(head);
        (looks_like_one || jobs.contains(head)).then(|| Attribute::new("job", value.clone()))
    })
}

/// A state that one is in alone: married, vegan.
fn state(clause: Rest<'_>) -> Option<Attribute> {
    let rest = after(clause, "am|is|are|got|became|went|turned|stay|bin|soy|estoy a|an?")?;
    let first = rest.first()?.text.as_str();
    let (_, key, value) = STATES.iter().find(|(word, _, _)| *word == first)?;
    Some(Attribute::new(*key, *value))
}

const STATES: &[(&str, &str, &str)] = &[
    ("casado", "marital state", "married"),
    ("casada", "marital state", "married"),
    ("divorced", "marital state", "divorced"),
    ("engaged", "marital state", "engaged"),
    ("flexitarian", "diet", "flexitarian"),
    ("geschieden", "marital state", "divorced"),
    ("keto", "diet", "keto"),
    ("married", "marital state", "married"),
    ("omnivore", "diet", "omnivore"),
    ("pescatarian", "diet", "pescatarian"),
    ("separated", "marital state", "separated"),
    ("single", "marital state", "single"),
    ("vegan", "diet", "vegan"),
    ("veganer", "diet", "vegan"),
    ("vegetarian", "diet", "vegetarian"),
    ("vegetarier", "diet", "vegetarian"),
    ("verheiratet", "marital state", "married"),
    ("widowed", "marital state", "widowed"),
];

/// "My X is Y", "my X's name is Y", "my X is called Y".
fn own(clause: Rest<'_>) -> Option<Attribute> {
    let (subject, rest) = subject_of(clause.split_first().filter(|(owner, _)| is_owner(owner))?.1)?;
    if let Some(called) =
        after(rest, "is|are|'s called|named *").or_else(|| after(rest, "heisst|se|sappelle llama? *"))
    {
        return name_of(&subject, called);
    }
    let rest = after(rest, "is|are|'s|ist|es|est|sont on|in|at|the|now|am|el|le?")?;
    let value = value(rest)?;
    let starts_with_name =
        rest.first().is_some_and(|word| word.capital || word.text.starts_with(char::is_numeric));
    let last = subject.rsplit(' ').next()?;
    if subject.ends_with(" name") {
        return name_of(subject.strip_suffix(" name")?, rest);
    }
    if subject.starts_with("favorite ") {
        return Some(Attribute::new(subject, value));
    }
    if LIVING.contains(last) {
        return if starts_with_name { name_of(&subject, rest) } else { None };
    }
    if ["birthday", "anniversary"].contains(&last) {
        let day = event::day_words(rest);
        return (!day.is_empty()).then(|| Attribute::new(subject, day));
    }
    (starts_with_name || ATTRIBUTES.contains(&subject.as_str())).then(|| Attribute::new(subject, value))
}

/// "I have a dog called Rex".
fn named(clause: Rest<'_>) -> Option<Attribute> {
    let rest = after(clause, "a|an|one").or_else(|| after(clause, "got|own|owns a|an|one"))?;
    let at = rest.iter().take(4).position(|word| word.text == "called" || word.text == "named")?;
    let (subject, called) = rest.split_at_checked(at)?;
    let subject: Vec<&str> = subject.iter().map(|word| word.text.as_str()).collect();
    name_of(&subject.join(" "), called.split_first()?.1)
}

fn name_of(subject: &str, rest: Rest<'_>) -> Option<Attribute> {
    // Of these one has several, each with a name.
    (!MANY.contains(subject)).then_some(())?;
    Some(Attribute::new(format!("{subject} name"), value(rest)?))
}

/// "I have two cats".
fn count(clause: Rest<'_>) -> Option<Attribute> {
    let (count, rest) = number(after(clause, "got|own|owns?")?)?;
    let [what, rest @ ..] = rest else { return None };
    let counts =
        rest.first().is_none_or(|next| next.opens || next.text == "now") && what.text.ends_with(['s', 'n']);
    (counts && !what.text.starts_with(char::is_numeric) && !event::is_day_word(&what.text))
        .then(|| Attribute::new(format!("number of {}", what.stem()), count))
}

#[cfg(test)]
mod tests;
