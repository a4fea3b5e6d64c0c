//! Wraps lines at the edge of a terminal, between words. Escape sequences take no room.

use unicode_width::UnicodeWidthChar;

/// The lines, none wider than the terminal if its words allow it. A continued line is set in like the line that it
/// continues.
pub fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrapped_line(line, width.max(20))).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    if visible_width(line) <= width {
        return line.to_owned();
    }
    let indent: String = line.chars().take_while(|c| *c == ' ').take(width / 2).collect();
    let (mut out, mut column) = (String::with_capacity(line.len() + 16), 0);
    for word in line.split_inclusive(' ') {
        let bare = visible_width(word.trim_end_matches(' '));
        if column > indent.len() && column + bare > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&indent);
            column = indent.len();
            // Columns of a table end where the line does.
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

/// Columns that a text takes, without its escape sequences.
fn visible_width(text: &str) -> usize {
    let mut in_sequence = false;
    text.chars().fold(0, |sum, c| {
        if in_sequence {
            in_sequence = c != 'm';
            return sum;
        }
        in_sequence = c == '\u{1b}';
        sum + c.width().unwrap_or(0)
    })
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
