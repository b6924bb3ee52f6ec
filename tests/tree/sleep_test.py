#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""No test sleeps to wait for something: the message, file, pipe or condition itself is waited for.

Sleeps that are there all the same are named here, each file with how many, and why. A row that says more
than the file has is a complaint as well.
"""

import re

from tree import DATA, Tree, run

LANGUAGES = re.compile(r"^tests/.*\.(c|cc|h|py|js|mjs|ts|java|lua|el|sh)$")
THIS = "tests/tree/sleep_test.py"
# `sleep 1000` and more, of shells, is a program that ends when it is ended.
SLEEP = re.compile(
    r"\bsleep_(?:for|until)\s*\("
    r"|\b(?:starpu_)?u?sleep\s*\(|\b(?:clock_)?nanosleep\s*\(|\bparkNanos\s*\("
    r"|\bsetTimeout\s*\((?!\w+\))|\bsetInterval\s*\(|\bwaitForTimeout\s*\(|\btimerExec\s*\("
    r"|\bvim\.(?:wait|defer_fn)\s*\(|\b(?:sit-for|sleep-for|accept-process-output)\b"
    r"|\bsleep\s+(?!1000)[\d.$\"]"
)
LOOKS = "the one place of its language where what nothing tells is looked at again and again"
SIMULATED = "passes on the clock of a simulated machine; it takes no time"
SLEEPS = {
    "tests/testing/looking.js": (1, LOOKS),
    "tests/testing/looking.py": (1, LOOKS),
    "tests/testing/waiting.el": (1, LOOKS),
    "tests/testing/waiting.lua": (1, LOOKS),
    "tests/ide-plugin/eclipse/fragment/src/org/tasklens/eclipse/tests/Bench.java": (1, LOOKS),
    "tests/ide-plugin/eclipse/fragment/src/org/tasklens/eclipse/tests/UiWatch.java": (1, "how often a thread is sampled"),
    "tests/analysis/programs/program.h": (1, SIMULATED),
    "tests/analysis/programs/runtime_holds_workers.c": (1, SIMULATED),
    "tests/analysis/programs/submission_too_slow.c": (1, SIMULATED),
    "tests/runtime/devices_test.cc": (1, SIMULATED),
    "tests/runtime/simulation_test.cc": (2, SIMULATED),
    "tests/analysis/starpu_bound/program.c": (1, "tasks of a known length of StarPU's own, which has no such clock"),
    "tests/runtime/cuda/standin.cc": (1, "how long a device takes that works beside the processors"),
    "tests/server/command_line/tasklens_test.sh": (1, "progress is shown of what takes longer than a second, and so this does"),
}


def complaints(tree: Tree):
    found, seen = [], {}
    for path in tree.files():
        if not LANGUAGES.search(path) or DATA.search(path) or path == THIS:
            continue
        places = [i for i, line in enumerate(tree.text(path).splitlines(), 1) for _ in SLEEP.finditer(line)]
        seen[path] = len(places)
        allowed = SLEEPS.get(path, (0, ""))[0]
        if len(places) > allowed:
            at = ", ".join(map(str, places))
            found.append(f"{path}: sleeps at line {at}; wait for the event itself, or say in {THIS} why not")
    for path, (count, _) in SLEEPS.items():
        if seen.get(path, 0) < count:
            found.append(f"{THIS}: {path} has {seen.get(path, 0)} sleeps, not {count}")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"tests/a_test.cc": "  std::this_thread::sleep_for(1s);\n"}, "tests/a_test.cc: sleeps at line 1;"),
            ({"tests/a_test.cc": "\n  starpu_usleep(1);\n"}, "tests/a_test.cc: sleeps at line 2;"),
            ({"tests/a_test.py": "time.sleep(0.2)\n"}, "tests/a_test.py: sleeps"),
            ({"tests/a_test.js": "await new Promise((resolve) => setTimeout(resolve, 100));\n"}, "tests/a_test.js: sleeps"),
            ({"tests/A.java": "Thread.sleep(20);\n"}, "tests/A.java: sleeps"),
            ({"tests/a_test.lua": "vim.wait(100)\n"}, "tests/a_test.lua: sleeps"),
            ({"tests/a_test.el": "(sit-for 1)\n"}, "tests/a_test.el: sleeps"),
            ({"tests/a_test.sh": "while [[ ! -e go ]]; do sleep 0.1; done\n"}, "tests/a_test.sh: sleeps"),
            ({"tests/a_test.py": 'script("echo; sleep 0.1")\n'}, "tests/a_test.py: sleeps"),
            ({"tests/testing/looking.py": "time.sleep(1)\ntime.sleep(1)\n"}, "tests/testing/looking.py: sleeps at line 1, 2;"),
            ({"tests/a.cc": "\n"}, f"{THIS}: tests/testing/looking.py has 0 sleeps, not 1"),
        ],
    )
