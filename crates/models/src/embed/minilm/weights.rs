//! Reads tensors from a safetensors file: a length, a JSON table of contents, then the numbers.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2};
use serde::Deserialize;

use super::super::Error;

/// Maximum length of a table of contents, in bytes.
const MAX_CONTENTS_BYTES: u64 = 16 << 20;

/// An open file of tensors.
pub(super) struct Weights {
    path: PathBuf,
    file: File,
    contents: HashMap<String, Entry>,
    /// The offset of the numbers.
    numbers: u64,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

impl Weights {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let mut file = File::open(path).map_err(|error| Error::file(path, &error))?;
        let (contents, numbers) = read_contents(&mut file).map_err(|error| Error::file(path, &error))?;
        Ok(Self { path: path.to_owned(), file, contents, numbers })
    }

    /// A tensor of one dimension.
    pub(super) fn vector(&mut self, name: &str) -> Result<Array1<f32>, Error> {
        let (numbers, _) = self.read(name)?;
        Ok(Array1::from_vec(numbers))
    }

    /// A tensor of two dimensions, rows first.
    pub(super) fn matrix(&mut self, name: &str) -> Result<Array2<f32>, Error> {
        let (numbers, shape) = self.read(name)?;
        let &[rows, columns] = shape.as_slice() else {
            return Err(self.wrong(&format!("{name} is not a matrix")));
        };
        Array2::from_shape_vec((rows, columns), numbers)
            .map_err(|_| self.wrong(&format!("{name} has another size than it says")))
    }

    /// The error of a file that is not of this model.
    pub(super) fn wrong(&self, what: &str) -> Error {
        Error::Unreadable(format!(
            "{} does not hold the weights of all-MiniLM-L6-v2 ({what}): unpack the model's files again",
            self.path.display()
        ))
    }

    fn read(&mut self, name: &str) -> Result<(Vec<f32>, Vec<usize>), Error> {
        let Some(entry) = self.contents.remove(name) else {
            return Err(self.wrong(&format!("{name} is missing")));
        };
        if entry.dtype != "F32" {
            return Err(self.wrong(&format!("{name} is of kind {}, not F32", entry.dtype)));
        }
        let (from, to) = entry.data_offsets;
        let bytes = read_between(&mut self.file, self.numbers, from, to)
            .map_err(|error| Error::file(&self.path, &error))?;
        let (numbers, []) = bytes.as_chunks() else {
            return Err(self.wrong(&format!("{name} has another size than it says")));
        };
        Ok((numbers.iter().map(|&number| f32::from_le_bytes(number)).collect(), entry.shape))
    }
}

fn read_contents(file: &mut File) -> io::Result<(HashMap<String, Entry>, u64)> {
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_CONTENTS_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a safetensors file"));
    }
    let mut contents: HashMap<String, serde_json::Value> = serde_json::from_reader(file.take(length))?;
    contents.remove("__metadata__");
    let entries = contents.into_iter().map(|(name, entry)| Ok((name, serde_json::from_value(entry)?)));
    Ok((entries.collect::<serde_json::Result<_>>()?, 8 + length))
}

/// Reads only as much as the file has, so a wrong length in it cannot allocate memory.
fn read_between(file: &mut File, start: u64, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let wrong = || io::Error::new(io::ErrorKind::UnexpectedEof, "it ends early");
    let start = start.checked_add(from).ok_or_else(wrong)?;
    let length = to.checked_sub(from).ok_or_else(wrong)?;
    if start.checked_add(length).ok_or_else(wrong)? > file.metadata()?.len() {
        return Err(wrong());
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
