//! The person's time zone, by its IANA name.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde_json::{Value as Json, json};

use super::{Given, Value, excerpt};
use crate::config::nearest::{did_you_mean, nearest};

impl Value for TimeZone {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let name = given.text()?;
        let bundled = TimeZoneDatabase::bundled();
        // The system's time zone database is usually newer than the bundled one, but some systems have an incomplete
        // one.
        Self::get(name).or_else(|_| bundled.get(name)).map_err(|_| {
            let known: Vec<String> = bundled.available().map(|known| known.to_string()).collect();
            let offer = did_you_mean(&nearest_zones(name, &known));
            format!("cannot be \"{}\": no time zone has that name{offer}", excerpt(name))
                + if offer.is_empty() { "; write one such as Europe/Berlin" } else { "" }
        })
    }

    fn shown(&self) -> Json {
        // Only the system's time zone can be nameless.
        json!(self.iana_name().unwrap_or("(the system's)"))
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1, "examples": ["Europe/Berlin", "America/New_York", "UTC"]})
    }
}

/// The zones most similar to `written`: by the whole name, or else by the city, which people know.
fn nearest_zones<'a>(written: &str, known: &'a [String]) -> Vec<&'a str> {
    const OFFERS: usize = 3;
    if written.contains('/') {
        return nearest(written, known.iter().map(String::as_str), OFFERS);
    }
    let city = |zone: &'a str| zone.rsplit('/').next().unwrap_or(zone);
    let cities = nearest(written, known.iter().map(|zone| city(zone)), OFFERS);
    let mut zones = Vec::new();
    for near in cities {
        let of_city =
            known.iter().map(String::as_str).find(|zone| city(zone) == near && !zones.contains(zone));
        zones.extend(of_city);
    }
    zones
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read_text, read_words};
    use super::*;

    #[test]
    fn a_zone_is_read_by_its_name_in_any_case() {
        for (text, name) in
            [("Europe/Berlin", "Europe/Berlin"), ("asia/kolkata", "Asia/Kolkata"), ("UTC", "UTC")]
        {
            let zone: TimeZone = read_words(text).unwrap();
            assert_eq!(zone.iana_name(), Some(name));
        }
    }

    #[test]
    fn a_wrong_zone_is_answered_with_the_nearest_names() {
        let cases = [
            ("Europe/Berln", "`Europe/Berlin`"),
            ("Berlin", "`Europe/Berlin`"),
            ("New York", "`America/New_York`"),
            ("america/new york", "`America/New_York`"),
            ("Asia/Tokio", "`Asia/Tokyo`"),
            ("Kalkutta", "`Asia/Calcutta`"),
        ];
        for (text, meant) in cases {
            let why = read_text::<TimeZone>(text).unwrap_err();
            assert!(why.contains(&format!("did you mean {meant}")), "{why}");
        }
    }

    #[test]
    fn a_hopeless_zone_is_answered_with_an_example() {
        for text in ["Mars/Olympus_Mons_Base_Camp", "+02:00", "..", "/etc/passwd"] {
            let why = read_text::<TimeZone>(text).unwrap_err();
            assert!(why.ends_with("; write one such as Europe/Berlin"), "{why}");
        }
    }
}
