//! The only way to learn the time.

use crate::units::Time;

pub trait Clock: Send + Sync {
    fn now(&self) -> Time;
}
