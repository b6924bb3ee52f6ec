// SPDX-License-Identifier: Apache-2.0
// Colours. The colour of a codelet depends on its name alone, so it is the same in every run, in
// our SVG pictures and in Paraver's files; the palette and the function are those of trace/colours.
// A colour that the program chose has priority. Codelets have a medium lightness, so that they
// stand out from the page in both themes (a contrast of at least 3). States are darker in the light
// theme and lighter in the dark one (style.css), so that they can be told from codelets without
// seeing colour; waiting is paler than both. A test measures all of this, also for colour-blind
// viewers.
import { SHOWN_KINDS, TIME_KINDS } from "./states.js";

// As NameRgb() of trace/colours.
const BEGIN = 203;
function hash(text) {
  let value = BEGIN;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

// Names that share a colour get light stripes: as many as there are earlier names of that colour,
// but at most MOST_STRIPES.
const MOST_STRIPES = 3;

export const hex = (rgb) => `#${rgb.toString(16).padStart(6, "0")}`;

// Colours of codelets by name. `palette`: [rgb, ...]; `own`: the program's colours, {name: rgb}.
export class NameColors {
  constructor(names, palette, own = {}) {
    this.palette = palette.map(hex);
    this.own = new Map(Object.entries(own).map(([name, rgb]) => [name, hex(rgb)]));
    this.colors = new Map();
    this.stripes = new Map();
    const users = new Map();
    for (const name of [...new Set(names)].sort()) {
      const color = this.of(name), before = users.get(color) ?? 0;
      this.stripes.set(name, Math.min(before, MOST_STRIPES));
      users.set(color, before + 1);
    }
  }

  of(name) {
    let color = this.colors.get(name);
    if (!color) this.colors.set(name, (color = this.own.get(name) ?? this.palette[hash(name) % this.palette.length]));
    return color;
  }

  paint(name) {
    return { color: this.of(name), stripes: this.stripesOf(name) };
  }

  // The paint of a task that may have its own colour: `rgb`, -1 if none.
  paintOfTask(name, rgb = -1) {
    return rgb < 0 || hex(rgb) === this.of(name) ? this.paint(name) : { color: hex(rgb), stripes: 0 };
  }

  // The number of stripes, if other names of this run have the same colour.
  stripesOf(name) {
    return this.stripes.get(name) ?? 0;
  }
}

// The colours of the entries of a legend (protocol.md, tasklens/graph) that is not by codelet.
// Workers have the colours in the legend. On a scale, higher values contrast more with the page;
// for slack it is the reverse, and a slack of 0 is critical. The first entry is for tasks without a
// value.
export function legendColors({ by, unit, entries }, theme) {
  const first = firstShade(unit), shades = entries.filter(({ low }, i) => i >= first && low !== null).length;
  const none = first - 1;  // for times the first shade is for 0 ns
  return entries.map(({ rgb, stripes }, i) => {
    if (i === 0) return { color: theme.mixed, stripes: 0 };
    if (by === "worker") return { color: hex(rgb), stripes };
    if (i < first && by === "slack") return { color: theme.critical, stripes: 0 };
    const part = i < first ? 0 : shades > 1 ? Math.min(1, (i - first + none) / (shades - 1 + none)) : 0.5;
    return { color: shade(theme.shades, by === "slack" ? 1 - part : part), stripes: 0 };
  });
}

// The shades of a legend with a scale, from its lowest value to its highest: {least, middle,
// largest, colors}; null if nothing has a value.
export function scaleOf(legend, theme) {
  const { unit, entries } = legend, colors = legendColors(legend, theme);
  const shades = entries.map((entry, i) => ({ ...entry, color: colors[i].color })).filter(({ low }, i) => i >= firstShade(unit) && low !== null);
  if (!shades.length) return null;
  return { least: shades[0].low, middle: shades[shades.length >> 1].low, largest: shades.at(-1).high, colors: shades.map(({ color }) => color) };
}

// Colours of marks over the timeline: arrows and flags by their key in EXTRAS of store.js, and the
// critical path.
export const markColors = ({ text, accent, critical, kinds }) =>
  ({ dependency: text, transfer: kinds.transfer, message: accent, steal: kinds.scheduler, flags: kinds.memory, pushes: kinds.scheduler, path: critical });

// For times, an entry for 0 ns precedes those of the scale.
const firstShade = (unit) => (unit === "ns" ? 2 : 1);

// Interpolates between the stops of a scale, linearly in sRGB.
export function shade(stops, part) {
  const at = part * (stops.length - 1), below = Math.min(Math.floor(at), stops.length - 2);
  const mix = (i) => {
    const [a, b] = [stops[below], stops[below + 1]].map((color) => parseInt(color.slice(i, i + 2), 16));
    return Math.round(a + (b - a) * (at - below));
  };
  return hex((mix(1) << 16) | (mix(3) << 8) | mix(5));
}

// Converts {color, stripes} to a CSS background.
export function background({ color, stripes }) {
  const lines = Array.from({ length: stripes }, (_, k) => `linear-gradient(${inkOn(color)}, ${inkOn(color)}) 0 ${2 + 3 * k}px / 100% 1px no-repeat`);
  return [...lines, color].join(", ");
}

const luminances = new Map();
export function luminance(color) {
  let value = luminances.get(color);
  if (value === undefined) {
    const [r, g, b] = [1, 3, 5].map((i) => {
      const c = parseInt(color.slice(i, i + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    luminances.set(color, (value = 0.2126 * r + 0.7152 * g + 0.0722 * b));
  }
  return value;
}

export const contrast = (a, b) =>
  (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

// Black or white, whichever has more contrast with `color`.
export const inkOn = (color) => (contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000");

// The values of the style sheet that canvas drawing needs; read again when the theme changes.
export class Theme {
  constructor(root) {
    this.root = root;
    this.read();
  }

  read() {
    const style = getComputedStyle(this.root);
    const get = (name) => style.getPropertyValue(name).trim();
    const colours = (kinds) => Object.fromEntries(kinds.map(({ kind, colour }) => [kind, get(`--time-${colour}`)]));
    Object.assign(this, {
      background: get("--surface"), text: get("--text"), faint: get("--text-faint"),
      line: get("--line"), grid: get("--grid"), accent: get("--accent"), critical: get("--critical"),
      shades: get("--shades").split(/\s+/),
      hover: get("--hover"), font: get("--font"), group: get("--group"), mixed: get("--mixed"),
      kinds: colours(SHOWN_KINDS), times: colours(TIME_KINDS),
    });
  }
}
