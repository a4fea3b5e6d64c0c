//! Writes a folder of Markdown: for each chat, one file per month, its memories and its summaries, and an index of all
//! files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use throughline_domain::chat::ChatId;
use throughline_domain::memory::Status;
use throughline_domain::summary::Scope;
use throughline_store::carried::{Carried, CarriedMemory, CarriedSummary, Exported};

use super::markdown::{self, Days};
use super::named;
use crate::output::{Failure, counted};

/// Maximum length of a folder's name that is derived from a chat id, in characters.
const LONGEST_NAME: usize = 60;

/// A folder that is being written.
pub struct Folder {
    path: PathBuf,
    zone: TimeZone,
    /// The chat whose messages are being written.
    open: Option<OpenChat>,
    months: BTreeMap<ChatId, BTreeMap<String, u64>>,
    memories: BTreeMap<ChatId, Vec<CarriedMemory>>,
    summaries: BTreeMap<ChatId, Vec<CarriedSummary>>,
    files: u64,
}

struct OpenChat {
    chat: ChatId,
    months: BTreeMap<String, (BufWriter<File>, Days)>,
}

impl Folder {
    /// Creates the folder, which only its owner can read.
    ///
    /// # Errors
    /// If the folder is not empty: an export overwrites nothing.
    pub fn create(path: &Path, zone: TimeZone) -> Result<Self, Failure> {
        if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            let why =
                format!("{} is not empty; name a new folder, for an export replaces nothing", path.display());
            return Err(Failure::failed("exists", why));
        }
        make_folder(path)?;
        let (months, memories, summaries) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { path: path.to_owned(), zone, open: None, months, memories, summaries, files: 0 })
    }

    /// Writes a piece, or keeps it for `finish`.
    pub fn add(&mut self, piece: Exported) -> Result<(), Failure> {
        match piece {
            Exported::Message(stored, files) => {
                let message = &stored.message;
                let month = message.occurred_at.to_zoned(self.zone.clone()).strftime("%Y-%m").to_string();
                let files: Vec<_> = files.iter().filter_map(named).collect();
                let zone = self.zone.clone();
                let (out, days) = self.month(&message.chat, &month)?;
                days.write(message, &files, &zone, out)?;
                *self.months.entry(message.chat.clone()).or_default().entry(month).or_default() += 1;
            }
            Exported::Carried(Carried::Memory(carried)) if carried.memory.status != Status::Forgotten => {
                self.memories.entry(carried.memory.chat.clone()).or_default().push(*carried);
            }
            Exported::Carried(Carried::Summary(summary)) if !summary.text.is_empty() => {
                let of_chat = self.summaries.entry(summary.chat.clone()).or_default();
                // The newest summary of a lane includes the earlier ones.
                if summary.scope == Scope::Lane {
                    of_chat.retain(|other| other.scope != Scope::Lane || other.lane != summary.lane);
                }
                of_chat.push(*summary);
            }
            Exported::Carried(_) => {}
        }
        Ok(())
    }

    /// Writes the remaining files and the index, and returns the numbers of files and chats.
    pub fn finish(mut self) -> Result<(u64, u64), Failure> {
        self.close()?;
        let mut index = self.file("index.md")?;
        markdown::title("Throughline", &mut index)?;
        let chats: std::collections::BTreeSet<ChatId> =
            self.months.keys().chain(self.memories.keys()).chain(self.summaries.keys()).cloned().collect();
        for chat in &chats {
            writeln!(index, "## {chat}\n")?;
            let name = file_name(chat);
            for (month, messages) in self.months.get(chat).into_iter().flatten() {
                writeln!(index, "- [{month}]({name}/{month}.md), {}", counted(*messages, "message"))?;
            }
            if let Some(memories) = self.memories.remove(chat) {
                let mut out = self.file(&format!("{name}/memories.md"))?;
                markdown::title(&format!("Memories of {chat}"), &mut out)?;
                memories
                    .iter()
                    .try_for_each(|stored| markdown::memory(&stored.memory, &self.zone, &mut out))?;
                out.flush()?;
                let count = counted(memories.len() as u64, "memory");
                writeln!(index, "- [Memories]({name}/memories.md), {count}")?;
            }
            if let Some(summaries) = self.summaries.remove(chat) {
                let mut out = self.file(&format!("{name}/summaries.md"))?;
                markdown::title(&format!("Summaries of {chat}"), &mut out)?;
                summaries.iter().try_for_each(|summary| markdown::summary(summary, &self.zone, &mut out))?;
                out.flush()?;
                let count = counted(summaries.len() as u64, "summary");
                writeln!(index, "- [Summaries]({name}/summaries.md), {count}")?;
            }
            writeln!(index)?;
        }
        index.flush()?;
        Ok((self.files, chats.len() as u64))
    }

    fn month(&mut self, chat: &ChatId, month: &str) -> Result<&mut (BufWriter<File>, Days), Failure> {
        if self.open.as_ref().is_none_or(|open| open.chat != *chat) {
            self.close()?;
            self.open = Some(OpenChat { chat: chat.clone(), months: BTreeMap::new() });
        }
        let is_open = self.open.as_ref().is_some_and(|open| open.months.contains_key(month));
        if !is_open {
            let mut out = self.file(&format!("{}/{month}.md", file_name(chat)))?;
            markdown::title(&format!("{chat}, {month}"), &mut out)?;
            if let Some(open) = &mut self.open {
                open.months.insert(month.to_owned(), (out, Days::default()));
            }
        }
        let found = self.open.as_mut().and_then(|open| open.months.get_mut(month));
        found.ok_or_else(|| Failure::failed("export", "the file of a month was not opened"))
    }

    fn close(&mut self) -> Result<(), Failure> {
        let months = self.open.take().into_iter().flat_map(|open| open.months);
        Ok(months.into_iter().try_for_each(|(_, (mut out, _))| out.flush())?)
    }

    fn file(&mut self, name: &str) -> Result<BufWriter<File>, Failure> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            make_folder(parent)?;
        }
        self.files += 1;
        Ok(BufWriter::new(File::create_new(path)?))
    }
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The name of a chat's folder, valid on any file system: lowercase letters, digits and hyphens. A name that differs
/// from the chat id ends with part of a hash, so that no two chats share a folder.
fn file_name(chat: &ChatId) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let plain = |c: char| if is_plain(c.to_ascii_lowercase()) { c.to_ascii_lowercase() } else { '-' };
    let name: String = chat.as_str().chars().map(plain).take(LONGEST_NAME).collect();
    let lost_nothing =
        chat.as_str().chars().all(|c| is_plain(c) || c == ':') && chat.as_str().len() <= LONGEST_NAME;
    if lost_nothing {
        return name;
    }
    let hash = blake3::hash(chat.as_str().as_bytes()).to_hex();
    format!("{}-{}", name.trim_end_matches('-'), hash.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chat_has_a_folder_of_its_own_with_a_name_that_is_safe_everywhere() {
        let long = format!("cli:chat:{}", "x".repeat(250));
        let longer = format!("{long}x");
        let chats = [
            "cli:chat:main",
            "cli:chat:Main",
            "cli:chat:a:b",
            "cli:chat:a-b",
            "cli:chat:../../etc",
            "cli:chat:a/b",
            "telegram:chat:-100",
            "cli:chat:日本",
            "cli:chat:本日",
            &long,
            &longer,
        ];
        let names: std::collections::BTreeSet<String> =
            chats.iter().map(|chat| file_name(&chat.parse().unwrap())).collect();
        assert_eq!(names.len(), chats.len(), "{names:?}");
        assert!(names.contains("cli-chat-main") && names.contains("cli-chat-a-b"), "{names:?}");
        let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(names.iter().all(|name| name.chars().all(is_safe) && name.len() < 80), "{names:?}");
    }
}
