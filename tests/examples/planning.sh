#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# planning.sh TASKLENS PLANNING PUBLISHED: the Cholesky benchmark of StarPU's handbook on a machine whose
# performance models it publishes: eight CPUs and three GPUs of attila are faster than either alone,
# a policy that knows models is faster than one that does not, every run is the same, and the trace
# opens in all views. Its other machines run it, too, with all their GPUs.
set -euo pipefail
# shellcheck source=tests/examples/published.sh
. tests/examples/published.sh
tasklens=$PWD/$1
planning=$PWD/$2
published=$PWD/$3
cd "${TEST_TMPDIR:?}"
unpack_published "$published"

# milliseconds POLICY GPUS CPUS: of 20 x 20 tiles of 960 x 960.
milliseconds() {
  STARPU_SCHED=$1 STARPU_NSIM_CUDA=$2 STARPU_NCPU=$3 "$planning" 20 960 | awk '!/^#/ { print $2 }'
}

both=$(milliseconds dmdas 3 8)
[ "$both" = "$(milliseconds dmdas 3 8)" ] || fail "a second run took another time than $both ms"
[ "$both" -lt "$(milliseconds dmdas 3 0)" ] || fail "GPUs alone are as fast as with CPUs: $both ms"
[ "$both" -lt "$(milliseconds eager 3 8)" ] || fail "models are of no use: $both ms"
# Less than the processors can do: gemm is the fastest of the kernels, 633 and 21 GFlop/s.
least=$((19200 ** 3 / 3 / (3 * 633 + 8 * 21) / 1000000))
[ "$both" -gt "$least" ] || fail "$both ms are less than the $least ms that are possible"

# On every machine that StarPU publishes, with four CPUs and all its GPUs: eight of them on idgraf.
for STARPU_HOSTNAME in attila hannibal idgraf mirage sirocco; do
  gpus=$(awk '/CUDA/ { print $1 }' "sampling/bus/$STARPU_HOSTNAME.config")
  all=$(milliseconds dmdas "$gpus" 4)
  half=$(milliseconds dmdas "$((gpus / 2))" 4)
  echo "$STARPU_HOSTNAME: $all ms with $gpus GPUs, $half ms with $((gpus / 2))"
  [ "$all" -lt "$half" ] || fail "more GPUs are no faster"
done
STARPU_HOSTNAME=attila

# Where no model knows the tasks there is no figure.
if STARPU_NSIM_CUDA=1 STARPU_NCPU=1 "$planning" 2 961 >out 2>err; then fail "tasks of 961 x 961 are known"; fi
grep -q 'a simulation needs a performance model that knows its size' err || fail "not said: $(cat err)"
[ ! -s out ] || fail "a figure of nothing: $(cat out)"

export STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=$PWD STARPU_FXT_SUFFIX=planned
[ "$both" = "$(milliseconds dmdas 3 8)" ] || fail "a recorded run took another time than $both ms"
unset STARPU_FXT_TRACE
"$tasklens" stats planned_0.tlt >stats
grep -q '1,540 tasks, 11 workers' stats || fail "the statistics tell of others: $(head -n 1 stats)"
grep -q gemm stats || fail "no gemm in the statistics"
"$tasklens" advise planned_0.tlt >advice
grep -q 'planning.c' advice || fail "no advice on the example"
"$tasklens" timeline planned_0.tlt -o timeline.svg
grep -q 'CUDA 0.0' timeline.svg || fail "no GPU in the timeline"
