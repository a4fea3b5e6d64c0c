//! Wraps lines at the width of a terminal, between words. Escape sequences have no width.

use unicode_width::UnicodeWidthChar;

/// The lines, wrapped to the width of the terminal if the words allow it. A continuation is indented like the text of
/// its line: after the label of a row, if there is one.
pub fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrapped_line(line, width.max(20))).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    if visible_width(line) <= width {
        return line.to_owned();
    }
    let indent = indent(line, width / 2);
    let (mut out, mut column) = (String::with_capacity(line.len() + 16), 0);
    for word in line.split_inclusive(' ') {
        let bare = visible_width(word.trim_end_matches(' '));
        if column > indent && column + bare > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
            // A gap between table columns is dropped at the end of a line.
            if bare == 0 {
                continue;
            }
        }
        out.push_str(word);
        column += visible_width(word);
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// The column at which the text of a line begins: after its first gap of two or more spaces, or else after its leading
/// spaces.
fn indent(line: &str, most: usize) -> usize {
    let (mut column, mut gap, mut leading) = (0, 0, None);
    for c in visible(line) {
        if c == ' ' {
            gap += 1;
        } else {
            match leading {
                None => leading = Some(column),
                Some(_) if gap >= 2 && column <= most => return column,
                Some(_) => {}
            }
            gap = 0;
        }
        column += c.width().unwrap_or(0);
        if column > most {
            break;
        }
    }
    leading.filter(|leading| *leading <= most).unwrap_or(0)
}

/// The characters of a text without its escape sequences.
fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut in_sequence = false;
    text.chars().filter(move |c| {
        let was_in_sequence = in_sequence;
        in_sequence = if in_sequence { *c != 'm' } else { *c == '\u{1b}' };
        !was_in_sequence && !in_sequence
    })
}

/// The width of a text in columns.
fn visible_width(text: &str) -> usize {
    visible(text).map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_continued_line_hangs_under_its_own_and_styles_take_no_room() {
        assert_eq!(wrapped("short", 20), "short");
        assert_eq!(
            wrapped("   a hit that is wider than the terminal", 20),
            "   a hit that is\n   wider than the\n   terminal"
        );
        assert_eq!(
            wrapped("\u{1b}[1mmodel     \u{1b}[0m offline, because no other was found", 26),
            "\u{1b}[1mmodel     \u{1b}[0m offline,\n           because no\n           other was found"
        );
        let styled = "\u{1b}[2mdim words of a line\u{1b}[0m and more";
        assert_eq!(wrapped(styled, 20), "\u{1b}[2mdim words of a line\u{1b}[0m\nand more");
        assert_eq!(wrapped("日本語の文 章がここに ある", 20), "日本語の文\n章がここに ある");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_of_words_is_too_wide(text in "[a-z ]{0,200}", width in 20usize..60) {
            let out = wrapped(&text, width);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&out), words(&text));
            let fits = |line: &str| line.len() <= width || !line.trim().contains(' ');
            prop_assert!(out.lines().all(fits), "{}", out);
        }
    }
}
