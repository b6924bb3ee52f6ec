// SPDX-License-Identifier: Apache-2.0
// Decodes columns of numbers: the bytes that server/report/columns.h writes, and packed columns of
// answers (server/handlers/columns.h).

const TYPES = { i8: Int8Array, i16: Int16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

// Converts {"i16": "AQACAA=="} to an Int16Array, and {"i16": [offset, count]} to that part of
// `buffer`; returns arrays unchanged.
export function unpackColumn(column, buffer) {
  if (Array.isArray(column) || ArrayBuffer.isView(column)) return column;
  const [[type, packed]] = Object.entries(column);
  return typeof packed === "string" ? new TYPES[type](fromBase64(packed).buffer) : new TYPES[type](buffer, ...packed);
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

// A set of tasks, as `marks` in an answer: one bit each, eight a byte, the lowest first.
export class Marks {
  constructor(marks, buffer) {
    this.bytes = unpackColumn(marks, buffer);
    this.size = this.bytes.reduce((sum, byte) => sum + ONES[byte & 255], 0);
  }

  has(task) {
    return task >= 0 && (this.bytes[task >> 3] >> (task & 7) & 1) === 1;
  }
}

// Encodes numbers of tasks as such marks.
export function marksOf(tasks) {
  const marks = new Uint8Array((tasks.reduce((most, task) => Math.max(most, task), -1) >> 3) + 1);
  for (const task of tasks) marks[task >> 3] |= 1 << (task & 7);
  return marks;
}

// Parses an answer written by server/http/byte_answer.h; `buffer` is for unpackColumn().
export function readByteAnswer(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (buffer.byteLength > 4 + length) answer.buffer = buffer;
  return answer;
}

function firstNot(isBefore, column, low) {
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(column[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The first index of a sorted column, from `low` on, with a value of at least `value`, or above it.
export const firstAtLeast = (column, value, low = 0) => firstNot((one) => one < value, column, low);
export const firstAbove = (column, value, low = 0) => firstNot((one) => one <= value, column, low);

// Recent browsers have a built-in function.
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

// Returns the header; a function that returns a column by name and decodes it on first use; a
// function that decodes up to `most` more values of a column in idle time and returns whether it is
// complete; and a function that returns a column of text.
export function readColumns(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  const columns = new Map();
  let at = 4 + headerLength;
  for (const one of header.columns) {
    columns.set(one.name, new Column(bytes, at, one));
    at += one.bytes;
  }
  const column = (name) => columns.get(name)?.decode(Infinity).values;
  const prepare = (name, most) => columns.get(name).decode(most).isWhole;
  const text = (name) => columns.get(name).text();
  return { header, column, prepare, text };
}

class Column {
  values = null;
  count = 0;  // number of `values` decoded so far
  before = 0;

  constructor(bytes, at, place) {
    Object.assign(this, { bytes, at, place });
  }

  get isWhole() {
    return this.count === this.place.count;
  }

  text() {
    return new TextDecoder().decode(this.bytes.subarray(this.at, this.at + this.place.bytes));
  }

  decode(most) {
    if (this.isWhole && this.values) return this;
    const { bytes, place } = this;
    const values = (this.values ??= place.wide ? new Float64Array(place.count) : new Int32Array(place.count));
    const isSteps = place.coding === "steps", end = Math.min(place.count, this.count + most);
    let { at, before } = this;
    for (let i = this.count; i < end; ++i) {
      let value = bytes[at++];
      if (value > 127) {
        // The first four bytes fit into 32 bits; later ones do not.
        value &= 127;
        let byte = bytes[at++];
        value |= (byte & 127) << 7;
        if (byte > 127) {
          value |= ((byte = bytes[at++]) & 127) << 14;
          if (byte > 127) {
            value |= ((byte = bytes[at++]) & 127) << 21;
            for (let unit = 2 ** 28; byte > 127; unit *= 128) value += ((byte = bytes[at++]) & 127) * unit;
          }
        }
      }
      if (isSteps) value = before += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      values[i] = value;
    }
    Object.assign(this, { at, before, count: end });
    return this;
  }
}
