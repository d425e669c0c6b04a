//! The Lua host: built-in rules, the user's and the repository's, behind one interface.
//!
//! [`Rules`] is what the rest of the program sees. Inside, `sandbox`, `limits` and `patterns` make a machine that
//! is safe to run; `interface`, `helpers` and `registry` are what a rule file sees; `ask` and the files named after
//! a question put that question to the rules. Rules are given frozen pictures and return data.

mod adapters;
mod advice;
mod ask;
mod builtin;
mod commands_json;
mod decide;
mod diagnose;
mod difference;
mod engine;
mod explain;
mod folder;
mod helpers;
mod host;
mod infer;
mod interface;
mod limits;
mod list;
mod nearest;
mod patterns;
mod pictures;
mod plan;
mod prose;
mod protect;
mod registry;
mod repo;
mod sandbox;
mod scaffold;
mod shell;
mod show;
mod sources;
mod syntax;
mod team;
mod testing;
mod texts;
mod triage;
mod trust;
mod view;

pub use commands_json::commands_json;
pub use difference::diff;
pub use explain::{AuthorInput, BadComment, CommentInput, Explained};
pub use host::{Decision, RuleError, Rules, Source, SourceLayer, Step};
pub use list::RuleInfo;
pub use scaffold::SCAFFOLD;
pub use syntax::{Reader, SyntaxCheck};
pub use team::{TeamError, TeamFiles};
pub use testing::TestResult;
pub use texts::{PushVerdict, Retrigger};
pub use trust::{Choice, Published, RecordError, TrustRecord, choose};
pub use view::{CommentView, FailingJob, PrView, Snapshot};
