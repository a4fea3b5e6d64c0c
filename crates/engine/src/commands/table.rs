//! The table of commands. The parser, the help, the channels' menus and the recording of commands are derived from
//! it.

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;

use super::command_message;
use crate::Inbound;

/// The commands. [`COMMANDS`] has a row for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table says what each does")]
pub enum Command {
    Start,
    Memory,
    Remember,
    Forget,
    Summary,
    Search,
    New,
    Retry,
    Stop,
    Model,
    Why,
    Context,
    Conversations,
    Routines,
    Cost,
    Export,
    Status,
    Help,
    Quit,
    /// An unknown command; the argument is its name.
    Unknown,
}

/// A row of the table of commands.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    command: Command,
    /// The name, without the slash.
    pub name: &'static str,
    /// Another name that is accepted.
    alias: Option<&'static str>,
    /// The arguments, as the help shows them.
    pub arguments: &'static str,
    /// Its line in the help.
    pub does: &'static str,
    /// The places that offer it.
    pub offered: Offered,
    recorded: Recorded,
}

/// The places that offer a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// On every channel.
    Everywhere,
    /// In a channel's menu of commands, but not in the help.
    InMenu,
    /// Only at a terminal prompt.
    AtPrompt,
}

/// The parts of a command that are recorded. Answers that show stored text are not stored a second time.
#[derive(Debug, Clone, Copy)]
enum Recorded {
    /// The whole line and the answer.
    LineAndAnswer,
    /// The whole line, and this text in place of the answer.
    LineAnd(&'static str),
    /// The name and the answer.
    NameAndAnswer,
    /// The name, and this text in place of the answer.
    NameAnd(&'static str),
    Nothing,
}

const fn spec(
    command: Command,
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    recorded: Recorded,
) -> Spec {
    Spec { command, name, alias: None, arguments, does, offered: Offered::Everywhere, recorded }
}

/// Every command, in the order of the help.
pub const COMMANDS: &[Spec] = {
    use Command::*;
    use Recorded::*;
    &[
        Spec {
            offered: Offered::InMenu,
            ..spec(Start, "start", "", "what I am and what I can do", NameAnd("(listed the commands)"))
        },
        Spec { alias: Some("profile"), ..spec(Memory, "memory", "", "what I know about you", NameAndAnswer) },
        spec(Remember, "remember", "FACT", "remember something", LineAndAnswer),
        spec(
            Forget,
            "forget",
            "[TOPIC]",
            "forget what was said about something, or all of this chat",
            NameAndAnswer,
        ),
        spec(Summary, "summary", "", "the summaries of this chat", NameAndAnswer),
        spec(
            Search,
            "search",
            "WORDS",
            "find what was said in this chat",
            LineAnd("(showed what was found)"),
        ),
        spec(New, "new", "", "begin a new conversation", NameAndAnswer),
        // The repeated question is a turn, and is recorded as one.
        spec(Retry, "retry", "", "ask the last question again that got no whole reply", NameAndAnswer),
        spec(Stop, "stop", "", "end the reply that is being written", NameAndAnswer),
        spec(Model, "model", "[NAME]", "the model that answers here, or choose another", LineAndAnswer),
        spec(
            Why,
            "why",
            "",
            "what went into the last reply",
            NameAnd("(showed what went into the last reply)"),
        ),
        spec(
            Context,
            "context",
            "[TEXT]",
            "the context that TEXT would be answered from",
            NameAnd("(showed the context)"),
        ),
        spec(
            Conversations,
            "conversations",
            "",
            "the conversations of this chat",
            NameAnd("(listed the conversations of this chat)"),
        ),
        spec(
            Routines,
            "routines",
            "",
            "the routines, and what they sent here today",
            NameAnd("(listed the routines)"),
        ),
        spec(Cost, "cost", "", "the tokens and cost of models in this chat", NameAndAnswer),
        spec(
            Export,
            "export",
            "",
            "this chat as Markdown",
            NameAnd("(gave everything that was said in this chat)"),
        ),
        spec(
            Status,
            "status",
            "",
            "what is stored and what is waiting",
            NameAnd("(showed what is stored and what waits)"),
        ),
        spec(Help, "help", "", "this list", NameAnd("(listed the commands)")),
        Spec {
            alias: Some("exit"),
            offered: Offered::AtPrompt,
            ..spec(Quit, "quit", "", "leave (or Ctrl-D)", Nothing)
        },
    ]
};

/// The help: a line for each command that is offered everywhere, and at a prompt also those that need one.
#[must_use]
pub fn help(at_prompt: bool) -> String {
    let line = |spec: &Spec| {
        format!("{:<17} {}", format!("/{} {}", spec.name, spec.arguments).trim_end(), spec.does)
    };
    let is_shown = |spec: &&Spec| match spec.offered {
        Offered::Everywhere => true,
        Offered::InMenu => false,
        Offered::AtPrompt => at_prompt,
    };
    COMMANDS.iter().filter(is_shown).map(line).collect::<Vec<_>>().join("\n")
}

/// A parsed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// The rest of the line; for an unknown command, its name.
    pub argument: String,
}

impl Request {
    /// Parses a line; `None` if it does not begin with a slash.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_named = |spec: &&Spec| spec.name == name || spec.alias == Some(name);
        Some(match COMMANDS.iter().find(is_named) {
            Some(spec) => Self { command: spec.command, argument: rest.trim().to_owned() },
            None => Self::unknown(name),
        })
    }

    fn unknown(name: &str) -> Self {
        Self { command: Command::Unknown, argument: name.to_owned() }
    }

    /// The request on a channel without a prompt, where prompt commands are unknown.
    #[must_use]
    pub fn without_prompt(self) -> Self {
        match self.spec() {
            Some(spec) if spec.offered == Offered::AtPrompt => Self::unknown(spec.name),
            _ => self,
        }
    }

    fn spec(&self) -> Option<&'static Spec> {
        COMMANDS.iter().find(|spec| spec.command == self.command)
    }

    /// The messages that record the command and its answer, or `None` if it is not recorded. Searches find them; no
    /// memory is extracted from them.
    #[must_use]
    pub fn recorded(&self, chat: &ChatId, lane: &Lane, shown: &str) -> Option<[Inbound; 2]> {
        let spec = self.spec()?;
        let name = || format!("/{}", spec.name);
        let line = || format!("/{} {}", spec.name, self.argument);
        let (line, answer) = match spec.recorded {
            Recorded::LineAndAnswer => (line(), shown),
            Recorded::LineAnd(words) => (line(), words),
            Recorded::NameAndAnswer => (name(), shown),
            Recorded::NameAnd(words) => (name(), words),
            Recorded::Nothing => return None,
        };
        let mut line = command_message(chat, lane, Role::User, &line);
        if self.command == Command::New {
            line.metadata.insert("new".to_owned(), json!(true));
        }
        Some([line, command_message(chat, lane, Role::Assistant, answer)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j5_a_line_is_parsed_by_the_table() {
        let cases = [
            ("/memory", Some((Command::Memory, ""))),
            ("/profile", Some((Command::Memory, ""))),
            ("/remember  I like tea ", Some((Command::Remember, "I like tea"))),
            ("/exit", Some((Command::Quit, ""))),
            ("/nonsense now", Some((Command::Unknown, "nonsense"))),
            ("/", Some((Command::Unknown, ""))),
            ("memory", None),
        ];
        for (line, expected) in cases {
            let expected =
                expected.map(|(command, argument)| Request { command, argument: argument.to_owned() });
            assert_eq!(Request::parse(line), expected, "{line}");
        }
        let quit = Request::parse("/quit").unwrap().without_prompt();
        assert_eq!(quit, Request { command: Command::Unknown, argument: "quit".to_owned() });
    }

    #[test]
    fn c2_what_was_to_be_forgotten_is_not_recorded_and_what_was_stored_is_not_stored_again() {
        let chat = ChatId::terminal();
        let texts = |line: &str| {
            let recorded = Request::parse(line).unwrap().recorded(&chat, &Lane::Root, "the answer");
            recorded.map(|both| both.map(|inbound| inbound.text))
        };
        let cases = [
            ("/forget narcolepsy", Some(["/forget", "the answer"])),
            ("/search spare key", Some(["/search spare key", "(showed what was found)"])),
            ("/context what now", Some(["/context", "(showed the context)"])),
            ("/remember I like tea", Some(["/remember I like tea", "the answer"])),
            ("/quit", None),
            ("/nonsense", None),
        ];
        for (line, expected) in cases {
            assert_eq!(texts(line), expected.map(|both| both.map(str::to_owned)), "{line}");
        }
    }
}
