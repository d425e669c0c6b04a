#!/usr/bin/env bash
# Runs a command exactly as README.md prints it: readme.sh <command>.
# A command that README.md no longer shows is a failure, so that the two never drift apart.
set -euo pipefail
cd "$(dirname "$0")/../.."

wanted=$1
command=$(awk -v wanted="$wanted" '/^```/ { inside = !inside; next } inside && $0 == wanted { print; exit }' README.md)
if [[ -z $command ]]; then
    echo "README.md shows no command \`$wanted\`" >&2
    exit 1
fi
echo "$ $command"
bash -c "$command"
