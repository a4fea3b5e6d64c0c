//! Programs that take a secret as an argument: `mysql -pX`, `docker login -p X`, `htpasswd -b file ana X`.

use super::reading::{holds_marker, leading, skip_blanks, starts_afresh, trailing};
use super::value::Value;
use super::{Class, Secret, Sight, words};
use Takes::{After, Attached, Joined, Pair, Prefixed, Slash, Word};

/// A program, and where its secret stands.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) program: &'static str,
    takes: &'static [Takes],
}

/// How an argument holds a secret.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// The argument behind the option: `-p X`, `-p=X`.
    After(&'static str),
    /// The rest of the option: `-pX`. Alone it asks for the secret.
    Attached(&'static str),
    /// `-u ana:X`, as the next argument or as the rest of the option.
    Pair(&'static str),
    /// The same with another sign: `-U ana%X`.
    Joined(&'static str, char),
    /// `ana/X@db`, the first argument that is no option.
    Slash,
    /// The next argument, behind this: `-passin pass:X`.
    Prefixed(&'static str, &'static str),
    /// The argument of this number that is no option, if an option holds this letter. Without a letter it has to look
    /// made up, since a sentence could begin like the command: "net user growth".
    Word(usize, &'static str),
}

pub(super) const COMMANDS: &[Command] = &[
    command("mysql", &[Attached("-p")]),
    command("mysqldump", &[Attached("-p")]),
    command("mysqladmin", &[Attached("-p")]),
    command("mysqlimport", &[Attached("-p")]),
    command("mariadb", &[Attached("-p")]),
    command("mariadb-dump", &[Attached("-p")]),
    command("docker login", &[After("-p"), Attached("-p")]),
    command("podman login", &[After("-p"), Attached("-p")]),
    command("buildah login", &[After("-p")]),
    command("skopeo login", &[After("-p")]),
    command("helm registry login", &[After("-p")]),
    command("oc login", &[After("-p")]),
    command("az login", &[After("-p")]),
    command("az acr login", &[After("-p")]),
    command("cf login", &[After("-p")]),
    command("curl", &[Pair("-u"), Pair("--user"), Pair("-U"), Pair("--proxy-user")]),
    command("wget", &[After("--password"), After("--http-password"), After("--ftp-password")]),
    command("http", &[Pair("-a"), Pair("--auth")]),
    command("https", &[Pair("-a"), Pair("--auth")]),
    command("xh", &[Pair("-a"), Pair("--auth")]),
    command("sshpass", &[Attached("-p"), After("-p")]),
    command("htpasswd", &[Word(2, "nb"), Word(3, "b")]),
    command("redis-cli", &[After("-a"), After("--pass"), After("AUTH")]),
    command("requirepass", &[Word(1, ANY)]),
    command("masterauth", &[Word(1, "")]),
    command("mongo", &[After("-p"), Attached("-p")]),
    command("mongosh", &[After("-p"), Attached("-p")]),
    command("mongodump", &[After("-p"), Attached("-p")]),
    command("mongorestore", &[After("-p"), Attached("-p")]),
    command("sqlcmd", &[After("-P"), Attached("-P")]),
    command("bcp", &[After("-P"), Attached("-P")]),
    command("cqlsh", &[After("-p")]),
    command("clickhouse-client", &[After("--password")]),
    command("influx", &[After("-password"), After("-t")]),
    command("ldapsearch", &[After("-w")]),
    command("ldapmodify", &[After("-w")]),
    command("ldapadd", &[After("-w")]),
    command("ipmitool", &[After("-P")]),
    command("snmpwalk", &[After("-c"), After("-A"), After("-X")]),
    command("snmpget", &[After("-c"), After("-A"), After("-X")]),
    command("smbclient", &[Joined("-U", '%'), Joined("--user", '%')]),
    command("rpcclient", &[Joined("-U", '%')]),
    command("xfreerdp", &[Attached("/p:")]),
    command(
        "openssl",
        &[
            After("-k"),
            Prefixed("-passin", "pass:"),
            Prefixed("-passout", "pass:"),
            Prefixed("-pass", "pass:"),
        ],
    ),
    command("keytool", &[After("-storepass"), After("-keypass")]),
    command("jarsigner", &[After("-storepass"), After("-keypass")]),
    command("zip", &[After("-P"), After("--password")]),
    command("unzip", &[After("-P")]),
    command("7z", &[Attached("-p")]),
    command("7za", &[Attached("-p")]),
    command("7zz", &[Attached("-p")]),
    command("rar", &[Attached("-hp"), Attached("-p")]),
    command("unrar", &[Attached("-p")]),
    command("qpdf", &[After("--encrypt"), Attached("--password=")]),
    command("gpg", &[After("--passphrase")]),
    command("ssh-keygen", &[After("-N"), After("-P")]),
    command("vault login", &[Word(1, "")]),
    command("net user", &[Word(2, "")]),
    command("net use", &[Word(3, "")]),
    command("wpa_passphrase", &[Word(2, ANY)]),
    command("nordvpn login", &[After("--token")]),
    command("tailscale up", &[After("--authkey"), After("--auth-key")]),
    command("ngrok authtoken", &[Word(1, "")]),
    command("ngrok config add-authtoken", &[Word(1, "")]),
    command("npm config set", &[Prefixed("set", "_authToken=")]),
    command("lftp", &[Joined("-u", ','), Pair("-u")]),
    command("ftp", &[Pair("-u")]),
    command("svn", &[After("--password")]),
    command("rclone obscure", &[Word(1, "")]),
    command("kinit", &[After("--password")]),
    command("twine upload", &[After("-p")]),
    command("nmcli", &[After("password"), After("wifi-sec.psk")]),
    command("iwconfig", &[After("key")]),
    command("psexec", &[After("-p")]),
    command("schtasks", &[After("/rp")]),
    command("plink", &[After("-pw")]),
    command("pscp", &[After("-pw")]),
    command("hydra", &[After("-p")]),
    command("openssl passwd", &[Word(1, ANY)]),
    command("mkpasswd", &[Word(2, "m"), Word(1, ANY)]),
    command("ansible-vault encrypt_string", &[Word(1, ANY)]),
    command("ConvertTo-SecureString", &[After("-String"), Word(1, ANY)]),
    command("pdftk", &[After("input_pw"), After("user_pw"), After("owner_pw")]),
    command("sqlplus", &[Slash]),
    command("impdp", &[Slash]),
    command("expdp", &[Slash]),
    command("etcdctl", &[Pair("--user")]),
    command("mosquitto_pub", &[After("-P")]),
    command("mosquitto_sub", &[After("-P")]),
    command("rabbitmqctl add_user", &[Word(2, ANY)]),
    command("rabbitmqctl change_password", &[Word(2, ANY)]),
    command("isql", &[After("-P"), Attached("-P")]),
    command("tsql", &[After("-P")]),
    command("swaks", &[After("-ap")]),
    command("yt-dlp", &[After("-p")]),
    command("youtube-dl", &[After("-p")]),
    command("ab", &[Pair("-A")]),
    command("rdesktop", &[After("-p")]),
    command("x11vnc", &[After("-passwd")]),
    command("ldappasswd", &[After("-w"), After("-s")]),
    command("wandb login", &[Word(1, "")]),
    command("cargo login", &[Word(1, "")]),
    command("doctl auth init", &[After("-t")]),
    command("useradd", &[After("-p")]),
    command("usermod", &[After("-p")]),
    command("snowsql", &[After("-p")]),
    command("AUTH", &[Word(1, "")]),
    command("gh secret set", &[After("--body"), After("-b")]),
    command("consul acl set-agent-token", &[Word(2, ANY)]),
    command("tmate", &[After("-k")]),
    command("evil-winrm", &[After("-p")]),
    command("crackmapexec", &[After("-p")]),
    command("smbmap", &[After("-p")]),
    command("steghide", &[After("-p")]),
    command("rabbitmqadmin", &[After("-p")]),
    command("ccrypt", &[After("-K")]),
    command("pdftotext", &[After("-upw"), After("-opw")]),
    command("ngrok", &[Pair("--basic-auth")]),
    command("security unlock-keychain", &[After("-p")]),
    command("az sql server create", &[After("-p")]),
    command("aws ssm put-parameter", &[After("--value")]),
    command("mc alias set", &[Word(4, ANY)]),
    command("networksetup -setairportnetwork", &[Word(3, ANY)]),
];

/// How much of a command is looked at, and how many of its arguments.
const LOOK: usize = 640;
const ARGUMENTS: usize = 32;

/// Instead of a letter, where no sentence begins like the command.
const ANY: &str = "any";

const fn command(program: &'static str, takes: &'static [Takes]) -> Command {
    Command { program, takes }
}

impl Command {
    /// The secrets among the arguments.
    pub(super) fn examine<'t>(&self, sight: &Sight<'t>) -> Vec<Secret<'t>> {
        let named = sight.literal == self.program
            && starts_afresh(sight.before)
            && sight.after.starts_with([' ', '\t']);
        if !named || sight.before.ends_with(['-', '_', '.']) {
            return Vec::new();
        }
        let line = leading(sight.after, LOOK, |c| !matches!(c, '\n' | '|' | ';'));
        if holds_marker(line) {
            return Vec::new();
        }
        let arguments = arguments(sight.after, line.len());
        let mut secrets: Vec<Secret<'t>> = Vec::new();
        for takes in self.takes {
            // A word by its number is what is left when no option has the secret, and only one of them is it.
            if matches!(takes, Word(..)) && !secrets.is_empty() {
                continue;
            }
            let secret = takes.secret(&arguments).map(|text| Secret { text, class: Class::Password });
            secrets.extend(secret);
        }
        secrets
    }
}

/// The beginnings of the arguments, each with the rest of the text.
fn arguments(text: &str, length: usize) -> Vec<&str> {
    let mut arguments = Vec::new();
    let mut rest = text;
    while arguments.len() < ARGUMENTS {
        rest = skip_continuation(rest);
        if rest.is_empty() || text.len() - rest.len() >= length || rest.starts_with('\n') {
            break;
        }
        arguments.push(rest);
        let next = rest.get(argument_length(rest)..).unwrap_or_default();
        if next.len() == rest.len() {
            break;
        }
        rest = next;
    }
    arguments
}

/// Blanks, and a backslash at a line's end.
fn skip_continuation(text: &str) -> &str {
    let rest = skip_blanks(text);
    rest.strip_prefix("\\\n").map_or(rest, skip_blanks)
}

/// Up to the next blank that no quote holds.
fn argument_length(text: &str) -> usize {
    let mut quote = None;
    let look = text.get(..text.floor_char_boundary(LOOK)).unwrap_or(text);
    for (index, c) in look.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ' | '\t' | '\n') => return index,
            _ => {}
        }
    }
    // A quote that is never closed holds nothing.
    look.find([' ', '\t', '\n']).unwrap_or(look.len())
}

impl Takes {
    fn secret<'t>(self, arguments: &[&'t str]) -> Option<&'t str> {
        match self {
            After(option) => value(behind(arguments, option)?),
            Attached(option) => arguments
                .iter()
                .filter_map(|argument| argument.strip_prefix(option))
                .find(|rest| !rest.starts_with([' ', '\t', '\n']) && !rest.is_empty())
                .and_then(value),
            Pair(option) => split(attached_or_behind(arguments, option)?, ':'),
            Joined(option, sign) => split(attached_or_behind(arguments, option)?, sign),
            Slash => {
                let login = arguments.iter().find(|argument| !argument.starts_with('-'))?;
                let word = leading(login, LOOK, |c| !c.is_whitespace());
                let (_, secret) = word.split_once('/')?;
                value(secret.rsplit_once('@').map_or(secret, |(secret, _)| secret))
            }
            Prefixed(option, prefix) => {
                value(behind(arguments, option)?.trim_start_matches(['"', '\'']).strip_prefix(prefix)?)
            }
            Word(number, letter) => word(arguments, number, letter),
        }
    }
}

/// The argument behind the option, which may be joined to it by `=`.
fn behind<'t>(arguments: &[&'t str], option: &str) -> Option<&'t str> {
    arguments.iter().enumerate().find_map(|(index, argument)| {
        let rest = argument.strip_prefix(option)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.starts_with([' ', '\t']) => arguments.get(index + 1).copied(),
            None => None,
        }
    })
}

fn attached_or_behind<'t>(arguments: &[&'t str], option: &str) -> Option<&'t str> {
    let attached = || {
        let rest = arguments.iter().find_map(|argument| argument.strip_prefix(option))?;
        Some(rest).filter(|rest| !option.starts_with("--") && !rest.starts_with([' ', '\t']))
    };
    behind(arguments, option).or_else(attached)
}

/// The second half of a pair. Numbers on both sides are ids of a user and a group, or ports.
fn split(pair: &str, joint: char) -> Option<&str> {
    let pair = pair.trim_start_matches(['"', '\'']);
    let user = leading(pair, 64, |c| {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+' | '\\' | '/')
    });
    let secret = value(pair.get(user.len()..)?.strip_prefix(joint)?)?;
    let numbers = format!("{user}{secret}").bytes().all(|byte| byte.is_ascii_digit());
    (!numbers).then_some(secret)
}

/// The argument of this number among those that are no options.
fn word<'t>(arguments: &[&'t str], number: usize, letter: &str) -> Option<&'t str> {
    let is_option = |argument: &&&str| argument.starts_with(['-', '/']) && !argument.starts_with("//");
    let flags =
        |argument: &&str| leading(argument, 16, |c| c == '-' || c.is_ascii_alphanumeric()).contains(letter);
    let asked = letter.is_empty() || letter == ANY || arguments.iter().filter(is_option).any(flags);
    let mut words = arguments.iter().filter(|argument| {
        let path = argument.starts_with('/')
            && argument.get(1..).is_some_and(|rest| leading(rest, 64, |c| c != ' ').contains('/'));
        path || !is_option(argument)
    });
    let argument = words.nth(number.checked_sub(1)?).filter(|_| asked)?;
    let made_up = !letter.is_empty() || Value::read(argument).is_some_and(|value| value.is_made_up(6));
    if made_up { value(argument) } else { None }
}

fn value(text: &str) -> Option<&str> {
    let stands = |value: &Value<'_>| value.is_reference() || words::is_stand_in(value.text);
    let value = Value::read(text).filter(|value| !stands(value) && value.text.len() >= 2)?;
    (!value.text.starts_with(['-', '*', '<', '|'])).then(|| value.whole())
}

/// Programs that read a password from what is written into them.
const READERS: &[&str] = &[
    "sudo",
    "cryptsetup",
    "kinit",
    "passwd",
    "gpg",
    "openssl",
    "ssh-add",
    "docker login",
    "podman login",
    "--with-token",
    "secret put",
];

/// `echo 'X' | sudo -S …`, `echo "ana:X" | chpasswd`, `echo X | docker login --password-stdin`
pub(super) fn piped<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let line = trailing(sight.before, LOOK, |c| !matches!(c, '\n' | ';'));
    let line = if sight.literal.starts_with('|') { line } else { line.rsplit_once('|')?.0 };
    let line = line.rsplit('|').next().filter(|line| !holds_marker(line))?;
    let written =
        ["echo ", "printf "].iter().find_map(|program| line.get(line.rfind(program)? + program.len()..))?;
    let argument =
        ["-n ", "-e ", "'%s' ", "\"%s\" ", "%s "].iter().find_map(|option| written.strip_prefix(option));
    let argument = argument.unwrap_or(written);
    let text =
        if sight.literal.contains("chpasswd") { split(argument, ':')? } else { value(argument.trim_end())? };
    Some(Secret { text, class: Class::Password })
}

/// `sudo -S <<< 'X'`, `--password-file=<(echo X)`, `--password-command "echo X"`
pub(super) fn written_in<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    // A row of such marks is a rule or a conflict, and no value begins with one.
    if sight.after.starts_with("<<") {
        return None;
    }
    let line = trailing(sight.before, LOOK, |c| c != '\n');
    let reads = if sight.literal == "<<<" {
        READERS.iter().any(|program| line.contains(program))
    } else {
        trailing(line, 24, |_| true).contains("pass") || READERS.iter().any(|program| line.contains(program))
    };
    if !reads {
        return None;
    }
    let behind = leading(sight.after, LOOK, |c| c != '\n');
    let written = sight.after.strip_prefix("-n ").unwrap_or(sight.after);
    let text = value(written).filter(|_| !holds_marker(line) && !holds_marker(behind))?;
    Some(Secret { text: text.trim_end_matches(')'), class: Class::Password })
}
