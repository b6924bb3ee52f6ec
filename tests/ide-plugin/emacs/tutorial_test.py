#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What docs/tutorial.md tells its reader to do, in Emacs."""

import sys

from emacs_screen import command, open_emacs, project_or_skip

project = project_or_skip(sys.argv[1], sys.argv[2])
project.add_tutorial()
screen = open_emacs(project, "primes.c")


def only(name):
    """Waits for a buffer to be shown, and has one window show it."""
    screen.until(name, lambda: any(name in line for line in screen.lines()))
    screen.keys("C-x", "b")
    screen.type(name + "\r")
    screen.keys("C-x", "1")
    screen.until(f"only {name}", lambda: name in screen.lines()[-2])


with screen:
    screen.until_shown("primes.c")
    screen.keys("C-c", "t", "l")
    screen.until_shown("40 of 40 tasks")
    print("ok   the program is built and run, and nothing is asked")
    command(screen, "tasklens-advice")
    only("*TaskLens advice*")
    screen.until_shown("a serial chain")
    screen.until("all that is to be done", lambda: "(STARPU_REDUX)" in " ".join("\n".join(screen.lines()).split()))
    screen.picture("advice")
    screen.keys("M-<", "Enter")
    screen.until("point on the line of the fault", lambda: "starpu_task_insert(&count" in screen.cursor_line())
    print("ok   the fault is among the advice, and RET goes to its line")
    command(screen, "replace-string", "Replace string:", "STARPU_RW, sum")
    screen.until_shown("with:")
    screen.type("STARPU_REDUX, sum\r")
    screen.until_shown("STARPU_REDUX, sum, 0")
    screen.keys("C-x", "C-s")
    screen.until_shown("Wrote ")
    screen.keys("C-x", "1")
    command(screen, "tasklens-again")
    screen.until_shown("40 of 40 tasks")
    command(screen, "tasklens-advice")
    screen.until("advice without the fault", lambda: "nothing is wrong with this run" in "\n".join(screen.lines())
                 or any("*TaskLens advice*" in line for line in screen.lines()) and "a serial chain" not in "\n".join(screen.lines()))  # fmt: skip
    print("ok   one word mends it")
    command(screen, "tasklens-compare", "Compare the run:", "")
    screen.until_shown("with the earlier one:")
    screen.keys("Enter")
    only("*TaskLens compare*")
    screen.until_shown("primes.c:")
    screen.picture("compared")
    print("ok   what the change was worth: " + screen.lines()[2].strip())
    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_parallel()
project.check_messages()
