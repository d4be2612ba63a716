//! The table: one line a figure, with what it is compared to, the bar and whether it is met.

/// One figure of a row.
#[derive(Clone, Debug, Default)]
pub struct Line {
    pub what: &'static str,
    /// The figure with its unit, or why there is none.
    pub figure: String,
    /// What it is compared to, with its unit.
    pub beside: String,
    pub ratio: Option<f64>,
    pub bar: &'static str,
    /// Nothing where there is no bar or no figure.
    pub met: Option<bool>,
    pub note: String,
}

impl Line {
    /// A line of a row that cannot be measured yet.
    pub fn not_yet(what: &'static str, bar: &'static str, why: impl Into<String>) -> Line {
        Line { what, figure: "not yet".to_owned(), bar, note: why.into(), ..Line::default() }
    }

    fn cells(&self, row: &str) -> [String; 8] {
        [
            row.to_owned(),
            self.what.to_owned(),
            self.figure.clone(),
            self.beside.clone(),
            self.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")),
            self.bar.to_owned(),
            self.met.map_or("", |met| if met { "yes" } else { "NO" }).to_owned(),
            self.note.clone(),
        ]
    }

    /// For whoever watches while the other rows are still measured.
    pub fn short(&self, row: &str) -> String {
        self.cells(row).into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ")
    }
}

const HEAD: [&str; 8] = ["row", "what", "figure", "beside", "ratio", "bar", "met", "note"];

pub fn table(lines: &[(&'static str, Line)]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(lines.iter().map(|(row, line)| line.cells(row)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 8]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule = format!("|{}|", widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("|"));
    let mut table: Vec<String> = rows.iter().map(line).collect();
    table.insert(1, rule);
    table.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_and_what_is_unknown_stays_empty() {
        let met = Line { what: "a", figure: "4.0 ms".into(), ratio: Some(1.5), bar: "≤ 5", met: Some(true), ..Line::default() };
        let shown = table(&[("step", met), ("parked", Line::not_yet("b", "≤ 50", "no such command"))]);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.chars().count() == lines[0].chars().count()), "{shown}");
        assert!(lines[2].contains("| 1.50  | ≤ 5  | yes |") && lines[3].contains("| not yet |"), "{shown}");
    }
}
