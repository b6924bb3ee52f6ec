// SPDX-License-Identifier: Apache-2.0
// Summarizes durations as analysis/statistics.h does, with the members of tasklens/stats.

const BARS = 16;
const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95];

// Sorts `durations`, in whole nanoseconds. REQUIRES: not empty.
export function summed(durations) {
  durations.sort((a, b) => a - b);
  const count = durations.length, mean = durations.reduce((sum, ns) => sum + ns, 0) / count;
  const squares = durations.reduce((sum, ns) => sum + (ns - mean) * (ns - mean), 0);
  // Subtracts a little, because 0.95 * 20 is not exactly 19 in binary.
  const quantiles = QUANTILES.map((share) => durations[Math.max(Math.ceil(share * count - 1e-9), 1) - 1]);
  const middle = count >> 1, median = QUANTILES.indexOf(0.5);
  if (count % 2 === 0) quantiles[median] = durations[middle - 1] + Math.floor((durations[middle] - durations[middle - 1]) / 2);
  return {
    count, meanNs: Math.round(mean), stddevNs: count > 1 ? Math.round(Math.sqrt(squares / (count - 1))) : 0,
    minNs: durations[0], medianNs: quantiles[median], maxNs: durations[count - 1],
    quantilesNs: Object.fromEntries(QUANTILES.map((share, i) => [`q${Math.round(share * 100)}`, quantiles[i]])), histogram: histogram(durations),
  };
}

// At most BARS bars of equal ratio. REQUIRES: durations are sorted.
function histogram(durations) {
  const low = durations[0], high = durations.at(-1);
  if (low === high) return [{ lowNs: low, highNs: high, count: durations.length }];
  const begin = Math.max(1, low), ratio = Math.max(1, high / begin), bars = [];
  for (let bar = 1, from = 0; bar <= BARS; ++bar) {
    const lowNs = bars.at(-1)?.highNs ?? low, edge = begin * ratio ** (bar / BARS), isLast = bar === BARS || edge >= high;
    const highNs = isLast ? high : Math.trunc(edge);
    if (!isLast && highNs <= lowNs) continue;  // narrower than a nanosecond
    let to = from;
    while (to < durations.length && (isLast || durations[to] < highNs)) ++to;
    bars.push({ lowNs, highNs, count: to - from });
    from = to;
    if (isLast) break;
  }
  return bars;
}
