#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ssh to another node, which is this machine: ssh_node.sh FOLDER [OPTION OF SSH...] node [COMMAND]
# The server is an sshd of its own that listens nowhere: it has a pipe to its one client. The keys of both are made in FOLDER, and nothing
# of the user's is read or written. `ssh_node.sh FOLDER --missing` says in a line why there can be none, or nothing.
set -euo pipefail

folder=$(realpath "$1") sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || sshd=
shift
node() {
  if [[ ! -e $folder/sshd.conf ]]; then
    ssh-keygen -q -t ed25519 -N '' -f "$folder/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
    printf '%s\n' "HostKey $folder/host_key" "AuthorizedKeysFile $folder/key.pub" "PidFile none" "UsePAM no" \
      "StrictModes no" >"$folder/sshd.conf"
  fi
  exec ssh -F none -i "$folder/key" -o IdentitiesOnly=yes -o BatchMode=yes -o LogLevel=ERROR \
    -o StrictHostKeyChecking=no -o UserKnownHostsFile="$folder/known_hosts" \
    -o ProxyCommand="'$sshd' -i -e -f '$folder/sshd.conf' 2>'$folder/sshd.log'" "$@"
}
if [[ ${1-} == --missing ]]; then
  if [[ -z $sshd ]] || ! command -v ssh ssh-keygen >/dev/null; then
    echo "sshd or ssh is missing (apt-get install openssh-server)"
  elif ! said=$( (node node true) 2>&1); then
    echo "no login to this machine by ssh: $(tail -1 "$folder/sshd.log") ${said//$'\n'/ }"
  fi
else
  node "$@"
fi
