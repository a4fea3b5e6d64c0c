//! Made-up talk with natural word frequencies: a Zipf distribution whose commonest words are those of English, and
//! lengths like people's messages. The same seed gives the same talk.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::message::Role;

use super::talk::Said;

/// Number of different words.
const VOCABULARY: usize = 40_000;

/// The commonest words of English, in order; the rest of the vocabulary is made of syllables.
const COMMON: &str = "the be to of and a in that have I it for not on with he as you do at this but his by from they we say her she or \
an will my one all would there their what so up out if about who get which go me when make can like time no just him know take people \
into year your good some could them see other than then now look only come its over think also back after use two how our work first \
well way even new want because any these give day most us are is was were had has did said been";

/// A small generator of random numbers: splitmix64.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 up to `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// Phrases of time in questions, counted from the end of a chat.
const TIMES: [&str; 3] = ["yesterday", "last week", "last month"];

/// Words by rank, and how often each comes.
pub struct Language {
    words: Vec<String>,
    /// Up to each rank, the share of all speech.
    cumulative: Vec<f64>,
}

impl Language {
    pub fn new() -> Self {
        let mut chance = Chance::new(7);
        let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        while words.len() < VOCABULARY {
            words.push(made_up(&mut chance));
        }
        let weight = |rank: usize| 1.0 / (rank as f64 + 2.7).powf(1.05);
        let total: f64 = (0..VOCABULARY).map(weight).sum();
        let mut sum = 0.0;
        let cumulative = (0..VOCABULARY)
            .map(|rank| {
                sum += weight(rank) / total;
                sum
            })
            .collect();
        Self { words, cumulative }
    }

    fn word(&self, chance: &mut Chance) -> &str {
        let share = chance.share();
        let rank = self.cumulative.partition_point(|sum| *sum < share);
        self.words.get(rank.min(VOCABULARY - 1)).map_or("word", String::as_str)
    }

    /// A message: mostly short, now and then long.
    pub fn message(&self, chance: &mut Chance) -> String {
        let length = 4 + chance.below(16) + if chance.below(10) == 0 { chance.below(80) } else { 0 };
        self.words(chance, length)
    }

    /// A question: a few words of the same language.
    pub fn question(&self, chance: &mut Chance) -> String {
        let length = 4 + chance.below(6);
        self.words(chance, length)
    }

    /// A question of which every fourth names a time.
    pub fn question_of_a_time(&self, chance: &mut Chance) -> String {
        let question = self.question(chance);
        match TIMES.get(chance.below(12) as usize) {
            Some(time) => format!("{question} {time}"),
            None => question,
        }
    }

    /// A message of a chat, forty a day and two minutes apart. A chat that begins late skips the first `late` of them.
    pub fn said(&self, turn: u64, late: u64, chance: &mut Chance) -> Said {
        let start = Timestamp::from_second(1_700_000_000).unwrap_or_default();
        let day = i64::try_from((turn + late) / 40).unwrap_or(0);
        let minute = i64::try_from(turn % 40).unwrap_or(0) * 2;
        Said {
            at: start + SignedDuration::from_hours(24 * day) + SignedDuration::from_mins(minute),
            role: if turn.is_multiple_of(2) { Role::User } else { Role::Assistant },
            speaker: None,
            text: self.message(chance),
        }
    }

    fn words(&self, chance: &mut Chance, length: u64) -> String {
        (0..length).map(|_| self.word(chance)).collect::<Vec<_>>().join(" ")
    }
}

fn made_up(chance: &mut Chance) -> String {
    const ONSETS: [&str; 16] =
        ["b", "br", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v"];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ou", "ea"];
    let mut word = String::new();
    for _ in 0..2 + chance.below(3) {
        word.push_str(ONSETS.get(chance.below(16) as usize).unwrap_or(&"t"));
        word.push_str(VOWELS.get(chance.below(8) as usize).unwrap_or(&"a"));
    }
    word
}
