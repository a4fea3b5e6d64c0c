//! Which keys and codes open something: "API key" and "door code", not "primary key" and "error code".

use super::Class;
use super::reading::{leading, skip_blanks, trailing};
use crate::word_list::WordList;
use Class::{ApiKey, ConnectionString, Password, PrivateKey};

/// What makes a key a secret: how the word before it ends. The "fi" is wifi's.
const SECRET_KEYS: &[(Class, &str)] = &[
    (ConnectionString, "sharedaccess account"),
    (PrivateKey, "private"),
    (Password, "recovery preshared pre-shared wlan wep hotspot fi wpa wpa2 network"),
    (
        ApiKey,
        "api access secret auth signing encryption decryption master deploy license webhook subscription admin",
    ),
];

/// Keys that environment variables hold and that open nothing.
static OPEN_KEYS: WordList = WordList::new(
    "public primary foreign cache sort partition idempotency object row dedup hash index unique composite lookup \
     document record message routing shard range group order redis natural surrogate candidate bucket file host \
     answer map dictionary json",
);

/// The least length of what a variable holds whose name says little: `OPENAI_KEY`.
pub(super) const LONG: usize = 20;

/// The class of a key by the word before it, and the least length of what it holds.
pub(super) fn key(before: &str, prefix: &str, capital: bool) -> Option<(Class, usize)> {
    let apart = before.strip_suffix([' ', '_', '-']).unwrap_or(before);
    let word = trailing(apart, 24, char::is_alphanumeric).to_lowercase();
    let ends = |kinds: &str| kinds.split(' ').any(|kind| word.ends_with(kind));
    if let Some((class, _)) = SECRET_KEYS.iter().find(|(_, kinds)| ends(kinds)) {
        return Some((*class, 6));
    }
    if names_network(before) {
        return Some((Password, 6));
    }
    if prefix.is_empty()
        && ["here's the ", "here is the ", "here’s the "].iter().any(|lead| ends_with(before, lead))
    {
        return Some((ApiKey, LONG));
    }
    let begins = before.is_empty() || before.ends_with('\n');
    if prefix.is_empty() && (begins || matches!(word.as_str(), "my" | "our" | "your")) {
        return Some((ApiKey, LONG));
    }
    let service = prefix.is_empty() && before.ends_with(' ') && word.len() > 1 && !OPEN_KEYS.contains(&word);
    if service {
        return Some((ApiKey, LONG));
    }
    let variable = capital && prefix.ends_with('_') && !OPEN_KEYS.contains(&word);
    variable.then_some((ApiKey, LONG))
}

fn ends_with(text: &str, end: &str) -> bool {
    trailing(text, end.len(), |_| true).eq_ignore_ascii_case(end)
}

/// "SSID Birdhouse, key …"
fn names_network(before: &str) -> bool {
    let clause = trailing(before, 48, |c| c != '.').to_ascii_lowercase();
    ["ssid", "wifi", "wi-fi", "wlan", "network:", "network is", "network's", "network called"]
        .iter()
        .any(|name| clause.contains(name))
}

/// What makes a code a secret when it stands right before it, whole or as the first part of a compound.
static BEFORE_CODE: WordList = WordList::new(
    "door gate alarm safe garage entry access security verification unlock lock lockbox keybox login log-in sign-in keypad \
     building house elevator lift passcode box luggage ipad iphone phone tablet laptop screen 3-digit three-digit \
     4-digit 6-digit six-digit four-digit authentication authenticator auth sms otp one-time 2fa mfa tfa \
     two-factor backup kit scratch emergency printable \
     recovery rescue single-use secret vault locker suitcase padlock bike gym lobby disarm arming entrance shed apartment flat parking \
     puk cvv cvc verify wifi wi-fi \
     tür haustür zugangs sicherheits bestätigungs alarm zahlen tresor entsperr schloss einmal \
     d'accès secret porte portail immeuble deur toegangs beveiligings poort \
     kapı güvenlik doğrulama giriş alarm kasa onay",
);

/// The same when it stands behind it: "code for the front door", "codice del cancello".
static BEHIND_CODE: WordList = WordList::new(
    "door doors gate alarm safe garage entrance building house lockbox keybox lock padlock bike suitcase locker phone iphone \
     ipad tablet wifi wi-fi keypad elevator lobby shed apartment flat airbnb vault card security accès acces sécurité securite \
     portail porte porche immeuble coffre garage alarme parking entrée digicode vérification puerta portal portón porton \
     alarma caja fuerte seguridad acceso garaje verificación cancello porta portone cassaforte allarme sicurezza accesso \
     verifica portão portao cofre alarme segurança acesso prédio garagem verificação bramy drzwi sejfu alarmu garażu \
     furtki dostępu klatki domofonu домофона подъезда двери сейфа ворот калитки доступа карты подтверждения сигнализации \
     tür haustür tor tresor safe alarmanlage garage schloss eingang kluis deur poort \
     смс смска storage unit mailbox cabin cottage hotel hostel office barn pool server box luggage terrace phone's laptop \
     retour back",
);

/// Returns true if this code opens something, by the words beside it.
pub(super) fn code_opens(before: &str, after: &str) -> bool {
    let apart = before.strip_suffix([' ', '-', '_']).unwrap_or(before);
    let word = trailing(apart, 32, |c| c.is_alphanumeric() || matches!(c, '-' | '\'')).to_lowercase();
    let attached = apart.len() == before.len();
    let is_before = BEFORE_CODE.contains(&word)
        || word.rsplit('-').next().is_some_and(|last| BEFORE_CODE.contains(last))
        || attached
            && word.len() > 4
            && BEFORE_CODE.iter().any(|kind| kind.len() > 3 && word.ends_with(kind));
    is_before || behind_opens(after) || said_before(before)
}

/// Returns true if the clause before names what the code opens: "the alarm has the code …".
fn said_before(before: &str) -> bool {
    let clause = trailing(before, 40, |c| !matches!(c, '\n' | '.' | '!' | '?' | ';'));
    clause.split([' ', ',', ':']).any(|word| word.len() > 3 && BEHIND_CODE.contains(&word.to_lowercase()))
}

/// What a code is called that opens nothing.
static OPEN_CODES: WordList = WordList::new(
    "error exit status zip postal post area country product promo discount coupon dress source bar qr color colour hex sort \
     swift bank http return response item article order iso language currency airport booking reference ref tax hs icd genetic \
     morse penal civil building voucher gift referral dial dialing city region store stock model part sku lot batch serial \
     flight train course class cost ticker vendor supplier station plant category paint fabric cheat invite invitation team \
     machine byte dead this python rust java javascript c legacy clean open example sample vs \
     fehler länder post steuer artikel postal fiscale pocztowy почтовый posta ülke",
);

/// Returns true if the word before says that the code opens nothing.
pub(super) fn code_is_open(before: &str) -> bool {
    let apart = before.strip_suffix([' ', '-', '_']).unwrap_or(before);
    let word = trailing(apart, 32, char::is_alphanumeric).to_lowercase();
    let attached = apart.len() == before.len() && !word.is_empty();
    let mut said = trailing(before, 40, |c| !matches!(c, '\n' | '.' | '!' | '?'))
        .split_whitespace()
        .map(str::to_lowercase);
    attached || OPEN_CODES.contains(&word) || said.any(|word| OPEN_CODES.contains(&word))
}

/// Returns true if one of the next few words is something that a code opens.
fn behind_opens(after: &str) -> bool {
    let clause = leading(skip_blanks(after), 48, |c| !matches!(c, '\n' | '.' | '!' | '?' | ':' | '='));
    let words = clause.split([' ', '\'', '’']).take(5).map(str::to_lowercase);
    let mut words =
        words.take_while(|word| !matches!(word.as_str(), "is" | "ist" | "est" | "es" | "è" | "é"));
    words.any(|word| BEHIND_CODE.contains(word.trim_matches(|c: char| !c.is_alphanumeric())))
}
