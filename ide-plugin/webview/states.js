// SPDX-License-Identifier: Apache-2.0
// What kind of thing a state of a row is; the overview, the profile and the timeline share these
// kinds and their colours.

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

// What the rows of workers show, as the timeline's legend has it.
export const SHOWN_KINDS = [
  { kind: "task", label: "tasks", help: "Workers executed tasks." },
  { kind: "transfer", label: "transfers", help: "They fetched or pushed data." },
  { kind: "scheduler", label: "scheduling", help: "They looked for a task, or placed one." },
  { kind: "runtime", label: "runtime", help: "The runtime itself worked." },
  { kind: "memory", label: "memory", help: "They allocated or freed memory." },
  { kind: "idle", label: "idle", help: "They were idle, asleep, or waited." },
];

// What the workers' time goes to, in the order of a profile's kinds; and the words of the efficiency
// factors that pay for it.
export const TIME_KINDS = [
  { kind: "tasks", label: "in tasks", help: "Workers executed tasks." },
  { kind: "transfer", label: "waiting for data", help: "The next task waited for a transfer." },
  { kind: "scheduler", label: "scheduler",
    help: "A ready task waited while a worker that could run it was free." },
  { kind: "runtime", label: "runtime", help: "The runtime itself worked: submission, callbacks, overhead." },
  { kind: "nothing ready", label: "nothing ready",
    help: "Tasks were submitted, but all of them waited for others." },
  { kind: "nothing submitted", label: "nothing submitted", help: "The program had submitted no more tasks." },
  { kind: "not known", label: "not known",
    help: "The workers were idle, and the trace does not tell what tasks waited for." },
];
