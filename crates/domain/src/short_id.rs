//! Short ids for people: the shortest unambiguous prefix.

use uuid::Uuid;

/// Minimum number of digits shown. They cover the id's timestamp, so no later id gets the same prefix.
const MIN_SHOWN: usize = 12;
/// Minimum number of digits accepted; fewer are more likely a typo.
const MIN_WRITTEN: usize = 4;
/// Number of digits of a whole id.
const FULL_LENGTH: usize = 32;

/// An id prefix as a person writes it, with or without dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdPrefix {
    first: u128,
    last: u128,
}

impl IdPrefix {
    /// Parses a prefix; `None` if the text cannot be one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
        if !(MIN_WRITTEN..=FULL_LENGTH).contains(&digits.len())
            || !digits.chars().all(|c| c.is_ascii_hexdigit())
        {
            return None;
        }
        let bits = u32::try_from((FULL_LENGTH - digits.len()) * 4).ok()?;
        let value = u128::from_str_radix(&digits, 16).ok()?;
        let first = value.checked_shl(bits).unwrap_or_default();
        let rest = 1u128.checked_shl(bits).map_or(0, |rest| rest - 1);
        Some(Self { first, last: first | rest })
    }

    /// The first and the last id with this prefix.
    #[must_use]
    pub fn range(self) -> (Uuid, Uuid) {
        (Uuid::from_u128(self.first), Uuid::from_u128(self.last))
    }

    /// Returns true if an id has this prefix.
    #[must_use]
    pub fn matches(self, id: Uuid) -> bool {
        (self.first..=self.last).contains(&id.as_u128())
    }
}

/// The shortest prefix of an id that none of the others has. The others may include the id itself.
#[must_use]
pub fn short(id: Uuid, others: impl IntoIterator<Item = Uuid>) -> String {
    let shared = |other: Uuid| (id.as_u128() ^ other.as_u128()).leading_zeros() as usize / 4;
    let longest = others.into_iter().filter(|other| *other != id).map(shared).max().unwrap_or(0);
    let digits = (longest + 1).clamp(MIN_SHOWN, FULL_LENGTH);
    let whole = id.hyphenated().to_string();
    let mut left = digits;
    whole
        .chars()
        .take_while(|c| {
            let is_shown = left > 0;
            left -= usize::from(*c != '-' && is_shown);
            is_shown
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_beginning_of_an_id_is_read_with_or_without_dashes() {
        let id: Uuid = "01a1e54c-7ced-7432-a0c3-508e60ce3e73".parse().unwrap();
        for text in ["01a1", "01A1E54C", "01a1e54c-7ced", "01a1e54c7ced7", &id.to_string()] {
            assert!(IdPrefix::read(text).unwrap().matches(id), "{text}");
        }
        assert!(!IdPrefix::read("01a1e54d").unwrap().matches(id));
        for text in ["", "01a", "topic:7", "x-12", "01a1e54c-7ced-7432-a0c3-508e60ce3e731"] {
            assert_eq!(IdPrefix::read(text), None, "{text}");
        }
        assert_eq!(short(id, []), "01a1e54c-7ced");
        assert_eq!(
            short(id, ["01a1e54c-7ced-7433-a0c3-508e60ce3e73".parse().unwrap()]),
            "01a1e54c-7ced-7432"
        );
    }

    proptest! {
        #[test]
        fn a_short_id_names_its_own_id_and_no_other(a in any::<u128>(), b in any::<u128>(), shared in 0u32..128) {
            let b = if shared == 0 { b } else { a ^ (b >> shared) };
            let (a, b) = (Uuid::from_u128(a), Uuid::from_u128(b));
            let prefix = IdPrefix::read(&short(a, [a, b])).unwrap();
            prop_assert!(prefix.matches(a));
            prop_assert!(a == b || !prefix.matches(b));
        }
    }
}
