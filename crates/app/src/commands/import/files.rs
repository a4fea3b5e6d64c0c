//! Reads the files of an import entry by entry: from a path, from stdin, or from a zip file.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::cli::ImportFormat;
use crate::imports::zipped::{Zipped, is_zip};
use crate::imports::{Defaults, Entry, recognized};
use crate::output::Failure;

/// Maximum number of bytes from which `--format auto` detects the format.
const HEAD: u64 = 64 * 1024;

/// Receives the content of files.
pub trait Visitor {
    /// Receives an entry, or the reason why it is not a message, with its first line.
    fn entry(
        &mut self,
        path: &Path,
        line: u64,
        entry: Result<Entry, String>,
        meter: &Meter<'_>,
    ) -> Result<(), Failure>;

    /// Called at the end of a stream.
    fn end(&mut self, _: &Meter<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// Counts the bytes of a stream that were read since the last `take`.
pub struct Meter<'a> {
    read: Rc<Cell<u64>>,
    /// Converts bytes to progress: a zip file is smaller than its content.
    shown: &'a dyn Fn(u64) -> u64,
}

impl Meter<'_> {
    /// The bytes so far.
    pub fn bytes(&self) -> u64 {
        self.read.get()
    }

    /// Resets the counter, and returns the progress.
    pub fn take(&self) -> u64 {
        (self.shown)(self.read.take())
    }
}

/// A file to import.
pub enum ImportSource {
    /// A path, or `-` for stdin.
    Path(PathBuf),
    /// An open file, and its name.
    Open(PathBuf, File),
}

/// Reads files.
pub struct Files {
    pub format: ImportFormat,
    pub defaults: Defaults,
    /// Entries of zip files without conversations.
    pub passed_over: u64,
}

impl Files {
    /// Reads all files.
    pub fn read(&mut self, sources: Vec<ImportSource>, visitor: &mut dyn Visitor) -> Result<(), Failure> {
        sources.into_iter().try_for_each(|source| match source {
            ImportSource::Path(path) if is_stdin(&path) => {
                self.read_stream(&path, Box::new(std::io::stdin()), &|bytes| bytes, visitor)
            }
            ImportSource::Path(path) => {
                let file = File::open(&path).map_err(|error| cannot_read(&path, &error))?;
                self.read_file(&path, file, visitor)
            }
            ImportSource::Open(name, file) => self.read_file(&name, file, visitor),
        })
    }

    fn read_file(&mut self, path: &Path, mut file: File, visitor: &mut dyn Visitor) -> Result<(), Failure> {
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head)?;
        if !is_zip(&head) {
            let input = Cursor::new(head).chain(file);
            return self.read_stream(path, Box::new(input), &|bytes| bytes, visitor);
        }
        file.rewind()?;
        let mut zipped = Zipped::open(path, file)?;
        self.passed_over += zipped.passed_over;
        zipped.each(path, |name, sizes, input| {
            self.read_stream(&path.join(name), input, &|bytes| sizes.packed(bytes), visitor)
        })
    }

    fn read_stream(
        &mut self,
        path: &Path,
        input: Box<dyn Read + '_>,
        shown: &dyn Fn(u64) -> u64,
        visitor: &mut dyn Visitor,
    ) -> Result<(), Failure> {
        let meter = Meter { read: Rc::new(Cell::new(0)), shown };
        let mut input = BufReader::with_capacity(1 << 20, Counted { input, read: Rc::clone(&meter.read) });
        let mut head = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut head)?;
        if is_zip(&head) {
            let why = "a zip file cannot be read from stdin. Save it, and name the file";
            return Err(Failure::failed("unreadable_file", why));
        }
        let importer = self.format.0.unwrap_or_else(|| recognized(&head));
        self.defaults.file = (!is_stdin(path)).then(|| path.to_owned());
        let mut source = Cursor::new(head).chain(input);
        importer.read_home(&mut source, &self.defaults, &mut |line, entry| {
            visitor.entry(path, line, entry, &meter)
        })?;
        visitor.end(&meter)
    }
}

/// Returns true if a path means stdin.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The size of a file for the progress bar; 0 for stdin.
pub fn size(path: &Path) -> Result<u64, Failure> {
    if is_stdin(path) {
        return Ok(0);
    }
    let data = std::fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if data.is_dir() {
        return Err(Failure::failed(
            "unreadable_file",
            format!(
                "{} is a folder; name the files in it, or add --format claude-code if they are transcripts",
                path.display()
            ),
        ));
    }
    Ok(data.len())
}

/// The failure to read a file.
pub fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(
        "unreadable_file",
        format!("{} cannot be read: {error}. Nothing was imported", path.display()),
    )
}

/// Counts the bytes that are read.
struct Counted<'a> {
    input: Box<dyn Read + 'a>,
    read: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}
