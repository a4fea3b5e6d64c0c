//! Names in their sentence: those that are also words, and those that are a part of a longer name.

use super::families::is_past;
use super::language::Language;
use super::pieces::{Class, Piece};
use crate::word_list::WordList;

/// Names of people, places and firms that are also everyday words of English.
static ALSO_WORDS: WordList = WordList::new(
    "amber amazon angel apple april art ash august autumn bath bay bear berry bill birch black blue bob brook brown buck bush \
     carol chance chase china christian clay cliff cork crystal daisy dale dash dawn dean dell dick drew duke earl eve faith fern \
     flora forest fox frank gap gene ginger glen gloria grace grant gray green guy hazel heath heather holly honey hope hunter iris \
     ivy jack jade jasmine jay jean jersey jewel joy june king lance lane lark laurel lily lime long mark martin mason max may \
     melody mercy mike miles mint misty mobile myrtle nice nick norm notion oak olive orange page pansy pat patience pearl penny \
     pepper peter piper polish poppy prince pumpkin queen rain ray reading reed rich river rob robin rock rocky rose royal ruby rush \
     rusty sage sally sandy savannah scarlet shell sherry sienna sierra skip sky slack sonny spring star stella sterling stone storm \
     sue summer sunny target teams tiger tim trip turkey uber victor viola violet wade ward washing well west white will willow \
     winter wolf wood young zoom",
);

/// What follows a name that begins an English sentence: verbs, and words that join.
static AFTER_A_NAME: WordList = WordList::new(
    "is isn isnt was wasn has hasn had hadn does doesn did didn will would can can't could couldn should may might must and or \
     also always never often sometimes usually already just still really finally recently says tells asks thinks knows wants \
     needs likes loves hates lives works goes comes gets makes takes gives sees seems feels looks keeps calls writes sends \
     leaves meets brings buys sells pays plays runs drives drinks eats sleeps dies moves helps teaches owes lies cooks smokes \
     snores studies cries laughs speaks sings travels visits hurts deserves refuses agrees promises believes remembers forgets \
     hopes starts stops tries turns uses waits watches wears wins worries cheats hears holds learns listens misses owns reads \
     shares shows sits stands stays swims talks texts treats trusts understands from with who whose isnt doesnt didnt wasnt wont \
     cant couldnt wouldnt gave told",
);

/// Words that make another name of the one that follows: New York, Santa Ana, Lake Victoria.
static MAKE_ANOTHER: WordList = WordList::new(
    "new san santa santo sao saint st sankt fort port porto puerto mount mt lake los las nova nueva nuevo nowy nowa cape isla ile \
     нью новый новая новое санкт порт",
);

/// Parts of a country or town, and titles, which stand before the same name.
static SAME_NAME: WordList = WordList::new(
    "north south east west northern southern eastern western central downtown upper lower greater inner outer old the a in at on \
     from to of mr mrs ms miss dr prof professor doctor sir madame monsieur herr frau senor senora don dona aunt uncle \
     grandma grandpa mom dad",
);

/// First parts of double given names: Jean-Pierre, Anna-Lena.
static DOUBLE_NAMES: WordList = WordList::new(
    "ana ann anna anne carl eva franz hans heinz jean jose juan karl klaus luis maria marie mary ernst pierre john lee lisa",
);

/// Words before a place.
static TO_A_PLACE: WordList = WordList::new(
    "in to from near visit visited visiting toward towards nach aus via через в из en à hacia desde vers w we do z",
);

/// What a chat tells about a topic that may be a name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// It is written as a name.
    pub is_name: bool,
    /// The same word is written as an ordinary one.
    pub is_word: bool,
    /// It is where people are, go to or come from.
    pub is_place: bool,
}

/// Returns true if a name is also a word, as far as that is known without the chat.
pub(super) fn is_also_word(name: &Piece) -> bool {
    ALSO_WORDS.contains(&name.text)
}

/// Returns true if a word that begins an English sentence, and may be a name, is used as one: a surname, a verb or an
/// ending follows.
pub(super) fn begins_as_name(next: Option<&Piece>) -> bool {
    let Some(next) = next else { return true };
    let gap = next.gap.trim();
    let is_verb = || {
        AFTER_A_NAME.contains(&next.text)
            || next.text.ends_with("ed") && next.len() > 3
            || is_past(&next.text)
    };
    next.is_ending
        || gap == "'" && next.text == "s"
        || gap.is_empty() && (is_verb() || next.is_capital && next.len() > 1)
        || gap.starts_with(['.', '\n', '('])
        // "Hope, my niece, is five."
        || gap == "," && matches!(next.text.as_str(), "my" | "our" | "his" | "her" | "their" | "who" | "whose")
}

/// Returns true if the piece before a name makes a longer name of it.
pub(super) fn is_longer_name(
    before: &Piece,
    name: &Piece,
    begins: bool,
    usage: Usage,
    languages: &[Language],
) -> bool {
    if before.class != Class::Word || !before.is_capital {
        return false;
    }
    match name.gap.as_str() {
        " " | ". " | "\u{a0}" => {
            // German writes every noun with a capital, and any word may begin a sentence.
            let is_open = begins || languages.contains(&Language::German);
            let is_part = usage.is_place && !is_open && !before.is_upper && name.gap != ". ";
            MAKE_ANOTHER.contains(&before.text) || is_part && !SAME_NAME.contains(&before.text)
        }
        "-" => MAKE_ANOTHER.contains(&before.text) || DOUBLE_NAMES.contains(&before.text),
        _ => false,
    }
}

/// Returns true if a name is the first part of a double name.
pub(super) fn is_double_name(name: &Piece, next: &Piece) -> bool {
    next.gap == "-" && next.is_capital && next.class == Class::Word && DOUBLE_NAMES.contains(&name.text)
}

/// Returns true if the piece before a name says that it is a place.
pub(super) fn is_before_place(before: &Piece) -> bool {
    !before.is_capital && TO_A_PLACE.contains(&before.text)
}
