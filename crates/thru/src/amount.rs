//! Amounts as people write them: `90s`, `10m`, `2h`, `1d` of time, where a bare number is seconds; `0.50` of money; and
//! plain numbers of everything else.

use crate::catalog::{WishHelp, wish_help};
use contract::ask::LimitKind;

const UNITS: &[(char, u64)] = &[('s', 1_000), ('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];

/// How much more of what this limit counts, in its unit.
pub fn of(limit: LimitKind, text: &str) -> Result<u64, &'static str> {
    match limit {
        LimitKind::WallTime => time(text),
        LimitKind::Cost => money(text),
        LimitKind::Tokens | LimitKind::ToolCalls | LimitKind::Turns | LimitKind::CrashLoop | LimitKind::Loop => count(text),
    }
}

/// Milliseconds; at least one second, so that nothing is over before it began.
pub fn time(text: &str) -> Result<u64, &'static str> {
    let with_unit = UNITS.iter().find_map(|(unit, ms)| Some((text.strip_suffix(*unit)?, *ms)));
    let (number, ms) = with_unit.unwrap_or((text, 1_000));
    let amount: u64 = number.parse().map_err(|_| wish_help(WishHelp::BadDuration))?;
    match amount.checked_mul(ms) {
        Some(total) if total > 0 => Ok(total),
        Some(_) | None => Err(wish_help(WishHelp::BadDuration)),
    }
}

/// Millionths of the price unit.
pub fn money(text: &str) -> Result<u64, &'static str> {
    let amount: f64 = text.parse().map_err(|_| wish_help(WishHelp::BadMoney))?;
    let micros = (amount * 1e6).round();
    if micros.is_finite() && (1.0..1e15).contains(&micros) { Ok(micros as u64) } else { Err(wish_help(WishHelp::BadMoney)) }
}

fn count(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|amount| *amount > 0).ok_or(wish_help(WishHelp::BadCount))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_seconds_minutes_hours_and_days() {
        let parsed: Vec<_> = ["5", "90s", "10m", "2h", "1d"].iter().map(|text| time(text).unwrap()).collect();
        assert_eq!(parsed, [5_000, 90_000, 600_000, 7_200_000, 86_400_000]);
        for bad in ["", "s", "0", "0m", "-1s", "1.5h", "5x", "1ss", "99999999999999999999d", "1 h"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_limit_is_extended_in_its_own_unit() {
        for (limit, good, amount, bad) in [
            (LimitKind::WallTime, "2m", 120_000, "0.5"),
            (LimitKind::Cost, "0.50", 500_000, "2m"),
            (LimitKind::Tokens, "50000", 50_000, "0.5"),
            (LimitKind::ToolCalls, "1", 1, "0"),
            (LimitKind::Turns, "20", 20, "-1"),
        ] {
            assert_eq!(of(limit, good), Ok(amount), "{limit:?}");
            assert!(of(limit, bad).is_err(), "{limit:?} {bad}");
        }
    }
}
