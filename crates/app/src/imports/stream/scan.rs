//! A fast path that finds the entries of arrays in the source's buffer. The JSON parser reads one byte at a time,
//! which is slow for a large file; the scanner looks only at brackets and quotes, and each entry is then parsed once,
//! as a whole.

use std::io::{self, BufRead, ErrorKind};

use memchr::{memchr_iter, memchr2};
use serde::de::IgnoredAny;
use throughline_engine::Inbound;

use super::{EntryReader, Layout, Object};
use crate::imports::{Sink, explain};
use crate::output::Failure;

/// The line at which a file is malformed, and the reason.
type ScanError = (u64, String);

/// Scans a source for entries.
pub struct Scanner<'a> {
    source: &'a mut dyn BufRead,
    /// The number of lines read.
    pub newlines: u64,
    /// The number of bytes that the current entry may still have.
    left: u64,
    longest: u64,
}

impl<'a> Scanner<'a> {
    /// Scans a source from its beginning, with entries of at most `longest` bytes.
    pub fn new(source: &'a mut dyn BufRead, longest: u64) -> Self {
        Self { source, newlines: 0, left: longest, longest }
    }

    /// Reads documents that are arrays of entries, or entries themselves. Returns the position of the first error, or
    /// `None` at the end of the file or before a document of another shape, which stays unread.
    pub fn read_entries(
        &mut self,
        layout: &Layout,
        needs: &str,
        sink: &mut Sink<'_>,
        read_entry: &mut EntryReader<'_>,
    ) -> Result<Option<Option<ScanError>>, Failure> {
        if self.fill()?.starts_with("\u{feff}".as_bytes()) {
            self.source.consume('\u{feff}'.len_utf8());
        }
        let mut entry = Vec::new();
        let mut read_one = |scanner: &mut Self| scanner.entry(&mut entry, needs, sink, read_entry);
        loop {
            self.left = self.longest;
            let ended = match self.peek() {
                Ok(None) => return Ok(Some(None)),
                Ok(Some(b'[')) => self.array(needs, &mut read_one)?,
                Ok(Some(b'{')) if matches!(layout.object, Object::Entry) => read_one(self)?,
                Ok(Some(_)) => return Ok(None),
                Err(error) => Some(self.broken(error)?),
            };
            if ended.is_some() {
                return Ok(Some(ended));
            }
        }
    }

    fn array(
        &mut self,
        needs: &str,
        read_one: &mut impl FnMut(&mut Self) -> Result<Option<ScanError>, Failure>,
    ) -> Result<Option<ScanError>, Failure> {
        let expected = |what: &str| format!("{what}; {needs}");
        self.source.consume(1);
        let mut is_first = true;
        loop {
            self.left = self.longest;
            let next = match self.peek() {
                Ok(next) => next,
                Err(error) => return self.broken(error).map(Some),
            };
            match next {
                None => return Ok(Some((self.line(), expected("EOF while parsing a list")))),
                Some(b']') => {
                    self.source.consume(1);
                    return Ok(None);
                }
                Some(b',') if !is_first => {
                    self.source.consume(1);
                    if matches!(self.peek(), Ok(Some(b']'))) {
                        return Ok(Some((self.line(), expected("trailing comma"))));
                    }
                }
                Some(_) if !is_first => return Ok(Some((self.line(), expected("expected `,` or `]`")))),
                Some(_) => {}
            }
            is_first = false;
            if let Some(broken) = read_one(self)? {
                return Ok(Some(broken));
            }
        }
    }

    /// Reads one entry and passes its messages on.
    fn entry(
        &mut self,
        entry: &mut Vec<u8>,
        needs: &str,
        sink: &mut Sink<'_>,
        read_entry: &mut EntryReader<'_>,
    ) -> Result<Option<ScanError>, Failure> {
        entry.clear();
        self.left = self.longest;
        let line = match self.peek().map(|_| self.line()).and_then(|line| self.value(entry).map(|()| line)) {
            Ok(line) => line,
            Err(error) => return self.broken(error).map(Some),
        };
        let Ok(text) = std::str::from_utf8(entry) else {
            return Ok(Some((line, format!("invalid unicode code point; {needs}"))));
        };
        let mut broken = None;
        // The importer parses the entry as a whole, so its error may mean that the file is malformed here.
        read_entry(text, line, &mut |at, found: Result<Inbound, String>| {
            if found.is_err()
                && let Err(error) = serde_json::from_str::<IgnoredAny>(text)
            {
                broken = Some((line + (error.line() as u64).saturating_sub(1), explain(&error, needs)));
                return Ok(());
            }
            sink(at, found)
        })?;
        Ok(broken)
    }

    /// Reads the bytes of one value, up to the end of the source.
    fn value(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        let mut seen = ValueState::default();
        loop {
            let chunk = self.fill()?;
            let (used, is_whole) = seen.advance(chunk);
            let bytes = chunk.get(..used).unwrap_or_default();
            into.extend_from_slice(bytes);
            let newlines = memchr_iter(b'\n', bytes).count() as u64;
            self.take(used, newlines)?;
            if is_whole || used == 0 {
                return Ok(());
            }
        }
    }

    /// The next byte that is not whitespace, which stays unread; `None` at the end.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = self.fill()?;
            let Some(first) = chunk.first() else { return Ok(None) };
            let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            if !is_space(first) {
                return Ok(Some(*first));
            }
            let spaces = chunk.iter().take_while(|byte| is_space(byte)).count();
            let newlines = memchr_iter(b'\n', chunk.get(..spaces).unwrap_or_default()).count() as u64;
            self.take(spaces, newlines)?;
        }
    }

    fn fill(&mut self) -> io::Result<&[u8]> {
        while let Err(error) = self.source.fill_buf() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.source.fill_buf()
    }

    fn take(&mut self, bytes: usize, newlines: u64) -> io::Result<()> {
        self.source.consume(bytes);
        self.newlines += newlines;
        self.left = self.left.checked_sub(bytes as u64).ok_or(ErrorKind::FileTooLarge)?;
        Ok(())
    }

    fn line(&self) -> u64 {
        self.newlines + 1
    }

    /// The position and reason of an error.
    fn broken(&self, error: io::Error) -> Result<ScanError, Failure> {
        match error.kind() {
            ErrorKind::FileTooLarge => {
                Ok((self.line(), format!("the entry is longer than {} bytes", self.longest)))
            }
            ErrorKind::InvalidData => Ok((self.line(), error.to_string())),
            _ => Err(error.into()),
        }
    }
}

/// The state of scanning a value.
#[derive(Default)]
struct ValueState {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl ValueState {
    /// The number of bytes of a chunk that belong to the value, and whether the value ends there.
    fn advance(&mut self, chunk: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while let Some(rest) = chunk.get(at..).filter(|rest| !rest.is_empty()) {
            if self.is_escaped {
                self.is_escaped = false;
                at += 1;
                continue;
            }
            let (found, byte) = match self.next(rest) {
                Some(found) => found,
                None => return (chunk.len(), false),
            };
            match byte {
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => self.depth -= 1,
                // The byte after a number, boolean or null.
                _ => return (at + found, true),
            }
            at += found + 1;
            if self.depth == 0 && !self.in_string {
                return (at, true);
            }
        }
        (chunk.len(), false)
    }

    /// The next relevant byte, and its index.
    fn next(&self, rest: &[u8]) -> Option<(usize, u8)> {
        let found = match (self.in_string, self.depth) {
            (true, _) => memchr2(b'"', b'\\', rest),
            (false, 0) => rest.iter().position(|byte| b"\"{}[], \t\r\n".contains(byte)),
            (false, _) => rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']')),
        };
        found.and_then(|place| Some((place, *rest.get(place)?)))
    }
}
