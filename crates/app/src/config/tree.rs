//! The keys as a file's tables hold them, for those who walk a file or describe one.

use super::keys::{KEYS, Key};

/// What may stand at one place of the file.
pub enum Node {
    /// A value.
    Value(&'static Key),
    /// A table.
    Table(Table),
}

/// What may stand in one table, in the order of [`KEYS`].
#[derive(Default)]
pub struct Table(Vec<(&'static str, Node)>);

impl Table {
    /// The whole file.
    pub fn root() -> Self {
        let mut root = Self::default();
        for key in KEYS.iter() {
            root.insert(key.path, key);
        }
        root
    }

    /// The names in this table and what stands there.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Node)> {
        self.0.iter().map(|(name, node)| (*name, node))
    }

    /// What stands under `name`.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entries().find(|(known, _)| *known == name).map(|(_, node)| node)
    }

    /// The placeholder that stands for every name here, where people choose the names.
    pub fn any_name(&self) -> Option<(&'static str, &Node)> {
        self.entries().find(|(name, _)| name.starts_with('<'))
    }

    fn insert(&mut self, path: &'static str, key: &'static Key) {
        let Some((name, rest)) = path.split_once('.') else {
            self.0.push((path, Node::Value(key)));
            return;
        };
        let known = self.0.iter_mut().find_map(|(known, node)| match node {
            Node::Table(table) if *known == name => Some(table),
            _ => None,
        });
        if let Some(table) = known {
            table.insert(rest, key);
            return;
        }
        let mut table = Self::default();
        table.insert(rest, key);
        self.0.push((name, Node::Table(table)));
    }
}
