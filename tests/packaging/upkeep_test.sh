#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installed again, over an older version, stopped in the middle, where it cannot be, and taken away: nothing is left,
# nothing of the user's is gone, and there is a whole version or none.
source tests/packaging/common.sh
umask 077

# A prefix where something of the user's is.
prefix="$HOME/.local"
mkdir -p "$prefix/share/man" "$prefix/share/emacs/site-lisp" "$HOME/bin"
echo mine >"$prefix/share/man/mine"
ln -s ../.local/bin/tasklens "$HOME/bin/tl"
listing "$HOME" >"$work/without"
with=(--prefix "$prefix" --with neovim,emacs --symbols none)

run install "${with[@]}"
[[ $status == 0 ]] || fail "install: $(<"$work/said")"
listing "$HOME" >"$work/installed"
closed=$(find "$prefix"/{bin,lib,share/tasklens,share/nvim} \( ! -perm -o=r -o -type d ! -perm -o=x \) ! -type l)
[[ -z $closed ]] || fail "not for all to read: $closed"
run install "${with[@]}"
listing "$HOME" | cmp - "$work/installed" || fail "a second installation"
run uninstall --prefix "$prefix"
[[ $status == 0 && ! -s $work/said ]] || fail "uninstall: $(<"$work/said")"
listing "$HOME" | cmp - "$work/without" || fail "after it was taken away"
run uninstall --prefix "$prefix"
refused 1 "is not installed below"
echo "ok: twice, and taken away"

# Over an older version: it had a list without marks, other files, and files that the user changed.
run install "${with[@]}"
sed -i 's/\t.*//' "$prefix/share/tasklens/installed"
mkdir "$prefix/share/tasklens/pages"
echo old >"$prefix/share/tasklens/pages/page"
printf '%s\n' share/tasklens/pages/ share/tasklens/pages/page >>"$prefix/share/tasklens/installed"
find "$prefix" ! -type d -exec touch -h -d '-1 day' {} +
echo mine >"$prefix/share/emacs/site-lisp/tasklens.el"
ln -sf /my/tasklens "$prefix/lib/tasklens/bin/starpu_fxt_tool"
echo mine >"$prefix/lib/tasklens/bin/mine"
run install "${with[@]}"
[[ $status == 0 ]] || fail "over an older version: $(<"$work/said")"
grep -q "you had changed $prefix/share/emacs/site-lisp/tasklens.el; yours is now .*/tasklens.el.changed$" "$work/said" ||
  fail "what it says of changed files: $(<"$work/said")"
[[ ! -e $prefix/share/tasklens/pages ]] || fail "a folder of the older version"
[[ $(<"$prefix/share/emacs/site-lisp/tasklens.el.changed") == mine ]] || fail "the user's file"
[[ $(readlink "$prefix/lib/tasklens/bin/starpu_fxt_tool.changed") == /my/tasklens ]] || fail "the user's link"
"$prefix/lib/tasklens/bin/starpu_fxt_tool" --help >/dev/null || fail "the new link"
echo more >>"$prefix/share/doc/tasklens/README.md"
run uninstall --prefix "$prefix"
grep -q "$prefix/share/doc/tasklens/README.md stays, as it was changed" "$work/said" || fail "it stays: $(<"$work/said")"
left=$(cd "$prefix" && find . ! -type d | sort | xargs)
[[ $left == "./lib/tasklens/bin/mine ./lib/tasklens/bin/starpu_fxt_tool.changed ./share/doc/tasklens/README.md\
 ./share/emacs/site-lisp/tasklens.el.changed ./share/man/mine" ]] || fail "left: $left"
rm -r "$prefix/lib" "$prefix/share/doc" "$prefix/share/emacs/site-lisp/tasklens.el.changed"
listing "$HOME" | cmp - "$work/without" || fail "folders are left"
echo "ok: over an older version"

# Stopped in the middle, by a signal that the tool sends which strips the programs: the old version stays.
run install "${with[@]}"
mkdir "$work/tools"
printf '#!/bin/sh\nkill -$SIGNAL $PPID\nexec %s "$@"\n' "$(command -v objcopy)" >"$work/tools/objcopy"
chmod +x "$work/tools/objcopy"
for signal in TERM INT HUP; do
  SIGNAL=$signal PATH=$work/tools:$PATH run install "${with[@]}"
  refused $((128 + $(kill -l $signal))) "interrupted"
  listing "$HOME" | cmp - "$work/installed" || fail "stopped by $signal"
done
SIGNAL=KILL PATH=$work/tools:$PATH run install "${with[@]}"
"$prefix/bin/tasklens" --version >/dev/null || fail "killed: the older version is gone"
run install "${with[@]}"
listing "$HOME" | cmp - "$work/installed" || fail "after a kill"
echo "ok: stopped in the middle"

# Where it cannot be put: one line, and what was there stays.
touch "$work/file"
for place in "$work/file" "$work/file/below"; do
  run install --prefix "$place" --with none
  refused 1 "$work/file is a file; choose another --prefix"
done
mkdir -p "$work/other/bin"
echo theirs >"$work/other/bin/tasklens"
run install --prefix "$work/other" --with none
refused 1 "bin/tasklens is there already and is not TaskLens'"
[[ $(find "$work/other" | xargs) == "$work/other $work/other/bin $work/other/bin/tasklens" ]] || fail "half an installation"

# (Root may write everywhere, but for the capability to.)
ordinary=()
[[ $(id -u) != 0 ]] || ordinary=(setpriv --bounding-set=-all --inh-caps=-all)
mkdir -m 555 "$work/readonly"
real=$install
install() { "${ordinary[@]}" "$real" "$@"; }
install=install
run install --prefix "$work/readonly" --with none
refused 1 "$work/readonly is not yours to write to; choose another --prefix"
run install --prefix "$work/readonly/below" --with none
refused 1 "$work/readonly is not yours to write to"
chmod 555 "$prefix/lib/tasklens"
run install "${with[@]}"
refused 1 "$prefix/lib/tasklens"
chmod 755 "$prefix/lib/tasklens"
chmod 555 "$prefix/share/tasklens"
run uninstall --prefix "$prefix"
refused 1 "$prefix/share/tasklens is not yours to write to"
chmod 755 "$prefix/share/tasklens"
listing "$HOME" | cmp - "$work/installed" || fail "a folder that is read-only"
echo "ok: refused"

# No space: on a small disk in memory, with a version that fits, and one that does not.
in_small_disk() {
  mount -t tmpfs -o size=2500k,mode=755 none "$work/small"
  mkdir -p "$work/small/share/tasklens" "$work/small/bin"
  echo old >"$work/small/bin/tasklens"
  printf '%s\n' bin/tasklens share/tasklens/installed >"$work/small/share/tasklens/installed"
  listing "$work/small" >"$work/before"
  install=$real
  run install --prefix "$work/small" --with none
  refused 1 "o space left on device"
  listing "$work/small" | cmp - "$work/before" || fail "a full disk"
}
mkdir "$work/small"
if unshare -rm true 2>/dev/null; then
  export -f in_small_disk listing run refused fail
  export work real tree
  unshare -rm bash -euc in_small_disk
  echo "ok: a full disk"
else
  echo "SKIPPED: a full disk (this needs user namespaces)"
fi
