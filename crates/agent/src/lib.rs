//! The pure machine of one conversation.
