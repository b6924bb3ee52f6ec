// SPDX-License-Identifier: Apache-2.0
// Cuts texts to the width of a room. Widths of names are measured and cached, because the same few
// names are drawn in every frame.
import { cutName, seen } from "../dom.js";

const MOST_WIDTHS = 20000;
const widths = new Map();

export function widthOf(c, text) {
  const key = `${c.font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(key, (width = c.measureText(text).width));
  }
  return width;
}

export const fits = (c, text, room) => widthOf(c, text) <= room;

// The name, or its beginning and end around "…"; "" if fewer than `least` characters fit.
export function fitted(c, name, room, least = 1) {
  if (room <= 0) return "";
  const text = seen(name);
  if (fits(c, text, room)) return text;
  let letters = Math.min(text.length - 1, Math.floor((text.length * room) / widthOf(c, text)));
  while (letters >= least && !fits(c, cutName(text, letters), room)) --letters;
  return letters >= least ? cutName(text, letters) : "";
}
