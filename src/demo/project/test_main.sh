#!/bin/sh
# The tests of tally.
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf 'one\ntwo\nthree\n' >"$file"
failed=0

# expect NAME EXPECTED ACTUAL
expect() {
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    printf 'not ok: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

expect 'all lines are numbered' '1: one 2: two 3: three ' "$(sh tally.sh "$file" | tr '\n' ' ')"
exit $failed
