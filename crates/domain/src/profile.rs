//! The profile: the current statements about a person, written from memories within a token limit.

use std::cmp::Reverse;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::memory::{Kind, Memory, Status};
use throughline_text::tokens::estimate;

/// Maximum length of a profile, in tokens.
pub const MOST_TOKENS: u32 = 500;
/// Total tokens of the lists' headings.
const HEADINGS: u32 = 24;
/// Number of days for which a date stays in the profile after its day.
const DAYS_AFTER: i32 = 2;
/// Number of days before its day from which a date counts as near.
const NEAR_DAYS: i32 = 60;

/// A memory with the times when it was stored and last changed, by the calendar.
#[derive(Debug, Clone, Copy)]
pub struct DatedMemory<'a> {
    /// The memory in its current state.
    pub memory: &'a Memory,
    /// When it was stored.
    pub learned_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// The sequence number of the newest message when it was stored.
    pub learned_after: i64,
    /// True if a person closed it by hand.
    pub closed_by_hand: bool,
}

/// The beginning of a conversation: the time and sequence number of its first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// The time.
    pub at: Timestamp,
    /// The sequence number.
    pub seq: i64,
}

impl DatedMemory<'_> {
    /// Returns true if the memory was valid, as far as known, when a conversation began; without a live conversation,
    /// if it is valid now. Explicit requests take effect at once: a statement that the person asked to remember is
    /// included, a forgotten one is not.
    #[must_use]
    pub fn held_at(&self, beginning: Option<Beginning>) -> bool {
        let memory = self.memory;
        let Some(began) = beginning else { return memory.status == Status::Active };
        // If the calendar shows the same time, the order of writing decides.
        let earlier =
            self.learned_at < began.at || self.learned_at == began.at && self.learned_after < began.seq;
        let known = !memory.extracted || earlier;
        match memory.status {
            Status::Active => known,
            Status::Done | Status::Superseded => known && self.changed_at >= began.at && !self.closed_by_hand,
            Status::Suggested | Status::Forgotten => false,
        }
    }
}

/// Writes the profile: the narrative first, then the lists, each in the order in which its statements were learned.
/// If not all fit, the most important are kept, and among equals the newest. With several speakers, each has a
/// section.
#[must_use]
pub fn write(memories: &[&Memory], narrative: Option<&str>, today: Date, most: u32) -> String {
    let narrative = narrative.map(str::trim).filter(|text| !text.is_empty() && estimate(text) < most);
    let left = most.saturating_sub(narrative.map_or(0, estimate));
    let current: Vec<&Memory> = memories.iter().copied().filter(|memory| is_current(memory, today)).collect();
    let mut people: Vec<Option<&str>> = Vec::new();
    for memory in &current {
        if !people.contains(&memory.speaker.as_deref()) {
            people.push(memory.speaker.as_deref());
        }
    }
    let share = left / u32::try_from(people.len()).unwrap_or(u32::MAX).max(1);
    let parts = people.into_iter().map(|person| {
        let of_person = current.iter().copied().filter(|memory| memory.speaker.as_deref() == person);
        let name = person.map(|name| format!("{name}:"));
        let lists =
            lists(of_person.collect(), today, share.saturating_sub(name.as_deref().map_or(0, estimate) + 1));
        if lists.is_empty() { lists } else { name.into_iter().chain([lists]).collect::<Vec<_>>().join("\n") }
    });
    let parts = narrative.map(str::to_owned).into_iter().chain(parts).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

/// The lists of one person's memories, within a token limit.
fn lists(memories: Vec<&Memory>, today: Date, most: u32) -> String {
    let mut ranked: Vec<(usize, &Memory)> = memories.into_iter().enumerate().collect();
    ranked.sort_by_key(|(learned, memory)| (rank(memory, today), Reverse(*learned)));
    let mut left = most.saturating_sub(HEADINGS);
    ranked.retain(|(_, memory)| {
        let cost = estimate(&line(memory)) + 1;
        let fits = cost < left;
        left -= if fits { cost } else { 0 };
        fits
    });
    loop {
        let mut kept = ranked.clone();
        kept.sort_by_key(|(learned, _)| *learned);
        let written = text(&kept.into_iter().map(|(_, memory)| memory).collect::<Vec<_>>());
        // The estimate of the whole text decides.
        if estimate(&written) <= most || ranked.pop().is_none() {
            return written;
        }
    }
}

/// The importance of a memory; lower is more important.
fn rank(memory: &Memory, today: Date) -> usize {
    if !memory.extracted {
        return 0;
    }
    const FIRST: [&str; 6] = ["name", "health", "home", "work", "family", "style"];
    if let Some(place) = FIRST.iter().position(|category| *category == memory.category) {
        return 1 + place;
    }
    let is_near = memory
        .day
        .is_some_and(|day| day.saturating_sub(jiff::Span::new().days(NEAR_DAYS)) <= today && today <= day);
    match memory.kind {
        Kind::Goal => 1 + FIRST.len(),
        Kind::Date if is_near => 1 + FIRST.len(),
        Kind::Fact | Kind::Outcome => 2 + FIRST.len(),
        Kind::Date => 3 + FIRST.len(),
        Kind::Preference => 4 + FIRST.len(),
    }
}

/// Returns false for a date that has passed, unless it recurs every year.
fn is_current(memory: &Memory, today: Date) -> bool {
    let passed = |day: Date| day.saturating_add(jiff::Span::new().days(DAYS_AFTER)) < today;
    memory.kind != Kind::Date || is_yearly(memory) || !memory.day.is_some_and(passed)
}

/// Returns true if a date recurs every year.
#[must_use]
pub fn is_yearly(memory: &Memory) -> bool {
    let text = memory.text.to_lowercase();
    [
        "birthday",
        "anniversary",
        "geburtstag",
        "jahrestag",
        "cumpleaños",
        "aniversario",
        "anniversaire",
        "生日",
        "纪念日",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn text(memories: &[&Memory]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (kind, heading) in headings() {
        let lines: Vec<String> =
            memories.iter().filter(|memory| memory.kind == kind).map(|memory| line(memory)).collect();
        if !lines.is_empty() {
            parts.push(format!("{heading}:\n{}", lines.join("\n")));
        }
    }
    parts.join("\n")
}

/// The kinds in the order of a profile, each with its heading.
#[must_use]
pub fn headings() -> [(Kind, &'static str); 5] {
    [
        (Kind::Fact, "Facts, in their own words"),
        (Kind::Preference, "Preferences"),
        (Kind::Goal, "Goals"),
        (Kind::Date, "Dates"),
        (Kind::Outcome, "Outcomes"),
    ]
}

fn line(memory: &Memory) -> String {
    format!("- {}", memory.text)
}

/// A statement of a written profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The person it is about, if several speak.
    pub speaker: Option<String>,
    /// The list it is in.
    pub kind: Kind,
    /// The statement.
    pub text: String,
}

/// Parses the lists of a profile.
#[must_use]
pub fn read(profile: &str) -> Vec<Listed> {
    let (mut speaker, mut list) = (None, None);
    let mut found = Vec::new();
    for line in profile.lines() {
        match (line.strip_prefix("- "), line.strip_suffix(':')) {
            (Some(text), _) => {
                let listed = |kind| Listed { speaker: speaker.clone(), kind, text: text.to_owned() };
                found.extend(list.map(listed));
            }
            (None, Some(heading)) => {
                list = headings().into_iter().find(|(_, known)| *known == heading).map(|(kind, _)| kind);
                if list.is_none() {
                    speaker = Some(heading.to_owned());
                }
            }
            (None, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;
    use crate::memory::{MemoryId, Reach};

    fn memory(number: u128, kind: Kind, text: &str) -> Memory {
        Memory {
            id: MemoryId(Uuid::from_u128(number)),
            kind,
            text: text.to_owned(),
            category: "other".to_owned(),
            confidence: 0.9,
            extracted: true,
            status: Status::Active,
            chat: "cli:chat:main".parse().unwrap(),
            reach: Reach::Chat,
            speaker: None,
            proofs: Vec::new(),
            day: None,
            valid_from: Timestamp::UNIX_EPOCH,
            valid_to: None,
            superseded_by: None,
            used_at: None,
        }
    }

    #[test]
    fn i4_a_profile_has_a_narrative_and_lists_and_keeps_to_its_cap() {
        let all = [
            memory(1, Kind::Goal, "I want to run a marathon"),
            memory(2, Kind::Fact, "I live in Berlin"),
            memory(3, Kind::Fact, "I have a cat"),
        ];
        let all: Vec<&Memory> = all.iter().collect();
        assert_eq!(
            write(&all, Some("A runner from Berlin."), date(2026, 1, 1), MOST_TOKENS),
            "A runner from Berlin.\nFacts, in their own words:\n- I live in Berlin\n- I have a cat\nGoals:\n- I want to run a marathon"
        );
        assert_eq!(write(&[], None, date(2026, 1, 1), MOST_TOKENS), "");
        let many: Vec<Memory> = (0..500)
            .map(|n| memory(n, Kind::Fact, &format!("My locker number {n} is at the station")))
            .collect();
        let written = write(&many.iter().collect::<Vec<_>>(), None, date(2026, 1, 1), MOST_TOKENS);
        assert!(estimate(&written) <= MOST_TOKENS && estimate(&written) > MOST_TOKENS * 8 / 10);
        assert!(written.contains("number 499 ") && !written.contains("number 1 "), "the newest stay");
    }

    #[test]
    fn i4_what_matters_most_stays_when_likes_arrive() {
        let of = |number, kind, category: &str, text: &str| Memory {
            category: category.to_owned(),
            ..memory(number, kind, text)
        };
        let mut all = vec![
            Memory { extracted: false, ..of(1, Kind::Fact, "other", "I am allergic to peanuts") },
            of(2, Kind::Fact, "name", "My name is Wei"),
            of(3, Kind::Fact, "work", "I work at GovTech"),
            of(4, Kind::Preference, "style", "Answer in bullet points"),
            of(5, Kind::Goal, "other", "Launch the API by June"),
        ];
        all.extend(
            (10..70).map(|n| {
                of(n, Kind::Preference, "food", &format!("I really like dish number {n} of the menu"))
            }),
        );
        let written = write(&all.iter().collect::<Vec<_>>(), None, date(2026, 1, 1), MOST_TOKENS);
        for kept in ["peanuts", "Wei", "GovTech", "bullet", "API", "number 69 "] {
            assert!(written.contains(kept), "{kept}:\n{written}");
        }
        assert!(!written.contains("number 10 "), "the oldest like goes first:\n{written}");
        assert!(estimate(&written) <= MOST_TOKENS);
    }

    #[test]
    fn i4_each_of_several_people_has_a_part_of_the_profile() {
        let of = |number, who: &str, text: &str| Memory {
            speaker: Some(who.to_owned()),
            ..memory(number, Kind::Fact, text)
        };
        let mut all: Vec<Memory> =
            (0..200).map(|n| of(n, "Ana", &format!("I own boat number {n}"))).collect();
        all.insert(0, of(900, "Ben", "I live in Rome"));
        let written = write(&all.iter().collect::<Vec<_>>(), None, date(2026, 1, 1), MOST_TOKENS);
        assert!(
            written.starts_with("Ben:\nFacts, in their own words:\n- I live in Rome\nAna:\n"),
            "{written}"
        );
        assert!(written.contains("number 199") && estimate(&written) <= MOST_TOKENS);
    }

    #[test]
    fn a_written_profile_can_be_read_back() {
        let of = |number, kind, who: Option<&str>, text: &str| Memory {
            speaker: who.map(str::to_owned),
            ..memory(number, kind, text)
        };
        let all = [
            of(1, Kind::Fact, None, "I live in Berlin"),
            of(2, Kind::Goal, None, "Run a marathon: by May"),
            of(3, Kind::Date, Some("Ana"), "Dentist: 4 March"),
        ];
        let written =
            write(&all.iter().collect::<Vec<_>>(), Some("A runner."), date(2026, 1, 1), MOST_TOKENS);
        let listed: Vec<(Option<&str>, Kind, String)> =
            all.iter().map(|memory| (memory.speaker.as_deref(), memory.kind, memory.text.clone())).collect();
        let read = read(&written);
        let read: Vec<(Option<&str>, Kind, String)> =
            read.iter().map(|it| (it.speaker.as_deref(), it.kind, it.text.clone())).collect();
        assert_eq!(read, listed);
    }

    #[test]
    fn i4_a_date_that_has_passed_leaves_the_profile_unless_it_comes_again() {
        let day = Some(date(2026, 3, 4));
        let dentist = Memory { day, ..memory(1, Kind::Date, "The dentist is on 4 March") };
        let birthday = Memory { day, ..memory(2, Kind::Date, "My birthday is 4 March") };
        let written = |today| write(&[&dentist, &birthday], None, today, MOST_TOKENS);
        assert!(written(date(2026, 3, 5)).contains("dentist"));
        assert_eq!(written(date(2026, 4, 5)), "Dates:\n- My birthday is 4 March");
    }

    #[test]
    fn d7_a_conversation_keeps_what_held_when_it_began() {
        let minute = |n: i64| Timestamp::from_second(n * 60).unwrap();
        let at = |memory: &Memory, learned: i64, changed: i64| {
            let standing = DatedMemory {
                memory,
                learned_at: minute(learned),
                changed_at: minute(changed),
                learned_after: learned,
                closed_by_hand: false,
            };
            standing.held_at(Some(Beginning { at: minute(10), seq: 10 }))
        };
        let active = memory(1, Kind::Fact, "I live in Berlin");
        let closed = Memory { status: Status::Superseded, ..active.clone() };
        let told = Memory { extracted: false, ..active.clone() };
        let forgotten = Memory { status: Status::Forgotten, ..active.clone() };
        assert!(at(&active, 9, 9) && !at(&active, 10, 10) && !at(&active, 11, 11));
        assert!(at(&closed, 1, 11) && !at(&closed, 1, 9), "what was replaced since then still stands");
        assert!(at(&told, 11, 11), "what was told to be remembered counts at once");
        assert!(!at(&forgotten, 1, 11), "and so does what was forgotten");
    }
}
