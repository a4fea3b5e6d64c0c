//! `chat`: a conversation in the terminal, or one turn with -m.

use std::io::IsTerminal;

use serde_json::json;
use throughline_domain::lane::Lane;
use throughline_domain::message::Shortfall;
use throughline_engine::commands::{Command, Request};
use throughline_engine::turn::{Channel, Outcome};
use throughline_engine::{Engine, Inbound};
use throughline_store::turns::OpenQuestion;

use super::forget::typed_lines;
use super::record::{from_stdin, read_message};
use crate::background::Worker;
use crate::channels::answer::asking_again;
use crate::channels::editor::{EchoOff, LineEditor, Typed};
use crate::channels::terminal::{Document, Prompt, Terminal};
use crate::cli::Chat;
use crate::output::{Failure, Output, print_line};
use crate::wire::App;

pub async fn run(args: &Chat, app: &App, output: Output) -> Result<(), Failure> {
    if args.stream && !output.is_json() {
        return Err(Failure::Usage(
            "--stream goes with --json; without it, a reply is shown as it comes".to_owned(),
        ));
    }
    let message = message(args)?;
    let engine = app.engine().await?;
    match message {
        Some(text) => {
            match command(&text).or_else(|| unknown_command(&text)) {
                Some(request) => one_command(args, &request, app, &engine, output).await?,
                None => one_turn(args, &text, &engine, output).await?,
            }
            app.run_jobs(&engine).await;
        }
        None if output.is_json() => {
            return Err(Failure::Usage("--json needs a message: one turn, one document".to_owned()));
        }
        None => {
            let worker = Worker::new(engine.clone());
            talk(args, app, &engine, &worker, output).await?;
            worker.leave(app, &output).await?;
        }
    }
    Ok(())
}

/// The message of a single turn, from the command line, a file or a pipe. The content of a pipe is one message.
fn message(args: &Chat) -> Result<Option<String>, Failure> {
    match args.message.as_deref() {
        Some("-") => from_stdin().map(Some),
        Some(text) => match text.strip_prefix('@') {
            Some(file) => from_file(file).map(Some),
            None => Ok(Some(text.to_owned())),
        },
        None if args.text.is_some() => Ok(args.text.clone()),
        None if std::io::stdin().is_terminal() => Ok(None),
        None => match from_stdin()? {
            nothing if nothing.is_empty() => Err(Failure::Usage(
                "there is no message; write it behind the command, or pipe it in".to_owned(),
            )),
            piped => Ok(Some(piped)),
        },
    }
}

fn from_file(file: &str) -> Result<String, Failure> {
    let open = std::fs::File::open(file).map_err(|error| {
        Failure::failed(
            "file",
            format!("{file} cannot be read: {error}. A message that begins with @ is written without -m"),
        )
    })?;
    read_message(open)
}

fn inbound(args: &Chat, text: &str) -> Inbound {
    Inbound { text: text.to_owned(), agent: args.agent.clone(), ..Inbound::in_chat(args.chat.clone()) }
}

/// Parses a slash command. A path or any other unknown word after a slash is a message.
pub fn command(text: &str) -> Option<Request> {
    let request = Request::parse(text.trim())?.without_prompt();
    (request.command != Command::Unknown).then_some(request)
}

/// Parses a slash and one word that is no command, which is answered as it is at the prompt.
fn unknown_command(text: &str) -> Option<Request> {
    let request = Request::parse(text.trim())?.without_prompt();
    let is_word = text.trim().chars().skip(1).all(char::is_alphanumeric) && !request.argument.is_empty();
    (request.command == Command::Unknown && is_word).then_some(request)
}

async fn one_command(
    args: &Chat,
    request: &Request,
    app: &App,
    engine: &Engine,
    output: Output,
) -> Result<(), Failure> {
    if request.command == Command::Retry
        && let Some(question) = engine.open_question(&args.chat, &Lane::Root).await?
    {
        return ask_again(args, &question, engine, output).await;
    }
    let prompt = Prompt { chat: &args.chat, lane: &Lane::Root, app, engine, style: output.style() };
    let shown = prompt.run(request, None).await?;
    output.print(|| json!({ "reply": shown.trim_end() }), |_| shown.trim_end().to_owned())
}

/// Asks a question again.
async fn ask_again(
    args: &Chat,
    question: &OpenQuestion,
    engine: &Engine,
    output: Output,
) -> Result<(), Failure> {
    if output.width().is_some() {
        output.write(&output.style().dim(&asking_again(question)))?;
    }
    let (terminal, document) = (Terminal::new(output), Document(output));
    let channel: &dyn Channel = if output.is_json() { &document } else { &terminal };
    let (chat, agent) = (&args.chat, args.agent.as_deref());
    match engine.ask_again(question, chat, &Lane::Root, agent, channel).await? {
        Some(outcome) => report_problems(&outcome, output),
        None => {
            let told = "Another turn has answered it meanwhile.";
            output.print(|| json!({ "reply": told }), |_| told.to_owned())
        }
    }
}

async fn one_turn(args: &Chat, text: &str, engine: &Engine, output: Output) -> Result<(), Failure> {
    let terminal = Terminal::new(output);
    let document = Document(output);
    let channel: &dyn Channel = if output.is_json() { &document } else { &terminal };
    let outcome = engine.take_turn(inbound(args, text), channel).await?;
    // Programs read only stdout, whereas a person sees stderr too.
    report_problems(&outcome, output)
}

/// Reports problems of the models. An incomplete reply fails, so that a script notices it.
fn report_problems(outcome: &Outcome, output: Output) -> Result<(), Failure> {
    outcome.problems.iter().for_each(|problem| output.warn(problem));
    if outcome.reply.shortfall() == Some(Shortfall::Cut) { Err(Failure::Reported) } else { Ok(()) }
}

async fn talk(
    args: &Chat,
    app: &App,
    engine: &Engine,
    worker: &Worker,
    output: Output,
) -> Result<(), Failure> {
    let mut editor = LineEditor::new(&typed_lines(app), output.has_color())?;
    greet(args, app, engine, output).await?;
    loop {
        let line = match editor.read()? {
            Typed::Line(line) => line,
            Typed::Discarded => continue,
            Typed::End => break,
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // A line with a topic to forget is never added to the history.
        let forgets = line.starts_with("/forget");
        if !forgets {
            let before = engine.last_texts(&args.chat, &Lane::Root, engine.now()).await?;
            editor.add_to_history(line, &before);
        }
        match Request::parse(line) {
            Some(request) if request.command == Command::Quit => break,
            Some(request) if request.command == Command::Retry => {
                match one_command(args, &request, app, engine, output).await {
                    Err(Failure::Failed { sentence, .. }) => output.write(&output.style().bad(&sentence))?,
                    Err(Failure::Reported) => {}
                    other => other?,
                }
                worker.request();
            }
            Some(request) => {
                let prompt =
                    Prompt { chat: &args.chat, lane: &Lane::Root, app, engine, style: output.style() };
                let mut confirm =
                    |question: &str| editor.confirm(&output.shown(&format!("{question} [y/N] ")));
                output.write(prompt.run(&request, Some(&mut confirm)).await?.trim_end())?;
                if forgets {
                    // The history file was cleaned, so the editor reads it again.
                    editor.reload();
                }
            }
            None => {
                let _unseen = EchoOff::begin();
                match engine.take_turn(inbound(args, line), &Terminal::new(output)).await {
                    Ok(outcome) => outcome.problems.iter().for_each(|problem| output.warn(problem)),
                    Err(error) => output.write(&output.style().bad(&error.to_string()))?,
                }
            }
        }
        if output.width().is_some() {
            // A blank line separates the exchange from the next prompt.
            print_line("")?;
        }
        worker.request();
    }
    Ok(())
}

async fn greet(args: &Chat, app: &App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let style = output.style();
    let model = engine.model_of(&args.chat).await;
    let place = format!("{} · model {} · /help for commands, Ctrl-D to leave", args.chat, model.name());
    output.write(&format!("{} {}", style.bold("Throughline"), style.dim(&place)))?;
    if let Some(found) = app.models().await?.found {
        output.write(&style.dim(&found))?;
    }
    Ok(())
}
