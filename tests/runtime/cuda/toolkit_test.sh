#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# toolkit_test.sh LIBRARY HEADER DRIVER EXAMPLES...: with the CUDA toolkit of this machine, our declarations of
# libcuda are right, and the examples compile by nvcc and find right results: on CPUs, and where there is a
# device on that. CUDA_HOME names a toolkit that is in neither PATH nor /usr/local/cuda.
set -eu
library=$1
header=$2
driver=$3
shift 3
nvcc=$(command -v nvcc || true)
toolkit=
for folder in "${CUDA_HOME:-}" "${nvcc%/bin/nvcc}" /usr/local/cuda; do
  if [ -z "$toolkit" ] && [ -x "$folder/bin/nvcc" ] && [ -e "$folder/include/cuda.h" ]; then toolkit=$folder; fi
done
if [ -z "$toolkit" ]; then
  echo "SKIPPED: no CUDA toolkit in CUDA_HOME, PATH or /usr/local/cuda"
  exit 0
fi
work=${TEST_TMPDIR:?}
c++ -std=c++20 -fsyntax-only -I"$toolkit/include" -I. tests/runtime/cuda/check_declarations.cc
echo "the declarations are those of $toolkit/include/cuda.h"
# That of the toolkit, to link with, else that of the machine's driver.
libcuda=$toolkit/lib64/stubs/libcuda.so
[ -e "$libcuda" ] || libcuda=$(/sbin/ldconfig -p | awk '$1 == "libcuda.so.1" {print $NF; exit}')
if [ -n "$libcuda" ]; then
  nm -D --defined-only "$libcuda" | awk '{print $3}' | sort -u >"$work/there"
  sed -n 's/^ENTRY([^,]*, \([^,]*\),.*/\1/p' runtime/drivers/cuda/entry_points.inc | sort -u >"$work/wanted"
  missing=$(comm -13 "$work/there" "$work/wanted")
  if [ -n "$missing" ]; then
    echo "$libcuda has no $missing"
    exit 1
  fi
  echo "$(wc -l <"$work/wanted") functions are in $libcuda"
else
  echo "SKIPPED: neither $toolkit nor the system has a libcuda.so, so that nobody can tell whether it has our functions"
fi
ln -sf "$(readlink -f "$library")" "$work/libstarpu.so"
ln -sf "$(readlink -f "$driver")" "$work/libtasklens-cuda.so"
# A library that was built with a sanitizer wants the program to have it as well.
sanitizers=
for sanitizer in asan:address ubsan:undefined tsan:thread; do
  if ldd "$work/libstarpu.so" | grep -q "lib${sanitizer%:*}"; then
    sanitizers="$sanitizers -Xcompiler -fsanitize=${sanitizer#*:}"
  fi
done
export ASAN_OPTIONS=detect_leaks=0:protect_shadow_gap=0 LD_LIBRARY_PATH="$work:$toolkit/lib64"
export TASKLENS_CUDA_LIBRARY="$work/libtasklens-cuda.so" STARPU_HOME="$work"
for source; do
  program=$work/$(basename "$source" .cu)
  # shellcheck disable=SC2046,SC2086
  "$toolkit/bin/nvcc" -std=c++17 -O2 -Werror all-warnings -Xcompiler -Wall,-Wextra $sanitizers \
    -I"$(dirname "$header")" $(pkg-config --cflags hwloc) -o "$program" "$source" -L"$work" -lstarpu -lcublas
  echo "$source on CPUs: $(STARPU_NCUDA=0 STARPU_NCPU=2 "$program")"
  if [ -e /dev/nvidiactl ]; then
    echo "$source on CUDA devices: $(STARPU_NCPU=1 "$program")"
  fi
done
[ -e /dev/nvidiactl ] || echo "SKIPPED: the examples were not run on CUDA devices, as there is none; all else above was"
