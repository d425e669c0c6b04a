#!/bin/sh
# Installs the manual pages and the shell completions of git-prfix.
# usage: scripts/install.sh [--prefix DIR] [--uninstall]
#   --prefix DIR  default: ~/.local; /usr/local for everybody
# The program itself is put in place by `cargo install --path .`.
set -eu

prefix=${HOME:?}/.local
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        [ $# -ge 2 ] || { echo '--prefix needs a folder' >&2; exit 2; }
        prefix=$2
        shift 2
        ;;
    --prefix=*)
        prefix=${1#--prefix=}
        shift
        ;;
    --uninstall)
        uninstall=yes
        shift
        ;;
    -h | --help)
        sed -n '2,5s/^# //p' "$0"
        exit 0
        ;;
    *)
        echo "unknown argument: $1 (see --help)" >&2
        exit 2
        ;;
    esac
done

source=$(cd "$(dirname "$0")/.." && pwd)
man=$prefix/share/man
bash=$prefix/share/bash-completion/completions/git-prfix
zsh=$prefix/share/zsh/site-functions/_git-prfix
fish=$prefix/share/fish/vendor_completions.d/git-prfix.fish

if [ -n "$uninstall" ]; then
    for page in "$source"/man/*.[1-9]; do
        rm -f "$man/man${page##*.}/${page##*/}"
    done
    rm -f "$bash" "$zsh" "$fish"
    echo "removed from $prefix"
    exit 0
fi

for page in "$source"/man/*.[1-9]; do
    mkdir -p "$man/man${page##*.}"
    install -m 644 "$page" "$man/man${page##*.}/"
done
echo "manual pages: $man"

if ! program=$(command -v git-prfix); then
    echo "git-prfix is not on PATH, so there are no completions yet: run \"cargo install --path .\", then this again" >&2
    exit 1
fi
# install_completion <shell> <file>: written aside first, so that a failure leaves no half a file.
install_completion() {
    mkdir -p "$(dirname "$2")"
    "$program" completions "$1" >"$2.new"
    mv "$2.new" "$2"
    echo "$1 completion: $2"
}
install_completion bash "$bash"
install_completion zsh "$zsh"
install_completion fish "$fish"

# man finds pages beside a folder of PATH by itself; elsewhere it has to be told.
case :${MANPATH:-}:$PATH: in
*":$man:"* | *":$prefix/bin:"*) ;;
*) echo "add this to your shell's start-up file: export MANPATH=\"$man:\${MANPATH:-}\"" ;;
esac
