//! The list of all settings: each key of `config.toml` with its description, variable, flag and field. Parsing,
//! validation, `config show` and the schema are derived from it.

use std::sync::LazyLock;

use serde_json::Value as Json;
use strum::VariantArray;
use throughline_domain::chat::ChatId;
use throughline_domain::context::layers::LayerRule;
use throughline_domain::context::{LAYERS, LayerName, Preset};

use super::routines::{self, RoutineSettings};
use super::settings::{ChatSettings, PresetNumbers, Settings};
use super::values::Field;
use super::values::choice::Choice;

/// Stands for a preset's name in a key's path.
pub const ANY_PRESET: &str = "<preset>";
/// Stands for a chat's id in a key's path.
pub const ANY_CHAT: &str = "<chat>";
/// Stands for a routine's name in a key's path.
pub const ANY_ROUTINE: &str = "<routine>";

/// Every setting, in the order in which `config show` lists them.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| [BEFORE_CAPS, &layer_caps(), AFTER_CAPS].concat());

/// The cap of each layer that has one.
fn layer_caps() -> Vec<Key> {
    let capped = LAYERS.iter().filter(|layer| layer.cap.is_some());
    let key = |layer: &LayerRule| {
        // Leaked once, for the lifetime of the program.
        let path = format!("presets.<preset>.layers.{}", layer.name.as_str()).leak();
        let doc = format!("Maximum tokens of {}; 0 leaves the layer out.", layer.holds).leak();
        Key::at(path, KeyPath::LayerCap(layer.name)).means(doc)
    };
    capped.map(key).collect()
}

/// The settings that `config show` lists before the caps of layers.
const BEFORE_CAPS: &[Key] = &[
    key("zone", |s| &mut s.zone)
        .means("Your time zone by its IANA name, in which times are shown and \"today\" is meant. Default: the system's.")
        .variable("USER_TIMEZONE")
        .of_the_machine(),
    key("user_name", |s| &mut s.user_name).means("Your name, as the assistant uses it.").variable("USER_NAME"),
    key("person", |s| &mut s.person)
        .means("Whose the memories of your private chats are, in the terminal, in Claude Code and on Telegram: `owner` unless you name somebody."),
    key("model", |s| &mut s.model)
        .means("The model that answers: auto, claude-cli, claude-cli/NAME, anthropic/NAME, openai/NAME, ollama/NAME or offline.")
        .variable("THROUGHLINE_MODEL")
        .flag("--model"),
    key("small_model", |s| &mut s.small_model)
        .means("The model that extracts memories and writes summaries, named as in `model`. Default: the provider's small model, or `model` on a server of your own.")
        .variable("THROUGHLINE_SMALL_MODEL"),
    key("fallback", |s| &mut s.fallback)
        .means("The models to try in turn when `model` fails, a list of names such as [\"ollama/gemma3:4b\", \"offline\"]."),
    key("embedder", |s| &mut s.embedder)
        .means("The embedder for search by meaning: builtin, minilm, openai/NAME, ollama/NAME or none.")
        .variable("THROUGHLINE_EMBEDDER"),
    key("fallback_model", |s| &mut s.fallback_model)
        .means("The local model that shortens routine messages if `context_relevance_model` is not set.")
        .variable("FALLBACK_MODEL"),
    key("context_relevance_model", |s| &mut s.context_relevance_model)
        .means("The local model that shortens routine messages, such as gemma3:4b.")
        .variable("CONTEXT_RELEVANCE_MODEL"),
    key("database_url", |s| &mut s.database_url)
        .means("The database, as sqlite:PATH. Default: throughline.db in the home.")
        .variable("THROUGHLINE_DATABASE_URL")
        .of_the_machine(),
    key("encryption.key", |s| &mut s.encryption.key)
        .means("The key of an encrypted database: 64 hexadecimal digits, or a passphrase.")
        .variable("THROUGHLINE_ENCRYPTION_KEY"),
    key("encryption.key_file", |s| &mut s.encryption.key_file)
        .means("The file that holds that key, readable by you alone."),
    key("encryption.key_command", |s| &mut s.encryption.key_command)
        .means("The program that prints that key, a list of words without a shell, such as [\"secret-tool\", \"lookup\", \"app\", \"throughline\"]."),
    key("redis_url", |s| &mut s.redis_url)
        .means("A Redis server for several workers. This version does not support it and refuses it.")
        .variable("THROUGHLINE_REDIS_URL"),
    key("listen", |s| &mut s.listen).means("The address that `serve` listens on.").flag("--listen"),
    key("api_token", |s| &mut s.api_token)
        .means("The token that clients of the HTTP API must send.")
        .variable("THROUGHLINE_API_TOKEN"),
    key("http.hosts", |s| &mut s.http.hosts)
        .means("Names under which the HTTP server is reached beside its address and localhost, such as memory.example behind a proxy."),
    key("http.requests_per_minute", |s| &mut s.http.requests_per_minute)
        .means("Maximum requests of one caller in a minute; a tenth of them may come at once."),
    key("http.request_seconds", |s| &mut s.http.request_seconds)
        .means("Maximum time for the head of a request to arrive, and for its body, in seconds."),
    key("claude_path", |s| &mut s.claude_path)
        .means("The path of the claude command, if it is not on the PATH.")
        .variable("CLAUDE_PATH"),
    key("telegram.bot_token", |s| &mut s.telegram.bot_token)
        .means("The bot's token, from @BotFather. In config.toml, file:PATH names a file that holds it.")
        .variable("TELEGRAM_BOT_TOKEN"),
    key("telegram.user_id", |s| &mut s.telegram.user_id)
        .means("The user id of the one person that the bot serves.")
        .variable("TELEGRAM_USER_ID"),
    key("telegram.allowed_users", |s| &mut s.telegram.allowed_users)
        .means("The user ids of the people that the bot serves.")
        .variable("TELEGRAM_ALLOWED_USERS"),
    key("telegram.api_url", |s| &mut s.telegram.api_url)
        .means("The address of the Bot API.")
        .variable("TELEGRAM_API_URL"),
    key("telegram.pairing", |s| &mut s.telegram.pairing)
        .means("Whether people whom the bot does not know may ask for access."),
    key("telegram.groups", |s| &mut s.telegram.groups)
        .means("The messages of a group that the bot answers: all, addressed (mentions and replies), or auto: all that \
                Telegram passes on if the bot's privacy mode is on, else addressed."),
    key("telegram.pause_ms", |s| &mut s.telegram.pause_ms)
        .means("Milliseconds without a further message before the bot answers, so that a long text that the app splits, an \
                album and quick follow-ups are answered together; 0 answers at once.")
        .variable("TELEGRAM_PAUSE_MS"),
    key("transcription.command", |s| &mut s.transcription.command)
        .means("The program that transcribes voice messages, a list of words without a shell; {file} becomes the path of the \
                sound. What it prints is the transcript."),
    key("transcription.url", |s| &mut s.transcription.url)
        .means("The address of a server that transcribes voice messages, such as http://localhost:8000/v1/audio/transcriptions."),
    key("transcription.api_key", |s| &mut s.transcription.api_key)
        .means("The key for that server. In config.toml, file:PATH names a file that holds it.")
        .variable("TRANSCRIPTION_API_KEY"),
    key("transcription.model", |s| &mut s.transcription.model)
        .means("The model of that server. Default: whisper-1."),
    key("transcription.seconds", |s| &mut s.transcription.seconds)
        .means("Maximum time for one transcription, in seconds."),
    key("anthropic.api_key", |s| &mut s.anthropic.api_key)
        .means("The key for Anthropic's API. In config.toml, file:PATH names a file that holds it.")
        .variable("ANTHROPIC_API_KEY"),
    key("anthropic.base_url", |s| &mut s.anthropic.base_url)
        .means("The address of Anthropic's API.")
        .variable("ANTHROPIC_BASE_URL"),
    key("openai.api_key", |s| &mut s.openai.api_key)
        .means("The key for an OpenAI-compatible API. In config.toml, file:PATH names a file that holds it.")
        .variable("OPENAI_API_KEY"),
    key("openai.base_url", |s| &mut s.openai.base_url)
        .means("The address of an OpenAI-compatible API.")
        .variable("OPENAI_BASE_URL"),
    key("ollama.api_url", |s| &mut s.ollama.api_url).means("The address of Ollama.").variable("OLLAMA_API_URL"),
    key("context.preset", |s| &mut s.context.preset)
        .means("The window, budget and compaction of a context.")
        .flag("--preset"),
    key("context.format", |s| &mut s.context.format).means("The format of a context.").flag("--format"),
    key("context.budget", |s| &mut s.context.budget)
        .means("Maximum tokens of a context, in every preset.")
        .flag("--budget"),
    key("context.conversation_gap_minutes", |s| &mut s.context.conversation_gap_minutes)
        .means("The silence after which a conversation ends, in minutes."),
    key("context.carry_over_hours", |s| &mut s.context.carry_over_hours)
        .means("Hours after its end during which a conversation counts as today's, even past midnight."),
    key("context.tools", |s| &mut s.context.tools)
        .means("Whether the model that answers may search the chat's memory with tools; true or false."),
    preset("presets.<preset>.budget", |p| &mut p.budget)
        .means("Maximum tokens of a context."),
    preset("presets.<preset>.keep_messages", |p| &mut p.keep_messages)
        .means("Number of newest messages that compaction leaves word for word."),
    preset("presets.<preset>.block", |p| &mut p.block)
        .means("Number of messages by which the window's start moves, so that a provider's prompt cache keeps hitting."),
];

/// The settings that `config show` lists after the caps of layers.
const AFTER_CAPS: &[Key] = &[
    preset("presets.<preset>.compact_messages", |p| &mut p.compact_messages)
        .means("A lane is compacted when more messages than this have no summary."),
    preset("presets.<preset>.compact_tokens", |p| &mut p.compact_tokens)
        .means("A lane is compacted when its messages without a summary cost more tokens than this."),
    preset("presets.<preset>.compact_hours", |p| &mut p.compact_hours)
        .means("Hours after its last compaction at which a lane with new messages is compacted."),
    key("capture", |s| &mut s.capture)
        .means("When a statement becomes a memory: auto, suggest (once you agree), explicit (when you ask), or off."),
    key("memory.same_percent", |s| &mut s.memory.same_percent)
        .means("Cosine similarity, in percent, from which two statements count as the same."),
    key("memory.undo_hours", |s| &mut s.memory.undo_hours)
        .means("Hours in which forgetting can be undone; then the data is deleted for good."),
    key("privacy.redact_numbers", |s| &mut s.privacy.redact_numbers)
        .means("Whether card numbers and IBANs are redacted like passwords; true or false."),
    key("background.daily_cents", |s| &mut s.background.daily_cents)
        .means("Maximum cost of background work in a day, in US cents, as far as prices are known."),
    key("background.daily_tokens", |s| &mut s.background.daily_tokens)
        .means("Maximum tokens that background work reads and writes in a day."),
    key("background.routine_seconds", |s| &mut s.background.routine_seconds)
        .means("Maximum time for the local model to shorten a routine's message, in seconds."),
    key("replies.most_tokens", |s| &mut s.replies.most_tokens)
        .means("Maximum tokens of one reply; a longer one is cut off and marked."),
    key("replies.daily_cents", |s| &mut s.replies.daily_cents)
        .means("Maximum cost of replies in a day, in US cents, as far as prices are known; then no model is asked."),
    key("replies.daily_tokens", |s| &mut s.replies.daily_tokens)
        .means("Maximum tokens that replies read and write in a day; then no model is asked."),
    key("limits.first_seconds", |s| &mut s.limits.first_seconds)
        .means("Maximum time to a model's first words, in seconds."),
    key("limits.between_seconds", |s| &mut s.limits.between_seconds)
        .means("Maximum silence between two pieces of an answer, in seconds."),
    key("limits.whole_seconds", |s| &mut s.limits.whole_seconds)
        .means("Maximum time for a whole answer, in seconds."),
    key("logs.level", |s| &mut s.logs.level).means("The level of detail of the log.").flag("-v"),
    key("jobs.seconds_after_command", |s| &mut s.jobs.seconds_after_command)
        .means("Maximum time for background jobs after a command's result, in seconds."),
    key("jobs.longest_seconds", |s| &mut s.jobs.longest_seconds)
        .means("Maximum time for one run of a background job, in seconds; after three such runs it is set aside."),
    key("claude_code.hook_ms", |s| &mut s.claude_code.hook_ms)
        .means("Maximum time of a hook of Claude Code, in milliseconds; then it says nothing."),
    key("claude_code.start_tokens", |s| &mut s.claude_code.start_tokens)
        .means("Maximum tokens that a session of Claude Code is told when it starts."),
    key("claude_code.recall_tokens", |s| &mut s.claude_code.recall_tokens)
        .means("Maximum tokens that are recalled for a prompt in Claude Code."),
    chat("chats.<chat>.agent", |c| &mut c.agent).means("The agent that answers in this chat."),
    chat("chats.<chat>.person", |c| &mut c.person).means("The person of this private chat, named as in `person`."),
    chat("chats.<chat>.identity", |c| &mut c.identity).means("The assistant's identity in this chat, in your words."),
    key("daily_backups", |s| &mut s.daily_backups)
        .means("How many daily backups `serve` keeps in the home; 0 makes none."),
    key("quiet_hours", |s| &mut s.quiet_hours)
        .means("Hours in which routines do not write, in your zone, such as 22:00-07:00."),
    routine("routines.<routine>.enabled", |r| &mut r.enabled)
        .means("Whether the schedule starts it. Built-in routines are off until this is true."),
    routine("routines.<routine>.schedule", |r| &mut r.schedule)
        .means("When it runs, in your zone: minute, hour, day, month and day of the week, such as 0 7 * * MON-FRI."),
    routine("routines.<routine>.kind", |r| &mut r.kind)
        .means("prompt gives an agent an instruction, command gives it the output of a program, message sends a fixed text."),
    routine("routines.<routine>.prompt", |r| &mut r.prompt)
        .means("The instruction for the agent; for a command, what to do with the output."),
    routine("routines.<routine>.command", |r| &mut r.command)
        .means("The program and its arguments, a list without a shell; {today} and {yesterday} become dates."),
    routine("routines.<routine>.seconds", |r| &mut r.seconds)
        .means("Maximum time for the command, in seconds."),
    routine("routines.<routine>.text", |r| &mut r.text).means("The fixed text to send."),
    routine("routines.<routine>.decide", |r| &mut r.decide)
        .means("A question for the agent before the run; if it answers NO, the run ends without a message."),
    routine("routines.<routine>.chat", |r| &mut r.chat).means("The chat that the message goes to. Default: yours on Telegram, else the terminal's."),
    routine("routines.<routine>.lane", |r| &mut r.lane).means("The lane of that chat: root or topic:N. Default: root."),
    routine("routines.<routine>.agent", |r| &mut r.agent).means("The agent that writes. Default: the chat's."),
    routine("routines.<routine>.late_minutes", |r| &mut r.late_minutes)
        .means("Minutes after which a late run is skipped. Quiet hours that delay it do not count."),
    routine("routines.<routine>.quiet", |r| &mut r.quiet)
        .means("A run in quiet hours: wait until they end, skip it, or ignore them."),
];

/// One setting.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its dotted path in `config.toml`, with [`ANY_PRESET`], [`ANY_CHAT`] or [`ANY_ROUTINE`] for a name that people choose.
    pub path: &'static str,
    /// Its description.
    pub doc: &'static str,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The flag that sets it.
    pub flag: Option<&'static str>,
    /// Whether the default is the same on every machine.
    pub fixed_default: bool,
    place: KeyPath,
}

/// The field that a key sets.
#[derive(Clone, Copy)]
enum KeyPath {
    Once(fn(&mut Settings) -> &mut dyn Field),
    PerPreset(fn(&mut PresetNumbers) -> &mut dyn Field),
    LayerCap(LayerName),
    PerChat(fn(&mut ChatSettings) -> &mut dyn Field),
    PerRoutine(fn(&mut RoutineSettings) -> &mut dyn Field),
}

const fn key(path: &'static str, field: fn(&mut Settings) -> &mut dyn Field) -> Key {
    Key::at(path, KeyPath::Once(field))
}

const fn preset(path: &'static str, field: fn(&mut PresetNumbers) -> &mut dyn Field) -> Key {
    Key::at(path, KeyPath::PerPreset(field))
}

const fn chat(path: &'static str, field: fn(&mut ChatSettings) -> &mut dyn Field) -> Key {
    Key::at(path, KeyPath::PerChat(field))
}

const fn routine(path: &'static str, field: fn(&mut RoutineSettings) -> &mut dyn Field) -> Key {
    Key::at(path, KeyPath::PerRoutine(field))
}

impl Key {
    /// The field that this key sets, in the preset, chat or routine called `name` if the key belongs to one.
    pub fn field<'s>(&self, settings: &'s mut Settings, name: &str) -> Result<&'s mut dyn Field, String> {
        Ok(match self.place {
            KeyPath::Once(field) => field(settings),
            KeyPath::PerPreset(field) => field(settings.presets.entry(preset_named(name)?).or_default()),
            KeyPath::LayerCap(layer) => {
                settings.presets.entry(preset_named(name)?).or_default().layers.of_mut(layer)
            }
            KeyPath::PerChat(field) => field(settings.chats.entry(chat_named(name)?).or_default()),
            KeyPath::PerRoutine(field) => {
                check_name(ANY_ROUTINE, name)?;
                field(settings.routine_settings.entry(name.to_owned()).or_default())
            }
        })
    }

    /// The names of the presets, chats or routines that are configured; one empty name for a key that exists once.
    pub fn names(&self, settings: &Settings) -> Vec<String> {
        match self.place {
            KeyPath::Once(_) => vec![String::new()],
            KeyPath::PerPreset(_) | KeyPath::LayerCap(_) => {
                let written = Preset::VARIANTS.iter().filter(|preset| settings.presets.contains_key(preset));
                written.map(|preset| preset.as_str().to_owned()).collect()
            }
            KeyPath::PerChat(_) => settings.chats.keys().map(ChatId::to_string).collect(),
            KeyPath::PerRoutine(_) => settings.routine_settings.keys().cloned().collect(),
        }
    }

    /// The JSON Schema of the key's value, and its default, which may be null.
    pub fn describe(&self, defaults: &mut Settings) -> (Json, Json) {
        let description = |field: &dyn Field| (field.schema(), field.shown());
        match self.place {
            KeyPath::Once(field) => description(field(defaults)),
            KeyPath::PerPreset(field) => description(field(&mut PresetNumbers::default())),
            KeyPath::LayerCap(layer) => description(PresetNumbers::default().layers.of_mut(layer)),
            KeyPath::PerChat(field) => description(field(&mut ChatSettings::default())),
            KeyPath::PerRoutine(field) => description(field(&mut RoutineSettings::default())),
        }
    }

    /// The path for the preset, chat or routine called `name`.
    pub fn path_of(&self, name: &str) -> String {
        self.path.replace(ANY_PRESET, name).replace(ANY_ROUTINE, name).replace(ANY_CHAT, &format!("{name:?}"))
    }

    const fn at(path: &'static str, place: KeyPath) -> Self {
        Self { path, doc: "", variable: None, flag: None, fixed_default: true, place }
    }

    const fn means(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    const fn variable(self, name: &'static str) -> Self {
        Self { variable: Some(name), ..self }
    }

    const fn flag(self, name: &'static str) -> Self {
        Self { flag: Some(name), ..self }
    }

    const fn of_the_machine(self) -> Self {
        Self { fixed_default: false, ..self }
    }
}

/// Checks that the table for `placeholder` may be called `name`.
///
/// # Errors
/// If the name is invalid. The error continues a sentence that begins with the table's name.
pub fn check_name(placeholder: &str, name: &str) -> Result<(), String> {
    match placeholder {
        ANY_PRESET => preset_named(name).map(drop),
        ANY_ROUTINE => {
            routines::check_name(name).map_err(|why| format!("holds a table that is no routine's: {why}"))
        }
        _ => chat_named(name).map(drop),
    }
}

fn preset_named(name: &str) -> Result<Preset, String> {
    Preset::named(name).map_err(|why| format!("holds a table that is no preset's: its name {why}"))
}

fn chat_named(name: &str) -> Result<ChatId, String> {
    name.parse().map_err(|why| format!("holds a table that is no chat's: {why}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn no_two_keys_share_a_path_a_variable_a_flag_or_a_field() {
        let mut names = BTreeSet::new();
        for key in KEYS.iter() {
            for name in [Some(key.path), key.variable, key.flag].into_iter().flatten() {
                assert!(names.insert(name), "{name} is listed twice");
            }
        }
        let mut settings = Settings::defaults(Path::new("/h"), TimeZone::UTC);
        let mut fields = BTreeSet::new();
        for key in KEYS.iter() {
            // A preset and a routine may have this name.
            let name = if key.path.contains(ANY_CHAT) { "cli:chat:main" } else { "lane" };
            let field: *const dyn Field = key.field(&mut settings, name).unwrap();
            assert!(fields.insert(field.cast::<()>()), "{} fills a field that another key fills", key.path);
        }
    }

    #[test]
    fn every_key_says_what_it_means_in_a_sentence() {
        for key in KEYS.iter() {
            assert!(key.doc.ends_with('.') && key.doc.len() > 15, "{}: {:?}", key.path, key.doc);
        }
    }
}
