// SPDX-License-Identifier: Apache-2.0
// The host answers the page's requests and opens source lines. There are four hosts with one
// interface:
//
//   knowsWhy                 whether tasklens/why knows why a worker was idle
//   request(method, params)  a promise of the answer to a `tasklens/...` request (protocol.md)
//   where(task)              a promise of the task's {job, source}, for a tip
//   open(place)              shows {site} or {task} in the editor; a promise of a sentence for
//   people
//                            about it, or null if there is nothing to say
//   follow(place)            lets an editor show the selection, without giving it the focus
//   save(name, blob)         a promise that the file was saved where the user wants it
//   onNotify(listener)       calls listener(method, params) for the server's notifications, and for
//                            host/select, host/theme, host/gone
//   isRunning                whether the program still runs, if that is known
//   isOfAnotherServer        whether the page came from another server than the one that answers
//   it,
//                            if that is known
//   settle()                 called once the first picture is drawn: prepares for later requests
//   stored                   the saved {theme, link}; members that were not saved are missing
//   store(change)            saves them for the next time
// protocol.md, "The web app in an editor", describes what an editor's plugin does for the page.
import { afterFrame, whenIdle } from "./dom.js";
import { readByteAnswer } from "./data/columns.js";
import { ReportAnswers, unpack } from "./data/report_answers.js";

const PROTOCOL = 1;  // as described in protocol.md
const PART_OF_COLUMN = 100000;  // values: about a millisecond

export async function connect() {
  const { host } = document.documentElement.dataset;
  if (host === "server") return await new LoopbackHost().start();
  if (host === "editor") return await new EditorHost(await editorChannel()).start();
  const data = document.getElementById("tasklens-data");
  const text = data.textContent;
  data.remove();
  return new ReportHost(new ReportAnswers(await unpack(text)));
}

// A page of its own in a browser, which stores settings; the link is its address.
class BrowserHost {
  knowsWhy = true;
  constructor() {
    // A page without an origin has no storage; then a choice lasts as long as the page.
    try {
      this.stored = { theme: localStorage.getItem("tasklens.theme") };
    } catch {
      this.stored = {};
    }
    this.stored.link = location.hash;
  }

  store({ theme, link }) {
    try {
      if (theme !== undefined) localStorage.setItem("tasklens.theme", theme);
      if (link !== undefined && location.hash.slice(1) !== link) history.replaceState(null, "", "#" + link);
    } catch { /* as above, and a page in a frame cannot change its address */ }
  }

  where(task) {
    return this.request("tasklens/task", { task });
  }

  follow() {}

  onNotify() {}

  settle() {}

  async save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

// The data is within the page. There is no editor, so a link is copied to the clipboard instead.
class ReportHost extends BrowserHost {
  knowsWhy = false;
  constructor(answers) {
    super();
    this.answers = answers;
  }

  async request(method, params) {
    return this.answers.request(method, params);
  }

  // A tip can wait for a promise, a frame cannot.
  async where(task) {
    const { data } = this.answers;
    for (const column of ["taskJob", "taskSite"]) while (!data.prepare(column, PART_OF_COLUMN)) await afterFrame();
    return this.answers.where(task);
  }

  // Decodes the data of tasks in idle time, part by part, so that the first click need not wait for
  // all of it.
  settle() {
    const columns = this.answers.taskColumns();
    const decode = () => {
      if (this.answers.data.prepare(columns.at(-1), PART_OF_COLUMN)) columns.pop();
      if (columns.length) whenIdle(decode);
    };
    if (columns.length) whenIdle(decode);
  }

  async open({ site, task }) {
    const source = task === undefined ? null : (await this.request("tasklens/task", { task })).source;
    const found = this.answers.header.sites[source ? source.site : site];
    if (!found) return "the trace does not say where this was submitted";
    const text = `${found.path || found.file}:${found.line}`;
    try {
      await navigator.clipboard.writeText(text);
      return `${text} is in the clipboard`;
    } catch {
      return text;
    }
  }
}

// The page comes from `tasklens serve --http` and sends its requests there. The address contains
// the secret.
class LoopbackHost extends BrowserHost {
  async start() {
    this.seen = await this.changes(0);
    return this;
  }

  get isRunning() {
    return this.seen.growing;
  }

  async changes(after) {
    return (await fetch(`changes/${after}`)).json();
  }

  // While the program runs, the server answers whenever there is more of its trace.
  async onNotify(listener) {
    while (this.seen.growing) {
      this.seen = await this.changes(this.seen.version).catch(() => ({ growing: false, isGone: true }));
      listener(this.seen.isGone ? "host/gone" : "tasklens/traceGrew", { growing: this.seen.growing });
    }
  }

  async request(method, params = {}) {
    const reply = await fetch("request", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ method, params, columns: "bytes" }),
    }).catch(() => {
      throw new Error("the server of this page has ended; start `tasklens serve --http` again");
    });
    if (reply.headers.get("Content-Type") === "application/octet-stream") return readByteAnswer(await reply.arrayBuffer());
    throw new Error((await reply.json()).error.message);
  }

  async open(place) {
    const { location } = await this.request("tasklens/reveal", place);
    const path = decodeURIComponent(location.uri.replace(/^file:\/\//, ""));
    return `${path}:${location.range.start.line + 1}`;
  }
}

// The page is in an editor; the plugin talks to the server and opens source lines.
class EditorHost {
  knowsWhy = true;
  constructor(channel) {
    this.channel = channel;
    this.waiting = new Map();
    this.next = 1;
    this.listeners = [];
    this.early = [];  // notifications that arrived before there was a listener
    this.trace = null;
    channel.listen((message) => this.take(message));
  }

  async start() {
    const { trace = null, theme = null, state = null, protocol } = (await this.request("host/start")) || {};
    this.trace = trace;
    this.isOfAnotherServer = protocol !== undefined && protocol !== PROTOCOL;
    this.stored = { ...(state && typeof state === "object" ? state : {}), ...(theme ? { theme } : {}) };
    return this;
  }

  take(message) {
    if (!message || typeof message !== "object") return;
    if (message.method) {
      if (!this.listeners.length) this.early.push(message);
      for (const listener of this.listeners) listener(message.method, message.params || {});
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  }

  request(method, params = {}) {
    const id = this.next++;
    // All requests are about the trace that the page was opened for, even if there are newer ones.
    const pinned = this.trace !== null && method.startsWith("tasklens/") ? { trace: this.trace, ...params } : params;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.channel.post({ id, method, params: pinned });
    });
  }

  onNotify(listener) {
    this.listeners.push(listener);
    for (const { method, params } of this.early.splice(0)) listener(method, params || {});
  }

  async open(place, takeFocus = true) {
    const { location, shown } = await this.request("tasklens/reveal", { ...place, takeFocus });
    if (!shown) await this.request("host/open", { location, takeFocus });
    return null;
  }

  // A line that is unknown or not found is no error here; open() gives the reason.
  follow(place) {
    this.open(place, false).catch(() => {});
  }

  where(task) {
    return this.request("tasklens/task", { task });
  }

  settle() {}

  store(change) {
    this.stored = { ...this.stored, ...change };
    this.channel.post({ method: "host/store", params: { state: this.stored } });
  }

  async save(name, blob) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    await this.request("host/save", { name, mediaType: blob.type, base64: btoa(text) });
  }
}

// VS Code gives the page a function to post messages, and sends messages. Other embedded browsers
// pass text: the plugin installs tasklensPost(text), possibly after this script has started, and
// calls tasklensTake(text).
async function editorChannel() {
  if (globalThis.acquireVsCodeApi) {
    const api = globalThis.acquireVsCodeApi();
    return {
      post: (message) => api.postMessage(message),
      listen: (take) => globalThis.addEventListener("message", (event) => take(event.data)),
    };
  }
  while (!globalThis.tasklensPost) await new Promise((resolve) => setTimeout(resolve, 10));
  return {
    post: (message) => globalThis.tasklensPost(JSON.stringify(message)),
    listen: (take) => (globalThis.tasklensTake = (text) => take(typeof text === "string" ? JSON.parse(text) : text)),
  };
}
