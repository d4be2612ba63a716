//! The arguments.

use crate::problem::Problem;
use crate::row;
use crate::size::Size;
use crate::wanted::Wanted;

const USAGE: &str = "\
usage: bench [--only ROW,ROW] [--quick | --tiny] [--thru FILE] [--data FOLDER] [--parked 'ARGUMENTS']
  --only    these rows; without it all of them
  --quick   fewer repetitions and smaller logs
  --tiny    only sees that each row works
  --thru    the binary to measure; the one beside this program by default
  --data    where logs are made and kept for the next run; must be on a real disk
  --parked  arguments of thru that make it wait for all sessions; 'daemon' by default";

pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, Problem> {
    let parked = vec!["daemon".to_owned()];
    let mut wanted = Wanted { only: Vec::new(), size: Size::FULL, thru: None, data: None, parked };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(usage);
        match argument.as_str() {
            "--only" => wanted.only = value()?.split(',').map(str::to_owned).collect(),
            "--quick" => wanted.size = Size::QUICK,
            "--tiny" => wanted.size = Size::TINY,
            "--thru" => wanted.thru = Some(value()?.into()),
            "--data" => wanted.data = Some(value()?.into()),
            "--parked" => wanted.parked = value()?.split_whitespace().map(str::to_owned).collect(),
            _ => return Err(usage()),
        }
    }
    let known = |name: &String| row::ALL.iter().any(|row| row.name == name);
    if wanted.only.iter().all(known) { Ok(wanted) } else { Err(usage()) }
}

fn usage() -> Problem {
    let names: Vec<&str> = row::ALL.iter().map(|row| row.name).collect();
    Problem::Usage(format!("{USAGE}\nrows: {}", names.join(" ")))
}
