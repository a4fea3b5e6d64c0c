//! Notifies the owner of problems, on the terminal of `serve` and on the owner's channel: once for each problem, and
//! again if a solved problem returns.

use std::collections::BTreeMap;

use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::commands::command_message;
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;
use throughline_store::routines::RunState;

use super::{Channels, Draft, Host, compose};
use crate::output::Output;

/// A problem that the owner should know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The subject, which identifies the problem as long as it lasts.
    pub subject: String,
    /// The text of the notice.
    pub text: String,
    /// Where the notice appears.
    pub audience: Audience,
}

/// Where a notice appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// On the terminal and on the owner's channel.
    Everywhere,
    /// On the terminal only: the channel itself does not work, or already shows the problem.
    TerminalOnly,
}

/// Watches for problems, and notifies the owner.
pub struct Notices {
    host: Host,
    channels: Channels,
    output: Output,
    /// The printed notices, by subject.
    printed: BTreeMap<String, String>,
    /// The subjects that may have been sent to the channel.
    known: Vec<String>,
}

impl Notices {
    /// Creates the watcher; this process has sent no notices yet.
    pub fn new(host: &Host, channels: &Channels, output: Output) -> Self {
        let routines = host.app.settings.routines.keys().map(|name| of_routine(name));
        let known = routines.chain([MODEL, JOBS].map(str::to_owned)).chain(channels.subjects()).collect();
        Self { host: host.clone(), channels: channels.clone(), output, printed: BTreeMap::new(), known }
    }

    /// Sends notices of new problems, and clears solved ones.
    pub async fn check(&mut self) {
        if let Err(error) = self.try_to_look().await {
            tracing::warn!(%error, "checking for problems failed; retrying with the next jobs");
        }
    }

    async fn try_to_look(&mut self) -> throughline_engine::Result<()> {
        let problems = self.problems().await?;
        self.printed.retain(|subject, _| problems.iter().any(|problem| problem.subject == *subject));
        for subject in &self.known {
            let is_over = problems.iter().all(|problem| problem.subject != *subject);
            if is_over && self.host.engine.store.was_told(subject).await? {
                self.host.engine.store.settle(subject).await?;
            }
        }
        for problem in problems {
            if self.printed.insert(problem.subject.clone(), problem.text.clone()).is_none() {
                tracing::warn!(subject = problem.subject, "problem for the owner: {}", problem.text);
                self.output.warn(&problem.text);
            }
            if problem.audience == Audience::Everywhere {
                self.tell(&problem).await?;
            }
        }
        Ok(())
    }

    async fn problems(&self) -> throughline_engine::Result<Vec<Problem>> {
        let engine = &self.host.engine;
        let mut problems = self.channels.problems();
        for (name, _) in self.host.app.settings.routines.iter().filter(|(_, routine)| routine.enabled) {
            let runs = engine.store.runs(Some(name), RECENT_RUNS).await?;
            // A run that is still going or was missed says nothing about whether the routine works.
            let last =
                runs.into_iter().find(|run| !matches!(run.state, RunState::Running | RunState::Missed));
            if let Some(run) = last.filter(|run| run.state == RunState::Failed) {
                let why = run.problem.unwrap_or_default();
                let text = format!(
                    "The routine {name} failed: {why}. You hear of it again only after it has worked."
                );
                problems.push(Problem { subject: of_routine(name), text, audience: Audience::Everywhere });
            }
        }
        let report = engine.status_report().await?;
        if let Some(found) = report.problem.filter(|found| !found.is_over) {
            // In the owner's own chat, the reply itself shows the error.
            let is_seen = found.chat.as_ref() == Some(&self.host.app.own_chat());
            let audience = if is_seen { Audience::TerminalOnly } else { Audience::Everywhere };
            let text = format!("The model does not work as it should: {}", found.problem);
            problems.push(Problem { subject: MODEL.to_owned(), text, audience });
        }
        if let Some(why) = report.figures.lasting_problem {
            let text = format!("Work in the background fails, such as learning and summaries: {why}");
            problems.push(Problem { subject: JOBS.to_owned(), text, audience: Audience::Everywhere });
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
        if outbox.is_empty() || is_quiet || engine.store.was_told(&problem.subject).await? {
            return Ok(());
        }
        let notice = engine
            .stored(command_message(&chat, &Lane::Root, Role::Assistant, &text), Purpose::Record)
            .await?;
        let outgoing = Outgoing { said: vec![notice], outbox, ..Outgoing::default() };
        if engine.store.tell_once(&problem.subject, outgoing).await?
            && let Some(sender) = self.channels.sender(&chat)
        {
            sender.request(&chat);
        }
        Ok(())
    }
}

/// Number of recent runs that are searched for one that succeeded or failed.
const RECENT_RUNS: usize = 20;
/// The subject of problems with the model that writes replies.
const MODEL: &str = "model";
/// The subject of problems with background jobs.
const JOBS: &str = "jobs";

fn of_routine(name: &str) -> String {
    format!("routine {name}")
}
