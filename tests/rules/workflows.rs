//! What is taken from a failing workflow's own steps, and what never is.

use git_prfix::model::command::ProjectCommand;
use git_prfix::rules::{FailingJob, Snapshot};

use super::helpers::load;

/// The commands that a failing job of a workflow with these steps leads to.
fn taken(steps: &str, step: Option<&str>) -> Vec<String> {
    taken_of("unit", "", steps, step)
}

/// The same for a job with further keys, which GitHub shows by this name.
fn taken_of(shown: &str, keys: &str, steps: &str, step: Option<&str>) -> Vec<String> {
    let workflow = format!("name: CI\non: push\njobs:\n  unit:\n    runs-on: ubuntu-latest\n{keys}    steps:\n{steps}");
    let files = [(".github/workflows/ci.yml".to_owned(), workflow.into_bytes())].into_iter().collect();
    let job = FailingJob { name: shown.into(), workflow: Some("CI".into()), step: step.map(str::to_owned) };
    let rules = load(&[]);
    let found = rules.commands(&Snapshot { files }, &[], &[job]);
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
    let lists = [found.setup, found.test, found.lint, found.narrow];
    let mut all: Vec<String> = lists.iter().flatten().map(ProjectCommand::to_string).collect();
    all.sort();
    all.dedup();
    all
}

fn one_step(run: &str) -> Vec<String> {
    taken(&format!("      - name: It\n        run: {run:?}\n"), Some("It"))
}

#[test]
fn checks_of_every_kind_are_taken() {
    for run in [
        "npm test",
        "npm run test:ci",
        "npm test -- --ci",
        "pnpm -r test",
        "yarn lint",
        "cargo test --release --workspace",
        "make check",
        "./mvnw -B clean verify",
        "./gradlew test --no-daemon",
        "go test -race ./...",
        "pytest tests/test_upload.py",
        "uv run pytest -x",
        "terraform fmt -check",
        "./scripts/check.sh",
        "npm run build",
    ] {
        assert_eq!(one_step(run), [run]);
    }
}

#[test]
fn what_reaches_others_or_changes_the_machine_never_is() {
    for run in [
        "sudo make test",
        "apt-get install -y jest",
        "npm ci",
        "npm publish --tag test",
        "npm run deploy:test",
        "npx playwright install --with-deps",
        "docker push example/test",
        "make deploy-test",
        "make deploy_test",
        "make test deploy",
        "./deploy.sh test",
        "scripts/release-check.sh",
        "terraform apply -auto-approve test",
        "python -m twine upload dist/test",
        "./gradlew test publish",
        "./mvnw test --push",
        "curl https://example.com/test.sh",
        "npm test | tee log",
        "npm test > log",
        "npm test; rm -rf /",
        "bash -c 'npm test'",
    ] {
        assert_eq!(one_step(run), Vec::<String>::new(), "{run}");
    }
}

#[test]
fn a_step_with_a_secret_or_an_unknown_value_is_left_out() {
    let steps = "      - name: A\n        env: {TOKEN: '${{ secrets.TOKEN }}'}\n        run: npm run test:e2e\n\
                 \x20     - name: B\n        run: npm test -- ${{ github.event.pull_request.title }}\n\
                 \x20     - name: C\n        shell: pwsh\n        run: npm test\n\
                 \x20     - name: D\n        working-directory: ${{ matrix.dir }}\n        run: npm test\n";
    assert_eq!(taken(steps, None), Vec::<String>::new());
    assert_eq!(taken(steps, Some("A")), ["npm run test:e2e"], "what failed is worth a try without its secrets");
}

#[test]
fn the_folder_of_a_step_is_followed() {
    let steps = "      - name: It\n        working-directory: web\n        run: |\n          cd app\n          npm ci\n          npm test\n\
                 \x20         cd ../other && npm run lint\n          npm run test:e2e\n";
    assert_eq!(taken(steps, Some("It")), ["(web/app) npm test"]);
}

#[test]
fn lines_inside_of_blocks_and_documents_are_not_taken() {
    let steps = "      - run: |\n          if [ -n \"$CI\" ]; then\n            npm run test:nightly\n          fi\n\
                 \x20         cat > t <<EOF\n          make test\n          EOF\n          npm test\n";
    assert_eq!(taken(steps, None), ["npm test"]);
}

#[test]
fn values_of_the_matrix_are_those_of_the_job_that_failed() {
    let steps = "      - name: It\n        working-directory: ${{ matrix.dir }}\n        run: npm test -- --node ${{ matrix.node }}\n";
    let matrix = "    strategy:\n      matrix:\n        node: [20, 22]\n        dir: [web, api]\n";
    let of = |shown: &str, keys: &str| taken_of(shown, keys, steps, Some("It"));
    assert_eq!(of("unit (22, api)", matrix), ["(api) npm test -- --node 22"]);
    let named = format!("    name: Unit on ${{{{ matrix.node }}}} [${{{{ matrix.dir }}}}]\n{matrix}");
    assert_eq!(of("Unit on 20 [web]", &named), ["(web) npm test -- --node 20"]);
    assert_eq!(of("Unit on -rf [../..]", &named), Vec::<String>::new(), "what the workflow does not list is no value");
    let include = "    strategy:\n      matrix:\n        include:\n          - {os: linux, node: 20, dir: web}\n\
                   \x20         - {os: macos, node: 22, dir: api}\n";
    assert_eq!(of("unit (macos, 22, api)", include), ["(api) npm test -- --node 22"]);
    assert_eq!(
        of("Unit / linux", &format!("    name: Unit / ${{{{ matrix.os }}}}\n{include}")),
        ["(web) npm test -- --node 20"]
    );
    assert_eq!(of("unit", include), Vec::<String>::new(), "nothing tells which it was");
}
