//! Detects the type of a file from its bytes; the name and the sender's claim are ignored.

/// A supported file type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// An image, with its media type.
    Image(&'static str),
    /// A PDF.
    Pdf,
    /// Text in UTF-8: plain, Markdown, CSV, JSON, source code.
    Text,
}

impl FileType {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Image(media_type) => media_type,
            Self::Pdf => "application/pdf",
            Self::Text => "text/plain",
        }
    }

    /// The file type of a stored media type.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        match media_type {
            "application/pdf" => Some(Self::Pdf),
            "text/plain" => Some(Self::Text),
            _ => IMAGES.into_iter().find(|image| *image == media_type).map(Self::Image),
        }
    }

    /// Detects the type of these bytes; `None` if it is unsupported.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let [jpeg, png, gif, webp] = IMAGES;
        let is_riff = |what: &[u8]| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(what);
        if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            Some(Self::Image(jpeg))
        } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Image(png))
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Image(gif))
        } else if is_riff(b"WEBP") {
            Some(Self::Image(webp))
        } else if bytes.starts_with(b"%PDF-") {
            Some(Self::Pdf)
        } else {
            is_text(bytes).then_some(Self::Text)
        }
    }
}

const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

fn is_text(bytes: &[u8]) -> bool {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    std::str::from_utf8(bytes).is_ok_and(|text| !text.trim().is_empty() && text.chars().all(is_plain))
}

/// The usual file extension of a sound file; `None` if the bytes are not a known sound format.
pub fn sound(bytes: &[u8]) -> Option<&'static str> {
    let starts = |with: &[u8]| bytes.starts_with(with);
    if starts(b"OggS") {
        Some("ogg")
    } else if starts(b"ID3") || matches!(bytes, [0xff, second, ..] if second & 0xe0 == 0xe0) {
        Some("mp3")
    } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WAVE") {
        Some("wav")
    } else if starts(b"fLaC") {
        Some("flac")
    } else if bytes.get(4..8) == Some(b"ftyp") {
        Some("mp4")
    } else if starts(&[0x1a, 0x45, 0xdf, 0xa3]) {
        Some("webm")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_known_by_the_first_bytes() {
        let cases: [(&[u8], Option<&str>); 11] = [
            (b"\xff\xd8\xff\xe0....JFIF", Some("image/jpeg")),
            (b"\x89PNG\r\n\x1a\nrest", Some("image/png")),
            (b"GIF89a..", Some("image/gif")),
            (b"RIFF....WEBPVP8 ", Some("image/webp")),
            (b"%PDF-1.7\n\x00", Some("application/pdf")),
            ("name,größe\nAna,3\n".as_bytes(), Some("text/plain")),
            (b"\x7fELF\x02\x01", None),
            (b"PK\x03\x04zip", None),
            (b"RIFF\x24\x00\x00\x00WAVEfmt ", None),
            (b"\xff\xfeU\x00T\x00", None),
            (b" \n", None),
        ];
        for (bytes, expected) in cases {
            let found = FileType::detect(bytes);
            assert_eq!(found.map(FileType::media_type), expected, "{bytes:?}");
            assert_eq!(found, expected.and_then(FileType::from_media_type));
        }
        assert_eq!(
            (sound(b"OggS\0"), sound(b"RIFF....WAVE"), sound(b"%PDF-")),
            (Some("ogg"), Some("wav"), None)
        );
    }
}
