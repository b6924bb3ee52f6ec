#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TaskLens is put below a prefix, for the editors that are asked for, and used as a user would.
source tests/packaging/common.sh

prefix="$work/a prefix"
run install --prefix "$prefix" --with eclipse,neovim,emacs --symbols all
[[ $status == 0 ]] || fail "install: $(<"$work/said")"
use "$prefix/bin/tasklens" PKG_CONFIG_PATH="$prefix/lib/tasklens/pkgconfig"
eval "cc '$work/hello.c' $("$prefix/bin/tasklens" flags) -o '$work/hello2'" || fail "tasklens flags"
# As other people's builds look for StarPU: by each of its names, and by a folder of its shape.
for name in libstarpu starpu-1.{0,1,2,3,4}; do
  PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=$prefix/lib/tasklens/pkgconfig pkg-config --exists $name || fail "$name.pc"
done
shape=$prefix/lib/tasklens/starpu
cc "$work/hello.c" -I"$shape/include/starpu/1.4" -L"$shape/lib" -Wl,-rpath,"$shape/lib" -lstarpu-1.4 -o "$work/hello3" &&
  "$work/hello3" >"$work/said" || fail "the folder of StarPU's shape: $(<"$work/said")"
includes=$(PKG_CONFIG_PATH=$shape/lib/pkgconfig pkg-config --variable=includedir starpu-1.4)
[[ -s ${includes//\\/}/starpu/1.4/starpu_config.h ]] || fail "includedir: $includes"
cp "$prefix/bin/tasklens" "$prefix/share/tasklens/elsewhere"
"$prefix/share/tasklens/elsewhere" flags 2>"$work/said" && fail "a program that is no part of an installation uses it"
grep -q 'not found beside the program' "$work/said" || fail "what it says of that: $(<"$work/said")"
rm "$prefix/share/tasklens/elsewhere"
PKG_CONFIG_PATH='' pkg-config --exists starpu-1.4 && fail "pkg-config finds it without being asked to"
"$prefix/lib/tasklens/bin/starpu_fxt_tool" -i "$work"/trace/*.tlt -d "$work/converted" >"$work/said" || fail "starpu_fxt_tool"
[[ -s $work/converted/paje.trace ]] || fail "what starpu_fxt_tool writes"
# By its name alone, too, but for those of StarPU's own tools that the machine has: they stay the ones that are found.
for twin in starpu_fxt_tool starpu_perfmodel_display starpu_lp2paje starpu_fxt_stats fxt_print starpu_workers_activity starpu_mpi_comm_matrix.py; do
  if command -v "$twin" >/dev/null; then
    [[ ! -e $prefix/bin/$twin ]] || fail "$twin hides the one of the machine"
  else
    "$prefix/bin/$twin" --help >/dev/null || fail "$twin in bin"
  fi
done
STARPU_HOME="$work/measured" "$prefix/lib/tasklens/bin/starpu_calibrate_bus" || fail "starpu_calibrate_bus"
STARPU_HOME="$work/measured" "$prefix/lib/tasklens/bin/starpu_machine_display" | grep -q '^StarPU has found' || fail "starpu_machine_display"
ls "$work/measured/.starpu/sampling/bus" | grep -q 'platform.v4.xml$' || fail "starpu_calibrate_bus"
# Pages lie as in the tree, so that their links lead to something.
python3 - "$prefix/share/doc/tasklens" >"$work/said" <<'END' || fail "links of pages: $(<"$work/said")"
import pathlib, re, sys

pages = list(pathlib.Path(sys.argv[1]).rglob("*.md"))
links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text())]
dead = [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()]
print(*dead, sep="\n")
sys.exit(bool(dead) or len(pages) < 15)
END
groff -man -Tutf8 "$prefix/share/man/man1/tasklens.1" | grep -q TaskLens || fail "the manual page"
bash -c 'source "$1" && complete -p tasklens' - "$prefix/share/bash-completion/completions/tasklens" >/dev/null ||
  fail "completion in bash"
XDG_DATA_DIRS="$prefix/share" nvim --headless -i NONE -n +'exe exists(":TaskLensRun") == 2 ? "qall!" : "cquit 1"' </dev/null ||
  fail "Neovim does not find its plugin"
emacs --batch -L "$prefix/share/emacs/site-lisp" --eval '(package-initialize)' -l tasklens -l tasklens-views </dev/null 2>"$work/said" ||
  fail "Emacs does not load its package: $(<"$work/said")"
# The one line for its init file: each command is there, before the package is loaded.
emacs --batch --eval "(load \"$prefix/share/emacs/site-lisp/tasklens-autoloads\")" --eval '(progn
  (dolist (command (list (quote tasklens-run) (quote tasklens-launch) (quote tasklens-again) (quote tasklens-advice)
                         (quote tasklens-graph) (quote tasklens-timeline) (quote tasklens-runs) (quote tasklens-compare)))
    (unless (commandp command) (error "%s is no command" command)))
  (when (featurep (quote tasklens)) (error "the package is loaded already")))' </dev/null 2>"$work/said" ||
  fail "Emacs does not know the commands: $(<"$work/said")"
[[ -s $prefix/share/tasklens/tasklens-eclipse.zip ]] || fail "Eclipse's update site"
[[ ! -e $prefix/share/tasklens/tasklens.vsix ]] || fail "a plugin that was not asked for"
echo "ok: used"

# A debugger finds the names of functions beside the programs, which are without.
name_of() { addr2line -f -e "$1" "$address" | head -n 1; }
for program in bin/tasklens lib/tasklens/libstarpu.so; do
  symbols=$prefix/${program%/*}/.debug/${program##*/}.debug
  readelf -SW "$prefix/$program" | grep -q -e '\.debug_info' -e '\.symtab' && fail "$program is not stripped"
  read -r address _ name < <(nm "$symbols" | awk '$2 == "t"' | grep -m 1 ' _ZN')
  [[ $(name_of "$prefix/$program") == "$name" ]] || fail "$program: no symbols"
  cp "$prefix/$program" "$work/alone"
  [[ $(name_of "$work/alone") != "$name" ]] || fail "$program has symbols of its own"
done
run install --prefix "$prefix" --with none
mpi=
if [[ -e $prefix/lib/tasklens/libstarpumpi-1.4.so ]]; then mpi=" ./lib/tasklens/.debug/libstarpumpi-1.4.so.debug"; fi
[[ $(cd "$prefix" && find . -name '*.debug' -type f | sort | xargs) == "./lib/tasklens/.debug/libstarpu.so.debug$mpi\
 ./lib/tasklens/.debug/libtasklens-cuda.so.debug" ]] || fail "the symbols without --symbols"
run install --prefix "$prefix" --with none --symbols none
[[ $status == 0 && -z $(find "$prefix" -name '*.debug' -o -name '*.zip' -o -name '*.el' -o -name '*.lua') ]] ||
  fail "what is no longer asked for: $(find "$prefix")"
echo "ok: symbols"

# Without --with: for the editors on the machine. It says which are left out.
mkdir "$work/few"
ln -s "$(python3 -c "import sys; print(sys.executable)")" "$work/few/python3"
ln -s "$(command -v objcopy)" "$work/few"
ln -s /bin/true "$work/few/nvim"
PATH=$work/few run install --prefix "$prefix"
for editor in Eclipse "VS Code" Emacs; do
  grep -q "^tasklens: the plugin of $editor is left out: $editor is not on this machine; --with " "$work/said" || fail "$editor: $(<"$work/said")"
done
[[ -d $prefix/share/nvim && ! -e $prefix/share/emacs && ! -e $prefix/share/tasklens/tasklens-eclipse.zip ]] ||
  fail "the plugins of the editors that are there"
grep -q 'Neovim' "$work/said" && fail "Neovim is said to be left out"
PATH=$work/few run plan --prefix "$prefix"
[[ $status == 0 && -z $(<"$work/out") ]] || fail "what is to be built for Neovim: $(<"$work/out")"
# One whose plugin could not be built is left out as well, with what to do.
ln -s /bin/true "$work/few/eclipse"
PATH=$work/few run plan --prefix "$prefix"
[[ $(<"$work/out") == "may eclipse" ]] || fail "what is to be built for Eclipse: $(<"$work/out")"
PATH=$work/few run install --prefix "$prefix" --unbuilt eclipse,
grep -q "the plugin of Eclipse is left out: .*; --with eclipse says what is missing" "$work/said" ||
  fail "a plugin that was not built: $(<"$work/said")"
run install --prefix "$prefix" --with neovim,eclips
refused 2 "'eclips' is none of eclipse, vscode, neovim, emacs"
run install --prefix "$prefix" --wiht all
refused 2 "--wiht all"
echo "ok: editors"

# Plugins of a release are taken as they are, and nothing is to be built for them.
mkdir -p "$work/release/share/tasklens"
cp -L "$tree/ide-plugin/eclipse/tasklens-eclipse.zip" "$work/release/share/tasklens"
(cd "$work" && printf made >extension.vsixmanifest && python3 -m zipfile -c release/tasklens.vsix extension.vsixmanifest)
run plan --prefix "$prefix" --from "$work/release" --with all
[[ $status == 0 && -z $(<"$work/out") ]] || fail "what is to be built beside a release: $(<"$work/out")"
run plan --prefix "$prefix" --with all
[[ $(<"$work/out") == $'must eclipse\nmust vscode' ]] || fail "what is to be built: $(<"$work/out")"
run install --prefix "$prefix" --from "$work/release" --with eclipse,vscode
cmp "$work/release/tasklens.vsix" "$prefix/share/tasklens/tasklens.vsix" || fail "the release's extension"
cmp "$work/release/share/tasklens/tasklens-eclipse.zip" "$prefix/share/tasklens/tasklens-eclipse.zip" || fail "its update site"
run install --prefix "$prefix" --from "$work/few"
refused 1 "$work/few has neither tasklens-eclipse.zip nor tasklens.vsix"
echo half >"$work/release/tasklens.vsix"
run install --prefix "$prefix" --from "$work/release"
refused 1 "release/tasklens.vsix is no plugin of VS Code"
echo "ok: a release's plugins"
