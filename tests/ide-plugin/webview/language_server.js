// SPDX-License-Identifier: Apache-2.0
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn } = require("child_process");

// The language server, as an editor has it.
class LanguageServer {
  constructor(tasklens) {
    this.said = path.join(fs.mkdtempSync(path.join(process.env.TEST_TMPDIR ?? os.tmpdir(), "said-")), "said.jsonl");
    this.process = spawn("tests/testing/recorded_server.py", ["serve"], {
      stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, TASKLENS: path.resolve(tasklens), CONVERSATIONS: this.said } });
    this.waiting = new Map();
    this.shown = [];  // what it asked to be shown
    this.news = [];  // its notifications
    this.next = 1;
    this.bytes = Buffer.alloc(0);
    this.process.stdout.on("data", (data) => this.read(data));
  }

  read(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.bytes.subarray(0, 64).toString("latin1"));
      const end = head ? head[0].length + Number(head[1]) : Infinity;
      if (this.bytes.length < end) return;
      this.take(JSON.parse(this.bytes.subarray(head[0].length, end).toString("utf8")));
      this.bytes = this.bytes.subarray(end);
    }
  }

  take(message) {
    if (message.method === "window/showDocument") {
      this.shown.push(message.params);
      this.send({ id: message.id, result: { success: true } });
    } else if (message.method && message.id !== undefined) {
      this.send({ id: message.id, result: null });
    } else if (message.method) {
      this.news.push(message);
      this.onNews?.(message);
    } else {
      this.waiting.get(message.id)(message);
      this.waiting.delete(message.id);
    }
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  // A promise of {result} or {error}.
  ask(method, params) {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ id, method, params });
    });
  }

  // Ends it, and checks what was said against the protocol.
  async end() {
    const ended = new Promise((resolve) => this.process.on("close", resolve));
    this.process.stdin.end();
    await ended;
    execFileSync("tests/npm/check_conversations.sh", [this.said], { stdio: "inherit" });
  }
}

module.exports = { LanguageServer };
