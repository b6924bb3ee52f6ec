// SPDX-License-Identifier: Apache-2.0
// As much of a text as a room takes, measured: letters are not equally wide. Widths are remembered, as
// the same few names are drawn in every frame.

const MOST_WIDTHS = 20000;
const widths = new Map();

function widthOf(c, text) {
  const key = `${c.font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(key, (width = c.measureText(text).width));
  }
  return width;
}

export const fits = (c, text, room) => widthOf(c, text) <= room;

// The text, or its beginning with "…"; "" where not even `least` letters would remain.
export function fitted(c, text, room, least = 1) {
  if (room <= 0) return "";
  if (fits(c, text, room)) return text;
  const cut = (letters) => text.slice(0, letters).trimEnd() + "…";
  let letters = Math.min(text.length - 1, Math.floor((text.length * room) / widthOf(c, text)));
  while (letters >= least && !fits(c, cut(letters), room)) --letters;
  return letters >= least ? cut(letters) : "";
}
