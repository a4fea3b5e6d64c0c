//! docs/embedding.md is run: its recipes in Python and TypeScript, with a model that shows what it was given.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{BINARY, Home, Ran};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The recipe of a language, as the page has it.
fn recipe(language: &str) -> String {
    let page = std::fs::read_to_string(root().join("docs/embedding.md")).unwrap();
    let block = page.split(&format!("```{language}\n")).nth(1).unwrap_or_else(|| panic!("no {language}"));
    block.split("```").next().unwrap().to_owned()
}

/// A program on the path of the tests, or the reason to leave a test out.
fn has(program: &Path) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !found {
        eprintln!("skipped: {} does not run here", program.display());
    }
    found
}

/// Runs a script in which the recipe is used, with the binary on the path.
fn run(home: &Home, program: &str, script: &str) -> String {
    let folder = Path::new(BINARY).parent().unwrap().display();
    let mut command = home.bare(program);
    Ran::of(command.env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin")).arg(script)).ok()
}

/// Both recipes do the same: the second turn is given what the first one said, and no tag is seen.
fn holds(home: &Home, printed: &str) {
    let lines: Vec<&str> = printed.lines().collect();
    let [first, second, failed] = lines.as_slice() else { panic!("{printed}") };
    assert_eq!(*first, "Lovely.", "the reply comes back without its tags");
    assert_eq!(*second, "seen");
    assert!(failed.contains("not a chat id"), "{failed}");
    let texts = home.texts();
    assert_eq!(texts[..2], ["I play the oboe.", "Lovely."], "{texts:?}");
    assert!(home.json(&["memory", "list", "--chat", "myapp:chat:ana"]).to_string().contains("oboe"));
}

#[test]
fn the_recipe_in_python_remembers() {
    if !has(Path::new("python3")) {
        return;
    }
    let home = Home::new();
    let use_of_it = r#"
def ask_model(system, messages):
    if "oboe?" in messages[-1]["content"]:
        return "seen" if "I play the oboe." in str(messages) else "forgotten"
    assert "[REMEMBER:" in system
    return "Lovely. [REMEMBER: I play the oboe]"

print(turn("myapp:chat:ana", "I play the oboe.", ask_model))
print(turn("myapp:chat:ana", "What about the oboe?", ask_model))
try:
    turn("no chat", "hello", ask_model)
except RuntimeError as error:
    print(error)
"#;
    let script = home.file("recipe.py", recipe("python") + use_of_it);
    holds(&home, &run(&home, "python3", &script));
}

#[test]
fn the_recipe_in_typescript_remembers() {
    let esbuild = root().join("target/clients/node_modules/.bin/esbuild");
    if !has(Path::new("node")) || !has(&esbuild) {
        return;
    }
    let home = Home::new();
    let use_of_it = r#"
const askModel: AskModel = async (system, messages) => {
  if (messages.at(-1)!.content.includes("oboe?"))
    return JSON.stringify(messages).includes("I play the oboe.") ? "seen" : "forgotten";
  if (!system.includes("[REMEMBER:")) throw new Error("no tags were taught");
  return "Lovely. [REMEMBER: I play the oboe]";
};
console.log(await turn("myapp:chat:ana", "I play the oboe.", askModel));
console.log(await turn("myapp:chat:ana", "What about the oboe?", askModel));
try {
  await turn("no chat", "hello", askModel);
} catch (error: any) {
  console.log(error.message);
}
"#;
    let typed = home.file("recipe.ts", recipe("typescript") + use_of_it);
    let script = typed.replace(".ts", ".mjs");
    let made = Command::new(esbuild)
        .args([
            &typed,
            "--format=esm",
            "--target=node18",
            "--log-level=error",
            &format!("--outfile={script}"),
        ])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    holds(&home, &run(&home, "node", &script));
}
