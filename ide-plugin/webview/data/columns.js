// SPDX-License-Identifier: Apache-2.0
// Reads the bytes that server/report/columns.h writes.

// The header and a function that gives a column by name, decoded when it is first asked for.
export function readColumns(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  const columns = new Map();
  let at = 4 + headerLength;
  for (const { name, count, coding } of header.columns) {
    const values = new Float64Array(count);
    at = (coding === "steps" ? readSteps : readPlain)(bytes, at, values);
    columns.set(name, narrowed(values));
  }
  return { header, column: (name) => columns.get(name) };
}

function readPlain(bytes, start, values) {
  let at = start;
  for (let i = 0; i < values.length; ++i) {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * unit;
    }
    values[i] = value;
  }
  return at;
}

function readSteps(bytes, start, values) {
  const end = readPlain(bytes, start, values);
  let value = 0;
  for (let i = 0; i < values.length; ++i) {
    const coded = values[i];
    value += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
    values[i] = value;
  }
  return end;
}

// Half the memory where 32 bits are enough.
function narrowed(values) {
  for (let i = 0; i < values.length; ++i) if (values[i] !== (values[i] | 0)) return values;
  return Int32Array.from(values);
}
