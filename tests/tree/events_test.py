#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Each event of the table has something that makes it: the recorder, or a reader of other formats.

The recorder writes an event by itself (`Record<EventKind::k...>`), or in a record for several events,
whose page (trace/format/format.md, compared with the code by a test) says for which it stands.
"""

import re

from tree import Tree, run

TABLE = "trace/events/events.inc"
JOINT = "trace/events/joint_events.h"
PAGE = "trace/format/format.md"

# Events that only files of other tools have (FxT, Paje, Paraver) ...
OF_OTHERS = {
    "CounterValue",
    "FlushEnd",
    "FlushStart",
    "MemoryNodeThread",
    "MpiAfterSend",
    "MpiBeforeReceive",
    "MpiReceiveNuma",
    "MpiSendNuma",
    "NamedState",
    "SourceEventCount",
    "TaskHidden",
    "TaskLevel",
    "TaskParent",
    "ThreadMessage",
    "ThreadName",
    "WholeMessage",
    "WorkerStateSet",
}
# ... and what a .tlt has in its header.
OF_THE_HEADER = {"WallClock"}
HEADER_READER = "trace/format/reader.cc"


def text_below(tree, folders):
    paths = [p for p in tree.sources() if p.startswith(folders) and p.endswith((".cc", ".h", ".inc"))]
    return "\n".join(tree.text(path) for path in paths)


def name(kind):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", kind).lower()


def complaints(tree: Tree):
    found = []
    runtime = text_below(tree, "runtime/")
    readers = text_below(tree, "converters/readers/")
    events = re.findall(r"^EVENT\((\w+),", tree.text(TABLE), re.M)
    written = set(re.findall(r"\bRecord(?:In|At)?<\s*(?:tasklens::)?EventKind::k(\w+)", runtime))
    joints = set(re.findall(r"\bRecordJointAt<\s*tlt::Joint::k(\w+)", runtime))

    enum = re.search(r"enum class Joint.*?\{(.*?)kCount", tree.text(JOINT), re.S).group(1)
    stands_for = dict(re.findall(r"^\| \d+ \| (\w+) \| .* \| (.*) \|$", tree.text(PAGE), re.M))
    recorded = {name(kind) for kind in written}
    for joint in re.findall(r"^\s*k(\w+),", enum, re.M):
        if joint not in joints:
            found.append(f"{JOINT}: nothing in runtime/ records k{joint}")
        recorded.update(re.findall(r"\w+", stands_for.get(name(joint), "")))

    for event in events:
        by_recorder = name(event) in recorded
        if event in OF_THE_HEADER:
            if f"EventKind::k{event}" not in tree.text(HEADER_READER):
                found.append(f"{TABLE}: {HEADER_READER} does not make {event} of a header")
        elif event in OF_OTHERS:
            if by_recorder:
                found.append(f"{TABLE}: {event} is written by runtime/: not of other tools alone")
            if not re.search(rf"\bk{event}\b", readers):
                found.append(f"{TABLE}: no reader in converters/readers/ makes {event}")
        elif not by_recorder:
            found.append(
                f"{TABLE}: nothing in runtime/ records {event}; if only other tools' files have it,"
                " name it in OF_OTHERS of tests/tree/events_test.py"
            )
    for event in sorted((OF_OTHERS | OF_THE_HEADER) - set(events)):
        found.append(f"{TABLE}: there is no {event}, which tests/tree/events_test.py names")
    return found


def sample(**changed):
    """A tree with one event of each sort."""
    rows = "".join(f"EVENT({kind}, ...)\n" for kind in sorted(OF_OTHERS | OF_THE_HEADER))
    files = {
        "table": rows + "EVENT(UserEvent, ...)\nEVENT(TaskDone, ...)\n",
        "joint": "enum class Joint : uint16_t {\n  kDone,  // task_done\n  kCount,\n};\n",
        "page": "| 14 | done | `u64 job` | task_done, state_set |\n",
        "runtime": "Record<EventKind::kUserEvent>(1); RecordJointAt<tlt::Joint::kDone>(now, 1);",
        "readers": " ".join(f"Kind::k{kind}" for kind in OF_OTHERS),
        "header": " ".join(f"EventKind::k{kind}" for kind in OF_THE_HEADER),
    }
    files.update(changed)
    paths = (TABLE, JOINT, PAGE, "runtime/a.cc", "converters/readers/a.cc", HEADER_READER)
    return dict(zip(paths, files.values()))


if __name__ == "__main__":
    run(
        complaints,
        [
            (sample(runtime="RecordJointAt<tlt::Joint::kDone>(n, 1);"), "nothing in runtime/ records UserEvent"),
            (sample(runtime="Record<EventKind::kUserEvent>(1);"), "nothing in runtime/ records kDone"),
            (sample(page=""), "nothing in runtime/ records TaskDone"),
            (sample(readers=""), "no reader in converters/readers/ makes TaskHidden"),
            (sample(header=""), "does not make WallClock of a header"),
            (sample(runtime="Record<EventKind::kTaskHidden>(1, 2);"), "TaskHidden is written by runtime/"),
            (sample(table="EVENT(UserEvent, ...)\n"), "there is no TaskLevel"),
        ],
    )
