//! Numbers that are known by their checksum: payment cards by Luhn's, bank accounts by that of the IBAN.

use super::{Class, Found};
use crate::word_list::WordList;

/// The issuers' ranges: the first and the last beginning, and how many digits such a card has.
const ISSUERS: &[(&str, &str, &[usize])] = &[
    ("4", "4", &[13, 16, 18, 19]),
    ("51", "55", &[16]),
    ("2221", "2720", &[16]),
    ("34", "34", &[15]),
    ("37", "37", &[15]),
    ("6011", "6011", &[16, 17, 18, 19]),
    ("644", "659", &[16, 17, 18, 19]),
    ("3528", "3589", &[16, 17, 18, 19]),
    ("300", "305", &[14, 16, 19]),
    ("3095", "3095", &[14, 16, 19]),
    ("36", "36", &[14, 16, 19]),
    ("38", "39", &[14, 16, 19]),
    ("62", "62", &[16, 17, 18, 19]),
    ("8100", "8171", &[16, 17, 18, 19]),
    ("5018", "5018", &[13, 14, 15, 16, 17, 18, 19]),
    ("5020", "5020", &[13, 14, 15, 16, 17, 18, 19]),
    ("5038", "5038", &[13, 14, 15, 16, 17, 18, 19]),
    ("56", "58", &[16]),
    ("5893", "5893", &[13, 14, 15, 16, 17, 18, 19]),
    ("6304", "6304", &[13, 14, 15, 16, 17, 18, 19]),
    ("6759", "6763", &[13, 14, 15, 16, 17, 18, 19]),
    ("2200", "2204", &[16, 17, 18, 19]),
    ("9792", "9792", &[16]),
    ("5067", "5067", &[16]),
    ("508", "508", &[16]),
    ("6062", "6062", &[16]),
];

/// Each country's code with the length of its IBANs, as the registry of ISO 13616 gives them.
const COUNTRIES: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 \
    DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 \
    KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 \
    PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// What a number is called that is no card's, right before it.
static OTHER_NUMBERS: WordList = WordList::new(
    "account order tracking isbn ean gtin upc imei invoice customer serial article reference ref ticket member parcel \
     shipment id barcode artikelnummer bestellnummer kundennummer sendungsnummer rechnung rechnungsnummer commande pedido ordine",
);

/// What a card is called.
static CARDS: WordList = WordList::new(
    "card visa amex credit debit karte carte tarjeta carta cartão kaart karta карт kart 卡 カード",
);

/// How far back the word stands that says what a number is.
const LOOK: usize = 28;

/// Adds every card number and every IBAN of the text.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let fresh = at == 0 || !bytes.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
        let number = match byte {
            b'0'..=b'9' if fresh => card(text, at).map(|end| (end, Class::CardNumber)),
            b'A'..=b'Z' | b'a'..=b'z' if fresh => iban(bytes, at).map(|end| (end, Class::Iban)),
            _ => None,
        };
        at = match number {
            Some((end, class)) => {
                found.push(Found { span: at..end, class });
                if class == Class::CardNumber {
                    found.extend(security_code(text, end));
                }
                end
            }
            None if byte.is_ascii_digit() => past_digits(bytes, at),
            None => at + 1,
        };
    }
}

/// The three or four digits behind a card's number and its date: "… 12/27 123".
fn security_code(text: &str, card_end: usize) -> Option<Found> {
    let rest = text.get(card_end..)?;
    let gap = |c: char| c == ' ' || c == ',' || c == ';';
    let date = rest
        .trim_start_matches(gap)
        .trim_start_matches(|c: char| c.is_ascii_alphabetic())
        .trim_start_matches(gap);
    let (month, behind) = date.split_once('/').filter(|(month, _)| month.len() <= 2)?;
    let year = behind.bytes().take_while(u8::is_ascii_digit).count();
    let code = behind.get(year..)?.trim_start_matches(gap);
    let digits = code.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let is_code =
        month.bytes().all(|byte| byte.is_ascii_digit()) && matches!(year, 2 | 4) && matches!(digits, 3 | 4);
    let start = text.len() - code.len();
    is_code.then(|| Found { span: start..start + digits, class: Class::Password })
}

/// A run of digits is looked at once.
fn past_digits(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Where the card number ends that begins here.
fn card(text: &str, start: usize) -> Option<usize> {
    let (mut digits, mut groups, mut end) = (Vec::new(), Vec::new(), start);
    let mut rest = text.get(start..)?;
    loop {
        let group = rest.bytes().take(20).take_while(u8::is_ascii_digit).count();
        digits.extend(rest.bytes().take(group).map(|byte| byte - b'0'));
        if group == 0 || digits.len() > 19 {
            break;
        }
        groups.push(group);
        end = text.len() - rest.len() + group;
        let behind = rest.get(group..)?;
        let Some(next) = behind.strip_prefix([' ', '-', '.', '\u{a0}', '\u{2011}', '–']) else { break };
        rest = next;
    }
    // A group too many is the next number's: "…1111 09/28".
    while !groups.is_empty() {
        let count = groups.iter().sum::<usize>();
        digits.truncate(count);
        if is_grouped(&groups) && is_card(&digits) && ends(text, end) && !is_other(text, start) {
            return Some(end);
        }
        let last = groups.pop()?;
        end = text.get(..end - last)?.trim_end_matches(|c: char| !c.is_ascii_digit()).len();
    }
    None
}

/// Returns true if the number ends here and is no part of an amount or a word.
fn ends(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    let fraction =
        rest.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !fraction && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_grouped(groups: &[usize]) -> bool {
    match groups {
        [_] | [4, 6, 4 | 5] => true,
        [first @ .., last] => first.iter().all(|group| *group == 4) && (1..=4).contains(last),
        [] => false,
    }
}

fn is_card(digits: &[u8]) -> bool {
    let number: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    let known = |(first, last, lengths): &(&str, &str, &[usize])| {
        let head = number.get(..first.len()).unwrap_or_default();
        (*first..=*last).contains(&head) && lengths.contains(&digits.len())
    };
    ISSUERS.iter().any(known) && luhn(digits) && digits.iter().any(|digit| Some(digit) != digits.last())
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit) * 2) {
            (0, double) => double / 2,
            (_, double) => double / 10 + double % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Returns true if the words before the number say that it is something else.
fn is_other(text: &str, start: usize) -> bool {
    let before = text.get(text.ceil_char_boundary(start.saturating_sub(LOOK))..start).unwrap_or_default();
    let lower = before.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).rev().take(3);
    // No card number begins with a plus, as a phone number does.
    before.ends_with('+')
        || words.any(|word| OTHER_NUMBERS.contains(word)) && !CARDS.iter().any(|card| lower.contains(card))
}

/// Where the IBAN ends that begins here.
fn iban(bytes: &[u8], start: usize) -> Option<usize> {
    let head = bytes.get(start..start + 4)?;
    let [a, b, c, d] = head else { return None };
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let length = country_length([a.to_ascii_uppercase(), b.to_ascii_uppercase()])?;
    let (mut signs, mut at) = (Vec::with_capacity(length), start);
    while signs.len() < length {
        let byte = bytes.get(at)?;
        match byte {
            b' ' | b'-' if bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) => {}
            // A blank that does not break.
            0xc2 if bytes.get(at + 1) == Some(&0xa0) => at += 1,
            _ if byte.is_ascii_alphanumeric() => signs.push(byte.to_ascii_uppercase()),
            _ => return None,
        }
        at += 1;
    }
    let ends = !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (ends && remainder(&signs) == 1).then_some(at)
}

fn country_length(code: [u8; 2]) -> Option<usize> {
    COUNTRIES.split_whitespace().find(|row| row.as_bytes().starts_with(&code))?.get(2..)?.parse().ok()
}

/// The remainder of ISO 7064: the first four signs moved to the end, letters as two digits.
fn remainder(signs: &[u8]) -> u32 {
    let (head, tail) = signs.split_at(4.min(signs.len()));
    tail.iter().chain(head).fold(0, |sum, sign| match sign {
        b'0'..=b'9' => (sum * 10 + u32::from(sign - b'0')) % 97,
        _ => (sum * 100 + u32::from(sign - b'A') + 10) % 97,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Numbers, redact_with};
    use super::*;

    /// A number of the issuer's with the digit that makes its checksum right.
    fn number(head: &str, length: usize) -> Vec<u8> {
        let mut digits: Vec<u8> = head.bytes().map(|byte| byte - b'0').collect();
        let filler = super::super::tests::random("0123456789", length);
        digits.extend(filler.bytes().skip(digits.len() + 1).map(|byte| byte - b'0'));
        (0..10).map(|check| [digits.as_slice(), &[check]].concat()).find(|digits| luhn(digits)).unwrap()
    }

    fn written(digits: &[u8], groups: &[usize], joint: &str) -> String {
        let text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let mut rest = text.as_str();
        let mut parts = Vec::new();
        for group in groups.iter().copied().chain([usize::MAX]) {
            let (part, next) = rest.split_at(group.min(rest.len()));
            parts.push(part);
            rest = next;
        }
        parts.retain(|part| !part.is_empty());
        parts.join(joint)
    }

    #[test]
    fn c6_cards_of_every_issuer_are_taken_out_grouped_or_not() {
        for (first, last, lengths) in ISSUERS {
            for (head, length) in
                [first, last].into_iter().flat_map(|head| lengths.iter().map(move |l| (head, *l)))
            {
                let digits = number(head, length);
                for (groups, joint) in [(vec![], ""), (vec![4, 4, 4, 4], " "), (vec![4, 4, 4, 4], "-")] {
                    let text = format!("pay with {}, please", written(&digits, &groups, joint));
                    assert_eq!(
                        super::super::redact(&text),
                        "pay with [redacted:card-number], please",
                        "{text}"
                    );
                    assert_eq!(redact_with(&text, Numbers::Kept), text);
                }
                let mut wrong = digits;
                *wrong.last_mut().unwrap() = (wrong.last().unwrap() + 1) % 10;
                let text = format!("pay with {}, please", written(&wrong, &[], ""));
                assert_eq!(super::super::redact(&text), text);
            }
        }
    }

    #[test]
    fn c6_ibans_of_every_country_are_taken_out_and_a_wrong_digit_is_kept() {
        for row in COUNTRIES.split_whitespace() {
            let (code, length) = row.split_at(2);
            let rest = super::super::tests::random("0123456789", length.parse::<usize>().unwrap() - 4);
            let check = 98 - remainder(format!("{code}00{rest}").as_bytes());
            let iban = format!("{code}{check:02}{rest}");
            let grouped: String = iban.chars().enumerate().fold(String::new(), |text, (place, c)| {
                format!("{text}{}{c}", if place > 0 && place % 4 == 0 { " " } else { "" })
            });
            for written in [iban.clone(), grouped, iban.to_lowercase()] {
                let text = format!("send it to {written} today");
                assert_eq!(super::super::redact(&text), "send it to [redacted:iban] today", "{text}");
            }
            let wrong = format!("send it to {code}{:02}{rest}", if check == 50 { 51 } else { 50 });
            assert_eq!(super::super::redact(&wrong), wrong);
        }
    }

    #[test]
    fn c6_other_numbers_with_a_cards_checksum_are_kept() {
        let digits = written(&number("4", 16), &[], "");
        for text in [
            format!("order number {digits}"),
            format!("my account is {digits}"),
            format!("call me at +{digits}"),
            format!("x{digits}"),
            format!("{digits}9"),
            format!("{digits}.75"),
        ] {
            assert_eq!(super::super::redact(&text), text);
        }
    }
}
