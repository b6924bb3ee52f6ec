// SPDX-License-Identifier: Apache-2.0
// Colours of codelets: the same name has the same colour in every run. Each colour stands out from
// the page in both themes (a contrast of 3 and more), and any two differ for people who do not tell
// red from green, too. They were found by search for the largest least difference; a test measures.

export const PALETTE = [
  "#4b80eb", "#607c3f", "#0fab46", "#8e4bac", "#ac472a", "#544eeb", "#108394", "#eb4b6f",
  "#8c9d0a", "#7e604e", "#9d4c71", "#d74beb", "#966c0a", "#0aa885", "#eb4caf", "#908fc0",
];

// FNV-1a
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

// A name takes the place in the palette that its hash says, or the next one that is free: so two
// codelets share a colour only when there are more of them than colours. Names are placed in
// alphabetical order, so that the order of a run plays no part.
export class NameColors {
  constructor(names) {
    const taken = new Map();
    this.colors = new Map();
    for (const name of [...new Set(names)].sort()) {
      let place = hash(name) % PALETTE.length;
      for (let i = 0; i < PALETTE.length && taken.size < PALETTE.length && taken.has(place); ++i)
        place = (place + 1) % PALETTE.length;
      taken.set(place, name);
      this.colors.set(name, PALETTE[place]);
    }
  }

  of(name) {
    let color = this.colors.get(name);
    if (!color) this.colors.set(name, (color = PALETTE[hash(name) % PALETTE.length]));
    return color;
  }
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

// Black or white, whichever is easier to read on `color`.
export const inkOn = (color) => (contrast(color, "#ffffff") >= 3.2 ? "#ffffff" : "#101418");

// What canvas drawing needs of the style sheet, read anew when the theme changes.
export class Theme {
  constructor(root) {
    this.root = root;
    this.read();
  }

  read() {
    const style = getComputedStyle(this.root);
    const get = (name) => style.getPropertyValue(name).trim();
    Object.assign(this, {
      background: get("--surface"), text: get("--text"), faint: get("--text-faint"),
      line: get("--line"), grid: get("--grid"), accent: get("--accent"), critical: get("--critical"),
      hover: get("--hover"), font: get("--font"), group: get("--group"), mixed: get("--mixed"),
      kinds: {
        tasks: get("--time-tasks"), task: get("--time-tasks"), transfer: get("--time-transfer"),
        scheduler: get("--time-scheduler"), runtime: get("--time-runtime"), memory: get("--time-memory"),
        "nothing ready": get("--time-nothing-ready"), "nothing submitted": get("--time-nothing-submitted"),
        idle: get("--time-idle"),
      },
    });
  }
}
