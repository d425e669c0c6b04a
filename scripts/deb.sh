#!/bin/sh
# Builds a Debian package with cargo-deb (`cargo install cargo-deb`): program, manual pages, completions.
# usage: scripts/deb.sh [--target TRIPLE], for instance x86_64-unknown-linux-musl for a static program
set -eu
cd "$(dirname "$0")/.."

cargo deb --version >/dev/null 2>&1 || { echo 'cargo-deb is missing: cargo install cargo-deb' >&2; exit 1; }
out=target/completions
mkdir -p "$out"
# The package's assets have to be there before it is built.
for shell in bash zsh fish; do
    cargo run --quiet --release --locked -- completions "$shell" >"$out/$shell"
done
cargo deb --locked "$@"
