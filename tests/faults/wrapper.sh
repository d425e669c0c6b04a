#!/bin/sh
# Stands in front of the real git ($1, with a folder for its record in $2) and does to one of its network commands and
# commits what $2/fault says: COMMAND N WHAT.
git=$1
dir=$2
shift 2
command=
for word; do
  case $word in
  fetch | push | commit | ls-remote)
    command=$word
    break
    ;;
  esac
done
[ -n "$command" ] || exec "$git" "$@"

# The calls of a run come one after the other.
echo "$command" >>"$dir/calls"
nth=$(grep -cx "$command" "$dir/calls")
what=
if [ -e "$dir/fault" ]; then
  read -r wanted number what <"$dir/fault"
  [ "$wanted $number" = "$command $nth" ] || what=
fi
case $what in
fails)
  echo 'fatal: unable to access the remote: Could not resolve host' >&2
  exit 128
  ;;
killed)
  # What git locks then, and does not give back.
  case $command in
  commit) locks='index.lock HEAD.lock' ;;
  fetch)
    for refspec; do :; done
    locks=${refspec#*:}.lock
    ;;
  *) locks= ;;
  esac
  for lock in $locks; do
    lock=$("$git" rev-parse --git-path "$lock")
    mkdir -p "$(dirname "$lock")"
    : >"$lock"
  done
  kill -9 $$
  ;;
hangs) exec sleep 1000 ;;
answer-lost)
  "$git" "$@" >/dev/null
  echo 'fatal: the remote end hung up unexpectedly' >&2
  exit 128
  ;;
dies-after)
  "$git" "$@"
  pid=$PPID
  until [ "$(cat "/proc/$pid/comm")" = git-prfix ]; do pid=$(cut -d' ' -f4 "/proc/$pid/stat"); done
  kill -9 "$pid"
  ;;
hangs-after)
  "$git" "$@"
  exec sleep 1000
  ;;
*) exec "$git" "$@" ;;
esac
