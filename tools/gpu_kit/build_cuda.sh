#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_cuda.sh TOOLKIT: compiles what of the kit needs a CUDA toolkit and is not there yet: where the kit is made, and
# by run.sh where it is used if there was none. A line for each that cannot be compiled; logs/build_cuda.log has the rest.
set -uo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")" || exit
toolkit=$1
log=${2:-/dev/stderr}
mkdir -p bin

compile() { # NAME, compiler and its options
  local name=$1
  shift
  [[ -e bin/$name ]] || "$@" -o "bin/$name" >>"$log" 2>&1 || echo "bin/$name is missing: it cannot be compiled"
}

# Machine code for Hopper, and PTX for what else there is.
nvcc=("$toolkit/bin/nvcc" -std=c++17 -O2 -gencode "arch=compute_90,code=sm_90" -gencode "arch=compute_75,code=compute_75")
# shellcheck disable=SC2016
runtime=(-Iinclude/tasklens -Llib/tasklens -lstarpu -Xlinker '-rpath=$ORIGIN/../lib/tasklens')
for example in vector_scal stencil; do
  compile "cuda_$example" "${nvcc[@]}" "sources/$example.cu" "${runtime[@]}"
done
for example in sgemm cholesky; do
  compile "cuda_$example" "${nvcc[@]}" "sources/$example.cu" "${runtime[@]}" -lcublas
done
compile alone "${nvcc[@]}" sources/alone.cu -lcublas -lcusolver
compile libcupti_times.so cc -O2 -shared -fPIC sources/cupti_times.c -I"$toolkit/include" \
  -I"$toolkit/extras/CUPTI/include" -L"$toolkit/lib64" -L"$toolkit/extras/CUPTI/lib64" -lcupti
