//! What a statement is about, by its words, if its form does not tell.

use super::token::Token;

/// Every category that a memory found by rules can have.
#[cfg(test)]
pub const CATEGORIES: &[&str] = &[
    "name", "home", "work", "study", "family", "pets", "health", "food", "hobby", "travel", "money",
    "contact", "language", "schedule", "style", "other",
];

/// The category of the words, or the one that their form gave them if it is a certain one.
pub fn of(words: &[Token], by_form: &'static str) -> &'static str {
    if !matches!(by_form, "other" | "health" | "food" | "money" | "work") {
        return by_form;
    }
    let is_listed = |list: &str| words.iter().any(|token| list.split(' ').any(|word| word == token.text));
    TOPICS.iter().find(|(_, list)| is_listed(list)).map_or(by_form, |(topic, _)| *topic)
}

const TOPICS: &[(&str, &str)] = &[
    ("contact", "email e-mail phone mobile number address account iban policy postcode zip username handle"),
    ("health", "allergic allergy diagnosed diabetes asthma blood doctor medication smoking"),
    ("family", "married divorced engaged single widowed kids children wife husband"),
    (
        "food",
        "eat drink food coffee tea meat vegetarian vegan sugar spicy dish meal cook cooking baking fish cheese chocolate wine beer \
         pizza sushi pasta rice bread breakfast dinner lunch restaurant cuisine soup fruit vegetables",
    ),
    (
        "travel",
        "travel trip fly flying train trains hotel vacation holiday holidays visit beach mountains airline seat",
    ),
    (
        "language",
        "speak fluent english german french spanish italian portuguese japanese chinese mandarin korean arabic russian language",
    ),
    ("money", "save saving savings deposit debt loan mortgage invest salary budget buy rent car house"),
    ("study", "exam degree university college study course thesis phd school"),
    ("work", "job career promotion company startup business office meetings boss manager"),
    (
        "hobby",
        "book books author read reading novel movie movies film films music band song songs game games run running marathon hike \
         hiking climb climbing guitar piano sport sports football tennis swim swimming cycling yoga gym garden gardening photography \
         paint painting dance knit sew",
    ),
    ("home", "live moved home city apartment flat"),
];
