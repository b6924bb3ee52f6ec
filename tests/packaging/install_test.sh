#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TaskLens is put below a prefix, used as a user would, and taken away, with nothing left; the same with the
# Debian package and dpkg.
set -euo pipefail

tree=$PWD
install="$tree/packaging/install.py"
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/install.XXXXXX")")
export HOME=$work/home TMPDIR=$work
mkdir "$HOME"

fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

# Compiles examples/hello by pkg-config, runs it traced, and reads the trace.
use() { # the program tasklens, what pkg-config is to be told (NAME=VALUE...)
  local program=$1 flags
  shift
  cp -L "$tree/examples/hello.c" "$work/hello.c"
  flags=$(env "$@" pkg-config --cflags --libs starpu-1.4)
  eval "cc '$work/hello.c' $flags -o '$work/hello'"
  rm -rf "$work/trace"
  (cd "$work" && "$program" run -o trace -- ./hello) >"$work/said" || fail "the program does not run"
  grep -q 'Hello world, the answer is' "$work/said" || fail "what the program writes"
  "$program" stats "$work/trace" | grep -q '^3 tasks' || fail "its trace"
}

# A prefix with a blank, in a folder that has something of the user's.
prefix="$work/a prefix"
mkdir -p "$prefix/share/man"
echo mine >"$prefix/share/man/mine"
"$install" install --prefix "$prefix" --built "$tree" 2>"$work/said"
use "$prefix/bin/tasklens" PKG_CONFIG_PATH="$prefix/lib/tasklens/pkgconfig"
eval "cc '$work/hello.c' $("$prefix/bin/tasklens" flags) -o '$work/hello2'" || fail "tasklens flags"
PKG_CONFIG_PATH='' pkg-config --exists starpu-1.4 && fail "pkg-config finds it without being asked to"
"$prefix/lib/tasklens/bin/starpu_fxt_tool" -i "$work"/trace/*.tlt -d "$work/converted" >"$work/said" || fail "starpu_fxt_tool"
STARPU_HOME="$work/measured" "$prefix/lib/tasklens/bin/starpu_calibrate_bus" || fail "starpu_calibrate_bus"
STARPU_HOME="$work/measured" "$prefix/lib/tasklens/bin/starpu_machine_display" | grep -q '^StarPU has found' || fail "starpu_machine_display"
ls "$work/measured/.starpu/sampling/bus" | grep -q 'platform.v4.xml$' || fail "starpu_calibrate_bus"
[[ -s $work/converted/paje.trace ]] || fail "what starpu_fxt_tool writes"
groff -man -Tutf8 "$prefix/share/man/man1/tasklens.1" | grep -q TaskLens || fail "the manual page"
bash -c 'source "$1" && complete -p tasklens' - "$prefix/share/bash-completion/completions/tasklens" >/dev/null ||
  fail "completion in bash"
XDG_DATA_DIRS="$prefix/share" nvim --headless -i NONE -n +'exe exists(":TaskLensRun") == 2 ? "qall!" : "cquit 1"' </dev/null ||
  fail "Neovim does not find its plugin"
emacs --batch -L "$prefix/share/emacs/site-lisp" --eval '(package-initialize)' -l tasklens -l tasklens-views </dev/null 2>"$work/said" ||
  fail "Emacs does not load its package: $(<"$work/said")"
[[ -s $prefix/share/tasklens/tasklens-eclipse.zip ]] || fail "Eclipse's update site"

# Installed again: the same, once. A file of somebody else is not overwritten.
find "$prefix" | sort >"$work/before"
"$install" install --prefix "$prefix" --built "$tree" 2>"$work/said"
find "$prefix" | sort | cmp - "$work/before" || fail "a second installation"
mkdir -p "$work/other/bin"
echo theirs >"$work/other/bin/tasklens"
if "$install" install --prefix "$work/other" --built "$tree" 2>"$work/said"; then fail "a file of somebody else"; fi
grep -q 'bin/tasklens is there already' "$work/said" || fail "what it says of it: $(<"$work/said")"
[[ $(find "$work/other" -type f) == "$work/other/bin/tasklens" ]] || fail "half an installation"

"$install" uninstall --prefix "$prefix"
[[ $(find "$prefix" -type f) == "$prefix/share/man/mine" && ! -e $prefix/bin ]] || fail "left behind: $(find "$prefix")"
if "$install" uninstall --prefix "$prefix" 2>"$work/said"; then fail "uninstalled twice"; fi
grep -q 'is not installed below' "$work/said" || fail "what it says of that: $(<"$work/said")"
echo "ok: a prefix"

# The Debian package, in a root of its own. (Without maintainer scripts dpkg needs no other root than that.)
packaging/make_deb.py "$work/tasklens.deb" "$tree" 2>"$work/said" || fail "the package: $(<"$work/said")"
dpkg-deb --field "$work/tasklens.deb" Depends | grep -q libqt6core6 || fail "what it depends on"
root=$work/root
export PATH=$PATH:/usr/sbin:/sbin  # for dpkg
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
package=(dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$work/log")
"${package[@]}" --install "$work/tasklens.deb" >"$work/said" 2>&1 || fail "dpkg: $(<"$work/said")"
export LD_LIBRARY_PATH=$root/usr/lib/tasklens
use "$root/usr/bin/tasklens" PKG_CONFIG_PATH="$root/usr/lib/tasklens/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
"${package[@]}" --purge tasklens >"$work/said" 2>&1 || fail "dpkg: $(<"$work/said")"
left=$(find "$root" -not -path "$root/var*" -not -path "$root")
[[ -z $left ]] || fail "left behind: $left"
echo "ok: the Debian package"
