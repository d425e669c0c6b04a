#!/bin/sh
# tally FILE: numbers the lines of FILE.
if [ $# -lt 1 ]; then
  echo "usage: tally FILE"
  exit 2
fi
awk '{ print NR ": " $0 }' "$1"
