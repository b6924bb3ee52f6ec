// SPDX-License-Identifier: Apache-2.0
// Writes schemas.json: the types of messages.ts as JSON schemas. npm runs it after installing.
const fs = require("fs");
const path = require("path");
const { createGenerator } = require("ts-json-schema-generator");

const schemas = createGenerator({
  path: path.join(__dirname, "messages.ts"),
  tsconfig: path.join(__dirname, "tsconfig.json"),
  type: "Messages",
  expose: "all",
  topRef: true,
  additionalProperties: true, // later versions of the protocol may add some
  skipTypeCheck: false,
}).createSchema("Messages");

// TypeScript knows one kind of number, the protocol three.
const kinds = {
  integer: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uinteger: { type: "integer", minimum: 0, maximum: 2 ** 31 - 1 },
};
for (const [name, schema] of Object.entries(kinds)) {
  if (!schemas.definitions[name]) throw new Error(`the protocol's types have no ${name} any more`);
  schemas.definitions[name] = schema;
}
fs.writeFileSync(path.join(__dirname, "schemas.json"), JSON.stringify(schemas));
