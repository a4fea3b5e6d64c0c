//! Exports of WhatsApp, in small, in the forms of several phones.

use std::path::PathBuf;

use throughline_domain::chat::ChatId;

use super::super::tests::read_all;
use super::*;

/// Moment, speaker and text of each message, or the error.
fn read(text: &str) -> Vec<(u64, Result<String, String>)> {
    let shown = |it: Inbound| format!("{} {}: {}", it.at.unwrap(), it.speaker.unwrap(), it.text);
    read_all(&WhatsApp, text).into_iter().map(|(line, entry)| (line, entry.map(shown))).collect()
}

fn said(text: &str) -> Vec<String> {
    read(text).into_iter().map(|(_, entry)| entry.unwrap()).collect()
}

#[test]
fn the_forms_of_many_phones_are_the_same_message() {
    let lines = [
        ("[12.03.24, 18:05:11] Ana: Hallo", "11"),
        ("\u{feff}\u{200e}[12.03.24, 18:05:11] Ana: Hallo\r", "11"),
        ("12/03/2024, 18:05 - Ana: Hallo", "00"),
        ("12/03/2024 18:05 - Ana: Hallo", "00"),
        ("12/03/2024 à 18:05 - Ana: Hallo", "00"),
        ("12.3.2024 klo 18.05 - Ana: Hallo", "00"),
        ("13/03/24, 18:05 - Bo: earlier in the file\n12/3/24, 6:05 p. m. - Ana: Hallo", "00"),
        ("3/13/24, 6:05 PM - Bo: earlier\n3/12/24, 6:05\u{202f}PM - Ana: Hallo", "00"),
        ("2024-03-12, 18:05 - Ana: Hallo", "00"),
        ("[2024/3/12 下午6:05:11] Ana: Hallo", "11"),
        ("[2024. 3. 12. 오후 6:05:11] Ana: Hallo", "11"),
        ("2024년 3월 12일 오후 6:05, Ana : Hallo", "00"),
        ("١٢/٣/٢٠٢٤، ٦:٠٥ م - Ana: Hallo", "00"),
        ("[12.03.24, 18:05:11] ~\u{a0}Ana: Hallo", "11"),
        ("[12.03.24, 18:05:11] \u{202a}Ana\u{202c}: Hallo", "11"),
    ];
    for (line, seconds) in lines {
        let expected = format!("2024-03-12T18:05:{seconds}Z Ana: Hallo");
        assert_eq!(said(&format!("{line}\n")).last(), Some(&expected), "{line:?}");
    }
    assert_eq!(said("3/12/24, 12:05 AM - Ana: x"), ["2024-03-12T00:05:00Z Ana: x"]);
    assert_eq!(said("3/12/24, 12:05 PM - Ana: x"), ["2024-03-12T12:05:00Z Ana: x"]);
}

#[test]
fn the_order_of_day_and_month_is_decided_by_the_whole_file() {
    let dates = |first: &str, second: &str, half: &str| {
        let found = said(&format!("{first}, 6:05{half} - Ana: x\n{second}, 6:06{half} - Ana: y\n"));
        found.into_iter().map(|line| line.chars().take(10).collect::<String>()).collect::<Vec<_>>()
    };
    // A number over 12, before or behind.
    assert_eq!(dates("02/03/24", "25/03/24", ""), ["2024-03-02", "2024-03-25"]);
    assert_eq!(dates("02/03/24", "03/25/24", ""), ["2024-02-03", "2024-03-25"]);
    assert_eq!(dates("25/03/24", "02/04/24", " PM"), ["2024-03-25", "2024-04-02"]);
    // Dates that ascend in one order only.
    assert_eq!(dates("11/03/24", "02/04/24", " PM"), ["2024-03-11", "2024-04-02"]);
    assert_eq!(dates("03/11/24", "04/02/24", ""), ["2024-03-11", "2024-04-02"]);
    // Signs.
    assert_eq!(dates("02/03/24", "03/04/24", ""), ["2024-03-02", "2024-04-03"]);
    assert_eq!(dates("02/03/24", "03/04/24", " AM"), ["2024-02-03", "2024-03-04"]);
    assert_eq!(dates("02.03.24", "03.04.24", " AM"), ["2024-03-02", "2024-04-03"]);
}

#[test]
fn lines_go_on_and_the_apps_own_lines_are_left_out() {
    let text = "12/03/2024, 18:05 - Messages and calls are end-to-end encrypted. Tap to learn more.\n\
                12/03/2024, 18:05 - Ana added Bo\n\
                12/03/2024, 18:06 - Ana: The list:\n- flour: 1 kg\n\n[ ] eggs\n\
                12/03/2024, 18:07 - Bo changed the subject from \"a: b\" to \"c\"\n\
                and more of the subject\n\
                12/03/2024, 18:08 - Bo: ok\n";
    let found = read(text);
    assert_eq!(
        found,
        [
            (3, Ok("2024-03-12T18:06:00Z Ana: The list:\n- flour: 1 kg\n\n[ ] eggs".to_owned())),
            (9, Ok("2024-03-12T18:08:00Z Bo: ok".to_owned())),
        ]
    );
    let notices = "[12.03.24, 18:05:11] Familie: \u{200e}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\n\
                   \u{200e}[12.03.24, 18:05:12] Ana: \u{200e}Verpasster Sprachanruf um 18:05\n\
                   \u{200e}[12.03.24, 18:05:13] Ana: \u{200e}UMFRAGE:\nWohin?\n\u{200e}OPTION: Hier (1 Stimme)\n\
                   [12.03.24, 18:05:14] Ana: Ja \u{200e}<Diese Nachricht wurde bearbeitet.>\n";
    assert_eq!(
        said(notices),
        [
            "2024-03-12T18:05:13Z Ana: UMFRAGE:\nWohin?\nOPTION: Hier (1 Stimme)",
            "2024-03-12T18:05:14Z Ana: Ja"
        ]
    );
}

#[test]
fn files_are_a_mark_in_several_languages_and_keep_their_caption() {
    for media in [
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Médias omis>",
        "<미디어 파일 제외>",
        "<Без медиафайлов>",
        "\u{200e}image omitted",
        "image omitted",
        "\u{200e}Bild weggelassen",
        "\u{200e}imagen omitida",
        "Report.pdf • \u{200e}12 pages \u{200e}document omitted",
        "\u{200e}IMG-20240312-WA0001.jpg (file attached)",
        "IMG-20240312-WA0001.jpg (Datei angehängt)",
        "IMG-20240312-WA0001.jpg (archivo adjunto)",
        "\u{200e}<attached: 00000012-PHOTO-2024-03-12-18-05-11.jpg>",
        "\u{200e}<Anhang: 00000012-PHOTO.jpg>",
    ] {
        assert_eq!(
            said(&format!("12/03/2024, 18:05 - Ana: {media}\n")),
            ["2024-03-12T18:05:00Z Ana: [media]"],
            "{media}"
        );
    }
    let captioned = "12/03/2024, 18:05 - Ana: \u{200e}IMG-1.jpg (file attached)\nOur cat\n";
    assert_eq!(said(captioned), ["2024-03-12T18:05:00Z Ana: [media] Our cat"]);
    for text in ["<3", "<b>bold</b>", "без фото", "I omitted the image from it", "see report.pdf (page 2)"]
    {
        assert_eq!(
            said(&format!("12/03/2024, 18:05 - Ana: {text}\n")),
            [format!("2024-03-12T18:05:00Z Ana: {text}")]
        );
    }
}

#[test]
fn what_cannot_be_read_is_reported_with_its_line_and_the_rest_goes_in() {
    let text = "no chat\nat all\n13/03/2024, 18:05 - Ana: one\n12/13/2024, 18:06 - Ana: thirteenth month\n\
                12/03/2024, 25:07 - Ana: late\nvery late\n12/03/2024, 18:08 - Ana: two\n13/03/2024, 1";
    let found = read(text);
    let lines: Vec<_> = found.iter().map(|(line, entry)| (*line, entry.is_ok())).collect();
    assert_eq!(lines, [(1, false), (3, true), (4, false), (5, false), (7, true), (8, false)], "{found:?}");
    let mut bytes = b"12/03/2024, 18:05 - Ana: one\n\xff\xfe\n".to_vec();
    bytes.extend_from_slice(b"12/03/2024, 18:06 - Ana: two\n");
    let mut lines = Vec::new();
    let defaults = Defaults::new(ChatId::terminal(), jiff::tz::TimeZone::UTC);
    let mut sink = |line, entry: Result<Inbound, String>| {
        lines.push((line, entry.is_ok()));
        Ok(())
    };
    WhatsApp.read(&mut bytes.as_slice(), &defaults, &mut sink).unwrap();
    assert_eq!(lines, [(1, true), (2, false), (3, true)]);
}

#[test]
fn a_chat_is_named_after_its_file_and_a_group_has_a_minus() {
    let named = |file: &str, many| {
        let defaults = Defaults {
            file: Some(PathBuf::from(file)),
            ..Defaults::new(ChatId::terminal(), jiff::tz::TimeZone::UTC)
        };
        chat(&defaults, many).to_string()
    };
    for (file, expected) in [
        ("x/WhatsApp Chat with Ana.txt", "whatsapp:chat:Ana"),
        ("WhatsApp Chat with Ana Lima (2).txt", "whatsapp:chat:Ana-Lima"),
        ("WhatsApp-Chat mit Ana.txt", "whatsapp:chat:Ana"),
        ("Chat de WhatsApp con Ana.txt", "whatsapp:chat:Ana"),
        ("WhatsApp Chat - Ana/_chat.txt", "whatsapp:chat:Ana"),
        ("downloads/_chat.txt", "whatsapp:chat:import"),
        ("_chat.txt", "whatsapp:chat:import"),
        ("- -.txt", "whatsapp:chat:import"),
        ("-5.txt", "whatsapp:chat:5"),
    ] {
        assert_eq!(named(file, false), expected, "{file}");
    }
    assert_eq!(named("WhatsApp Chat with Family.txt", true), "whatsapp:chat:-Family");
    let long = format!("WhatsApp Chat with {}.txt", "é".repeat(400));
    assert!(named(&long, true).starts_with("whatsapp:chat:-éé"));

    let text = |names: &[&str]| {
        names.iter().map(|name| format!("12/03/2024, 18:05 - {name}: x\n")).collect::<String>()
    };
    let of = |text: String| read_all(&WhatsApp, &text)[0].1.as_ref().unwrap().chat.to_string();
    assert_eq!(of(text(&["Ana", "Bo", "Ana"])), "whatsapp:chat:import");
    assert_eq!(of(text(&["Ana", "Bo", "Cy"])), "whatsapp:chat:-import");
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange_to_be_read(
        lines in proptest::collection::vec(
            "(\\[|\u{200e})?[0-9٠-٩]{1,5}[./年-] ?[0-9]{1,3}[./월-][0-9]{1,5},? ?(at |下午)?[0-9]{1,3}[:.][0-9]{1,3}( ?[AaPp]\\.? ?[Mm])?(\\]| -)? .{0,9}(: )?.{0,9}",
            0..6,
        ),
        rest in "\\PC{0,40}",
    ) {
        let text = format!("{}\n{rest}", lines.join("\n"));
        let found = read_all(&WhatsApp, &text);
        proptest::prop_assert!(found.is_sorted_by_key(|(line, _)| *line));
        proptest::prop_assert!(found.len() <= text.lines().count());
    }
}
