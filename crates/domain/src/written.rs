//! Macros for values with a written form: ids as newtypes over UUIDs, so that one kind of id cannot be passed for
//! another, and the names of enums.

/// Defines an id that reads, prints and serializes as its UUID.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub uuid::Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                uuid::Uuid::parse_str(text).map(Self)
            }
        }
    };
}

/// Defines `as_str` for an enum whose names strum writes.
macro_rules! as_str {
    ($name:ident) => {
        impl $name {
            /// The name in JSON, SQL, settings and on the command line.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }
    };
}
