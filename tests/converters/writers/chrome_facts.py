# SPDX-License-Identifier: Apache-2.0
"""What a viewer makes of a trace.json of Chrome's, as lines of fields between tabs.

Usage: chrome_facts.py FILE

The file is read as strict JSON (no NaN, no key twice), and held to the rules of the Trace Event
Format; each breach is a line `fault WHAT`.
"""
import decimal
import json
import sys

FAULTS = []


def fault(what):
    FAULTS.append(what)


def no_key_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        fault("a key twice: %s" % keys)
    return dict(pairs)


def refused(text):
    raise ValueError(text + " is no JSON")


def ns(value):
    result = decimal.Decimal(value) * 1000
    if result != int(result):
        fault("a time of less than a nanosecond: %s" % value)
    return int(result)


NEEDED = {
    "M": {"name", "args"},
    "X": {"name", "cat", "ts", "dur"},
    "i": {"name", "cat", "ts", "s"},
    "C": {"name", "ts", "args"},
    "s": {"name", "cat", "ts", "id"},
    "f": {"name", "cat", "ts", "id", "bp"},
}


def main():
    with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
        trace = json.load(file, parse_float=decimal.Decimal, parse_constant=refused,
                          object_pairs_hook=no_key_twice)
    if trace["displayTimeUnit"] != "ns":
        fault("another unit")
    processes, rows = {}, {}
    slices = {}  # by row, in order of the file
    flows = {"s": {}, "f": {}}
    others = []
    for event in trace["traceEvents"]:
        phase = event["ph"]
        row = (event["pid"], event["tid"])
        if not NEEDED[phase] <= set(event):
            fault("%s lacks something" % event)
        if phase == "M":
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                if row in rows:
                    fault("a row has two names: %s" % (row,))
                rows[row] = event["args"]["name"]
            continue
        if event["pid"] not in processes:
            fault("%s is in no process" % event)
        begin = ns(event["ts"])
        if phase == "X":
            if row not in rows:
                fault("%s is on a row without a name" % event)
            slices.setdefault(row, []).append(
                (begin, begin + ns(event["dur"]), event["name"], event.get("args", {}), event["cat"]))
        elif phase in flows:
            key = (event["cat"], event["name"], event["id"])
            if key in flows[phase]:
                fault("an arrow begins or ends twice: %s" % (key,))
            # The slice before it in the file, which must be open at that moment.
            own = slices.get(row, [])
            if not own or own[-1][0] != begin:
                fault("%s belongs to no slice" % event)
            else:
                flows[phase][key] = own[-1][2]
        elif phase == "i":
            others.append(("instant", event["name"], begin))
        else:
            others.append(("counter", event["name"], begin, event["args"]["value"]))

    for row, own in slices.items():
        # Sorted by time as viewers do, what comes first in the file first.
        open_ends = []
        for begin, end, name, _, _ in sorted(own, key=lambda slice: slice[0]):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if end < begin or (open_ends and end > open_ends[-1]):
                fault("slices of row %s do not nest: %s at %d" % (row, name, begin))
            open_ends.append(end)
    for key in flows["s"].keys() ^ flows["f"].keys():
        fault("half an arrow: %s" % (key,))

    for row, own in sorted(slices.items()):
        for begin, end, name, arguments, category in own:
            others.append(("slice", rows.get(row, "?"), category, name, begin, end,
                           " ".join("%s=%s" % item for item in arguments.items())))
    for key, name in flows["s"].items():
        others.append(("arrow", name, flows["f"].get(key, "?")))
    for what in FAULTS:
        others.append(("fault", what))
    sys.stdout.reconfigure(encoding="utf-8")
    for fields in others:
        print("\t".join(str(field) for field in fields))


if __name__ == "__main__":
    main()
