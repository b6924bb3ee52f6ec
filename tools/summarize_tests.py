#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up one `bazel test`: names what failed or was skipped, ends with `N passed, N failed`.

    tools/summarize_tests.py EVENTS

EVENTS is the file of --build_event_json_file. Reads it and the test.xml files that it names, so that a result
left by an earlier run is never counted. A GoogleTest counts once per case. A script counts once,
unless it writes cases to $XML_OUTPUT_FILE itself; it says that it skipped with a line
`SKIPPED: reason`. What passed only when it was run again is named with `AGAIN`: a defect to mend.
What does not build counts as one failure. Exit status 0: something passed and nothing failed.
"""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from collections import defaultdict


class Summary:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []
        self.again = []

    def add_case(self, label, case):
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        where = label if name in ("", label.lstrip("/").replace(":", "/")) else f"{label} {name}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failures.append(where)
        elif case.get("result") == "suppressed" or case.get("status") == "notrun":
            self.skips.append(f"{where}: disabled in its source")
        elif skip is not None or case.get("result") == "skipped":
            self.skips.append(f"{where}: {reason_of(skip)}")
        else:
            self.passed += 1

    def add_test(self, label, result):
        """One run of one test target (one shard of it)."""
        cases, output = [], ""
        for file in result.get("testActionOutput", []):
            if file["name"] == "test.xml":
                cases, output = read_xml(file["uri"])
        script_skips = re.findall(r"^SKIPPED: *(.*)$", output, re.MULTILINE)
        failed_before = len(self.failures)
        if result["status"] in ("PASSED", "FLAKY") and len(cases) <= 1 and script_skips:
            self.skips += [f"{label}: {reason}" for reason in script_skips]
            return
        for case in cases:
            self.add_case(label, case)
        # A target can fail beside its cases: a crash at exit, a leak, a time limit.
        if result["status"] not in ("PASSED", "FLAKY") and len(self.failures) == failed_before:
            self.failures.append(f"{label}: {result['status'].lower().replace('_', ' ')}")
        elif not cases:
            self.passed += 1


def reason_of(skip):
    """GTEST_SKIP() << reason ends up in the attribute, after the place in the source."""
    text = (skip.get("message") or skip.text or "") if skip is not None else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def read_xml(uri):
    """The test cases of a test.xml, and what the test printed (if the file has it)."""
    path = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
    try:
        tree = ElementTree.parse(path)
    except (OSError, ElementTree.ParseError):
        return [], ""  # The status of the target says enough.
    output = "\n".join(element.text or "" for element in tree.iter("system-out"))
    return list(tree.iter("testcase")), output


def read_events(path):
    """The last attempt of each test, the labels with a failed attempt, those that did not build."""
    results, failed, broken = {}, set(), set()
    with open(path, encoding="utf-8") as events:
        for line in events:
            event = json.loads(line)
            kind, about = next(iter(event["id"].items()), ("", {}))
            label = about.get("label") or " ".join(about.get("pattern", [])) or "the build"
            if kind == "testResult" and "aborted" in event:
                broken.add(label)  # somebody ended the run
            elif kind == "testResult":
                key = (label, about.get("run"), about.get("shard"))
                results[key] = event["testResult"]
                if event["testResult"]["status"] not in ("PASSED", "FLAKY"):
                    failed.add(label)
            elif "aborted" in event and kind in ("targetCompleted", "targetConfigured", "pattern"):
                broken.add(label)
            elif kind == "targetCompleted" and not event.get("completed", {}).get("success"):
                broken.add(label)
    # A test whose run failed is reported by its result.
    return results, failed, broken - {label for label, _, _ in results}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    summary = Summary()
    results, failed, broken = read_events(sys.argv[1])
    by_label = defaultdict(list)
    for (label, _, _), result in results.items():
        by_label[label].append(result)
    for label in sorted(by_label):
        failures_before = len(summary.failures)
        for result in by_label[label]:
            summary.add_test(label, result)
        if label in failed and len(summary.failures) == failures_before:
            summary.again.append(label)
    summary.failures += [f"{label}: does not build" for label in sorted(broken)]

    for skip in summary.skips:
        print("SKIPPED", skip)
    for label in summary.again:
        print("AGAIN", f"{label}: failed, and passed when it was run again")
    for failure in summary.failures:
        print("FAILED", failure)
    skipped = f", {len(summary.skips)} skipped" if summary.skips else ""
    print(f"{summary.passed} passed, {len(summary.failures)} failed{skipped}")
    return 0 if summary.passed and not summary.failures else 1


if __name__ == "__main__":
    sys.exit(main())
