#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What docs/tutorial.md tells its reader to do, in Emacs."""

import re
import sys

from emacs_screen import command, open_emacs, project_or_skip

project = project_or_skip(sys.argv[1], sys.argv[2])
project.add_tutorial()
screen = open_emacs(project, "primes.c")


with screen:
    screen.until_shown("primes.c")
    command(screen, "tasklens-launch")
    screen.until_shown("40 of 40 tasks")
    screen.until_shown("finding")
    end = next(line for line in screen.lines() if "M-x tasklens-advice" in line)
    screen.until("point on the line to look at first", lambda: "starpu_task_insert(&count" in screen.cursor_line())
    screen.until_shown("40 tasks · ")
    screen.picture("ran")
    print(f"ok   the program is built and run, nothing is asked, its line is in sight: {end.strip()}")
    screen.keys("M-<")
    screen.until("point elsewhere", lambda: screen.look()[1][1] == 0)
    command(screen, "tasklens-advice")
    screen.until_shown("a serial chain")
    screen.until("all that is to be done", lambda: "(STARPU_REDUX)" in " ".join("\n".join(screen.lines()).split()))
    screen.picture("advice")
    screen.keys("Enter")
    screen.until("point on the line of the fault", lambda: "starpu_task_insert(&count" in screen.cursor_line())
    print("ok   the fault is among the advice, and RET goes to its line")
    screen.keys("M-<")
    command(screen, "replace-string", "Replace string:", "STARPU_RW, sum")
    screen.until_shown("with:")
    screen.type("STARPU_REDUX, sum\r")
    screen.until_shown("STARPU_REDUX, sum, 0")
    screen.keys("C-x", "C-s")
    screen.until_shown("Wrote ")
    command(screen, "tasklens-again")
    screen.until_shown("its trace has 40 tasks")
    screen.until("what was found", lambda: re.search(r"\d findings?: M-x|no findings", "\n".join(screen.lines())))
    command(screen, "tasklens-advice")
    screen.until("advice without the fault", lambda: "no findings in this run" in "\n".join(screen.lines())
                 or any("*TaskLens advice*" in line for line in screen.lines()) and "a serial chain" not in "\n".join(screen.lines()))  # fmt: skip
    print("ok   one word mends it")
    command(screen, "tasklens-compare")
    screen.until_shown("Compare the run:")
    screen.keys("Enter")
    screen.until_shown("with the earlier one:")
    screen.keys("Enter")
    screen.until("point in the comparison", lambda: screen.cursor_line().startswith("before: "))
    screen.until_shown("primes.c:")
    screen.picture("compared")
    print("ok   what the change was worth: " + next(line for line in screen.lines() if line.startswith("span:")))
    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_parallel()
project.check_messages()
