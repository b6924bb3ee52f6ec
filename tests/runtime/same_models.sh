#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# same_models.sh LIBRARY HEADERS SOURCE: performance models that Debian's StarPU 1.3 measured say the same here, and
# those that were measured here say the same there, footprint by footprint.
set -euo pipefail
library=$(readlink -f "$1")
headers=$(dirname "$2")
source=$3
pkg-config --exists starpu-1.3 || {
  echo "StarPU is missing, to compare with: apt-get install libstarpu-dev"
  exit 1
}
work=${TEST_TMPDIR:?}
ln -sf "$library" "$work/libstarpu.so"
export STARPU_SILENT=1 STARPU_NCPU=1 STARPU_HOSTNAME=both STARPU_HOME="$work" ASAN_OPTIONS=detect_leaks=0
# A library that was built with a sanitizer wants the program to have it as well.
sanitizers=()
for sanitizer in asan:address ubsan:undefined tsan:thread; do
  if ldd "$library" | grep -q "lib${sanitizer%:*}"; then sanitizers+=("-fsanitize=${sanitizer#*:}"); fi
done
cc -std=c11 -O2 -Wall -Wextra -Werror "${sanitizers[@]}" -I"$headers" -o "$work/ours" "$source" -L"$work" -lstarpu
# shellcheck disable=SC2046
cc -std=gnu11 -O2 -w $(pkg-config --cflags starpu-1.3) -o "$work/theirs" "$source" $(pkg-config --libs starpu-1.3)
export LD_LIBRARY_PATH=$work

for who in ours theirs; do
  export STARPU_PERF_MODEL_DIR=$work/measured_by_$who
  STARPU_CALIBRATE=1 "$work/$who" measure
  for reader in ours theirs; do "$work/$reader" tell >"$work/$reader.said" 2>/dev/null; done
  echo "measured by $who:"
  cat "$work/ours.said"
  diff "$work/ours.said" "$work/theirs.said"
  grep -q 'same_history 4000: footprint [0-9a-f]*, 9.02' "$work/ours.said" || { echo "nothing was measured"; exit 1; }
done
