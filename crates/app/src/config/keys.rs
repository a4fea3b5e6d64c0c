//! The one list of settings: each key of `config.toml`, what it means, its variable, its flag, and the field it fills.
//! Everything else that names settings (reading, checking, showing, the schema) is made from it.

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
        // Made once, and kept as long as the program runs.
        let path = format!("presets.<preset>.layers.{}", layer.name.as_str()).leak();
        let doc = format!("Maximum tokens of {}; 0 leaves the layer out.", layer.holds).leak();
        Key::at(path, KeyPath::LayerCap(layer.name)).means(doc)
    };
    capped.map(key).collect()
}

/// The settings that `config show` lists before the caps of layers.
const BEFORE_CAPS: &[Key] = &[
    key("zone", |s| &mut s.zone)
        .means("Your time zone by its IANA name: decides what \"today\" is and how times are shown. Unset, the system's.")
        .variable("USER_TIMEZONE")
        .of_the_machine(),
    key("user_name", |s| &mut s.user_name).means("What the assistant calls you.").variable("USER_NAME"),
    key("person", |s| &mut s.person)
        .means("Who you are on channels that cannot tell: memories of your private chats follow this name."),
    key("model", |s| &mut s.model)
        .means("What answers: auto, claude-cli, anthropic/NAME, openai/NAME, ollama/NAME or offline.")
        .variable("THROUGHLINE_MODEL"),
    key("small_model", |s| &mut s.small_model)
        .means("What extracts memories and writes summaries, named as `model` is. Unset, `model` does.")
        .variable("THROUGHLINE_SMALL_MODEL"),
    key("fallback", |s| &mut s.fallback)
        .means("What answers in turn where `model` fails, a list of names such as [\"ollama/gemma3:4b\", \"offline\"]."),
    key("embedder", |s| &mut s.embedder)
        .means("What makes vectors, to search by meaning: builtin, minilm, openai/NAME, ollama/NAME or none.")
        .variable("THROUGHLINE_EMBEDDER"),
    key("fallback_model", |s| &mut s.fallback_model)
        .means("The local model that condenses routine messages where `context_relevance_model` is not set.")
        .variable("FALLBACK_MODEL"),
    key("context_relevance_model", |s| &mut s.context_relevance_model)
        .means("The local model that condenses routine messages, such as gemma3:4b.")
        .variable("CONTEXT_RELEVANCE_MODEL"),
    key("database_url", |s| &mut s.database_url)
        .means("Where everything is stored, as sqlite:PATH. Unset, throughline.db in the home.")
        .variable("THROUGHLINE_DATABASE_URL")
        .of_the_machine(),
    key("redis_url", |s| &mut s.redis_url)
        .means("A Redis server as cache and lock for several workers: not supported by this version, which refuses it.")
        .variable("THROUGHLINE_REDIS_URL"),
    key("listen", |s| &mut s.listen).means("Where `serve` listens.").flag("--listen"),
    key("api_token", |s| &mut s.api_token)
        .means("What clients of the HTTP API must show.")
        .variable("THROUGHLINE_API_TOKEN"),
    key("claude_path", |s| &mut s.claude_path)
        .means("The claude command, where it is not found by its name.")
        .variable("CLAUDE_PATH"),
    key("telegram.bot_token", |s| &mut s.telegram.bot_token)
        .means("The bot's token, from @BotFather.")
        .variable("TELEGRAM_BOT_TOKEN"),
    key("telegram.user_id", |s| &mut s.telegram.user_id)
        .means("The one person the bot serves, by number.")
        .variable("TELEGRAM_USER_ID"),
    key("telegram.allowed_users", |s| &mut s.telegram.allowed_users)
        .means("The people the bot serves, by number.")
        .variable("TELEGRAM_ALLOWED_USERS"),
    key("telegram.api_url", |s| &mut s.telegram.api_url)
        .means("Where the Bot API is reached.")
        .variable("TELEGRAM_API_URL"),
    key("telegram.pairing", |s| &mut s.telegram.pairing)
        .means("Whether people whom the bot does not know may ask to be let in."),
    key("telegram.groups", |s| &mut s.telegram.groups)
        .means("In which messages of a group the bot is spoken to: all, addressed (mentions and replies), or auto: all \
                that Telegram passes on where the bot's privacy mode is on, else addressed."),
    key("anthropic.api_key", |s| &mut s.anthropic.api_key)
        .means("The key for Anthropic's API.")
        .variable("ANTHROPIC_API_KEY"),
    key("anthropic.base_url", |s| &mut s.anthropic.base_url)
        .means("Where Anthropic's API is reached.")
        .variable("ANTHROPIC_BASE_URL"),
    key("openai.api_key", |s| &mut s.openai.api_key)
        .means("The key for an OpenAI-compatible API.")
        .variable("OPENAI_API_KEY"),
    key("openai.base_url", |s| &mut s.openai.base_url)
        .means("Where an OpenAI-compatible API is reached.")
        .variable("OPENAI_BASE_URL"),
    key("ollama.api_url", |s| &mut s.ollama.api_url).means("Where Ollama is reached.").variable("OLLAMA_API_URL"),
    key("context.preset", |s| &mut s.context.preset)
        .means("Which window, budget and compaction a context is made with.")
        .flag("--preset"),
    key("context.format", |s| &mut s.context.format).means("How a context is written down.").flag("--format"),
    key("context.budget", |s| &mut s.context.budget)
        .means("The most a context may hold, in tokens, whatever the preset says.")
        .flag("--budget"),
    key("context.conversation_gap_minutes", |s| &mut s.context.conversation_gap_minutes)
        .means("The silence that ends a conversation, in minutes."),
    key("context.carry_over_hours", |s| &mut s.context.carry_over_hours)
        .means("A conversation that ended so many hours ago or less counts as today's, midnight or not."),
    preset("presets.<preset>.budget", |p| &mut p.budget)
        .means("The most a context may hold, in tokens."),
    preset("presets.<preset>.keep_messages", |p| &mut p.keep_messages)
        .means("How many of the newest messages compaction leaves word for word."),
    preset("presets.<preset>.block", |p| &mut p.block)
        .means("By how many messages the window's start moves, so that a provider's prompt cache keeps hitting."),
];

/// The settings that `config show` lists after the caps of layers.
const AFTER_CAPS: &[Key] = &[
    preset("presets.<preset>.compact_messages", |p| &mut p.compact_messages)
        .means("A lane is condensed when more messages than this have no summary."),
    preset("presets.<preset>.compact_tokens", |p| &mut p.compact_tokens)
        .means("A lane is condensed when messages without a summary cost more tokens than this."),
    preset("presets.<preset>.compact_hours", |p| &mut p.compact_hours)
        .means("A lane with new messages is condensed so many hours after the last time."),
    key("capture", |s| &mut s.capture)
        .means("When something said becomes a memory: by itself, once you agree, when asked to, or never."),
    key("memory.same_percent", |s| &mut s.memory.same_percent)
        .means("Statements whose vectors are at least this alike are the same; 90 is a cosine of 0.9."),
    key("memory.undo_hours", |s| &mut s.memory.undo_hours)
        .means("How long what was forgotten can be brought back, in hours; then it is nowhere."),
    key("background.daily_cents", |s| &mut s.background.daily_cents)
        .means("What background work may cost in a day, in US cents, as far as prices are known."),
    key("background.daily_tokens", |s| &mut s.background.daily_tokens)
        .means("How many tokens background work may read and write in a day."),
    key("background.routine_seconds", |s| &mut s.background.routine_seconds)
        .means("How long the local model may take to condense a routine's message, in seconds."),
    key("limits.first_seconds", |s| &mut s.limits.first_seconds)
        .means("How long a model may take to its first words, in seconds."),
    key("limits.between_seconds", |s| &mut s.limits.between_seconds)
        .means("How long a model may be silent between two pieces of an answer, in seconds."),
    key("limits.whole_seconds", |s| &mut s.limits.whole_seconds)
        .means("How long a whole answer may take, in seconds."),
    key("logs.level", |s| &mut s.logs.level).means("How much the log tells.").flag("-v"),
    key("jobs.seconds_after_command", |s| &mut s.jobs.seconds_after_command)
        .means("How long a command may go on with background jobs after its result, in seconds."),
    chat("chats.<chat>.agent", |c| &mut c.agent).means("Which agent answers in this chat."),
    chat("chats.<chat>.person", |c| &mut c.person).means("Who speaks in this private chat, as `person` names them."),
    chat("chats.<chat>.identity", |c| &mut c.identity).means("Who the assistant is in this chat, in your words."),
    key("quiet_hours", |s| &mut s.quiet_hours)
        .means("When routines leave you alone, by your clock, such as 22:00-07:00."),
    routine("routines.<routine>.enabled", |r| &mut r.enabled)
        .means("Whether it runs by itself. Those that come with the program are off until this says true."),
    routine("routines.<routine>.schedule", |r| &mut r.schedule)
        .means("When it runs, by your clock: minute, hour, day, month and day of the week, such as 0 7 * * MON-FRI."),
    routine("routines.<routine>.kind", |r| &mut r.kind)
        .means("What it does: give an agent a prompt, give it the output of a command, or send a message as it stands."),
    routine("routines.<routine>.prompt", |r| &mut r.prompt)
        .means("What the agent is to write; of a command, what to make of the output."),
    routine("routines.<routine>.command", |r| &mut r.command)
        .means("The program and its arguments, a list without a shell; {today} and {yesterday} become dates."),
    routine("routines.<routine>.seconds", |r| &mut r.seconds)
        .means("How long the command may take, in seconds."),
    routine("routines.<routine>.text", |r| &mut r.text).means("The message that is sent as it stands."),
    routine("routines.<routine>.decide", |r| &mut r.decide)
        .means("What the agent is asked first, to be answered YES or NO; NO ends the run without a message."),
    routine("routines.<routine>.chat", |r| &mut r.chat).means("The chat that the message goes to. Unset, yours on Telegram, else the terminal's."),
    routine("routines.<routine>.lane", |r| &mut r.lane).means("The strand of that chat: root or topic:N. Unset, root."),
    routine("routines.<routine>.agent", |r| &mut r.agent).means("Which agent speaks. Unset, the chat's."),
    routine("routines.<routine>.late_minutes", |r| &mut r.late_minutes)
        .means("How late a run may be, in minutes; then it is left out. Quiet hours that hold it back do not count."),
    routine("routines.<routine>.quiet", |r| &mut r.quiet)
        .means("What becomes of a run in quiet hours: it waits until they end, is left out, or runs all the same."),
];

/// One setting.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its place in `config.toml`, dotted; [`ANY_PRESET`], [`ANY_CHAT`] or [`ANY_ROUTINE`] where a table has a
    /// name of its own.
    pub path: &'static str,
    /// What it means, for people.
    pub doc: &'static str,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The flag that sets it.
    pub flag: Option<&'static str>,
    /// Whether the default is the same everywhere.
    pub fixed_default: bool,
    place: KeyPath,
}

/// Which field a key fills.
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
    /// The field this key fills; of the preset, chat or routine called `name`, where each has its own.
    ///
    /// # Errors
    /// Where there can be none of that name.
    pub fn field<'s>(&self, settings: &'s mut Settings, name: &str) -> Result<&'s mut dyn Field, String> {
        Ok(match self.place {
            KeyPath::Once(field) => field(settings),
            KeyPath::PerPreset(field) => field(settings.presets.entry(preset_named(name)?).or_default()),
            KeyPath::LayerCap(layer) => {
                settings.presets.entry(preset_named(name)?).or_default().layers.of_mut(layer)
            }
            KeyPath::PerChat(field) => field(settings.chats.entry(chat_named(name)?).or_default()),
            KeyPath::PerRoutine(field) => {
                routines::check_name(name)?;
                field(settings.routine_settings.entry(name.to_owned()).or_default())
            }
        })
    }

    /// The names of the presets, chats or routines that something is written about; one empty name for a key that stands once.
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

    /// What may be written for this key, as JSON Schema, and what holds where nothing is: null for nothing.
    pub fn describe(&self, defaults: &mut Settings) -> (Json, Json) {
        let of = |field: &dyn Field| (field.schema(), field.shown());
        match self.place {
            KeyPath::Once(field) => of(field(defaults)),
            KeyPath::PerPreset(field) => of(field(&mut PresetNumbers::default())),
            KeyPath::LayerCap(layer) => of(PresetNumbers::default().layers.of_mut(layer)),
            KeyPath::PerChat(field) => of(field(&mut ChatSettings::default())),
            KeyPath::PerRoutine(field) => of(field(&mut RoutineSettings::default())),
        }
    }

    /// The path as it is written for the preset, chat or routine called `name`.
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

/// Whether a table that stands where `placeholder` does may be called `name`.
///
/// # Errors
/// Where it may not; reads on from the name of the table around it.
pub fn check_name(placeholder: &str, name: &str) -> Result<(), String> {
    match placeholder {
        ANY_PRESET => preset_named(name).map(drop),
        ANY_ROUTINE => routines::check_name(name),
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
