//! Files that people send: `getFile`, and the endpoint that a file is downloaded from.

use serde_json::{Value, json};

use super::params::Params;
use super::refusal::Refusal;
use super::server::is_known;
use super::world::World;
use super::{BotApi, Shared};

/// The name under which downloads are recorded, and by which faults are planned for them.
pub const ENDPOINT: &str = "file";
/// The largest file that the real server gives to a bot.
const LARGEST: usize = 20 * 1024 * 1024;

impl BotApi {
    /// Puts a file on the server, and gives its file id.
    pub fn file(&self, bytes: &[u8]) -> String {
        self.shared.change(|world| {
            let id = format!("AgAC-{}", world.files.len() + 1);
            world.files.insert(id.clone(), bytes.to_vec());
            id
        })
    }
}

/// Where a file can be downloaded.
pub(super) fn get_file(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let id = params.text("file_id").unwrap_or_default();
    let bytes = world
        .files
        .get(id)
        .ok_or_else(|| Refusal::bad("wrong file_id or the file is temporarily unavailable"))?;
    if bytes.len() > LARGEST {
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
