//! A strict reader of Telegram's HTML: refuses what Telegram would refuse or show wrongly.

/// The text that the HTML shows, or why it is not well-formed.
pub fn text_of(html: &str) -> Result<String, String> {
    let mut text = String::new();
    // Each open tag, and how much text there was when it was opened.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut rest = html;
    while let Some(next) = rest.chars().next() {
        rest = rest.strip_prefix(next).unwrap_or_default();
        match next {
            '<' => {
                let (tag, after) = rest.split_once('>').ok_or("a tag without end")?;
                match tag.strip_prefix('/') {
                    Some(name) => close(&mut open, name, text.len())?,
                    None => {
                        let name = open_tag(&open, tag, text.len())?;
                        open.push((name, text.len()));
                    }
                }
                rest = after;
            }
            '>' => return Err("a bare >".into()),
            '&' => {
                let (entity, after) = rest.split_once(';').ok_or("a bare &")?;
                text.push(match entity {
                    "amp" => '&',
                    "lt" => '<',
                    "gt" => '>',
                    _ => return Err(format!("unknown entity {entity}")),
                });
                rest = after;
            }
            _ => text.push(next),
        }
    }
    if open.is_empty() { Ok(text) } else { Err(format!("left open: {open:?}")) }
}

fn close(open: &mut Vec<(String, usize)>, name: &str, length: usize) -> Result<(), String> {
    match open.pop() {
        Some((opened, start)) if opened == name && start < length => Ok(()),
        last => Err(format!("</{name}> after {last:?}, at {length}")),
    }
}

fn open_tag(open: &[(String, usize)], tag: &str, length: usize) -> Result<String, String> {
    let (name, attribute) = tag.split_once(' ').unwrap_or((tag, ""));
    let value = |prefix: &str| {
        attribute
            .strip_prefix(prefix)
            .and_then(|value| value.strip_suffix('"'))
            .filter(|value| !value.is_empty() && !value.contains(['"', '<', '>']))
            .ok_or(format!("bad attribute in <{tag}>"))
    };
    let in_new_pre = open.last().is_some_and(|(last, start)| last == "pre" && *start == length);
    match name {
        "b" | "i" | "s" | "blockquote" | "pre" if attribute.is_empty() => {}
        "code" if in_new_pre => drop(value("class=\"language-")?),
        "code" if attribute.is_empty() => {}
        "a" => {
            let target = value("href=\"")?.to_lowercase();
            if !["http:", "https:", "tg:", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
                return Err(format!("a link to {target}"));
            }
        }
        _ => return Err(format!("unknown tag <{tag}>")),
    }
    for (outer, _) in open {
        let is_code = outer == "code" || outer == "pre" && !(in_new_pre && name == "code");
        if outer == name || is_code {
            return Err(format!("<{name}> inside <{outer}>"));
        }
    }
    Ok(name.to_owned())
}

#[test]
fn the_checker_refuses_what_is_not_well_formed() {
    for html in [
        "<b>x",
        "x</b>",
        "<b><i>x</b></i>",
        "<b></b>",
        "<b><b>x</b></b>",
        "<u>x</u>",
        "a & b",
        "a &nbsp; b",
        "a > b",
        "a < b",
        "<code><b>x</b></code>",
        "<pre><b>x</b></pre>",
        "<pre>x<code class=\"language-a\">y</code></pre>",
        "<a>x</a>",
        "<a href=\"javascript:x\">x</a>",
        "<a href=\"http://x\" id=\"y\">x</a>",
        "<a href=\"http://x\"><i><a href=\"http://y\">x</a></i></a>",
    ] {
        assert!(text_of(html).is_err(), "accepted: {html}");
    }
    let html = "<blockquote><pre><code class=\"language-a\">x</code></pre>&lt;<i>y</i></blockquote>";
    assert_eq!(text_of(html), Ok("x<y".to_owned()));
}
