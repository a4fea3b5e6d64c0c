//! Times of day in a text, compared by what they mean: "7:30 pm" is "19:30" and "19.30 Uhr".

use super::pieces::{Class, Piece};

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    /// Minutes since midnight, as far as they are told.
    minutes: u16,
    /// Whether it is told which half of the day is meant.
    is_exact: bool,
}

impl Time {
    /// The time that begins at a piece, and the piece after it.
    pub fn read(pieces: &[Piece], at: usize) -> Option<(Self, usize)> {
        let first = pieces.get(at)?;
        let is_inside = at > 0 && matches!(first.gap.as_str(), ":" | ".") && is_digits(pieces, at - 1);
        let hour = number(pieces, at).filter(|hour| *hour < 25 && !is_inside)?;
        let text = |at: usize| pieces.get(at).map(|piece| piece.text.as_str());
        let gap = |at: usize| pieces.get(at).map_or("\n", |piece| piece.gap.as_str());
        let minute = |at: usize| {
            let is_long = pieces.get(at).is_some_and(|piece| piece.text.len() == 2);
            number(pieces, at).filter(|minute| is_long && *minute < 60)
        };
        let is_hour_mark = matches!(text(at + 1), Some("uhr" | "h")) && matches!(gap(at + 1), "" | " ");
        let (minutes, mut next, is_clock) = match (gap(at + 1), minute(at + 1), is_hour_mark) {
            (":" | ".", Some(minutes), _) => (minutes, at + 2, gap(at + 1) == ":"),
            (_, _, true) => match minute(at + 2).filter(|_| matches!(gap(at + 2), "" | " ")) {
                Some(minutes) => (minutes, at + 3, true),
                None => (0, at + 1, false),
            },
            _ => (0, at + 1, false),
        };
        // 12:30:45 and 00:1B:44 are no times of day.
        if is_clock && matches!(gap(next), ":" | ".") && pieces.get(next).is_some_and(|piece| piece.len() < 3)
        {
            return None;
        }
        let (mark, after) = match (text(next), text(next + 1)) {
            _ if !matches!(gap(next), "" | " ") => (None, next),
            (Some("am"), _) => (Some(Half::Before), next + 1),
            (Some("pm"), _) => (Some(Half::After), next + 1),
            (Some("a"), Some("m")) if gap(next + 1) == "." => (Some(Half::Before), next + 2),
            (Some("p"), Some("m")) if gap(next + 1) == "." => (Some(Half::After), next + 2),
            (Some("uhr"), _) => (Some(Half::Told), next + 1),
            _ => (None, next),
        };
        next = after;
        if !is_clock && mark.is_none() {
            return None;
        }
        let hour = match mark {
            Some(Half::After) if hour < 12 => hour + 12,
            Some(Half::Before) if hour == 12 => 0,
            _ => hour,
        };
        let is_exact = mark.is_some() || hour > 12 || first.text.starts_with('0');
        Some((Self { minutes: hour * 60 + minutes, is_exact }, next))
    }

    /// Returns true if another time is this one. "7:30" is a part of "7:30 pm", and not the other way round.
    pub fn is(self, other: Self) -> bool {
        const HALF_DAY: u16 = 12 * 60;
        match (self.is_exact, other.is_exact) {
            (true, _) => self == other,
            (false, false) => self.minutes == other.minutes,
            (false, true) => self.minutes % HALF_DAY == other.minutes % HALF_DAY,
        }
    }
}

/// The half of the day that a mark tells.
#[derive(Clone, Copy)]
enum Half {
    Before,
    After,
    /// The hour itself tells it.
    Told,
}

fn is_digits(pieces: &[Piece], at: usize) -> bool {
    pieces.get(at).is_some_and(|piece| piece.class == Class::Digits)
}

fn number(pieces: &[Piece], at: usize) -> Option<u16> {
    let piece = pieces.get(at).filter(|piece| piece.class == Class::Digits && piece.text.len() <= 2)?;
    piece.text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;

    #[test]
    fn j2_a_time_of_day_is_the_same_in_every_notation() {
        for (one, other, expected) in [
            ("7:30 pm", "19:30", true),
            ("7:30 pm", "7.30pm", true),
            ("7:30 pm", "7:30 p.m.", true),
            ("7:30", "7:30 pm", true),
            ("7:30 pm", "7:30", false),
            ("7:30 pm", "7:30 am", false),
            ("14:30 Uhr", "14 Uhr 30", true),
            ("14h30", "14:30", true),
            ("5 pm", "17:00", true),
            ("12 am", "0:00 Uhr", true),
        ] {
            let time = |text: &str| Time::read(&pieces(text), 0).unwrap().0;
            assert_eq!(time(one).is(time(other)), expected, "{one} and {other}");
        }
        for text in ["7", "7.30", "12:30:45", "7 dogs", "3 h"] {
            assert_eq!(Time::read(&pieces(text), 0), None, "{text}");
        }
    }
}
