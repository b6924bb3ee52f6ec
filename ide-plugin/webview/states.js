// SPDX-License-Identifier: Apache-2.0
// The kinds of states of a row, and the kinds of time of workers, with the variables of style.css
// for their colours. A row shows what was done there; why a worker was idle is another question, so
// waiting for something has a paler colour than doing it.

const GROUPS = {
  task: ["Task", "Executing"],
  transfer: ["FetchingInput", "PushingOutput", "DriverCopy", "DriverCopyAsync", "WritingBack",
             "WritingBackAsync"],
  scheduler: ["Scheduling"],
  idle: ["Nothing", "Idle", "Sleeping", "Waiting task", "Waiting all tasks", "Polling"],
  memory: ["Allocating", "AllocatingReuse", "Freeing", "Reclaiming"],
};
const GROUP_OF = new Map();
for (const [group, names] of Object.entries(GROUPS)) for (const name of names) GROUP_OF.set(name, group);

export const stateGroup = (name) => GROUP_OF.get(name) || "runtime";

// The states of workers' rows, as in the legend of the timeline.
export const SHOWN_KINDS = [
  { kind: "task", label: "tasks", colour: "tasks", help: "Workers executed tasks." },
  { kind: "transfer", label: "transfers", colour: "transfer", help: "Data was fetched, pushed or copied." },
  { kind: "scheduler", label: "scheduling", colour: "scheduler", help: "The scheduler looked for a task, or placed one." },
  { kind: "runtime", label: "runtime", colour: "runtime", help: "The runtime itself worked." },
  { kind: "memory", label: "memory", colour: "memory", help: "Memory was allocated or freed." },
  { kind: "idle", label: "idle", colour: "idle", help: "Idle, asleep, or waiting." },
];

// The kinds of time of workers, in the order of a profile's kinds, with the efficiency factors that
// they reduce.
export const TIME_KINDS = [
  { kind: "tasks", label: "in tasks", colour: "tasks", help: "Workers executed tasks." },
  { kind: "transfer", label: "waiting for data", colour: "data-wait", help: "The next task waited for a transfer." },
  { kind: "scheduler", label: "waiting for the scheduler", colour: "scheduler-wait",
    help: "A ready task waited while a worker that could run it was free." },
  { kind: "runtime", label: "runtime", colour: "runtime", help: "The runtime itself worked: submission, callbacks, overhead." },
  { kind: "nothing ready", label: "nothing ready", colour: "nothing-ready",
    help: "Tasks were submitted, but all of them waited for others." },
  { kind: "nothing submitted", label: "nothing submitted", colour: "nothing-submitted", help: "The program had submitted no more tasks." },
  { kind: "nothing for it", label: "nothing for these workers", colour: "nothing-for-it",
    help: "Only tasks that this kind of worker cannot run were there." },
  { kind: "not known", label: "not known", colour: "not-known",
    help: "The workers were idle, and the trace does not tell what tasks waited for." },
];
