//! JavaScript and TypeScript.

use expect_test::expect;

use super::{Files, NPM, check};

#[test]
fn npm_with_a_lock_file() {
    check(
        NPM,
        &["src/a.ts"],
        expect![[r#"
        setup: npm ci
        test: npm test
        lint: npm run lint
        narrow: npx --no-install vitest related --run src/a.ts
        narrow: npx --no-install eslint src/a.ts
    "#]],
    );
    check(
        NPM,
        &[],
        expect![[r#"
        setup: npm ci
        test: npm test
        lint: npm run lint
    "#]],
    );
}

#[test]
fn npms_placeholder_script_is_no_test() {
    let script = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    check(&[("package.json", script), ("index.js", "")], &["index.js"], expect![[""]]);
}

#[test]
fn a_pnpm_workspace_checks_the_package_narrowly_and_everything_at_the_gate() {
    let files: Files<'_> = &[
        (
            "package.json",
            r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "turbo run test", "lint": "turbo run lint"}}"#,
        ),
        ("pnpm-workspace.yaml", "packages: ['packages/*']"),
        ("pnpm-lock.yaml", ""),
        (
            "packages/ui/package.json",
            r#"{"name": "ui", "scripts": {"test": "jest"}, "devDependencies": {"jest": "29", "typescript": "5"}}"#,
        ),
        ("packages/ui/tsconfig.json", "{}"),
        ("packages/ui/src/b.tsx", ""),
    ];
    check(
        files,
        &["packages/ui/src/b.tsx"],
        expect![[r#"
            setup: pnpm install --frozen-lockfile
            test: pnpm test
            lint: (packages/ui) pnpm exec tsc --noEmit -p tsconfig.json
            lint: pnpm run lint
            narrow: (packages/ui) pnpm exec jest --findRelatedTests --passWithNoTests src/b.tsx
            narrow: (packages/ui) pnpm exec tsc --noEmit -p tsconfig.json
        "#]],
    );
    check(
        files,
        &[],
        expect![[r#"
            setup: pnpm install --frozen-lockfile
            test: pnpm test
            lint: pnpm run lint
        "#]],
    );
}

#[test]
fn both_generations_of_yarn() {
    let package = r#"{"scripts": {"test": "jest"}}"#;
    check(
        &[("package.json", package), ("yarn.lock", "# yarn lockfile v1\n")],
        &[],
        expect![[r#"
            setup: yarn install --frozen-lockfile
            test: yarn test
        "#]],
    );
    check(
        &[("package.json", package), ("yarn.lock", "__metadata:\n"), (".yarnrc.yml", "")],
        &[],
        expect![[r#"
            setup: yarn install --immutable
            test: yarn test
        "#]],
    );
}

#[test]
fn bun() {
    check(
        &[("package.json", r#"{"scripts": {"test": "bun test"}}"#), ("bun.lock", "")],
        &[],
        expect![[r#"
        setup: bun install --frozen-lockfile
        test: bun run test
    "#]],
    );
}

#[test]
fn a_watching_test_script_is_replaced() {
    let package = r#"{"scripts": {"test": "vitest --watch"}, "devDependencies": {"vitest": "3"}}"#;
    check(
        &[("package.json", package), ("package-lock.json", "{}")],
        &[],
        expect![[r#"
            setup: npm ci
            test: npx --no-install vitest run
        "#]],
    );
}

#[test]
fn deno() {
    let files: Files<'_> = &[("deno.json", "{ // tasks\n}"), ("a.ts", ""), ("a_test.ts", "")];
    check(
        files,
        &["a.ts"],
        expect![[r#"
        test: deno test
        lint: deno lint
        lint: deno check .
        narrow: deno lint
        narrow: deno check .
        narrow: deno test a_test.ts
    "#]],
    );
}
