//! Our own memory, which may hold tokens.

/// Keeps other processes of the same user from reading the memory and the environment of this one. Children are
/// readable again from their exec on. Root reads everything; where there is no such switch, nothing happens.
pub fn conceal_memory() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable) {
        tracing::debug!(target: "prfix::process", %error, "memory stays readable");
    }
}
