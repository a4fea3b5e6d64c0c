//! The attribute that a statement gives a value: something of which a person has one at a time, such as a home, a name,
//! a favorite color. Facts that add up, such as languages spoken or allergies, have no attribute.

mod event;
mod frame;
mod han;
mod nouns;
mod taste;

use self::frame::{Rest, after, number, subject_of, value};
use self::nouns::{ATTRIBUTES, JOB_ENDINGS, JOBS, LANGUAGES, LIVING, MANY, NO_JOBS};
use super::wording::{Word, words};
use crate::extract::Kind;
use crate::word_list::WordList;

/// One value of something that has only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// What it is a value of, such as `home`, `dog name`, `liking coffee`.
    pub key: String,
    /// The value, folded.
    pub value: String,
}

impl Attribute {
    fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }

    /// Whether the value alone gives the statement away: a name, an address, a number to call.
    #[must_use]
    pub fn is_named(&self) -> bool {
        ["address", "email", "employer", "home", "name", "phone"].contains(&self.key.as_str())
            || self.key.ends_with(" name")
    }

    /// Whether the value stays for good, so that another one is a mistake on one side rather than a change.
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
    let words = words(text);
    if words.iter().any(Word::is_han) {
        return han::attribute(text);
    }
    let told = clauses(&words).into_iter().find_map(read);
    match kind {
        // "We moved to Friday" is no home, and a birthday has its own attribute.
        Kind::Date => told.filter(Attribute::is_lasting).or_else(|| event::read(&words)),
        // To live somewhere is aimed at, not so.
        Kind::Goal => None,
        Kind::Fact | Kind::Preference | Kind::Outcome => told,
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

/// Where a statement about the person can start: at the beginning, after "I", and at "my".
fn clauses(words: &[Word]) -> Vec<Rest<'_>> {
    let lead = words.iter().take_while(|word| LEADS.contains(&word.text)).count();
    let mut starts: Vec<usize> = vec![lead];
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "i" | "we" | "ich" | "yo" => {
                let tail = words.get(at..).unwrap_or_default();
                starts.push(at + tail.iter().take_while(|word| LEADS.contains(&word.text)).count());
            }
            "my" | "our" | "mein" | "meine" | "mi" if word.opens || at == lead => starts.push(at),
            _ => {}
        }
    }
    starts.dedup();
    starts.into_iter().filter_map(|at| words.get(at..)).collect()
}

/// Words before a statement that are no part of it.
static LEADS: WordList = WordList::new(
    "actually ahora also and but correction currently finally has have i ich jetzt just now oh please \
     recently remember so sorry still that today we well yes yo",
);

/// A phrase that is followed by the value of an attribute.
struct Frame {
    phrase: &'static str,
    key: &'static str,
    /// Phrases that say this only of something with a name: one joins a company, but also a choir.
    needs_name: bool,
}

impl Frame {
    const fn new(phrase: &'static str, key: &'static str) -> Self {
        Self { phrase, key, needs_name: false }
    }

    const fn of_name(phrase: &'static str, key: &'static str) -> Self {
        Self { phrase, key, needs_name: true }
    }

    fn read(&self, clause: Rest<'_>) -> Option<Attribute> {
        let rest = after(clause, self.phrase)?;
        if self.needs_name && !rest.first()?.capital {
            return None;
        }
        let value = value(rest)?;
        match self.key {
            "employer" if ["home", "night", "nights", "least"].contains(&value.as_str()) => None,
            "home" => Some(Attribute::new(self.key, place(&value)?)),
            "birthplace" if value.starts_with(char::is_numeric) => Some(Attribute::new("birth year", value)),
            key => Some(Attribute::new(key, value)),
        }
    }
}

/// The place itself: Vienna of "a flat in Vienna", Oslo of "Oslo in March".
fn place(value: &str) -> Option<&str> {
    value.split(" in ").filter(|part| !part.split(' ').all(event::is_day_word)).last()
}

const FRAMES: &[Frame] = &[
    Frame::new("am|is|are? live|lives|living in|at *", "home"),
    Frame::new("moved|relocated back? to *", "home"),
    Frame::new("am|is|are? based in *", "home"),
    Frame::new("reside|resides in *", "home"),
    Frame::new("my|our home is in *", "home"),
    Frame::new("wohne|lebe in *", "home"),
    Frame::new("vivo en *", "home"),
    Frame::new("me mude a *", "home"),
    Frame::new("was|were born in *", "birthplace"),
    Frame::new("call me *", "name"),
    Frame::new("go|goes by *", "name"),
    Frame::new("prefer|prefers|want|like to be called *", "name"),
    Frame::of_name("am|is called *", "name"),
    Frame::new("heisse *", "name"),
    Frame::new("me llamo *", "name"),
    Frame::new("am|is? work|works|working as a|an *", "job"),
    Frame::new("arbeite als *", "job"),
    Frame::new("trabajo como *", "job"),
    Frame::new("am|is? work|works|working at|for *", "employer"),
    Frame::new("am|is? employed at|by *", "employer"),
    Frame::new("started|start working|work? at *", "employer"),
    Frame::new("got a new? job at *", "employer"),
    Frame::of_name("joined *", "employer"),
    Frame::new("arbeite bei *", "employer"),
    Frame::new("trabajo en|para *", "employer"),
];

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
    let rest = after(clause, "am|is|turned|bin|tengo").or_else(|| clause.first()?.opens.then_some(clause))?;
    let (years, rest) = number(rest)?;
    let tells_years = after(rest, "years|year|yrs old").is_some()
        || after(rest, "jahre alt").is_some()
        || after(rest, "anos").is_some();
    let is_all = rest
        .first()
        .is_none_or(|next| next.opens || ["now", "today", "already"].contains(&next.text.as_str()));
    let counts = clause.first().is_some_and(|word| ["am", "turned", "is"].contains(&word.text.as_str()));
    (tells_years || (is_all && counts)).then(|| Attribute::new("age", years))
}

/// "I'm a nurse": what kind of person one is counts as a job if the noun is one.
fn job(clause: Rest<'_>) -> Option<Attribute> {
    let rest = after(clause, "am|is|became a|an")?;
    let value = value(rest)?;
    let head = value.rsplit(' ').next()?;
    let looks_like_one = JOB_ENDINGS.iter().any(|ending| head.ends_with(ending)) && !NO_JOBS.contains(head);
    (looks_like_one || JOBS.contains(head)).then(|| Attribute::new("job", value.clone()))
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
    let (subject, rest) = subject_of(after(clause, "my|our|mein|meine|mi")?)?;
    if let Some(called) =
        after(rest, "is|are|'s called|named *").or_else(|| after(rest, "heisst|se llama? *"))
    {
        return name_of(&subject, called);
    }
    let rest = after(rest, "is|are|'s|ist|es on|in|at|the|now?")?;
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
