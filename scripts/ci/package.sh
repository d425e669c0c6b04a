#!/usr/bin/env bash
# Sees that the published crate would hold what it needs and nothing of ours.
set -euo pipefail
cd "$(dirname "$0")/../.."

files=$(cargo package --locked --list --allow-dirty)
for wanted in Cargo.toml README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE src/main.rs man/git-prfix.1; do
    grep -qxF "$wanted" <<<"$files" || {
        echo "the package lacks $wanted" >&2
        exit 1
    }
done
# Whatever the program embeds has to be in it.
while IFS= read -r embedded; do
    grep -qxF "$embedded" <<<"$files" || {
        echo "src embeds $embedded, which the package lacks" >&2
        exit 1
    }
done < <(git ls-files scripts hooks | grep -E '\.lua$|^hooks/' || true)
if grep -E '^(\.ci|target)/' <<<"$files"; then
    echo 'the package holds files that are ours alone' >&2
    exit 1
fi
echo "$(wc -l <<<"$files") files"
