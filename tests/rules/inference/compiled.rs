//! Languages with a compiler.

use expect_test::expect;

use super::{Files, check};

#[test]
fn cargo() {
    let workspace: Files<'_> = &[
        ("Cargo.toml", "[workspace]\nmembers = ['crates/*']\n"),
        ("Cargo.lock", ""),
        (".config/nextest.toml", ""),
        ("crates/core/Cargo.toml", "[package]\nname = 'core'\n"),
        ("crates/core/src/lib.rs", ""),
    ];
    check(
        workspace,
        &["crates/core/src/lib.rs"],
        expect![[r#"
        setup: cargo fetch --locked
        test: cargo nextest run --workspace
        lint: cargo clippy --workspace --all-targets -- -D warnings
        lint: cargo fmt --all --check
        narrow: cargo nextest run -p core
        narrow: cargo clippy -p core --all-targets -- -D warnings
    "#]],
    );
    check(
        &[("Cargo.toml", "[package]\nname = 'a'\n"), ("src/main.rs", "")],
        &["src/main.rs"],
        expect![[r#"
        setup: cargo fetch
        test: cargo test
        lint: cargo clippy --all-targets -- -D warnings
        lint: cargo fmt --check
        narrow: cargo test
    "#]],
    );
}

#[test]
fn go() {
    let files: Files<'_> = &[("go.mod", "module x"), (".golangci.yml", ""), ("main.go", ""), ("pkg/a/a.go", "")];
    check(
        files,
        &["pkg/a/a.go", "main.go"],
        expect![[r#"
        setup: go mod download
        test: go test ./...
        lint: go vet ./...
        lint: golangci-lint run
        narrow: go test ./pkg/a .
        narrow: go vet ./pkg/a .
    "#]],
    );
}

#[test]
fn the_jvm() {
    let maven: Files<'_> =
        &[("pom.xml", "<modules/>"), ("mvnw", ""), ("core/pom.xml", ""), ("core/src/main/java/x/Parser.java", "")];
    check(
        maven,
        &["core/src/main/java/x/Parser.java"],
        expect![[r#"
        setup: ./mvnw -B -q dependency:go-offline
        test: ./mvnw -B test
        narrow: ./mvnw -B -pl core -am '-Dsurefire.failIfNoSpecifiedTests=false' '-DfailIfNoTests=false' '-Dtest=ParserTest' test
    "#]],
    );
    let gradle: Files<'_> = &[
        ("settings.gradle.kts", ""),
        ("gradlew", ""),
        ("build.gradle.kts", "plugins { id(\"com.diffplug.spotless\") }"),
        ("app/build.gradle.kts", ""),
        ("app/src/A.kt", ""),
    ];
    check(
        gradle,
        &["app/src/A.kt"],
        expect![[r#"
        test: ./gradlew test
        lint: ./gradlew spotlessCheck
        narrow: ./gradlew :app:test
    "#]],
    );
    check(
        &[("build.sbt", ""), ("src/A.scala", "")],
        &[],
        expect![[r#"
        setup: sbt update
        test: sbt test
    "#]],
    );
}

#[test]
fn dotnet() {
    let files: Files<'_> =
        &[("App.sln", ""), ("src/App/App.csproj", ""), ("tests/App.Tests/App.Tests.csproj", ""), ("src/App/A.cs", "")];
    check(
        files,
        &["src/App/A.cs"],
        expect![[r#"
        setup: dotnet restore
        test: dotnet test
        narrow: dotnet test
    "#]],
    );
}

#[test]
fn swift_and_zig() {
    check(
        &[("Package.swift", ".testTarget(name: \"ATests\")"), ("Sources/A.swift", "")],
        &[],
        expect![[r#"
        setup: swift package resolve
        test: swift test
    "#]],
    );
    check(
        &[("build.zig", "b.step(\"test\", \"\")"), ("src/a.zig", "")],
        &["src/a.zig"],
        expect![[r#"
        test: zig build test
        lint: zig fmt --check .
        narrow: zig build test
        narrow: zig fmt --check src/a.zig
    "#]],
    );
}

#[test]
fn c_and_cpp() {
    let presets = r#"{"configurePresets": [{"name": "dev"}], "buildPresets": [{"name": "dev"}], "testPresets": [{"name": "dev"}]}"#;
    check(
        &[("CMakePresets.json", presets), ("CMakeLists.txt", ""), ("a.c", "")],
        &["a.c"],
        expect![[r#"
        setup: cmake --preset dev
        test: cmake --build --preset dev
        test: ctest --preset dev --output-on-failure
        narrow: cmake --build --preset dev
        narrow: ctest --preset dev --output-on-failure
    "#]],
    );
    check(
        &[("CMakeLists.txt", "enable_testing()\n"), ("a.c", "")],
        &[],
        expect![[r#"
        setup: cmake -S . -B build
        test: cmake --build build
        test: ctest --test-dir build --output-on-failure
    "#]],
    );
    check(
        &[("meson.build", "project('a', 'c')"), ("a.c", "")],
        &[],
        expect![[r#"
        setup: meson setup build
        test: meson test -C build
    "#]],
    );
}
