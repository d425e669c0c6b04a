#!/bin/sh
# tally FILE [N]: numbers the lines of FILE; with N, only the last N of them.
if [ $# -lt 1 ]; then
  echo "usage: tally FILE [N]" >&2
  exit 2
fi
total=$(awk 'END { print NR }' "$1")
first=1
if [ $# -ge 2 ]; then
  first=$((total - $2))
fi
awk -v first="$first" 'NR >= first { print NR ": " $0 }' "$1"
