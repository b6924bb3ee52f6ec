// SPDX-License-Identifier: Apache-2.0
// Names for parts of messages.ts, and additions of the extension.
import type { KeptRun, Notifications, Requests } from "./messages";

export type RunParams = Requests["tasklens/run"]["params"];

// A notification of the server.
export type Told = { [M in keyof Notifications]: { method: M; params: Notifications[M] } }[keyof Notifications];

// A selection in the page: a task, or the tasks of a line.
export type Choice = { task: number } | { site: number };

// The name of a run for people: the user's name for it, or the program with its arguments.
export function titleOf({ name, title, configuration }: KeptRun): string {
  return name || [title, ...(configuration.arguments ?? [])].join(" ");
}
