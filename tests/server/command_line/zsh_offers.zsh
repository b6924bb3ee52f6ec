#!/usr/bin/env zsh
# SPDX-License-Identifier: Apache-2.0
# Prints what a real, interactive zsh offers to complete the command line $1, one a line. It gets a
# terminal of its own, and a key that asks for completions.
emulate -L zsh
zmodload zsh/zpty || exit 1
folder=$(mktemp -d)
mkfifo $folder/offers
cat >$folder/.zshrc <<'SETUP'
PS1= RPS1=
autoload -Uz compinit && compinit -u -D
eval "$(tasklens completion zsh)"
exec 9<>$OFFERS
# What would be offered; the line stays as it is. Calls that only filter go through.
compadd() {
  if [[ ${(M)@:#-[AOD]*} ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offered
  builtin compadd -A offered "$@"
  ((! $#offered)) || print -rlu 9 -- $offered
}
said_all() { print -ru 9 -- DONE }
zle -C offer list-choices _main_complete
zle -N said_all
bindkey '^X' offer '^Y' said_all
print -ru 9 -- READY
SETUP
export OFFERS=$folder/offers ZDOTDIR=$folder
zpty shell zsh -d -i
exec 8<>$folder/offers
while read -ru 8 line && [[ $line != READY ]]; do :; done
zpty -nw shell "$1"$'\x18\x19'
while read -ru 8 line && [[ $line != DONE ]]; do print -r -- $line; done
zpty -d shell
rm -rf $folder
