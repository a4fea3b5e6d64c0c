//! Time tiers: the live conversation in full, today's in full while the budget lasts, older ones by their summaries.
//! Messages without a summary are shown verbatim, newest first, within the budget.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::past::Candidate;
use super::preset::Older;
use super::window::{Choice, block_start, cost};
use crate::time::days_before;

/// Share of the budget for the beginning of an oversize live conversation.
const HEAD_PERCENT: u64 = 15;
/// Number of last days whose conversations are shown verbatim while the budget lasts.
const WEEK: i32 = 7;

/// The reason for showing an older message although a summary covers it.
const FITS: &str = "older than a week, and it fits";

/// The reference points and limits of the tiers.
pub(super) struct Frame<'a> {
    /// The start of the live conversation, or now.
    pub as_of: Timestamp,
    pub zone: &'a TimeZone,
    /// For each candidate, whether a summary covers it.
    pub covered: Vec<bool>,
    pub block: u64,
    /// Token limit as soon as something older than the live conversation is shown.
    pub older: u32,
    /// Token limit if that is the last conversation before the live one and nothing else.
    pub last: u32,
    /// Token limit if messages are shown that are older than a week and have a summary.
    pub oldest: u32,
}

/// For each candidate, why it is kept, or `None`.
pub(super) fn choose(
    all: &[Candidate],
    frame: &Frame<'_>,
    carry_over: SignedDuration,
    older: Older,
    budget: u32,
) -> Choice {
    let Tiers { today_from, live_from, last_from } = Tiers::of(all, frame, carry_over);
    let is_of_the_week = |index: usize| {
        all.get(index).is_some_and(|it| days_before(it.position.at, frame.as_of, frame.zone) <= WEEK)
    };
    let why = |index: usize| match older {
        _ if index >= live_from => Some("the live conversation"),
        _ if index >= today_from => Some("a conversation of today"),
        Older::ByRelevance if index >= last_from => Some("where the talk left off"),
        Older::ByRelevance if is_of_the_week(index) => Some("a conversation of the last days"),
        Older::Verbatim if frame.covered.get(index) == Some(&true) => None,
        _ if frame.covered.get(index) == Some(&true) => Some(FITS),
        _ => Some("no summary covers it yet"),
    };
    let live: Vec<&Candidate> = all.iter().skip(live_from).collect();
    if cost(live.iter().copied()) > budget {
        let kept = head_and_tail(&live, budget, frame.block);
        return std::iter::repeat_n(None, live_from).chain(kept).collect();
    }
    // One run from the newest back to the first that does not fit: past the messages with summaries, and, if those are
    // few, through them.
    let start = |most: u32, is_wanted: &dyn Fn(usize) -> bool| {
        let wanted: Vec<(usize, &Candidate)> =
            all.iter().enumerate().filter(|(index, _)| is_wanted(*index)).collect();
        let line: Vec<&Candidate> = wanted.iter().map(|(_, candidate)| *candidate).collect();
        let start = wanted.get(block_start(&line, budget.min(most), frame.block));
        start.map_or(all.len(), |(index, _)| *index).min(live_from)
    };
    let through = start(frame.oldest, &|index| why(index).is_some());
    let is_through = |index: usize| index >= through && why(index) == Some(FITS);
    let spent = cost(all.iter().enumerate().filter(|(index, _)| is_through(*index)).map(|(_, it)| it));
    let is_over = |index: usize| why(index).is_some_and(|why| why != FITS);
    let over = start(frame.older.saturating_sub(spent), &is_over);
    let left_off = start(frame.last.saturating_sub(spent), &|index| is_over(index) && index >= last_from);
    let is_kept = |index: usize| is_through(index) || is_over(index) && index >= over.min(left_off);
    (0..all.len()).map(|index| why(index).filter(|_| is_kept(index))).collect()
}

/// The beginnings of the tiers, as indexes of candidates.
struct Tiers {
    /// Today's conversations.
    today_from: usize,
    /// The live conversation. Today's newest one counts as live even after the silence that ends it: only the greeting
    /// changes then.
    live_from: usize,
    /// The last conversation before the live one, whatever its age.
    last_from: usize,
}

impl Tiers {
    fn of(all: &[Candidate], frame: &Frame<'_>, carry_over: SignedDuration) -> Self {
        let is_today = |ended: Timestamp| {
            days_before(ended, frame.as_of, frame.zone) <= 0 || frame.as_of.duration_since(ended) < carry_over
        };
        let conversations = || all.chunk_by(|one, next| one.conversation == next.conversation).rev();
        let todays = conversations()
            .take_while(|conversation| conversation.last().is_some_and(|last| is_today(last.position.at)));
        let of_today: Vec<usize> = todays.map(<[Candidate]>::len).collect();
        let live_from = all.len() - of_today.first().copied().unwrap_or(0);
        let before_live =
            conversations().nth(usize::from(!of_today.is_empty())).map_or(0, <[Candidate]>::len);
        Self {
            today_from: all.len() - of_today.iter().sum::<usize>(),
            live_from,
            last_from: live_from - before_live,
        }
    }
}

/// The beginning and the end of a conversation that is too long to be shown in full.
fn head_and_tail(live: &[&Candidate], budget: u32, block: u64) -> Choice {
    let share = u32::try_from(u64::from(budget) * HEAD_PERCENT / 100).unwrap_or(0);
    let mut spent = 0;
    let fits = |candidate: &&&Candidate| {
        let fits = spent + candidate.cost <= share;
        spent += if fits { candidate.cost } else { 0 };
        fits
    };
    let head = live.iter().take_while(fits).count();
    let rest = live.get(head..).unwrap_or_default();
    let tail = head + block_start(rest, budget - spent, block);
    let why = |index: usize| match index {
        _ if index < head => Some("the beginning of the live conversation"),
        _ if index >= tail => Some("the live conversation"),
        _ => None,
    };
    (0..live.len()).map(why).collect()
}
