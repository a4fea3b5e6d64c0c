//! The profile: who a person is now, written from memories and never longer than its cap.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::memory::{Kind, Memory, Status};
use throughline_text::tokens::estimate;

/// What a profile may cost, in tokens.
pub const MOST_TOKENS: u32 = 500;
/// What the headings of the lists cost together, in tokens.
const HEADINGS: u32 = 24;
/// Days for which a date stays in the profile after its day.
const DAYS_AFTER: i32 = 2;

/// A memory, and when it was written down and last changed, by the calendar.
#[derive(Debug, Clone, Copy)]
pub struct DatedMemory<'a> {
    /// The memory as it is now.
    pub memory: &'a Memory,
    /// When it was written down.
    pub learned_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// The number of the newest message when it was written down.
    pub learned_after: i64,
    /// Whether a person closed it by hand.
    pub closed_by_hand: bool,
}

/// Where a conversation began: its first message's moment and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// When.
    pub at: Timestamp,
    /// Its number.
    pub seq: i64,
}

impl DatedMemory<'_> {
    /// Whether it held when a conversation began, as far as was known then; or holds now, if none is live. What a
    /// person asked for counts at once: what was told to be remembered is there, what was forgotten is not.
    #[must_use]
    pub fn held_at(&self, beginning: Option<Beginning>) -> bool {
        let memory = self.memory;
        let Some(began) = beginning else { return memory.status == Status::Active };
        // Where the calendar cannot tell, the order of writing does.
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

/// Writes the profile: the narrative first, then the lists, each in the order its statements were learned. Where all do
/// not fit, the newest are kept.
#[must_use]
pub fn write(memories: &[&Memory], narrative: Option<&str>, today: Date, most: u32) -> String {
    let narrative = narrative.map(str::trim).filter(|text| !text.is_empty() && estimate(text) < most);
    let mut left = most.saturating_sub(narrative.map_or(0, estimate) + HEADINGS);
    let newest_first = memories.iter().rev().copied().filter(|memory| is_current(memory, today));
    let fits = |memory: &&Memory| {
        let cost = estimate(&line(memory)) + 1;
        left = left.saturating_sub(cost);
        left > 0
    };
    let mut kept: Vec<&Memory> = newest_first.take_while(fits).collect();
    kept.reverse();
    let mut written = text(&kept, narrative);
    // The estimate of the whole decides.
    while estimate(&written) > most && !kept.is_empty() {
        kept.remove(0);
        written = text(&kept, narrative);
    }
    written
}

/// A date that has passed is history, unless it comes again each year.
fn is_current(memory: &Memory, today: Date) -> bool {
    let passed = |day: Date| day.saturating_add(jiff::Span::new().days(DAYS_AFTER)) < today;
    memory.kind != Kind::Date || is_yearly(memory) || !memory.day.is_some_and(passed)
}

/// Whether a date comes again each year.
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

fn text(memories: &[&Memory], narrative: Option<&str>) -> String {
    let mut parts: Vec<String> = narrative.map(str::to_owned).into_iter().collect();
    for (kind, heading) in headings() {
        let lines: Vec<String> =
            memories.iter().filter(|memory| memory.kind == kind).map(|memory| line(memory)).collect();
        if !lines.is_empty() {
            parts.push(format!("{heading}:\n{}", lines.join("\n")));
        }
    }
    parts.join("\n")
}

/// The kinds in the order of a profile, each with what stands above its list.
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
    match &memory.speaker {
        Some(speaker) => format!("- {speaker}: {}", memory.text),
        None => format!("- {}", memory.text),
    }
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
    fn i4_a_profile_has_a_portrait_and_lists_and_keeps_to_its_cap() {
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
