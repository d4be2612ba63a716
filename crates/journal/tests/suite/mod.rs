//! The suite of every log for both of them, and what only files can suffer.

mod blobs;
mod damage;
mod following;
mod hosts;
mod import;
mod model;
mod opening;
mod trouble;
mod views;
mod world;

mod memory {
    //! The suite in memory.
    use super::world::Memory;
    conformance::suite!(Memory::new());
}

mod sqlite {
    //! The suite in a folder.
    use super::world::Sqlite;
    conformance::suite!(Sqlite::new());
    conformance::damage_suite!(Sqlite::new());
    conformance::process_suite!(Sqlite::new());
}
