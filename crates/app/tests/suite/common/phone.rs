//! Draws a chat as a phone shows it: an SVG made from what people wrote and what the double of Telegram was sent.

use std::fmt::Write as _;

use throughline_testkit::bot_api::BotMessage;

const WIDTH: f64 = 390.0;
const WIDEST_BUBBLE: f64 = 320.0;
const SIZE: f64 = 15.0;
const LINE: f64 = 20.0;
const PAD: f64 = 10.0;

/// A line of the chat.
pub enum Bubble {
    /// A day between messages.
    Day(String),
    /// What a person wrote; a name in a group.
    Person(Option<String>, String),
    /// What the bot wrote, with its buttons.
    Bot(String, Vec<Vec<String>>),
}

impl Bubble {
    /// A message of the bot's, as the far side has it.
    pub fn of(message: &BotMessage) -> Self {
        let keyboard = &message.keyboard;
        let rows = keyboard.iter().map(|row| row.iter().map(|button| button.text.clone()).collect());
        Self::Bot(message.text.clone(), rows.collect())
    }
}

/// The picture of a chat.
pub fn draw(title: &str, bubbles: &[Bubble]) -> String {
    let (mut body, mut y) = (String::new(), 64.0);
    for bubble in bubbles {
        y = match bubble {
            Bubble::Day(day) => {
                let width = width_of(day) * 0.87 + 20.0;
                rect(&mut body, (WIDTH - width) / 2.0, y, width, 22.0, 11.0, "day");
                text(&mut body, WIDTH / 2.0, y + 15.5, "small middle", day);
                y + 32.0
            }
            Bubble::Person(name, words) => said(&mut body, y, true, name.as_deref(), words, &[]),
            Bubble::Bot(words, keyboard) => said(&mut body, y, false, None, words, keyboard),
        };
    }
    let height = y + 12.0;
    let mut title_line = String::new();
    text(&mut title_line, WIDTH / 2.0, 33.0, "title middle", title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n{STYLE}<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\" rx=\"18\"/>\n<rect class=\"bar\" width=\"{WIDTH}\" height=\"52\" rx=\"18\"/>\n{title_line}{body}</svg>\n"
    )
}

const STYLE: &str = "<style>
text { font: 15px -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #111 }
.title { font-weight: 600; font-size: 16px } .small { font-size: 13px; fill: #fff } .middle { text-anchor: middle }
.name { font-weight: 600; font-size: 13px; fill: #3a7fc1 } .key { font-weight: 600; font-size: 14px; fill: #2b6cb0; text-anchor: middle }
.paper { fill: #d7e4ee } .bar { fill: #f6f6f7 } .day { fill: #7d93a5 } .mine { fill: #e1ffc7 } .bots { fill: #fff } .button { fill: #f1f6fb; stroke: #b9cfe3 }
</style>
";

/// A bubble, and where the next one begins.
fn said(
    body: &mut String,
    y: f64,
    is_mine: bool,
    name: Option<&str>,
    words: &str,
    keyboard: &[Vec<String>],
) -> f64 {
    let lines = wrapped(words, WIDEST_BUBBLE - 2.0 * PAD);
    let widest = lines.iter().map(String::as_str).chain(name).map(width_of).fold(0.0, f64::max);
    let width = if keyboard.is_empty() { widest + 2.0 * PAD } else { WIDEST_BUBBLE };
    let x = if is_mine { WIDTH - width - PAD } else { PAD };
    let rows = lines.len() as f64 + if name.is_some() { 1.0 } else { 0.0 };
    let height = rows * LINE + 12.0;
    rect(body, x, y, width, height, 14.0, if is_mine { "mine" } else { "bots" });
    let mut base = y + 21.0;
    if let Some(name) = name {
        text(body, x + PAD, base, "name", name);
        base += LINE;
    }
    for line in &lines {
        text(body, x + PAD, base, "", line);
        base += LINE;
    }
    let mut below = y + height + 6.0;
    for row in keyboard {
        let each = (width - 6.0 * (row.len() as f64 - 1.0)) / row.len() as f64;
        for (at, label) in row.iter().enumerate() {
            let left = x + at as f64 * (each + 6.0);
            rect(body, left, below, each, 34.0, 9.0, "button");
            text(body, left + each / 2.0, below + 22.0, "key", label);
        }
        below += 40.0;
    }
    below + 2.0
}

fn rect(body: &mut String, x: f64, y: f64, width: f64, height: f64, round: f64, class: &str) {
    writeln!(
        body,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round}\"/>"
    )
    .unwrap();
}

fn text(body: &mut String, x: f64, y: f64, class: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    writeln!(body, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{words}</text>").unwrap();
}

/// The lines of a text that are at most this wide.
fn wrapped(words: &str, most: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in words.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if width_of(&longer) > most && !line.is_empty() {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    lines
}

/// The width of a text, about as a phone sets it.
fn width_of(text: &str) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | '|' | '!' | '.' | ',' | ':' | ';' | '\'' | '(' | ')' | '[' | ']' => 0.28,
        ' ' | 'f' | 't' | 'r' | 'I' | '-' | '/' => 0.34,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.86,
        'A'..='Z' => 0.66,
        c if !c.is_ascii() && !c.is_alphabetic() && c > '\u{2100}' => 1.1,
        _ => 0.54,
    };
    // Fonts differ: the widest common ones have to fit.
    text.chars().map(wide).sum::<f64>() * SIZE * 1.1
}
