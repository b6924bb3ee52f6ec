// SPDX-License-Identifier: Apache-2.0
// Formats times, command lines and sentences.

export function duration(ns: number): string {
  const units: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  for (const [size, unit] of units) {
    if (Math.abs(ns) >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  }
  return `${ns} ns`;
}

// Makes text from a trace or a program a single line without control characters.
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}

export function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
}

// Splits a command line into words; quotes protect blanks. No shell is involved.
export function words(line: string): string[] {
  const found: string[] = [];
  let word = "";
  let isWord = false;
  let quote = "";
  for (let at = 0; at < line.length; ++at) {
    const character = line[at];
    if (character === "\\" && quote !== "'" && at + 1 < line.length) {
      word += line[++at];
      isWord = true;
    } else if (quote) {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      isWord = true;
    } else if (/\s/.test(character)) {
      if (isWord) found.push(word);
      word = "";
      isWord = false;
    } else {
      word += character;
      isWord = true;
    }
  }
  if (isWord) found.push(word);
  return found;
}
