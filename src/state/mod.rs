//! What a run leaves behind: journal, lock, store.
