//! Splits incoming bytes into lines. A line or a character may arrive in pieces.

/// An incomplete line.
pub(super) struct Lines {
    pending: Vec<u8>,
    longest: usize,
}

/// The line exceeds the maximum length of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Lines {
    pub(super) fn new(longest: usize) -> Self {
        Self { pending: Vec::new(), longest }
    }

    /// Adds bytes and returns the completed lines, without empty ones.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        // The part after the last line end begins the next line.
        let rest = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.extend(piece)?;
            lines.extend(self.rest());
        }
        self.extend(rest)?;
        Ok(lines)
    }

    /// The last line, if it has no line end.
    pub(super) fn rest(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.pending).trim().to_owned();
        self.pending.clear();
        (!line.is_empty()).then_some(line)
    }

    fn extend(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        if self.pending.len() + piece.len() > self.longest {
            return Err(TooLong);
        }
        self.pending.extend_from_slice(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_the_same_however_the_bytes_are_cut(text in "[aé日🛥 \r\n]{0,80}", cut in 1usize..9) {
            let mut lines = Lines::new(1000);
            let mut got = Vec::new();
            for piece in text.as_bytes().chunks(cut) {
                got.extend(lines.push(piece).unwrap());
            }
            got.extend(lines.rest());
            let expected: Vec<_> = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn g9_a_line_that_never_ends_is_given_up() {
        let mut lines = Lines::new(8);
        assert_eq!(lines.push(b"12345"), Ok(vec![]));
        assert_eq!(lines.push(b"678\n1234"), Ok(vec!["12345678".to_owned()]));
        assert_eq!(lines.push(b"56789"), Err(TooLong));
    }
}
