//! The token estimate against counts of the real vocabulary, and the rules that budgets rest on.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use throughline_text::tokens::{estimate, head, tail};

#[test]
fn d6_the_estimate_is_not_below_the_real_count_by_more_than_a_tenth() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tokens");
    let counts: BTreeMap<String, f64> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("counts.json")).unwrap()).unwrap();
    assert!(counts.len() >= 20);
    for (name, count) in counts {
        let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
        let ratio = f64::from(estimate(&text)) / count;
        assert!((0.9..=1.4).contains(&ratio), "{name}: {ratio:.3} of {count} tokens");
    }
}

#[test]
fn d6_nothing_costs_nothing_and_each_sign_costs_a_token() {
    assert_eq!(estimate(""), 0);
    assert!(estimate("👍 好") >= 2);
}

/// Text of many kinds, the kinds that meet at a seam among them.
const ANY: &str = "(\\PC|[ \\n\\ta-zA-Z0-9.,_#/<-]|[的一些中国あアの한국👍é]){0,40}";

proptest! {
    #[test]
    fn d6_a_whole_costs_no_more_than_its_parts_and_no_less_than_any_of_them(a in ANY, b in ANY) {
        let whole = estimate(&format!("{a}{b}"));
        prop_assert!(whole <= estimate(&a) + estimate(&b));
        prop_assert!(whole >= estimate(&a).max(estimate(&b)));
    }

    #[test]
    fn d6_a_head_and_a_tail_stay_within_their_tokens(text in ANY, tokens in 0u32..12) {
        let (head, tail) = (head(&text, tokens), tail(&text, tokens));
        prop_assert!(text.starts_with(head) && text.ends_with(tail));
        prop_assert!(estimate(head) <= tokens && estimate(tail) <= tokens);
        if estimate(&text) <= tokens {
            prop_assert_eq!((head, tail), (text.as_str(), text.as_str()));
        }
    }
}
