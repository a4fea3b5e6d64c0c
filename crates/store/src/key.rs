//! The key of an encrypted database.

use std::fmt;

/// The key of an encrypted database. Its `Debug` output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Parses a key. 64 hexadecimal digits, or 32 bytes that are not text, are the key itself; other text is a
    /// passphrase, from which the key is derived each time the database is opened.
    ///
    /// # Errors
    /// If it is neither; the reason does not contain it.
    pub fn read(bytes: &[u8]) -> std::result::Result<Self, &'static str> {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let text = str::from_utf8(bytes).map(str::trim).ok().filter(|text| !text.contains(char::is_control));
        match text {
            Some("") => Err("it is empty"),
            Some(text) if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                Ok(Self(format!("x'{text}'")))
            }
            Some(text) => Ok(Self(text.to_owned())),
            None if bytes.len() == 32 => Ok(Self(format!("x'{}'", hex(bytes)))),
            None => Err("it is neither text nor 32 bytes"),
        }
    }

    /// The key in SQLCipher's syntax.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(set)")
    }
}

/// Why a file and the configured key do not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMismatch {
    /// The file is encrypted, and this build cannot decrypt.
    CannotRead,
    /// A key is set, and this build cannot encrypt.
    CannotEncrypt,
    /// The file is encrypted, and no key is set.
    NoKey,
    /// The file is encrypted with another key.
    WrongKey,
    /// The file is not encrypted, and a key is set.
    NotEncrypted,
}

impl fmt::Display for KeyMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CannotRead => {
                "is encrypted, and this build cannot read that; install one that can: cargo install --path crates/app --features encryption"
            }
            Self::CannotEncrypt => {
                "cannot be encrypted by this build, but a key is set; remove the key, or install a build that can: cargo install --path crates/app --features encryption"
            }
            Self::NoKey => {
                "is encrypted, and no key is set; name its key with encryption.key_file, encryption.key_command or THROUGHLINE_ENCRYPTION_KEY"
            }
            Self::WrongKey => {
                "is encrypted, and the key that is set does not open it; set the key that it was encrypted with. If that is the one, the file is damaged: put a backup in its place with `throughline restore`"
            }
            Self::NotEncrypted => {
                "is not encrypted, but a key is set; encrypt it with `throughline encrypt`, or remove the key"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_key_is_hexadecimal_digits_bytes_or_a_passphrase_and_is_never_printed() {
        let hex = "00ff".repeat(16);
        let bytes: Vec<u8> = [0, 255].repeat(16);
        let key = Key::read(format!("{hex}\n").as_bytes()).unwrap();
        assert_eq!((key.expose(), format!("{key:?}").as_str()), (format!("x'{hex}'").as_str(), "(set)"));
        assert_eq!(Key::read(&bytes).unwrap(), key);
        assert_eq!(
            Key::read(b"correct horse battery staple\n").unwrap().expose(),
            "correct horse battery staple"
        );
        assert_eq!(Key::read(b" \n"), Err("it is empty"));
        assert_eq!(Key::read(&[0; 31]), Err("it is neither text nor 32 bytes"));
    }
}
