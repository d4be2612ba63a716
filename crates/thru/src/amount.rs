//! Amounts as people write them: `90s`, `10m`, `2h`, `1d` of time, where a bare number is seconds; `0.50` of money; and
//! plain numbers of everything else.

use crate::catalog::{WishHelp, wish_help};
use contract::ask::LimitKind;

const UNITS: &[(char, u64)] = &[('s', 1_000), ('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];

/// How much more of what this limit counts, in its unit.
pub fn of(limit: LimitKind, text: &str) -> Result<u64, &'static str> {
    match limit {
        LimitKind::WallTime => time(text),
        LimitKind::Cost | LimitKind::Day => money(text),
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
    use damage::damaged_text;
    use proptest::prelude::*;

    fn amount() -> impl Strategy<Value = String> {
        prop_oneof!["[0-9]{1,22}[smhd]?", "[0-9]{1,12}[.][0-9]{1,9}", "[1-9][0-9]{0,3}[smhd]"]
    }

    proptest! {
        /// In exact numbers, where nothing can overflow.
        #[test]
        fn time_is_a_whole_number_of_its_unit(text in prop_oneof![amount(), damaged_text(amount()), ".{0,6}"]) {
            let (number, ms) = match text.char_indices().next_back() {
                Some((at, 's')) => (&text[..at], 1_000),
                Some((at, 'm')) => (&text[..at], 60_000),
                Some((at, 'h')) => (&text[..at], 3_600_000),
                Some((at, 'd')) => (&text[..at], 86_400_000),
                Some(_) | None => (text.as_str(), 1_000),
            };
            let meant = number.parse::<u64>().ok().map(|number| u128::from(number) * ms).filter(|total| (1..=u128::from(u64::MAX)).contains(total));
            prop_assert_eq!(time(&text).ok().map(u128::from), meant);
        }

        #[test]
        fn money_comes_back_to_the_last_millionth(micros in prop_oneof![1u64..10_000_000, 1u64..1_000_000_000_000_000]) {
            prop_assert_eq!(money(&format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)), Ok(micros));
        }

        #[test]
        fn any_text_is_an_amount_of_the_limit_or_refused(text in prop_oneof![amount(), damaged_text(amount()), "[-+]?(inf|nan|NaN|1e[0-9]{1,4}|0x1F|1_0)", ".{0,6}"]) {
            for limit in [LimitKind::WallTime, LimitKind::Cost, LimitKind::Tokens, LimitKind::ToolCalls, LimitKind::Turns] {
                match of(limit, &text) {
                    Ok(amount) => prop_assert!(amount > 0, "nothing is no amount: {text}"),
                    Err(why) => prop_assert!(!why.is_empty()),
                }
            }
        }
    }

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
