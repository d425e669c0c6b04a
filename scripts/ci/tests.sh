#!/usr/bin/env bash
# Runs the tests by README.md's own command, then the whole runs once more through the real `gh`, and
# adds up what each test binary says at its end. No test run is a failure, whatever the exit status says.
set -euo pipefail
cd "$(dirname "$0")/../.."

log=target/ci-tests.log
mkdir -p target
status=0
scripts/ci/readme.sh 'cargo test' 2>&1 | tee "$log" || status=$?
PRFIX_TEST_TRANSPORT=gh cargo test --test it run:: 2>&1 | tee -a "$log" || status=$?

awk '
    /^test result:/ { for (i = 2; i <= NF; i++) { if ($i == "passed;") passed += $(i - 1); if ($i == "failed;") failed += $(i - 1) } }
    END { printf "tests: %d passed, %d failed\n", passed, failed; exit passed == 0 }
' "$log" || status=1
exit "$status"
