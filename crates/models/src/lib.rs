//! Model adapters: the scripted model.
