#!/usr/bin/env bash
# Lints the manual pages, and sees that each renders to something.
set -euo pipefail
cd "$(dirname "$0")/../.."

shopt -s nullglob
pages=(man/*.[1-9])
if ((${#pages[@]} == 0)); then
    echo 'there are no manual pages' >&2
    exit 1
fi
mandoc -Tlint -Wwarning "${pages[@]}"
for page in "${pages[@]}"; do
    lines=$(mandoc -Tutf8 "$page" | wc -l)
    printf '%-32s %s lines\n' "$page" "$lines"
    ((lines > 20)) || exit 1
done
