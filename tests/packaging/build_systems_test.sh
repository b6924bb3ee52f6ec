#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build systems find the runtime where `tasklens flags --env` says: CMake's packages and modules, configure scripts.
# What they build is a program that TaskLens can record; of one that was built elsewhere, `run` says where.
source tests/packaging/common.sh

prefix=$work/prefix  # no build system of these takes one with a blank
run install --prefix "$prefix" --with none
[[ $status == 0 ]] || fail "install: $(<"$work/said")"
tasklens=$prefix/bin/tasklens

cp -r tests/packaging/build_systems "$work/asks" && chmod -R u+w "$work/asks" && cp -L examples/hello.c "$work/asks/"
cd "$work" || exit 1
export PKG_CONFIG_PATH=/elsewhere
unset CMAKE_PREFIX_PATH STARPU_DIR
eval "$("$tasklens" flags --env)"
[[ $PKG_CONFIG_PATH == "$prefix/lib/tasklens/starpu/lib/pkgconfig:/elsewhere" ]] || fail "flags --env: $PKG_CONFIG_PATH"
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH
eval "$("$tasklens" flags --env)"
[[ $STARPU_DIR == "$prefix/lib/tasklens/starpu" && $CMAKE_PREFIX_PATH == "$STARPU_DIR" ]] || fail "flags --env"
"$tasklens" flags --env --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["env"]["STARPU_DIR"])' >"$work/said"
[[ $(<"$work/said") == "$STARPU_DIR" ]] || fail "flags --env --json: $(<"$work/said")"

# By all the names and places that programs ask for, each of a prefix that is StarPU's.
for package in libstarpu starpu-1.{0,1,2,3,4}; do
  for folder in lib/pkgconfig lib/tasklens/pkgconfig; do
    found=$(PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=$STARPU_DIR/$folder pkg-config --variable=includedir "$package") &&
      [[ -f $found/starpu/1.4/starpu_config.h ]] || fail "$package in $folder: $found"
  done
done
for file in include/starpu/1.{3,4}/starpu.h lib/libstarpu{,-1.3,-1.4}.so lib/tasklens/libstarpu{,-1.3,-1.4}.so; do
  [[ -f $STARPU_DIR/$file ]] || fail "$STARPU_DIR has no $file"
done
if [[ -e $prefix/lib/tasklens/libstarpumpi-1.4.so ]]; then
  PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=$STARPU_DIR/lib/pkgconfig pkg-config --exists starpumpi-1.4 || fail starpumpi-1.4
fi
for path in include/starpu lib/libstarpu-1.4.so lib/pkgconfig; do
  [[ ! -e $prefix/$path ]] || fail "$prefix/$path may hide a StarPU of the system"
done

# NAME PROGRAM: it was built against our runtime, and a run of it is recorded.
is_recorded() {
  "$tasklens" run -o "$work/run" -- "$2" >"$work/said" 2>&1 || fail "$1: $(<"$work/said")"
  grep -q ' tasks' "$work/said" || fail "$1: $(<"$work/said")"
  local linked
  linked=$(ldd "$2")
  [[ $linked == *"libstarpu.so => $prefix/"* ]] || fail "$1 is linked with $linked"
}
# Each with the arguments of find_package(), and what cmake is told besides.
number=0
asks_cmake() {
  local build=$work/build$((++number))
  cmake -S "$work/asks" -B "$build" "$@" >"$work/said" 2>&1 && cmake --build "$build" >>"$work/said" 2>&1 ||
    fail "cmake $*: $(<"$work/said")"
  is_recorded "cmake $*" "$build/by_variables"
  [[ $* != *MODE=CONFIG* ]] || is_recorded "cmake $*" "$build/by_target"
}
asks_cmake -DNAME=StarPU -DMODE=CONFIG
asks_cmake -DNAME=starpu -DVERSION=1.3 -DMODE=CONFIG
asks_cmake -DNAME=STARPU -DVERSION=1.4.12 -DMODE=CONFIG
asks_cmake -DNAME=STARPU -DMODE=MODULE
asks_cmake -DNAME=STARPU -DMODE=MODULE -DWITHOUT_PKG_CONFIG=1
asks_cmake -DNAME=STARPU -DMODE=MODULE -DWITHOUT_PKG_CONFIG=1 -DSTARPU_DIR="$STARPU_DIR"
cmake -S "$work/asks" -B "$work/new" -DNAME=StarPU -DVERSION=2.0 -DMODE=CONFIG >"$work/said" 2>&1 &&
  fail "a StarPU 2.0 is found"

(cd "$work/asks" && aclocal && autoconf) >"$work/said" 2>&1 || fail "autoconf: $(<"$work/said")"
for given in "" "--with-starpu=$STARPU_DIR"; do
  mkdir "$work/configured${given:+2}" && cd "$work/configured${given:+2}" || exit 1
  { "$work/asks/configure" $given && make; } >"$work/said" 2>&1 || fail "configure $given: $(<"$work/said")"
  is_recorded "configure $given" ./hello
done

# Another StarPU than was meant: it is named, and the way out. One that makes no difference is not asked for.
cd "$work" || exit 1
printf 'int starpu_init(void *c) { return c ? 0 : -19; }\nint starpu_of_somebody;\n' >other.c
mkdir other && cc -shared -fPIC other.c -Wl,-soname,libstarpu-1.3.so.5 -o other/libstarpu-1.3.so.5
printf 'int starpu_init(void *); int main(void) { return starpu_init(0) != -19; }\n' >asks_other.c
cc asks_other.c other/libstarpu-1.3.so.5 -Wl,-rpath,"$work/other" -o asks_other
says() {
  "$tasklens" run -- "${@:2}" >"$work/said" 2>&1 && fail "a run without a trace succeeds"
  grep -qE "$1" "$work/said" || fail "tasklens run ${*:2}: $(<"$work/said")"
}
says "asks_other loads another StarPU, without FxT, $work/other/libstarpu-1.3.so.5, and not TaskLens' runtime: compile it" ./asks_other
says 'asks_other loads another StarPU' env A=1 ./asks_other
mv other/libstarpu-1.3.so.5 other/gone
says 'asks_other needs libstarpu-1.3.so.5, which is not found' ./asks_other
printf '#include <starpu.h>\nint main(void) { return 0; }\n' >never.c
eval "cc never.c $("$tasklens" flags) -Wl,--no-as-needed -lstarpu -o never"
says "never loads TaskLens' runtime, $prefix/lib/tasklens/libstarpu.so: did it call starpu_init" ./never
says 'left no trace in .*; is it linked' sh -c true
