//! The keys as nested tables, for reading a file and describing it.

use super::keys::{KEYS, Key};

/// A value or a table of the file.
pub enum Node {
    /// A value.
    Value(&'static Key),
    /// A table.
    Table(Table),
}

/// The keys of one table, in the order of [`KEYS`].
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

    /// The entries of this table by name.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Node)> {
        self.0.iter().map(|(name, node)| (*name, node))
    }

    /// The entry called `name`.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entries().find(|(known, _)| *known == name).map(|(_, node)| node)
    }

    /// The placeholder and its entry, if people choose the names in this table.
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
