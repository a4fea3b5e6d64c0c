//! Installs a user service that runs `serve`: a systemd unit on Linux, a launchd agent on macOS.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ask::Person;
use crate::config;
use crate::config::problem::Source;
use crate::output::Failure;
use crate::wire::App;

/// The name of the systemd unit.
const UNIT: &str = "throughline.service";
/// The name of the launchd agent.
const LABEL: &str = "throughline.serve";

/// The command that the service runs.
struct ServiceCommand {
    /// The program and its arguments.
    words: Vec<String>,
    /// The `PATH` of the service, in which it finds programs such as `claude`.
    search_path: String,
}

/// The result of offering the service.
pub enum Offered {
    /// The service is not wanted, or not possible.
    Nothing,
    Installed,
    /// The service should be installed once the settings are written.
    Wanted(Service),
}

/// A service that the person wants.
pub struct Service {
    manager: Manager,
    path: PathBuf,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manager {
    Systemd,
    Launchd,
}

/// Shows the service's file and asks whether to install it, unless it is installed already.
pub fn offer(app: &App, person: Person, has_changed: bool) -> Result<Offered, Failure> {
    let Some(manager) = Manager::of_this_machine() else { return Ok(Offered::Nothing) };
    let (Some(path), Some(service_command)) = (manager.path(app), service_command(app)) else {
        return Ok(Offered::Nothing);
    };
    let text = match manager {
        Manager::Systemd => unit(&service_command),
        Manager::Launchd => agent(&service_command),
    };
    let style = person.output.style();
    let before = fs::read_to_string(&path).ok();
    if before.as_ref() == Some(&text) {
        person.say(&format!("{} The service is installed, as {}", style.good("✓"), path.display()))?;
        if has_changed {
            person.say(&format!("Restart it, so that it takes the new settings: {}", manager.restart()))?;
        }
        return Ok(Offered::Installed);
    }
    person
        .say(&format!("{} `throughline serve` can run as a service of your user:", style.bold("Service")))?;
    person.say(&style.dim(&path.display().to_string()))?;
    person.show(&text)?;
    let unseen = variables(app);
    if !unseen.is_empty() {
        person.say(&format!(
            "The service does not see the variables of this shell: {}. What it needs of them belongs in config.toml.",
            unseen.join(", ")
        ))?;
    }
    let question = match &before {
        Some(_) => "Replace the file that is there by this one, and start the service?",
        None => "Write this file and start the service?",
    };
    Ok(match person.agrees(question)? {
        true => Offered::Wanted(Service { manager, path, text }),
        false if before.is_some() => Offered::Installed,
        false => Offered::Nothing,
    })
}

impl Service {
    /// Writes the file and starts the service.
    pub fn install(self, person: Person) -> Result<(), Failure> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        if self.manager == Manager::Launchd && self.path.exists() {
            // Unloading fails if the service does not run, which is fine.
            let path = self.path.display().to_string();
            let _ = run(&["launchctl".to_owned(), "unload".to_owned(), path]);
        }
        fs::write(&self.path, &self.text)?;
        for words in self.manager.start(&self.path) {
            run(&words).map_err(|why| {
                Failure::failed(
                    "service",
                    format!("{} is written, but `{}` failed: {why}", self.path.display(), words.join(" ")),
                )
            })?;
        }
        person.say(&format!("{} The service runs", person.output.style().good("✓")))?;
        if self.manager == Manager::Systemd {
            person.say("`loginctl enable-linger` keeps it running while you are logged out.")?;
        }
        Ok(())
    }
}

impl Manager {
    /// The service manager of this user, if one responds.
    fn of_this_machine() -> Option<Self> {
        if cfg!(target_os = "macos") {
            return Some(Self::Launchd);
        }
        run(&["systemctl", "--user", "show-environment"].map(str::to_owned)).ok().map(|()| Self::Systemd)
    }

    fn path(self, app: &App) -> Option<PathBuf> {
        let home = || variable(app, "HOME").map(PathBuf::from);
        match self {
            Self::Systemd => {
                let config = variable(app, "XDG_CONFIG_HOME").map(PathBuf::from);
                let folder =
                    config.filter(|path| path.is_absolute()).or_else(|| Some(home()?.join(".config")))?;
                Some(folder.join("systemd").join("user").join(UNIT))
            }
            Self::Launchd => Some(home()?.join("Library/LaunchAgents").join(format!("{LABEL}.plist"))),
        }
    }

    /// The commands that start the service from its file, or restart it.
    fn start(self, path: &Path) -> Vec<Vec<String>> {
        let words = |line: &[&str]| line.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Systemd => vec![
                words(&["systemctl", "--user", "daemon-reload"]),
                words(&["systemctl", "--user", "enable", UNIT]),
                words(&["systemctl", "--user", "restart", UNIT]),
            ],
            Self::Launchd => vec![words(&["launchctl", "load", "-w", &path.display().to_string()])],
        }
    }

    fn restart(self) -> String {
        match self {
            Self::Systemd => format!("systemctl --user restart {UNIT}"),
            Self::Launchd => format!("launchctl kickstart -k gui/$(id -u)/{LABEL}"),
        }
    }
}

/// The command that the service runs; `None` if a path cannot be written into its file.
fn service_command(app: &App) -> Option<ServiceCommand> {
    let program = std::env::current_exe().ok()?;
    let absolute = |path: &Path| std::path::absolute(path).ok()?.to_str().map(str::to_owned);
    let mut words = vec![absolute(&program)?, "--home".to_owned(), absolute(&app.home)?];
    if let Some(config) = &app.config {
        words.extend(["--config".to_owned(), absolute(config)?]);
    }
    words.push("serve".to_owned());
    let search_path = variable(app, "PATH").unwrap_or_default();
    let is_writable = |text: &String| !text.chars().any(char::is_control);
    (words.iter().all(is_writable) && is_writable(&search_path))
        .then_some(ServiceCommand { words, search_path })
}

/// The settings' environment variables in this shell, which the service will not see.
fn variables(app: &App) -> Vec<String> {
    let rows = config::show(&app.settings).into_iter();
    rows.filter(|row| matches!(row.source, Source::Variable(_))).map(|row| row.source.to_string()).collect()
}

fn variable(app: &App, name: &str) -> Option<String> {
    let found = app.environment.everything().iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
}

fn unit(service_command: &ServiceCommand) -> String {
    let words: Vec<String> =
        service_command.words.iter().map(|word| in_unit(word).replace('$', "$$")).collect();
    format!(
        "# Written by `throughline onboard`.\n\
         [Unit]\n\
         Description=Throughline\n\
         After=network-online.target\n\
         \n\
         [Service]\n\
         ExecStart={}\n\
         Environment={}\n\
         Restart=always\n\
         RestartSec=5\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        words.join(" "),
        in_unit(&format!("PATH={}", service_command.search_path)),
    )
}

/// Quotes a word for a systemd unit.
fn in_unit(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}

fn agent(service_command: &ServiceCommand) -> String {
    let words: String =
        service_command.words.iter().map(|word| format!("    <string>{}</string>\n", in_xml(word))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  \
         <key>Label</key><string>{LABEL}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  \
         <key>EnvironmentVariables</key>\n  <dict><key>PATH</key><string>{}</string></dict>\n  \
         <key>RunAtLoad</key><true/>\n  \
         <key>KeepAlive</key><true/>\n\
         </dict>\n</plist>\n",
        in_xml(&service_command.search_path),
    )
}

fn in_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Runs a command of the service manager; the error contains its output.
fn run(words: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let ran = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match ran {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> ServiceCommand {
        let words = ["/opt/my \"tools\"/throughline", "--home", "/h/50% $HOME\\x", "serve"];
        ServiceCommand {
            words: words.map(str::to_owned).to_vec(),
            search_path: "/usr/bin:/a<b>&c".to_owned(),
        }
    }

    #[test]
    fn a_unit_quotes_what_systemd_would_read_otherwise() {
        let unit = unit(&hostile());
        let line = |name: &str| unit.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert_eq!(
            line("ExecStart="),
            r#"ExecStart="/opt/my \"tools\"/throughline" "--home" "/h/50%% $$HOME\\x" "serve""#
        );
        assert_eq!(line("Environment="), r#"Environment="PATH=/usr/bin:/a<b>&c""#);
    }

    #[test]
    fn an_agent_is_xml_with_a_word_for_each_argument() {
        let agent = agent(&hostile());
        assert!(
            agent.contains("<string>/opt/my \"tools\"/throughline</string>\n    <string>--home</string>"),
            "{agent}"
        );
        assert!(agent.contains("<key>PATH</key><string>/usr/bin:/a&lt;b&gt;&amp;c</string>"), "{agent}");
    }
}
