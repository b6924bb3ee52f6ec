#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a library that runs with every glibc from 2.28 on, and needs nothing but that, of static archives:
#
#     link_archives.sh OUT PATTERN OBJECTS -- ARCHIVE...
#
# OUT        its file; the name is its soname
# PATTERN    of the symbols that it shows, all of the first archive's
# OBJECTS    what is linked besides: old_glibc, of_archives
# ARCHIVE    of the system, as the compiler finds them
set -euo pipefail

out=$1 pattern=$2
shift 2
objects=()
while [[ $1 != -- ]]; do objects+=("$1"); shift; done
shift

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
printf '{ global: %s; local: *; };\n' "$pattern" >"$work/exports"
renamed=()
for name in stderr stdin stdout program_invocation_name getenv; do
  renamed+=("--redefine-sym=$name=own_$name")
done
archives=()
for archive in "$@"; do
  path=$(gcc -print-file-name="$archive")
  [[ $path == /* ]] || { echo "$archive is missing; packages.txt names the package" >&2; exit 1; }
  objcopy "${renamed[@]}" "$path" "$work/${archive##*/}"
  archives+=("$work/${archive##*/}")
done

gcc -shared -o "$out" -Wl,-soname,"${out##*/}" -Wl,--version-script="$work/exports" \
  -Wl,-Bsymbolic -Wl,--gc-sections -Wl,--build-id -Wl,-z,defs "${objects[@]}" \
  -Wl,--whole-archive "${archives[0]}" -Wl,--no-whole-archive \
  -Wl,--start-group "${archives[@]:1}" -Wl,--end-group -Wl,--as-needed -l:libstdc++.a -lm \
  -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
strip --strip-unneeded "$out"
