//! Is there still something to be had from a site, or from a part of it? (G11; S1 4.2.3)
//!
//! The yield is accepted documents per fetch. It is believed to be Beta distributed, older fetches count less, and at any
//! fetch the place may have run dry for good: so a site that gave much an hour ago can be left soon, which a discount alone
//! cannot do without forgetting how little a dry stretch proves. With α, β of the yield while there is something, each barren
//! fetch multiplies "still something" by (1 − ρ)·β/(α + β) and gives ρ of it to "dry"; an accepted document ends all doubt.
//!
//! S1 looks at each 10,000 pages whether less than 1 % were downloads (of any worth), and once more 1,000 pages later.

use serde::{Deserialize, Serialize};

/// The version of the stored form of [`Yield`].
pub const VERSION: u32 = 1;

/// When a place is left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// The least yield that pays.
    pub yield_min: f64,
    /// Left when it is less likely than this that the yield is still so much.
    pub doubt: f64,
    /// Not before so many fetches.
    pub fetches_min: u64,
    /// After so many fetches a fetch counts half.
    pub half_life: f64,
    /// One in so many fetches is the last that could bring something.
    pub dry_after: f64,
}

impl Default for StopRule {
    fn default() -> StopRule {
        StopRule {
            yield_min: 0.005,
            doubt: 0.05,
            fetches_min: 200,
            half_life: 500.0,
            dry_after: 800.0,
        }
    }
}

/// What a place gave until now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Yield {
    pub version: u32,
    pub fetches: u64,
    pub accepted: u64,
    /// Fetches since the last accepted document.
    pub barren: u64,
    /// The same, with what is old counted less.
    accepted_lately: f64,
    barren_lately: f64,
    /// How likely it is that there is still something.
    alive: f64,
}

impl Default for Yield {
    fn default() -> Yield {
        Yield {
            version: VERSION,
            fetches: 0,
            accepted: 0,
            barren: 0,
            accepted_lately: 0.0,
            barren_lately: 0.0,
            alive: 1.0,
        }
    }
}

/// Why a place is left, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Too few fetches to say.
    TooEarly,
    Pays,
    /// It never gave enough, or it ran dry.
    TooLittle,
    RanDry,
}

/// Whether to leave a place, with what that rests on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopVerdict {
    pub reason: StopReason,
    /// How likely the yield is still what pays.
    pub likely: f64,
    /// Accepted documents per fetch, as believed.
    pub yield_now: f64,
    pub fetches: u64,
    pub accepted: u64,
    pub barren: u64,
}

impl StopVerdict {
    pub fn is_stop(&self) -> bool {
        matches!(self.reason, StopReason::TooLittle | StopReason::RanDry)
    }
}

impl std::fmt::Display for StopVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (accepted, fetches) = (self.accepted, self.fetches);
        match self.reason {
            StopReason::RanDry => write!(
                f,
                "it ran dry: {accepted} documents of {fetches} fetches, none of the last {}",
                self.barren
            ),
            StopReason::TooLittle => write!(
                f,
                "it gives too little: {accepted} documents of {fetches} fetches"
            ),
            StopReason::TooEarly => write!(f, "too early to say: {accepted} documents of {fetches} fetches"),
            StopReason::Pays => write!(f, "it pays: {accepted} documents of {fetches} fetches"),
        }
    }
}

impl Yield {
    /// A fetch brought an accepted document, or did not.
    pub fn fetched(&mut self, rule: &StopRule, is_accepted: bool) {
        let kept = 0.5f64.powf(1.0 / rule.half_life.max(1.0));
        let (alpha, beta) = self.shape();
        self.fetches += 1;
        self.accepted_lately *= kept;
        self.barren_lately *= kept;
        if is_accepted {
            self.accepted += 1;
            self.barren = 0;
            self.alive = 1.0;
            self.accepted_lately += 1.0;
        } else {
            self.barren += 1;
            let ends = 1.0 / rule.dry_after.max(1.0);
            let still = self.alive * (1.0 - ends) * beta / (alpha + beta);
            let dry = 1.0 - self.alive + self.alive * ends;
            self.alive = still / (still + dry);
            self.barren_lately += 1.0;
        }
    }

    /// A document of a fetch that was counted as barren was judged later, and accepted.
    pub fn accepted(&mut self) {
        self.accepted += 1;
        self.barren = 0;
        self.alive = 1.0;
        self.accepted_lately += 1.0;
        self.barren_lately = (self.barren_lately - 1.0).max(0.0);
    }

    /// Jeffreys' prior: half a document and half a barren fetch.
    fn shape(&self) -> (f64, f64) {
        (0.5 + self.accepted_lately, 0.5 + self.barren_lately)
    }

    /// How likely the yield is at least `least`.
    pub fn likely_at_least(&self, least: f64) -> f64 {
        let (alpha, beta) = self.shape();
        self.alive * (1.0 - beta_below(alpha, beta, least))
    }

    /// The yield which is not exceeded with this certainty, as 0.95.
    pub fn at_most(&self, certainty: f64) -> f64 {
        let (alpha, beta) = self.shape();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if beta_below(alpha, beta, middle) < certainty {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    pub fn judge(&self, rule: &StopRule) -> StopVerdict {
        let (alpha, beta) = self.shape();
        let likely = self.likely_at_least(rule.yield_min);
        let reason = if self.fetches < rule.fetches_min {
            StopReason::TooEarly
        } else if likely >= rule.doubt {
            StopReason::Pays
        } else if self.alive < rule.doubt {
            StopReason::RanDry
        } else {
            StopReason::TooLittle
        };
        StopVerdict {
            reason,
            likely,
            yield_now: self.alive * alpha / (alpha + beta),
            fetches: self.fetches,
            accepted: self.accepted,
            barren: self.barren,
        }
    }
}

/// A site is left when not one of its open parts (folders, shapes of address) is worth going on with: the verdict of its best.
/// A part that is too new to be judged keeps the site open, so parts are to be given only where something waits in them.
pub fn judge_site<'a>(
    parts: impl IntoIterator<Item = &'a Yield>,
    site: &Yield,
    rule: &StopRule,
) -> StopVerdict {
    let whole = site.judge(rule);
    if whole.reason == StopReason::TooEarly {
        return whole;
    }
    let best = parts
        .into_iter()
        .map(|part| part.judge(rule))
        .max_by(|a, b| a.likely.total_cmp(&b.likely));
    match best {
        Some(part) if !part.is_stop() && part.reason != StopReason::TooEarly => part,
        // Where the site as a whole gave nothing for long, a few new parts are no reason to stay.
        _ => whole,
    }
}

/// S1's rule: how far it is, page by page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedStop {
    is_flagged: bool,
}

impl SeedStop {
    /// Called after each page; whether the site is left now.
    pub fn is_over(&mut self, pages: u64, downloaded: u64) -> bool {
        let is_poor = downloaded * 100 < pages;
        if pages > 0 && pages.is_multiple_of(10_000) {
            self.is_flagged = is_poor;
            return false;
        }
        if self.is_flagged && pages % 10_000 == 1000 {
            self.is_flagged = false;
            return is_poor;
        }
        false
    }
}

/// The share of a Beta distribution that lies below `x` (the regularised incomplete beta function), by Lentz's continued
/// fraction.
pub(crate) fn beta_below(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let away_from_0 = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut upper = 1.0;
    let mut lower = 1.0 / away_from_0(1.0 - (a + b) * x / (a + 1.0));
    let mut product = lower;
    for round in 1..300 {
        let at = f64::from(round);
        let even = at * (b - at) * x / ((a + 2.0 * at - 1.0) * (a + 2.0 * at));
        let odd = -(a + at) * (a + b + at) * x / ((a + 2.0 * at) * (a + 2.0 * at + 1.0));
        for numerator in [even, odd] {
            lower = 1.0 / away_from_0(1.0 + numerator * lower);
            upper = away_from_0(1.0 + numerator / upper);
            product *= upper * lower;
        }
        if (upper * lower - 1.0).abs() < 1e-12 {
            break;
        }
    }
    product
}

/// Lanczos' approximation.
fn ln_gamma(x: f64) -> f64 {
    const PARTS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let shifted = x + 5.5;
    let front = shifted - (x + 0.5) * shifted.ln();
    let series: f64 = PARTS
        .iter()
        .zip(1..)
        .map(|(part, at)| part / (x + f64::from(at)))
        .sum();
    (2.506_628_274_631_000_5 * (1.000_000_000_190_015 + series) / x).ln() - front
}

#[cfg(test)]
mod tests;
