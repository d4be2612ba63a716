//! The supervisor as a program of its own, for tests and for embedders whose binary cannot be executed again.

fn main() {
    tools::supervise::main()
}
