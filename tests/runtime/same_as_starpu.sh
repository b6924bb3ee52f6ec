#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_as_starpu.sh LIBRARY HEADERS SOURCE: the program, unchanged, compiles as strict C11
# without a warning against our headers, and prints the same as with Debian's StarPU 1.3.
set -eu
library=$1
headers=$2
source=$3
pkg-config --exists starpu-1.3 || {
  echo "StarPU is missing, to compare with: apt-get install libstarpu-dev"
  exit 1
}
export STARPU_SILENT=1 STARPU_NCPU=2 STARPU_HOME=${TEST_TMPDIR:?}
# What the programs themselves do not free is not looked at here.
export ASAN_OPTIONS=detect_leaks=0
work=${TEST_TMPDIR:?}
ln -sf "$(readlink -f "$library")" "$work/libstarpu.so"
status=0
name=$(basename "$source" .c)
# A library that was built with a sanitizer wants the program to have it as well.
sanitizers=
for sanitizer in asan:address ubsan:undefined tsan:thread; do
  if ldd "$work/libstarpu.so" | grep -q "lib${sanitizer%:*}"; then
    sanitizers="$sanitizers -fsanitize=${sanitizer#*:}"
  fi
done
# shellcheck disable=SC2086
cc -std=c11 -O2 -Wall -Wextra -Werror $sanitizers -I"$(dirname "$headers")" -o "$work/ours" "$source" \
  -L"$work" -lstarpu -lm
# StarPU 1.3 wants the first parameter of a reduction codelet to be RW; 1.4, which the programs
# were written for, wants it to commute.
sed 's/STARPU_RW | STARPU_COMMUTE/STARPU_RW/' "$source" >"$work/$name.c"
# shellcheck disable=SC2046
cc -std=gnu11 -O2 -w $(pkg-config --cflags starpu-1.3) -o "$work/theirs" "$work/$name.c" \
  $(pkg-config --libs starpu-1.3) -lm
case $name in
  cholesky) arguments="'' '5 16' '9 8'" ;;
  stencil) arguments="'' '4 30 100' '3 50 17'" ;;
  *) arguments="''" ;;
esac
eval "set -- $arguments"
for words; do
  # shellcheck disable=SC2086
  "$work/theirs" $words | sort >"$work/expected"
  for policy in lws eager prio; do
    # shellcheck disable=SC2086
    STARPU_SCHED=$policy LD_LIBRARY_PATH="$work" "$work/ours" $words | sort >"$work/printed"
    if diff -u "$work/expected" "$work/printed"; then
      echo "same: $name $words ($policy)"
    else
      status=1
    fi
  done
done
exit $status
