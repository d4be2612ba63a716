//! `thru models`: which models can be asked, and whether one answers.

use super::{folder, json_lines};
use crate::catalog::{ModelsHelp, models_help};
use clap::{Arg, ArgMatches, Command as Clap};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    pub what: ModelsOf,
    pub folder: PathBuf,
    pub json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelsOf {
    All,
    /// One real question to this model, else to the one that a run would ask.
    Test {
        name: Option<String>,
        base_url: Option<String>,
    },
}

pub fn models_command() -> Clap {
    let test = Clap::new("test")
        .about(models_help(ModelsHelp::Test))
        .arg(Arg::new("name").value_name("MODEL").help(models_help(ModelsHelp::Name)))
        .arg(Arg::new("base-url").long("base-url").value_name("URL").requires("name").help(models_help(ModelsHelp::BaseUrl)))
        .arg(folder())
        .arg(json_lines());
    Clap::new("models")
        .about(models_help(ModelsHelp::Models))
        .after_help(models_help(ModelsHelp::After))
        .arg(folder())
        .arg(json_lines())
        .args_conflicts_with_subcommands(true)
        .subcommand(test)
}

pub fn models(sub: &ArgMatches) -> Models {
    let of = |sub: &ArgMatches, what| Models {
        what,
        folder: sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default(),
        json: sub.get_flag("json"),
    };
    match sub.subcommand_matches("test") {
        Some(test) => {
            let word = |name: &str| test.get_one::<String>(name).cloned();
            of(test, ModelsOf::Test { name: word("name"), base_url: word("base-url") })
        }
        None => of(sub, ModelsOf::All),
    }
}
