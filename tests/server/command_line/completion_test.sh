#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion in the real shells, and the manual page as groff reads it. Both are compared with --help.
set -uo pipefail

PATH=$(dirname "$PWD/$1"):$PATH
zsh_offers=$PWD/tests/server/command_line/zsh_offers.zsh
export HOME=$TEST_TMPDIR XDG_CONFIG_HOME=$TEST_TMPDIR XDG_DATA_HOME=$TEST_TMPDIR
cd "${TEST_TMPDIR:?}" || exit 1
touch some.trace
failed=0
fail() { echo "FAILED: $*"; failed=1; }

commands=$(tasklens --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p' | sort)
[[ $commands == *completion* && $commands == *stats* ]] || fail "no commands in --help: $commands"
# Of the command $1, of the program itself where that is ''.
options_of() { tasklens ${1:+"$1"} --help | grep -oE '^  +-[-a-z,]+' | tr -s ', ' '\n' | grep -e - | sort -u; }

# What a shell offers for the words $2...; the last one is being written.
in_bash() {
  bash --norc -c 'eval "$(tasklens completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _tasklens; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort
}
in_fish() { fish --no-config -c 'tasklens completion fish | source; complete -C "$argv"' "$*" | cut -f1 | sort; }
in_zsh() { "$zsh_offers" "$*" | sort; }

# Runs the check where the shell is there.
for shell in bash fish zsh; do
  command -v $shell >/dev/null || { echo "(no $shell here: apt-get install $shell)"; continue; }
  offers() { in_$shell "$@"; }
  mapfile -t expected <<<"$commands"
  got=$(offers tasklens '')
  [[ $(grep -xFf <(printf '%s\n' "${expected[@]}") <<<"$got") == "$commands" ]] ||
    fail "$shell offers the commands $got"
  expected=(codelet kind line size state worker)
  got=$(offers tasklens stats --by '')
  [[ $got == "$(printf '%s\n' "${expected[@]}")" ]] || fail "$shell offers for --by: $got"
  expected=(bash fish zsh)
  got=$(offers tasklens completion '')
  [[ $(grep -xFf <(printf '%s\n' "${expected[@]}") <<<"$got") == "$(printf '%s\n' "${expected[@]}")" ]] ||
    fail "$shell offers the shells $got"
  for command in '' $commands; do
    mapfile -t expected < <(options_of "$command")
    got=$(offers tasklens $command -)
    for option in "${expected[@]}"; do
      grep -qxF -- "$option" <<<"$got" || fail "$shell does not offer $option of '$command': $got"
    done
    [[ " ${expected[*]} " == *' --help '* ]] || fail "no options in the help of '$command'"
  done
  echo "$shell completes"
done
# Files, where no list of choices is.
[[ -z $(in_bash tasklens stats some) ]] || fail "bash would not complete names of files"

# The manual: without a complaint, and with every command and option of --help.
if command -v groff >/dev/null; then
  text=$(tasklens man | groff -man -ww -Tascii -P-cbou 2>complaints)
  [[ ! -s complaints ]] || fail "groff says: $(cat complaints)"
  for command in '' $commands; do
    # From its heading to the next.
    section=$(awk -v command="$command" '
      /^[A-Z]/ { here = command == "" && /^OPTIONS/ }
      /^   tasklens [a-z-]+$/ { here = $2 == command }
      here' <<<"$text")
    [[ -n $section ]] || fail "the manual has no '$command'"
    for option in $(options_of "$command"); do
      grep -qE -- "(^|[ ,])$option([ ,]|\$)" <<<"$section" || fail "the manual has no $option of '$command'"
    done
  done
  grep -q 'EXIT STATUS' <<<"$text" || fail "the manual has no exit status"
else
  echo "(no groff here: apt-get install groff-base)"
fi
tasklens completion csh 2>err
[[ $? == 2 ]] && grep -q "is bash, zsh or fish, not 'csh'" err || fail "completion for csh"
((failed == 0)) && echo "all as expected"
exit $failed
