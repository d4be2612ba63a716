//! Whoever reads what is printed. A pipe whose reader has gone gives no sign until something is written to it, so it is
//! waited for by a thread of its own.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::oneshot;

/// Ends when nobody reads what is printed any more; never, where that cannot be told.
pub async fn gone() {
    let (send, gone) = oneshot::channel();
    std::thread::spawn(move || {
        let out = std::io::stdout();
        // Without a wish only an error or a hang-up is told.
        let mut fds = [PollFd::new(&out, PollFlags::empty())];
        loop {
            match poll(&mut fds, None) {
                Ok(_) => {
                    // Nobody waits for it any more.
                    let _ = send.send(());
                    return;
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    });
    if gone.await.is_err() {
        std::future::pending::<()>().await;
    }
}
