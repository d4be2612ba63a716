//! A data folder with a script, for tests of what no person could time from outside.

use contract::id::SessionId;
use tempfile::TempDir;
use throughline::{Home, Job, Running, Throughline, Until};

pub struct Place {
    folder: TempDir,
    pub throughline: Throughline,
}

pub fn place(script: &[&str]) -> Place {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script"), script.join("\n")).unwrap();
    // Below it, so that what leads out of the working folder still leads into a folder of our own.
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let throughline = Throughline::open(&Home::at(folder.path().join("home"))).unwrap();
    Place { folder, throughline }
}

impl Place {
    /// Another process on the same data.
    pub fn elsewhere(&self) -> Throughline {
        Throughline::open(&Home::at(self.folder.path().join("home"))).unwrap()
    }

    /// Plays the script until nothing more happens by itself; it is still driven then.
    pub async fn driven(&self) -> Running {
        let script = format!("script:{}", self.folder.path().join("script").display());
        let mut running = self.throughline.start(Job::new(self.folder.path().join("work"), script, "go")).await.unwrap();
        while running.next(Until::PersonNeeded).await.unwrap().is_some() {}
        running
    }

    /// The same, and let go.
    pub async fn done(&self) -> SessionId {
        let running = self.driven().await;
        let session = running.session();
        running.end().await;
        session
    }
}
