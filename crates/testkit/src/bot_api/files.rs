//! Files that people send: `getFile`, and the download endpoint.

use serde_json::{Value, json};

use super::params::Params;
use super::refusal::Refusal;
use super::server::is_known;
use super::world::World;
use super::{BotApi, Shared};

/// The name under which downloads are recorded and faults are planned.
pub const ENDPOINT: &str = "file";
/// Maximum size of a file that the real server gives to a bot, in bytes.
const MAX_FILE_BYTES: usize = 20 * 1024 * 1024;

impl BotApi {
    /// Puts a file on the server, and returns its file id.
    pub fn file(&self, bytes: &[u8]) -> String {
        self.shared.change(|world| {
            let id = format!("AgAC-{}", world.files.len() + 1);
            world.files.insert(id.clone(), bytes.to_vec());
            id
        })
    }
}

/// The download path of a file.
pub(super) fn get_file(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let id = params.text("file_id").unwrap_or_default();
    let bytes = world
        .files
        .get(id)
        .ok_or_else(|| Refusal::bad("wrong file_id or the file is temporarily unavailable"))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(Refusal::bad("file is too big"));
    }
    Ok(
        json!({ "file_id": id, "file_unique_id": id, "file_size": bytes.len(), "file_path": format!("files/{id}") }),
    )
}

/// The bytes at a path of the endpoint.
pub(super) fn content(shared: &Shared, token: &str, path: &str) -> Result<Vec<u8>, Refusal> {
    let world = shared.world();
    is_known(&world.token, token)?;
    let id = path.strip_prefix("files/").unwrap_or_default();
    world.files.get(id).cloned().ok_or_else(Refusal::not_found)
}
