//! A model of the shape of all-MiniLM-L6-v2, small enough for a test: 8 wide, 2 layers, random weights.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nriver\nboat\n##s\non\nthe\n";
const CONFIG: &str = r#"{"num_hidden_layers": 2, "num_attention_heads": 2, "layer_norm_eps": 1e-12}"#;

/// Writes the model's files into a folder.
pub fn write(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("config.json"), CONFIG).unwrap();
    fs::write(folder.join("vocab.txt"), VOCABULARY).unwrap();
    fs::write(folder.join("model.safetensors"), weights()).unwrap();
}

fn weights() -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![9, 8]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![6, 8]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 8]),
    ];
    let mut pair = |name: String, shape: &[usize]| {
        tensors.push((format!("{name}.weight"), shape.to_vec()));
        tensors.push((format!("{name}.bias"), shape[..1].to_vec()));
    };
    pair("embeddings.LayerNorm".to_owned(), &[8]);
    for layer in 0..2 {
        for (part, shape) in [
            ("attention.self.query", &[8, 8][..]),
            ("attention.self.key", &[8, 8]),
            ("attention.self.value", &[8, 8]),
            ("attention.output.dense", &[8, 8]),
            ("attention.output.LayerNorm", &[8]),
            ("intermediate.dense", &[12, 8]),
            ("output.dense", &[8, 12]),
            ("output.LayerNorm", &[8]),
        ] {
            pair(format!("encoder.layer.{layer}.{part}"), shape);
        }
    }
    let (mut contents, mut numbers, mut dice) = (Map::new(), Vec::new(), super::Dice::new(1));
    for (name, shape) in tensors {
        let start = numbers.len();
        for _ in 0..shape.iter().product() {
            let number = dice.below(2001) as f32 / 1000.0 - 1.0;
            numbers.extend(number.to_le_bytes());
        }
        let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, numbers.len()] });
        contents.insert(name, entry);
    }
    let contents = Value::from(contents).to_string();
    [&(contents.len() as u64).to_le_bytes()[..], contents.as_bytes(), &numbers].concat()
}
