#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# One round of git prfix in a CI job. Called by action.yml; the clone is the default branch's.
set -u

pr=${PRFIX_ACTION_PR:-}
case $pr in
'')
    echo '::notice::no pull request belongs to this event'
    exit 0
    ;;
*[!0-9]*)
    echo '::error::the input "pr" is not a number'
    exit 2
    ;;
esac

# The code of a fork is not run beside this job's token, whoever asked for it.
head=$(gh api "repos/$GITHUB_REPOSITORY/pulls/$pr" --jq '.head.repo.full_name // ""') || exit 1
if [ "$head" != "$GITHUB_REPOSITORY" ]; then
    echo "::notice::#$pr comes from a fork; run git prfix for it on your own machine"
    exit 0
fi

if ! command -v git-prfix >/dev/null 2>&1; then
    # The operator's own line, from the workflow file.
    sh -c "$PRFIX_ACTION_INSTALL" || exit 1
fi

# Pushes get the token from gh, which is asked by git alone; nothing is written into the clone.
gh auth setup-git || exit 1
[ -n "$(git config user.email)" ] || {
    git config --global user.name 'github-actions[bot]'
    git config --global user.email '41898282+github-actions[bot]@users.noreply.github.com'
}

report=$RUNNER_TEMP/prfix-$pr.json
set -- "$pr" --once --yes --adopt --json
if [ -n "${PRFIX_ACTION_INSTRUCTIONS:-}" ]; then
    set -- "$@" -- "$PRFIX_ACTION_INSTRUCTIONS"
fi
git-prfix watch "$@" >"$report"
status=$?

{
    echo "status=$status"
    echo "report=$report"
} >>"$GITHUB_OUTPUT"

case $status in
0) exit 0 ;;
3)
    echo "::warning::#$pr needs a person; see the report and the replies on the pull request"
    [ "${PRFIX_ACTION_FAIL:-false}" = true ] && exit 3
    exit 0
    ;;
*) exit "$status" ;;
esac
