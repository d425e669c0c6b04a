#!/bin/sh
# Builds the fuzz targets and runs each for a minute (or for the seconds that are given) from its corpus.
#
#   scripts/fuzz.sh [seconds] [target]…
#
# Needs a C++ compiler and `cargo install cargo-fuzz`. It works with the stable toolchain: there is no sanitizer, and
# what is looked for are panics, overflows, broken properties (fuzz/properties.rs), hangs and floods of memory.
#
# An input that was found lies in fuzz/artifacts/<target>/. Copy it to fuzz/corpus/<target>/ under a name that says
# what it is: `cargo test --test it project::fuzz` then tries it for ever.
set -eu

cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- answer journal pre_push log suggestion rules

# What a mutated input finds goes where it is not committed.
grown=$(mktemp -d)
trap 'rm -rf "$grown"' EXIT

for target in "$@"; do
    printf '\n==== %s, %s s\n' "$target" "$seconds"
    mkdir "$grown/$target"
    cargo fuzz run --sanitizer none "$target" "$grown/$target" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
done
