//! How far a value stands out from the others of its chat, in standard deviations.

/// Share of the mean that counts as doubt about the deviation: of a few values nobody knows how far they scatter. It falls
/// with their number.
const DOUBT: f64 = 0.5;

/// The number of some values, their sum, and the sum of their squares.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moments {
    /// The number of values.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Moments {
    /// Adds a value that occurs a number of times.
    #[inline]
    pub fn add(&mut self, value: f32, times: f64) {
        let value = f64::from(value);
        self.count += times;
        self.sum += value * times;
        self.squares += value * value * times;
    }

    /// The moments of values that occur once each.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a f32>) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|value| moments.add(*value, 1.0));
        moments
    }
}

/// The mean of some values, and how far they scatter.
pub(super) struct Scale {
    mean: f32,
    /// One over the standard deviation; zero if all values are about the same.
    unit: f32,
}

impl Scale {
    pub fn new(moments: Moments) -> Self {
        let count = moments.count.max(1.0);
        let mean = moments.sum / count;
        let variance = (moments.squares / count - mean * mean).max(0.0);
        let deviation = (variance + (DOUBT * mean).powi(2) / count).sqrt();
        Self { mean: mean as f32, unit: if deviation > 1e-9 { (1.0 / deviation) as f32 } else { 0.0 } }
    }

    /// How many standard deviations a value lies above the mean. One that is not known lies at the mean. Nothing stands out
    /// if the values are few and nearly the same, as in a chat that has just begun.
    #[inline]
    pub fn stand(&self, value: Option<f32>) -> f32 {
        value.map_or(0.0, |value| (value - self.mean) * self.unit)
    }
}
