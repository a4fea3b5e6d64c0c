//! Separates the speaker from the text, and recognizes the app's own words: placeholders of files, calls and notices.

use super::header::is_mark;

/// The placeholder of a picture, a video or another file.
const MEDIA: &str = "[media]";
/// Maximum length of a speaker's name, in characters.
const LONGEST_SPEAKER: usize = 80;
/// Beginnings of words for "left out", in the languages of the app.
const LEFT_OUT: [&str; 29] = [
    "omitted",
    "omitid",
    "omitt",
    "omis",
    "omess",
    "omès",
    "ocult",
    "absent",
    "weggelassen",
    "ausgeschlossen",
    "weggelaten",
    "uteläm",
    "utelat",
    "udelad",
    "pomini",
    "vynech",
    "kihagy",
    "omise",
    "eklenmedi",
    "dahil",
    "отсутств",
    "пропущ",
    "без",
    "제외",
    "생략",
    "省略",
    "含まれて",
    "استبعاد",
    "छोड़",
];
/// Beginnings of words for the kinds of files.
const KINDS: [&str; 33] = [
    "media",
    "medien",
    "multimedia",
    "média",
    "mídia",
    "médias",
    "medya",
    "медиа",
    "미디어",
    "媒体",
    "媒體",
    "メディア",
    "وسائط",
    "मीडिया",
    "image",
    "imagen",
    "imagem",
    "immagine",
    "bild",
    "afbeelding",
    "photo",
    "foto",
    "video",
    "vídeo",
    "audio",
    "áudio",
    "sticker",
    "gif",
    "document",
    "documento",
    "dokument",
    "contact",
    "изображ",
];
/// Beginnings of words for "attached".
const ATTACHED: [&str; 14] = [
    "attached",
    "angehängt",
    "adjunto",
    "joint",
    "anexad",
    "allegat",
    "bijgevoegd",
    "добавлен",
    "첨부",
    "附件",
    "添付",
    "bifogad",
    "vedhæft",
    "załącz",
];

/// The speaker and the text in the rest of a line; `None` for a notice of the app.
pub fn spoken(rest: &str) -> Option<(&str, &str)> {
    let (speaker, text) = match rest.split_once(": ") {
        Some(parts) => parts,
        None => (rest.trim_end().strip_suffix(':')?, ""),
    };
    let speaker = speaker.trim_matches(|c: char| c.is_whitespace() || is_mark(c));
    // People who are not contacts have a tilde before their name.
    let speaker = speaker.strip_prefix('~').map_or(speaker, str::trim_start);
    let is_name = !speaker.is_empty()
        && speaker.chars().count() <= LONGEST_SPEAKER
        && !speaker.contains(['"', '“', '”', '«', '»', '„']);
    is_name.then_some((speaker, text))
}

/// The text of a person, with a file as its placeholder and caption; `None` if the words are the app's.
pub fn said(text: &str) -> Option<String> {
    let text = without_edit_mark(text.trim_end());
    let (first, more) = text.split_once('\n').unwrap_or((text, ""));
    if is_media(first) {
        let caption = plain(more);
        return Some(if caption.is_empty() { MEDIA.to_owned() } else { format!("{MEDIA} {caption}") });
    }
    // The app marks its own words. Those with a link or several lines are a location or a poll that a person sent.
    let is_notice = text.starts_with('\u{200e}') && more.is_empty() && !text.contains("://");
    Some(plain(text)).filter(|text| !is_notice && !text.is_empty())
}

/// The text without invisible marks.
fn plain(text: &str) -> String {
    text.replace(is_mark, "").trim().to_owned()
}

/// The text without the app's note that it was edited.
fn without_edit_mark(text: &str) -> &str {
    let note = text.strip_suffix('>').and_then(|text| text.rsplit_once("\u{200e}<"));
    match note {
        Some((text, note)) if !text.is_empty() && !note.contains(['<', '\n', ':']) => text.trim_end(),
        _ => text,
    }
}

/// Returns true if a line is the placeholder of a file.
fn is_media(line: &str) -> bool {
    let is_marked = line.contains('\u{200e}');
    let last_marked = line.rsplit_once('\u{200e}').map(|(_, last)| last.to_lowercase());
    let line = plain(line).to_lowercase();
    let inner = line.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    if let Some((_, name)) = inner.and_then(|inner| inner.split_once(':')) {
        return is_file_name(name.trim());
    }
    let is_left_out = |words: &str| {
        words.split_whitespace().count() <= 5 && LEFT_OUT.iter().any(|stem| words.contains(stem))
    };
    if inner.is_some_and(is_left_out) || last_marked.as_deref().is_some_and(is_left_out) {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if let [kind, .., left_out] = words.as_slice()
        && words.len() <= 3
        && KINDS.iter().any(|stem| kind.starts_with(stem))
        && LEFT_OUT.iter().any(|stem| left_out.starts_with(stem))
    {
        return true;
    }
    let attached = line.strip_suffix([')', '）']).and_then(|line| line.rsplit_once(['(', '（']));
    attached.is_some_and(|(name, note)| {
        is_file_name(name.trim()) && (is_marked || ATTACHED.iter().any(|stem| note.contains(stem)))
    })
}

/// Returns true if a text ends like the name of a file.
fn is_file_name(text: &str) -> bool {
    let extension =
        text.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        (2..=5).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}
