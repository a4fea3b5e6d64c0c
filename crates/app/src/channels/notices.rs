//! Tells the owner, once, what they have to know: on the terminal of `serve`, and on a channel where they can be reached.
//! A matter that is settled and comes up again is told again.

use std::collections::BTreeMap;

use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::commands::command_message;
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;
use throughline_store::routines::RunState;

use super::{Channels, Draft, Host, compose};
use crate::output::Output;

/// Something that the owner has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is about. As long as it lasts, it is told once.
    pub matter: String,
    /// What is told.
    pub text: String,
    /// Where it can be told.
    pub told: Told,
}

/// Where a matter is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// On the terminal and on the owner's channel.
    Everywhere,
    /// On the terminal alone: the channel is what does not work, or shows it already.
    AtTheTerminal,
}

/// Watches for what the owner has to know.
pub struct Notices {
    host: Host,
    channels: Channels,
    output: Output,
    /// What was printed, by its matter.
    printed: BTreeMap<String, String>,
    /// The matters that may have been told on the channel.
    known: Vec<String>,
}

impl Notices {
    /// Nothing was told yet by this process.
    pub fn new(host: &Host, channels: &Channels, output: Output) -> Self {
        let routines = host.app.settings.routines.keys().map(|name| of_routine(name));
        let known = routines.chain([MODEL, JOBS].map(str::to_owned)).chain(channels.matters()).collect();
        Self { host: host.clone(), channels: channels.clone(), output, printed: BTreeMap::new(), known }
    }

    /// Tells what is new, and settles what is over.
    pub async fn look(&mut self) {
        if let Err(error) = self.try_to_look().await {
            tracing::warn!(%error, "looking for what the owner has to know failed; retrying with the next jobs");
        }
    }

    async fn try_to_look(&mut self) -> throughline_engine::Result<()> {
        let problems = self.problems().await?;
        self.printed.retain(|matter, _| problems.iter().any(|problem| problem.matter == *matter));
        for matter in &self.known {
            let is_over = problems.iter().all(|problem| problem.matter != *matter);
            if is_over && self.host.engine.store.was_told(matter).await? {
                self.host.engine.store.settle(matter).await?;
            }
        }
        for problem in problems {
            if self.printed.insert(problem.matter.clone(), problem.text.clone()).is_none() {
                tracing::warn!(matter = problem.matter, "the owner has to know: {}", problem.text);
                self.output.warn(&problem.text);
            }
            if problem.told == Told::Everywhere {
                self.tell(&problem).await?;
            }
        }
        Ok(())
    }

    async fn problems(&self) -> throughline_engine::Result<Vec<Problem>> {
        let engine = &self.host.engine;
        let mut problems = self.channels.problems();
        for (name, _) in self.host.app.settings.routines.iter().filter(|(_, routine)| routine.enabled) {
            let runs = engine.store.runs(Some(name), LOOKED_AT).await?;
            // One that still runs or was missed tells nothing.
            let last =
                runs.into_iter().find(|run| !matches!(run.state, RunState::Running | RunState::Missed));
            if let Some(run) = last.filter(|run| run.state == RunState::Failed) {
                let why = run.problem.unwrap_or_default();
                let text = format!(
                    "The routine {name} failed: {why}. You hear of it again only after it has worked."
                );
                problems.push(Problem { matter: of_routine(name), text, told: Told::Everywhere });
            }
        }
        let report = engine.status_report().await?;
        if let Some(found) = report.problem.filter(|found| !found.is_over) {
            // In the owner's own chat the reply says it.
            let is_seen = found.chat.as_ref() == Some(&self.host.app.own_chat());
            let told = if is_seen { Told::AtTheTerminal } else { Told::Everywhere };
            let text = format!("The model does not work as it should: {}", found.problem);
            problems.push(Problem { matter: MODEL.to_owned(), text, told });
        }
        if let Some(why) = report.figures.lasting_problem {
            let text = format!("Work in the background fails, such as learning and summaries: {why}");
            problems.push(Problem { matter: JOBS.to_owned(), text, told: Told::Everywhere });
        }
        Ok(problems)
    }

    async fn tell(&self, problem: &Problem) -> throughline_engine::Result<()> {
        let Host { app, engine, .. } = &self.host;
        let (chat, settings) = (app.own_chat(), &app.settings);
        let is_quiet =
            settings.quiet_hours.as_ref().is_some_and(|quiet| quiet.holds(engine.now(), &settings.zone));
        let text = format!("⚠️ {}", problem.text);
        let outbox = compose(&chat, &Lane::Root, Draft::Text(&text, Vec::new()));
        if outbox.is_empty() || is_quiet || engine.store.was_told(&problem.matter).await? {
            return Ok(());
        }
        let notice = engine
            .stored(command_message(&chat, &Lane::Root, Role::Assistant, &text), Purpose::Record)
            .await?;
        let outgoing = Outgoing { said: vec![notice], outbox, ..Outgoing::default() };
        if engine.store.tell_once(&problem.matter, outgoing).await?
            && let Some(sender) = self.channels.sender(&chat)
        {
            sender.ask(&chat);
        }
        Ok(())
    }
}

/// How many runs of a routine are looked at for one that tells whether it works.
const LOOKED_AT: usize = 20;
/// The model that writes replies.
const MODEL: &str = "model";
/// Background jobs.
const JOBS: &str = "jobs";

fn of_routine(name: &str) -> String {
    format!("routine {name}")
}
