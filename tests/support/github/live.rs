//! What GitHub reads from git: heads, commits and mergeability, taken from the bare repositories on
//! disk before each request, with a lag where a test asks for one.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::store::{NOW, Store, link};
use crate::support::git::{git, read_ref, try_git};

/// Brings every open pull request up to date with its branches.
pub fn refresh(store: &mut Store) {
    for number in 1..100 {
        if let Some(pr) = store.pull_request(number)
            // GitHub leaves the head of one that was closed or merged as it was then.
            && store.text(&pr, "state") == "OPEN"
        {
            refresh_pull_request(store, &pr);
        }
    }
}

fn refresh_pull_request(store: &mut Store, pr: &str) {
    let (Some(base_repo), head_repo) = (store.id(pr, "baseRepository"), store.id(pr, "headRepository")) else { return };
    let hub = store.disks[&base_repo].clone();
    let base = read_ref(&hub, &store.text(pr, "baseRefName"));
    let branch = store.text(pr, "headRefName");
    let head = head_repo.as_ref().and_then(|repo| read_ref(&store.disks[repo], &branch));
    if let Some(base) = &base {
        store.set(pr, "baseRefOid", json!(base));
        let rule = update_rule(store);
        let target = commit(store, &hub, base);
        let name = store.text(pr, "baseRefName");
        store.set(
            pr,
            "baseRef",
            json!({"__typename": "Ref", "id": format!("REF_{name}"), "name": name,
            "prefix": "refs/heads/", "target": target, "refUpdateRule": rule}),
        );
    }
    let Some(head) = head else { return store.set(pr, "headRef", Value::Null) };
    if lags(store, pr, "_headLag", store.text(pr, "headRefOid") != head) {
        return;
    }
    if let Some(fork) = head_repo.filter(|repo| *repo != base_repo) {
        // As GitHub does: the fork's commits are reachable in the base repository.
        let number = store.get(pr, "number");
        let disk = store.disks[&fork].clone();
        git(&hub, &["fetch", "-q", &disk.to_string_lossy(), &format!("+{head}:refs/pull/{number}/head")]);
    }
    let target = commit(store, &hub, &head);
    store.set(
        pr,
        "headRef",
        json!({"__typename": "Ref", "id": format!("REF_{branch}"), "name": branch,
        "prefix": "refs/heads/", "target": target}),
    );
    store.set(pr, "headRefOid", json!(head));
    let seen = format!("{head} {}", base.as_deref().unwrap_or_default());
    let changed = store.text(pr, "_seen") != seen;
    if changed && !lags(store, pr, "_commitsLag", !store.text(pr, "_seen").is_empty()) {
        compare(store, pr, &hub, (base.as_deref().unwrap_or_default(), &head));
        store.set(pr, "_seen", json!(seen));
    }
}

/// Counts one request of a scripted lag down; `false` when there is none left or nothing to hide.
fn lags(store: &mut Store, pr: &str, counter: &str, news: bool) -> bool {
    let left = store.get(pr, counter).as_u64().unwrap_or(0);
    if !news || left == 0 {
        return false;
    }
    store.set(pr, counter, json!(left - 1));
    true
}

/// The commits between base and head, whether they merge, and the checks that a push starts.
fn compare(store: &mut Store, pr: &str, hub: &Path, (base, head): (&str, &str)) {
    let list = git(hub, &["rev-list", "--reverse", "--max-count=250", head, &format!("^{base}")]);
    let mut oids: Vec<&str> = list.lines().collect();
    if oids.is_empty() {
        oids.push(head);
    }
    let mut nodes = Vec::new();
    for oid in oids {
        let target = commit(store, hub, oid);
        nodes.push(json!({"__typename": "PullRequestCommit", "id": format!("PRC_{oid}"), "commit": target}));
    }
    store.set(pr, "commits", json!(nodes));
    let merges = try_git(hub, &["merge-tree", "--write-tree", "--no-messages", base, head]).is_ok();
    store.set(pr, "mergeable", json!(if merges { "MERGEABLE" } else { "CONFLICTING" }));
    store.set(pr, "mergeStateStatus", json!(if merges { "CLEAN" } else { "DIRTY" }));
    super::check::start(store, pr, head);
}

/// The node of a commit, made when it is new.
pub fn commit(store: &mut Store, disk: &Path, oid: &str) -> Value {
    let id = format!("C_{oid}");
    if !store.has(&id) {
        let subject = git(disk, &["log", "-1", "--format=%s", oid]).trim().to_owned();
        store.put(
            &id,
            json!({"__typename": "Commit", "oid": oid, "abbreviatedOid": &oid[..7], "committedDate": NOW,
                "message": subject, "messageHeadline": subject}),
        );
    }
    link(&id)
}

/// `Repository.ref`.
pub fn branch(store: &mut Store, repo: &str, name: &str) -> Value {
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    let disk: PathBuf = store.disks[repo].clone();
    let Some(oid) = read_ref(&disk, name) else { return Value::Null };
    let (target, rule) = (commit(store, &disk, &oid), update_rule(store));
    json!({"__typename": "Ref", "id": format!("REF_{name}"), "name": name, "prefix": "refs/heads/", "target": target,
        "refUpdateRule": rule, "_repo": repo})
}

/// `Repository.object`.
pub fn object(store: &mut Store, repo: &str, args: &Value) -> Value {
    let Some(name) = args["oid"].as_str().or_else(|| args["expression"].as_str()) else { return Value::Null };
    let disk: PathBuf = store.disks[repo].clone();
    match try_git(&disk, &["rev-parse", "--verify", "-q", "--end-of-options", &format!("{name}^{{commit}}")]) {
        Ok(oid) => commit(store, &disk, oid.trim()),
        Err(_) => Value::Null,
    }
}

fn update_rule(store: &Store) -> Value {
    if store.required.is_empty() {
        return Value::Null;
    }
    json!({"__typename": "RefUpdateRule", "requiredStatusCheckContexts": store.required,
        "requiresConversationResolution": false, "viewerCanPush": true})
}
