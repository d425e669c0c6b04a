#!/usr/bin/env bash
# Lints every shell script of the repository, wherever it stands and whatever it is called.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts=()
while IFS= read -r -d '' file; do
    if [[ -f $file ]] && head -c 64 "$file" | head -n 1 | grep -qE '^#!.*\b(sh|bash)\b'; then
        scripts+=("$file")
    fi
done < <(git ls-files -z --cached --others --exclude-standard)

if ((${#scripts[@]} == 0)); then
    echo 'found no script: this check looks in the wrong place' >&2
    exit 1
fi
shellcheck --external-sources "${scripts[@]}"
echo "${#scripts[@]} scripts are clean"
