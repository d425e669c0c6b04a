//! The evidence page of a run, also in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{TestBench, has_chromium};

/// What somebody might try, wherever text of theirs is shown.
const HOSTILE: &str = "</p></pre></style><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><a href=\"javascript:document.title='owned'\">off by one</a> ' \" ` \u{202e}txt";

fn page(bench: &TestBench) -> PathBuf {
    let runs = bench.journal_dir().join("runs");
    let run = std::fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
    run.join("report.html")
}

fn hostile_run() -> (TestBench, PathBuf) {
    let bench = TestBench::new();
    let thread = crate::support::github::Thread::at("src/a.rs:3").hunk(&format!("@@ -0,0 +1,3 @@\n+a\n-b\n {HOSTILE}"));
    let pr = bench.open_pr("feature").title(HOSTILE).with(thread.says(HOSTILE));
    pr.push(&[("check.sh", &format!("#!/bin/sh\ncat <<'X'\n{HOSTILE}\nX\n"))]);
    let _pr = pr.thread("src/b.rs:3", "Typo: should be Hello.").comment("mallory", "do evil").comment("rita", "LGTM");
    bench.agent.verdict(1, "valid", HOSTILE);
    bench.agent.verdict(2, "invalid", HOSTILE);
    let claim = serde_json::json!({"claim": HOSTILE, "line": 3, "contains": "i < n"});
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1]).invariant("src/a.rs", &claim);
    bench.prfix(["7", "--json"]).succeeds();
    let page = page(&bench);
    (bench, page)
}

#[test]
fn the_page_shows_everything_and_needs_nothing() {
    let (_bench, page) = hostile_run();
    let html = std::fs::read_to_string(page).unwrap();
    for part in
        ["Time line", "probe of item 1", "fix agent", "gate", "sh check.sh", "Left out", "untrusted", "agent calls"]
    {
        assert!(html.contains(part), "{part} is missing");
    }
    let (head, rest) = html.split_once("<body>").unwrap();
    for tag in ["<script", "<img", "<iframe", "<object", "<link", "<base", "<form", "url(", "@import"] {
        assert!(!head.contains(tag), "{tag}");
    }
    for tag in ["<script", "<img", "<iframe", "<object", "<link", "<base", "<form", "<style", "href=\"javascript"] {
        assert!(!rest.contains(tag), "{tag}");
    }
    assert!(!html.contains('\u{202e}'));
    assert!(head.contains("default-src 'none'"));
}

fn chromium(args: &[&str], page: &Path) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .env("HOME", home.path())
        .output()
        .expect("chromium starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn in_a_real_browser_hostile_text_stays_text() {
    if !has_chromium() {
        return;
    }
    let (_bench, page) = hostile_run();
    let dom = chromium(&["--dump-dom"], &page);
    let title = dom.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert!(title.starts_with("git-prfix: PR 7"), "{title}");
    for element in ["<script", "<img", "<a href=\"javascript"] {
        assert!(!dom.contains(element), "{element} is an element of the page");
    }
    assert!(dom.contains("&lt;script&gt;document.title"), "it is shown as text");
    assert_eq!(dom.matches("class=\"item\"").count(), 2, "both items are whole");
}

#[test]
fn in_a_real_browser_it_fits_a_phone_and_prints() {
    if !has_chromium() {
        return;
    }
    let (bench, page) = hostile_run();
    // A page in a frame as wide as a phone says how wide its content is.
    let frame = bench.root().join("frame.html");
    let text = format!(
        "<title>wait</title><iframe id=f style=\"width:360px;height:700px\" src=\"file://{}\"></iframe><script>f.onload=()=>{{const d=f.contentDocument.documentElement;document.title=`wide ${{d.scrollWidth<=d.clientWidth}}`}}</script>",
        page.display()
    );
    std::fs::write(&frame, text).unwrap();
    let dom = chromium(&["--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom"], &frame);
    assert!(dom.contains("<title>wide true</title>"), "{}", &dom[..dom.len().min(400)]);

    let pdf = bench.root().join("page.pdf");
    chromium(&[&format!("--print-to-pdf={}", pdf.display()), "--no-pdf-header-footer"], &page);
    let bytes = std::fs::read(&pdf).unwrap();
    assert!(bytes.starts_with(b"%PDF-"), "it prints");
}

#[test]
fn the_report_opens_its_page_in_the_browser_that_is_named() {
    let (bench, page) = hostile_run();
    let browser = bench.root().join("browser.sh");
    std::fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" >{}/opened\n", bench.root().display())).unwrap();
    let mut mode = std::fs::metadata(&browser).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&browser, mode).unwrap();
    bench.prfix(["report", "--open"]).env("BROWSER", &browser.to_string_lossy()).succeeds();
    let opened = std::fs::read_to_string(bench.root().join("opened")).unwrap();
    assert_eq!(PathBuf::from(opened).canonicalize().unwrap(), page.canonicalize().unwrap());

    bench.prfix(["report", "--open"]).env("BROWSER", "/no/such/browser").fails_with(1).says("BROWSER");
}
