// SPDX-License-Identifier: Apache-2.0
// Formats numbers for people, as analysis/text.h does.

const UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [60e9, "min"], [3600e9, "h"]];

// As printf does: of two values equally near, the even one. Such a value is an odd multiple of half
// a digit and of a power of two.
function fixed(value, digits) {
  const unit = 10 ** digits, isBetween = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
  return isBetween ? (2 * Math.round((value * unit) / 2) / unit).toFixed(digits) : value.toFixed(digits);
}

function three(value) {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

export function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  const size = Math.abs(ns);
  if (size < 999.5) return `${Math.round(ns)} ns`;
  let unit = UNITS[0];
  for (const one of UNITS) if (size >= one[0] * (one[0] >= 60e9 ? 2 : 0.9995)) unit = one;
  return `${three(ns / unit[0])} ${unit[1]}`;
}

export const count = (value) => (Math.round(value) + 0).toLocaleString("en-US");  // + 0: turns -0 into 0
export const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function share(value) {
  const percent = value * 100;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${unit ? three(value) : Math.round(value)} ${units[unit]}`;
}

// The clock for people: zero is the first submission, as in analysis/run_clock.h. Times from
// servers count from the first event of the trace. A page shows one trace.
let zeroNs = 0;
export const setZero = (ns) => { zeroNs = ns ?? 0; };
export const sinceZero = (ns) => ns - zeroNs;
export const ofTrace = (sinceZeroNs) => sinceZeroNs + zeroNs;

// The time `ns` on an axis whose marks are `step` apart, with as many decimals as needed.
export function moment(ns, step) {
  const size = Math.max(Math.abs(ns), step);
  let unit = UNITS[0];
  for (const one of UNITS.slice(0, 4)) if (size >= one[0]) unit = one;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit[0]) - 1e-9));
  return `${(ns / unit[0]).toFixed(Math.min(decimals, 9))} ${unit[1]}`;
}

// A length with the precision of a pixel, `pixelNs`.
export const lengthAt = (ns, pixelNs) => moment(ns, 10 ** Math.floor(Math.log10(Math.max(1, pixelNs))));
// The moment `ns` of the trace with that precision.
export const momentAt = (ns, pixelNs) => lengthAt(sinceZero(ns), pixelNs);

const POINT = /\.?0+(?= )/;
// A length with the digits that are significant for lengths around `aboutNs`; to the nanosecond for
// 0.
export function lengthText(ns, aboutNs = 0) {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, aboutNs / 1000)) + 1e-9));
  // Rounds to whole nanoseconds as analysis/run_clock.cc does: decimals of a binary fraction would
  // round half of the halves down.
  const text = moment(Math.sign(ns) * Math.floor((Math.abs(ns) + step / 2) / step) * step, step);
  return text.includes(".") ? text.replace(POINT, "") : text;
}
// The moment `ns` of the trace in the same way: "1.204 ms".
export const at = (ns, aboutNs = 0) => (ns === null || ns === undefined ? "–" : sinceZero(ns) === 0 ? "0 ms" : lengthText(sinceZero(ns), aboutNs));
// As an option of a command: "1.204ms".
export const typed = (ns, aboutNs = 0) => at(ns, aboutNs).replace(" ", "").replace("µ", "u");

// A value with the unit of a counter: "tasks", "bytes", "GFlop/s", ...
export function quantity(value, unit) {
  if (unit === "bytes") return bytes(Math.round(value));
  if (unit === "bytes/s") return `${bytes(value)}/s`;
  if (unit === "GFlop/s") return flops(value);
  return unit === "tasks" ? count(value) : `${Number(value.toPrecision(3))} ${unit}`;
}

// Speeds from kFlop/s to PFlop/s, so that small parts of a GFlop/s have few digits, too.
function flops(giga) {
  const prefixes = ["k", "M", "G", "T", "P"], rounded = Number(giga.toPrecision(3));
  if (!(rounded > 0)) return "0 GFlop/s";
  const at = Math.max(0, Math.min(prefixes.length - 1, 2 + Math.floor(Math.log10(rounded) / 3 + 1e-9)));
  return `${Number((rounded / 1000 ** (at - 2)).toPrecision(3))} ${prefixes[at]}Flop/s`;
}

// "2 to 31 MFlop/s": the unit once, if both have the same.
export function quantities(low, high, unit) {
  const [from, to] = [quantity(low, unit), quantity(high, unit)], unitOf = (text) => text.slice(text.lastIndexOf(" ") + 1);
  const isOne = from.includes(" ") && unitOf(from) === unitOf(to) && unitOf(to) !== to;
  return `${isOne ? from.slice(0, from.lastIndexOf(" ")) : from} to ${to}`;
}

// A round distance of marks, for about `marks` of them in `length`.
export function roundStep(length, marks) {
  const rough = length / Math.max(1, marks), unit = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (unit * factor >= rough) return unit * factor;
  return unit * 10;
}

export const fileName = (path) => String(path).split("/").pop();
export const place = (file, line) => `${fileName(file)}:${line}`;
