//! What must hold for every text.

use proptest::prelude::*;

use super::super::{LIMIT, Piece, characters, pieces, plain_pieces, preview, units};
use super::checker::text_of;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_comes_out_whole_and_well_formed(text in any_text()) {
        check_all(&text, &plain_pieces(&text))?;
        let shown: String = plain_pieces(&text).into_iter().map(|piece| piece.plain).collect();
        prop_assert_eq!(seen(&shown), seen(&text));
    }

    #[test]
    fn any_markdown_comes_out_well_formed(text in any_text()) {
        check_all(&text, &pieces(&text))?;
        check_preview(&text)?;
    }

    #[test]
    fn a_soup_of_marks_comes_out_well_formed(text in soup(1000)) {
        check_all(&text, &pieces(&text))?;
        check_preview(&text)?;
    }

    #[test]
    fn the_same_text_is_always_cut_alike(text in soup(1000)) {
        prop_assert_eq!(pieces(&text), pieces(&text));
    }

    #[test]
    fn a_soup_of_marks_loses_no_word(text in soup(1000)) {
        let pieces = pieces(&text);
        prop_assert_eq!(words_of(&pieces), words(&text));
    }

    #[test]
    fn a_long_document_loses_no_word_and_cuts_no_word(text in document()) {
        let pieces = pieces(&text);
        check_all(&text, &pieces)?;
        prop_assert_eq!(words_of(&pieces), words(&text));
    }

    #[test]
    fn no_message_of_a_long_document_is_needlessly_short(text in document()) {
        let pieces = pieces(&text);
        if pieces.len() > 1 {
            for piece in &pieces {
                prop_assert!(units(&piece.plain) >= LIMIT / 10, "{:?}", piece.plain);
            }
        }
    }

    #[test]
    fn a_preview_ends_as_the_text_does(text in document(), end in "[a-z]{1,12}") {
        let preview = preview(&format!("{text}{end}"));
        prop_assert!(preview.plain.ends_with(&end), "{}", preview.plain);
    }
}

fn check_all(text: &str, pieces: &[Piece]) -> Result<(), TestCaseError> {
    prop_assert_eq!(pieces.is_empty(), characters::is_blank(text));
    for piece in pieces {
        check(piece)?;
    }
    Ok(())
}

fn check_preview(text: &str) -> Result<(), TestCaseError> {
    let preview = preview(text);
    if characters::is_blank(text) {
        prop_assert_eq!(preview, Piece::default());
        return Ok(());
    }
    check(&preview)
}

fn check(piece: &Piece) -> Result<(), TestCaseError> {
    let shown = text_of(&piece.html).map_err(|why| TestCaseError::fail(format!("{why}: {}", piece.html)))?;
    prop_assert_eq!(&shown, &piece.plain);
    prop_assert!(units(&shown) <= LIMIT);
    prop_assert!(!characters::is_blank(&shown));
    Ok(())
}

fn words_of(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().flat_map(|piece| words(&piece.plain)).collect()
}

/// The characters that can be seen, which a cut must not lose.
fn seen(text: &str) -> String {
    text.chars().filter(|c| !characters::is_blank(c.encode_utf8(&mut [0; 4]))).collect()
}

/// The words that the generators write: a number in brackets that Markdown does not know.
fn words(text: &str) -> Vec<&str> {
    text.split('⟨').skip(1).filter_map(|rest| Some(rest.split_once('⟩')?.0)).collect()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        proptest::collection::vec(any::<u8>(), 0..20_000)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        (any::<String>(), 0_usize..20_000).prop_map(|(text, times)| text.repeat(times / text.len().max(1))),
        proptest::collection::vec(
            prop_oneof!["\u{300}{1,9}", "[😀-😎🇩🇪🏽\u{200d}]{1,9}", "[א-ת ]{1,9}"],
            0..1_500
        )
        .prop_map(|parts| parts.concat()),
    ]
}

/// Marks and numbered words in any order, as sloppy as a model can get.
fn soup(most: usize) -> impl Strategy<Value = String> {
    let mark = proptest::sample::select(vec![
        "**",
        "*",
        "_",
        "__",
        "~~",
        "`",
        "``",
        "\n```\n",
        "\n```rust\n",
        "\n~~~\n",
        "\n# ",
        "\n- ",
        "\n  - ",
        "\n1. ",
        "\n> ",
        "\n\n",
        "\n",
        "\r\n",
        "  \n",
        "\n---\n",
        "\n| ",
        " | ",
        "\n|---|---|\n",
        "[",
        "]",
        "](http://x) ",
        "](",
        ")",
        "![",
        "<b>",
        "</b>",
        "<think>",
        "<",
        ">",
        "&",
        "&amp;",
        "\\",
        "\t",
        "\n    ",
        "[^1]",
        "\n[^1]: ",
        "\n- [x] ",
        "\n- [ ] ",
        "🇩🇪",
        "\u{200b}",
        "<!--",
        "-->",
        "snake_case",
    ]);
    proptest::collection::vec((mark, any::<bool>()), 0..most).prop_map(|parts| {
        let mut text = String::new();
        for (number, (mark, has_word)) in parts.into_iter().enumerate() {
            text.push_str(mark);
            if has_word {
                text.push_str(&format!(" ⟨{number}⟩ "));
            }
        }
        text
    })
}

/// A well-made document of blocks, longer than one message as a rule.
fn document() -> impl Strategy<Value = String> {
    proptest::collection::vec((0_usize..8, 1_usize..200), 1..60).prop_map(|blocks| {
        let mut number = 0;
        let mut run = |length: usize, between: &str| {
            let words: Vec<String> = (0..length).map(|at| format!("⟨{}⟩", number + at)).collect();
            number += length;
            words.join(between)
        };
        let mut text = String::new();
        for (kind, length) in blocks {
            let block = match kind {
                0 => format!("## {}", run(length.min(8), " ")),
                1 => format!("- {}", run(length, "\n- ")),
                2 => format!("1. {}", run(length.min(40), "\n1. **x** ")),
                3 => format!("```rust\n{}\n```", run(length, "\n    ")),
                4 => format!("> {}", run(length, "\n> ")),
                5 => format!("**{}**", run(length, " ")),
                6 => format!("| {} | b |\n|---|---|\n| {} | `x` |", run(1, ""), run(length, " | c |\n| ")),
                _ => run(length, ". "),
            };
            text.push_str(&block);
            text.push_str("\n\n");
        }
        text
    })
}
