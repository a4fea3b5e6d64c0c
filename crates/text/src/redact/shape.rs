//! The shapes that providers give their keys: a fixed beginning, then a run of random characters.

use super::reading::{goes_on, is_varied, leading, starts_afresh};
use super::{Class, Secret, Sight};
use Alphabet::{Alphanumeric, Base64, Dashed, Dotted, Hex, Slashed, Upper};
use Class::{ApiKey, PrivateKey, Token};
use Length::{AtLeast, Exactly};

/// A provider's key: how it begins, what it is made of, how long it is behind its beginning.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    class: Class,
    alphabet: Alphabet,
    length: Length,
    /// The beginning is no part of the secret, and its case does not matter.
    keeps_prefix: bool,
}

#[derive(Debug, Clone, Copy)]
enum Alphabet {
    Upper,
    Hex,
    Alphanumeric,
    Dashed,
    Dotted,
    Slashed,
    Base64,
}

#[derive(Debug, Clone, Copy)]
enum Length {
    Exactly(usize),
    AtLeast(usize),
}

/// How much of a run is looked at to tell random characters from words.
const LOOK: usize = 128;

pub(super) const SHAPES: &[Shape] = &[
    key("sk-", ApiKey, Alphanumeric, AtLeast(20)),
    key("sk-ant-", ApiKey, Dashed, AtLeast(12)),
    key("sk-proj-", ApiKey, Dashed, AtLeast(12)),
    key("sk-svcacct-", ApiKey, Dashed, AtLeast(12)),
    key("sk-admin-", ApiKey, Dashed, AtLeast(12)),
    key("sk-or-v1-", ApiKey, Dashed, AtLeast(12)),
    key("gsk_", ApiKey, Alphanumeric, AtLeast(20)),
    key("xai-", ApiKey, Alphanumeric, AtLeast(20)),
    key("pplx-", ApiKey, Alphanumeric, AtLeast(20)),
    key("nvapi-", ApiKey, Dashed, AtLeast(20)),
    key("r8_", ApiKey, Alphanumeric, AtLeast(20)),
    key("hf_", Token, Alphanumeric, AtLeast(20)),
    key("AKIA", ApiKey, Upper, Exactly(16)),
    key("ASIA", ApiKey, Upper, Exactly(16)),
    key("ABIA", ApiKey, Upper, Exactly(16)),
    key("ACCA", ApiKey, Upper, Exactly(16)),
    key("AIza", ApiKey, Dashed, AtLeast(30)),
    key("GOCSPX-", ApiKey, Dashed, AtLeast(16)),
    key("ya29.", Token, Dotted, AtLeast(16)),
    key("1//0", Token, Dashed, AtLeast(30)),
    key("ghp_", Token, Alphanumeric, AtLeast(16)),
    key("gho_", Token, Alphanumeric, AtLeast(16)),
    key("ghu_", Token, Alphanumeric, AtLeast(16)),
    key("ghs_", Token, Dotted, AtLeast(16)),
    key("ghr_", Token, Alphanumeric, AtLeast(16)),
    key("github_pat_", Token, Dashed, AtLeast(16)),
    key("glpat-", Token, Dotted, AtLeast(12)),
    key("gldt-", Token, Dashed, AtLeast(12)),
    key("glrt-", Token, Dashed, AtLeast(12)),
    key("glptt-", Token, Dashed, AtLeast(12)),
    key("ATATT3", Token, Base64, AtLeast(20)),
    key("ATBB", Token, Alphanumeric, AtLeast(24)),
    key("xoxa-", Token, Dashed, AtLeast(10)),
    key("xoxb-", Token, Dashed, AtLeast(10)),
    key("xoxp-", Token, Dashed, AtLeast(10)),
    key("xoxr-", Token, Dashed, AtLeast(10)),
    key("xoxs-", Token, Dashed, AtLeast(10)),
    key("xoxc-", Token, Dashed, AtLeast(10)),
    key("xoxd-", Token, Base64, AtLeast(10)),
    key("xoxe-", Token, Dashed, AtLeast(10)),
    key("xoxe.", Token, Dotted, AtLeast(10)),
    key("xapp-", Token, Dashed, AtLeast(10)),
    key("sk_live_", ApiKey, Alphanumeric, AtLeast(10)),
    key("sk_test_", ApiKey, Alphanumeric, AtLeast(10)),
    key("rk_live_", ApiKey, Alphanumeric, AtLeast(10)),
    key("rk_test_", ApiKey, Alphanumeric, AtLeast(10)),
    key("whsec_", ApiKey, Base64, AtLeast(16)),
    key("sq0csp-", ApiKey, Dashed, AtLeast(20)),
    key("sq0atp-", Token, Dashed, AtLeast(20)),
    key("shpat_", Token, Hex, AtLeast(24)),
    key("shpca_", Token, Hex, AtLeast(24)),
    key("shppa_", Token, Hex, AtLeast(24)),
    key("shpss_", ApiKey, Hex, AtLeast(24)),
    key("npm_", Token, Alphanumeric, AtLeast(20)),
    key("pypi-", Token, Dashed, AtLeast(30)),
    key("rubygems_", Token, Hex, AtLeast(24)),
    key("dckr_pat_", Token, Dashed, AtLeast(16)),
    key("SG.", ApiKey, Dotted, AtLeast(30)),
    key("xkeysib-", ApiKey, Dashed, AtLeast(30)),
    key("SK", ApiKey, Hex, Exactly(32)),
    key("PMAK-", ApiKey, Dashed, AtLeast(24)),
    key("NRAK-", ApiKey, Alphanumeric, AtLeast(20)),
    key("lin_api_", ApiKey, Alphanumeric, AtLeast(20)),
    key("ntn_", Token, Alphanumeric, AtLeast(30)),
    key("figd_", Token, Dashed, AtLeast(20)),
    key("dop_v1_", Token, Hex, AtLeast(24)),
    key("doo_v1_", Token, Hex, AtLeast(24)),
    key("dor_v1_", Token, Hex, AtLeast(24)),
    key("dapi", Token, Hex, AtLeast(32)),
    key("hvs.", Token, Dashed, AtLeast(20)),
    key("hvb.", Token, Dashed, AtLeast(20)),
    key("glsa_", Token, Dashed, AtLeast(20)),
    key("sntrys_", Token, Base64, AtLeast(20)),
    key("sbp_", Token, Hex, AtLeast(24)),
    key("sb_secret_", ApiKey, Dashed, AtLeast(16)),
    key("pul-", Token, Hex, AtLeast(32)),
    key("eyJ", Token, Dotted, AtLeast(20)),
    key("AGE-SECRET-KEY-1", PrivateKey, Upper, AtLeast(20)),
    behind("bearer ", Base64, AtLeast(16)),
    behind("hooks.slack.com/services/", Slashed, AtLeast(16)),
    behind("discord.com/api/webhooks/", Slashed, AtLeast(30)),
    behind("discordapp.com/api/webhooks/", Slashed, AtLeast(30)),
    behind("x-amz-signature=", Hex, AtLeast(32)),
    behind("sig=", Base64, AtLeast(30)),
];

const fn key(prefix: &'static str, class: Class, alphabet: Alphabet, length: Length) -> Shape {
    Shape { prefix, class, alphabet, length, keeps_prefix: false }
}

const fn behind(prefix: &'static str, alphabet: Alphabet, length: Length) -> Shape {
    Shape { prefix, class: Token, alphabet, length, keeps_prefix: true }
}

impl Shape {
    /// The key that begins here, if what follows is random enough to be one.
    pub(super) fn examine<'t>(&self, sight: &Sight<'t>) -> Option<Secret<'t>> {
        let written = self.keeps_prefix || sight.literal == self.prefix;
        if !written || !starts_afresh(sight.before) || !self.fits(sight.after) {
            return None;
        }
        let run = leading(sight.after, usize::MAX, |c| self.alphabet.has(c)).trim_end_matches('.');
        if self.keeps_prefix {
            return Some(Secret { text: run, class: self.class });
        }
        let partner = if matches!(self.alphabet, Upper) { partner(sight.after.get(run.len()..)?) } else { 0 };
        Some(Secret { text: sight.around(0, run.len() + partner)?, class: self.class })
    }

    fn fits(&self, after: &str) -> bool {
        let run = leading(after, LOOK, |c| self.alphabet.has(c));
        match self.length {
            Exactly(length) => run.len() == length && !goes_on(after.get(length..).unwrap_or_default()),
            AtLeast(length) => run.len() >= length && is_varied(run) && self.has_its_parts(run),
        }
    }

    /// A web token and a SendGrid key have parts; one part alone is ordinary base64.
    fn has_its_parts(&self, run: &str) -> bool {
        !matches!(self.prefix, "eyJ" | "SG.") || run.trim_end_matches('.').contains('.')
    }
}

impl Alphabet {
    fn has(self, c: char) -> bool {
        match self {
            Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
            Hex => c.is_ascii_hexdigit(),
            Alphanumeric => c.is_ascii_alphanumeric(),
            Dashed => c.is_ascii_alphanumeric() || matches!(c, '-' | '_'),
            Dotted => Dashed.has(c) || c == '.',
            Slashed => Dashed.has(c) || c == '/',
            Base64 => Dotted.has(c) || matches!(c, '+' | '/' | '=' | '~' | '%'),
        }
    }
}

/// How far the secret key reaches that people paste behind an AWS access key, 0 if there is none.
fn partner(after: &str) -> usize {
    let gap = leading(after, 8, |c| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '|' | '/'));
    let Some(rest) = after.get(gap.len()..) else { return 0 };
    let run = leading(rest, 41, |c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/'));
    if !gap.is_empty() && run.len() == 40 && is_varied(run) { gap.len() + run.len() } else { 0 }
}

/// A Telegram bot's token: the bot's number, `:AA`, and 33 more characters.
pub(super) fn bot_token<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let number = sight.before.bytes().rev().take(13).take_while(u8::is_ascii_digit).count();
    let run = leading(sight.after, 64, |c| Dashed.has(c));
    if !(6..=12).contains(&number) || run.len() < 30 || sight.literal != ":AA" {
        return None;
    }
    Some(Secret { text: sight.around(number, run.len())?, class: Token })
}
