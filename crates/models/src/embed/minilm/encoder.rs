//! The forward pass of a BERT encoder: token ids in, one vector per text out.
//!
//! The tokens of several texts are the rows of one matrix. The dense layers, which do most of the work, process all
//! rows together; attention processes one text at a time, so nothing is padded or masked.

use std::ops::Range;
use std::path::Path;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut1, Axis, concatenate};
use serde::Deserialize;

use super::super::Error;
use super::weights::Weights;

/// Sizes that do not follow from the tensors.
#[derive(Debug, Deserialize)]
pub(super) struct Sizes {
    num_hidden_layers: usize,
    num_attention_heads: usize,
    layer_norm_eps: f32,
}

/// An encoder with its weights.
pub(super) struct Encoder {
    words: Array2<f32>,
    /// The position embeddings.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

struct Layer {
    /// Queries, keys and values side by side: one large product is faster than three.
    attention: Dense,
    attended: Dense,
    attended_norm: Norm,
    widen: Dense,
    narrow: Dense,
    norm: Norm,
}

/// A matrix and a bias.
struct Dense {
    /// One column per output, which multiplies a third faster than one row per output.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

/// Layer normalization: to mean 0 and deviation 1, then scaled by learned weights.
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

impl Encoder {
    pub(super) fn load(path: &Path, sizes: &Sizes) -> Result<Self, Error> {
        let mut weights = Weights::open(path)?;
        let from = &mut weights;
        let epsilon = sizes.layer_norm_eps;
        let words = from.matrix("embeddings.word_embeddings.weight")?;
        let mut positions = from.matrix("embeddings.position_embeddings.weight")?;
        let kinds = from.matrix("embeddings.token_type_embeddings.weight")?;
        let width = words.ncols();
        if width == 0 || !width.is_multiple_of(sizes.num_attention_heads) {
            return Err(from.wrong("its width is not that of whole heads"));
        }
        if positions.ncols() != width || kinds.ncols() != width || kinds.is_empty() {
            return Err(from.wrong("its embeddings differ in width"));
        }
        if positions.nrows() < 2 {
            return Err(from.wrong("it has no room for a text"));
        }
        // BERT distinguishes first and second texts; here all are first, so that embedding is added to the positions
        // once.
        positions += &kinds.row(0);
        let norm = Norm::load(from, "embeddings.LayerNorm", width, epsilon)?;
        let layers = (0..sizes.num_hidden_layers).map(|layer| Layer::load(from, layer, width, epsilon));
        let layers = layers.collect::<Result<_, _>>()?;
        Ok(Self { words, positions, norm, layers, heads: sizes.num_attention_heads })
    }

    /// The size of the vocabulary.
    pub(super) fn vocabulary(&self) -> usize {
        self.words.nrows()
    }

    /// Maximum number of tokens in a text.
    pub(super) fn longest(&self) -> usize {
        self.positions.nrows()
    }

    /// The mean over the tokens of each text. Tokens must be known, and texts no longer than the maximum.
    pub(super) fn encode(&self, texts: &[&[u32]]) -> Vec<Vec<f32>> {
        let spans = spans(texts);
        let mut rows = self.embed(texts);
        for layer in &self.layers {
            rows = layer.forward(rows, &spans, self.heads);
        }
        let mean = |span: Range<usize>| rows.slice_axis(Axis(0), span.into()).mean_axis(Axis(0));
        spans.into_iter().filter_map(mean).map(|mean| mean.to_vec()).collect()
    }

    fn embed(&self, texts: &[&[u32]]) -> Array2<f32> {
        let ids: Vec<usize> = texts.iter().copied().flatten().map(|&id| id as usize).collect();
        let mut rows = self.words.select(Axis(0), &ids);
        let positions = texts.iter().flat_map(|text| 0..text.len());
        for (mut row, position) in rows.rows_mut().into_iter().zip(positions) {
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut rows);
        rows
    }
}

/// The rows of each text.
fn spans(texts: &[&[u32]]) -> Vec<Range<usize>> {
    let mut end = 0;
    let span = |text: &&[u32]| {
        let start = end;
        end += text.len();
        start..end
    };
    texts.iter().map(span).collect()
}

impl Layer {
    fn load(from: &mut Weights, layer: usize, width: usize, epsilon: f32) -> Result<Self, Error> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let widen = Dense::load(from, &[name("intermediate.dense")], width, None)?;
        let inner = widen.bias.len();
        let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Self {
            attention: Dense::load(from, &attention, width, Some(width))?,
            attended: Dense::load(from, &[name("attention.output.dense")], width, Some(width))?,
            attended_norm: Norm::load(from, &name("attention.output.LayerNorm"), width, epsilon)?,
            widen,
            narrow: Dense::load(from, &[name("output.dense")], inner, Some(width))?,
            norm: Norm::load(from, &name("output.LayerNorm"), width, epsilon)?,
        })
    }

    fn forward(&self, rows: Array2<f32>, spans: &[Range<usize>], heads: usize) -> Array2<f32> {
        let mut seen = self.attended.apply(&attend(&self.attention.apply(&rows), spans, heads));
        seen += &rows;
        self.attended_norm.apply(&mut seen);
        let mut inner = self.widen.apply(&seen);
        inner.mapv_inplace(gelu);
        let mut out = self.narrow.apply(&inner);
        out += &seen;
        self.norm.apply(&mut out);
        out
    }
}

/// Attention: for each head, mixes the values of a text's tokens by how well their keys match each query.
fn attend(mixed: &Array2<f32>, spans: &[Range<usize>], heads: usize) -> Array2<f32> {
    let width = mixed.ncols() / 3;
    let size = width / heads;
    let scale = 1.0 / (size as f32).sqrt();
    let mut out = Array2::zeros((mixed.nrows(), width));
    for span in spans {
        let rows = mixed.slice_axis(Axis(0), span.clone().into());
        let mut out = out.slice_axis_mut(Axis(0), span.clone().into());
        let mut scores = Array2::zeros((span.len(), span.len()));
        for head in (0..width).step_by(size) {
            let part = |start: usize| rows.slice_axis(Axis(1), (start..start + size).into());
            let (query, key, value) = (part(head), part(width + head), part(2 * width + head));
            general_mat_mul(scale, &query, &key.t(), 0.0, &mut scores);
            scores.rows_mut().into_iter().for_each(softmax);
            let mut out = out.slice_axis_mut(Axis(1), (head..head + size).into());
            general_mat_mul(1.0, &scores, &value, 0.0, &mut out);
        }
    }
    out
}

/// Makes shares of scores.
fn softmax(mut scores: ArrayViewMut1<'_, f32>) {
    let most = scores.fold(f32::NEG_INFINITY, |most, &score| most.max(score));
    scores.mapv_inplace(|score| (score - most).exp());
    let sum = scores.sum();
    scores /= sum;
}

impl Dense {
    /// Reads layers of these sizes and concatenates them.
    fn load(
        from: &mut Weights,
        names: &[String],
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Self, Error> {
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for name in names {
            let weight = from.matrix(&format!("{name}.weight"))?;
            let bias = from.vector(&format!("{name}.bias"))?;
            let outputs = outputs.unwrap_or(bias.len());
            if weight.dim() != (outputs, inputs) || bias.len() != outputs {
                return Err(from.wrong(&format!("{name} has the wrong size")));
            }
            weights.push(weight);
            biases.push(bias);
        }
        let wrong = |_| from.wrong("its layers differ in size");
        let weights: Vec<_> = weights.iter().map(|weight| weight.t()).collect();
        let biases: Vec<_> = biases.iter().map(ArrayView1::from).collect();
        let weight = concatenate(Axis(1), &weights).map_err(wrong)?.as_standard_layout().into_owned();
        let bias = concatenate(Axis(0), &biases).map_err(wrong)?;
        Ok(Self { weight, bias })
    }

    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((rows.nrows(), self.bias.len()));
        out += &self.bias;
        general_mat_mul(1.0, rows, &self.weight, 1.0, &mut out);
        out
    }
}

impl Norm {
    fn load(from: &mut Weights, name: &str, width: usize, epsilon: f32) -> Result<Self, Error> {
        let weight = from.vector(&format!("{name}.weight"))?;
        let bias = from.vector(&format!("{name}.bias"))?;
        if weight.len() != width || bias.len() != width {
            return Err(from.wrong(&format!("{name} has the wrong size")));
        }
        Ok(Self { weight, bias, epsilon })
    }

    fn apply(&self, rows: &mut Array2<f32>) {
        let width = rows.ncols() as f32;
        for mut row in rows.rows_mut() {
            let mean = row.sum() / width;
            row -= mean;
            let deviation = (row.dot(&row) / width + self.epsilon).sqrt();
            row /= deviation;
            row *= &self.weight;
            row += &self.bias;
        }
    }
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function as a quotient of polynomials, accurate to 3e-7. It has no branches, so the compiler can
/// vectorize it.
#[expect(clippy::excessive_precision, reason = "the coefficients as published, in Eigen")]
fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let above = [
        -2.726_142_258_013_06e-10,
        2.770_681_424_959_02e-8,
        -2.101_024_020_825_08e-6,
        -5.692_506_394_623_46e-5,
        -7.349_906_303_268_55e-4,
        -2.954_599_808_540_25e-3,
        -1.609_603_332_624_15e-2,
    ];
    let below = [
        -1.456_607_184_649_96e-5,
        -2.133_740_552_789_05e-4,
        -1.682_826_974_382_03e-3,
        -7.373_329_167_204_68e-3,
        -1.426_473_905_141_89e-2,
    ];
    let polynomial = |terms: &[f32]| terms.iter().fold(0.0, |sum, term| sum * square + term);
    x * polynomial(&above) / polynomial(&below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_right() {
        // From scipy.special.erf.
        let cases = [
            (0.0, 0.0),
            (0.01, 0.011_283_416),
            (0.5, 0.520_499_9),
            (-1.0, -0.842_700_8),
            (2.0, 0.995_322_3),
            (-3.5, -0.999_999_3),
            (40.0, 1.0),
            (f32::NEG_INFINITY, -1.0),
        ];
        for (x, expected) in cases {
            assert!((erf(x) - expected).abs() < 3e-7, "erf({x}) is {}", erf(x));
        }
    }
}
