#!/bin/sh
# The scripted agent of the bench: records the call, then does what the test wrote for this role, item
# and round. $1 is the bench's folder for it.
# The steps that are sourced at the end call the functions; ids are words.
# shellcheck disable=SC2317,SC2013
set -u
dir=$1
role=${PRFIX_ROLE:-none}
item=${PRFIX_ITEM:-0}
round=${PRFIX_ROUND:-0}

# Each call has a folder; mkdir is atomic, so that probes at the same time do not collide.
n=1
while ! mkdir "$dir/calls/$n" 2>/dev/null; do
  # Not taken, and still not to be made: a sandbox. Then nothing is recorded.
  [ -d "$dir/calls/$n" ] || break
  n=$((n + 1))
done
if [ -d "$dir/calls/$n" ] && [ -w "$dir/calls/$n" ]; then
  call=$dir/calls/$n
  cat >"$call/prompt"
  printf '%s\n' "$role" "$item" "$round" "$(pwd)" >"$call/facts"
  env >"$call/env"
  cp "${PRFIX_BRIEF:-/dev/null}" "$call/brief"
else
  cat >/dev/null
fi

# replace PATH OLD NEW: the text of file OLD becomes that of file NEW; done already is fine.
replace() {
  awk -v path="$1" -v old_file="$2" -v new_file="$3" '
    function slurp(file,   text, line, sep) {
      while ((getline line < file) > 0) { text = text sep line; sep = "\n" }
      return text
    }
    BEGIN {
      old = slurp(old_file); new = slurp(new_file); text = slurp(path)
      at = index(text, old)
      if (!at) { if (index(text, new)) { print text; exit 0 } exit 65 }
      print substr(text, 1, at - 1) new substr(text, at + length(old))
    }' >"${TMPDIR:-/tmp}/edit.$$" || {
    echo "scripted edit: $1 does not have the text" >&2
    exit 65
  }
  cat "${TMPDIR:-/tmp}/edit.$$" >"$1"
  rm -f "${TMPDIR:-/tmp}/edit.$$"
}

# put PATH FILE: writes a whole file.
put() {
  mkdir -p "$(dirname "$1")"
  cat "$2" >"$1"
}

# A sed program that completes the manifest.
fill=
# line NAME PATH FILE: the line of PATH that has the first line of FILE.
line() {
  number=$(grep -nF -m 1 -e "$(head -n 1 "$3")" -- "$2" | cut -d: -f1)
  fill="$fill;s/\"@line$1@\"/${number:-1}/g"
}

# manifest FILE OTHERS: prints the manifest; "@items@" becomes the ids of the brief without OTHERS.
manifest() {
  ids=
  for id in $(grep -o '"id": *[0-9][0-9]*' "$PRFIX_BRIEF" | grep -o '[0-9]*$' | sort -nu); do
    case " $2 " in *" $id "*) ;; *) ids="$ids${ids:+, }$id" ;; esac
  done
  sed "s/\"@items@\"/$ids/g$fill" "$1"
}

# claims HOLDS WHY: the same word on each claim of the brief, whose claims are lists of path and text.
claims() {
  awk -v holds="$1" -v why="$2" '
    BEGIN { printf "{\"results\": [" }
    /^ *\[$/ {
      getline
      sub(/^ */, ""); sub(/,$/, "")
      printf "%s{\"path\": %s, \"holds\": %s, \"why\": %s}", sep, $0, holds, why
      sep = ", "
    }
    END { print "]}" }' "$PRFIX_BRIEF"
}

for name in "$role-$item-$round" "$role-$item" "$role--$round" "$role"; do
  if [ -e "$dir/steps/$name" ]; then
    # shellcheck disable=SC1090
    . "$dir/steps/$name"
    exit 0
  fi
done
echo "the test scripted nothing for role $role, item $item, round $round" >&2
exit 64
