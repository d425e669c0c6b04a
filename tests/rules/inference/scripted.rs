//! Ruby, PHP and Elixir.

use expect_test::expect;

use super::{Files, check};

#[test]
fn ruby() {
    let rspec: Files<'_> =
        &[("Gemfile", "gem 'rspec'\ngem 'rubocop'\n"), ("Gemfile.lock", ""), ("lib/a.rb", ""), ("spec/a_spec.rb", "")];
    check(
        rspec,
        &["lib/a.rb"],
        expect![[r#"
        setup: bundle install
        test: bundle exec rspec
        lint: bundle exec rubocop
        narrow: bundle exec rspec spec/a_spec.rb
        narrow: bundle exec rubocop --force-exclusion lib/a.rb
    "#]],
    );
    let rails: Files<'_> = &[
        ("Gemfile", "gem 'rails'\n"),
        ("bin/rails", ""),
        ("app/models/user.rb", ""),
        ("test/models/user_test.rb", ""),
    ];
    check(
        rails,
        &["app/models/user.rb"],
        expect![[r#"
        setup: bundle install
        test: bin/rails test
        narrow: bin/rails test test/models/user_test.rb
    "#]],
    );
}

#[test]
fn php() {
    let json = r#"{"require-dev": {"phpunit/phpunit": "11"}, "scripts": {"lint": "phpcs"}}"#;
    check(
        &[("composer.json", json), ("phpunit.xml", ""), ("phpstan.neon", "")],
        &[],
        expect![[r#"
        setup: composer install --no-interaction
        test: vendor/bin/phpunit
        lint: composer run-script lint
        lint: vendor/bin/phpstan analyse
    "#]],
    );
}

#[test]
fn elixir() {
    let files: Files<'_> =
        &[("mix.exs", "{:credo, \"~> 1.0\"}"), (".formatter.exs", ""), ("lib/a/b.ex", ""), ("test/a/b_test.exs", "")];
    check(
        files,
        &["lib/a/b.ex"],
        expect![[r#"
        setup: mix deps.get
        test: mix test
        lint: mix format --check-formatted
        lint: mix credo
        narrow: mix test test/a/b_test.exs
        narrow: mix format --check-formatted
        narrow: mix credo
    "#]],
    );
}

#[test]
fn an_application_of_an_umbrella_is_tested_narrowly_and_the_umbrella_whole() {
    let files: Files<'_> = &[
        ("mix.exs", "[apps_path: \"apps\", deps: [{:credo, \"~> 1.0\"}]]"),
        (".formatter.exs", ""),
        ("apps/web/mix.exs", "[app: :web, deps_path: \"../../deps\"]"),
        ("apps/web/lib/a.ex", ""),
        ("apps/web/test/a_test.exs", ""),
        ("apps/web/lib/untested.ex", ""),
    ];
    check(
        files,
        &["apps/web/lib/a.ex"],
        expect![[r#"
        setup: mix deps.get
        test: mix test
        lint: mix format --check-formatted
        lint: mix credo
        narrow: (apps/web) mix test test/a_test.exs
        narrow: mix format --check-formatted
        narrow: mix credo
    "#]],
    );
    check(
        files,
        &["apps/web/lib/untested.ex"],
        expect![[r#"
        setup: mix deps.get
        test: mix test
        lint: mix format --check-formatted
        lint: mix credo
        narrow: (apps/web) mix test
        narrow: mix format --check-formatted
        narrow: mix credo
    "#]],
    );
}
