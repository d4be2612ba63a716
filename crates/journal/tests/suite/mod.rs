//! One suite for every implementation of the log, and what only files can suffer.

#[macro_use]
mod world;

mod append;
mod blobs;
mod damage;
mod hosts;
mod leases;
mod limits;
mod model;
mod opening;
mod race;
mod read;
mod trouble;
mod views;
