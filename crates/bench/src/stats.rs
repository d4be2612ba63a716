//! Medians, spreads and quantiles.

/// Figures of the same thing, measured again and again.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (share * last as f64).round() as usize;
        sorted.get(at.min(last)).copied().unwrap_or(f64::NAN)
    }

    /// Half the distance between the quartiles, as a share of the median: how noisy it was.
    pub fn noise(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / 2.0 / self.median()
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Samples {
        Samples(figures.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_found_whatever_the_order() {
        let samples: Samples = [9.0, 1.0, 5.0, 3.0, 7.0].into_iter().collect();
        assert_eq!((samples.median(), samples.quantile(0.0), samples.quantile(1.0)), (5.0, 1.0, 9.0));
        assert_eq!(samples.noise(), (7.0 - 3.0) / 2.0 / 5.0);
        assert!(Samples::default().median().is_nan());
    }
}
