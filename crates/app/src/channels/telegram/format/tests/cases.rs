//! How each kind of Markdown comes out, and where long texts are cut.

use super::super::{LIMIT, Piece, pieces, plain_pieces, preview, units};

fn only(markdown: &str) -> String {
    let pieces = pieces(markdown);
    assert_eq!(pieces.len(), 1, "{markdown}");
    pieces[0].html.clone()
}

fn plain(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().map(|piece| piece.plain.as_str()).collect()
}

#[test]
fn marks_become_tags() {
    for (markdown, html) in [
        ("**a** __b__ *c* _d_ ~~e~~ `f`", "<b>a</b> <b>b</b> <i>c</i> <i>d</i> <s>e</s> <code>f</code>"),
        ("***a***", "<b><i>a</i></b>"),
        ("**a *b* c**", "<b>a <i>b</i> c</b>"),
        ("# Title\n\ntext", "<b>Title</b>\n\ntext"),
        ("## A **b** c\ntext", "<b>A b c</b>\ntext"),
        ("Title\n=====\ntext", "<b>Title</b>\ntext"),
        ("# ", "# "),
        ("one\ntwo  \nthree\\\nfour", "one\ntwo\nthree\nfour"),
        ("one\r\ntwo\r\n\r\nthree", "one\ntwo\n\nthree"),
        ("one\n\n\n\n\ntwo\n\n", "one\n\ntwo"),
        ("one\n\n---\n\ntwo", "one\n\n———\n\ntwo"),
        ("a[^1]\n\n[^1]: b", "a[1]\n\n[1] b"),
    ] {
        assert_eq!(only(markdown), html.trim_end(), "{markdown}");
    }
}

#[test]
fn code_holds_no_tags() {
    for (markdown, html) in [
        (
            "```rust\nlet a = \"<b>\";\n\n    b();\n```",
            "<pre><code class=\"language-rust\">let a = \"&lt;b&gt;\";\n\n    b();</code></pre>",
        ),
        ("```\n**a**\n```", "<pre>**a**</pre>"),
        ("~~~c++\na\n~~~", "<pre><code class=\"language-c++\">a</code></pre>"),
        ("```rust,ignore\na\n```", "<pre><code class=\"language-rust\">ignore\na</code></pre>"),
        ("```js\" onclick=\"x\na\n```", "<pre><code class=\"language-js\">\" onclick=\"x\na</code></pre>"),
        ("text:\n```py\na\n```\nmore", "text:\n<pre><code class=\"language-py\">a</code></pre>\nmore"),
        ("**a `b` c**", "<b>a </b><code>b</code><b> c</b>"),
        ("`` a`b `` `<i>`", "<code>a`b</code> <code>&lt;i&gt;</code>"),
        ("[`a`](http://x)", "<a href=\"http://x\">a</a>"),
    ] {
        assert_eq!(only(markdown), html, "{markdown}");
    }
}

#[test]
fn links_open_only_what_is_safe_to_open() {
    for (markdown, html) in [
        ("[a](https://x.y/z?a=1&b=2)", "<a href=\"https://x.y/z?a=1&amp;b=2\">a</a>"),
        ("[**a** b](tg://user?id=1)", "<a href=\"tg://user?id=1\"><b>a</b> b</a>"),
        (
            "<https://x.y> <a@b.c>",
            "<a href=\"https://x.y\">https://x.y</a> <a href=\"mailto:a@b.c\">a@b.c</a>",
        ),
        ("[a](javascript:b)", "a (javascript:b)"),
        ("[a](src/main.rs)", "a (src/main.rs)"),
        ("[a]()", "a"),
        ("[](http://x)", "<a href=\"http://x\">http://x</a>"),
        ("[a](<http://x\"y>)", "<a href=\"http://x%22y\">a</a>"),
        ("![alt](http://x/i.png)", "<a href=\"http://x/i.png\">alt</a>"),
        ("![](http://x/i.png)", "<a href=\"http://x/i.png\">http://x/i.png</a>"),
        ("[![alt](http://i)](http://x)", "<a href=\"http://x\">alt</a>"),
        ("[a][1] b\n\n[1]: http://x", "<a href=\"http://x\">a</a> b"),
        ("a\n\n[1]: http://x\n[2]: http://y\n\nb", "a\n\n[1]: http://x\n[2]: http://y\n\nb"),
    ] {
        assert_eq!(only(markdown), html, "{markdown}");
    }
}

#[test]
fn lists_and_quotes_keep_their_shape() {
    for (markdown, html) in [
        ("Here:\n* a\n* b", "Here:\n• a\n• b"),
        ("Here:\n\n- a\n\n- b", "Here:\n\n• a\n\n• b"),
        ("- a\n  - b\n    - c\n- d", "• a\n    • b\n        • c\n• d"),
        ("3. a\n4. b\n   more", "3. a\n4. b\nmore"),
        ("1. a\n   - b\n2. c", "1. a\n    • b\n2. c"),
        ("- [x] a\n- [ ] b\n\n1. [x] c", "☑ a\n☐ b\n\n1. ☑ c"),
        ("- a\n  ```\n  b\n  ```\n  c", "• a\n<pre>b</pre>\nc"),
        ("- a\n  # b\n  c", "• a\n<b>b</b>\nc"),
        ("-\n- a", "• \n• a"),
        ("-\n\ntext", "• \n\ntext"),
        ("- - a", "• \n    • a"),
        ("> a\n> **b**\n>\n> c\n\nd", "<blockquote>a\n<b>b</b>\n\nc</blockquote>\n\nd"),
        ("> a\n> > b", "<blockquote>a\nb</blockquote>"),
        ("> a\n\n\n> b", "<blockquote>a</blockquote>\n\n<blockquote>b</blockquote>"),
        ("> - a\n> - b\n>\n> ```\n> c\n> ```", "<blockquote>• a\n• b\n\n<pre>c</pre></blockquote>"),
    ] {
        assert_eq!(only(markdown), html, "{markdown}");
    }
}

#[test]
fn tables_are_aligned() {
    for (markdown, html) in [
        (
            "| Name | Count |\n|:--|--:|\n| apple | 3 |\n| **fig** | 12 |",
            "<pre>Name  | Count\n------+------\napple |     3\nfig   |    12</pre>",
        ),
        ("|a|b|\n|:-:|-|\n|one|[x](http://y)|", "<pre> a  | b\n----+-------------\none | x (http://y)</pre>"),
        ("|a|b|\n|-|-|\n|1|\n|1|2|3|4|", "<pre>a | b\n--+--\n1\n1 | 2 | 3|4</pre>"),
        ("|名|b|\n|-|-|\n|e\u{301}|c|", "<pre>名 | b\n---+--\ne\u{301}  | c</pre>"),
    ] {
        assert_eq!(only(markdown), html, "{markdown}");
    }
}

#[test]
fn sloppy_text_is_shown_as_it_is() {
    for (markdown, html) in [
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("<b>a</b> <script>x</script>", "&lt;b&gt;a&lt;/b&gt; &lt;script&gt;x&lt;/script&gt;"),
        ("<think>\nhm\n</think>\n\n**a**", "&lt;think&gt;\nhm\n&lt;/think&gt;\n\n<b>a</b>"),
        ("&lt;b&gt; &amp;", "&lt;b&gt; &amp;"),
        ("**bold without end", "**bold without end"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("```rust\nfn a() {", "<pre><code class=\"language-rust\">fn a() {</code></pre>"),
        ("`a", "`a"),
        ("[a](http://x", "[a](http://x"),
        ("שלום **עולם**", "שלום <b>עולם</b>"),
        ("👩‍👩‍👧 *é*", "👩‍👩‍👧 <i>é</i>"),
    ] {
        assert_eq!(only(markdown), html, "{markdown}");
    }
}

#[test]
fn a_blank_text_makes_no_message() {
    for text in ["", " \n\t\r\n", "\u{200b}\u{feff}"] {
        assert_eq!(pieces(text), []);
        assert_eq!(plain_pieces(text), []);
        assert_eq!(preview(text), Piece::default());
    }
}

#[test]
fn plain_text_keeps_its_marks() {
    let piece = Piece { html: "**a** &lt;b&gt;\n\n\n# c".into(), plain: "**a** <b>\n\n\n# c".into() };
    assert_eq!(plain_pieces("**a** <b>\n\n\n# c\n"), [piece]);
}

#[test]
fn length_is_counted_in_utf16() {
    for (text, length) in [("", 0), ("aé", 2), ("名", 1), ("😀", 2), ("👩‍👧", 5)] {
        assert_eq!(units(text), length, "{text}");
    }
}

#[test]
fn a_text_of_exactly_the_limit_is_one_message() {
    for text in ["a".repeat(LIMIT), "😀".repeat(LIMIT / 2), "<".repeat(LIMIT)] {
        assert_eq!(plain(&pieces(&text)), [text.as_str()]);
        assert_eq!(pieces(&format!("{text}b")).len(), 2);
    }
}

#[test]
fn a_cut_prefers_blocks_then_lines_then_sentences_then_words() {
    for (between, first, second) in [
        ("\n\n", "a line\n".repeat(400), "b. c\n".repeat(400)),
        ("\n", "A sentence. ".repeat(250), "Another one. ".repeat(250)),
        (" ", format!("{}.", "some words ".repeat(250).trim_end()), "Other words ".repeat(250)),
        (" ", "a".repeat(3_000), "b".repeat(3_000)),
        ("", "。".repeat(3_000), "字".repeat(3_000)),
    ] {
        let (first, second) = (first.trim_end(), second.trim_end());
        let pieces = pieces(&format!("{first}{between}{second}"));
        assert_eq!(plain(&pieces), [first, second]);
    }
}

#[test]
fn a_word_without_end_is_cut_at_the_limit_and_leaves_no_stub() {
    for (length, lengths) in
        [(4_097, vec![3_585, 512]), (4_700, vec![4_096, 604]), (8_200, vec![4_096, 3_592, 512])]
    {
        let cut = pieces(&"w".repeat(length));
        assert_eq!(cut.iter().map(|piece| units(&piece.plain)).collect::<Vec<_>>(), lengths);
    }
}

#[test]
fn a_cut_closes_what_is_open_and_opens_it_again() {
    let lines = "let a = 1;\n".repeat(600);
    let cut = pieces(&format!("Code:\n\n```rust\n{lines}```\n"));
    assert_eq!(cut.len(), 2);
    assert!(cut[0].html.starts_with("Code:\n\n<pre><code class=\"language-rust\">let a = 1;\n"));
    assert!(cut[0].html.ends_with("let a = 1;</code></pre>"));
    assert!(cut[1].html.starts_with("<pre><code class=\"language-rust\">let a = 1;\n"));

    let cut = pieces(&format!("> **{}**", "word ".repeat(1_000).trim_end()));
    assert_eq!(cut.len(), 2);
    for piece in &cut {
        assert!(piece.html.starts_with("<blockquote><b>word "), "{}", piece.html);
        assert!(piece.html.ends_with(" word</b></blockquote>"), "{}", piece.html);
    }
}

#[test]
fn a_cut_keeps_indents_of_code() {
    let lines = "if a {\n    b();\n}\n".repeat(400);
    let cut = pieces(&format!("```\n{lines}```"));
    let rejoined: Vec<&str> = cut.iter().flat_map(|piece| piece.plain.lines()).collect();
    assert_eq!(rejoined, lines.lines().collect::<Vec<_>>());
}

#[test]
fn a_cut_parts_no_heading_or_marker_from_its_text() {
    // Each length puts the limit at another place in the heading, the markers and their text.
    for length in 3_500..LIMIT {
        let filler = "a".repeat(length);
        let cut = pieces(&format!("{filler}\n\n## Heading\n\n1. - {}", "b".repeat(3_000)));
        assert_eq!(cut[0].plain, filler);
        assert!(cut[1].plain.starts_with("Heading\n\n1. \n    • bbb"), "{}", cut[1].plain);
    }
}

#[test]
fn a_cut_leaves_characters_whole() {
    for character in ["😀", "👩‍👩‍👧", "🇩🇪", "e\u{301}\u{302}", "👍🏽", "नि"] {
        // Each shift puts the limit at another place in a character.
        for shift in 0..units(character) {
            let cut = pieces(&format!("{}{}", "x".repeat(shift), character.repeat(4_000)));
            assert!(cut.len() > 1);
            for piece in cut {
                assert_eq!(piece.plain.trim_start_matches('x').replace(character, ""), "");
            }
        }
    }
}

#[test]
fn a_preview_closes_what_is_unfinished() {
    for (markdown, html) in [
        ("**bo", "<b>bo</b>"),
        ("a **b *c", "a <b>b <i>c</i></b>"),
        ("a **", "a"),
        ("**a*", "<b>a</b>"),
        ("**a** b", "<b>a</b> b"),
        ("*a **b***", "<i>a </i><b><i>b</i></b>"),
        ("~~a", "<s>a</s>"),
        ("`a *b", "<code>a *b</code>"),
        ("* a **b", "• a <b>b</b>"),
        ("see [te", "see [te"),
        ("see [text](http://x", "see text"),
        ("see [text](http://x)", "see <a href=\"http://x\">text</a>"),
        ("snake_case_na", "snake_case_na"),
        ("2*3", "2*3"),
        ("Items:\n-", "Items:"),
        ("Title\n=", "Title"),
        ("```rust\nfn **a", "<pre><code class=\"language-rust\">fn **a</code></pre>"),
        ("```rust\nfn a\n``", "<pre><code class=\"language-rust\">fn a</code></pre>"),
        ("```\na\n```\n**b", "<pre>a</pre>\n<b>b</b>"),
        ("**", "**"),
    ] {
        assert_eq!(preview(markdown).html, html, "{markdown}");
    }
}

#[test]
fn a_preview_of_a_long_text_shows_its_end() {
    let preview = preview(&format!("{}\n\n```py\n{}", "word ".repeat(1_000), "line\n".repeat(1_000)));
    assert!(preview.html.starts_with("…<pre><code class=\"language-py\">line\n"), "{}", preview.html);
    assert!(preview.html.ends_with("line\nline</code></pre>"));
    assert!((LIMIT * 3 / 4..=LIMIT).contains(&units(&preview.plain)));
}
