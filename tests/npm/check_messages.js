// SPDX-License-Identifier: Apache-2.0
// Checks what a client and the server said to each other against the protocol's official types.
//
//   node check_messages.js CONVERSATIONS [META_MODEL]
//
// CONVERSATIONS has a JSON object on each line: {"conversation": N, "from": "client" | "server",
// "message": {...}}, and {"conversation": N, "from": "start", "hostile": BOOL} where one begins; what
// a hostile client sends is not looked at. META_MODEL is the specification's own metaModel.json,
// which is stricter than the types; without it the types of messages.ts have to do.
//
// Our own messages (tasklens/...) are not the protocol's; tests of their own look at them. A request
// that the server refused as wrong (-32600 to -32602, -32002) was meant to be wrong.
"use strict";
const fs = require("fs");
const readline = require("readline");
const { createRequire } = require("module");
const packages = process.env.TASKLENS_NPM;
const Ajv = createRequire(packages + "/package.json")("ajv").default;

const WRONG = new Set([-32600, -32601, -32602, -32002, -32700]);

// Schemas by side and method, from the types: {params, result}.
function fromTypes() {
  const schemas = JSON.parse(fs.readFileSync(packages + "/schemas.json", "utf8"));
  const ajv = new Ajv({ strict: false, schemas: [{ $id: "types", ...schemas }] });
  const at = (pointer) => ajv.compile({ $ref: "types#/definitions/" + pointer });
  const property = (owner, name) =>
    `${owner}/properties/${encodeURIComponent(name.replace(/~/g, "~0").replace(/\//g, "~1"))}`;
  const names = (owner) => Object.keys(schemas.definitions[owner].properties);
  const definition = (owner, name) => {
    const reference = schemas.definitions[owner].properties[name].$ref;
    return reference && reference.replace("#/definitions/", "");
  };
  const table = { client: {}, server: {}, error: at(property("Messages", "error")) };
  for (const [from, side] of [["client", "Client"], ["server", "Server"]]) {
    for (const name of names(side + "Requests")) {
      const owner = definition(side + "Requests", name);
      const has = schemas.definitions[decodeURIComponent(owner)].properties;
      table[from][name] = {
        params: has.params && !has.params.not ? at(property(owner, "params")) : null,
        result: at(property(owner, "result")),
      };
    }
    for (const name of names(side + "Notifications")) {
      const schema = schemas.definitions[side + "Notifications"].properties[name];
      table[from][name] = { params: schema.not ? null : at(property(side + "Notifications", name)) };
    }
  }
  return table;
}

// The same from the specification's meta model.
function fromMetaModel(path) {
  const model = JSON.parse(fs.readFileSync(path, "utf8"));
  const base = {
    integer: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    uinteger: { type: "integer", minimum: 0, maximum: 2 ** 31 - 1 },
    decimal: { type: "number" },
    boolean: { type: "boolean" },
    null: { type: "null" },
  };
  const schemaOf = (type) => {
    const all = (types) => types.map(schemaOf);
    switch (type.kind) {
      case "base": return base[type.name] || { type: "string" };
      case "reference": return { $ref: "#/definitions/" + type.name };
      case "array": return { type: "array", items: schemaOf(type.element) };
      case "map": return { type: "object", additionalProperties: schemaOf(type.value) };
      case "and": return { allOf: all(type.items) };
      case "or": return { anyOf: all(type.items) };
      case "tuple":
        return { type: "array", items: all(type.items), minItems: type.items.length,
                 maxItems: type.items.length };
      case "literal": return objectOf(type.value.properties, []);
      default: return { const: type.value };
    }
  };
  const objectOf = (properties, parents) => ({
    type: "object",
    ...(parents.length > 0 ? { allOf: parents.map(schemaOf) } : {}),
    properties: Object.fromEntries(properties.map((p) => [p.name, schemaOf(p.type)])),
    required: properties.filter((p) => !p.optional).map((p) => p.name),
  });
  const definitions = {};
  for (const s of model.structures)
    definitions[s.name] = objectOf(s.properties, [...(s.extends || []), ...(s.mixins || [])]);
  for (const e of model.enumerations)
    definitions[e.name] = e.supportsCustomValues ? schemaOf(e.type)
                                                 : { enum: e.values.map((v) => v.value) };
  for (const alias of model.typeAliases) definitions[alias.name] = schemaOf(alias.type);
  Object.assign(definitions, { LSPAny: {}, LSPObject: { type: "object" }, LSPArray: { type: "array" } });
  const ajv = new Ajv({ strict: false });
  const compile = (type) => ajv.compile({ ...schemaOf(type), definitions });
  const table = { client: {}, server: {} };
  for (const message of [...model.requests, ...model.notifications]) {
    const entry = {
      params: message.params ? compile(message.params) : null,
      result: message.result && compile(message.result),
    };
    if (message.messageDirection !== "serverToClient") table.client[message.method] = entry;
    if (message.messageDirection !== "clientToServer") table.server[message.method] = entry;
  }
  table.client["$/progress"] = table.server["$/progress"];
  return table;
}

const OTHER = { client: "server", server: "client" };

// Looks at messages, one after another; calls complain(text) for each fault.
class Checker {
  constructor(table, complain) {
    this.table = table;
    this.complain = complain;
    this.looked = 0; // at so many messages
    this.conversations = new Map();
  }

  fits(what, schema, value) {
    ++this.looked;
    if (!schema) {
      if (value !== undefined && value !== null) this.complain(`${what} must be absent`);
    } else if (!schema(value)) {
      const errors = schema.errors.slice(-3).map((e) => `${e.instancePath} ${e.message}`);
      this.complain(`${what}: ${errors.join("; ")}: ${JSON.stringify(value).slice(0, 300)}`);
    }
  }

  fitsParams(from, method, params) {
    if (method.startsWith("tasklens/")) return;
    const entry = this.table[from][method];
    if (!entry) return this.complain(`${from} sends ${method}, which is not known from this side`);
    this.fits(`${from}'s ${method} params`, entry.params, params);
  }

  look({ conversation, from, hostile, message }) {
    // Requests that are not answered yet: by id, {method, params}.
    if (from === "start") {
      this.conversations.set(conversation, { hostile, pending: { client: {}, server: {} } });
      return;
    }
    const { pending, hostile: anything } = this.conversations.get(conversation);
    const mayBeWrong = (side) => anything && side === "client";
    const id = JSON.stringify(message.id);
    if (message.jsonrpc !== "2.0") this.complain(`${from} sends no jsonrpc 2.0: ${JSON.stringify(message)}`);
    if (message.method !== undefined && message.id !== undefined) {
      pending[from][id] = message;
      if (from === "server") this.fitsParams(from, message.method, message.params);
    } else if (message.method !== undefined) {
      if (!mayBeWrong(from)) this.fitsParams(from, message.method, message.params);
    } else {
      this.lookAtAnswer(from, pending[OTHER[from]], id, message, mayBeWrong);
    }
  }

  lookAtAnswer(from, asked, id, message, mayBeWrong) {
    const request = asked[id];
    delete asked[id];
    if (message.error !== undefined) {
      if (this.table.error) this.fits(`${from}'s error`, this.table.error, message.error);
      if (!request || WRONG.has(message.error.code)) return;
    } else if (!request) {
      if (!mayBeWrong(from)) this.complain(`${from} answers ${id}, which nobody asked`);
      return;
    }
    const asker = OTHER[from];
    if (asker === "client" && !mayBeWrong(asker)) this.fitsParams(asker, request.method, request.params);
    const entry = this.table[asker][request.method];
    if (message.error === undefined && entry && !mayBeWrong(from))
      this.fits(`${from}'s answer to ${request.method}`, entry.result, message.result);
  }
}

async function main(path, metaModel) {
  const tables = { types: fromTypes() };
  if (metaModel) tables["meta model"] = fromMetaModel(metaModel);
  let faults = 0;
  const checkers = Object.entries(tables).map(([name, table]) => [name, new Checker(table, (text) => {
    if (++faults <= 20) console.error(`against the ${name}: ${text}`);
  })]);
  for await (const line of readline.createInterface({ input: fs.createReadStream(path) })) {
    const entry = JSON.parse(line);
    for (const [, checker] of checkers) checker.look(entry);
  }
  for (const [name, checker] of checkers) {
    console.error(`${checker.looked} messages checked against the protocol's ${name}`);
    if (checker.looked === 0) ++faults;
  }
  return faults > 0 ? 1 : 0;
}

main(...process.argv.slice(2)).then((status) => process.exit(status));
