//! How far the log and each followed stream are known to reach, and the waking of whoever waits for more.
//!
//! Owns who is woken by an append: followers of its stream and those of the whole log, nobody else. Must not read the
//! log: what was appended is told.

use contract::id::StreamId;
use contract::units::{Position, Version};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How far a stream reaches; for the whole log only the position counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub version: Version,
    pub position: Position,
}

pub(crate) type Marks = watch::Receiver<Mark>;

/// Marks only grow. A follower whose mark cannot grow any more, because the log was closed, gets an error.
#[derive(Debug, Default)]
pub(crate) struct Board {
    posts: Mutex<Posts>,
}

#[derive(Debug, Default)]
struct Posts {
    is_closed: bool,
    /// Absent while nobody follows the whole log.
    all: Option<watch::Sender<Mark>>,
    streams: BTreeMap<StreamId, watch::Sender<Mark>>,
}

impl Board {
    /// The mark of one stream, or of the whole log. It begins at zero, which says nothing about what is there already.
    pub fn follow(&self, stream: Option<&StreamId>) -> Marks {
        let mut posts = self.lock();
        // Streams come and go for as long as a process runs; their followers tell nobody when they end.
        posts.streams.retain(|_, post| post.receiver_count() > 0);
        if posts.is_closed {
            return watch::channel(Mark::default()).1;
        }
        match stream {
            Some(stream) => posts.streams.entry(stream.clone()).or_default().subscribe(),
            None => posts.all.get_or_insert_default().subscribe(),
        }
    }

    pub fn announce(&self, stream: &StreamId, mark: Mark) {
        let posts = self.lock();
        for post in posts.all.iter().chain(posts.streams.get(stream)) {
            post.send_if_modified(|known| {
                let is_news = mark.position > known.position;
                if is_news {
                    *known = mark;
                }
                is_news
            });
        }
    }

    /// Whoever follows now is told nothing more; it may follow again.
    pub fn let_go(&self) {
        let mut posts = self.lock();
        *posts = Posts { is_closed: posts.is_closed, ..Posts::default() };
    }

    /// Nothing will be announced any more.
    pub fn close(&self) {
        *self.lock() = Posts { is_closed: true, ..Posts::default() };
    }

    /// Marks are changed one by one, so the posts are whole even if a thread panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Posts> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(name: &str) -> StreamId {
        StreamId::parse(&format!("session/{name}")).unwrap()
    }

    fn mark(number: u64) -> Mark {
        Mark { version: Version(number), position: Position(number) }
    }

    #[test]
    fn only_those_concerned_are_woken() {
        let board = Board::default();
        let (mut one, mut two, mut all) = (board.follow(Some(&stream("one"))), board.follow(Some(&stream("two"))), board.follow(None));
        board.announce(&stream("one"), mark(1));
        let woken = |marks: &mut Marks| (marks.has_changed().unwrap(), *marks.borrow_and_update());
        assert_eq!([&mut one, &mut two, &mut all].map(woken), [(true, mark(1)), (false, mark(0)), (true, mark(1))]);
        board.announce(&stream("one"), mark(1));
        board.announce(&stream("other"), mark(2));
        assert_eq!([&mut one, &mut two, &mut all].map(woken), [(false, mark(1)), (false, mark(0)), (true, mark(2))]);
    }

    #[test]
    fn streams_that_nobody_follows_are_forgotten() {
        let board = Board::default();
        drop(board.follow(Some(&stream("one"))));
        let _two = board.follow(Some(&stream("two")));
        assert_eq!(board.lock().streams.keys().collect::<Vec<_>>(), [&stream("two")]);
    }

    #[test]
    fn followers_that_were_let_go_may_come_again() {
        let board = Board::default();
        let before = board.follow(None);
        board.let_go();
        assert!(before.has_changed().is_err());
        let again = board.follow(None);
        board.announce(&stream("one"), mark(1));
        assert!(again.has_changed().unwrap());
        board.close();
        board.let_go();
        assert!(board.follow(None).has_changed().is_err(), "a closed one stays closed");
    }

    #[test]
    fn followers_of_a_closed_board_are_told() {
        let board = Board::default();
        let before = board.follow(None);
        board.close();
        assert!(before.has_changed().is_err() && board.follow(None).has_changed().is_err());
    }
}
