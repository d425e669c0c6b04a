//! A person's or the system's wish that the program stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Turns SIGINT, SIGTERM and SIGHUP into a flag that every wait looks at.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn watch_interrupts() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // A second signal ends the program at once, for a person who does not want to wait.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(flag))?;
        signal_hook::flag::register(signal, Arc::clone(flag))?;
        // SAFETY: storing to a static atomic is async-signal-safe.
        unsafe { signal_hook::low_level::register(signal, || INTERRUPTED.store(true, Ordering::SeqCst)) }?;
    }
    Ok(())
}

/// A person or the system asked the program to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
