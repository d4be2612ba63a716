//! Lengths of time as people write them: `90s`, `10m`, `2h`, `1d`; a bare number is seconds.

use crate::catalog::{WishHelp, wish_help};

const UNITS: &[(char, u64)] = &[('s', 1_000), ('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];

/// Milliseconds; at least one second, so that nothing is over before it began.
pub fn parse(text: &str) -> Result<u64, &'static str> {
    let with_unit = UNITS.iter().find_map(|(unit, ms)| Some((text.strip_suffix(*unit)?, *ms)));
    let (number, ms) = with_unit.unwrap_or((text, 1_000));
    let amount: u64 = number.parse().map_err(|_| wish_help(WishHelp::BadDuration))?;
    match amount.checked_mul(ms) {
        Some(total) if total > 0 => Ok(total),
        Some(_) | None => Err(wish_help(WishHelp::BadDuration)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_seconds_minutes_hours_and_days() {
        let parsed: Vec<_> = ["5", "90s", "10m", "2h", "1d"].iter().map(|text| parse(text).unwrap()).collect();
        assert_eq!(parsed, [5_000, 90_000, 600_000, 7_200_000, 86_400_000]);
        for bad in ["", "s", "0", "0m", "-1s", "1.5h", "5x", "1ss", "99999999999999999999d", "1 h"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
