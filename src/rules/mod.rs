//! The Lua host: built-in rules, the user's and the repository's, behind one interface.

mod host;
mod view;

pub use host::{Decision, RuleError, Rules, Source, SourceLayer, Step};
pub use view::{CommentView, FailingJob, PrView, Snapshot};
