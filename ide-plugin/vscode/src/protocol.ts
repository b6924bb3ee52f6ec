// SPDX-License-Identifier: Apache-2.0
// Names for parts of messages.ts, and what the extension adds to them.
import type { KeptRun, Notifications, Requests } from "./messages";

export type RunParams = Requests["tasklens/run"]["params"];

// What the server tells without being asked.
export type Told = { [M in keyof Notifications]: { method: M; params: Notifications[M] } }[keyof Notifications];

// What the page selects: a task, or the tasks of a line.
export type Choice = { task: number } | { site: number };

// What people know a run by: their name for it, or the program with its arguments.
export function titleOf({ name, title, configuration }: KeptRun): string {
  return name || [title, ...(configuration.arguments ?? [])].join(" ");
}
