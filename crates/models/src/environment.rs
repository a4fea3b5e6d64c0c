//! The environment variables that other programs inherit. Everything else of this process's environment, such as its keys and
//! tokens, stays hidden from them.

/// Variables that every program needs: to find and run programs, to format text, and to reach servers.
const COMMON: [&str; 18] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Returns true if a program inherits a variable: a common one, a locale's, one of AWS, or one of the program's own.
#[must_use]
pub fn is_inherited(name: &str, own: &[&str]) -> bool {
    COMMON.contains(&name) || own.contains(&name) || name.starts_with("LC_") || name.starts_with("AWS_")
}
