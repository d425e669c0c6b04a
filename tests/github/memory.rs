//! How much memory something takes: it can be told only in a process that does nothing else.

/// Peak resident memory of this process, in KiB (`VmHWM` of `/proc/self/status`).
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// Runs the test with this full name in a process of its own.
pub fn alone(name: &str, test: impl FnOnce()) {
    const ALONE: &str = "PRFIX_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return test();
    }
    let program = std::env::current_exe().unwrap();
    let child = std::process::Command::new(program).args(["--exact", name, "--nocapture"]).env(ALONE, "1").output();
    let child = child.unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "there is no test of the name {name}");
}

/// Fails when it takes 32 MiB or more.
pub fn costs_little_memory(what: impl FnOnce()) {
    let before = peak();
    what();
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after - before < 32 << 10, "{} KiB more", after - before);
    }
}
