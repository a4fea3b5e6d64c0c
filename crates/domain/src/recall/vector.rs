//! Vectors as they are kept: a byte for each component, and the signs apart, for a first and quick look.

/// A text's place in the space of meanings. Only its direction counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    components: Vec<u8>,
    signs: Vec<u64>,
    /// One over its length, so that a product becomes a cosine.
    scale: f32,
}

impl Vector {
    /// Rounds each component to a byte, the largest to 127. Where there is no direction, everything is zero.
    #[must_use]
    pub fn new(exact: &[f32]) -> Self {
        let largest = exact.iter().fold(0.0f32, |most, part| most.max(part.abs()));
        let unit = if largest.is_finite() && largest > 0.0 { 127.0 / largest } else { 0.0 };
        let components: Vec<u8> =
            exact.iter().map(|part| ((part * unit).round() as i8).cast_unsigned()).collect();
        Self { signs: signs(&components), scale: scale(&components), components }
    }

    /// The components, each a signed byte.
    #[must_use]
    pub fn components(&self) -> &[u8] {
        &self.components
    }

    /// How alike the directions are, −1 to 1.
    #[must_use]
    pub fn similarity(&self, components: &[u8]) -> f32 {
        product(&self.components, components) as f32 * self.scale * scale(components)
    }

    /// The signs of the components, a bit each.
    #[must_use]
    pub fn signs(&self) -> &[u64] {
        &self.signs
    }

    /// Returns true if there is a direction to compare.
    #[must_use]
    pub fn has_direction(&self) -> bool {
        self.scale > 0.0
    }
}

/// The number of signs that differ between two vectors.
#[must_use]
#[inline]
pub fn differing_signs(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Which components are below zero, a bit each.
#[must_use]
pub fn signs(components: &[u8]) -> Vec<u64> {
    let bits = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |bits, part| (bits << 1) | u64::from(part >> 7));
    components.chunks(64).map(bits).collect()
}

fn scale(components: &[u8]) -> f32 {
    let square = product(components, components);
    if square > 0 { 1.0 / (square as f32).sqrt() } else { 0.0 }
}

fn product(a: &[u8], b: &[u8]) -> i32 {
    let wide = |part: u8| i32::from(i16::from(part.cast_signed()));
    a.iter().zip(b).map(|(a, b)| wide(*a) * wide(*b)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::recall::similarity::Similarities;

    #[test]
    fn a_vector_without_a_direction_is_like_nothing() {
        for exact in [vec![], vec![0.0; 4], vec![f32::NAN; 4], vec![f32::INFINITY, 1.0]] {
            let vector = Vector::new(&exact);
            assert!(!vector.has_direction() && vector.similarity(Vector::new(&[1.0; 4]).components()) == 0.0);
        }
    }

    proptest! {
        #[test]
        fn rounding_changes_a_similarity_little(a in prop::collection::vec(-1.0f32..1.0, 96), b in prop::collection::vec(-1.0f32..1.0, 96)) {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let exact = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
            let (a, b) = (Vector::new(&a), Vector::new(&b));
            prop_assert!((a.similarity(b.components()) - exact).abs() < 0.02);
            let mut estimated = Similarities::new(2, 96);
            let with = |other: &Vector| Some(differing_signs(a.signs(), other.signs()));
            estimated.estimate([with(&b), with(&a)].into_iter());
            prop_assert!((estimated.at(0).unwrap() - exact).abs() < 0.6);
            prop_assert!((a.similarity(a.components()) - 1.0).abs() < 1e-3 && estimated.at(1).unwrap() > 0.999);
        }
    }
}
