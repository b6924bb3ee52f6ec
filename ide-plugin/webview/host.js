// SPDX-License-Identifier: Apache-2.0
// Who answers the page and who opens a line of source. Four hosts, one interface:
//
//   request(method, params)  a promise of the answer of a `tasklens/...` request (protocol.md)
//   open(place)              shows {site} or {task} in the editor; a promise of what was done, a
//                            sentence for people, or null when there was nothing to say
//   onMessage(listener)      calls listener({type: "select", selection}) when the editor asks the
//                            page to show something: {task} or {site}
import { ReportAnswers, unpack } from "./data/report_answers.js";

export async function connect() {
  const data = document.getElementById("tasklens-data");
  if (data) {
    const text = data.textContent;
    data.remove();
    return new ReportHost(new ReportAnswers(await unpack(text)));
  }
  if (globalThis.acquireVsCodeApi) return new MessageHost(vscodeChannel());
  if (globalThis.tasklensPost) return new MessageHost(browserChannel());
  return new LoopbackHost();
}

// The data lies within the page. There is no editor: a link copied to the clipboard has to do.
class ReportHost {
  constructor(answers) {
    this.answers = answers;
  }

  async request(method, params) {
    return this.answers.request(method, params);
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

  onMessage() {}
}

// The page comes from `tasklens serve --http` and asks it. The address holds the secret.
class LoopbackHost {
  async request(method, params = {}) {
    const reply = await fetch("request", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ method, params }),
    });
    const answer = await reply.json();
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  async open(place) {
    const { location } = await this.request("tasklens/reveal", place);
    const path = decodeURIComponent(location.uri.replace(/^file:\/\//, ""));
    return `${path}:${location.range.start.line + 1}`;
  }

  onMessage() {}
}

// An editor's plugin answers by messages: {id, method, params} out, {id, result} or {id, error} in.
class MessageHost {
  constructor(channel) {
    this.channel = channel;
    this.waiting = new Map();
    this.next = 1;
    this.listeners = [];
    channel.listen((message) => this.take(message));
  }

  take(message) {
    if (!message || typeof message !== "object") return;
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    } else if (message.type) {
      for (const listener of this.listeners) listener(message);
    }
  }

  request(method, params = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.channel.post({ id, method, params });
    });
  }

  async open(place) {
    await this.request("tasklens/reveal", place);
    return null;
  }

  onMessage(listener) {
    this.listeners.push(listener);
  }
}

function vscodeChannel() {
  const api = globalThis.acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    listen: (take) => globalThis.addEventListener("message", (event) => take(event.data)),
  };
}

// SWT's Browser: the plugin installs tasklensPost(text) and calls tasklensTake(text).
function browserChannel() {
  return {
    post: (message) => globalThis.tasklensPost(JSON.stringify(message)),
    listen: (take) => (globalThis.tasklensTake = (text) => take(JSON.parse(text))),
  };
}
