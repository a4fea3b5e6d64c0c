//! What is taken out and what is left in. Keys are put together at run time: no file here may look like a leak.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::{Class, redact, redact_json};
use Class::{ApiKey, ConnectionString, Password, PrivateKey, Token};

pub(super) const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(super) const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Characters as a key's are: the same on every run, in no order.
pub(super) fn random(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        letters[(state >> 16) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

/// Asserts that `secret`, put in place of `{}`, is replaced by the class's marker, and nothing else changes.
#[track_caller]
fn assert_taken_out(sentence: &str, secret: &str, class: Class) {
    let text = sentence.replace("{}", secret);
    let expected = sentence.replace("{}", class.marker());
    assert_eq!(redact(&text), expected, "in {text:?}");
    assert_eq!(redact(&expected), expected, "twice, in {text:?}");
}

#[test]
fn c6_keys_of_known_shape_are_taken_out() {
    let shapes = [
        ("sk", "-", MIXED, 48, ApiKey),
        ("sk-p", "roj-", MIXED, 120, ApiKey),
        ("sk-s", "vcacct-", MIXED, 120, ApiKey),
        ("sk-a", "nt-api03-", MIXED, 95, ApiKey),
        ("sk-o", "r-v1-", HEX, 64, ApiKey),
        ("AK", "IA", UPPER, 16, ApiKey),
        ("AS", "IA", UPPER, 16, ApiKey),
        ("AI", "za", MIXED, 35, ApiKey),
        ("GOC", "SPX-", MIXED, 28, ApiKey),
        ("ya", "29.", MIXED, 60, Token),
        ("gh", "p_", MIXED, 36, Token),
        ("gh", "o_", MIXED, 36, Token),
        ("gh", "s_", MIXED, 36, Token),
        ("gh", "u_", MIXED, 36, Token),
        ("github", "_pat_", MIXED, 82, Token),
        ("gl", "pat-", MIXED, 20, Token),
        ("xo", "xb-", MIXED, 40, Token),
        ("xo", "xp-", MIXED, 40, Token),
        ("xa", "pp-1-", MIXED, 40, Token),
        ("sk", "_live_", MIXED, 24, ApiKey),
        ("rk", "_live_", MIXED, 24, ApiKey),
        ("sk", "_test_", MIXED, 24, ApiKey),
        ("wh", "sec_", MIXED, 32, ApiKey),
        ("h", "f_", MIXED, 34, Token),
        ("np", "m_", MIXED, 36, Token),
        ("py", "pi-AgEIcHlwaS5vcmc", MIXED, 90, Token),
        ("S", "K", HEX, 32, ApiKey),
        ("dop", "_v1_", HEX, 64, Token),
        ("gs", "k_", MIXED, 52, ApiKey),
        ("dckr", "_pat_", MIXED, 27, Token),
        ("hv", "s.", MIXED, 90, Token),
        ("shp", "at_", HEX, 32, Token),
        ("nv", "api-", MIXED, 64, ApiKey),
        ("AGE-SEC", "RET-KEY-1", UPPER, 58, PrivateKey),
    ];
    for (head, tail, alphabet, length, class) in shapes {
        let secret = format!("{head}{tail}{}", random(alphabet, length));
        for sentence in [
            "{}",
            "use {}, it is fresh",
            "(see \"{}\").",
            "a\\n{}\\nb",
            "新的：{}。",
            "https://x.io/?a=1&b={}&c=2",
        ] {
            assert_taken_out(sentence, &secret, class);
        }
    }
}

#[test]
fn c6_keys_of_several_parts_are_taken_out() {
    let jwt = format!("ey{}{}.ey{}{}.{}", "J", random(MIXED, 30), "J", random(MIXED, 60), random(MIXED, 43));
    let sendgrid = format!("S{}{}.{}", "G.", random(MIXED, 22), random(MIXED, 43));
    let telegram = format!("{}:A{}{}", "7349218650", "A", random(MIXED, 33));
    let aws = format!("AK{}{}", "IA", random(UPPER, 16));
    let pair = format!("{aws} / {}", random(MIXED, 40));
    assert_taken_out("signed in with {}.", &jwt, Token);
    assert_taken_out("mail key {} works", &sendgrid, ApiKey);
    assert_taken_out("bot {} answers", &telegram, Token);
    assert_taken_out("https://api.telegram.org/bot{}/getMe", &telegram, Token);
    assert_taken_out("keys: {}", &pair, ApiKey);
    assert_taken_out(
        "https://hooks.slack.com/services/{}",
        &format!("T{0}/B{0}/{0}", random(UPPER, 9)),
        Token,
    );
    assert_taken_out(
        "https://discord.com/api/webhooks/{}",
        &format!("112233445566778899/{}", random(MIXED, 68)),
        Token,
    );
}

#[test]
fn c6_private_keys_are_taken_out_whole_or_cut_off() {
    let dashes = "-".repeat(5);
    let lines = format!("{}\n{}\n{}", random(MIXED, 64), random(MIXED, 64), "q1w2e3==");
    for kind in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let begin = format!("{dashes}BEGIN {kind}{dashes}");
        let end = format!("{dashes}END {kind}{dashes}");
        assert_taken_out("here:\n{}\nthanks", &format!("{begin}\n{lines}\n{end}"), PrivateKey);
        assert_taken_out("here:\n{}\nthanks a lot", &format!("{begin}\n{lines}"), PrivateKey);
        assert_taken_out(
            "{\"pem\": \"{}\"}",
            &format!("{begin}\n{lines}\n{end}").replace('\n', "\\n"),
            PrivateKey,
        );
        assert_taken_out(
            "one line {} ok",
            &format!("{begin} {} {end}", lines.replace('\n', " ")),
            PrivateKey,
        );
        assert_taken_out(
            "{}",
            &format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n{lines}"),
            PrivateKey,
        );
    }
    let putty = format!("Private{}14\n{lines}", "-Lines: ");
    assert_taken_out("PuTTY\n{}\nPrivate-MAC: 00", &putty, PrivateKey);
}

#[test]
fn c6_passwords_in_urls_and_connection_strings_are_taken_out() {
    let cases = [
        ("postgres://ana:{}@host/db", "s3cret", Password),
        ("DATABASE_URL=postgresql://ana:{}@10.0.0.7:5432/app?sslmode=require", "p%40ss", Password),
        ("redis://:{}@cache.internal:6379/0", "hunter2", Password),
        ("mongodb+srv://ana:{}@cluster0.ab1cd.mongodb.net/?w=majority", "letmein", Password),
        ("amqp://guest:{}@rabbit:5672/%2f", "guest", Password),
        ("git clone https://ana:{}@git.example.com/a/b.git", "hunter2", Password),
        ("see <https://ana:{}@example.com/path>.", "hunter2", Password),
        ("mysql://root:{}@db:3306", "p@ss:w0rd", Password),
        ("ftp://ana:{}@host", "a/b#c", Password),
        ("jdbc:postgresql://host/db?user=ana&password={}&ssl=true", "hunter2", Password),
        ("Server=tcp:db,1433;Database=app;User Id=ana;Password={};Encrypt=True", "hun;ter2", Password),
        ("Data Source=db;Pwd={};Timeout=5", "sunshine", Password),
        ("host=db user=ana password={} dbname=app", "sunshine", Password),
        (
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=b",
            "q1W2e3R4t5Y6u7I8o9P0==",
            ConnectionString,
        ),
        (
            "Endpoint=sb://a.b/;SharedAccessKeyName=root;SharedAccessKey={}",
            "q1W2e3R4t5Y6u7I8o9P0==",
            ConnectionString,
        ),
    ];
    for (sentence, secret, class) in cases {
        assert_taken_out(sentence, secret, class);
    }
    let token = random(MIXED, 40);
    assert_taken_out("https://{}@git.example.com/a.git", &token, Token);
    assert_taken_out("https://a.blob.core.windows.net/c?sv=2022&sig={}", &format!("{token}%3D"), Token);
}

#[test]
fn c6_headers_and_commands_are_cleaned() {
    let token = random(MIXED, 32);
    let cases = [
        ("Authorization: Bearer {}", Token),
        ("authorization: bearer {}\r\nHost: a", Token),
        ("curl -H \"Authorization: Bearer {}\" https://a.b", Token),
        ("curl -H 'Authorization: Basic {}' https://a.b", Token),
        ("Authorization: Token {}", Token),
        ("Proxy-Authorization: Basic {}", Token),
        ("{\"Authorization\": \"Bearer {}\"}", Token),
        ("{\\\"authorization\\\":\\\"Bearer {}\\\"}", Token),
        ("it answered 401 to Bearer {} again", Token),
        ("X-Api-Key: {}", ApiKey),
        ("-H 'x-api-key: {}'", ApiKey),
        ("X-Auth-Token: {}", Token),
        ("Cookie: session={}", Token),
        ("tool --token {} --verbose", Token),
        ("tool --api-key={} run", ApiKey),
        ("https://a.b/c?access_token={}&x=1", Token),
        ("GET /v1?api_key={} HTTP/1.1", ApiKey),
    ];
    for (sentence, class) in cases {
        let secret = if sentence.starts_with("Cookie") {
            format!("session={token}; theme=dark")
        } else {
            token.clone()
        };
        assert_taken_out(&sentence.replace("session={}", "{}"), &secret, class);
    }
    assert_taken_out("mysql --password {} -h db", "sunshine", Password);
    assert_taken_out("mysql --password={} -h db", "sunshine", Password);
    assert_taken_out("curl -s -u ana:{} https://a.b", "sunshine", Password);
    assert_taken_out("curl --user 'ana:{}' https://a.b", "sunshine", Password);
    assert_taken_out("Connect-Db -Password {} -Port 5", "sunshine", Password);
}

#[test]
fn c6_values_under_a_secrets_name_are_taken_out() {
    let long = random(MIXED, 40);
    let machine = [
        ("FOO_API_KEY={}", ApiKey),
        ("export SECRET_TOKEN=\"{}\"", Token),
        ("\"client_secret\": \"{}\"", ApiKey),
        ("{\\\"client_secret\\\": \\\"{}\\\"}", ApiKey),
        ("aws_secret_access_key = {}", ApiKey),
        ("AWS secret access key: {}", ApiKey),
        ("apiKey: '{}',", ApiKey),
        ("const accessToken = `{}`;", Token),
        ("os.environ[\"OPENAI_API_KEY\"] = \"{}\"", ApiKey),
        ("my OpenAI API key is {}, keep it", ApiKey),
        ("the token is {}", Token),
        ("API key for the staging cluster: {}", ApiKey),
        ("STRIPE_KEY={}", ApiKey),
        ("PrivateKey = {}", PrivateKey),
        ("- name: API_TOKEN\n  value: {}", Token),
        ("<add key=\"ApiKey\" value=\"{}\" />", ApiKey),
        ("<apiKey>{}</apiKey>", ApiKey),
        ("secret {} for signing", ApiKey),
    ];
    for (sentence, class) in machine {
        assert_taken_out(sentence, &long, class);
    }
    let words = [
        ("DB_PASSWORD={}", "sunshine"),
        ("PGPASSWORD={} psql", "sunshine"),
        ("POSTGRES_PASSWORD={}", "mysecretpassword"),
        ("export DB_PASS='{}'", "it is mine"),
        ("\"password\": \"{}\",", "x"),
        ("'dbPassword' => '{}'", "sunshine"),
        ("password = \"{}\"", "$ecret1"),
        ("pwd={}", "abc"),
        ("user=ana&password={}&next=1", "sunshine"),
        ("{user: ana, password: {}}", "hunter2"),
        ("<password>{}</password>", "sunshine"),
        ("**Password:** {}", "hunter2"),
        ("**Password**: `{}`", "hunter2"),
        ("| password | {} |", "hunter2"),
        ("Username: ana\nPassword:\n{}\n", "hunter2"),
        ("machine a.b login ana password {}", "hunter2"),
        ("DB_PASSWORD=\"{}\"", "correct horse battery staple"),
        ("body: password%3D{}", "hunter2"),
    ];
    for (sentence, secret) in words {
        assert_taken_out(sentence, secret, Password);
    }
}

#[test]
fn c6_spoken_passwords_are_taken_out() {
    let cases = [
        ("my wifi password is {}", "hunter2"),
        ("My password is {}.", "sunshine"),
        ("the password for the NAS: {}", "S3cret!"),
        ("the password to my e-mail account is now {}, ok?", "Gr33nTea"),
        ("Password: {}", "hunter2"),
        ("password - {}", "hunter2"),
        ("the password's {}", "hunter2"),
        ("passcode is {}", "482913"),
        ("my phone's passcode is {}", "4829"),
        ("my card's PIN is {}", "4829"),
        ("pwd: {}", "qwerty"),
        ("pw: {}", "abc12345"),
        ("user ana, pass: {}", "abc12345"),
        ("use the passphrase '{}'", "correct horse battery staple"),
        ("the passphrase is {}.", "correct horse battery staple"),
        ("my password is \"{}\"", "open sesame"),
        ("my password is “{}”", "open sesame"),
        ("password was {} but I changed it", "tinkerbell"),
        ("I changed my password to {}", "sunflower"),
        ("set the router password to {} please", "Blue42Sky"),
        ("log in with password {} then", "hunter2"),
        ("the wifi password at grandma's house is {}", "hunter2"),
        ("the password (guest network) is {}", "hunter2"),
        ("{} is my wifi password", "hunter2!x"),
        ("use {} as the password", "hunter2!x"),
        ("my password is {} and my account is 123456789012", "hunter2"),
        ("password is actually {}", "hunter2"),
        ("the password is: {}", "hunter2"),
        ("login with admin / {}", "S3cret!pw"),
        ("credentials: ana:{}", "S3cret!pw"),
        ("my password is {}", "correct-horse-battery"),
        ("my passwords are {}.", "alpha1, beta22 and gamma333"),
    ];
    for (sentence, secret) in cases {
        assert_taken_out(sentence, secret, Password);
    }
    let seed = "apple brave cactus dolphin ember falcon guitar helmet island jungle kitten lemon";
    assert_taken_out("my seed phrase is {}", seed, PrivateKey);
}

#[test]
fn c6_passwords_in_other_languages_are_taken_out() {
    let cases = [
        ("我的密码是{}", "hunter2"),
        ("WiFi密码：{}，别告诉别人", "abc12345"),
        ("密码: {}", "123456"),
        ("密码改成了{}", "abc12345"),
        ("密碼是 {}。", "abc12345"),
        ("口令：{}", "abc12345"),
        ("密码是“{}”", "芝麻开门"),
        ("Wi-Fiのパスワードは{}です", "abc12345"),
        ("パスワード：{}", "abc12345"),
        ("パスワードは「{}」です", "abc12345"),
        ("와이파이 비밀번호는 {}입니다", "abc12345"),
        ("비밀번호: {}", "abc12345"),
        ("비번은 {}", "abc12345"),
        ("Mein Passwort ist {}.", "Geheim123"),
        ("Das WLAN-Passwort lautet {}", "Geheim123"),
        ("Passwort: {}", "geheim"),
        ("Kennwort für den Router ist {}", "Geheim123"),
        ("Le mot de passe est {}", "Soleil2024!"),
        ("mot de passe : {}", "soleil99"),
        ("le mot de passe du wifi est {}", "Soleil2024"),
        ("La contraseña es {}", "Patata123"),
        ("contraseña del wifi: {}", "patata"),
        ("La contraseña del wifi es {}", "Patata123"),
        ("A senha é {}", "Abacate9"),
        ("senha do wifi: {}", "abacate"),
        ("la password è {}", "Ciao1234"),
        ("het wachtwoord is {}", "Fiets123"),
        ("пароль: {}", "qwerty12"),
    ];
    for (sentence, secret) in cases {
        assert_taken_out(sentence, secret, Password);
    }
}

#[test]
fn c6_identifiers_and_plain_speech_are_kept() {
    let cases = [
        // Talk about secrets.
        "the password is on the sticky note",
        "The password is on the fridge, next to the calendar.",
        "I forgot my password",
        "password is required",
        "Password: required",
        "the password is wrong",
        "your password is too short",
        "password is incorrect, please try again",
        "my password is expired.",
        "my password is compromised",
        "the password is case-sensitive",
        "the password is 12 characters long",
        "a password is 8-16 characters",
        "password: 8+ characters, one digit",
        "password must be at least 8 characters",
        "the password is hashed with SHA-256",
        "password is SHA256",
        "password SHA-256 hashing",
        "the password is the same as before",
        "the password is your birthday",
        "is the password still the same?",
        "password manager: 1Password",
        "1Password is great",
        "password reset link: https://example.com/reset",
        "the password is at https://vault.example.com/item/12",
        "change password: Settings > Security",
        "what is the wifi password?",
        "Forgot password? Call +49 30 1234567",
        "password hint: my first dog",
        "passwords are evil",
        "reset token expired",
        "token budget is 2,500 tokens",
        "the token is invalid",
        "max_tokens=4096",
        "token_count: 123456",
        "tokens: 128000",
        "token: 3200",
        "the secret is patience",
        "secret: butter, lots of it",
        "the secret ingredient is MSG123",
        "the key is under the mat",
        "primary_key=9f8a7b6c5d4e3f2a1b0c",
        "the API key is missing",
        "rotate the API key every 90 days",
        "bearer of bad news",
        "Authorization: required",
        "Authorization: Bearer <token>",
        "Basic understanding of maths",
        "cookie: chocolate chip",
        "boarding pass: gate B12",
        "pass: 12, fail: 3",
        "compass: N42E",
        "the pin is 1200 miles away",
        "pin code 560001",
        "PIN: 560001",
        "sign in with Google / GitHub",
        "log in at 10:30 / 11:30",
        "docker run -u 1000:1000 alpine",
        // Identifiers.
        "AWS account 123456789012",
        "my AWS account number is 123456789012",
        "arn:aws:iam::123456789012:role/admin",
        "order number 8841-2293-11",
        "call me at +1 (555) 010-9999",
        "IBAN DE89 3704 0044 0532 0130 01",
        "write to ana.perez+news@example.com",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "https://example.com/a/b?page=2#top",
        "https://example.com:8443/@ana",
        "http://localhost:8080/x@y",
        "ssh://git@github.com/a/b.git",
        "git@github.com:a/b.git",
        "10.0.0.7 and fe80::1",
        "session_id: 550e8400-e29b-41d4-a716-446655440000",
        "key id: 9f8a7b6c5d4e3f2a",
        "case number: ABC1234567890",
        "model: gpt-4o-mini-2024-07-18",
        // Beginnings without a key.
        "sk-learn and task-list, risk-free",
        "sk-learn-contrib-is-a-long-package-name",
        "AKIA is how such keys begin",
        "ASIA PACIFIC",
        "a token begins with ghp_ or github_pat_",
        "hf_hub_download(repo_id)",
        "npm_config_registry=https://registry.npmjs.org",
        "xoxb- tokens",
        "eyJ is base64 for an open brace",
        "a PEM begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        // Code and configuration that point to a secret.
        "password: String,",
        "password?: string;",
        "token: Token::Ident,",
        "let token = lexer.next_token();",
        "password=password, token=token",
        "password = getpass.getpass()",
        "password = None",
        "password = user_password",
        "DB_PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD:-}",
        "password: {{ vault_password }}",
        "password: <your password>",
        "API_KEY=YOUR_API_KEY",
        "apiKey: process.env.OPENAI_API_KEY",
        "api_key=os.environ[\"OPENAI_API_KEY\"]",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: ********",
        "password: !secret wifi_password",
        "password:\n  secretKeyRef:\n    name: db",
        "PWD=/home/ana/src",
        "postgres://ana:${PASSWORD}@host/db",
        "postgres://ana:***@host/db",
        "\"password\": {\"type\": \"string\", \"minLength\": 8}",
        "password VARCHAR(255) NOT NULL",
        "password: z.string().min(8)",
        "if (password != confirm) return",
        "password_hash: 5f4dcc3b5aa765d61d8327deb882cf99",
        "<label>Password</label><input type=\"password\">",
        // Other languages.
        "密码是多少？",
        "密码错误",
        "密码是8位数字",
        "密码长度为12",
        "パスワードは8文字以上です",
        "パスワードは必須です",
        "パスワードはGmailと同じです",
        "비밀번호는 8자 이상",
        "비밀번호를 잊어버렸어요",
        "Das Passwort ist falsch",
        "Das Passwort ist auf dem Zettel",
        "Passwort: erforderlich",
        "Le mot de passe est incorrect",
        "j'ai oublié mon mot de passe",
        "La contraseña es incorrecta",
        "A senha é obrigatória",
    ];
    for text in cases {
        assert!(
            matches!(redact(text), Cow::Borrowed(same) if same == text),
            "{text:?} became {:?}",
            redact(text)
        );
    }
}

#[test]
fn c6_json_is_redacted_in_its_strings_its_names_and_under_names_of_secrets() {
    let key = format!("gh{}{}", "p_", random(MIXED, 36));
    let mut value = json!({
        "text": format!("use {key}"),
        "nested": [{"note": "my password is hunter2"}, 7, null],
        "password": "x y z", "api_key": "plain", "clientSecret": "plain", "Authorization": "Bearer plain",
        "DB_PASS": "plain", "passwords": ["one", "two"], "pin": 4829, "passcode": 4829, "密码": "芝麻开门",
        "token": "", "max_tokens": 4096, "tokens": "12", "token_type": "Bearer", "pwd": "/home/ana", "compass": "north",
        "key": "value", "public_key": "ssh-ed25519", "session_id": "550e8400-e29b-41d4-a716-446655440000",
        "account": "123456789012",
        key.as_str(): 1, format!("{key}x"): 2,
    });
    redact_json(&mut value);
    let expected = json!({
        "text": "use [redacted:token]",
        "nested": [{"note": "my password is [redacted:password]"}, 7, null],
        "password": "[redacted:password]", "api_key": "[redacted:api-key]", "clientSecret": "[redacted:api-key]",
        "Authorization": "[redacted:token]", "DB_PASS": "[redacted:password]",
        "passwords": ["[redacted:password]", "[redacted:password]"], "pin": 4829, "passcode": "[redacted:password]",
        "密码": "[redacted:password]",
        "token": "", "max_tokens": 4096, "tokens": "12", "token_type": "Bearer", "pwd": "/home/ana", "compass": "north",
        "key": "value", "public_key": "ssh-ed25519", "session_id": "550e8400-e29b-41d4-a716-446655440000",
        "account": "123456789012",
        "[redacted:token]": 1, "[redacted:token]+22": 2,
    });
    assert_eq!(value, expected);
    redact_json(&mut value);
    assert_eq!(value, expected, "twice");
}

#[test]
fn c6_a_long_secret_is_taken_out_to_its_end() {
    let long = random(MIXED, 5000);
    for sentence in [
        "token={}",
        "Authorization: Token {}",
        "Authorization: Bearer {}",
        "Cookie: a={}",
        "curl -u ana:{} ",
        "login: ana / {}",
        "sshpass -p {} ssh",
    ] {
        let clean = redact(&sentence.replace("{}", &long)).into_owned();
        assert!(!clean.contains(long.split_at(4900).1), "{sentence}");
    }
}

#[test]
fn c6_two_secrets_in_each_others_reach_are_both_taken_out() {
    let key = format!("gh{}{}", "p_", random(MIXED, 36));
    assert_eq!(
        redact(&format!("the password for https://ana:s3cret@host ({key}) is hunter2")),
        "the password for https://ana:[redacted:password]@host ([redacted:token]) is [redacted:password]"
    );
    assert_eq!(redact(&format!("password={key}")), "password=[redacted:password]");
    assert_eq!(redact(&format!("{key},{key}")), "[redacted:token],[redacted:token]");
}

#[test]
fn c6_a_hostile_megabyte_costs_little() {
    let pieces = [
        "password=",
        "password=://",
        "a://b:c@password=",
        "sk-ant-",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "cookie: a=",
        "authorization: digest a=",
        "password for ",
        "set password to ",
        "is my password ",
        "passwords are a1b2c3, ",
        "[redacted:",
        "密码",
        "it's ",
        "login a / ",
        "mysql -p ",
        "curl -u a:'",
        "the code of ",
        "DE89 3704 ",
        "4111 1111 ",
        "twilio key ",
        "echo | sudo -S",
    ];
    let whole = ["0123456789", "password ", "a://b:", "\"", "'", "4", "`", "password\n"];
    let texts = pieces.iter().map(|piece| piece.repeat(250_000 / piece.len()));
    let megabytes = whole.iter().map(|piece| piece.repeat(1_000_000 / piece.len()));
    let mixed = pieces.concat();
    for text in texts.chain(megabytes).chain([mixed.repeat(1_000_000 / mixed.len())]) {
        let start = Instant::now();
        let _ = redact(&text);
        let _ = super::redact_after(&["what is the password?"], &text);
        let _ = super::asks(&text);
        // Linear work takes a few seconds at most without optimization; the square of it would take minutes.
        let took = start.elapsed();
        assert!(took < Duration::from_secs(30), "{} bytes took {took:?}: {:.40}", text.len(), text);
    }
}

/// Text made of what the rules look for, so that they meet in every order.
fn entangled() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("password"),
        Just("passwords"),
        Just("Passwort"),
        Just("passphrase"),
        Just("pin"),
        Just("pw"),
        Just("token"),
        Just("secret"),
        Just("api_key"),
        Just("API key"),
        Just("密码"),
        Just("パスワード"),
        Just("key"),
        Just("DB_PASSWORD"),
        Just("--password"),
        Just("authorization"),
        Just("cookie"),
        Just("bearer "),
        Just("login"),
        Just("curl"),
        Just(" -u "),
        Just("://"),
        Just("https://ana:"),
        Just("@host"),
        Just(":AA"),
        Just("1234567890"),
        Just("is"),
        Just(" is "),
        Just("my "),
        Just(" for the "),
        Just(" to "),
        Just("是"),
        Just("は"),
        Just("="),
        Just(":"),
        Just(": "),
        Just(" - "),
        Just("'s "),
        Just("\""),
        Just("'"),
        Just("`"),
        Just("\\n"),
        Just("\n"),
        Just(" "),
        Just(", "),
        Just(";"),
        Just("&a="),
        Just("("),
        Just(")"),
        Just("["),
        Just("]"),
        Just("<"),
        Just("</"),
        Just(">"),
        Just("**"),
        Just("hunter2"),
        Just("sunshine"),
        Just("S3cret!"),
        Just("correct horse battery staple"),
        Just("48291"),
        Just("A1b2C3d4E5f6G7h8I9j0K1l2"),
        Just("0123456789abcdef0123456789abcdef"),
        Just("sk-"),
        Just("sk-ant-"),
        Just("ghp_"),
        Just("AKIA"),
        Just("ABCDEFGHIJKLMNOP"),
        Just("eyJ"),
        Just("."),
        Just("SK"),
        Just("-----BEGIN PRIVATE KEY-----"),
        Just("-----END PRIVATE KEY-----"),
        Just("[redacted:password]"),
        Just("[redacted:"),
        Just("value="),
        Just("set "),
        Just(" and "),
        Just("é"),
        Just("%3D"),
    ];
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn c6_what_a_marker_parts_is_looked_through_again() {
    let text = "密码A1b2C3d4E5f6G7h8I9j0K1l2bearer bearer =passwordpasswordS3cret!";
    let once = redact(text).into_owned();
    assert!(once.contains("[redacted:") && !once.contains("S3cret"), "{once}");
    assert_eq!(redact(&once), once.as_str());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn c6_redacting_twice_changes_nothing(text in entangled()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str(), "from {:?}", text);
    }

    #[test]
    fn c6_any_text_at_all_is_survived(text in any::<String>(), more in "\\PC{0,40}") {
        let _ = redact(&text);
        let _ = redact(&format!("{text} password: {more}"));
    }

    #[test]
    fn c6_text_without_secrets_is_borrowed(
        words in prop::collection::vec("[a-z]{1,9}|[0-9]{12}|[0-9a-f]{40}|\\+[0-9]{11}|Q[B-Z][0-9]{20}|[a-z]{3}@[a-z]{4}\\.com|[A-Z]{3}-[0-9]{4}", 0..30)
    ) {
        let names = ["pin", "pw", "pass", "clave", "mdp", "key", "token", "secret", "senha", "pwd", "psw", "puk", "otp", "cvv", "cvc", "psk", "ww", "tan", "2fa"];
        let text = words.into_iter().filter(|word| !names.iter().any(|name| word.contains(name))).collect::<Vec<_>>().join(" ");
        prop_assert!(matches!(redact(&text), Cow::Borrowed(same) if same == text), "{:?}", text);
    }

    #[test]
    fn c6_any_made_up_password_is_taken_out_of_any_sentence(
        // Without vowels no word of it names a secret, as "kod" does.
        lead in "[b-df-hj-n ]{0,20}",
        whose in prop_oneof![Just("my password"), Just("The wifi password"), Just("password for the old NAS"), Just("their passcode"), Just("Passwort")],
        link in prop_oneof![Just(" is "), Just(": "), Just("="), Just(" is now "), Just(" was ")],
        head in "[A-Za-z]{2,8}", digits in "[0-9]{1,4}", tail in "[A-Za-z!#$%^*+]{2,8}",
        end in prop_oneof![Just(""), Just("."), Just(", ok"), Just(" thanks"), Just("\nnext line")],
    ) {
        let secret = format!("{head}{digits}{tail}");
        let clean = redact(&format!("{lead}. {whose}{link}{secret}{end}")).into_owned();
        prop_assert_eq!(clean, format!("{lead}. {whose}{link}[redacted:password]{end}"));
    }

    #[test]
    fn c6_any_key_is_taken_out_of_any_text(lead in "\\PC{0,20}", body in "[A-Za-z0-9]{30}[a-z][A-Z][0-9]", end in "[ ,;\n]\\PC{0,20}") {
        let secret = format!("gh{}{body}", "p_");
        let clean = redact(&format!("{lead} {secret}{end}")).into_owned();
        prop_assert!(!clean.contains(&body), "{:?}", clean);
    }
}
