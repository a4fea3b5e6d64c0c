//! Transcribes speech with a program or a server from the settings.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use throughline_models::TranscriptionServer;

use crate::routines::command;

/// Placeholder for the file's path in the program's arguments.
const FILE_PLACEHOLDER: &str = "{file}";
/// Maximum length of a transcript, in characters.
const MAX_CHARS: usize = 40_000;

/// The transcriber and its time limit.
#[derive(Clone)]
pub struct Transcription {
    /// The program or server.
    pub by: Transcriber,
    /// Maximum time for one message.
    pub limit: Duration,
}

/// A program or a server that transcribes.
#[derive(Clone)]
pub enum Transcriber {
    /// A program; its output is the transcript.
    Program {
        /// The program and its arguments, run without a shell; `{file}` is replaced by the path of the sound file.
        words: Vec<String>,
        /// This process's environment. Only the variables that programs need are passed on.
        environment: Vec<(String, String)>,
    },
    /// A server.
    Server(Arc<TranscriptionServer>),
}

/// Omits the environment, which contains secrets.
impl fmt::Debug for Transcription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match &self.by {
            Transcriber::Program { words, .. } => words.join(" "),
            Transcriber::Server(server) => format!("{server:?}"),
        };
        f.debug_struct("Transcription").field("by", &by).field("limit", &self.limit).finish()
    }
}

impl Transcription {
    /// Transcribes a sound file. On failure, returns the reason in words for the owner.
    pub async fn transcribe(&self, file: &Path) -> Result<String, String> {
        let text = match &self.by {
            Transcriber::Program { words, environment } => self.printed(words, environment, file).await?,
            Transcriber::Server(server) => {
                let path = file.to_owned();
                let read = super::blocking(move || std::fs::read(path)).await;
                let bytes = read.map_err(|error| error.to_string())?;
                let name =
                    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                server.transcribe(&name, bytes, self.limit).await.map_err(|error| error.to_string())?
            }
        };
        let text: String = text.trim().chars().take(MAX_CHARS).collect();
        if text.is_empty() { Err("the transcription is empty".to_owned()) } else { Ok(text) }
    }

    async fn printed(
        &self,
        words: &[String],
        environment: &[(String, String)],
        file: &Path,
    ) -> Result<String, String> {
        let path = file.to_string_lossy();
        let words: Vec<String> = words.iter().map(|word| word.replace(FILE_PLACEHOLDER, &path)).collect();
        let printed = command::run(&words, environment, self.limit).await;
        printed.map(|printed| printed.output).map_err(|error| error.to_string())
    }
}
