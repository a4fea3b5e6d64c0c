//! The literals that announce a secret, and the rule that each of them calls.

use std::ops::Range;
use std::sync::LazyLock;

use super::command::{COMMANDS, Command};
use super::names::{Kind, NAMES, Name};
use super::shape::{SHAPES, Shape};
use super::{MARKER, Secret, Sight, block, command, header, login, named, question, url};

/// What looks closer at a literal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// A secret that is already redacted.
    Marker,
    /// What a provider puts into its keys.
    Shape(&'static Shape),
    /// A word that names a secret, which may follow.
    Name(&'static Name),
    /// The same, when the secret came first.
    NameAfter(&'static Name),
    /// A URL, which may hold a password.
    Url,
    /// A program that takes a secret as an argument.
    Command(&'static Command),
    /// What is piped into a program that reads a password.
    Piped,
    /// What is written into such a program without a pipe.
    WrittenIn,
    /// "it's", which may say what was named before.
    Pronoun,
    /// "to verify", behind a code that was sent.
    Sent,
    /// A private key in lines of base64.
    Block,
    /// A header that carries credentials.
    Header,
    /// A user and a password side by side.
    Login,
    /// A way in, which a plain word of the sentence may open.
    Access,
}

const OTHERS: &[(&str, Rule)] = &[
    (MARKER, Rule::Marker),
    ("://", Rule::Url),
    ("-----BEGIN ", Rule::Block),
    ("---- BEGIN ", Rule::Block),
    ("Private-Lines:", Rule::Block),
    ("authorization", Rule::Header),
    ("cookie", Rule::Header),
    ("login", Rule::Login),
    ("log in", Rule::Login),
    ("sign in", Rule::Login),
    ("credentials", Rule::Login),
    ("creds", Rule::Login),
    ("zugangsdaten", Rule::Login),
    ("credenciales", Rule::Login),
    ("identifiants", Rule::Login),
    ("auth=(", Rule::Login),
    ("credential(", Rule::Login),
    (" / ", Rule::Login),
    ("| sudo -S", Rule::Piped),
    ("| sudo chpasswd", Rule::Piped),
    ("| chpasswd", Rule::Piped),
    ("| passwd", Rule::Piped),
    ("| sudo passwd", Rule::Piped),
    ("| cryptsetup", Rule::Piped),
    ("--password-stdin", Rule::Piped),
    ("--with-token", Rule::Piped),
    ("<<<", Rule::WrittenIn),
    ("<(echo ", Rule::WrittenIn),
    ("command \"echo ", Rule::WrittenIn),
    ("command 'echo ", Rule::WrittenIn),
    ("command=\"echo ", Rule::WrittenIn),
    ("it's ", Rule::Pronoun),
    ("it’s ", Rule::Pronoun),
    ("it is ", Rule::Pronoun),
    ("it was ", Rule::Pronoun),
    (", still ", Rule::Pronoun),
    ("ist jetzt ", Rule::Pronoun),
    ("c'est ", Rule::Pronoun),
    ("c’est ", Rule::Pronoun),
    ("ahora es ", Rule::Pronoun),
    ("agora é ", Rule::Pronoun),
    ("adesso è ", Rule::Pronoun),
    ("is nu ", Rule::Pronoun),
    ("log on", Rule::Login),
    ("wifi", Rule::Access),
    ("wi-fi", Rule::Access),
    ("wlan", Rule::Access),
    ("hotspot", Rule::Access),
    ("guest network", Rule::Access),
    ("unlock", Rule::Access),
    ("entsperr", Rule::Access),
    ("einlogg", Rule::Access),
    ("to verify", Rule::Sent),
    ("to log in", Rule::Sent),
    ("to sign in", Rule::Sent),
    ("to confirm", Rule::Sent),
];

impl Rule {
    /// The secrets that this literal announces.
    pub(super) fn examine<'t>(self, sight: &Sight<'t>) -> Vec<Secret<'t>> {
        match self {
            Self::Command(program) => program.examine(sight),
            Self::Name(name) if name.kind == Kind::Answer => question::examine(sight),
            Self::Name(name) if name.kind == Kind::Subject => question::examine_subject(sight),
            other => other.examine_one(sight).into_iter().collect(),
        }
    }

    fn examine_one<'t>(self, sight: &Sight<'t>) -> Option<Secret<'t>> {
        match self {
            Self::Marker | Self::Command(_) => None,
            Self::Access => login::network(sight),
            Self::Shape(shape) => shape.examine(sight),
            Self::Name(name) => named::examine(sight, name),
            Self::NameAfter(name) => named::examine_before(sight, name),
            Self::Url => url::examine(sight),
            Self::Piped => command::piped(sight),
            Self::WrittenIn => command::written_in(sight),
            Self::Pronoun => named::examine_pronoun(sight),
            Self::Sent => named::examine_sent(sight),
            Self::Block => block::examine(sight),
            Self::Header => header::examine(sight),
            Self::Login => login::examine(sight),
        }
    }
}

/// Literals by their first two bytes: a table that is built in microseconds, and one look per byte of text.
struct Anchors {
    /// For every pair of bytes, in either case, the number of the literals that begin so; 0 is none.
    pairs: Vec<u16>,
    literals: Vec<Vec<(&'static str, Rule)>>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let mut anchors = Anchors { pairs: vec![0; 1 << 16], literals: vec![Vec::new()] };
    SHAPES.iter().for_each(|shape| anchors.add(shape.literal, Rule::Shape(shape)));
    let names = NAMES.iter().filter(|name| name.kind != Kind::Seed);
    names.for_each(|name| anchors.add(name.literal, Rule::Name(name)));
    let following = NAMES.iter().filter(|name| name.may_follow());
    following.for_each(|name| anchors.add(name.literal, Rule::NameAfter(name)));
    COMMANDS.iter().for_each(|command| anchors.add(command.program, Rule::Command(command)));
    OTHERS.iter().for_each(|(literal, rule)| anchors.add(literal, *rule));
    anchors
});

impl Anchors {
    fn add(&mut self, literal: &'static str, rule: Rule) {
        let [first, second, ..] = literal.as_bytes() else { return };
        let known = self.number([*first, *second]);
        let number = if known == 0 { self.literals.len() } else { known };
        for first in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
            for second in [second.to_ascii_lowercase(), second.to_ascii_uppercase()] {
                if let Some(pair) = self.pairs.get_mut(index([first, second])) {
                    *pair = u16::try_from(number).unwrap_or(u16::MAX);
                }
            }
        }
        if known == 0 {
            self.literals.push(Vec::new());
        }
        if let Some(literals) = self.literals.get_mut(number) {
            literals.push((literal, rule));
        }
    }

    fn number(&self, pair: [u8; 2]) -> usize {
        self.pairs.get(index(pair)).copied().unwrap_or_default().into()
    }
}

fn index(pair: [u8; 2]) -> usize {
    u16::from_be_bytes(pair).into()
}

/// Every literal of the text that announces a secret, from left to right. Case is left to the rules.
pub(super) fn anchors(text: &str) -> impl Iterator<Item = (Range<usize>, Rule)> {
    let anchors = &*ANCHORS;
    let starts = text.as_bytes().array_windows().enumerate();
    let starts =
        starts.map(|(start, pair)| (start, anchors.number(*pair))).filter(|(_, number)| *number != 0);
    starts.flat_map(move |(start, number)| {
        let literals = anchors.literals.get(number).map(Vec::as_slice).unwrap_or_default();
        literals.iter().filter_map(move |(literal, rule)| {
            let range = start..start + literal.len();
            let here = text.as_bytes().get(range.clone())?;
            here.eq_ignore_ascii_case(literal.as_bytes()).then_some((range, *rule))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_literal_is_found_in_either_case_and_where_others_begin_alike() {
        let shapes = SHAPES.iter().map(|shape| shape.literal);
        let names = NAMES.iter().filter(|name| name.kind != Kind::Seed);
        let literals = shapes.chain(names.map(|name| name.literal)).chain(OTHERS.iter().map(|other| other.0));
        for literal in literals {
            for text in [literal.to_owned(), literal.to_ascii_uppercase(), literal.to_ascii_lowercase()] {
                let whole = 0..literal.len();
                assert!(anchors(&text).any(|(range, _)| range == whole), "{text:?}");
            }
        }
    }
}
