//! A terminal with the program in front of it: what a person types goes in, what they would see comes out.

use crate::desk::{Desk, THRU};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use testkit::until::until;

pub struct Terminal {
    child: Child,
    keys: File,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Desk {
    /// Starts the program in a terminal of its own, as its controlling one, so that keys become signals.
    pub fn terminal(&self, args: &[&str]) -> Terminal {
        self.in_terminal(&[&[THRU], args].concat())
    }

    /// The same with any program.
    pub fn in_terminal(&self, program: &[&str]) -> Terminal {
        let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&near).unwrap();
        unlockpt(&near).unwrap();
        let name = ptsname(&near, Vec::new()).unwrap().into_string().unwrap();
        let far = File::options().read(true).write(true).open(name).unwrap();
        let mut command = self.standing_here(Command::new("setsid"), &[&["--ctty"], program].concat());
        command.stdin(far.try_clone().unwrap()).stdout(far.try_clone().unwrap()).stderr(far);
        let child = command.spawn().unwrap();
        // The far side must be open in the program alone, so that its end is the end of what can be read here.
        drop(command);
        let (keys, mut seen) = (File::from(near.try_clone().unwrap()), File::from(near));
        let screen = Arc::new(Mutex::new(Vec::new()));
        let shown = screen.clone();
        let reader = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = seen.read(&mut piece) {
                shown.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        Terminal { child, keys, screen, reader }
    }

    pub fn run_in_terminal(&self, more: &[&str]) -> Terminal {
        self.terminal(&self.run_args(more))
    }
}

impl Terminal {
    /// Everything shown so far, with what was typed.
    pub fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).replace("\r\n", "\n")
    }

    pub fn until(&self, text: &str) {
        until(text, || self.screen().contains(text).then_some(()));
    }

    pub fn type_line(&mut self, line: &str) {
        self.press(format!("{line}\n").as_bytes());
    }

    pub fn press(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
    }

    /// The session that the story begins with.
    pub fn session(&self) -> String {
        until("the session", || {
            let screen = self.screen();
            let name = screen.split("session ").nth(1)?.split_once(' ')?.0;
            Some(name.to_owned())
        })
    }

    /// Waits for the end and gives the exit code with everything shown.
    pub fn wait(mut self) -> (Option<i32>, String) {
        let status = until("the program ends", || self.child.try_wait().unwrap());
        until("all of it is read", || self.reader.is_finished().then_some(()));
        let screen = self.screen();
        for bad in ["panicked", "RUST_BACKTRACE"] {
            assert!(!screen.contains(bad), "{screen}");
        }
        (status.code(), screen)
    }
}
