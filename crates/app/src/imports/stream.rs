//! Reads JSON documents as a stream of entries, with one entry in memory at a time. A document is an array, an object
//! that contains an array, or a single object. Interpreting entries is the importer's business.

mod scan;

use std::cell::Cell;
use std::io::{self, BufRead, ErrorKind, Read};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use self::scan::Scanner;
use super::{LONGEST_CONVERSATION, LONGEST_ENTRY, Sink, SinkOf, explain};
use crate::output::Failure;

/// The shape of a format's documents.
pub struct Layout {
    /// The description of the format's documents in errors.
    pub expects: &'static str,
    /// The meaning of an object at the top level.
    pub object: Object,
    /// Maximum size of an entry in bytes, with escapes, which bounds the memory of an import.
    pub longest: u64,
}

/// The layout of exports of assistants: conversations, each in memory as a whole.
pub const CONVERSATIONS: Layout =
    Layout { expects: "an array of conversations", object: Object::Entry, longest: LONGEST_CONVERSATION };

/// The meaning of an object at the top level of a file.
#[derive(Clone, Copy)]
pub enum Object {
    /// The object is an entry.
    Entry,
    /// The object has arrays of entries under these keys.
    Lists(&'static [&'static str]),
}

/// Parses an entry's text, whose first line is given, and passes its messages to the sink.
pub type EntryReader<'a> = dyn FnMut(&str, u64, &mut Sink<'_>) -> Result<(), Failure> + 'a;

/// Reads documents until one is malformed or has an entry that is too long.
pub fn read_entries(
    source: &mut dyn BufRead,
    layout: &Layout,
    sink: &mut Sink<'_>,
    read_entry: &mut EntryReader<'_>,
) -> Result<(), Failure> {
    let needs = format!("a file needs {}", layout.expects);
    let mut scanner = Scanner::new(source, layout.longest);
    if let Some(ended) = scanner.read_entries(layout, &needs, sink, read_entry)? {
        return ended.map_or(Ok(()), |(line, why)| not_read(sink, line, &why));
    }
    let lines_before = scanner.newlines;
    read_documents(source, lines_before, sink, layout.longest, &needs, |json, position, sink, failure| {
        let mut document = Document { position, layout, sink, read_entry, failure };
        match layout.object {
            // The check for the end of file has consumed the first byte of the next document.
            Object::Entry if position.last.get() == b'{' => Entry(&mut document).deserialize(json),
            _ => document.deserialize(json),
        }
    })
}

/// The JSON parser.
pub type Json<'a> = serde_json::Deserializer<serde_json::de::IoRead<Tracked<'a>>>;

/// Reads the JSON documents of a source, of which some lines were already read, with `read`, until one is malformed or
/// has an entry of more than `longest` bytes. `needs` names what a file must have.
pub fn read_documents(
    source: &mut dyn BufRead,
    lines_before: u64,
    sink: &mut Sink<'_>,
    longest: u64,
    needs: &str,
    mut read: impl FnMut(
        &mut Json<'_>,
        &Position,
        &mut Sink<'_>,
        &mut Option<Failure>,
    ) -> Result<(), serde_json::Error>,
) -> Result<(), Failure> {
    if source.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
        source.consume('\u{feff}'.len_utf8());
    }
    let position = Position {
        newlines: Cell::new(lines_before),
        last: Cell::new(0),
        left_of_entry: Cell::new(longest),
        longest,
    };
    let mut json = serde_json::Deserializer::from_reader(Tracked { source, position: &position });
    loop {
        let mut failure = None;
        let read = match json.end() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_io() => Err(error),
            Err(_) => read(&mut json, &position, sink, &mut failure),
        };
        let Err(error) = read else { continue };
        if let Some(failure) = failure {
            return Err(failure);
        }
        let why = match error.io_error_kind() {
            Some(ErrorKind::FileTooLarge) => format!("the entry is longer than {longest} bytes"),
            Some(ErrorKind::InvalidData) => io::Error::from(error).to_string(),
            Some(_) => return Err(io::Error::from(error).into()),
            None => explain(&error, needs),
        };
        return not_read(sink, position.line(), &why);
    }
}

/// Reports that a file is malformed, after which the start of the next entry is unknown.
fn not_read(sink: &mut Sink<'_>, line: u64, why: &str) -> Result<(), Failure> {
    sink(line, Err(format!("{why}. The rest of the file was not read")))
}

/// Finds the lines of an entry's parts.
pub struct Lines<'a> {
    entry: &'a str,
    first: u64,
    newlines: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of an entry that begins at line `first`.
    pub fn of(entry: &'a str, first: u64) -> Self {
        Self { entry, first, newlines: memchr::memchr_iter(b'\n', entry.as_bytes()).collect() }
    }

    /// The first line of a part.
    pub fn line(&self, part: &'a RawValue) -> u64 {
        let at = (part.get().as_ptr() as usize).saturating_sub(self.entry.as_ptr() as usize);
        self.first + self.newlines.partition_point(|newline| *newline < at) as u64
    }
}

/// Receives a line with its number, and the sink for its content.
pub type EachLine<'a, S> = dyn FnMut(u64, &[u8], &mut SinkOf<'_, S>) -> Result<(), Failure> + 'a;

/// Passes on each line with its number, counted from 1, and its line break. A line that is too long is reported
/// instead.
pub fn each_line<S>(
    source: &mut dyn BufRead,
    sink: &mut SinkOf<'_, S>,
    each: &mut EachLine<'_, S>,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut *source).take(LONGEST_ENTRY).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            break;
        }
        if read == LONGEST_ENTRY && !line.ends_with(b"\n") {
            source.skip_until(b'\n')?;
            sink(number, Err(format!("the line is longer than {LONGEST_ENTRY} bytes")))?;
        } else {
            each(number, &line, sink)?;
        }
    }
    Ok(())
}

/// The keys at the beginning of a file, which may be truncated.
#[derive(Debug, Default)]
pub struct HeadKeys {
    /// The keys of the first document, if it is an object.
    pub document: Vec<String>,
    /// The keys of the first entry of its first array that has objects.
    pub entry: Vec<String>,
}

impl HeadKeys {
    /// Reads as many keys as possible.
    pub fn of(head: &[u8]) -> Self {
        let mut found = Self::default();
        // The truncated end is a JSON error, but the keys before it were read.
        let _ = Level(&mut found, 0).deserialize(&mut serde_json::Deserializer::from_slice(head));
        found
    }

    /// Returns true if an entry, alone or in an array, has a key.
    pub fn has(&self, key: &str) -> bool {
        self.document.iter().chain(&self.entry).any(|found| found == key)
    }
}

/// A value at a depth: 0 is a document, 1 an entry of an array in it, and deeper values are skipped.
struct Level<'a>(&'a mut HeadKeys, u8);

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(found, depth) = self;
        while let Some(key) = map.next_key::<String>()? {
            match depth {
                0 => {
                    found.document.push(key);
                    map.next_value_seed(Level(found, 1))?;
                }
                1 => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    found.entry.push(key);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Self(found, depth) = self;
        // An array inside an entry is not an array of entries.
        if depth < 2 && found.entry.is_empty() {
            entries.next_element_seed(Level(found, 2))?;
        }
        while entries.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// The position of the JSON parser.
pub struct Position {
    newlines: Cell<u64>,
    last: Cell<u8>,
    left_of_entry: Cell<u64>,
    longest: u64,
}

impl Position {
    /// The current line.
    pub fn line(&self) -> u64 {
        self.newlines.get() + 1
    }

    /// Begins an entry, whose length is limited.
    pub fn begin_entry(&self) {
        self.left_of_entry.set(self.longest);
    }

    /// Removes the length limit for a value that is not kept in memory.
    pub fn unlimited(&self) {
        self.left_of_entry.set(u64::MAX);
    }
}

/// The source with its position. The JSON parser reads one byte at a time, so the position is exact.
pub struct Tracked<'a> {
    source: &'a mut dyn BufRead,
    position: &'a Position,
}

impl Read for Tracked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        let newlines = bytes.iter().filter(|byte| **byte == b'\n').count();
        self.position.newlines.set(self.position.newlines.get() + newlines as u64);
        if let Some(last) = bytes.last() {
            self.position.last.set(*last);
        }
        match self.position.left_of_entry.get().checked_sub(read as u64) {
            Some(left) => self.position.left_of_entry.set(left),
            None => return Err(ErrorKind::FileTooLarge.into()),
        }
        Ok(read)
    }
}

/// A document, whose entries are passed on while it is read.
struct Document<'s, 'k, 'r> {
    position: &'s Position,
    layout: &'s Layout,
    sink: &'s mut Sink<'k>,
    read_entry: &'s mut EntryReader<'r>,
    failure: &'s mut Option<Failure>,
}

impl<'de> DeserializeSeed<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.position.begin_entry();
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.layout.expects)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_element_seed(Entry(&mut self))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { position, layout, sink, read_entry, failure } = self;
        let lists = match layout.object {
            Object::Lists(lists) => lists,
            Object::Entry => &[],
        };
        while let Some(key) = map.next_key::<String>()? {
            position.begin_entry();
            if lists.contains(&key.as_str()) {
                map.next_value_seed(Document { position, layout, sink, read_entry, failure })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// One entry of the current document.
struct Entry<'d, 's, 'k, 'r>(&'d mut Document<'s, 'k, 'r>);

impl<'de> DeserializeSeed<'de> for Entry<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let document = self.0;
        let line = document.position.line();
        document.position.begin_entry();
        // The entry is read as raw text first, so that an invalid entry does not end the file.
        let raw = Box::<RawValue>::deserialize(json)?;
        (document.read_entry)(raw.get(), line, document.sink).map_err(|failure| {
            *document.failure = Some(failure);
            D::Error::custom("the sink takes no more")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_entry_ends_at_the_limit() {
        let layout = Layout { expects: "an array", object: Object::Entry, longest: 10_000 };
        for beginning in ["[{\"title\":\"", "{\"title\":\"", "[1,", "[", ""] {
            for endless in [b'x', b' ', b'['] {
                let mut source = io::BufReader::new(beginning.as_bytes().chain(io::repeat(endless)));
                let mut found = Vec::new();
                let mut sink = |_, entry: Result<throughline_engine::Inbound, String>| {
                    found.push(entry.err());
                    Ok(())
                };
                read_entries(&mut source, &layout, &mut sink, &mut |_, _, _| Ok(())).unwrap();
                let [Some(why)] = &found[..] else { panic!("{beginning} {endless}: {found:?}") };
                assert!(why.ends_with("The rest of the file was not read"), "{why}");
            }
        }
    }

    #[test]
    fn a_part_of_an_entry_knows_its_line() {
        let entry = "{\"a\":1,\n\n\"b\":\n2}";
        let parts: std::collections::BTreeMap<&str, &RawValue> = serde_json::from_str(entry).unwrap();
        let lines = Lines::of(entry, 7);
        assert_eq!((lines.line(parts["a"]), lines.line(parts["b"])), (7, 10));
    }
}
